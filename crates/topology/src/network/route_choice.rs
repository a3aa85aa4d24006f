//! Which of the shortest routes a message takes, and the next link of it: by formula, looked up in tables, or drawn.

use rayon::prelude::*;

use super::{Network, counted_routes::CountedRoutes, route_tables::PortRow};
use crate::{
    Direction, NodeId,
    routing::{Draw, RouteHash, RouteRule, RouteSteps},
};

/// The most nodes of a network whose routes are looked up although a formula has them.
const MAX_LOOKED_UP_NODES: u64 = 1 << 12;

/// The ports whose numbers of routes are listed without memory of their own.
const FEW_PORTS: usize = 32;

/// Which of the shortest routes of a network a message takes (`docs/model.md` sections 12 and 19).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum RouteChoice {
    /// The one over the neighbours with the lowest numbers.
    #[default]
    Lowest,
    /// Any, all equally likely, by a hash of source, destination and this seed.
    Spread(u64),
}

impl RouteChoice {
    /// The words for all choices.
    pub const NAMES: [&str; 2] = ["lowest", "spread"];

    /// The word for it in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lowest => Self::NAMES[0],
            Self::Spread(_) => Self::NAMES[1],
        }
    }
}

impl Network {
    /// Bytes of memory that the tables of routes to all hosts take; none by formula.
    #[must_use]
    pub fn bytes_of_routes(&self, choice: RouteChoice) -> u64 {
        let pairs = self.node_count().saturating_mul(self.host_count());
        match choice {
            _ if !self.looks_up() => 0,
            RouteChoice::Lowest if self.has_narrow_ports() => pairs,
            RouteChoice::Lowest => pairs.saturating_mul(2),
            RouteChoice::Spread(_) => pairs.saturating_mul(size_of::<CountedRoutes>() as u64),
        }
    }

    /// Whether routes are looked up in tables.
    #[must_use]
    pub fn looks_up(&self) -> bool {
        match self.rule {
            RouteRule::Searched => true,
            _ => self.rule.is_slow() && self.node_count() <= MAX_LOOKED_UP_NODES,
        }
    }

    /// Whether ports fit into a byte, one number being left.
    pub(super) fn has_narrow_ports(&self) -> bool {
        self.max_degree() < usize::from(u8::MAX)
    }

