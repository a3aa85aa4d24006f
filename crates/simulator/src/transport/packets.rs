//! Packets of any size, link by link (`docs/model.md` sections 13 and 18): every rule of links, switching and
//! arbitration on every machine.
//!
//! Transmissions end in no fixed order, so a [`TimeWheel`] holds the next event of each packet. Channels that
//! serve packets first come first served compute the departure of a packet as soon as it joins
//! ([`FirstComeNetwork`]); all others are granted cycle by cycle ([`GrantedNetwork`]).

mod channel_table;
mod crossing;
mod first_come;
mod granted;
mod longest_queue;

use cubefold_topology::{Channel, Leg, LinkMode, Machine, NodeId, narrow};

use self::{crossing::Crossing, first_come::FirstComeNetwork, granted::GrantedNetwork};
use super::{Arrivals, Messages, Packet, Reusable, Transport};
use crate::{
    Communication, Cycle, Cycles, ServiceOrder, TaskGraph, Transmission,
    engine::{MessageRecord, border::Border},
    explicit_routes::{ExplicitRoutes, RoutedPair},
    observe::transmissions::TransmissionLog,
    routes::Routes,
    slab::Slab,
    time_wheel::TimeWheel,
    transfer::TransferTimes,
};

/// An event at a later cycle.
///
/// The packet comes first and the kind takes four bytes, so that both are copied in the pieces in which they were
/// written: store-forwarding stalls are avoided.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Event {
    packet: Packet,
    kind: EventKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum EventKind {
    /// The head of a packet, or the whole packet under store-and-forward, is at the end of a channel that is not the
    /// last of its route.
    Crossed,
    /// A packet joins the queue of the next channel of its route.
    Arrival,
    /// A packet is completely at the end of the last channel of its route.
    Receipt,
    /// The channel that the packet would need is idle, and has a queue.
    Idle,
    /// Nothing may be in flight any more.
    Still,
    /// A revoked event.
    Revoked,
}

impl Event {
    /// An event of this kind for a packet.
    #[inline]
    fn of(packet: Packet, kind: EventKind) -> Self {
        Self { packet, kind }
    }
}

/// The packets on the links of a machine, or of a slab of it.
#[derive(Debug)]
pub(crate) struct Packets<'run> {
    routes: Routes<'run>,
    explicit: Option<CarriedRoutes<'run>>, // if messages do not take the routes of the machine
    transfers: Option<TransferTimes<'run>>, // where channels differ
    events: TimeWheel<Event>,
    channels: PacketNetwork,
    taken: Vec<Event>, // a chunk of the events of this cycle
}

/// The routes that messages under way carry.
#[derive(Debug)]
struct CarriedRoutes<'run> {
    rule: ExplicitRoutes<'run>,
    ordinals: Vec<u32>,            // by operation of a task graph
    of_message: Vec<Vec<Channel>>, // by number
}

impl CarriedRoutes<'_> {
    /// The links of the route of a message that sets out, and its first leg.
    fn begin(&mut self, message: u32, record: &MessageRecord, from: NodeId) -> (u64, Option<Leg>) {
        let &MessageRecord { stage, operation, source, destination, to, .. } = record;
        let ordinal = self.ordinals.get(operation as usize).copied().unwrap_or(0);
        let route = self.rule.route(RoutedPair { stage, source, destination, ordinal }, from, to);
        let (links, first) = (route.len() as u64, route.first().copied().map(leg_over));
        let place = message as usize;
        if self.of_message.len() <= place {
            self.of_message.resize_with(place + 1, Vec::new);
        }
        self.of_message[place] = route;
        (links, first)
    }

    /// The next leg of a packet; `None` at its destination.
    fn next_leg(&self, packet: &Packet) -> Option<Leg> {
        let route = &self.of_message[packet.message() as usize];
        route.get(route.len() - packet.links as usize).copied().map(leg_over)
    }
}

fn leg_over(channel: Channel) -> Leg {
    Leg { direction: channel.direction, hops: 1 }
}

/// The channels of a machine, by the rule that grants them.
#[derive(Debug)]
enum PacketNetwork {
    FirstCome(FirstComeNetwork),
    Granted(GrantedNetwork),
}

impl PacketNetwork {
    /// The idle channels of a slab of a machine, for messages of `units` units, or of any sizes.
    fn new(machine: &Machine, communication: Communication, slab: &Slab, units: Option<u64>) -> Self {
        let is_one_size = units.is_some_and(|units| {
            communication
                .packet()
                .is_none_or(|packet| units <= packet.get() || units.is_multiple_of(packet.get()))
        });
        match (communication.service(), communication.links()) {
            (ServiceOrder::FirstCome, LinkMode::FullDuplex | LinkMode::HalfDuplex) => {
                Self::FirstCome(FirstComeNetwork::new(machine, communication, slab, is_one_size))
            }
            (ServiceOrder::RoundRobin, _) | (ServiceOrder::FirstCome, LinkMode::SingleDirection) => {
                Self::Granted(GrantedNetwork::new(machine, communication, slab))
            }
        }
    }

