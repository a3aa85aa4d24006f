//! The program of a run: any program of the simulator, behind one pointer, with the words that describe it.
//!
//! What runs a program or measures its guest goes through [`ErasedProgram`], which dispatches once; nothing here, nor
//! above, asks which type it is.

use std::{
    ops::Deref,
    path::{Path, PathBuf},
    sync::Arc,
};

use cubefold_collectives::{
    Collective, CollectiveForm, CollectiveProgram, CollectiveProgramForm, CollectiveSequence,
    CollectiveSpecification, CollectiveStep, GroupedCollective, Operation,
};
use cubefold_mapping::{
    CubeDimension, GraphGuest, Hypercube, Placement, PlacementMetrics, ProcessId, TableMethod,
    TableMethodError, TranslationTable,
};
use cubefold_simulator::{CubeProgram, Cycles, ErasedProgram, NeighbourProgram, Pattern, TaskGraph};
use cubefold_topology::{Extent, Machine, MachineKind, TieRule};

use crate::scenario::ProgramKind;

/// A program of a scenario: what it does, and what the scenario calls it.
///
/// Dereferences to the program itself, for its stages, messages and simulation.
#[derive(Debug)]
pub struct ScenarioProgram {
    kind: &'static ProgramKind,
    program: Box<dyn ErasedProgram>,
    exchange_cube: Option<Hypercube>,
    exchanges: Option<Vec<CubeDimension>>,
    communication: Option<NeighbourCommunication>,
    bytes: Option<u64>,
    file: Option<String>,
    file_path: Option<PathBuf>,
    ranks_per_node: u64,          // that named embeddings put there; at least 1
    step_bytes: Vec<Option<u64>>, // of the vector of each step of a sequence
    others: Vec<Arc<Self>>,
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
    /// The number of sets of permutation communications.
    #[must_use]
    pub fn sets(self) -> Option<usize> {
        match self {
            Self::Permutation { sets } => Some(sets),
            Self::Shift | Self::Scatter => None,
        }
    }

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

/// Which guest the groups of processes that share a node are to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContractedGuest {
    /// A cube, for embeddings of cubes.
    Cube,
    /// A cube or grid, as the guest is.
    Own,
    /// A grid, as the logical torus of a collective is.
    Grid,
    /// A row, for embeddings to which only the number of processes matters.
    Row,
}

/// The grid whose first length is divided by `divisor`, without that dimension where 1 is left of it; none where it
/// is no grid or does not divide.
fn contracted_grid(shape: &Machine, divisor: u64) -> Option<Machine> {
    shape.grid()?;
    let (&first, others) = shape.shape().lengths().split_first()?;
    if !first.is_multiple_of(divisor) {
        return None;
    }
    let left = Some(first / divisor).filter(|&left| left > 1 || others.is_empty());
    let lengths: Vec<u64> = left.into_iter().chain(others.iter().copied()).collect();
    let wraps = shape.extents().map(Extent::wrap).skip(usize::from(left.is_none()));
    // Any wraps go with the kind of a mesh.
    Machine::with_wraps(MachineKind::Mesh, &lengths, &wraps.collect::<Vec<_>>()).ok()
}

impl Deref for ScenarioProgram {
    type Target = dyn ErasedProgram;

    fn deref(&self) -> &Self::Target {
        &*self.program
    }
}

/// Programs are equal where they are of one kind and do the same.
impl PartialEq for ScenarioProgram {
    fn eq(&self, other: &Self) -> bool {
        let words =
            |program: &Self| (program.kind(), program.communication, program.bytes, program.ranks_per_node);
        words(self) == words(other) && *self.program == *other.program && self.others == other.others
    }
}

impl Eq for ScenarioProgram {}

impl ScenarioProgram {
    /// A program of a kind, described by no more than that.
    pub(crate) fn new(kind: &'static ProgramKind, program: Box<dyn ErasedProgram>) -> Self {
        Self {
            kind,
            program,
            exchange_cube: None,
            exchanges: None,
            communication: None,
            bytes: None,
            file: None,
            file_path: None,
            ranks_per_node: 1,
            step_bytes: vec![],
            others: vec![],
        }
    }

