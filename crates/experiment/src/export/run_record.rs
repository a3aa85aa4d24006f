//! One run, as results hold it, and its columns.

use cubefold_mapping::BoundSource;
use cubefold_topology::TieRule;
use serde::{Deserialize, Serialize};

use super::{
    MachineRecord, PlacementRecord, ProgramRecord, Word,
    column::{Cell, Column, Record, Row, no_cell},
    placement_record::{EMBEDDING, SCENARIO},
    time_record::{BLOCKED, DistributionRecord, StageRecord, TOTALS, TotalsRecord, WAITING, stages},
};
use crate::{
    FinishedRun, Loading,
    definition::{Definition, Kind},
    scenario::{Execution, ExecutionMode, Phases, Run},
};

/// One run with everything that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The scenario's name.
    pub scenario: String,
    /// The seed of its random choices.
    pub seed: u64,
    /// The machine.
    pub machine: MachineRecord,
    /// The program.
    pub program: ProgramRecord,
    /// The embedding's name.
    pub embedding: String,
    /// How it was executed.
    pub execution: ExecutionRecord,
    /// The engine that ran.
    pub engine: Word,
    /// When the last process finished \[cycles\].
    pub makespan_cycles: u64,
    /// The makespan without contention \[cycles\].
    pub predicted_cycles: Option<u64>,
    /// What no one-to-one placement goes below \[cycles\].
    pub lower_bound_cycles: Option<u64>,
    /// How that is known.
    pub lower_bound_source: Option<Word>,
    /// Loading the program \[cycles\].
    pub loading_cycles: Option<u64>,
    /// The number of messages.
    pub messages: u64,
    /// Links crossed by all messages.
    pub hops: u64,
    /// Sums over processes and stages.
    pub totals: TotalsRecord,
    /// Waiting of single processes in single stages \[cycles\].
    pub waiting: DistributionRecord,
    /// Blocked times of single processes in single stages \[cycles\].
    pub blocked: DistributionRecord,
    /// Parallel data movement steps of a coordinated run.
    pub routing_steps: Option<u64>,
    /// Conflicts of a coordinated run.
    pub conflicts: Option<u64>,
    /// The most messages left in one channel's queue, of an asynchronous run.
    pub longest_queue: Option<u32>,
    /// Stage by stage.
    pub stages: Vec<StageRecord>,
    /// The metrics of the placement.
    pub placement: PlacementRecord,
    /// The makespan over that of the reference in the same combination; only in `compare`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio_to_reference: Option<f64>,
}

/// How a run was executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionRecord {
    /// `asynchronous` or `coordinated`.
    pub mode: Word,
    /// The rule for equally long ways round.
    pub tie: Word,
    /// Which dimension a message corrects next; of a coordinated run.
    pub dimension_choice: Option<Word>,
    /// The phase lengths asked for; of a coordinated run.
    pub phases: Option<String>,
}

impl RunRecord {
    /// The record of a run and what it came to.
    #[must_use]
    pub fn new(run: &Run, finished: &FinishedRun) -> Self {
        let (summary, traffic) = (&finished.outcome.summary, &finished.outcome.traffic);
        let routing = traffic.routing.as_deref();
        Self {
            scenario: run.scenario.clone(),
            seed: run.seed,
            machine: MachineRecord::new(run),
            program: ProgramRecord::new(&run.program),
            embedding: run.embedding.to_string(),
            execution: ExecutionRecord::new(&run.execution, run.communication.tie()),
            engine: finished.outcome.engine.name().into(),
            makespan_cycles: summary.makespan().get(),
            predicted_cycles: finished.predicted,
            lower_bound_cycles: finished.lower_bound.map(|bound| bound.cycles.get()),
            lower_bound_source: finished.lower_bound.map(|bound| BoundSource::name(bound.source).into()),
            loading_cycles: run.loading.as_ref().map(Loading::cycles),
            messages: traffic.messages,
            hops: traffic.hops,
            totals: TotalsRecord::new(summary),
            waiting: DistributionRecord::new(summary.waiting()),
            blocked: DistributionRecord::new(summary.blocked()),
            routing_steps: routing.map(|stages| stages.iter().map(|stage| stage.steps).sum()),
            conflicts: routing.map(|stages| stages.iter().map(|stage| stage.conflicts).sum()),
            longest_queue: traffic.longest_queue,
            stages: stages(run, finished),
            placement: PlacementRecord::new(&finished.metrics),
            ratio_to_reference: None,
        }
    }
}

impl ExecutionRecord {
    /// The record of an execution with this rule for equally long ways round.
    #[must_use]
    pub fn new(execution: &Execution, tie: TieRule) -> Self {
        let (dimension_choice, phases) = match execution.mode {
            ExecutionMode::Asynchronous => (None, None),
            ExecutionMode::Coordinated { dimension_choice, phases } => {
                let phases = match phases {
                    Phases::Embedding => "embedding".to_owned(),
                    Phases::Unlimited => "unlimited".to_owned(),
                    Phases::Length(length) => length.to_string(),
                };
                (Some(dimension_choice.name().into()), Some(phases))
            }
        };
        Self { mode: execution.mode.name().into(), tie: tie.name().into(), dimension_choice, phases }
    }
}

