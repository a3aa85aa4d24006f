//! `[[program.steps]]`: sequences of collectives and computations.
//!
//! The settings of `[program]` apply to every collective among the steps that does not override them.

use std::{collections::BTreeMap, sync::Arc};

use cubefold_collectives::{
    Collective, CollectiveSpecification, Groups, Operation, Step as CollectiveStep, StepsError,
};
use cubefold_simulator::Computations;

use super::{
    Asked, KINDS, ask,
    hierarchical::{self, AskedOperations, Levels, WholeOperation},
    of_collective, over_budget, report_misfit, take_program,
};
use crate::{
    ScenarioProgram,
    errors::{ScenarioError, alternatives, help},
    job::{JOB, STEP_KINDS},
    keyed_values::KeyedValues,
    keys::Key,
    message_sizes::{self, ByStage},
    program::{ProgramKind, Reading},
    settings::{Settings, Step},
    value::{Content, Value},
};

pub(crate) static SEQUENCE: ProgramKind = ProgramKind {
    name: "sequence",
    summary: "Collectives and computations one after another.",
    keys: &[
        Key::ProgramSteps,
        Key::ProgramAlgorithm,
        Key::ProgramProcesses,
        Key::ProgramShape,
        Key::ProgramOver,
        Key::ProgramProcessesPerNode,
        Key::ProgramUnits,
        Key::ProgramBytes,
        Key::ProgramExchange,
        Key::ProgramPorts,
        Key::ProgramChunks,
        Key::ProgramOrder,
        Key::ProgramFold,
        Key::ProgramChannels,
        Key::ProgramRings,
        Key::ProgramRoot,
        Key::ProgramStages,
        Key::ProgramReduceUnitsPerCycle,
    ],
    read,
};

/// The keys of a step, including steps that only jobs have.
const STEP_KEYS: [Key; 30] = [
    Key::ProgramKind,
    Key::ProgramAlgorithm,
    Key::ProgramShape,
    Key::ProgramOver,
    Key::ProgramUnits,
    Key::ProgramBytes,
    Key::ProgramExchange,
    Key::ProgramPorts,
    Key::ProgramChunks,
    Key::ProgramOrder,
    Key::ProgramFold,
    Key::ProgramChannels,
    Key::ProgramRings,
    Key::ProgramRoot,
    Key::ProgramStages,
    Key::ProgramReduceUnitsPerCycle,
    Key::ProgramComputeCycles,
    Key::ProgramCompute,
    Key::ProgramFile,
    Key::ProgramForm,
    Key::ProgramMatrix,
    Key::ProgramRounds,
    Key::ProgramScale,
    Key::ProgramGuest,
    Key::ProgramCommunication,
    Key::ProgramSets,
    Key::ProgramNeighbours,
    Key::ProgramCells,
    Key::ProgramWidth,
    Key::ProgramCellBytes,
];

/// Whether a step has the key with this path.
pub(crate) fn is_key_of_step(path: &str) -> bool {
    STEP_KEYS.iter().any(|key| key.path() == path)
}

/// The kinds that a step may have, by name.
pub(crate) fn step_kinds() -> Vec<&'static str> {
    let others = STEP_KINDS.iter().map(|kind| kind.name);
    KINDS.iter().map(|(kind, _)| kind.name).chain(others).collect()
}

/// The keys of [`STEP_KEYS`] that every step takes; a step with no others is a computation.
const COMPUTATION_KEYS: [Key; 2] = [Key::ProgramComputeCycles, Key::ProgramCompute];

/// Describes how a computation is written.
const NO_KIND: &str = "a step with compute_cycles or compute alone is a computation";

/// The most steps of a sequence or a job.
pub(crate) const MAX_STEPS: usize = 10_000;

/// The most alternative sequences, the fastest of which counts.
const MAX_ALTERNATIVES: usize = 16;

/// Whether a kind may be given beside steps; then it is the kind of the steps.
pub(crate) fn is_operation(kind: &ProgramKind) -> bool {
    KINDS.iter().any(|(known, _)| known.name == kind.name)
}

