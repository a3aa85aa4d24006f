//! Every one-to-one construction of Tao 1988 on every pair of machines of a size, for all statements of
//! chapters 3 and 4: existence, dilation, inverses (4.3.1, 5.4.1), translation tables
//! (4.4) and steps.
//!
//! Which constructions exist is decided here from the shapes alone. The conditions of those
//! theorems that can be seen from the shapes are written out, with no search for factors: lines and
//! rings, equal lengths, hypercubes and square graphs. A refusal that contradicts one of them makes
//! its claim fail.

use std::collections::{BTreeMap, BTreeSet};

use cubefold_mapping::{
    Construction, ConstructionError, ConstructionKind, GraphGuest, Placement, ProcessId, TableMethod,
    TranslationTable, translation_tables,
};
use cubefold_runs::address_exchange_steps;
use cubefold_topology::{LinkMode, Machine, NodeId};

use crate::{
    cases::{
        ConstructionLabel, MachineLabel, is_hypercube, is_torus_guest, is_torus_host, links, machines,
        machines_of, mesh, side, square_pairs, table,
    },
    claim::{Claim, Trial, claims},
    covered::Covered,
    dilation::{
        self, CUBE, EVEN_RING_INTO_MESH, INTO_HYPERCUBE, LINE, REORDERED, RING_INTO_MESH, RING_INTO_TORUS,
        SAME_SHAPE, SQUARE_DIVISIBLE, SQUARE_EXPANSION, SQUARE_LOWERING, SQUARE_RISING,
    },
    findings::{Case, Findings, Scope, for_each},
    steps,
};

/// The measured values of a pair.
#[derive(Debug, Clone, Copy)]
struct Extent {
    /// The number of random permutation sets that are routed besides the shift sets; `None` routes
    /// no sets.
    routed_sets: Option<usize>,
}

/// Pairs beyond the completely measured sizes: the smallest of rare kinds, and those in
/// the errata.
const MORE_PAIRS: [(&[u64], &[u64]); 14] = [
    (&[2, 2, 9], &[6, 6]),
    (&[3, 3, 6], &[6, 9]),
    (&[3, 3, 9], &[9, 9]),
    (&[9, 9], &[3, 3, 3, 3]),
    (&[2, 3, 3, 4], &[4, 6, 3]),
    (&[2, 2, 3, 4], &[4, 4, 3]),
    (&[5, 3, 2], &[10, 3]),
    (&[6, 12], &[6, 3, 2, 2]),
    (&[2, 2, 8], &[4, 8]),
    (&[4, 6, 10], &[15, 16]),
    (&[3, 2, 6, 6], &[18, 12]),
    (&[4, 3, 6, 6], &[16, 27]),
    (&[2, 2, 2, 8], &[8, 8]),
    (&[2, 3, 3, 4], &[6, 12]),
];

/// The cases: one for each guest, with all hosts of its size.
pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let (wholly, routed, sets, square) = scope.quick_or_full((28, 20, 3, 729), (96, 56, 10, 4096));
    let mut cases: Vec<Case> = vec![];
    for size in 2..=wholly {
        let extent = Extent { routed_sets: (size <= routed).then_some(sets) };
        cases.extend(for_each(machines_of(size), move |guest, findings| {
            for host in machines_of(size) {
                check_pair(&guest, &host, extent, findings);
            }
        }));
    }
    let extent = Extent { routed_sets: Some(sets) };
    let more = MORE_PAIRS.iter().map(|(guest, host)| (guest.to_vec(), host.to_vec()));
    let squares = square_pairs(square).into_iter();
    let large = [(vec![9; 5], vec![243; 2]), (vec![243; 2], vec![9; 5])].into_iter();
    let large = large.filter(|_| matches!(scope, Scope::Full));
    for (guest, host) in more.chain(squares).chain(large) {
        cases.extend(kinds_of_pair(&guest, &host, extent));
    }
    cases.push(Box::new(dilation::check_ring_of_two));
    cases
}

