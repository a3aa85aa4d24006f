//! The facts of `docs/model.md` section 8, by the reference alone.
//!
//! The embeddings are written straight from section 3, for these checks only.

mod embedding;

use std::collections::BTreeSet;

use embedding::Embedding;

use super::{
    asynchronous::{AsynchronousOutcome, asynchronous},
    coordinated::coordinated,
    grid::Grid,
    metrics::metrics,
    prediction::predicted,
    problem::{Links, Problem},
    route::Tie,
};

fn torus(lengths: &[u64]) -> Grid {
    Grid { lengths: lengths.to_vec(), wraps: vec![true; lengths.len()] }
}

fn mesh(lengths: &[u64]) -> Grid {
    Grid { lengths: lengths.to_vec(), wraps: vec![false; lengths.len()] }
}

/// The number of dimensions of the cube with as many processes as the machine has nodes.
fn dimensions(grid: &Grid) -> u32 {
    grid.number_of_nodes().ilog2()
}

/// The program that exchanges in every dimension once, in order, placed by an embedding; `T_c = 1`.
fn program(grid: &Grid, embedding: Embedding, links: Links, compute_cycles: u64) -> Problem {
    let processes = 0..u32::try_from(grid.number_of_nodes()).unwrap();
    let stage =
        |dimension: u32| processes.clone().map(|process| (process, process ^ (1 << dimension))).collect();
    Problem {
        nodes: embedding.nodes(grid),
        links,
        tie: Tie::Direct,
        hop_cycles: 1,
        compute_cycles,
        wires: None,
        passes: BTreeSet::new(),
        stages: (0..dimensions(grid)).map(stage).collect(),
        grid: grid.clone(),
        explicit: None,
    }
}

/// The predicted makespan of that program.
fn prediction(grid: &Grid, embedding: Embedding, compute_cycles: u64) -> u64 {
    let stages = (0..dimensions(grid)).collect::<Vec<_>>();
    predicted(grid, &embedding.nodes(grid), compute_cycles, 1, &stages)
}

/// Waiting and blocked cycles of all processes and stages.
fn waiting_and_blocked(outcome: &AsynchronousOutcome) -> (u64, u64) {
    let rows = || outcome.rows.iter().flatten();
    (rows().map(|row| row.waiting).sum(), rows().map(|row| row.blocked).sum())
}

/// Distances `D_i(n)` for all processes `n`.
fn distances(grid: &Grid, embedding: Embedding, dimension: u32) -> Vec<u64> {
    let nodes = embedding.nodes(grid);
    (0..nodes.len()).map(|process| grid.distance(nodes[process], nodes[process ^ (1 << dimension)])).collect()
}

#[test]
fn distances_on_a_line_of_eight_are_those_of_figure_4a() {
    let line = mesh(&[8]);
    for (dimension, distance) in [(0, 1), (1, 2), (2, 4)] {
        assert_eq!(distances(&line, Embedding::Standard, dimension), [distance; 8]);
    }
    assert_eq!(distances(&line, Embedding::ByWeight, 0), [3, 3, 4, 4, 4, 4, 3, 3]);
    assert_eq!(distances(&line, Embedding::ByWeight, 1), [2, 3, 2, 3, 3, 2, 3, 2]);
    assert_eq!(distances(&line, Embedding::ByWeight, 2), [1, 2, 2, 1, 1, 2, 2, 1]);
}

#[test]
fn rings_have_the_distances_dilation_and_node_load_of_the_papers() {
    for d in 2..=8 {
        let ring = torus(&[1 << d]);
        let standard = metrics(&ring, &Tie::Direct, &Embedding::Standard.nodes(&ring), d);
        let xor = metrics(&ring, &Tie::Direct, &Embedding::Xor.nodes(&ring), d);
        for (dimension, distances) in (0..d).zip(&standard.distances) {
            assert_eq!((distances.min, distances.max), (1 << dimension, 1 << dimension));
        }
        for (dimension, distances) in (0..d).zip(&xor.distances) {
            let distance = 1 << dimension.min(d - 2);
            assert_eq!((distances.min, distances.max), (distance, distance));
        }
        // the average distance times d, and the mean node load times 2
        let half = 1 << (d - 1);
        for (metrics, sum) in [(standard, (1 << d) - 1), (xor, 3 * (1 << (d - 2)) - 1)] {
            assert_eq!(metrics.total, half * sum);
            assert_eq!(metrics.node_load.count, 2 * half);
            assert_eq!(2 * metrics.node_load.sum, 2 * half * (sum - u64::from(d)));
        }
    }
}

#[test]
fn byweight_on_a_line_has_the_least_possible_dilation() {
    // sum over k < d of binomial(k, floor(k/2)): 1, 1, 2, 3, 6, 10, 20, 35, ...
    let mut dilation = 0;
    for (d, binomial) in (1..).zip([1, 1, 2, 3, 6, 10, 20, 35]) {
        dilation += binomial;
        let line = mesh(&[1 << d]);
        let metrics = metrics(&line, &Tie::Direct, &Embedding::ByWeight.nodes(&line), d);
        assert_eq!(metrics.max, dilation);
        assert_eq!(metrics.spectrum.last_key_value().map(|(dilation, _)| *dilation), Some(dilation));
    }
}

