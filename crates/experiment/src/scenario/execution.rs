//! The `[execution]` table, and whether machine, program and placement support it.

use std::{fmt, num::NonZeroU64};

use cubefold_mapping::{Placement, classic::EdgePaths};
use cubefold_simulator::{
    self as simulator, Communication, EAGER_ALL, EngineChoice, FlowControl, MAX_MESSAGES, MessageRoutes,
    Plan, Request, RouterRouting, RouterSettings, Routing, ServiceOrder, SimulationError, Switching,
};
use cubefold_topology::{GraphSource, LinkMode, Machine};

use super::{
    chakra_file::is_of_traces,
    embeddings::EmbeddingName,
    errors::{ScenarioError, alternatives, help},
    keys::{Key, MAX_INTEGER},
    machine::MachineSection,
    mapping::Fit,
    routers,
    settings::Settings,
    value::{Content, Value},
};
use crate::{input::text::with_article, scenario::ScenarioProgram};

/// The execution rules of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Execution {
    /// Whether processes advance independently or together.
    pub mode: ExecutionMode,
    /// The engine; results do not depend on it.
    pub engine: EngineChoice,
    /// The routing rule, if the scenario gives one.
    pub routing: Option<RoutingRule>,
}

/// Whether processes advance independently or together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExecutionMode {
    /// Every process advances on its own (`docs/model.md` section 5).
    #[default]
    Asynchronous,
    /// All processes compute, then all messages move (`docs/model.md` section 6).
    Coordinated {
        /// The choice of the coordinate that a message corrects next.
        dimension_choice: DimensionChoice,
        /// The length of a phase, after which messages choose again.
        phases: Phases,
    },
}

/// The choice among coordinates that a message still has to correct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DimensionChoice {
    /// The lowest-numbered.
    #[default]
    Lowest,
    /// A random one (Tao 1988, 4.5.1).
    Random,
}

/// The length of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phases {
    /// As the embedding defines it.
    #[default]
    Embedding,
    /// Until its coordinate agrees.
    Unlimited,
    /// At most this many links.
    Length(NonZeroU64),
}

/// Engines that a scenario can choose.
pub(super) const ENGINES: [EngineChoice; 3] = [EngineChoice::Auto, EngineChoice::Hop, EngineChoice::BELT];

/// The choice of a message's route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoutingRule {
    /// On grids: one coordinate after the other (`docs/model.md` section 4).
    DimensionOrder,
    /// On grids: by way of a node chosen at random (section 28.1).
    Valiant,
    /// On grids, coordinated: by sorting (section 20).
    Sorting,
    /// Between neighbours of the guest, the paths of the embedding's construction (section 28.1).
    Embedding,
    /// On networks, and on grids as on networks: over the neighbours with the lowest numbers (section 12).
    Lowest,
    /// On networks, and on grids as on networks: any of the shortest routes, at random (section 19).
    Spread,
    /// On grids, through routers: by way of a random node between source and destination (section 26.3).
    Romm,
    /// On grids, through routers: any shortest route, by the state of the channels (section 26.3).
    Adaptive,
    /// On fat trees, through routers: up to the nearest common ancestor by random switches (section 26.3).
    UpDown,
    /// The same, of two random switches by the one with more credits (section 26.3).
    UpDownAdaptive,
    /// On dragonflies, through routers: over the link between the two groups (section 26.3).
    Minimal,
    /// The same, or by way of a random group if that has shorter queues (section 26.3).
    Ugal,
    /// On networks, through routers: the lowest of the shortest routes (section 26.3).
    Hops,
}

