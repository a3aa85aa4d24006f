//! Machines: grids, whose links lie in dimensions, and graphs, whose links are listed.
//!
//! What both have in common, [`Machine`] answers: nodes, links, distances and routes. What only one of them has is asked
//! of [`Machine::grid`] or [`Machine::graph`], so that code that needs a grid takes a [`Grid`].

use std::{ops::RangeInclusive, sync::Arc};

use crate::{
    Axis, Channel, Direction, Extent, Grid, HostDimension, Leg, Link, MachineKind, Network, NetworkError,
    NetworkParameters, NodeError, NodeId, RouteChoice, Shape, ShapeError, TieRule, Wrap,
    machine_kind::KindStructure, switched::MAX_NETWORK_NODES, twisted::TwistedTorus,
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

/// A machine whose links lie in no dimensions; its routes are shortest paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    shape: Shape, // numbers the nodes
    source: GraphSource,
    network: Arc<Network>,
    choice: RouteChoice,
    grid: Option<Arc<Machine>>, // the grid that its nodes have their coordinates from
    failures: Failures,
}

impl Graph {
    /// Its nodes and links.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }
}

/// What a graph was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphSource {
    /// A number: the dimensions of a family of networks, or the levels of links of a tree.
    Dimensions(u64),
    /// Links, one by one.
    Links,
    /// The parameters of a network with switches, or of a full mesh.
    Parameters(NetworkParameters),
    /// What the wraparound of each dimension of a torus adds to the coordinates.
    Twists(Vec<Vec<u64>>),
    /// A grid, some of whose links or nodes are down.
    Grid,
}

