//! Dragonflies (Kim et al. 2008).

mod nearer;

use std::hint::select_unpredictable;

use super::{Hosts, KeepsRoutes};
use crate::{
    Divisor, narrow,
    routing::{ChannelNumbers, Hop, RouteSteps},
};

/// Groups of `a` switches that are all linked with each other, and one link between every two groups, `h` of each switch.
///
/// Link `l` of a group to another, counted from 0, is one of switch `floor(l / h)` and leads `l + 1` groups on, modulo
/// `a h + 1`; there it is link `a h - 1 - l`. So the switch at place `s` of its group is linked to switches at place
/// `a - 1 - s` of others, and two links in a row to other groups lead back to its place, fewer than `h` groups away.
#[derive(Debug)]
pub(crate) struct Dragonfly {
    hosts: Hosts,
    a: Divisor,
    h: Divisor,
    groups: u32,
    keeps_routes: bool,
}

/// A switch of a dragonfly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Switch {
    group: u32,
    place: u32, // in its group
}

impl Dragonfly {
    /// Groups of so many switches, each with so many links to other groups.
    pub(super) fn new(hosts: Hosts, switches_per_group: u32, global_links: u32) -> Self {
        let groups = switches_per_group * global_links + 1;
        let [a, h] = [switches_per_group, global_links].map(|count| Divisor::new(count.into()));
        let own = Self { hosts, a, h, groups, keeps_routes: false };
        let nodes = u64::from(hosts.count() + own.switches());
        let keeps_routes = RouteSteps::holds_hops(nodes, own.channel_numbers().codes);
        Self { keeps_routes, ..own }
    }

    /// The switches of a group.
    #[inline]
    fn a(&self) -> u32 {
        narrow(self.a.get())
    }

    /// The links of a switch to other groups.
    #[inline]
    fn h(&self) -> u32 {
        narrow(self.h.get())
    }

    /// The switch with a number, counted from 0.
    #[inline]
    fn switch(&self, number: u32) -> Switch {
        let (group, place) = self.a.split(number);
        Switch { group, place }
    }

    /// The number of a switch.
    #[inline]
    fn number(&self, switch: Switch) -> u32 {
        switch.group.wrapping_mul(self.a()).wrapping_add(switch.place) // below that of nodes
    }

    pub(super) fn links(&self) -> Vec<(u32, u32)> {
        let mut links: Vec<_> = self.hosts.links().collect();
        let first = self.hosts.count();
        for switch in 0..self.switches() {
            let own = self.switch(switch);
            let neighbours =
                (0..self.a() - 1 + self.h()).map(|number| self.number(self.neighbour(own, number)));
            let higher = neighbours.filter(|&other| other > switch);
            links.extend(higher.map(|other| (first + switch, first + other)));
        }
        links
    }

    /// How many switches there are.
    fn switches(&self) -> u32 {
        self.groups * self.a()
    }

    /// The neighbour of a switch by the link with a number: first those to the others of its group, then those to other groups.
    #[inline]
    fn neighbour(&self, Switch { group, place }: Switch, number: u32) -> Switch {
        // None of this overflows where it counts.
        let in_group = number.wrapping_add(u32::from(number >= place));
        let link = place.wrapping_mul(self.h()).wrapping_add(number.wrapping_sub(self.a() - 1));
        let there = self.modulo_groups(group.wrapping_add(link).wrapping_add(1));
        let is_in_group = number < self.a() - 1;
        Switch {
            group: select_unpredictable(is_in_group, group, there),
            place: select_unpredictable(is_in_group, in_group, self.a() - 1 - place),
        }
    }

    /// The number of the link of a switch to the one at another place of its group.
    #[inline]
    fn link_to_place(own: Switch, place: u32) -> u32 {
        place.wrapping_sub(u32::from(place > own.place))
    }

    /// A number of groups below twice all, modulo all of them.
    #[inline]
    fn modulo_groups(&self, groups: u32) -> u32 {
        groups.min(groups.wrapping_sub(self.groups)) // one of them wraps around
    }

    /// How many groups a switch is behind another.
    #[inline]
    fn apart(&self, one: Switch, other: Switch) -> u32 {
        let apart = other.group.wrapping_sub(one.group);
        apart.min(apart.wrapping_add(self.groups)) // one of them wraps around
    }

    /// The place that a group is left from towards the one so many groups on, at least 1, and by which link of the switch there to
    /// other groups.
    #[inline]
    fn way_out(&self, apart: u32) -> (u32, u32) {
        self.h.split(apart - 1)
    }

    /// The number of a link to another group among all links of a switch.
    #[inline]
    fn link_to_group(&self, link: u32) -> u32 {
        (self.a() - 1).wrapping_add(link) // below all
    }

    /// The switch of a node, and the links to it.
    #[inline]
    fn switch_of(&self, node: u32) -> (Switch, u32) {
        let (switch, links) = self.hosts.switch_of(node);
        (self.switch(switch), links)
    }

    #[inline]
    pub(crate) fn distance(&self, at: u32, to: u32) -> u32 {
        if at == to {
            return 0;
        }
        let ((one, up), (other, down)) = (self.switch_of(at), self.switch_of(to));
        up + down + self.between(one, other)
    }

