//! Tabu search of placements with few hop-units, a quadratic assignment problem.
//!
//! Every iteration judges every exchange of two tokens and makes the best, unless it takes a token back to a
//! place that it left recently (robust tabu search, Taillard 1991). A table keeps the cost of each token in the place
//! of each other, so that an exchange is judged by four of its entries and one product, and a change costs one product
//! per entry.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::{distances::Distances, traffic::Traffic};

/// The most places; tables grow with their square.
const MAX_PLACES: usize = 512;

/// Bytes for `places` places, with `searchers` searchers at work; 0 if there are too many places.
pub(crate) fn bytes(places: u64, searchers: u64) -> u64 {
    // Flows and distances, shared; distances between tokens, costs and ends of bans, for each searcher.
    let tables = 2 + 3 * searchers;
    if places <= MAX_PLACES as u64 { places * places * tables * size_of::<i64>() as u64 } else { 0 }
}

/// Flows between tokens, and distances between places.
#[derive(Debug)]
pub(crate) struct Quadratic {
    tokens: usize,
    ranks: usize,
    flows: Vec<i64>,     // by token and token, both directions summed; 0 for empty places
    distances: Vec<i64>, // by place and place
}

impl Quadratic {
    /// The tables of a problem; `None` if they would be too large, or sums could exceed 2^62.
    pub(crate) fn new(
        traffic: &Traffic,
        distances: &Distances<'_>,
        sites: usize,
        per_site: usize,
    ) -> Option<Self> {
        let tokens = sites.checked_mul(per_site).filter(|&tokens| tokens <= MAX_PLACES)?;
        let mut flows = vec![0; tokens * tokens];
        let mut all = 0_i64;
        for (one, other, units) in traffic.pairs() {
            let units = i64::try_from(units).ok()?;
            all = all.checked_add(units)?;
            flows[one as usize * tokens + other as usize] = units;
            flows[other as usize * tokens + one as usize] = units;
        }
        let between = |one: usize, other: usize| distances.between(one / per_site, other / per_site);
        let rows = (0..tokens).flat_map(|one| (0..tokens).map(move |other| between(one, other)));
        let distances: Vec<i64> = rows.map(i64::try_from).collect::<Result<_, _>>().ok()?;
        let longest = distances.iter().max()?;
        all.checked_mul(*longest)?.checked_mul(16)?;
        Some(Self { tokens, ranks: traffic.rank_count(), flows, distances })
    }

    /// The number of exchanges that an iteration judges.
    pub(crate) fn exchanges(&self) -> u64 {
        let (tokens, ranks) = (self.tokens as u64, self.ranks as u64);
        ranks * (2 * tokens - ranks - 1) / 2
    }

    /// Improves an arrangement, given as the place of every token, in `iterations` iterations, and leaves the
    /// best one found.
    pub(crate) fn improve(&self, places: &mut [u32], iterations: u64, generator: &mut ChaCha8Rng) {
        let mut state = State::new(self, places);
        let (mut change, mut least) = (0, 0);
        for now in 1..=iterations {
            let Some((one, other, difference)) = state.best_exchange(now, least - change) else { continue };
            change += difference;
            for token in [one, other] {
                let tenure = generator.random_range(self.tokens * 9 / 10..=self.tokens * 11 / 10 + 1);
                state.until[token * self.tokens + state.places[token]] = now + tenure as u64;
            }
            state.exchange(one, other);
            if change < least {
                least = change;
                for (place, &found) in places.iter_mut().zip(&state.places) {
                    *place = u32::try_from(found).unwrap_or(u32::MAX);
                }
            }
        }
    }
}

/// An arrangement and the tables that follow from it.
struct State<'a> {
    of: &'a Quadratic,
    places: Vec<usize>, // by token
    between: Vec<i64>,  // by token and token, the distance of their places
    costs: Vec<i64>,    // by token and token, the cost of the first in the place of the second
    until: Vec<u64>,    // by token and place, the iteration until which it is banned
}

