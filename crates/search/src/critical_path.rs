//! A lower bound of the makespan of a task graph over all placements: its longest path, with every message over the
//! shortest route that any placement could give it, and without waiting for processors.
//!
//! A send and a receive are known to match only if they are the only ones of their source, destination and tag. Among
//! several, a receive may match the first send. So times are the least that meet all requirements: they begin at 0 and
//! are raised until nothing changes. The least time left after each operation is found in the same way, from the end.
//!
//! All messages of two processes take one route. If no two processes share a node, they occupy its last channel in
//! turn, each from its earliest arrival there and each with its tail ([`one_machine`]).
//!
//! [`one_machine`]: crate::one_machine

use std::collections::{BTreeMap, VecDeque};

use cubefold_simulator::{Communication, Operation, OperationKind, Requirement, TaskGraph};

use crate::{
    one_machine::{self, MachineJob},
    recursion::Nearest,
};

/// The most visits per operation, on average. The times reached by then may be too low, and are still a bound.
const MOST_LOOKS: usize = 64;

/// The approximate bytes used by the search for the longest path.
pub(crate) fn bytes(graph: &TaskGraph) -> u64 {
    const BYTES_AN_OPERATION: u64 = 320; // its times, tails and job, and lists of its predecessors and successors
    BYTES_AN_OPERATION.saturating_mul(graph.schedule().operations().len() as u64)
}

/// The most pairs of sends and receives of one source, destination and tag; beyond, no pair is recorded.
const MOST_PAIRS: usize = 256;

/// The earliest start and end of every operation.
struct CriticalPath<'a> {
    graph: &'a TaskGraph,
    rules: Communication,
    nearest: Nearest,
    required: Vec<Vec<(u32, Requirement)>>, // by operation
    later: Vec<Vec<(u32, Requirement)>>,    // by operation, its successors
    others: Vec<Vec<u32>>,                  // by operation, the possible matches
    times: Vec<Times>,
    tails: Vec<Tails>,
}

/// The earliest cycles of an operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Times {
    begin: u64,
    over: u64,
}

/// Whether times are raised, from the start, or tails, from the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

/// The least time left up to the last end of an awaited operation \[cycles\]; `None` if none is known to be left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tails {
    /// From the cycle at which it is ready.
    ready: Option<u64>,
    /// From the cycle at which it is over.
    over: Option<u64>,
}

/// A lower bound of the makespan over all placements of a task graph \[cycles\]. `takes_routes_of_machine`:
/// whether all messages from one process to another take the same route.
pub(crate) fn least_makespan_of_tasks(
    graph: &TaskGraph,
    rules: Communication,
    nearest: Nearest,
    takes_routes_of_machine: bool,
) -> u64 {
    let schedule = graph.schedule();
    let count = schedule.operations().len();
    let required = schedule.requirements();
    let mut later: Vec<Vec<(u32, Requirement)>> = vec![vec![]; count];
    for (operation, requirements) in (0..).zip(&required) {
        requirements
            .iter()
            .for_each(|&(before, requirement)| later[before as usize].push((operation, requirement)));
    }
    let others = matches(schedule.operations());
    let (times, tails) = (vec![Times::default(); count], vec![Tails::default(); count]);
    let mut path = CriticalPath { graph, rules, nearest, required, later, others, times, tails };
    path.raise(Direction::Forward);
    let awaited = schedule.operations().iter().zip(&path.times).filter(|(operation, _)| operation.is_awaited);
    let longest = awaited.map(|(_, times)| times.over).max().unwrap_or(0);
    if nearest.shares || !takes_routes_of_machine {
        return longest;
    }
    path.raise(Direction::Backward);
    longest.max(path.least_end_of_channels())
}

/// The longest total computation of one processor of a process \[cycles\].
pub(crate) fn longest_computations_of_tasks(graph: &TaskGraph) -> u128 {
    let mut sums: BTreeMap<(u32, u16), u128> = BTreeMap::new();
    for (number, operation) in (0..).zip(graph.schedule().operations()) {
        let cycles = match operation.kind {
            OperationKind::Calc => graph.cycles(number),
            OperationKind::Send => graph.overhead(),
            OperationKind::Receive => continue,
        };
        *sums.entry((operation.process.label(), operation.processor)).or_default() +=
            u128::from(cycles.get());
    }
    sums.into_values().max().unwrap_or(0)
}

