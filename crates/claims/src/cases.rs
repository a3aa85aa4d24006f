//! The building blocks of cases: guests and hosts to try, sets of messages, and messages routed
//! in coordination.

use std::fmt;

use cubefold_mapping::{
    Construction, ConstructionKind, GraphGuest, Guest, Placement, PlacementMetrics, PlacementTable, ProcessId,
};
use cubefold_scenario::generator_key;
use cubefold_simulator::{
    Communication, Computations, Cycles, DimensionChoice, EngineChoice, NeighbourProgram, Pattern,
    PhaseLength, Program, Request, Routing, SimulationError, StageMessage, StageProgram, StageRouting,
    simulate,
};
use cubefold_topology::{Extent, LinkMode, Machine, MachineKind, NodeId, Shape, TieRule, narrow};

use crate::{claim::Claim, findings::Findings};

/// All lists of lengths of at least 2 with this product, in every order.
pub(super) fn shapes(product: u64) -> Vec<Vec<u64>> {
    let mut all = vec![];
    for first in (2..=product).filter(|&first| product.is_multiple_of(first)) {
        if first == product {
            all.push(vec![first]);
        }
        for mut longer in shapes(product / first) {
            longer.insert(0, first);
            all.push(longer);
        }
    }
    all
}

/// The machine of a kind with these lengths.
#[expect(clippy::expect_used, reason = "the lengths here are at least 2 and their product is small")]
pub(super) fn machine(kind: MachineKind, lengths: &[u64]) -> Machine {
    Machine::new(kind, lengths).expect("a machine")
}

pub(super) fn mesh(lengths: &[u64]) -> Machine {
    machine(MachineKind::Mesh, lengths)
}

pub(super) fn torus(lengths: &[u64]) -> Machine {
    machine(MachineKind::Torus, lengths)
}

pub(super) fn hypercube(dimensions: impl Into<u64>) -> Machine {
    let lengths: Vec<u64> = (0..dimensions.into()).map(|_| 2).collect();
    machine(MachineKind::Hypercube, &lengths)
}

/// The mesh and the torus of a shape; the hypercube alone, which is both.
pub(super) fn machines(lengths: &[u64]) -> Vec<Machine> {
    if lengths.iter().all(|&length| length == 2) {
        return vec![machine(MachineKind::Hypercube, lengths)];
    }
    vec![mesh(lengths), torus(lengths)]
}

/// All meshes and toruses of a size.
pub(super) fn machines_of(size: u64) -> Vec<Machine> {
    shapes(size).iter().flat_map(|shape| machines(shape)).collect()
}

/// The rectangles with a square of this side.
pub(super) fn rectangles(side: u64) -> impl Iterator<Item = [u64; 2]> {
    let widths = (2..side).filter(move |width| (side * side).is_multiple_of(*width));
    widths.map(move |width| [side * side / width, width])
}

/// All square shapes `(l, d)` and `(m, c)` of one size up to `most` with `d` and `c` different.
pub(super) fn square_pairs(most: u64) -> Vec<(Vec<u64>, Vec<u64>)> {
    let roots = |size: u64| {
        let of = move |dimensions: u32| {
            let side = (2..=size).take_while(|side| side.checked_pow(dimensions).is_some_and(|n| n <= size));
            let side = side.last().filter(|side| side.pow(dimensions) == size)?;
            Some(vec![side; dimensions as usize])
        };
        (1..=size.ilog2()).filter_map(of).collect::<Vec<_>>()
    };
    let mut pairs = vec![];
    for size in 2..=most {
        let shapes = roots(size);
        for guest in &shapes {
            let others = shapes.iter().filter(|host| host.len() != guest.len());
            pairs.extend(others.map(|host| (guest.clone(), host.clone())));
        }
    }
    pairs
}

/// Whether a machine counts as a torus as a guest: a hypercube does not (errata C5).
pub(super) fn is_torus_guest(machine: &Machine) -> bool {
    machine.extents().any(Extent::is_ring)
}

/// Whether a machine counts as a torus as a host: a hypercube does (errata C5).
pub(super) fn is_torus_host(machine: &Machine) -> bool {
    machine.extents().all(|extent| extent.is_ring() || extent.length() == 2)
}

