//! What the runs of a sweep are, fully resolved: what a journal is recognised by.

use std::{collections::BTreeMap, sync::Arc};

use cubefold_mapping::Placement;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    Loading,
    export::{ExecutionRecord, MachineRecord, ProgramRecord, RunCaption},
    scenario::{Run, Scenario},
};

/// The runs of a sweep, each described by everything that its results depend on.
///
/// How a scenario is written does not count: two files that ask for the same runs have the same plan.
#[derive(Debug)]
pub struct SweepPlan<'runs> {
    runs: &'runs [&'runs Run],
    /// Of placements that a name does not tell, by their place in memory.
    placement_digests: BTreeMap<usize, String>,
    sections: Vec<Section>,
}

/// The runs of one scenario, which tables show together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Section {
    /// The scenario's name.
    pub(super) name: String,
    /// How many of the runs it has.
    pub(super) runs: usize,
}

/// Everything that the results of a run depend on, apart from the program's version.
#[derive(Debug, Serialize)]
struct RunDescription<'run> {
    scenario: &'run str,
    seed: u64,
    machine: MachineRecord,
    program: ProgramRecord,
    embedding: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    placement_digest: Option<&'run str>,
    execution: ExecutionRecord,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    loading_cycles: Option<u64>,
}

impl<'runs> SweepPlan<'runs> {
    /// The plan of these runs.
    #[must_use]
    pub fn new(runs: &'runs [&'runs Run]) -> Self {
        let mut placement_digests = BTreeMap::new();
        for run in runs {
            if let Placement::Table(table) = &*run.placement {
                let digest = || {
                    let mut hash = Sha256::new();
                    table.nodes().iter().for_each(|node| hash.update(node.index().to_le_bytes()));
                    hexadecimal(&hash.finalize())
                };
                placement_digests.entry(key(&run.placement)).or_insert_with(digest);
            }
        }
        Self { runs, placement_digests, sections: vec![] }
    }

    /// The plan with the scenarios that the runs are from, in their order. They are shown, and do not count when
    /// a sweep is recognised.
    #[must_use]
    pub fn in_scenarios(mut self, scenarios: &[Scenario]) -> Self {
        let section =
            |scenario: &Scenario| Section { name: scenario.name.clone(), runs: scenario.runs.len() };
        self.sections = scenarios.iter().map(section).collect();
        self
    }

    pub(super) fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// What tables show of a run, as a JSON object on one line.
    pub(super) fn caption(&self, place: usize) -> serde_json::Result<String> {
        serde_json::to_string(&RunCaption::new(self.runs[place]))
    }

    /// The number of runs.
    #[must_use]
    pub fn run_count(&self) -> usize {
        self.runs.len()
    }

    /// One run, as a JSON object on one line.
    pub(super) fn describe(&self, place: usize) -> serde_json::Result<String> {
        let run = self.runs[place];
        serde_json::to_string(&RunDescription {
            scenario: &run.scenario,
            seed: run.seed,
            machine: MachineRecord::new(run),
            program: ProgramRecord::new(&run.program),
            embedding: run.embedding.to_string(),
            placement_digest: self.placement_digests.get(&key(&run.placement)).map(String::as_str),
            execution: ExecutionRecord::new(&run.execution, run.communication.tie()),
            engine: run.execution.engine.name(),
            loading_cycles: run.loading.as_ref().map(Loading::cycles),
        })
    }

    /// The SHA-256 of all descriptions.
    pub(super) fn digest(&self) -> serde_json::Result<String> {
        let mut hash = Sha256::new();
        for place in 0..self.run_count() {
            hash.update(self.describe(place)?);
            hash.update(b"\n");
        }
        Ok(hexadecimal(&hash.finalize()))
    }
}

/// Equal placements of a command are one in memory.
fn key(placement: &Arc<Placement>) -> usize {
    Arc::as_ptr(placement).addr()
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
