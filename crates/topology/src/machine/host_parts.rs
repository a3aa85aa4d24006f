//! The parts that the hosts of a machine with switches fall into (`docs/model.md` section 24): those below a switch, a
//! subtree, a group of switches, a node of a cluster, a leaf or a rail, together with the switches and NICs below.

use std::fmt;

use super::{GraphSource, Machine};
use crate::{Cluster, HostNics, NetworkParameters, NodeId};

/// A sort of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostPart {
    /// A switch with hosts.
    Switch,
    /// A switch of a higher level of a tree and all with the same hosts below.
    Subtree,
    /// A group of a dragonfly.
    Group,
    /// A node of a cluster.
    ClusterNode,
    /// A leaf of a cluster.
    Leaf,
    /// The nodes on the same leaves of a cluster with rails.
    LeafNodes,
    /// A rail of a cluster.
    Rail,
}

impl fmt::Display for HostPart {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Switch => "switch",
            Self::Subtree => "subtree",
            Self::Group => "group",
            Self::ClusterNode => "cluster node",
            Self::Leaf => "leaf",
            Self::LeafNodes => "nodes of leaf",
            Self::Rail => "rail",
        })
    }
}

/// A division of the nodes of a machine into parts; some nodes may be in none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostParts {
    /// The sort of the parts.
    pub part: HostPart,
    /// The number of part 0: the first switch or leaf, as a node of the machine; 0 for parts that are not nodes.
    pub first: u64,
    /// The part of each node, counted from 0.
    pub of_node: Vec<Option<u32>>,
}

impl Machine {
    /// The divisions of the nodes of a machine made from parameters into parts, the smallest parts first; empty for
    /// grids, full meshes and listed networks.
    #[must_use]
    #[expect(clippy::too_many_lines, reason = "one arm a kind of machine")]
    pub fn host_parts(&self) -> Vec<HostParts> {
        let Some(GraphSource::Parameters(parameters)) = self.source() else { return vec![] };
        let hosts = parameters.host_count();
        let nodes = |part: &dyn Fn(u64) -> Option<u64>| -> Vec<Option<u32>> {
            self.nodes().map(|node| u32::try_from(part(node.index().into())?).ok()).collect()
        };
        // A host counts as its switch.
        let by_switch = |each: u64, part: &dyn Fn(u64) -> Option<u64>| {
            nodes(&|node| part(node.checked_sub(hosts).unwrap_or(node / each)))
        };
        let parts = |part, first, of_node| HostParts { part, first, of_node };
        let below = |part, first, of_host: &dyn Fn(u64) -> u64| self.with_what_is_below(part, first, of_host);
        match parameters {
            NetworkParameters::LeafSpine { hosts_per_switch, nics: HostNics::Neighbours(_), .. } => {
                vec![below(HostPart::Switch, 0, &|host| host / hosts_per_switch)]
            }
            NetworkParameters::Dragonfly {
                hosts_per_switch,
                switches_per_group,
                nics: HostNics::Neighbours(count),
                ..
            } => {
                let of_group = hosts_per_switch * (switches_per_group / count);
                vec![
                    below(HostPart::Switch, 0, &|host| host / hosts_per_switch),
                    below(HostPart::Group, 0, &|host| host / of_group),
                ]
            }
            NetworkParameters::FullMesh { .. } => vec![],
            NetworkParameters::HyperX { hosts_per_switch, .. } => {
                vec![parts(HostPart::Switch, hosts, by_switch(*hosts_per_switch, &Some))]
            }
            NetworkParameters::LeafSpine { leaves, hosts_per_switch, .. } => {
                let leaf = |switch: u64| (switch < *leaves).then_some(switch);
                vec![parts(HostPart::Switch, hosts, by_switch(*hosts_per_switch, &leaf))]
            }
            NetworkParameters::Dragonfly { hosts_per_switch, switches_per_group, .. } => {
                let group = |switch: u64| Some(switch / switches_per_group);
                vec![
                    parts(HostPart::Switch, hosts, by_switch(*hosts_per_switch, &Some)),
                    parts(HostPart::Group, 0, by_switch(*hosts_per_switch, &group)),
                ]
            }
            NetworkParameters::KAryTree { arity, levels, .. } => {
                let width = hosts / arity; // switches of a level
                let subtrees = (0..u32::try_from(levels - 1).unwrap_or(0)).map(|top| {
                    // Below are the switches that differ in the lowest digits only, up to this level.
                    let part = |switch: u64| {
                        (switch / width <= top.into()).then(|| switch % width / arity.saturating_pow(top))
                    };
                    let of_node = by_switch(*arity, &part);
                    if top == 0 {
                        parts(HostPart::Switch, hosts, of_node)
                    } else {
                        parts(HostPart::Subtree, 0, of_node)
                    }
                });
                subtrees.collect()
            }
            NetworkParameters::Cluster(cluster) => self.cluster_parts(cluster),
        }
    }

