//! The route of each message, leg by leg.

use cubefold_topology::{
    Axis, Direction, Displacement, HostDimension, Leg, Machine, Network, NodeId, RouteChoice, RouteSteps,
    TieRule,
};

/// The routes of a machine: the same as [`Machine::next_leg`] and [`Machine::distance`], but faster
/// on a grid.
#[derive(Debug)]
pub(crate) struct Routes<'run> {
    machine: &'run Machine,
    axes: Vec<(HostDimension, Axis)>, // of a grid; empty for another network
    tie: TieRule,
    by_chance: bool,                // whether the next link depends on the source
    kept: Option<KeptRoutes<'run>>, // where all links of a route are found together
}

/// The routes of the messages under way, on a network where all links of a route are found together when it begins.
#[derive(Debug)]
struct KeptRoutes<'run> {
    network: &'run Network,
    begun: RouteSteps,      // of the message that began last
    steps: Vec<RouteSteps>, // by message
}

impl<'run> Routes<'run> {
    pub(crate) fn new(machine: &'run Machine, tie: TieRule) -> Self {
        let axes = match machine.graph() {
            Some(_) => vec![],
            None => machine.shape().dimensions().zip(machine.axes().iter().copied()).collect(),
        };
        let by_chance = matches!(machine.route_choice(), Some(RouteChoice::Spread(_)));
        let node = NodeId::new(0);
        let network = machine.graph().filter(|_| machine.steps(node, node).is_some());
        let kept = network.map(|network| KeptRoutes { network, begun: RouteSteps::default(), steps: vec![] });
        Self { machine, axes, tie, by_chance, kept }
    }

    /// Bytes for the routes of so many messages under way.
    pub(crate) fn bytes(machine: &Machine, messages: u64) -> u64 {
        let node = NodeId::new(0);
        let steps = if machine.graph().is_some() { machine.steps(node, node) } else { None };
        steps.map_or(0, |_| messages.saturating_mul(size_of::<RouteSteps>() as u64))
    }

    /// The network, where links lie in no dimensions, so that every link is a leg.
    pub(crate) fn network(&self) -> Option<&'run Network> {
        self.machine.graph().map(|network| &**network)
    }

    /// The distance between two nodes \[links\], and the first leg of the route. The message that begins it is to be
    /// [named](Self::keep) before another begins.
    pub(crate) fn begin(&mut self, from: NodeId, to: NodeId) -> (u64, Option<Leg>) {
        if let Some(kept) = &mut self.kept {
            let Some((links, mut steps)) = kept.network.steps(from, to).filter(|_| from != to) else {
                return (0, None);
            };
            let direction = kept.network.next_of_steps(from, &mut steps);
            kept.begun = steps;
            return (links.into(), direction.map(|direction| Leg { direction, hops: 1 }));
        }
        if self.axes.is_empty() {
            return (self.machine.distance(from, to), self.machine.leg_at(from, from, to, self.tie));
        }
        let legs = self.axes.iter().filter_map(|&axis| self.leg(axis, from, to));
        legs.fold((0, None), |(distance, first), leg| (distance + leg.hops, first.or(Some(leg))))
    }

    /// The message of the route that began last has this number.
    #[inline]
    pub(crate) fn keep(&mut self, message: u32) {
        if let Some(kept) = &mut self.kept {
            let place = message as usize;
            if place >= kept.steps.len() {
                kept.steps.resize(place + 1, RouteSteps::default());
            }
            kept.steps[place] = kept.begun;
        }
    }

    /// The next leg of a message at `at`, which set out from the node that `source` returns; none when it is at its
    /// destination.
    #[inline]
    pub(crate) fn next_leg(
        &mut self,
        message: u32,
        source: impl FnOnce() -> NodeId,
        at: NodeId,
        to: NodeId,
    ) -> Option<Leg> {
        if let Some(kept) = self.kept.as_mut().filter(|_| at != to) {
            let direction = kept.network.next_of_steps(at, &mut kept.steps[message as usize])?;
            return Some(Leg { direction, hops: 1 });
        }
        self.found_leg(source, at, to)
    }

    /// The next leg of one of the packets of a message, each of which has crossed some of its links, at least one.
    #[inline]
    pub(crate) fn next_leg_of_packet(
        &self,
        (message, crossed): (u32, u32),
        source: impl FnOnce() -> NodeId,
        at: NodeId,
        to: NodeId,
    ) -> Option<Leg> {
        if let Some(kept) = self.kept.as_ref().filter(|_| at != to) {
            let mut steps = kept.steps[message as usize].after(crossed - 1);
            let direction = kept.network.next_of_steps(at, &mut steps)?;
            return Some(Leg { direction, hops: 1 });
        }
        self.found_leg(source, at, to)
    }

    /// The next leg, where it is found link by link.
    #[inline]
    fn found_leg(&self, source: impl FnOnce() -> NodeId, at: NodeId, to: NodeId) -> Option<Leg> {
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
            Machine::of_dimensions(MachineKind::WrappedButterfly, 4).unwrap(),
        ];
        for machine in &machines {
            for tie in TieRule::ALL {
                let mut routes = Routes::new(machine, tie);
                for (at, to) in machine.nodes().flat_map(|at| machine.nodes().map(move |to| (at, to))) {
                    let leg = machine.next_leg(at, to, tie);
                    assert_eq!(routes.begin(at, to), (machine.distance(at, to), leg));
                    routes.keep(3);
                    assert_eq!(routes.next_leg(3, || at, at, to), leg);
                    assert_eq!(routes.next_leg(3, || to, to, to), None);
                }
            }
        }
    }

    #[test]
    fn kept_routes_are_those_of_the_machine() {
        for kind in [MachineKind::DeBruijn, MachineKind::ShuffleExchange] {
            let machine = Machine::of_dimensions(kind, 13).unwrap();
            let mut routes = Routes::new(&machine, TieRule::Direct);
            assert!(routes.kept.is_some());
            for (from, to) in (0..8192).step_by(97).flat_map(|from| [(from, 8191 - from), (from, from / 3)]) {
                let [from, to] = [from, to].map(NodeId::new);
                let (links, mut leg) = routes.begin(from, to);
                assert_eq!(links, machine.distance(from, to));
                // A message as one packet, and one of several.
                routes.keep(0);
                routes.keep(1);
                let (mut at, mut crossed) = (from, 0);
                while at != to {
                    assert_eq!(leg, machine.leg_at(from, at, to, TieRule::Direct));
                    at = machine.neighbour(at, leg.unwrap().direction).unwrap();
                    crossed += 1;
                    leg = routes.next_leg(0, || from, at, to);
                    assert_eq!(routes.next_leg_of_packet((1, crossed), || from, at, to), leg);
                }
                assert_eq!((leg, u64::from(crossed)), (None, links));
            }
        }
    }
}
