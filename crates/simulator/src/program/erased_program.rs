//! Programs behind one pointer, for callers that choose a program at run time.
//!
//! A run of an [`ErasedProgram`] costs one indirect call, and one per record where records are observed,
//! where the engines are compiled for the program ([`ProgramOnGuest::simulate_by_type`]); else one per computation and
//! one per list of messages of a process ([`ProgramRef`]). Queries about the guest go through [`GuestRef`].

use std::{
    any::Any,
    fmt::{self, Debug, Formatter},
};

use cubefold_mapping::{
    Extremes, GraphGuest, Guest, Hypercube, Placement, PlacementMetrics, ProcessId, TableMethod,
    TableMethodError, TranslationTable, translation_tables,
};
use cubefold_topology::{Machine, TieRule};

use crate::{
    Communication, CountLinkUse, Cycle, Execution, LowerBound, NoBeltError, Observer, OperationTimes,
    Outcome, Program, RankTask, SimulationError, StageRecord, lower_bound, program::program_ref::ProgramRef,
    simulate,
};

/// The guest graph of a program.
#[derive(Debug, Clone, Copy)]
pub enum GuestRef<'program> {
    /// A d-cube.
    Cube(&'program Hypercube),
    /// Any other graph.
    Graph(&'program GraphGuest),
}

/// A program whose processes are the nodes of a guest graph.
pub trait ProgramOnGuest: Program {
    /// The guest.
    fn guest(&self) -> GuestRef<'_>;

    /// Simulates it: by the engines as they are compiled for any program, unless the type is one of the few whose runs
    /// are so many and so long that engines of its own pay for the time that they take to compile.
    ///
    /// # Errors
    ///
    /// As [`simulate`].
    fn simulate_by_type(&self, request: RunRequest<'_, '_>) -> Result<Outcome, SimulationError>
    where
        Self: Sized,
    {
        ProgramRef::new(self).simulate(request)
    }
}

/// What [`simulate`] is asked for, the program apart.
pub struct RunRequest<'run, 'observer> {
    placement: &'run Placement,
    communication: Communication,
    execution: &'run Execution,
    count_link_use: CountLinkUse,
    observer: RunObserver<'observer>,
}

impl Debug for RunRequest<'_, '_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut fields = formatter.debug_struct("RunRequest");
        fields.field("communication", &self.communication).field("execution", &self.execution);
        fields.finish_non_exhaustive()
    }
}

impl RunRequest<'_, '_> {
    /// Simulates a program, by engines compiled for its type.
    ///
    /// # Errors
    ///
    /// As [`simulate`].
    pub(crate) fn simulate<P: Program>(self, program: &P) -> Result<Outcome, SimulationError> {
        let Self { placement, communication, execution, count_link_use, mut observer } = self;
        simulate(program, placement, communication, execution, count_link_use, &mut observer)
    }
}

/// A program of any type: every [`ProgramOnGuest`] that can be compared and sent to other threads
/// is one.
pub trait ErasedProgram: ProgramOnGuest + Debug + Send {
    /// The program, for a caller that knows its type.
    fn as_any(&self) -> &dyn Any;

    /// Whether `other` is of the same type and equal.
    fn equals(&self, other: &dyn ErasedProgram) -> bool;

    /// Calls `visit` with the source and destination of every message of a stage, by ascending
    /// source.
    fn visit_messages(&self, stage: usize, visit: &mut dyn FnMut(ProcessId, ProcessId));

    /// The distances of the messages of a stage \[links\], given the metrics of the placement.
    fn stage_distances(&self, stage: usize, placement: &Placement, metrics: &PlacementMetrics) -> Extremes;

    /// See [`simulate`](crate::simulate). Without an observer nothing is spent on records.
    ///
    /// # Errors
    ///
    /// As [`simulate`](crate::simulate).
    fn simulate(
        &self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
        count_link_use: CountLinkUse,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Outcome, SimulationError>;

    /// See [`check`](crate::check).
    ///
    /// # Errors
    ///
    /// As [`check`](crate::check).
    fn check(
        &self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
    ) -> Result<(), SimulationError>;

    /// See [`belt_applies`](crate::belt_applies).
    ///
    /// # Errors
    ///
    /// As [`belt_applies`](crate::belt_applies).
    fn belt_applies(&self, placement: &Placement, communication: Communication) -> Result<(), NoBeltError>;

    /// See [`bytes_to_simulate`](crate::bytes_to_simulate).
    fn bytes_to_simulate(
        &self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
    ) -> u64;

    /// See [`dividing_ranks`](crate::dividing_ranks).
    fn dividing_ranks(
        &self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
    ) -> u64;

    /// See [`predict`](crate::predict).
    fn predict(&self, placement: &Placement, communication: Communication) -> Cycle;

    /// See [`lower_bound`]; none for programs that have none.
    fn lower_bound(&self, placement: &Placement, communication: Communication) -> Option<LowerBound>;
}

impl PartialEq for dyn ErasedProgram {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other)
    }
}

