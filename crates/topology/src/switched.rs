//! Networks with switches, and full meshes (`docs/model.md` section 19): processes sit on hosts, which have the lowest
//! numbers, and host `i` is on switch `floor(i / hosts per switch)`.

mod dragonfly;
mod fat_tree;
mod hosts;
mod hyperx;

use std::fmt;

use self::{
    dragonfly::{Dragonfly, Groups},
    fat_tree::FatTree,
    hosts::Hosts,
    hyperx::HyperX,
};
use crate::{
    Cluster, ClusterPart, Divisor, IndexDigit, MachineKind, Network, NetworkError, NodeId, routes::Distances,
};

/// The parameters of a full mesh or a network with switches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum NetworkParameters {
    /// Nodes that are all linked with each other; no switches.
    FullMesh {
        /// The number of nodes.
        nodes: u64,
    },
    /// Switches at the coordinates of a shape, linked with all on the same line (Ahn et al. 2009).
    HyperX {
        /// The lengths.
        shape: Vec<u64>,
        /// The hosts on a switch.
        hosts_per_switch: u64,
    },
    /// `a h + 1` groups of switches (Kim et al. 2008).
    Dragonfly {
        /// The hosts on a switch, `p`.
        hosts_per_switch: u64,
        /// The switches of a group, `a`, all linked with each other.
        switches_per_group: u64,
        /// The ports of a switch to other groups, `h`.
        global_links: u64,
        /// The number of groups, `G`, 2 to `a h + 1`.
        groups: u64,
        /// The links between every two groups, 1 to `a h / (G - 1)`.
        links_between_groups: u64,
        /// The links of a host.
        nics: HostNics,
    },
    /// A tree of two levels: every leaf is linked to every spine.
    LeafSpine {
        /// The switches with hosts.
        leaves: u64,
        /// The hosts on a leaf.
        hosts_per_switch: u64,
        /// The switches above.
        spines: u64,
        /// The parallel links between a leaf and a spine.
        uplinks: u64,
        /// The links of a host.
        nics: HostNics,
    },
    /// The k-ary n-tree (Petrini & Vanneschi 1997).
    KAryTree {
        /// `k`, the hosts on a switch of the lowest level, and the links of a switch to the next level.
        arity: u64,
        /// `n`, the levels of switches.
        levels: u64,
        /// The parallel links between two switches, from the leaves up: `n - 1` numbers.
        uplinks: Vec<u64>,
        /// The parallel links of a host.
        nics_per_host: u64,
    },
    /// Nodes with several devices (`docs/model.md` section 22).
    Cluster(Cluster),
}

/// The links of every host of a network with switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostNics {
    /// This number of parallel links to its switch.
    OneSwitch(u64),
    /// A link to each of this many consecutive switches, `q`: host `h` on switches
    /// `q floor(h / p) + j`, where a switch has `p` hosts.
    Neighbours(u64),
}

impl HostNics {
    /// One link.
    pub const ONE: Self = Self::OneSwitch(1);

    /// The number of links.
    #[must_use]
    pub fn count(self) -> u64 {
        match self {
            Self::OneSwitch(count) | Self::Neighbours(count) => count,
        }
    }

    /// The number of switches that share their hosts.
    fn switches(self) -> u64 {
        match self {
            Self::OneSwitch(_) => 1,
            Self::Neighbours(count) => count,
        }
    }

    /// The links of hosts `0 ..`, `per_switch` on a switch; the first switch follows the hosts.
    fn links(self, hosts: u64, per_switch: u64) -> impl Iterator<Item = (u32, u32)> {
        (0..hosts).flat_map(move |host| {
            (0..self.count()).map(move |nic| {
                let switch = match self {
                    Self::OneSwitch(_) => host / per_switch,
                    Self::Neighbours(count) => host / per_switch * count + nic,
                };
                (small(host), small(hosts + switch))
            })
        })
    }
}

