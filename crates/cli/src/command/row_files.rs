//! The files of rows that `run` writes beside its results: `--processes`, a row for every run, process and stage,
//! `--messages`, a row for every message, `--crossings`, a row for every transmission, and for open-loop traffic
//! `--packets`, `--channels` and `--buffers`.
//!
//! Rows of open-loop traffic begin with the keys that sweeps set, since it has no embeddings; all others begin
//! with scenario, run and embedding.

mod rank_parts;
mod sink;

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use cubefold_records::{
    BufferRecord, ChannelRecord, FinishedRun, LeadingCells, LeadingColumns, MessageRecord, PacketRecord,
    ProcessRecord, Record, RowOfRun, TransmissionRecord,
};
use cubefold_runs::{KeepRecords, Permit};
use cubefold_scenario::{LoadChoice, Run, Scenario};
use cubefold_simulator::{MessageTimes, OpenLoopRows, RankTask, StageRecord, Transmission, WantedRows};
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
    packets: Option<RowSink>,
    channels: Option<RowSink>,
    buffers: Option<RowSink>,
    leading: LeadingColumns, // of rows of open-loop traffic
    next: usize,             // the run whose rows come next
    waiting: BTreeMap<usize, FinishedRows<'run>>,
}

/// The rows of a run, with their memory.
#[derive(Debug)]
pub(super) struct FinishedRows<'run> {
    pub(super) run: &'run Run,
    pub(super) kept: KeptRows,
    pub(super) permit: Permit,
}

/// The rows of a run; none if it failed.
#[derive(Debug, Default)]
pub(super) struct KeptRows {
    stages: Vec<StageRecord>,
    transmissions: Vec<Transmission>,
    messages: Vec<MessageTimes>,
    open_loop: OpenLoopRows,
    part_of: Option<RankTask>, // for a run divided among ranks: these are the leader's rows
    unused: Vec<RankTask>,     // the parts whose rows do not count
}

impl From<FinishedRun> for KeptRows {
    fn from(finished: FinishedRun) -> Self {
        Self {
            stages: finished.records,
            transmissions: finished.transmissions,
            messages: finished.messages,
            open_loop: finished.open_loop_rows,
            part_of: finished.part_of,
            unused: finished.parts_that_do_not_count,
        }
    }
}

/// The records to keep for the requested files.
pub(crate) fn kept_records(options: &RunOptions) -> KeepRecords {
    let [packets, channels, buffers] =
        [&options.packets, &options.channels, &options.buffers].map(Option::is_some);
    let open_loop = WantedRows { packets, channels, buffers };
    // No run has rows of open-loop traffic and any others.
    if open_loop.is_any() {
        return KeepRecords::OpenLoop(open_loop);
    }
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
    let named = options.row_files();
    let named: Vec<_> = named.iter().filter_map(|&(option, path)| Some((option, path?))).collect();
    for (number, (option, path)) in named.iter().enumerate() {
        let same = named[..number].iter().find(|(_, other)| other == path || is_same(other, path));
        if let Some((other, _)) = same {
            let message = format!("both {other} and {option} into {}", path.display());
            return Err(Failure::usage(message, "name two files"));
        }
    }
    Ok(())
}

/// Refuses runs whose engines do not distinguish messages.
fn refuse_unknown_messages(scenarios: &[Scenario]) -> Result<(), Failure> {
    let has_messages = |run: &Run| {
        let has_routers = run.communication.routers().is_some() && run.program.open_loop.is_none();
        has_routers || run.program.job.is_some()
    };
    match scenarios.iter().flat_map(|scenario| &scenario.runs).find(|run| !has_messages(run)) {
        None => Ok(()),
        Some(run) if run.program.open_loop.is_some() => Err(Failure::usage(
            format!("--messages of {:?}, which is open-loop traffic, expected another program", run.scenario),
            "use --packets for the rows of open-loop traffic",
        )),
        Some(run) => Err(Failure::usage(
            format!(
                "--messages of {:?}, expected a job, or a program over routers with finite buffers",
                run.scenario
            ),
            "add switching = \"wormhole\" or \"virtual-cut-through\" to [machine], or use --processes",
        )),
    }
}

