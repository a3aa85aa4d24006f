//! Resolved descriptions of the runs of a sweep, by which a journal is recognised and changes since its start
//! are reported.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use cubefold_mapping::{Placement, PlacementTable};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use cubefold_formats::input::text::hexadecimal;
use cubefold_records::{
    Build, ExecutionRecord, MachineRecord, ProgramRecord, Provenance, RunCaption, RunDigests,
};
use cubefold_scenario::{Loading, Run, ScenarioProgram};

/// The runs of a sweep, each described by everything that its results depend on. The plan of a part has its own runs
/// and the first of the sweep, which tells parts of different sweeps apart.
///
/// The form of a scenario does not matter: two files with the same runs have the same plan.
#[derive(Debug)]
pub struct SweepPlan<'runs> {
    pub(super) runs: Vec<(usize, &'runs Run)>, // by place in the sweep
    digests: Mutex<Digests>,
    sweep: SweepDigest,
    pub(super) sections: Vec<Section>,
    pub(super) provenance: Option<Provenance>, // of a part
}

/// The digest of the descriptions of all runs of a sweep, added one at a time.
#[derive(Debug, Clone, Default)]
pub struct SweepDigest {
    hash: Sha256,
    runs: usize,
    digests: Digests,
    cited: RunDigests,
}

/// Digests of the placements that a name does not determine, and of the programs from files. Equal placements of a command
/// share one allocation, as do the programs of a combination: both are recognised by address while they are kept.
#[derive(Debug, Clone, Default)]
struct Digests {
    placements: BTreeMap<usize, (Arc<Placement>, String)>,
    programs: BTreeMap<usize, (Arc<ScenarioProgram>, String)>,
}

/// The runs of one scenario, which tables show together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Section {
    /// The scenario's name.
    pub(super) name: String,
    /// The number of its runs.
    pub(super) runs: usize,
}

/// Everything that the results of a run depend on, except the version of the program.
#[derive(Debug, Serialize)]
struct RunDescription<'run> {
    scenario: &'run str,
    seed: u64,
    machine: MachineRecord,
    program: ProgramRecord,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    or_faster: Vec<ProgramRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_digest: Option<&'run str>,
    /// The contents of the files that the scenario names, by the path of the key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, String>,
    embedding: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    placement_digest: Option<&'run str>,
    execution: ExecutionRecord,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    loading_cycles: Option<u64>,
}

impl SweepDigest {
    /// Adds the next run.
    ///
    /// # Errors
    ///
    /// If its description cannot be written.
    pub fn add(&mut self, run: &Run) -> serde_json::Result<()> {
        // Runs arrive one at a time: only the latest program and placement are kept.
        self.digests.keep_only_those_of(run);
        let description = self.digests.describe(run)?;
        self.add_described(&description, run);
        Ok(())
    }

    fn add_described(&mut self, description: &str, run: &Run) {
        self.hash.update(description);
        self.hash.update(b"\n");
        self.runs += 1;
        self.cited.add(run);
    }

    /// The digest by which the sweep is cited: that of its only run, or one over the digests of all runs.
    #[must_use]
    pub fn cited(&self) -> String {
        self.cited.digest()
    }
}

impl Digests {
    /// Drops all digests except those of `run`.
    fn keep_only_those_of(&mut self, run: &Run) {
        self.placements.retain(|&kept, _| kept == address(&run.placement));
        self.programs.retain(|&kept, _| kept == address(&run.program));
    }

