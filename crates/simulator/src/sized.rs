//! Asynchronous execution of messages with sizes (`docs/model.md` sections 13 to 15 and 18), packet
//! by packet and link by link.
//!
//! This is the hop-by-hop engine for everything that the kernels for messages of one unit do not
//! take: sizes that differ, latencies, cut-through switching, packets, channels that serve their
//! inputs in turn, eager messages, computations of different lengths, several processors a node, and
//! task graphs. Transmissions and computations end in no fixed order, so that a [`TimeWheel`]
//! replaces the first-in first-out lists of those kernels.
//!
//! A [`Transport`] carries messages over the machine. What sends and receives them is a
//! [`MessageSource`]: the processes of a stage program ([`stages`]) or of a task graph
//! ([`tasks`]). Loops are compiled for each.
//!
//! The engine advances from one cycle in which something happens to the next. In a cycle first
//! packets arrive, messages are received, computations end, and processes that finish a stage begin
//! the next, until nothing more happens; then idle processors and idle channels are granted, and at
//! last the packets that follow those that departed join their queues. The outcome depends on the
//! keys of packets and processes, never on the order of events within these steps.
//!
//! A run may be divided among several engines ([`slabs`]), each with a [`Border`]. What comes over it in a cycle is taken
//! before processors and channels are granted in that cycle.

mod border;
mod channel_table;
mod first_come;
mod granted;
mod longest_queue;
mod message_table;
mod packet;
mod progress;
pub(crate) mod slabs;
mod stages;
mod tasks;

use std::borrow::Cow;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{LinkMode, Machine, NodeId, narrow};

pub use self::tasks::{StuckReason, StuckTasks};
use self::{
    border::{Alone, Note, Traveller},
    first_come::FirstComeNetwork,
    granted::GrantedNetwork,
    message_table::{MessageRecord, MessageTable},
    packet::Packet,
    progress::Progress,
};
pub(crate) use self::{
    stages::run,
    tasks::{bytes as bytes_of_tasks, run as run_tasks},
};
use crate::{
    Communication, Cycle, Cycles, Program, ServiceOrder, Traffic,
    routes::Routes,
    slabs::{Border, Slab},
    time_wheel::TimeWheel,
};

/// What happens at a cycle to come.
///
/// The packet comes first and the kind takes four bytes, so that both are copied in the pieces in which they were
/// written: a processor waits for pieces that were written in parts.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Event {
    packet: Packet,
    kind: EventKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum EventKind {
    /// The head of a packet, or under store-and-forward all of it, is at the end of a channel that is not the
    /// last of its route.
    Crossed,
    /// A packet joins the queue of the next channel of its route.
    Arrival,
    /// All of a packet is at the end of the last channel of its route, or of a message inside a node at its
    /// destination.
    Receipt,
    /// The process whose label is where packets have their message may begin.
    Begin,
    /// The computation whose number is there ends: of a process, or an operation of a task graph.
    Computed,
    /// The channel that the packet would need is idle, and has a queue.
    Idle,
    /// Nothing is in flight any more, perhaps.
    Still,
    /// Nothing, in the place of an event that does not happen.
    Revoked,
}

impl Event {
    /// What happens to a packet.
    #[inline]
    fn of(packet: Packet, kind: EventKind) -> Self {
        Self { packet, kind }
    }

    /// What happens to no packet, but to something with a number.
    #[inline]
    fn numbered(number: u32, kind: EventKind) -> Self {
        Self { packet: Packet::inside_node(number), kind }
    }
}

/// The network of a machine.
#[derive(Debug)]
enum PacketNetwork {
    FirstCome(FirstComeNetwork),
    Granted(GrantedNetwork),
}

impl PacketNetwork {
    /// The network of a slab of a machine while nothing moves, for messages of `units` units, or of any sizes.
    fn new(machine: &Machine, communication: Communication, slab: &Slab, units: Option<u64>) -> Self {
        // The units of every packet, where all have as many.
        let uniform = units.and_then(|units| match communication.packet() {
            None => Some(units),
            Some(packet) if units <= packet.get() => Some(units),
            Some(packet) => units.is_multiple_of(packet.get()).then_some(packet.get()),
        });
        match (communication.service(), communication.links()) {
            (ServiceOrder::FirstCome, LinkMode::FullDuplex | LinkMode::HalfDuplex) => {
                Self::FirstCome(FirstComeNetwork::new(machine, communication, slab, uniform))
            }
            (ServiceOrder::RoundRobin, _) | (ServiceOrder::FirstCome, LinkMode::SingleDirection) => {
                Self::Granted(GrantedNetwork::new(machine, communication, slab))
            }
        }
    }
}

