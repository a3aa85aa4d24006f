//! The verification: all parts with their claims and cases, measured in parallel.
//!
//! [`PARTS`] is the one list of what is verified. A set of cases may measure claims of several parts;
//! each lists it, and it is measured once. Cases run in parallel, and their findings are
//! combined in the order of the list, so the outcome does not depend on the threads.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use cubefold_runs::{Progress, message_of_panic};
use rayon::prelude::*;

use crate::{
    blue_gene,
    claim::{CheckedClaim, Claim, Trial, Verdict},
    collectives, constructions, contraction, cs838, cube, cube_pipelines, cube_programs, data_routing,
    dilation, embedding_paths,
    findings::{Case, Findings, Scope},
    gonzalez_1995, grammars, greenberg, listed_steps, measured, measurements, misprints, other_sizes,
    places::Place,
    published_curves, steps, surveyed,
};

/// Every case runs to its end: a claim about the verification itself, not about a paper.
const BROKEN_OFF: Claim = Claim::new("cubefold verify", "cases that broke off before their end");

/// The part with this claim.
const VERIFICATION: &str = "The verification itself";

/// Claims that belong together.
struct Part {
    name: &'static str,
    claims: fn() -> Vec<Claim>, // in the order in which they are shown
    cases: &'static [CaseSet],  // that measure claims of this part, and possibly of others
}

const fn part(name: &'static str, claims: fn() -> Vec<Claim>, cases: &'static [CaseSet]) -> Part {
    Part { name, claims, cases }
}

/// Declares [`CaseSet`] from one list.
macro_rules! case_sets {
    ($($set:ident = $cases:expr;)+) => {
        /// Cases that are measured together.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum CaseSet {
            $($set),+
        }

        use CaseSet::{$($set),+};

        impl CaseSet {
            fn cases(self, scope: Scope) -> Vec<Case> {
                let cases: fn(Scope) -> Vec<Case> = match self {
                    $(Self::$set => $cases),+
                };
                cases(scope)
            }
        }
    };
}

case_sets! {
    Cube = cube::cases;
    Makespans = cube_programs::makespan_cases;
    Gonzalez = gonzalez_1995::cases;
    Grammars = grammars::cases;
    Constructions = constructions::cases;
    OptimalDilation = |_| dilation::optimal_cases();
    TableExchanges = constructions::exchange_cases;
    AnyDilationTwo = listed_steps::any_dilation_two_cases;
    DataRouting = data_routing::cases;
    EmbeddingPaths = embedding_paths::cases;
    Twists = data_routing::twist_cases;
    Contraction = contraction::cases;
    OtherSizes = other_sizes::cases;
    Misprints = misprints::cases;
    Greenberg = greenberg::cases;
    CubePrograms = cube_programs::cases;
    CubePipelines = cube_pipelines::cases;
    Cs838 = cs838::cases;
    Collectives = collectives::cases;
    Measured = |_| measured::cases();
    Measurements = |_| measurements::cases();
    Curves = published_curves::cases;
    BlueGene = blue_gene::cases;
    Surveyed = |_| surveyed::cases();
}

