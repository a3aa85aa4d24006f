//! The columns of the table of runs.

use cubefold_experiment::{Definition, export::RunRecord};

use super::ReportedRun;

/// A column with a cell for each run.
#[derive(Debug)]
pub(super) struct Column {
    /// Its name in files.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) definition: Option<&'static Definition>,
    pub(super) cells: Vec<String>,
}

type Cell = fn(&RunRecord) -> Option<String>;

/// The columns that say something of the runs, those that are looked for first at the left.
pub(super) fn columns(runs: &[ReportedRun<'_>]) -> Vec<Column> {
    let all: [(&'static str, Cell); 19] = [
        ("makespan_cycles", |record| Some(record.makespan_cycles.to_string())),
        ("ratio_to_reference", |record| mean(record.ratio_to_reference)),
        ("predicted_cycles", |record| text(record.predicted_cycles)),
        ("lower_bound_cycles", |record| text(record.lower_bound_cycles)),
        ("totals_compute_cycles", |record| Some(record.totals.compute_cycles.to_string())),
        ("totals_sharing_cycles", |record| more_than_zero(record.totals.sharing_cycles)),
        ("totals_waiting_cycles", |record| Some(record.totals.waiting_cycles.to_string())),
        ("totals_transfer_cycles", |record| Some(record.totals.transfer_cycles.to_string())),
        ("totals_blocked_cycles", |record| Some(record.totals.blocked_cycles.to_string())),
        ("totals_idle_at_end_cycles", |record| Some(record.totals.idle_at_end_cycles.to_string())),
        ("longest_queue", |record| text(record.longest_queue)),
        ("routing_steps", |record| text(record.routing_steps)),
        ("conflicts", |record| text(record.conflicts)),
        ("loading_cycles", |record| text(record.loading_cycles)),
        ("placement_dilation_max", |record| Some(record.placement.dilation.max.to_string())),
        ("placement_average_distance", |record| mean(record.placement.average_distance)),
        ("placement_link_congestion_max", |record| Some(record.placement.link_congestion.max.to_string())),
        ("placement_node_load_max", |record| Some(record.placement.node_load.max.to_string())),
        ("engine", |record| Some(record.engine.to_string())),
    ];
    let column = |(name, cell): (&'static str, Cell)| {
        let cells: Vec<Option<String>> = runs.iter().map(|run| cell(&run.record)).collect();
        let definition = Definition::find(name);
        let title = definition.map_or(name, |definition| definition.title);
        cells.iter().any(Option::is_some).then(|| Column {
            name,
            title,
            definition,
            cells: cells.into_iter().map(Option::unwrap_or_default).collect(),
        })
    };
    all.into_iter().filter_map(column).collect()
}

fn text<T: ToString>(value: Option<T>) -> Option<String> {
    value.map(|value| value.to_string())
}

fn more_than_zero(value: u128) -> Option<String> {
    (value > 0).then(|| value.to_string())
}

fn mean(value: Option<f64>) -> Option<String> {
    value.map(|value| format!("{value:.3}"))
}
