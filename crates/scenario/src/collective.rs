//! Collectives: the kinds of programs that are operations such as `all-reduce`, performed by an algorithm on ranks in a
//! logical shape (`docs/model.md` section 16).
//!
//! Sizes are sizes of the vector. An invalid specification is reported at the key that makes it invalid. Choices that
//! only some algorithms have are read in [`choices`], sequences of steps in [`steps`].

pub(super) mod channels;
mod choices;
pub(super) mod chunk_steps;
pub(super) mod hierarchical;
pub(super) mod in_switch;
mod steps;

use std::num::NonZeroU64;

use choices::{chunks, exchange, fold, ports, stage_order};
use cubefold_collectives::{
    Algorithm, Collective, CollectiveError, CollectiveSpecification, Groups, MessageOrder, Operation,
};
use cubefold_topology::Shape;

use super::{
    budget::OverBudget,
    errors::{ScenarioError, alternatives},
    keys::Key,
    message_sizes::ByStage,
    program::{ProgramKind, Reading},
    source_file::Place,
    stages_file::MAX_PROCESSES,
    value::Size,
};
use crate::{PhysicalScale, ScenarioProgram};

pub(crate) use steps::{is_key_of_step, step_kinds};
pub(super) use {
    choices::BEST,
    steps::{
        KnownCollectives, MAX_STEPS, OwnKeys, SEQUENCE, StepTable, combinations, distinct, is_operation,
        kind as step_kind, report_foreign, tables,
    },
};

/// Defines the kind of program of each operation, with the keys that it takes besides the common ones.
macro_rules! kinds {
    ($($kind:ident $operation:ident $name:literal $summary:literal [$($key:ident),*];)*) => {
        $(pub(super) static $kind: ProgramKind = ProgramKind {
            name: $name,
            summary: $summary,
            keys: &[
                Key::ProgramAlgorithm,
                Key::ProgramProcesses,
                Key::ProgramShape,
                Key::ProgramOver,
                Key::ProgramProcessesPerNode,
                Key::ProgramExchange,
                Key::ProgramPorts,
                Key::ProgramChunks,
                Key::ProgramOrder,
                Key::ProgramFold,
                Key::ProgramChannels,
                Key::ProgramRings,
                Key::ProgramReduceUnitsPerCycle,
                $(Key::$key),*
            ],
            read: |reading| read(reading, &$kind, Operation::$operation),
        };)*

        /// The kind of each operation.
        static KINDS: &[(&ProgramKind, Operation)] = &[$((&$kind, Operation::$operation)),*];
    };
}

kinds! {
    ALL_REDUCE AllReduce "all-reduce" "Every process gets the sum of all inputs."
        [ProgramUnits, ProgramBytes, ProgramStages];
    REDUCE_SCATTER ReduceScatter "reduce-scatter" "Process r gets block r of the sum of all inputs."
        [ProgramUnits, ProgramBytes, ProgramStages];
    ALL_GATHER AllGather "all-gather" "Every process gets all blocks, of which process r has block r."
        [ProgramUnits, ProgramBytes, ProgramStages];
    BROADCAST Broadcast "broadcast" "Every process gets the vector of the root."
        [ProgramUnits, ProgramBytes, ProgramRoot];
    REDUCE Reduce "reduce" "The root gets the sum of all inputs."
        [ProgramUnits, ProgramBytes, ProgramRoot];
    GATHER Gather "gather" "The root gets all blocks, of which process r has block r."
        [ProgramUnits, ProgramBytes, ProgramRoot];
    SCATTER Scatter "scatter" "Process r gets block r of the vector of the root."
        [ProgramUnits, ProgramBytes, ProgramRoot];
    ALL_TO_ALL AllToAll "all-to-all" "Process r gets block r of the vector of every process."
        [ProgramUnits, ProgramBytes];
    BARRIER Barrier "barrier" "No process ends before every process has begun."
        [];
}

/// A requested collective.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) specification: CollectiveSpecification,
    /// The alternative with the exchange `whole`, if `best` is requested and `whole` is defined; the faster of the two
    /// counts.
    pub(super) other: Option<CollectiveSpecification>,
    /// The dimensions of the shape that groups extend over, ascending.
    pub(super) over: Vec<usize>,
    /// The vector in bytes, if units have bytes.
    pub(super) bytes: Option<u64>,
    /// Sentences on assumptions.
    pub(super) notes: Vec<String>,
}

