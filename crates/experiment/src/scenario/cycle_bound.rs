//! The bound that keeps cycle counts from overflowing.

use std::num::NonZeroU64;

use cubefold_simulator::{Communication, LocalCost, MAX_MESSAGES};
use cubefold_topology::Machine;

use super::{errors::ScenarioError, keys::Key, settings::Settings, source_file::Place, value::Size};
use crate::scenario_program::ScenarioProgram;

/// Every cycle count is below this: sums of two still fit 64 bits.
const LIMIT: u128 = 1 << 63;

/// The most cycles that a run could take ([`max_cycles`](cubefold_simulator::max_cycles)), and what they
/// are made of: it says which value is to blame.
#[derive(Debug, Clone)]
pub(super) struct CycleBound {
    computations: u128, // one after another on the node with the most processes: S L
    messages: u128,     // of a stage, at most
    diameter: u64,      // the most links that a message crosses
    compute: u64,       // T_a, in cycles
    hop: u64,           // u, in cycles
    latency: u64,       // l, in cycles
    packet: u64,        // P, the most units of a packet
    local: LocalCost,
    sizes: Vec<(u64, u128)>, // sizes of messages in units, each with the number of stages that have it
}

impl CycleBound {
    /// The bound for a program with at most `load` processes a node.
    pub(super) fn new(
        machine: &Machine,
        program: &ScenarioProgram,
        load: u64,
        communication: Communication,
    ) -> Self {
        let stages = program.stage_count() as u128;
        let messages = u128::from(program.process_count()) * program.max_received() as u128;
        // Programs of more messages are measured and placed, but not run: there is no contention to bound.
        let messages = if messages > u128::from(MAX_MESSAGES) { 1 } else { messages };
        let sizes = match program.uniform_units() {
            Some(units) => vec![(units, stages)],
            None => (0..program.stage_count()).map(|stage| (program.max_units(stage), 1)).collect(),
        };
        Self {
            computations: stages * u128::from(load),
            messages,
            diameter: machine.distance_bound(),
            compute: program.compute().get(),
            hop: communication.hop().get(),
            latency: communication.latency().get(),
            packet: communication.packet().map_or(u64::MAX, NonZeroU64::get),
            local: communication.local_cost(),
            sizes,
        }
    }

    /// `S L T_a` and the times of all messages one after another, or as much of it as 128 bits hold.
    fn cycles(&self) -> u128 {
        let computing = self.computations.saturating_mul(self.compute.into());
        let moving = self.sizes.iter().fold(0_u128, |sum, &(units, stages)| {
            let all = stages.saturating_mul(self.messages).saturating_mul(self.transfer(units));
            sum.saturating_add(all)
        });
        computing.saturating_add(moving)
    }

    /// The time of all transmissions of a message of so many units one after another \[cycles\].
    fn transfer(&self, units: u64) -> u128 {
        let product = |times: u64, cycles: u64| u128::from(times) * u128::from(cycles);
        let link =
            product(units.div_ceil(self.packet), self.latency).saturating_add(product(units, self.hop));
        let local =
            u128::from(self.local.latency.get()).saturating_add(product(units, self.local.unit.get()));
        u128::from(self.diameter).saturating_mul(link).max(local)
    }

    /// Reports when a run could take 2^63 cycles or more, at the largest of the values that are written.
    pub(super) fn check(&self, settings: &Settings<'_>, size: &Size) -> Result<(), ScenarioError> {
        let cycles = self.cycles();
        if cycles < LIMIT {
            return Ok(());
        }
        let most = if cycles == u128::MAX { "over 2^128".to_owned() } else { format!("up to {cycles}") };
        let message = format!("cycle count would overflow: {most} cycles, expected less than {LIMIT} (2^63)");
        let blamed = self.blamed(settings);
        let place = blamed.map_or(&size.place, |(_, place)| place);
        let greatest = blamed.and_then(|(setting, _)| Some((setting, self.greatest(setting)?)));
        let help = match greatest {
            Some((setting, greatest)) => format!("{} may be at most {greatest} here", setting.path()),
            None => "use a smaller machine, fewer stages or smaller messages".to_owned(),
        };
        let error = ScenarioError::at(place, message, "too large")
            .one_a_place("cycle count would overflow")
            .because(Some(&size.place), format!("shape {}", size.written()));
        let others = [
            (Key::MachineHopCycles, "the cycles of a hop"),
            (Key::MachineLatencyCycles, "the latency of a link"),
            (Key::MachineLink, "the links"),
            (Key::ProgramComputeCycles, "the cycles of a computation"),
            (Key::ProgramCompute, "the time of a computation"),
            (Key::ProgramUnits, "the sizes"),
            (Key::ProgramBytes, "the sizes"),
            (Key::ProgramFile, "the messages"),
            (Key::ProgramDimensions, "the processes"),
            (Key::ProgramStages, "the stages"),
        ];
        let others =
            others.into_iter().filter(|&(setting, _)| Some(setting) != blamed.map(|(setting, _)| setting));
        let error =
            others.fold(error, |error, (setting, label)| error.because(settings.place(setting), label));
        Err(error.with_help(help))
    }

