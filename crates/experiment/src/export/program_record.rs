//! The program of a record.

use cubefold_simulator::{CubeProgram, Program};
use serde::Serialize;

/// A program as a scenario describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProgramRecord {
    /// `cc-cube`.
    pub kind: &'static str,
    /// `d` of a d-cube program.
    pub dimensions: Option<u8>,
    /// The dimension of each stage of a d-cube program.
    pub stages: Option<Vec<u8>>,
    /// `T_a` \[cycles\].
    pub compute_cycles: u64,
}

impl ProgramRecord {
    /// The record of a compute-and-communicate program.
    #[must_use]
    pub fn new(program: &CubeProgram) -> Self {
        Self {
            kind: "cc-cube",
            dimensions: Some(program.cube().dimension_count()),
            stages: Some(program.stages().iter().map(|dimension| dimension.number()).collect()),
            compute_cycles: program.compute().get(),
        }
    }
}
