//! Open-loop traffic: packets at a given load, and what they take (`docs/model.md` sections 27 and 30.4 to 30.7).

mod batches;
mod latencies;
mod pattern;
mod rows;
mod run;
mod source;
mod warm_up;

use cubefold_topology::{Machine, NodeId};

use self::{
    batches::{BATCH_COUNTS, half_width},
    run::Run,
    warm_up::warm_up_cycles,
};
pub use self::{
    batches::{Batch, Saturated},
    latencies::LatencySummary,
    rows::{BufferRow, ChannelEnd, ChannelRow, OpenLoopRows, PacketKind, PacketRow, WantedRows},
    warm_up::WarmUp,
};
pub(super) use self::{pattern::Destinations, rows::RowRecorder};
use super::{Deadlock, channel_load::ChannelLoad, network::RouterNetwork, settings::Routers};
use crate::{Communication, RouterError};

/// Traffic that every terminal makes by itself, whatever becomes of it (`docs/model.md` section 27).
#[derive(Debug, Clone, PartialEq)]
pub struct OpenLoop {
    /// The destinations of packets.
    pub pattern: TrafficPattern,
    /// The sizes of packets, each with its weight; neither is 0.
    pub sizes: Vec<(u64, u64)>,
    /// The bursts in which packets are made; all the time without.
    pub bursts: Option<Bursts>,
    /// The replies to packets.
    pub reply: Option<Replies>,
    /// The cycles before packets are measured, `W`.
    pub warmup: WarmUp,
    /// Cycles in which packets are measured, `M`, at least as many as batches.
    pub measure: u64,
    /// Cycles after those in which measured packets may still arrive, `X`.
    pub drain: u64,
    /// The batches of the measured cycles: 5, 10, 20 or 30.
    pub batches: u64,
    /// The runs, with the seeds from that of the routers on: 1 to 10, 20 or 30.
    pub seeds: u64,
    /// The mean latency of a packet above which the network counts as saturated \[cycles\].
    pub latency_limit: f64,
}

/// The bursts of a terminal: it is on or off, and makes packets only while it is on (`docs/model.md` section 30.4).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bursts {
    /// The mean length of a burst, at least 1 \[cycles\].
    pub cycles: f64,
    /// The load while a terminal is on, above 0, at most the mean size \[units a cycle\].
    pub load: f64,
}

/// The replies to packets (`docs/model.md` section 30.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replies {
    /// The sizes of replies, each with its weight; neither is 0.
    pub sizes: Vec<(u64, u64)>,
    /// The time from the receipt of a packet to the making of its reply \[cycles\].
    pub delay: u64,
}

/// The destinations of packets, by source (`docs/model.md` sections 27 and 30.4).
#[derive(Debug, Clone, PartialEq)]
pub enum TrafficPattern {
    /// Any terminal, the source included.
    Uniform,
    /// Any other terminal.
    UniformOthers,
    /// The number of the source rotated by half its bits.
    Transpose,
    /// The number of the source rotated left by one bit.
    Shuffle,
    /// The number of the source, its bits reversed.
    BitReversal,
    /// The number of the source, every bit inverted.
    BitComplement,
    /// On grids `ceil(k / 2) - 1` steps on in every dimension.
    Tornado,
    /// On grids one step on in every dimension.
    Neighbour,
    /// One of some terminals for a share of the packets, any terminal for the others.
    Hotspot {
        /// The terminals, at least one.
        nodes: Vec<NodeId>,
        /// The share, in 0 to 1.
        share: f64,
    },
    /// One destination for each source, by number; a terminal that is its own sends nothing.
    Listed(Vec<NodeId>),
    /// The terminal of the same place in the group that lies some groups on.
    Adversarial {
        /// The terminals of a group, which divide all into at least two groups.
        group_size: u32,
        /// The groups from the source's to the destination's.
        groups_on: u64,
    },
    /// Any terminal of the group that lies some groups on.
    AdversarialRandom {
        /// The terminals of a group, which divide all into at least two groups.
        group_size: u32,
        /// The groups from the source's to the destination's.
        groups_on: u64,
    },
    /// The terminal of the same place in the group that lies `ceil(groups / 2) - 1` groups on.
    GroupTornado {
        /// The terminals of a group, which divide all into at least two groups.
        group_size: u32,
    },
}

