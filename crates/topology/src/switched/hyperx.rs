//! HyperX (Ahn et al. 2009): switches at the coordinates of a shape, linked with all on the same line.

use super::{Hosts, KeepsRoutes};
use crate::{
    Divisor, Length, narrow,
    routing::{ChannelNumbers, Hop, MAX_ROUTE_COUNT, RouteSteps},
};

/// Switches at the coordinates of a shape, linked with all on the same line.
#[derive(Debug)]
pub(crate) struct HyperX {
    hosts: Hosts,
    dimensions: Box<[Dimension]>,
    dimension_of_code: Box<[u8]>, // of a link between switches, by its code less the hosts on a switch
    step_bits: StepBits,
    keeps_routes: bool,
}

/// The bits of a link of a route that goes along with a message: the number of its dimension, counted from 1, above the
/// coordinates that it leads to and from; or above as many bits 0, and in these the place of a host on its switch.
#[derive(Debug, Clone, Copy)]
struct StepBits {
    all: u32,
    coordinate: u32,
}

/// A dimension of the switches.
#[derive(Debug, Clone, Copy)]
struct Dimension {
    length: Divisor,
    stride: Length,
    first: u32, // the code of the link to coordinate 0
}

/// A coordinate of two switches.
#[derive(Debug, Clone, Copy, Default)]
struct Coordinate {
    dimension: u32,
    stride: u32,
    code: u32, // of the link to coordinate 0
    from: u32,
    to: u32,
}

impl HyperX {
    pub(super) fn links(&self) -> Vec<(u32, u32)> {
        let mut links: Vec<_> = self.hosts.links().collect();
        let lengths = self.dimensions.iter().map(|own| narrow(own.length.get()));
        let switches: u32 = lengths.clone().product();
        let first = self.hosts.count();
        for (length, stride) in lengths.zip(self.dimensions.iter().map(|own| narrow(own.stride.get()))) {
            for switch in 0..switches {
                let own = switch / stride % length;
                let others = (own + 1..length).map(|other| switch + (other - own) * stride);
                links.extend(others.map(|other| (first + switch, first + other)));
            }
        }
        links
    }

    /// The number of coordinates in which two switches differ.
    #[inline]
    fn differing(&self, one: u32, other: u32) -> u32 {
        self.coordinates_of(one, other).map(|own| u32::from(own.from != own.to)).sum()
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

    /// The numbers of channels: of a switch those to its hosts, then those along each dimension by coordinate.
    pub(crate) fn channel_numbers(&self) -> ChannelNumbers {
        let between_switches = narrow(self.dimension_of_code.len() as u64);
        ChannelNumbers { single: self.hosts.count(), codes: self.hosts.per_switch() + between_switches }
    }

    /// The bits of a link of [`Self::steps`].
    #[inline]
    pub(crate) fn step_bits(&self) -> u32 {
        self.step_bits.all
    }

    /// The length of the shortest route from one node to another that is drawn by a hash of each switch on it
    /// (`docs/model.md` section 19), and its links that go along with a message. Hashes of 0 draw the lowest neighbours.
    #[inline]
    pub(crate) fn steps(&self, from: u32, to: u32, hash: impl Fn(u32) -> u64) -> (u32, RouteSteps) {
        // Few dimensions, as most have, are in registers where no more are thought of.
        if self.dimensions.len() < Self::FEW {
            self.steps_in::<{ Self::FEW }>([from, to], hash)
        } else {
            self.steps_in::<{ Self::MAX_KEPT }>([from, to], hash)
        }
    }

    /// The same in fewer than `N` dimensions.
    #[inline]
    fn steps_in<const N: usize>(&self, [from, to]: [u32; 2], hash: impl Fn(u32) -> u64) -> (u32, RouteSteps) {
        let StepBits { all, coordinate: bits } = self.step_bits;
        let ((own, up), (other, down)) = (self.hosts.switch_of(from), self.hosts.switch_of(to));
        let mut coordinates = [Coordinate::default(); N];
        for (own, found) in coordinates.iter_mut().zip(self.coordinates_of(own, other)) {
            *own = found;
        }
        // From the lowest neighbour on, as in `next`: first the coordinates that become smaller, then those that become greater.
        // Which do has no pattern, so that a branch for each would be foreseen badly: what is written for the others is written
        // over.
        let (mut crossings, mut count) = ([(0, 0); N], 0_usize);
        let mut note = |Coordinate { dimension, stride, from, to, .. }, differs: bool| {
            let change = to.wrapping_sub(from).wrapping_mul(stride);
            let step = (dimension + 1) << (2 * bits) | to << bits | from;
            crossings[count % N] = (step, change);
            count += usize::from(differs);
        };
        let coordinates = &coordinates[..self.dimensions.len().min(N)];
        for &own in coordinates.iter().rev() {
            note(own, own.to < own.from);
        }
        for &own in coordinates {
            note(own, own.to > own.from);
        }
        let links = count % N;
        let mut at = self.hosts.count().wrapping_add(own);
        for link in 0..links {
            let rest = &mut crossings[link..links];
            // The coordinates that are left can be corrected in any order.
            let drawn = if rest.len() > 1 { drawn_of(|| rest.len(), || hash(at)) } else { 0 };
            // One by one: what has just been written would be waited for by a move of many.
            for place in (0..drawn).rev() {
                rest.swap(place, place + 1);
            }
            at = at.wrapping_add(rest[0].1);
        }
        let mut steps = RouteSteps::default();
        steps.prepend(all, self.hosts.place(to));
        for &(step, _) in crossings[..links].iter().rev() {
            steps.prepend(all, step);
        }
        let links = narrow(links as u64) + down;
        (if from == to { 0 } else { up + links }, steps)
    }

    /// Fewer dimensions are few.
    const FEW: usize = 4;

    /// Routes in fewer dimensions go along with messages.
    const MAX_KEPT: usize = 8;

    /// The network of a shape.
    pub(super) fn new(hosts: Hosts, lengths: &[u64]) -> Self {
        let (mut dimensions, mut dimension_of_code, mut stride) = (vec![], vec![], 1);
        for (number, &length) in (0..).zip(lengths) {
            let first = hosts.per_switch() + narrow(dimension_of_code.len() as u64);
            dimensions.push(Dimension { length: Divisor::new(length), stride: Length::new(stride), first });
            dimension_of_code.extend((0..length).map(|_| number));
            stride *= length;
        }
        // The bits of a link, if those of all links of a route go along with a message.
        let longest = lengths.iter().copied().max().map_or(2, narrow);
        let of_place = RouteSteps::bits_of_codes(hosts.per_switch().max(2));
        let coordinate = RouteSteps::bits_of_codes(longest).max(of_place.div_ceil(2));
        let links = narrow(lengths.len() as u64) + 1; // one to the destination
        let all = 2 * coordinate + RouteSteps::bits_of_codes(links);
        let keeps_routes = lengths.len() < Self::MAX_KEPT && all <= u32::BITS && links * all <= 2 * u64::BITS;
        Self {
            hosts,
            dimensions: dimensions.into(),
            dimension_of_code: dimension_of_code.into(),
            step_bits: StepBits { all, coordinate },
            keeps_routes,
        }
    }

    /// The coordinates of two switches, from the lowest on.
    #[inline]
    fn coordinates_of(&self, own: u32, other: u32) -> impl Iterator<Item = Coordinate> {
        let mut rest = [own, other];
        (0..).zip(&self.dimensions).map(move |(dimension, own)| {
            let [(own_rest, from), (other_rest, to)] = rest.map(|rest| own.length.split(rest));
            rest = [own_rest, other_rest];
            Coordinate { dimension, stride: narrow(own.stride.get()), code: own.first, from, to }
        })
    }
}

impl KeepsRoutes for HyperX {
    #[inline]
    fn keeps_routes(&self) -> bool {
        self.keeps_routes
    }

