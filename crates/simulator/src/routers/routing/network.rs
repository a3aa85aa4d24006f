//! Routes in networks of any form, in the class of the links passed (`docs/model.md` sections 26.3.7 and 30.3.4).

use cubefold_topology::{Machine, NetworkRoutes, NodeId, mix, narrow};
use smallvec::{SmallVec, smallvec};

use super::{
    AtRouter, Classes, RoutingRule,
    descriptor::{RoutingDescriptor, RoutingOption},
    dragonfly::is_dragonfly,
};
use crate::routers::{
    channel_load::{LinkLoads, NextLinks, NoLinkLoads, Target, add_by_random_middle},
    packet::{Candidate, Packet, Progress, Route},
    settings::{RouterSettings, has_switches, longest_route},
    wiring::Wiring,
};

/// The lowest of the shortest routes, in as many classes of channels as links.
pub(super) const HOPS: RoutingDescriptor = RoutingDescriptor {
    is_default: true,
    classes: |machine| longest_route(machine).max(1),
    takes_machine_routes: |_| true,
    link_loads: Some(add_lowest),
    ..RoutingDescriptor::new(
        "hops",
        "Through routers, in networks: the lowest of the shortest routes, with a class of channels for each link.",
        |machine| machine.graph().is_some(),
        |machine, settings, classes| NetworkRouting::boxed(NetworkRule::Hops, machine, settings, classes),
    )
};

/// To a random router, and from there to the destination (Valiant 1982).
pub(super) const VALIANT: RoutingDescriptor = RoutingDescriptor {
    classes: |machine| (2 * longest_route(machine)).max(1),
    link_loads: Some(add_by_random_router),
    ..RoutingDescriptor::new(
        "valiant",
        "Through routers, in other networks: by way of a random router.",
        is_other_network,
        |machine, settings, classes| NetworkRouting::boxed(NetworkRule::Valiant, machine, settings, classes),
    )
};

/// The shortest route, or by way of a random router if that has shorter queues.
pub(super) const UGAL: RoutingDescriptor = RoutingDescriptor {
    options: &[RoutingOption::UgalThreshold],
    classes: |machine| (2 * longest_route(machine)).max(1),
    ..RoutingDescriptor::new(
        "ugal",
        "Through routers, in other networks: the shortest route, or by way of a random router if that has shorter queues.",
        is_other_network,
        |machine, settings, classes| NetworkRouting::boxed(NetworkRule::Ugal, machine, settings, classes),
    )
};

/// Whether a machine is a network without rules of the same names of its own.
fn is_other_network(machine: &Machine) -> bool {
    machine.graph().is_some() && !is_dragonfly(machine)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NetworkRule {
    Hops,
    Valiant,
    Ugal,
}

/// The tag of the draw of a router.
const MIDDLE: u64 = 128;

#[derive(Debug)]
struct NetworkRouting<'run> {
    routes: Option<NetworkRoutes<'run>>, // of a graph, which alone has these rules
    rule: NetworkRule,
    threshold: i64,
    with_terminals: Vec<u32>, // routers, ascending
    credits: u64,             // of a port if none are out
    classes: Classes,
}

