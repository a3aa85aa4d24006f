//! The options of a run besides its program, its placement and its rules. The results of all engines are equal.

use std::num::NonZeroUsize;

use cubefold_derive::Words;

use crate::{RankTask, Routing};

/// The options of a run besides its program, its placement and its rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The way in which processes advance.
    pub execution: Execution,
    /// The engine of an asynchronous run.
    pub engine: EngineChoice,
    /// The workers that compute an asynchronous run together, if it can be divided; otherwise one thread does.
    pub workers: Option<Workers>,
    /// Whether the busy cycles of every link are counted.
    pub count_link_use: CountLinkUse,
}

/// The way in which processes advance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Execution {
    /// Every process on its own (`docs/model.md` section 5).
    Asynchronous,
    /// All together, in parallel data movement steps (section 6).
    Coordinated(Routing),
}

/// Whether the busy cycles of every link are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountLinkUse {
    /// They are, at eight bytes a link.
    Yes,
    /// They are not.
    No,
}

impl Request {
    /// An asynchronous run by an engine, on one thread, without link use.
    #[must_use]
    pub const fn asynchronous(engine: EngineChoice) -> Self {
        Self { execution: Execution::Asynchronous, engine, workers: None, count_link_use: CountLinkUse::No }
    }

    /// A coordinated run without link use.
    #[must_use]
    pub const fn coordinated(routing: Routing) -> Self {
        Self { execution: Execution::Coordinated(routing), ..Self::asynchronous(EngineChoice::Auto) }
    }

    /// The same by these workers, if the run can be divided among them.
    #[must_use]
    pub fn by(&self, workers: Option<Workers>) -> Self {
        Self { workers, ..self.clone() }
    }

    /// The same with the busy cycles of every link.
    #[must_use]
    pub fn counting(&self, count_link_use: CountLinkUse) -> Self {
        Self { count_link_use, ..self.clone() }
    }
}

/// The workers that compute one run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workers {
    /// Threads of this process.
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
    /// Message by message, link by link: any program, placement and link mode.
    Hop,
    /// As `Hop` with the kernel for messages with sizes, which serves only to check and to measure it
    /// where messages have one unit.
    Sized,
    /// One line for all of its dimension, with or without the shortcut for stages without contention.
    Belt(BulkStages),
}

/// Whether stages without contention are computed as a whole. `No` serves only to check this shortcut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BulkStages {
    /// They are.
    #[default]
    Yes,
    /// They are not.
    No,
}

/// An engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words)]
pub enum Engine {
    /// Message by message, link by link.
    Hop,
    /// One line for all of its dimension.
    Belt,
    /// Parallel data movement steps.
    Coordinated,
}

impl EngineChoice {
    /// The belt engine with its shortcut.
    pub const BELT: Self = Self::Belt(BulkStages::Yes);

    /// Returns its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Hop | Self::Sized => "hop",
            Self::Belt(_) => "belt",
        }
    }
}
