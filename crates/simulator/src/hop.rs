//! Asynchronous execution (`docs/model.md` section 5), message by message and link by link.
//!
//! The engine advances from one cycle in which something happens to the next. All computations of a
//! run take equally long, and so do all transmissions: both end in the order in which they began,
//! so that first-in first-out lists replace an event queue, and no event allocates or sorts
//! anything. In a cycle transmissions end, messages whose legs are over begin the next or are
//! received, processes become ready and inject messages, and at last idle links are granted: the
//! outcome depends on the keys of messages, never on the order of events within these steps.
//!
//! Two networks keep the rules of section 5: [`Flow`], where messages flow along the dimensions of
//! a grid and each channel or link is granted independently, and [`ArbitratedNetwork`], where
//! messages are looked at one by one: under single-direction links, and on networks, which have no
//! dimensions. Both take a transmission's occupancy, head and receipt as one time
//! ([`MessageTiming::uniform`](crate::MessageTiming::uniform)): the caller gives the rules of
//! [`Communication::unit_equivalent`].

mod arbitrated_network;
mod computing;
mod flow;
mod processes;
pub(crate) mod slabs;
#[cfg(test)]
mod tests;

use std::num::NonZeroU64;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::narrow;
use cubefold_topology::{Extent, Leg, LinkMode, Machine, NodeId};

pub(crate) use self::computing::StartTimes;
use self::{
    arbitrated_network::ArbitratedNetwork,
    computing::{Computing, PendingStarts},
    flow::{Flow, Layout, Share},
    processes::{InFlightMessage, Processes},
};
use crate::{
    Communication, Cycle, Cycles, MessageTiming, Observer, Program, ServiceOrder, SimulationError,
    StageRecord, Traffic, channel_queue::MessageKeys, processors::Processors, routes::Routes,
};

/// The number of processes whose records are fetched together, so that their cache misses overlap.
const PREFETCH_CHUNK: usize = 32;

/// Checks that asynchronous execution is defined for a run.
///
/// # Errors
///
/// Under single-direction links on a network, and where channels serve their inputs in turn but are
/// not independent.
pub(crate) fn check(placement: &Placement, communication: Communication) -> Result<(), SimulationError> {
    let (is_network, links) = (placement.machine().graph().is_some(), communication.links());
    if is_network && links == LinkMode::SingleDirection {
        return Err(SimulationError::NoTurns);
    }
    if communication.service() == ServiceOrder::RoundRobin && links != LinkMode::FullDuplex {
        return Err(SimulationError::NoRoundRobin { links });
    }
    Ok(())
}

/// Bytes that a run takes at most, roughly.
pub(crate) fn bytes<P: Program>(program: &P, machine: &Machine) -> u64 {
    const BYTES_PER_MESSAGE: u64 = 160;
    const BYTES_PER_CHANNEL: u64 = 12;
    let channels = machine.channel_places();
    let messages = program.process_count() * program.max_received().max(1) as u64;
    let routes = machine.bytes_of_routes();
    messages * BYTES_PER_MESSAGE + channels * BYTES_PER_CHANNEL + routes
}

/// Runs `program` to its end, reporting to `observer`; each process may begin as `starts` says.
///
/// # Errors
///
/// The first process that did not reach its end, which none does whose sources and destinations
/// match.
///
/// # Panics
///
/// When [`check`] refuses the run, or messages have other times than units.
pub(crate) fn run<P: Program, O: Observer>(
    program: &P,
    placement: &Placement,
    communication: Communication,
    starts: StartTimes<'_>,
    observer: &mut O,
) -> Result<Traffic, ProcessId> {
    let machine = placement.machine();
    let input = HopInput { program, placement, communication, starts };
    match communication.links() {
        LinkMode::FullDuplex | LinkMode::HalfDuplex if machine.graph().is_some() => {
            HopEngine::new(&input, ArbitratedNetwork::independent(machine, communication), observer).run()
        }
        LinkMode::FullDuplex | LinkMode::HalfDuplex => {
            let layout = layout(program, machine);
            if layout.bits() <= u64::BITS {
                HopEngine::new(
                    &input,
                    Flow::<u64>::new(machine, communication, layout, Share::WHOLE),
                    observer,
                )
                .run()
            } else {
                HopEngine::new(
                    &input,
                    Flow::<u128>::new(machine, communication, layout, Share::WHOLE),
                    observer,
                )
                .run()
            }
        }
        LinkMode::SingleDirection => {
            HopEngine::new(&input, ArbitratedNetwork::single_direction(machine, communication), observer)
                .run()
        }
    }
}

/// The layout of the words for messages of a run.
fn layout<P: Program>(program: &P, machine: &Machine) -> Layout {
    let messages = program.process_count() * program.max_received().max(1) as u64;
    let longest = machine.extents().map(Extent::diameter).max().unwrap_or(1);
    Layout::new(machine.node_count(), messages, longest)
}

