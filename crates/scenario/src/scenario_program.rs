//! The program of a run: any program of the simulator, with the words that describe it.
//!
//! The fields of [`ScenarioProgram`] describe the program as the scenario requests it; its
//! [`body`](ScenarioProgram::body) is the program that is simulated.

use std::{path::PathBuf, sync::Arc};

use cubefold_collectives::{Collective, CollectiveSpecification, Groups, Operation};
use cubefold_mapping::{CubeDimension, GraphGuest, Hypercube, ProcessBlock};
use cubefold_simulator::{
    ComputeNoise, CubeProgram, Cycles, GuestRef, Job, NeighbourProgram, Pattern, Program, Reach,
};
use cubefold_topology::{Extent, Machine, MachineKind, NodeId, Shape, Wrap};

use crate::{
    AskedOperations, ExchangeSettings, JobStepDescription, OpenLoopProgram, PipelineDescription, ProgramKind,
    TraceProgram, collective::hierarchical,
};

/// A program of a scenario, with the scenario's description of it.
#[derive(Debug, Clone)]
pub struct ScenarioProgram {
    /// Its kind, `program.kind`.
    pub kind: &'static ProgramKind,
    /// The program that is simulated; it has a guest.
    pub body: Arc<dyn Program>,
    /// The collective, if `body` is one.
    pub collective: Option<Arc<Collective>>,
    /// The steps of `collective` as the scenario requests them, if some run as several.
    pub operations: Option<Arc<AskedOperations>>,
    /// The d-cube along whose dimensions it exchanges, even if its data move over another guest; `None` for a
    /// neighbour-exchange program.
    pub exchange_cube: Option<Hypercube>,
    /// The dimension of each exchange, if a scenario chooses them.
    pub exchanges: Option<Vec<CubeDimension>>,
    /// The communication between neighbours, in a neighbour-exchange program.
    pub communication: Option<NeighbourCommunication>,
    /// The size of the largest message, or of the vector of a collective \[bytes\], if given in bytes.
    pub bytes: Option<u64>,
    /// The name of the file, or of the pattern, that lists its messages.
    pub file: Option<String>,
    /// The path of the file of a task graph.
    pub file_path: Option<PathBuf>,
    /// The Chakra traces that it is made of, if any.
    pub traces: Option<Arc<TraceProgram>>,
    /// Sentences on omissions, roundings and assumptions about its file.
    pub notes: Vec<String>,
    /// The number of consecutive processes, or ranks of a collective, that named embeddings put on a node; at least 1.
    pub ranks_per_node: u64,
    /// The block of processes that shares a node, if the scenario gives its lengths.
    pub block: Option<ProcessBlock>,
    /// The ranks that embeddings place, with their logical shape, if the program is a collective or a job.
    pub ranks: Option<LogicalRanks>,
    /// The job, if `body` is one.
    pub job: Option<Arc<Job>>,
    /// The open-loop traffic that runs instead of `body`, which places a process on each terminal.
    pub open_loop: Option<Arc<OpenLoopProgram>>,
    /// The description of each step of a job.
    pub job_steps: Vec<JobStepDescription>,
    /// The pipelines of a job, whose steps are among those of the job.
    pub pipelines: Arc<[PipelineDescription]>,
    /// The bytes of the vector of each step of a sequence, if units have bytes.
    pub step_bytes: Vec<Option<u64>>,
    /// The exchanges of a program on a cube, if the scenario pipelines them or their computations vary.
    pub exchange: Option<ExchangeSettings>,
    /// The extra cycles of computations, if they vary.
    pub noise: Option<ComputeNoise>,
    /// The program without noise and parts, if `body` is derived from it.
    pub(crate) described: Option<Arc<dyn Program>>,
    /// Equivalent programs that a run also executes; the fastest counts.
    pub others: Vec<Arc<Self>>,
}

/// The ranks of a collective or a job: embeddings place them, with all shares of a rank on its node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogicalRanks {
    /// Their logical shape.
    pub shape: Shape,
    /// The shares of each; share `c` of rank `r` is process `c P + r`.
    pub share_count: u32,
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
    /// `stencil`.
    Stencil(Reach),
    /// `to-children`, of trees.
    ToChildren,
    /// `to-parents`, of trees.
    ToParents,
}

impl NeighbourCommunication {
    /// The number of sets of permutation communications.
    #[must_use]
    pub fn sets(self) -> Option<usize> {
        match self {
            Self::Permutation { sets } => Some(sets),
            Self::Shift | Self::Scatter | Self::Stencil(_) | Self::ToChildren | Self::ToParents => None,
        }
    }

