//! The messages in transit in both directions of a line.

mod planning;

use prefetch_index::prefetch_index;

use self::planning::Plan;
use super::{
    LineEvent, LineEventKind,
    message_order::{MessageOrder, NO_MESSAGE},
    trajectory::{Slopes, Trajectory},
};
use crate::time_wheel::TimeWheel;

/// The message to one process, in two cache lines.
#[derive(Debug, Clone, Default)]
#[repr(align(64))]
pub(super) struct LineMessage {
    pub(super) ahead: u32, // the next message ahead in its direction; on a ring they form a cycle
    pub(super) behind: u32, // the next message behind
    pub(super) hops: u32,  // the links of its route, at least 1
    pub(super) injected: u64, // the cycle at which it was injected
    pub(super) occupancy: u64, // the cycles for which it occupies a channel
    step: u64,             // the cycles from one link to the next without contention
    first: u64,            // the number of its first channel, continued after a turn around a ring
    slope: u32,            // the index of `step`
    free_from: u32,        // the first link from which it is planned to move at its own pace
    planned_to: u32,       // the link after the last planned one, `hops` if all are planned
    contact_cycle: u64, // the cycle of its contact with the message ahead after that; the maximum for never
    contact_link: u32,
    stage: u32,
    source: u32,
    direction: u32,
    is_cut: bool, // whether it is planned up to `free_from` and then in contact
    trajectory: Trajectory,
}

/// A message that is injected.
#[derive(Debug, Clone, Copy)]
pub(super) struct Injection {
    /// Its stage.
    pub(super) stage: u32,
    /// The process that sends it.
    pub(super) source: u32,
    /// 0 upward, 1 downward.
    pub(super) direction: u32,
    /// The number of its first channel among those of its direction.
    pub(super) position: u32,
    /// The links of its route, at least 1.
    pub(super) hops: u32,
    /// The cycles for which it occupies a channel.
    pub(super) occupancy: u64,
    /// Index in [`Slopes`] of its cycles from link to link.
    pub(super) slope: u32,
}

/// The tie-breaker between messages that join a channel in the same cycle: stage, source and destination.
type Key = (u32, u32, u32);

/// Number of messages behind another one whose plans are prefetched together.
const PREFETCHED_TOGETHER: usize = 8;

/// All messages in transit, with the future events of them and of processes.
#[derive(Debug)]
pub(super) struct LineTraffic {
    pub(super) events: TimeWheel<LineEvent>,
    pub(super) messages: Vec<LineMessage>, // by destination
    orders: [MessageOrder; 2],             // by direction
    ring: Option<u64>,                     // the number of channels of a direction, on a ring
    slopes: Slopes,
    least_occupancy: u64,
    planned_segments: usize,       // number of segments after which a plan is cut
    pub(super) longest_queue: u32, // at the end of any cycle so far [messages]
    plan: Plan,
}

impl LineTraffic {
    /// No messages in transit, for at most `processes` messages.
    pub(super) fn new(
        processes: usize,
        ring: Option<u64>,
        slopes: Slopes,
        (least_occupancy, planned_segments): (u64, usize),
    ) -> Self {
        Self {
            events: TimeWheel::new(),
            messages: vec![LineMessage::default(); processes],
            orders: [MessageOrder::new(processes), MessageOrder::new(processes)],
            ring,
            slopes,
            least_occupancy,
            planned_segments,
            longest_queue: 0,
            plan: Plan::default(),
        }
    }

    /// The cycle at which a message will be received, according to its plan.
    pub(super) fn receipt(&self, id: u32) -> u64 {
        let message = &self.messages[id as usize];
        message.trajectory.last_start(message.hops, &self.slopes) + message.step
    }

    /// The offset of the channels of the message ahead of `id`: on a ring, the rearmost message is ahead of
    /// the foremost.
    #[inline]
    fn turn(&self, id: u32) -> u64 {
        match self.ring {
            Some(length) if self.orders[self.messages[id as usize].direction as usize].foremost == id => {
                length
            }
            _ => 0,
        }
    }

