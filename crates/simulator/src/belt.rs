//! The belt engine: asynchronous execution that skips undisturbed hops.
//!
//! The engine treats a directed line as a slotted ring. A line of `k` nodes whose links take one cycle is a
//! conveyor belt of `k` slots. A message that is at position `x` at cycle `t` is in slot `(x - t) mod k`, and
//! stays there until it arrives or is blocked:
//!
//! ```text
//! cycle 0   node 0  node 1  node 2  node 3      a message that is injected at node 0 at cycle 0 is in
//!           slot 0  slot 1  slot 2  slot 3      slot 0 at every node that it passes, and one that is
//! cycle 1   slot 3  slot 0  slot 1  slot 2      injected at node 1 at cycle 1 finds the same slot
//! ```
//!
//! So a hop costs nothing. Two messages of one direction can meet only where one of them joins a channel,
//! since through traffic reaches a channel over one other channel and so never meets itself. A message that
//! joins a channel only checks the slot there. While messages wait at a channel it has a
//! queue, which in every cycle takes the message that arrives out of its slot and transmits the
//! first ([`event_loop`], [`one_cycle_links`]).
//!
//! Two things make it fast beyond that. On a product placement, stages of one field stay on lines of one dimension,
//! which share nothing and do the same, so that one represents all ([`line_classes`]). And stages without contention are
//! computed as a whole ([`stages`]). Where links take several cycles or messages have sizes, a line is run by the
//! [`trajectories`](crate::trajectories) of its messages, and where opposite messages meet all along their routes, as under
//! half-duplex links, link by link, but still one for all ([`line`]).

mod event_loop;
mod line;
mod line_classes;
mod line_routes;
mod one_cycle_links;
mod stages;
mod state;

use cubefold_mapping::{Guest, ProcessId, ProductPlacement};

pub(crate) use self::line::{LineProblem, serial_messages};
use self::{
    line::{KeepRecords, LineError, revisits_field, segments},
    line_routes::LineRoutes,
    one_cycle_links::OneCycleLinks,
    stages::Segment,
    state::LineState,
};
use crate::{
    BulkStages, Communication, CubeProgram, Observer, Program, SimulationError, Summary,
    engine::{self, TransportKind},
    trajectories::PlannedLine,
};

/// The reason why the belt engine does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoBeltError {
    /// The program is not compute-and-communicate on a cube.
    #[error("the belt engine runs compute-and-communicate programs on cubes, not this one")]
    Program,
    /// The machine is a network.
    #[error("the belt engine needs lines of nodes, which a network does not have")]
    Network,
    /// Links differ in their times.
    #[error("the belt engine needs links that all take the same times, but those of some dimensions differ")]
    Links,
    /// Processes share nodes.
    #[error("the belt engine needs a node for every process, but some share one")]
    SharedNodes,
    /// The whole machine moves in one direction at a time.
    #[error("the belt engine has no single-direction links: there everything waits for everything")]
    SingleDirection,
    /// Messages do not take the routes of the machine.
    #[error("the belt engine needs messages that take one coordinate after another, the lowest first")]
    Routes,
    /// Messages go through routers with finite buffers.
    #[error("the belt engine needs queues without limits, not routers with finite buffers")]
    Routers,
    /// The cores of processes are busy with messages.
    #[error("the belt engine needs messages that cost their processes no time")]
    MessageCost,
    /// The run does not divide into lines.
    #[error(
        "the belt engine runs named embeddings whose stages take one coordinate after another, not this placement \
         or order of stages"
    )]
    Lines,
}

#[derive(Debug)]
pub(crate) struct BeltOutcome {
    pub(crate) summary: Summary,
    /// The longest queue after the arbitration of a cycle \[messages\].
    pub(crate) longest_queue: u32,
}

/// Memory for a process of a line: its node, its times while a stage is computed as a whole, and its account
/// \[bytes\].
const BYTES_A_PROCESS: u64 = 4 + 24 + 8;