impl Record for RunRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(SCENARIO, record.map(|run| run.scenario.as_str()));
        row.section(SEED, record.map(|run| &run.seed));
        row.part(record.map(|run| &run.machine));
        row.part(record.map(|run| &run.program));
        row.section(EMBEDDING, record.map(|run| run.embedding.as_str()));
        row.section(EXECUTION, record.map(|run| &run.execution));
        row.section(ENGINE, record);
        row.section(WHOLE_RUN, record);
        row.section(AMOUNTS, record);
        row.section(TOTALS, record.map(|run| &run.totals));
        row.section(WAITING, record.map(|run| &run.waiting));
        row.section(BLOCKED, record.map(|run| &run.blocked));
        row.section(STEPS, record);
        row.part(record.map(|run| &run.placement));
        row.section(RATIO, record);
    }
}

/// The seed.
pub(crate) static SEED: &[Column<u64>] = &[Column {
    definition: Definition {
        name: "seed",
        title: "seed",
        kind: Kind::Natural,
        text: "The number that keys every random choice of the run; nothing else depends on it.",
        source: "docs/model.md, section 10",
        ..Definition::BLANK
    },
    value: |seed| (*seed).into(),
}];

/// How a run is executed.
pub(crate) static EXECUTION: &[Column<ExecutionRecord>] = &[
    Column {
        definition: Definition {
            name: "execution_mode",
            title: "mode",
            aliases: &["execution", "asynchronous", "coordinated"],
            kind: Kind::Text,
            text: "Asynchronous: every process goes on as soon as its message is there. \
                  Coordinated: all compute, then all messages of the stage move together in steps, \
                  and the next stage begins when all have arrived.",
            source: "docs/model.md, sections 5 and 6",
            ..Definition::BLANK
        },
        value: |execution| (&execution.mode).into(),
    },
    Column {
        definition: Definition {
            name: "execution_tie",
            title: "tie",
            kind: Kind::Text,
            text: "Which way a message goes round a ring when both ways are equally long.",
            source: "docs/model.md, section 4",
            ..Definition::BLANK
        },
        value: |execution| (&execution.tie).into(),
    },
    Column {
        definition: Definition {
            name: "execution_dimension_choice",
            title: "dimension choice",
            kind: Kind::Text,
            text: "Which of the coordinates in which it differs a message corrects next, in a \
                  coordinated run: the lowest, or one at random.",
            source: "Tao 1988, 4.5.1; docs/model.md, section 6",
            ..Definition::BLANK
        },
        value: |execution| execution.dimension_choice.as_ref().into(),
    },
    Column {
        definition: Definition {
            name: "execution_phases",
            title: "phases",
            kind: Kind::Text,
            unit: "links",
            text: "The largest number of links that a message moves in one phase of a coordinated run: as \
                  the embedding says, without limit, or a number.",
            source: "Tao 1988, lemma 4.2.2; docs/model.md, section 6; docs/errata.md, A1",
            ..Definition::BLANK
        },
        value: |execution| execution.phases.as_ref().into(),
    },
];

/// The engine.
pub(crate) static ENGINE: &[Column<RunRecord>] = &[Column {
    definition: Definition {
        name: "engine",
        title: "engine",
        kind: Kind::Text,
        text: "The engine that computed the run: hop or belt for asynchronous runs, \
                  coordinated for the others. No other value depends on it.",
        source: "docs/engines.md",
        ..Definition::BLANK
    },
    value: |run| (&run.engine).into(),
}];

