//! A link of a route, and the numbers of the channels that routes by formula cross.

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

    /// The number of a link from a node: of its two channels the lower number, given the code of the link back.
    #[inline]
    pub(crate) fn link(self, node: u32, Hop { code, next }: Hop, back: u32) -> u32 {
        self.channel(node, code).min(self.channel(next, back))
    }

    /// How many numbers there are in a network of so many nodes.
    pub(crate) fn count(self, nodes: u64) -> u64 {
        let single = u64::from(self.single);
        single + (nodes - single) * u64::from(self.codes)
    }
}
