//! Jobs: steps of the same ranks that wait for one another, concurrent unless ordered
//! (`docs/model.md` section 23).

use std::sync::Arc;

use cubefold_mapping::{GraphGuest, ProcessId};
use cubefold_topology::{Length, MAX_NODE_COUNT, Machine, MachineKind, Network, narrow};

use crate::{Cycles, End, Facts, GuestRef, Peer, Program, Special, StageProgramError, SwitchReduction};

/// Steps of the same ranks, each after some of those before it; all of them may be repeated.
///
/// With `P` ranks and `k` the most shares of a step, share `c` of rank `r` is process `c P + r`. One share of
/// one rank in one step is an **actor**. Stages of all steps are numbered on in the order of the steps, and
/// iteration after iteration; a computation has one stage. As a [`Program`] a job is the list of all its
/// messages and computations; [`simulate`](crate::simulate) executes its actors.
#[derive(Debug, Clone)]
pub struct Job {
    rank_count: Length, // P
    share_count: u32,   // k
    iterations: usize,  // at least 1
    steps: Vec<JobStep>,
    first_stages: Vec<usize>, // of each step in an iteration; one more for the end of the last
    guest: GraphGuest,
    facts: Facts,
}

/// A step of a job.
#[derive(Debug, Clone)]
pub struct JobStep {
    /// Its name.
    pub name: String,
    /// The work that it does.
    pub body: StepBody,
    /// The steps before it, by their places, that are over at a rank before it begins there.
    pub after: Vec<usize>,
    /// Whether each rank takes part; all do if it is empty.
    pub takes_part: Arc<[bool]>,
}

/// The work of a step.
#[derive(Debug, Clone)]
pub enum StepBody {
    /// A computation of every rank on the processor that its computations share.
    Computation(Cycles),
    /// A program whose processes are `shares` shares of every rank.
    Messages {
        /// The program: share `c` of rank `r` is its process `c P + r`.
        program: Arc<dyn Program>,
        /// The number of shares, at least 1.
        shares: u32,
    },
    /// A collective by reduction in switches. Its messages depend on the nodes of the ranks, so a job does not list
    /// them as a program.
    InSwitches(Arc<SwitchReduction>),
}

/// Steps that do not form a job.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// No step, or no iteration.
    #[error("no steps, expected at least one step and one iteration")]
    NoSteps,
    /// A step after itself or a later one.
    #[error("step {step} comes after step {after}, expected a step before it")]
    NotBefore {
        /// The step, counted from 0.
        step: usize,
        /// The step that it comes after.
        after: usize,
    },
    /// A program whose number of processes differs from that of its step.
    #[error("step {step} has {found} processes, expected {expected}: its shares of every rank")]
    Processes {
        /// The step, counted from 0.
        step: usize,
        /// The processes of its program.
        found: u64,
        /// Ranks times its shares.
        expected: u64,
    },
    /// A participation list of the wrong length.
    #[error("step {step} says of {found} ranks whether they take part, expected {expected}")]
    Ranks {
        /// The step, counted from 0.
        step: usize,
        /// The ranks in the list.
        found: usize,
        /// The ranks of the job.
        expected: u64,
    },
    /// More processes, actors or stages than can be numbered.
    #[error("{found} {what}, expected fewer than {MAX_NODE_COUNT}")]
    TooMany {
        /// The name of those that are too many.
        what: &'static str,
        /// Their number.
        found: u128,
    },
    /// Fewer than two ranks.
    #[error(transparent)]
    Guest(#[from] StageProgramError),
}

/// A stage of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepStage {
    /// The iteration, counted from 0.
    pub iteration: usize,
    /// The step, counted from 0.
    pub step: usize,
    /// The stage within the step, counted from 0.
    pub within: usize,
}

/// Messages of a chunk that switches reduce, for each share of a rank: it goes up and down, through no more switches than
/// ranks.
const RECEIVED_IN_SWITCHES: usize = 4;

/// The most edges of a guest.
const MAX_EDGES: usize = 1 << 22;

impl JobStep {
    /// The number of its shares: 1 of a computation.
    #[must_use]
    pub fn share_count(&self) -> u32 {
        match self.body {
            StepBody::Computation(_) => 1,
            StepBody::Messages { shares, .. } => shares,
            StepBody::InSwitches(_) => SwitchReduction::SHARES,
        }
    }

    /// The number of its stages: 1 of a computation.
    #[must_use]
    pub fn stage_count(&self) -> usize {
        match &self.body {
            StepBody::Computation(_) => 1,
            StepBody::Messages { program, .. } => program.stage_count(),
            StepBody::InSwitches(reduction) => reduction.chunks.len(),
        }
    }

