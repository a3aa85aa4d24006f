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
//! queue, and whenever it is idle it takes those that have arrived out of their slots and transmits the
//! first. With `T_c > 1` a slot lasts `T_c` cycles, and a message that joins also checks the neighbouring
//! slots ([`one_cycle_links`], [`several_cycle_links`]).
//!
//! Three things make it fast beyond that. Stages without contention are computed as a whole ([`stages`]). On a product
//! placement, stages of one field stay on lines of one dimension, which share nothing and do the same, so that one
//! represents all ([`line_classes`]). And on a line all routes are known in advance ([`route_table`]). Under half-duplex links opposite messages meet all
//! along their routes: then lines are run hop by hop, but still one for all ([`line`]).

mod channel_queue;
mod event_loop;
mod line;
mod line_classes;
mod one_cycle_links;
mod route_table;
mod several_cycle_links;
mod stages;
mod state;

use cubefold_mapping::{Guest, Placement, ProcessId, ProductPlacement};
use cubefold_topology::LinkMode;

pub(crate) use self::line::{LineProblem, serial_messages};
use self::{
    event_loop::BeltInput,
    line::{KeepRecords, LineError, Segment, revisits_field, segments},
    route_table::{ChannelMap, LineRouteTable},
    stages::StageSequence,
};
use crate::{
    BulkStages, Communication, CubeProgram, Cycles, Observer, Program, SimulationError, Summary,
    engine::{self, TransportKind},
    observe::accounts::Ledger,
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
    /// A message occupies a link for a time other than until its head has moved on, or until it is received.
    #[error(
        "the belt engine needs messages that take the same time to occupy a link, to cross it and to arrive"
    )]
    Timing,
    /// Opposite messages share links, and the machine does not divide into lines.
    #[error(
        "under half-duplex links the belt engine runs named embeddings whose stages take one coordinate after \
         another, not this placement or order of stages"
    )]
    HalfDuplex,
    /// The machine has too many channels to number.
    #[error("the belt engine runs whole machines of at most 2^31 channels")]
    TooLarge,
}

/// A program on any placement under full-duplex links.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MachineProblem<'run> {
    program: &'run CubeProgram,
    placement: &'run Placement,
    communication: Communication,
    hop: Cycles, // the time of a message over a link, at least 1
    bulk: BulkStages,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct BeltOutcome {
    pub(crate) summary: Summary,
    /// The longest queue after the arbitration of a cycle \[messages\].
    pub(crate) longest_queue: u32,
}

/// The memory of a run on the longest line \[bytes\].
fn line_bytes(placement: &ProductPlacement) -> u64 {
    let longest = placement.machine().shape().lengths().iter().copied().max().unwrap_or(0);
    run_bytes(longest, longest, 1)
}

/// The memory of a run with this number of processes, nodes and dimensions \[bytes\].
fn run_bytes(processes: u64, nodes: u64, dimensions: u64) -> u64 {
    let routes = if dimensions == 1 { LineRouteTable::bytes(processes) } else { 0 };
    processes * BYTES_A_PROCESS + nodes * 2 * dimensions * BYTES_A_CHANNEL + routes
}

/// The state of a process, its node, its times while a stage is computed as a whole, its account, the entry
/// of its event, and its half of the entry of its pair.
const BYTES_A_PROCESS: u64 = 64 + 4 + 24 + 8 + 10 + 16;
/// A slot, the index of a queue, and the bit for it.
const BYTES_A_CHANNEL: u64 = 13;

impl<'run> LineProblem<'run> {
    /// The run of a program on lines, whose messages take the times of one unit under the rules `unit` if there are such
    /// rules; `None` if the lines cannot be run separately.
    pub(crate) fn new(
        program: &'run CubeProgram,
        placement: &'run ProductPlacement,
        (communication, unit): (Communication, Option<Communication>),
        bulk: BulkStages,
    ) -> Option<Self> {
        let hop = unit.map(Communication::hop);
        let problem = Self { program, placement, communication: unit.unwrap_or(communication), hop, bulk };
        problem.is_line_separable().then_some(problem)
    }

