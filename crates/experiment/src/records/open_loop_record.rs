//! Measurements of open-loop traffic in the results, and their columns (`docs/model.md` section 27).

use cubefold_simulator::{LatencySummary, OpenLoopOutcome};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::Number;

use super::{
    Word,
    column::{Cell, Column},
};
use crate::records::{
    OpenLoopResult,
    definition::{Definition, Kind},
};

/// The measurements of a run of open-loop traffic. Of a search for saturation, those at the highest load that did not
/// saturate, or at the lowest if all did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenLoopRecord {
    /// The measurements at one load.
    #[serde(flatten)]
    pub measured: LoadRecord,
    /// The highest load that a search found not to saturate \[units a terminal a cycle\]; `None` if all of its loads do.
    #[serde(default, deserialize_with = "optional_number", skip_serializing_if = "Option::is_none")]
    pub saturation_load: Option<f64>,
    /// The runs of that search, in their order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saturation_runs: Option<Vec<LoadRecord>>,
}

/// The measurements at one load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadRecord {
    /// The load that was asked for \[units a terminal a cycle\].
    #[serde(deserialize_with = "number")]
    pub load: f64,
    /// The load that was made while packets were measured \[units a terminal a cycle\].
    #[serde(deserialize_with = "number")]
    pub offered_load: f64,
    /// The load that arrived in the same cycles \[units a terminal a cycle\].
    #[serde(deserialize_with = "number")]
    pub accepted_load: f64,
    /// The number of measured packets.
    pub measured_packets: u64,
    /// The number of those that were not received by the end.
    pub missing_packets: u64,
    /// The times from the making of measured packets to their reception \[cycles\].
    pub packet_latency: LatencyRecord,
    /// The times from their injection to their reception \[cycles\].
    pub network_latency: LatencyRecord,
    /// The sign of saturation: `drain` or `latency`; `None` without saturation.
    pub saturated: Option<Word>,
    /// The last cycle of the run.
    pub cycles: u64,
}

/// A distribution of latencies \[cycles\]; every member is `None` if a measured packet is missing, or there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LatencyRecord {
    /// The mean.
    #[serde(deserialize_with = "optional_number")]
    pub mean: Option<f64>,
    /// The median.
    pub p50: Option<u64>,
    /// The 99th percentile.
    pub p99: Option<u64>,
    /// The greatest.
    pub max: Option<u64>,
}

impl OpenLoopRecord {
    /// Makes the record of a run; `None` if nothing was run.
    #[must_use]
    pub fn new(result: &OpenLoopResult) -> Option<Self> {
        let searched = || result.runs.iter().map(LoadRecord::new).collect();
        Some(Self {
            measured: LoadRecord::new(result.shown()?),
            saturation_load: result.saturation_load,
            saturation_runs: result.is_searched.then(searched),
        })
    }
}

impl LoadRecord {
    fn new(own: &OpenLoopOutcome) -> Self {
        // The latencies of those that were received in time are lower than those of all.
        let is_complete = own.missing_packets == 0;
        Self {
            load: own.load,
            offered_load: own.offered_load,
            accepted_load: own.accepted_load,
            measured_packets: own.measured_packets,
            missing_packets: own.missing_packets,
            packet_latency: LatencyRecord::new(own.packet_latency.as_ref().filter(|_| is_complete)),
            network_latency: LatencyRecord::new(own.network_latency.as_ref().filter(|_| is_complete)),
            saturated: own.saturated.map(|sign| sign.name().into()),
            cycles: own.cycles,
        }
    }
}

impl LatencyRecord {
    fn new(own: Option<&LatencySummary>) -> Self {
        Self {
            mean: own.map(|own| own.mean),
            p50: own.map(|own| own.p50),
            p99: own.map(|own| own.p99),
            max: own.map(|own| own.max),
        }
    }
}

/// Reads a fraction among flattened members, where `serde` holds it as its digits.
pub(super) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let number = Number::deserialize(deserializer)?;
    number.as_f64().ok_or_else(|| D::Error::custom("a number out of range"))
}

/// Reads a fraction, or `null`, among flattened members.
pub(super) fn optional_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Ok(Option::<Number>::deserialize(deserializer)?.and_then(|number| number.as_f64()))
}

/// The unit of loads.
const LOAD: &str = "units a terminal a cycle";

