//! A run under open-loop traffic (`docs/model.md` sections 27.1 and 27.3).
//!
//! Packets that wait at a terminal are kept as the cycles at which they were made: all else of them follows from that. One
//! of each terminal is in the injection queue of the routers.

use std::collections::VecDeque;

use cubefold_topology::{Machine, NodeId, mix, narrow};

use super::{
    LatencySummary, OpenLoop, OpenLoopOutcome, Saturated,
    pattern::{Destinations, share_of_draws},
};
use crate::{
    Communication, Deadlock,
    routers::{injection::Departure, network::RouterNetwork, settings::Routers},
};

/// A run.
#[derive(Debug)]
pub(super) struct Run<'run> {
    traffic: &'run OpenLoop,
    load: f64,
    network: RouterNetwork<'run>,
    destinations: Destinations<'run>,
    seeds: Vec<u64>,             // by terminal, what its draws follow from
    below: u64,                  // draws below it make a packet
    weights: u64,                // of all sizes
    waiting: Vec<VecDeque<u64>>, // by terminal, when packets were made
    made: Vec<u64>,              // by number of a packet under way, when it was
    vacant: Vec<u32>,            // numbers of no packet
    packet_latencies: Latencies,
    network_latencies: Latencies,
    counts: Counts,
}

/// Packets and flits of the measured cycles.
#[derive(Debug, Default)]
struct Counts {
    packets: u64,
    received: u64, // of these packets
    offered: u64,  // flits
    accepted: u64, // flits
}

/// A packet at its terminal, as it follows from the cycle in which it was made.
#[derive(Debug, Clone, Copy)]
struct Made {
    to: NodeId,
    units: u64,
}

impl<'run> Run<'run> {
    pub(super) fn new(
        traffic: &'run OpenLoop,
        machine: &'run Machine,
        rules: Communication,
        routers: &Routers,
        load: f64,
    ) -> Self {
        let destinations = Destinations::new(&traffic.pattern, machine);
        machine.prepare_routes(destinations.terminals());
        let first = mix(mix(routers.settings.seed) ^ 1);
        let terminals = destinations.terminals().len();
        Self {
            traffic,
            load,
            network: RouterNetwork::new(machine, rules, routers),
            seeds: (0..terminals as u64).map(|terminal| mix(first ^ terminal)).collect(),
            below: share_of_draws((load / traffic.mean_size()).min(1.0)),
            weights: traffic.sizes.iter().map(|own| own.1).sum(),
            waiting: vec![VecDeque::new(); terminals],
            destinations,
            made: vec![],
            vacant: vec![],
            packet_latencies: Latencies::default(),
            network_latencies: Latencies::default(),
            counts: Counts::default(),
        }
    }

    /// Runs to the end.
    ///
    /// # Errors
    ///
    /// When packets wait for one another for ever.
    pub(super) fn run(mut self) -> Result<OpenLoopOutcome, Deadlock> {
        let end = self.traffic.warmup + self.traffic.measure;
        let (mut received, mut now) = (vec![], 0);
        loop {
            let consumed = self.network.consumed();
            self.network.arrive(now, &mut received);
            if self.is_measured(now) {
                self.counts.accepted += self.network.consumed() - consumed;
            }
            for packet in received.drain(..) {
                self.receive(packet, now);
            }
            for terminal in 0..narrow(self.seeds.len() as u64) {
                self.make(terminal, now);
            }
            self.network.advance(now);
            if let Some(deadlock) = self.network.deadlock() {
                return Err(deadlock);
            }
            let is_complete = self.counts.received == self.counts.packets;
            if now >= end && (is_complete || now == end + self.traffic.drain) {
                return Ok(self.outcome(now));
            }
            now += 1;
        }
    }

    fn is_measured(&self, cycle: u64) -> bool {
        (self.traffic.warmup..self.traffic.warmup + self.traffic.measure).contains(&cycle)
    }

    /// A packet is received.
    fn receive(&mut self, packet: u32, now: u64) {
        let made = self.made[packet as usize];
        if self.is_measured(made) {
            self.counts.received += 1;
            self.packet_latencies.add(now - made);
            self.network_latencies.add(now - self.network.entered(packet));
        }
        self.vacant.push(packet);
    }

