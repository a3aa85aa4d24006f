//! Lower bounds on load, dilation and congestion that follow from the numbers of nodes and links and the
//! diameters of guest and host (CS838 1999, "Lower bounds"; `docs/model.md` section 28.6).

use cubefold_topology::{Machine, NodeId};
use rayon::prelude::*;

use crate::PlacementMetrics;

/// The greatest product of the numbers of nodes and links of a network whose diameter is found, by a search from every
/// node.
pub const MAX_DIAMETER_STEPS: u64 = 1 << 28;

/// Lower bounds of a placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphBounds {
    /// `max(1, ceil(V(G) / V(H)))` \[processes\]: of any placement of the guest.
    pub load: u64,
    /// `ceil(diam H / diam G)` \[links\]: of any one-to-one placement on as many nodes. `None` for other placements, and
    /// if a diameter is not known.
    pub dilation: Option<u64>,
    /// `ceil(k E(G) / E(H))` \[edges\]: of any routes as long as those of the placement, whose mean length is `k`.
    pub congestion: u64,
}

impl GraphBounds {
    /// The bounds for a guest, taken as a machine, on a host; `metrics` belong to a placement.
    #[must_use]
    pub fn new(guest: &Machine, host: &Machine, metrics: &PlacementMetrics) -> Self {
        let (processes, nodes) = (metrics.load.sum, host.host_count());
        let is_one_to_one = processes == nodes && metrics.load.max == 1;
        let diameters = || Some((diameter(host)?, diameter(guest).filter(|&links| links > 0)?));
        Self {
            load: processes.div_ceil(nodes.max(1)).max(1),
            dilation: is_one_to_one.then(diameters).flatten().map(|(host, guest)| host.div_ceil(guest)),
            congestion: metrics.dilation.total().div_ceil(host.link_count().max(1)),
        }
    }
}

/// The greatest distance between two nodes that can hold processes \[links\]; `None` for networks beyond
/// [`MAX_DIAMETER_STEPS`], and for those that are not connected.
#[must_use]
pub fn diameter(machine: &Machine) -> Option<u64> {
    let Some(network) = machine.graph() else { return Some(machine.distance_bound()) };
    if machine.node_count().saturating_mul(machine.link_count()) > MAX_DIAMETER_STEPS {
        return None;
    }
    let hosts: Vec<NodeId> = machine.hosts().collect();
    let farthest = |&to: &NodeId| {
        let distances = network.distances_to(to);
        let links = hosts.iter().map(|host| distances[host.index() as usize]);
        links.collect::<Option<Vec<u32>>>()?.into_iter().max()
    };
    let farthest: Option<Vec<u32>> = hosts.par_iter().map(farthest).collect();
    farthest?.into_iter().max().map(u64::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GraphGuest, Placement, PlacementTable};
    use cubefold_topology::{MachineKind, TieRule, TreeParameters};

    #[test]
    fn diameters_are_those_of_the_literature() {
        let family = |kind, dimensions| diameter(&Machine::of_dimensions(kind, dimensions).unwrap());
        assert_eq!(family(MachineKind::CubeConnectedCycles, 5), Some(10));
        assert_eq!(family(MachineKind::BinaryTree, 4), Some(8));
        assert_eq!(family(MachineKind::DeBruijn, 13), Some(13));
        assert_eq!(family(MachineKind::DeBruijn, 14), None);
        assert_eq!(diameter(&Machine::of_tree(TreeParameters::Two { levels: 2 }).unwrap()), None);
        assert_eq!(diameter(&Machine::new(MachineKind::Torus, &[5, 4]).unwrap()), Some(4));
    }

    #[test]
    fn no_placement_is_below_its_bounds() {
        // All placements of a line of 5 on a star, on a ring and on a line of as many nodes.
        let line = Machine::new(MachineKind::Line, &[5]).unwrap();
        let star = Machine::of_tree(TreeParameters::KAry { arity: 4, levels: 1 }).unwrap();
        for host in [star, Machine::new(MachineKind::Ring, &[5]).unwrap(), line.clone()] {
            for code in 0..5_u32.pow(5) {
                let nodes: Vec<NodeId> = (0..5).map(|at| NodeId::new(code / 5_u32.pow(at) % 5)).collect();
                let placement = Placement::Table(PlacementTable::new(&host, nodes).unwrap());
                let metrics = PlacementMetrics::measure_by_edge(
                    &GraphGuest::new(line.clone()),
                    &placement,
                    TieRule::Direct,
                );
                let bounds = GraphBounds::new(&line, &host, &metrics);
                assert!(metrics.load.max >= bounds.load && metrics.link_congestion.max >= bounds.congestion);
                assert!(bounds.dilation.is_none_or(|least| metrics.dilation.max() >= least));
                assert_eq!(bounds.dilation.is_some(), metrics.load.max == 1);
            }
        }
    }
}