/// Messages in flight, leg by leg.
///
/// In every cycle in which something happens, transmissions that end [arrive](Self::arrive);
/// messages whose leg or stretch of it is over are [taken](Self::take_arrived) and, like others,
/// [join](Self::join) in any order; then resources are granted and their messages
/// [depart](Self::depart).
trait Network {
    /// The cycle at which the next transmissions end.
    fn next_end(&self) -> Option<Cycle>;

    /// Every transmission that ends at `now` arrives, if any does.
    fn arrive(&mut self, now: Cycle, keys: &impl MessageKeys);

    /// Takes a message that has arrived in this cycle at a node where its leg or a stretch of it
    /// ends.
    fn take_arrived(&mut self) -> Option<(u32, NodeId)>;

    /// `message` at `node` needs the first channel of `leg` from `now` on.
    fn join(&mut self, message: u32, node: NodeId, leg: Leg, now: Cycle, keys: &impl MessageKeys);

    /// Idle resources are granted, and the messages that get them depart.
    fn depart(&mut self, now: Cycle, keys: &impl MessageKeys);

    /// The most messages left in one channel's queue after the grants of any cycle so far.
    fn longest_queue(&self) -> u32;
}

/// What the messages of a network share, and are granted one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arbitration {
    /// A channel: only messages of one direction compete for it.
    PerChannel,
    /// A link: messages of both directions of a dimension compete for it.
    PerLink,
}

impl Arbitration {
    /// The arbitration of full-duplex or half-duplex links.
    ///
    /// # Panics
    ///
    /// When the links are single-direction.
    fn new(links: LinkMode) -> Self {
        match links {
            LinkMode::FullDuplex => Self::PerChannel,
            LinkMode::HalfDuplex => Self::PerLink,
            LinkMode::SingleDirection => panic!("single-direction links are not granted independently"),
        }
    }
}

/// The inputs of a run.
struct HopInput<'run, P> {
    program: &'run P,
    placement: &'run Placement,
    communication: Communication,
    starts: StartTimes<'run>,
}

struct HopEngine<'run, P, N, O> {
    program: &'run P,
    routes: Routes<'run>,
    timing: MessageTiming,
    network: N,
    pending_starts: PendingStarts,
    computing: Computing,
    processors: Option<Processors>,        // where processes share nodes
    ready_without_compute: Vec<ProcessId>, // in this cycle
    arrived: Vec<(u32, NodeId)>,           // the messages of a chunk, and where they are
    ended: Vec<ProcessId>,                 // the processes of a chunk
    processes: Processes,
    message_count: u64,
    hop_count: u64,
    observer: &'run mut O,
}

impl<'run, P: Program, N: Network, O: Observer> HopEngine<'run, P, N, O> {
    fn new(input: &HopInput<'run, P>, network: N, observer: &'run mut O) -> Self {
        let &HopInput { program, placement, communication, starts } = input;
        let nodes = placement.nodes();
        placement.machine().prepare_routes(&nodes);
        Self {
            program,
            routes: Routes::new(placement.machine(), communication.tie()),
            timing: communication.timing(),
            network,
            pending_starts: PendingStarts::new(nodes.len() as u64, starts),
            computing: Computing::default(),
            ready_without_compute: vec![],
            arrived: vec![],
            ended: vec![],
            processors: (!placement.is_one_to_one()).then(|| Processors::new(&nodes, NonZeroU64::MIN)),
            processes: Processes::new(&nodes, program.max_received()),
            message_count: 0,
            hop_count: 0,
            observer,
        }
    }

    fn run(mut self) -> Result<Traffic, ProcessId> {
        while let Some(now) = self.next_event() {
            self.network.arrive(now, &self.processes);
            self.advance_arrived(now);
            self.process_zero_time_events(now);
            self.network.depart(now, &self.processes);
        }
        self.traffic()
    }

    /// The next cycle at which a transmission or a computation ends or a process may begin.
    fn next_event(&self) -> Option<Cycle> {
        let events = [self.network.next_end(), self.computing.next_end(), self.pending_starts.next()];
        events.into_iter().flatten().min()
    }

    /// The messages whose legs are over begin the next, or are received.
    fn advance_arrived(&mut self, now: Cycle) {
        let mut arrived = std::mem::take(&mut self.arrived);
        loop {
            arrived.extend(std::iter::from_fn(|| self.network.take_arrived()).take(PREFETCH_CHUNK));
            if arrived.is_empty() {
                break;
            }
            let destination = |&(message, _): &(u32, NodeId)| self.processes.destination(message);
            self.processes.fetch(arrived.iter().map(destination));
            for (message, node) in arrived.drain(..) {
                self.advance(message, node, now);
            }
        }
        self.arrived = arrived;
    }

    /// A message begins a leg at `node`, or continues one, or is received.
    fn advance(&mut self, message: u32, node: NodeId, now: Cycle) {
        let destination = self.processes.node(self.processes.destination(message));
        let source = || self.processes.node(self.processes.source(message));
        self.start_leg(message, node, self.routes.next_leg(source, node, destination), now);
    }

    /// A message begins its next leg at `node`; one that has none is received.
    fn start_leg(&mut self, message: u32, node: NodeId, leg: Option<Leg>, now: Cycle) {
        match leg {
            Some(leg) => self.network.join(message, node, leg, now, &self.processes),
            None => self.receive(message, now),
        }
    }

