//! The `[execution]` table.

mod routing;
mod support;

use std::num::NonZeroU64;

use cubefold_derive::Words;
use cubefold_simulator::{EAGER_ALL, EngineChoice};
use cubefold_topology::Machine;

pub use self::routing::CountedPaths;
use self::routing::check_routing;
pub use self::routing::{RoutingRule, Spread};
pub(super) use self::{
    routing::{check_paths, message_routes, read_routing, routes_by_destination},
    support::{MessageLimit, check_engine, check_execution, check_fit},
};
use super::{
    chakra_file::is_of_traces,
    errors::{Errors, ScenarioError},
    keys::{Key, MAX_INTEGER},
    settings::Settings,
    value::{Content, Value},
};

/// The execution rules of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Execution {
    /// Whether processes advance independently or together.
    pub mode: ExecutionMode,
    /// The engine; results do not depend on it.
    pub engine: EngineChoice,
    /// The routing rule, if the scenario gives one.
    pub routing: Option<RoutingRule>,
    /// The messages that share a drawn route under the routing `spread`.
    pub spread: Spread,
}

/// Whether processes advance independently or together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExecutionMode {
    /// Every process advances independently (`docs/model.md` section 5).
    #[default]
    Asynchronous,
    /// All processes compute, then all messages move (`docs/model.md` section 6).
    Coordinated {
        /// The choice of the coordinate that a message corrects next.
        dimension_choice: DimensionChoice,
        /// The length of a phase, after which messages choose again.
        phases: Phases,
    },
}

/// The choice among coordinates that a message still has to correct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum DimensionChoice {
    /// The lowest dimension in which coordinates differ.
    #[default]
    Lowest,
    /// A random one of the dimensions in which coordinates differ.
    Random,
}

/// The length of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phases {
    /// As the embedding defines it.
    #[default]
    Embedding,
    /// Until its coordinate agrees.
    Unlimited,
    /// At most this many links.
    Length(NonZeroU64),
}

/// The engines that a scenario can choose.
pub(super) const ENGINES: [EngineChoice; 3] = [EngineChoice::Auto, EngineChoice::Hop, EngineChoice::BELT];

impl ExecutionMode {
    pub(super) const NAMES: [&str; 2] = ["asynchronous", "coordinated"];

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Asynchronous => Self::NAMES[0],
            Self::Coordinated { .. } => Self::NAMES[1],
        }
    }
}

/// Reads the execution rules.
///
/// Keys of coordinated execution are checked in every mode, so that a sweep may set only the mode.
pub(super) fn read(settings: &Settings<'_>, machine: Option<&Machine>) -> Option<Execution> {
    let engine = settings.one_of(Key::ExecutionEngine, &ENGINES, EngineChoice::name);
    let dimension_choice =
        settings.one_of(Key::ExecutionDimensionChoice, &DimensionChoice::ALL, DimensionChoice::name);
    let phases = match settings.get(Key::ExecutionPhases) {
        Some(value) => phases(value, settings.errors()),
        None => Some(Phases::default()),
    };
    let mode = mode(settings, dimension_choice, phases);
    // Its errors are reported with the machine.
    let routing = read_routing(&settings.silent());
    let spread = settings.one_of(Key::ExecutionSpread, &Spread::ALL, Spread::name);
    let execution = Execution { mode: mode?, engine: engine?, routing, spread: spread? };
    let is_unused = routing != Some(RoutingRule::Spread)
        && settings.is_written_with(Key::ExecutionSpread, Key::ExecutionRouting);
    if let Some(value) = settings.get(Key::ExecutionSpread).filter(|_| is_unused) {
        let message = "execution.spread without the routing spread, expected routing = \"spread\"";
        let error = ScenarioError::at(&value.place, message, "no route is drawn");
        settings.report(error.because(settings.place(Key::ExecutionRouting), "the routing"));
    }
    check_routing(settings, machine, execution);
    Some(execution)
}

/// The largest size of eager messages \[units\]; by default 0, except for programs made of traces.
pub(super) fn read_eager(settings: &Settings<'_>) -> Option<u64> {
    let Some(value) = settings.get(Key::ExecutionEagerUnits) else {
        return Some(if is_of_traces(settings) { EAGER_ALL } else { 0 });
    };
    match &value.content {
        Content::Integer(Some(units)) if *units <= MAX_INTEGER => Some(*units),
        Content::Text(text) if text == "all" => Some(EAGER_ALL),
        _ => {
            let name = Key::ExecutionEagerUnits.path();
            settings.fail(value.unexpected(name, "an integer from 0 to 2^63 - 1, or all"))
        }
    }
}

fn mode(
    settings: &Settings<'_>,
    dimension_choice: Option<DimensionChoice>,
    phases: Option<Phases>,
) -> Option<ExecutionMode> {
    let coordinated = ExecutionMode::Coordinated {
        dimension_choice: dimension_choice.unwrap_or_default(),
        phases: phases.unwrap_or_default(),
    };
    let modes = [ExecutionMode::Asynchronous, coordinated];
    let mode = settings.one_of(Key::ExecutionMode, &modes, ExecutionMode::name);
    dimension_choice.and(phases).and(mode)
}

fn phases(value: &Value, errors: &Errors) -> Option<Phases> {
    const KNOWN: [&str; 2] = ["embedding", "unlimited"];
    let name = Key::ExecutionPhases.path();
    let expected = "embedding, unlimited or a phase length of at least 1";
    match &value.content {
        Content::Integer(Some(length)) if *length > 0 => NonZeroU64::new(*length).map(Phases::Length),
        Content::Text(text) if text == KNOWN[0] => Some(Phases::Embedding),
        Content::Text(text) if text == KNOWN[1] => Some(Phases::Unlimited),
        _ => errors.fail(value.unknown_word(name, expected, &KNOWN)),
    }
}
