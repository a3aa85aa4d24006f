//! Asynchronous execution (`docs/model.md` section 5): every process advances on its own.
//!
//! The engine goes from one cycle at which something ends to the next. Computations all take `T_a` and
//! transmissions all take `T_c`, so both end in the order in which they began: two first-in first-out
//! lists replace a queue of events, and nothing is allocated or sorted an event.

mod begins;
mod computing;
mod processes;
mod processors;
#[cfg(test)]
mod tests;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{LinkMode, Machine, NodeId};

pub(crate) use self::begins::Begins;
use self::{begins::Beginners, computing::Computing, processes::Processes, processors::Processors};
use crate::{
    Communication, Cycle, Cycles, LinkUse, Observer, Program, StageRecord, Traffic,
    network::{
        Arbiter, Channels, FullDuplex, HalfDuplex, Identity, InFlight, Messages, SharedMedia,
        SingleDirection, Transit,
    },
};

/// Bytes of memory for each process, and for each channel, that a run takes at most, roughly.
pub(crate) const BYTES_A_PROCESS: u64 = 160;
pub(crate) const BYTES_A_CHANNEL: u64 = 12;

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
    link_use: Option<LinkUse>,
    observer: &mut O,
) -> Result<Traffic, ProcessId> {
    let channels = Channels::new(placement.machine());
    match communication.links() {
        LinkMode::FullDuplex => {
            let arbiter = SharedMedia::<FullDuplex>::new(&channels);
            Engine::new(program, placement, communication, arbiter, begins, link_use, observer).run()
        }
        LinkMode::HalfDuplex => {
            let arbiter = SharedMedia::<HalfDuplex>::new(&channels);
            Engine::new(program, placement, communication, arbiter, begins, link_use, observer).run()
        }
        LinkMode::SingleDirection => {
            let arbiter = SingleDirection::new(&channels);
            Engine::new(program, placement, communication, arbiter, begins, link_use, observer).run()
        }
    }
}

struct Engine<'run, P, A, O> {
    program: &'run P,
    machine: &'run Machine,
    nodes: Vec<NodeId>, // by process
    communication: Communication,
    channels: Channels,
    arbiter: A,
    in_flight: InFlight,
    departures: Vec<Transit>,
    beginners: Beginners,
    computing: Computing,
    processors: Option<Processors>, // where processes share nodes
    processes: Processes,
    messages: Messages,
    width: usize, // places for messages to one process: as many as it may receive in a stage
    message_count: u64,
    hop_count: u64,
    link_use: Option<LinkUse>,
    observer: &'run mut O,
}

impl<'run, P: Program, A: Arbiter, O: Observer> Engine<'run, P, A, O> {
    fn new(
        program: &'run P,
        placement: &'run Placement,
        communication: Communication,
        arbiter: A,
        begins: Begins<'_>,
        link_use: Option<LinkUse>,
        observer: &'run mut O,
    ) -> Self {
        let nodes = placement.nodes();
        let width = program.most_received().max(1);
        Self {
            program,
            machine: placement.machine(),
            communication,
            channels: Channels::new(placement.machine()),
            arbiter,
            in_flight: InFlight::default(),
            departures: vec![],
            beginners: Beginners::new(nodes.len() as u64, begins),
            computing: Computing::default(),
            processors: (!placement.is_one_to_one()).then(|| Processors::new(&nodes)),
            processes: Processes::new(nodes.len(), width),
            messages: Messages::new(nodes.len() * width),
            nodes,
            width,
            message_count: 0,
            hop_count: 0,
            link_use,
            observer,
        }
    }

    fn run(mut self) -> Result<Traffic, ProcessId> {
        while let Some(now) = self.next_event() {
            self.arrive(now);
            self.settle(now);
            self.depart(now);
        }
        self.traffic()
    }

    /// A process wants to compute: at once on a node of its own, in its turn on a shared one.
    fn compute(&mut self, process: ProcessId, now: Cycle) {
        match &mut self.processors {
            None => self.computing.add(now + self.program.compute(), process),
            Some(processors) => processors.want(process, now),
        }
    }

