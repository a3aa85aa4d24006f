//! Machines of a kind: from lengths, from a number of dimensions, from parameters, from links.

use std::sync::Arc;

use super::{Failures, Graph, GraphSource, Machine, MachineError, MachineForm};
use crate::{
    DerivationError, EdgeGrammar, Grid, MachineKind, Network, NetworkParameters, RouteChoice, Shape, Sign,
    TreeParameters, Wrap, machine_kind::KindStructure, twisted::TwistedTorus,
};

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

    /// Returns the grid of a kind with these lengths and the wrap given for each dimension.
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
    /// When the kind is not made from a number of dimensions, or there are more or fewer than
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
            // Every parameter is positive where there is a host.
            let has_host = parameters.host_count() == 1 && parameters.switch_count() > 0;
            return Err(if has_host {
                MachineError::OneHost { kind }
            } else {
                MachineError::NoHosts { kind }
            });
        }
        if !parameters.is_small_enough() {
            let (nodes, links) = (parameters.node_count(), parameters.link_count());
            return Err(MachineError::TooLarge { nodes, links });
        }
        let shape = Shape::new(&[parameters.node_count()])?;
        let source = GraphSource::Parameters(parameters.clone());
        Ok(Self::of_graph(kind, shape, source, parameters.network()?))
    }

    /// Returns the tree of these numbers.
    ///
    /// # Errors
    ///
    /// When there are fewer than 2 children or no levels, or more than [`MAX_TREE_NODES`](crate::MAX_TREE_NODES)
    /// nodes.
    pub fn of_tree(parameters: TreeParameters) -> Result<Self, MachineError> {
        let nodes = parameters.node_count();
        if !parameters.is_makeable() {
            return Err(MachineError::Tree { parameters, nodes });
        }
        let (shape, source) = (Shape::new(&[nodes])?, GraphSource::Tree(parameters));
        Ok(Self::of_graph(parameters.kind(), shape, source, parameters.network()?))
    }

    /// Returns the graph `G(n)` of an edge grammar (`docs/model.md` section 28.4): the nodes are its words of `size`
    /// symbols in lexicographic order.
    ///
    /// # Errors
    ///
    /// When there are fewer than 2 words, or more pairs than [`MAX_DERIVED_PAIRS`](crate::MAX_DERIVED_PAIRS), or a
    /// word does not fit in 64 bits.
    pub fn of_grammar(grammar: &Arc<EdgeGrammar>, size: u32) -> Result<Self, MachineError> {
        let (words, links) = grammar.graph(size).map_err(|reason| MachineError::Grammar { size, reason })?;
        let found = words.words().len();
        let nodes = u32::try_from(found).ok().filter(|&nodes| nodes >= 2);
        let nodes = nodes.ok_or(MachineError::Grammar { size, reason: DerivationError::Words { found } })?;
        let network = Network::from_edges(nodes, &links)?;
        let source = GraphSource::Grammar(Arc::new(words));
        Ok(Self::of_graph(MachineKind::Grammar, Shape::new(&[nodes.into()])?, source, network))
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

    /// Returns the graph with these links; nodes are numbered from 0 on.
    ///
    /// # Errors
    ///
    /// When there are fewer than 2 nodes.
    pub fn network(kind: MachineKind, network: Network) -> Result<Self, MachineError> {
        let shape = Shape::new(&[network.node_count()])?;
        Ok(Self::of_graph(kind, shape, GraphSource::Links, network))
    }

    /// Returns the same machine with all messages routed as on a network (`docs/model.md` section 22.5).
    ///
    /// # Errors
    ///
    /// When a grid has more dimensions or nodes than a network can have.
    pub fn as_network(self, choice: RouteChoice) -> Result<Self, MachineError> {
        let MachineForm::Grid(grid) = &self.form else { return Ok(self.with_route_choice(choice)) };
        let upwards = |node| {
            let up = grid.directions().filter(|direction| direction.sign == Sign::Positive);
            up.filter_map(move |direction| Some((node, grid.neighbour(node, direction)?)))
        };
        let links = self.nodes().flat_map(upwards).map(|(one, other)| (one.index(), other.index()));
        let nodes = u32::try_from(self.node_count()).unwrap_or(u32::MAX);
        let network = Network::from_edges(nodes, &links.collect::<Vec<_>>())?;
        let mut machine = Self::of_graph(self.kind, self.shape().clone(), GraphSource::Grid, network);
        let times = self.times.clone();
        if let MachineForm::Graph(graph) = &mut machine.form {
            graph.choice = choice;
            graph.grid = Some(Arc::new(Self { times: None, packet_routes: None, ..self }));
        }
        Ok(match times {
            Some(times) => machine.with_link_times(&times),
            None => machine,
        })
    }

    pub(crate) fn of_grid(kind: MachineKind, grid: Grid) -> Self {
        Self { kind, form: MachineForm::Grid(grid), times: None, packet_routes: None }
    }

    fn of_graph(kind: MachineKind, shape: Shape, source: GraphSource, network: Network) -> Self {
        let graph = Graph {
            shape,
            source,
            network: Arc::new(network),
            choice: RouteChoice::default(),
            order: None,
            grid: None,
            failures: Failures::default(),
            names: None,
            assumes_uplinks: None,
        };
        Self { kind, form: MachineForm::Graph(graph), times: None, packet_routes: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;

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
}
