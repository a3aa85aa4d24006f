//! What a stage program came to.

use std::collections::BTreeMap;

use super::super::grid::{Channel, Link};

/// What is measured of a process in a stage \[cycles\] (section 14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageRow {
    /// The cycle at which the computation ended.
    pub ready: u64,
    /// The cycle at which the message that came last set out.
    pub start: u64,
    /// The cycle at which the stage was over for the process.
    pub finish: u64,
    /// Waiting for a processor.
    pub sharing: u64,
    /// Waiting for the message to set out.
    pub waiting: u64,
    /// What the message takes for its distance and size, less what is overlapped.
    pub transfer: u64,
    /// Held up by other messages.
    pub blocked: u64,
    /// The part of the transfer that passed before the process was ready.
    pub overlapped: u64,
    /// The cycles that the core spent on messages.
    pub overhead: u64,
}

/// What a stage program came to.
#[derive(Clone, Debug)]
pub struct StageOutcome {
    /// `rows[stage][process]`.
    pub rows: Vec<Vec<StageRow>>,
    /// The largest finish.
    pub makespan: u64,
    /// The most packets left in the queue of a channel at the end of a cycle.
    pub longest_queue: u64,
    /// Links crossed by packets.
    pub hops: u64,
    /// For how long each link was occupied, where it was \[cycles\].
    pub busy_cycles: BTreeMap<Link, u64>,
    /// Every packet on every channel of its route, as they began.
    pub transmissions: Vec<Transmission>,
}

/// A packet on a channel (section 13.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transmission {
    /// The stage, source and destination of its message.
    pub message: (usize, usize, usize),
    /// The number of the packet in its message.
    pub packet: usize,
    /// The channel.
    pub channel: Channel,
    /// The cycle at which it joined the channel's queue.
    pub joined: u64,
    /// The cycle at which it got the channel.
    pub begin: u64,
    /// The cycle at which it gave the channel back.
    pub end: u64,
}
