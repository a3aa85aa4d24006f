//! Execution rules of a run, and their columns.

use cubefold_derive::Columns;
use cubefold_scenario::{Execution, ExecutionMode, Phases, RoutingRule, Spread};
use cubefold_simulator::{Communication, EAGER_ALL};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Word,
    router_record::{adaptive_choice, route_choice, ugal_threshold},
};

/// The execution rules of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Columns)]
#[columns(EXECUTION, prefix = "execution_")]
pub struct ExecutionRecord {
    /// Asynchronous: every process continues as soon as its message has arrived. Coordinated: all compute, then all
    /// messages of the stage move together in steps, and the next stage begins when all have arrived.
    #[column(
        "mode", aliases = ["execution", "asynchronous", "coordinated"],
        source = "docs/model.md, sections 5 and 6"
    )]
    pub mode: Word,
    /// The direction of a message around a ring when both directions are equally long.
    #[column("tie", source = "docs/model.md, section 4")]
    pub tie: Word,
    /// Which of the coordinates in which it differs a message corrects next, in a coordinated run: the lowest, or
    /// one at random.
    #[column("dimension choice", source = "Tao 1988, 4.5.1; docs/model.md, section 6")]
    pub dimension_choice: Option<Word>,
    /// The largest number of links that a message moves in one phase of a coordinated run: as the embedding says,
    /// without limit, or a number.
    #[column(
        "phases", unit = "links", kind = Text,
        source = "Tao 1988, lemma 4.2.2; docs/model.md, section 6; docs/errata.md, A1",
        value = |execution| execution.phases.as_ref().map(PhaseLengths::as_str).into()
    )]
    pub phases: Option<PhaseLengths>,
    /// Messages of at most this size are sent as soon as their source is ready, even if their destination is not.
    /// The column is there only if a run has such messages.
    #[column(
        "eager", aliases = ["eager_units", "rendezvous"], unit = "units", formula = "L <= eager_units",
        source = "docs/model.md, section 14"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eager_units: Option<String>,
    /// The route of a message, a word of execution.routing. The column is there only if a scenario gives it or a
    /// machine has routers.
    #[column(
        "routing", aliases = ["psi"],
        source = "Valiant 1982; Nassimi & Sahni 1981; docs/model.md, sections 12, 19, 20, 22.5, 26.3 and 28.1"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routing: Option<Word>,
    /// The messages for which one route is drawn under the routing spread: message, each by itself. The column is
    /// there only if a run draws so; else all messages between two nodes share a route.
    #[column("route drawn for", source = "docs/model.md, section 19")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Word>,
    /// The ports for which a packet asks under adaptive routing: credits, the one with the most credits, or any.
    /// The column is there only if a run routes so.
    #[column("adaptive choice", source = "Duato 1993; docs/model.md, section 26")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adaptive_choice: Option<Word>,
    /// The advantage, in credits times links, from which UGAL prefers the way through another group. The column is
    /// there only if a run routes so.
    #[column("UGAL threshold", source = "Kim et al. 2008; docs/model.md, section 26")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ugal_threshold: Option<u64>,
    /// The candidates of a table of routes for which a packet asks: the one with the most credits, any, or a random
    /// one. The column is there only if a run takes its routes from a table.
    #[column("route choice", source = "docs/model.md, section 30.2")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route_choice: Option<Word>,
}

/// The length of a phase: a word, or a number of links, which is a number in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Value", into = "Value")]
pub struct PhaseLengths(String);

impl PhaseLengths {
    /// The word, or the number, as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Value> for PhaseLengths {
    fn from(value: Value) -> Self {
        match value {
            Value::String(word) => Self(word),
            number => Self(number.to_string()),
        }
    }
}

impl From<PhaseLengths> for Value {
    fn from(PhaseLengths(text): PhaseLengths) -> Self {
        text.parse::<u64>().map_or_else(|_| Self::from(text), Self::from)
    }
}

impl ExecutionRecord {
    /// Makes the record of an execution under these rules.
    #[must_use]
    pub fn new(execution: &Execution, rules: Communication) -> Self {
        let eager_units = match rules.eager() {
            0 => None,
            EAGER_ALL => Some("all".to_owned()),
            units => Some(units.to_string()),
        };
        let (dimension_choice, phases) = match execution.mode {
            ExecutionMode::Asynchronous => (None, None),
            ExecutionMode::Coordinated { dimension_choice, phases } => {
                let phases = match phases {
                    Phases::Embedding => "embedding".to_owned(),
                    Phases::Unlimited => "unlimited".to_owned(),
                    Phases::Length(length) => length.to_string(),
                };
                (Some(dimension_choice.name().into()), Some(PhaseLengths(phases)))
            }
        };
        let routers = rules.routers();
        let tie = routers.map_or(rules.tie().name(), |routers| routers.tie.name());
        // The routing of routers is that of the machine unless the scenario gives one.
        let of_routers = routers.map(|routers| routers.routing.name());
        let routing = of_routers.or(execution.routing.map(RoutingRule::name));
        Self {
            mode: execution.mode.name().into(),
            tie: tie.into(),
            dimension_choice,
            phases,
            eager_units,
            routing: routing.map(Word::from),
            spread: (execution.routing == Some(RoutingRule::Spread) && execution.spread != Spread::Pair)
                .then(|| execution.spread.name().into()),
            adaptive_choice: routers.as_ref().and_then(adaptive_choice).map(Word::from),
            ugal_threshold: routers.as_ref().and_then(ugal_threshold),
            route_choice: routers.as_ref().and_then(route_choice).map(Word::from),
        }
    }
}
