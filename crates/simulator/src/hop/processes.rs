//! The progress of each process, and the messages in flight to it.
//!
//! A process continues only when all messages of its stage have been received. So the messages in
//! flight to it are of its stage, and each has one of as many slots as a process may receive
//! messages in a stage.

use cubefold_mapping::ProcessId;
use cubefold_topology::{NodeId, narrow};
use prefetch_index::prefetch_index;

use crate::{
    Cycle,
    message_queue::{MessageKey, MessageKeys},
};

/// The state of all processes and of the messages in flight.
#[derive(Debug)]
pub(super) struct Processes {
    all: Vec<ProcessRecord>,
    receiving: Vec<Receiving>, // where a process may receive several messages in a stage, else empty
    further: Vec<InFlightMessage>, // as far, those behind the first: `width - 1` for each process
    width: u32,                // at least 1
}

/// The part of a process that every event needs, in half a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct ProcessRecord {
    ready: Cycle, // the cycle at which it became ready last
    node: NodeId,
    stages: u32, // the stages in which it has become ready; after the last stage `ENDED`
    message: InFlightMessage, // the first to it in its stage
}

/// The messages of a process that may receive several in a stage.
#[derive(Debug, Clone, Copy)]
struct Receiving {
    awaited: u32,          // the messages still to be received
    injected: u32,         // the messages that have been injected
    last: InFlightMessage, // the one received last so far, of those of one cycle that with the smallest source
    receipt: Cycle,
}

/// A message in flight.
#[derive(Debug, Clone, Copy)]
pub(super) struct InFlightMessage {
    /// The cycle at which it was injected.
    pub(super) start: Cycle,
    pub(super) source: ProcessId,
    /// The links from its source to its destination.
    pub(super) distance: u32,
}

const ENDED: u32 = u32::MAX;

impl InFlightMessage {
    /// Before all others, after every source.
    const NONE: Self = Self { start: Cycle::START, source: ProcessId::new(u32::MAX), distance: 0 };
}

impl Processes {
    const IN_CACHE: usize = 1 << 14;

