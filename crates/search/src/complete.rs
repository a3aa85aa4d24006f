//! Every placement of a small problem.

use cubefold_simulator::SimulationError;
use cubefold_topology::NodeId;

use crate::{arrangement::Arrangement, judge::Judge, problem::Problem};

/// The most placements for a complete search.
const MAX_PLACEMENTS: u128 = 50_000;

/// Whether there are few enough placements to try all.
pub(crate) fn applies(problem: &Problem<'_>) -> bool {
    let (processes, places) = (problem.rank_count() as u128, problem.place_count() as u128);
    let mut placements = 1_u128;
    for process in 0..processes {
        placements = placements.saturating_mul(places - process);
    }
    placements <= MAX_PLACEMENTS
}

/// The best of all placements, and its value; of equal ones the first.
///
/// # Errors
///
/// When a run does not end.
pub(crate) fn best<'a>(
    problem: &Problem<'a>,
    judge: &mut Judge<'a>,
) -> Result<Option<(u128, Vec<NodeId>)>, SimulationError> {
    let mut all = All { problem, judge, taken: vec![0; problem.sites.len()], nodes: vec![], best: None };
    all.place_next()?;
    Ok(all.best)
}

struct All<'search, 'problem> {
    problem: &'search Problem<'problem>,
    judge: &'search mut Judge<'problem>,
    taken: Vec<usize>, // by site
    nodes: Vec<NodeId>,
    best: Option<(u128, Vec<NodeId>)>,
}

impl All<'_, '_> {
    /// Tries every site for the next process, and every placement of those after it.
    fn place_next(&mut self) -> Result<(), SimulationError> {
        if self.nodes.len() == self.problem.rank_count() {
            return self.judge_placement();
        }
        for site in 0..self.problem.sites.len() {
            if self.taken[site] < self.problem.per_site {
                self.taken[site] += 1;
                self.nodes.push(self.problem.sites[site]);
                self.place_next()?;
                self.nodes.pop();
                self.taken[site] -= 1;
            }
        }
        Ok(())
    }

    fn judge_placement(&mut self) -> Result<(), SimulationError> {
        let Some(arrangement) = Arrangement::new(&self.nodes, self.problem.sites, self.problem.per_site)
        else {
            return Ok(());
        };
        // Only a smaller value is better.
        let most = match self.best {
            Some((0, _)) => return Ok(()),
            Some((value, _)) => Some(value - 1),
            None => None,
        };
        self.judge.arrange(arrangement);
        if let Some(energy) = self.judge.energy(most)? {
            self.best = Some((energy.value, self.judge.nodes().to_vec()));
        }
        Ok(())
    }
}
