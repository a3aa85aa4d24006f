//! The embeddings as the papers print them: figures, dilations, loads of nodes, and wrapping at length 2.

use cubefold_mapping::EmbeddingKind;
use cubefold_simulator::{EngineChoice, Request};
use cubefold_topology::{LinkMode, Machine, TieRule, Wrap};

use super::setting::{
    IN_ORDER, PLAIN, Setting, Trial, distances, embed, for_each_bijection, line, measure, mesh, mixed, place,
    ring, torus,
};

// The figures of González & Valero 1993, as data in `tests/golden` (`docs/model.md` section 8).

/// The numbers of a golden file, row by row; its first line says what it is.
fn rows(file: &str) -> Vec<Vec<u64>> {
    let row = |line: &str| line.split_whitespace().map(|word| word.parse().unwrap()).collect();
    file.lines().skip(1).map(row).collect()
}

/// Checks that the node in row `p_2` and column `p_1` of `file` holds the process that is printed there,
/// both ways: by the embedding and by its inverse.
fn check_labels(kind: EmbeddingKind, machine: &Machine, file: &str) {
    let placement = embed(kind, machine);
    let labels = rows(file).concat();
    assert_eq!(labels.len() as u64, machine.node_count());
    for (node, label) in machine.nodes().zip(labels) {
        let process = placement.processes(node).next().unwrap();
        assert_eq!(u64::from(process.label()), label, "{kind} on node {node}");
        assert_eq!(placement.node(process), node, "{kind} of process {process}");
    }
}

/// Checks that row `n` of `file` holds the distances of process `n` in all dimensions.
fn check_distances(kind: EmbeddingKind, machine: &Machine, file: &str) {
    let found = distances(&embed(kind, machine));
    for (process, printed) in rows(file).into_iter().enumerate() {
        let row: Vec<u64> = found.iter().map(|dimension| dimension[process]).collect();
        assert_eq!(row, printed, "{kind}, process {process}");
    }
    assert_eq!(rows(file).len() as u64, machine.node_count());
}

#[test]
fn standard_on_a_line_or_ring_of_8_is_figure_2a() {
    let file = include_str!("../../golden/standard_line_or_ring_8.txt");
    check_labels(EmbeddingKind::Standard, &line(3), file);
    check_labels(EmbeddingKind::Standard, &ring(3), file);
}

#[test]
fn standard_on_a_4_by_4_mesh_or_torus_is_figure_2b() {
    let file = include_str!("../../golden/standard_mesh_or_torus_4x4.txt");
    check_labels(EmbeddingKind::Standard, &mesh(&[4, 4]), file);
    check_labels(EmbeddingKind::Standard, &torus(&[4, 4]), file);
}

#[test]
fn byweight_on_a_line_of_8_is_figure_3a() {
    check_labels(EmbeddingKind::Byweight, &line(3), include_str!("../../golden/byweight_line_8.txt"));
}

#[test]
fn distances_on_a_line_of_8_are_figure_4a() {
    let standard = include_str!("../../golden/standard_line_8_distances.txt");
    let byweight = include_str!("../../golden/byweight_line_8_distances.txt");
    check_distances(EmbeddingKind::Standard, &line(3), standard);
    check_distances(EmbeddingKind::Byweight, &line(3), byweight);
}

#[test]
fn xor_on_a_ring_of_16_is_figure_5() {
    check_labels(EmbeddingKind::Xor, &ring(4), include_str!("../../golden/xor_ring_16.txt"));
}

#[test]
fn xor_on_an_8_by_8_torus_is_figure_6() {
    check_labels(EmbeddingKind::Xor, &torus(&[8, 8]), include_str!("../../golden/xor_torus_8x8.txt"));
}

// `byweight` on a line has the least possible dilation (`docs/model.md` section 8; Harper 1966).

/// `sum_(k=0)^(d-1) binomial(k, floor(k/2))`.
fn harper(bits: u32) -> u64 {
    let binomial = |n: u64, k: u64| (1..=k).fold(1, |product, i| product * (n - k + i) / i);
    (0..u64::from(bits)).map(|k| binomial(k, k / 2)).sum()
}

#[test]
fn byweight_dilation_is_harpers_sum_on_every_line() {
    for bits in 1..=16 {
        let dilation = measure(&embed(EmbeddingKind::Byweight, &line(bits))).dilation.max();
        assert_eq!(dilation, harper(bits), "line of 2^{bits}");
    }
}

#[test]
fn no_bijection_on_a_line_of_up_to_8_has_less_dilation_than_byweight() {
    for bits in 1..=3 {
        let (line, mut least) = (line(bits), u64::MAX);
        for_each_bijection(1 << bits, |nodes| {
            let dilation = distances(&place(&line, nodes)).into_iter().flatten().max().unwrap();
            least = least.min(dilation);
        });
        assert_eq!(least, harper(bits), "line of 2^{bits}");
    }
}

