//! Schedules of task graphs: what a GOAL file says, for every process operations with the operations that they
//! require (`docs/model.md` section 18). A schedule is compact, some 45 bytes an operation, and does not depend
//! on the machine.
//!
//! Invariants: operations are numbered in the order of the file; no chain of requirements leads back to its
//! begin; there are no more receives than sends for any source, destination and tag.

use cubefold_mapping::{GraphGuest, ProcessId};
use cubefold_topology::{Machine, MachineError, MachineKind, Network, NetworkError, narrow};

/// The most operations of a schedule.
pub const MAX_OPERATIONS: usize = (1 << 31) - 1;

/// The greatest number of a processor of a process.
pub const MAX_PROCESSOR: u16 = u16::MAX - 1;

/// The most edges of the guest of a task graph.
const MAX_EDGES: usize = 1 << 22;

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationKind {
    /// Occupies a processor.
    Calc,
    /// Sends a message to its peer.
    Send,
    /// Receives a message from its peer.
    Receive,
}

/// An operation of a task graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// The time that a calculation takes, or the size of a message, as the file says.
    pub amount: u64,
    /// The process that it belongs to.
    pub process: ProcessId,
    /// The process that it sends to or receives from; of no account for a calculation.
    pub peer: ProcessId,
    /// The tag of its message; of no account for a calculation.
    pub tag: u32,
    /// The processor of its process that it occupies, at most [`MAX_PROCESSOR`].
    pub processor: u16,
    /// What it does.
    pub kind: OperationKind,
}

/// What an operation waits for of another of its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// That it is over: `requires`.
    Over,
    /// That it has begun: `irequires`.
    Begun,
}

/// Operations of processes and what each requires.
#[derive(Debug, PartialEq, Eq)]
pub struct TaskSchedule {
    process_count: u32,
    operations: Vec<Operation>,
    required: Vec<u32>,                 // by operation, how many it requires
    successor_firsts: Vec<u32>, // by operation, where those that require it begin; one more for the end of the last
    successors: Vec<u32>,       // with BEGUN where they require that it has begun
    channels: Vec<u32>, // by operation, the number of its source, destination and tag; NO_CHANNEL without
    pub(super) pairs: Vec<(u32, u32)>, // source and destination of channels, each once, by destination and source
    pub(super) channel_pairs: Vec<u32>, // by channel, its place in `pairs`
    processors: Vec<u16>,              // by process, how many it has; empty where all have one
    has_begun_requirements: bool,
    has_shared_channels: bool, // whether several sends or receives have one source, destination and tag
    pub(super) guest: GraphGuest,
}

const BEGUN: u32 = 1 << 31;
const NO_CHANNEL: u32 = u32::MAX;

