//! One process in one stage of one run, as `run --processes` writes it.

use cubefold_simulator::StageRecord;
use serde::Serialize;

/// A row of `run --processes`; times in cycles since the start, lengths in cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ProcessRow<'run> {
    /// The scenario's name.
    pub scenario: &'run str,
    /// The place of the run in the results, counted from 0.
    pub run: usize,
    /// The embedding's name.
    pub embedding: &'run str,
    /// The process.
    pub process: u32,
    /// The stage, counted from 0.
    pub stage: usize,
    /// When its computation ended.
    pub ready: u64,
    /// When the message that it waits for was injected.
    pub start: u64,
    /// When that message arrived.
    pub finish: u64,
    /// Waiting for the processor.
    pub sharing_cycles: u64,
    /// Waiting for the partner.
    pub waiting_cycles: u64,
    /// Unhindered travel.
    pub transfer_cycles: u64,
    /// Held up by other messages.
    pub blocked_cycles: u64,
}

impl<'run> ProcessRow<'run> {
    /// The row of a record of the run at place `run`.
    #[must_use]
    pub fn new(scenario: &'run str, run: usize, embedding: &'run str, record: &StageRecord) -> Self {
        Self {
            scenario,
            run,
            embedding,
            process: record.process.label(),
            stage: record.stage,
            ready: record.ready.get(),
            start: record.start.get(),
            finish: record.finish.get(),
            sharing_cycles: record.sharing.get(),
            waiting_cycles: record.waiting().get(),
            transfer_cycles: record.transfer.get(),
            blocked_cycles: record.blocked().get(),
        }
    }
}
