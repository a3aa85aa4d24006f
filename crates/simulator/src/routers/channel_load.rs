//! The load of channels under a traffic pattern, and the limit that follows (`docs/model.md` section 30.5).
//!
//! Under routing that does not look at the state of the network, the expected number of units that cross a channel, for
//! each unit that a terminal offers, is an exact fraction. No load above the inverse of the greatest is sustained.

mod fraction;
pub(super) mod grid;
mod known;
mod links;
mod middle;
mod tables;
#[cfg(test)]
mod tests;
mod traffic;

use std::fmt;

use cubefold_topology::{Machine, NodeId};

pub use self::{fraction::Fraction, known::ChannelLoads};
pub(super) use self::{
    links::{AddLinkLoads, LinkLoads, NextLinks, NoLinkLoads, Target},
    middle::{add_by_random_group, add_by_random_middle},
    tables::add_by_table,
    traffic::Traffic,
};
use super::{open_loop::OpenLoop, settings::Routers};

/// The greatest load of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelLoad {
    /// The units that cross the channel per unit that a terminal offers, in lowest terms, and the first such channel: links
    /// by their ends, then those from terminals, then those to terminals. `None` without traffic, and if a fraction leaves
    /// 128 bits.
    pub greatest: Option<(Fraction, LoadedChannel)>,
    /// Whether links count besides the channels of terminals: not under adaptive routing, nor on machines too large for
    /// their routes to be followed.
    pub is_complete: bool,
}

/// A channel by the nodes at its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadedChannel {
    /// From a router to another.
    Link {
        /// The node that sends.
        from: NodeId,
        /// The node that receives.
        to: NodeId,
    },
    /// From this terminal to its router.
    FromTerminal(NodeId),
    /// To this terminal from its router.
    ToTerminal(NodeId),
}

impl fmt::Display for LoadedChannel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link { from, to } => write!(formatter, "{from}>{to}"),
            Self::FromTerminal(from) => write!(formatter, "{from}>"),
            Self::ToTerminal(to) => write!(formatter, ">{to}"),
        }
    }
}

impl ChannelLoad {
    /// The load under the routing of these routers.
    fn new(open_loop: &OpenLoop, machine: &Machine, routers: &Routers) -> Self {
        let mut is_complete = true;
        let mut greatest = || {
            let traffic = Traffic::new(open_loop, machine)?;
            let hosts: Vec<NodeId> = machine.hosts().collect();
            let mut most = None;
            match LinkLoads::of(&traffic, machine, &routers.settings, &hosts) {
                Ok(loads) => {
                    for (from, to, load) in loads.in_order() {
                        keep_greater(&mut most, load, LoadedChannel::Link { from, to });
                    }
                }
                Err(NoLinkLoads::NotFollowed) => is_complete = false,
                Err(NoLinkLoads::LargeFraction) => return None,
            }
            let [sent, received] = traffic.at_terminals()?;
            for (&host, load) in hosts.iter().zip(sent) {
                keep_greater(&mut most, load, LoadedChannel::FromTerminal(host));
            }
            for (&host, load) in hosts.iter().zip(received) {
                keep_greater(&mut most, load, LoadedChannel::ToTerminal(host));
            }
            most
        };
        let greatest = greatest().map(|(load, channel)| (load.reduced(), channel));
        Self { greatest, is_complete }
    }

    /// The greatest load that the channels sustain \[units a terminal a cycle\].
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "the model compares doubles")]
    pub fn limit(&self) -> Option<f64> {
        let (load, _) = self.greatest?;
        Some(load.denominator() as f64 / load.numerator() as f64)
    }

    /// Whether a load exceeds the limit of the channel.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "the model compares doubles")]
    pub fn is_exceeded_by(&self, load: f64) -> bool {
        self.greatest
            .is_some_and(|(greatest, _)| load * greatest.numerator() as f64 > greatest.denominator() as f64)
    }
}

/// Keeps the greater load, the first of equal ones, if there is any.
fn keep_greater(most: &mut Option<(Fraction, LoadedChannel)>, load: Fraction, channel: LoadedChannel) {
    if load > most.map_or(Fraction::ZERO, |(greatest, _)| greatest) {
        *most = Some((load, channel));
    }
}
