//! Collectives: sequences of steps of groups and computations.

use std::sync::{Arc, OnceLock};

use cubefold_mapping::{GraphGuest, ProcessId};
use cubefold_simulator::{Cycles, Facts};
use cubefold_topology::{Length, MAX_NODE_COUNT, Shape, narrow};

use crate::{CollectiveError, CollectiveSpecification, DataFlowError, Groups, schedule::End};

/// A step of a collective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// An algorithm in several groups, or in one. Equal steps may share it.
    Groups(Arc<Groups>),
    /// A computation of every rank \[cycles\].
    Computation(u64),
}

/// A sequence of steps of the same ranks; a single collective is one step of one group
/// (`docs/model.md` section 16, "Groups and sequences").
///
/// A rank starts a step when all its shares have finished the previous one; ranks do not wait for
/// each other. With `R` ranks and `k` the most shares of a step, share `c` of rank `r` is process
/// `c R + r`. A step with fewer shares leaves the others idle; share 0 performs a computation.
/// Between two steps there is a stage in which the shares of a rank used in either exchange
/// messages of one unit inside their node, as between the phases of `bucket`; if that is one share,
/// there is no such stage. Queries panic for a stage or process out of range.
///
/// It is a program of the engines; with its [guest](Self::with_guest) placements can be measured, too.
///
/// ```
/// use cubefold_collectives::{Algorithm, Collective, CollectiveSpecification, Operation};
/// use cubefold_mapping::ProcessId;
/// use cubefold_topology::Shape;
///
/// // Reduce-scatter on a ring of 4 with 8 units: 2 stages, the first with two blocks of 2 units a message.
/// let shape = Shape::new(&[4])?;
/// let swing = CollectiveSpecification::new(Operation::ReduceScatter, Algorithm::Swing, shape, 8);
/// let swing = Collective::new(swing)?;
/// assert_eq!(swing.sends(0, ProcessId::new(0)), [(ProcessId::new(1), 4)]);
/// assert_eq!((swing.process_count(), swing.stage_count()), (4, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Collective {
    steps: Vec<Step>,
    shape: Shape,             // of the first groups
    first_stages: Vec<usize>, // of each step, including its synchronisation with the previous step
    synchronised: Vec<u32>,   // by step: the shares that exchange messages before it; 0 if none do
    stage_count: usize,       // at least 1
    rank_count: Length,       // R
    share_count: u32,         // k
    pub(crate) guest: Option<GraphGuest>,
    pub(crate) facts: OnceLock<Facts>,
}

/// Steps that do not form a collective.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepsError {
    /// Only computations.
    #[error("a sequence without a collective, expected at least one")]
    NoCollective,
    /// Steps of different numbers of ranks.
    #[error("step {step} has {found} ranks, expected {expected} as in the steps before")]
    Ranks {
        /// The step, counted from 0.
        step: usize,
        /// The number of its ranks.
        found: u64,
        /// The number of ranks of the steps before it.
        expected: u64,
    },
    /// More processes than can be numbered.
    #[error("{found} processes, expected fewer than {MAX_NODE_COUNT}")]
    TooManyProcesses {
        /// Ranks times the most shares of a step.
        found: u128,
    },
}

enum Stage<'a> {
    /// A stage of groups.
    Groups(&'a Groups, usize),
    /// A computation of every rank \[cycles\].
    Computation(u64),
    /// The exchange of messages of one unit between the first `shares` of each rank.
    Synchronisation { shares: u32 },
}

impl Step {
    /// Returns the groups, unless the step is a computation.
    #[must_use]
    pub fn groups(&self) -> Option<&Groups> {
        match self {
            Self::Groups(groups) => Some(groups),
            Self::Computation(_) => None,
        }
    }

    fn share_count(&self) -> u32 {
        self.groups().map_or(1, Groups::share_count)
    }

    fn stage_count(&self) -> usize {
        self.groups().map_or(1, Groups::stage_count)
    }
}

impl From<Groups> for Step {
    fn from(groups: Groups) -> Self {
        Self::Groups(Arc::new(groups))
    }
}

