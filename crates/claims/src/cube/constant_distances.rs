//! Theorem 10 of González & Valero 1993: every embedding with constant distances on a ring.

use cubefold_mapping::{EmbeddingKind, for_each_constant_distance_placement};

use super::super::{
    Case, Scope,
    claim::Claim,
    findings::Findings,
    pairs::Words,
    routed::table,
    trial::{Quantity, Trial},
};
use super::{average_distance, measure, ring, sum_of_distances};

/// Of every one of them.
const NOT_BELOW: Claim = Claim::new(
    "González & Valero 1993, theorem 10",
    "average distance of any embedding with constant distances on a ring of 2^d, each tried: no less than \
     (3 * 2^(d-2) - 1)/d",
);
/// Of all of them together: a search that misses some would not find it.
const LEAST: Claim = Claim::new(
    "González & Valero 1993, theorem 10",
    "least average distance of all embeddings with constant distances on a ring of 2^d: (3 * 2^(d-2) - 1)/d",
);

/// In the order in which they are shown.
pub(super) const CLAIMS: [Claim; 2] = [NOT_BELOW, LEAST];

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let most_bits = match scope {
        Scope::Quick => 4,
        Scope::Full => 5,
    };
    let mut cases: Vec<Case> = vec![];
    for bits in 2..=most_bits {
        cases.push(Box::new(move |findings| check(bits, findings)));
    }
    cases
}

/// Each embedding that the search finds is a case of the bound, each ring one of the least.
fn check(bits: u32, findings: &mut Findings) {
    let ring = ring(bits);
    let promised = Quantity::fraction(sum_of_distances(EmbeddingKind::Xor, bits), bits.into());
    let mut least = None;
    for_each_constant_distance_placement(&ring, |nodes| {
        let metrics = measure(&table(&ring, nodes.to_vec()));
        if metrics.constant_distances() {
            let average = average_distance(&metrics);
            findings.add(NOT_BELOW, Trial::at_least(promised, average), &Words(&ring));
            least = Some(least.map_or(average, |least: Quantity| least.min(average)));
        }
    });
    match least {
        Some(least) => findings.add(LEAST, Trial::equal(promised, least), &Words(&ring)),
        None => findings.fail(LEAST, &Words(&ring), &"no embedding with constant distances was found"),
    }
}
