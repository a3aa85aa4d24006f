//! The route of each message, leg by leg.

use cubefold_topology::{
    Axis, Direction, Displacement, HostDimension, Leg, Machine, NetworkRoutes, NodeId, TieRule,
};

/// The routes of a machine: the same as [`Machine::leg_at`] and [`Machine::distance`], but faster.
#[derive(Debug)]
pub(crate) enum Routes<'run> {
    Grid(GridRoutes),
    Network(NetworkRoutes<'run>),
}

#[derive(Debug)]
pub(crate) struct GridRoutes {
    axes: Vec<(HostDimension, Axis)>,
    tie: TieRule,
}

impl<'run> Routes<'run> {
    pub(crate) fn new(machine: &'run Machine, tie: TieRule) -> Self {
        match machine.network_routes() {
            None => Self::Grid(GridRoutes::new(machine, tie)),
            Some(routes) => Self::Network(routes),
        }
    }

    /// The distance between two nodes \[links\], and the first leg of the route.
    #[inline]
    pub(crate) fn begin(&self, from: NodeId, to: NodeId) -> (u64, Option<Leg>) {
        match self {
            Self::Grid(grid) => grid.begin(from, to),
            Self::Network(routes) => {
                let links = routes.distance(from, to).unwrap_or(0);
                (links.into(), link(routes, [from, from, to], links))
            }
        }
    }

    /// The next leg of a message at `at`, `links` links from its destination; `None` at the destination. Only routes of
    /// networks depend on the source.
    #[inline]
    pub(crate) fn next_leg(
        &self,
        source: impl FnOnce() -> NodeId,
        [at, to]: [NodeId; 2],
        links: u32,
    ) -> Option<Leg> {
        match self {
            Self::Grid(grid) => grid.next_leg(at, to),
            Self::Network(routes) => {
                let source = if routes.depend_on_source() { source() } else { at };
                link(routes, [source, at, to], links)
            }
        }
    }
}

/// The next link of a route as a leg, given its ends, the node between, and the links from there.
#[inline]
fn link(routes: &NetworkRoutes<'_>, ends: [NodeId; 3], links: u32) -> Option<Leg> {
    let direction = routes.next_of_links(ends, links)?;
    Some(Leg { direction, hops: 1 })
}

impl GridRoutes {
    /// The routes of a machine that is a grid.
    pub(crate) fn new(machine: &Machine, tie: TieRule) -> Self {
        Self { axes: machine.shape().dimensions().zip(machine.axes().iter().copied()).collect(), tie }
    }

    /// The distance between two nodes \[links\], and the first leg of the route; `None` if they are equal.
    #[inline]
    pub(crate) fn begin(&self, from: NodeId, to: NodeId) -> (u64, Option<Leg>) {
        let legs = self.axes.iter().filter_map(|&axis| self.leg(axis, from, to));
        legs.fold((0, None), |(distance, first), leg| (distance + leg.hops, first.or(Some(leg))))
    }

    /// The next leg of a message at `at`; `None` at its destination.
    #[inline]
    pub(crate) fn next_leg(&self, at: NodeId, to: NodeId) -> Option<Leg> {
        self.axes.iter().find_map(|&axis| self.leg(axis, at, to))
    }

    #[inline]
    fn leg(&self, (dimension, axis): (HostDimension, Axis), at: NodeId, to: NodeId) -> Option<Leg> {
        let Displacement { sign, hops } = axis.displacement(at, to, self.tie)?;
        Some(Leg { direction: Direction { dimension, sign }, hops })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{MachineKind, Wrap, narrow};

    #[test]
    fn routes_are_those_of_the_machine() {
        let grid = |lengths: &[u64], wraps: &[Wrap]| {
            Machine::with_wraps(MachineKind::Torus, lengths, wraps).unwrap()
        };
        let machines = [
            grid(&[8, 4], &[Wrap::Around; 2]),
            grid(&[5, 6, 2], &[Wrap::Around, Wrap::Open, Wrap::Around]),
            Machine::of_dimensions(MachineKind::DeBruijn, 4).unwrap(),
            Machine::of_dimensions(MachineKind::WrappedButterfly, 4).unwrap(),
        ];
        for machine in &machines {
            for tie in TieRule::ALL {
                let routes = Routes::new(machine, tie);
                for (at, to) in machine.nodes().flat_map(|at| machine.nodes().map(move |to| (at, to))) {
                    let leg = machine.next_leg(at, to, tie);
                    let links = machine.distance(at, to);
                    assert_eq!(routes.begin(at, to), (links, leg));
                    assert_eq!(routes.next_leg(|| at, [at, to], narrow(links)), leg);
                    assert_eq!(routes.next_leg(|| at, [to, to], 0), None);
                }
            }
        }
    }
}