impl TrafficPattern {
    /// The names of all patterns in files, the default first. After `adv+` and `adv-random+` comes a number of groups.
    pub const NAMES: [&'static str; 13] = [
        "uniform",
        "uniform-others",
        "transpose",
        "shuffle",
        "bit-reversal",
        "bit-complement",
        "tornado",
        "neighbour",
        "hotspot",
        "file",
        "adv+",
        "adv-random+",
        "group-tornado",
    ];

    /// Its name in files, without a number of groups.
    #[must_use]
    pub fn name(&self) -> &'static str {
        let place = match self {
            Self::Uniform => 0,
            Self::UniformOthers => 1,
            Self::Transpose => 2,
            Self::Shuffle => 3,
            Self::BitReversal => 4,
            Self::BitComplement => 5,
            Self::Tornado => 6,
            Self::Neighbour => 7,
            Self::Hotspot { .. } => 8,
            Self::Listed(_) => 9,
            Self::Adversarial { .. } => 10,
            Self::AdversarialRandom { .. } => 11,
            Self::GroupTornado { .. } => 12,
        };
        Self::NAMES[place]
    }

    /// Its whole name in files.
    #[must_use]
    pub fn full_name(&self) -> String {
        match self {
            Self::Adversarial { groups_on, .. } | Self::AdversarialRandom { groups_on, .. } => {
                format!("{}{groups_on}", self.name())
            }
            _ => self.name().to_owned(),
        }
    }
}

