//! One run on several threads: the machine in slabs of neighbouring lines.
//!
//! Each worker has a share of the lines of every dimension, with the messages on them, and a slab
//! of nodes, with their processes. Nothing that happens in a cycle on one line concerns another in
//! the same cycle; so in every cycle each worker does what [`HopEngine`](super::HopEngine) does,
//! and sends notes to the workers concerned: messages that turn into lines of another share, that
//! arrive at the process of another, and sources that are ready for messages to the process of
//! another. Notes concern the cycle in which they are sent, and a cycle is over when no worker has
//! sent one that could be answered. Then all agree on the next cycle in which anything happens:
//! idle stretches are jumped over.
//!
//! The order of notes means nothing, for the same reason as the order of events within a cycle:
//! queues serve messages in the order of their keys. So the results are those of one thread, to the
//! last cycle, for any number of workers. [`Transport`](transport::Transport) is all that workers
//! know of each other.

mod messages;
mod ready_sources;
mod reports;
mod transport;
mod worker;

use std::num::NonZeroUsize;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{Divisor, LinkMode, NodeId};

use self::{
    reports::Reports,
    transport::SharedBoxes,
    worker::{RunInput, Worker},
};
use super::{
    flow::{Flow, Share, Word},
    layout,
};
use crate::{
    Communication, Observer, Program, SimulationError, Summary, Traffic, observe::accounts::Ledger,
    routes::Routes,
};

/// Whether a run can be divided among workers: on a grid whose channels or links are granted each by
/// itself.
pub(crate) fn accepts(placement: &Placement, communication: Communication) -> bool {
    placement.machine().graph().is_none() && communication.links() != LinkMode::SingleDirection
}

/// Bytes that `workers` workers need beyond those of one thread, roughly.
pub(crate) fn further_bytes(processes: u64, workers: NonZeroUsize) -> u64 {
    const BYTES_PER_PROCESS: u64 = 96;
    const BYTES_PER_PROCESS_AND_WORKER: u64 = 8; // of the accounts
    let of_workers = BYTES_PER_PROCESS_AND_WORKER.saturating_mul(workers.get() as u64);
    processes.saturating_mul(BYTES_PER_PROCESS.saturating_add(of_workers))
}

/// The division of nodes, with their processes, among workers.
#[derive(Debug)]
struct Division {
    workers: usize,
    slab: Divisor,     // the nodes of every slab but the last
    indices: Vec<u32>, // by process, its index among those of its worker
}

impl Division {
    fn new(node_count: u64, nodes: &[NodeId], workers: usize) -> Self {
        let slab = Divisor::new(node_count.div_ceil(workers as u64));
        let mut division = Self { workers, slab, indices: vec![] };
        let mut counts = vec![0; workers];
        let mut index = |&node: &NodeId| {
            let count = &mut counts[division.owner(node)];
            *count += 1;
            *count - 1
        };
        division.indices = nodes.iter().map(&mut index).collect();
        division
    }

    fn workers(&self) -> usize {
        self.workers
    }

    /// The worker of a node and of the processes on it.
    fn owner(&self, node: NodeId) -> usize {
        // Below the number of workers.
        usize::try_from(self.slab.divide(node.index().into()).0).unwrap_or(usize::MAX)
    }

    /// The index of a process among those of its worker.
    fn index(&self, process: ProcessId) -> ProcessId {
        ProcessId::new(self.indices[process.label() as usize])
    }
}

/// Runs `program` to its end on `workers` threads, reporting to `observer`.
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
    workers: NonZeroUsize,
    observer: &mut O,
) -> Result<(Summary, Traffic), SimulationError> {
    if layout(program, placement.machine()).bits() <= u64::BITS {
        run_words::<P, u64, O>(program, placement, communication, workers.get(), observer)
    } else {
        run_words::<P, u128, O>(program, placement, communication, workers.get(), observer)
    }
}

fn run_words<P: Program, W: Word, O: Observer>(
    program: &P,
    placement: &Placement,
    communication: Communication,
    workers: usize,
    observer: &mut O,
) -> Result<(Summary, Traffic), SimulationError> {
    let machine = placement.machine();
    let nodes = placement.listed_nodes();
    let input = RunInput {
        program,
        nodes: &nodes,
        timing: communication.timing(),
        shares_nodes: !placement.is_one_to_one(),
    };
    let division = Division::new(machine.node_count(), &nodes, workers);
    let (boxes, reports) = (SharedBoxes::new(workers), Reports::new(workers, observer.wants_records()));
    let work = |number: usize, pass_on: &mut dyn FnMut()| {
        let share = Share { worker: number, workers };
        let network = Flow::<W>::new(machine, communication, layout(program, machine), share);
        let routes = Routes::new(machine, communication.tie());
        let observers = (Ledger::new(program), reports.of_worker(number, pass_on));
        let worker =
            Worker::new(&input, &division, number, routes, network, boxes.transport(number), observers);
        worker.run().map(|(traffic, (ledger, _))| (traffic, ledger))
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
    let unfinished = results.iter().filter_map(|result| result.as_ref().err()).min();
    if let Some(&process) = unfinished {
        return Err(SimulationError::Unfinished { process });
    }
    let (shares, mut ledgers): (Vec<_>, Vec<_>) = results.into_iter().flatten().unzip();
    let traffic = Traffic {
        messages: shares.iter().map(|share| share.messages).sum(),
        hops: shares.iter().map(|share| share.hops).sum(),
        longest_queue: shares.iter().filter_map(|share| share.longest_queue).max(),
        routing: None,
        link_use: None,
    };
    Ok((ledgers.remove(0).close_with(ledgers)?, traffic)) // there is at least one worker
}
