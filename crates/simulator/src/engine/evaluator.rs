//! One program on one placement after another, for searches and sweeps.

use std::fmt;

use cubefold_mapping::ProcessId;
use cubefold_topology::{Machine, NodeId};

use super::{
    Core, StartTimes, TransportKind,
    actors::Actors,
    bare_stages::BareStages,
    border::Alone,
    over_routers,
    stages::{StageProcesses, StageState},
    tails::Tails,
    tasks::TaskProcesses,
};
use crate::{
    Communication, Cycle, Cycles, Job, MessageRoutes, Program, SimulationError, Special, TaskGraph,
    clock_bound::max_cycles_of_any_placement,
    explicit_routes::ExplicitRoutes,
    plan::{check_message_count, check_packets, check_rules},
    processors::Processors,
    slab::Slab,
    transport::{
        Reusable, Transport,
        over_routers::{DrawnBy, OverRouters},
        packets::Packets,
    },
};

/// The makespans of a program on a machine under one placement after another.
///
/// The state of the machine, and in most cases lists of the program's messages, are made once and used again by every
/// evaluation: an evaluation costs what moves in it. Its results are those of [`simulate`](crate::simulate), in asynchronous
/// execution. An evaluator serves one thread.
///
/// ```
/// use cubefold_mapping::Hypercube;
/// use cubefold_simulator::{Communication, CubeProgram, Cycles, Evaluator};
/// use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, TieRule};
///
/// let cube = Hypercube::new(3)?;
/// let line = Machine::new(MachineKind::Line, &[8])?;
/// let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::ZERO)?;
/// let links = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct)?;
/// let mut evaluator = Evaluator::new(&program, &line, links)?;
///
/// // Processes 0 to 7 from left to right: 1, 2 and 4 links, of which the last are shared.
/// let mut nodes: Vec<NodeId> = (0..8).map(NodeId::new).collect();
/// assert_eq!(evaluator.floor(&nodes)?.get(), 7);
/// let before = evaluator.makespan(&nodes, None)?.expect("without a limit every run ends");
///
/// // Is the exchange of two processes better?
/// nodes.swap(3, 4);
/// let better = evaluator.makespan(&nodes, Some(before))?;
/// assert!(better.is_none_or(|makespan| makespan < before));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Evaluator<'a> {
    machine: &'a Machine,
    communication: Communication,
    runs: Runs<'a>,
    nodes: Vec<NodeId>, // of the processes of the present placement, by label
    loads: Vec<u64>,    // by node, its processes
    work: u64,
}

