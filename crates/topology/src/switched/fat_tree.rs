//! Fat trees of two levels, and k-ary n-trees (Petrini & Vanneschi 1997).

use super::Hosts;
use crate::{
    Divisor, narrow,
    routing::{ChannelNumbers, Hop, LevelWalk},
};

/// Levels of switches.
#[derive(Debug)]
pub(crate) enum FatTree {
    /// Leaves, each linked to all spines.
    LeafSpine { hosts: Hosts, leaves: u32, spines: u32 },
    /// Switches `(level, w)` at `hosts + width level + w`, `w` of `levels - 1` digits, digit 0 the lowest; the powers of
    /// the arity below the number of levels, of which the highest is the width.
    KAry { hosts: Hosts, arity: Divisor, strides: Vec<Divisor> },
}

impl FatTree {
    pub(super) fn links(&self, nodes: u32) -> Vec<(u32, u32)> {
        match *self {
            Self::LeafSpine { hosts, leaves, .. } => {
                let spines = hosts.count() + leaves..nodes;
                let of_leaf = |leaf| spines.clone().map(move |spine| (hosts.count() + leaf, spine));
                hosts.links().chain((0..leaves).flat_map(of_leaf)).collect()
            }
            Self::KAry { hosts, arity, ref strides } => {
                let mut links: Vec<_> = hosts.links().collect();
                let width = Self::width(strides);
                for (level, &stride) in strides[..strides.len() - 1].iter().enumerate() {
                    for w in 0..width {
                        let digits = 0..narrow(arity.get());
                        let above = digits.map(|digit| Self::with_digit(w, digit, stride, arity));
                        let base = hosts.count() + width * narrow(level as u64);
                        links.extend(above.map(|other| (base + w, base + width + other)));
                    }
                }
                links
            }
        }
    }

    /// The switches of a level of a k-ary tree.
    #[inline]
    fn width(strides: &[Divisor]) -> u32 {
        strides.last().map_or(1, |width| narrow(width.get()))
    }

    /// Level and word of a switch of a k-ary tree.
    #[inline]
    fn level_and_word(strides: &[Divisor], switch: u32) -> (u32, u32) {
        strides.last().map_or((0, 0), |width| width.split(switch))
    }

    /// A word with another digit, that of a stride.
    #[inline]
    fn with_digit(word: u32, digit: u32, stride: Divisor, arity: Divisor) -> u32 {
        let own = arity.split(stride.split(word).0).1;
        let stride = narrow(stride.get());
        word - own * stride + digit * stride
    }

    /// The digits in which two words differ: the lowest and the highest.
    #[inline]
    fn differing(arity: Divisor, one: u32, other: u32) -> Option<(u32, u32)> {
        if let Divisor::Power(bits) = arity {
            let word = one ^ other;
            return (word != 0).then(|| (word.trailing_zeros() / bits, word.ilog2() / bits));
        }
        let (mut rest, mut digit) = ([one, other], 0);
        let mut found: Option<(u32, u32)> = None;
        while rest[0] != rest[1] {
            let [(one, own), (other, its)] = rest.map(|word| arity.split(word));
            if own != its {
                found = Some((found.map_or(digit, |(low, _)| low), digit));
            }
            (rest, digit) = ([one, other], digit + 1);
        }
        found
    }

