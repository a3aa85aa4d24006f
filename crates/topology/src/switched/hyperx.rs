//! HyperX (Ahn et al. 2009): switches at the coordinates of a shape, linked with all on the same line.

use super::Hosts;
use crate::{Divisor, narrow, routes::Distances};

/// Switches at the coordinates of a shape, linked with all on the same line.
#[derive(Debug)]
pub(super) struct HyperX {
    hosts: Hosts,
    lengths: Box<[Divisor]>,
}

impl HyperX {
    /// Returns the network of a shape.
    pub(super) fn new(hosts: Hosts, lengths: &[u64]) -> Self {
        Self { hosts, lengths: lengths.iter().map(|&length| Divisor::new(length)).collect() }
    }

    /// Its links.
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
        let (mut rest, mut count) = ([one, other], 0);
        for length in &self.lengths {
            let [(one, own), (other, its)] = rest.map(|rest| length.split(rest));
            count += u32::from(own != its);
            rest = [one, other];
        }
        count
    }
}

impl Distances for HyperX {
    /// Every route corrects each coordinate.
    fn holds_for_any_weights(&self) -> bool {
        true
    }

    #[inline]
    fn distance(&self, at: u32, to: u32) -> u32 {
        if at == to {
            return 0;
        }
        let ((one, up), (other, down)) = (self.hosts.switch_of(at), self.hosts.switch_of(to));
        up + down + self.differing(one, other)
    }

    /// Coordinates can be corrected in any order.
    #[inline]
    fn route_count(&self, at: u32, to: u32) -> Option<u64> {
        let ((one, _), (other, _)) = (self.hosts.switch_of(at), self.hosts.switch_of(to));
        Some((1..=u64::from(self.differing(one, other))).product())
    }
}
