//! Output of point-to-point and collective benchmarks.

use crate::{
    benchmark::cleaned,
    format::{FileText, Format, Likeness, Read, wrong},
    read::reads,
    value::{Benchmark, BenchmarkRow, Content, Kind},
};

pub(super) const HOLDS: &[Kind] = &[Kind::Benchmark];

pub(super) static PERFTEST: Format = reads(
    "perftest",
    "perftest: ib_write_bw, ib_send_lat and others",
    HOLDS,
    |file| has_line(file, &["#bytes", "#iterations"]),
    read_perftest,
);

pub(super) static UCC: Format = reads(
    "ucc-perftest",
    "ucc_perftest",
    HOLDS,
    |file| {
        let has = |word: &str| file.lines().any(|(_, line)| line.trim_start().starts_with(word));
        (has("Collective:") && has("Count")).into()
    },
    read_ucc,
);

pub(super) static NCCOM: Format = reads(
    "nccom-test",
    "nccom-test of AWS Neuron",
    HOLDS,
    |file| has_line(file, &["size(B)", "count(elems)"]),
    read_nccom,
);

pub(super) static DEEPSPEED: Format = reads(
    "deepspeed-comms",
    "DeepSpeed's communication log",
    HOLDS,
    |file| has_line(file, &["Comm. Op", "Message Size"]),
    read_deepspeed,
);

pub(super) static HCCL: Format = reads(
    "hccl-demo",
    "hccl_demo of Habana",
    HOLDS,
    |file| {
        file.lines().any(|(_, line)| line.contains("[SUMMARY REPORT]") || line.contains("[BENCHMARK]")).into()
    },
    read_hccl,
);

/// Sure if a line has all of these words.
pub(super) fn has_line(file: &FileText<'_>, words: &[&str]) -> Likeness {
    file.lines().any(|(_, line)| words.iter().all(|word| line.contains(word))).into()
}

/// Returns the name of an operation, given a tool's name for it.
pub(super) fn operation(word: &str) -> Option<&'static str> {
    let plain: String = word.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    let known = [
        ("reducescatter", "reduce-scatter"),
        ("redsct", "reduce-scatter"),
        ("allreduce", "all-reduce"),
        ("allgather", "all-gather"),
        ("alltoall", "all-to-all"),
        ("all2all", "all-to-all"),
        ("allr", "all-reduce"),
        ("allg", "all-gather"),
        ("broadcast", "broadcast"),
        ("bcast", "broadcast"),
        ("barrier", "barrier"),
        ("scatter", "scatter"),
        ("gather", "gather"),
        ("reduce", "reduce"),
        ("isend", "send"),
        ("send", "send"),
        ("irecv", "receive"),
        ("recv", "receive"),
    ];
    known.iter().find(|(part, _)| plain.contains(part)).map(|(_, name)| *name)
}

pub(super) fn numbers(line: &str) -> Option<Vec<f64>> {
    line.split_whitespace().map(|word| word.parse().ok().filter(|value: &f64| value.is_finite())).collect()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes are whole and positive")]
fn bytes(number: f64) -> u64 {
    number.round() as u64
}

/// The positions of three columns in the rows of a table.
#[derive(Default)]
struct Columns {
    places: Option<[usize; 3]>,
    count: usize,
}

impl Columns {
    /// Finds the columns whose names start with `names`.
    fn of(header: &str, names: [&str; 3]) -> Self {
        let words: Vec<&str> = header.split_whitespace().collect();
        let places = names.map(|name| words.iter().position(|word| word.starts_with(name)));
        let places = match places {
            [Some(one), Some(two), Some(three)] => Some([one, two, three]),
            _ => None,
        };
        Self { places, count: words.len() }
    }

    /// The three numbers of a row; `None` if the line is not a row.
    fn row(&self, line: &str) -> Option<Vec<f64>> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let places = self.places.filter(|_| words.len() == self.count)?;
        numbers(&places.map(|place| words[place]).join(" "))
    }
}

/// The rows of a table below a header that contains `word`: columns of sizes, of times with this number to a second, and
/// of rates \[GB/s\], whose name starts with `rate`.
fn timed_rows(file: &FileText<'_>, word: &str, to_a_second: f64, rate: &str) -> Vec<BenchmarkRow> {
    let (mut columns, mut rows) = (Columns::default(), vec![]);
    for (_, line) in file.lines() {
        if line.contains(word) {
            columns = Columns::of(line, ["size", "time", rate]);
        } else if let Some(row) = columns.row(line) {
            rows.push(BenchmarkRow {
                bytes: Some(bytes(row[0])),
                time: Some(row[1] / to_a_second),
                bandwidth: Some(row[2] * 1e9),
                operation: None,
            });
        }
    }
    rows
}

