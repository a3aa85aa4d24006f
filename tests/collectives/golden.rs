//! The runs in `tests/golden/collectives.json`: numbers of messages and units, makespans and
//! queues.

use std::num::NonZeroU64;

use cubefold_collectives::{
    Algorithm, Collective, CollectiveBounds, CollectiveSpecification, Exchange, LinkCosts, MessageOrder,
    Operation, Ports,
};
use cubefold_mapping::{Placement, PlacementTable};
use cubefold_reference::{
    problem::Links,
    stage_program::{self, run_stages},
};
use cubefold_simulator::{Communication, Cycles, EngineChoice, Request, Switching, simulate};
use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, Shape, TieRule};
use serde::Deserialize;

use crate::support;

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

/// A run; members that nobody reads are left out.
#[derive(Debug, Deserialize)]
struct Case {
    operation: String,
    algorithm: String,
    exchange: Option<String>,
    ports: serde_json::Value,
    shares: u32,
    shape: Vec<u64>,
    wrap: bool,
    units: u64,
    hop_cycles: u64,
    latency_cycles: u64,
    switching: String,
    packet_units: Option<u64>,
    links: String,
    nodes: Vec<u64>,
    compute_cycles: u64,
    reduce_units_per_cycle: Option<NonZeroU64>,
    messages: usize,
    units_sent: u64,
    makespan_cycles: u64,
    longest_queue: u64,
}

/// Every run.
fn cases() -> Vec<Case> {
    let file: File = serde_json::from_str(include_str!("../golden/collectives.json")).unwrap();
    file.cases
}

impl Case {
    /// The collective that is run.
    fn collective(&self) -> Collective {
        let operation = Operation::ALL.into_iter().find(|one| one.name() == self.operation).unwrap();
        let algorithm = Algorithm::ALL.into_iter().find(|one| one.name() == self.algorithm).unwrap();
        let exchange = |name: &String| Exchange::ALL.into_iter().find(|one| one.name() == name).unwrap();
        let shape = Shape::new(&self.shape).unwrap();
        let specification = CollectiveSpecification {
            exchange: self.exchange.as_ref().map(exchange),
            ports: if self.ports == "all" { Ports::All } else { Ports::One },
            compute_cycles: self.compute_cycles,
            reduce_units_per_cycle: self.reduce_units_per_cycle,
            order: MessageOrder::Listed, // as the file
            ..CollectiveSpecification::new(operation, algorithm, shape, self.units)
        };
        let collective = Collective::new(specification).unwrap();
        assert_eq!(collective.share_count(), self.shares);
        collective
    }

    fn check(&self) {
        let collective = self.collective();
        let mut problem = support::problem(&collective, self.shares, &self.shape, self.wrap);
        problem.hop_cycles = self.hop_cycles;
        problem.latency_cycles = self.latency_cycles;
        problem.packet_units = self.packet_units;
        problem.nodes = (0..self.shares).flat_map(|_| self.nodes.iter().copied()).collect();
        problem.links = match self.links.as_str() {
            "full-duplex" => Links::FullDuplex,
            _ => Links::HalfDuplex,
        };
        problem.switching = match self.switching.as_str() {
            "cut-through" => stage_program::Switching::CutThrough,
            _ => stage_program::Switching::StoreAndForward,
        };
        let units_sent: u64 = problem.messages.iter().map(|message| message.units).sum();
        assert_eq!((problem.messages.len(), units_sent), (self.messages, self.units_sent), "{self:?}");
        let outcome = run_stages(&problem);
        let found = (outcome.makespan, outcome.longest_queue);
        assert_eq!(found, (self.makespan_cycles, self.longest_queue), "{self:?}");
    }
}

impl Case {
    fn machine(&self) -> Machine {
        let kind = if self.wrap { MachineKind::Torus } else { MachineKind::Mesh };
        Machine::new(kind, &self.shape).unwrap()
    }

    /// The node of each rank.
    fn rank_nodes(&self) -> Vec<NodeId> {
        let machine = self.machine();
        self.nodes.iter().map(|&node| machine.node(node).unwrap()).collect()
    }

    /// The node of each process.
    fn placement(&self) -> Placement {
        let nodes = (0..self.shares).flat_map(|_| self.rank_nodes()).collect();
        Placement::Table(PlacementTable::new(&self.machine(), nodes).unwrap())
    }

    fn link_mode(&self) -> LinkMode {
        LinkMode::ALL.into_iter().find(|mode| mode.name() == self.links).unwrap()
    }

    fn communication(&self) -> Communication {
        let switching = Switching::ALL.into_iter().find(|one| one.name() == self.switching).unwrap();
        Communication::new(self.link_mode(), Cycles::new(self.hop_cycles), TieRule::Direct)
            .unwrap()
            .with_latency(Cycles::new(self.latency_cycles))
            .with_switching(switching)
            .with_packets(self.packet_units.and_then(NonZeroU64::new))
            .with_processors(NonZeroU64::new(self.shares.into()).unwrap())
    }

    /// The bounds of the run.
    fn bounds(&self) -> CollectiveBounds {
        let costs = LinkCosts {
            link_mode: self.link_mode(),
            hop_cycles: self.hop_cycles,
            latency_cycles: self.latency_cycles,
            message_cost: 0,
            switches_reduce: false,
        };
        self.collective().bounds(&self.machine(), &self.rank_nodes(), costs)
    }
}

#[test]
fn the_engine_agrees_with_every_checked_run() {
    for case in cases() {
        let placement = case.placement();
        let outcome = simulate(
            &case.collective(),
            &placement,
            case.communication(),
            &Request::asynchronous(EngineChoice::Auto),
            &mut (),
        );
        let outcome = outcome.unwrap();
        assert_eq!(outcome.summary.makespan().get(), case.makespan_cycles, "{case:?}");
        assert_eq!(outcome.traffic.longest_queue.map(u64::from), Some(case.longest_queue), "{case:?}");
        assert_eq!(outcome.traffic.messages, case.messages as u64, "{case:?}");
    }
}

#[test]
fn no_checked_run_is_below_its_bounds() {
    for case in cases() {
        let bounds = case.bounds();
        let most = bounds.lower_bound_cycles().max(bounds.steps_cycles);
        assert!(most <= case.makespan_cycles, "{bounds:?} {case:?}");
    }
}

#[test]
fn collectives_send_and_take_what_the_checked_runs_say() {
    let cases = cases();
    assert_eq!(cases.len(), 335);
    cases.iter().for_each(Case::check);
}
