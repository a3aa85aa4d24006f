//! One run from start to end: the choice of an engine, the checks before the run, and the balance
//! after it.
//!
//! Each engine says which runs it takes ([`check_rules`], [`coordinated::check`], [`belt::plan`]);
//! what is checked here holds for all of them: the sizes, and a bound on the clock.

use cubefold_mapping::{CubeDimension, Placement, ProcessId};
use cubefold_topology::{LinkMode, Machine};

use crate::{
    Communication, Engine, EngineChoice, ImbalanceError, NoBeltError, Observer, Program, Routing,
    RoutingScheme, ServiceOrder, Shortcuts, StuckTasks, Summary, TaskGraph, Traffic, Workers,
    belt::{self, BeltOutcome},
    clock_bound::max_cycles,
    contention_free, coordinated,
    engine::{self, StartTimes, TransportKind},
    field_line::{FieldLine, Pair},
    observe::{InBatches, accounts::Ledger, traffic::LinkUseCounter},
};

/// How processes advance.
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

/// The results of a run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Sums and distributions over processes and stages.
    pub summary: Summary,
    /// Messages, links crossed and queues.
    pub traffic: Traffic,
    /// The engine that computed it.
    pub engine: Engine,
}

/// The reason for which a run was refused, or its outcome must not be used.
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
    /// The engine asked for does not apply.
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
    /// Routing by sorting on a machine with a length that is no power of two.
    #[error("routing by sorting on a machine with a length that is no power of two")]
    NotSorted,
    /// Messages that differ in size, or whose transmissions occupy a link, move their heads and are
    /// received in different times, in an engine for messages of one unit.
    #[error("messages whose times on a link differ, expected messages of one unit")]
    TimesDiffer,
    /// Coordinated execution under a rule by which messages do not move in steps.
    #[error("coordinated execution with {rule}, expected messages that move link by link in steps")]
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
    /// Coordinated execution of a program in some of whose stages some processes do not compute.
    #[error(
        "coordinated execution of a program in which some processes pass through stages, expected all to compute"
    )]
    NotTogether,
    /// Coordinated execution of a task graph.
    #[error("coordinated execution of a task graph, whose operations are in no stages")]
    NoStages,
    /// A task graph that does not come to its end.
    #[error(transparent)]
    Stuck(StuckTasks),
    /// The times do not add up: a defect of the simulator.
    #[error(transparent)]
    Imbalance(#[from] ImbalanceError),
}

/// The most messages that may be in flight at a time in a run.
pub const MAX_MESSAGES: u64 = 1 << 30;

/// Runs `program` on the machine of `placement`, reporting to `observer`.
///
/// # Errors
///
/// Before the run: when the placement has another number of processes than the program, the engine
/// asked for does not apply, there may be over 2^30 messages in flight at a time, or the clock
/// could overflow. After it: when a process did not finish or its times do not add up, which no
/// program whose sources and destinations match brings about.
pub fn simulate(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    execution: &Execution,
    count_link_use: CountLinkUse,
    observer: &mut dyn Observer,
) -> Result<Outcome, SimulationError> {
    let selection = check_and_choose(program, placement, communication, execution)?.without_contention(
        program,
        placement,
        communication,
        execution,
    );
    let observer = &mut InBatches::new(observer);
    let link_use = match count_link_use {
        CountLinkUse::Yes => Some(LinkUseCounter::new(placement.machine(), communication)),
        CountLinkUse::No => None,
    };
    let by_hop = |(summary, traffic)| Outcome { summary, traffic, engine: Engine::Hop };
    let mut outcome = match selection {
        EngineSelection::Belt(plan) => belt_outcome(program, placement, communication, plan.run(observer)?),
        EngineSelection::ContentionFree => {
            by_hop(contention_free::run(program, placement, communication, observer)?)
        }
        EngineSelection::Divided(kind, workers) => {
            by_hop(engine::workers::run(program, placement, communication, kind, workers, observer)?)
        }
        EngineSelection::Tasks(graph) => {
            by_hop(engine::run_tasks(graph, placement, communication, observer)?)
        }
        EngineSelection::Stages(kind) => {
            let (starts, mut observers) = (StartTimes::Together, (Ledger::new(program), observer));
            let traffic = engine::run(program, placement, communication, kind, starts, &mut observers)
                .map_err(|process| SimulationError::Unfinished { process })?;
            by_hop((observers.0.close()?, traffic))
        }
        EngineSelection::Coordinated(routing) => {
            return run_coordinated(program, placement, communication, routing, link_use, observer);
        }
    };
    if let Some(mut link_use) = link_use {
        link_use.count_routes(program, placement, communication.tie());
        outcome.traffic.link_use = Some(link_use.finish());
    }
    Ok(outcome)
}

