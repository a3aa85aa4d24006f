//! Full-duplex and half-duplex links of networks, whose links lie in no dimensions.
//!
//! What a transmission occupies, a *resource*, is a channel (full-duplex) or a link (half-duplex). A message that finds an
//! idle one claims it, and departs at the end of the cycle; only a message that finds it claimed or busy is queued. Of those
//! that come in one cycle the one with the smallest key has the claim. So a hop without contention is one look at the
//! resource.
//!
//! All transmissions take equally long, so that those that begin in one cycle, a [`Batch`], end in one cycle, in the
//! order in which they began. They are numbered in that order, and a resource remembers the number of its last one: it is
//! busy if that is none of those that have ended, and claimed in this cycle if it is one of those that depart next.
//! Nothing is to be done for a resource when its transmission ends, unless it has a queue: then the batch wakes it.
//!
//! Messages have their keys with them, and a resource with a queue remembers the number of that instead: so a message that
//! is queued costs few looks at memory beside those of its queue.

mod claiming;
mod places;

use std::{collections::VecDeque, sync::Arc};

use cubefold_mapping::Placement;
use cubefold_topology::{NodeId, Resource, RouteChoice, RoutedMessage, narrow};
use prefetch_index::prefetch_index;

use self::places::Places;
use super::{Network, resource};
use crate::{
    Communication, Cycle, Cycles, Program,
    message_queue::{Joining, LongestQueue, MessageKey, MessageKeys, MessageQueue, Queued},
    slots::Slots,
};

/// The links of a network in modes 1 and 2.
#[derive(Debug)]
pub(super) struct ClaimedNetwork {
    link_time: Cycles, // occupancy, head and receipt of a transmission
    network: Arc<cubefold_topology::Network>,
    choice: RouteChoice,
    resource: Resource,
    /// By place, twice the number of the last transmission, counted from 1, in this cycle that of a claim; with a queue 1
    /// more than twice the number of that.
    resources: Vec<u32>,
    places: Places,
    queues: Slots<ClaimedQueue>,
    rest: Slots<Queued<RoutedMessage>>, // of the queues
    longest: LongestQueue<u32>,         // by number
    /// The messages that need their next resources in this cycle; then those that depart in it, each at the end of its
    /// channel.
    moving: Vec<RoutedMessage>,
    next: u32, // the number of the first that departs
    /// Of those that depart, ascending: all that are at their destinations at the ends of their channels, and some that are
    /// not.
    arriving: Vec<u32>,
    replacing: Vec<u32>, // those of them that have got the claims of others in this cycle
    contended: Vec<u32>, // places of claims that have got a queue in this cycle
    waiting: Vec<u32>,   // places with a queue whose transmissions have ended in this cycle
    batches: VecDeque<Batch>, // in progress, in ascending order of their ends
    spare: Vec<Batch>,   // emptied, for use again
    arrived: Vec<(u32, NodeId)>, // by number, the messages that are at their destinations in this cycle
    joining: Vec<Refused>, // of those that move together, which are to be queued
    setting_out: Vec<u32>, // of those that begin next, from the last on, the lengths of their routes
}

/// The queue of a resource.
#[derive(Debug)]
struct ClaimedQueue {
    messages: MessageQueue<RoutedMessage>,
    /// The number of the transmission for which the resource was claimed or busy when it got the queue: while that is a
    /// claim of this cycle, no message of the queue comes before it.
    claim: u32,
}

/// A message that has found a resource busy, claimed or with a queue.
#[derive(Debug, Clone, Copy)]
struct Refused {
    place: u32,
    direction: u32,
    message: RoutedMessage,
}

/// Transmissions that end together.
#[derive(Debug, Default)]
struct Batch {
    end: Cycle,
    first: u32, // the number of the first
    messages: Vec<RoutedMessage>,
    arriving: Vec<u32>, // of them, as in [`ClaimedNetwork`]
    waiting: Vec<u32>,  // places with a queue that are transmitting in it
}

/// The number of messages that move on together, so that their cache misses overlap.
const TOGETHER: usize = 64;

/// Behind a cycle with this number transmissions are numbered from 1 again: as many as there may be messages, so that
/// numbers stay below 2^31.
const MAX_NUMBER: u32 = 1 << 30;

