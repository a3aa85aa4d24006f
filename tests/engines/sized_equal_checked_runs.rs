//! Stage programs with sizes: the engine equals the checked runs of `tests/golden/sized_runs.json` in every row.

use std::num::NonZeroU64;

use cubefold_mapping::{Placement, PlacementTable};
use cubefold_simulator::{
    Communication, Cycle, Cycles, EAGER_ALL, EngineChoice, Request, ServiceOrder, StageRecord, Switching,
    simulate,
};
use cubefold_topology::{LinkMode, NodeId, TieRule};
use serde::Deserialize;

use crate::{random_problem::torus, sized_equal_reference::SizedCase};

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

/// As in the file.
#[derive(Deserialize)]
struct Case {
    shape: Vec<u64>,
    wrap: Vec<bool>,
    links: String,
    hop_cycles: u64,
    latency_cycles: u64,
    switching: String,
    packet_units: Option<u64>,
    arbitration: String,
    processors_per_node: u64,
    tie: String,
    eager_units: serde_json::Value,
    nodes: Vec<u32>,
    compute_cycles: Vec<u64>,
    messages: Vec<(usize, u32, u32, u64)>,
    makespan_cycles: u64,
    longest_queue: u32,
    rows: Vec<[u64; 9]>,
}

fn named<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str, word: &str) -> T {
    *all.iter().find(|&&one| name(one) == word).unwrap()
}

impl Case {
    fn communication(&self) -> Communication {
        let links = named(&LinkMode::ALL, LinkMode::name, &self.links);
        let tie = named(&TieRule::ALL, TieRule::name, &self.tie);
        Communication::new(links, Cycles::new(self.hop_cycles), tie)
            .unwrap()
            .with_latency(Cycles::new(self.latency_cycles))
            .with_switching(named(&Switching::ALL, Switching::name, &self.switching))
            .with_packets(self.packet_units.and_then(NonZeroU64::new))
            .with_service(named(&ServiceOrder::ALL, ServiceOrder::name, &self.arbitration))
            .with_eager(self.eager_units.as_u64().unwrap_or(EAGER_ALL))
            .with_processors(NonZeroU64::new(self.processors_per_node).unwrap())
    }

    fn placement(&self) -> Placement {
        let nodes = self.nodes.iter().copied().map(NodeId::new).collect();
        Placement::Table(PlacementTable::new(&torus(&self.shape, &self.wrap), nodes).unwrap())
    }
}

#[test]
fn every_row_of_the_checked_runs() {
    let file: File = serde_json::from_str(include_str!("../golden/sized_runs.json")).unwrap();
    assert_eq!(file.cases.len(), 160);
    for (number, case) in file.cases.iter().enumerate() {
        let processes = case.nodes.len();
        let sized = SizedCase {
            placement: case.placement(),
            communication: case.communication(),
            computations: case.compute_cycles.iter().map(|&cycles| vec![cycles; processes]).collect(),
            messages: case.messages.clone(),
            rotated: None,
        };
        let mut records: Vec<StageRecord> = vec![];
        let request = Request::asynchronous(EngineChoice::Auto);
        let outcome =
            simulate(&sized.program(), &sized.placement, sized.communication, &request, &mut records)
                .unwrap();
        assert_eq!(outcome.summary.makespan().get(), case.makespan_cycles, "case {number}");
        assert_eq!(outcome.traffic.longest_queue, Some(case.longest_queue), "case {number}");
        records.sort_unstable_by_key(|record| (record.stage, record.process));
        let row = |record: &StageRecord| {
            let [stage, process] = [record.stage as u64, record.process.label().into()];
            let times = [record.ready, record.start, record.finish].map(Cycle::get);
            let spans = [record.sharing, record.waiting(), record.transfer, record.blocked()];
            let spans = spans.map(Cycles::get);
            [stage, process, times[0], times[1], times[2], spans[0], spans[1], spans[2], spans[3]]
        };
        assert_eq!(records.iter().map(row).collect::<Vec<_>>(), case.rows, "case {number}");
    }
}
