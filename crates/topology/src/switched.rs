//! Networks with switches, and full meshes (`docs/model.md` section 19): processes sit on hosts, which have the lowest
//! numbers, and host `i` is on switch `floor(i / hosts per switch)`.

use std::{fmt, sync::OnceLock};

use crate::{
    MachineKind, Network, NetworkError,
    routing::{LevelWalk, RouteRule},
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
        /// The links of a switch to other groups, `h`.
        global_links: u64,
    },
    /// A tree of two levels: every leaf is linked to every spine.
    LeafSpine {
        /// The switches with hosts.
        leaves: u64,
        /// The hosts on a leaf.
        hosts_per_switch: u64,
        /// The switches above.
        spines: u64,
    },
    /// The k-ary n-tree (Petrini & Vanneschi 1997).
    KAryTree {
        /// `k`, the hosts on a switch of the lowest level, and the links of a switch to the next level.
        arity: u64,
        /// `n`, the levels of switches.
        levels: u64,
    },
}

/// The most nodes, hosts and switches together, of a network with parameters.
pub const MAX_NETWORK_NODES: u64 = 1 << 21;

/// The most channels of a network with parameters.
const MAX_NETWORK_CHANNELS: u64 = 1 << 28;

impl NetworkParameters {
    /// The kind of its machines.
    #[must_use]
    pub fn kind(&self) -> MachineKind {
        match self {
            Self::FullMesh { .. } => MachineKind::FullMesh,
            Self::HyperX { .. } => MachineKind::HyperX,
            Self::Dragonfly { .. } => MachineKind::Dragonfly,
            Self::LeafSpine { .. } | Self::KAryTree { .. } => MachineKind::FatTree,
        }
    }

    /// The number of hosts.
    #[must_use]
    pub fn host_count(&self) -> u64 {
        match self {
            Self::FullMesh { nodes } => *nodes,
            Self::HyperX { hosts_per_switch, .. } | Self::Dragonfly { hosts_per_switch, .. } => {
                hosts_per_switch.saturating_mul(self.switch_count())
            }
            Self::LeafSpine { leaves, hosts_per_switch, .. } => leaves.saturating_mul(*hosts_per_switch),
            Self::KAryTree { arity, levels } => power(*arity, *levels),
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
            Self::KAryTree { arity, levels } => levels.saturating_mul(power(*arity, levels - 1)),
        }
    }

    /// The number of groups of a dragonfly; 1 of all else.
    fn group_count(&self) -> u64 {
        match self {
            Self::Dragonfly { switches_per_group, global_links, .. } => {
                switches_per_group.saturating_mul(*global_links).saturating_add(1)
            }
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
            Self::Dragonfly { switches_per_group, .. } => {
                let (groups, a) = (self.group_count(), *switches_per_group);
                let inside = groups.saturating_mul(a.saturating_mul(a - 1) / 2);
                hosts.saturating_add(inside).saturating_add(groups.saturating_mul(groups - 1) / 2)
            }
            Self::LeafSpine { leaves, spines, .. } => hosts.saturating_add(leaves.saturating_mul(*spines)),
            Self::KAryTree { levels, .. } => hosts.saturating_mul(*levels),
        }
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
            Self::Dragonfly { hosts_per_switch, switches_per_group, global_links } => {
                *hosts_per_switch > 0 && *switches_per_group > 0 && *global_links > 0
            }
            Self::LeafSpine { leaves, hosts_per_switch, spines } => {
                *leaves > 0 && *hosts_per_switch > 0 && *spines > 0
            }
            Self::KAryTree { arity, levels } => *arity >= 2 && *levels > 0,
        };
        positive && self.host_count() >= 2
    }

    /// Returns the network. All of [`Self::is_whole`] and [`Self::is_small_enough`] must hold.
    pub(crate) fn network(&self) -> Result<Network, NetworkError> {
        let (hosts, nodes) = (small(self.host_count()), small(self.node_count()));
        let (links, rule) = match self {
            Self::FullMesh { .. } => {
                let pairs = (0..nodes).flat_map(|one| (one + 1..nodes).map(move |other| (one, other)));
                (pairs.collect(), RouteRule::FullMesh)
            }
            Self::HyperX { shape, hosts_per_switch } => {
                let hyperx = HyperX {
                    hosts,
                    per_switch: small(*hosts_per_switch),
                    lengths: shape.iter().map(|&length| small(length)).collect(),
                };
                (hyperx.links(), RouteRule::HyperX(hyperx))
            }
            Self::Dragonfly { hosts_per_switch, switches_per_group, global_links } => {
                let (per_switch, a, h) =
                    (small(*hosts_per_switch), small(*switches_per_group), small(*global_links));
                let dragonfly =
                    Dragonfly { hosts, per_switch, a, h, groups: a * h + 1, distances: OnceLock::new() };
                (dragonfly.links(), RouteRule::Dragonfly(Box::new(dragonfly)))
            }
            Self::LeafSpine { leaves, hosts_per_switch, spines } => {
                let tree = FatTree::LeafSpine {
                    hosts,
                    per_leaf: small(*hosts_per_switch),
                    leaves: small(*leaves),
                    spines: small(*spines),
                };
                (tree.links(nodes), RouteRule::FatTree(tree))
            }
            Self::KAryTree { arity, levels } => {
                let (k, n) = (small(*arity), small(*levels));
                let tree = FatTree::KAry { hosts, arity: k, levels: n, width: hosts / k };
                (tree.links(nodes), RouteRule::FatTree(tree))
            }
        };
        Ok(Network::from_edges(nodes, &links)?.with_hosts(hosts).with_rule(rule))
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
            Self::Dragonfly { hosts_per_switch, switches_per_group, global_links } => write!(
                formatter,
                "{} groups of {switches_per_group} switches, {hosts_per_switch} hosts and {global_links} global \
                 links a switch",
                self.group_count()
            ),
            Self::LeafSpine { leaves, hosts_per_switch, spines } => {
                write!(formatter, "{leaves} leaves, {hosts_per_switch} hosts a leaf, {spines} spines")
            }
            Self::KAryTree { arity, levels } => write!(formatter, "{arity}-ary {levels}-tree"),
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

/// The links of hosts to their switches.
fn host_links(hosts: u32, per_switch: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..hosts).map(move |host| (host, hosts + host / per_switch))
}

