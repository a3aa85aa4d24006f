//! The list of one-to-one constructions, and the choice of one.

use super::descriptor::{ConstructionDescriptor, ConstructionKind};
use super::error::UnmetCondition;
use super::expansion::{BASIC_F, BASIC_G, BASIC_H, EXPANSION_F, EXPANSION_G, EXPANSION_H};
use super::general_reduction::GENERAL_REDUCTION;
use super::pair::ShapePair;
use super::plan::Plan;
use super::same_shape::SAME_SHAPE;
use super::sequential_elimination::SEQUENTIAL_ELIMINATION;
use super::simple_reduction::SIMPLE_REDUCTION;
use super::square::{SQUARE_LOWERING, SQUARE_LOWERING_FOLDED, SQUARE_RISING, SQUARE_RISING_FOLDED};

/// The one-to-one constructions, in the order of preference.
pub(super) static ONE_TO_ONE: [&ConstructionDescriptor; 14] = [
    &BASIC_F,
    &BASIC_H,
    &BASIC_G,
    &SAME_SHAPE,
    &EXPANSION_F,
    &EXPANSION_H,
    &EXPANSION_G,
    &SQUARE_LOWERING,
    &SQUARE_LOWERING_FOLDED,
    &SQUARE_RISING,
    &SQUARE_RISING_FOLDED,
    &SIMPLE_REDUCTION,
    &GENERAL_REDUCTION,
    &SEQUENTIAL_ELIMINATION,
];

/// The construction that promises the least dilation, at a tie the first of the list.
///
/// # Errors
///
/// The conditions that the pair fails, of all constructions of the list.
pub(super) fn best_of(
    constructions: &[&ConstructionDescriptor],
    pair: &ShapePair,
) -> Result<(ConstructionKind, Plan), Vec<UnmetCondition>> {
    let mut best: Option<(ConstructionKind, Plan)> = None;
    let mut all_unmet = vec![];
    for construction in constructions {
        match construction.plan_for(pair) {
            Ok(plan) => {
                let links = plan.dilation.links;
                if best.as_ref().is_none_or(|(_, held)| links < held.dilation.links) {
                    best = Some((construction.kind, plan));
                }
                if links == 1 {
                    break;
                }
            }
            Err(unmet) => {
                for condition in unmet {
                    if !all_unmet.contains(&condition) {
                        all_unmet.push(condition);
                    }
                }
            }
        }
    }
    best.ok_or(all_unmet)
}
