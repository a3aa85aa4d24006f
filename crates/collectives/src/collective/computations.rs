//! What the processes of a collective compute, stage by stage.

use cubefold_mapping::ProcessId;

use super::{Collective, Stage};
use crate::{
    algorithm::Phase,
    schedule::{StageSchedule as _, StageTally},
};

/// The computations of all processes, and the stages in which every process takes part.
#[derive(Debug, Clone)]
pub(super) struct Computations {
    totals: ComputationTotals,
    full_stages: Vec<bool>, // by stage: whether every process sends or receives messages
    pub(super) largest: Vec<u64>, // by stage: the size of the largest message [units]; 0 without messages
    pub(super) sizes: StageTally, // of all stages together: the sizes of messages only
}

/// The computations of all processes in all stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComputationTotals {
    /// Their sum \[cycles\].
    pub total_cycles: u128,
    /// A time than which none is longer \[cycles\].
    pub longest_cycles: u64,
    /// Whether every process is known to compute in every stage.
    pub is_complete: bool,
}

impl Collective {
    /// The computations of all processes in all stages.
    ///
    /// # Complexity
    ///
    /// One look at each process and stage at the first call; at a ring or bucket, only at the first
    /// stage of each phase.
    #[must_use]
    pub fn computations(&self) -> ComputationTotals {
        self.all_computations().totals
    }

    #[inline]
    pub(super) fn all_computations(&self) -> &Computations {
        self.computations.get_or_init(|| self.sum_computations())
    }

    fn sum_computations(&self) -> Computations {
        let compute_cycles = self.specification.compute_cycles;
        let mut active = vec![0; self.stage_count()];
        let of_phase = |stage: &Stage| u64::from(self.phases[stage.phase as usize] == Phase::Synchronisation);
        let mut largest: Vec<u64> = self.stages.iter().map(of_phase).collect();
        let mut sizes = StageTally::default();
        let synchronising = largest.iter().copied().max().unwrap_or(0);
        sizes.add_sizes(synchronising, synchronising);
        let (mut reduction_cycles, mut most_reduced) = (0, 0);
        for share in 0..self.share_count {
            let mut last: Option<((u32, usize), StageTally)> = None;
            for (stage, &Stage { phase, .. }) in self.stages.iter().enumerate() {
                let Ok(located) = self.locate(stage) else { continue };
                let key = (phase, located.schedule.representative(located.stage, share));
                let tally = match last {
                    Some((same, tally)) if same == key => tally,
                    _ => self.tally(located, share),
                };
                last = Some((key, tally));
                active[stage] += tally.active;
                largest[stage] = largest[stage].max(tally.max_units);
                sizes.add_sizes(tally.min_units, tally.max_units);
                reduction_cycles += tally.reduction_cycles;
                if located.is_reducing {
                    most_reduced = tally.max_received_units.max(most_reduced);
                }
            }
        }
        let rate = self.specification.reduce_units_per_cycle;
        let longest_reduction = rate.map_or(0, |rate| most_reduced.div_ceil(rate.get()));
        let full_stages: Vec<bool> = active.iter().map(|&count| count == self.process_count()).collect();
        let active: u128 = active.into_iter().map(u128::from).sum();
        let totals = ComputationTotals {
            total_cycles: active * u128::from(compute_cycles) + reduction_cycles,
            longest_cycles: compute_cycles.saturating_add(longest_reduction),
            is_complete: compute_cycles > 0 && full_stages.iter().all(|&is_full| is_full),
        };
        Computations { totals, full_stages, largest, sizes }
    }

    /// The time for which a process computes in a stage \[cycles\]: `compute_cycles` where it sends
    /// or receives messages of the algorithm, and what it takes to reduce what came in the stage
    /// before.
    ///
    /// # Panics
    ///
    /// When there is no such stage or process, or the sum passes 2^64.
    #[must_use]
    pub fn computation(&self, stage: usize, process: ProcessId) -> u64 {
        let takes_part = self.specification.compute_cycles > 0
            && (self.all_computations().full_stages[stage]
                || (self.locate(stage).is_ok()
                    && (self.sends(stage, process).next().is_some()
                        || self.receives(stage, process).next().is_some())));
        let step = if takes_part { self.specification.compute_cycles } else { 0 };
        match self.specification.reduce_units_per_cycle {
            Some(rate) => step + self.units_to_reduce(stage, process).div_ceil(rate.get()),
            None => step,
        }
    }

    /// Lists [`Self::computation`] of all processes in a stage.
    ///
    /// # Panics
    ///
    /// When there is no such stage.
    pub fn list_computations(&self, stage: usize, computations: &mut Vec<u64>) {
        let compute = self.specification.compute_cycles;
        let is_full = self.all_computations().full_stages[stage];
        let processes = usize::try_from(self.process_count()).unwrap_or(usize::MAX);
        computations.clear();
        computations.resize(processes, if is_full { compute } else { 0 });
        if !is_full && self.locate(stage).is_ok() {
            self.for_each_message(stage, &mut |source, destination, _| {
                computations[source.label() as usize] = compute;
                computations[destination.label() as usize] = compute;
            });
        }
        let Some(rate) = self.specification.reduce_units_per_cycle else { return };
        let is_reduced = |before: &usize| {
            let phase = self.phases[self.stages[*before].phase as usize];
            matches!(phase, Phase::Messages { is_reducing: true, .. })
        };
        if let Some(before) = stage.checked_sub(1).filter(is_reduced) {
            let mut received = vec![0; processes];
            self.for_each_message(before, &mut |_, destination, units| {
                received[destination.label() as usize] += units;
            });
            for (computation, units) in computations.iter_mut().zip(received) {
                *computation += units.div_ceil(rate.get());
            }
        }
    }

    /// The units that came to a process in the stage before this one to be reduced.
    pub(crate) fn units_to_reduce(&self, stage: usize, process: ProcessId) -> u64 {
        let Some(before) = stage.checked_sub(1) else { return 0 };
        match self.phases[self.stages[before].phase as usize] {
            Phase::Messages { is_reducing: true, .. } => {
                self.receives(before, process).map(|(_, units)| units).sum()
            }
            _ => 0,
        }
    }
}
