//! The parameters of routers with finite buffers (`docs/model.md` sections 26.1 to 26.3), and what refuses them.

use cubefold_derive::Words;
use cubefold_topology::{Extent, GraphSource, Machine, NetworkParameters, NodeId, TieRule};

use super::{
    routing::{LISTED, ListedRouting},
    speedup::Speedup,
};
use crate::{Communication, MessageRoutes, Switching};

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

/// The routes of packets through routers (`docs/model.md` section 26.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouterRouting {
    /// The lowest dimension first; on rings in two classes of channels (Dally & Seitz 1987).
    DimensionOrder,
    /// To a random node, and from there to the destination (Valiant 1982); in dragonflies by way of a random group.
    Valiant,
    /// The same by way of a node between the two (ROMM, Nesson & Johnsson 1995).
    Romm,
    /// Any shortest way, with escape channels in dimension order (Duato 1993).
    Adaptive(AdaptiveChoice),
    /// In a fat tree up to the nearest common ancestor, by switches drawn at random, and down.
    UpDown,
    /// The same, of two switches drawn by the one with more credits.
    UpDownAdaptive,
    /// In a dragonfly by the link between the two groups.
    Minimal,
    /// The same, or by way of a random group if that has shorter queues (UGAL-L, Kim et al. 2008); in networks by way of
    /// a random router.
    Ugal {
        /// By how much the queue of the shorter way must be longer \[flits times links\].
        threshold: i64,
    },
    /// In a dragonfly the same, by the queues of the links between groups wherever they are (UGAL-G, Kim et al. 2008).
    UgalG {
        /// As of [`Self::Ugal`].
        threshold: i64,
    },
    /// In a dragonfly UGAL-L that is decided again after a link in the source's group (PAR, Jiang et al. 2009).
    Par {
        /// As of [`Self::Ugal`].
        threshold: i64,
    },
    /// A rule of the open set, which has no settings.
    Listed(&'static ListedRouting),
    /// The routes of the machine's table (section 30.2).
    Table(TableChoice),
    /// The lowest of the shortest routes of a network, in as many classes of channels as links.
    Hops,
}

/// The candidates of a table that a packet asks for (`docs/model.md` section 30.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum TableChoice {
    /// Only the candidate whose unused channels have the most credits.
    #[default]
    Credits,
    /// All candidates of a line.
    Any,
    /// One candidate, drawn once at each router.
    Random,
}

/// The ports that an adaptive packet asks for (`docs/model.md` section 26.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum AdaptiveChoice {
    /// Only the port whose unused channels have the most credits.
    #[default]
    Credits,
    /// All ports that lead nearer.
    Any,
}

/// The way around a ring of two that are equally long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouterTie {
    /// By a rule.
    Rule(TieRule),
    /// Drawn for each packet and dimension.
    Random,
}

/// The reason for which routers are refused.
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
    #[error("{found} virtual channels, expected at least {least} under {routing} routing of this machine")]
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

impl RouterRouting {
    /// The rules outside the open set, with the defaults of their settings.
    const VARIANTS: [Self; 12] = [
        Self::DimensionOrder,
        Self::Valiant,
        Self::Romm,
        Self::Adaptive(AdaptiveChoice::Credits),
        Self::UpDown,
        Self::UpDownAdaptive,
        Self::Minimal,
        Self::Ugal { threshold: 0 },
        Self::UgalG { threshold: 0 },
        Self::Par { threshold: 0 },
        Self::Hops,
        Self::Table(TableChoice::Credits),
    ];

    /// Every rule, with the defaults of its settings. The fallback of networks and tables come last.
    pub fn all() -> impl Iterator<Item = Self> {
        let (first, last) = Self::VARIANTS.split_at(Self::VARIANTS.len() - 2);
        let listed = LISTED.iter().map(|own| Self::Listed(own));
        first.iter().copied().chain(listed).chain(last.iter().copied())
    }

