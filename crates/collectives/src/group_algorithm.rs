//! An algorithm on the ranks of one group: its phases, stages, messages and computations.
//!
//! Ranks and processes are numbered in the group: with `P` ranks, share `c` of rank `r` is number `c P +
//! r`. Messages are computed from the structure of the algorithm on demand; the only
//! table with an entry for each stage is [`Tallies`].

use std::sync::OnceLock;

use cubefold_simulator::{Cycles, Facts};
use cubefold_topology::narrow;

use crate::{
    CollectiveError, CollectiveSpecification, Operation,
    plan::{Phase, PlanContext},
    rank_grid::RankGrid,
    schedule::{End, Place, StageTally},
    vector::{BlockTable, share_units},
};

/// An algorithm of `P` ranks and `k` shares.
#[derive(Debug, Clone)]
pub(crate) struct GroupAlgorithm {
    specification: CollectiveSpecification, // with the shape of the group
    blocks: Vec<BlockTable>,                // of each share, all with the same number of blocks or chunks
    phases: Vec<Phase>,
    first_stages: Vec<usize>, // of each phase
    stage_count: usize,       // at least 1
    tallies: OnceLock<Tallies>,
}

/// Sums over all processes, and the stages in which every process takes part.
#[derive(Debug, Clone)]
struct Tallies {
    facts: Facts,
    full_stages: Vec<bool>, // by stage: whether every process sends or receives messages between ranks
    largest: Vec<u64>,      // by stage: the size of the largest message [units]; 0 without messages
}

impl GroupAlgorithm {
    /// The memory that a stage takes \[bytes\].
    pub(crate) const BYTES_A_STAGE: u64 = (size_of::<u64>() + size_of::<bool>()) as u64;

    /// Returns an upper bound on the memory of the tables of a specification: blocks, and the tables of the plan
    /// \[bytes\].
    pub(crate) fn table_bytes(specification: &CollectiveSpecification) -> u64 {
        let blocks = specification.rank_count().saturating_mul(BlockTable::BYTES_A_BLOCK);
        let of_plan = specification.algorithm.descriptor().table_bytes;
        // The plan copies them once.
        let blocks = blocks.saturating_mul(2 * specification.share_count() as u64);
        blocks.saturating_add(of_plan(specification))
    }

    /// Returns the algorithm of a specification.
    ///
    /// # Errors
    ///
    /// The errors of [`CollectiveSpecification::check`].
    pub(crate) fn new(specification: CollectiveSpecification) -> Result<Self, CollectiveError> {
        specification.check()?;
        let grid = RankGrid::new(&specification.shape);
        let share_count = narrow(specification.share_count() as u64);
        let blocks = (0..share_count)
            .map(|share| share_units(specification.vector_units, share, share_count))
            .map(|units| BlockTable::new(units, narrow(specification.block_count())))
            .collect();
        let exchange = specification.exchange.unwrap_or_default();
        let context = PlanContext { specification: &specification, exchange, grid, blocks };
        let plan = (specification.algorithm.descriptor().plan)(&context);
        let blocks = context.blocks;
        let mut algorithm = Self {
            specification,
            blocks,
            phases: Vec::with_capacity(plan.phases.len() + 1),
            first_stages: Vec::with_capacity(plan.phases.len() + 1),
            stage_count: 0,
            tallies: OnceLock::new(),
        };
        let is_needed = |phase: &Phase| share_count > 1 || !matches!(phase, Phase::Synchronisation);
        plan.phases.into_iter().filter(is_needed).for_each(|phase| algorithm.push(phase));
        if algorithm.reduces_last() {
            algorithm.push(Phase::Reduction);
        }
        Ok(algorithm)
    }

    fn push(&mut self, phase: Phase) {
        self.first_stages.push(self.stage_count);
        self.stage_count += phase.stage_count();
        self.phases.push(phase);
    }

    /// Whether reducing takes time, and units received in the last stage are to be reduced.
    fn reduces_last(&self) -> bool {
        let Some(last) = self.phases.last().and_then(Phase::messages) else { return false };
        let mut has_messages = false;
        if self.specification.reduce_units_per_cycle.is_some() && last.is_reducing {
            self.visit(self.stage_count - 1, &mut |_, _, _| has_messages = true);
        }
        has_messages
    }

    /// Returns the specification; its shape is the group's.
    pub(crate) fn specification(&self) -> &CollectiveSpecification {
        &self.specification
    }

    pub(crate) fn operation(&self) -> Operation {
        self.specification.operation
    }

    /// Returns the number of ranks `P`.
    pub(crate) fn rank_count(&self) -> u32 {
        narrow(self.specification.rank_count())
    }

    /// Returns the number of blocks, or chunks, of each share.
    pub(crate) fn block_count(&self) -> u32 {
        self.blocks[0].count()
    }

    /// Returns the number of shares `k`.
    pub(crate) fn share_count(&self) -> u32 {
        narrow(self.blocks.len() as u64)
    }