/// The most nodes, hosts and switches together, of a network with parameters.
pub const MAX_NETWORK_NODES: u64 = 1 << 21;

/// The most channels of a network with parameters.
const MAX_NETWORK_CHANNELS: u64 = 1 << 28;

impl NetworkParameters {
    /// The dragonfly with as many groups as its ports allow, whose hosts have one link.
    #[must_use]
    pub fn dragonfly(hosts_per_switch: u64, switches_per_group: u64, global_links: u64) -> Self {
        Self::Dragonfly {
            hosts_per_switch,
            switches_per_group,
            global_links,
            groups: switches_per_group.saturating_mul(global_links).saturating_add(1),
            links_between_groups: 1,
            nics: HostNics::ONE,
        }
    }

    /// The tree of leaves and spines with one link between every two, whose hosts have one link.
    #[must_use]
    pub fn leaf_spine(leaves: u64, hosts_per_switch: u64, spines: u64) -> Self {
        Self::LeafSpine { leaves, hosts_per_switch, spines, uplinks: 1, nics: HostNics::ONE }
    }

    /// The k-ary n-tree without parallel links.
    #[must_use]
    pub fn k_ary_tree(arity: u64, levels: u64) -> Self {
        let uplinks = vec![1; usize::try_from(levels.saturating_sub(1)).unwrap_or(0).min(64)];
        Self::KAryTree { arity, levels, uplinks, nics_per_host: 1 }
    }

    /// The kind of its machines.
    #[must_use]
    pub fn kind(&self) -> MachineKind {
        match self {
            Self::FullMesh { .. } => MachineKind::FullMesh,
            Self::HyperX { .. } => MachineKind::HyperX,
            Self::Dragonfly { .. } => MachineKind::Dragonfly,
            Self::LeafSpine { .. } | Self::KAryTree { .. } => MachineKind::FatTree,
            Self::Cluster(_) => MachineKind::Cluster,
        }
    }

    /// The number of hosts.
    #[must_use]
    pub fn host_count(&self) -> u64 {
        match self {
            Self::FullMesh { nodes } => *nodes,
            Self::HyperX { hosts_per_switch, .. } => hosts_per_switch.saturating_mul(self.switch_count()),
            Self::Dragonfly { hosts_per_switch, nics, .. } => {
                hosts_per_switch.saturating_mul(self.switch_count() / nics.switches().max(1))
            }
            Self::LeafSpine { leaves, hosts_per_switch, nics, .. } => {
                (leaves / nics.switches().max(1)).saturating_mul(*hosts_per_switch)
            }
            Self::KAryTree { arity, levels, .. } => power(*arity, *levels),
            Self::Cluster(cluster) => cluster.host_count(),
        }
    }

    /// The number of switches.
    #[must_use]
    pub fn switch_count(&self) -> u64 {
        match self {
            Self::FullMesh { .. } => 0,
            Self::HyperX { shape, .. } => {
                shape.iter().fold(1, |product: u64, &length| product.saturating_mul(length))
            }
            Self::Dragonfly { switches_per_group, .. } => {
                switches_per_group.saturating_mul(self.group_count())
            }
            Self::LeafSpine { leaves, spines, .. } => leaves.saturating_add(*spines),
            Self::KAryTree { arity, levels, .. } => levels.saturating_mul(power(*arity, levels - 1)),
            Self::Cluster(cluster) => cluster.vertex_count() - cluster.host_count(),
        }
    }

    /// Whether it is a dragonfly with as many groups as its ports allow and one link between every two.
    #[must_use]
    pub fn is_whole_dragonfly(&self) -> bool {
        match *self {
            Self::Dragonfly { hosts_per_switch, switches_per_group, global_links, .. } => {
                *self == Self::dragonfly(hosts_per_switch, switches_per_group, global_links)
            }
            _ => false,
        }
    }

    /// The number of groups of a dragonfly; 1 for others.
    fn group_count(&self) -> u64 {
        match self {
            Self::Dragonfly { groups, .. } => *groups,
            _ => 1,
        }
    }

