//! The processes of a task graph: operations that begin when those that they require are over
//! (`docs/model.md` section 18).
//!
//! Within a cycle operations begin in rounds: first those that messages and computations of the cycle
//! allow, then those that these allow, and so on; each round in the order of the file. When no round is
//! left, processors are granted, which may allow operations again. Invariant between cycles: an operation
//! that has not begun requires another that is not over or has not begun, or has its processor or waits for it.

mod activity;
mod messages;
mod processors;
mod stuck;

use cubefold_mapping::{Placement, ProcessId};
use prefetch_index::prefetch_index;

pub use self::stuck::{StuckReason, StuckTasks};
use self::{activity::Activity, messages::Unmatched, processors::TaskProcessors};
use super::{Core, Event, Processes, ReceivedMessage};
use crate::{
    Communication, Cycle, Cycles, Detail, DetailList, EAGER_ALL, ImbalanceError, Observer, Operation,
    OperationKind, OperationTimes, Program, Requirement, SimulationError, Summary, TaskGraph, TaskSchedule,
    Traffic,
    explicit_routes::ExplicitRoutes,
    program::task_schedule::{Partner, TaskNode},
    slab::Slab,
    transport::{Transport, packets::Packets},
};

/// Upper estimate of the bytes of a run without the network: the graph and the state.
pub(crate) fn bytes(graph: &TaskGraph) -> u64 {
    let schedule = graph.schedule();
    let operations = schedule.operations().len();
    let shared = if schedule.shared_channels() > 0 { operations * size_of::<u32>() } else { 0 };
    let of_state = operations * (size_of::<u8>() + size_of::<u32>() + size_of::<u64>())
        + shared
        + schedule.shared_channels() * size_of::<Unmatched>()
        + schedule.process_count() as usize * size_of::<Activity>();
    schedule.bytes() + of_state as u64
}

/// Runs a task graph to its end, reporting a record of one stage for every process to `observer`.
///
/// # Errors
///
/// If the graph gets stuck.
pub(crate) fn run(
    graph: &TaskGraph,
    placement: &Placement,
    communication: Communication,
    observer: &mut dyn Observer,
) -> Result<(Summary, Traffic), SimulationError> {
    let (machine, units) = (placement.machine(), graph.facts().uniform_units);
    let packets = Packets::new(machine, communication, &Slab::whole(machine), units)
        .with_explicit_routes(ExplicitRoutes::new(placement, communication))
        .of_tasks(graph)
        .logging(observer.wants(Detail::Transmissions));
    let mut core = Core::whole(placement, communication, packets);
    Ok((run_on(graph, &mut core, observer)?, core.traffic()))
}

/// Runs a task graph over any transport.
///
/// # Errors
///
/// When operations or packets wait for each other.
pub(super) fn run_on<T: Transport>(
    graph: &TaskGraph,
    core: &mut Core<'_, T>,
    observer: &mut dyn Observer,
) -> Result<Summary, SimulationError> {
    if core.communication.routers().is_some() {
        core.log_messages(observer);
    }
    let mut processes = TaskProcesses::new(graph, core.communication, observer.wants(Detail::Operations));
    core.run(&mut processes, None);
    core.check_deadlock()?;
    if let Some(stuck) = processes.stuck() {
        return Err(SimulationError::Stuck(stuck));
    }
    core.report_messages(observer);
    core.report_transmissions(observer);
    Ok(processes.close(observer)?)
}

/// Flags of an operation.
const BEGUN: u8 = 1;
const OVER: u8 = 2;
/// A send or receive of a shared channel that has its partner.
const MATCHED: u8 = 4;
/// A receive whose message arrived before it began; on a shared channel, the send.
const ARRIVED: u8 = 8;
/// A send whose overhead is over.
const PREPARED: u8 = 16;
/// A send that its process does not await.
const LEFT: u8 = 32;

/// The number of operations of a round that are looked up together.
const PART: usize = 16;

/// No operation.
const NONE: u32 = u32::MAX;

/// In a message record: the receive is one of several of a channel.
const OF_CHANNEL: u32 = u32::MAX - 1;

/// The processes of a run.
pub(super) struct TaskProcesses<'run> {
    graph: &'run TaskGraph,
    schedule: &'run TaskSchedule,
    communication: Communication,
    nodes: &'run [TaskNode],   // by operation
    required: Vec<u32>,        // by operation, the number of its requirements that are not met
    flags: Vec<u8>,            // by operation
    unmatched: Vec<Unmatched>, // by shared channel
    others: Vec<u32>, // by operation of such a channel: its partner if it is matched, else the next in its list
    round: Vec<u32>,  // operations that begin in this round
    next_round: Vec<u32>,
    processors: TaskProcessors,
    activities: Vec<Activity>, // by process
    times: Vec<[Cycle; 2]>,    // by operation, when it began and ended; empty unless requested
    unfinished: usize,
}

