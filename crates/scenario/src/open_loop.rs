//! Open-loop traffic: `program.kind = "open-loop"`, packets that every terminal makes at random at a given load, without
//! waiting for anything (`docs/model.md` sections 27 and 30).

mod pattern;

use cubefold_simulator::{
    Bursts, Communication, Computations, Cycles, OpenLoop, OpenLoopError, Replies, RouterError,
    SaturationSearch, StageProgram, WarmUp,
};
use cubefold_topology::Machine;

use super::{
    errors::{Errors, ScenarioError, alternatives},
    keys::Key,
    program::{ProgramKind, Reading},
    routers,
    rules::{self, Case},
    settings::Settings,
    stages_file::MAX_PROCESSES,
    value::{Content, Table, Value},
};
use crate::ScenarioProgram;

pub(super) static OPEN_LOOP: ProgramKind = ProgramKind {
    name: "open-loop",
    summary: "Every terminal makes packets at random, at a load, through routers with finite buffers.",
    keys: &[
        Key::ProgramPattern,
        Key::ProgramDestinations,
        Key::ProgramHotspots,
        Key::ProgramHotspotShare,
        Key::ProgramGroupSize,
        Key::ProgramLoad,
        Key::ProgramSizes,
        Key::ProgramBurstCycles,
        Key::ProgramBurstLoad,
        Key::ProgramReply,
        Key::ProgramWarmupCycles,
        Key::ProgramPilotCycles,
        Key::ProgramWarmupInterval,
        Key::ProgramMeasureCycles,
        Key::ProgramDrainCycles,
        Key::ProgramBatches,
        Key::ProgramSeeds,
        Key::ProgramLatencyLimit,
        Key::ProgramSaturation,
    ],
    read,
};

/// Open-loop traffic as a scenario asks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenLoopProgram {
    /// Patterns, sizes and windows.
    pub traffic: OpenLoop,
    /// The load, or the interval in which saturation is searched.
    pub load: LoadChoice,
}

/// The load of open-loop traffic \[units a terminal a cycle\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LoadChoice {
    /// This load, above 0, at most 1.
    At(f64),
    /// The highest load that does not saturate is searched.
    Search(SaturationSearch),
}

impl LoadChoice {
    /// The highest load that may be run.
    #[must_use]
    pub fn highest(self) -> f64 {
        match self {
            Self::At(load) => load,
            Self::Search(search) => search.high,
        }
    }

    /// A load that is run.
    #[must_use]
    pub fn example(self) -> f64 {
        match self {
            Self::At(load) => load,
            Self::Search(search) => f64::midpoint(search.low, search.high),
        }
    }
}

