//! How a program is executed, and the `[execution]` table that says so.

use std::{fmt, num::NonZeroU64};

use cubefold_simulator::EngineChoice;
use cubefold_topology::TieRule;

use super::{
    known_names::help,
    scenario_error::ScenarioError,
    setting::Setting,
    settings::Settings,
    value::{Content, Value},
};

/// How a program is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Execution {
    /// Each process by itself, or all together.
    pub mode: ExecutionMode,
    /// What computes it; the results are the same.
    pub engine: EngineChoice,
}

/// Each process by itself, or all together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExecutionMode {
    /// Every process advances on its own (`docs/model.md` section 5).
    #[default]
    Asynchronous,
    /// All processes compute, then all messages move (`docs/model.md` section 6).
    Coordinated {
        /// Which coordinate a message corrects next.
        dimension_choice: DimensionChoice,
        /// When messages choose again.
        phases: Phases,
    },
}

/// Which of the coordinates in which it differs a message corrects next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DimensionChoice {
    /// The lowest-numbered.
    #[default]
    Lowest,
    /// Any (Tao 1988, 4.5.1).
    Random,
}

/// How far a message moves in one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phases {
    /// As the embedding says.
    #[default]
    Embedding,
    /// Until its coordinate agrees.
    Unlimited,
    /// At most this many links.
    Length(NonZeroU64),
}

impl ExecutionMode {
    /// The word for it in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Asynchronous => "asynchronous",
            Self::Coordinated { .. } => "coordinated",
        }
    }
}

impl DimensionChoice {
    /// The word for it in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lowest => "lowest",
            Self::Random => "random",
        }
    }
}

impl fmt::Display for ExecutionMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl fmt::Display for DimensionChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The execution that the settings ask for.
///
/// What only coordinated executions use is checked in every mode, so that a sweep may set the mode alone.
pub(super) fn read(settings: &Settings<'_>, errors: &mut Vec<ScenarioError>) -> Option<Execution> {
    let engine = chosen(
        settings,
        Setting::ExecutionEngine,
        &[EngineChoice::Auto, EngineChoice::Hop, EngineChoice::BELT].map(|engine| (engine.name(), engine)),
        errors,
    );
    let dimension_choice = chosen(
        settings,
        Setting::ExecutionDimensionChoice,
        &[("lowest", DimensionChoice::Lowest), ("random", DimensionChoice::Random)],
        errors,
    );
    let phases = match settings.get(Setting::ExecutionPhases) {
        Some(value) => phases(value, errors),
        None => Some(Phases::default()),
    };
    let mode = mode(settings, dimension_choice, phases, errors);
    Some(Execution { mode: mode?, engine: engine? })
}

/// Which way round messages go when both are equally long.
pub(super) fn read_tie(settings: &Settings<'_>, errors: &mut Vec<ScenarioError>) -> Option<TieRule> {
    chosen(settings, Setting::ExecutionTie, &TieRule::ALL.map(|tie| (tie.name(), tie)), errors)
}

fn mode(
    settings: &Settings<'_>,
    dimension_choice: Option<DimensionChoice>,
    phases: Option<Phases>,
    errors: &mut Vec<ScenarioError>,
) -> Option<ExecutionMode> {
    let coordinated = ExecutionMode::Coordinated {
        dimension_choice: dimension_choice.unwrap_or_default(),
        phases: phases.unwrap_or_default(),
    };
    let names = [("asynchronous", ExecutionMode::Asynchronous), ("coordinated", coordinated)];
    let mode = chosen(settings, Setting::ExecutionMode, &names, errors);
    dimension_choice.and(phases).and(mode)
}

/// The value of a key with names, or its default.
fn chosen<T: Copy + Default>(
    settings: &Settings<'_>,
    setting: Setting,
    choices: &[(&str, T)],
    errors: &mut Vec<ScenarioError>,
) -> Option<T> {
    match settings.get(setting) {
        Some(value) => value.choice(setting.path(), choices, errors),
        None => Some(T::default()),
    }
}

fn phases(value: &Value, errors: &mut Vec<ScenarioError>) -> Option<Phases> {
    const KNOWN: [&str; 2] = ["embedding", "unlimited"];
    let name = Setting::ExecutionPhases.path();
    let expected = "embedding, unlimited or a phase length of at least 1";
    match &value.content {
        Content::Integer(Some(length)) if *length > 0 => NonZeroU64::new(*length).map(Phases::Length),
        Content::Text(text) if text == KNOWN[0] => Some(Phases::Embedding),
        Content::Text(text) if text == KNOWN[1] => Some(Phases::Unlimited),
        Content::Text(text) => {
            errors.push(value.unexpected(name, expected).with_help(help(text, &KNOWN)));
            None
        }
        _ => {
            errors.push(value.unexpected(name, expected));
            None
        }
    }
}
