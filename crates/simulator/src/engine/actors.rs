//! The actors of a job: shares of ranks in steps, each the process of a stage program (`docs/model.md` section 23).
//!
//! An actor may begin when every step that its step comes after is over at its rank. At a rank an iteration begins
//! when the one before is over there, so that one record for each actor serves all iterations. Invariant between
//! cycles: of every rank that is not over, some actor computes, waits for its processor or for messages.

use std::num::NonZeroU64;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{NodeId, narrow};

use super::{
    Core, Event, Processes, ReceivedMessage, largest_units,
    message_costs::{Cores, Parts, Work},
    message_table::MessageRecord,
    progress::{Progress, Receipt},
    rank_activity::{RankActivity, StepPlace},
    switches::{Place, Switches},
};
use crate::{
    Communication, Cycle, Cycles, End, ImbalanceError, Job, JobTimes, LATE_MESSAGES, MessageTimes, Observer,
    Peer, Program, SimulationError, StageRecord, StepRecord, Summary, Traffic,
    explicit_routes::ExplicitRoutes,
    message_queue::MessageKey,
    processors::Processors,
    program::job::StepStage,
    slab::Slab,
    switch_trees::{StepTrees, SwitchMessage, SwitchTrees},
    transport::{Transport, packets::Packets},
};

/// Bytes that a run takes at most, roughly, the network apart.
pub(crate) fn bytes(job: &Job) -> u64 {
    const LATE: u64 = (LATE_MESSAGES * size_of::<MessageTimes>()) as u64;
    const OF_ACTOR: u64 = 2 * size_of::<u64>() as u64;
    const OF_STEP: u64 = (size_of::<StepAtRank>() + 2 * size_of::<u64>()) as u64;
    let actors: u64 =
        job.steps().iter().map(|step| u64::from(step.share_count())).sum::<u64>() * job.rank_count();
    let steps = job.steps().len() as u64;
    let times = steps.saturating_mul(job.iterations() as u64).saturating_mul(RankActivity::BYTES_A_STEP);
    let of_ranks = RankActivity::BYTES_A_RANK.saturating_add(steps).saturating_mul(job.rank_count());
    Progress::bytes(actors)
        .saturating_add(LATE.min(actors.saturating_mul(size_of::<MessageTimes>() as u64)))
        .saturating_add(actors.saturating_mul(OF_ACTOR))
        .saturating_add(steps.saturating_mul(job.rank_count()).saturating_mul(OF_STEP))
        .saturating_add(times)
        .saturating_add(of_ranks)
}

/// Runs a job to its end, reporting the records of its actors to `observer`.
///
/// # Errors
///
/// When a rank did not come to its end, or times do not add up.
pub(crate) fn run(
    job: &Job,
    placement: &Placement,
    communication: Communication,
    observer: &mut dyn Observer,
) -> Result<(Summary, Traffic, JobTimes), SimulationError> {
    let machine = placement.machine();
    let trees = SwitchTrees::new(job, machine, |rank| placement.node(ProcessId::new(rank)))?;
    let routes = ExplicitRoutes::new(placement, communication);
    let routes = match &trees {
        Some(trees) => Some(ExplicitRoutes::through_switches(routes, machine, communication, trees)),
        None => routes,
    };
    let packets = Packets::new(machine, communication, &Slab::whole(machine), job.facts().uniform_units)
        .with_explicit_routes(routes)
        .logging(observer.wants_transmissions() && trees.is_none());
    let mut core = Core::whole(placement, communication, packets);
    let (summary, times) = run_on(job, trees.as_ref(), &mut core, observer)?;
    Ok((summary, core.traffic(), times))
}