#[expect(clippy::too_many_lines, reason = "a line or two for each key")]
fn read(reading: &mut Reading<'_>) -> Option<ScenarioProgram> {
    let (settings, section) = (reading.settings, reading.machine);
    let before = settings.errors().len();
    refuse_closed_loop(settings);
    let (machine, allocation) = (section.machine.as_deref(), section.allocation.as_ref());
    if let (Some(_), Some(place)) = (allocation, settings.place(Key::MachineAllocation)) {
        let message = "machine.allocation in open loop, expected all nodes";
        settings.report(ScenarioError::at(place, message, "every terminal makes packets"));
    }
    let pattern = pattern::read(settings, machine);
    let load = load(settings);
    let sizes = match settings.get(Key::ProgramSizes) {
        None => Some(vec![(1, 1)]),
        Some(value) => packet_sizes(value, Key::ProgramSizes.path(), settings.errors()),
    };
    let bursts = bursts(settings);
    let reply = match settings.get(Key::ProgramReply) {
        None => Some(None),
        Some(value) => reply(value, settings.errors()).map(Some),
    };
    let warmup = warm_up(settings);
    let [measure_cycles, drain_cycles] =
        [Key::ProgramMeasureCycles, Key::ProgramDrainCycles].map(|key| settings.natural(key));
    let batches = one_of_numbers(settings, Key::ProgramBatches, 10, &BATCHES);
    let seeds = one_of_numbers(settings, Key::ProgramSeeds, 1, &SEEDS);
    let latency_limit = match settings.get(Key::ProgramLatencyLimit) {
        None => Some(500.0),
        Some(value) => {
            let name = Key::ProgramLatencyLimit.path();
            value.number(name, "a number above 0", |limit| limit > 0.0, settings.errors())
        }
    };
    let terminals = machine?.host_count();
    if terminals > MAX_PROCESSES {
        let size = section.size.as_ref()?;
        let message =
            format!("open-loop traffic of {terminals} terminals, expected at most {MAX_PROCESSES} (2^20)");
        settings.report(ScenarioError::at(&size.place, message, "too many"));
    }
    let traffic = OpenLoop {
        pattern: pattern?,
        sizes: sizes?,
        bursts: bursts?,
        reply: reply?,
        warmup: warmup?,
        measure: measure_cycles?,
        drain: drain_cycles?,
        batches: batches?,
        seeds: seeds?,
        latency_limit: latency_limit?,
    };
    let program = OpenLoopProgram { traffic, load: load? };
    if settings.errors().len() > before {
        return None;
    }
    // The placed program: a process on each terminal, which sends no messages.
    let silent = Computations::Same(Cycles::ZERO);
    let body = StageProgram::with_stages(1, u32::try_from(terminals).ok()?, silent, &[]).ok()?;
    let placed = ScenarioProgram::new(&OPEN_LOOP, body);
    Some(ScenarioProgram { open_loop: Some(program.into()), ..placed })
}

/// Reports keys of programs whose messages wait for one another, and a switching without routers.
fn refuse_closed_loop(settings: &Settings<'_>) {
    let kind = settings.place(Key::ProgramKind);
    rules::report(settings, Case::OpenLoop);
    if !routers::are_asked_for(settings) {
        let place = settings.place(Key::MachineSwitching).or(kind);
        let message = "open-loop traffic without routers, expected switching wormhole or virtual-cut-through";
        settings.report_all(place.map(|place| {
            ScenarioError::at(place, message, "queues without limit")
                .because(kind, "open loop")
                .with_help("add switching = \"wormhole\" to [machine]")
        }));
    }
}

/// Reads the load, or the search instead: the one in the higher layer.
fn load(settings: &Settings<'_>) -> Option<LoadChoice> {
    if !settings.obeys(Key::ProgramLoad) {
        return None;
    }
    let is_search = !settings.is_written_with(Key::ProgramLoad, Key::ProgramSaturation);
    if let Some(value) = settings.get(Key::ProgramSaturation).filter(|_| is_search) {
        return search(value, settings.errors()).map(LoadChoice::Search);
    }
    let value = settings.required(Key::ProgramLoad, "a load above 0, at most 1, or saturation = {}")?;
    let is_load = |load: f64| load > 0.0 && load <= 1.0;
    let expected = "a number above 0, at most 1";
    value.number(Key::ProgramLoad.path(), expected, is_load, settings.errors()).map(LoadChoice::At)
}

fn search(value: &Value, errors: &Errors) -> Option<SaturationSearch> {
    let name = Key::ProgramSaturation.path();
    let table = Table::read(value, name, &["low", "high", "resolution"], errors)?;
    let before = errors.len();
    let member = |key: &str, default: f64, expected: &str, is_right: fn(f64) -> bool| match table.get(key) {
        Some(value) => value.number(table.name(key), expected, is_right, errors),
        None => Some(default),
    };
    let low = member("low", 0.0, "a number from 0 to below 1", |low| (0.0..1.0).contains(&low));
    let high = member("high", 1.0, "a number above 0, at most 1", |high| high > 0.0 && high <= 1.0);
    let resolution = member("resolution", 0.005, "a number above 0", |length| length > 0.0);
    let (low, high, resolution) = (low?, high?, resolution?);
    if low >= high {
        let message = format!("{name} from {low} to {high}, expected low below high");
        errors.report(ScenarioError::at(&value.place, message, "no interval"));
    } else if (high - low) / resolution > MAX_STEPS {
        let message = format!(
            "resolution {resolution} of an interval from {low} to {high}, expected at least {:e}",
            (high - low) / MAX_STEPS
        );
        errors.report(ScenarioError::at(&value.place, message, "too fine"));
    }
    (errors.len() == before).then_some(SaturationSearch { low, high, resolution })
}

