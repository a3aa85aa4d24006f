//! Asynchronous execution (`docs/model.md` sections 5, 13 to 15 and 18): processes that exchange messages over a network.
//!
//! A [`Transport`] carries messages between nodes. [`Processes`] send and receive them and compute: those of a stage
//! program ([`stages`]), of a task graph ([`tasks`]) or of a job ([`actors`]). The engine stands between: it numbers the messages, knows
//! those that stay inside a node, and holds a calendar of computations. Its loops are compiled for each pair.
//!
//! The engine advances from one cycle in which something happens to the next. In a cycle, transmissions end and packets
//! join their next queues, messages are received, computations end, and processes that finish a stage begin the next,
//! until nothing more happens; then idle processors are granted, and at last idle channels. The outcome depends on the
//! keys of packets and processes, never on the order of events within these steps.
//!
//! A run may be divided among several engines ([`workers`]), each with a [`Border`]. Notes from other engines are
//! handled in the cycle in which they are sent, before processors and channels are granted.

mod actors;
mod bare_stages;
pub(crate) mod border;
pub(crate) mod evaluator;
mod memory;
mod message_costs;
mod message_table;
mod numbered_program;
pub(crate) mod over_routers;
mod progress;
mod rank_activity;
mod route_lists;
mod stages;
mod switches;
mod tails;
mod tasks;
#[cfg(test)]
mod tests;
pub(crate) mod workers;

use std::borrow::Cow;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{Machine, NodeId};

pub use self::tasks::{StuckReason, StuckTasks};
pub(crate) use self::{
    actors::run as run_job,
    memory::{Distance, bytes, bytes_without_stages, largest_units},
    message_table::{MessageRecord, MessageTable, PacketKey},
    stages::{StartTimes, run},
    tasks::run as run_tasks,
};
use self::{
    border::{Alone, Border, Note, ReadySource, Traveller},
    memory::{bytes_of_processes, messages_under_way, packets_under_way},
};
use crate::{
    Communication, Cycle, Cycles, Detail, DetailList, MessageTimes, Observer, Program, SimulationError,
    Traffic,
    time_wheel::TimeWheel,
    transport::{Arrivals, Messages, Reusable, Transport, flow::FlowPlan},
};

/// The number of messages, or of processes, whose records are prefetched together.
const PREFETCHED_TOGETHER: usize = 32;

/// The transport of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TransportKind {
    /// [`Flow`](crate::transport::flow::Flow).
    Flow(FlowPlan),
    /// [`Packets`](crate::transport::packets::Packets).
    Packets,
}

impl TransportKind {
    /// The fastest transport that carries the messages of a program.
    pub(crate) fn of(program: &dyn Program, machine: &Machine, communication: Communication) -> Self {
        match FlowPlan::new(program, machine, communication) {
            Some(plan) => Self::Flow(plan),
            None => Self::Packets,
        }
    }
}

/// The processes of an engine: they send and receive messages, and compute.
trait Processes<T, B: Border = Alone> {
    /// Whether all have finished.
    fn are_over(&self) -> bool;

    /// Prefetches the data for receiving these messages.
    fn prefetch_received(&self, received: &[u32], core: &Core<'_, T, B>) {
        let _ = (received, core);
    }

    /// Prefetches the data of these events.
    fn prefetch_events(&self, events: &[Event]) {
        let _ = events;
    }

    /// A process may begin.
    fn begin(&mut self, process: ProcessId) {
        let _ = process;
    }

    /// A computation ends.
    fn computed(&mut self, computation: u32, now: Cycle);

