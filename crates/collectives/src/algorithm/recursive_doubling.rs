//! Recursive doubling: coordinate `x` of a side `2^m` exchanges with `x xor 2^j` at step `j`; and
//! the same mirrored.
//!
//! Mirrored, `x` exchanges with `x - 2^j` where bit `j` of `x` is 0 and `x + 2^j` where it is 1,
//! modulo the side. With all ports half of the shares run one form, half the other: together they load
//! every link of a dimension equally (Thakur, Rabenseifner & Gropp 2005; De Sensi et al. 2024;
//! `docs/model.md` section 16).

use super::{
    AlgorithmDescriptor, ShapeRequirement, folded,
    line_pattern::{LinePattern, Symmetry},
    pattern::{self, PatternSchedule, PatternShare, pattern_plan, patterns_by_share},
};
use crate::plan::PlanContext;

pub(super) static RECURSIVE_DOUBLING: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "recursive-doubling",
    summary: "partners across one bit of a coordinate; the d-cube algorithm, placed by any embedding",
    source: "Rabenseifner 2004; Thakur, Rabenseifner & Gropp 2005",
    shapes: ShapeRequirement::RowOrSidesPowersOfTwo,
    whole_shapes: ShapeRequirement::RowOrSidesPowersOfTwo,
    plan: |context| {
        if context.specification.is_folded() {
            return folded::plan(context, [plain, mirrored]);
        }
        let schedule = match &context.specification.cube_dimensions {
            Some(order) => in_order(context, order),
            None => patterns_by_share(context, plain, mirrored),
        };
        pattern_plan(context, schedule)
    },
    ..pattern::BLANK_PATTERN
};

pub(super) static MIRRORED: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "mirrored",
    summary: "recursive doubling with every partner on the other side",
    source: "De Sensi et al. 2024 (the authors' code)",
    shapes: ShapeRequirement::RowOrSidesPowersOfTwo,
    whole_shapes: ShapeRequirement::RowOrSidesPowersOfTwo,
    plan: |context| {
        if context.specification.is_folded() {
            return folded::plan(context, [mirrored, plain]);
        }
        pattern_plan(context, patterns_by_share(context, mirrored, plain))
    },
    ..pattern::BLANK_PATTERN
};

fn plain(side: u32) -> LinePattern {
    LinePattern::new(side, Symmetry::ExclusiveOr, &bits(side))
}

fn mirrored(side: u32) -> LinePattern {
    LinePattern::new(side, Symmetry::Mirrored, &bits(side))
}

/// Returns the offsets `2^0, 2^1, ..` of the partners.
fn bits(side: u32) -> Vec<Vec<u32>> {
    (0..side.ilog2()).map(|bit| vec![1 << bit]).collect()
}

/// Returns the schedule of one share whose steps cross the dimensions of the d-cube in this order:
/// dimension `b` is bit `b` of the rank.
fn in_order(context: &PlanContext, cube_dimensions: &[u32]) -> PatternSchedule {
    let sides = context.grid.sides();
    let mut offsets = vec![Vec::new(); sides.len()];
    let mut order = Vec::with_capacity(cube_dimensions.len());
    for &cube_dimension in cube_dimensions {
        let (mut bit, mut dimension) = (cube_dimension, 0);
        while bit >= sides[dimension].ilog2() {
            bit -= sides[dimension].ilog2();
            dimension += 1;
        }
        offsets[dimension].push(vec![1 << bit]);
        order.push(dimension);
    }
    let lines = sides.iter().zip(&offsets);
    let lines =
        lines.map(|(&side, offsets)| LinePattern::new(side, Symmetry::ExclusiveOr, offsets)).collect();
    let share = PatternShare { lines: (0..sides.len()).collect(), order };
    PatternSchedule::new(&context.grid, lines, &[share], &context.blocks, context.exchange)
}

/// Whether these are the `dimension_count` dimensions of a cube, each once.
pub(crate) fn is_cube_order(cube_dimensions: &[u32], dimension_count: u32) -> bool {
    let mut sorted = cube_dimensions.to_vec();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..dimension_count)
}