/// Runs a job over any transport.
///
/// # Errors
///
/// When a rank did not come to its end, packets wait for each other, or times do not add up.
pub(super) fn run_on<T: Transport>(
    job: &Job,
    trees: Option<&SwitchTrees<'_>>,
    core: &mut Core<'_, T>,
    observer: &mut dyn Observer,
) -> Result<(Summary, JobTimes), SimulationError> {
    if trees.is_none() {
        core.log_messages(observer);
    }
    core.messages.table.set_turns(job.has_turns());
    let mut actors = Actors::new(job, observer).with_cost(core.communication.message_cost());
    actors.switches = trees.map(Switches::new);
    core.run(&mut actors, None);
    core.check_deadlock()?;
    let results = actors.close()?;
    core.report_messages(observer);
    core.report_transmissions(observer);
    Ok(results)
}

/// The actors of a run, and the steps of ranks.
pub(super) struct Actors<'run> {
    job: &'run Job,
    ranks: u32,
    firsts: Vec<u32>,                 // by step
    first_computing: Vec<u32>,        // by step, the first of its actors among those of computation steps
    followers: Vec<Vec<u32>>,         // by step, the steps that come after it
    progress: Progress,               // of actors; their stages are those of the job
    begun: Vec<Cycle>,                // by actor, when it was ready to begin
    accounted: Vec<Cycles>,           // by actor, what its time since then was spent on
    at_ranks: Vec<StepAtRank>,        // by step, then by rank
    left: Vec<u32>,                   // by rank, the steps of its iteration that are not over
    iterations: Vec<u32>,             // by rank, those that are over
    unfinished: u64,                  // ranks
    processors: Processors,           // one for the computation steps of each rank
    beginning: Vec<(u32, u32)>,       // steps that begin at ranks
    starting: Vec<u32>,               // actors that begin their next stage in this cycle
    ready: Vec<u32>,                  // actors that become ready in this cycle
    cores: Option<Cores>,             // of actors, if messages cost anything
    served: Vec<u32>,                 // actors whose tasks end in this cycle
    switches: Option<Switches<'run>>, // if steps reduce in switches
    has_turns: bool,                  // whether any step has messages in turns
    peers: Vec<Peer>,
    activity: RankActivity<'run>,
    durations: u128,         // of all actors [cycles]
    exposed: u128,           // of all ranks: finish less computations [cycles]
    largest: u64,            // units of a message
    late: Vec<MessageTimes>, // blocked for long, in the order of their receptions
    summary: Summary,
    imbalance: Option<ImbalanceError>,
    observer: &'run mut dyn Observer,
}

/// A step at a rank, in the iteration of the rank.
#[derive(Debug, Clone, Copy)]
struct StepAtRank {
    begin: Cycle,
    required: u32, // steps that are not over yet
    shares: u32,   // that are not over yet
}

/// The steps of ranks before the first iteration, by step, then by rank, given those that come after each.
fn at_ranks(followers: &[Vec<u32>], ranks: u32) -> Vec<StepAtRank> {
    let mut required = vec![0; followers.len()];
    followers.iter().flatten().for_each(|&step| required[step as usize] += 1);
    let of_step = |required| {
        std::iter::repeat_n(StepAtRank { begin: Cycle::START, required, shares: 0 }, ranks as usize)
    };
    required.into_iter().flat_map(of_step).collect()
}

impl<'run> Actors<'run> {
    pub(super) fn new(job: &'run Job, observer: &'run mut dyn Observer) -> Self {
        let (steps, ranks) = (job.steps(), narrow(job.rank_count()));
        let (mut firsts, mut first_computing, mut actors, mut computing) = (vec![], vec![], 0, 0);
        let mut followers = vec![vec![]; steps.len()];
        for (place, step) in (0..).zip(steps) {
            firsts.push(actors);
            first_computing.push(computing);
            actors += step.share_count() * ranks;
            computing += if step.computation().is_some() { ranks } else { 0 };
            let mut after = step.after.clone();
            after.sort_unstable();
            after.dedup();
            for before in after {
                followers[before].push(place);
            }
        }
        let nodes: Vec<NodeId> = (0..computing).map(|actor| NodeId::new(actor % ranks)).collect();
        let mut own = Self {
            job,
            ranks,
            firsts,
            first_computing,
            at_ranks: at_ranks(&followers, ranks),
            followers,
            progress: Progress::new(actors as usize),
            begun: vec![Cycle::START; actors as usize],
            accounted: vec![Cycles::ZERO; actors as usize],
            left: vec![narrow(steps.len() as u64); ranks as usize],
            iterations: vec![0; ranks as usize],
            unfinished: ranks.into(),
            processors: Processors::new(&nodes, NonZeroU64::MIN),
            beginning: vec![],
            starting: vec![],
            ready: vec![],
            cores: None,
            served: vec![],
            switches: None,
            has_turns: job.has_turns(),
            peers: vec![],
            activity: RankActivity::new(job).listing(observer.wants_rank_spans()),
            durations: 0,
            exposed: 0,
            largest: largest_units(job),
            late: vec![],
            summary: Summary::of_program(job),
            imbalance: None,
            observer,
        };
        (0..ranks).for_each(|rank| own.begin_iteration(rank));
        own
    }

