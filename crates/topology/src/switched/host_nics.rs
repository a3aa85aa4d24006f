//! The links between hosts and their switches.

use std::fmt;

use super::small;

/// The links of every host of a network with switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostNics {
    /// This number of parallel links to its switch.
    OneSwitch(u64),
    /// A link to each of this many consecutive switches, `q`: host `h` on switches
    /// `q floor(h / p) + j`, where a switch has `p` hosts.
    Neighbours(u64),
}

impl HostNics {
    /// One link.
    pub const ONE: Self = Self::OneSwitch(1);

    /// The number of links.
    #[must_use]
    pub fn count(self) -> u64 {
        match self {
            Self::OneSwitch(count) | Self::Neighbours(count) => count,
        }
    }

    /// The number of switches that share their hosts.
    pub(super) fn switches(self) -> u64 {
        match self {
            Self::OneSwitch(_) => 1,
            Self::Neighbours(count) => count,
        }
    }

    /// The links of hosts `0 ..`, `per_switch` on a switch; the first switch follows the hosts.
    pub(super) fn links(self, hosts: u64, per_switch: u64) -> impl Iterator<Item = (u32, u32)> {
        (0..hosts).flat_map(move |host| {
            (0..self.count()).map(move |nic| {
                let switch = match self {
                    Self::OneSwitch(_) => host / per_switch,
                    Self::Neighbours(count) => host / per_switch * count + nic,
                };
                (small(host), small(hosts + switch))
            })
        })
    }
}

/// Empty for one link.
impl fmt::Display for HostNics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneSwitch(1) => Ok(()),
            Self::OneSwitch(count) => write!(formatter, ", {count} links a host"),
            Self::Neighbours(count) => write!(formatter, ", {count} links a host, each to another switch"),
        }
    }
}
