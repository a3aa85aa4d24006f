//! The rows of `run --processes`: one for every run, process and stage.

use std::path::Path;

use cubefold_experiment::{
    Scenario,
    export::{ProcessRow, RunRecord},
};
use cubefold_simulator::StageRecord;

use crate::{
    failure::Failure,
    output::{Output, is_same},
};

/// Writes rows to a file as the runs are over.
#[derive(Debug)]
pub(super) struct ProcessRows {
    output: Output,
    format: RowFormat,
    header: bool, // whether it is still to be written
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowFormat {
    Csv,
    Jsonl,
}

impl ProcessRows {
    /// Opens the file, which is not where the results go; its extension decides the format.
    pub(super) fn open(path: &Path, results: Option<&Path>, scenarios: &[Scenario]) -> Result<Self, Failure> {
        if results.is_some_and(|results| results == path || is_same(results, path)) {
            let message = format!("both results and process rows into {}", path.display());
            return Err(Failure::usage(message, "name two files with --output and --processes"));
        }
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => RowFormat::Csv,
            Some("jsonl") => RowFormat::Jsonl,
            _ => {
                let message = format!("--processes {}: unknown extension", path.display());
                return Err(Failure::usage(message, "expected a path that ends in .csv or .jsonl"));
            }
        };
        Ok(Self { output: Output::open(Some(path), scenarios)?, format, header: true })
    }

    /// Adds the rows of the run at place `run` of the results.
    pub(super) fn add(
        &mut self,
        run: usize,
        record: &RunRecord,
        stages: &[StageRecord],
    ) -> Result<(), Failure> {
        let rows =
            stages.iter().map(|stage| ProcessRow::new(&record.scenario, run, &record.embedding, stage));
        let (format, header) = (self.format, std::mem::take(&mut self.header));
        self.output.add(|output| match format {
            RowFormat::Csv => {
                let mut writer = csv::WriterBuilder::new().has_headers(header).from_writer(output);
                for row in rows {
                    writer.serialize(row)?;
                }
                writer.flush()
            }
            RowFormat::Jsonl => cubefold_experiment::export::write_lines(output, rows),
        })
    }

    /// Completes the file.
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.output.finish()
    }
}