impl<'a> State<'a> {
    fn new(of: &'a Quadratic, places: &[u32]) -> Self {
        let tokens = of.tokens;
        let places: Vec<usize> = places.iter().map(|&place| place as usize).collect();
        let mut between = vec![0; tokens * tokens];
        for (one, row) in between.chunks_exact_mut(tokens).enumerate() {
            for (other, links) in row.iter_mut().enumerate() {
                *links = of.distances[places[one] * tokens + places[other]];
            }
        }
        let mut costs = vec![0; tokens * tokens];
        for (flows, row) in of.flows.chunks_exact(tokens).zip(costs.chunks_exact_mut(tokens)) {
            for (&units, links) in
                flows.iter().zip(between.chunks_exact(tokens)).filter(|&(&units, _)| units > 0)
            {
                row.iter_mut().zip(links).for_each(|(cost, links)| *cost += units * links);
            }
        }
        Self { of, places, between, costs, until: vec![0; tokens * tokens] }
    }

    /// The exchange with the least change of the sum, and this change. An exchange that takes both tokens back to recent
    /// places counts only if its change is below `below`.
    fn best_exchange(&self, now: u64, below: i64) -> Option<(usize, usize, i64)> {
        let Quadratic { tokens, ranks, ref flows, .. } = *self.of;
        let (mut least, mut found) = (i64::MAX, None);
        for one in 0..ranks {
            let row = one * tokens..(one + 1) * tokens;
            let (costs, flows, between) = (&self.costs[row.clone()], &flows[row.clone()], &self.between[row]);
            for other in one + 1..tokens {
                let back = &self.costs[other * tokens..(other + 1) * tokens];
                let change =
                    costs[other] - costs[one] + back[one] - back[other] + 2 * flows[other] * between[other];
                if change < least && (change < below || self.is_allowed(one, other, now)) {
                    (least, found) = (change, Some((one, other, change)));
                }
            }
        }
        found
    }

    fn is_allowed(&self, one: usize, other: usize, now: u64) -> bool {
        let until = |token: usize, place: usize| self.until[token * self.of.tokens + self.places[place]];
        until(one, other) < now || until(other, one) < now
    }

    fn exchange(&mut self, one: usize, other: usize) {
        let tokens = self.of.tokens;
        let row = |token: usize| token * tokens..(token + 1) * tokens;
        // From every token, the distance to the second's place less the distance to the first's.
        let nearer: Vec<i64> = self.between[row(other)]
            .iter()
            .zip(&self.between[row(one)])
            .map(|(new, old)| new - old)
            .collect();
        for (flows, costs) in self.of.flows.chunks_exact(tokens).zip(self.costs.chunks_exact_mut(tokens)) {
            let more = flows[one] - flows[other];
            if more != 0 {
                costs.iter_mut().zip(&nearer).for_each(|(cost, links)| *cost += more * links);
            }
            costs.swap(one, other);
        }
        for links in self.between.chunks_exact_mut(tokens) {
            links.swap(one, other);
        }
        for column in 0..tokens {
            self.between.swap(one * tokens + column, other * tokens + column);
        }
        self.places.swap(one, other);
    }
}

/// A child of two arrangements: their common places, then a free place of one of the two, else a random place.
pub(crate) fn cross(one: &[u32], other: &[u32], generator: &mut ChaCha8Rng) -> Vec<u32> {
    let mut is_taken = vec![false; one.len()];
    let mut child: Vec<Option<u32>> = vec![None; one.len()];
    for (place, (&first, &second)) in child.iter_mut().zip(one.iter().zip(other)) {
        if first == second {
            *place = Some(first);
            is_taken[first as usize] = true;
        }
    }
    for (place, (&first, &second)) in child.iter_mut().zip(one.iter().zip(other)) {
        if place.is_none() {
            let chosen = if generator.random::<bool>() { first } else { second };
            if !std::mem::replace(&mut is_taken[chosen as usize], true) {
                *place = Some(chosen);
            }
        }
    }
    let mut free: Vec<u32> =
        (0..).zip(&is_taken).filter(|&(_, taken)| !taken).map(|(place, _)| place).collect();
    let mut draw = || {
        let drawn = generator.random_range(0..free.len());
        free.swap_remove(drawn)
    };
    child.into_iter().map(|place| place.unwrap_or_else(&mut draw)).collect()
}

