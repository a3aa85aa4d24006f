//! Routes in dragonflies (`docs/model.md` sections 26.3.6 and 30.3).

use cubefold_topology::{GraphSource, Machine, Network, NetworkParameters, NodeId, mix, narrow};
use smallvec::{SmallVec, smallvec};

use super::{
    AtRouter, Classes, RoutingRule,
    descriptor::{RoutingDescriptor, RoutingOption},
};
use crate::routers::{
    channel_load::{NextLinks, Target, add_by_random_group},
    packet::{Candidate, Packet, Progress, Route},
    settings::{RouterSettings, whole_network},
    wiring::Wiring,
};

/// By the link between the two groups.
pub(super) const MINIMAL: RoutingDescriptor = RoutingDescriptor {
    is_default: true,
    ejects_by_class: true,
    classes: |_| 2,
    link_loads: Some(|loads| loads.add_directly(&Groups::of_machine(loads.machine))),
    ..RoutingDescriptor::new(
        "minimal",
        "Through routers, in dragonflies: over the link between the two groups.",
        is_dragonfly,
        |machine, settings, classes| Groups::boxed(GroupRule::Minimal, machine, settings, classes),
    )
};

/// By way of a random group.
pub(super) const VALIANT: RoutingDescriptor = RoutingDescriptor {
    classes: |_| 3,
    link_loads: Some(|loads| add_by_random_group(loads, &Groups::of_machine(loads.machine))),
    ..RoutingDescriptor::new(
        "valiant",
        "Through routers, in dragonflies: by way of a random group.",
        is_dragonfly,
        |machine, settings, classes| Groups::boxed(GroupRule::Valiant, machine, settings, classes),
    )
};

/// As minimal, or by way of a random group if that has shorter queues (UGAL-L, Kim et al. 2008).
pub(super) const UGAL: RoutingDescriptor = RoutingDescriptor {
    options: &[RoutingOption::UgalThreshold],
    classes: |_| 3,
    ..RoutingDescriptor::new(
        "ugal",
        "Through routers, in dragonflies: as minimal, or by way of a random group if the first channels of that way are emptier.",
        is_dragonfly,
        |machine, settings, classes| Groups::boxed(GroupRule::Ugal, machine, settings, classes),
    )
};

/// The same, by the queues of the links between groups at any router (UGAL-G, Kim et al. 2008).
pub(super) const UGAL_G: RoutingDescriptor = RoutingDescriptor {
    options: &[RoutingOption::UgalThreshold],
    classes: |_| 3,
    ..RoutingDescriptor::new(
        "ugal-g",
        "As ugal, by the queues of the links between groups, at whatever router they are.",
        is_dragonfly,
        |machine, settings, classes| Groups::boxed(GroupRule::UgalG, machine, settings, classes),
    )
};

