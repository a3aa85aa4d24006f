//! Exchanges of programs on cubes that are cut into parts and pipelined, and computations that vary: `pipelining`,
//! `ports`, `startup`, `compute_noise` and lists of computations (`docs/model.md` sections 29.1 and 29.3).

use std::sync::Arc;

use cubefold_simulator::{
    ComputeNoise, CubeProgram, Cycles, ExchangePorts, MessageSizes, NoiseDistribution, NoiseUnit,
    NoisyProgram, PipelinedExchange, Pipelining, Program,
};

use super::{
    errors::ScenarioError,
    keys::{Key, MAX_INTEGER},
    message_sizes::{self, Sizes},
    program::{ProgramKind, Reading},
    scenario_program::ScenarioProgram,
    value::{Content, Table, Value},
};

/// The keys of programs that [`program`] makes.
pub(super) const KEYS: [Key; 5] = [
    Key::ProgramPipelining,
    Key::ProgramPorts,
    Key::ProgramStartup,
    Key::ProgramStartupCycles,
    Key::ProgramComputeNoise,
];

/// The exchanges of a program on a cube, as the scenario requests them.
#[derive(Debug, Clone)]
pub struct ExchangeSettings {
    /// The simulated program, with its parts.
    pub program: Arc<PipelinedExchange>,
    /// Whether the number of parts is the best of several.
    pub is_best: bool,
}

/// The greatest number of parts.
pub(crate) const MOST_PARTS: u64 = 1 << 16;
/// The greatest number of parts that [`BEST`] tries.
const MOST_TRIED: u64 = 1 << 12;
/// The most parts of all stages, over all numbers of parts that [`BEST`] tries.
const MOST_TRIED_IN_ALL: u64 = 1 << 28;
const MOST_DRAWS: u64 = 1 << 30;
/// The word for the number of parts with the least makespan.
pub(crate) const BEST: &str = "best";

/// The settings of pipelining; one part by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Asked {
    parts: Option<u64>, // `None` for the best
    ports: ExchangePorts,
    startup: Cycles,
    noise: Option<ComputeNoise>,
}

/// Makes a program on a cube: a plain one unless a key of pipelining is set, or computations vary.
pub(super) fn program(
    reading: &mut Reading<'_>,
    kind: &'static ProgramKind,
    program: &CubeProgram,
    sizes: &Sizes,
    computations: &[Cycles],
) -> Option<ScenarioProgram> {
    let asked = read(reading)?;
    let plain = program.clone().with_sizes(sizes.units.clone());
    let unpipelined = ScenarioProgram::of_cube(kind, plain);
    let unpipelined = ScenarioProgram { bytes: sizes.bytes, ..unpipelined };
    let is_set = KEYS.iter().any(|&key| reading.settings.get(key).is_some());
    if !is_set && computations.len() == 1 {
        return Some(unpipelined);
    }
    let stages = program.stages().len();
    check_draws(reading, 1 << program.cube().dimension_count(), stages)?;
    let largest = (0..stages).map(|stage| sizes.units.of_stage(stage)).max().unwrap_or(1);
    let tried = asked.parts.map_or_else(|| tried_parts(largest), |parts| vec![parts]);
    check_parts(reading, &tried, program.cube().dimension_count(), stages)?;
    let with = |parts: u64| {
        let pipelining =
            Pipelining { parts: usize::try_from(parts).ok()?, ports: asked.ports, startup: asked.startup };
        let made = PipelinedExchange::new(program, &sizes.units, computations, pipelining, asked.noise);
        let made = Arc::new(made.ok()?);
        Some(ScenarioProgram {
            body: Arc::<PipelinedExchange>::clone(&made),
            exchange: Some(ExchangeSettings { program: made, is_best: asked.parts.is_none() }),
            noise: asked.noise,
            described: Some(Arc::clone(&unpipelined.body)),
            notes: notes(&tried, asked, &sizes.units, stages),
            ..unpipelined.clone()
        })
    };
    let mut all = tried.iter().map(|&parts| with(parts)).collect::<Option<Vec<_>>>()?;
    let first = all.remove(0);
    Some(if all.is_empty() { first } else { first.or_faster(all) })
}

