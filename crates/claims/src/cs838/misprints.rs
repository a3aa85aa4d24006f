//! Statements of CS838 1999 that fail as printed (errata N1 to N11), each with the reading that
//! holds.

use cubefold_mapping::{
    ProcessId, RoutedEmbedding, RoutedMeasures,
    classic::{
        ClassicError, ExampleMeshes, binomial_tree, butterfly_in_cycles, example_meshes, mesh_of_trees,
        square_in_rectangle, torus_in_mesh, torus_in_ring, unshuffled_words,
    },
};
use cubefold_topology::{Machine, MachineKind, NodeId};

use crate::{
    cases::{MachineLabel, hypercube, machine, mesh, rectangles, shapes, torus},
    claim::{Claim, Trial, claims},
    dilation::Search,
    findings::{Case, Findings, Scope},
};

use super::promise::{Measure, congestion, dilation};

claims! {
    /// In the order of the errata. N9, on normal algorithms, is a promise that is exceeded.
    pub(super) CLAIMS:

    "CS838 toruses in toruses":
        IN_RING (erratum "N1") =
            "link congestion of T(z1, z2) in the ring of z1 z2: min(z1, z2); by shortest routes two more, 3 for min = 2";

    "CS838 shuffle-based topologies":
        SHUFFLED (erratum "N2") =
            "dilation of SE_n in dB_(2,n), odd words shuffled (rotated left): 1; unshuffled (right)";

    "CS838 trees":
        SUBGRAPH (erratum "N3") =
            "complete binary trees CBT_n that are subgraphs of Q_(n+1), by trial of all placements: 0; for n >= 2";

    "CS838 meshes of trees":
        SMALLEST (erratum "N4") =
            "dimensions of the smallest hypercube with as many nodes as MT_n has vertices: 2n + 2; for n >= 2";

    "CS838 meshes and toruses":
        FOLDED (erratum "N5") = "dilation of a torus on the mesh of its lengths: 2; 1 when all lengths are 2";
        FOLDED_CONGESTION (erratum "N5") =
            "link congestion of a torus on the mesh of its lengths: 2; 1 when all lengths are 2";

    "CS838 meshes in meshes":
        SNAKING (erratum "N6") =
            "link congestion of M(w, w) in M(z1, z2): 1 + ceil(z1 / w) at most; where snakes bounce twice that";
        EXAMPLE (erratum "N7") =
            "link congestion of M(2, 9) in M(3, 6) at dilation 2: 3; that of M(3, 6) in M(2, 9)";

    "CS838 divide and conquer":
        DIMENSIONS (erratum "N8") = "the last dimension that divide and conquer on Q_n crosses: n; n - 1";

    "CS838 arrays and cycles":
        HAMILTONIAN_MESH (erratum "N10") =
            "meshes of a shape with a Hamiltonian cycle: 1 if some length is even, else 0; of two dimensions or more";
        HAMILTONIAN_TORUS (erratum "N10") =
            "toruses of a shape with a Hamiltonian cycle: 1; of three nodes or more";

    "CS838 butterflies and CCC":
        BUTTERFLY (erratum "N11") =
            "link congestion of wBF_n in CCC_n by the routes of the notes, from n = 2 on: 2; n >= 3";
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let (most, side, nodes) = scope.quick_or_full((6, 12, 12), (10, 36, 16));
    vec![
        Box::new(move |findings| in_rings(side.min(16), findings)),
        Box::new(move |findings| shuffled(most, findings)),
        Box::new(subgraphs),
        Box::new(smallest),
        Box::new(move |findings| folded(2 * nodes, findings)),
        Box::new(move |findings| snaking(side, findings)),
        Box::new(examples),
        Box::new(move |findings| dimensions(most, findings)),
        Box::new(move |findings| hamiltonian(nodes, findings)),
        Box::new(move |findings| butterflies(most.min(7), findings)),
    ]
}

/// The measures of an embedding; without one, the claim fails.
fn measures(
    claim: Claim,
    case: &str,
    embedding: Result<RoutedEmbedding, ClassicError>,
    findings: &mut Findings,
) -> Option<RoutedMeasures> {
    findings.or_fail(claim, &case, embedding.map(|embedding| embedding.measures()))
}

