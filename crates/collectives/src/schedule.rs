//! Schedules: the messages of every share and rank in each stage of a phase.
//!
//! A schedule answers from structure and stores no message. Each end of a stage has a number of
//! *candidates*, numbered by ascending peer; a candidate is a message, or none where it would be
//! empty. What a message carries, its [`Payload`], is a query of its own: it is enumerated, for
//! checks and exports, while sizes are computed.
//!
//! A schedule that runs backwards, each message in the opposite direction, is the reverse of an
//! operation: gather is the reverse of scatter, all-gather often that of reduce-scatter.

use std::num::NonZeroU64;

use crate::algorithm::{
    all_to_all::{ByDimensionSchedule, DirectSchedule, PairwiseSchedule},
    bruck::{BruckItemSchedule, BruckSchedule},
    bucket::BucketPhase,
    dissemination::DisseminationSchedule,
    pattern::PatternSchedule,
    ring::RingSchedule,
    tree::TreeSchedule,
};

/// Share `share` of rank `rank`: a process of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) share: u32,
    pub(crate) rank: u32,
}

/// An end of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// That which sends it.
    Source,
    /// That which receives it.
    Destination,
}

impl End {
    /// The other end.
    pub(crate) fn opposite(self) -> Self {
        match self {
            Self::Source => Self::Destination,
            Self::Destination => Self::Source,
        }
    }
}

/// A message as one of its ends sees it: the rank at the other end, and the size \[units\].
pub(crate) type PeerMessage = (u32, u64);

/// What a message carries.
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
    /// The time in which all ranks reduce what they receive \[cycles\].
    pub(crate) reduction_cycles: u128,
}

impl StageTally {
    /// Counts messages of at least and at most so many units; of 0 none.
    pub(crate) fn add_sizes(&mut self, least: u64, greatest: u64) {
        self.max_units = self.max_units.max(greatest);
        self.min_units = match (self.min_units, least) {
            (0, other) | (other, 0) => other,
            (one, other) => one.min(other),
        };
    }

    /// Counts a rank that receives so many units.
    pub(crate) fn add_received(&mut self, units: u64, rate: Option<NonZeroU64>) {
        self.max_received_units = self.max_received_units.max(units);
        self.reduction_cycles += rate.map_or(0, |rate| u128::from(units.div_ceil(rate.get())));
    }
}

/// Visits all messages of a share in a stage, as [`StageSchedule::visit`] does, rank by rank.
pub(crate) fn visit_by_rank<S: StageSchedule + ?Sized>(
    schedule: &S,
    stage: usize,
    share: u32,
    ranks: u32,
    end: End,
    visit: &mut dyn FnMut(u32, u32, u64),
) {
    for place in (0..ranks).map(|rank| Place { share, rank }) {
        for index in 0..schedule.candidate_count(stage, place, end) {
            if let Some((peer, units)) = schedule.candidate(stage, place, end, index) {
                visit(place.rank, peer, units);
            }
        }
    }
}

/// Queries of a schedule; stages are counted from its first.
pub(crate) trait StageSchedule {
    /// The number of stages.
    fn stage_count(&self) -> usize;

    /// The number of candidates of a process that is `end` of messages in a stage.
    fn candidate_count(&self, stage: usize, place: Place, end: End) -> u32;

    /// Candidate `index`, below [`Self::candidate_count`]; none where the message would be empty.
    /// Peers ascend.
    fn candidate(&self, stage: usize, place: Place, end: End, index: u32) -> Option<PeerMessage>;

    /// The most candidates of any process in any stage.
    fn max_candidates(&self, end: End) -> u32;

    /// The size of the message between `place`, which is this end of it, and another rank
    /// \[units\]; 0 where there is none.
    fn units(&self, stage: usize, place: Place, end: End, other: u32) -> u64 {
        let candidates = 0..self.candidate_count(stage, place, end);
        let mut messages = candidates.filter_map(|index| self.candidate(stage, place, end, index));
        messages.find(|&(peer, _)| peer == other).map_or(0, |(_, units)| units)
    }

    /// A stage whose messages of a share have the same sizes, each in the same number, with the
    /// same neighbours: those of this stage with the ranks renamed. Stages without messages are not
    /// renamed.
    fn representative(&self, stage: usize, share: u32) -> usize {
        let _ = share;
        stage
    }

    /// Whether the messages of a stage are known to be those of the stage before it: the same ends
    /// and sizes.
    fn repeats(&self, stage: usize) -> bool {
        let _ = stage;
        false
    }

    /// Whether every two ranks with a message in a stage are known to have had one in an earlier stage.
    fn adds_no_pairs(&self, stage: usize) -> bool {
        self.repeats(stage)
    }

    /// Visits all messages of a share in a stage: the rank that sends, that which receives, and the size \[units\]. `end` is
    /// the end that sends: destinations do in a schedule that runs backwards.
    fn visit(&self, stage: usize, share: u32, ranks: u32, end: End, visit: &mut dyn FnMut(u32, u32, u64)) {
        visit_by_rank(self, stage, share, ranks, end, visit);
    }

