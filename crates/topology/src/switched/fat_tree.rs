//! Fat trees of two levels, and k-ary n-trees (Petrini & Vanneschi 1997).

use super::Hosts;
use crate::{
    Digit, Divisor, IndexDigit, narrow,
    routing::{ChannelNumbers, Hop, LevelWalk, RouteSteps},
};

/// Levels of switches.
#[derive(Debug)]
pub(crate) enum FatTree {
    /// Leaves, each linked to all spines.
    LeafSpine { hosts: Hosts, leaves: u32, spines: u32 },
    /// Switches `(level, w)` at `hosts + width level + w`, `w` of `levels - 1` digits, digit 0 the lowest; the digits of
    /// hosts, one more, and their strides, of which the highest is the width.
    KAry { hosts: Hosts, arity: Divisor, digits: Vec<IndexDigit>, strides: Vec<Divisor> },
}

impl FatTree {
    pub(super) fn links(&self, nodes: u32) -> Vec<(u32, u32)> {
        match *self {
            Self::LeafSpine { hosts, leaves, .. } => {
                let spines = hosts.count() + leaves..nodes;
                let of_leaf = |leaf| spines.clone().map(move |spine| (hosts.count() + leaf, spine));
                hosts.links().chain((0..leaves).flat_map(of_leaf)).collect()
            }
            Self::KAry { hosts, arity, ref digits, ref strides } => {
                let mut links: Vec<_> = hosts.links().collect();
                let width = Self::width(strides);
                for (level, &own) in digits[..digits.len() - 1].iter().enumerate() {
                    for w in 0..width {
                        let above = (0..narrow(arity.get())).map(|digit| Self::with_digit(w, own, digit));
                        let base = hosts.count() + width * narrow(level as u64);
                        links.extend(above.map(|other| (base + w, base + width + other)));
                    }
                }
                links
            }
        }
    }

    #[inline]
    fn hosts(&self) -> Hosts {
        let (Self::LeafSpine { hosts, .. } | Self::KAry { hosts, .. }) = *self;
        hosts
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

    /// A word with another value of a digit.
    #[inline]
    fn with_digit(word: u32, digit: IndexDigit, value: u32) -> u32 {
        word - digit.offset(digit.position(word)) + digit.offset(value)
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
        let Self::KAry { hosts, arity, ref strides, .. } = *self else { return None };
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

    /// The bits of the code of a link of [`Self::steps`].
    ///
    /// Those of a whole route are at most 128. In a tree of two levels, whose nodes have less than 2^16 links each, they are
    /// four times 16. In a k-ary n-tree they are `2 n (b + 1)` with `2^b` the least power of two that is not below `k`. As
    /// `b < 1 + log2 k` and `k^n < 2^21`, that is less than `4 n + 42`, and `n` is at most 17 in a network of 2^21 nodes.
    #[inline]
    pub(crate) fn step_bits(&self) -> u32 {
        RouteSteps::bits_of_codes(self.channel_numbers().codes)
    }

    /// The links of the shortest route from a host to another that is drawn by a hash of each node on it
    /// (`docs/model.md` section 19), and how many they are; none between other nodes. Hashes of 0 draw the lowest neighbours.
    ///
    /// There are at most as many routes as switches, which is far below the greatest number that is counted.
    #[inline]
    pub(crate) fn steps(&self, from: u32, to: u32, hash: impl Fn(u32) -> u64) -> Option<(u32, RouteSteps)> {
        let hosts = self.hosts();
        if from.max(to) >= hosts.count() {
            return None;
        }
        if from == to {
            return Some((0, RouteSteps::default()));
        }
        let [(own, _), (other, _)] = [from, to].map(|host| hosts.switch_of(host));
        let (bits, mut links, mut steps) = (self.step_bits(), 0, RouteSteps::default());
        // From the last link to the first.
        let mut cross = |code| {
            steps.prepend(bits, code);
            links += 1;
        };
        cross(hosts.place(to));
        match *self {
            Self::LeafSpine { spines, .. } => {
                if own != other {
                    cross(other);
                    cross(hosts.per_switch() + narrow(hash(hosts.count() + own) % u64::from(spines)));
                }
            }
            Self::KAry { arity, ref digits, ref strides, .. } => {
                let top = Self::differing(arity, own, other).map_or(0, |(_, digit)| digit + 1) as usize;
                let (digits, strides, width) = (&digits[..top], &strides[..top], Self::width(strides));
                let mut switch = hosts.count() + own;
                // A link up begins as many routes as there are ways to go up the rest.
                for (&digit, ways) in digits.iter().zip(strides.iter().rev()) {
                    let (drawn, _) = ways.divide_any(hash(switch));
                    let (_, value) = arity.divide_any(drawn);
                    switch = Self::with_digit(switch, digit, narrow(value)) + width;
                }
                for digit in digits {
                    cross(digit.position(other));
                }
                for digit in digits.iter().rev() {
                    cross(narrow(arity.get()) + digit.position(switch));
                }
            }
        }
        cross(0);
        Some((links, steps))
    }

    /// The link of a node with a code.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(crate) fn hop(&self, at: u32, code: u32) -> Hop {
        let hosts = self.hosts();
        if let Some(up) = hosts.link_up(at) {
            return up;
        }
        let switch = at - hosts.count();
        let next = match *self {
            Self::LeafSpine { leaves, .. } => match code.checked_sub(hosts.per_switch()) {
                _ if switch >= leaves => hosts.count() + code,
                None => switch * hosts.per_switch() + code,
                Some(spine) => hosts.count() + leaves + spine,
            },
            Self::KAry { arity, ref digits, ref strides, .. } => {
                let (level, _) = Self::level_and_word(strides, switch);
                let width = Self::width(strides);
                // The hosts and the switches of a level are multiples of the width, and change no digit of a word.
                match code.checked_sub(narrow(arity.get())) {
                    None if level == 0 => switch * hosts.per_switch() + code,
                    None => Self::with_digit(at, digits[level as usize - 1], code) - width,
                    Some(value) => Self::with_digit(at, digits[level as usize], value) + width,
                }
            }
        };
        Hop { code, next }
    }

    /// The code of the link back from a link of a switch to another.
    #[inline]
    pub(crate) fn back(&self, at: u32, hop: Hop) -> u32 {
        let hosts = self.hosts();
        let Some(switch) = at.checked_sub(hosts.count()) else { return 0 };
        match *self {
            Self::LeafSpine { leaves, .. } => match switch.checked_sub(leaves) {
                Some(spine) => hosts.per_switch() + spine,
                None => switch,
            },
            Self::KAry { arity, ref digits, ref strides, .. } => {
                let (level, _) = Self::level_and_word(strides, switch);
                let (arity, is_up) = (narrow(arity.get()), at < hop.next);
                let changed = if is_up { level } else { level.wrapping_sub(1) };
                let own = digits.get(changed as usize).map_or(0, |digit| digit.position(at));
                if is_up { own } else { arity + own }
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
            Self::KAry { hosts, arity, ref strides, .. } if to < hosts.count() => match hosts.switch_of(at) {
                (_, 1) => (0, 1),
                (switch, _) => {
                    // The lowest digit of a host says where it is on its switch; then come those of the switch.
                    let (level, own) = Self::level_and_word(strides, switch);
                    let stride = strides[level as usize];
                    let (above, digit) = arity.split(stride.split(to).0);
                    let arity = narrow(arity.get());
                    if stride.split(own).0 == above { (digit, 1) } else { (arity, arity) }
                }
            },
            Self::KAry { .. } => return None,
        };
        Some((u16::try_from(port).ok()?, count.into()))
    }
}
