//! Specifications: the choices of a user.

use std::num::{NonZeroU32, NonZeroU64};

use cubefold_derive::Words;
use cubefold_topology::{MAX_NODE_COUNT, Shape};

use crate::{
    ALGORITHMS, Algorithm, Operation, ShapeRequirement,
    algorithm::{first_device, is_cube_order},
};

/// The contents of the messages of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Words)]
pub enum Exchange {
    /// Every message carries all of a share.
    Whole,
    /// Messages carry only the blocks that the destination needs.
    #[default]
    Halving,
}

/// The number of ports of a node that an algorithm uses at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Words)]
pub enum Ports {
    /// One: a single share.
    #[default]
    #[word("1")]
    One,
    /// The vector of a collective is divided among all ports of a node, two a dimension; all exchanges of a step of
    /// a program on a cube go on at a time.
    All,
}

/// The order of messages that join a queue in one cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Words)]
pub enum MessageOrder {
    /// Messages to the ranks after their senders go first.
    #[default]
    Rotated,
    /// Messages of the lowest ranks, to the lowest ranks, go first.
    Listed,
}

/// The ranks that a pattern for powers of two leaves out on other numbers of ranks: `P - k`, `k` the greatest power of
/// two below `P`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Words)]
pub enum Fold {
    /// Of the first pairs of ranks the even ones are left out.
    #[default]
    Pairs,
    /// The last ranks are left out.
    Tail,
}

/// The channels of a ring or tree: rings or trees side by side that know the nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channels {
    /// Their number.
    pub count: NonZeroU32,
    /// The orders of the devices of a node, which the channels take in turn; empty for the model's orders.
    pub rings: Vec<Vec<u32>>,
}

/// A collective as a user asks for it (`docs/model.md` section 16).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectiveSpecification {
    /// The operation.
    pub operation: Operation,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The contents of messages, if the algorithm has a choice; none is `Halving`.
    pub exchange: Option<Exchange>,
    /// The number of ports used.
    pub ports: Ports,
    /// The logical shape of the ranks.
    pub shape: Shape,
    /// `M`: the units of the vector; a barrier ignores them.
    pub vector_units: u64,
    /// The root of broadcast, reduce, gather and scatter; unused by the others.
    pub root: u32,
    /// The cost of starting a step \[cycles\].
    pub compute_cycles: u64,
    /// The units reduced in a cycle; `None` if reducing takes no time.
    pub reduce_units_per_cycle: Option<NonZeroU64>,
    /// The number of chunks of each share, of an algorithm that has them.
    pub chunks: NonZeroU32,
    /// The order of the dimensions of the d-cube in recursive doubling, if it is not the order of steps.
    pub cube_dimensions: Option<Vec<u32>>,
    /// The order of the messages of `direct`.
    pub order: MessageOrder,
    /// The number of ranks of a node, `g`, at least 1; used by channels and by the rotated order.
    pub ranks_per_node: u32,
    /// The ranks that recursive doubling leaves out if their number is no power of two.
    pub fold: Fold,
    /// The channels of rings and trees; `None` for one ring, or trees that ignore nodes.
    pub channels: Option<Channels>,
}

