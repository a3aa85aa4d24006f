//! Where messages meet: joining a channel, waiting for it, and being picked.
//!
//! Two messages of one direction meet only where one of them joins a channel, since through traffic comes to
//! a channel over one other channel and so never meets itself. So a message that joins looks for what is on
//! the belt around it, and there only. While somebody waits at a channel, or will come to it while it is busy,
//! the channel has a queue; whenever it is idle it takes off the belt what has arrived meanwhile, and
//! transmits the first of all. A message that is put on the belt again is right behind the one that held it up.

use super::{
    contended::Queue,
    engine::Engine,
    layout::{Ahead, Stop},
    process::State,
};

/// What a message that joins a channel finds there.
enum Found {
    /// Nobody: it goes on.
    Nobody,
    /// A message that arrives in this cycle and goes on, too.
    Arriving(u32),
    /// A message that is being transmitted until the cycle given.
    Transmitted(u64),
}

/// How a message on the belt passes a channel that its leg crosses.
struct Passage {
    process: u32,
    /// The links from the channel to the end of the leg, at least 1.
    hops: u32,
    /// The end of the leg if nothing stops the message.
    end: u64,
    /// When a message that sets out from the channel now would come to that end.
    reach: u64,
}

impl Passage {
    /// Whether it arrives in this cycle.
    fn is_now(&self, _: u64) -> bool {
        self.end == self.reach
    }

    /// Whether it is being transmitted: it arrived before, but less than a hop before.
    fn is_under_way(&self, hop: u64) -> bool {
        self.end < self.reach && self.end + hop > self.reach
    }

    /// Whether it arrives less than a hop after this cycle.
    fn is_close_behind(&self, hop: u64) -> bool {
        self.end > self.reach && self.end < self.reach + hop
    }

    /// Whether it has arrived, less than a hop ago.
    fn has_arrived(&self, hop: u64) -> bool {
        self.end <= self.reach && self.end + hop > self.reach
    }
}

