//! One searcher: simulated annealing (Kirkpatrick, Gelatt & Vecchi 1983) whose threshold is drawn before a placement is
//! judged, so that the judge can refuse it early.

use cubefold_simulator::SimulationError;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    arrangement::Arrangement,
    judge::{Cost, Energy, Judge},
    moves::{Move, Neighbourhood},
    tabu::{self, Quadratic},
    traffic::Traffic,
};

/// A searcher with a generator, a current and a best arrangement of its own.
#[derive(Debug)]
pub(crate) struct Island<'a> {
    judge: Judge<'a>,
    neighbourhood: &'a Neighbourhood<'a>,
    traffic: &'a Traffic,
    generator: ChaCha8Rng,
    energy: Energy, // of the judge's arrangement
    best: (Energy, Arrangement),
    kinds: [Experience; Move::ALL.len()],
    exchanges: Vec<(u32, u32)>,
}

/// Statistics of one kind of change.
#[derive(Debug, Clone, Copy, Default)]
struct Experience {
    tries: u64,
    gains: u64, // tries after which the value was smaller
    work: u64,  // of all tries
}

impl Experience {
    /// The work of a try, given the mean work of a try of any kind.
    #[expect(clippy::cast_precision_loss, reason = "weights are rough")]
    fn cost(self, of_any: f64) -> f64 {
        (self.work as f64 + 8.0 * of_any) / (self.tries + 8) as f64
    }

    /// The weight with which this kind is drawn.
    #[expect(clippy::cast_precision_loss, reason = "weights are rough")]
    fn weight(self, of_any: f64) -> f64 {
        let gains = 0.02 + (self.gains + 1) as f64 / (self.tries + 8) as f64;
        gains / self.cost(of_any).max(1.0)
    }
}

impl<'a> Island<'a> {
    /// A searcher at the arrangement of a judge. Its draws depend on seed and number alone.
    ///
    /// # Errors
    ///
    /// When the run of the arrangement does not end.
    pub(crate) fn new(
        mut judge: Judge<'a>,
        neighbourhood: &'a Neighbourhood<'a>,
        traffic: &'a Traffic,
        seed: u64,
        number: u64,
    ) -> Result<Self, SimulationError> {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(number);
        let energy = judge.energy(None)?.unwrap_or(Energy::of(u128::MAX));
        let best = (energy, judge.arrangement().clone());
        let kinds = [Experience::default(); Move::ALL.len()];
        Ok(Self { judge, neighbourhood, traffic, generator, energy, best, kinds, exchanges: vec![] })
    }

    /// The best arrangement so far, and its energy.
    pub(crate) fn best(&self) -> &(Energy, Arrangement) {
        &self.best
    }

    /// The cost so far.
    pub(crate) fn spent(&self) -> Cost {
        self.judge.spent()
    }

    /// Draws an arrangement at random.
    pub(crate) fn scatter(&mut self) -> Result<(), SimulationError> {
        let tokens = self.judge.arrangement().len();
        for place in 0..tokens.saturating_sub(1) {
            let other = self.generator.random_range(place..tokens);
            if place != other {
                let token = |place| u32::try_from(place).unwrap_or(u32::MAX);
                self.judge.exchange(token(place), token(other));
            }
        }
        let here = self.judge.arrangement().clone();
        self.restart(here)
    }

    /// Continues from an arrangement.
    pub(crate) fn restart(&mut self, arrangement: Arrangement) -> Result<(), SimulationError> {
        self.judge.arrange(arrangement);
        if let Some(energy) = self.judge.energy(None)? {
            self.energy = energy;
            self.keep_best();
        }
        Ok(())
    }

    /// Tries changes at a temperature, relative to the present value, until they have used up `cost`.
    ///
    /// # Errors
    ///
    /// When a run does not end.
    pub(crate) fn round(&mut self, cost: Cost, temperature: f64) -> Result<(), SimulationError> {
        self.until(self.judge.spent().plus(cost), temperature)
    }

