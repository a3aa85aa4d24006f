//! Swing: partners at distances 1, 1, 3, 5, 11, .., alternately on either side.
//!
//! With `rho(j) = (1 - (-2)^(j+1)) / 3`, an even coordinate `x` exchanges with `x + rho(j)` at step
//! `j`, an odd one `x - rho(j)`, modulo the side, in `ceil(log2 k)` steps (De Sensi et al. 2024).
//! On an odd side all coordinates but the last run Swing; at step `j` the next `ceil((k - 1) /
//! 2^(j+1))` of them in ascending order, as many as remain, trade one block with the last
//! (`docs/model.md` section 16).

use cubefold_topology::narrow;

use super::{
    AlgorithmDescriptor, ShapeRequirement, ceil_log2,
    line_pattern::{LinePattern, Symmetry},
    pattern::{self, PatternSchedule, PatternShare, pattern_plan, patterns_by_share},
};
use crate::plan::PlanContext;

pub(super) static SWING: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "swing",
    summary: "partners alternately on either side, at shorter distances than recursive doubling",
    source: "De Sensi, Bonato, Saam & Hoefler 2024",
    whole_shapes: ShapeRequirement::SidesPowersOfTwo,
    plan: |context| {
        let (plain, exchanged) = (|side| line(side, Signs::Plain), |side| line(side, Signs::Exchanged));
        pattern_plan(context, patterns_by_share(context, plain, exchanged))
    },
    ..pattern::BLANK_PATTERN
};

/// The coordinates with partner `x + rho(step)`; the others have `x - rho(step)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signs {
    /// The even ones.
    Plain,
    /// The odd ones.
    Exchanged,
}

/// Returns `rho(step)` modulo `side`.
fn rho(step: usize, side: u32) -> u32 {
    let rho = (0..step).fold((1_i64, 1_i64), |(sum, term), _| (sum + term * -2, term * -2)).0;
    narrow(rho.rem_euclid(i64::from(side)).unsigned_abs())
}

/// Returns the partner of a coordinate of an even side at a step.
pub(super) fn swing_partner(x: u32, step: usize, side: u32) -> u32 {
    let offset = rho(step, side);
    if x.is_multiple_of(2) { (x + offset) % side } else { (x + side - offset) % side }
}

/// Returns the pattern along a line.
fn line(side: u32, signs: Signs) -> LinePattern {
    let even = side - side % 2;
    let partners: Vec<Vec<u32>> = (0..ceil_log2(even))
        .map(|step| match signs {
            Signs::Plain => vec![rho(step, even)],
            Signs::Exchanged => vec![(even - rho(step, even)) % even],
        })
        .collect();
    if side == even {
        return LinePattern::new(side, Symmetry::Alternating, &partners);
    }
    let mut trade_steps = Vec::with_capacity(even as usize);
    for step in 0..ceil_log2(side) {
        let left = even as usize - trade_steps.len();
        let trades = (even as usize).div_ceil(1 << (step + 1)).min(left);
        trade_steps.extend(std::iter::repeat_n(narrow(step as u64), trades));
    }
    LinePattern::with_odd_end(side, Symmetry::Alternating, &partners, trade_steps)
}

/// Returns the schedule of Swing on a ring of all ranks, in one share.
pub(super) fn in_a_row(context: &PlanContext) -> PatternSchedule {
    let row = context.grid.flattened();
    let line = line(row.rank_count(), Signs::Plain);
    let share = PatternShare { lines: vec![0], order: vec![0; line.step_count()] };
    PatternSchedule::new(&row, vec![line], &[share], &context.blocks, context.exchange)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_the_jacobsthal_numbers_with_alternating_signs() {
        let rhos: Vec<u32> = (0..8).map(|step| rho(step, 1000)).collect();
        assert_eq!(rhos, [1, 999, 3, 995, 11, 979, 43, 915]);
        assert_eq!((0..4).map(|step| swing_partner(0, step, 16)).collect::<Vec<_>>(), [1, 15, 3, 11]);
    }

    #[test]
    fn sides_of_seven_trade_three_two_and_one_block() {
        let pattern = line(7, Signs::Plain);
        let trades = |step| pattern.messages(step).edges.iter().filter(|edge| edge.source == 6).count();
        assert_eq!((pattern.step_count(), [0, 1, 2].map(trades)), (3, [3, 2, 1]));
    }

    #[test]
    fn numbers_of_blocks_a_step_are_those_of_the_authors_code() {
        let most = |side: u32| -> Vec<usize> {
            let pattern = line(side, Signs::Plain);
            let of_step = |step: usize| {
                let edges = &pattern.messages(step).edges;
                edges.iter().map(|&edge| pattern.sent(step, edge).len()).max().unwrap()
            };
            (0..pattern.step_count()).map(of_step).collect()
        };
        assert_eq!(most(6), [2, 2, 1]);
        assert_eq!(most(10), [2, 4, 2, 1]);
        assert_eq!(most(12), [6, 2, 2, 1]);
        assert_eq!(most(14), [6, 4, 2, 1]);
        assert_eq!(most(20), [10, 2, 4, 2, 1]);
        assert_eq!(most(28), [14, 6, 4, 2, 1]);
    }
}
