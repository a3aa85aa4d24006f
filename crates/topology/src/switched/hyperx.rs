//! HyperX (Ahn et al. 2009): switches at the coordinates of a shape, linked with all on the same line.

use super::{host_links, switch_of};

/// Switches at the coordinates of a shape, linked with all on the same line.
#[derive(Debug)]
pub(crate) struct HyperX {
    pub(super) hosts: u32,
    pub(super) per_switch: u32,
    pub(super) lengths: Vec<u32>,
}

impl HyperX {
    pub(super) fn links(&self) -> Vec<(u32, u32)> {
        let mut links: Vec<_> = host_links(self.hosts, self.per_switch).collect();
        let switches: u32 = self.lengths.iter().product();
        let mut stride = 1;
        for &length in &self.lengths {
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
    fn differing(&self, mut one: u32, mut other: u32) -> u32 {
        let mut count = 0;
        for &length in &self.lengths {
            count += u32::from(one % length != other % length);
            one /= length;
            other /= length;
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

    #[inline]
    pub(crate) fn lowest(&self, at: u32, to: u32) -> u32 {
        let ((own, up), (other, _)) = (self.switch(at), self.switch(to));
        if up == 1 {
            return self.hosts + own;
        }
        if own == other {
            return to;
        }
        let (mut lowest, mut stride) = (u32::MAX, 1);
        let (mut rest_own, mut rest_other) = (own, other);
        for &length in &self.lengths {
            let (a, b) = (rest_own % length, rest_other % length);
            (rest_own, rest_other) = (rest_own / length, rest_other / length);
            if a != b {
                lowest = lowest.min(own - a * stride + b * stride);
            }
            stride *= length;
        }
        self.hosts + lowest
    }

    #[inline]
    fn switch(&self, node: u32) -> (u32, u32) {
        switch_of(node, self.hosts, self.per_switch)
    }
}
