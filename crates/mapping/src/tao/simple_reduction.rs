//! Guests of more dimensions than the host whose coordinates are digits of a host coordinate (theorem 3.4.3): the
//! function `U_V`.

use super::bijection::{Bijection, Composition, Fold, Permutation, SimpleReduction};
use super::descriptor::{ConstructionDescriptor, ConstructionKind, Sizes};
use super::error::UnmetCondition;
use super::factor::{Factor, least_feasible, partition};
use super::pair::{GraphType, ShapePair};
use super::plan::{Parameter, Plan, Planned};
use super::promise::{PromisedDilation, PromisedSteps, Routing};

pub(super) static SIMPLE_REDUCTION: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::SimpleReduction,
    name: "simple-reduction",
    summary: "guest coordinates are the digits of a host coordinate",
    source: "Tao 1988, theorems 3.4.3 and 3.5.2",
    guest: "any",
    host: "lengths are products of the guest's",
    dilation: "the largest host length over the longest guest length in it; twice that for a torus into a mesh",
    sizes: Sizes::Equal,
    plan,
};

/// `U_V o pi`, and `U_V o T o pi` for a torus into a mesh (theorem 3.4.3; 3.5.2 for square graphs).
///
/// A reduction factor with the least promised dilation, its lists in non-increasing order.
fn plan(pair: &ShapePair) -> Planned {
    let (guest, host) = (pair.guest_dimensions(), pair.host_dimensions());
    if guest <= host {
        return Err(UnmetCondition::SimpleReductionDimensions { guest, host }.into());
    }
    let groups = least_groups(pair).ok_or(UnmetCondition::SimpleReductionFactor)?;
    let factor = Factor::of_groups(&groups, &pair.guest_lengths);
    let permutation = Permutation::new(groups.concat());
    let folds = pair.guest == GraphType::Torus && pair.host == GraphType::Mesh;
    let parameters = vec![Parameter::new("V", &factor), Parameter::new("pi", &permutation)];
    let mut functions = vec![Bijection::Permutation(permutation)];
    if folds {
        functions.push(Bijection::Fold(Fold::new(&factor.lengths())));
    }
    let (dilation, steps) = promise(&factor, pair, folds);
    functions.push(Bijection::SimpleReduction(SimpleReduction::new(factor)));
    Ok(Plan {
        theorem: if pair.square_lengths().is_some() { "theorem 3.5.2" } else { "theorem 3.4.3" },
        formula: if folds { "U_V o T o pi" } else { "U_V o pi" }.to_owned(),
        parameters,
        resizing: None,
        composition: Composition::new(functions),
        dilation,
        routing: Some(Routing::together(guest, None, steps)),
    })
}

/// The guest dimensions of each host dimension, the longest first: the largest `m_i / l_(v_i)` is least.
fn least_groups(pair: &ShapePair) -> Option<Vec<Vec<usize>>> {
    let (guest, host) = (&pair.guest_lengths, &pair.host_lengths);
    let mut groups = least_feasible(ratios(guest, host), |most| {
        partition(host, guest, &|whole, list| list.iter().any(|length| whole / length <= most))
    })?;
    for group in &mut groups {
        group.sort_by_key(|&at| (std::cmp::Reverse(guest[at]), at));
    }
    Some(groups)
}

/// All `m / l` that are whole, for a host length `m` and a guest length `l`.
pub(super) fn ratios(guest: &[u64], host: &[u64]) -> Vec<u64> {
    let divisible = |whole: &u64| {
        let whole = *whole;
        guest.iter().filter(move |length| whole.is_multiple_of(**length)).map(move |length| whole / length)
    };
    host.iter().flat_map(divisible).collect()
}

/// `max m_i / l_(v_i)`, twice that with folding, where it is exact only if the largest is of a dimension with
/// `l_(v_i) > 2` (errata B1, B3); `m_i / l_(v_i)` along host dimension `i` (theorem 4.5.4, errata A4).
fn promise(factor: &Factor, pair: &ShapePair, folds: bool) -> (PromisedDilation, PromisedSteps) {
    let doubling = if folds { 2 } else { 1 };
    let (mut most, mut sum, mut exact) = (0, 0, 0);
    for ((_, list), whole) in factor.lists.iter().zip(&pair.host_lengths) {
        let first = list.lengths[0].get();
        let along = whole / first;
        most = most.max(doubling * along);
        sum += doubling * along;
        exact = exact.max(if first > 2 { doubling * along } else { along });
    }
    let is_exact = exact == most && pair.is_pure();
    (PromisedDilation::new(most, is_exact), PromisedSteps::along(most, sum))
}
