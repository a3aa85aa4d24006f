//! Packets, and how they cross a channel.

use cubefold_topology::{Leg, Machine, NodeId};

use super::{EventKind, message_table::MessageTable};
use crate::{
    Communication, Cycle, Cycles, Switching,
    channels::{Channels, Transit},
    slabs::{Slab, pair, parts},
};

/// A packet at a node, about to move or moving in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Packet {
    transit: Transit, // its leg may be over: then it has no links left in it
    number: u32,      // within its message, counted from 0
    links: u32,       // left of its route
    size: u32,        // the number of its message's size
    input: u32,       // of its node: 0 for the node itself, else by where it came in
}

impl Packet {
    /// No packet.
    pub(super) const NONE: Self = Self {
        transit: Transit { message: 0, node: 0, hops: 0, direction: 0 },
        number: 0,
        links: 0,
        size: 0,
        input: 0,
    };

    /// All of a message that stays inside a node.
    pub(super) fn inside_node(message: u32) -> Self {
        Self { transit: Transit { message, ..Self::NONE.transit }, ..Self::NONE }
    }

    /// The first packet of a message at its source.
    pub(super) fn first(message: u32, size: u32, at: NodeId, leg: Leg, links: u32) -> Self {
        Self { transit: Transit::new(message, at, leg), number: 0, links, size, input: 0 }
    }

    /// No packet, at a channel.
    pub(super) fn none_at(transit: Transit) -> Self {
        Self { transit, ..Self::NONE }
    }

    /// The packet at the begin of another leg.
    pub(super) fn on_leg(self, leg: Leg) -> Self {
        Self { transit: Transit::new(self.transit.message, self.node(), leg), ..self }
    }

    /// The packet that joins the queue at the source when this one departs there; none behind the last, nor at other
    /// nodes.
    #[inline]
    pub(super) fn following(&self, messages: &MessageTable) -> Option<Self> {
        let follows = self.input == 0 && u64::from(self.number) + 1 < messages.size(self.size).packets;
        follows.then(|| Self { number: self.number + 1, ..*self })
    }

    /// Whether its leg goes on behind the channel that it crosses.
    #[inline]
    pub(super) fn goes_on(&self) -> bool {
        self.transit.hops > 1
    }

    #[inline]
    pub(super) fn message(&self) -> u32 {
        self.transit.message
    }

    #[inline]
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// The links left of its route.
    #[inline]
    pub(super) fn links(&self) -> u32 {
        self.links
    }

    #[inline]
    pub(super) fn node(&self) -> NodeId {
        NodeId::new(self.transit.node)
    }

    #[inline]
    pub(super) fn direction(&self) -> u32 {
        self.transit.direction
    }

    #[inline]
    pub(super) fn input(&self) -> u32 {
        self.input
    }

    /// The same packet, come in by another input.
    pub(super) fn with_input(self, input: u32) -> Self {
        Self { input, ..self }
    }

    /// The packet of a message that has another number in another engine, and the number of its size there.
    pub(super) fn of_message(self, message: u32, size: u32) -> Self {
        Self { transit: Transit { message, ..self.transit }, size, ..self }
    }

    /// The packet as words, but for the number of its size.
    pub(super) fn to_words(self) -> [u64; 4] {
        let Transit { message, node, hops, direction } = self.transit;
        [pair(message, node), pair(hops, direction), pair(self.number, self.links), self.input.into()]
    }

    /// Reads a packet; none at the end of the words.
    pub(super) fn of_words(words: &mut impl Iterator<Item = u64>) -> Option<Self> {
        let [message, node] = parts(words.next()?);
        let [hops, direction] = parts(words.next()?);
        let [number, links] = parts(words.next()?);
        let [input, _] = parts(words.next()?);
        Some(Self { transit: Transit { message, node, hops, direction }, number, links, size: 0, input })
    }

    #[inline]
    pub(super) fn transit(&self) -> &Transit {
        &self.transit
    }
}

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
        messages.size(packet.size).occupancy(packet.number)
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
        if packet.links == 1 {
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
        let transit = &packet.transit;
        let next = Transit { node: self.channels.next(transit), hops: transit.hops - 1, ..*transit };
        Packet { transit: next, links: packet.links - 1, input: transit.direction + 1, ..*packet }
    }
}
