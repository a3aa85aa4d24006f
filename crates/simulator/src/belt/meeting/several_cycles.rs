//! Links that take several cycles.
//!
//! A slot lasts as long as a link takes, so that several messages may be in one, at different times of it; a
//! message that joins also looks at the neighbouring slots. A channel with a queue picks as often as it is idle.

use super::{
    Meeting,
    contended::{ContendedChannels, Queue},
};
use crate::belt::{
    course::Course,
    layout::{Stop, ahead, back},
    process::Process,
};
use crate::event_queue::{ChunkedLists, EventLists, EventQueue};

/// The belts and queues of such links.
#[derive(Debug)]
pub(in crate::belt) struct SeveralCycles {
    belts: Vec<u32>, // for each slot 1 + the first process whose message is in it, 0 when empty
    contended: ContendedChannels,
    picks: EventQueue<ChunkedLists>, // of the queues of contended channels
}

/// What a message that joins a channel finds there.
enum Found {
    /// Nobody: it goes on.
    Nobody,
    /// A message that arrives in this cycle and goes on, too.
    Arriving(Passage),
    /// A message that is being transmitted until the cycle given.
    Transmitted(u64),
}

/// Which slot is meant, seen from the one at a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ahead {
    /// That one.
    Here,
    /// The next in the direction of travel.
    One,
    /// The one before it.
    OneBehind,
}

/// A channel in the present cycle.
#[derive(Debug, Clone, Copy)]
struct View {
    stop: Stop,
    length: u32, // of the line
    here: u32,   // the place of the slot at the channel
    now: u64,
    hop: u64,
}

impl View {
    #[inline]
    fn of<E: EventLists>(stop: Stop, course: &Course<'_, E>) -> Self {
        let length = course.layout.length(stop.dimension());
        Self { stop, length, here: course.slot(stop), now: course.now, hop: course.stages.hop }
    }

    /// The place of a slot.
    #[inline]
    fn slot(&self, which: Ahead) -> usize {
        let (line, length) = (self.stop.line, self.length);
        let place = match which {
            Ahead::Here => self.here,
            Ahead::One => line + ahead(self.here - line, 1, length),
            Ahead::OneBehind => line + back(self.here - line, 1, length),
        };
        place as usize
    }

    /// How a message on the belt passes the channel.
    #[inline]
    fn passage(&self, process: u32, own: &Process) -> Passage {
        let hops = back(own.goal, self.stop.position, self.length);
        Passage { process, hops, end: own.time, reach: self.now + self.hop * u64::from(hops) }
    }
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

impl Meeting for SeveralCycles {
    fn new<E: EventLists>(course: &Course<'_, E>) -> Self {
        let channels = course.layout.channels();
        Self {
            belts: vec![0; channels],
            contended: ContendedChannels::new(channels),
            picks: EventQueue::new(course.stages.hop.saturating_add(1), channels),
        }
    }

    fn begin_again<E: EventLists>(&mut self, course: &Course<'_, E>) {
        self.picks.restart(course.now);
    }

    #[inline]
    fn go_on(&mut self, _: u64, _: u64) {}

    fn next_pick<E: EventLists>(&self, _: &Course<'_, E>) -> Option<u64> {
        self.picks.next_cycle()
    }

    #[inline]
    fn join<E: EventLists>(&mut self, course: &mut Course<'_, E>, process: u32, stop: Stop) {
        let view = View::of(stop, course);
        let own = &mut course.processes[process as usize];
        own.goal = ahead(stop.position, own.hops, view.length);
        if let Some(queue) = self.contended.place(stop.channel()) {
            self.enqueue(course, queue, process);
            return;
        }
        match self.look(course, &view) {
            Found::Nobody if self.is_followed(course, &view) => {
                // Others may join in this cycle and come first: only the pick decides.
                let queue = self.contended.open(stop);
                self.enqueue(course, queue, process);
                self.picks.add(queue, course.now);
            }
            Found::Nobody => self.transmit(course, process, view.here),
            Found::Arriving(other) => {
                let queue = self.contended.open(stop);
                self.take_off(course, &other);
                self.enqueue(course, queue, other.process);
                self.enqueue(course, queue, process);
                self.picks.add(queue, course.now);
            }
            Found::Transmitted(until) => {
                let queue = self.contended.open(stop);
                self.enqueue(course, queue, process);
                self.picks.add(queue, until);
            }
        }
    }

    /// Empties the slot of a moving message, where others may be on the point of leaving theirs.
    #[inline]
    fn leave<E: EventLists>(&mut self, course: &mut Course<'_, E>, process: u32) {
        let own = &course.processes[process as usize];
        let first = &mut self.belts[own.slot as usize];
        if *first == process + 1 {
            *first = own.next;
        } else {
            leave_list(&mut course.processes, process, *first);
        }
    }

