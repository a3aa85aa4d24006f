//! What benchmarks print, read as sizes and times.
//!
//! OSU Micro-Benchmarks: `# OSU MPI Latency Test v7.3`, `# Size  Latency (us)`, then a size and a number a line.
//! nccl-tests: `# size count type redop root time algbw busbw #wrong ..`, times in microseconds, the out-of-place ones
//! first; the ratio of its two bandwidths says which part of the vector passes a link.

use std::fmt;

use crate::{
    diagnostic::Diagnostics,
    text::{Remarks, described, lines, span},
};

/// What a series measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeriesKind {
    /// One message at a time, one way.
    Single,
    /// Many messages under way at once; the time is that between two of them.
    Streaming,
    /// A collective in the steps of a ring.
    Ring {
        /// Steps one after another, at least 1.
        steps: u32,
        /// The part of the vector that passes a link, above 0.
        wire_share: f64,
    },
}

impl SeriesKind {
    /// Steps one after another.
    pub(super) fn steps(self) -> u32 {
        match self {
            Self::Single | Self::Streaming => 1,
            Self::Ring { steps, .. } => steps,
        }
    }
}

impl fmt::Display for SeriesKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single => formatter.write_str("one message at a time"),
            Self::Streaming => formatter.write_str("many messages at once"),
            Self::Ring { steps, .. } => write!(formatter, "a ring of {steps} steps"),
        }
    }
}

/// A size and its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) bytes: u64,
    pub(super) seconds: f64, // above 0, finite
}

/// A series of sizes and times.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    pub(super) name: String,
    pub(super) kind: SeriesKind,
    pub(super) points: Vec<Point>, // at least one
}

/// What a column of an OSU benchmark holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Microseconds,
    MegabytesPerSecond,
}

impl Measurement {
    /// The bytes that pass a link for a message or vector of so many.
    #[expect(clippy::cast_precision_loss, reason = "measurements have a few digits")]
    pub(super) fn wire_bytes(&self, bytes: u64) -> f64 {
        match self.kind {
            SeriesKind::Single | SeriesKind::Streaming => bytes as f64,
            SeriesKind::Ring { wire_share, .. } => bytes as f64 * wire_share,
        }
    }

    /// Reads the output of a benchmark, which is called `name`.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, each with its place in the text.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let is_nccl = text.lines().any(|line| line.contains("algbw") && line.contains("busbw"));
        let (kind, points) = if is_nccl {
            let rows = nccl_rows(text, &mut diagnostics);
            (ring(&rows), rows.into_iter().map(|row| row.point).collect())
        } else {
            osu(text, &mut diagnostics)
        };
        if points.is_empty() && diagnostics.is_empty() {
            let expected = "no measurements, expected the output of an OSU benchmark of latency or bandwidth, or of nccl-tests";
            diagnostics.add(0..0, || expected.to_owned());
        }
        if diagnostics.is_empty() {
            Ok(Self { name: name.to_owned(), kind, points })
        } else {
            Err(diagnostics)
        }
    }
}

/// The points of an OSU benchmark.
fn osu(text: &str, diagnostics: &mut Diagnostics) -> (SeriesKind, Vec<Point>) {
    let mut column = None;
    let mut points = vec![];
    for line in lines(text, Remarks::None) {
        if let Some(remark) = line.strip_prefix('#') {
            column = column.or_else(|| osu_column(remark));
            continue;
        }
        let Some(column) = column else {
            let message = || {
                format!(
                    "line is {}, expected \"# Size\" with \"Latency (us)\" or \"Bandwidth (MB/s)\" before it",
                    described(line)
                )
            };
            diagnostics.add(span(text, line), message);
            continue;
        };
        let mut words = line.split_whitespace();
        let bytes = words.next().and_then(|word| word.parse::<u64>().ok());
        let number = words.next().and_then(positive);
        let point = bytes.zip(number).and_then(|(bytes, number)| point(column, bytes, number));
        if let Some(point) = point {
            points.push(point);
        } else {
            let message =
                || format!("line is {}, expected a size in bytes and a number above 0", described(line));
            diagnostics.add(span(text, line), message);
        }
    }
    let kind = match column {
        Some(Column::MegabytesPerSecond) => SeriesKind::Streaming,
        Some(Column::Microseconds) | None => SeriesKind::Single,
    };
    (kind, points)
}

