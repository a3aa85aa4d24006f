//! The times of all processes in one stage.

use cubefold_mapping::ProcessId;
use cubefold_topology::{Machine, NodeId};

use super::distance_counts::DistanceCounts;
use crate::{Cycle, Cycles, Observer, Program, StageRecord, Summary};

/// When a stage takes place.
#[derive(Debug, Clone, Copy)]
pub(super) struct StageClock {
    /// The stage, counted from 0.
    pub(super) stage: usize,
    /// When the computation of the last process on each node ends.
    pub(super) ready: Cycle,
    /// How long every process waits for its processor.
    pub(super) sharing: Cycles,
    /// `T_c`.
    pub(super) hop: Cycles,
    /// `T_c` times the steps of the stage.
    pub(super) moving: Cycles,
}

impl StageClock {
    /// The end of the stage, for every process.
    pub(super) fn end(&self) -> Cycle {
        self.ready + self.moving
    }

    /// Adds the times of all `processes` to `summary`, given how far the messages come that they receive.
    pub(super) fn summarise(&self, received: &DistanceCounts, processes: u64, summary: &mut Summary) {
        let any = ProcessId::new(0); // they are not told apart
        for (distance, count) in received.iter() {
            summary.add_stage(&self.record(any, Some(distance)), count);
        }
        summary.add_stage(&self.record(any, None), processes - received.count());
    }

    /// Reports the stage of every process, `nodes` telling where each is.
    pub(super) fn report<P: Program>(
        &self,
        program: &P,
        nodes: &[NodeId],
        machine: &Machine,
        observer: &mut impl Observer,
    ) {
        let node = |process: ProcessId| nodes[process.label() as usize];
        for process in ProcessId::first(nodes.len() as u64) {
            let distance = |source| machine.distance(node(source), node(process));
            let farthest = program.sources(self.stage, process).map(distance).max();
            observer.stage_finished(&self.record(process, farthest));
        }
    }

    /// The stage of a process whose farthest message comes so far, or that receives none.
    fn record(&self, process: ProcessId, distance: Option<u64>) -> StageRecord {
        let transfer = self.hop * distance.unwrap_or(0);
        let (waiting, idle) = match distance {
            Some(_) => (self.moving - transfer, Cycles::ZERO),
            None => (Cycles::ZERO, self.moving),
        };
        let start = self.ready + waiting;
        StageRecord {
            process,
            stage: self.stage,
            sharing: self.sharing,
            ready: self.ready,
            start,
            finish: start + transfer,
            transfer,
            idle,
        }
    }
}
