//! A random permutation on a network: every process sends one message of one unit, without computing.

use std::iter::successors;

use cubefold::{
    mapping::{Placement, PlacementTable, ProcessId},
    simulator::{
        Communication, Computations, CountLinkUse, Cycles, EngineChoice, Execution, StageMessage,
        StageProgram, bytes_to_simulate, simulate,
    },
    topology::{LinkMode, Machine, MachineKind, Network, NetworkParameters, NodeId, RouteChoice, TieRule},
};

use super::work::{Done, shuffled};

/// A network, by what its family is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnNetwork {
    /// Of a family made from a number.
    Family(MachineKind, u64),
    /// A k-ary n-tree.
    FatTree { arity: u64, levels: u64 },
    /// A dragonfly.
    Dragonfly { hosts_per_switch: u64, switches_per_group: u64, global_links: u64 },
    /// A fat tree of two levels.
    LeafSpine { leaves: u64, hosts_per_switch: u64, spines: u64 },
    /// Nodes that are all linked.
    FullMesh { nodes: u64 },
    /// A HyperX.
    HyperX { shape: &'static [u64], hosts_per_switch: u64 },
    /// A torus of `k x k x 2k` with a double twist.
    TwistedTorus { k: u64 },
    /// A torus of `k x k x k` without the link between nodes 0 and 1: routes are looked up.
    FailedLink { k: u64 },
    /// A fat tree of two levels without the link between the first leaf and the last spine: routes are looked up.
    FailedUplink { leaves: u64, hosts_per_switch: u64, spines: u64 },
    /// Listed links: so many cycles through all nodes, in the orders of a shuffle and of what it makes of each.
    Cycles { nodes: u32, cycles: usize },
    /// Listed links: a path through all nodes.
    Path { nodes: u32 },
}

/// A row on a network, ready to be measured.
#[derive(Debug)]
pub(crate) struct PermutationWork {
    program: StageProgram,
    placement: Placement,
    communication: Communication,
}

/// A machine of listed links.
fn listed(nodes: u32, links: &[(u32, u32)]) -> Machine {
    let network = Network::from_edges(nodes, links).expect("a network");
    Machine::network(MachineKind::Network, network).expect("a machine")
}

/// So many cycles through all nodes, in the orders of a shuffle and of what it makes of each.
fn cycles(nodes: u32, cycles: usize) -> Machine {
    let orders = successors(Some((0..nodes).map(NodeId::new).collect()), |order: &Vec<NodeId>| {
        Some(shuffled(order.clone()))
    });
    let links = orders.skip(1).take(cycles).flat_map(|order| {
        let mut next = order.clone();
        next.rotate_left(1);
        order.into_iter().zip(next).map(|(one, other)| (one.index(), other.index()))
    });
    listed(nodes, &links.collect::<Vec<_>>())
}

impl OnNetwork {
    fn machine(self) -> Machine {
        let parameters = match self {
            Self::Family(kind, order) => return Machine::of_dimensions(kind, order).expect("a machine"),
            Self::TwistedTorus { k } => {
                let twists = [vec![0, 0, k], vec![0, 0, k], vec![0; 3]];
                return Machine::twisted_torus(&[k, k, 2 * k], &twists).expect("a machine");
            }
            Self::FailedLink { k } => {
                let torus = Machine::new(MachineKind::Torus, &[k; 3]).expect("a machine");
                return torus.with_failures(&[(NodeId::new(0), NodeId::new(1))], &[]).expect("a link of it");
            }
            Self::FailedUplink { leaves, hosts_per_switch, spines } => {
                let tree = NetworkParameters::LeafSpine { leaves, hosts_per_switch, spines };
                let tree = Machine::of_parameters(&tree).expect("a machine");
                let first = leaves * hosts_per_switch;
                let [leaf, spine] = [first, first + leaves + spines - 1]
                    .map(|switch| NodeId::new(u32::try_from(switch).expect("fewer than 2^32 nodes")));
                return tree.with_failures(&[(leaf, spine)], &[]).expect("a link of it");
            }
            Self::Cycles { nodes, cycles: count } => return cycles(nodes, count),
            Self::Path { nodes } => {
                let links: Vec<(u32, u32)> = (1..nodes).map(|node| (node - 1, node)).collect();
                return listed(nodes, &links);
            }
            Self::FatTree { arity, levels } => NetworkParameters::KAryTree { arity, levels },
            Self::LeafSpine { leaves, hosts_per_switch, spines } => {
                NetworkParameters::LeafSpine { leaves, hosts_per_switch, spines }
            }
            Self::FullMesh { nodes } => NetworkParameters::FullMesh { nodes },
            Self::Dragonfly { hosts_per_switch, switches_per_group, global_links } => {
                NetworkParameters::Dragonfly { hosts_per_switch, switches_per_group, global_links }
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

    /// Runs it once.
    pub(crate) fn round(&self) -> Done {
        let (program, placement) = (&self.program, &self.placement);
        let execution = Self::execution();
        let outcome = simulate(program, placement, self.communication, &execution, CountLinkUse::No, &mut ())
            .expect("a run");
        Done::of_run(&outcome)
    }

    fn execution() -> Execution {
        Execution::Asynchronous(EngineChoice::Hop)
    }

    /// Messages sent in a round.
    pub(crate) fn messages(&self) -> u64 {
        self.placement.machine().host_count()
    }

    /// Bytes that a round takes at most, roughly.
    pub(crate) fn bytes(&self) -> u64 {
        bytes_to_simulate(&self.program, &self.placement, self.communication, &Self::execution())
    }

    /// The number of nodes, switches too.
    pub(crate) fn nodes(&self) -> u64 {
        self.placement.machine().node_count()
    }
}