/// A node of a network whose hosts have the lowest numbers, `per_switch` on each of the first switches: its switch, and
/// the links to it.
#[inline]
fn switch_of(node: u32, hosts: u32, per_switch: u32) -> (u32, u32) {
    if node < hosts { (node / per_switch, 1) } else { (node - hosts, 0) }
}

/// Switches at the coordinates of a shape, linked with all on the same line.
#[derive(Debug)]
pub(crate) struct HyperX {
    hosts: u32,
    per_switch: u32,
    lengths: Vec<u32>,
}

impl HyperX {
    fn links(&self) -> Vec<(u32, u32)> {
        let mut links: Vec<_> = host_links(self.hosts, self.per_switch).collect();
        let switches: u32 = self.lengths.iter().product();
        let mut stride = 1;
        for &length in &self.lengths {
            for switch in 0..switches {
                let own = switch / stride % length;
                let others = (own + 1..length).map(|other| switch + (other - own) * stride);
                links.extend(others.map(|other| (self.hosts + switch, self.hosts + other)));
            }
            stride *= length;
        }
        links
    }

    /// The number of coordinates in which two switches differ.
    #[inline]
    fn differing(&self, mut one: u32, mut other: u32) -> u32 {
        let mut count = 0;
        for &length in &self.lengths {
            count += u32::from(one % length != other % length);
            one /= length;
            other /= length;
        }
        count
    }

    #[inline]
    pub(crate) fn distance(&self, at: u32, to: u32) -> u32 {
        if at == to {
            return 0;
        }
        let ((one, up), (other, down)) = (self.switch(at), self.switch(to));
        up + down + self.differing(one, other)
    }

    /// Coordinates can be corrected in any order.
    pub(crate) fn route_count(&self, at: u32, to: u32) -> u64 {
        let ((one, _), (other, _)) = (self.switch(at), self.switch(to));
        (1..=u64::from(self.differing(one, other))).product()
    }

    #[inline]
    pub(crate) fn lowest(&self, at: u32, to: u32) -> Option<u32> {
        let ((own, up), (other, _)) = (self.switch(at), self.switch(to));
        if up == 1 {
            return Some(self.hosts + own);
        }
        if own == other {
            return Some(to);
        }
        let (mut lowest, mut stride) = (u32::MAX, 1);
        for &length in &self.lengths {
            let (a, b) = (own / stride % length, other / stride % length);
            if a != b {
                lowest = lowest.min(own - a * stride + b * stride);
            }
            stride *= length;
        }
        Some(self.hosts + lowest)
    }

    #[inline]
    fn switch(&self, node: u32) -> (u32, u32) {
        switch_of(node, self.hosts, self.per_switch)
    }
}

