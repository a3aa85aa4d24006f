//! Cost of method 2 of making translation tables (Tao 1988, 4.4).

use cubefold_formats::input::Bytes;
use cubefold_mapping::{GraphGuest, Placement, PlacementTable};
use cubefold_simulator::{
    Communication, Cycles, NeighbourProgram, Pattern, Plan, Request, Routing, SimulationError,
};
use cubefold_topology::Machine;

use crate::RunError;

/// Number of parallel data movement steps in which every node of `machine` sends its address to all its
/// neighbours, measured by a coordinated run: 1, 2 and at most 2c under the three link modes.
///
/// # Errors
///
/// If the run would need more than `memory` bytes, or the simulator refuses it.
pub fn address_exchange_steps(
    machine: &Machine,
    communication: Communication,
    memory: u64,
) -> Result<u64, RunError> {
    let failed = |error: SimulationError| RunError::AddressExchange { error };
    // Addresses are one unit each and move in steps, independently of the rules for the program's messages.
    let communication = Communication::new(communication.links(), communication.hop(), communication.tie())
        .unwrap_or(communication);
    let (program, placement) = scatter(machine);
    let request = Request::coordinated(Routing::PLAIN);
    let plan = Plan::new(&program, &placement, communication, &request).map_err(failed)?;
    let needed = plan.bytes();
    if needed > memory {
        return Err(RunError::AddressExchangeMemory { needed: Bytes(needed), limit: Bytes(memory) });
    }
    let outcome = plan.run(&mut ()).map_err(failed)?;
    Ok(outcome.traffic.routing.iter().flatten().map(|stage| stage.steps).sum())
}

/// A scatter in which every node sends and receives.
#[expect(clippy::expect_used, reason = "a machine has at least two nodes; a scatter draws no sets")]
fn scatter(machine: &Machine) -> (NeighbourProgram, Placement) {
    let guest = GraphGuest::new(machine.clone());
    let program = NeighbourProgram::new(guest, Pattern::Scatter, Cycles::ZERO).expect("no sets to draw");
    let table = PlacementTable::new(machine, machine.nodes().collect()).expect("nodes of the machine");
    (program, Placement::Table(table))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{LinkMode, MachineKind, TieRule};

    #[test]
    fn the_exchange_takes_one_two_and_two_c_steps() {
        let shapes: [&[u64]; 4] = [&[4], &[4, 3], &[2, 3, 4], &[5, 3, 3, 2]];
        for (kind, shape) in
            shapes.iter().flat_map(|shape| [(MachineKind::Mesh, shape), (MachineKind::Torus, shape)])
        {
            let machine = Machine::new(kind, shape).unwrap();
            let steps = LinkMode::ALL.map(|links| {
                let communication = Communication::new(links, Cycles::new(1), TieRule::Direct).unwrap();
                let steps = |rules| address_exchange_steps(&machine, rules, u64::MAX).unwrap();
                assert_eq!(steps(communication), steps(communication.with_eager(7)));
                steps(communication)
            });
            assert_eq!(steps, [1, 2, 2 * shape.len() as u64], "{kind} {shape:?}");
        }
    }
}