/// The most intervals of a search: 40 runs halve it to one.
const MAX_STEPS: f64 = 1_099_511_627_776.0;

fn packet_sizes(value: &Value, name: &str, errors: &Errors) -> Option<Vec<(u64, u64)>> {
    let entries = value.list(name, "pairs of units and weight", errors)?;
    let before = errors.len();
    let mut found = vec![];
    for entry in entries {
        let pair = match &entry.content {
            Content::List(pair) => &pair[..],
            _ => &[],
        };
        let [units, weight] = pair else {
            let what = format!("entry of {name}");
            errors.report(entry.unexpected(what, "a pair of units and weight: [4, 1]"));
            continue;
        };
        let units = units.natural("units of a packet", 1..=MAX_UNITS, errors);
        let weight = weight.natural("weight of a size", 1..=MAX_WEIGHT, errors);
        found.extend(units.zip(weight));
    }
    if found.len() > MAX_SIZES {
        let message = format!("{} sizes of packets, expected at most {MAX_SIZES}", found.len());
        errors.report(ScenarioError::at(&value.place, message, "too many"));
    }
    (errors.len() == before).then_some(found)
}

fn reply(value: &Value, errors: &Errors) -> Option<Replies> {
    let table = Table::read(value, Key::ProgramReply.path(), &["sizes", "delay_cycles"], errors)?;
    let delay = match table.get("delay_cycles") {
        None => Some(0),
        Some(value) => value.natural(table.name("delay_cycles"), 0..=MAX_CYCLES, errors),
    };
    let Some(sizes) = table.get("sizes") else {
        let message = format!("{} is missing, expected pairs of units and weight", table.name("sizes"));
        return errors.fail(ScenarioError::at(&value.place, message, "without sizes"));
    };
    let sizes = packet_sizes(sizes, &table.name("sizes"), errors);
    Some(Replies { sizes: sizes?, delay: delay? })
}

/// Reads the bursts: both keys or neither.
#[expect(clippy::option_option, reason = "an error, none, or bursts")]
fn bursts(settings: &Settings<'_>) -> Option<Option<Bursts>> {
    let keys = [Key::ProgramBurstCycles, Key::ProgramBurstLoad];
    if keys.iter().all(|&key| settings.get(key).is_none()) {
        return Some(None);
    }
    let cycles = settings.required(keys[0], "the mean length of a burst")?;
    let load = settings.required(keys[1], "the load during a burst")?;
    let cycles =
        cycles.number(keys[0].path(), "a number of at least 1", |cycles| cycles >= 1.0, settings.errors());
    let load = load.number(keys[1].path(), "a number above 0", |load| load > 0.0, settings.errors());
    Some(Some(Bursts { cycles: cycles?, load: load? }))
}