/// A schedule that no execution completes, or none at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskScheduleError {
    /// Operations that require one another.
    #[error("{} operations require one another", operations.len())]
    Cycle {
        /// The operations: each requires the one before it, the first the last.
        operations: Vec<u32>,
    },
    /// A receive without a send.
    #[error("a receive without a send")]
    ReceiveWithoutSend {
        /// The first of them.
        operation: u32,
        /// How many sends there are for its source, destination and tag.
        sends: u32,
        /// How many receives there are for them.
        receives: u32,
    },
    /// No guest for so many processes.
    #[error(transparent)]
    Guest(#[from] NetworkError),
    /// Fewer than two processes, or too many.
    #[error(transparent)]
    Processes(#[from] MachineError),
}

/// A schedule while it is made, operation by operation.
#[derive(Debug)]
pub struct TaskScheduleBuilder {
    process_count: u32,
    operations: Vec<Operation>,
    requirements: Vec<(u32, u32)>, // the operation required, with BEGUN, and the one that requires it
    is_in_order: bool,             // whether operations require earlier ones only
}

impl TaskScheduleBuilder {
    /// An empty schedule of so many processes.
    #[must_use]
    pub fn new(process_count: u32) -> Self {
        Self { process_count, operations: vec![], requirements: vec![], is_in_order: true }
    }

    /// The number of operations so far: that of the next one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there are no operations so far.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Adds an operation, of a process below the number of processes; returns its number. At most
    /// [`MAX_OPERATIONS`] can be added.
    #[inline]
    pub fn add(&mut self, operation: Operation) -> u32 {
        self.operations.push(operation);
        narrow(self.operations.len() as u64 - 1)
    }

    /// Lets an operation require another, both added before.
    #[inline]
    pub fn require(&mut self, operation: u32, required: u32, requirement: Requirement) {
        let flag = match requirement {
            Requirement::Over => 0,
            Requirement::Begun => BEGUN,
        };
        self.is_in_order &= required < operation;
        self.requirements.push((required | flag, operation));
    }

    /// The schedule.
    ///
    /// # Errors
    ///
    /// When operations require one another in a cycle, a receive has no send, or there are fewer than two
    /// processes or more than nodes of a network.
    pub fn finish(self) -> Result<TaskSchedule, TaskScheduleError> {
        let Self { process_count, mut operations, requirements, is_in_order } = self;
        operations.shrink_to_fit();
        let count = operations.len();
        let (mut required, mut firsts) = (vec![0; count], vec![0; count + 1]);
        for &(before, after) in &requirements {
            required[after as usize] += 1;
            firsts[(before & !BEGUN) as usize + 1] += 1;
        }
        for operation in 0..count {
            firsts[operation + 1] += firsts[operation];
        }
        let mut successors = vec![0; requirements.len()];
        // Places are taken from the begin of each operation's, which is put back afterwards.
        for &(before, after) in &requirements {
            let place = &mut firsts[(before & !BEGUN) as usize];
            successors[*place as usize] = after | (before & BEGUN);
            *place += 1;
        }
        firsts.copy_within(0..count, 1);
        firsts[0] = 0;
        let has_begun_requirements = requirements.iter().any(|(before, _)| before & BEGUN > 0);
        drop(requirements);
        let matching = Matching::new(process_count, &operations)?;
        let network = match Network::from_edges(process_count, matching.edges()) {
            Ok(network) => network,
            // More partners than edges are numbered: the metrics of placements say nothing then.
            Err(_) => Network::from_edges(process_count, &[])?,
        };
        let schedule = TaskSchedule {
            process_count,
            processors: processors(process_count, &operations),
            operations,
            required,
            successor_firsts: firsts,
            successors,
            channels: matching.channels,
            pairs: matching.pairs,
            channel_pairs: matching.channel_pairs,
            has_begun_requirements,
            has_shared_channels: matching.has_shared,
            guest: GraphGuest::new(Machine::network(MachineKind::Network, network)?),
        };
        if !is_in_order && let Some(operations) = schedule.cycle() {
            return Err(TaskScheduleError::Cycle { operations });
        }
        Ok(schedule)
    }
}

/// The numbers of processors, where a process has several.
fn processors(process_count: u32, operations: &[Operation]) -> Vec<u16> {
    if operations.iter().all(|operation| operation.processor == 0) {
        return vec![];
    }
    let mut processors = vec![1; process_count as usize];
    for operation in operations {
        let own = &mut processors[operation.process.label() as usize];
        *own = (*own).max(operation.processor.saturating_add(1));
    }
    processors
}

/// The sends and receives of each source, destination and tag.
struct Matching {
    channels: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    channel_pairs: Vec<u32>,
    has_shared: bool,
}

impl Matching {
    fn new(process_count: u32, operations: &[Operation]) -> Result<Self, TaskScheduleError> {
        let (order, firsts) = by_destination(process_count, operations);
        let mut own = Self {
            channels: vec![NO_CHANNEL; operations.len()],
            pairs: vec![],
            channel_pairs: vec![],
            has_shared: false,
        };
        let mut first_wrong: Option<(u32, u32, u32)> = None;
        let mut entries: Vec<(u32, u32, u32)> = vec![];
        for destination in 0..process_count {
            let range = firsts[destination as usize] as usize..firsts[destination as usize + 1] as usize;
            entries.clear();
            entries.extend(order[range].iter().map(|&operation| {
                let own = &operations[operation as usize];
                (source(own), own.tag, operation)
            }));
            entries.sort_unstable();
            for group in entries.chunk_by(|one, next| (one.0, one.1) == (next.0, next.1)) {
                let is_send =
                    |entry: &&(u32, u32, u32)| operations[entry.2 as usize].kind == OperationKind::Send;
                let sends = group.iter().filter(is_send).count();
                let receives = group.len() - sends;
                if receives > sends {
                    let wrong = group.iter().filter(|entry| !is_send(entry)).nth(sends);
                    let wrong = wrong.map(|entry| (entry.2, narrow(sends as u64), narrow(receives as u64)));
                    first_wrong = first_wrong.into_iter().chain(wrong).min();
                }
                own.add(destination, group, sends > 1);
            }
        }
        match first_wrong {
            None => Ok(own),
            Some((operation, sends, receives)) => {
                Err(TaskScheduleError::ReceiveWithoutSend { operation, sends, receives })
            }
        }
    }

    /// Adds the operations of one source, destination and tag.
    fn add(&mut self, destination: u32, group: &[(u32, u32, u32)], is_shared: bool) {
        let pair = (group[0].0, destination);
        if self.pairs.last() != Some(&pair) {
            self.pairs.push(pair);
        }
        let channel = narrow(self.channel_pairs.len() as u64);
        self.channel_pairs.push(narrow(self.pairs.len() as u64 - 1));
        for &(_, _, operation) in group {
            self.channels[operation as usize] = channel;
        }
        self.has_shared |= is_shared;
    }

    /// The edges of the guest; none where there are too many.
    fn edges(&self) -> &[(u32, u32)] {
        if self.pairs.len() > MAX_EDGES { &[] } else { &self.pairs }
    }
}

/// The process from which a message comes.
fn source(operation: &Operation) -> u32 {
    match operation.kind {
        OperationKind::Receive => operation.peer.label(),
        OperationKind::Send | OperationKind::Calc => operation.process.label(),
    }
}

/// The sends and receives by the destination of their messages, and where those of each begin.
fn by_destination(process_count: u32, operations: &[Operation]) -> (Vec<u32>, Vec<u32>) {
    let destination = |operation: &Operation| match operation.kind {
        OperationKind::Calc => None,
        OperationKind::Send => Some(operation.peer.label() as usize),
        OperationKind::Receive => Some(operation.process.label() as usize),
    };
    let mut firsts = vec![0_u32; process_count as usize + 1];
    for destination in operations.iter().filter_map(destination) {
        firsts[destination + 1] += 1;
    }
    for process in 0..process_count as usize {
        firsts[process + 1] += firsts[process];
    }
    let mut order = vec![0; firsts[process_count as usize] as usize];
    let mut next = firsts.clone();
    for (number, operation) in (0..).zip(operations) {
        if let Some(destination) = destination(operation) {
            order[next[destination] as usize] = number;
            next[destination] += 1;
        }
    }
    (order, firsts)
}

impl TaskSchedule {
    /// The number of processes.
    #[must_use]
    pub fn process_count(&self) -> u32 {
        self.process_count
    }

    /// The operations, in the order of the file.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The operations that an operation requires, in the order in which they were required.
    ///
    /// # Complexity
    ///
    /// Linear in the number of all requirements: for files and errors.
    #[must_use]
    pub fn requirements(&self) -> Vec<Vec<(u32, Requirement)>> {
        let mut all = vec![vec![]; self.operations.len()];
        for before in 0..self.operations.len() {
            for (after, requirement) in self.successors(before) {
                all[after as usize].push((narrow(before as u64), requirement));
            }
        }
        all
    }

    /// The number of messages.
    #[must_use]
    pub fn send_count(&self) -> u64 {
        self.operations.iter().filter(|own| own.kind == OperationKind::Send).count() as u64
    }

    /// Bytes that it takes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let own = self.operations.len() * (size_of::<Operation>() + 3 * size_of::<u32>())
            + self.successors.len() * size_of::<u32>()
            + self.channel_pairs.len() * size_of::<u32>();
        own as u64
    }

    /// The operations that require this one, and what of it.
    #[inline]
    pub(crate) fn successors(&self, operation: usize) -> impl Iterator<Item = (u32, Requirement)> {
        let range = self.successor_firsts[operation] as usize..self.successor_firsts[operation + 1] as usize;
        self.successors[range].iter().map(|&successor| {
            let requirement = if successor & BEGUN > 0 { Requirement::Begun } else { Requirement::Over };
            (successor & !BEGUN, requirement)
        })
    }

    /// By operation, how many others it requires.
    pub(crate) fn required(&self) -> &[u32] {
        &self.required
    }

    /// The number of the source, destination and tag of a send or receive.
    #[inline]
    pub(crate) fn channel(&self, operation: u32) -> usize {
        self.channels[operation as usize] as usize
    }

    /// The number of sources, destinations and tags of messages.
    pub(crate) fn channel_count(&self) -> usize {
        self.channel_pairs.len()
    }

    /// Whether an operation requires that another has begun.
    pub(crate) fn has_begun_requirements(&self) -> bool {
        self.has_begun_requirements
    }

    /// Whether messages of one source, destination and tag are matched in the order in which they begin.
    pub(crate) fn has_shared_channels(&self) -> bool {
        self.has_shared_channels
    }

    /// By process, where its processors begin in a list of all; one more for the end of the last.
    pub(crate) fn processor_firsts(&self) -> Vec<u32> {
        let mut firsts = vec![0; self.process_count as usize + 1];
        for process in 0..self.process_count as usize {
            firsts[process + 1] =
                firsts[process] + u32::from(self.processors.get(process).copied().unwrap_or(1));
        }
        firsts
    }

    /// Operations that require one another, where there are any: each requires the one before it.
    fn cycle(&self) -> Option<Vec<u32>> {
        let mut required = self.required.clone();
        let mut free: Vec<u32> = (0..).zip(&required).filter(|own| *own.1 == 0).map(|own| own.0).collect();
        let mut done = 0;
        while let Some(operation) = free.pop() {
            done += 1;
            for (after, _) in self.successors(operation as usize) {
                required[after as usize] -= 1;
                if required[after as usize] == 0 {
                    free.push(after);
                }
            }
        }
        if done == self.operations.len() {
            return None;
        }
        // Every operation that is left requires another that is left: the way back leads into a cycle.
        let requirements = self.requirements();
        let mut path: Vec<u32> = vec![];
        let mut seen = vec![false; self.operations.len()];
        let mut at = (0..).zip(&required).find(|own| *own.1 > 0).map(|own| own.0)?;
        while !seen[at as usize] {
            seen[at as usize] = true;
            path.push(at);
            at = requirements[at as usize].iter().map(|own| own.0).find(|&own| required[own as usize] > 0)?;
        }
        let begin = path.iter().position(|&own| own == at)?;
        let mut cycle = path.split_off(begin);
        cycle.reverse();
        // From the first in the file on.
        let first = (0..cycle.len()).min_by_key(|&place| cycle[place])?;
        cycle.rotate_left(first);
        Some(cycle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_operations_and_of_what_they_require() {
        let calculation = |process| {
            let process = ProcessId::new(process);
            Operation { amount: 5, process, peer: process, tag: 0, processor: 0, kind: OperationKind::Calc }
        };
        let mut builder = TaskScheduleBuilder::new(2);
        let numbers: Vec<u32> = (0..100).map(|number| builder.add(calculation(number % 2))).collect();
        let alone = builder.finish().unwrap().bytes();
        assert_eq!(alone, 100 * (size_of::<Operation>() + 3 * size_of::<u32>()) as u64);
        let mut builder = TaskScheduleBuilder::new(2);
        for &number in &numbers {
            builder.add(calculation(number % 2));
            if number >= 2 {
                builder.require(number, number - 2, Requirement::Over);
            }
        }
        assert_eq!(builder.finish().unwrap().bytes(), alone + 98 * size_of::<u32>() as u64);
    }
}
