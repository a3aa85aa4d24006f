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
        layout::Stop,
        process::{Process, State},
        stages::Stages,
    },
    event_queue::{EventLists, EventQueue},
};

/// The belts and queues of such links.
#[derive(Debug)]
pub(in crate::belt) struct OneCycle {
    slots: Vec<Slot>,
    crowded: Vec<u64>, // a bit for each channel, set while it has a queue: few words, often looked at
    places: Vec<u32>,  // for each channel with a queue, the place of that among those of its dimension
    queues: Vec<Vec<Queue>>, // for each dimension
    emptied: Vec<usize>, // the places of queues that nobody waits in any more
    swept: u64,        // no slot that is empty has the end of an earlier cycle
}

/// A slot, which a message leaves by time alone: nothing is done about it.
///
/// Of cycles the low word is kept. Messages are on their way for less than 2^30 cycles, and what has ended is swept
/// up before it could be taken for what will end.
#[derive(Debug, Clone, Copy)]
struct Slot {
    end: u32, // when the message in it comes to the end of its leg; not after now when it is empty
    process: u32,
}

impl Slot {
    /// One with a message that comes to the end of its leg at a cycle.
    #[inline]
    fn taken(process: u32, end: u64) -> Self {
        Self { end: word(end), process }
    }

    /// An empty one.
    fn empty(now: u64) -> Self {
        Self { end: word(now), process: 0 }
    }

    /// The links that the message in it goes on for; none when it is empty.
    #[inline]
    fn hops_left(self, now: u64) -> Option<u32> {
        let left = self.end.wrapping_sub(word(now));
        (left.cast_signed() > 0).then_some(left)
    }
}

/// The low word of a cycle.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "differences are what counts")]
fn word(cycle: u64) -> u32 {
    cycle as u32
}

/// Those that wait for a channel, one at least.
#[derive(Debug, Clone, Copy)]
struct Queue {
    latest: u64, // the latest cycle at which somebody joined, other than by coming by
    line: u32,   // the place of its line's first slot
    channel: u32,
    slot: u32, // the place of the slot that is at the channel
    first: u32,
    last: u32,
    before_latest: Option<u32>, // the last of those who joined before the latest cycle
    length: u32,
}

impl Meeting for OneCycle {
    fn new<E: EventLists>(course: &Course<'_, E>) -> Self {
        let channels = course.layout.channels();
        Self {
            slots: vec![Slot::empty(0); channels],
            crowded: vec![0; channels.div_ceil(64)],
            places: vec![0; channels],
            queues: vec![vec![]; course.layout.dimensions()],
            emptied: vec![],
            swept: 0,
        }
    }

    fn begin_again<E: EventLists>(&mut self, course: &Course<'_, E>) {
        self.slots.fill(Slot::empty(course.now));
        self.swept = course.now;
    }

    #[inline]
    fn go_on(&mut self, from: u64, to: u64) {
        if to - self.swept >= Self::SWEEP_AFTER {
            self.sweep(from, to);
        }
    }

    #[inline]
    fn next_pick<E: EventLists>(&self, course: &Course<'_, E>) -> Option<u64> {
        self.queues.iter().any(|queues| !queues.is_empty()).then(|| course.now + 1)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn join<E: EventLists>(&mut self, course: &mut Course<'_, E>, process: u32, stop: Stop) {
        let channel = stop.channel();
        if self.crowded[channel / 64] >> (channel % 64) & 1 == 1 {
            let queue = &mut self.queues[stop.dimension()][self.places[channel] as usize];
            queue.add(&mut course.processes, course.stages, process, course.now);
            return;
        }
        let place = course.slot(stop);
        let slot = &mut self.slots[place as usize];
        if slot.hops_left(course.now).is_some() {
            // That one goes on from here, too. It stays in its slot until the pick decides.
            self.open(course, process, stop, place);
        } else {
            *slot = Slot::taken(process, course.transmit(process));
        }
    }

    #[inline]
    fn leave<E: EventLists>(&mut self, _: &mut Course<'_, E>, _: u32) {}

    fn pick_all<E: EventLists>(&mut self, course: &mut Course<'_, E>) {
        for dimension in 0..self.queues.len() {
            let length = course.layout.length(dimension);
            self.pick_along(course, dimension, length);
            self.close_empty(dimension);
        }
    }
}

impl OneCycle {
    /// After so many cycles slots are swept: long before low words of cycles come again.
    const SWEEP_AFTER: u64 = 1 << 30;

    /// Sees to it that what was empty at a cycle is so at a later one, before which nothing comes to an end.
    #[cold]
    fn sweep(&mut self, from: u64, to: u64) {
        for slot in &mut self.slots {
            if slot.hops_left(from).is_none() {
                *slot = Slot::empty(to);
            }
        }
        self.swept = to;
    }

    /// Gives the channel that leads on from a stop, where a slot is now, a queue with its first message.
    #[inline(never)] // few messages meet another one: what all need stays in registers
    fn open<E: EventLists>(&mut self, course: &mut Course<'_, E>, process: u32, stop: Stop, slot: u32) {
        course.processes[process as usize].state = State::Queued;
        let queues = &mut self.queues[stop.dimension()];
        let channel = stop.channel();
        self.crowded[channel / 64] |= 1 << (channel % 64);
        self.places[channel] = low_word(queues.len() as u64);
        queues.push(Queue {
            latest: course.now,
            line: stop.line,
            channel: low_word(channel as u64),
            slot,
            first: process,
            last: process,
            before_latest: None,
            length: 1,
        });
    }

    /// The picks of all queues of a dimension, whose lines have `length` nodes.
    fn pick_along<E: EventLists>(&mut self, course: &mut Course<'_, E>, dimension: usize, length: u32) {
        let Course { processes, events, stages, now, .. } = course;
        let mut moment = Moment { processes, events, stages, now: *now };
        let (slots, mut longest) = (&mut self.slots[..], 0);
        for (place, queue) in self.queues[dimension].iter_mut().enumerate() {
            queue.pick(&mut slots[queue.slot as usize], &mut moment);
            queue.slot = if queue.slot == queue.line { queue.line + length - 1 } else { queue.slot - 1 };
            longest = longest.max(queue.length);
            if queue.length == 0 {
                self.emptied.push(place);
            }
        }
        course.longest_queue = course.longest_queue.max(longest);
    }

    /// Takes away the queues that the picks have emptied.
    fn close_empty(&mut self, dimension: usize) {
        let queues = &mut self.queues[dimension];
        // From the last on: what takes the place of one is not empty.
        while let Some(place) = self.emptied.pop() {
            let channel = queues.swap_remove(place).channel as usize;
            self.crowded[channel / 64] &= !(1 << (channel % 64));
            if let Some(moved) = queues.get(place) {
                self.places[moved.channel as usize] = low_word(place as u64);
            }
        }
    }
}

/// The end of a cycle.
struct Moment<'course, E> {
    processes: &'course mut [Process],
    events: &'course mut EventQueue<E>,
    stages: &'course Stages,
    now: u64,
}

impl Queue {
    /// Takes the message that comes by, if one does, and puts the first in its place.
    #[inline]
    fn pick<E: EventLists>(&mut self, slot: &mut Slot, moment: &mut Moment<'_, E>) {
        let Moment { processes, events, stages, now } = moment;
        if let Some(hops) = slot.hops_left(*now) {
            let other = slot.process;
            processes[other as usize].hops = hops;
            if self.latest < *now {
                self.append(processes, other);
            } else {
                self.insert(processes, stages, other);
            }
        } else {
            self.length -= 1;
        }
        let first = self.first;
        let own = &mut processes[first as usize];
        let end = *now + u64::from(own.hops);
        (own.time, own.state) = (end, State::Moving);
        if !own.planned {
            plan(own, first, events);
        }
        self.first = own.next; // anybody, after the last
        *slot = Slot::taken(first, end);
    }

