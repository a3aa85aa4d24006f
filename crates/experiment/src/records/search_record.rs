//! A search as `cubefold search` writes it, and its columns.

use cubefold_search::{Found, Objective};
use serde::{Serialize, Serializer};

use super::{
    MachineRecord, ProgramRecord,
    column::{Column, Record, Row},
};
use crate::{
    records::definition::{Definition, Kind},
    scenario::Run,
};

/// The result of the search of one combination.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchRecord {
    /// The scenario's name.
    pub scenario: String,
    /// The machine.
    pub machine: MachineRecord,
    /// The program.
    pub program: ProgramRecord,
    /// The objective that was minimised.
    pub objective: &'static str,
    /// The first embedding of the scenario: the current placement of the job.
    pub reference: String,
    /// Its value.
    #[serde(serialize_with = "number")]
    pub reference_value: u128,
    /// The best placement that has a name.
    pub named: String,
    /// Its value.
    #[serde(serialize_with = "number")]
    pub named_value: u128,
    /// The value of the placement found.
    #[serde(serialize_with = "number")]
    pub found_value: u128,
    /// The ratio by which it is below the best named one.
    pub gain_percent: Option<f64>,
    /// The ratio by which it is below the reference.
    pub gain_over_reference_percent: Option<f64>,
    /// A value that no placement is below.
    #[serde(serialize_with = "number")]
    pub bound_value: u128,
    /// The reason for which the bound holds.
    pub bound_source: &'static str,
    /// The bound, if the objective is the dilation \[links\].
    pub dilation_bound: Option<u64>,
    /// Its source, if the objective is the dilation.
    pub dilation_bound_source: Option<&'static str>,
    /// The excess of the value found over the bound.
    pub gap_percent: Option<f64>,
    /// Placements judged.
    pub evaluations: u64,
    /// Whether no placement is better.
    pub proved: bool,
    /// The reference value in seconds, for times of a machine with bandwidths.
    pub reference_seconds: Option<f64>,
    /// The value found in seconds.
    pub found_seconds: Option<f64>,
}

fn number<S: Serializer>(value: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u128(*value)
}

impl SearchRecord {
    /// Makes the record of a search by an objective, whose placement `run` has; `names` are those of the reference and
    /// of the best named placement.
    #[must_use]
    pub fn new(run: &Run, objective: Objective, names: [&str; 2], found: &Found) -> Self {
        let [reference, named] = names.map(str::to_owned);
        let percent = |ratio: f64| ratio * 100.0;
        #[expect(clippy::cast_precision_loss, reason = "a ratio")]
        let gain = |named: u128| percent(1.0 - found.value as f64 / named as f64);
        let of_dilation = (objective == Objective::Dilation).then_some(());
        let seconds = |value: u128| seconds(run, objective, value);
        Self {
            scenario: run.scenario.to_string(),
            machine: MachineRecord::new(run),
            program: ProgramRecord::new(&run.program),
            objective: objective.name(),
            reference,
            reference_value: found.reference,
            named,
            named_value: found.named_value,
            found_value: found.value,
            gain_percent: (found.named_value > 0).then(|| gain(found.named_value)),
            gain_over_reference_percent: (found.reference > 0).then(|| gain(found.reference)),
            bound_value: found.bound.value,
            bound_source: found.bound.kind.name(),
            dilation_bound: of_dilation.and_then(|()| u64::try_from(found.bound.value).ok()),
            dilation_bound_source: of_dilation.map(|()| found.bound.kind.name()),
            gap_percent: found.gap().map(percent),
            evaluations: found.evaluations,
            proved: found.is_proved(),
            reference_seconds: seconds(found.reference),
            found_seconds: seconds(found.value),
        }
    }
}

/// A value in seconds, if it is a time and the scenario says how long a cycle is.
fn seconds(run: &Run, objective: Objective, value: u128) -> Option<f64> {
    let is_time = matches!(objective, Objective::Makespan | Objective::Predicted | Objective::Load);
    let scale = run.scale.filter(|_| is_time)?;
    Some(scale.seconds(u64::try_from(value).ok()?))
}

impl Record for SearchRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(super::placement_record::SCENARIO, record.map(|own| own.scenario.as_str()));
        row.part(record.map(|own| &own.machine));
        row.part(record.map(|own| &own.program));
        row.section(SEARCH, record);
    }
}

/// A column of a search.
macro_rules! column {
    ($name:literal, $title:literal, $kind:ident, $text:literal, $value:expr) => {
        Column {
            definition: Definition {
                name: $name,
                title: $title,
                kind: Kind::$kind,
                text: $text,
                source: "docs/model.md section 25",
                ..Definition::BLANK
            },
            value: $value,
        }
    };
}

/// Columns of a search.
pub(crate) static SEARCH: &[Column<SearchRecord>] = &[
    column!(
        "objective",
        "objective",
        Text,
        "What a search minimises: `makespan`, `predicted`, `load`, `hop-units` or `dilation`.",
        |own| own.objective.into()
    ),
    column!(
        "reference",
        "reference",
        Text,
        "The first embedding of the scenario, which stands for what the job has now.",
        |own| own.reference.as_str().into()
    ),
    column!("reference_value", "reference value", Sum, "The value of the reference.", |own| own
        .reference_value
        .into()),
    column!("named", "best named", Text, "The best placement that has a name.", |own| own
        .named
        .as_str()
        .into()),
    column!("named_value", "named value", Sum, "The value of the best placement that has a name.", |own| own
        .named_value
        .into()),
    column!("found_value", "found", Sum, "The value of the placement that the search found.", |own| own
        .found_value
        .into()),
    column!(
        "gain_percent",
        "gain %",
        Decimal,
        "By how much the placement found is below the best named one.",
        |own| own.gain_percent.into()
    ),
    column!(
        "gain_over_reference_percent",
        "gain on reference %",
        Decimal,
        "By how much the placement found is below the reference.",
        |own| own.gain_over_reference_percent.into()
    ),
    column!(
        "bound_value",
        "bound over all",
        Sum,
        "A value that no placement of the program is below.",
        |own| own.bound_value.into()
    ),
    column!(
        "bound_source",
        "certificate",
        Text,
        "The reason for which the bound holds: `assignment`, `projection`, `volume`, `cut`, `prediction`, `processors`, \
         or `complete` where all placements were tried.",
        |own| own.bound_source.into()
    ),
    column!("dilation_bound", "least dilation, bound", Natural, "", |own| own.dilation_bound.into()),
    column!("dilation_bound_source", "least dilation, by", Text, "", |own| own.dilation_bound_source.into()),
    column!("gap_percent", "gap %", Decimal, "By how much the placement found is above the bound.", |own| {
        own.gap_percent.into()
    }),
    column!(
        "evaluations",
        "evaluations",
        Natural,
        "The placements judged, those included that were refused without a run.",
        |own| own.evaluations.into()
    ),
    column!(
        "proved",
        "proved",
        Truth,
        "Whether the placement found meets the bound, so that none is better.",
        |own| { own.proved.into() }
    ),
    column!(
        "reference_seconds",
        "reference time",
        Decimal,
        "The value of the reference in seconds, where a cycle has a length.",
        |own| own.reference_seconds.into()
    ),
    column!(
        "found_seconds",
        "found time",
        Decimal,
        "The value found in seconds, where a cycle has a length.",
        |own| own.found_seconds.into()
    ),
];