impl RoutingRule {
    /// Every rule.
    pub const ALL: [Self; 13] = [
        Self::DimensionOrder,
        Self::Valiant,
        Self::Sorting,
        Self::Embedding,
        Self::Lowest,
        Self::Spread,
        Self::Romm,
        Self::Adaptive,
        Self::UpDown,
        Self::UpDownAdaptive,
        Self::Minimal,
        Self::Ugal,
        Self::Hops,
    ];

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
            Self::Romm => "romm",
            Self::Adaptive => "adaptive",
            Self::UpDown => "up-down",
            Self::UpDownAdaptive => "up-down-adaptive",
            Self::Minimal => "minimal",
            Self::Ugal => "ugal",
            Self::Hops => "hops",
        }
    }

    /// The routing of routers with finite buffers, with the defaults of its settings; `None` if they do not have it.
    #[must_use]
    pub fn of_routers(self) -> Option<RouterRouting> {
        RouterRouting::ALL.into_iter().find(|own| own.name() == self.name())
    }

    /// Whether it needs no routers with finite buffers.
    #[must_use]
    pub(super) fn is_of_queues(self) -> bool {
        matches!(self, Self::DimensionOrder | Self::Valiant) || self.of_routers().is_none()
    }

    /// Whether it applies to a machine.
    fn applies_to(self, machine: &Machine) -> bool {
        match self {
            // With failures the routes that are left are in dimension order.
            Self::DimensionOrder => machine.grid().is_some() || machine.source() == Some(&GraphSource::Grid),
            Self::Valiant | Self::Sorting => machine.grid().is_some(),
            Self::Embedding | Self::Lowest | Self::Spread => true,
            // These are reported with the routers.
            Self::Romm
            | Self::Adaptive
            | Self::UpDown
            | Self::UpDownAdaptive
            | Self::Minimal
            | Self::Ugal
            | Self::Hops => true,
        }
    }
}

/// The paths of guest edges over which a run's congestion is counted, where its routing asks for an embedding's.
pub(crate) enum CountedPaths<'run> {
    /// The embedding's own.
    OfEmbedding(&'run EdgePaths),
    /// The machine's routes: the embedding has no paths of its own.
    OfMachine,
}

impl CountedPaths<'_> {
    /// The word for them in every file.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::OfEmbedding(_) => "embedding",
            Self::OfMachine => "machine",
        }
    }
}

/// The routes of the messages of a run with a seed, as far as they are not those of its machine.
pub(super) fn message_routes(
    execution: Option<Execution>,
    routers: Option<RouterSettings>,
    seed: u64,
) -> MessageRoutes {
    match execution.and_then(|execution| execution.routing).filter(|_| routers.is_none()) {
        Some(RoutingRule::Valiant) => MessageRoutes::Valiant { seed },
        Some(RoutingRule::Embedding) => MessageRoutes::OfEmbedding,
        Some(
            RoutingRule::DimensionOrder
            | RoutingRule::Sorting
            | RoutingRule::Lowest
            | RoutingRule::Spread
            | RoutingRule::Romm
            | RoutingRule::Adaptive
            | RoutingRule::UpDown
            | RoutingRule::UpDownAdaptive
            | RoutingRule::Minimal
            | RoutingRule::Ugal
            | RoutingRule::Hops,
        )
        | None => MessageRoutes::OfMachine,
    }
}

/// Reads the routing rule; `None` if it is not set.
pub(super) fn read_routing(settings: &Settings<'_>, errors: &mut Vec<ScenarioError>) -> Option<RoutingRule> {
    let value = settings.get(Key::ExecutionRouting)?;
    let names = RoutingRule::ALL.map(|rule| (rule.name(), rule));
    value.choice(Key::ExecutionRouting.path(), &names, errors)
}

