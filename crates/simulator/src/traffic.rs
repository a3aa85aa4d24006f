//! What the network did in a run.

use std::ops::AddAssign;

use crate::LinkUse;

/// Messages, links crossed and queues of a run.
#[derive(Debug, Clone)]
pub struct Traffic {
    /// The number of messages.
    pub messages: u64,
    /// The number of links crossed by all messages.
    pub hops: u64,
    /// The most messages left in one channel's queue after the picks of a cycle; none in a coordinated
    /// run.
    pub longest_queue: Option<u32>,
    /// The parallel data movement steps and conflicts of each stage; none in an asynchronous run.
    pub routing: Option<Vec<StageRouting>>,
    /// The busy cycles of each link, where they were to be counted.
    pub link_use: Option<LinkUse>,
}

/// How the messages of one stage of a coordinated run were routed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageRouting {
    /// Parallel data movement steps, summed over the movements.
    pub steps: u64,
    /// How often a message wanted a channel in a step and was not moved.
    pub conflicts: u64,
}

impl AddAssign for StageRouting {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.conflicts += other.conflicts;
    }
}
