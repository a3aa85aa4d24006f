//! Where Tao 1988 calls a dilation of 2 optimal: no placement has unit dilation, by trial of all.

use cubefold_mapping::{GraphGuest, Guest, ProcessId};
use cubefold_topology::{Machine, NodeId};

use super::{
    Case,
    claim::Claim,
    findings::Findings,
    pairs::{Words, mesh, torus},
    trial::Trial,
};

const RING: Claim = Claim::new(
    "Tao 3.3.2",
    "least dilation of all placements of a ring on a line or an odd mesh: g_L is optimal there",
);
const SAME_SHAPE: Claim = Claim::new(
    "Tao lemma 3.4.1",
    "least dilation of all placements of a torus on the mesh of its shape: T_L is optimal",
);

/// In the order of the dissertation.
pub(super) const CLAIMS: [Claim; 2] = [RING, SAME_SHAPE];

pub(super) fn cases() -> Vec<Case> {
    let pairs = [
        (RING, torus(&[9]), mesh(&[3, 3])),
        (RING, torus(&[15]), mesh(&[3, 5])),
        (RING, torus(&[12]), mesh(&[12])),
        (SAME_SHAPE, torus(&[2, 3]), mesh(&[2, 3])),
        (SAME_SHAPE, torus(&[2, 4]), mesh(&[2, 4])),
        (SAME_SHAPE, torus(&[3, 3]), mesh(&[3, 3])),
        (SAME_SHAPE, torus(&[3, 4]), mesh(&[3, 4])),
    ];
    let case = |(claim, guest, host): (Claim, Machine, Machine)| -> Case {
        Box::new(move |findings: &mut Findings| {
            let least = if Search::finds_unit_dilation(&guest, &host) { 1 } else { 2 };
            let case = format!("{} on {}", Words(&guest), Words(&host));
            findings.add(claim, Trial::at_least(2, least), &case);
        })
    };
    pairs.into_iter().map(case).collect()
}

/// A search for a one-to-one placement of unit dilation. Processes are placed in the order of their labels, each beside all of
/// its neighbours that are placed.
pub(super) struct Search {
    neighbours: Vec<Vec<usize>>, // of each process
    host: Machine,
    nodes: Vec<NodeId>, // of the processes placed so far
    taken: Vec<bool>,   // by node
}

impl Search {
    /// Whether there is one.
    pub(super) fn finds_unit_dilation(guest: &Machine, host: &Machine) -> bool {
        let grid = GraphGuest::new(guest.clone());
        let of = |process| grid.neighbours(process).map(|own| own.label() as usize).collect();
        let neighbours: Vec<Vec<usize>> = ProcessId::first(guest.node_count()).map(of).collect();
        let taken = host.nodes().map(|_| false).collect();
        Self { neighbours, host: host.clone(), nodes: vec![], taken }.place_next()
    }

    fn place_next(&mut self) -> bool {
        let process = self.nodes.len();
        if process == self.neighbours.len() {
            return true;
        }
        let nodes: Vec<NodeId> = self.host.nodes().collect();
        nodes.into_iter().any(|node| self.fits(process, node) && self.place(node))
    }

    fn place(&mut self, node: NodeId) -> bool {
        self.taken[node.index() as usize] = true;
        self.nodes.push(node);
        let found = self.place_next();
        self.nodes.pop();
        self.taken[node.index() as usize] = false;
        found
    }

    fn fits(&self, process: usize, node: NodeId) -> bool {
        let beside = |other: NodeId| self.host.neighbours(node).any(|neighbour| neighbour == other);
        let placed = self.neighbours[process].iter().filter_map(|&own| self.nodes.get(own));
        !self.taken[node.index() as usize] && placed.copied().all(beside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placement_of_unit_dilation_is_found_where_there_is_one() {
        assert!(Search::finds_unit_dilation(&torus(&[6]), &mesh(&[2, 3])));
        assert!(!Search::finds_unit_dilation(&torus(&[5]), &mesh(&[5])));
    }
}