impl<'run> TaskProcesses<'run> {
    pub(super) fn new(graph: &'run TaskGraph, communication: Communication, wants_operations: bool) -> Self {
        let schedule = &**graph.schedule();
        let operations = schedule.operations().len();
        let free = (0..)
            .zip(schedule.required())
            .filter(|&(_, required)| *required == 0)
            .map(|(operation, _)| operation)
            .collect();
        let channels = schedule.shared_channels();
        let unmatched = Unmatched { first: NONE, last: NONE, kind: OperationKind::Send };
        Self {
            graph,
            schedule,
            communication,
            nodes: schedule.nodes(),
            required: schedule.required().to_vec(),
            flags: schedule
                .operations()
                .iter()
                .map(|operation| if operation.is_awaited { 0 } else { LEFT })
                .collect(),
            unmatched: vec![unmatched; channels],
            others: if channels > 0 { vec![NONE; operations] } else { vec![] },
            round: vec![],
            next_round: free,
            processors: TaskProcessors::new(schedule),
            activities: vec![Activity::default(); schedule.process_count() as usize],
            times: if wants_operations { vec![[Cycle::START; 2]; operations] } else { vec![] },
            unfinished: operations,
        }
    }

    /// Operations begin, round by round, until none is left.
    fn begin_rounds<T: Transport>(&mut self, now: Cycle, core: &mut Core<'_, T>) {
        while !self.next_round.is_empty() {
            std::mem::swap(&mut self.round, &mut self.next_round);
            if self.schedule.shared_channels() > 0 {
                // The order matters only to sends and receives of one source, destination and tag.
                self.round.sort_unstable();
            }
            let mut round = std::mem::take(&mut self.round);
            for part in round.chunks(PART) {
                self.begin_part(part, now, core);
            }
            round.clear();
            self.round = round;
        }
    }

    /// Begins some operations of a round. They are scattered in memory, so their cache lines are
    /// prefetched together.
    fn begin_part<T: Transport>(&mut self, part: &[u32], now: Cycle, core: &mut Core<'_, T>) {
        let mut loaded = [None; PART];
        for (place, &operation) in loaded.iter_mut().zip(part) {
            let place_of = operation as usize;
            *place = Some((self.schedule.operations()[place_of], self.nodes[place_of]));
        }
        for (_, node) in loaded.iter().flatten() {
            self.prefetch_successor(node);
            if !self.is_all_eager() {
                self.prefetch_partner(node.partner());
            }
        }
        for (&operation, (details, _)) in part.iter().zip(loaded.iter().flatten()) {
            self.begin_operation(operation, details, now, core);
        }
    }

    #[inline]
    fn prefetch_successor(&self, node: &TaskNode) {
        if let Some(successor) = node.first_successor() {
            prefetch_index(&self.required, successor as usize);
        }
    }

    #[inline]
    fn prefetch_partner(&self, partner: Partner) {
        if let Partner::Operation(partner) = partner {
            prefetch_index(&self.flags, partner as usize);
        }
    }

    #[inline]
    fn begin_operation<T: Transport>(
        &mut self,
        operation: u32,
        details: &Operation,
        now: Cycle,
        core: &mut Core<'_, T>,
    ) {
        match details.kind {
            OperationKind::Calc if self.graph.cycles(operation) == Cycles::ZERO => {
                self.set_begun(operation, now);
                self.complete(operation, details.process, now);
            }
            OperationKind::Calc => self.processors.request(details.process, details.processor, operation),
            OperationKind::Send
                if self.overhead() > Cycles::ZERO && self.flags(operation) & PREPARED == 0 =>
            {
                self.processors.request(details.process, details.processor, operation);
            }
            OperationKind::Send => self.begin_send(operation, details, now, core),
            OperationKind::Receive => self.begin_receive(operation, details, now, core),
        }
    }

    /// The time for which a send occupies a processor before it begins.
    fn overhead(&self) -> Cycles {
        self.graph.overhead() + self.communication.message_cost()
    }

    /// Whether no send waits for its receive.
    #[inline]
    fn is_all_eager(&self) -> bool {
        self.communication.eager() == EAGER_ALL
    }

    #[inline]
    fn flags(&self, operation: u32) -> u8 {
        self.flags[operation as usize]
    }

    #[inline]
    fn set_begun(&mut self, operation: u32, now: Cycle) {
        self.flags[operation as usize] |= BEGUN;
        if let Some(times) = self.times.get_mut(operation as usize) {
            times[0] = now;
        }
        if self.schedule.has_begun_requirements() {
            self.meet_requirements(operation, Requirement::Begun);
        }
    }

