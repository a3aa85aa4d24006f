//! OSU Micro-Benchmarks: `# OSU MPI Latency Test v7.3`, `# Size  Latency (us)`, then a size and a number per
//! line.
//!
//! The line with the name determines the meaning of the numbers: with both directions, or several pairs of
//! processes, a rate is their sum. Further columns, such as extremes and validation results, are ignored.

use super::{
    collective_test::{MAX_RANKS, Operation, SizeOf, Steps},
    measurement::{MeasurementOptions, Point, Series, SeriesKind, is_number, missing_ranks},
};
use crate::input::{
    diagnostic::Diagnostics,
    text::{Remarks, described, lines, span},
};

/// The quantity of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Test {
    /// One message at a time.
    Latency,
    /// A rate, the sum of this number of directions.
    Rate(f64),
    Collective(Operation, SizeOf),
}

/// Names between the library and `Test`, in lower case.
static TESTS: [(&str, Test); 18] = [
    ("latency", Test::Latency),
    ("bandwidth", Test::Rate(1.0)),
    ("bi-directional bandwidth", Test::Rate(2.0)),
    ("multiple bandwidth / message rate", Test::Rate(1.0)),
    ("allreduce latency", Test::Collective(Operation::AllReduce, SizeOf::Vector)),
    ("reduce_scatter latency", Test::Collective(Operation::ReduceScatter, SizeOf::Vector)),
    ("reduce_scatter_block latency", Test::Collective(Operation::ReduceScatter, SizeOf::Vector)),
    ("broadcast latency", Test::Collective(Operation::Broadcast, SizeOf::Vector)),
    ("bcast latency", Test::Collective(Operation::Broadcast, SizeOf::Vector)),
    ("reduce latency", Test::Collective(Operation::Reduce, SizeOf::Vector)),
    ("allgather latency", Test::Collective(Operation::AllGather, SizeOf::Part)),
    ("allgatherv latency", Test::Collective(Operation::AllGather, SizeOf::Part)),
    ("gather latency", Test::Collective(Operation::Gather, SizeOf::Part)),
    ("gatherv latency", Test::Collective(Operation::Gather, SizeOf::Part)),
    ("scatter latency", Test::Collective(Operation::Scatter, SizeOf::Part)),
    ("scatterv latency", Test::Collective(Operation::Scatter, SizeOf::Part)),
    ("all-to-all personalized exchange latency", Test::Collective(Operation::AllToAll, SizeOf::Part)),
    ("alltoall latency", Test::Collective(Operation::AllToAll, SizeOf::Part)),
];

/// Libraries whose benchmarks send messages. Others, such as `MPI_Put`, name one-sided operations.
const LIBRARIES: [&str; 4] = ["MPI", "NCCL", "RCCL", "XCCL"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Microseconds,
    MegabytesPerSecond,
}

/// A benchmark in a text.
#[derive(Debug)]
struct Table<'t> {
    first_line: &'t str,
    title: Option<&'t str>, // `OSU MPI Latency Test`
    pairs: f64,             // at least 1
    column: Option<Column>,
    rows: Vec<(u64, f64)>, // sizes and numbers of the column
    left_out: u64,
}

impl<'t> Table<'t> {
    fn new(first_line: &'t str) -> Self {
        Self { first_line, title: None, pairs: 1.0, column: None, rows: vec![], left_out: 0 }
    }

    /// Adds a line that is not a comment.
    fn add_line(&mut self, line: &'t str, text: &str, diagnostics: &mut Diagnostics) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_size = words[0].parse::<u64>().is_ok();
        let is_row = is_size && (words.len() <= 2 || is_number(words[1]));
        if !is_row {
            self.left_out += 1;
            return;
        }
        let bytes = words[0].parse::<u64>().ok();
        let number = words.get(1).and_then(|word| word.parse::<f64>().ok());
        match bytes.zip(number.filter(|number| number.is_finite() && *number >= 0.0)) {
            // A rate of 0.00 is too small to be used.
            Some((_, 0.0)) => self.left_out += 1,
            Some(row) => self.rows.push(row),
            None => {
                let message =
                    || format!("line is {}, expected a size in bytes and a number above 0", described(line));
                diagnostics.add(span(text, line), message);
            }
        }
    }
}