impl From<Groups> for Collective {
    fn from(groups: Groups) -> Self {
        Self::of_groups(Arc::new(groups))
    }
}

impl Collective {
    /// Returns the collective of a specification on all ranks of its shape.
    ///
    /// # Errors
    ///
    /// The errors of [`CollectiveSpecification::check`].
    pub fn new(specification: CollectiveSpecification) -> Result<Self, CollectiveError> {
        Groups::one(specification).map(Self::from)
    }

    /// Returns the collective of shared groups.
    #[must_use]
    pub fn of_groups(groups: Arc<Groups>) -> Self {
        let shape = groups.shape().clone();
        Self::of_checked(vec![Step::Groups(groups)], shape)
    }

    /// Returns the collective of these steps.
    ///
    /// # Errors
    ///
    /// When all steps are computations, their numbers of ranks differ, or there are too many processes.
    pub fn of_steps(steps: Vec<Step>) -> Result<Self, StepsError> {
        let first = steps.iter().find_map(Step::groups).ok_or(StepsError::NoCollective)?;
        let (shape, expected) = (first.shape().clone(), first.rank_count());
        let mut ranks =
            steps.iter().map(|step| step.groups().map_or(expected, Groups::rank_count)).enumerate();
        if let Some((step, found)) = ranks.find(|&(_, found)| found != expected) {
            return Err(StepsError::Ranks { step, found, expected });
        }
        let most_shares = steps.iter().map(Step::share_count).max().unwrap_or(1);
        let found = u128::from(expected) * u128::from(most_shares);
        if found >= MAX_NODE_COUNT.into() {
            return Err(StepsError::TooManyProcesses { found });
        }
        Ok(Self::of_checked(steps, shape))
    }

    /// Returns the collective of steps with as many ranks as the shape has nodes.
    fn of_checked(steps: Vec<Step>, shape: Shape) -> Self {
        let (mut first_stages, mut synchronised, mut stage_count) = (vec![], vec![], 0);
        for (number, step) in steps.iter().enumerate() {
            let before = number.checked_sub(1).map_or(0, |before| steps[before].share_count());
            let shares = if before == 0 { 0 } else { before.max(step.share_count()) };
            first_stages.push(stage_count);
            synchronised.push(if shares > 1 { shares } else { 0 });
            stage_count += usize::from(shares > 1) + step.stage_count();
        }
        let share_count = steps.iter().map(Step::share_count).max().unwrap_or(1);
        let rank_count = Length::new(shape.node_count());
        Self {
            steps,
            shape,
            first_stages,
            synchronised,
            stage_count,
            rank_count,
            share_count,
            guest: None,
            facts: OnceLock::new(),
        }
    }

    /// Returns the steps.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the groups, if they are the only step.
    #[must_use]
    pub fn only_groups(&self) -> Option<&Groups> {
        match &self.steps[..] {
            [Step::Groups(groups)] => Some(groups),
            _ => None,
        }
    }

    /// Returns the only step, if it is one group of all ranks.
    #[must_use]
    pub fn single(&self) -> Option<&Groups> {
        self.only_groups().filter(|groups| groups.group_count() == 1)
    }

    /// Returns the specification of the groups, if they are the only step.
    #[must_use]
    pub fn specification(&self) -> Option<&CollectiveSpecification> {
        self.only_groups().map(Groups::specification)
    }

    /// Whether any two ranks can change places without changing what each must receive and send: one group of all ranks,
    /// without a root, whose blocks are equal.
    #[must_use]
    pub fn ranks_are_alike(&self) -> bool {
        self.single().is_some_and(|groups| {
            let asked = groups.specification();
            let blocks = self.rank_count() * u64::from(self.share_count);
            !asked.operation.descriptor().has_root && asked.vector_units.is_multiple_of(blocks)
        })
    }

    /// Returns the logical shape of all ranks; with several steps, the shape of the first groups.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the number of ranks `R`.
    #[must_use]
    pub fn rank_count(&self) -> u64 {
        self.rank_count.get()
    }

    /// Returns the most shares `k` of a step, which is the number of processes of a rank.
    #[must_use]
    pub fn share_count(&self) -> u32 {
        self.share_count
    }

