//! Sizes of messages, in units or bytes, and times of computations in `[program]` (`docs/model.md` sections
//! 13, 15 and 17).

use cubefold_formats::input::{Ratio, quantity::Measure};
use cubefold_simulator::{Computations, Cycles, MessageSizes};

use super::{
    errors::Errors,
    keys::{Key, MAX_INTEGER},
    settings::Settings,
    timing::{has_link, quantity, report_without_link},
    value::{Content, Value, read_each},
};
use crate::PhysicalScale;

/// Largest size of a message \[units\], and longest computation given in seconds \[cycles\].
const MAX_UNITS: u64 = (1 << 63) - 1;

#[derive(Debug, Clone)]
pub(super) struct Sizes {
    pub(super) units: MessageSizes,
    /// The largest size in bytes, if given in bytes.
    pub(super) bytes: Option<u64>,
}

/// Whether a key may be a list with an entry per stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByStage {
    /// No list: all messages have one size.
    No,
    /// A list with this many entries, if the number is known.
    Yes(Option<usize>),
    /// A list with this many entries, one for each number of dimensions in which neighbours differ.
    Differing(usize),
}

/// Reads the sizes of messages: `units`, or `bytes` if units of the machine have bytes; by default one unit.
pub(super) fn read(
    settings: &Settings<'_>,
    scale: Option<PhysicalScale>,
    by_stage: ByStage,
) -> Option<Sizes> {
    let Some((key, value)) = one_of_two(settings, Key::ProgramUnits, Key::ProgramBytes) else {
        return Some(Sizes { units: MessageSizes::ONE_UNIT, bytes: None });
    };
    let scale = scale_of(settings, scale, (key, value), Key::ProgramUnits)?;
    let entries = entries(value, key, by_stage, settings.errors())?;
    let sizes = read_each(entries, |(name, entry)| size(entry, &name, 1, scale, settings.errors()))?;
    let bytes = scale.and(sizes.iter().map(|&(_, bytes)| bytes).max());
    let units = match &value.content {
        Content::List(_) => MessageSizes::by_stage(sizes.into_iter().map(|(units, _)| units).collect()),
        _ => MessageSizes::same(sizes.first()?.0),
    };
    Some(Sizes { units: units.ok()?, bytes })
}

/// Reads the size of the messages of a send, in units and, if given, in bytes: `units` or `bytes`, possibly 0; by
/// default one unit.
pub(super) fn read_one(settings: &Settings<'_>, scale: Option<PhysicalScale>) -> Option<(u64, Option<u64>)> {
    let Some((key, value)) = one_of_two(settings, Key::ProgramUnits, Key::ProgramBytes) else {
        return Some((1, None));
    };
    let scale = scale_of(settings, scale, (key, value), Key::ProgramUnits)?;
    entries(value, key, ByStage::No, settings.errors())?;
    let (units, bytes) = size(value, key.path(), 0, scale, settings.errors())?;
    Some((units, scale.map(|_| bytes)))
}

/// Reads the computations: `compute_cycles`, or `compute` if cycles of the machine have a length.
pub(super) fn read_computations(
    settings: &Settings<'_>,
    scale: Option<PhysicalScale>,
    by_stage: ByStage,
) -> Option<Computations> {
    let Some((key, value)) = one_of_two(settings, Key::ProgramComputeCycles, Key::ProgramCompute) else {
        return Some(Computations::Same(Cycles::ZERO));
    };
    let scale = scale_of(settings, scale, (key, value), Key::ProgramComputeCycles)?;
    let entries = entries(value, key, by_stage, settings.errors())?;
    let times = read_each(entries, |(name, entry)| time(entry, &name, scale, settings.errors()))?;
    match &value.content {
        Content::List(_) => Some(Computations::ByStage(times)),
        _ => Some(Computations::Same(*times.first()?)),
    }
}

/// Reads the time for which the core of a process is busy with each message that it sends or receives.
pub(super) fn read_message_cost(settings: &Settings<'_>, scale: Option<PhysicalScale>) -> Option<Cycles> {
    of_message(settings, scale, Key::ProgramMessageCostCycles, Key::ProgramMessageCost)
}

/// Reads the processor time per message that a process of a program on a cube sends.
pub(super) fn read_startup(settings: &Settings<'_>, scale: Option<PhysicalScale>) -> Option<Cycles> {
    of_message(settings, scale, Key::ProgramStartupCycles, Key::ProgramStartup)
}

/// Reads the processor time per message, in cycles or in seconds; by default 0.
fn of_message(
    settings: &Settings<'_>,
    scale: Option<PhysicalScale>,
    in_cycles: Key,
    in_seconds: Key,
) -> Option<Cycles> {
    let Some((key, value)) = one_of_two(settings, in_cycles, in_seconds) else {
        return Some(Cycles::ZERO);
    };
    let scale = scale_of(settings, scale, (key, value), in_cycles)?;
    time(value, key.path(), scale, settings.errors())
}

