//! A lower bound of the makespan over all placements: the recursion of section 15 with every message over the shortest
//! route that any placement could give it. Task graphs have one of their own ([`critical_path`](crate::critical_path)).

use cubefold_mapping::ProcessId;
use cubefold_simulator::{Communication, End, Job, Peer, Program, Special};
use cubefold_topology::LinkMode;

use crate::classes::Apart;

/// Facts about the sites that hold for every placement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nearest {
    /// The least distance between two sites \[links\].
    pub(crate) links: u64,
    /// Whether processes may share a site.
    pub(crate) shares: bool,
    /// Whether some nodes are connected by several links, so that the two messages of an exchange may take different
    /// ones.
    pub(crate) has_parallels: bool,
}

/// Whether messages wait for channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contention {
    /// As in the prediction.
    None,
    /// As in a run.
    Some,
}

impl Nearest {
    /// The least time of a message of `units` units \[cycles\].
    pub(crate) fn transfer(self, rules: Communication, units: u64) -> u64 {
        let timing = rules.timing_of(units);
        let apart = timing.transfer(self.links).get();
        if self.shares { apart.min(timing.transfer(0).get()) } else { apart }
    }

    /// The least time of a message to the process of the lower label, whose own message of `back` units takes the same
    /// half-duplex link first if the two processes are neighbours. If they are not, the message crosses at least
    /// two links.
    fn transfer_after(rules: Communication, units: u64, back: u64) -> u64 {
        let (this, back) = (rules.timing_of(units), rules.timing_of(back));
        let beside = back.occupancy().get().saturating_add(this.receipt().get());
        beside.min(this.transfer(2).get())
    }
}

/// The recursion over the stages of a program.
pub(crate) struct Recursion<'a> {
    program: &'a dyn Program,
    ranks: u64,
    rules: Communication,
    nearest: Nearest,
    /// Whether the two messages of an exchange meet. Under half-duplex links both start in one cycle; the message of
    /// the lower label has the smaller key, so on their common link the other one waits for it.
    meets: bool,
    apart: Option<Apart<'a>>,
    readies: Vec<u64>, // by process
    computations: Vec<u64>,
    received: Vec<Peer>,
    sent: Vec<Peer>,
}

impl<'a> Recursion<'a> {
    /// A program with all of its processes as close together as any placement allows.
    pub(crate) fn new(
        program: &'a dyn Program,
        ranks: u64,
        rules: Communication,
        nearest: Nearest,
        contention: Contention,
    ) -> Self {
        let meets = contention == Contention::Some
            && rules.links() == LinkMode::HalfDuplex
            && rules.packet().is_none()
            && rules.eager() == 0
            && nearest.links == 1
            && !nearest.shares
            && !nearest.has_parallels;
        let readies = vec![0; usize::try_from(program.process_count()).unwrap_or(usize::MAX)];
        let (computations, received, sent) = (vec![], vec![], vec![]);
        Self { program, ranks, rules, nearest, meets, apart: None, readies, computations, received, sent }
    }

    /// The same with two ranks in different classes of sites.
    pub(crate) fn apart(self, apart: Apart<'a>) -> Self {
        Self { apart: Some(apart), ..self }
    }

    /// A lower bound of the makespan over all placements \[cycles\].
    pub(crate) fn makespan(self) -> u64 {
        match self.program.special() {
            Special::Job(job) => self.makespan_of_job(job),
            Special::None
            | Special::Cube(_)
            | Special::Pipelined(_)
            | Special::RandomAccess(_)
            | Special::Tasks(_) => self.makespan_of_stages(),
        }
    }

    fn makespan_of_stages(mut self) -> u64 {
        let mut finishes = vec![0; self.readies.len()];
        for stage in 0..self.program.stage_count() {
            self.advance(stage, &mut finishes);
        }
        finishes.into_iter().max().unwrap_or(0)
    }

    /// A step starts at a rank when its predecessors are over there, and computations that share a processor do not
    /// wait for each other.
    fn makespan_of_job(mut self, job: &Job) -> u64 {
        let ranks = usize::try_from(job.rank_count()).unwrap_or(usize::MAX);
        let mut finishes = vec![0; self.readies.len()];
        let mut before = vec![0_u64; ranks]; // the end of the previous iteration at each rank
        for iteration in 0..job.iterations() {
            let mut over: Vec<Vec<u64>> = vec![]; // by step and rank
            for (number, step) in job.steps().iter().enumerate() {
                for (process, finish) in finishes.iter_mut().enumerate() {
                    let rank = process % ranks;
                    let begin = step.after.iter().map(|&earlier| over[earlier][rank]).max();
                    *finish = begin.unwrap_or(before[rank]);
                }
                let first = job.first_stage(iteration, number);
                for stage in first..first + step.stage_count() {
                    self.advance(stage, &mut finishes);
                }
                let shares = |rank: usize| finishes[rank..].iter().step_by(ranks).max().copied();
                over.push((0..ranks).map(|rank| shares(rank).unwrap_or(0)).collect());
            }
            for (rank, before) in before.iter_mut().enumerate() {
                *before = over.iter().map(|finishes| finishes[rank]).max().unwrap_or(0);
            }
        }
        before.into_iter().max().unwrap_or(0)
    }

    /// Replaces the cycles at which processes end the previous stage by those of this stage.
    fn advance(&mut self, stage: usize, finishes: &mut [u64]) {
        self.program.list_computations(stage, &mut self.computations);
        for ((ready, finish), computation) in self.readies.iter_mut().zip(&*finishes).zip(&self.computations)
        {
            *ready = finish.saturating_add(*computation);
        }
        for process in ProcessId::first(self.program.process_count()) {
            finishes[process.label() as usize] = self.finish(stage, process);
        }
    }

    /// The earliest cycle at which a process ends a stage.
    fn finish(&mut self, stage: usize, process: ProcessId) -> u64 {
        let Self { program, rules, nearest, meets, .. } = *self;
        let ready = self.readies[process.label() as usize];
        let mut finish = ready;
        self.received.clear();
        program.list(End::Destination, stage, process, &mut self.received);
        self.sent.clear();
        if meets {
            program.list(End::Source, stage, process, &mut self.sent);
        }
        for &Peer { process: source, units } in &self.received {
            let from = self.readies[source.label() as usize];
            let start = if rules.is_eager(units) { from } else { from.max(ready) };
            let back = self.sent.iter().find(|peer| meets && peer.process == source && source > process);
            let [one, other] = [source, process].map(|process| u64::from(process.label()) % self.ranks);
            let apart = self.apart.and_then(|apart| apart.time(one, other, units)).unwrap_or(0);
            let transfer = match back {
                _ if one == other => rules.timing_of(units).transfer(0).get(), // shares sit on one node
                Some(peer) => Nearest::transfer_after(rules, units, peer.units),
                None => nearest.transfer(rules, units),
            };
            let transfer = transfer.max(apart);
            finish = finish.max(start.saturating_add(transfer));
        }
        finish
    }
}
