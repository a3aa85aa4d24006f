//! Tao 1988, 4.4: translation tables.

use std::collections::{BTreeMap, BTreeSet};

use cubefold_mapping::{GraphGuest, Placement, ProcessId, TableMethod, TranslationTable, translation_tables};
use cubefold_topology::{LinkMode, Machine, NodeId};

use cubefold_experiment::address_exchange_steps;

use super::{
    claim::Claim,
    dilation::Covered,
    findings::Findings,
    pairs::{Case, Words, mesh},
    routed::{links, table},
    trial::Trial,
};

const EVALUATED: Claim = Claim::new(
    "Tao 4.4, method 1",
    "entries that do not lead to the neighbour they name, or are missing, by evaluating the embedding",
);
const AGREE: Claim = Claim::new(
    "Tao 4.4, method 2",
    "tables that differ from method 1 at unit dilation, others than guest neighbours dropped (errata A11)",
);
const STEPS: [Claim; 3] = [
    Claim::new("Tao 4.4, method 2", "steps of the exchange of addresses, mode 1: 1"),
    Claim::new("Tao 4.4, method 2", "steps of the exchange of addresses, mode 2: 2"),
    Claim::new("Tao 4.4, method 2", "steps of the exchange of addresses, mode 3: 2c"),
];
/// Measured here, as it is about tables.
pub(super) const UNDROPPED: Claim = Claim::misprinted(
    "Tao 4.4, method 2",
    "entries that are no guest neighbours when every incoming message is made an entry; dropped, there are none",
    "A11",
);

/// In the order of the dissertation.
pub(super) const CLAIMS: &[Claim] = &[EVALUATED, AGREE, STEPS[0], STEPS[1], STEPS[2]];

type Tables = Vec<(ProcessId, NodeId, BTreeSet<(ProcessId, NodeId)>)>;

/// Makes the tables of a construction by both methods where both apply.
pub(super) fn check(covered: &Covered, placement: &Placement, findings: &mut Findings) {
    let case = Case(covered.construction);
    let guest = GraphGuest::new(covered.construction.guest().clone());
    let by = |method| tables(&guest, placement, method);
    let evaluated = match by(TableMethod::Evaluation) {
        Ok(tables) => tables,
        Err(error) => return findings.fail(EVALUATED, &case, &error),
    };
    findings.add(EVALUATED, Trial::equal(0, wrong_entries(covered, &evaluated)), &case);
    if covered.stated == 1 {
        match by(TableMethod::Exchange) {
            Ok(exchanged) => {
                let differ = evaluated.iter().zip(&exchanged).filter(|(one, other)| one != other).count();
                let missing = evaluated.len().abs_diff(exchanged.len());
                findings.add(AGREE, Trial::equal(0, (differ + missing) as u64), &case);
            }
            Err(error) => findings.fail(AGREE, &case, &error),
        }
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

/// Entries whose node has another process, by the inverse, and neighbours without an entry; of a table that is
/// missing, all.
fn wrong_entries(covered: &Covered, tables: &Tables) -> u64 {
    let (guest, construction) = (covered.construction.guest(), covered.construction);
    let mut by_process: BTreeMap<u32, Vec<_>> = BTreeMap::new();
    for (process, node, entries) in tables {
        by_process.entry(process.label()).or_default().push((*node, entries));
    }
    let is_misled = |node, named: ProcessId| construction.process(node) != named;
    let wrong_in = |process: ProcessId, (node, entries): (NodeId, &BTreeSet<(ProcessId, NodeId)>)| {
        let expected = neighbours(guest, NodeId::new(process.label()));
        let misled = entries.iter().filter(|&&(named, node)| is_misled(node, named)).count();
        let found: BTreeSet<u32> = entries.iter().map(|(named, _)| named.label()).collect();
        usize::from(is_misled(node, process)) + misled + found.symmetric_difference(&expected).count()
    };
    let wrong_of = |process: ProcessId| match by_process.get(&process.label()).map(Vec::as_slice) {
        Some(&[table]) => wrong_in(process, table),
        // A second table of a process is as wrong as one that is missing.
        _ => neighbours(guest, NodeId::new(process.label())).len(),
    };
    ProcessId::first(guest.node_count()).map(wrong_of).sum::<usize>() as u64
}

/// The nodes at distance 1 from a node: along one dimension the next ones, or from one end the other.
fn neighbours(machine: &Machine, node: NodeId) -> BTreeSet<u32> {
    let (shape, mut found) = (machine.shape(), BTreeSet::new());
    let own = shape.coordinates(node);
    let mut stride = 1;
    for (&length, &at) in shape.lengths().iter().zip(own.as_slice()) {
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
    for ((mode, claim), promised) in LinkMode::ALL.into_iter().zip(STEPS).zip([1, 2, 2 * c]) {
        match address_exchange_steps(machine, links(mode), u64::MAX) {
            Ok(steps) => findings.add(claim, Trial::equal(promised, steps), &Words(machine)),
            Err(error) => findings.fail(claim, &Words(machine), &error),
        }
    }
}

/// The line of 4 on the (2, 2)-mesh, as `0 1 / 3 2` (errata A11).
pub(super) fn check_undropped(findings: &mut Findings) {
    let (line, host) = (mesh(&[4]), mesh(&[2, 2]));
    let nodes = [0, 1, 3, 2].map(NodeId::new);
    let placement = table(&host, nodes.to_vec());
    let case = format!("{} on {}", Words(&line), Words(&host));
    let is_neighbour = |process: u32, other: u32| neighbours(&line, NodeId::new(process)).contains(&other);
    // As printed: every physical neighbour that sends its address becomes an entry.
    let senders = |process: usize| neighbours(&host, nodes[process]);
    let on_node =
        |node: u32| nodes.iter().zip(0_u32..).find(|(own, _)| own.index() == node).map(|found| found.1);
    let printed = (0..4).flat_map(|process| senders(process).into_iter().map(move |node| (process, node)));
    let foreign = printed
        .filter_map(|(process, node)| Some((u32::try_from(process).ok()?, on_node(node)?)))
        .filter(|&(process, other)| !is_neighbour(process, other))
        .count();
    findings.add(UNDROPPED, Trial::equal(0, foreign as u64), &case);
    match tables(&GraphGuest::new(line.clone()), &placement, TableMethod::Exchange) {
        Ok(tables) => {
            let entries = tables
                .iter()
                .flat_map(|(process, _, entries)| entries.iter().map(|entry| (*process, entry.0)));
            let foreign = entries.filter(|(own, other)| !is_neighbour(own.label(), other.label())).count();
            findings.add_reading(UNDROPPED, Trial::equal(0, foreign as u64), &case);
        }
        Err(error) => findings.fail(UNDROPPED, &case, &error),
    }
}
