//! The value of an arrangement under an objective, and of one change after another.

use std::cmp::Ordering;

use cubefold_simulator::{Cycles, Evaluator, SimulationError};
use cubefold_topology::NodeId;

use crate::{
    Objective, Problem, arrangement::Arrangement, distances::Distances, loads::Loads, routes::Routes,
    traffic::Traffic,
};

/// The quantity that a judge measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// The objective of a search.
    Of(Objective),
    /// The eighth norm of the loads of all channels, which leads to placements with small loads.
    SmoothLoad,
}

impl Measure {
    /// Whether placements are run, or predicted.
    pub(crate) fn runs(self) -> bool {
        matches!(self, Self::Of(Objective::Makespan | Objective::Predicted))
    }

    /// Whether loads of channels are kept: in searches by makespan they can refuse a placement before its run.
    pub(crate) fn weighs(self) -> bool {
        matches!(self, Self::Of(Objective::Makespan | Objective::Load) | Self::SmoothLoad)
    }
}

/// The cost of evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Placements judged.
    pub(crate) evaluations: u64,
    /// The messages, crossed links and channels that were looked at; the count is the same on every computer.
    pub(crate) work: u64,
}

impl Cost {
    /// The remaining cost until `end`.
    pub(crate) fn until(self, end: Self) -> Self {
        Self {
            evaluations: end.evaluations.saturating_sub(self.evaluations),
            work: end.work.saturating_sub(self.work),
        }
    }

    /// The sum of this cost and `more`.
    pub(crate) fn plus(self, more: Self) -> Self {
        Self {
            evaluations: self.evaluations.saturating_add(more.evaluations),
            work: self.work.saturating_add(more.work),
        }
    }

    /// A fraction of this cost.
    pub(crate) fn divided(self, parts: u64) -> Self {
        Self { evaluations: self.evaluations / parts, work: self.work / parts }
    }

    /// `parts` of `of` equal parts of this cost, rounded down.
    pub(crate) fn share(self, parts: u32, of: u32) -> Self {
        let share = |whole: u64| {
            let share = u128::from(whole) * u128::from(parts) / u128::from(of);
            u64::try_from(share).unwrap_or(u64::MAX)
        };
        Self { evaluations: share(self.evaluations), work: share(self.work) }
    }

    /// Whether either count has reached its limit.
    #[inline]
    pub(crate) fn has_reached(self, end: Self) -> bool {
        self.evaluations >= end.evaluations || self.work >= end.work
    }
}

/// The problem and the tables that all judges of a search share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) problem: Problem<'a>,
    /// The messages of the problem.
    pub(crate) traffic: &'a Traffic,
    /// The distances of its sites.
    pub(crate) distances: &'a Distances<'a>,
    /// The channels between its sites, if loads are kept.
    pub(crate) routes: Option<&'a Routes<'a>>,
}

/// The costs of a judgement apart from runs, in messages of a run.
#[derive(Debug, Clone, Copy)]
struct Costs {
    /// The cost of moving a process, with all its messages.
    moved: u64,
    /// The cost of a look at the value.
    look: u64,
}

impl Known<'_> {
    /// An approximate count: a message or a channel of a sum takes a small part of the time of a message in a run.
    fn costs(&self, measure: Measure, has_loads: bool) -> Costs {
        let pairs = self.traffic.pairs().count() as u64;
        let flows = 2 * pairs / self.traffic.rank_count().max(1) as u64;
        let routes = self.routes.filter(|_| has_loads);
        let channels = routes.map_or(0, |routes| routes.place_count() as u64);
        let look = match measure {
            Measure::Of(Objective::Dilation) => pairs / 16,
            Measure::Of(_) | Measure::SmoothLoad => channels / 64,
        };
        Costs { moved: 1 + flows * routes.map_or(1, Routes::mean_length) / 8, look: 2 + look }
    }
}

/// Statistics of the use of loads in a search by makespan.
#[derive(Debug, Clone, Copy, Default)]
struct Filter {
    looks: u32,
    refused: u32,
}

impl Filter {
    /// The looks after which loads may be dropped.
    const LOOKS: u32 = 1000;
    /// Loads are kept if they refuse at least one placement in this many.
    const WORTH: u32 = 50;

    fn count(&mut self, is_refused: bool) {
        self.looks = self.looks.saturating_add(1);
        self.refused = self.refused.saturating_add(is_refused.into());
    }

    fn is_useless(self) -> bool {
        self.looks == Self::LOOKS && self.refused < Self::LOOKS / Self::WORTH
    }
}

