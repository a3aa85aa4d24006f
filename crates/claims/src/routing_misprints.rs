//! Statements of Tao 1988 on data routing that fail as printed: phases of routing and
//! scatter sets at dilation 2 (errata A1 to A3), simple reductions under mode 3 (A4), and
//! parallelizable sets of messages (A9).

use cubefold_mapping::{Construction, ConstructionKind, Placement, ProcessId};
use cubefold_simulator::{PhaseLength, Program, SimulationError};
use cubefold_topology::{LinkMode, Machine};

use crate::{
    cases::{
        ConstructionLabel, is_torus_guest, is_torus_host, mesh, message_set, message_sets, most, named,
        permutations, route, scatter, shifts, torus,
    },
    claim::{Claim, Trial, claims},
    covered::SimpleFactor,
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    /// In the order of the errata.
    pub(super) CLAIMS:

    "Tao 4.5.1, 4.5.2":
        TWO (erratum "A1") =
            "steps for permutation sets at dilation 2, phases until a coordinate agrees: 2; in phases of one step they hold";

    "Tao 4.5.1, 4.5.3 (3)(5)":
        GENERAL (erratum "A1") =
            "steps by G'_S, G''_S, phases until a coordinate agrees: max s_k + 2, twice that to a mesh less 2; in phases of \
             lemma 4.2.2 they hold";

    "Tao 4.5.1, 4.5.6":
        SQUARE (erratum "A1") =
            "steps for odd square toruses lowered, phases until a coordinate agrees: the sum in the proof; in phases of \
             lemma 4.2.2 it holds";

    "Tao cor. 4.5.4":
        SCATTER (erratum "A3") =
            "steps for scatter sets of an odd square torus on a mesh: 2; permutation sets take 2";

    "errata A3":
        CONFLICTS =
            "conflicts of such scatter sets, as the errata count them: 2 and 36 in phases until a coordinate agrees, 6 and 108 \
             in phases of one step";

    "Tao 4.5.4, note":
        SUMS (erratum "A4") =
            "steps of simple reduction, mode 3: sum m_i/l_vi, twice that with folding; twice as many always suffice";
}

pub(super) fn phase_cases(scope: Scope) -> Vec<Case> {
    let sets = scope.quick_or_full(20, 100);
    let trial =
        |claim, kind, guest: Machine, host: Machine, promised| Attempt { claim, kind, guest, host, promised };
    let attempts = [
        trial(TWO, ConstructionKind::BasicG, torus(&[9]), mesh(&[3, 3]), 2),
        trial(TWO, ConstructionKind::BasicG, torus(&[6]), mesh(&[2, 3]), 2),
        trial(TWO, ConstructionKind::ExpansionG, torus(&[2, 6]), mesh(&[2, 2, 3]), 2),
        trial(TWO, ConstructionKind::ExpansionG, torus(&[9, 9]), mesh(&[3, 3, 3, 3]), 2),
        // max s_k = 3, and 2 for the dimensions inside a supernode.
        trial(GENERAL, ConstructionKind::GeneralReduction, torus(&[2, 2, 9]), torus(&[6, 6]), 3 + 2),
        trial(GENERAL, ConstructionKind::GeneralReduction, torus(&[3, 3, 9]), mesh(&[9, 9]), 2 * 3 + 2),
        // 2 l^((d-c)/c) times 1 and 1/3.
        trial(SQUARE, ConstructionKind::SquareLowering, torus(&[9; 3]), mesh(&[27; 2]), 2 * 3 + 2),
    ];
    let mut cases = for_each(attempts, move |attempt, findings| attempt.check(sets, findings));
    cases.push(Box::new(move |findings| check_scatter(sets, findings)));
    cases
}

/// A construction whose sets take longer in unlimited phases.
#[derive(Clone)]
struct Attempt {
    claim: Claim,
    kind: ConstructionKind,
    guest: Machine,
    host: Machine,
    promised: u64,
}

