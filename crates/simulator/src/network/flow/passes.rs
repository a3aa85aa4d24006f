//! What happens to the messages in flight in a cycle: passes over their lists.

use super::{Flow, Medium, Meeting, batch::Passing, word::Word};
use crate::{Cycle, network::Identities};

impl<W: Word> Flow<W> {
    /// The media of the batch that has arrived become free, or are to be given to the next in their queues.
    pub(super) fn release(&mut self) {
        let layout = self.layout;
        for (direction, (flight, track)) in self.batches.current.flights.iter().zip(&self.tracks).enumerate()
        {
            let row = self.meeting.row(direction);
            for &word in flight.moving.iter().chain(&flight.ending) {
                let position = layout.position(word);
                let place = track.base + position as usize;
                if self.contested.contains(place) {
                    self.picks.push(Medium { row, position });
                } else {
                    self.taken.remove(place);
                }
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

    /// The messages of a direction that took a medium in this cycle depart, but for those whose medium is
    /// contested: they are queued.
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
        let row = self.meeting.row(direction);
        while let Some(word) = self.blocked.pop() {
            self.picks.push(Medium { row, position: self.layout.position(word) });
            self.queue(direction, word, now, identities);
        }
    }

    /// A message waits for its medium.
    #[inline(never)]
    pub(super) fn queue(&mut self, direction: usize, word: W, now: Cycle, identities: &impl Identities) {
        let position = self.layout.position(word) as usize;
        let place = self.tracks[direction].base + position;
        self.contested.insert(place);
        let identity = |word| identities.identity(self.layout.message(word));
        self.queues.join(direction * self.nodes + position, word, now, identity);
    }

    /// Every contested medium that is idle goes to the first in its queue.
    pub(super) fn pick(&mut self, identities: &impl Identities) {
        let mut picks = std::mem::take(&mut self.picks);
        // Where transmissions end before the next cycle, those with more in their queues pick again in it.
        picks.retain(|&medium| self.serve(medium, identities) && !self.holds);
        self.picks = picks;
    }

    /// Gives an idle medium to the first in its queue; whether others wait besides.
    fn serve(&mut self, medium: Medium, identities: &impl Identities) -> bool {
        let Medium { row, position } = medium;
        let channel = |direction: u32| direction as usize * self.nodes + position as usize;
        let (direction, opposite) = match self.meeting {
            Meeting::SameWay => (row, row),
            Meeting::BothWays => {
                let identity = |word| identities.identity(self.layout.message(word));
                let (there, back) = (2 * row, 2 * row + 1);
                let forward = self.queues.comes_first(channel(there), channel(back), identity);
                if forward { (there, back) } else { (back, there) }
            }
        };
        if let Some(word) = self.queues.take_first(channel(direction)) {
            self.batches.current.flights[direction as usize].depart(word, self.two_links);
        }
        let others = [direction, opposite].into_iter().any(|one| !self.queues.is_empty(channel(one)));
        if !others {
            let place = channel(row);
            self.contested.remove(place);
            if !self.holds {
                self.taken.remove(place);
            }
        }
        others
    }
}
