//! nccl-tests: a heading with `time`, `algbw` and `busbw`, then a row per size. The other columns vary by version:
//! some lack `redop` and `root`, all have in-place columns at the end, and the newest have more after them.
//! The heading identifies the columns. The out-of-place time is used if there is one. The beginning of a row is printed
//! before it is measured, so that messages of the library (`NCCL_DEBUG=INFO`) may stand inside it.
//!
//! The ratio of the two bandwidths gives the share of the vector that passes a rank, and hence the number of
//! ranks if they are not listed: `2 (n-1) / n` in an all-reduce, `(n-1) / n` in a reduce-scatter or
//! all-gather, 1 in a send. Only newer versions print the name of the benchmark; without it, the ratio, the
//! reduction (`redop`) and the ranks must identify the benchmark.

use std::collections::BTreeSet;

use super::{
    collective_test::{MAX_RANKS, Operation, SizeOf, Steps},
    measurement::{
        MeasurementOptions, Point, Series, SeriesKind, is_number, keep_chosen, missing_ranks, positive,
    },
};
use crate::input::{
    diagnostic::Diagnostics,
    text::{Remarks, described, lines, span},
};

/// Text before the name of the benchmark.
const STARTING: &str = "Collective test starting:";

/// A benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Test {
    Send,
    Collective(Operation),
}

static TESTS: [(&str, Test); 10] = [
    ("all_reduce_perf", Test::Collective(Operation::AllReduce)),
    ("all_gather_perf", Test::Collective(Operation::AllGather)),
    ("reduce_scatter_perf", Test::Collective(Operation::ReduceScatter)),
    ("alltoall_perf", Test::Collective(Operation::AllToAll)),
    ("broadcast_perf", Test::Collective(Operation::Broadcast)),
    ("reduce_perf", Test::Collective(Operation::Reduce)),
    ("gather_perf", Test::Collective(Operation::Gather)),
    ("scatter_perf", Test::Collective(Operation::Scatter)),
    ("hypercube_perf", Test::Collective(Operation::Hypercube)),
    ("sendrecv_perf", Test::Send),
];

/// Whether a text has the columns of nccl-tests.
pub(super) fn is_output(text: &str) -> bool {
    text.lines().any(|line| line.contains("algbw") && line.contains("busbw"))
}

/// The only table of a text, or of those with a title the one of the chosen operation; reports errors and returns `None`
/// for several tables or an unknown benchmark.
pub(super) fn read(text: &str, options: MeasurementOptions, diagnostics: &mut Diagnostics) -> Option<Series> {
    let mut tables = tables(text, diagnostics);
    let listed = |table: &Table<'_>| u32::try_from(table.ranks.len()).ok().filter(|ranks| *ranks > 0);
    keep_chosen(&mut tables, options, Table::operation, listed);
    if let [first, second, ..] = &tables[..] {
        let message = || format!("{}, expected one a file, or --operation NAME", second.after(first));
        diagnostics.add(span(text, second.first_line), message);
        return None;
    }
    let table = tables.into_iter().next()?;
    if !diagnostics.is_empty() {
        return None;
    }
    let kind = kind(text, &table, options.ranks, diagnostics)?;
    let benchmark = table.title.unwrap_or("nccl-tests").to_owned();
    let points = table.rows.iter().map(|row| row.point).collect();
    Some(Series { benchmark, kind, points, left_out: table.left_out })
}

#[derive(Debug)]
struct Columns {
    operation: Option<usize>,
    root: Option<usize>,
    measured: Vec<[usize; 3]>, // time, algbw and busbw, out of place and in place; at least one
    wrong: Vec<usize>,         // numbers of wrong results
}

/// A benchmark in a text.
#[derive(Debug)]
struct Table<'t> {
    first_line: &'t str,
    title: Option<&'t str>,
    ranks: BTreeSet<u32>, // the listed ranks
    columns: Option<Columns>,
    rows: Vec<Row<'t>>,
    begun: Vec<&'t str>, // the words of a row before a message of the library
    left_out: u64,
}

