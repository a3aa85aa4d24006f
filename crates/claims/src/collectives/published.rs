//! Times against the published simulations of De Sensi et al. 2024 and the tests of TACOS.
//!
//! A link has 400 Gb/s and 400 ns, a step costs 513.4 ns to start, a unit is 32 bytes and a cycle
//! 0.64 ns: the constants that reproduce the published steps without contention
//! (`docs/real-machines.md`). The published runs leave out the serialisation of the last packet, so
//! blocks below a packet of 8 KiB cost them nothing; and they have finite buffers, unlike this
//! model.

use std::num::NonZeroU64;

use cubefold_collectives::{Algorithm, Collective, Exchange, Operation};
use cubefold_mapping::{Placement, ProcessId};
use cubefold_simulator::{
    Communication, Computations, Cycles, ServiceOrder, StageMessage, StageProgram, Switching, predict,
};
use cubefold_topology::{LinkMode, Machine, TieRule};

use super::{Run, at_least_one, name, placed, tables, torus};
use crate::{
    cases::makespan,
    claim::{Claim, Quantity, Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    /// In the order of the report.
    pub(super) CLAIMS:

    "Swing 2024, figures 6, 10, 11, 14":
        RUNTIME =
            "difference from the printed runtimes of 32 bytes by bucket, recursive doubling and Swing [ns]: at most 1 us";
        RING_RUNTIME =
            "difference from the printed runtimes of 32 bytes by rings, in whole ms (8 x 8: tens of us) [ns]";

    "Swing 2024, figures 6, 11":
        BLOCKS_LARGE =
            "ring on 8 x 8, ring and bucket on 64 x 64, blocks of at least 8 KiB: difference from the published goodput [%]: at most 1";
        BLOCKS_SMALL =
            "ring and bucket on both, smaller blocks, whose serialisation the published runs leave out: the same [%]: at most 5";

    "Swing 2024, figures 11, 14":
        SWING_LARGE =
            "Swing on 8 x 8 and 8 x 8 x 8 x 8 from 128 MiB: difference from the published goodput [%]: at most 1.5";
        SWING_MEDIUM = "Swing on 8 x 8 and 8 x 8 x 8 x 8 at 32 MiB: the same [%]: at most 3.5";

    "Swing 2024, figures 6, 11":
        BUFFERS =
            "bucket on 8 x 8, blocks of at least 8 KiB, and Swing on 64 x 64 from 128 MiB, where the published buffers fill: the same [%]: at most 9";

    "TACOS, tests":
        TACOS =
            "all-gather in ceil(c (p-1) / degree) rounds of a chunk a link: difference from TACOS' times [%]: at most 1";
        TACOS_BUCKET =
            "all-gather by bucket on all ports over TACOS' times [%], on the torus of equal sides: at most 100";
}

claims! {
    /// In the order of the errata.
    pub(super) MISPRINTED:

    "Swing 2024, table 2":
        ONE_PORT (erratum "S2") =
            "Swing by whole vectors, 8 KiB on 8 x 8: on one port, difference from the published goodput at most 5 %; so on all ports";

    "Swing 2024, figure 10":
        CAPTION (erratum "S5") =
            "difference of the predicted from the printed runtime of bucket on 32 x 8 [ns]: at most 1 us; on 128 x 8";

    "Swing 2024, figure 6":
        PACKETS (erratum "S7") =
            "Swing on 64 x 64 in packets of 8 KiB, served in turn: difference from the published goodput [%]: at most 2.5; so at 32 MiB, at 8 MiB at most 3.5";
}

/// The bytes of a unit.
const UNIT: u64 = 32;

/// A packet of the published runs \[bytes\].
const PACKET: u64 = 8192;

/// The cost of starting a step, 513.4 ns \[cycles\].
const START: u64 = 802;

/// The number of stages of a ring that are run; the others repeat them.
const FIRST_STAGES: usize = 8;

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let mut cases: Vec<Case> = vec![Box::new(check_one_port), Box::new(check_caption)];
    for runtimes in tables::RUNTIMES.into_iter().take(scope.quick_or_full(2, 7)) {
        let (lengths, ring, bucket, doubling, swing) = runtimes;
        let whole = Some(Exchange::Whole);
        let others = [
            (Run::all_reduce(lengths, Algorithm::Bucket, None).on_all_ports(), bucket),
            (Run::all_reduce(lengths, Algorithm::RecursiveDoubling, whole), doubling),
            (Run::all_reduce(lengths, Algorithm::Swing, whole), swing),
        ];
        cases.extend(for_each(others, |(run, printed), findings| check_runtime(run, printed, findings)));
        cases.extend(for_each(ring, move |ring, findings| check_ring_runtime(lengths, ring, findings)));
    }
    cases.extend(curve_cases(scope == Scope::Full));
    let points = tables::SWING_64X64.iter().take(scope.quick_or_full(1, 2));
    cases.extend(for_each(points.copied(), check_packets));
    cases.extend(for_each(tables::TACOS, check_tacos));
    cases
}

