//! The programs that scenarios can ask for.

use cubefold_mapping::{
    Extremes, GraphGuest, Guest, Hypercube, Placement, PlacementMetrics, ProcessId, TableMethod,
    TableMethodError, TranslationTable, translation_tables,
};
use cubefold_simulator::{
    Communication, CountLinkUse, CubeProgram, Cycles, DivideAndConquer, Execution, LowerBound,
    NeighbourProgram, NoBeltError, Observer, Outcome, Program, ShuffleExchangeProgram, SimulationError,
    belt_applies, bytes_to_simulate, check, lower_bound, predict, simulate,
};
use cubefold_topology::{Machine, TieRule};

/// A program of a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuestProgram {
    /// `cc-cube`: compute-and-communicate on a d-cube.
    Cube(CubeProgram),
    /// `normal` on a machine where its processes stay: a CC program with consecutive dimensions (CS838 1999).
    Normal(CubeProgram),
    /// `normal` on a shuffle-exchange or de Bruijn network, through which its data wander.
    ShuffleExchange(ShuffleExchangeProgram),
    /// `divide-and-conquer` on a d-cube.
    DivideAndConquer(DivideAndConquer),
    /// `neighbour-exchange`: messages between neighbours of a torus, a mesh or a network.
    Neighbours {
        /// The program.
        program: NeighbourProgram,
        /// What the scenario calls its communications.
        communication: NeighbourCommunication,
    },
}

/// The communications of a neighbour-exchange program, as a scenario names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeighbourCommunication {
    /// `shift`.
    Shift,
    /// `permutation`.
    Permutation {
        /// The number of sets.
        sets: usize,
    },
    /// `scatter`.
    Scatter,
}

impl NeighbourCommunication {
    /// The word for it in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Shift => "shift",
            Self::Permutation { .. } => "permutation",
            Self::Scatter => "scatter",
        }
    }
}

/// Does the same with whichever program it is.
macro_rules! with_program {
    ($self:expr, $program:ident => $body:expr) => {
        match $self {
            GuestProgram::Cube($program) | GuestProgram::Normal($program) => $body,
            GuestProgram::ShuffleExchange($program) => $body,
            GuestProgram::DivideAndConquer($program) => $body,
            GuestProgram::Neighbours { program: $program, .. } => $body,
        }
    };
}

