//! Single-direction links: the whole machine moves one way at a time.

use super::{Channels, Identities, Transit, arbiter::Arbiter, media::Media};
use crate::Cycle;

/// The rule by which messages get their channels in mode 3 (`docs/model.md` section 5).
///
/// Every message is queued. While nothing is in flight and the current direction has nothing queued, the
/// turn goes to the next direction that has, cyclically; it is remembered through idle times.
#[derive(Debug)]
pub(crate) struct SingleDirection {
    channels: Channels,
    media: Media,          // the channels
    idle: Vec<Vec<usize>>, // by direction, its idle channels with a queue
    queued: Vec<u64>,      // by direction, the messages in its queues
    turn: Option<usize>,   // the current direction; none before the first transmission
    in_flight: usize,      // transmissions under way
}

impl SingleDirection {
    pub(super) fn new(channels: &Channels) -> Self {
        let directions = channels.direction_count();
        Self {
            channels: channels.clone(),
            media: Media::new(channels.channel_places()),
            idle: vec![vec![]; directions],
            queued: vec![0; directions],
            turn: None,
            in_flight: 0,
        }
    }

    /// Passes the turn on where the rule says so.
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
}

impl Arbiter for SingleDirection {
    fn release(&mut self, transit: &Transit) {
        let channel = self.channels.channel(transit);
        self.in_flight -= 1;
        if self.media.release(channel) {
            self.idle[transit.direction as usize].push(channel);
        }
    }

    fn join(&mut self, transit: Transit, now: Cycle, identities: &impl Identities) {
        let (channel, direction) = (self.channels.channel(&transit), transit.direction as usize);
        if self.media.join(channel, transit, now, identities) {
            self.idle[direction].push(channel);
        }
        self.queued[direction] += 1;
    }

    fn depart(&mut self, departures: &mut Vec<Transit>) {
        if let Some(direction) = self.turn() {
            for channel in self.idle[direction].drain(..) {
                debug_assert_eq!(self.channels.direction_of_channel(channel), direction);
                departures.extend(self.media.begin(channel));
            }
            self.queued[direction] -= departures.len() as u64;
            self.in_flight += departures.len();
        }
        self.media.end_cycle();
    }

    fn longest_queue(&self) -> u32 {
        self.media.longest_queue()
    }
}
