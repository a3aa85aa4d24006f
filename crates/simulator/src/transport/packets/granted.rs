//! Channels that are granted cycle by cycle: those that serve their inputs in turn, and single-direction links.
//!
//! A cycle visits the channels that have become idle, or are idle and were joined. Invariant between cycles: a
//! channel with a queue is busy, and an event says when it becomes idle; under single-direction it may also wait for
//! the turn of its direction.

use cubefold_topology::{GraphSource, LinkMode, Machine, Network, NodeId, narrow};

use super::{Event, EventKind, channel_table::ChannelTable, crossing::Crossing};
use crate::{
    Communication, Cycle, ServiceOrder, channels::Transit, engine::MessageTable,
    observe::transmissions::TransmissionLog, slab::Slab, time_wheel::TimeWheel, transport::Packet,
};

/// The channels and their queues.
#[derive(Debug)]
pub(super) struct GrantedNetwork {
    pub(super) crossing: Crossing,
    incoming: Vec<u32>, // of a network that serves inputs in turn: by channel, the input of its end that it leads to
    table: ChannelTable,
    idle: Vec<Transit>, // one for each idle resource with a queue that may be granted in this cycle
    following: Vec<Packet>,
    turn: Option<Turn>, // under single-direction
    pub(super) log: TransmissionLog,
}

/// The direction in which all links transmit.
#[derive(Debug)]
struct Turn {
    current: Option<usize>,  // none before the first transmission
    queued: Vec<u64>,        // by direction, the packets in its queues
    idle: Vec<Vec<Transit>>, // by direction, one for each of its idle channels with a queue
    under_way: Cycle,        // the cycle from which nothing is
}

impl GrantedNetwork {
    /// The idle channels of a slab of a machine.
    pub(super) fn new(machine: &Machine, communication: Communication, slab: &Slab) -> Self {
        let crossing = Crossing::new(machine, communication, slab);
        let (places, directions) = (crossing.channels.channel_places(), crossing.channels.direction_count());
        let turn = (communication.links() == LinkMode::SingleDirection).then(|| Turn::new(directions));
        let takes_turns = communication.service() == ServiceOrder::RoundRobin;
        let network = machine.graph().filter(|_| takes_turns);
        let incoming = network.map_or_else(Vec::new, |network| inputs_of_network(machine, network));
        let inputs = match (takes_turns, incoming.iter().max()) {
            (false, _) => 1,
            (true, None) => directions + 1,
            (true, Some(&last)) => last as usize + 1,
        };
        Self {
            table: ChannelTable::new(places, inputs),
            incoming,
            crossing,
            idle: vec![],
            following: vec![],
            turn,
            log: TransmissionLog::default(),
        }
    }

    /// Resets to idle channels with empty queues.
    pub(super) fn reset(&mut self) {
        self.table.reset();
        self.idle.clear();
        self.following.clear();
        if let Some(turn) = &mut self.turn {
            *turn = Turn::new(turn.queued.len());
        }
    }

    /// A packet at the end of the channel that it has crossed.
    pub(super) fn cross(&self, packet: &Packet) -> Packet {
        let next = self.crossing.cross(packet);
        match self.incoming.as_slice() {
            [] => next,
            incoming => Packet { input: incoming[self.crossing.channels.channel(&packet.transit)], ..next },
        }
    }

    /// Bytes for `channels` channels of a machine with `directions` directions, and `packets` packets under way.
    pub(super) fn bytes(channels: u64, directions: u64, packets: u64) -> u64 {
        ChannelTable::bytes(channels, directions + 1, packets)
    }

    /// The most packets left in one channel's queue at the end of any cycle so far.
    pub(super) fn longest_queue(&self) -> u32 {
        self.table.longest
    }

    /// A packet needs the next channel of its leg from `now` on.
    #[inline]
    pub(super) fn join(
        &mut self,
        packet: &Packet,
        now: Cycle,
        messages: &MessageTable,
        events: &mut TimeWheel<Event>,
    ) {
        let place = self.crossing.channels.channel(&packet.transit);
        if self.table.join(place, packet, now, messages) {
            let idle_from = self.table.idle_from(place);
            if idle_from <= now {
                self.add_idle(packet.transit);
            } else {
                events.add(Event::of(*packet, EventKind::Idle), idle_from.get());
            }
        }
        if let Some(turn) = &mut self.turn {
            turn.queued[packet.direction() as usize] += 1;
        }
    }

