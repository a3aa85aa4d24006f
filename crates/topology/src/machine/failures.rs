//! Links and nodes that are down (`docs/model.md` section 19).

use std::sync::Arc;

use super::{Graph, GraphSource, Machine, MachineError, MachineForm};
use crate::{
    Network, NodeId, RouteChoice, TieRule,
    routes::{Detours, DimensionOrder},
};

/// The links and nodes of a machine that are down (`docs/model.md` section 19).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failures {
    /// The links, each by its ends, the lower first, in ascending order; those of failed nodes are not listed.
    pub links: Vec<(NodeId, NodeId)>,
    /// The nodes, in ascending order.
    pub nodes: Vec<NodeId>,
}

impl Machine {
    /// Its failed links and nodes; `None` for a grid, and if all are up.
    #[must_use]
    pub fn failures(&self) -> Option<&Failures> {
        let failures = &self.graph_form()?.failures;
        (*failures != Failures::default()).then_some(failures)
    }

    /// Returns the same machine with these links and nodes down. A grid becomes a graph, on which messages go in dimension
    /// order if that route is up, and else on the lowest of the remaining shortest routes.
    ///
    /// # Errors
    ///
    /// When two nodes of a link are not linked; and when fewer than two working hosts are left, or two without a route.
    ///
    /// # Panics
    ///
    /// When the machine has no such node.
    pub fn with_failures(&self, links: &[(NodeId, NodeId)], nodes: &[NodeId]) -> Result<Self, MachineError> {
        if links.is_empty() && nodes.is_empty() {
            return Ok(self.clone());
        }
        if let Some(&(one, other)) =
            links.iter().find(|&&(one, other)| !self.neighbours(one).any(|next| next == other))
        {
            return Err(MachineError::NoSuchLink { one, other });
        }
        let mut failures = self.failures().cloned().unwrap_or_default();
        failures.nodes.extend(nodes);
        failures.nodes.sort_unstable();
        failures.nodes.dedup();
        let is_down = |node: &NodeId| failures.nodes.binary_search(node).is_ok();
        failures.links.extend(links.iter().map(|&(one, other)| (one.min(other), one.max(other))));
        failures.links.retain(|(one, other)| !is_down(one) && !is_down(other));
        failures.links.sort_unstable();
        failures.links.dedup();
        let works = |&(one, other): &(NodeId, NodeId)| {
            !is_down(&one) && !is_down(&other) && failures.links.binary_search(&(one, other)).is_err()
        };
        let network = self.left_over(works)?;
        let (source, choice, grid, is_in_order) = match &self.form {
            MachineForm::Grid(_) => {
                let grid = Self { times: None, ..self.clone() };
                (GraphSource::Grid, RouteChoice::default(), Some(Arc::new(grid)), true)
            }
            MachineForm::Graph(graph) => {
                (graph.source.clone(), graph.choice, graph.grid.clone(), graph.order.is_some())
            }
        };
        let is_up = |one, other| works(&(NodeId::min(one, other), one.max(other)));
        let order = grid.as_ref().filter(|_| is_in_order);
        let order = order.map(|grid| Arc::new(DimensionOrder::new(grid, TieRule::default(), is_up)));
        let network = with_detours(network, grid.as_ref(), order.as_deref());
        let (shape, network) = (self.shape().clone(), Arc::new(network));
        let names = self.node_names().cloned();
        let assumes_uplinks = self.assumes_uplinks();
        let graph = Graph { shape, source, network, choice, order, grid, failures, names, assumes_uplinks };
        let machine =
            Self { kind: self.kind, form: MachineForm::Graph(graph), times: None, packet_routes: None };
        machine.check_routes()?;
        Ok(match self.link_times() {
            Some(times) => machine.with_link_times(times),
            None => machine,
        })
    }

    /// The network of the links that work, without a formula.
    fn left_over(&self, works: impl Fn(&(NodeId, NodeId)) -> bool) -> Result<Network, MachineError> {
        let all = self.nodes().flat_map(|one| self.neighbours(one).map(move |other| (one, other)));
        let left: Vec<(u32, u32)> = all
            .filter(|(one, other)| one < other)
            .filter(works)
            .map(|(one, other)| (one.index(), other.index()))
            .collect();
        let count = u32::try_from(self.node_count()).unwrap_or(u32::MAX);
        let Some(whole) = self.graph() else { return Ok(Network::from_edges(count, &left)?) };
        let hosts = u32::try_from(whole.host_count()).unwrap_or(u32::MAX);
        let network = Network::from_parallel_edges(count, &left)?.with_hosts(hosts);
        let network = network.with_hosts_forwarding(whole.hosts_forward()).left_of(whole);
        Ok(network.with_classes(|one, other| whole.class_between(one, other)))
    }

