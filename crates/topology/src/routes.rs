//! Shortest routes of networks: distances, the neighbours that are nearer, and the next one on a route.
//!
//! The distances of a family of networks follow from a formula ([`Distances`]); without one they are looked up in
//! [tables](rows). A route is found link by link: at every node the next one is a neighbour that is nearer to the
//! destination, the one with the lowest number or one that is drawn ([`RouteChoice`]; `docs/model.md` sections 12
//! and 19). It depends on nothing but the ends of the route and the node. Where links weigh differently, routes have the
//! least sum of weights (section 21.8); a distance is the number of links of the route.

mod choice;
mod climbing;
mod d_mod_k;
mod detours;
mod dimension_order;
mod rows;

use std::{fmt, sync::Arc};

pub(crate) use self::rows::{LinkWeight, Row, Tables, WeightedRoutes};
pub use self::{
    choice::{RouteChoice, RouteKey, mix},
    climbing::{Climb, ClimbingSide},
};
use self::{
    choice::{drawn, route_hash},
    rows::Table,
};
pub(crate) use self::{d_mod_k::Destinations, detours::Detours, dimension_order::DimensionOrder};
use crate::{Direction, Network, NodeId};

/// The greatest number of shortest routes that is counted: sums over the neighbours of a node stay below 2^64.
pub(crate) const MAX_ROUTE_COUNT: u64 = 1 << 48;

/// The distances of a family of networks, all of whose nodes are connected.
pub(crate) trait Distances: fmt::Debug + Send + Sync {
    /// The distance between two nodes \[links\].
    fn distance(&self, at: u32, to: u32) -> u32;

    /// The number of shortest routes between two nodes; `None` without a formula.
    fn route_count(&self, _at: u32, _to: u32) -> Option<u64> {
        None
    }

    /// Whether the distance of a node is `links`, given that it is a neighbour of a node at one more.
    fn is_nearer(&self, at: u32, to: u32, links: u32) -> bool {
        self.distance(at, to) == links
    }

    /// The neighbours of `at` over which all shortest routes to `to` continue; `None` if that may be any.
    fn onward(&self, _at: u32, _to: u32) -> Option<Onward> {
        None
    }

    /// Among the ports of `at` that lead nearer to `to`, another node, in ascending order: the one that `choose` picks,
    /// given their number, if equally many shortest routes begin with each; `None` if neighbours are to be compared.
    fn nearer_port(&self, _at: u32, _to: u32, _choose: &dyn Fn(u16) -> u16) -> Option<u16> {
        None
    }

    /// Whether all routes with the fewest links, and they alone, have the least sum of weights, for any weights of the
    /// classes of links: each crosses as many links of each class, and no route between hosts crosses fewer of any.
    fn holds_for_any_weights(&self) -> bool {
        false
    }

    /// The distances over routes with the least sum of weights, by class, and of those the fewest links; without weights,
    /// over those with the fewest links. `None` without a formula.
    fn with_weights(&self, _weights: &[LinkWeight]) -> Option<Arc<dyn Distances>> {
        None
    }

    /// Whether a route from `at` to `to` may begin with a link of some weight to a node that is one link nearer.
    fn continues(&self, _at: u32, _next: u32, _to: u32, _weight: LinkWeight) -> bool {
        true
    }

    /// Estimates the memory that distances to all nodes take \[bytes\].
    fn bytes(&self) -> u64 {
        0
    }
}

/// The routes of a network under one choice.
#[derive(Debug, Clone)]
pub struct NetworkRoutes<'network> {
    network: &'network Network,
    choice: RouteChoice,
    table: Option<Arc<Table>>,               // without a formula
    order: Option<&'network DimensionOrder>, // of a grid whose routes are taken where they are up
}

/// The distances to one destination; the methods are those of [`Distances`] for it.
pub(crate) trait ToDestination {
    /// `None` without a route.
    fn distance(&self, node: u32) -> Option<u32>;

    /// `None` if the routes are to be counted; the node has at least one.
    fn route_count(&self, node: u32) -> Option<u64>;

