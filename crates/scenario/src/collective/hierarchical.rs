//! Hierarchical all-reduce, reduce-scatter and all-gather: one algorithm runs inside every node, another among equal
//! places of the nodes (`docs/model.md` section 16).
//!
//! It is a sequence of two or three collectives; in several chunks, or with reduction in the switch as one of the
//! algorithms, a job of [`chunk_steps`]. Ranks that share a node are consecutive: the devices of a node of a cluster, or
//! the processes that embeddings put on a node.

use std::sync::Arc;

use cubefold_collectives::{
    Algorithm, Collective, CollectiveSpecification, Groups, Operation, Step as CollectiveStep,
};
use cubefold_simulator::SwitchReduction;
use cubefold_topology::Shape;

use super::{
    channels, choices, chunk_steps, fold, in_switch, message_order, of_collective, over_budget,
    rate_of_reducing, report_misfit, shape, shape_place, take_program, take_schedule, vector,
};
use crate::{
    ScenarioProgram,
    errors::ScenarioError,
    keys::Key,
    program::{ProgramKind, Reading},
    value::{Content, Table, Value},
};

/// The table of the two algorithms, if the algorithm is hierarchical.
pub(crate) fn table<'a>(reading: &Reading<'a>) -> Option<&'a Value> {
    let value = reading.settings.get(Key::ProgramAlgorithm)?;
    let Content::Table(entries) = &value.content else { return None };
    match entries.as_slice() {
        [only] if only.key == "hierarchical" => Some(&only.value),
        _ => None,
    }
}

/// A hierarchical collective: the steps of each chunk, and its vector in bytes if units have bytes.
#[derive(Debug)]
pub(crate) struct Levels {
    pub(super) chunks: Vec<Vec<LevelStep>>, // at least one, all with equally many steps
    pub(crate) bytes: Option<u64>,
    pub(crate) whole: WholeOperation,
    pub(crate) notes: Vec<String>,
}

/// A step of a chunk.
#[derive(Debug, Clone)]
pub(crate) enum LevelStep {
    /// By messages between ranks.
    Groups(Arc<Groups>),
    /// By switches.
    InSwitches(Operation, Arc<SwitchReduction>),
}

/// A collective in several steps, as the single operation that it performs.
#[derive(Debug, Clone)]
pub struct WholeOperation {
    /// The name of its algorithm in all results.
    pub algorithm: Arc<str>,
    /// The operation on all ranks in one step, by another algorithm: its vector, its shape and its bounds, which hold for
    /// all algorithms.
    pub groups: Arc<Groups>,
}

/// The name of a hierarchical algorithm.
pub(crate) fn name(inner: &str, outer: &str, chunks: u64) -> String {
    match chunks {
        1 => format!("hierarchical {inner}/{outer}"),
        chunks => format!("hierarchical {inner}/{outer} in {chunks} chunks"),
    }
}

impl Levels {
    /// The steps in sequence, if all ranks take them together: with one chunk, and no reduction in switches.
    pub(crate) fn sequence(&self) -> Option<Vec<Arc<Groups>>> {
        let [only] = &self.chunks[..] else { return None };
        let groups = |step: &LevelStep| match step {
            LevelStep::Groups(groups) => Some(Arc::clone(groups)),
            LevelStep::InSwitches(..) => None,
        };
        only.iter().map(groups).collect()
    }
}

/// Reads a hierarchical collective with `per_node` processes per node.
pub(super) fn read(
    reading: &mut Reading<'_>,
    kind: &'static ProgramKind,
    operation: Operation,
    value: &Value,
    per_node: u64,
) -> Option<ScenarioProgram> {
    let levels = read_levels(reading, operation, value, per_node)?;
    let program = match levels.sequence() {
        Some(steps) => {
            let collective = one_after_another(&steps)?;
            take_program(reading, 0, &collective)?;
            of_collective(reading, kind, collective, per_node)?
        }
        None => chunk_steps::job(reading, kind, value, &levels, per_node)?,
    };
    let Levels { bytes, whole, notes, .. } = levels;
    Some(ScenarioProgram { bytes, notes, operations: Some(Arc::new(AskedOperations::one(whole))), ..program })
}

/// The steps of a collective as the scenario requests them, if some run as several.
#[derive(Debug)]
pub struct AskedOperations {
    /// The operations, in order.
    pub collective: Collective,
    /// For operations that run as several steps, the names of their algorithms.
    pub algorithms: Vec<Option<Arc<str>>>,
    /// The bytes of their vectors, if units have bytes.
    pub bytes: Vec<Option<u64>>,
}