/// All parts, in the order in which they are shown.
const PARTS: &[Part] = &[
    part(
        "González & Valero 1993, Harper 1966: hypercubes",
        || [&cube::claims()[..], cube_programs::MAKESPAN_CLAIMS, cube::LEAST_DILATION_CLAIMS].concat(),
        &[Cube, Makespans],
    ),
    part(
        "González et al. 1995: hypercubes on toruses [guest edges, links]",
        gonzalez_1995::claims,
        &[Gonzalez],
    ),
    part(
        "After González: pipelined exchanges, Jacobi orderings, dilation over all placements [cycles, links]",
        || cube_pipelines::CLAIMS.to_vec(),
        &[CubePipelines],
    ),
    part("Tao 1988, 2.3: edge grammars [links, vertices]", || grammars::CLAIMS.to_vec(), &[Grammars]),
    part(
        "Tao 1988, chapter 3: dilation [links]",
        || [dilation::CLAIMS, dilation::OPTIMAL_CLAIMS].concat(),
        &[Constructions, OptimalDilation],
    ),
    part("Tao 1988, 4.3: inverses [processes]", || constructions::INVERSE_CLAIMS.to_vec(), &[Constructions]),
    part(
        "Tao 1988, 4.4: translation tables",
        || constructions::TABLE_CLAIMS.to_vec(),
        &[TableExchanges, Constructions],
    ),
    part(
        "Tao 1988, 4.5: data routing [steps, conflicts]",
        || [&steps::claims()[..], listed_steps::ANY_DILATION_TWO_CLAIMS].concat(),
        &[AnyDilationTwo, Constructions],
    ),
    part("Tao 1988, 4.6: data routing by dilation [steps]", listed_steps::claims, &[Constructions]),
    part(
        "Tao 1988, 2.4: data routing by sorting and by chance [steps]",
        || data_routing::CLAIMS.to_vec(),
        &[DataRouting],
    ),
    part("Twisted toruses: all-to-all [messages, links]", || data_routing::TWIST_CLAIMS.to_vec(), &[Twists]),
    part("Tao 1988, chapter 5: contraction", || contraction::CLAIMS.to_vec(), &[Contraction]),
    part(
        "After Tao 1988: other numbers of processes and nodes [links, processes]",
        || other_sizes::CLAIMS.to_vec(),
        &[OtherSizes],
    ),
    part("Tao 1988, as printed (docs/errata.md, part A)", misprints::claims, &[Misprints]),
    part(
        "Tao 1988, 2.2: results of others, as quoted (docs/errata.md, part G) [links]",
        || surveyed::CLAIMS.to_vec(),
        &[Surveyed],
    ),
    part("Greenberg 1987: meshes in hypercubes [links]", greenberg::claims, &[Greenberg]),
    part("Greenberg 1987, as printed (docs/errata.md, part 2)", greenberg::misprinted_claims, &[Greenberg]),
    part(
        "CS838 1999: programs on hypercubes [cycles, steps]",
        || cube_programs::CLAIMS.to_vec(),
        &[CubePrograms],
    ),
    part(
        "CS838 1999: messages on the paths of embeddings [links, cycles]",
        || embedding_paths::CLAIMS.to_vec(),
        &[EmbeddingPaths],
    ),
    part("CS838 1999: embeddings [links, vertices, nodes]", cs838::claims, &[Cs838]),
    part("CS838 1999, as printed (docs/errata.md, N1 to N11)", cs838::misprinted_claims, &[Cs838]),
    part(
        "Collectives on toruses: Swing, Trivance, TACOS [links, vectors, ns, %]",
        collectives::claims,
        &[Collectives],
    ),
    part(
        "Swing 2024, as printed (docs/errata.md, S1 to S5, S7)",
        collectives::misprinted_claims,
        &[Collectives],
    ),
    part(
        "Measured accelerator clusters: published times, and simulated ones beside them [us]",
        measured::claims,
        &[Measured],
    ),
    part(
        "Machines of today: published measurements and rooflines [%, us, ns]",
        || measurements::CLAIMS.to_vec(),
        &[Measurements],
    ),
    part(
        "Published curves: latency over load through routers [%, runs]",
        || published_curves::CLAIMS.to_vec(),
        &[Curves],
    ),
    part(
        "Blue Gene/L: all-to-all through routers [% of the peak]",
        || blue_gene::CLAIMS.to_vec(),
        &[BlueGene],
    ),
    part(VERIFICATION, || vec![BROKEN_OFF], &[]),
];

/// Claims, and the cases of a scope by which they are measured.
pub struct Verification {
    claims: Vec<(&'static str, Claim)>, // with the names of their parts
    cases: Vec<Case>,
}

impl fmt::Debug for Verification {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Verification").field("cases", &self.cases.len()).finish_non_exhaustive()
    }
}

impl Verification {
    /// The claims that `only` names by an erratum or the number of a theorem, or in whose part, source or text it occurs, in
    /// upper or lower case, with the cases of a scope. An empty text occurs in all.
    #[must_use]
    pub fn new(scope: Scope, only: &str) -> Self {
        let place = Place::named(only);
        let only = only.to_lowercase();
        let (mut claims, mut sets) = (vec![], vec![]);
        for part in PARTS {
            let occurs = |claim: &Claim| {
                if let Some(place) = &place {
                    return place.has(claim);
                }
                let texts = [part.name, claim.source, claim.text];
                texts.iter().any(|text| text.to_lowercase().contains(&only))
            };
            let selected: Vec<Claim> = (part.claims)().into_iter().filter(occurs).collect();
            for &set in part.cases {
                if !selected.is_empty() && !sets.contains(&set) {
                    sets.push(set);
                }
            }
            claims.extend(selected.into_iter().map(|claim| (part.name, claim)));
        }
        Self { claims, cases: sets.into_iter().flat_map(|set| set.cases(scope)).collect() }
    }

    /// Returns why no claim measures the erratum or theorem that `only` names; `None` if one does, or nothing has that
    /// name.
    #[must_use]
    pub fn unmeasured(only: &str) -> Option<String> {
        Place::named(only)?.unmeasured()
    }