    /// The direction of the next link at `at` of the route from `from` to `to`: of the links that lead nearer, the one to
    /// the neighbour with the lowest index, or one by chance. None when `at` is `to`, or there is no route.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    pub(crate) fn next(
        &self,
        choice: RouteChoice,
        from: NodeId,
        at: NodeId,
        to: NodeId,
    ) -> Option<Direction> {
        if at == to {
            return None;
        }
        self.port(choice, [from, at, to]).map(|port| self.direction(at, port))
    }

    /// The port of that link, to another node.
    #[inline]
    pub(super) fn port(&self, choice: RouteChoice, [from, at, to]: [NodeId; 3]) -> Option<u16> {
        match choice {
            _ if self.looks_up() => self.looked_up_port(choice, [from, at, to]),
            RouteChoice::Lowest => self.lowest_port(at, to),
            RouteChoice::Spread(seed) => self.port_by_chance(seed, [from, at, to]),
        }
    }

    #[inline]
    fn lowest_port(&self, at: NodeId, to: NodeId) -> Option<u16> {
        self.rule.lowest_port(self, at.index(), to.index()).or_else(|| self.compared_port(at, to))
    }

    /// The lowest port that leads nearer, by the distances of the neighbours.
    #[cold]
    fn compared_port(&self, at: NodeId, to: NodeId) -> Option<u16> {
        let nearer = self.rule.distance(self, at.index(), to.index())?.checked_sub(1)?;
        let is_nearer = |next: &NodeId| self.rule.distance(self, next.index(), to.index()) == Some(nearer);
        u16::try_from(self.neighbours(at).iter().position(is_nearer)?).ok()
    }

    /// The links of the route from `from` to `to`, to be followed by [`Self::next_of_steps`], and how many they are: where
    /// routes are not looked up, and finding all links together takes less than one after the other.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    #[must_use]
    pub fn steps(&self, choice: RouteChoice, from: NodeId, to: NodeId) -> Option<(u32, RouteSteps)> {
        if self.looks_up() {
            return None;
        }
        match choice {
            RouteChoice::Lowest => self.rule.steps(from.index(), to.index()),
            RouteChoice::Spread(seed) => {
                let hash = RouteHash::new(seed, [from, to]);
                self.rule.steps_by_chance(from.index(), to.index(), |at| hash.at(at))
            }
        }
    }

    /// The direction at `at` of the next link of [`Self::steps`].
    #[inline]
    pub fn next_of_steps(&self, at: NodeId, steps: &mut RouteSteps) -> Option<Direction> {
        let next = self.rule.take_step(at.index(), steps);
        Some(self.direction(at, self.port_to(at.index(), next)?))
    }

    /// What is left of [`Self::steps`] behind so many links, fewer than all.
    #[inline]
    #[must_use]
    pub fn steps_behind(&self, links: u32, steps: RouteSteps) -> RouteSteps {
        steps.after_bits(links * self.rule.step_bits())
    }

    /// The port of a route that is drawn among all shortest ones (`docs/model.md` section 19): every neighbour that is
    /// nearer with a weight of its shortest routes, so that all routes are equally likely.
    fn port_by_chance(&self, seed: u64, [from, at, to]: [NodeId; 3]) -> Option<u16> {
        let hash = RouteHash::new(seed, [from, to]).at(at.index());
        if let Some((first, count)) = self.rule.alike_ports(at.index(), to.index()) {
            let total = self.rule.route_count(self, at.index(), to.index())?;
            return Some(first + u16::try_from(hash % total / (total / count)).ok()?);
        }
        let neighbours = self.neighbours(at);
        let (mut few, mut many) = ([0; FEW_PORTS], vec![]);
        let weights = if let Some(weights) = few.get_mut(..neighbours.len()) {
            weights
        } else {
            many.resize(neighbours.len(), 0);
            &mut many[..]
        };
        self.count_routes(at, to, weights);
        let total: u64 = weights.iter().sum(); // below 2^64: at most 2^16 numbers of at most 2^48
        let mut draw = Draw::new(hash, total);
        u16::try_from(weights.iter().position(|&weight| draw.falls_on(weight))?).ok()
    }

    /// Sets for each port of a node the number of shortest routes that begin with it.
    fn count_routes(&self, at: NodeId, to: NodeId, weights: &mut [u64]) {
        let ports = self.neighbours(at).iter().zip(weights);
        if let Some(nearer) = self.rule.nearer_ports(self, at.index(), to.index()) {
            for (port, (next, weight)) in ports.enumerate() {
                if nearer >> (8 * port) & 0xff != 0 {
                    *weight = self.rule.route_count(self, next.index(), to.index()).unwrap_or(0);
                }
            }
            return;
        }
        if let Some(nearer) = self.rule.nearer_words(at.index(), to.index()) {
            for (&next, weight) in ports {
                let word = nearer.iter().find(|nearer| nearer.word == next.index());
                *weight = word.map_or(0, |nearer| nearer.routes);
            }
            return;
        }
        let Some(distance) = self.rule.distance(self, at.index(), to.index()) else { return };
        for (&next, weight) in ports {
            if self.rule.distance(self, next.index(), to.index()).is_some_and(|links| links + 1 == distance) {
                *weight = self.rule.route_count(self, next.index(), to.index()).unwrap_or(0);
            }
        }
    }

    /// Looks up the routes to all of these nodes, in parallel, where they are looked up at all.
    pub fn prepare_routes(&self, choice: RouteChoice, destinations: &[NodeId]) {
        if !self.looks_up() {
            return;
        }
        let (routes, route_counts) = (self.routes.rows(), self.route_counts.rows());
        let (routes, route_counts) = (&**routes, &**route_counts);
        destinations.par_iter().for_each(|&to| match choice {
            RouteChoice::Lowest => {
                routes.row(self, to, PortRow::new);
            }
            RouteChoice::Spread(_) => {
                route_counts.row(self, to, CountedRoutes::row);
            }
        });
    }

    /// Gives up the tables in which routes of such a choice were looked up, whatever its seed: rows that are asked for again
    /// are made again.
    pub fn give_up_routes(&self, choice: RouteChoice) {
        match choice {
            RouteChoice::Lowest => self.routes.give_up(),
            RouteChoice::Spread(_) => self.route_counts.give_up(),
        }
    }
}
