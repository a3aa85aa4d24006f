//! How messages travel: link mode, time a link, and the way round.

use cubefold_topology::{LinkMode, TieRule};

use crate::{Cycles, MessageTiming};

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
    /// Links of mode `links`, each crossed in `hop` cycles (`T_c`), and `tie` for equally long ways round.
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

    /// The rule for equally long ways round.
    #[must_use]
    pub fn tie(self) -> TieRule {
        self.tie
    }
}