fn read(reading: &mut Reading<'_>) -> Option<ScenarioProgram> {
    let value = reading.settings.required(Key::ProgramSteps, "a list of tables: [[program.steps]]")?;
    let per_node = reading.per_node();
    let values = tables(reading.settings, value)?;
    let mut known = KnownCollectives::default();
    let mut steps: Vec<Option<ReadStep>> = vec![];
    for value in values {
        steps.push(read_step(reading, value, per_node.unwrap_or(1), &mut known));
        // One report of a step that is too large is enough.
        if known.is_over_budget {
            return None;
        }
    }
    let steps: Vec<ReadStep> = steps.into_iter().collect::<Option<_>>()?;
    let bytes = steps.iter().flat_map(|step| step.choices[0].iter().map(|_| step.bytes)).collect();
    let counts: Vec<usize> = steps.iter().map(|step| step.choices.len()).collect();
    let mut programs = vec![];
    for chosen in combinations(reading, value, &counts)? {
        let operations = asked_operations(&steps, &chosen).map(Arc::new);
        let choices = steps.iter().zip(chosen).flat_map(|(step, choice)| step.choices[choice].clone());
        match Collective::of_steps(choices.collect()) {
            Ok(sequence) => {
                take_program(reading, 0, &sequence)?;
                let program = of_collective(reading, &SEQUENCE, sequence, per_node?)?;
                programs.push(ScenarioProgram { operations, ..program });
            }
            Err(error) => return reading.settings.fail(steps_error(value, values, &error)),
        }
    }
    let others = programs.split_off(1);
    let notes = distinct(steps.into_iter().flat_map(|step| step.notes));
    let first = ScenarioProgram { step_bytes: bytes, notes, ..programs.pop()? };
    Some(first.or_faster(others))
}

/// The tables of the steps of a sequence or a job.
pub(crate) fn tables<'a>(settings: &Settings<'_>, value: &'a Value) -> Option<&'a [Value]> {
    let values = value.list(Key::ProgramSteps.path(), "tables: [[program.steps]]", settings.errors())?;
    if values.len() > MAX_STEPS {
        let expected = format!("at most {MAX_STEPS} steps");
        return settings.fail(value.unexpected(Key::ProgramSteps.path(), expected));
    }
    Some(values)
}

/// The notes on all steps, each once.
pub(crate) fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut notes = vec![];
    for note in all {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

/// The steps as the scenario requests them, with the chosen alternatives; `None` if each runs as one step.
fn asked_operations(steps: &[ReadStep], chosen: &[usize]) -> Option<AskedOperations> {
    if steps.iter().all(|step| step.whole.is_none()) {
        return None;
    }
    let operations = steps.iter().zip(chosen).map(|(step, &choice)| match &step.whole {
        Some(whole) => CollectiveStep::Groups(Arc::clone(&whole.groups)),
        None => step.choices[choice][0].clone(),
    });
    let algorithm = |step: &ReadStep| step.whole.as_ref().map(|whole| Arc::clone(&whole.algorithm));
    Some(AskedOperations {
        // Steps with different numbers of ranks are reported for the steps that run.
        collective: Collective::of_steps(operations.collect()).ok()?,
        algorithms: steps.iter().map(algorithm).collect(),
        bytes: steps.iter().map(|step| step.bytes).collect(),
    })
}

/// The collectives of the steps read so far; equal steps share one.
#[derive(Default)]
pub(crate) struct KnownCollectives {
    collectives: Vec<(CollectiveSpecification, Vec<usize>, Arc<Groups>)>,
    /// Whether any took too much memory.
    pub(crate) is_over_budget: bool,
}

impl KnownCollectives {
    /// The most collectives kept; the oldest is dropped first.
    const MOST: usize = 64;

    /// The requested collective, made unless it is known. Reports one that is invalid or takes too much memory.
    pub(crate) fn collective(
        &mut self,
        reading: &mut Reading<'_>,
        specification: CollectiveSpecification,
        over: &[usize],
    ) -> Option<Arc<Groups>> {
        let is_same = |(asked, dimensions, _): &&(CollectiveSpecification, Vec<usize>, _)| {
            *asked == specification && dimensions == over
        };
        if let Some((_, _, known)) = self.collectives.iter().find(is_same) {
            return Some(Arc::clone(known));
        }
        let ranks = specification.shape.node_count();
        let budget = reading.settings.budget();
        let most = Groups::bytes_at_most(&specification, over);
        let made = budget.take(most).map(|()| {
            let made = Groups::new(specification.clone(), over).map(Arc::new);
            let kept = made.as_ref().map_or(0, |made| made.bytes());
            budget.give_back(most.saturating_sub(kept));
            made
        });
        self.is_over_budget = made.is_err();
        let made = made.map_err(|over| over_budget(reading, over, ranks)).ok()?;
        let made = made.map_err(|error| report_misfit(reading, &error)).ok()?;
        if self.collectives.len() == Self::MOST {
            self.collectives.remove(0);
        }
        self.collectives.push((specification, over.to_vec(), Arc::clone(&made)));
        Some(made)
    }
}

/// A step: its alternatives, the fastest of which counts, and its vector in bytes.
struct ReadStep {
    choices: Vec<Vec<CollectiveStep>>, // at least one; a hierarchical collective is three steps
    bytes: Option<u64>,
    whole: Option<WholeOperation>, // of a hierarchical collective
    notes: Vec<String>,
}

fn read_step(
    reading: &mut Reading<'_>,
    value: &Value,
    per_node: u64,
    known: &mut KnownCollectives,
) -> Option<ReadStep> {
    let table = StepTable::read(reading, value)?;
    let settings = reading.settings.of_step(&table.step);
    let scale = reading.machine.timing.scale();
    let computations = message_sizes::read_computations(&settings, scale, ByStage::No);
    let mut reading = reading.of_step(&settings, computations);
    if table.is_computation() {
        let choices = vec![vec![CollectiveStep::Computation(reading.compute()?.get())]];
        return Some(ReadStep { choices, bytes: None, whole: None, notes: vec![] });
    }
    let (kind, operation) = kind(&mut reading, value, &[])?;
    report_foreign(&mut reading, &table.step, kind);
    if let Some(value) = hierarchical::table(&reading) {
        let levels = hierarchical::read_levels(&mut reading, operation, value, per_node)?;
        let steps = levels.sequence()?; // otherwise steps of a job
        let choices = vec![steps.iter().map(Arc::clone).map(CollectiveStep::Groups).collect()];
        let Levels { bytes, whole, notes, .. } = levels;
        return Some(ReadStep { choices, bytes, whole: Some(whole), notes });
    }
    let Asked { specification, other, over, bytes, notes } = ask(&mut reading, kind, operation, per_node)?;
    let mut choices = vec![];
    for specification in std::iter::once(specification).chain(other) {
        let groups = known.collective(&mut reading, specification, &over)?;
        choices.push(vec![CollectiveStep::Groups(groups)]);
    }
    Some(ReadStep { choices, bytes, whole: None, notes })
}

impl Reading<'_> {
    /// The inputs for reading a step with these settings.
    pub(crate) fn of_step<'b>(
        &'b mut self,
        settings: &'b Settings<'b>,
        computations: Option<Computations>,
    ) -> Reading<'b> {
        Reading { settings, machine: self.machine, library: self.library, computations }
    }
}