impl Attempt {
    fn check(&self, sets: usize, findings: &mut Findings) {
        let found = named(self.claim, self.kind, &self.guest, &self.host, findings);
        let Some((construction, placement)) = found else { return };
        let case = ConstructionLabel(&construction);
        let by = |phases| permutation_steps(&construction, &placement, sets, phases);
        match (by(PhaseLength::Unlimited), by(PhaseLength::OfPlacement)) {
            (Ok(until), Ok(limited)) => {
                findings.add(self.claim, Trial::at_most(self.promised, until), &case);
                findings.add_reading(self.claim, Trial::at_most(self.promised, limited), &case);
            }
            (Err(error), _) | (_, Err(error)) => findings.fail(self.claim, &case, &error),
        }
    }
}

/// The most steps of any shift set and of some random permutation sets.
fn permutation_steps(
    construction: &Construction,
    placement: &Placement,
    sets: usize,
    phases: PhaseLength,
) -> Result<u64, SimulationError> {
    let guest = construction.guest();
    let random = permutations(guest, sets, &format!("misprints; {guest:?}"));
    Ok(steps(&shifts(guest), placement, phases)?.max(steps(&random, placement, phases)?))
}

fn steps(program: &dyn Program, placement: &Placement, phases: PhaseLength) -> Result<u64, SimulationError> {
    Ok(most(&route(program, placement, LinkMode::FullDuplex, phases)?).steps)
}

/// Errata A3: rings and toruses of odd length on meshes, with the conflicts of either scheme.
fn check_scatter(sets: usize, findings: &mut Findings) {
    for (kind, guest, host, conflicts) in [
        (ConstructionKind::BasicG, torus(&[9]), mesh(&[3, 3]), [2, 6]),
        (ConstructionKind::ExpansionG, torus(&[9, 9]), mesh(&[3, 3, 3, 3]), [36, 108]),
    ] {
        let found = named(SCATTER, kind, &guest, &host, findings);
        let Some((construction, placement)) = found else { continue };
        let case = ConstructionLabel(&construction);
        for (phases, conflicts) in
            [PhaseLength::Unlimited, PhaseLength::OfPlacement].into_iter().zip(conflicts)
        {
            match route(&scatter(&guest), &placement, LinkMode::FullDuplex, phases) {
                Ok(stages) => {
                    findings.add(SCATTER, Trial::at_most(2, most(&stages).steps), &case);
                    findings.add(CONFLICTS, Trial::equal(conflicts, most(&stages).conflicts), &case);
                }
                Err(error) => findings.fail(SCATTER, &case, &error),
            }
        }
        match permutation_steps(&construction, &placement, sets, PhaseLength::OfPlacement) {
            Ok(steps) => findings.add_reading(SCATTER, Trial::at_most(2, steps), &case),
            Err(error) => findings.fail(SCATTER, &case, &error),
        }
    }
}

pub(super) fn check_sums(findings: &mut Findings) {
    for (guest, host) in [
        (mesh(&[2, 2]), mesh(&[4])),
        (mesh(&[4, 4]), mesh(&[16])),
        (mesh(&[2, 3, 4]), mesh(&[6, 4])),
        (torus(&[3, 4]), mesh(&[12])),
        (torus(&[4, 4, 4]), torus(&[16, 4])),
    ] {
        let found = named(SUMS, ConstructionKind::SimpleReduction, &guest, &host, findings);
        let Some((construction, placement)) = found else { continue };
        let Some(factor) = SimpleFactor::of(&construction) else { continue };
        let folding = if is_torus_guest(&guest) && !is_torus_host(&host) { 2 } else { 1 };
        let printed = folding * factor.sum();
        let (case, phases) = (ConstructionLabel(&construction), PhaseLength::OfPlacement);
        let mode = LinkMode::SingleDirection;
        // Of the (2, 2)-mesh (0, 0) -> (1, 0) and (1, 1) -> (0, 1).
        let crossing = message_set(guest.node_count(), &[(0, 1), (3, 2)]);
        let routed = if guest.node_count() == 4 {
            route(&crossing, &placement, mode, phases)
        } else {
            route(&permutations(&guest, 20, &format!("mode 3; {guest:?}")), &placement, mode, phases)
        };
        let Some(stages) = findings.or_fail(SUMS, &case, routed) else { continue };
        let steps = most(&stages).steps;
        findings.add(SUMS, Trial::at_most(printed, steps), &case);
        findings.add_reading(SUMS, Trial::at_most(2 * printed, steps), &case);
    }
}

