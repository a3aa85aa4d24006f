//! The processes of a stage program: computations and messages, stage by stage (`docs/model.md`
//! sections 5, 14 and 15).
//!
//! A computation of 0 cycles is skipped: its process is ready at once and needs no processor. A message sets out when both
//! of its ends are ready, an eager one when its source is.

mod costs;
mod state;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{NodeId, narrow};

use self::state::PeerLists;
pub(super) use self::state::StageState;
use super::{
    Core, Event, PREFETCHED_TOGETHER, Processes, ReceivedMessage, TransportKind, message_costs::Cores,
    message_table::MessageRecord,
};
use crate::{
    Communication, Cycle, Cycles, Detail, End, Observer, Peer, Program, StageRecord, Traffic,
    engine::border::{Border, ReadySource},
    explicit_routes::ExplicitRoutes,
    processors::Processors,
    slab::Slab,
    transport::{Transport, flow::Flow, packets::Packets},
};

/// The cycle at which each process may begin its first computation: `finish_(-1)` of
/// `docs/model.md` section 5.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StartTimes<'run> {
    /// All at cycle 0.
    Together,
    /// Each at a cycle of its own, by process.
    Each(&'run [Cycle]),
}

/// Runs `program` to its end over a transport that carries its messages, reporting to `observer`; each process may begin
/// as `starts` says.
///
/// # Errors
///
/// The first process that did not finish; all finish if their sources and destinations
/// match.
pub(crate) fn run(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    kind: TransportKind,
    starts: StartTimes<'_>,
    observer: &mut dyn Observer,
) -> Result<Traffic, ProcessId> {
    let (machine, slab) = (placement.machine(), Slab::whole(placement.machine()));
    match kind {
        TransportKind::Flow(plan) => {
            let flow = Flow::new(machine, communication, plan, &slab);
            run_stages(program, placement, starts, Core::whole(placement, communication, flow), observer)
        }
        TransportKind::Packets => {
            let packets = Packets::new(machine, communication, &slab, program.facts().uniform_units)
                .with_explicit_routes(ExplicitRoutes::new(placement, communication))
                .logging(observer.wants(Detail::Transmissions));
            run_stages(program, placement, starts, Core::whole(placement, communication, packets), observer)
        }
    }
}

/// Runs the processes of one engine to their ends. They are identified by indices, also to the observer.
///
/// # Errors
///
/// The first process of this engine that did not reach its end.
pub(super) fn run_stages<T: Transport, B: Border>(
    program: &dyn Program,
    placement: &Placement,
    starts: StartTimes<'_>,
    mut core: Core<'_, T, B>,
    observer: &mut dyn Observer,
) -> Result<Traffic, ProcessId> {
    match run_on(program, placement, starts, &mut core, observer) {
        None => Ok(core.traffic()),
        Some(process) => Err(process),
    }
}

/// Runs the processes of one engine, which is kept; returns the first that did not reach its end.
pub(super) fn run_on<T: Transport, B: Border>(
    program: &dyn Program,
    placement: &Placement,
    starts: StartTimes<'_>,
    core: &mut Core<'_, T, B>,
    observer: &mut dyn Observer,
) -> Option<ProcessId> {
    let per_node = core.communication.processors();
    core.messages.table.set_turns(program.has_turns());
    let nodes = &core.messages.nodes;
    let processors = (placement.max_load() > per_node.get()).then(|| Processors::new(nodes, per_node));
    let mut state = StageState::new(nodes.len(), processors, core.communication.message_cost());
    state.begin(starts, core);
    core.run(&mut StageProcesses::new(program, &mut state, observer), None);
    core.report_transmissions(observer);
    state.progress.unfinished().map(|process| core.messages.border.label(process))
}

/// The processes of one engine.
pub(super) struct StageProcesses<'run> {
    program: &'run dyn Program,
    stage_count: usize,
    has_turns: bool,
    state: &'run mut StageState,
    observer: &'run mut dyn Observer,
}

impl<'run> StageProcesses<'run> {
    pub(super) fn new(
        program: &'run dyn Program,
        state: &'run mut StageState,
        observer: &'run mut dyn Observer,
    ) -> Self {
        Self { program, stage_count: program.stage_count(), has_turns: program.has_turns(), state, observer }
    }

    /// Processes begin their next stages, the last one first.
    fn begin_stages<T, B: Border>(&mut self, now: Cycle, core: &mut Core<'_, T, B>) {
        let mut beginning = std::mem::take(&mut self.state.beginning);
        for chunk in beginning.rchunks(PREFETCHED_TOGETHER) {
            self.state.progress.prefetch_all(chunk);
            for &process in chunk.iter().rev() {
                self.begin_stage(process, now, core);
            }
        }
        beginning.clear();
        self.state.beginning = beginning;
    }

