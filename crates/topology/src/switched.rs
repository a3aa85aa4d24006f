//! Networks with switches, and full meshes (`docs/model.md` section 19): processes sit on hosts, which have the lowest
//! numbers, and host `i` is on switch `floor(i / hosts per switch)`.

mod dragonfly;
mod fat_tree;
mod host_nics;
mod hosts;
mod hyperx;
#[cfg(test)]
mod tests;

use std::fmt;

pub use self::host_nics::HostNics;
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