/// Whether all lengths of a machine are 2.
pub(super) fn is_hypercube(machine: &Machine) -> bool {
    machine.shape().lengths().iter().all(|&length| length == 2)
}

/// The side of a square machine.
pub(super) fn side(machine: &Machine) -> Option<u64> {
    let lengths = machine.shape().lengths();
    lengths.iter().all(|&length| length == lengths[0]).then_some(lengths[0])
}

/// A machine in words: `torus (4, 6)`.
pub(super) struct MachineLabel<'machine>(pub(super) &'machine Machine);

impl fmt::Display for MachineLabel<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.0.kind(), lengths(self.0.shape()))
    }
}

fn lengths(shape: &Shape) -> String {
    let lengths: Vec<String> = shape.lengths().iter().map(u64::to_string).collect();
    format!("({})", lengths.join(", "))
}

/// A construction in words: `pi o H_V, torus (4, 6) on mesh (2, 2, 2, 3)`.
pub(super) struct ConstructionLabel<'construction>(pub(super) &'construction Construction);

impl fmt::Display for ConstructionLabel<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (guest, host) = (MachineLabel(self.0.guest()), MachineLabel(self.0.host()));
        write!(formatter, "{}, {guest} on {host}", self.0.formula())
    }
}

/// The shift sets of a guest: every process sends one way along one dimension.
pub(super) fn shifts(guest: &Machine) -> NeighbourProgram {
    exchanges(guest, Pattern::Shift)
}

/// Every process sends to all its neighbours at once.
pub(super) fn scatter(guest: &Machine) -> NeighbourProgram {
    exchanges(guest, Pattern::Scatter)
}

/// Random permutation-type sets, the same for the same task.
pub(super) fn permutations(guest: &Machine, sets: usize, task: &str) -> NeighbourProgram {
    exchanges(guest, Pattern::Permutation { sets: sets.max(1), key: key(task) })
}

/// The key of the generator for a task of the verification, whose seed is 0.
pub(super) fn key(task: &str) -> [u8; 32] {
    generator_key(0, &format!("verify; {task}"))
}

#[expect(clippy::expect_used, reason = "at least one set is asked for")]
fn exchanges(guest: &Machine, pattern: Pattern) -> NeighbourProgram {
    NeighbourProgram::new(GraphGuest::new(guest.clone()), pattern, Cycles::ZERO).expect("some sets")
}

/// Steps and conflicts of every stage of a coordinated run, ties going the direct way and the
/// lowest dimension first.
pub(super) fn route(
    program: &dyn Program,
    placement: &Placement,
    mode: LinkMode,
    phase_length: PhaseLength,
) -> Result<Vec<StageRouting>, SimulationError> {
    route_by(
        program,
        placement,
        links(mode),
        &Routing { dimension_choice: DimensionChoice::Lowest, phase_length, ..Routing::PLAIN },
    )
}

/// Steps and conflicts of every stage of a coordinated run under any rules.
pub(super) fn route_by(
    program: &dyn Program,
    placement: &Placement,
    links: Communication,
    routing: &Routing,
) -> Result<Vec<StageRouting>, SimulationError> {
    let request = Request::coordinated(routing.clone());
    let outcome = simulate(program, placement, links, &request, &mut ())?;
    Ok(outcome.traffic.routing.unwrap_or_default())
}

/// The makespan of an asynchronous run \[cycles\].
#[expect(clippy::expect_used, reason = "a panic ends the case as broken off, with its reason")]
pub(super) fn makespan(program: &dyn Program, placement: &Placement, links: Communication) -> u64 {
    let request = Request::asynchronous(EngineChoice::Auto);
    let outcome = simulate(program, placement, links, &request, &mut ());
    outcome.expect("a run that is not refused").summary.makespan().get()
}

/// Links of a mode, crossed in one cycle.
pub(super) fn links(mode: LinkMode) -> Communication {
    links_with(mode, TieRule::Direct)
}

/// Links of a mode under a tie rule, crossed in one cycle.
#[expect(clippy::expect_used, reason = "a hop of one cycle")]
pub(super) fn links_with(mode: LinkMode, tie: TieRule) -> Communication {
    Communication::new(mode, Cycles::new(1), tie).expect("a hop of at least one cycle")
}

