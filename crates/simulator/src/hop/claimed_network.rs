//! Full-duplex and half-duplex links of networks, whose links lie in no dimensions.
//!
//! What a transmission occupies, a *resource*, is a channel (full-duplex) or a link (half-duplex). A message that finds an
//! idle one claims it, and departs at the end of the cycle; only a message that finds it claimed or busy is queued, and
//! the claim with it. So a hop without contention is one look at the resource.
//!
//! All transmissions take equally long, so that those that begin in one cycle, a [`Batch`], end in one cycle, in the
//! order in which they began. They are numbered in that order, and a resource remembers the number of its last one: it is
//! busy if that is none of those that have ended, and claimed in this cycle if it is one of those that depart next.
//! Nothing is to be done for a resource when its transmission ends, unless it has a queue: then the batch wakes it.

use std::{collections::VecDeque, hint::black_box, sync::Arc};

use cubefold_topology::{Machine, NodeId, RouteChoice, RoutedMessage, narrow};

use super::{Arbitration, Network};
use crate::{
    Communication, Cycle, Cycles,
    channel_queue::{ChannelQueues, MessageKey, MessageKeys},
};

/// The links of a network in modes 1 and 2.
#[derive(Debug)]
pub(super) struct ClaimedNetwork {
    link_time: Cycles, // occupancy, head and receipt of a transmission
    network: Arc<cubefold_topology::Network>,
    choice: RouteChoice,
    arbitration: Arbitration,
    /// By place, twice the number of the last transmission, counted from 1, in this cycle that of a claim; odd with a queue.
    resources: Vec<u32>,
    queues: ChannelQueues<QueuedMessage>,
    claims: Vec<RoutedMessage>, // that depart in this cycle, each at the end of its channel
    next: u32,                  // the number of the first of them
    contended: Vec<u32>,        // places that several messages have claimed in this cycle
    waiting: Vec<u32>,          // places with a queue whose transmissions have ended in this cycle
    batches: VecDeque<Batch>,   // in progress, in ascending order of their ends
    spare: Vec<Batch>,          // emptied, for use again
    arrived: Vec<RoutedMessage>, // in this cycle at their destinations
    moving: Vec<RoutedMessage>, // that need their next resources in this cycle
    joining: Vec<Joining>,      // of those that move together, which are to be queued
}

/// A message in a queue. Its key is beside it, so that no process is looked at when two are compared.
#[derive(Debug, Clone, Copy)]
struct QueuedMessage {
    message: RoutedMessage,
    key: MessageKey,
}

/// A message that has found a resource busy, claimed or with a queue.
#[derive(Debug, Clone, Copy)]
struct Joining {
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
    waiting: Vec<u32>, // places with a queue that are transmitting in it
}

/// The number of messages that move on together, so that their cache misses overlap.
const TOGETHER: usize = 32;

/// Behind a cycle with this number transmissions are numbered from 1 again: as many as there may be messages, so that
/// numbers stay below 2^31.
const MAX_NUMBER: u32 = 1 << 30;

impl ClaimedNetwork {
    /// The idle links of a network.
    ///
    /// # Panics
    ///
    /// When the links are single-direction, or those of a grid.
    pub(super) fn new(machine: &Machine, communication: Communication) -> Self {
        #[expect(clippy::expect_used, reason = "documented under Panics")]
        let network = Arc::clone(machine.graph().expect("a network"));
        let choice = machine.route_choice().unwrap_or_default();
        let arbitration = Arbitration::new(communication.links());
        let places = match arbitration {
            Arbitration::PerChannel => network.channel_numbers(choice),
            Arbitration::PerLink => 2 * network.link_count(),
        };
        let places = usize::try_from(places).unwrap_or(usize::MAX);
        Self {
            link_time: communication.timing().uniform_time(),
            network,
            choice,
            arbitration,
            resources: vec![0; places],
            queues: ChannelQueues::new(places),
            claims: vec![],
            next: 1,
            contended: vec![],
            waiting: vec![],
            batches: VecDeque::new(),
            spare: vec![],
            arrived: vec![],
            moving: vec![],
            joining: vec![],
        }
    }

