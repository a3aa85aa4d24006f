//! The rows of `run --messages`: one for every message of a run (`docs/model.md` section 26.4).

use cubefold_simulator::{Cycle, Cycles, MessageTimes};
use serde::Serialize;

use super::{
    column::{Column, Record, Row},
    definition::{Definition, Kind},
};

/// A message; points in time are in cycles since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MessageRecord {
    /// Its stage, counted from 0; its tag in a task graph.
    pub stage: u32,
    /// The process that sends it.
    pub source: u32,
    /// The process that receives it.
    pub destination: u32,
    /// Its size \[units\].
    pub units: u64,
    /// The cycle at which it sets out.
    pub start: u64,
    /// The cycle at which its first unit enters the network; `None` where queues have no limit.
    pub entered: Option<u64>,
    /// The cycle at which it is received.
    pub received: u64,
    /// Time at its source \[cycles\]; `None` where queues have no limit.
    pub queued_cycles: Option<u64>,
    /// Its time without contention \[cycles\].
    pub transfer_cycles: u64,
    /// Time in which other messages held it up, that at its source apart if that is known \[cycles\].
    pub blocked_cycles: u64,
}

impl From<&MessageTimes> for MessageRecord {
    fn from(own: &MessageTimes) -> Self {
        Self {
            stage: own.stage,
            source: own.source.label(),
            destination: own.destination.label(),
            units: own.units,
            start: own.start.get(),
            entered: own.entered.map(Cycle::get),
            received: own.received.get(),
            queued_cycles: own.queued().map(Cycles::get),
            transfer_cycles: own.transfer.get(),
            blocked_cycles: own.blocked().get(),
        }
    }
}

impl Record for MessageRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(MESSAGE, record);
    }
}

/// Columns of a message.
pub(crate) static MESSAGE: &[Column<MessageRecord>] = &[
    Column {
        definition: Definition { name: "stage", kind: Kind::Natural, ..Definition::BLANK },
        value: |own| own.stage.into(),
    },
    Column {
        definition: Definition { name: "source", kind: Kind::Natural, ..Definition::BLANK },
        value: |own| own.source.into(),
    },
    Column {
        definition: Definition {
            name: "destination",
            title: "destination",
            kind: Kind::Natural,
            text: "The process that receives a message.",
            source: "docs/model.md, section 2",
            ..Definition::BLANK
        },
        value: |own| own.destination.into(),
    },
    Column {
        definition: Definition { name: "units", kind: Kind::Natural, ..Definition::BLANK },
        value: |own| own.units.into(),
    },
    Column {
        definition: Definition { name: "start", kind: Kind::Natural, ..Definition::BLANK },
        value: |own| own.start.into(),
    },
    Column {
        definition: Definition {
            name: "entered",
            title: "entered",
            kind: Kind::Natural,
            unit: "cycle",
            text: "When the first unit of a message leaves its source for a router. Empty where queues \
                   have no limit.",
            source: "docs/model.md, section 26.4",
            ..Definition::BLANK
        },
        value: |own| own.entered.into(),
    },
    Column {
        definition: Definition { name: "received", kind: Kind::Natural, ..Definition::BLANK },
        value: |own| own.received.into(),
    },
    Column {
        definition: Definition {
            name: "queued_cycles",
            title: "queued",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The time that a message waits at its source before its first unit leaves. Empty where \
                   queues have no limit.",
            formula: "entered - start",
            source: "docs/model.md, section 26.4",
            ..Definition::BLANK
        },
        value: |own| own.queued_cycles.into(),
    },
    Column {
        definition: Definition { name: "transfer_cycles", kind: Kind::Natural, ..Definition::BLANK },
        value: |own| own.transfer_cycles.into(),
    },
    Column {
        definition: Definition { name: "blocked_cycles", kind: Kind::Natural, ..Definition::BLANK },
        value: |own| own.blocked_cycles.into(),
    },
];
