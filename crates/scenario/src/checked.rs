//! Scenarios that are validated one combination of their sweeps at a time, so that only its runs are in
//! memory.
//!
//! The runs are made again on each request. Resources that combinations share are kept while memory lasts, and
//! otherwise made again.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
};

use super::{
    Draft, Run, Scenario, Setting, SweptValue,
    budget::{BYTES_A_RUN, OverBudget},
    combination::validate,
    errors::{Findings, ScenarioError, ScenarioErrors},
    library::Library,
    read_all,
    source_file::Place,
    sweep::Assignment,
};

/// Scenarios whose combinations are all valid.
#[derive(Debug)]
pub struct CheckedScenarios {
    scenarios: Vec<CheckedScenario>,
    library: RefCell<Library>,
}

/// A scenario file whose combinations are all valid.
#[derive(Debug)]
pub struct CheckedScenario {
    /// The path of the file, as given.
    pub path: PathBuf,
    /// Its name, or else the stem of the file's name.
    pub name: String,
    /// The number of its runs, at least 1.
    pub run_count: usize,
    /// The files that were read for it, as for a [`Scenario`].
    pub inputs: Vec<PathBuf>,
    draft: Draft,
}

/// Reads and validates scenario files as [`load_with`](super::load_with) does, without holding their runs, so
/// that memory does not limit their number.
///
/// # Errors
///
/// As for [`load_with`](super::load_with), but the memory limit applies to the runs of one combination at a
/// time.
pub fn check_with(
    paths: &[PathBuf],
    settings: &[Setting],
    memory: u64,
) -> Result<CheckedScenarios, ScenarioErrors> {
    let mut library = Library::for_check(memory);
    let scenarios =
        read_all(paths, &mut library, |path, library| CheckedScenario::read(path, settings, library))?;
    Ok(CheckedScenarios { scenarios, library: RefCell::new(library) })
}

impl CheckedScenarios {
    /// All scenarios, in the given order.
    #[must_use]
    pub fn scenarios(&self) -> &[CheckedScenario] {
        &self.scenarios
    }

    /// Number of runs of all scenarios.
    #[must_use]
    pub fn run_count(&self) -> usize {
        self.scenarios.iter().map(|scenario| scenario.run_count).sum()
    }

    /// The runs of all scenarios in order, made on demand.
    ///
    /// Each is the run that was checked, or an error if a file that is read again has changed.
    pub fn runs(&self) -> impl Iterator<Item = Result<Run, ScenarioError>> {
        self.scenarios.iter().flat_map(|scenario| self.runs_of(scenario))
    }

    /// The runs of one of the scenarios.
    pub fn runs_of<'a>(
        &'a self,
        scenario: &'a CheckedScenario,
    ) -> impl Iterator<Item = Result<Run, ScenarioError>> {
        scenario.draft.sweep.combinations().flat_map(|combination| {
            match validated(&combination, &scenario.draft, &mut self.library.borrow_mut(), |_| false) {
                Ok(runs) => runs.into_iter().map(Ok).collect(),
                Err(errors) => errors.into_iter().take(1).map(Err).collect::<Vec<_>>(),
            }
        })
    }
}

impl CheckedScenario {
    /// The combinations of its sweep in order: the keys that it sets, as paths, and the values as written.
    pub fn combinations(&self) -> impl Iterator<Item = Vec<SweptValue>> {
        let written = |combination: Vec<&Assignment>| {
            combination.iter().map(|assignment| assignment.written.clone()).collect()
        };
        self.draft.sweep.combinations().map(written)
    }

    fn read(path: &Path, settings: &[Setting], library: &mut Library) -> Result<Self, Vec<ScenarioError>> {
        let source = Scenario::source(path, library)?;
        let mut draft = Draft::read(&source, settings, library)?;
        draft.take_runs(draft.sweep.most_runs_of_a_combination(&draft.written), library)?;
        let mut findings = draft.findings();
        let mut run_count = 0;
        for combination in draft.sweep.combinations() {
            match validated(&combination, &draft, library, |_| false) {
                Ok(runs) => run_count += runs.len(),
                Err(errors) => findings.add(&combination, errors),
            }
            if let Err(over) = check_room(&findings, library) {
                let place = draft.sweep.place().cloned().unwrap_or_else(|| Place::start(&source));
                findings.add_of_file(over.at(&place, "no further errors are looked for: their list"));
                break;
            }
        }
        findings.into_result()?;
        let (name, inputs) = (draft.name(), draft.inputs(library));
        Ok(Self { path: path.to_owned(), name, run_count, inputs, draft })
    }
}

/// Number of errors whose memory is not counted.
const UNCOUNTED_ERRORS: u64 = 1 << 10;

/// Checks that the errors fit in memory: one takes no more than a run.
fn check_room(findings: &Findings, library: &Library) -> Result<(), OverBudget> {
    let counted = (findings.count() as u64).saturating_sub(UNCOUNTED_ERRORS);
    library.budget().take_for_a_while(counted.saturating_mul(BYTES_A_RUN), 0)
}

/// Makes the runs of one combination; gives their memory back unless `is_held` holds for them. Resources that they share
/// with others are kept if they fit, and do not count against them.
pub(super) fn validated(
    combination: &[&Assignment],
    draft: &Draft,
    library: &mut Library,
    is_held: impl Fn(&[Run]) -> bool,
) -> Result<Vec<Run>, Vec<ScenarioError>> {
    let mut attempt = || {
        let (own_bytes, placements) = (library.own_bytes(), library.placement_count());
        library.budget().forget_refusal();
        let runs = validate(combination, &draft.written, library);
        if !runs.as_deref().is_ok_and(&is_held) {
            library.give_back_to(own_bytes, placements);
            library.take_keys();
        }
        (runs, library.budget().has_refused() && library.forget_placements())
    };
    match attempt() {
        (Err(_), true) => attempt().0,
        (runs, _) => runs,
    }
}
