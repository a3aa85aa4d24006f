//! Channels, or under half-duplex links, each with its queue.
//!
//! A *resource* is what a transmission occupies: a channel or a link. All that is asked of one
//! lies in half a cache line. Its queue is a list in a slab that all share: packets by the cycle in which they joined
//! and then by key (`docs/model.md` section 13.2). Under round-robin a resource has a queue for each of its inputs.

use cubefold_topology::narrow;

use super::{message_table::MessageTable, packet_network::Packet};
use crate::{Cycle, Cycles, channel_queue::MessageKeys};

/// The state of all resources, by place.
#[derive(Debug)]
pub(super) struct ChannelTable {
    resources: Vec<Resource>,
    inputs: Option<InputQueues>, // under round-robin
    slab: Vec<Queued>,
    vacant: Vec<u32>,  // the slots of the slab that are free
    grown: Vec<usize>, // places whose queues may have become the longest in this cycle
    longest: u32,
}

#[derive(Debug, Clone, Copy)]
struct Resource {
    idle_from: Cycle,
    queue: Ends,
    lengths: [u32; 2], // packets that move `+`, and `-`
}

/// The first and last packet of a queue: 1 + the slot, 0 of an empty queue.
#[derive(Debug, Clone, Copy, Default)]
struct Ends {
    first: u32,
    last: u32,
}

/// A packet in a queue.
#[derive(Debug, Clone, Copy)]
struct Queued {
    packet: Packet,
    previous: u32, // as in [`Ends`]
    next: u32,
    joined: Cycle,
}

/// The queues of the inputs of every resource.
#[derive(Debug)]
struct InputQueues {
    per_resource: usize,
    queues: Vec<Ends>,
    taken: Vec<u32>, // by resource, the input that it took from last
}

impl ChannelTable {
    /// So many resources, idle and without queues; with `inputs` inputs each where these are served
    /// in turn.
    pub(super) fn new(resources: usize, inputs: Option<usize>) -> Self {
        let resource = Resource { idle_from: Cycle::START, queue: Ends::default(), lengths: [0; 2] };
        let inputs = inputs.map(|per_resource| InputQueues {
            per_resource,
            queues: vec![Ends::default(); resources * per_resource],
            // Before the first, the node itself, comes the last.
            taken: vec![narrow(per_resource as u64 - 1); resources],
        });
        Self {
            resources: vec![resource; resources],
            inputs,
            slab: vec![],
            vacant: vec![],
            grown: vec![],
            longest: 0,
        }
    }

    /// Bytes for so many resources with so many inputs that are served in turn, and queues of so many packets in all.
    pub(super) fn bytes(resources: u64, inputs: u64, packets: u64) -> u64 {
        let input = inputs.saturating_mul(size_of::<Ends>() as u64);
        let resource = (size_of::<Resource>() as u64).saturating_add(input);
        let queued = (size_of::<Queued>() + size_of::<u32>()) as u64;
        resources.saturating_mul(resource).saturating_add(packets.saturating_mul(queued))
    }

    /// The cycle from which a resource is idle.
    #[inline]
    pub(super) fn idle_from(&self, place: usize) -> Cycle {
        self.resources[place].idle_from
    }

    /// Whether packets wait for a resource.
    #[inline]
    pub(super) fn has_queue(&self, place: usize) -> bool {
        self.resources[place].lengths != [0; 2]
    }

    /// The most packets of one direction that were in one queue at the end of a cycle.
    pub(super) fn longest(&self) -> u32 {
        self.longest
    }

