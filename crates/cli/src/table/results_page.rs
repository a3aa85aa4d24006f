//! What pages of results share: columns for what runs were set to, and for what they came to.

use cubefold_experiment::export::{RunCaption, RunRecord};

use super::{Page, TextTable, best_row, time_bar::time_bar};
use crate::swept_value::shown;

/// Columns that give way where a table is too wide for a terminal, the least important first.
const GIVE_WAY: [&str; 9] =
    ["queue", "sharing", "steps", "waiting", "time", "conflicts", "blocked", "bound", "predicted"];

/// A run and what it came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'page> {
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
    /// A column with a cell for each row.
    pub(super) fn new<T: ToString>(
        header: impl Into<String>,
        rows: &[Row<'_>],
        cell: impl Fn(&RunRecord) -> Option<T>,
    ) -> Self {
        let text = |row: &Row<'_>| cell(row.record).map_or_else(String::new, |value| value.to_string());
        Self { header: header.into(), cells: rows.iter().map(text).collect() }
    }

    fn says_something(&self) -> bool {
        self.cells.iter().any(|cell| !cell.is_empty())
    }
}

/// The makespan, with a mark on those that are the least of their combination.
pub(super) fn makespan_columns(rows: &[Row<'_>]) -> [Column; 2] {
    let marks = best_row::marks(rows);
    [
        Column::new("makespan", rows, |record| Some(record.makespan_cycles)),
        Column { header: String::new(), cells: marks },
    ]
}

/// Where the time of the processes goes.
pub(super) fn bar_column(rows: &[Row<'_>]) -> Column {
    Column::new("time", rows, |record| time_bar(&record.totals))
}

/// What the makespan is to be seen against, and what it is made of.
pub(super) fn time_columns(rows: &[Row<'_>]) -> [Column; 5] {
    [
        Column::new("predicted", rows, |record| record.predicted_cycles),
        Column::new("bound", rows, |record| record.lower_bound_cycles),
        Column::new("waiting", rows, |record| Some(record.totals.waiting_cycles)),
        Column::new("sharing", rows, |record| {
            Some(record.totals.sharing_cycles).filter(|_| record.placement.load.max > 1)
        }),
        Column::new("blocked", rows, |record| record.longest_queue.and(Some(record.totals.blocked_cycles))),
    ]
}

/// What a coordinated run counts.
pub(super) fn step_columns(rows: &[Row<'_>]) -> [Column; 2] {
    [
        Column::new("steps", rows, |record| record.routing_steps),
        Column::new("conflicts", rows, |record| record.conflicts),
    ]
}

/// Adds the table of the runs to a page: one for each execution mode, since they measure different things.
pub(super) fn add_tables(
    page: &mut Page,
    runs: &[RunCaption],
    records: &[RunRecord],
    columns: impl Fn(&[Row<'_>]) -> Vec<Column>,
) {
    let mut sections: Vec<(&str, Vec<Row<'_>>)> = vec![];
    for (run, record) in runs.iter().zip(records) {
        let (mode, row) = (&*record.execution.mode, Row { run, record });
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
fn table(rows: &[Row<'_>], columns: Vec<Column>, shown: impl Fn(&str) -> bool) -> TextTable {
    let columns: Vec<Column> = columns.into_iter().filter(Column::says_something).collect();
    let paths: Vec<&str> =
        swept_paths(rows.iter().map(|row| row.run)).into_iter().filter(|path| shown(path)).collect();
    let mut header = short_names(&paths);
    header.push("embedding".to_owned());
    header.extend(columns.iter().map(|column| column.header.clone()));
    let cells = |(place, row): (usize, &Row<'_>)| {
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