/// UGAL-L that is decided again after a link in the source's group (PAR, Jiang et al. 2009).
pub(super) const PAR: RoutingDescriptor = RoutingDescriptor {
    options: &[RoutingOption::UgalThreshold],
    classes: |_| 4,
    ..RoutingDescriptor::new(
        "par",
        "As ugal, decided again after a link in the source's group.",
        is_dragonfly,
        |machine, settings, classes| Groups::boxed(GroupRule::Par, machine, settings, classes),
    )
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupRule {
    Minimal,
    Valiant,
    Ugal,
    UgalG,
    Par,
}

/// Whether a machine is a dragonfly without failures.
pub(super) fn is_dragonfly(machine: &Machine) -> bool {
    whole_network(machine).is_some_and(NetworkParameters::is_whole_dragonfly)
}

/// The tag of the draw of a group at the source.
const FIRST: u64 = 129;
/// The tag of the second draw.
const AGAIN: u64 = 130;

#[derive(Debug)]
pub(in crate::routers) struct Groups<'run> {
    network: Option<&'run Network>,
    hosts_per_switch: u32,
    switches_per_group: u32,
    global_links: u32,
    credits: u64, // of a port if none are out
    rule: GroupRule,
    threshold: i64,
    classes: Classes,
}

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
    fn boxed(
        rule: GroupRule,
        machine: &'run Machine,
        settings: &RouterSettings,
        classes: Classes,
    ) -> Box<dyn RoutingRule + 'run> {
        let threshold = settings.routing.options().ugal_threshold;
        let groups = Self::of_machine(machine);
        Box::new(Self { rule, threshold, credits: settings.credits_of_port(), classes, ..groups })
    }

    /// The groups of a machine, all of whose links between switches are up, with minimal ways without classes.
    pub(in crate::routers) fn of_machine(machine: &'run Machine) -> Self {
        let network = machine.graph().map(AsRef::as_ref);
        let [hosts_per_switch, switches_per_group, global_links] = match machine.source() {
            Some(&GraphSource::Parameters(NetworkParameters::Dragonfly {
                hosts_per_switch,
                switches_per_group,
                global_links,
                ..
            })) => [hosts_per_switch, switches_per_group, global_links].map(narrow),
            _ => [1; 3], // other machines never reach this
        };
        Self {
            network,
            hosts_per_switch,
            switches_per_group,
            global_links,
            credits: 0,
            rule: GroupRule::Minimal,
            threshold: 0,
            classes: Classes::new(1, 1),
        }
    }

    pub(in crate::routers) fn count(&self) -> u32 {
        self.switches_per_group * self.global_links + 1
    }

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

    /// The group by way of which a packet leaves its source's router, or, under `par`, continues after a link in its
    /// source's group; [`Progress::NONE`] for the way without one.
    fn choose(&self, key: u64, [here, to]: [Place; 2], at: &AtRouter<'_>) -> u32 {
        let tag = match self.rule {
            GroupRule::Minimal => return Progress::NONE,
            GroupRule::Par if at.came_in.is_some() => AGAIN,
            GroupRule::Valiant | GroupRule::Ugal | GroupRule::UgalG | GroupRule::Par => FIRST,
        };
        if here.group == to.group || self.count() < 3 {
            return Progress::NONE;
        }
        let mut drawn = narrow(mix(key ^ tag) % u64::from(self.count() - 2));
        for group in [here.group.min(to.group), here.group.max(to.group)] {
            drawn += u32::from(drawn >= group);
        }
        let is_taken = self.rule == GroupRule::Valiant || self.is_better(drawn, [here, to], at);
        if is_taken { drawn } else { Progress::NONE }
    }

    /// Whether the way by a group has a shorter queue than the minimal one, for its links.
    fn is_better(&self, group: u32, [here, to]: [Place; 2], at: &AtRouter<'_>) -> bool {
        let entrance = self.gateway(group, here.group);
        let minimal = self.way(here, to, at.wiring);
        let first = self.way(here, entrance, at.wiring);
        let by_group = first.links + self.way(entrance, to, at.wiring).links;
        let queued = |way: GroupWay, group: u32| {
            let left = match self.rule {
                GroupRule::UgalG => (at.credits_before)(self.global_port(here.group, group, at)),
                _ => (at.credits)(way.port),
            };
            i128::from(self.credits - left)
        };
        queued(minimal, to.group) * i128::from(minimal.links)
            > queued(first, group) * i128::from(by_group) + i128::from(self.threshold)
    }

    /// The port, among those of all routers, of the link between two groups.
    fn global_port(&self, from: u32, to: u32, at: &AtRouter<'_>) -> u32 {
        let exit = self.gateway(from, to);
        let (first, _) = at.wiring.ports(exit.group * self.switches_per_group + exit.switch);
        first + self.port(exit, self.gateway(to, from), at.wiring)
    }

    /// The way between two different switches over at most one link between groups.
    fn way(&self, from: Place, to: Place, wiring: &Wiring) -> GroupWay {
        if from.group == to.group {
            let links = u64::from(from != to);
            return GroupWay { port: self.port(from, to, wiring), links, is_global: false };
        }
        let (exit, entrance) = (self.gateway(from.group, to.group), self.gateway(to.group, from.group));
        let links = 1 + u64::from(from != exit) + u64::from(entrance != to);
        let is_global = from == exit;
        let port = self.port(from, if is_global { entrance } else { exit }, wiring);
        GroupWay { port, links, is_global }
    }

    /// The port of a switch to another that it is linked with.
    fn port(&self, from: Place, to: Place, wiring: &Wiring) -> u32 {
        let node = |place: Place| wiring.node(place.group * self.switches_per_group + place.switch);
        let neighbours: &[NodeId] = self.network.map_or(&[], |network| network.neighbours(node(from)));
        narrow(neighbours.binary_search(&node(to)).unwrap_or(0) as u64)
    }
}

impl RoutingRule for Groups<'_> {
    fn route(&self, packet: &mut Packet, at: &AtRouter<'_>, _: &mut Vec<Candidate>) -> Option<Route> {
        let (here, to) = (self.place(at.router), self.place(packet.to / self.hosts_per_switch));
        let is_par = self.rule == GroupRule::Par;
        let is_first = at.came_in.is_none();
        let decides_again = is_par && packet.progress.links == 0 && packet.progress.middle == Progress::NONE;
        if is_first || decides_again {
            packet.progress.middle = self.choose(packet.key, [here, to], at);
        }
        if packet.progress.middle == here.group {
            packet.progress.middle = Progress::NONE;
        }
        let way = match packet.progress.middle {
            Progress::NONE => self.way(here, to, at.wiring),
            group => self.way(here, self.gateway(group, here.group), at.wiring),
        };
        let class = match (is_par, is_first && !way.is_global) {
            (true, true) => 0,
            (true, false) => packet.progress.links + 1,
            (false, _) => packet.progress.links,
        };
        packet.progress.links += u32::from(way.is_global);
        Some(Route::over(way.port, self.classes.of[class as usize]))
    }

    fn sees_all_routers(&self) -> bool {
        self.rule == GroupRule::UgalG
    }
}

/// The links of minimal ways.
impl NextLinks for Groups<'_> {
    fn next(&self, wiring: &Wiring, router: u32, target: Target) -> Option<SmallVec<[u32; 4]>> {
        Some(smallvec![self.way(self.place(router), self.place(target.router), wiring).port])
    }
}
