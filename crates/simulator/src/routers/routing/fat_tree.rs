//! Routes in fat trees (`docs/model.md` section 26.3.5).

use cubefold_topology::{Machine, NetworkParameters, NodeId, mix, narrow};
use smallvec::SmallVec;

use super::{AtRouter, Classes, RoutingRule, descriptor::RoutingDescriptor};
use crate::routers::{
    channel_load::{NextLinks, Target},
    packet::{Candidate, Packet, Route},
    settings::whole_network,
    wiring::Wiring,
};

/// Up to the nearest common ancestor, by switches drawn at random, and down.
pub(super) const UP_DOWN: RoutingDescriptor = RoutingDescriptor {
    is_default: true,
    link_loads: Some(|loads| loads.add_directly(&NearerLinks(loads.machine))),
    ..RoutingDescriptor::new(
        "up-down",
        "Through routers, in fat trees: up to the nearest common ancestor by random switches, and down.",
        is_tree,
        |machine, _, classes| Box::new(TreeRoutes { machine, is_adaptive: false, classes }),
    )
};

/// The same, of two switches drawn by the one with more credits.
pub(super) const UP_DOWN_ADAPTIVE: RoutingDescriptor = RoutingDescriptor::new(
    "up-down-adaptive",
    "As up-down, of two random switches over the one with more credits.",
    is_tree,
    |machine, _, classes| Box::new(TreeRoutes { machine, is_adaptive: true, classes }),
);

fn is_tree(machine: &Machine) -> bool {
    matches!(
        whole_network(machine),
        Some(NetworkParameters::LeafSpine { .. } | NetworkParameters::KAryTree { .. })
    )
}

/// Up to the nearest common ancestor, and down.
#[derive(Debug)]
struct TreeRoutes<'run> {
    machine: &'run Machine,
    is_adaptive: bool, // of two drawn switches by the one with more credits
    classes: Classes,
}

impl RoutingRule for TreeRoutes<'_> {
    fn route(&self, packet: &mut Packet, at: &AtRouter<'_>, _: &mut Vec<Candidate>) -> Option<Route> {
        let node = at.wiring.node(at.router);
        let nearer: Vec<u32> = nearer_ports(self.machine, node, NodeId::new(packet.to)).collect();
        let links = u64::from(packet.progress.links);
        let drawn = |tag: u64| {
            let place = mix(packet.key ^ tag) % (nearer.len() as u64).max(1);
            nearer.get(narrow(place) as usize).copied().unwrap_or(0)
        };
        let (one, other) = (drawn(64 + links), drawn(96 + links));
        let is_better = self.is_adaptive && (at.credits)(other) > (at.credits)(one);
        packet.progress.links += 1;
        Some(Route::over(if is_better { other } else { one }, self.classes.all))
    }
}

/// The ports of a switch that lead nearer to a node.
fn nearer_ports(machine: &Machine, from: NodeId, to: NodeId) -> impl Iterator<Item = u32> {
    let distance = machine.distance(from, to);
    let neighbours = (0..).zip(machine.neighbours(from));
    neighbours.filter(move |(_, next)| machine.distance(*next, to) < distance).map(|(port, _)| port)
}

/// Every link that leads nearer, all equally likely.
struct NearerLinks<'run>(&'run Machine);

impl NextLinks for NearerLinks<'_> {
    fn next(&self, wiring: &Wiring, router: u32, target: Target) -> Option<SmallVec<[u32; 4]>> {
        Some(nearer_ports(self.0, wiring.node(router), target.node).collect())
    }
}