    /// The same with a cost of each message.
    pub(super) fn with_cost(self, cost: Cycles) -> Self {
        Self { cores: Cores::new(self.begun.len(), cost), ..self }
    }

    /// The latest end of a rank.
    pub(super) fn latest_end(&self) -> Cycle {
        self.summary.makespan()
    }

    /// The first rank that is not over.
    pub(super) fn unfinished_rank(&self) -> Option<u32> {
        (0..).zip(&self.left).find(|own| *own.1 > 0).map(|own| own.0)
    }

    /// The sums of the run.
    ///
    /// # Errors
    ///
    /// When a rank did not come to its end, or times do not add up.
    fn close(mut self) -> Result<(Summary, JobTimes), SimulationError> {
        if let Some(rank) = self.unfinished_rank() {
            return Err(SimulationError::Unfinished { process: ProcessId::new(rank) });
        }
        self.imbalance.map_or(Ok(()), Err)?;
        self.summary.set_durations(self.job.rank_count(), self.durations);
        self.summary.check_balance()?;
        if self.observer.wants_rank_spans() {
            self.observer.rank_spans_finished(self.activity.take_spans(self.summary.makespan()));
        }
        let (steps, by_rank) = self.activity.close(self.summary.makespan());
        Ok((self.summary, JobTimes { steps, by_rank, exposed: self.exposed, late: self.late }))
    }

    fn step_at(&mut self, step: u32, rank: u32) -> &mut StepAtRank {
        &mut self.at_ranks[step as usize * self.ranks as usize + rank as usize]
    }

    /// The step of an actor, and its process.
    fn locate(&self, actor: u32) -> (u32, ProcessId) {
        let step = self.firsts.partition_point(|&first| first <= actor) - 1;
        (narrow(step as u64), ProcessId::new(actor - self.firsts[step]))
    }

    /// The place of the step of a stage, in its iteration.
    fn place(&self, stage: usize) -> StepPlace {
        let StepStage { iteration, step, .. } = self.job.locate(stage);
        self.activity.place(narrow(iteration as u64), narrow(step as u64))
    }

    /// The place of the step of an actor in its stage, and its rank.
    fn place_of_actor(&self, actor: u32) -> (StepPlace, u32) {
        let (_, process) = self.locate(actor);
        let (stage, ..) = self.progress.current(ProcessId::new(actor));
        (self.place(stage), self.rank(process))
    }

    /// The rank of a process of a step.
    fn rank(&self, process: ProcessId) -> u32 {
        process.label() % self.ranks
    }

    /// The steps that come after nothing begin at a rank.
    fn begin_iteration(&mut self, rank: u32) {
        for step in 0..narrow(self.job.steps().len() as u64) {
            if self.step_at(step, rank).required == 0 {
                self.beginning.push((step, rank));
            }
        }
    }

