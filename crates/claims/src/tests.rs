//! The quick verification, as a library runs it.

use rayon::ThreadPoolBuilder;

use super::{BROKEN_OFF, Case, CheckedClaim, Part, Scope, Verdict, Verification, claim::Claim, trial::Trial};
use cubefold_experiment::Progress;

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

const CLAIM: Claim = Claim::new("a test", "measured values that are wrong");

/// What comes of these cases.
fn tried(cases: Vec<Case>) -> Vec<CheckedClaim> {
    let part = Part { name: "part", claims: vec![CLAIM, BROKEN_OFF] };
    Verification { parts: vec![part], cases }.run(&Progress::default())
}

fn of_good_case() -> Case {
    Box::new(|findings| findings.add(CLAIM, Trial::equal(0, 0), &"a good case"))
}

#[test]
fn a_case_that_panics_fails_the_verification_and_what_was_found_before_stands() {
    let panicking: Case = Box::new(|findings| {
        findings.add(CLAIM, Trial::equal(3, 3), &"before the panic");
        panic!("on purpose");
    });
    let claims = tried(vec![of_good_case(), panicking, of_good_case()]);
    let found = |at: usize| (claims[at].verdict, claims[at].cases, claims[at].failure.as_deref());
    assert_eq!(found(0), (Verdict::Holds, 3, None));
    assert_eq!(found(1), (Verdict::Fails, 3, Some("a panic in a case: 0 promised, 1 measured")));
}

#[test]
fn cases_that_end_break_off_nowhere() {
    let claims = tried(vec![of_good_case(), of_good_case()]);
    assert_eq!(claims.iter().map(|claim| claim.verdict).collect::<Vec<_>>(), [Verdict::Holds; 2]);
}
