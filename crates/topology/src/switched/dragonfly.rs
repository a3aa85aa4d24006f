//! Dragonflies (Kim et al. 2008).

use std::sync::OnceLock;

use super::{host_links, switch_of};
use crate::routing::{ChannelNumbers, Hop};

/// The most pairs of a switch of group 0 and any switch whose neighbours are listed.
const MAX_PAIRS: u64 = 1 << 22;

/// Groups of switches that are all linked with each other, and one link between every two groups.
///
/// Adding a number to all groups, modulo their number, changes no link: distances from the switches of group 0 are enough.
#[derive(Debug)]
pub(crate) struct Dragonfly {
    pub(super) hosts: u32,
    pub(super) per_switch: u32,
    pub(super) a: u32, // switches of a group
    pub(super) h: u32, // links of a switch to other groups
    pub(super) groups: u32,
    pub(super) distances: OnceLock<Box<[u8]>>, // from each switch of group 0 to all switches
    pub(super) nearer: OnceLock<Box<[u64]>>,   // as far, a bit for each neighbour that is nearer
}

impl Dragonfly {
    pub(super) fn links(&self) -> Vec<(u32, u32)> {
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

    /// For every switch of group 0 and every switch, a bit for each of [`Self::neighbours`] of the first that is nearer
    /// to the second; none where they are many.
    fn nearer(&self) -> Option<&[u64]> {
        let Self { a, h, groups, .. } = *self;
        let pairs = u64::from(a) * u64::from(a) * u64::from(groups);
        if a - 1 + h > u64::BITS || pairs > MAX_PAIRS {
            return None;
        }
        Some(self.nearer.get_or_init(|| {
            let of_pair = |one: u32, other: u32| {
                let apart = self.between(one, other);
                let bits = self.neighbours(one).enumerate();
                bits.map(|(bit, next)| u64::from(self.between(next, other) < apart) << bit).sum()
            };
            (0..a).flat_map(|one| (0..groups * a).map(move |other| of_pair(one, other))).collect()
        }))
    }

    /// Where a pair of switches is in the lists of those of group 0 and all.
    #[inline]
    fn pair(&self, one: u32, other: u32) -> usize {
        let &Self { a, groups, .. } = self;
        let (first, last) = (one / a, other / a);
        let apart = if last >= first { last - first } else { last + groups - first };
        let row = (one % a) as usize * (groups * a) as usize;
        row + (apart * a + other % a) as usize
    }

    /// The distance between two switches.
    #[inline]
    fn between(&self, one: u32, other: u32) -> u32 {
        self.distances()[self.pair(one, other)].into()
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

    /// The numbers of channels: of a switch those to its hosts, then those to [`Self::neighbours`].
    pub(crate) fn channel_numbers(&self) -> ChannelNumbers {
        ChannelNumbers { single: self.hosts, codes: self.per_switch + self.a - 1 + self.h }
    }

    /// The link to the neighbour of a node with the lowest number that is nearer to another node.
    #[inline]
    pub(crate) fn lowest(&self, at: u32, to: u32) -> Hop {
        let ((own, up), (other, _)) = (self.switch(at), self.switch(to));
        if up == 1 {
            return Hop { code: 0, next: self.hosts + own };
        }
        if own == other {
            return Hop { code: to % self.per_switch, next: to };
        }
        let link = |number: u32, next: u32| Hop { code: self.per_switch + number, next: self.hosts + next };
        let mut lowest = Hop { code: 0, next: u32::MAX };
        if let Some(nearer) = self.nearer() {
            let mut bits = nearer[self.pair(own, other)];
            while bits != 0 {
                let number = bits.trailing_zeros();
                let hop = link(number, self.neighbour(own, number));
                if hop.next < lowest.next {
                    lowest = hop;
                }
                bits &= bits - 1;
            }
            return lowest;
        }
        let apart = self.between(own, other);
        let nearer = (0..).zip(self.neighbours(own)).filter(|&(_, next)| self.between(next, other) < apart);
        nearer.map(|(number, next)| link(number, next)).min_by_key(|hop| hop.next).unwrap_or(lowest)
    }

    /// The neighbour of [`Self::neighbours`] with this number.
    #[inline]
    fn neighbour(&self, switch: u32, number: u32) -> u32 {
        let &Self { a, h, groups, .. } = self;
        let (group, own) = (switch / a, switch % a);
        if number < a - 1 {
            return group * a + number + u32::from(number >= own);
        }
        let link = own * h + number - (a - 1);
        (group + link + 1) % groups * a + (groups - 2 - link) / h
    }

    #[inline]
    fn switch(&self, node: u32) -> (u32, u32) {
        switch_of(node, self.hosts, self.per_switch)
    }
}
