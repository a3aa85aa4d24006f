//! The packets that terminals make: when, how large, and where to (`docs/model.md` sections 27.1 and 30.4).

use cubefold_topology::{NodeId, mix};

use super::{
    Bursts, OpenLoop, Replies,
    batches::ratio,
    pattern::{Destinations, share_of_draws},
};

/// The draws of all terminals.
#[derive(Debug)]
pub(super) struct Sources<'run> {
    destinations: Destinations<'run>,
    sizes: &'run [(u64, u64)],
    weights: u64,    // of all sizes
    seed: u64,       // of the routers, mixed
    seeds: Vec<u64>, // by terminal, the source of its draws
    below: u64,      // draws below it make a packet
    bursts: Option<OnOff>,
}

/// Terminals that are on or off.
#[derive(Debug)]
struct OnOff {
    seeds: Vec<u64>,  // by terminal
    is_on: Vec<bool>, // by terminal
    end: u64,         // draws below it end a burst
    begin: u64,       // draws below it start one
}

/// The destination and size of a packet, as they follow from its draw.
#[derive(Debug, Clone, Copy)]
pub(super) struct Made {
    pub(super) to: NodeId,
    pub(super) units: u64,
}

impl<'run> Sources<'run> {
    pub(super) fn new(
        traffic: &'run OpenLoop,
        destinations: Destinations<'run>,
        seed: u64,
        load: f64,
    ) -> Self {
        let terminals = destinations.terminals.len() as u64;
        let seeds =
            |tag: u64| (0..terminals).map(move |terminal| mix(mix(mix(seed) ^ tag) ^ terminal)).collect();
        let mean = traffic.mean_size();
        let load_while_on = traffic.bursts.map_or(load, |bursts| bursts.load);
        Self {
            seed: mix(seed),
            seeds: seeds(1),
            below: share_of_draws((load_while_on / mean).min(1.0)),
            weights: traffic.sizes.iter().map(|size| size.1).sum(),
            sizes: &traffic.sizes,
            bursts: traffic.bursts.map(|bursts| OnOff::new(bursts, load, seeds(5), seeds(4))),
            destinations,
        }
    }

    pub(super) fn terminals(&self) -> &[NodeId] {
        &self.destinations.terminals
    }

    /// The packet that a terminal makes in a cycle, if any; every cycle of every terminal is requested once, in
    /// order.
    #[inline]
    pub(super) fn make(&mut self, terminal: u32, cycle: u64) -> Option<Made> {
        let is_on = self.bursts.as_mut().is_none_or(|bursts| bursts.is_on_in(terminal, cycle));
        let draw = self.draw(terminal, cycle);
        if is_on && draw < self.below { self.packet(terminal, draw) } else { None }
    }

    /// The packet that a terminal made in an earlier cycle.
    pub(super) fn made_in(&self, terminal: u32, cycle: u64) -> Option<Made> {
        self.packet(terminal, self.draw(terminal, cycle))
    }

    #[inline]
    fn draw(&self, terminal: u32, cycle: u64) -> u64 {
        mix(self.seeds[terminal as usize] ^ cycle)
    }

    fn packet(&self, terminal: u32, draw: u64) -> Option<Made> {
        let to = self.destinations.destination(terminal, mix(draw ^ 2))?;
        Some(Made { to, units: size(self.sizes, mix(draw ^ 3) % self.weights) })
    }

    /// The size of a reply that a node makes in a cycle for another.
    pub(super) fn reply_units(&self, reply: &Replies, [cycle, from, to]: [u64; 3]) -> u64 {
        let key = [cycle, from, to, 1].into_iter().fold(self.seed, |key, number| mix(key ^ number));
        let weights: u64 = reply.sizes.iter().map(|size| size.1).sum();
        size(&reply.sizes, mix(key ^ 6) % weights)
    }
}

impl OnOff {
    /// Terminals in the states that `first` draws before cycle 0; later draws follow from `seeds`.
    fn new(bursts: Bursts, load: f64, first: Vec<u64>, seeds: Vec<u64>) -> Self {
        let share = (load / bursts.load).min(1.0);
        let mut end = 1.0 / bursts.cycles;
        let mut begin = (end * share / (1.0 - share)).min(1.0);
        if share >= 1.0 {
            (end, begin) = (0.0, 1.0);
        }
        let below = share_of_draws(share);
        Self {
            is_on: first.into_iter().map(|draw| draw < below).collect(),
            seeds,
            end: share_of_draws(end),
            begin: share_of_draws(begin),
        }
    }

    fn is_on_in(&mut self, terminal: u32, cycle: u64) -> bool {
        let draw = mix(self.seeds[terminal as usize] ^ cycle);
        let is_on = &mut self.is_on[terminal as usize];
        *is_on = if *is_on { draw >= self.end } else { draw < self.begin };
        *is_on
    }
}

/// The size for a draw below the sum of the weights.
fn size(sizes: &[(u64, u64)], draw: u64) -> u64 {
    let mut left = draw;
    for &(units, weight) in sizes {
        if left < weight {
            return units;
        }
        left -= weight;
    }
    sizes.last().map_or(0, |&(units, _)| units)
}

impl OpenLoop {
    /// The mean size of a packet \[flits\].
    pub(super) fn mean_size(&self) -> f64 {
        let units = self.sizes.iter().map(|&(units, weight)| u128::from(units) * u128::from(weight)).sum();
        ratio(units, self.sizes.iter().map(|size| u128::from(size.1)).sum())
    }
}
