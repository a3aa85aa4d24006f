//! The distances of the messages of an exchange, and the load of an all-to-all on links: sums over steps,
//! counted on the machine.

use std::collections::BTreeMap;

use cubefold_collectives::{Algorithm, Exchange, LinkCosts, Operation};
use cubefold_mapping::{EmbeddingKind, Hypercube, Placement, ProcessId, ProductPlacement};
use cubefold_topology::{LinkMode, Machine, NodeId, TieRule};

use super::{Run, name, torus};
use crate::{
    claim::{Quantity, Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    /// In the order of the report.
    pub(super) CLAIMS:

    "Swing 2024, 2.3.2":
        STANDARD = "links of all steps of recursive doubling on the ring of 2^m: 2^m - 1";

    "González & Valero 1993, 3":
        XOR = "links of all steps of recursive doubling, placed by xor on the ring of 2^m: 3 2^(m-2) - 1";

    "Swing 2024, 3.1":
        SWING =
            "links of all steps of Swing on the ring of 2^m: (2^(m+1) - 2)/3 for even m, (2^(m+1) - 1)/3 for odd";

    "Trivance 2026":
        TRIVANCE =
            "links of all steps of Trivance on the ring of d: the sum of 3^k below the last, and ceil((d - 3^(S-1))/2)";

    "Swing 2024; González & Valero 1993":
        GAIN =
            "part of Swing's gain in links over recursive doubling that xor has without another algorithm, 64 x 64: 16/21";

    "all-to-all on toruses":
        ALL_TO_ALL =
            "blocks over the busiest link of a direct all-to-all, mean of both directions: p k / 8, k the longest side";
        ALL_TO_ALL_BOUND = "cut bound of an all-to-all [units]: those blocks";
        DIAMETER = "diameter: 8, 10, 16 and 20 links on 4x4x8, 4x8x8, 8x8x16 and 8x16x16";
        MEAN = "mean distance to another node, in ten-thousandths: 4.0315, 5.0196, 8.0078 and 10.0049 links";
}

claims! {
    /// In the order of the errata.
    pub(super) MISPRINTED:

    "Swing 2024, 3.1":
        RHO (erratum "S4") = "links to the partner at step s: the sum over i <= s of -2^i; of (-2)^i";

    "Swing 2024, 3.1.1":
        STEPS (erratum "S4") =
            "steps of Swing by halves: Lambda log2 p with Lambda = (log2 p)/2; with Lambda = 2";
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let mut cases = for_each(2..=8, check_ring);
    cases.push(Box::new(check_gain));
    let shapes: [(&'static [u64], u64, u64); 4] = [
        (&[4, 4, 8], 8, 40_315),
        (&[4, 8, 8], 10, 50_196),
        (&[8, 8, 16], 16, 80_078),
        (&[8, 16, 16], 20, 100_049),
    ];
    cases.extend(for_each(shapes.into_iter().take(scope.quick_or_full(2, 4)), check_all_to_all));
    cases
}

/// The largest distances between partners, step by step, with ranks on these nodes.
fn distances(machine: &Machine, run: Run<'_>, node: &dyn Fn(u32) -> NodeId) -> Vec<u64> {
    let collective = run.collective(machine.node_count(), 0);
    let of = |stage: usize, process: ProcessId| {
        let from = node(collective.rank(process));
        let distance = |(to, _): (ProcessId, u64)| machine.distance(from, node(collective.rank(to)));
        collective.sends(stage, process).into_iter().map(distance).max().unwrap_or(0)
    };
    let of_stage =
        |stage| ProcessId::first(collective.process_count()).map(|process| of(stage, process)).max();
    (0..collective.stage_count()).filter_map(of_stage).collect()
}

/// The distances of an all-reduce by whole vectors, or of a reduce-scatter.
fn links(machine: &Machine, algorithm: Algorithm, node: &dyn Fn(u32) -> NodeId) -> Vec<u64> {
    let lengths = machine.shape().lengths();
    let run = match algorithm {
        Algorithm::Trivance => {
            Run { operation: Operation::ReduceScatter, ..Run::all_reduce(lengths, algorithm, None) }
        }
        _ => Run::all_reduce(lengths, algorithm, Some(Exchange::Whole)),
    };
    distances(machine, run, node)
}

/// Recursive doubling placed by xor.
#[expect(clippy::expect_used, reason = "sides that are powers of two")]
fn xor_links(machine: &Machine) -> u64 {
    let cube = Hypercube::new(machine.node_count().ilog2().into()).expect("a power of two");
    let placement = ProductPlacement::new(EmbeddingKind::Xor, cube, machine).expect("powers of two");
    let placement = Placement::Product(placement);
    let node = |rank: u32| placement.node(ProcessId::new(rank));
    links(machine, Algorithm::RecursiveDoubling, &node).into_iter().sum()
}

fn check_ring(bits: u32, findings: &mut Findings) {
    let side = 1_u64 << bits;
    let (ring, case) = (torus(&[side]), format!("ring of {side}"));
    let sum = |algorithm| links(&ring, algorithm, &NodeId::new).into_iter().sum::<u64>();
    findings.add(STANDARD, Trial::equal(side - 1, sum(Algorithm::RecursiveDoubling)), &case);
    findings.add(XOR, Trial::equal(3 * (side >> 2) - 1, xor_links(&ring)), &case);
    let swing = (2 * side - if bits.is_multiple_of(2) { 2 } else { 1 }) / 3;
    findings.add(SWING, Trial::equal(swing, sum(Algorithm::Swing)), &case);
    let (mut trivance, mut power) = (0, 1);
    while 3 * power < side {
        trivance += power;
        power *= 3;
    }
    trivance += (side - power).div_ceil(2);
    findings.add(TRIVANCE, Trial::equal(trivance, sum(Algorithm::Trivance)), &case);
    for (step, found) in (0..).zip(links(&ring, Algorithm::Swing, &NodeId::new)) {
        let (printed, case) = ((2_u64 << step) - 1, format!("{case}, step {step}"));
        let jacobsthal = ((4_u64 << step) / 3).div_ceil(2);
        findings.add(RHO, Trial::equal(printed.min(side - printed.min(side)), found), &case);
        findings.add_reading(RHO, Trial::equal(jacobsthal.min(side - jacobsthal), found), &case);
    }
    let halves = Run::all_reduce(&[side], Algorithm::Swing, Some(Exchange::Halving)).collective(side, 0);
    let stages = halves.stage_count() as u64;
    findings.add(STEPS, Trial::equal(Quantity::fraction(u64::from(bits * bits), 2), stages), &case);
    findings.add_reading(STEPS, Trial::equal(2 * u64::from(bits), stages), &case);
}

fn check_gain(findings: &mut Findings) {
    let machine = torus(&[64, 64]);
    let sum = |algorithm| links(&machine, algorithm, &NodeId::new).into_iter().sum::<u64>();
    let (standard, swing) = (sum(Algorithm::RecursiveDoubling), sum(Algorithm::Swing));
    let gained = Quantity::fraction(standard - xor_links(&machine), standard - swing);
    findings.add(GAIN, Trial::equal(Quantity::fraction(16, 21), gained), &"64x64");
}

fn check_all_to_all((lengths, diameter, mean): (&[u64], u64, u64), findings: &mut Findings) {
    let (machine, case) = (torus(lengths), name(lengths));
    let ranks = machine.node_count();
    let mut loads = BTreeMap::new();
    let (mut farthest, mut sum) = (0, 0);
    // Ties go opposite ways in the two halves, so take the mean of both.
    for (from, to) in machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))) {
        let distance = machine.distance(from, to);
        (farthest, sum) = (farthest.max(distance), sum + distance);
        for channel in machine.route(from, to, TieRule::Positive) {
            *loads.entry(machine.link(channel)).or_insert(0_u64) += 1;
        }
    }
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let busiest = Quantity::fraction(loads.values().copied().max().unwrap_or(0), 2);
    findings.add(ALL_TO_ALL, Trial::equal(Quantity::fraction(ranks * longest, 8), busiest), &case);
    findings.add(DIAMETER, Trial::equal(diameter, farthest), &case);
    let measured = (10_000 * sum + ranks * (ranks - 1) / 2) / (ranks * (ranks - 1));
    findings.add(MEAN, Trial::equal(mean, measured), &case);
    let direct = Run { operation: Operation::AllToAll, ..Run::all_reduce(lengths, Algorithm::Direct, None) };
    let costs = LinkCosts {
        link_mode: LinkMode::FullDuplex,
        hop_cycles: 1,
        latency_cycles: 0,
        message_cost: 0,
        switches_reduce: false,
    };
    let nodes: Vec<NodeId> = machine.nodes().collect();
    let bounds = direct.collective(ranks * 3, 0).bounds(&machine, &nodes, costs);
    let expected = 3 * ranks * longest / 8;
    findings.add(ALL_TO_ALL_BOUND, Trial::equal(expected, bounds.cut_cycles()), &case);
}
