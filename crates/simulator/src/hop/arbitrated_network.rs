//! Single-direction links of a grid, whose messages are looked at one by one.
//!
//! A message that needs a channel joins its queue; an arbiter grants idle channels to the first
//! messages of their queues. Invariant between cycles: a channel with a queue is busy or waits for
//! its direction's turn.

use std::collections::VecDeque;

use cubefold_topology::{Leg, Machine, NodeId};

use super::Network;
use crate::{
    Communication, Cycle, Cycles,
    channel_queue::ChannelQueues,
    channels::{Channels, Transit},
    message_queue::MessageKeys,
    routes::GridRoutes,
};

/// The links of mode 3.
#[derive(Debug)]
pub(super) struct ArbitratedNetwork {
    routes: GridRoutes,
    link_time: Cycles, // occupancy, head and receipt of a transmission
    channels: Channels,
    arbiter: SingleDirection,
    in_flight: InFlight,
    departures: Vec<Transit>,
    arrived: Vec<Transit>, // at the ends of their legs, in this cycle
}

impl ArbitratedNetwork {
    /// All links of `machine`, a grid, transmit in one direction at a time.
    pub(super) fn new(machine: &Machine, communication: Communication) -> Self {
        Self {
            routes: GridRoutes::new(machine, communication.tie()),
            link_time: communication.timing().uniform_time(),
            channels: Channels::new(machine),
            arbiter: SingleDirection::new(Channels::new(machine)),
            in_flight: InFlight::default(),
            departures: vec![],
            arrived: vec![],
        }
    }
}

impl Network for ArbitratedNetwork {
    type Leg = Leg;

    #[inline]
    fn begin(&mut self, from: NodeId, to: NodeId) -> (u64, Option<Leg>) {
        self.routes.begin(from, to)
    }

    #[inline]
    fn next_leg(&self, at: NodeId, to: NodeId) -> Option<Leg> {
        self.routes.next_leg(at, to)
    }

    fn next_end(&self) -> Option<Cycle> {
        self.in_flight.next_end()
    }

    /// All transmissions are released before any message continues, so that it finds the channel
    /// free that the message ahead of it leaves in the same cycle.
    fn arrive(&mut self, now: Cycle, keys: &impl MessageKeys) {
        let Some(batch) = self.in_flight.take_ended(now) else { return };
        for transit in &batch {
            self.arbiter.release(transit);
        }
        for transit in &batch {
            let at = Transit { node: self.channels.next(transit), hops: transit.hops - 1, ..*transit };
            if at.hops > 0 {
                self.arbiter.join(at, now, keys);
            } else {
                self.arrived.push(at);
            }
        }
        self.in_flight.recycle(batch);
    }

    fn take_arrived(&mut self) -> Option<(u32, NodeId)> {
        self.arrived.pop().map(|transit| (transit.message, NodeId::new(transit.node)))
    }

    fn join(&mut self, message: u32, node: NodeId, leg: Leg, now: Cycle, keys: &impl MessageKeys) {
        self.arbiter.join(Transit::new(message, node, leg), now, keys);
    }

    fn may_depart(&self) -> bool {
        self.arbiter.queued.iter().any(|&messages| messages > 0)
    }

    fn depart(&mut self, now: Cycle, keys: &impl MessageKeys) {
        self.arbiter.depart(&mut self.departures, keys);
        self.in_flight.add(now + self.link_time, &mut self.departures);
    }

    fn longest_queue(&self) -> u32 {
        self.arbiter.resources.queues.longest()
    }
}

/// The rule of mode 3 (`docs/model.md` section 5): all links transmit in one direction at a time.
///
/// Every message is queued. While nothing is in flight and no message is queued for the current
/// direction, the turn passes to the next direction with a queued message, cyclically; it is kept
/// through idle times.
#[derive(Debug)]
struct SingleDirection {
    channels: Channels,
    resources: LinkResources, // the channels
    idle: Vec<Vec<usize>>,    // by direction, its idle channels with a queue
    queued: Vec<u64>,         // by direction, the messages in its queues
    turn: Option<usize>,      // the current direction; none before the first transmission
    in_flight: usize,         // transmissions in progress
}

impl SingleDirection {
    fn new(channels: Channels) -> Self {
        let directions = channels.direction_count();
        Self {
            resources: LinkResources::new(channels.channel_places()),
            channels,
            idle: vec![vec![]; directions],
            queued: vec![0; directions],
            turn: None,
            in_flight: 0,
        }
    }