    /// The number of nodes: hosts and switches.
    #[must_use]
    pub fn node_count(&self) -> u64 {
        self.host_count().saturating_add(self.switch_count())
    }

    /// The number of links.
    #[must_use]
    pub fn link_count(&self) -> u64 {
        let hosts = self.host_count();
        match self {
            Self::FullMesh { nodes } => nodes.saturating_mul(nodes.saturating_sub(1)) / 2,
            Self::HyperX { shape, .. } => {
                let on_lines: u64 =
                    shape.iter().map(|length| length.saturating_sub(1)).fold(0, u64::saturating_add);
                hosts.saturating_add(self.switch_count().saturating_mul(on_lines) / 2)
            }
            Self::Dragonfly { switches_per_group, groups, links_between_groups, nics, .. } => {
                let a = *switches_per_group;
                let inside = groups.saturating_mul(a.saturating_mul(a.saturating_sub(1)) / 2);
                let pairs = groups.saturating_mul(groups.saturating_sub(1)) / 2;
                let between = pairs.saturating_mul(*links_between_groups);
                hosts.saturating_mul(nics.count()).saturating_add(inside).saturating_add(between)
            }
            Self::LeafSpine { leaves, spines, uplinks, nics, .. } => {
                let to_spines = leaves.saturating_mul(*spines).saturating_mul(*uplinks);
                hosts.saturating_mul(nics.count()).saturating_add(to_spines)
            }
            // Two levels have as many pairs of linked switches as hosts, each with `uplinks` links.
            Self::KAryTree { uplinks, nics_per_host, .. } => {
                let of_each = uplinks.iter().fold(*nics_per_host, |sum, links| sum.saturating_add(*links));
                hosts.saturating_mul(of_each)
            }
            Self::Cluster(cluster) => cluster.link_count(),
        }
    }

    /// The names of its classes of links, class 0 first (`docs/model.md` section 21.5).
    pub(crate) fn link_class_names(&self) -> Vec<String> {
        let with_hosts = |others: &mut dyn Iterator<Item = String>| {
            std::iter::once("host links".to_owned()).chain(others).collect()
        };
        match self {
            Self::FullMesh { .. } => vec!["links".to_owned()],
            Self::HyperX { shape, .. } => {
                with_hosts(&mut (1..=shape.len()).map(|number| format!("dimension {number}")))
            }
            Self::Dragonfly { .. } => {
                with_hosts(&mut ["inside a group", "between groups"].into_iter().map(str::to_owned))
            }
            Self::LeafSpine { .. } => with_hosts(&mut std::iter::once("level 1".to_owned())),
            Self::KAryTree { levels, .. } => {
                with_hosts(&mut (1..*levels).map(|level| format!("level {level}")))
            }
            Self::Cluster(_) => ClusterPart::ALL.map(|part| part.name().to_owned()).to_vec(),
        }
    }

    /// The class of the link between two neighbours.
    pub(crate) fn link_class(&self, one: NodeId, other: NodeId) -> usize {
        if let Self::Cluster(cluster) = self {
            return cluster.part(one, other) as usize;
        }
        let hosts = self.host_count();
        let [one, other] = [one.min(other), one.max(other)].map(|node| u64::from(node.index()));
        let Some(one) = one.checked_sub(hosts) else { return 0 };
        let other = other - hosts;
        match self {
            Self::FullMesh { .. } | Self::Cluster(_) => 0,
            Self::HyperX { shape, .. } => {
                let mut rest = [one, other];
                let differs = |&length: &u64| {
                    let [this, that] = rest.map(|rest| rest % length);
                    rest = rest.map(|rest| rest / length);
                    this != that
                };
                1 + shape.iter().position(differs).unwrap_or(0)
            }
            Self::Dragonfly { switches_per_group, .. } => {
                if one / switches_per_group == other / switches_per_group { 1 } else { 2 }
            }
            Self::LeafSpine { .. } => 1,
            Self::KAryTree { arity, levels, .. } => {
                1 + usize::try_from(one / power(*arity, levels - 1)).unwrap_or(0)
            }
        }
    }

