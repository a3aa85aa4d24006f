//! Asynchronous execution (`docs/model.md` section 5): every process advances on its own.
//!
//! The engine goes from one cycle at which something happens to the next. Computations all take `T_a` and
//! transmissions all take `T_c`, so both end in the order in which they began: first-in first-out lists
//! replace a queue of events, and nothing is allocated or sorted an event.

mod begins;
mod computing;
mod processes;
mod processors;
mod routes;
#[cfg(test)]
mod tests;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{Extent, Leg, LinkMode, Machine, NodeId};

pub(crate) use self::begins::Begins;
use self::{
    begins::Beginners,
    computing::Computing,
    processes::{Message, Processes},
    processors::Processors,
    routes::Routes,
};
use crate::{
    Communication, Cycle, Cycles, LinkUse, Observer, Program, StageRecord, Traffic,
    network::{Flow, Layout, Network, OneByOne},
};

/// Bytes of memory for each process, and for each channel, that a run takes at most, roughly.
pub(crate) const BYTES_A_PROCESS: u64 = 160;
pub(crate) const BYTES_A_CHANNEL: u64 = 12;

/// So many processes are looked at together: what one needs would else come from memory while nothing is done.
const TOGETHER: usize = 32;

/// A run that is to be.
struct Setting<'run, P> {
    program: &'run P,
    placement: &'run Placement,
    communication: Communication,
    begins: Begins<'run>,
}

/// Runs `program` to its end, reporting to `observer`; each process may begin when `begins` says.
///
/// # Errors
///
/// The first process that did not come to its end, which none does whose sources and destinations match.
pub(crate) fn run<P: Program, O: Observer>(
    program: &P,
    placement: &Placement,
    communication: Communication,
    begins: Begins<'_>,
    mut link_use: Option<LinkUse>,
    observer: &mut O,
) -> Result<Traffic, ProcessId> {
    let machine = placement.machine();
    let setting = Setting { program, placement, communication, begins };
    let mut traffic = match communication.links() {
        LinkMode::FullDuplex | LinkMode::HalfDuplex if machine.graph().is_some() => {
            let network = OneByOne::independent(machine, communication);
            Engine::new(&setting, network, observer).run()?
        }
        LinkMode::FullDuplex | LinkMode::HalfDuplex => {
            let layout = layout(program, machine);
            if layout.bits() <= u64::BITS {
                let network = Flow::<u64>::new(machine, communication, layout);
                Engine::new(&setting, network, observer).run()?
            } else {
                let network = Flow::<u128>::new(machine, communication, layout);
                Engine::new(&setting, network, observer).run()?
            }
        }
        LinkMode::SingleDirection => {
            let network = OneByOne::in_turns(machine, communication.hop());
            Engine::new(&setting, network, observer).run()?
        }
    };
    if let Some(link_use) = &mut link_use {
        link_use.count_routes(program, placement, communication.tie());
    }
    traffic.link_use = link_use;
    Ok(traffic)
}

/// How messages of a run are packed.
fn layout<P: Program>(program: &P, machine: &Machine) -> Layout {
    let messages = program.process_count() * program.max_received().max(1) as u64;
    let longest = machine.extents().map(Extent::diameter).max().unwrap_or(1);
    Layout::new(machine.node_count(), messages, longest)
}

struct Engine<'run, P, N, O> {
    program: &'run P,
    routes: Routes<'run>,
    communication: Communication,
    network: N,
    beginners: Beginners,
    computing: Computing,
    processors: Option<Processors>, // where processes share nodes
    passing: Vec<ProcessId>,        // ready in this cycle without a computation
    arrived: Vec<(u32, NodeId)>,    // messages that are looked at together, and where they are
    ended: Vec<ProcessId>,          // processes that are looked at together
    processes: Processes,
    message_count: u64,
    hop_count: u64,
    observer: &'run mut O,
}

impl<'run, P: Program, N: Network, O: Observer> Engine<'run, P, N, O> {
    fn new(setting: &Setting<'run, P>, network: N, observer: &'run mut O) -> Self {
        let &Setting { program, placement, communication, begins } = setting;
        let nodes = placement.nodes();
        Self {
            program,
            routes: Routes::new(placement.machine(), communication.tie()),
            communication,
            network,
            beginners: Beginners::new(nodes.len() as u64, begins),
            computing: Computing::default(),
            passing: vec![],
            arrived: vec![],
            ended: vec![],
            processors: (!placement.is_one_to_one()).then(|| Processors::new(&nodes)),
            processes: Processes::new(&nodes, program.max_received()),
            message_count: 0,
            hop_count: 0,
            observer,
        }
    }

    fn run(mut self) -> Result<Traffic, ProcessId> {
        while let Some(now) = self.next_event() {
            self.network.arrive(now, &self.processes);
            self.turn_all(now);
            self.settle(now);
            self.network.depart(now, &self.processes);
        }
        self.traffic()
    }

    /// A process begins its next stage. It wants to compute: at once on a node of its own, in its turn on a shared
    /// one.
    fn begin_stage(&mut self, process: ProcessId, now: Cycle) {
        if !self.program.computes(self.processes.next_stage(process), process) {
            self.passing.push(process);
            return;
        }
        match &mut self.processors {
            None => self.computing.add(now + self.program.compute(), process),
            Some(processors) => processors.want(process, now),
        }
    }

    /// The next cycle at which a transmission or a computation ends or a process may begin.
    fn next_event(&self) -> Option<Cycle> {
        let events = [self.network.next_end(), self.computing.next_end(), self.beginners.next()];
        events.into_iter().flatten().min()
    }

