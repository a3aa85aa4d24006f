//! The reasons why a description makes no machine.

use std::ops::RangeInclusive;

use crate::{
    DerivationError, HostDimension, MAX_TREE_NODES, MachineKind, NetworkError, NodeId, ShapeError,
    TreeParameters, switched::MAX_NETWORK_NODES,
};

/// A reason why a description makes no machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// The lengths make no shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A line or a ring with more than one length.
    #[error("{found} lengths, expected 1: a {kind} has one dimension")]
    OneDimension {
        /// The kind asked for.
        kind: MachineKind,
        /// The number of lengths found.
        found: usize,
    },
    /// A hypercube with a length other than 2.
    #[error("length of dimension {dimension} is {length}, expected 2: all lengths of a hypercube are 2")]
    HypercubeLength {
        /// The dimension.
        dimension: HostDimension,
        /// Its length as found.
        length: u64,
    },
    /// More or fewer wrap entries than dimensions.
    #[error("{found} wrap entries, expected {expected}, one for each dimension")]
    WrapEntries {
        /// The number found.
        found: usize,
        /// The number of dimensions.
        expected: usize,
    },
    /// A kind of network where lengths are given.
    #[error("lengths for a {kind}, expected a number of dimensions")]
    NoGrid {
        /// The kind asked for.
        kind: MachineKind,
    },
    /// A kind that is not made from a number of dimensions.
    #[error("dimensions for a {kind}, which is not made from their number")]
    NoFamily {
        /// The kind asked for.
        kind: MachineKind,
    },
    /// More or fewer dimensions than a network of the kind may have.
    #[error("{found} dimensions of a {kind}, expected {} to {}", expected.start(), expected.end())]
    Dimensions {
        /// The kind asked for.
        kind: MachineKind,
        /// The number found.
        found: u64,
        /// The numbers that are possible.
        expected: RangeInclusive<u64>,
    },
    /// The links make no network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// More or fewer twists than dimensions, or entries of a twist.
    #[error("{found} entries of a twist, expected {expected}, one for each dimension")]
    TwistEntries {
        /// The number found.
        found: usize,
        /// The number of dimensions.
        expected: usize,
    },
    /// A wraparound that adds to its own dimension.
    #[error("the wraparound of dimension {dimension} adds {found} to its own coordinate, expected 0")]
    OwnTwist {
        /// The dimension, counted from 1.
        dimension: usize,
        /// The twist found.
        found: u64,
    },
    /// Parameters of a network with switches that are too small.
    #[error("a {kind} without hosts, switches or links, expected at least 1 of each and 2 hosts")]
    NoHosts {
        /// The kind asked for.
        kind: MachineKind,
    },
    /// A network with switches and one host.
    #[error("a {kind} with 1 host, expected at least 2")]
    OneHost {
        /// The kind asked for.
        kind: MachineKind,
    },
    /// Parameters of a network with switches that are too large.
    #[error("{} hosts and switches with {} links, expected at most {MAX_NETWORK_NODES} and 2^27", in_words(*.nodes), in_words(*.links))]
    TooLarge {
        /// The hosts and switches.
        nodes: u64,
        /// The links.
        links: u64,
    },
    /// Numbers of a tree that are too small or too large.
    #[error("a {parameters} has {nodes} nodes, expected at most {MAX_TREE_NODES}")]
    Tree {
        /// The numbers.
        parameters: TreeParameters,
        /// The nodes that it would have.
        nodes: u64,
    },
    /// A graph that an edge grammar does not derive, or that is too large.
    #[error("the graph of words of {size} symbols: {reason}")]
    Grammar {
        /// The symbols of a word.
        size: u32,
        /// The reason.
        reason: DerivationError,
    },
    /// A failed link between nodes that are not linked.
    #[error("a failed link between nodes {one} and {other}, expected two that are linked")]
    NoSuchLink {
        /// An end.
        one: NodeId,
        /// The other end.
        other: NodeId,
    },
    /// Failures that leave no route between two nodes.
    #[error("no route between nodes {one} and {other}: the machine falls apart")]
    FallsApart {
        /// A node.
        one: NodeId,
        /// One on the other side.
        other: NodeId,
    },
    /// Failures that leave fewer than two nodes for processes.
    #[error("{hosts} nodes for processes are left, expected at least 2")]
    NothingLeft {
        /// The nodes left.
        hosts: u64,
    },
}

/// A count as text; one that was cut off at the greatest number says so.
fn in_words(count: u64) -> String {
    if count > 1 << 62 { "over 2^62".to_owned() } else { count.to_string() }
}