    /// Tries changes at a temperature, relative to the present value, until the cost so far reaches `end`.
    ///
    /// # Errors
    ///
    /// When a run does not end.
    pub(crate) fn until(&mut self, end: Cost, temperature: f64) -> Result<(), SimulationError> {
        let heat = temperature * self.energy.get() * self.share_of_a_change();
        while !self.judge.spent().has_reached(end) {
            let kind = self.draw_kind();
            let mut exchanges = std::mem::take(&mut self.exchanges);
            let arrangement = self.judge.arrangement();
            self.neighbourhood.draw(
                Move::ALL[kind],
                arrangement,
                self.traffic,
                &mut self.generator,
                &mut exchanges,
            );
            let (before, work) = (self.energy, self.judge.spent().work);
            if exchanges.is_empty() {
                // The same placement, judged as before.
                self.judge.count_look();
            } else if !self.attempt(&exchanges, heat)? {
                exchanges.iter().rev().for_each(|&(one, other)| self.judge.exchange(one, other));
            }
            let experience = &mut self.kinds[kind];
            experience.tries += 1;
            experience.gains += u64::from(self.energy < before);
            experience.work += self.judge.spent().work - work;
            self.exchanges = exchanges;
        }
        Ok(())
    }

    /// Scales the temperature for a sum over pairs, since one change alters a smaller part of it the more processes there
    /// are. It is 1 at 64.
    fn share_of_a_change(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "temperatures are rough")]
        let processes = self.traffic.rank_count() as f64;
        if self.judge.sums_hop_units() { (64.0 / processes).min(1.0) } else { 1.0 }
    }

    /// Crosses the best arrangement with that of another searcher, improves the child, and keeps it if it is as good.
    /// If the two have little in common, like images of each other under a symmetry of the machine, the child is the
    /// best arrangement with some exchanges.
    ///
    /// # Errors
    ///
    /// When a run does not end.
    pub(crate) fn breed(
        &mut self,
        of: &Quadratic,
        other: &Arrangement,
        iterations: u64,
    ) -> Result<(), SimulationError> {
        let places = self.best.1.places();
        let (count, per_site) = (places.len(), self.best.1.per_site());
        let common = places.iter().zip(other.places()).filter(|(this, that)| this == that).count();
        let mut child = if 4 * common >= count && common < count - count / 10 {
            tabu::cross(places, other.places(), &mut self.generator)
        } else {
            let mut child = places.to_vec();
            let exchanges = self.generator.random_range(1..=2 + count / 4);
            tabu::disturb(&mut child, exchanges, &mut self.generator);
            child
        };
        of.improve(&mut child, iterations, &mut self.generator);
        self.judge.arrange(Arrangement::of_places(child, per_site));
        self.judge.evaluations += iterations * of.exchanges();
        match self.judge.energy(None)? {
            Some(energy) if energy <= self.best.0 => {
                self.energy = energy;
                self.best = (energy, self.judge.arrangement().clone());
            }
            _ => {}
        }
        Ok(())
    }

    /// Makes exchanges; returns whether the new arrangement is kept.
    fn attempt(&mut self, exchanges: &[(u32, u32)], heat: f64) -> Result<bool, SimulationError> {
        // Uniform in (0, 1].
        let drawn = 1.0 - self.generator.random::<f64>();
        let threshold = self.energy.get() - heat * drawn.ln();
        exchanges.iter().for_each(|&(one, other)| self.judge.exchange(one, other));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a threshold may be rough"
        )]
        let most = threshold as u128;
        match self.judge.energy(Some(most))? {
            Some(energy) if energy.get() <= threshold => {
                self.energy = energy;
                self.keep_best();
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn keep_best(&mut self) {
        if self.energy < self.best.0 {
            self.best = (self.energy, self.judge.arrangement().clone());
        }
    }

    /// Draws a kind of change, weighted by its successes and against its work.
    fn draw_kind(&mut self) -> usize {
        let sum = |of: fn(&Experience) -> u64| self.kinds.iter().map(of).sum::<u64>();
        #[expect(clippy::cast_precision_loss, reason = "weights are rough")]
        let of_any = sum(|kind| kind.work) as f64 / sum(|kind| kind.tries).max(1) as f64;
        let weights = self.kinds.map(|kind| kind.weight(of_any));
        let mut drawn = self.generator.random::<f64>() * weights.iter().sum::<f64>();
        for (kind, weight) in weights.into_iter().enumerate() {
            if drawn < weight {
                return kind;
            }
            drawn -= weight;
        }
        0
    }
}