    /// Whether a rank takes part.
    #[must_use]
    pub fn has_rank(&self, rank: u32) -> bool {
        self.takes_part.get(rank as usize).copied().unwrap_or(true)
    }

    /// The time of a computation; `None` for other steps.
    #[must_use]
    pub fn computation(&self) -> Option<Cycles> {
        match self.body {
            StepBody::Computation(cycles) => Some(cycles),
            StepBody::Messages { .. } | StepBody::InSwitches(_) => None,
        }
    }

    /// The number of ranks of `ranks` that take part.
    fn rank_count(&self, ranks: u64) -> u64 {
        if self.takes_part.is_empty() {
            return ranks;
        }
        self.takes_part.iter().filter(|&&takes_part| takes_part).count() as u64
    }
}

impl Job {
    /// The job of these steps on `ranks` ranks, repeated `iterations` times.
    ///
    /// # Errors
    ///
    /// When there is no step, one comes after itself or a later one, its program has other processes, or there
    /// are fewer than two ranks, or 2^32 processes, actors or stages.
    pub fn new(ranks: u32, iterations: usize, steps: Vec<JobStep>) -> Result<Self, JobError> {
        if steps.is_empty() || iterations == 0 {
            return Err(JobError::NoSteps);
        }
        for (step, new_step) in steps.iter().enumerate() {
            check_step(step, new_step, ranks.into())?;
        }
        let share_count = steps.iter().map(JobStep::share_count).max().unwrap_or(1);
        let mut first_stages = vec![0];
        for step in &steps {
            first_stages.push(first_stages[first_stages.len() - 1] + step.stage_count());
        }
        let stages = first_stages[steps.len()] as u128 * iterations as u128;
        let actors: u128 = steps.iter().map(|step| u128::from(step.share_count()) * u128::from(ranks)).sum();
        let processes = u128::from(share_count) * u128::from(ranks);
        for (what, found) in [("processes", processes), ("actors", actors), ("stages", stages)] {
            if found >= MAX_NODE_COUNT.into() {
                return Err(JobError::TooMany { what, found });
            }
        }
        let network = network(&steps, ranks, narrow((u64::from(share_count) * u64::from(ranks)).max(1)))?;
        let network = Machine::network(MachineKind::Network, network).map_err(StageProgramError::from)?;
        let mut job = Self {
            rank_count: Length::new(ranks.into()),
            share_count,
            iterations,
            steps,
            first_stages,
            guest: GraphGuest::new(network),
            facts: Facts::new(0, 1, Cycles::ZERO),
        };
        job.facts = job.sum_facts();
        Ok(job)
    }

    /// Estimates the memory of the guest while it is made, and the memory that it keeps \[bytes\].
    #[must_use]
    pub fn bytes_to_make(processes: u64) -> [u64; 2] {
        let edges = (MAX_EDGES as u64).min(processes.saturating_mul(processes));
        let [while_made, kept] = Network::bytes_to_make(processes, edges);
        [while_made.saturating_add(4 * edges * size_of::<(u32, u32)>() as u64), kept]
    }

    /// The steps.
    #[must_use]
    pub fn steps(&self) -> &[JobStep] {
        &self.steps
    }

    /// The number of times that they are repeated, at least 1.
    #[must_use]
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// The number of ranks `P`.
    #[must_use]
    pub fn rank_count(&self) -> u64 {
        self.rank_count.get()
    }

    /// The most shares `k` of a step.
    #[must_use]
    pub fn share_count(&self) -> u32 {
        self.share_count
    }

    /// The rank of a process.
    #[must_use]
    pub fn rank(&self, process: ProcessId) -> u32 {
        narrow(self.rank_count.divide(process.label().into()).1)
    }

    /// The share of a process.
    #[must_use]
    pub fn share(&self, process: ProcessId) -> u32 {
        narrow(self.rank_count.divide(process.label().into()).0)
    }

    /// The iteration and the step of a stage.
    #[must_use]
    pub fn locate(&self, stage: usize) -> StepStage {
        let of_iteration = self.stages_of_iteration();
        let (iteration, rest) = (stage / of_iteration, stage % of_iteration);
        let step = self.first_stages.partition_point(|&first| first <= rest) - 1;
        StepStage { iteration, step, within: rest - self.first_stages[step] }
    }

