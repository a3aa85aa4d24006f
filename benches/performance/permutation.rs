//! A random permutation on a network: every process sends one message of one unit, without computing.

use cubefold::{
    mapping::{Placement, PlacementTable, ProcessId},
    simulator::{
        Communication, Computations, Cycles, EngineChoice, Outcome, Plan, Request, StageMessage,
        StageProgram, simulate,
    },
    topology::{LinkMode, Machine, MachineKind, NetworkParameters, NodeId, RouteChoice, TieRule},
};

use super::{row::OnNetwork, work::shuffled};

/// A permutation, ready to be run.
#[derive(Debug)]
pub(crate) struct PermutationWork {
    program: StageProgram,
    placement: Placement,
    communication: Communication,
}

impl OnNetwork {
    fn machine(self) -> Machine {
        let parameters = match self {
            Self::Family(kind, order) => return Machine::of_dimensions(kind, order).expect("a machine"),
            Self::FailedLink { k } => {
                let torus = Machine::new(MachineKind::Torus, &[k; 3]).expect("a machine");
                return torus.with_failures(&[(NodeId::new(0), NodeId::new(1))], &[]).expect("a link of it");
            }
            Self::FatTree { arity, levels } => NetworkParameters::k_ary_tree(arity, levels),
            Self::Dragonfly { hosts_per_switch, switches_per_group, global_links } => {
                NetworkParameters::dragonfly(hosts_per_switch, switches_per_group, global_links)
            }
            Self::HyperX { shape, hosts_per_switch } => {
                NetworkParameters::HyperX { shape: shape.to_vec(), hosts_per_switch }
            }
        };
        Machine::of_parameters(&parameters).expect("a machine")
    }
}

impl PermutationWork {
    /// Makes machine, program and placement: a process on every host.
    pub(crate) fn new(network: OnNetwork, choice: RouteChoice, links: LinkMode) -> Self {
        let machine = network.machine().with_route_choice(choice);
        let hosts: Vec<NodeId> = machine.hosts().collect();
        let to_others = hosts.iter().zip(shuffled(hosts.clone())).filter(|(from, to)| **from != *to);
        let messages: Vec<StageMessage> = to_others
            .map(|(from, to)| {
                let [source, destination] = [*from, to].map(|node| ProcessId::new(node.index()));
                StageMessage { stage: 0, source, destination, units: 1 }
            })
            .collect();
        let processes = u32::try_from(hosts.len()).expect("fewer than 2^32 hosts");
        let program =
            StageProgram::new(processes, Computations::Same(Cycles::ZERO), &messages).expect("a program");
        let placement = Placement::Table(PlacementTable::new(&machine, hosts).expect("hosts of the machine"));
        let communication = Communication::new(links, Cycles::new(1), TieRule::Direct).expect("a time");
        Self { program, placement, communication }
    }

    pub(crate) fn run(&self) -> Outcome {
        let (program, placement) = (&self.program, &self.placement);
        simulate(program, placement, self.communication, &Self::request(), &mut ()).expect("a run")
    }

    fn request() -> Request {
        Request::asynchronous(EngineChoice::Hop)
    }

    /// A coarse upper bound on the memory of a round \[bytes\].
    pub(crate) fn bytes(&self) -> u64 {
        let request = Self::request();
        let plan = Plan::new(&self.program, &self.placement, self.communication, &request);
        plan.expect("a run").bytes()
    }

    /// The number of nodes, switches included.
    pub(crate) fn nodes(&self) -> u64 {
        self.placement.machine().node_count()
    }
}
