//! Congestion by given paths of the edges of a guest, counted node by node.

use std::collections::BTreeMap;

use cubefold_topology::{Machine, NodeId};

use super::measures::Extremes;
use crate::classic::EdgePaths;

/// The load of nodes, the congestion of links and that of nodes (`docs/model.md` section 7), in this order.
///
/// A path that visits a node or a link again counts again.
pub(super) fn congestion(machine: &Machine, paths: &EdgePaths) -> (Extremes, Extremes, Extremes) {
    let nodes = usize::try_from(machine.node_count()).unwrap_or(usize::MAX);
    let (mut passing, mut touching) = (vec![0_u64; nodes], vec![0_u64; nodes]);
    let mut links: BTreeMap<(NodeId, NodeId), u64> = BTreeMap::new();
    for path in paths.all() {
        for (place, node) in path.iter().enumerate() {
            let is_inner = place > 0 && place + 1 < path.len();
            passing[node.index() as usize] += u64::from(is_inner);
            touching[node.index() as usize] += 1;
        }
        for pair in path.windows(2) {
            *links.entry((pair[0].min(pair[1]), pair[0].max(pair[1]))).or_default() += 1;
        }
    }
    let used = links.len() as u64;
    let unused = (0..machine.link_count() - used).map(|_| 0);
    (Extremes::of(passing), Extremes::of(links.into_values().chain(unused)), Extremes::of(touching))
}

#[cfg(test)]
mod tests {
    use cubefold_topology::{MachineKind, TieRule};

    use super::*;
    use crate::{ClassicPlacement, GraphGuest, Placement, PlacementMetrics, classic::FlipBit};

    /// The guest, its placement, and the congestion of the busiest link by the machine's routes and by the paths.
    fn busiest(guest: &Machine, host: &Machine) -> (u64, u64) {
        let placement = ClassicPlacement::choose(guest, host, &|_| FlipBit::LeftStays).unwrap();
        let paths = placement.paths().unwrap().clone();
        let placement = Placement::Classic(Box::new(placement));
        let guest = GraphGuest::new(guest.clone());
        let metrics = PlacementMetrics::measure_by_edge(&guest, &placement, TieRule::Direct);
        let along = metrics.clone().along_paths(host, &paths);
        assert_eq!(along.link_congestion.count, host.link_count());
        assert_eq!(along.link_congestion.sum, paths.all().map(|path| path.len() as u64 - 1).sum::<u64>());
        if !paths.are_own() {
            assert_eq!(along, metrics);
        }
        (metrics.link_congestion.max, along.link_congestion.max)
    }

    #[test]
    fn the_paths_of_constructions_have_the_congestion_of_their_promise() {
        let cube = |dimensions| Machine::new(MachineKind::Hypercube, &vec![2; dimensions]).unwrap();
        let network = |kind, dimensions| Machine::of_dimensions(kind, dimensions).unwrap();
        for depth in 2..8 {
            let tree = network(MachineKind::BinaryTree, depth);
            assert_eq!(busiest(&tree, &cube(usize::try_from(depth).unwrap() + 1)), (2, 1));
        }
        for levels in 2..4 {
            let trees = network(MachineKind::MeshOfTrees, levels);
            assert_eq!(busiest(&trees, &cube(2 * usize::try_from(levels).unwrap() + 2)).1, 1);
        }
        let mesh = |lengths: &[u64]| Machine::new(MachineKind::Mesh, lengths).unwrap();
        assert_eq!(busiest(&mesh(&[2, 9]), &mesh(&[3, 6])).1, 2);
        let ring = |nodes: u64| Machine::new(MachineKind::Ring, &[nodes]).unwrap();
        assert_eq!(busiest(&ring(16), &network(MachineKind::DeBruijn, 4)).1, 2);
        assert_eq!(
            busiest(
                &network(MachineKind::WrappedButterfly, 4),
                &network(MachineKind::CubeConnectedCycles, 4)
            )
            .1,
            2
        );
        // Without paths of its own: the routes of the machine.
        assert_eq!(busiest(&mesh(&[4, 4]), &Machine::new(MachineKind::Torus, &[4, 4]).unwrap()), (1, 1));
        assert_eq!(busiest(&ring(5), &mesh(&[5])), (2, 2));
    }
}