/// The only table of a text; reports errors and returns `None` for several tables or an unknown benchmark.
pub(super) fn read(text: &str, options: MeasurementOptions, diagnostics: &mut Diagnostics) -> Option<Series> {
    let tables = tables(text, diagnostics);
    let mut known = vec![];
    for table in &tables {
        known.push(test(text, table, diagnostics)?);
    }
    if let [first, second, ..] = &tables[..] {
        let title = |table: &Table<'_>| table.title.unwrap_or("one without a title").to_owned();
        let message = || {
            if first.title == second.title {
                format!("{} a second time, expected one benchmark a file", title(second))
            } else {
                format!("a second benchmark, {} after {}, expected one a file", title(second), title(first))
            }
        };
        diagnostics.add(span(text, second.first_line), message);
        return None;
    }
    let Some((table, test)) = tables.into_iter().next().zip(known.first().copied()) else {
        complain_of_columns(text, diagnostics);
        return None;
    };
    let kind = match test {
        Test::Latency => SeriesKind::Single,
        Test::Rate(_) => SeriesKind::Streaming,
        Test::Collective(operation, size) => {
            let Some(ranks) = options.ranks else {
                let title = table.title.unwrap_or_default();
                diagnostics.add(span(text, title), || missing_ranks(title));
                return None;
            };
            operation.among(ranks.clamp(2, MAX_RANKS), Steps::Rounds, size)
        }
    };
    let points = points(&table, test);
    let benchmark = table.title.unwrap_or_default().to_owned();
    Some(Series { benchmark, kind, points, left_out: table.left_out })
}

/// The tables of a text that have columns.
fn tables<'t>(text: &'t str, diagnostics: &mut Diagnostics) -> Vec<Table<'t>> {
    let mut tables: Vec<Table<'t>> = vec![];
    for line in lines(text, Remarks::None) {
        let Some(remark) = line.strip_prefix('#').map(str::trim) else {
            if let Some(table) = tables.last_mut().filter(|table| table.column.is_some()) {
                table.add_line(line, text, diagnostics);
            }
            continue;
        };
        let (title, column) = (title(remark), column(remark));
        let last = tables.last();
        let is_full =
            last.is_none_or(|table| table.column.is_some() || title.is_some() && table.title.is_some());
        if (title.is_some() || column.is_some()) && is_full {
            tables.push(Table::new(line));
        }
        let Some(table) = tables.last_mut() else { continue };
        table.title = table.title.or(title);
        table.column = table.column.or(column);
        table.pairs = pairs(remark).unwrap_or(table.pairs);
    }
    // A title without columns counts if its benchmark is unknown, since its columns may be unknown, too.
    tables.retain(|table| table.column.is_some() || table.title.is_some());
    tables
}

/// The benchmark of a table; reports an error and returns `None` if its name is unknown. A table without a
/// name is classified by its column.
fn test(text: &str, table: &Table<'_>, diagnostics: &mut Diagnostics) -> Option<Test> {
    let Some(title) = table.title else {
        return Some(match table.column {
            Some(Column::MegabytesPerSecond) => Test::Rate(1.0),
            Some(Column::Microseconds) | None => Test::Latency,
        });
    };
    let known = name(title).and_then(|name| TESTS.iter().find(|(test, _)| *test == name));
    if known.is_none() {
        let names: Vec<&str> = TESTS.iter().map(|&(name, _)| name).collect();
        let message = || {
            format!(
                "benchmark is {}, expected one of messages between two sides, or a blocking collective: {}",
                described(title),
                names.join(", ")
            )
        };
        diagnostics.add(span(text, title), message);
    }
    known.map(|&(_, test)| test)
}

