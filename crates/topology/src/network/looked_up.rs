//! Routes that are looked up in tables: gone from their sources on when messages set out.
//!
//! All links of a route lie in one row of the tables, so that they are looked up together. The routes of messages that set out
//! together are gone side by side, so that cache misses overlap.

use std::hint::select_unpredictable;

use prefetch_index::prefetch_index;

use super::{
    Network, RouteChoice, RoutedMessage,
    counted_routes::{CountedRoutes, DrawnPort},
    route_tables::{PortRow, Rows},
};
use crate::{
    NodeId, narrow,
    routing::{CodeWriter, Draw, MAX_ROUTE_COUNT, RouteHash, RouteSteps, places},
};

/// So many neighbours of a node that are nearer, at most, are looked at together.
const FEW: usize = 4;

/// The routes to a node in the tables.
trait Row: Copy {
    /// Prefetches what the row has of a node.
    fn prefetch(self, at: NodeId);

    /// Prefetches what else [`Self::cross`] looks at, as what the row has of the node says.
    fn prefetch_further(self, _network: &Network, _at: NodeId) {}

    /// Crosses the next link from a node, or the last two, and writes their ports: where that leads to; none at the end, and
    /// without a route.
    fn cross(self, network: &Network, at: NodeId, to: NodeId, ports: &mut CodeWriter) -> Option<NodeId>;
}

/// Over the lowest neighbours.
impl Row for &PortRow {
    #[inline]
    fn prefetch(self, at: NodeId) {
        PortRow::prefetch(self, at);
    }

    #[inline]
    fn cross(self, network: &Network, at: NodeId, _to: NodeId, ports: &mut CodeWriter) -> Option<NodeId> {
        let port = self.port(at)?;
        ports.write(port.into());
        Some(network.neighbours(at)[usize::from(port)])
    }
}

/// Drawn by a hash.
#[derive(Debug, Clone, Copy)]
struct DrawnRow<'rows>(&'rows [CountedRoutes], RouteHash);

impl Row for DrawnRow<'_> {
    #[inline]
    fn prefetch(self, at: NodeId) {
        prefetch_index(self.0, at.index() as usize);
    }

    #[inline]
    fn prefetch_further(self, network: &Network, at: NodeId) {
        let Self(row, _) = self;
        let own = row[at.index() as usize];
        network.find_port(own, at, |next| {
            prefetch_index(row, next.index() as usize);
            false
        });
    }

    /// Over a port that the hash draws of those that lead nearer, by the numbers of routes behind them.
    #[inline]
    fn cross(self, network: &Network, at: NodeId, to: NodeId, ports: &mut CodeWriter) -> Option<NodeId> {
        let Self(row, hash) = self;
        let own = row[at.index() as usize];
        let Some(DrawnPort { port, last }) = own.draw(network.port_bits, || hash.at(at.index())) else {
            let (port, next) = self.drawn_among_neighbours(network, at)?;
            ports.write(port);
            return Some(next);
        };
        ports.write(port);
        if let Some(last) = last {
            ports.write(last);
            return Some(to);
        }
        Some(network.neighbours(at)[port as usize])
    }
}

impl DrawnRow<'_> {
    /// The port that the hash draws by the neighbours' numbers of routes, and where it leads to.
    #[inline]
    fn drawn_among_neighbours(self, network: &Network, at: NodeId) -> Option<(u32, NodeId)> {
        let Self(row, hash) = self;
        let (own, bits) = (row[at.index() as usize], network.port_bits);
        // All of the nearer ones together have the routes of the node, if they were counted on.
        let mut all = own.count(bits);
        let is_exact = all < MAX_ROUTE_COUNT;
        if is_exact && let Some(nearer) = network.few_nearer(own, at) {
            // Those that stand for missing ones come behind all routes.
            let count = |(_, next): (u32, NodeId)| row[next.index() as usize].count(bits);
            return Some(Draw::new(hash.at(at.index()), all).among(nearer, count));
        }
        let count = |next: NodeId| row[next.index() as usize].count_nearer_than(own, bits);
        if !is_exact {
            all = 0;
            network.find_port(own, at, |next| {
                all += count(next); // below 2^64: at most 2^16 numbers of at most 2^48
                false
            });
        }
        let mut draw = Draw::new(hash.at(at.index()), all);
        network.find_port(own, at, |next| draw.falls_on(count(next)))
    }
}

/// A route that is being gone.
#[derive(Debug)]
struct Walk<R> {
    at: NodeId,
    to: NodeId,
    row: R,
    ports: CodeWriter,
}

impl<R: Row> Walk<R> {
    /// A walk from a node of a route on, given the row of its destination.
    #[inline]
    fn new(network: &Network, row: R, at: NodeId, to: NodeId) -> Self {
        Self { at, to, row, ports: CodeWriter::new(network.port_bits) }
    }

    /// Whether it is not at its end.
    #[inline]
    fn is_going(&self) -> bool {
        self.at != self.to
    }

    /// Goes on by a link, or two; whether it is not at its end then.
    #[inline]
    fn go_on(&mut self, network: &Network) -> bool {
        let Some(next) = self.row.cross(network, self.at, self.to, &mut self.ports) else { return false };
        self.at = next;
        self.is_going()
    }

    /// Goes on to the end, or while something is true of the ports up to there: where it is then, and the ports.
    fn go_while(mut self, network: &Network, is_true: fn(&CodeWriter) -> bool) -> (NodeId, CodeWriter) {
        let mut is_going = self.is_going();
        while is_going && is_true(&self.ports) {
            is_going = self.go_on(network);
        }
        (self.at, self.ports)
    }
}

