//! nccl-tests: `# size count type redop root time algbw busbw #wrong ..`, times in microseconds, out-of-place
//! ones first.
//!
//! The ratio of the two bandwidths gives the part of the vector that passes a link, and so the number of
//! ranks, unless the ranks are listed: `2 (n-1) / n` in an all-reduce, `(n-1) / n` in a reduce-scatter or
//! all-gather, 1 in a send. Only newer versions print the name of the benchmark; without it, the ratio, the
//! reduction (`redop`) and the ranks must identify the benchmark.

use super::measurement::{Point, SeriesKind, positive};
use crate::input::{
    diagnostic::Diagnostics,
    text::{Remarks, described, lines, span},
};

/// The words before the name of the benchmark.
const STARTING: &str = "Collective test starting:";

/// The operation that a benchmark measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Test {
    AllReduce,
    /// Or all-gather.
    ReduceScatter,
    Send,
}

static TESTS: [(&str, Test); 4] = [
    ("all_reduce_perf", Test::AllReduce),
    ("all_gather_perf", Test::ReduceScatter),
    ("reduce_scatter_perf", Test::ReduceScatter),
    ("sendrecv_perf", Test::Send),
];

/// Largest number of ranks.
const MAX_RANKS: u32 = 1 << 20;

/// The kind and the points of a benchmark.
pub(super) fn read(text: &str, diagnostics: &mut Diagnostics) -> (SeriesKind, Vec<Point>) {
    let rows = rows(text, diagnostics);
    let kind = kind(text, &rows, diagnostics).unwrap_or(SeriesKind::Single);
    (kind, rows.into_iter().map(|row| row.point).collect())
}

/// The kind of the measurements; reports an error and returns `None` if it is unknown.
fn kind(text: &str, rows: &[Row<'_>], diagnostics: &mut Diagnostics) -> Option<SeriesKind> {
    let remarks = || text.lines().filter_map(|line| Some(line.trim().strip_prefix('#')?.trim_start()));
    let title = remarks().find_map(|remark| remark.strip_prefix(STARTING)).map(str::trim);
    let listed = remarks().filter(|remark| is_rank(remark)).count();
    // The largest bandwidths give the most exact ratio: they have two decimals.
    let best = rows.iter().max_by(|one, other| one.bus.total_cmp(&other.bus));
    let known = title.and_then(|title| TESTS.iter().find(|(name, _)| *name == title));
    let measured = match (title, known, best) {
        (_, Some(&(_, own)), _) => own,
        (Some(title), None, _) => {
            let expected: Vec<&str> = TESTS.iter().map(|&(name, _)| name).collect();
            let message = || format!("benchmark is {}, expected {}", described(title), expected.join(", "));
            diagnostics.add(span(text, title), message);
            return None;
        }
        (None, None, None) => return None,
        (None, None, Some(row)) => unnamed(row, listed).or_else(|| {
            let message = || {
                format!(
                    "redop {}, root {} and bandwidths in a ratio of {:.2} do not tell the benchmark, expected the line \"# {STARTING} NAME\" before them",
                    described(row.operation),
                    described(row.root),
                    row.wire_share
                )
            };
            diagnostics.add(span(text, row.line), message);
            None
        })?,
    };
    Some(of_ring(measured, best?.wire_share, u32::try_from(listed).unwrap_or(MAX_RANKS)))
}

/// Whether a comment names a rank and its device.
fn is_rank(remark: &str) -> bool {
    let mut words = remark.split_whitespace();
    words.next() == Some("Rank") && words.next().is_some_and(|word| word.parse::<u32>().is_ok())
}

/// The only benchmark that prints such a line on `ranks` ranks, where 0 means unknown.
///
/// All-gather and all-to-all, both without a reduction, print the same; so do a send and an all-reduce of two
/// ranks.
fn unnamed(row: &Row<'_>, ranks: usize) -> Option<Test> {
    let is_without_root = row.root.starts_with('-');
    if !is_without_root || row.operation == "none" {
        return None;
    }
    if (row.wire_share - 1.0).abs() >= 0.01 {
        return Some(if row.wire_share > 1.0 { Test::AllReduce } else { Test::ReduceScatter });
    }
    // From 100 ranks on, a reduce-scatter also has that ratio.
    (3..100).contains(&ranks).then_some(Test::Send)
}

/// The steps of a ring of the listed ranks, else of the ranks that the ratio of bandwidths gives.
fn of_ring(test: Test, share: f64, listed: u32) -> SeriesKind {
    let ranks = |ratio: f64| {
        if listed >= 2 {
            return listed.min(MAX_RANKS);
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 2 to 2^20")]
        let whole = ratio.round().clamp(2.0, f64::from(MAX_RANKS)) as u32;
        whole
    };
    match test {
        Test::Send => SeriesKind::Single,
        Test::AllReduce => {
            let ranks = ranks(2.0 / (2.0 - share.min(1.999_998)));
            let count = f64::from(ranks);
            SeriesKind::Ring { steps: 2 * (ranks - 1), wire_share: 2.0 * (count - 1.0) / count }
        }
        Test::ReduceScatter => {
            let ranks = ranks(1.0 / (1.0 - share.min(0.999_999)));
            let count = f64::from(ranks);
            SeriesKind::Ring { steps: ranks - 1, wire_share: (count - 1.0) / count }
        }
    }
}

/// A line of nccl-tests.
struct Row<'t> {
    point: Point,
    wire_share: f64, // the ratio of its bandwidths
    bus: f64,        // the larger, the more exact the ratio
    operation: &'t str,
    root: &'t str,
    line: &'t str,
}

/// Lines of nccl-tests with times above 0; sizes of 0 bytes have no bandwidths.
fn rows<'t>(text: &'t str, diagnostics: &mut Diagnostics) -> Vec<Row<'t>> {
    let mut rows = vec![];
    for line in lines(text, Remarks::None) {
        // Other lines are notes of the library.
        let is_row = line.starts_with(|sign: char| sign.is_ascii_digit());
        if !is_row {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [size, _, _, operation, root, time, algorithm, bus, ..] = words[..] else {
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
            rows.push(Row { point, wire_share: bus / algorithm, bus, operation, root, line });
        }
    }
    rows
}
