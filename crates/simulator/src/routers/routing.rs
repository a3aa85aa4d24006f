//! The routes of packets: the channels that a head asks for at a router (`docs/model.md` sections 26.3, 30.2 and 30.3).
//!
//! Every rule divides the channels into classes in such an order that no packets wait for one another in a circle. A rule
//! sees the packet, the router, and the credits at its ports.
//!
//! Rules without settings of their own are an open set: each is a file with its [`ListedRouting`], and a line of
//! [`LISTED`], from which scenarios, schema and help know it. Those with settings, and those that others build upon, are
//! variants of [`RouterRouting`], with a file for a kind of machine and a line of [`PacketRoutes::new`].

mod dragonfly;
mod fat_tree;
mod grid;
mod network;
mod table;

/// Declares the files of listed rules, and lists their descriptors in the order of names in files and help.
macro_rules! listed {
    ($($file:ident::$descriptor:ident,)*) => {
        $(mod $file;)*

        /// The open set of rules.
        pub(super) static LISTED: &[&ListedRouting] = &[$(&$file::$descriptor),*];
    };
}

listed! {
    minimal_adaptive::MINIMAL_ADAPTIVE,
}

use std::fmt;

use cubefold_topology::Machine;

pub(super) use self::dragonfly::Groups;
use self::{fat_tree::TreeRoutes, grid::GridRoutes, network::NetworkRule, table::TableRoutes};
use super::{
    injection::all_channels,
    packet::{Candidate, Packet, Route},
    settings::{Ejection, RouterRouting, Routers},
    wiring::Wiring,
};

/// The routes of packets on a machine.
#[derive(Debug)]
pub(super) struct PacketRoutes<'run> {
    classes: Classes,
    ejection: Ejection,
    rule: Box<dyn RoutingRule + 'run>,
}

/// A rule by which packets go on.
trait RoutingRule: fmt::Debug + Send + Sync {
    /// The candidates of a packet whose head asks for the first time at a router; several of them are put in `candidates`,
    /// which are empty. `None` where it is ejected, which is possible at the router of its terminal only.
    fn route(&self, packet: &mut Packet, at: &AtRouter<'_>, candidates: &mut Vec<Candidate>)
    -> Option<Route>;

    /// Whether it is asked at the router of the destination, too, as it may lead on from there.
    fn passes_destinations(&self) -> bool {
        false
    }

    /// The number of first channels for packets of adaptive routing on grids that cannot go on otherwise.
    fn escape_channels(&self) -> u32 {
        0
    }

    /// Whether a head asks only for channels with room for its packet, or for as much of it as a buffer holds.
    fn needs_room(&self) -> bool {
        self.escape_channels() > 0
    }
}

/// A rule of the open set. Under it only the channels of terminals count in the limit of loads, as under all rules whose
/// links are not followed (`docs/model.md` section 30.5).
#[derive(Debug)]
pub struct ListedRouting {
    /// Its name in files.
    pub name: &'static str,
    /// A sentence on it, for `cubefold explain`.
    pub summary: &'static str,
    pub(super) applies_to: fn(&Machine) -> bool,
    /// The number of classes, and so of channels that it needs at least on a machine to which it applies; at least 1.
    pub(super) least_channels: fn(&Machine) -> u32,
    make: MakeRule,
}

/// Makes a rule for a machine to which it applies, with as many classes as it needs channels.
type MakeRule = for<'run> fn(&'run Machine, Classes) -> Box<dyn RoutingRule + 'run>;

/// By name, as no two rules share one.
impl PartialEq for ListedRouting {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ListedRouting {}

/// The classes that share the channels of an input.
#[derive(Debug, Clone)]
struct Classes {
    of: Vec<u64>, // the channels of each, a bit each
    all: u64,     // channels
}

impl Classes {
    fn new(channels: u32, classes: u32) -> Self {
        let range = |class: u32| {
            let [first, end] = [class, class + 1].map(|own| own * channels / classes);
            all_channels(channels) >> (channels - (end - first)) << first
        };
        Self { of: (0..classes).map(range).collect(), all: all_channels(channels) }
    }

    /// The class of a channel.
    fn of_channel(&self, channel: u32) -> u32 {
        (0..).zip(&self.of).find(|(_, own)| **own >> channel & 1 == 1).map_or(0, |own| own.0)
    }
}

/// A router, and the credits over all channels of its ports.
pub(super) struct AtRouter<'a> {
    pub(super) router: u32,
    pub(super) came_in: Option<u32>, // the channel in which the packet came; none from its terminal
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
        let own = self.0[port as usize];
        if own.0 == cycle { own.1 } else { 0 }
    }

    pub(super) fn clear(&mut self) {
        self.0.fill((0, 0));
    }
}

impl<'run> PacketRoutes<'run> {
    pub(super) fn new(machine: &'run Machine, routers: &Routers) -> Self {
        let settings = &routers.settings;
        let classes = Classes::new(settings.virtual_channels, routers.classes);
        let all_credits = u64::from(settings.virtual_channels) * u64::from(settings.buffer_units);
        let own = classes.clone();
        let rule: Box<dyn RoutingRule + 'run> = match settings.routing {
            _ if machine.grid().is_some() && settings.routing.is_of_grids() => {
                Box::new(GridRoutes::new(machine, settings, own))
            }
            RouterRouting::UpDown | RouterRouting::UpDownAdaptive => {
                Box::new(TreeRoutes::new(machine, settings.routing, own))
            }
            RouterRouting::Listed(rule) => (rule.make)(machine, own),
            RouterRouting::Table(choice) => Box::new(TableRoutes::new(machine, choice, own)),
            rule if rule.is_of_dragonflies(machine) => Box::new(Groups::new(machine, rule, all_credits, own)),
            rule => Box::new(NetworkRule::new(machine, rule, all_credits, own)),
        };
        Self { classes, ejection: settings.ejection, rule }
    }

    /// Lets packets of every class use all channels.
    #[cfg(test)]
    pub(super) fn ignore_classes(&mut self, machine: &'run Machine, settings: &super::RouterSettings) {
        self.classes.of.fill(self.classes.all);
        self.rule = Box::new(GridRoutes::new(machine, settings, self.classes.clone()));
    }

    /// The number of escape channels of adaptive routing on grids; 0 under other rules.
    pub(super) fn escape_channels(&self) -> u32 {
        self.rule.escape_channels()
    }

    /// Whether a head asks only for channels with room for its packet, or for as much of it as a buffer holds.
    pub(super) fn needs_room(&self) -> bool {
        self.rule.needs_room()
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
