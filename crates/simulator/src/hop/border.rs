//! What lies beyond the processes and links of one engine: nothing, or those of others that compute other parts of the
//! same run.

use std::marker::PhantomData;

use cubefold_mapping::ProcessId;
use cubefold_topology::{Leg, NodeId};

use super::processes::Processes;
use crate::{
    Cycle,
    channel_queue::{MessageKey, MessageKeys},
};

/// The engines of a run, as one of them sees them.
///
/// An engine knows its own processes by their indices, and those of others by their labels. A message has its number
/// from the engine of its destination; on links of another engine it is a [`Visitor`] there, with a number of its own.
pub(super) trait Border {
    /// What messages move along on the links of an engine.
    type Leg;

    /// The index of a process of this engine; none of one of another.
    fn index(&self, process: ProcessId) -> Option<ProcessId>;

    /// The label of a process of this engine.
    fn label(&self, index: ProcessId) -> ProcessId;

    /// The message with this number, if its destination is of another engine.
    fn visitor(&self, message: u32) -> Option<&Visitor>;

    /// A visitor comes onto links of this engine; returns its number.
    fn admit(&mut self, visitor: Visitor) -> u32;

    /// A message leaves the links of this engine; returns it if it was a visitor.
    fn dismiss(&mut self, message: u32) -> Option<Visitor>;

    /// The engine that has a node, if it is another.
    fn elsewhere(&self, node: NodeId) -> Option<usize>;

    /// The engine that has the first link of a leg from `node`, if it is another: that of the link's near end.
    fn link_elsewhere(&self, node: NodeId, leg: &Self::Leg) -> Option<usize>;

    /// Sends a note to another engine.
    fn send(&mut self, engine: usize, note: Note<Self::Leg>);

    /// Tells the engine of a destination that a source is ready.
    fn announce(&mut self, ready: ReadySource);

    /// Keeps a source of another engine that is ready before its destination.
    fn keep(&mut self, destination: ProcessId, ready: ReadySource);

    /// Reads what is kept for a process, so that cache misses of several overlap.
    fn fetch_kept(&self, destination: ProcessId);

    /// Moves the sources kept for a process in a stage, with their nodes, to `sources`.
    fn take_kept(&mut self, destination: ProcessId, stage: u32, sources: &mut Vec<(ProcessId, NodeId)>);

    /// Sends and receives notes of this cycle; returns whether no engine may have more to say in it.
    fn exchange(&mut self) -> bool;

    /// Takes a note received.
    fn take_note(&mut self) -> Option<Note<Self::Leg>>;

    /// Whether computations that take no time have begun in any engine, given whether they have in this.
    fn any_began(&mut self, began: bool) -> bool;

    /// The next cycle in which anything happens in any engine, given that of this.
    fn next_event(&mut self, own: Option<Cycle>) -> Option<Cycle>;
}

/// A message on links of another engine than that of its destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Visitor {
    /// Its order among messages that join a queue in the same cycle.
    pub(super) key: MessageKey,
    /// The node of its destination.
    pub(super) to: NodeId,
    /// Its number in the engine of its destination.
    pub(super) number: u32,
}

/// A process that is ready to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadySource {
    pub(super) stage: u32,
    pub(super) source: ProcessId,
    /// The node of the source.
    pub(super) from: NodeId,
    pub(super) destination: ProcessId,
}

/// What one engine says to another. It concerns the present cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Note<L = Leg> {
    /// A source is ready for a message to a process of the recipient.
    Ready(ReadySource),
    /// A message at a node joins the queue of the first channel of a leg.
    Join(Visitor, NodeId, L),
    /// The message with this number has arrived at the node of its destination.
    Receipt(u32),
}

/// The border of an engine that computes a whole run: there are no others, and labels are indices.
#[derive(Debug)]
pub(super) struct NoBorder<L>(PhantomData<L>);

impl<L> NoBorder<L> {
    pub(super) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<L> Border for NoBorder<L> {
    type Leg = L;

    #[inline]
    fn index(&self, process: ProcessId) -> Option<ProcessId> {
        Some(process)
    }

    #[inline]
    fn label(&self, index: ProcessId) -> ProcessId {
        index
    }

    #[inline]
    fn visitor(&self, _: u32) -> Option<&Visitor> {
        None
    }

    fn admit(&mut self, visitor: Visitor) -> u32 {
        visitor.number
    }

    #[inline]
    fn dismiss(&mut self, _: u32) -> Option<Visitor> {
        None
    }

    #[inline]
    fn elsewhere(&self, _: NodeId) -> Option<usize> {
        None
    }

    #[inline]
    fn link_elsewhere(&self, _: NodeId, _: &L) -> Option<usize> {
        None
    }

    fn send(&mut self, _: usize, _: Note<L>) {}

    fn announce(&mut self, _: ReadySource) {}

    fn keep(&mut self, _: ProcessId, _: ReadySource) {}

    #[inline]
    fn fetch_kept(&self, _: ProcessId) {}

    #[inline]
    fn take_kept(&mut self, _: ProcessId, _: u32, _: &mut Vec<(ProcessId, NodeId)>) {}

    #[inline]
    fn exchange(&mut self) -> bool {
        true
    }

    #[inline]
    fn take_note(&mut self) -> Option<Note<L>> {
        None
    }

    #[inline]
    fn any_began(&mut self, began: bool) -> bool {
        began
    }

    #[inline]
    fn next_event(&mut self, own: Option<Cycle>) -> Option<Cycle> {
        own
    }
}

/// The keys of the messages on an engine's links.
pub(super) struct Keys<'engine, B> {
    pub(super) processes: &'engine Processes,
    pub(super) border: &'engine B,
}

impl<B: Border> Keys<'_, B> {
    /// A message to a process of this engine, as another engine sees it.
    pub(super) fn visitor(&self, message: u32) -> Visitor {
        let to = self.processes.node(self.processes.destination(message));
        Visitor { key: self.of_own(message), to, number: message }
    }

    /// The key of a message to a process of this engine.
    #[inline]
    fn of_own(&self, message: u32) -> MessageKey {
        let key = self.processes.key(message);
        MessageKey { destination: self.border.label(ProcessId::new(key.destination)).label(), ..key }
    }
}

impl<B: Border> MessageKeys for Keys<'_, B> {
    #[inline]
    fn key(&self, message: u32) -> MessageKey {
        self.border.visitor(message).map_or_else(|| self.of_own(message), |visitor| visitor.key)
    }
}