    /// A packet joins the queue of a resource at `now`, the latest cycle so far; returns whether the queue was empty.
    #[inline]
    pub(super) fn join(&mut self, place: usize, packet: Packet, now: Cycle, messages: &MessageTable) -> bool {
        let resource = &mut self.resources[place];
        let was_empty = resource.lengths == [0; 2];
        let length = &mut resource.lengths[packet.direction() as usize % 2];
        *length += 1;
        if *length > self.longest {
            self.grown.push(place);
        }
        let queue = match &mut self.inputs {
            None => &mut resource.queue,
            Some(inputs) => &mut inputs.queues[place * inputs.per_resource + packet.input() as usize],
        };
        let new = Queued { packet, previous: queue.last, next: 0, joined: now };
        let slot = match self.vacant.pop() {
            Some(vacant) => {
                self.slab[vacant as usize] = new;
                vacant + 1
            }
            None => {
                self.slab.push(new);
                narrow(self.slab.len() as u64) // below 2^32, more than memory holds
            }
        };
        if queue.last == 0 {
            *queue = Ends { first: slot, last: slot };
        } else {
            insert(&mut self.slab, queue, slot, messages);
        }
        was_empty
    }

    /// Takes the packet that is next for a resource, which it then occupies for as long as `occupancy` says from `now`
    /// on; none without a queue.
    #[inline]
    pub(super) fn begin(
        &mut self,
        place: usize,
        now: Cycle,
        occupancy: impl Fn(&Packet) -> Cycles,
    ) -> Option<(Packet, Cycles)> {
        let resource = &mut self.resources[place];
        let queue = match &mut self.inputs {
            None => &mut resource.queue,
            Some(inputs) => inputs.next(place)?,
        };
        let slot = queue.first.checked_sub(1)?;
        let Queued { packet, next, .. } = self.slab[slot as usize];
        queue.first = next;
        match next.checked_sub(1) {
            Some(next) => self.slab[next as usize].previous = 0,
            None => queue.last = 0,
        }
        self.vacant.push(slot);
        resource.lengths[packet.direction() as usize % 2] -= 1;
        let occupancy = occupancy(&packet);
        resource.idle_from = now + occupancy;
        Some((packet, occupancy))
    }

    /// Ends a cycle, in which no packet joins or is taken any more.
    pub(super) fn end_cycle(&mut self) {
        while let Some(place) = self.grown.pop() {
            let [plus, minus] = self.resources[place].lengths;
            self.longest = self.longest.max(plus).max(minus);
        }
    }
}

impl InputQueues {
    /// The queue of the next input of a resource that has one, in turn.
    fn next(&mut self, place: usize) -> Option<&mut Ends> {
        let own = &mut self.queues[place * self.per_resource..(place + 1) * self.per_resource];
        let after = self.taken[place] as usize + 1;
        let order = (after..self.per_resource).chain(0..after);
        let input = order.into_iter().find(|&input| own[input].first != 0)?;
        self.taken[place] = narrow(input as u64);
        Some(&mut own[input])
    }
}

/// Inserts the packet in `slot`, the last so far to join, into a queue that is not empty, from the end: it comes
/// before those only that joined in the same cycle and have greater keys.
#[inline]
fn insert(slab: &mut [Queued], queue: &mut Ends, slot: u32, messages: &MessageTable) {
    let mut previous = queue.last;
    let mut next = 0;
    while let Some(place) = previous.checked_sub(1) {
        if !precedes(&slab[slot as usize - 1], &slab[place as usize], messages) {
            break;
        }
        next = previous;
        previous = slab[place as usize].previous;
    }
    let own = &mut slab[slot as usize - 1];
    (own.previous, own.next) = (previous, next);
    match previous.checked_sub(1) {
        Some(previous) => slab[previous as usize].next = slot,
        None => queue.first = slot,
    }
    match next.checked_sub(1) {
        Some(next) => slab[next as usize].previous = slot,
        None => queue.last = slot,
    }
}

/// Whether a packet that joined last comes before another.
#[inline]
fn precedes(one: &Queued, other: &Queued, messages: &MessageTable) -> bool {
    let key = |queued: &Queued| (messages.key(queued.packet.message()), queued.packet.number());
    one.joined == other.joined && key(one) < key(other)
}