    /// Checks that there are two working hosts, and that all are connected.
    fn check_routes(&self) -> Result<(), MachineError> {
        if let Some((one, other)) = self.two_hosts_apart() {
            return Err(MachineError::FallsApart { one, other });
        }
        match self.host_count() {
            hosts @ 0..2 => Err(MachineError::NothingLeft { hosts }),
            _ => Ok(()),
        }
    }
}

/// The remaining links of a grid, with its distances where messages keep to dimension order.
fn with_detours(left: Network, grid: Option<&Arc<Machine>>, order: Option<&DimensionOrder>) -> Network {
    let (Some(grid), Some(order)) = (grid, order) else { return left };
    let detours = Detours::new(Arc::clone(grid), left.without_formula(), order.lines_down());
    left.with_formula(detours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MachineKind, NetworkParameters, TieRule};

    #[test]
    fn what_is_down_carries_nothing_and_holds_nothing() {
        let torus = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
        let [a, b, c] = [0, 1, 5].map(NodeId::new);
        let machine = torus.with_failures(&[(b, a)], &[c]).unwrap();
        assert_eq!((machine.host_count(), machine.link_count()), (15, 32 - 1 - 4));
        assert!(!machine.is_host(c) && machine.is_host(a));
        assert_eq!(machine.hosts().count(), 15);
        assert_eq!((machine.distance(a, b), torus.distance(a, b)), (3, 1));
        for (from, to) in machine.hosts().flat_map(|from| machine.hosts().map(move |to| (from, to))) {
            for channel in machine.route(from, to, TieRule::Direct) {
                let next = machine.neighbour(channel.node, channel.direction).unwrap();
                assert!(next != c && (channel.node.min(next), channel.node.max(next)) != (a, b));
            }
        }
        // Failures add up, in any order.
        let other = torus.with_failures(&[], &[c]).unwrap().with_failures(&[(a, b)], &[]).unwrap();
        assert_eq!(machine, other);
    }

    #[test]
    fn detours_are_as_long_as_in_a_table() {
        let links = [(0, 1), (1, 2), (6, 11), (7, 8), (12, 17)]
            .map(|(one, other)| (NodeId::new(one), NodeId::new(other)));
        for kind in [MachineKind::Torus, MachineKind::Mesh] {
            let grid = Machine::new(kind, &[5, 4]).unwrap();
            for nodes in [&[][..], &[NodeId::new(13)]] {
                for left in (1..=links.len()).map(|count| &links[..count]) {
                    let machine = grid.with_failures(left, nodes).unwrap();
                    let network = machine.graph().unwrap();
                    assert!(!network.has_tables() && network.without_formula().has_tables());
                    let table = crate::NetworkRoutes::new(network, RouteChoice::Lowest);
                    for to in machine.nodes() {
                        let expected = network.distances_to(to);
                        let found = machine.nodes().map(|at| table.distance(at, to));
                        assert_eq!(found.collect::<Vec<_>>(), expected, "{left:?} {to}");
                    }
                    // Under another choice the routes are looked up as in any network.
                    assert!(machine.with_route_choice(RouteChoice::Spread(1)).graph().unwrap().has_tables());
                }
            }
        }
    }

    #[test]
    fn one_failed_link_of_a_large_torus_takes_little_memory() {
        let torus = Machine::new(MachineKind::Torus, &[256, 256]).unwrap();
        let [zero, one] = [0, 1].map(NodeId::new);
        let machine = torus.with_failures(&[(zero, one)], &[]).unwrap();
        assert!(machine.bytes_of_routes() < 4 << 20, "{}", machine.bytes_of_routes());
        assert_eq!((machine.distance(zero, one), machine.distance(one, NodeId::new(257))), (3, 1));
    }

    #[test]
    fn machines_that_fall_apart_are_refused_with_two_nodes_on_two_sides() {
        let line = Machine::new(MachineKind::Line, &[6]).unwrap();
        let [two, three, five] = [2, 3, 5].map(NodeId::new);
        let message = |links: &[_], nodes: &[_]| line.with_failures(links, nodes).unwrap_err().to_string();
        assert_eq!(message(&[(two, three)], &[]), "no route between nodes 0 and 3: the machine falls apart");
        assert_eq!(message(&[], &[two]), "no route between nodes 0 and 3: the machine falls apart");
        assert_eq!(
            message(&[(two, five)], &[]),
            "a failed link between nodes 2 and 5, expected two that are linked"
        );
        // A switch without links holds no process.
        let parameters = NetworkParameters::leaf_spine(2, 2, 2);
        let machine = Machine::of_parameters(&parameters).unwrap();
        let [leaf, spine, other] = [4, 6, 7].map(NodeId::new);
        assert_eq!(machine.with_failures(&[], &[spine]).unwrap().host_count(), 4);
        let error = machine.with_failures(&[(leaf, spine), (leaf, other)], &[]).unwrap_err();
        assert_eq!(error, MachineError::FallsApart { one: NodeId::new(0), other: two });
    }
}
