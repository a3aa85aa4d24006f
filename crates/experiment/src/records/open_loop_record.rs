//! Measurements of open-loop traffic in the results, and their columns (`docs/model.md` sections 27 and 30.9).

use cubefold_simulator::{Batch, LatencySummary, OpenLoopOutcome, SeedOutcome};
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
    /// The load that was made while packets were measured; of several seeds the mean \[units a terminal a cycle\].
    #[serde(deserialize_with = "number")]
    pub offered_load: f64,
    /// The load that arrived in the same cycles; of several seeds the mean \[units a terminal a cycle\].
    #[serde(deserialize_with = "number")]
    pub accepted_load: f64,
    /// The number of measured packets, of all seeds.
    pub measured_packets: u64,
    /// The number of those that were not received by the end.
    pub missing_packets: u64,
    /// The times from the making of measured packets to their reception \[cycles\].
    pub packet_latency: LatencyRecord,
    /// The times from their injection to their reception \[cycles\].
    pub network_latency: LatencyRecord,
    /// The sign of saturation: `channel`, `drain`, `growth` or `latency`; `None` without saturation.
    pub saturated: Option<Word>,
    /// The last cycle of the run; of several seeds the largest.
    pub cycles: u64,
    /// The measurements in full.
    pub open_loop: MeasurementsRecord,
}

/// A distribution of latencies \[cycles\]; members are `None` if missing packets hide them, or there is no packet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LatencyRecord {
    /// The mean; of several seeds that of their means.
    #[serde(deserialize_with = "optional_number")]
    pub mean: Option<f64>,
    /// The median; `None` of several seeds.
    pub p50: Option<u64>,
    /// The 99th percentile; `None` of several seeds.
    pub p99: Option<u64>,
    /// The greatest.
    pub max: Option<u64>,
}

/// The measurements of one seed, or of several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MeasurementsRecord {
    /// Of several seeds.
    Seeds(SeedsRecord),
    /// Of one seed.
    One(Box<SeedRecord>),
}

/// The measurements of several seeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeedsRecord {
    /// The measurements of each seed.
    pub seeds: Vec<SeedRecord>,
    /// The first sign of saturation that one of them has.
    pub saturated: Option<Word>,
    /// The mean of their mean packet latencies; `None` if one has none \[cycles\].
    #[serde(deserialize_with = "optional_number")]
    pub latency_mean: Option<f64>,
    /// The half-width of the interval of 95 % around it \[cycles\].
    #[serde(deserialize_with = "optional_number")]
    pub latency_half_width: Option<f64>,
}

/// The measurements of one seed (`docs/model.md` section 30.9).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeedRecord {
    /// Packets made in the measured cycles, and the replies to them.
    pub measured_packets: u64,
    /// The measured packets that were not received by the end.
    pub missing_packets: u64,
    /// The sum of packet latencies; `None` if a packet is missing \[cycles\].
    pub latency_sum: Option<u64>,
    /// The sum of network latencies; `None` if a packet is missing \[cycles\].
    pub network_sum: Option<u64>,
    /// The median of packet latencies; `None` if a missing packet may change it \[cycles\].
    pub p50: Option<u64>,
    /// Their 99th percentile; `None` if a missing packet may change it \[cycles\].
    pub p99: Option<u64>,
    /// The largest of them; `None` if a packet is missing \[cycles\].
    pub max: Option<u64>,
    /// The median of network latencies; `None` if a packet is missing \[cycles\].
    pub network_p50: Option<u64>,
    /// Their 99th percentile; `None` if a packet is missing \[cycles\].
    pub network_p99: Option<u64>,
    /// The largest of them; `None` if a packet is missing \[cycles\].
    pub network_max: Option<u64>,
    /// The sum of packet latencies, with the least that those of missing packets can be \[cycles\].
    pub latency_sum_at_least: u64,
    /// The sum of the times from a request to the receipt of its reply; `None` if a packet is missing \[cycles\].
    pub round_trip_sum: Option<u64>,
    /// Units made in the measured cycles.
    pub made_units: u64,
    /// Units consumed in them.
    pub consumed_units: u64,
    /// The pairs of batches of which the later has the larger backlog, less those of which it has the smaller.
    pub trend: i64,
    /// The trend that a random order of the batches reaches with a probability of at most 1 %.
    pub trend_critical: i64,
    /// The sign of saturation.
    pub saturated: Option<Word>,
    /// The last cycle of the run.
    pub cycles: u64,
    /// The cycles before packets were measured.
    pub warmup_cycles: u64,
    /// Whether these were given, or found by the pilot run.
    pub warmup_found: bool,
    /// The greatest load of a channel, as a fraction; `None` if it is not known.
    pub channel_load: Option<String>,
    /// The first channel with it.
    pub channel_load_at: Option<String>,
    /// Whether links count besides the channels of terminals.
    pub channel_load_complete: bool,
    /// The batches of the measured cycles.
    pub batches: Vec<BatchRecord>,
    /// The mean packet latency; `None` if a packet is missing \[cycles\].
    #[serde(deserialize_with = "optional_number")]
    pub latency_mean: Option<f64>,
    /// The half-width of the interval of 95 % around it \[cycles\].
    #[serde(deserialize_with = "optional_number")]
    pub latency_half_width: Option<f64>,
}