/// The published curves: all points in a full verification, else the end points of the curves of 8 x 8.
fn curve_cases(is_full: bool) -> Vec<Case> {
    let halving =
        |lengths| Run::all_reduce(lengths, Algorithm::Swing, Some(Exchange::Halving)).on_all_ports();
    let bucket = |lengths| Run::all_reduce(lengths, Algorithm::Bucket, None).on_all_ports();
    let points = |curve: tables::Curve| match curve {
        [first, .., last] if !is_full => vec![*first, *last],
        all => all.to_vec(),
    };
    let swing = Bars { large: (SWING_LARGE, 15), least: 128 << 20, small: (SWING_MEDIUM, 35) };
    let blocks = |ranks: u64, large| Bars { large, least: 4 * ranks * PACKET, small: (BLOCKS_SMALL, 50) };
    let rings = |lengths: &'static [u64], curve: tables::Curve| {
        let bars = blocks(lengths.iter().product(), (BLOCKS_LARGE, 10));
        for_each(points(curve), move |point, findings| check_ring(lengths, point, bars, findings))
    };
    let all = |claim, most| Bars { large: (claim, most), least: 0, small: (claim, most) };
    let mut cases = rings(&[8, 8], tables::RING_8X8);
    let mut add = |run, points, bars| cases.extend(curve(run, points, bars));
    add(bucket(&[8, 8]), points(tables::BUCKET_8X8), blocks(64, (BUFFERS, 90)));
    add(halving(&[8, 8]), points(tables::SWING_8X8), swing);
    if is_full {
        add(bucket(&[64, 64]), points(tables::BUCKET_64X64), blocks(4096, (BLOCKS_LARGE, 10)));
        add(halving(&[8, 8, 8, 8]), points(tables::SWING_8X8X8X8), swing);
        add(halving(&[64, 64]), points(tables::SWING_64X64_LARGE), all(BUFFERS, 90));
        cases.extend(rings(&[64, 64], tables::RING_64X64));
    }
    cases
}

/// The deviation from a published curve, by vector size: claims in tenths of a percent.
#[derive(Clone, Copy)]
struct Bars {
    /// For vectors of at least `least` bytes.
    large: (Claim, u64),
    least: u64,
    /// For others.
    small: (Claim, u64),
}

impl Bars {
    /// The claim for a vector of `kib` KiB.
    fn of(self, kib: u64) -> (Claim, u64) {
        if kib * 1024 >= self.least { self.large } else { self.small }
    }
}

/// The division of messages into packets.
#[derive(Clone, Copy, PartialEq)]
enum Packets {
    /// Whole messages, served in the order of arrival.
    None,
    /// Packets of 8 KiB, inputs served in turn.
    InTurn,
}

/// The links of the published runs.
#[expect(clippy::expect_used, reason = "a unit of one cycle")]
fn links(shares: u32, packets: Packets) -> Communication {
    let plain = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Positive)
        .expect("a hop of one cycle")
        .with_latency(Cycles::new(624))
        .with_switching(Switching::CutThrough)
        .with_processors(at_least_one(shares));
    match packets {
        Packets::None => plain,
        Packets::InTurn => {
            plain.with_packets(NonZeroU64::new(PACKET / UNIT)).with_service(ServiceOrder::RoundRobin)
        }
    }
}

/// The makespan of a collective of `bytes` bytes \[cycles\].
fn collective_makespan(run: Run<'_>, bytes: u64, packets: Packets) -> u64 {
    let collective = run.collective(bytes / UNIT, START);
    let (machine, shares) = (torus(run.lengths), collective.share_count());
    makespan(&collective, &placed(&machine, shares), links(shares, packets))
}

/// Cycles in whole nanoseconds.
fn nanoseconds(cycles: u64) -> u64 {
    (cycles * 64 + 50) / 100
}

/// A printed number, rounded.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "printed numbers are small")]
fn whole(number: f64) -> u64 {
    number.round() as u64
}

/// A run of 32 bytes in cycles of 10 ps with units of half a byte, so short that a vector with a
/// unit in each block, which bucket needs for every share to take its route, costs nothing.
#[derive(Clone, Copy)]
struct ShortRun<'lengths>(Run<'lengths>);

