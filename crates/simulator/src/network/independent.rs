//! Full-duplex and half-duplex links of a network: every channel, or link, goes its own way.

use cubefold_topology::LinkMode;

use super::{Channels, Identities, Transit, arbiter::Arbiter, media::Media};
use crate::Cycle;

/// The rule by which messages get their channels in modes 1 and 2 (`docs/model.md` section 5): an idle medium, which is
/// a channel or a link, transmits the first of its queue.
///
/// On grids [`Flow`](super::Flow) does the same much faster, by their dimensions.
#[derive(Debug)]
pub(crate) struct Independent {
    channels: Channels,
    medium: Medium,
    media: Media,
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
        Self { channels, medium, media: Media::new(places), idle: vec![] }
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
        if self.media.release(place) {
            self.idle.push(place);
        }
    }

    fn join(&mut self, transit: Transit, now: Cycle, identities: &impl Identities) {
        let place = self.place(&transit);
        if self.media.join(place, transit, now, identities) {
            self.idle.push(place);
        }
    }

    fn depart(&mut self, departures: &mut Vec<Transit>) {
        for place in self.idle.drain(..) {
            departures.extend(self.media.begin(place));
        }
        self.media.end_cycle();
    }

    fn longest_queue(&self) -> u32 {
        self.media.longest_queue()
    }
}