/// A case for each choice of mesh or torus.
fn kinds_of_pair(guest: &[u64], host: &[u64], extent: Extent) -> Vec<Case> {
    let hosts = machines(host);
    let pairs = machines(guest)
        .into_iter()
        .flat_map(|guest| hosts.iter().map(move |host| (guest.clone(), host.clone())));
    for_each(pairs, move |(guest, host), findings| check_pair(&guest, &host, extent, findings))
}

fn check_pair(guest: &Machine, host: &Machine, extent: Extent, findings: &mut Findings) {
    for kind in ConstructionKind::ALL {
        let promised = claim_by_name(kind, guest, host);
        let construction = Construction::named(kind, guest, host);
        check_covered((guest, host), &construction, promised, findings, |covered, findings| {
            check(covered, extent, findings);
        });
    }
    let (chosen, promised) = (Construction::choose(guest, host), claim_by_choice(guest, host));
    check_covered((guest, host), &chosen, promised, findings, dilation::check_chosen);
}

/// Measures a construction that is within its theorem; a missing one, or one outside of it,
/// breaks the claim that promises it.
fn check_covered(
    (guest, host): (&Machine, &Machine),
    construction: &Result<Construction, ConstructionError>,
    promised: Option<Claim>,
    findings: &mut Findings,
    measure: impl Fn(&Covered, &mut Findings),
) {
    let refusal = match construction {
        Ok(construction) => match Covered::new(construction) {
            Some(covered) => return measure(&covered, findings),
            None => "outside of its theorem".to_owned(),
        },
        Err(error) => error.to_string(),
    };
    if let Some(claim) = promised {
        findings.fail(claim, &format!("{} on {}", MachineLabel(guest), MachineLabel(host)), &refusal);
    }
}

fn check(covered: &Covered, extent: Extent, findings: &mut Findings) {
    let placement = Placement::Construction(Box::new(covered.construction.clone()));
    dilation::check(covered, &placement, findings);
    check_inverse(covered, findings);
    if let Some(sets) = extent.routed_sets {
        steps::check(covered, &placement, sets, findings);
        steps::check_choices(covered, &placement, findings);
        check_tables(covered, &placement, findings);
    }
}

/// The exchange of addresses on every machine of some sizes.
pub(super) fn exchange_cases(scope: Scope) -> Vec<Case> {
    let sizes = scope.quick_or_full(2..=32, 2..=128);
    for_each(sizes, |size, findings| {
        for machine in machines_of(size) {
            check_exchange(&machine, findings);
        }
    })
}

/// The claim that a construction of this kind exists; `None` if the shapes do not decide.
///
/// Guest and host have equally many nodes.
pub(super) fn claim_by_name(kind: ConstructionKind, guest: &Machine, host: &Machine) -> Option<Claim> {
    let (from_torus, to_torus) = (is_torus_guest(guest), is_torus_host(host));
    let (d, c) = (dimensions(guest), dimensions(host));
    let into_hypercube = is_hypercube(host) && d < c;
    let square = side(guest).is_some() && side(host).is_some();
    let when = |holds: bool, claim| holds.then_some(claim);
    match kind {
        ConstructionKind::BasicF => when(d == 1 && !from_torus, LINE),
        ConstructionKind::BasicH if to_torus => when(d == 1 && from_torus, RING_INTO_TORUS),
        ConstructionKind::BasicH => {
            when(d == 1 && from_torus && c >= 2 && guest.node_count().is_multiple_of(2), EVEN_RING_INTO_MESH)
        }
        ConstructionKind::BasicG => when(d == 1 && from_torus && !to_torus, RING_INTO_MESH),
        ConstructionKind::SameShape if lengths_in_order(guest) == lengths_in_order(host) => {
            Some(if from_torus && !to_torus { SAME_SHAPE } else { REORDERED })
        }
        ConstructionKind::ExpansionF => when(into_hypercube && !from_torus, INTO_HYPERCUBE),
        ConstructionKind::ExpansionH => when(into_hypercube && from_torus, INTO_HYPERCUBE),
        ConstructionKind::SimpleReduction if is_hypercube(guest) => when(c < d, CUBE),
        ConstructionKind::SimpleReduction => when(square && c < d && d.is_multiple_of(c), SQUARE_DIVISIBLE),
        ConstructionKind::SquareLowering => when(square && c < d && !d.is_multiple_of(c), SQUARE_LOWERING),
        ConstructionKind::SquareRising => when(square && d < c && !c.is_multiple_of(d), SQUARE_RISING),
        _ => None,
    }
}

