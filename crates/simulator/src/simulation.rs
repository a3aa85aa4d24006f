//! One run from begin to end: checks, engine, identity.

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::LinkMode;

use crate::{
    Communication, Engine, EngineChoice, ImbalanceError, LinkUse, NoBeltError, Observer, Program, Routing,
    Shortcuts, Summary, Traffic,
    accounts::Ledger,
    asynchronous,
    asynchronous::Begins,
    belt::{self, BeltOutcome},
    coordinated,
    network::Channels,
};

/// How the processes advance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Execution {
    /// Every process on its own (`docs/model.md` section 5), computed by this engine.
    Asynchronous(EngineChoice),
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
    /// What computed it.
    pub engine: Engine,
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
    #[error("up to {messages} messages at a time, expected at most {MAX_MESSAGES}")]
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
    /// The engine asked for does not apply.
    #[error(transparent)]
    NoBelt(#[from] NoBeltError),
    /// The run does not fall into lines that can be run apart.
    #[error("the stages do not take one coordinate after another on a named embedding")]
    NotByLines,
    /// Single-direction links of a network.
    #[error("single-direction links of a network, whose links lie in no dimensions to take turns")]
    NoTurns,
    /// Coordinated execution on a network.
    #[error("coordinated execution on a network, whose nodes have no coordinates to correct")]
    NoPhases,
    /// Coordinated execution of a program in some of whose stages some processes do not compute.
    #[error(
        "coordinated execution of a program in which some processes pass through stages, expected all to compute"
    )]
    NotTogether,
    /// The times do not add up: a defect of the simulator.
    #[error(transparent)]
    Imbalance(#[from] ImbalanceError),
}

/// The most messages that may be under way at a time in a run.
pub const MAX_MESSAGES: u64 = 1 << 30;

/// Runs `program` on the machine of `placement`, reporting to `observer`.
///
/// # Errors
///
/// Before the run: when the placement has another number of processes than the program, the engine asked for
/// does not apply, there may be over 2^30 messages under way at a time, or the clock could overflow. After it:
/// when a process did not finish or its times do not add up, which no program whose sources and destinations
/// match brings about.
pub fn simulate<P: Program>(
    program: &P,
    placement: &Placement,
    communication: Communication,
    execution: &Execution,
    count_link_use: CountLinkUse,
    observer: &mut impl Observer,
) -> Result<Outcome, SimulationError> {
    let way = check_and_choose(program, placement, communication, execution)?;
    let link_use = match count_link_use {
        CountLinkUse::Yes => Some(LinkUse::new(Channels::new(placement.machine()), communication.hop())),
        CountLinkUse::No => None,
    };
    let mut outcome = match way {
        EngineSelection::Belt(plan) => belt_outcome(program, communication, plan.run(observer)?),
        EngineSelection::Hop => {
            let mut observers = (Ledger::new(program), observer);
            let begins = Begins::Together;
            let traffic =
                asynchronous::run(program, placement, communication, begins, link_use, &mut observers)
                    .map_err(|process| SimulationError::Unfinished { process })?;
            return Ok(Outcome { summary: observers.0.close()?, traffic, engine: Engine::Hop });
        }
        EngineSelection::Coordinated(routing) => {
            let mut summary = Summary::of_program(program);
            let sums = &mut summary;
            let traffic =
                coordinated::run(program, placement, communication, routing, link_use, sums, observer);
            summary.check_balance()?;
            return Ok(Outcome { summary, traffic, engine: Engine::Coordinated });
        }
    };
    if let Some(mut link_use) = link_use {
        link_use.count_routes(program, placement, communication.tie());
        outcome.traffic.link_use = Some(link_use);
    }
    Ok(outcome)
}

/// The outcome of a run on the belt: every message is the one that its destination waits for, so that the
/// links crossed follow from the transfer times.
fn belt_outcome<P: Program>(program: &P, communication: Communication, belt: BeltOutcome) -> Outcome {
    let hops = belt.summary.totals().transfer / u128::from(communication.hop().get());
    let traffic = Traffic {
        messages: program.process_count() * program.stage_count() as u64,
        hops: u64::try_from(hops).unwrap_or(u64::MAX), // below the bound on cycles, 2^63
        longest_queue: Some(belt.longest_queue),
        routing: None,
        link_use: None,
    };
    Outcome { summary: belt.summary, traffic, engine: Engine::Belt }
}