    fn pick_all<E: EventLists>(&mut self, course: &mut Course<'_, E>) {
        while let Some(batch) = self.picks.take(course.now) {
            for &queue in batch.as_ref() {
                self.pick(course, queue);
            }
        }
    }
}

impl SeveralCycles {
    /// An idle channel with a queue takes what has arrived and transmits the first.
    fn pick<E: EventLists>(&mut self, course: &mut Course<'_, E>, place: u32) {
        let mut queue = *self.contended.queue(place);
        let view = View::of(queue.stop, course);
        self.collect(course, &view, &mut queue);
        let left = queue.left_before(course.now);
        let waiting = queue.length.saturating_sub(1);
        course.longest_queue = course.longest_queue.max(left).max(waiting);
        // Nobody has come where the one that was expected was held up on its way.
        let first = queue.take_first(&course.processes);
        if let Some(first) = first {
            self.transmit(course, first, view.here);
        }
        if waiting > 0 || first.is_some() && self.is_followed(course, &view) {
            self.picks.add(place, course.now + course.stages.hop);
            *self.contended.queue(place) = queue;
        } else {
            self.contended.close(queue.stop.channel());
        }
    }

    /// Takes off the belt all that have come to the channel of a queue since it last transmitted.
    #[inline]
    fn collect<E: EventLists>(&mut self, course: &mut Course<'_, E>, view: &View, queue: &mut Queue) {
        // One at a time: taking one off changes the list that is searched.
        let around = [Ahead::Here, Ahead::One];
        while let Some(passage) = self.find(course, view, &around, Passage::has_arrived) {
            let joined = course.now - (passage.reach - passage.end);
            self.take_off(course, &passage);
            queue.add(&mut course.processes, course.stages, passage.process, joined);
        }
    }

    /// What is at a channel without a queue.
    #[inline]
    fn look<E: EventLists>(&self, course: &Course<'_, E>, view: &View) -> Found {
        if let Some(passage) = self.find(course, view, &[Ahead::Here], Passage::is_now) {
            return Found::Arriving(passage);
        }
        match self.find(course, view, &[Ahead::Here, Ahead::One], Passage::is_under_way) {
            Some(passage) => Found::Transmitted(view.now + view.hop - (passage.reach - passage.end)),
            None => Found::Nobody,
        }
    }

    /// Whether a message comes to the channel while the one that sets out now is being transmitted.
    #[inline]
    fn is_followed<E: EventLists>(&self, course: &Course<'_, E>, view: &View) -> bool {
        let around = [Ahead::Here, Ahead::OneBehind];
        self.find(course, view, &around, Passage::is_close_behind).is_some()
    }

    /// A message on the belt around a channel whose passage is as asked for.
    #[inline]
    fn find<E: EventLists>(
        &self,
        course: &Course<'_, E>,
        view: &View,
        slots: &[Ahead],
        wanted: impl Fn(&Passage, u64) -> bool,
    ) -> Option<Passage> {
        for &slot in slots {
            let mut next = self.belts[view.slot(slot)];
            while let Some(process) = next.checked_sub(1) {
                let own = &course.processes[process as usize];
                let passage = view.passage(process, own);
                if passage.hops > 0 && wanted(&passage, view.hop) {
                    return Some(passage);
                }
                next = own.next;
            }
        }
        None
    }

    /// Puts a message into the slot that is where it is, for the rest of its leg.
    #[inline]
    fn transmit<E: EventLists>(&mut self, course: &mut Course<'_, E>, process: u32, slot: u32) {
        course.transmit(process);
        let first = std::mem::replace(&mut self.belts[slot as usize], process + 1);
        let own = &mut course.processes[process as usize];
        (own.slot, own.next) = (slot, first);
    }

    /// Takes a message off the belt that is stopped where it passes.
    #[inline]
    fn take_off<E: EventLists>(&mut self, course: &mut Course<'_, E>, passage: &Passage) {
        self.leave(course, passage.process);
        course.processes[passage.process as usize].hops = passage.hops;
    }

    /// Queues a message that joins in this cycle.
    #[inline]
    fn enqueue<E: EventLists>(&mut self, course: &mut Course<'_, E>, place: u32, process: u32) {
        self.contended.queue(place).add(&mut course.processes, course.stages, process, course.now);
    }
}

/// Takes a message out of the list of a slot in which it is not first.
#[cold]
fn leave_list(processes: &mut [Process], process: u32, first: u32) {
    let after = processes[process as usize].next;
    let mut before = first;
    while let Some(other) = before.checked_sub(1) {
        let other = &mut processes[other as usize];
        if other.next == process + 1 {
            other.next = after;
            return;
        }
        before = other.next;
    }
    debug_assert!(false, "a moving message is in its slot");
}
