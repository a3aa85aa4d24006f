//! The rows of `run --processes`: one for every run, process and stage.

mod rank_parts;

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use cubefold_experiment::{
    Permit, Run, Scenario,
    records::{CsvHeader, ParquetTable, ProcessRow, RankOfProcess, StepOfStage, write_csv_rows, write_lines},
};
use cubefold_simulator::{RankTask, StageRecord};

pub(crate) use self::rank_parts::leave;
use self::rank_parts::{MORE_OF_A_NAME, discard, joined};
use crate::{
    arguments::SharedOptions,
    failure::Failure,
    format::{OutputFormat, ResultFormat},
    output::{Output, is_same, refuse_long_name},
    ranks::ranks,
};

/// Writes rows to a file as runs finish, in the order of the runs.
#[derive(Debug)]
pub(super) struct ProcessRows<'run> {
    path: PathBuf,
    sink: Sink,
    next: usize, // the run whose rows come next
    waiting: BTreeMap<usize, FinishedRows<'run>>,
}

/// The rows of a run, with their memory.
#[derive(Debug)]
pub(super) struct FinishedRows<'run> {
    pub(super) run: &'run Run,
    pub(super) stages: Vec<StageRecord>,  // empty if the run failed
    pub(super) part_of: Option<RankTask>, // for a run divided among ranks: these are the leader's rows
    pub(super) permit: Option<Permit>,
}

#[derive(Debug)]
enum Sink {
    Csv { output: Output, header: CsvHeader },
    Jsonl(Output),
    Parquet(Box<ParquetTable<Output>>),
}

impl<'run> ProcessRows<'run> {
    /// Opens the file, which must not be the destination of the results; its extension selects the format.
    pub(super) fn open(path: &Path, shared: &SharedOptions, scenarios: &[Scenario]) -> Result<Self, Failure> {
        let results = shared.output();
        if results.is_some_and(|results| results == path || is_same(results, path)) {
            let message = format!("both results and process rows into {}", path.display());
            return Err(Failure::usage(message, "name two files with --output and --processes"));
        }
        if ranks().is_some() {
            refuse_long_name(path, MORE_OF_A_NAME)?;
        }
        let output = || Output::open_path(Some(path), shared.existing(), scenarios);
        let extension = path.extension().and_then(|extension| extension.to_str());
        let sink = match extension.and_then(ResultFormat::of_extension) {
            Some(ResultFormat::Csv) => Sink::Csv { output: output()?, header: CsvHeader::Due },
            Some(ResultFormat::Jsonl) => Sink::Jsonl(output()?),
            Some(ResultFormat::Parquet) => {
                let table = ParquetTable::of_all_columns::<ProcessRow<'_>>(output()?);
                Sink::Parquet(Box::new(table.map_err(|error| Failure::output(Some(path), error))?))
            }
            Some(ResultFormat::Table | ResultFormat::Json | ResultFormat::Markdown) | None => {
                let message = format!("--processes {}: unknown extension", path.display());
                return Err(Failure::usage(message, "expected a path that ends in .csv, .jsonl or .parquet"));
            }
        };
        Ok(Self { path: path.to_owned(), sink, next: 0, waiting: BTreeMap::new() })
    }

    /// Removes the files that ranks left for unused runs.
    pub(super) fn discard(&self, parts: &[RankTask]) {
        for &task in parts {
            discard(&self.path, task);
        }
    }

    /// Adds the rows of the run at `place` of the results, once those of all earlier runs are there.
    pub(super) fn add(&mut self, place: usize, rows: FinishedRows<'run>) -> Result<(), Failure> {
        self.waiting.insert(place, rows);
        while let Some(rows) = self.waiting.remove(&self.next) {
            self.sink.add(&self.path, self.next, &rows)?;
            self.next += 1;
            drop(rows.permit);
        }
        Ok(())
    }

    /// Completes the file.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let failed = |error| Failure::output(Some(&self.path), error);
        match self.sink {
            Sink::Csv { output, .. } | Sink::Jsonl(output) => output.finish(),
            Sink::Parquet(table) => table.finish().map_err(failed)?.finish(),
        }
    }
}

impl Sink {
    fn add(&mut self, path: &Path, place: usize, rows: &FinishedRows<'_>) -> Result<(), Failure> {
        let embedding = rows.run.embedding.to_string();
        let (scenario, run) = (&rows.run.scenario, place as u64);
        let program = &rows.run.program;
        let row = |stage: io::Result<StageRecord>| {
            let stage = stage?;
            let rank = RankOfProcess::new(program, stage.process);
            let step = StepOfStage::new(program, stage.stage);
            Ok(ProcessRow { scenario, run, embedding: &embedding, stage: (&stage).into(), step, rank })
        };
        let mut rows = joined(path, rows.part_of, &rows.stages)?.map(row);
        match self {
            Self::Csv { output, header } => {
                let header = std::mem::replace(header, CsvHeader::Written);
                output.add(|output| write_csv_rows(output, header, rows))
            }
            Self::Jsonl(output) => output.add(|output| write_lines(output, rows)),
            Self::Parquet(table) => {
                rows.try_for_each(|row| table.add(&row?)).map_err(|error| Failure::output(Some(path), error))
            }
        }
    }
}
