//! The collective of a record, its columns, and the steps of a sequence.

use std::num::NonZeroU64;

use cubefold_collectives::{CollectiveSpecification, Groups, Operation, Step};
use cubefold_simulator::{Job, JobStep, StepBody};
use serde::{Deserialize, Serialize};

use super::{
    Word,
    column::{Cell, Column},
};
use crate::{
    records::definition::{Definition, Kind},
    scenario::JobStepDescription,
};

/// A collective of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectiveRecord {
    /// The operation, such as `all-reduce`.
    pub operation: Word,
    /// The algorithm.
    pub algorithm: Word,
    /// The contents of messages; `None` if there is no choice.
    pub exchange: Option<Word>,
    /// Ports of a node used at a time, `1` or `all`; `None` if there is no choice.
    pub ports: Option<Word>,
    /// Lengths of the logical shape.
    pub logical_shape: Vec<u64>,
    /// Dimensions of the logical shape that a group extends over; `None` if all processes form one group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Vec<usize>>,
    /// The root of operations that have one.
    pub root: Option<u32>,
    /// Size of the vector; `None` for a barrier.
    pub vector_units: Option<u64>,
    /// Size of the vector in bytes, if units have bytes.
    pub vector_bytes: Option<u64>,
    /// Units reduced per cycle; `None` if reducing takes no time.
    pub reduce_units_per_cycle: Option<u64>,
}

/// A step of a sequence or a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    /// Its name, in a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its kind, in a job: an operation, `computation`, `send`, `stages`, `traffic` or `neighbour-exchange`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Word>,
    /// The names of the steps that it comes after, in a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Vec<String>>,
    /// The collective; its members are flattened into these.
    #[serde(flatten)]
    pub collective: Option<CollectiveRecord>,
    /// The order of cube dimensions of the collective, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<Vec<u8>>,
    /// The cost of starting a step of the collective, or the whole computation \[cycles\].
    pub compute_cycles: u64,
}

impl StepRecord {
    /// Makes the record of a step of a sequence, whose algorithm may have a name besides that of its groups.
    pub(super) fn new(step: &Step, algorithm: Option<&str>, vector_bytes: Option<u64>) -> Self {
        match step {
            Step::Groups(groups) => Self::of_groups(groups, algorithm, vector_bytes),
            &Step::Computation(cycles) => Self::of_computation(cycles),
        }
    }

    fn of_groups(groups: &Groups, algorithm: Option<&str>, vector_bytes: Option<u64>) -> Self {
        Self {
            collective: Some(CollectiveRecord::new(groups, algorithm, vector_bytes)),
            stages: cube_dimensions(groups.specification()),
            ..Self::of_computation(groups.specification().compute_cycles)
        }
    }

    fn of_computation(compute_cycles: u64) -> Self {
        Self { name: None, kind: None, after: None, collective: None, stages: None, compute_cycles }
    }

    /// Makes the record of a step of a job.
    pub(super) fn of_job(job: &Job, step: &JobStep, description: &JobStepDescription) -> Self {
        let own = match (&description.groups, &step.body) {
            (Some(groups), _) => Self::of_groups(groups, description.algorithm.as_deref(), description.bytes),
            (None, StepBody::Computation(cycles)) => Self::of_computation(cycles.get()),
            (None, StepBody::InSwitches(reduction)) => Self::of_computation(reduction.compute.get()),
            (None, StepBody::Messages { program, .. }) => Self::of_computation(program.facts().compute.get()),
        };
        let name = |&step: &usize| job.steps()[step].name.clone();
        Self {
            name: Some(step.name.clone()),
            kind: Some(description.kind.into()),
            after: Some(step.after.iter().map(name).collect()),
            ..own
        }
    }
}

/// The order of cube dimensions of a collective, if given.
pub(super) fn cube_dimensions(own: &CollectiveSpecification) -> Option<Vec<u8>> {
    // There are fewer than 2^32 ranks, and so fewer than 32 dimensions.
    let number = |&dimension: &u32| u8::try_from(dimension).ok();
    own.cube_dimensions.as_ref().and_then(|order| order.iter().map(number).collect())
}

