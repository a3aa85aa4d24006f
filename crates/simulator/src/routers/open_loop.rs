//! Open-loop traffic: packets at a given load, and what they take (`docs/model.md` section 27).

mod pattern;
mod run;

use cubefold_topology::{Machine, NodeId};

use self::run::Run;
use super::{Deadlock, network::RouterNetwork, settings::Routers};
use crate::{Communication, RouterError};

/// Traffic that every terminal makes by itself, whatever becomes of it (`docs/model.md` section 27).
#[derive(Debug, Clone, PartialEq)]
pub struct OpenLoop {
    /// The destinations of packets.
    pub pattern: TrafficPattern,
    /// The sizes of packets, each with its weight; neither is 0.
    pub sizes: Vec<(u64, u64)>,
    /// Cycles before packets are measured, `W`.
    pub warmup: u64,
    /// Cycles in which packets are measured, `M`, at least 1.
    pub measure: u64,
    /// Cycles after those in which measured packets may still arrive, `X`.
    pub drain: u64,
    /// The mean latency of a packet above which the network counts as saturated \[cycles\].
    pub latency_limit: f64,
}

/// The destinations of packets, by source (`docs/model.md` section 27).
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
}

impl TrafficPattern {
    /// The names of all patterns in files, the default first.
    pub const NAMES: [&'static str; 10] = [
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
    ];

    /// Its name in files.
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
        };
        Self::NAMES[place]
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

/// The results of a run under open-loop traffic (`docs/model.md` section 27).
#[derive(Debug, Clone, PartialEq)]
pub struct OpenLoopOutcome {
    /// The load asked for \[flits a terminal and cycle\].
    pub load: f64,
    /// Flits made in the measured cycles \[flits a terminal and cycle\].
    pub offered_load: f64,
    /// Flits consumed in the measured cycles \[flits a terminal and cycle\].
    pub accepted_load: f64,
    /// Packets made in the measured cycles.
    pub measured_packets: u64,
    /// Measured packets that were not received by the end.
    pub missing_packets: u64,
    /// From the making of a measured packet to its receipt; `None` if none was received.
    pub packet_latency: Option<LatencySummary>,
    /// From the injection of its first flit to its receipt; `None` if none was received.
    pub network_latency: Option<LatencySummary>,
    /// Whether and by what the network is saturated.
    pub saturated: Option<Saturated>,
    /// The number of the last cycle.
    pub cycles: u64,
}

/// Latencies of measured packets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatencySummary {
    /// Their mean \[cycles\].
    pub mean: f64,
    /// The smallest that half of them do not exceed \[cycles\].
    pub p50: u64,
    /// The smallest that 99 % of them do not exceed \[cycles\].
    pub p99: u64,
    /// The largest \[cycles\].
    pub max: u64,
}

/// The sign by which a network counts as saturated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saturated {
    /// A measured packet is missing at the end.
    Drain,
    /// The mean latency of packets exceeds its limit.
    Latency,
}

impl Saturated {
    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Drain => "drain",
            Self::Latency => "latency",
        }
    }
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
        self.check(machine, rules, load)?;
        let routers = rules.router_rules().ok_or(OpenLoopError::NoRouters)?;
        Ok(Run::new(self, machine, rules, &routers, load).run()?)
    }

    /// Searches for the saturation load: a run in the middle of the interval moves its upper end there if it is saturated,
    /// else the lower, until the interval is at most the resolution. Then an end of the whole interval is run if it has
    /// not moved, for it was only assumed.
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
        let SaturationSearch { mut low, mut high, resolution } = search;
        let mut runs = vec![];
        while high - low > resolution {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break; // no number is between them
            }
            let outcome = self.run(machine, rules, middle)?;
            if outcome.saturated.is_some() {
                high = middle;
            } else {
                low = middle;
            }
            runs.push(outcome);
        }
        if low > 0.0 && runs.iter().all(|run| run.saturated.is_some()) {
            runs.push(self.run(machine, rules, low)?);
        }
        if runs.iter().all(|run| run.saturated.is_none()) {
            runs.push(self.run(machine, rules, search.high)?);
        }
        let stable = runs.iter().filter(|run| run.saturated.is_none()).map(|run| run.load);
        Ok(Saturation { load: stable.max_by(f64::total_cmp), runs })
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
        if self.measure == 0 {
            return Err(out_of_range("0 measured cycles".to_owned(), "at least 1"));
        }
        let windows = [self.warmup, self.measure, self.drain].map(u128::from);
        if rules.latency().get() >= 1 << 62 {
            return Err(out_of_range("a latency of 2^62 cycles or more".to_owned(), "less"));
        }
        if windows.iter().sum::<u128>() >= 1 << 62 {
            return Err(out_of_range("windows of 2^62 cycles or more".to_owned(), "fewer in all"));
        }
        self.check_sizes(&routers)?;
        self.pattern.check(machine)
    }

    fn check_sizes(&self, routers: &Routers) -> Result<(), OpenLoopError> {
        let expected = "at least one size, sizes and weights of at least 1, and weights below 2^63 together";
        let weights: u128 = self.sizes.iter().map(|own| u128::from(own.1)).sum();
        if self.sizes.is_empty()
            || self.sizes.iter().any(|&(units, weight)| units == 0 || weight == 0 || units >= 1 << 32)
            || weights >= 1 << 63
        {
            return Err(out_of_range("sizes of packets out of their ranges".to_owned(), expected));
        }
        Ok(routers.check_packet(self.sizes.iter().map(|own| own.0).max().unwrap_or(0))?)
    }

    /// Estimates the memory that a run takes at a load, or at a lower one \[bytes\].
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an estimate, of a number that is not negative"
    )]
    pub fn bytes(&self, machine: &Machine, rules: Communication, load: f64) -> u64 {
        let Some(routers) = rules.router_rules() else { return 0 };
        let cycles = self.warmup.saturating_add(self.measure).saturating_add(self.drain);
        // All packets may wait at their terminals, an eighth more than are expected, in queues that grow by doubling.
        let share = (load / self.mean_size()).min(1.0);
        let made = ((1.125 * share * cycles as f64) as u64).saturating_add(64);
        let waiting = machine.host_count().saturating_mul(made).saturating_mul(16);
        let latencies = cycles.saturating_mul(32);
        RouterNetwork::bytes(machine, &routers, machine.host_count())
            .saturating_add(waiting)
            .saturating_add(latencies)
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

fn out_of_range(what: String, expected: &'static str) -> OpenLoopError {
    OpenLoopError::OutOfRange { what, expected }
}
