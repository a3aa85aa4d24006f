//! The engine: what processes do in each cycle, and what becomes of their messages.

mod set_out;

use std::num::NonZeroU64;

use cubefold_mapping::ProcessId;
use cubefold_topology::NodeId;
use prefetch_index::prefetch_index;

use self::set_out::SettingOut;
use super::{
    HopInput, Network,
    border::{HopBorder, Keys, Note},
    computing::{Computing, PendingStarts},
    processes::{InFlightMessage, Processes},
};
use crate::{
    Cycle, Cycles, Facts, MessageTiming, Observer, Peer, Program, StageRecord, Traffic,
    processors::Processors, slabs::NoBorder,
};

/// The number of processes whose records are prefetched together, so that their cache misses overlap.
const PREFETCH_CHUNK: usize = 32;

/// The engine of all processes of a run, or of those of a slab.
pub(super) struct HopEngine<'run, N, B: HopBorder> {
    program: &'run dyn Program,
    facts: Facts,
    timing: MessageTiming,
    network: N,
    border: B,
    pending_starts: PendingStarts,
    computing: Computing,
    processors: Option<Processors>,        // where processes share nodes
    ready_without_compute: Vec<ProcessId>, // in this cycle
    arrived: Vec<(u32, NodeId)>,           // the messages of a chunk, and where they are
    ready_together: usize,                 // the most processes that become ready together
    becoming_ready: Vec<ProcessId>,        // together
    awaiting_none: Vec<ProcessId>,         // of them, those that receive no message
    sources: Vec<(ProcessId, NodeId)>,     // of messages that set out together
    peers: Vec<Peer>,                      // of one process
    notes: Vec<Note<B::Leg>>,              // of a chunk
    setting_out: Vec<SettingOut>,          // when those that become ready together have
    processes: Processes,
    message_count: u64,
    hop_count: u64,
    observer: &'run mut dyn Observer,
}

impl<'run, N: Network> HopEngine<'run, N, NoBorder<Note<N::Leg>>> {
    /// The engine of a whole run: an index is a label.
    pub(super) fn whole(input: &HopInput<'run>, network: N, observer: &'run mut dyn Observer) -> Self {
        let nodes = input.placement.nodes();
        input.placement.machine().prepare_routes(&nodes);
        Self::new(input, &nodes, network, NoBorder::new(), observer)
    }
}

/// Processes are known by their indices, in `nodes` and in what is reported to the observer.
impl<'run, N: Network, B: HopBorder<Leg = N::Leg>> HopEngine<'run, N, B> {
    /// The engine of the processes on these nodes.
    pub(super) fn new(
        input: &HopInput<'run>,
        nodes: &[NodeId],
        network: N,
        border: B,
        observer: &'run mut dyn Observer,
    ) -> Self {
        let &HopInput { program, placement, communication, starts } = input;
        let facts = program.facts();
        Self {
            program,
            facts,
            timing: communication.timing(),
            network,
            border,
            pending_starts: PendingStarts::new(nodes.len() as u64, starts),
            computing: Computing::default(),
            ready_without_compute: vec![],
            arrived: vec![],
            ready_together: set_out::ready_together(facts.max_received),
            becoming_ready: vec![],
            awaiting_none: vec![],
            sources: vec![],
            peers: vec![],
            notes: vec![],
            setting_out: vec![],
            processors: (!placement.is_one_to_one()).then(|| Processors::new(nodes, NonZeroU64::MIN)),
            processes: Processes::new(nodes, facts.max_received),
            message_count: 0,
            hop_count: 0,
            observer,
        }
    }

    /// The same with so many processes that become ready together.
    #[cfg(test)]
    pub(super) fn with_ready_together(self, ready_together: usize) -> Self {
        Self { ready_together, ..self }
    }