fn in_rings(side: u64, findings: &mut Findings) {
    for (first, second) in (2..=side).flat_map(|first| (2..first).map(move |second| (first, second))) {
        let case = MachineLabel(&torus(&[first, second])).to_string();
        let embedding = torus_in_ring([first, second]);
        let Some(measures) = measures(IN_RING, &case, embedding, findings) else { continue };
        let read = if second == 2 { 3 } else { second + 2 };
        findings.add(IN_RING, Trial::equal(second, measures.link_congestion), &case);
        findings.add_reading(IN_RING, Trial::equal(read, measures.link_congestion), &case);
    }
}

fn shuffled(most: u32, findings: &mut Findings) {
    for n in 1..=most {
        let case = format!("n = {n}");
        let networks = [MachineKind::ShuffleExchange, MachineKind::DeBruijn]
            .map(|kind| Machine::of_dimensions(kind, n.into()));
        let [Ok(guest), Ok(host)] = networks else {
            findings.fail(SHUFFLED, &case, &"no networks");
            continue;
        };
        let left = |word: u32| (word << 1 | word >> (n - 1)) & ((1 << n) - 1);
        let place = |node: NodeId| {
            let word = node.index();
            NodeId::new(if word.count_ones().is_multiple_of(2) { word } else { left(word) })
        };
        let links = guest.nodes().flat_map(|node| guest.neighbours(node).map(move |beside| (node, beside)));
        let dilation = links.map(|(one, other)| host.distance(place(one), place(other))).max();
        findings.add(SHUFFLED, Trial::equal(1, dilation.unwrap_or(0)), &case);
        let Some(read) = measures(SHUFFLED, &case, unshuffled_words(n), findings) else { continue };
        findings.add_reading(SHUFFLED, Trial::equal(1, read.dilation), &case);
    }
}

fn subgraphs(findings: &mut Findings) {
    for n in 1..=3_u32 {
        let case = format!("n = {n}");
        let cube = hypercube(n + 1);
        let tree = Machine::of_dimensions(MachineKind::BinaryTree, n.into());
        let Some(tree) = findings.or_fail(SUBGRAPH, &case, tree) else { continue };
        let found = u64::from(Search::finds_unit_dilation(&tree, &cube));
        findings.add(SUBGRAPH, Trial::equal(0, found), &case);
        if n >= 2 {
            findings.add_reading(SUBGRAPH, Trial::equal(0, found), &case);
        }
    }
}

fn smallest(findings: &mut Findings) {
    for n in 1..=6 {
        let case = format!("n = {n}");
        let Some(measures) = measures(SMALLEST, &case, mesh_of_trees(n), findings) else { continue };
        let dimensions = measures.vertices.next_power_of_two().ilog2();
        let trial = Trial::equal(2 * u64::from(n) + 2, u64::from(dimensions));
        findings.add(SMALLEST, trial, &case);
        if n >= 2 {
            findings.add_reading(SMALLEST, trial, &case);
        }
    }
}

fn folded(size: u64, findings: &mut Findings) {
    for lengths in (2..=size).flat_map(shapes) {
        let case = MachineLabel(&torus(&lengths)).to_string();
        let read = if lengths.iter().all(|&length| length == 2) { 1 } else { 2 };
        let embedding = torus_in_mesh(&lengths).map(|embedding| embedding.measures());
        for (claim, measured) in [(FOLDED, dilation as Measure), (FOLDED_CONGESTION, congestion)] {
            let Some(measures) = findings.or_fail(claim, &case, embedding.as_ref()) else { continue };
            findings.add(claim, Trial::equal(2, measured(measures)), &case);
            findings.add_reading(claim, Trial::equal(read, measured(measures)), &case);
        }
    }
}

fn snaking(side: u64, findings: &mut Findings) {
    for (side, lengths) in (3..=side).flat_map(|side| rectangles(side).map(move |lengths| (side, lengths))) {
        let case = MachineLabel(&mesh(&lengths)).to_string();
        let printed = 1 + lengths[0].div_ceil(side);
        let is_even_fit = lengths[0].is_multiple_of(side);
        let read = if is_even_fit { printed } else { 2 * printed };
        let embedding = square_in_rectangle(lengths);
        let Some(measures) = measures(SNAKING, &case, embedding, findings) else { continue };
        findings.add(SNAKING, Trial::at_most(printed, measures.link_congestion), &case);
        findings.add_reading(SNAKING, Trial::at_most(read, measures.link_congestion), &case);
    }
}

