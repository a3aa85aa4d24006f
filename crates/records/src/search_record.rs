//! A search as `cubefold search` writes it, and its columns.

use cubefold_derive::Columns;
use cubefold_scenario::Run;
use cubefold_search::{Found, Objective};
use serde::{Serialize, Serializer};

use super::{
    MachineRecord, ProgramRecord,
    column::{Record, Row},
    shared_columns::SCENARIO,
};

/// The result of the search of one combination.
#[derive(Debug, Clone, PartialEq, Serialize, Columns)]
#[columns(SEARCH, source = "docs/model.md section 25")]
pub struct SearchRecord {
    /// The scenario's name.
    pub scenario: String,
    /// The machine.
    pub machine: MachineRecord,
    /// The program.
    pub program: ProgramRecord,
    /// What a search minimises: `makespan`, `predicted`, `load`, `hop-units` or `dilation`.
    #[column("objective")]
    pub objective: &'static str,
    /// The first embedding of the scenario, which stands for what the job has now.
    #[column("reference")]
    pub reference: String,
    /// The value of the reference.
    #[column("reference value")]
    #[serde(serialize_with = "number")]
    pub reference_value: u128,
    /// The best placement that has a name.
    #[column("best named")]
    pub named: String,
    /// The value of the best placement that has a name.
    #[column("named value")]
    #[serde(serialize_with = "number")]
    pub named_value: u128,
    /// The value of the placement that the search found.
    #[column("found")]
    #[serde(serialize_with = "number")]
    pub found_value: u128,
    /// By how much the placement found is below the best named one.
    #[column("gain %")]
    pub gain_percent: Option<f64>,
    /// By how much the placement found is below the reference.
    #[column("gain on reference %")]
    pub gain_over_reference_percent: Option<f64>,
    /// A value that no placement of the program is below.
    #[column("bound over all")]
    #[serde(serialize_with = "number")]
    pub bound_value: u128,
    /// The reason for which the bound holds: `assignment`, `projection`, `volume`, `cut`, `prediction`, `processors`, or
    /// `complete` where all placements were tried.
    #[column("certificate")]
    pub bound_source: &'static str,
    /// The bound, if the objective is the dilation \[links\].
    #[column("least dilation, bound", text = "")]
    pub dilation_bound: Option<u64>,
    /// Its source, if the objective is the dilation.
    #[column("least dilation, by", text = "")]
    pub dilation_bound_source: Option<&'static str>,
    /// By how much the placement found is above the bound.
    #[column("gap %")]
    pub gap_percent: Option<f64>,
    /// The placements judged, those included that were refused without a run.
    #[column("evaluations")]
    pub evaluations: u64,
    /// Whether the placement found meets the bound, so that none is better.
    #[column("proved")]
    pub proved: bool,
    /// The value of the reference in seconds, where a cycle has a length.
    #[column("reference time")]
    pub reference_seconds: Option<f64>,
    /// The value found in seconds, where a cycle has a length.
    #[column("found time")]
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
        let mut program = ProgramRecord::of_run(run);
        if !run.program.others.is_empty() {
            program.pipelining = None; // each placement is judged at its own best number of parts
        }
        Self {
            scenario: run.scenario.to_string(),
            machine: MachineRecord::new(run),
            program,
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
        row.section(SCENARIO, record.map(|record| record.scenario.as_str()));
        row.part(record.map(|record| &record.machine));
        row.part(record.map(|record| &record.program));
        row.section(SEARCH, record);
    }
}
