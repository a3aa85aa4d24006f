//! Whether machine, program and placement support the execution.

use cubefold_formats::input::text::with_article;
use cubefold_mapping::Placement;
use cubefold_simulator::{
    self as simulator, Communication, Cycles, EngineChoice, FlowControl, Job, MAX_MESSAGES, Plan, Request,
    Routing, ServiceOrder, SimulationError, Switching,
};
use cubefold_topology::LinkMode;

use super::{Execution, ExecutionMode, RoutingRule};
use crate::{
    ScenarioProgram,
    embeddings::EmbeddingName,
    errors::ScenarioError,
    keys::Key,
    machine::MachineSection,
    mapping::Fit,
    routers,
    settings::Settings,
    value::{Content, Value},
};

/// Reports rules for dimensions on a network, which has none, and coordinated execution of a program that
/// does not support it.
pub(crate) fn check_fit(
    settings: &Settings<'_>,
    section: &MachineSection,
    program: Option<&ScenarioProgram>,
    execution: Option<Execution>,
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
        settings.report(because_network(settings, error.because(kind, "the machine")));
    }
    check_arbitration(settings, section);
    let coordinated =
        execution.is_some_and(|execution| matches!(execution.mode, ExecutionMode::Coordinated { .. }));
    if coordinated {
        settings.report_all(without_steps(settings));
    }
    let Some(place) = settings.place(Key::ExecutionMode).filter(|_| coordinated) else { return };
    let has_paths = execution.is_some_and(|execution| execution.routing == Some(RoutingRule::Embedding));
    if let Some(machine) = network.filter(|_| !has_paths) {
        let message = format!(
            "coordinated execution on {}, expected asynchronous",
            with_article(machine.kind().name())
        );
        // A grid with links or nodes down is a network.
        let failures = [Key::MachineFailedLinks, Key::MachineFailedNodes].map(|key| settings.place(key));
        let has_failures = machine.coordinate_grid().is_some() && failures.iter().any(Option::is_some);
        let (label, help) = if has_failures {
            (
                "its messages would correct coordinates over links that are down",
                "remove the failures, or run asynchronously",
            )
        } else {
            ("its nodes have no coordinates to correct one by one", "")
        };
        let error = ScenarioError::at(place, message, label).with_help(help).because(kind, "the machine");
        settings.report(because_network(settings, error));
    }
    if let Some(program) = program.filter(|program| !program.body.facts().all_processes_compute) {
        let message = format!(
            "coordinated execution of {} program, expected asynchronous",
            with_article(program.kind.name)
        );
        let error = ScenarioError::at(place, message, "some of its processes pass through stages");
        settings.report(error.because(settings.place(Key::ProgramKind), "the program"));
    }
}

/// The error with a mark at the setting that makes a grid a network.
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
fn check_arbitration(settings: &Settings<'_>, section: &MachineSection) {
    let links = section.links.filter(|&links| links != LinkMode::FullDuplex);
    let (Some(links), Some(value)) = (links, settings.get(Key::MachineArbitration)) else { return };
    if matches!(&value.content, Content::Text(name) if name == ServiceOrder::RoundRobin.name()) {
        let message = format!("round-robin arbitration of {links} links, expected full-duplex");
        let error = ScenarioError::at(&value.place, message, "every channel takes its inputs in turn");
        settings.report(error.because(settings.place(Key::MachineLinks), "the links"));
    }
}

