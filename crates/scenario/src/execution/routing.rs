//! The routing of messages: `execution.routing`, and whether a machine supports it.

use std::num::NonZeroU32;

use cubefold_derive::Words;
use cubefold_formats::input::text::with_article;
use cubefold_mapping::{Placement, classic::EdgePaths};
use cubefold_simulator::{MessageRoutes, RouterRouting, RouterSettings};
use cubefold_topology::{GraphSource, Machine, MachineKind, RouteChoice};

use super::{Execution, ExecutionMode};
use crate::{
    embeddings::EmbeddingName,
    errors::{ScenarioError, alternatives},
    keys::Key,
    routers,
    settings::Settings,
};

/// The choice of a message's route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoutingRule {
    /// On grids: one coordinate after the other (`docs/model.md` section 4).
    DimensionOrder,
    /// On grids: by way of a node chosen at random (section 28.1); through routers also on networks (section 30.3).
    Valiant,
    /// On grids, coordinated: by sorting (section 20).
    Sorting,
    /// Between neighbours of the guest, the paths of the embedding's construction (section 28.1).
    Embedding,
    /// On networks, and on grids as on networks: over the neighbours with the lowest numbers (section 12).
    Lowest,
    /// On networks, and on grids as on networks: any of the shortest routes, at random (section 19).
    Spread,
    /// On fat trees, clusters and networks with switches: by the number of the destination (section 19).
    DModK,
    /// A rule that only routers with finite buffers have, with the defaults of its settings (section 26.3).
    OfRouters(RouterRouting),
}

impl RoutingRule {
    /// The rules of queues without limit.
    const OF_QUEUES: [Self; 7] = [
        Self::DimensionOrder,
        Self::Valiant,
        Self::Sorting,
        Self::Embedding,
        Self::Lowest,
        Self::Spread,
        Self::DModK,
    ];

    /// Every rule: those of queues without limit, then those that only routers have.
    pub fn all() -> impl Iterator<Item = Self> {
        let is_of_queues =
            |routing: &RouterRouting| Self::OF_QUEUES.iter().any(|rule| rule.name() == routing.name());
        // A separate key names files of routes.
        let is_of_routers = |rule: &RouterRouting| !is_of_queues(rule) && !rule.descriptor().is_from_file;
        let mut only_routers: Vec<RouterRouting> = RouterRouting::all().filter(is_of_routers).collect();
        only_routers.dedup_by_key(|rule| rule.name());
        Self::OF_QUEUES.into_iter().chain(only_routers.into_iter().map(Self::OfRouters))
    }

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DimensionOrder => "dimension-order",
            Self::Valiant => "valiant",
            Self::Sorting => "sorting",
            Self::Embedding => "embedding",
            Self::Lowest => "lowest",
            Self::Spread => "spread",
            Self::DModK => "d-mod-k",
            Self::OfRouters(routing) => routing.name(),
        }
    }

    /// The routing of routers with finite buffers on a machine, with the defaults of its options; `None` if they do not
    /// have it.
    #[must_use]
    pub fn of_routers(self, machine: &Machine) -> Option<RouterRouting> {
        RouterRouting::named(self.name(), machine)
    }

    /// Whether it works without routers with finite buffers.
    #[must_use]
    pub(crate) fn is_of_queues(self) -> bool {
        !matches!(self, Self::OfRouters(_))
    }

    fn applies_to(self, machine: &Machine) -> bool {
        match self {
            // With failures the remaining routes are in dimension order.
            Self::DimensionOrder => machine.grid().is_some() || machine.source() == Some(&GraphSource::Grid),
            Self::Valiant | Self::Sorting => machine.grid().is_some(),
            Self::Embedding | Self::Lowest | Self::Spread => true,
            Self::DModK => has_destination_routes(machine),
            // These are reported with the routers.
            Self::OfRouters(_) => true,
        }
    }
}

/// The paths of guest edges over which a run's congestion is counted, if its routing uses an embedding's paths.
#[derive(Debug)]
pub enum CountedPaths<'run> {
    /// The embedding's own.
    OfEmbedding(&'run EdgePaths),
    /// The machine's routes: the embedding has no paths of its own.
    OfMachine,
}

impl CountedPaths<'_> {
    /// The word for them in every file.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::OfEmbedding(_) => "embedding",
            Self::OfMachine => "machine",
        }
    }
}

/// Whether routes by destination apply to a machine: fat trees, clusters, and networks with switches.
fn has_destination_routes(machine: &Machine) -> bool {
    match machine.kind() {
        MachineKind::FatTree | MachineKind::Cluster => true,
        MachineKind::Network => machine.numbered_hosts() < machine.node_count() && !machine.is_directed(),
        _ => false,
    }
}