/// An arrangement and the parts of its value.
#[derive(Debug)]
pub(crate) struct Judge<'a> {
    known: Known<'a>,
    measure: Measure,
    evaluator: Option<Evaluator<'a>>, // for makespans and predictions
    loads: Option<Loads<'a>>,         // for loads, and as a filter of makespans
    filter: Filter,
    arrangement: Arrangement,
    sites: Vec<u32>,    // by rank
    nodes: Vec<NodeId>, // by process; the first are the ranks
    hop_units: u128,    // if they are the objective
    costs: Costs,
    work: u64, // of all judgements apart from runs
    /// Placements judged, including those refused without a run.
    pub(crate) evaluations: u64,
}

/// The value of a placement, with a fraction that orders placements of equal value.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Energy {
    pub(crate) value: u128,
    /// From 0 to below 1: the share of the placement that has the value.
    pub(crate) rest: f64,
}

impl Energy {
    /// One number for both.
    #[expect(clippy::cast_precision_loss, reason = "temperatures are rough")]
    pub(crate) fn get(self) -> f64 {
        self.value as f64 + self.rest
    }

    /// The order by value, then by the rest.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        self.partial_cmp(other).unwrap_or(Ordering::Equal)
    }

    /// The energy of a fractional value.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is at least 0, and rough"
    )]
    fn near(value: f64) -> Self {
        Self { value: value as u128, rest: value.fract() }
    }

    /// The energy of a value alone.
    pub(crate) fn of(value: u128) -> Self {
        Self { value, rest: 0.0 }
    }
}

impl<'a> Judge<'a> {
    /// Judges placements of a problem, starting with an arrangement.
    ///
    /// # Errors
    ///
    /// When the program cannot be run.
    #[expect(clippy::large_types_passed_by_value, reason = "it becomes a part of the judge")]
    pub(crate) fn new(
        known: Known<'a>,
        measure: Measure,
        arrangement: Arrangement,
    ) -> Result<Self, SimulationError> {
        let Problem { program, machine, rules, .. } = known.problem;
        // Otherwise a message may take another route than the machine's, or the run may end before it is received, so a
        // run may be shorter than the largest load.
        let is_filter = known.problem.takes_routes_of_machine() && known.problem.receives_all();
        let routes = known.routes.filter(|_| measure.weighs() && (is_filter || !measure.runs()));
        let evaluator = measure.runs().then(|| Evaluator::new(program, machine, rules)).transpose()?;
        let mut judge = Self {
            known,
            measure,
            evaluator,
            loads: routes.map(Loads::new),
            filter: Filter::default(),
            arrangement: arrangement.clone(),
            sites: vec![],
            nodes: vec![],
            hop_units: 0,
            costs: known.costs(measure, routes.is_some()),
            work: 0,
            evaluations: 0,
        };
        judge.arrange(arrangement);
        Ok(judge)
    }

    /// Restarts from another arrangement.
    pub(crate) fn arrange(&mut self, arrangement: Arrangement) {
        let Known { problem, traffic, .. } = self.known;
        let processes = 0..u32::try_from(traffic.rank_count()).unwrap_or(u32::MAX);
        let site = |process| u32::try_from(arrangement.site(process)).unwrap_or(u32::MAX);
        self.sites = processes.clone().map(site).collect();
        let node = |process: usize| problem.sites[self.sites[process % self.sites.len()] as usize];
        self.nodes = (0..self.all_processes()).map(node).collect();
        if self.sums_hop_units() {
            self.hop_units = self.sum_of_hop_units();
        }
        if let Some(loads) = &mut self.loads {
            loads.clear();
            self.work += self.costs.moved * self.sites.len() as u64 / 2;
            for process in processes {
                loads.add(traffic, process, &self.sites, |other| other < process);
            }
        }
        self.arrangement = arrangement;
    }

    /// The sum over messages of units times links.
    pub(crate) fn sum_of_hop_units(&self) -> u128 {
        self.known.distances.hop_units(self.known.traffic, &self.sites)
    }

    /// Whether the value is a sum over pairs of processes, so that a change alters a small part of it.
    pub(crate) fn sums_hop_units(&self) -> bool {
        self.measure == Measure::Of(Objective::HopUnits)
    }

    /// The number of processes, of all ranks.
    fn all_processes(&self) -> usize {
        usize::try_from(self.known.problem.program.process_count()).unwrap_or(usize::MAX)
    }

    pub(crate) fn arrangement(&self) -> &Arrangement {
        &self.arrangement
    }

