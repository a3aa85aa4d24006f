//! Explicit routes: every message carries the list of the channels that it takes (`docs/model.md` section 28.1).
//!
//! Runs whose [`Communication`](crate::Communication) requests one of these rules get their routes here,
//! asynchronously or coordinated; all others take the routes of their machine.

use std::num::NonZeroU32;

use cubefold_mapping::{Placement, ProcessId, classic::EdgePaths};
use cubefold_topology::{
    Axis, Channel, Direction, Displacement, HostDimension, Machine, NodeId, RouteKey, TieRule, mix, narrow,
};

use crate::{Communication, OperationKind, Program, switch_trees::SwitchTrees};

/// The rule for the routes of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MessageRoutes {
    /// The routes of the machine (`docs/model.md` sections 4, 12 and 19).
    #[default]
    OfMachine,
    /// By way of a random node, both halves in a random order of the dimensions (Valiant 1982; Tao 1988, section
    /// 2.4): on grids.
    Valiant {
        /// Equal seeds draw equal routes.
        seed: u64,
    },
    /// On networks, any of the machine's shortest routes, drawn for each message (section 19).
    SpreadByMessage {
        /// Equal seeds draw equal routes.
        seed: u64,
    },
    /// On clusters whose devices have several NICs, by the share of the sending process (section 19): process
    /// `c P + r` is of share `c`.
    OfShares {
        /// The processes of a share, `P`.
        processes: NonZeroU32,
    },
    /// Between neighbours of the guest, the paths of the construction that placed it, if any; otherwise the routes of
    /// the machine (CS838 1999, psi).
    OfEmbedding,
}

/// The part of a message on which its route depends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoutedPair {
    /// Its stage; its tag in a task graph.
    pub(crate) stage: u32,
    pub(crate) source: ProcessId,
    pub(crate) destination: ProcessId,
    /// The number of earlier messages of the file with the same three; 0 in stage programs.
    pub(crate) ordinal: u32,
}

impl RoutedPair {
    /// A message of a stage, of which a run has fewer than 2^32.
    pub(crate) fn new(stage: usize, source: ProcessId, destination: ProcessId) -> Self {
        Self { stage: narrow(stage as u64), source, destination, ordinal: 0 }
    }

    /// The hash from which its route is drawn under `spread = "message"` (`docs/model.md` section 19).
    fn hash(self, seed: u64) -> u64 {
        let Self { stage, source, destination, ordinal } = self;
        hash_of_parts(seed, &[source.label(), destination.label(), stage, ordinal])
    }
}

/// The hash of some numbers under a seed.
fn hash_of_parts(seed: u64, parts: &[u32]) -> u64 {
    parts.iter().fold(mix(seed), |hash, &part| mix(hash ^ u64::from(part)))
}

/// Visits all messages of a program, each with its size \[units\], in the order of the file.
pub(crate) fn for_each_routed(program: &dyn Program, visit: &mut dyn FnMut(RoutedPair, u64)) {
    if let Some(graph) = program.special().tasks() {
        let ordinals = graph.ordinals();
        for (operation, details) in (0_u32..).zip(graph.schedule().operations()) {
            if details.kind == OperationKind::Send {
                let (stage, ordinal) = (details.tag, ordinals[operation as usize]);
                let (source, destination) = (details.process, details.peer);
                visit(RoutedPair { stage, source, destination, ordinal }, graph.units(operation));
            }
        }
        return;
    }
    for stage in 0..program.stage_count() {
        program.for_each_message(stage, &mut |source, destination, units| {
            visit(RoutedPair::new(stage, source, destination), units);
        });
    }
}

impl MessageRoutes {
    /// Whether two messages between the same processes may take different routes.
    pub(crate) fn depend_on_stage(self) -> bool {
        match self {
            Self::OfMachine | Self::OfEmbedding | Self::OfShares { .. } => false,
            Self::Valiant { .. } | Self::SpreadByMessage { .. } => true,
        }
    }

    /// Whether every message takes one of the shortest routes of the machine.
    pub(crate) fn are_shortest(self) -> bool {
        match self {
            Self::OfMachine | Self::SpreadByMessage { .. } | Self::OfShares { .. } => true,
            Self::Valiant { .. } | Self::OfEmbedding => false,
        }
    }
}

