//! The processes of a stage program: computations and messages, stage by stage (`docs/model.md`
//! sections 5, 14 and 15).

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{NodeId, narrow};

use super::{
    Event, EventKind, MessageSource, ReceivedMessage, Transport,
    border::Note,
    message_table::MessageRecord,
    progress::{Progress, Receipt},
};
use crate::{
    Communication, Cycle, Cycles, End, Observer, Peer, Program, StageRecord, Traffic,
    hop::StartTimes,
    processors::Processors,
    slabs::{Border, ReadySource},
};

/// Runs `program` to its end, reporting to `observer`; each process may begin as `starts` says.
///
/// # Errors
///
/// The first process that did not reach its end, which none does whose sources and destinations
/// match.
pub(crate) fn run(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    starts: StartTimes<'_>,
    observer: &mut dyn Observer,
) -> Result<Traffic, ProcessId> {
    let transport = Transport::whole(placement, communication, program.facts().uniform_units);
    run_stages(program, placement, starts, transport, observer)
}

/// Runs the processes of one engine to their ends. They are known by their indices, in what is reported, too.
///
/// # Errors
///
/// The first process of this engine that did not reach its end.
pub(super) fn run_stages<B: Border<Note = Note>>(
    program: &dyn Program,
    placement: &Placement,
    starts: StartTimes<'_>,
    mut transport: Transport<'_, B>,
    observer: &mut dyn Observer,
) -> Result<Traffic, ProcessId> {
    let mut processes = StageProcesses::new(program, placement, starts, &mut transport, observer);
    transport.run(&mut processes);
    match processes.progress.unfinished() {
        None => Ok(transport.traffic()),
        Some(process) => Err(transport.border.label(process)),
    }
}

/// The processes of one engine.
struct StageProcesses<'run> {
    program: &'run dyn Program,
    stage_count: usize,
    communication: Communication,
    progress: Progress,
    processors: Option<Processors>,    // where processes may wait for one
    beginning: Vec<ProcessId>,         // that begin their next stage in this cycle
    ready: Vec<ProcessId>,             // that become ready in this cycle
    sources: Vec<(ProcessId, NodeId)>, // of messages that set out together
    peers: Vec<Peer>,                  // of one process
    observer: &'run mut dyn Observer,
}

impl<'run> StageProcesses<'run> {
    fn new<B: Border<Note = Note>>(
        program: &'run dyn Program,
        placement: &Placement,
        starts: StartTimes<'_>,
        transport: &mut Transport<'_, B>,
        observer: &'run mut dyn Observer,
    ) -> Self {
        let (nodes, communication) = (&transport.nodes, transport.communication);
        let per_node = communication.processors();
        let processors = (placement.max_load() > per_node.get()).then(|| Processors::new(nodes, per_node));
        let processes = ProcessId::first(nodes.len() as u64);
        let mut beginning = vec![];
        match starts {
            StartTimes::Together => beginning = processes.collect(),
            StartTimes::Each(cycles) => {
                for (process, cycle) in processes.zip(cycles) {
                    let event = Event::numbered(process.label(), EventKind::Begin);
                    transport.events.add(event, cycle.get());
                }
            }
        }
        // Taken from the end.
        beginning.reverse();
        Self {
            program,
            stage_count: program.stage_count(),
            communication,
            progress: Progress::new(nodes.len()),
            processors,
            beginning,
            ready: vec![],
            sources: vec![],
            peers: vec![],
            observer,
        }
    }

    /// Processes begin stages and become ready until none does: a process that passes through a
    /// stage in no time begins the next in the same cycle.
    fn process_zero_time_events<B: Border<Note = Note>>(
        &mut self,
        now: Cycle,
        transport: &mut Transport<'_, B>,
    ) {
        loop {
            while let Some(process) = self.beginning.pop() {
                self.begin_stage(process, now, transport);
            }
            if self.ready.is_empty() {
                return;
            }
            let mut ready = std::mem::take(&mut self.ready);
            for process in ready.drain(..) {
                self.become_ready(process, now, transport);
            }
            self.ready = ready;
        }
    }

