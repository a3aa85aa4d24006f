//! Measurements of open-loop traffic in the results, and their columns (`docs/model.md` sections 27 and 30.9).

mod seed_record;

use cubefold_derive::Columns;
use cubefold_simulator::{LatencySummary, OpenLoopOutcome, SeedOutcome};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::Number;

pub use self::seed_record::{BatchRecord, MeasurementsRecord, SeedRecord, SeedsRecord};
pub(crate) use self::seed_record::{CHANNEL_LOAD, MEAN_OF_SEEDS, OF_SEED, OF_SEED_RUN, VERDICT};
use super::{
    Word,
    column::{Record, Row},
};
use crate::OpenLoopResult;

/// The measurements of a run of open-loop traffic. Of a search for saturation, those at the highest load that did not
/// saturate, or at the lowest if all did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Columns)]
#[columns(SATURATION, source = "docs/model.md, section 27")]
pub struct OpenLoopRecord {
    /// The measurements at one load.
    #[serde(flatten)]
    pub measured: LoadRecord,
    /// The highest load at which a search found the network not saturated, to the resolution of `program.saturation`;
    /// empty if all loads tried saturate. If none does, it is the largest load tried. The column is there only if a
    /// run searches.
    #[column("saturation load", aliases = ["saturation throughput"], unit = "units a terminal a cycle")]
    #[serde(default, deserialize_with = "optional_number", skip_serializing_if = "Option::is_none")]
    pub saturation_load: Option<f64>,
    /// The runs of that search, in their order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saturation_runs: Option<Vec<LoadRecord>>,
}

/// The measurements at one load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Columns)]
#[columns(LOAD, source = "docs/model.md, section 27")]
pub struct LoadRecord {
    /// The units that each terminal makes per cycle in open loop: the load that the scenario asks for. A search for
    /// saturation shows the highest load that did not saturate. The load of a node, its processes, is
    /// `placement_load_max`.
    #[column(
        "load",
        aliases = ["injection rate", "offered traffic"],
        unit = "units a terminal a cycle",
        formula = "probability of a packet in a cycle * mean size",
        source = "Dally & Towles 2004, 23.1; docs/model.md, section 27"
    )]
    #[serde(deserialize_with = "number")]
    pub load: f64,
    /// The units of the measured packets, by terminal and cycle: the load that the random choices made.
    #[column("offered", unit = "units a terminal a cycle", formula = "units made in [W, W + M) / (N M)")]
    #[serde(deserialize_with = "number")]
    pub offered_load: f64,
    /// The units that terminals received while packets were measured. Below saturation it is the offered load; above,
    /// the throughput of the network.
    #[column(
        "accepted",
        aliases = ["throughput"],
        unit = "units a terminal a cycle",
        formula = "units consumed in [W, W + M) / (N M)"
    )]
    #[serde(deserialize_with = "number")]
    pub accepted_load: f64,
    /// The packets that were made in the measured cycles, the missing ones included.
    #[column("measured", unit = "packets")]
    pub measured_packets: u64,
    /// The measured packets that were not received by the end of the drain.
    #[column("missing", unit = "packets")]
    pub missing_packets: u64,
    /// The times from the making of measured packets to their reception \[cycles\].
    pub packet_latency: LatencyRecord,
    /// The times from their injection to their reception \[cycles\].
    pub network_latency: LatencyRecord,
    /// The first sign of saturation. Channel: a channel cannot pass the load; drain: a measured packet was not
    /// received by the end; growth: the backlog grows, and over 0.5 per cent less is accepted than offered; latency:
    /// the mean packet latency exceeds `program.latency_limit`. Empty: the load does not saturate the network.
    #[column("saturated", source = "docs/model.md, section 30.7", list = LOAD_END)]
    pub saturated: Option<Word>,
    /// The last cycle of a run of open-loop traffic: the first after the measured ones in which no measured packet is
    /// missing, or the end of the drain.
    #[column("cycles", unit = "cycles", list = LOAD_END)]
    pub cycles: u64,
    /// The measurements in full.
    pub open_loop: MeasurementsRecord,
}

