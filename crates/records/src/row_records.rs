//! Records other than results of runs: planned runs of `check`, processes of `run --processes`, and the
//! columns of these, of `tables` and of `place`.

use cubefold_derive::Columns;
use cubefold_mapping::ProcessId;
use cubefold_scenario::{Run, ScenarioProgram};
use cubefold_simulator::StageRecord;
use serde::Serialize;

use super::{
    MachineRecord, ProgramRecord,
    column::{Record, Row},
    run_record::swept,
    shared_columns::{EMBEDDING, ITERATION, NODES, PROCESSES, RUN, SCENARIO, STEP, SWEEP},
};
use crate::definition::{Definition, Kind};

/// One planned run of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Columns)]
#[columns(STAGE_COUNT)]
pub struct PlannedRun {
    /// Its index in the results, counted from 0.
    pub run: u64,
    /// The scenario's name.
    pub scenario: String,
    /// The keys that the sweep sets, with their values as written; `None` without a sweep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<String>,
    /// The machine.
    pub machine: MachineRecord,
    /// The program.
    pub program: ProgramRecord,
    /// The embedding's name.
    pub embedding: String,
    /// The number of processes.
    pub processes: u64,
    /// The number of nodes.
    pub nodes: u64,
    /// The number of stages of the program.
    #[column(
        "stage count",
        name = "stage_count",
        unit = "stages",
        formula = "S",
        source = "docs/model.md, section 2"
    )]
    #[serde(rename = "stage_count")]
    pub stages: u64,
}

impl PlannedRun {
    /// Makes the record of the run at index `place` of the results.
    #[must_use]
    pub fn new(place: usize, run: &Run) -> Self {
        Self {
            run: place as u64,
            scenario: run.scenario.to_string(),
            sweep: swept(run),
            machine: MachineRecord::new(run),
            program: ProgramRecord::of_run(run),
            embedding: run.embedding.to_string(),
            processes: run.program.body.process_count(),
            nodes: run.machine.numbered_hosts(),
            stages: run.program.body.stage_count() as u64,
        }
    }
}

impl Record for PlannedRun {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(RUN, record.map(|run| &run.run));
        row.section(SCENARIO, record.map(|run| run.scenario.as_str()));
        row.section(SWEEP, record.and_then(|run| run.sweep.as_deref()));
        row.part(record.map(|run| &run.machine));
        row.part(record.map(|run| &run.program));
        row.section(EMBEDDING, record.map(|run| run.embedding.as_str()));
        row.section(PROCESSES, record.map(|run| &run.processes));
        row.section(NODES, record.map(|run| &run.nodes));
        row.section(STAGE_COUNT, record);
    }
}

/// One process in one stage of a run, as `run --processes` writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ProcessRecord<'run> {
    /// Times of the process in the stage.
    #[serde(flatten)]
    pub stage: ProcessStage,
    /// Iteration and step of the stage, in a job.
    #[serde(flatten)]
    pub step: StepOfStage<'run>,
    /// Rank and share of the process, in a collective or a job.
    #[serde(flatten)]
    pub rank: RankOfProcess,
}

impl<'run> ProcessRecord<'run> {
    /// Makes the record of a process in a stage of a program.
    #[must_use]
    pub fn new(program: &'run ScenarioProgram, record: &StageRecord) -> Self {
        Self {
            stage: record.into(),
            step: StepOfStage::new(program, record.stage),
            rank: RankOfProcess::new(program, record.process),
        }
    }
}

/// Iteration and step of a stage of a job; `None` in other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct StepOfStage<'run> {
    /// The iteration, counted from 0.
    pub iteration: Option<u64>,
    /// The name of the step.
    pub step: Option<&'run str>,
}

impl<'run> StepOfStage<'run> {
    /// Iteration and step of a stage of a program.
    #[must_use]
    pub fn new(program: &'run ScenarioProgram, stage: usize) -> Self {
        let Some(job) = program.job.as_deref() else { return Self::default() };
        let location = job.locate(stage);
        Self { iteration: Some(location.iteration as u64), step: Some(&job.steps()[location.step].name) }
    }
}

/// Rank and share of a process; `None` in programs that are no collectives or jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Columns)]
#[columns(RANK, source = "docs/model.md, section 16")]
pub struct RankOfProcess {
    /// A process of a collective as the algorithm numbers it, counted from 0; all its shares sit on one node. Empty
    /// for other programs.
    #[column("rank", formula = "r = n mod P")]
    pub rank: Option<u32>,
    /// The part of the vector of a collective that a process deals with, counted from 0. Shares move side by side.
    /// Empty for other programs.
    #[column("share", formula = "c = floor(n / P)")]
    pub share: Option<u32>,
}

impl RankOfProcess {
    /// Rank and share of a process of a program.
    #[must_use]
    pub fn new(program: &ScenarioProgram, process: ProcessId) -> Self {
        let Some(ranks) = &program.ranks else { return Self::default() };
        let (label, count) = (u64::from(process.label()), ranks.shape.node_count());
        Self { rank: u32::try_from(label % count).ok(), share: u32::try_from(label / count).ok() }
    }
}