    /// The first stage of a step in an iteration.
    #[must_use]
    pub fn first_stage(&self, iteration: usize, step: usize) -> usize {
        iteration * self.stages_of_iteration() + self.first_stages[step]
    }

    fn stages_of_iteration(&self) -> usize {
        self.first_stages[self.steps.len()]
    }

    /// Whether every step comes after the previous one: then no two steps of a rank are concurrent.
    #[must_use]
    pub fn is_chain(&self) -> bool {
        self.steps.iter().enumerate().skip(1).all(|(place, step)| step.after.contains(&(place - 1)))
    }

    /// The computations of a rank on its processor, in all iterations \[cycles\].
    #[must_use]
    pub fn computations_of(&self, rank: u32) -> u128 {
        let computations =
            self.steps.iter().filter(|step| step.has_rank(rank)).filter_map(JobStep::computation);
        computations.map(|cycles| u128::from(cycles.get())).sum::<u128>() * self.iterations as u128
    }

    /// The program of a stage with the stage in it, if it has messages for a process.
    fn program_for(&self, stage: usize, process: ProcessId) -> Option<(&JobStep, &dyn Program, usize)> {
        let StepStage { step, within, .. } = self.locate(stage);
        let step = &self.steps[step];
        match &step.body {
            StepBody::Messages { program, .. }
                if u64::from(process.label()) < program.process_count()
                    && step.has_rank(self.rank(process)) =>
            {
                Some((step, &**program, within))
            }
            StepBody::Messages { .. } | StepBody::Computation(_) | StepBody::InSwitches(_) => None,
        }
    }

    /// A bound on the number of messages of a stage: those of its step alone.
    #[must_use]
    pub fn messages_of_stage(&self, stage: usize) -> u128 {
        let step = &self.steps[self.locate(stage).step];
        let received = match &step.body {
            StepBody::Computation(_) => 0,
            StepBody::Messages { program, .. } => program.facts().max_received,
            StepBody::InSwitches(_) => RECEIVED_IN_SWITCHES,
        };
        let processes = u128::from(step.rank_count(self.rank_count())) * u128::from(step.share_count());
        processes * received as u128
    }

    /// Whether switches reduce in a step.
    #[must_use]
    pub fn reduces_in_switches(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.body, StepBody::InSwitches(_)))
    }

    #[expect(clippy::too_many_lines, reason = "one arm a kind of step")]
    fn sum_facts(&self) -> Facts {
        let (ranks, iterations) = (self.rank_count(), self.iterations as u128);
        let of_step = |step: &JobStep| match &step.body {
            StepBody::Computation(cycles) => Facts {
                total_compute: u128::from(cycles.get()) * u128::from(step.rank_count(ranks)),
                max_received: 0,
                uniform_units: None,
                ..Facts::new(ranks, 1, *cycles)
            },
            StepBody::InSwitches(reduction) => Facts {
                total_compute: u128::from(reduction.compute.get())
                    * reduction.chunks.len() as u128
                    * u128::from(step.rank_count(ranks)),
                max_received: RECEIVED_IN_SWITCHES,
                uniform_units: None,
                ..Facts::new(2 * ranks, reduction.chunks.len(), reduction.compute)
            },
            StepBody::Messages { program, .. } => {
                let facts = program.facts();
                let total_compute = if step.takes_part.is_empty() {
                    facts.total_compute
                } else {
                    let processes = ProcessId::first(facts.process_count)
                        .filter(|process| step.has_rank(self.rank(*process)));
                    let of_process = |process| {
                        let stages = 0..facts.stage_count;
                        stages
                            .map(move |stage| u128::from(program.computation(stage, process).get()))
                            .sum::<u128>()
                    };
                    processes.map(of_process).sum()
                };
                Facts { total_compute, ..facts }
            }
        };
        let parts: Vec<Facts> = self.steps.iter().map(of_step).collect();
        let mut sizes = parts.iter().filter(|part| part.max_received > 0).map(|part| part.uniform_units);
        let first = sizes.next().flatten();
        Facts {
            has_one_compute_time: false,
            all_processes_compute: false,
            total_compute: parts.iter().map(|part| part.total_compute).sum::<u128>() * iterations,
            max_received: if self.is_chain() {
                parts.iter().map(|part| part.max_received).max().unwrap_or(0)
            } else {
                // Messages of all steps may be under way together.
                parts.iter().map(|part| part.max_received).fold(0, usize::saturating_add)
            },
            uniform_units: first.filter(|&units| units > 0 && sizes.all(|size| size == first)),
            ..Facts::new(
                ranks * u64::from(self.share_count),
                self.stages_of_iteration() * self.iterations,
                parts.iter().map(|part| part.compute).max().unwrap_or(Cycles::ZERO),
            )
        }
    }
}