fn read(
    reading: &mut Reading<'_>,
    kind: &'static ProgramKind,
    operation: Operation,
) -> Option<ScenarioProgram> {
    let per_node = reading.per_node();
    if let Some(value) = hierarchical::table(reading) {
        return hierarchical::read(reading, kind, operation, value, per_node?);
    }
    if in_switch::is_asked(reading) {
        return in_switch::read(reading, kind, operation, per_node?);
    }
    let asked = ask(reading, kind, operation, per_node.unwrap_or(1))?;
    let Asked { specification, other, over, bytes, notes } = asked;
    let mut program = |specification: CollectiveSpecification| {
        take_schedule(reading, &specification, &over)?;
        let groups = Groups::new(specification, &over);
        let groups = groups.map_err(|error| report_misfit(reading, &error)).ok()?;
        let bytes_of_groups = groups.bytes();
        let collective = Collective::from(groups);
        take_program(reading, bytes_of_groups, &collective)?;
        let program = of_collective(reading, kind, collective, per_node?)?;
        Some(ScenarioProgram { bytes, notes: notes.clone(), ..program })
    };
    let first = program(specification)?;
    match other {
        Some(other) => Some(first.or_faster(vec![program(other)?])),
        None => Some(first),
    }
}

/// Checks that there is memory for the schedule of a collective, which is counted when it is made.
fn take_schedule(
    reading: &mut Reading<'_>,
    specification: &CollectiveSpecification,
    over: &[usize],
) -> Option<()> {
    let bytes = Groups::bytes_at_most(specification, over);
    let taken = reading.settings.budget().take_for_a_while(bytes, 0);
    taken.map_err(|over| over_budget(reading, over, specification.rank_count())).ok()
}

/// Memory of a collective with its program, without tables for ranks and stages \[bytes\]; measured on sweeps of 10 000
/// runs.
const BYTES_A_COLLECTIVE: u64 = 4 << 10;

/// Takes the memory of a collective, of which `bytes` are already taken, and of its guest, before the guest is made.
fn take_program(reading: &mut Reading<'_>, bytes: u64, collective: &Collective) -> Option<()> {
    let budget = reading.settings.budget();
    let taken = budget.take(bytes.saturating_add(BYTES_A_COLLECTIVE)).and_then(|()| {
        let [while_made, kept] = collective.bytes_of_guest();
        budget.take_for_a_while(while_made, kept)
    });
    taken.map_err(|over| over_budget(reading, over, collective.rank_count())).ok()
}

/// Reports a number of ranks that takes too much memory.
fn over_budget(reading: &mut Reading<'_>, over: OverBudget, ranks: u64) {
    if let Some(place) = shape_place(reading) {
        let error = over.at(place, &format!("a collective of {ranks} ranks"));
        reading.settings.report(error);
    }
}

/// The program of a collective with `per_node` ranks per node.
fn of_collective(
    reading: &mut Reading<'_>,
    kind: &'static ProgramKind,
    collective: Collective,
    per_node: u64,
) -> Option<ScenarioProgram> {
    match collective.with_guest() {
        Ok(collective) => Some(ScenarioProgram::of_collective(kind, collective, per_node)),
        Err(error) => {
            let error = ScenarioError::at(shape_place(reading)?, error.to_string(), "this shape");
            reading.settings.fail(error)
        }
    }
}