impl Eq for dyn ErasedProgram {}

impl<P: ProgramOnGuest + Debug + PartialEq + Send + 'static> ErasedProgram for P {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equals(&self, other: &dyn ErasedProgram) -> bool {
        other.as_any().downcast_ref::<P>() == Some(self)
    }

    fn visit_messages(&self, stage: usize, visit: &mut dyn FnMut(ProcessId, ProcessId)) {
        self.for_each_message(stage, &mut |source, destination, _| visit(source, destination));
    }

    fn stage_distances(&self, stage: usize, placement: &Placement, metrics: &PlacementMetrics) -> Extremes {
        if let Some(program) = self.as_cube() {
            return metrics.distances[program.stages()[stage].index()].over_edges;
        }
        let machine = placement.machine();
        let mut distances = Extremes::NONE;
        self.for_each_message(stage, &mut |source, destination, _| {
            let distance = machine.distance(placement.node(source), placement.node(destination));
            distances = distances.and(Extremes::of([distance]));
        });
        distances
    }

    fn simulate(
        &self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
        count_link_use: CountLinkUse,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Outcome, SimulationError> {
        let observer = RunObserver::new(observer);
        self.simulate_by_type(RunRequest { placement, communication, execution, count_link_use, observer })
    }

    fn check(
        &self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
    ) -> Result<(), SimulationError> {
        ProgramRef::new(self).check(placement, communication, execution)
    }

    fn belt_applies(&self, placement: &Placement, communication: Communication) -> Result<(), NoBeltError> {
        ProgramRef::new(self).belt_applies(placement, communication)
    }

    fn bytes_to_simulate(
        &self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
    ) -> u64 {
        ProgramRef::new(self).bytes_to_simulate(placement, communication, execution)
    }

    fn dividing_ranks(
        &self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
    ) -> u64 {
        ProgramRef::new(self).dividing_ranks(placement, communication, execution)
    }

    fn predict(&self, placement: &Placement, communication: Communication) -> Cycle {
        ProgramRef::new(self).predict(placement, communication)
    }

    fn lower_bound(&self, placement: &Placement, communication: Communication) -> Option<LowerBound> {
        lower_bound(self.as_cube()?, placement, communication)
    }
}

/// Makes programs erased in this crate, so that engines of their own are compiled here, once,
/// and not again in every crate that casts one. The unit tests of this crate, which are a build of their own, do without:
/// they would compile all of them once more.
macro_rules! erase {
    ($($program:ident),+ $(,)?) => {
        $(#[cfg(not(test))]
        impl crate::$program {
            /// The program behind a pointer.
            #[must_use]
            pub fn erase(self) -> Box<dyn ErasedProgram> {
                Box::new(self)
            }
        })+
    };
}

erase!(CubeProgram, DivideAndConquer, NeighbourProgram, ShuffleExchangeProgram, StageProgram);

/// Any observer, so that the engines are compiled for one type of observer. To one that wants no records it reports the
/// pairs that are over in batches: a pair costs no indirect call.
struct RunObserver<'observer> {
    observer: Option<&'observer mut dyn Observer>,
    wants_records: bool,
    unreported: u64, // pairs, below BATCH
}

impl<'observer> RunObserver<'observer> {
    const BATCH: u64 = 1 << 16;

    fn new(observer: Option<&'observer mut dyn Observer>) -> Self {
        let wants_records = observer.as_deref().is_some_and(Observer::wants_records);
        Self { observer, wants_records, unreported: 0 }
    }

    fn report(&mut self) {
        let count = std::mem::take(&mut self.unreported);
        if let Some(observer) = &mut self.observer {
            observer.pairs_finished(count);
        }
    }
}

impl Observer for RunObserver<'_> {
    #[inline]
    fn stage_finished(&mut self, record: &StageRecord) {
        match &mut self.observer {
            Some(observer) if self.wants_records => observer.stage_finished(record),
            _ => {
                self.unreported += 1;
                if self.unreported == Self::BATCH {
                    self.report();
                }
            }
        }
    }

    fn wants_records(&self) -> bool {
        self.wants_records
    }

    fn pairs_finished(&mut self, count: u64) {
        if let Some(observer) = &mut self.observer {
            observer.pairs_finished(count);
        }
    }

    fn part_finished(&mut self, task: RankTask) {
        if let Some(observer) = &mut self.observer {
            observer.part_finished(task);
        }
    }

    fn wants_operations(&self) -> bool {
        self.observer.as_deref().is_some_and(Observer::wants_operations)
    }

    fn operations_finished(&mut self, times: Vec<OperationTimes>) {
        if let Some(observer) = &mut self.observer {
            observer.operations_finished(times);
        }
    }
}