/// The explicit routes of the messages of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExplicitRoutes<'run> {
    machine: &'run Machine,
    tie: TieRule,
    rule: Rule<'run>,
    trees: Option<&'run SwitchTrees<'run>>, // of messages to and from switches that reduce
}

/// The source of routes.
#[derive(Debug, Clone, Copy)]
enum Rule<'run> {
    /// The routes of the machine.
    Plain,
    /// Drawn by this seed.
    Drawn(u64),
    /// Looked up, if paths exist.
    Paths(Option<&'run EdgePaths>),
    /// The routes of the machine, drawn by the hash of a message and this seed.
    Hashed(u64),
    /// The routes of the machine, by the share of a process, with this number of processes per share.
    Shares(NonZeroU32),
}

impl<'run> ExplicitRoutes<'run> {
    /// The routes under some rules; `None` if messages take the machine's routes.
    pub(crate) fn new(placement: &'run Placement, communication: Communication) -> Option<Self> {
        let machine = placement.machine();
        if communication.routes() == MessageRoutes::OfEmbedding {
            return Some(Self::by(Rule::Paths(edge_paths(placement)), machine, communication));
        }
        Self::of_any_placement(machine, communication)
    }

    /// The same, if they do not depend on the placement.
    pub(crate) fn of_any_placement(machine: &'run Machine, communication: Communication) -> Option<Self> {
        let rule = match communication.routes() {
            MessageRoutes::OfMachine | MessageRoutes::OfEmbedding => return None,
            MessageRoutes::Valiant { seed } => Rule::Drawn(seed),
            MessageRoutes::SpreadByMessage { seed } => Rule::Hashed(seed),
            MessageRoutes::OfShares { processes } => Rule::Shares(processes),
        };
        Some(Self::by(rule, machine, communication))
    }

    fn by(rule: Rule<'run>, machine: &'run Machine, communication: Communication) -> Self {
        Self { machine, tie: communication.tie(), rule, trees: None }
    }

    /// The same if switches reduce: messages to and from them go over their trees.
    pub(crate) fn through_switches(
        routes: Option<Self>,
        machine: &'run Machine,
        communication: Communication,
        trees: &'run SwitchTrees<'run>,
    ) -> Self {
        let plain = || Self::by(Rule::Plain, machine, communication);
        Self { trees: Some(trees), ..routes.unwrap_or_else(plain) }
    }

    /// A bound on the links of the route of any message.
    pub(crate) fn longest(placement: &Placement, communication: Communication) -> u64 {
        let bound = Self::longest_of_any_placement(placement.machine(), communication);
        if communication.routes() == MessageRoutes::OfEmbedding {
            return bound.max(edge_paths(placement).map_or(0, EdgePaths::longest));
        }
        bound
    }

    /// The same, if routes do not depend on the placement.
    pub(crate) fn longest_of_any_placement(machine: &Machine, communication: Communication) -> u64 {
        match communication.routes() {
            MessageRoutes::OfMachine
            | MessageRoutes::OfEmbedding
            | MessageRoutes::SpreadByMessage { .. }
            | MessageRoutes::OfShares { .. } => machine.distance_bound(),
            MessageRoutes::Valiant { .. } => machine.distance_bound().saturating_mul(2),
        }
    }

    /// Memory for the routes of `messages` messages under way \[bytes\].
    pub(crate) fn bytes(machine: &Machine, communication: Communication, messages: u64) -> u64 {
        if communication.routes() == MessageRoutes::OfMachine {
            return 0;
        }
        let links = Self::longest_of_any_placement(machine, communication);
        messages.saturating_mul(links.saturating_mul(size_of::<Channel>() as u64))
    }

    /// The channels of a message between two nodes, in order. Inside a node there are none.
    pub(crate) fn route(&self, pair: RoutedPair, from: NodeId, to: NodeId) -> Vec<Channel> {
        if let Some(route) = self.trees.and_then(|trees| trees.route(pair)) {
            return route;
        }
        let [mut route, onward] = self.phases(pair, from, to);
        route.extend(onward);
        route
    }

