//! One worker: its processes, the messages on its lines, and what it does in a cycle.

use std::num::NonZeroU64;

use cubefold_mapping::ProcessId;
use cubefold_topology::{Leg, NodeId, narrow};

use super::{
    super::{
        Network, PREFETCH_CHUNK,
        computing::Computing,
        flow::{Flow, Word},
    },
    Division,
    messages::{MessageRecord, MessageRecords},
    ready_sources::ReadySources,
    transport::Transport,
};
use crate::{
    Cycle, Cycles, MessageTiming, Observer, Program, StageRecord, Traffic,
    processors::Processors,
    routes::Routes,
    sized::progress::{Progress, Receipt},
};

/// What one worker says to another. It concerns the present cycle.
#[derive(Debug, Clone, Copy)]
pub(super) enum Note {
    /// `source` is ready for its message to `destination` in `stage`.
    Ready { source: ProcessId, destination: ProcessId, stage: u32 },
    /// A message at `node` joins the queue of the first channel of `leg`.
    Join { message: MessageRecord, node: NodeId, leg: Leg },
    /// A message has arrived at the node of its destination.
    Receipt(MessageRecord),
}

/// What is the same for all workers.
pub(super) struct RunInput<'run, P> {
    pub(super) program: &'run P,
    pub(super) nodes: &'run [NodeId], // by process
    pub(super) timing: MessageTiming,
    pub(super) shares_nodes: bool,
}

pub(super) struct Worker<'run, P, W, T, O> {
    input: &'run RunInput<'run, P>,
    division: &'run Division,
    number: usize,
    own: Vec<ProcessId>, // its processes, in ascending order; elsewhere a process of its own is an index of these
    routes: Routes<'run>,
    network: Flow<W>,
    messages: MessageRecords, // on its lines
    progress: Progress,
    ready_sources: ReadySources,
    computing: Computing,
    processors: Option<Processors>, // where processes share nodes
    beginning: Vec<ProcessId>,
    ready_without_compute: Vec<ProcessId>, // in this cycle
    arrived: Vec<(u32, NodeId)>,           // the messages of a chunk, and where they are
    outgoing: Vec<Vec<Note>>,
    has_asked: bool, // whether it has sent a note that another may answer in this cycle
    incoming: Vec<Note>,
    sources: Vec<ProcessId>, // of messages that set out together
    transport: T,
    message_count: u64,
    hop_count: u64,
    observer: O,
}

/// The value of a worker that waits for nothing.
const NEVER: u64 = u64::MAX;

impl<'run, P: Program, W: Word, T: Transport<Note>, O: Observer> Worker<'run, P, W, T, O> {
    pub(super) fn new(
        input: &'run RunInput<'run, P>,
        division: &'run Division,
        number: usize,
        routes: Routes<'run>,
        network: Flow<W>,
        transport: T,
        observer: O,
    ) -> Self {
        let own: Vec<_> = ProcessId::first(input.nodes.len() as u64)
            .filter(|process| division.owner(input.nodes[process.label() as usize]) == number)
            .collect();
        let nodes: Vec<_> = own.iter().map(|process| input.nodes[process.label() as usize]).collect();
        Self {
            input,
            division,
            number,
            routes,
            network,
            messages: MessageRecords::default(),
            progress: Progress::new(own.len()),
            ready_sources: ReadySources::new(own.len()),
            computing: Computing::default(),
            processors: input.shares_nodes.then(|| Processors::new(&nodes, NonZeroU64::MIN)),
            beginning: ProcessId::first(own.len() as u64).collect(),
            own,
            ready_without_compute: vec![],
            arrived: vec![],
            outgoing: (0..division.workers()).map(|_| vec![]).collect(),
            has_asked: false,
            incoming: vec![],
            sources: vec![],
            transport,
            message_count: 0,
            hop_count: 0,
            observer,
        }
    }

    /// Runs the program to its end, cycle by cycle, with all other workers; returns what it has
    /// counted, and its observer.
    ///
    /// # Errors
    ///
    /// The first of its processes that did not reach its end.
    pub(super) fn run(mut self) -> Result<(Traffic, O), ProcessId> {
        let mut now = Cycle::START;
        loop {
            self.network.arrive(now, &self.messages);
            self.advance_arrived(now);
            self.process_zero_time_events(now);
            self.network.depart(now, &self.messages);
            let next = [self.network.next_end(), self.computing.next_end()].into_iter().flatten().min();
            match self.exchange(next.map_or(NEVER, Cycle::get)) {
                NEVER => return self.end(),
                cycle => now = Cycle::new(cycle),
            }
        }
    }

