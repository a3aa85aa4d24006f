//! The list of one-to-one constructions, and the choice of one.

use std::collections::BTreeMap;

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

/// The promised dilations of pairs seen so far. The orders of their lengths do not matter.
#[derive(Default)]
pub(super) struct Promises(BTreeMap<[Vec<(u64, bool)>; 2], Option<u64>>);

impl Promises {
    /// The dilation of the best one-to-one construction of a pair; `None` if there is none.
    pub(super) fn of(&mut self, pair: &ShapePair) -> Option<u64> {
        let sorted = |lengths: &[u64], rings: &[bool]| {
            let mut sorted: Vec<(u64, bool)> = lengths.iter().copied().zip(rings.iter().copied()).collect();
            sorted.sort_unstable();
            sorted
        };
        let guest = sorted(&pair.guest_lengths, &pair.guest_rings);
        let key = [guest, sorted(&pair.host_lengths, &pair.host_rings)];
        let promise = || best_of(&ONE_TO_ONE, pair).ok().map(|(_, plan)| plan.dilation.links);
        *self.0.entry(key).or_insert_with(promise)
    }
}

/// The construction that promises the least dilation, at a tie the first of the list; without one, the conditions that
/// the pair fails, of all constructions of the list.
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
