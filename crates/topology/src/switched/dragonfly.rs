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

/// The switches of a dragonfly of any number of groups: `a` a group, all linked with each other, with `h` ports to other
/// groups each, and `each` links between every two groups.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_field_names, reason = "the letters and words of the model")]
pub(super) struct Groups {
    pub(super) a: u32,
    pub(super) h: u32,
    pub(super) groups: u32,
    pub(super) each: u32,
}

impl Groups {
    /// The links between switches, which are numbered from `first` on. Link `x` of groups `i` and `j` joins port
    /// `x (G - 1) + (j - i - 1) mod G` of `i` and port `x (G - 1) + (i - j - 1) mod G` of `j`; port `y` is on switch
    /// `floor(y / h)` of its group.
    pub(super) fn links(self, first: u32) -> impl Iterator<Item = (u32, u32)> {
        let Self { a, h, groups, each } = self;
        let number = move |group: u32, place: u32| first + group * a + place;
        let inside = (0..groups).flat_map(move |group| {
            let pairs = (0..a).flat_map(move |one| (one + 1..a).map(move |other| (one, other)));
            pairs.map(move |(one, other)| (number(group, one), number(group, other)))
        });
        let pairs = (0..groups).flat_map(move |one| (one + 1..groups).map(move |other| (one, other)));
        let between = pairs.flat_map(move |(one, other)| {
            (0..each).map(move |link| {
                let switch = |from: u32, to: u32| {
                    let port = link * (groups - 1) + (to + groups - from - 1) % groups;
                    number(from, port / h)
                };
                (switch(one, other), switch(other, one))
            })
        });
        inside.chain(between)
    }
}

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
}