    /// The channels that a message takes before the barrier of coordinated execution, and after it.
    pub(crate) fn phases(&self, pair: RoutedPair, from: NodeId, to: NodeId) -> [Vec<Channel>; 2] {
        if from == to {
            return [vec![], vec![]];
        }
        let of_machine = |key| self.machine.route_of_message(from, to, self.tie, key).collect();
        let route = match self.rule {
            Rule::Plain => of_machine(RouteKey::Ends),
            Rule::Drawn(seed) => return self.drawn(&Draws::new(seed, pair), from, to),
            Rule::Paths(paths) => match paths.and_then(|paths| paths.path(pair.source, pair.destination)) {
                Some(nodes) => channels_between(self.machine, nodes),
                None => self.machine.route(from, to, self.tie).collect(),
            },
            Rule::Hashed(seed) => of_machine(RouteKey::Hash(pair.hash(seed))),
            Rule::Shares(processes) => of_machine(RouteKey::Share(pair.source.label() / processes)),
        };
        [route, vec![]]
    }

    /// The two phases of a message whose route is drawn.
    fn drawn(&self, draws: &Draws, from: NodeId, to: NodeId) -> [Vec<Channel>; 2] {
        let (mut there, mut onward) = (Way::new(from), Way::new(from));
        self.go_to_random_node(draws, &mut there);
        onward.at = there.at;
        self.go_on_to(to, draws, &mut onward);
        [there.channels, onward.channels]
    }

    /// Phase A: a random node, its coordinates corrected in a random order.
    fn go_to_random_node(&self, draws: &Draws, way: &mut Way) {
        let mut order: Vec<(HostDimension, &Axis)> = self.axes().collect();
        let count = order.len();
        for place in 0..count - 1 {
            order.swap(place, place + draws.below(place as u64, count - place));
        }
        for (place, (dimension, axis)) in order.into_iter().enumerate() {
            let target = draws.word((count + place) as u64) % axis.length();
            let to = with_coordinate(axis, way.at, target);
            if let Some(displacement) = axis.displacement(way.at, to, self.tie) {
                way.go(dimension, axis, displacement);
            }
        }
    }

    /// Phase B: before every link one of the dimensions that are still wrong is drawn. After the first link in a
    /// dimension the way round is the shorter one, so that it does not change.
    fn go_on_to(&self, to: NodeId, draws: &Draws, way: &mut Way) {
        for link in 0.. {
            let displacement = |axis: &Axis| axis.displacement(way.at, to, self.tie);
            let wrong: Vec<(HostDimension, &Axis, Displacement)> = self
                .axes()
                .filter_map(|(dimension, axis)| Some((dimension, axis, displacement(axis)?)))
                .collect();
            if wrong.is_empty() {
                return;
            }
            let (dimension, axis, displacement) = wrong[draws.below((1 << 32) + link, wrong.len())];
            way.go(dimension, axis, Displacement { hops: 1, ..displacement });
        }
    }

    fn axes(&self) -> impl Iterator<Item = (HostDimension, &'run Axis)> {
        self.machine.shape().dimensions().zip(self.machine.axes())
    }
}

/// The paths of the edges that a placement's construction gives. They were made before the run.
fn edge_paths(placement: &Placement) -> Option<&EdgePaths> {
    placement.edge_paths().ok().flatten()
}

/// The channels that lead from each node of a path to the next, its neighbour.
fn channels_between(machine: &Machine, nodes: impl Iterator<Item = NodeId>) -> Vec<Channel> {
    let nodes: Vec<NodeId> = nodes.collect();
    let channel = |pair: &[NodeId]| {
        let leads_on = |direction: &Direction| machine.neighbour(pair[0], *direction) == Some(pair[1]);
        machine.directions().find(leads_on).map(|direction| Channel { node: pair[0], direction })
    };
    nodes.windows(2).filter_map(channel).collect()
}

/// The number of links that the units of all messages of a program cross; `None` if messages take the routes of the
/// machine.
#[must_use]
pub fn explicit_unit_hops(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
) -> Option<u128> {
    let routes = ExplicitRoutes::new(placement, communication)?;
    let mut sum = 0;
    for_each_routed(program, &mut |pair, units| {
        let [from, to] = [pair.source, pair.destination].map(|process| placement.node(process));
        sum += routes.route(pair, from, to).len() as u128 * u128::from(units);
    });
    Some(sum)
}