    /// Whether there is a machine of these parameters that can be numbered.
    #[must_use]
    pub fn is_makeable(&self) -> bool {
        self.is_whole() && self.is_small_enough()
    }

    /// Whether a machine of these parameters can be kept in memory.
    pub(crate) fn is_small_enough(&self) -> bool {
        self.node_count() <= MAX_NETWORK_NODES && self.link_count() <= MAX_NETWORK_CHANNELS / 2
    }

    /// Whether all parameters are at least 1, lengths at least 2, and there are at least 2 hosts.
    pub(crate) fn is_whole(&self) -> bool {
        let positive = match self {
            Self::FullMesh { .. } => true,
            Self::HyperX { shape, hosts_per_switch } => {
                !shape.is_empty() && shape.iter().all(|&length| length >= 2) && *hosts_per_switch > 0
            }
            Self::Dragonfly {
                hosts_per_switch,
                switches_per_group,
                global_links,
                groups,
                links_between_groups,
                nics,
            } => {
                let ports = switches_per_group.saturating_mul(*global_links);
                let needed = links_between_groups.saturating_mul(groups.saturating_sub(1));
                *hosts_per_switch > 0
                    && *switches_per_group > 0
                    && *global_links > 0
                    && *groups >= 2
                    && *links_between_groups > 0
                    && needed <= ports
                    && nics.count() > 0
                    && switches_per_group.is_multiple_of(nics.switches())
            }
            Self::LeafSpine { leaves, hosts_per_switch, spines, uplinks, nics } => {
                *leaves > 0
                    && *hosts_per_switch > 0
                    && *spines > 0
                    && *uplinks > 0
                    && nics.count() > 0
                    && leaves.is_multiple_of(nics.switches())
            }
            Self::KAryTree { arity, levels, uplinks, nics_per_host } => {
                *arity >= 2
                    && *levels > 0
                    && *nics_per_host > 0
                    && uplinks.len() as u64 == levels - 1
                    && uplinks.iter().all(|&uplink| uplink > 0)
            }
            Self::Cluster(cluster) => cluster.is_whole(),
        };
        positive && self.host_count() >= 2
    }