/// The claim that some construction exists for two square graphs of different dimension; `None` for
/// other pairs.
///
/// Guest and host have equally many nodes.
pub(super) fn claim_by_choice(guest: &Machine, host: &Machine) -> Option<Claim> {
    let (d, c) = (dimensions(guest), dimensions(host));
    let (Some(_), Some(_), true) = (side(guest), side(host), d != c) else { return None };
    Some(match (c < d, d.max(c).is_multiple_of(d.min(c))) {
        (true, true) => SQUARE_DIVISIBLE,
        (true, false) => SQUARE_LOWERING,
        (false, true) => SQUARE_EXPANSION,
        (false, false) => SQUARE_RISING,
    })
}

fn dimensions(machine: &Machine) -> usize {
    machine.shape().dimension_count()
}

fn lengths_in_order(machine: &Machine) -> Vec<u64> {
    let mut lengths = machine.shape().lengths().to_vec();
    lengths.sort_unstable();
    lengths
}

claims! {
    /// In the order of the dissertation.
    pub(super) INVERSE_CLAIMS:

    "Tao 4.3.1":
        BASIC_INVERSE = "processes that the inverses of f_L, g_L, h_L do not return";
        SAME_SHAPE_INVERSE = "processes that the inverse of pi o T_L does not return";
        EXPANSION_INVERSE = "processes that the inverses of F_V, G_V, H_V do not return";
        SIMPLE_INVERSE = "processes that the inverses of U_V, U_V o T do not return";
        GENERAL_INVERSE = "processes that the inverses of F'_S, H'_S, G'_S, H''_S, G''_S do not return";

    "Tao 4.5.3":
        ELIMINATION_INVERSE = "processes that the inverses of sequential elimination do not return";

    "Tao 4.3.1":
        SQUARE_INVERSE = "processes that the inverses of the square chains do not return";
}

/// Maps every process to its node and back.
pub(super) fn check_inverse(covered: &Covered, findings: &mut Findings) {
    let construction = covered.construction;
    let claim = match construction.kind() {
        ConstructionKind::BasicF | ConstructionKind::BasicG | ConstructionKind::BasicH => BASIC_INVERSE,
        ConstructionKind::SameShape => SAME_SHAPE_INVERSE,
        ConstructionKind::ExpansionF | ConstructionKind::ExpansionH | ConstructionKind::ExpansionG => {
            EXPANSION_INVERSE
        }
        ConstructionKind::SimpleReduction => SIMPLE_INVERSE,
        ConstructionKind::GeneralReduction => GENERAL_INVERSE,
        ConstructionKind::SequentialElimination => ELIMINATION_INVERSE,
        _ => SQUARE_INVERSE,
    };
    let returns = |&process: &ProcessId| construction.process(construction.node(process)) == Some(process);
    let lost =
        ProcessId::first(construction.guest().node_count()).filter(|process| !returns(process)).count();
    findings.add(claim, Trial::equal(0, lost as u64), &ConstructionLabel(construction));
}

/// Measured here, since it is about tables.
pub(super) const UNDROPPED: Claim = Claim::misprinted(
    "Tao 4.4, method 2",
    "entries that are no guest neighbours when every incoming message is made an entry; dropped, there are none",
    "A11",
);

claims! {
    /// In the order of the dissertation.
    pub(super) TABLE_CLAIMS:

    "Tao 4.4, method 1":
        EVALUATED =
            "entries that do not lead to the neighbour they name, or are missing, by evaluating the embedding";

    "Tao 4.4, method 2":
        AGREE =
            "tables that differ from method 1 at unit dilation, others than guest neighbours dropped (errata A11)";
        EXCHANGE_1 = "steps of the exchange of addresses, mode 1: 1";
        EXCHANGE_2 = "steps of the exchange of addresses, mode 2: 2";
        EXCHANGE_3 = "steps of the exchange of addresses, mode 3: 2c";
}

