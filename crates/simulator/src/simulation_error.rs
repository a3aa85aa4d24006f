//! The reasons why a run is refused, or its outcome must not be used.

use cubefold_mapping::ProcessId;
use cubefold_topology::LinkMode;

use crate::{Deadlock, ImbalanceError, NoBeltError, RouterError, StuckTasks};

/// The reason why a run was refused, or its outcome must not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SimulationError {
    /// The placement is of another number of processes.
    #[error("a placement of {placed} processes, expected {processes} as in the program")]
    ProcessCount {
        /// The processes of the placement.
        placed: u64,
        /// The processes of the program.
        processes: u64,
    },
    /// More messages may be in flight than the engines can number.
    #[error("up to {messages} messages at a time, expected at most {MAX_MESSAGES}")]
    TooManyMessages {
        /// The most messages in flight at a time.
        messages: u64,
    },
    /// The clock could overflow.
    #[error("a makespan of up to {bound} cycles, expected less than {} (2^63)", 1_u64 << 63)]
    TooManyCycles {
        /// A bound on the makespan.
        bound: u128,
    },
    /// A process did not finish its last stage: the program's sources and destinations do not
    /// match.
    #[error("process {process} did not finish")]
    Unfinished {
        /// The first such process.
        process: ProcessId,
    },
    /// Switches cannot reduce.
    #[error(transparent)]
    SwitchTrees(#[from] crate::SwitchTreeError),
    /// Switches do not reduce in routers with finite buffers, nor in searches.
    #[error("reduction in switches {place}, expected an algorithm whose ranks reduce")]
    NoSwitchReduction {
        /// Where it is not simulated.
        place: &'static str,
    },
    /// The requested engine does not apply.
    #[error(transparent)]
    NoBelt(#[from] NoBeltError),
    /// The run cannot be divided into lines that are run separately.
    #[error("the stages do not take one coordinate after another on a named embedding")]
    NotByLines,
    /// Single-direction links of a network.
    #[error("single-direction links of a network, whose links lie in no dimensions to take turns")]
    NoTurns,
    /// Coordinated execution on a network.
    #[error("coordinated execution on a network, whose nodes have no coordinates to correct")]
    NoPhases,
    /// Routes by way of random nodes on a network.
    #[error("routes by way of random coordinates on a network, which has none")]
    NoCoordinates,
    /// Routes of an embedding, for placements that change.
    #[error("paths of an embedding, for placements that no embedding made")]
    NoEmbedding,
    /// Routing by sorting on a machine with a length that is not a power of two.
    #[error("routing by sorting on a machine with a length that is no power of two")]
    NotSorted,
    /// A random access by sorting with several processes on a node.
    #[error("a random access by sorting with several processes on a node, expected one at most")]
    SharedNodes,
    /// Messages that differ in size, or whose transmissions occupy a link, move their heads and are
    /// received in different times, in an engine for messages of one unit.
    #[error("messages whose times on a link differ, expected messages of one unit")]
    TimesDiffer,
    /// Coordinated execution under a rule by which messages do not move in steps.
    #[error("coordinated execution with {rule}, expected messages that only move link by link in steps")]
    NoSteps {
        /// The rule.
        rule: &'static str,
    },
    /// Channels that serve their inputs in turn, under another link mode than full-duplex.
    #[error("round-robin arbitration of {links} links, expected full-duplex")]
    NoRoundRobin {
        /// The link mode.
        links: LinkMode,
    },
    /// Coordinated execution of a program with stages in which some processes do not compute.
    #[error(
        "coordinated execution of a program in which some processes pass through stages, expected all to compute"
    )]
    NotTogether,
    /// Coordinated execution of a task graph or a job.
    #[error("coordinated execution of a task graph or a job, whose processes are in no common stages")]
    NoStages,
    /// A task graph that gets stuck.
    #[error(transparent)]
    Stuck(StuckTasks),
    /// Routers with finite buffers that do not suit the program.
    #[error(transparent)]
    Routers(#[from] RouterError),
    /// Routers with finite buffers in coordinated execution.
    #[error("coordinated execution over routers with finite buffers, expected asynchronous")]
    NoRouters,
    /// Messages that wait for one another's channels: a deadlock.
    #[error(transparent)]
    Deadlock(#[from] Deadlock),
    /// The times do not add up: a defect of the simulator.
    #[error(transparent)]
    Imbalance(#[from] ImbalanceError),
}

/// The most messages that may be in flight at a time in a run.
pub const MAX_MESSAGES: u64 = 1 << 30;
