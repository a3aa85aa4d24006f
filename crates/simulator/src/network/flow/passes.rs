//! What happens to the messages in flight in a cycle: passes over their lists, and the picks.

use super::{
    Meeting, Rules,
    bundle::{Bundle, Passage},
    word::Word,
};
use crate::network::Identities;

impl<W: Word> Bundle<W> {
    /// The media of the batch that has arrived become free, or are to be given to the next in their queues.
    pub(super) fn release(&mut self, rules: &Rules<W>) {
        let layout = rules.layout;
        let bases = [0, 1].map(|sign| self.base(sign));
        let Self { batches, taken, contested, queues, picks, .. } = self;
        for (flight, base) in batches.current.flights.iter().zip(bases) {
            let words = flight.moving.iter().chain(&flight.ending);
            let places = words.map(|&word| base.wrapping_add(layout.position(word) as usize));
            if queues.count() == 0 {
                places.for_each(|place| taken.remove(place));
                continue;
            }
            for place in places {
                if contested.contains(place) {
                    picks.push(place);
                } else {
                    taken.remove(place);
                }
            }
        }
    }

    /// Every idle medium that is waited for goes to the first in its queue.
    ///
    /// They have waited since an earlier cycle, and come before all who join in this one.
    pub(super) fn serve(&mut self, rules: &Rules<W>) {
        for flight in &mut self.batches.current.flights {
            flight.joined = flight.moving.len();
        }
        if rules.holds {
            for at in 0..self.picks.len() {
                if let Some(queue) = self.queues.number(self.picks[at]) {
                    self.serve_first(queue, rules);
                }
            }
        } else {
            for queue in 0..self.standing {
                self.serve_first(queue, rules);
            }
        }
    }

    /// The first in a queue departs, if anybody is left in it.
    fn serve_first(&mut self, queue: u32, rules: &Rules<W>) {
        if let Some((sign, word)) = self.queues.take_first(queue) {
            self.batches.current.flights[sign as usize].depart(word, rules.two_links);
        }
    }

    /// The messages of a direction that arrived within their stretch go on, or are queued where the next
    /// medium is taken.
    pub(super) fn go_on<I: Identities>(&mut self, sign: usize, passage: &Passage<'_, W, I>) {
        let &Rules { meeting, holds, layout, two_links, steps, .. } = passage.rules;
        let (base, step) = (self.base(sign), steps[sign]);
        let nobody_waits = self.queues.count() == 0;
        let Self { taken, blocked, .. } = self;
        let flight = &mut self.batches.current.flights[sign];
        let place = |word: W| base.wrapping_add(layout.position(word) as usize);
        match meeting {
            Meeting::SameWay if !holds && nobody_waits && flight.joined == flight.through => {
                flight.fly(step, two_links, |_| true, blocked);
            }
            Meeting::SameWay if !holds => {
                flight.fly(step, two_links, |word| !taken.contains(place(word)), blocked);
            }
            Meeting::SameWay => flight.go_on(step, two_links, |word| taken.insert(place(word)), blocked),
            Meeting::BothWays => {
                // It may have to share: whether it departs is told when all have come.
                flight.go_on(step, W::placed(0, 0), |word| taken.insert(place(word)), blocked);
            }
        }
        while let Some(word) = self.blocked.pop() {
            self.queue(sign, word, passage);
        }
    }

    /// The messages of a direction that took a medium in this cycle depart, but where it is contested: there
    /// the first of all who want it does.
    pub(super) fn set_out<I: Identities>(&mut self, sign: usize, passage: &Passage<'_, W, I>) {
        let Passage { rules, now, identities, .. } = passage;
        let base = self.base(sign);
        let Self { taken, contested, blocked, .. } = self;
        let flight = &mut self.batches.current.flights[sign];
        let first = match rules.meeting {
            Meeting::SameWay => flight.through,
            Meeting::BothWays => 0,
        };
        let departs = |word: W| {
            let place = base.wrapping_add(rules.layout.position(word) as usize);
            let alone = !contested.contains(place);
            if alone && !rules.holds {
                taken.remove(place);
            }
            alone
        };
        flight.set_out(first, rules.two_links, departs, blocked);
        while let Some(word) = self.blocked.pop() {
            let place = self.place(sign, word, rules);
            let identity = |word| identities.identity(rules.layout.message(word));
            if let Some((sign, word)) = self.queues.exchange(place, number(sign), word, *now, identity) {
                self.batches.current.flights[sign as usize].depart(word, rules.two_links);
            }
            if rules.holds {
                self.picks.push(place);
            }
        }
    }

    /// A message waits for its medium, which is taken.
    pub(super) fn queue<I: Identities>(&mut self, sign: usize, word: W, passage: &Passage<'_, W, I>) {
        let Passage { rules, now, identities, .. } = passage;
        let place = self.place(sign, word, rules);
        self.contested.insert(place);
        let identity = |word| identities.identity(rules.layout.message(word));
        self.queues.join(place, number(sign), word, *now, identity);
    }

    /// The media whose queues may be empty now are no longer contested where they are.
    pub(super) fn close_queues(&mut self, rules: &Rules<W>) {
        let Self { queues, taken, contested, picks, .. } = self;
        if rules.holds {
            for place in picks.drain(..) {
                if queues.number(place).and_then(|queue| queues.close_if_empty(queue)).is_some() {
                    contested.remove(place);
                }
            }
        } else {
            // From the last on: one that gets the number of another has been looked at.
            for queue in (0..queues.count()).rev() {
                if let Some(place) = queues.close_if_empty(queue) {
                    contested.remove(place);
                    taken.remove(place);
                }
            }
        }
        self.standing = if rules.holds { 0 } else { queues.count() };
    }
}

/// The number of a sign, 0 or 1.
fn number(sign: usize) -> u32 {
    u32::try_from(sign).unwrap_or(u32::MAX)
}
