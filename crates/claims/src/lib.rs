//! The claims of the papers, each tried and measured: what `cubefold verify` runs.
//!
//! A claim is a statement of a paper that can be measured. Nothing here decides what comes out: every value is
//! measured through the crates below, on constructions, placements and runs as anybody gets them, and compared with
//! the formula as the paper states it. Where `docs/errata.md` calls a statement false, the printed variant is made
//! here, and nowhere else, and measured to fail beside the reading that holds.
//!
//! The cases run in parallel and are put together in their own order; random choices are keyed by what they are for.
//! So the outcome is the same whatever the threads.

mod any_dilation_two;
mod claim;
mod claim_record;
mod constructions;
mod contraction;
mod cs838;
mod cube;
mod cube_programs;
mod dilation;
mod factors;
mod findings;
mod greenberg;
mod inverse;
mod message_sets;
mod misprints;
mod optimal;
mod pairs;
mod promised;
mod routed;
mod steps;
mod tables;
mod trial;

pub use claim::{CheckedClaim, Verdict};
pub use trial::Quantity;

use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;

use claim::Claim;
use cubefold_experiment::Progress;
use findings::Findings;
use trial::Trial;

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// In seconds.
    Quick,
    /// In minutes.
    Full,
}

/// Some cases of some claims: measures and adds what it finds.
type Case = Box<dyn Fn(&mut Findings) + Send + Sync>;

/// That every case ran to its end: about the verification itself, not about a paper.
const BROKEN_OFF: Claim = Claim::new("cubefold verify", "cases that broke off before their end");

/// Claims that belong together.
struct Part {
    name: &'static str,
    claims: Vec<Claim>,
}

/// All that is to be tried.
pub struct Verification {
    parts: Vec<Part>,
    cases: Vec<Case>,
}

impl std::fmt::Debug for Verification {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Verification").field("cases", &self.cases.len()).finish_non_exhaustive()
    }
}

impl Verification {
    /// The claims with the cases of a scope.
    #[must_use]
    pub fn new(scope: Scope) -> Self {
        let mut cases = cube::cases(scope);
        cases.extend(constructions::cases(scope));
        cases.extend(constructions::exchange_cases(scope));
        cases.extend(optimal::cases());
        cases.extend(any_dilation_two::cases(scope));
        cases.extend(contraction::cases(scope));
        cases.extend(misprints::cases(scope));
        cases.extend(greenberg::cases(scope));
        cases.extend(cube_programs::cases(scope));
        cases.extend(cs838::cases(scope));
        Self { parts: parts(), cases }
    }

    /// How far [`Progress`] comes.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.cases.len() as u64
    }

    /// Tries everything, on the threads of the pool that it is called in.
    #[must_use]
    pub fn run(&self, progress: &Progress) -> Vec<CheckedClaim> {
        let measure = |case: &Case| {
            let mut findings = Findings::default();
            // A defect below may end in a panic, which says where on standard error. What was found before stands.
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
            part.claims.iter().map(of_claim).collect::<Vec<_>>()
        };
        self.parts.iter().flat_map(checked).collect()
    }
}

/// All claims, in the order in which they are shown.
fn parts() -> Vec<Part> {
    let part = |name, claims: Vec<Claim>| Part { name, claims };
    vec![
        part("González & Valero 1993, Harper 1966: hypercubes", cube::claims()),
        part("Tao 1988, chapter 3: dilation [links]", [dilation::CLAIMS, &optimal::CLAIMS].concat()),
        part("Tao 1988, 4.3: inverses [processes]", inverse::CLAIMS.to_vec()),
        part("Tao 1988, 4.4: translation tables", tables::CLAIMS.to_vec()),
        part(
            "Tao 1988, 4.5: data routing [steps, conflicts]",
            [&steps::claims()[..], &any_dilation_two::CLAIMS].concat(),
        ),
        part("Tao 1988, 4.6: data routing by dilation [steps]", steps::listed_claims()),
        part("Tao 1988, chapter 5: contraction", contraction::CLAIMS.to_vec()),
        part("Tao 1988, as printed (docs/errata.md, part A)", misprints::claims()),
        part("Greenberg 1987: meshes in hypercubes [links]", greenberg::claims()),
        part("Greenberg 1987, as printed (docs/errata.md, part 2)", greenberg::misprinted_claims()),
        part("CS838 1999: programs on hypercubes [cycles, steps]", cube_programs::CLAIMS.to_vec()),
        part("CS838 1999: embeddings [links, vertices, nodes]", cs838::claims()),
        part("CS838 1999, as printed (docs/errata.md, N1 to N11)", cs838::misprinted_claims()),
        part("The verification itself", vec![BROKEN_OFF]),
    ]
}

#[cfg(test)]
mod tests;