#[derive(Debug)]
struct Row<'t> {
    point: Point,
    bandwidths: [f64; 2],       // algbw and busbw, at least 0
    operation: Option<&'t str>, // `None` without such a column
    root: Option<&'t str>,
    line: &'t str,
}

impl<'t> Table<'t> {
    fn new(first_line: &'t str) -> Self {
        let (ranks, rows, begun) = (BTreeSet::new(), vec![], vec![]);
        Self { first_line, title: None, ranks, columns: None, rows, begun, left_out: 0 }
    }

    /// The operation that its title names.
    fn operation(&self) -> Option<&'static str> {
        match TESTS.iter().find(|(name, _)| Some(*name) == self.title)?.1 {
            Test::Collective(operation) => Some(operation.name()),
            Test::Send => None,
        }
    }

    /// Describes this table as the second one after `first`.
    fn after(&self, first: &Self) -> String {
        let name = |table: &Self| table.title.unwrap_or("nccl-tests").to_owned();
        if self.title != first.title {
            return format!("a second benchmark, {} after {}", name(self), name(first));
        }
        let mut differences = vec![];
        let words = |table: &Self| -> [Option<&'t str>; 2] {
            let row = table.rows.first();
            [row.and_then(|row| row.operation), row.and_then(|row| row.root)]
        };
        let shown = |word: Option<&'t str>| word.unwrap_or("none");
        for ((column, before), now) in ["redop", "root"].iter().zip(words(first)).zip(words(self)) {
            if before != now {
                differences.push(format!("{column} {} for {}", shown(now), shown(before)));
            }
        }
        if self.ranks.len() != first.ranks.len() {
            differences.push(format!("{} ranks for {}", self.ranks.len(), first.ranks.len()));
        }
        let sizes = |table: &Self| table.rows.iter().map(|row| row.point.bytes).collect::<Vec<_>>();
        if sizes(self) != sizes(first) {
            differences.push("other sizes".to_owned());
        }
        let differences = if differences.is_empty() {
            "the same sizes and ranks".to_owned()
        } else {
            differences.join(", ")
        };
        format!("{} a second time, with {differences}", name(self))
    }

    fn add_remark(&mut self, remark: &'t str, text: &str, diagnostics: &mut Diagnostics) {
        if let Some(title) = remark.strip_prefix(STARTING) {
            self.title = Some(title.trim());
        }
        self.ranks.extend(listed_rank(remark));
        if remark.contains("algbw") && remark.contains("busbw") {
            self.columns = columns(remark);
            if self.columns.is_none() {
                let message = || {
                    format!(
                        "columns are {}, expected size, time, algbw and busbw among them",
                        described(remark)
                    )
                };
                diagnostics.add(span(text, remark), message);
            }
        }
    }

    /// Adds a line that is not a comment.
    fn add_line(&mut self, line: &'t str, text: &str, diagnostics: &mut Diagnostics) {
        let Some(columns) = &self.columns else { return };
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if !self.begun.is_empty() && words.iter().all(|word| is_number(word) || *word == "N/A") {
            words = [std::mem::take(&mut self.begun), words].concat();
        }
        // Other lines are messages of the library.
        let is_row = words[0].parse::<u64>().is_ok() && words.get(1).is_none_or(|word| is_number(word));
        if !is_row {
            self.left_out += 1;
            return;
        }
        if let Some(row) = row(&words, columns, line) {
            if let Some(wrong) = columns.wrong.iter().find_map(|&place| positive(words.get(place)?)) {
                let message =
                    || format!("{wrong} results are wrong (#wrong), expected measurements of a sound run");
                diagnostics.add(span(text, line), message);
            }
            self.rows.extend((row.point.bytes > 0).then_some(row));
        } else if line.contains("NCCL") {
            self.begun = words.into_iter().take(columns.measured[0][0]).collect();
            self.left_out += 1;
        } else {
            let message = || {
                format!(
                    "line is {}, expected the columns of the heading: a size, a time above 0, and bandwidths",
                    described(line)
                )
            };
            diagnostics.add(span(text, line), message);
        }
    }
}

