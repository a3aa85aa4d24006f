//! The transmissions of a run: every packet on every channel of its route (`docs/model.md` sections 4 and 13).
//!
//! A transport that works link by link adds each to a [`TransmissionLog`] once its start is known. Messages are numbered when
//! the run is over, so that numbers follow from the program and its placement alone.

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::NodeId;

use crate::{
    Communication, Cycle, End, Peer, Program,
    engine::MessageRecord,
    explicit_routes::{ExplicitRoutes, RoutedPair, for_each_routed},
};

/// A packet that crosses a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transmission {
    /// The number of its message, counted from 0 over the messages that cross links, in the order of stage, source,
    /// destination and, in a task graph, of their sends.
    pub message: u32,
    /// The packet within the message, counted from 0.
    pub packet: u32,
    /// The stage of the message, counted from 0; in a task graph its tag.
    pub stage: u32,
    /// The process that sends it.
    pub source: ProcessId,
    /// The process that receives it.
    pub destination: ProcessId,
    /// The node at which the channel starts.
    pub from: NodeId,
    /// The node to which it leads.
    pub to: NodeId,
    /// The first cycle in which the packet occupies the channel.
    pub begin: Cycle,
    /// The cycle from which the channel is free again.
    pub end: Cycle,
    /// The cycle at which the packet joined the queue of the channel, at most `begin`.
    pub joined: Cycle,
}

/// The transmissions of a run so far; empty if not requested.
#[derive(Debug, Default)]
pub(crate) struct TransmissionLog {
    kept: Option<Vec<Transmission>>, // until the end, the number of a message is that of its operation
}

impl TransmissionLog {
    /// A log that keeps every transmission.
    pub(crate) fn keeping() -> Self {
        Self { kept: Some(vec![]) }
    }

    #[inline]
    pub(crate) fn keeps(&self) -> bool {
        self.kept.is_some()
    }

    /// Adds a packet of a message on a channel between two nodes, with the cycles `[joined, begin, end]`.
    pub(crate) fn add(
        &mut self,
        (message, packet): (&MessageRecord, u32),
        [from, to]: [NodeId; 2],
        [joined, begin, end]: [Cycle; 3],
    ) {
        let &MessageRecord { stage, source, destination, operation, .. } = message;
        if let Some(kept) = &mut self.kept {
            let message = operation;
            let transmission =
                Transmission { message, packet, stage, source, destination, from, to, begin, end, joined };
            kept.push(transmission);
        }
    }

    /// Takes the transmissions, with the numbers of their messages, in the order of their starts, messages and packets.
    pub(crate) fn take(&mut self) -> Vec<Transmission> {
        let mut all = self.kept.as_mut().map(std::mem::take).unwrap_or_default();
        let key = |transmission: &Transmission| {
            (transmission.stage, transmission.source, transmission.destination, transmission.message)
        };
        all.sort_unstable_by_key(|transmission| (key(transmission), transmission.packet, transmission.begin));
        let messages = all.chunk_by_mut(|one, other| key(one) == key(other));
        for (number, of_message) in (0..).zip(messages) {
            of_message.iter_mut().for_each(|transmission| transmission.message = number);
        }
        all.sort_unstable_by_key(|transmission| {
            (transmission.begin, transmission.message, transmission.packet)
        });
        all
    }
}

/// Counts the transmissions of a program from the routes of its messages, without a run; stops beyond
/// `limit`.
#[must_use]
pub fn transmission_count(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    limit: u64,
) -> u64 {
    let explicit = ExplicitRoutes::new(placement, communication);
    let of_message = |pair: RoutedPair, units: u64| {
        let (from, to) = (placement.node(pair.source), placement.node(pair.destination));
        let links = match &explicit {
            Some(routes) => routes.route(pair, from, to).len() as u64,
            None => placement.machine().distance(from, to),
        };
        communication.packet_count(units).saturating_mul(links)
    };
    if program.special().tasks().is_some() {
        let mut count = 0_u64;
        for_each_routed(program, &mut |pair, units| count = count.saturating_add(of_message(pair, units)));
        return count;
    }
    let mut count = 0_u64;
    let (mut before, mut peers) = (0, vec![]); // all transmissions before the stage
    for stage in 0..program.stage_count() {
        if program.repeats(stage) && explicit.is_none() {
            (before, count) = (count, count.saturating_add(count - before));
            continue;
        }
        before = count;
        for source in ProcessId::first(program.process_count()) {
            program.list(End::Source, stage, source, &mut peers);
            for Peer { process: destination, units } in peers.drain(..) {
                count = count.saturating_add(of_message(RoutedPair::new(stage, source, destination), units));
            }
            if count > limit {
                return count;
            }
        }
    }
    count
}
