//! The actors of a job: shares of ranks in steps, each the process of a stage program (`docs/model.md` section 23).
//!
//! An actor may begin when every predecessor of its step is over at its rank. At a rank an iteration begins
//! when the one before is over there, so that one record for each actor serves all iterations. Invariant between
//! cycles: of every rank that is not over, some actor computes, waits for its processor or for messages.

mod accounts;
mod costs;
mod messages;
mod steps;

use std::num::NonZeroU64;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{NodeId, narrow};

use self::steps::{StepAtRank, at_ranks};
use super::{
    Core, Event, Processes, ReceivedMessage, largest_units,
    message_costs::Cores,
    progress::Progress,
    rank_activity::{RankActivity, StepPlace},
    switches::Switches,
};
use crate::{
    Communication, Cycle, Cycles, Detail, End, ImbalanceError, Job, JobTimes, LATE_MESSAGES, MessageTimes,
    Observer, Peer, Program, SimulationError, Summary, Traffic,
    explicit_routes::ExplicitRoutes,
    processors::Processors,
    program::job::StepStage,
    slab::Slab,
    switch_trees::SwitchTrees,
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
/// If a rank did not finish, or times do not add up.
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
        .logging(observer.wants(Detail::Transmissions) && trees.is_none());
    let mut core = Core::whole(placement, communication, packets);
    let (summary, times) = run_on(job, trees.as_ref(), &mut core, observer)?;
    Ok((summary, core.traffic(), times))
}

/// Runs a job over any transport.
///
/// # Errors
///
/// If a rank did not finish, packets wait for each other, or times do not add up.
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
    let mut actors = Actors::new(job, core.communication.message_cost(), observer);
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
    accounted: Vec<Cycles>,           // by actor, the accounted time since then
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

impl<'run> Actors<'run> {
    /// The actors of a job whose messages cost `cost` each.
    pub(super) fn new(job: &'run Job, cost: Cycles, observer: &'run mut dyn Observer) -> Self {
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
        let mut actors_of_run = Self {
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
            cores: Cores::new(actors as usize, cost),
            served: vec![],
            switches: None,
            has_turns: job.has_turns(),
            peers: vec![],
            activity: RankActivity::new(job, observer.wants(Detail::RankSpans)),
            durations: 0,
            exposed: 0,
            largest: largest_units(job),
            late: vec![],
            summary: Summary::of_program(job),
            imbalance: None,
            observer,
        };
        (0..ranks).for_each(|rank| actors_of_run.begin_iteration(rank));
        actors_of_run
    }

    /// The latest end of a rank.
    pub(super) fn latest_end(&self) -> Cycle {
        self.summary.makespan()
    }

    pub(super) fn unfinished_rank(&self) -> Option<u32> {
        (0..).zip(&self.left).find(|(_, left)| **left > 0).map(|(rank, _)| rank)
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
        (self.place(self.progress.stage(ProcessId::new(actor))), self.rank(process))
    }

    /// The rank of a process of a step.
    fn rank(&self, process: ProcessId) -> u32 {
        process.label() % self.ranks
    }

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
        let (first, number) = (self.firsts[step as usize], ProcessId::new(actor));
        let stage = self.progress.become_ready(number, now);
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
        let (sources, destinations) = peers.split_at(awaited);
        let awaited = if self.cores.is_some() {
            self.add_tasks(stage, actor, (sources, destinations), now, core);
            peers.len() // with the tasks of sends
        } else {
            let is_in_switches = self.reduces_in_switches(step);
            let was_ready = |actors: &Self, peer: &Peer| {
                actors.progress.was_ready(ProcessId::new(first + peer.process.label()), stage)
            };
            // Switches need not be ready, and send on their own.
            for source in sources.iter().filter(|_| !is_in_switches) {
                if was_ready(self, source) && !core.communication.is_eager(source.units) {
                    self.send(stage, source.process, process, source.units, now, core);
                }
            }
            for peer in destinations {
                if is_in_switches || core.communication.is_eager(peer.units) || was_ready(self, peer) {
                    self.send(stage, process, peer.process, peer.units, now, core);
                }
            }
            awaited
        };
        self.peers = peers;
        if self.progress.await_messages(number, awaited) {
            self.finish_stage(actor, now);
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
            // The last step whose computing actors start at or before this one; other earlier steps have none.
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