/// Whether routes by destination are the default of a machine: they apply, and every link of one from a file joins
/// adjacent levels.
pub(crate) fn routes_by_destination(machine: &Machine) -> bool {
    let is_layered = || machine.graph().is_some_and(|network| network.levels().are_adjacent());
    has_destination_routes(machine) && (machine.kind() != MachineKind::Network || is_layered())
}

/// The messages for which one route is drawn under `spread`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum Spread {
    /// One route is drawn for all messages between two nodes.
    #[default]
    Pair,
    /// A route is drawn for each message.
    Message,
}

/// The routes of a run's messages. The seed is that of random routes; `shares` are the ranks of a collective of several
/// shares.
pub(crate) fn message_routes(
    execution: Option<Execution>,
    routers: Option<RouterSettings>,
    seed: u64,
    machine: &Machine,
    shares: Option<NonZeroU32>,
) -> MessageRoutes {
    let Some(execution) = execution.filter(|_| routers.is_none()) else { return MessageRoutes::OfMachine };
    match (machine.route_choice(), shares) {
        (Some(RouteChoice::Spread(seed)), _) if execution.spread == Spread::Message => {
            return MessageRoutes::SpreadByMessage { seed };
        }
        (Some(RouteChoice::DModK), Some(processes)) if machine.has_several_nics() => {
            return MessageRoutes::OfShares { processes };
        }
        _ => {}
    }
    match execution.routing {
        Some(RoutingRule::Valiant) => MessageRoutes::Valiant { seed },
        Some(RoutingRule::Embedding) => MessageRoutes::OfEmbedding,
        Some(
            RoutingRule::DimensionOrder
            | RoutingRule::Sorting
            | RoutingRule::Lowest
            | RoutingRule::Spread
            | RoutingRule::DModK
            | RoutingRule::OfRouters(_),
        )
        | None => MessageRoutes::OfMachine,
    }
}

/// Reads the routing rule; `None` if it is not set.
pub(crate) fn read_routing(settings: &Settings<'_>) -> Option<RoutingRule> {
    let value = settings.get(Key::ExecutionRouting)?;
    let names: Vec<(&str, RoutingRule)> = RoutingRule::all().map(|rule| (rule.name(), rule)).collect();
    value.choice(Key::ExecutionRouting.path(), &names, settings.errors())
}

/// Reports a routing rule that the machine or the mode does not support.
pub(super) fn check_routing(settings: &Settings<'_>, machine: Option<&Machine>, execution: Execution) {
    let (Some(value), Some(rule)) = (settings.get(Key::ExecutionRouting), execution.routing) else { return };
    let at = |message: String, label: &str| ScenarioError::at(&value.place, message, label);
    let Some(machine) = machine.filter(|_| !routers::are_asked_for(settings)) else { return };
    let kind = settings.place(Key::MachineKind);
    if !rule.applies_to(machine) {
        let fitting = RoutingRule::all().filter(|rule| rule.is_of_queues() && rule.applies_to(machine));
        let fitting: Vec<&str> = fitting.map(RoutingRule::name).collect();
        let where_to =
            if rule == RoutingRule::DModK { with_article(machine.kind().name()) } else { "a network".into() };
        let message = format!("routing {} on {where_to}, expected {}", rule.name(), alternatives(&fitting));
        let label = match rule {
            RoutingRule::DModK => "its switches have no levels",
            _ => "its links have no dimensions",
        };
        settings.report(at(message, label).because(kind, with_article(machine.kind().name())));
    } else if rule == RoutingRule::Sorting && execution.mode == ExecutionMode::Asynchronous {
        let message = format!("routing {} of asynchronous execution, expected coordinated", rule.name());
        let error = at(message, "messages move in coordinated steps");
        settings.report(
            error
                .because(settings.place(Key::ExecutionMode), "asynchronous")
                .with_help("use mode = \"coordinated\""),
        );
    } else if rule == RoutingRule::Sorting
        && let Some(length) = machine.shape().lengths().iter().find(|length| !length.is_power_of_two())
    {
        let message =
            format!("routing sorting on a machine with a length of {length}, expected powers of two");
        let error = at(message, "sorts by the bits of coordinates");
        settings.report(error.because(settings.place(Key::MachineShape), "the lengths"));
    }
}

/// Reports paths of an embedding that cannot be made.
pub(crate) fn check_paths(
    settings: &Settings<'_>,
    execution: Execution,
    embedding: &EmbeddingName,
    placement: &Placement,
) -> Result<(), ScenarioError> {
    if execution.routing != Some(RoutingRule::Embedding) {
        return Ok(());
    }
    let (Err(reason), Some(place)) = (placement.edge_paths(), settings.place(Key::ExecutionRouting)) else {
        return Ok(());
    };
    let message = format!("no paths of {embedding}: {reason}");
    let error = ScenarioError::at(place, message, "paths of the embedding");
    Err(error.because(settings.place(Key::MappingEmbeddings), "the embeddings"))
}