pub(super) fn done(benchmark: Benchmark) -> Read {
    if benchmark.rows.is_empty() {
        return wrong(0, "no row with a time or a bandwidth");
    }
    Ok(Content::Benchmark(benchmark).into())
}

fn read_perftest(file: &FileText<'_>) -> Read {
    let title =
        file.lines().map(|(_, line)| line.trim()).find(|line| line.ends_with(" Test")).unwrap_or_default();
    let words: Vec<&str> = title.split_whitespace().collect();
    let name = words.first().map(|word| word.to_ascii_lowercase().replace('_', "-"));
    let (is_both, is_latency) = (title.contains("Bidirectional"), title.contains("Latency"));
    let is_round = name.as_deref().is_some_and(|name| name.contains("read") || name.contains("atomic"));
    let mut benchmark = Benchmark { operation: name, ranks: Some(2), ..Benchmark::default() };
    let mut unit = None;
    let mut column = None;
    for (_, line) in file.lines() {
        if line.contains("#bytes") {
            let factor = if line.contains("Gb/sec") { 1e9 / 8.0 } else { 1_048_576.0 };
            unit = line.contains("BW average").then_some(factor);
            let names: Vec<&str> = line.split_whitespace().collect();
            let find = |word: &str| names.iter().position(|name| name.starts_with(word));
            column = find("t_typical").or_else(|| find("t_avg"));
            continue;
        }
        let Some(row) = numbers(line).filter(|row| row.len() >= 3) else { continue };
        let (time, bandwidth) = match (unit, column) {
            (Some(unit), _) if row.len() >= 4 => {
                (None, Some(row[3] * unit / if is_both { 2.0 } else { 1.0 }))
            }
            (None, Some(column)) if row.len() > column => {
                (Some(row[column] / 1e6 / if is_round { 2.0 } else { 1.0 }), None)
            }
            _ => continue,
        };
        benchmark.rows.push(BenchmarkRow { bytes: Some(bytes(row[0])), time, bandwidth, operation: None });
    }
    benchmark.measures = if unit.is_some() && !is_latency { "bandwidth" } else { "latency" };
    let mut read = done(benchmark)?;
    if is_both {
        read.assumed.push("half-of-both-directions");
    }
    Ok(read)
}

fn read_ucc(file: &FileText<'_>) -> Read {
    let text = cleaned(&file.text);
    let name = text.lines().find_map(|line| line.trim_start().strip_prefix("Collective:"));
    let has_rate = text.contains("Bandwidth");
    let mut benchmark = Benchmark {
        operation: name.and_then(operation).map(str::to_owned),
        measures: "time",
        ..Benchmark::default()
    };
    for line in text.lines() {
        // Operations without a rate print words in that column.
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(row) = words.get(..5).and_then(|columns| numbers(&columns.join(" "))) else { continue };
        let rate = words.get(5).filter(|_| has_rate).and_then(|word| word.parse::<f64>().ok());
        benchmark.rows.push(BenchmarkRow {
            bytes: Some(bytes(row[1])),
            time: Some(row[2] / 1e6),
            bandwidth: rate.filter(|rate| rate.is_finite()).map(|rate| rate * 1e9),
            operation: None,
        });
    }
    let ranks = ranks_from_rates(&benchmark);
    benchmark.ranks = ranks;
    let mut read = done(benchmark)?;
    if ranks.is_some() {
        read.assumed.push("ranks-from-rates");
    }
    Ok(read)
}

/// The number of ranks that explains the bus bandwidths of all rows; `None` unless it is unique.
fn ranks_from_rates(benchmark: &Benchmark) -> Option<u64> {
    let factor = |ranks: f64| match benchmark.operation.as_deref() {
        Some("all-reduce") => Some(2.0 * (ranks - 1.0) / ranks),
        Some("all-gather" | "all-to-all") => Some(ranks - 1.0),
        Some("reduce-scatter") => Some((ranks - 1.0) / ranks),
        _ => None,
    };
    let fits = |ranks: u32| {
        benchmark.rows.iter().all(|row| {
            let (Some(rate), Some(time), Some(size)) = (row.bandwidth, row.time, row.bytes) else {
                return false;
            };
            #[expect(clippy::cast_precision_loss, reason = "sizes have a few digits")]
            let expected = factor(ranks.into()).unwrap_or(0.0) * size as f64 / time;
            (rate - expected).abs() <= 0.006e9 + 0.006 * time.recip() / 1e6 * expected
        })
    };
    let mut found = (2..=4096).filter(|ranks| fits(*ranks));
    let first = found.next()?;
    found.next().is_none().then_some(first.into())
}