impl<'run> NetworkRouting<'run> {
    fn boxed(
        rule: NetworkRule,
        machine: &'run Machine,
        settings: &RouterSettings,
        classes: Classes,
    ) -> Box<dyn RoutingRule + 'run> {
        let first = if has_switches(machine) { narrow(machine.numbered_hosts()) } else { 0 };
        let router = |host: NodeId| if first > 0 { machine.neighbours(host).next() } else { Some(host) };
        let mut with_terminals: Vec<u32> =
            machine.hosts().filter_map(router).filter_map(|node| node.index().checked_sub(first)).collect();
        with_terminals.sort_unstable();
        with_terminals.dedup();
        Box::new(Self {
            routes: machine.network_routes(),
            rule,
            threshold: settings.routing.options().ugal_threshold,
            with_terminals,
            credits: settings.credits_of_port(),
            classes,
        })
    }

    /// The port of the next link of the route of the machine from one node to another.
    fn lowest(&self, [from, to]: [NodeId; 2], at: &AtRouter<'_>) -> u32 {
        let here = at.wiring.node(at.router);
        let next = self.routes.as_ref().and_then(|routes| routes.next(from, here, to));
        let place = next.map_or(0, |direction| direction.dimension.index());
        at.wiring.port_over(at.router, narrow(place as u64))
    }

    /// By way of another router in the first leg, then to the destination; `None` at the destination.
    fn by_middle(&self, packet: &mut Packet, at: &AtRouter<'_>) -> Option<Route> {
        if packet.progress.middle == Progress::NONE && !packet.progress.is_on_second_leg {
            let place = mix(packet.key ^ MIDDLE) % (self.with_terminals.len() as u64).max(1);
            packet.progress.middle = self.with_terminals[narrow(place) as usize];
            if self.rule == NetworkRule::Ugal && !self.is_better(packet, at) {
                packet.progress.middle = at.router; // where the second leg begins
            }
        }
        packet.progress.is_on_second_leg |= packet.progress.middle == at.router;
        let destination = at.wiring.router(at.wiring.port_of_terminal(packet.to));
        if packet.progress.is_on_second_leg && destination == at.router {
            return None;
        }
        let (from, middle) = (NodeId::new(packet.from), at.wiring.node(packet.progress.middle));
        let leg =
            if packet.progress.is_on_second_leg { [middle, NodeId::new(packet.to)] } else { [from, middle] };
        Some(self.over(packet, self.lowest(leg, at)))
    }

    /// Whether the way by the drawn router is better than the shortest one.
    fn is_better(&self, packet: &Packet, at: &AtRouter<'_>) -> bool {
        let destination = at.wiring.router(at.wiring.port_of_terminal(packet.to));
        let ends = [at.router, destination, packet.progress.middle];
        if ends[0] == ends[1] || ends[1] == ends[2] || ends[0] == ends[2] {
            return false;
        }
        let [here, to, middle] = ends.map(|router| at.wiring.node(router));
        let links = |from: NodeId, to: NodeId| {
            i128::from(self.routes.as_ref().and_then(|routes| routes.distance(from, to)).unwrap_or(0))
        };
        let queued = |port: u32| i128::from(self.credits - (at.credits)(port));
        let minimal = queued(self.lowest([here, NodeId::new(packet.to)], at)) * links(here, to);
        let by_middle = queued(self.lowest([here, middle], at)) * (links(here, middle) + links(middle, to));
        minimal > by_middle + i128::from(self.threshold)
    }

    /// Over a port in the class of the links passed.
    fn over(&self, packet: &mut Packet, port: u32) -> Route {
        let class = self.classes.of[packet.progress.links as usize];
        packet.progress.links += 1;
        Route::over(port, class)
    }
}

impl RoutingRule for NetworkRouting<'_> {
    fn route(&self, packet: &mut Packet, at: &AtRouter<'_>, _: &mut Vec<Candidate>) -> Option<Route> {
        match self.rule {
            NetworkRule::Valiant | NetworkRule::Ugal => self.by_middle(packet, at),
            NetworkRule::Hops => {
                let port = self.lowest([packet.from, packet.to].map(NodeId::new), at);
                Some(self.over(packet, port))
            }
        }
    }

    fn passes_destinations(&self) -> bool {
        self.rule != NetworkRule::Hops
    }
}

/// The lowest of the shortest routes, used for the loads of links.
struct LowestLinks<'run>(NetworkRoutes<'run>);

impl LowestLinks<'_> {
    /// The port of a router on the route of the machine from one node to another.
    fn port(&self, wiring: &Wiring, router: u32, from: NodeId, to: NodeId) -> Option<u32> {
        let direction = self.0.next(from, wiring.node(router), to)?;
        Some(wiring.port_over(router, narrow(direction.dimension.index() as u64)))
    }
}

impl NextLinks for LowestLinks<'_> {
    fn next(&self, wiring: &Wiring, router: u32, target: Target) -> Option<SmallVec<[u32; 4]>> {
        Some(smallvec![self.port(wiring, router, wiring.node(router), target.node)?])
    }
}

/// Adds the loads of the lowest routes, from each source if they depend on it.
fn add_lowest(loads: &mut LinkLoads<'_>) -> Result<(), NoLinkLoads> {
    let links = LowestLinks(loads.machine.network_routes().ok_or(NoLinkLoads::NotFollowed)?);
    if links.0.depend_on_source() {
        loads.add_pairs(|loads, router, from, to| links.port(&loads.wiring, router, from, to))
    } else {
        loads.add_directly(&links)
    }
}

/// Adds the loads by way of a drawn router, where the second leg starts: its routes do not depend on the source
/// of packets.
fn add_by_random_router(loads: &mut LinkLoads<'_>) -> Result<(), NoLinkLoads> {
    let routes = loads.machine.network_routes().filter(|routes| !routes.depend_on_source());
    let links = LowestLinks(routes.ok_or(NoLinkLoads::NotFollowed)?);
    add_by_random_middle(loads, &links, None)
}
