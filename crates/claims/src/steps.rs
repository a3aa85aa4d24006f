//! Tao 1988, 4.5 and 4.6: messages are routed in the promised steps, without conflicts.

use cubefold_mapping::{Construction, ConstructionKind, Placement};
use cubefold_simulator::{DimensionChoice, PhaseLength, Routing, SimulationError, StageRouting};
use cubefold_topology::{LinkMode, TieRule};

use crate::{
    cases::{
        ConstructionLabel, is_hypercube, key, links_with, permutations, route, route_by, scatter, shifts,
    },
    claim::{Claim, Trial},
    covered::{Covered, GeneralFactor, Multiplicands, SimpleFactor, general_case},
    findings::Findings,
    listed_steps,
};

/// The claims of one theorem: its steps under modes 1, 2 and 3, and that there are no conflicts.
#[derive(Debug, Clone, Copy)]
struct StepClaims {
    steps: [Claim; 3],
    conflicts: Claim,
}

macro_rules! step_claims {
    ($source:literal, $sets:literal, $full:literal, $half:literal, $single:literal) => {
        StepClaims {
            steps: [
                Claim::new($source, concat!("steps for ", $sets, ", mode 1: ", $full)),
                Claim::new($source, concat!("steps for ", $sets, ", mode 2: ", $half)),
                Claim::new($source, concat!("steps for ", $sets, ", mode 3: ", $single)),
            ],
            conflicts: Claim::new($source, concat!("conflicts of ", $sets, ", all modes")),
        }
    };
}

const UNIT: StepClaims =
    step_claims!("Tao 4.5.1", "scatter and permutation sets at unit dilation", "1", "2", "2c");
const TWO: StepClaims =
    step_claims!("Tao 4.5.2", "permutation sets at dilation 2, one-step phases (errata A1)", "2", "4", "4c");
const GENERAL: StepClaims = step_claims!(
    "Tao 4.5.3",
    "permutation sets, general reduction",
    "max s_k (twice that with folding) and 1 or 2",
    "twice that",
    "2 sum s_k (4 sum s_k with folding) and 2c or 4c"
);
const SIMPLE: StepClaims = step_claims!(
    "Tao 4.5.4",
    "permutation sets, simple reduction",
    "max m_i/l_vi, twice that with folding",
    "twice that",
    "2 sum m_i/l_vi, twice that with folding (errata A4)"
);
const CUBE: StepClaims =
    step_claims!("Tao cor. 4.5.5", "permutation sets of a hypercube", "max m_i/2", "max m_i", "sum m_i");
const CHAIN: StepClaims = step_claims!(
    "Tao 4.5.5",
    "permutation sets, square chains of meshes and even toruses (corollaries 4.5.6 to 4.5.9)",
    "rho",
    "2 rho",
    "2c rho"
);
const ELIMINATION: StepClaims = step_claims!(
    "Tao 4.5.5",
    "permutation sets, sequential elimination by F' or H' (corollaries 4.5.7 and 4.5.8)",
    "rho",
    "2 rho",
    "2 sum P_j, twice that with folding"
);
const ELIMINATION_BY_STEP: Claim = Claim::new(
    "Tao 4.5.6 (docs/model.md 28.2)",
    "steps for permutation sets, sequential elimination by G' or F' o T_L, mode 1: rho + sum 2 q_k",
);
const ELIMINATION_CONFLICTS: Claim = Claim::new(
    "Tao 4.5.6 (docs/model.md 28.2)",
    "conflicts of permutation sets, sequential elimination by G' or F' o T_L, all modes",
);
const ODD_LOWERING: StepClaims = step_claims!(
    "Tao 4.5.6",
    "permutation sets, odd square torus lowered, phases of lemma 4.2.2 (errata A1)",
    "4 l^((d-c)/c)",
    "twice that",
    "2c times that"
);
const ODD_RISING: StepClaims = step_claims!(
    "Tao 4.5.7",
    "permutation sets, odd square torus raised, the vector of errata A8",
    "4 l^((d-a)/c)",
    "twice that",
    "2c times that"
);
const ODD_TORUS: StepClaims = step_claims!(
    "errata C11, A8",
    "permutation sets, odd square torus into a torus without folding",
    "under 2 rho",
    "twice that",
    "2c times that"
);

const TIES: Claim = Claim::new(
    "Tao 4.5 (errata C10)",
    "stages over the promised steps, or with conflicts, when ties go the positive or the negative way, mode 1",
);
const CHANCE: Claim = Claim::new(
    "Tao 4.5.1, step 4 (b)",
    "stages over the promised steps, or with conflicts, when dimensions are chosen at random, mode 1",
);

