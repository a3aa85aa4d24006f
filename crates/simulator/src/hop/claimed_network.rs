//! Full-duplex and half-duplex links of networks, whose links lie in no dimensions.
//!
//! What a transmission occupies, a *resource*, is a channel (full-duplex) or a link (half-duplex). A message that finds an
//! idle one claims it, and departs at the end of the cycle; only a message that finds it claimed or busy is queued, and
//! the claim with it. So a hop without contention is one look at the resource.
//!
//! All transmissions take equally long, so that those that begin in one cycle, a [`Batch`], end in one cycle, in the
//! order in which they began. A resource remembers the number of the batch of its last transmission: it is busy if
//! that has not ended, and claimed in this cycle if that is the batch that departs next. Nothing is to be done for a
//! resource when its transmission ends, unless it has a queue: then the batch wakes it.

use std::{collections::VecDeque, hint::black_box, sync::Arc};

use cubefold_topology::{Machine, NodeId, RouteChoice, RoutedMessage, narrow};

use super::{Arbitration, Network};
use crate::{
    Communication, Cycle, Cycles,
    channel_queue::{ChannelQueues, MessageKeys},
};

/// The links of a network in modes 1 and 2.
#[derive(Debug)]
pub(super) struct ClaimedNetwork {
    link_time: Cycles, // occupancy, head and receipt of a transmission
    network: Arc<cubefold_topology::Network>,
    choice: RouteChoice,
    arbitration: Arbitration,
    resources: Vec<Resource>,
    queues: ChannelQueues<RoutedMessage>,
    claims: Vec<RoutedMessage>, // that depart in this cycle, each at the end of its channel
    contended: Vec<u32>,        // places that several messages have claimed in this cycle
    waiting: Vec<u32>,          // places with a queue whose transmissions have ended in this cycle
    batches: VecDeque<Batch>,   // in progress, in ascending order of their ends
    spare: Vec<Batch>,          // emptied, for use again
    ended: u32,                 // batches so far
    arrived: Vec<RoutedMessage>, // in this cycle at their destinations
    moving: Vec<RoutedMessage>, // that need their next resources in this cycle
}

/// A channel or a link.
#[derive(Debug, Clone, Copy, Default)]
struct Resource {
    state: u32, // twice the number of the batch of its last transmission, counted from 1; odd with a queue
    claim: u32, // in this cycle, if the batch is that which departs next
}

/// Transmissions that end together.
#[derive(Debug, Default)]
struct Batch {
    end: Cycle,
    messages: Vec<RoutedMessage>,
    waiting: Vec<u32>, // places with a queue that are transmitting in it
}

/// The number of messages that move on together, so that their cache misses overlap.
const TOGETHER: usize = 32;

