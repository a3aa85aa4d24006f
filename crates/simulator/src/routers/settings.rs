//! The parameters of routers with finite buffers (`docs/model.md` sections 26.1 to 26.3), and what refuses them.

use cubefold_derive::Words;
use cubefold_topology::{GraphSource, LinkMode, Machine, NetworkParameters, NodeId, TieRule};

use super::{routing::RouterRouting, speedup::Speedup};
use crate::{Communication, MessageRoutes, ServiceOrder, Switching};

/// The routers of a machine (`docs/model.md` section 26).
///
/// The latency of links and the size of packets are those of the [`Communication`] that has these routers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouterSettings {
    /// When the head of a packet gets a channel.
    pub flow_control: FlowControl,
    /// The channels of every input, `V`, in 1 to [`Self::MAX_VIRTUAL_CHANNELS`].
    pub virtual_channels: u32,
    /// The flits that the buffer of a channel holds, `B`, in 1 to [`Self::MAX_BUFFER_UNITS`].
    pub buffer_units: u32,
    /// The cycles of a head in a router, `R`, in 1 to [`Self::MAX_ROUTER_CYCLES`].
    pub router_cycles: u32,
    /// The cycles of a credit in a router, `c`, at most [`Self::MAX_LATENCY`].
    pub credit_cycles: u32,
    /// The latency of links to terminals, `m`, at most [`Self::MAX_LATENCY`] \[cycles\].
    pub terminal_latency: u32,
    /// The latency of the links between groups of a dragonfly \[cycles\]; `None` if it is that of other links.
    pub global_latency: Option<u64>,
    /// The steps of the routers in a cycle, `s`.
    pub speedup: Speedup,
    /// The channels of terminals that packets ask for at their destination.
    pub ejection: Ejection,
    /// The rule by which channels and switches are granted.
    pub allocator: Allocator,
    /// The routes of packets.
    pub routing: RouterRouting,
    /// The way around a ring of two that are equally long, on grids.
    pub tie: RouterTie,
    /// Equal seeds draw equal routes.
    pub seed: u64,
}

/// When the head of a packet gets a channel (`docs/model.md` section 26.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum FlowControl {
    /// When no packet uses the channel: a packet may span routers (Dally & Seitz 1986).
    #[default]
    Wormhole,
    /// When, besides, its buffer has room for the whole packet (Kermani & Kleinrock 1979).
    VirtualCutThrough,
}

impl FlowControl {
    /// Whether a head gets a channel only if its buffer has room for the whole packet.
    pub(super) fn needs_room(self) -> bool {
        match self {
            Self::Wormhole => false,
            Self::VirtualCutThrough => true,
        }
    }
}

/// The order of the two rounds in which requests are granted (`docs/model.md` section 26.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum Allocator {
    /// Outputs offer themselves to inputs, which accept one: iSLIP with one iteration.
    ///
    /// `McKeown` 1999.
    #[default]
    OutputFirst,
    /// Each input asks for one output, which takes one input.
    InputFirst,
}

/// The channels of a terminal that a packet asks for (`docs/model.md` section 30.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum Ejection {
    /// A packet leaves over any channel of its terminal.
    #[default]
    All,
    /// In dragonflies a packet leaves over the channels of the class of the global links it has passed.
    Class,
}

/// The way around a ring of two that are equally long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouterTie {
    /// By a rule.
    Rule(TieRule),
    /// Drawn for each packet and dimension.
    Random,
}