/// A batch of the measured cycles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchRecord {
    /// Units made in it.
    pub made: u64,
    /// Units consumed in it.
    pub consumed: u64,
    /// Units made and not yet consumed, added up over its cycles.
    pub backlog: u64,
    /// Measured packets made in it, with the replies to them.
    pub packets: u64,
    /// The packets among them that were received.
    pub received: u64,
    /// The sum of the latencies of these \[cycles\].
    pub latency_sum: u64,
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
        let sum = |value: fn(&SeedOutcome) -> u64| own.seeds.iter().map(value).sum();
        let latencies = |value: fn(&SeedOutcome) -> &LatencySummary| {
            LatencyRecord::new(&own.seeds.iter().map(value).collect::<Vec<_>>())
        };
        Self {
            load: own.load,
            offered_load: own.offered_load(),
            accepted_load: own.accepted_load(),
            measured_packets: sum(|seed| seed.measured_packets),
            missing_packets: sum(|seed| seed.missing_packets),
            packet_latency: latencies(|seed| &seed.packet_latency),
            network_latency: latencies(|seed| &seed.network_latency),
            saturated: own.saturated.map(|sign| sign.name().into()),
            cycles: own.seeds.iter().map(|seed| seed.cycles).max().unwrap_or(0),
            open_loop: MeasurementsRecord::new(own),
        }
    }

    /// The measurements of each seed.
    #[must_use]
    pub fn seeds(&self) -> &[SeedRecord] {
        match &self.open_loop {
            MeasurementsRecord::Seeds(own) => &own.seeds,
            MeasurementsRecord::One(own) => std::slice::from_ref(own),
        }
    }

    /// The only seed; `None` of several.
    fn one(&self) -> Option<&SeedRecord> {
        match &self.open_loop {
            MeasurementsRecord::Seeds(_) => None,
            MeasurementsRecord::One(own) => Some(own),
        }
    }

    /// The trend of the backlog and the value from which it counts as growing, such as `41/27`; of several seeds the
    /// largest trend.
    #[must_use]
    pub fn trend_in_words(&self) -> Option<String> {
        let own = self.seeds().iter().max_by_key(|own| own.trend)?;
        Some(format!("{}/{}", own.trend, own.trend_critical))
    }

    /// The half-width of the interval of 95 % around the mean packet latency \[cycles\].
    #[must_use]
    pub fn half_width(&self) -> Option<f64> {
        match &self.open_loop {
            MeasurementsRecord::Seeds(own) => own.latency_half_width,
            MeasurementsRecord::One(own) => own.latency_half_width,
        }
    }

    /// The limit by the load of channels, such as `limit 1/7 = 0.1429, channel 0>8`; `None` if it is not known.
    #[must_use]
    pub fn limit_in_words(&self) -> Option<String> {
        let own = self.seeds().first()?;
        let (load, at) = (own.channel_load.as_deref()?, own.channel_load_at.as_deref()?);
        let (units, of) = load.split_once('/')?;
        let which = if own.channel_load_complete { "channel" } else { "terminals only, channel" };
        Some(format!("limit {of}/{units} = {:.4}, {which} {at}", own.limit()?))
    }
}

