//! A coordinated run has the same result whether it is reported process by process or in sums, and whether its
//! messages are routed one by one or a line stands for all of its coordinate.

use std::num::NonZeroU64;

use cubefold_mapping::{EmbeddingKind, Hypercube, Placement, PlacementTable};
use cubefold_simulator::{
    Communication, CountLinkUse, CubeProgram, Cycles, DimensionChoice, MessageSizes, Observer, Outcome,
    PhaseLength, Request, Routing, StageRecord, simulate,
};
use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, TieRule, Wrap};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::engines_equal_reference::{check_sums, spread};
use crate::random_problem::{
    Case, cube_case, message_sets_case, shared_cube_case, shared_message_sets_case, tao_case,
};

const MAX_NODES: u64 = 256;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, max_global_rejects: 1 << 20, ..ProptestConfig::default() })]

    #[test]
    fn sums_equal_those_of_the_records(
        case in prop_oneof![
            3 => cube_case(MAX_NODES),
            1 => shared_cube_case(MAX_NODES),
            1 => message_sets_case(MAX_NODES),
            1 => shared_message_sets_case(MAX_NODES),
            1 => tao_case(MAX_NODES),
        ],
        dimension_choice in dimension_choice(),
        phase_length in phase_length(),
    ) {
        let request = Request::coordinated(Routing { dimension_choice, phase_length, ..Routing::PLAIN });
        check_four_ways(&case, &request)?;
    }
}

fn dimension_choice() -> impl Strategy<Value = DimensionChoice> {
    let random = any::<u8>().prop_map(|byte| DimensionChoice::Random { key: [byte; 32] });
    prop_oneof![2 => Just(DimensionChoice::Lowest), 1 => random]
}

fn phase_length() -> impl Strategy<Value = PhaseLength> {
    let links = (1..5_u64).prop_map(|links| PhaseLength::Links(NonZeroU64::new(links).unwrap()));
    prop_oneof![Just(PhaseLength::OfPlacement), Just(PhaseLength::Unlimited), links]
}

fn run(case: &Case, request: &Request, observer: &mut dyn Observer) -> Outcome {
    let (placement, links) = (&case.placement, case.communication);
    let outcome = simulate(&*case.program, placement, links, request, observer);
    outcome.unwrap()
}

/// With links counted every message is routed, with an observer every process is reported: four ways to one result.
fn check_four_ways(case: &Case, request: &Request) -> Result<(), TestCaseError> {
    let (mut routed, mut told) = (vec![], vec![]);
    let with_all = run(case, &request.counting(CountLinkUse::Yes), &mut routed);
    let with_records = run(case, request, &mut told);
    let in_sums = run(case, request, &mut ());
    prop_assert_eq!(&routed, &told);
    for outcome in [&with_records, &in_sums, &run(case, &request.counting(CountLinkUse::Yes), &mut ())] {
        prop_assert_eq!(&outcome.traffic.routing, &with_all.traffic.routing);
        prop_assert_eq!(outcome.traffic.messages, with_all.traffic.messages);
        prop_assert_eq!(outcome.traffic.hops, with_all.traffic.hops);
        check_summary(outcome, &routed)?;
    }
    check_summary(&with_all, &routed)
}

/// Checks everything in a summary against the records.
fn check_summary(outcome: &Outcome, records: &[StageRecord]) -> Result<(), TestCaseError> {
    prop_assert_eq!(outcome.summary.idle_at_end(), 0);
    let ends = records.iter().map(|record| record.finish + record.idle);
    prop_assert_eq!(Some(outcome.summary.makespan()), ends.max());
    check_sums(&outcome.summary, records)
}

/// The values that two equal coordinated runs share.
fn all_sums(outcome: &Outcome) -> impl PartialEq + std::fmt::Debug {
    let (summary, traffic) = (&outcome.summary, &outcome.traffic);
    let times = (spread(summary.waiting()), summary.compute(), summary.makespan());
    (summary.stages().to_vec(), times, traffic.routing.clone(), traffic.messages, traffic.hops)
}

#[test]
fn one_line_stands_for_all_of_its_coordinate_under_every_embedding_wrap_link_mode_and_tie() {
    let shapes: [&[u64]; 7] = [&[2], &[8], &[32], &[4, 8], &[8, 2, 4], &[2, 2, 2, 2], &[16, 4]];
    for lengths in shapes {
        for wraps in 0..1_u32 << lengths.len() {
            let wrap = |at: usize| if wraps >> at & 1 == 1 { Wrap::Around } else { Wrap::Open };
            let wraps: Vec<_> = (0..lengths.len()).map(wrap).collect();
            let machine = Machine::with_wraps(MachineKind::Torus, lengths, &wraps).unwrap();
            for kind in EmbeddingKind::ALL {
                check_line_against_table(&machine, kind);
            }
        }
    }
}

fn check_line_against_table(machine: &Machine, kind: EmbeddingKind) {
    let cube = Hypercube::new(machine.node_count().ilog2().into()).unwrap();
    let product = Placement::embed(kind, cube, machine).unwrap();
    let table = Placement::Table(PlacementTable::new(machine, product.nodes()).unwrap());
    let program = CubeProgram::new(cube, CubeProgram::bitonic(cube), Cycles::new(3)).unwrap();
    let lengths = [PhaseLength::Unlimited, PhaseLength::Links(NonZeroU64::MIN)];
    for (mode, tie) in LinkMode::ALL.iter().flat_map(|&mode| TieRule::ALL.map(|tie| (mode, tie))) {
        for (hop, phase_length) in [1, 4].into_iter().zip(lengths) {
            let links = Communication::new(mode, Cycles::new(hop), tie).unwrap();
            let routing =
                Routing { dimension_choice: DimensionChoice::Lowest, phase_length, ..Routing::PLAIN };
            let request = Request::coordinated(routing);
            let [by_line, by_message] = [&product, &table]
                .map(|placement| simulate(&program, placement, links, &request, &mut ()).unwrap());
            assert_eq!(all_sums(&by_line), all_sums(&by_message), "{kind} {machine:?} {mode} {tie}");
        }
    }
}

#[test]
fn links_are_busy_for_the_sizes_of_the_messages_that_cross_them() {
    let (cube, sizes) = (Hypercube::new(4).unwrap(), [5, 1, 3, 2]);
    let machine = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
    let nodes = (0..16).map(|label| NodeId::new(label * 7 % 16)).collect();
    let placement = Placement::Table(PlacementTable::new(&machine, nodes).unwrap());
    let links = Communication::new(LinkMode::FullDuplex, Cycles::new(2), TieRule::Direct).unwrap();
    let any = DimensionChoice::Random { key: [7; 32] };
    for routing in [Routing::PLAIN, Routing { dimension_choice: any, ..Routing::PLAIN }] {
        let request = Request::coordinated(routing.clone());
        let total = |stages, sizes| {
            let program = CubeProgram::new(cube, stages, Cycles::ZERO).unwrap().with_sizes(sizes);
            let run =
                simulate(&program, &placement, links, &request.counting(CountLinkUse::Yes), &mut ()).unwrap();
            run.traffic.link_use.unwrap().busy_links().map(|(_, busy)| busy.get()).sum::<u64>()
        };
        let of_stages = CubeProgram::ascend(cube).into_iter().zip(sizes);
        let apart = of_stages.map(|(stage, units)| units * total(vec![stage], MessageSizes::ONE_UNIT));
        let together = total(CubeProgram::ascend(cube), MessageSizes::by_stage(sizes.into()).unwrap());
        assert_eq!(together, apart.sum::<u64>());
    }
}