fn read_nccom(file: &FileText<'_>) -> Read {
    let command = file.lines().map(|(_, line)| line).find(|line| line.contains("nccom-test "));
    let words: Vec<&str> = command.unwrap_or_default().split_whitespace().collect();
    let ranks = words
        .iter()
        .position(|word| *word == "-r")
        .and_then(|at| words.get(at + 1))
        .and_then(|word| word.parse().ok());
    let name = words.last().and_then(|word| operation(word));
    let rows = timed_rows(file, "size(B)", 1e6, "busbw");
    done(Benchmark { operation: name.map(str::to_owned), ranks, measures: "time", rows })
}

fn read_deepspeed(file: &FileText<'_>) -> Read {
    let mut benchmark = Benchmark { measures: "time", ..Benchmark::default() };
    let (mut is_table, mut kind) = (false, None);
    for (_, line) in file.lines() {
        if line.contains("Comm. Op") {
            is_table = true;
        } else if line.contains("straggler") {
            is_table = false;
        } else if let (true, Some(row)) = (is_table, deepspeed_row(line)) {
            benchmark.rows.push(BenchmarkRow { operation: kind.map(str::to_owned), ..row });
        } else if is_table && !line.starts_with(' ') && !line.starts_with('_') {
            kind = operation(line);
        }
    }
    let names: std::collections::BTreeSet<_> =
        benchmark.rows.iter().map(|row| row.operation.clone()).collect();
    benchmark.operation = names
        .into_iter()
        .next()
        .flatten()
        .filter(|first| benchmark.rows.iter().all(|row| row.operation.as_ref() == Some(first)));
    let mut read = done(benchmark)?;
    read.assumed.push("rounded");
    Ok(read)
}

/// Parses a row such as `1.5 GB  4  400.00  100.00  128.85  112.74`.
fn deepspeed_row(line: &str) -> Option<BenchmarkRow> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let cut = words.len().checked_sub(5)?;
    let size: String = words[..cut].concat();
    let at = size.find(|sign: char| sign.is_ascii_alphabetic())?;
    let power = ["B", "KB", "MB", "GB", "TB", "PB"].iter().position(|unit| *unit == &size[at..])?;
    let number: f64 = size[..at].parse().ok()?;
    let row = numbers(&words[cut..].join(" "))?;
    let bytes = bytes(number * 1024_f64.powi(i32::try_from(power).ok()?));
    Some(BenchmarkRow {
        bytes: Some(bytes),
        time: Some(row[2] / 1e3),
        bandwidth: Some(row[4] * 1e9 / 8.0),
        operation: None,
    })
}

fn read_hccl(file: &FileText<'_>) -> Read {
    let named = file
        .lines()
        .find_map(|(_, line)| Some(line.split_once("collective=")?.1.split([',', ')']).next()?.to_owned()));
    let called =
        file.lines().find_map(|(_, line)| Some(line.split_once("hccl")?.1.split('(').next()?.to_owned()));
    let name = named.or(called).and_then(|word| operation(&word));
    let mut rows = timed_rows(file, "nw_bw", 1e3, "nw_bw");
    if rows.is_empty() {
        rows.extend(single_hccl(file));
    }
    done(Benchmark { operation: name.map(str::to_owned), ranks: None, measures: "time", rows })
}

/// The summary of one run: `[BENCHMARK] hcclAllReduce(dataSize=.., count=.., ..)` and its bandwidths.
fn single_hccl(file: &FileText<'_>) -> Option<BenchmarkRow> {
    let field = |name: &str| {
        let after = file.text.split_once(&format!("{name}="))?.1;
        after.split([',', ')', ' ', '\n']).next().map(str::to_owned)
    };
    let rate = |name: &str| {
        let line = file.lines().find(|(_, line)| line.contains(name))?.1;
        let words: Vec<&str> = line.split_once(':')?.1.split_whitespace().collect();
        let unit = match *words.get(1)? {
            "TB/s" => 1e12,
            "GB/s" => 1e9,
            "MB/s" => 1e6,
            "KB/s" => 1e3,
            _ => 1.0,
        };
        Some(words[0].parse::<f64>().ok()? * unit)
    };
    let width = match field("dtype")?.as_str() {
        "bfloat16" | "float16" => 2,
        _ => 4,
    };
    let size = field("count")?.parse::<u64>().ok()?.saturating_mul(width);
    #[expect(clippy::cast_precision_loss, reason = "sizes have a few digits")]
    let time = rate("Algo Bandwidth").map(|rate| size as f64 / rate);
    Some(BenchmarkRow { bytes: Some(size), time, bandwidth: rate("NW Bandwidth"), operation: None })
}