/// Levels of switches.
#[derive(Debug)]
pub(crate) enum FatTree {
    /// Leaves, each linked to all spines.
    LeafSpine { hosts: u32, per_leaf: u32, leaves: u32, spines: u32 },
    /// Switches `(level, w)` at `hosts + width level + w`, `w` of `levels - 1` digits, digit 0 the lowest.
    KAry { hosts: u32, arity: u32, levels: u32, width: u32 },
}

impl FatTree {
    fn links(&self, nodes: u32) -> Vec<(u32, u32)> {
        match *self {
            Self::LeafSpine { hosts, per_leaf, leaves, .. } => {
                let spines = hosts + leaves..nodes;
                let of_leaf = |leaf| spines.clone().map(move |spine| (hosts + leaf, spine));
                host_links(hosts, per_leaf).chain((0..leaves).flat_map(of_leaf)).collect()
            }
            Self::KAry { hosts, arity, levels, width } => {
                let mut links: Vec<_> = host_links(hosts, arity).collect();
                let mut stride = 1;
                for level in 0..levels - 1 {
                    for w in 0..width {
                        let without = w - w / stride % arity * stride;
                        let above = (0..arity).map(|digit| without + digit * stride);
                        let base = hosts + width * level;
                        links.extend(above.map(|other| (base + w, base + width + other)));
                    }
                    stride *= arity;
                }
                links
            }
        }
    }

    /// The digits in which two words differ: the lowest and the highest.
    fn differing(arity: u32, one: u32, other: u32) -> Option<(u32, u32)> {
        if arity.is_power_of_two() {
            let bits = arity.trailing_zeros();
            let word = one ^ other;
            return (word != 0).then(|| (word.trailing_zeros() / bits, word.ilog2() / bits));
        }
        let (mut one, mut other, mut digit) = (one, other, 0);
        let mut found: Option<(u32, u32)> = None;
        while one != other {
            if one % arity != other % arity {
                found = Some((found.map_or(digit, |(low, _)| low), digit));
            }
            (one, other, digit) = (one / arity, other / arity, digit + 1);
        }
        found
    }

    /// The walk between the switches of two nodes of a k-ary tree, and the links to them.
    fn walk(&self, at: u32, to: u32) -> Option<(LevelWalk, u32)> {
        let Self::KAry { hosts, arity, width, .. } = *self else { return None };
        let place = |node: u32| {
            let (switch, links) = switch_of(node, hosts, arity);
            (switch / width, switch % width, links)
        };
        let ((from, own, up), (level, other, down)) = (place(at), place(to));
        Some((LevelWalk::new(from, level, Self::differing(arity, own, other)), up + down))
    }

    /// The distance from a leaf or a spine to another.
    fn between(leaves: u32, one: u32, other: u32) -> u32 {
        match (one < leaves, other < leaves) {
            _ if one == other => 0,
            (true, false) | (false, true) => 1,
            _ => 2,
        }
    }

    #[inline]
    pub(crate) fn distance(&self, at: u32, to: u32) -> u32 {
        if at == to {
            return 0;
        }
        match *self {
            Self::LeafSpine { hosts, per_leaf, leaves, .. } => {
                let ((one, up), (other, down)) =
                    (switch_of(at, hosts, per_leaf), switch_of(to, hosts, per_leaf));
                up + down + Self::between(leaves, one, other)
            }
            Self::KAry { .. } => self.walk(at, to).map_or(0, |(walk, links)| walk.length() + links),
        }
    }

    pub(crate) fn route_count(&self, at: u32, to: u32) -> u64 {
        match *self {
            Self::LeafSpine { hosts, per_leaf, leaves, spines } => {
                let ((one, _), (other, _)) = (switch_of(at, hosts, per_leaf), switch_of(to, hosts, per_leaf));
                match (Self::between(leaves, one, other), one < leaves) {
                    (2, true) => spines.into(),
                    (2, false) => leaves.into(),
                    _ => 1,
                }
            }
            Self::KAry { arity, .. } => self.walk(at, to).map_or(1, |(walk, _)| walk.ways(arity.into())),
        }
    }