    pub(crate) fn route_count(&self, at: u32, to: u32) -> u64 {
        self.count_between(self.switch_of(at).0, self.switch_of(to).0)
    }

    /// The number of the first link of the route to another switch by the link between their groups, or in their group.
    #[inline]
    fn direct_link(&self, own: Switch, other: Switch) -> u32 {
        let apart = self.apart(own, other);
        if apart == 0 {
            return Self::link_to_place(own, other.place);
        }
        let (out, link) = self.way_out(apart);
        select_unpredictable(own.place == out, self.link_to_group(link), Self::link_to_place(own, out))
    }

    /// The number of the link of a switch to that neighbour that is nearer to another switch and is drawn by a hash, the lowest
    /// for a hash of 0.
    #[inline]
    fn drawn(&self, own: Switch, other: Switch, hash: impl Fn() -> u64) -> u32 {
        if self.is_direct(own, other) {
            self.direct_link(own, other)
        } else {
            self.drawn_of_nearer(own, other, hash())
        }
    }

    /// The numbers of channels: of a switch those to its hosts, then those to its neighbours.
    pub(crate) fn channel_numbers(&self) -> ChannelNumbers {
        let codes = self.hosts.per_switch() + self.a() - 1 + self.h();
        ChannelNumbers { single: self.hosts.count(), codes }
    }

    /// The link with a number to a neighbour.
    #[inline]
    fn link(&self, number: u32, next: Switch) -> Hop {
        // All of it is below the number of nodes.
        let next = self.hosts.count().wrapping_add(self.number(next));
        Hop { code: self.hosts.per_switch().wrapping_add(number), next }
    }

    /// The length of the shortest route from one node to another that is drawn by a hash of each switch on it
    /// (`docs/model.md` section 19), and its links that go along with a message: three between switches at most, and one to the
    /// destination. Hashes of 0 draw the lowest neighbours.
    pub(crate) fn steps(&self, from: u32, to: u32, hash: impl Fn(u32) -> u64) -> (u32, RouteSteps) {
        let ((own, up), (other, down)) = (self.switch_of(from), self.switch_of(to));
        let (mut at, mut links, mut hops) = (own, 0_usize, [Hop::default(); RouteSteps::MAX_HOPS]);
        while at != other && !self.is_direct(at, other) {
            let number = self.drawn_of_nearer(at, other, hash(self.hosts.count() + self.number(at)));
            at = self.neighbour(at, number);
            hops[links % RouteSteps::MAX_HOPS] = self.link(number, at);
            links += 1;
        }
        // What is left of the route by the link between the groups. Which links it has has no pattern, so that a branch for each
        // would be foreseen badly: what is written for the others is written over.
        let mut cross = |number: u32, next: Switch, is_crossed: bool| {
            hops[links % RouteSteps::MAX_HOPS] = self.link(number, next);
            links = links.wrapping_add(is_crossed.into());
        };
        let apart = self.apart(at, other);
        if apart > 0 {
            let (out, link) = self.way_out(apart);
            let leaving = Switch { group: at.group, place: out };
            cross(Self::link_to_place(at, out), leaving, at.place != out);
            at = Switch { group: other.group, place: self.a() - 1 - out };
            cross(self.link_to_group(link), at, true);
        }
        cross(Self::link_to_place(at, other.place), other, at != other);
        hops[links % RouteSteps::MAX_HOPS] = Hop { code: self.hosts.place(to), next: to };
        let links = narrow(links as u64) + down;
        (if from == to { 0 } else { up + links }, RouteSteps::of_hops(hops))
    }
}

impl KeepsRoutes for Dragonfly {
    #[inline]
    fn keeps_routes(&self) -> bool {
        self.keeps_routes
    }

    #[inline]
    fn next(&self, at: u32, to: u32, hash: impl Fn() -> u64) -> Hop {
        if let Some(up) = self.hosts.link_up(at) {
            return up;
        }
        let (own, other) = (self.switch_of(at).0, self.switch_of(to).0);
        if own == other {
            return Hop { code: self.hosts.place(to), next: to };
        }
        let number = self.drawn(own, other, hash);
        self.link(number, self.neighbour(own, number))
    }

    #[inline]
    fn take_step(&self, at: u32, steps: &mut RouteSteps) -> Hop {
        self.hosts.link_up(at).unwrap_or_else(|| steps.take_hop())
    }

    /// The code of the link back from a link of a switch to another; from a host, one of a channel with a higher number.
    #[inline]
    fn back(&self, at: u32, hop: Hop) -> u32 {
        let (a, hosts) = (self.a(), self.hosts.per_switch());
        let number = hop.code.wrapping_sub(hosts);
        // In a group two links to a switch have numbers as far apart as their switches, less the switch itself. Which links lead
        // to other groups has no pattern. None of this overflows where it counts.
        let in_group = number.wrapping_add(at).wrapping_sub(hop.next);
        let in_group =
            select_unpredictable(at < hop.next, in_group.wrapping_add(1), in_group.wrapping_sub(1));
        let to_group = (2 * (a - 1)).wrapping_add(self.h() - 1).wrapping_sub(number);
        hosts.wrapping_add(select_unpredictable(number < a - 1, in_group, to_group))
    }
}
