//! The whole search: starting placements, all placements if they are few, maps of the best, and parallel
//! searchers.
//!
//! Sixteen searchers work in rounds of equal length. Between rounds the worst of them continue from the best, in the
//! order of their numbers. Threads only run searchers, so the result is the same on any number of threads.

use std::ops::ControlFlow;

use cubefold_topology::NodeId;
use rayon::prelude::*;

use crate::{
    Bound, BoundKind, Objective, Problem, SearchError,
    arrangement::Arrangement,
    bisection,
    bounds::{self, Depth},
    complete,
    distances::Distances,
    island::Island,
    judge::{Cost, Energy, Judge, Known, Measure},
    maps,
    moves::Neighbourhood,
    routes::Routes,
    tabu::Quadratic,
    traffic::Traffic,
};

/// The effort of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// The number of placements to judge, including those refused without a run; by default as many as take about half
    /// a minute on two cores, by a count of the data that they look at.
    pub evaluations: Option<u64>,
    /// The seed of the generators of all searchers.
    pub seed: u64,
}

impl Effort {
    /// The part of it spent on bounds.
    fn depth(self, known: u128) -> Depth {
        let steps = self.evaluations.map_or(u64::MAX, |evaluations| evaluations / EVALUATIONS_A_STEP);
        Depth { steps: u32::try_from(steps).unwrap_or(u32::MAX).clamp(BOUND_STEPS[0], BOUND_STEPS[1]), known }
    }
}

/// A placement to start from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// Its name; `None` if the scenario does not name it.
    pub name: Option<String>,
    /// The node of every rank, by label; nodes of further processes are ignored.
    pub nodes: Vec<NodeId>,
}

/// The progress of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Placements judged.
    pub evaluations: u64,
    /// The total number of placements to judge.
    pub of: u64,
    /// The smallest value so far.
    pub best: u128,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The node of every process, by label.
    pub nodes: Vec<NodeId>,
    /// The value of this placement.
    pub value: u128,
    /// The value of the first start.
    pub reference: u128,
    /// The named start with the smallest value, of equal ones the first.
    pub named: usize,
    /// Its value.
    pub named_value: u128,
    /// A value that no placement is below.
    pub bound: Bound,
    /// Placements judged.
    pub evaluations: u64,
}

impl Found {
    /// Whether no placement is better.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        self.value <= self.bound.value
    }

    /// The excess of the value over the bound, as a part of the bound; `None` if only the bound is 0.
    #[must_use]
    pub fn gap(&self) -> Option<f64> {
        let (value, bound) = (self.value, self.bound.value);
        #[expect(clippy::cast_precision_loss, reason = "a ratio")]
        let gap = || (value - bound) as f64 / bound as f64;
        if value <= bound { Some(0.0) } else { (bound > 0).then(gap) }
    }
}

/// The searchers.
pub(crate) const ISLANDS: u64 = 16;
/// The rounds of all searchers.
const ROUNDS: u32 = 32;
/// The temperatures of the first and of the last round, relative to the value.
const HEATS: [f64; 2] = [0.02, 0.001];
/// The rounds between restarts of the worst quarter from the best; with fewer, all searchers soon descend from one.
const MERGED: u32 = 2;
/// The most starts that are mapped.
const MAPPED_STARTS: usize = 16;
/// The messages, crossed links and channels that evaluations look at in just under half a minute on two cores.
const WORK: u64 = 400_000_000;
/// The part of it after which no more starts without a name are judged.
const WORK_OF_STARTS: u64 = WORK / 4;
/// The most changes of a round of annealing by hop-units, and by loads, before the first of the objective.
const WARM_CHANGES: [u64; 2] = [200_000, 20_000];

/// The least and the most steps towards a bound.
const BOUND_STEPS: [u32; 2] = [20, 400];
/// The evaluations that are worth one more step.
const EVALUATIONS_A_STEP: u64 = 50_000;

/// The exchanges that a tabu search by hop-units judges for each place, and the most, in half a minute on two cores.
const EXCHANGES: [u64; 2] = [135_000_000, 20_000_000_000];
/// The most maps that are judged before it.
const MAPPED_AT_MOST: u64 = 200_000;
/// The minimum of iterations of a tabu search from one child.
const MIN_ITERATIONS: u64 = 4_000;
/// With fewer generations than this, searchers anneal instead.
const MIN_GENERATIONS: u64 = 4;
/// The most generations; with more iterations in all, each has more.
const MAX_GENERATIONS: u64 = 2_000;
/// The generations after which the worst quarter continue from the best.
const RESTARTED: u64 = 8;
/// The changes of a round of annealing before the first generation.
const STRUCTURED: u64 = 4_000;

