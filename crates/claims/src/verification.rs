//! The verification: all parts with their claims and cases, measured in parallel.
//!
//! [`PARTS`] is the one list of what is verified. A case may measure claims of several parts; it is
//! listed with the first. Cases run in parallel, and their findings are put together in the order
//! of the list, so that the outcome does not depend on the threads.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use cubefold_experiment::Progress;
use rayon::prelude::*;

use crate::{
    claim::{CheckedClaim, Claim, Trial},
    collectives, constructions, contraction, cs838, cube, cube_programs, data_routing, dilation,
    findings::{Case, Findings, Scope},
    greenberg, listed_steps, misprints, steps,
};

/// Every case runs to its end: a claim about the verification itself, not about a paper.
const BROKEN_OFF: Claim = Claim::new("cubefold verify", "cases that broke off before their end");

/// Claims that belong together.
struct Part {
    name: &'static str,
    claims: fn() -> Vec<Claim>,    // in the order in which they are shown
    cases: fn(Scope) -> Vec<Case>, // that measure claims of this part, and maybe of others
}

/// All parts, in the order in which they are shown.
const PARTS: &[Part] = &[
    Part {
        name: "González & Valero 1993, Harper 1966: hypercubes",
        claims: || {
            let programs = cube_programs::MAKESPAN_CLAIMS;
            [&cube::claims()[..], programs, cube::LEAST_DILATION_CLAIMS].concat()
        },
        cases: |scope| {
            [cube::cases(scope), cube_programs::makespan_cases(scope)].into_iter().flatten().collect()
        },
    },
    Part {
        name: "Tao 1988, chapter 3: dilation [links]",
        claims: || [dilation::CLAIMS, &dilation::OPTIMAL_CLAIMS].concat(),
        cases: |scope| {
            [constructions::cases(scope), dilation::optimal_cases()].into_iter().flatten().collect()
        },
    },
    Part {
        name: "Tao 1988, 4.3: inverses [processes]",
        claims: || constructions::INVERSE_CLAIMS.to_vec(),
        cases: |_| vec![], // those of chapter 3
    },
    Part {
        name: "Tao 1988, 4.4: translation tables",
        claims: || constructions::TABLE_CLAIMS.to_vec(),
        cases: constructions::exchange_cases,
    },
    Part {
        name: "Tao 1988, 4.5: data routing [steps, conflicts]",
        claims: || [&steps::claims()[..], &listed_steps::ANY_DILATION_TWO_CLAIMS].concat(),
        cases: listed_steps::any_dilation_two_cases,
    },
    Part {
        name: "Tao 1988, 4.6: data routing by dilation [steps]",
        claims: listed_steps::claims,
        cases: |_| vec![], // those of chapter 3
    },
    Part {
        name: "Tao 1988, 2.4: data routing by sorting and by chance [steps]",
        claims: || data_routing::CLAIMS.to_vec(),
        cases: data_routing::cases,
    },
    Part {
        name: "Twisted toruses: all-to-all [messages, links]",
        claims: || data_routing::TWIST_CLAIMS.to_vec(),
        cases: data_routing::twist_cases,
    },
    Part {
        name: "Tao 1988, chapter 5: contraction",
        claims: || contraction::CLAIMS.to_vec(),
        cases: contraction::cases,
    },
    Part {
        name: "Tao 1988, as printed (docs/errata.md, part A)",
        claims: misprints::claims,
        cases: misprints::cases,
    },
    Part {
        name: "Greenberg 1987: meshes in hypercubes [links]",
        claims: greenberg::claims,
        cases: greenberg::cases,
    },
    Part {
        name: "Greenberg 1987, as printed (docs/errata.md, part 2)",
        claims: greenberg::misprinted_claims,
        cases: |_| vec![], // those of the part before
    },
    Part {
        name: "CS838 1999: programs on hypercubes [cycles, steps]",
        claims: || cube_programs::CLAIMS.to_vec(),
        cases: cube_programs::cases,
    },
    Part {
        name: "CS838 1999: embeddings [links, vertices, nodes]",
        claims: cs838::claims,
        cases: cs838::cases,
    },
    Part {
        name: "CS838 1999, as printed (docs/errata.md, N1 to N11)",
        claims: cs838::misprinted_claims,
        cases: |_| vec![], // those of the part before
    },
    Part {
        name: "Collectives on toruses: Swing, Trivance, TACOS [links, vectors, ns, %]",
        claims: collectives::claims,
        cases: collectives::cases,
    },
    Part {
        name: "Swing 2024, as printed (docs/errata.md, S1 to S5)",
        claims: collectives::misprinted_claims,
        cases: |_| vec![], // those of the part before
    },
    Part { name: "The verification itself", claims: || vec![BROKEN_OFF], cases: |_| vec![] },
];

