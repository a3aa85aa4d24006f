//! The processes of a task graph: operations that begin when those that they require are over
//! (`docs/model.md` section 18).
//!
//! Within a cycle operations begin in rounds: first those that messages and computations of the cycle
//! allow, then those that these allow, and so on; each round in the order of the file. When no round is
//! left, processors are granted, which may allow operations again. Invariant between cycles: an operation
//! that has not begun requires another that is not over or has not begun, or has its processor or waits for it.

mod activity;
mod processors;

use cubefold_mapping::{Placement, ProcessId};

use self::{activity::Activity, processors::TaskProcessors};
use super::{Event, EventKind, MessageSource, ReceivedMessage, Transport, message_table::MessageRecord};
use crate::{
    Communication, Cycle, Cycles, ImbalanceError, Observer, Operation, OperationKind, OperationTimes,
    Requirement, SimulationError, Summary, TaskGraph, TaskSchedule, Traffic,
};

/// Bytes that a run takes at most, roughly, the network apart: of the graph and of what changes.
pub(crate) fn bytes(graph: &TaskGraph) -> u64 {
    let (operations, channels) = (graph.schedule().operations().len(), graph.schedule().channel_count());
    let own = operations * (size_of::<OperationState>() + size_of::<u64>())
        + channels * size_of::<Unmatched>()
        + graph.schedule().process_count() as usize * size_of::<Activity>();
    graph.schedule().bytes() + own as u64
}

/// Runs a task graph to its end, reporting a record of one stage for every process to `observer`.
///
/// # Errors
///
/// When the graph does not come to its end.
pub(crate) fn run<O: Observer>(
    graph: &TaskGraph,
    placement: &Placement,
    communication: Communication,
    observer: &mut O,
) -> Result<(Summary, Traffic), SimulationError> {
    let units = crate::Program::uniform_units(graph);
    let mut transport = Transport::whole(placement, communication, units);
    let mut processes = TaskProcesses::new(graph, communication, observer.wants_operations());
    transport.run(&mut processes);
    if let Some(stuck) = processes.stuck() {
        return Err(SimulationError::Stuck(stuck));
    }
    Ok((processes.close(observer)?, transport.traffic()))
}

/// Why a task graph did not come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StuckReason {
    /// The operations wait for one another.
    Cycle,
    /// The first of the operations, a receive, has begun, and no send is left for it.
    ReceiveWithoutSend,
    /// The first of the operations, a send by rendezvous, has begun, and no receive is left for it.
    SendWithoutReceive,
}

/// A task graph that did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a task graph does not come to its end: {}", self.reason())]
pub struct StuckTasks {
    /// Why.
    pub reason: StuckReason,
    /// The operations, by their places in the schedule: of a cycle all, each waits for the next and the
    /// last for the first.
    pub operations: Vec<u32>,
    /// The operations that were not over.
    pub unfinished: usize,
}

impl StuckTasks {
    fn reason(&self) -> String {
        match self.reason {
            StuckReason::Cycle => format!("{} operations wait for one another", self.operations.len()),
            StuckReason::ReceiveWithoutSend => "a receive without a send".to_owned(),
            StuckReason::SendWithoutReceive => "a send by rendezvous without a receive".to_owned(),
        }
    }
}

/// What changes of an operation, side by side: an operation that begins or ends needs all of it.
#[derive(Debug, Clone, Copy)]
struct OperationState {
    pending: u32, // the requirements that are not met
    partner: u32, // where it is matched, else the next in its list
    flags: u8,
}

/// Flags of an operation.
const BEGUN: u8 = 1;
const OVER: u8 = 2;
/// A send or receive that has its partner.
const MATCHED: u8 = 4;
/// A send whose message is there.
const ARRIVED: u8 = 8;
/// A send whose overhead is over.
const PREPARED: u8 = 16;

/// The operations of a round that are looked up together.
const PART: usize = 16;

/// Of no operation.
const NONE: u32 = u32::MAX;

struct TaskProcesses<'run> {
    graph: &'run TaskGraph,
    schedule: &'run TaskSchedule,
    communication: Communication,
    states: Vec<OperationState>, // by operation
    unmatched: Vec<Unmatched>,   // by channel
    round: Vec<u32>,             // operations that begin in this round
    next_round: Vec<u32>,
    processors: TaskProcessors,
    activities: Vec<Activity>, // by process
    times: Vec<[Cycle; 2]>,    // by operation, when it began and was over; empty where they are not wanted
    unfinished: usize,
}

