//! Routers with finite buffers: virtual channels, credits, wormhole and virtual cut-through (`docs/model.md` section 26),
//! and open-loop traffic over them (sections 27 and 30).
//!
//! The routers know flits and packets, and neither processes nor computations: as one of the [transports] of the process
//! engine they carry the messages of a program, and [`OpenLoop`] drives them by itself.
//!
//! [transports]: crate::transport

mod channel_load;
#[cfg(test)]
mod controls;
mod deadlock;
mod departures;
#[cfg(test)]
mod golden;
mod grant;
mod in_flight;
pub(crate) mod injection;
mod matching;
pub(crate) mod network;
mod open_loop;
mod packet;
mod routing;
pub(crate) mod settings;
mod speedup;
mod wake_list;
mod wiring;

pub use self::{
    channel_load::{ChannelLoad, ChannelLoads, Fraction, LoadedChannel},
    open_loop::{
        Batch, BufferRow, Bursts, ChannelEnd, ChannelRow, LatencySummary, OpenLoop, OpenLoopError,
        OpenLoopOutcome, OpenLoopRows, PacketKind, PacketRow, Replies, Saturated, Saturation,
        SaturationSearch, SeedOutcome, TrafficPattern, WantedRows, WarmUp,
    },
    routing::{AdaptiveChoice, RouterRouting, RoutingDescriptor, RoutingOption, RoutingOptions, TableChoice},
    settings::{Allocator, Ejection, FlowControl, RouterError, RouterSettings, RouterTie},
    speedup::Speedup,
};
use cubefold_topology::NodeId;

use crate::Cycle;

/// A cycle of channels whose packets wait for one another: nothing moves any more (`docs/model.md` section 26).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a deadlock at cycle {}: {}", cycle.get(), describe(channels))]
pub struct Deadlock {
    /// The cycle from which nothing moves.
    pub cycle: Cycle,
    /// The channels, each waiting for the next, the last for the first.
    pub channels: Vec<RouterChannel>,
}

/// A virtual channel of the link between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouterChannel {
    /// The node that sends into it.
    pub from: NodeId,
    /// The node whose buffer it has.
    pub to: NodeId,
    /// Its number, below `V`.
    pub number: u32,
}

/// Names the channels of a deadlock, the first few of many.
fn describe(channels: &[RouterChannel]) -> String {
    const MAX_NAMED: usize = 8;
    let name = |channel: &RouterChannel| {
        format!("channel {} from node {} to {}", channel.number, channel.from, channel.to)
    };
    let named: Vec<String> = channels.iter().take(MAX_NAMED).map(name).collect();
    let further = match channels.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        further => format!(", {further} more"),
    };
    format!("{}{further} wait for one another in a circle", named.join(", "))
}