impl Drop for RunObserver<'_> {
    fn drop(&mut self) {
        if self.unreported > 0 {
            self.report();
        }
    }
}

impl<'program> GuestRef<'program> {
    /// The d-cube; none where it is another graph.
    #[must_use]
    pub fn cube(self) -> Option<Hypercube> {
        match self {
            Self::Cube(cube) => Some(*cube),
            Self::Graph(_) => None,
        }
    }

    /// The graph; none where it is a d-cube.
    #[must_use]
    pub fn graph(self) -> Option<&'program GraphGuest> {
        match self {
            Self::Cube(_) => None,
            Self::Graph(graph) => Some(graph),
        }
    }

    /// The guest as the machine that it would fill.
    #[must_use]
    pub fn shape(self) -> Machine {
        match self {
            Self::Cube(cube) => cube.shape(),
            Self::Graph(graph) => graph.shape().clone(),
        }
    }

    /// The number of dimensions that its edges are sorted into.
    #[must_use]
    pub fn dimension_count(self) -> usize {
        match self {
            Self::Cube(cube) => Guest::dimension_count(cube),
            Self::Graph(graph) => graph.dimension_count(),
        }
    }

    /// The edges of one dimension (counted from 0), each once, the smaller label first.
    #[must_use]
    pub fn edges(self, dimension: usize) -> Vec<(ProcessId, ProcessId)> {
        match self {
            Self::Cube(cube) => cube.edges(dimension).collect(),
            Self::Graph(graph) => graph.edges(dimension).collect(),
        }
    }

    /// The metrics of a placement of the guest.
    #[must_use]
    pub fn measure(self, placement: &Placement, tie: TieRule) -> PlacementMetrics {
        match self {
            Self::Cube(cube) => PlacementMetrics::measure(cube, placement, tie),
            Self::Graph(graph) => PlacementMetrics::measure_by_edge(graph, placement, tie),
        }
    }

    /// See [`translation_tables`].
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CubeProgram, Cycles, DivideAndConquer, EngineChoice, predict};
    use cubefold_mapping::EmbeddingKind;
    use cubefold_topology::{LinkMode, MachineKind};

    #[test]
    fn an_erased_program_runs_as_the_program_itself() {
        let cube = Hypercube::new(4).unwrap();
        let machine = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
        let placement = Placement::embed(EmbeddingKind::Byweight, cube, &machine).unwrap();
        let links = Communication::new(LinkMode::HalfDuplex, Cycles::new(2), TieRule::Direct).unwrap();
        let execution = Execution::Asynchronous(EngineChoice::Auto);
        let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(3)).unwrap();
        let erased: Box<dyn ErasedProgram> = Box::new(program.clone());

        let mut records: Vec<StageRecord> = vec![];
        let run = |observer| erased.simulate(&placement, links, &execution, CountLinkUse::No, observer);
        let [silent, observed] = [run(None).unwrap(), run(Some(&mut records)).unwrap()];
        let mut expected: Vec<StageRecord> = vec![];
        let outcome =
            simulate(&program, &placement, links, &execution, CountLinkUse::No, &mut expected).unwrap();
        assert_eq!(records, expected);
        let sums = |outcome: &Outcome| (outcome.summary.makespan(), outcome.summary.totals());
        assert_eq!([sums(&silent), sums(&observed)], [sums(&outcome), sums(&outcome)]);
        assert_eq!(erased.predict(&placement, links), predict(&program, &placement, links));

        let mut messages = vec![];
        erased.visit_messages(2, &mut |source, destination| messages.push((source, destination)));
        assert_eq!(messages, program.messages(2).collect::<Vec<_>>());
        let metrics = erased.guest().measure(&placement, TieRule::Direct);
        let by_message = Extremes::of(messages.iter().map(|&(source, destination)| {
            placement.machine().distance(placement.node(source), placement.node(destination))
        }));
        let by_edge = erased.stage_distances(2, &placement, &metrics);
        assert_eq!((by_edge.min, by_edge.max), (by_message.min, by_message.max));
        // An edge carries a message in each direction.
        assert_eq!((2 * by_edge.sum, 2 * by_edge.count), (by_message.sum, by_message.count));
    }

    #[test]
    fn programs_are_equal_where_type_and_value_are() {
        let cube = Hypercube::new(3).unwrap();
        let ascend = |compute| CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(compute));
        let programs: [Box<dyn ErasedProgram>; 3] = [
            Box::new(ascend(1).unwrap()),
            Box::new(ascend(2).unwrap()),
            Box::new(DivideAndConquer::new(cube, Cycles::new(1))),
        ];
        for (at, one) in programs.iter().enumerate() {
            for (other_at, other) in programs.iter().enumerate() {
                assert_eq!(**one == **other, at == other_at);
            }
        }
        assert!(programs[0].as_any().downcast_ref::<CubeProgram>().is_some());
    }
}
