//! Sequences: collectives and computations one after another.

use std::sync::Arc;

use cubefold_mapping::ProcessId;
use cubefold_topology::{Length, MAX_NODE_COUNT, Machine, NodeId, narrow};

use crate::{CollectiveBounds, ComputationTotals, GroupMessages, GroupedCollective, LinkCosts};

/// A step of a sequence.
#[derive(Debug, Clone)]
pub enum SequenceStep {
    /// A collective, in groups or in one.
    /// Equal steps may share it.
    Collective(Arc<GroupedCollective>),
    /// A computation of every rank \[cycles\].
    Computation(u64),
}

/// Collectives and computations of the same ranks, one after another (`docs/model.md` section 16,
/// "Groups and sequences").
///
/// A rank begins a step when all its shares have finished the one before; ranks do not wait for
/// each other. With `R` ranks and `k` the most shares of a step, share `c` of rank `r` is process
/// `c R + r`. A step with fewer shares leaves the others idle, and share 0 makes a computation.
/// Between two steps comes a stage in which those shares of a rank that take part in one of them
/// exchange messages of one unit inside their node, as between the phases of `bucket`; there is
/// none where that is one share.
#[derive(Debug, Clone)]
pub struct CollectiveSequence {
    steps: Vec<SequenceStep>,
    stages: Vec<SequenceStage>,
    rank_count: Length, // R
    share_count: u32,   // k
}

/// A stage of a sequence.
#[derive(Debug, Clone, Copy)]
enum SequenceStage {
    /// A stage of a step.
    Step { step: u32, within: u32 },
    /// So many shares of each rank wait for each other.
    Synchronisation { shares: u32 },
}

/// Steps that make no sequence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SequenceError {
    /// There is no collective among them.
    #[error("a sequence without a collective, expected at least one")]
    NoCollective,
    /// Collectives of different numbers of ranks.
    #[error("step {step} has {found} ranks, expected {expected} as in the steps before")]
    Ranks {
        /// The step, counted from 0.
        step: usize,
        /// Its ranks.
        found: u64,
        /// Those of the collectives before it.
        expected: u64,
    },
    /// More processes than can be numbered.
    #[error("{found} processes, expected fewer than {MAX_NODE_COUNT}")]
    TooManyProcesses {
        /// Ranks times the most shares of a step.
        found: u128,
    },
}

impl SequenceStep {
    fn share_count(&self) -> u32 {
        match self {
            Self::Collective(grouped) => grouped.share_count(),
            Self::Computation(_) => 1,
        }
    }

    fn stage_count(&self) -> usize {
        match self {
            Self::Collective(grouped) => grouped.stage_count(),
            Self::Computation(_) => 1,
        }
    }
}

impl From<GroupedCollective> for SequenceStep {
    fn from(grouped: GroupedCollective) -> Self {
        Self::Collective(Arc::new(grouped))
    }
}

impl CollectiveSequence {
    /// Returns the sequence of these steps.
    ///
    /// # Errors
    ///
    /// When no step is a collective, or collectives have different numbers of ranks.
    pub fn new(steps: Vec<SequenceStep>) -> Result<Self, SequenceError> {
        let mut ranks = None;
        for (step, of_step) in steps.iter().enumerate() {
            let SequenceStep::Collective(grouped) = of_step else { continue };
            let (found, expected) = (grouped.rank_count(), *ranks.get_or_insert(grouped.rank_count()));
            if found != expected {
                return Err(SequenceError::Ranks { step, found, expected });
            }
        }
        let rank_count = ranks.ok_or(SequenceError::NoCollective)?;
        let share_count = steps.iter().map(SequenceStep::share_count).max().unwrap_or(1);
        let found = u128::from(rank_count) * u128::from(share_count);
        if found >= MAX_NODE_COUNT.into() {
            return Err(SequenceError::TooManyProcesses { found });
        }
        let mut stages = Vec::new();
        for (number, step) in (0..).zip(&steps) {
            if let Some(before) = (number as usize).checked_sub(1) {
                let shares = steps[before].share_count().max(step.share_count());
                stages.extend((shares > 1).then_some(SequenceStage::Synchronisation { shares }));
            }
            let within = 0..narrow(step.stage_count() as u64);
            stages.extend(within.map(|within| SequenceStage::Step { step: number, within }));
        }
        Ok(Self { steps, stages, rank_count: Length::new(rank_count), share_count })
    }

    /// Estimates the memory that the stages of these steps take in a sequence \[bytes\].
    #[must_use]
    pub fn bytes_of_stages(steps: &[SequenceStep]) -> u64 {
        // Each with a synchronisation.
        let stages: usize = steps.iter().map(|step| step.stage_count() + 1).sum();
        (stages * size_of::<SequenceStage>()) as u64
    }

    /// The steps.
    #[must_use]
    pub fn steps(&self) -> &[SequenceStep] {
        &self.steps
    }

    /// The step that a stage belongs to, counted from 0; none of a stage between two steps.
    ///
    /// # Panics
    ///
    /// When there is no such stage.
    #[must_use]
    pub fn step(&self, stage: usize) -> Option<usize> {
        match self.stages[stage] {
            SequenceStage::Step { step, .. } => Some(step as usize),
            SequenceStage::Synchronisation { .. } => None,
        }
    }

