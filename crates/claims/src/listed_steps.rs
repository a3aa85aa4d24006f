//! Tao 1988, 4.6: the list of data routing complexities in terms of the dilation; and theorem 4.5.2
//! for embeddings outside the dissertation, since it requires only a dilation of 2.

use std::num::NonZeroU64;

use cubefold_mapping::{Construction, ConstructionKind, Placement};
use cubefold_simulator::{PhaseLength, StageRouting};
use cubefold_topology::{LinkMode, Machine, NodeId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use crate::{
    cases::{
        ConstructionLabel, MachineLabel, dilation, is_hypercube, key, mesh, permutations, route, shifts,
        side, table, torus,
    },
    claim::{Claim, Trial, claims},
    covered::{Covered, general_case},
    findings::{Case, Findings, Scope, for_each},
};

const BASIC: [Claim; 4] = [
    Claim::new("Tao 4.6, basic 1", "line into torus or mesh by f_L, scatter sets: rho steps"),
    Claim::new(
        "Tao 4.6, basic 2",
        "ring into mesh by g_L, permutation sets: rho steps (even rings too, errata C12)",
    ),
    Claim::new("Tao 4.6, basic 3", "even ring into mesh by h_L, scatter sets: rho steps"),
    Claim::new("Tao 4.6, basic 4", "ring into torus by h_L, scatter sets: rho steps"),
];
const INCREASING: [Claim; 4] = [
    Claim::new("Tao 4.6, increasing 1", "mesh into torus or mesh by F_V, scatter sets: rho steps"),
    Claim::new("Tao 4.6, increasing 2", "torus into torus by H_V, scatter sets: rho steps"),
    Claim::new("Tao 4.6, increasing 3", "torus into mesh by H_V, scatter sets: rho steps"),
    Claim::new("Tao 4.6, increasing 4", "torus into mesh by G_V, permutation sets: rho steps"),
];
const LOWERING: [Claim; 7] = [
    Claim::new("Tao 4.6, lowering 1", "torus or mesh into torus or mesh by U_V, permutation sets: rho steps"),
    Claim::new("Tao 4.6, lowering 2", "hypercube into torus or mesh by U_V, permutation sets: rho steps"),
    Claim::new("Tao 4.6, lowering 3", "mesh into torus or mesh by F'_S, permutation sets: rho + 1 steps"),
    Claim::new("Tao 4.6, lowering 4", "torus into torus by H'_S, permutation sets: rho + 1 steps"),
    Claim::new("Tao 4.6, lowering 5", "torus into torus by G'_S, permutation sets: rho + 2 steps"),
    Claim::new("Tao 4.6, lowering 6", "torus into mesh by H''_S, permutation sets: rho + 1 steps"),
    Claim::new("Tao 4.6, lowering 7", "torus into mesh by G''_S, permutation sets: rho + 2 steps"),
];
const SQUARE_LOWERING: [Claim; 5] = [
    Claim::new("Tao 4.6, square lowering 1", "mesh into torus or mesh: rho steps"),
    Claim::new("Tao 4.6, square lowering 2", "even torus into torus: rho steps"),
    Claim::new("Tao 4.6, square lowering 3", "even torus into mesh: rho steps"),
    Claim::new("Tao 4.6, square lowering 4", "odd torus into mesh: 2 rho steps"),
    Claim::new("Tao 4.6, square lowering 5", "odd torus into torus, folded first: 4 rho steps"),
];
const SQUARE_INCREASING: [Claim; 5] = [
    Claim::new("Tao 4.6, square increasing 1", "torus or mesh into torus or mesh, d divides c: rho steps"),
    Claim::new("Tao 4.6, square increasing 2", "mesh into torus or mesh, d does not divide c: rho steps"),
    Claim::new(
        "Tao 4.6, square increasing 3",
        "even torus into torus or mesh, d does not divide c: rho steps",
    ),
    Claim::new("Tao 4.6, square increasing 4", "odd torus into mesh, d does not divide c: 2 rho steps"),
    Claim::new(
        "Tao 4.6, square increasing 5",
        "odd torus into torus, folded, d does not divide c: 4 rho steps",
    ),
];

/// In the order of the list.
pub(super) fn claims() -> Vec<Claim> {
    [&BASIC[..], &INCREASING, &LOWERING, &SQUARE_LOWERING, &SQUARE_INCREASING].concat()
}

/// Compares the steps of all stages under mode 1 with the list.
pub(super) fn check(covered: &Covered, stages: &[StageRouting], findings: &mut Findings) {
    for (claim, promised) in items(covered) {
        for stage in stages {
            findings.add(
                claim,
                Trial::at_most(promised, stage.steps),
                &ConstructionLabel(covered.construction),
            );
        }
    }
}

/// The items about a construction, with the steps that they promise.
fn items(covered: &Covered) -> impl Iterator<Item = (Claim, u64)> {
    let divides = is_square_expansion(covered).then_some((SQUARE_INCREASING[0], covered.stated));
    item(covered).into_iter().chain(divides)
}

/// The item about the kind of a construction.
fn item(covered: &Covered) -> Option<(Claim, u64)> {
    let rho = covered.stated;
    let item = match covered.construction.kind() {
        ConstructionKind::BasicF => (BASIC[0], rho),
        ConstructionKind::BasicG => (BASIC[1], rho),
        ConstructionKind::BasicH if covered.to_torus => (BASIC[3], rho),
        ConstructionKind::BasicH => (BASIC[2], rho),
        ConstructionKind::ExpansionF => (INCREASING[0], rho),
        ConstructionKind::ExpansionH if covered.to_torus => (INCREASING[1], rho),
        ConstructionKind::ExpansionH => (INCREASING[2], rho),
        ConstructionKind::ExpansionG => (INCREASING[3], rho),
        ConstructionKind::SimpleReduction if is_hypercube(covered.construction.guest()) => (LOWERING[1], rho),
        ConstructionKind::SimpleReduction => (LOWERING[0], rho),
        ConstructionKind::GeneralReduction => {
            let (case, _) = general_case(covered.construction)?;
            // As the list has it, not theorem 4.5.3.
            (LOWERING[case + 1], rho + if case == 3 || case == 5 { 2 } else { 1 })
        }
        ConstructionKind::SquareLowering => lowering(covered)?,
        ConstructionKind::SquareLoweringFolded => (SQUARE_LOWERING[4], 4 * rho),
        ConstructionKind::SquareRising => rising(covered)?,
        ConstructionKind::SquareRisingFolded => (SQUARE_INCREASING[4], 4 * rho),
        _ => return None,
    };
    Some(item)
}

/// `None` for an odd torus into a torus, which the list maps through a mesh.
fn lowering(covered: &Covered) -> Option<(Claim, u64)> {
    let rho = covered.stated;
    match (covered.from_torus, covered.to_torus, covered.is_odd()) {
        (false, _, _) => Some((SQUARE_LOWERING[0], rho)),
        (true, true, false) => Some((SQUARE_LOWERING[1], rho)),
        (true, false, false) => Some((SQUARE_LOWERING[2], rho)),
        (true, false, true) => Some((SQUARE_LOWERING[3], 2 * rho)),
        (true, true, true) => None,
    }
}

fn rising(covered: &Covered) -> Option<(Claim, u64)> {
    let rho = covered.stated;
    match (covered.from_torus, covered.to_torus, covered.is_odd()) {
        (false, _, _) => Some((SQUARE_INCREASING[1], rho)),
        (true, _, false) => Some((SQUARE_INCREASING[2], rho)),
        (true, false, true) => Some((SQUARE_INCREASING[3], 2 * rho)),
        (true, true, true) => None,
    }
}

/// Whether it is an expansion between square graphs as in theorem 3.5.4.
fn is_square_expansion(covered: &Covered) -> bool {
    let kind = covered.construction.kind();
    matches!(kind, ConstructionKind::ExpansionF | ConstructionKind::ExpansionH | ConstructionKind::ExpansionG)
        && side(covered.construction.guest()).is_some()
        && side(covered.construction.host()).is_some()
}

claims! {
    /// In the order in which they are shown.
    pub(super) ANY_DILATION_TWO_CLAIMS:

    "Tao 4.5.2":
        ANY_STEPS =
            "steps for permutation sets under random one-to-one placements of dilation 2, one-step phases (errata A2), mode 1";
        ANY_CONFLICTS = "conflicts of permutation sets under random placements of dilation 2, mode 1";
}

pub(super) fn any_dilation_two_cases(scope: Scope) -> Vec<Case> {
    let placements = scope.quick_or_full(4, 40);
    let pairs = [
        (torus(&[4, 4]), mesh(&[4, 4])),
        (torus(&[5, 3]), mesh(&[5, 3])),
        (torus(&[3, 3]), torus(&[3, 3])),
        (mesh(&[4, 6]), torus(&[4, 6])),
        (torus(&[9]), mesh(&[3, 3])),
        (mesh(&[2, 3, 4]), mesh(&[4, 3, 2])),
        (torus(&[6, 6]), torus(&[6, 6])),
    ];
    let numbered =
        pairs.into_iter().flat_map(|pair| (0..placements).map(move |number| (pair.clone(), number)));
    for_each(numbered, |((guest, host), number), findings| check_placement(&guest, &host, number, findings))
}

fn check_placement(guest: &Machine, host: &Machine, number: u32, findings: &mut Findings) {
    let case = format!("placement {number} of {} on {}", MachineLabel(guest), MachineLabel(host));
    let placement = random_placement(guest, host, &case);
    let Some(placement) = findings.or_fail(ANY_STEPS, &case, placement) else { return };
    let phases = PhaseLength::Links(NonZeroU64::MIN);
    let routed = route(&shifts(guest), &placement, LinkMode::FullDuplex, phases).and_then(|mut stages| {
        let random = permutations(guest, 10, &case);
        stages.extend(route(&random, &placement, LinkMode::FullDuplex, phases)?);
        Ok(stages)
    });
    let Some(stages) = findings.or_fail(ANY_STEPS, &case, routed) else { return };
    for stage in stages {
        findings.add(ANY_STEPS, Trial::at_most(2, stage.steps), &case);
        findings.add(ANY_CONFLICTS, Trial::equal(0, stage.conflicts), &case);
    }
}

/// The construction chosen for the pair, after exchanges of two processes each that keep the
/// dilation at 2 or less.
fn random_placement(
    guest: &Machine,
    host: &Machine,
    task: &str,
) -> Result<Placement, cubefold_mapping::ConstructionError> {
    let chosen = Placement::Construction(Box::new(Construction::choose(guest, host)?));
    let mut nodes: Vec<NodeId> = chosen.nodes();
    let mut generator = ChaCha12Rng::from_seed(key(task));
    for _ in 0..40 * nodes.len() {
        let [one, other] = [0, 1].map(|_| generator.random_range(0..nodes.len()));
        nodes.swap(one, other);
        if dilation(guest, &table(host, nodes.clone())) > 2 {
            nodes.swap(one, other);
        }
    }
    Ok(table(host, nodes))
}
