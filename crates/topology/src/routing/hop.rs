//! A link of a route, and the numbers of the channels that routes by formula cross.

use crate::{NodeId, RoutedMessage};

/// The next link of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Hop {
    /// Its number among the links that the family gives every node, or every switch: different links of a node have
    /// different numbers.
    pub(crate) code: u32,
    /// The node that it leads to.
    pub(crate) next: u32,
}

/// Numbers of channels that follow from a node and the code of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChannelNumbers {
    /// The nodes with one link each, the first ones: their channels have their numbers.
    pub(crate) single: u32,
    /// The codes of every other node.
    pub(crate) codes: u32,
}

impl ChannelNumbers {
    /// The number of a channel from a node.
    #[inline]
    pub(crate) fn channel(self, node: u32, code: u32) -> u32 {
        match node.checked_sub(self.single) {
            None => node,
            // Channels have numbers of 32 bits: none of this wraps.
            Some(switch) => switch.wrapping_mul(self.codes).wrapping_add(self.single).wrapping_add(code),
        }
    }

    /// The code of a channel from a node; 0 where it is the only one.
    #[inline]
    pub(crate) fn code(self, node: u32, channel: u32) -> u32 {
        channel.wrapping_sub(self.channel(node, 0))
    }

    /// How many numbers there are in a network of so many nodes.
    pub(crate) fn count(self, nodes: u64) -> u64 {
        let single = u64::from(self.single);
        single + (nodes - single) * u64::from(self.codes)
    }
}

/// Channels that messages have crossed together.
#[derive(Debug)]
pub(crate) struct Crossed<'a> {
    pub(crate) numbers: ChannelNumbers,
    pub(crate) from: &'a [NodeId],
    pub(crate) messages: &'a [RoutedMessage],
    pub(crate) channels: &'a mut [u32],
}

impl Crossed<'_> {
    /// Makes of the numbers of the channels those of their links, given the code of the link back of a link from a node. Of a
    /// host, which has one channel, and to a host any code will do: its own channel has the lower number.
    #[inline]
    pub(crate) fn number_links(self, back: impl Fn(u32, Hop) -> u32) {
        let Self { numbers, from, messages, channels } = self;
        for (channel, (at, message)) in channels.iter_mut().zip(from.iter().zip(messages)) {
            let (at, next) = (at.index(), message.node().index());
            let hop = Hop { code: numbers.code(at, *channel), next };
            *channel = numbers.channel(next, back(at, hop)).min(*channel);
        }
    }
}
