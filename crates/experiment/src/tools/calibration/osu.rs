//! OSU Micro-Benchmarks: `# OSU MPI Latency Test v7.3`, `# Size  Latency (us)`, then a size and a number per
//! line.
//!
//! The line with the name decides the meaning of the numbers: for both directions, or for several pairs of
//! processes, a rate is the sum. Anything before the column names, such as lines of a job, is ignored.

use super::measurement::{Point, SeriesKind, positive};
use crate::input::{
    diagnostic::Diagnostics,
    text::{Remarks, described, lines, span},
};

/// A benchmark, named by the words between `OSU MPI` and `Test`.
#[derive(Debug)]
struct Benchmark {
    name: &'static str,
    directions: f64, // number of directions that a rate sums
}

static BENCHMARKS: [Benchmark; 4] = [
    Benchmark { name: "Latency", directions: 1.0 },
    Benchmark { name: "Bandwidth", directions: 1.0 },
    Benchmark { name: "Bi-Directional Bandwidth", directions: 2.0 },
    Benchmark { name: "Multiple Bandwidth / Message Rate", directions: 1.0 },
];

/// The contents of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Microseconds,
    MegabytesPerSecond,
}

/// Facts known before the first size.
#[derive(Debug, Clone, Copy)]
struct Header {
    benchmark: Option<&'static Benchmark>,
    pairs: f64, // at least 1
    column: Option<Column>,
}

/// The kind and the points of a benchmark.
pub(super) fn read(text: &str, diagnostics: &mut Diagnostics) -> (SeriesKind, Vec<Point>) {
    let has_columns =
        text.lines().any(|line| line.trim().strip_prefix('#').is_some_and(|own| column(own).is_some()));
    let mut header = Header { benchmark: None, pairs: 1.0, column: None };
    let mut points = vec![];
    for line in lines(text, Remarks::None) {
        if let Some(remark) = line.strip_prefix('#') {
            if !header.add(remark, text, diagnostics) {
                return (SeriesKind::Single, vec![]);
            }
            continue;
        }
        if let Some(column) = header.column {
            points.extend(row(text, line, column, header, diagnostics));
        } else if !has_columns {
            let message = || {
                format!(
                    "line is {}, expected \"# Size\" with \"Latency (us)\" or \"Bandwidth (MB/s)\" before it",
                    described(line)
                )
            };
            diagnostics.add(span(text, line), message);
        }
    }
    let kind = match header.column {
        Some(Column::MegabytesPerSecond) => SeriesKind::Streaming,
        Some(Column::Microseconds) | None => SeriesKind::Single,
    };
    (kind, points)
}

impl Header {
    /// Reads a comment; reports an error and returns `false` if it names an unsupported benchmark.
    fn add(&mut self, remark: &str, text: &str, diagnostics: &mut Diagnostics) -> bool {
        let remark = remark.trim();
        if let Some((title, name)) = benchmark_name(remark) {
            let Some(known) = BENCHMARKS.iter().find(|known| known.name == name) else {
                let names: Vec<&str> = BENCHMARKS.iter().map(|known| known.name).collect();
                let message =
                    || format!("benchmark is {}, expected one of {}", described(title), names.join(", "));
                diagnostics.add(span(text, title), message);
                return false;
            };
            if self.benchmark.is_some() || self.column.is_some() {
                diagnostics.add(span(text, title), || "a second benchmark, expected one a file".to_owned());
                return false;
            }
            self.benchmark = Some(known);
        }
        if let Some(pairs) = pairs(remark) {
            self.pairs = pairs;
        }
        self.column = self.column.or_else(|| column(remark));
        true
    }
}

/// The title of a benchmark, `OSU MPI Latency Test`, and the name in it.
fn benchmark_name(remark: &str) -> Option<(&str, &str)> {
    let rest = remark.strip_prefix("OSU ")?;
    let end = rest.find(" Test")?;
    let (_library, name) = rest[..end].split_once(' ')?;
    Some((&remark[..remark.len() - rest.len() + end + " Test".len()], name.trim()))
}

/// Number of process pairs in `[ pairs: 4 ] [ window size: 64 ]`.
fn pairs(remark: &str) -> Option<f64> {
    let (_, rest) = remark.split_once("pairs:")?;
    let number: u32 = rest.split([']', ' ']).find(|word| !word.is_empty())?.parse().ok()?;
    (number > 0).then(|| f64::from(number))
}

/// The point of a line; reports an error and returns `None` if it is not a size and a number.
fn row(
    text: &str,
    line: &str,
    column: Column,
    header: Header,
    diagnostics: &mut Diagnostics,
) -> Option<Point> {
    let mut words = line.split_whitespace();
    let bytes = words.next().and_then(|word| word.parse::<u64>().ok());
    let number = words.next().and_then(positive);
    let summed = header.pairs * header.benchmark.map_or(1.0, |own| own.directions);
    let point = bytes.zip(number).and_then(|(bytes, number)| point(column, bytes, number, summed));
    if point.is_none() {
        let message =
            || format!("line is {}, expected a size in bytes and a number above 0", described(line));
        diagnostics.add(span(text, line), message);
    }
    point
}

/// The contents of the second column, if this line names the columns.
fn column(remark: &str) -> Option<Column> {
    let after = remark.trim_start().strip_prefix("Size")?;
    let after = after.to_ascii_lowercase();
    // Only the first column after the size counts: message rates follow bandwidths, extremes follow means.
    let find = |words: &str| after.find(words);
    match (find("(us)").or(find("latency")), find("mb/s")) {
        (Some(time), Some(rate)) if rate < time => Some(Column::MegabytesPerSecond),
        (Some(_), _) => Some(Column::Microseconds),
        (None, Some(_)) => Some(Column::MegabytesPerSecond),
        (None, None) => None,
    }
}

/// A time, or the time between two messages, given the sum of `summed` equal rates.
#[expect(clippy::cast_precision_loss, reason = "measurements have a few digits")]
fn point(column: Column, bytes: u64, number: f64, summed: f64) -> Option<Point> {
    let seconds = match column {
        Column::Microseconds => number * 1e-6,
        Column::MegabytesPerSecond => bytes as f64 * summed / (number * 1e6),
    };
    (seconds.is_finite() && seconds > 0.0).then_some(Point { bytes, seconds })
}
