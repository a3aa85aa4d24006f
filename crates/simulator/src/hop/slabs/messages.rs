//! The messages on the lines of one worker.

use std::hint::black_box;

use cubefold_mapping::ProcessId;
use cubefold_topology::{NodeId, narrow};

use crate::{
    Cycle,
    channel_queue::{MessageKey, MessageKeys},
};

/// A message in flight: all that is needed where it arrives.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageRecord {
    /// The cycle at which it was injected.
    pub(super) start: Cycle,
    pub(super) stage: u32,
    pub(super) source: ProcessId,
    pub(super) destination: ProcessId,
    /// The node of its destination.
    pub(super) to: NodeId,
    /// The links from its source to its destination.
    pub(super) distance: u32,
}

/// Messages in slots that are used again.
#[derive(Debug, Default)]
pub(super) struct MessageRecords {
    slots: Vec<MessageRecord>,
    vacant: Vec<u32>,
}

impl MessageRecords {
    /// Adds a message; returns its number.
    pub(super) fn insert(&mut self, record: MessageRecord) -> u32 {
        if let Some(vacant) = self.vacant.pop() {
            self.slots[vacant as usize] = record;
            return vacant;
        }
        self.slots.push(record);
        narrow(self.slots.len() as u64 - 1) // a run has at most 2^30 messages at a time
    }

    /// Removes a message that leaves the lines.
    pub(super) fn remove(&mut self, message: u32) -> MessageRecord {
        self.vacant.push(message);
        self.slots[message as usize]
    }

    pub(super) fn record(&self, message: u32) -> &MessageRecord {
        &self.slots[message as usize]
    }

    /// Reads a record, so that the cache misses of several overlap. Nothing but speed depends on it.
    pub(super) fn fetch(&self, message: u32) {
        black_box(self.slots[message as usize].stage);
    }
}

impl MessageKeys for MessageRecords {
    fn key(&self, message: u32) -> MessageKey {
        let &MessageRecord { stage, source, destination, .. } = self.record(message);
        MessageKey { stage, source: source.label(), destination: destination.label() }
    }
}
