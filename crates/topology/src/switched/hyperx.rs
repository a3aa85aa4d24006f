//! HyperX (Ahn et al. 2009): switches at the coordinates of a shape, linked with all on the same line.

use super::{host_links, switch_of};
use crate::{
    Divisor, narrow,
    routing::{ChannelNumbers, Hop},
};

/// Switches at the coordinates of a shape, linked with all on the same line.
#[derive(Debug)]
pub(crate) struct HyperX {
    pub(super) hosts: u32,
    pub(super) per_switch: u32,
    pub(super) lengths: Vec<Divisor>,
}

impl HyperX {
    pub(super) fn links(&self) -> Vec<(u32, u32)> {
        let mut links: Vec<_> = host_links(self.hosts, self.per_switch).collect();
        let lengths = self.lengths.iter().map(|length| narrow(length.get()));
        let switches: u32 = lengths.clone().product();
        let mut stride = 1;
        for length in lengths {
            for switch in 0..switches {
                let own = switch / stride % length;
                let others = (own + 1..length).map(|other| switch + (other - own) * stride);
                links.extend(others.map(|other| (self.hosts + switch, self.hosts + other)));
            }
            stride *= length;
        }
        links
    }

    /// The number of coordinates in which two switches differ.
    #[inline]
    fn differing(&self, one: u32, other: u32) -> u32 {
        let (mut count, mut rest) = (0, [one, other].map(u64::from));
        for length in &self.lengths {
            let [(one, a), (other, b)] = rest.map(|rest| length.divide(rest));
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
        let ((one, up), (other, down)) = (self.switch(at), self.switch(to));
        up + down + self.differing(one, other)
    }

    /// Coordinates can be corrected in any order.
    pub(crate) fn route_count(&self, at: u32, to: u32) -> u64 {
        let ((one, _), (other, _)) = (self.switch(at), self.switch(to));
        (1..=u64::from(self.differing(one, other))).product()
    }

    /// The sum of all lengths.
    fn coordinates(&self) -> u32 {
        self.lengths.iter().map(|length| narrow(length.get())).sum()
    }

    /// The numbers of channels: of a switch those to its hosts, then those along each dimension by coordinate.
    pub(crate) fn channel_numbers(&self) -> ChannelNumbers {
        ChannelNumbers { single: self.hosts, codes: self.per_switch + self.coordinates() }
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
        let (mut lowest, mut stride, mut code) = (Hop { code: 0, next: u32::MAX }, 1, self.per_switch);
        let mut rest = [own, other].map(u64::from);
        for length in &self.lengths {
            let [(own_rest, a), (other_rest, b)] = rest.map(|rest| length.divide(rest));
            rest = [own_rest, other_rest];
            let (length, a, b) = (narrow(length.get()), narrow(a), narrow(b));
            let next = self.hosts + own - a * stride + b * stride;
            if a != b && next < lowest.next {
                lowest = Hop { code: code + b, next };
            }
            stride *= length;
            code += length;
        }
        lowest
    }

    #[inline]
    fn switch(&self, node: u32) -> (u32, u32) {
        switch_of(node, self.hosts, self.per_switch)
    }
}
