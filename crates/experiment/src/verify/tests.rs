//! The quick verification, as a library runs it.

use rayon::ThreadPoolBuilder;

use super::{CheckedClaim, Scope, Verdict, Verification};
use crate::Progress;

fn run(threads: usize) -> Vec<CheckedClaim> {
    let verification = Verification::new(Scope::Quick);
    let progress = Progress::default();
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let claims = pool.install(|| verification.run(&progress));
    assert_eq!(progress.done(), verification.total());
    claims
}

#[test]
fn no_claim_fails_and_threads_change_nothing() {
    let claims = run(2);
    let failures: Vec<&CheckedClaim> =
        claims.iter().filter(|claim| claim.verdict == Verdict::Fails).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    assert_eq!(claims, run(1));
}

#[test]
fn every_claim_is_listed_once() {
    let parts = super::parts();
    let mut claims: Vec<_> = parts.iter().flat_map(|part| &part.claims).collect();
    let listed = claims.len();
    claims.sort_unstable();
    claims.dedup();
    assert_eq!(claims.len(), listed);
}
