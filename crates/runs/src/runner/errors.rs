//! Reasons why a run was refused or failed.

use std::fmt;

use cubefold_formats::input::Bytes;
use cubefold_scenario::Run;
use cubefold_simulator::SimulationError;

/// A run as messages name it: `run 3 of "demo" with xor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunName {
    /// The scenario's name.
    pub scenario: String,
    /// Index of the run in the results, counted from 0.
    pub place: usize,
    /// Its embedding; left out for open-loop traffic, which has none.
    pub embedding: Option<String>,
}

impl RunName {
    /// The name of the run at `place` of the results, with its embedding.
    pub(crate) fn new(run: &Run, place: usize) -> Self {
        Self { scenario: run.scenario.to_string(), place, embedding: Some(run.embedding.to_string()) }
    }

    /// The same name without the embedding.
    pub(crate) fn without_embedding(self) -> Self {
        Self { embedding: None, ..self }
    }
}

impl fmt::Display for RunName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "run {} of {:?}", self.place, self.scenario)?;
        self.embedding.as_ref().map_or(Ok(()), |embedding| write!(formatter, " with {embedding}"))
    }
}

/// A run that was refused or failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The simulation was refused or failed.
    #[error("{run}: {error}")]
    Simulation {
        /// The run.
        run: RunName,
        /// The error.
        error: Box<SimulationError>,
    },
    /// Open-loop traffic was refused or failed.
    #[error("{run}: {reason}")]
    OpenLoop {
        /// The run, without its embedding.
        run: RunName,
        /// The reason.
        reason: String,
    },
    /// A task graph is stuck.
    #[error("{run}: the task graph does not come to its end: {reason}")]
    Stuck {
        /// The run.
        run: RunName,
        /// The reason, with the places of operations in the file.
        reason: String,
    },
    /// The makespan contradicts the prediction: a defect of the simulator.
    #[error(
        "{run} took {makespan} cycles with {blocked} blocked cycles, \
         which contradicts the prediction of {predicted}"
    )]
    Contradiction {
        /// The run.
        run: RunName,
        /// The makespan \[cycles\].
        makespan: u64,
        /// Total blocked cycles.
        blocked: u128,
        /// The predicted makespan \[cycles\].
        predicted: u64,
    },
    /// It panicked: a defect of the program.
    #[error("{run} stopped: {message}")]
    Panicked {
        /// The run.
        run: RunName,
        /// The message of the panic.
        message: String,
    },
    /// The transmissions of a run that has none were asked for.
    #[error("{run}: {reason} to list, expected asynchronous execution with unbounded queues")]
    NoTransmissions {
        /// The run.
        run: RunName,
        /// The reason.
        reason: &'static str,
    },
    /// There are too many transmissions to list.
    #[error("{run} has at least {count} transmissions, expected at most {limit} to be listed")]
    TooManyTransmissions {
        /// The run.
        run: RunName,
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
#[error("{run} needs about {needed}, expected at most {limit}")]
pub struct MemoryError {
    /// The run; open-loop traffic without its embedding.
    pub run: RunName,
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
        let text = |embedding: Option<&str>| {
            let run = RunName { scenario: "s".to_owned(), place: 1, embedding: embedding.map(str::to_owned) };
            MemoryError { run, needed: Bytes(2048), limit: Bytes(1024) }.to_string()
        };
        let expected = "needs about 2.0 KiB, expected at most 1.0 KiB";
        assert_eq!(text(Some("xor")), format!("run 1 of \"s\" with xor {expected}"));
        assert_eq!(text(None), format!("run 1 of \"s\" {expected}"));
    }
}
