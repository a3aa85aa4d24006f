//! Packets in the network, and their flits.

use super::routing::AdaptiveChoice;

/// A flit of a packet, as a buffer holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Flit(u32); // the number of the packet, with two flags

impl Flit {
    const HEAD: u32 = 1 << 31;
    const TAIL: u32 = 1 << 30;

    /// A flit of a packet, which may be its first and its last.
    pub(super) fn new(packet: u32, is_head: bool, is_tail: bool) -> Self {
        debug_assert!(packet < Self::TAIL, "memory holds fewer packets");
        Self(packet | if is_head { Self::HEAD } else { 0 } | if is_tail { Self::TAIL } else { 0 })
    }

    #[inline]
    pub(super) fn packet(self) -> u32 {
        self.0 & !(Self::HEAD | Self::TAIL)
    }

    #[inline]
    pub(super) fn is_head(self) -> bool {
        self.0 & Self::HEAD != 0
    }

    #[inline]
    pub(super) fn is_tail(self) -> bool {
        self.0 & Self::TAIL != 0
    }
}

/// A packet from the injection of its head until its tail is consumed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet {
    pub(super) message: u32,
    /// The terminals at its ends.
    pub(super) from: u32,
    pub(super) to: u32,
    /// The key of its random choices, `K` of section 26.3.
    pub(super) key: u64,
    /// The credits that its head needs under virtual cut-through and adaptive routing: its flits, or those of a buffer.
    pub(super) room: u32,
    pub(super) progress: Progress,
    /// The channels that its head asks for at the router where it is.
    pub(super) route: Route,
}

/// The progress of a packet, as far as routes depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Progress {
    /// The node, router or group by way of which it goes, or the number of its route in a table; [`Self::NONE`] without
    /// one, or where that is not decided yet.
    pub(super) middle: u32,
    /// The links that count for its class: all between routers, or those between groups.
    pub(super) links: u32,
    /// The dimension in which it moves; [`Self::NO_DIMENSION`] where it enters one.
    pub(super) dimension: u8,
    /// Its class in that dimension.
    pub(super) class: u8,
    /// Whether it has begun the second of two legs, or, in a dragonfly, has chosen its way.
    pub(super) is_on_second_leg: bool,
    /// Whether it came, or comes next, from a router through an escape channel.
    pub(super) is_escaping: bool,
}

impl Progress {
    /// No node, no group.
    pub(super) const NONE: u32 = u32::MAX;
    pub(super) const NO_DIMENSION: u8 = u8::MAX;

    /// At the source.
    pub(super) const BEGIN: Self = Self {
        middle: Self::NONE,
        links: 0,
        dimension: Self::NO_DIMENSION,
        class: 0,
        is_on_second_leg: false,
        is_escaping: false,
    };
}

/// The candidates of a head at a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Route {
    /// A port of the router; of an adaptive packet that of its escape channel.
    pub(super) port: u32,
    /// The channels there, a bit each.
    pub(super) channels: u64,
    /// The ports of a grid where it asks for adaptive channels, a bit each.
    pub(super) adaptive_ports: u64,
    /// The choice among listed candidates; `None` if there is no list.
    pub(super) choice: Option<AdaptiveChoice>,
}

/// One of several ports that a head may ask for, with its channels there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) port: u32, // of the router
    pub(super) channels: u64,
    pub(super) is_escape: bool, // requested only if no other can be
}

impl Route {
    /// All of these channels of one port.
    pub(super) fn over(port: u32, channels: u64) -> Self {
        Self { port, channels, adaptive_ports: 0, choice: None }
    }

    /// Listed candidates, of which there is at least one.
    pub(super) fn among(candidates: &[Candidate], choice: AdaptiveChoice) -> Self {
        let (port, channels) =
            candidates.first().map_or((0, 0), |candidate| (candidate.port, candidate.channels));
        Self { choice: Some(choice), ..Self::over(port, channels) }
    }
}