    /// A compute-and-communicate program.
    pub(crate) fn of_cube(kind: &'static ProgramKind, program: CubeProgram) -> Self {
        let (cube, exchanges) = (program.cube(), program.stages().to_vec());
        Self::new(kind, program.erase()).exchanging_along(cube, Some(exchanges))
    }

    /// Adds the d-cube whose dimensions it exchanges along, and the dimension of each exchange where a scenario
    /// chooses it.
    pub(crate) fn exchanging_along(mut self, cube: Hypercube, exchanges: Option<Vec<CubeDimension>>) -> Self {
        self.exchange_cube = Some(cube);
        self.exchanges = exchanges;
        self
    }

    /// Adds how neighbours communicate.
    pub(crate) fn communicating(mut self, communication: NeighbourCommunication) -> Self {
        self.communication = Some(communication);
        self
    }

    /// Adds the size of the largest message, or of the vector of a collective, where a scenario gives it in bytes.
    pub(crate) fn with_bytes(mut self, bytes: Option<u64>) -> Self {
        self.bytes = bytes;
        self
    }

    /// Says that its messages are listed in a file, which is called so.
    pub(crate) fn listed_in(mut self, name: &str) -> Self {
        self.file = Some(name.to_owned());
        self
    }

    /// Says where the file is that lists it.
    pub(crate) fn with_file_path(mut self, path: &Path) -> Self {
        self.file_path = Some(path.to_owned());
        self
    }

    /// The path of the file of a task graph.
    pub(crate) fn file_path(&self) -> Option<&Path> {
        self.file_path.as_deref()
    }

    /// The task graph that it is, if it is one.
    #[must_use]
    pub fn task_graph(&self) -> Option<&TaskGraph> {
        self.program.as_any().downcast_ref::<TaskGraph>()
    }

    /// A collective in any form, so many ranks of which `standard` puts on a node.
    pub(crate) fn of_collective(
        kind: &'static ProgramKind,
        program: Box<dyn ErasedProgram>,
        ranks_per_node: u64,
    ) -> Self {
        Self { ranks_per_node, ..Self::new(kind, program) }
    }

    /// Adds the bytes of the vector of each step of a sequence.
    pub(crate) fn with_step_bytes(mut self, bytes: Vec<Option<u64>>) -> Self {
        self.step_bytes = bytes;
        self
    }

    /// Adds programs for the same on the same processes: a run is of the fastest, the first of equally fast ones.
    pub(crate) fn or_faster(mut self, others: Vec<Self>) -> Self {
        let bytes = self.step_bytes.clone();
        let other = |other: Self| Arc::new(other.with_step_bytes(bytes.clone()));
        self.others = others.into_iter().map(other).collect();
        self
    }

    /// The collective with a vector of so many units and bytes, where it is no sequence and has a vector.
    pub(crate) fn with_vector_units(&self, units: u64, bytes: Option<u64>) -> Option<Self> {
        let remade = |own: &Self| {
            let steps = own.collective()?.steps();
            let &[CollectiveStep::Collective { specification, groups }] = &steps[..] else { return None };
            let asked = CollectiveSpecification { vector_units: units, ..specification.clone() };
            let program = match groups {
                _ if asked.operation == Operation::Barrier => return None,
                None => Collective::new(asked).ok()?.erase(),
                Some((shape, over)) => {
                    let asked = CollectiveSpecification { shape: shape.clone(), ..asked };
                    GroupedCollective::new(asked, over).ok()?.erase()
                }
            };
            Some(Self::of_collective(own.kind, program.ok()?, own.ranks_per_node).with_bytes(bytes))
        };
        let others = self.others.iter().map(|other| remade(other)).collect::<Option<_>>()?;
        Some(remade(self)?.or_faster(others))
    }

    /// The programs that a run also runs, to keep what is the fastest.
    #[must_use]
    pub fn others(&self) -> &[Arc<Self>] {
        &self.others
    }