    /// The neighbours of a stencil.
    #[must_use]
    pub fn reach(self) -> Option<Reach> {
        match self {
            Self::Stencil(reach) => Some(reach),
            Self::Shift | Self::Permutation { .. } | Self::Scatter | Self::ToChildren | Self::ToParents => {
                None
            }
        }
    }

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Shift => "shift",
            Self::Permutation { .. } => "permutation",
            Self::Scatter => "scatter",
            Self::Stencil(_) => "stencil",
            Self::ToChildren => "to-children",
            Self::ToParents => "to-parents",
        }
    }
}

/// The kind of guest that the groups of processes sharing a node form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContractedGuest {
    /// A cube, for embeddings of cubes.
    Cube,
    /// A cube or a grid, as the guest.
    Own,
    /// A grid, as the logical torus of a collective.
    Grid,
    /// A row, for embeddings to which only the number of processes matters.
    Row,
}

/// The grid of the blocks of a grid, without its lengths of 1.
fn contracted_grid(shape: &Machine, block: &ProcessBlock) -> Option<Machine> {
    let blocks = block.blocks().into_iter().zip(shape.extents().map(Extent::wrap));
    let (lengths, wraps): (Vec<u64>, Vec<Wrap>) = blocks.filter(|(length, _)| *length > 1).unzip();
    // The kind of a mesh allows any wraps.
    Machine::with_wraps(MachineKind::Mesh, &lengths, &wraps).ok()
}

impl ScenarioProgram {
    /// A program of a kind, without further description.
    pub(crate) fn new(kind: &'static ProgramKind, body: impl Program + 'static) -> Self {
        Self::with_body(kind, Arc::new(body))
    }

    fn with_body(kind: &'static ProgramKind, body: Arc<dyn Program>) -> Self {
        Self {
            kind,
            body,
            collective: None,
            operations: None,
            exchange_cube: None,
            exchanges: None,
            communication: None,
            bytes: None,
            file: None,
            file_path: None,
            traces: None,
            notes: vec![],
            ranks_per_node: 1,
            block: None,
            ranks: None,
            job: None,
            open_loop: None,
            job_steps: vec![],
            pipelines: Arc::default(),
            step_bytes: vec![],
            exchange: None,
            noise: None,
            described: None,
            others: vec![],
        }
    }

    /// A compute-and-communicate program.
    pub(crate) fn of_cube(kind: &'static ProgramKind, program: CubeProgram) -> Self {
        let (cube, exchanges) = (program.cube(), program.stages().to_vec());
        Self { exchange_cube: Some(cube), exchanges: Some(exchanges), ..Self::new(kind, program) }
    }

    /// Returns the program of a collective with its guest; `standard` puts `ranks_per_node` ranks on a node.
    pub(crate) fn of_collective(
        kind: &'static ProgramKind,
        collective: Collective,
        ranks_per_node: u64,
    ) -> Self {
        let collective = Arc::new(collective);
        let body: Arc<dyn Program> = Arc::<Collective>::clone(&collective);
        let (shape, share_count) = (collective.shape().clone(), collective.share_count());
        let ranks = Some(LogicalRanks { shape, share_count });
        Self { collective: Some(collective), ranks_per_node, ranks, ..Self::with_body(kind, body) }
    }

    /// Returns the program of a job of ranks in a logical shape; `standard` puts `ranks_per_node` of them on a node.
    pub(crate) fn of_job(
        kind: &'static ProgramKind,
        job: Job,
        shape: Shape,
        job_steps: Vec<JobStepDescription>,
        ranks_per_node: u64,
    ) -> Self {
        let job = Arc::new(job);
        let body: Arc<dyn Program> = Arc::<Job>::clone(&job);
        let ranks = Some(LogicalRanks { shape, share_count: job.share_count() });
        Self { job: Some(job), job_steps, ranks, ranks_per_node, ..Self::with_body(kind, body) }
    }

    /// By step of a job, the name of its pipeline, if any; empty if there are no pipelines.
    #[must_use]
    pub fn pipelines_of_steps(&self) -> Vec<Option<String>> {
        if self.pipelines.is_empty() {
            return vec![];
        }
        let mut names = vec![None; self.job_steps.len()];
        for pipeline in &*self.pipelines {
            for task in &pipeline.tasks {
                names[task.first..=task.last].fill(Some(pipeline.name.clone()));
            }
        }
        names
    }

