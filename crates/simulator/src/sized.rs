//! Asynchronous execution of messages with sizes (`docs/model.md` sections 13 to 15), packet by
//! packet and link by link.
//!
//! This is the hop-by-hop engine for everything that the kernels for messages of one unit do not
//! take: sizes that differ, latencies, cut-through switching, packets, channels that serve their
//! inputs in turn, eager messages, computations of different lengths, and several processors a
//! node. Transmissions and computations end in no fixed order, so that a [`TimeWheel`] replaces the
//! first-in first-out lists of those kernels.
//!
//! The engine advances from one cycle in which something happens to the next. In a cycle first
//! packets arrive, messages are received, computations end, and processes that finish a stage begin
//! the next, until nothing more happens; then idle processors and idle channels are granted, and at
//! last the packets that follow those that departed join their queues. The outcome depends on the
//! keys of packets and processes, never on the order of events within these steps.

mod channel_table;
mod first_come;
mod granted;
mod message_table;
mod packet;
pub(crate) mod progress;

use std::borrow::Cow;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{LinkMode, Machine, NodeId, narrow};

use self::{
    first_come::FirstComeNetwork,
    granted::GrantedNetwork,
    message_table::{MessageRecord, MessageTable},
    packet::Packet,
    progress::{Progress, Receipt},
};
use crate::{
    Communication, Cycle, Cycles, Observer, Program, ServiceOrder, StageRecord, Traffic, hop::StartTimes,
    processors::Processors, routes::Routes, time_wheel::TimeWheel,
};

/// What happens at a cycle to come.
#[derive(Debug, Clone, Copy)]
enum Event {
    /// A packet joins its next queue, where it is in flight to another node than the last.
    Arrival(Packet),
    /// All of a packet of a message is at its destination.
    Receipt { message: u32 },
    /// A process may begin.
    Begin { process: ProcessId },
    /// A computation ends.
    Computed { process: ProcessId },
    /// The channel of a node in the direction with this index is idle, and has a queue.
    Idle { node: u32, direction: u32 },
    /// Nothing is in flight any more, perhaps.
    Still,
    /// Nothing, in the place of an event that does not happen.
    Revoked,
}

/// The network of a machine.
#[derive(Debug)]
enum PacketNetwork {
    FirstCome(FirstComeNetwork),
    Granted(GrantedNetwork),
}

impl PacketNetwork {
    /// The network of a machine while nothing moves, for messages of `units` units, or of any sizes.
    fn new(machine: &Machine, communication: Communication, units: Option<u64>) -> Self {
        // The units of every packet, where all have as many.
        let uniform = units.and_then(|units| match communication.packet() {
            None => Some(units),
            Some(packet) if units <= packet.get() => Some(units),
            Some(packet) => units.is_multiple_of(packet.get()).then_some(packet.get()),
        });
        match (communication.service(), communication.links()) {
            (ServiceOrder::FirstCome, LinkMode::FullDuplex | LinkMode::HalfDuplex) => {
                Self::FirstCome(FirstComeNetwork::new(machine, communication, uniform))
            }
            (ServiceOrder::RoundRobin, _) | (ServiceOrder::FirstCome, LinkMode::SingleDirection) => {
                Self::Granted(GrantedNetwork::new(machine, communication))
            }
        }
    }
}

