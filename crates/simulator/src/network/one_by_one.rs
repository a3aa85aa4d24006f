//! Messages that join, depart and arrive one by one, by the word of an arbiter.

use cubefold_topology::{Leg, Machine, NodeId};

use super::{
    Channels, Identities, Independent, Network, SingleDirection, Transit, arbiter::Arbiter,
    in_flight::InFlight,
};
use crate::{Communication, Cycle, Cycles};

/// The links of mode 3, and those of machines without dimensions in modes 1 and 2.
#[derive(Debug)]
pub(crate) struct OneByOne<A> {
    hop: Cycles,
    channels: Channels,
    arbiter: A,
    in_flight: InFlight,
    departures: Vec<Transit>,
    arrived: Vec<Transit>, // at the ends of their legs, in this cycle
}

impl OneByOne<SingleDirection> {
    /// The whole machine takes turns; links are crossed in `hop`.
    pub(crate) fn in_turns(machine: &Machine, hop: Cycles) -> Self {
        let channels = Channels::new(machine);
        Self::new(SingleDirection::new(&channels), channels, hop)
    }
}

impl OneByOne<Independent> {
    /// Every channel, or link, of `machine` goes its own way.
    ///
    /// # Panics
    ///
    /// When the links are single-direction.
    pub(crate) fn independent(machine: &Machine, communication: Communication) -> Self {
        let channels = Channels::new(machine);
        Self::new(Independent::new(channels.clone(), communication.links()), channels, communication.hop())
    }
}

impl<A> OneByOne<A> {
    fn new(arbiter: A, channels: Channels, hop: Cycles) -> Self {
        Self { hop, arbiter, channels, in_flight: InFlight::default(), departures: vec![], arrived: vec![] }
    }
}

impl<A: Arbiter> Network for OneByOne<A> {
    fn next_end(&self) -> Option<Cycle> {
        self.in_flight.next_end()
    }

    /// All transmissions are released before any message goes on, so that it finds the channel free that
    /// the one ahead of it leaves in the same cycle.
    fn arrive(&mut self, now: Cycle, identities: &impl Identities) {
        let Some(batch) = self.in_flight.take_ended(now) else { return };
        for transit in &batch {
            self.arbiter.release(transit);
        }
        for transit in &batch {
            let at = Transit { node: self.channels.next(transit), hops: transit.hops - 1, ..*transit };
            if at.hops > 0 {
                self.arbiter.join(at, now, identities);
            } else {
                self.arrived.push(at);
            }
        }
        self.in_flight.recycle(batch);
    }

    fn take_arrived(&mut self) -> Option<(u32, NodeId)> {
        self.arrived.pop().map(|transit| (transit.message, NodeId::new(transit.node)))
    }

    fn join(&mut self, message: u32, node: NodeId, leg: Leg, now: Cycle, identities: &impl Identities) {
        self.arbiter.join(Channels::transit(message, node, leg), now, identities);
    }

    fn depart(&mut self, now: Cycle, _: &impl Identities) {
        self.arbiter.depart(&mut self.departures);
        self.in_flight.add(now + self.hop, &mut self.departures);
    }

    fn longest_queue(&self) -> u32 {
        self.arbiter.longest_queue()
    }
}