    /// Returns the network. [`Self::is_whole`] and [`Self::is_small_enough`] must hold.
    #[expect(clippy::too_many_lines, reason = "one arm a kind of machine")]
    pub(crate) fn network(&self) -> Result<Network, NetworkError> {
        let (hosts, nodes) = (small(self.host_count()), small(self.node_count()));
        let network =
            |links: Vec<(u32, u32)>| Ok(Network::from_parallel_edges(nodes, &links)?.with_hosts(hosts));
        match self {
            Self::FullMesh { .. } => {
                let pairs = (0..nodes).flat_map(|one| (one + 1..nodes).map(move |other| (one, other)));
                Ok(network(pairs.collect())?.with_formula(FullMesh))
            }
            Self::HyperX { shape, hosts_per_switch } => {
                let hyperx = HyperX::new(Hosts::new(hosts, small(*hosts_per_switch)), shape);
                Ok(network(hyperx.links())?.with_formula(hyperx))
            }
            &Self::Dragonfly {
                hosts_per_switch,
                switches_per_group,
                global_links,
                groups,
                links_between_groups,
                nics,
            } => {
                let [a, h] = [switches_per_group, global_links].map(small);
                let between = Groups { a, h, groups: small(groups), each: small(links_between_groups) };
                let of_hosts = nics.links(hosts.into(), hosts_per_switch);
                let network = network(of_hosts.chain(between.links(hosts)).collect())?;
                Ok(if self.is_whole_dragonfly() {
                    network.with_formula(Dragonfly::new(Hosts::new(hosts, small(hosts_per_switch)), a, h))
                } else {
                    network
                })
            }
            &Self::LeafSpine { leaves, hosts_per_switch, spines, uplinks, nics } => {
                let between = (0..small(leaves)).flat_map(|leaf| {
                    let spines = hosts + small(leaves)..nodes;
                    spines.map(move |spine| (hosts + leaf, spine))
                });
                let between = between.flat_map(|link| std::iter::repeat_n(link, small(uplinks) as usize));
                let of_hosts = nics.links(hosts.into(), hosts_per_switch);
                let network = network(of_hosts.chain(between).collect())?;
                Ok(match nics {
                    HostNics::OneSwitch(_) => network.with_formula(FatTree::LeafSpine {
                        hosts: Hosts::new(hosts, small(hosts_per_switch)),
                        leaves: small(leaves),
                        spines: small(spines),
                        has_parallels: uplinks > 1 || nics != HostNics::ONE,
                    }),
                    HostNics::Neighbours(_) => network,
                })
            }
            Self::KAryTree { arity, levels, uplinks, nics_per_host } => {
                let k = small(*arity);
                let powers: Vec<u64> = (0..small(*levels)).map(|level| arity.pow(level)).collect();
                let tree = FatTree::KAry {
                    hosts: Hosts::new(hosts, k),
                    arity: Divisor::new(*arity),
                    digits: powers.iter().map(|&stride| IndexDigit::new(*arity, stride)).collect(),
                    strides: powers.into_iter().map(Divisor::new).collect(),
                    has_parallels: *nics_per_host > 1 || uplinks.iter().any(|&uplink| uplink > 1),
                };
                let of_hosts = HostNics::OneSwitch(*nics_per_host).links(hosts.into(), *arity);
                let between = tree.links().flat_map(|(level, link)| {
                    std::iter::repeat_n(link, uplinks.get(level).map_or(0, |&count| small(count) as usize))
                });
                Ok(network(of_hosts.chain(between).collect())?.with_formula(tree))
            }
            Self::Cluster(cluster) => cluster.network(),
        }
    }
}

/// Nodes that are all linked with each other.
#[derive(Debug)]
struct FullMesh;

impl Distances for FullMesh {
    fn distance(&self, at: u32, to: u32) -> u32 {
        u32::from(at != to)
    }

    fn route_count(&self, _at: u32, _to: u32) -> Option<u64> {
        Some(1)
    }
}

/// Empty for one link.
impl fmt::Display for HostNics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneSwitch(1) => Ok(()),
            Self::OneSwitch(count) => write!(formatter, ", {count} links a host"),
            Self::Neighbours(count) => write!(formatter, ", {count} links a host, each to another switch"),
        }
    }
}

impl fmt::Display for NetworkParameters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FullMesh { nodes } => write!(formatter, "{nodes} nodes"),
            Self::HyperX { shape, hosts_per_switch } => {
                let lengths: Vec<String> = shape.iter().map(u64::to_string).collect();
                write!(formatter, "{} switches, {hosts_per_switch} hosts a switch", lengths.join("x"))
            }
            Self::Dragonfly {
                hosts_per_switch,
                switches_per_group,
                global_links,
                groups,
                links_between_groups,
                nics,
            } => {
                write!(
                    formatter,
                    "{groups} groups of {switches_per_group} switches, {hosts_per_switch} hosts and \
                     {global_links} global links a switch"
                )?;
                if *links_between_groups > 1 {
                    write!(formatter, ", {links_between_groups} links between two groups")?;
                }
                nics.fmt(formatter)
            }
            Self::LeafSpine { leaves, hosts_per_switch, spines, uplinks, nics } => {
                write!(formatter, "{leaves} leaves, {hosts_per_switch} hosts a leaf, {spines} spines")?;
                if *uplinks > 1 {
                    write!(formatter, " by {uplinks} links each")?;
                }
                nics.fmt(formatter)
            }
            Self::KAryTree { arity, levels, uplinks, nics_per_host } => {
                write!(formatter, "{arity}-ary {levels}-tree")?;
                if uplinks.iter().any(|&uplink| uplink > 1) {
                    let uplinks: Vec<String> = uplinks.iter().map(u64::to_string).collect();
                    write!(formatter, ", {} parallel links by level", uplinks.join(", "))?;
                }
                HostNics::OneSwitch(*nics_per_host).fmt(formatter)
            }
            Self::Cluster(cluster) => write!(formatter, "{cluster}"),
        }
    }
}