/// The reason why routers are refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouterError {
    /// A parameter out of its range.
    #[error("{found} {parameter}, expected {least} to {greatest}")]
    OutOfRange {
        /// The parameter.
        parameter: &'static str,
        /// The value found.
        found: u64,
        /// The least value.
        least: u64,
        /// The greatest value.
        greatest: u64,
    },
    /// Fewer channels than the classes of the routing.
    #[error(
        "{found} virtual channel{}, expected at least {least} under {routing} routing of this machine",
        if *.found == 1 { "" } else { "s" }
    )]
    TooFewChannels {
        /// The channels found.
        found: u32,
        /// The least number.
        least: u32,
        /// The routing.
        routing: &'static str,
    },
    /// Packets that no buffer holds, under virtual cut-through.
    #[error(
        "buffers of {buffer_units} units, expected at least {packet_units}, the largest packet, under virtual cut-through"
    )]
    BufferTooSmall {
        /// The units of a buffer.
        buffer_units: u32,
        /// The units of the largest packet.
        packet_units: u64,
    },
    /// Ejection by classes under a routing that has no classes for it.
    #[error("ejection by class under {routing} routing, expected minimal routing in a dragonfly")]
    Ejection {
        /// The routing found.
        routing: &'static str,
    },
    /// A latency of links between groups on a machine that has no groups.
    #[error("a latency of the links between groups, expected a dragonfly")]
    NoGroups,
    /// A routing that the machine does not support.
    #[error("{routing} routing of routers, expected {expected} on this machine")]
    NoSuchRouting {
        /// The routing found.
        routing: &'static str,
        /// The names of those that the machine supports.
        expected: String,
    },
    /// Messages with routes of their own.
    #[error(
        "routes of messages by way of random coordinates or an embedding's paths, expected a routing of routers"
    )]
    OwnRoutes,
    /// Links over which a unit takes several cycles, or that differ.
    #[error("links over which a unit takes {hop_cycles} cycles, expected 1 with routers with finite buffers")]
    SlowLinks {
        /// The longest time of a unit \[cycles\].
        hop_cycles: u64,
    },
    /// Links that differ in their times.
    #[error("links that differ in their times, expected equal ones with routers with finite buffers")]
    LinksDiffer,
    /// Links that are not full-duplex, or channels that serve their inputs in turn.
    #[error(
        "{rule}, expected full-duplex links without another rule of arbitration: routers arbitrate by themselves"
    )]
    OtherRule {
        /// The rule.
        rule: String,
    },
    /// Store-and-forward in packets, or the cut-through without limits, beside the flow control of routers.
    #[error("cut-through without limits together with routers with finite buffers, expected one of the two")]
    TwoSwitchings,
    /// More channels than are numbered.
    #[error("{found} virtual channels of all routers, expected at most 2^32")]
    TooManyChannels {
        /// The channels found.
        found: u64,
    },
    /// A host with several links, or linked with another host.
    #[error("host {host} with {links} links, expected one, to a switch, with routers with finite buffers")]
    HostLinks {
        /// The host.
        host: NodeId,
        /// Its links to switches.
        links: u64,
    },
}

impl RouterTie {
    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.name(),
            Self::Random => "random",
        }
    }
}

impl RouterSettings {
    /// The greatest `V`.
    pub const MAX_VIRTUAL_CHANNELS: u32 = 64;
    /// The greatest `B`.
    pub const MAX_BUFFER_UNITS: u32 = 65535;
    /// The greatest `R`.
    pub const MAX_ROUTER_CYCLES: u32 = 64;
    /// The greatest `c` and `m`.
    pub const MAX_LATENCY: u32 = 1 << 16;

    /// Whether packets take the routes of the machine, which are known before the run.
    #[must_use]
    pub fn takes_machine_routes(&self) -> bool {
        self.routing.takes_machine_routes(self.tie)
    }

    /// The defaults on a machine whose links have a latency \[cycles\].
    #[must_use]
    pub fn default_of(machine: &Machine, latency: u64) -> Self {
        let with_hosts = u32::try_from(latency).unwrap_or(u32::MAX);
        Self {
            flow_control: FlowControl::default(),
            virtual_channels: 4,
            buffer_units: 8,
            router_cycles: 4,
            credit_cycles: 1,
            terminal_latency: if has_switches(machine) { with_hosts } else { 0 },
            global_latency: None,
            speedup: Speedup::ONE,
            ejection: Ejection::default(),
            allocator: Allocator::default(),
            routing: RouterRouting::default_of(machine),
            tie: RouterTie::Rule(TieRule::default()),
            seed: 0,
        }
    }

    /// The credits of a port over all of its channels if none are out.
    pub(super) fn credits_of_port(&self) -> u64 {
        u64::from(self.virtual_channels) * u64::from(self.buffer_units)
    }

    fn check_ranges(&self) -> Result<(), RouterError> {
        let parameters = [
            ("virtual channels", self.virtual_channels, 1, Self::MAX_VIRTUAL_CHANNELS),
            ("units of a buffer", self.buffer_units, 1, Self::MAX_BUFFER_UNITS),
            ("cycles of a head in a router", self.router_cycles, 1, Self::MAX_ROUTER_CYCLES),
            ("cycles of a credit in a router", self.credit_cycles, 0, Self::MAX_LATENCY),
            ("cycles of latency of links to terminals", self.terminal_latency, 0, Self::MAX_LATENCY),
        ];
        for (parameter, found, least, greatest) in parameters {
            if !(least..=greatest).contains(&found) {
                let [found, least, greatest] = [found, least, greatest].map(u64::from);
                return Err(RouterError::OutOfRange { parameter, found, least, greatest });
            }
        }
        Ok(())
    }
}

/// Routers that suit a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Routers {
    pub(crate) settings: RouterSettings,
    /// The links of a route that join hosts.
    pub(crate) end_links: u64, // 0 or 2
    /// The classes that share the channels, at least 1 and at most `V`.
    pub(crate) classes: u32,
    /// The most links of a route if it may exceed twice the largest distance, else 0.
    pub(crate) longest_route: u64,
}

