//! The rules by which messages travel, and the one place that turns the cycles of a link into
//! times.
//!
//! Three questions can be asked of a message that is transmitted over a link (`docs/model.md`
//! section 5): the time for which it occupies the link, when it joins its next queue, and when it
//! is received at its last node. While every message is one unit that a link stores whole before it
//! forwards it, the three have one answer, `T_c`. An engine asks the question that it means, so
//! that a switching rule under which the answers differ changes this file alone; an engine that is
//! exact only while they agree asks for [`MessageTiming::uniform`].

use cubefold_topology::{LinkMode, TieRule};

use crate::Cycles;

/// The rules of a machine's network for one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Communication {
    links: LinkMode,
    hop: Cycles, // at least 1
    tie: TieRule,
}

/// A transmission that would take no time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("0 cycles a link, expected at least 1")]
pub struct ZeroHopError;

impl Communication {
    /// Links of mode `links`, each crossed in `hop` cycles (`T_c`), and `tie` for equally long
    /// routes around a ring.
    ///
    /// # Errors
    ///
    /// When `hop` is 0.
    pub fn new(links: LinkMode, hop: Cycles, tie: TieRule) -> Result<Self, ZeroHopError> {
        if hop == Cycles::ZERO { Err(ZeroHopError) } else { Ok(Self { links, hop, tie }) }
    }

    /// The link mode.
    #[must_use]
    pub fn links(self) -> LinkMode {
        self.links
    }

    /// The time that a message takes to cross a link, `T_c`, at least 1.
    #[must_use]
    pub fn hop(self) -> Cycles {
        self.hop
    }

    /// The times of a message on a link.
    #[must_use]
    pub fn timing(self) -> MessageTiming {
        MessageTiming::one_unit(self.hop)
    }

    /// The rule for equally long routes around a ring.
    #[must_use]
    pub fn tie(self) -> TieRule {
        self.tie
    }
}

/// The times of one message on every link that it crosses; all links of a machine are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageTiming {
    occupancy: Cycles, // at least 1
    head: Cycles,      // at least 1
    receipt: Cycles,   // at least `head`
}

impl MessageTiming {
    /// A message of one unit, stored and forwarded over links that it occupies for `hop` cycles
    /// (`T_c`), at least 1.
    pub(crate) fn one_unit(hop: Cycles) -> Self {
        debug_assert!(hop > Cycles::ZERO, "a transmission takes time");
        Self { occupancy: hop, head: hop, receipt: hop }
    }

    /// For how long a transmission occupies its channel, or under half-duplex its link \[cycles\].
    #[must_use]
    pub fn occupancy(self) -> Cycles {
        self.occupancy
    }

    /// How long after the begin of a transmission the message joins its next queue \[cycles\].
    #[must_use]
    pub fn head(self) -> Cycles {
        self.head
    }

    /// How long after the begin of its last transmission the message is received \[cycles\].
    #[must_use]
    pub fn receipt(self) -> Cycles {
        self.receipt
    }

    /// The time over a route of so many links without contention \[cycles\]; 0 over none.
    ///
    /// # Panics
    ///
    /// When the time passes 2^64 cycles.
    #[must_use]
    #[inline]
    pub fn transfer(self, links: u64) -> Cycles {
        match links.checked_sub(1) {
            Some(forwarded) => self.head * forwarded + self.receipt,
            None => Cycles::ZERO,
        }
    }

    /// A bound on [`transfer`](Self::transfer) over any route of at most so many links \[cycles\].
    pub(crate) fn transfer_bound(self, links: u64) -> u128 {
        u128::from(links).saturating_mul(u128::from(self.head.max(self.receipt).get()))
    }

    /// The one answer to all three questions \[cycles\]; none where they differ.
    #[must_use]
    pub fn uniform(self) -> Option<Cycles> {
        (self.occupancy == self.head && self.head == self.receipt).then_some(self.occupancy)
    }

    /// The one answer to all three questions, for an engine that has checked that there is one
    /// \[cycles\].
    ///
    /// # Panics
    ///
    /// When the answers differ.
    #[expect(clippy::expect_used, reason = "engines refuse other messages before a run")]
    pub(crate) fn uniform_time(self) -> Cycles {
        self.uniform().expect("occupancy, head and receipt are one time")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_unit_takes_the_same_time_over_every_link() {
        let timing = MessageTiming::one_unit(Cycles::new(3));
        assert_eq!([0, 1, 2, 7].map(|links| timing.transfer(links).get()), [0, 3, 6, 21]);
        assert_eq!(timing.uniform(), Some(Cycles::new(3)));
    }

    #[test]
    fn times_that_differ_have_no_one_answer() {
        let [two, five] = [2, 5].map(Cycles::new);
        let timing = MessageTiming { occupancy: five, head: two, receipt: five };
        assert_eq!(timing.uniform(), None);
        // The head crosses two links, then all of it the third.
        assert_eq!(timing.transfer(3), Cycles::new(9));
    }
}
