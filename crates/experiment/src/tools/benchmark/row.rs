//! The rows of the benchmark: built-in scenarios with their expected results, and all preparation that is not
//! measured.

use std::{io, path::Path, sync::Arc};

use cubefold_mapping::{Placement, PlacementTable};
use cubefold_simulator::{
    Engine::{self, Belt, Coordinated, Hop},
    simulate,
};
use cubefold_topology::{Machine, NodeId};
use rand::{SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use super::BenchmarkError;
use crate::{
    records::{RunRecord, write_csv},
    runs::{KeepRecords, Progress, RunError, execute, runner::request},
    scenario::{Run, ScenarioErrors, generator_key, load_text},
};

/// A row of the benchmark.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// A path that names the work; its size is appended.
    pub(super) name: &'static str,
    /// Text of the scenario. Its first run is the quick one; its last is the full one, if one run is
    /// measured.
    pub(super) scenario: &'static str,
    /// The work on the scenario.
    pub(super) work: Work,
    /// The placement of the processes.
    pub(super) placed: Placed,
    /// The expected result.
    pub(super) answer: Answer,
}

/// The amount of measured work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Small machines, few repetitions: seconds. For trying out, not for comparing.
    Quick,
    /// About half a minute.
    Full,
}

impl Size {
    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "full",
        }
    }
}

/// The work on a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// Simulates one run with this engine; the result is its makespan \[cycles\].
    Simulate(Engine),
    /// Measures one placement; the result is the sum of all dilations \[links\].
    Measure,
    /// Executes many runs and writes their results as CSV; the result is the sum of the makespans \[cycles\].
    Sweep,
    /// Reads and validates the scenario; the result is the number of its runs.
    Load,
}

/// The placement of a row's processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placed {
    /// As the scenario says.
    AsWritten,
    /// One per node at random, with a fixed seed.
    AtRandom,
}

/// The expected results of a row, by size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) quick: u64,
    pub(super) full: u64,
}

impl Answer {
    pub(super) fn of(self, size: Size) -> u64 {
        match size {
            Size::Quick => self.quick,
            Size::Full => self.full,
        }
    }
}

/// The text of a built-in scenario.
macro_rules! scenario {
    ($name:literal) => {
        include_str!(concat!("scenarios/", $name, ".toml"))
    };
}

/// A row placed as the scenario says.
const fn row(name: &'static str, work: Work, scenario: &'static str, quick: u64, full: u64) -> Row {
    Row { name, scenario, work, placed: Placed::AsWritten, answer: Answer { quick, full } }
}

/// A row that simulates with this engine.
const fn simulated(name: &'static str, engine: Engine, scenario: &'static str, quick: u64, full: u64) -> Row {
    row(name, Work::Simulate(engine), scenario, quick, full)
}

