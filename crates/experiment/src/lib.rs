//! Experiments: scenario files, sweeps, runs and result records.
//!
//! [`load`] reads scenario files into validated [`Run`]s, or all that is wrong with them, each error at
//! its place. [`execute_runs`] executes runs in parallel and gives the results in the scenario's order,
//! whatever the threads; [`export`] holds the records that results are written as.
//!
//! It prints nothing and knows no terminal: that is for the crate above.

mod address_exchange;
mod admission;
pub mod benchmark;
mod definition;
mod diagnostic;
mod exact_mean;
pub mod export;
mod generator_key;
mod job;
pub mod journal;
pub mod launcher;
mod link_traffic;
mod memory;
mod missing_processes;
mod parallel_runs;
mod progress;
mod region;
mod run_error;
mod runner;
mod scenario;
mod scenario_program;
mod shared_metrics;
#[cfg(test)]
mod support;
mod text;

pub use address_exchange::address_exchange_steps;
pub use admission::Permit;
pub use definition::{Definition, DefinitionGroup};
pub use exact_mean::{exact_mean, mean_of_means};
pub use generator_key::generator_key;
pub use link_traffic::{LinkTraffic, busy_links, link_congestion};
pub use memory::{Bytes, KeepRecords, MemoryError};
pub use parallel_runs::{Means, Resources, execute_runs, measure_runs};
pub use progress::Progress;
pub use run_error::RunError;
pub use runner::{FinishedRun, check_placements, check_runs, execute};
pub use scenario::{
    CodeTypes, DimensionChoice, Embedding, EmbeddingName, Execution, ExecutionMode, KeyDefault, KeyMachines,
    KeyValues, LauncherEntry, Loading, Phases, ProgramKind, Run, Scenario, ScenarioError, ScenarioErrors,
    ScenarioKey, embeddings, load, load_text, program_kinds, read_hosts, scenario_keys,
};
pub use scenario_program::{NeighbourCommunication, ScenarioProgram};
