//! A run from start to end: the checks, the one choice of its engine, its memory, the run and the balance after it.
//!
//! A [`Plan`] is a run that has passed all checks. Most checks belong to an engine and are made when it is chosen;
//! those of all runs are of the sizes and of a bound on the clock ([`max_cycles`]).

use cubefold_mapping::{CubeDimension, Placement, ProcessId};
use cubefold_topology::{LinkMode, Machine};

use crate::{
    BulkStages, Communication, CountLinkUse, CubeProgram, Cycles, Engine, EngineChoice, Execution, Job,
    JobTimes, MAX_MESSAGES, MessageRoutes, NoBeltError, Observer, Program, Request, Routing, RoutingScheme,
    ServiceOrder, SimulationError, Special, Summary, TaskGraph, Traffic, Workers,
    belt::{BeltOutcome, LineProblem},
    clock_bound::max_cycles,
    contention_free, coordinated,
    engine::{self, StartTimes, TransportKind, over_routers},
    field_line::{FieldLine, Pair},
    observe::{InBatches, accounts::Ledger, traffic::LinkUseCounter},
    routers::settings::Routers,
    switch_trees::SwitchTrees,
};

/// The results of a run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Sums and distributions over processes and stages.
    pub summary: Summary,
    /// Messages, links crossed and queues.
    pub traffic: Traffic,
    /// The engine that computed it.
    pub engine: Engine,
    /// The steps of a job; `None` for other programs.
    pub job: Option<JobTimes>,
}

/// A run of a program on the machine of a placement, whose engine is chosen.
#[derive(Debug)]
pub struct Plan<'run> {
    program: &'run dyn Program,
    placement: &'run Placement,
    communication: Communication,
    selection: Selection<'run>,
    any_engine: bool,
    count_link_use: CountLinkUse,
}