    /// The description of a run, as a JSON object on one line.
    fn describe(&mut self, run: &Run) -> serde_json::Result<String> {
        let message_digest = run.program.file.as_deref().map(|_| {
            let digest = || (Arc::clone(&run.program), message_digest(&run.program));
            self.programs.entry(address(&run.program)).or_insert_with(digest).1.as_str()
        });
        let placement_digest = match &*run.placement {
            Placement::Table(table) => {
                let digest = || (Arc::clone(&run.placement), placement_digest(table));
                Some(self.placements.entry(address(&run.placement)).or_insert_with(digest).1.as_str())
            }
            _ => None,
        };
        serde_json::to_string(&RunDescription {
            scenario: &run.scenario,
            seed: run.seed,
            machine: MachineRecord::new(run),
            program: ProgramRecord::of_run(run),
            or_faster: run.program.others.iter().map(|other| ProgramRecord::new(other)).collect(),
            files: run.resolved.file_digests(),
            embedding: run.embedding.to_string(),
            message_digest,
            placement_digest,
            execution: ExecutionRecord::new(&run.execution, run.communication),
            engine: run.execution.engine.name(),
            loading_cycles: run.loading.as_ref().map(Loading::cycles),
        })
    }
}

impl<'runs> SweepPlan<'runs> {
    /// Makes the plan of a whole sweep.
    ///
    /// # Errors
    ///
    /// If a description cannot be written.
    pub fn new(runs: &[&'runs Run]) -> serde_json::Result<Self> {
        let mut sweep = SweepDigest::default();
        let mut digests = Digests::default();
        for run in runs {
            sweep.add_described(&digests.describe(run)?, run);
        }
        let runs = runs.iter().copied().enumerate().collect();
        Ok(Self { runs, digests: Mutex::new(digests), sweep, sections: vec![], provenance: None })
    }

    /// Makes the plan of a part of a sweep with this digest; `runs` are its own and the first one, with their places.
    #[must_use]
    pub fn of_part(runs: Vec<(usize, &'runs Run)>, sweep: SweepDigest) -> Self {
        Self { runs, digests: Mutex::default(), sweep, sections: vec![], provenance: None }
    }

    /// Adds the scenarios of the runs, in their order, by name and number of runs. They are for display only and do not
    /// affect the digest.
    #[must_use]
    pub fn in_scenarios(mut self, scenarios: impl IntoIterator<Item = (String, usize)>) -> Self {
        self.sections = scenarios.into_iter().map(|(name, runs)| Section { name, runs }).collect();
        self
    }

    /// The origin of the results: the program, and its command.
    #[must_use]
    pub fn made_by(&self, build: Build, command: String) -> Provenance {
        Provenance::new(build, command, &self.sweep.cited)
    }

    /// Adds the origin of the results to the journal of a part, which is merged without its scenario. The journal of a
    /// whole sweep has no origin, because another command may continue it.
    #[must_use]
    pub fn with_provenance(mut self, provenance: Provenance) -> Self {
        self.provenance = Some(provenance);
        self
    }

    /// The digest by which the sweep is cited.
    #[must_use]
    pub fn cited(&self) -> String {
        self.sweep.cited()
    }

    /// The number of runs of the sweep.
    #[must_use]
    pub fn run_count(&self) -> usize {
        self.sweep.runs
    }

    /// The caption of a run, as a JSON object on one line.
    pub(super) fn caption(run: &Run) -> serde_json::Result<String> {
        serde_json::to_string(&RunCaption::new(run))
    }

    /// The description of a run, as a JSON object on one line.
    pub(super) fn describe(&self, run: &Run) -> serde_json::Result<String> {
        self.digests.lock().unwrap_or_else(PoisonError::into_inner).describe(run)
    }

    /// The SHA-256 of all descriptions.
    pub(super) fn digest(&self) -> String {
        hexadecimal(&self.sweep.hash.clone().finalize())
    }
}

/// The identity of a shared value while it is kept.
fn address<T>(shared: &Arc<T>) -> usize {
    Arc::as_ptr(shared).addr()
}

/// The SHA-256 of the nodes of a placement.
fn placement_digest(table: &PlacementTable) -> String {
    let mut hash = Sha256::new();
    table.nodes().iter().for_each(|node| hash.update(node.index().to_le_bytes()));
    hexadecimal(&hash.finalize())
}

/// The SHA-256 of all messages of a program with their sizes.
fn message_digest(program: &ScenarioProgram) -> String {
    let mut hash = Sha256::new();
    for stage in 0..program.body.stage_count() {
        program.body.for_each_message(stage, &mut |source, destination, units| {
            for number in [stage as u64, source.label().into(), destination.label().into()] {
                hash.update(number.to_le_bytes());
            }
            hash.update(units.to_le_bytes());
        });
    }
    hexadecimal(&hash.finalize())
}

/// The first difference between the runs of a journal and the requested ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Numbers of runs, of the journal and requested.
    pub counts: (usize, usize),
    /// The first run that differs, if both describe it.
    pub first: Option<RunChange>,
}

/// A difference between two versions of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunChange {
    /// Its index in the results, counted from 0.
    pub run: usize,
    /// The path of the first key that differs.
    pub key: String,
    /// Its value in the journal; `None` if it is missing.
    pub was: Option<String>,
    /// Its value now; `None` if it is missing.
    pub now: Option<String>,
}