/// What the second column holds, where this is the line that says so.
fn osu_column(remark: &str) -> Option<Column> {
    let after = remark.trim_start().strip_prefix("Size")?;
    let after = after.to_ascii_lowercase();
    // The first column behind the size counts: message rates follow bandwidths, extremes follow means.
    let find = |words: &str| after.find(words);
    match (find("(us)").or(find("latency")), find("mb/s")) {
        (Some(time), Some(rate)) if rate < time => Some(Column::MegabytesPerSecond),
        (Some(_), _) => Some(Column::Microseconds),
        (None, Some(_)) => Some(Column::MegabytesPerSecond),
        (None, None) => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "measurements have a few digits")]
fn point(column: Column, bytes: u64, number: f64) -> Option<Point> {
    let seconds = match column {
        Column::Microseconds => number * 1e-6,
        Column::MegabytesPerSecond => bytes as f64 / (number * 1e6),
    };
    (seconds.is_finite() && seconds > 0.0).then_some(Point { bytes, seconds })
}

/// A number above 0.
fn positive(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0)
}

/// A line of nccl-tests.
struct NcclRow {
    point: Point,
    wire_share: f64, // the ratio of its bandwidths
    bus: f64,        // what the ratio is more exact for, the larger it is
}

/// The lines of nccl-tests with times above 0; sizes of 0 bytes have no bandwidths.
fn nccl_rows(text: &str, diagnostics: &mut Diagnostics) -> Vec<NcclRow> {
    let mut rows = vec![];
    for line in lines(text, Remarks::None) {
        // Other lines are notes of the library.
        let is_row = line.starts_with(|sign: char| sign.is_ascii_digit());
        if !is_row {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [size, _, _, _, _, time, algorithm, bus, ..] = words[..] else {
            let message = || {
                format!("line is {}, expected size count type redop root time algbw busbw", described(line))
            };
            diagnostics.add(span(text, line), message);
            continue;
        };
        let numbers = [algorithm, bus].map(|word| word.parse::<f64>().ok().filter(|number| *number >= 0.0));
        let (Ok(bytes), Some(time), [Some(algorithm), Some(bus)]) =
            (size.parse::<u64>(), positive(time), numbers)
        else {
            let message = || {
                format!(
                    "line is {}, expected a size in bytes, and times and bandwidths above 0",
                    described(line)
                )
            };
            diagnostics.add(span(text, line), message);
            continue;
        };
        if bytes > 0 && algorithm > 0.0 && bus > 0.0 {
            let point = Point { bytes, seconds: time * 1e-6 };
            rows.push(NcclRow { point, wire_share: bus / algorithm, bus });
        }
    }
    rows
}

/// The ring that the bandwidths speak of: `2 (n-1) / n` of the vector pass a link in an all-reduce, `(n-1) / n` in a
/// reduce-scatter or all-gather, all of it in a send.
fn ring(rows: &[NcclRow]) -> SeriesKind {
    // The ratio of large numbers of two decimals is the most exact.
    let best = rows.iter().max_by(|one, other| one.bus.total_cmp(&other.bus));
    let Some(share) = best.map(|row| row.wire_share).filter(|share| share.is_finite()) else {
        return SeriesKind::Single;
    };
    let rounded = |number: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 2^20")]
        let whole = number.round().clamp(1.0, f64::from(1 << 20)) as u32;
        whole
    };
    if (share - 1.0).abs() < 0.01 {
        SeriesKind::Single
    } else if share > 1.0 {
        let ranks = rounded(2.0 / (2.0 - share.min(1.999_998))).max(3);
        let count = f64::from(ranks);
        SeriesKind::Ring { steps: 2 * (ranks - 1), wire_share: 2.0 * (count - 1.0) / count }
    } else {
        let ranks = rounded(1.0 / (1.0 - share)).max(2);
        let count = f64::from(ranks);
        SeriesKind::Ring { steps: ranks - 1, wire_share: (count - 1.0) / count }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LATENCY: &str = "\n# OSU MPI Latency Test v7.3\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n1                       1.50\n1024                    2.00\n";
    const BANDWIDTH: &str = "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n1                       2.50\n1048576             10000.00\n";
    const RATE: &str = "# OSU MPI Multiple Bandwidth / Message Rate Test v5.9\n# Size                  MB/s        Messages/s\n8  4.00  500000.0\n16 8.00 500000.0\n";
    const NCCL: &str = "# nThread 1 nGpus 8 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20\n#\n#                                                              out-of-place                       in-place\n#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n           8             2     float     sum      -1    30.00    0.00    0.00      0    29.00    0.00    0.00      0\n     1048576        262144     float     sum      -1    50.00   20.97   36.70      0    50.00   20.97   36.70      0\n   134217728      33554432     float     sum      -1  1342.18  100.00  175.00      0  1342.18  100.00  175.00      0\n# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 105.85\n";

    fn read(text: &str) -> Measurement {
        Measurement::parse("m", text).unwrap()
    }

    #[test]
    fn benchmarks_are_recognised() {
        let latency = read(LATENCY);
        assert_eq!(latency.kind, SeriesKind::Single);
        assert!((latency.points[1].seconds - 2e-6).abs() < 1e-15 && latency.points[1].bytes == 1024);
        let bandwidth = read(BANDWIDTH);
        assert_eq!(bandwidth.kind, SeriesKind::Streaming);
        assert!((bandwidth.points[0].seconds - 4e-7).abs() < 1e-15);
        assert_eq!(read(RATE).kind, SeriesKind::Streaming);
        assert!((read(RATE).points[0].seconds - 2e-6).abs() < 1e-15);
        let nccl = read(NCCL);
        assert_eq!(nccl.kind, SeriesKind::Ring { steps: 14, wire_share: 1.75 });
        assert_eq!(nccl.points.len(), 2, "without bandwidths of two decimals nothing is said");
    }

    #[test]
    fn everything_wrong_is_reported() {
        let reported = |text: &str| -> Vec<String> {
            let diagnostics = Measurement::parse("m", text).unwrap_err();
            diagnostics.kept().iter().map(|one| format!("{:?}: {}", one.span, one.message)).collect()
        };
        assert!(reported("")[0].starts_with("0..0: no measurements"));
        assert!(reported("1 2\n")[0].starts_with("0..3: line is \"1 2\", expected \"# Size\""));
        let wrong = reported("# Size Latency (us)\n1 x\n2 -1\n3 inf\n4\n");
        assert_eq!(wrong.len(), 4);
        assert_eq!(wrong[0], "20..23: line is \"1 x\", expected a size in bytes and a number above 0");
        assert!(reported("# size algbw busbw\n8 2 float\n")[0].starts_with("19..28: line is \"8 2 float\""));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn no_output_is_too_strange(
            base in 0_usize..4,
            edits in proptest::collection::vec((any::<proptest::sample::Index>(), "[-+0-9.a-z#() \n]{0,3}"), 1..6),
        ) {
            let mut text = [LATENCY, BANDWIDTH, RATE, NCCL][base].to_owned();
            for (place, inserted) in edits {
                let place = place.index(text.len() + 1);
                text.replace_range(place..(place + inserted.len() / 2).min(text.len()), &inserted);
            }
            match Measurement::parse("m", &text) {
                Ok(measurement) => {
                    if let Ok(fitted) = crate::calibration::FittedSeries::fit(measurement) {
                        prop_assert!(fitted.startup_seconds >= 0.0 && fitted.bytes_per_second > 0.0);
                    }
                }
                Err(diagnostics) => {
                    for one in diagnostics.kept() {
                        prop_assert!(one.span.start <= one.span.end && one.span.end <= text.len());
                    }
                }
            }
        }
    }
}
