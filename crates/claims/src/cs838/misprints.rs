//! Statements of CS838 1999 that fail as printed (errata N1 to N11), each with the reading that
//! holds.

use cubefold_mapping::{
    ProcessId, RoutedEmbedding,
    classic::{
        ClassicError, ExampleMeshes, binomial_tree, butterfly_in_cycles, example_meshes, mesh_of_trees,
        square_in_rectangle, torus_in_mesh, torus_in_ring, unshuffled_words,
    },
};
use cubefold_topology::{Machine, MachineKind, NodeId};

use crate::{
    cases::{MachineLabel, machine, mesh, rectangles, shapes, torus},
    claim::{Claim, Trial, claims},
    dilation::Search,
    findings::{Case, Findings, Scope},
};

claims! {
    /// In the order of the errata. N9, on normal algorithms, is a promise that is exceeded.
    pub(super) CLAIMS:

    "CS838 toruses in toruses":
        IN_RING =
            "link congestion of T(z1, z2) in the ring of z1 z2: min(z1, z2); by shortest routes two more, 3 for min = 2", erratum "N1";

    "CS838 shuffle-based topologies":
        SHUFFLED =
            "dilation of SE_n in dB_(2,n), odd words shuffled (rotated left): 1; unshuffled (right)", erratum "N2";

    "CS838 trees":
        SUBGRAPH =
            "complete binary trees CBT_n that are subgraphs of Q_(n+1), by trial of all placements: 0; for n >= 2", erratum "N3";

    "CS838 meshes of trees":
        SMALLEST =
            "dimensions of the smallest hypercube with as many nodes as MT_n has vertices: 2n + 2; for n >= 2", erratum "N4";

    "CS838 meshes and toruses":
        FOLDED = "dilation of a torus on the mesh of its lengths: 2; 1 when all lengths are 2", erratum "N5";
        FOLDED_CONGESTION =
            "link congestion of a torus on the mesh of its lengths: 2; 1 when all lengths are 2", erratum "N5";

    "CS838 meshes in meshes":
        SNAKING =
            "link congestion of M(w, w) in M(z1, z2): 1 + ceil(z1 / w) at most; where snakes bounce twice that", erratum "N6";
        EXAMPLE =
            "link congestion of M(2, 9) in M(3, 6) at dilation 2: 3; that of M(3, 6) in M(2, 9)", erratum "N7";

    "CS838 divide and conquer":
        DIMENSIONS = "the last dimension that divide and conquer on Q_n crosses: n; n - 1", erratum "N8";

    "CS838 arrays and cycles":
        HAMILTONIAN_MESH =
            "meshes of a shape with a Hamiltonian cycle: 1 if some length is even, else 0; of two dimensions or more", erratum "N10";
        HAMILTONIAN_TORUS =
            "toruses of a shape with a Hamiltonian cycle: 1; of three nodes or more", erratum "N10";

    "CS838 butterflies and CCC":
        BUTTERFLY =
            "link congestion of wBF_n in CCC_n by the routes of the notes, from n = 2 on: 2; n >= 3", erratum "N11";
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let (most, side, nodes) = match scope {
        Scope::Quick => (6, 12, 12),
        Scope::Full => (10, 36, 16),
    };
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

/// The variant that a trial tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    /// The statement as printed.
    Print,
    /// The reading of the erratum.
    Reading,
}

/// Adds the trial of a measure of an embedding.
fn add(findings: &mut Findings, claim: Claim, of: Of, case: &str, trial: Result<Trial, ClassicError>) {
    match (trial, of) {
        (Ok(trial), Of::Print) => findings.add(claim, trial, &case),
        (Ok(trial), Of::Reading) => findings.add_reading(claim, trial, &case),
        (Err(error), Of::Print | Of::Reading) => findings.fail(claim, &case, &error),
    }
}

fn in_rings(side: u64, findings: &mut Findings) {
    for (first, second) in (2..=side).flat_map(|first| (2..first).map(move |second| (first, second))) {
        let case = MachineLabel(&torus(&[first, second])).to_string();
        let congestion =
            || torus_in_ring([first, second]).map(|embedding| embedding.measures().link_congestion);
        let read = if second == 2 { 3 } else { second + 2 };
        let printed = congestion().map(|measured| Trial::equal(second, measured));
        add(findings, IN_RING, Of::Print, &case, printed);
        add(findings, IN_RING, Of::Reading, &case, congestion().map(|measured| Trial::equal(read, measured)));
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
        let read = unshuffled_words(n).map(|embedding| Trial::equal(1, embedding.measures().dilation));
        add(findings, SHUFFLED, Of::Reading, &case, read);
    }
}

