//! Matching of the sends and receives of a task graph by source, destination and tag (`docs/model.md` section
//! 18).
//!
//! Most tools give every message between two processes a separate tag, in ascending order. Then both ends
//! of all messages of two processes are in the same order, and nothing is sorted. Several messages with the
//! same source, destination and tag share a channel: a run matches them in the order in which they begin.

use cubefold_topology::narrow;

use super::task_schedule::{Operation, OperationKind, Partner, TaskNode, TaskScheduleError};

/// Largest number of edges of the guest of a task graph.
const MAX_EDGES: usize = 1 << 22;

/// No process.
const NONE: u32 = u32::MAX;

/// The sends and receives of each source, destination and tag.
pub(super) struct Matching {
    /// Source and destination of messages, each pair once, by destination and source.
    pub(super) pairs: Vec<(u32, u32)>,
    /// Number of sources, destinations and tags with several messages.
    pub(super) shared_channels: usize,
    wrong: Vec<(u32, u32, u32)>, // receives without a send, with the numbers of sends and receives
}

/// A send or receive: its tag and its number. The ends of two processes are in ascending order.
type End = (u32, u32);

/// The messages to a process from one source: counts, then indices in the lists of all messages to the
/// process.
#[derive(Debug, Clone, Copy)]
struct Source {
    process: u32,
    sends: usize,
    receives: usize,
}

/// The sends and receives of all messages to one process, in memory that is reused for the next.
struct DestinationEnds {
    places: Vec<u32>, // by process, its index among the sources
    sources: Vec<Source>,
    listed: Vec<(u32, bool, End)>, // the index of the source, and whether it is a send
    sends: Vec<End>,
    receives: Vec<End>,
}

impl DestinationEnds {
    fn new(process_count: u32) -> Self {
        let places = vec![NONE; process_count as usize];
        Self { places, sources: vec![], listed: vec![], sends: vec![], receives: vec![] }
    }

    /// Lists the operations with these numbers, and counts those of each source.
    fn collect(&mut self, numbers: &[u32], operations: &[Operation]) {
        self.sources.clear();
        self.listed.clear();
        for &number in numbers {
            let operation = &operations[number as usize];
            let process = source(operation);
            let place = &mut self.places[process as usize];
            if *place == NONE {
                *place = narrow(self.sources.len() as u64);
                self.sources.push(Source { process, sends: 0, receives: 0 });
            }
            let source = &mut self.sources[*place as usize];
            let is_send = operation.kind == OperationKind::Send;
            source.sends += usize::from(is_send);
            source.receives += usize::from(!is_send);
            self.listed.push((*place, is_send, (operation.tag, number)));
        }
    }

    /// Groups the ends by source; the indices of a source then mark the end of its group.
    fn divide_by_source(&mut self) {
        let [mut sends, mut receives] = [0; 2];
        for source in &mut self.sources {
            self.places[source.process as usize] = NONE;
            sends += std::mem::replace(&mut source.sends, sends);
            receives += std::mem::replace(&mut source.receives, receives);
        }
        self.sends.resize(sends, (0, 0));
        self.receives.resize(receives, (0, 0));
        for &(source, is_send, end) in &self.listed {
            let source = &mut self.sources[source as usize];
            let (list, place) = if is_send {
                (&mut self.sends, &mut source.sends)
            } else {
                (&mut self.receives, &mut source.receives)
            };
            list[*place] = end;
            *place += 1;
        }
    }
}

impl Matching {
    /// Matches the operations, and sets the partner of each node.
    pub(super) fn new(process_count: u32, operations: &[Operation], nodes: &mut [TaskNode]) -> Self {
        let (order, firsts) = by_destination(process_count, operations);
        let mut matching = Self { pairs: vec![], shared_channels: 0, wrong: vec![] };
        let mut ends = DestinationEnds::new(process_count);
        for destination in 0..process_count {
            let range = firsts[destination as usize] as usize..firsts[destination as usize + 1] as usize;
            ends.collect(&order[range], operations);
            ends.divide_by_source();
            let [mut send, mut receive] = [0; 2]; // start of the current source
            for source in &ends.sources {
                let [sends, receives] = [send..source.sends, receive..source.receives];
                [send, receive] = [source.sends, source.receives];
                matching.match_ends(&mut ends.sends[sends], &mut ends.receives[receives], nodes);
            }
            ends.sources.sort_unstable_by_key(|source| source.process);
            matching.pairs.extend(ends.sources.iter().map(|source| (source.process, destination)));
        }
        matching
    }

    /// The errors of sources, destinations and tags with more receives than sends: each at the first such receive, in the
    /// order of the operations.
    pub(super) fn errors(&self) -> Vec<TaskScheduleError> {
        let mut wrong = self.wrong.clone();
        wrong.sort_unstable();
        let error = |(operation, sends, receives)| TaskScheduleError::ReceiveWithoutSend {
            operation,
            sends,
            receives,
        };
        wrong.into_iter().map(error).collect()
    }

    /// Matches the messages from one process to another.
    fn match_ends(&mut self, sends: &mut [End], receives: &mut [End], nodes: &mut [TaskNode]) {
        for ends in [&mut *sends, &mut *receives] {
            if !ends.is_sorted() {
                ends.sort_unstable();
            }
        }
        let (mut sends, mut receives) = (&*sends, &*receives);
        loop {
            let tag = match (sends.first(), receives.first()) {
                (None, None) => return,
                (Some(send), None) => send.0,
                (None, Some(receive)) => receive.0,
                (Some(send), Some(receive)) => send.0.min(receive.0),
            };
            let (of_tag_sent, of_tag_received);
            (of_tag_sent, sends) = sends.split_at(count(sends, tag));
            (of_tag_received, receives) = receives.split_at(count(receives, tag));
            match (of_tag_sent, of_tag_received) {
                ([_], []) => {}
                (&[(_, one)], &[(_, other)]) => {
                    nodes[one as usize].set_partner(Partner::Operation(other));
                    nodes[other as usize].set_partner(Partner::Operation(one));
                }
                _ => self.share(of_tag_sent, of_tag_received, nodes),
            }
        }
    }

    /// Handles several operations of one source, destination and tag, and receives without a send.
    #[cold]
    fn share(&mut self, sends: &[End], receives: &[End], nodes: &mut [TaskNode]) {
        let wrong = receives
            .get(sends.len())
            .map(|receive| (receive.1, narrow(sends.len() as u64), narrow(receives.len() as u64)));
        self.wrong.extend(wrong);
        let channel = Partner::Channel(narrow(self.shared_channels as u64));
        self.shared_channels += 1;
        for (_, operation) in sends.iter().chain(receives) {
            nodes[*operation as usize].set_partner(channel);
        }
    }

    /// Edges of the guest; empty if there are too many.
    pub(super) fn edges(&self) -> &[(u32, u32)] {
        if self.pairs.len() > MAX_EDGES { &[] } else { &self.pairs }
    }
}

/// Number of leading ends with this tag.
#[inline]
fn count(ends: &[End], tag: u32) -> usize {
    ends.iter().take_while(|end| end.0 == tag).count()
}

/// The source of an operation's message.
#[inline]
fn source(operation: &Operation) -> u32 {
    match operation.kind {
        OperationKind::Receive => operation.peer.label(),
        OperationKind::Send | OperationKind::Calc => operation.process.label(),
    }
}

/// The sends and receives by the destination of their messages, and the start of each destination.
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
