//! The files of rows that `run` writes beside its results: `--processes`, a row for every run, process and stage,
//! `--messages`, a row for every message, and `--crossings`, a row for every transmission.

mod rank_parts;
mod sink;

use std::{collections::BTreeMap, io, path::Path};

use cubefold_experiment::{
    KeepRecords, Permit, Run, Scenario,
    records::{MessageRecord, ProcessRecord, Record, RowOfRun, TransmissionRecord},
};
use cubefold_simulator::{MessageTimes, RankTask, StageRecord, Transmission};
use serde::Serialize;

pub(crate) use self::rank_parts::leave;
use self::{
    rank_parts::{MORE_OF_A_NAME, discard, joined},
    sink::RowSink,
};
use crate::{
    arguments::{RunOptions, SharedOptions},
    failure::Failure,
    output::{is_same, refuse_long_name},
    ranks::ranks,
};

/// Writes rows as runs finish, in the order of the runs.
#[derive(Debug)]
pub(super) struct RowFiles<'run> {
    processes: Option<RowSink>,
    crossings: Option<RowSink>,
    messages: Option<RowSink>,
    next: usize, // the run whose rows come next
    waiting: BTreeMap<usize, FinishedRows<'run>>,
}

/// The rows of a run, with their memory.
#[derive(Debug)]
pub(super) struct FinishedRows<'run> {
    pub(super) run: &'run Run,
    pub(super) stages: Vec<StageRecord>,         // empty if the run failed
    pub(super) transmissions: Vec<Transmission>, // likewise
    pub(super) messages: Vec<MessageTimes>,      // likewise
    pub(super) part_of: Option<RankTask>,        // for a run divided among ranks: these are the leader's rows
    pub(super) permit: Permit,
}

/// The records that are kept for the files that are asked for.
pub(crate) fn kept_records(options: &RunOptions) -> KeepRecords {
    match (&options.processes, &options.messages, &options.crossings) {
        (_, _, Some(_)) => KeepRecords::WithTransmissions,
        (Some(_), Some(_), None) => KeepRecords::WithMessages,
        (Some(_), None, None) => KeepRecords::Yes,
        (None, Some(_), None) => KeepRecords::OnlyMessages,
        (None, None, None) => KeepRecords::No,
    }
}

/// Refuses two options that name the same file.
fn refuse_same(options: &RunOptions) -> Result<(), Failure> {
    let named = [
        ("--processes", &options.processes),
        ("--messages", &options.messages),
        ("--crossings", &options.crossings),
    ];
    let named: Vec<_> = named.iter().filter_map(|(option, path)| Some((option, path.as_deref()?))).collect();
    for (number, (option, path)) in named.iter().enumerate() {
        let same = named[..number].iter().find(|(_, other)| other == path || is_same(other, path));
        if let Some((other, _)) = same {
            let message = format!("both {other} and {option} into {}", path.display());
            return Err(Failure::usage(message, "name two files"));
        }
    }
    Ok(())
}

/// Refuses runs whose engines do not tell the messages apart.
fn refuse_unknown_messages(scenarios: &[Scenario]) -> Result<(), Failure> {
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

impl<'run> RowFiles<'run> {
    /// Opens the files that are asked for; `None` if there are none.
    pub(super) fn open(
        options: &RunOptions,
        shared: &SharedOptions,
        scenarios: &[Scenario],
    ) -> Result<Option<Self>, Failure> {
        refuse_same(options)?;
        let (processes, crossings) = (options.processes.as_deref(), options.crossings.as_deref());
        let messages = options.messages.as_deref();
        if messages.is_some() {
            refuse_unknown_messages(scenarios)?;
        }
        if let Some(path) = processes.filter(|_| ranks().is_some()) {
            refuse_long_name(path, MORE_OF_A_NAME)?;
        }
        let processes = open_rows::<ProcessRecord<'_>>("--processes", processes, shared, scenarios)?;
        let crossings = open_rows::<TransmissionRecord>("--crossings", crossings, shared, scenarios)?;
        let messages = open_rows::<MessageRecord>("--messages", messages, shared, scenarios)?;
        let is_any = processes.is_some() || crossings.is_some() || messages.is_some();
        let waiting = BTreeMap::new();
        Ok(is_any.then_some(Self { processes, crossings, messages, next: 0, waiting }))
    }

    /// Removes the files that ranks left for unused runs.
    pub(super) fn discard(&self, parts: &[RankTask]) {
        if let Some(sink) = &self.processes {
            parts.iter().for_each(|&task| discard(sink.path(), task));
        }
    }

    /// Adds the rows of the run at `place` of the results, once those of all earlier runs are there.
    pub(super) fn add(&mut self, place: usize, rows: FinishedRows<'run>) -> Result<(), Failure> {
        self.waiting.insert(place, rows);
        while let Some(rows) = self.waiting.remove(&self.next) {
            if let Some(sink) = &mut self.processes {
                let stages = joined(sink.path(), rows.part_of, &rows.stages)?;
                let record = |stage: StageRecord| ProcessRecord::new(&rows.run.program, &stage);
                add_rows(sink, self.next, rows.run, stages.map(|stage| stage.map(record)))?;
            }
            if let Some(sink) = &mut self.crossings {
                let records = rows.transmissions.iter().map(TransmissionRecord::from);
                add_rows(sink, self.next, rows.run, records.map(Ok))?;
            }
            if let Some(sink) = &mut self.messages {
                let records = rows.messages.iter().map(MessageRecord::from);
                add_rows(sink, self.next, rows.run, records.map(Ok))?;
            }
            self.next += 1;
            drop(rows.permit);
        }
        Ok(())
    }

    /// Completes the files.
    pub(super) fn finish(self) -> Result<(), Failure> {
        [self.processes, self.crossings, self.messages].into_iter().flatten().try_for_each(RowSink::finish)
    }
}

/// Opens the file that an option names for parts of runs, if it names one.
fn open_rows<Part: Record>(
    option: &str,
    path: Option<&Path>,
    shared: &SharedOptions,
    scenarios: &[Scenario],
) -> Result<Option<RowSink>, Failure> {
    path.map(|path| RowSink::open::<RowOfRun<'_, Part>>(option, path, shared, scenarios)).transpose()
}

/// Adds parts of the run at `place` of the results.
fn add_rows<Part: Record + Serialize>(
    sink: &mut RowSink,
    place: usize,
    run: &Run,
    parts: impl Iterator<Item = io::Result<Part>>,
) -> Result<(), Failure> {
    let (scenario, number, embedding) = (&*run.scenario, place as u64, run.embedding.to_string());
    let row = |part| RowOfRun { scenario, run: number, embedding: &embedding, part };
    sink.add(parts.map(|part| part.map(row)))
}