    /// The number of ranks `R`.
    #[must_use]
    pub fn rank_count(&self) -> u64 {
        self.rank_count.get()
    }

    /// The most shares `k` of a step, which is the number of processes of a rank.
    #[must_use]
    pub fn share_count(&self) -> u32 {
        self.share_count
    }

    /// The number of processes `k R`, below 2^32.
    #[must_use]
    pub fn process_count(&self) -> u64 {
        self.rank_count() * u64::from(self.share_count)
    }

    /// The number of stages, at least 1.
    #[must_use]
    pub fn stage_count(&self) -> usize {
        self.stages.len()
    }

    /// The rank of a process, in `0..R`.
    #[must_use]
    #[inline]
    pub fn rank(&self, process: ProcessId) -> u32 {
        narrow(self.rank_count.divide(process.label().into()).1)
    }

    /// The share of a process, in `0..k`.
    #[must_use]
    #[inline]
    pub fn share(&self, process: ProcessId) -> u32 {
        narrow(self.rank_count.divide(process.label().into()).0)
    }

    /// The collective of a stage with its stage, where a process takes part in it.
    #[inline]
    fn locate(&self, stage: usize, process: ProcessId) -> Option<(&GroupedCollective, usize)> {
        let SequenceStage::Step { step, within } = self.stages[stage] else { return None };
        match &self.steps[step as usize] {
            SequenceStep::Collective(grouped) if u64::from(process.label()) < grouped.process_count() => {
                Some((grouped, within as usize))
            }
            SequenceStep::Collective(_) | SequenceStep::Computation(_) => None,
        }
    }

