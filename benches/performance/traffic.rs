//! Open-loop traffic over routers with finite buffers.

use cubefold::{
    simulator::{Communication, Cycles, OpenLoop, RouterSettings, TrafficPattern},
    topology::{LinkMode, Machine, MachineKind, TieRule},
};

use super::row::Traffic;

/// Traffic, ready to be run.
#[derive(Debug)]
pub(crate) struct TrafficWork {
    machine: Machine,
    rules: Communication,
    traffic: OpenLoop,
}

impl TrafficWork {
    const LOAD: f64 = 0.1;

    /// Makes machine and rules.
    pub(crate) fn new(traffic: Traffic) -> Self {
        let (kind, side, pattern, window) = match traffic {
            Traffic::UniformOnMesh(side) => (MachineKind::Mesh, side, TrafficPattern::Uniform, 10_000),
            Traffic::NeighbourOnTorus(side) => (MachineKind::Torus, side, TrafficPattern::Neighbour, 33),
        };
        let machine = Machine::new(kind, &[side, side]).expect("a grid");
        let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct)
            .expect("a time")
            .with_routers(RouterSettings::default_of(&machine, 0), &machine)
            .expect("routers that suit the machine");
        let traffic = OpenLoop::new(pattern, [window; 3]);
        Self { machine, rules, traffic }
    }

    /// Runs it once: the latencies of all measured packets together \[cycles\], and the cycles of all nodes.
    pub(crate) fn run(&self) -> (u64, u64) {
        let outcome = self.traffic.run(&self.machine, self.rules, Self::LOAD).expect("a run");
        let own = outcome.seeds.first().expect("a seed");
        (own.packet_latency.sum.expect("all packets received"), self.nodes() * (own.cycles + 1))
    }

    /// A coarse upper bound on the memory of a round \[bytes\].
    pub(crate) fn bytes(&self) -> u64 {
        self.traffic.bytes(&self.machine, self.rules, Self::LOAD)
    }

    /// The number of nodes.
    pub(crate) fn nodes(&self) -> u64 {
        self.machine.node_count()
    }
}
