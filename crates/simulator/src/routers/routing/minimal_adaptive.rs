//! `minimal-adaptive`: any shortest route of a network, by the credits, in the class of the links passed
//! (`docs/model.md` section 30.3.4).

use cubefold_topology::{NetworkRoutes, NodeId};

use super::{AdaptiveChoice, AtRouter, Classes, RoutingRule, descriptor::RoutingDescriptor};
use crate::routers::{
    packet::{Candidate, Packet, Route},
    settings::longest_route,
};

pub(super) const MINIMAL_ADAPTIVE: RoutingDescriptor = RoutingDescriptor {
    classes: |machine| longest_route(machine).max(1),
    ..RoutingDescriptor::new(
        "minimal-adaptive",
        "Through routers, in networks: over any neighbour that is nearer, the one with the most credits.",
        |machine| machine.graph().is_some(),
        |machine, _, classes| Box::new(MinimalAdaptive { routes: machine.network_routes(), classes }),
    )
};

#[derive(Debug)]
struct MinimalAdaptive<'run> {
    routes: Option<NetworkRoutes<'run>>, // of a graph, which alone has this rule
    classes: Classes,
}

impl RoutingRule for MinimalAdaptive<'_> {
    fn route(
        &self,
        packet: &mut Packet,
        at: &AtRouter<'_>,
        candidates: &mut Vec<Candidate>,
    ) -> Option<Route> {
        let to = NodeId::new(packet.to);
        let links = |node: NodeId| self.routes.as_ref().and_then(|routes| routes.distance(node, to));
        let distance = links(at.wiring.node(at.router));
        let channels = self.classes.of[packet.progress.links as usize];
        for (port, next) in at.wiring.routers_beyond(at.router) {
            if links(next).is_some_and(|links| Some(links + 1) == distance) {
                candidates.push(Candidate { port, channels, is_escape: false });
            }
        }
        packet.progress.links += 1;
        Some(Route::among(candidates, AdaptiveChoice::Credits))
    }
}