/// The lengths of tabu searches.
#[derive(Clone, Copy)]
struct Breeding<'a> {
    of: &'a Quadratic,
    generations: u64,
    iterations: u64, // of a child
}

/// Searches for the placement of a problem with the smallest value of an objective, beginning with `starts`, the first
/// of which is the reference. `watch` is called between rounds, and can end the search; `keep` is called with the best
/// so far as soon as a start is judged and at each improvement, for callers that do not wait for the end.
///
/// # Errors
///
/// When the problem cannot be searched, no start with a name is a placement on its sites, or a run does not
/// end.
pub fn search(
    problem: Problem<'_>,
    objective: Objective,
    starts: &[Start],
    effort: Effort,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    keep: &mut dyn FnMut(&Found),
) -> Result<Found, SearchError> {
    problem.check(objective)?;
    let (traffic, distances) =
        (Traffic::new(problem.program, problem.ranks), Distances::new(problem.machine, problem.sites));
    let measure = Measure::Of(objective);
    let routes = measure.weighs().then(|| Routes::new(&problem));
    let known = Known { problem, traffic: &traffic, distances: &distances, routes: routes.as_ref() };
    let neighbourhood = Neighbourhood::new(problem.machine, problem.sites, problem.rank_count());
    let quadratic = (objective == Objective::HopUnits)
        .then(|| Quadratic::new(&traffic, &distances, problem.sites.len(), problem.per_site));
    let setting = Setting { known, objective, neighbourhood: &neighbourhood, quadratic: quadratic.flatten() };
    let mut search = Search::begin(&setting, starts, effort, keep)?;
    if !search.found.is_proved() && complete::applies(&problem) {
        search.try_all()?;
    }
    if !search.found.is_proved() {
        search.anneal(effort, watch)?;
    }
    Ok(search.found)
}

/// The data shared by all searchers.
struct Setting<'a> {
    known: Known<'a>,
    objective: Objective,
    neighbourhood: &'a Neighbourhood<'a>,
    quadratic: Option<Quadratic>, // for hop-units
}

impl<'a> Setting<'a> {
    fn judge(&self, measure: Measure, arrangement: Arrangement) -> Result<Judge<'a>, SearchError> {
        Ok(Judge::new(self.known, measure, arrangement)?)
    }

    fn arrangement(&self, nodes: &[NodeId]) -> Option<Arrangement> {
        let Problem { sites, per_site, .. } = self.known.problem;
        let ranks = nodes.get(..self.known.problem.rank_count())?;
        Arrangement::new(ranks, sites, per_site)
    }

    /// The searchers: the first half at the best starts, the others at placements with few hop-units, and if channels
    /// can be the bottleneck, the last quarter at placements with small loads, annealed from random ones.
    fn islands(
        &self,
        starts: &[(Energy, Arrangement)],
        seed: u64,
        left: Cost,
    ) -> Result<Vec<Island<'a>>, SearchError> {
        let numbers: Vec<u64> = (0..ISLANDS).collect();
        let measure = Measure::Of(self.objective);
        let island = |number: u64| -> Result<Island<'a>, SearchError> {
            let place = usize::try_from(number).unwrap_or(0);
            let (_, mut start) = starts[place % starts.len()].clone();
            if number >= ISLANDS / 2 {
                let by_loads = measure.weighs() && number >= ISLANDS - ISLANDS / 4;
                let by = if by_loads { Measure::SmoothLoad } else { Measure::Of(Objective::HopUnits) };
                start = self.warmed(start, by, seed, number, left)?;
            }
            let judge = self.judge(measure, start)?;
            Ok(Island::new(judge, self.neighbourhood, self.known.traffic, seed, number)?)
        };
        numbers.into_par_iter().map(island).collect()
    }

    /// Anneals by a cheap measure from a random arrangement.
    fn warmed(
        &self,
        start: Arrangement,
        by: Measure,
        seed: u64,
        number: u64,
        left: Cost,
    ) -> Result<Arrangement, SearchError> {
        let judge = self.judge(by, start)?;
        let mut island = Island::new(judge, self.neighbourhood, self.known.traffic, seed, ISLANDS + number)?;
        island.scatter()?;
        let [by_hop_units, by_loads] = WARM_CHANGES;
        let (times, most, heat) = match by {
            Measure::SmoothLoad => (4, by_loads, 0.02),
            Measure::Of(_) if self.quadratic.is_some() => (20, 2_000, 0.01),
            Measure::Of(_) => (20, by_hop_units, 0.01),
        };
        let share = left.divided(ISLANDS * u64::from(ROUNDS));
        // At most a quarter of the cost of exact judgement.
        let cost =
            Cost { evaluations: share.evaluations.saturating_mul(times).min(most), work: share.work / 4 };
        for round in 0..ROUNDS {
            island.round(cost, heat * 0.8_f64.powi(round.try_into().unwrap_or(i32::MAX)))?;
        }
        Ok(island.best().1.clone())
    }
}

