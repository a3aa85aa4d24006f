//! The computing and waiting times of the processes of a task graph.

use cubefold_mapping::ProcessId;

use super::super::ReceivedMessage;
use crate::{Cycle, Cycles, ImbalanceError, StageRecord};

/// The time that a process has spent: it computes while any of its processors is occupied, else it waits for
/// the message that ends the gap, as in section 14.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Activity {
    busy: u32,      // processors
    settled: Cycle, // until when its time is accounted for; while it computes, since when it does
    pub(super) computing: Cycles,
    waiting: Cycles,
    transfer: Cycles,
    blocked: Cycles,
    pub(super) finish: Cycle, // of the operation that was over last
    arrived: Cycle,           // when a message came last that ended an operation
    arrival: Arrival,         // that message
}

/// A message that ends a gap; of several of one cycle the one that set out first, then by source, tag and send.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Arrival {
    start: Cycle,
    source: u32,
    tag: u32,
    operation: u32,
    transfer: Cycles,
}

impl Activity {
    #[inline]
    pub(super) fn begin_computation(&mut self, now: Cycle) {
        if self.busy == 0 {
            self.settle();
            // Nothing but a message ends a gap.
            debug_assert_eq!(self.settled, now);
        }
        self.busy += 1;
    }

    #[inline]
    pub(super) fn end_computation(&mut self, now: Cycle) {
        self.busy -= 1;
        if self.busy == 0 {
            self.computing += now - self.settled;
            self.settled = now;
        }
    }

    /// A message ends an operation.
    #[inline]
    pub(super) fn arrive(&mut self, message: &ReceivedMessage, now: Cycle) {
        if self.busy > 0 || self.settled == now {
            return;
        }
        let record = &message.record;
        let arrival = Arrival {
            start: record.start,
            source: record.source.label(),
            tag: record.stage,
            operation: record.operation,
            transfer: message.transfer,
        };
        if self.arrived == now {
            self.arrival = self.arrival.min(arrival);
        } else {
            self.settle();
            (self.arrived, self.arrival) = (now, arrival);
        }
    }

    /// Accounts for the gap that ended with the last message.
    #[inline]
    pub(super) fn settle(&mut self) {
        if self.arrived <= self.settled || self.busy > 0 {
            return;
        }
        let begun = self.arrival.start.max(self.settled);
        let transfer = self.arrival.transfer.min(self.arrived - begun);
        self.waiting += begun - self.settled;
        self.transfer += transfer;
        self.blocked += self.arrived - begun - transfer;
        self.settled = self.arrived;
    }

    /// The record of the process, in the form of a stage: it has computed, waited, and received.
    pub(super) fn record(&self, process: ProcessId) -> Result<StageRecord, ImbalanceError> {
        let ready = Cycle::START + self.computing;
        let start = ready + self.waiting;
        let finish = start + self.transfer + self.blocked;
        if finish != self.finish {
            let accounted = finish - Cycle::START;
            return Err(ImbalanceError::Process { process, finish: self.finish, accounted });
        }
        Ok(StageRecord::plain(process, 0, [ready, start, finish].map(Cycle::get), self.transfer.get()))
    }
}