    /// The largest of the values that are written, if any are.
    fn blamed<'a>(&self, settings: &'a Settings<'_>) -> Option<(Key, &'a Place)> {
        let units = self.sizes.iter().map(|&(units, _)| units).max().unwrap_or(1);
        let values = [
            (self.compute, Key::ProgramComputeCycles),
            (self.compute, Key::ProgramCompute),
            (units, Key::ProgramFile),
            (units, Key::ProgramBytes),
            (units, Key::ProgramUnits),
            (self.local.latency.get(), Key::MachineLocalLatencyCycles),
            (self.local.unit.get(), Key::MachineLocalUnitCycles),
            (self.latency, Key::MachineLink),
            (self.latency, Key::MachineLatencyCycles),
            (self.hop, Key::MachineHopCycles),
        ];
        let written = values.into_iter().filter_map(|(value, key)| Some((value, key, settings.place(key)?)));
        // Of equal ones the last: more hops are made than computations.
        let largest = written.max_by_key(|&(value, _, _)| value);
        largest.map(|(_, setting, place)| (setting, place))
    }

    /// The greatest value of the setting that is to blame with which the bound would hold; none where there is none,
    /// or the setting is no single number of cycles or units.
    fn greatest(&self, setting: Key) -> Option<u64> {
        let holds = |value: u64| self.with(setting, value).map(|bound| bound.cycles() < LIMIT);
        let least = match setting {
            Key::MachineHopCycles | Key::ProgramUnits => 1,
            _ => 0,
        };
        if !holds(least)? {
            return None;
        }
        let (mut fits, mut too_large) = (least, u64::MAX);
        while too_large - fits > 1 {
            let middle = fits + (too_large - fits) / 2;
            if holds(middle)? { fits = middle } else { too_large = middle }
        }
        Some(fits)
    }

    /// The bound with another value of a setting, where that is one number of cycles or units.
    fn with(&self, setting: Key, value: u64) -> Option<Self> {
        let own = self.clone();
        let bound = match setting {
            Key::ProgramComputeCycles => Self { compute: value, ..own },
            Key::MachineHopCycles => Self { hop: value, ..own },
            Key::MachineLatencyCycles => Self { latency: value, ..own },
            Key::ProgramUnits => match own.sizes[..] {
                [(_, stages)] => Self { sizes: vec![(value, stages)], ..own },
                _ => return None,
            },
            _ => return None,
        };
        Some(bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::program_kinds;
    use cubefold_mapping::{EmbeddingKind, Hypercube, Placement, PlacementTable, ProcessId};
    use cubefold_simulator::{CubeProgram, Cycles, MessageSizes, max_cycles};
    use cubefold_topology::{LinkMode, MachineKind, NodeId, TieRule};

    fn links(hop: u64) -> Communication {
        Communication::new(LinkMode::FullDuplex, Cycles::new(hop), TieRule::Direct).unwrap()
    }

    #[test]
    fn programs_too_large_to_run_are_bounded_without_contention() {
        let ring = Machine::new(MachineKind::Ring, &[1 << 32]).unwrap();
        let cube = Hypercube::new(32).unwrap();
        let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::ZERO).unwrap();
        let bound =
            CycleBound::new(&ring, &ScenarioProgram::of_cube(program_kinds()[0], program), 1, links(1))
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
                let sizes = MessageSizes::by_stage((1..=program.stages().len() as u64).collect()).unwrap();
                let by_stage = program.clone().with_sizes(sizes);
                let slow = links(hop)
                    .with_latency(Cycles::new(5))
                    .with_packets(NonZeroU64::new(4))
                    .with_local_cost(LocalCost { latency: Cycles::new(1 << 40), unit: Cycles::new(1) });
                for (program, links) in [(&program, links(hop)), (&by_stage, links(hop)), (&by_stage, slow)] {
                    let guest = ScenarioProgram::of_cube(program_kinds()[0], program.clone());
                    for (load, placement) in [1, 4].into_iter().zip(&placements) {
                        assert_eq!(
                            CycleBound::new(&machine, &guest, load, links).cycles(),
                            max_cycles(program, placement, links)
                        );
                    }
                }
            }
        }
    }
}
