//! What pages of results share: columns for what runs were set to, and for what they came to.

use cubefold_experiment::{
    Definition,
    export::{Row, RunCaption, RunRecord},
};

use super::{Page, TextTable, best_row, time_bar::time_bar};
use crate::swept_value::shown;

/// Columns that give way where a table is too wide for a terminal, the least important first.
const GIVE_WAY: [&str; 9] =
    ["queue", "sharing", "steps", "waiting", "time", "conflicts", "blocked", "bound", "predicted"];

/// A run and what it came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunRow<'page> {
    pub(super) run: &'page RunCaption,
    pub(super) record: &'page RunRecord,
}

/// A column of numbers.
#[derive(Debug, Clone)]
pub(super) struct Column {
    header: String,
    cells: Vec<String>,
}

impl Column {
    /// The column of results with this name in files, under its title, with a cell for each row.
    pub(super) fn new(name: &'static str, rows: &[RunRow<'_>]) -> Self {
        Self::titled(Definition::title_of(name), name, rows)
    }

    /// The column with this name under another title.
    pub(super) fn titled(title: &str, name: &str, rows: &[RunRow<'_>]) -> Self {
        let cell = |row: &RunRow<'_>| Row::new(row.record).cell(name).shown().unwrap_or_default();
        Self { header: title.to_owned(), cells: rows.iter().map(cell).collect() }
    }

    /// The column with empty cells where the record does not fulfil a condition.
    fn only(mut self, rows: &[RunRow<'_>], condition: impl Fn(&RunRecord) -> bool) -> Self {
        for (cell, _) in self.cells.iter_mut().zip(rows).filter(|(_, row)| !condition(row.record)) {
            cell.clear();
        }
        self
    }

    fn says_something(&self) -> bool {
        self.cells.iter().any(|cell| !cell.is_empty())
    }
}

/// The makespan, with a mark on those that are the least of their combination.
pub(super) fn makespan_columns(rows: &[RunRow<'_>]) -> [Column; 2] {
    [Column::new("makespan_cycles", rows), Column { header: String::new(), cells: best_row::marks(rows) }]
}

/// Where the time of the processes goes.
pub(super) fn bar_column(rows: &[RunRow<'_>]) -> Column {
    let bar = |row: &RunRow<'_>| time_bar(&row.record.totals).unwrap_or_default();
    Column { header: Definition::title_of("time").to_owned(), cells: rows.iter().map(bar).collect() }
}

/// What the makespan is compared with, and what it is made of.
pub(super) fn time_columns(rows: &[RunRow<'_>]) -> [Column; 5] {
    let column = |name| Column::new(name, rows);
    [
        column("predicted_cycles"),
        column("lower_bound_cycles"),
        column("totals_waiting_cycles"),
        column("totals_sharing_cycles").only(rows, |record| record.placement.load.max > 1),
        column("totals_blocked_cycles").only(rows, |record| record.longest_queue.is_some()),
    ]
}

/// What a coordinated run counts.
pub(super) fn step_columns(rows: &[RunRow<'_>]) -> [Column; 2] {
    [Column::new("routing_steps", rows), Column::new("conflicts", rows)]
}

/// Adds the table of the runs to a page: one for each execution mode, since they measure different things.
pub(super) fn add_tables(
    page: &mut Page,
    runs: &[RunCaption],
    records: &[RunRecord],
    columns: impl Fn(&[RunRow<'_>]) -> Vec<Column>,
) {
    let mut sections: Vec<(&str, Vec<RunRow<'_>>)> = vec![];
    for (run, record) in runs.iter().zip(records) {
        let (mode, row) = (&*record.execution.mode, RunRow { run, record });
        match sections.iter_mut().find(|(known, _)| *known == mode) {
            Some((_, rows)) => rows.push(row),
            None => sections.push((mode, vec![row])),
        }
    }
    let several = sections.len() > 1;
    for (mode, rows) in sections {
        if several {
            page.caption(mode);
        }
        page.table(table(&rows, columns(&rows), |path| !(several && path == "execution.mode")));
    }
}

/// A table with those swept settings whose paths are `shown`, the embedding and those of `columns` that say
/// something.
fn table(rows: &[RunRow<'_>], columns: Vec<Column>, shown: impl Fn(&str) -> bool) -> TextTable {
    let columns: Vec<Column> = columns.into_iter().filter(Column::says_something).collect();
    let paths: Vec<&str> =
        swept_paths(rows.iter().map(|row| row.run)).into_iter().filter(|path| shown(path)).collect();
    let mut header = short_names(&paths);
    header.push("embedding".to_owned());
    header.extend(columns.iter().map(|column| column.header.clone()));
    let cells = |(place, row): (usize, &RunRow<'_>)| {
        let mut cells = swept_values(row.run, &paths);
        cells.push(row.run.embedding.clone());
        cells.extend(columns.iter().map(|column| column.cells[place].clone()));
        cells
    };
    let rows = rows.iter().enumerate().map(cells).collect();
    TextTable { rows, header, words: paths.len() + 1, gives_way: &GIVE_WAY }
}

/// The paths that a sweep sets in any of the runs, each once: cases may set different ones.
pub(super) fn swept_paths<'runs>(runs: impl Iterator<Item = &'runs RunCaption>) -> Vec<&'runs str> {
    let mut paths: Vec<&str> = vec![];
    for (path, _) in runs.flat_map(|run| &run.combination) {
        if !paths.contains(&path.as_str()) {
            paths.push(path);
        }
    }
    paths
}

/// What a run has at the swept paths; nothing where its case does not set one.
pub(super) fn swept_values(run: &RunCaption, paths: &[&str]) -> Vec<String> {
    let value = |path: &&str| {
        run.combination.iter().find(|(own, _)| own == path).map(|(_, value)| shown(path, value))
    };
    paths.iter().map(|path| value(path).unwrap_or_default()).collect()
}

/// The last parts of the paths, or the whole paths where two end alike.
pub(super) fn short_names(paths: &[&str]) -> Vec<String> {
    let ends: Vec<&str> = paths.iter().map(|path| path.rsplit('.').next().unwrap_or(path)).collect();
    let unlike = |end: &str| ends.iter().filter(|other| **other == end).count() == 1;
    let name = |(path, end): (&&str, &&str)| if unlike(end) { *end } else { *path }.to_owned();
    paths.iter().zip(&ends).map(name).collect()
}
