//! Reasons why a run was refused or failed.

use cubefold_simulator::SimulationError;

use cubefold_formats::input::Bytes;

/// A run that was refused or failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The simulation was refused or failed.
    #[error("run {run} of {scenario:?} with {embedding}: {error}")]
    Simulation {
        /// The scenario's name.
        scenario: String,
        /// Index of the run in the results, counted from 0.
        run: usize,
        /// Its embedding.
        embedding: String,
        /// The error.
        error: Box<SimulationError>,
    },
    /// Open-loop traffic was refused or failed.
    #[error("run {run} of {scenario:?}: {reason}")]
    OpenLoop {
        /// The scenario's name.
        scenario: String,
        /// Index of the run in the results, counted from 0.
        run: usize,
        /// The reason.
        reason: String,
    },
    /// A task graph is stuck.
    #[error("run {run} of {scenario:?} with {embedding}: the task graph does not come to its end: {reason}")]
    Stuck {
        /// The scenario's name.
        scenario: String,
        /// Index of the run in the results, counted from 0.
        run: usize,
        /// Its embedding.
        embedding: String,
        /// The reason, with the places of operations in the file.
        reason: String,
    },
    /// The makespan contradicts the prediction: a defect of the simulator.
    #[error(
        "run {run} of {scenario:?} with {embedding} took {makespan} cycles with {blocked} blocked cycles, \
         which contradicts the prediction of {predicted}"
    )]
    Contradiction {
        /// The scenario's name.
        scenario: String,
        /// Index of the run in the results, counted from 0.
        run: usize,
        /// Its embedding.
        embedding: String,
        /// The makespan \[cycles\].
        makespan: u64,
        /// Total blocked cycles.
        blocked: u128,
        /// The predicted makespan \[cycles\].
        predicted: u64,
    },
    /// It panicked: a defect of the program.
    #[error("run {run} of {scenario:?} with {embedding} stopped: {message}")]
    Panicked {
        /// The scenario's name.
        scenario: String,
        /// Index of the run in the results, counted from 0.
        run: usize,
        /// Its embedding.
        embedding: String,
        /// The message of the panic.
        message: String,
    },
    /// The transmissions of a run that has none were asked for.
    #[error(
        "run {run} of {scenario:?} with {embedding}: {reason} to list, expected asynchronous execution \
         with unbounded queues"
    )]
    NoTransmissions {
        /// The scenario's name.
        scenario: String,
        /// Index of the run in the results, counted from 0.
        run: usize,
        /// Its embedding.
        embedding: String,
        /// The reason.
        reason: &'static str,
    },
    /// There are too many transmissions to list.
    #[error(
        "run {run} of {scenario:?} with {embedding} has at least {count} transmissions, expected at most {limit} to be \
         listed"
    )]
    TooManyTransmissions {
        /// The scenario's name.
        scenario: String,
        /// Index of the run in the results, counted from 0.
        run: usize,
        /// Its embedding.
        embedding: String,
        /// A lower bound on their number.
        count: u64,
        /// The most that are listed.
        limit: u64,
    },
    /// A rank has read other scenarios than the leader.
    #[error(
        "rank {rank} does not have run {run} of the leader, expected the same scenario files on every computer"
    )]
    OtherScenario {
        /// The rank.
        rank: usize,
        /// Index of the run in the results, counted from 0.
        run: usize,
    },
    /// It needs more memory than allowed.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The results of all runs together need more memory than allowed.
    #[error("{what} of {runs} runs needs about {needed}, expected at most {limit}")]
    ListMemory {
        /// The data that are kept of each run.
        what: &'static str,
        /// The number of runs.
        runs: usize,
        /// The memory needed, including that of the scenarios.
        needed: Bytes,
        /// The memory allowed.
        limit: Bytes,
    },
    /// Measuring the exchange of addresses needs more memory than allowed.
    #[error("measuring the exchange of addresses needs about {needed}, expected at most {limit}")]
    AddressExchangeMemory {
        /// The memory needed.
        needed: Bytes,
        /// The memory allowed.
        limit: Bytes,
    },
    /// Measuring the exchange of addresses was refused or failed.
    #[error("the exchange of addresses: {error}")]
    AddressExchange {
        /// The error.
        error: SimulationError,
    },
}

/// A run that needs more memory than allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "run {run} of {scenario:?}{} needs about {needed}, expected at most {limit}",
    embedding.as_ref().map_or_else(String::new, |embedding| format!(" with {embedding}"))
)]
pub struct MemoryError {
    /// The scenario's name.
    pub scenario: String,
    /// Index of the run in the results, counted from 0.
    pub run: usize,
    /// Its embedding; open-loop traffic has none.
    pub embedding: Option<String>,
    /// The memory needed.
    pub needed: Bytes,
    /// The memory allowed.
    pub limit: Bytes,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_for_memory_names_a_placement_only_where_there_is_one() {
        let error = |embedding: Option<&str>| MemoryError {
            scenario: "s".to_owned(),
            run: 1,
            embedding: embedding.map(str::to_owned),
            needed: Bytes(2048),
            limit: Bytes(1024),
        };
        let text = |embedding| error(embedding).to_string();
        assert!(
            text(Some("xor")).starts_with("run 1 of \"s\" with xor needs about"),
            "{}",
            text(Some("xor"))
        );
        assert!(text(None).starts_with("run 1 of \"s\" needs about"), "{}", text(None));
    }
}