    /// Processes all that happens at `now` after the arrivals: with computations of no time,
    /// processes that finish a stage become ready again in the same cycle.
    fn process_zero_time_events(&mut self, now: Cycle) {
        while let Some(process) = self.pending_starts.take(now) {
            self.begin_stage(process, now);
        }
        loop {
            self.become_all_ready(now);
            if self.start_computations(now) == 0 {
                return;
            }
        }
    }

    /// A process begins its next stage with its computation: at once on a node of its own, in its
    /// turn on a shared one.
    fn begin_stage(&mut self, process: ProcessId, now: Cycle) {
        if !self.program.computes(self.processes.next_stage(process), process) {
            self.ready_without_compute.push(process);
            return;
        }
        match &mut self.processors {
            None => self.computing.add(now + self.program.compute(), process),
            Some(processors) => processors.request(process, now),
        }
    }

    /// Idle processors of shared nodes are granted; returns their number.
    fn start_computations(&mut self, now: Cycle) -> usize {
        let Some(processors) = &mut self.processors else { return 0 };
        let end = now + self.program.compute();
        processors.grant(now, |process| self.computing.add(end, process))
    }

    /// The processes whose computations end, or that do not compute, become ready for their
    /// messages.
    fn become_all_ready(&mut self, now: Cycle) {
        let mut ended = std::mem::take(&mut self.ended);
        loop {
            let Self { computing, ready_without_compute, .. } = self;
            let next = || computing.take_ended(now).or_else(|| ready_without_compute.pop());
            ended.extend(std::iter::from_fn(next).take(PREFETCH_CHUNK));
            if ended.is_empty() {
                break;
            }
            self.fetch(&ended);
            for process in ended.drain(..) {
                self.become_ready(process, now);
            }
        }
        self.ended = ended;
    }

    /// Fetches the records of these processes and of their partners together.
    fn fetch(&self, processes: &[ProcessId]) {
        self.processes.fetch(processes.iter().copied());
        for &process in processes {
            let stage = self.processes.next_stage(process);
            self.processes.fetch(self.program.destinations(stage, process));
        }
    }

    /// A process is ready for the messages of its stage, after its computation or without one.
    fn become_ready(&mut self, process: ProcessId, now: Cycle) {
        let stage = self.processes.become_ready(process, now);
        let program = self.program;
        if let Some(processors) = &mut self.processors
            && program.computes(stage, process)
        {
            processors.release(process);
        }
        let awaited = program.sources(stage, process).count();
        self.processes.await_messages(process, awaited);
        for source in program.sources(stage, process) {
            self.inject_if_both_ready(stage, source, process, now);
        }
        for destination in program.destinations(stage, process) {
            self.inject_if_both_ready(stage, process, destination, now);
        }
        if awaited == 0 {
            self.finish_stage(process, now, Cycles::ZERO, now);
        }
    }

    /// Injects the message between two partners, one of which has just become ready, when the other
    /// is ready, too.
    fn inject_if_both_ready(&mut self, stage: usize, source: ProcessId, destination: ProcessId, now: Cycle) {
        if !(self.processes.was_ready(source, stage) && self.processes.was_ready(destination, stage)) {
            return;
        }
        let (from, to) = (self.processes.node(source), self.processes.node(destination));
        let (distance, leg) = self.routes.begin(from, to);
        self.message_count += 1;
        self.hop_count += distance;
        let distance = narrow(distance); // below 2^32, the number of nodes
        let message = self.processes.inject(destination, InFlightMessage { start: now, source, distance });
        self.start_leg(message, from, leg, now);
    }

    /// A message is received at its destination.
    fn receive(&mut self, message: u32, now: Cycle) {
        let process = self.processes.destination(message);
        if let Some(last) = self.processes.receive(process, message, now) {
            let transfer = self.timing.transfer(u64::from(last.distance));
            self.finish_stage(process, last.start, transfer, now);
        }
    }

    /// A stage is over for a process, which begins the next.
    fn finish_stage(&mut self, process: ProcessId, start: Cycle, transfer: Cycles, now: Cycle) {
        let (stage, ready) = self.processes.current(process);
        let processors = self.processors.as_ref().filter(|_| self.program.computes(stage, process));
        let sharing = processors.map_or(Cycles::ZERO, |processors| processors.sharing(process));
        self.observer.stage_finished(&StageRecord {
            process,
            stage,
            sharing,
            ready,
            start,
            finish: now,
            transfer,
            overlapped: Cycles::ZERO,
            idle: Cycles::ZERO,
        });
        if stage + 1 < self.program.stage_count() {
            self.begin_stage(process, now);
        } else {
            self.processes.end(process);
        }
    }

    fn traffic(self) -> Result<Traffic, ProcessId> {
        if let Some(process) = self.processes.unfinished() {
            return Err(process);
        }
        Ok(Traffic {
            messages: self.message_count,
            hops: self.hop_count,
            longest_queue: Some(self.network.longest_queue()),
            routing: None,
            link_use: None,
        })
    }
}
