//! Full-duplex and half-duplex links of grids: messages flow, and arbitration takes place only
//! where two can meet.
//!
//! A message in flight is a [`Word`] in the list of its direction, and a hop adds a constant to it.
//! A transmission occupies a *resource*: a channel (full-duplex) or a link (half-duplex).
//! A bit for each resource says whether it is occupied: by a transmission, by a queue, or in this
//! cycle by the first message that needs it. A message that finds it occupied is queued: then the
//! resource has a queue, and before it is granted the smallest key among the messages that need it
//! is found. So a hop without contention costs one access to one bit.
//!
//! Messages of one direction that arrive in the same cycle never meet: each leaves another channel.
//! Under full-duplex links therefore a message that continues straight on need not claim its next
//! channel against others that do, and with `T_c = 1`, if all transmissions end before the next
//! start, against no message at all.
//!
//! A message stays on its line until its leg ends. So a cycle is computed [`LineBlock`] by
//! [`LineBlock`], each as many lines as fit in the L2 cache with the messages on them.
//!
//! The transport is exact if all messages occupy a link for one common time, which also passes until they join their
//! next queue or are received ([`MessageTiming::uniform`]): a batch that arrives releases its resources in the same event.
//!
//! [`MessageTiming::uniform`]: crate::MessageTiming::uniform

mod batch;
mod direction_index;
mod line_block;
mod word;

use std::collections::VecDeque;

use cubefold_topology::{Channel, Direction, Extent, Leg, LinkMode, Machine, NodeId, Sign, narrow};

pub(crate) use self::word::Word;
use self::{
    batch::BufferPool,
    direction_index::DirectionIndex,
    line_block::{FlowCycle, LineBlock, block_size},
    word::Layout,
};
use super::{Arrivals, Messages, Packet, Transport};
use crate::{
    Communication, Cycle, Cycles, MessageRoutes, Program, ServiceOrder, engine::MessageTable,
    engine::border::Border, routes::GridRoutes, slab::Slab,
};

/// The number of messages whose records are prefetched together.
const PREFETCHED_TOGETHER: usize = 32;

/// Messages on full-duplex or half-duplex links of a grid, or of a slab of it.
#[derive(Debug)]
pub(crate) struct Flow<'run> {
    machine: &'run Machine,
    routes: GridRoutes,
    rules: FlowPlan,
    directions: Vec<DirectionIndex>, // in ascending order
    first_blocks: Vec<usize>,        // by dimension, the index of the first of its blocks
    blocks: Vec<LineBlock>,          // by dimension
    buffers: BufferPool,
    ends: VecDeque<Cycle>,      // at which transmissions end, in ascending order
    at_end: Vec<(u32, NodeId)>, // of a chunk, the messages whose stretches are over, and where they are
}

/// The constants of all blocks: the common link time of a program's messages, and the layout of their words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlowPlan {
    link_time: Cycles,       // occupancy, head and receipt of a transmission
    multi_cycle_links: bool, // whether transmissions may be in progress while others begin: `T_c > 1`
    resource: Resource,
    layout: Layout,
    steps: [Word; 2], // what a hop adds to a word, by sign
    two_links: Word,  // words below it have one link left
}

impl FlowPlan {
    /// The plan of a program on a machine; `None` if messages differ in their times on a link, links are granted by
    /// other rules, or there are too many nodes and messages for a message to fit in a word.
    pub(crate) fn new(
        program: &dyn Program,
        machine: &Machine,
        communication: Communication,
    ) -> Option<Self> {
        let units = program.facts().uniform_units.filter(|_| !program.special().has_no_stages())?;
        let resource = match communication.links() {
            LinkMode::FullDuplex => Resource::Channel,
            LinkMode::HalfDuplex => Resource::Link,
            LinkMode::SingleDirection => return None,
        };
        let is_granted_alone = communication.service() == ServiceOrder::FirstCome
            && communication.routes() == MessageRoutes::OfMachine
            && communication.message_cost() == Cycles::ZERO;
        let are_alike = machine.link_times().is_none();
        if !is_granted_alone || !are_alike || communication.is_eager(units) || machine.graph().is_some() {
            return None;
        }
        let link_time = communication.timing_of(units).uniform()?;
        // By rendezvous, the messages under way to a process are of one stage.
        let messages = program.facts().messages_of_stage();
        let longest = machine.extents().map(Extent::diameter).max().unwrap_or(1);
        let layout = Layout::new(machine.node_count(), messages, longest);
        (layout.bits() <= Word::BITS).then(|| Self {
            link_time,
            multi_cycle_links: link_time > Cycles::new(1),
            resource,
            layout,
            steps: Sign::BOTH.map(|sign| layout.step(sign)),
            two_links: layout.two_links(),
        })
    }
}

/// Estimates the bytes for a run of a program.
pub(crate) fn bytes(program: &dyn Program, machine: &Machine) -> u64 {
    const BYTES_PER_MESSAGE: u64 = 96; // in a list of its direction, which grows to its double, and in a queue
    const BYTES_PER_CHANNEL: u64 = 12;
    let messages = program.facts().messages_of_stage();
    messages.saturating_mul(BYTES_PER_MESSAGE) + machine.channel_places() * BYTES_PER_CHANNEL
}

