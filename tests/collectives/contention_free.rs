//! Collectives in which no message waits for another: message by message, with stages that repeat taken together, they
//! take the times of packets on links.

use std::num::NonZeroU64;

use cubefold_collectives::{Algorithm, Collective, CollectiveSpecification, Operation};
use cubefold_mapping::{Placement, PlacementTable, ProcessId};
use cubefold_simulator::{
    Communication, CountLinkUse, Cycles, EngineChoice, LinkUse, Observer, Outcome, Request, ServiceOrder,
    Switching, simulate,
};
use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, Shape, TieRule};

/// Rings, which take turns on all machines, and other algorithms on their own.
const ALGORITHMS: [Algorithm; 6] = [
    Algorithm::Ring,
    Algorithm::BidirectionalRing,
    Algorithm::HamiltonianRings,
    Algorithm::Bucket,
    Algorithm::RecursiveDoubling,
    Algorithm::Pairwise,
];

fn collectives() -> Vec<Collective> {
    let mut all = vec![];
    for lengths in [&[8_u64][..], &[5], &[4, 4], &[6, 3], &[2, 2, 2]] {
        for algorithm in ALGORITHMS {
            for operation in [Operation::AllReduce, Operation::AllGather, Operation::AllToAll] {
                // Vectors that all ranks have equal parts of, and one that is divided unevenly.
                for units in [lengths.iter().product::<u64>() * 12, 50, 3] {
                    for rate in [None, NonZeroU64::new(4)] {
                        let shape = Shape::new(lengths).unwrap();
                        let plain = CollectiveSpecification::new(operation, algorithm, shape, units);
                        let specification = CollectiveSpecification {
                            compute_cycles: units % 5,
                            reduce_units_per_cycle: rate,
                            ..plain
                        };
                        all.extend(Collective::new(specification));
                    }
                }
            }
        }
    }
    all
}

#[test]
fn message_by_message_is_link_by_link() {
    let all = collectives();
    assert!(all.len() > 80, "{} collectives", all.len());
    let mut free = 0;
    for (number, collective) in all.into_iter().enumerate() {
        let lengths = collective.shape().lengths().to_vec();
        let kind = [MachineKind::Torus, MachineKind::Mesh][number / 2 % 2];
        let machine = Machine::new(kind, &lengths).unwrap();
        let nodes: Vec<NodeId> = (0..collective.share_count()).flat_map(|_| machine.nodes()).collect();
        let placement = Placement::Table(PlacementTable::new(&machine, nodes).unwrap());
        let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(2), TieRule::Direct)
            .unwrap()
            .with_latency(Cycles::new([0, 5][number % 2]))
            .with_switching(Switching::ALL[number % 2])
            .with_service(ServiceOrder::ALL[number / 2 % 2])
            .with_packets(NonZeroU64::new([0, 5, 7][number % 3]))
            .with_processors(NonZeroU64::new(collective.share_count().into()).unwrap());
        let specification = collective.specification().unwrap().clone();
        let run = |engine, observer: &mut dyn Observer| {
            let request = Request::asynchronous(engine);
            simulate(&collective, &placement, rules, &request.counting(CountLinkUse::Yes), observer).unwrap()
        };
        let (mut found, mut expected) = (vec![], vec![]);
        let by_link = run(EngineChoice::Sized, &mut expected);
        let with_records = run(EngineChoice::Auto, &mut found);
        let without = run(EngineChoice::Auto, &mut ());
        for outcome in [&with_records, &without] {
            assert_eq!(what_is_known(outcome), what_is_known(&by_link), "{specification:?} {rules:?}");
        }
        for records in [&mut found, &mut expected] {
            records.sort_unstable_by_key(|record| (record.process, record.stage));
        }
        assert_eq!(found, expected, "{specification:?} {rules:?}");
        free += u64::from(by_link.summary.totals().blocked == 0);
    }
    assert!(free > 40, "{free} runs without contention");
}

/// All that an outcome says, apart from its engine.
fn what_is_known(outcome: &Outcome) -> String {
    let traffic = &outcome.traffic;
    let links: Vec<_> = traffic.link_use.iter().flat_map(LinkUse::busy_links).collect();
    let sums = (traffic.messages, traffic.hops, traffic.longest_queue);
    format!("{:?} {sums:?} {links:?}", outcome.summary)
}

#[test]
fn a_stage_at_once_is_a_stage_process_by_process() {
    let all = collectives().into_iter().chain(crate::task_graphs::collectives());
    for collective in all {
        for stage in 0..collective.stage_count() {
            let processes = || ProcessId::first(collective.process_count());
            let mut listed = vec![];
            collective.visit(stage, &mut |source, destination, units| {
                listed.push((source, destination, units));
            });
            listed.sort_unstable();
            let sent = |source| {
                collective.sends(stage, source).into_iter().map(move |(to, units)| (source, to, units))
            };
            let expected: Vec<_> = processes().flat_map(sent).collect();
            assert_eq!(listed, expected, "stage {stage} of {:?}", collective.specification());
            let mut computations = vec![7];
            collective.list_computations(stage, &mut computations);
            let expected: Vec<u64> =
                processes().map(|process| collective.computation(stage, process)).collect();
            assert_eq!(computations, expected, "stage {stage} of {:?}", collective.specification());
        }
    }
}