    fn key(&self, id: u32) -> Key {
        let message = &self.messages[id as usize];
        (message.stage, message.source, id)
    }

    /// Whether a message joined a channel before one with `key` that joins it at `now`. A message that began
    /// its route ahead of the channel counts as joined; one that ends it before the channel does not.
    fn has_joined(&self, id: u32, channel: u64, now: u64, key: Key) -> bool {
        let message = &self.messages[id as usize];
        let Some(link) = channel.checked_sub(message.first) else { return true };
        if link == 0 {
            return message.injected < now || self.key(id) < key;
        }
        match u32::try_from(link) {
            Ok(link) if link < message.hops => {
                if link <= message.trajectory.first_known() {
                    return true;
                }
                let joined = message.trajectory.start(link - 1, &self.slopes) + message.step;
                joined < now || joined == now && self.key(id) < key
            }
            _ => false,
        }
    }

    /// The number of the first channel of a message to `id`: among the numbers of a channel of a ring, the
    /// one between the rearmost message and the same message a turn further.
    fn first_channel(&self, id: u32, injection: &Injection, now: u64) -> u64 {
        let order = &self.orders[injection.direction as usize];
        let (rearmost, position) = (order.rearmost(), u64::from(injection.position));
        let (Some(length), Some(rear)) = (self.ring, self.messages.get(rearmost as usize)) else {
            return position;
        };
        let channel = rear.first + (position + length - rear.first % length) % length;
        let key = (injection.stage, injection.source, id);
        let is_behind = self.has_joined(rearmost, channel + 1, now, (u32::MAX, 0, 0))
            || self.has_joined(order.foremost, channel + length, now, key);
        if is_behind { channel + length } else { channel }
    }

    /// Injects a message to `id` at `now`.
    pub(super) fn inject(&mut self, id: u32, injection: &Injection, now: u64) {
        let &Injection { stage, source, direction, hops, occupancy, slope, .. } = injection;
        let first = self.first_channel(id, injection, now);
        let key = (stage, source, id);
        let order = &self.orders[direction as usize];
        let place = order.find(|other| self.has_joined(other, first, now, key), |some| self.prefetch(some));
        let (ahead, behind) = match self.messages.get(place.ahead as usize) {
            Some(ahead) => (place.ahead, ahead.behind),
            None => (self.ring.map_or(NO_MESSAGE, |_| order.rearmost()), order.foremost),
        };
        self.extend(behind, first, now);
        self.orders[direction as usize].insert(id, place);
        for (neighbour, is_ahead) in [(ahead, true), (behind, false)] {
            if let Some(neighbour) = self.messages.get_mut(neighbour as usize) {
                *(if is_ahead { &mut neighbour.behind } else { &mut neighbour.ahead }) = id;
            }
        }
        let mut trajectory = std::mem::take(&mut self.messages[id as usize].trajectory);
        trajectory.clear();
        self.messages[id as usize] = LineMessage {
            ahead,
            behind,
            hops,
            injected: now,
            occupancy,
            step: self.slopes.step(slope),
            first,
            slope,
            free_from: 0,
            planned_to: hops,
            contact_cycle: u64::MAX,
            contact_link: 0,
            stage,
            source,
            direction,
            is_cut: false,
            trajectory,
        };
        self.plan(id, 0, now);
        self.pass_on(id, 0, now);
        let receipt = self.receipt(id);
        self.events.add(LineEvent::new(id, LineEventKind::Receipt), receipt);
    }

    /// Continues the plan of a message up to a channel, from which another message is ahead of it.
    fn extend(&mut self, id: u32, channel: u64, now: u64) {
        while let Some(message) = self.messages.get(id as usize)
            && message.planned_to < message.hops
            && message.first + u64::from(message.planned_to) < channel
        {
            let planned_to = message.planned_to;
            let change = self.plan(id, planned_to, now);
            self.pass_on_change(id, change, now);
            if self.messages[id as usize].planned_to == planned_to {
                return; // unreachable: the message ahead has joined that channel, and is planned further
            }
        }
    }

