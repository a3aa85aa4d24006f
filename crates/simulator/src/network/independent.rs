//! Full-duplex and half-duplex links of a network: every channel, or link, goes its own way.

use cubefold_topology::LinkMode;

use super::{Channels, Identities, Transit, arbiter::Arbiter, queues::Queues};
use crate::Cycle;

/// The rule by which messages get their channels in modes 1 and 2 (`docs/model.md` section 5): an idle medium, which is
/// a channel or a link, transmits the first of its queue.
///
/// On grids [`Flow`](super::Flow) does the same much faster, by their dimensions.
#[derive(Debug)]
pub(crate) struct Independent {
    channels: Channels,
    medium: Medium,
    queues: Queues<Transit>,
    busy: Vec<bool>,  // by medium
    idle: Vec<usize>, // the idle media with a queue
}

/// What a transmission occupies.
#[derive(Debug, Clone, Copy)]
enum Medium {
    Channel,
    Link,
}

impl Independent {
    /// Nothing queued.
    ///
    /// # Panics
    ///
    /// When the links are single-direction.
    pub(super) fn new(channels: Channels, links: LinkMode) -> Self {
        let (medium, places) = match links {
            LinkMode::FullDuplex => (Medium::Channel, channels.channel_places()),
            LinkMode::HalfDuplex => (Medium::Link, channels.link_places()),
            LinkMode::SingleDirection => panic!("single-direction links have no media of their own"),
        };
        Self { channels, medium, queues: Queues::new(places), busy: vec![false; places], idle: vec![] }
    }

    fn place(&self, transit: &Transit) -> usize {
        match self.medium {
            Medium::Channel => self.channels.channel(transit),
            Medium::Link => self.channels.link(transit),
        }
    }
}

impl Arbiter for Independent {
    fn release(&mut self, transit: &Transit) {
        let place = self.place(transit);
        self.busy[place] = false;
        if self.queues.number(place).is_some() {
            self.idle.push(place);
        }
    }

    fn join(&mut self, transit: Transit, now: Cycle, identities: &impl Identities) {
        let place = self.place(&transit);
        if self.queues.number(place).is_none() && !self.busy[place] {
            self.idle.push(place);
        }
        let identity = |transit: Transit| identities.identity(transit.message);
        self.queues.join(place, transit.direction, transit, now, identity);
    }

    fn depart(&mut self, departures: &mut Vec<Transit>) {
        for place in self.idle.drain(..) {
            let Some(queue) = self.queues.number(place) else { continue };
            if let Some((_, transit)) = self.queues.take_first(queue) {
                self.busy[place] = true;
                departures.push(transit);
            }
            self.queues.close_if_empty(queue);
        }
        self.queues.end_cycle();
    }

    fn longest_queue(&self) -> u32 {
        self.queues.longest()
    }
}