/// Reports a routing rule that the machine or the mode does not support.
fn check_routing(
    settings: &Settings<'_>,
    machine: Option<&Machine>,
    execution: Option<Execution>,
    errors: &mut Vec<ScenarioError>,
) {
    let (Some(value), Some(execution)) = (settings.get(Key::ExecutionRouting), execution) else { return };
    let Some(rule) = execution.routing else { return };
    let at = |message: String, label: &str| ScenarioError::at(&value.place, message, label);
    let Some(machine) = machine.filter(|_| !routers::are_asked_for(settings)) else { return };
    let kind = settings.place(Key::MachineKind);
    if !rule.applies_to(machine) {
        let fitting =
            RoutingRule::ALL.into_iter().filter(|rule| rule.is_of_queues() && rule.applies_to(machine));
        let fitting: Vec<&str> = fitting.map(RoutingRule::name).collect();
        let message = format!("routing {} on a network, expected {}", rule.name(), alternatives(&fitting));
        let error = at(message, "its links have no dimensions");
        errors.push(error.because(kind, with_article(machine.kind().name())));
    } else if rule == RoutingRule::Sorting && execution.mode == ExecutionMode::Asynchronous {
        let message = format!("routing {} of asynchronous execution, expected coordinated", rule.name());
        let error = at(message, "messages move in coordinated steps");
        errors.push(
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
        errors.push(error.because(settings.place(Key::MachineShape), "the lengths"));
    }
}

impl ExecutionMode {
    /// Names of the modes.
    pub(super) const NAMES: [&str; 2] = ["asynchronous", "coordinated"];

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Asynchronous => Self::NAMES[0],
            Self::Coordinated { .. } => Self::NAMES[1],
        }
    }
}

impl DimensionChoice {
    /// Every choice.
    pub const ALL: [Self; 2] = [Self::Lowest, Self::Random];

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lowest => "lowest",
            Self::Random => "random",
        }
    }
}

impl fmt::Display for ExecutionMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl fmt::Display for DimensionChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Reads the execution rules.
///
/// Keys of coordinated execution are checked in every mode, so that a sweep may set only the mode.
pub(super) fn read(
    settings: &Settings<'_>,
    machine: Option<&Machine>,
    errors: &mut Vec<ScenarioError>,
) -> Option<Execution> {
    let engine = settings.one_of(Key::ExecutionEngine, &ENGINES, EngineChoice::name, errors);
    let dimension_choice =
        settings.one_of(Key::ExecutionDimensionChoice, &DimensionChoice::ALL, DimensionChoice::name, errors);
    let phases = match settings.get(Key::ExecutionPhases) {
        Some(value) => phases(value, errors),
        None => Some(Phases::default()),
    };
    let mode = mode(settings, dimension_choice, phases, errors);
    // Its errors were reported with the machine.
    let routing = read_routing(settings, &mut vec![]);
    let execution = Execution { mode: mode?, engine: engine?, routing };
    check_routing(settings, machine, Some(execution), errors);
    Some(execution)
}

/// The largest size of eager messages \[units\]; 0 for none, unless the program is made of traces.
pub(super) fn read_eager(settings: &Settings<'_>, errors: &mut Vec<ScenarioError>) -> Option<u64> {
    let Some(value) = settings.get(Key::ExecutionEagerUnits) else {
        return Some(if is_of_traces(settings) { EAGER_ALL } else { 0 });
    };
    match &value.content {
        Content::Integer(Some(units)) if *units <= MAX_INTEGER => Some(*units),
        Content::Text(text) if text == "all" => Some(EAGER_ALL),
        _ => {
            let name = Key::ExecutionEagerUnits.path();
            errors.push(value.unexpected(name, "an integer from 0 to 2^63 - 1, or all"));
            None
        }
    }
}

fn mode(
    settings: &Settings<'_>,
    dimension_choice: Option<DimensionChoice>,
    phases: Option<Phases>,
    errors: &mut Vec<ScenarioError>,
) -> Option<ExecutionMode> {
    let coordinated = ExecutionMode::Coordinated {
        dimension_choice: dimension_choice.unwrap_or_default(),
        phases: phases.unwrap_or_default(),
    };
    let modes = [ExecutionMode::Asynchronous, coordinated];
    let mode = settings.one_of(Key::ExecutionMode, &modes, ExecutionMode::name, errors);
    dimension_choice.and(phases).and(mode)
}

