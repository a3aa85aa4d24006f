//! Stage programs with computations that vary (`docs/model.md` section 29.3).

use std::sync::Arc;

use cubefold_mapping::ProcessId;

use crate::{ComputeNoise, Cycles, End, Facts, GuestRef, Peer, Program};

/// A stage program whose computations take extra cycles by process and stage.
///
/// Its messages are those of the underlying program. Programs on cubes have their noise in
/// [`PipelinedExchange`](crate::PipelinedExchange), which divides it among the parts.
#[derive(Debug, Clone)]
pub struct NoisyProgram {
    program: Arc<dyn Program>,
    noise: ComputeNoise,
    facts: Facts,
}

impl NoisyProgram {
    /// The program with extra cycles in every computation, including those of 0 cycles.
    #[must_use]
    pub fn new(program: Arc<dyn Program>, noise: ComputeNoise) -> Self {
        let original = program.facts();
        let facts = Facts {
            compute: Cycles::new(original.compute.get().saturating_add(noise.most())),
            has_one_compute_time: false,
            total_compute: original.total_compute + noise.total(original.stage_count, original.process_count),
            ..original
        };
        Self { program, noise, facts }
    }
}

impl Program for NoisyProgram {
    fn facts(&self) -> Facts {
        self.facts
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.program.max_units(stage)
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        let cycles = self.program.computation(stage, process).get();
        Cycles::new(cycles.saturating_add(self.noise.cycles(stage, process)))
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        self.program.list(end, stage, process, peers);
    }

    fn for_each_message(&self, stage: usize, visit: &mut dyn FnMut(ProcessId, ProcessId, u64)) {
        self.program.for_each_message(stage, visit);
    }

    fn stage_dimension(&self, stage: usize) -> Option<usize> {
        self.program.stage_dimension(stage)
    }

    fn guest(&self) -> Option<GuestRef<'_>> {
        self.program.guest()
    }

    fn units(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u64 {
        self.program.units(stage, source, destination)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NeighbourProgram, NoiseDistribution, NoiseUnit, Pattern, program::check_lists};
    use cubefold_mapping::GraphGuest;
    use cubefold_topology::{Machine, MachineKind};

    #[test]
    fn every_computation_has_its_draw_and_messages_stay() {
        let guest = GraphGuest::new(Machine::new(MachineKind::Torus, &[4, 3]).unwrap());
        let plain = Arc::new(NeighbourProgram::new(guest, Pattern::Shift, Cycles::new(5)).unwrap());
        let noise = ComputeNoise {
            distribution: NoiseDistribution::Uniform { max: 9 },
            seed: 0,
            each: NoiseUnit::Stage,
        };
        let noisy = NoisyProgram::new(plain.clone(), noise);
        let draws: Vec<u64> =
            ProcessId::first(8).map(|process| noisy.computation(0, process).get() - 5).collect();
        assert_eq!(draws, [2, 2, 4, 0, 6, 1, 5, 4]);
        check_lists(&noisy);
        assert_eq!(noisy.facts().compute, Cycles::new(14));
        assert_eq!(noisy.messages(1), plain.messages(1));
    }
}
