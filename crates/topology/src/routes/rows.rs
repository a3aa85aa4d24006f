//! Tables of distances for networks without a formula: one row per destination, found by breadth-first search when
//! first needed.
//!
//! A row under `lowest` and `d-mod-k` has the distance of every node, in one or four bytes per node; under `spread` also
//! the number of shortest routes, in eight bytes together. Where links weigh differently a row also has the sums of
//! weights, and the search is that of Dijkstra 1959.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
    sync::{Arc, OnceLock, PoisonError, RwLock},
};

use rayon::prelude::*;

use super::{MAX_ROUTE_COUNT, RouteChoice, ToDestination};
use crate::{LinkTime, Network, NodeId};

/// The distances of all nodes to a destination \[links\].
#[derive(Debug)]
pub(crate) enum Row {
    /// Distances below 255, which is the distance of a node without a route.
    Short(Box<[u8]>),
    /// Any distances; [`u32::MAX`] without a route.
    Long(Box<[u32]>),
    /// Distances, at most 2^16 - 1, with the numbers of shortest routes.
    Counted(Box<[CountedRoutes]>),
    /// Least sums of weights.
    Weighted(Box<[WeightedRoutes]>),
}

/// The weight of a link: routes have the least sum of `l + u`, of those the fewest links, of those the least sum of `u`
/// (`docs/model.md` section 21.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LinkWeight {
    /// The time until the first unit is at the other end, `l + u`, at least 1 \[cycles\].
    pub(crate) first_unit: u64,
    /// The time for which a unit occupies it, `u` \[cycles\].
    pub(crate) unit: u64,
}

impl LinkWeight {
    /// The weight of every link where routes have the fewest links.
    pub(crate) const ONE: Self = Self { first_unit: 1, unit: 0 };
}

impl From<LinkTime> for LinkWeight {
    fn from(time: LinkTime) -> Self {
        Self { first_unit: time.first_unit(), unit: time.unit }
    }
}

/// The routes of a node with the least sum of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WeightedRoutes {
    weight: u64, // the sum of `l + u`
    units: u64,  // the sum of `u`
    links: u32,  // `Network::UNREACHED` without a route
    count: u64,  // of these routes, at most `MAX_ROUTE_COUNT`
}

/// The distance of a node, in the upper 16 bits, and the number of its shortest routes less 1, in the lower 48.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CountedRoutes(u64);

impl CountedRoutes {
    const NONE: Self = Self(u64::MAX);

    const COUNT_BITS: u32 = MAX_ROUTE_COUNT.ilog2();

    fn new(distance: u32, count: u64) -> Self {
        Self(u64::from(distance) << Self::COUNT_BITS | (count - 1))
    }
}

impl WeightedRoutes {
    const NONE: Self = Self { weight: u64::MAX, units: u64::MAX, links: Network::UNREACHED, count: 0 };

    /// Returns the routes of every node to one, through none of the first `ends_only` nodes, where `weight_of` gives the
    /// weight of each channel.
    pub(crate) fn to(
        network: &Network,
        to: NodeId,
        ends_only: u32,
        weight_of: impl Fn(usize) -> LinkWeight,
    ) -> Vec<Self> {
        let nodes = usize::try_from(network.node_count()).unwrap_or(usize::MAX);
        let mut row = vec![Self::NONE; nodes];
        let mut reached = BinaryHeap::from([Reverse(((0_u64, 0_u32, 0_u64), to.index()))]);
        row[to.index() as usize] = Self { weight: 0, units: 0, links: 0, count: 1 };
        while let Some(Reverse((order, node))) = reached.pop() {
            let nearer = row[node as usize];
            if nearer.order() != order {
                continue; // reached by a better route since
            }
            if node < ends_only && node != to.index() {
                continue; // no route leads through it
            }
            for (channel, next) in network.before(NodeId::new(node)) {
                let farther = nearer.over(weight_of(channel));
                let other = &mut row[next.index() as usize];
                // All routes of `nearer` are counted: the nodes on them weigh less.
                match farther.order().cmp(&other.order()) {
                    Ordering::Less => {
                        *other = farther;
                        reached.push(Reverse((farther.order(), next.index())));
                    }
                    Ordering::Equal => other.count = (other.count + nearer.count).min(MAX_ROUTE_COUNT),
                    Ordering::Greater => {}
                }
            }
        }
        row
    }