    /// The nodes of the processes, by label.
    pub(crate) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Exchanges two tokens; the same again undoes it.
    pub(crate) fn exchange(&mut self, one: u32, other: u32) {
        self.arrangement.exchange(one, other);
        for token in [one, other] {
            if (token as usize) < self.sites.len() {
                self.relocate(token);
            }
        }
    }

    /// Moves a process to the new site of its token.
    fn relocate(&mut self, process: u32) {
        let Known { problem, traffic, distances, .. } = self.known;
        let place = process as usize;
        let site = self.arrangement.site(process);
        self.work += self.costs.moved;
        if let Some(loads) = &mut self.loads {
            loads.remove(traffic, process, &self.sites);
        }
        if self.sums_hop_units() {
            self.hop_units -= distances.hop_units_of(traffic, &self.sites, process);
        }
        self.sites[place] = u32::try_from(site).unwrap_or(u32::MAX);
        for process in (place..self.nodes.len()).step_by(self.sites.len()) {
            self.nodes[process] = problem.sites[site];
        }
        if self.sums_hop_units() {
            self.hop_units += distances.hop_units_of(traffic, &self.sites, process);
        }
        if let Some(loads) = &mut self.loads {
            loads.add(traffic, process, &self.sites, |_| true);
        }
    }

    /// Counts a judgement.
    pub(crate) fn count_look(&mut self) {
        self.evaluations += 1;
        self.work += self.costs.look;
    }

    /// The energy of the present arrangement if its value is at most `most`; `None` if it is larger.
    ///
    /// # Errors
    ///
    /// When a run does not end.
    pub(crate) fn energy(&mut self, most: Option<u128>) -> Result<Option<Energy>, SimulationError> {
        self.count_look();
        let objective = match self.measure {
            Measure::Of(objective) => objective,
            Measure::SmoothLoad => {
                let energy = self.loads.as_ref().map_or(Energy::of(0), |loads| Energy::near(loads.norm()));
                return Ok(Some(energy));
            }
        };
        let energy = match objective {
            Objective::Makespan => return self.makespan(most),
            Objective::Predicted => match &mut self.evaluator {
                Some(evaluator) => Energy::of(evaluator.floor(&self.nodes)?.get().into()),
                None => Energy::of(0),
            },
            Objective::Load => self.load(),
            Objective::HopUnits => Energy::of(self.hop_units),
            Objective::Dilation => {
                // Equal dilations are ordered by the sum of distances, which leads off plateaus.
                let (links, sum) = self.known.distances.dilation(self.known.traffic, &self.sites);
                let most = self.known.traffic.pairs().count() as u128 * u128::from(links);
                Energy { value: links.into(), rest: share(sum, most) }
            }
        };
        Ok(Some(energy).filter(|energy| most.is_none_or(|most| energy.value <= most)))
    }

    /// The cost so far.
    pub(crate) fn spent(&self) -> Cost {
        let runs = self.evaluator.as_ref().map_or(0, Evaluator::work);
        Cost { evaluations: self.evaluations, work: runs.saturating_add(self.work) }
    }

    /// The largest load, with the share of the channels that have it.
    fn load(&self) -> Energy {
        let Some(loads) = &self.loads else { return Energy::of(0) };
        let largest = loads.largest();
        Energy { value: largest.into(), rest: share(loads.count(largest) as u128, loads.len() as u128) }
    }

    /// The makespan. A run whose messages occupy a channel for longer than `most`, or that takes longer without
    /// contention, is refused without running it.
    fn makespan(&mut self, most: Option<u128>) -> Result<Option<Energy>, SimulationError> {
        let Some(evaluator) = &mut self.evaluator else { return Ok(None) };
        if let (Some(loads), Some(most)) = (&self.loads, most) {
            let is_refused = u128::from(loads.largest()) > most;
            self.filter.count(is_refused);
            if self.filter.is_useless() {
                self.loads = None;
                self.costs = self.known.costs(self.measure, false);
            }
            if is_refused {
                return Ok(None);
            }
        }
        // Below the next cycle, or any: makespans are below 2^63.
        let limit = most.and_then(|most| u64::try_from(most).ok()?.checked_add(1)).map(Cycles::new);
        let makespan = evaluator.makespan(&self.nodes, limit)?;
        Ok(makespan.map(|makespan| Energy::of(makespan.get().into())))
    }
}

/// A share below 1.
#[expect(clippy::cast_precision_loss, reason = "it orders placements of one value roughly")]
fn share(part: u128, whole: u128) -> f64 {
    part as f64 / (whole as f64 + 1.0)
}