/// A distribution of latencies \[cycles\]; members are `None` if missing packets hide them, or there is no packet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Columns)]
#[columns(PACKET_LATENCY, prefix = "packet_latency_", source = "docs/model.md, section 27")]
pub struct LatencyRecord {
    /// The mean; of several seeds that of their means.
    #[column(
        "packet latency",
        unit = "cycles",
        formula = "received - made",
        text = "The mean time from the making of a measured packet to its reception, waiting at the source included. Empty if measured packets are missing: the mean of the others is too low.",
        list = PACKET_LATENCY
    )]
    #[column(
        "network latency",
        name = "network_latency_mean",
        unit = "cycles",
        formula = "received - entered",
        text = "The mean time from the injection of the head of a measured packet to its reception, without waiting at the source. Empty if measured packets are missing.",
        list = NETWORK_LATENCY
    )]
    #[serde(deserialize_with = "optional_number")]
    pub mean: Option<f64>,
    /// The median; `None` of several seeds.
    #[column(
        "packet latency, median",
        unit = "cycles",
        text = "The smallest packet latency that half of the measured packets do not exceed, exact. Empty if a missing packet may change it, and of several seeds.",
        list = PACKET_LATENCY
    )]
    #[column(
        "network latency, median",
        name = "network_latency_p50",
        unit = "cycles",
        text = "The smallest network latency that half of the measured packets do not exceed, exact. Empty if measured packets are missing.",
        list = NETWORK_LATENCY
    )]
    pub p50: Option<u64>,
    /// The 99th percentile; `None` of several seeds.
    #[column(
        "packet latency, p99",
        aliases = ["packet latency, 99th percentile"],
        unit = "cycles",
        text = "The smallest packet latency that 99 per cent of the measured packets do not exceed, exact. Empty if a missing packet may change it, and of several seeds.",
        list = PACKET_LATENCY
    )]
    #[column(
        "network latency, p99",
        name = "network_latency_p99",
        aliases = ["network latency, 99th percentile"],
        unit = "cycles",
        text = "The smallest network latency that 99 per cent of the measured packets do not exceed, exact. Empty if measured packets are missing.",
        list = NETWORK_LATENCY
    )]
    pub p99: Option<u64>,
    /// The greatest.
    #[column(
        "packet latency, largest",
        unit = "cycles",
        text = "The largest packet latency of a measured packet. Empty if measured packets are missing.",
        list = PACKET_LATENCY
    )]
    #[column(
        "network latency, largest",
        name = "network_latency_max",
        unit = "cycles",
        text = "The largest network latency of a measured packet. Empty if measured packets are missing.",
        list = NETWORK_LATENCY
    )]
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
    fn new(outcome: &OpenLoopOutcome) -> Self {
        let sum = |value: fn(&SeedOutcome) -> u64| outcome.seeds.iter().map(value).sum();
        let latencies = |value: fn(&SeedOutcome) -> &LatencySummary| {
            LatencyRecord::new(&outcome.seeds.iter().map(value).collect::<Vec<_>>())
        };
        Self {
            load: outcome.load,
            offered_load: outcome.offered_load(),
            accepted_load: outcome.accepted_load(),
            measured_packets: sum(|seed| seed.measured_packets),
            missing_packets: sum(|seed| seed.missing_packets),
            packet_latency: latencies(|seed| &seed.packet_latency),
            network_latency: latencies(|seed| &seed.network_latency),
            saturated: outcome.saturated.map(|sign| sign.name().into()),
            cycles: outcome.seeds.iter().map(|seed| seed.cycles).max().unwrap_or(0),
            open_loop: MeasurementsRecord::new(outcome),
        }
    }

    /// The measurements of each seed.
    #[must_use]
    pub fn seeds(&self) -> &[SeedRecord] {
        match &self.open_loop {
            MeasurementsRecord::Seeds(seeds) => &seeds.seeds,
            MeasurementsRecord::One(seed) => std::slice::from_ref(seed),
        }
    }

    /// The only seed; `None` of several.
    fn one(&self) -> Option<&SeedRecord> {
        match &self.open_loop {
            MeasurementsRecord::Seeds(_) => None,
            MeasurementsRecord::One(seed) => Some(seed),
        }
    }

    /// The trend of the backlog and the value from which it counts as growing, such as `41/27`; of several seeds the
    /// largest trend.
    #[must_use]
    pub fn trend_in_words(&self) -> Option<String> {
        let seed = self.seeds().iter().max_by_key(|seed| seed.trend)?;
        Some(format!("{}/{}", seed.trend, seed.trend_critical))
    }

    /// The half-width of the interval of 95 % around the mean packet latency \[cycles\].
    #[must_use]
    pub fn half_width(&self) -> Option<f64> {
        match &self.open_loop {
            MeasurementsRecord::Seeds(seeds) => seeds.latency_half_width,
            MeasurementsRecord::One(seed) => seed.latency_half_width,
        }
    }

    /// The limit by the load of channels, such as `limit 1/7 = 0.1429, channel 0>8`; `None` if it is not known.
    #[must_use]
    pub fn limit_in_words(&self) -> Option<String> {
        let seed = self.seeds().first()?;
        let (load, at) = (seed.channel_load.as_deref()?, seed.channel_load_at.as_deref()?);
        let (units, of) = load.split_once('/')?;
        let which = if seed.channel_load_complete { "channel" } else { "terminals only, channel" };
        Some(format!("limit {of}/{units} = {:.4}, {which} {at}", seed.limit()?))
    }
}

impl LatencyRecord {
    /// The latencies of each seed, at least one.
    fn new(seeds: &[&LatencySummary]) -> Self {
        if let [one] = seeds {
            return Self { mean: one.mean, p50: one.p50, p99: one.p99, max: one.max };
        }
        let means: Option<Vec<f64>> = seeds.iter().map(|seed| seed.mean).collect();
        let greatest: Option<Vec<u64>> = seeds.iter().map(|seed| seed.max).collect();
        #[expect(clippy::cast_precision_loss, reason = "at most 30")]
        let mean = |means: Vec<f64>| means.iter().sum::<f64>() / means.len() as f64;
        Self {
            mean: means.map(mean),
            p50: None,
            p99: None,
            max: greatest.and_then(|greatest| greatest.into_iter().max()),
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

/// Columns of open-loop traffic; they are there only if a run has such traffic.
impl Record for OpenLoopRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        let measured = record.map(|record| &record.measured);
        let of_one = measured.and_then(LoadRecord::one);
        let of_all = measured.map(|measured| &measured.open_loop);
        row.section(LOAD, measured);
        row.section(PACKET_LATENCY, measured.map(|measured| &measured.packet_latency));
        row.section(NETWORK_LATENCY, measured.map(|measured| &measured.network_latency));
        row.section(LOAD_END, measured);
        row.section(OF_SEED, of_one);
        row.section(VERDICT, of_all);
        row.section(OF_SEED_RUN, of_one);
        row.section(CHANNEL_LOAD, measured.and_then(|measured| measured.seeds().first())); // the same of all seeds
        row.section(MEAN_OF_SEEDS, of_all);
        row.section(SATURATION, record);
    }
}
