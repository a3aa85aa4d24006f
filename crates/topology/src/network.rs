//! Networks: nodes and links that lie in no dimensions, and shortest routes by tables.

use std::{collections::VecDeque, sync::OnceLock};

use crate::{Channel, Direction, HostDimension, Link, NodeId, Sign};

/// The most neighbours that a node of a network may have.
pub const MAX_NEIGHBOURS: usize = HostDimension::MAX_PORTS;

/// The most nodes of a network between which messages are routed: routes are looked up in tables of a byte for
/// every pair of nodes.
pub const MAX_ROUTED_NODES: u64 = 1 << 16;

/// An undirected graph without loops and without two links between the same nodes.
///
/// The links of a node are numbered by **ports**: its neighbours in ascending order, counted from 0. The
/// [`Direction`] of a channel has the port where a machine with dimensions has the dimension, and its sign is `+`
/// towards the node with the higher index.
#[derive(Debug)]
pub struct Network {
    firsts: Vec<u32>, // for each node, where its neighbours begin; one more for the end of the last
    neighbours: Vec<NodeId>, // those of each node, ascending
    routes: Routes,
}

/// A list of links that makes no network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// A link to a node that there is not.
    #[error("a link to node {node}, expected a node in 0 to {greatest}")]
    NoSuchNode {
        /// The node found.
        node: u32,
        /// The greatest node.
        greatest: u32,
    },
    /// A node with more links than ports are numbered.
    #[error("node {node} has {found} neighbours, expected at most {MAX_NEIGHBOURS}")]
    TooManyNeighbours {
        /// The node.
        node: NodeId,
        /// How many it has.
        found: usize,
    },
}

impl Network {
    /// Returns the network of `node_count` nodes with these links, each given by its ends in either order. A link that is
    /// listed again, or connects a node with itself, is left out.
    ///
    /// # Errors
    ///
    /// When a link leads to no node, or a node has more than [`MAX_NEIGHBOURS`].
    pub fn from_edges(node_count: u32, links: &[(u32, u32)]) -> Result<Self, NetworkError> {
        let ends = links.iter().flat_map(|&(one, other)| [one, other]);
        if let Some(node) = ends.clone().find(|&end| end >= node_count) {
            return Err(NetworkError::NoSuchNode { node, greatest: node_count.saturating_sub(1) });
        }
        let arcs = links.iter().flat_map(|&(one, other)| [(one, other), (other, one)]);
        let mut arcs: Vec<(u32, u32)> = arcs.filter(|(from, to)| from != to).collect();
        arcs.sort_unstable();
        arcs.dedup();
        let mut firsts = vec![0; node_count as usize + 1];
        for (from, _) in &arcs {
            firsts[*from as usize + 1] += 1;
        }
        for (node, found) in (0..).map(NodeId::new).zip(&firsts[1..]) {
            let found = *found as usize;
            if found > MAX_NEIGHBOURS {
                return Err(NetworkError::TooManyNeighbours { node, found });
            }
        }
        for node in 0..node_count as usize {
            firsts[node + 1] += firsts[node];
        }
        let neighbours = arcs.into_iter().map(|(_, to)| NodeId::new(to)).collect();
        Ok(Self { firsts, neighbours, routes: Routes::new(node_count) })
    }

    /// The number of nodes.
    #[must_use]
    pub fn node_count(&self) -> u64 {
        self.firsts.len() as u64 - 1
    }

    /// The number of links.
    #[must_use]
    pub fn link_count(&self) -> u64 {
        self.neighbours.len() as u64 / 2
    }

    /// Bytes of memory that the tables of routes to all nodes take.
    #[must_use]
    pub fn bytes_of_routes(&self) -> u64 {
        self.node_count().saturating_mul(self.node_count())
    }

    /// The neighbours of a node, ascending.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    #[must_use]
    pub fn neighbours(&self, node: NodeId) -> &[NodeId] {
        let node = node.index() as usize;
        &self.neighbours[self.firsts[node] as usize..self.firsts[node + 1] as usize]
    }

    /// The most neighbours of any node.
    #[must_use]
    pub fn max_degree(&self) -> usize {
        self.firsts.windows(2).map(|pair| (pair[1] - pair[0]) as usize).max().unwrap_or(0)
    }

