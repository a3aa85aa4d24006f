//! Why a run was refused or failed.

use cubefold_simulator::SimulationError;

use crate::{Bytes, MemoryError};

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
    /// It needs more memory than there is.
    #[error(transparent)]
    Memory(#[from] MemoryError),
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