/// Reads the keys of a collective with `per_node` ranks per node.
pub(super) fn ask(
    reading: &mut Reading<'_>,
    kind: &'static ProgramKind,
    operation: Operation,
    per_node: u64,
) -> Option<Asked> {
    let settings = reading.settings;
    let algorithm = algorithm(reading, operation);
    let exchange = exchange(reading, algorithm, operation);
    let ports = ports(reading, algorithm);
    let sizes = match operation {
        Operation::Barrier => Some((1, None)),
        _ => vector(reading),
    };
    let takes = |key: Key| kind.keys.contains(&key);
    let root = if takes(Key::ProgramRoot) { settings.natural(Key::ProgramRoot) } else { Some(0) };
    let rate = rate_of_reducing(reading)?;
    let shape = shape(reading, per_node);
    let over = over(reading, shape.as_ref());
    let group = shape.as_ref().zip(over.as_ref()).map(|(shape, over)| group_shape(shape, over.as_deref()));
    let order = match group.filter(|_| takes(Key::ProgramStages)) {
        Some(group) => stage_order(reading, algorithm, &group),
        None => Some(None),
    };
    let compute = reading.compute();
    let chunks = chunks(reading, algorithm);
    let order = (order, message_order(reading), fold(reading, algorithm));
    let ranks_per_node = channels::ranks_per_node(reading, per_node);
    let channels = channels::channels(reading, algorithm, operation, per_node);
    let (units, bytes) = sizes?;
    let (exchange, shape) = (exchange?, shape?);
    let over = over?.unwrap_or_else(|| (0..shape.dimension_count()).collect());
    let specification = CollectiveSpecification {
        exchange: exchange.first(),
        ports: ports?,
        root: u32::try_from(root?).unwrap_or(u32::MAX),
        compute_cycles: compute?.get(),
        reduce_units_per_cycle: rate,
        chunks: chunks?,
        cube_dimensions: order.0?,
        order: order.1?,
        fold: order.2?,
        ranks_per_node,
        channels: channels?,
        ..CollectiveSpecification::new(operation, algorithm?, shape, units)
    };
    let other = exchange
        .other()
        .map(|other| CollectiveSpecification { exchange: Some(other), ..specification.clone() });
    let is_defined = |other: &CollectiveSpecification| of_group(other, &over).check().is_ok();
    let notes = channels::notes(reading, &specification, &of_group(&specification, &over));
    Some(Asked { other: other.filter(is_defined), specification, over, bytes, notes })
}

/// The vector in units, and in bytes if units have bytes.
fn vector(reading: &mut Reading<'_>) -> Option<(u64, Option<u64>)> {
    let sizes = reading.sizes(ByStage::No)?;
    let units = sizes.units.uniform()?;
    let of_units = |scale: PhysicalScale| units.checked_mul(scale.unit_bytes());
    Some((units, sizes.bytes.or(reading.machine.timing.scale().and_then(of_units))))
}

/// The units that a process reduces per cycle, if given; ignored if nothing is reduced, so that operations can be
/// compared.
#[expect(clippy::option_option, reason = "an error, nothing written, or a rate")]
fn rate_of_reducing(reading: &mut Reading<'_>) -> Option<Option<NonZeroU64>> {
    let settings = reading.settings;
    if settings.get(Key::ProgramReduceUnitsPerCycle).is_none() {
        return Some(None);
    }
    let rate = settings.natural(Key::ProgramReduceUnitsPerCycle);
    rate.and_then(NonZeroU64::new).map(Some)
}

/// The order of messages that join a queue in one cycle.
pub(super) fn message_order(reading: &mut Reading<'_>) -> Option<MessageOrder> {
    let settings = reading.settings;
    settings.one_of(Key::ProgramOrder, &MessageOrder::ALL, MessageOrder::name)
}

/// The specification of one group of ranks.
fn of_group(whole: &CollectiveSpecification, over: &[usize]) -> CollectiveSpecification {
    CollectiveSpecification { shape: group_shape(&whole.shape, Some(over)), ..whole.clone() }
}

/// The shape of one group of ranks of a logical shape.
fn group_shape(whole: &Shape, over: Option<&[usize]>) -> Shape {
    let group = over.and_then(|over| {
        let lengths: Vec<u64> = over.iter().map(|&dimension| whole.lengths()[dimension]).collect();
        Shape::new(&lengths).ok()
    });
    group.unwrap_or_else(|| whole.clone())
}

/// The algorithms that perform an operation, by name.
pub(super) fn algorithms_for(operation: Operation) -> Vec<(&'static str, Algorithm)> {
    let performs = |algorithm: &Algorithm| algorithm.descriptor().operations.contains(&operation);
    Algorithm::ALL.into_iter().filter(performs).map(|algorithm| (algorithm.name(), algorithm)).collect()
}