    /// A terminal may make a packet; the first that waits joins the injection queue if that is empty.
    fn make(&mut self, terminal: u32, now: u64) {
        let draw = self.draw(terminal, now);
        if draw < self.below
            && let Some(Made { units, .. }) = self.packet(terminal, draw)
        {
            if self.is_measured(now) {
                self.counts.packets += 1;
                self.counts.offered += units;
            }
            self.waiting[terminal as usize].push_back(now);
        }
        let from = self.destinations.terminals()[terminal as usize].index();
        if self.network.has_queue(from) {
            return;
        }
        let Some(made) = self.waiting[terminal as usize].pop_front() else { return };
        let Some(Made { to, units }) = self.packet(terminal, self.draw(terminal, made)) else { return };
        let message = self.vacant.pop().unwrap_or_else(|| {
            self.made.push(0);
            narrow(self.made.len() as u64 - 1)
        });
        self.made[message as usize] = made;
        let to = to.index();
        let draws = [made, from.into(), to.into()];
        self.network.join(&Departure { message, from, to, queue: from, units, draws });
    }

    /// The draw of a terminal in a cycle.
    fn draw(&self, terminal: u32, cycle: u64) -> u64 {
        mix(self.seeds[terminal as usize] ^ cycle)
    }

    /// The packet of a terminal under a draw.
    fn packet(&self, terminal: u32, draw: u64) -> Option<Made> {
        let to = self.destinations.destination(terminal, mix(draw ^ 2))?;
        let mut left = mix(draw ^ 3) % self.weights;
        for &(units, weight) in &self.traffic.sizes {
            if left < weight {
                return Some(Made { to, units });
            }
            left -= weight;
        }
        None
    }

    /// The results after the last cycle.
    fn outcome(&self, cycles: u64) -> OpenLoopOutcome {
        let Counts { packets, received, offered, accepted } = self.counts;
        let places = u128::from(self.traffic.measure) * self.seeds.len() as u128;
        let packet_latency = self.packet_latencies.summary();
        let is_slow = packet_latency.is_some_and(|latency| latency.mean > self.traffic.latency_limit);
        OpenLoopOutcome {
            load: self.load,
            offered_load: ratio(offered.into(), places),
            accepted_load: ratio(accepted.into(), places),
            measured_packets: packets,
            missing_packets: packets - received,
            packet_latency,
            network_latency: self.network_latencies.summary(),
            saturated: match (packets - received, is_slow) {
                (1.., _) => Some(Saturated::Drain),
                (0, true) => Some(Saturated::Latency),
                (0, false) => None,
            },
            cycles,
        }
    }
}

impl OpenLoop {
    /// The mean size of a packet \[flits\].
    pub(super) fn mean_size(&self) -> f64 {
        let units = self.sizes.iter().map(|&(units, weight)| u128::from(units) * u128::from(weight)).sum();
        ratio(units, self.sizes.iter().map(|own| u128::from(own.1)).sum())
    }
}

/// The number of packets of each latency.
#[derive(Debug, Default)]
struct Latencies {
    counts: Vec<u64>, // by latency
}

impl Latencies {
    fn add(&mut self, latency: u64) {
        let place = usize::try_from(latency).unwrap_or(usize::MAX);
        if self.counts.len() <= place {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += 1;
    }

    /// Mean and percentiles; `None` without a packet.
    fn summary(&self) -> Option<LatencySummary> {
        let all = || (0_u64..).zip(self.counts.iter().copied()).filter(|own| own.1 > 0);
        let count: u64 = all().map(|own| own.1).sum();
        let sum: u128 = all().map(|(latency, count)| u128::from(latency) * u128::from(count)).sum();
        let not_exceeded_by = |percent: u128| {
            let needed = (u128::from(count) * percent).div_ceil(100);
            let mut below = 0_u128;
            all().find(|own| {
                below += u128::from(own.1);
                below >= needed
            })
        };
        Some(LatencySummary {
            p50: not_exceeded_by(50)?.0,
            p99: not_exceeded_by(99)?.0,
            max: all().last()?.0,
            mean: ratio(sum, count.into()),
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "a ratio that is printed")]
fn ratio(numerator: u128, denominator: u128) -> f64 {
    numerator as f64 / denominator as f64
}
