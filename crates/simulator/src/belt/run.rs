//! One run on a machine or a line: whole stages while that is possible, then events.

use cubefold_topology::NodeId;

use super::{
    bulk::Bulk,
    engine::Engine,
    layout::Layout,
    meeting::{OneCycle, SeveralCycles},
    stages::Stages,
};
use crate::{BulkStages, Observer};

/// What runs share; the memory of one serves the next.
#[derive(Debug)]
pub(super) struct Run<'run> {
    bulk: Option<Bulk<'run>>,
    engine: Events<'run>,
    stages: &'run Stages,
}

/// Event by event, for either kind of links.
#[derive(Debug)]
enum Events<'run> {
    OneCycle(Engine<'run, OneCycle>),
    SeveralCycles(Engine<'run, SeveralCycles>),
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
        let engine = match stages.hop {
            1 => Events::OneCycle(Engine::new(layout, stages, nodes)),
            _ => Events::SeveralCycles(Engine::new(layout, stages, nodes)),
        };
        Self { bulk, engine, stages }
    }

    /// Runs all stages, given when each process begins; `finishes` then says when it finished.
    pub(super) fn run<O: Observer>(&mut self, finishes: &mut [u64], observer: &mut O) {
        let done = self.bulk.as_mut().map_or(0, |bulk| bulk.run(finishes, observer));
        if done == self.stages.count() {
            return;
        }
        match &mut self.engine {
            Events::OneCycle(engine) => engine.run(done, finishes, observer),
            Events::SeveralCycles(engine) => engine.run(done, finishes, observer),
        }
    }

    /// The most messages left in one queue after the picks of a cycle, over all runs so far.
    pub(super) fn longest_queue(&self) -> u32 {
        match &self.engine {
            Events::OneCycle(engine) => engine.longest_queue(),
            Events::SeveralCycles(engine) => engine.longest_queue(),
        }
    }
}