    /// Queues a message that joins now.
    #[inline]
    fn add(&mut self, processes: &mut [Process], stages: &Stages, process: u32, now: u64) {
        self.length += 1;
        if self.latest < now {
            (self.before_latest, self.latest) = (Some(self.last), now);
            self.append(processes, process);
        } else {
            self.insert(processes, stages, process);
        }
    }

    /// Queues a message behind all others.
    #[inline]
    fn append(&mut self, processes: &mut [Process], process: u32) {
        processes[process as usize].state = State::Queued;
        processes[self.last as usize].next = process;
        self.last = process;
    }

    /// Queues a message that others join together with.
    #[inline(never)] // not in the midst of the picks: what is needed at every one stays in registers
    fn insert(&mut self, processes: &mut [Process], stages: &Stages, process: u32) {
        let rank = |processes: &[Process], one: u32| processes[one as usize].rank(one, stages);
        let own = rank(processes, process);
        let mut before = self.before_latest;
        loop {
            let next = match before {
                Some(before) if before == self.last => return self.append(processes, process),
                Some(before) => processes[before as usize].next,
                None => self.first,
            };
            if rank(processes, next) >= own {
                processes[process as usize].state = State::Queued;
                processes[process as usize].next = next;
                match before {
                    Some(before) => processes[before as usize].next = process,
                    None => self.first = process,
                }
                return;
            }
            before = Some(next);
        }
    }
}

/// Plans an event for a message that is no longer waiting.
#[inline(never)] // as above
fn plan<E: EventLists>(own: &mut Process, process: u32, events: &mut EventQueue<E>) {
    own.plan(process, events);
}

#[cfg(test)]
mod tests {
    use cubefold_mapping::{EmbeddingKind, Hypercube, Placement};
    use cubefold_topology::{LinkMode, Machine, MachineKind, TieRule};

    use crate::{
        BulkStages, Communication, CountLinkUse, CubeProgram, Cycles, EngineChoice, Execution, Lines,
        Shortcuts, StageRecord, simulate,
    };

    /// What happens on a ring of 32 under byweight, where messages meet, with computations of so many cycles.
    fn records(compute: u64, engine: EngineChoice) -> Vec<StageRecord> {
        let cube = Hypercube::new(5).unwrap();
        let ring = Machine::new(MachineKind::Ring, &[32]).unwrap();
        let placement = Placement::embed(EmbeddingKind::Byweight, cube, &ring).unwrap();
        let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(compute)).unwrap();
        let links = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
        let execution = Execution::Asynchronous(engine);
        let mut records = vec![];
        simulate(&program, &placement, links, &execution, CountLinkUse::No, &mut records).unwrap();
        records.sort_unstable_by_key(|record| (record.process, record.stage));
        records
    }

    #[test]
    fn ends_of_long_ago_are_not_taken_for_ends_to_come() {
        let belt = EngineChoice::Belt(Shortcuts { lines: Lines::Whole, bulk: BulkStages::No });
        for length in [1_u64 << 30, 1 << 31, 1 << 32, 3 << 32] {
            for compute in length - 20..length + 3 {
                assert!(records(compute, belt) == records(compute, EngineChoice::Hop), "T_a = {compute}");
            }
        }
        assert!(records(1 << 32, belt).iter().any(|record| record.blocked() > Cycles::ZERO));
    }
}
