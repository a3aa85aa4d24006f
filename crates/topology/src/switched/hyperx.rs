//! HyperX (Ahn et al. 2009): switches at the coordinates of a shape, linked with all on the same line.

use std::hint::select_unpredictable;

use super::Hosts;
use crate::{
    Divisor, narrow,
    routing::{ChannelNumbers, Hop, RouteSteps},
};

/// Switches at the coordinates of a shape, linked with all on the same line.
#[derive(Debug)]
pub(crate) struct HyperX {
    hosts: Hosts,
    lengths: Vec<Divisor>,
    keeps_routes: bool,
}

/// A coordinate of two switches.
#[derive(Debug, Clone, Copy, Default)]
struct Coordinate {
    stride: u32,
    code: u32, // of the link to coordinate 0
    from: u32,
    to: u32,
}

impl HyperX {
    pub(super) fn links(&self) -> Vec<(u32, u32)> {
        let mut links: Vec<_> = self.hosts.links().collect();
        let lengths = self.lengths.iter().map(|length| narrow(length.get()));
        let switches: u32 = lengths.clone().product();
        let (first, mut stride) = (self.hosts.count(), 1);
        for length in lengths {
            for switch in 0..switches {
                let own = switch / stride % length;
                let others = (own + 1..length).map(|other| switch + (other - own) * stride);
                links.extend(others.map(|other| (first + switch, first + other)));
            }
            stride *= length;
        }
        links
    }

    /// The number of coordinates in which two switches differ.
    #[inline]
    fn differing(&self, one: u32, other: u32) -> u32 {
        let (mut count, mut rest) = (0, [one, other]);
        for length in &self.lengths {
            let [(one, a), (other, b)] = rest.map(|rest| length.split(rest));
            rest = [one, other];
            count += u32::from(a != b);
        }
        count
    }

    #[inline]
    pub(crate) fn distance(&self, at: u32, to: u32) -> u32 {
        if at == to {
            return 0;
        }
        let ((one, up), (other, down)) = (self.hosts.switch_of(at), self.hosts.switch_of(to));
        up + down + self.differing(one, other)
    }

    /// Coordinates can be corrected in any order.
    pub(crate) fn route_count(&self, at: u32, to: u32) -> u64 {
        let ((one, _), (other, _)) = (self.hosts.switch_of(at), self.hosts.switch_of(to));
        (1..=u64::from(self.differing(one, other))).product()
    }

    /// The sum of all lengths.
    fn coordinates(&self) -> u32 {
        self.lengths.iter().map(|length| narrow(length.get())).sum()
    }

    /// The numbers of channels: of a switch those to its hosts, then those along each dimension by coordinate.
    pub(crate) fn channel_numbers(&self) -> ChannelNumbers {
        ChannelNumbers { single: self.hosts.count(), codes: self.hosts.per_switch() + self.coordinates() }
    }

    /// The hosts, if the links of a route, but for that of its source to a switch, go along with a message.
    #[inline]
    pub(crate) fn hosts_of_kept_routes(&self) -> Option<Hosts> {
        self.keeps_routes.then_some(self.hosts)
    }

    /// The length of the route from one node to another over the lowest neighbours, and its links that go along with a
    /// message.
    pub(crate) fn steps(&self, from: u32, to: u32) -> (u32, RouteSteps) {
        let ((own, up), (other, down)) = (self.hosts.switch_of(from), self.hosts.switch_of(to));
        let mut coordinates = [Coordinate::default(); Self::MAX_KEPT];
        let (mut stride, mut code, mut rest) = (1_u32, self.hosts.per_switch(), [own, other]);
        for (own, divisor) in coordinates.iter_mut().zip(&self.lengths) {
            let [(own_rest, from), (other_rest, to)] = rest.map(|rest| divisor.split(rest));
            rest = [own_rest, other_rest];
            *own = Coordinate { stride, code, from, to };
            let length = narrow(divisor.get());
            (stride, code) = (stride.wrapping_mul(length), code.wrapping_add(length)); // below the number of nodes
        }
        // As in `lowest`, link by link: first the coordinates that become smaller, then those that become greater. Which do has
        // no pattern, so that a branch for each would be foreseen badly: what is written for the others is written over.
        let (mut hops, mut links, mut at) =
            ([Hop::default(); RouteSteps::MAX_HOPS], 0_usize, self.hosts.count().wrapping_add(own));
        let mut cross = |Coordinate { stride, code, from, to }, is_crossed: bool| {
            let next = at.wrapping_add(to.wrapping_sub(from).wrapping_mul(stride));
            at = select_unpredictable(is_crossed, next, at);
            hops[links % RouteSteps::MAX_HOPS] = Hop { code: code.wrapping_add(to), next: at };
            links += usize::from(is_crossed);
        };
        let coordinates = &coordinates[..self.lengths.len().min(Self::MAX_KEPT)];
        for &own in coordinates.iter().rev() {
            cross(own, own.to < own.from);
        }
        for &own in coordinates {
            cross(own, own.to > own.from);
        }
        hops[links % RouteSteps::MAX_HOPS] = Hop { code: self.hosts.place(to), next: to };
        let links = narrow(links as u64) + down;
        (if from == to { 0 } else { up + links }, RouteSteps::of_hops(hops))
    }

    /// The most dimensions of those whose routes go along with messages: a link each, and one to the destination.
    const MAX_KEPT: usize = 3;

    /// The network of a shape.
    pub(super) fn new(hosts: Hosts, lengths: Vec<Divisor>) -> Self {
        let own = Self { hosts, lengths, keeps_routes: false };
        let switches: u64 = own.lengths.iter().map(|length| length.get()).product();
        let nodes = u64::from(hosts.count()) + switches;
        let is_kept = own.lengths.len() <= Self::MAX_KEPT;
        let keeps_routes = is_kept && RouteSteps::holds_hops(nodes, own.channel_numbers().codes);
        Self { keeps_routes, ..own }
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
        // The highest coordinate that becomes smaller, else the lowest that differs: a coordinate counts for more than all
        // below it.
        let mut lowest = Hop { code: 0, next: u32::MAX };
        let (mut stride, mut code, mut rest) = (1, self.hosts.per_switch(), [own, other]);
        for divisor in &self.lengths {
            let [(own_rest, a), (other_rest, b)] = rest.map(|rest| divisor.split(rest));
            rest = [own_rest, other_rest];
            if b < a || b > a && lowest.next == u32::MAX {
                lowest = Hop { code: code + b, next: self.hosts.count() + own - a * stride + b * stride };
            }
            let length = narrow(divisor.get());
            stride *= length;
            code += length;
        }
        lowest
    }
}