fn phases(value: &Value, errors: &mut Vec<ScenarioError>) -> Option<Phases> {
    const KNOWN: [&str; 2] = ["embedding", "unlimited"];
    let name = Key::ExecutionPhases.path();
    let expected = "embedding, unlimited or a phase length of at least 1";
    match &value.content {
        Content::Integer(Some(length)) if *length > 0 => NonZeroU64::new(*length).map(Phases::Length),
        Content::Text(text) if text == KNOWN[0] => Some(Phases::Embedding),
        Content::Text(text) if text == KNOWN[1] => Some(Phases::Unlimited),
        Content::Text(text) => {
            errors.push(value.unexpected(name, expected).with_help(help(text, &KNOWN)));
            None
        }
        _ => {
            errors.push(value.unexpected(name, expected));
            None
        }
    }
}

/// Reports rules for dimensions on a network, which has none, and coordinated execution of a program that
/// does not support it.
pub(super) fn check_fit(
    settings: &Settings<'_>,
    section: &MachineSection,
    program: Option<&ScenarioProgram>,
    execution: Option<Execution>,
    errors: &mut Vec<ScenarioError>,
) {
    let kind = settings.place(Key::MachineKind);
    let network = section.machine.as_ref().filter(|machine| machine.graph().is_some());
    if let (Some(machine), Some(LinkMode::SingleDirection), Some(place)) =
        (network, section.links, settings.place(Key::MachineLinks))
    {
        let kind_in_words = with_article(machine.kind().name());
        let message =
            format!("single-direction links of {kind_in_words}, expected full-duplex or half-duplex");
        let error = ScenarioError::at(place, message, "its links have no dimensions to take turns");
        errors.push(because_network(settings, error.because(kind, "the machine")));
    }
    check_arbitration(settings, section, errors);
    let coordinated = execution.is_some_and(|own| matches!(own.mode, ExecutionMode::Coordinated { .. }));
    if coordinated {
        errors.extend(without_steps(settings));
    }
    let Some(place) = settings.place(Key::ExecutionMode).filter(|_| coordinated) else { return };
    let has_paths = execution.is_some_and(|own| own.routing == Some(RoutingRule::Embedding));
    if let Some(machine) = network.filter(|_| !has_paths) {
        let message = format!(
            "coordinated execution on {}, expected asynchronous",
            with_article(machine.kind().name())
        );
        let error = ScenarioError::at(place, message, "its nodes have no coordinates to correct one by one");
        errors.push(because_network(settings, error.because(kind, "the machine")));
    }
    if let Some(program) = program.filter(|program| !program.body.facts().all_processes_compute) {
        let message = format!(
            "coordinated execution of {} program, expected asynchronous",
            with_article(program.kind.name)
        );
        let error = ScenarioError::at(place, message, "some of its processes pass through stages");
        errors.push(error.because(settings.place(Key::ProgramKind), "the program"));
    }
}

/// An error with what makes a grid a network.
fn because_network(settings: &Settings<'_>, error: ScenarioError) -> ScenarioError {
    let routing = settings.get(Key::ExecutionRouting).filter(|value| {
        let as_network = [RoutingRule::Lowest, RoutingRule::Spread].map(RoutingRule::name);
        matches!(&value.content, Content::Text(name) if as_network.contains(&name.as_str()))
    });
    error
        .because(settings.place(Key::MachineTwist), "the twists")
        .because(settings.place(Key::MachineFailedLinks), "the failures")
        .because(settings.place(Key::MachineFailedNodes), "the failures")
        .because(routing.map(|value| &value.place), "routes it as a network")
}

/// Reports round-robin arbitration of links whose directions are not independent.
fn check_arbitration(settings: &Settings<'_>, section: &MachineSection, errors: &mut Vec<ScenarioError>) {
    let links = section.links.filter(|&links| links != LinkMode::FullDuplex);
    let (Some(links), Some(value)) = (links, settings.get(Key::MachineArbitration)) else { return };
    if matches!(&value.content, Content::Text(name) if name == ServiceOrder::RoundRobin.name()) {
        let message = format!("round-robin arbitration of {links} links, expected full-duplex");
        let error = ScenarioError::at(&value.place, message, "every channel takes its inputs in turn");
        errors.push(error.because(settings.place(Key::MachineLinks), "the links"));
    }
}