    /// Returns the nodes of a cluster, leaves, the nodes of leaves, and rails, as far as they differ.
    fn cluster_parts(&self, cluster: &Cluster) -> Vec<HostParts> {
        let node = |node: NodeId| u32::try_from(cluster.node_of(node)?).ok();
        let nodes =
            HostParts { part: HostPart::ClusterNode, first: 0, of_node: self.nodes().map(node).collect() };
        let leaves =
            self.with_what_is_below(HostPart::Leaf, cluster.first_leaf(), &|host| cluster.leaf_of(host));
        let mut parts = vec![nodes, leaves];
        if cluster.rails() > 1 {
            parts.push(self.with_what_is_below(HostPart::LeafNodes, 0, &|host| cluster.group_of(host)));
        }
        parts.push(self.with_what_is_below(HostPart::Rail, 0, &|host| cluster.rail_of(host)));
        parts
    }

    /// Returns parts of hosts, each with all switches and NICs whose nearest hosts are in it.
    fn with_what_is_below(&self, part: HostPart, first: u64, of_host: &dyn Fn(u64) -> u64) -> HostParts {
        let Some(network) = self.graph() else { return HostParts { part, first, of_node: vec![] } };
        let levels = network.levels();
        let hosts = usize::try_from(network.host_count()).unwrap_or(usize::MAX);
        let mut of_node: Vec<Option<u32>> =
            (0_u64..).take(hosts).map(|host| u32::try_from(of_host(host)).ok()).collect();
        let mut others: Vec<(u32, NodeId)> =
            self.nodes().skip(hosts).filter_map(|node| Some((levels.of(node)?, node))).collect();
        of_node.resize(usize::try_from(self.node_count()).unwrap_or(usize::MAX), None);
        others.sort_unstable();
        for (level, node) in others {
            let below =
                network.neighbours(node).iter().filter(|&&neighbour| levels.of(neighbour) == Some(level - 1));
            let mut parts = below.map(|below| of_node[below.index() as usize]);
            let common = parts.next().flatten();
            of_node[node.index() as usize] = common.filter(|&common| parts.all(|part| part == Some(common)));
        }
        HostParts { part, first, of_node }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClusterInside, ClusterOutside, ClusterUplinks};

    /// The nodes of each part.
    fn listed(parts: &HostParts) -> Vec<Vec<usize>> {
        let count = parts.of_node.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let nodes = |part: usize| {
            let in_part =
                parts.of_node.iter().enumerate().filter(move |(_, of)| **of == u32::try_from(part).ok());
            in_part.map(|(node, _)| node).collect()
        };
        (0..count).map(nodes).collect()
    }

    fn all(parameters: &NetworkParameters) -> Vec<(HostPart, u64, Vec<Vec<usize>>)> {
        let parts = Machine::of_parameters(parameters).unwrap().host_parts();
        parts.iter().map(|parts| (parts.part, parts.first, listed(parts))).collect()
    }

    #[test]
    fn parts_are_hosts_with_what_is_below() {
        let tree = all(&NetworkParameters::k_ary_tree(2, 3));
        assert_eq!(tree[0].2, [[0, 1, 8], [2, 3, 9], [4, 5, 10], [6, 7, 11]]);
        assert_eq!((tree[1].0, tree.len()), (HostPart::Subtree, 2));
        assert_eq!(tree[1].2, [vec![0, 1, 2, 3, 8, 9, 12, 13], vec![4, 5, 6, 7, 10, 11, 14, 15]]);
        let leaves = all(&NetworkParameters::leaf_spine(2, 2, 3));
        assert_eq!(leaves, [(HostPart::Switch, 4, vec![vec![0, 1, 4], vec![2, 3, 5]])]);
        assert!(all(&NetworkParameters::FullMesh { nodes: 4 }).is_empty());
    }

    #[test]
    fn parts_of_a_cluster_are_nodes_leaves_and_rails() {
        let outside = |has_rails| ClusterOutside {
            nics_per_node: 2,
            nodes_per_leaf: 1,
            has_rails,
            spines: 1,
            uplinks: ClusterUplinks::Each(1),
        };
        let cluster = |has_rails| {
            NetworkParameters::Cluster(Cluster {
                nodes: 2,
                devices_per_node: 4,
                inside: ClusterInside::Switch { planes: 1 },
                outside: Some(outside(has_rails)),
                hosts_forward: false,
            })
        };
        // Devices 0 to 7, inside switches 8 and 9, NICs 10 to 13, leaves by rail from 14 on.
        let rails = all(&cluster(true));
        assert_eq!(rails[0].2, [[0, 1, 2, 3, 8, 10, 11], [4, 5, 6, 7, 9, 12, 13]]);
        assert_eq!(rails[1].2, [[0, 1, 10, 14], [4, 5, 12, 15], [2, 3, 11, 16], [6, 7, 13, 17]]);
        assert_eq!(rails[1].1, 14);
        assert_eq!(rails[2].2[0], [0, 1, 2, 3, 8, 10, 11, 14, 16]);
        assert_eq!(rails[3].2, [[0, 1, 4, 5, 10, 12, 14, 15], [2, 3, 6, 7, 11, 13, 16, 17]]);
        // Without rails all that a node has is below its leaf.
        assert_eq!(all(&cluster(false))[1].2[0], [0, 1, 2, 3, 8, 10, 11, 14]);
    }
}
