//! An upper bound that keeps cycle counts from overflowing.

use cubefold_mapping::Placement;
use cubefold_simulator::{
    Communication, Cycles, Execution, MAX_MESSAGES, Routing, SerialMessages, serial_messages,
};

use super::{
    errors::ScenarioError, execution::ExecutionMode, keys::Key, settings::Settings, source_file::Place,
    value::Size,
};
use crate::ScenarioProgram;

/// Limit of cycle counts: the sum of two still fits 64 bits.
const LIMIT: u128 = 1 << 63;

/// The largest number of cycles that a run could take ([`max_cycles`](cubefold_simulator::max_cycles)), and
/// its parts, which decide the value to blame.
#[derive(Debug, Clone)]
pub(super) struct CycleBound {
    computations: u128, // in sequence on the node with the most processes: S L
    compute: u64,       // T_a, in cycles
    communication: Communication,
    messages: Vec<SerialMessages>,
    has_one_class: bool, // whether all links have equal times
}

impl CycleBound {
    /// The largest bound for a program over several placements; `None` without any.
    pub(super) fn largest<'a>(
        program: &ScenarioProgram,
        placements: impl Iterator<Item = &'a Placement>,
        communication: Communication,
        mode: ExecutionMode,
    ) -> Option<Self> {
        placements
            .map(|placement| Self::new(program, placement, communication, mode))
            .max_by_key(Self::cycles)
    }

    fn new(
        program: &ScenarioProgram,
        placement: &Placement,
        communication: Communication,
        mode: ExecutionMode,
    ) -> Self {
        let execution = match mode {
            ExecutionMode::Asynchronous => Execution::Asynchronous,
            ExecutionMode::Coordinated { .. } => Execution::Coordinated(Routing::PLAIN),
        };
        let mut messages = serial_messages(&*program.body, placement, communication, &execution);
        // Programs with more messages are measured and placed but not run, so no contention needs a bound.
        let of_stage = u128::from(program.body.process_count()) * program.body.facts().max_received as u128;
        let is_whole_stage = |message: &SerialMessages| message.count >= of_stage;
        if of_stage > u128::from(MAX_MESSAGES) {
            for message in messages.iter_mut().filter(|message| is_whole_stage(message)) {
                message.count /= of_stage;
            }
        }
        Self {
            computations: program.body.stage_count() as u128 * u128::from(placement.max_load()),
            compute: program.body.facts().compute.get(),
            communication,
            messages,
            has_one_class: placement.machine().link_times().is_none(),
        }
    }

    /// `S L T_a` plus the times of all messages in sequence; saturates at 128 bits.
    fn cycles(&self) -> u128 {
        let computing = self.computations.saturating_mul(self.compute.into());
        self.messages
            .iter()
            .fold(computing, |sum, message| sum.saturating_add(message.cycles(self.communication)))
    }

    /// Reports a run that could take 2^63 cycles or more, at the largest of the given values.
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
            None => larger_units(settings, cycles)
                .unwrap_or_else(|| "use a smaller machine, fewer stages or smaller messages".to_owned()),
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

    /// The largest of the given values, if there are any.
    fn blamed<'a>(&self, settings: &'a Settings<'_>) -> Option<(Key, &'a Place)> {
        let units = self.messages.iter().map(|message| message.units).max().unwrap_or(1);
        let (hop, latency) = (self.communication.hop().get(), self.communication.latency().get());
        let local = self.communication.local_cost();
        let values = [
            (self.compute, Key::ProgramComputeCycles),
            (self.compute, Key::ProgramCompute),
            (units, Key::ProgramFile),
            (units, Key::ProgramBytes),
            (units, Key::ProgramUnits),
            (local.latency.get(), Key::MachineLocalLatencyCycles),
            (local.unit.get(), Key::MachineLocalUnitCycles),
            (latency, Key::MachineLink),
            (latency, Key::MachineLatencyCycles),
            (hop, Key::MachineHopCycles),
        ];
        let written = values.into_iter().filter_map(|(value, key)| Some((value, key, settings.place(key)?)));
        // The last of equal values counts: there are more hops than computations.
        let largest = written.max_by_key(|&(value, _, _)| value);
        largest.map(|(_, setting, place)| (setting, place))
    }

    /// The largest value of the blamed key for which the bound holds; `None` if there is none, or if the key
    /// is not a single number of cycles or units.
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

    /// The bound with another value of a key, if it is one number of cycles or units.
    fn with(&self, setting: Key, value: u64) -> Option<Self> {
        let base = self.clone();
        let bound = match setting {
            Key::ProgramComputeCycles => Self { compute: value, ..base },
            Key::MachineHopCycles if self.has_one_class => {
                Self { communication: self.communication.with_hop(Cycles::new(value)).ok()?, ..base }
            }
            Key::MachineLatencyCycles if self.has_one_class => {
                Self { communication: self.communication.with_latency(Cycles::new(value)), ..base }
            }
            Key::ProgramUnits => {
                let mut messages = base.messages;
                if messages.windows(2).any(|two| two[0].units != two[1].units) {
                    return None;
                }
                for message in &mut messages {
                    message.units = value;
                }
                Self { messages, ..base }
            }
            _ => return None,
        };
        Some(bound)
    }
}

