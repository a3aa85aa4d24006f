//! Experiments: scenario files, sweeps, runs and result records.
//!
//! [`load`] reads scenario files into validated [`Run`]s, or all that is wrong with them, each error at
//! its place. [`execute_runs`] executes runs in parallel and gives the results in the scenario's order,
//! whatever the threads; [`export`] holds the records that results are written as.
//!
//! It prints nothing and knows no terminal: that is for the crate above.

mod address_exchange;
mod algorithm_comparison;
pub mod benchmark;
pub mod calibration;
mod definition;
mod diagnostic;
mod exact_mean;
pub mod export;
mod generator_key;
mod glossary;
mod input_file;
mod jobs;
pub mod journal;
mod kept_routes;
pub mod launcher;
mod link_traffic;
mod missing_processes;
mod parallel_runs;
mod physical_scale;
pub mod program_files;
mod progress;
mod quantity;
mod reference;
mod region;
mod runner;
mod scenario;
mod scenario_program;
mod schema;
#[cfg(test)]
mod support;
mod text;
mod topic;

pub use address_exchange::address_exchange_steps;
pub use algorithm_comparison::{
    AlgorithmComparison, Competitor, FastestAtSize, FastestChange, settings_besides_algorithms, size_in_words,
};
pub use definition::Definition;
pub use exact_mean::{exact_mean, mean_of_means};
pub use generator_key::generator_key;
pub use glossary::DefinitionGroup;
pub use jobs::{Permit, Resources};
pub use link_traffic::{BusyLinks, LinkTraffic, busy_links, link_congestion};
pub use parallel_runs::{Means, execute_runs, measure_runs};
pub use physical_scale::PhysicalScale;
pub use progress::Progress;
pub use quantity::{Ratio, engineering_rate, engineering_seconds};
pub use reference::{MissingReference, Reference};
pub use runner::{
    Bytes, FinishedRun, KeepRecords, MemoryError, RunError, check_export, check_placements, check_runs,
    execute, follow,
};
pub use scenario::{
    CheckedScenario, CheckedScenarios, CodeTypes, DimensionChoice, Embedding, EmbeddingName, ErrorReport,
    Execution, ExecutionMode, KeyDefault, KeyMachines, KeyValues, LauncherEntry, Loading, Phases,
    ProgramKind, RoutingRule, Run, Scenario, ScenarioError, ScenarioErrors, ScenarioKey, Setting,
    SettingError, Site, SweptValue, check_with, embeddings, load, load_sites, load_text, load_text_with,
    load_with, program_kinds, read_coordinates, read_hosts, read_measurement, scenario_keys,
};
pub use scenario_program::{NeighbourCommunication, ScenarioProgram};
pub use schema::{results_schema, scenario_schema};
pub use text::printable;
pub use topic::Topic;
