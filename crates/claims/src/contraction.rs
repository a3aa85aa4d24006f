//! Tao 1988, chapter 5: several processes on every node.

use std::collections::BTreeSet;

use cubefold_mapping::{Construction, ConstructionKind, Placement, ProcessId};
use cubefold_simulator::PhaseLength;
use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId};

use crate::{
    cases::{
        ConstructionLabel, MachineLabel, Message, dilation, identity, machine, machines_of, message_sets,
        messages, metrics, most, neighbours, permutations, route, table,
    },
    claim::{Quantity, Trial, claims},
    covered::Covered,
    findings::{Case, Findings, Scope, for_each},
    steps,
};

claims! {
    /// In the order of the dissertation.
    pub(super) CLAIMS:

    "Tao 5.2":
        BEST_EVENNESS =
            "best node evenness of all placements of g processes on h nodes: 1 if h divides g, else 2 (a bound, errata B10)";
        EXACT_EVENNESS = "the same exactly: ceil(g/h) over floor(g/h) (errata B10)";
        EVENNESS = "node evenness of every contraction: 1";

    "Tao 5.3":
        LOAD = "most processes on a node: the guest's size over the host's";
        MIN_LOAD = "fewest processes on a node: the same";
        GENERAL = "dilation of E o mu: that of the embedding E";
        SPECIAL = "dilation of f_L o mu o nu, F_V o mu o nubar, mu o xi, mu o nubar o xi";

    "Tao 5.4.1":
        INVERSE = "processes that a set-valued inverse misses or has too many (errata A6)";

    "Tao prop. 5.4.1":
        STEPS_1 = "steps for permutation sets parallelizable as errata A9 has it, mode 1: those of E";
        STEPS_2 = "steps for permutation sets parallelizable as errata A9 has it, mode 2: those of E";
        STEPS_3 = "steps for permutation sets parallelizable as errata A9 has it, mode 3: those of E";
        CONFLICTS = "conflicts of these sets, all modes";

    "Tao 5.4 (errata A9)":
        SPLIT = "conflicts of any permutation set, split greedily into parallelizable subsets, all modes";

    "Tao cor. 5.4.1, 5.4.2":
        SCATTER = "steps for parallelizable scatter sets at unit dilation, mode 1";
        SCATTER_CONFLICTS = "conflicts of parallelizable scatter sets at unit dilation, mode 1";
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let (most, sets) = scope.quick_or_full((32, 2), (72, 6));
    let guests = (4..=most).flat_map(machines_of);
    let sizes = [(2, 2), (3, 2), (4, 2), (5, 2), (6, 2), (3, 3), (4, 3), (5, 3), (6, 3)];
    let mut cases = for_each(guests, move |guest, findings| check_guest(&guest, sets, findings));
    cases.extend(for_each(sizes, check_evenness));
    cases
}

/// All contractions of a guest on all smaller hosts.
fn check_guest(guest: &Machine, sets: usize, findings: &mut Findings) {
    let size = guest.node_count();
    for nodes in (2..=size / 2).filter(|nodes| size.is_multiple_of(*nodes)) {
        for host in machines_of(nodes) {
            for kind in ConstructionKind::ALL.into_iter().filter(|kind| kind.is_contraction()) {
                if let Ok(construction) = Construction::named(kind, guest, &host) {
                    check(&construction, sets, findings);
                }
            }
        }
    }
}

fn check(construction: &Construction, sets: usize, findings: &mut Findings) {
    let placement = Placement::Construction(Box::new(construction.clone()));
    check_loads(construction, &placement, findings);
    let lost = wrong_processes(construction, |node| construction.processes(node).collect());
    findings.add(INVERSE, Trial::equal(0, lost), &ConstructionLabel(construction));
    let measured = dilation(construction.guest(), &placement);
    if construction.kind() != ConstructionKind::Contraction {
        findings.add(SPECIAL, Trial::equal(1, measured), &ConstructionLabel(construction));
        check_permutations(construction, &placement, [1, 2, 2 * dimensions(construction)], sets, findings);
    } else if let Some(inner) = embedding(construction) {
        let inner_placement = Placement::Construction(Box::new(inner.clone()));
        findings.add(
            GENERAL,
            Trial::equal(dilation(inner.guest(), &inner_placement), measured),
            &ConstructionLabel(construction),
        );
        if let Some(promise) = Covered::new(&inner).and_then(|covered| steps::promise(&covered)) {
            check_permutations(construction, &placement, promise, sets, findings);
        }
    }
    if measured == 1 {
        check_scatter(construction, findings);
    }
}

fn dimensions(construction: &Construction) -> u64 {
    construction.host().shape().dimension_count() as u64
}

/// `E` of `E o mu`: all lengths over `kappa`, which is determined by the number of processes a node.
fn embedding(construction: &Construction) -> Option<Construction> {
    let guest = construction.guest();
    let lengths = guest.shape().lengths();
    let dimensions = u32::try_from(lengths.len()).ok()?;
    let kappa = (2..=construction.load()).find(|kappa| kappa.pow(dimensions) >= construction.load())?;
    let inner = Machine::new(
        if guest.kind() == MachineKind::Hypercube { MachineKind::Mesh } else { guest.kind() },
        &lengths.iter().map(|length| length / kappa).collect::<Vec<_>>(),
    );
    Construction::choose(&inner.ok()?, construction.host()).ok()
}

