//! Routes that are looked up in tables: gone from their sources on when messages set out.
//!
//! All links of a route lie in one row of the tables, so that they are looked up together. The routes of messages that set out
//! together are gone side by side, so that cache misses overlap.

use std::hint::select_unpredictable;

use prefetch_index::prefetch_index;

use super::{
    Network, RouteChoice, RoutedMessage,
    route_tables::{CountedRoutes, PortRow},
};
use crate::{
    NodeId, narrow,
    routing::{CodeWriter, Draw, MAX_ROUTE_COUNT, RouteHash, RouteSteps, places},
};

/// So many neighbours of a node that are nearer, at most, are looked at together.
const FEW: usize = 4;

/// The routes to a node in the tables.
trait Row<'network>: Copy {
    /// The row for the routes from one node to another.
    fn new(network: &'network Network, seed: u64, from: NodeId, to: NodeId) -> Self;

    /// Prefetches what [`Self::prefetch_next`] looks at.
    fn prefetch_own(self, _at: NodeId) {}

    /// Prefetches what [`Self::next`] looks at, given a node of which all is known.
    fn prefetch_next(self, network: &Network, at: NodeId);

    /// The port of the next link from a node, and the node that it leads to; none at the end, and without a route.
    fn next(self, network: &Network, at: NodeId) -> Option<(u32, NodeId)>;
}

/// Over the lowest neighbours.
impl<'network> Row<'network> for &'network PortRow {
    #[inline]
    fn new(network: &'network Network, _seed: u64, _from: NodeId, to: NodeId) -> Self {
        network.routes.row(network, to, PortRow::new)
    }

    #[inline]
    fn prefetch_next(self, _network: &Network, at: NodeId) {
        self.prefetch(at);
    }

    #[inline]
    fn next(self, network: &Network, at: NodeId) -> Option<(u32, NodeId)> {
        let port = self.port(at)?;
        Some((port.into(), network.neighbours(at)[usize::from(port)]))
    }
}

/// Drawn by a hash.
#[derive(Debug, Clone, Copy)]
struct DrawnRow<'network>(&'network [CountedRoutes], RouteHash);

impl<'network> Row<'network> for DrawnRow<'network> {
    #[inline]
    fn new(network: &'network Network, seed: u64, from: NodeId, to: NodeId) -> Self {
        let hash = RouteHash::new(seed, [from, to]);
        Self(network.route_counts.row(network, to, CountedRoutes::row), hash)
    }

    #[inline]
    fn prefetch_own(self, at: NodeId) {
        prefetch_index(self.0, at.index() as usize);
    }

    #[inline]
    fn prefetch_next(self, network: &Network, at: NodeId) {
        let Self(row, _) = self;
        let own = row[at.index() as usize];
        let prefetch = |next: NodeId| prefetch_index(row, next.index() as usize);
        if let Some(nearer) = network.few_nearer(own, at) {
            for (_, next) in nearer {
                prefetch(next);
            }
        } else {
            network.find_port(own, at, |next| {
                prefetch(next);
                false
            });
        }
    }

    /// The port that the hash draws of those that lead nearer, by the numbers of routes behind them.
    #[inline]
    fn next(self, network: &Network, at: NodeId) -> Option<(u32, NodeId)> {
        let Self(row, hash) = self;
        let own = row[at.index() as usize];
        // All of the nearer ones together have the routes of the node, if they were counted on.
        let all = own.count();
        if all < MAX_ROUTE_COUNT
            && let Some(nearer) = network.few_nearer(own, at)
        {
            let (mut drawn, mut rest) = (nearer[0], hash.at(at.index()) % all);
            // Those that stand for missing ones come behind all routes.
            for pair in nearer.windows(2) {
                let [(_, before), next] = [pair[0], pair[1]];
                let count = row[before.index() as usize].count();
                let is_behind = rest >= count;
                drawn = select_unpredictable(is_behind, next, drawn);
                rest = select_unpredictable(is_behind, rest.wrapping_sub(count), 0);
            }
            return Some(drawn);
        }
        let count = |next: NodeId| row[next.index() as usize].count_nearer_than(own);
        let mut all = 0_u64;
        network.find_port(own, at, |next| {
            all += count(next); // below 2^64: at most 2^16 numbers of at most 2^48
            false
        });
        let mut draw = Draw::new(hash.at(at.index()), all);
        network.find_port(own, at, |next| draw.falls_on(count(next)))
    }
}

