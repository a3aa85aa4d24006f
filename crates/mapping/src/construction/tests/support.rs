//! Shapes to try, and measuring by walking every guest edge.

use cubefold_topology::{Machine, MachineKind};

use crate::{Construction, Exactness, GraphGuest, Guest, ProcessId};

/// All lists of lengths of at least 2 with this product.
pub(super) fn shapes(product: u64) -> Vec<Vec<u64>> {
    let mut all = vec![];
    for first in (2..=product).filter(|&first| product.is_multiple_of(first)) {
        if first == product {
            all.push(vec![first]);
        }
        for mut longer in shapes(product / first) {
            longer.insert(0, first);
            all.push(longer);
        }
    }
    all
}

/// The mesh and the torus of a shape, or the hypercube alone.
pub(super) fn machines(shape: &[u64]) -> Vec<Machine> {
    let kinds: &[MachineKind] = if shape.iter().all(|&length| length == 2) {
        &[MachineKind::Hypercube]
    } else {
        &[MachineKind::Mesh, MachineKind::Torus]
    };
    kinds.iter().map(|&kind| Machine::new(kind, shape).unwrap()).collect()
}

/// All nodes of a machine as processes.
pub(super) fn processes(guest: &Machine) -> impl Iterator<Item = ProcessId> {
    ProcessId::first(guest.node_count())
}

/// Every guest edge once.
pub(super) fn edges(guest: &Machine) -> Vec<(ProcessId, ProcessId)> {
    let grid = GraphGuest::new(guest.clone());
    (0..grid.dimension_count()).flat_map(|dimension| grid.edges(dimension).collect::<Vec<_>>()).collect()
}

/// The largest distance between the nodes of neighbouring processes.
pub(super) fn measured_dilation(construction: &Construction) -> u64 {
    let distance = |(a, b)| construction.host().distance(construction.node(a), construction.node(b));
    edges(construction.guest()).into_iter().map(distance).max().unwrap()
}

/// Every node has its processes, as many as the load says, and they have it; all promises on distances hold.
pub(super) fn check(construction: &Construction) {
    let context = describe(construction);
    let (guest, host) = (construction.guest(), construction.host());
    let mut met = vec![false; usize::try_from(guest.node_count()).unwrap()];
    for node in host.nodes() {
        let on_node: Vec<ProcessId> = construction.processes(node).collect();
        assert_eq!(on_node.len() as u64, construction.load(), "{context}");
        assert!(on_node.is_sorted(), "{context}");
        assert_eq!(construction.process(node), on_node[0], "{context}");
        for process in on_node {
            assert!(!std::mem::replace(&mut met[process.label() as usize], true), "{context}");
            assert_eq!(construction.node(process), node, "{context}");
        }
    }
    assert!(met.into_iter().all(|met| met), "{context}");
    check_distances(construction, &context);
}

fn check_distances(construction: &Construction, context: &str) {
    let (measured, promised) = (measured_dilation(construction), construction.dilation());
    match promised.exactness {
        Exactness::Exact => assert_eq!(measured, promised.links, "{context}"),
        Exactness::AtMost => assert!(measured <= promised.links, "{measured} links: {context}"),
    }
    let routing = construction.routing();
    for (number, subset) in (1..).zip(routing.subsets()) {
        assert_eq!(subset.number, number, "{context}");
    }
    let mut farthest = vec![0; routing.subsets().len()];
    for (a, b) in edges(construction.guest()) {
        let Some(subset) = construction.subset(a, b) else { continue };
        assert_eq!(construction.subset(b, a), Some(subset), "{context}");
        let distance = construction.host().distance(construction.node(a), construction.node(b));
        let most = &mut farthest[subset as usize - 1];
        *most = distance.max(*most);
    }
    for (subset, most) in routing.subsets().iter().zip(farthest) {
        assert!(most <= subset.steps.full_duplex, "subset {} goes {most}: {context}", subset.number);
    }
}

/// What a failing test says.
pub(super) fn describe(construction: &Construction) -> String {
    let machine = |machine: &Machine| format!("{} {:?}", machine.kind(), machine.shape().lengths());
    format!(
        "{} ({}) {:?}: {} on {}, dilation {:?}",
        construction.kind(),
        construction.formula(),
        construction.parameters(),
        machine(construction.guest()),
        machine(construction.host()),
        construction.dilation(),
    )
}