    /// All messages that move on in this cycle claim their next resources.
    fn claim_all(&mut self, now: Cycle, keys: &impl MessageKeys) {
        // The same for all of them: a resource without a queue is idle when its last transmission has ended.
        let idle = 2 * self.batches.front().map_or(self.next, |oldest| oldest.first);
        let (mut moving, mut nodes, mut places) = (std::mem::take(&mut self.moving), vec![], vec![]);
        for together in moving.chunks_mut(TOGETHER) {
            places.clear();
            let is_per_link = self.arbitration == Arbitration::PerLink;
            if is_per_link {
                nodes.clear();
                nodes.extend(together.iter().map(RoutedMessage::node));
            }
            self.network.advance(self.choice, together, &mut places);
            if is_per_link {
                for (place, (&from, message)) in places.iter_mut().zip(nodes.iter().zip(&*together)) {
                    *place = self.network.link_number(from, message.node());
                }
            }
            for &place in &places {
                black_box(self.resources[place as usize]);
            }
            for (index, (&place, &message)) in places.iter().zip(&*together).enumerate() {
                let state = &mut self.resources[place as usize];
                if *state < idle && *state & 1 == 0 {
                    *state = 2 * (self.next + narrow(self.claims.len() as u64)); // below 2^31, as MAX_NUMBER says
                    self.claims.push(message);
                } else {
                    let is_down = is_per_link && message.node() < nodes[index];
                    self.joining.push(Joining { place, direction: is_down.into(), message });
                }
            }
            if !self.joining.is_empty() {
                self.join_queues(now, keys);
            }
        }
        moving.clear();
        self.moving = moving;
    }

    /// Messages join the queues of their resources.
    #[inline(never)]
    fn join_queues(&mut self, now: Cycle, keys: &impl MessageKeys) {
        for joining in &self.joining {
            self.queues.fetch(joining.place as usize);
            black_box(keys.key(joining.message.number()));
        }
        let mut joining = std::mem::take(&mut self.joining);
        for message in joining.drain(..) {
            self.join_queue(message, now, keys);
        }
        self.joining = joining;
    }

    /// A message joins the queue of a resource that is busy, claimed or has a queue.
    fn join_queue(&mut self, joining: Joining, now: Cycle, keys: &impl MessageKeys) {
        let Joining { place: own, direction, message } = joining;
        let with_key = |message: RoutedMessage| QueuedMessage { message, key: keys.key(message.number()) };
        let place = own as usize;
        let state = self.resources[place];
        if state & 1 == 0 {
            self.resources[place] |= 1;
            if let Some(claim) = (state / 2).checked_sub(self.next) {
                let first = self.claims[claim as usize];
                // It comes to the same end of the link, or to the other.
                let its = if first.node() == message.node() { direction } else { 1 - direction };
                self.queues.join(place, its, with_key(first), now, |queued| queued.key);
                self.contended.push(own);
            } else {
                let later = self.batches.partition_point(|batch| batch.first <= state / 2);
                if let Some(batch) = later.checked_sub(1).and_then(|its| self.batches.get_mut(its)) {
                    batch.waiting.push(own);
                }
            }
        }
        self.queues.join(place, direction, with_key(message), now, |queued| queued.key);
    }

    /// The first message of the queue of a resource; none without a queue.
    fn take_first(&mut self, place: u32) -> Option<RoutedMessage> {
        let queue = self.queues.number(place as usize)?;
        self.queues.take_first(queue).map(|(_, queued)| queued.message)
    }

    /// The first message of the queue of a resource whose transmission has ended departs with the next batch.
    #[inline]
    fn serve(&mut self, place: u32, batch: &mut Batch) {
        let Some(queue) = self.queues.number(place as usize) else { return };
        let Some((_, first)) = self.queues.take_first(queue) else { return };
        let number = self.next + narrow(self.claims.len() as u64);
        self.claims.push(first.message);
        let is_empty = self.queues.close_if_empty(queue).is_some();
        self.resources[place as usize] = 2 * number + u32::from(!is_empty);
        if !is_empty {
            batch.waiting.push(place);
        }
    }

    /// Numbers transmissions from 1 again, beginning with the first in progress.
    #[cold]
    fn renumber(&mut self) {
        let ended = self.batches.front().map_or(self.next, |oldest| oldest.first) - 1;
        for state in &mut self.resources {
            *state = (*state / 2).saturating_sub(ended) * 2 + (*state & 1);
        }
        for batch in &mut self.batches {
            batch.first -= ended;
        }
        self.next -= ended;
    }
}

/// A leg is a whole route: links lie in no dimensions.
impl Network for ClaimedNetwork {
    type Leg = RoutedMessage;

    fn begin(&self, from: NodeId, to: NodeId) -> (u64, Option<RoutedMessage>) {
        let (links, message) = self.network.set_out(self.choice, from, to);
        (links.into(), (from != to).then_some(message))
    }