    #[inline]
    fn next(&self, at: u32, to: u32, hash: impl Fn() -> u64) -> Hop {
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
        let Coordinate { stride, code, from, to, .. } = drawn.unwrap_or_default();
        Hop { code: code + to, next: at - from * stride + to * stride }
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each link costs as much as its work")]
    fn take_step(&self, at: u32, steps: &mut RouteSteps) -> Hop {
        if let Some(up) = self.hosts.link_up(at) {
            return up;
        }
        let StepBits { all, coordinate: bits } = self.step_bits;
        let step = steps.take_code(all);
        let dimension = step >> (2 * bits);
        let coordinate = |field: u32| step >> (field * bits) & ((1 << bits) - 1);
        let own = self.dimensions.get(dimension.wrapping_sub(1) as usize);
        let Some(&Dimension { first, stride, .. }) = own else {
            return self.hosts.link_down(at, step);
        };
        // All of it is below the number of nodes, or of codes.
        let [from, to] = [coordinate(0), coordinate(1)];
        let change = to.wrapping_sub(from).wrapping_mul(narrow(stride.get()));
        Hop { code: first.wrapping_add(to), next: at.wrapping_add(change) }
    }

    #[inline]
    fn back(&self, at: u32, hop: Hop) -> u32 {
        let of_code = hop.code.wrapping_sub(self.hosts.per_switch()) as usize;
        let dimension =
            self.dimension_of_code.get(of_code).and_then(|&own| self.dimensions.get(usize::from(own)));
        let Some(&Dimension { first, stride, .. }) = dimension else { return 0 };
        let there = hop.code.wrapping_sub(first).wrapping_mul(narrow(stride.get()));
        let own = at.wrapping_add(there).wrapping_sub(hop.next);
        first + narrow(stride.divide(own.into()).0)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_go_along_with_messages_where_their_links_fit() {
        let keeps = |lengths: &[u64], per_switch| {
            let switches: u64 = lengths.iter().product();
            HyperX::new(Hosts::new(narrow(switches) * per_switch, per_switch), lengths).keeps_routes()
        };
        assert!(keeps(&[2; 7], 1) && !keeps(&[2; 8], 1));
        // 8 links of 15 bits, and of 17.
        assert!(keeps(&[2; 7], 1 << 12) && !keeps(&[2; 7], (1 << 12) + 1));
        // Two coordinates and a bit in 32.
        assert!(keeps(&[1 << 15], 1) && !keeps(&[(1 << 15) + 1], 1));
    }
}
