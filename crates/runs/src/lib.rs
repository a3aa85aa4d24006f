//! Runs: checks, execution on threads or ranks within a memory limit, and journals for continuing interrupted
//! sweeps and merging divided ones.
//!
//! Results come in the order of the scenario, for any number of threads.

#[cfg(test)]
mod golden_speeds;
mod jobs;
pub mod journal;
mod link_traffic;
mod parallel_runs;
mod progress;
mod route_tables;
mod runner;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tests;
pub mod tools;

pub use self::{
    jobs::{Permit, Resources},
    link_traffic::{busy_links, link_congestion},
    parallel_runs::{Means, execute_runs, measure_runs, message_of_panic},
    progress::Progress,
    runner::{
        KeepRecords, MAX_TRANSMISSIONS, MemoryError, RunError, RunName, check_placements, check_runs,
        execute, follow, listed_transmissions, useful_threads,
    },
    tools::{
        AlgorithmComparison, Competitor, FastestAtSize, FastestChange, MissingReference, Reference,
        SaturationRange, address_exchange_steps, check_export, names_besides, read_measurement,
        settings_besides_algorithms, variants_in_words,
    },
};
