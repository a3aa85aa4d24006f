//! The whole search: named placements, all placements where there are few, orders of bits, and searchers side by side.
//!
//! Sixteen searchers work in rounds of equal length. Between rounds the worst of them go on from the best, in the order of
//! their numbers. Threads only take searchers, so that the result is the same on any number of them.

use std::ops::ControlFlow;

use cubefold_topology::NodeId;
use rayon::prelude::*;

use crate::{
    Bound, BoundKind, Objective, Problem, SearchError,
    arrangement::Arrangement,
    bit_orders, bounds, complete,
    distances::Distances,
    island::Island,
    judge::{Energy, Judge},
    moves::Neighbourhood,
    tabu::Quadratic,
    traffic::Traffic,
};

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// The placements judged in all, those included that are refused without a run; by default as many as take about a
    /// minute on two cores.
    pub evaluations: Option<u64>,
    /// What the generators of all searchers depend on.
    pub seed: u64,
}

/// A placement to start from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// Its name.
    pub name: String,
    /// The node of every process, by label.
    pub nodes: Vec<NodeId>,
}

/// How far a search has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Placements judged.
    pub evaluations: u64,
    /// Placements that will be judged in all.
    pub of: u64,
    /// The smallest value so far.
    pub best: u128,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The node of every process, by label.
    pub nodes: Vec<NodeId>,
    /// The value of this placement.
    pub value: u128,
    /// The value of the first start.
    pub reference: u128,
    /// The start with the smallest value, the first of several.
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

    /// The excess of the value over the bound, as a part of the bound; none where that is 0 and the value is not.
    #[must_use]
    pub fn gap(&self) -> Option<f64> {
        let (value, bound) = (self.value, self.bound.value);
        #[expect(clippy::cast_precision_loss, reason = "a ratio")]
        let gap = || (value - bound) as f64 / bound as f64;
        if value <= bound { Some(0.0) } else { (bound > 0).then(gap) }
    }
}

/// The searchers.
const ISLANDS: u64 = 16;
/// The rounds of all searchers.
const ROUNDS: u32 = 32;
/// The temperatures of the first and of the last round, relative to the value.
const HEATS: [f64; 2] = [0.02, 0.0004];
/// The most starts whose orders of bits are tried.
const ORDERED_STARTS: usize = 16;
/// What evaluations of the default effort look at in all: messages, and links crossed.
const WORK: u64 = 1_500_000_000;

/// What a tabu search by hop-units judges in a minute on two cores.
const EXCHANGES: u64 = 20_000_000_000;
/// The most orders of bits that are judged before it.
const ORDERED_AT_MOST: u64 = 200_000;
/// The least iterations of a tabu search from one child.
const MIN_ITERATIONS: u64 = 4_000;
/// Fewer generations are not worth it: searchers anneal instead.
const MIN_GENERATIONS: u64 = 4;
/// The most generations; with more iterations in all, each has more.
const MAX_GENERATIONS: u64 = 2_000;
/// The generations after which the worst quarter go on from the best.
const RESTARTED: u64 = 8;
/// The changes of a round of annealing before the first generation.
const STRUCTURED: u64 = 4_000;

/// How long tabu searches take.
#[derive(Clone, Copy)]
struct Breeding<'a> {
    of: &'a Quadratic,
    generations: u64,
    iterations: u64, // of a child
}

/// Searches the placement of a problem with the smallest value of an objective, from `starts` on, of which the first is the
/// reference. `watch` is called between rounds, and can end the search.
///
/// # Errors
///
/// When the problem cannot be searched, a start is no placement on its sites, or a run does not come to its end.
pub fn search(
    problem: Problem<'_>,
    objective: Objective,
    starts: &[Start],
    effort: Effort,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Found, SearchError> {
    problem.check(objective)?;
    let (traffic, distances) =
        (Traffic::new(problem.program, problem.ranks), Distances::new(problem.machine, problem.sites));
    let neighbourhood = Neighbourhood::new(problem.machine, problem.sites, problem.rank_count());
    let quadratic = (objective == Objective::HopUnits)
        .then(|| Quadratic::new(&traffic, &distances, problem.sites.len(), problem.per_site));
    let setting = Setting {
        problem,
        objective,
        traffic: &traffic,
        distances: &distances,
        neighbourhood: &neighbourhood,
        quadratic: quadratic.flatten(),
    };
    let mut search = Search::begin(&setting, starts)?;
    if !search.is_proved() && complete::applies(&problem) {
        search.try_all()?;
    }
    if !search.is_proved() {
        search.anneal(effort, watch)?;
    }
    Ok(search.found)
}

/// What every searcher knows.
struct Setting<'a> {
    problem: Problem<'a>,
    objective: Objective,
    traffic: &'a Traffic,
    distances: &'a Distances<'a>,
    neighbourhood: &'a Neighbourhood<'a>,
    quadratic: Option<Quadratic>, // for hop-units
}

