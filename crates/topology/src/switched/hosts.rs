//! The hosts of a network with switches: they have the lowest numbers, and host `i` is on switch
//! `floor(i / hosts per switch)`.

use crate::{Divisor, narrow};

/// The hosts of a network, as many on each of the first switches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hosts {
    pub(super) count: u32, // which is also the number of the first switch
    per_switch: Divisor,
}

impl Hosts {
    pub(super) fn new(count: u32, per_switch: u32) -> Self {
        Self { count, per_switch: Divisor::new(per_switch.into()) }
    }

    #[inline]
    pub(super) fn per_switch(self) -> u32 {
        narrow(self.per_switch.get())
    }

    pub(super) fn links(self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.count).map(move |host| (host, self.count + self.per_switch.split(host).0))
    }

    /// The switch of a node, counted from 0, and the links to it.
    #[inline]
    pub(super) fn switch_of(self, node: u32) -> (u32, u32) {
        match node.checked_sub(self.count) {
            None => (self.per_switch.split(node).0, 1),
            Some(switch) => (switch, 0),
        }
    }

    /// The place of a host among those on its switch.
    #[inline]
    pub(super) fn place(self, host: u32) -> u32 {
        self.per_switch.split(host).1
    }
}
