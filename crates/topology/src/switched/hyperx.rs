//! HyperX (Ahn et al. 2009): switches at the coordinates of a shape, linked with all on the same line.

use std::num::NonZeroU32;

use super::Hosts;
use crate::{
    Divisor, narrow,
    routing::{ChannelNumbers, Hop, MAX_ROUTE_COUNT, RouteSteps},
};

/// Switches at the coordinates of a shape, linked with all on the same line.
#[derive(Debug)]
pub(crate) struct HyperX {
    hosts: Hosts,
    lengths: Vec<Divisor>,
    dimensions: Box<[Dimension]>, // by the coordinate that a link leads to, all dimensions one behind the other
    keeps_routes: bool,
}

/// A dimension of the switches.
#[derive(Debug, Clone, Copy)]
struct Dimension {
    first: u32, // the code of the link to coordinate 0
    stride: NonZeroU32,
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

    /// The length of the shortest route from one node to another that is drawn by a hash of each switch on it
    /// (`docs/model.md` section 19), and its links that go along with a message. Hashes of 0 draw the lowest neighbours.
    #[inline]
    pub(crate) fn steps(&self, from: u32, to: u32, hash: impl Fn(u32) -> u64) -> (u32, RouteSteps) {
        let ((own, up), (other, down)) = (self.hosts.switch_of(from), self.hosts.switch_of(to));
        let mut coordinates = [Coordinate::default(); Self::MAX_KEPT];
        for (own, found) in coordinates.iter_mut().zip(self.coordinates_of(own, other)) {
            *own = found;
        }
        // From the lowest neighbour on, as in `next`: first the coordinates that become smaller, then those that become greater.
        // Which do has no pattern, so that a branch for each would be foreseen badly: what is written for the others is written
        // over.
        let (mut crossings, mut count) = ([(0, 0); RouteSteps::MAX_HOPS], 0_usize);
        let mut note = |Coordinate { stride, code, from, to }, differs: bool| {
            let change = to.wrapping_sub(from).wrapping_mul(stride);
            crossings[count % RouteSteps::MAX_HOPS] = (code.wrapping_add(to), change);
            count += usize::from(differs);
        };
        let coordinates = &coordinates[..self.lengths.len().min(Self::MAX_KEPT)];
        for &own in coordinates.iter().rev() {
            note(own, own.to < own.from);
        }
        for &own in coordinates {
            note(own, own.to > own.from);
        }
        let (mut hops, mut at) =
            ([Hop::default(); RouteSteps::MAX_HOPS], self.hosts.count().wrapping_add(own));
        let links = count % RouteSteps::MAX_HOPS;
        for link in 0..links {
            let rest = &mut crossings[link..links];
            // The coordinates that are left can be corrected in any order.
            let drawn = if rest.len() > 1 { drawn_of(|| rest.len(), || hash(at)) } else { 0 };
            rest[..=drawn].rotate_right(1);
            let (code, change) = rest[0];
            at = at.wrapping_add(change);
            hops[link] = Hop { code, next: at };
        }
        hops[links % RouteSteps::MAX_HOPS] = Hop { code: self.hosts.place(to), next: to };
        let links = narrow(links as u64) + down;
        (if from == to { 0 } else { up + links }, RouteSteps::of_hops(hops))
    }

    /// The most dimensions of those whose routes go along with messages: a link each, and one to the destination.
    const MAX_KEPT: usize = 3;