    /// The routes of a neighbour over a link of some weight.
    fn over(self, link: LinkWeight) -> Self {
        Self {
            weight: self.weight.saturating_add(link.first_unit),
            units: self.units.saturating_add(link.unit),
            links: self.links.saturating_add(1),
            count: self.count,
        }
    }

    /// The order of routes: the best comes first.
    fn order(&self) -> (u64, u32, u64) {
        (self.weight, self.links, self.units)
    }

    /// The least sum of `l + u`; `None` without a route.
    pub(crate) fn weight(&self) -> Option<u64> {
        (self.links != Network::UNREACHED).then_some(self.weight)
    }
}

impl Row {
    /// The greatest distance bound under which rows have one byte per node.
    const MAX_SHORT: u64 = 254;

    pub(crate) fn new(network: &Network, choice: RouteChoice, to: NodeId) -> Self {
        match choice {
            _ if network.is_weighted() => Self::weighted(network, to),
            RouteChoice::Spread(_) => Self::counted(network, to),
            RouteChoice::Lowest | RouteChoice::DModK if network.distance_bound() <= Self::MAX_SHORT => {
                let short = |links| u8::try_from(links).unwrap_or(u8::MAX);
                Self::Short(network.links_to(to).into_iter().map(short).collect())
            }
            RouteChoice::Lowest | RouteChoice::DModK => Self::Long(network.links_to(to).into()),
        }
    }

    /// Returns the row of a destination, with numbers of routes.
    pub(crate) fn counted(network: &Network, to: NodeId) -> Self {
        let distances = network.links_to(to);
        let mut order: Vec<u32> = (0..).take(distances.len()).collect();
        order.retain(|&node| distances[node as usize] != Network::UNREACHED);
        order.sort_by_key(|&node| distances[node as usize]);
        let (mut counts, mut row) =
            (vec![0_u64; distances.len()], vec![CountedRoutes::NONE; distances.len()]);
        for node in order {
            let links = distances[node as usize];
            let (_, inner) = network.inner_neighbours(NodeId::new(node));
            let nearer = inner.iter().map(|next| next.index() as usize);
            let sum: u64 = nearer
                .filter(|&next| distances[next].wrapping_add(1) == links)
                .map(|next| counts[next])
                .sum();
            let count = match links {
                0 => 1,
                1 => network.links_between(NodeId::new(node), to),
                _ => sum.min(MAX_ROUTE_COUNT),
            };
            counts[node as usize] = count;
            row[node as usize] = CountedRoutes::new(links, count);
        }
        Self::Counted(row.into())
    }

    fn weighted(network: &Network, to: NodeId) -> Self {
        let ends_only = network.ends_only();
        Self::Weighted(WeightedRoutes::to(network, to, ends_only, |channel| network.weight(channel)).into())
    }

    fn bytes_per_node(network: &Network, choice: RouteChoice) -> u64 {
        match choice {
            _ if network.is_weighted() => size_of::<WeightedRoutes>() as u64,
            RouteChoice::Spread(_) => 8,
            RouteChoice::Lowest | RouteChoice::DModK if network.distance_bound() <= Self::MAX_SHORT => 1,
            RouteChoice::Lowest | RouteChoice::DModK => 4,
        }
    }
}