    /// The channel of a transit is idle, and has a queue.
    #[inline]
    pub(super) fn add_idle(&mut self, transit: Transit) {
        match &mut self.turn {
            None => self.idle.push(transit),
            Some(turn) => turn.idle[transit.direction as usize].push(transit),
        }
    }

    /// Ends a cycle: idle channels are granted, the successors of departed packets join, and queues are
    /// measured.
    pub(super) fn end_cycle(&mut self, now: Cycle, messages: &MessageTable, events: &mut TimeWheel<Event>) {
        if let Some(turn) = &mut self.turn {
            turn.pass_on(now);
            if let Some(direction) = turn.current {
                std::mem::swap(&mut self.idle, &mut turn.idle[direction]);
            }
        }
        let mut idle = std::mem::take(&mut self.idle);
        for transit in idle.drain(..) {
            self.grant(&transit, now, messages, events);
        }
        self.idle = idle;
        let mut following = std::mem::take(&mut self.following);
        for packet in following.drain(..) {
            self.join(&packet, now, messages, events);
        }
        self.following = following;
        self.table.end_cycle();
    }

    /// Grants an idle channel to the packet that is next.
    fn grant(
        &mut self,
        transit: &Transit,
        now: Cycle,
        messages: &MessageTable,
        events: &mut TimeWheel<Event>,
    ) {
        let place = self.crossing.channels.channel(transit);
        let occupancy = |packet: &Packet| self.crossing.occupancy(packet, messages);
        let Some((packet, occupancy, joined)) = self.table.begin(place, now, occupancy) else { return };
        if self.table.has_queue(place) {
            events.add(Event::of(Packet::none_at(*transit), EventKind::Idle), (now + occupancy).get());
        }
        if let Some(turn) = &mut self.turn {
            let all_there = self.crossing.all_there(&packet, now, occupancy);
            turn.queued[packet.direction() as usize] -= 1;
            if all_there > turn.under_way {
                turn.under_way = all_there;
                events.add(Event::of(Packet::NONE, EventKind::Still), all_there.get());
            }
        }
        if self.log.keeps() {
            let ends = self.crossing.ends(&packet);
            let key = (messages.record(packet.message()), packet.number);
            self.log.add(key, ends, [joined, now, now + occupancy]);
        }
        self.following.extend(packet.following(messages));
        let (kind, cycle) = self.crossing.depart(&packet, now, occupancy);
        events.add(Event::of(packet, kind), cycle.get());
    }
}

impl Turn {
    /// No direction has transmitted yet.
    fn new(directions: usize) -> Self {
        Self {
            current: None,
            queued: vec![0; directions],
            idle: vec![vec![]; directions],
            under_way: Cycle::START,
        }
    }

    /// Passes the turn to the next direction with a queue, if nothing is under way and no packet waits in the
    /// current one (`docs/model.md` section 13.4).
    fn pass_on(&mut self, now: Cycle) {
        if self.under_way > now {
            return;
        }
        let (current, directions) = (self.current.unwrap_or(0), self.queued.len());
        // Starting with the current one: it keeps the turn while it has packets.
        let order = (current..directions).chain(0..current);
        self.current = order.into_iter().find(|&direction| self.queued[direction] > 0).or(self.current);
    }
}

/// For each channel of a network the input at its end: 1 + the port of the reverse channel; of a grid,
/// 1 + its direction.
fn inputs_of_network(machine: &Machine, network: &Network) -> Vec<u32> {
    let grid = machine.coordinate_grid().filter(|_| machine.source() == Some(&GraphSource::Grid));
    let input = |node: NodeId, port: usize| {
        let end = network.neighbours(node)[port];
        let place = match grid {
            None if network.is_directed() => network.before(end).position(|neighbour| neighbour.1 == node),
            Some(grid) => {
                grid.directions().position(|direction| grid.neighbour(node, direction) == Some(end))
            }
            None => {
                network.opposite_channel(node, port).checked_sub(network.first_channel(end.index()) as usize)
            }
        };
        narrow(place.unwrap_or(0) as u64) + 1
    };
    let of_node = |node: NodeId| (0..network.neighbours(node).len()).map(move |port| input(node, port));
    machine.nodes().flat_map(of_node).collect()
}
