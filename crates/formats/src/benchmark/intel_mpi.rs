//! Intel MPI Benchmarks: `# Benchmarking PingPong`, `# #processes = 2`, a heading with `#bytes` and
//! `#repetitions`, then a row per size.
//!
//! A time is that of a message one way, or the mean over the processes (`t_avg`). The rates of `Uniband` and
//! `Biband` are sums over all pairs, and over both directions.

use super::{
    collective_test::{MAX_RANKS, Operation, SizeOf, Steps},
    measurement::{MeasurementOptions, Point, Series, SeriesKind, is_number, keep_chosen, missing_ranks},
};
use crate::input::{
    diagnostic::Diagnostics,
    text::{Remarks, described, lines, span},
};

/// Text before the name of a benchmark.
const STARTING: &str = "Benchmarking ";

/// The quantity of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Test {
    /// One message at a time.
    Single,
    /// Many messages of each process, or of half of them; a rate is their sum.
    Rate {
        senders_per_rank: f64,
    },
    Collective(Operation, SizeOf),
}

static TESTS: [(&str, Test); 23] = [
    ("PingPong", Test::Single),
    ("PingPongSpecificSource", Test::Single),
    ("PingPongAnySource", Test::Single),
    ("PingPing", Test::Single),
    ("PingPingSpecificSource", Test::Single),
    ("PingPingAnySource", Test::Single),
    ("Sendrecv", Test::Single),
    ("Uniband", Test::Rate { senders_per_rank: 0.5 }),
    ("Biband", Test::Rate { senders_per_rank: 1.0 }),
    ("Allreduce", Test::Collective(Operation::AllReduce, SizeOf::Vector)),
    ("Reduce_scatter", Test::Collective(Operation::ReduceScatter, SizeOf::Vector)),
    ("Reduce_scatter_block", Test::Collective(Operation::ReduceScatter, SizeOf::Vector)),
    ("Reduce", Test::Collective(Operation::Reduce, SizeOf::Vector)),
    ("Bcast", Test::Collective(Operation::Broadcast, SizeOf::Vector)),
    ("Allgather", Test::Collective(Operation::AllGather, SizeOf::Part)),
    ("Allgatherv", Test::Collective(Operation::AllGather, SizeOf::Part)),
    ("Gather", Test::Collective(Operation::Gather, SizeOf::Part)),
    ("Gatherv", Test::Collective(Operation::Gather, SizeOf::Part)),
    ("Scatter", Test::Collective(Operation::Scatter, SizeOf::Part)),
    ("Scatterv", Test::Collective(Operation::Scatter, SizeOf::Part)),
    ("Alltoall", Test::Collective(Operation::AllToAll, SizeOf::Part)),
    ("Alltoallv", Test::Collective(Operation::AllToAll, SizeOf::Part)),
    ("Alltoallw", Test::Collective(Operation::AllToAll, SizeOf::Part)),
];

/// Whether a text has the headings of these benchmarks.
pub(super) fn is_output(text: &str) -> bool {
    text.lines().any(|line| line.contains("#repetitions") || title(line.trim()).is_some())
}

/// A benchmark in a text.
#[derive(Debug)]
struct Table<'t> {
    title: &'t str, // a slice of the text
    ranks: Option<u32>,
    column: Option<Column>,
    rows: Vec<(u64, f64)>, // sizes and numbers of the column
    left_out: u64,
}

