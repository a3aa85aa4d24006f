//! The bound that keeps cycle counts from overflowing.

use cubefold_simulator::{Cycles, MAX_MESSAGES};
use cubefold_topology::Machine;

use super::{errors::ScenarioError, keys::Key, settings::Settings, source_file::Place, value::Size};
use crate::scenario_program::ScenarioProgram;

/// Every cycle count is below this: sums of two still fit 64 bits.
const LIMIT: u128 = 1 << 63;

/// The most cycles that a run could take ([`max_cycles`](cubefold_simulator::max_cycles)), and what they
/// are made of: it says which value is to blame.
#[derive(Debug)]
pub(super) struct CycleBound {
    computations: u128, // one after another on the node with the most processes: S L
    crossings: u128,    // links that all messages could cross, one after another: S M times the diameter
    compute: u128,      // T_a, in cycles
    hop: u128,          // T_c, in cycles
}

impl CycleBound {
    /// The bound for a program with at most `load` processes a node.
    pub(super) fn new(machine: &Machine, program: &ScenarioProgram, load: u64, hop: Cycles) -> Self {
        let stages = program.stage_count() as u128;
        let messages = u128::from(program.process_count()) * program.max_received() as u128;
        // Programs of more messages are measured and placed, but not run: there is no contention to bound.
        let messages = if messages > u128::from(MAX_MESSAGES) { 1 } else { messages };
        Self {
            computations: stages * u128::from(load),
            crossings: stages * messages * u128::from(machine.distance_bound()),
            compute: u128::from(program.compute().get()),
            hop: u128::from(hop.get()),
        }
    }

    /// `S L T_a + T_c S M diameter`, L the most processes on a node and M the most messages of a stage, or as
    /// much of it as 128 bits hold.
    fn cycles(&self) -> u128 {
        let moving = self.hop.saturating_mul(self.crossings);
        self.computations.saturating_mul(self.compute).saturating_add(moving)
    }

    /// Reports when a run could take 2^63 cycles or more, at the larger of the cycles that are written.
    pub(super) fn check(
        &self,
        settings: &Settings<'_>,
        size: &Size,
        program: &ScenarioProgram,
        hop: Cycles,
    ) -> Result<(), ScenarioError> {
        let cycles = self.cycles();
        if cycles < LIMIT {
            return Ok(());
        }
        let most = if cycles == u128::MAX { "over 2^128".to_owned() } else { format!("up to {cycles}") };
        let message = format!("cycle count would overflow: {most} cycles, expected less than {LIMIT} (2^63)");
        let blamed = blamed(settings, program, hop);
        let place = blamed.map_or(&size.place, |(_, place)| place);
        let greatest = blamed.and_then(|(setting, _)| Some((setting, self.greatest(setting)?)));
        let help = match greatest {
            Some((setting, greatest)) => format!("{} may be at most {greatest} here", setting.path()),
            None => "use a smaller machine or fewer stages".to_owned(),
        };
        let error = ScenarioError::at(place, message, "too large")
            .one_a_place("cycle count would overflow")
            .because(Some(&size.place), format!("shape {}", size.written()));
        let others = [
            (Key::MachineHopCycles, "the cycles of a hop"),
            (Key::ProgramComputeCycles, "the cycles of a computation"),
            (Key::ProgramDimensions, "the processes"),
            (Key::ProgramStages, "the stages"),
        ];
        let others =
            others.into_iter().filter(|&(setting, _)| Some(setting) != blamed.map(|(setting, _)| setting));
        let error =
            others.fold(error, |error, (setting, label)| error.because(settings.place(setting), label));
        Err(error.with_help(help))
    }

    /// The greatest value of the setting that is to blame with which the bound would hold.
    fn greatest(&self, setting: Key) -> Option<u128> {
        let (others, times, least) = match setting {
            Key::ProgramComputeCycles => (self.hop.saturating_mul(self.crossings), self.computations, 0),
            _ => (self.computations.saturating_mul(self.compute), self.crossings, 1),
        };
        let greatest = (LIMIT - 1).checked_sub(others)?.checked_div(times)?;
        (greatest >= least).then_some(greatest)
    }
}

/// The larger of the cycles that are written, if any are.
fn blamed<'a>(
    settings: &'a Settings<'_>,
    program: &ScenarioProgram,
    hop: Cycles,
) -> Option<(Key, &'a Place)> {
    let compute = settings.place(Key::ProgramComputeCycles);
    let compute = compute.map(|place| (program.compute(), Key::ProgramComputeCycles, place));
    let hop = settings.place(Key::MachineHopCycles).map(|place| (hop, Key::MachineHopCycles, place));
    // Of equal ones the last: more hops are made than computations.
    let largest = compute.into_iter().chain(hop).max_by_key(|&(cycles, _, _)| cycles);
    largest.map(|(_, setting, place)| (setting, place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::program_kinds;
    use cubefold_mapping::{EmbeddingKind, Hypercube, Placement, PlacementTable, ProcessId};
    use cubefold_simulator::{Communication, CubeProgram, max_cycles};
    use cubefold_topology::{LinkMode, MachineKind, NodeId, TieRule};

    #[test]
    fn programs_too_large_to_run_are_bounded_without_contention() {
        let ring = Machine::new(MachineKind::Ring, &[1 << 32]).unwrap();
        let cube = Hypercube::new(32).unwrap();
        let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::ZERO).unwrap();
        let bound =
            CycleBound::new(&ring, &ScenarioProgram::of_cube(program_kinds()[0], program), 1, Cycles::new(1))
                .cycles();
        assert_eq!(bound, 32 * (1 << 31));
    }

    #[test]
    fn the_bound_is_that_of_the_simulator() {
        for (kind, lengths) in [(MachineKind::Torus, [8, 4]), (MachineKind::Mesh, [2, 16])] {
            let machine = Machine::new(kind, &lengths).unwrap();
            let cube = Hypercube::new(5).unwrap();
            for (compute, hop) in [(0, 1), (10, 3), (u64::MAX, 7)] {
                let program =
                    CubeProgram::new(cube, CubeProgram::bitonic(cube), Cycles::new(compute)).unwrap();
                let shared = ProcessId::first(32).map(|process| NodeId::new(process.label() / 4)).collect();
                let placements = [
                    Placement::embed(EmbeddingKind::Xor, cube, &machine).unwrap(),
                    Placement::Table(PlacementTable::new(&machine, shared).unwrap()),
                ];
                let hop = Cycles::new(hop);
                let links = Communication::new(LinkMode::FullDuplex, hop, TieRule::Direct).unwrap();
                let guest = ScenarioProgram::of_cube(program_kinds()[0], program.clone());
                for (load, placement) in [1, 4].into_iter().zip(placements) {
                    assert_eq!(
                        CycleBound::new(&machine, &guest, load, hop).cycles(),
                        max_cycles(&program, &placement, links)
                    );
                }
            }
        }
    }
}
