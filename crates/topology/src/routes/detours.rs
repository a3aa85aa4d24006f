//! Distances in a grid some of whose links are down: those of the grid, except where a link that is down lay on every
//! shortest route.
//!
//! Most pairs of nodes have other shortest routes, so a row keeps only the nodes that are farther. It is made when a
//! route to its destination is first found blocked.

use std::sync::{Arc, OnceLock};

use super::Distances;
use crate::{Machine, Network, NodeId};

/// The distances over the remaining links of a grid.
#[derive(Debug)]
pub(crate) struct Detours {
    grid: Arc<Machine>,
    left: Network,
    down: Vec<u64>,                           // the lengths of the lines of links that are down
    rows: Box<[OnceLock<Box<[(u32, u32)]>>]>, // by destination: the nodes that are farther, ascending, with their distances
}

impl Detours {
    /// The size of a row that is not yet made \[bytes\].
    const BYTES_A_ROW: u64 = size_of::<OnceLock<Box<[(u32, u32)]>>>() as u64;

    /// The distances of a grid with these remaining links; `down` has the length of the line of each link that is down.
    pub(crate) fn new(grid: Arc<Machine>, left: Network, down: Vec<u64>) -> Self {
        let rows = (0..left.node_count()).map(|_| OnceLock::new()).collect();
        Self { grid, left, down, rows }
    }

    fn row(&self, to: u32) -> &[(u32, u32)] {
        self.rows[to as usize].get_or_init(|| {
            let end = NodeId::new(to);
            let is_farther =
                |&(node, links): &(u32, u32)| self.grid.distance(NodeId::new(node), end) != u64::from(links);
            (0..).zip(self.left.links_to(end)).filter(is_farther).collect()
        })
    }
}

impl Distances for Detours {
    fn distance(&self, at: u32, to: u32) -> u32 {
        let row = self.row(to);
        match row.binary_search_by_key(&at, |&(node, _)| node) {
            Ok(place) => row[place].1,
            Err(_) => crate::narrow(self.grid.distance(NodeId::new(at), NodeId::new(to))),
        }
    }

    /// A link that is down makes nodes of its line farther from one another, and rarely others.
    fn bytes(&self) -> u64 {
        let nodes = self.left.node_count();
        let pair = size_of::<(u32, u32)>() as u64;
        let farther = self.down.iter().fold(0_u64, |sum, length| sum.saturating_add(length * length));
        let all = nodes.saturating_mul(nodes);
        farther.min(all).saturating_mul(pair).saturating_add(nodes.saturating_mul(Self::BYTES_A_ROW))
    }
}
