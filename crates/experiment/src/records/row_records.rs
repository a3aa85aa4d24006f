//! Records other than results of runs: planned runs of `check`, processes of `run --processes`, and the
//! columns of these, of `tables` and of `place`.

use cubefold_mapping::ProcessId;
use cubefold_simulator::StageRecord;
use serde::Serialize;

use super::{
    MachineRecord, ProgramRecord,
    column::{Column, Record, Row, no_cell},
    placement_record::{EMBEDDING, SCENARIO},
    run_columns::{SWEEP, swept},
};
use crate::{
    records::definition::{Definition, Kind},
    scenario::{Run, ScenarioProgram},
};

/// One planned run of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    /// The number of stages.
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
            program: ProgramRecord::new(&run.program),
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
        let own = job.locate(stage);
        Self { iteration: Some(own.iteration as u64), step: Some(&job.steps()[own.step].name) }
    }
}

/// Rank and share of a process; `None` in programs that are no collectives or jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct RankOfProcess {
    /// The rank, counted from 0.
    pub rank: Option<u32>,
    /// The share, counted from 0.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ProcessStage {
    /// The process.
    pub process: u32,
    /// The stage, counted from 0.
    pub stage: usize,
    /// End of its computation.
    pub ready: u64,
    /// Injection of the message that it waits for.
    pub start: u64,
    /// Arrival of that message.
    pub finish: u64,
    /// Waiting for the processor.
    pub sharing_cycles: u64,
    /// Waiting for partners.
    pub waiting_cycles: u64,
    /// Unhindered travel.
    pub transfer_cycles: u64,
    /// Held up by other messages.
    pub blocked_cycles: u64,
    /// The part of the transfer that passed before the process was ready.
    pub overlapped_cycles: u64,
    /// The cost of the messages of the stage.
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
        row.section(PROCESS, record.map(|own| &own.stage));
        row.section(ITERATION, record.and_then(|own| own.step.iteration.as_ref()));
        row.section(STEP, record.and_then(|own| own.step.step));
        row.section(RANK, record.map(|own| &own.rank));
    }
}

/// Lists the names of the columns of `tables`, in order.
pub fn table_columns() -> impl Iterator<Item = &'static str> {
    TABLES.iter().filter(|own| own.kind != Kind::Term).map(|column| column.name)
}

/// Column of the index of a run in the results.
pub(crate) static RUN: &[Column<u64>] = &[Column {
    definition: Definition {
        name: "run",
        title: "run",
        kind: Kind::Natural,
        text: "The place of the run in the results, counted from 0 over all files.",
        source: "docs/scenarios.md, the order of the runs",
        ..Definition::BLANK
    },
    value: |run| (*run).into(),
}];

/// Column of the number of processes of a program.
pub(crate) static PROCESSES: &[Column<u64>] = &[Column {
    definition: Definition {
        name: "processes",
        title: "processes",
        kind: Kind::Natural,
        unit: "processes",
        text: "The number of processes of the program.",
        formula: "P",
        source: "docs/model.md, section 2",
        ..Definition::BLANK
    },
    value: |processes| (*processes).into(),
}];

/// Column of the number of nodes of a machine.
pub(crate) static NODES: &[Column<u64>] = &[Column {
    definition: Definition {
        name: "nodes",
        title: "nodes",
        kind: Kind::Natural,
        unit: "nodes",
        text: "The number of nodes that the program can use: those of the machine, or of the partition; of networks \
               with switches the hosts.",
        formula: "k_1 * ... * k_c",
        source: "docs/model.md, section 1",
        ..Definition::BLANK
    },
    value: |nodes| (*nodes).into(),
}];

/// Column of the number of stages of a planned run.
pub(crate) static STAGE_COUNT: &[Column<PlannedRun>] = &[Column {
    definition: Definition {
        name: "stage_count",
        title: "stage count",
        kind: Kind::Natural,
        unit: "stages",
        text: "The number of stages of the program.",
        formula: "S",
        source: "docs/model.md, section 2",
        ..Definition::BLANK
    },
    value: |run| run.stages.into(),
}];

