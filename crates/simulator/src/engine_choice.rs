//! The choice of the engine that computes an asynchronous run. The results of all engines are
//! equal.

use std::{fmt, num::NonZeroUsize};

use crate::RankTask;

/// What computes one run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workers {
    /// So many threads.
    Threads(NonZeroUsize),
    /// Processes of the operating system.
    Ranks(RankTask),
}

impl Workers {
    /// The processes of the operating system that they are in, at least 1.
    pub(crate) fn rank_count(self) -> u64 {
        match self {
            Self::Threads(_) => 1,
            Self::Ranks(task) => task.ranks.count() as u64,
        }
    }
}

/// The engine requested for an asynchronous run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineChoice {
    /// The fastest that provably applies.
    #[default]
    Auto,
    /// As `Auto` for a run that may use these workers: where the hop engine is chosen, the machine
    /// is divided among them.
    AutoOn(Workers),
    /// Message by message, link by link: any program, placement and link mode.
    Hop,
    /// The same by these workers, where the run can be divided among them; otherwise on one thread.
    Slabs(Workers),
    /// As `Hop` with the kernel for messages with sizes, which serves only to check and to measure it
    /// where messages have one unit.
    Sized,
    /// Many hops at a time, with these shortcuts where they apply.
    Belt(Shortcuts),
}

/// The shortcuts of the belt engine; fewer of them serve only to check and to measure it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shortcuts {
    /// How the lines of a product placement are computed.
    pub lines: Lines,
    /// Whether stages without contention are computed as a whole.
    pub bulk: BulkStages,
}

/// How the lines of a product placement are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lines {
    /// One line for all of its dimension.
    #[default]
    Classes,
    /// The whole machine together.
    Whole,
}

/// Whether stages without contention are computed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BulkStages {
    /// They are.
    #[default]
    Yes,
    /// They are not.
    No,
}

/// An engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Message by message, link by link.
    Hop,
    /// Many hops at a time.
    Belt,
    /// Parallel data movement steps.
    Coordinated,
}

impl EngineChoice {
    /// The belt engine with all its shortcuts.
    pub const BELT: Self = Self::Belt(Shortcuts { lines: Lines::Classes, bulk: BulkStages::Yes });

    /// The word for it in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto | Self::AutoOn(_) => "auto",
            Self::Hop | Self::Slabs(_) | Self::Sized => "hop",
            Self::Belt(_) => "belt",
        }
    }
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Engine {
    /// The word for it in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hop => "hop",
            Self::Belt => "belt",
            Self::Coordinated => "coordinated",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
