//! Machines: grids, whose links lie in dimensions, and graphs, whose links are listed.
//!
//! [`Machine`] has the queries that apply to both: nodes, links, distances and routes. [`Machine::grid`] and
//! [`Machine::graph`] return the type with the queries of one of them only, so that code that needs a grid takes a
//! [`Grid`].

mod error;
mod failures;
mod host_parts;
mod link_classes;
mod of_kind;
mod routes;
mod uplinks;

use std::sync::Arc;

pub use self::{
    error::MachineError,
    failures::Failures,
    host_parts::{HostPart, HostParts},
    link_classes::LinkTime,
};
use crate::{
    Axis, Channel, Cluster, Direction, Extent, Grid, HostDimension, Leg, Link, MachineKind, Network,
    NetworkParameters, NetworkRoutes, NodeError, NodeId, PacketRoutes, RouteChoice, Shape, TieRule,
    TreeParameters, Wrap, edge_grammar::DerivedWords, routes::DimensionOrder,
};

/// A host, of a kind: a grid or a graph (`docs/model.md` section 1).
///
/// The shape says how nodes are numbered. In a grid it also says which nodes are neighbours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    kind: MachineKind,
    form: MachineForm,
    times: Option<Arc<[LinkTime]>>, // of its links by class, where they differ
    packet_routes: Option<Arc<PacketRoutes>>, // over its routers, from a table
}

/// The structure of a machine.
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
    order: Option<Arc<DimensionOrder>>, // of a grid whose routes are taken where they are up
    grid: Option<Arc<Machine>>,         // the grid that gives its nodes their coordinates
    failures: Failures,
    names: Option<Arc<[String]>>,  // of all nodes
    assumes_uplinks: Option<bool>, // of parallel links between switches that a list does not count
}

impl Graph {
    /// Its nodes and links.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    fn routes(&self) -> NetworkRoutes<'_> {
        NetworkRoutes::new(&self.network, self.choice).with_order(self.order.as_deref())
    }
}

/// The description that a graph was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphSource {
    /// A number: the dimensions of a family of networks, or the levels of links of a tree.
    Dimensions(u64),
    /// Links, one by one.
    Links,
    /// The parameters of a network with switches, or of a full mesh.
    Parameters(NetworkParameters),
    /// The numbers of a tree.
    Tree(TreeParameters),
    /// An edge grammar and the length of its words.
    Grammar(Arc<DerivedWords>),
    /// The offsets that the wraparound of each dimension of a torus adds to the coordinates.
    Twists(Vec<Vec<u64>>),
    /// A grid, some of whose links or nodes are down, or whose messages are routed as on a network.
    Grid,
}

impl Machine {
    /// The same machine with a name for every node of a graph; a grid is unchanged.
    ///
    /// # Panics
    ///
    /// When there are more or fewer names than nodes.
    #[must_use]
    pub fn with_node_names(mut self, names: Arc<[String]>) -> Self {
        assert_eq!(names.len() as u64, self.node_count(), "a name for each node");
        if let MachineForm::Graph(graph) = &mut self.form {
            graph.names = Some(names);
        }
        self
    }

    /// The names of all nodes, by index, if any.
    #[must_use]
    pub fn node_names(&self) -> Option<&Arc<[String]>> {
        self.graph_form()?.names.as_ref()
    }

    /// The name of a node, if nodes have names.
    #[must_use]
    pub fn node_name(&self, node: NodeId) -> Option<&str> {
        self.node_names()?.get(node.index() as usize).map(String::as_str)
    }

    /// The description that a graph was made from; `None` for a grid.
    #[must_use]
    pub fn source(&self) -> Option<&GraphSource> {
        self.graph_form().map(|graph| &graph.source)
    }

    /// The cluster, if it is one.
    #[must_use]
    pub fn cluster(&self) -> Option<&Cluster> {
        match self.source() {
            Some(GraphSource::Parameters(NetworkParameters::Cluster(cluster))) => Some(cluster),
            _ => None,
        }
    }

    /// The grid that gives its nodes their coordinates: the machine itself, or the torus that was twisted, or whose links
    /// or nodes are down; `None` for other graphs.
    #[must_use]
    pub fn coordinate_grid(&self) -> Option<&Self> {
        match &self.form {
            MachineForm::Grid(_) => Some(self),
            MachineForm::Graph(graph) => graph.grid.as_deref(),
        }
    }

    /// The structure of the machine: a grid or a graph.
    #[must_use]
    pub fn form(&self) -> &MachineForm {
        &self.form
    }

    /// The grid; `None` for a graph.
    #[must_use]
    pub fn grid(&self) -> Option<&Grid> {
        match &self.form {
            MachineForm::Grid(grid) => Some(grid),
            MachineForm::Graph(_) => None,
        }
    }

    /// The nodes and links of a graph; `None` for a grid.
    #[must_use]
    pub fn graph(&self) -> Option<&Arc<Network>> {
        self.graph_form().map(|graph| &graph.network)
    }

    #[inline]
    fn graph_form(&self) -> Option<&Graph> {
        match &self.form {
            MachineForm::Grid(_) => None,
            MachineForm::Graph(graph) => Some(graph),
        }
    }