/// A specification that no collective fulfils.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CollectiveError {
    /// The algorithm does not perform the operation.
    #[error("{algorithm} does not perform {operation}, expected {}", names(algorithm.descriptor().operations))]
    Operation {
        /// The algorithm.
        algorithm: Algorithm,
        /// The operation found.
        operation: Operation,
    },
    /// The algorithm is not defined for the shape.
    #[error("shape {}, expected {expected} for {algorithm}", lengths(found))]
    Shape {
        /// The algorithm.
        algorithm: Algorithm,
        /// The lengths found.
        found: Vec<u64>,
        /// The shapes for which it is defined.
        expected: ShapeRequirement,
    },
    /// The algorithm is defined for the shape, but not with exchange `whole`.
    #[error("shape {}, expected {expected} for {algorithm} with exchange whole", lengths(found))]
    WholeShape {
        /// The algorithm.
        algorithm: Algorithm,
        /// The lengths found.
        found: Vec<u64>,
        /// The shapes for which it is defined.
        expected: ShapeRequirement,
    },
    /// All ports for an algorithm without a choice of ports.
    #[error("all ports for {algorithm}, which has no choice of ports")]
    Ports {
        /// The algorithm.
        algorithm: Algorithm,
    },
    /// An exchange for an algorithm without a choice of exchange.
    #[error("exchange {} for {operation} by {algorithm}, which has no choice of exchange", exchange.name())]
    Exchange {
        /// The algorithm.
        algorithm: Algorithm,
        /// The operation.
        operation: Operation,
        /// The exchange found.
        exchange: Exchange,
    },
    /// A root that is no rank.
    #[error("root {root}, expected 0 to {greatest}")]
    Root {
        /// The root found.
        root: u32,
        /// The greatest rank.
        greatest: u64,
    },
    /// An order of cube dimensions for another algorithm than recursive doubling on one port.
    #[error("an order of cube dimensions for {algorithm} with ports {}, expected recursive-doubling with ports 1", ports.name())]
    OrderUnavailable {
        /// The algorithm.
        algorithm: Algorithm,
        /// The ports.
        ports: Ports,
    },
    /// An order of cube dimensions for ranks that are no cube.
    #[error("an order of cube dimensions for {ranks} ranks, expected a power of two")]
    FoldedOrder {
        /// The number of ranks.
        ranks: u64,
    },
    /// Channels of an algorithm that does not run as several.
    #[error("channels of {operation} by {algorithm}, expected {}", with_channels())]
    Channels {
        /// The algorithm.
        algorithm: Algorithm,
        /// The operation.
        operation: Operation,
    },
    /// Channels of groups that are not whole nodes.
    #[error("channels of groups of {ranks} ranks, {devices} a node, expected whole nodes in ascending order")]
    PartsOfNodes {
        /// The ranks of a group.
        ranks: u64,
        /// The ranks of a node.
        devices: u32,
    },
    /// A ring that does not have each device of a node once.
    #[error("ring {found:?}, expected each device of a node once: 0 to {greatest}")]
    Ring {
        /// The ring found.
        found: Vec<u32>,
        /// The greatest device.
        greatest: u32,
    },
    /// An order that does not have each cube dimension once.
    #[error("cube dimensions {found:?}, expected each of 0 to {greatest} once")]
    Order {
        /// The order found.
        found: Vec<u32>,
        /// The greatest cube dimension.
        greatest: u32,
    },
    /// Groups over no dimensions, over one twice, or over one that the shape does not have.
    #[error("over dimensions {found:?}, expected at least one of 0 to {greatest}, each once")]
    Dimensions {
        /// The dimensions found.
        found: Vec<usize>,
        /// The greatest dimension of the shape.
        greatest: usize,
    },
    /// More processes than can be numbered.
    #[error("{found} processes, expected fewer than {MAX_NODE_COUNT}")]
    TooManyProcesses {
        /// Ranks times shares.
        found: u128,
    },
    /// Too many pairs of ranks, of which only some exchange a block.
    #[error(
        "{algorithm} with {ranks} ranks for a vector of {units}, expected a unit for every rank of more than {most}"
    )]
    EmptyBlocks {
        /// The algorithm.
        algorithm: Algorithm,
        /// The number of ranks.
        ranks: u64,
        /// The units of the vector.
        units: u64,
        /// The most ranks whose blocks may be empty.
        most: u64,
    },
}

/// The most ranks whose blocks may be empty in an algorithm with a stage for every other rank, since it looks at every
/// pair of ranks.
const MAX_RANKS_WITHOUT_BLOCKS: u64 = 1 << 14;