impl<'a> Setting<'a> {
    fn judge(&self, objective: Objective, arrangement: Arrangement) -> Result<Judge<'a>, SearchError> {
        Ok(Judge::new(self.problem, objective, self.traffic, self.distances, arrangement)?)
    }

    fn arrangement(&self, nodes: &[NodeId]) -> Option<Arrangement> {
        let ranks = nodes.get(..self.problem.rank_count())?;
        Arrangement::new(ranks, self.problem.sites, self.problem.per_site)
    }
}

/// A search on its way.
struct Search<'a> {
    setting: &'a Setting<'a>,
    judge: Judge<'a>,
    starts: Vec<(Energy, Arrangement)>, // the best first
    best: Energy,
    found: Found,
}

impl<'a> Search<'a> {
    /// Judges all starts. Those that are no placement on the sites are passed over.
    fn begin(setting: &'a Setting<'a>, starts: &[Start]) -> Result<Self, SearchError> {
        let placed = |(number, start): (usize, &Start)| Some((number, setting.arrangement(&start.nodes)?));
        let placed: Vec<(usize, Arrangement)> = starts.iter().enumerate().filter_map(placed).collect();
        let (_, first) = placed.first().ok_or(SearchError::NoStart)?;
        let mut judge = setting.judge(setting.objective, first.clone())?;
        let mut judged = vec![];
        for (number, arrangement) in placed {
            judge.arrange(arrangement.clone());
            if let Some(energy) = judge.energy(None)? {
                judged.push((energy, number, arrangement));
            }
        }
        let reference = judged.first().map_or(0, |(energy, ..)| energy.value);
        judged.sort_by(|one, other| one.0.partial_cmp(&other.0).unwrap_or(std::cmp::Ordering::Equal));
        let (best, named) =
            judged.first().map(|&(energy, number, _)| (energy, number)).ok_or(SearchError::NoStart)?;
        let bound = bounds::bound(&setting.problem, setting.objective, setting.traffic, setting.distances);
        let found = Found {
            nodes: starts[named].nodes.clone(),
            value: best.value,
            reference,
            named,
            named_value: best.value,
            bound,
            evaluations: judge.evaluations,
        };
        let starts = judged.into_iter().map(|(energy, _, arrangement)| (energy, arrangement)).collect();
        Ok(Self { setting, judge, starts, best, found })
    }

    fn is_proved(&self) -> bool {
        self.found.is_proved()
    }

    /// Takes over a placement that is better.
    fn take(&mut self, energy: Energy, nodes: Vec<NodeId>) {
        if energy < self.best {
            self.best = energy;
            (self.found.value, self.found.nodes) = (energy.value, nodes);
        }
    }