/// Reads the warm-up: a number, or `auto` with the settings of the pilot run.
fn warm_up(settings: &Settings<'_>) -> Option<WarmUp> {
    let key = Key::ProgramWarmupCycles;
    let written = settings.get(key);
    if let Some(Content::Text(text)) = written.map(|value| &value.content)
        && text == AUTO
    {
        let [pilot, interval] =
            [Key::ProgramPilotCycles, Key::ProgramWarmupInterval].map(|key| settings.natural(key));
        let (pilot, interval) = (pilot?, interval?);
        if !pilot.is_multiple_of(interval) || pilot / interval < 10 {
            let message = format!(
                "a pilot run of {pilot} cycles in intervals of {interval}, expected a whole number of intervals, at \
                 least 10"
            );
            let places = [Key::ProgramPilotCycles, Key::ProgramWarmupInterval, key];
            let place = places.into_iter().find_map(|key| settings.place(key))?;
            return settings.fail(ScenarioError::at(place, message, "does not divide"));
        }
        return Some(WarmUp::Auto { pilot, interval });
    }
    for pilot_key in [Key::ProgramPilotCycles, Key::ProgramWarmupInterval] {
        if let Some(value) = settings.get(pilot_key) {
            let message =
                format!("{} without a pilot run, expected warmup_cycles = \"auto\"", pilot_key.path());
            let error = ScenarioError::at(&value.place, message, "of the pilot run");
            settings.report(error.because(settings.place(key), "the warm-up"));
        }
    }
    let Some(value) = written else { return Some(WarmUp::Cycles(10_000)) };
    match value.content {
        Content::Integer(Some(cycles)) if cycles <= MAX_CYCLES => Some(WarmUp::Cycles(cycles)),
        _ => {
            let expected = format!("an integer from 0 to {MAX_CYCLES}, or \"auto\"");
            settings.fail(value.unexpected(key.path(), expected))
        }
    }
}

fn one_of_numbers(settings: &Settings<'_>, key: Key, default: u64, allowed: &[u64]) -> Option<u64> {
    let Some(value) = settings.get(key) else { return Some(default) };
    match value.content {
        Content::Integer(Some(number)) if allowed.contains(&number) => Some(number),
        _ => settings.fail(value.unexpected(key.path(), alternatives(allowed))),
    }
}

/// The name of a warm-up found by a pilot run.
const AUTO: &str = "auto";
/// The most cycles of a window.
const MAX_CYCLES: u64 = 1 << 40;
/// The numbers of batches that may be asked for.
pub(crate) const BATCHES: [u64; 4] = [5, 10, 20, 30];
/// The numbers of runs, each with its own seed, that may be asked for.
const SEEDS: [u64; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30];

/// The largest packet \[units\].
const MAX_UNITS: u64 = 1 << 20;
const MAX_WEIGHT: u64 = 1 << 32;
const MAX_SIZES: usize = 1024;

/// Reports traffic that the routers do not carry, such as packets that no buffer holds.
pub(super) fn check(
    settings: &Settings<'_>,
    program: &OpenLoopProgram,
    machine: &Machine,
    communication: Communication,
) -> Result<(), ScenarioError> {
    let example = match (program.load, program.traffic.bursts) {
        // It ends at the greatest load that can be offered.
        (LoadChoice::Search(search), Some(bursts)) => {
            f64::midpoint(search.low, search.high.min(bursts.greatest_load()))
        }
        (load, _) => load.example(),
    };
    let Err(error) = program.traffic.check(machine, communication, example) else {
        return Ok(());
    };
    let keys = match &error {
        OpenLoopError::Routers(RouterError::BufferTooSmall { .. }) => {
            [Key::MachineRouterBufferUnits, Key::ProgramSizes]
        }
        OpenLoopError::OutOfRange { what, .. } if what.contains("measured cycles") => {
            [Key::ProgramMeasureCycles, Key::ProgramBatches]
        }
        OpenLoopError::OutOfRange { what, .. } if what.contains("bursts") => {
            [Key::ProgramBurstLoad, Key::ProgramBurstCycles]
        }
        OpenLoopError::Load { .. } => [Key::ProgramLoad, Key::ProgramSaturation],
        _ => [Key::ProgramPattern, Key::ProgramKind],
    };
    let place = keys.into_iter().chain([Key::ProgramKind]).find_map(|key| settings.place(key));
    match place {
        Some(place) => {
            let error = ScenarioError::at(place, error.to_string(), "does not fit");
            Err(error.because(settings.place(Key::ProgramSizes), "the packets"))
        }
        None => Err(settings.missing(Key::ProgramKind, "open-loop traffic that fits the machine")),
    }
}