    /// Returns the number of processes `k R`, below 2^32.
    #[must_use]
    pub fn process_count(&self) -> u64 {
        self.rank_count() * u64::from(self.share_count)
    }

    /// Returns the number of stages, at least 1.
    #[must_use]
    pub fn stage_count(&self) -> usize {
        self.stage_count
    }

    /// Returns the rank of a process, in `0..R`.
    #[must_use]
    pub fn rank(&self, process: ProcessId) -> u32 {
        narrow(self.rank_count.divide(process.label().into()).1)
    }

    /// Returns the share of a process, in `0..k`.
    #[must_use]
    pub fn share(&self, process: ProcessId) -> u32 {
        narrow(self.rank_count.divide(process.label().into()).0)
    }

    /// Returns the step of a stage, counted from 0; `None` for a stage between two steps.
    #[must_use]
    pub fn step(&self, stage: usize) -> Option<usize> {
        let (step, within) = self.locate(stage);
        within.map(|_| step)
    }

    /// Returns the step of a stage, and the number of its earlier stages; `None` for a synchronisation.
    fn locate(&self, stage: usize) -> (usize, Option<usize>) {
        debug_assert!(stage < self.stage_count, "a stage of the collective");
        let step = self.first_stages.partition_point(|&first| first <= stage) - 1;
        let within = stage - self.first_stages[step];
        (step, within.checked_sub(usize::from(self.synchronised[step] > 0)))
    }