    /// What another engine has said.
    fn take_note<B: Border<Note = Note>>(
        &mut self,
        note: &Note,
        now: Cycle,
        transport: &mut Transport<'_, B>,
    ) {
        match note {
            Note::Ready(ready) => {
                // The recipient is the engine of the destination.
                let Some(destination) = transport.border.index(ready.destination) else { return };
                let stage = ready.stage as usize;
                let units = self.program.units(stage, ready.source, ready.destination);
                if self.progress.was_ready(destination, stage) || self.communication.is_eager(units) {
                    self.inject(stage, units, (ready.source, ready.from), destination, now, transport);
                } else {
                    transport.border.keep(destination, *ready);
                }
            }
            Note::Join(traveller) => transport.admit(traveller, now),
            Note::Receipt(message) => {
                if let Some(received) = transport.receive_packet(*message) {
                    self.receive(&received, now, transport);
                }
            }
        }
    }

    fn begin_stage<B: Border<Note = Note>>(
        &mut self,
        process: ProcessId,
        now: Cycle,
        transport: &mut Transport<'_, B>,
    ) {
        let label = transport.border.label(process);
        let computation = self.program.computation(self.progress.next_stage(process), label);
        if computation == Cycles::ZERO {
            self.ready.push(process);
            return;
        }
        match &mut self.processors {
            None => {
                transport.events.add(computed(process), (now + computation).get());
            }
            Some(processors) => processors.request(process, now),
        }
    }

    /// A process is ready for the messages of its stage, after its computation or without one.
    fn become_ready<B: Border<Note = Note>>(
        &mut self,
        process: ProcessId,
        now: Cycle,
        transport: &mut Transport<'_, B>,
    ) {
        let stage = self.progress.become_ready(process, now);
        let awaited = self.receive_from_ready(stage, process, now, transport);
        self.send_to_ready(stage, process, now, transport);
        if self.progress.await_messages(process, awaited) {
            self.finish_stage(process, now, transport);
        }
    }

    /// The messages set out to a process that has just become ready, from the sources that are. Returns the number of all
    /// messages to it.
    #[inline]
    fn receive_from_ready<B: Border<Note = Note>>(
        &mut self,
        stage: usize,
        process: ProcessId,
        now: Cycle,
        transport: &mut Transport<'_, B>,
    ) -> i64 {
        let mut peers = std::mem::take(&mut self.peers);
        self.program.list(End::Destination, stage, transport.border.label(process), &mut peers);
        let awaited = i64::from(narrow(peers.len() as u64)); // below 2^32
        for Peer { process: source, units } in peers.drain(..) {
            if let Some(own) = transport.border.index(source)
                && self.progress.was_ready(own, stage)
                && !self.communication.is_eager(units)
            {
                self.inject(stage, units, (source, transport.node_of(own)), process, now, transport);
            }
        }
        self.peers = peers;
        if !B::IS_ALONE {
            let mut sources = std::mem::take(&mut self.sources);
            transport.border.take_kept(process, narrow(stage as u64), &mut sources); // no run has 2^32 stages
            for source in sources.drain(..) {
                let units = self.program.units(stage, source.0, transport.border.label(process));
                self.inject(stage, units, source, process, now, transport);
            }
            self.sources = sources;
        }
        awaited
    }

    /// The messages of a process that has just become ready set out, to the destinations that are, or as eager ones.
    #[inline]
    fn send_to_ready<B: Border<Note = Note>>(
        &mut self,
        stage: usize,
        process: ProcessId,
        now: Cycle,
        transport: &mut Transport<'_, B>,
    ) {
        let (label, from) = (transport.border.label(process), transport.node_of(process));
        let mut peers = std::mem::take(&mut self.peers);
        self.program.list(End::Source, stage, label, &mut peers);
        for Peer { process: destination, units } in peers.drain(..) {
            if let Some(own) = transport.border.index(destination) {
                if self.progress.was_ready(own, stage) || self.communication.is_eager(units) {
                    self.inject(stage, units, (label, from), own, now, transport);
                }
            } else {
                let stage = narrow(stage as u64);
                transport.border.announce(ReadySource { stage, source: label, from, destination });
            }
        }
        self.peers = peers;
    }

