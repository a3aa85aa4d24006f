//! Links that take one cycle.
//!
//! A slot holds one message at most, and stops at every node for one cycle. A channel transmits in every cycle in
//! which somebody waits for it: so it has a queue only as long as somebody does, and all queues pick in every
//! cycle, one after another as they lie in memory.

use super::Meeting;
use crate::{
    axis::low_word,
    belt::{
        course::Course,
        layout::{Ahead, Stop, back},
        process::{Process, State},
        stages::Stages,
        time_wheel::TimeWheel,
    },
};

/// The belts and queues of such links.
#[derive(Debug)]
pub(in crate::belt) struct OneCycle {
    slots: Vec<Slot>,
    crowded: Vec<u64>, // a bit for each channel, set while it has a queue: few words, often looked at
    places: Vec<u32>,  // for each channel with a queue, the place of that among those of its dimension
    queues: Vec<Vec<Queue>>, // for each dimension
}

/// A slot, which a message leaves by time alone: nothing is done about it.
#[derive(Debug, Clone, Copy)]
struct Slot {
    end: u64, // when the message in it comes to the end of its leg; not after now when it is empty
    process: u32,
}

/// Those that wait for a channel, one at least.
#[derive(Debug, Clone, Copy)]
struct Queue {
    latest: u64, // the latest cycle at which somebody joined
    line: u32,   // the place of its line's first slot
    position: u32,
    first: u32,
    last: u32,
    before_latest: u32, // 1 + the last of those who joined before the latest cycle, 0 without one
    length: u32,
}

impl Meeting for OneCycle {
    fn new(course: &Course<'_>) -> Self {
        let channels = course.layout.channels();
        Self {
            slots: vec![Slot { end: 0, process: 0 }; channels],
            crowded: vec![0; channels.div_ceil(64)],
            places: vec![0; channels],
            queues: vec![vec![]; course.layout.dimensions()],
        }
    }

    fn begin_again(&mut self, _: &Course<'_>) {
        for slot in &mut self.slots {
            slot.end = 0;
        }
    }

    #[inline]
    fn next_pick(&self, course: &Course<'_>) -> Option<u64> {
        self.queues.iter().any(|queues| !queues.is_empty()).then(|| course.now + 1)
    }

    #[inline]
    fn join(&mut self, course: &mut Course<'_>, process: u32, stop: Stop) {
        let channel = stop.channel();
        if self.crowded[channel / 64] >> (channel % 64) & 1 == 1 {
            let queue = &mut self.queues[stop.dimension()][self.places[channel] as usize];
            queue.add(&mut course.processes, course.stages, process, course.now);
            return;
        }
        let slot = &mut self.slots[course.slot(stop, Ahead::Here) as usize];
        if slot.end > course.now {
            // That one goes on from here, too. It stays in its slot until the pick decides.
            self.open(course, process, stop);
        } else {
            *slot = Slot { end: course.transmit(process), process };
        }
    }

    #[inline]
    fn leave(&mut self, _: &mut Course<'_>, _: u32) {}

    fn pick_all(&mut self, course: &mut Course<'_>) {
        for dimension in 0..self.queues.len() {
            let mut queues = std::mem::take(&mut self.queues[dimension]);
            let length = course.layout.length(dimension);
            self.pick_along(course, &mut queues, course.turned[dimension], length);
            self.queues[dimension] = queues;
        }
    }
}

impl OneCycle {
    /// Gives a channel a queue.
    fn open(&mut self, course: &mut Course<'_>, process: u32, stop: Stop) {
        let Stop { line, position, .. } = stop;
        course.processes[process as usize].wait(0);
        let queues = &mut self.queues[stop.dimension()];
        let channel = stop.channel();
        self.crowded[channel / 64] |= 1 << (channel % 64);
        self.places[channel] = low_word(queues.len() as u64);
        queues.push(Queue {
            latest: course.now,
            line,
            position,
            first: process,
            last: process,
            before_latest: 0,
            length: 1,
        });
    }

    /// The picks of all queues of a dimension, whose lines of `length` nodes have turned so far.
    fn pick_along(&mut self, course: &mut Course<'_>, queues: &mut Vec<Queue>, turned: u32, length: u32) {
        let Course { processes, events, stages, now, longest_queue, .. } = course;
        let mut moment = Moment { processes, events, stages, now: *now };
        let slots = &mut self.slots[..];
        let mut place = 0;
        while let Some(queue) = queues.get_mut(place) {
            let slot = &mut slots[(queue.line + back(queue.position, turned, length)) as usize];
            queue.pick(slot, &mut moment);
            *longest_queue = (*longest_queue).max(queue.length);
            if queue.length > 0 {
                place += 1;
            } else {
                let channel = queue.channel();
                self.crowded[channel / 64] &= !(1 << (channel % 64));
                queues.swap_remove(place);
                if let Some(moved) = queues.get(place) {
                    self.places[moved.channel()] = low_word(place as u64);
                }
            }
        }
    }
}

/// The end of a cycle.
struct Moment<'course> {
    processes: &'course mut [Process],
    events: &'course mut TimeWheel,
    stages: &'course Stages,
    now: u64,
}

impl Queue {
    fn channel(&self) -> usize {
        (self.line + self.position) as usize
    }

    /// Takes the message that comes by, if one does, and puts the first in its place.
    #[inline]
    fn pick(&mut self, slot: &mut Slot, moment: &mut Moment<'_>) {
        let Moment { processes, events, stages, now } = moment;
        if slot.end > *now {
            processes[slot.process as usize].hops = low_word(slot.end - *now);
            self.add(processes, stages, slot.process, *now);
        }
        let first = self.first;
        let own = &mut processes[first as usize];
        let end = *now + u64::from(own.hops);
        (own.time, own.state) = (end, State::Moving);
        own.plan(first, events);
        *slot = Slot { end, process: first };
        self.length -= 1;
        self.first = own.next.wrapping_sub(1); // the last has none after it
    }

    /// Queues a message that joins now.
    #[inline]
    fn add(&mut self, processes: &mut [Process], stages: &Stages, process: u32, now: u64) {
        self.length += 1;
        if self.latest < now {
            (self.before_latest, self.latest) = (self.last + 1, now);
            processes[self.last as usize].next = process + 1;
            self.last = process;
            processes[process as usize].wait(0);
        } else {
            self.insert(processes, stages, process);
        }
    }

    /// Queues a message that others join together with.
    fn insert(&mut self, processes: &mut [Process], stages: &Stages, process: u32) {
        let rank = |processes: &[Process], one: u32| processes[one as usize].rank(one, stages);
        let own = rank(processes, process);
        let mut before = self.before_latest;
        let mut next = match before {
            0 => self.first + 1,
            _ => processes[before as usize - 1].next,
        };
        while next > 0 && rank(processes, next - 1) < own {
            (before, next) = (next, processes[next as usize - 1].next);
        }
        match before {
            0 => self.first = process,
            _ => processes[before as usize - 1].next = process + 1,
        }
        if next == 0 {
            self.last = process;
        }
        processes[process as usize].wait(next);
    }
}
