//! The part of a sweep that one of several processes runs: all combinations are validated, but only the runs of the part
//! are held.

use std::path::{Path, PathBuf};

use super::{
    Draft, Run, Scenario, Setting,
    budget::BYTES_A_RUN,
    checked::validated,
    errors::{ScenarioError, ScenarioErrors},
    library::Library,
    read_all,
    source_file::Place,
};

/// The runs of a part of the sweeps of scenarios.
#[derive(Debug, Default)]
pub struct SweepPart {
    /// Its runs, with their places among the runs of all scenarios.
    pub runs: Vec<(usize, Run)>,
    /// The name of each scenario and the total number of its runs.
    pub scenarios: Vec<(String, usize)>,
    /// The files that were read.
    pub inputs: Vec<PathBuf>,
    run_count: usize,
}

/// Reads and validates scenario files as [`load_with`](super::load_with) does, calls `see` with every run in order, and
/// keeps the runs at places for which `has` is true.
///
/// # Errors
///
/// As for [`load_with`](super::load_with), but the memory limit applies to the runs that are kept and the runs of one
/// combination.
pub fn load_part(
    paths: &[PathBuf],
    settings: &[Setting],
    memory: u64,
    has: impl Fn(usize) -> bool,
    mut see: impl FnMut(&Run),
) -> Result<SweepPart, ScenarioErrors> {
    let mut library = Library::with_memory(memory);
    let mut part = SweepPart::default();
    read_all(paths, &mut library, |path, library| part.read((path, settings), &has, &mut see, library))?;
    for (_, run) in &mut part.runs {
        run.held_bytes = library.budget().counted();
    }
    Ok(part)
}

impl SweepPart {
    fn read(
        &mut self,
        (path, settings): (&Path, &[Setting]),
        has: impl Fn(usize) -> bool,
        mut see: impl FnMut(&Run),
        library: &mut Library,
    ) -> Result<(), Vec<ScenarioError>> {
        let source = Scenario::source(path, library)?;
        let mut draft = Draft::read(&source, settings, library)?;
        draft.take_runs(draft.sweep.most_runs_of_a_combination(&draft.written), library)?;
        let mut findings = draft.findings();
        let before = self.run_count;
        for combination in draft.sweep.combinations() {
            let first = self.run_count;
            let is_held = |runs: &[Run]| (first..first + runs.len()).any(&has);
            let runs = match validated(&combination, &draft, library, is_held) {
                Ok(runs) => runs,
                Err(errors) => {
                    findings.add(&combination, errors);
                    continue;
                }
            };
            self.run_count += runs.len();
            for (place, run) in (first..).zip(runs) {
                see(&run);
                if has(place) {
                    let taken = library.budget().take(BYTES_A_RUN);
                    let start = Place::start(&source);
                    taken.map_err(|over| vec![over.at(&start, "the runs of a part")])?;
                    self.runs.push((place, run));
                }
            }
        }
        findings.into_result()?;
        self.scenarios.push((draft.name(), self.run_count - before));
        self.inputs.extend(draft.inputs(library));
        Ok(())
    }
}