/// The values of a key that coordinated execution does not support; those outside the key's range have an error of their
/// own.
enum Refused {
    Word(&'static str),
    /// Numbers of at least this.
    From(u64),
}

impl Refused {
    fn contains(&self, value: &Value) -> bool {
        match (self, &value.content) {
            (Self::Word(refused), Content::Text(word)) => refused == word,
            (Self::From(least), Content::Integer(Some(number))) => number >= least,
            _ => false,
        }
    }
}

/// Errors for keys that keep messages from moving link by link in steps, as coordinated execution does
/// (section 13.4).
fn without_steps<'a>(settings: &'a Settings<'_>) -> impl Iterator<Item = ScenarioError> + 'a {
    let (whole, first_come) = (Switching::StoreAndForward.name(), ServiceOrder::FirstCome.name());
    let (cut_through, round_robin) = (Switching::CutThrough.name(), ServiceOrder::RoundRobin.name());
    // A key, its values, a name for them, and what is expected instead.
    let refusals = [
        (Key::MachineSwitching, Refused::Word(cut_through), "cut-through switching", whole),
        (Key::MachinePacketUnits, Refused::From(1), "packets", "whole messages"),
        (Key::MachineArbitration, Refused::Word(round_robin), "round-robin arbitration", first_come),
        (Key::ExecutionEagerUnits, Refused::Word("all"), "eager messages", "0"),
        (Key::ExecutionEagerUnits, Refused::From(1), "eager messages", "0"),
        (Key::MachineProcessorsPerNode, Refused::From(2), "several processors a node", "1"),
    ];
    let of_routers = FlowControl::ALL.map(|flow_control| {
        let refused = Refused::Word(flow_control.name());
        (Key::MachineSwitching, refused, "routers with finite buffers", whole)
    });
    of_routers.into_iter().chain(refusals).filter_map(|(key, refused, rule, expected)| {
        let value = settings.get(key).filter(|value| refused.contains(value))?;
        let message = format!("{rule} in coordinated execution, expected {expected}");
        let error = ScenarioError::at(&value.place, message, "messages move link by link in steps");
        Some(
            error
                .because(settings.place(Key::ExecutionMode), "coordinated")
                .with_help("use mode = \"asynchronous\""),
        )
    })
}

/// Reports, at a value, that the simulator refuses a placed program: in coordinated execution, or a task graph whose
/// clock could overflow. With [`MessageLimit::Checked`], also programs with more messages than a run may have.
pub(crate) fn check_execution(
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
    let special = body.special();
    let has_trees = special.job().is_some_and(Job::reduces_in_switches);
    let refused = if is_coordinated || has_routers || has_trees || special.tasks().is_some() {
        simulator::check_execution(body, placement, communication, &request.execution)
    } else {
        Ok(())
    };
    let has_many = limit == MessageLimit::Checked && body.facts().messages_of_stage() > MAX_MESSAGES;
    let refused = refused.and_then(|()| {
        if has_many { Plan::new(body, placement, communication, &request).map(|_| ()) } else { Ok(()) }
    });
    refused.map_err(|reason| refusal(fit, &reason, placement, communication))
}

/// Whether programs with more messages than a run may have are refused: commands other than `check` measure and place
/// them, and `run` refuses them itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MessageLimit {
    /// They are refused.
    Checked,
    /// They are accepted.
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
        SimulationError::NoSteps { .. } if communication.message_cost() > Cycles::ZERO => (
            place(&[Key::ProgramMessageCostCycles, Key::ProgramMessageCost]),
            "a cost of each message in coordinated execution, expected none".to_owned(),
            "steps have no time for it",
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
        SimulationError::NoSwitchReduction { .. } => (
            place(&[Key::ProgramAlgorithm, Key::ProgramSteps]),
            format!("{reason}, or queues without limit"),
            "combined by switches",
        ),
        SimulationError::TooManyCycles { .. } => {
            (program(), format!("cycle count would overflow: {reason}"), "too large")
        }
        _ => (program(), reason.to_string(), "cannot be run"),
    };
    let mode = fit.settings.place(Key::ExecutionMode);
    let switching = communication.routers().and_then(|_| fit.settings.place(Key::MachineSwitching));
    ScenarioError::at(at.unwrap_or(&fit.size.place), message, label)
        .because(mode, "the execution")
        .because(switching, "routers with finite buffers")
        .because(fit.settings.place(Key::MappingEmbeddings), "the embeddings")
}

/// Reports that the requested engine does not apply to a placement. Coordinated runs have an engine of their
/// own and ignore the choice.
pub(crate) fn check_engine(
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
