//! The crossing of a channel by packets.

use cubefold_topology::{LinkTime, Machine, NodeId};

use super::EventKind;
use crate::{
    Communication, Cycle, Cycles, Switching, channels::Channels, engine::MessageTable, slab::Slab,
    timing::gap, transport::Packet,
};

/// The rules by which packets cross the channels of a machine.
#[derive(Debug)]
pub(super) struct Crossing {
    pub(super) channels: Channels,
    switching: Switching,
    link: LinkTime,         // of all channels, if they are alike
    times: Box<[LinkTime]>, // by class if they differ, else empty
}

impl Crossing {
    /// The crossings of the channels of a slab.
    pub(super) fn new(machine: &Machine, communication: Communication, slab: &Slab) -> Self {
        Self {
            channels: Channels::of_slab(machine, slab),
            switching: communication.switching(),
            link: LinkTime { unit: communication.hop().get(), latency: communication.latency().get() },
            times: machine.link_times().unwrap_or_default().into(),
        }
    }

    pub(super) fn are_alike(&self) -> bool {
        self.times.is_empty()
    }

    /// The times of the channel that a packet needs or occupies.
    #[inline]
    fn link(&self, packet: &Packet) -> LinkTime {
        if self.are_alike() { self.link } else { self.times[self.channels.class(&packet.transit)] }
    }

    /// The cycles for which a packet occupies the channel that it needs.
    #[inline]
    pub(super) fn occupancy(&self, packet: &Packet, messages: &MessageTable) -> Cycles {
        let size = messages.size(packet.size);
        if self.are_alike() {
            size.occupancy(packet.number)
        } else {
            Cycles::new(self.link(packet).unit) * size.units_of(packet.number)
        }
    }

    /// The nodes at which the channel that a packet needs begins and ends.
    pub(super) fn ends(&self, packet: &Packet) -> [NodeId; 2] {
        [packet.node(), NodeId::new(self.channels.next(&packet.transit))]
    }

    /// The cycle at which a packet is completely at the next node, if its transmission begins at `start`.
    #[inline]
    pub(super) fn all_there(&self, packet: &Packet, start: Cycle, occupancy: Cycles) -> Cycle {
        start + occupancy + Cycles::new(self.link(packet).latency)
    }

    /// The next event of a packet whose transmission begins at `start`, and its cycle: its head is at the next node, or
    /// the whole packet is at its destination.
    #[inline]
    pub(super) fn depart(&self, packet: &Packet, start: Cycle, occupancy: Cycles) -> (EventKind, Cycle) {
        let LinkTime { unit, latency } = self.link(packet);
        let all_there = start + occupancy + Cycles::new(latency);
        if packet.links == 1 {
            return (EventKind::Receipt, all_there);
        }
        let head = match self.switching {
            Switching::CutThrough => start + Cycles::new(unit) + Cycles::new(latency),
            Switching::StoreAndForward => all_there,
        };
        (EventKind::Crossed, head)
    }

    /// A packet at the end of the channel that it has crossed.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "it is most of what a crossing costs")]
    pub(super) fn cross(&self, packet: &Packet) -> Packet {
        packet.at_next(self.channels.next(&packet.transit), packet.direction() + 1)
    }

    /// The cycles that a packet waits, after it has [crossed](EventKind::Crossed) a channel, before it joins the queue
    /// of the next, a faster one, so that it crosses the next without a gap (`docs/model.md` section 21.2).
    pub(super) fn gap(&self, crossed: &Packet, next: &Packet, messages: &MessageTable) -> Cycles {
        if self.are_alike() || self.switching == Switching::StoreAndForward {
            return Cycles::ZERO;
        }
        let units = messages.size(next.size).units_of(next.number);
        let gap = gap(self.link(crossed).unit, self.link(next).unit, units);
        Cycles::new(u64::try_from(gap).unwrap_or(u64::MAX)) // below the bound on cycles, 2^63
    }
}
