//! Shortest routes by tables, made when they are first asked for.

use std::sync::OnceLock;

use super::Network;
use crate::NodeId;

/// Where a node is the destination itself, or has no way to it.
const NOWHERE: u8 = u8::MAX;

/// For every destination that has been asked for, the port at which each node sends on.
///
/// A row is found by breadth-first search from its destination: one byte a node, so that a network of 2^16 nodes,
/// all of them destinations, takes 4 GiB.
#[derive(Debug)]
pub(super) struct Routes {
    rows: Vec<OnceLock<Box<[u8]>>>,
}

impl Routes {
    pub(super) fn new(node_count: u32) -> Self {
        Self { rows: (0..node_count).map(|_| OnceLock::new()).collect() }
    }

    /// The port at which `at` sends on what goes to `to`: of those that lead nearer, the lowest.
    pub(super) fn port(&self, network: &Network, at: NodeId, to: NodeId) -> Option<u8> {
        let row = self.rows[to.index() as usize].get_or_init(|| row(network, to));
        Some(row[at.index() as usize]).filter(|&port| port != NOWHERE)
    }
}

fn row(network: &Network, to: NodeId) -> Box<[u8]> {
    let distances = network.distances_to(to);
    let distance = |node: &NodeId| distances[node.index() as usize];
    let port = |node: NodeId| {
        let nearer = distance(&node)?.checked_sub(1)?;
        let port = network.neighbours(node).iter().position(|next| distance(next) == Some(nearer))?;
        u8::try_from(port).ok()
    };
    (0..).map(NodeId::new).take(distances.len()).map(|node| port(node).unwrap_or(NOWHERE)).collect()
}