    fn begin_stage<T, B: Border>(&mut self, process: ProcessId, now: Cycle, core: &mut Core<'_, T, B>) {
        let label = core.messages.border.label(process);
        let computation = self.program.computation(self.state.progress.next_stage(process), label);
        if computation == Cycles::ZERO {
            self.state.ready.push(process);
            return;
        }
        match &mut self.state.processors {
            None => {
                core.calendar.add(Event::Computed(process.label()), (now + computation).get());
            }
            Some(processors) => processors.request(process, now),
        }
    }

    /// Processes are ready for the messages of their stages, after their computations or without any.
    fn become_ready_together<T: Transport, B: Border>(
        &mut self,
        processes: &[ProcessId],
        now: Cycle,
        core: &mut Core<'_, T, B>,
    ) {
        let mut peers = std::mem::take(&mut self.state.peers);
        self.list_peers(processes, &mut peers, core);
        let mut begin = 0;
        for (&process, &[middle, end]) in processes.iter().zip(&peers.ends) {
            let stage = self.state.progress.become_ready(process, now);
            let (sources, destinations) = (&peers.all[begin..middle], &peers.all[middle..end]);
            let awaited = if self.state.cores.is_some() {
                self.add_tasks(stage, process, (sources, destinations), now, core);
                end - begin
            } else {
                self.receive_from_ready(stage, process, sources, now, core);
                self.send_to_ready(stage, process, destinations, now, core);
                middle - begin
            };
            if self.state.progress.await_messages(process, awaited) {
                self.finish_stage(process, now, core);
            }
            begin = end;
        }
        self.state.peers = peers;
    }

    /// Lists the peers of processes that become ready, and prefetches their records.
    fn list_peers<T, B: Border>(
        &self,
        processes: &[ProcessId],
        peers: &mut PeerLists,
        core: &Core<'_, T, B>,
    ) {
        let (progress, border) = (&self.state.progress, &core.messages.border);
        let PeerLists { all, ends } = peers;
        all.clear();
        ends.clear();
        progress.prefetch_all(processes);
        for &process in processes {
            let (stage, label) = (progress.next_stage(process), border.label(process));
            self.program.list(End::Destination, stage, label, all);
            let middle = all.len();
            self.program.list(End::Source, stage, label, all);
            ends.push([middle, all.len()]);
            border.prefetch_kept(process);
        }
        if !progress.fit_in_cache() {
            for peer in all {
                if let Some(local) = border.index(peer.process) {
                    progress.prefetch(local);
                }
            }
        }
    }

    /// Sends the messages to a process that has just become ready from its ready sources.
    #[inline]
    fn receive_from_ready<T: Transport, B: Border>(
        &mut self,
        stage: usize,
        process: ProcessId,
        sources: &[Peer],
        now: Cycle,
        core: &mut Core<'_, T, B>,
    ) {
        for source in sources {
            if let Some(local) = core.messages.border.index(source.process)
                && self.state.progress.was_ready(local, stage)
                && !core.communication.is_eager(source.units)
            {
                self.send(stage, (source, core.node_of(local)), process, now, core);
            }
        }
        if !B::IS_ALONE {
            let mut kept = std::mem::take(&mut self.state.kept);
            core.messages.border.take_kept(process, narrow(stage as u64), &mut kept); // no run has 2^32 stages
            for ReadySource { source, units, from, .. } in kept.drain(..) {
                self.send(stage, (&Peer { process: source, units }, from), process, now, core);
            }
            self.state.kept = kept;
        }
    }

    /// Sends the messages of a process that has just become ready: to its ready destinations, and all eager
    /// ones.
    #[inline]
    fn send_to_ready<T: Transport, B: Border>(
        &mut self,
        stage: usize,
        process: ProcessId,
        destinations: &[Peer],
        now: Cycle,
        core: &mut Core<'_, T, B>,
    ) {
        let (label, from) = (core.messages.border.label(process), core.node_of(process));
        for &Peer { process: destination, units } in destinations {
            if let Some(local) = core.messages.border.index(destination) {
                if self.state.progress.was_ready(local, stage) || core.communication.is_eager(units) {
                    self.send(stage, (&Peer { process: label, units }, from), local, now, core);
                }
            } else {
                let stage = narrow(stage as u64);
                let ready = ReadySource { stage, source: label, from, destination, units };
                core.messages.border.announce(ready);
            }
        }
    }

    /// A message sets out from a source at a node, possibly of another engine.
    #[inline]
    fn send<T: Transport, B: Border>(
        &mut self,
        stage: usize,
        (source, from): (&Peer, NodeId),
        destination: ProcessId,
        now: Cycle,
        core: &mut Core<'_, T, B>,
    ) {
        let (to, destination) = (core.node_of(destination), core.messages.border.label(destination));
        let turn = if self.has_turns { self.program.turn(stage, source.process, destination) } else { 0 };
        let number = narrow(stage as u64); // below 2^32, which no run reaches
        let record = MessageRecord::new(now, number, [source.process, destination], to);
        let record = MessageRecord { operation: turn, ..record };
        if let Some(received) = core.send(record, from, source.units, now) {
            self.received(&received, now, core);
        }
    }