impl Engine<'_> {
    /// The message for `process` wants to cross the channel that leads on from `stop`.
    #[inline]
    pub(super) fn join(&mut self, process: u32, stop: Stop) {
        if let Some(queue) = self.contended.place(self.layout.channel(stop)) {
            self.enqueue(queue, process);
            return;
        }
        let here = self.slot(stop, Ahead::Here);
        match self.look(stop, here) {
            Found::Nobody if self.is_followed(stop) => {
                // Others may join in this cycle and come first: only the pick decides.
                let queue = self.open_queue(stop);
                self.enqueue(queue, process);
                self.plan_pick(queue, self.now);
            }
            Found::Nobody => self.transmit(process, here),
            Found::Arriving(other) => {
                let queue = self.open_queue(stop);
                self.take_off(other, self.hops_left(other));
                self.enqueue(queue, other);
                self.enqueue(queue, process);
                self.plan_pick(queue, self.now);
            }
            Found::Transmitted(until) => {
                let queue = self.open_queue(stop);
                self.enqueue(queue, process);
                self.plan_pick(queue, until);
            }
        }
    }

    /// An idle channel with a queue takes what has arrived and transmits the first.
    pub(super) fn pick(&mut self, place: u32) {
        let mut queue = *self.contended.queue(place);
        let stop = queue.stop;
        let here = self.slot(stop, Ahead::Here);
        self.collect(&mut queue, here);
        let left = queue.left_before(self.now);
        let waiting = queue.length.saturating_sub(1);
        self.longest_queue = self.longest_queue.max(left).max(waiting);
        // Nobody has come where the one that was expected was held up on its way.
        let first = queue.take_first(&self.processes);
        if let Some(first) = first {
            self.transmit(first, here);
        }
        if waiting > 0 || first.is_some() && self.is_followed(stop) {
            queue.next_pick = self.picks.add(place, self.now + self.stages.hop);
            *self.contended.queue(place) = queue;
        } else {
            self.contended.close(self.layout.channel(stop));
        }
    }

    /// Takes off the belt all that have come to the channel of a queue since it last transmitted.
    #[inline]
    fn collect(&mut self, queue: &mut Queue, here: u32) {
        if self.stages.hop == 1 {
            if let Some(process) = self.arriving(here) {
                self.take_off(process, self.hops_left(process));
                queue.add(&mut self.processes, self.stages, process, self.now);
            }
            return;
        }
        // One at a time: taking one off changes the list that is searched.
        let around = [Ahead::Here, Ahead::One];
        while let Some(passage) = self.find(queue.stop, &around, Passage::has_arrived) {
            let joined = self.now - (passage.reach - passage.end);
            self.take_off(passage.process, passage.hops);
            queue.add(&mut self.processes, self.stages, passage.process, joined);
        }
    }

    /// What is at a channel without a queue.
    #[inline]
    fn look(&self, stop: Stop, here: u32) -> Found {
        if self.stages.hop == 1 {
            return self.arriving(here).map_or(Found::Nobody, Found::Arriving);
        }
        if let Some(passage) = self.find(stop, &[Ahead::Here], Passage::is_now) {
            return Found::Arriving(passage.process);
        }
        match self.find(stop, &[Ahead::Here, Ahead::One], Passage::is_under_way) {
            Some(passage) => Found::Transmitted(self.now + self.stages.hop - (passage.reach - passage.end)),
            None => Found::Nobody,
        }
    }

    /// With hops of one cycle: the message in a slot that goes on from where the slot is now; not one whose leg
    /// ends in this cycle.
    #[inline]
    fn arriving(&self, slot: u32) -> Option<u32> {
        let mut next = self.belts[slot as usize];
        while let Some(process) = next.checked_sub(1) {
            let own = &self.processes[process as usize];
            if own.time > self.now {
                return Some(process);
            }
            next = own.next;
        }
        None
    }

    /// Whether a message comes to the channel while the one that sets out now is being transmitted.
    #[inline]
    fn is_followed(&self, stop: Stop) -> bool {
        let around = [Ahead::Here, Ahead::OneBehind];
        self.stages.hop > 1 && self.find(stop, &around, Passage::is_close_behind).is_some()
    }

    /// A message on the belt around a channel whose passage is as asked for.
    fn find(&self, stop: Stop, slots: &[Ahead], wanted: impl Fn(&Passage, u64) -> bool) -> Option<Passage> {
        for &ahead in slots {
            let mut next = self.belts[self.slot(stop, ahead) as usize];
            while let Some(process) = next.checked_sub(1) {
                let passage = self.passage(process, stop);
                if passage.hops > 0 && wanted(&passage, self.stages.hop) {
                    return Some(passage);
                }
                next = self.processes[process as usize].next;
            }
        }
        None
    }

    fn passage(&self, process: u32, stop: Stop) -> Passage {
        let own = &self.processes[process as usize];
        let hops = self.layout.hops_to(stop, own.leg_end);
        Passage { process, hops, end: own.time, reach: self.now + self.stages.hop * u64::from(hops) }
    }

    #[inline]
    fn slot(&self, stop: Stop, ahead: Ahead) -> u32 {
        self.layout.slot(stop, self.turned[stop.direction as usize / 2], ahead)
    }

    /// Puts a message into the slot that is where it is, for the rest of its leg.
    #[inline]
    fn transmit(&mut self, process: u32, slot: u32) {
        let first = &mut self.belts[slot as usize];
        let own = &mut self.processes[process as usize];
        own.time = self.now + self.stages.hop * u64::from(own.hops);
        own.state = State::Moving;
        own.slot = slot;
        own.next = std::mem::replace(first, process + 1);
        if !own.planned {
            own.planned = true;
            own.next_event = self.events.add(process, own.time);
        }
    }

    /// The links that are left to a message on the belt which arrives at a node in this cycle.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "fewer links than nodes on a line")]
    fn hops_left(&self, process: u32) -> u32 {
        let cycles = self.processes[process as usize].time - self.now;
        if self.stages.hop == 1 { cycles as u32 } else { (cycles / self.stages.hop) as u32 }
    }

    /// Takes a message off the belt that is stopped so many links before the end of its leg.
    #[inline]
    fn take_off(&mut self, process: u32, hops: u32) {
        self.leave_slot(process);
        self.processes[process as usize].hops = hops;
    }

    /// Empties the slot of a moving message, where others may be on the point of leaving theirs.
    #[inline]
    pub(super) fn leave_slot(&mut self, process: u32) {
        let own = &self.processes[process as usize];
        let first = &mut self.belts[own.slot as usize];
        if *first == process + 1 {
            *first = own.next;
        } else {
            let (first, after) = (*first, own.next);
            self.leave_list(process, first, after);
        }
    }

    /// Takes a message out of the list of a slot in which it is not first.
    #[cold]
    fn leave_list(&mut self, process: u32, first: u32, after: u32) {
        let mut before = first;
        while let Some(other) = before.checked_sub(1) {
            let other = &mut self.processes[other as usize];
            if other.next == process + 1 {
                other.next = after;
                return;
            }
            before = other.next;
        }
        debug_assert!(false, "a moving message is in its slot");
    }

    fn open_queue(&mut self, stop: Stop) -> u32 {
        self.contended.open(self.layout.channel(stop), stop)
    }

    #[inline]
    fn plan_pick(&mut self, queue: u32, cycle: u64) {
        self.contended.queue(queue).next_pick = self.picks.add(queue, cycle);
    }

    /// Queues a message that joins in this cycle.
    #[inline]
    fn enqueue(&mut self, place: u32, process: u32) {
        self.contended.queue(place).add(&mut self.processes, self.stages, process, self.now);
    }
}
