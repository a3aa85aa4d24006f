//! One run from begin to end: checks, engine, identity.

use cubefold_mapping::{Placement, ProcessId};

use crate::{
    Communication, ImbalanceError, LinkUse, Observer, Program, Routing, Summary, Traffic, asynchronous,
    asynchronous::Begins, coordinated, network::Channels,
};

/// How the processes advance.
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

/// What a run came to.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Sums and distributions over processes and stages.
    pub summary: Summary,
    /// What the network did.
    pub traffic: Traffic,
}

/// Why a run was refused or its outcome is not to be trusted.
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
    /// More messages may be under way than the engines can number.
    #[error("up to {messages} messages at a time, expected at most {MOST_MESSAGES}")]
    TooManyMessages {
        /// The most messages under way at a time.
        messages: u64,
    },
    /// The clock could overflow.
    #[error("a makespan of up to {bound} cycles, expected less than {} (2^63)", 1_u64 << 63)]
    TooManyCycles {
        /// A bound on the makespan.
        bound: u128,
    },
    /// A process did not reach its end: the program's sources and destinations do not match.
    #[error("process {process} did not finish")]
    Unfinished {
        /// The first such process.
        process: ProcessId,
    },
    /// The times do not add up: a defect of the simulator.
    #[error(transparent)]
    Imbalance(#[from] ImbalanceError),
}

/// The most messages that may be under way at a time in a run.
pub const MOST_MESSAGES: u64 = 1 << 30;

/// Runs `program` on the machine of `placement`, reporting every stage of every process to `observer`.
///
/// # Errors
///
/// Before the run: when the placement has another number of processes than the program, there may be
/// over 2^30 messages under way at a time, or the clock could overflow. After it: when a process did not
/// finish or its times do not add up, which no program whose sources and destinations match brings about.
pub fn simulate<P: Program>(
    program: &P,
    placement: &Placement,
    communication: Communication,
    execution: &Execution,
    count_link_use: CountLinkUse,
    observer: &mut impl Observer,
) -> Result<Outcome, SimulationError> {
    check(program, placement, communication)?;
    let processes = usize::try_from(program.process_count()).unwrap_or(usize::MAX);
    let summary = Summary::new(processes, program.stage_count(), program.compute());
    let link_use = match count_link_use {
        CountLinkUse::Yes => Some(LinkUse::new(Channels::new(placement.machine()), communication.hop())),
        CountLinkUse::No => None,
    };
    let mut observers = (summary, observer);
    let traffic = match execution {
        Execution::Asynchronous => {
            let begins = Begins::Together;
            asynchronous::run(program, placement, communication, begins, link_use, &mut observers)
                .map_err(|process| SimulationError::Unfinished { process })?
        }
        Execution::Coordinated(routing) => {
            coordinated::run(program, placement, communication, routing, link_use, &mut observers)
        }
    };
    let summary = observers.0;
    summary.check_balance()?;
    Ok(Outcome { summary, traffic })
}

/// Whether [`simulate`] would take these, without running anything.
///
/// # Errors
///
/// As [`simulate`] before the run.
pub fn check<P: Program>(
    program: &P,
    placement: &Placement,
    communication: Communication,
) -> Result<(), SimulationError> {
    check_size(program, placement)?;
    check_clock(program, placement, communication)
}

/// Bytes of memory that such a run takes at most, roughly, observers apart.
#[must_use]
pub fn bytes_to_simulate<P: Program>(program: &P, placement: &Placement) -> u64 {
    let machine = placement.machine();
    let channels = 2 * machine.shape().dimension_count() as u64 * machine.node_count();
    let messages = program.process_count() * program.most_received().max(1) as u64;
    messages * asynchronous::BYTES_A_PROCESS + channels * asynchronous::BYTES_A_CHANNEL
}

fn check_size<P: Program>(program: &P, placement: &Placement) -> Result<(), SimulationError> {
    let (placed, processes) = (placement.process_count(), program.process_count());
    if placed != processes {
        return Err(SimulationError::ProcessCount { placed, processes });
    }
    let messages = processes.saturating_mul(program.most_received().max(1) as u64);
    if messages > MOST_MESSAGES {
        return Err(SimulationError::TooManyMessages { messages });
    }
    Ok(())
}

/// Refuses a run whose clock could pass 2^63: then no sum of times of one process overflows.
fn check_clock<P: Program>(
    program: &P,
    placement: &Placement,
    communication: Communication,
) -> Result<(), SimulationError> {
    let bound = most_cycles(program, placement, communication);
    if bound < 1 << 63 { Ok(()) } else { Err(SimulationError::TooManyCycles { bound }) }
}

/// A bound on the makespan: at every cycle some process of the hindmost stage computes or some message
/// moves, so that the makespan is at most `S T_a` times the greatest load, and `T_c` for every link that
/// every message crosses, none of which goes farther than the machine's diameter.
#[must_use]
pub fn most_cycles<P: Program>(program: &P, placement: &Placement, communication: Communication) -> u128 {
    let diameter: u64 = placement.machine().extents().iter().map(|extent| extent.diameter()).sum();
    let stages = program.stage_count() as u128;
    let messages = u128::from(program.process_count()) * program.most_received() as u128;
    let computing = stages
        .saturating_mul(program.compute().get().into())
        .saturating_mul(placement.greatest_load().into());
    let moving = stages.saturating_mul(messages).saturating_mul(diameter.into());
    computing.saturating_add(moving.saturating_mul(communication.hop().get().into()))
}