    /// The messages that a process sends in a stage: destination and size \[units\], by ascending
    /// destination.
    ///
    /// # Panics
    ///
    /// When there is no such stage or process.
    #[must_use]
    #[inline]
    pub fn sends(&self, stage: usize, process: ProcessId) -> SequenceMessages<'_> {
        match self.locate(stage, process) {
            Some((grouped, within)) => SequenceMessages::Group(grouped.sends(within, process)),
            None => self.synchronising(stage, process),
        }
    }

    /// The messages that a process receives in a stage: source and size \[units\], by ascending
    /// source.
    ///
    /// # Panics
    ///
    /// When there is no such stage or process.
    #[must_use]
    #[inline]
    pub fn receives(&self, stage: usize, process: ProcessId) -> SequenceMessages<'_> {
        match self.locate(stage, process) {
            Some((grouped, within)) => SequenceMessages::Group(grouped.receives(within, process)),
            None => self.synchronising(stage, process),
        }
    }

    /// The messages of a process between steps, at either end.
    fn synchronising(&self, stage: usize, process: ProcessId) -> SequenceMessages<'_> {
        let (share, rank) = (self.share(process), self.rank(process));
        let shares = match self.stages[stage] {
            SequenceStage::Synchronisation { shares } if share < shares => shares,
            _ => 0,
        };
        SequenceMessages::Shares { sequence: self, rank, share, next: 0, shares }
    }

    /// The size of the message of a stage from one process to another \[units\]; 0 where there is
    /// none.
    ///
    /// # Panics
    ///
    /// When there is no such stage or process.
    #[must_use]
    pub fn units(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u64 {
        match self.locate(stage, source) {
            Some((grouped, _)) if u64::from(destination.label()) >= grouped.process_count() => 0,
            Some((grouped, within)) => grouped.units(within, source, destination),
            None => self
                .synchronising(stage, source)
                .find(|&(to, _)| to == destination)
                .map_or(0, |(_, units)| units),
        }
    }

    /// The size of the largest message of a stage \[units\]; 0 of a stage without messages.
    ///
    /// # Panics
    ///
    /// When there is no such stage.
    #[must_use]
    pub fn max_units(&self, stage: usize) -> u64 {
        match self.stages[stage] {
            SequenceStage::Synchronisation { .. } => 1,
            SequenceStage::Step { step, within } => match &self.steps[step as usize] {
                SequenceStep::Collective(grouped) => grouped.max_units(within as usize),
                SequenceStep::Computation(_) => 0,
            },
        }
    }

    /// The size of every message, where all have one and there are any \[units\].
    #[must_use]
    pub fn uniform_units(&self) -> Option<u64> {
        let is_synchronising = |stage: &SequenceStage| matches!(stage, SequenceStage::Synchronisation { .. });
        let synchronising = self.stages.iter().any(is_synchronising).then_some(Some(1));
        let of_step = |step: &SequenceStep| match step {
            SequenceStep::Collective(grouped) => Some(grouped.uniform_units()),
            SequenceStep::Computation(_) => None,
        };
        let mut sizes = self.steps.iter().filter_map(of_step).chain(synchronising);
        let first = sizes.next()??;
        sizes.all(|own| own == Some(first)).then_some(first)
    }

    /// The time for which a process computes in a stage \[cycles\].
    ///
    /// # Panics
    ///
    /// When there is no such stage or process.
    #[must_use]
    pub fn computation(&self, stage: usize, process: ProcessId) -> u64 {
        if let Some((grouped, within)) = self.locate(stage, process) {
            return grouped.computation(within, process);
        }
        match self.stages[stage] {
            SequenceStage::Step { step, .. } => match self.steps[step as usize] {
                SequenceStep::Computation(cycles) if u64::from(process.label()) < self.rank_count() => cycles,
                _ => 0,
            },
            SequenceStage::Synchronisation { .. } => 0,
        }
    }

    /// Whether a stage is known to have the messages and the computations of the stage before it.
    ///
    /// # Panics
    ///
    /// When there is no such stage.
    #[must_use]
    pub fn repeats(&self, stage: usize) -> bool {
        match self.stages[stage] {
            SequenceStage::Synchronisation { .. } => false,
            SequenceStage::Step { step, within } => match &self.steps[step as usize] {
                SequenceStep::Collective(grouped) => grouped.repeats(within as usize),
                SequenceStep::Computation(_) => false,
            },
        }
    }

    /// Whether every two processes of different ranks with a message in a stage are known to have had one in an earlier
    /// stage.
    ///
    /// # Panics
    ///
    /// When there is no such stage.
    #[must_use]
    pub fn adds_no_pairs(&self, stage: usize) -> bool {
        match self.stages[stage] {
            SequenceStage::Synchronisation { .. } => false,
            SequenceStage::Step { step, within } => match &self.steps[step as usize] {
                SequenceStep::Collective(grouped) => grouped.collective().adds_no_pairs(within as usize),
                SequenceStep::Computation(_) => false,
            },
        }
    }

    /// The lower bounds of the sequence with rank `r` on node `nodes[r]`: the largest of those of
    /// its collectives, each after and before the computations of the other steps.
    ///
    /// # Panics
    ///
    /// When there are not as many nodes as ranks, or a node is none of the machine's.
    #[must_use]
    pub fn bounds(&self, machine: &Machine, nodes: &[NodeId], costs: LinkCosts) -> CollectiveBounds {
        let mut bounds = CollectiveBounds::default();
        let mut computation = 0_u64;
        for step in &self.steps {
            match step {
                SequenceStep::Collective(grouped) => {
                    bounds = bounds.max(grouped.bounds(machine, nodes, costs));
                }
                SequenceStep::Computation(cycles) => computation = computation.saturating_add(*cycles),
            }
        }
        bounds.after(computation)
    }

    /// The computations of all processes in all stages.
    #[must_use]
    pub fn computations(&self) -> ComputationTotals {
        let of_step = |step: &SequenceStep| match step {
            SequenceStep::Collective(grouped) => {
                let of_step = grouped.computations();
                let is_complete = of_step.is_complete && grouped.share_count() == self.share_count;
                ComputationTotals { is_complete, ..of_step }
            }
            &SequenceStep::Computation(cycles) => ComputationTotals {
                total_cycles: u128::from(cycles) * u128::from(self.rank_count()),
                longest_cycles: cycles,
                is_complete: cycles > 0 && self.share_count == 1,
            },
        };
        let synchronises =
            self.stages.iter().any(|stage| matches!(stage, SequenceStage::Synchronisation { .. }));
        let none = ComputationTotals { total_cycles: 0, longest_cycles: 0, is_complete: !synchronises };
        self.steps.iter().map(of_step).fold(none, |all, step| ComputationTotals {
            total_cycles: all.total_cycles + step.total_cycles,
            longest_cycles: all.longest_cycles.max(step.longest_cycles),
            is_complete: all.is_complete && step.is_complete,
        })
    }

    /// The most messages that a process may receive in a stage.
    #[must_use]
    pub fn max_received(&self) -> usize {
        let of_step = |step: &SequenceStep| match step {
            SequenceStep::Collective(grouped) => grouped.max_received(),
            SequenceStep::Computation(_) => 0,
        };
        let of_steps = self.steps.iter().map(of_step).max().unwrap_or(0);
        if self.steps.len() > 1 { of_steps.max(self.share_count as usize - 1) } else { of_steps }
    }
}

/// The messages of a process of a sequence in a stage, at one end: the process at the other end and
/// the size \[units\].
#[derive(Debug, Clone)]
pub enum SequenceMessages<'a> {
    /// Those of a collective.
    Group(GroupMessages<'a>),
    /// Those with the other shares of its rank, between two steps.
    Shares {
        /// The sequence.
        sequence: &'a CollectiveSequence,
        /// The rank.
        rank: u32,
        /// The share.
        share: u32,
        /// The share that is next.
        next: u32,
        /// The number of shares that wait for each other.
        shares: u32,
    },
}

impl Iterator for SequenceMessages<'_> {
    type Item = (ProcessId, u64);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Group(messages) => messages.next(),
            Self::Shares { sequence, rank, share, next, shares } => {
                *next += u32::from(next == share);
                let peer = u64::from(*next) * sequence.rank_count.get() + u64::from(*rank);
                *next += 1;
                (*next <= *shares).then(|| (ProcessId::new(narrow(peer)), 1))
            }
        }
    }
}
