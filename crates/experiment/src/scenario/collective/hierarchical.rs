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
}

/// Reads a hierarchical all-reduce with `per_node` processes a node.
pub(super) fn read(
    reading: &mut Reading<'_>,
    kind: &'static ProgramKind,
    operation: Operation,
    value: &Value,
    per_node: u64,
) -> Option<ScenarioProgram> {
    let Levels { steps, bytes } = read_levels(reading, operation, value, per_node)?;
    let collective = one_after_another(&steps)?;
    take_program(reading, 0, &collective)?;
    Some(ScenarioProgram { bytes, ..of_collective(reading, kind, collective, per_node)? })
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
    // Every place has the vector of the largest: with a rest, one unit more than some.
    let steps = [
        (step(Operation::ReduceScatter, inner?, units), vec![0]),
        (step(Operation::AllReduce, outer?, units.div_ceil(inside)), others),
        (step(Operation::AllGather, inner?, units), vec![0]),
    ];
    let scale = reading.machine.timing.scale();
    let bytes = bytes.or(scale.and_then(|scale| units.checked_mul(scale.unit_bytes())));
    Some(Levels { steps: made(reading, &steps)?, bytes })
}

/// The collectives, if they fit in memory, of which they take their part.
fn made(
    reading: &mut Reading<'_>,
    steps: &[(CollectiveSpecification, Vec<usize>); 3],
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
