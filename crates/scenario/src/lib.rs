//! Scenario files, read and validated into runs.
//!
//! A file is parsed once, into values that know their places. Every combination of its sweep is then validated into
//! domain types ([`Run`]), with the sweep's values replacing the file's. All errors of all files are collected with
//! their places ([`load`]). This crate runs and prints nothing.

mod added_embedding;
mod allocation;
mod asked_file;
mod budget;
mod chakra_file;
mod checked;
mod cluster;
mod collective;
mod combination;
mod connection;
mod cube_program;
mod cube_stages;
mod cycle_bound;
mod described_graph;
mod draft;
mod draw_key;
mod embeddings;
mod error_report;
mod errors;
mod exchange;
mod execution;
mod failures;
mod goal_file;
mod input_digest;
mod job;
mod keyed_values;
mod keys;
mod lanes;
mod launcher_file;
mod library;
mod loading;
mod machine;
mod machine_notes;
mod mapping;
mod message_sizes;
mod neighbour_exchange;
mod network;
mod open_loop;
mod packet_routes;
mod pair_file;
mod part_links;
mod part_of_sweep;
mod per_node;
mod permutation;
mod physical_links;
mod physical_scale;
mod placement_file;
mod placement_npy;
mod placement_search;
mod program;
mod random_access;
mod ranks_file;
mod resolved;
mod routers;
mod row_errors;
mod rules;
mod run;
mod run_digest;
mod scenario_program;
mod schema;
mod setting;
mod settings;
mod short_value;
mod site;
mod source_file;
mod stages_file;
mod sweep;
mod switched;
mod time_notes;
mod timing;
mod traffic;
mod unused_keys;
mod uplinks;
mod value;
mod written;

#[cfg(test)]
mod tests;

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::Arc,
};

use cubefold_formats::input::{input_file::STANDARD_INPUT, text::printable};

pub use self::{
    added_embedding::AddedEmbeddingError,
    asked_file::measured,
    chakra_file::{TraceProgram, TraceTimes},
    checked::{CheckedScenario, CheckedScenarios, check_with},
    collective::{
        channels::MAX_CHANNELS,
        hierarchical::{AskedOperations, Level, WholeOperation, hierarchical_operations},
    },
    draw_key::generator_key,
    embeddings::{Embedding, EmbeddingName, embeddings},
    error_report::ErrorReport,
    errors::{ScenarioError, ScenarioErrors},
    exchange::ExchangeSettings,
    execution::{CountedPaths, DimensionChoice, Execution, ExecutionMode, Phases, RoutingRule, Spread},
    goal_file::describe_stuck,
    job::{JobStepDescription, PipelineDescription, PipelineTask, kinds_of_steps},
    keys::{KeyDefault, KeyValues, KeyWord, MAX_INTEGER, ScenarioKey, machine_keys, scenario_keys},
    launcher_file::{LauncherEntry, read_coordinates, read_hosts},
    loading::{CodeTypes, Loading},
    open_loop::{LoadChoice, OpenLoopProgram},
    part_of_sweep::{SweepPart, load_part},
    physical_links::{PhysicalLink, PhysicalLinks},
    physical_scale::PhysicalScale,
    placement_search::{PlacementSearch, PlacementSearchError, SearchRequest},
    program::{ProgramKind, program_kinds},
    resolved::Resolved,
    run::Run,
    run_digest::{MODEL, NamedFile},
    scenario_program::{LogicalRanks, NeighbourCommunication, ScenarioProgram},
    schema::{DIALECT, list_of, object, scenario_schema},
    setting::{Setting, SettingError},
    short_value::{last_word, named_value, short_value},
    site::{Site, load_sites},
    sweep::SweptValue,
};
use self::{
    draft::Draft,
    errors::first_errors,
    library::Library,
    source_file::{ReadError, SourceFile},
};

/// Largest number of runs of one file.
const MAX_RUNS: u128 = 1_000_000;

/// A scenario file and its runs.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The path of the file, as given.
    pub path: PathBuf,
    /// Its name, or else the stem of the file's name.
    pub name: String,
    /// The runs: combinations of the sweep in order, with the embeddings innermost. At least one.
    pub runs: Vec<Run>,
    /// Whether it has a sweep.
    pub swept: bool,
    /// Its text, with the keys set on the command line.
    pub text: Arc<str>,
    /// The files that were read for it: itself, and the machine and placement files that it names (and those
    /// of the scenarios read before it).
    pub inputs: Vec<PathBuf>,
}

/// Reads and validates scenario files, in the order given.
///
/// # Errors
///
/// If anything is wrong in any file, or in a machine file or placement file that they name: all errors of all files.
pub fn load(paths: &[PathBuf]) -> Result<Vec<Scenario>, ScenarioErrors> {
    load_with(paths, &[], u64::MAX)
}