    /// The defaults of machines, the first that applies.
    const DEFAULTS: [Self; 4] = [Self::DimensionOrder, Self::UpDown, Self::Minimal, Self::Hops];

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DimensionOrder => "dimension-order",
            Self::Valiant => "valiant",
            Self::Romm => "romm",
            Self::Adaptive(_) => "adaptive",
            Self::UpDown => "up-down",
            Self::UpDownAdaptive => "up-down-adaptive",
            Self::Minimal => "minimal",
            Self::Ugal { .. } => "ugal",
            Self::UgalG { .. } => "ugal-g",
            Self::Par { .. } => "par",
            Self::Listed(own) => own.name,
            Self::Hops => "hops",
            Self::Table(_) => "table",
        }
    }

    /// The rule of a machine if none is asked for.
    #[must_use]
    pub fn default_of(machine: &Machine) -> Self {
        let applying = |rule: &Self| rule.applies_to(machine);
        Self::DEFAULTS.into_iter().find(applying).unwrap_or(Self::Hops)
    }

    /// Whether a machine supports it. Grids with failures and twisted toruses are networks.
    #[must_use]
    pub fn applies_to(self, machine: &Machine) -> bool {
        let whole = match machine.source() {
            Some(GraphSource::Parameters(parameters)) if machine.failures().is_none() => Some(parameters),
            _ => None,
        };
        match self {
            Self::Table(_) => machine.packet_routes().is_some(),
            Self::DimensionOrder | Self::Romm | Self::Adaptive(_) => machine.grid().is_some(),
            // Every machine is a grid or a network.
            Self::Valiant => true,
            Self::UpDown | Self::UpDownAdaptive => {
                let is_tree = |own: &NetworkParameters| {
                    matches!(own, NetworkParameters::LeafSpine { .. } | NetworkParameters::KAryTree { .. })
                };
                whole.is_some_and(is_tree)
            }
            Self::Minimal | Self::UgalG { .. } | Self::Par { .. } => {
                whole.is_some_and(NetworkParameters::is_whole_dragonfly)
            }
            Self::Listed(own) => (own.applies_to)(machine),
            Self::Ugal { .. } | Self::Hops => machine.graph().is_some(),
        }
    }

    /// Whether it goes by the coordinates of a grid, on a grid.
    pub(super) fn is_of_grids(self) -> bool {
        matches!(self, Self::DimensionOrder | Self::Valiant | Self::Romm | Self::Adaptive(_))
    }

    /// Whether it goes by the groups of a machine.
    pub(super) fn is_of_dragonflies(self, machine: &Machine) -> bool {
        let has_groups = Self::Minimal.applies_to(machine);
        has_groups
            && matches!(
                self,
                Self::Minimal | Self::Valiant | Self::Ugal { .. } | Self::UgalG { .. } | Self::Par { .. }
            )
    }

    /// The threshold of the rules that compare two ways; `None` of others.
    #[must_use]
    pub fn threshold(self) -> Option<i64> {
        match self {
            Self::Ugal { threshold } | Self::UgalG { threshold } | Self::Par { threshold } => Some(threshold),
            _ => None,
        }
    }

    /// The least number of channels with which it runs on a machine that supports it, at least 1.
    #[must_use]
    pub fn least_channels(self, machine: &Machine) -> u32 {
        let has_rings = machine.extents().any(Extent::is_ring);
        match self {
            Self::DimensionOrder => 1 + u32::from(has_rings),
            Self::Valiant | Self::Romm if machine.grid().is_some() => 2 + 2 * u32::from(has_rings),
            Self::Valiant | Self::Romm | Self::Ugal { .. } if self.is_of_dragonflies(machine) => 3,
            Self::Valiant | Self::Romm | Self::Ugal { .. } => (2 * longest_route(machine)).max(1),
            Self::Adaptive(_) => 2 + u32::from(has_rings),
            Self::UpDown | Self::UpDownAdaptive => 1,
            Self::Minimal => 2,
            Self::UgalG { .. } => 3,
            Self::Par { .. } => 4,
            Self::Listed(own) => (own.least_channels)(machine),
            Self::Hops => longest_route(machine).max(1),
            Self::Table(_) => machine.packet_routes().map_or(1, |table| table.classes()),
        }
    }
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

    /// Checks the ranges of all parameters.
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
    /// The links of a route that are none between routers: those to hosts.
    pub(crate) end_links: u64, // 0 or 2
    /// The classes that share the channels, at least 1 and at most `V`.
    pub(crate) classes: u32,
    /// The most links of a route from a table; 0 under other routings.
    pub(crate) longest_of_table: u64,
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
        let routing = settings.routing;
        if !routing.applies_to(machine) {
            let fitting = RouterRouting::all().filter(|rule| rule.applies_to(machine));
            let names: Vec<&str> = fitting.map(RouterRouting::name).collect();
            return Err(RouterError::NoSuchRouting { routing: routing.name(), expected: names.join(", ") });
        }
        check_hosts(machine)?;
        if settings.ejection == Ejection::Class && routing != RouterRouting::Minimal {
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
        if let Some(packet) = communication.packet() {
            check_packet(settings, packet.get())?;
        }
        let classes = match routing {
            RouterRouting::Adaptive(_) => least - 1,
            _ => least,
        };
        let longest_of_table = match routing {
            RouterRouting::Table(_) => machine.packet_routes().map_or(0, |table| table.longest()),
            _ => 0,
        };
        let end_links = if has_switches(machine) { 2 } else { 0 };
        Ok(Self { settings, end_links, classes, longest_of_table })
    }

    /// Checks packets of `units` units, the largest of a program.
    pub(crate) fn check_packet(self, units: u64) -> Result<(), RouterError> {
        check_packet(self.settings, units)
    }
}