fn run_coordinated(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    routing: &Routing,
    link_use: Option<LinkUseCounter>,
    observer: &mut dyn Observer,
) -> Result<Outcome, SimulationError> {
    let mut summary = Summary::of_program(program);
    let sums = &mut summary;
    let traffic = coordinated::run(program, placement, communication, routing, link_use, sums, observer);
    summary.check_balance()?;
    Ok(Outcome { summary, traffic, engine: Engine::Coordinated })
}

/// The outcome of a run on the belt: every message is the one that its destination waits for, so
/// that the links crossed follow from the transfer times.
fn belt_outcome(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    belt: BeltOutcome,
) -> Outcome {
    let hops = match unit_equivalent(program, placement, communication) {
        Some(unit) => belt.summary.totals().transfer / u128::from(unit.hop().get()),
        None => packet_hops(program, placement, communication),
    };
    let traffic = Traffic {
        messages: program.process_count() * program.stage_count() as u64,
        hops: u64::try_from(hops).unwrap_or(u64::MAX), // below the bound on cycles, 2^63
        longest_queue: Some(belt.longest_queue),
        routing: None,
        link_use: None,
    };
    Outcome { summary: belt.summary, traffic, engine: Engine::Belt }
}

/// The links that the packets of a compute-and-communicate program on a named embedding cross.
fn packet_hops(program: &dyn Program, placement: &Placement, communication: Communication) -> u128 {
    let (Some(cube), Placement::Product(placement)) = (program.special().cube(), placement) else { return 0 };
    let fields = FieldLine::all(placement);
    let hops = |(stage, &dimension): (usize, &CubeDimension)| {
        let packets = communication.packet_count(program.max_units(stage));
        let of_field = |field: &FieldLine| {
            let bit = field.bit(dimension)?;
            let distance =
                |pair: Pair| u128::from(field.extent().distance(pair.positions[0], pair.positions[1]));
            let lines = program.process_count() / field.extent().length();
            Some(2 * u128::from(lines) * u128::from(packets) * field.pairs(bit).map(distance).sum::<u128>())
        };
        fields.iter().filter_map(of_field).sum::<u128>()
    };
    cube.stages().iter().enumerate().map(hops).sum()
}

/// The engine of a run, with its plan.
enum EngineSelection<'run> {
    /// Link by link.
    Stages(TransportKind),
    /// The same by several workers.
    Divided(TransportKind, Workers),
    Belt(belt::Plan<'run>),
    /// Message by message, where none can wait for another.
    ContentionFree,
    Tasks(&'run TaskGraph),
    Coordinated(&'run Routing),
}

impl EngineSelection<'_> {
    /// The same, or, where messages would move hop by hop and none can wait for another, message by message.
    fn without_contention(
        self,
        program: &dyn Program,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
    ) -> Self {
        let is_by_hop = matches!(self, Self::Stages(_) | Self::Divided(..));
        let any_engine =
            matches!(execution, Execution::Asynchronous(EngineChoice::Auto | EngineChoice::AutoOn(_)));
        if is_by_hop && any_engine && contention_free::applies(program, placement, communication) {
            Self::ContentionFree
        } else {
            self
        }
    }
}

fn choose<'run>(
    program: &'run dyn Program,
    placement: &'run Placement,
    communication: Communication,
    execution: &'run Execution,
) -> Result<EngineSelection<'run>, NoBeltError> {
    let choice = match execution {
        Execution::Coordinated(routing) => return Ok(EngineSelection::Coordinated(routing)),
        Execution::Asynchronous(choice) => *choice,
    };
    let plan = |shortcuts| belt::plan(program, placement, communication, shortcuts);
    let over = |kind| match program.special().tasks() {
        Some(graph) => EngineSelection::Tasks(graph),
        None => EngineSelection::Stages(kind),
    };
    let hop = || over(TransportKind::of(program, placement.machine(), communication));
    let divided = |workers| match hop() {
        EngineSelection::Stages(kind) if engine::workers::accepts(placement, communication) => {
            EngineSelection::Divided(kind, workers)
        }
        other => other,
    };
    match choice {
        EngineChoice::Hop => Ok(hop()),
        EngineChoice::Slabs(workers) => Ok(divided(workers)),
        EngineChoice::Sized => Ok(over(TransportKind::Packets)),
        EngineChoice::Belt(shortcuts) => plan(shortcuts).map(EngineSelection::Belt),
        EngineChoice::Auto => Ok(plan(Shortcuts::default()).map_or_else(|_| hop(), EngineSelection::Belt)),
        EngineChoice::AutoOn(workers) => {
            Ok(plan(Shortcuts::default()).map_or_else(|_| divided(workers), EngineSelection::Belt))
        }
    }
}

