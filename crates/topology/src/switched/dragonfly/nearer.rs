//! Which neighbours of a switch of a dragonfly are nearer to another, and by how many shortest routes.
//!
//! Besides the route by the link between two groups, of at most 3 links, there are routes by two or three links between groups;
//! where a link leads that follows another, its group and place, says which of them are as short.

use std::ops::Range;

use super::{Dragonfly, Switch};
use crate::routing::Draw;

/// The neighbours of a switch that are nearer to another in another group, with the numbers of shortest routes from them.
#[derive(Debug)]
struct Nearer {
    local: [(u32, u64); 2], // their places in the group of the switch
    links: [Range<u32>; 2], // to other groups, counted from 0: a route by each
    third: Option<u32>, // how many groups behind link 0 the other is, where it may be reached by three links between groups
}

impl Dragonfly {
    /// The links of a switch to other groups, counted from 0, with which a pair begins that leads to the same place so many
    /// groups on: of `h` numbers each, two that sum up to `h - 1` and these groups, which may be below 0.
    #[inline]
    fn pairs_to(&self, groups: u32) -> Range<u32> {
        let h = self.h();
        if groups < h { groups..h } else { 0..(h + groups).saturating_sub(self.groups) }
    }

    /// How many pairs of links lead to the same place so many groups on.
    #[inline]
    fn pair_count(&self, groups: u32) -> u64 {
        self.pairs_to(groups).len() as u64
    }

    /// The distance between two switches, and of shortest routes of at most 2 links their number.
    #[inline]
    pub(super) fn short_routes(&self, one: Switch, other: Switch) -> (u32, u64) {
        let apart = self.apart(one, other);
        if apart == 0 {
            return (u32::from(one.place != other.place), 1);
        }
        // By the link between the groups, or by another group.
        let direct = self.links_by(self.way_out(apart).0, one, other);
        let pairs = if one.place == other.place { self.pair_count(apart) } else { 0 };
        match direct {
            1 => (1, 1),
            2 => (2, 1 + pairs),
            _ if pairs > 0 => (2, pairs),
            _ => (3, 1),
        }
    }

    /// How many links the route between two switches of different groups has that leaves the group of the first at a place.
    #[inline]
    fn links_by(&self, out: u32, one: Switch, other: Switch) -> u32 {
        1 + u32::from(one.place != out) + u32::from(other.place != self.a() - 1 - out)
    }

    /// The distance between two switches.
    #[inline]
    pub(super) fn between(&self, one: Switch, other: Switch) -> u32 {
        self.short_routes(one, other).0
    }

    /// The number of shortest routes from one switch to another.
    pub(super) fn count_between(&self, one: Switch, other: Switch) -> u64 {
        match self.short_routes(one, other) {
            (..=2, routes) => routes,
            _ => self.routes(&self.nearer(one, other)),
        }
    }

    /// The neighbours of a switch that are nearer to another in another group.
    fn nearer(&self, own: Switch, other: Switch) -> Nearer {
        let apart = self.apart(own, other);
        let ((out, link), links) = (self.way_out(apart), self.between(own, other));
        let is_direct = self.links_by(out, own, other) == links;
        let mut nearer = Nearer {
            local: [(out, u64::from(is_direct)), (other.place, 0)],
            links: [0..0, 0..0],
            third: None,
        };
        if own.place == out {
            nearer.local[0].1 = 0;
            nearer.links[0] = link..link + u32::from(is_direct);
        }
        if links == 2 && own.place == other.place {
            nearer.links[1] = self.pairs_to(apart);
        }
        if links == 3 {
            // A pair of links between groups behind or before one inside of a group; with one between them; three.
            nearer.local[1].1 = self.pair_count(apart);
            nearer.links = [self.pairs_to(apart), self.pairs_to(self.shifted(own, other))];
            nearer.third = self.third(own, other);
        }
        if out > other.place {
            nearer.local.reverse();
        }
        nearer
    }

    /// How many groups pairs of links to other groups lead on, if there is one between them inside of a group.
    #[inline]
    fn shifted(&self, own: Switch, other: Switch) -> u32 {
        let (h, apart) = (self.h(), self.apart(own, other));
        self.modulo_groups(self.modulo_groups(apart + self.groups - own.place * h + other.place * h))
    }

    /// How many groups a switch is behind the one that link 0 of another to other groups leads to, if it may be reached by three
    /// of them.
    #[inline]
    fn third(&self, own: Switch, other: Switch) -> Option<u32> {
        let (h, apart) = (self.h(), self.apart(own, other));
        let behind = self.modulo_groups(apart + self.groups - 1 - own.place * h);
        (own.place + other.place == self.a() - 1).then_some(behind)
    }

    /// How many shortest routes begin with a link to another group.
    #[inline]
    fn routes_by(&self, nearer: &Nearer, link: u32) -> u64 {
        let by_third = |behind: u32| {
            let there = behind.wrapping_sub(link);
            self.pair_count(there.min(there.wrapping_add(self.groups))) // one of them wraps around
        };
        let by_others = nearer.links.iter().filter(|links| links.contains(&link)).count();
        by_others as u64 + nearer.third.map_or(0, by_third)
    }

    /// How many shortest routes there are.
    fn routes(&self, nearer: &Nearer) -> u64 {
        let by_links: u64 = match nearer.third {
            None => nearer.links.iter().map(|links| links.len() as u64).sum(),
            Some(_) => (0..self.h()).map(|link| self.routes_by(nearer, link)).sum(),
        };
        let [(_, one), (_, other)] = nearer.local;
        one + other + by_links
    }

    /// Whether the route by the link between their groups, or in their group, must be the only shortest one from one switch to
    /// another, as two links between groups lead nowhere near.
    #[inline]
    pub(super) fn is_direct(&self, own: Switch, other: Switch) -> bool {
        let apart = self.apart(own, other);
        let others_lead_there = !self.pairs_to(apart).is_empty()
            || !self.pairs_to(self.shifted(own, other)).is_empty()
            || self.third(own, other).is_some();
        apart == 0 || !others_lead_there
    }

    /// The number of the link of a switch to that neighbour that is nearer to another switch, in another group, and is drawn by a
    /// hash, the lowest for a hash of 0.
    pub(super) fn drawn_of_nearer(&self, own: Switch, other: Switch, hash: u64) -> u32 {
        let nearer = self.nearer(own, other);
        // A hash of 0 falls on the first, however many there are.
        let mut draw = Draw::new(hash, if hash == 0 { 1 } else { self.routes(&nearer) });
        // Groups ascend with the numbers of links, and begin again from group 0 on, below the own.
        let h = self.h();
        let again = (self.groups - 1 - own.group).saturating_sub(own.place * h).min(h);
        let lower = (again..h).find(|&link| draw.falls_on(self.routes_by(&nearer, link)));
        if let Some(link) = lower {
            return self.link_to_group(link);
        }
        let local = nearer.local.iter().find(|&&(_, routes)| draw.falls_on(routes));
        if let Some(&(place, _)) = local {
            return Self::link_to_place(own, place);
        }
        let higher = (0..again).find(|&link| draw.falls_on(self.routes_by(&nearer, link)));
        self.link_to_group(higher.unwrap_or(0))
    }
}
