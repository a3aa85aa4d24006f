//! Compute-and-communicate d-cube programs.

use cubefold_mapping::{CubeDimension, Guest, Hypercube, ProcessId};

use crate::{Cycles, End, Facts, GuestRef, MessageSizes, Peer, Program, Special};

/// A compute-and-communicate (CC) d-cube program: in stage `s` every process computes and then
/// exchanges one message with its neighbour in dimension `q_s` (González & Valero 1993, 2.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CubeProgram {
    cube: Hypercube,
    stages: Vec<CubeDimension>, // at least one, each a dimension of the cube
    compute: Cycles,
    sizes: MessageSizes,
}

/// An invalid list of stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CubeProgramError {
    /// There is no stage.
    #[error("no stages, expected at least one")]
    NoStages,
    /// A stage uses a dimension that the cube does not have.
    #[error("stage {stage} uses dimension {dimension}, expected 0 to {greatest}")]
    NoSuchDimension {
        /// The stage, counted from 0.
        stage: usize,
        /// The invalid dimension.
        dimension: CubeDimension,
        /// The greatest dimension of the cube.
        greatest: u8,
    },
}

impl CubeProgram {
    /// The program on `cube` whose stage `s` uses dimension `stages[s]`, with a computation of
    /// `compute` in every stage.
    ///
    /// # Errors
    ///
    /// If there is no stage, or one uses a dimension that the cube does not have.
    pub fn new(
        cube: Hypercube,
        stages: Vec<CubeDimension>,
        compute: Cycles,
    ) -> Result<Self, CubeProgramError> {
        if stages.is_empty() {
            return Err(CubeProgramError::NoStages);
        }
        let greatest = cube.dimension_count() - 1;
        let wrong = stages.iter().position(|dimension| dimension.number() > greatest);
        match wrong {
            Some(stage) => {
                Err(CubeProgramError::NoSuchDimension { stage, dimension: stages[stage], greatest })
            }
            None => Ok(Self { cube, stages, compute, sizes: MessageSizes::ONE_UNIT }),
        }
    }

    /// The same program with messages of these sizes, instead of one unit.
    #[must_use]
    pub fn with_sizes(self, sizes: MessageSizes) -> Self {
        Self { sizes, ..self }
    }

    /// The dimensions ascending, `0, 1, .., d-1`: the default order.
    #[must_use]
    pub fn ascend(cube: Hypercube) -> Vec<CubeDimension> {
        cube.dimensions().collect()
    }

    /// The dimensions descending, `d-1, .., 1, 0`.
    #[must_use]
    pub fn descend(cube: Hypercube) -> Vec<CubeDimension> {
        cube.dimensions().rev().collect()
    }

    /// The exchanges of a bitonic sort: `0; 1, 0; 2, 1, 0; ..`, in all `d (d + 1) / 2` stages.
    #[must_use]
    pub fn bitonic(cube: Hypercube) -> Vec<CubeDimension> {
        let down_from =
            |top: CubeDimension| cube.dimensions().rev().filter(move |&dimension| dimension <= top);
        cube.dimensions().flat_map(down_from).collect()
    }

    /// The guest.
    #[must_use]
    pub fn cube(&self) -> Hypercube {
        self.cube
    }

    /// The dimensions of the stages, `q_0, q_1, ..`.
    #[must_use]
    pub fn stages(&self) -> &[CubeDimension] {
        &self.stages
    }

    /// Whether the stages use every dimension of the cube exactly once, in any order.
    #[must_use]
    pub fn uses_every_dimension_once(&self) -> bool {
        let mut used = self.stages.clone();
        used.sort_unstable();
        used.into_iter().eq(self.cube.dimensions())
    }
}

impl Program for CubeProgram {
    fn facts(&self) -> Facts {
        let facts = Facts::new(self.cube.process_count(), self.stages.len(), self.compute);
        Facts { uniform_units: self.sizes.uniform(), ..facts }
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.sizes.of_stage(stage)
    }

    fn computation(&self, _: usize, _: ProcessId) -> Cycles {
        self.compute
    }

    fn list(&self, _: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let process = self.cube.neighbour(process, self.stages[stage]);
        peers.push(Peer { process, units: self.sizes.of_stage(stage) });
    }

    fn stage_dimension(&self, stage: usize) -> Option<usize> {
        self.stages.get(stage).map(|dimension| dimension.index())
    }

    fn guest(&self) -> Option<GuestRef<'_>> {
        Some(GuestRef::Cube(&self.cube))
    }

    fn special(&self) -> Special<'_> {
        Special::Cube(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(stages: &[CubeDimension]) -> Vec<u8> {
        stages.iter().map(|dimension| dimension.number()).collect()
    }

    #[test]
    fn the_named_orders_are_those_of_the_model() {
        let cube = Hypercube::new(3).unwrap();
        assert_eq!(numbers(&CubeProgram::ascend(cube)), [0, 1, 2]);
        assert_eq!(numbers(&CubeProgram::descend(cube)), [2, 1, 0]);
        assert_eq!(numbers(&CubeProgram::bitonic(cube)), [0, 1, 0, 2, 1, 0]);
    }

    #[test]
    fn programs_without_stages_or_with_foreign_dimensions_are_refused() {
        let (cube, larger) = (Hypercube::new(3).unwrap(), Hypercube::new(5).unwrap());
        let program = |stages| CubeProgram::new(cube, stages, Cycles::ZERO);
        assert_eq!(program(vec![]).unwrap_err(), CubeProgramError::NoStages);
        let foreign = program(vec![larger.dimension(0).unwrap(), larger.dimension(4).unwrap()]).unwrap_err();
        assert_eq!(foreign.to_string(), "stage 1 uses dimension 4, expected 0 to 2");
    }

    #[test]
    fn every_dimension_once_is_recognised_in_any_order() {
        let cube = Hypercube::new(3).unwrap();
        let once = |numbers: &[u64]| {
            let stages = numbers.iter().map(|&number| cube.dimension(number).unwrap()).collect();
            CubeProgram::new(cube, stages, Cycles::ZERO).unwrap().uses_every_dimension_once()
        };
        assert!(once(&[2, 0, 1]));
        assert!(!once(&[0, 1]));
        assert!(!once(&[0, 1, 2, 2]));
    }
}
