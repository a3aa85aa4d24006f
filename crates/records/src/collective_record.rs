//! The collective of a record, its columns, and the steps of a sequence.

use std::num::NonZeroU64;

use cubefold_collectives::{Algorithm, CollectiveSpecification, Groups, Operation, Step};
use cubefold_derive::Columns;
use cubefold_scenario::JobStepDescription;
use cubefold_simulator::{Job, JobStep, StepBody};
use serde::{Deserialize, Serialize};

use super::{Word, column::Cell};

/// A collective of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Columns)]
#[columns(COLLECTIVE, prefix = "program_", source = "docs/model.md, section 16")]
pub struct CollectiveRecord {
    /// The operation of a collective. The columns of collectives are there only if a run is one.
    #[column(
        "operation",
        aliases = ["all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce", "gather", "all-to-all", "barrier", "collective"]
    )]
    pub operation: Word,
    /// The algorithm of a collective.
    #[column(
        "algorithm", aliases = ["swing", "ring", "bucket", "recursive-doubling", "bruck"],
        source = "docs/model.md, section 16, algorithms"
    )]
    pub algorithm: Word,
    /// The contents of the messages of a pattern: halving, the blocks for which the partner is still responsible;
    /// whole, all of the share. Empty for algorithms without a choice.
    #[column("exchange")]
    pub exchange: Option<Word>,
    /// The ports of a node that the algorithm uses at a time: 1, or all, two a dimension. Empty for algorithms
    /// without a choice.
    #[column("ports")]
    pub ports: Option<Word>,
    /// The rings or trees side by side, each through the devices of nodes in an order of its own. The column is there
    /// only if a collective has channels.
    #[column("channels of the collective", source = "docs/model.md, section 16, channels")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<u32>,
    /// The chunks of each share that follow one another along trees. The column is there only if an algorithm has
    /// chunks.
    #[column("chunks", source = "docs/model.md, section 16, algorithms")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunks: Option<u32>,
    /// The order of the messages of a direct exchange that join a queue in one cycle: rotated, those to the ranks after
    /// their senders first; listed, those of the lowest ranks first. The column is there only if an algorithm is direct.
    #[column("order of messages", source = "docs/model.md, section 16, algorithms")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Word>,
    /// The ranks that recursive doubling leaves out if their number is no power of two: pairs, of the first pairs the
    /// even ones; tail, the last. The column is there only if it leaves out some.
    #[column("fold", source = "docs/model.md, section 16, algorithms")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fold: Option<Word>,
    /// The lengths of the logical torus in which the algorithm finds partners.
    #[column(
        "logical shape", unit = "processes", kind = Shape, value = |collective| Cell::shape(&collective.logical_shape)
    )]
    pub logical_shape: Vec<u64>,
    /// The dimensions of the logical shape, counted from 0, that a group extends over: the collective runs in every
    /// group at the same time. The column is there only if a collective has several groups.
    #[column("over", source = "docs/model.md, section 16, groups and sequences")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Vec<usize>>,
    /// The process that differs from the others in a broadcast, reduce, gather or scatter.
    #[column("root")]
    pub root: Option<u32>,
    /// The size of the vector of a collective; empty for a barrier.
    #[column("vector", aliases = ["vector_units"], unit = "units", formula = "M")]
    pub vector_units: Option<u64>,
    /// The size of the vector in bytes; empty if a unit has no size in bytes.
    #[column("vector bytes", unit = "bytes", formula = "M", source = "docs/model.md, sections 16 and 17")]
    pub vector_bytes: Option<u64>,
    /// The number of units that a process reduces in a cycle; empty if reducing takes no time.
    #[column("reduced a cycle", unit = "units")]
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
        let record = match (&description.groups, &step.body) {
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
            ..record
        }
    }
}

/// The order of cube dimensions of a collective, if given.
pub(super) fn cube_dimensions(specification: &CollectiveSpecification) -> Option<Vec<u8>> {
    // There are fewer than 2^32 ranks, and so fewer than 32 dimensions.
    let number = |&dimension: &u32| u8::try_from(dimension).ok();
    specification.cube_dimensions.as_ref().and_then(|order| order.iter().map(number).collect())
}

impl CollectiveRecord {
    fn new(groups: &Groups, name: Option<&str>, vector_bytes: Option<u64>) -> Self {
        let specification = groups.specification();
        let algorithm = specification.algorithm.descriptor();
        let has_vector = specification.operation != Operation::Barrier;
        Self {
            operation: specification.operation.name().into(),
            algorithm: name.map_or_else(|| algorithm.name.into(), |name| name.to_owned().into()),
            exchange: specification.chosen_exchange().map(|exchange| exchange.name().into()),
            ports: algorithm.has_ports().then(|| specification.ports.name().into()),
            channels: specification.channels.as_ref().map(|channels| channels.count.get()),
            chunks: algorithm.has_chunks.then(|| specification.chunks.get()),
            order: (specification.algorithm == Algorithm::Direct).then(|| specification.order.name().into()),
            fold: specification.is_folded().then(|| specification.fold.name().into()),
            logical_shape: groups.shape().lengths().to_vec(),
            over: (groups.group_count() > 1).then(|| groups.over().to_vec()),
            root: specification.operation.descriptor().has_root.then_some(specification.root),
            vector_units: has_vector.then_some(specification.vector_units),
            vector_bytes: vector_bytes.filter(|_| has_vector),
            reduce_units_per_cycle: specification.reduce_units_per_cycle.map(NonZeroU64::get),
        }
    }
}
