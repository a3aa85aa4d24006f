//! Plans: the phases of an algorithm for a specification.
//!
//! A phase is a schedule, run forwards or backwards, or a stage without messages between ranks.

use std::{num::NonZeroU64, sync::Arc};

use crate::{
    Operation,
    rank_grid::RankGrid,
    schedule::{End, Payload, Place, StageSchedule, StageTally, opposite},
    specification::{CollectiveSpecification, Exchange},
    vector::BlockTable,
};

/// The input of a plan: a checked specification and derived values.
#[derive(Debug)]
pub(crate) struct PlanContext<'a> {
    pub(crate) specification: &'a CollectiveSpecification,
    /// The exchange; `Halving` if there is no choice.
    pub(crate) exchange: Exchange,
    pub(crate) grid: RankGrid,
    /// The blocks of each share.
    pub(crate) blocks: Vec<BlockTable>,
}

impl PlanContext<'_> {
    pub(crate) fn operation(&self) -> Operation {
        self.specification.operation
    }

    /// Returns the root; unused by operations without one.
    pub(crate) fn root(&self) -> u32 {
        self.specification.root
    }
}

/// The stages of a schedule as stages of a collective.
#[derive(Debug, Clone)]
pub(crate) struct MessagePhase {
    schedule: Arc<dyn StageSchedule>,
    /// Whether the schedule runs backwards, each message in the opposite direction.
    is_reversed: bool,
    /// Whether messages are reduced with the destination's data, or replace them.
    pub(crate) is_reducing: bool,
}

impl MessagePhase {
    pub(crate) fn stage_count(&self) -> usize {
        self.schedule.stage_count()
    }

    /// Returns the schedule's stage of a stage of the phase.
    fn stage(&self, stage: usize) -> usize {
        if self.is_reversed { self.schedule.stage_count() - 1 - stage } else { stage }
    }

    /// Returns the end in the schedule for an end of a message.
    fn end(&self, end: End) -> End {
        if self.is_reversed { opposite(end) } else { end }
    }

    /// Lists the messages that have a process at this end in a stage: the rank at the other end,
    /// ascending, and the size \[units\].
    pub(crate) fn list(&self, stage: usize, place: Place, end: End, add: &mut dyn FnMut(u32, u64)) {
        self.schedule.list(self.stage(stage), place, self.end(end), add);
    }

    /// Visits all messages of a share in a stage: source, destination and size \[units\].
    pub(crate) fn visit(&self, stage: usize, share: u32, ranks: u32, visit: &mut dyn FnMut(u32, u32, u64)) {
        self.schedule.visit(self.stage(stage), share, ranks, self.end(End::Source), visit);
    }

    /// Returns the most messages that a process has at this end in a stage.
    pub(crate) fn max_messages(&self, end: End) -> usize {
        self.schedule.max_messages(self.end(end)) as usize
    }

    /// Returns a number that is equal for stages of a share with equal [tallies](Self::tally).
    pub(crate) fn representative(&self, stage: usize, share: u32) -> usize {
        self.schedule.representative(self.stage(stage), share)
    }

    /// Returns the sums over all ranks in a stage of a share, if units received are reduced at a
    /// rate \[units a cycle\].
    pub(crate) fn tally(&self, stage: usize, share: u32, ranks: u32, rate: Option<NonZeroU64>) -> StageTally {
        let rate = rate.filter(|_| self.is_reducing);
        self.schedule.tally(self.representative(stage, share), share, ranks, self.end(End::Destination), rate)
    }

    /// Whether a stage is known to have the messages of the stage of the phase before it.
    pub(crate) fn repeats(&self, stage: usize) -> bool {
        stage > 0 && !self.is_reversed && self.schedule.repeats(stage)
    }

    /// Whether every two ranks with a message in a stage are known to have one in an earlier stage of
    /// the phase.
    pub(crate) fn adds_no_pairs(&self, stage: usize) -> bool {
        stage > 0 && !self.is_reversed && self.schedule.adds_no_pairs(stage)
    }

    /// Returns the contents of the message of a share from `source` to `destination` in a stage.
    pub(crate) fn payload(&self, stage: usize, share: u32, source: u32, destination: u32) -> Payload {
        let (from, to) = if self.is_reversed { (destination, source) } else { (source, destination) };
        self.schedule.payload(self.stage(stage), share, from, to)
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Phase {
    /// The stages of a schedule.
    Messages(MessagePhase),
    /// A stage in which the shares of each rank wait for each other.
    Synchronisation,
    /// A stage without messages that reduces the last units received.
    Reduction,
}

impl Phase {
    pub(crate) fn stage_count(&self) -> usize {
        match self {
            Self::Messages(phase) => phase.stage_count(),
            Self::Synchronisation | Self::Reduction => 1,
        }
    }

    /// Returns the phase, if it has messages between ranks.
    pub(crate) fn messages(&self) -> Option<&MessagePhase> {
        match self {
            Self::Messages(phase) => Some(phase),
            Self::Synchronisation | Self::Reduction => None,
        }
    }
}

/// The phases of a collective, in order.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) phases: Vec<Phase>,
}

impl Plan {
    /// Returns the plan of one schedule whose messages are copied.
    pub(crate) fn copying(schedule: impl StageSchedule + 'static) -> Self {
        let mut plan = Self::default();
        plan.copy(schedule);
        plan
    }

    /// Adds a phase whose messages are reduced.
    pub(crate) fn reduce(&mut self, schedule: impl StageSchedule + 'static) {
        self.push(Arc::new(schedule), false, true);
    }

    /// Adds a phase whose messages are reduced: the reverse of a schedule.
    pub(crate) fn reduce_reversed(&mut self, schedule: impl StageSchedule + 'static) {
        self.push(Arc::new(schedule), true, true);
    }

    /// Adds a phase whose messages are copied.
    pub(crate) fn copy(&mut self, schedule: impl StageSchedule + 'static) {
        self.push(Arc::new(schedule), false, false);
    }

    /// Adds a phase whose messages are copied: the reverse of a schedule.
    pub(crate) fn copy_reversed(&mut self, schedule: impl StageSchedule + 'static) {
        self.push(Arc::new(schedule), true, false);
    }

    /// Adds a phase whose messages are reduced, and one that copies its reverse.
    pub(crate) fn reduce_and_return(&mut self, schedule: impl StageSchedule + 'static) {
        let schedule: Arc<dyn StageSchedule> = Arc::new(schedule);
        self.push(Arc::clone(&schedule), false, true);
        self.push(schedule, true, false);
    }

    /// Adds a stage in which the shares of a rank wait for each other, unless it would be the
    /// first.
    pub(crate) fn synchronise(&mut self) {
        if !self.phases.is_empty() {
            self.phases.push(Phase::Synchronisation);
        }
    }

    fn push(&mut self, schedule: Arc<dyn StageSchedule>, is_reversed: bool, is_reducing: bool) {
        self.phases.push(Phase::Messages(MessagePhase { schedule, is_reversed, is_reducing }));
    }
}