    #[cfg(test)]
    pub(super) fn sources(&self) -> impl Iterator<Item = &'static str> {
        self.claims.iter().map(|(_, claim)| claim.source)
    }

    /// Whether there are no claims.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.claims.is_empty()
    }

    /// The number of cases, which is the end of [`Progress`].
    #[must_use]
    pub fn total(&self) -> u64 {
        self.cases.len() as u64
    }

    /// Measures all cases on the threads of the current pool.
    #[must_use]
    pub fn run(&self, progress: &Progress) -> Vec<CheckedClaim> {
        let measure = |case: &Case| {
            let mut findings = Findings::default();
            // A defect in a lower crate may panic, which reports its place on standard error. Earlier
            // findings are kept.
            let ended = catch_unwind(AssertUnwindSafe(|| case(&mut findings)));
            match ended {
                Ok(()) => findings.add(BROKEN_OFF, Trial::equal(0, 0), &"a case"),
                Err(panic) => {
                    let reason = format!("a panic in a case, {}", message_of_panic(&*panic));
                    findings.add(BROKEN_OFF, Trial::equal(0, 1), &reason);
                }
            }
            progress.add(1);
            findings
        };
        let by_case: Vec<Findings> = self.cases.par_iter().map(measure).collect();
        let mut all = Findings::default();
        for findings in by_case {
            all.append(findings);
        }
        let mut checked: Vec<CheckedClaim> =
            self.claims.iter().map(|&(part, claim)| all.checked(part, claim)).collect();
        // An aborted claim is reported even if others were requested.
        let broken = all.checked(VERIFICATION, BROKEN_OFF);
        if broken.verdict == Verdict::Fails && !checked.contains(&broken) {
            checked.push(broken);
        }
        checked
    }
}

#[cfg(test)]
mod tests {
    use rayon::ThreadPoolBuilder;

    use super::*;

    fn run(threads: usize, only: &str) -> Vec<CheckedClaim> {
        let verification = Verification::new(Scope::Quick, only);
        let progress = Progress::default();
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let claims = pool.install(|| verification.run(&progress));
        assert_eq!(progress.done(), verification.total());
        claims
    }

    #[test]
    fn threads_change_nothing() {
        let claims = run(2, "Greenberg");
        assert!(claims.len() > 10 && claims.iter().all(|claim| claim.cases > 0), "{claims:#?}");
        assert_eq!(claims, run(1, "Greenberg"));
    }

    #[test]
    fn no_claim_fails_and_parts_list_the_cases_that_measure_their_claims() {
        let by_set: Vec<(CaseSet, Findings)> = PARTS
            .iter()
            .flat_map(|part| part.cases)
            .fold(vec![], |mut sets: Vec<CaseSet>, &set| {
                if !sets.contains(&set) {
                    sets.push(set);
                }
                sets
            })
            .into_par_iter()
            .map(|set| {
                let mut findings = Findings::default();
                set.cases(Scope::Quick).iter().for_each(|case| case(&mut findings));
                (set, findings)
            })
            .collect();
        for part in PARTS.iter().filter(|part| part.name != VERIFICATION) {
            for claim in (part.claims)() {
                for (set, findings) in &by_set {
                    let found = findings.checked(part.name, claim);
                    assert!(found.cases == 0 || part.cases.contains(set), "{set:?}: {found:#?}");
                    assert!(found.cases == 0 || found.verdict != Verdict::Fails, "{found:#?}");
                }
                let measured = |(_, findings): &(CaseSet, Findings)| findings.checked("", claim).cases > 0;
                assert!(by_set.iter().any(measured), "{claim:?} is measured by no case");
            }
        }
    }

    #[test]
    fn a_text_chooses_claims_by_part_source_and_words() {
        let chosen = |only: &str| Verification::new(Scope::Quick, only).claims.len();
        assert_eq!(chosen(""), PARTS.iter().map(|part| (part.claims)().len()).sum::<usize>());
        assert!(chosen("swing") > 3 && chosen("SWING") == chosen("swing"));
        assert!(Verification::new(Scope::Quick, "no such claim").is_empty());
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
        Verification { claims: vec![("part", CLAIM)], cases }.run(&Progress::default())
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
        assert_eq!(
            found(1),
            (Verdict::Fails, 3, Some("a panic in a case, on purpose: 0 promised, 1 measured"))
        );
    }

    #[test]
    fn cases_that_end_break_off_nowhere() {
        let claims = measured(vec![of_good_case(), of_good_case()]);
        assert_eq!(claims.iter().map(|claim| claim.verdict).collect::<Vec<_>>(), [Verdict::Holds]);
    }
}