impl ShortRun<'_> {
    fn collective(self) -> Collective {
        let blocks = 2 * self.0.lengths.len() as u64 * self.0.lengths.iter().product::<u64>();
        let units = if self.0.algorithm == Algorithm::Bucket { blocks } else { 2 * UNIT };
        self.0.collective(units, 51_340)
    }

    fn placement(self, shares: u32) -> Placement {
        placed(&torus(self.0.lengths), shares)
    }

    fn links(shares: u32) -> Communication {
        links(shares, Packets::None).with_latency(Cycles::new(39_999))
    }

    /// The difference of a makespan from a printed one \[ns\].
    fn deviation(cycles: u64, printed_us: f64) -> u64 {
        (cycles / 100).abs_diff(whole(printed_us * 1000.0))
    }
}

fn check_runtime(run: Run<'_>, printed: f64, findings: &mut Findings) {
    let collective = ShortRun(run).collective();
    let shares = collective.share_count();
    let found = makespan(&collective, &ShortRun(run).placement(shares), ShortRun::links(shares));
    findings.add(RUNTIME, Trial::at_most(1000, ShortRun::deviation(found, printed)), &label(run));
}

fn check_ring_runtime(lengths: &'static [u64], printed: u64, findings: &mut Findings) {
    let found = ring_makespan(lengths, 32);
    let most: u64 = if printed < 1000 { 10_000 } else { 1_000_000 };
    let difference = nanoseconds(found).abs_diff(printed * 1000);
    findings.add(RING_RUNTIME, Trial::at_most(most, difference), &name(lengths));
}

/// The makespan of the Hamiltonian rings of a torus \[cycles\]: that of the first stages, extrapolated
/// to the others, which repeat them. Short ones are run completely.
fn ring_makespan(lengths: &[u64], bytes: u64) -> u64 {
    let run = Run::all_reduce(lengths, Algorithm::HamiltonianRings, None);
    let collective = run.collective(bytes / UNIT, START);
    if collective.stage_count() <= 256 {
        return collective_makespan(run, bytes, Packets::None);
    }
    let (machine, shares) = (torus(lengths), collective.share_count());
    let placement = placed(&machine, shares);
    let of = |stages: usize| {
        let program = first_stages(&collective, stages);
        makespan(&program, &placement, links(shares, Packets::None))
    };
    let (one, two) = (of(FIRST_STAGES), of(2 * FIRST_STAGES));
    let others = (collective.stage_count() - 2 * FIRST_STAGES) as u64;
    two + (two - one) * others / FIRST_STAGES as u64
}

/// The first stages of a collective.
#[expect(clippy::expect_used, reason = "messages of a collective are those of a stage program")]
fn first_stages(collective: &Collective, count: usize) -> StageProgram {
    let processes = || ProcessId::first(collective.process_count());
    let process_count = u32::try_from(collective.process_count()).expect("fewer processes than 2^32");
    let messages: Vec<StageMessage> = (0..count)
        .flat_map(|stage| {
            processes().flat_map(move |source| {
                let message = move |(destination, units)| StageMessage { stage, source, destination, units };
                collective.sends(stage, source).into_iter().map(message)
            })
        })
        .collect();
    let of_stage =
        |stage| processes().map(|process| Cycles::new(collective.computation(stage, process))).collect();
    let computations = Computations::ByProcess((0..count).map(of_stage).collect());
    StageProgram::new(process_count, computations, &messages).expect("messages of a collective")
}

/// The difference from a published goodput \[tenths of a percent\].
fn goodput_off(cycles: u64, kib: u64, published: f64) -> Quantity {
    // Gb/s in thousandths: 8 bits a byte over 0.64 ns a cycle.
    let found = u128::from(kib) * 1024 * 8 * 100_000 / (u128::from(cycles) * 64);
    let found = u64::try_from(found).unwrap_or(u64::MAX);
    let expected = whole(published * 1000.0);
    Quantity::fraction(found.abs_diff(expected) * 1000, expected)
}

/// Trials of tenths of a percent, shown in percent.
fn percent(most: u64, found: Quantity) -> Trial {
    Trial::at_most(Quantity::fraction(most, 10), found.over(10))
}

fn check_ring(lengths: &'static [u64], (kib, published): (u64, f64), bars: Bars, findings: &mut Findings) {
    let (claim, most) = bars.of(kib);
    let found = goodput_off(ring_makespan(lengths, kib * 1024), kib, published);
    findings.add(claim, percent(most, found), &format!("ring on {} at {kib} KiB", name(lengths)));
}

