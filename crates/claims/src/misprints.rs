//! Statements of Tao 1988 on mappings that fail as printed (part A of `docs/errata.md`),
//! each measured to fail on the smallest counterexamples, with the reading that holds.
//!
//! Inverses (A5, A6), square graphs raised through one of more dimensions (A7, A8) and figure
//! 3.11 (A10). The printed variants exist only here, in [`routing_misprints`] and, if they
//! concern translation tables, in [`constructions`]; scenarios cannot select them.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZeroU64,
};

use cubefold_mapping::{Construction, ConstructionKind, Placement, ProcessId};
use cubefold_simulator::{PhaseLength, SimulationError};
use cubefold_topology::{Coordinates, LinkMode, Machine, MachineKind, NodeId};

use crate::{
    cases::{
        self, ConstructionLabel, MachineLabel, Message, dilation, machine, mesh, message_sets, messages,
        most, named, permutations, route, table, torus,
    },
    claim::{Claim, Trial, claims},
    constructions,
    contraction::wrong_processes,
    findings::{Case, Findings, Scope},
    routing_misprints,
};

claims! {
    /// In the order of the errata.
    MAPPING_CLAIMS:

    "Tao 4.3.1":
        UNFOLDED (erratum "A5") =
            "processes that the inverse of H''_S does not return, dimensions b+1..c not unfolded; unfolded, it returns all";

    "Tao 5.4.1":
        MIRRORED (erratum "A6") =
            "processes that the inverse of mu o nubar o xi misses or has too many, mirrored before multiplied by kappa; \
             after it, none";

    "Tao 3.5.5, proof":
        COVERED (erratum "A7") =
            "G' of vd dimensions goes into H by theorem 3.5.3 (1: it covers the pair, 0: not); by theorem 3.5.2 it does, \
             with the dilation stated";

    "Tao 4.5.7":
        VECTOR (erratum "A8") =
            "steps with the routing vector ceil((k-c)/a)+1: 4 l^((d-a)/c); with ceil((k-c)/c)+1 they suffice";
}

/// In the order of the errata.
pub(super) fn claims() -> Vec<Claim> {
    let late = [routing_misprints::SHARED, FIGURE, constructions::UNDROPPED];
    [routing_misprints::CLAIMS, MAPPING_CLAIMS, &late].concat()
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let mut cases: Vec<Case> = vec![
        Box::new(routing_misprints::check_sums),
        Box::new(check_unfolded),
        Box::new(check_mirrored),
        Box::new(routing_misprints::check_shared),
        Box::new(check_figure),
        Box::new(constructions::check_undropped),
    ];
    cases.extend(routing_misprints::phase_cases(scope));
    cases.extend(rising_cases());
    cases
}

/// The (2, 2, 3, 4)-torus on the (4, 4, 3)-mesh with `S = ((2, 2))`: `b = 2`, `c = 3`, and no
/// permutations.
fn check_unfolded(findings: &mut Findings) {
    let (guest, host) = (torus(&[2, 2, 3, 4]), mesh(&[4, 4, 3]));
    let found = named(UNFOLDED, ConstructionKind::GeneralReduction, &guest, &host, findings);
    let Some((construction, _)) = found else { return };
    let lost = |inverse: &dyn Fn(NodeId) -> Option<ProcessId>| {
        let returns = |process: &ProcessId| inverse(construction.node(*process)) == Some(*process);
        ProcessId::first(guest.node_count()).filter(|process| !returns(process)).count() as u64
    };
    let case = ConstructionLabel(&construction);
    findings.add(UNFOLDED, Trial::equal(0, lost(&|node| not_unfolded(&construction, node))), &case);
    findings.add_reading(UNFOLDED, Trial::equal(0, lost(&|node| construction.process(node))), &case);
}

/// As printed: coordinate 3 of the process is coordinate 3 of the node.
fn not_unfolded(construction: &Construction, node: NodeId) -> Option<ProcessId> {
    let (guest, host) = (construction.guest().shape(), construction.host().shape());
    let process = guest.coordinates(NodeId::new(construction.process(node)?.label()));
    let mut values: Vec<u64> = process.as_slice().iter().map(|&value| u64::from(value)).collect();
    values[2] = u64::from(host.coordinates(node).as_slice()[2]);
    let printed = Coordinates::new(guest, &values).ok()?;
    Some(ProcessId::new(guest.node_at(&printed).index()))
}

/// The (8, 3)-torus on the line of 2: `kappa = 2`, the second dimension left out.
fn check_mirrored(findings: &mut Findings) {
    let (guest, host) = (torus(&[8, 3]), mesh(&[2]));
    let found = named(MIRRORED, ConstructionKind::FoldedProjection, &guest, &host, findings);
    let Some((construction, _)) = found else { return };
    let case = ConstructionLabel(&construction);
    let printed = wrong_processes(&construction, |node| mirrored_first(node.index()));
    findings.add(MIRRORED, Trial::equal(0, printed), &case);
    let read = wrong_processes(&construction, |node| construction.processes(node).collect());
    findings.add_reading(MIRRORED, Trial::equal(0, read), &case);
}

/// As printed: `e kappa + c` for `e` among `y` and `l - 1 - y`, with all of the other dimension.
fn mirrored_first(y: u32) -> BTreeSet<ProcessId> {
    let (kappa, length) = (2, 8);
    let first = [y, length - 1 - y].into_iter().flat_map(|e| (0..kappa).map(move |c| e * kappa + c));
    first.flat_map(|first| (0..3).map(move |second| ProcessId::new(first + length * second))).collect()
}

/// The limit of lemma 4.2.2 on the phases of the first subset in the case of errata A8 \[links\].
const FIRST_SUBSET: NonZeroU64 = NonZeroU64::new(3).unwrap();