/// Columns of open-loop traffic; they are there only if a run has such traffic.
pub(crate) static OPEN_LOOP: &[Column<OpenLoopRecord>] = &[
    Column {
        definition: Definition {
            name: "load",
            title: "load",
            aliases: &["injection rate", "offered traffic"],
            kind: Kind::Decimal,
            unit: LOAD,
            text: "The units that each terminal makes per cycle in open loop: the load that the scenario asks \
                   for. A search for saturation shows the highest load that did not saturate. The load of a node, its processes, is \
                   placement_load_max.",
            formula: "probability of a packet in a cycle * mean size",
            source: "Dally & Towles 2004, 23.1; docs/model.md, section 27",
        },
        value: |own| own.measured.load.into(),
    },
    Column {
        definition: Definition {
            name: "offered_load",
            title: "offered",
            kind: Kind::Decimal,
            unit: LOAD,
            text: "The units of the measured packets, by terminal and cycle: the load that the random \
                   choices made.",
            formula: "units made in [W, W + M) / (N M)",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.measured.offered_load.into(),
    },
    Column {
        definition: Definition {
            name: "accepted_load",
            title: "accepted",
            aliases: &["throughput"],
            kind: Kind::Decimal,
            unit: LOAD,
            text: "The units that terminals received while packets were measured. Below saturation it is \
                   the offered load; above, the throughput of the network.",
            formula: "units consumed in [W, W + M) / (N M)",
            source: "docs/model.md, section 27",
        },
        value: |own| own.measured.accepted_load.into(),
    },
    Column {
        definition: Definition {
            name: "measured_packets",
            title: "measured",
            kind: Kind::Natural,
            unit: "packets",
            text: "The packets that were made in the measured cycles, the missing ones included.",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.measured.measured_packets.into(),
    },
    Column {
        definition: Definition {
            name: "missing_packets",
            title: "missing",
            kind: Kind::Natural,
            unit: "packets",
            text: "The measured packets that were not received by the end of the drain.",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.measured.missing_packets.into(),
    },
    Column {
        definition: Definition {
            name: "packet_latency_mean",
            title: "packet latency",
            kind: Kind::Decimal,
            unit: "cycles",
            text: "The mean time from the making of a measured packet to its reception, waiting at the \
                   source included. Empty if measured packets are missing: the mean of the others is too low.",
            formula: "received - made",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.measured.packet_latency.mean.into(),
    },
    Column {
        definition: Definition {
            name: "packet_latency_p50",
            title: "packet latency, median",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The smallest packet latency that half of the measured packets do not exceed, exact. Empty if \
                   measured packets are missing.",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.measured.packet_latency.p50.into(),
    },
    Column {
        definition: Definition {
            name: "packet_latency_p99",
            title: "packet latency, p99",
            aliases: &["packet latency, 99th percentile"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The smallest packet latency that 99 per cent of the measured packets do not exceed, exact. Empty \
                   if measured packets are missing.",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.measured.packet_latency.p99.into(),
    },
    Column {
        definition: Definition {
            name: "packet_latency_max",
            title: "packet latency, largest",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The largest packet latency of a measured packet. Empty if measured packets are missing.",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.measured.packet_latency.max.into(),
    },
    Column {
        definition: Definition {
            name: "network_latency_mean",
            title: "network latency",
            kind: Kind::Decimal,
            unit: "cycles",
            text: "The mean time from the injection of the head of a measured packet to its reception, \
                   without waiting at the source. Empty if measured packets are missing.",
            formula: "received - entered",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.measured.network_latency.mean.into(),
    },
    Column {
        definition: Definition {
            name: "network_latency_p50",
            title: "network latency, median",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The smallest network latency that half of the measured packets do not exceed, exact. Empty if \
                   measured packets are missing.",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.measured.network_latency.p50.into(),
    },
    Column {
        definition: Definition {
            name: "network_latency_p99",
            title: "network latency, p99",
            aliases: &["network latency, 99th percentile"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The smallest network latency that 99 per cent of the measured packets do not exceed, exact. Empty \
                   if measured packets are missing.",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.measured.network_latency.p99.into(),
    },
    Column {
        definition: Definition {
            name: "network_latency_max",
            title: "network latency, largest",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The largest network latency of a measured packet. Empty if measured packets are missing.",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.measured.network_latency.max.into(),
    },
    Column {
        definition: Definition {
            name: "saturated",
            title: "saturated",
            kind: Kind::Text,
            text: "Drain: a measured packet was not received by the end. Latency: the mean packet latency \
                   exceeds program.latency_limit. Empty: the load does not saturate the network.",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.measured.saturated.as_ref().into(),
    },
    Column {
        definition: Definition {
            name: "cycles",
            title: "cycles",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The last cycle of a run of open-loop traffic: the first after the measured ones in \
                   which no measured packet is missing, or the end of the drain.",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| own.measured.cycles.into(),
    },
    Column {
        definition: Definition {
            name: "saturation_load",
            title: "saturation load",
            aliases: &["saturation throughput"],
            kind: Kind::Decimal,
            unit: LOAD,
            text: "The highest load at which a search found the network not saturated, to the resolution \
                   of program.saturation; empty if all loads tried saturate. If none does, it is the largest \
                   load tried. The column is there only if a run searches.",
            source: "docs/model.md, section 27",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.saturation_load),
    },
];
