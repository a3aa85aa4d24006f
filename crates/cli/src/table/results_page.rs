//! The common parts of pages of results: the tables of runs, the mark of the fastest of a combination, and the bar of the
//! processes' time.

use std::collections::BTreeMap;

use cubefold_records::{Definition, Row, RunCaption, RunRecord, TotalsRecord, grouped};
use cubefold_runs::{settings_besides_algorithms, variants_in_words};
use cubefold_scenario::{SweptValue, last_word};

use super::{Page, TextTable};
use crate::grouping::shown;

/// Columns that are left out if a table is too wide for a terminal, the least important first.
const GIVE_WAY: [&str; 14] = [
    "network latency",
    "missing",
    "offered",
    "queue",
    "sharing",
    "steps",
    "waiting",
    "time",
    "conflicts",
    "blocked",
    "goodput",
    "bound",
    "predicted",
    "of bound",
];

/// A run and its result.
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
        let cell = |row: &RunRow<'_>| Row::new(row.record).shown(name).unwrap_or_default();
        Self { header: title.to_owned(), cells: rows.iter().map(cell).collect() }
    }

    /// A column of these cells, one for each row.
    pub(super) fn of_cells(header: &str, cells: Vec<String>) -> Self {
        Self { header: header.to_owned(), cells }
    }

    /// The column with empty cells for records that do not meet a condition.
    fn only(mut self, rows: &[RunRow<'_>], condition: impl Fn(&RunRecord) -> bool) -> Self {
        for (cell, _) in self.cells.iter_mut().zip(rows).filter(|(_, row)| !condition(row.record)) {
            cell.clear();
        }
        self
    }

    fn has_values(&self) -> bool {
        self.cells.iter().any(|cell| !cell.is_empty())
    }
}