    /// The number of dimensions that a graph was made from; `None` for grids and for graphs given by their links.
    #[must_use]
    pub fn network_dimensions(&self) -> Option<u64> {
        match self.source()? {
            GraphSource::Dimensions(dimensions) => Some(*dimensions),
            _ => None,
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

    /// The axes of the dimensions that its links lie in, in order; empty for a graph.
    #[must_use]
    pub fn axes(&self) -> &[Axis] {
        self.grid().map_or(&[], Grid::axes)
    }

    /// The extents of the dimensions that its links lie in, in order; empty for a graph.
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

    /// The number of nodes that can hold processes: in networks with switches the hosts, failed nodes excluded.
    #[must_use]
    pub fn host_count(&self) -> u64 {
        let Some(graph) = self.graph_form() else { return self.node_count() };
        let hosts = graph.network.host_count();
        let down = graph.failures.nodes.iter().filter(|node| u64::from(node.index()) < hosts);
        hosts - down.count() as u64
    }

    /// The number of nodes that can hold processes, failed ones included: in networks with switches the hosts.
    #[must_use]
    pub fn numbered_hosts(&self) -> u64 {
        self.graph().map_or(self.node_count(), |network| network.host_count())
    }

    /// Whether a node can hold processes.
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

    /// Two hosts without a route between them, if there are any.
    #[must_use]
    pub fn two_hosts_apart(&self) -> Option<(NodeId, NodeId)> {
        let network = self.graph()?;
        let hosts: Vec<NodeId> = self.hosts().collect();
        network.hosts_apart(&hosts)
    }

    /// The nodes that can hold processes, by index.
    pub fn hosts(&self) -> impl Iterator<Item = NodeId> {
        self.nodes().filter(|&node| self.is_host(node))
    }

    /// The memory of the route tables to all hosts \[bytes\]; 0 for grids and formulas.
    #[must_use]
    pub fn bytes_of_routes(&self) -> u64 {
        self.graph_form().map_or(0, |graph| graph.network.bytes_of_routes(graph.choice))
    }

    /// The routes of a graph under its choice; `None` for a grid.
    #[inline]
    #[must_use]
    pub fn network_routes(&self) -> Option<NetworkRoutes<'_>> {
        self.graph_form().map(Graph::routes)
    }

    /// Makes the tables of routes to all of these nodes, in parallel, if routes are looked up in tables.
    pub fn prepare_routes(&self, destinations: &[NodeId]) {
        if let Some(routes) = self.network_routes() {
            routes.prepare(destinations);
        }
    }

    /// Whether its links lead in one direction.
    #[must_use]
    pub fn is_directed(&self) -> bool {
        self.graph().is_some_and(|network| network.is_directed())
    }

    /// The number of channel places: two per link of a graph, one if links lead in one direction; one per node and
    /// direction of a grid.
    #[must_use]
    pub fn channel_places(&self) -> u64 {
        match &self.form {
            MachineForm::Grid(grid) => grid.node_count().saturating_mul(2 * grid.axes().len() as u64),
            MachineForm::Graph(graph) => graph.network.channel_ends().len() as u64,
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

    /// The nodes that links lead to, each once: by direction in a grid, in ascending order in a graph.
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

    /// The node that a channel leads to; `None` at the end of a line, and if a node of a graph has no such port.
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
    /// When the machine has no such channel.
    #[must_use]
    #[expect(clippy::expect_used, reason = "documented under Panics")]
    pub fn link(&self, channel: Channel) -> Link {
        let link = match &self.form {
            MachineForm::Grid(grid) => grid.link(channel),
            MachineForm::Graph(graph) => graph.network.link(channel),
        };
        link.expect("a channel of the machine")
    }

    /// The distance between two nodes \[links\]; in a graph the length of the route, and 2^32 - 1 without one.
    ///
    /// # Panics
    ///
    /// When a graph has no such nodes.
    #[must_use]
    pub fn distance(&self, a: NodeId, b: NodeId) -> u64 {
        match &self.form {
            MachineForm::Grid(grid) => grid.distance(a, b),
            MachineForm::Graph(graph) => graph.routes().distance(a, b).unwrap_or(Network::UNREACHED).into(),
        }
    }

    /// The first leg of the route from `from` to `to`; `None` if they are the same (`docs/model.md` section 4). In a graph
    /// every link is a leg of its own.
    ///
    /// # Panics
    ///
    /// When a graph has no such nodes.
    #[must_use]
    pub fn next_leg(&self, from: NodeId, to: NodeId, tie: TieRule) -> Option<Leg> {
        self.leg_at(from, from, to, tie)
    }

    /// The next leg at `at` of the route from `from` to `to`; `None` when `at` is `to`.
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
                let direction = graph.routes().next(from, at, to)?;
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
    fn the_largest_machine_numbers_all_its_nodes() {
        let largest = Machine::new(MachineKind::Torus, &[1 << 16, 1 << 16]).unwrap();
        assert_eq!(largest.node(u64::from(u32::MAX)).unwrap().index(), u32::MAX);
        assert!(largest.node(1 << 32).is_err());
        let line = Machine::new(MachineKind::Line, &[1 << 32]).unwrap();
        assert_eq!(line.distance(line.node(0).unwrap(), line.node((1 << 32) - 1).unwrap()), (1 << 32) - 1);
    }
}