impl AskedOperations {
    pub(super) fn one(whole: WholeOperation) -> Self {
        let WholeOperation { algorithm, groups } = whole;
        Self { collective: Collective::of_groups(groups), algorithms: vec![Some(algorithm)], bytes: vec![] }
    }
}

/// The program of a hierarchical collective with a vector of `units` units and `bytes` bytes; `None` if it is not one.
pub(crate) fn with_vector_units(
    program: &ScenarioProgram,
    units: u64,
    bytes: Option<u64>,
) -> Option<ScenarioProgram> {
    let asked = program.operations.as_deref()?;
    let whole = asked.collective.only_groups()?;
    let resized = |groups: &Groups, units| {
        let shape = groups.shape().clone();
        let specification =
            CollectiveSpecification { vector_units: units, shape, ..groups.specification().clone() };
        Groups::new(specification, groups.over()).ok().map(Arc::new)
    };
    let parts: Vec<&Groups> =
        program.collective.as_deref()?.steps().iter().filter_map(CollectiveStep::groups).collect();
    let inside = parts.first()?.specification().shape.node_count();
    let of_part =
        |part: &&Groups| resized(part, if part.over() == [0] { units } else { units.div_ceil(inside) });
    let steps: Vec<Arc<Groups>> = parts.iter().map(of_part).collect::<Option<_>>()?;
    let collective = one_after_another(&steps)?.with_guest().ok()?;
    let whole =
        WholeOperation { algorithm: asked.algorithms.first()?.clone()?, groups: resized(whole, units)? };
    Some(ScenarioProgram {
        bytes,
        block: program.block.clone(),
        notes: program.notes.clone(),
        operations: Some(Arc::new(AskedOperations::one(whole))),
        ..ScenarioProgram::of_collective(program.kind, collective, program.ranks_per_node)
    })
}

/// Joins the steps of a hierarchical collective.
pub(crate) fn one_after_another(steps: &[Arc<Groups>]) -> Option<Collective> {
    Collective::of_steps(steps.iter().map(Arc::clone).map(CollectiveStep::Groups).collect()).ok() // of equal ranks
}

/// The most chunks of a hierarchical collective.
const MAX_CHUNKS: u64 = 1024;

/// The operations of the steps of a chunk of a hierarchical collective, in order: `inner` works on all of it, `outer` on a
/// part for each rank of a node. `None` for an operation without hierarchical algorithms.
#[must_use]
pub fn hierarchical_operations(operation: Operation) -> Option<&'static [(Level, Operation)]> {
    match operation {
        Operation::AllReduce => Some(&[
            (Level::Inner, Operation::ReduceScatter),
            (Level::Outer, Operation::AllReduce),
            (Level::Inner, Operation::AllGather),
        ]),
        Operation::ReduceScatter => {
            Some(&[(Level::Inner, Operation::ReduceScatter), (Level::Outer, Operation::ReduceScatter)])
        }
        Operation::AllGather => {
            Some(&[(Level::Outer, Operation::AllGather), (Level::Inner, Operation::AllGather)])
        }
        _ => None,
    }
}

/// A level of a hierarchical collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Inside the nodes.
    Inner,
    /// Among equal places of the nodes.
    Outer,
}