    fn stage(&self, stage: usize) -> Stage<'_> {
        match self.locate(stage) {
            (step, None) => Stage::Synchronisation { shares: self.synchronised[step] },
            (step, Some(within)) => match &self.steps[step] {
                Step::Groups(groups) => Stage::Groups(groups, within),
                &Step::Computation(cycles) => Stage::Computation(cycles),
            },
        }
    }

    /// Lists the messages that have a process at this end in a stage: the process at the other end,
    /// ascending, and the size \[units\].
    pub(crate) fn list(
        &self,
        end: End,
        stage: usize,
        process: ProcessId,
        add: &mut dyn FnMut(ProcessId, u64),
    ) {
        match self.stage(stage) {
            Stage::Groups(groups, within) if u64::from(process.label()) < groups.process_count() => {
                groups.list(end, within, process, add);
            }
            Stage::Synchronisation { shares } => {
                let (share, rank) = self.rank_count.divide(process.label().into());
                let others = (0..shares.into()).filter(|&other| share < shares.into() && other != share);
                for other in others {
                    add(ProcessId::new(narrow(other * self.rank_count() + rank)), 1);
                }
            }
            Stage::Groups(..) | Stage::Computation(_) => {}
        }
    }

    /// Returns the order of a message of a stage among those that join a queue in one cycle.
    pub(crate) fn turn(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u32 {
        match self.stage(stage) {
            Stage::Groups(groups, _) => groups.turn(source, destination),
            Stage::Computation(_) | Stage::Synchronisation { .. } => 0,
        }
    }

    /// Returns the messages that a process sends in a stage: destination, ascending, and size
    /// \[units\].
    #[must_use]
    pub fn sends(&self, stage: usize, process: ProcessId) -> Vec<(ProcessId, u64)> {
        let mut messages = vec![];
        self.list(End::Source, stage, process, &mut |to, units| messages.push((to, units)));
        messages
    }

    /// Returns the messages that a process receives in a stage: source, ascending, and size \[units\].
    #[must_use]
    pub fn receives(&self, stage: usize, process: ProcessId) -> Vec<(ProcessId, u64)> {
        let mut messages = vec![];
        self.list(End::Destination, stage, process, &mut |from, units| messages.push((from, units)));
        messages
    }

    /// Visits all messages of a stage: source, destination and size \[units\]; by ascending source
    /// unless there is only one step of one group.
    pub fn visit(&self, stage: usize, visit: &mut dyn FnMut(ProcessId, ProcessId, u64)) {
        if let Some(groups) = self.single() {
            return groups.visit(stage, visit);
        }
        for source in ProcessId::first(self.process_count()) {
            self.list(End::Source, stage, source, &mut |to, units| visit(source, to, units));
        }
    }

    /// Returns the size of the largest message of a stage \[units\]; 0 without messages.
    #[must_use]
    pub fn max_units(&self, stage: usize) -> u64 {
        match self.stage(stage) {
            Stage::Groups(groups, within) => groups.algorithm().max_units(within),
            Stage::Computation(_) => 0,
            Stage::Synchronisation { .. } => 1,
        }
    }

    /// Returns the time for which a process computes in a stage \[cycles\].
    #[must_use]
    pub fn computation(&self, stage: usize, process: ProcessId) -> u64 {
        let label = u64::from(process.label());
        match self.stage(stage) {
            Stage::Groups(groups, within) if label < groups.process_count() => {
                groups.computation(within, process)
            }
            Stage::Computation(cycles) if label < self.rank_count() => cycles,
            Stage::Groups(..) | Stage::Computation(_) | Stage::Synchronisation { .. } => 0,
        }
    }

    /// Lists the [computations](Self::computation) of a stage by process, in place of the list's
    /// entries.
    pub fn list_computations(&self, stage: usize, computations: &mut Vec<u64>) {
        let length = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        computations.clear();
        match self.stage(stage) {
            Stage::Groups(groups, within) => computations.extend(groups.computations_of_stage(within)),
            Stage::Computation(cycles) => computations.resize(length(self.rank_count()), cycles),
            Stage::Synchronisation { .. } => {}
        }
        computations.resize(length(self.process_count()), 0);
    }

    /// Returns the counts and sums over all stages.
    pub(crate) fn sum_facts(&self) -> Facts {
        let of_step = |step: &Step| match step {
            Step::Groups(groups) => groups.facts(),
            &Step::Computation(cycles) => Facts {
                all_processes_compute: cycles > 0,
                max_received: 0,
                ..Facts::new(self.rank_count(), 1, Cycles::new(cycles))
            },
        };
        let of_synchronisation = |&shares: &u32| Facts {
            all_processes_compute: false,
            max_received: shares as usize - 1,
            ..Facts::new(self.process_count(), 1, Cycles::ZERO)
        };
        let synchronised = self.synchronised.iter().filter(|&&shares| shares > 0).map(of_synchronisation);
        let parts: Vec<Facts> = self.steps.iter().map(of_step).chain(synchronised).collect();
        let mut sizes = parts.iter().filter(|part| part.max_received > 0).map(|part| part.uniform_units);
        let first = sizes.next().flatten();
        let compute = parts.iter().map(|part| part.compute).max().unwrap_or(Cycles::ZERO);
        Facts {
            has_one_compute_time: false,
            all_processes_compute: parts
                .iter()
                .all(|part| part.all_processes_compute && part.process_count == self.process_count()),
            total_compute: parts.iter().map(|part| part.total_compute).sum(),
            max_received: parts.iter().map(|part| part.max_received).max().unwrap_or(0),
            uniform_units: first.filter(|_| sizes.all(|size| size == first)),
            ..Facts::new(self.process_count(), self.stage_count, compute)
        }
    }

    /// Whether a stage is known to have the messages and the computations of the stage before it.
    #[must_use]
    pub fn repeats(&self, stage: usize) -> bool {
        matches!(self.stage(stage), Stage::Groups(groups, within) if groups.algorithm().repeats(within))
    }

    /// Whether every two processes of different ranks with a message in a stage are known to have one
    /// in an earlier stage.
    #[must_use]
    pub fn adds_no_pairs(&self, stage: usize) -> bool {
        matches!(self.stage(stage), Stage::Groups(groups, within) if groups.algorithm().adds_no_pairs(within))
    }

    /// Replays the data flow of every step and checks that it performs its operation.
    ///
    /// # Errors
    ///
    /// The errors of [`Groups::check_data_flow`].
    pub fn check_data_flow(&self) -> Result<(), DataFlowError> {
        self.steps.iter().filter_map(Step::groups).try_for_each(Groups::check_data_flow)
    }
}

/// Collectives are equal if their steps are.
impl PartialEq for Collective {
    fn eq(&self, other: &Self) -> bool {
        self.steps == other.steps
    }
}

impl Eq for Collective {}
