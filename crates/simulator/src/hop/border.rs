//! Messages on the links of an engine, and what engines of one run say to each other.

use cubefold_mapping::ProcessId;
use cubefold_topology::{Leg, NodeId};

use super::processes::Processes;
use crate::{
    message_queue::{MessageKey, MessageKeys},
    slabs::{Border, NoBorder, ReadySource},
};

/// The border of an engine with the messages that come over it.
///
/// A message has its number from the engine of its destination; on links of another engine it is a [`Visitor`] there,
/// with a number of its own.
pub(super) trait HopBorder: Border<Note = Note<Self::Leg>> {
    /// What messages move along on the links of an engine.
    type Leg;

    /// The message with this number, if its destination is of another engine.
    fn visitor(&self, message: u32) -> Option<&Visitor>;

    /// A visitor comes onto links of this engine; returns its number.
    fn admit(&mut self, visitor: Visitor) -> u32;

    /// A message leaves the links of this engine; returns it if it was a visitor.
    fn dismiss(&mut self, message: u32) -> Option<Visitor>;

    /// The engine that has the first link of a leg from `node`, if it is another: that of the link's near end.
    fn link_elsewhere(&self, node: NodeId, leg: &Self::Leg) -> Option<usize>;
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

impl<L> From<ReadySource> for Note<L> {
    fn from(ready: ReadySource) -> Self {
        Self::Ready(ready)
    }
}

impl<L> HopBorder for NoBorder<Note<L>> {
    type Leg = L;

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
    fn link_elsewhere(&self, _: NodeId, _: &L) -> Option<usize> {
        None
    }
}

/// The keys of the messages on an engine's links.
pub(super) struct Keys<'engine, B> {
    pub(super) processes: &'engine Processes,
    pub(super) border: &'engine B,
}

impl<B: HopBorder> Keys<'_, B> {
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

impl<B: HopBorder> MessageKeys for Keys<'_, B> {
    #[inline]
    fn key(&self, message: u32) -> MessageKey {
        self.border.visitor(message).map_or_else(|| self.of_own(message), |visitor| visitor.key)
    }
}
