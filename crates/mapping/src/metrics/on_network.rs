//! Congestion on a network, whose routes lie in no dimensions: link by link.

use std::collections::BTreeMap;

use cubefold_topology::{Machine, NodeId, TieRule};

use super::{Congestion, Extremes};
use crate::{Guest, ProcessId};

/// Congestion of the edges of `guest`, whose processes have these nodes.
pub(super) fn congestion<G: Guest>(guest: &G, machine: &Machine, images: &[NodeId]) -> Congestion {
    let nodes = usize::try_from(machine.node_count()).unwrap_or(usize::MAX);
    let (mut passing, mut touching, mut load) = (vec![0_u64; nodes], vec![0_u64; nodes], vec![0_u64; nodes]);
    let mut links = BTreeMap::new();
    let image = |process: ProcessId| images[process.label() as usize];
    for node in images {
        load[node.index() as usize] += 1;
    }
    for (low, high) in (0..guest.dimension_count()).flat_map(|dimension| guest.edges(dimension)) {
        let (from, to) = (image(low), image(high));
        touching[to.index() as usize] += 1;
        // No tie on a network: its tables choose.
        for channel in machine.route(from, to, TieRule::Direct) {
            *links.entry(machine.link(channel)).or_insert(0_u64) += 1;
            touching[channel.node.index() as usize] += 1;
            if channel.node != from {
                passing[channel.node.index() as usize] += 1;
            }
        }
    }
    let unused = usize::try_from(machine.link_count()).unwrap_or(usize::MAX) - links.len();
    Congestion {
        node_load: Extremes::of(passing),
        link_congestion: Extremes::of(links.into_values().chain(std::iter::repeat_n(0, unused))),
        node_congestion: Extremes::of(touching),
        load: Extremes::of(load),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dilation, GraphGuest, Placement, PlacementTable};
    use cubefold_topology::{MachineKind, Network};

    /// A grid as a list of links.
    fn as_network(grid: &Machine) -> Machine {
        let links = grid
            .nodes()
            .flat_map(|node| grid.neighbours(node).map(move |neighbour| (node.index(), neighbour.index())));
        let count = u32::try_from(grid.node_count()).unwrap();
        let network = Network::from_edges(count, &links.collect::<Vec<_>>()).unwrap();
        Machine::network(MachineKind::Network, network).unwrap()
    }

    #[test]
    fn a_line_and_a_tree_measure_the_same_as_networks_and_as_grids() {
        // Routes on a line are unique, so that tables and dimension order agree.
        let line = Machine::new(MachineKind::Line, &[9]).unwrap();
        let guest = GraphGuest::new(Machine::new(MachineKind::Torus, &[3, 3]).unwrap());
        for nodes in [[0, 1, 2, 3, 4, 5, 6, 7, 8], [4, 2, 7, 7, 0, 8, 1, 1, 3]] {
            let nodes: Vec<_> = nodes.map(NodeId::new).into();
            let [grid, network] = [line.clone(), as_network(&line)].map(|machine| {
                let placement = Placement::Table(PlacementTable::new(&machine, nodes.clone()).unwrap());
                let congestion = Congestion::by_edge(&guest, &placement, TieRule::Direct);
                (congestion, Dilation::by_edge(&guest, &placement))
            });
            assert_eq!(grid, network);
        }
    }
}
