//! Every collective as a task graph takes the cycles that it takes stage by stage.

use std::{num::NonZeroU64, sync::Arc};

use cubefold_collectives::{
    Algorithm, Collective, CollectiveSpecification, Exchange, MessageOrder, Operation, Ports,
};
use cubefold_mapping::{Placement, PlacementTable, ProcessId};
use cubefold_simulator::{
    Communication, Cycles, EngineChoice, Request, StageRecord, Switching, TaskGraph, simulate, task_schedule,
};
use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, Shape, TieRule};

/// Every collective that there is on these shapes.
pub(crate) fn collectives() -> Vec<Collective> {
    let mut all = vec![];
    for lengths in [&[8_u64][..], &[5], &[4, 4], &[2, 3], &[6, 3], &[2, 2, 3]] {
        for operation in Operation::ALL {
            for algorithm in Algorithm::ALL {
                for exchange in [None, Some(Exchange::Whole)] {
                    for ports in [Ports::One, Ports::All] {
                        let shape = Shape::new(lengths).unwrap();
                        let plain = CollectiveSpecification::new(operation, algorithm, shape, 100);
                        let specification = CollectiveSpecification {
                            exchange,
                            ports,
                            compute_cycles: 3,
                            order: MessageOrder::Listed, // tags have no turns
                            reduce_units_per_cycle: NonZeroU64::new(4),
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
fn every_collective_takes_the_same_cycles_as_a_task_graph() {
    let all = collectives();
    assert!(all.len() > 150, "{} collectives", all.len());
    for (number, collective) in all.into_iter().enumerate() {
        let specification = collective.specification().unwrap().clone();
        let shares = collective.share_count();
        let machine = Machine::new(MachineKind::Torus, specification.shape.lengths()).unwrap();
        let nodes = (0..shares).flat_map(|_| machine.nodes()).collect::<Vec<NodeId>>();
        let placement = Placement::Table(PlacementTable::new(&machine, nodes).unwrap());
        let eager = [0, 10, 1000][number % 3];
        let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(2), TieRule::Direct)
            .unwrap()
            .with_latency(Cycles::new(5))
            .with_switching(Switching::ALL[number % 2])
            .with_eager(eager)
            .with_processors(NonZeroU64::new(shares.into()).unwrap());
        let program = collective.with_guest().unwrap();
        let graph = TaskGraph::new(Arc::new(task_schedule(&program).unwrap()), Cycles::ZERO);
        let request = Request::asynchronous(EngineChoice::Auto);
        let (mut stages, mut tasks): (Vec<StageRecord>, Vec<StageRecord>) = (vec![], vec![]);
        let by_stages = simulate(&program, &placement, rules, &request, &mut stages).unwrap();
        let by_tasks = simulate(&graph, &placement, rules, &request, &mut tasks).unwrap();
        let traffic = |outcome: &cubefold_simulator::Outcome| {
            let own = &outcome.traffic;
            (own.messages, own.hops, own.longest_queue, outcome.summary.makespan())
        };
        assert_eq!(traffic(&by_tasks), traffic(&by_stages), "{specification:?}");
        let last = program.stage_count() - 1;
        for process in ProcessId::first(program.process_count()) {
            let finish = |records: &[StageRecord], stage| {
                let own = records.iter().find(|own| own.process == process && own.stage == stage);
                own.map(|own| own.finish)
            };
            // An operation that sends by rendezvous is over when its message is there.
            assert!(finish(&tasks, 0) >= finish(&stages, last), "process {process} of {specification:?}");
        }
    }
}