impl SeedRecord {
    fn new(own: &SeedOutcome, point: &OpenLoopOutcome) -> Self {
        let (packet, network) = (own.packet_latency, own.network_latency);
        let greatest = point.channel_load.greatest;
        Self {
            measured_packets: own.measured_packets,
            missing_packets: own.missing_packets,
            latency_sum: packet.sum,
            network_sum: network.sum,
            p50: packet.p50,
            p99: packet.p99,
            max: packet.max,
            network_p50: network.p50,
            network_p99: network.p99,
            network_max: network.max,
            latency_sum_at_least: own.latency_sum_at_least,
            round_trip_sum: own.round_trip_sum,
            made_units: own.made_units,
            consumed_units: own.consumed_units,
            trend: own.trend,
            trend_critical: own.trend_critical,
            saturated: own.saturated.map(|sign| sign.name().into()),
            cycles: own.cycles,
            warmup_cycles: own.warmup,
            warmup_found: own.is_warmup_found,
            channel_load: greatest.map(|own| own.0.to_string()),
            channel_load_at: greatest.map(|own| own.1.to_string()),
            channel_load_complete: point.channel_load.is_complete,
            batches: own.batches.iter().map(BatchRecord::new).collect(),
            latency_mean: packet.mean,
            latency_half_width: own.latency_half_width,
        }
    }

    /// The load that the busiest channel passes \[units a terminal a cycle\].
    #[must_use]
    pub fn limit(&self) -> Option<f64> {
        let (units, of) = self.channel_load.as_deref()?.split_once('/')?;
        Some(of.parse::<f64>().ok()? / units.parse::<f64>().ok()?)
    }
}

impl BatchRecord {
    fn new(own: &Batch) -> Self {
        let &Batch { made, consumed, backlog, packets, received, latency_sum } = own;
        Self { made, consumed, backlog, packets, received, latency_sum }
    }
}

impl MeasurementsRecord {
    fn new(own: &OpenLoopOutcome) -> Self {
        let mut seeds: Vec<SeedRecord> = own.seeds.iter().map(|seed| SeedRecord::new(seed, own)).collect();
        match (seeds.len(), seeds.pop()) {
            (1, Some(one)) => Self::One(one.into()),
            (_, last) => Self::Seeds(SeedsRecord {
                seeds: seeds.into_iter().chain(last).collect(),
                saturated: own.saturated.map(|sign| sign.name().into()),
                latency_mean: own.latency_mean,
                latency_half_width: own.latency_half_width,
            }),
        }
    }
}