/// Every process on the node of its number.
pub(super) fn identity(machine: &Machine) -> Placement {
    table(machine, machine.nodes().collect())
}

/// Process `n` on node `nodes[n]`.
#[expect(clippy::expect_used, reason = "nodes of the machine, at least one")]
pub(super) fn table(machine: &Machine, nodes: Vec<NodeId>) -> Placement {
    Placement::Table(PlacementTable::new(machine, nodes).expect("nodes of the machine"))
}

/// The metrics of a guest machine under this placement, ties going the direct way.
pub(super) fn metrics(guest: &Machine, placement: &Placement) -> PlacementMetrics {
    PlacementMetrics::measure_by_edge(&GraphGuest::new(guest.clone()), placement, TieRule::Direct)
}

/// The largest dilation of a guest machine under this placement.
pub(super) fn dilation(guest: &Machine, placement: &Placement) -> u64 {
    PlacementMetrics::largest_dilation(&GraphGuest::new(guest.clone()), placement)
}

/// The most steps of a stage, and the conflicts of all stages.
pub(super) fn most(stages: &[StageRouting]) -> StageRouting {
    let steps = stages.iter().map(|stage| stage.steps).max().unwrap_or(0);
    StageRouting { steps, conflicts: stages.iter().map(|stage| stage.conflicts).sum() }
}

/// A source and a destination.
pub(super) type Message = (ProcessId, ProcessId);

/// A program of sets of messages of one unit, each set a stage.
#[expect(clippy::expect_used, reason = "a panic ends the case as broken off, with its reason")]
pub(super) fn message_sets(processes: u64, stages: &[Vec<Message>]) -> StageProgram {
    let of_stage = |(stage, messages): (usize, &Vec<Message>)| -> Vec<StageMessage> {
        let message = |&(source, destination)| StageMessage { stage, source, destination, units: 1 };
        messages.iter().map(message).collect()
    };
    let messages: Vec<StageMessage> = stages.iter().enumerate().flat_map(of_stage).collect();
    let computations = Computations::Same(Cycles::ZERO);
    StageProgram::with_stages(stages.len(), narrow(processes), computations, &messages)
        .expect("messages between different processes, each once")
}

/// A program of one set, by the labels of processes.
pub(super) fn message_set(processes: u64, messages: &[(u32, u32)]) -> StageProgram {
    let message = |&(from, to): &(u32, u32)| (ProcessId::new(from), ProcessId::new(to));
    message_sets(processes, &[messages.iter().map(message).collect()])
}

/// The messages of every stage of a program.
pub(super) fn messages(program: &dyn Program) -> Vec<Vec<Message>> {
    let of_stage =
        |stage| program.messages(stage).iter().map(|message| (message.source, message.destination)).collect();
    (0..program.stage_count()).map(of_stage).collect()
}

/// All neighbours of all processes: the messages of a scatter stage, without the simulator's
/// program.
pub(super) fn neighbours(guest: &Machine) -> Vec<Message> {
    let grid = GraphGuest::new(guest.clone());
    let of = |process| grid.neighbours(process).map(move |to| (process, to)).collect::<Vec<_>>();
    ProcessId::first(guest.node_count()).flat_map(of).collect()
}

/// The named construction for the pair; without one, the claim fails.
pub(super) fn named(
    claim: Claim,
    kind: ConstructionKind,
    guest: &Machine,
    host: &Machine,
    findings: &mut Findings,
) -> Option<(Construction, Placement)> {
    let case = format!("{} on {}", MachineLabel(guest), MachineLabel(host));
    let construction = findings.or_fail(claim, &case, Construction::named(kind, guest, host))?;
    let placement = Placement::Construction(Box::new(construction.clone()));
    Some((construction, placement))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn square_pairs_are_of_one_size() {
        let pairs = square_pairs(64);
        assert!(pairs.contains(&(vec![8; 2], vec![4; 3])) && pairs.contains(&(vec![2; 6], vec![64])));
        assert!(pairs.iter().all(|(a, b)| a.iter().product::<u64>() == b.iter().product::<u64>()));
    }
}