    /// Runs the program to its end.
    ///
    /// # Errors
    ///
    /// The first process of this engine that did not reach its end.
    pub(super) fn run(mut self) -> Result<Traffic, ProcessId> {
        while let Some(now) = self.next_event() {
            let Self { network, processes, border, .. } = &mut self;
            network.arrive(now, &Keys { processes, border });
            self.advance_arrived(now);
            self.process_zero_time_events(now);
            let Self { network, processes, border, .. } = &mut self;
            network.depart(now, &Keys { processes, border });
        }
        self.traffic()
    }

    /// The next cycle at which a transmission or a computation ends or a process may begin.
    fn next_event(&mut self) -> Option<Cycle> {
        let own = self.next_own_event();
        self.border.next_event(own)
    }

    /// That of this engine, as far as it is known.
    fn next_own_event(&self) -> Option<Cycle> {
        let events = [self.network.next_end(), self.computing.next_end(), self.pending_starts.next()];
        events.into_iter().flatten().min()
    }

    /// The next cycle at which anything may happen in this engine or by its notes, if all processes compute that can and no
    /// engine has more to say at `now`; none before it does.
    fn next_event_after(&self, now: Cycle) -> Option<Cycle> {
        let departs = self.network.may_depart() || self.border.has_notes();
        let end = departs.then(|| now + self.timing.uniform_time());
        end.into_iter().chain(self.next_own_event()).min()
    }

    /// The messages whose legs are over begin the next, or are received.
    fn advance_arrived(&mut self, now: Cycle) {
        let mut arrived = std::mem::take(&mut self.arrived);
        loop {
            arrived.extend(std::iter::from_fn(|| self.network.take_arrived()).take(PREFETCH_CHUNK));
            if arrived.is_empty() {
                break;
            }
            self.prefetch_messages(arrived.iter().map(|&(message, _)| message));
            for (message, node) in arrived.drain(..) {
                let leg = self.next_leg(message, node);
                self.start_leg(message, node, leg, now);
            }
        }
        self.arrived = arrived;
    }

    /// The leg that a message begins or continues at `node`; none at its destination.
    #[inline]
    fn next_leg(&self, message: u32, node: NodeId) -> Option<N::Leg> {
        let to = match self.border.visitor(message) {
            Some(visitor) => visitor.to,
            None => self.processes.node(self.processes.destination(message)),
        };
        self.network.next_leg(node, to)
    }

    /// A message begins its next leg at `node`; one that has none is received.
    fn start_leg(&mut self, message: u32, node: NodeId, leg: Option<N::Leg>, now: Cycle) {
        let Some(leg) = leg else {
            match self.border.dismiss(message) {
                None => self.receive(message, now),
                Some(visitor) => {
                    if let Some(engine) = self.border.elsewhere(visitor.to) {
                        self.border.send(engine, Note::Receipt(visitor.number));
                    }
                }
            }
            return;
        };
        let Self { network, processes, border, .. } = self;
        if let Some(engine) = border.link_elsewhere(node, &leg) {
            let own = || Keys { processes, border: &*border }.visitor(message);
            let visitor = border.visitor(message).copied().unwrap_or_else(own);
            border.dismiss(message);
            border.send(engine, Note::Join(visitor, node, leg));
        } else {
            network.join(message, node, leg, now, &Keys { processes, border });
        }
    }

    /// Processes all that happens at `now` after the arrivals: with computations of no time,
    /// processes that finish a stage become ready again in the same cycle.
    fn process_zero_time_events(&mut self, now: Cycle) {
        while let Some(process) = self.pending_starts.take(now) {
            self.begin_stage(process, now);
        }
        loop {
            self.become_all_ready(now);
            let next = if B::IS_ALONE { None } else { self.next_event_after(now) };
            let all_told = self.border.exchange(next);
            self.take_notes(now);
            if all_told {
                let began = self.start_computations(now) > 0;
                if !self.border.any_began(began) {
                    return;
                }
            }
        }
    }

    /// Prefetches the records of these messages, and what the observer keeps of their destinations.
    fn prefetch_messages(&self, messages: impl Iterator<Item = u32>) {
        if self.processes.stay_in_cache() {
            return;
        }
        for message in messages {
            if let Some(visitor) = self.border.visitor(message) {
                prefetch_index(std::slice::from_ref(visitor), 0);
            } else {
                let destination = self.processes.destination(message);
                self.processes.prefetch(std::iter::once(destination));
                self.observer.prefetch(destination);
            }
        }
    }

