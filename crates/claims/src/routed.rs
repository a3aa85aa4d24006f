//! Messages routed in coordination, by the simulator.

use cubefold_mapping::{GraphGuest, Placement, PlacementMetrics, PlacementTable};
use cubefold_simulator::{
    Communication, CountLinkUse, Cycles, DimensionChoice, Execution, NeighbourProgram, Pattern, PhaseLength,
    Program, Routing, SimulationError, StageRouting, simulate,
};
use cubefold_topology::{LinkMode, Machine, NodeId, TieRule};

use cubefold_experiment::generator_key;

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

/// The key of the generator for a task of the verification, which has the seed 0.
pub(super) fn key(task: &str) -> [u8; 32] {
    generator_key(0, &format!("verify; {task}"))
}

#[expect(clippy::expect_used, reason = "at least one set is asked for")]
fn exchanges(guest: &Machine, pattern: Pattern) -> NeighbourProgram {
    NeighbourProgram::new(GraphGuest::new(guest.clone()), pattern, Cycles::ZERO).expect("some sets")
}

/// Steps and conflicts of every stage of a coordinated run, ties going the direct way and the lowest dimension first.
pub(super) fn route(
    program: &impl Program,
    placement: &Placement,
    mode: LinkMode,
    phase_length: PhaseLength,
) -> Result<Vec<StageRouting>, SimulationError> {
    route_by(
        program,
        placement,
        links(mode),
        Routing { dimension_choice: DimensionChoice::Lowest, phase_length },
    )
}

/// The same by any rules.
pub(super) fn route_by(
    program: &impl Program,
    placement: &Placement,
    links: Communication,
    routing: Routing,
) -> Result<Vec<StageRouting>, SimulationError> {
    let execution = Execution::Coordinated(routing);
    let outcome = simulate(program, placement, links, &execution, CountLinkUse::No, &mut ())?;
    Ok(outcome.traffic.routing.unwrap_or_default())
}

/// Links of a mode, crossed in one cycle.
pub(super) fn links(mode: LinkMode) -> Communication {
    links_with(mode, TieRule::Direct)
}

/// The same with a rule for ties.
#[expect(clippy::expect_used, reason = "a hop of one cycle")]
pub(super) fn links_with(mode: LinkMode, tie: TieRule) -> Communication {
    Communication::new(mode, Cycles::new(1), tie).expect("a hop of at least one cycle")
}

/// Every node's own process on it.
pub(super) fn identity(machine: &Machine) -> Placement {
    table(machine, machine.nodes().collect())
}

/// Process `n` on node `nodes[n]`.
#[expect(clippy::expect_used, reason = "nodes of the machine, at least one")]
pub(super) fn table(machine: &Machine, nodes: Vec<NodeId>) -> Placement {
    Placement::Table(PlacementTable::new(machine, nodes).expect("nodes of the machine"))
}

/// The largest dilation of a guest machine placed so.
pub(super) fn dilation(guest: &Machine, placement: &Placement) -> u64 {
    PlacementMetrics::largest_dilation(&GraphGuest::new(guest.clone()), placement)
}

/// The most steps of a stage, and the conflicts of all.
pub(super) fn most(stages: &[StageRouting]) -> StageRouting {
    let steps = stages.iter().map(|stage| stage.steps).max().unwrap_or(0);
    StageRouting { steps, conflicts: stages.iter().map(|stage| stage.conflicts).sum() }
}
