//! Grids: machines whose links lie in dimensions.
//!
//! Everything is computed from coordinates, so that a grid of four billion nodes takes no more memory than one of eight.

use crate::{
    Axis, Channel, Direction, Displacement, Extent, HostDimension, Leg, Link, NodeId, Shape, ShapeError,
    Sign, TieRule, Wrap, axes_distance,
};

/// A mesh, a torus, or anything between: every dimension wraps or does not (`docs/model.md` section 1; Tao 1988, 3.2.2
/// and 3.2.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    shape: Shape,
    axes: Vec<Axis>, // one for each dimension of the shape
}

impl Grid {
    /// Returns the grid of these lengths, with as many wraps; an error if the lengths make no shape.
    pub(crate) fn new(lengths: &[u64], wraps: &[Wrap]) -> Result<Self, ShapeError> {
        let shape = Shape::new(lengths)?;
        assert_eq!(lengths.len(), wraps.len(), "one wrap for each length");
        let extents = lengths.iter().zip(wraps).map(|(&length, &wrap)| Extent::new(length, wrap));
        let axes = Axis::all(&shape, extents);
        Ok(Self { shape, axes })
    }

    /// Its lengths and the numbering of its nodes.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The axes of its dimensions, the first first.
    #[must_use]
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The extents of its dimensions, the first first.
    pub fn extents(&self) -> impl ExactSizeIterator<Item = Extent> + Clone {
        self.axes.iter().map(Axis::extent)
    }

    /// The axis of one dimension.
    ///
    /// # Panics
    ///
    /// When the grid has fewer dimensions.
    #[must_use]
    pub fn axis(&self, dimension: HostDimension) -> &Axis {
        &self.axes[dimension.index()]
    }

    /// The extent of one dimension.
    ///
    /// # Panics
    ///
    /// When the grid has fewer dimensions.
    #[must_use]
    pub fn extent(&self, dimension: HostDimension) -> Extent {
        self.axis(dimension).extent()
    }

    /// The number of nodes, at most 2^32.
    #[must_use]
    pub fn node_count(&self) -> u64 {
        self.shape.node_count()
    }

    /// The number of links.
    #[must_use]
    pub fn link_count(&self) -> u64 {
        let nodes = self.node_count();
        self.extents().map(|extent| nodes / extent.length() * extent.links()).sum()
    }

    /// The greatest distance between two nodes \[links\].
    #[must_use]
    pub fn diameter(&self) -> u64 {
        self.extents().map(Extent::diameter).sum()
    }

    /// The directions of its channels, in ascending order.
    pub fn directions(&self) -> impl Iterator<Item = Direction> + use<> {
        Direction::all(self.axes.len())
    }

    /// The node that a channel leads to; `None` at the end of a line.
    ///
    /// # Panics
    ///
    /// When the grid has fewer dimensions than the channel's.
    #[must_use]
    pub fn neighbour(&self, node: NodeId, direction: Direction) -> Option<NodeId> {
        self.axis(direction.dimension).neighbour(node, direction.sign)
    }

    /// The link of a channel; `None` if the channel leads nowhere.
    pub(crate) fn link(&self, Channel { node, direction }: Channel) -> Option<Link> {
        let far = self.neighbour(node, direction)?;
        let near = match direction.sign {
            Sign::Positive => node,
            Sign::Negative => far,
        };
        Some(Link { near, dimension: direction.dimension })
    }

    /// The distance between two nodes: the sum over the dimensions (Tao 1988, 3.2.1 and 3.2.2) \[links\].
    #[must_use]
    pub fn distance(&self, a: NodeId, b: NodeId) -> u64 {
        axes_distance(&self.axes, a, b)
    }

    /// The first leg of the route from `at` to `to`: along the lowest-numbered dimension in which they differ, until they
    /// agree; `None` when `at` is `to` (`docs/model.md` section 4).
    #[must_use]
    pub fn next_leg(&self, at: NodeId, to: NodeId, tie: TieRule) -> Option<Leg> {
        self.shape.dimensions().find_map(|dimension| self.leg_along(dimension, at, to, tie))
    }

    /// The leg along one dimension from `at` until it agrees with `to`; `None` if it already does.
    ///
    /// # Panics
    ///
    /// When the grid has fewer dimensions.
    #[must_use]
    pub fn leg_along(&self, dimension: HostDimension, at: NodeId, to: NodeId, tie: TieRule) -> Option<Leg> {
        let Displacement { sign, hops } = self.axis(dimension).displacement(at, to, tie)?;
        Some(Leg { direction: Direction { dimension, sign }, hops })
    }
}
