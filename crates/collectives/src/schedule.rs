//! Schedules: the messages of every share and rank in each stage of a phase.
//!
//! A schedule computes messages from structure and stores none. It gives sizes; the blocks or items that
//! a message carries, its [`Payload`], are a separate query, for checks and exports.
//!
//! A schedule that runs backwards, each message in the opposite direction, is the reverse of an
//! operation: gather is the reverse of scatter, all-gather often that of reduce-scatter. The *end*
//! that a query names is therefore an end of the schedule's messages; [`MessagePhase`](crate::plan)
//! reverses it.

use std::{fmt::Debug, num::NonZeroU64};

pub(crate) use cubefold_simulator::End;

/// Share `share` of rank `rank`: a process of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) share: u32,
    pub(crate) rank: u32,
}

/// Returns the other end of a message.
pub(crate) fn opposite(end: End) -> End {
    match end {
        End::Source => End::Destination,
        End::Destination => End::Source,
    }
}

/// The contents of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// Blocks of the share of the vector, ascending.
    Blocks(Vec<u32>),
    /// Items of an all-to-all, ascending: block `destination` of the vector of `origin`, as
    /// `(origin, destination)`.
    Items(Vec<(u32, u32)>),
    /// The one unit of a barrier.
    Token,
}

/// Sums over the ranks in a stage of a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct StageTally {
    /// The size of the largest message \[units\].
    pub(crate) max_units: u64,
    /// The size of the smallest message \[units\]; 0 without messages.
    pub(crate) min_units: u64,
    /// The number of ranks that send or receive a message.
    pub(crate) active: u64,
    /// The most units that a rank receives.
    pub(crate) max_received_units: u64,
    /// The sum over all ranks of the time to reduce the units received \[cycles\].
    pub(crate) reduction_cycles: u128,
}

impl StageTally {
    /// Counts messages of sizes from `least` to `greatest` \[units\], except those of size 0.
    pub(crate) fn add_sizes(&mut self, least: u64, greatest: u64) {
        self.max_units = self.max_units.max(greatest);
        self.min_units = match (self.min_units, least) {
            (0, other) | (other, 0) => other,
            (one, other) => one.min(other),
        };
    }
}

/// Queries of a schedule. Stages are counted from its first.
pub(crate) trait StageSchedule: Debug + Send + Sync {
    fn stage_count(&self) -> usize;

    /// Lists the messages that have a process at this end in a stage: the rank at the other end,
    /// ascending, and the size, at least 1 \[units\].
    fn list(&self, stage: usize, place: Place, end: End, add: &mut dyn FnMut(u32, u64));

    /// Returns the most messages that a process has at this end in a stage.
    fn max_messages(&self, _end: End) -> u32 {
        1
    }

    /// Visits all messages of a share in a stage, in any order: the rank at this end, the rank at the
    /// other end, and the size \[units\].
    fn visit(&self, stage: usize, share: u32, ranks: u32, end: End, visit: &mut dyn FnMut(u32, u32, u64)) {
        for rank in 0..ranks {
            self.list(stage, Place { share, rank }, end, &mut |peer, units| visit(rank, peer, units));
        }
    }

    /// Returns a stage whose messages of a share have the same sizes, each equally often, and the
    /// same neighbours up to a renaming of ranks. A stage without messages represents itself.
    fn representative(&self, stage: usize, _share: u32) -> usize {
        stage
    }

    /// Whether the messages of a stage are known to have the ends and sizes of the messages of the previous
    /// stage.
    fn repeats(&self, _stage: usize) -> bool {
        false
    }

    /// Whether every two ranks with a message in a stage are known to have one in an earlier stage.
    fn adds_no_pairs(&self, stage: usize) -> bool {
        self.repeats(stage)
    }

    /// Returns the sums over all ranks in a stage of a share, if `receivers` is the end that
    /// receives, and units received are reduced at a rate \[units a cycle\].
    fn tally(
        &self,
        stage: usize,
        share: u32,
        ranks: u32,
        receivers: End,
        rate: Option<NonZeroU64>,
    ) -> StageTally {
        let mut tally = StageTally::default();
        let mut received = vec![0; ranks as usize];
        let mut is_active = vec![false; ranks as usize];
        self.visit(stage, share, ranks, receivers, &mut |receiver, sender, units| {
            tally.add_sizes(units, units);
            received[receiver as usize] += units;
            is_active[receiver as usize] = true;
            is_active[sender as usize] = true;
        });
        tally.active = is_active.into_iter().map(u64::from).sum();
        tally.max_received_units = received.iter().copied().max().unwrap_or(0);
        if let Some(rate) = rate {
            tally.reduction_cycles =
                received.iter().map(|units| u128::from(units.div_ceil(rate.get()))).sum();
        }
        tally
    }

    /// Returns the contents of the message of a share from `source` to `destination` in a stage that
    /// has it.
    fn payload(&self, stage: usize, share: u32, source: u32, destination: u32) -> Payload;
}
