//! The routes of packets: the channels that a head asks for at a router (`docs/model.md` section 26.3).
//!
//! Every rule divides the channels into classes in such an order that no packets wait for one another in a circle. A rule
//! sees the packet, the router, and the credits at its ports.

mod dragonfly;
mod grid;
mod network;

use cubefold_topology::Machine;

use self::{dragonfly::Groups, grid::GridRoutes, network::SwitchRoutes};
use super::{
    injection::all_channels,
    packet::{Packet, Route},
    settings::{RouterRouting, Routers},
    wiring::Wiring,
};

/// The rule for the routes of packets on a machine.
#[derive(Debug)]
pub(super) struct PacketRoutes<'run> {
    rule: RouterRouting,
    classes: Vec<u64>, // the channels of each, a bit each
    all: u64,          // channels
    ways: Ways<'run>,
}

/// The ways of packets between routers.
#[derive(Debug)]
enum Ways<'run> {
    Grid(GridRoutes<'run>),
    Dragonfly(Groups<'run>),
    Switches(SwitchRoutes<'run>),
}

/// A router, and the credits over all channels of each of its ports.
pub(super) struct AtRouter<'a> {
    pub(super) router: u32,
    pub(super) wiring: &'a Wiring,
    pub(super) credits: &'a dyn Fn(u32) -> u64,
}

impl<'run> PacketRoutes<'run> {
    pub(super) fn new(machine: &'run Machine, routers: &Routers) -> Self {
        let settings = &routers.settings;
        let (channels, classes) = (settings.virtual_channels, routers.classes);
        let rule = settings.routing;
        let range = |class: u32| {
            let [first, end] = [class, class + 1].map(|own| own * channels / classes);
            all_channels(channels) >> (channels - (end - first)) << first
        };
        let ways = match rule {
            RouterRouting::DimensionOrder
            | RouterRouting::Valiant
            | RouterRouting::Romm
            | RouterRouting::Adaptive(_) => Ways::Grid(GridRoutes::new(machine, settings.tie)),
            RouterRouting::Minimal | RouterRouting::Ugal { .. } => {
                let in_flight = u64::from(settings.virtual_channels) * u64::from(settings.buffer_units);
                Ways::Dragonfly(Groups::new(machine, in_flight))
            }
            RouterRouting::UpDown | RouterRouting::UpDownAdaptive | RouterRouting::Hops => {
                Ways::Switches(SwitchRoutes::new(machine))
            }
        };
        Self { rule, classes: (0..classes).map(range).collect(), all: all_channels(channels), ways }
    }

    /// Lets packets of every class use all channels.
    #[cfg(test)]
    pub(super) fn ignore_classes(&mut self) {
        self.classes.fill(self.all);
    }

    /// The number of escape channels of adaptive routing; 0 under other rules.
    pub(super) fn escape_channels(&self) -> u32 {
        match self.rule {
            RouterRouting::Adaptive(_) => self.ways.escape_channels(),
            _ => 0,
        }
    }

    /// The candidates of a packet whose head asks for the first time at a router.
    pub(super) fn route(&self, packet: &mut Packet, at: &AtRouter<'_>) -> Route {
        let port = at.wiring.port_of_terminal(packet.to);
        let terminal = (at.wiring.router(port) == at.router).then(|| {
            let (first, _) = at.wiring.ports(at.router);
            Route::over(port - first, self.all)
        });
        match (&self.ways, self.rule) {
            (Ways::Grid(grid), RouterRouting::Valiant | RouterRouting::Romm) => {
                grid.by_middle(packet, at, terminal, self)
            }
            (Ways::Grid(grid), rule) => terminal.unwrap_or_else(|| match rule {
                RouterRouting::Adaptive(_) => grid.adaptive(packet, at),
                _ => grid.in_order(packet, at, self),
            }),
            (Ways::Dragonfly(groups), rule) => {
                terminal.unwrap_or_else(|| groups.route(packet, at, rule, &self.classes))
            }
            (Ways::Switches(switches), rule) => terminal.unwrap_or_else(|| match rule {
                RouterRouting::Hops => switches.by_links(packet, at, &self.classes),
                _ => switches.upwards(packet, at, self),
            }),
        }
    }
}

impl Ways<'_> {
    fn escape_channels(&self) -> u32 {
        match self {
            Self::Grid(grid) => grid.escape_channels(),
            Self::Dragonfly(_) | Self::Switches(_) => 0,
        }
    }
}
