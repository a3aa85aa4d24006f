//! A run that there would be, as `check` lists it.

use serde::Serialize;

use super::{MachineRecord, ProgramRecord};
use crate::Run;

/// One run that a scenario asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlannedRun {
    /// Its place in the results, counted from 0.
    pub run: u64,
    /// The scenario's name.
    pub scenario: String,
    /// The machine.
    pub machine: MachineRecord,
    /// The program.
    pub program: ProgramRecord,
    /// The embedding's name.
    pub embedding: String,
    /// The number of processes.
    pub processes: u64,
    /// The number of nodes.
    pub nodes: u64,
    /// The number of stages.
    #[serde(rename = "stage_count")]
    pub stages: u64,
}

impl PlannedRun {
    /// The run at place `place` of the results.
    #[must_use]
    pub fn new(place: usize, run: &Run) -> Self {
        Self {
            run: place as u64,
            scenario: run.scenario.clone(),
            machine: MachineRecord::new(run),
            program: ProgramRecord::new(&run.program),
            embedding: run.embedding.to_string(),
            processes: run.program.process_count(),
            nodes: run.machine.node_count(),
            stages: run.program.stage_count() as u64,
        }
    }
}
