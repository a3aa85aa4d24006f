//! What happens to the messages in flight in a cycle: passes over their lists, and the picks.

use super::{Flow, Meeting, batch::Passing, word::Word};
use crate::{Cycle, network::Identities};

/// So many queues are fetched from memory together.
const TOGETHER: usize = 32;

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

    /// Every idle medium that is waited for goes to the first in its queue.
    ///
    /// They have waited since an earlier cycle, and come before all who join in this one.
    pub(super) fn serve(&mut self) {
        for flight in &mut self.batches.current.flights {
            flight.joined = flight.moving.len();
        }
        let far = self.queues.are_far();
        for start in (0..self.picks.len()).step_by(TOGETHER) {
            let end = self.picks.len().min(start + TOGETHER);
            if far {
                self.queues.fetch(self.picks[start..end].iter().copied());
            }
            for at in start..end {
                let first = self.queues.take_first(self.picks[at]);
                self.depart_if_any(first);
            }
        }
    }

    /// The messages of a direction that arrived within their stretch go on, or are queued where the next
    /// medium is taken.
    pub(super) fn go_on(&mut self, direction: usize, now: Cycle, identities: &impl Identities) {
        let Self { layout, taken, blocked, .. } = self;
        let track = &self.tracks[direction];
        let flight = &mut self.batches.current.flights[direction];
        let place = |word: W| track.base + layout.position(word) as usize;
        let passing = match self.meeting {
            Meeting::SameWay => Passing::Departs { two_links: self.two_links },
            Meeting::BothWays => Passing::Claims,
        };
        if self.meeting == Meeting::SameWay && !self.holds {
            if taken.is_empty() {
                flight.go_on(track.step, passing, |_| true, blocked);
            } else {
                flight.go_on(track.step, passing, |word| !taken.contains(place(word)), blocked);
            }
        } else {
            flight.go_on(track.step, passing, |word| taken.insert(place(word)), blocked);
        }
        while let Some(word) = self.blocked.pop() {
            self.queue(direction, word, now, identities);
        }
    }

    /// The messages of a direction that took a medium in this cycle depart, but where it is contested: there
    /// the first of all who want it does.
    pub(super) fn set_out(&mut self, direction: usize, now: Cycle, identities: &impl Identities) {
        let Self { layout, taken, contested, blocked, holds, .. } = self;
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
        flight.set_out(first, self.two_links, departs, blocked);
        while let Some(word) = self.blocked.pop() {
            let place = self.place(direction, word);
            let identity = |word| identities.identity(self.layout.message(word));
            let first = self.queues.exchange(place, number(direction), word, now, identity);
            self.depart_if_any(first);
            self.picks.extend(self.queues.number(place));
        }
    }

    /// A message waits for its medium, which is taken.
    pub(super) fn queue(&mut self, direction: usize, word: W, now: Cycle, identities: &impl Identities) {
        let place = self.place(direction, word);
        self.contested.insert(place);
        let identity = |word| identities.identity(self.layout.message(word));
        self.queues.join(place, number(direction), word, now, identity);
    }

    /// The place of the medium that a message is to cross.
    fn place(&self, direction: usize, word: W) -> usize {
        self.tracks[direction].base + self.layout.position(word) as usize
    }

    fn depart_if_any(&mut self, first: Option<(u32, W)>) {
        if let Some((direction, word)) = first {
            self.batches.current.flights[direction as usize].depart(word, self.two_links);
        }
    }

    /// The media of the queues that were served are no longer contested where nobody waits any more. Where
    /// transmissions end before the next cycle, the others are to be served again in it.
    pub(super) fn close_queues(&mut self) {
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
