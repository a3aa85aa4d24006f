//! Lines, rings, meshes and toruses in one another, and a ring in anything.

use cubefold_mapping::classic::{
    ExampleMeshes, example_meshes, rectangle_in_square, recursive_cycle, recursive_path, snake,
    square_in_rectangle, torus_in_ring, tour_cycle, z_order,
};
use cubefold_mapping::{GraphGuest, Guest, RoutedEmbedding};
use cubefold_topology::{Machine, MachineKind, Network};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use super::{
    super::{
        Case, Scope,
        claim::Claim,
        findings::Findings,
        pairs::{Words, machines_of, mesh, shapes, torus},
        routed::key,
    },
    Measure,
    Promise::{AtMost, Exactly},
    check, congestion, dilation, for_each, load,
};

const IN_TORUS: Claim =
    Claim::new("CS838 meshes and toruses", "dilation of a mesh on the torus of the same lengths: 1");
const IN_RING: Claim =
    Claim::new("CS838 toruses in toruses", "dilation of T(z1, z2) in the ring of z1 z2: min(z1, z2)");
const SNAKE: Claim = Claim::new(
    "CS838 meshes in meshes",
    "dilation of M(z1, .., z(n-1) zn) through M(z1, .., zn), a subgraph: 1",
);
const SNAKING: Claim =
    Claim::new("CS838 meshes in meshes", "dilation of M(w, w) in M(z1, z2), w w = z1 z2: ceil(z1 / w)");
const SNAKING_LOAD: Claim =
    Claim::new("CS838 meshes in meshes", "load of M(w, w) in M(z1, z2), w w = z1 z2: 2 at most");
const PAPER: Claim = Claim::new("CS838 meshes in meshes", "dilation of M(z1, z2) in M(w, w), w w = z1 z2: 1");
const PAPER_LOAD: Claim =
    Claim::new("CS838 meshes in meshes", "load of M(z1, z2) in M(w, w), w w = z1 z2: 2");
const PAPER_CONGESTION: Claim =
    Claim::new("CS838 meshes in meshes", "link congestion of M(z1, z2) in M(w, w), w w = z1 z2: 2");
const EXAMPLE: Claim =
    Claim::new("CS838 meshes in meshes", "dilation of M(2, 9) in M(3, 6) and the other way round, load 1: 2");
const RECURSIVE: Claim = Claim::new(
    "CS838 recursive patterns",
    "dilation of the recursive line and ring of 4^i on M(2^i, 2^i), load 1: 1",
);
const PEANO: Claim = Claim::new(
    "CS838 recursive patterns",
    "dilation of the line of 4^i on M(2^i, 2^i) without turns: Theta(2^i), 2^i here",
);
const ANYWHERE: Claim =
    Claim::new("CS838 arrays and cycles", "dilation of a ring in any connected network, load 1: 3 at most");
const ANYWHERE_LOAD: Claim =
    Claim::new("CS838 arrays and cycles", "load of a ring in any connected network: 1");
const ANYWHERE_CONGESTION: Claim =
    Claim::new("CS838 arrays and cycles", "link congestion of a ring in any connected network: 2 at most");