/// The words from which the route of a message is drawn.
struct Draws {
    hash: u64,
}

impl Draws {
    fn new(seed: u64, RoutedPair { stage, source, destination, .. }: RoutedPair) -> Self {
        Self { hash: hash_of_parts(seed, &[stage, source.label(), destination.label()]) }
    }

    fn word(&self, number: u64) -> u64 {
        mix(self.hash ^ number)
    }

    /// A word modulo `count`, at least 1.
    fn below(&self, number: u64, count: usize) -> usize {
        usize::try_from(self.word(number) % count as u64).unwrap_or(0) // below `count`
    }
}

/// The state of a route under construction.
struct Way {
    at: NodeId,
    channels: Vec<Channel>,
}

impl Way {
    fn new(at: NodeId) -> Self {
        Self { at, channels: vec![] }
    }

    /// Follows a dimension, link by link.
    fn go(&mut self, dimension: HostDimension, axis: &Axis, Displacement { sign, hops }: Displacement) {
        let direction = Direction { dimension, sign };
        for _ in 0..hops {
            self.channels.push(Channel { node: self.at, direction });
            self.at = axis.after(self.at, Displacement { sign, hops: 1 });
        }
    }
}

/// The node on the same line that has this coordinate.
fn with_coordinate(axis: &Axis, node: NodeId, coordinate: u64) -> NodeId {
    let stride = axis.digit().stride();
    let line = u64::from(node.index()) - u64::from(axis.coordinate(node)) * stride;
    NodeId::new(narrow(line + coordinate * stride)) // a node of the machine
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cycles;
    use cubefold_topology::{LinkMode, MachineKind};

    fn routes_of(machine: &Machine, seed: u64) -> ExplicitRoutes<'_> {
        let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
        ExplicitRoutes::of_any_placement(machine, rules.with_routes(MessageRoutes::Valiant { seed })).unwrap()
    }

    fn pair(stage: u32, source: u32, destination: u32) -> RoutedPair {
        let [source, destination] = [source, destination].map(ProcessId::new);
        RoutedPair { stage, source, destination, ordinal: 0 }
    }

    #[test]
    fn the_routes_of_the_page() {
        let cube = Machine::new(MachineKind::Hypercube, &[2; 3]).unwrap();
        let routes = routes_of(&cube, 7);
        let nodes = |source: u32, destination: u32| {
            let ends = [source, destination].map(NodeId::new);
            let phases = routes.phases(pair(0, source, destination), ends[0], ends[1]);
            phases.map(|phase| phase.iter().map(|channel| channel.node.index()).collect::<Vec<_>>())
        };
        // 1, 5, 4; and 3, 1, 5, then 5, 4, 6.
        assert_eq!(nodes(1, 4), [vec![1, 5], vec![]]);
        assert_eq!(nodes(3, 6), [vec![3, 1], vec![5, 4]]);
    }

    #[test]
    fn routes_lead_over_links_from_end_to_end_and_never_change_their_way_round() {
        for (kind, lengths) in [
            (MachineKind::Torus, &[8_u64, 3, 4][..]),
            (MachineKind::Mesh, &[5, 2, 3]),
            (MachineKind::Ring, &[16]),
        ] {
            let machine = Machine::new(kind, lengths).unwrap();
            let routes = routes_of(&machine, 5);
            for (from, to) in machine.nodes().zip(machine.nodes().skip(7)) {
                let [there, onward] = routes.phases(pair(3, 1, 2), from, to);
                let mut at = from;
                for channel in there.iter().chain(&onward) {
                    assert_eq!(channel.node, at);
                    at = machine.neighbour(at, channel.direction).unwrap();
                }
                assert_eq!(at, to);
                for phase in [there, onward] {
                    for axis in 0..lengths.len() {
                        let mut signs: Vec<_> = phase
                            .iter()
                            .filter(|channel| channel.direction.dimension.index() == axis)
                            .map(|channel| channel.direction.sign)
                            .collect();
                        signs.dedup();
                        assert!(signs.len() <= 1, "{from} to {to}");
                    }
                }
            }
        }
    }
}