/// The greatest number of a batch; behind it batches are numbered from 1 again.
const MAX_BATCHES: u32 = u32::MAX >> 1;

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
            resources: vec![Resource::default(); places],
            queues: ChannelQueues::new(places),
            claims: vec![],
            contended: vec![],
            waiting: vec![],
            batches: VecDeque::new(),
            spare: vec![],
            ended: 0,
            arrived: vec![],
            moving: vec![],
        }
    }

    /// All messages that move on in this cycle claim their next resources.
    fn claim_all(&mut self, now: Cycle, keys: &impl MessageKeys) {
        // The same for all of them: a resource is idle without a queue when the batch of its last transmission has ended.
        let (idle, claimed) = (2 * self.ended, 2 * self.next_batch());
        let (mut moving, mut nodes, mut places) = (std::mem::take(&mut self.moving), vec![], vec![]);
        for together in moving.chunks_mut(TOGETHER) {
            nodes.extend(together.iter().map(RoutedMessage::node));
            self.network.advance(self.choice, together, &mut places);
            if self.arbitration == Arbitration::PerLink {
                for (place, (&from, message)) in places.iter_mut().zip(nodes.iter().zip(&*together)) {
                    *place = self.network.link_number(from, message.node());
                }
            }
            for &place in &places {
                black_box(self.resources[place as usize].state);
            }
            for ((place, from), &message) in places.drain(..).zip(nodes.drain(..)).zip(&*together) {
                let resource = &mut self.resources[place as usize];
                if resource.state <= idle && resource.state & 1 == 0 {
                    // Fewer are claimed than there are channels.
                    *resource = Resource { state: claimed, claim: narrow(self.claims.len() as u64) };
                    self.claims.push(message);
                } else {
                    let direction = u32::from(message.node() < from);
                    self.join_queue((place as usize, direction), message, now, keys);
                }
            }
        }
        moving.clear();
        self.moving = moving;
    }

    /// The number of the batch that departs next.
    fn next_batch(&self) -> u32 {
        self.ended + narrow(self.batches.len() as u64) + 1 // renumbered before it grows too large
    }

    /// A message joins the queue of a resource that is busy, claimed or has a queue.
    #[inline(never)]
    fn join_queue(
        &mut self,
        (place, direction): (usize, u32),
        message: RoutedMessage,
        now: Cycle,
        keys: &impl MessageKeys,
    ) {
        let Resource { state, claim } = self.resources[place];
        let key = |message: RoutedMessage| keys.key(message.number());
        if state & 1 == 0 {
            self.resources[place].state |= 1;
            let own = narrow(place as u64); // below 2^32, the channels of a network
            if state / 2 == self.next_batch() {
                let first = self.claims[claim as usize];
                // It comes to the same end of the link, or to the other.
                let its = if first.node() == message.node() { direction } else { 1 - direction };
                self.queues.join(place, its, first, now, key);
                self.contended.push(own);
            } else if let Some(batch) = self.batches.get_mut((state / 2 - self.ended - 1) as usize) {
                batch.waiting.push(own);
            }
        }
        self.queues.join(place, direction, message, now, key);
    }

    /// The first message of the queue of a resource; none without a queue.
    fn take_first(&mut self, place: u32) -> Option<RoutedMessage> {
        let queue = self.queues.number(place as usize)?;
        self.queues.take_first(queue).map(|(_, message)| message)
    }

    /// Numbers batches from 1 again.
    #[cold]
    fn renumber(&mut self) {
        for Resource { state, .. } in &mut self.resources {
            *state = (*state / 2).saturating_sub(self.ended) * 2 + (*state & 1);
        }
        self.ended = 0;
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
        self.ended += 1;
        // It is empty: what waited departed.
        std::mem::swap(&mut self.waiting, &mut batch.waiting);
        for message in batch.messages.drain(..) {
            let list = if message.has_arrived() { &mut self.arrived } else { &mut self.moving };
            list.push(message);
        }
        self.spare.push(batch);
    }

    fn take_arrived(&mut self) -> Option<(u32, NodeId)> {
        self.arrived.pop().map(|message| (message.number(), message.node()))
    }

    fn join(&mut self, message: u32, _: NodeId, leg: RoutedMessage, _: Cycle, _: &impl MessageKeys) {
        self.moving.push(leg.numbered(message));
    }

    fn depart(&mut self, now: Cycle, keys: &impl MessageKeys) {
        self.claim_all(now, keys);
        let next = self.next_batch();
        let mut batch = self.spare.pop().unwrap_or_default();
        let mut contended = std::mem::take(&mut self.contended);
        for place in contended.drain(..) {
            if let Some(first) = self.take_first(place) {
                self.claims[self.resources[place as usize].claim as usize] = first;
                batch.waiting.push(place); // another one has claimed it
            }
        }
        self.contended = contended;
        let mut waiting = std::mem::take(&mut self.waiting);
        for place in waiting.drain(..) {
            let Some(queue) = self.queues.number(place as usize) else { continue };
            let Some((_, first)) = self.queues.take_first(queue) else { continue };
            self.claims.push(first);
            let is_empty = self.queues.close_if_empty(queue).is_some();
            self.resources[place as usize].state = 2 * next + u32::from(!is_empty);
            if !is_empty {
                batch.waiting.push(place);
            }
        }
        self.waiting = waiting;
        self.queues.end_cycle();
        if self.claims.is_empty() {
            self.spare.push(batch);
            return;
        }
        batch.end = now + self.link_time;
        std::mem::swap(&mut self.claims, &mut batch.messages);
        self.batches.push_back(batch);
        if next >= MAX_BATCHES {
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

    /// What a run on a network says, whose first batch has a number.
    fn run(
        placement: &Placement,
        links: LinkMode,
        hop: u64,
        first_batch: u32,
    ) -> (Vec<StageRecord>, [Option<u64>; 2]) {
        let cube = Hypercube::new(6).unwrap();
        let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(2)).unwrap();
        let communication = Communication::new(links, Cycles::new(hop), TieRule::Direct).unwrap();
        let mut network = ClaimedNetwork::new(placement.machine(), communication);
        network.ended = first_batch - 1;
        let input = HopInput { program: &program, placement, communication, starts: StartTimes::Together };
        let mut records = vec![];
        let traffic = HopEngine::whole(&input, network, &mut records).run().unwrap();
        records.sort_unstable_by_key(|record| (record.stage, record.process));
        (records, [Some(traffic.hops), traffic.longest_queue.map(u64::from)])
    }

    #[test]
    fn batches_that_are_numbered_again_change_nothing() {
        let machine = Machine::of_dimensions(MachineKind::DeBruijn, 6).unwrap();
        let nodes = (0..64).map(|label| NodeId::new(label * 37 % 64)).collect();
        let placement = Placement::Table(PlacementTable::new(&machine, nodes).unwrap());
        for (links, hop) in [(LinkMode::FullDuplex, 1), (LinkMode::FullDuplex, 3), (LinkMode::HalfDuplex, 2)]
        {
            let expected = run(&placement, links, hop, 1);
            assert!(expected.1[1] > Some(1));
            for before in 0..20 {
                assert_eq!(
                    run(&placement, links, hop, MAX_BATCHES - before),
                    expected,
                    "{links:?} {hop} {before}"
                );
            }
        }
    }
}