    /// A message is received.
    fn received(&mut self, message: &ReceivedMessage, now: Cycle, core: &Core<'_, T, B>);

    /// A source of another engine is ready.
    fn source_ready(&mut self, ready: &ReadySource, now: Cycle, core: &mut Core<'_, T, B>) {
        let _ = (ready, now, core);
    }

    /// Processes begin, become ready and send until nothing more happens at `now`.
    fn settle(&mut self, now: Cycle, core: &mut Core<'_, T, B>);

    /// Grants idle processors; returns whether more may happen at `now`.
    fn grant_processors(&mut self, now: Cycle, core: &mut Core<'_, T, B>) -> bool;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ReceivedMessage {
    record: MessageRecord,
    units: u64,
    /// Its time without contention.
    transfer: Cycles,
}

/// An entry of the calendar.
#[derive(Debug, Clone, Copy)]
enum Event {
    /// The process with this index may begin.
    Begin(u32),
    /// The computation with this number ends: of a process, an operation of a task graph, or an actor of a job.
    Computed(u32),
    /// The message with this number is received inside a node.
    Local(u32),
}

/// An engine without its processes: a transport, the messages under way, and the calendar.
#[derive(Debug)]
struct Core<'run, T, B = Alone> {
    transport: T,
    messages: Messages<'run, B>,
    calendar: TimeWheel<Event>,
    communication: Communication,
    arrivals: Arrivals,
    transfers: Vec<Cycles>,         // of the messages by number, if channels differ
    log: Option<Vec<MessageTimes>>, // of all messages received, if requested
    message_count: u64,
    hop_count: u64,
}

impl<'run, T: Transport> Core<'run, T> {
    /// The engine of the whole machine of a placement before anything moves: an index is a label.
    fn whole(placement: &'run Placement, communication: Communication, transport: T) -> Self {
        let nodes = placement.listed_nodes();
        placement.machine().prepare_routes(&nodes);
        Self::new(nodes, communication, transport, Alone)
    }
}

impl<T: Reusable, B: Border> Core<'_, T, B> {
    /// Places the processes on other nodes, before anything moves.
    fn reset(&mut self, nodes: &[NodeId]) {
        let placed = self.messages.nodes.to_mut();
        placed.clear();
        placed.extend_from_slice(nodes);
        self.messages.table.reset();
        self.transport.reset();
        self.calendar.clear();
        self.arrivals.received.clear();
        (self.message_count, self.hop_count) = (0, 0);
    }
}

impl<'run, T: Transport, B: Border> Core<'run, T, B> {
    /// An engine of processes on these nodes before anything moves.
    fn new(nodes: Cow<'run, [NodeId]>, communication: Communication, transport: T, border: B) -> Self {
        Self {
            transport,
            messages: Messages { table: MessageTable::new(communication), nodes, border },
            calendar: TimeWheel::new(),
            communication,
            arrivals: Arrivals::default(),
            transfers: vec![],
            log: None,
            message_count: 0,
            hop_count: 0,
        }
    }

    /// Executes `processes` until nothing more happens, or until `limit` if some have not finished. Returns whether the
    /// run finished.
    fn run(&mut self, processes: &mut impl Processes<T, B>, limit: Option<Cycle>) -> bool {
        let mut events = vec![];
        let mut next = self.messages.border.next_event(Some(Cycle::START));
        while let Some(now) = next {
            if limit.is_some_and(|limit| now >= limit) && !processes.are_over() {
                return false;
            }
            self.transport.arrive(now, &self.messages, &mut self.arrivals);
            self.deliver(processes, now);
            self.calendar.advance_to(now.get());
            while self.calendar.take(&mut events) {
                processes.prefetch_events(&events);
                for event in &events {
                    self.process(*event, now, processes);
                }
            }
            self.settle(processes, now);
            self.transport.depart(now, &self.messages);
            next = self.next_event();
        }
        true
    }

    /// The next cycle in which anything happens, perhaps in another engine.
    #[inline]
    fn next_event(&mut self) -> Option<Cycle> {
        let calendar = self.calendar.least_next().map(Cycle::new);
        let local = [self.transport.next(), calendar].into_iter().flatten().min();
        self.messages.border.next_event(local)
    }

    #[inline]
    fn process(&mut self, event: Event, now: Cycle, processes: &mut impl Processes<T, B>) {
        match event {
            Event::Begin(process) => processes.begin(ProcessId::new(process)),
            Event::Computed(computation) => processes.computed(computation, now),
            Event::Local(message) => self.receive_packet(message, now, processes),
        }
    }

    /// The messages that have arrived are received, here or in another engine.
    fn deliver(&mut self, processes: &mut impl Processes<T, B>, now: Cycle) {
        let mut received = std::mem::take(&mut self.arrivals.received);
        for chunk in received.chunks(PREFETCHED_TOGETHER) {
            for &message in chunk {
                self.messages.table.prefetch(message);
            }
            processes.prefetch_received(chunk, self);
            for &message in chunk {
                match self.messages.elsewhere(self.messages.table.record(message).to) {
                    None => self.receive_packet(message, now, processes),
                    Some(engine) => {
                        let home = self.messages.table.home(message);
                        self.messages.border.send(engine, Note::Receipt(home));
                        self.messages.table.dismiss(message);
                    }
                }
            }
        }
        received.clear();
        self.arrivals.received = received;
    }

    /// A packet has arrived completely at its destination; the message is received with its last packet.
    #[inline]
    fn receive_packet(&mut self, message: u32, now: Cycle, processes: &mut impl Processes<T, B>) {
        if let Some(received) = self.take_packet(message, now) {
            processes.received(&received, now, self);
        }
    }

    /// The message of a packet that has arrived completely, if it is the last one.
    #[inline]
    fn take_packet(&mut self, message: u32, now: Cycle) -> Option<ReceivedMessage> {
        let (record, units) = self.messages.table.receive_packet(message)?;
        let transfer = match self.transfers.get(message as usize) {
            Some(&transfer) if record.distance > 0 => transfer,
            _ => self.communication.timing_of(units).transfer(record.distance.into()),
        };
        if let Some(log) = &mut self.log {
            let MessageRecord { stage, source, destination, start, .. } = record;
            let entered = self.transport.entered(message, &record);
            let received = now;
            log.push(MessageTimes { stage, source, destination, units, start, entered, received, transfer });
        }
        Some(ReceivedMessage { record, units, transfer })
    }

