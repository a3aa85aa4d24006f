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

use std::{collections::VecDeque, ops::Range};

use cubefold_topology::{Direction, Leg, Machine, NodeId, Sign, narrow};

pub(super) use self::word::{Layout, Word};
use self::{
    batch::BufferPool,
    direction_index::DirectionIndex,
    line_block::{FlowCycle, LineBlock, block_size},
};
use super::{Arbitration, Network};
use crate::{Communication, Cycle, Cycles, channel_queue::MessageKeys};

/// The network of modes 1 and 2 on a grid; `W` holds a message in flight.
#[derive(Debug)]
pub(super) struct Flow<W> {
    rules: Rules<W>,
    directions: Vec<DirectionIndex>, // in ascending order
    own: Vec<OwnBlocks>,             // by dimension
    blocks: Vec<LineBlock<W>>,       // of this share, by dimension
    buffers: BufferPool<W>,
    ends: VecDeque<Cycle>, // at which transmissions end, in ascending order
    arrived: usize,        // the block from which arrived messages are taken
    share: Share,
}

/// A share of a machine's lines: that of one of several workers, who divide the lines of every
/// dimension among them, neighbouring lines to each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    /// The number of the worker.
    pub(super) worker: usize,
    /// The number of workers, at least 1.
    pub(super) workers: usize,
}

impl Share {
    /// All lines.
    pub(super) const WHOLE: Self = Self { worker: 0, workers: 1 };

    /// The worker whose share has this one of `count` blocks.
    fn owner(self, block: usize, count: usize) -> usize {
        block * self.workers / count
    }

    /// The blocks of this share, of `count`.
    fn own(self, count: usize) -> Range<usize> {
        let first = |worker: usize| (worker * count).div_ceil(self.workers);
        first(self.worker)..first(self.worker + 1)
    }
}

/// The blocks of one dimension.
#[derive(Debug)]
struct OwnBlocks {
    first: usize, // the number of the first block of this share in the dimension
    index: usize, // its index among all blocks of this share
    count: usize, // of blocks of the dimension in all shares
}

/// What all blocks have in common.
#[derive(Debug)]
struct Rules<W> {
    link_time: Cycles,       // occupancy, head and receipt of a transmission
    multi_cycle_links: bool, // whether transmissions may be in progress while others begin: `T_c > 1`
    arbitration: Arbitration,
    layout: Layout,
    steps: [W; 2], // what a hop adds to a word, by sign
    two_links: W,  // words below it have one link left
}

impl<W: Word> Flow<W> {
    /// The network of a share of `machine` while nothing moves, for messages of the given layout.
    ///
    /// # Panics
    ///
    /// When the links are single-direction.
    pub(super) fn new(machine: &Machine, communication: Communication, layout: Layout, share: Share) -> Self {
        let rules = Rules::new(communication, layout);
        let nodes = machine.node_count();
        let (mut blocks, mut directions, mut own) = (vec![], vec![], vec![]);
        for dimension in machine.shape().dimensions() {
            let size = block_size(machine.axes()[dimension.index()].length(), nodes, share.workers as u64);
            for sign in Sign::BOTH {
                directions.push(DirectionIndex::new(machine, Direction { dimension, sign }, size));
            }
            let block = |at: u64| at * size..((at + 1) * size).min(nodes);
            // No more blocks than links, of which there are at most 2^32.
            let count = usize::try_from(nodes.div_ceil(size)).unwrap_or(usize::MAX);
            let owned = share.own(count);
            own.push(OwnBlocks { first: owned.start, index: blocks.len(), count });
            blocks.extend(owned.map(|at| LineBlock::new(dimension, block(at as u64), rules.arbitration)));
        }
        let arrived = blocks.len();
        Self {
            rules,
            directions,
            own,
            blocks,
            buffers: BufferPool::default(),
            ends: VecDeque::new(),
            arrived,
            share,
        }
    }

    /// The worker whose share has the first channel of a leg from `node`.
    pub(super) fn owner(&self, node: NodeId, leg: Leg) -> usize {
        let entry = self.directions[leg.direction.index()].enter(node.index(), narrow(leg.hops));
        self.share.owner(entry.block, self.own[leg.direction.dimension.index()].count)
    }
}

impl<W: Word> Rules<W> {
    fn new(communication: Communication, layout: Layout) -> Self {
        let link_time = communication.timing().uniform_time();
        Self {
            link_time,
            multi_cycle_links: link_time > Cycles::new(1),
            arbitration: Arbitration::new(communication.links()),
            layout,
            steps: Sign::BOTH.map(|sign| layout.step(sign)),
            two_links: layout.two_links(),
        }
    }
}

impl<W: Word> Network for Flow<W> {
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
                return Some((self.rules.layout.message(word), NodeId::new(node)));
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
        let own = &self.own[direction / 2];
        self.blocks[entry.block - own.first + own.index].join(direction % 2, word, &mut cycle);
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
