//! The rows of `run --crossings`: every packet on every channel of its route.

use cubefold_simulator::Transmission;
use serde::Serialize;

use super::{
    column::{Column, Record, Row},
    definition::{Definition, Kind},
};

/// A packet on a channel; points in time are in cycles since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TransmissionRecord {
    /// The number of its message.
    pub message: u32,
    /// The packet within the message, counted from 0.
    pub packet: u32,
    /// The stage of the message, counted from 0.
    pub stage: u32,
    /// The process that sends it.
    pub source: u32,
    /// The process that receives it.
    pub destination: u32,
    /// The node at which the channel begins.
    pub from: u32,
    /// The node to which it leads.
    pub to: u32,
    /// The first cycle in which it occupies the channel.
    pub begin_cycles: u64,
    /// The cycle from which the channel is free again.
    pub end_cycles: u64,
    /// The cycle at which it joined the channel's queue.
    pub joined_cycles: u64,
}

impl From<&Transmission> for TransmissionRecord {
    fn from(own: &Transmission) -> Self {
        Self {
            message: own.message,
            packet: own.packet,
            stage: own.stage,
            source: own.source.label(),
            destination: own.destination.label(),
            from: own.from.index(),
            to: own.to.index(),
            begin_cycles: own.begin.get(),
            end_cycles: own.end.get(),
            joined_cycles: own.joined.get(),
        }
    }
}

impl Record for TransmissionRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(TRANSMISSION, record);
    }
}

/// Columns of a transmission.
pub(crate) static TRANSMISSION: &[Column<TransmissionRecord>] = &[
    Column {
        definition: Definition {
            name: "message",
            title: "message",
            kind: Kind::Natural,
            text: "A message that crosses links, counted from 0 in the order of stage, source and destination; \
                   in a task graph of tag, source, destination and send.",
            source: "docs/reading-results.md, transmissions",
            ..Definition::BLANK
        },
        value: |own| own.message.into(),
    },
    Column {
        definition: Definition {
            name: "packet",
            title: "packet number",
            kind: Kind::Natural,
            text: "A part of a message that crosses a link in one piece, counted from 0.",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |own| own.packet.into(),
    },
    Column {
        definition: Definition { name: "stage", kind: Kind::Natural, ..Definition::BLANK },
        value: |own| own.stage.into(),
    },
    Column {
        definition: Definition { name: "source", kind: Kind::Natural, ..Definition::BLANK },
        value: |own| own.source.into(),
    },
    Column {
        definition: Definition { name: "destination", kind: Kind::Natural, ..Definition::BLANK },
        value: |own| own.destination.into(),
    },
    Column {
        definition: Definition {
            name: "from",
            title: "from",
            kind: Kind::Natural,
            text: "The node at which a channel begins, counted from 0; in a grid the first coordinate varies \
                   fastest.",
            source: "docs/model.md, section 1",
            ..Definition::BLANK
        },
        value: |own| own.from.into(),
    },
    Column {
        definition: Definition {
            name: "to",
            title: "to",
            kind: Kind::Natural,
            text: "The node to which a channel leads, counted as `from`.",
            source: "docs/model.md, section 1",
            ..Definition::BLANK
        },
        value: |own| own.to.into(),
    },
    Column {
        definition: Definition {
            name: "begin_cycles",
            title: "begin",
            kind: Kind::Natural,
            unit: "cycle",
            text: "The first cycle in which a packet occupies a channel.",
            source: "docs/model.md, sections 5 and 13",
            ..Definition::BLANK
        },
        value: |own| own.begin_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "end_cycles",
            title: "end",
            kind: Kind::Natural,
            unit: "cycle",
            text: "The cycle from which the channel of a transmission is free again. All of the packet is at \
                   the next node `l` cycles later.",
            formula: "begin + u L",
            source: "docs/model.md, sections 5 and 13",
            ..Definition::BLANK
        },
        value: |own| own.end_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "joined_cycles",
            title: "joined",
            kind: Kind::Natural,
            unit: "cycle",
            text: "The cycle at which a packet joined the queue of a channel; it waited until `begin`.",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |own| own.joined_cycles.into(),
    },
];
