//! The makespan that no placement of a task graph is below: its longest path, with every message over the shortest way that
//! any placement could give it, and without waiting for processors.
//!
//! Which send meets which receive is known only where they are the only ones of their source, destination and tag. Of
//! several, a receive may meet the first send. So times are the least that fulfil all requirements: they begin at 0 and are
//! raised until nothing changes.

use std::collections::{BTreeMap, VecDeque};

use cubefold_simulator::{Communication, Operation, OperationKind, Requirement, TaskGraph};

use crate::recursion::Nearest;

/// How often an operation is looked at on average, before times are taken as they are: they are too low then, and still a
/// bound.
const MOST_LOOKS: usize = 64;

/// Bytes while the path of a graph is looked for, roughly.
pub(crate) fn bytes(graph: &TaskGraph) -> u64 {
    const BYTES_AN_OPERATION: u64 = 200; // its times, and lists of what comes before and after it
    BYTES_AN_OPERATION.saturating_mul(graph.schedule().operations().len() as u64)
}

/// The most pairs that the messages of one source, destination and tag may be; of more, none is known to be there.
const MOST_PAIRS: usize = 256;

/// The earliest begin and end of every operation.
struct CriticalPath<'a> {
    graph: &'a TaskGraph,
    rules: Communication,
    nearest: Nearest,
    required: Vec<Vec<(u32, Requirement)>>, // by operation
    others: Vec<Vec<u32>>,                  // by operation, what its message may meet
    times: Vec<Times>,
}

/// The earliest cycles of an operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Times {
    begin: u64,
    over: u64,
}

/// A lower bound of the makespan over all placements of a task graph \[cycles\].
pub(crate) fn least_makespan_of_tasks(graph: &TaskGraph, rules: Communication, nearest: Nearest) -> u64 {
    let schedule = graph.schedule();
    let count = schedule.operations().len();
    let required = schedule.requirements();
    let others = matches(schedule.operations());
    // Whose times depend on those of an operation.
    let mut later: Vec<Vec<u32>> = others.clone();
    for (operation, own) in (0..).zip(&required) {
        own.iter().for_each(|&(before, _)| later[before as usize].push(operation));
    }
    let times = vec![Times::default(); count];
    let mut path = CriticalPath { graph, rules, nearest, required, others, times };
    let mut waiting: VecDeque<u32> = (0..).take(count).collect();
    let mut is_waiting = vec![true; count];
    let mut looks = 0;
    while let Some(operation) = waiting.pop_front().filter(|_| looks < MOST_LOOKS * count) {
        looks += 1;
        is_waiting[operation as usize] = false;
        let times = path.times_of(operation);
        if times != path.times[operation as usize] {
            path.times[operation as usize] = times;
            for &own in &later[operation as usize] {
                if !std::mem::replace(&mut is_waiting[own as usize], true) {
                    waiting.push_back(own);
                }
            }
        }
    }
    let awaited = schedule.operations().iter().zip(&path.times).filter(|own| own.0.is_awaited);
    awaited.map(|own| own.1.over).max().unwrap_or(0)
}

/// The longest that a processor of a process computes \[cycles\].
pub(crate) fn longest_computations_of_tasks(graph: &TaskGraph) -> u128 {
    let mut sums: BTreeMap<(u32, u16), u128> = BTreeMap::new();
    for (number, own) in (0..).zip(graph.schedule().operations()) {
        let cycles = match own.kind {
            OperationKind::Calc => graph.cycles(number),
            OperationKind::Send => graph.overhead(),
            OperationKind::Receive => continue,
        };
        *sums.entry((own.process.label(), own.processor)).or_default() += u128::from(cycles.get());
    }
    sums.into_values().max().unwrap_or(0)
}

/// The receives that the message of each send may meet, and the sends of each receive, as far as they are few.
fn matches(operations: &[Operation]) -> Vec<Vec<u32>> {
    let mut ends: BTreeMap<(u32, u32, u32), [Vec<u32>; 2]> = BTreeMap::new();
    for (number, own) in (0..).zip(operations) {
        let (own_label, peer) = (own.process.label(), own.peer.label());
        match own.kind {
            OperationKind::Calc => {}
            OperationKind::Send => ends.entry((own_label, peer, own.tag)).or_default()[0].push(number),
            OperationKind::Receive => ends.entry((peer, own_label, own.tag)).or_default()[1].push(number),
        }
    }
    let mut others = vec![vec![]; operations.len()];
    for [sends, receives] in
        ends.into_values().filter(|[sends, receives]| sends.len() * receives.len() <= MOST_PAIRS)
    {
        for &send in &sends {
            others[send as usize].clone_from(&receives);
        }
        for &receive in &receives {
            others[receive as usize].clone_from(&sends);
        }
    }
    others
}

impl CriticalPath<'_> {
    /// The earliest times of an operation, given those of all others.
    fn times_of(&self, number: u32) -> Times {
        let own = self.graph.schedule().operations()[number as usize];
        let of = |&(before, requirement): &(u32, Requirement)| {
            let Times { begin, over } = self.times[before as usize];
            if requirement == Requirement::Over { over } else { begin }
        };
        let ready = self.required[number as usize].iter().map(of).max().unwrap_or(0);
        let others = || self.others[number as usize].iter().copied();
        match own.kind {
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

    /// The earliest cycle at which the message of a send that begins at `sent` is there, if it meets this receive.
    fn arrival(&self, sent: u64, send: u32, receive: u32) -> u64 {
        let own = self.graph.schedule().operations()[send as usize];
        let units = self.graph.units(send);
        let start =
            if self.rules.is_eager(units) { sent } else { sent.max(self.times[receive as usize].begin) };
        let transfer = if own.process == own.peer {
            self.rules.timing_of(units).transfer(0).get()
        } else {
            self.nearest.transfer(self.rules, units)
        };
        start.saturating_add(transfer)
    }
}