impl Network {
    /// Gives messages that set out the first links of their routes, which are looked up, and writes the lengths of these.
    pub(super) fn look_up_together(
        &self,
        choice: RouteChoice,
        messages: &mut [RoutedMessage],
        lengths: &mut Vec<u32>,
    ) {
        match choice {
            RouteChoice::Lowest => {
                let rows = self.routes.rows();
                self.walk_together(|_, to| rows.row(self, to, PortRow::new), messages, lengths);
            }
            RouteChoice::Spread(seed) => {
                let rows = self.route_counts.rows();
                self.walk_together(|from, to| self.drawn_row(&rows, seed, [from, to]), messages, lengths);
            }
        }
    }

    /// The row of a route that is drawn, given its ends.
    #[inline]
    fn drawn_row<'rows>(
        &self,
        rows: &'rows Rows<Box<[CountedRoutes]>>,
        seed: u64,
        [from, to]: [NodeId; 2],
    ) -> DrawnRow<'rows> {
        DrawnRow(rows.row(self, to, CountedRoutes::row), RouteHash::new(seed, [from, to]))
    }

    /// The same, given the row of the route between two nodes.
    fn walk_together<R: Row>(
        &self,
        row: impl Fn(NodeId, NodeId) -> R,
        messages: &mut [RoutedMessage],
        lengths: &mut Vec<u32>,
    ) {
        let walk = |message: &RoutedMessage| {
            let (from, (_, to)) = (message.node(), message.ends());
            let to = NodeId::new(to);
            Walk::new(self, row(from, to), from, to)
        };
        let mut walks: Vec<_> = messages.iter().map(walk).collect();
        let mut going: Vec<usize> = (0..walks.len()).collect();
        going.retain(|&walk| {
            let walk = &walks[walk];
            walk.row.prefetch(walk.at);
            walk.is_going()
        });
        while !going.is_empty() {
            for &walk in &going {
                let walk = &walks[walk];
                walk.row.prefetch_further(self, walk.at);
            }
            going.retain(|&walk| {
                let walk = &mut walks[walk];
                let is_going = walk.go_on(self);
                if is_going {
                    walk.row.prefetch(walk.at);
                }
                is_going
            });
        }
        for (message, walk) in messages.iter_mut().zip(walks) {
            let (links, steps) = walk.ports.finish();
            message.set_steps(steps);
            lengths.push(links);
        }
    }

    /// The ports of a route that is looked up, as many as fit, from a node of it on.
    pub(super) fn looked_up_steps(&self, choice: RouteChoice, ends: [NodeId; 3]) -> RouteSteps {
        let (_, ports) = self.walk_alone(choice, ends, CodeWriter::has_room);
        let (_, steps) = ports.finish();
        steps
    }

    /// The length of a route that is looked up \[links\]; none without a route.
    pub(super) fn looked_up_distance(&self, choice: RouteChoice, from: NodeId, to: NodeId) -> Option<u32> {
        let (last, ports) = self.walk_alone(choice, [from, from, to], |_| true);
        (last == to).then(|| ports.finish().0)
    }

    /// Where a route is that is gone from a node of it on while something is true of its ports up to there, and these.
    fn walk_alone(
        &self,
        choice: RouteChoice,
        [from, at, to]: [NodeId; 3],
        is_true: fn(&CodeWriter) -> bool,
    ) -> (NodeId, CodeWriter) {
        match choice {
            RouteChoice::Lowest => {
                let rows = self.routes.rows();
                Walk::new(self, rows.row(self, to, PortRow::new), at, to).go_while(self, is_true)
            }
            RouteChoice::Spread(seed) => {
                let rows = self.route_counts.rows();
                Walk::new(self, self.drawn_row(&rows, seed, [from, to]), at, to).go_while(self, is_true)
            }
        }
    }

    /// The port of the next link of a route that is looked up.
    pub(super) fn looked_up_port(&self, choice: RouteChoice, ends: [NodeId; 3]) -> Option<u16> {
        let (_, ports) = self.walk_alone(choice, ends, CodeWriter::is_empty);
        let (links, mut steps) = ports.finish();
        (links > 0).then(|| u16::try_from(steps.take_code(self.port_bits)).ok()).flatten()
    }

    /// The neighbours of a node that are nearer, ascending, where they are known one by one and few: the first again for those
    /// that are missing; with their ports.
    ///
    /// How many they are has no pattern, so that a branch for each would be foreseen badly.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each link costs as much as its work")]
    fn few_nearer(&self, own: CountedRoutes, at: NodeId) -> Option<[(u32, NodeId); FEW]> {
        let (groups, kind) = own.groups();
        if self.ports_of_group[kind] > 1 || groups.count_ones() as usize > FEW || groups == 0 {
            return None;
        }
        let neighbours = self.neighbours(at);
        let (first, mut rest) = (groups, groups);
        Some(std::array::from_fn(|_| {
            let port = select_unpredictable(rest == 0, first, rest).trailing_zeros();
            rest &= rest.wrapping_sub(1);
            (port, neighbours[port as usize])
        }))
    }

    /// The first of the ports of a node that may lead nearer, with the node that it leads to, of which something is true.
    fn find_port(
        &self,
        own: CountedRoutes,
        at: NodeId,
        mut is_found: impl FnMut(NodeId) -> bool,
    ) -> Option<(u32, NodeId)> {
        let (groups, kind) = own.groups();
        let (neighbours, ports) = (self.neighbours(at), self.ports_of_group[kind]);
        for group in places(groups) {
            let first = group as usize * ports;
            for (port, &next) in (first..).zip(neighbours.iter().skip(first).take(ports)) {
                if is_found(next) {
                    return Some((narrow(port as u64), next));
                }
            }
        }
        None
    }
}