/// The starts while they are judged.
struct Judging<'a, 'starts> {
    judge: Judge<'a>,
    starts: &'starts [Start],
    judged: Vec<(Energy, usize, Arrangement)>, // with the number of the start
    hop_units: u128,                           // the fewest
}

impl Judging<'_, '_> {
    /// Judges a start, and keeps it if it is the best so far.
    fn add(
        &mut self,
        number: usize,
        arrangement: Arrangement,
        keep: &mut dyn FnMut(&Found),
    ) -> Result<(), SearchError> {
        self.judge.arrange(arrangement.clone());
        self.hop_units = self.hop_units.min(self.judge.sum_of_hop_units());
        // Starts after the reference are useless if they take far longer than the best.
        let least = self.judged.iter().map(|(energy, ..)| energy.value).min();
        if let Some(energy) = self.judge.energy(least.map(|least| least.saturating_mul(2)))? {
            let is_best = self.judged.iter().all(|(other, ..)| energy < *other);
            self.judged.push((energy, number, arrangement));
            if is_best && let Some(found) = self.found() {
                keep(&found);
            }
        }
        Ok(())
    }

    /// The best of the starts judged so far, of which the first is the reference; `None` if none is named.
    fn found(&mut self) -> Option<Found> {
        type Judged = (Energy, usize, Arrangement);
        let best = |one: &&Judged, other: &&Judged| one.0.order(&other.0);
        let has_name = |number: usize| self.starts.get(number).is_some_and(|start| start.name.is_some());
        let named = self.judged.iter().filter(|&&(_, number, _)| has_name(number)).min_by(best)?;
        let first = self.judged.iter().min_by(best)?;
        let found = Found {
            nodes: vec![],
            value: first.0.value,
            reference: self.judged.first()?.0.value,
            named: named.1,
            named_value: named.0.value,
            bound: Bound { value: 0, kind: BoundKind::None },
            evaluations: self.judge.evaluations,
        };
        self.judge.arrange(first.2.clone());
        Some(Found { nodes: self.judge.nodes().to_vec(), ..found })
    }
}

/// A search in progress.
struct Search<'a> {
    setting: &'a Setting<'a>,
    judge: Judge<'a>,
    starts: Vec<(Energy, Arrangement)>, // the best first
    best: Energy,
    found: Found,
    keep: &'a mut dyn FnMut(&Found),
}

impl<'a> Search<'a> {
    /// Judges all starts, and the placement of recursive bisection. Starts that do not fit the sites are skipped.
    fn begin(
        setting: &'a Setting<'a>,
        starts: &[Start],
        effort: Effort,
        keep: &'a mut dyn FnMut(&Found),
    ) -> Result<Self, SearchError> {
        let placed = |(number, start): (usize, &Start)| Some((number, setting.arrangement(&start.nodes)?));
        let placed: Vec<(usize, Arrangement)> = starts.iter().enumerate().filter_map(placed).collect();
        let Known { ref problem, traffic, distances, .. } = setting.known;
        let (_, first) = placed.first().ok_or(SearchError::NoStart)?;
        let judge = setting.judge(Measure::Of(setting.objective), first.clone())?;
        let mut judging = Judging { judge, starts, judged: vec![], hop_units: u128::MAX };
        for (number, arrangement) in placed {
            let is_needed = number == 0 || starts[number].name.is_some() || effort.evaluations.is_some();
            if is_needed || judging.judge.spent().work < WORK_OF_STARTS {
                judging.add(number, arrangement, keep)?;
            }
        }
        // Bisection takes longer than any start.
        let divided =
            bisection::nodes(problem, traffic, distances).and_then(|nodes| setting.arrangement(&nodes));
        if let Some(divided) = divided {
            judging.add(starts.len(), divided, keep)?;
        }
        let mut found = judging.found().ok_or(SearchError::NoStart)?;
        let Judging { mut judge, mut judged, hop_units, .. } = judging;
        judged.sort_by(|one, other| one.0.order(&other.0));
        let (best, arrangement) = judged
            .first()
            .map(|(energy, _, arrangement)| (*energy, arrangement.clone()))
            .ok_or(SearchError::NoStart)?;
        judge.arrange(arrangement);
        found.bound = bounds::bound(&setting.known, setting.objective, effort.depth(hop_units));
        keep(&found);
        let starts = judged.into_iter().map(|(energy, _, arrangement)| (energy, arrangement)).collect();
        Ok(Self { setting, judge, starts, best, found, keep })
    }