impl ClaimedNetwork {
    /// The idle links of a network, for the messages of a program.
    ///
    /// # Panics
    ///
    /// When the links are single-direction, or those of a grid.
    pub(super) fn new<P: Program>(program: &P, placement: &Placement, communication: Communication) -> Self {
        let machine = placement.machine();
        #[expect(clippy::expect_used, reason = "documented under Panics")]
        let network = Arc::clone(machine.graph().expect("a network"));
        let choice = machine.route_choice().unwrap_or_default();
        let (places, resources) = Places::new(program, &network);
        Self {
            link_time: communication.timing().uniform_time(),
            network,
            choice,
            resource: resource(communication.links()),
            resources,
            places,
            queues: Slots::default(),
            rest: Slots::default(),
            longest: LongestQueue::new(),
            // A list that grew would be copied a few times, each time into memory that is new to the process.
            moving: Vec::with_capacity(usize::try_from(placement.process_count()).unwrap_or(0)),
            next: 1,
            arriving: vec![],
            replacing: vec![],
            contended: vec![],
            waiting: vec![],
            batches: VecDeque::new(),
            spare: vec![],
            arrived: vec![],
            joining: vec![],
            setting_out: vec![],
        }
    }

    /// Messages join the queues of their resources.
    #[inline(never)]
    fn join_queues(&mut self, now: Cycle) {
        for joining in &self.joining {
            self.prefetch(joining.place);
        }
        for joining in &self.joining {
            if let Some(queue) = self.queue(joining.place) {
                queue.prefetch_last(&self.rest);
            }
        }
        let mut joining = std::mem::take(&mut self.joining);
        for message in &mut joining {
            self.join_queue(message, now);
        }
        joining.clear();
        self.joining = joining;
    }

    /// Bytes that the links of a network take in a run at most, but for messages, where a link takes so many if all are kept.
    pub(super) fn bytes<P: Program>(
        program: &P,
        network: &cubefold_topology::Network,
        bytes_of_all: u64,
    ) -> u64 {
        Places::bytes(program, network, bytes_of_all)
    }

    /// Prefetches a resource's queue, or its claim.
    #[inline]
    fn prefetch(&self, place: u32) {
        let state = self.resources[place as usize];
        if state & 1 == 1 {
            self.queues.prefetch(state / 2);
        } else if let Some(claim) = (state / 2).checked_sub(self.next) {
            prefetch_index(&self.moving, claim as usize);
        }
    }

    /// The queue of a resource.
    #[inline]
    fn queue(&self, place: u32) -> Option<&MessageQueue<RoutedMessage>> {
        let state = self.resources[place as usize];
        (state & 1 == 1).then(|| &self.queues[state / 2].messages)
    }

    /// A message joins the queue of a resource that is busy, claimed or has a queue.
    fn join_queue(&mut self, refused: &mut Refused, now: Cycle) {
        let place = refused.place as usize;
        let state = self.resources[place];
        let (number, length) = if state & 1 == 1 {
            let number = state / 2;
            if let Some(claim) = self.queues[number].claim.checked_sub(self.next) {
                self.claim_first(claim, refused);
            }
            let new = Joining { message: &refused.message, direction: refused.direction, now };
            (number, self.queues[number].messages.join(new, &mut self.rest, &key))
        } else {
            let claim = state / 2;
            if let Some(own) = claim.checked_sub(self.next) {
                self.contended.push(refused.place);
                self.claim_first(own, refused);
            } else {
                let later = self.batches.partition_point(|batch| batch.first <= claim);
                if let Some(batch) = later.checked_sub(1).and_then(|its| self.batches.get_mut(its)) {
                    batch.waiting.push(refused.place);
                }
            }
            let new = Joining { message: &refused.message, direction: refused.direction, now };
            let number = self.queues.insert(|| ClaimedQueue { messages: MessageQueue::new(new), claim });
            self.resources[place] = 2 * number + 1;
            (number, 1)
        };
        self.longest.note(number, length);
    }

    /// Of a claim of this cycle and another message that needs its resource, the one with the smaller key has the claim; the
    /// other is to be queued.
    fn claim_first(&mut self, claim: u32, other: &mut Refused) {
        let claimed = &mut self.moving[claim as usize];
        if key(claimed) <= key(&other.message) {
            return;
        }
        if other.message.has_arrived() {
            self.replacing.push(claim);
        }
        // It comes to the same end of the link, or to the other.
        if claimed.node() != other.message.node() {
            other.direction = 1 - other.direction;
        }
        std::mem::swap(claimed, &mut other.message);
    }