    /// The messages whose legs are over begin another, or have arrived.
    fn turn_all(&mut self, now: Cycle) {
        let mut arrived = std::mem::take(&mut self.arrived);
        loop {
            arrived.extend(std::iter::from_fn(|| self.network.take_arrived()).take(TOGETHER));
            if arrived.is_empty() {
                break;
            }
            let destination = |&(message, _): &(u32, NodeId)| self.processes.destination(message);
            self.processes.fetch(arrived.iter().map(destination));
            for (message, node) in arrived.drain(..) {
                self.turn(message, node, now);
            }
        }
        self.arrived = arrived;
    }

    /// The processes whose computations end, or that do not compute, are ready for their messages.
    fn become_all_ready(&mut self, now: Cycle) {
        let mut ended = std::mem::take(&mut self.ended);
        loop {
            let Self { computing, passing, .. } = self;
            let next = || computing.take_ended(now).or_else(|| passing.pop());
            ended.extend(std::iter::from_fn(next).take(TOGETHER));
            if ended.is_empty() {
                break;
            }
            self.fetch(&ended);
            for process in ended.drain(..) {
                self.become_ready(process, now);
            }
        }
        self.ended = ended;
    }

    /// Has the records of these processes and of their partners come from memory together.
    fn fetch(&self, processes: &[ProcessId]) {
        self.processes.fetch(processes.iter().copied());
        for &process in processes {
            let stage = self.processes.next_stage(process);
            self.processes.fetch(self.program.destinations(stage, process));
        }
    }

    /// A message begins a leg at `node`, or goes on with one, or has arrived.
    fn turn(&mut self, message: u32, node: NodeId, now: Cycle) {
        let destination = self.processes.node(self.processes.destination(message));
        self.take(message, node, self.routes.next_leg(node, destination), now);
    }

    /// A message takes its next leg from `node`, or has none and has arrived.
    fn take(&mut self, message: u32, node: NodeId, leg: Option<Leg>, now: Cycle) {
        match leg {
            Some(leg) => self.network.join(message, node, leg, now, &self.processes),
            None => self.deliver(message, now),
        }
    }

    /// All that happens at `now` after the arrivals: with computations of no time, processes that finish
    /// become ready again in the same cycle.
    fn settle(&mut self, now: Cycle) {
        while let Some(process) = self.beginners.take(now) {
            self.begin_stage(process, now);
        }
        loop {
            self.become_all_ready(now);
            if self.start_computations(now) == 0 {
                return;
            }
        }
    }

    /// Free processors of shared nodes pick; returns how many did.
    fn start_computations(&mut self, now: Cycle) -> usize {
        let Some(processors) = &mut self.processors else { return 0 };
        let end = now + self.program.compute();
        processors.pick(now, |process| self.computing.add(end, process))
    }

    /// A computation ends, or there is none: the process is ready for the messages of its stage.
    fn become_ready(&mut self, process: ProcessId, now: Cycle) {
        let stage = self.processes.become_ready(process, now);
        let program = self.program;
        if let Some(processors) = &mut self.processors
            && program.computes(stage, process)
        {
            processors.release(process);
        }
        let awaited = program.sources(stage, process).count();
        self.processes.await_messages(process, awaited);
        for source in program.sources(stage, process) {
            self.inject_if_both_ready(stage, source, process, now);
        }
        for destination in program.destinations(stage, process) {
            self.inject_if_both_ready(stage, process, destination, now);
        }
        if awaited == 0 {
            self.finish_stage(process, now, Cycles::ZERO, now);
        }
    }

    /// One of the two partners has just become ready: when the other is, the message sets out.
    fn inject_if_both_ready(&mut self, stage: usize, source: ProcessId, destination: ProcessId, now: Cycle) {
        if !(self.processes.was_ready(source, stage) && self.processes.was_ready(destination, stage)) {
            return;
        }
        let (from, to) = (self.processes.node(source), self.processes.node(destination));
        let (distance, leg) = self.routes.begin(from, to);
        self.message_count += 1;
        self.hop_count += distance;
        let distance = u32::try_from(distance).unwrap_or(u32::MAX); // below 2^32, the number of nodes
        let message = self.processes.set_out(destination, Message { start: now, source, distance });
        self.take(message, from, leg, now);
    }

    /// A message reaches its destination.
    fn deliver(&mut self, message: u32, now: Cycle) {
        let process = self.processes.destination(message);
        if let Some(last) = self.processes.receive(process, message, now) {
            let transfer = self.communication.hop() * u64::from(last.distance);
            self.finish_stage(process, last.start, transfer, now);
        }
    }

    /// A stage is over for a process, which goes on to the next.
    fn finish_stage(&mut self, process: ProcessId, start: Cycle, transfer: Cycles, now: Cycle) {
        let (stage, ready) = self.processes.current(process);
        let processors = self.processors.as_ref().filter(|_| self.program.computes(stage, process));
        let sharing = processors.map_or(Cycles::ZERO, |processors| processors.sharing(process));
        self.observer.stage_finished(&StageRecord {
            process,
            stage,
            sharing,
            ready,
            start,
            finish: now,
            transfer,
            idle: Cycles::ZERO,
        });
        if stage + 1 < self.program.stage_count() {
            self.begin_stage(process, now);
        } else {
            self.processes.end(process);
        }
    }

    fn traffic(self) -> Result<Traffic, ProcessId> {
        if let Some(process) = self.processes.unfinished() {
            return Err(process);
        }
        Ok(Traffic {
            messages: self.message_count,
            hops: self.hop_count,
            longest_queue: Some(self.network.longest_queue()),
            routing: None,
            link_use: None,
        })
    }
}