/// The links and nodes of a machine that are down (`docs/model.md` section 19).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failures {
    /// The links, each by its ends, the lower first, in ascending order; those of failed nodes are not listed.
    pub links: Vec<(NodeId, NodeId)>,
    /// The nodes, in ascending order.
    pub nodes: Vec<NodeId>,
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
        /// What it adds.
        found: u64,
    },
    /// Parameters of a network with switches that are too small.
    #[error("a {kind} without hosts, switches or links, expected at least 1 of each and 2 hosts")]
    NoHosts {
        /// The kind asked for.
        kind: MachineKind,
    },
    /// Parameters of a network with switches that are too large.
    #[error("{nodes} hosts and switches with {links} links, expected at most {MAX_NETWORK_NODES} and 2^27")]
    TooLarge {
        /// The hosts and switches.
        nodes: u64,
        /// The links.
        links: u64,
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
        Ok(Self::of_graph(kind, Shape::new(&lengths)?, source, network?))
    }

    /// Returns the full mesh or the network with switches that these parameters describe.
    ///
    /// # Errors
    ///
    /// When a parameter is 0, or a length under 2; or there are under 2 hosts, or more nodes or links than can be kept.
    pub fn of_parameters(parameters: &NetworkParameters) -> Result<Self, MachineError> {
        let kind = parameters.kind();
        if !parameters.is_whole() {
            return Err(MachineError::NoHosts { kind });
        }
        if !parameters.is_small_enough() {
            let (nodes, links) = (parameters.node_count(), parameters.link_count());
            return Err(MachineError::TooLarge { nodes, links });
        }
        let shape = Shape::new(&[parameters.node_count()])?;
        let source = GraphSource::Parameters(parameters.clone());
        Ok(Self::of_graph(kind, shape, source, parameters.network()?))
    }

    /// Returns the torus of these lengths in which crossing the wraparound of dimension `i` from its last coordinate to 0
    /// adds `twists[i]` to the coordinates, and crossing it back takes that off again, each modulo its length. One
    /// without any twist is a grid.
    ///
    /// # Errors
    ///
    /// When the lengths make no shape, there are more or fewer twists than lengths, or entries in one, or a twist
    /// adds to its own dimension.
    pub fn twisted_torus(lengths: &[u64], twists: &[Vec<u64>]) -> Result<Self, MachineError> {
        let grid = Self::new(MachineKind::Torus, lengths)?;
        let torus = TwistedTorus::new(lengths, twists)?;
        if !torus.has_twist() {
            return Ok(grid);
        }
        let source = GraphSource::Twists(twists.to_vec());
        let mut machine = Self::of_graph(MachineKind::Torus, Shape::new(lengths)?, source, torus.network()?);
        if let MachineForm::Graph(graph) = &mut machine.form {
            graph.grid = Some(Arc::new(grid));
        }
        Ok(machine)
    }

    /// Returns the same machine with these links and nodes down; a grid becomes a graph.
    ///
    /// # Errors
    ///
    /// When two nodes of a link are not linked; and when fewer than two working hosts are left, or two without a route.
    ///
    /// # Panics
    ///
    /// When a node is none of the machine's.
    pub fn with_failures(&self, links: &[(NodeId, NodeId)], nodes: &[NodeId]) -> Result<Self, MachineError> {
        if links.is_empty() && nodes.is_empty() {
            return Ok(self.clone());
        }
        if let Some(&(one, other)) =
            links.iter().find(|&&(one, other)| !self.neighbours(one).any(|next| next == other))
        {
            return Err(MachineError::NoSuchLink { one, other });
        }
        let mut failures = self.failures().cloned().unwrap_or_default();
        failures.nodes.extend(nodes);
        failures.nodes.sort_unstable();
        failures.nodes.dedup();
        let is_down = |node: &NodeId| failures.nodes.binary_search(node).is_ok();
        failures.links.extend(links.iter().map(|&(one, other)| (one.min(other), one.max(other))));
        failures.links.retain(|(one, other)| !is_down(one) && !is_down(other));
        failures.links.sort_unstable();
        failures.links.dedup();
        let works = |&(one, other): &(NodeId, NodeId)| {
            !is_down(&one) && !is_down(&other) && failures.links.binary_search(&(one, other)).is_err()
        };
        let all = self.nodes().flat_map(|one| self.neighbours(one).map(move |other| (one, other)));
        let left: Vec<(u32, u32)> = all
            .filter(|(one, other)| one < other)
            .filter(works)
            .map(|(one, other)| (one.index(), other.index()))
            .collect();
        let all_hosts = self.graph().map_or(self.node_count(), |network| network.host_count());
        let [count, hosts] =
            [self.node_count(), all_hosts].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        let network = Network::from_edges(count, &left)?.with_hosts(hosts);
        let (source, choice, grid) = match &self.form {
            MachineForm::Grid(_) => (GraphSource::Grid, RouteChoice::default(), Some(Arc::new(self.clone()))),
            MachineForm::Graph(graph) => (graph.source.clone(), graph.choice, graph.grid.clone()),
        };
        let (shape, network) = (self.shape().clone(), Arc::new(network));
        let graph = Graph { shape, source, network, choice, grid, failures };
        let machine = Self { kind: self.kind, form: MachineForm::Graph(graph) };
        machine.check_routes()?;
        Ok(machine)
    }

    /// Checks that there are two working hosts, and that all are connected.
    fn check_routes(&self) -> Result<(), MachineError> {
        let mut hosts = self.hosts();
        let (Some(one), Some(network)) = (hosts.next(), self.graph()) else {
            return Err(MachineError::NothingLeft { hosts: self.host_count() });
        };
        let distances = network.distances_to(one);
        if let Some(other) = hosts.find(|host| distances[host.index() as usize].is_none()) {
            return Err(MachineError::FallsApart { one, other });
        }
        match self.host_count() {
            hosts @ 0..2 => Err(MachineError::NothingLeft { hosts }),
            _ => Ok(()),
        }
    }

    /// The same machine with another choice among the shortest routes of a graph; a grid stays as it is.
    #[must_use]
    pub fn with_route_choice(mut self, choice: RouteChoice) -> Self {
        if let MachineForm::Graph(graph) = &mut self.form {
            graph.choice = choice;
        }
        self
    }

    /// Which of the shortest routes of a graph messages take; none of a grid.
    #[must_use]
    pub fn route_choice(&self) -> Option<RouteChoice> {
        match &self.form {
            MachineForm::Grid(_) => None,
            MachineForm::Graph(graph) => Some(graph.choice),
        }
    }

    /// Its links and nodes that are down; none of a grid, and where all are up.
    #[must_use]
    pub fn failures(&self) -> Option<&Failures> {
        match &self.form {
            MachineForm::Graph(graph) if graph.failures != Failures::default() => Some(&graph.failures),
            MachineForm::Graph(_) | MachineForm::Grid(_) => None,
        }
    }

    /// What a graph was made from; none of a grid.
    #[must_use]
    pub fn source(&self) -> Option<&GraphSource> {
        match &self.form {
            MachineForm::Grid(_) => None,
            MachineForm::Graph(graph) => Some(&graph.source),
        }
    }

    /// The grid that its nodes have their coordinates from: the machine itself, or the torus that was twisted, or whose
    /// links or nodes are down; none of other graphs.
    #[must_use]
    pub fn coordinate_grid(&self) -> Option<&Self> {
        match &self.form {
            MachineForm::Grid(_) => Some(self),
            MachineForm::Graph(graph) => graph.grid.as_deref(),
        }
    }

    fn of_graph(kind: MachineKind, shape: Shape, source: GraphSource, network: Network) -> Self {
        let graph = Graph {
            shape,
            source,
            network: Arc::new(network),
            choice: RouteChoice::default(),
            grid: None,
            failures: Failures::default(),
        };
        Self { kind, form: MachineForm::Graph(graph) }
    }

    /// Returns the graph with these links; nodes are numbered from 0 on.
    ///
    /// # Errors
    ///
    /// When there are fewer than 2 nodes.
    pub fn network(kind: MachineKind, network: Network) -> Result<Self, MachineError> {
        let shape = Shape::new(&[network.node_count()])?;
        Ok(Self::of_graph(kind, shape, GraphSource::Links, network))
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
            MachineForm::Graph(_) | MachineForm::Grid(_) => None,
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

    /// The number of nodes that processes can be on: of networks with switches the hosts, and none that is down.
    #[must_use]
    pub fn host_count(&self) -> u64 {
        let MachineForm::Graph(graph) = &self.form else { return self.node_count() };
        let hosts = graph.network.host_count();
        let down = graph.failures.nodes.iter().filter(|node| u64::from(node.index()) < hosts);
        hosts - down.count() as u64
    }

    /// The number of nodes that processes could be on were none of them down: of networks with switches the hosts.
    #[must_use]
    pub fn numbered_hosts(&self) -> u64 {
        self.graph().map_or(self.node_count(), |network| network.host_count())
    }

    /// Whether processes can be on a node.
    #[must_use]
    pub fn is_host(&self, node: NodeId) -> bool {
        let index = u64::from(node.index());
        match &self.form {
            MachineForm::Grid(grid) => index < grid.node_count(),
            MachineForm::Graph(graph) => {
                index < graph.network.host_count() && graph.failures.nodes.binary_search(&node).is_err()
            }
        }
    }

    /// The nodes that processes can be on, by index.
    pub fn hosts(&self) -> impl Iterator<Item = NodeId> {
        self.nodes().filter(|&node| self.is_host(node))
    }

    /// Bytes of memory that the tables of routes to all hosts take; none of grids and formulas.
    #[must_use]
    pub fn bytes_of_routes(&self) -> u64 {
        match &self.form {
            MachineForm::Grid(_) => 0,
            MachineForm::Graph(graph) => graph.network.bytes_of_routes(graph.choice),
        }
    }

    /// Looks up the routes to all of these nodes, in parallel, where they are looked up in tables.
    pub fn prepare_routes(&self, destinations: &[NodeId]) {
        if let MachineForm::Graph(graph) = &self.form {
            graph.network.prepare_routes(graph.choice, destinations);
        }
    }

    /// The number of places of channels: two a link of a graph; a place a node and direction of a grid.
    #[must_use]
    pub fn channel_places(&self) -> u64 {
        match &self.form {
            MachineForm::Grid(grid) => grid.node_count().saturating_mul(2 * grid.axes().len() as u64),
            MachineForm::Graph(graph) => 2 * graph.network.link_count(),
        }
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
            MachineForm::Graph(graph) => graph.network.distance(a, b).unwrap_or(0).into(),
        }
    }

    /// The first leg of the route from `from` to `to`; none when they are the same (`docs/model.md` section 4). In a graph
    /// every link is a leg of its own.
    ///
    /// # Panics
    ///
    /// When a graph has no such nodes.
    #[must_use]
    pub fn next_leg(&self, from: NodeId, to: NodeId, tie: TieRule) -> Option<Leg> {
        self.leg_at(from, from, to, tie)
    }

    /// The next leg at `at` of the route from `from` to `to`; none when `at` is `to`.
    ///
    /// # Panics
    ///
    /// When a graph has no such nodes.
    #[must_use]
    #[inline]
    pub fn leg_at(&self, from: NodeId, at: NodeId, to: NodeId, tie: TieRule) -> Option<Leg> {
        match &self.form {
            MachineForm::Grid(grid) => grid.next_leg(at, to, tie),
            MachineForm::Graph(graph) => {
                let direction = graph.network.next(graph.choice, from, at, to)?;
                Some(Leg { direction, hops: 1 })
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
    fn twisted_toruses_have_the_diameters_and_mean_distances_of_the_literature() {
        // Camarero, Martinez & Beivide 2013: k x k x 2k and k x 2k x 2k.
        let fcc = |k| (vec![k, k, 2 * k], vec![vec![0, 0, k], vec![0, 0, k], vec![0, 0, 0]]);
        let bcc = |k| (vec![k, 2 * k, 2 * k], vec![vec![0, k, k], vec![0, 0, 0], vec![0, 0, 0]]);
        for ((lengths, twists), diameter, mean) in
            [(fcc(4), 6, 3.4646), (bcc(4), 6, 4.3294), (fcc(8), 12, 6.9756), (bcc(8), 12, 8.7230)]
        {
            let machine = Machine::twisted_torus(&lengths, &twists).unwrap();
            let distances: Vec<u64> =
                machine.nodes().map(|node| machine.distance(NodeId::new(0), node)).collect();
            assert_eq!(distances.iter().max(), Some(&diameter));
            let others = u32::try_from(machine.node_count() - 1).unwrap();
            let sum = u32::try_from(distances.iter().sum::<u64>()).unwrap();
            assert!((f64::from(sum) / f64::from(others) - mean).abs() < 5e-5, "{lengths:?}");
            assert_eq!(machine.link_count(), 3 * machine.node_count());
            assert_eq!(machine.coordinate_grid().unwrap().shape().lengths(), lengths);
        }
        let plain = Machine::twisted_torus(&[4, 6], &[vec![0, 6], vec![4, 0]]).unwrap();
        assert_eq!(plain, Machine::new(MachineKind::Torus, &[4, 6]).unwrap());
        let message = |twists: &[Vec<u64>]| Machine::twisted_torus(&[4, 6], twists).unwrap_err().to_string();
        assert_eq!(message(&[vec![0, 1]]), "1 entries of a twist, expected 2, one for each dimension");
        assert_eq!(
            message(&[vec![0, 1], vec![0, 2]]),
            "the wraparound of dimension 2 adds 2 to its own coordinate, expected 0"
        );
    }

    #[test]
    fn what_is_down_carries_nothing_and_holds_nothing() {
        let torus = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
        let [a, b, c] = [0, 1, 5].map(NodeId::new);
        let machine = torus.with_failures(&[(b, a)], &[c]).unwrap();
        assert_eq!((machine.host_count(), machine.link_count()), (15, 32 - 1 - 4));
        assert!(!machine.is_host(c) && machine.is_host(a));
        assert_eq!(machine.hosts().count(), 15);
        assert_eq!((machine.distance(a, b), torus.distance(a, b)), (3, 1));
        for (from, to) in machine.hosts().flat_map(|from| machine.hosts().map(move |to| (from, to))) {
            for channel in machine.route(from, to, TieRule::Direct) {
                let next = machine.neighbour(channel.node, channel.direction).unwrap();
                assert!(next != c && (channel.node.min(next), channel.node.max(next)) != (a, b));
            }
        }
        // Failures add up, in any order.
        let other = torus.with_failures(&[], &[c]).unwrap().with_failures(&[(a, b)], &[]).unwrap();
        assert_eq!(machine, other);
    }

    #[test]
    fn machines_that_fall_apart_are_refused_with_two_nodes_on_two_sides() {
        let line = Machine::new(MachineKind::Line, &[6]).unwrap();
        let [two, three, five] = [2, 3, 5].map(NodeId::new);
        let message = |links: &[_], nodes: &[_]| line.with_failures(links, nodes).unwrap_err().to_string();
        assert_eq!(message(&[(two, three)], &[]), "no route between nodes 0 and 3: the machine falls apart");
        assert_eq!(message(&[], &[two]), "no route between nodes 0 and 3: the machine falls apart");
        assert_eq!(
            message(&[(two, five)], &[]),
            "a failed link between nodes 2 and 5, expected two that are linked"
        );
        // A switch without links holds no process.
        let parameters = NetworkParameters::LeafSpine { leaves: 2, hosts_per_switch: 2, spines: 2 };
        let machine = Machine::of_parameters(&parameters).unwrap();
        let [leaf, spine, other] = [4, 6, 7].map(NodeId::new);
        assert_eq!(machine.with_failures(&[], &[spine]).unwrap().host_count(), 4);
        let error = machine.with_failures(&[(leaf, spine), (leaf, other)], &[]).unwrap_err();
        assert_eq!(error, MachineError::FallsApart { one: NodeId::new(0), other: two });
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