    /// The first message of the queue of a resource whose transmission has ended departs with the next batch.
    #[inline]
    fn serve(&mut self, place: u32, batch: &mut Batch) {
        let number = self.resources[place as usize] / 2; // of its queue
        let queue = &mut self.queues[number].messages;
        let Some((_, first)) = queue.first() else { return };
        if first.has_arrived() {
            self.arriving.push(narrow(self.moving.len() as u64));
        }
        self.moving.push(*first);
        queue.remove_first(&mut self.rest, &key);
        if queue.is_empty() {
            self.queues.remove(number);
            self.resources[place as usize] = 2 * (self.next + narrow(self.moving.len() as u64 - 1));
        } else {
            batch.waiting.push(place);
        }
    }

    /// Numbers transmissions from 1 again, beginning with the first in progress.
    #[cold]
    fn renumber(&mut self) {
        let ended = self.batches.front().map_or(self.next, |oldest| oldest.first) - 1;
        for state in self.resources.iter_mut().filter(|state| **state & 1 == 0) {
            *state = (*state / 2).saturating_sub(ended) * 2;
        }
        for queue in self.queues.iter_mut() {
            queue.claim = queue.claim.saturating_sub(ended);
        }
        for batch in &mut self.batches {
            batch.first -= ended;
        }
        self.next -= ended;
    }
}

/// The key of a message: its tag, with its number for its destination, whose messages of one source are numbered in a row.
#[inline]
fn key(message: &RoutedMessage) -> MessageKey {
    let [stage, source, destination] = message.tag();
    MessageKey { stage, source, destination }
}

/// A leg is a whole route, links lying in no dimensions, and known by the place of its message among those that move.
impl Network for ClaimedNetwork {
    type Leg = u32;

    fn prepare(&mut self, ends: impl Iterator<Item = (NodeId, NodeId)>) {
        let ends = ends.filter(|(from, to)| from != to);
        self.network.set_out_together(self.choice, ends, &mut self.moving, &mut self.setting_out);
        self.setting_out.reverse();
    }

    #[inline]
    fn begin(&mut self, from: NodeId, to: NodeId) -> (u64, Option<u32>) {
        let next = self.moving.len() - self.setting_out.len();
        match self.setting_out.pop_if(|_| from != to) {
            None => (0, None),
            Some(links) => (links.into(), Some(narrow(next as u64))),
        }
    }

    /// A message is taken at its destination.
    #[inline]
    fn next_leg(&self, _: NodeId, _: NodeId) -> Option<u32> {
        None
    }

    fn next_end(&self) -> Option<Cycle> {
        self.batches.front().map(|batch| batch.end)
    }

    fn arrive(&mut self, now: Cycle, _: &impl MessageKeys) {
        let Some(mut batch) = self.batches.pop_front_if(|batch| batch.end == now) else { return };
        // Both are empty: what waited departed, and what moved.
        std::mem::swap(&mut self.waiting, &mut batch.waiting);
        std::mem::swap(&mut self.moving, &mut batch.messages);
        // From the last on: what comes into the place of a message is not at its destination.
        for index in batch.arriving.drain(..).rev() {
            if self.moving.get(index as usize).is_some_and(RoutedMessage::has_arrived) {
                let message = self.moving.swap_remove(index as usize);
                self.arrived.push((key(&message).destination, message.node()));
            }
        }
        self.spare.push(batch);
    }

    fn take_arrived(&mut self) -> Option<(u32, NodeId)> {
        self.arrived.pop()
    }

    #[inline]
    fn join(&mut self, message: u32, _: NodeId, leg: u32, _: Cycle, keys: &impl MessageKeys) {
        let MessageKey { stage, source, .. } = keys.key(message);
        self.moving[leg as usize].set_tag([stage, source, message]);
    }

    fn may_depart(&self) -> bool {
        !self.moving.is_empty() || !self.waiting.is_empty()
    }

