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
    grid: Option<GridRoutes>,
    tie: TieRule,
    by_chance: bool,                // whether the next link depends on the source
    kept: Option<KeptRoutes<'run>>, // where all links of a route are found together
}

/// The routes of a grid.
#[derive(Debug)]
pub(crate) struct GridRoutes {
    axes: Vec<(HostDimension, Axis)>,
    tie: TieRule,
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
        let grid = machine.graph().is_none().then(|| GridRoutes::new(machine, tie));
        let by_chance = matches!(machine.route_choice(), Some(RouteChoice::Spread(_)));
        let node = NodeId::new(0);
        let network = machine.graph().filter(|_| machine.steps(node, node).is_some());
        let kept = network.map(|network| KeptRoutes { network, begun: RouteSteps::default(), steps: vec![] });
        Self { machine, grid, tie, by_chance, kept }
    }

    /// Bytes for the routes of so many messages under way.
    pub(crate) fn bytes(machine: &Machine, messages: u64) -> u64 {
        let node = NodeId::new(0);
        let steps = if machine.graph().is_some() { machine.steps(node, node) } else { None };
        steps.map_or(0, |_| messages.saturating_mul(size_of::<RouteSteps>() as u64))
    }

    /// The distance between two nodes \[links\], and the first leg of the route. The message that begins it is to be
    /// [named](Self::keep) before another begins.
    pub(crate) fn begin(&mut self, from: NodeId, to: NodeId) -> (u64, Option<Leg>) {
        if let Some(kept) = &mut self.kept {
            let Some((links, mut steps)) = self.machine.steps(from, to).filter(|_| from != to) else {
                return (0, None);
            };
            let direction = kept.network.next_of_steps(from, &mut steps);
            kept.begun = steps;
            return (links.into(), direction.map(|direction| Leg { direction, hops: 1 }));
        }
        match &self.grid {
            Some(grid) => grid.begin(from, to),
            None => (self.machine.distance(from, to), self.machine.leg_at(from, from, to, self.tie)),
        }
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
            let mut steps = kept.network.steps_behind(crossed - 1, kept.steps[message as usize]);
            let direction = kept.network.next_of_steps(at, &mut steps)?;
            return Some(Leg { direction, hops: 1 });
        }
        if let Some(grid) = &self.grid {
            return grid.next_leg(at, to);
        }
        let from = if self.by_chance { source() } else { at };
        self.machine.leg_at(from, at, to, self.tie)
    }
}

impl GridRoutes {
    /// The routes of a machine that is a grid.
    pub(crate) fn new(machine: &Machine, tie: TieRule) -> Self {
        Self { axes: machine.shape().dimensions().zip(machine.axes().iter().copied()).collect(), tie }
    }

    /// The distance between two nodes \[links\], and the first leg of the route; none when they are the same.
    #[inline]
    pub(crate) fn begin(&self, from: NodeId, to: NodeId) -> (u64, Option<Leg>) {
        let legs = self.axes.iter().filter_map(|&axis| self.leg(axis, from, to));
        legs.fold((0, None), |(distance, first), leg| (distance + leg.hops, first.or(Some(leg))))
    }

    /// The next leg of a message at `at`; none when it is at its destination.
    #[inline]
    pub(crate) fn next_leg(&self, at: NodeId, to: NodeId) -> Option<Leg> {
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
    use cubefold_topology::{MachineKind, NetworkParameters, Wrap};

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
                    assert_eq!(routes.next_leg_of_packet((3, 1), || at, at, to), leg);
                    assert_eq!(routes.next_leg_of_packet((3, 1), || to, to, to), None);
                }
            }
        }
    }

    #[test]
    fn kept_routes_are_those_of_the_machine() {
        let mut machines = [MachineKind::DeBruijn, MachineKind::ShuffleExchange]
            .map(|kind| Machine::of_dimensions(kind, 13).unwrap())
            .to_vec();
        let trees = [
            NetworkParameters::KAryTree { arity: 4, levels: 4 },
            NetworkParameters::KAryTree { arity: 3, levels: 5 },
            NetworkParameters::LeafSpine { leaves: 12, hosts_per_switch: 10, spines: 7 },
        ];
        machines.extend(trees.map(|tree| Machine::of_parameters(&tree).unwrap()));
        for machine in machines {
            for choice in [RouteChoice::Lowest, RouteChoice::Spread(3)] {
                check_kept_routes(&machine.clone().with_route_choice(choice));
            }
        }
        let with_switches = [
            NetworkParameters::HyperX { shape: vec![4, 3, 5], hosts_per_switch: 3 },
            NetworkParameters::HyperX { shape: vec![7], hosts_per_switch: 2 },
            NetworkParameters::Dragonfly { hosts_per_switch: 2, switches_per_group: 6, global_links: 3 },
        ];
        let mut drawn = with_switches.map(|parameters| Machine::of_parameters(&parameters).unwrap()).to_vec();
        drawn.push(Machine::of_dimensions(MachineKind::Butterfly, 9).unwrap());
        for machine in drawn {
            check_kept_routes(&machine.with_route_choice(RouteChoice::Spread(5)));
        }
    }

    fn check_kept_routes(machine: &Machine) {
        let mut routes = Routes::new(machine, TieRule::Direct);
        assert!(routes.kept.is_some());
        let hosts: Vec<NodeId> = machine.hosts().collect();
        let ends = (0..hosts.len()).step_by(if hosts.len() > 1000 { 97 } else { 1 });
        for (from, to) in ends.flat_map(|from| [(from, hosts.len() - 1 - from), (from, from / 3)]) {
            let [from, to] = [from, to].map(|place| hosts[place]);
            let (links, mut leg) = routes.begin(from, to);
            assert_eq!(links, machine.distance(from, to));
            routes.keep(1);
            let (mut at, mut crossed) = (from, 0);
            while at != to {
                assert_eq!(leg, machine.leg_at(from, at, to, TieRule::Direct));
                at = machine.neighbour(at, leg.unwrap().direction).unwrap();
                crossed += 1;
                leg = routes.next_leg_of_packet((1, crossed), || from, at, to);
            }
            assert_eq!((leg, u64::from(crossed)), (None, links));
        }
    }
}
