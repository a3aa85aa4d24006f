//! What pages of results share: the settings that all runs have, and columns for those that they have not.

use cubefold_experiment::export::{RunCaption, RunRecord};

use super::{Page, TextTable, best_row, time_bar::time_bar};

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

/// The settings that all runs of a scenario have in common.
pub(super) fn settings(records: &[RunRecord]) -> Vec<(&'static str, String)> {
    [
        ("machine", common(records, machine)),
        ("program", common(records, program)),
        ("execution", common(records, execution)),
        ("loading", common(records, loading).filter(|cycles| !cycles.is_empty())),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

/// What all records say, if they say the same.
fn common(records: &[RunRecord], say: impl Fn(&RunRecord) -> String) -> Option<String> {
    let first = say(records.first()?);
    records.iter().all(|record| say(record) == first).then_some(first)
}

pub(super) fn machine(record: &RunRecord) -> String {
    let machine = &record.machine;
    let shape = join(&machine.shape, "x");
    let implied = vec![machine.kind.wrap() == cubefold_topology::Wrap::Around; machine.wrap.len()];
    let wrap = if machine.wrap == implied {
        String::new()
    } else {
        let wraps: Vec<_> =
            machine.wrap.iter().map(|&around| if around { "around" } else { "open" }).collect();
        format!(" ({})", wraps.join(", "))
    };
    let hop = counted(machine.hop_cycles, "cycle");
    let partition = machine.partition.as_ref().map_or_else(String::new, |partition| {
        let (base, shape) = (join(&partition.base, ", "), join(&partition.shape, "x"));
        format!(", partition {shape} from ({base}) on")
    });
    format!("{} {shape}{wrap}{partition}, {} links, {hop} a link", machine.kind, machine.links)
}

/// The cycles that loading takes; nothing where it is not asked for.
fn loading(record: &RunRecord) -> String {
    record.loading_cycles.map_or_else(String::new, |cycles| counted(cycles, "cycle"))
}

fn program(record: &RunRecord) -> String {
    let program = &record.program;
    let dimensions = program
        .dimensions
        .map_or_else(String::new, |dimensions| format!(", {}", counted(dimensions.into(), "dimension")));
    let stages = program.stages.as_ref().map_or_else(String::new, |stages| {
        const SHOWN: usize = 12;
        let dots = if stages.len() > SHOWN { " .." } else { "" };
        format!(", stages {}{dots}", join(&stages[..stages.len().min(SHOWN)], " "))
    });
    let guest = program
        .guest
        .as_ref()
        .map_or_else(String::new, |guest| format!(" on a {} {}", guest.kind, join(&guest.shape, "x")));
    let communication = match (&program.communication, program.sets) {
        (Some(name), Some(sets)) => format!(", {name} in {}", counted(sets as u64, "set")),
        (Some(name), None) => format!(", {name}"),
        (None, _) => String::new(),
    };
    let compute = counted(program.compute_cycles, "compute cycle");
    format!("{}{guest}{communication}{dimensions}{stages}, {compute} a stage", program.kind)
}

fn execution(record: &RunRecord) -> String {
    let execution = &record.execution;
    let tie = if execution.tie == "direct" { String::new() } else { format!(", ties {}", execution.tie) };
    let choice = match execution.dimension_choice.as_deref() {
        Some("random") => ", dimensions at random",
        _ => "",
    };
    let phases = match execution.phases.as_deref() {
        Some("embedding") | None => String::new(),
        Some(phases) => format!(", phases {phases}"),
    };
    format!("{}{tie}{choice}{phases}", execution.mode)
}

fn join<T: std::fmt::Display>(items: &[T], separator: &str) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(separator)
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

/// A swept value as tables show it: a shape as files of results have it, a file without its folder, others as they
/// are written.
pub(super) fn shown(path: &str, value: &str) -> String {
    let lengths = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match (path.rsplit('.').next(), lengths) {
        (Some("shape"), Some(lengths)) => lengths.split(',').map(str::trim).collect::<Vec<_>>().join("x"),
        (Some("file"), _) => plain(value).rsplit('/').next().unwrap_or_default().to_owned(),
        _ if value.starts_with('{') => without_keys(value),
        _ => plain(value),
    }
}

/// A table in braces without its braces and keys: `{ kind = "ring", shape = [9] }` as `ring, [9]`.
fn without_keys(value: &str) -> String {
    let words: Vec<&str> = value.split_whitespace().collect();
    let is_key = |place: usize| words.get(place + 1) == Some(&"=");
    let values =
        words.iter().enumerate().filter(|&(place, word)| !is_key(place) && !["{", "}", "="].contains(word));
    values.map(|(_, word)| word.replace('"', "")).collect::<Vec<_>>().join(" ")
}

/// A value without the quotes that it is written with.
pub(super) fn plain(value: &str) -> String {
    value.trim_matches('"').to_owned()
}

/// A number of things, in the singular for one.
pub(super) fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swept_values_are_shown_shorter_than_they_are_written() {
        assert_eq!(shown("machine.shape", "[16, 8]"), "16x8");
        assert_eq!(shown("machine.file", "\"../configs/torus-8x8.toml\""), "torus-8x8.toml");
        assert_eq!(shown("program.guest", "{ kind = \"ring\", shape = [9] }"), "ring, [9]");
        assert_eq!(shown("machine.links", "\"full-duplex\""), "full-duplex");
        assert_eq!(shown("program.stages", "[0, 1]"), "[0, 1]");
    }
}