    /// The next cycle at which a transmission or a computation ends or a process may begin.
    fn next_event(&self) -> Option<Cycle> {
        let events = [self.in_flight.next_end(), self.computing.next_end(), self.beginners.next()];
        events.into_iter().flatten().min()
    }

    /// Every transmission that ends at `now` arrives.
    ///
    /// All are released before any goes on, so that a message finds the channel free that the one ahead
    /// of it leaves in the same cycle.
    fn arrive(&mut self, now: Cycle) {
        let Some(batch) = self.in_flight.take_ended(now) else { return };
        for transit in &batch {
            self.arbiter.release(transit);
        }
        for transit in &batch {
            let node = self.channels.next(transit);
            if transit.hops > 1 {
                let onward = Transit { node, hops: transit.hops - 1, ..*transit };
                self.arbiter.join(onward, now, &self.messages);
            } else {
                self.turn(transit.message, NodeId::new(node), now);
            }
        }
        self.in_flight.recycle(batch);
    }

    /// A message begins its next leg at `node`, or has arrived.
    fn turn(&mut self, message: u32, node: NodeId, now: Cycle) {
        let destination = self.node(self.messages.identity(message).destination());
        match self.machine.next_leg(node, destination, self.communication.tie()) {
            Some(leg) => self.arbiter.join(Channels::transit(message, node, leg), now, &self.messages),
            None => self.deliver(message, now),
        }
    }

    /// All that happens at `now` after the arrivals: with computations of no time, processes that finish
    /// become ready again in the same cycle.
    fn settle(&mut self, now: Cycle) {
        while let Some(process) = self.beginners.take(now) {
            self.compute(process, now);
        }
        self.start_computations(now);
        loop {
            while let Some(process) = self.computing.take_ended(now) {
                self.become_ready(process, now);
            }
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

    /// A computation ends: the process is ready for the messages of its stage.
    fn become_ready(&mut self, process: ProcessId, now: Cycle) {
        if let Some(processors) = &mut self.processors {
            processors.release(process);
        }
        let stage = self.processes.become_ready(process, now);
        let program = self.program;
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
        let slot = self.processes.next_slot(destination);
        let message = place(destination.label() as usize * self.width + slot);
        let identity =
            Identity { stage: place(stage), source: source.label(), destination: destination.label() };
        self.messages.set(message, identity, now);
        self.message_count += 1;
        self.turn(message, self.node(source), now);
    }

    /// A message reaches its destination.
    fn deliver(&mut self, message: u32, now: Cycle) {
        let identity = self.messages.identity(message);
        let process = identity.destination();
        let start = self.messages.start(message);
        if let Some((source, start)) = self.processes.receive(process, identity.source(), start, now) {
            let distance = self.machine.distance(self.node(source), self.node(process));
            self.finish_stage(process, start, self.communication.hop() * distance, now);
        }
    }

    /// A stage is over for a process, which goes on to the next.
    fn finish_stage(&mut self, process: ProcessId, start: Cycle, transfer: Cycles, now: Cycle) {
        let (stage, ready) = self.processes.current(process);
        let sharing = self.processors.as_ref().map_or(Cycles::ZERO, |processors| processors.sharing(process));
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
            self.compute(process, now);
        } else {
            self.processes.end(process);
        }
    }

    /// Idle resources pick, and what they pick departs.
    fn depart(&mut self, now: Cycle) {
        self.arbiter.depart(&self.messages, &mut self.departures);
        self.hop_count += self.departures.len() as u64;
        if let Some(link_use) = &mut self.link_use {
            for transit in &self.departures {
                link_use.count(transit);
            }
        }
        self.in_flight.add(now + self.communication.hop(), &mut self.departures);
    }

    fn node(&self, process: ProcessId) -> NodeId {
        self.nodes[process.label() as usize]
    }

    fn traffic(self) -> Result<Traffic, ProcessId> {
        if let Some(process) = self.processes.unfinished() {
            return Err(process);
        }
        Ok(Traffic {
            messages: self.message_count,
            hops: self.hop_count,
            longest_queue: Some(self.arbiter.longest_queue()),
            routing: None,
            link_use: self.link_use,
        })
    }
}

/// A place or number that the checks before a run have found to fit 32 bits.
fn place(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
