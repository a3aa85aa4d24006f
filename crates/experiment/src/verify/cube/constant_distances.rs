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

/// Tried on all of them.
pub(super) const THEOREM_10: Claim = Claim::new(
    "González & Valero 1993, theorem 10",
    "least average distance of all embeddings with constant distances on a ring of 2^d, each tried: \
     no less than (3 * 2^(d-2) - 1)/d",
);

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

/// Each embedding that the search finds is a case.
fn check(bits: u32, findings: &mut Findings) {
    let ring = ring(bits);
    let promised = Quantity::fraction(sum_of_distances(EmbeddingKind::Xor, bits), bits.into());
    for_each_constant_distance_placement(&ring, |nodes| {
        let metrics = measure(&table(&ring, nodes.to_vec()));
        if metrics.constant_distances() {
            findings.add(THEOREM_10, Trial::at_least(promised, average_distance(&metrics)), &Words(&ring));
        }
    });
}