/// The possible receives of each send and sends of each receive, if they are few.
fn matches(operations: &[Operation]) -> Vec<Vec<u32>> {
    let mut ends: BTreeMap<(u32, u32, u32), [Vec<u32>; 2]> = BTreeMap::new();
    for (number, operation) in (0..).zip(operations) {
        let (own_label, peer) = (operation.process.label(), operation.peer.label());
        match operation.kind {
            OperationKind::Calc => {}
            OperationKind::Send => ends.entry((own_label, peer, operation.tag)).or_default()[0].push(number),
            OperationKind::Receive => {
                ends.entry((peer, own_label, operation.tag)).or_default()[1].push(number);
            }
        }
    }
    let mut others = vec![vec![]; operations.len()];
    for [sends, receives] in
        ends.into_values().filter(|[sends, receives]| sends.len() * receives.len() <= MOST_PAIRS)
    {
        // With more sends than receives, it is unknown which ones are never received.
        if sends.len() <= receives.len() {
            sends.iter().for_each(|&send| others[send as usize].clone_from(&receives));
        }
        for &receive in &receives {
            others[receive as usize].clone_from(&sends);
        }
    }
    others
}

/// A tail with `cycles` before it.
fn plus(tail: Option<u64>, cycles: u64) -> Option<u64> {
    tail.map(|tail| tail.saturating_add(cycles))
}

