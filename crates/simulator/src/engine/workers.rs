//! One run on several threads or ranks: the machine in slabs of neighbouring lines.
//!
//! Each worker has a slab of nodes, with their processes and the channels that start there, or the links whose near
//! ends they are. Most lines are whole in a slab; those of one dimension, and of any above it, are cut at its borders.
//! In a cycle no link concerns another: so each worker does what the engine of a whole run does, and sends notes to the
//! workers concerned. Notes are of packets whose next channel is in another slab, of receipts at the processes of
//! another, and of sources that are ready for messages to them. They concern the cycle in which they are sent, and a
//! cycle is over when no worker has sent one that could be answered. Then all agree on the next cycle in which anything
//! happens: idle stretches are skipped.
//!
//! The order of notes does not matter, for the same reason as the order of events within a cycle: queues serve messages
//! in the order of their keys. So the results are those of one thread, to the last cycle, for any number of workers.
//! Workers know of each other only by their [`Exchange`].

mod division;
mod exchange;
mod neighbours;
mod on_ranks;
mod ready_sources;
mod reports;

use std::borrow::Cow;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{LinkMode, NodeId};

use self::{
    division::Residents,
    exchange::{Exchange, SharedBoxes},
    neighbours::{Neighbours, SharedKnowledge},
    on_ranks::run_on_ranks,
    reports::{Reporter, Reports},
};
use super::{Core, MessageTable, StartTimes, TransportKind, packets_under_way, stages::run_stages};
use crate::{
    Communication, ImbalanceError, MessageRoutes, Observer, Program, SimulationError, StageRecord, Summary,
    Traffic, Workers,
    observe::accounts::Ledger,
    slab::Slab,
    transport::{Transport, flow::Flow, packets::Packets},
};

/// Whether a run of a stage program can be divided among workers: on a grid whose channels or links are granted
/// independently.
pub(crate) fn accepts(placement: &Placement, communication: Communication) -> bool {
    let has_slabs =
        placement.machine().graph().is_none() && communication.links() != LinkMode::SingleDirection;
    has_slabs
        && communication.routes() == MessageRoutes::OfMachine
        && communication.message_cost() == crate::Cycles::ZERO
}

/// Bytes that workers need beyond those of one engine, roughly.
pub(crate) fn further_bytes(program: &dyn Program, communication: Communication) -> u64 {
    const BYTES_PER_PROCESS: u64 = 80; // its index and label, and its ready sources
    let visitors = MessageTable::bytes(packets_under_way(program, communication));
    program.process_count().saturating_mul(BYTES_PER_PROCESS).saturating_add(visitors)
}

/// Runs `program` to its end by several workers, reporting to `observer`. With ranks, the leader returns the results of
/// all, and each other those of its slab.
///
/// # Errors
///
/// The first process that did not reach its end, or whose times do not add up.
pub(crate) fn run(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    kind: TransportKind,
    workers: Workers,
    observer: &mut dyn Observer,
) -> Result<(Summary, Traffic), SimulationError> {
    let run = DividedRun { program, placement, communication, kind };
    match workers {
        Workers::Threads(threads) => run_on_threads(&run, threads.get(), observer),
        Workers::Ranks(task) => run_on_ranks(&run, task, observer),
    }
}

/// A run that workers divide.
struct DividedRun<'run> {
    program: &'run dyn Program,
    placement: &'run Placement,
    communication: Communication,
    kind: TransportKind,
}