fn tables<'t>(text: &'t str, diagnostics: &mut Diagnostics) -> Vec<Table<'t>> {
    let mut tables: Vec<Table<'t>> = vec![];
    for line in lines(text, Remarks::None) {
        let remark = line.strip_prefix('#').map(str::trim);
        let has_columns = tables.last().is_some_and(|table| table.columns.is_some());
        let begins = remark.is_some_and(begins_table);
        if tables.is_empty() || begins && has_columns {
            tables.push(Table::new(line));
        }
        let Some(table) = tables.last_mut() else { continue };
        match remark {
            Some(remark) => table.add_remark(remark, text, diagnostics),
            None => table.add_line(line, text, diagnostics),
        }
    }
    tables.retain(|table| table.columns.is_some());
    tables
}

/// Whether a comment after a heading starts another table.
fn begins_table(remark: &str) -> bool {
    let is_heading = remark.contains("algbw") && remark.contains("busbw");
    remark.starts_with(STARTING) || remark.starts_with("nThread ") || is_heading
}

/// The rank in a comment that lists a rank and its device.
fn listed_rank(remark: &str) -> Option<u32> {
    let mut words = remark.split_whitespace();
    words.next().filter(|word| *word == "Rank")?;
    words.next()?.parse().ok()
}

fn columns(heading: &str) -> Option<Columns> {
    let names: Vec<&str> = heading.split_whitespace().collect();
    let all = |wanted: &[&str]| -> Vec<usize> {
        (0..names.len()).filter(|&place| wanted.contains(&names[place])).collect()
    };
    let (times, algorithms, buses) = (all(&["time", "cputime"]), all(&["algbw"]), all(&["busbw"]));
    let measured: Vec<[usize; 3]> = times
        .into_iter()
        .zip(algorithms)
        .zip(buses)
        .map(|((time, algorithm), bus)| [time, algorithm, bus])
        .collect();
    let is_known = ["size", "bytes"].contains(names.first()?) && !measured.is_empty();
    let first = |name: &str| all(&[name]).first().copied();
    is_known.then(|| Columns {
        operation: first("redop"),
        root: first("root"),
        measured,
        wrong: all(&["#wrong"]),
    })
}

/// A row; `None` if its columns do not match the heading.
fn row<'t>(words: &[&'t str], columns: &Columns, line: &'t str) -> Option<Row<'t>> {
    let bytes = words.first()?.parse::<u64>().ok()?;
    let bandwidth = |place: usize| {
        let number = words.get(place)?.parse::<f64>().ok();
        number.filter(|number| number.is_finite() && *number >= 0.0)
    };
    let word = |place: Option<usize>| place.and_then(|place| words.get(place).copied());
    // A benchmark that runs only in place has N/A in the other columns.
    columns.measured.iter().find_map(|&[time, algorithm, bus]| {
        let seconds = positive(words.get(time)?)? * 1e-6;
        let bandwidths = [bandwidth(algorithm)?, bandwidth(bus)?];
        #[expect(clippy::cast_precision_loss, reason = "measurements have a few digits")]
        let ratio = bytes as f64 / seconds / (bandwidths[0] * 1e9);
        // The first versions print milliseconds.
        let unit = if bandwidths[0] >= 0.1 && (300.0..3000.0).contains(&ratio) { 1e3 } else { 1.0 };
        let point = Point { bytes, seconds: seconds * unit };
        Some(Row { point, bandwidths, operation: word(columns.operation), root: word(columns.root), line })
    })
}