/// A value that coordinated execution does not support.
struct Refusal {
    key: Key,
    rule: &'static str, // a name for the value
    expected: &'static str,
    /// The word and the smallest number that are refused; values outside the key's range have an error of
    /// their own.
    word: Option<&'static str>,
    least: Option<u64>,
}

impl Refusal {
    const fn new(key: Key, rule: &'static str, expected: &'static str) -> Self {
        Self { key, rule, expected, word: None, least: None }
    }

    const fn of_word(self, word: &'static str) -> Self {
        Self { word: Some(word), ..self }
    }

    const fn from(self, least: u64) -> Self {
        Self { least: Some(least), ..self }
    }

    fn is_asked_for_by(&self, value: &Value) -> bool {
        match &value.content {
            Content::Integer(Some(number)) => self.least.is_some_and(|least| *number >= least),
            Content::Text(word) => self.word == Some(word.as_str()),
            _ => false,
        }
    }
}

/// Errors for keys that keep messages from moving link by link in steps, as coordinated execution does
/// (section 13.4).
fn without_steps<'a>(settings: &'a Settings<'_>) -> impl Iterator<Item = ScenarioError> + 'a {
    let (whole, first_come) = (Switching::StoreAndForward.name(), ServiceOrder::FirstCome.name());
    let refusals = [
        Refusal::new(Key::MachineSwitching, "cut-through switching", whole)
            .of_word(Switching::CutThrough.name()),
        Refusal::new(Key::MachineSwitching, "routers with finite buffers", whole)
            .of_word(FlowControl::Wormhole.name()),
        Refusal::new(Key::MachineSwitching, "routers with finite buffers", whole)
            .of_word(FlowControl::VirtualCutThrough.name()),
        Refusal::new(Key::MachinePacketUnits, "packets", "whole messages").from(1),
        Refusal::new(Key::MachineArbitration, "round-robin arbitration", first_come)
            .of_word(ServiceOrder::RoundRobin.name()),
        Refusal::new(Key::ExecutionEagerUnits, "eager messages", "0").of_word("all").from(1),
        Refusal::new(Key::MachineProcessorsPerNode, "several processors a node", "1").from(2),
    ];
    refusals.into_iter().filter_map(|refusal| {
        let value = settings.get(refusal.key).filter(|value| refusal.is_asked_for_by(value))?;
        let Refusal { rule, expected, .. } = refusal;
        let message = format!("{rule} in coordinated execution, expected {expected}");
        let error = ScenarioError::at(&value.place, message, "messages move link by link in steps");
        Some(
            error
                .because(settings.place(Key::ExecutionMode), "coordinated")
                .with_help("use mode = \"asynchronous\""),
        )
    })
}

/// Reports, at a value, what the simulator refuses of a placed program: coordinated executions, and task graphs whose clock
/// could overflow. With [`MessageLimit::Checked`], also programs with more messages than a run may have.
pub(super) fn check_execution(
    fit: &Fit<'_>,
    execution: Execution,
    program: &ScenarioProgram,
    placement: &Placement,
    communication: Communication,
    limit: MessageLimit,
) -> Result<(), ScenarioError> {
    let body = &*program.body;
    let is_coordinated = execution.mode != ExecutionMode::Asynchronous;
    let has_routers = communication.routers().is_some();
    let request = if is_coordinated {
        Request::coordinated(Routing::PLAIN)
    } else {
        Request::asynchronous(EngineChoice::Auto)
    };
    let refused = if is_coordinated || has_routers || body.special().tasks().is_some() {
        simulator::check_execution(body, placement, communication, &request.execution)
    } else {
        Ok(())
    };
    let has_many = limit == MessageLimit::Checked && body.facts().messages_of_stage() > MAX_MESSAGES;
    match refused {
        Err(reason) => Err(refusal(fit, &reason, placement, communication)),
        Ok(()) if has_many => match Plan::new(body, placement, communication, &request) {
            Err(reason) => Err(refusal(fit, &reason, placement, communication)),
            Ok(_) => Ok(()),
        },
        Ok(()) => Ok(()),
    }
}

