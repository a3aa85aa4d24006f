//! Routes in dragonflies (`docs/model.md` section 26.3.6).

use cubefold_topology::{GraphSource, Machine, Network, NetworkParameters, NodeId, mix, narrow};

use super::AtRouter;
use crate::routers::{
    packet::{Packet, Progress, Route},
    settings::RouterRouting,
};

/// The tag of the draw of a group.
const TAG: u64 = 129;

/// The groups of a dragonfly.
#[derive(Debug)]
pub(super) struct Groups<'run> {
    network: Option<&'run Network>,
    hosts_per_switch: u32,
    switches_per_group: u32,
    global_links: u32,
    credits: u64, // of a port if none are out
}

/// A switch by its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    group: u32,
    switch: u32, // in the group
}

/// A way between two switches.
#[derive(Debug, Clone, Copy)]
struct GroupWay {
    port: u32, // its first
    links: u64,
    is_global: bool, // whether its first link leads to another group
}

impl<'run> Groups<'run> {
    /// The groups of a machine with these parameters; all links between its switches are up.
    pub(super) fn new(machine: &'run Machine, credits: u64) -> Self {
        let network = machine.graph().map(AsRef::as_ref);
        let [hosts_per_switch, switches_per_group, global_links] = match machine.source() {
            Some(&GraphSource::Parameters(NetworkParameters::Dragonfly {
                hosts_per_switch,
                switches_per_group,
                global_links,
                ..
            })) => [hosts_per_switch, switches_per_group, global_links].map(narrow),
            _ => [1; 3], // no other machine comes here
        };
        Self { network, hosts_per_switch, switches_per_group, global_links, credits }
    }

    fn count(&self) -> u32 {
        self.switches_per_group * self.global_links + 1
    }

    fn place(&self, router: u32) -> Place {
        Place { group: router / self.switches_per_group, switch: router % self.switches_per_group }
    }

    /// The switch of a group that has the link to another.
    fn gateway(&self, group: u32, to: u32) -> Place {
        let link = (to + self.count() - group - 1) % self.count();
        Place { group, switch: link / self.global_links }
    }

    /// The channels of a packet at a switch that is not its destination's.
    pub(super) fn route(
        &self,
        packet: &mut Packet,
        at: &AtRouter<'_>,
        rule: RouterRouting,
        classes: &[u64],
    ) -> Route {
        let (own, to) = (self.place(at.router), self.place(packet.to / self.hosts_per_switch));
        if let RouterRouting::Ugal { threshold } = rule
            && !packet.progress.is_on_second_leg
        {
            packet.progress.is_on_second_leg = true;
            packet.progress.middle = self.choose(packet.key, [own, to], threshold, at);
        }
        if packet.progress.middle == own.group {
            packet.progress.middle = Progress::NONE;
        }
        let class = classes[packet.progress.links as usize];
        let way = match packet.progress.middle {
            Progress::NONE => self.way(own, to, at),
            group => self.way(own, self.gateway(group, own.group), at),
        };
        packet.progress.links += u32::from(way.is_global);
        Route::over(way.port, class)
    }

    /// The group by way of which a packet goes; [`Progress::NONE`] for the way without one.
    fn choose(&self, key: u64, [own, to]: [Place; 2], threshold: i64, at: &AtRouter<'_>) -> u32 {
        if own.group == to.group || self.count() < 3 {
            return Progress::NONE;
        }
        let mut drawn = narrow(mix(key ^ TAG) % u64::from(self.count() - 2));
        for group in [own.group.min(to.group), own.group.max(to.group)] {
            drawn += u32::from(drawn >= group);
        }
        let entrance = self.gateway(drawn, own.group);
        let minimal = self.way(own, to, at);
        let first = self.way(own, entrance, at);
        let by_group = first.links + self.way(entrance, to, at).links;
        let queued = |way: GroupWay| i128::from(self.credits - (at.credits)(way.port));
        let is_longer = queued(minimal) * i128::from(minimal.links)
            > queued(first) * i128::from(by_group) + i128::from(threshold);
        if is_longer { drawn } else { Progress::NONE }
    }

    /// The way between two different switches over at most one link between groups.
    fn way(&self, from: Place, to: Place, at: &AtRouter<'_>) -> GroupWay {
        if from.group == to.group {
            let links = u64::from(from != to);
            return GroupWay { port: self.port(from, to, at), links, is_global: false };
        }
        let (exit, entrance) = (self.gateway(from.group, to.group), self.gateway(to.group, from.group));
        let links = 1 + u64::from(from != exit) + u64::from(entrance != to);
        let is_global = from == exit;
        let port = self.port(from, if is_global { entrance } else { exit }, at);
        GroupWay { port, links, is_global }
    }

    /// The port of a switch to another that it is linked with.
    fn port(&self, from: Place, to: Place, at: &AtRouter<'_>) -> u32 {
        let node = |own: Place| at.wiring.node(own.group * self.switches_per_group + own.switch);
        let neighbours: &[NodeId] = self.network.map_or(&[], |network| network.neighbours(node(from)));
        narrow(neighbours.binary_search(&node(to)).unwrap_or(0) as u64)
    }
}
