//! The rows of `run --messages`: one for every message of every run, in the order of the runs.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use cubefold_experiment::{
    Permit, Run, Scenario,
    records::{CsvHeader, MessageRow, ParquetTable, write_csv_rows, write_lines},
};
use cubefold_simulator::MessageTimes;

use crate::{
    arguments::SharedOptions,
    failure::Failure,
    format::{OutputFormat, ResultFormat},
    output::{Output, is_same},
};

/// Writes rows to a file as runs finish, in the order of the runs.
#[derive(Debug)]
pub(super) struct MessageRows<'run> {
    path: PathBuf,
    sink: Sink,
    next: usize, // the run whose rows come next
    waiting: BTreeMap<usize, FinishedMessages<'run>>,
}

/// The messages of a run, with their memory.
#[derive(Debug)]
pub(super) struct FinishedMessages<'run> {
    pub(super) run: &'run Run,
    pub(super) messages: Vec<MessageTimes>, // empty if the run failed
    pub(super) permit: Option<Permit>,
}

#[derive(Debug)]
enum Sink {
    Csv { output: Output, header: CsvHeader },
    Jsonl(Output),
    Parquet(Box<ParquetTable<Output>>),
}

impl<'run> MessageRows<'run> {
    /// Opens the file, which must not be the destination of the results; its extension selects the format.
    pub(super) fn open(path: &Path, shared: &SharedOptions, scenarios: &[Scenario]) -> Result<Self, Failure> {
        let results = shared.output();
        if results.is_some_and(|results| results == path || is_same(results, path)) {
            let message = format!("both results and messages into {}", path.display());
            return Err(Failure::usage(message, "name two files with --output and --messages"));
        }
        refuse_unknown(scenarios)?;
        let output = || Output::open_path(Some(path), shared.existing(), scenarios);
        let extension = path.extension().and_then(|extension| extension.to_str());
        let sink = match extension.and_then(ResultFormat::of_extension) {
            Some(ResultFormat::Csv) => Sink::Csv { output: output()?, header: CsvHeader::Due },
            Some(ResultFormat::Jsonl) => Sink::Jsonl(output()?),
            Some(ResultFormat::Parquet) => {
                let table = ParquetTable::of_all_columns::<MessageRow<'_>>(output()?);
                Sink::Parquet(Box::new(table.map_err(|error| Failure::output(Some(path), error))?))
            }
            _ => {
                let message = format!("--messages {}: unknown extension", path.display());
                return Err(Failure::usage(message, "expected a path that ends in .csv, .jsonl or .parquet"));
            }
        };
        Ok(Self { path: path.to_owned(), sink, next: 0, waiting: BTreeMap::new() })
    }

    /// Adds the rows of the run at `place` of the results, once those of all earlier runs are there.
    pub(super) fn add(&mut self, place: usize, messages: FinishedMessages<'run>) -> Result<(), Failure> {
        self.waiting.insert(place, messages);
        while let Some(messages) = self.waiting.remove(&self.next) {
            self.sink.add(&self.path, self.next, &messages)?;
            self.next += 1;
            drop(messages.permit);
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

/// Refuses runs whose engines do not tell the messages apart.
fn refuse_unknown(scenarios: &[Scenario]) -> Result<(), Failure> {
    let has_messages = |run: &Run| {
        let has_routers = run.communication.routers().is_some() && run.program.open_loop.is_none();
        has_routers || run.program.job.is_some()
    };
    match scenarios.iter().flat_map(|scenario| &scenario.runs).find(|run| !has_messages(run)) {
        None => Ok(()),
        Some(run) => Err(Failure::usage(
            format!(
                "--messages of {:?}, expected a job, or a program over routers with finite buffers",
                run.scenario
            ),
            "add switching = \"wormhole\" or \"virtual-cut-through\" to [machine], or use --processes",
        )),
    }
}

impl Sink {
    fn add(&mut self, path: &Path, place: usize, own: &FinishedMessages<'_>) -> Result<(), Failure> {
        let embedding = own.run.embedding.to_string();
        let (scenario, run) = (&*own.run.scenario, place as u64);
        let row = |message: &MessageTimes| {
            Ok(MessageRow { scenario, run, embedding: &embedding, message: message.into() })
        };
        let mut rows = own.messages.iter().map(row);
        match self {
            Self::Csv { output, header } => {
                let header = std::mem::replace(header, CsvHeader::Written);
                output.add(|output| write_csv_rows(output, header, rows))
            }
            Self::Jsonl(output) => output.add(|output| write_lines(output, rows)),
            Self::Parquet(table) => rows
                .try_for_each(|row: std::io::Result<MessageRow<'_>>| table.add(&row?))
                .map_err(|error| Failure::output(Some(path), error)),
        }
    }
}
