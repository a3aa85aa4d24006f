//! Hypercubes on lines, rings, meshes and toruses: González & Valero 1993, Harper and the lower bound.

mod constant_distances;
mod figures;
mod least_dilation;
mod makespans;

use cubefold_mapping::{EmbeddingKind, Hypercube, Placement, PlacementMetrics};
use cubefold_topology::{Machine, MachineKind, TieRule};

use super::{
    Case, Scope,
    claim::Claim,
    findings::Findings,
    pairs::{Words, machine},
    trial::{Quantity, Trial},
};

const STANDARD_DISTANCES: Claim = Claim::new(
    "González & Valero 1993, 2.3",
    "dimensions in which standard on the ring of 2^d has another distance than 2^i for every process",
);
const XOR_DISTANCES: Claim = Claim::new(
    "González & Valero 1993, 3",
    "dimensions in which xor on the ring of 2^d has another distance than 2^i, 2^(d-2) in the last, for every process",
);
const XOR_AVERAGE: Claim = Claim::new(
    "González & Valero 1993, corollary",
    "average distance of xor on the ring of 2^d: (3 * 2^(d-2) - 1)/d, the bound of theorem 10",
);
const STANDARD_LOAD: Claim =
    Claim::new("González et al. 1995, 4.5", "mean node load of standard on the ring of 2^d: (2^d - 1 - d)/2");
const XOR_LOAD: Claim = Claim::new(
    "González et al. 1995, 4.5",
    "mean node load of xor on the ring of 2^d: (3 * 2^(d-2) - 1 - d)/2",
);
const STANDARD_TOTAL: Claim = Claim::new(
    "González et al. 1995, 4.3",
    "total dilation of standard on the ring of 2^d: 2^(d-1) (2^d - 1)",
);
const XOR_TOTAL: Claim = Claim::new(
    "González et al. 1995, 4.3",
    "total dilation of xor on the ring of 2^d: 2^(d-1) (3 * 2^(d-2) - 1)",
);

/// In the order in which they are shown.
pub(super) fn claims() -> Vec<Claim> {
    let distances = [STANDARD_DISTANCES, XOR_DISTANCES, XOR_AVERAGE];
    let sums = [STANDARD_LOAD, XOR_LOAD, STANDARD_TOTAL, XOR_TOTAL];
    let rings = [&distances[..], &constant_distances::CLAIMS, &sums].concat();
    [&figures::CLAIMS[..], &rings, makespans::CLAIMS, least_dilation::CLAIMS].concat()
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let most_bits = match scope {
        Scope::Quick => 12,
        Scope::Full => 16,
    };
    let mut cases = figures::cases();
    for bits in 2..=most_bits {
        cases.push(Box::new(move |findings| check_ring(bits, findings)));
    }
    cases.extend(constant_distances::cases(scope));
    cases.extend(makespans::cases(scope));
    cases.extend(least_dilation::cases(scope));
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

/// The cube with as many processes as a machine has nodes, a power of two.
#[expect(clippy::expect_used, reason = "machines here have 2 to 2^16 nodes")]
fn cube(machine: &Machine) -> Hypercube {
    Hypercube::new(u64::from(machine.node_count().ilog2())).expect("a cube")
}

/// That cube on the machine.
#[expect(clippy::expect_used, reason = "the lengths of machines here are powers of two")]
fn embed(kind: EmbeddingKind, machine: &Machine) -> Placement {
    Placement::embed(kind, cube(machine), machine).expect("a placement")
}

fn measure(placement: &Placement) -> PlacementMetrics {
    PlacementMetrics::measure(&cube(placement.machine()), placement, TieRule::Direct)
}

/// `B = 2^d - 1` for standard and `3 * 2^(d-2) - 1` for xor: the sum of the distances on the ring of `2^d`.
fn sum_of_distances(kind: EmbeddingKind, bits: u32) -> u64 {
    if kind == EmbeddingKind::Xor { 3 * (1 << (bits - 2)) - 1 } else { (1 << bits) - 1 }
}

fn check_ring(bits: u32, findings: &mut Findings) {
    let ring = ring(bits);
    for (kind, [distances, load, total]) in [
        (EmbeddingKind::Standard, [STANDARD_DISTANCES, STANDARD_LOAD, STANDARD_TOTAL]),
        (EmbeddingKind::Xor, [XOR_DISTANCES, XOR_LOAD, XOR_TOTAL]),
    ] {
        let (metrics, case) = (measure(&embed(kind, &ring)), Words(&ring));
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

/// `D_a`: every dimension has as many edges, so that the mean over all edges is the mean of the means.
fn average_distance(metrics: &PlacementMetrics) -> Quantity {
    Quantity::fraction(metrics.dilation.total(), metrics.dilation.edges())
}
