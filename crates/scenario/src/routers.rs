//! Routers with finite buffers: `machine.switching` of wormhole and virtual cut-through, `[machine.router]`, and the
//! routing, ties and choices of `[execution]` that only they have (`docs/model.md` section 26).

use cubefold_simulator::{
    AdaptiveChoice, Allocator, Communication, Ejection, FlowControl, RouterError, RouterRouting,
    RouterSettings, RouterTie, RoutingOption, RoutingOptions, Speedup, Switching, TableChoice,
};
use cubefold_topology::{Machine, MachineKind, TieRule};

use super::{
    errors::{ScenarioError, alternatives},
    execution::{Execution, ExecutionMode, RoutingRule},
    keys::Key,
    rules::{self, Case},
    settings::Settings,
    value::Content,
};

/// The rule by which a message advances, with finite or unlimited buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SwitchingRule {
    /// Queues have no limit.
    Queues(Switching),
    /// Routers have finite buffers.
    Routers(FlowControl),
}

impl SwitchingRule {
    /// Every rule, the default first.
    pub(super) fn all() -> Vec<Self> {
        let queues = Switching::ALL.into_iter().map(Self::Queues);
        queues.chain(FlowControl::ALL.into_iter().map(Self::Routers)).collect()
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Queues(switching) => switching.name(),
            Self::Routers(flow_control) => flow_control.name(),
        }
    }

    /// The rule for queues without limit; store-and-forward beside routers, which have their own.
    pub(super) fn of_queues(self) -> Switching {
        match self {
            Self::Queues(switching) => switching,
            Self::Routers(_) => Switching::StoreAndForward,
        }
    }

    /// The flow control of routers; `None` if queues have no limit.
    pub(super) fn flow_control(self) -> Option<FlowControl> {
        match self {
            Self::Queues(_) => None,
            Self::Routers(flow_control) => Some(flow_control),
        }
    }
}

/// The switching in the settings; `None` if it is wrong.
pub(super) fn switching(settings: &Settings<'_>) -> Option<SwitchingRule> {
    settings.one_of(Key::MachineSwitching, &SwitchingRule::all(), SwitchingRule::name)
}

/// Whether the settings ask for routers with finite buffers.
pub(super) fn are_asked_for(settings: &Settings<'_>) -> bool {
    switching(&settings.silent()).is_some_and(|rule| rule.flow_control().is_some())
}

/// Reads the rule for ties between the two ways around a ring, which may be a random choice for each packet.
fn read_tie(settings: &Settings<'_>) -> Option<RouterTie> {
    let ties = [&TieRule::ALL.map(RouterTie::Rule)[..], &[RouterTie::Random]].concat();
    settings.one_of(Key::ExecutionTie, &ties, RouterTie::name)
}

/// The same for machines whose queues have no limit; a random tie, reported with the routers, counts as the
/// default.
pub(super) fn read_tie_rule(settings: &Settings<'_>) -> Option<TieRule> {
    read_tie(settings).map(|tie| match tie {
        RouterTie::Rule(rule) => rule,
        RouterTie::Random => TieRule::default(),
    })
}

/// Reads the routers of a machine, and reports their keys if it has none.
#[expect(clippy::option_option, reason = "an error, queues without limit, or routers")]
pub(super) fn read(
    settings: &Settings<'_>,
    machine: Option<&Machine>,
    latency: Option<u64>,
    execution: Option<Execution>,
    seed: u64,
) -> Option<Option<RouterSettings>> {
    let before = settings.errors().len();
    let Some(flow_control) = switching(&settings.silent())?.flow_control() else {
        refuse_without_routers(settings);
        return (settings.errors().len() == before).then_some(None);
    };
    refuse_with_routers(settings);
    let number = |key: Key| settings.natural(key).and_then(|number| u32::try_from(number).ok());
    let virtual_channels = number(Key::MachineRouterVirtualChannels);
    let buffer_units = number(Key::MachineRouterBufferUnits);
    let router_cycles = number(Key::MachineRouterCycles);
    let credit_cycles = number(Key::MachineRouterCreditCycles);
    let terminal = number(Key::MachineRouterTerminalLatencyCycles);
    let allocator = settings.one_of(Key::MachineRouterAllocator, &Allocator::ALL, Allocator::name);
    let ejection = settings.one_of(Key::MachineRouterEjection, &Ejection::ALL, Ejection::name);
    let speedup = speedup(settings);
    let global_latency = match settings.get(Key::MachineGlobalLatencyCycles) {
        Some(_) => Some(settings.natural(Key::MachineGlobalLatencyCycles)?),
        None => None,
    };
    let routing = machine.and_then(|machine| routing(settings, machine, execution));
    let tie = read_tie(&settings.silent());
    if settings.errors().len() > before {
        return None;
    }
    let defaults = RouterSettings::default_of(machine?, latency?);
    Some(Some(RouterSettings {
        flow_control,
        virtual_channels: virtual_channels?,
        buffer_units: buffer_units?,
        router_cycles: router_cycles?,
        credit_cycles: credit_cycles?,
        terminal_latency: terminal.unwrap_or(defaults.terminal_latency),
        global_latency,
        speedup: speedup?,
        ejection: ejection?,
        allocator: allocator?,
        routing: routing?,
        tie: tie?,
        seed,
    }))
}

