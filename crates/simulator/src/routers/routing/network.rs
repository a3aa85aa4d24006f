//! Routes in networks of any form, in the class of the links passed (`docs/model.md` sections 26.3.7 and 30.3.4).

use cubefold_topology::{Machine, NetworkRoutes, NodeId, mix, narrow};

use super::{AtRouter, Classes, RoutingRule};
use crate::routers::{
    packet::{Candidate, Packet, Progress, Route},
    settings::{RouterRouting, has_switches},
};

/// The tag of the draw of a router.
const MIDDLE: u64 = 128;

/// The rules of networks.
#[derive(Debug)]
pub(super) struct NetworkRule<'run> {
    routes: Option<NetworkRoutes<'run>>, // of a graph, which alone has these rules
    rule: RouterRouting,
    with_terminals: Vec<u32>, // routers, ascending
    credits: u64,             // of a port if none are out
    classes: Classes,
}

impl<'run> NetworkRule<'run> {
    pub(super) fn new(machine: &'run Machine, rule: RouterRouting, credits: u64, classes: Classes) -> Self {
        let first = if has_switches(machine) { narrow(machine.numbered_hosts()) } else { 0 };
        let router = |host: NodeId| if first > 0 { machine.neighbours(host).next() } else { Some(host) };
        let mut with_terminals: Vec<u32> =
            machine.hosts().filter_map(router).filter_map(|node| node.index().checked_sub(first)).collect();
        with_terminals.sort_unstable();
        with_terminals.dedup();
        Self { routes: machine.network_routes(), rule, with_terminals, credits, classes }
    }

    /// The lowest of the shortest routes to a node.
    fn lowest(&self, packet: &Packet, at: &AtRouter<'_>, to: NodeId) -> u32 {
        let (from, own) = (NodeId::new(packet.from), at.wiring.node(at.router));
        let next = self.routes.as_ref().and_then(|routes| routes.next(from, own, to));
        let place = next.map_or(0, |direction| direction.dimension.index());
        at.wiring.port_over(at.router, narrow(place as u64))
    }

    /// By way of another router, in the first leg, or to the destination; `None` where it has come there.
    fn by_middle(&self, packet: &mut Packet, at: &AtRouter<'_>) -> Option<Route> {
        if packet.progress.middle == Progress::NONE && !packet.progress.is_on_second_leg {
            let place = mix(packet.key ^ MIDDLE) % (self.with_terminals.len() as u64).max(1);
            packet.progress.middle = self.with_terminals[narrow(place) as usize];
            packet.progress.is_on_second_leg = matches!(self.rule, RouterRouting::Ugal { threshold } if !self.is_better(packet, at, threshold));
        }
        packet.progress.is_on_second_leg |= packet.progress.middle == at.router;
        let destination = at.wiring.router(at.wiring.port_of_terminal(packet.to));
        if packet.progress.is_on_second_leg && destination == at.router {
            return None;
        }
        let to = if packet.progress.is_on_second_leg {
            NodeId::new(packet.to)
        } else {
            at.wiring.node(packet.progress.middle)
        };
        Some(self.over(packet, self.lowest(packet, at, to)))
    }

    /// Whether the way by the drawn router is better than the shortest one.
    fn is_better(&self, packet: &Packet, at: &AtRouter<'_>, threshold: i64) -> bool {
        let destination = at.wiring.router(at.wiring.port_of_terminal(packet.to));
        let ends = [at.router, destination, packet.progress.middle];
        if ends[0] == ends[1] || ends[1] == ends[2] || ends[0] == ends[2] {
            return false;
        }
        let [own, to, middle] = ends.map(|router| at.wiring.node(router));
        let links = |from: NodeId, to: NodeId| {
            i128::from(self.routes.as_ref().and_then(|routes| routes.distance(from, to)).unwrap_or(0))
        };
        let queued = |port: u32| i128::from(self.credits - (at.credits)(port));
        let minimal = queued(self.lowest(packet, at, NodeId::new(packet.to))) * links(own, to);
        let by_middle = queued(self.lowest(packet, at, middle)) * (links(own, middle) + links(middle, to));
        minimal > by_middle + i128::from(threshold)
    }

    /// Over a port in the class of the links passed.
    fn over(&self, packet: &mut Packet, port: u32) -> Route {
        let class = self.classes.of[packet.progress.links as usize];
        packet.progress.links += 1;
        Route::over(port, class)
    }
}

impl RoutingRule for NetworkRule<'_> {
    fn route(&self, packet: &mut Packet, at: &AtRouter<'_>, _: &mut Vec<Candidate>) -> Option<Route> {
        match self.rule {
            RouterRouting::Valiant | RouterRouting::Ugal { .. } => self.by_middle(packet, at),
            _ => {
                let port = self.lowest(packet, at, NodeId::new(packet.to));
                Some(self.over(packet, port))
            }
        }
    }

    fn passes_destinations(&self) -> bool {
        matches!(self.rule, RouterRouting::Valiant | RouterRouting::Ugal { .. })
    }
}