    /// What other engines have said.
    fn take_notes(&mut self, now: Cycle) {
        let mut notes = std::mem::take(&mut self.notes);
        loop {
            notes.extend(std::iter::from_fn(|| self.border.take_note()).take(PREFETCH_CHUNK));
            if notes.is_empty() {
                break;
            }
            for note in &notes {
                match note {
                    Note::Ready(ready) => {
                        let destination = self.border.index(ready.destination);
                        self.processes.prefetch(destination.into_iter());
                        if let Some(process) = destination {
                            self.border.prefetch_kept(process);
                        }
                    }
                    Note::Receipt(message) => self.prefetch_messages(std::iter::once(*message)),
                    Note::Join(..) => {}
                }
            }
            for note in notes.drain(..) {
                self.take_note(note, now);
            }
            self.set_out(now);
        }
        self.notes = notes;
    }

    /// What another engine has said.
    fn take_note(&mut self, note: Note<N::Leg>, now: Cycle) {
        match note {
            Note::Ready(ready) => {
                // The recipient is the engine of the destination.
                let Some(destination) = self.border.index(ready.destination) else { return };
                if self.processes.was_ready(destination, ready.stage as usize) {
                    self.inject((ready.source, ready.from), destination);
                } else {
                    self.border.keep(destination, ready);
                }
            }
            Note::Join(visitor, at, leg) => {
                let message = self.border.admit(visitor);
                let Self { network, processes, border, .. } = self;
                network.join(message, at, leg, now, &Keys { processes, border });
            }
            Note::Receipt(message) => self.receive(message, now),
        }
    }

    /// A process begins its next stage with its computation: at once on a node of its own, in its
    /// turn on a shared one.
    fn begin_stage(&mut self, process: ProcessId, now: Cycle) {
        if !self.computes(self.processes.next_stage(process), process) {
            self.ready_without_compute.push(process);
            return;
        }
        match &mut self.processors {
            None => self.computing.add(now + self.facts.compute, process),
            Some(processors) => processors.request(process, now),
        }
    }

    /// Whether a process computes in a stage.
    fn computes(&self, stage: usize, process: ProcessId) -> bool {
        self.program.computation(stage, self.border.label(process)) > Cycles::ZERO
    }

    /// Idle processors of shared nodes are granted; returns their number.
    fn start_computations(&mut self, now: Cycle) -> usize {
        let Some(processors) = &mut self.processors else { return 0 };
        let end = now + self.facts.compute;
        processors.grant(now, |process| self.computing.add(end, process))
    }

    /// A message is received at its destination.
    fn receive(&mut self, message: u32, now: Cycle) {
        let process = self.processes.destination(message);
        if let Some(&InFlightMessage { start, distance, .. }) = self.processes.receive(process, message, now)
        {
            self.finish_stage(process, start, self.timing.transfer(distance.into()), now);
        }
    }

    /// A stage is over for a process, which begins the next.
    fn finish_stage(&mut self, process: ProcessId, start: Cycle, transfer: Cycles, now: Cycle) {
        let (stage, ready) = self.processes.current(process);
        let processors = self.processors.as_ref().filter(|_| self.computes(stage, process));
        let sharing = processors.map_or(Cycles::ZERO, |processors| processors.sharing(process));
        self.observer.stage_finished(&StageRecord {
            process,
            stage,
            sharing,
            ready,
            start,
            finish: now,
            transfer,
            overlapped: Cycles::ZERO,
            idle: Cycles::ZERO,
        });
        if stage + 1 < self.facts.stage_count {
            self.begin_stage(process, now);
        } else {
            self.processes.end(process);
        }
    }

    fn traffic(self) -> Result<Traffic, ProcessId> {
        if let Some(process) = self.processes.unfinished() {
            return Err(self.border.label(process));
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