/// Reads the speedup, of at most two decimals.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number from 100 to 800")]
fn speedup(settings: &Settings<'_>) -> Option<Speedup> {
    let Some(value) = settings.get(Key::MachineRouterSpeedup) else { return Some(Speedup::ONE) };
    let rounded = |speedup: f64| (speedup * 100.0).round();
    let is_right =
        |speedup: f64| (1.0..=8.0).contains(&speedup) && (speedup * 100.0 - rounded(speedup)).abs() < 1e-9;
    let expected = "a number from 1 to 8, of at most two decimals";
    let found = value.number(Key::MachineRouterSpeedup.path(), expected, is_right, settings.errors())?;
    Speedup::of_hundredths(rounded(found) as u32)
}

/// Reads the routing of routers: the requested one, else the default of the machine.
fn routing(
    settings: &Settings<'_>,
    machine: &Machine,
    execution: Option<Execution>,
) -> Option<RouterRouting> {
    let choice = settings.one_of(Key::ExecutionAdaptiveChoice, &AdaptiveChoice::ALL, AdaptiveChoice::name)?;
    let of_table = settings.one_of(Key::ExecutionRouteChoice, &TableChoice::ALL, TableChoice::name)?;
    let threshold = settings.natural(Key::ExecutionUgalThreshold)?;
    let asked = execution?.routing;
    let found = match asked {
        _ if machine.packet_routes().is_some() => RouterRouting::of_table(machine),
        None => Some(RouterRouting::default_of(machine)),
        Some(rule) => rule.of_routers(machine),
    };
    let Some(found) = found else {
        let rule = asked.map_or("", RoutingRule::name);
        let fitting = RouterRouting::all().filter(|rule| rule.applies_to(machine));
        let fitting: Vec<&str> = fitting.map(RouterRouting::name).collect();
        let message = format!("routing {rule} of routers, expected {}", alternatives(&fitting));
        let error =
            ScenarioError::at(settings.place(Key::ExecutionRouting)?, message, "has no virtual channels");
        return settings
            .fail(error.because(settings.place(Key::MachineSwitching), "routers with finite buffers"));
    };
    let options = [
        (Key::ExecutionAdaptiveChoice, RoutingOption::AdaptiveChoice, Key::ExecutionRouting),
        (Key::ExecutionUgalThreshold, RoutingOption::UgalThreshold, Key::ExecutionRouting),
        (Key::ExecutionRouteChoice, RoutingOption::RouteChoice, Key::ExecutionRoutes),
    ];
    for (key, option, owner) in options.into_iter().filter(|(_, option, _)| !found.has(*option)) {
        let Some(value) = settings.get(key).filter(|_| settings.is_written_with(key, owner)) else {
            continue;
        };
        let (name, expected) = (found.name(), alternatives(&rules_with(option)));
        let message = format!("{} of {name} routing, expected {expected}", key.path());
        let error = ScenarioError::at(&value.place, message, "of another routing");
        settings.report(error.because(settings.place(Key::ExecutionRouting), "the routing"));
    }
    let ugal_threshold = i64::try_from(threshold).ok()?;
    Some(found.with(RoutingOptions { adaptive_choice: choice, route_choice: of_table, ugal_threshold }))
}

/// The rules that have an option, as scenarios ask for them.
fn rules_with(option: RoutingOption) -> Vec<&'static str> {
    let having = RouterRouting::all().filter(|rule| rule.has(option)).map(RouterRouting::descriptor);
    let mut names: Vec<&str> =
        having.map(|rule| if rule.is_from_file { "routes from a file" } else { rule.name }).collect();
    names.dedup();
    names
}

/// Reports keys, and words of keys, that only routers with finite buffers have, in a scenario without them.
fn refuse_without_routers(settings: &Settings<'_>) {
    rules::report(settings, Case::WithoutRouters);
    let refuse = |key: Key, name: &str| rules::report_value(settings, Case::WithoutRouters, key, name);
    if read_tie(&settings.silent()) == Some(RouterTie::Random) {
        refuse(Key::ExecutionTie, "random ties");
    }
    let rule = super::execution::read_routing(&settings.silent());
    if let Some(rule) = rule.filter(|rule| !rule.is_of_queues()) {
        refuse(Key::ExecutionRouting, &format!("routing {}", rule.name()));
    }
}