    /// Processes act and engines exchange notes until nothing more happens at `now` but grants of channels.
    fn settle(&mut self, processes: &mut impl Processes<T, B>, now: Cycle) {
        loop {
            processes.settle(now, self);
            if !B::IS_ALONE {
                self.hand_over();
                let is_over = self.messages.border.exchange();
                while let Some(note) = self.messages.border.take_note() {
                    self.take_note(&note, now, processes);
                }
                if !is_over {
                    continue;
                }
            }
            if !processes.grant_processors(now, self) {
                return;
            }
        }
    }

    /// Handles a note of another engine.
    fn take_note(&mut self, note: &Note, now: Cycle, processes: &mut impl Processes<T, B>) {
        match note {
            Note::Ready(ready) => processes.source_ready(ready, now, self),
            Note::Join(traveller) => self.admit(traveller, now),
            Note::Receipt(message) => self.receive_packet(*message, now, processes),
        }
    }

    /// The node of a process of this engine.
    #[inline]
    fn node_of(&self, process: ProcessId) -> NodeId {
        self.messages.node(process)
    }

    /// A message of `units` units sets out from a node to a process of this engine. Returned if it is received at
    /// once: of 0 units, or inside a node in 0 cycles.
    #[inline]
    fn send(
        &mut self,
        record: MessageRecord,
        from: NodeId,
        units: u64,
        now: Cycle,
    ) -> Option<ReceivedMessage> {
        self.message_count += 1;
        let crosses_links = from != record.to && units > 0;
        let message = self.messages.table.insert(record, units, crosses_links);
        if crosses_links {
            let links = self.transport.set_out(message, from, now, &self.messages, &mut self.arrivals);
            self.hop_count += self.messages.table.set_distance(message, links);
            if let Some(transfer) = self.transport.transfer(message, [from, record.to], units) {
                self.set_transfer(message, transfer);
            }
            return None;
        }
        match self.communication.timing_of(units).transfer(0) {
            Cycles::ZERO => self.take_packet(message, now),
            local => {
                self.calendar.add(Event::Local(message), (now + local).get());
                None
            }
        }
    }

    /// Keeps the time of a message without contention.
    fn set_transfer(&mut self, message: u32, transfer: Cycles) {
        let place = message as usize;
        if self.transfers.len() <= place {
            self.transfers.resize(place + 1, Cycles::ZERO);
        }
        self.transfers[place] = transfer;
    }

    /// Sends packets that need channels of other engines there.
    fn hand_over(&mut self) {
        while let Some((engine, packet)) = self.arrivals.leaving.pop() {
            let Messages { table, border, .. } = &mut self.messages;
            let message = packet.message();
            let (record, units) = (*table.record(message), table.units(message));
            let is_visitor = border.elsewhere(record.to).is_some();
            let home = if is_visitor { table.home(message) } else { message };
            let packet = packet.of_message(home, 0);
            border.send(engine, Note::Join(Traveller { packet, record, units }));
            if is_visitor {
                table.dismiss(message);
            }
        }
    }

    /// A packet comes from another engine.
    fn admit(&mut self, traveller: &Traveller, now: Cycle) {
        let &Traveller { packet, record, units } = traveller;
        let home = packet.message();
        let is_visitor = self.messages.elsewhere(record.to).is_some();
        let table = &mut self.messages.table;
        let (message, size) = if is_visitor {
            table.admit(record, (units, home), packet.input == 0)
        } else {
            (home, table.size_number(units))
        };
        self.transport.admit(&packet.of_message(message, size), now, &self.messages);
    }

    /// Records the times of all messages if `observer` wants them.
    fn log_messages(&mut self, observer: &dyn Observer) {
        self.log = observer.wants(Detail::Messages).then(Vec::new);
    }

    /// Passes the recorded times of all messages to `observer`.
    fn report_messages(&mut self, observer: &mut dyn Observer) {
        if let Some(mut log) = self.log.take() {
            log.sort_unstable_by_key(|message| {
                (message.received, message.stage, message.source, message.destination, message.start)
            });
            observer.details_finished(DetailList::Messages(log));
        }
    }

    /// Checks that no packets wait for one another after a run.
    fn check_deadlock(&self) -> Result<(), SimulationError> {
        self.transport.deadlock().map_or(Ok(()), |deadlock| Err(SimulationError::Deadlock(deadlock)))
    }

    /// Reports the transmissions of the finished run to an observer that wants them.
    fn report_transmissions(&mut self, observer: &mut dyn Observer) {
        if observer.wants(Detail::Transmissions) {
            let transmissions = self.transport.take_transmissions();
            observer.details_finished(DetailList::Transmissions(transmissions));
        }
    }

    /// The sums over the messages of the run.
    fn traffic(&self) -> Traffic {
        Traffic {
            messages: self.message_count,
            hops: self.transport.crossings().unwrap_or(self.hop_count),
            longest_queue: Some(self.transport.longest_queue()),
            routing: None,
            link_use: None,
        }
    }
}