impl<'run> Flow<'run> {
    /// The links of `machine` whose near ends are in a slab of it, while nothing moves, for messages that flow as
    /// planned.
    pub(crate) fn new(
        machine: &'run Machine,
        communication: Communication,
        rules: FlowPlan,
        slab: &Slab,
    ) -> Self {
        let nodes = slab.node_count();
        let (mut blocks, mut directions, mut first_blocks) = (vec![], vec![], vec![]);
        for dimension in machine.shape().dimensions() {
            let coordinates = slab.coordinates(machine, dimension);
            let size = block_size(coordinates.end - coordinates.start, nodes);
            for sign in Sign::BOTH {
                directions.push(DirectionIndex::new(machine, slab, Direction { dimension, sign }, size));
            }
            let block = |at: u64| at * size..((at + 1) * size).min(nodes);
            first_blocks.push(blocks.len());
            blocks.extend(
                (0..nodes.div_ceil(size)).map(|at| LineBlock::new(dimension, block(at), rules.resource)),
            );
        }
        Self {
            machine,
            routes: GridRoutes::new(machine, communication.tie()),
            rules,
            directions,
            first_blocks,
            blocks,
            buffers: BufferPool::default(),
            ends: VecDeque::new(),
            at_end: vec![],
        }
    }

    /// A message at a node needs the first channel of a leg from `now` on, in this engine or another.
    #[inline]
    fn join<B: Border>(
        &mut self,
        (message, node): (u32, NodeId),
        leg: Leg,
        now: Cycle,
        messages: &Messages<'_, B>,
        arrivals: &mut Arrivals,
    ) {
        if !B::IS_ALONE {
            let channel = Channel { node, direction: leg.direction };
            if let Some(engine) = messages.elsewhere(self.machine.link(channel).near) {
                arrivals.leaving.push((engine, Packet::first(message, 0, node, leg, 0)));
                return;
            }
        }
        // A leg is shorter than 2^32.
        self.enter((message, node), leg.direction.index(), narrow(leg.hops), now, &messages.table);
    }

    /// A message at a node joins the queue of a channel of this engine, the first of `hops` in its direction.
    #[inline]
    fn enter(
        &mut self,
        (message, node): (u32, NodeId),
        direction: usize,
        hops: u32,
        now: Cycle,
        messages: &MessageTable,
    ) {
        let entry = self.directions[direction].enter(node.index(), hops);
        let word = self.rules.layout.word(entry.links, message, entry.position);
        let mut cycle = FlowCycle { rules: &self.rules, now, keys: messages, buffers: &mut self.buffers };
        self.blocks[self.first_blocks[direction / 2] + entry.block].join(direction % 2, word, &mut cycle);
    }

    /// Messages of a block that end their stretches start the next or are received.
    fn turn<B: Border>(
        &mut self,
        block: usize,
        now: Cycle,
        messages: &Messages<'_, B>,
        arrivals: &mut Arrivals,
    ) {
        let mut at_end = std::mem::take(&mut self.at_end);
        loop {
            let Self { blocks, directions, rules, .. } = self;
            let block = &mut blocks[block];
            let first = 2 * block.dimension.index();
            let ended = std::iter::from_fn(|| block.take_arrived()).take(PREFETCHED_TOGETHER);
            at_end.extend(ended.map(|(sign, word)| {
                let message = rules.layout.message(word);
                messages.table.prefetch(message);
                (message, directions[first + sign].leave(rules.layout.position(word)))
            }));
            if at_end.is_empty() {
                break;
            }
            for (message, node) in at_end.drain(..) {
                match self.routes.next_leg(node, messages.table.record(message).to) {
                    Some(leg) => self.join((message, node), leg, now, messages, arrivals),
                    None => arrivals.received.push(message),
                }
            }
        }
        self.at_end = at_end;
    }
}

/// The resource that a message occupies while it crosses a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resource {
    /// The channel: messages in both directions at once.
    Channel,
    /// The link.
    Link,
}

impl Transport for Flow<'_> {
    #[inline]
    fn next(&self) -> Option<Cycle> {
        self.ends.front().copied()
    }

    fn arrive<B: Border>(&mut self, now: Cycle, messages: &Messages<'_, B>, arrivals: &mut Arrivals) {
        if self.ends.pop_front_if(|end| *end == now).is_none() {
            return;
        }
        for block in &mut self.blocks {
            block.arrive(now, &self.rules);
        }
        for block in 0..self.blocks.len() {
            self.turn(block, now, messages, arrivals);
        }
    }

    #[inline]
    fn set_out<B: Border>(
        &mut self,
        message: u32,
        from: NodeId,
        now: Cycle,
        messages: &Messages<'_, B>,
        arrivals: &mut Arrivals,
    ) -> u32 {
        let (distance, leg) = self.routes.begin(from, messages.table.record(message).to);
        if let Some(leg) = leg {
            self.join((message, from), leg, now, messages, arrivals);
        }
        narrow(distance) // below 2^32, the number of nodes
    }

    fn admit<B: Border>(&mut self, packet: &Packet, now: Cycle, messages: &Messages<'_, B>) {
        let (direction, hops) = (packet.direction() as usize, packet.transit.hops);
        self.enter((packet.message(), packet.node()), direction, hops, now, &messages.table);
    }

    fn depart<B: Border>(&mut self, now: Cycle, messages: &Messages<'_, B>) {
        let mut departed = false;
        let keys = &messages.table;
        let mut cycle = FlowCycle { rules: &self.rules, now, keys, buffers: &mut self.buffers };
        for block in &mut self.blocks {
            departed |= block.depart(&mut cycle);
        }
        if departed {
            self.ends.push_back(now + self.rules.link_time);
        }
    }

    fn longest_queue(&self) -> u32 {
        self.blocks.iter().map(LineBlock::longest_queue).max().unwrap_or(0)
    }
}
