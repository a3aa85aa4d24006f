//! One run on several threads or ranks: the machine in slabs of neighbouring lines.
//!
//! Each worker has a slab of nodes, with their processes and the links or channels that belong to them. Most
//! lines are whole in a slab; those of one dimension, and of any above it, are cut at its borders. In
//! a cycle no link concerns another: so in every cycle each worker does what the engine of a whole run does
//! ([`hop`](crate::hop), [`sized`](crate::sized)), and sends notes to the workers concerned: messages whose next
//! link is in another slab, that arrive at the process of another, and sources that are ready for
//! messages to the process of another. Notes concern the cycle in which they are sent, and a cycle is
//! over when no worker has sent one that could be answered. Then all agree on the next cycle in which
//! anything happens: idle stretches are jumped over.
//!
//! The order of notes means nothing, for the same reason as the order of events within a cycle:
//! queues serve messages in the order of their keys. So the results are those of one thread, to the
//! last cycle, for any number of workers. [`Transport`] is all that workers know of each other.

mod border;
mod division;
mod neighbours;
mod on_ranks;
mod ready_sources;
mod reports;
mod slab;
mod transport;
mod words;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::NodeId;

pub(crate) use self::{
    border::{Border, BorderNote, NoBorder, ReadySource},
    neighbours::Neighbours,
    slab::Slab,
    transport::Transport,
    words::{pair, parts},
};
use self::{
    division::Residents,
    neighbours::SharedKnowledge,
    on_ranks::run_on_ranks,
    reports::{Reporter, Reports},
    transport::SharedBoxes,
};
use crate::{
    ImbalanceError, Observer, Program, SimulationError, StageRecord, Summary, Traffic, Workers,
    observe::accounts::Ledger,
};

/// Bytes that workers need beyond those of one engine, roughly.
pub(crate) fn further_bytes(processes: u64) -> u64 {
    const BYTES_PER_PROCESS: u64 = 64; // its index and label, its ready sources, and visitors
    processes.saturating_mul(BYTES_PER_PROCESS)
}

/// What computes the parts of a run.
pub(crate) trait SlabEngine: Sync {
    /// What the engines of the parts say to each other.
    type Note: BorderNote;

    /// What is run.
    fn program(&self) -> &dyn Program;

    /// Where.
    fn placement(&self) -> &Placement;

    /// Whether a computation that begins may end in the same cycle, and where it begins is known after all that
    /// becomes ready in that cycle.
    fn may_begin_again(&self) -> bool;

    /// Whether each engine knows by its last note of a cycle when anything happens next in it or by its notes.
    fn tells_next_early(&self) -> bool;

    /// Runs one part to its end, with all others. Processes are known by their indices, also to the observer.
    ///
    /// # Errors
    ///
    /// The first process of the part that did not reach its end.
    fn run_part(
        &self,
        part: &SlabPart<'_>,
        transport: &mut dyn Transport<Self::Note>,
        observer: &mut dyn Observer,
    ) -> Result<Traffic, ProcessId>;
}

/// The part of one worker.
#[derive(Debug)]
pub(crate) struct SlabPart<'run> {
    shared: &'run SharedKnowledge<'run>,
    residents: Residents,
    /// Its nodes.
    pub(crate) slab: Slab,
    /// The nodes of its processes, by index.
    pub(crate) nodes: Vec<NodeId>,
}

impl<'run> SlabPart<'run> {
    fn new(shared: &'run SharedKnowledge<'run>, number: usize) -> Self {
        let slab = shared.division.slab(number);
        let residents = Residents::new(&slab, shared.placement, &shared.indices);
        let nodes = residents.labels().iter().map(|&process| shared.placement.node(process)).collect();
        Self { shared, residents, slab, nodes }
    }

    /// The border of its engine, which keeps `visitors` there.
    pub(crate) fn border<'part, N: BorderNote, V>(
        &'part self,
        visitors: V,
        transport: &'part mut dyn Transport<N>,
    ) -> Neighbours<'part, N, V> {
        Neighbours::new(self.shared, (&self.slab, &self.residents), visitors, transport)
    }
}

/// Runs a program to its end by several workers, reporting to `observer`. Of ranks the leader returns the results of
/// all, and each other those of its slab.
///
/// # Errors
///
/// The first process that did not reach its end, or whose times do not add up.
pub(crate) fn run_divided<E: SlabEngine>(
    engine: &E,
    workers: Workers,
    observer: &mut dyn Observer,
) -> Result<(Summary, Traffic), SimulationError> {
    match workers {
        Workers::Threads(threads) => run_on_threads(engine, threads.get(), observer),
        Workers::Ranks(task) => run_on_ranks(engine, task, observer),
    }
}

fn run_on_threads<E: SlabEngine>(
    engine: &E,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<(Summary, Traffic), SimulationError> {
    let shared = SharedKnowledge::of(engine, threads);
    let workers = shared.division.slab_count();
    let (boxes, reports) = (SharedBoxes::new(workers), Reports::new(workers, observer.wants_records()));
    let work = |number: usize, pass_on: &mut dyn FnMut()| {
        let reporter = reports.of_worker(number, pass_on);
        run_slab(engine, &shared, number, &mut boxes.transport(number), reporter)
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
    let (summary, traffic) = merge(engine.program(), results)?;
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
fn run_slab<E: SlabEngine>(
    engine: &E,
    shared: &SharedKnowledge<'_>,
    number: usize,
    transport: &mut dyn Transport<E::Note>,
    reporter: Reporter<'_>,
) -> Part {
    let part = SlabPart::new(shared, number);
    let labels = part.residents.labels();
    let ledger = Ledger::of_part(engine.program(), labels.len());
    let mut observer = SlabObserver { labels, ledger, reporter };
    let traffic = engine.run_part(&part, transport, &mut observer)?;
    let (summary, imbalance) = observer.ledger.part();
    Ok(SlabOutcome { summary, traffic, imbalance })
}

/// Names the processes of a slab, which its engine knows by their indices.
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
