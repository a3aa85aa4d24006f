//! How the messages of a coordinated stage are routed.
//!
//! Which of them are routed together is the placement's to say: Tao's constructions bring routing vectors.

use std::num::NonZeroU64;

use cubefold_mapping::Placement;

/// The routing of a coordinated run (`docs/model.md` section 6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routing {
    /// Which coordinate a message corrects next.
    pub dimension_choice: DimensionChoice,
    /// How far a message moves in a phase.
    pub phase_length: PhaseLength,
}

/// Which of the coordinates that differ a message corrects next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DimensionChoice {
    /// The lowest-numbered.
    Lowest,
    /// Each as likely as the others (Tao 1988, 4.5.1), by a generator with this key.
    Random {
        /// The key: the same key makes the same choices.
        key: [u8; 32],
    },
}

/// How far a message moves in a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseLength {
    /// As the placement's construction says for the message's subset (errata A1); for other placements until
    /// its coordinate agrees.
    OfPlacement,
    /// Until its coordinate agrees.
    Unlimited,
    /// At most so many links.
    Links(NonZeroU64),
}

impl Routing {
    /// The lowest coordinate first, and phases as the placement says.
    pub const PLAIN: Self =
        Self { dimension_choice: DimensionChoice::Lowest, phase_length: PhaseLength::OfPlacement };

    /// The most links that a message of a subset of `placement` moves in a phase.
    pub(crate) fn limit(&self, placement: &Placement, subset: u32) -> u64 {
        let length = match self.phase_length {
            PhaseLength::OfPlacement => placement.phase_length(subset),
            PhaseLength::Unlimited => None,
            PhaseLength::Links(links) => Some(links.get()),
        };
        length.unwrap_or(u64::MAX)
    }
}
