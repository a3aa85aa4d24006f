//! Binary divide and conquer on a hypercube.

use cubefold_mapping::{Guest, Hypercube, ProcessId};

use crate::{
    Cycles, End, Facts, GuestRef, MessageSizes, Peer, Program, program::message_sizes::MessageSizesError,
};

/// Divide and conquer on the d-cube (CS838 1999; erratum N8: the dimensions are `0..d`).
///
/// ```text
/// stage     0 .. d-1      process n < 2^s computes (divides) and sends half of its problem to n + 2^s
/// stage     d             every process computes: the leaves
/// stage     d+1 .. 2d     the first d stages backwards: n < 2^s computes, and n + 2^s sends its result to n
/// ```
///
/// A process that neither computes nor communicates in a stage passes through it in 0 cycles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DivideAndConquer {
    cube: Hypercube,
    compute: Cycles,
    sizes: MessageSizes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DivideStage {
    /// Halves go to the processes with this bit.
    Divide { bit: u64 },
    /// All processes compute.
    Leaves,
    /// Results come from the processes with this bit.
    Combine { bit: u64 },
}

impl DivideAndConquer {
    /// The program on `cube`, with computations of `compute`.
    #[must_use]
    pub fn new(cube: Hypercube, compute: Cycles) -> Self {
        Self { cube, compute, sizes: MessageSizes::ONE_UNIT }
    }

    /// The same program with messages of these sizes, instead of one unit.
    #[must_use]
    pub fn with_sizes(self, sizes: MessageSizes) -> Self {
        Self { sizes, ..self }
    }

    /// The same program with repeatedly halved messages: those of stages `s` and `2d - s` have `units / 2^s`
    /// units, rounded up.
    ///
    /// # Errors
    ///
    /// If `units` is 0.
    pub fn with_halves(self, units: u64) -> Result<Self, MessageSizesError> {
        let halved = |stage| match self.stage_dimension(stage) {
            Some(dimension) => units.div_ceil(1 << dimension),
            None => units.min(1),
        };
        let sizes = MessageSizes::by_stage((0..self.stage_count()).map(halved).collect())?;
        Ok(self.with_sizes(sizes))
    }

    fn phase(&self, stage: usize) -> DivideStage {
        match self.stage_dimension(stage) {
            None => DivideStage::Leaves,
            Some(dimension) if stage == dimension => DivideStage::Divide { bit: 1 << dimension },
            Some(dimension) => DivideStage::Combine { bit: 1 << dimension },
        }
    }
}

/// The process that differs in the bit, if `process` is among the first `2 bit` and has the bit, or lacks it.
fn partner(process: ProcessId, bit: u64, has_bit: bool) -> Option<ProcessId> {
    let label = u64::from(process.label());
    let takes_part = label < 2 * bit && (label & bit != 0) == has_bit;
    let other = u32::try_from(label ^ bit).ok()?;
    takes_part.then_some(ProcessId::new(other))
}

impl Program for DivideAndConquer {
    fn facts(&self) -> Facts {
        let (processes, dimensions) = (self.cube.process_count(), usize::from(self.cube.dimension_count()));
        // 2 (1 + 2 + .. + 2^(d-1)) + 2^d computations.
        let computations = 3 * u128::from(processes) - 2;
        Facts {
            all_processes_compute: false,
            total_compute: u128::from(self.compute.get()) * computations,
            uniform_units: self.sizes.uniform(),
            ..Facts::new(processes, 2 * dimensions + 1, self.compute)
        }
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.sizes.of_stage(stage)
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        let computes = match self.phase(stage) {
            DivideStage::Divide { bit } | DivideStage::Combine { bit } => u64::from(process.label()) < bit,
            DivideStage::Leaves => true,
        };
        if computes { self.compute } else { Cycles::ZERO }
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let (bit, sender_has_bit) = match self.phase(stage) {
            DivideStage::Divide { bit } => (bit, false),
            DivideStage::Leaves => return,
            DivideStage::Combine { bit } => (bit, true),
        };
        let partner = partner(process, bit, sender_has_bit == (end == End::Source));
        peers.extend(partner.map(|process| Peer { process, units: self.sizes.of_stage(stage) }));
    }

    fn stage_dimension(&self, stage: usize) -> Option<usize> {
        let dimensions = usize::from(self.cube.dimension_count());
        match stage {
            _ if stage < dimensions => Some(stage),
            _ if stage == dimensions => None,
            _ => (2 * dimensions).checked_sub(stage),
        }
    }

    fn guest(&self) -> Option<GuestRef<'_>> {
        Some(GuestRef::Cube(&self.cube))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{check_lists, pairs};

    fn program(dimensions: u64) -> DivideAndConquer {
        DivideAndConquer::new(Hypercube::new(dimensions).unwrap(), Cycles::new(1))
    }

    #[test]
    fn halves_go_out_over_rising_dimensions_and_results_come_back() {
        let program = program(3);
        assert_eq!(pairs(&program, 0), [(0, 1)]);
        assert_eq!(pairs(&program, 2), [(0, 4), (1, 5), (2, 6), (3, 7)]);
        assert_eq!(pairs(&program, 3), []);
        assert_eq!(pairs(&program, 4), [(4, 0), (5, 1), (6, 2), (7, 3)]);
        assert_eq!(pairs(&program, 6), [(1, 0)]);
        let dimensions: Vec<_> = (0..7).map(|stage| program.stage_dimension(stage)).collect();
        assert_eq!(dimensions, [Some(0), Some(1), Some(2), None, Some(2), Some(1), Some(0)]);
    }

    #[test]
    fn sources_and_destinations_agree_and_computations_are_counted() {
        for dimensions in 1..7 {
            let program = program(dimensions);
            assert!((0..program.stage_count()).all(|stage| pairs(&program, stage).is_sorted()));
            check_lists(&program);
            check_lists(&DivideAndConquer::new(Hypercube::new(dimensions).unwrap(), Cycles::new(7)));
        }
    }
}