    fn try_all(&mut self) -> Result<(), SearchError> {
        if let Some((value, nodes)) = complete::best(&self.setting.problem, &mut self.judge)? {
            if value < self.found.value {
                self.take(Energy { value, rest: 0.0 }, nodes);
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
        let of = effort.evaluations.unwrap_or_else(|| self.default_evaluations()).max(self.judge.evaluations);
        let most = if self.setting.quadratic.is_some() { ORDERED_AT_MOST } else { u64::MAX };
        self.order_bits(((of - self.judge.evaluations) / 5).min(most))?;
        let mut progress = Progress { evaluations: self.judge.evaluations, of, best: self.found.value };
        if self.is_proved() || watch(progress).is_break() {
            return Ok(());
        }
        let changes = (of - self.judge.evaluations) / ISLANDS / u64::from(ROUNDS);
        let before = self.judge.evaluations;
        let mut islands = self.islands(effort.seed, changes)?;
        if let Some(own) = self.breeding(of - before) {
            return self.breed(islands, own, progress, watch);
        }
        for round in 0..ROUNDS {
            let heat = HEATS[0] * (HEATS[1] / HEATS[0]).powf(f64::from(round) / f64::from(ROUNDS - 1));
            islands.par_iter_mut().try_for_each(|island| island.round(changes, heat))?;
            self.merge(&mut islands)?;
            self.found.evaluations = before + islands.iter().map(Island::evaluations).sum::<u64>();
            progress = Progress { evaluations: self.found.evaluations, best: self.found.value, ..progress };
            if self.is_proved() || watch(progress).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The generations of a tabu search with so many evaluations, if it is the way to take.
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
        own: Breeding<'_>,
        mut progress: Progress,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<(), SearchError> {
        // Blocks and lines are beyond single exchanges: half of the searchers begin with them.
        let half = islands.len() / 2;
        islands[..half].par_iter_mut().try_for_each(|island| {
            (0..ROUNDS)
                .try_for_each(|round| island.round(STRUCTURED, HEATS[0] * 0.85_f64.powf(f64::from(round))))
        })?;
        for generation in 0..own.generations {
            let bests: Vec<Arrangement> = islands.iter().map(|island| island.best().1.clone()).collect();
            let count = bests.len();
            islands.par_iter_mut().enumerate().try_for_each(|(place, island)| {
                // Each searcher meets all others in turn.
                let other = (place + 1 + usize::try_from(generation).unwrap_or(0) % (count - 1)) % count;
                island.breed(own.of, &bests[other], own.iterations)
            })?;
            if generation % RESTARTED == RESTARTED - 1 {
                self.merge(&mut islands)?;
            } else {
                self.take_best(&islands);
            }
            progress.evaluations += ISLANDS * own.iterations * own.of.exchanges();
            (self.found.evaluations, progress.best) = (progress.evaluations, self.found.value);
            if self.is_proved() || watch(progress).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Tries orders of the bits of the labels of the best starts, each with a share of the evaluations.
    fn order_bits(&mut self, evaluations: u64) -> Result<(), SearchError> {
        let starts: Vec<Arrangement> =
            self.starts.iter().take(ORDERED_STARTS).map(|(_, arrangement)| arrangement.clone()).collect();
        let share = evaluations / starts.len().max(1) as u64;
        for start in starts {
            self.judge.arrange(start);
            let nodes = self.judge.nodes()[..self.setting.problem.rank_count()].to_vec();
            let improved = bit_orders::improve(&self.setting.problem, &mut self.judge, &nodes, share)?;
            if let Some((energy, nodes)) = improved
                && let Some(arrangement) = self.setting.arrangement(&nodes)
            {
                self.judge.arrange(arrangement.clone());
                self.starts.push((energy, arrangement));
                self.take(energy, self.judge.nodes().to_vec());
            }
        }
        self.starts.sort_by(|one, other| one.0.partial_cmp(&other.0).unwrap_or(std::cmp::Ordering::Equal));
        self.found.evaluations = self.judge.evaluations;
        Ok(())
    }

    /// The searchers: the first half at the best starts, the others at placements with few hop-units, found from anywhere.
    fn islands(&self, seed: u64, changes: u64) -> Result<Vec<Island<'a>>, SearchError> {
        let numbers: Vec<u64> = (0..ISLANDS).collect();
        let island = |number: u64| -> Result<Island<'a>, SearchError> {
            let place = usize::try_from(number).unwrap_or(0);
            let (_, mut start) = self.starts[place % self.starts.len()].clone();
            if number >= ISLANDS / 2 {
                start = self.with_few_hop_units(start, seed, number, changes)?;
            }
            let judge = self.setting.judge(self.setting.objective, start)?;
            let Setting { neighbourhood, traffic, .. } = *self.setting;
            Ok(Island::new(judge, neighbourhood, traffic, seed, number)?)
        };
        numbers.into_par_iter().map(island).collect()
    }

    /// Anneals by hop-units, which cost little, from an arrangement drawn at random.
    fn with_few_hop_units(
        &self,
        start: Arrangement,
        seed: u64,
        number: u64,
        changes: u64,
    ) -> Result<Arrangement, SearchError> {
        let judge = self.setting.judge(Objective::HopUnits, start)?;
        let Setting { neighbourhood, traffic, .. } = *self.setting;
        let mut island = Island::new(judge, neighbourhood, traffic, seed, ISLANDS + number)?;
        island.scatter()?;
        // A tenth of what exact judgement costs at most.
        let changes =
            changes.saturating_mul(20).min(if self.setting.quadratic.is_some() { 2_000 } else { 200_000 });
        for round in 0..ROUNDS {
            island.round(changes, 0.01 * 0.8_f64.powi(round.try_into().unwrap_or(i32::MAX)))?;
        }
        Ok(island.best().1.clone())
    }

    /// Takes over the best of all searchers; the worst quarter go on from it.
    fn merge(&mut self, islands: &mut [Island<'a>]) -> Result<(), SearchError> {
        let mut order: Vec<usize> = (0..islands.len()).collect();
        let energy = |islands: &[Island<'_>], place: usize| islands[place].best().0;
        order.sort_by(|&one, &other| {
            let [one, other] = [one, other].map(|place| energy(islands, place));
            one.partial_cmp(&other).unwrap_or(std::cmp::Ordering::Equal)
        });
        let arrangement = islands[order[0]].best().1.clone();
        self.take_best(islands);
        for &place in &order[order.len() - order.len() / 4..] {
            islands[place].restart(arrangement.clone())?;
        }
        Ok(())
    }

    /// Takes over the best of all searchers.
    fn take_best(&mut self, islands: &[Island<'a>]) {
        for island in islands {
            let (energy, arrangement) = island.best();
            if *energy < self.best {
                self.judge.arrange(arrangement.clone());
                self.take(*energy, self.judge.nodes().to_vec());
            }
        }
    }

    /// So many evaluations that they take about a minute on two cores.
    fn default_evaluations(&self) -> u64 {
        if self.breeding(EXCHANGES).is_some() {
            return EXCHANGES;
        }
        let pairs = self.setting.traffic.pairs().count() as u64;
        let work = match self.setting.objective {
            Objective::Makespan | Objective::Predicted => self.judge.work_of_an_evaluation(),
            Objective::Load => self.setting.problem.machine.channel_places() + pairs,
            Objective::HopUnits => 30 + pairs / self.setting.traffic.rank_count().max(1) as u64,
            Objective::Dilation => pairs,
        };
        (WORK / work.max(1)).clamp(2_000, 50_000_000)
    }
}
