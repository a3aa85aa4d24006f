//! `cubefold bench`: the regression benchmark, and the files that its figures are saved in.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubefold_experiment::{
    Progress, Resources,
    records::{BenchRecord, Document, write_document},
    tools::benchmark::{Benchmark, ComparedRow, Figures, SavedSet, Size, Verdict, compare},
};
use rayon::ThreadPool;
use serde_json::Value;

use super::execution;
use crate::{
    ExitCode,
    arguments::{BenchOptions, SharedOptions},
    failure::Failure,
    format::{OutputFormat, ResultFormat, write_records},
    output::{Existing, Output, is_same, say},
    progress_bar::{Show, Work, watch},
    table::bench_table,
};

pub(super) fn bench(options: &BenchOptions, shared: &SharedOptions) -> Result<ExitCode, Failure> {
    let format = ResultFormat::decide(options.format, shared.output())?;
    let size = if options.quick { Size::Quick } else { Size::Full };
    // One thread unless more are requested: the figures of several include their waiting for each other.
    let threads = shared.threads.map_or(1, usize::from);
    let only = options.only.as_deref().unwrap_or_default();
    let mut saved = options.against.as_deref().map(|name| read(name, size, threads)).transpose()?;
    if let Some(saved) = &mut saved {
        saved.rows.retain(|row| row.row.contains(only));
    }
    let output = Output::open(shared, &[])?;
    let file = options.save.as_deref().map(|name| FigureFile::open(name, shared.output())).transpose()?;
    let mut benchmark = Benchmark::new(size).map_err(Failure::Scenario)?;
    benchmark.keep_only(only);
    if benchmark.is_empty() {
        return Err(Failure::usage(
            format!("no row has {only:?} in its name"),
            "cubefold bench --quick lists all rows",
        ));
    }
    benchmark.check(Resources { threads, ..shared.resources() }).map_err(Failure::Refused)?;

    let figures = measure(&benchmark, saved.as_ref(), threads, Show::unless(shared.quiet))?;
    let compared = saved.as_ref().map(|saved| compare(&figures, &saved.rows));
    let settings = [("size", size.name().into()), ("threads", threads.into())];
    if let Some(file) = file {
        let written: Vec<BenchRecord> = figures.iter().map(Figures::record).collect();
        file.write(|file| write_document(file, Document::BENCH, &settings, written.iter().map(Ok)))?;
    }
    write(output, format, &settings, &figures, compared.as_deref(), saved.as_ref())?;
    Ok(compared.map_or(ExitCode::Done, |rows| report(&rows)))
}

/// Measures every row, and rows that seem slower than saved once more, to rule out disturbances.
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
        Some(compared) => compared.iter().map(ComparedRow::record).collect(),
        None => figures.iter().map(Figures::record).collect(),
    };
    let page = || Ok(bench_table(&rows, saved));
    write_records(output, format, Document::BENCH, settings, || rows.iter().map(Ok), page)
}

/// Reports the slower rows.
fn report(rows: &[ComparedRow]) -> ExitCode {
    let mut code = ExitCode::Done;
    for row in rows.iter().filter(|row| row.verdict == Verdict::Slower) {
        let percent = |part: Option<f64>| part.unwrap_or_default() * 100.0;
        let (change, allowed) = (percent(row.change()), percent(row.allowed()));
        say(&format!("error: {} is {change:.0} % slower, {allowed:.0} % are allowed", row.row));
        code = ExitCode::RowSlower;
    }
    code
}

/// The folder of figures saved under a plain name.
const FOLDER: &str = ".cubefold/bench";

/// A file for figures, opened before anything is measured.
#[derive(Debug)]
struct FigureFile(Output);

impl FigureFile {
    /// Opens the file of a name, which must not be the destination of the results. Creates the folder of plain names.
    fn open(name: &str, results: Option<&Path>) -> Result<Self, Failure> {
        let path = path_of(name);
        if results.is_some_and(|results| results == path || is_same(results, &path)) {
            let message = format!("both results and saved figures into {}", path.display());
            return Err(Failure::usage(message, "name two files with --output and --save"));
        }
        if path.starts_with(FOLDER) {
            fs::create_dir_all(FOLDER).map_err(|error| {
                let message = format!("cannot make the folder {FOLDER}: {error}");
                Failure::usage(message, "save the figures elsewhere, with a path after --save")
            })?;
        }
        Output::open_path(Some(&path), Existing::Replace, &[]).map(Self)
    }

    /// Writes the whole file.
    fn write(self, write: impl FnOnce(&mut Output) -> std::io::Result<()>) -> Result<(), Failure> {
        self.0.write(write)
    }
}

/// Reads the figures saved under a name, which must have the size and threads of this run.
fn read(name: &str, size: Size, threads: usize) -> Result<SavedSet, Failure> {
    let path = path_of(name);
    let refused = |reason: String, help: &str| {
        Failure::usage(format!("cannot compare with {}: {reason}", path.display()), help)
    };
    let text = fs::read_to_string(&path)
        .map_err(|error| refused(error.to_string(), "save figures first, with bench --save NAME"))?;
    let set = SavedSet::read(&text).and_then(|set| set.check(size, threads).map(|()| set));
    set.map_err(|error| refused(error.to_string(), "save new figures with the same --quick and --threads"))
}

/// The path of a name: the name itself if it has a separator or ends in .json, else a file in [`FOLDER`].
fn path_of(name: &str) -> PathBuf {
    let path = Path::new(name);
    let is_path = name.contains(std::path::is_separator) || path.extension().is_some_and(|end| end == "json");
    if is_path { path.to_owned() } else { Path::new(FOLDER).join(format!("{name}.json")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_is_a_file_in_the_folder_and_a_path_is_a_path() {
        assert_eq!(path_of("main"), Path::new(".cubefold/bench/main.json"));
        assert_eq!(path_of("v1.2"), Path::new(".cubefold/bench/v1.2.json"));
        assert_eq!(path_of("main.json"), Path::new("main.json"));
        assert_eq!(path_of("./main"), Path::new("./main"));
        assert_eq!(path_of("/tmp/figures.json"), Path::new("/tmp/figures.json"));
    }
}