fn subgraphs(findings: &mut Findings) {
    for n in 1..=3_u8 {
        let case = format!("n = {n}");
        let cube = machine(MachineKind::Hypercube, &vec![2; usize::from(n) + 1]);
        match Machine::of_dimensions(MachineKind::BinaryTree, n.into()) {
            Ok(tree) => {
                let found = u64::from(Search::finds_unit_dilation(&tree, &cube));
                findings.add(SUBGRAPH, Trial::equal(0, found), &case);
                if n >= 2 {
                    findings.add_reading(SUBGRAPH, Trial::equal(0, found), &case);
                }
            }
            Err(error) => findings.fail(SUBGRAPH, &case, &error),
        }
    }
}

fn smallest(findings: &mut Findings) {
    for n in 1..=6 {
        let case = format!("n = {n}");
        let trial = || {
            let vertices = mesh_of_trees(n)?.measures().vertices;
            let dimensions = vertices.next_power_of_two().ilog2();
            Ok(Trial::equal(2 * u64::from(n) + 2, u64::from(dimensions)))
        };
        add(findings, SMALLEST, Of::Print, &case, trial());
        if n >= 2 {
            add(findings, SMALLEST, Of::Reading, &case, trial());
        }
    }
}

fn folded(size: u64, findings: &mut Findings) {
    for lengths in (2..=size).flat_map(shapes) {
        let case = MachineLabel(&torus(&lengths)).to_string();
        let read = if lengths.iter().all(|&length| length == 2) { 1 } else { 2 };
        let embedding = torus_in_mesh(&lengths).map(|embedding| embedding.measures());
        for (of, promised) in [(Of::Print, 2), (Of::Reading, read)] {
            let measures = || embedding.clone();
            let dilation = measures().map(|measured| Trial::equal(promised, measured.dilation));
            let congestion = measures().map(|measured| Trial::equal(promised, measured.link_congestion));
            add(findings, FOLDED, of, &case, dilation);
            add(findings, FOLDED_CONGESTION, of, &case, congestion);
        }
    }
}

fn snaking(side: u64, findings: &mut Findings) {
    for (side, lengths) in (3..=side).flat_map(|side| rectangles(side).map(move |lengths| (side, lengths))) {
        let case = MachineLabel(&mesh(&lengths)).to_string();
        let printed = 1 + lengths[0].div_ceil(side);
        let is_even_fit = lengths[0].is_multiple_of(side);
        let read = if is_even_fit { printed } else { 2 * printed };
        let embedding = square_in_rectangle(lengths).map(|embedding| embedding.measures().link_congestion);
        for (of, promised) in [(Of::Print, printed), (Of::Reading, read)] {
            let trial = embedding.clone().map(|measured| Trial::at_most(promised, measured));
            add(findings, SNAKING, of, &case, trial);
        }
    }
}

fn examples(findings: &mut Findings) {
    for (example, of) in ExampleMeshes::BOTH.into_iter().zip([Of::Print, Of::Reading]) {
        let trial =
            example_meshes(example).map(|embedding| Trial::equal(3, embedding.measures().link_congestion));
        add(findings, EXAMPLE, of, &format!("{example:?}"), trial);
    }
}

fn dimensions(most: u32, findings: &mut Findings) {
    for n in 1..=most {
        let case = format!("n = {n}");
        let last = binomial_tree(n).map(|embedding| {
            let links = embedding.paths().flat_map(|(_, path)| path.windows(2));
            links.map(|pair| (pair[0].index() ^ pair[1].index()).ilog2()).max().unwrap_or(0)
        });
        for (of, promised) in [(Of::Print, n), (Of::Reading, n - 1)] {
            let trial = last.clone().map(|last| Trial::equal(u64::from(promised), u64::from(last)));
            add(findings, DIMENSIONS, of, &case, trial);
        }
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
    let trial = small_butterfly().map(|embedding| Trial::equal(2, embedding.measures().link_congestion));
    add(findings, BUTTERFLY, Of::Print, "n = 2", trial);
    for n in 3..=most {
        let trial =
            || butterfly_in_cycles(n).map(|embedding| Trial::equal(2, embedding.measures().link_congestion));
        add(findings, BUTTERFLY, Of::Print, &format!("n = {n}"), trial());
        add(findings, BUTTERFLY, Of::Reading, &format!("n = {n}"), trial());
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
