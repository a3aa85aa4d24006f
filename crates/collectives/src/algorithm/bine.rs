//! Bine: binomial trees on negabinary numbers, and the butterfly of Swing, on `P = 2^n` ranks in a
//! row.
//!
//! The partners at step `k` of the butterfly are the partners in Swing on a ring of all ranks. The tree of
//! a broadcast with exchange `whole` halves distances: for `k = n .. 1`, the partner of `v`,
//! relative to the root, has the lowest `k` negabinary digits inverted, so that a rank receives in
//! the first stage in which these are all equal. With `halving`, and in scatter and gather, the
//! tree is made by Swing's steps in order: every member sends its partner the blocks that the partner
//! will have to pass on (De Sensi et al. 2025 and its authors' code; `docs/model.md` section 16).

use super::{
    AlgorithmDescriptor, ShapeRequirement, ceil_log2,
    pattern::{pattern_bytes, pattern_plan},
    swing::{self, swing_partner},
    tree::{Growth, Load, TreeSchedule, tree_bytes},
};
use crate::{
    Operation,
    plan::{Plan, PlanContext},
    specification::{CollectiveSpecification, Exchange},
};

pub(super) static BINE: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "bine",
    summary: "swing on the processes in a row, and trees on negabinary numbers: short ways, few links",
    source: "De Sensi et al. 2025 (Bine trees)",
    operations: &[
        Operation::AllReduce,
        Operation::ReduceScatter,
        Operation::AllGather,
        Operation::Broadcast,
        Operation::Reduce,
        Operation::Gather,
        Operation::Scatter,
    ],
    exchange_operations: &[Operation::AllReduce, Operation::Broadcast, Operation::Reduce],
    shapes: ShapeRequirement::CountPowerOfTwo,
    whole_shapes: ShapeRequirement::CountPowerOfTwo,
    table_bytes,
    plan,
    ..AlgorithmDescriptor::BLANK
};

fn table_bytes(asked: &CollectiveSpecification) -> u64 {
    let ranks = asked.rank_count();
    let is_whole = asked.chosen_exchange() == Some(Exchange::Whole);
    let is_tree = matches!(asked.operation, Operation::Scatter | Operation::Gather);
    let has_butterfly = match asked.operation {
        Operation::Broadcast | Operation::Reduce => !is_whole,
        _ => !is_tree,
    };
    // A butterfly in a row, and a tree.
    let butterfly = if has_butterfly { pattern_bytes(&[ranks], 1, is_whole) } else { 0 };
    butterfly.saturating_add(tree_bytes(ranks))
}

fn plan(context: &PlanContext) -> Plan {
    let is_whole = context.exchange == Exchange::Whole;
    let scatter = || TreeSchedule::new(context, &butterfly_tree(context), Load::Subtree);
    let broadcast = || TreeSchedule::new(context, &negabinary_tree(context), Load::Whole);
    let butterfly = || swing::in_a_row(context);
    let mut plan = Plan::default();
    match context.operation() {
        Operation::Scatter => plan.copy(scatter()),
        Operation::Gather => plan.copy_reversed(scatter()),
        Operation::Broadcast if is_whole => plan.copy(broadcast()),
        Operation::Reduce if is_whole => plan.reduce_reversed(broadcast()),
        Operation::Broadcast => {
            plan.copy(scatter());
            plan.copy_reversed(butterfly());
        }
        Operation::Reduce => {
            plan.reduce(butterfly());
            plan.copy_reversed(scatter());
        }
        _ => return pattern_plan(context, butterfly()),
    }
    plan
}

/// Returns the tree of Swing's steps, from the root.
fn butterfly_tree(context: &PlanContext) -> Growth {
    let count = context.grid.rank_count();
    Growth::new(context, ceil_log2(count), move |step, rank| Some(swing_partner(rank, step, count)))
}

/// Returns the tree of halved distances.
fn negabinary_tree(context: &PlanContext) -> Growth {
    let (count, root) = (context.grid.rank_count(), context.root());
    let stage_count = ceil_log2(count);
    Growth::new(context, stage_count, move |stage, rank| {
        let number = rank.wrapping_sub(root) & (count - 1);
        let digits = negabinary(number) ^ ((1 << (stage_count - stage)) - 1);
        Some(from_negabinary(digits).wrapping_add(root) & (count - 1))
    })
}

/// Returns the digits of a number in base -2, modulo 2^32.
fn negabinary(number: u32) -> u32 {
    number.wrapping_add(0xAAAA_AAAA) ^ 0xAAAA_AAAA
}

/// Returns the number with these digits in base -2, modulo 2^32.
fn from_negabinary(digits: u32) -> u32 {
    (digits ^ 0xAAAA_AAAA).wrapping_sub(0xAAAA_AAAA)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negabinary_digits_have_the_values_of_powers_of_minus_two() {
        for number in 0..200 {
            let digits = negabinary(number);
            let value: i64 = (0..16).map(|bit| i64::from(digits >> bit & 1) * (-2_i64).pow(bit)).sum();
            assert_eq!(value, i64::from(number));
            assert_eq!(from_negabinary(digits), number);
        }
    }
}
