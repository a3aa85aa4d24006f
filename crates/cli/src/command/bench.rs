//! `cubefold bench`: the regression benchmark.

mod figure_file;

use std::io::{self, Write};

use cubefold_experiment::{
    Progress, Resources,
    benchmark::{Benchmark, ComparedRow, Figures, SavedSet, Size, Verdict, compare},
    export::{BenchRecord, Document, write_document},
};
use rayon::ThreadPool;
use serde_json::Value;

use self::figure_file::{FigureFile, read};
use super::execution;
use crate::{
    ExitCode,
    arguments::{BenchOptions, SharedOptions},
    failure::Failure,
    format::{OutputFormat, ResultFormat, write_records},
    output::Output,
    progress_bar::{Show, Work, watch},
    table::bench_table,
};

pub(super) fn bench(options: &BenchOptions, shared: &SharedOptions) -> Result<ExitCode, Failure> {
    let format = ResultFormat::decide(options.format, shared.output())?;
    let size = if options.quick { Size::Quick } else { Size::Full };
    // Several threads wait for each other, and their waiting is in the figures: one, unless asked for more.
    let threads = shared.threads.map_or(1, usize::from);
    let saved = options.against.as_deref().map(|name| read(name, size, threads)).transpose()?;
    let output = Output::open(shared.output(), &[])?;
    let file = options.save.as_deref().map(|name| FigureFile::open(name, shared.output())).transpose()?;
    let benchmark = Benchmark::new(size).map_err(Failure::Scenario)?;
    benchmark.check(Resources { threads, ..shared.resources() }).map_err(Failure::Refused)?;

    let figures = measure(&benchmark, saved.as_ref(), threads, Show::unless(shared.quiet))?;
    let compared = saved.as_ref().map(|saved| compare(&figures, &saved.rows));
    let settings = [("size", size.name().into()), ("threads", threads.into())];
    if let Some(file) = file {
        let written: Vec<BenchRecord> = figures.iter().map(BenchRecord::new).collect();
        file.write(|file| write_document(file, Document::BENCH, &settings, written.iter().map(Ok)))?;
    }
    write(output, format, &settings, &figures, compared.as_deref(), saved.as_ref())?;
    Ok(compared.map_or(ExitCode::Done, |rows| report(&rows)))
}

/// Measures every row, and those that seem slower than saved once more: what was disturbed is not slower then.
fn measure(
    benchmark: &Benchmark,
    saved: Option<&SavedSet>,
    threads: usize,
    show: Show,
) -> Result<Vec<Figures>, Failure> {
    let pool: ThreadPool = execution::pool(threads)?;
    let progress = Progress::default();
    let run = || pool.install(|| benchmark.measure(&progress));
    let mut measurement = watch(show, Work::of(benchmark.total(), "repetitions"), &progress, run)
        .map_err(Failure::Benchmark)?;
    let figures = measurement.figures();
    let seeming: Vec<String> = saved.map_or_else(Vec::new, |saved| slower(&compare(&figures, &saved.rows)));
    if seeming.is_empty() {
        return Ok(figures);
    }
    let (progress, total) = (Progress::default(), measurement.total(seeming.len()));
    let again =
        || pool.install(|| measurement.again(|row| seeming.iter().any(|name| name == row), &progress));
    watch(show, Work::of(total, "repetitions"), &progress, again).map_err(Failure::Benchmark)?;
    Ok(measurement.figures())
}

fn slower(rows: &[ComparedRow]) -> Vec<String> {
    rows.iter().filter(|row| row.verdict == Verdict::Slower).map(|row| row.row.clone()).collect()
}

fn write(
    output: Output,
    format: ResultFormat,
    settings: &[(&str, Value)],
    figures: &[Figures],
    compared: Option<&[ComparedRow]>,
    saved: Option<&SavedSet>,
) -> Result<(), Failure> {
    let rows: Vec<BenchRecord> = match compared {
        Some(compared) => compared.iter().map(BenchRecord::compared).collect(),
        None => figures.iter().map(BenchRecord::new).collect(),
    };
    let page = || Ok(bench_table(&rows, saved));
    write_records(output, format, Document::BENCH, settings, || rows.iter().map(Ok), page)
}

/// Says which rows are slower.
fn report(rows: &[ComparedRow]) -> ExitCode {
    let mut stderr = io::stderr().lock();
    let mut code = ExitCode::Done;
    for row in rows.iter().filter(|row| row.verdict == Verdict::Slower) {
        let percent = |part: Option<f64>| part.unwrap_or_default() * 100.0;
        let (change, allowed) = (percent(row.change()), percent(row.allowed()));
        // Where nobody reads it the exit code still tells.
        let _ = writeln!(stderr, "error: {} is {change:.0} % slower, {allowed:.0} % are allowed", row.row);
        code = ExitCode::RowSlower;
    }
    code
}
