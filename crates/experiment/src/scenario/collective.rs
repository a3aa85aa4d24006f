//! Collectives: the kinds of programs that are operations such as `all-reduce`, performed by an algorithm on ranks in a
//! logical shape (`docs/model.md` section 16).
//!
//! Sizes are those of the vector. What a specification cannot be is reported at the key that says so.

use std::num::NonZeroU64;

use cubefold_collectives::{
    ALGORITHMS, Algorithm, AlgorithmDescriptor, Collective, CollectiveError, CollectiveProgram,
    CollectiveSpecification, Exchange, Operation, Ports,
};
use cubefold_topology::Shape;

use super::{
    errors::{ScenarioError, alternatives},
    keys::Key,
    message_sizes::ByStage,
    program::{ProgramKind, Reading},
    settings::Layer,
    source_file::Place,
    stages_file::MAX_PROCESSES,
    value::{Content, Size},
};
use crate::{PhysicalScale, scenario_program::ScenarioProgram};

/// Makes the kind of program of each operation, with the keys that it takes besides those of all collectives.
macro_rules! kinds {
    ($($kind:ident $operation:ident $name:literal $summary:literal [$($key:ident),*];)*) => {
        $(pub(super) static $kind: ProgramKind = ProgramKind {
            name: $name,
            summary: $summary,
            keys: &[
                Key::ProgramAlgorithm,
                Key::ProgramProcesses,
                Key::ProgramShape,
                Key::ProgramProcessesPerNode,
                $(Key::$key),*
            ],
            read: |reading| read(reading, &$kind, Operation::$operation),
        };)*
    };
}

kinds! {
    ALL_REDUCE AllReduce "all-reduce" "Every process gets the sum of all inputs."
        [ProgramUnits, ProgramBytes, ProgramExchange, ProgramPorts, ProgramReduceUnitsPerCycle];
    REDUCE_SCATTER ReduceScatter "reduce-scatter" "Process r gets block r of the sum of all inputs."
        [ProgramUnits, ProgramBytes, ProgramExchange, ProgramPorts, ProgramReduceUnitsPerCycle];
    ALL_GATHER AllGather "all-gather" "Every process gets all blocks, of which process r has block r."
        [ProgramUnits, ProgramBytes, ProgramExchange, ProgramPorts];
    BROADCAST Broadcast "broadcast" "Every process gets the vector of the root."
        [ProgramUnits, ProgramBytes, ProgramExchange, ProgramPorts, ProgramRoot];
    REDUCE Reduce "reduce" "The root gets the sum of all inputs."
        [ProgramUnits, ProgramBytes, ProgramExchange, ProgramPorts, ProgramRoot, ProgramReduceUnitsPerCycle];
    GATHER Gather "gather" "The root gets all blocks, of which process r has block r."
        [ProgramUnits, ProgramBytes, ProgramExchange, ProgramPorts, ProgramRoot];
    SCATTER Scatter "scatter" "Process r gets block r of the vector of the root."
        [ProgramUnits, ProgramBytes, ProgramExchange, ProgramPorts, ProgramRoot];
    ALL_TO_ALL AllToAll "all-to-all" "Process r gets block r of the vector of every process."
        [ProgramUnits, ProgramBytes, ProgramExchange, ProgramPorts];
    BARRIER Barrier "barrier" "No process ends before every process has begun."
        [ProgramExchange, ProgramPorts];
}

