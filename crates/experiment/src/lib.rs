//! Experiments: scenario files, sweeps, runs and result records.
//!
//! Each module depends only on those to its left:
//!
//! ```text
//! scenario  <-  records  <-  runs  <-  tools
//! ```
//!
//! - [`input`] and [`launcher`] are those of the crate `cubefold-formats`, which reads files and knows no scenario.
//! - [`scenario`] reads scenario files into validated [`Run`]s, or all their errors, each at its place ([`load`]).
//! - [`records`] holds the records of results, their columns, definitions and formats.
//! - [`runs`] executes runs in parallel and keeps journals ([`execute_runs`]).
//! - [`tools`] holds the rest: program files, calibration, comparison of algorithms.
//!
//! The crate does not print and does not depend on a terminal: the crate above does that.

pub mod records;
pub mod runs;
pub mod scenario;
#[cfg(test)]
mod support;
pub mod tools;

pub use cubefold_formats::{input, launcher};
pub use input::{Bytes, Ratio, bytes_of_size, engineering_rate, engineering_seconds, latex_text, printable};
pub use records::{
    BusyLinks, Definition, DefinitionGroup, FinishedRun, LinkTraffic, Topic, exact_mean, mean_of_means,
    results_schema, size_in_words,
};
pub use runs::{
    KeepRecords, MAX_TRANSMISSIONS, Means, MemoryError, Permit, Progress, Resources, RunError, busy_links,
    check_placements, check_runs, execute, execute_runs, follow, link_congestion, listed_transmissions,
    measure_runs, useful_threads,
};
pub use scenario::{
    AddedEmbeddingError, AskedOperations, CheckedScenario, CheckedScenarios, CodeTypes, DimensionChoice,
    Embedding, EmbeddingName, ErrorReport, Execution, ExecutionMode, KeyDefault, KeyMachines, KeyValues,
    KeyWord, LauncherEntry, LoadChoice, Loading, MODEL, NamedFile, NeighbourCommunication, OpenLoopProgram,
    Phases, PhysicalLink, PhysicalLinks, PhysicalScale, PlacementSearch, PlacementSearchError, ProgramKind,
    RoutingRule, Run, Scenario, ScenarioError, ScenarioErrors, ScenarioKey, ScenarioProgram, SearchRequest,
    Setting, SettingError, Site, SweepPart, SweptValue, WholeOperation, check_with, embeddings,
    generator_key, load, load_part, load_sites, load_text, load_text_with, load_with, program_kinds,
    read_coordinates, read_hosts, scenario_keys, scenario_schema, short_value,
};
pub use tools::{
    AlgorithmComparison, Competitor, FastestAtSize, FastestChange, MissingReference, Reference,
    SaturationRange, address_exchange_steps, check_export, names_besides, read_measurement,
    settings_besides_algorithms,
};
