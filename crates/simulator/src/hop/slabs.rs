//! One run on several threads: the machine in slabs of neighbouring lines.
//!
//! Each worker has a slab of nodes, with their processes and the links whose near ends they are. Most
//! lines are whole in a slab; those of one dimension, and of any above it, are cut at its borders. In
//! a cycle no link concerns another: so in every cycle each worker does what
//! [`HopEngine`] does, and sends notes to the workers concerned: messages whose next
//! link is in another slab, that arrive at the process of another, and sources that are ready for
//! messages to the process of another. Notes concern the cycle in which they are sent, and a cycle is
//! over when no worker has sent one that could be answered. Then all agree on the next cycle in which
//! anything happens: idle stretches are jumped over.
//!
//! The order of notes means nothing, for the same reason as the order of events within a cycle:
//! queues serve messages in the order of their keys. So the results are those of one thread, to the
//! last cycle, for any number of workers. [`Transport`](transport::Transport) is all that workers
//! know of each other.

mod division;
mod neighbours;
mod on_ranks;
mod ready_sources;
mod reports;
mod transport;
mod words;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{LinkMode, narrow};

use self::{
    division::Residents,
    neighbours::{Neighbours, SharedKnowledge},
    on_ranks::run_on_ranks,
    reports::{Reporter, Reports},
    transport::{SharedBoxes, Transport},
};
use super::{
    HopInput, StartTimes,
    border::Note,
    engine::HopEngine,
    flow::{Flow, Word},
    layout,
};
use crate::{
    Communication, ImbalanceError, Observer, Program, SimulationError, StageRecord, Summary, Traffic,
    Workers, observe::accounts::Ledger,
};

/// Whether a run can be divided among workers: on a grid whose channels or links are granted each by
/// itself.
pub(crate) fn accepts(placement: &Placement, communication: Communication) -> bool {
    placement.machine().graph().is_none() && communication.links() != LinkMode::SingleDirection
}

/// Bytes that workers need beyond those of one engine, roughly.
pub(crate) fn further_bytes(processes: u64) -> u64 {
    const BYTES_PER_PROCESS: u64 = 64; // its index and label, its ready sources, and visitors
    processes.saturating_mul(BYTES_PER_PROCESS)
}

/// Runs `program` to its end by several workers, reporting to `observer`. Of ranks the leader returns the results of
/// all, and each other those of its slab.
///
/// # Errors
///
/// The first process that did not reach its end, or whose times do not add up.
///
/// # Panics
///
/// When [`accepts`] refuses the run, or messages have other times than units.
pub(crate) fn run<P: Program, O: Observer>(
    program: &P,
    placement: &Placement,
    communication: Communication,
    workers: Workers,
    observer: &mut O,
) -> Result<(Summary, Traffic), SimulationError> {
    let input = HopInput { program, placement, communication, starts: StartTimes::Together };
    let narrow = layout(program, placement.machine()).bits() <= u64::BITS;
    match workers {
        Workers::Threads(threads) if narrow => run_on_threads::<P, u64, O>(&input, threads.get(), observer),
        Workers::Threads(threads) => run_on_threads::<P, u128, O>(&input, threads.get(), observer),
        Workers::Ranks(task) if narrow => run_on_ranks::<P, u64, O>(&input, task, observer),
        Workers::Ranks(task) => run_on_ranks::<P, u128, O>(&input, task, observer),
    }
}

fn run_on_threads<P: Program, W: Word, O: Observer>(
    input: &HopInput<'_, P>,
    threads: usize,
    observer: &mut O,
) -> Result<(Summary, Traffic), SimulationError> {
    let shared = SharedKnowledge::new(input.program, input.placement, threads);
    let workers = shared.division.slab_count();
    let (boxes, reports) = (SharedBoxes::new(workers), Reports::new(workers, observer.wants_records()));
    let work = |number: usize, pass_on: &mut dyn FnMut()| {
        let reporter = reports.of_worker(number, pass_on);
        run_slab::<P, W>(input, &shared, number, &mut boxes.transport(number), reporter)
    };
    let work = &work;
    let results: Vec<_> = std::thread::scope(|scope| {
        let others: Vec<_> =
            (1..workers).map(|number| scope.spawn(move || work(number, &mut || {}))).collect();
        let first = work(0, &mut || reports.pass_on(observer));
        let others = others.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        std::iter::once(first).chain(others).collect()
    });
    reports.pass_on(observer);
    let (summary, traffic) = merge(input.program, results)?;
    summary.check_balance()?;
    Ok((summary, traffic))
}

/// What the part of a worker came to, or the first of its processes that did not reach its end.
type Part = Result<SlabOutcome, ProcessId>;

struct SlabOutcome {
    summary: Summary,
    traffic: Traffic,
    imbalance: Option<ImbalanceError>, // with one the summary must not be used
}

/// The results of all parts together.
///
/// # Errors
///
/// The first process that did not reach its end, or the first imbalance.
fn merge<P: Program>(program: &P, parts: Vec<Part>) -> Result<(Summary, Traffic), SimulationError> {
    if let Some(&process) = parts.iter().filter_map(|part| part.as_ref().err()).min() {
        return Err(SimulationError::Unfinished { process });
    }
    let mut summary = Summary::of_program(program);
    let mut shares = vec![];
    for part in parts.into_iter().flatten() {
        part.imbalance.map_or(Ok(()), Err)?;
        summary.add(&part.summary);
        shares.push(part.traffic);
    }
    Ok((summary, sum(&shares)))
}

/// The traffic of all slabs.
fn sum(shares: &[Traffic]) -> Traffic {
    Traffic {
        messages: shares.iter().map(|share| share.messages).sum(),
        hops: shares.iter().map(|share| share.hops).sum(),
        longest_queue: shares.iter().filter_map(|share| share.longest_queue).max(),
        routing: None,
        link_use: None,
    }
}

/// Runs the part of one worker to its end, with all others.
fn run_slab<P: Program, W: Word>(
    input: &HopInput<'_, P>,
    shared: &SharedKnowledge<'_>,
    number: usize,
    transport: &mut dyn Transport<Note>,
    reporter: Reporter<'_>,
) -> Part {
    let machine = input.placement.machine();
    let slab = shared.division.slab(number);
    let residents = Residents::new(&slab, input.placement, &shared.indices);
    let labels = residents.labels();
    let nodes: Vec<_> = labels.iter().map(|&process| input.placement.node(process)).collect();
    // Below 2^30, as that of the whole run.
    let own_messages = narrow((nodes.len() * input.program.max_received().max(1)) as u64);
    let network = Flow::<W>::new(machine, input.communication, layout(input.program, machine), &slab);
    let border = Neighbours::new(shared, number, &residents, own_messages, transport);
    let ledger = Ledger::of_part(input.program, labels.len());
    let mut observer = SlabObserver { labels, ledger, reporter };
    let traffic = HopEngine::new(input, &nodes, network, border, &mut observer).run()?;
    let (summary, imbalance) = observer.ledger.part();
    Ok(SlabOutcome { summary, traffic, imbalance })
}

/// Names the processes of a slab, which its engine knows by their indices.
struct SlabObserver<'run, 'slab, 'report, P> {
    labels: &'slab [ProcessId],
    ledger: Ledger<'run, P>,
    reporter: Reporter<'report>,
}

impl<P: Program> Observer for SlabObserver<'_, '_, '_, P> {
    #[inline]
    fn stage_finished(&mut self, record: &StageRecord) {
        let index = record.process;
        let record = StageRecord { process: self.labels[index.label() as usize], ..*record };
        self.ledger.add(index, &record);
        self.reporter.stage_finished(&record);
    }
}
