//! The stages of a program on a product placement, line by line.

use std::ops::Range;

use cubefold_mapping::{CubeDimension, Hypercube, ProductPlacement};

use crate::{CubeProgram, Cycles};

/// Stages one after another that use the bits of one field: their messages stay on lines of one dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    /// The place of the field, and of the dimension.
    pub(super) field: usize,
    /// Its stages.
    pub(super) stages: Range<usize>,
    /// For each stage the bit of the field's value in which partners differ.
    pub(super) bits: Vec<u32>,
}

impl Segment {
    /// The number of its stages.
    pub(super) fn stage_count(&self) -> usize {
        self.bits.len()
    }

    /// Its program on the cube of the field.
    #[expect(clippy::expect_used, reason = "a segment has stages, and its bits are those of the field")]
    pub(super) fn program(&self, cube: Hypercube, compute: Cycles) -> CubeProgram {
        let dimension = |bit: &u32| -> CubeDimension {
            cube.dimension(bit.trailing_zeros().into()).expect("a bit of the field")
        };
        let stages = self.bits.iter().map(dimension).collect();
        CubeProgram::new(cube, stages, compute).expect("at least one stage")
    }
}

/// The stages of `program` in segments, each as long as it can be.
pub(super) fn segments(program: &CubeProgram, placement: &ProductPlacement) -> Vec<Segment> {
    let mut segments: Vec<Segment> = vec![];
    for (stage, &dimension) in program.stages().iter().enumerate() {
        let (field, bit) = placement.field_of(dimension);
        match segments.last_mut().filter(|last| last.field == field) {
            Some(last) => {
                last.stages.end = stage + 1;
                last.bits.push(bit);
            }
            None => segments.push(Segment { field, stages: stage..stage + 1, bits: vec![bit] }),
        }
    }
    segments
}

/// Whether a field comes back after stages of another one.
pub(super) fn comes_back(segments: &[Segment]) -> bool {
    let mut fields: Vec<usize> = segments.iter().map(|segment| segment.field).collect();
    fields.sort_unstable();
    fields.windows(2).any(|two| two[0] == two[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_mapping::EmbeddingKind;
    use cubefold_topology::{Machine, MachineKind};

    fn of(stages: &[u64]) -> Vec<Segment> {
        let machine = Machine::new(MachineKind::Torus, &[4, 8]).unwrap();
        let cube = Hypercube::new(5).unwrap();
        let placement = ProductPlacement::new(EmbeddingKind::Xor, cube, &machine).unwrap();
        let stages = stages.iter().map(|&stage| cube.dimension(stage).unwrap()).collect();
        segments(&CubeProgram::new(cube, stages, Cycles::ZERO).unwrap(), &placement)
    }

    #[test]
    fn stages_of_one_field_go_together() {
        let segments = of(&[1, 0, 2, 4, 1]);
        let parts: Vec<_> =
            segments.iter().map(|own| (own.field, own.stages.clone(), own.bits.clone())).collect();
        assert_eq!(parts, [(0, 0..2, vec![2, 1]), (1, 2..4, vec![1, 4]), (0, 4..5, vec![2])]);
        assert!(comes_back(&segments));
        assert!(!comes_back(&of(&[0, 0, 1, 3, 2])));
    }
}
