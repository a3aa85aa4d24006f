//! A process and the message that is on its way to it.

use cubefold_topology::NodeId;

use super::stages::Stages;
use crate::event_queue::{EventLists, EventQueue};

/// The state of one process. It awaits one message at a time, so that the message needs no number of its own.
///
/// One cache line each: on machines that are larger than the caches, what an event costs is fetching these.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Process {
    /// When it finished the stage before this one, or began.
    pub(super) finish: u64,
    /// When the message of this stage sets out.
    pub(super) start: u64,
    /// Of a moving message the end of its leg if nothing stops it; of a queued one when it joined.
    pub(super) time: u64,
    /// The slot of a moving message.
    pub(super) slot: u32,
    /// The links left of the leg of a queued message.
    pub(super) hops: u32,
    /// The node at which the leg ends.
    pub(super) leg_end: NodeId,
    /// How many nodes of the line come before that one, where links take several cycles.
    pub(super) goal: u32,
    /// The links of this leg and those before it.
    pub(super) distance: u32,
    /// The process whose message is next in the same queue. Where links take several cycles 1 + that, in slots, too,
    /// and 0 after the last.
    pub(super) next: u32,
    /// Its node.
    pub(super) node: NodeId,
    /// How many stages are over for it.
    pub(super) stage: u32,
    /// What it waits for.
    pub(super) state: State,
    /// Whether an event is planned for it.
    pub(super) planned: bool,
}

/// What a process waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Its partner, or the end of the later of the two computations.
    Alone,
    /// A message that moves.
    Moving,
    /// A message that waits for a channel.
    Queued,
}

impl Process {
    /// One on `node` that finishes the stage before `stage` at `finish`.
    pub(super) fn new(node: NodeId, stage: u32, finish: u64) -> Self {
        Self {
            finish,
            start: 0,
            time: 0,
            slot: 0,
            hops: 0,
            leg_end: node,
            goal: 0,
            distance: 0,
            next: 0,
            node,
            stage,
            state: State::Alone,
            planned: false,
        }
    }

    /// Plans an event at its time; one that is planned already will see to that.
    #[inline]
    pub(super) fn plan<E: EventLists>(&mut self, own: u32, events: &mut EventQueue<E>) {
        if !self.planned {
            self.planned = true;
            events.add(own, self.time);
        }
    }

    /// What orders a queue among those who joined it together, smallest first: the stage of the message and its
    /// source.
    #[inline]
    pub(super) fn rank(&self, own: u32, stages: &Stages) -> (u32, u32) {
        (self.stage, stages.partner(own, self.stage).unwrap_or(own))
    }
}
