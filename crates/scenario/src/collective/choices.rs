//! Choices that only some algorithms have: the exchange, the ports, the chunks, and the order of cube dimensions.
//!
//! If several algorithms are compared, a choice applies to those that have it. Otherwise a choice that the algorithm
//! lacks is an error.

use std::num::NonZeroU32;

use cubefold_collectives::{
    Algorithm, CollectiveSpecification, Exchange, Fold, Operation, Ports, ShapeRequirement,
};
use cubefold_mapping::Hypercube;
use cubefold_topology::Shape;

use super::shape_place;
use crate::{
    cube_stages::read_stages,
    errors::ScenarioError,
    keys::Key,
    program::Reading,
    settings::Layer,
    value::{Content, Value},
};

/// The word for trying both exchanges; the faster one counts.
pub(crate) const BEST: &str = "best";

/// Whether a key applies only to algorithms that have the choice: if several are compared, or if a step takes the key
/// from the program.
pub(super) fn is_lenient(reading: &Reading<'_>, key: Key) -> bool {
    let layer = |key: Key| reading.settings.layered(key).map(|(layer, _)| layer);
    layer(Key::ProgramAlgorithm) == Some(Layer::Sweep)
        || reading.settings.is_of_step() && layer(key) != Some(Layer::Step)
}

/// The requested exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExchangeChoice {
    /// None, or an ignored one.
    Default,
    /// This one.
    One(Exchange),
    /// The faster one.
    Best,
}

impl ExchangeChoice {
    pub(super) fn first(self) -> Option<Exchange> {
        match self {
            Self::Default => None,
            Self::One(exchange) => Some(exchange),
            Self::Best => Some(Exchange::Halving),
        }
    }

    pub(super) fn other(self) -> Option<Exchange> {
        (self == Self::Best).then_some(Exchange::Whole)
    }
}

/// Reads the exchange, if the algorithm has a choice. Reduce-scatter and all-gather by patterns always halve: they
/// accept every value but [`Exchange::Whole`].
pub(super) fn exchange(
    reading: &mut Reading<'_>,
    algorithm: Option<Algorithm>,
    operation: Operation,
) -> Option<ExchangeChoice> {
    let Some(value) = reading.settings.get(Key::ProgramExchange) else {
        return Some(ExchangeChoice::Default);
    };
    let ones = Exchange::ALL.map(|exchange| (exchange.name(), ExchangeChoice::One(exchange)));
    let choices: Vec<_> = ones.into_iter().chain([(BEST, ExchangeChoice::Best)]).collect();
    let choice = value.choice(Key::ProgramExchange.path(), &choices, reading.settings.errors())?;
    let algorithm = algorithm?;
    let descriptor = algorithm.descriptor();
    if descriptor.has_exchange(operation) {
        return Some(choice);
    }
    let always_halves = descriptor.always_halves(operation);
    if is_lenient(reading, Key::ProgramExchange)
        || always_halves && choice != ExchangeChoice::One(Exchange::Whole)
    {
        return Some(ExchangeChoice::Default);
    }
    let written = value.place.text();
    let (expected, help) = if always_halves {
        ("which always halves", "leave it out: only all-reduce can exchange whole shares")
    } else {
        ("which has no choice of exchange", "leave it out")
    };
    let message = format!("program.exchange is {written} for {operation} by {algorithm}, {expected}");
    reading.settings.fail(
        ScenarioError::at(&value.place, message, "not by this algorithm")
            .because(reading.settings.place(Key::ProgramAlgorithm), "the algorithm")
            .with_help(help),
    )
}

/// Reads the exchange of a collective that performs a sequence of operations by these algorithms; it applies to the
/// algorithms that have the choice.
#[expect(clippy::option_option, reason = "an error, none that applies, or an exchange")]
pub(super) fn exchange_of_levels(
    reading: &mut Reading<'_>,
    steps: &[(Algorithm, Operation)],
) -> Option<Option<Exchange>> {
    let Some(value) = reading.settings.get(Key::ProgramExchange) else { return Some(None) };
    let choices = Exchange::ALL.map(|exchange| (exchange.name(), Some(exchange)));
    let has_choice =
        steps.iter().any(|(algorithm, operation)| algorithm.descriptor().has_exchange(*operation));
    let is_best = matches!(&value.content, Content::Text(text) if text == BEST);
    if is_lenient(reading, Key::ProgramExchange) && (is_best || !has_choice) {
        return Some(None);
    }
    let exchange = value.choice(Key::ProgramExchange.path(), &choices, reading.settings.errors())?;
    if has_choice {
        return Some(exchange);
    }
    let message = format!(
        "program.exchange is {} of a hierarchical algorithm whose steps have no choice of exchange",
        value.place.text()
    );
    reading.settings.fail(
        ScenarioError::at(&value.place, message, "not by these algorithms")
            .because(reading.settings.place(Key::ProgramAlgorithm), "the algorithm")
            .with_help("leave it out: only all-reduce by patterns can exchange whole shares"),
    )
}