/// The algorithm, one of those that perform the operation.
fn algorithm(reading: &mut Reading<'_>, operation: Operation) -> Option<Algorithm> {
    let choices = algorithms_for(operation);
    if let Some(value) = reading.settings.get(Key::ProgramAlgorithm) {
        return value.choice(Key::ProgramAlgorithm.path(), &choices, reading.settings.errors());
    }
    let names: Vec<&str> = choices.iter().map(|&(name, _)| name).collect();
    reading.settings.fail(reading.settings.missing(Key::ProgramAlgorithm, &alternatives(&names)))
}

/// The dimensions of the logical shape that groups extend over, ascending; empty if all ranks are one group.
#[expect(clippy::option_option, reason = "an error, nothing written, or dimensions")]
fn over(reading: &mut Reading<'_>, shape: Option<&Shape>) -> Option<Option<Vec<usize>>> {
    let Some(value) = reading.settings.get(Key::ProgramOver) else { return Some(None) };
    let entries = value.list(Key::ProgramOver.path(), "dimensions", reading.settings.errors())?;
    let before = reading.settings.errors().len();
    let greatest = shape?.dimension_count() - 1;
    let mut dimensions: Vec<usize> = vec![];
    for entry in entries {
        let dimension = entry.integer().and_then(|number| usize::try_from(number).ok());
        match dimension.filter(|&dimension| dimension <= greatest) {
            None => {
                let error = entry.unexpected("dimension of program.over", format!("0 to {greatest}"));
                let error = error.because(shape_place(reading), "the logical shape");
                reading
                    .settings
                    .report(error.with_help("dimensions of the logical shape are counted from 0"));
            }
            Some(dimension) if dimensions.contains(&dimension) => {
                let message =
                    format!("dimension {dimension} of program.over a second time, expected it once");
                reading.settings.report(ScenarioError::at(&entry.place, message, "a second time"));
            }
            Some(dimension) => dimensions.push(dimension),
        }
    }
    dimensions.sort_unstable();
    (reading.settings.errors().len() == before).then_some(Some(dimensions))
}

/// The place of the logical shape, or of the value that it follows from.
fn shape_place<'a>(reading: &'a Reading<'_>) -> Option<&'a Place> {
    let keys = [Key::ProgramShape, Key::ProgramProcesses];
    let written = keys.iter().find_map(|&key| reading.settings.place(key));
    written.or_else(|| reading.machine.size.as_ref().map(|size| &size.place))
}

/// The logical shape: as written; else the shape of the grid, if it has as many nodes as there are ranks; else a row.
pub(super) fn shape(reading: &mut Reading<'_>, per_node: u64) -> Option<Shape> {
    let settings = reading.settings;
    let processes = match settings.get(Key::ProgramProcesses) {
        Some(_) => Some(settings.natural(Key::ProgramProcesses)?),
        None => None,
    };
    if let Some(value) = settings.get(Key::ProgramShape) {
        let size = Size::read(value, Key::ProgramShape.path(), settings.errors())?;
        let count = size.lengths.iter().fold(1_u64, |count, &length| count.saturating_mul(length));
        if count > MAX_PROCESSES || processes.is_some_and(|processes| processes != count) {
            let expected = match processes {
                Some(processes) => format!("{processes}, as program.processes says"),
                None => format!("at most {MAX_PROCESSES} (2^20)"),
            };
            let message =
                format!("program.shape {} has {count} processes, expected {expected}", size.written());
            let error = ScenarioError::at(&size.place, message, format!("expected {expected}"));
            return settings.fail(error.because(settings.place(Key::ProgramProcesses), "the processes"));
        }
        return Shape::new(&size.lengths).ok();
    }
    let (machine, size) = (reading.machine.machine.as_ref()?, reading.machine.size.as_ref()?);
    let hosts = reading.machine.host_count()?;
    let count = processes.unwrap_or_else(|| hosts.saturating_mul(per_node));
    if count > MAX_PROCESSES {
        let message = format!("{count} processes, expected at most {MAX_PROCESSES} (2^20) of a collective");
        let error = ScenarioError::at(&size.place, message, "too many nodes");
        return settings.fail(error.with_help("give program.processes or program.shape"));
    }
    match machine.coordinate_grid() {
        Some(_) if hosts == machine.node_count() && machine.node_count() == count => {
            Some(machine.shape().clone())
        }
        _ => Shape::new(&[count]).ok(),
    }
}