    #[inline]
    fn complete(&mut self, operation: u32, process: ProcessId, now: Cycle) {
        let flags = &mut self.flags[operation as usize];
        *flags |= OVER;
        if *flags & LEFT == 0 {
            self.activities[process.label() as usize].finish = now;
        }
        self.unfinished -= 1;
        if let Some(times) = self.times.get_mut(operation as usize) {
            times[1] = now;
        }
        self.meet_requirements(operation, Requirement::Over);
    }

    #[inline]
    fn meet_requirements(&mut self, operation: u32, met: Requirement) {
        let (required, next_round) = (&mut self.required, &mut self.next_round);
        self.schedule.visit_successors(self.nodes[operation as usize], |after, requirement| {
            if requirement == met {
                let required = &mut required[after as usize];
                *required -= 1;
                if *required == 0 {
                    next_round.push(after);
                }
            }
        });
    }

    /// Grants processors; returns whether any was granted.
    fn start_computations<T>(&mut self, now: Cycle, core: &mut Core<'_, T>) -> bool {
        let granted = self.processors.grant();
        let has_granted = !granted.is_empty();
        for &(_, operation) in &granted {
            let details = &self.schedule.operations()[operation as usize];
            let occupied = match details.kind {
                OperationKind::Calc => {
                    self.set_begun(operation, now);
                    self.graph.cycles(operation)
                }
                OperationKind::Send => self.overhead(),
                OperationKind::Receive => self.communication.message_cost(),
            };
            self.activities[details.process.label() as usize].begin_computation(now);
            core.calendar.add(Event::Computed(operation), (now + occupied).get());
        }
        self.processors.recycle(granted);
        has_granted
    }

    /// The latest cycle at which an operation was over.
    pub(super) fn latest_end(&self) -> Cycle {
        self.activities.iter().map(|activity| activity.finish).max().unwrap_or(Cycle::START)
    }

    /// Reports a record for each process, and sums them.
    fn close(mut self, observer: &mut dyn Observer) -> Result<Summary, ImbalanceError> {
        let mut compute = 0;
        for activity in &mut self.activities {
            activity.settle();
            compute += u128::from(activity.computing.get());
        }
        let processes = self.schedule.process_count();
        let mut summary = Summary::of_computations(processes.into(), 1, compute);
        for (process, activity) in ProcessId::first(processes.into()).zip(&self.activities) {
            let record = activity.record(process)?;
            summary.add_stage(&record, 1);
            summary.add_finish(record.finish, 1);
            observer.stage_finished(&record);
        }
        summary.check_balance()?;
        if !self.times.is_empty() {
            observer.details_finished(DetailList::Operations(self.operation_times()));
        }
        Ok(summary)
    }

    /// When each operation began and was over, with its partner.
    fn operation_times(&self) -> Vec<OperationTimes> {
        let with_partner = |(operation, &[begun, over]): (u32, &[Cycle; 2])| OperationTimes {
            begun,
            over,
            partner: self.partner(operation),
        };
        (0..).zip(&self.times).map(with_partner).collect()
    }
}

impl<T: Transport> Processes<T> for TaskProcesses<'_> {
    fn are_over(&self) -> bool {
        self.unfinished == 0
    }

    fn prefetch_received(&self, received: &[u32], core: &Core<'_, T>) {
        for part in received.chunks(PART) {
            let mut nodes: [Option<&TaskNode>; PART] = [None; PART];
            for (node, &message) in nodes.iter_mut().zip(part) {
                *node = self.nodes.get(core.messages.table.record(message).receiver as usize);
            }
            for node in nodes.into_iter().flatten() {
                self.prefetch_successor(node);
            }
        }
    }

    fn prefetch_events(&self, events: &[Event]) {
        for event in events {
            if let Event::Computed(operation) = event {
                prefetch_index(self.schedule.operations(), *operation as usize);
                self.prefetch_successor(&self.nodes[*operation as usize]);
            }
        }
    }

    #[inline]
    fn computed(&mut self, computation: u32, now: Cycle) {
        let operation = &self.schedule.operations()[computation as usize];
        self.processors.release(operation.process, operation.processor);
        self.activities[operation.process.label() as usize].end_computation(now);
        match operation.kind {
            OperationKind::Calc | OperationKind::Receive => {
                self.complete(computation, operation.process, now);
            }
            OperationKind::Send => {
                self.flags[computation as usize] |= PREPARED;
                self.next_round.push(computation);
            }
        }
    }

    #[inline]
    fn received(&mut self, message: &ReceivedMessage, now: Cycle, _: &Core<'_, T>) {
        self.receive(message, now);
    }

    fn settle(&mut self, now: Cycle, core: &mut Core<'_, T>) {
        self.begin_rounds(now, core);
    }

    /// The computations that start now may allow further operations.
    fn grant_processors(&mut self, now: Cycle, core: &mut Core<'_, T>) -> bool {
        let has_granted = self.start_computations(now, core);
        if !has_granted {
            self.processors.end_cycle();
        }
        has_granted
    }
}