    fn depart(&mut self, now: Cycle, _: &impl MessageKeys) {
        self.claim_all(now);
        let mut batch = self.spare.pop().unwrap_or_default();
        batch.waiting.append(&mut self.contended);
        let mut waiting = std::mem::take(&mut self.waiting);
        for together in waiting.chunks(TOGETHER) {
            for &place in together {
                prefetch_index(&self.resources, place as usize);
            }
            for &place in together {
                self.prefetch(place);
            }
            for &place in together {
                if let Some(queue) = self.queue(place) {
                    queue.prefetch_second(&self.rest);
                }
            }
            for &place in together {
                self.serve(place, &mut batch);
            }
        }
        waiting.clear();
        self.waiting = waiting;
        let queues = &self.queues;
        self.longest.end_cycle(|number| queues[number].messages.lengths());
        if self.moving.is_empty() {
            self.spare.push(batch);
            return;
        }
        (batch.end, batch.first) = (now + self.link_time, self.next);
        self.next += narrow(self.moving.len() as u64);
        std::mem::swap(&mut self.moving, &mut batch.messages);
        std::mem::swap(&mut self.arriving, &mut batch.arriving);
        self.batches.push_back(batch);
        if self.next > MAX_NUMBER {
            self.renumber();
        }
    }

    fn longest_queue(&self) -> u32 {
        self.longest.length()
    }
}

#[cfg(test)]
mod tests {
    use cubefold_mapping::{Hypercube, PlacementTable};
    use cubefold_topology::{LinkMode, Machine, MachineKind, TieRule};

    use super::*;
    use crate::{
        CubeProgram, StageRecord,
        hop::{HopEngine, HopInput, StartTimes},
    };

    /// What a run on a network says, whose links are as `change` makes them.
    fn run(
        placement: &Placement,
        links: LinkMode,
        hop: u64,
        change: impl FnOnce(&mut ClaimedNetwork),
    ) -> (Vec<StageRecord>, [Option<u64>; 2]) {
        let cube = Hypercube::new(6).unwrap();
        let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(2)).unwrap();
        let communication = Communication::new(links, Cycles::new(hop), TieRule::Direct).unwrap();
        let mut network = ClaimedNetwork::new(&program, placement, communication);
        change(&mut network);
        let input = HopInput { program: &program, placement, communication, starts: StartTimes::Together };
        let mut records = vec![];
        let traffic = HopEngine::whole(&input, network, &mut records).run().unwrap();
        records.sort_unstable_by_key(|record| (record.stage, record.process));
        (records, [Some(traffic.hops), traffic.longest_queue.map(u64::from)])
    }

    /// The processes of a 6-cube on nodes of a network, in no order.
    fn placement(kind: MachineKind) -> Placement {
        let machine = Machine::of_dimensions(kind, 6).unwrap();
        let nodes = (0..64).map(|label| NodeId::new(label * 37 % 64)).collect();
        Placement::Table(PlacementTable::new(&machine, nodes).unwrap())
    }

    const SETTINGS: [(LinkMode, u64); 3] =
        [(LinkMode::FullDuplex, 1), (LinkMode::FullDuplex, 3), (LinkMode::HalfDuplex, 2)];

    #[test]
    fn messages_that_set_out_together_take_their_own_routes() {
        for kind in [MachineKind::ShuffleExchange, MachineKind::WrappedButterfly] {
            let placement = placement(kind);
            let nodes = placement.nodes();
            for (links, hop) in SETTINGS {
                for record in run(&placement, links, hop, |_| {}).0 {
                    let own = record.process.label() as usize;
                    let distance = placement.machine().distance(nodes[own ^ 1 << record.stage], nodes[own]);
                    assert_eq!(record.transfer, Cycles::new(hop * distance), "{kind} {links:?} {record:?}");
                }
            }
        }
    }

    #[test]
    fn resources_that_get_their_places_when_they_are_needed_change_nothing() {
        let placement = placement(MachineKind::DeBruijn);
        for (links, hop) in SETTINGS {
            let needed = |network: &mut ClaimedNetwork| {
                (network.places, network.resources) = Places::needed(256);
            };
            assert_eq!(run(&placement, links, hop, needed), run(&placement, links, hop, |_| {}));
        }
    }

    #[test]
    fn transmissions_that_are_numbered_again_change_nothing() {
        let placement = placement(MachineKind::DeBruijn);
        for (links, hop) in SETTINGS {
            let run = |first| run(&placement, links, hop, |network| network.next = first);
            let expected = run(1);
            assert!(expected.1[1] > Some(1));
            // From the last number before 2^31 that leaves room for a message of each process there is no way on.
            let firsts = (0..1000).step_by(23).map(|before| MAX_NUMBER - before).chain([2 * MAX_NUMBER - 70]);
            for first in firsts {
                assert_eq!(run(first), expected, "{links:?} {hop} {first}");
            }
        }
    }
}