/// The engine that runs a program.
enum Runs<'a> {
    Bare(Box<BareStages<'a>>),
    Packets(Box<Core<'a, Packets<'a>>>, ProcessKind<'a>),
    Routers(Box<Core<'a, OverRouters<'a>>>, ProcessKind<'a>),
}

impl<'a> Runs<'a> {
    /// The runs of a program, before anything moves.
    fn new(program: &'a dyn Program, machine: &'a Machine, rules: Communication) -> Self {
        if let Some(bare) = BareStages::new(program, machine, rules) {
            return Self::Bare(Box::new(bare));
        }
        let processes = ProcessKind::new(program, machine, rules);
        if let Some(routers) = rules.router_rules() {
            let drawn_by =
                if program.special().tasks().is_some() { DrawnBy::Operation } else { DrawnBy::Stage };
            return Self::Routers(
                core(rules, OverRouters::new(machine, rules, &routers, drawn_by)),
                processes,
            );
        }
        let packets = Packets::new(machine, rules, &Slab::whole(machine), program.facts().uniform_units)
            .with_explicit_routes(ExplicitRoutes::of_any_placement(machine, rules));
        let packets = match program.special().tasks() {
            Some(graph) => packets.of_tasks(graph),
            None => packets,
        };
        Self::Packets(core(rules, packets), processes)
    }
}

/// An engine over a transport, without processes.
fn core<'a, T: Transport>(rules: Communication, transport: T) -> Box<Core<'a, T>> {
    Box::new(Core::new(vec![].into(), rules, transport, Alone))
}

/// The behaviour of the processes of an engine.
enum ProcessKind<'a> {
    Stages(Box<StageRun<'a>>),
    Tasks(&'a TaskGraph),
    Job(&'a Job),
}

struct StageRun<'a> {
    program: &'a dyn Program,
    state: StageState,
    tails: Tails<'a>,
}

impl<'a> Evaluator<'a> {
    /// Lists a program, and prepares a machine for its messages.
    ///
    /// # Errors
    ///
    /// The errors of [`simulate`](crate::simulate) that no placement avoids: rules that the machine does not allow,
    /// over 2^30 messages at a time, and a makespan that could pass 2^63 cycles, here with all processes on one node.
    pub fn new(
        program: &'a dyn Program,
        machine: &'a Machine,
        rules: Communication,
    ) -> Result<Self, SimulationError> {
        check_rules(machine, rules)?;
        if program.special().job().is_some_and(Job::reduces_in_switches) {
            return Err(SimulationError::NoSwitchReduction { place: "in a search" });
        }
        if rules.routes() == MessageRoutes::OfEmbedding {
            return Err(SimulationError::NoEmbedding);
        }
        check_packets(program, rules)?;
        check_message_count(program)?;
        let bound = max_cycles_of_any_placement(program, machine, rules);
        if bound >= 1 << 63 {
            return Err(SimulationError::TooManyCycles { bound });
        }
        Ok(Self {
            machine,
            communication: rules,
            runs: Runs::new(program, machine, rules),
            nodes: vec![NodeId::new(0); usize::try_from(program.process_count()).unwrap_or(usize::MAX)],
            loads: vec![0; usize::try_from(machine.node_count()).unwrap_or(usize::MAX)],
            work: 0,
        })
    }

    /// Bytes that an evaluator takes at most, roughly, before it is made.
    #[must_use]
    pub fn bytes(program: &dyn Program, machine: &Machine, rules: Communication) -> u64 {
        let processes = program.process_count();
        let of_placement = processes
            .saturating_mul(size_of::<NodeId>() as u64)
            .saturating_add(machine.node_count().saturating_mul(size_of::<u64>() as u64));
        if let Some(bare) = BareStages::bytes(program, machine, rules) {
            return bare.saturating_add(of_placement);
        }
        let of_tails =
            if program.special().has_no_stages() { 0 } else { Tails::bytes(processes, 2, machine) };
        let of_engine = if let Some(routers) = rules.router_rules() {
            over_routers::bytes(program, machine, rules, &routers)
        } else {
            let longest = ExplicitRoutes::longest_of_any_placement(machine, rules);
            super::bytes(program, (machine, &|_, _| longest), rules, TransportKind::Packets)
        };
        of_tails
            .saturating_add(super::bytes_without_stages(program))
            .saturating_add(of_engine)
            .saturating_add(of_placement)
    }

    /// The makespan with the processes on these nodes, by label \[cycles\]; `None` if it is at least `limit`.
    ///
    /// A run that cannot stay below the limit is aborted early: by the [floor](Self::floor), or when its
    /// clock reaches the limit. Runs of stage programs with whole messages, over queues that serve first come first served,
    /// know it earlier: when a message departs, or a process ends a stage, too late for what must follow.
    ///
    /// # Errors
    ///
    /// If there are more or fewer nodes than processes, or the program gets stuck; stage programs finish
    /// if their sources and destinations match.
    ///
    /// # Panics
    ///
    /// When processes cannot be on one of the nodes.
    pub fn makespan(
        &mut self,
        nodes: &[NodeId],
        limit: Option<Cycles>,
    ) -> Result<Option<Cycles>, SimulationError> {
        self.place(nodes)?;
        if limit.is_some_and(|limit| self.predict() >= limit) {
            return Ok(None);
        }
        let limit = limit.map(|limit| Cycle::START + limit);
        let end = self.run(limit)?;
        Ok(end.filter(|&end| limit.is_none_or(|limit| end < limit)).map(|end| end - Cycle::START))
    }

    /// The makespan of a stage program on these nodes if no message waited for a channel and every process had a
    /// processor (`docs/model.md` section 15) \[cycles\]: no run is below it. 0 for a task graph and a job.
    ///
    /// # Errors
    ///
    /// When there are more or fewer nodes than processes.
    ///
    /// # Panics
    ///
    /// When processes cannot be on one of the nodes.
    pub fn floor(&mut self, nodes: &[NodeId]) -> Result<Cycles, SimulationError> {
        self.place(nodes)?;
        Ok(self.predict())
    }

    /// The work of all evaluations so far: messages that floors and runs looked at, and links that packets set out to
    /// cross. It is the same on every machine.
    #[must_use]
    pub fn work(&self) -> u64 {
        match &self.runs {
            Runs::Bare(bare) => bare.work(),
            Runs::Packets(..) | Runs::Routers(..) => self.work,
        }
    }

    fn place(&mut self, nodes: &[NodeId]) -> Result<(), SimulationError> {
        let (placed, processes) = (nodes.len() as u64, self.nodes.len() as u64);
        if placed != processes {
            return Err(SimulationError::ProcessCount { placed, processes });
        }
        for &node in nodes {
            assert!(self.machine.is_host(node), "processes cannot be on node {node}");
        }
        self.nodes.copy_from_slice(nodes);
        self.machine.prepare_routes(nodes);
        Ok(())
    }

    /// Runs the program on the nodes that it is placed on; returns the end of its last process, or `None` if it was cut
    /// off.
    fn run(&mut self, limit: Option<Cycle>) -> Result<Option<Cycle>, SimulationError> {
        let processors = self.shared_processors();
        let Self { runs, nodes, work, .. } = self;
        match runs {
            Runs::Bare(bare) => bare.run(nodes, processors, limit),
            Runs::Packets(core, processes) => processes.run(core, nodes, processors, limit, work),
            Runs::Routers(core, processes) => processes.run(core, nodes, processors, limit, work),
        }
    }

    /// The processors, if more processes are on a node than it has processors.
    fn shared_processors(&mut self) -> Option<Processors> {
        let (per_node, nodes) = (self.communication.processors(), &*self.nodes);
        let mut most = 0;
        for node in nodes {
            let load = &mut self.loads[node.index() as usize];
            *load += 1;
            most = most.max(*load);
        }
        for node in nodes {
            self.loads[node.index() as usize] = 0;
        }
        (most > per_node.get()).then(|| Processors::new(nodes, per_node))
    }

    /// The makespan of the prediction; 0 if there is none.
    fn predict(&mut self) -> Cycles {
        match &mut self.runs {
            Runs::Bare(bare) => bare.predict(&self.nodes),
            Runs::Packets(_, ProcessKind::Stages(processes))
            | Runs::Routers(_, ProcessKind::Stages(processes)) => {
                processes.tails.measure(&processes.program, &self.nodes, &mut self.work)
            }
            Runs::Packets(..) | Runs::Routers(..) => Cycles::ZERO,
        }
    }
}

impl<'a> ProcessKind<'a> {
    fn new(program: &'a dyn Program, machine: &'a Machine, rules: Communication) -> Self {
        match program.special() {
            Special::Tasks(graph) => Self::Tasks(graph),
            Special::Job(job) => Self::Job(job),
            Special::Cube(_) | Special::Pipelined(_) | Special::RandomAccess(_) | Special::None => {
                let processes = usize::try_from(program.process_count()).unwrap_or(usize::MAX);
                let tails = Tails::new(&program, machine, rules);
                Self::Stages(Box::new(StageRun {
                    program,
                    state: StageState::new(processes, None, rules.message_cost()),
                    tails,
                }))
            }
        }
    }

    /// Runs the processes on these nodes, over an idle transport.
    fn run<T: Reusable>(
        &mut self,
        core: &mut Core<'_, T>,
        nodes: &[NodeId],
        processors: Option<Processors>,
        limit: Option<Cycle>,
        work: &mut u64,
    ) -> Result<Option<Cycle>, SimulationError> {
        core.reset(nodes);
        let end = match self {
            Self::Stages(processes) => {
                processes.state.reset(processors);
                processes.run(core, limit)
            }
            Self::Tasks(graph) => run_tasks(graph, core, limit),
            Self::Job(job) => run_job(job, core, limit),
        };
        *work += core.message_count + core.transport.crossings().unwrap_or(core.hop_count);
        end
    }
}

impl StageRun<'_> {
    /// Runs the program, whose processes are before their first stages.
    fn run<T: Transport>(
        &mut self,
        core: &mut Core<'_, T>,
        limit: Option<Cycle>,
    ) -> Result<Option<Cycle>, SimulationError> {
        let Self { program, state, .. } = self;
        core.messages.table.set_turns(program.has_turns());
        state.begin(StartTimes::Together, core);
        if !core.run(&mut StageProcesses::new(*program, state, &mut ()), limit) {
            return Ok(None);
        }
        core.check_deadlock()?;
        match state.progress.unfinished() {
            None => Ok(Some(state.progress.latest_end())),
            Some(process) => Err(SimulationError::Unfinished { process }),
        }
    }
}

fn run_job<T: Transport>(
    job: &Job,
    core: &mut Core<'_, T>,
    limit: Option<Cycle>,
) -> Result<Option<Cycle>, SimulationError> {
    let observer = &mut ();
    core.messages.table.set_turns(job.has_turns());
    let mut actors = Actors::new(job, core.communication.message_cost(), observer);
    if !core.run(&mut actors, limit) {
        return Ok(None);
    }
    core.check_deadlock()?;
    match actors.unfinished_rank() {
        None => Ok(Some(actors.latest_end())),
        Some(rank) => Err(SimulationError::Unfinished { process: ProcessId::new(rank) }),
    }
}

fn run_tasks<T: Transport>(
    graph: &TaskGraph,
    core: &mut Core<'_, T>,
    limit: Option<Cycle>,
) -> Result<Option<Cycle>, SimulationError> {
    let mut processes = TaskProcesses::new(graph, core.communication, false);
    if !core.run(&mut processes, limit) {
        return Ok(None);
    }
    core.check_deadlock()?;
    processes.stuck().map_or(Ok(Some(processes.latest_end())), |stuck| Err(SimulationError::Stuck(stuck)))
}

impl fmt::Debug for Evaluator<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { machine, communication, .. } = self;
        formatter
            .debug_struct("Evaluator")
            .field("machine", machine)
            .field("communication", communication)
            .field("work", &self.work())
            .finish_non_exhaustive()
    }
}