/// Whether programs are refused that have more messages than a run may have: other commands than `check` measure and place
/// them, and `run` refuses them itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum MessageLimit {
    /// They are.
    Checked,
    /// They are not.
    #[default]
    Left,
}

/// The error for a refusal of the simulator, at the value that causes it.
fn refusal(
    fit: &Fit<'_>,
    reason: &SimulationError,
    placement: &Placement,
    communication: Communication,
) -> ScenarioError {
    let place = |keys: &[Key]| keys.iter().find_map(|&key| fit.settings.place(key));
    let program = || place(&[Key::ProgramFile, Key::ProgramKind]);
    let (at, message, label) = match reason {
        SimulationError::NoSteps { .. } if communication.processors().get() > 1 => (
            place(&[Key::ProgramProcessesPerNode, Key::ProgramPorts, Key::ProgramAlgorithm]),
            format!(
                "coordinated execution of a collective with {} processes and shares on a node, expected 1",
                placement.max_load()
            ),
            "each has a processor of its own",
        ),
        SimulationError::NoSteps { .. } => (
            place(&[Key::MachineLocalLatencyCycles, Key::MachineLocalUnitCycles, Key::MachineLocal]),
            "times of messages inside nodes in coordinated execution with several processes on a node, \
             expected none"
                .to_owned(),
            "steps have no time for them",
        ),
        SimulationError::Routers(reason) => {
            return routers::refusal(fit.settings, reason)
                .unwrap_or_else(|| ScenarioError::at(&fit.size.place, reason.to_string(), "cannot be run"));
        }
        SimulationError::TooManyCycles { .. } => {
            (program(), format!("cycle count would overflow: {reason}"), "too large")
        }
        _ => (program(), reason.to_string(), "cannot be run"),
    };
    let mode = fit.settings.place(Key::ExecutionMode);
    ScenarioError::at(at.unwrap_or(&fit.size.place), message, label)
        .because(mode, "the execution")
        .because(fit.settings.place(Key::MappingEmbeddings), "the embeddings")
}

/// Reports paths of an embedding that cannot be made.
pub(super) fn check_paths(
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

/// Reports that the requested engine does not apply to a placement. Coordinated runs have an engine of their
/// own and ignore the choice.
pub(super) fn check_engine(
    settings: &Settings<'_>,
    execution: Execution,
    program: &ScenarioProgram,
    embedding: &EmbeddingName,
    placement: &Placement,
    communication: Communication,
) -> Result<(), ScenarioError> {
    let asked = matches!(execution.engine, EngineChoice::Belt(_));
    let (true, ExecutionMode::Asynchronous) = (asked, execution.mode) else { return Ok(()) };
    let request = Request::asynchronous(execution.engine);
    let plan = Plan::new(&*program.body, placement, communication, &request);
    let Err(SimulationError::NoBelt(reason)) = plan else {
        return Ok(());
    };
    let Some(place) = settings.place(Key::ExecutionEngine) else { return Ok(()) };
    let message = format!("engine belt does not apply to {embedding}: {reason}");
    Err(ScenarioError::at(place, message, "does not apply")
        .because(settings.place(Key::ProgramKind), "the program")
        .because(settings.place(Key::ProgramStages), "the stages")
        .because(settings.place(Key::MachineLinks), "the links")
        .because(settings.place(Key::ProgramUnits), "the sizes")
        .because(settings.place(Key::ProgramBytes), "the sizes")
        .because(settings.place(Key::MachineSwitching), "the switching")
        .because(settings.place(Key::MachineLatencyCycles), "the latency")
        .because(settings.place(Key::MachineLink), "the links")
        .because(settings.place(Key::ExecutionRouting), "the routing")
        .because(settings.place(Key::MappingEmbeddings), "the embeddings")
        .with_help("\"auto\" takes the belt engine wherever it applies, and \"hop\" elsewhere"))
}