/// Whether some order of the processes of the d-cube, at most 16, keeps all neighbours within `dilation`, at
/// least 1, on the line.
///
/// Orders are built from the left. How one can go on depends only on which processes are placed and on the
/// last `dilation` of them, so that of the orders which agree in these one is kept. Process 0 goes first:
/// exclusive or with a label takes any order to one that begins so, and neighbours to neighbours.
fn some_order_stays_within(bits: u32, dilation: u32) -> bool {
    let neighbours = |process: u64| (0..bits).fold(0_u64, |set, i| set | 1 << (process ^ (1 << i)));
    // The set placed, a bit a process; the last ones placed, four bits a process, the latest lowest.
    let mut orders = vec![(1_u64, 0_u64)];
    for placed in 1..1_u32 << bits {
        let mut longer = vec![];
        for (set, last) in orders {
            // The process `dilation` left of the next position has its last chance of a neighbour there.
            let leaving = (placed >= dilation).then(|| last >> (4 * (dilation - 1)) & 15);
            for next in (0..1_u64 << bits).filter(|next| set >> next & 1 == 0) {
                let with_next = set | 1 << next;
                if leaving.is_none_or(|process| neighbours(process) & !with_next == 0) {
                    longer.push((with_next, (last << 4 | next) & ((1 << (4 * dilation)) - 1)));
                }
            }
        }
        longer.sort_unstable();
        longer.dedup();
        orders = longer;
    }
    !orders.is_empty()
}

#[test]
fn no_order_on_a_line_of_16_has_less_dilation_than_byweight() {
    // The smaller lines check the search.
    for bits in 2..=4 {
        let least = u32::try_from(harper(bits)).unwrap();
        assert!(some_order_stays_within(bits, least), "line of 2^{bits}");
        assert!(!some_order_stays_within(bits, least - 1), "line of 2^{bits}");
    }
}

// Loads of nodes and use of links on rings (`docs/model.md` sections 4, 7 and 8; González et al. 1995, 4.5 and
// 4.6).

/// Twice the mean node load, which is a whole number on the rings below.
fn twice_mean_load(kind: EmbeddingKind, bits: u32) -> u64 {
    let load = measure(&embed(kind, &ring(bits))).node_load;
    assert_eq!(load.count, 1 << bits);
    assert_eq!(2 * load.sum % load.count, 0);
    2 * load.sum / load.count
}

#[test]
fn mean_node_load_of_standard_on_every_ring_is_as_its_formula_says() {
    for bits in 2..=16 {
        assert_eq!(twice_mean_load(EmbeddingKind::Standard, bits), (1 << bits) - 1 - u64::from(bits));
    }
}

#[test]
fn mean_node_load_of_xor_on_every_ring_is_as_its_formula_says() {
    for bits in 2..=16 {
        let expected = 3 * (1 << (bits - 2)) - 1 - u64::from(bits);
        assert_eq!(twice_mean_load(EmbeddingKind::Xor, bits), expected);
    }
}

/// The busy cycles of the wraparound link in a run of `standard` on the ring of `2^bits`.
fn wraparound_use(bits: u32, tie: TieRule) -> u64 {
    let trial = Trial::ascend(embed(EmbeddingKind::Standard, &ring(bits)), Setting { tie, ..PLAIN });
    let link_use = trial.asynchronous().traffic.link_use.clone().unwrap();
    let wraparound = link_use.busy_links().find(|(link, _)| link.near.index() == (1 << bits) - 1);
    wraparound.map_or(0, |(_, cycles)| cycles.get())
}

#[test]
fn standard_leaves_the_wraparound_link_idle_unless_ties_go_that_way() {
    for bits in 2..=8 {
        // Only the last dimension ties: 2^(d-1) messages each way. Those that start at h = 2^(d-1) or
        // above and go up, or that start below h and go down, all cross the wraparound link.
        let half = 1 << (bits - 1);
        let found = TieRule::ALL.map(|tie| (tie, wraparound_use(bits, tie)));
        // From an even coordinate up and from an odd one down: h of either half in turn.
        let alternate = (TieRule::Alternate, wraparound_use(bits, TieRule::Alternate));
        let expected =
            [(TieRule::Direct, 0), (TieRule::Positive, half), (TieRule::Negative, half), alternate];
        assert!(alternate.1 > 0 && alternate.1 <= half, "ring of 2^{bits}");
        assert_eq!(found, expected, "ring of 2^{bits}");
    }
}

// A dimension of length 2 has one link whether it is said to wrap or not (`docs/model.md` section 1; Tao 1988,
// 3.2.4), so that the declared wrap changes nothing.

const AROUND: Wrap = Wrap::Around;
const OPEN: Wrap = Wrap::Open;

#[test]
fn wrapping_at_length_2_changes_no_metric_and_no_run() {
    let shape = |pair: Wrap| mixed(&[(2, pair), (8, AROUND), (2, pair), (4, OPEN), (2, pair)]);
    for kind in EmbeddingKind::ALL {
        let [open, around] = [OPEN, AROUND].map(|pair| embed(kind, &shape(pair)));
        assert_eq!(measure(&open), measure(&around), "{kind}");
        for (links, tie) in LinkMode::ALL.into_iter().flat_map(|links| TieRule::ALL.map(|tie| (links, tie))) {
            let setting = Setting { links, tie, ..PLAIN };
            for request in [Request::asynchronous(EngineChoice::Auto), IN_ORDER] {
                let records = |placement| Trial::ascend(placement, setting).run(&request).1;
                assert_eq!(records(open.clone()), records(around.clone()), "{kind}, {links}, {tie}");
            }
        }
    }
}

#[test]
fn torus_and_mesh_of_length_2_are_one_machine_the_hypercube() {
    // Every process has all its neighbours one link away: d (T_a + T_c).
    let setting = Setting { compute: 4, hop: 3, ..PLAIN };
    for wrap in [OPEN, AROUND] {
        let cube = mixed(&[(2, wrap); 6]);
        for kind in EmbeddingKind::ALL {
            let trial = Trial::ascend(embed(kind, &cube), setting);
            assert_eq!(trial.asynchronous().summary.makespan().get(), 6 * (4 + 3), "{kind}");
            assert_eq!(trial.bound(), 6 * (4 + 3));
        }
    }
}