/// Adds noise to the computations of a program, if the scenario has any.
pub(super) fn with_noise(reading: &mut Reading<'_>, program: ScenarioProgram) -> Option<ScenarioProgram> {
    let Some(value) = reading.settings.get(Key::ProgramComputeNoise) else { return Some(program) };
    let noise = read_noise(reading, value)?;
    let facts = program.body.facts();
    check_draws(reading, facts.process_count, facts.stage_count)?;
    let described = Arc::clone(&program.body);
    let body: Arc<dyn Program> = Arc::new(NoisyProgram::new(Arc::clone(&described), noise));
    Some(ScenarioProgram { body, described: Some(described), noise: Some(noise), ..program })
}

/// Reports the keys of pipelining that are set for a program whose data move over a network.
pub(super) fn report_wandering(reading: &mut Reading<'_>) -> Option<()> {
    let before = reading.settings.errors().len();
    for key in KEYS {
        if let Some(value) = reading.settings.get(key) {
            let message = format!("{} of a normal program whose data move over a network", key.path());
            let error =
                ScenarioError::at(&value.place, message, "expected a machine on which processes stay");
            reading.settings.report(error.because(reading.settings.place(Key::MachineKind), "the network"));
        }
    }
    (reading.settings.errors().len() == before).then_some(())
}

fn read(reading: &mut Reading<'_>) -> Option<Asked> {
    let parts = parts(reading);
    let ports = ports(reading);
    let startup = message_sizes::read_startup(reading.settings, reading.machine.timing.scale());
    let noise = match reading.settings.get(Key::ProgramComputeNoise) {
        Some(value) => read_noise(reading, value).map(Some),
        None => Some(None),
    };
    Some(Asked { parts: parts?, ports: ports?, startup: startup?, noise: noise? })
}

/// The number of parts; `None` for the best.
#[expect(clippy::option_option, reason = "an error, the best, or a number")]
fn parts(reading: &mut Reading<'_>) -> Option<Option<u64>> {
    let Some(value) = reading.settings.get(Key::ProgramPipelining) else { return Some(Some(1)) };
    match &value.content {
        Content::Text(text) if text == BEST => Some(None),
        Content::Integer(Some(parts)) if (1..=MOST_PARTS).contains(parts) => Some(Some(*parts)),
        _ => {
            let expected = format!("an integer from 1 to {MOST_PARTS}, or {BEST:?}");
            reading.settings.fail(value.unexpected(Key::ProgramPipelining.path(), expected))
        }
    }
}

fn ports(reading: &mut Reading<'_>) -> Option<ExchangePorts> {
    let Some(value) = reading.settings.get(Key::ProgramPorts) else { return Some(ExchangePorts::All) };
    match &value.content {
        Content::Integer(Some(1)) => Some(ExchangePorts::One),
        Content::Text(text) if text == ExchangePorts::All.name() => Some(ExchangePorts::All),
        _ => reading.settings.fail(value.unexpected(Key::ProgramPorts.path(), "1 or \"all\"")),
    }
}

/// The numbers of parts that `best` tries: from 1, each an eighth larger than the last, up to the largest.
fn tried_parts(largest_units: u64) -> Vec<u64> {
    let top = largest_units.clamp(1, MOST_TRIED);
    let next = |&parts: &u64| Some(parts + (parts / 8).max(1));
    let below = std::iter::successors(Some(1), next).take_while(|&parts| parts < top);
    below.chain([top]).collect()
}

/// Checks that the parts can be counted, and takes the memory of their messages.
fn check_parts(reading: &mut Reading<'_>, tried: &[u64], dimensions: u8, stages: usize) -> Option<()> {
    let Some(value) = reading.settings.get(Key::ProgramPipelining) else { return Some(()) };
    let (stages, sum) = (stages as u64, tried.iter().sum::<u64>());
    let most = if tried.len() == 1 { PipelinedExchange::MOST_PARTS as u64 } else { MOST_TRIED_IN_ALL };
    if stages.saturating_mul(sum) > most {
        let message = format!("{sum} parts of each of {stages} stages, expected at most {most} in all");
        let error = ScenarioError::at(&value.place, message, "too many parts");
        return reading
            .settings
            .fail(error.because(reading.settings.place(Key::ProgramStages), "the stages"));
    }
    let bytes = tried.iter().map(|&parts| {
        let messages = parts.min(stages).min(dimensions.into());
        (stages + parts) * (messages + 1) * 16
    });
    reading.settings.take([bytes.sum(); 2], &value.place, "the steps of these parts:")
}