impl PacketNetwork {
    /// A packet at the end of the channel that it has crossed.
    #[inline]
    fn cross(&self, packet: &Packet) -> Packet {
        match self {
            Self::FirstCome(network) => network.cross(packet),
            Self::Granted(network) => network.cross(packet),
        }
    }

    /// The node whose slab has the channel that a packet needs, or its link.
    #[inline]
    fn owner(&self, packet: &Packet) -> NodeId {
        match self {
            Self::FirstCome(network) => network.owner(packet),
            Self::Granted(_) => packet.node(),
        }
    }
}

/// Bytes that a run takes at most, roughly.
pub(crate) fn bytes(program: &dyn Program, machine: &Machine, communication: Communication) -> u64 {
    let channels = machine.channel_places();
    let processes = program.process_count();
    let messages = messages_under_way(program, communication);
    let packets = packets_under_way(program, communication);
    let routes = machine.bytes_of_routes().saturating_add(Routes::bytes(machine, messages));
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

/// The most messages under way at a time, roughly.
fn messages_under_way(program: &dyn Program, communication: Communication) -> u64 {
    // Eager messages of several stages may be under way together.
    let ahead = if communication.eager() > 0 { (program.stage_count() as u64).min(4) } else { 1 };
    program.facts().messages_of_stage().saturating_mul(ahead)
}

/// The most packets under way at a time, roughly.
fn packets_under_way(program: &dyn Program, communication: Communication) -> u64 {
    let largest = match program.facts().uniform_units {
        Some(units) => units,
        None => (0..program.stage_count()).map(|stage| program.max_units(stage)).max().unwrap_or(1),
    };
    // A packet waits at its source until the one before it has departed: few of a message are on their way at a time.
    messages_under_way(program, communication).saturating_mul(communication.packet_count(largest).min(8))
}

/// What sends and receives the messages of a run, and computes.
trait MessageSource<B: Border = Alone> {
    /// A process may begin.
    fn begin(&mut self, process: ProcessId);

    /// A computation ends.
    fn computed(&mut self, computation: u32, now: Cycle, transport: &mut Transport<'_, B>);

    /// Prefetches what events need.
    #[inline]
    fn prefetch(&self, events: &[Event], messages: &MessageTable) {
        let _ = (events, messages);
    }

    /// A message is received.
    fn received(&mut self, message: &ReceivedMessage, now: Cycle, transport: &mut Transport<'_, B>);

    /// Completes what happens at `now`, and grants processors.
    fn grant(&mut self, now: Cycle, transport: &mut Transport<'_, B>);
}

/// A message that has been received.
#[derive(Debug, Clone, Copy)]
struct ReceivedMessage {
    record: MessageRecord,
    units: u64,
    /// Its time without contention.
    transfer: Cycles,
}

/// The network of a run, or of a slab of its machine, and the messages that are under way over it.
#[derive(Debug)]
struct Transport<'run, B: Border = Alone> {
    nodes: Cow<'run, [NodeId]>, // of the processes on them, by index
    routes: Routes<'run>,
    communication: Communication,
    events: TimeWheel<Event>,
    network: PacketNetwork,
    messages: MessageTable,
    message_count: u64,
    hop_count: u64,
    border: B,
    leaving: Vec<(usize, Packet)>, // of a chunk of events, for other engines
}

impl<'run> Transport<'run> {
    /// The machine of a placement before anything moves, for messages of `units` units, or of any sizes: an index is a
    /// label.
    fn whole(placement: &'run Placement, communication: Communication, units: Option<u64>) -> Self {
        let (nodes, slab) = (placement.listed_nodes(), Slab::whole(placement.machine()));
        placement.machine().prepare_routes(&nodes);
        Self::new(placement.machine(), communication, units, (nodes, &slab, Alone::new()))
    }
}

impl<'run, B: Border<Note = Note>> Transport<'run, B> {
    /// A slab of a machine before anything moves, with the nodes of its processes, for messages of `units` units, or of
    /// any sizes.
    fn new(
        machine: &'run Machine,
        communication: Communication,
        units: Option<u64>,
        (nodes, slab, border): (Cow<'run, [NodeId]>, &Slab, B),
    ) -> Self {
        Self {
            nodes,
            routes: Routes::new(machine, communication.tie()),
            communication,
            events: TimeWheel::new(),
            network: PacketNetwork::new(machine, communication, slab, units),
            messages: MessageTable::new(communication),
            message_count: 0,
            hop_count: 0,
            border,
            leaving: vec![],
        }
    }

    /// Executes `source` until no event is left.
    fn run(&mut self, source: &mut impl MessageSource<B>) {
        let mut events = vec![];
        self.border.next_event(Some(Cycle::START));
        self.grant(source, Cycle::START);
        while let Some(now) = self.next_event() {
            if let PacketNetwork::FirstCome(network) = &mut self.network {
                network.begin_cycle(now);
            }
            while self.events.take(&mut events) {
                self.go_on(&events, now);
                source.prefetch(&events, &self.messages);
                for event in &events {
                    self.process(event, now, source);
                }
            }
            self.grant(source, now);
        }
    }

    /// Advances to the next cycle in which anything happens, perhaps in another engine.
    #[inline]
    fn next_event(&mut self) -> Option<Cycle> {
        if B::IS_ALONE {
            return self.events.advance().map(Cycle::new);
        }
        let next = self.border.next_event(self.events.least_next().map(Cycle::new))?;
        self.events.advance_to(next.get());
        Some(next)
    }

    /// Packets that go on in their direction join the queues of their next channels, which is most of what happens.
    /// What other events need is read, so that their cache misses overlap.
    fn go_on(&mut self, events: &[Event], now: Cycle) {
        if let PacketNetwork::FirstCome(network) = &mut self.network {
            let beyond = (&self.border, &mut self.leaving);
            network.go_on(events, now, beyond, &self.messages, &mut self.events);
        }
        while let Some((engine, packet)) = self.leaving.pop() {
            self.hand_over(engine, &packet);
        }
        for Event { packet, kind } in events {
            if *kind == EventKind::Receipt || *kind == EventKind::Crossed && !packet.goes_on() {
                self.messages.prefetch(packet.message());
            }
        }
    }

    #[inline]
    fn process(&mut self, event: &Event, now: Cycle, source: &mut impl MessageSource<B>) {
        let packet = &event.packet;
        match event.kind {
            EventKind::Crossed if !packet.goes_on() => self.turn(packet, now),
            EventKind::Crossed => {
                // Under first come first served it has joined the next queue.
                if let PacketNetwork::Granted(network) = &self.network {
                    let packet = network.cross(packet);
                    self.join(&packet, now);
                }
            }
            EventKind::Arrival => self.join(packet, now),
            EventKind::Receipt => {
                if let Some(received) = self.arrive(packet.message()) {
                    source.received(&received, now, self);
                }
            }
            EventKind::Begin => source.begin(ProcessId::new(packet.message())),
            EventKind::Computed => source.computed(packet.message(), now, self),
            EventKind::Idle => {
                if let PacketNetwork::Granted(network) = &mut self.network {
                    network.set_idle(packet);
                }
            }
            EventKind::Still | EventKind::Revoked => {}
        }
    }

    /// Completes what happens at `now`, then grants processors and channels.
    fn grant(&mut self, source: &mut impl MessageSource<B>, now: Cycle) {
        source.grant(now, self);
        match &mut self.network {
            PacketNetwork::FirstCome(network) => network.end_cycle(now, &self.messages, &mut self.events),
            PacketNetwork::Granted(network) => network.end_cycle(now, &self.messages, &mut self.events),
        }
    }

    /// A packet needs the next channel of its leg from `now` on.
    #[inline]
    fn join(&mut self, packet: &Packet, now: Cycle) {
        if !B::IS_ALONE
            && let Some(engine) = self.border.elsewhere(self.network.owner(packet))
        {
            self.hand_over(engine, packet);
            return;
        }
        match &mut self.network {
            PacketNetwork::FirstCome(network) => network.join(packet, now, &self.messages, &mut self.events),
            PacketNetwork::Granted(network) => network.join(packet, now, &self.messages, &mut self.events),
        }
    }

    /// A packet that has crossed the last channel of a leg joins the queue of the first channel of the next leg.
    #[inline]
    fn turn(&mut self, packet: &Packet, now: Cycle) {
        let packet = self.network.cross(packet);
        let record = self.messages.record(packet.message());
        // On networks, which one engine has, the route may depend on the source.
        let source = || self.border.index(record.source).map_or(packet.node(), |own| self.node_of(own));
        let place = (packet.message(), record.distance - packet.links());
        // A packet with links left is not at its destination.
        if let Some(leg) = self.routes.next_leg_of_packet(place, source, packet.node(), record.to) {
            self.join(&packet.on_leg(leg), now);
        }
    }

    /// The node of a process of this engine.
    #[inline]
    fn node_of(&self, process: ProcessId) -> NodeId {
        self.nodes[process.label() as usize]
    }

    /// A message of `units` units sets out from the node of its source to a process of this engine. Returned is one that
    /// is received at once: inside a node, in no time.
    #[inline]
    fn inject(
        &mut self,
        mut record: MessageRecord,
        from: NodeId,
        units: u64,
        now: Cycle,
    ) -> Option<ReceivedMessage> {
        let (distance, leg) = self.routes.begin(from, record.to);
        record.distance = narrow(distance); // below 2^32, the number of nodes
        self.message_count += 1;
        let (message, size) = self.messages.insert(record, units, leg.is_some());
        self.routes.keep(message);
        match leg {
            Some(leg) => {
                self.hop_count += distance * self.messages.size(size).packets;
                let packet = Packet::first(message, size, from, leg, record.distance);
                self.join(&packet, now);
            }
            None => match self.communication.timing_of(units).transfer(0) {
                Cycles::ZERO => return self.receive_packet(message),
                local => {
                    let packet = Packet::inside_node(message);
                    self.events.add(Event::of(packet, EventKind::Receipt), (now + local).get());
                }
            },
        }
        None
    }

    /// A packet goes over to another engine.
    #[inline(never)]
    fn hand_over(&mut self, engine: usize, packet: &Packet) {
        let message = packet.message();
        let (record, units) = (*self.messages.record(message), self.messages.units(message));
        let is_visitor = self.border.elsewhere(record.to).is_some();
        let home = if is_visitor { self.messages.home(message) } else { message };
        let packet = packet.of_message(home, 0);
        self.border.send(engine, Note::Join(Traveller { packet, record, units }));
        if is_visitor {
            self.messages.dismiss(message);
        }
    }

    /// A packet comes from another engine.
    fn admit(&mut self, traveller: &Traveller, now: Cycle) {
        let &Traveller { packet, record, units } = traveller;
        let home = packet.message();
        let (message, size) = if self.border.elsewhere(record.to).is_some() {
            self.messages.admit(record, (units, home), packet.input() == 0)
        } else {
            (home, self.messages.size_number(units))
        };
        self.join(&packet.of_message(message, size), now);
    }

    /// All of a packet is at the end of the last channel of its route. Returns the message if it is received here.
    #[inline]
    fn arrive(&mut self, message: u32) -> Option<ReceivedMessage> {
        if !B::IS_ALONE
            && let Some(engine) = self.border.elsewhere(self.messages.record(message).to)
        {
            let home = self.messages.home(message);
            self.border.send(engine, Note::Receipt(home));
            self.messages.dismiss(message);
            return None;
        }
        self.receive_packet(message)
    }

    /// All of a packet is at the destination of its message, which is received with the last.
    #[inline]
    fn receive_packet(&mut self, message: u32) -> Option<ReceivedMessage> {
        let (record, units) = self.messages.receive_packet(message)?;
        let transfer = self.communication.timing_of(units).transfer(record.distance.into());
        Some(ReceivedMessage { record, units, transfer })
    }

    /// What the messages of the run came to.
    fn traffic(&self) -> Traffic {
        Traffic {
            messages: self.message_count,
            hops: self.hop_count,
            longest_queue: Some(match &self.network {
                PacketNetwork::FirstCome(network) => network.longest_queue(),
                PacketNetwork::Granted(network) => network.longest_queue(),
            }),
            routing: None,
            link_use: None,
        }
    }
}
