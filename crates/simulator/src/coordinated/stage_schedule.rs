//! What is known of a stage when its messages have been routed.

use super::distance_counts::DistanceCounts;
use crate::StageRouting;

/// How a stage goes, whatever the stages before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StageSchedule {
    /// Steps and conflicts.
    pub(super) routing: StageRouting,
    /// For every process that receives a message, how far the farthest comes.
    pub(super) received: DistanceCounts,
    /// The number of messages.
    pub(super) messages: u64,
    /// The links that all messages cross.
    pub(super) hops: u64,
}