    #[inline]
    fn is_nearer(&self, node: u32, links: u32) -> bool {
        self.distance(node) == Some(links)
    }

    #[inline]
    fn onward(&self, _at: u32) -> Option<Onward> {
        None
    }

    #[inline]
    fn continues(&self, _at: u32, _next: u32, _weight: LinkWeight) -> bool {
        true
    }
}

struct ByFormula<'network> {
    formula: &'network dyn Distances,
    to: u32,
}

/// Vertices at equal distances, in ascending order.
pub(crate) type Onward = std::iter::StepBy<std::ops::Range<u32>>;

impl ToDestination for ByFormula<'_> {
    #[inline]
    fn onward(&self, at: u32) -> Option<Onward> {
        self.formula.onward(at, self.to)
    }

    #[inline]
    fn distance(&self, node: u32) -> Option<u32> {
        Some(self.formula.distance(node, self.to))
    }

    #[inline]
    fn route_count(&self, node: u32) -> Option<u64> {
        self.formula.route_count(node, self.to)
    }

    #[inline]
    fn is_nearer(&self, node: u32, links: u32) -> bool {
        self.formula.is_nearer(node, self.to, links)
    }

    #[inline]
    fn continues(&self, at: u32, next: u32, weight: LinkWeight) -> bool {
        self.formula.continues(at, next, self.to, weight)
    }
}

impl<'network> NetworkRoutes<'network> {
    /// The routes of a network. Tables that it needs are kept with the network, and for as long as this lives.
    #[must_use]
    pub fn new(network: &'network Network, choice: RouteChoice) -> Self {
        Self { network, choice, table: network.table(choice), order: None }
    }

    /// The same routes on a grid where dimension-order routes that are up take precedence.
    pub(crate) fn with_order(self, order: Option<&'network DimensionOrder>) -> Self {
        Self { order, ..self }
    }

    /// Makes the rows of the tables for these destinations, in parallel.
    pub fn prepare(&self, destinations: &[NodeId]) {
        if let Some(table) = &self.table {
            table.prepare(self.network, destinations);
        }
    }

    /// Whether the next node of a route also depends on its source.
    #[inline]
    #[must_use]
    pub fn depend_on_source(&self) -> bool {
        self.order.is_some() || matches!(self.choice, RouteChoice::Spread(_))
    }

    /// The distance between two nodes \[links\]; `None` without a route.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    #[inline]
    #[must_use]
    pub fn distance(&self, at: NodeId, to: NodeId) -> Option<u32> {
        if let Some(links) = self.order.and_then(|order| order.distance(at, to)) {
            return u32::try_from(links).ok();
        }
        match (self.network.formula(), &self.table) {
            (Some(formula), _) => {
                Some(formula.distance(at.index(), to.index())).filter(|&links| links != Network::UNREACHED)
            }
            (None, Some(table)) => table.row(self.network, to).distance(at.index()),
            (None, None) => None,
        }
    }

    /// The direction of the next link at `at` of the route of a message from `from` to `to`; `None` at the destination, and
    /// without a route.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    #[must_use]
    pub fn next_of_message(&self, ends: [NodeId; 3], key: RouteKey) -> Option<Direction> {
        let [_, at, _] = ends;
        Some(self.network.direction(at, self.next_port(ends, None, key)?))
    }

    /// The node after `at` on the route from `from` to `to`; `None` at the destination, and without a route.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    #[must_use]
    pub fn next_node(&self, from: NodeId, at: NodeId, to: NodeId) -> Option<NodeId> {
        let port = self.next_port([from, at, to], None, RouteKey::Ends)?;
        Some(self.network.neighbours(at)[usize::from(port)])
    }

    /// The direction of the next link at `at` of the route from `from` to `to`; `None` at the destination, and without a
    /// route.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    #[inline]
    #[must_use]
    pub fn next(&self, from: NodeId, at: NodeId, to: NodeId) -> Option<Direction> {
        Some(self.network.direction(at, self.next_port([from, at, to], None, RouteKey::Ends)?))
    }