/// Sends, or receives, of one source, destination and tag that have begun and have no partner, in the order
/// in which they began.
#[derive(Debug, Clone, Copy)]
struct Unmatched {
    first: u32,
    last: u32,
}

impl<'run> TaskProcesses<'run> {
    fn new(graph: &'run TaskGraph, communication: Communication, wants_operations: bool) -> Self {
        let schedule = &**graph.schedule();
        let operations = schedule.operations().len();
        let required = schedule.required();
        let free = (0..).zip(required).filter(|own| *own.1 == 0).map(|own| own.0).collect();
        let state = |&pending| OperationState { pending, partner: NONE, flags: 0 };
        Self {
            graph,
            schedule,
            communication,
            states: required.iter().map(state).collect(),
            unmatched: vec![Unmatched { first: NONE, last: NONE }; schedule.channel_count()],
            round: vec![],
            next_round: free,
            processors: TaskProcessors::new(schedule),
            activities: vec![Activity::default(); schedule.process_count() as usize],
            times: if wants_operations { vec![[Cycle::START; 2]; operations] } else { vec![] },
            unfinished: operations,
        }
    }

    /// Operations begin, round by round, until none is left.
    fn begin_rounds(&mut self, now: Cycle, transport: &mut Transport<'_>) {
        while !self.next_round.is_empty() {
            std::mem::swap(&mut self.round, &mut self.next_round);
            if self.schedule.has_shared_channels() {
                // The order matters to sends and receives of one source, destination and tag only.
                self.round.sort_unstable();
            }
            let mut round = std::mem::take(&mut self.round);
            for part in round.chunks(PART) {
                // Operations of one round lie far apart: their lines of the cache are asked for all at once.
                let operations = part.iter().map(|&operation| self.schedule.operations()[operation as usize]);
                let mut loaded = [None; PART];
                for (place, operation) in loaded.iter_mut().zip(operations) {
                    *place = Some(operation);
                }
                for (&operation, own) in part.iter().zip(loaded.iter().flatten()) {
                    self.begin_operation(operation, own, now, transport);
                }
            }
            round.clear();
            self.round = round;
        }
    }

    /// An operation may begin.
    #[inline]
    fn begin_operation(
        &mut self,
        operation: u32,
        own: &Operation,
        now: Cycle,
        transport: &mut Transport<'_>,
    ) {
        match own.kind {
            OperationKind::Calc if self.graph.cycles(operation) == Cycles::ZERO => {
                self.set_begun(operation, now);
                self.complete(operation, now);
            }
            OperationKind::Calc => self.processors.request(own.process, own.processor, operation),
            OperationKind::Send
                if self.graph.overhead() > Cycles::ZERO && self.flags(operation) & PREPARED == 0 =>
            {
                self.processors.request(own.process, own.processor, operation);
            }
            OperationKind::Send => self.begin_send(operation, now, transport),
            OperationKind::Receive => self.begin_receive(operation, now, transport),
        }
    }

    fn begin_send(&mut self, send: u32, now: Cycle, transport: &mut Transport<'_>) {
        self.set_begun(send, now);
        let is_eager = self.communication.is_eager(self.graph.units(send));
        let channel = self.schedule.channel(send);
        let receive = self.take_unmatched(channel, OperationKind::Receive);
        match receive {
            Some(receive) => self.match_operations(send, receive),
            None => self.add_unmatched(channel, send),
        }
        if is_eager {
            self.set_out(send, now, transport);
            self.complete(send, now);
        } else if receive.is_some() {
            self.set_out(send, now, transport);
        }
    }

    fn begin_receive(&mut self, receive: u32, now: Cycle, transport: &mut Transport<'_>) {
        self.set_begun(receive, now);
        let channel = self.schedule.channel(receive);
        let Some(send) = self.take_unmatched(channel, OperationKind::Send) else {
            self.add_unmatched(channel, receive);
            return;
        };
        self.match_operations(send, receive);
        if self.flags(send) & ARRIVED > 0 {
            self.complete(receive, now);
        } else if !self.communication.is_eager(self.graph.units(send)) {
            self.set_out(send, now, transport);
        }
    }

    fn match_operations(&mut self, send: u32, receive: u32) {
        for (own, partner) in [(send, receive), (receive, send)] {
            let state = &mut self.states[own as usize];
            state.partner = partner;
            state.flags |= MATCHED;
        }
    }