/// The kind of the measurements; reports an error and returns `None` if it is unknown.
fn kind(
    text: &str,
    table: &Table<'_>,
    given: Option<u32>,
    diagnostics: &mut Diagnostics,
) -> Option<SeriesKind> {
    // The largest bandwidths give the most exact ratio: they have two decimals.
    let best = table.rows.iter().max_by(|one, other| one.bandwidths[1].total_cmp(&other.bandwidths[1]));
    let share = best.map_or(0.0, |row| row.bandwidths[1] / row.bandwidths[0]);
    let share = if share.is_finite() { share } else { 0.0 };
    let listed = u32::try_from(table.ranks.len()).unwrap_or(MAX_RANKS);
    let test = if let Some(title) = table.title {
        titled(text, title, diagnostics)?
    } else {
        let row = best?;
        let found = unnamed(row, share, listed.max(given.unwrap_or(0)));
        if found.is_none() {
            let shown = |word: Option<&str>| word.map_or_else(|| "none".to_owned(), described);
            let (operation, root) = (shown(row.operation), shown(row.root));
            let message = || {
                format!(
                    "redop {operation}, root {root} and bandwidths in a ratio of {share:.2} do not tell the benchmark, expected the line \"# {STARTING} NAME\" before them"
                )
            };
            diagnostics.add(span(text, row.line), message);
        }
        found?
    };
    let Test::Collective(operation) = test else { return Some(SeriesKind::Single) };
    if listed == 1 {
        diagnostics.add(span(text, table.first_line), || {
            "a run of 1 rank, expected ranks on several devices: it sends no message".to_owned()
        });
        return None;
    }
    let ranks = (listed >= 2).then_some(listed).or(given).or_else(|| ranks_of(operation, share));
    let Some(ranks) = ranks else {
        let name = table.title.unwrap_or("a benchmark");
        diagnostics.add(span(text, table.first_line), || missing_ranks(name));
        return None;
    };
    Some(operation.among(ranks.min(MAX_RANKS), Steps::Ring, SizeOf::Vector))
}

/// The benchmark of a title; reports an error and returns `None` if it is unknown.
fn titled(text: &str, title: &str, diagnostics: &mut Diagnostics) -> Option<Test> {
    let known = TESTS.iter().find(|(name, _)| *name == title);
    if known.is_none() {
        let expected: Vec<&str> = TESTS.iter().map(|&(name, _)| name).collect();
        let message = || format!("benchmark is {}, expected {}", described(title), expected.join(", "));
        diagnostics.add(span(text, title), message);
    }
    known.map(|&(_, test)| test)
}

/// The only benchmark that prints such a row on `ranks` ranks; 0 ranks are unknown.
///
/// All-gather and all-to-all print the same, as neither has a reduction; so do a send and an all-reduce of two
/// ranks in versions with a column `root`.
fn unnamed(row: &Row<'_>, share: f64, ranks: u32) -> Option<Test> {
    let has_root = row.root.is_some_and(|root| !root.starts_with('-'));
    let has_operation = row.operation.is_some_and(|operation| operation != "none");
    match (has_operation, has_root) {
        (true, true) => Some(Test::Collective(Operation::Reduce)),
        (false, true) => (share > 0.0 && (share - 1.0).abs() < 0.01 && ranks < 100)
            .then_some(Test::Collective(Operation::Broadcast)),
        (false, false) => None,
        (true, false) if share <= 0.0 => None,
        (true, false) if (share - 1.0).abs() >= 0.01 => {
            Some(Test::Collective(if share > 1.0 { Operation::AllReduce } else { Operation::ReduceScatter }))
        }
        // From 100 ranks on, a reduce-scatter also has that ratio. Sends are newer than the `root` column.
        (true, false) if row.root.is_none() => (ranks == 2).then_some(Test::Collective(Operation::AllReduce)),
        (true, false) => (3..100).contains(&ranks).then_some(Test::Send),
    }
}

/// The number of ranks with this ratio of bandwidths; `None` if it is the same for all, or unknown.
fn ranks_of(operation: Operation, share: f64) -> Option<u32> {
    let count = match operation {
        Operation::AllReduce => 2.0 / (2.0 - share.min(1.999_998)),
        Operation::ReduceScatter
        | Operation::AllGather
        | Operation::AllToAll
        | Operation::Gather
        | Operation::Scatter => 1.0 / (1.0 - share.min(0.999_999)),
        Operation::Broadcast | Operation::Reduce | Operation::Hypercube => return None,
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 2 to 2^20")]
    let whole = count.round().clamp(2.0, f64::from(MAX_RANKS)) as u32;
    (share > 0.0).then_some(whole)
}
