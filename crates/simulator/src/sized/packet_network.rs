//! The network of a machine: packets join the queues of channels, depart, and are in flight.
//!
//! Under full-duplex and half-duplex every channel or link is granted by itself: in a cycle those
//! are looked at that have become idle, or are idle and were joined. Invariant between cycles: a
//! resource with a queue is busy, and an event says when it becomes idle; under single-direction it may also wait for
//! the turn of its direction.

use cubefold_topology::{Direction, Leg, LinkMode, Machine, NodeId};

use super::{Event, channel_table::ChannelTable, message_table::MessageTable};
use crate::{
    Communication, Cycle, Cycles, ServiceOrder, Switching,
    channels::{Channels, Transit},
    time_wheel::TimeWheel,
};

/// A packet at a node, about to move or moving in one direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet {
    transit: Transit, // its leg may be over: then it has no links left in it
    number: u32,      // within its message, counted from 0
    links: u32,       // left of its route
    size: u32,        // the number of its message's size
    input: u32,       // of its node: 0 for the node itself, else by where it came in
}

impl Packet {
    /// The first packet of a message at its source.
    pub(super) fn first(message: u32, size: u32, at: NodeId, leg: Leg, links: u32) -> Self {
        Self { transit: Transit::new(message, at, leg), number: 0, links, size, input: 0 }
    }

    /// The packet at the begin of another leg.
    pub(super) fn on_leg(self, leg: Leg) -> Self {
        Self { transit: Transit::new(self.transit.message, self.node(), leg), ..self }
    }

    pub(super) fn is_at_end_of_leg(&self) -> bool {
        self.transit.hops == 0
    }

    pub(super) fn message(&self) -> u32 {
        self.transit.message
    }

    pub(super) fn number(&self) -> u32 {
        self.number
    }

    pub(super) fn node(&self) -> NodeId {
        NodeId::new(self.transit.node)
    }

    pub(super) fn direction(&self) -> u32 {
        self.transit.direction
    }

    pub(super) fn input(&self) -> u32 {
        self.input
    }
}

/// The channels and what waits for them.
#[derive(Debug)]
pub(super) struct PacketNetwork {
    channels: Channels,
    table: ChannelTable,
    rules: Rules,
    incoming: Vec<u32>, // of a network under round-robin: by channel, the input of its end that it leads to
    idle: Vec<Transit>, // one for each idle resource with a queue that may be granted in this cycle
    following: Vec<Packet>,
    turn: Option<Turn>, // under single-direction
}

#[derive(Debug, Clone, Copy)]
struct Rules {
    links: LinkMode,
    switching: Switching,
    unit: Cycles,
    latency: Cycles,
}

/// The direction in which all links transmit.
#[derive(Debug)]
struct Turn {
    current: Option<usize>,  // none before the first transmission
    queued: Vec<u64>,        // by direction, the packets in its queues
    idle: Vec<Vec<Transit>>, // by direction, one for each of its idle channels with a queue
    under_way: Cycle,        // the cycle from which nothing is
}

impl PacketNetwork {
    pub(super) fn new(machine: &Machine, communication: Communication) -> Self {
        let channels = Channels::new(machine);
        let places = match communication.links() {
            LinkMode::HalfDuplex => channels.link_places(),
            LinkMode::FullDuplex | LinkMode::SingleDirection => channels.channel_places(),
        };
        let in_turn = communication.service() == ServiceOrder::RoundRobin;
        let inputs = in_turn.then(|| channels.direction_count() + 1);
        let turn = (communication.links() == LinkMode::SingleDirection).then(|| Turn {
            current: None,
            queued: vec![0; channels.direction_count()],
            idle: vec![vec![]; channels.direction_count()],
            under_way: Cycle::START,
        });
        Self {
            table: ChannelTable::new(places, inputs),
            incoming: if in_turn && machine.graph().is_some() { inputs_of_network(machine) } else { vec![] },
            channels,
            rules: Rules {
                links: communication.links(),
                switching: communication.switching(),
                unit: communication.hop(),
                latency: communication.latency(),
            },
            idle: vec![],
            following: vec![],
            turn,
        }
    }

    /// Bytes for so many channels, and so many packets under way.
    pub(super) fn bytes(channels: u64, packets: u64, communication: Communication) -> u64 {
        let inputs = match communication.service() {
            ServiceOrder::FirstCome => 0,
            ServiceOrder::RoundRobin => 9,
        };
        let events = packets.saturating_mul(2 * size_of::<Event>() as u64);
        ChannelTable::bytes(channels, inputs, packets).saturating_add(events)
    }

    /// The most packets left in one channel's queue at the end of any cycle so far.
    pub(super) fn longest_queue(&self) -> u32 {
        self.table.longest()
    }

    #[inline]
    fn place(&self, transit: &Transit) -> usize {
        match self.rules.links {
            LinkMode::HalfDuplex => self.channels.link(transit),
            LinkMode::FullDuplex | LinkMode::SingleDirection => self.channels.channel(transit),
        }
    }