    /// Returns the same as [`next`](Self::next) if `at` is `links` links from `to`, which saves finding the distance
    /// again.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    #[inline]
    #[must_use]
    pub fn next_of_links(&self, [from, at, to]: [NodeId; 3], links: u32) -> Option<Direction> {
        Some(self.network.direction(at, self.next_port([from, at, to], Some(links), RouteKey::Ends)?))
    }

    /// The port of that link; `links` are left of the route, if known.
    fn next_port(&self, ends: [NodeId; 3], links: Option<u32>, key: RouteKey) -> Option<u16> {
        let [_, at, to] = ends;
        if at == to {
            return None;
        }
        if let Some(next) = self.order.and_then(|order| order.next_node(ends)) {
            return self.network.port_to(at.index(), next.index());
        }
        match (self.network.formula(), &self.table) {
            // Formulas do not know levels, except those of trees.
            (Some(formula), _)
                if self.choice == RouteChoice::DModK && !self.network.levels().are_adjacent() =>
            {
                self.compared_port(ends, links, &ByFormula { formula, to: to.index() }, key)
            }
            (Some(formula), _) => {
                let choose = |ports| self.place_of_alike(ends, ports, formula, key);
                let compared =
                    || self.compared_port(ends, links, &ByFormula { formula, to: to.index() }, key);
                formula.nearer_port(at.index(), to.index(), &choose).or_else(compared)
            }
            (None, Some(table)) => self.compared_port(ends, links, table.row(self.network, to), key),
            (None, None) => None,
        }
    }

    /// The place of the chosen port among the `ports` ports that lead nearer and begin equally many routes.
    fn place_of_alike(&self, ends: [NodeId; 3], ports: u16, formula: &dyn Distances, key: RouteKey) -> u16 {
        match self.choice {
            RouteChoice::Spread(seed) if ports > 1 => {
                let ([_, at, to], ports) = (ends, u64::from(ports));
                let all = formula.route_count(at.index(), to.index()).unwrap_or(ports);
                let each = (all / ports).min(MAX_ROUTE_COUNT);
                u16::try_from(route_hash(seed, ends, key) % (each * ports) / each).unwrap_or(0) // below `ports`
            }
            // Several ports lead up: on the way down there is one.
            RouteChoice::DModK if ports > 1 => {
                let [_, at, to] = ends;
                let place = self.network.number_upwards(at, to) % u64::from(ports);
                u16::try_from(place).unwrap_or(0) // below `ports`
            }
            RouteChoice::Lowest | RouteChoice::Spread(_) | RouteChoice::DModK => 0,
        }
    }

