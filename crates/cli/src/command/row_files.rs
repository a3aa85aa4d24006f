//! The files of rows that `run` writes beside its results: `--processes`, a row for every run, process and stage, and
//! `--crossings`, a row for every transmission.

mod rank_parts;
mod sink;

use std::{collections::BTreeMap, io, path::Path};

use cubefold_experiment::{
    KeepRecords, Permit, Run, Scenario,
    records::{ProcessRow, RankOfProcess, StepOfStage, TransmissionRow},
};
use cubefold_simulator::{RankTask, StageRecord, Transmission};

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
    next: usize, // the run whose rows come next
    waiting: BTreeMap<usize, FinishedRows<'run>>,
}

/// The rows of a run, with their memory.
#[derive(Debug)]
pub(super) struct FinishedRows<'run> {
    pub(super) run: &'run Run,
    pub(super) stages: Vec<StageRecord>,         // empty if the run failed
    pub(super) transmissions: Vec<Transmission>, // likewise
    pub(super) part_of: Option<RankTask>,        // for a run divided among ranks: these are the leader's rows
    pub(super) permit: Permit,
}

/// The records that are kept for the files that are asked for.
pub(crate) fn kept_records(options: &RunOptions) -> KeepRecords {
    match (&options.processes, &options.crossings) {
        (_, Some(_)) => KeepRecords::WithTransmissions,
        (Some(_), None) => KeepRecords::Yes,
        (None, None) => KeepRecords::No,
    }
}

impl<'run> RowFiles<'run> {
    /// Opens the files that are asked for; `None` if there are none.
    pub(super) fn open(
        options: &RunOptions,
        shared: &SharedOptions,
        scenarios: &[Scenario],
    ) -> Result<Option<Self>, Failure> {
        let (processes, crossings) = (options.processes.as_deref(), options.crossings.as_deref());
        if let (Some(one), Some(other)) = (processes, crossings)
            && (one == other || is_same(one, other))
        {
            let message = format!("both --processes and --crossings into {}", one.display());
            return Err(Failure::usage(message, "name two files"));
        }
        if let Some(path) = processes.filter(|_| ranks().is_some()) {
            refuse_long_name(path, MORE_OF_A_NAME)?;
        }
        let open_processes =
            |path: &Path| RowSink::open::<ProcessRow<'_>>("--processes", path, shared, scenarios);
        let open_crossings =
            |path: &Path| RowSink::open::<TransmissionRow<'_>>("--crossings", path, shared, scenarios);
        let processes = processes.map(open_processes).transpose()?;
        let crossings = crossings.map(open_crossings).transpose()?;
        let is_any = processes.is_some() || crossings.is_some();
        Ok(is_any.then_some(Self { processes, crossings, next: 0, waiting: BTreeMap::new() }))
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
                add_processes(sink, self.next, &rows)?;
            }
            if let Some(sink) = &mut self.crossings {
                add_crossings(sink, self.next, &rows)?;
            }
            self.next += 1;
            drop(rows.permit);
        }
        Ok(())
    }

    /// Completes the files.
    pub(super) fn finish(self) -> Result<(), Failure> {
        [self.processes, self.crossings].into_iter().flatten().try_for_each(RowSink::finish)
    }
}

/// Adds the processes of a run in its stages.
fn add_processes(sink: &mut RowSink, place: usize, rows: &FinishedRows<'_>) -> Result<(), Failure> {
    let embedding = rows.run.embedding.to_string();
    let (scenario, run, program) = (&rows.run.scenario, place as u64, &rows.run.program);
    let row = |stage: io::Result<StageRecord>| {
        let stage = stage?;
        let rank = RankOfProcess::new(program, stage.process);
        let step = StepOfStage::new(program, stage.stage);
        Ok(ProcessRow { scenario, run, embedding: &embedding, stage: (&stage).into(), step, rank })
    };
    let joined = joined(sink.path(), rows.part_of, &rows.stages)?;
    sink.add(joined.map(row))
}

/// Adds the transmissions of a run.
fn add_crossings(sink: &mut RowSink, place: usize, rows: &FinishedRows<'_>) -> Result<(), Failure> {
    let embedding = rows.run.embedding.to_string();
    let (scenario, run) = (&*rows.run.scenario, place as u64);
    let row = |own: &Transmission| TransmissionRow {
        scenario,
        run,
        embedding: &embedding,
        transmission: own.into(),
    };
    sink.add(rows.transmissions.iter().map(|own| Ok(row(own))))
}