    /// The sums over all ranks in a stage of a share.
    ///
    /// What a rank receives is taken to be reduced, so many units a cycle. `received` is the end
    /// that receives: sources do in a schedule that runs backwards.
    fn tally(
        &self,
        stage: usize,
        share: u32,
        ranks: u32,
        received: End,
        rate: Option<NonZeroU64>,
    ) -> StageTally
    where
        Self: Sized,
    {
        tally_by_rank(self, stage, share, ranks, received, rate)
    }

    /// What the message of a share from `source` to `destination` in a stage carries.
    fn payload(&self, stage: usize, share: u32, source: u32, destination: u32) -> Payload;
}

/// [`StageSchedule::tally`], rank by rank.
pub(crate) fn tally_by_rank(
    schedule: &impl StageSchedule,
    stage: usize,
    share: u32,
    ranks: u32,
    received: End,
    rate: Option<NonZeroU64>,
) -> StageTally {
    let mut tally = StageTally::default();
    for place in (0..ranks).map(|rank| Place { share, rank }) {
        let sizes = |end| {
            let candidates = 0..schedule.candidate_count(stage, place, end);
            let messages = candidates.filter_map(move |index| schedule.candidate(stage, place, end, index));
            messages.map(|(_, units)| units)
        };
        let units = sizes(received).sum();
        tally.add_sizes(sizes(received).min().unwrap_or(0), sizes(received).max().unwrap_or(0));
        tally.active += u64::from(units > 0 || sizes(received.opposite()).next().is_some());
        tally.add_received(units, rate);
    }
    tally
}

/// Declares [`Schedule`], which asks the schedule that it is.
macro_rules! schedules {
    ($($(#[$documentation:meta])* $variant:ident($kind:ty),)*) => {
        /// A schedule of any algorithm.
        #[derive(Debug, Clone)]
        pub(crate) enum Schedule {
            $($(#[$documentation])* $variant($kind),)*
        }

        $(impl From<$kind> for Schedule {
            fn from(schedule: $kind) -> Self {
                Self::$variant(schedule)
            }
        })*

        impl StageSchedule for Schedule {
            fn stage_count(&self) -> usize {
                match self {
                    $(Self::$variant(schedule) => schedule.stage_count(),)*
                }
            }

            #[inline]
            fn candidate_count(&self, stage: usize, place: Place, end: End) -> u32 {
                match self {
                    $(Self::$variant(schedule) => schedule.candidate_count(stage, place, end),)*
                }
            }

            #[inline]
            fn candidate(&self, stage: usize, place: Place, end: End, index: u32) -> Option<PeerMessage> {
                match self {
                    $(Self::$variant(schedule) => schedule.candidate(stage, place, end, index),)*
                }
            }

            fn units(&self, stage: usize, place: Place, end: End, other: u32) -> u64 {
                match self {
                    $(Self::$variant(schedule) => schedule.units(stage, place, end, other),)*
                }
            }

            fn representative(&self, stage: usize, share: u32) -> usize {
                match self {
                    $(Self::$variant(schedule) => schedule.representative(stage, share),)*
                }
            }

            fn repeats(&self, stage: usize) -> bool {
                match self {
                    $(Self::$variant(schedule) => schedule.repeats(stage),)*
                }
            }

            fn adds_no_pairs(&self, stage: usize) -> bool {
                match self {
                    $(Self::$variant(schedule) => schedule.adds_no_pairs(stage),)*
                }
            }

            fn visit(
                &self,
                stage: usize,
                share: u32,
                ranks: u32,
                end: End,
                visit: &mut dyn FnMut(u32, u32, u64),
            ) {
                match self {
                    $(Self::$variant(schedule) => schedule.visit(stage, share, ranks, end, visit),)*
                }
            }

            fn tally(
                &self,
                stage: usize,
                share: u32,
                ranks: u32,
                received: End,
                rate: Option<NonZeroU64>,
            ) -> StageTally {
                match self {
                    $(Self::$variant(schedule) => schedule.tally(stage, share, ranks, received, rate),)*
                }
            }

            fn max_candidates(&self, end: End) -> u32 {
                match self {
                    $(Self::$variant(schedule) => schedule.max_candidates(end),)*
                }
            }

            fn payload(&self, stage: usize, share: u32, source: u32, destination: u32) -> Payload {
                match self {
                    $(Self::$variant(schedule) => schedule.payload(stage, share, source, destination),)*
                }
            }
        }
    };
}

schedules! {
    /// Matchings in every dimension.
    Pattern(PatternSchedule),
    /// A ring in one or both directions, or several rings.
    Ring(RingSchedule),
    /// One phase of bucket.
    Bucket(BucketPhase),
    /// Bruck's all-gather.
    Bruck(BruckSchedule),
    /// Bruck's all-to-all.
    BruckItems(BruckItemSchedule),
    /// A spanning tree.
    Tree(TreeSchedule),
    /// All pairs in one stage.
    Direct(DirectSchedule),
    /// All pairs, one a stage and rank.
    Pairwise(PairwiseSchedule),
    /// All pairs on lines, a dimension a stage.
    ByDimension(ByDimensionSchedule),
    /// Bruck's pattern with one unit.
    Dissemination(DisseminationSchedule),
}