fn check_loads(construction: &Construction, placement: &Placement, findings: &mut Findings) {
    let load = metrics(construction.guest(), placement).load;
    let promised = construction.guest().node_count() / construction.host().node_count();
    let case = ConstructionLabel(construction);
    findings.add(LOAD, Trial::equal(promised, load.max), &case);
    findings.add(MIN_LOAD, Trial::equal(promised, load.min), &case);
    findings.add(EVENNESS, Trial::equal(1, Quantity::fraction(load.max, load.min)), &case);
}

/// The number of processes that a set-valued inverse does not assign to their node, or assigns to
/// another.
pub(super) fn wrong_processes(
    construction: &Construction,
    inverse: impl Fn(NodeId) -> BTreeSet<ProcessId>,
) -> u64 {
    let mut by_node = vec![BTreeSet::new(); construction.host().nodes().count()];
    for process in ProcessId::first(construction.guest().node_count()) {
        by_node[construction.node(process).index() as usize].insert(process);
    }
    let wrong = |(node, processes): (NodeId, &BTreeSet<ProcessId>)| {
        inverse(node).symmetric_difference(processes).count()
    };
    construction.host().nodes().zip(&by_node).map(wrong).sum::<usize>() as u64
}

/// Random permutation sets of which no two messages share a source node or a destination node.
fn check_permutations(
    construction: &Construction,
    placement: &Placement,
    promise: [u64; 3],
    sets: usize,
    findings: &mut Findings,
) {
    let (guest, host, case) = (construction.guest(), construction.host(), ConstructionLabel(construction));
    let random = permutations(guest, sets, &format!("contraction; {guest:?}; {host:?}"));
    let apart: Vec<Vec<Message>> =
        messages(&random).into_iter().map(|stage| on_own_nodes(construction, stage)).collect();
    let program = message_sets(guest.node_count(), &apart);
    for ((mode, claim), promised) in LinkMode::ALL.into_iter().zip([STEPS_1, STEPS_2, STEPS_3]).zip(promise) {
        let trial = route(&random, placement, mode, PhaseLength::OfPlacement)
            .map(|stages| Trial::equal(0, most(&stages).conflicts));
        findings.try_add(SPLIT, trial, &case);
        let stages = route(&program, placement, mode, PhaseLength::OfPlacement);
        let Some(stages) = findings.or_fail(claim, &case, stages) else { continue };
        for stage in stages {
            findings.add(claim, Trial::at_most(promised, stage.steps), &case);
            findings.add(CONFLICTS, Trial::equal(0, stage.conflicts), &case);
        }
    }
}

fn on_own_nodes(construction: &Construction, messages: Vec<Message>) -> Vec<Message> {
    let (mut sources, mut destinations) = (BTreeSet::new(), BTreeSet::new());
    let apart = |&(from, to): &Message| {
        let [from, to] = [from, to].map(|process| construction.node(process));
        let open = from != to && !sources.contains(&from) && !destinations.contains(&to);
        if open {
            sources.insert(from);
            destinations.insert(to);
        }
        open
    };
    messages.into_iter().filter(apart).collect()
}

/// The scatter set of all processes in parallelizable parts: each part has one of the messages with the same source
/// node and destination node. The nodes send a part at once.
fn check_scatter(construction: &Construction, findings: &mut Findings) {
    let (host, case) = (construction.host(), ConstructionLabel(construction));
    let node = |process: ProcessId| ProcessId::new(construction.node(process).index());
    let between = neighbours(construction.guest()).into_iter().map(|(from, to)| (node(from), node(to)));
    let mut parts: Vec<BTreeSet<Message>> = vec![];
    for message in between.filter(|(from, to)| from != to) {
        match parts.iter_mut().find(|part| !part.contains(&message)) {
            Some(part) => {
                part.insert(message);
            }
            None => parts.push(BTreeSet::from([message])),
        }
    }
    let stages: Vec<Vec<Message>> = parts.into_iter().map(|part| part.into_iter().collect()).collect();
    let program = message_sets(host.node_count(), &stages);
    let stages = route(&program, &identity(host), LinkMode::FullDuplex, PhaseLength::Unlimited);
    let Some(stages) = findings.or_fail(SCATTER, &case, stages) else { return };
    for stage in stages {
        findings.add(SCATTER, Trial::equal(1, stage.steps), &case);
        findings.add(SCATTER_CONFLICTS, Trial::equal(0, stage.conflicts), &case);
    }
}

/// All placements of a line of `guest` processes on a line of `host` nodes.
fn check_evenness((guest, host): (u64, u64), findings: &mut Findings) {
    let [processes, nodes] = [guest, host].map(|length| machine(MachineKind::Line, &[length]));
    let placements = host.pow(u32::try_from(guest).unwrap_or(0));
    let evenness = |number: u64| {
        let digit = |place: u32| u32::try_from(number / host.pow(place) % host).unwrap_or(0);
        let chosen = (0..u32::try_from(guest).unwrap_or(0)).map(|place| NodeId::new(digit(place))).collect();
        let load = metrics(&processes, &table(&nodes, chosen)).load;
        (load.min > 0).then(|| Quantity::fraction(load.max, load.min))
    };
    let Some(best) = (0..placements).filter_map(evenness).min() else { return };
    let case = format!("{} on {}", MachineLabel(&processes), MachineLabel(&nodes));
    let stated = if guest.is_multiple_of(host) { 1 } else { 2 };
    findings.add(BEST_EVENNESS, Trial::stated(stated, best), &case);
    let exact = Quantity::fraction(guest.div_ceil(host), guest / host);
    findings.add(EXACT_EVENNESS, Trial::equal(exact, best), &case);
}
