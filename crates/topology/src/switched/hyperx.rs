//! HyperX (Ahn et al. 2009): switches at the coordinates of a shape, linked with all on the same line.

use super::Hosts;
use crate::{
    Divisor, narrow,
    routing::{ChannelNumbers, Hop},
};

/// Switches at the coordinates of a shape, linked with all on the same line.
#[derive(Debug)]
pub(crate) struct HyperX {
    pub(super) hosts: Hosts,
    pub(super) lengths: Vec<Divisor>,
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