fn examples(findings: &mut Findings) {
    for example in ExampleMeshes::BOTH {
        let case = format!("{example:?}");
        let Some(measures) = measures(EXAMPLE, &case, example_meshes(example), findings) else { continue };
        let trial = Trial::equal(3, measures.link_congestion);
        match example {
            ExampleMeshes::TwoByNineInThreeBySix => findings.add(EXAMPLE, trial, &case),
            ExampleMeshes::ThreeBySixInTwoByNine => findings.add_reading(EXAMPLE, trial, &case),
        }
    }
}

fn dimensions(most: u32, findings: &mut Findings) {
    for n in 1..=most {
        let case = format!("n = {n}");
        let Some(embedding) = findings.or_fail(DIMENSIONS, &case, binomial_tree(n)) else { continue };
        let links = embedding.paths().flat_map(|(_, path)| path.windows(2));
        let last = links.map(|pair| (pair[0].index() ^ pair[1].index()).ilog2()).max().unwrap_or(0);
        findings.add(DIMENSIONS, Trial::equal(u64::from(n), u64::from(last)), &case);
        findings.add_reading(DIMENSIONS, Trial::equal(u64::from(n - 1), u64::from(last)), &case);
    }
}

fn hamiltonian(size: u64, findings: &mut Findings) {
    for lengths in (2..=size).flat_map(shapes) {
        let ring = machine(MachineKind::Ring, &[lengths.iter().product()]);
        let has_cycle = |host: &Machine| {
            let is_long_enough = host.node_count() > 2;
            Trial::equal(1, u64::from(is_long_enough && Search::finds_unit_dilation(&ring, host)))
        };
        let (mesh, torus) = (mesh(&lengths), torus(&lengths));
        let is_even = lengths.iter().any(|length| length.is_multiple_of(2));
        let mesh_trial = Trial::equal(u64::from(is_even), has_cycle(&mesh).measured);
        findings.add(HAMILTONIAN_MESH, mesh_trial, &MachineLabel(&mesh));
        if lengths.len() > 1 {
            findings.add_reading(HAMILTONIAN_MESH, mesh_trial, &MachineLabel(&mesh));
        }
        findings.add(HAMILTONIAN_TORUS, has_cycle(&torus), &MachineLabel(&torus));
        if torus.node_count() > 2 {
            findings.add_reading(HAMILTONIAN_TORUS, has_cycle(&torus), &MachineLabel(&torus));
        }
    }
}

fn butterflies(most: u32, findings: &mut Findings) {
    for n in 2..=most {
        let case = format!("n = {n}");
        let embedding = if n == 2 { small_butterfly() } else { butterfly_in_cycles(n) };
        let Some(measures) = measures(BUTTERFLY, &case, embedding, findings) else { continue };
        let trial = Trial::equal(2, measures.link_congestion);
        findings.add(BUTTERFLY, trial, &case);
        if n > 2 {
            findings.add_reading(BUTTERFLY, trial, &case);
        }
    }
}

/// The wrapped butterfly of two dimensions in the cube-connected cycles, `(i, x)` at `i + 2 x`: its
/// two straight edges between the same vertices count as one.
fn small_butterfly() -> Result<RoutedEmbedding, ClassicError> {
    let host = Machine::of_dimensions(MachineKind::CubeConnectedCycles, 2)?;
    let at = |level: u32, word: u32| ProcessId::new(level + 2 * word);
    let straight = (0..4).map(|word| (at(0, word), at(1, word)));
    let cross = (0..8).map(|vertex| (vertex % 2, vertex / 2)).map(|(i, x)| (at(i, x), at(1 - i, x ^ 1 << i)));
    let path = |from: ProcessId, to: ProcessId| {
        let corner = from.label() % 2 + to.label() / 2 * 2;
        let mut path = vec![from.label(), corner, to.label()];
        path.dedup();
        path.into_iter().map(NodeId::new).collect()
    };
    let nodes = host.nodes().collect();
    Ok(RoutedEmbedding::new(host, nodes, straight.chain(cross), path)?)
}
