//! The results of open-loop traffic (`docs/model.md` section 30.6).

use super::{
    LatencySummary,
    batches::{Batch, Saturated, half_width},
};
use crate::routers::channel_load::ChannelLoad;

/// The results of open-loop traffic at a load (`docs/model.md` sections 27 and 30.6).
#[derive(Debug, Clone, PartialEq)]
pub struct OpenLoopOutcome {
    /// The requested load \[flits a terminal and cycle\].
    pub load: f64,
    /// The greatest load of a channel.
    pub channel_load: ChannelLoad,
    /// The results with each seed, at least one.
    pub seeds: Vec<SeedOutcome>,
    /// Whether and by what the network is saturated: of several seeds the first sign that one has.
    pub saturated: Option<Saturated>,
    /// The mean packet latency, of several seeds the mean of their means; `None` if one has none \[cycles\].
    pub latency_mean: Option<f64>,
    /// The half-width of the interval of 95 % around the mean, from the batches, or from the means of several seeds
    /// \[cycles\].
    pub latency_half_width: Option<f64>,
}

/// The results with one seed.
#[derive(Debug, Clone, PartialEq)]
pub struct SeedOutcome {
    /// Flits made in the measured cycles \[flits a terminal and cycle\].
    pub offered_load: f64,
    /// Flits consumed in the measured cycles \[flits a terminal and cycle\].
    pub accepted_load: f64,
    /// Packets made in the measured cycles, and the replies to them.
    pub measured_packets: u64,
    /// Measured packets that were not received by the end.
    pub missing_packets: u64,
    /// From the making of a measured packet to its receipt.
    pub packet_latency: LatencySummary,
    /// From the injection of its first flit to its receipt.
    pub network_latency: LatencySummary,
    /// The sum of the packet latencies, with the least that those of missing packets can be \[cycles\].
    pub latency_sum_at_least: u64,
    /// The sum of the times from the making of a request to the receipt of its reply; `None` if one is missing \[cycles\].
    pub round_trip_sum: Option<u64>,
    /// Flits made in the measured cycles.
    pub made_units: u64,
    /// Flits consumed in the measured cycles.
    pub consumed_units: u64,
    /// The sum of the signs of the differences of the backlogs of later and earlier batches.
    pub trend: i64,
    /// The trend from which the backlog counts as growing, if accepted is below offered.
    pub trend_critical: i64,
    /// Whether and by what the network is saturated.
    pub saturated: Option<Saturated>,
    /// The number of the last cycle.
    pub cycles: u64,
    /// The cycles before packets were measured.
    pub warmup: u64,
    /// Whether these were given, or found by a pilot run.
    pub is_warmup_found: bool,
    /// The half-width of the interval of 95 % around the mean packet latency \[cycles\].
    pub latency_half_width: Option<f64>,
    /// The batches of the measured cycles.
    pub batches: Vec<Batch>,
}

impl OpenLoopOutcome {
    /// The results of all seeds, at least one.
    pub(super) fn new(load: f64, channel_load: ChannelLoad, seeds: Vec<SeedOutcome>) -> Self {
        let means: Option<Vec<f64>> = seeds.iter().map(|seed| seed.packet_latency.mean).collect();
        #[expect(clippy::cast_precision_loss, reason = "at most 30")]
        let mean = |means: &Vec<f64>| means.iter().sum::<f64>() / means.len() as f64;
        let latency_half_width = match &seeds[..] {
            [one] => one.latency_half_width,
            _ => means.as_deref().and_then(half_width),
        };
        Self {
            load,
            channel_load,
            saturated: seeds.iter().filter_map(|seed| seed.saturated).min(),
            latency_mean: means.as_ref().map(mean),
            latency_half_width,
            seeds,
        }
    }

    /// The load that was made in the measured cycles, the mean over all seeds \[flits a terminal and cycle\].
    #[must_use]
    pub fn offered_load(&self) -> f64 {
        self.mean(|seed| seed.offered_load)
    }

    /// The load that was consumed in the measured cycles, the mean over all seeds \[flits a terminal and cycle\].
    #[must_use]
    pub fn accepted_load(&self) -> f64 {
        self.mean(|seed| seed.accepted_load)
    }

    #[expect(clippy::cast_precision_loss, reason = "at most 30")]
    fn mean(&self, value: impl Fn(&SeedOutcome) -> f64) -> f64 {
        self.seeds.iter().map(value).sum::<f64>() / self.seeds.len() as f64
    }
}
