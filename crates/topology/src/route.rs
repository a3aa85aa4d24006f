//! Routes: dimension order on grids, shortest paths on graphs (`docs/model.md` section 4).

use crate::{Channel, Leg, Machine, NetworkRoutes, NodeId, RouteKey, TieRule};

/// The channels of a route, in order: an iterator.
///
/// On a grid in dimension order: the lowest-numbered coordinate that differs is corrected first, by the shorter
/// displacement, which is chosen when the message enters the dimension and kept (`docs/model.md` section 4). On a graph a
/// shortest route.
#[derive(Debug, Clone)]
pub struct Route<'machine> {
    machine: &'machine Machine,
    from: NodeId,
    at: NodeId,
    to: NodeId,
    tie: TieRule,
    leg: Option<Leg>, // the rest of the current leg
    key: RouteKey,
    routes: Option<NetworkRoutes<'machine>>, // of a graph
}

impl Machine {
    /// The channels that a message from `from` to `to` crosses, in order.
    #[must_use]
    pub fn route(&self, from: NodeId, to: NodeId, tie: TieRule) -> Route<'_> {
        self.route_of_message(from, to, tie, RouteKey::Ends)
    }

    /// The channels that a message with a key of its own crosses, in order; on grids the key changes nothing.
    #[must_use]
    pub fn route_of_message(&self, from: NodeId, to: NodeId, tie: TieRule, key: RouteKey) -> Route<'_> {
        let routes = self.network_routes();
        let mut route = Route { machine: self, from, at: from, to, tie, leg: None, key, routes };
        route.leg = route.next_leg();
        route
    }
}

impl Route<'_> {
    /// The leg that starts at the node that the route has reached.
    fn next_leg(&self) -> Option<Leg> {
        let Some(routes) = &self.routes else { return self.machine.next_leg(self.at, self.to, self.tie) };
        let direction = routes.next_of_message([self.from, self.at, self.to], self.key)?;
        Some(Leg { direction, hops: 1 })
    }
}

impl Iterator for Route<'_> {
    type Item = Channel;

    fn next(&mut self) -> Option<Channel> {
        let Leg { direction, hops } = self.leg?;
        let channel = Channel { node: self.at, direction };
        self.at = self.machine.neighbour(self.at, direction)?;
        self.leg = if hops > 1 { Some(Leg { direction, hops: hops - 1 }) } else { self.next_leg() };
        Some(channel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MachineKind, Wrap};

    fn nodes_of_route(machine: &Machine, from: u64, to: u64, tie: TieRule) -> Vec<u32> {
        let (from, to) = (machine.node(from).unwrap(), machine.node(to).unwrap());
        machine.route(from, to, tie).map(|channel| channel.node.index()).collect()
    }

    #[test]
    fn the_first_dimension_is_corrected_first_by_the_shorter_displacement() {
        let torus = Machine::new(MachineKind::Torus, &[8, 4]).unwrap();
        // From (1, 0) to (6, 1): back over 0 and 7 to 6, then one link up.
        assert_eq!(nodes_of_route(&torus, 1, 14, TieRule::Direct), [1, 0, 7, 6]);
    }

    #[test]
    fn ties_are_broken_as_the_rule_says() {
        let ring = Machine::new(MachineKind::Ring, &[4]).unwrap();
        assert_eq!(nodes_of_route(&ring, 3, 1, TieRule::Direct), [3, 2]);
        assert_eq!(nodes_of_route(&ring, 3, 1, TieRule::Positive), [3, 0]);
        assert_eq!(nodes_of_route(&ring, 1, 3, TieRule::Negative), [1, 0]);
    }

    #[test]
    fn routes_of_graphs_are_shortest_and_take_the_lowest_neighbour() {
        for kind in MachineKind::ALL {
            let Some(range) = kind.network_dimensions() else { continue };
            for dimensions in range.take(4) {
                let machine = Machine::of_dimensions(kind, dimensions).unwrap();
                let network = machine.graph().unwrap();
                assert!(network.is_connected());
                check_all_routes(&machine);
                for to in machine.nodes() {
                    for (at, distance) in machine.nodes().zip(network.distances_to(to)) {
                        assert_eq!(Some(machine.distance(at, to)), distance.map(u64::from));
                        let next = machine.route(at, to, TieRule::Direct).nth(1).map(|channel| channel.node);
                        let nearer = |node: &NodeId| machine.distance(*node, to) < machine.distance(at, to);
                        let lowest = machine.neighbours(at).find(nearer);
                        assert!(next.is_none() || next == lowest);
                    }
                }
            }
        }
    }

    #[test]
    fn every_route_is_as_long_as_the_distance_and_ends_where_it_should() {
        let shapes: [&[u64]; 4] = [&[7], &[2, 5], &[4, 3, 2], &[2, 2, 2, 3]];
        for lengths in shapes {
            for wraps in 0..1_u32 << lengths.len() {
                let wraps: Vec<_> = (0..lengths.len())
                    .map(|index| if wraps >> index & 1 == 1 { Wrap::Around } else { Wrap::Open })
                    .collect();
                let machine = Machine::with_wraps(MachineKind::Mesh, lengths, &wraps).unwrap();
                check_all_routes(&machine);
            }
        }
    }

    fn check_all_routes(machine: &Machine) {
        for (from, to) in machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))) {
            for tie in TieRule::ALL {
                let route: Vec<_> = machine.route(from, to, tie).collect();
                assert_eq!(route.len() as u64, machine.distance(from, to));
                let end =
                    route.last().map_or(from, |last| machine.neighbour(last.node, last.direction).unwrap());
                assert_eq!(end, to);
            }
        }
    }
}
