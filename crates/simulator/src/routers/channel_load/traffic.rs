//! The expected traffic between terminals, per unit that a terminal offers.

use cubefold_topology::Machine;

use super::fraction::Fraction;
use crate::routers::open_loop::{Destinations, OpenLoop, TrafficPattern};

/// The shares of the draws of hotspots are counted in millionths.
const MILLIONTHS: u64 = 1_000_000;

/// The units from each terminal to each, by number, per unit that a terminal offers; replies included.
#[derive(Debug)]
pub(in crate::routers) struct Traffic {
    terminals: u32,
    /// From every terminal to every other.
    to_others: Fraction,
    /// From every terminal to itself, besides those that are listed.
    to_itself: Fraction,
    /// By destination: sources, and the units from each besides `to_others`.
    listed: Vec<Vec<(u32, Fraction)>>,
}

impl Traffic {
    /// The traffic of a pattern; `None` if a fraction leaves 128 bits.
    pub(super) fn new(traffic: &OpenLoop, machine: &Machine) -> Option<Self> {
        let requests = Self::of_requests(&traffic.pattern, machine)?;
        match &traffic.reply {
            None => Some(requests),
            Some(reply) => requests.with_replies(mean(&reply.sizes)?.times(inverse(mean(&traffic.sizes)?)?)?),
        }
    }

    fn of_requests(pattern: &TrafficPattern, machine: &Machine) -> Option<Self> {
        let destinations = Destinations::new(pattern, machine);
        let count = u32::try_from(destinations.terminals.len()).ok()?;
        let all = u128::from(count);
        let mut found = Self {
            terminals: count,
            to_others: Fraction::ZERO,
            to_itself: Fraction::ZERO,
            listed: vec![vec![]; count as usize],
        };
        match pattern {
            TrafficPattern::Uniform => {
                found.to_others = Fraction::new(1, all)?;
                found.to_itself = found.to_others;
            }
            TrafficPattern::UniformOthers => found.to_others = Fraction::new(1, all - 1)?,
            TrafficPattern::Hotspot { nodes, share } => {
                let hot = millionths(*share);
                let cold = u128::from(MILLIONTHS - hot);
                found.to_others = Fraction::new(cold, u128::from(MILLIONTHS) * all)?.reduced();
                found.to_itself = found.to_others;
                let each = Fraction::new(hot.into(), u128::from(MILLIONTHS) * nodes.len() as u128)?.reduced();
                for node in nodes {
                    let place = destinations.number_of(*node)?;
                    found.listed[place as usize].extend((0..count).map(|source| (source, each)));
                }
            }
            TrafficPattern::AdversarialRandom { .. } => {
                let each = Fraction::new(1, destinations.group_size.into())?;
                for source in 0..count {
                    for draw in 0..destinations.group_size {
                        let to = destinations.number_of(destinations.destination(source, draw.into())?)?;
                        found.listed[to as usize].push((source, each));
                    }
                }
            }
            _ => {
                for source in 0..count {
                    let Some(to) = destinations.destination(source, 0) else { continue };
                    let to = destinations.number_of(to)?;
                    found.listed[to as usize].push((source, Fraction::new(1, 1)?));
                }
            }
        }
        Some(found)
    }

    /// The same with replies of `ratio` units for each unit of a request.
    fn with_replies(self, ratio: Fraction) -> Option<Self> {
        let both = ratio.plus(Fraction::new(1, 1)?)?;
        let mut listed = self.listed.clone();
        for (to, from) in (0_u32..).zip(&self.listed) {
            for &(source, units) in from {
                listed[source as usize].push((to, units.times(ratio)?));
            }
        }
        Some(Self {
            to_others: self.to_others.times(both)?,
            to_itself: self.to_itself.times(both)?,
            listed,
            ..self
        })
    }

    /// Whether every terminal sends to every other.
    pub(super) fn is_dense(&self) -> bool {
        self.to_others > Fraction::ZERO
    }

    /// The units to a terminal from every other, and the listed ones.
    pub(super) fn to(&self, terminal: u32) -> (Fraction, &[(u32, Fraction)]) {
        (self.to_others, &self.listed[terminal as usize])
    }

    /// Calls `take` with every pair of terminals that exchanges units, and the units; a pair may occur several times.
    pub(super) fn for_each_pair(&self, mut take: impl FnMut(u32, u32, Fraction) -> Option<()>) -> Option<()> {
        for (to, listed) in (0..self.terminals).zip(&self.listed) {
            for from in 0..self.terminals {
                let units = if from == to { self.to_itself } else { self.to_others };
                if units > Fraction::ZERO {
                    take(from, to, units)?;
                }
            }
            for &(from, units) in listed {
                take(from, to, units)?;
            }
        }
        Some(())
    }

    /// The units that each terminal sends, and those that it receives.
    pub(super) fn at_terminals(&self) -> Option<[Vec<Fraction>; 2]> {
        let others = u128::from(self.terminals.saturating_sub(1));
        let all = self.to_others.times(Fraction::new(others, 1)?)?.plus(self.to_itself)?;
        let mut sums = [0, 1].map(|_| vec![all; self.terminals as usize]);
        for (to, from) in self.listed.iter().enumerate() {
            for &(source, units) in from {
                sums[0][source as usize] = sums[0][source as usize].plus(units)?;
                sums[1][to] = sums[1][to].plus(units)?;
            }
        }
        Some(sums)
    }
}

fn mean(sizes: &[(u64, u64)]) -> Option<Fraction> {
    let units: u128 = sizes.iter().map(|&(units, weight)| u128::from(units) * u128::from(weight)).sum();
    Some(Fraction::new(units, sizes.iter().map(|size| u128::from(size.1)).sum())?.reduced())
}

fn inverse(fraction: Fraction) -> Option<Fraction> {
    Fraction::new(fraction.denominator(), fraction.numerator())
}

/// A share in 0 to 1 as the nearest number of millionths.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "between 0 and a million"
)]
fn millionths(share: f64) -> u64 {
    (share * MILLIONTHS as f64).round() as u64
}
