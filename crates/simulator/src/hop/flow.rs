//! Full-duplex and half-duplex links of grids: messages flow, and arbitration takes place only
//! where two can meet.
//!
//! A message in flight is a [`Word`] in the list of its direction, and a hop adds a constant to it.
//! What a transmission occupies, a *resource*, is a channel (full-duplex) or a link (half-duplex).
//! A bit for each resource says whether it is occupied: by a transmission, by a queue, or in this
//! cycle by the first message that needs it. A message that finds it occupied is queued: then the
//! resource has a queue, and before it is granted the smallest key among the messages that need it
//! is found. So a hop without contention costs one access to one bit.
//!
//! Messages of one direction that arrive in the same cycle never meet: each leaves another channel.
//! Under full-duplex links therefore a message that continues straight on need not claim its next
//! channel against others that do, and with `T_c = 1`, when all transmissions end before the next
//! begin, against no message at all.
//!
//! A message stays on its line until its leg ends. So a cycle is computed [`LineBlock`] by
//! [`LineBlock`], each as many lines as fit in the L2 cache with all that waits and moves on them.
//!
//! The network is exact for messages whose transmissions have one time
//! ([`MessageTiming::uniform`]): a batch that arrives releases its resources in the same event.
//!
//! [`MessageTiming::uniform`]: crate::MessageTiming::uniform

mod batch;
mod direction_index;
mod line_block;
mod word;

use std::collections::VecDeque;

use cubefold_topology::{Direction, Leg, Machine, NodeId, Resource, Sign, narrow};

pub(super) use self::word::{Layout, Word};
use self::{
    batch::BufferPool,
    direction_index::DirectionIndex,
    line_block::{FlowCycle, LineBlock, block_size},
};
use super::{Network, resource};
use crate::{Communication, Cycle, Cycles, message_queue::MessageKeys, routes::GridRoutes, slabs::Slab};

/// The network of modes 1 and 2 on a grid, or on a slab of it; `W` holds a message in flight.
#[derive(Debug)]
pub(super) struct Flow<W> {
    routes: GridRoutes,
    rules: Rules<W>,
    directions: Vec<DirectionIndex>, // in ascending order
    first_blocks: Vec<usize>,        // by dimension, the index of the first of its blocks
    blocks: Vec<LineBlock<W>>,       // by dimension
    buffers: BufferPool<W>,
    ends: VecDeque<Cycle>, // at which transmissions end, in ascending order
    arrived: usize,        // the block from which arrived messages are taken
}

/// What all blocks have in common.
#[derive(Debug)]
struct Rules<W> {
    link_time: Cycles,       // occupancy, head and receipt of a transmission
    multi_cycle_links: bool, // whether transmissions may be in progress while others begin: `T_c > 1`
    resource: Resource,
    layout: Layout,
    steps: [W; 2], // what a hop adds to a word, by sign
    two_links: W,  // words below it have one link left
}

impl<W: Word> Flow<W> {
    /// The network of all links of `machine` whose near ends are in a slab of it, while nothing moves, for messages
    /// of the given layout.
    ///
    /// # Panics
    ///
    /// When the links are single-direction.
    pub(super) fn new(machine: &Machine, communication: Communication, layout: Layout, slab: &Slab) -> Self {
        let rules = Rules::new(communication, layout);
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
        let arrived = blocks.len();
        let (buffers, ends) = (BufferPool::default(), VecDeque::new());
        let routes = GridRoutes::new(machine, communication.tie());
        Self { routes, rules, directions, first_blocks, blocks, buffers, ends, arrived }
    }
}

impl<W: Word> Rules<W> {
    fn new(communication: Communication, layout: Layout) -> Self {
        let link_time = communication.timing().uniform_time();
        Self {
            link_time,
            multi_cycle_links: link_time > Cycles::new(1),
            resource: resource(communication.links()),
            layout,
            steps: Sign::BOTH.map(|sign| layout.step(sign)),
            two_links: layout.two_links(),
        }
    }
}

impl<W: Word> Network for Flow<W> {
    type Leg = Leg;

    #[inline]
    fn begin(&mut self, from: NodeId, to: NodeId) -> (u64, Option<Leg>) {
        self.routes.begin(from, to)
    }

    #[inline]
    fn next_leg(&self, at: NodeId, to: NodeId) -> Option<Leg> {
        self.routes.next_leg(at, to)
    }

    fn next_end(&self) -> Option<Cycle> {
        self.ends.front().copied()
    }

    fn arrive(&mut self, now: Cycle, _: &impl MessageKeys) {
        if self.ends.pop_front_if(|end| *end == now).is_some() {
            for block in &mut self.blocks {
                block.arrive(now, &self.rules);
            }
            self.arrived = 0;
        }
    }

    fn take_arrived(&mut self) -> Option<(u32, NodeId)> {
        while let Some(block) = self.blocks.get_mut(self.arrived) {
            if let Some((sign, word)) = block.take_arrived() {
                let position = self.rules.layout.position(word);
                let node = self.directions[2 * block.dimension().index() + sign].leave(position);
                return Some((self.rules.layout.message(word), node));
            }
            self.arrived += 1;
        }
        None
    }

    fn join(&mut self, message: u32, node: NodeId, leg: Leg, now: Cycle, keys: &impl MessageKeys) {
        let direction = leg.direction.index();
        // A leg is shorter than 2^32.
        let entry = self.directions[direction].enter(node.index(), narrow(leg.hops));
        let word = self.rules.layout.word(entry.links, message, entry.position);
        let mut cycle = FlowCycle { rules: &self.rules, now, keys, buffers: &mut self.buffers };
        self.blocks[self.first_blocks[direction / 2] + entry.block].join(direction % 2, word, &mut cycle);
    }

    fn may_depart(&self) -> bool {
        self.blocks.iter().any(LineBlock::may_depart)
    }

    fn depart(&mut self, now: Cycle, keys: &impl MessageKeys) {
        let mut departed = false;
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
