//! The memory that a search needs, estimated before it is allocated.

use cubefold_simulator::{Evaluator, Special};
use cubefold_topology::NodeId;

use crate::{
    Objective, Problem, classes, critical_path, distances::Distances, judge::Measure, portfolio::ISLANDS,
    routes::Routes, tabu, traffic::Traffic, triangles,
};

impl Problem<'_> {
    /// An approximate upper bound of the bytes that a search of this problem takes with `starts` starts.
    #[must_use]
    pub fn bytes(&self, objective: Objective, starts: usize) -> u64 {
        let Self { program, machine, rules, .. } = *self;
        let (places, sites) = (self.place_count() as u64, self.sites.len() as u64);
        let nodes = program.process_count().saturating_mul(size_of::<NodeId>() as u64);
        // An arrangement is two numbers a place; a start is kept with its arrangement.
        let arrangement = places.saturating_mul(2 * size_of::<u32>() as u64);
        let of_starts = (starts as u64).saturating_mul(nodes.saturating_add(arrangement.saturating_mul(2)));
        let measure = Measure::Of(objective);
        let evaluator = if measure.runs() { Evaluator::bytes(program, machine, rules) } else { 0 };
        let (routes, loads) = if measure.weighs() {
            (Routes::bytes(machine, sites), machine.channel_places().saturating_mul(size_of::<u64>() as u64))
        } else {
            (0, 0)
        };
        let judge = evaluator
            .saturating_add(loads)
            .saturating_add(nodes.saturating_mul(2))
            .saturating_add(arrangement.saturating_mul(3));
        let breeding = if objective == Objective::HopUnits { tabu::bytes(places, ISLANDS) } else { 0 };
        // The adjacent sites of each, also through switches.
        let neighbourhood =
            sites.saturating_mul(64).saturating_add(machine.channel_places().saturating_mul(8));
        Traffic::bytes(program, self.ranks)
            .saturating_add(machine.bytes_of_routes())
            .saturating_add(Distances::bytes(sites))
            .saturating_add(routes)
            .saturating_add(neighbourhood)
            .saturating_add(of_starts)
            .saturating_add(judge.saturating_mul(ISLANDS + 1))
            .saturating_add(breeding)
            .saturating_add(triangles::bytes(places))
            .saturating_add(classes::bytes(sites))
            .saturating_add(self.bytes_of_paths())
    }

    /// Bytes of the bounds by longest paths.
    fn bytes_of_paths(&self) -> u64 {
        match self.program.special() {
            Special::Tasks(graph) => critical_path::bytes(graph),
            Special::Job(job) => {
                let ranks = job.rank_count() * size_of::<u64>() as u64;
                ranks.saturating_mul(job.steps().len() as u64)
            }
            Special::None | Special::Cube(_) | Special::Pipelined(_) | Special::RandomAccess(_) => 0,
        }
    }
}
