//! How far each process has come, and the messages for it.

use std::hint::black_box;

use cubefold_mapping::ProcessId;
use cubefold_topology::NodeId;

use crate::{
    Cycle,
    network::{Identities, Identity},
};

/// The state of all processes and of the messages under way.
///
/// A process goes on only when all messages of its stage have come. So the messages for it that are under
/// way are of its stage, and each has one of as many places as a process may receive messages in a stage.
#[derive(Debug)]
pub(super) struct Processes {
    all: Vec<Process>,
    receiving: Vec<Receiving>, // where several messages may come in a stage, else empty
    further: Vec<Message>,     // where several may come, those behind the first: `width - 1` for each process
    width: u32,                // at least 1
}

/// What every event of a process needs, in half a line of the cache.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct Process {
    ready: Cycle, // when it became ready last
    node: NodeId,
    stages: u32,      // in how many stages it has become ready; after the last stage `ENDED`
    message: Message, // the first for it in its stage
}

/// A process in a stage in which several messages may come.
#[derive(Debug, Clone, Copy)]
struct Receiving {
    awaited: u32,  // the messages still to come
    injected: u32, // the messages that have set out
    last: Message, // that which arrived last so far, of those that arrived together the smallest source
    arrival: Cycle,
}

/// A message under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message {
    /// When it was injected.
    pub(super) start: Cycle,
    pub(super) source: ProcessId,
    /// The links from its source to its destination.
    pub(super) distance: u32,
}

const ENDED: u32 = u32::MAX;

impl Message {
    /// Before all others, after every source.
    const NONE: Self = Self { start: Cycle::START, source: ProcessId::new(u32::MAX), distance: 0 };
}

impl Processes {
    /// Processes on these nodes before their first stage, each receiving up to `width` messages a stage.
    pub(super) fn new(nodes: &[NodeId], width: usize) -> Self {
        let process = |&node| Process { ready: Cycle::START, node, stages: 0, message: Message::NONE };
        let receiving = Receiving { awaited: 0, injected: 0, last: Message::NONE, arrival: Cycle::START };
        Self {
            all: nodes.iter().map(process).collect(),
            receiving: if width > 1 { vec![receiving; nodes.len()] } else { vec![] },
            further: vec![Message::NONE; nodes.len() * width.saturating_sub(1)],
            // A run has at most 2^30 places for messages.
            width: u32::try_from(width.max(1)).unwrap_or(u32::MAX),
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.all.len() as u64
    }

    /// Reads the records of these processes, so that they come from memory together instead of one after
    /// another. Nothing depends on it but time.
    pub(super) fn fetch(&self, processes: impl Iterator<Item = ProcessId>) {
        for process in processes {
            black_box(self.all[process.label() as usize].stages);
        }
    }

    pub(super) fn node(&self, process: ProcessId) -> NodeId {
        self.all[process.label() as usize].node
    }

    /// The stage in which the process becomes ready next.
    pub(super) fn next_stage(&self, process: ProcessId) -> usize {
        self.all[process.label() as usize].stages as usize
    }

    /// The process becomes ready in its next stage, which is returned.
    pub(super) fn become_ready(&mut self, process: ProcessId, now: Cycle) -> usize {
        let own = &mut self.all[process.label() as usize];
        let stage = own.stages;
        own.stages += 1;
        own.ready = now;
        stage as usize
    }

    /// Says how many messages come for the process in the stage in which it has become ready.
    pub(super) fn await_messages(&mut self, process: ProcessId, count: usize) {
        if let Some(receiving) = self.receiving.get_mut(process.label() as usize) {
            let awaited = u32::try_from(count).unwrap_or(u32::MAX); // at most the width
            *receiving = Receiving { awaited, injected: 0, last: Message::NONE, arrival: Cycle::START };
        }
    }

    /// Whether the process has become ready in `stage`.
    pub(super) fn was_ready(&self, process: ProcessId, stage: usize) -> bool {
        self.all[process.label() as usize].stages as usize > stage
    }

    /// A message for a process sets out; returns its number.
    pub(super) fn set_out(&mut self, destination: ProcessId, message: Message) -> u32 {
        let slot = self.receiving.get_mut(destination.label() as usize).map_or(0, |receiving| {
            receiving.injected += 1;
            receiving.injected - 1
        });
        let number = destination.label() * self.width + slot;
        match slot.checked_sub(1) {
            None => self.all[destination.label() as usize].message = message,
            Some(behind) => {
                let place = self.further_place(destination, behind);
                self.further[place] = message;
            }
        }
        number
    }

    /// A message under way.
    fn message(&self, number: u32) -> Message {
        let process = self.destination(number);
        match (number - process.label() * self.width).checked_sub(1) {
            None => self.all[process.label() as usize].message,
            Some(behind) => self.further[self.further_place(process, behind)],
        }
    }

    /// The place of one of the messages behind the first for a process.
    fn further_place(&self, process: ProcessId, behind: u32) -> usize {
        (process.label() * (self.width - 1) + behind) as usize
    }

    /// Whom a message is for.
    pub(super) fn destination(&self, message: u32) -> ProcessId {
        ProcessId::new(if self.width == 1 { message } else { message / self.width })
    }

    /// A message reaches its process. When it is the last of the stage: the message which counts as
    /// arriving last.
    pub(super) fn receive(&mut self, process: ProcessId, message: u32, now: Cycle) -> Option<Message> {
        let message = self.message(message);
        let Some(receiving) = self.receiving.get_mut(process.label() as usize) else { return Some(message) };
        receiving.awaited -= 1;
        if now > receiving.arrival || message.source < receiving.last.source {
            (receiving.last, receiving.arrival) = (message, now);
        }
        (receiving.awaited == 0).then_some(receiving.last)
    }

    /// The stage in which the process became ready last, and when.
    pub(super) fn current(&self, process: ProcessId) -> (usize, Cycle) {
        let own = &self.all[process.label() as usize];
        (own.stages as usize - 1, own.ready)
    }

    /// The process has come to the end of its last stage.
    pub(super) fn end(&mut self, process: ProcessId) {
        self.all[process.label() as usize].stages = ENDED;
    }

    /// The first process that has not come to its end.
    pub(super) fn unfinished(&self) -> Option<ProcessId> {
        let mut labelled = ProcessId::first(self.count()).zip(&self.all);
        labelled.find(|(_, own)| own.stages != ENDED).map(|(process, _)| process)
    }
}

impl Identities for Processes {
    fn identity(&self, message: u32) -> Identity {
        let destination = self.destination(message);
        Identity {
            stage: self.all[destination.label() as usize].stages,
            source: self.message(message).source.label(),
            destination: destination.label(),
        }
    }
}
