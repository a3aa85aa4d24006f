//! Routes in dragonflies (`docs/model.md` sections 26.3.6 and 30.3).

use cubefold_topology::{GraphSource, Machine, Network, NetworkParameters, NodeId, mix, narrow};

use super::{AtRouter, Classes, RoutingRule};
use crate::routers::{
    packet::{Candidate, Packet, Progress, Route},
    settings::RouterRouting,
    wiring::Wiring,
};

/// The tag of the draw of a group at the source.
const FIRST: u64 = 129;
/// The tag of the second draw.
const AGAIN: u64 = 130;

/// The groups of a dragonfly.
#[derive(Debug)]
pub(in crate::routers) struct Groups<'run> {
    network: Option<&'run Network>,
    hosts_per_switch: u32,
    switches_per_group: u32,
    global_links: u32,
    credits: u64, // of a port if none are out
    rule: RouterRouting,
    classes: Classes,
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
    pub(super) fn new(machine: &'run Machine, rule: RouterRouting, credits: u64, classes: Classes) -> Self {
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
        Self { network, hosts_per_switch, switches_per_group, global_links, credits, rule, classes }
    }

    /// The groups of a machine, for the ways of packets without classes.
    pub(in crate::routers) fn of_machine(machine: &'run Machine) -> Self {
        Self::new(machine, RouterRouting::Minimal, 0, Classes::new(1, 1))
    }

    /// The port of a switch towards another by the link between their groups.
    pub(in crate::routers) fn minimal_port(&self, router: u32, to: u32, wiring: &Wiring) -> u32 {
        let (came_in, credits) = (None, &|_| 0);
        let at = AtRouter { router, came_in, wiring, credits, credits_before: credits };
        self.way(self.place(router), self.place(to), &at).port
    }

    /// The number of groups.
    pub(in crate::routers) fn count(&self) -> u32 {
        self.switches_per_group * self.global_links + 1
    }

    /// The group of a router.
    pub(in crate::routers) fn group(&self, router: u32) -> u32 {
        self.place(router).group
    }

    /// The router of a group that has the link to another.
    pub(in crate::routers) fn entrance(&self, group: u32, from: u32) -> u32 {
        group * self.switches_per_group + self.gateway(group, from).switch
    }

    fn place(&self, router: u32) -> Place {
        Place { group: router / self.switches_per_group, switch: router % self.switches_per_group }
    }

    /// The switch of a group that has the link to another.
    fn gateway(&self, group: u32, to: u32) -> Place {
        let link = (to + self.count() - group - 1) % self.count();
        Place { group, switch: link / self.global_links }
    }

    /// The group by way of which a packet goes from its source's router, or, under `par`, goes on after a link in its
    /// source's group; [`Progress::NONE`] for the way without one.
    fn choose(&self, key: u64, [own, to]: [Place; 2], at: &AtRouter<'_>) -> u32 {
        let (tag, threshold) = match self.rule {
            RouterRouting::Minimal => return Progress::NONE,
            RouterRouting::Ugal { threshold } | RouterRouting::UgalG { threshold } => {
                (FIRST, Some(threshold))
            }
            RouterRouting::Par { threshold } => {
                (if at.came_in.is_none() { FIRST } else { AGAIN }, Some(threshold))
            }
            _ => (FIRST, None),
        };
        if own.group == to.group || self.count() < 3 {
            return Progress::NONE;
        }
        let mut drawn = narrow(mix(key ^ tag) % u64::from(self.count() - 2));
        for group in [own.group.min(to.group), own.group.max(to.group)] {
            drawn += u32::from(drawn >= group);
        }
        match threshold {
            Some(threshold) if !self.is_better(drawn, [own, to], threshold, at) => Progress::NONE,
            _ => drawn,
        }
    }

    /// Whether the way by a group has a shorter queue than the minimal one, for its links.
    fn is_better(&self, group: u32, [own, to]: [Place; 2], threshold: i64, at: &AtRouter<'_>) -> bool {
        let entrance = self.gateway(group, own.group);
        let minimal = self.way(own, to, at);
        let first = self.way(own, entrance, at);
        let by_group = first.links + self.way(entrance, to, at).links;
        let queued = |way: GroupWay, group: u32| {
            let left = match self.rule {
                RouterRouting::UgalG { .. } => (at.credits_before)(self.global_port(own.group, group, at)),
                _ => (at.credits)(way.port),
            };
            i128::from(self.credits - left)
        };
        queued(minimal, to.group) * i128::from(minimal.links)
            > queued(first, group) * i128::from(by_group) + i128::from(threshold)
    }

    /// The port, among those of all routers, of the link between two groups.
    fn global_port(&self, from: u32, to: u32, at: &AtRouter<'_>) -> u32 {
        let exit = self.gateway(from, to);
        let (first, _) = at.wiring.ports(exit.group * self.switches_per_group + exit.switch);
        first + self.port(exit, self.gateway(to, from), at)
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

impl RoutingRule for Groups<'_> {
    fn route(&self, packet: &mut Packet, at: &AtRouter<'_>, _: &mut Vec<Candidate>) -> Option<Route> {
        let (own, to) = (self.place(at.router), self.place(packet.to / self.hosts_per_switch));
        let is_par = matches!(self.rule, RouterRouting::Par { .. });
        let is_first = at.came_in.is_none();
        let decides_again = is_par && packet.progress.links == 0 && packet.progress.middle == Progress::NONE;
        if is_first || decides_again {
            packet.progress.middle = self.choose(packet.key, [own, to], at);
        }
        if packet.progress.middle == own.group {
            packet.progress.middle = Progress::NONE;
        }
        let way = match packet.progress.middle {
            Progress::NONE => self.way(own, to, at),
            group => self.way(own, self.gateway(group, own.group), at),
        };
        let class = match (is_par, is_first && !way.is_global) {
            (true, true) => 0,
            (true, false) => packet.progress.links + 1,
            (false, _) => packet.progress.links,
        };
        packet.progress.links += u32::from(way.is_global);
        Some(Route::over(way.port, self.classes.of[class as usize]))
    }
}