impl Table<'_> {
    /// The operation that its title names.
    fn operation(&self) -> Option<&'static str> {
        match TESTS.iter().find(|(name, _)| *name == self.title)?.1 {
            Test::Collective(operation, _) => Some(operation.name()),
            Test::Single | Test::Rate { .. } => None,
        }
    }

    /// The error for this table after the first one.
    fn after(&self, first: &Self) -> String {
        let (title, ranks) = (self.title, |table: &Self| table.ranks.unwrap_or(0));
        if title != first.title {
            format!(
                "a second benchmark, {title} after {}, expected one a file, or --operation NAME",
                first.title
            )
        } else if self.ranks == first.ranks {
            format!("{title} a second time, expected one benchmark a file")
        } else {
            format!(
                "{title} a second time, with {} processes for {}, expected one benchmark a file, or --ranks N",
                ranks(self),
                ranks(first)
            )
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Column {
    place: usize,
    is_rate: bool, // messages per second, else microseconds
}

/// The only table of a text, or of the chosen operation and ranks; reports errors and returns `None` for several tables
/// or an unknown benchmark.
pub(super) fn read(text: &str, options: MeasurementOptions, diagnostics: &mut Diagnostics) -> Option<Series> {
    let mut tables = tables(text, diagnostics);
    keep_chosen(&mut tables, options, Table::operation, |table| table.ranks);
    let Some(table) = tables.first() else {
        let message = || format!("no line \"# {STARTING}NAME\", expected one before the rows");
        diagnostics.add(0..0, message);
        return None;
    };
    let Some(&(_, test)) = TESTS.iter().find(|(name, _)| *name == table.title) else {
        let names: Vec<&str> = TESTS.iter().map(|&(name, _)| name).collect();
        let message = || format!("benchmark is {}, expected {}", described(table.title), names.join(", "));
        diagnostics.add(span(text, table.title), message);
        return None;
    };
    if let Some(second) = tables.get(1) {
        diagnostics.add(span(text, second.title), || second.after(table));
        return None;
    }
    if !diagnostics.is_empty() {
        return None;
    }
    let ranks = table.ranks.or(options.ranks);
    let kind = match (test, ranks) {
        (Test::Single, _) => SeriesKind::Single,
        (Test::Rate { .. }, Some(_)) => SeriesKind::Streaming,
        (Test::Collective(operation, size), Some(ranks)) if ranks >= 2 => {
            operation.among(ranks.min(MAX_RANKS), Steps::Rounds, size)
        }
        (Test::Rate { .. } | Test::Collective(..), _) => {
            diagnostics.add(span(text, table.title), || missing_ranks(table.title));
            return None;
        }
    };
    let points = points(table, test, f64::from(ranks.unwrap_or(2)));
    Some(Series { benchmark: format!("IMB {}", table.title), kind, points, left_out: table.left_out })
}

/// The name of a benchmark in a line.
fn title(line: &str) -> Option<&str> {
    line.strip_prefix('#')?.trim_start().strip_prefix(STARTING).map(str::trim)
}

/// The number of processes in a line `# #processes = 2`.
fn processes(line: &str) -> Option<u32> {
    let (_, rest) = line.split_once("#processes")?;
    let digits = rest.trim_start_matches([' ', '=', '\t']);
    digits.split(|sign: char| !sign.is_ascii_digit()).next()?.parse().ok()
}

fn tables<'t>(text: &'t str, diagnostics: &mut Diagnostics) -> Vec<Table<'t>> {
    let mut tables: Vec<Table<'t>> = vec![];
    for line in lines(text, Remarks::None) {
        if let Some(title) = title(line) {
            tables.push(Table { title, ranks: None, column: None, rows: vec![], left_out: 0 });
            continue;
        }
        let Some(table) = tables.last_mut() else { continue };
        if line.contains("#repetitions") {
            table.column = column(line);
        } else if line.starts_with('#') {
            table.ranks = table.ranks.or_else(|| processes(line));
        } else if let Some(column) = table.column {
            add_row(table, column, line, text, diagnostics);
        }
    }
    tables
}

/// The column of times, else of messages a second; `None` if a heading has neither.
fn column(heading: &str) -> Option<Column> {
    let names: Vec<&str> = heading.split_whitespace().collect();
    let place = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
    let time = place("t[usec]").or_else(|| place("t_avg[usec]"));
    let time = time.map(|place| Column { place, is_rate: false });
    time.or_else(|| place("Msg/sec").map(|place| Column { place, is_rate: true }))
}

/// Adds a row, or counts a line that is not a row.
fn add_row(table: &mut Table<'_>, column: Column, line: &str, text: &str, diagnostics: &mut Diagnostics) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let Ok(bytes) = words[0].parse::<u64>() else {
        table.left_out += 1;
        return;
    };
    // Words follow sizes that do not fit.
    if words.get(1).is_some_and(|word| !is_number(word)) {
        table.left_out += 1;
        return;
    }
    let number = words.get(column.place).and_then(|word| word.parse::<f64>().ok());
    match number.filter(|number| number.is_finite() && *number >= 0.0) {
        Some(0.0) => table.left_out += 1,
        Some(number) => table.rows.push((bytes, number)),
        None => {
            let message = || format!("line is {}, expected the columns of the heading", described(line));
            diagnostics.add(span(text, line), message);
        }
    }
}

/// Converts to times, or times between two messages. Leaves out collectives of 0 bytes, which do nothing.
fn points(table: &Table<'_>, test: Test, ranks: f64) -> Vec<Point> {
    let is_rate = table.column.is_some_and(|column| column.is_rate);
    let senders = if let Test::Rate { senders_per_rank } = test { ranks * senders_per_rank } else { 1.0 };
    let point = |&(bytes, number): &(u64, f64)| {
        let seconds = if is_rate { senders / number } else { number * 1e-6 };
        let is_timed = seconds.is_finite() && seconds > 0.0;
        (is_timed && (bytes > 0 || test == Test::Single)).then_some(Point { bytes, seconds })
    };
    table.rows.iter().filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_say_where_the_time_is() {
        let of = |heading| column(heading).map(|column| (column.place, column.is_rate));
        assert_eq!(of("#bytes #repetitions      t[usec]   Mbytes/sec"), Some((2, false)));
        assert_eq!(of("#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]"), Some((4, false)));
        assert_eq!(of("#bytes #repetitions   Mbytes/sec      Msg/sec"), Some((3, true)));
        assert_eq!(of("#repetitions t_ovrl[usec]"), None);
        assert_eq!(processes("# #processes = 128 "), Some(128));
    }
}