    /// The walk between the switches of two nodes of a k-ary tree, and the links to them.
    #[inline]
    fn walk(&self, at: u32, to: u32) -> Option<(LevelWalk, u32)> {
        let Self::KAry { hosts, arity, ref strides } = *self else { return None };
        let [(one, up), (other, down)] = [at, to].map(|node| hosts.switch_of(node));
        let [(from, own), (level, its)] = [one, other].map(|switch| Self::level_and_word(strides, switch));
        Some((LevelWalk::new(from, level, Self::differing(arity, own, its)), up + down))
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
            Self::LeafSpine { hosts, leaves, .. } => {
                let [(one, up), (other, down)] = [at, to].map(|node| hosts.switch_of(node));
                up + down + Self::between(leaves, one, other)
            }
            Self::KAry { .. } => self.walk(at, to).map_or(0, |(walk, links)| walk.length() + links),
        }
    }

    pub(crate) fn route_count(&self, at: u32, to: u32) -> u64 {
        match *self {
            Self::LeafSpine { hosts, leaves, spines } => {
                let [(one, _), (other, _)] = [at, to].map(|node| hosts.switch_of(node));
                match (Self::between(leaves, one, other), one < leaves) {
                    (2, true) => spines.into(),
                    (2, false) => leaves.into(),
                    _ => 1,
                }
            }
            Self::KAry { arity, .. } => self.walk(at, to).map_or(1, |(walk, _)| walk.ways(arity.get())),
        }
    }

    /// The numbers of channels: of a switch by their ports.
    pub(crate) fn channel_numbers(&self) -> ChannelNumbers {
        match *self {
            Self::LeafSpine { hosts, leaves, spines } => {
                ChannelNumbers { single: hosts.count(), codes: (hosts.per_switch() + spines).max(leaves) }
            }
            Self::KAry { hosts, arity, .. } => {
                ChannelNumbers { single: hosts.count(), codes: 2 * narrow(arity.get()) }
            }
        }
    }

    /// The link to the neighbour of a node with the lowest number that is nearer to another node, a host.
    #[inline]
    pub(crate) fn lowest(&self, at: u32, to: u32) -> Hop {
        match *self {
            Self::LeafSpine { hosts, leaves, .. } => {
                let port = self.alike_ports(at, to).map_or(0, |(port, _)| u32::from(port));
                let next = match hosts.switch_of(at) {
                    (leaf, 1) => hosts.count() + leaf,
                    (leaf, _) if leaf < leaves && port < hosts.per_switch() => to,
                    (leaf, _) if leaf < leaves => hosts.count() + leaves + port - hosts.per_switch(),
                    _ => hosts.count() + port,
                };
                Hop { code: port, next }
            }
            Self::KAry { hosts, arity, ref strides } => {
                let (switch, up) = hosts.switch_of(at);
                if up == 1 {
                    return Hop { code: 0, next: hosts.count() + switch };
                }
                let (level, own) = Self::level_and_word(strides, switch);
                let (port, _) = Self::alike_ports_of_switch(arity, strides, (level, own), to);
                let (there, digit, changed) = match port.checked_sub(narrow(arity.get())) {
                    None if level == 0 => return Hop { code: port, next: to },
                    None => (level - 1, port, level - 1),
                    Some(digit) => (level + 1, digit, level),
                };
                // A link up leads to any digit of its level, one down to any of the level below.
                let word = Self::with_digit(own, digit, strides[changed as usize], arity);
                Hop { code: port, next: hosts.count() + there * Self::width(strides) + word }
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
            Self::LeafSpine { hosts, leaves, spines } => {
                let [(own, up), (other, _)] = [at, to].map(|node| hosts.switch_of(node));
                match (Self::between(leaves, own, other), own < leaves) {
                    _ if up == 1 => (0, 1),
                    (0, _) => (hosts.place(to), 1),
                    (1, true) => (hosts.per_switch() + other - leaves, 1),
                    (1, false) => (other, 1),
                    (_, true) => (hosts.per_switch(), spines),
                    (_, false) => (0, leaves),
                }
            }
            Self::KAry { hosts, arity, ref strides } if to < hosts.count() => {
                let (switch, up) = hosts.switch_of(at);
                if up == 1 {
                    return Some((0, 1));
                }
                Self::alike_ports_of_switch(arity, strides, Self::level_and_word(strides, switch), to)
            }
            Self::KAry { .. } => return None,
        };
        Some((u16::try_from(port).ok()?, count.into()))
    }

    /// The same of the switch of a k-ary tree at a level with a word, to a host.
    #[inline]
    fn alike_ports_of_switch(
        arity: Divisor,
        strides: &[Divisor],
        (level, own): (u32, u32),
        to: u32,
    ) -> (u32, u32) {
        // The lowest digit of a host says where it is on its switch; then come those of the switch.
        let stride = strides[level as usize];
        let (above, digit) = arity.split(stride.split(to).0);
        let arity = narrow(arity.get());
        if stride.split(own).0 == above { (digit, 1) } else { (arity, arity) }
    }
}
