//! Schedules of task graphs: the contents of a GOAL file, for every process operations with the operations
//! that they require (`docs/model.md` section 18). A schedule is compact, some 45 bytes per operation, and
//! does not depend on the machine.
//!
//! Invariants: operations are numbered in the order of the file; requirements form no cycle; for every
//! source, destination and tag there are at most as many receives as sends.

use cubefold_mapping::{GraphGuest, ProcessId};
use cubefold_topology::{Machine, MachineError, MachineKind, Network, NetworkError, narrow};

use super::task_matching::Matching;

/// Largest number of operations of a schedule.
pub const MAX_OPERATIONS: usize = (1 << 31) - 1;

/// Largest number of requirements of a schedule.
pub const MAX_REQUIREMENTS: u64 = (1 << 32) - 2;

/// Largest number of a processor of a process.
pub const MAX_PROCESSOR: u16 = u16::MAX - 1;

/// The kinds of operations.
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
    /// The time of a calculation, or the size of a message, as in the file.
    pub amount: u64,
    /// The process that executes it.
    pub process: ProcessId,
    /// The process that it sends to or receives from; unused for a calculation.
    pub peer: ProcessId,
    /// The tag of its message; unused for a calculation.
    pub tag: u32,
    /// The processor of its process that it occupies, at most [`MAX_PROCESSOR`].
    pub processor: u16,
    /// Its kind.
    pub kind: OperationKind,
    /// Whether its process ends only after it. A send that is not awaited, and that no operation requires, is over for
    /// its process when it begins.
    pub is_awaited: bool,
}

/// The state of another operation of its process for which an operation waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// It has finished: `requires`.
    Over,
    /// It has begun: `irequires`.
    Begun,
}

/// Operations of processes and their requirements.
#[derive(Debug, PartialEq, Eq)]
pub struct TaskSchedule {
    process_count: u32,
    operations: Vec<Operation>,
    nodes: Vec<TaskNode>,              // by operation
    required: Vec<u32>,                // by operation, its number of requirements
    links: Vec<Link>,                  // of operations that several others require
    pub(super) pairs: Vec<(u32, u32)>, // source and destination of messages, each once, by destination and source
    shared_channels: usize,
    processors: Vec<u16>, // by process, its number of processors; empty if all have one
    has_begun_requirements: bool,
    pub(super) guest: GraphGuest,
}

/// The connections of an operation with others. A run visits operations of many processes in turn, and each
/// list that it reads is another page of memory: the constant data of an operation are in one place, and
/// changing data in lists that are small enough for a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TaskNode {
    /// The operations that require it, with BEGUN if they require that it has begun; NONE if there are fewer.
    /// If there are more than two, the second entry is 1 + the index of the link of the last.
    successors: [u32; 2],
    partner: u32,
    has_links: bool, // whether there are more than two successors
}

/// One of many operations that require another, in a list of all but the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Link {
    successor: u32, // with BEGUN if it requires that the other has begun
    before: u32,    // 1 + the index of the link of the previous one; 0 for the first
}

/// The match of a send or receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Partner {
    /// No match: a send without a receive, or a calculation.
    None,
    /// The only operation at the other end with its source, destination and tag.
    Operation(u32),
    /// One of several: the number of the source, destination and tag, among those that several operations
    /// share.
    Channel(u32),
}

const BEGUN: u32 = 1 << 31;
/// Marks the partner of a node as the number of a channel.
const CHANNEL: u32 = 1 << 31;
/// No operation.
const NONE: u32 = u32::MAX;

impl TaskNode {
    const NEW: Self = Self { successors: [NONE; 2], partner: NONE, has_links: false };

    /// The other end of its message.
    #[inline]
    pub(crate) fn partner(&self) -> Partner {
        match self.partner {
            NONE => Partner::None,
            number if number & CHANNEL > 0 => Partner::Channel(number & !CHANNEL),
            number => Partner::Operation(number),
        }
    }

    /// The first operation that was added as requiring it, if there is any.
    #[inline]
    pub(crate) fn first_successor(&self) -> Option<u32> {
        (self.successors[0] != NONE).then_some(self.successors[0] & !BEGUN)
    }

    /// Sets the other end of its message.
    pub(super) fn set_partner(&mut self, partner: Partner) {
        self.partner = match partner {
            Partner::None => NONE,
            Partner::Operation(operation) => operation,
            Partner::Channel(channel) => channel | CHANNEL,
        };
    }
}