    /// Adds equivalent programs on the same processes. The fastest counts for a run, or the first of equally fast ones.
    pub(crate) fn or_faster(mut self, others: Vec<Self>) -> Self {
        let bytes = self.step_bytes.clone();
        let other = |other: Self| Arc::new(Self { step_bytes: bytes.clone(), ..other });
        self.others = others.into_iter().map(other).collect();
        self
    }

    /// Returns the collective with a vector of `units` units and `bytes` bytes; `None` if it is a sequence or has no
    /// vector.
    pub(crate) fn with_vector_units(&self, units: u64, bytes: Option<u64>) -> Option<Self> {
        let remade = |program: &Self| {
            if program.operations.is_some() {
                return hierarchical::with_vector_units(program, units, bytes);
            }
            let groups = program.collective.as_ref()?.only_groups()?;
            let (shape, asked) = (groups.shape().clone(), groups.specification().clone());
            if asked.operation == Operation::Barrier {
                return None;
            }
            let asked = CollectiveSpecification { vector_units: units, shape, ..asked };
            let collective = Collective::from(Groups::new(asked, groups.over()).ok()?).with_guest().ok()?;
            Some(Self {
                bytes,
                notes: program.notes.clone(),
                block: program.block.clone(),
                ..Self::of_collective(program.kind, collective, program.ranks_per_node)
            })
        };
        let others = self.others.iter().map(|other| remade(other)).collect::<Option<_>>()?;
        Some(remade(self)?.or_faster(others))
    }

    /// The steps of its collective as the scenario requests them: bounds and descriptions refer to these.
    #[must_use]
    pub fn asked_collective(&self) -> Option<&Collective> {
        self.operations.as_deref().map(|asked| &asked.collective).or(self.collective.as_deref())
    }

    /// The name of the algorithm of a step of [`asked_collective`](Self::asked_collective); `None` for a computation.
    #[must_use]
    pub fn algorithm_of_step(&self, step: usize) -> Option<&str> {
        let asked = self.operations.as_deref().and_then(|asked| asked.algorithms.get(step)?.as_deref());
        let of_groups = || {
            let groups = self.asked_collective()?.steps().get(step)?.groups()?;
            Some(groups.specification().algorithm.name())
        };
        asked.or_else(of_groups)
    }