    #[inline]
    pub(crate) fn lowest(&self, at: u32, to: u32) -> Option<u32> {
        match *self {
            Self::LeafSpine { hosts, per_leaf, leaves, .. } => {
                let ((own, up), (other, _)) =
                    (switch_of(at, hosts, per_leaf), switch_of(to, hosts, per_leaf));
                Some(match Self::between(leaves, own, other) {
                    _ if up == 1 => hosts + own,
                    0 => to,
                    1 => hosts + other,
                    _ if own < leaves => hosts + leaves, // by the first spine
                    _ => hosts,                          // by the first leaf
                })
            }
            Self::KAry { hosts, arity, width, .. } if to < hosts => {
                let (switch, up) = switch_of(at, hosts, arity);
                if up == 1 {
                    return Some(hosts + switch);
                }
                let (level, own, other) = (switch / width, switch % width, to / arity);
                let stride = arity.pow(level);
                if own / stride == other / stride {
                    // Below it: down, to where the digit agrees.
                    if level == 0 {
                        return Some(to);
                    }
                    let stride = stride / arity;
                    let without = own - own / stride % arity * stride;
                    return Some(hosts + width * (level - 1) + without + other / stride % arity * stride);
                }
                let without = own - own / stride % arity * stride;
                Some(hosts + width * (level + 1) + without)
            }
            Self::KAry { .. } => None,
        }
    }
}

/// Groups of switches that are all linked with each other, and one link between every two groups.
///
/// Adding a number to all groups, modulo their number, changes no link: distances from the switches of group 0 are enough.
#[derive(Debug)]
pub(crate) struct Dragonfly {
    hosts: u32,
    per_switch: u32,
    a: u32, // switches of a group
    h: u32, // links of a switch to other groups
    groups: u32,
    distances: OnceLock<Box<[u8]>>, // from each switch of group 0 to all switches
}

impl Dragonfly {
    fn links(&self) -> Vec<(u32, u32)> {
        let mut links: Vec<_> = host_links(self.hosts, self.per_switch).collect();
        for switch in 0..self.groups * self.a {
            let higher = self.neighbours(switch).filter(|&other| other > switch);
            links.extend(higher.map(|other| (self.hosts + switch, self.hosts + other)));
        }
        links
    }

    /// The switches that a switch is linked to: those of its group, then by the links to others.
    fn neighbours(&self, switch: u32) -> impl Iterator<Item = u32> {
        let &Self { a, h, groups, .. } = self;
        let (group, own) = (switch / a, switch % a);
        let inside = (0..a).filter(move |&other| other != own).map(move |other| group * a + other);
        let outside = (own * h..(own + 1) * h).map(move |link| {
            let there = (group + link + 1) % groups;
            there * a + (groups - 2 - link) / h
        });
        inside.chain(outside)
    }

    fn distances(&self) -> &[u8] {
        self.distances.get_or_init(|| {
            let switches = self.groups * self.a;
            // No switch is more than 3 links away: inside the group, to the other group, and there.
            let mut distances = vec![3_u8; self.a as usize * switches as usize].into_boxed_slice();
            for (own, row) in (0..self.a).zip(distances.chunks_mut(switches as usize)) {
                for near in self.neighbours(own) {
                    for next in self.neighbours(near) {
                        row[next as usize] = row[next as usize].min(2);
                    }
                }
                self.neighbours(own).for_each(|near| row[near as usize] = 1);
                row[own as usize] = 0;
            }
            distances
        })
    }

    /// The distance between two switches.
    #[inline]
    fn between(&self, one: u32, other: u32) -> u32 {
        let &Self { a, groups, .. } = self;
        let (first, last) = (one / a, other / a);
        let apart = if last >= first { last - first } else { last + groups - first };
        let row = (one % a) as usize * (groups * a) as usize;
        self.distances()[row + (apart * a + other % a) as usize].into()
    }

    #[inline]
    pub(crate) fn distance(&self, at: u32, to: u32) -> u32 {
        if at == to {
            return 0;
        }
        let ((one, up), (other, down)) = (self.switch(at), self.switch(to));
        up + down + self.between(one, other)
    }

    pub(crate) fn route_count(&self, at: u32, to: u32) -> u64 {
        self.count_between(self.switch(at).0, self.switch(to).0)
    }

    fn count_between(&self, one: u32, other: u32) -> u64 {
        match self.between(one, other) {
            0 | 1 => 1,
            apart => {
                let nearer = self.neighbours(one).filter(|&next| self.between(next, other) < apart);
                nearer.map(|next| self.count_between(next, other)).sum()
            }
        }
    }

    #[inline]
    pub(crate) fn lowest(&self, at: u32, to: u32) -> Option<u32> {
        let ((own, up), (other, _)) = (self.switch(at), self.switch(to));
        if up == 1 {
            return Some(self.hosts + own);
        }
        let apart = self.between(own, other);
        if apart == 0 {
            return Some(to);
        }
        let nearer = self.neighbours(own).filter(|&next| self.between(next, other) < apart);
        nearer.min().map(|next| self.hosts + next)
    }