    /// Sends all notes and receives those of others.
    fn exchange(&mut self, value: u64) -> u64 {
        self.has_asked = false;
        self.transport.exchange(&mut self.outgoing, &mut self.incoming, value)
    }

    /// The messages whose legs are over begin the next, or are received.
    fn advance_arrived(&mut self, now: Cycle) {
        let mut arrived = std::mem::take(&mut self.arrived);
        loop {
            arrived.extend(std::iter::from_fn(|| self.network.take_arrived()).take(PREFETCH_CHUNK));
            if arrived.is_empty() {
                break;
            }
            for &(message, _) in &arrived {
                self.messages.fetch(message);
            }
            for (message, node) in arrived.drain(..) {
                self.advance(message, node, now);
            }
        }
        self.arrived = arrived;
    }

    /// A message begins a leg at `node`, or continues one, or is received.
    fn advance(&mut self, message: u32, node: NodeId, now: Cycle) {
        let Some(leg) = self.routes.next_leg(|| node, node, self.messages.record(message).to) else {
            let record = self.messages.remove(message);
            let owner = self.division.owner(record.to);
            if owner == self.number {
                self.receive(&record, now);
            } else {
                self.has_asked = true;
                self.outgoing[owner].push(Note::Receipt(record));
            }
            return;
        };
        let owner = self.network.owner(node, leg);
        if owner == self.number {
            self.network.join(message, node, leg, now, &self.messages);
        } else {
            let message = self.messages.remove(message);
            self.outgoing[owner].push(Note::Join { message, node, leg });
        }
    }

    /// Processes all that happens at `now` after the arrivals, until no worker has more to do.
    ///
    /// Processors of shared nodes are granted when no process becomes ready any more: with
    /// computations of no time, processes may become ready again in the same cycle.
    fn process_zero_time_events(&mut self, now: Cycle) {
        loop {
            while let Some(process) = self.beginning.pop() {
                self.begin_stage(process, now);
            }
            self.become_all_ready(now);
            let is_last = self.exchange(if self.has_asked { 0 } else { NEVER }) == NEVER;
            self.take_notes(now);
            if !is_last {
                continue;
            }
            let granted = self.start_computations(now);
            let is_over = match self.input.program.compute() {
                Cycles::ZERO if self.processors.is_some() => {
                    self.exchange(if granted > 0 { 0 } else { NEVER }) == NEVER
                }
                _ => true,
            };
            if is_over {
                return;
            }
        }
    }

    fn take_notes(&mut self, now: Cycle) {
        let mut incoming = std::mem::take(&mut self.incoming);
        for note in incoming.drain(..) {
            match note {
                Note::Ready { source, destination, stage } => {
                    self.source_is_ready(stage, source, destination, now);
                }
                Note::Join { message, node, leg } => {
                    let message = self.messages.insert(message);
                    self.network.join(message, node, leg, now, &self.messages);
                }
                Note::Receipt(message) => self.receive(&message, now),
            }
        }
        self.incoming = incoming;
    }

    /// A process of its own begins its next stage with its computation: at once on a node of its own,
    /// in its turn on a shared one.
    fn begin_stage(&mut self, process: ProcessId, now: Cycle) {
        let program = self.input.program;
        if !program.computes(self.progress.next_stage(process), self.own[process.label() as usize]) {
            self.ready_without_compute.push(process);
            return;
        }
        match &mut self.processors {
            None => self.computing.add(now + program.compute(), process),
            Some(processors) => processors.request(process, now),
        }
    }

    /// Idle processors of shared nodes are granted; returns their number.
    fn start_computations(&mut self, now: Cycle) -> usize {
        let Some(processors) = &mut self.processors else { return 0 };
        let end = now + self.input.program.compute();
        processors.grant(now, |process| self.computing.add(end, process))
    }

    /// The processes whose computations end, or that do not compute, become ready for their
    /// messages.
    fn become_all_ready(&mut self, now: Cycle) {
        while let Some(process) = self.computing.take_ended(now).or_else(|| self.ready_without_compute.pop())
        {
            self.become_ready(process, now);
        }
    }

