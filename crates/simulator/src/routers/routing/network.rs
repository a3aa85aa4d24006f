//! Routes in fat trees and in networks of any form (`docs/model.md` sections 26.3.5 and 26.3.7).

use cubefold_topology::{Machine, NetworkRoutes, NodeId, mix, narrow};

use super::{AtRouter, PacketRoutes};
use crate::routers::{
    packet::{Packet, Route},
    settings::RouterRouting,
};

/// The shortest routes of a network.
#[derive(Debug)]
pub(super) struct SwitchRoutes<'run> {
    machine: &'run Machine,
    routes: Option<NetworkRoutes<'run>>, // of a graph, which alone has these rules
}

impl<'run> SwitchRoutes<'run> {
    pub(super) fn new(machine: &'run Machine) -> Self {
        Self { machine, routes: machine.network_routes() }
    }

    /// Up to the nearest common ancestor, by switches drawn at random, and down.
    pub(super) fn upwards(&self, packet: &mut Packet, at: &AtRouter<'_>, routes: &PacketRoutes<'_>) -> Route {
        let (own, to) = (at.wiring.node(at.router), NodeId::new(packet.to));
        let distance = self.machine.distance(own, to);
        let is_nearer = |next: &NodeId| self.machine.distance(*next, to) < distance;
        let neighbours = (0..).zip(self.machine.neighbours(own));
        let nearer: Vec<u32> =
            neighbours.filter(|(_, next)| is_nearer(next)).map(|(port, _): (u32, _)| port).collect();
        let links = u64::from(packet.progress.links);
        let drawn = |tag: u64| {
            let place = mix(packet.key ^ tag) % (nearer.len() as u64).max(1);
            nearer.get(narrow(place) as usize).copied().unwrap_or(0)
        };
        let (one, other) = (drawn(64 + links), drawn(96 + links));
        let is_adaptive = routes.rule == RouterRouting::UpDownAdaptive;
        let is_better = is_adaptive && (at.credits)(other) > (at.credits)(one);
        packet.progress.links += 1;
        Route::over(if is_better { other } else { one }, routes.all)
    }

    /// The lowest of the shortest routes, in the class of the links passed.
    pub(super) fn by_links(&self, packet: &mut Packet, at: &AtRouter<'_>, classes: &[u64]) -> Route {
        let ends = [NodeId::new(packet.from), at.wiring.node(at.router), NodeId::new(packet.to)];
        let [from, own, to] = ends;
        let next = self.routes.as_ref().and_then(|routes| routes.next(from, own, to));
        let port = next.map_or(0, |direction| direction.dimension.index());
        // If every node has a router, port 0 leads to its terminal.
        let port = narrow(port as u64) + u32::from(!at.wiring.has_switches());
        let class = classes[packet.progress.links as usize];
        packet.progress.links += 1;
        Route::over(port, class)
    }
}
