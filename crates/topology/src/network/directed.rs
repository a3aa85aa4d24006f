//! Networks whose links lead in one direction (`docs/model.md` section 30.1).
//!
//! Every channel is a link by itself. Distances are found backwards from a destination, so that a network keeps the
//! channels that lead to each node as well.

use std::collections::VecDeque;

use super::Network;
use crate::NodeId;

/// The channels that lead to each node.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Incoming {
    firsts: Vec<u32>, // the start of each node's channels; one more entry for the end of the last
    before: Vec<(NodeId, u32)>, // their start nodes, ascending, and their places among all channels
}

impl Incoming {
    fn new(network: &Network) -> Self {
        let nodes = network.firsts.len() - 1;
        let begins = (0..)
            .zip(network.firsts.windows(2))
            .flat_map(|(node, pair)| (pair[0]..pair[1]).map(move |channel| (NodeId::new(node), channel)));
        let mut ends: Vec<(u32, NodeId, u32)> = begins
            .map(|(from, channel)| (network.neighbours[channel as usize].index(), from, channel))
            .collect();
        ends.sort_unstable();
        let mut firsts = vec![0_u32; nodes + 1];
        for (to, ..) in &ends {
            firsts[*to as usize + 1] += 1;
        }
        for node in 0..nodes {
            firsts[node + 1] += firsts[node];
        }
        Self { firsts, before: ends.into_iter().map(|(_, from, channel)| (from, channel)).collect() }
    }

    /// The nodes before a node, ascending, with the channels that lead from them.
    pub(super) fn to(&self, node: u32) -> &[(NodeId, u32)] {
        let [start, end] = [0, 1].map(|next| self.firsts[node as usize + next] as usize);
        &self.before[start..end]
    }
}

impl Network {
    /// Returns the network of `node_count` nodes with these channels, each from its first node to its second. A channel that
    /// is listed again, or leads to where it begins, is left out.
    ///
    /// # Errors
    ///
    /// As [`from_edges`](Self::from_edges).
    pub fn from_channels(node_count: u32, channels: &[(u32, u32)]) -> Result<Self, super::NetworkError> {
        let greatest = node_count.saturating_sub(1);
        let mut ends = channels.iter().flat_map(|&(from, to)| [from, to]);
        if let Some(node) = ends.find(|&end| end >= node_count) {
            return Err(super::NetworkError::NoSuchNode { node, greatest });
        }
        let mut arcs: Vec<(u32, u32)> = channels.iter().copied().filter(|(from, to)| from != to).collect();
        arcs.sort_unstable();
        arcs.dedup();
        let network = Self { leaves: 0, ..Self::of_arcs(node_count, arcs)? };
        let incoming = Incoming::new(&network);
        Ok(Self { incoming: Some(incoming.into()), ..network })
    }

    /// Whether links lead in one direction.
    #[must_use]
    pub fn is_directed(&self) -> bool {
        self.incoming.is_some()
    }

    /// The nodes from which links lead to a node, ascending, with the places of their channels among all; of links in both
    /// directions its neighbours, with its own channels, which are equivalent.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    pub fn before(&self, node: NodeId) -> impl Iterator<Item = (usize, NodeId)> + '_ {
        let listed = self.incoming.as_deref().map(|incoming| incoming.to(node.index()));
        let first = self.first_channel(node.index()) as usize;
        let undirected = if listed.is_some() { &[][..] } else { self.neighbours(node) };
        let directed = listed.unwrap_or_default().iter().map(|&(from, channel)| (channel as usize, from));
        directed.chain((first..).zip(undirected.iter().copied()))
    }

    /// The links from a node to each, over a shortest path through none of the first `ends` nodes; `None` without one.
    pub(super) fn links_from(&self, from: NodeId, ends: u32) -> Vec<Option<u32>> {
        let mut distances = vec![None; self.firsts.len() - 1];
        distances[from.index() as usize] = Some(0);
        let mut left = VecDeque::from([(from, 0)]);
        while let Some((node, links)) = left.pop_front() {
            if node.index() < ends && node != from {
                continue; // no route leads through it
            }
            for &next in self.neighbours(node) {
                let distance = &mut distances[next.index() as usize];
                if distance.is_none() {
                    *distance = Some(links + 1);
                    left.push_back((next, links + 1));
                }
            }
        }
        distances
    }

    /// The first of these hosts that does not reach another, and the lowest that it does not reach; `None` if all reach one
    /// another.
    pub(super) fn first_apart(&self, hosts: &[NodeId]) -> Option<(NodeId, NodeId)> {
        let ends = self.ends_only();
        hosts.iter().find_map(|&from| {
            let links = self.links_from(from, ends);
            let far = hosts.iter().find(|host| links[host.index() as usize].is_none());
            far.map(|&to| (from, to))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Machine, MachineKind, Network, NodeId, RouteChoice, TieRule};

    #[test]
    fn distances_and_routes_follow_the_channels() {
        // 0 > 1 > 2 > 3 > 0, and 2 > 0.
        let channels = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 0), (2, 0)];
        let network = Network::from_channels(4, &channels).unwrap();
        assert_eq!((network.link_count(), network.is_directed()), (5, true));
        let hosts: Vec<NodeId> = (0..4).map(NodeId::new).collect();
        assert_eq!(network.hosts_apart(&hosts), None);
        let machine = Machine::network(MachineKind::Network, network).unwrap();
        for choice in [RouteChoice::Lowest, RouteChoice::Spread(5)] {
            let machine = machine.clone().with_route_choice(choice);
            let distance = |from: u32, to: u32| machine.distance(NodeId::new(from), NodeId::new(to));
            assert_eq!([distance(0, 3), distance(3, 0), distance(2, 0), distance(1, 0)], [3, 1, 1, 2]);
            let route = machine.route(NodeId::new(1), NodeId::new(0), TieRule::Direct);
            let nodes: Vec<u32> = route.map(|channel| channel.node.index()).collect();
            assert_eq!(nodes, [1, 2]);
        }
    }

    #[test]
    fn hosts_apart_are_the_lowest_pair() {
        let network = Network::from_channels(4, &[(0, 1), (1, 0), (2, 0), (2, 3), (3, 2)]).unwrap();
        let hosts: Vec<NodeId> = (0..4).map(NodeId::new).collect();
        assert_eq!(network.hosts_apart(&hosts), Some((NodeId::new(0), NodeId::new(2))));
    }
}