/// Bytes that a run takes at most, roughly.
pub(crate) fn bytes<P: Program>(program: &P, machine: &Machine, communication: Communication) -> u64 {
    let channels = machine.channel_places();
    let processes = program.process_count();
    let stages = program.stage_count() as u64;
    // Eager messages of several stages may be under way together.
    let ahead = if communication.eager() > 0 { stages.min(4) } else { 1 };
    let messages = processes.saturating_mul(program.max_received().max(1) as u64).saturating_mul(ahead);
    let largest = match program.uniform_units() {
        Some(units) => units,
        None => (0..program.stage_count()).map(|stage| program.max_units(stage)).max().unwrap_or(1),
    };
    // A packet waits at its source until the one before it has departed: few of a message are on their way at a time.
    let packets = messages.saturating_mul(communication.packet_count(largest).min(8));
    let routes = machine.bytes_of_routes();
    let directions = machine.directions().count() as u64;
    let network = match communication.service() {
        ServiceOrder::FirstCome => FirstComeNetwork::bytes(channels, packets),
        ServiceOrder::RoundRobin => GrantedNetwork::bytes(channels, directions, packets),
    };
    network
        .saturating_add(packets.saturating_mul(TimeWheel::<Event>::BYTES_PER_EVENT))
        .saturating_add(MessageTable::bytes(messages))
        .saturating_add(Progress::bytes(processes))
        .saturating_add(routes)
}

/// Runs `program` to its end, reporting to `observer`; each process may begin as `starts` says.
///
/// # Errors
///
/// The first process that did not reach its end, which none does whose sources and destinations
/// match.
pub(crate) fn run<P: Program, O: Observer>(
    program: &P,
    placement: &Placement,
    communication: Communication,
    starts: StartTimes<'_>,
    observer: &mut O,
) -> Result<Traffic, ProcessId> {
    SizedEngine::new(program, placement, communication, starts, observer).run()
}

struct SizedEngine<'run, P, O> {
    program: &'run P,
    nodes: Cow<'run, [NodeId]>, // by process
    routes: Routes<'run>,
    communication: Communication,
    events: TimeWheel<Event>,
    network: PacketNetwork,
    messages: MessageTable,
    progress: Progress,
    processors: Option<Processors>, // where processes may wait for one
    beginning: Vec<ProcessId>,      // that begin their next stage in this cycle
    ready: Vec<ProcessId>,          // that become ready in this cycle
    message_count: u64,
    hop_count: u64,
    observer: &'run mut O,
}

impl<'run, P: Program, O: Observer> SizedEngine<'run, P, O> {
    fn new(
        program: &'run P,
        placement: &'run Placement,
        communication: Communication,
        starts: StartTimes<'_>,
        observer: &'run mut O,
    ) -> Self {
        let nodes = placement.listed_nodes();
        let per_node = communication.processors();
        let processors = (placement.max_load() > per_node.get()).then(|| Processors::new(&nodes, per_node));
        let processes = ProcessId::first(program.process_count());
        let (mut beginning, mut events) = (vec![], TimeWheel::new());
        match starts {
            StartTimes::Together => beginning = processes.collect(),
            StartTimes::Each(cycles) => {
                for (process, cycle) in processes.zip(cycles) {
                    events.add(Event::Begin { process }, cycle.get());
                }
            }
        }
        // Taken from the end.
        beginning.reverse();
        placement.machine().prepare_routes(&nodes);
        Self {
            program,
            routes: Routes::new(placement.machine(), communication.tie()),
            communication,
            events,
            network: PacketNetwork::new(placement.machine(), communication, program.uniform_units()),
            messages: MessageTable::new(communication),
            progress: Progress::new(nodes.len()),
            nodes,
            processors,
            beginning,
            ready: vec![],
            message_count: 0,
            hop_count: 0,
            observer,
        }
    }

    fn run(mut self) -> Result<Traffic, ProcessId> {
        self.grant(Cycle::START);
        while let Some(cycle) = self.events.advance() {
            let now = Cycle::new(cycle);
            while let Some(chunk) = self.events.take() {
                self.events.events(chunk).iter().for_each(|event| self.fetch(event));
                for index in 0..self.events.events(chunk).len() {
                    let event = self.events.events(chunk)[index];
                    self.process(&event, now);
                }
                self.events.release(chunk);
            }
            self.grant(now);
        }
        self.traffic()
    }

