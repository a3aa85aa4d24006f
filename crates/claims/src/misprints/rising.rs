//! Errata A7 and A8: square graphs raised by way of one of more dimensions.

use cubefold_mapping::{Construction, ConstructionKind, Placement, ProcessId};
use cubefold_simulator::{PhaseLength, SimulationError};
use cubefold_topology::{LinkMode, Machine, MachineKind};
use std::{collections::BTreeMap, num::NonZeroU64};

use super::super::{
    Case,
    claim::Claim,
    findings::Findings,
    message_sets::{Message, MessageSets, messages},
    pairs::{self, Words, machine, mesh, torus},
    routed::{dilation, most, permutations, route, table},
    trial::Trial,
};

const COVERED: Claim = Claim::misprinted(
    "Tao 3.5.5, proof",
    "G' of vd dimensions goes into H by theorem 3.5.3 (1: it covers the pair, 0: not); by theorem 3.5.2 it does, \
     with the dilation stated",
    "A7",
);
const VECTOR: Claim = Claim::misprinted(
    "Tao 4.5.7",
    "steps with the routing vector ceil((k-c)/a)+1: 4 l^((d-a)/c); with ceil((k-c)/c)+1 they suffice",
    "A8",
);

/// What lemma 4.2.2 limits the phases of the first subset to in the case of errata A8 \[links\].
const FIRST_SUBSET: NonZeroU64 = NonZeroU64::new(3).unwrap();

/// In the order of the errata.
pub(super) const CLAIMS: [Claim; 2] = [COVERED, VECTOR];

pub(super) fn cases() -> Vec<Case> {
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
    let case = format!("{} on {}", Words(between), Words(host));
    findings.add(COVERED, Trial::equal(1, u64::from(is_lowered(between, host))), &case);
    let found = super::named(COVERED, ConstructionKind::SimpleReduction, between, host, findings);
    if let Some((_, placement)) = found {
        findings.add_reading(COVERED, Trial::equal(ratio, dilation(between, &placement)), &case);
    }
}

/// The condition of theorem 3.5.3: more dimensions than the host has, and not a multiple of them.
fn is_lowered(guest: &Machine, host: &Machine) -> bool {
    let [d, c] = [guest, host].map(|machine| machine.shape().dimension_count());
    c < d && !d.is_multiple_of(c)
}

/// The (243, 243)-torus on the mesh of 9 in five dimensions: `d = 2`, `c = 5`, `a = 1`, `u = 2`, `v = 5`.
fn check_vector(findings: &mut Findings) {
    let (guest, host, between) = (torus(&[243, 243]), mesh(&[9; 5]), torus(&[3; 10]));
    let found = super::named(VECTOR, ConstructionKind::SquareRising, &guest, &host, findings);
    let up = super::named(VECTOR, ConstructionKind::ExpansionH, &guest, &between, findings);
    let (Some((construction, placement)), Some((up, _))) = (found, up) else { return };
    let case = pairs::Case(&construction);
    let bound = 4 * 3;
    let random = permutations(&guest, 1, "errata A8");
    let set = messages(&random).concat();
    match printed_steps(&up, set, &placement) {
        Ok(steps) => findings.add(VECTOR, Trial::at_most(bound, steps), &case),
        Err(error) => findings.fail(VECTOR, &case, &error),
    }
    match route(&random, &placement, LinkMode::FullDuplex, PhaseLength::OfPlacement) {
        Ok(stages) => findings.add_reading(VECTOR, Trial::at_most(bound, most(&stages).steps), &case),
        Err(error) => findings.fail(VECTOR, &case, &error),
    }
}

/// As printed: dimension `k` of the graph between is in subset `ceil((k - c)/a) + 1`; the phases of lemma 4.2.2.
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
    // As a table, in which no message is of a subset.
    let plain = table(placement.machine(), placement.nodes());
    let mut steps = 0;
    for (subset, set) in subsets {
        let phases = PhaseLength::Links(if subset == 1 { FIRST_SUBSET } else { NonZeroU64::MIN });
        let program = MessageSets::new(processes, vec![set]);
        steps += most(&route(&program, &plain, LinkMode::FullDuplex, phases)?).steps;
    }
    Ok(steps)
}

/// The dimension, from 1 on, in which two neighbouring processes differ in the graph between.
fn dimension(up: &Construction, from: ProcessId, to: ProcessId) -> usize {
    let shape = up.host().shape();
    let [from, to] = [from, to].map(|process| shape.coordinates(up.node(process)));
    let differ = from.as_slice().iter().zip(to.as_slice()).position(|(one, other)| one != other);
    differ.map_or(0, |place| place + 1)
}
