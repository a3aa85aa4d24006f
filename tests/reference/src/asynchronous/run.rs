//! The state of an asynchronous run, and what happens in a cycle before processors and channels pick.
//!
//! `docs/model.md` section 5: arrivals, ends of computations and injections.

use std::collections::{BTreeMap, BTreeSet};

use super::super::grid::{Channel, Link};
use super::super::problem::{Message, Problem};
use super::pick::Direction;
use super::processor::Candidate;

/// A message on its way.
pub struct Travel {
    /// The message.
    pub message: Message,
    /// The channels that it takes; none between processes of one node.
    pub route: Vec<Channel>,
    /// How many channels of the route it has crossed.
    pub crossed: usize,
    /// The cycle at which it was injected.
    pub injected: Option<u64>,
    /// The cycle at which it reached its destination.
    pub delivered: Option<u64>,
}

/// The key of a message in a queue: `(cycle it joined, stage, source, destination)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The cycle at which it joined the queue.
    pub joined: u64,
    /// The message; messages are ordered by stage, source and destination.
    pub message: Message,
}

/// A stage and a process.
pub type StageAndProcess = (usize, usize);

/// The state of a run at a cycle.
pub struct Run<'problem> {
    /// What is run.
    pub problem: &'problem Problem,
    /// The cycle it has come to.
    pub cycle: u64,
    /// Every message of the problem, by its number.
    pub travels: Vec<Travel>,
    /// The numbers of the messages that a process sends or receives in a stage.
    pub messages_of: BTreeMap<StageAndProcess, Vec<usize>>,
    /// How many messages for a process in a stage have not reached it.
    pub awaited: BTreeMap<StageAndProcess, usize>,
    /// The cycle at which a process became ready in a stage.
    pub ready: BTreeMap<StageAndProcess, u64>,
    /// The processes that could begin to compute and have not been picked, by their node.
    pub candidates: BTreeMap<u64, BTreeSet<Candidate>>,
    /// The nodes whose processor computes now.
    pub computing: BTreeSet<u64>,
    /// How long a process waited for the processor in a stage \[cycles\].
    pub sharing: BTreeMap<StageAndProcess, u64>,
    /// The processes that became ready since messages were last injected.
    pub newly_ready: Vec<StageAndProcess>,
    /// The processes that come to a stage which they pass through.
    pub passing: Vec<StageAndProcess>,
    /// The computations that end at a cycle to come.
    pub computations: BTreeMap<u64, Vec<StageAndProcess>>,
    /// The channels whose transmission ends at a cycle to come.
    pub transmissions: BTreeMap<u64, Vec<Channel>>,
    /// The number of the message that a channel transmits now.
    pub in_flight: BTreeMap<Channel, usize>,
    /// The queues that are not empty.
    pub queues: BTreeMap<Channel, BTreeSet<Key>>,
    /// What the machine is in under single-direction links; none before its first transmission.
    pub direction: Option<Direction>,
    /// The longest queue so far.
    pub longest_queue: usize,
    /// The messages left in queues after the picks, summed over the cycles so far.
    pub left_in_queues: u64,
    /// Links crossed so far, by all messages together.
    pub hops: u64,
    /// Cycles of transmission over each link, ended or begun.
    pub busy_cycles: BTreeMap<Link, u64>,
}

impl<'problem> Run<'problem> {
    /// The state at cycle 0, when every process could begin to compute for stage 0.
    pub fn new(problem: &'problem Problem) -> Self {
        let mut messages_of = BTreeMap::<StageAndProcess, Vec<usize>>::new();
        let mut awaited = BTreeMap::new();
        let mut travels = Vec::new();
        for message in problem.messages() {
            messages_of.entry((message.stage, message.source)).or_default().push(message.number);
            messages_of.entry((message.stage, message.destination)).or_default().push(message.number);
            *awaited.entry((message.stage, message.destination)).or_default() += 1;
            let route = problem.route(message);
            travels.push(Travel { message, route, crossed: 0, injected: None, delivered: None });
        }
        let mut run = Self {
            problem,
            cycle: 0,
            travels,
            messages_of,
            awaited,
            ready: BTreeMap::new(),
            newly_ready: Vec::new(),
            candidates: BTreeMap::new(),
            computing: BTreeSet::new(),
            sharing: BTreeMap::new(),
            passing: Vec::new(),
            computations: BTreeMap::new(),
            transmissions: BTreeMap::new(),
            in_flight: BTreeMap::new(),
            queues: BTreeMap::new(),
            direction: None,
            longest_queue: 0,
            left_in_queues: 0,
            hops: 0,
            busy_cycles: BTreeMap::new(),
        };
        for process in 0..problem.nodes.len() {
            run.could_begin(0, process);
        }
        run
    }