/// The rules under which messages of one unit take the times of those of a program, if the engines for messages of
/// one unit can run it.
fn unit_equivalent(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
) -> Option<Communication> {
    let units = program.facts().uniform_units.filter(|_| program.facts().has_one_compute_time)?;
    communication.unit_equivalent(units, !placement.is_one_to_one())
}

fn check_and_choose<'run>(
    program: &'run dyn Program,
    placement: &'run Placement,
    communication: Communication,
    execution: &'run Execution,
) -> Result<EngineSelection<'run>, SimulationError> {
    let (placed, processes) = (placement.process_count(), program.process_count());
    if placed != processes {
        return Err(SimulationError::ProcessCount { placed, processes });
    }
    check_clock(program, placement, communication, execution)?;
    match execution {
        Execution::Asynchronous(_) => check_rules(placement.machine(), communication)?,
        Execution::Coordinated(_) if program.special().tasks().is_some() => {
            return Err(SimulationError::NoStages);
        }
        Execution::Coordinated(routing) => coordinated::check(program, placement, communication, routing)?,
    }
    let selection = choose(program, placement, communication, execution)?;
    match selection {
        // The messages of one line at a time are in flight.
        EngineSelection::Belt(belt::Plan::Classes(_)) => {}
        EngineSelection::Coordinated(routing)
            if routing.scheme == RoutingScheme::Phases
                && coordinated::is_line_separable(program, placement) => {}
        EngineSelection::Belt(belt::Plan::Whole(_))
        | EngineSelection::Stages(_)
        | EngineSelection::Divided(..)
        | EngineSelection::ContentionFree
        | EngineSelection::Tasks(_)
        | EngineSelection::Coordinated(_) => check_message_count(program)?,
    }
    Ok(selection)
}

/// Whether [`simulate`] would take these, without running anything.
///
/// # Errors
///
/// As [`simulate`] before the run.
pub fn check(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    execution: &Execution,
) -> Result<(), SimulationError> {
    check_and_choose(program, placement, communication, execution).map(drop)
}

/// Bytes of memory that such a run takes at most, roughly, observers apart.
#[must_use]
pub fn bytes_to_simulate(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    execution: &Execution,
) -> u64 {
    let bytes = |kind| engine::bytes(program, placement.machine(), communication, kind);
    match choose(program, placement, communication, execution) {
        Ok(EngineSelection::Belt(plan)) => plan.bytes(),
        Ok(EngineSelection::Coordinated(_)) if program.special().cube().is_some() => {
            coordinated::bytes(program, placement)
        }
        Ok(EngineSelection::Tasks(graph)) => engine::bytes_of_tasks(graph) + bytes(TransportKind::Packets),
        // A rank has its part of the memory of all workers.
        Ok(EngineSelection::Divided(kind, workers)) => bytes(kind)
            .saturating_add(engine::workers::further_bytes(program, communication))
            .div_ceil(workers.rank_count()),
        Ok(EngineSelection::Stages(kind)) => bytes(kind),
        Ok(EngineSelection::ContentionFree | EngineSelection::Coordinated(_)) | Err(_) => {
            bytes(TransportKind::of(program, placement.machine(), communication))
        }
    }
}

/// The number of ranks that divide a run, at least 1: each keeps the records of its own processes.
pub fn dividing_ranks(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    execution: &Execution,
) -> u64 {
    match choose(program, placement, communication, execution) {
        Ok(EngineSelection::Divided(_, workers)) => workers.rank_count(),
        _ => 1,
    }
}

/// Refuses a program with more messages at a time than engines can number.
pub(crate) fn check_message_count(program: &dyn Program) -> Result<(), SimulationError> {
    let messages = match program.special().tasks() {
        Some(graph) => graph.message_count(),
        None => program.facts().messages_of_stage(),
    };
    if messages > MAX_MESSAGES { Err(SimulationError::TooManyMessages { messages }) } else { Ok(()) }
}

/// Refuses rules under which asynchronous execution on a machine is not defined: single-direction links of a network, and
/// channels that serve their inputs in turn but are not independent.
pub(crate) fn check_rules(machine: &Machine, communication: Communication) -> Result<(), SimulationError> {
    let links = communication.links();
    if machine.graph().is_some() && links == LinkMode::SingleDirection {
        return Err(SimulationError::NoTurns);
    }
    if communication.service() == ServiceOrder::RoundRobin && links != LinkMode::FullDuplex {
        return Err(SimulationError::NoRoundRobin { links });
    }
    Ok(())
}

/// Refuses a run whose clock could pass 2^63: then no sum of times of one process overflows.
fn check_clock(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    execution: &Execution,
) -> Result<(), SimulationError> {
    let bound = max_cycles(program, placement, communication, execution);
    if bound < 1 << 63 { Ok(()) } else { Err(SimulationError::TooManyCycles { bound }) }
}