impl RunChange {
    /// The difference between two descriptions of a run; `None` if they are equal.
    pub(super) fn between(run: usize, was: &str, now: &str) -> Option<Self> {
        if was == now {
            return None;
        }
        // Text that is not JSON is compared as a whole.
        let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        let (key, was, now) = first_difference("", Some(&value(was)), Some(&value(now)))?;
        Some(Self { run, key, was, now })
    }
}

type Difference = (String, Option<String>, Option<String>);

fn first_difference(path: &str, was: Option<&Value>, now: Option<&Value>) -> Option<Difference> {
    if let (Some(Value::Object(was)), Some(Value::Object(now))) = (was, now) {
        let nested = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        let mut keys = was.keys().chain(now.keys().filter(|key| !was.contains_key(*key)));
        return keys.find_map(|key| first_difference(&nested(key), was.get(key), now.get(key)));
    }
    let text = |value: Option<&Value>| value.map(ToString::to_string);
    (was != now).then(|| (path.to_owned(), text(was), text(now)))
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (was, now) = self.counts;
        if was != now {
            write!(formatter, "it is for {was} runs, expected {now}")?;
        }
        match &self.first {
            Some(_) if was != now => formatter.write_str("; ")?,
            None if was == now => formatter.write_str("a run differs that one of them alone describes")?,
            _ => {}
        }
        self.first.as_ref().map_or(Ok(()), |first| first.fmt(formatter))
    }
}

impl fmt::Display for RunChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, key, was, now } = self;
        match (was, now) {
            (Some(was), Some(now)) => write!(formatter, "in run {run} {key} was {was} and is {now}"),
            (Some(was), None) => write!(formatter, "in run {run} {key} was {was} and is no longer there"),
            (None, Some(now)) => write!(formatter, "in run {run} {key} was not there and is {now}"),
            (None, None) => write!(formatter, "in run {run} {key} differs"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_key_that_differs_is_named_with_both_values() {
        let change = |was: &str, now: &str| RunChange::between(3, was, now).map(|change| change.to_string());
        let was = r#"{"seed":1,"machine":{"shape":[8,8],"hop_cycles":1}}"#;
        assert_eq!(change(was, was), None);
        let cases = [
            (
                r#"{"seed":1,"machine":{"shape":[8,4],"hop_cycles":1}}"#,
                "machine.shape was [8,8] and is [8,4]",
            ),
            (r#"{"seed":1,"machine":{"shape":[8,8]}}"#, "machine.hop_cycles was 1 and is no longer there"),
            (
                r#"{"seed":1,"machine":{"shape":[8,8],"hop_cycles":1},"x":"y"}"#,
                "x was not there and is \"y\"",
            ),
        ];
        for (now, expected) in cases {
            assert_eq!(change(was, now).unwrap(), format!("in run 3 {expected}"));
        }
    }
}