/// Reads a collective.
fn read(
    reading: &mut Reading<'_>,
    kind: &'static ProgramKind,
    operation: Operation,
) -> Option<ScenarioProgram> {
    let settings = reading.settings;
    let algorithm = algorithm(reading, operation);
    let exchange = exchange(reading, algorithm, operation);
    let ports = ports(reading, algorithm);
    let sizes = match operation {
        Operation::Barrier => Some((1, None)),
        _ => reading.sizes(ByStage::No).and_then(|sizes| Some((sizes.units.uniform()?, sizes.bytes))),
    };
    let per_node = settings.natural(Key::ProgramProcessesPerNode, reading.errors);
    let root = settings.natural(Key::ProgramRoot, reading.errors);
    let rate = match settings.get(Key::ProgramReduceUnitsPerCycle) {
        Some(_) => Some(
            settings.natural(Key::ProgramReduceUnitsPerCycle, reading.errors).and_then(NonZeroU64::new)?,
        ),
        None => None,
    };
    let shape = shape(reading, per_node?);
    let compute = reading.compute();
    let (units, bytes) = sizes?;
    let specification = CollectiveSpecification {
        exchange: exchange?,
        ports: ports?,
        root: u32::try_from(root?).unwrap_or(u32::MAX),
        compute_cycles: compute?.get(),
        reduce_units_per_cycle: rate,
        ..CollectiveSpecification::new(operation, algorithm?, shape?, units)
    };
    match Collective::new(specification) {
        Ok(collective) => {
            let program = CollectiveProgram::new(collective).ok()?;
            let of_units = |scale: PhysicalScale| units.checked_mul(scale.unit_bytes());
            let has_vector = operation != Operation::Barrier;
            let bytes = bytes.or(reading.machine.timing.scale().filter(|_| has_vector).and_then(of_units));
            Some(ScenarioProgram::of_collective(kind, program, per_node?).with_bytes(bytes))
        }
        Err(error) => {
            reading.errors.push(misfit(reading, &error)?);
            None
        }
    }
}

/// The algorithm, one of those that perform the operation.
fn algorithm(reading: &mut Reading<'_>, operation: Operation) -> Option<Algorithm> {
    let performs = |own: &&&AlgorithmDescriptor| own.operations.contains(&operation);
    let choices: Vec<_> = ALGORITHMS.iter().filter(performs).map(|own| (own.name, own.algorithm)).collect();
    if let Some(value) = reading.settings.get(Key::ProgramAlgorithm) {
        return value.choice(Key::ProgramAlgorithm.path(), &choices, reading.errors);
    }
    let names: Vec<&str> = choices.iter().map(|&(name, _)| name).collect();
    reading.errors.push(reading.settings.missing(Key::ProgramAlgorithm, &alternatives(&names)));
    None
}

/// Whether several algorithms are compared, so that keys that only some of them take do not count for the others.
fn is_compared(reading: &Reading<'_>) -> bool {
    reading.settings.layered(Key::ProgramAlgorithm).is_some_and(|(layer, _)| layer == Layer::Sweep)
}

/// What is written of the exchange, where the algorithm has a choice or is the only one.
#[expect(clippy::option_option, reason = "an error, nothing written, or an exchange")]
fn exchange(
    reading: &mut Reading<'_>,
    algorithm: Option<Algorithm>,
    operation: Operation,
) -> Option<Option<Exchange>> {
    if reading.settings.get(Key::ProgramExchange).is_none() {
        return Some(None);
    }
    if let Some(value) = reading.settings.get(Key::ProgramExchange)
        && matches!(&value.content, Content::Text(text) if text == "best")
    {
        let error = value.unexpected(Key::ProgramExchange.path(), "halving or whole");
        reading
            .errors
            .push(error.with_help("sweep \"program.exchange\" over both, and compare the makespans"));
        return None;
    }
    let exchange =
        reading.settings.one_of(Key::ProgramExchange, &Exchange::ALL, Exchange::name, reading.errors)?;
    let has_choice = algorithm?.descriptor().has_exchange(operation);
    Some((has_choice || !is_compared(reading)).then_some(exchange))
}

/// The ports; one where several algorithms are compared and this one has no choice.
fn ports(reading: &mut Reading<'_>, algorithm: Option<Algorithm>) -> Option<Ports> {
    let Some(value) = reading.settings.get(Key::ProgramPorts) else { return Some(Ports::One) };
    let ports = match &value.content {
        Content::Integer(Some(1)) => Ports::One,
        Content::Text(text) if text == Ports::All.name() => Ports::All,
        _ => {
            reading.errors.push(value.unexpected(Key::ProgramPorts.path(), "1 or \"all\""));
            return None;
        }
    };
    let has_choice = algorithm.is_none_or(|own| own.descriptor().has_ports());
    Some(if has_choice || !is_compared(reading) { ports } else { Ports::One })
}