/// A process in a stage; points in time are in cycles since the start, lengths in cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Columns)]
#[columns(PROCESS, source = "docs/model.md, section 2")]
pub struct ProcessStage {
    /// A node of the guest, counted from 0. It runs on one node of the machine.
    #[column("process", formula = "n")]
    pub process: u32,
    /// One computation and the exchange that follows it, counted from 0.
    #[column("stage", aliases = ["stages_stage"], formula = "s")]
    #[column(
        "dimension", term, name = "stages_dimension", aliases = ["guest dimension"],
        text = "The guest dimension along which a stage exchanges, counted from 0; missing for stages of \
        several.",
        formula = "q_s"
    )]
    pub stage: usize,
    /// When the process's computation of the stage ends.
    #[column(
        "ready",
        unit = "cycle",
        formula = "asynchronous: finish of the stage before + sharing + T_a; coordinated: beginning of the \
        stage + T_a L",
        source = "docs/model.md, sections 5 and 6"
    )]
    pub ready: u64,
    /// When the message that the process waits for sets out.
    #[column(
        "start",
        unit = "cycle",
        formula = "asynchronous: the cycle at which it is injected; coordinated: ready + waiting",
        source = "docs/model.md, sections 5 and 6"
    )]
    pub start: u64,
    /// When the stage is over for the process: its last message has arrived.
    #[column(
        "finish",
        unit = "cycle",
        formula = "ready + waiting + transfer + blocked + overhead",
        source = "docs/model.md, sections 5 and 6"
    )]
    pub finish: u64,
    /// Waiting for the processor.
    #[column]
    pub sharing_cycles: u64,
    /// Waiting for partners.
    #[column]
    pub waiting_cycles: u64,
    /// Unhindered travel.
    #[column]
    pub transfer_cycles: u64,
    /// Held up by other messages.
    #[column]
    pub blocked_cycles: u64,
    /// The part of the transfer that passed before the process was ready.
    #[column]
    pub overlapped_cycles: u64,
    /// The cost of the messages of the stage.
    #[column]
    pub overhead_cycles: u64,
}

impl From<&StageRecord> for ProcessStage {
    fn from(record: &StageRecord) -> Self {
        Self {
            process: record.process.label(),
            stage: record.stage,
            ready: record.ready.get(),
            start: record.start.get(),
            finish: record.finish.get(),
            sharing_cycles: record.sharing.get(),
            waiting_cycles: record.waiting().get(),
            transfer_cycles: record.transfer.get(),
            blocked_cycles: record.blocked().get(),
            overlapped_cycles: record.overlapped.get(),
            overhead_cycles: record.overhead.get(),
        }
    }
}

impl Record for ProcessRecord<'_> {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(PROCESS, record.map(|record| &record.stage));
        row.section(ITERATION, record.and_then(|record| record.step.iteration.as_ref()));
        row.section(STEP, record.and_then(|record| record.step.step));
        row.section(RANK, record.map(|record| &record.rank));
    }
}

/// Lists the names of the columns of `tables`, in order.
pub fn table_columns() -> impl Iterator<Item = &'static str> {
    TABLES.iter().filter(|table| table.kind != Kind::Term).map(|column| column.name)
}

/// Columns of `tables` and `place`.
pub(crate) static TABLES: &[Definition] = &[
    Definition {
        name: "p_1",
        title: "coordinate",
        aliases: &["coordinates", "p"],
        kind: Kind::Term,
        text: "The coordinates p_1, p_2, .. of the node that a process sits on; the first \
              varies fastest.",
        source: "docs/model.md, section 1",
        ..Definition::BLANK
    },
    Definition {
        name: "node",
        title: "node",
        kind: Kind::List,
        text: "A node of the machine, by its coordinates.",
        source: "docs/model.md, section 1",
        ..Definition::BLANK
    },
    Definition { name: "process", kind: Kind::Natural, ..Definition::BLANK },
    Definition {
        name: "code_type",
        title: "code type",
        kind: Kind::Text,
        text: "The type of code that the process runs, if the scenario loads several.",
        source: "Tao 1988, 4.3.3; docs/model.md, section 9",
        ..Definition::BLANK
    },
    Definition {
        name: "entry_process",
        title: "entry",
        aliases: &["translation table"],
        kind: Kind::Natural,
        text: "A guest neighbour in the translation table of a process, which holds the nodes \
              of its neighbours.",
        source: "Tao 1988, 4.4; docs/reading-results.md, the document of tables",
        ..Definition::BLANK
    },
    Definition {
        name: "entry_node",
        title: "entry node",
        kind: Kind::List,
        text: "The node that this guest neighbour is on, by its coordinates.",
        source: "Tao 1988, 4.4; docs/reading-results.md, the document of tables",
        ..Definition::BLANK
    },
];