/// Refuses rows of open-loop traffic for other runs, for searches for saturation, which try many loads, and together with
/// the rows of other programs.
fn refuse_without_open_loop(options: &RunOptions, scenarios: &[Scenario]) -> Result<(), Failure> {
    let named = options.row_files();
    let (others, open_loop) = named.split_at(3);
    let named = |(option, path): &(&'static str, Option<&Path>)| path.map(|_| *option);
    let Some(option) = open_loop.iter().find_map(named) else { return Ok(()) };
    for run in scenarios.iter().flat_map(|scenario| &scenario.runs) {
        let scenario = &run.scenario;
        let Some(program) = run.program.open_loop.as_deref() else {
            return Err(Failure::usage(
                format!("{option} of {scenario:?}, expected open-loop traffic"),
                "set kind = \"open-loop\" in [program] and a switching with routers, or use --messages",
            ));
        };
        if matches!(program.load, LoadChoice::Search(_)) {
            return Err(Failure::usage(
                format!("{option} of {scenario:?}, which searches for saturation, expected one load"),
                "set program.load, such as the saturation load, instead of program.saturation",
            ));
        }
    }
    match others.iter().find_map(named) {
        None => Ok(()),
        Some(other) => Err(Failure::usage(
            format!("{other} of open-loop traffic, expected another program"),
            format!("leave out {other}"),
        )),
    }
}

impl<'run> RowFiles<'run> {
    /// Opens the requested files; `None` if there are none.
    pub(super) fn open(
        options: &RunOptions,
        shared: &SharedOptions,
        scenarios: &[Scenario],
    ) -> Result<Option<Self>, Failure> {
        refuse_same(options)?;
        refuse_without_open_loop(options, scenarios)?;
        if options.messages.is_some() {
            refuse_unknown_messages(scenarios)?;
        }
        if let Some(path) = options.processes.as_deref().filter(|_| ranks().is_some()) {
            refuse_long_name(path, MORE_OF_A_NAME)?;
        }
        let leading = LeadingColumns::new(scenarios.iter().flat_map(|scenario| &scenario.runs));
        let none = LeadingColumns::default();
        let open = |option, path: &Option<PathBuf>, leading, open: OpenSink| {
            path.as_deref().map(|path| open(option, path, leading, shared, scenarios)).transpose()
        };
        let files = Self {
            processes: open("--processes", &options.processes, &none, of_parts::<ProcessRecord<'_>>())?,
            crossings: open("--crossings", &options.crossings, &none, of_parts::<TransmissionRecord>())?,
            messages: open("--messages", &options.messages, &none, of_parts::<MessageRecord>())?,
            packets: open("--packets", &options.packets, &leading, RowSink::open::<PacketRecord>)?,
            channels: open("--channels", &options.channels, &leading, RowSink::open::<ChannelRecord>)?,
            buffers: open("--buffers", &options.buffers, &leading, RowSink::open::<BufferRecord>)?,
            leading,
            next: 0,
            waiting: BTreeMap::new(),
        };
        let is_any = options.row_files().iter().any(|row_file| row_file.1.is_some());
        Ok(is_any.then_some(files))
    }

    /// Adds the rows of the run at `place` of the results, after those of all earlier runs, and removes what ranks wrote
    /// for parts that do not count.
    pub(super) fn add(&mut self, place: usize, rows: FinishedRows<'run>) -> Result<(), Failure> {
        if let Some(sink) = &self.processes {
            rows.kept.unused.iter().for_each(|&task| discard(sink.path(), task));
        }
        self.waiting.insert(place, rows);
        while let Some(FinishedRows { run, kept, permit }) = self.waiting.remove(&self.next) {
            if let Some(sink) = &mut self.processes {
                let stages = joined(sink.path(), kept.part_of, &kept.stages)?;
                let record = |stage: StageRecord| ProcessRecord::new(&run.program, &stage);
                add_rows(sink, self.next, run, stages.map(|stage| stage.map(record)))?;
            }
            if let Some(sink) = &mut self.crossings {
                let records = kept.transmissions.iter().map(TransmissionRecord::from);
                add_rows(sink, self.next, run, records.map(Ok))?;
            }
            if let Some(sink) = &mut self.messages {
                let records = kept.messages.iter().map(MessageRecord::from);
                add_rows(sink, self.next, run, records.map(Ok))?;
            }
            self.add_open_loop(run, &kept.open_loop)?;
            self.next += 1;
            drop(permit);
        }
        Ok(())
    }

    /// Adds the rows of open-loop traffic of a run.
    fn add_open_loop(&mut self, run: &Run, rows: &OpenLoopRows) -> Result<(), Failure> {
        let cells = self.leading.cells(run);
        if let Some(sink) = &mut self.packets {
            sink.add(&cells, rows.packets.iter().map(PacketRecord::from).map(Ok))?;
        }
        if let Some(sink) = &mut self.channels {
            sink.add(&cells, rows.channels.iter().map(ChannelRecord::from).map(Ok))?;
        }
        if let Some(sink) = &mut self.buffers {
            sink.add(&cells, rows.buffers.iter().map(BufferRecord::from).map(Ok))?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        let of_programs = [self.processes, self.crossings, self.messages];
        let all = of_programs.into_iter().chain([self.packets, self.channels, self.buffers]);
        all.flatten().try_for_each(RowSink::finish)
    }
}

/// A function that opens the file of an option for rows of one type.
type OpenSink = fn(&str, &Path, &LeadingColumns, &SharedOptions, &[Scenario]) -> Result<RowSink, Failure>;

/// Opens a file for parts of runs.
fn of_parts<Part: Record>() -> OpenSink {
    RowSink::open::<RowOfRun<'_, Part>>
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
    sink.add(&LeadingCells::default(), parts.map(|part| part.map(row)))
}
