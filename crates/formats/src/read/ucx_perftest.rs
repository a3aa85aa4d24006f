//! `ucx_perftest` of any version, as a table or (`-v`) comma-separated.

use crate::{
    format::{FileText, Format, Read, Reader},
    read::benchmarks::{HOLDS, done, numbers},
    value::{Benchmark, BenchmarkRow},
};

pub(super) static UCX: Format = Format {
    name: "ucx-perftest",
    tool: "ucx_perftest",
    holds: HOLDS,
    is_like: |file| file.lines().any(|(_, line)| is_ucx_header(line)).into(),
    reader: Reader::Reads(read_ucx),
};

/// Whether a line has the names of the columns. Before UCX 1.9 there was no stage; `-v` separates them by commas.
fn is_ucx_header(line: &str) -> bool {
    line.contains("# iterations |") && line.contains("overall |")
        || line.starts_with("iterations,") && line.contains(",overall_lat,avg_bw,overall_bw,")
}

/// The last row of a table: `Final:`, or without stages the last one.
fn last_ucx_rows(file: &FileText<'_>) -> Vec<Vec<f64>> {
    let (mut rows, mut last) = (vec![], None);
    for (_, line) in file.lines() {
        if is_ucx_header(line) {
            rows.extend(last.take());
        } else if let Some(row) = line.trim_start().strip_prefix("Final:") {
            rows.extend(numbers(row));
            last = None;
        } else {
            last = numbers(&line.replace(',', " ")).filter(|row| row.len() == 8).or(last);
        }
    }
    rows.extend(last);
    rows
}

fn read_ucx(file: &FileText<'_>) -> Read {
    let after = |word: &str| {
        let line = file.lines().find(|(_, line)| line.contains(word))?.1;
        Some(line.split_once(word)?.1.trim().trim_end_matches('|').trim().to_owned())
    };
    let test = after("Test:");
    let has_stages = file.lines().any(|(_, line)| line.contains("Stage"));
    let is_latency = if has_stages {
        file.text.contains("latency (usec)")
    } else {
        // The older tables call the times of all tests latencies.
        test.as_ref().is_none_or(|test| test.contains("latency"))
    };
    let size = after("Message size:").and_then(|size| size.parse().ok());
    let mut benchmark = Benchmark { operation: test.clone(), ranks: Some(2), ..Benchmark::default() };
    benchmark.measures = if is_latency { "latency" } else { "bandwidth" };
    for row in last_ucx_rows(file) {
        let (Some(time), Some(rate)) = (row.get(3), row.get(5)) else { continue };
        let (time, rate) =
            if is_latency { (Some(time / 1e6), None) } else { (None, Some(rate * 1_048_576.0)) };
        benchmark.rows.push(BenchmarkRow { bytes: size, time, bandwidth: rate, operation: None });
    }
    let mut read = done(benchmark)?;
    if test.is_none() && !has_stages {
        read.notes.push("the file does not name its test, which is taken for one of latency".to_owned());
    }
    Ok(read)
}