    /// Advances to the next cycle at which a transmission or a computation ends; whether there is one.
    pub fn advance(&mut self) -> bool {
        let next = self.transmissions.keys().chain(self.computations.keys()).min();
        self.cycle = next.copied().unwrap_or(self.cycle);
        next.is_some()
    }

    /// One round of arrivals, ends of computations and injections; whether there was any.
    pub fn something_happens(&mut self) -> bool {
        let arrived = self.arrive();
        let became_ready = self.become_ready();
        let injected = self.inject();
        arrived || became_ready || injected
    }

    /// Every transmission that ends now arrives; whether there was one.
    fn arrive(&mut self) -> bool {
        let channels = self.transmissions.remove(&self.cycle).unwrap_or_default();
        for channel in &channels {
            let number = self.in_flight.remove(channel).expect("a transmission that ends is in flight");
            self.travels[number].crossed += 1;
            self.reach_node(number);
        }
        !channels.is_empty()
    }

    /// A message is at a node of its route: it is delivered at the last one, and joins the next queue at
    /// the others. One between processes of one node is at its last node when it is injected.
    fn reach_node(&mut self, number: usize) {
        if self.travels[number].crossed == self.travels[number].route.len() {
            self.deliver(number);
        } else {
            self.join_next_queue(number);
        }
    }

    /// A message has reached its destination; the last one for a process ends its stage.
    fn deliver(&mut self, number: usize) {
        self.travels[number].delivered = Some(self.cycle);
        let Message { stage, destination, .. } = self.travels[number].message;
        let awaited = self.awaited.get_mut(&(stage, destination)).expect("the message was awaited");
        *awaited -= 1;
        if *awaited == 0 {
            self.finish(stage, destination);
        }
    }

    /// A process has finished a stage and could begin to compute for the next.
    fn finish(&mut self, stage: usize, process: usize) {
        if stage + 1 < self.problem.stages.len() {
            self.could_begin(stage + 1, process);
        }
    }

    /// Every process whose computation ends now leaves the processor and becomes ready, and finishes the
    /// stage at once when no message comes for it; whether there was one.
    fn become_ready(&mut self) -> bool {
        let ended = self.computations.remove(&self.cycle).unwrap_or_default();
        for (_, process) in &ended {
            self.computing.remove(&self.problem.nodes[*process]);
        }
        let passing = std::mem::take(&mut self.passing);
        for &(stage, process) in ended.iter().chain(&passing) {
            self.ready.insert((stage, process), self.cycle);
            self.newly_ready.push((stage, process));
            if !self.awaited.contains_key(&(stage, process)) {
                self.finish(stage, process);
            }
        }
        !(ended.is_empty() && passing.is_empty())
    }

    /// Every message whose partners are both ready, one of them newly so, is injected; whether
    /// there was one.
    fn inject(&mut self) -> bool {
        let mut injected = false;
        for ready in std::mem::take(&mut self.newly_ready) {
            for number in self.messages_of.get(&ready).cloned().unwrap_or_default() {
                if self.travels[number].injected.is_none() && self.partners_are_ready(number) {
                    self.travels[number].injected = Some(self.cycle);
                    self.reach_node(number);
                    injected = true;
                }
            }
        }
        injected
    }

    /// Whether both ends of a message are ready in its stage.
    fn partners_are_ready(&self, number: usize) -> bool {
        let Message { stage, source, destination, .. } = self.travels[number].message;
        self.ready.contains_key(&(stage, source)) && self.ready.contains_key(&(stage, destination))
    }

    /// A message joins the queue of the channel it needs next.
    fn join_next_queue(&mut self, number: usize) {
        let travel = &self.travels[number];
        let key = Key { joined: self.cycle, message: travel.message };
        self.queues.entry(travel.route[travel.crossed]).or_default().insert(key);
    }

    /// Notes the longest queue after the picks of a cycle.
    pub fn measure_queues(&mut self) {
        self.left_in_queues += self.queues.values().flatten().map(|_| 1).sum::<u64>();
        let longest_now = self.queues.values().map(BTreeSet::len).max().unwrap_or(0);
        self.longest_queue = self.longest_queue.max(longest_now);
    }
}