/// The makespan, with a mark on the least of each combination, and in seconds if the length of a cycle is known.
pub(super) fn makespan_columns(rows: &[RunRow<'_>]) -> [Column; 3] {
    [
        Column::new("makespan_cycles", rows),
        Column { header: String::new(), cells: marks(rows) },
        Column::new("makespan_seconds", rows),
    ]
}

/// The columns of the processes' time.
pub(super) fn bar_column(rows: &[RunRow<'_>]) -> Column {
    let bar = |row: &RunRow<'_>| row.record.divided_time().as_ref().and_then(time_bar).unwrap_or_default();
    Column { header: Definition::title_of("time").to_owned(), cells: rows.iter().map(bar).collect() }
}

/// The columns compared with the makespan, and its parts.
pub(super) fn time_columns(rows: &[RunRow<'_>]) -> [Column; 7] {
    let column = |name| Column::new(name, rows);
    [
        parts_column(rows),
        column("predicted_cycles"),
        column("lower_bound_cycles"),
        column("lower_bound_percent"),
        column("totals_waiting_cycles"),
        column("totals_sharing_cycles")
            .only(rows, |record| record.placement.as_ref().is_some_and(|placement| placement.load.max > 1)),
        column("totals_blocked_cycles").only(rows, |record| record.routing_steps.is_none()),
    ]
}

/// The parts of pipelined messages, unless a sweep sets them or no run has several.
fn parts_column(rows: &[RunRow<'_>]) -> Column {
    let is_swept =
        |row: &RunRow<'_>| row.run.combination.iter().any(|(path, _)| &**path == "program.pipelining");
    let is_told = rows.iter().any(is_swept)
        || rows.iter().all(|row| row.record.program.pipelining.is_none_or(|pipelining| pipelining == 1));
    Column::titled("parts", "program_pipelining", rows).only(rows, |_| !is_told)
}

/// The columns of a collective's bounds and of its busiest link.
fn bound_columns(rows: &[RunRow<'_>]) -> [Column; 9] {
    let column = |name| Column::new(name, rows);
    let link = |row: &RunRow<'_>| row.record.busiest_link_in_words().unwrap_or_default();
    [
        column("bandwidth_bound_cycles"),
        column("latency_bound_cycles"),
        column("cut_bound_cycles"),
        column("cut_bound_set"),
        column("steps_bound_cycles"),
        Column { header: "busiest link".to_owned(), cells: rows.iter().map(link).collect() },
        Column::titled("busy", "link_busy_max_cycles", rows),
        column("link_busy_share"),
        column("channel_congestion"),
    ]
}

/// Adds the table of the bounds of collectives and of their busiest links to a page, if there are any.
pub(super) fn add_bounds(page: &mut Page, runs: &[RunCaption], records: &[RunRecord]) {
    let all = runs.iter().zip(records).map(|(run, record)| RunRow { run, record });
    let rows: Vec<RunRow<'_>> = all.filter(|row| row.record.bandwidth_bound_cycles.is_some()).collect();
    if !rows.is_empty() {
        let caption = Some("bounds and busiest links".to_owned());
        let mut table = table(caption, &rows, bound_columns(&rows).to_vec(), |_| true);
        // The embedding is also in the table above, and there is rarely more than one.
        let is_alike = rows.windows(2).all(|pair| pair[0].run.embedding == pair[1].run.embedding);
        if table.words > 1 && is_alike {
            table.words -= 1;
            table.header.remove(table.words);
            for row in &mut table.rows {
                row.remove(table.words);
            }
        }
        page.table(TextTable { gives_way: &BOUNDS_GIVE_WAY, ..table });
    }
}

/// The columns that this table leaves out first, the least important first.
const BOUNDS_GIVE_WAY: [&str; 4] = ["channel congestion", "link use", "busy", "cut"];

/// The columns of a coordinated run.
pub(super) fn step_columns(rows: &[RunRow<'_>]) -> [Column; 2] {
    [Column::new("routing_steps", rows), Column::new("conflicts", rows)]
}

/// Adds the tables of the runs to a page: one per execution mode, since modes measure different things.
pub(super) fn add_tables(
    page: &mut Page,
    runs: &[RunCaption],
    records: &[RunRecord],
    columns: impl Fn(&[RunRow<'_>]) -> Vec<Column>,
) {
    let rows =
        runs.iter().zip(records).map(|(run, record)| (&*record.execution.mode, RunRow { run, record }));
    let sections = grouped(rows);
    let several = sections.len() > 1;
    let tables = sections.into_iter().map(|(mode, mut rows)| {
        sort_orders(&mut rows);
        let caption = several.then(|| mode.to_owned());
        table(caption, &rows, columns(&rows), |path| !(several && path == "execution.mode"))
    });
    page.tables(&tables.collect::<Vec<_>>());
}

/// Sorts the orders of axes of each combination by their times, the best first.
fn sort_orders(rows: &mut [RunRow<'_>]) {
    let is_order = |row: &RunRow<'_>| row.run.embedding.starts_with("axes:");
    let alike = |one: &RunRow<'_>, next: &RunRow<'_>| {
        one.run.combination == next.run.combination && is_order(one) == is_order(next)
    };
    for group in rows.chunk_by_mut(alike).filter(|group| group.first().is_some_and(is_order)) {
        group.sort_by_key(|row| row.record.makespan_cycles);
    }
}

/// A table with the swept settings whose paths are `shown`, the embedding, and the nonempty ones of `columns`.
fn table(
    caption: Option<String>,
    rows: &[RunRow<'_>],
    columns: Vec<Column>,
    shown: impl Fn(&str) -> bool,
) -> TextTable {
    let swept = SweptColumns::new(rows.iter().map(|row| &row.run.combination[..]), shown);
    let mut header = swept.header();
    // The load of open-loop traffic is a setting and a column.
    let is_new = |column: &Column| column.has_values() && !header.contains(&column.header);
    let columns: Vec<Column> = columns.into_iter().filter(is_new).collect();
    // Open-loop traffic is not placed.
    let has_embeddings = rows.iter().any(|row| row.record.open_loop.is_none());
    header.extend(has_embeddings.then(|| "embedding".to_owned()));
    header.extend(columns.iter().map(|column| column.header.clone()));
    let cells = |(place, row): (usize, &RunRow<'_>)| {
        let mut cells = swept.cells(&row.run.combination);
        cells.extend(has_embeddings.then(|| row.run.embedding.clone()));
        cells.extend(columns.iter().map(|column| column.cells[place].clone()));
        cells
    };
    let words = swept.header().len() + usize::from(has_embeddings);
    let rows = rows.iter().enumerate().map(cells).collect();
    TextTable { caption, rows, header, words, gives_way: &GIVE_WAY }
}

/// The settings whose values need no name in the column of cases.
const SAY_WHAT_THEY_ARE: [&str; 4] = ["kind", "shape", "file", "algorithm"];

/// The settings of a sweep in a table: a column for each setting that all runs have, and one for all others.
#[derive(Debug)]
pub(super) struct SweptColumns {
    of_all: Vec<String>,
    of_some: Vec<String>,
}

impl SweptColumns {
    /// The columns of the settings whose paths are `shown`; `combinations` has one entry per run.
    pub(super) fn new<C: AsRef<[SweptValue]>>(
        combinations: impl Iterator<Item = C>,
        shown: impl Fn(&str) -> bool,
    ) -> Self {
        let (mut paths, mut runs): (Vec<(String, u64)>, u64) = (vec![], 0);
        for combination in combinations {
            runs += 1;
            for (path, _) in combination.as_ref() {
                match paths.iter_mut().find(|(known, _)| **known == **path) {
                    Some((_, count)) => *count += 1,
                    None => paths.push((path.to_string(), 1)),
                }
            }
        }
        let paths = paths.into_iter().filter(|(path, _)| shown(path));
        let (of_all, of_some): (Vec<_>, Vec<_>) = paths.partition(|(_, count)| *count == runs);
        let names = |paths: Vec<(String, u64)>| paths.into_iter().map(|(path, _)| path).collect();
        Self { of_all: names(of_all), of_some: names(of_some) }
    }

    /// The headers.
    pub(super) fn header(&self) -> Vec<String> {
        let mut header = short_names(&self.of_all);
        header.extend((!self.of_some.is_empty()).then(|| "case".to_owned()));
        header
    }

    /// The cells of a run.
    pub(super) fn cells(&self, combination: &[SweptValue]) -> Vec<String> {
        let value = |path: &str| {
            combination.iter().find(|(swept, _)| &**swept == path).map(|(_, value)| shown(path, value))
        };
        let mut cells: Vec<String> = self.of_all.iter().map(|path| value(path).unwrap_or_default()).collect();
        if !self.of_some.is_empty() {
            let named = short_names(&self.of_some).into_iter().zip(&self.of_some);
            let named_values = named.filter_map(|(name, path)| {
                let value = value(path)?;
                Some(if SAY_WHAT_THEY_ARE.contains(&name.as_str()) {
                    value
                } else {
                    format!("{name} {value}")
                })
            });
            let case = named_values.collect::<Vec<_>>().join(", ");
            // A case whose keys have columns of their own is named by these.
            let is_as_written = case.is_empty() && self.of_all.is_empty();
            cells.push(if is_as_written { "as written".to_owned() } else { case });
        }
        cells
    }
}

/// The last words of the paths, or the whole paths if two end alike.
fn short_names(paths: &[String]) -> Vec<String> {
    let ends: Vec<&str> = paths.iter().map(|path| last_word(path)).collect();
    let unlike = |end: &str| ends.iter().filter(|other| **other == end).count() == 1;
    let name = |(path, end): (&String, &&str)| if unlike(end) { (*end).to_owned() } else { path.clone() };
    paths.iter().zip(&ends).map(name).collect()
}

/// The mark beside the least makespan.
const MARK: &str = "*";

/// The mark of each row, or nothing. Rows that differ only in the embedding and the algorithm, with its exchange and ports,
/// are rivals. If all rivals are equally fast, none has a mark.
fn marks(rows: &[RunRow<'_>]) -> Vec<String> {
    let mut groups: BTreeMap<Vec<SweptValue>, (Option<u64>, Option<u64>)> = BTreeMap::new();
    let settings = |row: &RunRow<'_>| settings_besides_algorithms(&row.run.combination);
    for row in rows {
        let makespan = row.record.makespan_cycles;
        let (least, greatest) = groups.entry(settings(row)).or_insert((makespan, makespan));
        (*least, *greatest) = (makespan.min(*least), makespan.max(*greatest));
    }
    let is_best = |row: &RunRow<'_>| {
        let extremes = groups.get(&settings(row));
        extremes.is_some_and(|(least, greatest)| least < greatest && row.record.makespan_cycles == *least)
    };
    rows.iter().map(|row| if is_best(row) { MARK.to_owned() } else { String::new() }).collect()
}

/// The explanation of the mark, if there is one.
pub(super) fn mark_legend(runs: &[RunCaption], records: &[RunRecord]) -> Option<String> {
    let rows: Vec<RunRow<'_>> =
        runs.iter().zip(records).map(|(run, record)| RunRow { run, record }).collect();
    let any = marks(&rows).iter().any(|mark| !mark.is_empty());
    let swept = runs.iter().any(|run| !run.combination.is_empty());
    let of = if swept { " of its combination" } else { "" };
    let variants = variants_in_words(runs.iter().map(|run| &run.combination[..]));
    any.then(|| format!("{MARK} the fewest cycles{of}{variants}."))
}

/// The number of letters of a bar.
const LETTERS: u128 = 10;

/// The activities of processes, in the order of a stage: a letter, its meaning, and the cycles.
type Activity = (char, &'static str, fn(&TotalsRecord) -> u128);

const ACTIVITIES: [Activity; 7] = [
    ('c', "computes", |totals| totals.compute_cycles),
    ('s', "shares a processor", |totals| totals.sharing_cycles),
    ('w', "waits", |totals| totals.waiting_cycles),
    ('t', "on the way", |totals| totals.transfer_cycles),
    ('b', "blocked", |totals| totals.blocked_cycles),
    ('m', "sends or receives messages", |totals| totals.overhead_cycles),
    ('.', "idle at the end", |totals| totals.idle_at_end_cycles),
];

/// The bar: a letter for each tenth of the time, rounded to ten letters in all. `None` if no time passes.
fn time_bar(totals: &TotalsRecord) -> Option<String> {
    let cycles = ACTIVITIES.map(|(_, _, of)| of(totals));
    let all = cycles.iter().try_fold(0_u128, |sum, part| sum.checked_add(*part)).filter(|all| *all > 0)?;
    let mut shares = vec![];
    for part in cycles {
        let scaled = part.checked_mul(LETTERS)?;
        shares.push((scaled / all, scaled % all));
    }
    let given: u128 = shares.iter().map(|(whole, _)| whole).sum();
    // The remaining letters go to the greatest remainders, on ties to the first.
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by_key(|&place| std::cmp::Reverse(shares[place].1));
    for &place in order.iter().take(usize::try_from(LETTERS - given).unwrap_or(0)) {
        shares[place].0 += 1;
    }
    let letters = |((whole, _), (letter, _, _)): (&(u128, u128), &Activity)| {
        letter.to_string().repeat(usize::try_from(*whole).unwrap_or(0))
    };
    Some(shares.iter().zip(&ACTIVITIES).map(letters).collect())
}

/// The meaning of the letters of the bars, if there are any.
pub(super) fn bar_legend(records: &[RunRecord]) -> Option<String> {
    let bars: String = records.iter().filter_map(|record| time_bar(&record.divided_time()?)).collect();
    let used = ACTIVITIES.iter().filter(|(letter, _, _)| bars.contains(*letter));
    let meanings: Vec<String> = used.map(|(letter, meaning, _)| format!("{letter} {meaning}")).collect();
    (!meanings.is_empty()).then(|| format!("time: a tenth a letter: {}.", meanings.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bar of compute, sharing, waiting, transfer, blocked and idle cycles.
    fn bar(cycles: [u128; 6]) -> Option<String> {
        let [
            compute_cycles,
            sharing_cycles,
            waiting_cycles,
            transfer_cycles,
            blocked_cycles,
            idle_at_end_cycles,
        ] = cycles;
        time_bar(&TotalsRecord {
            compute_cycles,
            sharing_cycles,
            waiting_cycles,
            transfer_cycles,
            blocked_cycles,
            overhead_cycles: 0,
            idle_at_end_cycles,
        })
    }

    #[test]
    fn a_bar_has_a_letter_for_each_tenth() {
        assert_eq!(bar([3, 1, 2, 2, 1, 1]).unwrap(), "cccswwttb.");
        assert_eq!(bar([384, 0, 0, 896, 0, 0]).unwrap(), "cccttttttt");
    }

    #[test]
    fn rounded_shares_add_up_to_ten() {
        // Six times 1.67: each has one letter, and the remaining four go to the first.
        assert_eq!(bar([1; 6]).unwrap(), "ccsswwttb.");
        // 9.6, 0.3 and 0.1: small shares have no letter.
        assert_eq!(bar([96, 3, 1, 0, 0, 0]).unwrap(), "cccccccccc");
    }

    #[test]
    fn no_time_has_no_bar_and_the_greatest_sums_do_no_harm() {
        assert_eq!(bar([0; 6]), None);
        assert_eq!(bar([u128::MAX, 1, 0, 0, 0, 0]), None);
        assert_eq!(bar([u128::MAX, 0, 0, 0, 0, 0]), None);
    }
}