fn rising_cases() -> Vec<Case> {
    let mut cases: Vec<Case> = vec![Box::new(check_vector)];
    // G' and H, and l^((d-a)/c).
    for (between, host, ratio) in
        [((2, 6), (4, 3), 2), ((3, 6), (9, 3), 3), ((2, 12), (16, 3), 8), ((2, 12), (8, 4), 4)]
    {
        for kind in [MachineKind::Mesh, MachineKind::Torus] {
            cases.push(Box::new(move |findings| {
                let [between, host] = [between, host].map(|(side, count)| machine(kind, &vec![side; count]));
                check_covered(&between, &host, ratio, findings);
            }));
        }
    }
    cases
}

fn check_covered(between: &Machine, host: &Machine, ratio: u64, findings: &mut Findings) {
    let case = format!("{} on {}", MachineLabel(between), MachineLabel(host));
    findings.add(COVERED, Trial::equal(1, u64::from(is_lowered(between, host))), &case);
    let found = named(COVERED, ConstructionKind::SimpleReduction, between, host, findings);
    if let Some((_, placement)) = found {
        findings.add_reading(COVERED, Trial::equal(ratio, dilation(between, &placement)), &case);
    }
}

/// The condition of theorem 3.5.3: more dimensions than the host has, and not a multiple of them.
fn is_lowered(guest: &Machine, host: &Machine) -> bool {
    let [d, c] = [guest, host].map(|machine| machine.shape().dimension_count());
    c < d && !d.is_multiple_of(c)
}

/// The (243, 243)-torus on the mesh of 9 in five dimensions: `d = 2`, `c = 5`, `a = 1`, `u = 2`,
/// `v = 5`.
fn check_vector(findings: &mut Findings) {
    let (guest, host, between) = (torus(&[243, 243]), mesh(&[9; 5]), torus(&[3; 10]));
    let found = named(VECTOR, ConstructionKind::SquareRising, &guest, &host, findings);
    let up = named(VECTOR, ConstructionKind::ExpansionH, &guest, &between, findings);
    let (Some((construction, placement)), Some((up, _))) = (found, up) else { return };
    let case = cases::ConstructionLabel(&construction);
    let bound = 4 * 3;
    let random = permutations(&guest, 1, "errata A8");
    let set = messages(&random).concat();
    let trial = printed_steps(&up, set, &placement).map(|steps| Trial::at_most(bound, steps));
    findings.try_add(VECTOR, trial, &case);
    match route(&random, &placement, LinkMode::FullDuplex, PhaseLength::OfPlacement) {
        Ok(stages) => findings.add_reading(VECTOR, Trial::at_most(bound, most(&stages).steps), &case),
        Err(error) => findings.fail(VECTOR, &case, &error),
    }
}

/// As printed: dimension `k` of the intermediate graph is in subset `ceil((k - c)/a) + 1`; the phases of
/// lemma 4.2.2.
fn printed_steps(
    up: &Construction,
    set: Vec<Message>,
    placement: &Placement,
) -> Result<u64, SimulationError> {
    let (processes, mut subsets) = (up.guest().node_count(), BTreeMap::<usize, Vec<Message>>::new());
    for (from, to) in set {
        let k = dimension(up, from, to);
        subsets.entry(k.saturating_sub(5) + 1).or_default().push((from, to));
    }
    // As a table, in which no message belongs to a subset.
    let plain = table(placement.machine(), placement.nodes());
    let mut steps = 0;
    for (subset, set) in subsets {
        let phases = PhaseLength::Links(if subset == 1 { FIRST_SUBSET } else { NonZeroU64::MIN });
        let program = message_sets(processes, &[set]);
        steps += most(&route(&program, &plain, LinkMode::FullDuplex, phases)?).steps;
    }
    Ok(steps)
}

/// The dimension, from 1 on, in which two neighbouring processes differ in the intermediate graph.
fn dimension(up: &Construction, from: ProcessId, to: ProcessId) -> usize {
    let shape = up.host().shape();
    let [from, to] = [from, to].map(|process| shape.coordinates(up.node(process)));
    let differ = from.as_slice().iter().zip(to.as_slice()).position(|(one, other)| one != other);
    differ.map_or(0, |place| place + 1)
}

/// The column of `F_V`.
const FIGURE: Claim = Claim::misprinted(
    "Tao figure 3.11",
    "dilation of the column of F_V, (4, 6)-mesh into (2, 2, 2, 3)-mesh, wrong where i_1 = 1 or 3: 1; by the \
     definition it is",
    "A10",
);

fn check_figure(findings: &mut Findings) {
    let (guest, host) = (mesh(&[4, 6]), mesh(&[2, 2, 2, 3]));
    let defined = named(FIGURE, ConstructionKind::ExpansionF, &guest, &host, findings);
    let line = named(FIGURE, ConstructionKind::BasicF, &mesh(&[24]), &host, findings);
    let (Some((defined, placement)), Some((line, _))) = (defined, line) else { return };
    let case = ConstructionLabel(&defined);
    // As printed: f_(2,2,2,3)(6 i_1 + i_2) in the rows with i_1 = 1 and 3.
    let printed = |process: ProcessId| {
        let (first, second) = (process.label() % 4, process.label() / 4);
        match first {
            1 | 3 => line.node(ProcessId::new(6 * first + second)),
            _ => defined.node(process),
        }
    };
    let nodes = ProcessId::first(guest.node_count()).map(printed).collect();
    findings.add(FIGURE, Trial::equal(1, dilation(&guest, &table(&host, nodes))), &case);
    findings.add_reading(FIGURE, Trial::equal(1, dilation(&guest, &placement)), &case);
}