/// Proposition 5.4.1.
pub(super) const SHARED: Claim = Claim::misprinted(
    "Tao prop. 5.4.1",
    "steps for permutation sets of which no two messages share both nodes: rho; where they share neither, they hold",
    "A9",
);

/// The (4, 4, 4)-mesh by `kappa = 2` and `U_V` on the line of 8: five messages, from five processes of three nodes.
pub(super) fn check_shared(findings: &mut Findings) {
    let (guest, host) = (mesh(&[4, 4, 4]), mesh(&[8]));
    let found = named(SHARED, ConstructionKind::Contraction, &guest, &host, findings);
    let Some((construction, placement)) = found else { return };
    let case = ConstructionLabel(&construction);
    let set = SHARED_SET.map(|(from, to)| (ProcessId::new(from), ProcessId::new(to)));
    let rho = construction.dilation().links;
    // As printed: all at once.
    let together = message_sets(guest.node_count(), &[set.to_vec()]);
    // As read: in sequence, each a separate set.
    let apart = message_sets(guest.node_count(), &set.map(|message| vec![message]));
    let mode = LinkMode::FullDuplex;
    let routed = (
        route(&together, &placement, mode, PhaseLength::OfPlacement),
        route(&apart, &placement, mode, PhaseLength::OfPlacement),
    );
    match routed {
        (Ok(together), Ok(apart)) => {
            findings.add(SHARED, Trial::at_most(rho, most(&together).steps), &case);
            findings.add_reading(SHARED, Trial::at_most(rho, most(&apart).steps), &case);
        }
        (Err(error), _) | (_, Err(error)) => findings.fail(SHARED, &case, &error),
    }
}

/// The messages of errata A9 by the labels of their processes.
const SHARED_SET: [(u32, u32); 5] = [(1, 2), (36, 40), (33, 34), (25, 41), (9, 10)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_of_errata_a9_are_those_of_the_golden_file() {
        let golden = include_str!("../../../tests/golden/papers_rest.json");
        let golden: serde_json::Value = serde_json::from_str(golden).unwrap();
        let case =
            golden["cases"].as_array().unwrap().iter().find(|case| case["item"] == "errata-A9").unwrap();
        let pairs = |key: &str| -> Vec<(u32, u32)> { serde_json::from_value(case[key].clone()).unwrap() };
        assert_eq!(pairs("messages"), SHARED_SET);
        let construction =
            Construction::named(ConstructionKind::Contraction, &mesh(&[4, 4, 4]), &mesh(&[8])).unwrap();
        let node = |process| construction.node(ProcessId::new(process)).index();
        let nodes: Vec<(u32, u32)> = SHARED_SET.iter().map(|&(from, to)| (node(from), node(to))).collect();
        assert_eq!(nodes, pairs("nodes"));
        assert_eq!(construction.dilation().links, case["expect"]["promised"].as_u64().unwrap());
        let crosses = |&&(from, to): &&(u32, u32)| from <= 2 && to >= 3;
        let crossing = nodes.iter().filter(crosses).count() as u64;
        assert_eq!(crossing, case["expect"]["across_link_2_3"].as_u64().unwrap());
        let mut findings = Findings::default();
        check_shared(&mut findings);
        let claim = findings.checked("", SHARED);
        assert_eq!((claim.promised, claim.worst), (Some(4.into()), Some(7.into())));
    }
}