type Tables = Vec<(ProcessId, NodeId, BTreeSet<(ProcessId, NodeId)>)>;

/// Builds the tables of a construction by both methods if both apply.
pub(super) fn check_tables(covered: &Covered, placement: &Placement, findings: &mut Findings) {
    let case = ConstructionLabel(covered.construction);
    let guest = GraphGuest::new(covered.construction.guest().clone());
    let by = |method| tables(&guest, placement, method);
    let Some(evaluated) = findings.or_fail(EVALUATED, &case, by(TableMethod::Evaluation)) else { return };
    findings.add(EVALUATED, Trial::equal(0, wrong_entries(covered, &evaluated)), &case);
    if covered.stated == 1 {
        let Some(exchanged) = findings.or_fail(AGREE, &case, by(TableMethod::Exchange)) else { return };
        let differ = evaluated.iter().zip(&exchanged).filter(|(one, other)| one != other).count();
        let missing = evaluated.len().abs_diff(exchanged.len());
        findings.add(AGREE, Trial::equal(0, (differ + missing) as u64), &case);
    }
}

fn tables(
    guest: &GraphGuest,
    placement: &Placement,
    method: TableMethod,
) -> Result<Tables, cubefold_mapping::TableMethodError> {
    let entries = |table: TranslationTable| (table.process, table.node, table.entries.into_iter().collect());
    Ok(translation_tables(guest, placement, method)?.map(entries).collect())
}

/// The number of entries whose node has another process, by the inverse, and of neighbours without
/// an entry; all for a missing table.
fn wrong_entries(covered: &Covered, tables: &Tables) -> u64 {
    let (guest, construction) = (covered.construction.guest(), covered.construction);
    let mut by_process: BTreeMap<u32, Vec<_>> = BTreeMap::new();
    for (process, node, entries) in tables {
        by_process.entry(process.label()).or_default().push((*node, entries));
    }
    let is_misled = |node, named: ProcessId| construction.process(node) != Some(named);
    let wrong_in = |process: ProcessId, (node, entries): (NodeId, &BTreeSet<(ProcessId, NodeId)>)| {
        let expected = neighbours(guest, NodeId::new(process.label()));
        let misled = entries.iter().filter(|&&(named, node)| is_misled(node, named)).count();
        let found: BTreeSet<u32> = entries.iter().map(|(named, _)| named.label()).collect();
        usize::from(is_misled(node, process)) + misled + found.symmetric_difference(&expected).count()
    };
    let wrong_of = |process: ProcessId| match by_process.get(&process.label()).map(Vec::as_slice) {
        Some(&[table]) => wrong_in(process, table),
        // A second table of a process is as wrong as a missing one.
        _ => neighbours(guest, NodeId::new(process.label())).len(),
    };
    ProcessId::first(guest.node_count()).map(wrong_of).sum::<usize>() as u64
}

/// The nodes at distance 1 from a node: the next ones along a dimension, or the opposite end from
/// an end.
fn neighbours(machine: &Machine, node: NodeId) -> BTreeSet<u32> {
    let (shape, mut found) = (machine.shape(), BTreeSet::new());
    let coordinates = shape.coordinates(node);
    let mut stride = 1;
    for (&length, &at) in shape.lengths().iter().zip(coordinates.as_slice()) {
        let at = u64::from(at);
        for other in [at.wrapping_sub(1), at + 1, 0, length - 1].into_iter().filter(|&other| other < length) {
            let candidate = machine.node(u64::from(node.index()) - at * stride + other * stride);
            found.extend(candidate.ok().filter(|&other| machine.distance(node, other) == 1));
        }
        stride *= length;
    }
    found.into_iter().map(NodeId::index).collect()
}

/// Measures the exchange of addresses on a machine.
pub(super) fn check_exchange(machine: &Machine, findings: &mut Findings) {
    let c = machine.shape().dimension_count() as u64;
    let promises = [(EXCHANGE_1, 1), (EXCHANGE_2, 2), (EXCHANGE_3, 2 * c)];
    for (mode, (claim, promised)) in LinkMode::ALL.into_iter().zip(promises) {
        let steps = address_exchange_steps(machine, links(mode), u64::MAX);
        findings.try_add(claim, steps.map(|steps| Trial::equal(promised, steps)), &MachineLabel(machine));
    }
}

