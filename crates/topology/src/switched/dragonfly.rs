//! Dragonflies (Kim et al. 2008).

use std::{hint::select_unpredictable, sync::OnceLock};

use super::Hosts;
use crate::{
    Divisor, narrow,
    routing::{ChannelNumbers, Hop, RouteSteps, places},
};

/// The most pairs of a switch of group 0 and any switch whose neighbours are listed.
const MAX_PAIRS: u64 = 1 << 22;

/// Groups of switches that are all linked with each other, and one link between every two groups.
///
/// Adding a number to all groups, modulo their number, changes no link: distances from the switches of group 0 are enough.
#[derive(Debug)]
pub(crate) struct Dragonfly {
    pub(super) hosts: Hosts,
    pub(super) a: Divisor, // switches of a group
    pub(super) h: Divisor, // links of a switch to other groups
    pub(super) groups: Divisor,
    pub(super) distances: OnceLock<Box<[u8]>>, // from each switch of group 0 to all switches
    pub(super) nearer: OnceLock<Box<[u64]>>,   // as far, a bit for each neighbour that is nearer
}

/// A switch of a dragonfly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Switch {
    group: u32,
    place: u32, // in its group
}

impl Dragonfly {
    /// The switch with a number, counted from 0.
    #[inline]
    fn switch(&self, number: u32) -> Switch {
        let (group, place) = self.a.split(number);
        Switch { group, place }
    }

    /// The number of a switch.
    #[inline]
    fn number(&self, switch: Switch) -> u32 {
        switch.group.wrapping_mul(narrow(self.a.get())).wrapping_add(switch.place) // below that of nodes
    }

    pub(super) fn links(&self) -> Vec<(u32, u32)> {
        let mut links: Vec<_> = self.hosts.links().collect();
        let first = self.hosts.count();
        for switch in 0..self.switches() {
            let higher = self.neighbours(switch).filter(|&other| other > switch);
            links.extend(higher.map(|other| (first + switch, first + other)));
        }
        links
    }

    /// How many switches there are.
    fn switches(&self) -> u32 {
        narrow(self.groups.get() * self.a.get())
    }

    /// The switches that a switch is linked to: those of its group, then by the links to others.
    fn neighbours(&self, switch: u32) -> impl Iterator<Item = u32> {
        let switch = self.switch(switch);
        let links = 0..narrow(self.a.get() - 1 + self.h.get());
        links.map(move |number| self.number(self.neighbour(switch, number)))
    }