    /// Whether every node is reached from every other.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.distances_to(NodeId::new(0)).iter().all(Option::is_some)
    }

    /// A bound on the distance between two connected nodes \[links\]: twice the distance of the node farthest from node 0.
    pub(crate) fn distance_bound(&self) -> u64 {
        let farthest = self.distances_to(NodeId::new(0)).into_iter().flatten().max();
        2 * u64::from(farthest.unwrap_or(0))
    }

    /// The distance of every node to `to` \[links\]; none for nodes without a route to it.
    #[must_use]
    pub fn distances_to(&self, to: NodeId) -> Vec<Option<u32>> {
        let mut distances = vec![None; self.firsts.len() - 1];
        let Some(own) = distances.get_mut(to.index() as usize) else { return distances };
        *own = Some(0);
        let mut reached = VecDeque::from([(to, 0)]);
        while let Some((node, distance)) = reached.pop_front() {
            for &neighbour in self.neighbours(node) {
                let own = &mut distances[neighbour.index() as usize];
                if own.is_none() {
                    *own = Some(distance + 1);
                    reached.push_back((neighbour, distance + 1));
                }
            }
        }
        distances
    }

    /// The direction of the first link of the route from `at` to `to`: of the links that lead nearer, the one to the
    /// neighbour with the lowest index. None when `at` is `to`, or there is no route.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    pub(crate) fn next(&self, at: NodeId, to: NodeId) -> Option<Direction> {
        self.routes.port(self, at, to).map(|port| self.direction(at, port))
    }

    /// The directions of all ports that any node has.
    pub(crate) fn directions(&self) -> impl Iterator<Item = Direction> {
        let ports = (0..=u8::MAX).take(self.max_degree()).map(HostDimension::of_port);
        ports.flat_map(|dimension| Sign::BOTH.map(|sign| Direction { dimension, sign }))
    }

    /// The direction of the channel at a port.
    fn direction(&self, node: NodeId, port: u8) -> Direction {
        let sign = if self.neighbours(node)[port as usize] > node { Sign::Positive } else { Sign::Negative };
        Direction { dimension: HostDimension::of_port(port), sign }
    }

    /// The node that a channel leads to; none where the node has no such port.
    pub(crate) fn neighbour(&self, node: NodeId, direction: Direction) -> Option<NodeId> {
        let neighbour = *self.neighbours(node).get(direction.dimension.index())?;
        let sign = if neighbour > node { Sign::Positive } else { Sign::Negative };
        (sign == direction.sign).then_some(neighbour)
    }

    /// The link of a channel: its port is that of the end with the lower index. None where there is no such channel.
    pub(crate) fn link(&self, channel: Channel) -> Option<Link> {
        let far = self.neighbour(channel.node, channel.direction)?;
        let (near, far) = (channel.node.min(far), channel.node.max(far));
        let port = self.neighbours(near).binary_search(&far).ok()?;
        Some(Link { near, dimension: HostDimension::of_port(u8::try_from(port).ok()?) })
    }

    /// Every link once, as its end with the lower index and the other.
    pub fn links(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        let nodes = (0..self.firsts.len() - 1).filter_map(|node| u32::try_from(node).ok()).map(NodeId::new);
        nodes.flat_map(|node| {
            self.neighbours(node).iter().filter(move |&&other| other > node).map(move |&other| (node, other))
        })
    }
}

/// Networks are equal when their links are, whatever routes were looked up.
impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        self.firsts == other.firsts && self.neighbours == other.neighbours
    }
}

impl Eq for Network {}

/// The port of a node that is the destination itself, or from which there is no route.
const NO_PORT: u8 = u8::MAX;

/// For every destination that was asked for, the port of the next link from each node.
///
/// A row is found by breadth-first search from its destination: one byte a node, so that a network of 2^16 nodes,
/// all of them destinations, takes 4 GiB.
#[derive(Debug)]
struct Routes {
    rows: Vec<OnceLock<Box<[u8]>>>,
}

impl Routes {
    fn new(node_count: u32) -> Self {
        Self { rows: (0..node_count).map(|_| OnceLock::new()).collect() }
    }

    /// The port of the next link of the route from `at` to `to`: of the ports that lead nearer, the lowest.
    fn port(&self, network: &Network, at: NodeId, to: NodeId) -> Option<u8> {
        let row = self.rows[to.index() as usize].get_or_init(|| row(network, to));
        Some(row[at.index() as usize]).filter(|&port| port != NO_PORT)
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
    (0..).map(NodeId::new).take(distances.len()).map(|node| port(node).unwrap_or(NO_PORT)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(network: &Network, node: u32) -> Vec<u32> {
        network.neighbours(NodeId::new(node)).iter().map(|node| node.index()).collect()
    }

    #[test]
    fn links_are_known_from_both_ends_once() {
        let network = Network::from_edges(4, &[(2, 0), (0, 2), (1, 1), (3, 0)]).unwrap();
        assert_eq!(nodes(&network, 0), [2, 3]);
        assert_eq!(nodes(&network, 1), [0; 0]);
        assert_eq!(network.link_count(), 2);
        assert!(!network.is_connected());
        assert_eq!(network.links().count(), 2);
    }

    #[test]
    fn both_channels_of_a_link_name_it_alike() {
        let network = Network::from_edges(4, &[(0, 1), (0, 3), (1, 3), (2, 3)]).unwrap();
        for (near, far) in network.links() {
            let channels = [(near, far), (far, near)].map(|(from, to)| {
                let port = network.neighbours(from).iter().position(|&node| node == to).unwrap();
                Channel { node: from, direction: network.direction(from, u8::try_from(port).unwrap()) }
            });
            let [one, other] = channels.map(|channel| network.link(channel).unwrap());
            assert_eq!((one, one.near), (other, near));
            assert_eq!(
                channels.map(|channel| network.neighbour(channel.node, channel.direction)),
                [Some(far), Some(near)]
            );
        }
    }

    #[test]
    fn what_is_no_network_is_refused() {
        let outside = Network::from_edges(2, &[(0, 2)]).unwrap_err();
        assert_eq!(outside.to_string(), "a link to node 2, expected a node in 0 to 1");
        let star: Vec<_> = (1..=256).map(|leaf| (0, leaf)).collect();
        let wide = Network::from_edges(257, &star).unwrap_err();
        assert_eq!(wide.to_string(), "node 0 has 256 neighbours, expected at most 255");
        assert!(Network::from_edges(256, &star[..255]).is_ok());
    }
}