/// The line of 4 on the (2, 2)-mesh, as `0 1 / 3 2` (errata A11).
pub(super) fn check_undropped(findings: &mut Findings) {
    let (line, host) = (mesh(&[4]), mesh(&[2, 2]));
    let nodes = [0, 1, 3, 2].map(NodeId::new);
    let placement = table(&host, nodes.to_vec());
    let case = format!("{} on {}", MachineLabel(&line), MachineLabel(&host));
    let is_neighbour = |process: u32, other: u32| neighbours(&line, NodeId::new(process)).contains(&other);
    // As printed: every physical neighbour that sends its address becomes an entry.
    let senders = |process: usize| neighbours(&host, nodes[process]);
    let on_node = |node: u32| {
        nodes.iter().zip(0_u32..).find(|(place, _)| place.index() == node).map(|(_, process)| process)
    };
    let printed = (0..4).flat_map(|process| senders(process).into_iter().map(move |node| (process, node)));
    let foreign = printed
        .filter_map(|(process, node)| Some((u32::try_from(process).ok()?, on_node(node)?)))
        .filter(|&(process, other)| !is_neighbour(process, other))
        .count();
    findings.add(UNDROPPED, Trial::equal(0, foreign as u64), &case);
    let tables = tables(&GraphGuest::new(line.clone()), &placement, TableMethod::Exchange);
    let Some(tables) = findings.or_fail(UNDROPPED, &case, tables) else { return };
    let entries =
        tables.iter().flat_map(|(process, _, entries)| entries.iter().map(|entry| (*process, entry.0)));
    let foreign = entries.filter(|(process, other)| !is_neighbour(process.label(), other.label())).count();
    findings.add_reading(UNDROPPED, Trial::equal(0, foreign as u64), &case);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::torus;

    #[test]
    fn shapes_alone_tell_which_constructions_there_are() {
        let name = |kind, guest: &Machine, host: &Machine| claim_by_name(kind, guest, host);
        let (line, ring, mesh_3_3) = (mesh(&[9]), torus(&[9]), mesh(&[3, 3]));
        assert_eq!(name(ConstructionKind::BasicF, &line, &mesh_3_3), Some(LINE));
        assert_eq!(name(ConstructionKind::BasicF, &ring, &mesh_3_3), None);
        assert_eq!(name(ConstructionKind::BasicH, &ring, &torus(&[3, 3])), Some(RING_INTO_TORUS));
        // Neither a mesh of odd size nor a line has a Hamiltonian circuit.
        assert_eq!(name(ConstructionKind::BasicH, &ring, &mesh_3_3), None);
        assert_eq!(name(ConstructionKind::BasicH, &torus(&[6]), &mesh(&[6])), None);
        assert_eq!(name(ConstructionKind::BasicH, &torus(&[6]), &mesh(&[3, 2])), Some(EVEN_RING_INTO_MESH));
        assert_eq!(
            name(ConstructionKind::SameShape, &torus(&[2, 3, 4]), &mesh(&[4, 2, 3])),
            Some(SAME_SHAPE)
        );
        assert_eq!(name(ConstructionKind::SameShape, &mesh(&[4, 6]), &mesh(&[3, 8])), None);
    }

    #[test]
    fn the_theorem_on_square_graphs_is_told_by_their_dimensions() {
        let choice = |guest: &[u64], host: &[u64]| claim_by_choice(&mesh(guest), &mesh(host));
        assert_eq!(choice(&[2; 4], &[4; 2]), Some(SQUARE_DIVISIBLE));
        assert_eq!(choice(&[4; 3], &[8; 2]), Some(SQUARE_LOWERING));
        assert_eq!(choice(&[4; 2], &[2; 4]), Some(SQUARE_EXPANSION));
        assert_eq!(choice(&[8; 2], &[4; 3]), Some(SQUARE_RISING));
        assert_eq!(choice(&[8; 2], &[4, 16]), None);
    }
}
