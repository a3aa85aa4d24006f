//! Hierarchical all-reduce: reduce-scatter inside every node, all-reduce among equal places of the nodes, all-gather inside
//! (`docs/model.md` section 16).
//!
//! It is a sequence of three collectives. Ranks that share a node are consecutive: the devices of a node of a
//! cluster, or the processes that embeddings put on a node.

use std::sync::Arc;

use cubefold_collectives::{
    Algorithm, Collective, CollectiveSpecification, Groups, Operation, Step as CollectiveStep,
};
use cubefold_topology::{GraphSource, Machine, NetworkParameters, Shape};

use super::{misfit, of_collective, over_budget, shape, shape_place, take_program};
use crate::scenario::{
    ScenarioProgram,
    errors::ScenarioError,
    keys::Key,
    message_sizes::ByStage,
    program::{ProgramKind, Reading},
    value::{Content, Table, Value},
};

/// The table of the two algorithms, if the algorithm is hierarchical.
pub(in crate::scenario) fn table<'a>(reading: &Reading<'a>) -> Option<&'a Value> {
    let value = reading.settings.get(Key::ProgramAlgorithm)?;
    let Content::Table(entries) = &value.content else { return None };
    match entries.as_slice() {
        [only] if only.key == "hierarchical" => Some(&only.value),
        _ => None,
    }
}

/// A hierarchical all-reduce: its three collectives, and its vector in bytes if units have bytes.
#[derive(Debug)]
pub(in crate::scenario) struct Levels {
    pub(in crate::scenario) steps: Vec<Arc<Groups>>,
    pub(in crate::scenario) bytes: Option<u64>,
    pub(in crate::scenario) whole: WholeOperation,
}

/// A collective in several steps as the one operation that it performs.
#[derive(Debug, Clone)]
pub struct WholeOperation {
    /// The name of its algorithm in all results.
    pub algorithm: Arc<str>,
    /// The operation on all ranks in one step, by another algorithm: its vector, its shape and its bounds, which hold for
    /// all algorithms.
    pub groups: Arc<Groups>,
}

/// The name of a hierarchical algorithm.
pub(crate) fn name(inner: &str, outer: &str) -> String {
    format!("hierarchical {inner}/{outer}")
}

/// Reads a hierarchical all-reduce with `per_node` processes a node.
pub(super) fn read(
    reading: &mut Reading<'_>,
    kind: &'static ProgramKind,
    operation: Operation,
    value: &Value,
    per_node: u64,
) -> Option<ScenarioProgram> {
    let Levels { steps, bytes, whole } = read_levels(reading, operation, value, per_node)?;
    let collective = one_after_another(&steps)?;
    take_program(reading, 0, &collective)?;
    let program = of_collective(reading, kind, collective, per_node)?;
    Some(ScenarioProgram { bytes, operations: Some(Arc::new(AskedOperations::one(whole))), ..program })
}

/// The steps of a collective as the scenario asks for them, where some run as several.
#[derive(Debug)]
pub struct AskedOperations {
    /// The operations, one after another.
    pub collective: Collective,
    /// The names of the algorithms of those that run as several steps.
    pub algorithms: Vec<Option<Arc<str>>>,
    /// The bytes of their vectors, if units have bytes.
    pub bytes: Vec<Option<u64>>,
}

impl AskedOperations {
    fn one(whole: WholeOperation) -> Self {
        let WholeOperation { algorithm, groups } = whole;
        Self { collective: Collective::of_groups(groups), algorithms: vec![Some(algorithm)], bytes: vec![] }
    }
}

/// The program of a hierarchical all-reduce with a vector of `units` units and `bytes` bytes; `None` if `own` is none.
pub(in crate::scenario) fn with_vector_units(
    own: &ScenarioProgram,
    units: u64,
    bytes: Option<u64>,
) -> Option<ScenarioProgram> {
    let asked = own.operations.as_deref()?;
    let whole = asked.collective.only_groups()?;
    let resized = |groups: &Groups, units| {
        let shape = groups.shape().clone();
        let specification =
            CollectiveSpecification { vector_units: units, shape, ..groups.specification().clone() };
        Groups::new(specification, groups.over()).ok().map(Arc::new)
    };
    let parts: Vec<&Groups> =
        own.collective.as_deref()?.steps().iter().filter_map(CollectiveStep::groups).collect();
    let inside = parts.first()?.specification().shape.node_count();
    let of_part = |part: &&Groups| match part.specification().operation {
        Operation::AllReduce => resized(part, units.div_ceil(inside)),
        _ => resized(part, units),
    };
    let steps: Vec<Arc<Groups>> = parts.iter().map(of_part).collect::<Option<_>>()?;
    let collective = one_after_another(&steps)?.with_guest().ok()?;
    let whole =
        WholeOperation { algorithm: asked.algorithms.first()?.clone()?, groups: resized(whole, units)? };
    Some(ScenarioProgram {
        bytes,
        block: own.block.clone(),
        operations: Some(Arc::new(AskedOperations::one(whole))),
        ..ScenarioProgram::of_collective(own.kind, collective, own.ranks_per_node)
    })
}

/// The collectives of a hierarchical all-reduce as one.
pub(in crate::scenario) fn one_after_another(steps: &[Arc<Groups>]) -> Option<Collective> {
    Collective::of_steps(steps.iter().map(Arc::clone).map(CollectiveStep::Groups).collect()).ok() // of the same ranks
}

