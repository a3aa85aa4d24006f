//! Routes in fat trees (`docs/model.md` section 26.3.5).

use cubefold_topology::{Machine, NodeId, mix, narrow};

use super::{AtRouter, Classes, RoutingRule};
use crate::routers::{
    packet::{Candidate, Packet, Route},
    settings::RouterRouting,
};

/// Up to the nearest common ancestor, by switches drawn at random, and down.
#[derive(Debug)]
pub(super) struct TreeRoutes<'run> {
    machine: &'run Machine,
    is_adaptive: bool, // of two drawn switches by the one with more credits
    classes: Classes,
}

impl<'run> TreeRoutes<'run> {
    pub(super) fn new(machine: &'run Machine, rule: RouterRouting, classes: Classes) -> Self {
        Self { machine, is_adaptive: rule == RouterRouting::UpDownAdaptive, classes }
    }
}

impl RoutingRule for TreeRoutes<'_> {
    fn route(&self, packet: &mut Packet, at: &AtRouter<'_>, _: &mut Vec<Candidate>) -> Option<Route> {
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
        let is_better = self.is_adaptive && (at.credits)(other) > (at.credits)(one);
        packet.progress.links += 1;
        Some(Route::over(if is_better { other } else { one }, self.classes.all))
    }
}