/// Reports an invalid specification.
fn report_misfit(reading: &Reading<'_>, error: &CollectiveError) {
    reading.settings.report_all(misfit(reading, error));
}

/// The error for an invalid specification, at the key that makes it invalid.
fn misfit(reading: &Reading<'_>, error: &CollectiveError) -> Option<ScenarioError> {
    let settings = reading.settings;
    let keys: &[Key] = match error {
        CollectiveError::Dimensions { .. } => {
            let place = settings.place(Key::ProgramOver).or(shape_place(reading))?;
            return Some(ScenarioError::at(place, error.to_string(), "these groups"));
        }
        CollectiveError::Shape { .. } | CollectiveError::TooManyProcesses { .. } => {
            &[Key::ProgramOver, Key::ProgramShape, Key::ProgramProcesses, Key::MachineShape]
        }
        CollectiveError::WholeShape { .. } | CollectiveError::Exchange { .. } => &[Key::ProgramExchange],
        CollectiveError::Ports { .. } => &[Key::ProgramPorts],
        CollectiveError::Root { .. } => &[Key::ProgramRoot],
        CollectiveError::Operation { .. } => &[],
        CollectiveError::EmptyBlocks { .. } => &[Key::ProgramUnits, Key::ProgramBytes, Key::ProgramProcesses],
        CollectiveError::OrderUnavailable { .. }
        | CollectiveError::Order { .. }
        | CollectiveError::FoldedOrder { .. } => &[Key::ProgramStages],
        CollectiveError::Channels { .. } => &[Key::ProgramChannels],
        CollectiveError::PartsOfNodes { .. } => {
            &[Key::ProgramOver, Key::ProgramChannels, Key::ProgramShape, Key::ProgramProcesses]
        }
        CollectiveError::Ring { .. } => &[Key::ProgramRings],
    };
    let shape = || reading.machine.size.as_ref().map(|size| &size.place);
    let place: &Place = keys
        .iter()
        .find_map(|&key| settings.place(key))
        .or_else(shape)
        .or_else(|| settings.place(Key::ProgramAlgorithm))?;
    Some(
        ScenarioError::at(place, error.to_string(), "not by this algorithm")
            .because(settings.place(Key::ProgramAlgorithm), "the algorithm")
            .with_help(advice(error)),
    )
}

fn advice(error: &CollectiveError) -> &'static str {
    match error {
        CollectiveError::Shape { .. } => "choose another algorithm, or give program.shape",
        CollectiveError::WholeShape { .. } => "exchange = \"halving\" takes all shapes of the algorithm",
        CollectiveError::Ports { .. } => "only patterns and bucket have a choice of ports; leave it out",
        CollectiveError::Exchange { .. } => "leave it out",
        CollectiveError::Dimensions { .. } => "dimensions of the logical shape are counted from 0",
        CollectiveError::Root { .. } => "the processes are counted from 0",
        CollectiveError::TooManyProcesses { .. } => "a collective has a process for each share of each rank",
        CollectiveError::Operation { .. } => "choose another algorithm",
        CollectiveError::EmptyBlocks { .. } => {
            "give program.units, or program.bytes, at least as many as ranks"
        }
        CollectiveError::OrderUnavailable { .. } => {
            "leave it out: every other algorithm, and every share of all ports, has an order of its own"
        }
        CollectiveError::FoldedOrder { .. } => "leave it out",
        CollectiveError::Channels { .. } => "leave it out, or choose another algorithm",
        CollectiveError::PartsOfNodes { .. } => {
            "the ranks of a node are the devices of a cluster, or processes_per_node"
        }
        CollectiveError::Ring { .. } => {
            "a ring lists the devices of a node in the order in which it passes them"
        }
        CollectiveError::Order { .. } => "\"ascend\" and \"descend\" have every dimension once",
    }
}