/// Reads the collectives of a hierarchical all-reduce with `per_node` processes a node.
pub(in crate::scenario) fn read_levels(
    reading: &mut Reading<'_>,
    operation: Operation,
    value: &Value,
    per_node: u64,
) -> Option<Levels> {
    let name = format!("{}.hierarchical", Key::ProgramAlgorithm.path());
    if operation != Operation::AllReduce {
        let message = format!("a hierarchical {operation}, expected an all-reduce");
        reading.errors.push(ScenarioError::at(&value.place, message, "only all-reduce"));
        return None;
    }
    let table = Table::read(value, &name, &["inner", "outer"], reading.errors)?;
    let inner = algorithm(reading, &table, "inner", &[Operation::ReduceScatter, Operation::AllGather]);
    let outer = algorithm(reading, &table, "outer", &[Operation::AllReduce]);
    let sizes = reading.sizes(ByStage::No).and_then(|sizes| Some((sizes.units.uniform()?, sizes.bytes)));
    let shape = shape(reading, per_node);
    let compute = reading.compute();
    let chunks = super::chunks(reading, outer);
    let ((units, bytes), compute, chunks) = (sizes?, compute?.get(), chunks?);
    let whole = two_levels(reading, &shape?, per_node)?;
    let inside = whole.lengths()[0];
    let step = |operation, algorithm, units| CollectiveSpecification {
        compute_cycles: compute,
        chunks,
        ..CollectiveSpecification::new(operation, algorithm, whole.clone(), units)
    };
    let others: Vec<usize> = (1..whole.dimension_count()).collect();
    let all: Vec<usize> = (0..whole.dimension_count()).collect();
    let (inner, outer) = (inner?, outer?);
    // Every place has the vector of the largest: with a rest, one unit more than some.
    let steps = [
        (step(Operation::ReduceScatter, inner, units), vec![0]),
        (step(Operation::AllReduce, outer, units.div_ceil(inside)), others),
        (step(Operation::AllGather, inner, units), vec![0]),
        // The whole, by an algorithm for any number of ranks.
        (step(operation, Algorithm::Ring, units), all),
    ];
    let scale = reading.machine.timing.scale();
    let bytes = bytes.or(scale.and_then(|scale| units.checked_mul(scale.unit_bytes())));
    let mut steps = made(reading, &steps)?;
    let algorithm = self::name(inner.name(), outer.name()).into();
    let whole = WholeOperation { algorithm, groups: steps.pop()? };
    Some(Levels { steps, bytes, whole })
}

/// The collectives, if they fit in memory, of which they take their part.
fn made(
    reading: &mut Reading<'_>,
    steps: &[(CollectiveSpecification, Vec<usize>)],
) -> Option<Vec<Arc<Groups>>> {
    let most = steps.iter().map(|(own, over)| Groups::bytes_at_most(own, over)).fold(0, u64::saturating_add);
    if let Err(over) = reading.settings.budget().take_for_a_while(most, 0) {
        over_budget(reading, over, steps[0].0.shape.node_count());
        return None;
    }
    let mut made = vec![];
    for (specification, over) in steps {
        match Groups::new(specification.clone(), over) {
            Ok(groups) => made.push(Arc::new(groups)),
            Err(error) => {
                let error = misfit(reading, &error);
                reading.errors.extend(error);
                return None;
            }
        }
    }
    let kept = made.iter().map(|own| own.bytes()).sum();
    if let Err(over) = reading.settings.budget().take(kept) {
        over_budget(reading, over, steps[0].0.shape.node_count());
        return None;
    }
    Some(made)
}

/// The algorithm of a level, which performs these operations.
fn algorithm(
    reading: &mut Reading<'_>,
    table: &Table<'_>,
    key: &str,
    operations: &[Operation],
) -> Option<Algorithm> {
    let performs =
        |own: &Algorithm| operations.iter().all(|operation| own.descriptor().operations.contains(operation));
    let choices: Vec<_> = Algorithm::ALL.into_iter().filter(performs).map(|own| (own.name(), own)).collect();
    let names: Vec<&str> = choices.iter().map(|&(name, _)| name).collect();
    let value = table.required(key, &names.join(", "), reading.errors)?;
    value.choice(&table.name(key), &choices, reading.errors)
}

/// The logical shape with the ranks of a node in its first dimension.
fn two_levels(reading: &mut Reading<'_>, shape: &Shape, per_node: u64) -> Option<Shape> {
    let of_machine = reading.machine.machine.as_deref().and_then(devices_per_node).filter(|_| per_node == 1);
    let (inside, ranks) = (of_machine.unwrap_or(per_node), shape.node_count());
    if inside > 1 && shape.lengths()[0] == inside && shape.dimension_count() > 1 {
        return Some(shape.clone());
    }
    if inside < 2 || inside == ranks || !ranks.is_multiple_of(inside) {
        let message = format!(
            "a hierarchical all-reduce of {ranks} ranks, {inside} a node, expected several nodes with several ranks each"
        );
        let place = shape_place(reading)?;
        let error = ScenarioError::at(place, message, "no two levels");
        reading.errors.push(
            error
                .because(reading.settings.place(Key::ProgramAlgorithm), "the algorithm")
                .with_help("give program.processes_per_node, or a machine of kind \"cluster\""),
        );
        return None;
    }
    Shape::new(&[inside, ranks / inside]).ok()
}

/// The devices of a node of a cluster.
fn devices_per_node(machine: &Machine) -> Option<u64> {
    match machine.source() {
        Some(GraphSource::Parameters(NetworkParameters::Cluster(cluster))) => Some(cluster.devices_per_node),
        _ => None,
    }
}
