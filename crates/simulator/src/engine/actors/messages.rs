//! The messages of actors and switches: their ends, their records, and their receptions.

use cubefold_mapping::ProcessId;
use cubefold_topology::{NodeId, narrow};

use super::Actors;
use crate::{
    Cycle, End, LATE_MESSAGES, MessageTimes, Peer, Program,
    engine::{Core, ReceivedMessage, message_table::MessageRecord, switches::Place},
    program::job::StepStage,
    switch_trees::{StepTrees, SwitchMessage},
    transport::Transport,
};

impl<'run> Actors<'run> {
    pub(super) fn reduces_in_switches(&self, step: u32) -> bool {
        self.trees_of(step).is_some()
    }

    fn trees_of(&self, step: u32) -> Option<&'run StepTrees<'run>> {
        self.switches.as_ref().and_then(|switches| switches.of_step(step))
    }

    /// The chunk of a rank in a stage of a step that reduces in switches.
    fn chunk_of(&self, stage: usize, group: u32) -> Place {
        let StepStage { step, within, .. } = self.job.locate(stage);
        let [stage, step, chunk] = [stage, step, within].map(|number| narrow(number as u64));
        Place { stage, step, chunk, group }
    }

    pub(super) fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let StepStage { step, within, .. } = self.job.locate(stage);
        let Some(trees) = self.trees_of(narrow(step as u64)) else {
            self.job.list(end, stage, process, peers);
            return;
        };
        // The first share of a rank sends, the second receives.
        let is_receiver = process.label() >= self.ranks;
        if is_receiver == (end == End::Destination)
            && let Some(message) = trees.of_rank(self.rank(process), within, is_receiver)
        {
            let peer = if is_receiver { message.source } else { message.destination };
            peers.push(Peer { process: ProcessId::new(peer), units: message.units });
        }
    }

    pub(super) fn send<T: Transport>(
        &mut self,
        stage: usize,
        source: ProcessId,
        destination: ProcessId,
        units: u64,
        now: Cycle,
        core: &mut Core<'_, T>,
    ) {
        let StepStage { step, .. } = self.job.locate(stage);
        let trees = self.trees_of(narrow(step as u64));
        let group = trees.map_or(0, |trees| trees.group_of_rank(self.rank(source)));
        let place = self.place(stage);
        for end in [source, destination].into_iter().filter(|&end| is_rank(trees, end)) {
            self.activity.begins(place, self.rank(end), now);
        }
        self.set_out(self.record(stage, [source, destination], group, now, core), units, now, core);
    }

    /// The record of a message of a stage that sets out; of a group, if switches reduce.
    fn record<T: Transport>(
        &self,
        stage: usize,
        ends: [ProcessId; 2],
        group: u32,
        now: Cycle,
        core: &Core<'_, T>,
    ) -> MessageRecord {
        let turn = self.job.turn(stage, ends[0], ends[1]);
        let operation = if self.has_turns { turn } else { group };
        let to = self.node_of(stage, ends[1], core);
        let stage = narrow(stage as u64); // below 2^32, as was checked when the job was made
        MessageRecord { operation, receiver: group, ..MessageRecord::new(now, stage, ends, to) }
    }

    /// The node of a process of a stage, or its switch.
    fn node_of<T: Transport>(&self, stage: usize, process: ProcessId, core: &Core<'_, T>) -> NodeId {
        let step = narrow(self.job.locate(stage).step as u64);
        let vertex = self.trees_of(step).and_then(|trees| trees.vertex(process.label()));
        vertex.unwrap_or_else(|| core.node_of(process))
    }

    fn set_out<T: Transport>(
        &mut self,
        record: MessageRecord,
        units: u64,
        now: Cycle,
        core: &mut Core<'_, T>,
    ) {
        let from = self.node_of(record.stage as usize, record.source, core);
        if let Some(received) = core.send(record, from, units, now) {
            self.receive(&received, now);
        }
    }

    pub(super) fn send_of_switch<T: Transport>(
        &mut self,
        place: Place,
        message: SwitchMessage,
        now: Cycle,
        core: &mut Core<'_, T>,
    ) {
        let (ends, stage) = ([message.source, message.destination].map(ProcessId::new), place.stage as usize);
        if is_rank(self.trees_of(place.step), ends[1]) {
            self.activity.begins(self.place(stage), self.rank(ends[1]), now);
        }
        self.set_out(self.record(stage, ends, place.group, now, core), message.units, now, core);
    }

    pub(super) fn receive(&mut self, message: &ReceivedMessage, now: Cycle) {
        let MessageRecord { stage, source, destination, receiver: group, .. } = message.record;
        let StepStage { step, .. } = self.job.locate(stage as usize);
        let place = self.place(stage as usize);
        let trees = self.trees_of(narrow(step as u64));
        for end in [source, destination].into_iter().filter(|&end| is_rank(trees, end)) {
            self.activity.ends(place, self.rank(end), now);
        }
        if let Some(vertex) = trees.and_then(|trees| trees.vertex(destination.label())) {
            let chunk = self.chunk_of(stage as usize, group);
            if let Some(switches) = &mut self.switches {
                switches.receive(vertex, chunk, source.label(), message.units, now);
            }
            return;
        }
        self.activity.acts_until(place, self.rank(destination), now);
        self.note_late(message, now);
        let actor = self.firsts[step] + destination.label();
        if let Some(cores) = &mut self.cores {
            let is_ready = self.progress.was_ready(ProcessId::new(actor), stage as usize);
            cores.arrive(actor, is_ready, *message, now);
        } else if self.progress.receive(ProcessId::new(actor), message, now) {
            self.finish_stage(actor, now);
        }
    }

    /// Records a small message that was blocked for long, possibly by a large one (section 23.7).
    fn note_late(&mut self, message: &ReceivedMessage, now: Cycle) {
        let &ReceivedMessage { record, units, transfer } = message;
        let MessageRecord { start, stage, source, destination, .. } = record;
        let is_late = (now - start).get() > transfer.get().saturating_mul(4) && record.distance > 0;
        if is_late && units.saturating_mul(16) <= self.largest && self.late.len() < LATE_MESSAGES {
            let times = MessageTimes {
                stage,
                source,
                destination,
                units,
                start,
                entered: None,
                received: now,
                transfer,
            };
            self.late.push(times);
        }
    }
}

/// Whether an end of a message in a step is at a rank, not at a switch.
fn is_rank(trees: Option<&StepTrees<'_>>, end: ProcessId) -> bool {
    trees.is_none_or(|trees| trees.vertex(end.label()).is_none())
}