/// Columns of a process in a stage.
pub(crate) static PROCESS: &[Column<ProcessStage>] = &[
    Column {
        definition: Definition {
            name: "process",
            title: "process",
            kind: Kind::Natural,
            text: "A node of the guest, counted from 0. It runs on one node of the machine.",
            formula: "n",
            source: "docs/model.md, section 2",
            ..Definition::BLANK
        },
        value: |row| row.process.into(),
    },
    Column {
        definition: Definition {
            name: "stage",
            title: "stage",
            aliases: &["stages_stage"],
            kind: Kind::Natural,
            text: "One computation and the exchange that follows it, counted from 0.",
            formula: "s",
            source: "docs/model.md, section 2",
            ..Definition::BLANK
        },
        value: |row| row.stage.into(),
    },
    Column {
        definition: Definition {
            name: "stages_dimension",
            title: "dimension",
            aliases: &["guest dimension"],
            kind: Kind::Term,
            text: "The guest dimension along which a stage exchanges, counted from 0; missing for \
                  stages of several.",
            formula: "q_s",
            source: "docs/model.md, section 2",
            ..Definition::BLANK
        },
        value: no_cell,
    },
    Column {
        definition: Definition {
            name: "ready",
            title: "ready",
            kind: Kind::Natural,
            unit: "cycle",
            text: "When the process's computation of the stage ends.",
            formula: "asynchronous: finish of the stage before + sharing + T_a; coordinated: \
                     beginning of the stage + T_a L",
            source: "docs/model.md, sections 5 and 6",
            ..Definition::BLANK
        },
        value: |row| row.ready.into(),
    },
    Column {
        definition: Definition {
            name: "start",
            title: "start",
            kind: Kind::Natural,
            unit: "cycle",
            text: "When the message that the process waits for sets out.",
            formula: "asynchronous: the cycle at which it is injected; coordinated: ready + waiting",
            source: "docs/model.md, sections 5 and 6",
            ..Definition::BLANK
        },
        value: |row| row.start.into(),
    },
    Column {
        definition: Definition {
            name: "finish",
            title: "finish",
            kind: Kind::Natural,
            unit: "cycle",
            text: "When the stage is over for the process: its last message has arrived.",
            formula: "ready + waiting + transfer + blocked + overhead",
            source: "docs/model.md, sections 5 and 6",
            ..Definition::BLANK
        },
        value: |row| row.finish.into(),
    },
    Column {
        definition: Definition { name: "sharing_cycles", kind: Kind::Natural, ..Definition::BLANK },
        value: |row| row.sharing_cycles.into(),
    },
    Column {
        definition: Definition { name: "waiting_cycles", kind: Kind::Natural, ..Definition::BLANK },
        value: |row| row.waiting_cycles.into(),
    },
    Column {
        definition: Definition { name: "transfer_cycles", kind: Kind::Natural, ..Definition::BLANK },
        value: |row| row.transfer_cycles.into(),
    },
    Column {
        definition: Definition { name: "blocked_cycles", kind: Kind::Natural, ..Definition::BLANK },
        value: |row| row.blocked_cycles.into(),
    },
    Column {
        definition: Definition { name: "overlapped_cycles", kind: Kind::Natural, ..Definition::BLANK },
        value: |row| row.overlapped_cycles.into(),
    },
    Column {
        definition: Definition { name: "overhead_cycles", kind: Kind::Natural, ..Definition::BLANK },
        value: |row| row.overhead_cycles.into(),
    },
];

/// Column of the iteration of a job.
pub(crate) static ITERATION: &[Column<u64>] = &[Column {
    definition: Definition {
        name: "iteration",
        title: "iteration",
        aliases: &["iterations"],
        kind: Kind::Natural,
        text: "The repetition of the steps of a job, counted from 0. Empty for other programs.",
        source: "docs/model.md, section 23",
        ..Definition::BLANK
    },
    value: |iteration| (*iteration).into(),
}];

/// Column of the step of a job.
pub(crate) static STEP: &[Column<str>] = &[Column {
    definition: Definition {
        name: "step",
        title: "step",
        kind: Kind::Text,
        text: "The step of a job, by its name. Empty for other programs.",
        source: "docs/model.md, section 23",
        ..Definition::BLANK
    },
    value: |name| name.into(),
}];

/// Columns of the rank and share of a process.
pub(crate) static RANK: &[Column<RankOfProcess>] = &[
    Column {
        definition: Definition {
            name: "rank",
            title: "rank",
            kind: Kind::Natural,
            text: "A process of a collective as the algorithm numbers it, counted from 0; all its shares \
                  sit on one node. Empty for other programs.",
            formula: "r = n mod P",
            source: "docs/model.md, section 16",
            ..Definition::BLANK
        },
        value: |own| own.rank.into(),
    },
    Column {
        definition: Definition {
            name: "share",
            title: "share",
            kind: Kind::Natural,
            text: "The part of the vector of a collective that a process deals with, counted from 0. \
                  Shares move side by side. Empty for other programs.",
            formula: "c = floor(n / P)",
            source: "docs/model.md, section 16",
            ..Definition::BLANK
        },
        value: |own| own.share.into(),
    },
];

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
