//! Machines: a shape whose dimensions wrap or do not, or a network.

use std::{ops::RangeInclusive, sync::Arc};

use crate::{
    Axis, Channel, Direction, Displacement, Extent, HostDimension, Leg, Link, MachineKind, Network,
    NetworkError, NodeError, NodeId, Route, Shape, ShapeError, TieRule, Wrap, axes_distance,
    network::{dimension_range, family},
};

/// A host: a **grid**, which is a mesh, a torus, or anything between (`docs/model.md` section 1), or a network.
///
/// The shape says how nodes are numbered. In a grid it also says which nodes are neighbours; a network has links of its
/// own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    kind: MachineKind,
    shape: Shape,
    axes: Vec<Axis>,               // one for each dimension of the shape; none in a network
    network: Option<Arc<Network>>, // of a network
    dimensions: Option<u64>,       // that a network was made from
}

/// A description that makes no machine.
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
        /// How many were found.
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
        /// How many were found.
        found: u64,
        /// How many there may be.
        expected: RangeInclusive<u64>,
    },
    /// The links make no network.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl Machine {
    /// The machine of a kind with these lengths, wrapping as the kind says.
    ///
    /// # Errors
    ///
    /// When the lengths make no shape, a line or ring has more than one, a hypercube one other than 2, or the kind is
    /// a network.
    pub fn new(kind: MachineKind, lengths: &[u64]) -> Result<Self, MachineError> {
        Self::with_wraps(kind, lengths, &vec![kind.wrap(); lengths.len()])
    }

    /// The machine of a kind with these lengths, each dimension wrapping as said.
    ///
    /// # Errors
    ///
    /// As [`Machine::new`]; and when there are more or fewer `wraps` than lengths.
    pub fn with_wraps(kind: MachineKind, lengths: &[u64], wraps: &[Wrap]) -> Result<Self, MachineError> {
        let shape = Shape::new(lengths)?;
        match kind {
            MachineKind::Line | MachineKind::Ring if lengths.len() != 1 => {
                return Err(MachineError::OneDimension { kind, found: lengths.len() });
            }
            MachineKind::Hypercube => {
                if let Some(dimension) = shape.dimensions().find(|&dimension| shape.length(dimension) != 2) {
                    let length = shape.length(dimension);
                    return Err(MachineError::HypercubeLength { dimension, length });
                }
            }
            MachineKind::Line | MachineKind::Ring | MachineKind::Mesh | MachineKind::Torus => {}
            MachineKind::CubeConnectedCycles
            | MachineKind::WrappedButterfly
            | MachineKind::Butterfly
            | MachineKind::ShuffleExchange
            | MachineKind::DeBruijn
            | MachineKind::BinaryTree
            | MachineKind::MeshOfTrees
            | MachineKind::Network
            | MachineKind::RandomTree
            | MachineKind::Caterpillar => return Err(MachineError::NoGrid { kind }),
        }
        if wraps.len() != lengths.len() {
            return Err(MachineError::WrapEntries { found: wraps.len(), expected: lengths.len() });
        }
        let extents = lengths.iter().zip(wraps).map(|(&length, &wrap)| Extent::new(length, wrap));
        let axes = Axis::all(&shape, extents);
        Ok(Self { kind, shape, axes, network: None, dimensions: None })
    }

    /// The network of a kind that is made from a number of dimensions; of a tree, its levels of links.
    ///
    /// # Errors
    ///
    /// When the kind is none of those, or there are more or fewer dimensions than
    /// [`MachineKind::network_dimensions`].
    pub fn of_dimensions(kind: MachineKind, dimensions: u64) -> Result<Self, MachineError> {
        let expected = dimension_range(kind).ok_or(MachineError::NoFamily { kind })?;
        let Some((lengths, network)) = family(kind, dimensions) else {
            return Err(MachineError::Dimensions { kind, found: dimensions, expected });
        };
        let shape = Shape::new(&lengths)?;
        let network = Some(Arc::new(network?));
        Ok(Self { kind, shape, axes: vec![], network, dimensions: Some(dimensions) })
    }

    /// A network with links of its own; nodes are numbered from 0 on.
    ///
    /// # Errors
    ///
    /// When there are fewer than 2 nodes.
    pub fn network(kind: MachineKind, network: Network) -> Result<Self, MachineError> {
        let shape = Shape::new(&[network.node_count()])?;
        Ok(Self { kind, shape, axes: vec![], network: Some(Arc::new(network)), dimensions: None })
    }

    /// The number of dimensions that a network was made from; none of grids and of networks with links of their own.
    #[must_use]
    pub fn network_dimensions(&self) -> Option<u64> {
        self.dimensions
    }

    /// The network, unless it is a grid.
    #[must_use]
    pub fn as_network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref()
    }

    /// The kind that it was asked for as.
    #[must_use]
    pub fn kind(&self) -> MachineKind {
        self.kind
    }

    /// Its lengths and the numbering of its nodes.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The extents of its dimensions, the first first; none of a network.
    #[must_use]
    pub fn extents(&self) -> impl ExactSizeIterator<Item = Extent> + Clone {
        self.axes.iter().map(Axis::extent)
    }

    /// The axes of its dimensions, the first first; none of a network.
    #[must_use]
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The extent of one dimension of a grid.
    ///
    /// # Panics
    ///
    /// When the machine has fewer dimensions, or is a network.
    #[must_use]
    pub fn extent(&self, dimension: HostDimension) -> Extent {
        self.axes[dimension.index()].extent()
    }

    /// The one-dimensional machine of one of the lines of a grid along a dimension.
    ///
    /// # Panics
    ///
    /// When the machine has fewer dimensions, or is a network.
    #[must_use]
    pub fn line(&self, dimension: HostDimension) -> Self {
        let extent = self.extent(dimension);
        let kind = match extent.wrap() {
            Wrap::Around => MachineKind::Ring,
            Wrap::Open => MachineKind::Line,
        };
        let shape = Shape::new(&[extent.length()]);
        #[expect(clippy::expect_used, reason = "the length comes from a shape")]
        let shape = shape.expect("a length of a shape makes a shape");
        let axes = Axis::all(&shape, [extent]);
        Self { kind, shape, axes, network: None, dimensions: None }
    }

    /// The number of nodes, at most 2^32.
    #[must_use]
    pub fn node_count(&self) -> u64 {
        self.shape.node_count()
    }

    /// The node with this index.
    ///
    /// # Errors
    ///
    /// When the machine has no such node.
    pub fn node(&self, index: u64) -> Result<NodeId, NodeError> {
        let count = self.node_count();
        match u32::try_from(index) {
            Ok(small) if index < count => Ok(NodeId::new(small)),
            _ => Err(NodeError { index, greatest: count - 1 }),
        }
    }

    /// All nodes, by index.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        (0..=u32::MAX).map(NodeId::new).take(usize::try_from(self.node_count()).unwrap_or(usize::MAX))
    }

    /// The number of links.
    #[must_use]
    pub fn link_count(&self) -> u64 {
        if let Some(network) = &self.network {
            return network.link_count();
        }
        let nodes = self.node_count();
        self.extents().map(|extent| nodes / extent.length() * extent.links()).sum()
    }

    /// No two nodes are farther apart: the greatest distance in a grid, at most twice that in a network.
    #[must_use]
    pub fn distance_bound(&self) -> u64 {
        if let Some(network) = &self.network {
            return network.distance_bound();
        }
        self.extents().map(Extent::diameter).sum()
    }

    /// The directions of its channels, in ascending order.
    pub fn directions(&self) -> impl Iterator<Item = Direction> {
        let ports = self.network.iter().flat_map(|network| network.directions());
        ports.chain(Direction::all(self.axes.len()))
    }

    /// The nodes that links lead to, each once: those of a grid by direction, of a network in ascending order.
    ///
    /// # Panics
    ///
    /// When a network has no such node.
    pub fn neighbours(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let listed = self.network.iter().flat_map(move |network| network.neighbours(node).iter().copied());
        let along =
            Direction::all(self.axes.len()).filter_map(move |direction| self.neighbour(node, direction));
        listed.chain(along)
    }

    /// The node that a channel leads to; none where a line ends, or a node of a network has no such port.
    ///
    /// # Panics
    ///
    /// When a grid has fewer dimensions than the channel's.
    #[must_use]
    pub fn neighbour(&self, node: NodeId, direction: Direction) -> Option<NodeId> {
        if let Some(network) = &self.network {
            return network.neighbour(node, direction);
        }
        self.axes[direction.dimension.index()].neighbour(node, direction.sign)
    }

    /// The link that a channel is a direction of.
    ///
    /// # Panics
    ///
    /// When the channel leads nowhere: it is none of the machine's.
    #[must_use]
    #[expect(clippy::expect_used, reason = "documented under Panics")]
    pub fn link(&self, channel: Channel) -> Link {
        if let Some(network) = &self.network {
            return network.link(channel).expect("a channel of the machine");
        }
        let Channel { node, direction } = channel;
        let far = self.neighbour(node, direction).expect("a channel of the machine");
        let near = match direction.sign {
            crate::Sign::Positive => node,
            crate::Sign::Negative => far,
        };
        Link { near, dimension: direction.dimension }
    }

    /// The distance between two nodes: the sum over the dimensions (Tao 1988, 3.2.1 and 3.2.2); in a network the length
    /// of the route.
    ///
    /// # Panics
    ///
    /// When a network has no such nodes.
    #[must_use]
    pub fn distance(&self, a: NodeId, b: NodeId) -> u64 {
        if self.network.is_some() {
            return self.route(a, b, TieRule::Direct).count() as u64;
        }
        axes_distance(&self.axes, a, b)
    }

    /// The first leg of the way from `at` to `to`: along the lowest-numbered dimension in which they
    /// differ, until they agree; none when `at` is `to` (`docs/model.md` section 4). In a network every link is a leg of
    /// its own.
    ///
    /// # Panics
    ///
    /// When a network has no such nodes.
    #[must_use]
    pub fn next_leg(&self, at: NodeId, to: NodeId, tie: TieRule) -> Option<Leg> {
        if let Some(network) = &self.network {
            return network.next(at, to).map(|direction| Leg { direction, hops: 1 });
        }
        self.shape.dimensions().find_map(|dimension| self.leg_along(dimension, at, to, tie))
    }

    /// The leg along one dimension of a grid from `at` until it agrees with `to`; none when it does already.
    ///
    /// # Panics
    ///
    /// When the machine has fewer dimensions, or is a network.
    #[must_use]
    pub fn leg_along(&self, dimension: HostDimension, at: NodeId, to: NodeId, tie: TieRule) -> Option<Leg> {
        let Displacement { sign, hops } = self.axes[dimension.index()].displacement(at, to, tie)?;
        Some(Leg { direction: Direction { dimension, sign }, hops })
    }

    /// The channels that a message from `from` to `to` crosses, in order.
    #[must_use]
    pub fn route(&self, from: NodeId, to: NodeId, tie: TieRule) -> Route<'_> {
        Route::new(self, from, to, tie)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_wrap_and_count_links_as_named() {
        let links = |kind, lengths: &[u64]| Machine::new(kind, lengths).unwrap().link_count();
        assert_eq!(links(MachineKind::Line, &[8]), 7);
        assert_eq!(links(MachineKind::Ring, &[8]), 8);
        assert_eq!(links(MachineKind::Mesh, &[4, 4]), 24);
        assert_eq!(links(MachineKind::Torus, &[4, 4]), 32);
        // A dimension of length 2 has one link whether it wraps or not.
        assert_eq!(links(MachineKind::Torus, &[2, 2, 2]), 12);
        assert_eq!(links(MachineKind::Hypercube, &[2, 2, 2]), 12);
    }

    #[test]
    fn the_bound_of_a_grid_is_the_distance_of_the_two_farthest_nodes() {
        let shapes: [&[u64]; 5] = [&[2], &[7], &[6, 5], &[2, 4, 3], &[2, 2, 2]];
        for lengths in shapes {
            for kind in [MachineKind::Mesh, MachineKind::Torus] {
                let machine = Machine::new(kind, lengths).unwrap();
                let from = |a| machine.nodes().map(move |b| (a, b));
                let distances = machine.nodes().flat_map(from).map(|(a, b)| machine.distance(a, b));
                assert_eq!(machine.distance_bound(), distances.max().unwrap());
            }
        }
    }

    #[test]
    fn a_cylinder_wraps_in_one_dimension_only() {
        let cylinder = Machine::with_wraps(MachineKind::Mesh, &[6, 4], &[Wrap::Around, Wrap::Open]).unwrap();
        let node = |first: u64, second: u64| cylinder.node(first + 6 * second).unwrap();
        assert_eq!(cylinder.distance(node(0, 0), node(5, 0)), 1);
        assert_eq!(cylinder.distance(node(0, 0), node(0, 3)), 3);
        assert_eq!(cylinder.link_count(), 6 * 4 + 6 * 3);
    }

    #[test]
    fn descriptions_that_contradict_themselves_are_refused() {
        let message = |kind, lengths: &[u64]| Machine::new(kind, lengths).unwrap_err().to_string();
        assert_eq!(message(MachineKind::Ring, &[4, 4]), "2 lengths, expected 1: a ring has one dimension");
        assert_eq!(
            message(MachineKind::Hypercube, &[2, 4]),
            "length of dimension 2 is 4, expected 2: all lengths of a hypercube are 2"
        );
        let wraps = Machine::with_wraps(MachineKind::Torus, &[4, 4], &[Wrap::Around]).unwrap_err();
        assert_eq!(wraps, MachineError::WrapEntries { found: 1, expected: 2 });
    }

    #[test]
    fn the_largest_machine_numbers_all_its_nodes() {
        let largest = Machine::new(MachineKind::Torus, &[1 << 16, 1 << 16]).unwrap();
        assert_eq!(largest.node(u64::from(u32::MAX)).unwrap().index(), u32::MAX);
        assert!(largest.node(1 << 32).is_err());
        let line = Machine::new(MachineKind::Line, &[1 << 32]).unwrap();
        assert_eq!(line.distance(line.node(0).unwrap(), line.node((1 << 32) - 1).unwrap()), (1 << 32) - 1);
    }
}