    /// A message is taken at its destination.
    #[inline]
    fn next_leg(&self, _: NodeId, _: NodeId) -> Option<RoutedMessage> {
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
        let mut place = 0;
        while let Some(message) = self.moving.get(place) {
            if message.has_arrived() {
                self.arrived.push(self.moving.swap_remove(place));
            } else {
                place += 1;
            }
        }
        self.spare.push(batch);
    }

    fn take_arrived(&mut self) -> Option<(u32, NodeId)> {
        self.arrived.pop().map(|message| (message.number(), message.node()))
    }

    fn join(&mut self, message: u32, _: NodeId, leg: RoutedMessage, _: Cycle, _: &impl MessageKeys) {
        self.moving.push(leg.numbered(message));
    }

    fn may_depart(&self) -> bool {
        !self.moving.is_empty() || !self.waiting.is_empty()
    }

    fn depart(&mut self, now: Cycle, keys: &impl MessageKeys) {
        self.claim_all(now, keys);
        let mut batch = self.spare.pop().unwrap_or_default();
        let mut contended = std::mem::take(&mut self.contended);
        for place in contended.drain(..) {
            if let Some(first) = self.take_first(place) {
                self.claims[(self.resources[place as usize] / 2 - self.next) as usize] = first;
                batch.waiting.push(place); // another one has claimed it
            }
        }
        self.contended = contended;
        let mut waiting = std::mem::take(&mut self.waiting);
        for together in waiting.chunks(TOGETHER) {
            for &place in together {
                self.queues.fetch(place as usize);
            }
            for &place in together {
                self.serve(place, &mut batch);
            }
        }
        waiting.clear();
        self.waiting = waiting;
        self.queues.end_cycle();
        if self.claims.is_empty() {
            self.spare.push(batch);
            return;
        }
        (batch.end, batch.first) = (now + self.link_time, self.next);
        self.next += narrow(self.claims.len() as u64);
        std::mem::swap(&mut self.claims, &mut batch.messages);
        self.batches.push_back(batch);
        if self.next > MAX_NUMBER {
            self.renumber();
        }
    }

    fn longest_queue(&self) -> u32 {
        self.queues.longest()
    }
}

#[cfg(test)]
mod tests {
    use cubefold_mapping::{Hypercube, Placement, PlacementTable};
    use cubefold_topology::{LinkMode, MachineKind, TieRule};

    use super::*;
    use crate::{
        CubeProgram, StageRecord,
        hop::{HopEngine, HopInput, StartTimes},
    };

    /// What a run on a network says, whose first transmission has a number.
    fn run(
        placement: &Placement,
        links: LinkMode,
        hop: u64,
        first: u32,
    ) -> (Vec<StageRecord>, [Option<u64>; 2]) {
        let cube = Hypercube::new(6).unwrap();
        let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(2)).unwrap();
        let communication = Communication::new(links, Cycles::new(hop), TieRule::Direct).unwrap();
        let mut network = ClaimedNetwork::new(placement.machine(), communication);
        network.next = first;
        let input = HopInput { program: &program, placement, communication, starts: StartTimes::Together };
        let mut records = vec![];
        let traffic = HopEngine::whole(&input, network, &mut records).run().unwrap();
        records.sort_unstable_by_key(|record| (record.stage, record.process));
        (records, [Some(traffic.hops), traffic.longest_queue.map(u64::from)])
    }

    #[test]
    fn transmissions_that_are_numbered_again_change_nothing() {
        let machine = Machine::of_dimensions(MachineKind::DeBruijn, 6).unwrap();
        let nodes = (0..64).map(|label| NodeId::new(label * 37 % 64)).collect();
        let placement = Placement::Table(PlacementTable::new(&machine, nodes).unwrap());
        for (links, hop) in [(LinkMode::FullDuplex, 1), (LinkMode::FullDuplex, 3), (LinkMode::HalfDuplex, 2)]
        {
            let expected = run(&placement, links, hop, 1);
            assert!(expected.1[1] > Some(1));
            // From the last number before 2^31 that leaves room for a message of each process there is no way on.
            let firsts = (0..1000).step_by(23).map(|before| MAX_NUMBER - before).chain([2 * MAX_NUMBER - 70]);
            for first in firsts {
                assert_eq!(run(&placement, links, hop, first), expected, "{links:?} {hop} {first}");
            }
        }
    }
}