    /// A step begins at a rank.
    fn begin_step(&mut self, step: u32, rank: u32, now: Cycle) {
        let own = &self.job.steps()[step as usize];
        self.step_at(step, rank).begin = now;
        let computation = own.computation();
        if !own.has_rank(rank) || computation == Some(Cycles::ZERO) {
            self.end_step(step, rank, now);
            return;
        }
        let (shares, iteration) = (own.share_count(), self.iterations[rank as usize] as usize);
        self.step_at(step, rank).shares = shares;
        let stage = narrow(self.job.first_stage(iteration, step as usize) as u64);
        for share in 0..shares {
            let actor = self.firsts[step as usize] + share * self.ranks + rank;
            self.begun[actor as usize] = now;
            self.accounted[actor as usize] = Cycles::ZERO;
            self.progress.begin_at(ProcessId::new(actor), stage);
            if computation.is_some() {
                self.processors.request(ProcessId::new(self.first_computing[step as usize] + rank), now);
            } else {
                self.starting.push(actor);
            }
        }
    }

    /// A step is over at a rank, which may let others begin.
    fn end_step(&mut self, step: u32, rank: u32, now: Cycle) {
        let iteration = self.iterations[rank as usize];
        let begin = self.step_at(step, rank).begin;
        if self.job.steps()[step as usize].has_rank(rank) {
            self.activity.step_ends(self.activity.place(iteration, step), begin, now);
        }
        self.observer.step_finished(&StepRecord { iteration, step, rank, begin, finish: now });
        for place in 0..self.followers[step as usize].len() {
            let next = self.followers[step as usize][place];
            let own = self.step_at(next, rank);
            own.required -= 1;
            if own.required == 0 {
                self.beginning.push((next, rank));
            }
        }
        self.left[rank as usize] -= 1;
        if self.left[rank as usize] == 0 {
            self.end_iteration(rank, now);
        }
    }

    /// An iteration is over at a rank, which begins the next or is over.
    fn end_iteration(&mut self, rank: u32, now: Cycle) {
        self.iterations[rank as usize] += 1;
        if self.iterations[rank as usize] as usize == self.job.iterations() {
            self.unfinished -= 1;
            self.summary.add_finish(now, 1);
            self.activity.rank_ends(rank, now);
            let own = u128::from((now - Cycle::START).get());
            self.exposed += own.saturating_sub(self.job.computations_of(rank));
            return;
        }
        self.left[rank as usize] = narrow(self.job.steps().len() as u64);
        for step in 0..self.followers.len() {
            for place in 0..self.followers[step].len() {
                let next = self.followers[step][place];
                self.step_at(next, rank).required += 1;
            }
        }
        self.begin_iteration(rank);
    }

    /// An actor begins its next stage.
    fn begin_stage<T>(&mut self, actor: u32, now: Cycle, core: &mut Core<'_, T>) {
        let (_, process) = self.locate(actor);
        let stage = self.progress.next_stage(ProcessId::new(actor));
        let computation = self.job.computation(stage, process);
        if computation == Cycles::ZERO {
            self.ready.push(actor);
        } else {
            let place = self.place(stage);
            self.activity.acts_from(place, now);
            self.activity.begins(place, self.rank(process), now);
            core.calendar.add(Event::Computed(actor), (now + computation).get());
        }
    }

