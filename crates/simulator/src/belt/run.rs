//! One run on a machine or a line: whole stages while that is possible, then events.

use cubefold_topology::NodeId;

use super::{bulk::Bulk, engine::Engine, layout::Layout, stages::Stages};
use crate::{BulkStages, Observer};

/// What runs share; the memory of one serves the next.
#[derive(Debug)]
pub(super) struct Run<'run> {
    bulk: Option<Bulk<'run>>,
    engine: Engine<'run>,
    stages: &'run Stages,
}

impl<'run> Run<'run> {
    /// Of processes on these nodes.
    pub(super) fn new(
        layout: &'run Layout,
        stages: &'run Stages,
        nodes: &'run [NodeId],
        bulk: BulkStages,
    ) -> Self {
        let bulk = match bulk {
            BulkStages::Yes => Some(Bulk::new(layout, stages, nodes)),
            BulkStages::No => None,
        };
        Self { bulk, engine: Engine::new(layout, stages, nodes), stages }
    }

    /// Runs all stages, given when each process begins; `finishes` then says when it finished.
    pub(super) fn run<O: Observer>(&mut self, finishes: &mut [u64], observer: &mut O) {
        let done = self.bulk.as_mut().map_or(0, |bulk| bulk.run(finishes, observer));
        if done == self.stages.count() {
            return;
        }
        self.engine.run(done, finishes, observer);
        for (own, finish) in finishes.iter_mut().zip(self.engine.finishes()) {
            *own = finish;
        }
    }

    /// The most messages left in one queue after the picks of a cycle, over all runs so far.
    pub(super) fn longest_queue(&self) -> u32 {
        self.engine.longest_queue
    }
}