/// Returns the names of operations with commas between them.
fn names(operations: &[Operation]) -> String {
    operations.iter().map(|operation| operation.name()).collect::<Vec<_>>().join(", ")
}

/// Returns the algorithms that run as channels, with their operations.
fn with_channels() -> String {
    let algorithms = ALGORITHMS.iter().filter(|algorithm| !algorithm.channel_operations.is_empty());
    algorithms
        .map(|algorithm| format!("{} ({})", algorithm.name, names(algorithm.channel_operations)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns lengths with crosses between them.
fn lengths(lengths: &[u64]) -> String {
    lengths.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}

impl CollectiveSpecification {
    /// Returns the specification with this operation, algorithm, shape and vector, and the defaults
    /// of everything else: exchange halving, one port, root 0, rotated order, a rank a node, no channels,
    /// computations that take no time.
    #[must_use]
    pub fn new(operation: Operation, algorithm: Algorithm, shape: Shape, vector_units: u64) -> Self {
        Self {
            operation,
            algorithm,
            exchange: None,
            ports: Ports::One,
            shape,
            vector_units,
            root: 0,
            compute_cycles: 0,
            reduce_units_per_cycle: None,
            chunks: Self::DEFAULT_CHUNKS,
            cube_dimensions: None,
            order: MessageOrder::default(),
            ranks_per_node: 1,
            fold: Fold::default(),
            channels: None,
        }
    }

    /// The default number of chunks.
    pub const DEFAULT_CHUNKS: NonZeroU32 = NonZeroU32::MIN.saturating_add(15);

    /// Returns the number of blocks, or chunks, of each share.
    #[must_use]
    pub fn block_count(&self) -> u64 {
        if self.algorithm.descriptor().has_chunks {
            return self.chunks.get().into();
        }
        let is_by_participant = self.is_folded() && self.operation == Operation::AllReduce;
        if is_by_participant { 1 << self.rank_count().ilog2() } else { self.rank_count() }
    }

    /// Whether messages carry blocks of the vector, rather than all of it or its chunks.
    #[must_use]
    pub fn divides_vector(&self) -> bool {
        let has_blocks = match self.operation {
            Operation::AllReduce
            | Operation::ReduceScatter
            | Operation::AllGather
            | Operation::AllToAll
            | Operation::Gather
            | Operation::Scatter => true,
            Operation::Broadcast | Operation::Reduce | Operation::Barrier => false,
        };
        has_blocks
            && !self.algorithm.descriptor().has_chunks
            && self.chosen_exchange() != Some(Exchange::Whole)
    }

    /// Returns the number of ranks `P`.
    #[must_use]
    pub fn rank_count(&self) -> u64 {
        self.shape.node_count()
    }

    /// Returns the number of shares `k`.
    #[must_use]
    pub fn share_count(&self) -> usize {
        let of_channel =
            self.algorithm.descriptor().shares.share_count(self.ports, self.shape.dimension_count());
        of_channel * self.channels.as_ref().map_or(1, |channels| channels.count.get() as usize)
    }

    /// Whether it is a pattern for powers of two on another number of ranks.
    #[must_use]
    pub fn is_folded(&self) -> bool {
        self.algorithm.descriptor().shapes == ShapeRequirement::RowOrSidesPowersOfTwo
            && self.shape.dimension_count() == 1
            && !self.rank_count().is_power_of_two()
    }

    /// Returns the contents of messages, if there is a choice.
    #[must_use]
    pub fn chosen_exchange(&self) -> Option<Exchange> {
        let has_choice = self.algorithm.descriptor().has_exchange(self.operation);
        has_choice.then(|| self.exchange.unwrap_or_default())
    }

    /// Returns the device with which each channel begins in a node; empty without channels.
    #[must_use]
    pub fn channel_starts(&self) -> Vec<u32> {
        let Some(channels) = &self.channels else { return vec![] };
        (0..channels.count.get())
            .map(|channel| first_device(channels, channel, self.ranks_per_node))
            .collect()
    }

    /// Checks that the algorithm performs the operation on the shape with these choices.
    ///
    /// # Errors
    ///
    /// See [`CollectiveError`].
    pub fn check(&self) -> Result<(), CollectiveError> {
        let (algorithm, operation) = (self.algorithm, self.operation);
        let descriptor = algorithm.descriptor();
        if !descriptor.operations.contains(&operation) {
            return Err(CollectiveError::Operation { algorithm, operation });
        }
        if let Some(exchange) = self.exchange
            && !descriptor.has_exchange(operation)
        {
            return Err(CollectiveError::Exchange { algorithm, operation, exchange });
        }
        if self.ports == Ports::All && !descriptor.has_ports() {
            return Err(CollectiveError::Ports { algorithm });
        }
        self.check_shape()?;
        if operation.descriptor().has_root && u64::from(self.root) >= self.rank_count() {
            return Err(CollectiveError::Root { root: self.root, greatest: self.rank_count() - 1 });
        }
        self.check_channels()?;
        self.check_order()
    }

    fn check_shape(&self) -> Result<(), CollectiveError> {
        let (algorithm, descriptor) = (self.algorithm, self.algorithm.descriptor());
        let found = || self.shape.lengths().to_vec();
        if !descriptor.shapes.is_met_by(&self.shape) {
            return Err(CollectiveError::Shape { algorithm, found: found(), expected: descriptor.shapes });
        }
        let expected = descriptor.whole_shapes;
        if self.exchange == Some(Exchange::Whole) && !expected.is_met_by(&self.shape) {
            return Err(CollectiveError::WholeShape { algorithm, found: found(), expected });
        }
        let processes = u128::from(self.rank_count()) * self.share_count() as u128;
        if processes >= MAX_NODE_COUNT.into() {
            return Err(CollectiveError::TooManyProcesses { found: processes });
        }
        let (ranks, units, most) = (self.rank_count(), self.vector_units, MAX_RANKS_WITHOUT_BLOCKS);
        if algorithm == Algorithm::Pairwise && ranks > most && units < ranks {
            return Err(CollectiveError::EmptyBlocks { algorithm, ranks, units, most });
        }
        Ok(())
    }

    fn check_channels(&self) -> Result<(), CollectiveError> {
        let Some(channels) = &self.channels else { return Ok(()) };
        let (algorithm, operation) = (self.algorithm, self.operation);
        if !algorithm.descriptor().channel_operations.contains(&operation) {
            return Err(CollectiveError::Channels { algorithm, operation });
        }
        let devices = self.ranks_per_node;
        if devices == 0 || !self.rank_count().is_multiple_of(devices.into()) {
            return Err(CollectiveError::PartsOfNodes { ranks: self.rank_count(), devices });
        }
        for ring in &channels.rings {
            let mut sorted = ring.clone();
            sorted.sort_unstable();
            if !sorted.into_iter().eq(0..devices) {
                return Err(CollectiveError::Ring { found: ring.clone(), greatest: devices - 1 });
            }
        }
        Ok(())
    }

    fn check_order(&self) -> Result<(), CollectiveError> {
        let Some(order) = &self.cube_dimensions else { return Ok(()) };
        if self.algorithm != Algorithm::RecursiveDoubling || self.ports != Ports::One {
            return Err(CollectiveError::OrderUnavailable { algorithm: self.algorithm, ports: self.ports });
        }
        if !self.rank_count().is_power_of_two() {
            return Err(CollectiveError::FoldedOrder { ranks: self.rank_count() });
        }
        let dimension_count = self.rank_count().ilog2();
        if !is_cube_order(order, dimension_count) {
            return Err(CollectiveError::Order { found: order.clone(), greatest: dimension_count - 1 });
        }
        Ok(())
    }
}
