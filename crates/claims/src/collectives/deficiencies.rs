//! Congestion deficiencies: the load of the busiest links of an all-reduce over their load
//! if every link of the torus carried the same load in every step.
//!
//! De Sensi et al. 2024, 2.2: a step whose busiest channel carries the messages of `L` processes
//! takes `L` times as long as a message alone. With shares of `n/(2D)` bytes on all ports, halved at
//! every step, `Xi = sum over s of L(s) / 2^(s+1)`; `L(s)` is counted, both directions of a link
//! together, halved: ties go one way here, and half each way in the closed forms.

use std::collections::BTreeMap;

use cubefold_collectives::{Algorithm, Collective, Exchange};
use cubefold_mapping::ProcessId;
use cubefold_topology::{Link, Machine, NodeId, TieRule};

use super::{Run, name, torus};
use crate::{
    claim::{Quantity, Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    /// In the order of the report.
    pub(super) CLAIMS:

    "Swing 2024, 4.1, D = 1":
        SWING_1 = "congestion deficiency of Swing on rings of 2^m, counted: m/3 + (1 - (-1/2)^m)/9";

    "Swing 2024, 2.3.3, D = 1":
        DOUBLING_1 = "congestion deficiency of recursive doubling, mirrored, on rings of 2^m, counted: m/2";

    "Swing 2024, 4.1, D = 2 to 4":
        SWING =
            "congestion deficiency of Swing on D sides of 2^m, counted: (Q-1)(2 (Q^m - 2^m)/(Q-2) + (Q^m - (-1)^m)/(Q+1))/(3 Q^m), Q = 2^D";

    "Swing 2024, 2.3.3, D = 2 to 4":
        DOUBLING =
            "congestion deficiency of recursive doubling, mirrored, on D sides of 2^m, counted: (Q-1)(Q^m - 2^m)/(Q^m (Q-2)), Q = 2^D";

    "Swing 2024, table 2":
        PRINTED_DOUBLING =
            "congestion deficiency of recursive doubling on any sides of 2^m: at most 3/2, 7/6, 15/14 for D = 2, 3, 4";

    "Swing 2024, 4.1":
        LINES =
            "the same deficiencies counted over all links of the torus: those of one line of each dimension";
        EVEN =
            "messages over the most loaded link less those over the least, plain and mirrored together, in every step";
}

claims! {
    /// In the order of the errata.
    pub(super) MISPRINTED:

    "Swing 2024, table 2":
        TWICE (erratum "S1") =
            "vectors over the busiest link by recursive doubling, whole vectors on one port: Psi Xi / D, which is log2 p times too much";

    "Swing 2024, table 2, D = 2":
        LIMIT (erratum "S3") = "congestion deficiency of Swing for any p: at most 1.19; it goes to 6/5";

    "Swing 2024, 4.1, D = 3, 4":
        THREE (erratum "S4") =
            "congestion deficiency of Swing for D >= 3: below 1.003; at most 28/27 and 120/119";
}

/// The sides of the claims, powers of two.
const SIDES: std::ops::RangeInclusive<u32> = 2..=7;

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let mut cases = for_each(SIDES, check_lines);
    let mut whole: Vec<&'static [u64]> = vec![&[4], &[16], &[4, 4], &[8, 8], &[4, 4, 4], &[4, 4, 4, 4]];
    if scope == Scope::Full {
        whole.extend([&[16, 16][..], &[64, 64], &[128, 128], &[8, 8, 8], &[16, 16, 16], &[8, 8, 8, 8]]);
    }
    cases.extend(for_each(whole, check_torus));
    cases
}

/// The messages over both directions of every used link, in every stage.
pub(super) fn stage_loads(machine: &Machine, collective: &Collective) -> Vec<BTreeMap<Link, u64>> {
    let node = |process: ProcessId| NodeId::new(collective.rank(process));
    let of_stage = |stage: usize| {
        let mut loads = BTreeMap::new();
        for process in ProcessId::first(collective.process_count()) {
            for (destination, units) in collective.sends(stage, process) {
                for channel in machine.route(node(process), node(destination), TieRule::Positive) {
                    *loads.entry(machine.link(channel)).or_insert(0) += units;
                }
            }
        }
        loads
    };
    (0..collective.stage_count()).map(of_stage).collect()
}

