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
                let position = layout.position(word) as usize;
                if self.contested.contains(track.base + position) {
                    self.picks.push(Medium { row, position });
                } else {
                    self.taken.remove(track.base + position);
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
            self.picks.push(Medium { row, position: self.layout.position(word) as usize });
            self.queue(direction, word, now, identities);
        }
    }

    /// A message waits for its medium.
    #[cold]
    pub(super) fn queue(&mut self, direction: usize, word: W, now: Cycle, identities: &impl Identities) {
        let position = self.layout.position(word) as usize;
        let place = self.tracks[direction].base + position;
        if !self.contested.contains(place) {
            self.contested.insert(place);
        }
        let message = self.layout.message(word);
        self.queues.join(direction * self.nodes + position, message, word, now, identities);
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
        let (direction, others) = self.first(medium, identities);
        if let Some(word) = self.queues.take_first(direction * self.nodes + medium.position) {
            self.batches.current.flights[direction].depart(word, self.two_links);
        }
        if !others {
            let place = medium.row * self.nodes + medium.position;
            self.contested.remove(place);
            if !self.holds {
                self.taken.remove(place);
            }
        }
        others
    }

    /// The direction of the message that goes next over a medium, and whether others wait besides.
    fn first(&self, medium: Medium, identities: &impl Identities) -> (usize, bool) {
        let Medium { row, position } = medium;
        let channel = |direction: usize| direction * self.nodes + position;
        let length = |direction| self.queues.length(channel(direction));
        if self.meeting == Meeting::SameWay {
            return (row, length(row) > 1);
        }
        let (there, back) = (2 * row, 2 * row + 1);
        let key = |direction| self.queues.first_key(channel(direction), identities);
        let first = match (key(there), key(back)) {
            (Some(positive), Some(negative)) if negative < positive => back,
            (None, _) => back,
            (Some(_), _) => there,
        };
        (first, length(there) + length(back) > 1)
    }
}