/// The reason for which open-loop traffic is refused, or its outcome must not be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OpenLoopError {
    /// A machine whose messages have no routers with finite buffers.
    #[error(
        "open-loop traffic without routers with finite buffers, expected wormhole or virtual-cut-through"
    )]
    NoRouters,
    /// A load out of its range.
    #[error("a load of {load}, expected above 0 and at most 1")]
    Load {
        /// The load found.
        load: f64,
    },
    /// A pattern of bits on a number of terminals that is no power of two, or not one of an even number of bits.
    #[error("pattern {pattern} of {terminals} terminals, expected {expected}")]
    Terminals {
        /// The pattern.
        pattern: &'static str,
        /// The terminals.
        terminals: u64,
        /// The numbers that would do.
        expected: &'static str,
    },
    /// A pattern of coordinates on a network.
    #[error("pattern {pattern} on a network, expected a grid: it goes by coordinates")]
    NoCoordinates {
        /// The pattern.
        pattern: &'static str,
    },
    /// A destination that is no terminal, or a list of another length.
    #[error("{found} as a terminal, expected one of 0 to {greatest}")]
    NoSuchTerminal {
        /// The number found.
        found: u64,
        /// The greatest terminal.
        greatest: u64,
    },
    /// A list with more or fewer destinations than terminals.
    #[error("{found} destinations, expected {terminals}, one for each terminal")]
    Destinations {
        /// The destinations found.
        found: u64,
        /// The terminals.
        terminals: u64,
    },
    /// Groups that do not divide the terminals into two or more.
    #[error(
        "groups of {group_size} of {terminals} terminals, expected a divisor that makes at least two groups"
    )]
    Groups {
        /// The terminals of a group.
        group_size: u64,
        /// The terminals.
        terminals: u64,
    },
    /// Sizes, windows, shares or bounds of a search out of their ranges.
    #[error("{what}, expected {expected}")]
    OutOfRange {
        /// The value found.
        what: String,
        /// The values expected.
        expected: &'static str,
    },
    /// Buffers that do not hold the packets.
    #[error(transparent)]
    Routers(#[from] RouterError),
    /// Packets that wait for one another for ever.
    #[error(transparent)]
    Deadlock(#[from] Deadlock),
}

/// The results of open-loop traffic at a load (`docs/model.md` sections 27 and 30.6).
#[derive(Debug, Clone, PartialEq)]
pub struct OpenLoopOutcome {
    /// The load asked for \[flits a terminal and cycle\].
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

/// The interval in which a saturation load is searched for, and how closely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SaturationSearch {
    /// The lower end, in 0 to 1.
    pub low: f64,
    /// The upper end, above the lower, at most 1.
    pub high: f64,
    /// The interval at which the search ends, above 0.
    pub resolution: f64,
}

/// The result of a search for the saturation load.
#[derive(Debug, Clone, PartialEq)]
pub struct Saturation {
    /// The highest load that was run without saturation; `None` if all that were run saturate.
    pub load: Option<f64>,
    /// The runs, in their order.
    pub runs: Vec<OpenLoopOutcome>,
}

impl OpenLoop {
    /// Traffic of packets of one flit, with the defaults of everything but the windows: warm-up, measured cycles and
    /// drain.
    #[must_use]
    pub fn new(pattern: TrafficPattern, [warmup, measure, drain]: [u64; 3]) -> Self {
        Self {
            pattern,
            sizes: vec![(1, 1)],
            bursts: None,
            reply: None,
            warmup: WarmUp::Cycles(warmup),
            measure,
            drain,
            batches: 10,
            seeds: 1,
            latency_limit: 500.0,
        }
    }

    /// Runs the traffic at a load on the machine whose routers the rules have.
    ///
    /// # Errors
    ///
    /// When the load or another parameter is out of its range, the pattern does not suit the machine, packets are larger
    /// than buffers under virtual cut-through, or packets wait for one another for ever.
    pub fn run(
        &self,
        machine: &Machine,
        rules: Communication,
        load: f64,
    ) -> Result<OpenLoopOutcome, OpenLoopError> {
        Ok(self.run_with_rows(machine, rules, load, WantedRows::NONE)?.0)
    }

    /// Runs the traffic at a load, and keeps rows of the run with the first seed.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn run_with_rows(
        &self,
        machine: &Machine,
        rules: Communication,
        load: f64,
        wanted: WantedRows,
    ) -> Result<(OpenLoopOutcome, OpenLoopRows), OpenLoopError> {
        self.check(machine, rules, load)?;
        let routers = rules.router_rules().ok_or(OpenLoopError::NoRouters)?;
        let channel_load = ChannelLoad::new(self, machine, &routers);
        self.run_at(machine, rules, load, channel_load, wanted)
    }

    /// Searches for the saturation load: a run in the middle of the interval moves its upper end there if it is saturated,
    /// else the lower, until the interval is at most the resolution. The upper end is at most the limit of the channels.
    /// Then an end of the whole interval is run if it has not moved, for it was only assumed.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), and when the interval is empty or not in 0 to 1, or the resolution is not above 0.
    pub fn saturation(
        &self,
        machine: &Machine,
        rules: Communication,
        search: SaturationSearch,
    ) -> Result<Saturation, OpenLoopError> {
        search.check()?;
        self.check(machine, rules, search.high)?;
        let routers = rules.router_rules().ok_or(OpenLoopError::NoRouters)?;
        let channel_load = ChannelLoad::new(self, machine, &routers);
        let run = |load| {
            self.run_at(machine, rules, load, channel_load, WantedRows::NONE).map(|(outcome, _)| outcome)
        };
        let highest = channel_load.limit().map_or(search.high, |limit| search.high.min(limit));
        let SaturationSearch { mut low, resolution, .. } = search;
        let mut high = highest;
        let mut runs: Vec<OpenLoopOutcome> = vec![];
        while high - low > resolution {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break; // no number is between them
            }
            let outcome = run(middle)?;
            if outcome.saturated.is_some() {
                high = middle;
            } else {
                low = middle;
            }
            runs.push(outcome);
        }
        if low > 0.0 && runs.iter().all(|run| run.saturated.is_some()) {
            runs.push(run(low)?);
        }
        if highest > search.low && runs.iter().all(|run| run.saturated.is_none()) {
            runs.push(run(highest)?);
        }
        let stable = runs.iter().filter(|run| run.saturated.is_none()).map(|run| run.load);
        Ok(Saturation { load: stable.max_by(f64::total_cmp), runs })
    }

    /// Runs the traffic at a load with every seed.
    fn run_at(
        &self,
        machine: &Machine,
        rules: Communication,
        load: f64,
        channel_load: ChannelLoad,
        wanted: WantedRows,
    ) -> Result<(OpenLoopOutcome, OpenLoopRows), OpenLoopError> {
        let routers = rules.router_rules().ok_or(OpenLoopError::NoRouters)?;
        let (mut seeds, mut rows) = (vec![], OpenLoopRows::default());
        for number in 0..self.seeds {
            let mut own = routers;
            own.settings.seed = own.settings.seed.wrapping_add(number);
            let (warmup, is_found) = warm_up_cycles(self, machine, rules, &own, load)?;
            let wanted = if number == 0 { wanted } else { WantedRows::NONE };
            let run = Run::new(self, machine, rules, &own, load).measuring(warmup, wanted);
            let (outcome, of_seed) = run.run(channel_load, is_found)?;
            seeds.push(outcome);
            if number == 0 {
                rows = of_seed;
            }
        }
        Ok((OpenLoopOutcome::new(load, channel_load, seeds), rows))
    }

    /// Checks what [`run`](Self::run) refuses, deadlocks apart.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn check(&self, machine: &Machine, rules: Communication, load: f64) -> Result<(), OpenLoopError> {
        let routers = rules.router_rules().ok_or(OpenLoopError::NoRouters)?;
        if rules.packet().is_some() {
            return Err(out_of_range("packets of messages".to_owned(), "none: a packet is a message"));
        }
        if !(load > 0.0 && load <= 1.0) {
            return Err(OpenLoopError::Load { load });
        }
        if self.latency_limit.is_nan() || self.latency_limit <= 0.0 {
            return Err(out_of_range(format!("a limit of latency of {}", self.latency_limit), "above 0"));
        }
        if !BATCH_COUNTS.contains(&self.batches) {
            return Err(out_of_range(format!("{} batches", self.batches), "5, 10, 20 or 30"));
        }
        if self.measure < self.batches {
            return Err(out_of_range(
                format!("{} measured cycles", self.measure),
                "at least one for each batch",
            ));
        }
        if !(matches!(self.seeds, 1..=10 | 20 | 30)) {
            return Err(out_of_range(format!("{} seeds", self.seeds), "1 to 10, 20 or 30"));
        }
        self.warmup.check()?;
        let delay = self.reply.as_ref().map_or(0, |reply| reply.delay);
        let windows = [self.warmup.longest(), self.measure, self.drain, delay].map(u128::from);
        if rules.latency().get() >= 1 << 62 {
            return Err(out_of_range("a latency of 2^62 cycles or more".to_owned(), "less"));
        }
        if windows.iter().sum::<u128>() >= 1 << 62 {
            return Err(out_of_range("windows of 2^62 cycles or more".to_owned(), "fewer in all"));
        }
        check_sizes(&self.sizes, &routers)?;
        if let Some(reply) = &self.reply {
            check_sizes(&reply.sizes, &routers)?;
        }
        self.check_bursts()?;
        self.pattern.check(machine)
    }

    fn check_bursts(&self) -> Result<(), OpenLoopError> {
        let Some(Bursts { cycles, load }) = self.bursts else { return Ok(()) };
        if !(cycles >= 1.0 && cycles.is_finite()) {
            return Err(out_of_range(format!("bursts of {cycles} cycles"), "at least 1"));
        }
        if !(load > 0.0 && load <= self.mean_size()) {
            return Err(out_of_range(
                format!("a load of bursts of {load}"),
                "above 0, at most the mean size of a packet",
            ));
        }
        Ok(())
    }

    /// Estimates the memory that a run takes at a load, or at a lower one \[bytes\].
    #[must_use]
    pub fn bytes(&self, machine: &Machine, rules: Communication, load: f64) -> u64 {
        let Some(routers) = rules.router_rules() else { return 0 };
        let cycles = self.warmup.longest().saturating_add(self.measure).saturating_add(self.drain);
        // All packets may wait at their terminals, in queues that grow by doubling; replies take more each.
        let of_packet = if self.reply.is_some() { 16 + 80 } else { 16 };
        let waiting = self.most_requests(machine, load, cycles).saturating_mul(of_packet);
        let latencies = cycles.saturating_mul(32);
        RouterNetwork::bytes(machine, &routers, machine.host_count())
            .saturating_add(waiting)
            .saturating_add(latencies)
    }

    /// Estimates the memory of the rows of a run at a load, or at a lower one \[bytes\].
    #[must_use]
    pub fn bytes_of_rows(
        &self,
        machine: &Machine,
        rules: Communication,
        load: f64,
        wanted: WantedRows,
    ) -> u64 {
        let Some(routers) = rules.router_rules() else { return 0 };
        // A list that grows by doubling is copied, and sorting takes half of it.
        let packets = if wanted.packets {
            let kinds = if self.reply.is_some() { 2 } else { 1 };
            let measured = self.most_requests(machine, load, self.measure).saturating_mul(kinds);
            measured.saturating_mul(3 * size_of::<PacketRow>() as u64)
        } else {
            0
        };
        RouterNetwork::bytes_of_rows(machine, &routers, wanted).saturating_add(packets)
    }

    /// The requests that all terminals make in a number of cycles: an eighth more than are expected.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an estimate, of a number that is not negative"
    )]
    fn most_requests(&self, machine: &Machine, load: f64, cycles: u64) -> u64 {
        let share = (load / self.mean_size()).min(1.0);
        let of_terminal = ((1.125 * share * cycles as f64) as u64).saturating_add(64);
        machine.host_count().saturating_mul(of_terminal)
    }
}