/// The engine of a run, with its data besides the program and its placement.
#[derive(Debug, Clone, Copy)]
enum Selection<'run> {
    /// The process engine over a transport, link by link.
    Stages(TransportKind, Option<Workers>),
    /// The operations of a task graph.
    Tasks(&'run TaskGraph),
    /// The actors of a job.
    Job(&'run Job),
    /// Any of these over routers with finite buffers.
    Routers(Routers),
    /// The belt engine: one line for all of its dimension.
    Lines(LineProblem<'run>),
    Coordinated(&'run Routing),
}

/// Runs `program` on the machine of `placement`, reporting to `observer`.
///
/// # Errors
///
/// As [`Plan::new`] before the run and as [`Plan::run`] after it.
pub fn simulate(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    request: &Request,
    observer: &mut dyn Observer,
) -> Result<Outcome, SimulationError> {
    Plan::new(program, placement, communication, request)?.run(observer)
}

impl<'run> Plan<'run> {
    /// Plans a run. Nothing is run yet, except lines of a named embedding whose stages revisit a coordinate: only a run
    /// of one line each shows whether all can be run separately.
    ///
    /// # Errors
    ///
    /// When the placement has another number of processes than the program, the execution is not defined for the program
    /// or the machine, the engine asked for does not apply, there may be over 2^30 messages in flight at a time, or the
    /// clock could overflow.
    pub fn new(
        program: &'run dyn Program,
        placement: &'run Placement,
        communication: Communication,
        request: &'run Request,
    ) -> Result<Self, SimulationError> {
        check_execution(program, placement, communication, &request.execution)?;
        let selection = match &request.execution {
            Execution::Asynchronous => select(program, placement, communication, request)?,
            Execution::Coordinated(routing) => Selection::Coordinated(routing),
        };
        let plan = Self {
            program,
            placement,
            communication,
            selection,
            any_engine: request.engine == EngineChoice::Auto,
            count_link_use: request.count_link_use,
        };
        if !plan.keeps_lines_apart() {
            check_message_count(program)?;
        }
        Ok(plan)
    }

    /// Whether only messages of one line are in flight at a time.
    fn keeps_lines_apart(&self) -> bool {
        match self.selection {
            Selection::Lines(_) => true,
            Selection::Coordinated(routing) => {
                routing.scheme == RoutingScheme::Phases
                    && self.communication.routes() == MessageRoutes::OfMachine
                    && coordinated::is_line_separable(self.program, self.placement)
            }
            Selection::Tasks(_) | Selection::Job(_) | Selection::Stages(..) | Selection::Routers(_) => false,
        }
    }

    /// Returns the engine.
    #[must_use]
    pub fn engine(&self) -> Engine {
        match self.selection {
            Selection::Stages(..) | Selection::Tasks(_) | Selection::Job(_) | Selection::Routers(_) => {
                Engine::Hop
            }
            Selection::Lines(_) => Engine::Belt,
            Selection::Coordinated(_) => Engine::Coordinated,
        }
    }

    /// Returns the number of ranks that divide the run, at least 1: each keeps the records of its own processes.
    #[must_use]
    pub fn ranks(&self) -> u64 {
        self.workers().map_or(1, Workers::rank_count)
    }

    fn workers(&self) -> Option<Workers> {
        match self.selection {
            Selection::Stages(_, workers) => workers,
            Selection::Tasks(_)
            | Selection::Job(_)
            | Selection::Routers(_)
            | Selection::Lines(_)
            | Selection::Coordinated(_) => None,
        }
    }

    /// Estimates an upper bound of the memory of the run, without observers \[bytes\].
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let Self { program, placement, communication, .. } = *self;
        let machine = placement.machine();
        let distance = |one, other| machine.distance(placement.node(one), placement.node(other));
        let over = |kind| engine::bytes(program, (machine, &distance), communication, kind);
        let bytes = match &self.selection {
            Selection::Lines(lines) => lines.bytes(),
            Selection::Coordinated(_) if program.special().cube().is_some() => {
                coordinated::bytes(program, placement)
            }
            Selection::Coordinated(_) => over(TransportKind::of(program, machine, communication)),
            Selection::Tasks(_) | Selection::Job(_) => over(TransportKind::Packets),
            Selection::Stages(kind, _) => over(*kind),
            Selection::Routers(routers) => over_routers::bytes(program, machine, communication, routers),
        };
        let bytes = bytes.saturating_add(engine::bytes_without_stages(program));
        match self.workers() {
            None => bytes,
            // A rank has its part of the memory of all workers.
            Some(workers) => bytes
                .saturating_add(engine::workers::further_bytes(program, communication))
                .div_ceil(workers.rank_count()),
        }
    }

    /// Runs the program, reporting to `observer`.
    ///
    /// # Errors
    ///
    /// When a process did not finish or its times do not add up, which no program whose sources and destinations match
    /// causes, or when operations of a task graph wait for each other.
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Outcome, SimulationError> {
        let Self { program, placement, communication, .. } = *self;
        let observer = &mut InBatches::new(observer);
        // Messages of switches are not listed.
        let is_listed = !program.special().job().is_some_and(Job::reduces_in_switches);
        let mut link_use = match self.count_link_use {
            CountLinkUse::Yes if !is_listed => None,
            CountLinkUse::Yes => Some(LinkUseCounter::new(placement.machine(), communication)),
            CountLinkUse::No => None,
        };
        let by_hop = |(summary, traffic)| Outcome { summary, traffic, engine: Engine::Hop, job: None };
        let mut outcome = match self.selection {
            Selection::Coordinated(routing) => self.run_coordinated(routing, link_use.take(), observer)?,
            Selection::Lines(lines) => self.belt_outcome(lines.run(observer)?),
            Selection::Tasks(graph) => by_hop(engine::run_tasks(graph, placement, communication, observer)?),
            Selection::Job(job) => {
                let (summary, traffic, times) = engine::run_job(job, placement, communication, observer)?;
                Outcome { job: Some(times), ..by_hop((summary, traffic)) }
            }
            Selection::Stages(kind, workers) => by_hop(self.run_stages(kind, workers, observer)?),
            Selection::Routers(routers) => return self.run_over_routers(&routers, link_use, observer),
        };
        if let Some(mut link_use) = link_use {
            link_use.count_routes(program, placement, communication);
            outcome.traffic.link_use = Some(link_use.finish());
        }
        Ok(outcome)
    }

    /// Runs a stage program message by message: link by link, unless no message can wait for another.
    fn run_stages(
        &self,
        kind: TransportKind,
        workers: Option<Workers>,
        observer: &mut InBatches<'_>,
    ) -> Result<(Summary, Traffic), SimulationError> {
        let Self { program, placement, communication, .. } = *self;
        if self.any_engine && contention_free::applies(program, placement, communication) {
            return Ok(contention_free::run(program, placement, communication, observer)?);
        }
        if let Some(workers) = workers {
            return engine::workers::run(program, placement, communication, kind, workers, observer);
        }
        let (starts, mut observers) = (StartTimes::Together, (Ledger::new(program), &mut *observer));
        let run = engine::run(program, placement, communication, kind, starts, &mut observers);
        let traffic = run.map_err(|process| SimulationError::Unfinished { process })?;
        Ok((observers.0.close()?, traffic))
    }

    fn run_over_routers(
        &self,
        routers: &Routers,
        mut link_use: Option<LinkUseCounter>,
        observer: &mut InBatches<'_>,
    ) -> Result<Outcome, SimulationError> {
        let Self { program, placement, communication, .. } = *self;
        let counter = link_use.as_mut();
        let (summary, mut traffic, job) =
            over_routers::run(program, placement, communication, routers, counter, observer)?;
        traffic.link_use = link_use.map(LinkUseCounter::finish);
        Ok(Outcome { summary, traffic, engine: Engine::Hop, job })
    }

    fn run_coordinated(
        &self,
        routing: &Routing,
        link_use: Option<LinkUseCounter>,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, SimulationError> {
        let Self { program, placement, communication, .. } = *self;
        let mut summary = Summary::of_program(program);
        let sums = &mut summary;
        let traffic = coordinated::run(program, placement, communication, routing, link_use, sums, observer);
        summary.check_balance()?;
        Ok(Outcome { summary, traffic, engine: Engine::Coordinated, job: None })
    }

    /// The outcome of a run on the belt: every message is the one that its destination waits for, so that the links crossed
    /// follow from the transfer times.
    fn belt_outcome(&self, belt: BeltOutcome) -> Outcome {
        let Self { program, placement, communication, .. } = *self;
        let hops = match unit_equivalent(program, placement, communication) {
            Some(unit) => belt.summary.totals().transfer / u128::from(unit.hop().get()),
            None => packet_hops(program, placement, communication),
        };
        let traffic = Traffic {
            messages: program.process_count() * program.stage_count() as u64,
            hops: u64::try_from(hops).unwrap_or(u64::MAX), // below the bound on cycles, 2^63
            longest_queue: Some(belt.longest_queue),
            routing: None,
            link_use: None,
        };
        Outcome { summary: belt.summary, traffic, engine: Engine::Belt, job: None }
    }
}

/// Refuses runs that no engine supports: everything that [`Plan::new`] refuses, except the requested engine and the number of
/// messages in flight.
///
/// # Errors
///
/// When the placement has another number of processes than the program, the execution is not defined for the program
/// or the machine, or the clock could overflow.
pub fn check_execution(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    execution: &Execution,
) -> Result<(), SimulationError> {
    let (placed, processes) = (placement.process_count(), program.process_count());
    if placed != processes {
        return Err(SimulationError::ProcessCount { placed, processes });
    }
    let bound = max_cycles(program, placement, communication, execution);
    if bound >= 1 << 63 {
        return Err(SimulationError::TooManyCycles { bound });
    }
    check_packets(program, communication)?;
    if let Some(job) = program.special().job() {
        if communication.routers().is_some() && job.reduces_in_switches() {
            return Err(SimulationError::NoSwitchReduction { place: "over routers with finite buffers" });
        }
        SwitchTrees::new(job, placement.machine(), |rank| placement.node(ProcessId::new(rank)))?;
    }
    match execution {
        Execution::Asynchronous => check_rules(placement.machine(), communication),
        Execution::Coordinated(_) if communication.routers().is_some() => Err(SimulationError::NoRouters),
        Execution::Coordinated(_) if communication.message_cost() > Cycles::ZERO => {
            Err(SimulationError::NoSteps { rule: "a cost of each message" })
        }
        Execution::Coordinated(routing) => coordinated::check(program, placement, communication, routing),
    }
}

/// Refuses rules under which asynchronous execution on a machine is not defined: single-direction links and routes
/// by way of random nodes of a network, and channels that serve their inputs in turn but are not independent.
pub(crate) fn check_rules(machine: &Machine, communication: Communication) -> Result<(), SimulationError> {
    let links = communication.links();
    if machine.graph().is_some() && links == LinkMode::SingleDirection {
        return Err(SimulationError::NoTurns);
    }
    if communication.service() == ServiceOrder::RoundRobin && links != LinkMode::FullDuplex {
        return Err(SimulationError::NoRoundRobin { links });
    }
    let has_coordinates = machine.graph().is_none();
    if matches!(communication.routes(), MessageRoutes::Valiant { .. }) && !has_coordinates {
        return Err(SimulationError::NoCoordinates);
    }
    Ok(())
}

/// Refuses packets that no buffer of routers holds, under virtual cut-through.
pub(crate) fn check_packets(
    program: &dyn Program,
    communication: Communication,
) -> Result<(), SimulationError> {
    match communication.router_rules() {
        Some(routers) if communication.packet().is_none() => {
            Ok(routers.check_packet(engine::largest_units(program))?)
        }
        Some(_) | None => Ok(()),
    }
}

/// Refuses a program with more messages at a time than engines can number.
pub(crate) fn check_message_count(program: &dyn Program) -> Result<(), SimulationError> {
    let messages = match program.special().tasks() {
        Some(graph) => graph.message_count(),
        None => program.facts().messages_of_stage(),
    };
    if messages > MAX_MESSAGES { Err(SimulationError::TooManyMessages { messages }) } else { Ok(()) }
}

/// Selects the engine of an asynchronous run.
fn select<'run>(
    program: &'run dyn Program,
    placement: &'run Placement,
    communication: Communication,
    request: &Request,
) -> Result<Selection<'run>, SimulationError> {
    let bulk = match request.engine {
        EngineChoice::Auto => Some(BulkStages::Yes),
        EngineChoice::Belt(bulk) => Some(bulk),
        EngineChoice::Hop | EngineChoice::Sized => None,
    };
    if let Some(routers) = communication.router_rules() {
        let is_belt = matches!(request.engine, EngineChoice::Belt(_));
        return if is_belt { Err(NoBeltError::Routers.into()) } else { Ok(Selection::Routers(routers)) };
    }
    match bulk.map(|bulk| select_lines(program, placement, communication, bulk)) {
        Some(Ok(lines)) => return Ok(Selection::Lines(lines)),
        Some(Err(reason)) if request.engine != EngineChoice::Auto => return Err(reason.into()),
        Some(Err(_)) | None => {}
    }
    match program.special() {
        Special::Tasks(graph) => return Ok(Selection::Tasks(graph)),
        Special::Job(job) => return Ok(Selection::Job(job)),
        Special::Cube(_) | Special::Pipelined(_) | Special::RandomAccess(_) | Special::None => {}
    }
    let workers = request.workers.filter(|_| engine::workers::accepts(placement, communication));
    let kind = match request.engine {
        EngineChoice::Sized => TransportKind::Packets,
        _ => TransportKind::of(program, placement.machine(), communication),
    };
    Ok(Selection::Stages(kind, workers))
}

/// Divides a run into lines for the belt engine.
fn select_lines<'run>(
    program: &'run dyn Program,
    placement: &'run Placement,
    communication: Communication,
    bulk: BulkStages,
) -> Result<LineProblem<'run>, NoBeltError> {
    let program: &CubeProgram = program.special().cube().ok_or(NoBeltError::Program)?;
    if placement.machine().graph().is_some() {
        return Err(NoBeltError::Network);
    }
    if placement.machine().link_times().is_some() {
        return Err(NoBeltError::Links);
    }
    if !placement.is_one_to_one() {
        return Err(NoBeltError::SharedNodes);
    }
    if communication.links() == LinkMode::SingleDirection {
        return Err(NoBeltError::SingleDirection);
    }
    if communication.routes() != MessageRoutes::OfMachine {
        return Err(NoBeltError::Routes);
    }
    if communication.message_cost() > Cycles::ZERO {
        return Err(NoBeltError::MessageCost);
    }
    let Placement::Product(placement) = placement else { return Err(NoBeltError::Lines) };
    let units = program.facts().uniform_units;
    let unit = units.and_then(|units| communication.unit_equivalent(units, false));
    LineProblem::new(program, placement, (communication, unit), bulk).ok_or(NoBeltError::Lines)
}

