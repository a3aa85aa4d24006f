//! MPI and NCCL benchmarks whose logs are parsed by [`Measurement`].

use crate::{
    benchmark::{Measurement, MeasurementOptions, Point, SeriesKind},
    format::{FileText, Format, Read},
    read::{
        benchmarks::{HOLDS, done, has_line},
        from_diagnostics, reads,
    },
    value::{Benchmark, BenchmarkRow},
};

/// Reads a log that [`Measurement`] parses; the number of ranks is unknown if the log does not state it.
fn read_known(file: &FileText<'_>) -> Read {
    let read = |ranks| {
        let options = MeasurementOptions { ranks, ..MeasurementOptions::default() };
        Measurement::parse("", &file.text, options)
    };
    let (measurement, has_ranks) = match read(None) {
        Ok(measurement) => (measurement, true),
        Err(diagnostics) => match read(Some(2)) {
            Ok(measurement) => (measurement, false),
            Err(_) => return from_diagnostics(file, &diagnostics),
        },
    };
    let (operation, ranks, measures) = match measurement.kind {
        SeriesKind::Collective { name, ranks, .. } => (name, has_ranks.then_some(ranks.into()), "time"),
        SeriesKind::Single => ("send", Some(2), "latency"),
        SeriesKind::Streaming => ("send", Some(2), "bandwidth"),
    };
    #[expect(clippy::cast_precision_loss, reason = "sizes have a few digits")]
    let row = |point: &Point| {
        let is_rate = measures == "bandwidth";
        BenchmarkRow {
            bytes: Some(point.bytes),
            time: (!is_rate).then_some(point.seconds),
            bandwidth: is_rate.then_some(point.bytes as f64 / point.seconds),
            operation: None,
        }
    };
    let rows = measurement.points.iter().map(row).collect();
    done(Benchmark { operation: Some(operation.to_owned()), measures, ranks, rows })
}

pub(super) static OSU: Format = reads(
    "osu",
    "OSU micro-benchmarks",
    HOLDS,
    |file| {
        let is_heading = |line: &str| {
            let line = line.trim_start();
            let is_size = line.starts_with("# Size");
            line.contains("# OSU ") || is_size && (line.contains("Latency") || line.contains("Bandwidth"))
        };
        file.lines().any(|(_, line)| is_heading(line)).into()
    },
    read_known,
);

pub(super) static INTEL_MPI_BENCHMARKS: Format = reads(
    "intel-mpi-benchmarks",
    "Intel MPI Benchmarks (IMB)",
    HOLDS,
    |file| {
        file.lines().any(|(_, line)| line.contains("#repetitions") || line.contains("# Benchmarking ")).into()
    },
    read_known,
);

pub(super) static NCCL_TESTS: Format = reads(
    "nccl-tests",
    "all_reduce_perf and others of NVIDIA and AMD",
    HOLDS,
    |file| has_line(file, &["#", "algbw", "busbw"]),
    read_known,
);
