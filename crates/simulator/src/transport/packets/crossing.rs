//! How packets cross a channel.

use cubefold_topology::Machine;

use super::EventKind;
use crate::{
    Communication, Cycle, Cycles, Switching, channels::Channels, engine::MessageTable, slab::Slab,
    transport::Packet,
};

/// How packets cross the channels of a machine.
#[derive(Debug)]
pub(super) struct Crossing {
    pub(super) channels: Channels,
    switching: Switching,
    unit: Cycles,
    latency: Cycles,
}

impl Crossing {
    /// The crossings of the channels of a slab.
    pub(super) fn new(machine: &Machine, communication: Communication, slab: &Slab) -> Self {
        Self {
            channels: Channels::of_slab(machine, slab),
            switching: communication.switching(),
            unit: communication.hop(),
            latency: communication.latency(),
        }
    }

    /// For how long a packet occupies a channel.
    #[inline]
    pub(super) fn occupancy(packet: &Packet, messages: &MessageTable) -> Cycles {
        messages.size(packet.size()).occupancy(packet.number())
    }

    /// The cycle at which all of a packet is at the next node, when its transmission begins at `start`.
    #[inline]
    pub(super) fn all_there(&self, start: Cycle, occupancy: Cycles) -> Cycle {
        start + occupancy + self.latency
    }

    /// What happens next to a packet whose transmission begins at `start`, and when: its head is at the next node, or
    /// all of it is at its destination.
    #[inline]
    pub(super) fn depart(&self, packet: &Packet, start: Cycle, occupancy: Cycles) -> (EventKind, Cycle) {
        let all_there = self.all_there(start, occupancy);
        if packet.links() == 1 {
            return (EventKind::Receipt, all_there);
        }
        let head = match self.switching {
            Switching::CutThrough => start + self.unit + self.latency,
            Switching::StoreAndForward => all_there,
        };
        (EventKind::Crossed, head)
    }

    /// A packet at the end of the channel that it has crossed.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "it is most of what a crossing costs")]
    pub(super) fn cross(&self, packet: &Packet) -> Packet {
        packet.at_next(self.channels.next(packet.transit()), packet.direction() + 1)
    }
}