fn power(base: u64, exponent: u64) -> u64 {
    u32::try_from(exponent).map_or(u64::MAX, |exponent| base.saturating_pow(exponent))
}

/// A count below [`MAX_NETWORK_NODES`].
fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, NodeId};

    #[test]
    fn networks_without_hosts_or_too_large_cannot_be_made() {
        let hyperx = |shape: &[u64], hosts_per_switch| {
            NetworkParameters::HyperX { shape: shape.to_vec(), hosts_per_switch }.is_makeable()
        };
        assert!(hyperx(&[2, 3], 1) && hyperx(&[2], 1));
        assert!(!hyperx(&[], 4) && !hyperx(&[4, 1], 4) && !hyperx(&[4, 4], 0));
        assert!(hyperx(&[1 << 10], 1 << 10) && !hyperx(&[1 << 10], 1 << 11) && !hyperx(&[u64::MAX; 3], 1));
        let tree = |arity, levels| NetworkParameters::k_ary_tree(arity, levels).is_makeable();
        assert!(tree(2, 1) && tree(4, 9) && !tree(1, 4) && !tree(2, 0) && !tree(4, 11) && !tree(u64::MAX, 2));
        let mesh = |nodes| NetworkParameters::FullMesh { nodes }.is_makeable();
        assert!(mesh(2) && !mesh(1) && mesh(1 << 14) && !mesh(1 << 15));
    }

    /// Nodes, links, the greatest distance of two hosts, and the sum of the distances of all pairs of hosts.
    fn figures(parameters: &NetworkParameters) -> (u64, u64, u64, u64) {
        let machine = Machine::of_parameters(parameters).unwrap();
        let pairs = machine.hosts().flat_map(|one| machine.hosts().map(move |other| (one, other)));
        let distances: Vec<u64> = pairs.map(|(one, other)| machine.distance(one, other)).collect();
        let sum = distances.iter().sum();
        (machine.node_count(), machine.link_count(), distances.into_iter().max().unwrap(), sum)
    }

    /// The sum of the distances of all pairs of `switches p` hosts, given the `sum` over all pairs of switches.
    fn with_hosts(switches: u64, p: u64, sum: u64) -> u64 {
        // Two links to the switches, but for a host and itself.
        let hosts = switches * p;
        p * p * sum + 2 * hosts * (hosts - 1)
    }

    #[test]
    fn full_meshes_have_their_closed_forms() {
        for nodes in 2..20 {
            let parameters = NetworkParameters::FullMesh { nodes };
            assert_eq!(figures(&parameters), (nodes, nodes * (nodes - 1) / 2, 1, nodes * (nodes - 1)));
            assert_eq!((parameters.node_count(), parameters.link_count()), (nodes, nodes * (nodes - 1) / 2));
        }
    }

    #[test]
    fn hyperx_has_its_closed_forms() {
        for (a, b, c, p) in (2..5).flat_map(|a| {
            (2..5).flat_map(move |b| (2..4).flat_map(move |c| (1..4).map(move |p| (a, b, c, p))))
        }) {
            let parameters = NetworkParameters::HyperX { shape: vec![a, b, c], hosts_per_switch: p };
            let switches = a * b * c;
            let links = switches * (a - 1 + b - 1 + c - 1) / 2 + switches * p;
            // Two random switches differ in dimension i with probability (k - 1) / k.
            let sum = switches * switches * 3 - switches * (switches / a + switches / b + switches / c);
            let expected = (switches * (p + 1), links, 5, with_hosts(switches, p, sum));
            assert_eq!(figures(&parameters), expected);
            assert_eq!((parameters.node_count(), parameters.link_count()), (expected.0, links));
        }
    }

    #[test]
    fn dragonflies_have_their_closed_forms() {
        for (p, a, h) in (1..3).flat_map(|p| (1..6).flat_map(move |a| (1..4).map(move |h| (p, a, h)))) {
            let parameters = NetworkParameters::dragonfly(p, a, h);
            let (groups, switches) = (a * h + 1, a * (a * h + 1));
            let links = switches * p + groups * a * (a - 1) / 2 + groups * (groups - 1) / 2;
            let (nodes, found_links, diameter, _) = figures(&parameters);
            assert_eq!((nodes, found_links), (switches * (p + 1), links), "{p} {a} {h}");
            assert_eq!((parameters.node_count(), parameters.link_count()), (nodes, links));
            // Inside the group, to another group, and inside that: at most three links between switches.
            assert!((3..=5).contains(&diameter), "{p} {a} {h}: {diameter}");
            // Every two groups are linked once, every switch to h other groups.
            let machine = Machine::of_parameters(&parameters).unwrap();
            let group = |node: NodeId| (u64::from(node.index()) - switches * p) / a;
            let mut between = std::collections::BTreeSet::new();
            for (one, other) in machine.graph().unwrap().links() {
                if u64::from(one.index()) >= switches * p && group(one) != group(other) {
                    assert!(between.insert((group(one), group(other))));
                }
            }
            assert_eq!(between.len() as u64, groups * (groups - 1) / 2);
        }
        // 72 hosts, 36 switches (p = 2, a = 4, h = 2): the diameter is 5.
        let seventy_two = NetworkParameters::dragonfly(2, 4, 2);
        assert_eq!(figures(&seventy_two).2, 5);
    }

    #[test]
    fn trees_of_two_levels_have_their_closed_forms() {
        for (leaves, p, spines) in
            (2..6).flat_map(|l| (1..4).flat_map(move |p| (1..4).map(move |s| (l, p, s))))
        {
            let parameters = NetworkParameters::leaf_spine(leaves, p, spines);
            let hosts = leaves * p;
            let expected = (
                hosts + leaves + spines,
                hosts + leaves * spines,
                4,
                // 4 links to the hosts of other leaves, 2 to those of the same leaf.
                hosts * (4 * (hosts - p) + 2 * (p - 1)),
            );
            assert_eq!(figures(&parameters), expected);
            assert_eq!((parameters.node_count(), parameters.link_count()), (expected.0, expected.1));
        }
    }

    #[test]
    fn k_ary_n_trees_have_their_closed_forms() {
        for (arity, levels) in [(2, 1), (2, 2), (2, 3), (2, 5), (3, 2), (3, 3), (4, 2), (4, 3), (5, 2)] {
            let parameters = NetworkParameters::k_ary_tree(arity, levels);
            let power = |exponent| u64::pow(arity, u32::try_from(exponent).unwrap());
            let hosts = power(levels);
            // Petrini & Vanneschi 1997: n k^(n-1) switches, and 2 i links to the k^i - k^(i-1) hosts of level i.
            let sum: u64 = (1..=levels).map(|i| 2 * i * (power(i) - power(i - 1))).sum();
            let expected = (hosts + levels * power(levels - 1), levels * hosts, 2 * levels, hosts * sum);
            assert_eq!(figures(&parameters), expected);
            assert_eq!((parameters.node_count(), parameters.link_count()), (expected.0, expected.1));
        }
    }

    /// The fewest links between two halves of the hosts, switches being on either side: the least over all halves of a
    /// greatest flow.
    fn bisection(parameters: &NetworkParameters) -> u64 {
        let machine = Machine::of_parameters(parameters).unwrap();
        let hosts = machine.host_count();
        let halves =
            (0..1_u32 << hosts).filter(|half| half & 1 == 1 && u64::from(half.count_ones()) == hosts / 2);
        halves.map(|half| flow(&machine, half)).min().unwrap()
    }

    /// The greatest flow between the hosts of a mask and the others: one unit per link, one augmenting path at a time.
    fn flow(machine: &Machine, half: u32) -> u64 {
        let hosts = machine.host_count();
        let side = |node: NodeId| (u64::from(node.index()) < hosts).then(|| half >> node.index() & 1 == 1);
        let mut used = std::collections::BTreeSet::new(); // arcs with a unit, except where it was sent back
        let mut total = 0;
        loop {
            let mut from: std::collections::BTreeMap<NodeId, Option<NodeId>> =
                machine.hosts().filter(|&host| side(host) == Some(true)).map(|host| (host, None)).collect();
            let mut queue: std::collections::VecDeque<NodeId> = from.keys().copied().collect();
            let mut end = None;
            while let Some(node) = queue.pop_front() {
                if side(node) == Some(false) {
                    end = Some(node);
                    break;
                }
                for next in machine.neighbours(node) {
                    if !used.contains(&(node, next)) && !from.contains_key(&next) {
                        from.insert(next, Some(node));
                        queue.push_back(next);
                    }
                }
            }
            let Some(mut node) = end else { return total };
            total += 1;
            while let Some(before) = from[&node] {
                if !used.remove(&(node, before)) {
                    used.insert((before, node));
                }
                node = before;
            }
        }
    }

    #[test]
    fn bisections_are_those_of_the_literature() {
        for nodes in [2, 4, 6, 8] {
            assert_eq!(bisection(&NetworkParameters::FullMesh { nodes }), nodes * nodes / 4);
        }
        for (leaves, p, spines) in [(2, 2, 2), (2, 4, 2), (4, 2, 1), (4, 2, 2), (2, 3, 2)] {
            // Oversubscription: as many links as spines a leaf, if there are fewer than hosts.
            let expected = (leaves / 2 * spines).min(leaves * p / 2);
            let parameters = NetworkParameters::leaf_spine(leaves, p, spines);
            assert_eq!(bisection(&parameters), expected, "{leaves} {p} {spines}");
        }
        for (arity, levels) in [(2, 1), (2, 2), (2, 3), (4, 1)] {
            // Full bisection: half of the hosts.
            let parameters = NetworkParameters::k_ary_tree(arity, levels);
            assert_eq!(bisection(&parameters), parameters.host_count() / 2);
        }
        for (shape, p) in [(vec![4], 2), (vec![2, 2], 2), (vec![4, 2], 1), (vec![2, 2, 2], 1)] {
            // Ahn et al. 2009: the product of the lengths times the least k / 4 over the dimensions.
            let switches: u64 = shape.iter().product();
            let least = shape.iter().min().unwrap();
            let parameters = NetworkParameters::HyperX { shape: shape.clone(), hosts_per_switch: p };
            assert_eq!(bisection(&parameters), (switches * least / 4).min(switches * p / 2), "{shape:?} {p}");
        }
        // 3 groups of 2 switches with a host each: a cut through one group and its links to the others.
        let dragonfly = NetworkParameters::dragonfly(1, 2, 1);
        assert_eq!(bisection(&dragonfly), 2);
    }

    #[test]
    fn parameters_that_make_no_network_are_refused() {
        let message =
            |parameters: &NetworkParameters| Machine::of_parameters(parameters).unwrap_err().to_string();
        let none = NetworkParameters::leaf_spine(2, 0, 1);
        assert_eq!(
            message(&none),
            "a fat-tree without hosts, switches or links, expected at least 1 of each and 2 hosts"
        );
        let large = NetworkParameters::k_ary_tree(16, 6);
        assert!(message(&large).starts_with("23068672 hosts and switches with 100663296 links"));
    }
}
