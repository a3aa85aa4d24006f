//! A cycle in any connected network.

use std::collections::VecDeque;

use cubefold_topology::{Machine, MachineKind, NodeId};

use super::{
    construction::{ClassicConstruction, Plan},
    error::ClassicError,
    machines::{guest_edges, is_ring},
    routed_embedding::RoutedEmbedding,
};
use crate::ProcessId;

pub(super) static TOUR_CYCLE: ClassicConstruction = ClassicConstruction {
    name: "tour-cycle",
    summary: "a ring on any connected machine of as many nodes",
    promised_dilation: "at most 3",
    source: "embeddings of linear arrays and cycles",
    plan: |pair| {
        let fits = is_ring(pair.guest) && pair.has_same_size();
        let tour = fits.then(|| Tour::of(pair.host)).flatten()?;
        Some(Ok(Plan::at_most(3, tour.places())))
    },
};

/// The ring with a vertex for each node of a connected machine, in that machine: load 1, dilation
/// at most 3, link congestion at most 2 (CS838 1999, embeddings of linear arrays and cycles;
/// Sekanina).
///
/// A spanning tree is walked round depth first, from node 0. A node of an odd level gets the next
/// vertex at the first visit, one of an even level at the last. The edges go along the walk, which
/// crosses every link of the tree twice.
///
/// # Errors
///
/// When the machine is not connected.
pub fn tour_cycle(host: &Machine) -> Result<RoutedEmbedding, ClassicError> {
    let ring = Machine::new(MachineKind::Ring, &[host.node_count()])?;
    let tour = Tour::of(host).ok_or_else(|| ClassicError::Pair {
        found: format!("a {} in parts", host.kind()),
        expected: "a connected machine",
    })?;
    let path = |from: ProcessId, to: ProcessId| tour.path(from, to);
    Ok(RoutedEmbedding::new(host.clone(), tour.places(), guest_edges(&ring), path)?)
}

/// A walk round a spanning tree, and which of its visits get vertices.
struct Tour {
    visits: Vec<NodeId>,  // from the root back to the root
    vertices: Vec<usize>, // for each vertex, its visit
}

/// A node of the spanning tree.
#[derive(Debug, Clone, Default)]
struct Branch {
    level: u32,
    children: Vec<NodeId>,
    is_reached: bool,
}

impl Tour {
    fn of(host: &Machine) -> Option<Self> {
        let tree = spanning_tree(host)?;
        let mut tour = Self { visits: vec![], vertices: vec![] };
        // Each node with the number of its children that are done.
        let mut open = vec![(NodeId::new(0), 0)];
        while let Some((node, done)) = open.pop() {
            let branch = &tree[node.index() as usize];
            tour.visits.push(node);
            let child = branch.children.get(done);
            let is_even = branch.level.is_multiple_of(2);
            let gets_vertex = if is_even { child.is_none() } else { done == 0 };
            if gets_vertex {
                tour.vertices.push(tour.visits.len() - 1);
            }
            if let Some(&child) = child {
                open.push((node, done + 1));
                open.push((child, 0));
            }
        }
        Some(tour)
    }

    fn places(&self) -> Vec<NodeId> {
        self.vertices.iter().map(|&visit| self.visits[visit]).collect()
    }

    /// The part of the walk between two vertices that follow one another; back over its end from
    /// the last to the first.
    fn path(&self, from: ProcessId, to: ProcessId) -> Vec<NodeId> {
        let [start, end] = [from, to].map(|vertex| self.vertices[vertex.label() as usize]);
        if to.label() == from.label() + 1 {
            return self.visits[start..=end].to_vec();
        }
        // The edge from vertex 0 to the last one. The walk ends at the root, where it begins.
        let before = self.visits[..=start].iter().rev();
        let after = self.visits[end..].iter().rev().skip(1);
        before.chain(after).copied().collect()
    }
}

/// The spanning tree of the nodes by their distances from node 0; `None` if some cannot be reached.
fn spanning_tree(host: &Machine) -> Option<Vec<Branch>> {
    let nodes = usize::try_from(host.node_count()).ok()?;
    let mut tree = vec![Branch::default(); nodes];
    let mut waiting = VecDeque::from([NodeId::new(0)]);
    let mut reached = 1;
    tree[0].is_reached = true;
    while let Some(node) = waiting.pop_front() {
        for beside in host.neighbours(node) {
            if tree[beside.index() as usize].is_reached {
                continue;
            }
            let level = tree[node.index() as usize].level + 1;
            tree[beside.index() as usize] = Branch { level, children: vec![], is_reached: true };
            tree[node.index() as usize].children.push(beside);
            waiting.push_back(beside);
            reached += 1;
        }
    }
    (reached == nodes).then_some(tree)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::Network;

    #[test]
    fn a_cycle_goes_through_any_grid_with_dilation_3() {
        let shapes: [&[u64]; 8] = [&[2], &[7], &[2, 2], &[3, 3], &[4, 5], &[2, 3, 4], &[2, 2, 2, 2], &[9, 2]];
        for lengths in shapes {
            for kind in [MachineKind::Mesh, MachineKind::Torus] {
                let measures = tour_cycle(&Machine::new(kind, lengths).unwrap()).unwrap().measures();
                assert_eq!((measures.load, measures.least_load), (1, 1), "{kind} {lengths:?}");
                assert!(measures.dilation <= 3 && measures.link_congestion <= 2, "{kind} {lengths:?}");
            }
        }
    }

    #[test]
    fn a_cycle_goes_through_any_network_with_dilation_3() {
        let kinds = [
            MachineKind::CubeConnectedCycles,
            MachineKind::Butterfly,
            MachineKind::DeBruijn,
            MachineKind::ShuffleExchange,
            MachineKind::BinaryTree,
            MachineKind::MeshOfTrees,
        ];
        for kind in kinds {
            for dimensions in 2..=5 {
                let network = Machine::of_dimensions(kind, dimensions).unwrap();
                let measures = tour_cycle(&network).unwrap().measures();
                assert_eq!((measures.load, measures.least_load), (1, 1), "{kind} {dimensions}");
                assert!(measures.dilation <= 3 && measures.link_congestion <= 2, "{kind} {dimensions}");
            }
        }
    }

    #[test]
    fn a_network_in_parts_is_refused() {
        let network = Network::from_edges(4, &[(0, 1), (2, 3)]).unwrap();
        let parts = Machine::network(MachineKind::Network, network).unwrap();
        assert_eq!(
            tour_cycle(&parts).unwrap_err().to_string(),
            "a network in parts, expected a connected machine"
        );
    }

    #[test]
    fn on_a_line_the_cycle_goes_and_comes_back() {
        let line = Machine::new(MachineKind::Line, &[7]).unwrap();
        let cycle = tour_cycle(&line).unwrap();
        let places: Vec<u32> = cycle.nodes().iter().map(|node| node.index()).collect();
        assert_eq!(places, [1, 3, 5, 6, 4, 2, 0]);
        assert_eq!((cycle.measures().dilation, cycle.measures().link_congestion), (2, 2));
    }
}