fn check_packet(settings: RouterSettings, packet_units: u64) -> Result<(), RouterError> {
    let buffer_units = settings.buffer_units;
    match settings.flow_control {
        FlowControl::VirtualCutThrough if packet_units > buffer_units.into() => {
            Err(RouterError::BufferTooSmall { buffer_units, packet_units })
        }
        FlowControl::Wormhole | FlowControl::VirtualCutThrough => Ok(()),
    }
}

/// Whether hosts and routers are different nodes.
pub(crate) fn has_switches(machine: &Machine) -> bool {
    machine.numbered_hosts() < machine.node_count()
}

/// Refuses the rules of a network with which routers do not work.
fn check_rules(machine: &Machine, communication: Communication) -> Result<(), RouterError> {
    use crate::ServiceOrder;
    use cubefold_topology::LinkMode;

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
            machine.neighbours(host).all(|switch| machine.neighbours(switch).any(|own| own == host));
        if (switches, links) != (1, 1) || !leads_back {
            return Err(RouterError::HostLinks { host, links });
        }
    }
    Ok(())
}

/// The largest distance between routers with terminals of a network \[links\].
pub(super) fn longest_route(machine: &Machine) -> u32 {
    let Some(routes) = machine.network_routes() else { return 0 };
    let end_links = if has_switches(machine) { 2 } else { 0 };
    // Hosts of one switch are equally far from all others.
    let switch = |host: NodeId| if end_links > 0 { machine.neighbours(host).next() } else { Some(host) };
    let mut hosts: Vec<(Option<NodeId>, NodeId)> = machine.hosts().map(|host| (switch(host), host)).collect();
    hosts.sort_unstable();
    hosts.dedup_by_key(|own| own.0);
    let nodes: Vec<NodeId> = hosts.iter().map(|host| host.1).collect();
    routes.prepare(&nodes);
    let pairs = nodes.iter().flat_map(|&to| nodes.iter().map(move |&from| (from, to)));
    let distances = pairs.filter(|(from, to)| from != to).filter_map(|(from, to)| routes.distance(from, to));
    distances.max().map_or(0, |links| links - end_links)
}