/// The claims of all parts, and the cases of a scope by which they are measured.
pub struct Verification {
    parts: &'static [Part],
    cases: Vec<Case>,
}

impl fmt::Debug for Verification {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Verification").field("cases", &self.cases.len()).finish_non_exhaustive()
    }
}

impl Verification {
    /// The claims with the cases of a scope.
    #[must_use]
    pub fn new(scope: Scope) -> Self {
        let cases = PARTS.iter().flat_map(|part| (part.cases)(scope)).collect();
        Self { parts: PARTS, cases }
    }

    /// The number of cases, which is the end of [`Progress`].
    #[must_use]
    pub fn total(&self) -> u64 {
        self.cases.len() as u64
    }

    /// Measures all cases, on the threads of the pool that it is called in.
    #[must_use]
    pub fn run(&self, progress: &Progress) -> Vec<CheckedClaim> {
        let measure = |case: &Case| {
            let mut findings = Findings::default();
            // A defect below may end in a panic, whose place is on standard error. Findings from
            // before it stay.
            let ended = catch_unwind(AssertUnwindSafe(|| case(&mut findings)));
            findings.add(BROKEN_OFF, Trial::equal(0, u64::from(ended.is_err())), &"a panic in a case");
            progress.add(1);
            findings
        };
        let by_case: Vec<Findings> = self.cases.par_iter().map(measure).collect();
        let mut all = Findings::default();
        for findings in by_case {
            all.append(findings);
        }
        let checked = |part: &Part| {
            let of_claim = |&claim: &Claim| all.checked(part.name, claim);
            (part.claims)().iter().map(of_claim).collect::<Vec<_>>()
        };
        self.parts.iter().flat_map(checked).collect()
    }
}

#[cfg(test)]
mod tests {
    use rayon::ThreadPoolBuilder;

    use super::*;
    use crate::claim::Verdict;

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
        let mut claims: Vec<_> = PARTS.iter().flat_map(|part| (part.claims)()).collect();
        let listed = claims.len();
        claims.sort_unstable();
        claims.dedup();
        assert_eq!(claims.len(), listed);
    }

    const CLAIM: Claim = Claim::new("a test", "measured values that are wrong");

    /// The outcome of these cases.
    fn measured(cases: Vec<Case>) -> Vec<CheckedClaim> {
        const PARTS: &[Part] =
            &[Part { name: "part", claims: || vec![CLAIM, BROKEN_OFF], cases: |_| vec![] }];
        Verification { parts: PARTS, cases }.run(&Progress::default())
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
        let claims = measured(vec![of_good_case(), panicking, of_good_case()]);
        let found = |at: usize| (claims[at].verdict, claims[at].cases, claims[at].failure.as_deref());
        assert_eq!(found(0), (Verdict::Holds, 3, None));
        assert_eq!(found(1), (Verdict::Fails, 3, Some("a panic in a case: 0 promised, 1 measured")));
    }

    #[test]
    fn cases_that_end_break_off_nowhere() {
        let claims = measured(vec![of_good_case(), of_good_case()]);
        assert_eq!(claims.iter().map(|claim| claim.verdict).collect::<Vec<_>>(), [Verdict::Holds; 2]);
    }
}