/// Makes `exchanges` random exchanges of tokens.
pub(crate) fn disturb(places: &mut [u32], exchanges: usize, generator: &mut ChaCha8Rng) {
    for _ in 0..exchanges {
        let [one, other] = [(); 2].map(|()| generator.random_range(0..places.len()));
        places.swap(one, other);
    }
}

#[cfg(test)]
mod tests {
    use cubefold_topology::{Machine, MachineKind, NodeId};
    use rand::SeedableRng;

    use super::*;
    use crate::tests::traffic_of;

    fn sum(of: &Quadratic, places: &[u32]) -> i64 {
        let tokens = 0..of.tokens;
        let pairs = tokens.flat_map(|one| (0..one).map(move |other| (one, other)));
        let cost = |(one, other): (usize, usize)| {
            let links = of.distances[places[one] as usize * of.tokens + places[other] as usize];
            of.flows[one * of.tokens + other] * links
        };
        pairs.map(cost).sum()
    }

    #[test]
    fn changes_are_those_of_the_sum() {
        let machine = Machine::new(MachineKind::Mesh, &[4, 3]).unwrap();
        let sites: Vec<NodeId> = machine.hosts().collect();
        let mut generator = ChaCha8Rng::seed_from_u64(4);
        for (ranks, per_site) in [(12, 1), (9, 1), (20, 2)] {
            let traffic = traffic_of(ranks, &mut generator);
            let distances = Distances::new(&machine, &sites);
            let of = Quadratic::new(&traffic, &distances, sites.len(), per_site).unwrap();
            let mut places: Vec<u32> = (0..12 * u32::try_from(per_site).unwrap()).collect();
            let mut state = State::new(&of, &places);
            for now in 1..60 {
                let before = sum(&of, &places);
                let (one, other, change) = state.best_exchange(now, i64::MIN).unwrap();
                let least = (0..of.ranks).flat_map(|one| (one + 1..of.tokens).map(move |other| (one, other)));
                let tried = least.map(|(one, other)| {
                    let mut changed = places.clone();
                    changed.swap(one, other);
                    sum(&of, &changed) - before
                });
                assert_eq!(change, tried.min().unwrap());
                places.swap(one, other);
                state.exchange(one, other);
                assert_eq!(sum(&of, &places), before + change);
                disturb(&mut places, 2, &mut generator);
                state = State::new(&of, &places);
            }
        }
    }

    #[test]
    fn an_arrangement_never_gets_worse_and_children_are_arrangements() {
        let machine = Machine::new(MachineKind::Mesh, &[5, 4]).unwrap();
        let sites: Vec<NodeId> = machine.hosts().collect();
        let mut generator = ChaCha8Rng::seed_from_u64(5);
        for ranks in [20, 11] {
            let traffic = traffic_of(ranks, &mut generator);
            let of = Quadratic::new(&traffic, &Distances::new(&machine, &sites), 20, 1).unwrap();
            let [mut one, mut other] = [(); 2].map(|()| (0..20).collect::<Vec<u32>>());
            for parent in [&mut one, &mut other] {
                disturb(parent, 40, &mut generator);
                let before = sum(&of, parent);
                of.improve(parent, 200, &mut generator);
                assert!(sum(&of, parent) < before);
            }
            let child = cross(&one, &other, &mut generator);
            let mut sorted = child.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..20).collect::<Vec<u32>>());
            assert!((0..20).all(|token| one[token] != other[token] || child[token] == one[token]));
        }
    }
}