impl ToDestination for Row {
    #[inline]
    fn distance(&self, node: u32) -> Option<u32> {
        match self {
            Self::Short(row) => Some(row[node as usize]).filter(|&links| links != u8::MAX).map(u32::from),
            Self::Long(row) => Some(row[node as usize]).filter(|&links| links != Network::UNREACHED),
            Self::Counted(row) => {
                let counted = row[node as usize];
                let links = u32::try_from(counted.0 >> CountedRoutes::COUNT_BITS).ok()?;
                (counted != CountedRoutes::NONE).then_some(links)
            }
            Self::Weighted(row) => {
                Some(row[node as usize].links).filter(|&links| links != Network::UNREACHED)
            }
        }
    }

    #[inline]
    fn route_count(&self, node: u32) -> Option<u64> {
        match self {
            Self::Short(_) | Self::Long(_) => None,
            Self::Counted(row) => Some((row[node as usize].0 & (MAX_ROUTE_COUNT - 1)) + 1),
            Self::Weighted(row) => Some(row[node as usize].count),
        }
    }

    #[inline]
    fn continues(&self, at: u32, next: u32, weight: LinkWeight) -> bool {
        match self {
            Self::Short(_) | Self::Long(_) | Self::Counted(_) => true,
            Self::Weighted(row) => row[next as usize].over(weight).order() == row[at as usize].order(),
        }
    }
}

/// The rows of one network under one choice.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Box<[OnceLock<Row>]>,
    choice: RouteChoice,
}

impl Table {
    fn new(network: &Network, choice: RouteChoice) -> Self {
        Self { rows: (0..network.node_count()).map(|_| OnceLock::new()).collect(), choice }
    }

    #[inline]
    pub(super) fn row(&self, network: &Network, to: NodeId) -> &Row {
        self.rows[to.index() as usize].get_or_init(|| Row::new(network, self.choice, to))
    }

    /// Makes the rows of these destinations, in parallel.
    pub(super) fn prepare(&self, network: &Network, destinations: &[NodeId]) {
        destinations.par_iter().for_each(|&to| {
            self.row(network, to);
        });
    }
}

/// The tables of a network, by choice; they are kept until they are released.
#[derive(Debug, Default)]
pub(crate) struct Tables(RwLock<[Option<Arc<Table>>; 2]>);

impl Tables {
    /// The table of a choice, for any seed.
    fn get(&self, network: &Network, choice: RouteChoice) -> Arc<Table> {
        let place = usize::from(matches!(choice, RouteChoice::Spread(_)));
        let found = self.0.read().unwrap_or_else(PoisonError::into_inner)[place].clone();
        found.unwrap_or_else(|| {
            let mut tables = self.0.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(tables[place].get_or_insert_with(|| Arc::new(Table::new(network, choice))))
        })
    }

    fn release(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Default::default();
    }
}

impl Network {
    /// The table of a choice; `None` if distances follow from a formula.
    pub(super) fn table(&self, choice: RouteChoice) -> Option<Arc<Table>> {
        self.formula().is_none().then(|| self.tables().get(self, choice))
    }

    /// Whether distances are looked up in tables.
    #[must_use]
    pub fn has_tables(&self) -> bool {
        self.formula().is_none()
    }

    /// Frees the tables once nobody uses them. Rows needed later are made again.
    pub fn release_tables(&self) {
        self.tables().release();
    }

    /// The memory of the tables of distances to all hosts \[bytes\]; usually 0 by formula.
    #[must_use]
    pub fn bytes_of_routes(&self, choice: RouteChoice) -> u64 {
        if let Some(formula) = self.formula() {
            return formula.bytes();
        }
        let pairs = self.node_count().saturating_mul(self.host_count());
        pairs.saturating_mul(Row::bytes_per_node(self, choice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_are_released_stay_for_those_who_hold_them() {
        let network = Network::from_edges(2, &[(0, 1)]).unwrap();
        let held = network.table(RouteChoice::Lowest).unwrap();
        assert!(Arc::ptr_eq(&held, &network.table(RouteChoice::Lowest).unwrap()));
        let first = Arc::downgrade(&held);
        network.release_tables();
        assert_eq!(held.row(&network, NodeId::new(1)).distance(0), Some(1));
        drop(held);
        assert!(first.upgrade().is_none());
    }
}