    /// Adopts a better placement.
    fn take(&mut self, energy: Energy, nodes: Vec<NodeId>) {
        if energy < self.best {
            self.best = energy;
            (self.found.value, self.found.nodes) = (energy.value, nodes);
            (self.keep)(&self.found);
        }
    }

    fn try_all(&mut self) -> Result<(), SearchError> {
        if let Some((value, nodes)) = complete::best(&self.setting.known.problem, &mut self.judge)? {
            if value < self.found.value {
                self.take(Energy::of(value), nodes);
            }
            self.found.bound = Bound { value: self.found.value, kind: BoundKind::Complete };
        }
        self.found.evaluations = self.judge.evaluations;
        Ok(())
    }

    fn anneal(
        &mut self,
        effort: Effort,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<(), SearchError> {
        let whole = self.whole_cost(effort);
        let left = self.judge.spent().until(whole);
        let most = if self.setting.quadratic.is_some() { MAPPED_AT_MOST } else { u64::MAX };
        let mapping = left.divided(5);
        self.map(Cost { evaluations: mapping.evaluations.min(most), ..mapping })?;
        let mut progress = self.progress(whole, self.judge.spent());
        if self.found.is_proved() || watch(progress).is_break() {
            return Ok(());
        }
        let before = self.judge.spent();
        let left = before.until(whole);
        let of_one = before.work / before.evaluations.max(1);
        if left.evaluations < ISLANDS || left.work / ISLANDS < of_one {
            return Ok(()); // too few to judge each searcher's start
        }
        let mut islands = self.setting.islands(&self.starts, effort.seed, left)?;
        if let Some(breeding) = self.breeding(left.evaluations).filter(|_| whole.evaluations < u64::MAX) {
            return self.breed(islands, breeding, progress, watch);
        }
        let of_island = left.divided(ISLANDS);
        for round in 0..ROUNDS {
            let heat = HEATS[0] * (HEATS[1] / HEATS[0]).powf(f64::from(round) / f64::from(ROUNDS - 1));
            let end = of_island.share(round + 1, ROUNDS);
            islands.par_iter_mut().try_for_each(|island| island.until(end, heat))?;
            if round % MERGED == MERGED - 1 && round + 1 < ROUNDS {
                self.merge(&mut islands)?;
            } else {
                self.take_best(&islands);
            }
            let spent = islands.iter().fold(before, |spent, island| spent.plus(island.spent()));
            self.found.evaluations = spent.evaluations;
            progress = self.progress(whole, spent);
            if self.found.is_proved() || watch(progress).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The cost of a whole search: of the requested evaluations, or of about half a minute.
    fn whole_cost(&self, effort: Effort) -> Cost {
        let [of_place, most] = EXCHANGES;
        let exchanges = most.min(of_place.saturating_mul(self.setting.known.problem.sites.len() as u64));
        let evaluations = match effort.evaluations {
            Some(evaluations) => evaluations,
            None if self.breeding(exchanges).is_some() => exchanges,
            None => return Cost { evaluations: u64::MAX, work: WORK },
        };
        Cost { evaluations: evaluations.max(self.judge.evaluations), work: u64::MAX }
    }

    /// The progress of a search that has spent `spent` of the whole.
    fn progress(&self, whole: Cost, spent: Cost) -> Progress {
        let of = if whole.evaluations < u64::MAX {
            whole.evaluations
        } else {
            // The total, if the rest cost as much as those so far.
            let of = u128::from(spent.evaluations) * u128::from(whole.work) / u128::from(spent.work.max(1));
            u64::try_from(of).unwrap_or(u64::MAX)
        };
        Progress { evaluations: spent.evaluations, of: of.max(spent.evaluations), best: self.found.value }
    }

    /// The generations of a tabu search with this number of evaluations; `None` if tabu search does not apply.
    fn breeding(&self, evaluations: u64) -> Option<Breeding<'a>> {
        let of = self.setting.quadratic.as_ref()?;
        let iterations = evaluations / ISLANDS / of.exchanges().max(1);
        let generations = (iterations / MIN_ITERATIONS).min(MAX_GENERATIONS);
        (generations >= MIN_GENERATIONS).then(|| Breeding {
            of,
            generations,
            iterations: iterations / generations.max(1),
        })
    }

    /// Crosses the best arrangements of all searchers with one another, and improves their children by tabu search.
    fn breed(
        &mut self,
        mut islands: Vec<Island<'a>>,
        breeding: Breeding<'_>,
        mut progress: Progress,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<(), SearchError> {
        let structured = Cost { evaluations: STRUCTURED, work: u64::MAX };
        // Single exchanges cannot move blocks and lines, so half of the searchers begin with those.
        let half = islands.len() / 2;
        islands[..half].par_iter_mut().try_for_each(|island| {
            (0..ROUNDS)
                .try_for_each(|round| island.round(structured, HEATS[0] * 0.85_f64.powf(f64::from(round))))
        })?;
        for generation in 0..breeding.generations {
            let bests: Vec<Arrangement> = islands.iter().map(|island| island.best().1.clone()).collect();
            let count = bests.len();
            islands.par_iter_mut().enumerate().try_for_each(|(place, island)| {
                // Each searcher meets all others in turn.
                let other = (place + 1 + usize::try_from(generation).unwrap_or(0) % (count - 1)) % count;
                island.breed(breeding.of, &bests[other], breeding.iterations)
            })?;
            if generation % RESTARTED == RESTARTED - 1 {
                self.merge(&mut islands)?;
            } else {
                self.take_best(&islands);
            }
            progress.evaluations += ISLANDS * breeding.iterations * breeding.of.exchanges();
            (self.found.evaluations, progress.best) = (progress.evaluations, self.found.value);
            if self.found.is_proved() || watch(progress).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Tries maps of the best starts, each at a share of the cost.
    fn map(&mut self, cost: Cost) -> Result<(), SearchError> {
        let starts: Vec<(Energy, Arrangement)> = self.starts.iter().take(MAPPED_STARTS).cloned().collect();
        let (share, problem) = (cost.divided(starts.len().max(1) as u64), self.setting.known.problem);
        for (energy, start) in starts {
            self.judge.arrange(start);
            let nodes = self.judge.nodes()[..problem.rank_count()].to_vec();
            let improved = maps::improve(&problem, &mut self.judge, (energy, &nodes), share)?;
            if let Some((energy, nodes)) = improved
                && let Some(arrangement) = self.setting.arrangement(&nodes)
            {
                self.judge.arrange(arrangement.clone());
                self.starts.push((energy, arrangement));
                self.take(energy, self.judge.nodes().to_vec());
            }
        }
        self.starts.sort_by(|one, other| one.0.order(&other.0));
        self.starts.dedup_by(|one, other| one.1 == other.1);
        self.found.evaluations = self.judge.evaluations;
        Ok(())
    }

    /// Adopts the best of all searchers; the worst quarter continue from it.
    fn merge(&mut self, islands: &mut [Island<'a>]) -> Result<(), SearchError> {
        let mut order: Vec<usize> = (0..islands.len()).collect();
        order.sort_by(|&one, &other| islands[one].best().0.order(&islands[other].best().0));
        let arrangement = islands[order[0]].best().1.clone();
        self.take_best(islands);
        for &place in &order[order.len() - order.len() / 4..] {
            islands[place].restart(arrangement.clone())?;
        }
        Ok(())
    }

    /// Adopts the best of all searchers.
    fn take_best(&mut self, islands: &[Island<'a>]) {
        for island in islands {
            let (energy, arrangement) = island.best();
            if *energy < self.best {
                self.judge.arrange(arrangement.clone());
                self.take(*energy, self.judge.nodes().to_vec());
            }
        }
    }
}