/// The logical shape: as written, that of a grid with as many nodes as there are ranks, or a row.
fn shape(reading: &mut Reading<'_>, per_node: u64) -> Option<Shape> {
    let settings = reading.settings;
    let processes = match settings.get(Key::ProgramProcesses) {
        Some(_) => Some(settings.natural(Key::ProgramProcesses, reading.errors)?),
        None => None,
    };
    if let Some(value) = settings.get(Key::ProgramShape) {
        let size = Size::read(value, Key::ProgramShape.path(), reading.errors)?;
        let count = size.lengths.iter().fold(1_u64, |count, &length| count.saturating_mul(length));
        if count > MAX_PROCESSES || processes.is_some_and(|processes| processes != count) {
            let expected = match processes {
                Some(processes) => format!("{processes}, as program.processes says"),
                None => format!("at most {MAX_PROCESSES} (2^20)"),
            };
            let message =
                format!("program.shape {} has {count} processes, expected {expected}", size.written());
            let error = ScenarioError::at(&size.place, message, format!("expected {expected}"));
            reading.errors.push(error.because(settings.place(Key::ProgramProcesses), "the processes"));
            return None;
        }
        return Shape::new(&size.lengths).ok();
    }
    let (machine, size) = (reading.machine.machine.as_ref()?, reading.machine.size.as_ref()?);
    let count = processes.unwrap_or_else(|| machine.host_count().saturating_mul(per_node));
    if count > MAX_PROCESSES {
        let message = format!("{count} processes, expected at most {MAX_PROCESSES} (2^20) of a collective");
        let error = ScenarioError::at(&size.place, message, "too many nodes");
        reading.errors.push(error.with_help("give program.processes or program.shape"));
        return None;
    }
    match machine.coordinate_grid() {
        Some(_) if machine.host_count() == machine.node_count() && machine.node_count() == count => {
            Some(machine.shape().clone())
        }
        _ => Shape::new(&[count]).ok(),
    }
}

/// What a specification cannot be, at the key that says so.
fn misfit(reading: &Reading<'_>, error: &CollectiveError) -> Option<ScenarioError> {
    let settings = reading.settings;
    let keys: &[Key] = match error {
        CollectiveError::Shape { .. } | CollectiveError::TooManyProcesses { .. } => {
            &[Key::ProgramShape, Key::ProgramProcesses, Key::MachineShape]
        }
        CollectiveError::WholeShape { .. } | CollectiveError::Exchange { .. } => &[Key::ProgramExchange],
        CollectiveError::Ports { .. } => &[Key::ProgramPorts],
        CollectiveError::Root { .. } => &[Key::ProgramRoot],
        CollectiveError::Operation { .. } => &[],
        CollectiveError::OrderUnavailable { .. } | CollectiveError::Order { .. } => &[Key::ProgramStages],
    };
    let shape = || reading.machine.size.as_ref().map(|size| &size.place);
    let place: &Place = keys
        .iter()
        .find_map(|&key| settings.place(key))
        .or_else(shape)
        .or_else(|| settings.place(Key::ProgramAlgorithm))?;
    let help = match error {
        CollectiveError::Shape { .. } => "choose another algorithm, or give program.shape",
        CollectiveError::WholeShape { .. } => "exchange = \"halving\" takes all shapes of the algorithm",
        CollectiveError::Ports { .. } => "only patterns and bucket take ports; leave it out",
        CollectiveError::Exchange { .. } => "only patterns take an exchange; leave it out",
        CollectiveError::Root { .. } => "the processes are counted from 0",
        CollectiveError::TooManyProcesses { .. } => "a collective has a process for each share of each rank",
        CollectiveError::Operation { .. }
        | CollectiveError::OrderUnavailable { .. }
        | CollectiveError::Order { .. } => "choose another algorithm",
    };
    Some(
        ScenarioError::at(place, error.to_string(), "not by this algorithm")
            .because(settings.place(Key::ProgramAlgorithm), "the algorithm")
            .with_help(help),
    )
}