/// Time of the whole run.
pub(crate) static WHOLE_RUN: &[Column<RunRecord>] = &[
    Column {
        definition: Definition {
            name: "makespan_cycles",
            title: "makespan",
            kind: Kind::Natural,
            unit: "cycles",
            text: "When the last process finishes. It is the number to compare: how long the \
                  program takes under this placement, contention and waiting included.",
            formula: "asynchronous: the largest finish of a process; coordinated: sum over the \
                     stages of (T_a L + T_c * steps of the stage), L the largest load",
            source: "docs/model.md, sections 5 and 6",
            ..Definition::BLANK
        },
        value: |run| run.makespan_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "predicted_cycles",
            title: "predicted",
            aliases: &["prediction"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "What the makespan would be without contention. No asynchronous run takes less, \
                  and one without blocked cycles takes exactly this. Only cc-cube programs with \
                  one process on a node have it.",
            formula: "the largest T_(S-1)(n) of T_s(n) = T_a + T_c D_(q_s)(n) + max(T_(s-1)(n), \
                     T_(s-1)(N_(q_s)(n))), T_(-1)(n) = 0",
            source: "González & Valero 1993, 2.1; docs/model.md, section 5, prediction",
        },
        value: |run| run.predicted_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "lower_bound_cycles",
            title: "bound",
            aliases: &["lower bound"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The time below which no one-to-one placement on this machine can be. It is \
                  known for cc-cube programs that use every dimension once, on as many nodes as \
                  processes, with lengths that are powers of two.",
            formula: "d T_a + T_c B; B is the sum over the machine's dimensions of length 2^(d_j) \
                     of 3 * 2^(d_j - 2) - 1 where they wrap (and d_j >= 2), else 2^(d_j) - 1",
            source: "Harper 1964; Bezrukov et al. 1998; Guu 1997; Liu & Tang 2023; Tang, arXiv \
                    2302.13237; docs/model.md, section 5, lower bound",
        },
        value: |run| run.lower_bound_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "lower_bound_source",
            title: "bound source",
            aliases: &["theorem", "preprint"],
            kind: Kind::Text,
            text: "How firmly the bound is established: it rests on a theorem, or on a preprint.",
            source: "docs/model.md, section 5, lower bound",
            ..Definition::BLANK
        },
        value: |run| run.lower_bound_source.as_ref().into(),
    },
    Column {
        definition: Definition {
            name: "loading_cycles",
            title: "loading",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The time to broadcast the loader and every type of code before the program \
                  begins; it is no part of the makespan.",
            formula: "broadcast_cycles * (1 + number of types)",
            source: "Tao 1988, 4.3.3; docs/model.md, section 9",
            ..Definition::BLANK
        },
        value: |run| run.loading_cycles.into(),
    },
];

/// The ratio to the reference, of `compare`.
pub(crate) static RATIO: &[Column<RunRecord>] = &[Column {
    definition: Definition {
        name: "ratio_to_reference",
        title: "/ reference",
        aliases: &["reference", "ratio to the reference"],
        kind: Kind::Decimal,
        unit: "ratio",
        text: "The makespan over that of the reference embedding in the same combination of \
                  the sweep. 0.8 means 1.25 times fewer cycles, 1 equally many, 2 twice as many.",
        formula: "makespan / makespan of the reference",
        source: "docs/reading-results.md, ratio to the reference",
    },
    value: |run| Cell::optional(run.ratio_to_reference),
}];

/// Amounts.
pub(crate) static AMOUNTS: &[Column<RunRecord>] = &[
    Column {
        definition: Definition {
            name: "messages",
            title: "messages",
            kind: Kind::Natural,
            unit: "messages",
            text: "The messages of all stages.",
            source: "docs/model.md, section 2",
            ..Definition::BLANK
        },
        value: |run| run.messages.into(),
    },
    Column {
        definition: Definition {
            name: "hops",
            title: "hops",
            kind: Kind::Natural,
            unit: "links",
            text: "Links crossed by all messages together.",
            source: "docs/model.md, sections 2 and 4",
            ..Definition::BLANK
        },
        value: |run| run.hops.into(),
    },
];

/// Steps, conflicts and queues.
pub(crate) static STEPS: &[Column<RunRecord>] = &[
    Column {
        definition: Definition {
            name: "routing_steps",
            title: "steps",
            aliases: &["stages_routing_steps"],
            kind: Kind::Natural,
            unit: "steps",
            text: "The parallel data movement steps of a coordinated run: in one step messages \
                  move over one link each. In tables, those of all stages together.",
            formula: "sum over the stages of the steps of all their movements; one costs T_c",
            source: "Tao 1988, 4.2; docs/model.md, section 6",
        },
        value: |run| run.routing_steps.into(),
    },
    Column {
        definition: Definition {
            name: "conflicts",
            title: "conflicts",
            aliases: &["stages_conflicts"],
            kind: Kind::Natural,
            unit: "message steps",
            text: "How often a message of a coordinated run wanted a channel and was not moved in \
                  that step, because another message had it.",
            source: "Tao 1988, 4.2; docs/model.md, section 6",
            ..Definition::BLANK
        },
        value: |run| run.conflicts.into(),
    },
    Column {
        definition: Definition {
            name: "longest_queue",
            title: "queue",
            kind: Kind::Natural,
            unit: "messages",
            text: "The most messages left in the queue of one channel after the grants of a cycle \
                  of an asynchronous run; 0 if none ever has to stay.",
            source: "docs/model.md, section 5",
            ..Definition::BLANK
        },
        value: |run| run.longest_queue.into(),
    },
    Column {
        definition: Definition {
            name: "channel",
            title: "channel",
            aliases: &["link"],
            kind: Kind::Term,
            text: "One direction of a link between two neighbouring nodes. A message waits for the \
                  channel through which it leaves a node in a queue of that channel.",
            source: "docs/model.md, sections 1 and 5",
            ..Definition::BLANK
        },
        value: no_cell,
    },
];
