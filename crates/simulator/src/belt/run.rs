//! One run on a machine or a line: whole stages while that is possible, then events.

use cubefold_topology::NodeId;

use super::{
    bulk::Bulk,
    engine::Engine,
    layout::Layout,
    line_legs::LineLegs,
    meeting::{Meeting, OneCycle, SeveralCycles},
    stages::Stages,
    terrain::{OnLine, OnMachine},
};
use crate::{BulkStages, Observer};

/// Where runs take place and what happens there, the same for all of them.
#[derive(Debug)]
pub(super) struct Setting {
    layout: Layout,
    pub(super) stages: Stages,
    /// By process.
    pub(super) nodes: Vec<NodeId>,
    legs: Option<LineLegs>,
    bulk: BulkStages,
}

/// What runs share; the memory of one serves the next.
#[derive(Debug)]
pub(super) struct Run<'run> {
    bulk: Option<Bulk<'run>>,
    events: Events<'run>,
    stages: &'run Stages,
}

/// Event by event, for either kind of links.
#[derive(Debug)]
enum Events<'run> {
    OneCycle(AnyTerrain<'run, OneCycle>),
    SeveralCycles(AnyTerrain<'run, SeveralCycles>),
}

/// Event by event, for either kind of terrain.
#[derive(Debug)]
enum AnyTerrain<'run, M> {
    Line(Engine<'run, M, OnLine<'run>>),
    Machine(Engine<'run, M, OnMachine<'run>>),
}

impl Setting {
    /// Of processes on these nodes.
    pub(super) fn new(layout: Layout, stages: Stages, nodes: Vec<NodeId>, bulk: BulkStages) -> Self {
        let legs = LineLegs::new(&layout, &nodes);
        Self { layout, stages, nodes, legs, bulk }
    }

    /// A run, to be used for one after another.
    pub(super) fn start(&self) -> Run<'_> {
        let bulk = match self.bulk {
            BulkStages::Yes => Some(Bulk::new(&self.layout, &self.stages, &self.nodes)),
            BulkStages::No => None,
        };
        let events = match self.stages.hop {
            1 => Events::OneCycle(self.engine()),
            _ => Events::SeveralCycles(self.engine()),
        };
        Run { bulk, events, stages: &self.stages }
    }

    fn engine<M: Meeting>(&self) -> AnyTerrain<'_, M> {
        let Self { layout, stages, nodes, legs, .. } = self;
        match legs {
            Some(legs) => AnyTerrain::Line(Engine::new(layout, stages, nodes, OnLine(legs))),
            None => AnyTerrain::Machine(Engine::new(layout, stages, nodes, OnMachine(layout))),
        }
    }
}

impl Run<'_> {
    /// Runs all stages, given when each process begins; `finishes` then says when it finished.
    pub(super) fn run<O: Observer>(&mut self, finishes: &mut [u64], observer: &mut O) {
        let done = self.bulk.as_mut().map_or(0, |bulk| bulk.run(finishes, observer));
        if done == self.stages.count() {
            return;
        }
        match &mut self.events {
            Events::OneCycle(engine) => engine.run(done, finishes, observer),
            Events::SeveralCycles(engine) => engine.run(done, finishes, observer),
        }
    }

    /// The most messages left in one queue after the picks of a cycle, over all runs so far.
    pub(super) fn longest_queue(&self) -> u32 {
        match &self.events {
            Events::OneCycle(engine) => engine.longest_queue(),
            Events::SeveralCycles(engine) => engine.longest_queue(),
        }
    }
}

impl<M: Meeting> AnyTerrain<'_, M> {
    fn run<O: Observer>(&mut self, stage: usize, finishes: &mut [u64], observer: &mut O) {
        match self {
            Self::Line(engine) => engine.run(stage, finishes, observer),
            Self::Machine(engine) => engine.run(stage, finishes, observer),
        }
    }

    fn longest_queue(&self) -> u32 {
        match self {
            Self::Line(engine) => engine.longest_queue(),
            Self::Machine(engine) => engine.longest_queue(),
        }
    }
}