    /// Processes on these nodes before their first stage, each receiving up to `width` messages a
    /// stage.
    pub(super) fn new(nodes: &[NodeId], width: usize) -> Self {
        let process =
            |&node| ProcessRecord { ready: Cycle::START, node, stages: 0, message: InFlightMessage::NONE };
        let receiving =
            Receiving { awaited: 0, injected: 0, last: InFlightMessage::NONE, receipt: Cycle::START };
        Self {
            all: nodes.iter().map(process).collect(),
            receiving: if width > 1 { vec![receiving; nodes.len()] } else { vec![] },
            further: vec![InFlightMessage::NONE; nodes.len() * width.saturating_sub(1)],
            // A run has at most 2^30 places for messages.
            width: u32::try_from(width.max(1)).unwrap_or(u32::MAX),
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.all.len() as u64
    }

    /// Whether the records stay in a cache near the core, being few: to prefetch them would take longer than it saves.
    #[inline]
    pub(super) fn stay_in_cache(&self) -> bool {
        self.all.len() <= Self::IN_CACHE
    }

    /// Prefetches the records of these processes.
    #[inline]
    pub(super) fn prefetch(&self, processes: impl Iterator<Item = ProcessId>) {
        for process in processes {
            prefetch_index(&self.all, process.label() as usize);
        }
    }

    #[inline]
    pub(super) fn node(&self, process: ProcessId) -> NodeId {
        self.all[process.label() as usize].node
    }

    /// The stage in which the process becomes ready next.
    #[inline]
    pub(super) fn next_stage(&self, process: ProcessId) -> usize {
        self.all[process.label() as usize].stages as usize
    }

    /// The process becomes ready in its next stage, which is returned.
    #[inline]
    pub(super) fn become_ready(&mut self, process: ProcessId, now: Cycle) -> usize {
        let own = &mut self.all[process.label() as usize];
        let stage = own.stages;
        own.stages += 1;
        own.ready = now;
        stage as usize
    }

    /// Sets the number of messages that the process receives in the stage in which it has become
    /// ready.
    #[inline]
    pub(super) fn await_messages(&mut self, process: ProcessId, count: usize) {
        if let Some(receiving) = self.receiving.get_mut(process.label() as usize) {
            let awaited = narrow(count as u64); // at most the width
            *receiving =
                Receiving { awaited, injected: 0, last: InFlightMessage::NONE, receipt: Cycle::START };
        }
    }

    /// Whether the process has become ready in `stage`.
    #[inline]
    pub(super) fn was_ready(&self, process: ProcessId, stage: usize) -> bool {
        self.all[process.label() as usize].stages as usize > stage
    }

    /// Injects a message to a process; returns its number, and where it is to be written.
    #[inline]
    pub(super) fn inject(&mut self, destination: ProcessId) -> (u32, &mut InFlightMessage) {
        let slot = self.receiving.get_mut(destination.label() as usize).map_or(0, |receiving| {
            receiving.injected += 1;
            receiving.injected - 1
        });
        let message = match slot.checked_sub(1) {
            None => &mut self.all[destination.label() as usize].message,
            Some(behind) => {
                let index = self.further_index(destination, behind);
                &mut self.further[index]
            }
        };
        (destination.label() * self.width + slot, message)
    }

    /// A message in flight.
    #[inline]
    fn message(&self, number: u32) -> &InFlightMessage {
        let process = self.destination(number);
        match (number - process.label() * self.width).checked_sub(1) {
            None => &self.all[process.label() as usize].message,
            Some(behind) => &self.further[self.further_index(process, behind)],
        }
    }

    /// The index of one of the messages behind the first to a process.
    #[inline]
    fn further_index(&self, process: ProcessId, behind: u32) -> usize {
        (process.label() * (self.width - 1) + behind) as usize
    }

    /// The destination of a message.
    #[inline]
    pub(super) fn destination(&self, message: u32) -> ProcessId {
        ProcessId::new(if self.width == 1 { message } else { message / self.width })
    }

    /// A process receives a message. When that is the last of the stage, the message that counts as
    /// received last is returned.
    #[inline]
    pub(super) fn receive(
        &mut self,
        process: ProcessId,
        message: u32,
        now: Cycle,
    ) -> Option<&InFlightMessage> {
        if self.receiving.is_empty() {
            return Some(&self.all[process.label() as usize].message);
        }
        let message = *self.message(message);
        let receiving = &mut self.receiving[process.label() as usize];
        receiving.awaited -= 1;
        if now > receiving.receipt || message.source < receiving.last.source {
            (receiving.last, receiving.receipt) = (message, now);
        }
        (receiving.awaited == 0).then_some(&receiving.last)
    }

    /// The stage in which the process became ready last, and the cycle.
    #[inline]
    pub(super) fn current(&self, process: ProcessId) -> (usize, Cycle) {
        let own = &self.all[process.label() as usize];
        (own.stages as usize - 1, own.ready)
    }

    /// The process has finished its last stage.
    #[inline]
    pub(super) fn end(&mut self, process: ProcessId) {
        self.all[process.label() as usize].stages = ENDED;
    }

    /// The first process that has not finished its last stage.
    pub(super) fn unfinished(&self) -> Option<ProcessId> {
        let mut labelled = ProcessId::first(self.count()).zip(&self.all);
        labelled.find(|(_, own)| own.stages != ENDED).map(|(process, _)| process)
    }
}

impl MessageKeys for Processes {
    #[inline]
    fn key(&self, message: u32) -> MessageKey {
        let destination = self.destination(message);
        MessageKey {
            stage: self.all[destination.label() as usize].stages,
            source: self.message(message).source.label(),
            destination: destination.label(),
        }
    }
}