/// Reads the steps of a hierarchical collective with `per_node` processes a node.
#[expect(clippy::too_many_lines, reason = "one step a key")]
pub(crate) fn read_levels(
    reading: &mut Reading<'_>,
    operation: Operation,
    value: &Value,
    per_node: u64,
) -> Option<Levels> {
    let name = format!("{}.hierarchical", Key::ProgramAlgorithm.path());
    let Some(operations) = hierarchical_operations(operation) else {
        let message =
            format!("a hierarchical {operation}, expected an all-reduce, reduce-scatter or all-gather");
        return reading.settings.fail(ScenarioError::at(&value.place, message, "not in two levels"));
    };
    let table = Table::read(value, &name, &["inner", "outer", "chunks"], reading.settings.errors())?;
    let inner = algorithm(reading, &table, "inner", Level::Inner, operations);
    let outer = algorithm(reading, &table, "outer", Level::Outer, operations);
    let parts = choices::refuse_foreign(reading, "in two levels").and_then(|()| parts(reading, &table));
    let sizes = vector(reading);
    let shape = shape(reading, per_node);
    let compute = reading.compute();
    let has_switches = [inner, outer].into_iter().flatten().any(|by| matches!(by, By::Switches(_)));
    let of_ranks = |by: By| match by {
        By::Ranks(algorithm) => Some(algorithm),
        By::Switches(_) => None,
    };
    let chunks = super::chunks(reading, outer.filter(|_| !has_switches).and_then(of_ranks));
    let (order, fold, rate) = (message_order(reading), fold(reading, None), rate_of_reducing(reading)?);
    let ((units, bytes), compute, chunks) = (sizes?, compute?.get(), chunks?);
    let (order, fold, parts) = (order?, fold?, parts?);
    let whole = two_levels(reading, &shape?, per_node)?;
    let inside = whole.lengths()[0];
    let (inner, outer) = (inner?, outer?);
    let by = |level| if level == Level::Inner { inner } else { outer };
    let steps: Vec<(Algorithm, Operation)> =
        operations.iter().filter_map(|&(level, operation)| Some((of_ranks(by(level))?, operation))).collect();
    let exchange = choices::exchange_of_levels(reading, &steps)?;
    let specification = |operation, algorithm, units| CollectiveSpecification {
        compute_cycles: compute,
        chunks,
        order,
        fold,
        reduce_units_per_cycle: rate,
        ..CollectiveSpecification::new(operation, algorithm, whole.clone(), units)
    };
    let all: Vec<usize> = (0..whole.dimension_count()).collect();
    let mut known: Vec<(u64, Vec<LevelStep>)> = vec![];
    let mut of_chunks = vec![];
    for size in sizes_of_chunks(units, parts).filter(|&size| size > 0 || parts == 1) {
        // Chunks differ by at most a unit, so few are made.
        if !known.iter().any(|entry| entry.0 == size) {
            let mut steps = vec![];
            for &(level, operation) in operations {
                let (over, units) = match level {
                    Level::Inner => (&all[..1], size),
                    // Every place has the largest vector: if there is a remainder, one unit more than some need.
                    Level::Outer => (&all[1..], size.div_ceil(inside)),
                };
                steps.push(match by(level) {
                    By::Ranks(algorithm) => {
                        let specification = CollectiveSpecification {
                            exchange: exchange.filter(|_| algorithm.descriptor().has_exchange(operation)),
                            ..specification(operation, algorithm, units)
                        };
                        LevelStep::Groups(made(reading, specification, over)?)
                    }
                    By::Switches(reducing) => {
                        let groups = groups_over(&whole, level);
                        let size = (units, chunks.get());
                        let of_switches = in_switch::operation(operation)?;
                        let reduction = in_switch::reduction(reducing, of_switches, groups, size, compute);
                        LevelStep::InSwitches(operation, reduction)
                    }
                });
            }
            known.push((size, steps));
        }
        of_chunks.extend(known.iter().find(|entry| entry.0 == size).map(|entry| entry.1.clone()));
    }
    // The whole, by an algorithm for any number of ranks; what switches reduce takes the ranks no time.
    let asked = CollectiveSpecification {
        reduce_units_per_cycle: rate.filter(|_| !has_switches),
        ..specification(operation, Algorithm::Ring, units)
    };
    let groups = made(reading, asked, &all)?;
    let whole = WholeOperation { algorithm: self::name(inner.name(), outer.name(), parts).into(), groups };
    let notes = order_notes(reading, &of_chunks);
    Some(Levels { chunks: of_chunks, bytes, whole, notes })
}

/// The groups of ranks of a level: the ranks of a node, or equal places of all nodes.
fn groups_over(whole: &Shape, level: Level) -> Vec<Vec<u32>> {
    let inside = u32::try_from(whole.lengths()[0]).unwrap_or(u32::MAX);
    let nodes = u32::try_from(whole.node_count()).unwrap_or(u32::MAX) / inside;
    let rank = |node: u32, place: u32| node * inside + place;
    match level {
        Level::Inner => (0..nodes).map(|node| (0..inside).map(|place| rank(node, place)).collect()).collect(),
        Level::Outer => (0..inside).map(|place| (0..nodes).map(|node| rank(node, place)).collect()).collect(),
    }
}

