//! Schedules: which share of which rank sends what to whom in each stage of a phase.
//!
//! A schedule answers from structure and stores no message. Each end of a stage has a number of *candidates*, numbered
//! by ascending peer; a candidate is a message, or none where it would be empty. What a message carries, its
//! [`Payload`], is a query of its own: it is enumerated, for checks and exports, while sizes are computed.
//!
//! A schedule that runs backwards, each message in the opposite direction, is the reverse of an operation: gather is
//! the reverse of scatter, all-gather often that of reduce-scatter.

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
    /// Items of an all-to-all, ascending: block `destination` of the vector of `origin`, as `(origin, destination)`.
    Items(Vec<(u32, u32)>),
    /// The one unit of a barrier.
    Token,
}

/// Queries of a schedule; stages are counted from its first.
pub(crate) trait StageSchedule {
    /// The number of stages.
    fn stage_count(&self) -> usize;

    /// The number of candidates of a process that is `end` of messages in a stage.
    fn candidate_count(&self, stage: usize, place: Place, end: End) -> u32;

    /// Candidate `index`, below [`Self::candidate_count`]; none where the message would be empty. Peers ascend.
    fn candidate(&self, stage: usize, place: Place, end: End, index: u32) -> Option<PeerMessage>;

    /// The most candidates of any process in any stage.
    fn max_candidates(&self, end: End) -> u32;

    /// What the message of a share from `source` to `destination` in a stage carries.
    fn payload(&self, stage: usize, share: u32, source: u32, destination: u32) -> Payload;
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
