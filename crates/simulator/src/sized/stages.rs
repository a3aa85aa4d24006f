//! The processes of a stage program: computations and messages, stage by stage (`docs/model.md`
//! sections 5, 14 and 15).

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::narrow;

use super::{
    Event, EventKind, MessageSource, ReceivedMessage, Transport,
    message_table::MessageRecord,
    progress::{Progress, Receipt},
};
use crate::{
    Communication, Cycle, Cycles, Observer, Program, StageRecord, Traffic, hop::StartTimes,
    processors::Processors,
};

/// Runs `program` to its end, reporting to `observer`; each process may begin as `starts` says.
///
/// # Errors
///
/// The first process that did not reach its end, which none does whose sources and destinations
/// match.
pub(crate) fn run<P: Program, O: Observer>(
    program: &P,
    placement: &Placement,
    communication: Communication,
    starts: StartTimes<'_>,
    observer: &mut O,
) -> Result<Traffic, ProcessId> {
    let mut transport = Transport::new(placement, communication, program.uniform_units());
    let mut processes =
        StageProcesses::new(program, placement, communication, starts, &mut transport, observer);
    transport.run(&mut processes);
    processes.progress.unfinished().map_or_else(|| Ok(transport.traffic()), Err)
}

struct StageProcesses<'run, P, O> {
    program: &'run P,
    communication: Communication,
    progress: Progress,
    processors: Option<Processors>, // where processes may wait for one
    beginning: Vec<ProcessId>,      // that begin their next stage in this cycle
    ready: Vec<ProcessId>,          // that become ready in this cycle
    observer: &'run mut O,
}

impl<'run, P: Program, O: Observer> StageProcesses<'run, P, O> {
    fn new(
        program: &'run P,
        placement: &'run Placement,
        communication: Communication,
        starts: StartTimes<'_>,
        transport: &mut Transport<'_>,
        observer: &'run mut O,
    ) -> Self {
        let nodes = &transport.nodes;
        let per_node = communication.processors();
        let processors = (placement.max_load() > per_node.get()).then(|| Processors::new(nodes, per_node));
        let processes = ProcessId::first(program.process_count());
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
            communication,
            progress: Progress::new(nodes.len()),
            processors,
            beginning,
            ready: vec![],
            observer,
        }
    }

    /// Processes begin stages and become ready until none does: a process that passes through a
    /// stage in no time begins the next in the same cycle.
    fn process_zero_time_events(&mut self, now: Cycle, transport: &mut Transport<'_>) {
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

    fn begin_stage(&mut self, process: ProcessId, now: Cycle, transport: &mut Transport<'_>) {
        let computation = self.program.computation(self.progress.next_stage(process), process);
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
    fn become_ready(&mut self, process: ProcessId, now: Cycle, transport: &mut Transport<'_>) {
        let program = self.program;
        let stage = self.progress.become_ready(process, now);
        let mut awaited = 0;
        for source in program.sources(stage, process) {
            awaited += 1;
            if self.progress.was_ready(source, stage) && !self.is_eager(stage, source, process) {
                self.inject(stage, source, process, now, transport);
            }
        }
        for destination in program.destinations(stage, process) {
            if self.progress.was_ready(destination, stage) || self.is_eager(stage, process, destination) {
                self.inject(stage, process, destination, now, transport);
            }
        }
        if self.progress.await_messages(process, awaited) {
            self.finish_stage(process, now);
        }
    }

    /// Whether a message sets out as soon as its source is ready.
    fn is_eager(&self, stage: usize, source: ProcessId, destination: ProcessId) -> bool {
        match self.communication.eager() {
            0 => false,
            eager => self.program.units(stage, source, destination) <= eager,
        }
    }

    /// A message sets out.
    fn inject(
        &mut self,
        stage: usize,
        source: ProcessId,
        destination: ProcessId,
        now: Cycle,
        transport: &mut Transport<'_>,
    ) {
        let units = self.program.units(stage, source, destination);
        let record = MessageRecord {
            start: now,
            stage: narrow(stage as u64), // below 2^32, which no run reaches
            operation: 0,
            receive: 0,
            source,
            destination,
            to: transport.node_of(destination),
            distance: 0,
        };
        if let Some(received) = transport.inject(record, units, now) {
            self.receive(&received, now);
        }
    }

    fn receive(&mut self, message: &ReceivedMessage, now: Cycle) {
        let MessageRecord { start, stage, source, destination, .. } = message.record;
        let receipt = Receipt { cycle: now, source, start, transfer: message.transfer };
        if self.progress.receive(destination, stage, receipt) {
            self.finish_stage(destination, now);
        }
    }

    /// A stage is over for a process, which begins the next.
    fn finish_stage(&mut self, process: ProcessId, now: Cycle) {
        let (stage, ready, last) = self.progress.current(process);
        let (start, alone) = last.map_or((ready, Cycles::ZERO), |last| (last.start, last.transfer));
        let transfer = alone.min(now - start.max(ready));
        let sharing = match &self.processors {
            Some(processors) if self.program.computation(stage, process) > Cycles::ZERO => {
                processors.sharing(process)
            }
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
        if stage + 1 < self.program.stage_count() {
            self.beginning.push(process);
        } else {
            self.progress.end(process);
        }
    }
}

impl<P: Program, O: Observer> MessageSource for StageProcesses<'_, P, O> {
    #[inline]
    fn begin(&mut self, process: ProcessId) {
        self.beginning.push(process);
    }

    #[inline]
    fn computed(&mut self, computation: u32, _: Cycle, _: &mut Transport<'_>) {
        let process = ProcessId::new(computation);
        if let Some(processors) = &mut self.processors {
            processors.release(process);
        }
        self.ready.push(process);
    }

    #[inline]
    fn received(&mut self, message: &ReceivedMessage, now: Cycle, _: &mut Transport<'_>) {
        self.receive(message, now);
    }

    fn grant(&mut self, now: Cycle, transport: &mut Transport<'_>) {
        self.process_zero_time_events(now, transport);
        if let Some(processors) = &mut self.processors {
            let (program, progress, events) = (self.program, &self.progress, &mut transport.events);
            processors.grant(now, |process| {
                let computation = program.computation(progress.next_stage(process), process);
                events.add(computed(process), (now + computation).get());
            });
        }
    }
}

fn computed(process: ProcessId) -> Event {
    Event::numbered(process.label(), EventKind::Computed)
}
