//! Packets in flight: the items that a transport moves and that cross borders between engines.

use cubefold_topology::{Leg, NodeId};

use crate::{
    channels::Transit,
    engine::{
        MessageTable, PacketKey,
        border::{pair, parts},
    },
};

/// A packet at a node, about to move or moving in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packet {
    /// Its leg may be over: then it has no links left in it.
    pub(crate) transit: Transit,
    /// Its number within its message, counted from 0.
    pub(crate) number: u32,
    /// The links left of its route.
    pub(crate) links: u32,
    /// The number of its message's size.
    pub(crate) size: u32,
    /// The input of its node: 0 for the node itself, else by where it came in.
    pub(crate) input: u32,
}

impl Packet {
    pub(crate) const NONE: Self = Self {
        transit: Transit { message: 0, node: 0, hops: 0, direction: 0 },
        number: 0,
        links: 0,
        size: 0,
        input: 0,
    };

    /// The first packet of a message at its source.
    pub(crate) fn first(message: u32, size: u32, at: NodeId, leg: Leg, links: u32) -> Self {
        Self { transit: Transit::new(message, at, leg), number: 0, links, size, input: 0 }
    }

    /// No packet, at a channel.
    pub(crate) fn none_at(transit: Transit) -> Self {
        Self { transit, ..Self::NONE }
    }

    /// The packet at the start of another leg.
    pub(crate) fn on_leg(self, leg: Leg) -> Self {
        Self { transit: Transit::new(self.transit.message, self.node(), leg), ..self }
    }

    /// The packet that joins the queue at the source when this one departs there; `None` after the last and at other
    /// nodes.
    #[inline]
    pub(crate) fn following(&self, messages: &MessageTable) -> Option<Self> {
        let follows = self.input == 0 && u64::from(self.number) + 1 < messages.size(self.size).packets;
        follows.then(|| Self { number: self.number + 1, ..*self })
    }

    /// Whether its leg continues after the channel that it crosses.
    #[inline]
    pub(crate) fn goes_on(&self) -> bool {
        self.transit.hops > 1
    }

    #[inline]
    pub(crate) fn message(&self) -> u32 {
        self.transit.message
    }

    /// Its order among the packets that join a queue in the same cycle.
    #[inline]
    pub(crate) fn key(&self, messages: &MessageTable) -> PacketKey {
        messages.packet_key(self.message(), self.number)
    }

    #[inline]
    pub(crate) fn node(&self) -> NodeId {
        NodeId::new(self.transit.node)
    }

    #[inline]
    pub(crate) fn direction(&self) -> u32 {
        self.transit.direction
    }

    /// The packet with the number of its message in another engine, and the number of its size there.
    pub(crate) fn of_message(self, message: u32, size: u32) -> Self {
        Self { transit: Transit { message, ..self.transit }, size, ..self }
    }

    /// The packet as words, without the number of its size.
    pub(crate) fn to_words(self) -> [u64; 4] {
        let Transit { message, node, hops, direction } = self.transit;
        [pair(message, node), pair(hops, direction), pair(self.number, self.links), self.input.into()]
    }

    /// Reads a packet; `None` at the end of the words.
    pub(crate) fn of_words(words: &mut impl Iterator<Item = u64>) -> Option<Self> {
        let [message, node] = parts(words.next()?);
        let [hops, direction] = parts(words.next()?);
        let [number, links] = parts(words.next()?);
        let [input, _] = parts(words.next()?);
        Some(Self { transit: Transit { message, node, hops, direction }, number, links, size: 0, input })
    }

    /// The packet at the end of the channel that it has crossed: at `node`, reached by `input`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "it is most of what a crossing costs")]
    pub(crate) fn at_next(&self, node: u32, input: u32) -> Self {
        let transit = Transit { node, hops: self.transit.hops - 1, ..self.transit };
        Self { transit, links: self.links - 1, input, ..*self }
    }
}