    /// An actor is ready for the messages of its stage.
    fn become_ready<T: Transport>(&mut self, actor: u32, now: Cycle, core: &mut Core<'_, T>) {
        let (step, process) = self.locate(actor);
        let (first, own) = (self.firsts[step as usize], ProcessId::new(actor));
        let stage = self.progress.become_ready(own, now);
        let mut peers = std::mem::take(&mut self.peers);
        peers.clear();
        self.list(End::Destination, stage, process, &mut peers);
        let awaited = peers.len();
        self.list(End::Source, stage, process, &mut peers);
        if self.job.steps()[step as usize].computation().is_none() {
            let (place, rank) = (self.place(stage), self.rank(process));
            if peers.len() > awaited {
                self.activity.acts_from(place, now);
            }
            if !peers.is_empty() || self.job.computation(stage, process) > Cycles::ZERO {
                self.activity.acts_until(place, rank, now);
            }
        }
        if self.cores.is_some() {
            self.add_tasks(stage, actor, &peers, awaited, now, core);
            let all = peers.len();
            self.peers = peers;
            if self.progress.await_messages(own, all) {
                self.finish_stage(actor, now);
            }
            return;
        }
        if self.reduces_in_switches(step) {
            for peer in &peers[awaited..] {
                self.send(stage, process, peer.process, peer.units, now, core);
            }
            self.peers = peers;
            if self.progress.await_messages(own, awaited) {
                self.finish_stage(actor, now);
            }
            return;
        }
        for (place, &peer) in peers.iter().enumerate() {
            let is_ready = self.progress.was_ready(ProcessId::new(first + peer.process.label()), stage);
            let is_eager = core.communication.is_eager(peer.units);
            if place < awaited && is_ready && !is_eager {
                self.send(stage, peer.process, process, peer.units, now, core);
            } else if place >= awaited && (is_ready || is_eager) {
                self.send(stage, process, peer.process, peer.units, now, core);
            }
        }
        self.peers = peers;
        if self.progress.await_messages(own, awaited) {
            self.finish_stage(actor, now);
        }
    }

    /// Whether a step reduces in switches.
    fn reduces_in_switches(&self, step: u32) -> bool {
        self.trees_of(step).is_some()
    }

    /// The trees of a step that reduces in switches.
    fn trees_of(&self, step: u32) -> Option<&'run StepTrees<'run>> {
        self.switches.as_ref().and_then(|switches| switches.of_step(step))
    }

    /// The chunk of a rank in a stage of a step that reduces in switches.
    fn chunk_of(&self, stage: usize, group: u32) -> Place {
        let StepStage { step, within, .. } = self.job.locate(stage);
        let [stage, step, chunk] = [stage, step, within].map(|number| narrow(number as u64));
        Place { stage, step, chunk, group }
    }