impl<'run> LineProblem<'run> {
    /// The run of a program on lines, whose messages take the times of one unit under the rules `unit` if there are such
    /// rules; `None` if the lines cannot be run separately.
    pub(crate) fn new(
        program: &'run CubeProgram,
        placement: &'run ProductPlacement,
        (communication, unit): (Communication, Option<Communication>),
        bulk: BulkStages,
    ) -> Option<Self> {
        let communication = unit.unwrap_or(communication);
        let problem = Self { program, placement, communication, has_sizes: unit.is_none(), bulk };
        problem.is_line_separable().then_some(problem)
    }

    /// Whether lines can be run separately: no field is revisited before all messages of its lines have arrived.
    fn is_line_separable(&self) -> bool {
        let lengths = self.placement.machine().shape().lengths();
        if lengths.iter().any(|&length| length > LineRoutes::MAX_LENGTH) {
            return false;
        }
        if !revisits_field(&segments(self.program, self.placement)) {
            return true;
        }
        // Only a run decides, but one line per segment is enough; with sizes it takes too long.
        !self.has_sizes && !matches!(self.run_classes(KeepRecords::No), Err(LineError::Overlap))
    }

    /// Runs the program, and reports to `observer`.
    ///
    /// # Errors
    ///
    /// When a process does not finish or its times do not add up: defects of the engine.
    pub(crate) fn run(&self, observer: &mut dyn Observer) -> Result<BeltOutcome, SimulationError> {
        let keep = if observer.wants_records() { KeepRecords::Yes } else { KeepRecords::No };
        let classes = self.run_classes(keep)?;
        classes.outcome.summary.check_balance()?;
        match keep {
            KeepRecords::Yes => classes.report(self.placement, observer),
            KeepRecords::No => {
                let processes = self.program.process_count();
                observer.pairs_finished(processes.saturating_mul(self.program.stage_count() as u64));
            }
        }
        Ok(classes.outcome)
    }

    /// Estimates the memory that the run takes at most \[bytes\].
    pub(crate) fn bytes(&self) -> u64 {
        let stages = self.program.stage_count() as u64 * 100;
        let segments = segments(self.program, self.placement);
        let of_line = segments.iter().map(|segment| self.bytes_of_line(segment)).max().unwrap_or(0);
        of_line.saturating_mul(self.lines_together(&segments)) + stages
    }

    /// The memory of a run of a segment on a line \[bytes\].
    fn bytes_of_line(&self, segment: &Segment) -> u64 {
        let line = &self.placement.lines()[segment.field];
        let processes = line.cube().process_count();
        let bytes = processes * BYTES_A_PROCESS;
        if self.has_slots() {
            let of_processes = processes * LineState::BYTES_A_PROCESS;
            return bytes + of_processes + line.machine().node_count() * OneCycleLinks::BYTES_A_NODE;
        }
        if self.is_computed_as_a_whole(segment, line) {
            return bytes;
        }
        let program = self.program_of(segment, 0, line);
        let distance = |one, other| line.machine().distance(line.node(one), line.node(other));
        let machine = (line.machine(), &distance as engine::Distance<'_>);
        let kind = TransportKind::of(&program, line.machine(), self.communication);
        let link_by_link = engine::bytes(&program, machine, self.communication, kind);
        bytes.saturating_add(link_by_link.max(PlannedLine::bytes(processes)))
    }

    /// Whether all stages of a segment are computed as a whole, since no messages can meet: partners of a
    /// stage are equally far apart, so that all processes of a line finish it together.
    fn is_computed_as_a_whole(&self, segment: &Segment, line: &ProductPlacement) -> bool {
        let is_constant = |&bit: &u32| {
            let partner = |process: ProcessId| ProcessId::new(process.label() ^ bit);
            let distance = |process| line.machine().distance(line.node(process), line.node(partner(process)));
            let mut distances = ProcessId::first(line.cube().process_count()).map(distance);
            let first = distances.next();
            distances.all(|distance| Some(distance) == first)
        };
        self.bulk == BulkStages::Yes
            && self.stored_hops(segment).is_some()
            && segment.bits.iter().all(is_constant)
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
