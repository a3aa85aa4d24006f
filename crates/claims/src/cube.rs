//! Hypercubes on lines, rings, meshes and toruses: González & Valero 1993, Harper 1966.
//!
//! Measures the tables of the figures, distances and loads on rings, constant distances, and
//! the least dilation on lines.

use cubefold_mapping::{
    EmbeddingKind, Guest, Hypercube, Placement, PlacementMetrics, ProcessId,
    for_each_constant_distance_placement,
};
use cubefold_topology::{Machine, MachineKind, NodeId, TieRule};

use crate::{
    cases::{MachineLabel, machine, table, torus},
    claim::{Claim, Quantity, Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    DISTANCE_CLAIMS:

    "González & Valero 1993, 2.3":
        STANDARD_DISTANCES =
            "dimensions in which standard on the ring of 2^d has another distance than 2^i for every process";

    "González & Valero 1993, 3":
        XOR_DISTANCES =
            "dimensions in which xor on the ring of 2^d has another distance than 2^i, 2^(d-2) in the last, for every process";

    "González & Valero 1993, corollary":
        XOR_AVERAGE =
            "average distance of xor on the ring of 2^d: (3 * 2^(d-2) - 1)/d, the bound of theorem 10";
}

claims! {
    SUM_CLAIMS:

    "González et al. 1995, 4.6":
        STANDARD_LOAD = "mean node load of standard on the ring of 2^d: (2^d - 1 - d)/2";
        XOR_LOAD = "mean node load of xor on the ring of 2^d: (3 * 2^(d-2) - 1 - d)/2";

    "González et al. 1995, 4.4":
        STANDARD_TOTAL = "total dilation of standard on the ring of 2^d: 2^(d-1) (2^d - 1)";
        XOR_TOTAL = "total dilation of xor on the ring of 2^d: 2^(d-1) (3 * 2^(d-2) - 1)";
}

/// In the order in which they are shown.
pub(super) fn claims() -> Vec<Claim> {
    [FIGURE_CLAIMS, DISTANCE_CLAIMS, CONSTANT_DISTANCE_CLAIMS, SUM_CLAIMS].concat()
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let mut cases = figure_cases();
    cases.extend(for_each(2..=scope.quick_or_full(12, 16), check_ring));
    cases.extend(for_each(2..=scope.quick_or_full(4, 5), check_constant_distances));
    cases.extend(for_each(1..=scope.quick_or_full(12, 16), check_harper));
    cases.extend(for_each(1..=scope.quick_or_full(3, 4), check_least_dilation));
    cases
}

/// The ring of `2^bits` nodes.
fn ring(bits: u32) -> Machine {
    machine(MachineKind::Ring, &[1 << bits])
}

/// The line of `2^bits` nodes.
fn line(bits: u32) -> Machine {
    machine(MachineKind::Line, &[1 << bits])
}

/// The cube with a process per node of a machine whose size is a power of two.
#[expect(clippy::expect_used, reason = "machines here have 2 to 2^16 nodes")]
pub(super) fn cube(machine: &Machine) -> Hypercube {
    Hypercube::new(u64::from(machine.node_count().ilog2())).expect("a cube")
}

/// The embedding of this cube on the machine.
#[expect(clippy::expect_used, reason = "the lengths of machines here are powers of two")]
pub(super) fn embed(kind: EmbeddingKind, machine: &Machine) -> Placement {
    Placement::embed(kind, cube(machine), machine).expect("a placement")
}

pub(super) fn measure(placement: &Placement) -> PlacementMetrics {
    PlacementMetrics::measure(&cube(placement.machine()), placement, TieRule::Direct)
}

/// `B = 2^d - 1` for standard and `3 * 2^(d-2) - 1` for xor: the sum of the distances on the ring
/// of `2^d`.
fn sum_of_distances(kind: EmbeddingKind, bits: u32) -> u64 {
    if kind == EmbeddingKind::Xor { 3 * (1 << (bits - 2)) - 1 } else { (1 << bits) - 1 }
}

fn check_ring(bits: u32, findings: &mut Findings) {
    let ring = ring(bits);
    for (kind, [distances, load, total]) in [
        (EmbeddingKind::Standard, [STANDARD_DISTANCES, STANDARD_LOAD, STANDARD_TOTAL]),
        (EmbeddingKind::Xor, [XOR_DISTANCES, XOR_LOAD, XOR_TOTAL]),
    ] {
        let (metrics, case) = (measure(&embed(kind, &ring)), MachineLabel(&ring));
        findings.add(distances, Trial::equal(0, wrong_distances(kind, bits, &metrics)), &case);
        let sum = sum_of_distances(kind, bits);
        let mean = Quantity::fraction(metrics.node_load.sum, metrics.node_load.count);
        findings.add(load, Trial::equal(Quantity::fraction(sum - u64::from(bits), 2), mean), &case);
        findings.add(total, Trial::equal((sum) << (bits - 1), metrics.dilation.total()), &case);
        if kind == EmbeddingKind::Xor {
            let promised = Quantity::fraction(sum, bits.into());
            findings.add(XOR_AVERAGE, Trial::equal(promised, average_distance(&metrics)), &case);
        }
    }
}

/// The dimensions in which some distance is not `2^i`, or `2^(d-2)` in the last under xor.
fn wrong_distances(kind: EmbeddingKind, bits: u32, metrics: &PlacementMetrics) -> u64 {
    let expected = |dimension: u32| match kind {
        EmbeddingKind::Xor => 1 << dimension.min(bits - 2),
        // Halfway round the ring both ways are equally long.
        _ => 1_u64 << dimension,
    };
    let is_wrong = |&dimension: &u32| {
        let found = metrics.distances.get(dimension as usize).map(|distances| distances.over_edges);
        found.is_none_or(|found| (found.min, found.max) != (expected(dimension), expected(dimension)))
    };
    (0..bits).filter(is_wrong).count() as u64
}

/// `D_a`: all dimensions have equally many edges, so the mean over all edges is the mean of the
/// means.
fn average_distance(metrics: &PlacementMetrics) -> Quantity {
    Quantity::fraction(metrics.dilation.total(), metrics.dilation.edges())
}

claims! {
    /// In the order of the paper.
    FIGURE_CLAIMS:

    "González & Valero 1993, figure 4":
        STANDARD = "distances of standard on the line of 8 that differ from the figure";
        BYWEIGHT_FIGURE = "distances of byweight on the line of 8 that differ from the figure";

    "González & Valero 1993, figure 6":
        XOR = "nodes of the (8, 8)-torus with another process under xor than in the figure";
}

/// Figure 4 (a): `D_i(n)`, a row for each dimension and a column for each process.
const STANDARD_LINE: [[u64; 8]; 3] = [[1; 8], [2; 8], [4; 8]];
const BYWEIGHT_LINE: [[u64; 8]; 3] =
    [[3, 3, 4, 4, 4, 4, 3, 3], [2, 3, 2, 3, 3, 2, 3, 2], [1, 2, 2, 1, 1, 2, 2, 1]];

/// Figure 6: the process on each node, a row for each `p_2` and a column for each `p_1`.
const XOR_TORUS: [[u32; 8]; 8] = [
    [0, 1, 2, 3, 6, 7, 4, 5],
    [8, 9, 10, 11, 14, 15, 12, 13],
    [16, 17, 18, 19, 22, 23, 20, 21],
    [24, 25, 26, 27, 30, 31, 28, 29],
    [48, 49, 50, 51, 54, 55, 52, 53],
    [56, 57, 58, 59, 62, 63, 60, 61],
    [32, 33, 34, 35, 38, 39, 36, 37],
    [40, 41, 42, 43, 46, 47, 44, 45],
];

fn figure_cases() -> Vec<Case> {
    vec![
        Box::new(|findings| check_line(EmbeddingKind::Standard, STANDARD, &STANDARD_LINE, findings)),
        Box::new(|findings| check_line(EmbeddingKind::Byweight, BYWEIGHT_FIGURE, &BYWEIGHT_LINE, findings)),
        Box::new(check_torus),
    ]
}

fn check_line(kind: EmbeddingKind, claim: Claim, figure: &[[u64; 8]; 3], findings: &mut Findings) {
    let line = line(3);
    let (placement, cube) = (embed(kind, &line), cube(&line));
    let mut wrong = 0;
    for (dimension, row) in cube.dimensions().zip(figure) {
        for (process, &expected) in ProcessId::first(8).zip(row) {
            let [near, far] =
                [process, cube.neighbour(process, dimension)].map(|process| placement.node(process));
            wrong += u64::from(line.distance(near, far) != expected);
        }
    }
    findings.add(claim, Trial::equal(0, wrong), &MachineLabel(&line));
}

fn check_torus(findings: &mut Findings) {
    let torus: Machine = torus(&[8, 8]);
    let placement = embed(EmbeddingKind::Xor, &torus);
    let differs = |(node, &process): (NodeId, &u32)| !placement.processes(node).eq([ProcessId::new(process)]);
    let wrong = torus.nodes().zip(XOR_TORUS.as_flattened()).filter(|&pair| differs(pair)).count();
    findings.add(XOR, Trial::equal(0, wrong as u64), &MachineLabel(&torus));
}

claims! {
    /// In the order in which they are shown.
    CONSTANT_DISTANCE_CLAIMS:

    "González & Valero 1993, lemma 1":
        /// A claim on every embedding of a ring and every subset.
        SUBSET_SUM (erratum "X1") =
            "sum of any d - 1 distances of an embedding with constant distances on a ring of 2^d: at most 2^(d-1) - 1 in the \
             available text; it is no less";

    "González & Valero 1993, lemma 3":
        CLOCKWISE =
            "dimensions of C(n) or {j} that C(N_j(n)) lacks, j not in C(n), of any embedding with constant distances";

    "González & Valero 1993, lemma 6":
        CLOCKWISE_FROM_CENTRE =
            "dimensions of S - W that C(N_W(c)) lacks, of any embedding with constant distances";

    "González & Valero 1993, theorem 10":
        /// A claim on every embedding.
        NOT_BELOW =
            "average distance of any embedding with constant distances on a ring of 2^d, each tried: no less than \
             (3 * 2^(d-2) - 1)/d";
        /// A claim on all embeddings of a ring together; a search that misses some would not find it.
        LEAST_CONSTANT_DISTANCES =
            "least average distance of all embeddings with constant distances on a ring of 2^d: (3 * 2^(d-2) - 1)/d";
}

/// Each embedding that the search finds is a case of the bound, each ring one of the least.
fn check_constant_distances(bits: u32, findings: &mut Findings) {
    let ring = ring(bits);
    let promised = Quantity::fraction(sum_of_distances(EmbeddingKind::Xor, bits), bits.into());
    let mut least = None;
    for_each_constant_distance_placement(&ring, |nodes| {
        let metrics = measure(&table(&ring, nodes.to_vec()));
        if metrics.constant_distances() {
            let average = average_distance(&metrics);
            findings.add(NOT_BELOW, Trial::at_least(promised, average), &MachineLabel(&ring));
            check_lemmas(&ring, bits, nodes, &metrics, findings);
            least = Some(least.map_or(average, |least: Quantity| least.min(average)));
        }
    });
    let least = least.ok_or("no embedding with constant distances was found");
    let trial = least.map(|least| Trial::equal(promised, least));
    findings.try_add(LEAST_CONSTANT_DISTANCES, trial, &MachineLabel(&ring));
}

/// Lemmas 1, 3 and 6 for an embedding with constant distances, process `n` on `nodes[n]`.
fn check_lemmas(
    ring: &Machine,
    bits: u32,
    nodes: &[NodeId],
    metrics: &PlacementMetrics,
    findings: &mut Findings,
) {
    let case = MachineLabel(ring);
    let distances: Vec<u64> = metrics.distances.iter().map(|distance| distance.over_edges.max).collect();
    let (sum, bound) = (distances.iter().sum::<u64>(), (1 << (bits - 1)) - 1);
    let most = sum - distances.iter().min().copied().unwrap_or(0);
    let least = sum - distances.iter().max().copied().unwrap_or(0);
    findings.add(SUBSET_SUM, Trial::at_most(bound, most), &case);
    findings.add_reading(SUBSET_SUM, Trial::at_least(bound, least), &case);

    // S, the dimensions shorter than 2^(d-2), and C(n), those of S in which the neighbour of n is clockwise.
    let short: Vec<usize> =
        (0..distances.len()).filter(|&dimension| 4 * distances[dimension] < ring.node_count()).collect();
    let set = |dimensions: &[usize]| dimensions.iter().fold(0_usize, |set, dimension| set | 1 << dimension);
    let clockwise = |process: usize| {
        let is_ahead = |&&dimension: &&usize| {
            let [here, there] =
                [process, process ^ 1 << dimension].map(|label| u64::from(nodes[label].index()));
            (here + distances[dimension]) % ring.node_count() == there
        };
        set(&short.iter().filter(is_ahead).copied().collect::<Vec<_>>())
    };
    let all = set(&short);
    let lacking = |kept: usize, found: usize| u64::from((kept & !found).count_ones());
    let (mut beside, mut from_centre) = (0, 0);
    for process in 0..nodes.len() {
        let ahead = clockwise(process);
        for &dimension in short.iter().filter(|&&dimension| ahead >> dimension & 1 == 0) {
            beside += lacking(ahead | 1 << dimension, clockwise(process ^ 1 << dimension));
        }
        if ahead == all {
            let subsets = (0..=all).filter(|subset| subset & !all == 0);
            from_centre +=
                subsets.map(|subset| lacking(all & !subset, clockwise(process ^ subset))).sum::<u64>();
        }
    }
    findings.add(CLOCKWISE, Trial::equal(0, beside), &case);
    findings.add(CLOCKWISE_FROM_CENTRE, Trial::equal(0, from_centre), &case);
}

claims! {
    /// In the order in which they are shown.
    pub(super) LEAST_DILATION_CLAIMS:

    "Harper 1966":
        BYWEIGHT_DILATION =
            "dilation of byweight on the line of 2^d: the sum over k < d of binomial(k, floor(k/2))";
        LEAST_DILATION = "least dilation of all placements of the d-cube on a line: the same, by search";
}

fn check_harper(bits: u32, findings: &mut Findings) {
    let line = line(bits);
    let dilation = measure(&embed(EmbeddingKind::Byweight, &line)).dilation.max();
    findings.add(BYWEIGHT_DILATION, Trial::equal(harper(bits), dilation), &MachineLabel(&line));
}

fn check_least_dilation(bits: u32, findings: &mut Findings) {
    let line = line(bits);
    let mut bounds = 1..1_usize << bits;
    let least = bounds.find(|&bound| Search::finds(cube(&line), bound)).unwrap_or(0);
    findings.add(LEAST_DILATION, Trial::equal(harper(bits), least as u64), &MachineLabel(&line));
}

/// The sum over `k < d` of `binomial(k, floor(k/2))`.
fn harper(bits: u32) -> u64 {
    let middle = |k: u64| (0..k / 2).fold(1, |binomial, i| binomial * (k - i) / (i + 1));
    (0..u64::from(bits)).map(middle).sum()
}

/// A search for a placement of a cube on a line with no dilation over a bound.
///
/// Nodes are filled in order; a partial placement is abandoned if the unplaced neighbours of a placed
/// process do not fit into the nodes within the bound.
struct Search {
    neighbours: Vec<Vec<usize>>,
    order: Vec<usize>,            // the processes placed so far
    position: Vec<Option<usize>>, // of each process
    bound: usize,
}

impl Search {
    fn finds(cube: Hypercube, bound: usize) -> bool {
        let of = |process| cube.neighbours(process).map(|neighbour| neighbour.label() as usize).collect();
        let neighbours: Vec<Vec<usize>> = ProcessId::first(cube.process_count()).map(of).collect();
        let position = vec![None; neighbours.len()];
        // By symmetry, process 0 may be the first.
        let mut search = Self { neighbours, order: vec![], position, bound };
        search.place(0)
    }

    fn place(&mut self, process: usize) -> bool {
        self.position[process] = Some(self.order.len());
        self.order.push(process);
        let found = self.is_open() && (self.order.len() == self.position.len() || self.place_next());
        self.order.pop();
        self.position[process] = None;
        found
    }

    fn place_next(&mut self) -> bool {
        (0..self.position.len()).any(|process| self.position[process].is_none() && self.place(process))
    }

    /// Whether there is room for the neighbours of every placed process: at most as many are due by a
    /// node as there are nodes up to it.
    fn is_open(&self) -> bool {
        let filled = self.order.len();
        let mut due = vec![usize::MAX; self.position.len()]; // the last node that each unplaced process may have
        for (at, &process) in self.order.iter().enumerate() {
            for &neighbour in self.neighbours[process].iter().filter(|&&other| self.position[other].is_none())
            {
                due[neighbour] = due[neighbour].min(at + self.bound);
            }
        }
        due.retain(|&due| due != usize::MAX);
        due.sort_unstable();
        due.iter().zip(filled..).all(|(&due, node)| node <= due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harpers_values_are_those_printed() {
        assert_eq!([1, 2, 3, 4, 5, 6].map(harper), [1, 2, 4, 7, 13, 23]);
    }
}