    /// Lists the messages at an end of a process in a stage.
    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let StepStage { step, within, .. } = self.job.locate(stage);
        let Some(trees) = self.trees_of(narrow(step as u64)) else {
            self.job.list(end, stage, process, peers);
            return;
        };
        // The first share of a rank sends, the second receives.
        let is_receiver = process.label() >= self.ranks;
        if is_receiver == (end == End::Destination)
            && let Some(message) = trees.of_rank(self.rank(process), within, is_receiver)
        {
            let peer = if is_receiver { message.source } else { message.destination };
            peers.push(Peer { process: ProcessId::new(peer), units: message.units });
        }
    }

    /// The core of an actor that has just become ready gets its tasks, and messages that were sent to it set out.
    fn add_tasks<T: Transport>(
        &mut self,
        stage: usize,
        actor: u32,
        peers: &[Peer],
        awaited: usize,
        now: Cycle,
        core: &mut Core<'_, T>,
    ) {
        let (_, process) = self.locate(actor);
        let (job, number) = (self.job, narrow(stage as u64));
        let Some(cores) = &mut self.cores else { return };
        let send = |&peer: &Peer| {
            let turn = job.turn(stage, process, peer.process);
            let (source, destination) = (process.label(), peer.process.label());
            (MessageKey { stage: number, turn, source, destination }, peer)
        };
        cores.begin_stage((actor, number), peers[awaited..].iter().map(send), awaited, now);
        for source in cores.take_kept(actor, number) {
            self.send(stage, source.process, process, source.units, now, core);
        }
    }

    /// The task of an actor is over.
    fn end_task<T: Transport>(&mut self, actor: u32, now: Cycle, core: &mut Core<'_, T>) {
        let (step, process) = self.locate(actor);
        let own = ProcessId::new(actor);
        let work = self.cores.as_mut().and_then(|cores| cores.end(actor));
        let (place, rank) = self.place_of_actor(actor);
        self.activity.ends(place, rank, now);
        self.activity.acts_until(place, rank, now);
        let is_over = match work {
            None => false,
            Some(Work::Receive(message)) => {
                let MessageRecord { start, stage, source, .. } = message.record;
                let receipt = Receipt { cycle: now, source, start, transfer: message.transfer };
                self.progress.receive(own, stage, receipt)
            }
            Some(Work::Send(peer)) => {
                let (stage, _, _) = self.progress.current(own);
                let destination = self.firsts[step as usize] + peer.process.label();
                let may_set_out = core.communication.is_eager(peer.units)
                    || self.reduces_in_switches(step)
                    || self.progress.was_ready(ProcessId::new(destination), stage);
                if may_set_out {
                    self.send(stage, process, peer.process, peer.units, now, core);
                } else if let Some(cores) = &mut self.cores {
                    cores.keep(destination, narrow(stage as u64), Peer { process, units: peer.units });
                }
                self.progress.sent(own)
            }
        };
        if is_over {
            self.finish_stage(actor, now);
        }
    }

    fn send<T: Transport>(
        &mut self,
        stage: usize,
        source: ProcessId,
        destination: ProcessId,
        units: u64,
        now: Cycle,
        core: &mut Core<'_, T>,
    ) {
        let StepStage { step, .. } = self.job.locate(stage);
        let trees = self.trees_of(narrow(step as u64));
        let group = trees.map_or(0, |own| own.group_of_rank(self.rank(source)));
        let place = self.place(stage);
        for end in [source, destination] {
            if trees.is_none_or(|trees| trees.vertex(end.label()).is_none()) {
                self.activity.begins(place, self.rank(end), now);
            }
        }
        self.set_out(self.record(stage, [source, destination], group, now, core), units, now, core);
    }

    /// The record of a message of a stage that sets out; of a group, if switches reduce.
    fn record<T: Transport>(
        &self,
        stage: usize,
        [source, destination]: [ProcessId; 2],
        group: u32,
        now: Cycle,
        core: &Core<'_, T>,
    ) -> MessageRecord {
        let turn = self.job.turn(stage, source, destination);
        let operation = if self.has_turns { turn } else { group };
        let to = self.node_of(stage, destination, core);
        let stage = narrow(stage as u64); // below 2^32, as was checked when the job was made
        MessageRecord {
            start: now,
            stage,
            operation,
            receiver: group,
            size: 0,
            source,
            destination,
            to,
            distance: 0,
        }
    }

    /// The node of a process of a stage, or its switch.
    fn node_of<T: Transport>(&self, stage: usize, process: ProcessId, core: &Core<'_, T>) -> NodeId {
        let step = narrow(self.job.locate(stage).step as u64);
        let vertex = self.trees_of(step).and_then(|own| own.vertex(process.label()));
        vertex.unwrap_or_else(|| core.node_of(process))
    }

    fn set_out<T: Transport>(
        &mut self,
        record: MessageRecord,
        units: u64,
        now: Cycle,
        core: &mut Core<'_, T>,
    ) {
        let from = self.node_of(record.stage as usize, record.source, core);
        if let Some(received) = core.send(record, from, units, now) {
            self.receive(&received, now);
        }
    }

    /// A message of a switch sets out.
    fn send_of_switch<T: Transport>(
        &mut self,
        place: Place,
        message: SwitchMessage,
        now: Cycle,
        core: &mut Core<'_, T>,
    ) {
        let (ends, stage) = ([message.source, message.destination].map(ProcessId::new), place.stage as usize);
        if let Some(trees) = self.trees_of(place.step)
            && trees.vertex(message.destination).is_none()
        {
            self.activity.begins(self.place(stage), self.rank(ends[1]), now);
        }
        self.set_out(self.record(stage, ends, place.group, now, core), message.units, now, core);
    }

    fn receive(&mut self, message: &ReceivedMessage, now: Cycle) {
        let MessageRecord { start, stage, source, destination, receiver: group, .. } = message.record;
        let StepStage { step, .. } = self.job.locate(stage as usize);
        let place = self.place(stage as usize);
        let trees = self.trees_of(narrow(step as u64));
        for end in [source, destination] {
            if trees.is_none_or(|trees| trees.vertex(end.label()).is_none()) {
                self.activity.ends(place, self.rank(end), now);
            }
        }
        if let Some(vertex) = trees.and_then(|trees| trees.vertex(destination.label())) {
            let chunk = self.chunk_of(stage as usize, group);
            if let Some(switches) = &mut self.switches {
                switches.receive(vertex, chunk, source.label(), message.units, now);
            }
            return;
        }
        self.activity.acts_until(place, self.rank(destination), now);
        self.note_late(message, now);
        let actor = self.firsts[step] + destination.label();
        if let Some(cores) = &mut self.cores {
            let turn = message.record.operation;
            let key = MessageKey { stage, turn, source: source.label(), destination: destination.label() };
            let is_ready = self.progress.was_ready(ProcessId::new(actor), stage as usize);
            cores.arrive(actor, is_ready, (key, *message), now);
            return;
        }
        let receipt = Receipt { cycle: now, source, start, transfer: message.transfer };
        if self.progress.receive(ProcessId::new(actor), stage, receipt) {
            self.finish_stage(actor, now);
        }
    }

    /// Keeps a small message that was blocked for long: what held it up may be a large one (section 23.7).
    fn note_late(&mut self, message: &ReceivedMessage, now: Cycle) {
        let &ReceivedMessage { record, units, transfer } = message;
        let MessageRecord { start, stage, source, destination, .. } = record;
        let is_late = (now - start).get() > transfer.get().saturating_mul(4) && record.distance > 0;
        if is_late && units.saturating_mul(16) <= self.largest && self.late.len() < LATE_MESSAGES {
            let own = MessageTimes {
                stage,
                source,
                destination,
                units,
                start,
                entered: None,
                received: now,
                transfer,
            };
            self.late.push(own);
        }
    }

    /// A stage is over for an actor, which begins the next, or is over.
    fn finish_stage(&mut self, actor: u32, now: Cycle) {
        let (step, process) = self.locate(actor);
        let (stage, ready, last) = self.progress.current(ProcessId::new(actor));
        let (start, alone) = last.map_or((ready, Cycles::ZERO), |last| (last.start, last.transfer));
        let overhead = self.cores.as_ref().map_or(Cycles::ZERO, |cores| cores.overhead(actor));
        let Parts { start, transfer, overlapped } = Parts::new([ready, start, now], alone, overhead);
        let sharing = match self.job.steps()[step as usize].computation() {
            Some(_) => {
                self.processors.sharing(ProcessId::new(self.first_computing[step as usize] + process.label()))
            }
            None => Cycles::ZERO,
        };
        let record = StageRecord {
            process,
            stage,
            sharing,
            ready,
            start,
            finish: now,
            transfer,
            overlapped,
            overhead,
            idle: Cycles::ZERO,
        };
        self.account(actor, &record);
        let StepStage { within, .. } = self.job.locate(stage);
        if within + 1 < self.job.steps()[step as usize].stage_count() {
            self.starting.push(actor);
            return;
        }
        self.check(actor, process, now);
        let rank = process.label() % self.ranks;
        let own = self.step_at(step, rank);
        own.shares -= 1;
        if own.shares == 0 {
            self.end_step(step, rank, now);
        }
    }

    /// Adds what the time of an actor in a stage was spent on.
    fn account(&mut self, actor: u32, record: &StageRecord) {
        let computation = self.job.computation(record.stage, record.process);
        let parts = [
            computation,
            record.sharing,
            record.overhead,
            record.waiting(),
            record.transfer,
            record.blocked(),
        ];
        let spent = parts.iter().fold(0_u64, |sum, part| sum.wrapping_add(part.get()));
        let accounted = &mut self.accounted[actor as usize];
        *accounted = Cycles::new(accounted.get().wrapping_add(spent));
        self.summary.add_stage(record, 1);
        self.observer.stage_finished(record);
    }

    /// Checks that the time of an actor that is over is accounted for.
    fn check(&mut self, actor: u32, process: ProcessId, now: Cycle) {
        let (begun, accounted) = (self.begun[actor as usize], self.accounted[actor as usize]);
        self.durations += u128::from((now - begun).get());
        if now - begun != accounted {
            let imbalance = ImbalanceError::Process { process, finish: now, accounted };
            self.imbalance.get_or_insert(imbalance);
        }
    }
}