    #[inline]
    fn switch(&self, node: u32) -> (u32, u32) {
        switch_of(node, self.hosts, self.per_switch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, NodeId};

    /// Nodes, links, the greatest distance of two hosts, and the sum of the distances of all pairs of hosts.
    fn figures(parameters: &NetworkParameters) -> (u64, u64, u64, u64) {
        let machine = Machine::of_parameters(parameters).unwrap();
        let pairs = machine.hosts().flat_map(|one| machine.hosts().map(move |other| (one, other)));
        let distances: Vec<u64> = pairs.map(|(one, other)| machine.distance(one, other)).collect();
        let sum = distances.iter().sum();
        (machine.node_count(), machine.link_count(), distances.into_iter().max().unwrap(), sum)
    }

    /// The sum of the distances of all pairs of `switches p` hosts, where those of all pairs of switches sum up to `sum`.
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
            let parameters =
                NetworkParameters::Dragonfly { hosts_per_switch: p, switches_per_group: a, global_links: h };
            let (groups, switches) = (a * h + 1, a * (a * h + 1));
            let links = switches * p + groups * a * (a - 1) / 2 + groups * (groups - 1) / 2;
            let (nodes, found_links, diameter, _) = figures(&parameters);
            assert_eq!((nodes, found_links), (switches * (p + 1), links), "{p} {a} {h}");
            assert_eq!((parameters.node_count(), parameters.link_count()), (nodes, links));
            // Inside the group, to another group, and inside that: at most three links between switches.
            assert!(diameter <= 5 && (a > 2 || diameter <= 5) && diameter >= 3, "{p} {a} {h}: {diameter}");
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
        let seventy_two =
            NetworkParameters::Dragonfly { hosts_per_switch: 2, switches_per_group: 4, global_links: 2 };
        assert_eq!(figures(&seventy_two).2, 5);
    }

    #[test]
    fn trees_of_two_levels_have_their_closed_forms() {
        for (leaves, p, spines) in
            (2..6).flat_map(|l| (1..4).flat_map(move |p| (1..4).map(move |s| (l, p, s))))
        {
            let parameters = NetworkParameters::LeafSpine { leaves, hosts_per_switch: p, spines };
            let hosts = leaves * p;
            let expected = (
                hosts + leaves + spines,
                hosts + leaves * spines,
                4,
                // 4 links to the hosts of other leaves, 2 to those of the own.
                hosts * (4 * (hosts - p) + 2 * (p - 1)),
            );
            assert_eq!(figures(&parameters), expected);
            assert_eq!((parameters.node_count(), parameters.link_count()), (expected.0, expected.1));
        }
    }

    #[test]
    fn k_ary_n_trees_have_their_closed_forms() {
        for (arity, levels) in [(2, 1), (2, 2), (2, 3), (2, 5), (3, 2), (3, 3), (4, 2), (4, 3), (5, 2)] {
            let parameters = NetworkParameters::KAryTree { arity, levels };
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

    /// The greatest flow between the hosts of a mask and the others: one unit a link, an augmenting path at a time.
    fn flow(machine: &Machine, half: u32) -> u64 {
        let hosts = machine.host_count();
        let side = |node: NodeId| (u64::from(node.index()) < hosts).then(|| half >> node.index() & 1 == 1);
        let mut used = std::collections::BTreeSet::new(); // arcs with a unit, less the way back
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
            let parameters = NetworkParameters::LeafSpine { leaves, hosts_per_switch: p, spines };
            assert_eq!(bisection(&parameters), expected, "{leaves} {p} {spines}");
        }
        for (arity, levels) in [(2, 1), (2, 2), (2, 3), (4, 1)] {
            // Full bisection: half of the hosts.
            let parameters = NetworkParameters::KAryTree { arity, levels };
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
        let dragonfly =
            NetworkParameters::Dragonfly { hosts_per_switch: 1, switches_per_group: 2, global_links: 1 };
        assert_eq!(bisection(&dragonfly), 2);
    }

    #[test]
    fn parameters_that_make_no_network_are_refused() {
        let message =
            |parameters: &NetworkParameters| Machine::of_parameters(parameters).unwrap_err().to_string();
        let none = NetworkParameters::LeafSpine { leaves: 2, hosts_per_switch: 0, spines: 1 };
        assert_eq!(
            message(&none),
            "a fat-tree without hosts, switches or links, expected at least 1 of each and 2 hosts"
        );
        let large = NetworkParameters::KAryTree { arity: 16, levels: 6 };
        assert!(message(&large).starts_with("23068672 hosts and switches with 100663296 links"));
    }
}
