//! The other workers of a run, as the engine of one of them sees them.

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::NodeId;

use super::{
    SlabEngine,
    border::{Border, BorderNote, ReadySource},
    division::{Division, Indices, Residents},
    ready_sources::ReadySources,
    slab::Slab,
    transport::Transport,
};
use crate::{Cycle, ranks::NOTHING};

/// What all workers know.
#[derive(Debug)]
pub(super) struct SharedKnowledge<'run> {
    pub(super) placement: &'run Placement,
    pub(super) division: Division,
    pub(super) indices: Indices<'run>,
    may_begin_again: bool,  // as `SlabEngine` says
    tells_next_early: bool, // as it says
}

impl<'run> SharedKnowledge<'run> {
    /// What up to `workers` workers know of a run.
    pub(super) fn of<E: SlabEngine>(engine: &'run E, workers: usize) -> Self {
        let placement = engine.placement();
        Self {
            placement,
            division: Division::new(placement.machine(), workers),
            indices: Indices::new(placement),
            may_begin_again: engine.may_begin_again(),
            tells_next_early: engine.tells_next_early(),
        }
    }
}

/// The border of one worker, whose engine says to others `N` and keeps `V` for the messages of others.
#[derive(Debug)]
pub(crate) struct Neighbours<'run, N, V> {
    shared: &'run SharedKnowledge<'run>,
    slab: &'run Slab,
    residents: &'run Residents,
    /// What the engine knows of messages of others on its links.
    pub(crate) visitors: V,
    ready_sources: ReadySources,
    outgoing: Vec<Vec<N>>,
    incoming: Vec<N>,
    has_asked: bool,        // whether it has sent a note that another may answer in this cycle
    told_next: Option<u64>, // what all have agreed on as the next cycle, where that is told early
    transport: &'run mut dyn Transport<N>, // behind a pointer, so that engines are compiled once for all
}

impl<'run, N: BorderNote, V> Neighbours<'run, N, V> {
    /// The border of a worker with a slab and the processes on it.
    pub(super) fn new(
        shared: &'run SharedKnowledge<'run>,
        (slab, residents): (&'run Slab, &'run Residents),
        visitors: V,
        transport: &'run mut dyn Transport<N>,
    ) -> Self {
        Self {
            shared,
            slab,
            residents,
            visitors,
            ready_sources: ReadySources::new(residents.labels().len()),
            outgoing: (0..shared.division.slab_count()).map(|_| vec![]).collect(),
            incoming: vec![],
            has_asked: false,
            told_next: None,
            transport,
        }
    }

    /// The placement of all processes.
    pub(crate) fn placement(&self) -> &'run Placement {
        self.shared.placement
    }

    /// Sends all notes and receives those of others; returns the least value of all workers.
    fn agree(&mut self, value: u64) -> u64 {
        self.has_asked = false;
        self.transport.exchange(&mut self.outgoing, &mut self.incoming, value)
    }
}

impl<N: BorderNote, V> Border for Neighbours<'_, N, V> {
    type Note = N;

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

    fn send(&mut self, engine: usize, note: N) {
        self.has_asked |= note.may_be_answered();
        self.outgoing[engine].push(note);
    }

    fn announce(&mut self, ready: ReadySource) {
        let node = self.shared.placement.node(ready.destination);
        self.send(self.shared.division.owner(node), ready.into());
    }

    fn keep(&mut self, destination: ProcessId, ready: ReadySource) {
        self.ready_sources.add(destination, ready.stage, (ready.source, ready.from));
    }

    #[inline]
    fn prefetch_kept(&self, destination: ProcessId) {
        self.ready_sources.prefetch(destination);
    }

    fn take_kept(&mut self, destination: ProcessId, stage: u32, sources: &mut Vec<(ProcessId, NodeId)>) {
        self.ready_sources.take(destination, stage, sources);
    }

    fn has_notes(&self) -> bool {
        self.outgoing.iter().any(|notes| !notes.is_empty())
    }

    /// A cycle is over when no worker has sent a note that could be answered: one that only joins queues is not.
    fn exchange(&mut self, next: Option<Cycle>) -> bool {
        let is_early = self.shared.tells_next_early;
        let value = match next {
            _ if self.has_asked => 0,
            Some(next) if is_early => next.get(), // above 0, since it is behind this cycle
            _ => NOTHING,
        };
        let least = self.agree(value);
        let is_over = least > 0;
        self.told_next = (is_early && is_over).then_some(least);
        is_over
    }

    fn take_note(&mut self) -> Option<N> {
        self.incoming.pop()
    }

    fn any_began(&mut self, began: bool) -> bool {
        self.shared.may_begin_again && self.agree(if began { 0 } else { NOTHING }) != NOTHING
    }

    fn next_event(&mut self, own: Option<Cycle>) -> Option<Cycle> {
        let least = self.told_next.take().unwrap_or_else(|| self.agree(own.map_or(NOTHING, Cycle::get)));
        (least != NOTHING).then_some(Cycle::new(least))
    }
}