const THEOREMS: [StepClaims; 10] =
    [UNIT, TWO, GENERAL, SIMPLE, CUBE, CHAIN, ELIMINATION, ODD_LOWERING, ODD_RISING, ODD_TORUS];

/// The claims of 4.5, in the order of the dissertation.
pub(super) fn claims() -> Vec<Claim> {
    let of_theorem = |theorem: &StepClaims| [&theorem.steps[..], &[theorem.conflicts]].concat();
    THEOREMS
        .iter()
        .flat_map(of_theorem)
        .chain([ELIMINATION_BY_STEP, ELIMINATION_CONFLICTS, TIES, CHANCE])
        .collect()
}

/// Steps promised under modes 1, 2 and 3.
type Promise = [u64; 3];

/// `rho`, `2 rho` and `2 c rho` (4.5.1).
fn uniform(covered: &Covered, full: u64) -> Promise {
    let c = covered.construction.host().shape().dimension_count() as u64;
    [full, 2 * full, 2 * c * full]
}

/// The theorems about a construction, with their promises.
fn theorems(covered: &Covered) -> Vec<(StepClaims, Promise)> {
    let rho = covered.stated;
    let of_dilation = match rho {
        1 => (UNIT, uniform(covered, 1)),
        _ => (TWO, uniform(covered, 2)),
    };
    match covered.construction.kind() {
        ConstructionKind::BasicF
        | ConstructionKind::BasicH
        | ConstructionKind::BasicG
        | ConstructionKind::SameShape
        | ConstructionKind::ExpansionF
        | ConstructionKind::ExpansionH
        | ConstructionKind::ExpansionG => vec![of_dilation],
        ConstructionKind::SimpleReduction => simple(covered),
        ConstructionKind::GeneralReduction => general(covered).into_iter().collect(),
        ConstructionKind::SequentialElimination => elimination(covered).into_iter().collect(),
        ConstructionKind::SquareLowering | ConstructionKind::SquareRising
            if !covered.from_torus || !covered.is_odd() =>
        {
            vec![(CHAIN, uniform(covered, rho))]
        }
        // rho is twice the power of l if a torus is mapped to a mesh.
        ConstructionKind::SquareLowering if covered.folds() => {
            vec![(ODD_LOWERING, uniform(covered, 2 * rho))]
        }
        ConstructionKind::SquareLoweringFolded => vec![(ODD_LOWERING, uniform(covered, 4 * rho))],
        ConstructionKind::SquareRising if covered.folds() => vec![(ODD_RISING, uniform(covered, 2 * rho))],
        ConstructionKind::SquareRisingFolded => vec![(ODD_RISING, uniform(covered, 4 * rho))],
        ConstructionKind::SquareLowering | ConstructionKind::SquareRising => {
            vec![(ODD_TORUS, uniform(covered, 2 * rho - 1))]
        }
        _ => vec![],
    }
}

/// The steps promised for a construction under modes 1, 2 and 3.
pub(super) fn promise(covered: &Covered) -> Option<[u64; 3]> {
    theorems(covered).first().map(|(_, promise)| *promise)
}

fn simple(covered: &Covered) -> Vec<(StepClaims, Promise)> {
    let Some(factor) = SimpleFactor::of(covered.construction) else { return vec![] };
    let mut theorems =
        vec![(SIMPLE, [covered.stated, 2 * covered.stated, 2 * covered.doubling() * factor.sum()])];
    if is_hypercube(covered.construction.guest()) {
        let hosts = covered.construction.host().shape().lengths();
        let most = hosts.iter().copied().max().unwrap_or(0);
        theorems.push((CUBE, [most / 2, most, hosts.iter().sum()]));
    }
    theorems
}

/// Theorem 4.5.5 and its corollaries, for `F'`, `H'` and `T_M o H'`.
fn elimination(covered: &Covered) -> Option<(StepClaims, Promise)> {
    if is_by_step(covered) {
        return None;
    }
    let sum = Multiplicands::of(covered.construction)?.sum();
    Some((ELIMINATION, [covered.stated, 2 * covered.stated, 2 * covered.doubling() * sum]))
}

/// Whether a sequential elimination is routed dimension by dimension: by `G'` or `F' o T_L`.
fn is_by_step(covered: &Covered) -> bool {
    covered.construction.kind() == ConstructionKind::SequentialElimination
        && ["G'", "F' o T_L"].contains(&covered.construction.formula())
}