    /// Whether lines can be run separately: no field is revisited before all messages of its lines have arrived.
    fn is_line_separable(&self) -> bool {
        if !self.placement.lines().iter().all(|line| ChannelMap::fits(line.machine())) {
            return false;
        }
        if !revisits_field(&segments(self.program, self.placement)) {
            return true;
        }
        // Only a run decides, but one line per segment is enough; with sizes it takes too long.
        self.hop.is_some() && !matches!(self.run_classes(KeepRecords::No), Err(LineError::Overlap))
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
        let of_line = line_bytes(self.placement) + self.bytes_of_sizes(&segments);
        of_line.saturating_mul(self.lines_together(&segments)) + stages
    }

    /// The memory of messages with sizes on the longest line \[bytes\]; 0 if they have one unit.
    fn bytes_of_sizes(&self, segments: &[Segment]) -> u64 {
        if self.hop.is_some() {
            return 0;
        }
        let lines = self.placement.lines();
        let bytes = |segment: &Segment| {
            let line = &lines[segment.field];
            if self.is_computed_as_a_whole(segment, line) {
                return 0;
            }
            let program = segment.program(self.program, line.cube());
            let distance = |one, other| line.machine().distance(line.node(one), line.node(other));
            let machine = (line.machine(), &distance as engine::Distance<'_>);
            engine::bytes(&program, machine, self.communication, TransportKind::Packets)
                .max(PlannedLine::bytes(program.process_count()))
        };
        segments.iter().map(bytes).max().unwrap_or(0)
    }

    /// Whether all stages of a segment are computed as a whole, since no messages can meet: partners of a
    /// stage are equally far apart, so that all processes of a line finish it together.
    fn is_computed_as_a_whole(&self, segment: &Segment, line: &ProductPlacement) -> bool {
        let is_stored = |stage| self.communication.stored_hop(self.program.max_units(stage)).is_some();
        let is_constant = |&bit: &u32| {
            let partner = |process: ProcessId| ProcessId::new(process.label() ^ bit);
            let distance = |process| line.machine().distance(line.node(process), line.node(partner(process)));
            let mut distances = ProcessId::first(line.cube().process_count()).map(distance);
            let first = distances.next();
            distances.all(|distance| Some(distance) == first)
        };
        self.bulk == BulkStages::Yes
            && self.communication.links() == LinkMode::FullDuplex
            && segment.stages.clone().all(is_stored)
            && segment.bits.iter().all(is_constant)
    }
}

impl<'run> MachineProblem<'run> {
    /// The run of a program on the whole machine under rules for messages of one unit; `None` if the machine has too many
    /// channels.
    pub(crate) fn new(
        program: &'run CubeProgram,
        placement: &'run Placement,
        communication: Communication,
        bulk: BulkStages,
    ) -> Option<Self> {
        let hop = communication.hop();
        let fits = ChannelMap::fits(placement.machine());
        fits.then_some(Self { program, placement, communication, hop, bulk })
    }

    /// Estimates the memory that the run takes at most \[bytes\].
    pub(crate) fn bytes(&self) -> u64 {
        let machine = self.placement.machine();
        let dimensions = machine.shape().dimension_count() as u64;
        run_bytes(self.program.process_count(), machine.node_count(), dimensions)
    }

    /// Runs the program, and reports to `observer`.
    ///
    /// # Errors
    ///
    /// When a process does not finish or its times do not add up: defects of the engine.
    pub(crate) fn run(&self, observer: &mut dyn Observer) -> Result<BeltOutcome, SimulationError> {
        let &Self { program, placement, communication, hop, bulk } = self;
        let stages = StageSequence::of(program, hop);
        let channels = ChannelMap::new(placement.machine(), communication.tie());
        let input = BeltInput::new(channels, stages, placement.nodes(), bulk);
        let mut observers = (Ledger::new(program), observer);
        let longest_queue = input.simulator().run(&mut vec![0; input.nodes.len()], &mut observers);
        Ok(BeltOutcome { summary: observers.0.close()?, longest_queue })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_run_has_a_channel_each_way_in_every_dimension() {
        assert_eq!(run_bytes(10, 100, 3), 10 * BYTES_A_PROCESS + 100 * 6 * BYTES_A_CHANNEL);
        let of_line = 10 * BYTES_A_PROCESS + 100 * 2 * BYTES_A_CHANNEL + LineRouteTable::bytes(10);
        assert_eq!(run_bytes(10, 100, 1), of_line);
    }
}