    /// The port found by comparing the distances of all neighbours with the distance of the node.
    fn compared_port(
        &self,
        ends: [NodeId; 3],
        links: Option<u32>,
        distances: &impl ToDestination,
        key: RouteKey,
    ) -> Option<u16> {
        let [_, at, to] = ends;
        debug_assert!(links.is_none_or(|links| distances.distance(at.index()) == Some(links)));
        let nearer = links.or_else(|| distances.distance(at.index()))?.checked_sub(1)?;
        if nearer == 0 {
            let port = self.network.port_to(at.index(), to.index())?;
            if self.choice == RouteChoice::DModK {
                return self.destination_port(ends, std::iter::once(port), key);
            }
            return Some(self.parallel_port(ends, port, key));
        }
        let (first, all) = self.network.inner_neighbours(at);
        let listed = distances.onward(at.index());
        let neighbours = if listed.is_some() { &[] } else { all };
        let channels = self.network.first_channel(at.index()) as usize;
        let is_nearer = |(port, next): &(u16, NodeId)| {
            distances.is_nearer(next.index(), nearer)
                && distances.continues(
                    at.index(),
                    next.index(),
                    self.network.weight(channels + usize::from(*port)),
                )
        };
        // The first of parallel links stands for all.
        let is_first = |(place, next): &(usize, &NodeId)| *place == 0 || neighbours[place - 1] != **next;
        let distinct = neighbours.iter().enumerate().filter(is_first);
        let searched = distinct.filter_map(|(place, &next)| Some((first + u16::try_from(place).ok()?, next)));
        let port_of = |next: u32| Some((self.network.port_to(at.index(), next)?, NodeId::new(next)));
        let listed = listed.into_iter().flatten().filter_map(port_of);
        let mut ports = listed.chain(searched).filter(is_nearer);
        match self.choice {
            RouteChoice::Lowest => ports.next().map(|(port, _)| self.parallel_port(ends, port, key)),
            RouteChoice::DModK => self.destination_port(ends, ports.map(|(port, _)| port), key),
            RouteChoice::Spread(seed) => {
                let (ports, nodes): (Vec<u16>, Vec<u32>) =
                    ports.map(|(port, next)| (port, next.index())).unzip();
                if let [only] = ports[..] {
                    return Some(self.parallel_port(ends, only, key));
                }
                let count = |&node: &u32| Some(distances.route_count(node)?.min(MAX_ROUTE_COUNT));
                let counts: Option<Vec<u64>> = nodes.iter().map(count).collect();
                let mut counts =
                    counts.unwrap_or_else(|| self.count_routes(nodes, nearer, to.index(), distances));
                for (count, &port) in counts.iter_mut().zip(&ports) {
                    *count *= u64::from(self.network.links_at(at.index(), port));
                }
                let (place, within) = drawn(route_hash(seed, ends, key), &counts)?;
                let port = *ports.get(place)?;
                let parallel = within % u64::from(self.network.links_at(at.index(), port));
                Some(port + u16::try_from(parallel).ok()?)
            }
        }
    }

    /// The port chosen among parallel links, the first of which is at port `first`, if only one neighbour leads nearer.
    #[inline]
    fn parallel_port(&self, ends: [NodeId; 3], first: u16, key: RouteKey) -> u16 {
        if !self.network.has_parallel_links() {
            return first;
        }
        let [_, at, to] = ends;
        let number = match self.choice {
            RouteChoice::Lowest | RouteChoice::DModK => u64::from(to.index()),
            RouteChoice::Spread(seed) => route_hash(seed, ends, key),
        };
        let parallel = number % u64::from(self.network.links_at(at.index(), first));
        first + u16::try_from(parallel).unwrap_or(0) // below the number of links
    }

    /// Counts the shortest routes to `to` from each of `nodes`, ascending nodes that are all `links` links away. It
    /// visits the nodes on these routes, one level of distances after another; `links` is at least 1.
    fn count_routes(&self, nodes: Vec<u32>, links: u32, to: u32, distances: &impl ToDestination) -> Vec<u64> {
        // The neighbours of a node, `left` links away, with which routes continue; parallel ones more than once.
        let onward = |node: u32, left: u32| {
            let channels = self.network.first_channel(node) as usize;
            let neighbours = self.network.neighbours(NodeId::new(node)).iter().map(|next| next.index());
            (channels..).zip(neighbours).filter(move |&(channel, next)| {
                let is_inner = next == to || next >= self.network.ends_only();
                is_inner
                    && distances.is_nearer(next, left)
                    && distances.continues(node, next, self.network.weight(channel))
            })
        };
        let mut levels = vec![nodes];
        for left in (1..links).rev() {
            let nodes = levels.last().into_iter().flatten();
            let mut level: Vec<u32> =
                nodes.flat_map(|&node| onward(node, left)).map(|(_, next)| next).collect();
            level.sort_unstable();
            level.dedup();
            levels.push(level);
        }
        levels.push(vec![to]);
        let mut counts = vec![1_u64];
        for (left, pair) in (0..).zip(levels.windows(2).rev()) {
            let [level, next] = [&pair[0], &pair[1]];
            let of_node = |&node: &u32| {
                let places = onward(node, left).filter_map(|(_, end)| next.binary_search(&end).ok());
                places.map(|place| counts[place]).sum::<u64>().min(MAX_ROUTE_COUNT)
            };
            counts = level.iter().map(of_node).collect();
        }
        counts
    }
}

#[cfg(test)]
mod tests;
