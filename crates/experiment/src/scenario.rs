//! Scenario files: what to run, read and validated.
//!
//! A file is parsed once, into values that know where they are written. Every combination of its sweep is
//! then validated into domain types, the sweep's values standing in for the file's. All errors of all files
//! are collected, each at its place. Nothing is run here and nothing is printed.

mod classic_placement;
mod combination;
mod cycle_bound;
mod document;
mod edge_list;
mod embedding_name;
mod engine_fit;
mod execution;
mod execution_fit;
mod findings;
mod greenberg_section;
mod guest_section;
mod known_names;
mod launcher_file;
mod library;
mod loading_section;
mod machine_file;
mod machine_section;
mod mapping_section;
mod network_section;
mod normal_program;
mod partition_section;
mod placement_file;
mod program_section;
mod scenario_error;
mod setting;
mod settings;
mod size;
mod source_file;
mod stage_list;
mod sweep;
mod table;
mod tree_guest;
mod value;
mod written;

#[cfg(test)]
mod tests;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use cubefold_mapping::Placement;
use cubefold_simulator::Communication;
use cubefold_topology::{Coordinates, Machine, NodeId, Partition};

pub use self::{
    embedding_name::EmbeddingName,
    execution::{DimensionChoice, Execution, ExecutionMode, Phases},
    launcher_file::{LauncherEntry, read_hosts},
    scenario_error::{ScenarioError, ScenarioErrors},
};
use self::{
    findings::Findings, library::Library, setting::Setting, source_file::SourceFile, sweep::Sweep,
    written::Written,
};

use crate::{guest_program::GuestProgram, loading::Loading, region::Region};

/// The most runs that one file may ask for.
const MAX_RUNS: u128 = 1_000_000;

/// A scenario file and its runs.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The file, as it was given.
    pub path: PathBuf,
    /// Its name: as written, else the stem of the file's name.
    pub name: String,
    /// The runs: the sweep's combinations in their order, the embeddings of each innermost. At least one.
    pub runs: Vec<Run>,
    /// Whether it has a sweep.
    pub swept: bool,
    /// The files that were read for it: itself, and the machine and placement files that it names (and
    /// those of the scenarios read before it).
    pub inputs: Vec<PathBuf>,
}

/// Everything that one run needs, validated.
#[derive(Debug, Clone)]
pub struct Run {
    /// The scenario's name.
    pub scenario: String,
    /// What random choices are drawn from.
    pub seed: u64,
    /// The keys that the sweep sets, as paths, and the values as written, on one line.
    pub combination: Vec<(String, String)>,
    /// What the program runs on: the machine, or the inside of its partition.
    pub machine: Machine,
    /// The partition of the machine, where there is one.
    pub partition: Option<Partition>,
    /// Its link mode, the time that a message takes over a link, and the way round when both are equally long.
    pub communication: Communication,
    /// The program.
    pub program: Arc<GuestProgram>,
    /// How it is loaded, where the scenario says so.
    pub loading: Option<Loading>,
    /// What the scenario calls the placement.
    pub embedding: EmbeddingName,
    /// Where the processes of the program sit on the machine.
    pub placement: Arc<Placement>,
    /// How the program is executed.
    pub execution: Execution,
}

impl Run {
    /// The coordinates of a node, on the whole machine where the program runs in a partition.
    #[must_use]
    pub fn address(&self, node: NodeId) -> Coordinates {
        self.region().address(node)
    }

    /// Where its processes may sit.
    pub(crate) fn region(&self) -> Region<'_> {
        Region { machine: &self.machine, partition: self.partition.as_ref() }
    }
}

/// Reads and validates scenario files, in the order given.
///
/// # Errors
///
/// When anything is wrong in any of the files, or in a machine file or placement file that they name: every
/// error of every file.
pub fn load(paths: &[PathBuf]) -> Result<Vec<Scenario>, ScenarioErrors> {
    let mut library = Library::default();
    let (mut scenarios, mut errors) = (vec![], vec![]);
    for path in paths {
        match Scenario::read(path, &mut library) {
            Ok(scenario) => scenarios.push(scenario),
            Err(wrong) => errors.extend(wrong),
        }
    }
    if errors.is_empty() { Ok(scenarios) } else { Err(ScenarioErrors::new(errors)) }
}

/// Reads and validates a scenario that is in no file, as if its text stood in one at `path`.
///
/// # Errors
///
/// As [`load`].
pub fn load_text(path: &Path, text: &str) -> Result<Scenario, ScenarioErrors> {
    let source = SourceFile::excerpt(path, text.to_owned(), 0);
    Scenario::from_source(&source, &mut Library::default()).map_err(ScenarioErrors::new)
}

impl Scenario {
    fn read(path: &Path, library: &mut Library) -> Result<Self, Vec<ScenarioError>> {
        let source = SourceFile::read(path)
            .map_err(|error| vec![ScenarioError::of_file(path, format!("scenario file {error}"))])?;
        Self::from_source(&source, library)
    }

    fn from_source(source: &Arc<SourceFile>, library: &mut Library) -> Result<Self, Vec<ScenarioError>> {
        let path = source.path();
        let mut errors = vec![];
        let written = Written::scenario(source, &mut errors)?;
        let sweep = Sweep::read(&written, &mut errors);
        let count = sweep.run_count(&written);
        if let (true, Some(place)) = (count > MAX_RUNS, sweep.place()) {
            let message = format!("{count} runs, expected at most {MAX_RUNS} in one file");
            let error = ScenarioError::at(place, message, "this sweep");
            errors.push(error.with_help("sweep fewer values, or spread them over several files"));
            // The combinations, too many to look at, may have errors of their own.
            return Err(errors);
        }
        let mut findings = Findings::new(path, sweep.combination_count(), errors);
        let mut runs = vec![];
        for combination in sweep.combinations() {
            match combination::validate(&combination, &written, library) {
                Ok(more) if findings.is_empty() => runs.extend(more),
                Ok(_) => {}
                Err(wrong) => findings.add(&combination, wrong),
            }
        }
        findings.into_result()?;
        let name = written_name(&written);
        let inputs = std::iter::once(path.to_owned()).chain(library.files()).collect();
        Ok(Self { path: path.to_owned(), name, runs, swept: sweep.place().is_some(), inputs })
    }
}

/// The name at the top of the file, else the stem of the file's name.
fn written_name(written: &Written) -> String {
    match written.values.get(&Setting::Name).map(|value| &value.content) {
        Some(value::Content::Text(name)) => name.clone(),
        _ => file_stem(written),
    }
}

/// The stem of the file's name.
fn file_stem(written: &Written) -> String {
    written.source.path().file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