    /// A stage ends for a process, which begins the next.
    fn finish_stage<T, B: Border>(&mut self, process: ProcessId, now: Cycle, core: &Core<'_, T, B>) {
        let overhead =
            self.state.cores.as_ref().map_or(Cycles::ZERO, |cores| cores.overhead(process.label()));
        let record = self.state.progress.record(process, now, overhead);
        let computes = || {
            let label = core.messages.border.label(process);
            self.program.computation(record.stage, label) > Cycles::ZERO
        };
        let sharing = match &self.state.processors {
            Some(_) if let Some(cores) = &mut self.state.cores => cores.take_sharing(process.label()),
            Some(processors) if computes() => processors.sharing(process),
            _ => Cycles::ZERO,
        };
        self.observer.stage_finished(&StageRecord { sharing, ..record });
        if record.stage + 1 < self.stage_count {
            self.state.beginning.push(process);
        } else {
            self.state.progress.end(process, now);
        }
    }
}

impl<T: Transport, B: Border> Processes<T, B> for StageProcesses<'_> {
    #[inline]
    fn are_over(&self) -> bool {
        self.state.progress.is_over()
    }

    fn prefetch_received(&self, received: &[u32], core: &Core<'_, T, B>) {
        if self.state.progress.fit_in_cache() {
            return;
        }
        for &message in received {
            if let Some(local) = core.messages.border.index(core.messages.table.record(message).destination) {
                self.state.progress.prefetch(local);
                self.observer.prefetch(local);
            }
        }
    }

    fn begin(&mut self, process: ProcessId) {
        self.state.beginning.push(process);
    }

    #[inline]
    fn computed(&mut self, computation: u32, _: Cycle) {
        let process = ProcessId::new(computation);
        let StageState { processors, cores, .. } = &mut *self.state;
        if let Some(processors) = processors {
            processors.release(process);
        }
        if let Some(cores) = cores {
            if cores.is_serving(computation) {
                self.state.served.push(process);
                return;
            }
            let sharing = processors.as_ref().map_or(Cycles::ZERO, |processors| processors.sharing(process));
            cores.keep_sharing(computation, sharing);
        }
        self.state.ready.push(process);
    }

    #[inline]
    fn received(&mut self, message: &ReceivedMessage, now: Cycle, core: &Core<'_, T, B>) {
        let MessageRecord { stage, destination, .. } = message.record;
        // A received message has its destination in this engine.
        let Some(local) = core.messages.border.index(destination) else { return };
        if let Some(cores) = &mut self.state.cores {
            let is_ready = self.state.progress.was_ready(local, stage as usize);
            cores.arrive(local.label(), is_ready, *message, now);
        } else if self.state.progress.receive(local, message, now) {
            self.finish_stage(local, now, core);
        }
    }

    fn source_ready(&mut self, ready: &ReadySource, now: Cycle, core: &mut Core<'_, T, B>) {
        // The recipient is the engine of the destination.
        let Some(destination) = core.messages.border.index(ready.destination) else { return };
        let &ReadySource { stage, source, from, units, .. } = ready;
        let stage = stage as usize;
        if self.state.progress.was_ready(destination, stage) || core.communication.is_eager(units) {
            self.send(stage, (&Peer { process: source, units }, from), destination, now, core);
        } else {
            core.messages.border.keep(destination, *ready);
        }
    }

    /// Processes begin stages and become ready until none does: a process that passes through a
    /// stage in 0 cycles begins the next in the same cycle.
    fn settle(&mut self, now: Cycle, core: &mut Core<'_, T, B>) {
        loop {
            while let Some(process) = self.state.served.pop() {
                self.end_task(process, now, core);
            }
            self.begin_stages(now, core);
            if self.state.ready.is_empty() {
                return;
            }
            let mut ready = std::mem::take(&mut self.state.ready);
            for chunk in ready.chunks(PREFETCHED_TOGETHER) {
                self.become_ready_together(chunk, now, core);
            }
            ready.clear();
            self.state.ready = ready;
        }
    }

    /// Computations and tasks of cores take at least a cycle, so nothing more happens at `now`.
    fn grant_processors(&mut self, now: Cycle, core: &mut Core<'_, T, B>) -> bool {
        let StageState { processors, progress, cores, .. } = &mut *self.state;
        for process in cores.as_mut().map_or_else(Vec::new, Cores::ask) {
            if let Some(processors) = processors {
                processors.request(ProcessId::new(process), now);
            } else if let Some(cores) = cores {
                cores.serve(process);
                core.calendar.add(Event::Computed(process), (now + cores.cost()).get());
            }
        }
        if let Some(processors) = processors {
            let (program, border, calendar) = (self.program, &core.messages.border, &mut core.calendar);
            processors.grant(now, |process| {
                let occupied = match cores {
                    Some(cores) if cores.is_taken(process.label()) => {
                        cores.serve(process.label());
                        cores.cost()
                    }
                    _ => program.computation(progress.next_stage(process), border.label(process)),
                };
                calendar.add(Event::Computed(process.label()), (now + occupied).get());
            });
        }
        false
    }
}