/// The number of chunks.
fn parts(reading: &mut Reading<'_>, table: &Table<'_>) -> Option<u64> {
    match table.get("chunks") {
        Some(value) => value.natural(table.name("chunks"), 1..=MAX_CHUNKS, reading.settings.errors()),
        None => Some(1),
    }
}

/// The sizes of the chunks of a vector \[units\].
pub(super) fn sizes_of_chunks(units: u64, parts: u64) -> impl Iterator<Item = u64> {
    let start = move |part: u64| u128::from(units) * u128::from(part) / u128::from(parts);
    (0..parts).map(move |part| u64::try_from(start(part + 1) - start(part)).unwrap_or(units))
}

/// Sentences on the order of messages in the steps of a chunk.
fn order_notes(reading: &Reading<'_>, chunks: &[Vec<LevelStep>]) -> Vec<String> {
    let mut notes: Vec<String> = vec![];
    for step in chunks.first().into_iter().flatten() {
        let LevelStep::Groups(groups) = step else { continue };
        let step_notes = channels::notes(reading, groups.specification(), groups.specification());
        notes.extend(step_notes.into_iter().filter(|note| note.starts_with("direct")));
    }
    notes.dedup();
    notes
}

/// Makes a collective, if it fits in memory, and takes its memory.
pub(super) fn made(
    reading: &mut Reading<'_>,
    specification: CollectiveSpecification,
    over: &[usize],
) -> Option<Arc<Groups>> {
    let (budget, ranks) = (reading.settings.budget(), specification.rank_count());
    take_schedule(reading, &specification, over)?;
    let groups = Groups::new(specification, over);
    let groups = groups.map_err(|error| report_misfit(reading, &error)).ok()?;
    budget.take(groups.bytes()).map_err(|over| over_budget(reading, over, ranks)).ok()?;
    Some(Arc::new(groups))
}

/// The performer of a level.
#[derive(Debug, Clone, Copy)]
enum By {
    Ranks(Algorithm),
    Switches(in_switch::Reducing),
}

impl By {
    fn name(self) -> &'static str {
        match self {
            Self::Ranks(algorithm) => algorithm.name(),
            Self::Switches(_) => in_switch::IN_SWITCH,
        }
    }
}

/// Reads the algorithm of a level, which must perform the level's operations.
fn algorithm(
    reading: &mut Reading<'_>,
    table: &Table<'_>,
    key: &str,
    level: Level,
    operations: &[(Level, Operation)],
) -> Option<By> {
    let performs = |algorithm: &Algorithm| {
        let mut of_level = operations.iter().filter(|operation| operation.0 == level);
        of_level.all(|(_, operation)| algorithm.descriptor().operations.contains(operation))
    };
    let of_ranks =
        Algorithm::ALL.into_iter().filter(performs).map(|algorithm| (algorithm.name(), Some(algorithm)));
    let choices: Vec<_> = of_ranks.chain([(in_switch::IN_SWITCH, None)]).collect();
    let names: Vec<&str> = choices.iter().map(|&(name, _)| name).collect();
    let value = table.required(key, &names.join(", "), reading.settings.errors())?;
    match value.choice(&table.name(key), &choices, reading.settings.errors())? {
        Some(algorithm) => Some(By::Ranks(algorithm)),
        None => in_switch::reducing(reading, Some(level), value).map(By::Switches),
    }
}

/// The logical shape with the ranks of a node in its first dimension.
fn two_levels(reading: &mut Reading<'_>, shape: &Shape, per_node: u64) -> Option<Shape> {
    channels::check_whole_nodes(reading, per_node)?;
    let (inside, ranks) = (u64::from(channels::ranks_per_node(reading, per_node)), shape.node_count());
    if inside > 1 && shape.lengths()[0] == inside && shape.dimension_count() > 1 {
        return Some(shape.clone());
    }
    if inside < 2 || inside == ranks || !ranks.is_multiple_of(inside) {
        let message = format!(
            "a hierarchical collective of {ranks} ranks, {inside} a node, expected several nodes with several ranks each"
        );
        let place = shape_place(reading)?;
        let error = ScenarioError::at(place, message, "no two levels");
        return reading.settings.fail(
            error
                .because(reading.settings.place(Key::ProgramAlgorithm), "the algorithm")
                .with_help("it needs a cluster of at least 2 nodes of 2 devices, or program.processes_per_node on others"),
        );
    }
    Shape::new(&[inside, ranks / inside]).ok()
}
