//! Routes that are looked up in tables: gone from their sources on when messages set out.
//!
//! All links of a route lie in one row of the tables, so that they are looked up together. The routes of messages that set out
//! together are gone side by side, so that cache misses overlap.

use prefetch_index::prefetch_index;

use super::{
    Network, RouteChoice, RoutedMessage,
    route_tables::{CountedRoutes, PortRow},
};
use crate::{
    NodeId, narrow,
    routing::{CodeWriter, MAX_ROUTE_COUNT, RouteHash, RouteSteps},
};

/// The routes to a node.
#[derive(Debug, Clone, Copy)]
enum Row<'network> {
    /// Over the lowest neighbours.
    Lowest(&'network PortRow),
    /// Drawn by a hash.
    Drawn(&'network [CountedRoutes], RouteHash),
}

impl<'network> Row<'network> {
    /// The row for the routes from one node to another.
    #[inline]
    fn new(network: &'network Network, choice: RouteChoice, from: NodeId, to: NodeId) -> Self {
        match choice {
            RouteChoice::Lowest => Self::Lowest(network.routes.row(network, to)),
            RouteChoice::Spread(seed) => {
                let hash = RouteHash::new(seed, [from, to].map(NodeId::index));
                Self::Drawn(network.route_counts.row(network, to), hash)
            }
        }
    }

    /// Prefetches what is known of a node.
    #[inline]
    fn prefetch_own(self, at: NodeId) {
        match self {
            Self::Lowest(row) => row.prefetch(at),
            Self::Drawn(row, _) => prefetch_index(row, at.index() as usize),
        }
    }

    /// Prefetches what [`Self::next`] looks at, given a node of which all is known.
    #[inline]
    fn prefetch_next(self, network: &Network, at: NodeId) {
        match self {
            Self::Lowest(row) => row.prefetch(at),
            Self::Drawn(row, _) => {
                let ports = network.ports_of(row[at.index() as usize], at);
                ports.for_each(|(_, next)| prefetch_index(row, next.index() as usize));
            }
        }
    }

    /// The port of the next link from a node, and the node that it leads to; none at the end, and without a route.
    #[inline]
    fn next(self, network: &Network, at: NodeId) -> Option<(usize, NodeId)> {
        match self {
            Self::Lowest(row) => {
                let port = usize::from(row.port(at)?);
                Some((port, network.neighbours(at)[port]))
            }
            Self::Drawn(row, hash) => network.drawn_port(row, hash, at),
        }
    }
}

/// A route that is being gone.
#[derive(Debug)]
struct Walk<'network> {
    at: NodeId,
    row: Row<'network>,
    ports: CodeWriter,
}

impl<'network> Walk<'network> {
    /// A walk from a node of a route on.
    #[inline]
    fn new(network: &'network Network, row: Row<'network>, at: NodeId) -> Self {
        Self { at, row, ports: CodeWriter::new(network.port_bits) }
    }

    /// Goes on by a link; whether there is one.
    #[inline]
    fn go_on(&mut self, network: &Network) -> bool {
        let Some((port, next)) = self.row.next(network, self.at) else { return false };
        self.at = next;
        self.ports.write(narrow(port as u64));
        true
    }
}

impl Network {
    /// Messages set out from hosts to hosts, given by their sources and destinations; each is written behind those that are
    /// there, with the length of its route \[links\], 0 where there is none.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    pub fn set_out_together(
        &self,
        choice: RouteChoice,
        ends: impl Iterator<Item = (NodeId, NodeId)>,
        messages: &mut Vec<(u32, RoutedMessage)>,
    ) {
        if !self.looks_up() {
            messages.extend(ends.map(|(from, to)| self.set_out(choice, from, to)));
            return;
        }
        let (first, mut walks) = (messages.len(), vec![]);
        for (from, to) in ends {
            messages.push((0, RoutedMessage::new(from, to, RouteSteps::default())));
            walks.push(Walk::new(self, Row::new(self, choice, from, to), from));
        }
        walks.iter().for_each(|walk| walk.row.prefetch_own(walk.at));
        walks.iter().for_each(|walk| walk.row.prefetch_next(self, walk.at));
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
        for ((links, message), walk) in messages[first..].iter_mut().zip(walks) {
            let (found, steps) = walk.ports.finish();
            (*links, *message) = (found, message.with_steps(steps));
        }
    }

    /// The length of a route that is looked up \[links\], and its ports, as many as fit, from a node of it on.
    pub(super) fn looked_up_steps(
        &self,
        choice: RouteChoice,
        [from, at, to]: [NodeId; 3],
    ) -> (u32, RouteSteps) {
        let mut walk = Walk::new(self, Row::new(self, choice, from, to), at);
        while walk.go_on(self) {}
        walk.ports.finish()
    }

    /// The length of a route that is looked up in what tables there are \[links\]; none without a route.
    pub(super) fn looked_up_distance(&self, from: NodeId, to: NodeId) -> Option<u32> {
        // Every route is as short.
        let choice = if self.route_counts.has_row(to) { RouteChoice::Spread(0) } else { RouteChoice::Lowest };
        let mut walk = Walk::new(self, Row::new(self, choice, from, to), from);
        while walk.go_on(self) {}
        (walk.at == to).then(|| walk.ports.finish().0)
    }

    /// The port of the next link of a route that is looked up.
    pub(super) fn looked_up_port(&self, choice: RouteChoice, [from, at, to]: [NodeId; 3]) -> Option<u16> {
        let (port, _) = Row::new(self, choice, from, to).next(self, at)?;
        u16::try_from(port).ok()
    }

    /// The ports of a node that may lead nearer, with the nodes that they lead to.
    #[inline]
    fn ports_of(&self, own: CountedRoutes, at: NodeId) -> impl Iterator<Item = (usize, NodeId)> {
        let (neighbours, ports, mut rest) =
            (self.neighbours(at), CountedRoutes::ports_of_group(self), own.groups());
        let groups = std::iter::from_fn(move || {
            let group = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(group * ports..neighbours.len().min((group + 1) * ports))
        });
        groups.flat_map(|ports| ports.map(|port| (port, neighbours[port])))
    }

    /// The port of a node that a hash draws of those that lead nearer, by the numbers of routes behind them, and the node that
    /// it leads to.
    #[inline]
    fn drawn_port(&self, row: &[CountedRoutes], hash: RouteHash, at: NodeId) -> Option<(usize, NodeId)> {
        let own = row[at.index() as usize];
        let count = |next: NodeId| row[next.index() as usize].count_nearer_than(own);
        // All of them together are the routes of the node, if they were counted on.
        let total = match own.count() {
            MAX_ROUTE_COUNT => self.ports_of(own, at).map(|(_, next)| count(next)).sum(), // below 2^64: at most 2^16
            total => total,
        };
        let mut drawn = if total == 1 { 0 } else { hash.at(at.index()).checked_rem(total)? };
        self.ports_of(own, at).find(|&(_, next)| {
            let count = count(next);
            let is_own = drawn < count;
            drawn = drawn.saturating_sub(count);
            is_own
        })
    }
}
