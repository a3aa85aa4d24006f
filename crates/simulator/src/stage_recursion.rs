//! The recursion over stages (`docs/model.md` section 15): the cycle at which every process ends each
//! stage, as long as no message waits for a channel.
//!
//! The times after a stage are a function of those before it, in which a common delay of all times
//! carries over: `F(T + c) = F(T) + c`. So if a stage adds the same to the times of all processes,
//! every repetition of it does, and repetitions are added without executing them.

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::NodeId;

use crate::{
    Communication, End, Peer, Program,
    explicit_routes::{ExplicitRoutes, RoutedPair},
    transfer::TransferTimes,
};

/// A message of a stage as its destination awaits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Incoming {
    /// Its source, by label.
    pub(crate) source: u32,
    /// Whether it sets out when its source is ready, independent of its destination.
    pub(crate) is_eager: bool,
    pub(crate) packets: u64,
    /// The links that it crosses; 0 inside a node.
    pub(crate) distance: u64,
    /// Its time without contention \[cycles\].
    pub(crate) transfer: u64,
}

/// The last message that a process receives in a stage; without messages, the cycle at which it is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastReceived {
    pub(crate) start: u64,    // the cycle at which the message sets out
    pub(crate) finish: u64,   // the cycle at which it is received
    pub(crate) transfer: u64, // its time without contention [cycles]
}

impl LastReceived {
    /// The last of the messages to a process that is ready at a cycle, if processes are ready at `readies`. Of several received at one
    /// cycle the one with the smallest source counts.
    #[inline]
    pub(crate) fn of(ready: u64, readies: &[u64], incoming: impl Iterator<Item = Incoming>) -> Self {
        let mut last = None;
        for message in incoming {
            let from = readies[message.source as usize];
            let start = if message.is_eager { from } else { from.max(ready) };
            let finish = start + message.transfer;
            let counts = |&(last, source): &(Self, u32)| {
                finish > last.finish || finish == last.finish && message.source < source
            };
            if last.as_ref().is_none_or(counts) {
                last = Some((Self { start, finish, transfer: message.transfer }, message.source));
            }
        }
        last.map_or(Self { start: ready, finish: ready, transfer: 0 }, |(last, _)| last)
    }
}

/// A placed program, for the recursion over its stages.
pub(crate) struct PlacedProgram<'run> {
    pub(crate) program: &'run dyn Program,
    pub(crate) nodes: &'run [NodeId], // by process
    pub(crate) communication: Communication,
    routes: Option<ExplicitRoutes<'run>>, // if messages do not take those of the machine
    transfers: TransferTimes<'run>,
}

impl<'run> PlacedProgram<'run> {
    /// A program whose processes are on these nodes, those of the placement.
    pub(crate) fn new(
        program: &'run dyn Program,
        placement: &'run Placement,
        nodes: &'run [NodeId],
        communication: Communication,
    ) -> Self {
        let routes = ExplicitRoutes::new(placement, communication);
        let transfers = TransferTimes::new(placement.machine(), communication);
        Self { program, nodes, communication, routes, transfers }
    }

    /// The messages to a process in a stage, listed in `peers`.
    #[inline]
    pub(crate) fn incoming<'list>(
        &'list self,
        stage: usize,
        destination: ProcessId,
        peers: &'list mut Vec<Peer>,
    ) -> impl Iterator<Item = Incoming> + 'list {
        self.program.list(End::Destination, stage, destination, peers);
        peers.drain(..).map(move |Peer { process, units }| self.message(stage, [process, destination], units))
    }

    /// A message of `units` units in a stage, from one process to another.
    #[inline]
    fn message(&self, stage: usize, ends: [ProcessId; 2], units: u64) -> Incoming {
        let [source, destination] = ends;
        let [from, to] = ends.map(|process| self.nodes[process.label() as usize]);
        let times = &self.transfers;
        let (transfer, distance) = match &self.routes {
            None => times.between(from, to, units),
            Some(routes) => {
                times.over(&routes.route(RoutedPair::new(stage, source, destination), from, to), units)
            }
        };
        Incoming {
            source: source.label(),
            is_eager: self.communication.is_eager(units),
            packets: self.communication.packet_count(units),
            distance,
            transfer: transfer.get(),
        }
    }

    /// The number of stages from this one on that are known to be the same.
    pub(crate) fn repetitions(&self, stage: usize) -> usize {
        if self.communication.routes().depend_on_stage() {
            return 1;
        }
        let later = stage + 1..self.program.stage_count();
        1 + later.take_while(|&next| self.program.repeats(next)).count()
    }
}

/// The computations and messages of one stage, listed.
#[derive(Debug)]
pub(crate) struct ListedStage {
    computations: Vec<u64>,             // by process [cycles]
    firsts: Vec<u32>, // by process, its first message; one more for the end of the last; at most 2^30, as checked before a run
    pub(crate) messages: Vec<Incoming>, // by destination
}

impl ListedStage {
    pub(crate) fn new(placed: &PlacedProgram<'_>, stage: usize) -> Self {
        let mut computations = vec![];
        placed.program.list_computations(stage, &mut computations);
        let mut unordered: Vec<(u32, Incoming)> = vec![];
        let mut firsts = vec![0; placed.nodes.len() + 1];
        placed.program.for_each_message(stage, &mut |source, destination, units| {
            unordered.push((destination.label(), placed.message(stage, [source, destination], units)));
            firsts[destination.label() as usize + 1] += 1;
        });
        for process in 0..placed.nodes.len() {
            firsts[process + 1] += firsts[process];
        }
        let mut messages = unordered.first().map_or(vec![], |&(_, any)| vec![any; unordered.len()]);
        let mut next = firsts.clone();
        for (destination, message) in unordered {
            let place = &mut next[destination as usize];
            messages[*place as usize] = message;
            *place += 1;
        }
        Self { computations, firsts, messages }
    }

    /// The cycles at which processes that finished the previous stage at `finishes` are ready.
    pub(crate) fn become_ready(&self, finishes: &[u64], readies: &mut [u64]) {
        for ((ready, finish), computation) in readies.iter_mut().zip(finishes).zip(&self.computations) {
            *ready = finish + computation;
        }
    }

    #[inline]
    pub(crate) fn receives_none(&self, process: usize) -> bool {
        self.firsts[process] == self.firsts[process + 1]
    }

    #[inline]
    pub(crate) fn last_received(&self, process: usize, readies: &[u64]) -> LastReceived {
        let messages = &self.messages[self.firsts[process] as usize..self.firsts[process + 1] as usize];
        LastReceived::of(readies[process], readies, messages.iter().copied())
    }
}

/// Returns the difference of the times after and before, if it is the same for all.
pub(crate) fn common_step(before: &[u64], after: &[u64]) -> Option<u64> {
    let mut steps = before.iter().zip(after).map(|(before, after)| after - before);
    let first = steps.next()?;
    steps.all(|step| step == first).then_some(first)
}
