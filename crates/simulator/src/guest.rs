//! The guest graphs of programs: the input of metrics, translation tables and embeddings.
//!
//! Only this module distinguishes cubes from other graphs.

use cubefold_mapping::{
    Extremes, GraphGuest, Guest, Hypercube, Placement, PlacementMetrics, ProcessId, TableMethod,
    TableMethodError, TranslationTable, translation_tables,
};
use cubefold_topology::{Machine, TieRule};

use crate::Program;

/// The guest graph of a program, whose nodes are its processes.
#[derive(Debug, Clone, Copy)]
pub enum GuestRef<'program> {
    /// A d-cube.
    Cube(&'program Hypercube),
    /// Any other graph.
    Graph(&'program GraphGuest),
}

impl<'program> GuestRef<'program> {
    /// Returns the d-cube; `None` if it is another graph.
    #[must_use]
    pub fn cube(self) -> Option<Hypercube> {
        match self {
            Self::Cube(cube) => Some(*cube),
            Self::Graph(_) => None,
        }
    }

    /// Returns the graph; `None` if it is a d-cube.
    #[must_use]
    pub fn graph(self) -> Option<&'program GraphGuest> {
        match self {
            Self::Cube(_) => None,
            Self::Graph(graph) => Some(graph),
        }
    }

    /// Returns the guest as the machine that it would fill.
    #[must_use]
    pub fn shape(self) -> Machine {
        match self {
            Self::Cube(cube) => cube.shape(),
            Self::Graph(graph) => graph.shape().clone(),
        }
    }

    /// Returns the number of dimensions of its edges.
    #[must_use]
    pub fn dimension_count(self) -> usize {
        match self {
            Self::Cube(cube) => Guest::dimension_count(cube),
            Self::Graph(graph) => graph.dimension_count(),
        }
    }

    /// Returns the edges of one dimension (counted from 0), each once, the smaller label first.
    #[must_use]
    pub fn edges(self, dimension: usize) -> Vec<(ProcessId, ProcessId)> {
        match self {
            Self::Cube(cube) => cube.edges(dimension).collect(),
            Self::Graph(graph) => graph.edges(dimension).collect(),
        }
    }

    /// Measures a placement of the guest.
    #[must_use]
    pub fn measure(self, placement: &Placement, tie: TieRule) -> PlacementMetrics {
        match self {
            Self::Cube(cube) => PlacementMetrics::measure(cube, placement, tie),
            Self::Graph(graph) => PlacementMetrics::measure_by_edge(graph, placement, tie),
        }
    }

    /// Makes the [translation tables](translation_tables) of all nodes.
    ///
    /// # Errors
    ///
    /// As [`translation_tables`].
    pub fn translation_tables(
        self,
        placement: &'program Placement,
        method: TableMethod,
    ) -> Result<Box<dyn Iterator<Item = TranslationTable> + 'program>, TableMethodError> {
        Ok(match self {
            Self::Cube(cube) => Box::new(translation_tables(cube, placement, method)?),
            Self::Graph(graph) => Box::new(translation_tables(graph, placement, method)?),
        })
    }
}

/// Returns the distances of the messages of a stage \[links\], given the metrics of the placement of the guest. Exchanges
/// along a dimension of a cube are its edges, each of which counts once.
#[must_use]
pub fn stage_distances(
    program: &dyn Program,
    stage: usize,
    placement: &Placement,
    metrics: &PlacementMetrics,
) -> Extremes {
    if let Some(program) = program.special().cube() {
        return metrics.distances[program.stages()[stage].index()].over_edges;
    }
    let machine = placement.machine();
    let mut distances = Extremes::NONE;
    program.for_each_message(stage, &mut |source, destination, _| {
        let distance = machine.distance(placement.node(source), placement.node(destination));
        distances = distances.and(Extremes::of([distance]));
    });
    distances
}

#[cfg(test)]
mod tests {
    use cubefold_mapping::EmbeddingKind;
    use cubefold_topology::MachineKind;

    use super::*;
    use crate::{CubeProgram, Cycles};

    #[test]
    fn the_distances_of_an_exchange_are_those_of_its_messages() {
        let cube = Hypercube::new(4).unwrap();
        let machine = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
        let placement = Placement::embed(EmbeddingKind::Byweight, cube, &machine).unwrap();
        let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(3)).unwrap();
        let metrics = Program::guest(&program).unwrap().measure(&placement, TieRule::Direct);
        let node = |process| placement.node(process);
        let by_message = Extremes::of(
            program
                .messages(2)
                .iter()
                .map(|message| machine.distance(node(message.source), node(message.destination))),
        );
        let by_edge = stage_distances(&program, 2, &placement, &metrics);
        assert_eq!((by_edge.min, by_edge.max), (by_message.min, by_message.max));
        // An edge carries a message in each direction.
        assert_eq!((2 * by_edge.sum, 2 * by_edge.count), (by_message.sum, by_message.count));
    }
}
