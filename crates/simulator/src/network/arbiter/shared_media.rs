//! Full-duplex links: each channel goes its own way.

use super::Arbiter;
use crate::{
    Cycle,
    network::{Channels, Identities, Transit, queues::Queues},
};

/// The arbiter of modes 1 and 2.
///
/// A medium that nobody waits for is claimed by the first message that joins it in a cycle, which departs
/// without ever being queued. A message with a smaller key that joins in the same cycle takes the claim
/// over, and whoever loses is queued. So free flight costs one look at one word.
#[derive(Debug)]
pub(crate) struct SharedMedia {
    channels: Channels,
    claims: Vec<u32>, // for each medium a claim, below
    queues: Queues<Transit>,
    queued: u64,           // the messages in all queues
    granted: Vec<Transit>, // the departures of this cycle so far
    base: u32,             // the claim of the first departure of this cycle
    freed: Vec<usize>,     // media that became idle in this cycle and are waited for
}

// A claim is one of these two, or says which departure has the medium: those of this cycle are numbered
// from `base` on, so that a claim of this cycle leads to its message, and older ones only say "busy".
const FREE: u32 = 0;
const BUSY: u32 = 1;
const FIRST_BASE: u32 = 2;
/// Set beside a claim while messages are queued for the medium.
const QUEUED: u32 = 1 << 31;

impl SharedMedia {
    pub(crate) fn new(channels: &Channels) -> Self {
        Self {
            channels: channels.clone(),
            claims: vec![FREE; channels.channel_places()],
            queues: Queues::new(channels.channel_places()),
            queued: 0,
            granted: vec![],
            base: FIRST_BASE,
            freed: vec![],
        }
    }

    /// The claim that a message gets which departs next.
    fn next_claim(&self) -> u32 {
        // Departures of a cycle are fewer than 2^30 and the base is below 2^30: see `renumber`.
        self.base + u32::try_from(self.granted.len()).unwrap_or(BUSY)
    }

    /// `transit` finds the medium claimed: by this cycle's first comer, by a transmission, or by a queue.
    #[cold]
    #[inline(never)]
    fn contend(&mut self, medium: usize, transit: Transit, now: Cycle, identities: &impl Identities) {
        let mut loser = transit;
        let holder = self.claims[medium] & !QUEUED;
        if let Some(departure) = holder.checked_sub(self.base) {
            let incumbent = &mut self.granted[departure as usize];
            if identities.identity(transit.message) < identities.identity(incumbent.message) {
                loser = std::mem::replace(incumbent, transit);
            }
        }
        let channel = self.channels.channel(&loser);
        self.queues
            .join(channel, loser.direction, loser, now, |transit| identities.identity(transit.message));
        self.queued += 1;
        self.claims[medium] |= QUEUED;
    }

    /// Grants the media that became idle to the first in their queues.
    fn serve_queues(&mut self) {
        let mut freed = std::mem::take(&mut self.freed);
        for medium in freed.drain(..) {
            let Some(queue) = self.queues.number(medium) else { continue };
            if let Some((_, transit)) = self.queues.take_first(queue) {
                let others = self.queues.close_if_empty(queue).is_none();
                self.claims[medium] = self.next_claim() | if others { QUEUED } else { 0 };
                self.granted.push(transit);
                self.queued -= 1;
            }
        }
        self.freed = freed;
    }

    /// Moves the base past this cycle's claims; once in about a thousand million departures all are
    /// numbered afresh, the old ones saying no more than that the medium is busy.
    fn renumber(&mut self) {
        self.base = self.next_claim();
        if self.base >= 1 << 30 {
            for claim in &mut self.claims {
                let queued = *claim & QUEUED;
                *claim = queued | if *claim & !QUEUED == FREE { FREE } else { BUSY };
            }
            self.base = FIRST_BASE;
        }
    }
}

impl Arbiter for SharedMedia {
    #[inline]
    fn release(&mut self, transit: &Transit) {
        let medium = self.channels.channel(transit);
        let claim = &mut self.claims[medium];
        *claim &= QUEUED;
        if *claim == QUEUED {
            self.freed.push(medium);
        }
    }

    #[inline]
    fn join(&mut self, transit: Transit, now: Cycle, identities: &impl Identities) {
        let medium = self.channels.channel(&transit);
        if self.claims[medium] == FREE {
            self.claims[medium] = self.next_claim();
            self.granted.push(transit);
        } else {
            self.contend(medium, transit, now, identities);
        }
    }

    fn depart(&mut self, _: &impl Identities, departures: &mut Vec<Transit>) {
        self.serve_queues();
        self.queues.end_cycle();
        self.renumber();
        std::mem::swap(&mut self.granted, departures);
    }

    fn queued(&self) -> u64 {
        self.queued
    }
}
