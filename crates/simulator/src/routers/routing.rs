//! The routes of packets: the channels that a head asks for at a router (`docs/model.md` sections 26.3, 30.2 and 30.3).
//!
//! Every rule divides the channels into classes in such an order that no packets wait for one another in a circle. A rule
//! sees the packet, the router, and the credits at its ports.
//!
//! Rules are an open set: each is a [`RoutingDescriptor`], in a file of its own or with its family, and a line of
//! [`LISTED`], from which scenarios, schema, help and the limits of loads know it.

mod descriptor;
mod dragonfly;
mod fat_tree;
mod grid;
mod minimal_adaptive;
mod network;
mod table;

use std::fmt;

use cubefold_topology::Machine;

pub use self::descriptor::{
    AdaptiveChoice, RouterRouting, RoutingDescriptor, RoutingOption, RoutingOptions, TableChoice,
};
pub(super) use self::dragonfly::Groups;
use super::{
    injection::all_channels,
    packet::{Candidate, Packet, Route},
    settings::{Ejection, RouterSettings, Routers},
    wiring::Wiring,
};

/// The open set of rules, in the order of names in files and help.
static LISTED: &[RoutingDescriptor] = &[
    grid::DIMENSION_ORDER,
    grid::VALIANT,
    dragonfly::VALIANT,
    network::VALIANT,
    grid::ROMM,
    grid::ADAPTIVE,
    fat_tree::UP_DOWN,
    fat_tree::UP_DOWN_ADAPTIVE,
    dragonfly::MINIMAL,
    dragonfly::UGAL,
    network::UGAL,
    dragonfly::UGAL_G,
    dragonfly::PAR,
    minimal_adaptive::MINIMAL_ADAPTIVE,
    network::HOPS,
    table::TABLE,
];

/// The routes of packets on a machine.
#[derive(Debug)]
pub(super) struct PacketRoutes<'run> {
    classes: Classes,
    ejection: Ejection,
    pub(super) rule: Box<dyn RoutingRule + 'run>,
}

/// The routes of packets under a rule.
pub(super) trait RoutingRule: fmt::Debug + Send + Sync {
    /// The candidates of a packet whose head asks for the first time at a router; several of them are put in `candidates`,
    /// which is empty. `None` if it is ejected, which is possible only at the router of its terminal.
    fn route(&self, packet: &mut Packet, at: &AtRouter<'_>, candidates: &mut Vec<Candidate>)
    -> Option<Route>;

    /// Whether it is also asked at the destination's router, since the route may continue from there.
    fn passes_destinations(&self) -> bool {
        false
    }

    /// The number of first channels, for packets of adaptive routing on grids that are blocked otherwise.
    fn escape_channels(&self) -> u32 {
        0
    }

    /// Whether a head asks only for channels with room for its packet, or for as much of it as a buffer holds.
    fn needs_room(&self) -> bool {
        self.escape_channels() > 0
    }

    /// Whether it looks at [`AtRouter::credits_before`].
    fn sees_all_routers(&self) -> bool {
        false
    }
}

/// The classes that share the channels of an input.
#[derive(Debug, Clone)]
struct Classes {
    of: Vec<u64>, // the channels of each, a bit each
    all: u64,     // channels
}

impl Classes {
    fn new(channels: u32, classes: u32) -> Self {
        let range = |class: u32| {
            let [first, end] = [class, class + 1].map(|class| class * channels / classes);
            all_channels(channels) >> (channels - (end - first)) << first
        };
        Self { of: (0..classes).map(range).collect(), all: all_channels(channels) }
    }

    fn of_channel(&self, channel: u32) -> u32 {
        (0..).zip(&self.of).find(|(_, channels)| **channels >> channel & 1 == 1).map_or(0, |found| found.0)
    }
}

/// A router, and the credits over all channels of its ports.
pub(super) struct AtRouter<'a> {
    pub(super) router: u32,
    pub(super) came_in: Option<u32>, // the channel in which the packet came; `None` from its terminal
    pub(super) wiring: &'a Wiring,
    pub(super) credits: &'a dyn Fn(u32) -> u64, // by port of the router
    pub(super) credits_before: &'a dyn Fn(u32) -> u64, // by port of any router, before phase 4 of the cycle
}

/// The credits that the ports of all routers have spent in the present cycle.
#[derive(Debug)]
pub(super) struct SpentCredits(Vec<(u64, u64)>); // by port, a cycle, and those spent in it

impl SpentCredits {
    pub(super) fn new(ports: usize) -> Self {
        Self(vec![(0, 0); ports])
    }

    /// A port has spent a credit.
    pub(super) fn add(&mut self, port: u32, cycle: u64) {
        self.0[port as usize] = (cycle, self.in_cycle(port, cycle) + 1);
    }

    /// The credits that a port has spent in a cycle, the last one.
    pub(super) fn in_cycle(&self, port: u32, cycle: u64) -> u64 {
        let (last, spent) = self.0[port as usize];
        if last == cycle { spent } else { 0 }
    }

    pub(super) fn clear(&mut self) {
        self.0.fill((0, 0));
    }
}

impl<'run> PacketRoutes<'run> {
    pub(super) fn new(machine: &'run Machine, routers: &Routers) -> Self {
        let settings = &routers.settings;
        let classes = Classes::new(settings.virtual_channels, routers.classes);
        Self::with_classes(machine, settings, classes)
    }

    fn with_classes(machine: &'run Machine, settings: &RouterSettings, classes: Classes) -> Self {
        let rule = (settings.routing.descriptor().make)(machine, settings, classes.clone());
        Self { classes, ejection: settings.ejection, rule }
    }

    /// Lets packets of every class use all channels.
    #[cfg(test)]
    pub(super) fn ignore_classes(&mut self, machine: &'run Machine, settings: &RouterSettings) {
        let mut classes = self.classes.clone();
        classes.of.fill(classes.all);
        *self = Self::with_classes(machine, settings, classes);
    }

    /// The candidates of a packet whose head asks for the first time at a router.
    pub(super) fn route(
        &self,
        packet: &mut Packet,
        at: &AtRouter<'_>,
        candidates: &mut Vec<Candidate>,
    ) -> Route {
        candidates.clear();
        let port = at.wiring.port_of_terminal(packet.to);
        let is_there = at.wiring.router(port) == at.router;
        let onward = if is_there && !self.rule.passes_destinations() {
            None
        } else {
            self.rule.route(packet, at, candidates)
        };
        onward.unwrap_or_else(|| {
            let (first, _) = at.wiring.ports(at.router);
            let channels = match self.ejection {
                Ejection::All => self.classes.all,
                Ejection::Class => self.classes.of[packet.progress.links as usize],
            };
            Route::over(port.wrapping_sub(first), channels)
        })
    }
}
