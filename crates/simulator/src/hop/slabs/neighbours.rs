//! The other workers of a run, as the engine of one of them sees them.

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{Channel, Leg, NodeId};

use super::{
    super::border::{Border, Note, ReadySource, Visitor},
    division::{Division, Indices, Residents},
    ready_sources::ReadySources,
    transport::Transport,
};
use crate::{Cycle, Cycles, Program, ranks::NOTHING, slots::Slots};

/// What all workers know.
#[derive(Debug)]
pub(super) struct SharedKnowledge<'run> {
    pub(super) placement: &'run Placement,
    pub(super) division: Division,
    pub(super) indices: Indices<'run>,
    /// Whether a computation that begins may end in the same cycle, and where it begins is known after all that
    /// becomes ready in that cycle.
    pub(super) may_begin_again: bool,
}

impl<'run> SharedKnowledge<'run> {
    /// What up to `workers` workers know of a run.
    pub(super) fn new<P: Program>(program: &P, placement: &'run Placement, workers: usize) -> Self {
        Self {
            placement,
            division: Division::new(placement.machine(), workers),
            indices: Indices::new(placement),
            may_begin_again: program.compute() == Cycles::ZERO && !placement.is_one_to_one(),
        }
    }
}

/// The border of one worker.
#[derive(Debug)]
pub(super) struct Neighbours<'run> {
    shared: &'run SharedKnowledge<'run>,
    number: usize, // of this worker
    residents: &'run Residents,
    own_messages: u32, // the numbers of messages to own processes are below this
    visitors: Slots<Visitor>,
    ready_sources: ReadySources,
    outgoing: Vec<Vec<Note>>,
    incoming: Vec<Note>,
    has_asked: bool, // whether it has sent a note that another may answer in this cycle
    transport: &'run mut dyn Transport<Note>, // behind a pointer, so that engines are compiled once for all
}

impl<'run> Neighbours<'run> {
    /// The border of a worker whose processes may have so many messages in flight to them.
    pub(super) fn new(
        shared: &'run SharedKnowledge<'run>,
        number: usize,
        residents: &'run Residents,
        own_messages: u32,
        transport: &'run mut dyn Transport<Note>,
    ) -> Self {
        Self {
            shared,
            number,
            residents,
            own_messages,
            visitors: Slots::default(),
            ready_sources: ReadySources::new(residents.labels().len()),
            outgoing: (0..shared.division.slab_count()).map(|_| vec![]).collect(),
            incoming: vec![],
            has_asked: false,
            transport,
        }
    }
}

impl Neighbours<'_> {
    /// Sends all notes and receives those of others; returns the least value of all workers.
    fn agree(&mut self, value: u64) -> u64 {
        self.has_asked = false;
        self.transport.exchange(&mut self.outgoing, &mut self.incoming, value)
    }
}

impl Border for Neighbours<'_> {
    type Leg = Leg;

    #[inline]
    fn index(&self, process: ProcessId) -> Option<ProcessId> {
        self.residents.index(self.shared.indices.of(process))
    }

    #[inline]
    fn label(&self, index: ProcessId) -> ProcessId {
        self.residents.labels()[index.label() as usize]
    }

    #[inline]
    fn visitor(&self, message: u32) -> Option<&Visitor> {
        message.checked_sub(self.own_messages).map(|slot| &self.visitors[slot])
    }

    fn admit(&mut self, visitor: Visitor) -> u32 {
        if self.elsewhere(visitor.to).is_some() {
            self.own_messages + self.visitors.insert(visitor)
        } else {
            visitor.number // it comes home
        }
    }

    fn dismiss(&mut self, message: u32) -> Option<Visitor> {
        let slot = message.checked_sub(self.own_messages)?;
        self.visitors.remove(slot);
        Some(self.visitors[slot])
    }

    #[inline]
    fn elsewhere(&self, node: NodeId) -> Option<usize> {
        let owner = self.shared.division.owner(node);
        (owner != self.number).then_some(owner)
    }

    #[inline]
    fn link_elsewhere(&self, node: NodeId, leg: &Leg) -> Option<usize> {
        let channel = Channel { node, direction: leg.direction };
        self.elsewhere(self.shared.placement.machine().link(channel).near)
    }

    fn send(&mut self, engine: usize, note: Note) {
        self.has_asked |= !matches!(note, Note::Join(..));
        self.outgoing[engine].push(note);
    }

    fn announce(&mut self, ready: ReadySource) {
        let node = self.shared.placement.node(ready.destination);
        self.send(self.shared.division.owner(node), Note::Ready(ready));
    }

    fn keep(&mut self, destination: ProcessId, ready: ReadySource) {
        self.ready_sources.add(destination, ready.stage, (ready.source, ready.from));
    }

    #[inline]
    fn fetch_kept(&self, destination: ProcessId) {
        self.ready_sources.fetch(destination);
    }

    fn take_kept(&mut self, destination: ProcessId, stage: u32, sources: &mut Vec<(ProcessId, NodeId)>) {
        self.ready_sources.take(destination, stage, sources);
    }

    /// A cycle is over when no worker has sent a note that could be answered: one that only joins queues is not.
    fn exchange(&mut self) -> bool {
        let value = if self.has_asked { 0 } else { NOTHING };
        self.agree(value) == NOTHING
    }

    fn take_note(&mut self) -> Option<Note> {
        self.incoming.pop()
    }

    fn any_began(&mut self, began: bool) -> bool {
        self.shared.may_begin_again && self.agree(if began { 0 } else { NOTHING }) != NOTHING
    }

    fn next_event(&mut self, own: Option<Cycle>) -> Option<Cycle> {
        let least = self.agree(own.map_or(NOTHING, Cycle::get));
        (least != NOTHING).then_some(Cycle::new(least))
    }
}
