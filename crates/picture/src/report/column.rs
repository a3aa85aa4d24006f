//! The runs of a page, and the columns of their table.

use cubefold_records::{Definition, FinishedRun, Row, RunRecord};
use cubefold_scenario::Run;

/// A run and its outcome.
#[derive(Debug)]
pub struct ReportedRun<'report> {
    /// Its name among the scenario's runs.
    pub name: String,
    /// The settings that it shares with the runs it is compared with.
    pub group: String,
    /// The settings in which it differs from those: embedding and algorithm.
    pub bar: String,
    /// The run.
    pub run: &'report Run,
    /// Its record, with the ratio to the first run of its combination if that is shown.
    pub record: RunRecord,
    /// Its outcome.
    pub finished: FinishedRun,
}

/// A column with a cell for each run.
#[derive(Debug)]
pub(super) struct Column {
    /// Its name in files.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) definition: Option<&'static Definition>,
    pub(super) cells: Vec<String>,
}

impl Column {
    /// The common value of several runs, or 0 if no run has another value: a sentence states it once. The first columns,
    /// the subject of the page, always stay.
    pub(super) fn common(&self) -> Option<&str> {
        let is_alike =
            |value: &str| self.cells.iter().all(|cell| cell == value || cell.is_empty() && value == "0");
        let value = self.cells.iter().find(|cell| !cell.is_empty())?;
        let is_common = self.cells.len() > 1 && is_alike(value);
        (is_common && !ALWAYS_SHOWN.contains(&self.name)).then_some(value)
    }
}

/// The subject of the page.
const ALWAYS_SHOWN: [&str; 4] = ["makespan_cycles", "makespan_seconds", "ratio_to_reference", "load"];

/// The columns that are shown if some run has a value, by their names in files.
const COLUMNS: [&str; 44] = [
    "load",
    "offered_load",
    "accepted_load",
    "packet_latency_mean",
    "packet_latency_p99",
    "network_latency_mean",
    "missing_packets",
    "saturated",
    "saturation_load",
    "makespan_cycles",
    "makespan_seconds",
    "goodput_bytes_per_second",
    "bus_bandwidth_bytes_per_second",
    "ratio_to_reference",
    "predicted_cycles",
    "lower_bound_cycles",
    "lower_bound_percent",
    "lower_bound_source",
    "bandwidth_bound_cycles",
    "latency_bound_cycles",
    "cut_bound_cycles",
    "cut_bound_set",
    "steps_bound_cycles",
    "totals_compute_cycles",
    SHARING,
    "totals_waiting_cycles",
    "totals_transfer_cycles",
    "totals_blocked_cycles",
    "totals_overhead_cycles",
    "totals_idle_at_end_cycles",
    "exposed_cycles",
    "exposed_mean_cycles",
    "longest_queue",
    "link_busy_max_cycles",
    BUSIEST_LINK,
    "link_busy_share",
    "routing_steps",
    "conflicts",
    "loading_cycles",
    "placement_dilation_max",
    "placement_average_distance",
    "placement_link_congestion_max",
    "placement_node_load_max",
    "engine",
];

/// The column that is shown only if processes share nodes.
const SHARING: &str = "totals_sharing_cycles";

/// The column of the busiest link, which has both its ends.
const BUSIEST_LINK: &str = "busiest_link_from";

/// The columns that are shown of collectives only.
const OF_COLLECTIVES: [&str; 3] = ["lower_bound_source", "link_busy_max_cycles", BUSIEST_LINK];

/// The columns with a value in some run, the most important first.
pub(super) fn columns(runs: &[ReportedRun<'_>]) -> Vec<Column> {
    let rows: Vec<Row<'_>> = runs.iter().map(|run| Row::new(&run.record)).collect();
    let column = |name: &'static str| {
        let shown = |row: &Row<'_>| row.shown(name).filter(|cell| name != SHARING || cell != "0");
        let cells: Vec<Option<String>> = match name {
            BUSIEST_LINK => runs.iter().map(|run| run.record.busiest_link_in_words()).collect(),
            _ => rows.iter().map(shown).collect(),
        };
        let title = if name == BUSIEST_LINK { "between" } else { Definition::title_of(name) };
        cells.iter().any(Option::is_some).then(|| Column {
            name,
            title,
            definition: Definition::find(name),
            cells: cells.into_iter().map(Option::unwrap_or_default).collect(),
        })
    };
    let has_collectives = runs.iter().any(|run| run.record.lower_bound_percent.is_some());
    let is_shown = |name: &&str| has_collectives || !OF_COLLECTIVES.contains(name);
    COLUMNS.into_iter().filter(is_shown).filter_map(column).collect()
}
