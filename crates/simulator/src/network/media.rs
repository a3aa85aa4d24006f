//! What transmissions occupy, with those who wait for it, where messages are looked at one by one.

use super::{Identities, Transit, queues::Queues};
use crate::Cycle;

/// Channels or links by their places.
#[derive(Debug)]
pub(super) struct Media {
    queues: Queues<Transit>,
    busy: Vec<bool>, // by medium
}

impl Media {
    /// So many media, idle and with nobody waiting.
    pub(super) fn new(places: usize) -> Self {
        Self { queues: Queues::new(places), busy: vec![false; places] }
    }

    /// A transmission has ended; returns whether somebody waits for the medium.
    pub(super) fn release(&mut self, place: usize) -> bool {
        self.busy[place] = false;
        self.queues.number(place).is_some()
    }

    /// A message wants the medium from `now` on; returns whether it is idle and this is the first who does.
    pub(super) fn join(
        &mut self,
        place: usize,
        transit: Transit,
        now: Cycle,
        identities: &impl Identities,
    ) -> bool {
        let first = self.queues.number(place).is_none() && !self.busy[place];
        let identity = |transit: Transit| identities.identity(transit.message);
        self.queues.join(place, transit.direction, transit, now, identity);
        first
    }

    /// The first who waits for the medium, which is busy from now on; none where nobody does.
    pub(super) fn begin(&mut self, place: usize) -> Option<Transit> {
        let queue = self.queues.number(place)?;
        let (_, transit) = self.queues.take_first(queue)?;
        self.busy[place] = true;
        self.queues.close_if_empty(queue);
        Some(transit)
    }

    /// Ends a cycle, in which all has joined and begun.
    pub(super) fn end_cycle(&mut self) {
        self.queues.end_cycle();
    }

    /// The most messages left in one channel's queue after the picks of any cycle so far.
    pub(super) fn longest_queue(&self) -> u32 {
        self.queues.longest()
    }
}
