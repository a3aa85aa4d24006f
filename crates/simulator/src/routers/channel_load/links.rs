//! The loads of links: the traffic to each destination is carried from router to router, the farthest first.

use cubefold_topology::{Axis, Machine, NetworkRoutes, NodeId, PacketRoutes, TieRule, narrow};
use smallvec::{SmallVec, smallvec};

use super::{
    fraction::Fraction,
    middle::{add_by_middle_between, add_by_random_group, add_by_random_middle},
    tables::add_by_table,
    traffic::Traffic,
};
use crate::routers::{
    routing::Groups,
    settings::{RouterRouting, RouterSettings, RouterTie, Routers, TableChoice},
    wiring::{End, Wiring},
};

/// The most steps for which loads are computed: some seconds.
const MAX_STEPS: u64 = 1 << 30;

/// The loads of the outputs of routers.
#[derive(Debug)]
pub(super) struct LinkLoads<'run> {
    pub(super) wiring: Wiring,
    pub(super) rule: NextLink<'run>,
    pub(super) loads: Vec<Fraction>, // by port, among those of all routers
    hosts: &'run [NodeId],
    amounts: Vec<Fraction>, // by router, on its way
    left: Vec<u32>,         // by router, links to the destination
}

/// The reason for which the loads of links are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoLinkLoads {
    /// They depend on the state of the network, or there is too much traffic to follow.
    NotFollowed,
    /// A fraction leaves 128 bits.
    LargeFraction,
}

/// The destination of a leg: a router, and the node by which the machine knows the way there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    pub(super) router: u32,
    pub(super) node: NodeId,
}