impl SaturationSearch {
    /// Checks the interval and the resolution.
    ///
    /// # Errors
    ///
    /// When the interval is empty or not in 0 to 1, or the resolution is not above 0.
    pub fn check(&self) -> Result<(), OpenLoopError> {
        let Self { low, high, resolution } = *self;
        if !(0.0 <= low && low < high && high <= 1.0) {
            let what = format!("a search from {low} to {high}");
            return Err(out_of_range(what, "loads in 0 to 1, the first the lower"));
        }
        if resolution > 0.0 {
            return Ok(());
        }
        Err(out_of_range(format!("a resolution of {resolution}"), "above 0"))
    }
}

impl OpenLoopOutcome {
    /// The results of all seeds, at least one.
    fn new(load: f64, channel_load: ChannelLoad, seeds: Vec<SeedOutcome>) -> Self {
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
        self.mean(|own| own.offered_load)
    }

    /// The load that was consumed in the measured cycles, the mean over all seeds \[flits a terminal and cycle\].
    #[must_use]
    pub fn accepted_load(&self) -> f64 {
        self.mean(|own| own.accepted_load)
    }

    #[expect(clippy::cast_precision_loss, reason = "at most 30")]
    fn mean(&self, value: impl Fn(&SeedOutcome) -> f64) -> f64 {
        self.seeds.iter().map(value).sum::<f64>() / self.seeds.len() as f64
    }
}

/// Checks sizes of packets with their weights.
fn check_sizes(sizes: &[(u64, u64)], routers: &Routers) -> Result<(), OpenLoopError> {
    let expected = "at least one size, sizes and weights of at least 1, and weights below 2^63 together";
    let weights: u128 = sizes.iter().map(|size| u128::from(size.1)).sum();
    if sizes.is_empty()
        || sizes.iter().any(|&(units, weight)| units == 0 || weight == 0 || units >= 1 << 32)
        || weights >= 1 << 63
    {
        return Err(out_of_range("sizes of packets out of their ranges".to_owned(), expected));
    }
    Ok(routers.check_packet(sizes.iter().map(|size| size.0).max().unwrap_or(0))?)
}

fn out_of_range(what: String, expected: &'static str) -> OpenLoopError {
    OpenLoopError::OutOfRange { what, expected }
}