    /// Removes a received message.
    pub(super) fn remove(&mut self, id: u32, now: u64) {
        let message = &mut self.messages[id as usize];
        message.contact_cycle = u64::MAX;
        let (ahead, behind, direction) = (message.ahead, message.behind, message.direction as usize);
        self.orders[direction].remove(id, behind);
        // If only two are left on a ring, the other one is now alone.
        let is_last_but_one = ahead == behind && self.ring.is_some();
        let other = |neighbour| if is_last_but_one { NO_MESSAGE } else { neighbour };
        if let Some(ahead) = self.messages.get_mut(ahead as usize) {
            ahead.behind = other(behind);
        }
        if let Some(message) = self.messages.get_mut(behind as usize) {
            message.ahead = other(ahead);
            let change = self.plan_contact(behind);
            self.pass_on_change(behind, change, now);
        }
    }

    /// Handles the contact of a message with the one ahead, if it happens at `now`.
    pub(super) fn contact(&mut self, id: u32, now: u64) {
        let message = &mut self.messages[id as usize];
        if message.contact_cycle != now {
            return; // stale: it was planned again
        }
        message.contact_cycle = u64::MAX;
        let change = self.plan(id, self.messages[id as usize].contact_link, now);
        self.pass_on_change(id, change, now);
    }

    fn pass_on_change(&mut self, id: u32, change: Option<u32>, now: u64) {
        if let Some(link) = change {
            self.pass_on(id, link, now);
        }
    }

    /// Replans the messages behind in contact, after the trajectory of a message has changed from a link on.
    fn pass_on(&mut self, mut id: u32, mut link: u32, now: u64) {
        for number in 0.. {
            if number % PREFETCHED_TOGETHER == 0 {
                self.prefetch_behind(id);
            }
            let message = &self.messages[id as usize];
            let behind = message.behind;
            let Some(next) = self.messages.get(behind as usize) else { return };
            let channel = message.first + u64::from(link) + self.turn(behind);
            let change = if channel >= next.first + u64::from(next.free_from) {
                self.plan_contact(behind)
            } else {
                let Ok(from) = u32::try_from(channel.saturating_sub(next.first)) else { return };
                self.plan(behind, from, now)
            };
            let Some(changed) = change else { return };
            (id, link) = (behind, changed);
        }
    }

    /// Prefetches the data that the plans of the next messages behind another one need first.
    fn prefetch_behind(&self, id: u32) {
        let behind = self.orders[self.messages[id as usize].direction as usize].some_behind(id);
        self.prefetch(&behind[behind.len().saturating_sub(PREFETCHED_TOGETHER)..]);
    }

    /// Prefetches the data that plans of some messages need first.
    fn prefetch(&self, some: &[u32]) {
        for &id in some {
            prefetch_index(&self.messages, id as usize);
        }
        for &id in some {
            self.messages[id as usize].trajectory.prefetch();
        }
    }

    /// Counts the queue that a message joins at `now`, at the end of the cycle.
    pub(super) fn check_queue(&mut self, id: u32, link: u32, now: u64) {
        let message = &self.messages[id as usize];
        if link >= message.hops || message.trajectory.segments().is_empty() {
            return;
        }
        let is_over = link > 0 && link <= message.trajectory.first_known();
        if is_over || self.joined(message, link) != now {
            return; // stale: it was planned again
        }
        let (mut at, mut channel, mut length) = (id, message.first + u64::from(link), 0);
        loop {
            let message = &self.messages[at as usize];
            let Some(Ok(link)) = channel.checked_sub(message.first).map(u32::try_from) else { break };
            let is_over = link >= message.hops || link < message.trajectory.first_known();
            if is_over || message.trajectory.start(link, &self.slopes) <= now {
                break;
            }
            length += 1;
            let Some(next) = channel.checked_sub(self.turn(at)) else { break };
            (at, channel) = (message.ahead, next);
            if at == NO_MESSAGE || at == id {
                break;
            }
        }
        self.longest_queue = self.longest_queue.max(length);
    }
}
