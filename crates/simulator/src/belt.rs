//! The belt engine: asynchronous execution without going through free flight.
//!
//! A directed line of `k` nodes whose links take one cycle is a conveyor belt of `k` slots. A message that is at
//! position `x` at cycle `t` is in slot `(x - t) mod k`, and stays there until it arrives or is stopped:
//!
//! ```text
//! cycle 0   node 0  node 1  node 2  node 3      a message that sets out from node 0 at cycle 0 is in
//!           slot 0  slot 1  slot 2  slot 3      slot 0 at every node that it passes, and one that sets
//! cycle 1   slot 3  slot 0  slot 1  slot 2      out from node 1 at cycle 1 looks into the same slot
//! ```
//!
//! So a hop costs nothing, and messages meet only where one of them joins a channel and finds its slot taken
//! ([`meeting`]). With `T_c > 1` a slot lasts `T_c` cycles and a message that joins also looks at its
//! neighbours. Times are kept with 64 bits throughout.
//!
//! Four things make it fast beyond that. Stages in which nobody can be in anybody's way are computed as a whole
//! ([`bulk`]). On a product placement, stages of one field keep to lines of one dimension, which share nothing and
//! can be run one by one, in parallel ([`each_line`]); and all lines of a dimension do the same, so that one
//! stands for all ([`line_classes`]). And on a line all ways are known beforehand ([`terrain`]). Under half-duplex
//! links opposing messages meet all along their ways: there lines are run hop by hop, but still one for all.

mod bulk;
mod course;
mod each_line;
mod engine;
mod layout;
mod line_classes;
mod line_legs;
mod line_run;
mod meeting;
mod process;
mod records;
mod run;
mod segments;
mod shares;
mod stages;
mod starts;
mod tallies;
mod terrain;
mod time_wheel;

use cubefold_mapping::{Placement, ProductPlacement};
use cubefold_topology::LinkMode;

pub use self::records::{ProcessTime, ProcessTimes};
use self::{
    layout::Layout,
    line_classes::{KeepLines, LineClasses, LineError, LineProblem},
    line_legs::LineLegs,
    run::Setting,
    segments::{comes_back, segments},
    stages::Stages,
};
use crate::{
    Communication, CubeProgram, Lines, Observer, Program, Shortcuts, SimulationError, StageRecord, Summary,
    observe::accounts::Ledger,
};

/// Why the belt engine does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoBeltError {
    /// The program is none of compute-and-communicate on a cube.
    #[error("the belt engine runs compute-and-communicate programs on cubes, not this one")]
    Program,
    /// The machine is a network.
    #[error("the belt engine needs lines of nodes, which a network does not have")]
    Network,
    /// Processes share nodes.
    #[error("the belt engine needs a node for every process, but some share one")]
    SharedNodes,
    /// The whole machine moves in one direction at a time.
    #[error("the belt engine has no single-direction links: there everything waits for everything")]
    SingleDirection,
    /// Opposing messages share links, and the machine does not fall into lines.
    #[error(
        "under half-duplex links the belt engine runs named embeddings whose stages take one coordinate after \
         another, not this placement or order of stages"
    )]
    HalfDuplex,
    /// The machine has too many channels to number.
    #[error("the belt engine runs whole machines of at most 2^31 channels")]
    TooLarge,
}

/// How the belt engine goes about a run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Plan<'run> {
    /// One line for all of its dimension.
    Classes(&'run CubeProgram, &'run ProductPlacement),
    /// Every line by itself.
    EachLine(&'run CubeProgram, &'run ProductPlacement),
    /// The whole machine together.
    Whole(&'run CubeProgram, &'run Placement),
}

/// What a run on the belt comes to.
pub(crate) struct Ride {
    pub(crate) summary: Summary,
    pub(crate) longest_queue: u32,
}

/// How the belt engine would go about a run.
///
/// # Errors
///
/// When it does not apply.
pub(crate) fn plan<'run, P: Program>(
    program: &'run P,
    placement: &'run Placement,
    communication: Communication,
    shortcuts: Shortcuts,
) -> Result<Plan<'run>, NoBeltError> {
    let program = program.as_cube().ok_or(NoBeltError::Program)?;
    if placement.machine().graph().is_some() {
        return Err(NoBeltError::Network);
    }
    if !placement.is_one_to_one() {
        return Err(NoBeltError::SharedNodes);
    }
    if communication.links() == LinkMode::SingleDirection {
        return Err(NoBeltError::SingleDirection);
    }
    if let Placement::Product(product) = placement
        && keeps_to_lines(program, product, communication, shortcuts)
    {
        match shortcuts.lines {
            Lines::Classes => return Ok(Plan::Classes(program, product)),
            Lines::Each => return Ok(Plan::EachLine(program, product)),
            Lines::Whole => {}
        }
    }
    match communication.links() {
        LinkMode::FullDuplex if Layout::fits(placement.machine()) => Ok(Plan::Whole(program, placement)),
        LinkMode::FullDuplex => Err(NoBeltError::TooLarge),
        LinkMode::HalfDuplex | LinkMode::SingleDirection => Err(NoBeltError::HalfDuplex),
    }
}

/// Whether the lines of a product placement can be run apart: no field comes back before its lines are quiet.
fn keeps_to_lines(
    program: &CubeProgram,
    placement: &ProductPlacement,
    communication: Communication,
    shortcuts: Shortcuts,
) -> bool {
    if !placement.lines().iter().all(|line| Layout::fits(line.machine())) {
        return false;
    }
    if !comes_back(&segments(program, placement)) {
        return true;
    }
    // Only running tells, but one line a segment does.
    let problem = LineProblem { program, placement, communication, bulk: shortcuts.bulk };
    !matches!(problem.run_classes(KeepLines::No), Err(LineError::Overlap))
}

