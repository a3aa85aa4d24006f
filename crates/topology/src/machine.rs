//! Machines: grids, whose links lie in dimensions, and graphs, whose links are listed.
//!
//! What both have in common, [`Machine`] answers: nodes, links, distances and routes. What only one of them has is asked
//! of [`Machine::grid`] or [`Machine::graph`], so that code that needs a grid takes a [`Grid`].

use std::{ops::RangeInclusive, sync::Arc};

use crate::{
    Axis, Channel, Direction, Extent, Grid, HostDimension, Leg, Link, MachineKind, Network, NetworkError,
    NodeError, NodeId, Shape, ShapeError, TieRule, Wrap, machine_kind::KindStructure,
};

/// A host, of a kind: a grid or a graph (`docs/model.md` section 1).
///
/// The shape says how nodes are numbered. In a grid it also says which nodes are neighbours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    kind: MachineKind,
    form: MachineForm,
}

/// What a machine is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MachineForm {
    /// A grid.
    Grid(Grid),
    /// A graph.
    Graph(Graph),
}

/// A machine whose links lie in no dimensions; its routes are shortest paths, looked up in tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    shape: Shape, // numbers the nodes
    source: GraphSource,
    network: Arc<Network>,
}

/// What a graph was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphSource {
    /// A number: the dimensions of a family of networks, or the levels of links of a tree.
    Dimensions(u64),
    /// Links, one by one.
    Links,
}

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
}

impl Machine {
    /// Returns the grid of a kind with these lengths, wrapping as the kind says.
    ///
    /// # Errors
    ///
    /// When the lengths make no shape, a line or ring has more than one, a hypercube one other than 2, or the kind is
    /// a graph.
    pub fn new(kind: MachineKind, lengths: &[u64]) -> Result<Self, MachineError> {
        Self::with_wraps(kind, lengths, &vec![kind.wrap(); lengths.len()])
    }

    /// Returns the grid of a kind with these lengths, each dimension wrapping as said.
    ///
    /// # Errors
    ///
    /// As [`Machine::new`]; and when there are more or fewer `wraps` than lengths.
    pub fn with_wraps(kind: MachineKind, lengths: &[u64], wraps: &[Wrap]) -> Result<Self, MachineError> {
        let shape = Shape::new(lengths)?;
        let KindStructure::Grid { one_dimension, lengths_of_two, .. } = kind.structure() else {
            return Err(MachineError::NoGrid { kind });
        };
        if *one_dimension && lengths.len() != 1 {
            return Err(MachineError::OneDimension { kind, found: lengths.len() });
        }
        let wrong = shape.dimensions().zip(lengths).find(|&(_, &length)| *lengths_of_two && length != 2);
        if let Some((dimension, &length)) = wrong {
            return Err(MachineError::HypercubeLength { dimension, length });
        }
        if wraps.len() != lengths.len() {
            return Err(MachineError::WrapEntries { found: wraps.len(), expected: lengths.len() });
        }
        Ok(Self::of_grid(kind, Grid::new(lengths, wraps)?))
    }

    /// Returns the graph of a kind that is made from a number of dimensions; of a tree, its levels of links.
    ///
    /// # Errors
    ///
    /// When the kind is none of those, or there are more or fewer dimensions than
    /// [`MachineKind::network_dimensions`].
    pub fn of_dimensions(kind: MachineKind, dimensions: u64) -> Result<Self, MachineError> {
        let KindStructure::Family(family) = kind.structure() else {
            return Err(MachineError::NoFamily { kind });
        };
        let Some((lengths, network)) = family.network(dimensions) else {
            let expected = family.dimensions.clone();
            return Err(MachineError::Dimensions { kind, found: dimensions, expected });
        };
        let source = GraphSource::Dimensions(dimensions);
        let graph = Graph { shape: Shape::new(&lengths)?, source, network: Arc::new(network?) };
        Ok(Self { kind, form: MachineForm::Graph(graph) })
    }

    /// Returns the graph with these links; nodes are numbered from 0 on.
    ///
    /// # Errors
    ///
    /// When there are fewer than 2 nodes.
    pub fn network(kind: MachineKind, network: Network) -> Result<Self, MachineError> {
        let shape = Shape::new(&[network.node_count()])?;
        let graph = Graph { shape, source: GraphSource::Links, network: Arc::new(network) };
        Ok(Self { kind, form: MachineForm::Graph(graph) })
    }

    /// Returns a grid as a machine.
    pub(crate) fn of_grid(kind: MachineKind, grid: Grid) -> Self {
        Self { kind, form: MachineForm::Grid(grid) }
    }

    /// What it is made of.
    #[must_use]
    pub fn form(&self) -> &MachineForm {
        &self.form
    }

    /// The grid; none of a graph.
    #[must_use]
    pub fn grid(&self) -> Option<&Grid> {
        match &self.form {
            MachineForm::Grid(grid) => Some(grid),
            MachineForm::Graph(_) => None,
        }
    }

    /// The nodes and links of a graph; none of a grid.
    #[must_use]
    pub fn graph(&self) -> Option<&Arc<Network>> {
        match &self.form {
            MachineForm::Grid(_) => None,
            MachineForm::Graph(graph) => Some(&graph.network),
        }
    }