/// Returns the rules under which messages of one unit take the times of those of a program, if there are such rules: the
/// engines for messages of one unit then run it.
fn unit_equivalent(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
) -> Option<Communication> {
    let facts = program.facts();
    let units = facts.uniform_units.filter(|_| facts.has_one_compute_time)?;
    communication.unit_equivalent(units, !placement.is_one_to_one())
}

/// Returns the number of links that the packets of a compute-and-communicate program on a named embedding cross.
fn packet_hops(program: &dyn Program, placement: &Placement, communication: Communication) -> u128 {
    let (Some(cube), Placement::Product(placement)) = (program.special().cube(), placement) else { return 0 };
    let fields = FieldLine::all(placement);
    let hops = |(stage, &dimension): (usize, &CubeDimension)| {
        let packets = communication.packet_count(program.max_units(stage));
        let of_field = |field: &FieldLine| {
            let bit = field.bit(dimension)?;
            let distance =
                |pair: Pair| u128::from(field.extent.distance(pair.positions[0], pair.positions[1]));
            let lines = program.process_count() / field.extent.length();
            Some(2 * u128::from(lines) * u128::from(packets) * field.pairs(bit).map(distance).sum::<u128>())
        };
        fields.iter().filter_map(of_field).sum::<u128>()
    };
    cube.stages().iter().enumerate().map(hops).sum()
}
