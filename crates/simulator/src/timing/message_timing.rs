//! The times of a message on the links that it crosses.

use crate::Cycles;

/// The times of one message on every link that it crosses; all links of a machine are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageTiming {
    pub(super) occupancy: Cycles, // at least 1, but of a message of 0 units, which takes no time at all
    pub(super) head: Cycles,      // at least 1
    pub(super) receipt: Cycles,   // at least `head` over one link
    pub(super) first_links: u64, // those that the receipt is over: 1, or 2 between hosts of one router with finite buffers
    pub(super) local: Cycles,
}

impl MessageTiming {
    /// The times of a message of 0 units.
    pub(super) const NONE: Self = Self {
        occupancy: Cycles::ZERO,
        head: Cycles::ZERO,
        receipt: Cycles::ZERO,
        first_links: 1,
        local: Cycles::ZERO,
    };

    /// The time for which the whole message occupies each channel of its route, or under half-duplex
    /// each link \[cycles\].
    #[must_use]
    pub fn occupancy(self) -> Cycles {
        self.occupancy
    }

    /// The time from the start of a transmission until the message, or its first packet, joins its next
    /// queue \[cycles\].
    #[must_use]
    pub fn head(self) -> Cycles {
        self.head
    }

    /// The time from the start of its transmission over the last link until the message is received, if
    /// nothing holds it up \[cycles\].
    #[must_use]
    pub fn receipt(self) -> Cycles {
        self.receipt
    }

    /// The time over a route of `links` links without contention \[cycles\]; inside a node (0 links), the
    /// time of messages there.
    ///
    /// # Panics
    ///
    /// When the time passes 2^64 cycles.
    #[must_use]
    #[inline]
    pub fn transfer(self, links: u64) -> Cycles {
        match links.checked_sub(self.first_links) {
            Some(forwarded) => self.head * forwarded + self.receipt,
            None => self.local,
        }
    }

    /// The common answer to all three questions \[cycles\]; `None` if they differ.
    #[must_use]
    pub fn uniform(self) -> Option<Cycles> {
        (self.occupancy == self.head && self.head == self.receipt).then_some(self.occupancy)
    }
}

/// The cycles that a packet of `units` units waits, after its first unit is there, before it joins the queue of a
/// faster channel, so that it crosses that channel without a gap; 0 before a channel that is not faster.
#[inline]
pub(crate) fn gap(unit: u64, next: u64, units: u64) -> u128 {
    u128::from(unit.saturating_sub(next)).saturating_mul(u128::from(units.saturating_sub(1)))
}