    /// The number of dimensions that a graph was made from; none of grids and of graphs given by their links.
    #[must_use]
    pub fn network_dimensions(&self) -> Option<u64> {
        match &self.form {
            MachineForm::Graph(Graph { source: GraphSource::Dimensions(dimensions), .. }) => {
                Some(*dimensions)
            }
            MachineForm::Graph(Graph { source: GraphSource::Links, .. }) | MachineForm::Grid(_) => None,
        }
    }

    /// The kind that it was made as.
    #[must_use]
    pub fn kind(&self) -> MachineKind {
        self.kind
    }

    /// The numbering of its nodes.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        match &self.form {
            MachineForm::Grid(grid) => grid.shape(),
            MachineForm::Graph(graph) => &graph.shape,
        }
    }

    /// The axes of the dimensions that its links lie in, the first first: those of a grid; none of a graph.
    #[must_use]
    pub fn axes(&self) -> &[Axis] {
        self.grid().map_or(&[], Grid::axes)
    }

    /// The extents of the dimensions that its links lie in, the first first: those of a grid; none of a graph.
    pub fn extents(&self) -> impl ExactSizeIterator<Item = Extent> + Clone {
        self.axes().iter().map(Axis::extent)
    }

    /// The number of nodes, at most 2^32.
    #[must_use]
    pub fn node_count(&self) -> u64 {
        self.shape().node_count()
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
        match &self.form {
            MachineForm::Grid(grid) => grid.link_count(),
            MachineForm::Graph(graph) => graph.network.link_count(),
        }
    }

    /// A bound on the distance between two nodes \[links\]: the diameter of a grid, at most twice that of a graph.
    #[must_use]
    pub fn distance_bound(&self) -> u64 {
        match &self.form {
            MachineForm::Grid(grid) => grid.diameter(),
            MachineForm::Graph(graph) => graph.network.distance_bound(),
        }
    }

    /// The directions of its channels, in ascending order.
    pub fn directions(&self) -> impl Iterator<Item = Direction> {
        let of_graph = self.graph().into_iter().flat_map(|network| network.directions());
        of_graph.chain(Direction::all(self.axes().len()))
    }

    /// The nodes that links lead to, each once: those of a grid by direction, of a graph in ascending order.
    ///
    /// # Panics
    ///
    /// When a graph has no such node.
    pub fn neighbours(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let listed =
            self.graph().into_iter().flat_map(move |network| network.neighbours(node).iter().copied());
        let of_grid = self.grid().into_iter().flat_map(move |grid| {
            grid.directions().filter_map(move |direction| grid.neighbour(node, direction))
        });
        listed.chain(of_grid)
    }

    /// The node that a channel leads to; none where a line ends, or a node of a graph has no such port.
    ///
    /// # Panics
    ///
    /// When a grid has fewer dimensions than the channel's.
    #[must_use]
    pub fn neighbour(&self, node: NodeId, direction: Direction) -> Option<NodeId> {
        match &self.form {
            MachineForm::Grid(grid) => grid.neighbour(node, direction),
            MachineForm::Graph(graph) => graph.network.neighbour(node, direction),
        }
    }

    /// The link that a channel is a direction of.
    ///
    /// # Panics
    ///
    /// When the channel leads nowhere: it is none of the machine's.
    #[must_use]
    #[expect(clippy::expect_used, reason = "documented under Panics")]
    pub fn link(&self, channel: Channel) -> Link {
        let link = match &self.form {
            MachineForm::Grid(grid) => grid.link(channel),
            MachineForm::Graph(graph) => graph.network.link(channel),
        };
        link.expect("a channel of the machine")
    }

    /// The distance between two nodes \[links\]; in a graph the length of the route.
    ///
    /// # Panics
    ///
    /// When a graph has no such nodes.
    #[must_use]
    pub fn distance(&self, a: NodeId, b: NodeId) -> u64 {
        match &self.form {
            MachineForm::Grid(grid) => grid.distance(a, b),
            MachineForm::Graph(_) => self.route(a, b, TieRule::Direct).count() as u64,
        }
    }

    /// The first leg of the route from `at` to `to`; none when `at` is `to` (`docs/model.md` section 4). In a graph every
    /// link is a leg of its own.
    ///
    /// # Panics
    ///
    /// When a graph has no such nodes.
    #[must_use]
    pub fn next_leg(&self, at: NodeId, to: NodeId, tie: TieRule) -> Option<Leg> {
        match &self.form {
            MachineForm::Grid(grid) => grid.next_leg(at, to, tie),
            MachineForm::Graph(graph) => {
                graph.network.next(at, to).map(|direction| Leg { direction, hops: 1 })
            }
        }
    }
}

impl Grid {
    /// The one-dimensional machine of one of the lines along a dimension.
    ///
    /// # Panics
    ///
    /// When the grid has fewer dimensions.
    #[must_use]
    pub fn line(&self, dimension: HostDimension) -> Machine {
        let extent = self.extent(dimension);
        let kind = match extent.wrap() {
            Wrap::Around => MachineKind::Ring,
            Wrap::Open => MachineKind::Line,
        };
        let line = Grid::new(&[extent.length()], &[extent.wrap()]);
        #[expect(clippy::expect_used, reason = "the length comes from a shape")]
        Machine::of_grid(kind, line.expect("a length of a shape makes a shape"))
    }

    /// The one-dimensional machines of the lines along each dimension, the first first.
    pub fn lines(&self) -> impl Iterator<Item = Machine> {
        self.shape().dimensions().map(|dimension| self.line(dimension))
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
