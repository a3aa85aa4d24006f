//! The other workers of a run, as the engine of one of them sees them.

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::NodeId;

use super::{
    division::{Division, Indices, Residents},
    exchange::Exchange,
    ready_sources::ReadySources,
};
use crate::{
    Cycle,
    engine::border::{Border, Note, ReadySource},
    ranks::NOTHING,
    slab::Slab,
};

/// The data that all workers share.
#[derive(Debug)]
pub(super) struct SharedKnowledge<'run> {
    pub(super) placement: &'run Placement,
    pub(super) division: Division,
    pub(super) indices: Indices<'run>,
}

impl<'run> SharedKnowledge<'run> {
    /// The division of a run among up to `workers` workers.
    pub(super) fn new(placement: &'run Placement, workers: usize) -> Self {
        let division = Division::new(placement.machine(), workers);
        Self { placement, division, indices: Indices::new(placement) }
    }
}

/// The border of one worker.
#[derive(Debug)]
pub(super) struct Neighbours<'run> {
    shared: &'run SharedKnowledge<'run>,
    slab: &'run Slab,
    residents: &'run Residents,
    ready_sources: ReadySources,
    outgoing: Vec<Vec<Note>>,
    incoming: Vec<Note>,
    has_asked: bool, // whether it has sent a note that another may answer in this cycle
    exchange: &'run mut dyn Exchange, // a pointer, so that engines are compiled once for threads and ranks
}

impl<'run> Neighbours<'run> {
    /// The border of a worker with a slab and the processes on it.
    pub(super) fn new(
        shared: &'run SharedKnowledge<'run>,
        (slab, residents): (&'run Slab, &'run Residents),
        exchange: &'run mut dyn Exchange,
    ) -> Self {
        Self {
            shared,
            slab,
            residents,
            ready_sources: ReadySources::new(residents.labels().len()),
            outgoing: (0..shared.division.slab_count()).map(|_| vec![]).collect(),
            incoming: vec![],
            has_asked: false,
            exchange,
        }
    }

    /// Sends all notes and receives those of others; returns the least value of all workers.
    fn agree(&mut self, value: u64) -> u64 {
        self.has_asked = false;
        self.exchange.exchange(&mut self.outgoing, &mut self.incoming, value)
    }
}

impl Border for Neighbours<'_> {
    const IS_ALONE: bool = false;

    #[inline]
    fn index(&self, process: ProcessId) -> Option<ProcessId> {
        self.residents.index(self.shared.indices.of(process))
    }

    #[inline]
    fn label(&self, index: ProcessId) -> ProcessId {
        self.residents.labels()[index.label() as usize]
    }

    #[inline]
    fn elsewhere(&self, node: NodeId) -> Option<usize> {
        let is_own = self.slab.nodes().contains(&node.index().into());
        (!is_own).then(|| self.shared.division.owner(node))
    }

    fn send(&mut self, engine: usize, note: Note) {
        self.has_asked |= note.may_be_answered();
        self.outgoing[engine].push(note);
    }

    fn announce(&mut self, ready: ReadySource) {
        let node = self.shared.placement.node(ready.destination);
        self.send(self.shared.division.owner(node), Note::Ready(ready));
    }

    fn keep(&mut self, destination: ProcessId, ready: ReadySource) {
        self.ready_sources.add(destination, ready);
    }

    #[inline]
    fn prefetch_kept(&self, destination: ProcessId) {
        self.ready_sources.prefetch(destination);
    }

    fn take_kept(&mut self, destination: ProcessId, stage: u32, sources: &mut Vec<ReadySource>) {
        self.ready_sources.take(destination, stage, sources);
    }

    /// A cycle ends when no worker has sent a note that could be answered.
    fn exchange(&mut self) -> bool {
        let value = if self.has_asked { 0 } else { NOTHING };
        self.agree(value) > 0
    }

    fn take_note(&mut self) -> Option<Note> {
        self.incoming.pop()
    }

    fn next_event(&mut self, local: Option<Cycle>) -> Option<Cycle> {
        let least = self.agree(local.map_or(NOTHING, Cycle::get));
        (least != NOTHING).then_some(Cycle::new(least))
    }
}
