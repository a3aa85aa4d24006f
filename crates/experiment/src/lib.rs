//! Experiments: scenario files, sweeps, runs and result records.
//!
//! [`load`] reads scenario files into validated [`Run`]s, or all that is wrong with them, each error at
//! its place. [`execute_runs`] executes runs in parallel and gives the results in the scenario's order,
//! whatever the threads; [`export`] holds the records that results are written as.
//!
//! It prints nothing and knows no terminal: that is for the crate above.

mod address_exchange;
pub mod benchmark;
mod exact_mean;
pub mod export;
mod generator_key;
mod guest_program;
mod loading;
mod memory;
mod runner;
mod scenario;
pub mod verify;

pub use address_exchange::address_exchange_steps;
pub use exact_mean::{exact_mean, mean_of_means};
pub use guest_program::{GuestProgram, NeighbourCommunication};
pub use loading::{CodeTypes, Loading};
pub use memory::{Bytes, KeepRecords, MemoryError};
pub use runner::{
    FinishedRun, Progress, Resources, RunError, check_placements, check_runs, execute, execute_runs,
    measure_run,
};
pub use scenario::{
    DimensionChoice, EmbeddingName, EngineChoice, Execution, ExecutionMode, Phases, Run, Scenario,
    ScenarioError, ScenarioErrors, load,
};