impl Row {
    /// All rows, in display order.
    pub(super) const ALL: [Self; 20] = [
        simulated("hop/full-duplex/xor", Hop, scenario!("hop-full-duplex-xor"), 46, 382),
        simulated("hop/full-duplex/xor/3-cycles", Hop, scenario!("hop-full-duplex-xor-3-cycles"), 138, 1146),
        simulated("hop/full-duplex/byweight", Hop, scenario!("hop-full-duplex-byweight"), 210, 1260),
        simulated(
            "hop/full-duplex/byweight/3-cycles",
            Hop,
            scenario!("hop-full-duplex-byweight-3-cycles"),
            430,
            3466,
        ),
        simulated("hop/half-duplex/gray", Hop, scenario!("hop-half-duplex"), 172, 900),
        simulated("hop/single-direction/byweight", Hop, scenario!("hop-single-direction"), 218, 3551),
        simulated("hop/neighbour-exchange", Hop, scenario!("hop-neighbour-exchange"), 42, 43),
        simulated("hop/shared-nodes", Hop, scenario!("hop-shared-nodes"), 242, 242),
        simulated("belt/lines/xor", Belt, scenario!("belt-lines-xor"), 146, 98_622),
        simulated("belt/lines/byweight", Belt, scenario!("belt-lines-byweight"), 210, 58_855),
        simulated(
            "belt/lines/byweight/3-cycles",
            Belt,
            scenario!("belt-lines-byweight-3-cycles"),
            430,
            176_031,
        ),
        simulated("belt/lines/half-duplex/gray", Belt, scenario!("belt-lines-half-duplex"), 172, 11_886),
        simulated("belt/whole/byweight/interleaved", Belt, scenario!("belt-whole-interleaved"), 210, 1252),
        simulated("belt/whole/random", Belt, scenario!("belt-whole-random"), 177, 3394).at_random(),
        simulated("coordinated/product/xor", Coordinated, scenario!("coordinated-product"), 146, 6382),
        simulated("coordinated/random", Coordinated, scenario!("coordinated-random"), 218, 4329).at_random(),
        row("metrics/by-field", Work::Measure, scenario!("metrics-by-field"), 40_320, 132_914_675_712),
        row("metrics/by-edge", Work::Measure, scenario!("metrics-by-edge"), 81_654, 67_074_744).at_random(),
        row("sweep/small-runs", Work::Sweep, scenario!("sweep"), 916, 254_122),
        row("scenario/load", Work::Load, scenario!("sweep"), 1620, 1620),
    ];

    const fn at_random(self) -> Self {
        Self { placed: Placed::AtRandom, ..self }
    }
}

/// Number of runs of a sweep in the quick size.
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

    /// The measured work and its size.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The runs that are executed or whose placements are measured.
    pub(super) fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Number of nodes of all its machines.
    #[cfg(test)]
    pub(super) fn nodes(&self) -> u64 {
        self.runs.iter().map(|run| run.machine.node_count()).sum()
    }

    /// The same row, computed hop by hop.
    #[cfg(test)]
    pub(super) fn hop_by_hop(mut self) -> Self {
        self.row.work = Work::Simulate(Engine::Hop);
        for run in &mut self.runs {
            run.execution.engine = cubefold_simulator::EngineChoice::Hop;
        }
        self
    }

    /// Does the work once and checks the result.
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
            let (links, request) = (run.communication, request(run, None));
            let body = &*run.program.body;
            let outcome = simulate(body, &run.placement, links, &request, &mut ());
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
        let measured = |run: &Run| run.program.guest().measure(&run.placement, run.communication.tie());
        self.runs.iter().map(|run| measured(run).dilation.total()).sum()
    }

    fn sweep(&self) -> Result<u64, BenchmarkError> {
        let progress = Progress::default();
        let execute = |(place, run): (usize, &Run)| {
            let finished = execute(run, place, KeepRecords::No, &progress)?;
            Ok(RunRecord::new(run, place, &finished))
        };
        let records: Result<Vec<RunRecord>, RunError> =
            self.runs.par_iter().enumerate().map(execute).collect();
        let records = records?;
        write_csv(&mut io::sink(), || records.iter().map(Ok))?;
        Ok(records.iter().filter_map(|record| record.makespan_cycles).sum())
    }
}

/// Places the processes one per node on random nodes, with a fixed seed.
#[expect(clippy::expect_used, reason = "some nodes of a machine, at least one, are a placement on it")]
fn at_random(machine: &Machine, processes: u64) -> Placement {
    let mut nodes: Vec<NodeId> = machine.nodes().collect();
    nodes.shuffle(&mut ChaCha12Rng::from_seed(generator_key(0, "benchmark: placement at random")));
    nodes.truncate(usize::try_from(processes).unwrap_or(usize::MAX));
    Placement::Table(PlacementTable::new(machine, nodes).expect("nodes of the machine"))
}

/// Formats the lengths of a machine, such as `8x8`.
fn size_of(machine: &Machine) -> String {
    let lengths: Vec<String> = machine.shape().lengths().iter().map(u64::to_string).collect();
    lengths.join("x")
}
