//! The levels of the nodes of a network with switches (`docs/model.md` section 19): hosts have level 0, a switch or NIC
//! the fewest links to a host.

use crate::{Network, NodeId};

/// The levels of the nodes of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    of_node: Box<[u32]>, // `UNREACHED` without a path from a host
    widths: Box<[u64]>,  // by level
    are_adjacent: bool,
}

impl Levels {
    const UNREACHED: u32 = u32::MAX;

    /// Finds the levels of a network by one search from all hosts.
    pub(crate) fn new(network: &Network) -> Self {
        let nodes = usize::try_from(network.node_count()).unwrap_or(usize::MAX);
        let hosts = usize::try_from(network.host_count()).unwrap_or(usize::MAX);
        let mut of_node = vec![Self::UNREACHED; nodes];
        of_node[..hosts].fill(0);
        let mut reached: Vec<NodeId> = (0..).map(NodeId::new).take(hosts).collect();
        let mut next = 0;
        while let Some(&node) = reached.get(next) {
            next += 1;
            let above = of_node[node.index() as usize] + 1;
            for &neighbour in network.neighbours(node) {
                let level = &mut of_node[neighbour.index() as usize];
                if *level == Self::UNREACHED {
                    *level = above;
                    reached.push(neighbour);
                }
            }
        }
        let count = reached.last().map_or(0, |last| of_node[last.index() as usize]) as usize + 1;
        let (mut widths, mut are_adjacent) = (vec![0; count], true);
        for &node in &reached {
            let level = of_node[node.index() as usize];
            let (mut width, mut previous) = (0, None);
            for &neighbour in network.neighbours(node) {
                let other = of_node[neighbour.index() as usize];
                are_adjacent &= level.abs_diff(other) == 1;
                if other > level && previous != Some(neighbour) {
                    width += 1;
                }
                previous = Some(neighbour);
            }
            let widest = &mut widths[level as usize];
            *widest = width.max(*widest);
        }
        // A device has links to switches inside its node and outside.
        if network.cluster().is_some() {
            widths[0] = 1;
        }
        Self { of_node: of_node.into(), widths: widths.into(), are_adjacent }
    }

    /// The level of a node; `None` if no path leads to it from a host.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    #[inline]
    #[must_use]
    pub fn of(&self, node: NodeId) -> Option<u32> {
        Some(self.of_node[node.index() as usize]).filter(|&level| level != Self::UNREACHED)
    }

    /// The greatest number of neighbours on the next level of any node of a level, `w_i`; 1 for hosts of clusters; 0 for
    /// levels without one above.
    #[inline]
    #[must_use]
    pub fn width(&self, level: u32) -> u64 {
        self.widths.get(level as usize).copied().unwrap_or(0)
    }

    /// The number of levels, including that of the hosts.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.widths.len()).unwrap_or(u32::MAX)
    }

    /// Whether every link joins nodes of adjacent levels.
    #[must_use]
    pub fn are_adjacent(&self) -> bool {
        self.are_adjacent
    }
}