    /// The operation of a kind that waits for a partner first.
    #[inline]
    fn take_unmatched(&mut self, channel: usize, kind: OperationKind) -> Option<u32> {
        let list = &mut self.unmatched[channel];
        let first = list.first;
        if first == NONE || self.schedule.operations()[first as usize].kind != kind {
            return None;
        }
        list.first = self.states[first as usize].partner;
        Some(first)
    }

    #[inline]
    fn add_unmatched(&mut self, channel: usize, operation: u32) {
        let list = &mut self.unmatched[channel];
        if list.first == NONE {
            list.first = operation;
        } else {
            self.states[list.last as usize].partner = operation;
        }
        list.last = operation;
    }

    /// The message of a send sets out.
    fn set_out(&mut self, send: u32, now: Cycle, transport: &mut Transport<'_>) {
        let own = &self.schedule.operations()[send as usize];
        let record = MessageRecord {
            start: now,
            stage: own.tag,
            operation: send,
            source: own.process,
            destination: own.peer,
            to: transport.node_of(own.peer),
            distance: 0,
        };
        if let Some(received) =
            transport.inject(record, transport.node_of(own.process), self.graph.units(send), now)
        {
            self.receive(&received, now);
        }
    }

    /// A message is there: its receive is over, if one has begun, and its send, if it is not yet.
    fn receive(&mut self, message: &ReceivedMessage, now: Cycle) {
        let send = message.record.operation;
        self.states[send as usize].flags |= ARRIVED;
        if self.flags(send) & OVER == 0 && !self.communication.is_eager(self.graph.units(send)) {
            self.activities[message.record.source.label() as usize].arrive(message, now);
            self.complete(send, now);
        }
        let state = self.states[send as usize];
        if state.flags & MATCHED > 0 {
            self.activities[message.record.destination.label() as usize].arrive(message, now);
            self.complete(state.partner, now);
        }
    }

    #[inline]
    fn flags(&self, operation: u32) -> u8 {
        self.states[operation as usize].flags
    }

    /// An operation has begun.
    #[inline]
    fn set_begun(&mut self, operation: u32, now: Cycle) {
        self.states[operation as usize].flags |= BEGUN;
        if let Some(times) = self.times.get_mut(operation as usize) {
            times[0] = now;
        }
        if self.schedule.has_begun_requirements() {
            self.meet_requirements(operation, Requirement::Begun);
        }
    }

    /// An operation is over.
    #[inline]
    fn complete(&mut self, operation: u32, now: Cycle) {
        self.states[operation as usize].flags |= OVER;
        self.unfinished -= 1;
        if let Some(times) = self.times.get_mut(operation as usize) {
            times[1] = now;
        }
        let process = self.schedule.operations()[operation as usize].process;
        self.activities[process.label() as usize].finish = now;
        self.meet_requirements(operation, Requirement::Over);
    }

    #[inline]
    fn meet_requirements(&mut self, operation: u32, met: Requirement) {
        for (after, requirement) in self.schedule.successors(operation as usize) {
            if requirement == met {
                let pending = &mut self.states[after as usize].pending;
                *pending -= 1;
                if *pending == 0 {
                    self.next_round.push(after);
                }
            }
        }
    }

    /// Processors are granted; returns whether any was.
    fn grant_processors(&mut self, now: Cycle, transport: &mut Transport<'_>) -> bool {
        let granted = self.processors.grant();
        let has_granted = !granted.is_empty();
        for &operation in &granted {
            let own = &self.schedule.operations()[operation as usize];
            let occupied = match own.kind {
                OperationKind::Calc => {
                    self.set_begun(operation, now);
                    self.graph.cycles(operation)
                }
                OperationKind::Send | OperationKind::Receive => self.graph.overhead(),
            };
            self.activities[own.process.label() as usize].begin_computation(now);
            let event = Event::numbered(operation, EventKind::Computed);
            transport.events.add(event, (now + occupied).get());
        }
        self.processors.recycle(granted);
        has_granted
    }

