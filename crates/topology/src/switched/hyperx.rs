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
    pub(super) fn new(hosts: Hosts, lengths: &[u64]) -> Self {
        Self { hosts, lengths: lengths.iter().map(|&length| Divisor::new(length)).collect() }
    }

    pub(super) fn links(&self) -> Vec<(u32, u32)> {
        let mut links: Vec<_> = self.hosts.links().collect();
        let lengths = self.lengths.iter().map(|length| narrow(length.get()));
        let switches: u32 = lengths.clone().product();
        let (first, mut stride) = (self.hosts.count, 1);
        for length in lengths {
            for switch in 0..switches {
                let coordinate = switch / stride % length;
                let others = (coordinate + 1..length).map(|other| switch + (other - coordinate) * stride);
                links.extend(others.map(|other| (first + switch, first + other)));
            }
            stride *= length;
        }
        links
    }

    /// The length of each dimension, and the coordinates of two switches.
    #[inline]
    fn coordinates(&self, one: u32, other: u32) -> impl Iterator<Item = [u32; 3]> {
        self.lengths.iter().scan((one, other), |rest, length| {
            let ((one, this), (other, that)) = (length.split(rest.0), length.split(rest.1));
            *rest = (one, other);
            Some([narrow(length.get()), this, that])
        })
    }

    /// The number of coordinates in which two switches differ.
    #[inline]
    fn differing(&self, one: u32, other: u32) -> u32 {
        self.coordinates(one, other).map(|[_, this, that]| u32::from(this != that)).sum()
    }

    /// Among the ports of a switch that lead nearer to another, in ascending order, the one that `choose` picks given their
    /// number; counted after those of hosts.
    ///
    /// Ports lead to lower switches first, along the highest dimension before the others, then to higher switches, along
    /// the lowest dimension before the others.
    fn port_between(&self, one: u32, other: u32, choose: &dyn Fn(u16) -> u16) -> Option<u32> {
        let (mut down_count, mut up_count, mut lower) = (0, 0, 0);
        for [_, this, that] in self.coordinates(one, other) {
            down_count += u16::from(that < this);
            up_count += u16::from(that > this);
            lower += this;
        }
        let place = choose(down_count + up_count);
        // By dimension: the ports down, after those of higher dimensions, and then the ports up.
        let is_down = place < down_count;
        let mut left = if is_down { down_count - 1 - place } else { place - down_count };
        let (mut down, mut up) = (lower, lower);
        for [length, this, that] in self.coordinates(one, other) {
            down -= this;
            if this != that && (that < this) == is_down {
                if left == 0 {
                    return Some(if is_down { down + that } else { up + (that - this - 1) });
                }
                left -= 1;
            }
            up += length - this - 1;
        }
        None
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

    fn nearer_port(&self, at: u32, to: u32, choose: &dyn Fn(u16) -> u16) -> Option<u16> {
        let ((one, up), (other, _)) = (self.hosts.switch_of(at), self.hosts.switch_of(to));
        let port = if up == 1 {
            0
        } else if one == other {
            self.hosts.place(to)
        } else {
            self.hosts.per_switch() + self.port_between(one, other, choose)?
        };
        u16::try_from(port).ok()
    }
}