/// A route that is being gone.
#[derive(Debug)]
struct Walk<R> {
    at: NodeId,
    row: R,
    ports: CodeWriter,
}

impl<'network, R: Row<'network>> Walk<R> {
    /// A walk from a node of a route on.
    #[inline]
    fn new(network: &'network Network, row: R, at: NodeId) -> Self {
        Self { at, row, ports: CodeWriter::new(network.port_bits) }
    }

    /// Goes on by a link; whether there is one.
    #[inline]
    fn go_on(&mut self, network: &Network) -> bool {
        let Some((port, next)) = self.row.next(network, self.at) else { return false };
        self.at = next;
        self.ports.write(port);
        true
    }

    /// Goes on to the end: where it is, and the ports up to there.
    fn go_to_end(mut self, network: &Network) -> (NodeId, CodeWriter) {
        while self.go_on(network) {}
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
            RouteChoice::Lowest => self.walk_together::<&PortRow>(0, messages, lengths),
            RouteChoice::Spread(seed) => self.walk_together::<DrawnRow<'_>>(seed, messages, lengths),
        }
    }

    /// The same by rows of the tables.
    fn walk_together<'network, R: Row<'network>>(
        &'network self,
        seed: u64,
        messages: &mut [RoutedMessage],
        lengths: &mut Vec<u32>,
    ) {
        let walk = |message: &RoutedMessage| {
            let (from, (_, to)) = (message.node(), message.ends());
            Walk::new(self, R::new(self, seed, from, NodeId::new(to)), from)
        };
        let mut walks: Vec<_> = messages.iter().map(walk).collect();
        for walk in &walks {
            walk.row.prefetch_own(walk.at);
        }
        for walk in &walks {
            walk.row.prefetch_next(self, walk.at);
        }
        let mut going: Vec<usize> = (0..walks.len()).collect();
        while !going.is_empty() {
            going.retain(|&walk| {
                let walk = &mut walks[walk];
                let is_going = walk.go_on(self);
                if is_going {
                    walk.row.prefetch_next(self, walk.at);
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

    /// The length of a route that is looked up \[links\], and its ports, as many as fit, from a node of it on.
    pub(super) fn looked_up_steps(&self, choice: RouteChoice, ends: [NodeId; 3]) -> (u32, RouteSteps) {
        let (_, ports) = self.walk_alone(choice, ends);
        ports.finish()
    }

    /// The length of a route that is looked up \[links\]; none without a route.
    pub(super) fn looked_up_distance(&self, choice: RouteChoice, from: NodeId, to: NodeId) -> Option<u32> {
        let (last, ports) = self.walk_alone(choice, [from, from, to]);
        (last == to).then(|| ports.finish().0)
    }

    /// Where a route ends that is gone from a node of it on, and its ports.
    fn walk_alone(&self, choice: RouteChoice, [from, at, to]: [NodeId; 3]) -> (NodeId, CodeWriter) {
        match choice {
            RouteChoice::Lowest => Walk::new(self, <&PortRow>::new(self, 0, from, to), at).go_to_end(self),
            RouteChoice::Spread(seed) => {
                Walk::new(self, DrawnRow::new(self, seed, from, to), at).go_to_end(self)
            }
        }
    }

    /// The port of the next link of a route that is looked up.
    pub(super) fn looked_up_port(&self, choice: RouteChoice, [from, at, to]: [NodeId; 3]) -> Option<u16> {
        let next = match choice {
            RouteChoice::Lowest => <&PortRow>::new(self, 0, from, to).next(self, at),
            RouteChoice::Spread(seed) => DrawnRow::new(self, seed, from, to).next(self, at),
        };
        next.and_then(|(port, _)| u16::try_from(port).ok())
    }

    /// The neighbours of a node that are nearer, ascending, where they are known one by one and few: the first again for those
    /// that are missing; with their ports.
    ///
    /// How many they are has no pattern, so that a branch for each would be foreseen badly.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each link costs as much as its work")]
    fn few_nearer(&self, own: CountedRoutes, at: NodeId) -> Option<[(u32, NodeId); FEW]> {
        let groups = own.groups();
        if self.ports_of_group > 1 || groups.count_ones() as usize > FEW || groups == 0 {
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
        let (neighbours, ports) = (self.neighbours(at), self.ports_of_group);
        for group in places(own.groups()) {
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
