//! Sizes and times from the output of benchmarks; [`osu`], [`nccl_tests`] and [`intel_mpi`] know the forms.
//!
//! A file is a job log: launcher prefixes and other lines before, between and after the rows are skipped, and the
//! number of lines skipped between rows is reported. It holds one benchmark. Benchmarks that measure anything other
//! than a [`SeriesKind`] are refused by name.

use std::fmt;

use super::{intel_mpi, log_text::cleaned, nccl_tests, osu};
use crate::input::diagnostic::Diagnostics;

/// The quantity that a series measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeriesKind {
    /// One message at a time, one way.
    Single,
    /// Many messages in flight at once; the time is the interval between two of them.
    Streaming,
    /// A collective operation.
    Collective {
        /// The operation: `all-reduce`.
        name: &'static str,
        /// Number of ranks, at least 2.
        ranks: u32,
        /// Number of consecutive steps, at least 1.
        steps: u32,
        /// The fraction of the printed size that passes a rank in one direction, above 0.
        wire_share: f64,
    },
}

impl SeriesKind {
    /// Number of consecutive steps.
    #[must_use]
    pub fn steps(self) -> u32 {
        match self {
            Self::Single | Self::Streaming => 1,
            Self::Collective { steps, .. } => steps,
        }
    }
}

impl fmt::Display for SeriesKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single => formatter.write_str("one message at a time"),
            Self::Streaming => formatter.write_str("many messages at once"),
            Self::Collective { name, ranks, steps, .. } => {
                let plural = if *steps == 1 { "" } else { "s" };
                write!(formatter, "{name} of {ranks} ranks in {steps} step{plural}")
            }
        }
    }
}

/// A size and its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The size \[bytes\].
    pub bytes: u64,
    /// The time \[seconds\], above 0 and finite.
    pub seconds: f64,
}

/// A series of sizes and times.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// The name of the file.
    pub name: String,
    /// The name of the benchmark, or empty.
    pub benchmark: String,
    /// The quantity that is measured.
    pub kind: SeriesKind,
    /// The rows, at least one, by size.
    pub points: Vec<Point>,
    /// The number of lines between the rows that are not rows.
    pub left_out: u64,
}

/// Settings that the output of a benchmark does not contain.
#[derive(Debug, Clone, Copy, Default)]
pub struct MeasurementOptions {
    /// Number of ranks of a collective, at least 2.
    pub ranks: Option<u32>,
    /// The smallest size that is read \[bytes\].
    pub from: Option<u64>,
    /// The largest size that is read \[bytes\].
    pub to: Option<u64>,
    /// The size of messages, for a log that does not give it \[bytes\].
    pub bytes: Option<u64>,
    /// The operation to read from a log with several.
    pub operation: Option<&'static str>,
}

/// The table of a benchmark.
#[derive(Debug)]
pub(super) struct Series {
    pub(super) benchmark: String,
    pub(super) kind: SeriesKind,
    pub(super) points: Vec<Point>,
    pub(super) left_out: u64,
}

impl Measurement {
    /// Bytes that pass a link for a message or vector of `bytes` bytes.
    #[expect(clippy::cast_precision_loss, reason = "measurements have a few digits")]
    #[must_use]
    pub fn wire_bytes(&self, bytes: u64) -> f64 {
        match self.kind {
            SeriesKind::Single | SeriesKind::Streaming => bytes as f64,
            SeriesKind::Collective { wire_share, .. } => bytes as f64 * wire_share,
        }
    }

    /// The largest rate that was measured \[bytes per second\]; 0 if all sizes are 0.
    pub fn largest_rate(&self) -> f64 {
        self.points.iter().map(|point| self.wire_bytes(point.bytes) / point.seconds).fold(0.0, f64::max)
    }

    /// Whether a text has the heading of a table that [`Self::parse`] reads; its rows may be invalid.
    #[must_use]
    pub fn has_table(text: &str) -> bool {
        let is_head = |line: &str| line.trim_start().starts_with("# Size");
        nccl_tests::is_output(text) || intel_mpi::is_output(text) || text.lines().any(is_head)
    }

    /// Reads the output of a benchmark, in a file called `name`.
    ///
    /// # Errors
    ///
    /// All errors, each with its position in the text.
    pub fn parse(name: &str, text: &str, options: MeasurementOptions) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let series = series(&cleaned(text), options, &mut diagnostics);
        match series {
            Some(series) if diagnostics.is_empty() => {
                let Series { benchmark, kind, mut points, left_out } = series;
                points.sort_by_key(|point| point.bytes);
                Ok(Self { name: name.to_owned(), benchmark, kind, points, left_out })
            }
            Some(_) | None => Err(diagnostics),
        }
    }
}

/// The table of a benchmark between the chosen sizes; `None` after an error.
fn series(text: &str, options: MeasurementOptions, diagnostics: &mut Diagnostics) -> Option<Series> {
    let read = if nccl_tests::is_output(text) {
        nccl_tests::read
    } else if intel_mpi::is_output(text) {
        intel_mpi::read
    } else {
        osu::read
    };
    let mut series = read(text, options, diagnostics)?;
    if let SeriesKind::Collective { name, ranks, .. } = series.kind {
        if let Some(asked) = options.operation.filter(|asked| *asked != name) {
            diagnostics.add(0..0, || format!("measurements of {name}, expected {asked} as --operation says"));
        }
        if let Some(asked) = options.ranks.filter(|asked| *asked != ranks) {
            diagnostics
                .add(0..0, || format!("measurements of {ranks} ranks, expected {asked} as --ranks says"));
        }
    }
    if !diagnostics.is_empty() {
        return None;
    }
    if series.points.is_empty() {
        let expected = "no measurements, expected the output of an OSU benchmark, of the Intel MPI Benchmarks or of nccl-tests";
        diagnostics.add(0..0, || expected.to_owned());
        return None;
    }
    let (from, to) = (options.from.unwrap_or(0), options.to.unwrap_or(u64::MAX));
    let sizes = series.points.iter().map(|point| point.bytes);
    let (least, greatest) = (sizes.clone().min().unwrap_or(0), sizes.max().unwrap_or(0));
    series.points.retain(|point| (from..=to).contains(&point.bytes));
    if series.points.is_empty() {
        let message =
            || format!("sizes from {least} to {greatest} B, expected some between those of --from and --to");
        diagnostics.add(0..0, message);
        return None;
    }
    Some(series)
}

/// Of several tables keeps those of the chosen operation and ranks, unless there are none.
pub(super) fn keep_chosen<T>(
    tables: &mut Vec<T>,
    options: MeasurementOptions,
    operation: impl Fn(&T) -> Option<&'static str>,
    ranks: impl Fn(&T) -> Option<u32>,
) {
    let is_chosen = |table: &T| {
        options.operation.is_none_or(|asked| operation(table) == Some(asked))
            && options.ranks.is_none_or(|asked| ranks(table).is_none_or(|ranks| ranks == asked))
    };
    if tables.iter().any(is_chosen) {
        tables.retain(is_chosen);
    }
}

pub(super) fn positive(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0)
}

/// Whether a word is a finite number.
pub(super) fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The ranks of a collective that a benchmark does not print.
pub(super) fn missing_ranks(benchmark: &str) -> String {
    format!("{benchmark} without its number of ranks, expected --ranks N")
}

#[cfg(test)]
mod tests;