/// A schedule that no execution completes, or an invalid one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskScheduleError {
    /// Operations that require one another in a cycle.
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
        /// Number of sends for its source, destination and tag.
        sends: u32,
        /// Number of receives for them.
        receives: u32,
    },
    /// Several cycles and receives without a send.
    #[error("{}, and {} more", .0[0], .0.len() - 1)]
    Several(Vec<TaskScheduleError>),
    /// No guest has this number of processes.
    #[error(transparent)]
    Guest(#[from] NetworkError),
    /// Fewer than two processes, or too many.
    #[error(transparent)]
    Processes(#[from] MachineError),
}

/// A schedule under construction, to which operations are added.
#[derive(Debug)]
pub struct TaskScheduleBuilder {
    process_count: u32,
    operations: Vec<Operation>,
    nodes: Vec<TaskNode>, // by operation
    required: Vec<u32>,   // by operation
    links: Vec<Link>,
    requirements: u64,
    is_in_order: bool, // whether operations only require earlier ones
    has_begun_requirements: bool,
    last_processor: u16,
}

impl TaskScheduleBuilder {
    /// An empty schedule of `process_count` processes.
    #[must_use]
    pub fn new(process_count: u32) -> Self {
        Self {
            process_count,
            operations: vec![],
            nodes: vec![],
            required: vec![],
            links: vec![],
            requirements: 0,
            is_in_order: true,
            has_begun_requirements: false,
            last_processor: 0,
        }
    }

    /// Number of operations so far, which is the number of the next one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there are no operations so far.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Number of requirements so far.
    #[must_use]
    pub fn requirement_count(&self) -> u64 {
        self.requirements
    }

    /// Adds an operation of an existing process and returns its number. At most [`MAX_OPERATIONS`] can be
    /// added.
    #[inline]
    pub fn add(&mut self, operation: Operation) -> u32 {
        self.last_processor = self.last_processor.max(operation.processor);
        self.operations.push(operation);
        self.nodes.push(TaskNode::NEW);
        self.required.push(0);
        narrow(self.operations.len() as u64 - 1)
    }

    /// Makes an operation require another one, both added before. At most [`MAX_REQUIREMENTS`] can be added.
    #[inline]
    pub fn require(&mut self, operation: u32, required: u32, requirement: Requirement) {
        self.is_in_order &= required < operation;
        self.has_begun_requirements |= requirement == Requirement::Begun;
        self.requirements += 1;
        self.required[operation as usize] += 1;
        let flag = if requirement == Requirement::Begun { BEGUN } else { 0 };
        let successor = operation | flag;
        let before = &mut self.nodes[required as usize];
        match before.successors {
            [NONE, _] => before.successors[0] = successor,
            [_, NONE] => before.successors[1] = successor,
            [_, second] => {
                let mut last = second;
                if !before.has_links {
                    before.has_links = true;
                    self.links.push(Link { successor: second, before: 0 });
                    last = narrow(self.links.len() as u64);
                }
                self.links.push(Link { successor, before: last });
                before.successors[1] = narrow(self.links.len() as u64); // no more than requirements
            }
        }
    }

    /// Completes the schedule.
    ///
    /// # Errors
    ///
    /// If operations require one another in a cycle, a receive has no send, or there are fewer than two
    /// processes or more than nodes of a network.
    pub fn finish(self) -> Result<TaskSchedule, TaskScheduleError> {
        let Self {
            process_count, mut operations, mut nodes, mut required, mut links, last_processor, ..
        } = self;
        operations.shrink_to_fit();
        nodes.shrink_to_fit();
        required.shrink_to_fit();
        links.shrink_to_fit();
        let matching = Matching::new(process_count, &operations, &mut nodes);
        let network = match Network::from_edges(process_count, matching.edges()) {
            Ok(network) => network,
            // There are more partners than a graph can number edges: metrics of placements are then empty.
            Err(_) => Network::from_edges(process_count, &[])?,
        };
        let schedule = TaskSchedule {
            process_count,
            processors: if last_processor > 0 { processors(process_count, &operations) } else { vec![] },
            operations,
            nodes,
            required,
            links,
            pairs: matching.pairs.clone(),
            shared_channels: matching.shared_channels,
            has_begun_requirements: self.has_begun_requirements,
            guest: GraphGuest::new(Machine::network(MachineKind::Network, network)?),
        };
        let cycles = if self.is_in_order { vec![] } else { schedule.cycles() };
        let cycles = cycles.into_iter().map(|operations| TaskScheduleError::Cycle { operations });
        let mut errors: Vec<TaskScheduleError> = matching.errors().into_iter().chain(cycles).collect();
        match errors.pop() {
            None => Ok(schedule),
            Some(only) if errors.is_empty() => Err(only),
            Some(last) => {
                errors.push(last);
                Err(TaskScheduleError::Several(errors))
            }
        }
    }
}

/// Numbers of processors, if a process has several.
fn processors(process_count: u32, operations: &[Operation]) -> Vec<u16> {
    let mut processors = vec![1; process_count as usize];
    for operation in operations {
        let most = &mut processors[operation.process.label() as usize];
        *most = (*most).max(operation.processor.saturating_add(1));
    }
    processors
}

impl TaskSchedule {
    /// The number of processes.
    #[must_use]
    pub fn process_count(&self) -> u32 {
        self.process_count
    }

    /// All operations, in the order of the file.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The requirements of each operation, in the order in which they were added.
    ///
    /// # Complexity
    ///
    /// Linear in the number of all requirements: only for files and errors.
    #[must_use]
    pub fn requirements(&self) -> Vec<Vec<(u32, Requirement)>> {
        let mut all = vec![vec![]; self.operations.len()];
        for before in 0..self.operations.len() {
            let mut successors = vec![];
            self.visit_successors(self.nodes[before], |after, requirement| {
                successors.push((after, requirement));
            });
            for (after, requirement) in successors.into_iter().rev() {
                all[after as usize].push((narrow(before as u64), requirement));
            }
        }
        all
    }

    /// Memory of the schedule \[bytes\].
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let bytes = self.operations.len()
            * (size_of::<Operation>() + size_of::<TaskNode>() + size_of::<u32>())
            + self.links.len() * size_of::<Link>()
            + self.pairs.len() * size_of::<(u32, u32)>();
        bytes as u64
    }

    /// By operation, its connections with others.
    pub(crate) fn nodes(&self) -> &[TaskNode] {
        &self.nodes
    }

    /// By operation, its number of requirements.
    pub(crate) fn required(&self) -> &[u32] {
        &self.required
    }

    /// Visits the operations that require the one of a node, with the requirement, the last added first.
    #[inline]
    pub(crate) fn visit_successors(&self, node: TaskNode, mut visit: impl FnMut(u32, Requirement)) {
        let mut visit = |successor: u32| {
            if successor != NONE {
                let requirement = if successor & BEGUN > 0 { Requirement::Begun } else { Requirement::Over };
                visit(successor & !BEGUN, requirement);
            }
        };
        if node.has_links {
            let mut place = node.successors[1];
            while let Some(link) = self.links.get((place as usize).wrapping_sub(1)) {
                visit(link.successor);
                place = link.before;
            }
        } else {
            visit(node.successors[1]);
        }
        visit(node.successors[0]);
    }

    /// Number of sources, destinations and tags that several sends or receives share: these are matched in
    /// the order in which they begin.
    pub(crate) fn shared_channels(&self) -> usize {
        self.shared_channels
    }

    /// Whether an operation requires that another has begun.
    pub(crate) fn has_begun_requirements(&self) -> bool {
        self.has_begun_requirements
    }

    /// By process, the index of its first processor in a list of all; one more for the end of the last.
    pub(crate) fn processor_firsts(&self) -> Vec<u32> {
        let mut firsts = vec![0; self.process_count as usize + 1];
        for process in 0..self.process_count as usize {
            firsts[process + 1] =
                firsts[process] + u32::from(self.processors.get(process).copied().unwrap_or(1));
        }
        firsts
    }

    /// Disjoint cycles of operations, each of which requires the one before it; empty only if there are no cycles.
    fn cycles(&self) -> Vec<Vec<u32>> {
        let mut required = self.required.clone();
        let mut free: Vec<u32> =
            (0..).zip(&required).filter(|entry| *entry.1 == 0).map(|entry| entry.0).collect();
        let mut done = 0;
        while let Some(operation) = free.pop() {
            done += 1;
            self.visit_successors(self.nodes[operation as usize], |after, _| {
                required[after as usize] -= 1;
                if required[after as usize] == 0 {
                    free.push(after);
                }
            });
        }
        if done == self.operations.len() {
            return vec![];
        }
        // Every remaining operation requires another remaining one: following requirements leads into a
        // cycle.
        let requirements = self.requirements();
        let mut seen = vec![false; self.operations.len()];
        let mut cycles = vec![];
        for start in (0..).zip(&required).filter(|entry| *entry.1 > 0).map(|entry| entry.0) {
            let mut path: Vec<u32> = vec![];
            let mut at: u32 = start;
            while !seen[at as usize] {
                seen[at as usize] = true;
                path.push(at);
                let mut left = requirements[at as usize].iter().map(|requirement| requirement.0);
                at = left.find(|&operation| required[operation as usize] > 0).unwrap_or(at);
            }
            // A path into an earlier path closes no new cycle.
            let Some(begin) = path.iter().position(|&operation| operation == at) else { continue };
            let mut cycle = path.split_off(begin);
            cycle.reverse();
            // Starting with the first in the file.
            let first = (0..cycle.len()).min_by_key(|&place| cycle[place]).unwrap_or(0);
            cycle.rotate_left(first);
            cycles.push(cycle);
        }
        cycles
    }
}

#[cfg(test)]
mod tests;