    /// Reads what an event needs, so that the cache misses of a chunk overlap. Nothing but speed depends
    /// on it.
    #[inline]
    fn fetch(&self, event: &Event) {
        match event {
            Event::Arrival(packet) if packet.is_at_end_of_leg() => self.messages.fetch(packet.message()),
            Event::Arrival(packet) => {
                if let PacketNetwork::FirstCome(network) = &self.network {
                    network.fetch(packet);
                }
            }
            Event::Receipt { message } => self.messages.fetch(*message),
            Event::Begin { .. }
            | Event::Computed { .. }
            | Event::Idle { .. }
            | Event::Still
            | Event::Revoked => {}
        }
    }

    fn process(&mut self, event: &Event, now: Cycle) {
        match *event {
            Event::Arrival(ref packet) => self.arrive(packet, now),
            Event::Receipt { message } => self.receive_packet(message, now),
            Event::Begin { process } => self.beginning.push(process),
            Event::Computed { process } => {
                if let Some(processors) = &mut self.processors {
                    processors.release(process);
                }
                self.ready.push(process);
            }
            Event::Idle { node, direction } => {
                if let PacketNetwork::Granted(network) = &mut self.network {
                    network.set_idle(node, direction);
                }
            }
            Event::Still | Event::Revoked => {}
        }
    }

    /// Completes what happens at `now`, then grants processors and channels.
    fn grant(&mut self, now: Cycle) {
        self.process_zero_time_events(now);
        if let Some(processors) = &mut self.processors {
            let (program, progress, events) = (self.program, &self.progress, &mut self.events);
            processors.grant(now, |process| {
                let computation = program.computation(progress.next_stage(process), process);
                events.add(Event::Computed { process }, (now + computation).get());
            });
        }
        match &mut self.network {
            PacketNetwork::FirstCome(network) => network.end_cycle(now, &self.messages, &mut self.events),
            PacketNetwork::Granted(network) => network.end_cycle(now, &self.messages, &mut self.events),
        }
    }

    /// A packet needs the next channel of its leg from `now` on.
    #[inline]
    fn join(&mut self, packet: &Packet, now: Cycle) {
        match &mut self.network {
            PacketNetwork::FirstCome(network) => network.join(packet, now, &self.messages, &mut self.events),
            PacketNetwork::Granted(network) => network.join(packet, now, &self.messages, &mut self.events),
        }
    }

    /// A packet at a node joins the queue of the next channel of its route.
    #[inline]
    fn arrive(&mut self, packet: &Packet, now: Cycle) {
        if packet.is_at_end_of_leg() {
            let record = self.messages.record(packet.message());
            let source = || self.nodes[record.source.label() as usize];
            // A packet with links left is not at its destination.
            if let Some(leg) = self.routes.next_leg(source, packet.node(), record.to) {
                self.join(&packet.on_leg(leg), now);
            }
        } else {
            self.join(packet, now);
        }
    }

    /// Processes begin stages and become ready until none does: a process that passes through a
    /// stage in no time begins the next in the same cycle.
    fn process_zero_time_events(&mut self, now: Cycle) {
        loop {
            while let Some(process) = self.beginning.pop() {
                self.begin_stage(process, now);
            }
            if self.ready.is_empty() {
                return;
            }
            let mut ready = std::mem::take(&mut self.ready);
            for process in ready.drain(..) {
                self.become_ready(process, now);
            }
            self.ready = ready;
        }
    }

    fn begin_stage(&mut self, process: ProcessId, now: Cycle) {
        let computation = self.program.computation(self.progress.next_stage(process), process);
        if computation == Cycles::ZERO {
            self.ready.push(process);
            return;
        }
        match &mut self.processors {
            None => {
                self.events.add(Event::Computed { process }, (now + computation).get());
            }
            Some(processors) => processors.request(process, now),
        }
    }