impl LatencyRecord {
    /// The latencies of each seed, at least one.
    fn new(seeds: &[&LatencySummary]) -> Self {
        if let [one] = seeds {
            return Self { mean: one.mean, p50: one.p50, p99: one.p99, max: one.max };
        }
        let means: Option<Vec<f64>> = seeds.iter().map(|own| own.mean).collect();
        let greatest: Option<Vec<u64>> = seeds.iter().map(|own| own.max).collect();
        #[expect(clippy::cast_precision_loss, reason = "at most 30")]
        let mean = |means: Vec<f64>| means.iter().sum::<f64>() / means.len() as f64;
        Self {
            mean: means.map(mean),
            p50: None,
            p99: None,
            max: greatest.and_then(|own| own.into_iter().max()),
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
                   a missing packet may change it, and of several seeds.",
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
                   if a missing packet may change it, and of several seeds.",
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
            text: "The first sign of saturation. Channel: a channel cannot pass the load; drain: a measured packet was \
                   not received by the end; growth: the backlog grows, and over 0.5 per cent less is accepted than \
                   offered; latency: the mean packet latency exceeds program.latency_limit. Empty: the load does not \
                   saturate the network.",
            source: "docs/model.md, section 30.7",
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
            name: "open_loop_measured_packets",
            title: "packets with replies",
            kind: Kind::Natural,
            unit: "packets",
            text: "The packets that were made in the measured cycles, and the replies to them. These \
                   members of open_loop are empty of several seeds, where each has its own.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.measured_packets)),
    },
    Column {
        definition: Definition {
            name: "open_loop_missing_packets",
            title: "missing of them",
            kind: Kind::Natural,
            unit: "packets",
            text: "Those of the measured packets and replies that were not received by the end.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.missing_packets)),
    },
    Column {
        definition: Definition {
            name: "open_loop_latency_sum",
            title: "packet latencies, sum",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The sum of the packet latencies. Empty if measured packets are missing.",
            source: "docs/model.md, section 30.9",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.latency_sum)),
    },
    Column {
        definition: Definition {
            name: "open_loop_network_sum",
            title: "network latencies, sum",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The sum of the network latencies. Empty if measured packets are missing.",
            source: "docs/model.md, section 30.9",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.network_sum)),
    },
    Column {
        definition: Definition {
            name: "open_loop_p50",
            title: "p50",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The median of the packet latencies, by rank among all measured packets. Empty if a \
                   missing packet may change it.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.p50)),
    },
    Column {
        definition: Definition {
            name: "open_loop_p99",
            title: "p99",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The 99th percentile of the packet latencies, by rank among all measured packets. Empty \
                   if a missing packet may change it.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.p99)),
    },
    Column {
        definition: Definition {
            name: "open_loop_max",
            title: "max",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The largest packet latency. Empty if measured packets are missing.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.max)),
    },
    Column {
        definition: Definition {
            name: "open_loop_network_p50",
            title: "network p50",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The median of the network latencies. Empty if measured packets are missing.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.network_p50)),
    },
    Column {
        definition: Definition {
            name: "open_loop_network_p99",
            title: "network p99",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The 99th percentile of the network latencies. Empty if measured packets are missing.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.network_p99)),
    },
    Column {
        definition: Definition {
            name: "open_loop_network_max",
            title: "network max",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The largest network latency. Empty if measured packets are missing.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.network_max)),
    },
    Column {
        definition: Definition {
            name: "open_loop_latency_sum_at_least",
            title: "packet latencies, at least",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The sum of the packet latencies that are known and of the least that those of missing \
                   packets can be.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.latency_sum_at_least)),
    },
    Column {
        definition: Definition {
            name: "open_loop_round_trip_sum",
            title: "round trips, sum",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The sum of the times from the making of a request to the receipt of its reply. Empty if \
                   measured packets are missing.",
            formula: "received - made of the request",
            source: "docs/model.md, section 30.9",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.round_trip_sum)),
    },
    Column {
        definition: Definition {
            name: "open_loop_made_units",
            title: "units made",
            kind: Kind::Natural,
            unit: "units",
            text: "The units made in the measured cycles, replies included.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.made_units)),
    },
    Column {
        definition: Definition {
            name: "open_loop_consumed_units",
            title: "units consumed",
            kind: Kind::Natural,
            unit: "units",
            text: "The units that terminals received in the measured cycles.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.consumed_units)),
    },
    Column {
        definition: Definition {
            name: "open_loop_trend",
            title: "trend",
            kind: Kind::Natural,
            text: "The trend of the backlog: the pairs of batches of which the later has the larger \
                   backlog, less those of which it has the smaller.",
            formula: "sum over i < j of sign(backlog_j - backlog_i)",
            source: "Kendall 1938; docs/model.md, section 30.7",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.trend)),
    },
    Column {
        definition: Definition {
            name: "open_loop_trend_critical",
            title: "critical trend",
            kind: Kind::Natural,
            text: "The trend from which the backlog counts as growing: a random order of the batches \
                   reaches it with a probability of at most 1 per cent.",
            formula: "c",
            source: "docs/model.md, section 30.7",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.trend_critical)),
    },
    Column {
        definition: Definition {
            name: "open_loop_saturated",
            title: "verdict of the traffic",
            kind: Kind::Text,
            text: "The first sign of saturation, of any seed: channel, drain, growth or latency, as in the \
                   column saturated.",
            source: "docs/model.md, section 30.7",
            ..Definition::BLANK
        },
        value: |own| match &own.measured.open_loop {
            MeasurementsRecord::Seeds(own) => own.saturated.as_ref().into(),
            MeasurementsRecord::One(own) => own.saturated.as_ref().into(),
        },
    },
    Column {
        definition: Definition {
            name: "open_loop_cycles",
            title: "last cycle",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The last cycle of the run.",
            source: "docs/model.md, section 27.3",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.cycles)),
    },
    Column {
        definition: Definition {
            name: "open_loop_warmup_cycles",
            title: "warm-up",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The cycles before packets were measured: those of program.warmup_cycles, or those that \
                   the pilot run found.",
            formula: "W",
            source: "White 1997; docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.warmup_cycles)),
    },
    Column {
        definition: Definition {
            name: "open_loop_warmup_found",
            title: "warm-up found",
            kind: Kind::Truth,
            text: "Whether the backlog was steady within the first half of the pilot run; true of a warm-up \
                   that is given.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.warmup_found)),
    },
    Column {
        definition: Definition {
            name: "open_loop_channel_load",
            title: "channel load",
            aliases: &["limit", "ideal throughput"],
            kind: Kind::Text,
            text: "The greatest expected number of units that cross a channel per unit that a terminal \
                   offers, as an exact fraction: no load above its inverse, the limit, is sustained. Empty \
                   if it leaves 128 bits.",
            formula: "max gamma",
            source: "Dally & Towles 2004, 3.3; docs/model.md, section 30.5",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| Cell::from(own.channel_load.as_deref()))),
    },
    Column {
        definition: Definition {
            name: "open_loop_channel_load_at",
            title: "at channel",
            kind: Kind::Text,
            text: "The first channel with the greatest load: 0>8 is the link from node 0 to node 8, 3> the \
                   channel from terminal 3, >3 that to it.",
            source: "docs/model.md, section 30.5",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| Cell::from(own.channel_load_at.as_deref()))),
    },
    Column {
        definition: Definition {
            name: "open_loop_channel_load_complete",
            title: "links count",
            kind: Kind::Truth,
            text: "Whether links count in the channel load besides the channels of terminals: not under \
                   adaptive routing.",
            source: "docs/model.md, section 30.5",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.measured.one().map(|own| own.channel_load_complete)),
    },
    Column {
        definition: Definition {
            name: "open_loop_latency_mean",
            title: "mean of all",
            kind: Kind::Decimal,
            unit: "cycles",
            text: "The mean packet latency, of several seeds the mean of their means. Empty if measured \
                   packets are missing.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| match &own.measured.open_loop {
            MeasurementsRecord::Seeds(own) => own.latency_mean.into(),
            MeasurementsRecord::One(own) => own.latency_mean.into(),
        },
    },
    Column {
        definition: Definition {
            name: "open_loop_latency_half_width",
            title: "+-",
            kind: Kind::Decimal,
            unit: "cycles",
            text: "The half-width of the interval of 95 per cent around the mean packet latency, from the \
                   means of the batches, or of several seeds. Empty if measured packets are missing or a \
                   batch has none.",
            formula: "T s / sqrt(k)",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |own| own.measured.half_width().into(),
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
