//! The route of each message, leg by leg.

use cubefold_topology::{
    Axis, Direction, Displacement, HostDimension, Leg, Machine, NodeId, RouteChoice, TieRule,
};

/// The routes of a machine: the same as [`Machine::next_leg`] and [`Machine::distance`], but faster
/// on a grid.
#[derive(Debug)]
pub(crate) struct Routes<'run> {
    machine: &'run Machine,
    axes: Vec<(HostDimension, Axis)>, // of a grid; empty for another network
    tie: TieRule,
    by_chance: bool, // whether the next link depends on the source
}

impl<'run> Routes<'run> {
    pub(crate) fn new(machine: &'run Machine, tie: TieRule) -> Self {
        let axes = match machine.graph() {
            Some(_) => vec![],
            None => machine.shape().dimensions().zip(machine.axes().iter().copied()).collect(),
        };
        let by_chance = matches!(machine.route_choice(), Some(RouteChoice::Spread(_)));
        Self { machine, axes, tie, by_chance }
    }

    /// The distance between two nodes \[links\], and the first leg of the route.
    pub(crate) fn begin(&self, from: NodeId, to: NodeId) -> (u64, Option<Leg>) {
        if self.axes.is_empty() {
            return (self.machine.distance(from, to), self.next_leg(|| from, from, to));
        }
        let legs = self.axes.iter().filter_map(|&axis| self.leg(axis, from, to));
        legs.fold((0, None), |(distance, first), leg| (distance + leg.hops, first.or(Some(leg))))
    }

    /// The next leg of a message at `at`, which set out from the node that `source` returns; none when it is at its
    /// destination.
    #[inline]
    pub(crate) fn next_leg(&self, source: impl FnOnce() -> NodeId, at: NodeId, to: NodeId) -> Option<Leg> {
        if at == to {
            return None;
        }
        if self.axes.is_empty() {
            let from = if self.by_chance { source() } else { at };
            return self.machine.leg_at(from, at, to, self.tie);
        }
        self.axes.iter().find_map(|&axis| self.leg(axis, at, to))
    }

    /// The leg along an axis.
    #[inline]
    fn leg(&self, (dimension, axis): (HostDimension, Axis), at: NodeId, to: NodeId) -> Option<Leg> {
        let Displacement { sign, hops } = axis.displacement(at, to, self.tie)?;
        Some(Leg { direction: Direction { dimension, sign }, hops })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{MachineKind, Wrap};

    #[test]
    fn routes_are_those_of_the_machine() {
        let grid = |lengths: &[u64], wraps: &[Wrap]| {
            Machine::with_wraps(MachineKind::Torus, lengths, wraps).unwrap()
        };
        let machines = [
            grid(&[8, 4], &[Wrap::Around; 2]),
            grid(&[5, 6, 2], &[Wrap::Around, Wrap::Open, Wrap::Around]),
            Machine::of_dimensions(MachineKind::DeBruijn, 4).unwrap(),
        ];
        for machine in &machines {
            for tie in TieRule::ALL {
                let routes = Routes::new(machine, tie);
                for (at, to) in machine.nodes().flat_map(|at| machine.nodes().map(move |to| (at, to))) {
                    let leg = machine.next_leg(at, to, tie);
                    assert_eq!(routes.next_leg(|| at, at, to), leg);
                    assert_eq!(routes.begin(at, to), (machine.distance(at, to), leg));
                }
            }
        }
    }
}