/// The ports; one if the algorithm has no choice and the key is not given for it alone.
pub(super) fn ports(reading: &mut Reading<'_>, algorithm: Option<Algorithm>) -> Option<Ports> {
    let Some(value) = reading.settings.get(Key::ProgramPorts) else { return Some(Ports::One) };
    let ports = match &value.content {
        Content::Integer(Some(1)) => Ports::One,
        Content::Text(text) if text == Ports::All.name() => Ports::All,
        _ => return reading.settings.fail(value.unexpected(Key::ProgramPorts.path(), "1 or \"all\"")),
    };
    let has_choice = algorithm.is_none_or(|algorithm| algorithm.descriptor().has_ports());
    Some(if has_choice || !is_lenient(reading, Key::ProgramPorts) { ports } else { Ports::One })
}

/// The error for a choice that an algorithm does not have.
fn foreign(reading: &Reading<'_>, value: &Value, message: &str) -> ScenarioError {
    ScenarioError::at(&value.place, message, "not by this algorithm")
        .because(reading.settings.place(Key::ProgramAlgorithm), "the algorithm")
        .with_help("leave it out")
}

/// Reports keys of single algorithms on ranks for a collective of several levels or of switches, `of_all` in messages:
/// groups of some ranks, and, unless several algorithms are compared, choices that it lacks.
pub(super) fn refuse_foreign(reading: &mut Reading<'_>, of_all: &str) -> Option<()> {
    let settings = reading.settings;
    let before = settings.errors().len();
    if let Some(over) = settings.get(Key::ProgramOver) {
        let message = format!("program.over of a collective {of_all}, expected all ranks");
        settings.report(ScenarioError::at(&over.place, message, "leave it out"));
    }
    let lacks = [
        (Key::ProgramChannels, "ring, tree or double-tree"),
        (Key::ProgramRings, "ring, tree or double-tree"),
        (Key::ProgramPorts, "patterns or bucket"),
        (Key::ProgramStages, "recursive-doubling"),
    ];
    for (key, expected) in lacks {
        let Some(value) = settings.get(key).filter(|_| !is_lenient(reading, key)) else { continue };
        if !matches!(value.content, Content::Integer(Some(1))) || key == Key::ProgramChannels {
            let message = format!("{} of a collective {of_all}, expected {expected}", key.path());
            settings.report(foreign(reading, value, &message));
        }
    }
    (settings.errors().len() == before).then_some(())
}

/// The number of chunks; the default if the algorithm has none and the key is not given for it alone.
pub(super) fn chunks(reading: &mut Reading<'_>, algorithm: Option<Algorithm>) -> Option<NonZeroU32> {
    let default = CollectiveSpecification::DEFAULT_CHUNKS;
    let Some(value) = reading.settings.get(Key::ProgramChunks) else { return Some(default) };
    let found = reading.settings.natural(Key::ProgramChunks)?;
    let has_chunks = algorithm.is_none_or(|algorithm| algorithm.descriptor().has_chunks);
    if has_chunks {
        return u32::try_from(found).ok().and_then(NonZeroU32::new);
    }
    if is_lenient(reading, Key::ProgramChunks) {
        return Some(default);
    }
    let message = "program.chunks for an algorithm without chunks, expected tree or double-tree";
    reading.settings.fail(foreign(reading, value, message))
}

/// The ranks that recursive doubling leaves out; the default if the algorithm does not fold and the key is not given
/// for it alone.
pub(super) fn fold(reading: &mut Reading<'_>, algorithm: Option<Algorithm>) -> Option<Fold> {
    let found = reading.settings.one_of(Key::ProgramFold, &Fold::ALL, Fold::name)?;
    let Some(value) = reading.settings.get(Key::ProgramFold) else { return Some(found) };
    let folds = algorithm
        .is_none_or(|algorithm| algorithm.descriptor().shapes == ShapeRequirement::RowOrSidesPowersOfTwo);
    if folds || is_lenient(reading, Key::ProgramFold) {
        return Some(found);
    }
    let message = "program.fold for an algorithm that does not fold, expected recursive-doubling or mirrored";
    reading.settings.fail(foreign(reading, value, message))
}

/// The order of the dimensions of the d-cube whose corners are the ranks of a group, if given; `None` if the algorithm
/// has no such order and the key is not given for it alone.
#[expect(clippy::option_option, reason = "an error, nothing written, or dimensions")]
pub(super) fn stage_order(
    reading: &mut Reading<'_>,
    algorithm: Option<Algorithm>,
    group: &Shape,
) -> Option<Option<Vec<u32>>> {
    let has_order = algorithm? == Algorithm::RecursiveDoubling;
    if reading.settings.get(Key::ProgramStages).is_none()
        || !has_order && is_lenient(reading, Key::ProgramStages)
    {
        return Some(None);
    }
    let ranks = group.node_count();
    // A shape that is not a cube, and an algorithm without an order, are reported with the collective.
    if !ranks.is_power_of_two() || !has_order {
        return Some(Some(vec![]));
    }
    let cube = Hypercube::new(u64::from(ranks.trailing_zeros())).ok()?;
    let place = shape_place(reading).cloned();
    let stages = read_stages(reading.settings, Some(cube), place.as_ref())?;
    Some(Some(stages.iter().map(|stage| u32::from(stage.number())).collect()))
}
