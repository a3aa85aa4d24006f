//! Rows of a run: of packets, channels and buffers (`docs/model.md` section 30.8).

use cubefold_derive::Words;
use cubefold_topology::NodeId;

/// The rows that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WantedRows {
    /// A row for every measured packet.
    pub packets: bool,
    /// A row for every output of a router.
    pub channels: bool,
    /// A row for every input channel of a router.
    pub buffers: bool,
}

impl WantedRows {
    /// None.
    pub const NONE: Self = Self { packets: false, channels: false, buffers: false };

    /// Whether any rows are kept.
    #[must_use]
    pub fn is_any(self) -> bool {
        self.packets || self.channels || self.buffers
    }
}

/// The requested rows of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OpenLoopRows {
    /// Measured packets by (made, source, kind).
    pub packets: Vec<PacketRow>,
    /// Outputs by router and port.
    pub channels: Vec<ChannelRow>,
    /// Input channels by router, port and number.
    pub buffers: Vec<BufferRow>,
}

/// Whether a packet is a request or the reply to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Words)]
pub enum PacketKind {
    /// Made by the traffic of its source.
    Request,
    /// Made because a request was received.
    Reply,
}

/// A measured packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketRow {
    /// When it was made \[cycle\].
    pub made: u64,
    /// Whether it is a request or a reply.
    pub kind: PacketKind,
    /// The terminal that made it.
    pub source: NodeId,
    /// The terminal that it is for.
    pub destination: NodeId,
    /// Its flits.
    pub units: u64,
    /// When its first flit was injected \[cycle\]; `None` if it is still waiting.
    pub entered: Option<u64>,
    /// When its last flit was consumed \[cycle\]; `None` if it is missing.
    pub received: Option<u64>,
    /// The links between routers to which its head has been sent.
    pub links: u64,
}

/// The node at an end of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelEnd {
    /// A router, by its node.
    Switch(NodeId),
    /// A terminal, by its node.
    Terminal(NodeId),
}

impl ChannelEnd {
    /// The name of its kind in files.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Switch(_) => "switch",
            Self::Terminal(_) => "terminal",
        }
    }

    /// Its node.
    #[must_use]
    pub fn node(self) -> NodeId {
        match self {
            Self::Switch(node) | Self::Terminal(node) => node,
        }
    }
}

/// An output of a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelRow {
    /// The router.
    pub from: NodeId,
    /// The far end of the link.
    pub to: ChannelEnd,
    /// The flits that enter the link in measured cycles.
    pub units: u64,
}

/// An input channel of a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferRow {
    /// The router.
    pub at: NodeId,
    /// The far end of the link into it.
    pub from: ChannelEnd,
    /// Its number, below `V`.
    pub channel: u32,
    /// The flits in its buffer after each measured cycle: the sum.
    pub sum: u64,
    /// The most of them.
    pub max: u64,
}

/// The counters of a network from which rows are made.
#[derive(Debug)]
pub(in crate::routers) struct RowRecorder {
    wanted: WantedRows,
    begin: u64, // of the measured cycles
    end: u64,
    links: Vec<u64>, // by message, to which its head has been sent
    /// By port, the flits that have entered its link.
    pub(in crate::routers) units: Vec<u64>,
    /// By input channel, the sum and the largest of its lengths.
    pub(in crate::routers) buffers: Vec<(u64, u64)>,
}

impl RowRecorder {
    /// Counters for ports with `channels` channels each, in the cycles from `begin` to before `end`.
    pub(in crate::routers) fn new(
        wanted: WantedRows,
        [begin, end]: [u64; 2],
        ports: usize,
        channels: usize,
    ) -> Self {
        let count = |is_wanted: bool, count: usize| if is_wanted { count } else { 0 };
        Self {
            wanted,
            begin,
            end,
            links: vec![],
            units: vec![0; count(wanted.channels, ports)],
            buffers: vec![(0, 0); count(wanted.buffers, ports * channels)],
        }
    }

    /// A flit enters the link of a port at a cycle.
    #[inline]
    pub(in crate::routers) fn enter_link(&mut self, port: u32, cycle: u64) {
        if self.wanted.channels && (self.begin..self.end).contains(&cycle) {
            self.units[port as usize] += 1;
        }
    }

    /// The head of a message is sent to a link between routers.
    #[inline]
    pub(in crate::routers) fn send_head(&mut self, message: u32) {
        if self.wanted.packets {
            let place = message as usize;
            if self.links.len() <= place {
                self.links.resize(place + 1, 0);
            }
            self.links[place] += 1;
        }
    }

    /// The links to which the head of a message has been sent; its number is then free for another message.
    pub(in crate::routers) fn take_links(&mut self, message: u32) -> u64 {
        self.links.get_mut(message as usize).map(std::mem::take).unwrap_or_default()
    }

    /// Samples the flits in the buffers of all input channels after a cycle.
    pub(in crate::routers) fn look_at_buffers(&mut self, cycle: u64, lengths: impl Iterator<Item = u64>) {
        if self.wanted.buffers && (self.begin..self.end).contains(&cycle) {
            for ((sum, most), length) in self.buffers.iter_mut().zip(lengths) {
                *sum += length;
                *most = length.max(*most);
            }
        }
    }
}
