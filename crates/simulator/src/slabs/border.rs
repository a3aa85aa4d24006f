//! What lies beyond the processes and links of one engine: nothing, or those of others that compute other parts of the
//! same run.

use std::{fmt::Debug, marker::PhantomData};

use cubefold_mapping::ProcessId;
use cubefold_topology::NodeId;

use crate::Cycle;

/// The engines of a run, as one of them sees them.
///
/// An engine knows its own processes by their indices, and those of others by their labels.
pub(crate) trait Border {
    /// What engines say to each other.
    type Note;

    /// Whether there are no others.
    const IS_ALONE: bool;

    /// The index of a process of this engine; none of one of another.
    fn index(&self, process: ProcessId) -> Option<ProcessId>;

    /// The label of a process of this engine.
    fn label(&self, index: ProcessId) -> ProcessId;

    /// The engine that has a node, if it is another.
    fn elsewhere(&self, node: NodeId) -> Option<usize>;

    /// Sends a note to another engine.
    fn send(&mut self, engine: usize, note: Self::Note);

    /// Tells the engine of a destination that a source is ready.
    fn announce(&mut self, ready: ReadySource);

    /// Keeps a source of another engine that is ready before its destination.
    fn keep(&mut self, destination: ProcessId, ready: ReadySource);

    /// Prefetches what is kept for a process.
    fn prefetch_kept(&self, destination: ProcessId);

    /// Moves the sources kept for a process in a stage, with their nodes, to `sources`.
    fn take_kept(&mut self, destination: ProcessId, stage: u32, sources: &mut Vec<(ProcessId, NodeId)>);

    /// Whether there are notes to be sent.
    fn has_notes(&self) -> bool;

    /// Sends and receives notes of this cycle; returns whether no engine may have more to say in it. Where engines tell
    /// the next cycle early, `next` is that of this one if no engine has more to say: none before it has anything.
    fn exchange(&mut self, next: Option<Cycle>) -> bool;

    /// Takes a note received.
    fn take_note(&mut self) -> Option<Self::Note>;

    /// Whether computations that take no time have begun in any engine, given whether they have in this.
    fn any_began(&mut self, began: bool) -> bool;

    /// The next cycle in which anything happens in any engine, given that of this; nothing may, where it was told early.
    fn next_event(&mut self, own: Option<Cycle>) -> Option<Cycle>;
}

/// What one engine says to another. It concerns the present cycle.
pub(crate) trait BorderNote: Debug + Send + Sized + From<ReadySource> {
    /// Whether it may be answered in the same cycle: one by which queues are joined is not.
    fn may_be_answered(&self) -> bool;

    /// Appends the note as words.
    fn write(&self, words: &mut Vec<u64>);

    /// Reads a note; none at the end of the words.
    fn read(words: &mut impl Iterator<Item = u64>) -> Option<Self>;
}

/// A process that is ready to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReadySource {
    pub(crate) stage: u32,
    pub(crate) source: ProcessId,
    /// The node of the source.
    pub(crate) from: NodeId,
    pub(crate) destination: ProcessId,
}

/// The border of an engine that computes a whole run: there are no others, and labels are indices.
#[derive(Debug)]
pub(crate) struct NoBorder<N>(PhantomData<N>);

impl<N> NoBorder<N> {
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<N> Border for NoBorder<N> {
    type Note = N;

    const IS_ALONE: bool = true;

    #[inline]
    fn index(&self, process: ProcessId) -> Option<ProcessId> {
        Some(process)
    }

    #[inline]
    fn label(&self, index: ProcessId) -> ProcessId {
        index
    }

    #[inline]
    fn elsewhere(&self, _: NodeId) -> Option<usize> {
        None
    }

    fn send(&mut self, _: usize, _: N) {}

    fn announce(&mut self, _: ReadySource) {}

    fn keep(&mut self, _: ProcessId, _: ReadySource) {}

    #[inline]
    fn prefetch_kept(&self, _: ProcessId) {}

    #[inline]
    fn take_kept(&mut self, _: ProcessId, _: u32, _: &mut Vec<(ProcessId, NodeId)>) {}

    #[inline]
    fn has_notes(&self) -> bool {
        false
    }

    #[inline]
    fn exchange(&mut self, _: Option<Cycle>) -> bool {
        true
    }

    #[inline]
    fn take_note(&mut self) -> Option<N> {
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