/// Reads whether messages are halved dimension by dimension.
pub(super) fn read_halving(settings: &Settings<'_>) -> Option<bool> {
    let Some(value) = settings.get(Key::ProgramHalving) else { return Some(false) };
    value.truth(Key::ProgramHalving.path(), settings.errors())
}

/// The value of whichever of two keys is set, or set in the higher layer. A rule refuses both in one layer.
fn one_of_two<'a>(settings: &'a Settings<'_>, one: Key, other: Key) -> Option<(Key, &'a Value)> {
    settings.obeys(other);
    let key = if settings.is_written_with(one, other) { one } else { other };
    Some((key, settings.get(key)?))
}

/// The scale of the machine for the key in use, unless it is `plain`, which needs none; reports a machine that is
/// described in cycles.
#[expect(clippy::option_option, reason = "an error, no need of a scale, or the scale")]
fn scale_of(
    settings: &Settings<'_>,
    scale: Option<PhysicalScale>,
    (key, value): (Key, &Value),
    plain: Key,
) -> Option<Option<PhysicalScale>> {
    if key == plain {
        return Some(None);
    }
    if scale.is_none() && !has_link(settings) {
        report_without_link(settings, key, value, plain.path());
    }
    scale.map(Some)
}

/// The values of a key, each with its name: one, or one per stage.
fn entries<'a>(
    value: &'a Value,
    key: Key,
    by_stage: ByStage,
    errors: &Errors,
) -> Option<Vec<(String, &'a Value)>> {
    let name = key.path();
    let Content::List(values) = &value.content else { return Some(vec![(name.to_owned(), value)]) };
    let stages = match by_stage {
        ByStage::Yes(stages) => stages,
        ByStage::Differing(most) if values.len() == most => {
            let name = |place| format!("{name} between processes that differ in {} dimensions", place + 1);
            return Some(values.iter().enumerate().map(|(place, entry)| (name(place), entry)).collect());
        }
        ByStage::Differing(most) => {
            let entries = if most == 1 { "entry" } else { "entries" };
            let expected =
                format!("one value, or {most} {entries}: one for each number of dimensions that differ");
            return errors.fail(value.unexpected(name, expected));
        }
        ByStage::No => {
            let error = value.unexpected(name, "one value for all stages");
            return errors.fail(error.with_help(
                "cc-cube and stencils take a list of sizes, and cc-cube and stages one of computations; [sweep] runs each \
                 value of a list",
            ));
        }
    };
    if values.is_empty() || stages.is_some_and(|stages| stages != values.len()) {
        let expected = stages.map_or_else(|| "at least one entry".to_owned(), one_for_each_stage);
        return errors.fail(value.unexpected(name, expected));
    }
    Some(
        values.iter().enumerate().map(|(stage, entry)| (format!("{name} of stage {stage}"), entry)).collect(),
    )
}

/// The expected entries of a list for a program of `stages` stages, in words.
pub(super) fn one_for_each_stage(stages: usize) -> String {
    let entries = if stages == 1 { "entry" } else { "entries" };
    format!("{stages} {entries}, one for each stage")
}

/// Reads a size of at least `least` units, 0 or 1, in units, and in bytes if units have bytes.
fn size(
    value: &Value,
    name: &str,
    least: u64,
    scale: Option<PhysicalScale>,
    errors: &Errors,
) -> Option<(u64, u64)> {
    let Some(scale) = scale else {
        return value.natural(name, least..=MAX_UNITS, errors).map(|units| (units, 0));
    };
    let bytes = match value.content {
        Content::Integer(Some(bytes)) => Ratio::from(bytes),
        Content::Text(_) => quantity(value, name, Measure::Size, errors)?,
        _ => {
            let expected = format!("a number of bytes, or {}", Measure::Size.expected());
            return errors.fail(value.unexpected(name, expected));
        }
    };
    if bytes == Ratio::ZERO && least > 0 {
        return errors.fail(value.unexpected(name, "at least 1 byte"));
    }
    if let (Some(units), Ok(bytes)) = (scale.units(bytes), u64::try_from(bytes.ceil())) {
        return Some((units, bytes));
    }
    let error = value.unexpected(name, "less than 2^63 units");
    errors.fail(error.with_help(format!("a unit has {} bytes", scale.unit_bytes())))
}

/// Reads a computation in cycles.
fn time(value: &Value, name: &str, scale: Option<PhysicalScale>, errors: &Errors) -> Option<Cycles> {
    let Some(scale) = scale else {
        return value.natural(name, 0..=MAX_INTEGER, errors).map(Cycles::new);
    };
    let cycles = scale.cycles(quantity(value, name, Measure::Time, errors)?);
    if cycles.is_none() {
        let help = format!("a cycle is {} ns", scale.cycle_nanoseconds());
        errors.report(value.unexpected(name, "less than 2^63 cycles").with_help(help));
    }
    cycles.map(Cycles::new)
}
