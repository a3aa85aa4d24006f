//! Why there are no figures.

use std::io;

use cubefold_simulator::{Engine, SimulationError};

use crate::{RunError, ScenarioErrors};

/// Why there are no figures. None of them is the user's doing.
#[derive(Debug, thiserror::Error)]
pub enum BenchmarkError {
    /// A row comes to what is wrong: a defect of the program.
    #[error("{row} comes to {found}, expected {expected}")]
    Answer {
        /// The row.
        row: String,
        /// What it comes to.
        found: u64,
        /// What it must come to.
        expected: u64,
    },
    /// A row measures another engine than its name says: a defect of the program.
    #[error("{row} is computed by the {found} engine, expected {expected}")]
    Engine {
        /// The row.
        row: String,
        /// What computed it.
        found: Engine,
        /// What its name says.
        expected: Engine,
    },
    /// A simulation was refused or failed.
    #[error("{row}: {error}")]
    Simulation {
        /// The row.
        row: String,
        /// What is wrong.
        error: SimulationError,
    },
    /// A run of a sweep failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A built-in scenario is wrong.
    #[error(transparent)]
    Scenario(#[from] ScenarioErrors),
    /// The system does not tell the time, or results could not be written.
    #[error(transparent)]
    System(#[from] io::Error),
}
