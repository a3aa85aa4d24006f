//! The rows of `run --packets`, `--channels` and `--buffers`: of a run of open-loop traffic its measured packets, the
//! outputs of its routers and their input channels (`docs/model.md` section 30.8).

use cubefold_derive::Columns;
use cubefold_simulator::{BufferRow, ChannelRow, PacketRow};
use serde::Serialize;

use super::column::{Record, Row};

/// A measured packet; points in time are in cycles since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Columns)]
#[columns(PACKETS, source = "docs/model.md, section 30.8")]
pub struct PacketRecord {
    /// When a packet of open-loop traffic is made. It may then wait at its source.
    #[column("made at", unit = "cycle")]
    pub made: u64,
    /// `request` or `reply`.
    #[column]
    pub kind: &'static str,
    /// The terminal that made it.
    #[column]
    pub source: u32,
    /// The terminal that it is for.
    #[column]
    pub destination: u32,
    /// Its size \[units\].
    #[column]
    pub units: u64,
    /// The cycle at which its first unit entered the network; `None` if it has not.
    #[column]
    pub entered: Option<u64>,
    /// The cycle at which it was received; `None` if it was not.
    #[column]
    pub received: Option<u64>,
    /// The links between routers to which its head has been sent. The head of a packet that is not received may not yet
    /// have entered the last.
    #[column]
    pub links: u64,
}

impl From<&PacketRow> for PacketRecord {
    fn from(row: &PacketRow) -> Self {
        Self {
            made: row.made,
            kind: row.kind.name(),
            source: row.source.index(),
            destination: row.destination.index(),
            units: row.units,
            entered: row.entered,
            received: row.received,
            links: row.links,
        }
    }
}

impl Record for PacketRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(PACKETS, record);
    }
}

/// An output of a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Columns)]
#[columns(CHANNELS, source = "docs/model.md, section 30.8")]
pub struct ChannelRecord {
    /// The router, by its node.
    #[column]
    pub from: u32,
    /// Whether a link leads from a router to another, `switch`, or to a `terminal`.
    #[column("kind of the far end")]
    pub to_kind: &'static str,
    /// The node to which the link leads.
    #[column]
    pub to: u32,
    /// The units that entered the link in the measured cycles.
    #[column]
    pub units: u64,
}

impl From<&ChannelRow> for ChannelRecord {
    fn from(row: &ChannelRow) -> Self {
        let (to_kind, to) = (row.to.kind(), row.to.node().index());
        Self { from: row.from.index(), to_kind, to, units: row.units }
    }
}

impl Record for ChannelRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(CHANNELS, record);
    }
}

/// An input channel of a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Columns)]
#[columns(BUFFERS, source = "docs/model.md, section 30.8")]
pub struct BufferRecord {
    /// The router whose buffer it is, by its node.
    #[column("at router")]
    pub at: u32,
    /// Whether a link comes to a router from another, `switch`, or from a `terminal`.
    #[column("kind of the near end")]
    pub from_kind: &'static str,
    /// The node from which the link comes.
    #[column]
    pub from: u32,
    /// Its number among the virtual channels of the link.
    #[column]
    pub channel: u32,
    /// The units in a buffer after each cycle of the window, added up; divided by `program.measure_cycles` it is the mean
    /// occupancy.
    #[column("units in the buffer, sum", unit = "units")]
    pub sum: u64,
    /// The most units in its buffer after a measured cycle.
    #[column]
    pub max: u64,
}

impl From<&BufferRow> for BufferRecord {
    fn from(row: &BufferRow) -> Self {
        let (from_kind, from) = (row.from.kind(), row.from.node().index());
        Self { at: row.at.index(), from_kind, from, channel: row.channel, sum: row.sum, max: row.max }
    }
}

impl Record for BufferRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(BUFFERS, record);
    }
}
