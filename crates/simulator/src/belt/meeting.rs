//! Where messages meet: joining a channel, waiting for it, and being picked.
//!
//! Two messages of one direction meet only where one of them joins a channel, since through traffic comes to
//! a channel over one other channel and so never meets itself. So a message that joins looks for what is on
//! the belt around it, and there only. While somebody waits at a channel, or will come to it while it is busy,
//! the channel has a queue; whenever it is idle it takes off the belt what has arrived meanwhile, and
//! transmits the first of all. A message that is put on the belt again is right behind the one that held it up.

use super::{engine::Engine, layout::Ahead, process::State};

/// What a message that joins a channel finds there.
enum Found {
    /// Nobody: it goes on.
    Nobody,
    /// A message that arrives in this cycle and goes on, too.
    Arriving(u32),
    /// A message that is being transmitted until the cycle given.
    Transmitted(u64),
}

/// When a message on the belt reaches a channel that its leg crosses.
struct Passage {
    process: u32,
    /// The end of its leg if nothing stops it.
    end: u64,
    /// When a message that sets out from the channel now would come to that end.
    reach: u64,
}

impl Passage {
    /// Whether it arrives in this cycle.
    fn is_now(&self) -> bool {
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
    /// The message for `process` wants to cross the channel at `node` in the direction of its leg.
    pub(super) fn join(&mut self, process: u32, node: u32) {
        let direction = self.processes[process as usize].direction;
        let channel = self.layout.channel(direction, node);
        if let Some(queue) = self.contended.place(channel) {
            self.enqueue(queue, process, self.now);
            return;
        }
        match self.look(direction, node) {
            Found::Nobody => {
                self.transmit(process, node);
                if self.is_followed(direction, node) {
                    let queue = self.open_queue(channel, direction, node);
                    self.picks.add(queue, self.now + self.stages.hop);
                }
            }
            Found::Arriving(other) => {
                let queue = self.open_queue(channel, direction, node);
                self.take_off(other, node);
                self.enqueue(queue, other, self.now);
                self.enqueue(queue, process, self.now);
                self.picks.add(queue, self.now);
            }
            Found::Transmitted(until) => {
                let queue = self.open_queue(channel, direction, node);
                self.enqueue(queue, process, self.now);
                self.picks.add(queue, until);
            }
        }
    }

    /// An idle channel with a queue takes what has arrived and transmits the first.
    pub(super) fn pick(&mut self, place: u32) {
        let queue = *self.contended.queue(place);
        let (direction, node) = (queue.direction, queue.node);
        self.collect(place, direction, node);
        let left = self.contended.queue(place).left_before(self.now);
        let waiting = match self.take_first(place) {
            Some(first) => {
                self.transmit(first, node);
                self.contended.queue(place).length
            }
            None => 0,
        };
        self.longest_queue = self.longest_queue.max(left).max(waiting);
        if waiting > 0 || self.is_followed(direction, node) {
            self.picks.add(place, self.now + self.stages.hop);
        } else {
            self.contended.close(self.layout.channel(direction, node));
        }
    }

    /// Takes off the belt all that have come to the channel since it last transmitted.
    fn collect(&mut self, queue: u32, direction: u32, node: u32) {
        // One at a time: taking one off changes the list that is searched.
        while let Some(passage) =
            self.find(direction, node, &[Ahead::Here, Ahead::One], |passage, hop| passage.has_arrived(hop))
        {
            let joined = self.now - (passage.reach - passage.end);
            self.take_off(passage.process, node);
            self.enqueue(queue, passage.process, joined);
        }
    }

    /// What is at a channel without a queue.
    fn look(&self, direction: u32, node: u32) -> Found {
        if let Some(passage) = self.find(direction, node, &[Ahead::Here], |passage, _| passage.is_now()) {
            return Found::Arriving(passage.process);
        }
        if self.stages.hop == 1 {
            return Found::Nobody;
        }
        let around = [Ahead::Here, Ahead::One];
        match self.find(direction, node, &around, Passage::is_under_way) {
            Some(passage) => Found::Transmitted(self.now + self.stages.hop - (passage.reach - passage.end)),
            None => Found::Nobody,
        }
    }

    /// Whether a message comes to the channel while the one that sets out now is being transmitted.
    fn is_followed(&self, direction: u32, node: u32) -> bool {
        let around = [Ahead::Here, Ahead::OneBehind];
        self.stages.hop > 1 && self.find(direction, node, &around, Passage::is_close_behind).is_some()
    }

    /// A message on the belt around a channel whose passage is as asked for.
    #[inline]
    fn find(
        &self,
        direction: u32,
        node: u32,
        slots: &[Ahead],
        wanted: impl Fn(&Passage, u64) -> bool,
    ) -> Option<Passage> {
        let turned = self.turned[direction as usize / 2];
        for &ahead in slots {
            // With hops of one cycle nobody is between two slots.
            if ahead != Ahead::Here && self.stages.hop == 1 {
                break;
            }
            let mut next = self.belts[self.layout.slot(direction, node, turned, ahead)];
            while let Some(process) = next.checked_sub(1) {
                let passage = self.passage(process, node);
                if let Some(passage) = passage.filter(|passage| wanted(passage, self.stages.hop)) {
                    return Some(passage);
                }
                next = self.processes[process as usize].next;
            }
        }
        None
    }

    /// The passage of a moving message over the channel at `node`; none when its leg ends there.
    #[inline]
    fn passage(&self, process: u32, node: u32) -> Option<Passage> {
        let own = &self.processes[process as usize];
        let hops = self.layout.hops_along(own.direction, node, own.leg_end);
        let reach = self.now + self.stages.hop * u64::from(hops);
        (hops > 0).then_some(Passage { process, end: own.time, reach })
    }

    /// Puts a message on the belt at `node`, for the rest of its leg.
    fn transmit(&mut self, process: u32, node: u32) {
        let own = &mut self.processes[process as usize];
        let turned = self.turned[own.direction as usize / 2];
        let slot = self.layout.slot(own.direction, node, turned, Ahead::Here);
        own.time = self.now + self.stages.hop * u64::from(own.hops);
        own.state = State::Moving;
        #[expect(clippy::cast_possible_truncation, reason = "the layout numbers slots with 31 bits")]
        let place = slot as u32;
        own.slot = place;
        own.next = std::mem::replace(&mut self.belts[slot], process + 1);
        self.plan(process);
    }

    /// Takes a message off the belt that is stopped at `node`.
    fn take_off(&mut self, process: u32, node: u32) {
        self.leave_slot(process);
        let own = &mut self.processes[process as usize];
        own.hops = self.layout.hops_along(own.direction, node, own.leg_end);
    }

    /// Empties the slot of a moving message, where others may be on the point of leaving theirs.
    #[inline]
    pub(super) fn leave_slot(&mut self, process: u32) {
        let own = self.processes[process as usize];
        let first = &mut self.belts[own.slot as usize];
        if *first == process + 1 {
            *first = own.next;
            return;
        }
        let mut before = *first;
        while let Some(other) = before.checked_sub(1) {
            let other = &mut self.processes[other as usize];
            if other.next == process + 1 {
                other.next = own.next;
                return;
            }
            before = other.next;
        }
        debug_assert!(false, "a moving message is in its slot");
    }

    fn open_queue(&mut self, channel: usize, direction: u32, node: u32) -> u32 {
        let place = self.contended.open(channel, direction, node);
        self.picks.make_room(self.contended.place_count());
        place
    }

    /// Queues a message that joined at `joined`, in the order of the model.
    fn enqueue(&mut self, place: u32, process: u32, joined: u64) {
        let own = &mut self.processes[process as usize];
        (own.state, own.time, own.next) = (State::Queued, joined, 0);
        let key = self.key(process);
        let queue = *self.contended.queue(place);
        let mut before = 0;
        if queue.last > 0 && self.key(queue.last - 1) < key {
            before = queue.last;
        } else {
            let mut next = queue.first;
            while next > 0 && self.key(next - 1) < key {
                (before, next) = (next, self.processes[next as usize - 1].next);
            }
        }
        let queue = self.contended.queue(place);
        queue.count(joined);
        let after = match before {
            0 => std::mem::replace(&mut queue.first, process + 1),
            _ => std::mem::replace(&mut self.processes[before as usize - 1].next, process + 1),
        };
        if after == 0 {
            queue.last = process + 1;
        }
        self.processes[process as usize].next = after;
    }

    /// Takes the first message of a queue.
    fn take_first(&mut self, place: u32) -> Option<u32> {
        let queue = self.contended.queue(place);
        let first = queue.first.checked_sub(1)?;
        queue.first = self.processes[first as usize].next;
        queue.length -= 1;
        if queue.first == 0 {
            queue.last = 0;
        }
        Some(first)
    }

    /// What orders a queue, smallest first: when the message joined it, its stage and its source.
    fn key(&self, process: u32) -> (u64, u32, u32) {
        let own = &self.processes[process as usize];
        let source = self.stages.partner(process, own.stage).unwrap_or(process);
        (own.time, own.stage, source)
    }
}