    /// Passes the turn on where the rule says so, and returns the direction that has it.
    fn turn(&mut self) -> Option<usize> {
        let directions = self.queued.len();
        let current = self.turn.unwrap_or(0);
        if self.in_flight == 0 {
            // From the current one on: it keeps the turn while it has messages.
            let order = (current..directions).chain(0..current);
            self.turn = order.into_iter().find(|&direction| self.queued[direction] > 0).or(self.turn);
        }
        self.turn
    }

    /// The transmission of `transit` from its node has ended.
    fn release(&mut self, transit: &Transit) {
        let channel = self.channels.channel(transit);
        self.in_flight -= 1;
        if self.resources.release(channel) {
            self.idle[transit.direction as usize].push(channel);
        }
    }

    /// `transit` needs its channel from `now` on.
    fn join(&mut self, transit: Transit, now: Cycle, keys: &impl MessageKeys) {
        let (channel, direction) = (self.channels.channel(&transit), transit.direction as usize);
        if self.resources.join(channel, transit, now, keys) {
            self.idle[direction].push(channel);
        }
        self.queued[direction] += 1;
    }

    /// Fills `departures`, empty before, with the messages whose transmission begins in this cycle.
    fn depart(&mut self, departures: &mut Vec<Transit>, keys: &impl MessageKeys) {
        if let Some(direction) = self.turn() {
            for channel in self.idle[direction].drain(..) {
                debug_assert_eq!(self.channels.direction_of_channel(channel), direction);
                departures.extend(self.resources.begin(channel, keys));
            }
            self.queued[direction] -= departures.len() as u64;
            self.in_flight += departures.len();
        }
        self.resources.queues.end_cycle();
    }
}

/// Channels by their places, each idle or busy, with their queues.
#[derive(Debug)]
struct LinkResources {
    queues: ChannelQueues<Transit>,
    busy: Vec<bool>, // by place
}

impl LinkResources {
    /// So many resources, idle and without queues.
    fn new(places: usize) -> Self {
        Self { queues: ChannelQueues::new(places), busy: vec![false; places] }
    }

    /// A transmission has ended; returns whether the resource has a queue.
    fn release(&mut self, place: usize) -> bool {
        self.busy[place] = false;
        self.queues.number(place).is_some()
    }

    /// A message needs the resource from `now` on; returns whether that is idle and had no queue.
    fn join(&mut self, place: usize, transit: Transit, now: Cycle, keys: &impl MessageKeys) -> bool {
        let first = self.queues.number(place).is_none() && !self.busy[place];
        self.queues.join(place, transit.direction, transit, now, |transit| keys.key(transit.message));
        first
    }

    /// Takes the first message of the queue, which occupies the resource from now on; none without
    /// a queue.
    fn begin(&mut self, place: usize, keys: &impl MessageKeys) -> Option<Transit> {
        let queue = self.queues.number(place)?;
        let (_, transit) = self.queues.take_first(queue, |transit| keys.key(transit.message))?;
        self.busy[place] = true;
        self.queues.close_if_empty(queue);
        Some(transit)
    }
}

/// The transmissions in progress, as batches that end together.
///
/// Every transmission takes equally long, so those that begin first end first: a first-in first-out
/// list replaces an event queue.
#[derive(Debug, Default)]
struct InFlight {
    batches: VecDeque<(Cycle, Vec<Transit>)>, // in ascending order of the cycle at which they end
    spare: Vec<Vec<Transit>>,                 // emptied batches, for use again
}

impl InFlight {
    /// The cycle at which the next transmissions end.
    fn next_end(&self) -> Option<Cycle> {
        self.batches.front().map(|(end, _)| *end)
    }

    /// Adds those that end at `end`, not before any added so far; `batch` is left empty.
    fn add(&mut self, end: Cycle, batch: &mut Vec<Transit>) {
        debug_assert!(self.batches.back().is_none_or(|(last, _)| *last < end), "batches end in order");
        if batch.is_empty() {
            return;
        }
        let emptied = self.spare.pop().unwrap_or_default();
        self.batches.push_back((end, std::mem::replace(batch, emptied)));
    }

    /// Takes those that end at `now`.
    fn take_ended(&mut self, now: Cycle) -> Option<Vec<Transit>> {
        self.batches.pop_front_if(|(end, _)| *end == now).map(|(_, batch)| batch)
    }

    /// Keeps the memory of a batch for use again.
    fn recycle(&mut self, mut batch: Vec<Transit>) {
        batch.clear();
        self.spare.push(batch);
    }
}
