//! The rows of `run --messages`: one for every message of a run (`docs/model.md` section 26.4).

use cubefold_derive::Columns;
use cubefold_simulator::{Cycle, Cycles, MessageTimes};
use serde::Serialize;

use super::column::{Record, Row};

/// A message; points in time are in cycles since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Columns)]
#[columns(MESSAGE, source = "docs/model.md, section 26.4")]
pub struct MessageRecord {
    /// Its stage, counted from 0; its tag in a task graph.
    #[column]
    pub stage: u32,
    /// The process that sends it.
    #[column]
    pub source: u32,
    /// The process that receives a message.
    #[column("destination", source = "docs/model.md, section 2")]
    pub destination: u32,
    /// Its size \[units\].
    #[column]
    pub units: u64,
    /// The cycle at which it sets out.
    #[column]
    pub start: u64,
    /// When the first unit of a message leaves its source for a router. Empty where queues have no limit.
    #[column("entered", unit = "cycle")]
    pub entered: Option<u64>,
    /// The cycle at which it is received.
    #[column]
    pub received: u64,
    /// The time that a message waits at its source before its first unit leaves. Empty where queues have no limit.
    #[column("queued", unit = "cycles", formula = "entered - start")]
    pub queued_cycles: Option<u64>,
    /// Its time without contention \[cycles\].
    #[column]
    pub transfer_cycles: u64,
    /// Time in which other messages held it up, that at its source apart if that is known \[cycles\].
    #[column]
    pub blocked_cycles: u64,
}

impl From<&MessageTimes> for MessageRecord {
    fn from(times: &MessageTimes) -> Self {
        Self {
            stage: times.stage,
            source: times.source.label(),
            destination: times.destination.label(),
            units: times.units,
            start: times.start.get(),
            entered: times.entered.map(Cycle::get),
            received: times.received.get(),
            queued_cycles: times.queued().map(Cycles::get),
            transfer_cycles: times.transfer.get(),
            blocked_cycles: times.blocked().get(),
        }
    }
}

impl Record for MessageRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(MESSAGE, record);
    }
}