/// A step as written.
#[derive(Debug)]
pub(crate) struct StepTable {
    /// Its values of keys of `[program]`.
    pub(crate) step: Step,
    /// Its values of keys that only steps have.
    pub(crate) own: OwnKeys,
}

/// The values of the keys that only steps of jobs have.
#[derive(Debug, Default)]
pub(crate) struct OwnKeys(BTreeMap<&'static str, Value>);

impl OwnKeys {
    /// The keys.
    pub(crate) const ALL: [&'static str; 9] =
        ["name", "after", "only", "by", "wrap", "microbatches", "schedule", "forward", "backward"];

    /// The value of one of them, if the step has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        debug_assert!(Self::ALL.contains(&key), "{key} is no key of a step");
        self.0.get(key)
    }
}

impl StepTable {
    /// Whether it is a computation: it has only keys of computations.
    pub(crate) fn is_computation(&self) -> bool {
        let keys = self.step.values.keys();
        keys.iter().next().is_some() && keys.iter().all(|key| COMPUTATION_KEYS.contains(&key))
    }

    /// The values of a step by their keys; unknown ones are reported.
    pub(crate) fn read(reading: &mut Reading<'_>, value: &Value) -> Option<Self> {
        let settings = reading.settings;
        let Content::Table(entries) = &value.content else {
            let expected = "a table of a collective or a computation";
            return settings.fail(value.unexpected("step of the program", expected));
        };
        let before = settings.errors().len();
        let (mut values, mut own) = (KeyedValues::new(), OwnKeys::default());
        for entry in entries {
            if let Some(key) = OwnKeys::ALL.into_iter().find(|key| *key == entry.key) {
                own.0.insert(key, entry.value.clone());
            } else if let Some(&key) = STEP_KEYS.iter().find(|key| key.key() == entry.key) {
                values.insert(key, entry.value.clone());
            } else {
                let known: Vec<&str> = OwnKeys::ALL.into_iter().chain(STEP_KEYS.map(Key::key)).collect();
                let name = cubefold_formats::input::text::shortened(&entry.key);
                let message = format!("unknown key \"{name}\" in a step, expected {}", alternatives(&known));
                let error = ScenarioError::at(&entry.key_place, message, "unknown key");
                settings.report(error.with_help(help(&entry.key, &known)));
            }
        }
        let step = Step { place: value.place.clone(), values };
        (settings.errors().len() == before).then_some(Self { step, own })
    }
}

/// The operation of a step: its own, or else the program's. Messages also name `others`.
pub(crate) fn kind(
    reading: &mut Reading<'_>,
    step: &Value,
    others: &[&str],
) -> Option<(&'static ProgramKind, Operation)> {
    let choices: Vec<(&str, (&'static ProgramKind, Operation))> =
        KINDS.iter().map(|&(kind, operation)| (kind.name, (kind, operation))).collect();
    let names: Vec<&str> = choices.iter().map(|&(name, _)| name).chain(others.iter().copied()).collect();
    let is_sequence = |value: &&Value| matches!(&value.content, Content::Text(text) if text == SEQUENCE.name || text == JOB.name);
    if let Some(value) = reading.settings.get(Key::ProgramKind).filter(|value| !is_sequence(value)) {
        if let Content::Text(text) = &value.content
            && !others.is_empty()
            && choices.iter().all(|(name, _)| name != text)
        {
            let error = value.unknown_word(Key::ProgramKind.path(), alternatives(&names), &names);
            let help = if text.starts_with("comput") { NO_KIND } else { "" };
            return reading.settings.fail(error.with_help(help));
        }
        return value.choice(Key::ProgramKind.path(), &choices, reading.settings.errors());
    }
    let message = format!("kind of a step is missing, expected {}", alternatives(&names));
    let error = ScenarioError::at(&step.place, message, "kind is missing");
    reading.settings.fail(error.with_help(NO_KIND))
}

/// Reports keys of a step that its operation does not take.
pub(crate) fn report_foreign(reading: &mut Reading<'_>, step: &Step, kind: &ProgramKind) {
    let always = |key| key == Key::ProgramKind || COMPUTATION_KEYS.contains(&key);
    for key in step.values.keys().iter().filter(|&key| !always(key) && !kind.keys.contains(&key)) {
        let Some(value) = step.values.get(key) else { continue };
        let name = format!("step of kind {}", kind.name);
        let kind_place = reading.settings.place(Key::ProgramKind);
        reading.settings.report(ScenarioError::foreign_key(key.path(), &value.place, &name, kind_place));
    }
}

/// All combinations of choices of steps that have these numbers of them, in order.
pub(crate) fn combinations(
    reading: &mut Reading<'_>,
    value: &Value,
    steps: &[usize],
) -> Option<Vec<Vec<usize>>> {
    let count = steps.iter().fold(1_usize, |count, &choices| count.saturating_mul(choices));
    if count > MAX_ALTERNATIVES {
        let message =
            format!("{count} combinations of exchanges, expected at most {MAX_ALTERNATIVES} for best");
        let place = reading.settings.place(Key::ProgramExchange).unwrap_or(&value.place);
        let error = ScenarioError::at(place, message, "the best of all steps together");
        return reading
            .settings
            .fail(error.with_help("give some of the steps exchange = \"halving\" or \"whole\""));
    }
    // Combination `number` in the mixed base of the numbers of choices, the last step varying fastest.
    let combination = |mut number: usize| {
        let choice = |&choices: &usize| {
            let choice = number % choices;
            number /= choices;
            choice
        };
        let mut chosen: Vec<usize> = steps.iter().rev().map(choice).collect();
        chosen.reverse();
        chosen
    };
    Some((0..count).map(combination).collect())
}

fn steps_error(value: &Value, steps: &[Value], error: &StepsError) -> ScenarioError {
    let place = match error {
        StepsError::Ranks { step, .. } => steps.get(*step).map_or(&value.place, |step| &step.place),
        StepsError::NoCollective | StepsError::TooManyProcesses { .. } => &value.place,
    };
    let help = match error {
        StepsError::Ranks { .. } => "the shapes of all steps are to have as many processes",
        StepsError::NoCollective => "add a step with a kind, such as \"all-reduce\"",
        StepsError::TooManyProcesses { .. } => "a sequence has a process for each share of each rank",
    };
    ScenarioError::at(place, error.to_string(), "not a sequence").with_help(help)
}
