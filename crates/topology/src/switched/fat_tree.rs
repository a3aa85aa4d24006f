//! Fat trees of two levels, and k-ary n-trees (Petrini & Vanneschi 1997).

use super::Hosts;
use crate::{Digit, Divisor, IndexDigit, families::LevelWalk, narrow, routes::Distances};

#[derive(Debug)]
pub(super) enum FatTree {
    /// Leaves, each linked to all spines.
    LeafSpine { hosts: Hosts, leaves: u32, spines: u32, has_parallels: bool },
    /// Switches `(level, w)` at `hosts + width level + w`, `w` of `levels - 1` digits, digit 0 the lowest; the digits of
    /// hosts, one more, and their strides, of which the highest is the width.
    KAry { hosts: Hosts, arity: Divisor, digits: Vec<IndexDigit>, strides: Vec<Divisor>, has_parallels: bool },
}

impl FatTree {
    /// The pairs of linked switches of a k-ary tree, each with the level of the lower one.
    pub(super) fn links(&self) -> impl Iterator<Item = (usize, (u32, u32))> {
        let mut links = vec![];
        if let Self::KAry { hosts, arity, ref digits, ref strides, .. } = *self {
            let width = Self::width(strides);
            for (level, &digit) in digits[..digits.len() - 1].iter().enumerate() {
                for w in 0..width {
                    let above = (0..narrow(arity.get())).map(|value| Self::with_digit(w, digit, value));
                    let base = hosts.count + width * narrow(level as u64);
                    links.extend(above.map(|other| (level, (base + w, base + width + other))));
                }
            }
        }
        links.into_iter()
    }

    /// Whether any two nodes have several links.
    fn has_parallels(&self) -> bool {
        match *self {
            Self::LeafSpine { has_parallels, .. } | Self::KAry { has_parallels, .. } => has_parallels,
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
            let [(one, this), (other, that)] = rest.map(|word| arity.split(word));
            if this != that {
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
        let [(from, this), (level, that)] = [one, other].map(|switch| Self::level_and_word(strides, switch));
        Some((LevelWalk::new(from, level, Self::differing(arity, this, that)), up + down))
    }

    /// The distance from a leaf or a spine to another.
    fn between(leaves: u32, one: u32, other: u32) -> u32 {
        match (one < leaves, other < leaves) {
            _ if one == other => 0,
            (true, false) | (false, true) => 1,
            _ => 2,
        }
    }
}

impl Distances for FatTree {
    /// Every route goes up to a switch above both hosts, a link of each level up and down.
    fn holds_for_any_weights(&self) -> bool {
        true
    }

    #[inline]
    fn distance(&self, at: u32, to: u32) -> u32 {
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

    #[inline]
    fn route_count(&self, at: u32, to: u32) -> Option<u64> {
        if self.has_parallels() {
            return None;
        }
        Some(match *self {
            Self::LeafSpine { hosts, leaves, spines, .. } => {
                let [(one, _), (other, _)] = [at, to].map(|node| hosts.switch_of(node));
                match (Self::between(leaves, one, other), one < leaves) {
                    (2, true) => spines.into(),
                    (2, false) => leaves.into(),
                    _ => 1,
                }
            }
            Self::KAry { arity, .. } => self.walk(at, to).map_or(1, |(walk, _)| walk.ways(arity.get())),
        })
    }

    /// `None` towards a switch of a k-ary tree, and with parallel links. The ports of a switch lead down first, then up.
    #[inline]
    fn nearer_port(&self, at: u32, to: u32, choose: &dyn Fn(u16) -> u16) -> Option<u16> {
        if self.has_parallels() {
            return None;
        }
        let (port, count) = match *self {
            Self::LeafSpine { hosts, leaves, spines, .. } => {
                let [(one, up), (other, _)] = [at, to].map(|node| hosts.switch_of(node));
                match (Self::between(leaves, one, other), one < leaves) {
                    _ if up == 1 => (0, 1),
                    (0, _) => (hosts.place(to), 1),
                    (1, true) => (hosts.per_switch() + other - leaves, 1),
                    (1, false) => (other, 1),
                    (_, true) => (hosts.per_switch(), spines),
                    (_, false) => (0, leaves),
                }
            }
            Self::KAry { hosts, arity, ref strides, .. } if to < hosts.count => match hosts.switch_of(at) {
                (_, 1) => (0, 1),
                (switch, _) => {
                    // The lowest digit of a host is its place on its switch; the digits of the switch follow.
                    let (level, word) = Self::level_and_word(strides, switch);
                    let stride = strides[level as usize];
                    let (above, digit) = arity.split(stride.split(to).0);
                    let arity = narrow(arity.get());
                    if stride.split(word).0 == above { (digit, 1) } else { (arity, arity) }
                }
            },
            Self::KAry { .. } => return None,
        };
        let count = u16::try_from(count).ok()?;
        u16::try_from(port + u32::from(choose(count))).ok()
    }
}