    /// A process of its own is ready for the messages of its stage, after its computation or without
    /// one.
    fn become_ready(&mut self, process: ProcessId, now: Cycle) {
        let stage = self.progress.become_ready(process, now);
        let (program, global) = (self.input.program, self.own[process.label() as usize]);
        if let Some(processors) = &mut self.processors
            && program.computes(stage, global)
        {
            processors.release(process);
        }
        let awaited = i64::try_from(program.sources(stage, global).count()).unwrap_or(i64::MAX);
        let is_over = self.progress.await_messages(process, awaited);
        let stage_number = narrow(stage as u64); // below 2^32, which no run reaches
        let mut sources = std::mem::take(&mut self.sources);
        self.ready_sources.take(process, stage_number, &mut sources);
        for source in sources.drain(..) {
            self.inject(stage_number, source, global, now);
        }
        self.sources = sources;
        for destination in program.destinations(stage, global) {
            let owner = self.division.owner(self.node(destination));
            if owner == self.number {
                self.source_is_ready(stage_number, global, destination, now);
            } else {
                self.has_asked = true;
                let note = Note::Ready { source: global, destination, stage: stage_number };
                self.outgoing[owner].push(note);
            }
        }
        if is_over {
            self.finish_stage(process, now);
        }
    }

    fn node(&self, process: ProcessId) -> NodeId {
        self.input.nodes[process.label() as usize]
    }

    /// The source of a message to a process of its own is ready: the message sets out when the
    /// destination is ready, too.
    fn source_is_ready(&mut self, stage: u32, source: ProcessId, destination: ProcessId, now: Cycle) {
        let process = self.division.index(destination);
        if self.progress.was_ready(process, stage as usize) {
            self.inject(stage, source, destination, now);
        } else {
            self.ready_sources.add(process, stage, source);
        }
    }

    /// A message to a process of its own sets out.
    fn inject(&mut self, stage: u32, source: ProcessId, destination: ProcessId, now: Cycle) {
        let (from, to) = (self.node(source), self.node(destination));
        let (distance, leg) = self.routes.begin(from, to);
        self.message_count += 1;
        self.hop_count += distance;
        let distance = narrow(distance); // below 2^32, the number of nodes
        let message = MessageRecord { start: now, stage, source, destination, to, distance };
        let Some(leg) = leg else {
            self.receive(&message, now);
            return;
        };
        let owner = self.network.owner(from, leg);
        if owner == self.number {
            let message = self.messages.insert(message);
            self.network.join(message, from, leg, now, &self.messages);
        } else {
            self.outgoing[owner].push(Note::Join { message, node: from, leg });
        }
    }

    /// A message is received by a process of its own.
    fn receive(&mut self, message: &MessageRecord, now: Cycle) {
        let &MessageRecord { start, stage, source, destination, distance, .. } = message;
        let transfer = self.input.timing.transfer(distance.into());
        let process = self.division.index(destination);
        let receipt = Receipt { cycle: now, source, start, transfer };
        if self.progress.receive(process, stage, receipt) {
            self.finish_stage(process, now);
        }
    }

    /// A stage is over for a process of its own, which begins the next.
    fn finish_stage(&mut self, process: ProcessId, now: Cycle) {
        let (stage, ready, last) = self.progress.current(process);
        let (start, transfer) = last.map_or((ready, Cycles::ZERO), |last| (last.start, last.transfer));
        let (program, global) = (self.input.program, self.own[process.label() as usize]);
        let processors = self.processors.as_ref().filter(|_| program.computes(stage, global));
        self.observer.stage_finished(&StageRecord {
            process: global,
            stage,
            sharing: processors.map_or(Cycles::ZERO, |processors| processors.sharing(process)),
            ready,
            start,
            finish: now,
            transfer,
            overlapped: Cycles::ZERO,
            idle: Cycles::ZERO,
        });
        if stage + 1 < program.stage_count() {
            self.begin_stage(process, now);
        } else {
            self.progress.end(process);
        }
    }

    fn end(self) -> Result<(Traffic, O), ProcessId> {
        if let Some(process) = self.progress.unfinished() {
            return Err(self.own[process.label() as usize]);
        }
        let traffic = Traffic {
            messages: self.message_count,
            hops: self.hop_count,
            longest_queue: Some(self.network.longest_queue()),
            routing: None,
            link_use: None,
        };
        Ok((traffic, self.observer))
    }
}