/// The messages over the busiest and the least loaded link of a ring in every step, whole shares of
/// one unit, plain and mirrored together.
fn ring_loads(side: u64, algorithm: Algorithm) -> Vec<(u64, u64)> {
    let lengths = [side];
    let run = Run::all_reduce(&lengths, algorithm, Some(Exchange::Whole)).on_all_ports();
    let extremes = |loads: BTreeMap<Link, u64>| {
        let least = if loads.len() as u64 == side { loads.values().copied().min() } else { None };
        (loads.values().copied().max().unwrap_or(0), least.unwrap_or(0))
    };
    stage_loads(&torus(&lengths), &run.collective(2, 0)).into_iter().map(extremes).collect()
}

/// The deficiency in `dimensions` dimensions of a ring's loads: its steps occur once for each dimension.
fn deficiency(loads: &[(u64, u64)], dimensions: u32) -> Quantity {
    let steps = narrow(loads.len()) * dimensions;
    let sum = |(step, (most, _)): (u32, &(u64, u64))| {
        (0..dimensions).map(|dimension| most << (steps - 1 - (step * dimensions + dimension))).sum::<u64>()
    };
    // Both directions together, halved.
    Quantity::fraction((0..).zip(loads).map(sum).sum(), 2 << steps)
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// `Xi` of Swing on `dimensions` sides of `2^bits`.
fn swing_form(bits: u32, dimensions: u32) -> Quantity {
    let alternating = |power: u64| if bits.is_multiple_of(2) { power - 1 } else { power + 1 };
    if dimensions == 1 {
        let side = 1_u64 << bits;
        return Quantity::fraction(3 * u64::from(bits) * side + alternating(side), 9 * side);
    }
    let (base, power) = (1_u64 << dimensions, 1_u64 << (dimensions * bits));
    let sum = 2 * (power - (1 << bits)) * (base + 1) + alternating(power) * (base - 2);
    Quantity::fraction((base - 1) * sum, 3 * power * (base - 2) * (base + 1))
}

/// The deficiency of recursive doubling.
fn doubling_form(bits: u32, dimensions: u32) -> Quantity {
    if dimensions == 1 {
        return Quantity::fraction(bits.into(), 2);
    }
    let (base, power) = (1_u64 << dimensions, 1_u64 << (dimensions * bits));
    Quantity::fraction((base - 1) * (power - (1 << bits)), power * (base - 2))
}

/// The limit of recursive doubling for long sides, which no side reaches.
fn doubling_limit(dimensions: u32) -> Quantity {
    let base = 1_u64 << dimensions;
    Quantity::fraction(base - 1, base - 2)
}

/// The limit of Swing for long sides.
fn swing_limit(dimensions: u32) -> Quantity {
    let base = 1_u64 << dimensions;
    Quantity::fraction(base * (base - 1), (base - 2) * (base + 1))
}

fn check_lines(bits: u32, findings: &mut Findings) {
    let side = 1_u64 << bits;
    let (swing, doubling) =
        (ring_loads(side, Algorithm::Swing), ring_loads(side, Algorithm::RecursiveDoubling));
    for (step, (most, least)) in swing.iter().chain(&doubling).enumerate() {
        findings.add(EVEN, Trial::equal(0, most - least), &format!("ring of {side}, step {step}"));
    }
    for dimensions in 1..=4 {
        let case = format!("{dimensions} sides of {side}");
        let (of_swing, of_doubling) = (deficiency(&swing, dimensions), deficiency(&doubling, dimensions));
        let one = dimensions == 1;
        findings.add(
            if one { SWING_1 } else { SWING },
            Trial::equal(swing_form(bits, dimensions), of_swing),
            &case,
        );
        let claim = if one { DOUBLING_1 } else { DOUBLING };
        findings.add(claim, Trial::equal(doubling_form(bits, dimensions), of_doubling), &case);
        if dimensions > 1 {
            findings.add(PRINTED_DOUBLING, Trial::at_most(doubling_limit(dimensions), of_doubling), &case);
            let (claim, printed) = match dimensions {
                2 => (LIMIT, Quantity::fraction(119, 100)),
                _ => (THREE, Quantity::fraction(1003, 1000)),
            };
            findings.add(claim, Trial::at_most(printed, of_swing), &case);
            findings.add_reading(claim, Trial::at_most(swing_limit(dimensions), of_swing), &case);
        }
    }
    let lengths = [side, side];
    let whole = Run::all_reduce(&lengths, Algorithm::RecursiveDoubling, Some(Exchange::Whole));
    if bits <= 4 {
        check_whole_vectors(whole, findings);
    }
}

/// Vectors over the busiest channel of recursive doubling with whole vectors on one port, over all
/// steps: the sum of the distances; the table multiplies it by log2 p once more.
fn check_whole_vectors(run: Run<'_>, findings: &mut Findings) {
    let (machine, collective) = (torus(run.lengths), run.collective(1, 0));
    let node = |process: ProcessId| NodeId::new(collective.rank(process));
    let busiest = |stage: usize| {
        let mut loads = BTreeMap::new();
        for process in ProcessId::first(collective.process_count()) {
            for (destination, units) in collective.sends(stage, process) {
                // A tie is split: each way carries half.
                for tie in [TieRule::Positive, TieRule::Negative] {
                    for channel in machine.route(node(process), node(destination), tie) {
                        *loads.entry((channel.node, channel.direction.index())).or_insert(0) += units;
                    }
                }
            }
        }
        loads.values().copied().max().unwrap_or(0_u64)
    };
    let measured: u64 = (0..collective.stage_count()).map(busiest).sum();
    let side = run.lengths[0];
    let (exact, steps) = (2 * (side - 1), 2 * u64::from(side.ilog2()));
    let case = format!("recursive doubling on {}", name(run.lengths));
    // On a ring the last exchange goes half of it: plain recursive doubling loads the middle of a
    // block with all messages, a split tie with half of them on each side.
    let measured = Quantity::fraction(measured, 2);
    findings.add(TWICE, Trial::equal(steps * exact, measured), &case);
    findings.add_reading(TWICE, Trial::at_most(exact, measured), &case);
}

/// Counts every link of a torus in the reduce-scatter, in halves of the vector.
fn check_torus(lengths: &[u64], findings: &mut Findings) {
    let dimensions = narrow(lengths.len());
    let machine = torus(lengths);
    for algorithm in [Algorithm::Swing, Algorithm::RecursiveDoubling] {
        let loads = ring_loads(lengths[0], algorithm);
        let run = Run::all_reduce(lengths, algorithm, Some(Exchange::Halving)).on_all_ports();
        let ranks = machine.node_count();
        let collective = run.collective(2 * u64::from(dimensions) * ranks, 0);
        let stages = stage_loads(&machine, &collective);
        let case = format!("{algorithm} on {}", name(lengths));
        let mut sum = 0;
        for (stage, loads) in stages.iter().enumerate() {
            let most = loads.values().copied().max().unwrap_or(0);
            let is_complete = loads.len() as u64 == machine.link_count();
            let least = if is_complete { loads.values().copied().min().unwrap_or(0) } else { 0 };
            findings.add(EVEN, Trial::equal(0, most - least), &format!("{case}, stage {stage}"));
            sum += most;
        }
        // Both directions, both halves of an all-reduce, in shares of `ranks` units.
        let measured = Quantity::fraction(sum, 4 * ranks);
        findings.add(LINES, Trial::equal(deficiency(&loads, dimensions), measured), &case);
    }
}
