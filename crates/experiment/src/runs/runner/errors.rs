//! Why a run was refused or failed.

use cubefold_simulator::SimulationError;

/// Why a run was refused or failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The simulation was refused or failed.
    #[error("run {run} of {scenario:?} with {embedding}: {error}")]
    Simulation {
        /// The scenario's name.
        scenario: String,
        /// The place of the run in the results, counted from 0.
        run: usize,
        /// Its embedding.
        embedding: String,
        /// What is wrong.
        error: SimulationError,
    },
    /// A task graph did not come to its end.
    #[error("run {run} of {scenario:?} with {embedding}: the task graph does not come to its end: {reason}")]
    Stuck {
        /// The scenario's name.
        scenario: String,
        /// The place of the run in the results, counted from 0.
        run: usize,
        /// Its embedding.
        embedding: String,
        /// Why, with the places of operations in the file.
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
        /// The place of the run in the results, counted from 0.
        run: usize,
        /// Its embedding.
        embedding: String,
        /// The makespan \[cycles\].
        makespan: u64,
        /// The blocked cycles in all.
        blocked: u128,
        /// The predicted makespan \[cycles\].
        predicted: u64,
    },
    /// It stopped at a defect of the program.
    #[error("run {run} of {scenario:?} with {embedding} stopped: {message}")]
    Panicked {
        /// The scenario's name.
        scenario: String,
        /// The place of the run in the results, counted from 0.
        run: usize,
        /// Its embedding.
        embedding: String,
        /// What the defect says of itself.
        message: String,
    },
    /// A rank has read other scenarios than the leader.
    #[error(
        "rank {rank} has no run {run} as the leader has it, expected the same scenario files on every computer"
    )]
    OtherScenario {
        /// The rank.
        rank: usize,
        /// The place of the run in the results, counted from 0.
        run: usize,
    },
    /// It needs more memory than there is.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// What they come to needs more memory than there is, all together.
    #[error("{what} of {runs} runs needs about {needed}, expected at most {limit}")]
    ListMemory {
        /// What is kept of each run.
        what: &'static str,
        /// The number of runs.
        runs: usize,
        /// The memory needed, with that of the scenarios.
        needed: Bytes,
        /// The memory allowed.
        limit: Bytes,
    },
    /// Measuring the exchange of addresses needs more memory than there is.
    #[error("measuring the exchange of addresses needs about {needed}, expected at most {limit}")]
    AddressExchangeMemory {
        /// What it needs.
        needed: Bytes,
        /// What there is.
        limit: Bytes,
    },
    /// Measuring the exchange of addresses was refused or failed.
    #[error("the exchange of addresses: {error}")]
    AddressExchange {
        /// What is wrong.
        error: SimulationError,
    },
}

/// More memory than there is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("run {run} of {scenario:?} with {embedding} needs about {needed}, expected at most {limit}")]
pub struct MemoryError {
    /// The scenario's name.
    pub scenario: String,
    /// The place of the run in the results, counted from 0.
    pub run: usize,
    /// Its embedding.
    pub embedding: String,
    /// What it needs.
    pub needed: Bytes,
    /// What there is.
    pub limit: Bytes,
}

/// A number of bytes, displayed in units of 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl std::fmt::Display for Bytes {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
        let unit = (0..UNITS.len()).rev().find(|&unit| self.0 >> (10 * unit) > 0).unwrap_or(0);
        let tenths = (u128::from(self.0) * 10) >> (10 * unit);
        match unit {
            0 => write!(formatter, "{} bytes", self.0),
            unit => write!(formatter, "{}.{} {}", tenths / 10, tenths % 10, UNITS[unit]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_as_people_say_them() {
        let texts = [0, 1023, 1536, 5 << 30].map(|bytes| Bytes(bytes).to_string());
        assert_eq!(texts, ["0 bytes", "1023 bytes", "1.5 KiB", "5.0 GiB"]);
    }
}