/// The steps promised under mode 1 alone, and conflicts under all modes, if the routing is by dimension.
fn check_by_step(covered: &Covered, mode: LinkMode, stages: &[StageRouting], findings: &mut Findings) {
    if !is_by_step(covered) {
        return;
    }
    let case = ConstructionLabel(covered.construction);
    let Some(promised) = Multiplicands::of(covered.construction) else { return };
    for stage in stages {
        findings.add(ELIMINATION_CONFLICTS, Trial::equal(0, stage.conflicts), &case);
        if mode == LinkMode::FullDuplex {
            let steps = covered.stated + promised.folded_steps();
            findings.add(ELIMINATION_BY_STEP, Trial::at_most(steps, stage.steps), &case);
        }
    }
}

/// Theorem 4.5.3: the multiplicand dimensions, then the multiplier dimensions.
fn general(covered: &Covered) -> Option<(StepClaims, Promise)> {
    let factor = GeneralFactor::of(covered.construction)?;
    let (_, offset) = general_case(covered.construction)?;
    let c = covered.construction.host().shape().dimension_count() as u64;
    let full = covered.stated + offset;
    Some((GENERAL, [full, 2 * full, 2 * covered.doubling() * factor.sum() + 2 * c * offset]))
}

/// Routes the shift sets of the guest and equally many random permutation sets, and at unit dilation the
/// scatter set, under all modes.
pub(super) fn check(covered: &Covered, placement: &Placement, sets: usize, findings: &mut Findings) {
    let case = ConstructionLabel(covered.construction);
    for (mode, number) in LinkMode::ALL.into_iter().zip(0..) {
        let stages = match stages(covered, placement, sets, mode) {
            Ok(stages) => stages,
            Err(error) => {
                for (theorem, _) in theorems(covered) {
                    findings.fail(theorem.steps[number], &case, &error);
                }
                if is_by_step(covered) {
                    findings.fail(ELIMINATION_CONFLICTS, &case, &error);
                }
                continue;
            }
        };
        for (theorem, promise) in theorems(covered) {
            for stage in &stages {
                findings.add(theorem.steps[number], Trial::at_most(promise[number], stage.steps), &case);
                findings.add(theorem.conflicts, Trial::equal(0, stage.conflicts), &case);
            }
        }
        check_by_step(covered, mode, &stages, findings);
        if mode == LinkMode::FullDuplex {
            listed_steps::check(covered, &stages, findings);
        }
    }
}

/// Routes some random permutation sets with the other tie rules, and with randomly chosen
/// dimensions.
pub(super) fn check_choices(covered: &Covered, placement: &Placement, findings: &mut Findings) {
    let Some([promised, _, _]) = promise(covered) else { return };
    let (guest, case) = (covered.construction.guest(), ConstructionLabel(covered.construction));
    let task = task(covered.construction);
    let random = DimensionChoice::Random { key: key(&format!("dimensions; {task}")) };
    let lowest = DimensionChoice::Lowest;
    for (claim, tie, dimension_choice) in [
        (TIES, TieRule::Positive, lowest.clone()),
        (TIES, TieRule::Negative, lowest),
        (CHANCE, TieRule::Direct, random),
    ] {
        let links = links_with(LinkMode::FullDuplex, tie);
        let routing = Routing { dimension_choice, phase_length: PhaseLength::OfPlacement, ..Routing::PLAIN };
        let program = permutations(guest, 3, &task);
        let stages = route_by(&program, placement, links, &routing);
        let Some(stages) = findings.or_fail(claim, &case, stages) else { continue };
        let is_over = |stage: &&StageRouting| stage.steps > promised || stage.conflicts > 0;
        let over = stages.iter().filter(is_over).count() as u64;
        findings.add(claim, Trial::equal(0, over), &case);
    }
}

fn stages(
    covered: &Covered,
    placement: &Placement,
    sets: usize,
    mode: LinkMode,
) -> Result<Vec<StageRouting>, SimulationError> {
    let guest = covered.construction.guest();
    let routed = PhaseLength::OfPlacement;
    let random = permutations(guest, sets, &task(covered.construction));
    let mut stages = route(&shifts(guest), placement, mode, routed)?;
    stages.extend(route(&random, placement, mode, routed)?);
    if covered.stated == 1 {
        stages.extend(route(&scatter(guest), placement, mode, routed)?);
    }
    Ok(stages)
}

/// The sets of a pair of machines are the same for all its constructions.
fn task(construction: &Construction) -> String {
    format!("permutation sets; {:?}; {:?}", construction.guest(), construction.host())
}