impl<T: Transport> Processes<T> for Actors<'_> {
    fn are_over(&self) -> bool {
        self.unfinished == 0
    }

    /// The computation of an actor in a stage, or of a rank in a step, is over.
    fn computed(&mut self, computation: u32, now: Cycle) {
        // Switches come after all actors.
        if let (Some(vertex), Some(switches)) =
            (computation.checked_sub(narrow(self.begun.len() as u64)), &mut self.switches)
        {
            switches.combined(vertex);
            return;
        }
        if self.cores.as_ref().is_some_and(|cores| cores.is_serving(computation)) {
            self.served.push(computation);
            return;
        }
        let (step, process) = self.locate(computation);
        let rank = self.rank(process);
        if self.job.steps()[step as usize].computation().is_none() {
            let stage = self.progress.next_stage(ProcessId::new(computation));
            self.activity.ends(self.place(stage), rank, now);
        } else {
            self.activity.computation_ends(rank, now);
            self.processors.release(ProcessId::new(self.first_computing[step as usize] + process.label()));
        }
        self.ready.push(computation);
    }

    fn received(&mut self, message: &ReceivedMessage, now: Cycle, _: &Core<'_, T>) {
        self.receive(message, now);
    }

    /// Steps begin, and actors begin stages and become ready, until none does.
    fn settle(&mut self, now: Cycle, core: &mut Core<'_, T>) {
        loop {
            while let Some(actor) = self.served.pop() {
                self.end_task(actor, now, core);
            }
            while let Some((step, rank)) = self.beginning.pop() {
                self.begin_step(step, rank, now);
            }
            while let Some(actor) = self.starting.pop() {
                self.begin_stage(actor, now, core);
            }
            while let Some((place, message)) = self.switches.as_mut().and_then(Switches::take_ready) {
                self.send_of_switch(place, message, now, core);
            }
            if let Some(actor) = self.ready.pop() {
                self.become_ready(actor, now, core);
            } else if self.beginning.is_empty() && self.starting.is_empty() {
                return;
            }
        }
    }

    /// A computation takes at least a cycle: nothing more happens at `now`.
    fn grant_processors(&mut self, now: Cycle, core: &mut Core<'_, T>) -> bool {
        for (vertex, cycles) in self.switches.as_mut().map_or_else(Vec::new, Switches::begin) {
            let event = Event::Computed(narrow(self.begun.len() as u64) + vertex);
            core.calendar.add(event, (now + cycles).get());
        }
        for actor in self.cores.as_mut().map_or_else(Vec::new, Cores::ask) {
            let (place, rank) = self.place_of_actor(actor);
            self.activity.begins(place, rank, now);
            if let Some(cores) = &mut self.cores {
                cores.serve(actor);
                core.calendar.add(Event::Computed(actor), (now + cores.cost()).get());
            }
        }
        let Self { job, ranks, firsts, first_computing, at_ranks, processors, activity, iterations, .. } =
            self;
        processors.grant(now, |computing| {
            // The last step whose computing actors begin at or before this one; others before it have none.
            let step = first_computing.partition_point(|&first| first <= computing.label()) - 1;
            let rank = computing.label() - first_computing[step];
            at_ranks[step * *ranks as usize + rank as usize].begin = now;
            activity.computation_begins(narrow(step as u64), iterations[rank as usize], rank, now);
            let computation = job.steps()[step].computation().unwrap_or(Cycles::ZERO);
            core.calendar.add(Event::Computed(firsts[step] + rank), (now + computation).get());
        });
        false
    }
}