/// The title of a benchmark in a comment, without its version: `OSU MPI Latency Test`.
fn title(remark: &str) -> Option<&str> {
    if !(remark.starts_with("OSU ") || remark.starts_with("OMB")) {
        return None;
    }
    let end = remark.find(" Test").map_or(remark.len(), |at| at + " Test".len());
    Some(&remark[..end])
}

/// The name in a title, in lower case: `latency`; `None` if the title names no known library.
fn name(title: &str) -> Option<String> {
    let rest = title.strip_prefix("OSU ")?.strip_suffix(" Test")?;
    let (library, name) = rest.split_once(' ')?;
    // A dash precedes the device: MPI-CUDA.
    let library = library.split_once('-').map_or(library, |(library, _)| library);
    let name = name.trim().to_ascii_lowercase();
    let name = name.strip_prefix("persistent ").unwrap_or(&name);
    LIBRARIES.contains(&library).then(|| name.to_owned())
}

/// Reports that no line names the columns.
fn complain_of_columns(text: &str, diagnostics: &mut Diagnostics) {
    if !diagnostics.is_empty() {
        return;
    }
    let Some(line) = lines(text, Remarks::None).find(|line| !line.starts_with('#')) else {
        let expected = "no measurements, expected the output of an OSU benchmark, of the Intel MPI Benchmarks or of nccl-tests";
        diagnostics.add(0..0, || expected.to_owned());
        return;
    };
    let message = || {
        format!(
            "line is {}, expected \"# Size\" with \"Latency (us)\" or \"Bandwidth (MB/s)\" before it",
            described(line)
        )
    };
    diagnostics.add(span(text, line), message);
}

/// Number of process pairs in `[ pairs: 4 ] [ window size: 64 ]`.
fn pairs(remark: &str) -> Option<f64> {
    let (_, rest) = remark.split_once("pairs:")?;
    let number: u32 = rest.split([']', ' ']).find(|word| !word.is_empty())?.parse().ok()?;
    (number > 0).then(|| f64::from(number))
}

/// The contents of the second column, if this line names the columns.
fn column(remark: &str) -> Option<Column> {
    let after = remark.strip_prefix("Size")?.to_ascii_lowercase();
    // Only the first column after the size is used: message rates come after bandwidths, extremes after means.
    let find = |words: &str| after.find(words);
    match (find("(us)").or(find("latency")), find("mb/s")) {
        (Some(time), Some(rate)) if rate < time => Some(Column::MegabytesPerSecond),
        (Some(_), _) => Some(Column::Microseconds),
        (None, Some(_)) => Some(Column::MegabytesPerSecond),
        (None, None) => None,
    }
}

/// Converts to times, or times between two messages, given the sum of equal rates. Leaves out collectives of 0
/// bytes, which do nothing.
#[expect(clippy::cast_precision_loss, reason = "measurements have a few digits")]
fn points(table: &Table<'_>, test: Test) -> Vec<Point> {
    let summed = table.pairs * if let Test::Rate(directions) = test { directions } else { 1.0 };
    let point = |&(bytes, number): &(u64, f64)| {
        let seconds = match table.column {
            Some(Column::MegabytesPerSecond) => bytes as f64 * summed / (number * 1e6),
            Some(Column::Microseconds) | None => number * 1e-6,
        };
        let is_timed = seconds.is_finite() && seconds > 0.0;
        (is_timed && (bytes > 0 || test == Test::Latency)).then_some(Point { bytes, seconds })
    };
    table.rows.iter().filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_name_the_library_and_the_benchmark() {
        let of = |remark| title(remark).and_then(name);
        assert_eq!(of("OSU MPI-CUDA Latency Test v7.5").as_deref(), Some("latency"));
        assert_eq!(of("OSU MPI Persistent Allreduce Latency Test").as_deref(), Some("allreduce latency"));
        for other in ["OSU MPI_Put Bandwidth Test v7.5", "OSU OpenSHMEM Put Test", "OMB-Py MPI Latency Test"]
        {
            assert!(title(other).is_some() && of(other).is_none(), "{other}");
        }
    }
}
