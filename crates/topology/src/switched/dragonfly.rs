//! Dragonflies (Kim et al. 2008).

use super::Hosts;
use crate::{Divisor, narrow, routes::Distances};

/// Groups of `a` switches that are all linked with each other, and one link between every two groups, `h` of each switch.
///
/// Link `l` of a group to another, counted from 0, is one of switch `floor(l / h)` and leads `l + 1` groups on, modulo
/// `a h + 1`; there it is link `a h - 1 - l`. So the switch at place `s` of its group is linked to switches at place
/// `a - 1 - s` of others, and two consecutive links to other groups lead back to its place, fewer than `h` groups away.
#[derive(Debug)]
pub(super) struct Dragonfly {
    hosts: Hosts,
    a: Divisor,
    h: Divisor,
    groups: u32,
}

/// A switch of a dragonfly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Switch {
    group: u32,
    place: u32, // in its group
}

impl Dragonfly {
    /// Returns groups of `switches_per_group` switches, each with `global_links` links to other groups.
    pub(super) fn new(hosts: Hosts, switches_per_group: u32, global_links: u32) -> Self {
        let [a, h] = [switches_per_group, global_links].map(|count| Divisor::new(count.into()));
        Self { hosts, a, h, groups: switches_per_group * global_links + 1 }
    }

    /// The switches of a group.
    #[inline]
    fn a(&self) -> u32 {
        narrow(self.a.get())
    }

    /// Its links.
    pub(super) fn links(&self) -> Vec<(u32, u32)> {
        let (a, h, first) = (self.a(), narrow(self.h.get()), self.hosts.count());
        let number = |group: u32, place: u32| first + group * a + place;
        let mut links: Vec<_> = self.hosts.links().collect();
        for group in 0..self.groups {
            for place in 0..a {
                links.extend((place + 1..a).map(|other| (number(group, place), number(group, other))));
                let others = (0..h).map(|link| (group + place * h + link + 1) % self.groups);
                let higher = others.filter(|&other| other > group);
                links.extend(higher.map(|other| (number(group, place), number(other, a - 1 - place))));
            }
        }
        links
    }

    /// The distance between two switches \[links\]: by the link between their groups, or by two links to other groups.
    #[inline]
    fn between(&self, one: Switch, other: Switch) -> u32 {
        if one.group == other.group {
            return u32::from(one.place != other.place);
        }
        let apart = other.group.wrapping_sub(one.group);
        let apart = apart.min(apart.wrapping_add(self.groups)); // the other wraps around
        let (out, _) = self.h.split(apart - 1);
        let direct = 1 + u32::from(one.place != out) + u32::from(other.place != self.a() - 1 - out);
        // Two links lead on by the sum of two numbers below h, and by h - 1 groups less.
        let h = narrow(self.h.get());
        let is_near = apart < h || apart > self.groups - h;
        if one.place == other.place && is_near { direct.min(2) } else { direct }
    }

    /// The switch of a node, and the links to it.
    #[inline]
    fn switch_of(&self, node: u32) -> (Switch, u32) {
        let (switch, links) = self.hosts.switch_of(node);
        let (group, place) = self.a.split(switch);
        (Switch { group, place }, links)
    }
}

impl Distances for Dragonfly {
    #[inline]
    fn distance(&self, at: u32, to: u32) -> u32 {
        if at == to {
            return 0;
        }
        let ((one, up), (other, down)) = (self.switch_of(at), self.switch_of(to));
        up + down + self.between(one, other)
    }

    fn route_count(&self, _at: u32, _to: u32) -> Option<u64> {
        None
    }
}
