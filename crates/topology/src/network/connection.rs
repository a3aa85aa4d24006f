//! Whether the hosts of a network reach one another (`docs/model.md` section 19).
//!
//! Some first nodes, such as hosts that do not forward, are only ends of routes. The others fall into **inner parts**,
//! each connected by itself; a route leads from host to host over a link, or through one inner part.

use std::collections::BTreeSet;

use super::Network;
use crate::NodeId;

impl Network {
    /// Whether every node is reached from every other.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.distances_to(NodeId::new(0)).iter().all(Option::is_some)
    }

    /// Two of these hosts without a route between them, if there are any.
    #[must_use]
    pub fn hosts_apart(&self, hosts: &[NodeId]) -> Option<(NodeId, NodeId)> {
        if self.is_directed() {
            return self.first_apart(hosts);
        }
        let ends = self.ends_only();
        let (parts, count) = self.parts_of(ends);
        let mut reached = vec![0_usize; count]; // hosts, by inner part
        for &host in hosts {
            for part in self.parts_at(host, ends, &parts) {
                reached[part as usize] += 1;
            }
        }
        if reached.contains(&hosts.len()) {
            return None;
        }
        // Hosts at the same parts reach the same hosts, links to other ends aside.
        let mut examined = BTreeSet::new();
        hosts.iter().find_map(|&from| {
            let has_links_to_ends = self.neighbours(from).iter().any(|next| next.index() < ends);
            if !has_links_to_ends && !examined.insert(self.parts_at(from, ends, &parts)) {
                return None;
            }
            let links = self.links_to(from);
            let far = hosts.iter().find(|host| links[host.index() as usize] == Self::UNREACHED);
            far.map(|&to| (from, to))
        })
    }

    /// The connected parts of the network that contain these hosts: the first host of each, in the order of the hosts, and
    /// its number of hosts.
    #[must_use]
    pub fn parts_of_hosts(&self, hosts: &[NodeId]) -> Vec<(NodeId, u64)> {
        let (parts, count) = self.parts_of(0);
        let mut found: Vec<Option<(NodeId, u64)>> = vec![None; count];
        let mut order = vec![];
        for &host in hosts {
            let part = parts[host.index() as usize];
            match &mut found[part as usize] {
                Some((_, hosts)) => *hosts += 1,
                none => {
                    *none = Some((host, 1));
                    order.push(part);
                }
            }
        }
        order.into_iter().filter_map(|part| found[part as usize]).collect()
    }

    /// The number of each node's connected part when the first `ends` nodes, which are in none, are removed; and the number
    /// of parts.
    fn parts_of(&self, ends: u32) -> (Vec<u32>, usize) {
        let nodes = self.firsts.len() - 1;
        let (mut parts, mut count, mut left) = (vec![Self::UNREACHED; nodes], 0, vec![]);
        for start in (ends..).take(nodes.saturating_sub(ends as usize)) {
            if parts[start as usize] != Self::UNREACHED {
                continue;
            }
            parts[start as usize] = count;
            left.push(start);
            while let Some(node) = left.pop() {
                for next in self.neighbours(NodeId::new(node)).iter().map(|next| next.index()) {
                    if next >= ends && parts[next as usize] == Self::UNREACHED {
                        parts[next as usize] = count;
                        left.push(next);
                    }
                }
            }
            count += 1;
        }
        (parts, count as usize)
    }

    /// The inner parts that a node is in or next to, each once.
    fn parts_at(&self, node: NodeId, ends: u32, parts: &[u32]) -> Vec<u32> {
        if node.index() >= ends {
            return vec![parts[node.index() as usize]];
        }
        let (_, inner) = self.inner_neighbours(node);
        let mut found: Vec<u32> = inner.iter().map(|next| parts[next.index() as usize]).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two hosts apart by a search from every host.
    fn slowly(network: &Network, hosts: &[NodeId]) -> bool {
        let unreached = |from: &NodeId| {
            let links = network.links_to(*from);
            hosts.iter().any(|host| links[host.index() as usize] == Network::UNREACHED)
        };
        hosts.iter().any(unreached)
    }

    #[test]
    fn hosts_are_apart_where_a_search_from_one_does_not_reach_another() {
        let mut draw = 1_u64;
        let mut below = |end: u32| {
            draw = crate::mix(draw);
            u32::try_from(draw % u64::from(end)).unwrap()
        };
        let mut found = [0, 0];
        for case in 0..2000 {
            let nodes = 2 + below(9);
            let links: Vec<(u32, u32)> = (0..below(16)).map(|_| (below(nodes), below(nodes))).collect();
            let hosts = 1 + below(nodes);
            let network = Network::from_edges(nodes, &links).unwrap().with_hosts(hosts);
            let network = network.with_hosts_forwarding(case % 2 == 0);
            let hosts: Vec<NodeId> = (0..hosts).map(NodeId::new).collect();
            let apart = network.hosts_apart(&hosts);
            assert_eq!(apart.is_some(), slowly(&network, &hosts), "{links:?}");
            if let Some((one, other)) = apart {
                assert_eq!(network.distances_to(one)[other.index() as usize], None, "{links:?}");
            }
            found[usize::from(apart.is_some())] += 1;
        }
        assert!(found.iter().all(|&count| count > 200), "{found:?}");
    }

    #[test]
    fn parts_are_named_by_their_first_hosts() {
        let network = Network::from_edges(7, &[(0, 2), (1, 6), (6, 4)]).unwrap().with_hosts(5);
        let hosts: Vec<NodeId> = (0..5).map(NodeId::new).collect();
        let [zero, one, three] = [0, 1, 3].map(NodeId::new);
        assert_eq!(network.parts_of_hosts(&hosts), [(zero, 2), (one, 2), (three, 1)]);
        assert_eq!(network.parts_of_hosts(&[one]), [(one, 1)]);
    }
}