    /// A process is ready for the messages of its stage, after its computation or without one.
    fn become_ready(&mut self, process: ProcessId, now: Cycle) {
        let program = self.program;
        let stage = self.progress.become_ready(process, now);
        let mut awaited = 0;
        for source in program.sources(stage, process) {
            awaited += 1;
            if self.progress.was_ready(source, stage) && !self.is_eager(stage, source, process) {
                self.inject(stage, source, process, now);
            }
        }
        for destination in program.destinations(stage, process) {
            if self.progress.was_ready(destination, stage) || self.is_eager(stage, process, destination) {
                self.inject(stage, process, destination, now);
            }
        }
        if self.progress.await_messages(process, awaited) {
            self.finish_stage(process, now);
        }
    }

    /// Whether a message sets out as soon as its source is ready.
    fn is_eager(&self, stage: usize, source: ProcessId, destination: ProcessId) -> bool {
        match self.communication.eager() {
            0 => false,
            eager => self.program.units(stage, source, destination) <= eager,
        }
    }

    /// A message sets out.
    fn inject(&mut self, stage: usize, source: ProcessId, destination: ProcessId, now: Cycle) {
        let [from, to] = [source, destination].map(|process| self.nodes[process.label() as usize]);
        let units = self.program.units(stage, source, destination);
        let (distance, leg) = self.routes.begin(from, to);
        let record = MessageRecord {
            start: now,
            stage: narrow(stage as u64), // below 2^32, which no run reaches
            source,
            destination,
            to,
            distance: narrow(distance), // below 2^32, the number of nodes
        };
        self.message_count += 1;
        let (message, size) = self.messages.insert(record, units, leg.is_some());
        match leg {
            Some(leg) => {
                self.hop_count += distance * self.messages.size(size).packets;
                let packet = Packet::first(message, size, from, leg, record.distance);
                self.join(&packet, now);
            }
            None => match self.communication.timing_of(units).transfer(0) {
                Cycles::ZERO => self.receive_packet(message, now),
                local => {
                    self.events.add(Event::Receipt { message }, (now + local).get());
                }
            },
        }
    }

    /// All of a packet is at the destination of its message, which is received with the last.
    fn receive_packet(&mut self, message: u32, now: Cycle) {
        let Some((record, units)) = self.messages.receive_packet(message) else { return };
        let MessageRecord { start, stage, source, destination, distance, .. } = record;
        let transfer = self.communication.timing_of(units).transfer(distance.into());
        let receipt = Receipt { cycle: now, source, start, transfer };
        if self.progress.receive(destination, stage, receipt) {
            self.finish_stage(destination, now);
        }
    }

    /// A stage is over for a process, which begins the next.
    fn finish_stage(&mut self, process: ProcessId, now: Cycle) {
        let (stage, ready, last) = self.progress.current(process);
        let (start, alone) = last.map_or((ready, Cycles::ZERO), |last| (last.start, last.transfer));
        let transfer = alone.min(now - start.max(ready));
        let sharing = match &self.processors {
            Some(processors) if self.program.computation(stage, process) > Cycles::ZERO => {
                processors.sharing(process)
            }
            _ => Cycles::ZERO,
        };
        self.observer.stage_finished(&StageRecord {
            process,
            stage,
            sharing,
            ready,
            start,
            finish: now,
            transfer,
            overlapped: alone - transfer,
            idle: Cycles::ZERO,
        });
        if stage + 1 < self.program.stage_count() {
            self.beginning.push(process);
        } else {
            self.progress.end(process);
        }
    }

    fn traffic(self) -> Result<Traffic, ProcessId> {
        if let Some(process) = self.progress.unfinished() {
            return Err(process);
        }
        Ok(Traffic {
            messages: self.message_count,
            hops: self.hop_count,
            longest_queue: Some(match &self.network {
                PacketNetwork::FirstCome(network) => network.longest_queue(),
                PacketNetwork::Granted(network) => network.longest_queue(),
            }),
            routing: None,
            link_use: None,
        })
    }
}