/// A case for each point of a curve, with whole messages.
fn curve(run: Run<'static>, points: Vec<(u64, f64)>, bars: Bars) -> Vec<Case> {
    for_each(points, move |(kib, published), findings| {
        let (claim, most) = bars.of(kib);
        let found = goodput_off(collective_makespan(run, kib * 1024, Packets::None), kib, published);
        findings.add(claim, percent(most, found), &format!("{} at {kib} KiB", label(run)));
    })
}

/// Swing on 64 x 64 below the sizes at which buffers fill: within the error bar at 32 MiB, and slightly outside it at
/// 8 MiB.
fn check_packets((kib, published): (u64, f64), findings: &mut Findings) {
    let run = Run::all_reduce(&[64, 64], Algorithm::Swing, Some(Exchange::Halving)).on_all_ports();
    let found = goodput_off(collective_makespan(run, kib * 1024, Packets::InTurn), kib, published);
    let case = format!("{} at {kib} KiB", label(run));
    findings.add(PACKETS, percent(25, found), &case);
    let most = if kib > 8 * 1024 { 25 } else { 35 };
    findings.add_reading(PACKETS, percent(most, found), &case);
}

fn check_one_port(findings: &mut Findings) {
    let one = Run::all_reduce(&[8, 8], Algorithm::Swing, Some(Exchange::Whole));
    let deviation = |run| goodput_off(collective_makespan(run, 8192, Packets::None), 8, 9.1);
    findings.add(ONE_PORT, percent(50, deviation(one)), &"8x8");
    findings.add_reading(ONE_PORT, percent(50, deviation(one.on_all_ports())), &"8x8");
}

fn check_caption(findings: &mut Findings) {
    let deviation = |lengths: &[u64]| {
        let run = ShortRun(Run::all_reduce(lengths, Algorithm::Bucket, None).on_all_ports());
        let collective = run.collective();
        let shares = collective.share_count();
        let predicted = predict(&collective, &run.placement(shares), ShortRun::links(shares));
        ShortRun::deviation(predicted.get(), 464.0)
    };
    findings.add(CAPTION, Trial::at_most(1000, deviation(&[32, 8])), &"32x8");
    findings.add_reading(CAPTION, Trial::at_most(1000, deviation(&[128, 8])), &"128x8");
}

/// TACOS' links: 50 GiB/s and 0.5 us, a unit of 4 KiB: a cycle is 4096 / (50 GiB/s).
fn check_tacos(
    (lengths, gib, chunks, rounds, published): (&'static [u64], u64, u64, u64, f64),
    findings: &mut Findings,
) {
    /// Cycles in a microsecond: 50 * 2^30 / 4096 / 10^6, in thousandths.
    const CYCLES_A_US: f64 = 13.1072;
    let (machine, case) = (torus(lengths), name(lengths));
    let ranks = machine.node_count();
    let units = gib << 18;
    let latency = whole(0.5 * CYCLES_A_US) - 1;
    let rules = |shares| {
        links(shares, Packets::None)
            .with_latency(Cycles::new(latency))
            .with_switching(Switching::StoreAndForward)
    };
    let degree = degree(&machine);
    // A chunk over one link.
    let chunk = rules(1).timing_of(units / (ranks * chunks)).transfer(1).get();
    let counted = (chunks * (ranks - 1)).div_ceil(degree);
    findings.add(TACOS, Trial::equal(rounds, counted), &format!("rounds on {case}"));
    let time = counted * chunk;
    let expected = whole(published * CYCLES_A_US);
    let difference = Quantity::fraction(time.abs_diff(expected) * 1000, expected);
    findings.add(TACOS, percent(10, difference), &case);
    if lengths.iter().all(|&length| length == lengths[0]) {
        let gather =
            Run { operation: Operation::AllGather, ..Run::all_reduce(lengths, Algorithm::Bucket, None) };
        let collective = gather.on_all_ports().collective(units, 0);
        let shares = collective.share_count();
        let found = makespan(&collective, &placed(&machine, shares), rules(shares));
        findings.add(TACOS_BUCKET, Trial::at_most(100, Quantity::fraction(100 * found, expected)), &case);
    }
}

/// The fewest links that end at a node.
fn degree(machine: &Machine) -> u64 {
    machine.nodes().map(|node| machine.neighbours(node).count() as u64).min().unwrap_or(1)
}

/// A run in words.
fn label(run: Run<'_>) -> String {
    format!("{} on {}", run.algorithm, name(run.lengths))
}
