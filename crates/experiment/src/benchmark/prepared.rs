//! A row with everything made that is not to be measured.

use std::{io, path::Path, sync::Arc};

use cubefold_mapping::{Placement, PlacementTable};
#[cfg(test)]
use cubefold_simulator::EngineChoice;
use cubefold_simulator::{CountLinkUse, Engine};
use cubefold_topology::{Machine, NodeId};
use rand::{SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use super::{
    BenchmarkError,
    row::{Placed, Row, Size, Work},
};
use crate::{
    KeepRecords, Progress, Run, RunError, ScenarioErrors, execute,
    export::{RunRecord, write_csv},
    generator_key::generator_key,
    runner::execution,
    scenario::load_text,
};

/// How many runs of a sweep are executed in the quick size.
const QUICK_RUNS: usize = 60;

/// A row, ready to be measured.
#[derive(Debug)]
pub(super) struct Prepared {
    row: Row,
    name: String,
    runs: Vec<Run>, // at least one
    answer: u64,
}

impl Prepared {
    /// Reads the row's scenario and places its processes.
    pub(super) fn new(row: Row, size: Size) -> Result<Self, ScenarioErrors> {
        let mut runs = load_text(Path::new(row.name), row.scenario)?.runs;
        match (row.work, size) {
            (Work::Simulate(_) | Work::Measure, Size::Quick) => runs.truncate(1),
            (Work::Simulate(_) | Work::Measure, Size::Full) => drop(runs.drain(..runs.len() - 1)),
            (Work::Sweep, Size::Quick) => runs.truncate(QUICK_RUNS),
            (Work::Sweep, Size::Full) | (Work::Load, Size::Quick | Size::Full) => {}
        }
        if row.placed == Placed::AtRandom {
            for run in &mut runs {
                run.placement = Arc::new(at_random(&run.machine, run.placement.process_count()));
            }
        }
        let size_name = match (row.work, runs.first()) {
            (Work::Simulate(_) | Work::Measure, Some(run)) => size_of(&run.machine),
            _ => format!("{}-runs", runs.len()),
        };
        let name = format!("{}/{size_name}", row.name);
        Ok(Self { row, name, runs, answer: row.answer.of(size) })
    }

    /// What is measured, and its size.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The runs that are executed or whose placements are measured.
    pub(super) fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The nodes of all its machines.
    #[cfg(test)]
    pub(super) fn nodes(&self) -> u64 {
        self.runs.iter().map(|run| run.machine.node_count()).sum()
    }

    /// The same, computed hop by hop.
    #[cfg(test)]
    pub(super) fn hop_by_hop(mut self) -> Self {
        self.row.work = Work::Simulate(Engine::Hop);
        for run in &mut self.runs {
            run.execution.engine = EngineChoice::Hop;
        }
        self
    }

    /// Does the work once and checks what it comes to.
    pub(super) fn work(&self) -> Result<(), BenchmarkError> {
        let found = match self.row.work {
            Work::Simulate(engine) => self.simulate(engine)?,
            Work::Measure => self.measure(),
            Work::Sweep => self.sweep()?,
            Work::Load => load_text(Path::new(self.row.name), self.row.scenario)?.runs.len() as u64,
        };
        let (row, expected) = (self.name.clone(), self.answer);
        if found == expected { Ok(()) } else { Err(BenchmarkError::Answer { row, found, expected }) }
    }

    fn simulate(&self, expected: Engine) -> Result<u64, BenchmarkError> {
        let mut last = 0;
        for run in &self.runs {
            let (links, execution) = (run.communication, execution(run));
            let outcome = run.program.simulate(&run.placement, links, &execution, CountLinkUse::No, None);
            let outcome =
                outcome.map_err(|error| BenchmarkError::Simulation { row: self.name.clone(), error })?;
            if outcome.engine != expected {
                let (row, found) = (self.name.clone(), outcome.engine);
                return Err(BenchmarkError::Engine { row, found, expected });
            }
            last = outcome.summary.makespan().get();
        }
        Ok(last)
    }

    fn measure(&self) -> u64 {
        let measured = |run: &Run| run.program.measure(&run.placement, run.communication.tie());
        self.runs.iter().map(|run| measured(run).dilation.total()).sum()
    }

    fn sweep(&self) -> Result<u64, BenchmarkError> {
        let progress = Progress::default();
        let execute = |(place, run): (usize, &Run)| {
            let finished = execute(run, place, KeepRecords::No, &progress)?;
            Ok(RunRecord::new(run, &finished))
        };
        let records: Result<Vec<RunRecord>, RunError> =
            self.runs.par_iter().enumerate().map(execute).collect();
        let records = records?;
        write_csv(&mut io::sink(), || records.iter().map(Ok))?;
        Ok(records.iter().map(|record| record.makespan_cycles).sum())
    }
}

/// The processes one a node on nodes drawn at random, always the same.
#[expect(clippy::expect_used, reason = "some nodes of a machine, at least one, are a placement on it")]
fn at_random(machine: &Machine, processes: u64) -> Placement {
    let mut nodes: Vec<NodeId> = machine.nodes().collect();
    nodes.shuffle(&mut ChaCha12Rng::from_seed(generator_key(0, "benchmark: placement at random")));
    nodes.truncate(usize::try_from(processes).unwrap_or(usize::MAX));
    Placement::Table(PlacementTable::new(machine, nodes).expect("nodes of the machine"))
}

/// The lengths of a machine, such as `8x8`.
fn size_of(machine: &Machine) -> String {
    let lengths: Vec<String> = machine.shape().lengths().iter().map(u64::to_string).collect();
    lengths.join("x")
}
