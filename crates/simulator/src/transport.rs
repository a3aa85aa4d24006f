//! Transports, which carry messages between the nodes of a machine.
//!
//! A [`Transport`] knows the links of a machine, or of a slab of it, and the messages that wait and move on them. It
//! knows no processes and no computations: the [engine](crate::engine) says which message sets out from which node,
//! and learns which messages have arrived. Messages inside a node never come here.
//!
//! Invariant: the actions of a transport in a cycle depend on the keys of the messages, never on the order in which they
//! join or arrive within the cycle.

pub(crate) mod flow;
pub(crate) mod over_routers;
pub(crate) mod packet;
pub(crate) mod packets;

use std::borrow::Cow;

use cubefold_mapping::ProcessId;
use cubefold_topology::NodeId;

pub(crate) use self::packet::Packet;
use crate::{
    Cycle, Cycles, Deadlock, Transmission,
    engine::{MessageRecord, MessageTable, border::Border},
};

/// The links of a machine or of a slab of it, and the messages on them.
///
/// In every cycle with an event, first the ended transmissions [arrive](Self::arrive); then messages
/// [set out](Self::set_out) and packets of other engines are [admitted](Self::admit), in any order; finally idle
/// channels are granted and packets [depart](Self::depart).
pub(crate) trait Transport {
    /// A cycle before which nothing happens; `None` if nothing moves.
    fn next(&self) -> Option<Cycle>;

    /// Packets whose transmissions end at `now` join their next queues. Those that are at their destinations, and those
    /// whose next channel is of another engine, are appended to `arrivals`.
    fn arrive<B: Border>(&mut self, now: Cycle, messages: &Messages<'_, B>, arrivals: &mut Arrivals);

    /// A message from a node to another needs its first channel from `now` on, in this engine or, by `arrivals`, in
    /// another. Returns the links of its route, at least 1.
    fn set_out<B: Border>(
        &mut self,
        message: u32,
        from: NodeId,
        now: Cycle,
        messages: &Messages<'_, B>,
        arrivals: &mut Arrivals,
    ) -> u32;

    /// The time without contention of a message that has set out between two nodes, if channels differ; `None` if
    /// they are alike, so that it follows from the links of its route \[cycles\].
    fn transfer(&self, message: u32, ends: [NodeId; 2], units: u64) -> Option<Cycles> {
        let _ = (message, ends, units);
        None
    }

    /// A packet from another engine needs a channel of this one from `now` on.
    fn admit<B: Border>(&mut self, packet: &Packet, now: Cycle, messages: &Messages<'_, B>);

    /// Grants idle channels; the packets that get them depart.
    fn depart<B: Border>(&mut self, now: Cycle, messages: &Messages<'_, B>);

    /// The most packets left in one channel's queue at the end of any cycle so far.
    fn longest_queue(&self) -> u32;

    /// Takes the transmissions of a finished run, if they were logged.
    fn take_transmissions(&mut self) -> Vec<Transmission> {
        vec![]
    }

    /// The cycle at which the first flit of a message was injected, when it is received; `None` if queues have no limit.
    fn entered(&self, message: u32, record: &MessageRecord) -> Option<Cycle> {
        let _ = (message, record);
        None
    }

    /// The links that packets have crossed; `None` if they follow from their distances.
    fn crossings(&self) -> Option<u64> {
        None
    }

    /// The deadlocked packets, if nothing moves any more.
    fn deadlock(&self) -> Option<Deadlock> {
        None
    }
}

/// A transport that carries the messages of one run after another.
pub(crate) trait Reusable: Transport {
    /// Forgets all packets, as at cycle 0.
    fn reset(&mut self);
}

/// The messages under way, as a transport sees them.
#[derive(Debug)]
pub(crate) struct Messages<'run, B> {
    pub(crate) table: MessageTable,        // their records, by number
    pub(crate) nodes: Cow<'run, [NodeId]>, // the nodes of the processes of this engine, by index
    pub(crate) border: B,                  // the border to the other engines
}

impl<B: Border> Messages<'_, B> {
    /// The node of a process of this engine.
    #[inline]
    pub(crate) fn node(&self, process: ProcessId) -> NodeId {
        self.nodes[process.label() as usize]
    }

    /// The engine of a node, if it is another one.
    #[inline]
    pub(crate) fn elsewhere(&self, node: NodeId) -> Option<usize> {
        if B::IS_ALONE { None } else { self.border.elsewhere(node) }
    }

    /// The node of the source of a message, if the source belongs to this engine.
    pub(crate) fn source_node(&self, message: u32) -> Option<NodeId> {
        self.border.index(self.table.record(message).source).map(|index| self.node(index))
    }
}

/// The messages and packets that leave a transport in a cycle.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    /// The messages of packets that have arrived completely: an entry per packet.
    pub(crate) received: Vec<u32>,
    /// Packets that need channels of other engines, each with its engine.
    pub(crate) leaving: Vec<(usize, Packet)>,
}