/// Whether the belt engine runs a program on a placement.
///
/// # Errors
///
/// Why it does not.
pub fn belt_applies<P: Program>(
    program: &P,
    placement: &Placement,
    communication: Communication,
) -> Result<(), NoBeltError> {
    plan(program, placement, communication, Shortcuts::default()).map(drop)
}

/// Bytes that a run takes at most, roughly.
pub(crate) fn bytes(plan: Plan<'_>) -> u64 {
    let run = |processes: u64, nodes: u64, dimensions: u64| {
        let ways = if dimensions == 1 { LineLegs::bytes(processes) } else { 0 };
        processes * BYTES_A_PROCESS + nodes * 2 * dimensions * BYTES_A_CHANNEL + ways
    };
    match plan {
        Plan::Classes(program, placement) => {
            let longest = placement.machine().shape().lengths().iter().copied().max().unwrap_or(0);
            run(longest, longest, 1) + program.stage_count() as u64 * 100
        }
        Plan::EachLine(program, placement) => {
            let longest = placement.machine().shape().lengths().iter().copied().max().unwrap_or(0);
            program.process_count() * 16 + run(longest, longest, 1) * 256
        }
        Plan::Whole(program, placement) => {
            let machine = placement.machine();
            run(program.process_count(), machine.node_count(), machine.shape().dimension_count() as u64)
        }
    }
}

/// The state of a process, its node, its times while a stage is tried as a whole, its account, the place of its event,
/// and its half of that of its pair.
const BYTES_A_PROCESS: u64 = 64 + 4 + 24 + 8 + 10 + 16;
/// A slot, the place of a queue, and the bit for it.
const BYTES_A_CHANNEL: u64 = 13;

/// Runs a program as planned, and reports to `observer`.
///
/// # Errors
///
/// When a process does not finish or its times do not add up: defects of the engine.
pub(crate) fn run<O: Observer>(
    plan: Plan<'_>,
    communication: Communication,
    shortcuts: Shortcuts,
    observer: &mut O,
) -> Result<Ride, SimulationError> {
    let bulk = shortcuts.bulk;
    match plan {
        Plan::Classes(program, placement) => {
            let problem = LineProblem { program, placement, communication, bulk };
            run_classes(&problem, observer)
        }
        Plan::EachLine(program, placement) => {
            let problem = LineProblem { program, placement, communication, bulk };
            let sums = problem.run_each(keep(observer))?;
            sums.summary.check_balance()?;
            tell(program, &sums.records, observer);
            Ok(Ride { summary: sums.summary, longest_queue: sums.longest_queue })
        }
        Plan::Whole(program, placement) => {
            let stages = Stages::of(program, communication);
            let layout = Layout::new(placement.machine(), communication.tie());
            let setting = Setting::new(layout, stages, placement.nodes(), bulk);
            let mut observers = (Ledger::new(program), observer);
            let mut run = setting.start();
            run.run(&mut vec![0; setting.nodes.len()], &mut observers);
            Ok(Ride { summary: observers.0.close()?, longest_queue: run.longest_queue() })
        }
    }
}

fn run_classes<O: Observer>(problem: &LineProblem<'_>, observer: &mut O) -> Result<Ride, SimulationError> {
    let keep = keep(observer);
    let classes = problem.run_classes(keep)?;
    classes.summary.check_balance()?;
    match keep {
        KeepLines::Yes => records::report(&classes, problem.placement, observer),
        KeepLines::No => tell(problem.program, &[], observer),
    }
    let LineClasses { summary, longest_queue, .. } = classes;
    Ok(Ride { summary, longest_queue })
}

/// Whether records are kept for an observer.
fn keep<O: Observer>(observer: &O) -> KeepLines {
    if observer.wants_records() { KeepLines::Yes } else { KeepLines::No }
}

/// Tells an observer of all stages of all processes, by record if there are records.
fn tell<O: Observer>(program: &CubeProgram, records: &[StageRecord], observer: &mut O) {
    for record in records {
        observer.stage_finished(record);
    }
    if records.is_empty() {
        observer.pairs_finished(program.process_count().saturating_mul(program.stage_count() as u64));
    }
}

/// The times of every process of an asynchronous run whose lines tell them: a compute-and-communicate program on
/// a named embedding under full-duplex or half-duplex links, each field's stages together.
///
/// # Errors
///
/// When the run is none of these.
pub fn process_times(
    program: &CubeProgram,
    placement: &Placement,
    communication: Communication,
) -> Result<ProcessTimes, SimulationError> {
    match plan(program, placement, communication, Shortcuts::default())? {
        Plan::Classes(program, placement) => {
            let bulk = Shortcuts::default().bulk;
            let problem = LineProblem { program, placement, communication, bulk };
            Ok(ProcessTimes::new(&problem.run_classes(KeepLines::Yes)?, placement))
        }
        Plan::EachLine(..) | Plan::Whole(..) => Err(SimulationError::NotByLines),
    }
}

impl From<LineError> for SimulationError {
    fn from(error: LineError) -> Self {
        match error {
            LineError::Overlap => Self::NotByLines,
            LineError::Unfinished(process) => Self::Unfinished { process },
            LineError::Imbalance(imbalance) => Self::Imbalance(imbalance),
        }
    }
}