    /// A packet needs the next channel of its leg from `now` on.
    #[inline]
    pub(super) fn join(
        &mut self,
        packet: Packet,
        now: Cycle,
        messages: &MessageTable,
        events: &mut TimeWheel<Event>,
    ) {
        let place = self.place(&packet.transit);
        if self.table.join(place, packet, now, messages) {
            let idle_from = self.table.idle_from(place);
            if idle_from <= now {
                self.add_idle(packet.transit);
            } else {
                let Transit { node, direction, .. } = packet.transit;
                events.add(Event::Idle { node, direction }, idle_from.get());
            }
        }
        if let Some(turn) = &mut self.turn {
            turn.queued[packet.transit.direction as usize] += 1;
        }
    }

    /// The channel of a node in a direction has become idle, and has a queue.
    pub(super) fn set_idle(&mut self, node: u32, direction: u32) {
        self.add_idle(Transit { message: 0, node, hops: 1, direction });
    }

    #[inline]
    fn add_idle(&mut self, transit: Transit) {
        match &mut self.turn {
            None => self.idle.push(transit),
            Some(turn) => turn.idle[transit.direction as usize].push(transit),
        }
    }

    /// Grants idle channels, lets the packets that follow those that departed join, and measures the
    /// queues.
    pub(super) fn depart(&mut self, now: Cycle, messages: &MessageTable, events: &mut TimeWheel<Event>) {
        if let Some(turn) = &mut self.turn {
            turn.pass_on(now);
            if let Some(direction) = turn.current {
                std::mem::swap(&mut self.idle, &mut turn.idle[direction]);
            }
        }
        let mut idle = std::mem::take(&mut self.idle);
        for transit in idle.drain(..) {
            self.grant(transit, now, messages, events);
        }
        self.idle = idle;
        let mut following = std::mem::take(&mut self.following);
        for packet in following.drain(..) {
            self.join(packet, now, messages, events);
        }
        self.following = following;
        self.table.end_cycle();
    }

    /// Grants the idle resource of a channel to the packet that is next.
    #[inline]
    fn grant(
        &mut self,
        transit: Transit,
        now: Cycle,
        messages: &MessageTable,
        events: &mut TimeWheel<Event>,
    ) {
        let place = self.place(&transit);
        let occupancy = |packet: &Packet| messages.size(packet.size).occupancy(packet.number);
        let Some((packet, occupancy)) = self.table.begin(place, now, occupancy) else { return };
        if self.table.has_queue(place) {
            let Transit { node, direction, .. } = transit;
            events.add(Event::Idle { node, direction }, (now + occupancy).get());
        }
        let all_there = now + occupancy + self.rules.latency;
        if let Some(turn) = &mut self.turn {
            turn.queued[packet.transit.direction as usize] -= 1;
            if all_there > turn.under_way {
                turn.under_way = all_there;
                events.add(Event::Still, all_there.get());
            }
        }
        if packet.input == 0 && u64::from(packet.number) + 1 < messages.size(packet.size).packets {
            self.following.push(Packet { number: packet.number + 1, ..packet });
        }
        if packet.links == 1 {
            events.add(Event::Receipt { message: packet.transit.message }, all_there.get());
            return;
        }
        let head = match self.rules.switching {
            Switching::CutThrough => now + self.rules.unit + self.rules.latency,
            Switching::StoreAndForward => all_there,
        };
        let input = match self.incoming.as_slice() {
            [] => packet.transit.direction + 1,
            incoming => incoming[place],
        };
        let node = self.channels.next(&packet.transit);
        let transit = Transit { node, hops: packet.transit.hops - 1, ..packet.transit };
        let arrived = Packet { transit, links: packet.links - 1, input, ..packet };
        events.add(Event::Arrival(arrived), head.get());
    }
}

impl Turn {
    /// Passes the turn on to the next direction with a queue, when nothing is under way and none waits in the
    /// current one (`docs/model.md` section 13.4).
    fn pass_on(&mut self, now: Cycle) {
        if self.under_way > now {
            return;
        }
        let (current, directions) = (self.current.unwrap_or(0), self.queued.len());
        // From the current one on: it keeps the turn while it has packets.
        let order = (current..directions).chain(0..current);
        self.current = order.into_iter().find(|&direction| self.queued[direction] > 0).or(self.current);
    }
}

/// For each channel of a network the input by which packets come to its end: 1 + the place of its
/// begin among the neighbours of the end, which are in ascending order.
fn inputs_of_network(machine: &Machine) -> Vec<u32> {
    let directions: Vec<Direction> = machine.directions().collect();
    let mut inputs = vec![];
    for &direction in &directions {
        for node in machine.nodes() {
            inputs.push(machine.neighbour(node, direction).map_or(0, |end| {
                let neighbours = directions.iter().filter_map(|&back| machine.neighbour(end, back));
                let before = neighbours.filter(|&neighbour| neighbour < node).count();
                u32::try_from(before).unwrap_or(u32::MAX) + 1
            }));
        }
    }
    inputs
}