impl CriticalPath<'_> {
    /// Raises all times, or all tails, until nothing changes.
    fn raise(&mut self, direction: Direction) {
        let count = self.times.len();
        let order = 0..u32::try_from(count).unwrap_or(u32::MAX);
        let mut waiting: VecDeque<u32> =
            if direction == Direction::Forward { order.collect() } else { order.rev().collect() };
        let mut is_waiting = vec![true; count];
        let mut looks = 0;
        while let Some(operation) = waiting.pop_front().filter(|_| looks < MOST_LOOKS * count) {
            looks += 1;
            is_waiting[operation as usize] = false;
            if !self.raise_one(operation, direction) {
                continue;
            }
            let next = if direction == Direction::Forward { &self.later } else { &self.required };
            let next = next[operation as usize].iter().map(|&(other, _)| other);
            for neighbour in next.chain(self.others[operation as usize].iter().copied()) {
                if !std::mem::replace(&mut is_waiting[neighbour as usize], true) {
                    waiting.push_back(neighbour);
                }
            }
        }
    }

    /// Whether the times or the tails of an operation change.
    fn raise_one(&mut self, operation: u32, direction: Direction) -> bool {
        let place = operation as usize;
        match direction {
            Direction::Forward => {
                let times = self.times_of(operation);
                std::mem::replace(&mut self.times[place], times) != times
            }
            Direction::Backward => {
                let tails = self.tails_of(operation);
                std::mem::replace(&mut self.tails[place], tails) != tails
            }
        }
    }

    /// The tails of an operation, given the tails of all others.
    fn tails_of(&self, number: u32) -> Tails {
        let operation = self.graph.schedule().operations()[number as usize];
        let after = |wanted: Requirement| {
            let later =
                self.later[number as usize].iter().filter(move |(_, requirement)| *requirement == wanted);
            later.filter_map(|&(other, _)| self.tails[other as usize].ready).max()
        };
        let over = after(Requirement::Over).max(operation.is_awaited.then_some(0));
        let begun = after(Requirement::Begun);
        let others = || self.others[number as usize].iter().copied();
        let ready = match operation.kind {
            OperationKind::Calc => begun.max(plus(over, self.graph.cycles(number).get())),
            OperationKind::Send => {
                let message = others().map(|receive| self.tail_of_message(number, receive, over)).min();
                plus(begun.max(over).max(message.flatten()), self.graph.overhead().get())
            }
            OperationKind::Receive => {
                let message = others().map(|send| {
                    let is_eager = self.rules.is_eager(self.graph.units(send));
                    let after = self.tails[send as usize].over;
                    if is_eager { None } else { self.tail_of_message(send, number, after.max(over)) }
                });
                begun.max(over).max(message.min().flatten())
            }
        };
        Tails { ready, over }
    }

    /// The tail from the start of a message, if it goes from this send to this receive. At least `over` follows the
    /// message's end if the send ends with it.
    fn tail_of_message(&self, send: u32, receive: u32, over: Option<u64>) -> Option<u64> {
        let units = self.graph.units(send);
        let of_receive = self.tails[receive as usize].over;
        let after = if self.rules.is_eager(units) { of_receive } else { of_receive.max(over) };
        plus(after, self.transfer(send))
    }

    /// The bound from the messages of each pair of processes, in turn.
    fn least_end_of_channels(&self) -> u64 {
        let mut channels: BTreeMap<(u32, u32), Vec<MachineJob>> = BTreeMap::new();
        for (number, operation) in (0..).zip(self.graph.schedule().operations()) {
            if operation.kind == OperationKind::Send
                && operation.process != operation.peer
                && let Some(job) = self.job_of_message(number)
            {
                channels.entry((operation.process.label(), operation.peer.label())).or_default().push(job);
            }
        }
        channels.values_mut().map(|jobs| one_machine::least_end(jobs)).max().unwrap_or(0)
    }

    /// The message of a send on the last channel of its route; `None` if its tail is unknown.
    fn job_of_message(&self, send: u32) -> Option<MachineJob> {
        let receives = || self.others[send as usize].iter().copied();
        let (units, sent) = (self.graph.units(send), self.times[send as usize].begin);
        let arrival = receives().map(|receive| self.arrival(sent, send, receive)).min()?;
        let over = self.tails[send as usize].over;
        let after = receives().map(|receive| self.tail_of_message(send, receive, over)).min()??;
        let timing = self.rules.timing_of(units);
        let (time, receipt) = (timing.occupancy().get(), timing.receipt().get());
        Some(MachineJob {
            head: arrival.saturating_sub(receipt),
            time,
            tail: (receipt - time).saturating_add(after.saturating_sub(self.transfer(send))),
        })
    }

    /// The least time of the message of a send.
    fn transfer(&self, send: u32) -> u64 {
        let operation = self.graph.schedule().operations()[send as usize];
        let units = self.graph.units(send);
        if operation.process == operation.peer {
            self.rules.timing_of(units).transfer(0).get()
        } else {
            self.nearest.transfer(self.rules, units)
        }
    }

    /// The earliest times of an operation, given the times of all others.
    fn times_of(&self, number: u32) -> Times {
        let operation = self.graph.schedule().operations()[number as usize];
        let of = |&(before, requirement): &(u32, Requirement)| {
            let Times { begin, over } = self.times[before as usize];
            if requirement == Requirement::Over { over } else { begin }
        };
        let ready = self.required[number as usize].iter().map(of).max().unwrap_or(0);
        let others = || self.others[number as usize].iter().copied();
        match operation.kind {
            OperationKind::Calc => {
                Times { begin: ready, over: ready.saturating_add(self.graph.cycles(number).get()) }
            }
            OperationKind::Send => {
                let begin = ready.saturating_add(self.graph.overhead().get());
                let there = others().map(|receive| self.arrival(begin, number, receive)).min();
                let is_eager = self.rules.is_eager(self.graph.units(number));
                Times { begin, over: if is_eager { begin } else { there.unwrap_or(begin) } }
            }
            OperationKind::Receive => {
                let there = others().map(|send| self.arrival(self.times[send as usize].begin, send, number));
                Times { begin: ready, over: there.min().unwrap_or(ready).max(ready) }
            }
        }
    }

    /// The earliest arrival of the message of a send that starts at `sent`, if it matches this receive.
    fn arrival(&self, sent: u64, send: u32, receive: u32) -> u64 {
        let is_eager = self.rules.is_eager(self.graph.units(send));
        let start = if is_eager { sent } else { sent.max(self.times[receive as usize].begin) };
        start.saturating_add(self.transfer(send))
    }
}