impl CollectiveRecord {
    fn new(groups: &Groups, name: Option<&str>, vector_bytes: Option<u64>) -> Self {
        let own = groups.specification();
        let algorithm = own.algorithm.descriptor();
        let has_vector = own.operation != Operation::Barrier;
        Self {
            operation: own.operation.name().into(),
            algorithm: name.map_or_else(|| algorithm.name.into(), |name| name.to_owned().into()),
            exchange: own.chosen_exchange().map(|exchange| exchange.name().into()),
            ports: algorithm.has_ports().then(|| own.ports.name().into()),
            logical_shape: groups.shape().lengths().to_vec(),
            over: (groups.group_count() > 1).then(|| groups.over().to_vec()),
            root: own.operation.descriptor().has_root.then_some(own.root),
            vector_units: has_vector.then_some(own.vector_units),
            vector_bytes: vector_bytes.filter(|_| has_vector),
            reduce_units_per_cycle: own.reduce_units_per_cycle.map(NonZeroU64::get),
        }
    }
}

/// Columns of the collective.
pub(crate) static COLLECTIVE: &[Column<CollectiveRecord>] = &[
    Column {
        definition: Definition {
            name: "program_operation",
            title: "operation",
            aliases: &[
                "all-reduce",
                "reduce-scatter",
                "all-gather",
                "broadcast",
                "reduce",
                "gather",
                "all-to-all",
                "barrier",
                "collective",
            ],
            kind: Kind::Text,
            text: "The operation of a collective. The columns of collectives are there only if a run is \
                   one.",
            source: "docs/model.md, section 16",
            ..Definition::BLANK
        },
        value: |own| (&own.operation).into(),
    },
    Column {
        definition: Definition {
            name: "program_algorithm",
            title: "algorithm",
            aliases: &["swing", "ring", "bucket", "recursive-doubling", "bruck"],
            kind: Kind::Text,
            text: "The algorithm of a collective.",
            source: "docs/model.md, section 16, algorithms",
            ..Definition::BLANK
        },
        value: |own| (&own.algorithm).into(),
    },
    Column {
        definition: Definition {
            name: "program_exchange",
            title: "exchange",
            kind: Kind::Text,
            text: "The contents of the messages of a pattern: halving, the blocks for which the partner \
                   is still responsible; whole, all of the share. Empty for algorithms without a \
                   choice.",
            source: "docs/model.md, section 16",
            ..Definition::BLANK
        },
        value: |own| own.exchange.as_ref().into(),
    },
    Column {
        definition: Definition {
            name: "program_ports",
            title: "ports",
            kind: Kind::Text,
            text: "The ports of a node that the algorithm uses at a time: 1, or all, two a dimension. Empty for algorithms without a choice.",
            source: "docs/model.md, section 16",
            ..Definition::BLANK
        },
        value: |own| own.ports.as_ref().into(),
    },
    Column {
        definition: Definition {
            name: "program_logical_shape",
            title: "logical shape",
            kind: Kind::Shape,
            unit: "processes",
            text: "The lengths of the logical torus in which the algorithm finds partners.",
            source: "docs/model.md, section 16",
            ..Definition::BLANK
        },
        value: |own| Cell::shape(&own.logical_shape),
    },
    Column {
        definition: Definition {
            name: "program_over",
            title: "over",
            kind: Kind::List,
            text: "The dimensions of the logical shape, counted from 0, that a group extends over: the collective runs in every group at the same time. The column is there only if a collective has several groups.",
            source: "docs/model.md, section 16, groups and sequences",
            ..Definition::BLANK
        },
        value: |own| Cell::optional(own.over.as_deref().map(Cell::list)),
    },
    Column {
        definition: Definition {
            name: "program_root",
            title: "root",
            kind: Kind::Natural,
            text: "The process that differs from the others in a broadcast, reduce, gather or scatter.",
            source: "docs/model.md, section 16",
            ..Definition::BLANK
        },
        value: |own| own.root.into(),
    },
    Column {
        definition: Definition {
            name: "program_vector_units",
            title: "vector",
            aliases: &["vector_units"],
            kind: Kind::Natural,
            unit: "units",
            text: "The size of the vector of a collective; empty for a barrier.",
            formula: "M",
            source: "docs/model.md, section 16",
        },
        value: |own| own.vector_units.into(),
    },
    Column {
        definition: Definition {
            name: "program_vector_bytes",
            title: "vector bytes",
            kind: Kind::Natural,
            unit: "bytes",
            text: "The size of the vector in bytes; empty if a unit has no size in bytes.",
            formula: "M",
            source: "docs/model.md, sections 16 and 17",
            ..Definition::BLANK
        },
        value: |own| own.vector_bytes.into(),
    },
    Column {
        definition: Definition {
            name: "program_reduce_units_per_cycle",
            title: "reduced a cycle",
            kind: Kind::Natural,
            unit: "units",
            text: "The number of units that a process reduces in a cycle; empty if reducing takes no \
                   time.",
            source: "docs/model.md, section 16",
            ..Definition::BLANK
        },
        value: |own| own.reduce_units_per_cycle.into(),
    },
];