/// Suggests larger units, with which cycles are long enough, if the program or its steps have sizes in bytes: a cycle is
/// a part of the time of a unit on a link.
fn larger_units(settings: &Settings<'_>, cycles: u128) -> Option<String> {
    settings.place(Key::ProgramBytes).or(settings.place(Key::ProgramSteps))?;
    let unit_bytes = settings.silent().natural(Key::MachineUnitBytes)?;
    // Twice as large as needed: messages of other units are rounded up.
    let factor = u64::try_from(cycles.checked_div(LIMIT / 4)?).ok()?.checked_next_power_of_two()?;
    let enough = unit_bytes.checked_mul(factor).filter(|bytes| *bytes <= 1 << 32)?;
    Some(format!(
        "machine.unit_bytes = {enough} makes a cycle longer, and sizes whole units of as many bytes"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        execution::{DimensionChoice, Phases},
        program_kinds,
    };
    use cubefold_mapping::{EmbeddingKind, Hypercube, PlacementTable, ProcessId};
    use std::num::NonZeroU64;

    use cubefold_simulator::{CubeProgram, LocalCost, MessageSizes, max_cycles};
    use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, TieRule};

    const COORDINATED: ExecutionMode =
        ExecutionMode::Coordinated { dimension_choice: DimensionChoice::Lowest, phases: Phases::Embedding };

    fn links(hop: u64) -> Communication {
        Communication::new(LinkMode::FullDuplex, Cycles::new(hop), TieRule::Direct).unwrap()
    }

    #[test]
    fn programs_too_large_to_run_are_bounded_without_contention() {
        let ring = Machine::new(MachineKind::Ring, &[1 << 32]).unwrap();
        let cube = Hypercube::new(32).unwrap();
        let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::ZERO).unwrap();
        let program = ScenarioProgram::of_cube(program_kinds()[0], program);
        let placement = Placement::embed(EmbeddingKind::Xor, cube, &ring).unwrap();
        let bound = |mode| CycleBound::new(&program, &placement, links(1), mode).cycles();
        assert_eq!(bound(COORDINATED), 32 * (1 << 31));
        // The ring is one line, with equally many messages.
        assert_eq!(bound(ExecutionMode::Asynchronous), 32 * (1 << 31));
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
                    for placement in &placements {
                        let simulated = Execution::Asynchronous;
                        assert_eq!(
                            CycleBound::new(&guest, placement, links, ExecutionMode::Asynchronous).cycles(),
                            max_cycles(program, placement, links, &simulated)
                        );
                        let simulated = Execution::Coordinated(Routing::PLAIN);
                        assert_eq!(
                            CycleBound::new(&guest, placement, links, COORDINATED).cycles(),
                            max_cycles(program, placement, links, &simulated)
                        );
                    }
                }
            }
        }
    }
}
