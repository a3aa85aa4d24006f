//! The value of an arrangement under an objective, and of one change after another.

use cubefold_simulator::{Cycles, Evaluator, SimulationError};
use cubefold_topology::NodeId;

use crate::{
    Objective, Problem, arrangement::Arrangement, distances::Distances, loads::Loads, traffic::Traffic,
};

/// An arrangement and what its value is made of.
#[derive(Debug)]
pub(crate) struct Judge<'a> {
    problem: Problem<'a>,
    objective: Objective,
    traffic: &'a Traffic,
    distances: &'a Distances<'a>,
    evaluator: Option<Evaluator<'a>>, // for makespans and predictions
    loads: Option<Loads<'a>>,         // for loads, and as a filter of makespans
    arrangement: Arrangement,
    sites: Vec<u32>,    // by rank
    nodes: Vec<NodeId>, // by process; those of the first are those of the ranks
    hop_units: u128,
    /// Placements judged, those included that were refused without a run.
    pub(crate) evaluations: u64,
}

/// The value of a placement, with what orders placements of one value in a search.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Energy {
    /// The value.
    pub(crate) value: u128,
    /// From 0 to below 1: how much of the placement has the value.
    pub(crate) rest: f64,
}

impl Energy {
    /// One number for both.
    #[expect(clippy::cast_precision_loss, reason = "temperatures are rough")]
    pub(crate) fn get(self) -> f64 {
        self.value as f64 + self.rest
    }
}

impl<'a> Judge<'a> {
    /// Judges placements of a problem, from an arrangement on.
    ///
    /// # Errors
    ///
    /// When the program cannot be run.
    pub(crate) fn new(
        problem: Problem<'a>,
        objective: Objective,
        traffic: &'a Traffic,
        distances: &'a Distances<'a>,
        arrangement: Arrangement,
    ) -> Result<Self, SimulationError> {
        let runs = matches!(objective, Objective::Makespan | Objective::Predicted);
        let evaluator =
            runs.then(|| Evaluator::new(problem.program, problem.machine, problem.rules)).transpose()?;
        let weighs = matches!(objective, Objective::Makespan | Objective::Load);
        let loads = weighs.then(|| Loads::new(problem.machine, problem.rules));
        let mut judge = Self {
            problem,
            objective,
            traffic,
            distances,
            evaluator,
            loads,
            arrangement: arrangement.clone(),
            sites: vec![],
            nodes: vec![],
            hop_units: 0,
            evaluations: 0,
        };
        judge.arrange(arrangement);
        Ok(judge)
    }

    /// Begins anew from another arrangement.
    pub(crate) fn arrange(&mut self, arrangement: Arrangement) {
        let processes = 0..u32::try_from(self.traffic.rank_count()).unwrap_or(u32::MAX);
        let site = |process| u32::try_from(arrangement.site(process)).unwrap_or(u32::MAX);
        self.sites = processes.clone().map(site).collect();
        let node = |process: usize| self.problem.sites[self.sites[process % self.sites.len()] as usize];
        self.nodes = (0..self.all_processes()).map(node).collect();
        self.hop_units = self.distances.hop_units(self.traffic, &self.sites);
        if let Some(loads) = &mut self.loads {
            loads.clear();
            for process in processes {
                loads.add(self.traffic, process, &self.nodes, |other| other < process);
            }
        }
        self.arrangement = arrangement;
    }

    /// The number of processes, of all ranks.
    fn all_processes(&self) -> usize {
        usize::try_from(self.problem.program.process_count()).unwrap_or(usize::MAX)
    }

    /// The arrangement.
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

    /// Moves a process to the site that its token has come to.
    fn relocate(&mut self, process: u32) {
        let place = process as usize;
        let site = self.arrangement.site(process);
        if let Some(loads) = &mut self.loads {
            loads.remove(self.traffic, process, &self.nodes);
        }
        self.hop_units -= self.distances.hop_units_of(self.traffic, &self.sites, process);
        self.sites[place] = u32::try_from(site).unwrap_or(u32::MAX);
        for process in (place..self.nodes.len()).step_by(self.sites.len()) {
            self.nodes[process] = self.problem.sites[site];
        }
        self.hop_units += self.distances.hop_units_of(self.traffic, &self.sites, process);
        if let Some(loads) = &mut self.loads {
            loads.add(self.traffic, process, &self.nodes, |_| true);
        }
    }

    /// The energy of the present arrangement if its value is at most `most`; `None` if it is larger.
    ///
    /// # Errors
    ///
    /// When a run does not come to its end.
    pub(crate) fn energy(&mut self, most: Option<u128>) -> Result<Option<Energy>, SimulationError> {
        self.evaluations += 1;
        let energy = match self.objective {
            Objective::Makespan => return self.makespan(most),
            Objective::Predicted => match &mut self.evaluator {
                Some(evaluator) => Energy::of(evaluator.floor(&self.nodes)?.get().into()),
                None => Energy::of(0),
            },
            Objective::Load => self.load(),
            Objective::HopUnits => Energy::of(self.hop_units),
            Objective::Dilation => {
                let (links, pairs) = self.distances.dilation(self.traffic, &self.sites);
                Energy { value: links.into(), rest: share(pairs, self.traffic.pairs().count() as u64) }
            }
        };
        Ok(Some(energy).filter(|energy| most.is_none_or(|most| energy.value <= most)))
    }

    /// What an evaluation looked at, on average over those so far: messages and links crossed.
    pub(crate) fn work_of_an_evaluation(&self) -> u64 {
        let work = self.evaluator.as_ref().map_or(0, Evaluator::work);
        work / self.evaluations.max(1)
    }

    /// The largest load, with the share of the channels that have it.
    fn load(&self) -> Energy {
        let Some(loads) = &self.loads else { return Energy::of(0) };
        let largest = loads.largest();
        Energy { value: largest.into(), rest: share(loads.count(largest) as u64, loads.len() as u64) }
    }

    /// The makespan. A run whose messages occupy a channel for longer than `most`, or that takes longer without
    /// contention, is refused without running it.
    fn makespan(&mut self, most: Option<u128>) -> Result<Option<Energy>, SimulationError> {
        let Some(evaluator) = &mut self.evaluator else { return Ok(None) };
        let is_too_long = |load: u64| most.is_some_and(|most| u128::from(load) > most);
        if self.loads.as_ref().is_some_and(|loads| is_too_long(loads.largest())) {
            return Ok(None);
        }
        // Below the next cycle, or any: makespans are below 2^63.
        let limit = most.and_then(|most| u64::try_from(most).ok()?.checked_add(1)).map(Cycles::new);
        let makespan = evaluator.makespan(&self.nodes, limit)?;
        Ok(makespan.map(|makespan| Energy::of(makespan.get().into())))
    }
}

impl Energy {
    /// The energy of a value alone.
    fn of(value: u128) -> Self {
        Self { value, rest: 0.0 }
    }
}

/// A share below 1.
#[expect(clippy::cast_precision_loss, reason = "it orders placements of one value roughly")]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / (whole as f64 + 1.0)
}
