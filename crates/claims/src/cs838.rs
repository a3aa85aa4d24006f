//! CS838 1999: embeddings of trees, meshes, toruses and networks in one another, measured over
//! their own routes.
//!
//! This module has lines, rings, meshes and toruses, and the networks; [`trees`] has the trees, [`surveys`]
//! the citations of Tao 1988, 2.2, on trees and meshes, and
//! [`misprints`] the statements that fail as printed (errata N1 to N11) with the readings that
//! hold. Statements that the checked data leaves open are not claimed.

mod misprints;
mod promise;
mod surveys;
mod trees;

use cubefold_mapping::{
    GraphGuest, Guest, RoutedEmbedding,
    classic::{
        ExampleMeshes, butterfly_in_cycles, contracted_exchanges, cycles_in_butterfly, example_meshes,
        folded_levels, merged_levels, rectangle_in_square, recursive_cycle, recursive_path,
        shuffle_then_exchange, snake, square_in_rectangle, torus_in_ring, tour_cycle, unshuffled_words,
        z_order,
    },
};
use cubefold_topology::{Machine, MachineKind, Network};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use self::promise::{
    Measure,
    Promise::{AtMost, Exactly},
    check, congestion, dilation, load,
};
use crate::{
    cases::{MachineLabel, key, machines_of, mesh, rectangles, shapes, torus},
    claim::{Claim, Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

/// In the order of the notes.
pub(super) fn claims() -> Vec<Claim> {
    [trees::CLAIMS, GRID_CLAIMS, NETWORK_CLAIMS, surveys::CLAIMS].concat()
}

/// The statements that fail as printed, in the order of the errata.
pub(super) fn misprinted_claims() -> Vec<Claim> {
    misprints::CLAIMS.to_vec()
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    [
        trees::cases(scope),
        grid_cases(scope),
        network_cases(scope),
        surveys::cases(scope),
        misprints::cases(scope),
    ]
    .into_iter()
    .flatten()
    .collect()
}

claims! {
    /// In the order of the notes.
    GRID_CLAIMS:

    "CS838 meshes and toruses":
        IN_TORUS = "dilation of a mesh on the torus of the same lengths: 1";

    "CS838 toruses in toruses":
        IN_RING = "dilation of T(z1, z2) in the ring of z1 z2: min(z1, z2)";

    "CS838 meshes in meshes":
        SNAKE = "dilation of M(z1, .., z(n-1) zn) through M(z1, .., zn), a subgraph: 1";
        SNAKING = "dilation of M(w, w) in M(z1, z2), w w = z1 z2: ceil(z1 / w)";
        SNAKING_LOAD = "load of M(w, w) in M(z1, z2), w w = z1 z2: 2 at most";
        PAPER = "dilation of M(z1, z2) in M(w, w), w w = z1 z2: 1";
        PAPER_LOAD = "load of M(z1, z2) in M(w, w), w w = z1 z2: 2";
        PAPER_CONGESTION = "link congestion of M(z1, z2) in M(w, w), w w = z1 z2: 2";
        EXAMPLE = "dilation of M(2, 9) in M(3, 6) and the other way round, load 1: 2";

    "CS838 recursive patterns":
        RECURSIVE = "dilation of the recursive line and ring of 4^i on M(2^i, 2^i), load 1: 1";
        PEANO = "dilation of the line of 4^i on M(2^i, 2^i) without turns: Theta(2^i), 2^i here";

    "CS838 arrays and cycles":
        ANYWHERE = "dilation of a ring in any connected network, load 1: 3 at most";
        ANYWHERE_LOAD = "load of a ring in any connected network: 1";
        ANYWHERE_CONGESTION = "link congestion of a ring in any connected network: 2 at most";
}

fn grid_cases(scope: Scope) -> Vec<Case> {
    let (nodes, side, order, seeds) = scope.quick_or_full((24, 12, 5, 10), (96, 36, 8, 200));
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
        let case = MachineLabel(&guest).to_string();
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
            let case = MachineLabel(&torus(&lengths)).to_string();
            check(findings, &case, torus_in_ring(lengths), &[(IN_RING, dilation, Exactly(second))]);
        }
    }
}

fn squares(side: u32, findings: &mut Findings) {
    let side = u64::from(side);
    for lengths in rectangles(side) {
        let case = MachineLabel(&mesh(&lengths)).to_string();
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
        tour(&MachineLabel(&host).to_string(), &host, findings);
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

claims! {
    /// In the order of the notes.
    NETWORK_CLAIMS:

    "CS838 butterflies and CCC":
        CYCLES = "dilation of CCC_n in wBF_n, a spanning subgraph: 1";
        CYCLES_LOAD = "load of CCC_n in wBF_n: 1";
        BUTTERFLY = "dilation of wBF_n in CCC_n, n >= 3, load 1: 2";
        BUTTERFLY_CONGESTION = "link congestion of wBF_n in CCC_n, n >= 3: 2";
        MERGED = "dilation of oBF_n in wBF_n: 1";
        MERGED_LOAD = "load of oBF_n in wBF_n: 2";
        FOLDED = "dilation of wBF_n in oBF_n, load 1: a constant, 3 here";

    "CS838 shuffle-based topologies":
        UNSHUFFLED = "dilation of SE_n in dB_(2,n), a spanning subgraph, odd necklaces unshuffled: 1";
        DE_BRUIJN = "dilation of dB_(2,n) in SE_n, load 1: 2";
        CONTRACTED = "links of dB_(2,n) that are none of SE_(n+1) with contracted exchange arcs: 0";
        CONTRACTED_DILATION = "dilation of SE_(n+1) in dB_(2,n), so that it has no link but those: 1";
}

fn network_cases(scope: Scope) -> Vec<Case> {
    let most = scope.quick_or_full(6, 10);
    let shuffles = for_each(2..=most, shuffles);
    for_each(3..=most, butterflies).into_iter().chain(shuffles).collect()
}

fn butterflies(n: u32, findings: &mut Findings) {
    let case = format!("n = {n}");
    let promises = [(CYCLES, dilation as Measure, Exactly(1)), (CYCLES_LOAD, load, Exactly(1))];
    check(findings, &case, cycles_in_butterfly(n), &promises);
    let promises =
        [(BUTTERFLY, dilation as Measure, Exactly(2)), (BUTTERFLY_CONGESTION, congestion, Exactly(2))];
    check(findings, &case, butterfly_in_cycles(n), &promises);
    let promises = [(MERGED, dilation as Measure, Exactly(1)), (MERGED_LOAD, load, Exactly(2))];
    check(findings, &case, merged_levels(n), &promises);
    check(findings, &case, folded_levels(n), &[(FOLDED, dilation, AtMost(3))]);
}

fn shuffles(n: u32, findings: &mut Findings) {
    let case = format!("n = {n}");
    check(findings, &case, unshuffled_words(n), &[(UNSHUFFLED, dilation, Exactly(1))]);
    check(findings, &case, shuffle_then_exchange(n), &[(DE_BRUIJN, dilation, Exactly(2))]);
    let embedding = contracted_exchanges(n);
    if let Ok(embedding) = &embedding {
        let crossed = embedding.paths().filter(|(_, path)| path.len() > 1);
        let mut links: Vec<_> =
            crossed.map(|(_, path)| (path[0].min(path[1]), path[0].max(path[1]))).collect();
        links.sort_unstable();
        links.dedup();
        let missing = embedding.host().link_count().abs_diff(links.len() as u64);
        findings.add(CONTRACTED, Trial::equal(0, missing), &case);
    }
    check(findings, &case, embedding, &[(CONTRACTED_DILATION, dilation, Exactly(1))]);
}