/// Checks that a program has few enough computations for noise, if it has any.
fn check_draws(reading: &mut Reading<'_>, processes: u64, stages: usize) -> Option<()> {
    let draws = processes.saturating_mul(stages as u64);
    let Some(value) = reading.settings.get(Key::ProgramComputeNoise).filter(|_| draws > MOST_DRAWS) else {
        return Some(());
    };
    let message = format!("{draws} computations that vary, expected at most {MOST_DRAWS} (2^30)");
    let error = ScenarioError::at(&value.place, message, "too many");
    reading.settings.fail(error.with_help("use fewer processes or stages"))
}

/// Sentences on assumptions of the program with these parts.
fn notes(tried: &[u64], asked: Asked, sizes: &MessageSizes, stages: usize) -> Vec<String> {
    let mut notes = vec![];
    if tried.iter().any(|&parts| parts > 1) {
        notes.push(
            "pipelining assumes that the program treats the parts of a message independently".to_owned(),
        );
    }
    if let Some(parts) = asked.parts {
        let is_uneven = |stage: &usize| !sizes.of_stage(*stage).is_multiple_of(parts);
        if (0..stages).any(|stage| is_uneven(&stage)) {
            notes.push(format!(
                "{parts} parts do not divide every message: parts differ by a unit, or are empty"
            ));
        }
    } else {
        let (count, top) = (tried.len(), tried.last().copied().unwrap_or(1));
        notes.push(format!(
            "the best of {count} numbers of parts from 1 to {top}, the smallest of equally good ones"
        ));
    }
    notes
}

/// The keys of each kind of noise.
const KINDS: [(&str, &[&str]); 3] =
    [("uniform", &["max"]), ("outliers", &["one_in", "cycles"]), ("exponential", &["mean"])];

pub(crate) const NOISE_KEYS: [&str; 7] = ["kind", "max", "one_in", "cycles", "mean", "seed", "each"];

pub(crate) fn noise_kinds() -> Vec<&'static str> {
    KINDS.iter().map(|(name, _)| *name).collect()
}

fn read_noise(reading: &mut Reading<'_>, value: &Value) -> Option<ComputeNoise> {
    let settings = reading.settings;
    let before = settings.errors().len();
    let table = Table::read(value, Key::ProgramComputeNoise.path(), &NOISE_KEYS, settings.errors())?;
    let kind = table.required("kind", "uniform, outliers or exponential", settings.errors());
    let kind = kind.and_then(|value| {
        value.choice_by_name(&table.name("kind"), &KINDS, |kind| kind.0, settings.errors())
    });
    let seed = match table.get("seed") {
        Some(value) => value.natural(table.name("seed"), 0..=MAX_INTEGER, settings.errors()),
        None => settings.seed(),
    };
    let units = [NoiseUnit::Stage, NoiseUnit::Process];
    let each = match table.get("each") {
        Some(value) => {
            value.choice_by_name(&table.name("each"), &units, |unit| unit.name(), settings.errors())
        }
        None => Some(NoiseUnit::Stage),
    };
    let (kind, keys) = kind?;
    for (_, others) in KINDS.iter().filter(|(name, _)| *name != kind) {
        for (key, value) in others.iter().filter_map(|key| Some((key, table.get(key)?))) {
            let message = format!("{} of {kind} noise, expected {}", table.name(key), keys.join(" and "));
            settings.report(ScenarioError::at(&value.place, message, "of another kind"));
        }
    }
    let number = |key: &str, least: u64| {
        let value = table.required(key, "an integer", settings.errors())?;
        value.natural(table.name(key), least..=MAX_INTEGER, settings.errors())
    };
    let distribution = match kind {
        "uniform" => number("max", 0).map(|max| NoiseDistribution::Uniform { max }),
        "outliers" => number("one_in", 1)
            .zip(number("cycles", 0))
            .map(|(one_in, cycles)| NoiseDistribution::Outliers { one_in, cycles }),
        _ => number("mean", 0).map(|mean| NoiseDistribution::Exponential { mean }),
    };
    let noise = ComputeNoise { distribution: distribution?, seed: seed?, each: each? };
    (settings.errors().len() == before).then_some(noise)
}
