//! Errata A1 to A3: phases of routing, and scatter sets at dilation 2.

use cubefold_mapping::{Construction, ConstructionKind, Placement};
use cubefold_simulator::{PhaseLength, Program, SimulationError};
use cubefold_topology::{LinkMode, Machine};

use super::super::{
    Case, Scope,
    claim::Claim,
    findings::Findings,
    pairs::{self, mesh, torus},
    routed::{most, permutations, route, scatter, shifts},
    trial::Trial,
};

const TWO: Claim = Claim::misprinted(
    "Tao 4.5.1, 4.5.2",
    "steps for permutation sets at dilation 2, phases until a coordinate agrees: 2; in phases of one step they hold",
    "A1",
);
const GENERAL: Claim = Claim::misprinted(
    "Tao 4.5.1, 4.5.3 (3)(5)",
    "steps by G'_S, G''_S, phases until a coordinate agrees: max s_k + 2, twice that to a mesh less 2; in phases of \
     lemma 4.2.2 they hold",
    "A1",
);
const SQUARE: Claim = Claim::misprinted(
    "Tao 4.5.1, 4.5.6",
    "steps for odd square toruses lowered, phases until a coordinate agrees: the sum in the proof; in phases of \
     lemma 4.2.2 it holds",
    "A1",
);
const SCATTER: Claim = Claim::misprinted(
    "Tao cor. 4.5.4",
    "steps for scatter sets of an odd square torus on a mesh: 2; permutation sets take 2",
    "A3",
);

const CONFLICTS: Claim = Claim::new(
    "errata A3",
    "conflicts of such scatter sets, as the errata count them: 2 and 36 in phases until a coordinate agrees, 6 and 108 \
     in phases of one step",
);

/// In the order of the errata.
pub(super) const CLAIMS: [Claim; 5] = [TWO, GENERAL, SQUARE, SCATTER, CONFLICTS];

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let sets = match scope {
        Scope::Quick => 20,
        Scope::Full => 100,
    };
    let trial =
        |claim, kind, guest: Machine, host: Machine, promised| Try { claim, kind, guest, host, promised };
    let tries = [
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
    let mut cases: Vec<Case> = vec![];
    for tried in tries {
        cases.push(Box::new(move |findings| tried.check(sets, findings)));
    }
    cases.push(Box::new(move |findings| check_scatter(sets, findings)));
    cases
}

/// A construction whose sets take longer in unlimited phases.
struct Try {
    claim: Claim,
    kind: ConstructionKind,
    guest: Machine,
    host: Machine,
    promised: u64,
}

impl Try {
    fn check(&self, sets: usize, findings: &mut Findings) {
        let found = super::named(self.claim, self.kind, &self.guest, &self.host, findings);
        let Some((construction, placement)) = found else { return };
        let case = pairs::Case(&construction);
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

fn steps(program: &impl Program, placement: &Placement, phases: PhaseLength) -> Result<u64, SimulationError> {
    Ok(most(&route(program, placement, LinkMode::FullDuplex, phases)?).steps)
}

/// Errata A3: rings and toruses of odd length on meshes, with the conflicts of either scheme.
fn check_scatter(sets: usize, findings: &mut Findings) {
    for (kind, guest, host, conflicts) in [
        (ConstructionKind::BasicG, torus(&[9]), mesh(&[3, 3]), [2, 6]),
        (ConstructionKind::ExpansionG, torus(&[9, 9]), mesh(&[3, 3, 3, 3]), [36, 108]),
    ] {
        let found = super::named(SCATTER, kind, &guest, &host, findings);
        let Some((construction, placement)) = found else { continue };
        let case = pairs::Case(&construction);
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