    /// The program and those others.
    pub(crate) fn with_others(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.others.iter().map(|other| &**other))
    }

    /// Says how many consecutive processes, or ranks of a collective, named embeddings put on a node.
    pub(crate) fn sharing_nodes(mut self, ranks_per_node: u64) -> Self {
        self.ranks_per_node = ranks_per_node;
        self
    }

    /// A program in the place of this one whose processes are the groups that share a node, one group a node: what an
    /// embedding of a cube, or of another guest, places.
    ///
    /// None where the groups are no such guest: `2^q` processes of a d-cube are one of a (d - q)-cube, and `k` of a
    /// grid one of the grid whose first length is divided by `k`.
    pub(crate) fn contracted(&self, guest: ContractedGuest) -> Option<Self> {
        let groups = self.rank_count() / self.ranks_per_node;
        if groups * self.ranks_per_node != self.rank_count() {
            return None;
        }
        let cube = match guest {
            ContractedGuest::Cube => self.placement_cube().map(|_| ()),
            ContractedGuest::Own => self.cube().map(|_| ()),
            ContractedGuest::Grid | ContractedGuest::Row => None,
        };
        if cube.is_some() {
            let dimensions = groups.is_power_of_two().then(|| groups.trailing_zeros().into())?;
            let cube = Hypercube::new(dimensions).ok()?;
            let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(0)).ok()?;
            return Some(Self::of_cube(self.kind, program));
        }
        let shape = match guest {
            ContractedGuest::Row => Machine::new(MachineKind::Line, &[groups]).ok()?,
            ContractedGuest::Cube | ContractedGuest::Own | ContractedGuest::Grid => {
                contracted_grid(&self.placed_shape(), self.ranks_per_node)?
            }
        };
        let program = NeighbourProgram::new(GraphGuest::new(shape), Pattern::Shift, Cycles::new(0));
        Some(Self::new(self.kind, program.ok()?.erase()))
    }

    /// The collective that it is, if it is one.
    #[must_use]
    pub fn collective(&self) -> Option<&dyn CollectiveForm> {
        fn of<C: CollectiveProgramForm>(program: &dyn ErasedProgram) -> Option<&dyn CollectiveForm> {
            let own = program.as_any().downcast_ref::<CollectiveProgram<C>>()?;
            Some(own.collective())
        }
        let program = &*self.program;
        of::<Collective>(program)
            .or_else(|| of::<GroupedCollective>(program))
            .or_else(|| of::<CollectiveSequence>(program))
    }

    /// The collective that it is, of all its ranks at once.
    pub(crate) fn single_collective(&self) -> Option<&Collective> {
        Some(self.program.as_any().downcast_ref::<CollectiveProgram<Collective>>()?.collective())
    }

    /// The bytes of the vector of a collective, where units have bytes.
    #[must_use]
    pub fn vector_bytes(&self) -> Option<u64> {
        self.bytes.filter(|_| self.collective().is_some())
    }

    /// The number of what embeddings place: the ranks of a collective, all of whose shares sit on one node; the
    /// processes of any other program.
    #[must_use]
    pub fn rank_count(&self) -> u64 {
        self.collective().map_or_else(|| self.process_count(), CollectiveForm::rank_count)
    }

    /// The bytes of the vector of a step of a sequence, where units have bytes.
    pub(crate) fn step_bytes(&self, step: usize) -> Option<u64> {
        self.vector_bytes().or(self.step_bytes.get(step).copied().flatten())
    }

    /// The number of consecutive processes, or ranks of a collective, that named embeddings put on a node.
    pub(crate) fn ranks_per_node(&self) -> u64 {
        self.ranks_per_node
    }

    /// Whether `standard` puts what it places on the nodes in their order, whatever the machine.
    pub(crate) fn is_placed_by_number(&self) -> bool {
        self.file.is_some() || self.collective().is_some()
    }

    /// The machine that what embeddings place would fill: the logical torus of a collective, the guest of any other
    /// program.
    pub(crate) fn placed_shape(&self) -> Machine {
        let torus = |collective: &dyn CollectiveForm| {
            Machine::new(MachineKind::Torus, collective.shape().lengths()).ok()
        };
        self.collective().and_then(torus).unwrap_or_else(|| self.shape())
    }

    /// The name of the file that lists its messages, where one does.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// The size of the largest message, or of the vector of a collective \[bytes\], where a scenario gives it so.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    /// The size of the largest message \[units\].
    #[must_use]
    pub fn max_message_units(&self) -> u64 {
        if let Some(units) = self.uniform_units() {
            return units;
        }
        let stages = (0..self.stage_count()).filter(|&stage| !self.repeats(stage));
        stages.map(|stage| self.max_units(stage)).max().unwrap_or(1)
    }

    /// The word for its kind in every file.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind.name
    }

    /// The d-cube whose dimensions it exchanges along, also where its data wander over another guest; none of a
    /// neighbour-exchange program.
    #[must_use]
    pub fn exchange_cube(&self) -> Option<Hypercube> {
        self.exchange_cube
    }

    /// The dimension of each exchange, where a scenario chooses them.
    #[must_use]
    pub fn exchanges(&self) -> Option<&[CubeDimension]> {
        self.exchanges.as_deref()
    }

    /// How neighbours communicate, in a neighbour-exchange program.
    #[must_use]
    pub fn communication(&self) -> Option<NeighbourCommunication> {
        self.communication
    }

    /// Whether its data wander through the machine: it then has as many processes as the nodes of the machine have
    /// words, one or two each (`docs/model.md` section 2).
    pub(crate) fn is_wandering(&self) -> bool {
        self.exchange_cube.is_some() && self.cube().is_none()
    }

    /// The d-cube whose embeddings place it: its guest, or that of as many processes as a file names, or of as many
    /// ranks; none otherwise.
    pub(crate) fn placement_cube(&self) -> Option<Hypercube> {
        let ranks = self.rank_count();
        let is_numbered = self.is_placed_by_number() && ranks.is_power_of_two();
        let listed = || Hypercube::new(ranks.trailing_zeros().into()).ok();
        self.cube().or_else(|| is_numbered.then(listed).flatten())
    }

    /// The d-cube that is its guest; none where that is another graph.
    #[must_use]
    pub fn cube(&self) -> Option<Hypercube> {
        self.program.guest().cube()
    }

    /// The graph that is its guest; none where that is a d-cube.
    #[must_use]
    pub fn graph(&self) -> Option<&GraphGuest> {
        self.program.guest().graph()
    }

    /// The guest as the machine that it would fill.
    #[must_use]
    pub fn shape(&self) -> Machine {
        self.program.guest().shape()
    }

    /// Whether the scenario gives a network as guest: a graph whose edges lie in no dimensions.
    #[must_use]
    pub fn has_network_guest(&self) -> bool {
        !self.is_placed_by_number() && self.graph().is_some_and(|guest| guest.shape().graph().is_some())
    }

    /// The number of pairs of a process and a stage, or as many as 64 bits hold.
    pub(crate) fn pair_count(&self) -> u64 {
        self.process_count().saturating_mul(self.stage_count() as u64)
    }

    /// The number of dimensions of its guest.
    #[must_use]
    pub fn dimension_count(&self) -> usize {
        self.program.guest().dimension_count()
    }

    /// The edges of one dimension of its guest (counted from 0), each once, the smaller label first.
    #[must_use]
    pub fn edges(&self, dimension: usize) -> Vec<(ProcessId, ProcessId)> {
        self.program.guest().edges(dimension)
    }

    /// The metrics of a placement of its guest.
    #[must_use]
    pub fn measure(&self, placement: &Placement, tie: TieRule) -> PlacementMetrics {
        self.program.guest().measure(placement, tie)
    }

    /// See [`translation_tables`](cubefold_mapping::translation_tables).
    ///
    /// # Errors
    ///
    /// As [`translation_tables`](cubefold_mapping::translation_tables).
    pub fn translation_tables<'a>(
        &'a self,
        placement: &'a Placement,
        method: TableMethod,
    ) -> Result<Box<dyn Iterator<Item = TranslationTable> + 'a>, TableMethodError> {
        self.program.guest().translation_tables(placement, method)
    }
}
