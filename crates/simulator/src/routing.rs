//! How the messages of a coordinated stage are routed.

use std::{collections::BTreeMap, num::NonZeroU64};

/// The routing of a coordinated run (`docs/model.md` section 6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routing {
    /// Which coordinate a message corrects next.
    pub dimension_choice: DimensionChoice,
    /// Which messages are routed together; all of a stage without one.
    pub vector: Option<RoutingVector>,
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
    /// As the routing vector says for the message's subset; without one, until its coordinate agrees.
    OfVector,
    /// Until its coordinate agrees.
    Unlimited,
    /// At most so many links.
    Links(NonZeroU64),
}

/// A routing vector (Tao 1988, 4.5.1): messages along guest dimensions with the same number are routed
/// together, those with the smallest number first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoutingVector {
    numbers: Vec<u32>,                        // by guest dimension, counted from 0
    phase_lengths: BTreeMap<u32, NonZeroU64>, // of the subsets that have one, by their number
}

impl RoutingVector {
    /// The vector with these numbers, one for each guest dimension, and the phase lengths of the subsets
    /// that have one (errata A1).
    #[must_use]
    pub fn new(numbers: Vec<u32>, phase_lengths: BTreeMap<u32, NonZeroU64>) -> Self {
        Self { numbers, phase_lengths }
    }

    /// The number of a guest dimension, counted from 0.
    ///
    /// # Panics
    ///
    /// When the vector has no such dimension.
    #[must_use]
    pub fn number(&self, dimension: usize) -> u32 {
        self.numbers[dimension]
    }

    /// The most links that a message of a subset moves in a phase, if there is a limit.
    #[must_use]
    pub fn phase_length(&self, number: u32) -> Option<NonZeroU64> {
        self.phase_lengths.get(&number).copied()
    }
}

impl Routing {
    /// Every message corrects its lowest coordinate until it agrees, all messages together: the routing of
    /// programs and placements that bring no vector.
    pub const PLAIN: Self = Self {
        dimension_choice: DimensionChoice::Lowest,
        vector: None,
        phase_length: PhaseLength::Unlimited,
    };

    /// The number of the subset that a message along a guest dimension belongs to.
    pub(crate) fn subset(&self, dimension: usize) -> u32 {
        self.vector.as_ref().map_or(0, |vector| vector.number(dimension))
    }

    /// The most links that a message of a subset moves in a phase.
    pub(crate) fn limit(&self, subset: u32) -> u64 {
        let length = match self.phase_length {
            PhaseLength::OfVector => self.vector.as_ref().and_then(|vector| vector.phase_length(subset)),
            PhaseLength::Unlimited => None,
            PhaseLength::Links(links) => Some(links),
        };
        length.map_or(u64::MAX, NonZeroU64::get)
    }
}