/// In the order of the notes.
pub(super) const CLAIMS: [Claim; 14] = [
    IN_TORUS,
    IN_RING,
    SNAKE,
    SNAKING,
    SNAKING_LOAD,
    PAPER,
    PAPER_LOAD,
    PAPER_CONGESTION,
    EXAMPLE,
    RECURSIVE,
    PEANO,
    ANYWHERE,
    ANYWHERE_LOAD,
    ANYWHERE_CONGESTION,
];

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let (nodes, side, order, seeds) = match scope {
        Scope::Quick => (24, 12, 5, 10),
        Scope::Full => (96, 36, 8, 200),
    };
    [
        for_each(2..=nodes, grids_of_size),
        for_each(3..=side.min(16), toruses_in_rings),
        for_each(3..=side, squares),
        for_each(1..=order, numberings),
        for_each(2..=nodes, tours_of_grids),
        for_each(2..=5, tours_of_families),
        for_each(0..=seeds, tour_of_a_random_network),
        vec![Box::new(examples)],
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn grids_of_size(size: u32, findings: &mut Findings) {
    for lengths in shapes(size.into()) {
        let (guest, host) = (mesh(&lengths), torus(&lengths));
        let grid = GraphGuest::new(guest.clone());
        let edges =
            (0..grid.dimension_count()).flat_map(|dimension| grid.edges(dimension).collect::<Vec<_>>());
        let nodes = host.nodes().collect();
        let embedding = RoutedEmbedding::along_routes_of_the_host(host, nodes, edges);
        let case = Words(&guest).to_string();
        check(findings, &case, embedding.map_err(Into::into), &[(IN_TORUS, dilation, Exactly(1))]);
        if lengths.len() > 1 {
            check(findings, &case, snake(&lengths), &[(SNAKE, dilation, Exactly(1))]);
        }
    }
}

fn toruses_in_rings(first: u32, findings: &mut Findings) {
    let first = u64::from(first);
    for second in 2..first {
        for lengths in [[first, second], [second, first]] {
            let case = Words(&torus(&lengths)).to_string();
            check(findings, &case, torus_in_ring(lengths), &[(IN_RING, dilation, Exactly(second))]);
        }
    }
}

/// The rectangles with a square of this side.
pub(super) fn rectangles(side: u64) -> impl Iterator<Item = [u64; 2]> {
    let widths = (2..side).filter(move |width| (side * side).is_multiple_of(*width));
    widths.map(move |width| [side * side / width, width])
}

fn squares(side: u32, findings: &mut Findings) {
    let side = u64::from(side);
    for lengths in rectangles(side) {
        let case = Words(&mesh(&lengths)).to_string();
        let columns = lengths[0].div_ceil(side);
        let promises = [(SNAKING, dilation as Measure, Exactly(columns)), (SNAKING_LOAD, load, AtMost(2))];
        check(findings, &case, square_in_rectangle(lengths), &promises);
        let promises = [
            (PAPER, dilation as Measure, Exactly(1)),
            (PAPER_LOAD, load, Exactly(2)),
            (PAPER_CONGESTION, congestion, Exactly(2)),
        ];
        check(findings, &case, rectangle_in_square(lengths), &promises);
    }
}

fn numberings(order: u32, findings: &mut Findings) {
    let case = format!("i = {order}");
    check(findings, &case, recursive_path(order), &[(RECURSIVE, dilation, Exactly(1))]);
    check(findings, &case, recursive_cycle(order), &[(RECURSIVE, dilation, Exactly(1))]);
    check(findings, &case, z_order(order), &[(PEANO, dilation, Exactly(1 << order))]);
}

fn examples(findings: &mut Findings) {
    for example in ExampleMeshes::BOTH {
        let case = format!("{example:?}");
        check(findings, &case, example_meshes(example), &[(EXAMPLE, dilation, Exactly(2))]);
    }
}

fn tours_of_grids(size: u32, findings: &mut Findings) {
    for host in machines_of(size.into()) {
        tour(&Words(&host).to_string(), &host, findings);
    }
}

fn tours_of_families(dimensions: u32, findings: &mut Findings) {
    for kind in MachineKind::ALL {
        if let Ok(host) = Machine::of_dimensions(kind, dimensions.into()) {
            tour(&format!("{kind} of {dimensions} dimensions"), &host, findings);
        }
    }
}

fn tour_of_a_random_network(seed: u32, findings: &mut Findings) {
    let task = format!("random network {seed}");
    let mut generator = ChaCha12Rng::from_seed(key(&task));
    let nodes = generator.random_range(2..=64);
    // A tree first, so that it is connected.
    let mut links: Vec<(u32, u32)> = (1..nodes).map(|node| (generator.random_range(0..node), node)).collect();
    for _ in 0..generator.random_range(0..=nodes) {
        links.push((generator.random_range(0..nodes), generator.random_range(0..nodes)));
    }
    let network = Network::from_edges(nodes, &links).map_err(|error| error.to_string());
    let machine = network.and_then(|network| {
        Machine::network(MachineKind::Network, network).map_err(|error| error.to_string())
    });
    match machine {
        Ok(host) => tour(&task, &host, findings),
        Err(error) => findings.fail(ANYWHERE, &task, &error),
    }
}

fn tour(case: &str, host: &Machine, findings: &mut Findings) {
    let promises = [
        (ANYWHERE, dilation as Measure, AtMost(3)),
        (ANYWHERE_LOAD, load, Exactly(1)),
        (ANYWHERE_CONGESTION, congestion, AtMost(2)),
    ];
    check(findings, case, tour_cycle(host), &promises);
}