/// How a run is computed.
enum EngineSelection<'run> {
    Hop,
    Belt(belt::Plan<'run>),
    Coordinated(&'run Routing),
}

fn choose<'run, P: Program>(
    program: &'run P,
    placement: &'run Placement,
    communication: Communication,
    execution: &'run Execution,
) -> Result<EngineSelection<'run>, NoBeltError> {
    let plan = |shortcuts| belt::plan(program, placement, communication, shortcuts);
    match execution {
        Execution::Coordinated(routing) => Ok(EngineSelection::Coordinated(routing)),
        Execution::Asynchronous(EngineChoice::Hop) => Ok(EngineSelection::Hop),
        Execution::Asynchronous(EngineChoice::Belt(shortcuts)) => plan(*shortcuts).map(EngineSelection::Belt),
        Execution::Asynchronous(EngineChoice::Auto) => {
            Ok(plan(Shortcuts::default()).map_or(EngineSelection::Hop, EngineSelection::Belt))
        }
    }
}

fn check_and_choose<'run, P: Program>(
    program: &'run P,
    placement: &'run Placement,
    communication: Communication,
    execution: &'run Execution,
) -> Result<EngineSelection<'run>, SimulationError> {
    let (placed, processes) = (placement.process_count(), program.process_count());
    if placed != processes {
        return Err(SimulationError::ProcessCount { placed, processes });
    }
    check_clock(program, placement, communication)?;
    check_network(placement, communication, execution)?;
    if matches!(execution, Execution::Coordinated(_)) && !program.all_processes_compute() {
        return Err(SimulationError::NotTogether);
    }
    let way = choose(program, placement, communication, execution)?;
    match way {
        // One line at a time is under way.
        EngineSelection::Belt(belt::Plan::Classes(_) | belt::Plan::EachLine(_)) => {}
        EngineSelection::Coordinated(_) if coordinated::goes_by_lines(program, placement) => {}
        EngineSelection::Belt(belt::Plan::Whole(_))
        | EngineSelection::Hop
        | EngineSelection::Coordinated(_) => check_size(program)?,
    }
    Ok(way)
}

/// Refuses on a network what goes by dimensions.
fn check_network(
    placement: &Placement,
    communication: Communication,
    execution: &Execution,
) -> Result<(), SimulationError> {
    if placement.machine().graph().is_none() {
        return Ok(());
    }
    match (communication.links(), execution) {
        (LinkMode::SingleDirection, _) => Err(SimulationError::NoTurns),
        (LinkMode::FullDuplex | LinkMode::HalfDuplex, Execution::Coordinated(_)) => {
            Err(SimulationError::NoPhases)
        }
        (LinkMode::FullDuplex | LinkMode::HalfDuplex, Execution::Asynchronous(_)) => Ok(()),
    }
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
    execution: &Execution,
) -> Result<(), SimulationError> {
    check_and_choose(program, placement, communication, execution).map(drop)
}

/// Bytes of memory that such a run takes at most, roughly, observers apart.
#[must_use]
pub fn bytes_to_simulate<P: Program>(
    program: &P,
    placement: &Placement,
    communication: Communication,
    execution: &Execution,
) -> u64 {
    match choose(program, placement, communication, execution) {
        Ok(EngineSelection::Belt(plan)) => plan.bytes(),
        Ok(EngineSelection::Coordinated(_)) if program.as_cube().is_some() => {
            coordinated::bytes(program, placement)
        }
        Ok(EngineSelection::Hop | EngineSelection::Coordinated(_)) | Err(_) => {
            let machine = placement.machine();
            let channels = machine.directions().count() as u64 * machine.node_count();
            let messages = program.process_count() * program.max_received().max(1) as u64;
            let routes = machine.graph().map_or(0, |network| network.bytes_of_routes());
            messages * asynchronous::BYTES_A_PROCESS + channels * asynchronous::BYTES_A_CHANNEL + routes
        }
    }
}

fn check_size<P: Program>(program: &P) -> Result<(), SimulationError> {
    let messages = program.process_count().saturating_mul(program.max_received().max(1) as u64);
    if messages > MAX_MESSAGES {
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
    let bound = max_cycles(program, placement, communication);
    if bound < 1 << 63 { Ok(()) } else { Err(SimulationError::TooManyCycles { bound }) }
}

/// A bound on the makespan: at every cycle some process of the hindmost stage computes or some message
/// moves, so that the makespan is at most `S T_a` times the greatest load, and `T_c` for every link that
/// every message crosses, none of which goes farther than the machine's diameter.
#[must_use]
pub fn max_cycles<P: Program>(program: &P, placement: &Placement, communication: Communication) -> u128 {
    let diameter = placement.machine().distance_bound();
    let stages = program.stage_count() as u128;
    let messages = u128::from(program.process_count()) * program.max_received() as u128;
    let computing =
        stages.saturating_mul(program.compute().get().into()).saturating_mul(placement.max_load().into());
    let moving = stages.saturating_mul(messages).saturating_mul(diameter.into());
    computing.saturating_add(moving.saturating_mul(communication.hop().get().into()))
}
