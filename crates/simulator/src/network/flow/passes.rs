//! What happens to the messages in flight in a cycle: passes over their lists, and the picks.

use super::{Flow, Meeting, batch::Passing, word::Word};
use crate::{Cycle, network::Identities};

impl<W: Word> Flow<W> {
    /// The media of the batch that has arrived become free, or are to be given to the next in their queues.
    pub(super) fn release(&mut self) {
        let layout = self.layout;
        for (flight, track) in self.batches.current.flights.iter().zip(&self.tracks) {
            for &word in flight.moving.iter().chain(&flight.ending) {
                let place = track.base + layout.position(word) as usize;
                if self.contested.contains(place) {
                    self.picks.extend(self.queues.number(place));
                } else {
                    self.taken.remove(place);
                }
            }
        }
    }

    /// The messages of a direction that arrived within their stretch go on, or are blocked where the next
    /// medium is taken.
    pub(super) fn go_on(&mut self, direction: usize) {
        let Self { layout, taken, contested, blocked, .. } = self;
        let track = &self.tracks[direction];
        let flight = &mut self.batches.current.flights[direction];
        let place = |word: W| track.base + layout.position(word) as usize;
        let passing = match self.meeting {
            Meeting::SameWay => Passing::Departs { two_links: self.two_links },
            Meeting::BothWays => Passing::Claims,
        };
        let block = |word: W| {
            contested.insert(place(word));
            blocked.push((direction, word));
        };
        if self.meeting == Meeting::SameWay && !self.holds {
            if taken.is_empty() {
                flight.go_on(track.step, passing, |_| true, block);
            } else {
                flight.go_on(track.step, passing, |word| !taken.contains(place(word)), block);
            }
        } else {
            flight.go_on(track.step, passing, |word| taken.insert(place(word)), block);
        }
    }

    /// The messages of a direction that took a medium in this cycle depart, but for those whose medium is
    /// contested.
    pub(super) fn set_out(&mut self, direction: usize) {
        let Self { layout, taken, contested, claimed, holds, .. } = self;
        let base = self.tracks[direction].base;
        let flight = &mut self.batches.current.flights[direction];
        let first = match self.meeting {
            Meeting::SameWay => flight.through,
            Meeting::BothWays => 0,
        };
        let departs = |word: W| {
            let place = base + layout.position(word) as usize;
            let alone = !contested.contains(place);
            if alone && !*holds {
                taken.remove(place);
            }
            alone
        };
        flight.set_out(first, self.two_links, departs, |word| claimed.push((direction, word)));
    }

    /// Every contested medium that is idle goes to the first of those who want it.
    ///
    /// Whoever waits since an earlier cycle comes before all who join in this one, and is served before
    /// they are queued.
    pub(super) fn arbitrate(&mut self, now: Cycle, identities: &impl Identities) {
        for at in 0..self.picks.len() {
            let first = self.queues.take_first(self.picks[at]);
            self.depart_if_any(first);
        }
        while let Some((direction, word)) = self.blocked.pop() {
            let (place, direction) = (self.place(direction, word), number(direction));
            let identity = |word| identities.identity(self.layout.message(word));
            self.queues.join(place, direction, word, now, identity);
        }
        while let Some((direction, word)) = self.claimed.pop() {
            // Whoever contests a claim is queued by now.
            let Some(queue) = self.queues.number(self.place(direction, word)) else { continue };
            let identity = |word| identities.identity(self.layout.message(word));
            let winner = self.queues.exchange(queue, number(direction), word, now, identity);
            self.depart_if_any(winner);
            self.picks.push(queue);
        }
        self.queues.end_cycle();
        self.close_queues();
    }

    /// The place of the medium that a message is to cross.
    fn place(&self, direction: usize, word: W) -> usize {
        self.tracks[direction].base + self.layout.position(word) as usize
    }

    fn depart_if_any(&mut self, winner: Option<(u32, W)>) {
        if let Some((direction, word)) = winner {
            self.batches.current.flights[direction as usize].depart(word, self.two_links);
        }
    }

    /// The media of the queues that were served are no longer contested where nobody waits any more. Where
    /// transmissions end before the next cycle, the others are to be served again in it.
    fn close_queues(&mut self) {
        let Self { queues, taken, contested, holds, .. } = self;
        self.picks.retain(|&queue| {
            if let Some(place) = queues.close_if_empty(queue) {
                contested.remove(place);
                if !*holds {
                    taken.remove(place);
                }
                return false;
            }
            !*holds
        });
    }
}

/// The number of a direction, of which there are at most 64.
fn number(direction: usize) -> u32 {
    u32::try_from(direction).unwrap_or(u32::MAX)
}
