//! The measurements of open-loop traffic with one seed, or with several (`docs/model.md` section 30.9).

use cubefold_derive::Columns;
use cubefold_simulator::{Batch, OpenLoopOutcome, SeedOutcome};
use serde::{Deserialize, Serialize};

use super::optional_number;
use crate::{
    Word,
    column::Column,
    definition::{Definition, Kind},
};

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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Columns)]
#[columns(OF_SEED, prefix = "open_loop_", source = "docs/model.md, section 30.6")]
pub struct SeedRecord {
    /// The packets that were made in the measured cycles, and the replies to them. These members of `open_loop` are
    /// empty of several seeds, where each has its own.
    #[column("packets with replies", unit = "packets")]
    pub measured_packets: u64,
    /// Those of the measured packets and replies that were not received by the end.
    #[column("missing of them", unit = "packets")]
    pub missing_packets: u64,
    /// The sum of the packet latencies. Empty if measured packets are missing.
    #[column("packet latencies, sum", unit = "cycles", source = "docs/model.md, section 30.9")]
    pub latency_sum: Option<u64>,
    /// The sum of the network latencies. Empty if measured packets are missing.
    #[column("network latencies, sum", unit = "cycles", source = "docs/model.md, section 30.9")]
    pub network_sum: Option<u64>,
    /// The median of the packet latencies, by rank among all measured packets. Empty if a missing packet may change
    /// it.
    #[column("p50", unit = "cycles")]
    pub p50: Option<u64>,
    /// The 99th percentile of the packet latencies, by rank among all measured packets. Empty if a missing packet may
    /// change it.
    #[column("p99", unit = "cycles")]
    pub p99: Option<u64>,
    /// The largest packet latency. Empty if measured packets are missing.
    #[column("max", unit = "cycles")]
    pub max: Option<u64>,
    /// The median of the network latencies. Empty if measured packets are missing.
    #[column("network p50", unit = "cycles")]
    pub network_p50: Option<u64>,
    /// The 99th percentile of the network latencies. Empty if measured packets are missing.
    #[column("network p99", unit = "cycles")]
    pub network_p99: Option<u64>,
    /// The largest network latency. Empty if measured packets are missing.
    #[column("network max", unit = "cycles")]
    pub network_max: Option<u64>,
    /// The sum of the packet latencies that are known and of the least that those of missing packets can be.
    #[column("packet latencies, at least", unit = "cycles")]
    pub latency_sum_at_least: u64,
    /// The sum of the times from the making of a request to the receipt of its reply. Empty if measured packets are
    /// missing.
    #[column(
        "round trips, sum",
        unit = "cycles",
        formula = "received - made of the request",
        source = "docs/model.md, section 30.9"
    )]
    pub round_trip_sum: Option<u64>,
    /// The units made in the measured cycles, replies included.
    #[column("units made", unit = "units")]
    pub made_units: u64,
    /// The units that terminals received in the measured cycles.
    #[column("units consumed", unit = "units")]
    pub consumed_units: u64,
    /// The trend of the backlog: the pairs of batches of which the later has the larger backlog, less those of which
    /// it has the smaller.
    #[column(
        "trend",
        formula = "sum over i < j of sign(backlog_j - backlog_i)",
        source = "Kendall 1938; docs/model.md, section 30.7"
    )]
    pub trend: i64,
    /// The trend from which the backlog counts as growing: a random order of the batches reaches it with a
    /// probability of at most 1 per cent.
    #[column("critical trend", formula = "c", source = "docs/model.md, section 30.7")]
    pub trend_critical: i64,
    /// The sign of saturation.
    pub saturated: Option<Word>,
    /// The last cycle of the run.
    #[column("last cycle", unit = "cycles", source = "docs/model.md, section 27.3", list = OF_SEED_RUN)]
    pub cycles: u64,
    /// The cycles before packets were measured: those of `program.warmup_cycles`, or those that the pilot run found.
    #[column(
        "warm-up",
        unit = "cycles",
        formula = "W",
        source = "White 1997; docs/model.md, section 30.6",
        list = OF_SEED_RUN
    )]
    pub warmup_cycles: u64,
    /// Whether the backlog was steady within the first half of the pilot run; true of a warm-up that is given.
    #[column("warm-up found", list = OF_SEED_RUN)]
    pub warmup_found: bool,
    /// The greatest expected number of units that cross a channel per unit that a terminal offers, as an exact
    /// fraction: no load above its inverse, the limit, is sustained. Empty if it leaves 128 bits.
    #[column(
        "channel load",
        aliases = ["limit", "ideal throughput"],
        formula = "max gamma",
        source = "Dally & Towles 2004, 3.3; docs/model.md, section 30.5",
        list = CHANNEL_LOAD
    )]
    pub channel_load: Option<String>,
    /// The first channel with the greatest load: 0>8 is the link from node 0 to node 8, 3> the channel from terminal
    /// 3, >3 that to it.
    #[column("at channel", source = "docs/model.md, section 30.5", list = CHANNEL_LOAD)]
    pub channel_load_at: Option<String>,
    /// Whether links count in the channel load besides the channels of terminals: not under adaptive routing.
    #[column("links count", source = "docs/model.md, section 30.5", list = CHANNEL_LOAD)]
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

