//! Routers with finite buffers, flit by flit and cycle by cycle.
//!
//! `docs/model.md` section 26. Every flit is a value, every buffer a queue of flits, every set a set, and every cycle is
//! gone through, whether anything happens in it or not. Messages set out at given cycles, or after others are received.

mod allocation;
mod routing;
mod run;
mod table;
#[cfg(test)]
mod tests;
mod wiring;

use super::grid::Grid;
use super::networks::Links;
use super::route::Tie;

pub use self::run::{RouterOutcome, run_routers};

/// A machine whose routers are simulated.
#[derive(Clone, Debug)]
pub enum RouterMachine {
    /// A grid.
    Grid(Grid),
    /// Leaves, hosts of each, spines.
    LeafSpine(u64, u64, u64),
    /// Arity and levels.
    KAryTree(u64, u32),
    /// Hosts of a switch, switches of a group, links of a switch to other groups.
    Dragonfly(u64, u64, u64),
    /// Nodes that are all routers with terminals, and their links.
    Network(u64, Links),
    /// A grid, the links of it that are left, and the rule for ties of its routes in dimension order (22.5).
    FailedGrid(Grid, Links, Tie),
}

/// The way around a ring of two that are equally long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouterTie {
    /// The one that does not wrap.
    Direct,
    /// `+`.
    Positive,
    /// `-`.
    Negative,
    /// By the coordinate of the source.
    Alternate,
    /// By a draw.
    Random,
}

/// The rules of section 26.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouterRule {
    /// 26.3.1.
    DimensionOrder,
    /// 26.3.2 on grids, 30.3 on dragonflies and other networks.
    Valiant,
    /// 26.3.3.
    Romm,
    /// 26.3.4; whether it asks for any port.
    Adaptive(bool),
    /// 26.3.5; whether the second draw counts.
    UpDown(bool),
    /// 26.3.6.
    Minimal,
    /// 26.3.6 on dragonflies, 30.3.4 on other networks, with the threshold.
    Ugal(i64),
    /// 26.3.7.
    Hops,
    /// 30.3.2, with the threshold.
    UgalG(i64),
    /// 30.3.3, with the threshold.
    Par(i64),
    /// 30.3.4.
    MinimalAdaptive,
    /// 30.2, of the problem's table.
    Table(TableRule),
}

/// The candidates of a table that a head asks for (30.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableRule {
    /// The one with most credits.
    Credits,
    /// All.
    Any,
    /// One that is drawn.
    Random,
}

/// A message.
#[derive(Clone, Debug)]
pub struct RouterMessage {
    /// Node of the source.
    pub source: u64,
    /// Node of the destination, another.
    pub destination: u64,
    /// Number of the process whose injection queue it joins, among those of all nodes.
    pub queue: usize,
    /// Size \[flits\].
    pub units: u64,
    /// The cycle before which it does not set out.
    pub time: u64,
    /// Messages before whose receipt it does not set out.
    pub after: Vec<usize>,
    /// The numbers from which its draws follow, besides the seed.
    pub draws: [u64; 3],
}

/// Routers and their messages; those of one cycle and queue join in the order of the list.
#[derive(Clone, Debug)]
pub struct RouterProblem {
    /// The machine.
    pub machine: RouterMachine,
    /// `V`.
    pub channels: usize,
    /// `B`.
    pub buffer: u64,
    /// `R`.
    pub router_cycles: u64,
    /// `c`.
    pub credit_cycles: u64,
    /// `l`.
    pub latency: u64,
    /// `m`.
    pub terminal_latency: u64,
    /// The latency of links between groups of a dragonfly, where it is another (30.1).
    pub global_latency: Option<u64>,
    /// `s`, in hundredths (30.1).
    pub speedup: u64,
    /// Whether a packet asks at its destination for the channels of its class only (30.1).
    pub ejects_by_class: bool,
    /// Whether a head waits for room for its whole packet.
    pub is_cut_through: bool,
    /// Whether inputs choose first.
    pub is_input_first: bool,
    /// The routing.
    pub rule: RouterRule,
    /// The text of a table of routes, for the routing of one (30.2); otherwise empty.
    pub table: String,
    /// Ties on rings.
    pub tie: RouterTie,
    /// The largest packet; none where a message is one.
    pub packet: Option<u64>,
    /// The seed of draws.
    pub seed: u64,
    /// The messages.
    pub messages: Vec<RouterMessage>,
}