    /// A message sets out from a source at a node, which may be of another engine.
    fn inject<B: Border<Note = Note>>(
        &mut self,
        stage: usize,
        units: u64,
        (source, from): (ProcessId, NodeId),
        destination: ProcessId,
        now: Cycle,
        transport: &mut Transport<'_, B>,
    ) {
        let (to, destination) = (transport.node_of(destination), transport.border.label(destination));
        let record = MessageRecord {
            start: now,
            stage: narrow(stage as u64), // below 2^32, which no run reaches
            operation: 0,
            receiver: 0,
            size: 0,
            source,
            destination,
            to,
            distance: 0,
        };
        if let Some(received) = transport.inject(record, from, units, now) {
            self.receive(&received, now, transport);
        }
    }

    fn receive<B: Border<Note = Note>>(
        &mut self,
        message: &ReceivedMessage,
        now: Cycle,
        transport: &Transport<'_, B>,
    ) {
        let MessageRecord { start, stage, source, destination, .. } = message.record;
        // The destination of a message that is received is of this engine.
        let Some(own) = transport.border.index(destination) else { return };
        let receipt = Receipt { cycle: now, source, start, transfer: message.transfer };
        if self.progress.receive(own, stage, receipt) {
            self.finish_stage(own, now, transport);
        }
    }

    /// A stage is over for a process, which begins the next.
    fn finish_stage<B: Border<Note = Note>>(
        &mut self,
        process: ProcessId,
        now: Cycle,
        transport: &Transport<'_, B>,
    ) {
        let (stage, ready, last) = self.progress.current(process);
        let (start, alone) = last.map_or((ready, Cycles::ZERO), |last| (last.start, last.transfer));
        let transfer = alone.min(now - start.max(ready));
        let computes = || self.program.computation(stage, transport.border.label(process)) > Cycles::ZERO;
        let sharing = match &self.processors {
            Some(processors) if computes() => processors.sharing(process),
            _ => Cycles::ZERO,
        };
        self.observer.stage_finished(&StageRecord {
            process,
            stage,
            sharing,
            ready,
            start,
            finish: now,
            transfer,
            overlapped: alone - transfer,
            idle: Cycles::ZERO,
        });
        if stage + 1 < self.stage_count {
            self.beginning.push(process);
        } else {
            self.progress.end(process);
        }
    }
}

impl<B: Border<Note = Note>> MessageSource<B> for StageProcesses<'_> {
    #[inline]
    fn begin(&mut self, process: ProcessId) {
        self.beginning.push(process);
    }

    #[inline]
    fn computed(&mut self, computation: u32, _: Cycle, _: &mut Transport<'_, B>) {
        let process = ProcessId::new(computation);
        if let Some(processors) = &mut self.processors {
            processors.release(process);
        }
        self.ready.push(process);
    }

    #[inline]
    fn received(&mut self, message: &ReceivedMessage, now: Cycle, transport: &mut Transport<'_, B>) {
        self.receive(message, now, transport);
    }

    fn grant(&mut self, now: Cycle, transport: &mut Transport<'_, B>) {
        loop {
            self.process_zero_time_events(now, transport);
            let all_told = transport.border.exchange(None);
            while let Some(note) = transport.border.take_note() {
                self.take_note(&note, now, transport);
            }
            if all_told {
                break; // the last notes were of packets that join queues
            }
        }
        if let Some(processors) = &mut self.processors {
            let (program, progress, Transport { events, border, .. }) =
                (self.program, &self.progress, transport);
            processors.grant(now, |process| {
                let computation = program.computation(progress.next_stage(process), border.label(process));
                events.add(computed(process), (now + computation).get());
            });
        }
    }
}

fn computed(process: ProcessId) -> Event {
    Event::numbered(process.label(), EventKind::Computed)
}