    fn distances(&self) -> &[u8] {
        self.distances.get_or_init(|| {
            let (a, switches) = (narrow(self.a.get()), self.switches());
            // No switch is more than 3 links away: inside the group, to the other group, and there.
            let mut distances = vec![3_u8; a as usize * switches as usize].into_boxed_slice();
            for (own, row) in (0..a).zip(distances.chunks_mut(switches as usize)) {
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

    /// Whether there is a list of the neighbours that are nearer.
    #[inline]
    fn has_list(&self) -> bool {
        let (a, h) = (self.a.get(), self.h.get());
        a - 1 + h <= u64::BITS.into() && a * u64::from(self.switches()) <= MAX_PAIRS
    }

    /// For every switch of group 0 and every switch, a bit for each of [`Self::neighbours`] of the first that is nearer
    /// to the second; none where they are many.
    fn nearer(&self) -> Option<&[u64]> {
        if !self.has_list() {
            return None;
        }
        let a = self.a.get();
        Some(self.nearer.get_or_init(|| {
            let of_pair = |one: u32, other: u32| {
                let apart = self.between(one, other);
                let bits = self.neighbours(one).enumerate();
                bits.map(|(bit, next)| u64::from(self.between(next, other) < apart) << bit).sum()
            };
            (0..narrow(a))
                .flat_map(|one| (0..self.switches()).map(move |other| of_pair(one, other)))
                .collect()
        }))
    }

    /// Where a pair of switches is in the lists of those of group 0 and all.
    #[inline]
    fn pair(&self, one: Switch, other: Switch) -> usize {
        let groups = narrow(self.groups.get());
        let apart = other.group.wrapping_sub(one.group);
        let apart = apart.min(apart.wrapping_add(groups)); // one of them wraps around
        let a = narrow(self.a.get());
        (one.place * groups + apart) as usize * a as usize + other.place as usize
    }

    /// The distance between two switches.
    #[inline]
    fn between(&self, one: u32, other: u32) -> u32 {
        self.distances()[self.pair(self.switch(one), self.switch(other))].into()
    }

    #[inline]
    pub(crate) fn distance(&self, at: u32, to: u32) -> u32 {
        if at == to {
            return 0;
        }
        let ((one, up), (other, down)) = (self.hosts.switch_of(at), self.hosts.switch_of(to));
        up + down + self.between(one, other)
    }

    pub(crate) fn route_count(&self, at: u32, to: u32) -> u64 {
        self.count_between(self.hosts.switch_of(at).0, self.hosts.switch_of(to).0)
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
        ChannelNumbers {
            single: self.hosts.count(),
            codes: self.hosts.per_switch() + narrow(self.a.get() - 1 + self.h.get()),
        }
    }

    /// The link to the neighbour of a node with the lowest number that is nearer to another node.
    #[inline]
    pub(crate) fn lowest(&self, at: u32, to: u32) -> Hop {
        let ((own, up), (other, _)) = (self.hosts.switch_of(at), self.hosts.switch_of(to));
        if up == 1 {
            return Hop { code: 0, next: self.hosts.count() + own };
        }
        if own == other {
            return Hop { code: self.hosts.place(to), next: to };
        }
        let switch = self.switch(own);
        let lowest = if let Some(nearer) = self.nearer() {
            self.lowest_of(switch, nearer[self.pair(switch, self.switch(other))])
        } else {
            let apart = self.between(own, other);
            let nearer =
                (0..).zip(self.neighbours(own)).filter(|&(_, next)| self.between(next, other) < apart);
            nearer.min_by_key(|&(_, next)| next).map_or(0, |(number, _)| number)
        };
        self.link(lowest, self.neighbour(switch, lowest))
    }

    /// The link with a number to a neighbour.
    #[inline]
    fn link(&self, number: u32, next: Switch) -> Hop {
        // All of it is below the number of nodes.
        let next = self.hosts.count().wrapping_add(self.number(next));
        Hop { code: self.hosts.per_switch().wrapping_add(number), next }
    }

    /// Of the neighbours of a switch whose bits are set, the number of the one with the lowest node.
    ///
    /// The groups that links lead to ascend with their numbers, and begin again from group 0 on: those that have begun again
    /// are lower than the switch's own group, the others higher.
    #[inline]
    fn lowest_of(&self, Switch { group, place }: Switch, nearer: u64) -> u32 {
        let (a, h, groups) = (narrow(self.a.get()), narrow(self.h.get()), narrow(self.groups.get()));
        let lower = (groups - 1 - group).saturating_sub(place * h).min(h) + a - 1;
        let of_lower = nearer.checked_shr(lower).unwrap_or(0);
        if of_lower == 0 { nearer.trailing_zeros() } else { lower + of_lower.trailing_zeros() }
    }

    /// Of the neighbours of a switch that are nearer to another, given by their list, the number of the one that a hash draws.
    #[inline]
    fn drawn_of(&self, nearer: &[u64], [own, other]: [Switch; 2], hash: impl Fn() -> u64) -> u32 {
        let all = nearer[self.pair(own, other)];
        let hash = if all.is_power_of_two() { 0 } else { hash() };
        if hash == 0 {
            return self.lowest_of(own, all);
        }
        // From a neighbour it is at most 2 links: as many routes of 2 as switches are nearer, or one shorter route.
        let routes = |number: u32| {
            let next = self.neighbour(own, number);
            u64::from(nearer[self.pair(next, other)].count_ones()).max(1)
        };
        let total: u64 = places(all).map(routes).sum();
        let (mut drawn, mut rest) = (hash % total, all);
        loop {
            let lowest = self.lowest_of(own, rest);
            rest &= !(1 << lowest);
            match drawn.checked_sub(routes(lowest)) {
                Some(others) if rest != 0 => drawn = others,
                _ => return lowest,
            }
        }
    }

    /// The hosts, if the links of a route, but for that of its source to a switch, go along with a message.
    #[inline]
    pub(crate) fn hosts_of_kept_routes(&self) -> Option<Hosts> {
        let nodes = u64::from(self.hosts.count() + self.switches());
        let is_kept = self.has_list() && RouteSteps::holds_hops(nodes, self.channel_numbers().codes);
        is_kept.then_some(self.hosts)
    }

    /// The length of the shortest route from one node to another that is drawn by a hash of each switch on it
    /// (`docs/model.md` section 19), and its links that go along with a message: three between switches at most, and one to the
    /// destination. Hashes of 0 draw the lowest neighbours.
    pub(crate) fn steps(&self, from: u32, to: u32, hash: impl Fn(u32) -> u64) -> (u32, RouteSteps) {
        let ((own, up), (other, down)) = (self.hosts.switch_of(from), self.hosts.switch_of(to));
        let (mut links, mut hops) = (0, [Hop::default(); RouteSteps::MAX_HOPS]);
        if let Some(nearer) = self.nearer() {
            let [mut at, to] = [own, other].map(|switch| self.switch(switch));
            while at != to {
                let hash = || hash(self.hosts.count() + self.number(at));
                let number = self.drawn_of(nearer, [at, to], hash);
                at = self.neighbour(at, number);
                hops[links % RouteSteps::MAX_HOPS] = self.link(number, at);
                links += 1;
            }
        }
        hops[links % RouteSteps::MAX_HOPS] = Hop { code: self.hosts.place(to), next: to };
        let links = narrow(links as u64) + down;
        (if from == to { 0 } else { up + links }, RouteSteps::of_hops(hops))
    }

    /// The code of the link back from a link of a switch to another.
    #[inline]
    pub(crate) fn back(&self, at: u32, hop: Hop) -> u32 {
        let (count, hosts) = (self.hosts.count(), self.hosts.per_switch());
        let (Some(number), Some(switch), Some(next)) =
            (hop.code.checked_sub(hosts), at.checked_sub(count), hop.next.checked_sub(count))
        else {
            return 0;
        };
        let (a, h, groups) = (narrow(self.a.get()), narrow(self.h.get()), narrow(self.groups.get()));
        // Which links lead to other groups has no pattern. None of this overflows where it counts.
        let own = self.switch(switch).place;
        let in_group = own.wrapping_sub(u32::from(own > self.switch(next).place));
        let link = own.wrapping_mul(h).wrapping_add(number).wrapping_sub(a - 1);
        let to_group = (a - 1).wrapping_add(self.h.split(groups.wrapping_sub(2).wrapping_sub(link)).1);
        hosts + select_unpredictable(number < a - 1, in_group, to_group)
    }

    /// The neighbour of [`Self::neighbours`] with this number.
    #[inline]
    fn neighbour(&self, Switch { group, place }: Switch, number: u32) -> Switch {
        let (a, h, groups) = (narrow(self.a.get()), narrow(self.h.get()), narrow(self.groups.get()));
        if number < a - 1 {
            return Switch { group, place: number + u32::from(number >= place) };
        }
        let link = place * h + number - (a - 1);
        let there = group + link + 1; // less than twice the groups
        let group = there.min(there.wrapping_sub(groups)); // one of them is a group
        Switch { group, place: self.h.split(groups - 2 - link).0 }
    }
}