/// Reports keys, and a word, that routers with finite buffers do not have.
fn refuse_with_routers(settings: &Settings<'_>) {
    rules::report(settings, Case::WithRouters);
    let Some(engine) = settings.get(Key::ExecutionEngine) else { return };
    if matches!(&engine.content, Content::Text(name) if name == "belt") {
        let message = "engine belt over routers with finite buffers, expected auto or hop";
        let error = ScenarioError::at(&engine.place, message, "assumes queues without limit");
        settings.report(error.because(settings.place(Key::MachineSwitching), "routers with finite buffers"));
    }
}

/// The rules of a machine with its routers; reports unsupported settings at their values.
pub(super) fn with_routers(
    settings: &Settings<'_>,
    machine: &Machine,
    communication: Communication,
    routers: Option<RouterSettings>,
    execution: Option<Execution>,
) -> Option<Communication> {
    let Some(routers) = routers else { return Some(communication) };
    if execution.is_some_and(|execution| execution.mode != ExecutionMode::Asynchronous) {
        // Reported with the other rules that coordinated execution does not support.
        return None;
    }
    let communication = communication.with_routers(routers, machine);
    communication.map_err(|error| settings.report_all(refusal(settings, &error))).ok()
}

/// A help for a routing that a machine does not support: a dragonfly may lack groups or links.
fn routing_help(settings: &Settings<'_>) -> &'static str {
    let kind = settings.get(Key::MachineKind).map(|value| &value.content);
    let is_dragonfly = matches!(kind, Some(Content::Text(kind)) if kind == MachineKind::Dragonfly.name());
    let keys = [
        Key::MachineGroups,
        Key::MachineLinksBetweenGroups,
        Key::MachineFailedLinks,
        Key::MachineFailedNodes,
    ];
    if is_dragonfly && keys.iter().any(|&key| settings.get(key).is_some()) {
        "those of dragonflies need all groups that the ports allow, one link between every two groups, and no \
         failures"
    } else {
        ""
    }
}

/// The error for routers that a machine does not support.
pub(super) fn refusal(settings: &Settings<'_>, reason: &RouterError) -> Option<ScenarioError> {
    let (keys, label, help): (&[Key], &str, &str) = match reason {
        RouterError::OutOfRange { .. } => (
            &[Key::MachineRouterTerminalLatencyCycles, Key::MachineLatencyCycles, Key::MachineLink],
            "out of range",
            "give machine.router.terminal_latency_cycles",
        ),
        RouterError::TooFewChannels { .. } => (
            &[Key::MachineRouterVirtualChannels, Key::ExecutionRoutes, Key::ExecutionRouting],
            "too few",
            "each class of channels, which keeps packets from a deadlock, needs one",
        ),
        RouterError::TooManyChannels { .. } => (
            &[Key::MachineRouterVirtualChannels],
            "too many",
            "give fewer virtual channels, or a machine whose nodes have fewer links",
        ),
        RouterError::BufferTooSmall { .. } => (
            &[Key::MachineRouterBufferUnits, Key::MachinePacketUnits],
            "too small",
            "give smaller packet_units, larger router.buffer_units, or switching = \"wormhole\"",
        ),
        RouterError::Ejection { .. } => {
            (&[Key::MachineRouterEjection], "only under minimal routing", "use ejection = \"all\"")
        }
        RouterError::NoGroups => (&[Key::MachineGlobalLatencyCycles], "only of a dragonfly", ""),
        RouterError::NoSuchRouting { .. } => {
            (&[Key::ExecutionRouting], "not of this machine", routing_help(settings))
        }
        RouterError::OwnRoutes => (&[Key::ExecutionRouting], "routes of messages", ""),
        RouterError::SlowLinks { .. } => (
            &[Key::MachineHopCycles],
            "slower than a unit a cycle",
            "let a cycle be the time of a unit on a link",
        ),
        RouterError::LinksDiffer => {
            (&[Key::MachineHopCycles, Key::MachineLatencyCycles, Key::MachineLink], "links differ", "")
        }
        RouterError::OtherRule { .. } => {
            (&[Key::MachineLinks, Key::MachineArbitration], "expected full-duplex", "")
        }
        RouterError::TwoSwitchings => (&[Key::MachineSwitching], "two rules", ""),
        RouterError::HostLinks { .. } => (&[Key::MachineEdges], "a terminal has one router", ""),
    };
    let keys = keys.iter().chain(&[Key::MachineSwitching]);
    let place = keys.copied().find_map(|key| settings.place(key))?;
    let error = ScenarioError::at(place, reason.to_string(), label)
        .because(settings.place(Key::MachineSwitching), "routers with finite buffers")
        .because(settings.place(Key::MachineKind), "the machine")
        .because(settings.place(Key::ExecutionRouting), "the routing");
    Some(error.with_help(help))
}