    /// Reports a record for each process, and sums them.
    fn close(mut self, observer: &mut impl Observer) -> Result<Summary, ImbalanceError> {
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
            observer.operations_finished(self.operation_times());
        }
        Ok(summary)
    }

    /// When each operation began and was over, with its partner.
    fn operation_times(&self) -> Vec<OperationTimes> {
        let partner = |place: usize| {
            let state = self.states[place];
            (state.flags & MATCHED > 0).then_some(state.partner)
        };
        let with_partner = |(place, &[begun, over]): (usize, &[Cycle; 2])| OperationTimes {
            begun,
            over,
            partner: partner(place),
        };
        self.times.iter().enumerate().map(with_partner).collect()
    }

    /// Why the graph has not come to its end, if it has not.
    fn stuck(&self) -> Option<StuckTasks> {
        if self.unfinished == 0 {
            return None;
        }
        let stuck = |reason, operations| Some(StuckTasks { reason, operations, unfinished: self.unfinished });
        let operations = self.schedule.operations();
        let is_send = |operation: u32| operations[operation as usize].kind == OperationKind::Send;
        let numbered = || 0..u32::try_from(operations.len()).unwrap_or(u32::MAX);
        // Of each channel, the first receive and the first send that have not begun.
        let mut to_begin = vec![[NONE; 2]; self.unmatched.len()];
        for operation in numbered().filter(|&operation| self.flags(operation) & BEGUN == 0) {
            if operations[operation as usize].kind != OperationKind::Calc {
                let first = &mut to_begin[self.schedule.channel(operation)][usize::from(is_send(operation))];
                *first = operation.min(*first);
            }
        }
        let partner =
            |operation: u32| to_begin[self.schedule.channel(operation)][usize::from(!is_send(operation))];
        let waits = |&operation: &u32| {
            let state = self.flags(operation);
            state & BEGUN > 0 && state & (OVER | MATCHED) == 0
        };
        let mut alone = numbered().filter(waits).filter(|&operation| partner(operation) == NONE);
        if let Some(receive) = alone.clone().find(|&operation| !is_send(operation)) {
            return stuck(StuckReason::ReceiveWithoutSend, vec![receive]);
        }
        if let Some(send) = alone.next() {
            return stuck(StuckReason::SendWithoutReceive, vec![send]);
        }
        stuck(StuckReason::Cycle, self.cycle(partner))
    }

    /// Operations that wait for one another, where every operation that is not over waits for another such.
    /// `partner` gives the first operation to begin that can be the partner of one that has begun.
    fn cycle(&self, partner: impl Fn(u32) -> u32) -> Vec<u32> {
        let requirements = self.schedule.requirements();
        let state = |operation: u32| self.flags(operation);
        // The first operation that each waits for.
        let awaited = |operation: u32| -> Option<u32> {
            if state(operation) & BEGUN > 0 {
                return Some(partner(operation)).filter(|&own| own != NONE);
            }
            requirements[operation as usize].iter().find_map(|&(before, requirement)| {
                let is_met = match requirement {
                    Requirement::Over => state(before) & OVER > 0,
                    Requirement::Begun => state(before) & BEGUN > 0,
                };
                (!is_met).then_some(before)
            })
        };
        let mut at =
            (0..).zip(&self.states).find(|(_, state)| state.flags & OVER == 0).map(|(first, _)| first);
        let (mut path, mut seen) = (vec![], vec![false; self.states.len()]);
        while let Some(operation) = at {
            if seen[operation as usize] {
                let begin = path.iter().position(|&own| own == operation).unwrap_or(0);
                path.drain(..begin);
                break;
            }
            seen[operation as usize] = true;
            path.push(operation);
            at = awaited(operation);
        }
        let first = (0..path.len()).min_by_key(|&place| path[place]).unwrap_or(0);
        path.rotate_left(first);
        path
    }
}

impl MessageSource for TaskProcesses<'_> {
    fn begin(&mut self, _: ProcessId) {}

    #[inline]
    fn computed(&mut self, computation: u32, now: Cycle, _: &mut Transport<'_>) {
        let own = &self.schedule.operations()[computation as usize];
        self.processors.release(own.process, own.processor);
        self.activities[own.process.label() as usize].end_computation(now);
        match own.kind {
            OperationKind::Calc => self.complete(computation, now),
            OperationKind::Send | OperationKind::Receive => {
                self.states[computation as usize].flags |= PREPARED;
                self.next_round.push(computation);
            }
        }
    }

    #[inline]
    fn received(&mut self, message: &ReceivedMessage, now: Cycle, _: &mut Transport<'_>) {
        self.receive(message, now);
    }

    fn grant(&mut self, now: Cycle, transport: &mut Transport<'_>) {
        loop {
            self.begin_rounds(now, transport);
            if !self.grant_processors(now, transport) {
                break;
            }
        }
        self.processors.end_cycle();
    }
}
