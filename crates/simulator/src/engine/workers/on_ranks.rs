//! The slabs of a run on ranks.

use std::sync::{Mutex, PoisonError};

use cubefold_mapping::ProcessId;
use cubefold_topology::narrow;

use super::{
    DividedRun, Part, SlabOutcome,
    division::Residents,
    exchange::Exchange,
    merge,
    neighbours::{Neighbours, SharedKnowledge},
    reports::Reports,
    run_slab, sum,
};
use crate::{
    Observer, RankTask, Ranks, SimulationError, Summary, Traffic,
    engine::border::{Border, Note},
    ranks::NOTHING,
    slab::Slab,
};

/// Ranks compute one run at a time.
static AT_WORK: Mutex<()> = Mutex::new(());

/// In place of a process: all finished.
const NO_PROCESS: u64 = u64::MAX;

/// Runs the slab of this rank, with all others. Each rank reports the records of its processes. The leader returns the
/// results of all ranks, every other rank its own.
pub(super) fn run_on_ranks(
    run: &DividedRun<'_>,
    task: RankTask,
    observer: &mut dyn Observer,
) -> Result<(Summary, Traffic), SimulationError> {
    let _alone = task.is_leader().then(|| AT_WORK.lock().unwrap_or_else(PoisonError::into_inner));
    let _end = AbortOnPanic(task.ranks);
    task.begin();
    let reports = Reports::new(1, observer.wants_records());
    let mut pairs = 0;
    let part = {
        let mut pass_on = || pairs += reports.pass_on(observer);
        run_part(run, task.ranks, &reports, &mut pass_on)
    };
    observer.part_finished(task);
    let none = Summary::of_program(run.program);
    let (mut parts, pairs) = exchange_parts(task, &part, pairs, &none);
    observer.pairs_finished(pairs);
    // Errors are returned after the exchange, in which all ranks take part.
    parts.push(part);
    let (summary, traffic) = merge(run.program, parts)?;
    if task.is_leader() {
        summary.check_balance()?;
    }
    Ok((summary, traffic))
}

/// The other ranks do not wait for one that panics.
struct AbortOnPanic(&'static dyn Ranks);

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abort();
        }
    }
}

/// Runs the slab of this rank; one without a slab waits for the others.
fn run_part(
    run: &DividedRun<'_>,
    ranks: &'static dyn Ranks,
    reports: &Reports,
    pass_on: &mut dyn FnMut(),
) -> Part {
    let shared = SharedKnowledge::new(run.placement, ranks.count());
    let mut exchange = RankExchange::new(ranks);
    if ranks.rank() < shared.division.slab_count() {
        return run_slab(run, &shared, ranks.rank(), &mut exchange, reports.of_worker(0, pass_on));
    }
    let (slab, residents) = (Slab::new(0..0), Residents::none());
    let mut border = Neighbours::new(&shared, (&slab, &residents), &mut exchange);
    while border.next_event(None).is_some() {
        while !border.exchange() {}
    }
    Ok(SlabOutcome { summary: Summary::of_program(run.program), traffic: sum(&[]), imbalance: None })
}

/// The connection of one rank with the others.
#[derive(Debug)]
struct RankExchange {
    ranks: &'static dyn Ranks,
    outgoing: Vec<Vec<u64>>,
    incoming: Vec<u64>,
}

impl RankExchange {
    fn new(ranks: &'static dyn Ranks) -> Self {
        Self { ranks, outgoing: vec![vec![]; ranks.count()], incoming: vec![] }
    }
}

impl Exchange for RankExchange {
    fn exchange(&mut self, outgoing: &mut [Vec<Note>], incoming: &mut Vec<Note>, value: u64) -> u64 {
        for (notes, words) in outgoing.iter_mut().zip(&mut self.outgoing) {
            for note in notes.drain(..) {
                note.write(words);
            }
        }
        let least = self.ranks.exchange(&mut self.outgoing, &mut self.incoming, value);
        let mut words = self.incoming.drain(..);
        incoming.extend(std::iter::from_fn(|| Note::read(&mut words)));
        least
    }
}

/// Sends the results of this rank to the leader; returns those of all others to it, and how many pairs of a process and
/// a stage they have finished.
fn exchange_parts(task: RankTask, part: &Part, pairs: u64, none: &Summary) -> (Vec<Part>, u64) {
    let (mut outgoing, mut incoming) = (vec![vec![]; task.ranks.count()], vec![]);
    if !task.is_leader() {
        write_part(part, pairs, &mut outgoing[0]);
    }
    task.ranks.exchange(&mut outgoing, &mut incoming, NOTHING);
    let mut words = incoming.into_iter();
    let read = std::iter::from_fn(|| read_part(none, &mut words));
    let (parts, pairs): (Vec<_>, Vec<_>) = read.unzip();
    (parts, pairs.into_iter().sum())
}

fn write_part(part: &Part, pairs: u64, words: &mut Vec<u64>) {
    match part {
        Ok(SlabOutcome { summary, traffic, .. }) => {
            let queue = traffic.longest_queue.unwrap_or(0);
            words.extend([NO_PROCESS, pairs, traffic.messages, traffic.hops, queue.into()]);
            summary.write(words);
        }
        Err(process) => words.extend([process.label().into(), pairs]),
    }
}

fn read_part(none: &Summary, words: &mut impl Iterator<Item = u64>) -> Option<(Part, u64)> {
    let (process, pairs) = (words.next()?, words.next()?);
    if process != NO_PROCESS {
        return Some((Err(ProcessId::new(narrow(process))), pairs));
    }
    let (messages, hops, queue) = (words.next()?, words.next()?, narrow(words.next()?));
    let traffic = Traffic { messages, hops, longest_queue: Some(queue), routing: None, link_use: None };
    let summary = none.read(words)?;
    Some((Ok(SlabOutcome { summary, traffic, imbalance: None }), pairs))
}