impl Routers {
    /// Checks routers against a machine and the other rules of its network.
    pub(crate) fn new(
        settings: RouterSettings,
        machine: &Machine,
        communication: Communication,
    ) -> Result<Self, RouterError> {
        settings.check_ranges()?;
        check_rules(machine, communication)?;
        let (routing, descriptor) = (settings.routing, settings.routing.descriptor());
        if !routing.applies_to(machine) {
            let fitting = RouterRouting::all().filter(|rule| rule.applies_to(machine));
            let names: Vec<&str> = fitting.map(RouterRouting::name).collect();
            return Err(RouterError::NoSuchRouting { routing: routing.name(), expected: names.join(", ") });
        }
        check_hosts(machine)?;
        if settings.ejection == Ejection::Class && !descriptor.ejects_by_class {
            return Err(RouterError::Ejection { routing: routing.name() });
        }
        if settings.global_latency.is_some() && !machine.has_groups() {
            return Err(RouterError::NoGroups);
        }
        let (found, least) = (settings.virtual_channels, routing.least_channels(machine));
        if found < least {
            return Err(RouterError::TooFewChannels { found, least, routing: routing.name() });
        }
        // A link in one direction has a port at both ends.
        let ends = if machine.is_directed() { 2 } else { 1 };
        let ports = machine.channel_places().saturating_mul(ends).saturating_add(machine.node_count());
        let all = ports.saturating_mul(found.into());
        if all > 1 << 32 {
            return Err(RouterError::TooManyChannels { found: all });
        }
        let routers = Self {
            settings,
            end_links: if has_switches(machine) { 2 } else { 0 },
            classes: (descriptor.classes)(machine),
            longest_route: (descriptor.longest_route)(machine),
        };
        if let Some(packet) = communication.packet() {
            routers.check_packet(packet.get())?;
        }
        Ok(routers)
    }

    /// Checks packets of `packet_units` units, the largest of a program.
    pub(crate) fn check_packet(self, packet_units: u64) -> Result<(), RouterError> {
        let RouterSettings { flow_control, buffer_units, .. } = self.settings;
        if flow_control.needs_room() && packet_units > buffer_units.into() {
            return Err(RouterError::BufferTooSmall { buffer_units, packet_units });
        }
        Ok(())
    }
}

/// Whether hosts and routers are different nodes.
pub(crate) fn has_switches(machine: &Machine) -> bool {
    machine.numbered_hosts() < machine.node_count()
}

/// Refuses the rules of a network with which routers do not work.
fn check_rules(machine: &Machine, communication: Communication) -> Result<(), RouterError> {
    if communication.links() != LinkMode::FullDuplex {
        return Err(RouterError::OtherRule { rule: format!("{} links", communication.links()) });
    }
    if communication.service() != ServiceOrder::FirstCome {
        return Err(RouterError::OtherRule {
            rule: format!("{} arbitration", communication.service().name()),
        });
    }
    if machine.link_times().is_some() {
        return Err(RouterError::LinksDiffer);
    }
    if communication.hop().get() != 1 {
        return Err(RouterError::SlowLinks { hop_cycles: communication.hop().get() });
    }
    if communication.switching() != Switching::StoreAndForward {
        return Err(RouterError::TwoSwitchings);
    }
    if communication.routes() != MessageRoutes::OfMachine {
        return Err(RouterError::OwnRoutes);
    }
    Ok(())
}

/// Refuses hosts that are not the terminals of one switch each.
fn check_hosts(machine: &Machine) -> Result<(), RouterError> {
    if !has_switches(machine) {
        return Ok(());
    }
    for host in machine.hosts() {
        let switches = machine.neighbours(host).filter(|&node| !machine.is_host(node)).count() as u64;
        let links = machine.neighbours(host).count() as u64;
        let leads_back =
            machine.neighbours(host).all(|switch| machine.neighbours(switch).any(|node| node == host));
        if (switches, links) != (1, 1) || !leads_back {
            return Err(RouterError::HostLinks { host, links });
        }
    }
    Ok(())
}

/// The parameters of a machine that has all links of a network given by parameters.
pub(super) fn whole_network(machine: &Machine) -> Option<&NetworkParameters> {
    match machine.source() {
        Some(GraphSource::Parameters(parameters)) if machine.failures().is_none() => Some(parameters),
        _ => None,
    }
}

/// The largest distance between routers with terminals of a network \[links\].
pub(super) fn longest_route(machine: &Machine) -> u32 {
    let Some(routes) = machine.network_routes() else { return 0 };
    let end_links = if has_switches(machine) { 2 } else { 0 };
    // Hosts of one switch are equally far from all others.
    let switch = |host: NodeId| if end_links > 0 { machine.neighbours(host).next() } else { Some(host) };
    let mut hosts: Vec<(Option<NodeId>, NodeId)> = machine.hosts().map(|host| (switch(host), host)).collect();
    hosts.sort_unstable();
    hosts.dedup_by_key(|host| host.0);
    let nodes: Vec<NodeId> = hosts.iter().map(|host| host.1).collect();
    routes.prepare(&nodes);
    let pairs = nodes.iter().flat_map(|&to| nodes.iter().map(move |&from| (from, to)));
    let distances = pairs.filter(|(from, to)| from != to).filter_map(|(from, to)| routes.distance(from, to));
    distances.max().map_or(0, |links| links - end_links)
}
