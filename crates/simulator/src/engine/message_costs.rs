//! The cost of messages (`docs/model.md` section 14): a process has one core, which is busy for a time with each message
//! that it sends and each that it receives.
//!
//! A *task* is a send or a receive of a stage in which its process is ready. Invariant between cycles: a process with
//! tasks has one under way or has requested a processor. As processes compute only when all tasks of a stage are over,
//! tasks and computations of a process never meet.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
};

use super::{MessageRecord, ReceivedMessage};
use crate::{Cycle, Cycles, Peer, message_queue::MessageKey};

/// The cores of processes, or of actors, by number.
#[derive(Debug)]
pub(super) struct Cores {
    cost: Cycles,
    all: Vec<OwnCore>,
    idle: Vec<u32>,                              // those that may begin a task in this cycle
    early: BTreeMap<(u32, u32), Vec<Task>>,      // by process and stage, receives before it is ready
    unanswered: BTreeMap<(u32, u32), Vec<Peer>>, // by destination and stage, sources that have sent before it is ready
}

#[derive(Debug, Default)]
struct OwnCore {
    tasks: BinaryHeap<Reverse<Task>>,
    current: Option<Task>,
    is_taken: bool,  // by a task, or by one that has requested a processor
    count: u64,      // the tasks of the stage
    sharing: Cycles, // of the computation before them
}

/// A send or receive that may begin; ordered by the cycle from which it may, sends before receives, and the key of the
/// message, which no two tasks of a process share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Task {
    order: (Cycle, bool, MessageKey),
    pub(super) work: Work,
}

/// The work of a core for a message. Its order completes that of [`Task`], whose other members always differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Work {
    /// To send a message to a peer.
    Send(Peer),
    /// To receive a message that has arrived completely.
    Receive(ReceivedMessage),
}

impl Cores {
    /// The cores of `processes` processes; `None` if messages cost nothing.
    pub(super) fn new(processes: usize, cost: Cycles) -> Option<Self> {
        (cost > Cycles::ZERO).then(|| Self {
            cost,
            all: std::iter::repeat_with(OwnCore::default).take(processes).collect(),
            idle: vec![],
            early: BTreeMap::new(),
            unanswered: BTreeMap::new(),
        })
    }

    /// The time of a task.
    pub(super) fn cost(&self) -> Cycles {
        self.cost
    }

    fn of(&mut self, process: u32) -> &mut OwnCore {
        &mut self.all[process as usize]
    }

    /// A process is ready in a stage with these messages to send and `received` to receive, some of which have
    /// arrived.
    pub(super) fn begin_stage(
        &mut self,
        (process, stage): (u32, u32),
        sends: impl Iterator<Item = (MessageKey, Peer)>,
        received: usize,
        now: Cycle,
    ) {
        let early = self.early.remove(&(process, stage)).unwrap_or_default();
        let core = self.of(process);
        core.count = received as u64;
        for (key, peer) in sends {
            core.count += 1;
            core.tasks.push(Reverse(Task { order: (now, false, key), work: Work::Send(peer) }));
        }
        for Task { order: (_, is_receive, key), work } in early {
            core.tasks.push(Reverse(Task { order: (now, is_receive, key), work }));
        }
        self.idle.push(process);
    }

    /// A message to a process has arrived completely.
    pub(super) fn arrive(&mut self, process: u32, is_ready: bool, message: ReceivedMessage, now: Cycle) {
        let MessageRecord { stage, operation: turn, source, destination, .. } = message.record;
        let key = MessageKey { stage, turn, source: source.label(), destination: destination.label() };
        let task = Task { order: (now, true, key), work: Work::Receive(message) };
        if is_ready {
            self.of(process).tasks.push(Reverse(task));
            self.idle.push(process);
        } else {
            self.early.entry((process, stage)).or_default().push(task);
        }
    }

    /// A source has sent a message by rendezvous to a process that is not ready yet.
    pub(super) fn keep(&mut self, destination: u32, stage: u32, source: Peer) {
        self.unanswered.entry((destination, stage)).or_default().push(source);
    }

    /// The sources of messages by rendezvous that wait for a process.
    pub(super) fn take_kept(&mut self, destination: u32, stage: u32) -> Vec<Peer> {
        self.unanswered.remove(&(destination, stage)).unwrap_or_default()
    }

    /// Lists the processes with tasks but none under way: each requests a processor to be served.
    pub(super) fn ask(&mut self) -> Vec<u32> {
        let mut asking = std::mem::take(&mut self.idle);
        asking.retain(|&process| {
            let core = self.of(process);
            let asks = !core.is_taken && !core.tasks.is_empty();
            core.is_taken |= asks;
            asks
        });
        asking
    }

    /// Whether a process has requested or holds a processor for a task.
    pub(super) fn is_taken(&self, process: u32) -> bool {
        self.all[process as usize].is_taken
    }

    /// A process whose request is granted takes its first task.
    pub(super) fn serve(&mut self, process: u32) {
        let core = self.of(process);
        core.current = core.tasks.pop().map(|task| task.0);
    }

    pub(super) fn end(&mut self, process: u32) -> Option<Work> {
        self.idle.push(process);
        let core = self.of(process);
        core.is_taken = false;
        core.current.take().map(|task| task.work)
    }

    /// Whether a process has a task under way.
    pub(super) fn is_serving(&self, process: u32) -> bool {
        self.all[process as usize].current.is_some()
    }

    /// Keeps the time for which a process waited for its processor before its computation.
    pub(super) fn keep_sharing(&mut self, process: u32, sharing: Cycles) {
        self.of(process).sharing = sharing;
    }

    /// Takes the time kept for its processor.
    pub(super) fn take_sharing(&mut self, process: u32) -> Cycles {
        std::mem::take(&mut self.of(process).sharing)
    }

    /// The cycles of all tasks of the stage of a process.
    pub(super) fn overhead(&self, process: u32) -> Cycles {
        self.cost * self.all[process as usize].count
    }
}