    /// The network of a shape.
    pub(super) fn new(hosts: Hosts, lengths: Vec<Divisor>) -> Self {
        let own = Self { hosts, lengths, dimensions: Box::default(), keeps_routes: false };
        let switches: u64 = own.lengths.iter().map(|length| length.get()).product();
        let nodes = u64::from(hosts.count()) + switches;
        let is_kept = own.lengths.len() <= Self::MAX_KEPT;
        let keeps_routes = is_kept && RouteSteps::holds_hops(nodes, own.channel_numbers().codes);
        let of_length = |(Coordinate { stride, code, .. }, length): (Coordinate, &Divisor)| {
            let dimension =
                Dimension { first: code, stride: NonZeroU32::new(stride).unwrap_or(NonZeroU32::MIN) };
            (0..length.get()).map(move |_| dimension)
        };
        let dimensions = own.coordinates_of(0, 0).zip(&own.lengths).flat_map(of_length).collect();
        Self { dimensions, keeps_routes, ..own }
    }

    /// The link to that neighbour of a node that is nearer to another node and is drawn by a hash of the node, the lowest for a
    /// hash of 0.
    #[inline]
    pub(crate) fn next(&self, at: u32, to: u32, hash: impl Fn() -> u64) -> Hop {
        let ((own, up), (other, _)) = (self.hosts.switch_of(at), self.hosts.switch_of(to));
        if up == 1 {
            return Hop { code: 0, next: self.hosts.count() + own };
        }
        if own == other {
            return Hop { code: self.hosts.place(to), next: to };
        }
        let smaller = || self.coordinates_of(own, other).filter(|own| own.to < own.from);
        let greater = || self.coordinates_of(own, other).filter(|own| own.to > own.from);
        let smaller_count = smaller().count();
        let drawn = drawn_of(|| smaller_count + greater().count(), hash);
        // A coordinate counts for more than all below it: from the highest that becomes smaller to the lowest, then from the
        // lowest that becomes greater.
        let drawn = match smaller_count.checked_sub(drawn + 1) {
            Some(place) => smaller().nth(place),
            None => greater().nth(drawn - smaller_count),
        };
        let Coordinate { stride, code, from, to } = drawn.unwrap_or_default();
        Hop { code: code + to, next: at - from * stride + to * stride }
    }

    /// The code of the link back from a link of a switch.
    #[inline]
    pub(crate) fn back(&self, at: u32, hop: Hop) -> u32 {
        let coordinate = hop.code.wrapping_sub(self.hosts.per_switch());
        let Some(&Dimension { first, stride }) = self.dimensions.get(coordinate as usize) else { return 0 };
        let there = hop.code.wrapping_sub(first).wrapping_mul(stride.get());
        let own = at.wrapping_add(there).wrapping_sub(hop.next);
        first + own / stride
    }

    /// The coordinates of two switches, from the lowest on.
    #[inline]
    fn coordinates_of(&self, own: u32, other: u32) -> impl Iterator<Item = Coordinate> {
        let (mut stride, mut code, mut rest) = (1_u32, self.hosts.per_switch(), [own, other]);
        self.lengths.iter().map(move |divisor| {
            let [(own, from), (other, to)] = rest.map(|rest| divisor.split(rest));
            let coordinate = Coordinate { stride, code, from, to };
            let length = narrow(divisor.get());
            // All are below the number of nodes.
            (rest, stride, code) = ([own, other], stride.wrapping_mul(length), code.wrapping_add(length));
            coordinate
        })
    }
}

/// The numbers of orders of so many coordinates, up to the greatest number that is counted.
const ORDERS: [u64; 22] = {
    let (mut orders, mut count) = ([1; 22], 1);
    while count < orders.len() {
        let all = orders[count - 1] * count as u64;
        orders[count] = if all < MAX_ROUTE_COUNT { all } else { MAX_ROUTE_COUNT };
        count += 1;
    }
    orders
};

/// Which of some coordinates, at least 1, a hash draws: every order of the others is a route.
#[inline]
fn drawn_of(count: impl Fn() -> usize, hash: impl Fn() -> u64) -> usize {
    let hash = hash();
    if hash == 0 {
        return 0;
    }
    let count = count();
    let others = ORDERS[(count - 1) % ORDERS.len()];
    usize::try_from(hash % (count as u64 * others) / others).unwrap_or(0)
}