impl SeedRecord {
    fn new(outcome: &SeedOutcome, point: &OpenLoopOutcome) -> Self {
        let (packet, network) = (outcome.packet_latency, outcome.network_latency);
        let greatest = point.channel_load.greatest;
        Self {
            measured_packets: outcome.measured_packets,
            missing_packets: outcome.missing_packets,
            latency_sum: packet.sum,
            network_sum: network.sum,
            p50: packet.p50,
            p99: packet.p99,
            max: packet.max,
            network_p50: network.p50,
            network_p99: network.p99,
            network_max: network.max,
            latency_sum_at_least: outcome.latency_sum_at_least,
            round_trip_sum: outcome.round_trip_sum,
            made_units: outcome.made_units,
            consumed_units: outcome.consumed_units,
            trend: outcome.trend,
            trend_critical: outcome.trend_critical,
            saturated: outcome.saturated.map(|sign| sign.name().into()),
            cycles: outcome.cycles,
            warmup_cycles: outcome.warmup,
            warmup_found: outcome.is_warmup_found,
            channel_load: greatest.map(|greatest| greatest.0.to_string()),
            channel_load_at: greatest.map(|greatest| greatest.1.to_string()),
            channel_load_complete: point.channel_load.is_complete,
            batches: outcome.batches.iter().map(BatchRecord::new).collect(),
            latency_mean: packet.mean,
            latency_half_width: outcome.latency_half_width,
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
    fn new(batch: &Batch) -> Self {
        let &Batch { made, consumed, backlog, packets, received, latency_sum } = batch;
        Self { made, consumed, backlog, packets, received, latency_sum }
    }
}

impl MeasurementsRecord {
    pub(super) fn new(outcome: &OpenLoopOutcome) -> Self {
        let mut seeds: Vec<SeedRecord> =
            outcome.seeds.iter().map(|seed| SeedRecord::new(seed, outcome)).collect();
        match (seeds.len(), seeds.pop()) {
            (1, Some(one)) => Self::One(one.into()),
            (_, last) => Self::Seeds(SeedsRecord {
                seeds: seeds.into_iter().chain(last).collect(),
                saturated: outcome.saturated.map(|sign| sign.name().into()),
                latency_mean: outcome.latency_mean,
                latency_half_width: outcome.latency_half_width,
            }),
        }
    }
}

/// Column of the verdict on all seeds.
pub(crate) static VERDICT: &[Column<MeasurementsRecord>] = &[Column {
    definition: Definition {
        name: "open_loop_saturated",
        title: "verdict of the traffic",
        kind: Kind::Text,
        text: "The first sign of saturation, of any seed: channel, drain, growth or latency, as in the column saturated.",
        source: "docs/model.md, section 30.7",
        ..Definition::BLANK
    },
    value: |measured| match measured {
        MeasurementsRecord::Seeds(seeds) => seeds.saturated.as_ref().into(),
        MeasurementsRecord::One(seed) => seed.saturated.as_ref().into(),
    },
}];

/// Columns of the mean of all seeds.
pub(crate) static MEAN_OF_SEEDS: &[Column<MeasurementsRecord>] = &[
    Column {
        definition: Definition {
            name: "open_loop_latency_mean",
            title: "mean of all",
            kind: Kind::Decimal,
            unit: "cycles",
            text: "The mean packet latency, of several seeds the mean of their means. Empty if measured packets are missing.",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |measured| match measured {
            MeasurementsRecord::Seeds(seeds) => seeds.latency_mean.into(),
            MeasurementsRecord::One(seed) => seed.latency_mean.into(),
        },
    },
    Column {
        definition: Definition {
            name: "open_loop_latency_half_width",
            title: "+-",
            kind: Kind::Decimal,
            unit: "cycles",
            text: "The half-width of the interval of 95 per cent around the mean packet latency, from the means of the batches, or of several seeds. Empty if measured packets are missing or a batch has none.",
            formula: "T s / sqrt(k)",
            source: "docs/model.md, section 30.6",
            ..Definition::BLANK
        },
        value: |measured| match measured {
            MeasurementsRecord::Seeds(seeds) => seeds.latency_half_width.into(),
            MeasurementsRecord::One(seed) => seed.latency_half_width.into(),
        },
    },
];
