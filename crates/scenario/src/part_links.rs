//! The speed of the links of a part of a machine: a table `link`, or cycles, beside the other keys of the part
//! (`docs/model.md` sections 21.5 and 22).

use cubefold_formats::{
    input::{Ratio, quantity::Measure},
    launcher::fabric::LinkSpeed,
};

use super::{
    errors::{Errors, ScenarioError},
    source_file::Place,
    timing::quantity,
    value::{Table, Value},
};
use crate::MAX_INTEGER;

/// The keys of the speed of a part.
pub(super) const PART_KEYS: [&str; 3] = ["link", "hop_cycles", "latency_cycles"];

/// The links of a machine that defines their speeds: a cluster, or a network from a file.
#[derive(Debug)]
pub(super) struct OwnLinks {
    /// By class of links; without a value where the machine's keys apply.
    pub(super) by_class: Vec<LinkSpeed>,
    /// The place of the links in the scenario, or of their file's name.
    pub(super) place: Place,
}

impl OwnLinks {
    /// Whether any link has a time in seconds.
    pub(super) fn is_in_seconds(&self) -> bool {
        self.by_class.iter().any(|speed| speed.bandwidth.is_some() || speed.latency.is_some())
    }

    /// Whether any link has a time in cycles.
    pub(super) fn is_in_cycles(&self) -> bool {
        self.by_class.iter().any(|speed| speed.hop_cycles.is_some() || speed.latency_cycles.is_some())
    }
}

/// The speed of the links of a part, with its place.
#[derive(Debug, Clone)]
pub(super) struct PartLink {
    pub(super) speed: LinkSpeed,
    pub(super) place: Place,
}

/// Reads the speed of a part from its table; `Some(None)` if it has none.
#[expect(clippy::option_option, reason = "an error, nothing written, or a link")]
pub(super) fn part_link(table: &Table<'_>, errors: &Errors) -> Option<Option<PartLink>> {
    let Some(value) = table.get("link") else { return in_cycles(table, errors) };
    refuse_cycles_beside(value, "link", table, errors)?;
    PartLink::read(value, &table.name("link"), errors).map(Some)
}

/// Reports cycles beside a value in seconds.
fn refuse_cycles_beside(value: &Value, key: &str, table: &Table<'_>, errors: &Errors) -> Option<()> {
    let Some(other) = first_in_cycles(table) else { return Some(()) };
    let message = format!("{} beside cycles, expected one of them", table.name(key));
    let error = ScenarioError::at(&value.place, message, "with cycles beside it");
    errors.fail(error.because(Some(&other.place), "cycles").with_help("remove one of them"))
}

fn first_in_cycles<'a>(table: &Table<'a>) -> Option<&'a Value> {
    table.get("hop_cycles").or(table.get("latency_cycles"))
}

/// Reads the speed of links in cycles; `Some(None)` if there is none.
#[expect(clippy::option_option, reason = "an error, nothing written, or a link")]
fn in_cycles(table: &Table<'_>, errors: &Errors) -> Option<Option<PartLink>> {
    let Some(first) = first_in_cycles(table) else { return Some(None) };
    let cycles = |key: &str, least: u64| match table.get(key) {
        Some(value) => value.natural(table.name(key), least..=MAX_INTEGER, errors).map(Some),
        None => Some(None),
    };
    let (hop_cycles, latency_cycles) = (cycles("hop_cycles", 1), cycles("latency_cycles", 0));
    let speed =
        LinkSpeed { hop_cycles: hop_cycles?, latency_cycles: latency_cycles?, ..LinkSpeed::default() };
    Some(Some(PartLink { speed, place: first.place.clone() }))
}

impl PartLink {
    /// Reads a table of bandwidth and latency, or of the same in cycles.
    pub(super) fn read_in_either(value: &Value, name: &str, errors: &Errors) -> Option<Self> {
        let table =
            Table::read(value, name, &["bandwidth", "latency", "hop_cycles", "latency_cycles"], errors)?;
        if first_in_cycles(&table).is_none() {
            return Self::read(value, name, errors);
        }
        for key in ["bandwidth", "latency"] {
            if let Some(value) = table.get(key) {
                refuse_cycles_beside(value, key, &table, errors)?;
            }
        }
        in_cycles(&table, errors)?
    }

    /// Reads a table of bandwidth and latency.
    pub(super) fn read(value: &Value, name: &str, errors: &Errors) -> Option<Self> {
        let table = Table::read(value, name, &["bandwidth", "latency"], errors)?;
        let bandwidth = table.required("bandwidth", Measure::Bandwidth.expected(), errors)?;
        let found = quantity(bandwidth, &table.name("bandwidth"), Measure::Bandwidth, errors)?;
        if found == Ratio::ZERO {
            return errors.fail(bandwidth.unexpected(table.name("bandwidth"), "more than 0"));
        }
        let latency = match table.get("latency") {
            Some(value) => quantity(value, &table.name("latency"), Measure::Time, errors)?,
            None => Ratio::ZERO,
        };
        let speed = LinkSpeed { bandwidth: Some(found), latency: Some(latency), ..LinkSpeed::default() };
        Some(Self { speed, place: value.place.clone() })
    }
}
