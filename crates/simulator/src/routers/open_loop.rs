//! Open-loop traffic: packets at a given load, and their latencies (`docs/model.md` sections 27 and 30.4 to 30.7).

mod admission;
mod batches;
mod latencies;
mod outcome;
mod pattern;
mod rows;
mod run;
mod saturation;
mod source;
mod warm_up;

use cubefold_topology::Machine;

pub use self::{
    admission::OpenLoopError,
    batches::{Batch, Saturated},
    latencies::LatencySummary,
    outcome::{OpenLoopOutcome, SeedOutcome},
    pattern::TrafficPattern,
    rows::{BufferRow, ChannelEnd, ChannelRow, OpenLoopRows, PacketKind, PacketRow, WantedRows},
    saturation::{Saturation, SaturationSearch},
    warm_up::WarmUp,
};
pub(super) use self::{pattern::Destinations, rows::RowRecorder};
use self::{run::Run, warm_up::warm_up_cycles};
use super::{
    channel_load::{ChannelLoad, ChannelLoads},
    network::RouterNetwork,
};
use crate::Communication;

/// Traffic that every terminal generates independently of its delivery (`docs/model.md` section 27).
#[derive(Debug, Clone, PartialEq)]
pub struct OpenLoop {
    /// The destinations of packets.
    pub pattern: TrafficPattern,
    /// The sizes of packets, each with its weight; neither is 0.
    pub sizes: Vec<(u64, u64)>,
    /// The bursts in which packets are made; `None` for a steady rate.
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
    /// than buffers under virtual cut-through, or packets deadlock.
    pub fn run(
        &self,
        machine: &Machine,
        rules: Communication,
        load: f64,
    ) -> Result<OpenLoopOutcome, OpenLoopError> {
        Ok(self.run_with_rows(machine, rules, load, WantedRows::NONE, &ChannelLoads::default())?.0)
    }

    /// Runs the traffic at a load, and keeps rows of the run with the first seed. Loads of channels that runs share are
    /// `known`.
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
        known: &ChannelLoads,
    ) -> Result<(OpenLoopOutcome, OpenLoopRows), OpenLoopError> {
        self.check(machine, rules, load)?;
        let routers = rules.router_rules().ok_or(OpenLoopError::NoRouters)?;
        let channel_load = known.load(self, machine, &routers);
        self.run_at(machine, rules, load, channel_load, wanted)
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
            let mut routers = routers;
            routers.settings.seed = routers.settings.seed.wrapping_add(number);
            let (warmup, is_found) = warm_up_cycles(self, machine, rules, &routers, load)?;
            let wanted = if number == 0 { wanted } else { WantedRows::NONE };
            let run = Run::new(self, machine, rules, &routers, load).measuring(warmup, wanted);
            let (outcome, of_seed) = run.run(channel_load, is_found)?;
            seeds.push(outcome);
            if number == 0 {
                rows = of_seed;
            }
        }
        Ok((OpenLoopOutcome::new(load, channel_load, seeds), rows))
    }

    /// Estimates the memory that a run takes at a load, or at a lower one \[bytes\].
    #[must_use]
    pub fn bytes(&self, machine: &Machine, rules: Communication, load: f64) -> u64 {
        let Some(routers) = rules.router_rules() else { return 0 };
        let cycles = self.warmup.longest().saturating_add(self.measure).saturating_add(self.drain);
        // All packets may wait at their terminals, in queues that grow by doubling; a reply takes more memory.
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
        // A list that grows by doubling is copied, and sorting takes half of its size.
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