impl DividedRun<'_> {
    /// Runs one part to its end, with all others. Processes are identified by indices, also to the observer.
    ///
    /// # Errors
    ///
    /// The first process of the part that did not reach its end.
    fn run_part(
        &self,
        part: &SlabPart<'_>,
        exchange: &mut dyn Exchange,
        observer: &mut dyn Observer,
    ) -> Result<Traffic, ProcessId> {
        let (machine, slab, rules) = (self.placement.machine(), &part.slab, self.communication);
        match self.kind {
            TransportKind::Flow(plan) => {
                self.run_over(Flow::new(machine, rules, plan, slab), part, exchange, observer)
            }
            TransportKind::Packets => {
                let packets = Packets::new(machine, rules, slab, self.program.facts().uniform_units);
                self.run_over(packets, part, exchange, observer)
            }
        }
    }

    fn run_over<T: Transport>(
        &self,
        transport: T,
        part: &SlabPart<'_>,
        exchange: &mut dyn Exchange,
        observer: &mut dyn Observer,
    ) -> Result<Traffic, ProcessId> {
        let border = Neighbours::new(part.shared, (&part.slab, &part.residents), exchange);
        let core = Core::new(Cow::Borrowed(&part.nodes), self.communication, transport, border);
        run_stages(self.program, self.placement, StartTimes::Together, core, observer)
    }
}

/// The part of one worker: a slab and its processes.
#[derive(Debug)]
struct SlabPart<'run> {
    shared: &'run SharedKnowledge<'run>,
    residents: Residents,
    slab: Slab,
    /// The nodes of its processes, by index.
    nodes: Vec<NodeId>,
}

impl<'run> SlabPart<'run> {
    fn new(shared: &'run SharedKnowledge<'run>, number: usize) -> Self {
        let slab = shared.division.slab(number);
        let residents = Residents::new(&slab, shared.placement, &shared.indices);
        let nodes = residents.labels().iter().map(|&process| shared.placement.node(process)).collect();
        Self { shared, residents, slab, nodes }
    }
}

fn run_on_threads(
    run: &DividedRun<'_>,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<(Summary, Traffic), SimulationError> {
    let shared = SharedKnowledge::new(run.placement, threads);
    let workers = shared.division.slab_count();
    let (boxes, reports) = (SharedBoxes::new(workers), Reports::new(workers, observer.wants_records()));
    let work = |number: usize, pass_on: &mut dyn FnMut()| {
        let reporter = reports.of_worker(number, pass_on);
        run_slab(run, &shared, number, &mut boxes.exchange(number), reporter)
    };
    let work = &work;
    let results: Vec<_> = std::thread::scope(|scope| {
        let others: Vec<_> =
            (1..workers).map(|number| scope.spawn(move || work(number, &mut || {}))).collect();
        let mut pass_on = || _ = reports.pass_on(observer);
        let first = work(0, &mut pass_on);
        let others = others.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        std::iter::once(first).chain(others).collect()
    });
    reports.pass_on(observer);
    let (summary, traffic) = merge(run.program, results)?;
    summary.check_balance()?;
    Ok((summary, traffic))
}

/// The outcome of a worker's part, or the first of its processes that did not finish.
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
fn merge(program: &dyn Program, parts: Vec<Part>) -> Result<(Summary, Traffic), SimulationError> {
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
fn run_slab(
    run: &DividedRun<'_>,
    shared: &SharedKnowledge<'_>,
    number: usize,
    exchange: &mut dyn Exchange,
    reporter: Reporter<'_>,
) -> Part {
    let part = SlabPart::new(shared, number);
    let labels = part.residents.labels();
    let ledger = Ledger::of_part(run.program, labels.len());
    let mut observer = SlabObserver { labels, ledger, reporter };
    let traffic = run.run_part(&part, exchange, &mut observer)?;
    let (summary, imbalance) = observer.ledger.part();
    Ok(SlabOutcome { summary, traffic, imbalance })
}

/// Translates the indices of a slab's engine to process labels.
struct SlabObserver<'run, 'slab, 'report> {
    labels: &'slab [ProcessId],
    ledger: Ledger<'run>,
    reporter: Reporter<'report>,
}

impl Observer for SlabObserver<'_, '_, '_> {
    #[inline]
    fn stage_finished(&mut self, record: &StageRecord) {
        let index = record.process;
        let record = StageRecord { process: self.labels[index.label() as usize], ..*record };
        self.ledger.add(index, &record);
        self.reporter.stage_finished(&record);
    }

    #[inline]
    fn prefetch(&self, process: ProcessId) {
        self.ledger.prefetch(process);
    }
}