/// The links by which packets leave a router, all equally likely.
#[derive(Debug)]
pub(super) enum NextLink<'run> {
    /// In dimension order.
    Grid(GridOrder<'run>),
    /// The lowest of the shortest routes.
    Network(NetworkRoutes<'run>),
    /// Up or down a tree: every link that leads nearer.
    Tree(&'run Machine),
    /// Over the link between two groups.
    Dragonfly(Groups<'run>),
    /// By a table, from end to end.
    Table(&'run PacketRoutes, TableChoice),
}

/// Dimension order on a grid.
#[derive(Debug)]
pub(super) struct GridOrder<'run> {
    pub(super) axes: &'run [Axis],
    pub(super) tie: RouterTie,
}

impl<'run> NextLink<'run> {
    /// The rule of these routers.
    fn new(settings: &RouterSettings, machine: &'run Machine) -> Result<Self, NoLinkLoads> {
        let network = || machine.network_routes().map(NextLink::Network);
        Ok(match settings.routing {
            RouterRouting::Table(choice) => match machine.packet_routes() {
                Some(table) => NextLink::Table(table, choice),
                None => return Err(NoLinkLoads::NotFollowed),
            },
            RouterRouting::Valiant if settings.routing.is_of_dragonflies(machine) => {
                NextLink::Dragonfly(Groups::of_machine(machine))
            }
            RouterRouting::DimensionOrder | RouterRouting::Valiant | RouterRouting::Romm
                if machine.grid().is_some() =>
            {
                NextLink::Grid(GridOrder { axes: machine.axes(), tie: settings.tie })
            }
            // The second leg begins at a drawn router, by routes that do not depend on where packets come from.
            RouterRouting::Valiant => {
                let depends = |own: &NextLink<'_>| matches!(own, NextLink::Network(routes) if routes.depend_on_source());
                network().filter(|own| !depends(own)).ok_or(NoLinkLoads::NotFollowed)?
            }
            RouterRouting::Hops => network().ok_or(NoLinkLoads::NotFollowed)?,
            RouterRouting::UpDown => NextLink::Tree(machine),
            RouterRouting::Minimal => NextLink::Dragonfly(Groups::of_machine(machine)),
            RouterRouting::DimensionOrder
            | RouterRouting::Romm
            | RouterRouting::Adaptive(_)
            | RouterRouting::UpDownAdaptive
            | RouterRouting::Ugal { .. }
            | RouterRouting::UgalG { .. }
            | RouterRouting::Par { .. }
            | RouterRouting::Listed(_) => return Err(NoLinkLoads::NotFollowed),
        })
    }
}

impl<'run> LinkLoads<'run> {
    /// The loads of all links.
    pub(super) fn new(
        traffic: &Traffic,
        machine: &'run Machine,
        routers: &Routers,
        hosts: &'run [NodeId],
    ) -> Result<Self, NoLinkLoads> {
        let settings = &routers.settings;
        let rule = NextLink::new(settings, machine)?;
        let wiring = Wiring::new(machine, false);
        let count = wiring.router_count() as usize;
        let own = Self {
            loads: vec![Fraction::ZERO; wiring.port_count()],
            amounts: vec![Fraction::ZERO; count],
            left: vec![u32::MAX; count],
            wiring,
            rule,
            hosts,
        };
        let pairs = if traffic.is_dense() { hosts.len() as u64 } else { 1 } * hosts.len() as u64;
        let steps = match settings.routing {
            RouterRouting::Romm => pairs.saturating_mul(count as u64),
            RouterRouting::Table(_) => pairs.saturating_mul(16),
            RouterRouting::Valiant if matches!(own.rule, NextLink::Dragonfly(_)) => {
                pairs.saturating_mul(count as u64)
            }
            _ => (hosts.len() as u64).saturating_mul(count as u64),
        };
        if steps > MAX_STEPS {
            return Err(NoLinkLoads::NotFollowed);
        }
        own.with(traffic, settings.routing)
    }

    /// Adds all traffic.
    fn with(mut self, traffic: &Traffic, routing: RouterRouting) -> Result<Self, NoLinkLoads> {
        if let NextLink::Table(table, choice) = self.rule {
            add_by_table(&mut self, traffic, table, choice)?;
            return Ok(self);
        }
        let added = match (routing, &self.rule) {
            (RouterRouting::Valiant, NextLink::Dragonfly(_)) => add_by_random_group(&mut self, traffic),
            (RouterRouting::Valiant, _) => add_by_random_middle(&mut self, traffic),
            (RouterRouting::Romm, _) => add_by_middle_between(&mut self, traffic),
            (_, NextLink::Network(routes)) if routes.depend_on_source() => self.add_pairs(traffic),
            _ => self.add_directly(traffic),
        };
        added.ok_or(NoLinkLoads::LargeFraction).map(|()| self)
    }

    /// The router of a terminal by its place among all.
    pub(super) fn router_of(&self, terminal: u32) -> u32 {
        let port = self.wiring.port_of_terminal(self.hosts[terminal as usize].index());
        self.wiring.router(port)
    }

    /// The terminals by router.
    pub(super) fn terminals_by_router(&self) -> Vec<Vec<u32>> {
        let mut all = vec![vec![]; self.wiring.router_count() as usize];
        for terminal in 0..narrow(self.hosts.len() as u64) {
            all[self.router_of(terminal) as usize].push(terminal);
        }
        all
    }

    /// The node of a terminal by its place among all.
    pub(super) fn host(&self, terminal: u32) -> NodeId {
        self.hosts[terminal as usize]
    }

    /// Adds units that are to go from a router in the next leg.
    pub(super) fn put(&mut self, router: u32, units: Fraction) -> Option<()> {
        let own = &mut self.amounts[router as usize];
        *own = own.plus(units)?;
        Some(())
    }

    /// Carries what was put at routers to a target. `is_even` has a bit for each dimension in which the coordinate of the
    /// source is even; without it that of the router counts, as in a first leg.
    pub(super) fn carry(&mut self, target: Target, is_even: Option<u64>) -> Option<()> {
        let count = self.amounts.len();
        self.amounts[target.router as usize] = Fraction::ZERO;
        self.left.fill(u32::MAX);
        self.left[target.router as usize] = 0;
        let mut by_distance: Vec<Vec<u32>> = vec![];
        for router in 0..narrow(count as u64) {
            if self.amounts[router as usize] == Fraction::ZERO {
                continue;
            }
            let links = self.links_left(router, target, is_even)? as usize;
            by_distance.resize(by_distance.len().max(links + 1), vec![]);
            by_distance[links].push(router);
        }
        for links in (1..by_distance.len()).rev() {
            for router in std::mem::take(&mut by_distance[links]) {
                let all = std::mem::replace(&mut self.amounts[router as usize], Fraction::ZERO);
                let ports = self.next(router, target, is_even)?;
                let each = all.over(ports.len() as u128)?;
                for port in ports {
                    self.loads[port as usize] = self.loads[port as usize].plus(each)?;
                    let next = self.beyond(port)?;
                    if self.amounts[next as usize] == Fraction::ZERO && next != target.router {
                        by_distance[links - 1].push(next);
                    }
                    self.put(next, each)?;
                }
            }
        }
        self.amounts[target.router as usize] = Fraction::ZERO;
        Some(())
    }

    /// The links of a route to a target; all that are equally likely are equally long.
    fn links_left(&mut self, router: u32, target: Target, is_even: Option<u64>) -> Option<u32> {
        let mut route = vec![];
        let mut at = router;
        while self.left[at as usize] == u32::MAX {
            route.push(at);
            if route.len() > self.left.len() {
                return None; // no rule leads in a circle
            }
            at = self.beyond(*self.next(at, target, is_even)?.first()?)?;
        }
        let mut links = self.left[at as usize];
        for own in route.into_iter().rev() {
            links += 1;
            self.left[own as usize] = links;
        }
        Some(self.left[router as usize])
    }

    /// The router at the other end of a port.
    pub(super) fn beyond(&self, port: u32) -> Option<u32> {
        match self.wiring.leads_to(port) {
            End::Router(other) => Some(self.wiring.router(other)),
            End::Nothing | End::Terminal(_) => None,
        }
    }

    /// The ports by which packets leave a router that is not the target's.
    fn next(&self, router: u32, target: Target, is_even: Option<u64>) -> Option<SmallVec<[u32; 4]>> {
        let (first, _) = self.wiring.ports(router);
        let node = self.wiring.node(router);
        let ports: SmallVec<[u32; 4]> = match &self.rule {
            NextLink::Grid(order) => order.next(node, target.node, is_even)?,
            NextLink::Network(routes) => smallvec![self.port_of_route(routes, router, node, target.node)?],
            NextLink::Tree(machine) => {
                let distance = machine.distance(node, target.node);
                let neighbours = (0..).zip(machine.neighbours(node));
                let nearer = neighbours.filter(|own| machine.distance(own.1, target.node) < distance);
                nearer.map(|nearer| nearer.0).collect()
            }
            NextLink::Dragonfly(groups) => {
                smallvec![groups.minimal_port(router, target.router, &self.wiring)]
            }
            NextLink::Table(..) => return None,
        };
        Some(ports.into_iter().map(|port| first + port).collect())
    }

    /// The port of a router on the route of the machine from one node to another.
    fn port_of_route(
        &self,
        routes: &NetworkRoutes<'_>,
        router: u32,
        from: NodeId,
        to: NodeId,
    ) -> Option<u32> {
        let direction = routes.next(from, self.wiring.node(router), to)?;
        Some(self.wiring.port_over(router, narrow(direction.dimension.index() as u64)))
    }

    /// Adds traffic whose route follows from the router and the destination.
    fn add_directly(&mut self, traffic: &Traffic) -> Option<()> {
        let terminals = self.terminals_by_router();
        for (router, own) in (0_u32..).zip(&terminals) {
            let Some(&first) = own.first() else { continue };
            let target = Target { router, node: self.host(first) };
            for &terminal in own {
                let (from_others, _, listed) = traffic.to(terminal);
                if from_others > Fraction::ZERO {
                    for (source, others) in (0_u32..).zip(&terminals).filter(|own| !own.1.is_empty()) {
                        let count = Fraction::new(others.len() as u128, 1)?;
                        let units = if others.len() == 1 { from_others } else { from_others.times(count)? };
                        self.put(source, units)?;
                    }
                }
                for &(source, units) in listed {
                    self.put(self.router_of(source), units)?;
                }
            }
            self.carry(target, None)?;
        }
        Some(())
    }

    /// Adds traffic whose routes depend on their sources, too.
    fn add_pairs(&mut self, traffic: &Traffic) -> Option<()> {
        traffic.for_each_pair(|from, to, units| {
            let target = self.router_of(to);
            let mut at = self.router_of(from);
            while at != target {
                let NextLink::Network(routes) = &self.rule else { return None };
                let port = self.port_of_route(routes, at, self.host(from), self.host(to))?;
                let port = self.wiring.ports(at).0 + port;
                self.loads[port as usize] = self.loads[port as usize].plus(units)?;
                at = self.beyond(port)?;
            }
            Some(())
        })
    }

    /// The loads of links by the nodes at their ends.
    pub(super) fn in_order(&self) -> Vec<(NodeId, NodeId, Fraction)> {
        let ports = (0_u32..).zip(&self.loads);
        let mut all: Vec<_> = ports
            .filter_map(|(port, &load)| {
                let to = self.wiring.node(self.beyond(port)?);
                Some((self.wiring.node(self.wiring.router(port)), to, load))
            })
            .collect();
        all.sort_by_key(|own| (own.0, own.1));
        all
    }
}

impl GridOrder<'_> {
    /// The ports of a node towards another in dimension order: two where both ways around a ring are as long and one of
    /// them is drawn.
    fn next(&self, at: NodeId, to: NodeId, is_even: Option<u64>) -> Option<SmallVec<[u32; 4]>> {
        for (dimension, axis) in (0_u32..).zip(self.axes) {
            let Some(way) = axis.displacement(at, to, TieRule::Direct) else { continue };
            let is_half = axis.extent().is_ring() && 2 * way.hops == axis.length();
            let direct = u32::from(way.sign == cubefold_topology::Sign::Negative);
            let ports = 2 * dimension;
            return Some(match self.tie {
                _ if !is_half => smallvec![ports + direct],
                RouterTie::Rule(TieRule::Direct) => smallvec![ports + direct],
                RouterTie::Rule(TieRule::Positive) => smallvec![ports],
                RouterTie::Rule(TieRule::Negative) => smallvec![ports + 1],
                RouterTie::Rule(TieRule::Alternate) => {
                    let is_even = match is_even {
                        Some(bits) => bits >> dimension & 1 == 1,
                        None => axis.coordinate(at).is_multiple_of(2),
                    };
                    smallvec![ports + u32::from(!is_even)]
                }
                RouterTie::Random => smallvec![ports, ports + 1],
            });
        }
        None
    }
}