    /// Returns the number of stages, at least 1.
    pub(crate) fn stage_count(&self) -> usize {
        self.stage_count
    }

    /// Returns the units of a block of a share.
    pub(crate) fn block_units(&self, share: u32, block: u32) -> u64 {
        self.blocks[share as usize].size(block)
    }

    /// Returns the units of the blocks of a rank in all shares, whether or not the algorithm has such blocks.
    pub(crate) fn units_of_rank(&self, rank: u32) -> u64 {
        self.blocks.iter().map(|blocks| share_units(blocks.units(), rank, self.rank_count())).sum()
    }

    /// Returns all processes, by number.
    pub(crate) fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let ranks = self.rank_count();
        (0..self.share_count()).flat_map(move |share| (0..ranks).map(move |rank| Place { share, rank }))
    }

    /// Returns the number of a process.
    pub(crate) fn number(&self, place: Place) -> usize {
        place.share as usize * self.rank_count() as usize + place.rank as usize
    }

    /// Returns the number of the phase of a stage, the phase, and the number of its earlier stages.
    pub(crate) fn locate(&self, stage: usize) -> (usize, &Phase, usize) {
        debug_assert!(stage < self.stage_count, "a stage of the collective");
        let phase = self.first_stages.partition_point(|&first| first <= stage) - 1;
        (phase, &self.phases[phase], stage - self.first_stages[phase])
    }

    /// Lists the messages that have a process at this end in a stage: the process at the other end,
    /// ascending, and the size \[units\].
    pub(crate) fn list(&self, stage: usize, place: Place, end: End, add: &mut dyn FnMut(Place, u64)) {
        match self.locate(stage) {
            (_, Phase::Messages(phase), within) => {
                phase.list(within, place, end, &mut |rank, units| add(Place { rank, ..place }, units));
            }
            (_, Phase::Synchronisation, _) => {
                let others = (0..self.share_count()).filter(|&share| share != place.share);
                others.for_each(|share| add(Place { share, ..place }, 1));
            }
            (_, Phase::Reduction, _) => {}
        }
    }

    /// Visits all messages of a stage, in any order: source, destination and size \[units\].
    pub(crate) fn visit(&self, stage: usize, visit: &mut dyn FnMut(Place, Place, u64)) {
        if let (_, Phase::Messages(phase), within) = self.locate(stage) {
            for share in 0..self.share_count() {
                phase.visit(within, share, self.rank_count(), &mut |source, destination, units| {
                    visit(Place { share, rank: source }, Place { share, rank: destination }, units);
                });
            }
            return;
        }
        for place in self.places() {
            self.list(stage, place, End::Source, &mut |to, units| visit(place, to, units));
        }
    }

    /// Whether a stage is known to have the messages and the computations of the stage before it.
    ///
    /// With blocks of equal size these are the stages of a ring, or of a phase of bucket, after the
    /// first two. Other stages may repeat without being known to.
    pub(crate) fn repeats(&self, stage: usize) -> bool {
        // A stage also reduces the units received in the stage before, which may be of another phase.
        let settled = if self.specification.reduce_units_per_cycle.is_some() { 2 } else { 1 };
        let (_, phase, within) = self.locate(stage);
        within >= settled && phase.messages().is_some_and(|phase| phase.repeats(within))
    }

    /// Whether every two processes of different ranks with a message in a stage are known to have one
    /// in an earlier stage.
    ///
    /// These are the stages of a ring, or of a phase of bucket, after the first; of vectors with fewer
    /// units than ranks, after the first few.
    pub(crate) fn adds_no_pairs(&self, stage: usize) -> bool {
        let (_, phase, within) = self.locate(stage);
        phase.messages().is_some_and(|phase| phase.adds_no_pairs(within))
    }

    /// Returns the most messages between ranks that a process has at this end in a stage.
    pub(crate) fn max_between_ranks(&self, end: End) -> usize {
        let phases = self.phases.iter().filter_map(Phase::messages);
        phases.map(|phase| phase.max_messages(end)).max().unwrap_or(0)
    }

    fn max_received(&self) -> usize {
        let synchronises = self.phases.iter().any(|phase| matches!(phase, Phase::Synchronisation));
        let between_shares = if synchronises { self.share_count() as usize - 1 } else { 0 };
        self.max_between_ranks(End::Destination).max(between_shares)
    }

    /// Returns the size of the largest message of a stage \[units\]; 0 without messages.
    pub(crate) fn max_units(&self, stage: usize) -> u64 {
        self.tallies().largest[stage]
    }

    /// Returns the counts and sums over all stages.
    ///
    /// # Complexity
    ///
    /// The first call visits all messages; of a ring or bucket, of the first stage of each phase.
    pub(crate) fn facts(&self) -> Facts {
        self.tallies().facts
    }

    fn tallies(&self) -> &Tallies {
        self.tallies.get_or_init(|| self.count())
    }

    fn count(&self) -> Tallies {
        let asked = &self.specification;
        let rate = asked.reduce_units_per_cycle;
        let mut active = vec![0; self.stage_count];
        let mut largest = vec![0; self.stage_count];
        let (mut sizes, mut reduction_cycles, mut most_reduced) = (StageTally::default(), 0, 0);
        for (phase, &first) in self.phases.iter().zip(&self.first_stages) {
            if matches!(phase, Phase::Synchronisation) {
                largest[first] = 1;
                sizes.add_sizes(1, 1);
            }
            let Phase::Messages(phase) = phase else { continue };
            for share in 0..self.share_count() {
                let mut last: Option<(usize, StageTally)> = None;
                for within in 0..phase.stage_count() {
                    let key = phase.representative(within, share);
                    let tally = match last {
                        Some((of, tally)) if of == key => tally,
                        _ => phase.tally(within, share, self.rank_count(), rate),
                    };
                    last = Some((key, tally));
                    active[first + within] += tally.active;
                    largest[first + within] = largest[first + within].max(tally.max_units);
                    sizes.add_sizes(tally.min_units, tally.max_units);
                    reduction_cycles += tally.reduction_cycles;
                    if phase.is_reducing {
                        most_reduced = tally.max_received_units.max(most_reduced);
                    }
                }
            }
        }
        let longest_reduction = rate.map_or(0, |rate| most_reduced.div_ceil(rate.get()));
        let processes = u64::from(self.rank_count()) * u64::from(self.share_count());
        let full_stages: Vec<bool> = active.iter().map(|&count| count == processes).collect();
        let active: u128 = active.into_iter().map(u128::from).sum();
        let longest = asked.compute_cycles.saturating_add(longest_reduction);
        let is_uniform = sizes.min_units == sizes.max_units && sizes.max_units > 0;
        let facts = Facts {
            has_one_compute_time: false,
            all_processes_compute: asked.compute_cycles > 0 && full_stages.iter().all(|&is_full| is_full),
            total_compute: active * u128::from(asked.compute_cycles) + reduction_cycles,
            max_received: self.max_received(),
            uniform_units: is_uniform.then_some(sizes.max_units),
            ..Facts::new(processes, self.stage_count, Cycles::new(longest))
        };
        Tallies { facts, full_stages, largest }
    }

    /// Returns the time for which a process computes in a stage \[cycles\]: `compute_cycles` if it is an
    /// end of a message between ranks, and the time to reduce the units received in the stage before.
    pub(crate) fn computation(&self, stage: usize, place: Place) -> u64 {
        let asked = &self.specification;
        let takes_part = asked.compute_cycles > 0
            && (self.tallies().full_stages[stage] || self.has_messages_between_ranks(stage, place));
        let step = if takes_part { asked.compute_cycles } else { 0 };
        let reduction =
            asked.reduce_units_per_cycle.map(|rate| self.units_to_reduce(stage, place).div_ceil(rate.get()));
        step + reduction.unwrap_or(0)
    }

    fn has_messages_between_ranks(&self, stage: usize, place: Place) -> bool {
        let (_, Phase::Messages(phase), within) = self.locate(stage) else { return false };
        let mut has_messages = false;
        for end in [End::Source, End::Destination] {
            phase.list(within, place, end, &mut |_, _| has_messages = true);
        }
        has_messages
    }

    /// Whether the units received in the stage before are reduced in a stage.
    fn reduces(&self, stage: usize) -> bool {
        let before = stage.checked_sub(1).and_then(|before| self.locate(before).1.messages());
        before.is_some_and(|phase| phase.is_reducing)
    }

    /// Returns the units that a process received in the stage before to be reduced in this one.
    pub(crate) fn units_to_reduce(&self, stage: usize, place: Place) -> u64 {
        let mut sum = 0;
        if self.reduces(stage) {
            self.list(stage - 1, place, End::Destination, &mut |_, units| sum += units);
        }
        sum
    }

    /// Returns the [computations](Self::computation) of a stage, by the numbers of the processes.
    pub(crate) fn computations_of_stage(&self, stage: usize) -> Vec<u64> {
        let asked = &self.specification;
        let processes = self.rank_count() as usize * self.share_count() as usize;
        let mut computations = vec![0; processes];
        if self.tallies().full_stages[stage] {
            computations.fill(asked.compute_cycles);
        } else if self.locate(stage).1.messages().is_some() {
            self.visit(stage, &mut |source, destination, _| {
                computations[self.number(source)] = asked.compute_cycles;
                computations[self.number(destination)] = asked.compute_cycles;
            });
        }
        if let Some(rate) = asked.reduce_units_per_cycle.filter(|_| self.reduces(stage)) {
            let mut received = vec![0; processes];
            self.visit(stage - 1, &mut |_, destination, units| received[self.number(destination)] += units);
            for (computation, units) in computations.iter_mut().zip(received) {
                *computation += u64::div_ceil(units, rate.get());
            }
        }
        computations
    }
}
