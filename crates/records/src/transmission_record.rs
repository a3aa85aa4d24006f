//! The rows of `run --crossings`: every packet on every channel of its route.

use cubefold_derive::Columns;
use cubefold_simulator::Transmission;
use serde::Serialize;

use super::column::{Record, Row};

/// A packet on a channel; points in time are in cycles since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Columns)]
#[columns(TRANSMISSION, source = "docs/model.md, section 13")]
pub struct TransmissionRecord {
    /// A message that crosses links, counted from 0 in the order of stage, source and destination; in a task graph
    /// of tag, source, destination and send.
    #[column("message", source = "docs/reading-results.md, transmissions")]
    pub message: u32,
    /// A part of a message that crosses a link in one piece, counted from 0.
    #[column("packet number")]
    pub packet: u32,
    /// The stage of the message, counted from 0.
    #[column]
    pub stage: u32,
    /// The process that sends it.
    #[column]
    pub source: u32,
    /// The process that receives it.
    #[column]
    pub destination: u32,
    /// The node at which a channel begins, counted from 0; in a grid the first coordinate varies fastest.
    #[column("from", source = "docs/model.md, section 1")]
    pub from: u32,
    /// The node to which a channel leads, counted as `from`.
    #[column("to", source = "docs/model.md, section 1")]
    pub to: u32,
    /// The first cycle in which a packet occupies a channel.
    #[column("begin", unit = "cycle", source = "docs/model.md, sections 5 and 13")]
    pub begin_cycles: u64,
    /// The cycle from which the channel of a transmission is free again. All of the packet is at the next node `l`
    /// cycles later.
    #[column("end", unit = "cycle", formula = "begin + u L", source = "docs/model.md, sections 5 and 13")]
    pub end_cycles: u64,
    /// The cycle at which a packet joined the queue of a channel; it waited until `begin`.
    #[column("joined", unit = "cycle")]
    pub joined_cycles: u64,
}

impl From<&Transmission> for TransmissionRecord {
    fn from(transmission: &Transmission) -> Self {
        Self {
            message: transmission.message,
            packet: transmission.packet,
            stage: transmission.stage,
            source: transmission.source.label(),
            destination: transmission.destination.label(),
            from: transmission.from.index(),
            to: transmission.to.index(),
            begin_cycles: transmission.begin.get(),
            end_cycles: transmission.end.get(),
            joined_cycles: transmission.joined.get(),
        }
    }
}

impl Record for TransmissionRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(TRANSMISSION, record);
    }
}