fn check_step(place: usize, step: &JobStep, ranks: u64) -> Result<(), JobError> {
    if let Some(&after) = step.after.iter().find(|&&after| after >= place) {
        return Err(JobError::NotBefore { step: place, after });
    }
    if !step.takes_part.is_empty() && step.takes_part.len() as u64 != ranks {
        return Err(JobError::Ranks { step: place, found: step.takes_part.len(), expected: ranks });
    }
    if let StepBody::Messages { program, shares } = &step.body {
        let (found, expected) = (program.process_count(), ranks * u64::from(*shares));
        if found != expected {
            return Err(JobError::Processes { step: place, found, expected });
        }
    }
    Ok(())
}

/// The graph of the processes of different ranks that exchange messages; without edges if there are over
/// 2^22, or more than a network has at a node.
fn network(steps: &[JobStep], ranks: u32, processes: u32) -> Result<Network, StageProgramError> {
    let (mut pairs, mut distinct) = (vec![], 1 << 16);
    'steps: for step in steps {
        let StepBody::Messages { program, .. } = &step.body else { continue };
        for (stage, _) in program.distinct_stages() {
            program.for_each_message(stage, &mut |source, destination, _| {
                let (one, other) = (source.label(), destination.label());
                let takes_part = step.has_rank(one % ranks) && step.has_rank(other % ranks);
                if one % ranks != other % ranks && takes_part && pairs.len() < 4 * MAX_EDGES {
                    pairs.push((one.min(other), one.max(other)));
                }
            });
            if pairs.len() > 2 * distinct {
                pairs.sort_unstable();
                pairs.dedup();
                distinct = pairs.len().max(1 << 16);
            }
            if distinct > MAX_EDGES {
                pairs.clear();
                break 'steps;
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    Network::from_edges(processes, &pairs).or_else(|_| Ok(Network::from_edges(processes, &[])?))
}

impl Program for Job {
    fn facts(&self) -> Facts {
        self.facts
    }

    fn max_units(&self, stage: usize) -> u64 {
        let StepStage { step, within, .. } = self.locate(stage);
        match &self.steps[step].body {
            StepBody::Computation(_) => 1,
            StepBody::Messages { program, .. } => program.max_units(within),
            StepBody::InSwitches(reduction) => reduction.chunks[within],
        }
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        let StepStage { step, within, .. } = self.locate(stage);
        let step = &self.steps[step];
        let has_rank = step.has_rank(self.rank(process));
        match &step.body {
            StepBody::Computation(cycles) if has_rank && self.share(process) == 0 => *cycles,
            StepBody::Messages { program, .. }
                if has_rank && u64::from(process.label()) < program.process_count() =>
            {
                program.computation(within, process)
            }
            StepBody::InSwitches(reduction) if has_rank && self.share(process) == 0 => reduction.compute,
            StepBody::Computation(_) | StepBody::Messages { .. } | StepBody::InSwitches(_) => Cycles::ZERO,
        }
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let Some((step, program, within)) = self.program_for(stage, process) else { return };
        let first = peers.len();
        program.list(end, within, process, peers);
        if !step.takes_part.is_empty() {
            let mut place = 0;
            peers.retain(|peer| {
                place += 1;
                place <= first || step.has_rank(self.rank(peer.process))
            });
        }
    }

    fn turn(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u32 {
        let StepStage { step, within, .. } = self.locate(stage);
        match &self.steps[step].body {
            StepBody::Messages { program, .. } => program.turn(within, source, destination),
            StepBody::Computation(_) | StepBody::InSwitches(_) => 0,
        }
    }

    fn has_turns(&self) -> bool {
        let has_turns = |step: &JobStep| match &step.body {
            StepBody::Messages { program, .. } => program.has_turns(),
            StepBody::Computation(_) | StepBody::InSwitches(_) => false,
        };
        self.steps.iter().any(has_turns)
    }

    fn repeats(&self, stage: usize) -> bool {
        let StepStage { step, within, .. } = self.locate(stage);
        match &self.steps[step].body {
            StepBody::Messages { program, .. } => within > 0 && program.repeats(within),
            StepBody::Computation(_) | StepBody::InSwitches(_) => false,
        }
    }

    fn guest(&self) -> Option<GuestRef<'_>> {
        Some(GuestRef::Graph(&self.guest))
    }

    fn special(&self) -> Special<'_> {
        Special::Job(self)
    }
}