    /// The program and its equivalents.
    pub fn with_others(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.others.iter().map(|other| &**other))
    }

    /// Returns a program whose processes are the groups that share a node, one group per node, for embeddings of cubes
    /// or of other guests.
    ///
    /// `None` if the groups do not form such a guest: `2^q` processes of a d-cube become a process of a (d - q)-cube,
    /// and a block of a grid becomes a process of the grid of blocks.
    pub(crate) fn contracted(&self, guest: ContractedGuest) -> Option<Self> {
        let groups = self.rank_count() / self.ranks_per_node;
        if groups * self.ranks_per_node != self.rank_count() {
            return None;
        }
        let cube = match guest {
            ContractedGuest::Cube => self.placement_cube(),
            ContractedGuest::Own => self.guest().cube(),
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
                contracted_grid(&self.placed_shape(), &self.block_on_node()?)?
            }
        };
        let program = NeighbourProgram::new(GraphGuest::new(shape), Pattern::Shift, Cycles::new(0));
        Some(Self::new(self.kind, program.ok()?))
    }

    /// The block of processes that shares a node: the scenario's, or else the one with the least surface; `None`
    /// without a grid, or if no block divides it.
    pub(crate) fn block_on_node(&self) -> Option<ProcessBlock> {
        let shape = self.placed_shape();
        shape.grid()?;
        let least = || ProcessBlock::least_surface(shape.shape().lengths(), self.ranks_per_node);
        self.block.clone().or_else(least)
    }

    /// The node of every process, given the node of each group of the [`contracted`](Self::contracted) program.
    pub(crate) fn over_groups(&self, guest: ContractedGuest, nodes: &[NodeId]) -> Vec<NodeId> {
        let is_cube = match guest {
            ContractedGuest::Cube | ContractedGuest::Row => true,
            ContractedGuest::Own => self.guest().cube().is_some(),
            ContractedGuest::Grid => false,
        };
        let block = self.block.clone().or_else(|| self.block_on_node().filter(|_| !is_cube));
        let group = |process: u64| match &block {
            Some(block) => block.block_of(process),
            None => process / self.ranks_per_node,
        };
        let processes = 0..self.rank_count();
        processes.filter_map(|process| nodes.get(usize::try_from(group(process)).ok()?).copied()).collect()
    }

    pub(crate) fn with_block_of(self: &Arc<Self>, block: &ProcessBlock) -> Arc<Self> {
        Arc::new(Self { block: Some(block.clone()), ..Self::clone(self) })
    }

    /// Returns the guest of the program.
    ///
    /// # Panics
    ///
    /// If `body` has none; every program of a scenario has one.
    #[must_use]
    #[expect(clippy::expect_used, reason = "documented at the field")]
    pub fn guest(&self) -> GuestRef<'_> {
        self.body.guest().expect("programs of scenarios have guests")
    }

    /// The program as the scenario describes it, without noise and parts.
    #[must_use]
    pub fn described_body(&self) -> &dyn Program {
        self.described.as_deref().unwrap_or(&*self.body)
    }

    /// The number of items that embeddings place: the ranks of a collective, whose shares are on one node, or the
    /// processes of any other program.
    #[must_use]
    pub fn rank_count(&self) -> u64 {
        self.ranks.as_ref().map_or_else(|| self.body.process_count(), |ranks| ranks.shape.node_count())
    }

    /// The bytes of the vector of a collective, if units have bytes.
    #[must_use]
    pub fn vector_bytes(&self) -> Option<u64> {
        self.bytes.filter(|_| self.asked_collective().is_some())
    }

    /// The bytes of the vector of a step of [`asked_collective`](Self::asked_collective), if units have bytes.
    #[must_use]
    pub fn bytes_of_asked_step(&self, step: usize) -> Option<u64> {
        let of_steps = self.operations.as_deref().map_or(&self.step_bytes, |asked| &asked.bytes);
        self.vector_bytes().or(of_steps.get(step).copied().flatten())
    }

    /// Whether `standard` fills the nodes in order, on any machine.
    #[must_use]
    pub fn is_placed_by_number(&self) -> bool {
        self.file.is_some() || self.ranks.is_some() || self.open_loop.is_some()
    }

    /// The shape that embeddings place: the logical torus of a collective or a job, or the guest of any other program.
    pub(crate) fn placed_shape(&self) -> Machine {
        let torus = |ranks: &LogicalRanks| Machine::new(MachineKind::Torus, ranks.shape.lengths()).ok();
        self.ranks.as_ref().and_then(torus).unwrap_or_else(|| self.guest().shape())
    }

    /// The size of the largest message \[units\].
    #[must_use]
    pub fn max_message_units(&self) -> u64 {
        if let Some(units) = self.body.facts().uniform_units {
            return units;
        }
        let stages = self.body.distinct_stages();
        stages.map(|(stage, _)| self.body.max_units(stage)).max().unwrap_or(1)
    }

    /// Whether its data move through the machine: it then has as many processes as the nodes of the machine have
    /// words, one or two each (`docs/model.md` section 2).
    pub(crate) fn is_wandering(&self) -> bool {
        self.exchange_cube.is_some() && self.guest().cube().is_none()
    }

    /// The d-cube whose embeddings place it: its guest, possibly as a grid of lengths 2, or the cube with a corner per
    /// process of a file, or per rank; `None` for other programs.
    pub(crate) fn placement_cube(&self) -> Option<Hypercube> {
        let ranks = self.rank_count();
        let is_numbered = self.is_placed_by_number() && ranks.is_power_of_two();
        let listed = || Hypercube::new(ranks.trailing_zeros().into()).ok();
        let of_grid = || self.cube_of_grid();
        self.guest().cube().or_else(of_grid).or_else(|| is_numbered.then(listed).flatten())
    }

    /// The cube, if its guest is a grid whose lengths are all 2.
    pub(crate) fn cube_of_grid(&self) -> Option<Hypercube> {
        let lengths = self.guest().graph()?.shape().grid()?.shape().lengths();
        lengths.iter().all(|&length| length == 2).then(|| Hypercube::new(lengths.len() as u64).ok())?
    }

    /// Whether the scenario gives a network as guest: a graph whose edges have no dimensions.
    #[must_use]
    pub fn has_network_guest(&self) -> bool {
        !self.is_placed_by_number()
            && self.guest().graph().is_some_and(|guest| guest.shape().graph().is_some())
    }

    /// The graph that the scenario gives as guest.
    #[must_use]
    pub fn described_guest(&self) -> Option<&Machine> {
        let guest = self.guest().graph()?.shape();
        let is_given = self.communication.is_some() || (self.has_network_guest() && !self.is_wandering());
        is_given.then_some(guest)
    }

    /// The number of pairs of a process and a stage; at most `u64::MAX`.
    #[must_use]
    pub fn pair_count(&self) -> u64 {
        self.body.process_count().saturating_mul(self.body.stage_count() as u64)
    }
}