    fn log(&mut self) -> &mut TransmissionLog {
        match self {
            Self::FirstCome(network) => &mut network.log,
            Self::Granted(network) => &mut network.log,
        }
    }

    /// The rules by which packets cross its channels.
    fn crossing(&self) -> &Crossing {
        match self {
            Self::FirstCome(network) => &network.crossing,
            Self::Granted(network) => &network.crossing,
        }
    }

    /// A packet at the end of the channel that it has crossed.
    #[inline]
    fn cross(&self, packet: &Packet) -> Packet {
        match self {
            Self::FirstCome(network) => network.crossing.cross(packet),
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

impl<'run> Packets<'run> {
    /// A slab of a machine while nothing moves, for messages of `units` units, or of any sizes.
    pub(crate) fn new(
        machine: &'run Machine,
        communication: Communication,
        slab: &Slab,
        units: Option<u64>,
    ) -> Self {
        Self {
            routes: Routes::new(machine, communication.tie()),
            explicit: None,
            transfers: machine.link_times().map(|_| TransferTimes::new(machine, communication)),
            events: TimeWheel::new(),
            channels: PacketNetwork::new(machine, communication, slab, units),
            taken: vec![],
        }
    }

    /// Uses routes that messages carry.
    pub(crate) fn with_explicit_routes(self, routes: Option<ExplicitRoutes<'run>>) -> Self {
        let carried = |rule| CarriedRoutes { rule, ordinals: vec![], of_message: vec![] };
        Self { explicit: routes.map(carried), ..self }
    }

    /// Uses the ordinals of the messages of a task graph.
    pub(crate) fn of_tasks(mut self, graph: &TaskGraph) -> Self {
        if let Some(carried) = &mut self.explicit {
            carried.ordinals = graph.ordinals();
        }
        self
    }

    /// Keeps a log of transmissions if requested.
    pub(crate) fn logging(mut self, wants_transmissions: bool) -> Self {
        if wants_transmissions {
            *self.channels.log() = TransmissionLog::keeping();
        }
        self
    }

    /// Bytes for a machine with this number of packets under way, and of packets in queues.
    pub(crate) fn bytes(machine: &Machine, communication: Communication, packets: u64, queued: u64) -> u64 {
        let channels = machine.channel_places();
        let network = match communication.service() {
            ServiceOrder::FirstCome => FirstComeNetwork::bytes(channels, queued),
            ServiceOrder::RoundRobin => {
                GrantedNetwork::bytes(channels, machine.directions().count() as u64, queued)
            }
        };
        network
            .saturating_add(packets.saturating_mul(TimeWheel::<Event>::BYTES_PER_EVENT))
            .saturating_add(machine.bytes_of_routes())
    }

    /// Handles a chunk of the events of a cycle. The records that they need are prefetched.
    fn process_chunk<B: Border>(
        &mut self,
        events: &[Event],
        now: Cycle,
        messages: &Messages<'_, B>,
        arrivals: &mut Arrivals,
    ) {
        for Event { packet, kind } in events {
            if *kind == EventKind::Crossed && !packet.goes_on() {
                messages.table.prefetch(packet.message());
            }
        }
        if let PacketNetwork::FirstCome(network) = &mut self.channels {
            network.go_on(events, messages, &mut arrivals.leaving);
        }
        for event in events {
            self.process(event, now, messages, arrivals);
        }
        if let PacketNetwork::FirstCome(network) = &mut self.channels {
            network.join_together(now, &messages.table, &mut self.events);
        }
    }

    #[inline]
    fn process<B: Border>(
        &mut self,
        event: &Event,
        now: Cycle,
        messages: &Messages<'_, B>,
        arrivals: &mut Arrivals,
    ) {
        let packet = &event.packet;
        match event.kind {
            EventKind::Crossed if !packet.goes_on() => self.turn(packet, now, messages, arrivals),
            EventKind::Crossed => {
                // Under first come first served it joins the next queue with others.
                if let PacketNetwork::Granted(network) = &self.channels {
                    let packet = network.cross(packet);
                    self.join(&packet, now, messages, arrivals);
                }
            }
            EventKind::Arrival => self.join(packet, now, messages, arrivals),
            EventKind::Receipt => arrivals.received.push(packet.message()),
            EventKind::Idle => {
                if let PacketNetwork::Granted(network) = &mut self.channels {
                    network.add_idle(packet.transit);
                }
            }
            EventKind::Still | EventKind::Revoked => {}
        }
    }

    /// A packet needs the next channel of its leg from `now` on.
    #[inline]
    fn join<B: Border>(
        &mut self,
        packet: &Packet,
        now: Cycle,
        messages: &Messages<'_, B>,
        arrivals: &mut Arrivals,
    ) {
        if !B::IS_ALONE
            && let Some(engine) = messages.elsewhere(self.channels.owner(packet))
        {
            arrivals.leaving.push((engine, *packet));
        } else {
            self.admit(packet, now, messages);
        }
    }

    /// A packet that has crossed the last channel of a leg joins the queue of the first channel of the next leg.
    #[inline]
    fn turn<B: Border>(
        &mut self,
        packet: &Packet,
        now: Cycle,
        messages: &Messages<'_, B>,
        arrivals: &mut Arrivals,
    ) {
        let (crossed, packet) = (packet, self.channels.cross(packet));
        let leg = if let Some(routes) = &self.explicit {
            routes.next_leg(&packet)
        } else {
            let record = messages.table.record(packet.message());
            // On networks, which one engine has, the route may depend on the source.
            let source = || messages.source_node(packet.message()).unwrap_or(packet.node());
            self.routes.next_leg(source, [packet.node(), record.to], packet.links)
        };
        // A packet with links left is not at its destination.
        if let Some(leg) = leg {
            let packet = packet.on_leg(leg);
            match self.channels.crossing().gap(crossed, &packet, &messages.table) {
                Cycles::ZERO => match &mut self.channels {
                    PacketNetwork::FirstCome(network) => {
                        network.arrive(&packet, messages, &mut arrivals.leaving);
                    }
                    PacketNetwork::Granted(_) => self.join(&packet, now, messages, arrivals),
                },
                gap => {
                    self.events.add(Event::of(packet, EventKind::Arrival), (now + gap).get());
                }
            }
        }
    }
}

impl Transport for Packets<'_> {
    #[inline]
    fn next(&self) -> Option<Cycle> {
        self.events.least_next().map(Cycle::new)
    }

    fn arrive<B: Border>(&mut self, now: Cycle, messages: &Messages<'_, B>, arrivals: &mut Arrivals) {
        self.events.advance_to(now.get());
        if let PacketNetwork::FirstCome(network) = &mut self.channels {
            network.begin_cycle(now);
        }
        let mut events = std::mem::take(&mut self.taken);
        while self.events.take(&mut events) {
            self.process_chunk(&events, now, messages, arrivals);
        }
        self.taken = events;
    }

    #[inline]
    fn set_out<B: Border>(
        &mut self,
        message: u32,
        from: NodeId,
        now: Cycle,
        messages: &Messages<'_, B>,
        arrivals: &mut Arrivals,
    ) -> u32 {
        let record = messages.table.record(message);
        let (distance, leg) = match &mut self.explicit {
            Some(routes) => routes.begin(message, record, from),
            None => self.routes.begin(from, record.to),
        };
        let links = narrow(distance); // below 2^32, as the clock's bound
        if let Some(leg) = leg {
            let packet = Packet::first(message, record.size, from, leg, links);
            self.join(&packet, now, messages, arrivals);
        }
        links
    }

    fn transfer(&self, message: u32, [from, to]: [NodeId; 2], units: u64) -> Option<Cycles> {
        let times = self.transfers.as_ref()?;
        let (transfer, _) = match &self.explicit {
            None => times.between(from, to, units),
            Some(routes) => times.over(&routes.of_message[message as usize], units),
        };
        Some(transfer)
    }

    #[inline]
    fn admit<B: Border>(&mut self, packet: &Packet, now: Cycle, messages: &Messages<'_, B>) {
        match &mut self.channels {
            PacketNetwork::FirstCome(network) => network.join(packet, now, &messages.table, &mut self.events),
            PacketNetwork::Granted(network) => network.join(packet, now, &messages.table, &mut self.events),
        }
    }

    fn depart<B: Border>(&mut self, now: Cycle, messages: &Messages<'_, B>) {
        match &mut self.channels {
            PacketNetwork::FirstCome(network) => network.end_cycle(now, &messages.table, &mut self.events),
            PacketNetwork::Granted(network) => network.end_cycle(now, &messages.table, &mut self.events),
        }
    }

    fn longest_queue(&self) -> u32 {
        match &self.channels {
            PacketNetwork::FirstCome(network) => network.longest_queue(),
            PacketNetwork::Granted(network) => network.longest_queue(),
        }
    }

    fn take_transmissions(&mut self) -> Vec<Transmission> {
        self.channels.log().take()
    }
}

impl Reusable for Packets<'_> {
    fn reset(&mut self) {
        self.events.clear();
        match &mut self.channels {
            PacketNetwork::FirstCome(network) => network.reset(),
            PacketNetwork::Granted(network) => network.reset(),
        }
    }
}