impl GuestProgram {
    /// The word for its kind in every file.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Cube(_) => "cc-cube",
            Self::Normal(_) | Self::ShuffleExchange(_) => "normal",
            Self::DivideAndConquer(_) => "divide-and-conquer",
            Self::Neighbours { .. } => "neighbour-exchange",
        }
    }

    /// Whether every process computes in every stage.
    pub(crate) fn all_processes_compute(&self) -> bool {
        with_program!(self, program => program.all_processes_compute())
    }

    /// The d-cube that is its guest; none where that is another graph.
    #[must_use]
    pub fn cube(&self) -> Option<Hypercube> {
        match self {
            Self::Cube(program) | Self::Normal(program) => Some(program.cube()),
            Self::DivideAndConquer(program) => Some(program.cube()),
            Self::ShuffleExchange(_) | Self::Neighbours { .. } => None,
        }
    }

    /// The number of processes.
    #[must_use]
    pub fn process_count(&self) -> u64 {
        with_program!(self, program => program.process_count())
    }

    /// The number of stages.
    #[must_use]
    pub fn stage_count(&self) -> usize {
        with_program!(self, program => program.stage_count())
    }

    /// The number of pairs of a process and a stage, or as many as 64 bits hold.
    pub(crate) fn pair_count(&self) -> u64 {
        self.process_count().saturating_mul(self.stage_count() as u64)
    }

    /// The most messages that a process receives in one stage.
    #[must_use]
    pub fn max_received(&self) -> usize {
        with_program!(self, program => program.max_received())
    }

    /// `T_a`.
    #[must_use]
    pub fn compute(&self) -> Cycles {
        with_program!(self, program => program.compute())
    }

    /// The guest dimension of a stage, where all its messages go along one.
    #[must_use]
    pub fn stage_dimension(&self, stage: usize) -> Option<usize> {
        match self {
            Self::Cube(program) | Self::Normal(program) => Some(program.stages()[stage].index()),
            Self::DivideAndConquer(program) => program.stage_dimension(stage),
            Self::ShuffleExchange(program) => program.stage_dimension(stage),
            Self::Neighbours { program, .. } => program.stage_dimension(stage),
        }
    }

    /// The graph that is its guest; none where that is a d-cube.
    #[must_use]
    pub fn graph(&self) -> Option<&GraphGuest> {
        match self {
            Self::Cube(_) | Self::Normal(_) | Self::DivideAndConquer(_) => None,
            Self::ShuffleExchange(program) => Some(program.guest()),
            Self::Neighbours { program, .. } => Some(program.guest()),
        }
    }

    /// The guest as the machine that it would fill.
    #[must_use]
    pub fn shape(&self) -> Machine {
        with_program!(self, program => program.guest().shape().clone())
    }

    /// Whether the guest is a network: a graph whose edges lie in no dimensions.
    #[must_use]
    pub fn has_network_guest(&self) -> bool {
        self.graph().is_some_and(|guest| guest.shape().graph().is_some())
    }

    /// The metrics of a placement of its guest.
    #[must_use]
    pub fn measure(&self, placement: &Placement, tie: TieRule) -> PlacementMetrics {
        match self.cube() {
            Some(cube) => PlacementMetrics::measure(&cube, placement, tie),
            None => with_program!(self, program => {
                PlacementMetrics::measure_by_edge(program.guest(), placement, tie)
            }),
        }
    }

    /// The distances that the messages of a stage go \[links\], given the metrics of the placement.
    #[must_use]
    pub fn stage_distances(
        &self,
        stage: usize,
        placement: &Placement,
        metrics: &PlacementMetrics,
    ) -> Extremes {
        match self {
            Self::Cube(program) | Self::Normal(program) => {
                metrics.distances[program.stages()[stage].index()].over_edges
            }
            Self::DivideAndConquer(_) | Self::ShuffleExchange(_) | Self::Neighbours { .. } => {
                with_program!(self, program => distances_of_messages(program, stage, placement))
            }
        }
    }

    /// See [`check`].
    pub(crate) fn check(
        &self,
        placement: &Placement,
        links: Communication,
        execution: &Execution,
    ) -> Result<(), SimulationError> {
        with_program!(self, program => check(program, placement, links, execution))
    }

    /// See [`belt_applies`].
    pub(crate) fn belt_applies(
        &self,
        placement: &Placement,
        links: Communication,
    ) -> Result<(), NoBeltError> {
        with_program!(self, program => belt_applies(program, placement, links))
    }

    /// See [`bytes_to_simulate`].
    pub(crate) fn bytes_to_simulate(
        &self,
        placement: &Placement,
        links: Communication,
        execution: &Execution,
    ) -> u64 {
        with_program!(self, program => bytes_to_simulate(program, placement, links, execution))
    }

    /// See [`simulate`].
    pub(crate) fn simulate(
        &self,
        placement: &Placement,
        links: Communication,
        execution: &Execution,
        count_link_use: CountLinkUse,
        observer: &mut impl Observer,
    ) -> Result<Outcome, SimulationError> {
        with_program!(self, program => {
            simulate(program, placement, links, execution, count_link_use, observer)
        })
    }

    /// The number of dimensions of its guest.
    #[must_use]
    pub fn dimension_count(&self) -> usize {
        with_program!(self, program => Guest::dimension_count(program.guest()))
    }

    /// The edges of one dimension of its guest (counted from 0), each once, the smaller label first.
    #[must_use]
    pub fn edges(&self, dimension: usize) -> Vec<(ProcessId, ProcessId)> {
        with_program!(self, program => program.guest().edges(dimension).collect())
    }

    /// See [`translation_tables`].
    ///
    /// # Errors
    ///
    /// As [`translation_tables`].
    pub fn translation_tables<'a>(
        &'a self,
        placement: &'a Placement,
        method: TableMethod,
    ) -> Result<Box<dyn Iterator<Item = TranslationTable> + 'a>, TableMethodError> {
        Ok(with_program!(self, program => Box::new(translation_tables(program.guest(), placement, method)?)))
    }

    /// See [`predict`]; none for programs and placements that have no prediction.
    pub(crate) fn predict(&self, placement: &Placement, links: Communication) -> Option<u64> {
        match self {
            Self::Cube(program) | Self::Normal(program) if placement.is_one_to_one() => {
                Some(predict(program, placement, links).get())
            }
            Self::Cube(_)
            | Self::Normal(_)
            | Self::ShuffleExchange(_)
            | Self::DivideAndConquer(_)
            | Self::Neighbours { .. } => None,
        }
    }

    /// See [`lower_bound`].
    pub(crate) fn lower_bound(&self, placement: &Placement, links: Communication) -> Option<LowerBound> {
        match self {
            Self::Cube(program) | Self::Normal(program) => lower_bound(program, placement, links),
            Self::ShuffleExchange(_) | Self::DivideAndConquer(_) | Self::Neighbours { .. } => None,
        }
    }
}

/// The distances between the sources and destinations of a stage \[links\].
fn distances_of_messages(program: &impl Program, stage: usize, placement: &Placement) -> Extremes {
    let distance = |source, destination| {
        placement.machine().distance(placement.node(source), placement.node(destination))
    };
    let of =
        |source| program.destinations(stage, source).map(move |destination| distance(source, destination));
    Extremes::of(ProcessId::first(program.process_count()).flat_map(of))
}