#[test]
fn standard_and_xor_have_no_waiting_no_blocked_cycles_and_no_conflicts() {
    let machines = [torus(&[32]), torus(&[8, 8]), torus(&[4, 2, 8]), mesh(&[16]), mesh(&[4, 8])];
    for grid in machines {
        for embedding in [Embedding::Standard, Embedding::Xor] {
            if matches!(embedding, Embedding::Xor) && grid.wraps.contains(&false) {
                continue;
            }
            let problem = program(&grid, embedding, Links::FullDuplex, 3);
            let run = asynchronous(&problem);
            assert_eq!((waiting_and_blocked(&run), run.longest_queue), ((0, 0), 0));
            assert_eq!(run.makespan, prediction(&grid, embedding, 3));
            let coordinated_run = coordinated(&problem, None);
            assert_eq!(coordinated_run.conflicts, vec![0; problem.stages.len()]);
            assert_eq!(coordinated_run.rows, run.rows);
            assert_eq!(coordinated_run.makespan, run.makespan);
        }
    }
}

#[test]
fn standard_and_xor_have_the_makespans_of_the_papers() {
    check_standard_and_xor(&[(torus(&[64]), 63, 47), (torus(&[8, 8]), 14, 10)]);
}

#[test]
#[ignore = "a minute: 4096 processes, link by link"]
fn standard_and_xor_have_the_makespans_of_the_papers_on_128_by_32() {
    check_standard_and_xor(&[(torus(&[128, 32]), 158, 118)]);
}

fn check_standard_and_xor(cases: &[(Grid, u64, u64)]) {
    for &(ref grid, standard, xor) in cases {
        for (embedding, makespan) in [(Embedding::Standard, standard), (Embedding::Xor, xor)] {
            let problem = program(grid, embedding, Links::FullDuplex, 0);
            assert_eq!(asynchronous(&problem).makespan, makespan);
            assert_eq!(coordinated(&problem, None).makespan, makespan);
            assert_eq!(prediction(grid, embedding, 0), makespan);
        }
    }
}

#[test]
fn byweight_and_gray_have_the_predictions_of_the_model() {
    let cases = [(torus(&[64]), 111, 58), (torus(&[8, 8]), 18, 10), (torus(&[128, 32]), 302, 148)];
    for (grid, byweight, gray) in cases {
        assert_eq!(prediction(&grid, Embedding::ByWeight, 0), byweight);
        assert_eq!(prediction(&grid, Embedding::Gray, 0), gray);
    }
}

#[test]
fn optimal_takes_xor_where_the_machine_wraps_and_standard_elsewhere() {
    let grid = Grid { lengths: vec![16, 8], wraps: vec![true, false] };
    let problem = program(&grid, Embedding::Optimal, Links::FullDuplex, 0);
    // bound: 3 * 2^2 - 1 for the ring of 16 and 2^3 - 1 for the line of 8
    assert_eq!((asynchronous(&problem).makespan, prediction(&grid, Embedding::Optimal, 0)), (18, 18));
}

#[test]
fn a_torus_of_64_by_64_takes_the_makespan_waiting_and_blocked_cycles_of_the_model() {
    let grid = torus(&[64, 64]);
    let cases = [(Embedding::ByWeight, 356, 146_432, 16_000), (Embedding::Gray, 248, 0, 38_400)];
    for (embedding, makespan, waiting, blocked) in cases {
        let outcome = asynchronous(&program(&grid, embedding, Links::FullDuplex, 10));
        assert_eq!((outcome.makespan, waiting_and_blocked(&outcome)), (makespan, (waiting, blocked)));
        assert_eq!(outcome.messages, 4096 * 12);
    }
}

#[test]
fn finish_times_of_product_embeddings_are_sums_over_the_fields() {
    for links in [Links::FullDuplex, Links::HalfDuplex] {
        for embedding in [Embedding::Standard, Embedding::Xor, Embedding::ByWeight, Embedding::Gray] {
            let finishes = |grid: &Grid| {
                let outcome = asynchronous(&program(grid, embedding, links.clone(), 3));
                outcome.rows.last().unwrap().iter().map(|row| row.finish).collect::<Vec<_>>()
            };
            let (ring, line) = (finishes(&torus(&[16])), finishes(&mesh(&[8])));
            let product = finishes(&Grid { lengths: vec![16, 8], wraps: vec![true, false] });
            for (process, finish) in product.into_iter().enumerate() {
                assert_eq!(finish, ring[process % 16] + line[process / 16]);
            }
        }
    }
}

#[test]
fn xor_on_the_torus_of_8_by_8_is_figure_6() {
    let grid = torus(&[8, 8]);
    let mut processes = [0; 64];
    for (process, node) in (0..).zip(Embedding::Xor.nodes(&grid)) {
        processes[usize::try_from(node).unwrap()] = process;
    }
    let figure = [
        [0, 1, 2, 3, 6, 7, 4, 5],
        [8, 9, 10, 11, 14, 15, 12, 13],
        [16, 17, 18, 19, 22, 23, 20, 21],
        [24, 25, 26, 27, 30, 31, 28, 29],
        [48, 49, 50, 51, 54, 55, 52, 53],
        [56, 57, 58, 59, 62, 63, 60, 61],
        [32, 33, 34, 35, 38, 39, 36, 37],
        [40, 41, 42, 43, 46, 47, 44, 45],
    ];
    assert_eq!(processes, *figure.as_flattened());
}