/// Reads and validates scenario files as [`load`] does, with keys set for all of them, using at most `memory`
/// bytes. The path `-` is standard input.
///
/// # Errors
///
/// As for [`load`]; also if more memory would be needed.
pub fn load_with(
    paths: &[PathBuf],
    settings: &[Setting],
    memory: u64,
) -> Result<Vec<Scenario>, ScenarioErrors> {
    let mut library = Library::with_memory(memory);
    read_all(paths, &mut library, |path, library| {
        Scenario::from_source(&Scenario::source(path, library)?, settings, library)
    })
}

/// Applies `read` to each file and collects the results, or the errors of all files.
fn read_all<T>(
    paths: &[PathBuf],
    library: &mut Library,
    mut read: impl FnMut(&Path, &mut Library) -> Result<T, Vec<ScenarioError>>,
) -> Result<Vec<T>, ScenarioErrors> {
    let (mut scenarios, mut errors) = (vec![], vec![]);
    let is_standard = |path: &&PathBuf| path.as_path() == Path::new(STANDARD_INPUT);
    if paths.iter().filter(is_standard).count() > 1 {
        let message = "given twice, expected once: it can be read only once";
        errors.push(ScenarioError::of_file(Path::new(STANDARD_INPUT), message));
        return Err(ScenarioErrors::new(errors));
    }
    for path in paths {
        match read(path, library) {
            Ok(scenario) => scenarios.push(scenario),
            Err(wrong) => errors.extend(first_errors(wrong)),
        }
    }
    if errors.is_empty() { Ok(scenarios) } else { Err(ScenarioErrors::new(errors)) }
}

/// Reads and validates the text of a scenario as if it were in a file at `path`.
///
/// # Errors
///
/// As for [`load`].
pub fn load_text(path: &Path, text: &str) -> Result<Scenario, ScenarioErrors> {
    load_text_with(path, text, &[], u64::MAX)
}

/// Reads and validates the text of a scenario as [`load_text`] does, with keys set by `settings`, using at
/// most `memory` bytes.
///
/// # Errors
///
/// As for [`load_with`].
pub fn load_text_with(
    path: &Path,
    text: &str,
    settings: &[Setting],
    memory: u64,
) -> Result<Scenario, ScenarioErrors> {
    let source = SourceFile::excerpt(path, text.to_owned(), 0);
    let read = Scenario::from_source(&source, settings, &mut Library::with_memory(memory));
    read.map_err(|errors| ScenarioErrors::new(first_errors(errors)))
}

fn unread(path: &Path, error: &ReadError) -> ScenarioError {
    ScenarioError::of_file(path, format!("scenario file {error}"))
}

impl Scenario {
    /// Algorithms of the collectives, without duplicates, in the order of the runs.
    #[must_use]
    pub fn algorithms(&self) -> Vec<Cow<'_, str>> {
        let mut found: Vec<Cow<'_, str>> = vec![];
        for algorithm in self.runs.iter().filter_map(Run::algorithm) {
            if !found.contains(&algorithm) {
                found.push(algorithm);
            }
        }
        found
    }

    /// Groups of runs that differ only in the embedding.
    pub fn combinations(&self) -> impl Iterator<Item = &[Run]> {
        self.runs.chunk_by(|one, other| one.combination == other.combination)
    }

    fn source(path: &Path, library: &Library) -> Result<Arc<SourceFile>, Vec<ScenarioError>> {
        SourceFile::read_scenario(path, library.budget()).map_err(|error| vec![unread(path, &error)])
    }

    fn from_source(
        source: &Arc<SourceFile>,
        settings: &[Setting],
        library: &mut Library,
    ) -> Result<Self, Vec<ScenarioError>> {
        let mut draft = Draft::read(source, settings, library)?;
        let run_count = draft.sweep.run_count(&draft.written);
        draft.take_runs(run_count, library)?;
        let mut findings = draft.findings();
        let mut runs: Vec<Run> = Vec::with_capacity(usize::try_from(run_count).unwrap_or(0));
        for combination in draft.sweep.combinations() {
            match combination::validate(&combination, &draft.written, library) {
                Ok(more) if findings.is_empty() => runs.extend(more),
                Ok(_) => {}
                Err(wrong) => findings.add(&combination, wrong),
            }
        }
        findings.into_result()?;
        for run in &mut runs {
            run.held_bytes = library.budget().counted();
        }
        let (path, name, inputs) = (source.path().to_owned(), draft.name(), draft.inputs(library));
        let text = text_with(source.text(), settings);
        Ok(Self { path, name, runs, swept: draft.sweep.place().is_some(), text, inputs })
    }
}

/// The text of a scenario, followed by comments with the keys that the command line set.
fn text_with(text: &str, settings: &[Setting]) -> Arc<str> {
    if settings.is_empty() {
        return text.into();
    }
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.extend(settings.iter().map(|setting| format!("# --set {}", printable(setting.text()))));
    format!("{}\n", lines.join("\n")).into()
}
