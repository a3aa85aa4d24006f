//! Fat trees of two levels, and k-ary n-trees (Petrini & Vanneschi 1997).

use super::{host_links, switch_of};
use crate::routing::{ChannelNumbers, Hop, LevelWalk};

/// Levels of switches.
#[derive(Debug)]
pub(crate) enum FatTree {
    /// Leaves, each linked to all spines.
    LeafSpine { hosts: u32, per_leaf: u32, leaves: u32, spines: u32 },
    /// Switches `(level, w)` at `hosts + width level + w`, `w` of `levels - 1` digits, digit 0 the lowest.
    KAry { hosts: u32, arity: u32, levels: u32, width: u32 },
}

impl FatTree {
    pub(super) fn links(&self, nodes: u32) -> Vec<(u32, u32)> {
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

    /// The numbers of channels: of a switch by their ports.
    pub(crate) fn channel_numbers(&self) -> ChannelNumbers {
        match *self {
            Self::LeafSpine { hosts, per_leaf, leaves, spines } => {
                ChannelNumbers { single: hosts, codes: (per_leaf + spines).max(leaves) }
            }
            Self::KAry { hosts, arity, .. } => ChannelNumbers { single: hosts, codes: 2 * arity },
        }
    }

    /// The link to the neighbour of a node with the lowest number that is nearer to another node, a host.
    #[inline]
    pub(crate) fn lowest(&self, at: u32, to: u32) -> Hop {
        let port = self.alike_ports(at, to).map_or(0, |(port, _)| u32::from(port));
        Hop { code: port, next: self.behind(at, port) }
    }

    /// The node that a port of a node leads to.
    #[inline]
    fn behind(&self, node: u32, port: u32) -> u32 {
        match *self {
            Self::LeafSpine { hosts, per_leaf, leaves, .. } => match switch_of(node, hosts, per_leaf) {
                (leaf, 1) => hosts + leaf,
                (leaf, _) if leaf < leaves && port < per_leaf => leaf * per_leaf + port,
                (leaf, _) if leaf < leaves => hosts + leaves + port - per_leaf,
                _ => hosts + port,
            },
            Self::KAry { hosts, arity, width, .. } => {
                let (switch, up) = switch_of(node, hosts, arity);
                let (level, own) = (switch / width, switch % width);
                if up == 1 {
                    return hosts + switch;
                }
                let (is_up, digit) = (port >= arity, port % arity);
                if !is_up && level == 0 {
                    return own * arity + digit;
                }
                // A link up leads to any digit of its level, one down to any of the level below.
                let stride = arity.pow(if is_up { level } else { level - 1 });
                let there = own - own / stride % arity * stride + digit * stride;
                hosts + (if is_up { level + 1 } else { level - 1 }) * width + there
            }
        }
    }

    /// The ports that lead nearer to another node, which lie side by side and begin equally many shortest routes: the
    /// first, and how many they are. None to a switch of a k-ary tree.
    ///
    /// The ports of a switch lead down first, then up.
    #[inline]
    pub(crate) fn alike_ports(&self, at: u32, to: u32) -> Option<(u16, u64)> {
        let (port, count) = match *self {
            Self::LeafSpine { hosts, per_leaf, leaves, spines } => {
                let ((own, up), (other, _)) =
                    (switch_of(at, hosts, per_leaf), switch_of(to, hosts, per_leaf));
                match (Self::between(leaves, own, other), own < leaves) {
                    _ if up == 1 => (0, 1),
                    (0, _) => (to % per_leaf, 1),
                    (1, true) => (per_leaf + other - leaves, 1),
                    (1, false) => (other, 1),
                    (_, true) => (per_leaf, spines),
                    (_, false) => (0, leaves),
                }
            }
            Self::KAry { hosts, arity, width, .. } if to < hosts => {
                let (switch, up) = switch_of(at, hosts, arity);
                if up == 1 {
                    return Some((0, 1));
                }
                let (level, own) = (switch / width, switch % width);
                // The lowest digit of a host says where it is on its switch; then come those of the switch.
                let stride = arity.pow(level);
                let above = to / stride;
                if own / stride == above / arity { (above % arity, 1) } else { (arity, arity) }
            }
            Self::KAry { .. } => return None,
        };
        Some((u16::try_from(port).ok()?, count.into()))
    }
}
