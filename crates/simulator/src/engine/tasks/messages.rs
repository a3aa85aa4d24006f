//! Sends and receives of a task graph: which are partners, and when the message between them sets out and is received.

use cubefold_mapping::ProcessId;

use super::{ARRIVED, BEGUN, LEFT, MATCHED, NONE, OF_CHANNEL, TaskProcesses};
use crate::{
    Cycle, Cycles, Operation, OperationKind,
    engine::{Core, ReceivedMessage, message_table::MessageRecord},
    program::task_schedule::Partner,
    transport::Transport,
};

/// Sends, or receives, of one source, destination and tag that have begun and have no partner, in the order
/// in which they began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unmatched {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) kind: OperationKind, // of all of them
}

impl TaskProcesses<'_> {
    pub(super) fn begin_send<T: Transport>(
        &mut self,
        send: u32,
        operation: &Operation,
        now: Cycle,
        core: &mut Core<'_, T>,
    ) {
        self.set_begun(send, now);
        if self.flags(send) & LEFT > 0 {
            self.activities[operation.process.label() as usize].finish = now;
        }
        let is_eager = self.communication.is_eager(self.graph.units(send));
        let has_receive = match self.nodes[send as usize].partner() {
            Partner::None => false,
            Partner::Operation(receive) => !is_eager && self.flags(receive) & BEGUN > 0,
            Partner::Channel(channel) => self.match_in_channel(channel, send, operation.kind).is_some(),
        };
        if is_eager || has_receive {
            self.set_out(send, operation, now, core);
        }
        if is_eager {
            self.complete(send, operation.process, now);
        }
    }

    pub(super) fn begin_receive<T: Transport>(
        &mut self,
        receive: u32,
        operation: &Operation,
        now: Cycle,
        core: &mut Core<'_, T>,
    ) {
        self.set_begun(receive, now);
        let (send, has_arrived) = match self.nodes[receive as usize].partner() {
            Partner::Operation(send) => (send, self.flags(receive) & ARRIVED > 0),
            Partner::Channel(channel) => match self.match_in_channel(channel, receive, operation.kind) {
                Some(send) => (send, self.flags(send) & ARRIVED > 0),
                None => return,
            },
            Partner::None => return,
        };
        if has_arrived {
            self.end_receive(receive, operation.process, now);
        } else if !self.is_all_eager()
            && self.flags(send) & BEGUN > 0
            && !self.communication.is_eager(self.graph.units(send))
        {
            let operation = self.schedule.operations()[send as usize];
            self.set_out(send, &operation, now, core);
        }
    }

    /// Ends a receive that has begun and whose message has arrived: at once unless messages cost time.
    fn end_receive(&mut self, receive: u32, process: ProcessId, now: Cycle) {
        if self.communication.message_cost() == Cycles::ZERO {
            self.complete(receive, process, now);
        } else {
            let operation = &self.schedule.operations()[receive as usize];
            self.processors.request(process, operation.processor, receive);
        }
    }

    fn set_out<T: Transport>(
        &mut self,
        send: u32,
        operation: &Operation,
        now: Cycle,
        core: &mut Core<'_, T>,
    ) {
        let (ends, to) = ([operation.process, operation.peer], core.node_of(operation.peer));
        let record = MessageRecord {
            operation: send,
            receiver: match self.nodes[send as usize].partner() {
                Partner::None => NONE,
                Partner::Operation(receive) => receive,
                Partner::Channel(_) => OF_CHANNEL,
            },
            ..MessageRecord::new(now, operation.tag, ends, to)
        };
        let from = core.node_of(operation.process);
        if let Some(received) = core.send(record, from, self.graph.units(send), now) {
            self.receive(&received, now);
        }
    }

    /// A message has arrived: its receive ends if it has begun, and its send unless it is over.
    pub(super) fn receive(&mut self, message: &ReceivedMessage, now: Cycle) {
        let MessageRecord { operation: send, receiver: receive, source, destination, .. } = message.record;
        if !self.communication.is_eager(message.units) {
            if self.flags(send) & LEFT == 0 {
                self.activities[source.label() as usize].arrive(message, now);
            }
            self.complete(send, source, now);
        }
        let receive = match receive {
            NONE => return,
            OF_CHANNEL if self.flags(send) & MATCHED > 0 => self.others[send as usize],
            // Its receive sees this at the send.
            OF_CHANNEL => {
                self.flags[send as usize] |= ARRIVED;
                return;
            }
            receive => receive,
        };
        let flags = &mut self.flags[receive as usize];
        if *flags & BEGUN > 0 {
            self.activities[destination.label() as usize].arrive(message, now);
            self.end_receive(receive, destination, now);
        } else {
            *flags |= ARRIVED;
        }
    }

    /// Matches an operation that begins with the first of the other kind waiting in a channel; without one it waits.
    fn match_in_channel(&mut self, channel: u32, operation: u32, kind: OperationKind) -> Option<u32> {
        let list = &mut self.unmatched[channel as usize];
        let first = list.first;
        if first == NONE || list.kind == kind {
            if first == NONE {
                (list.first, list.kind) = (operation, kind);
            } else {
                self.others[list.last as usize] = operation;
            }
            list.last = operation;
            self.others[operation as usize] = NONE;
            return None;
        }
        list.first = self.others[first as usize];
        for (this, partner) in [(operation, first), (first, operation)] {
            self.flags[this as usize] |= MATCHED;
            self.others[this as usize] = partner;
        }
        Some(first)
    }

    /// The partner of a send or receive, if both have begun.
    pub(super) fn partner(&self, operation: u32) -> Option<u32> {
        let node = &self.nodes[operation as usize];
        match node.partner() {
            Partner::None => None,
            Partner::Operation(partner) => {
                (self.flags(operation) & self.flags(partner) & BEGUN > 0).then_some(partner)
            }
            Partner::Channel(_) => {
                (self.flags(operation) & MATCHED > 0).then(|| self.others[operation as usize])
            }
        }
    }
}
