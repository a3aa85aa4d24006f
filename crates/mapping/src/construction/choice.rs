//! Which construction a pair of shapes gets.

use super::basic;
use super::contraction::Flat;
use super::error::UnmetCondition;
use super::expansion;
use super::general_reduction;
use super::graph_type::Pair;
use super::kind::ConstructionKind;
use super::many_to_one::{self, ContractionPlan};
use super::plan::Plan;
use super::same_shape;
use super::sequence::Sequence;
use super::simple_reduction;
use super::square::{self, Folding};

/// Either kind of plan.
#[derive(Debug)]
pub(super) enum Planned {
    OneToOne(Plan),
    ManyToOne(ContractionPlan),
}

/// The construction asked for by name.
pub(super) fn named(kind: ConstructionKind, pair: &Pair) -> Result<Planned, Vec<UnmetCondition>> {
    check_sizes(kind.is_contraction(), pair)?;
    match kind {
        ConstructionKind::Contraction => many_to_one::general(pair).map(Planned::ManyToOne),
        ConstructionKind::RingFold => many_to_one::ring_fold(pair).map(Planned::ManyToOne),
        ConstructionKind::TorusFold => many_to_one::torus_fold(pair).map(Planned::ManyToOne),
        ConstructionKind::Projection => many_to_one::projection(Flat::AsIs, pair).map(Planned::ManyToOne),
        ConstructionKind::FoldedProjection => {
            many_to_one::projection(Flat::Folded, pair).map(Planned::ManyToOne)
        }
        _ => one_to_one(kind, pair).map(Planned::OneToOne).map_err(|condition| vec![condition]),
    }
}

/// The construction that promises the least dilation, at a tie the first in the order of kinds.
pub(super) fn best(pair: &Pair) -> Result<(ConstructionKind, Planned), Vec<UnmetCondition>> {
    if pair.processes() <= pair.nodes() {
        let (kind, plan) = best_one_to_one(pair)?;
        return Ok((kind, Planned::OneToOne(plan)));
    }
    least(
        true,
        |kind| named(kind, pair),
        |planned| match planned {
            Planned::OneToOne(plan) => plan.dilation.links,
            Planned::ManyToOne(many) => many.plan.dilation.links,
        },
    )
}

/// The same among the one-to-one constructions.
pub(super) fn best_one_to_one(pair: &Pair) -> Result<(ConstructionKind, Plan), Vec<UnmetCondition>> {
    check_sizes(false, pair)?;
    let plan = |kind| one_to_one(kind, pair).map_err(|condition| vec![condition]);
    least(false, plan, |plan| plan.dilation.links)
}

/// The first of the plans with the least dilation, or all conditions that are unmet.
fn least<P>(
    contractions: bool,
    plan: impl Fn(ConstructionKind) -> Result<P, Vec<UnmetCondition>>,
    links: impl Fn(&P) -> u64,
) -> Result<(ConstructionKind, P), Vec<UnmetCondition>> {
    let (mut best, mut all_unmet) = (None, vec![]);
    for kind in ConstructionKind::ALL.into_iter().filter(|kind| kind.is_contraction() == contractions) {
        match plan(kind) {
            Ok(found) if links(&found) == 1 => return Ok((kind, found)),
            Ok(found) => {
                if best.as_ref().is_none_or(|(_, held)| links(&found) < links(held)) {
                    best = Some((kind, found));
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

fn one_to_one(kind: ConstructionKind, pair: &Pair) -> Result<Plan, UnmetCondition> {
    match kind {
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
        ConstructionKind::Contraction
        | ConstructionKind::RingFold
        | ConstructionKind::TorusFold
        | ConstructionKind::Projection
        | ConstructionKind::FoldedProjection => {
            Err(UnmetCondition::MultipleSizes { processes: pair.processes(), nodes: pair.nodes() })
        }
    }
}
