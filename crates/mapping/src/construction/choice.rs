//! Which construction a pair of shapes gets.

use super::basic;
use super::contraction::Flat;
use super::error::UnmetCondition;
use super::expansion;
use super::general_reduction;
use super::graph_type::Pair;
use super::kind::ConstructionKind;
use super::many_to_one;
use super::plan::Plan;
use super::same_shape;
use super::sequence::Sequence;
use super::simple_reduction;
use super::square::{self, Folding};

/// The construction asked for by name.
pub(super) fn named(kind: ConstructionKind, pair: &Pair) -> Result<Plan, Vec<UnmetCondition>> {
    check_sizes(kind.is_contraction(), pair)?;
    let plan = match kind {
        ConstructionKind::BasicF => basic::plan(Sequence::F, pair),
        ConstructionKind::BasicH => basic::plan(Sequence::H, pair),
        ConstructionKind::BasicG => basic::plan(Sequence::G, pair),
        ConstructionKind::SameShape => same_shape::plan(pair),
        ConstructionKind::ExpansionF => expansion::plan(Sequence::F, pair),
        ConstructionKind::ExpansionH => expansion::plan(Sequence::H, pair),
        ConstructionKind::ExpansionG => expansion::plan(Sequence::G, pair),
        ConstructionKind::SquareLowering => square::plan_lowering(Folding::AsNeeded, pair),
        ConstructionKind::SquareLoweringFolded => square::plan_lowering(Folding::Always, pair),
        ConstructionKind::SquareRising => square::plan_rising(Folding::AsNeeded, pair),
        ConstructionKind::SquareRisingFolded => square::plan_rising(Folding::Always, pair),
        ConstructionKind::SimpleReduction => simple_reduction::plan(pair),
        ConstructionKind::GeneralReduction => general_reduction::plan(pair),
        ConstructionKind::Contraction => return many_to_one::general(pair),
        ConstructionKind::RingFold => return many_to_one::ring_fold(pair),
        ConstructionKind::TorusFold => return many_to_one::torus_fold(pair),
        ConstructionKind::Projection => return many_to_one::projection(Flat::AsIs, pair),
        ConstructionKind::FoldedProjection => return many_to_one::projection(Flat::Folded, pair),
    };
    plan.map_err(|condition| vec![condition])
}

/// The construction that promises the least dilation, at a tie the first in the order of kinds; or all conditions
/// that are unmet.
pub(super) fn best(pair: &Pair) -> Result<(ConstructionKind, Plan), Vec<UnmetCondition>> {
    let contracts = pair.processes() > pair.nodes();
    let (mut best, mut all_unmet) = (None, vec![]);
    for kind in ConstructionKind::ALL.into_iter().filter(|kind| kind.is_contraction() == contracts) {
        match named(kind, pair) {
            Ok(plan) if plan.dilation.links == 1 => return Ok((kind, plan)),
            Ok(plan) => {
                if best.as_ref().is_none_or(|(_, held): &(_, Plan)| plan.dilation.links < held.dilation.links)
                {
                    best = Some((kind, plan));
                }
            }
            Err(unmet) => all_unmet.extend(unmet),
        }
    }
    best.ok_or_else(|| without_repetitions(all_unmet))
}

fn without_repetitions(conditions: Vec<UnmetCondition>) -> Vec<UnmetCondition> {
    let mut kept = vec![];
    for condition in conditions {
        if !kept.contains(&condition) {
            kept.push(condition);
        }
    }
    kept
}

fn check_sizes(contracts: bool, pair: &Pair) -> Result<(), Vec<UnmetCondition>> {
    let (processes, nodes) = (pair.processes(), pair.nodes());
    match contracts {
        false if processes != nodes => Err(vec![UnmetCondition::EqualSizes { processes, nodes }]),
        true if processes <= nodes || !processes.is_multiple_of(nodes) => {
            Err(vec![UnmetCondition::MultipleSizes { processes, nodes }])
        }
        _ => Ok(()),
    }
}
