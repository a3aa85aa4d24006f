//! The destinations of open-loop traffic (`docs/model.md` sections 27.2 and 30.4).

use cubefold_topology::{Axis, Machine, NodeId, mix, narrow};

use super::{OpenLoopError, admission::out_of_range};

/// The destinations of packets, by source (`docs/model.md` sections 27 and 30.4).
#[derive(Debug, Clone, PartialEq)]
pub enum TrafficPattern {
    /// Any terminal, the source included.
    Uniform,
    /// Any other terminal.
    UniformOthers,
    /// The number of the source rotated by half its bits.
    Transpose,
    /// The number of the source rotated left by one bit.
    Shuffle,
    /// The number of the source, its bits reversed.
    BitReversal,
    /// The number of the source, every bit inverted.
    BitComplement,
    /// On grids `ceil(k / 2) - 1` steps on in every dimension.
    Tornado,
    /// On grids one step on in every dimension.
    Neighbour,
    /// One of some terminals for a share of the packets, any terminal for the others.
    Hotspot {
        /// The terminals, at least one.
        nodes: Vec<NodeId>,
        /// The share, in 0 to 1.
        share: f64,
    },
    /// One destination for each source, by number; a terminal that is its own sends nothing.
    Listed(Vec<NodeId>),
    /// The terminal at the same place in the group that lies some groups on.
    Adversarial {
        /// The terminals of a group, which divide all into at least two groups.
        group_size: u32,
        /// The groups from the source's to the destination's.
        groups_on: u64,
    },
    /// Any terminal of the group that lies some groups on.
    AdversarialRandom {
        /// The terminals of a group, which divide all into at least two groups.
        group_size: u32,
        /// The groups from the source's to the destination's.
        groups_on: u64,
    },
    /// The terminal of the same place in the group that lies `ceil(groups / 2) - 1` groups on.
    GroupTornado {
        /// The terminals of a group, which divide all into at least two groups.
        group_size: u32,
    },
}

impl TrafficPattern {
    /// The names of all patterns in files, the default first. After `adv+` and `adv-random+` comes a number of groups.
    pub const NAMES: [&'static str; 13] = [
        "uniform",
        "uniform-others",
        "transpose",
        "shuffle",
        "bit-reversal",
        "bit-complement",
        "tornado",
        "neighbour",
        "hotspot",
        "file",
        "adv+",
        "adv-random+",
        "group-tornado",
    ];

    /// Its name in files, without a number of groups.
    #[must_use]
    pub fn name(&self) -> &'static str {
        let place = match self {
            Self::Uniform => 0,
            Self::UniformOthers => 1,
            Self::Transpose => 2,
            Self::Shuffle => 3,
            Self::BitReversal => 4,
            Self::BitComplement => 5,
            Self::Tornado => 6,
            Self::Neighbour => 7,
            Self::Hotspot { .. } => 8,
            Self::Listed(_) => 9,
            Self::Adversarial { .. } => 10,
            Self::AdversarialRandom { .. } => 11,
            Self::GroupTornado { .. } => 12,
        };
        Self::NAMES[place]
    }

    /// Its whole name in files.
    #[must_use]
    pub fn full_name(&self) -> String {
        match self {
            Self::Adversarial { groups_on, .. } | Self::AdversarialRandom { groups_on, .. } => {
                format!("{}{groups_on}", self.name())
            }
            _ => self.name().to_owned(),
        }
    }
}

/// A pattern on the terminals of a machine.
#[derive(Debug)]
pub(crate) struct Destinations<'run> {
    pattern: &'run TrafficPattern,
    axes: &'run [Axis],
    pub(crate) terminals: Vec<NodeId>, // ascending
    bits: u32,                         // of their numbers
    hot: u64,                          // draws below it go to hotspots
    pub(crate) group_size: u32,        // the terminals of a group; 0 of patterns without groups
}

impl<'run> Destinations<'run> {
    pub(crate) fn new(pattern: &'run TrafficPattern, machine: &'run Machine) -> Self {
        let terminals: Vec<NodeId> = machine.hosts().collect();
        let bits = terminals.len().trailing_zeros();
        let hot = match pattern {
            TrafficPattern::Hotspot { share, .. } => share_of_draws(*share),
            _ => 0,
        };
        let group_size = match pattern {
            TrafficPattern::Adversarial { group_size, .. }
            | TrafficPattern::AdversarialRandom { group_size, .. }
            | TrafficPattern::GroupTornado { group_size } => *group_size,
            _ => 0,
        };
        Self { pattern, axes: machine.axes(), terminals, bits, hot, group_size }
    }

    /// The number of a node among the terminals; `None` if it is not a terminal.
    pub(crate) fn number_of(&self, node: NodeId) -> Option<u32> {
        self.terminals.binary_search(&node).ok().map(|place| narrow(place as u64))
    }

    /// The destination of a packet of a terminal, by number, under a draw; `None` if the terminal sends nothing.
    pub(crate) fn destination(&self, terminal: u32, draw: u64) -> Option<NodeId> {
        let count = self.terminals.len() as u64;
        let number = |number: u64| self.terminals[narrow(number) as usize];
        let label = u64::from(terminal);
        let rotated = |by: u32| (label << by | label >> (self.bits - by)) & (count - 1);
        Some(match self.pattern {
            TrafficPattern::Uniform => number(draw % count),
            TrafficPattern::UniformOthers => {
                let other = draw % (count - 1);
                number(other + u64::from(other >= label))
            }
            TrafficPattern::Transpose => number(rotated(self.bits / 2)),
            TrafficPattern::Shuffle => number(rotated(1)),
            TrafficPattern::BitReversal => number(label.reverse_bits() >> (64 - self.bits)),
            TrafficPattern::BitComplement => number(!label & (count - 1)),
            TrafficPattern::Adversarial { groups_on, .. } => {
                number(self.in_group(label, *groups_on, label % u64::from(self.group_size)))
            }
            TrafficPattern::AdversarialRandom { groups_on, .. } => {
                number(self.in_group(label, *groups_on, draw % u64::from(self.group_size)))
            }
            TrafficPattern::GroupTornado { .. } => {
                let groups = count / u64::from(self.group_size);
                number(self.in_group(label, groups.div_ceil(2) - 1, label % u64::from(self.group_size)))
            }
            TrafficPattern::Tornado => self.moved(terminal, |length| length.div_ceil(2) - 1),
            TrafficPattern::Neighbour => self.moved(terminal, |_| 1),
            TrafficPattern::Hotspot { nodes, .. } if draw < self.hot => {
                nodes[narrow(mix(draw) % nodes.len() as u64) as usize]
            }
            TrafficPattern::Hotspot { .. } => number(mix(draw) % count),
            TrafficPattern::Listed(destinations) => {
                let to = destinations[terminal as usize];
                return (to != self.terminals[terminal as usize]).then_some(to);
            }
        })
    }

    /// The number of a terminal by its place in the group that lies `groups_on` groups on.
    fn in_group(&self, terminal: u64, groups_on: u64, place: u64) -> u64 {
        let size = u64::from(self.group_size);
        let groups = self.terminals.len() as u64 / size;
        (terminal / size + groups_on % groups) % groups * size + place
    }

    /// The node that lies `steps(length)` steps further in every dimension, which has `length` coordinates.
    fn moved(&self, node: u32, steps: impl Fn(u64) -> u64) -> NodeId {
        let along = |axis: &Axis| {
            let (length, here) = (axis.length(), u64::from(axis.coordinate(NodeId::new(node))));
            (here + steps(length)) % length * axis.digit().stride()
        };
        NodeId::new(narrow(self.axes.iter().map(along).sum()))
    }
}

/// The bound of 64 bits below which a share of all draws lies.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "floor(p 2^64) of the model, the greatest number where p is 1"
)]
pub(super) fn share_of_draws(share: f64) -> u64 {
    (share * (1_u128 << 64) as f64) as u64
}

impl TrafficPattern {
    /// Checks the pattern against a machine.
    pub(super) fn check(&self, machine: &Machine) -> Result<(), OpenLoopError> {
        let terminals = machine.host_count();
        let wrong = |expected| OpenLoopError::Terminals { pattern: self.name(), terminals, expected };
        match self {
            Self::Uniform => Ok(()),
            Self::UniformOthers if terminals < 2 => Err(wrong("at least 2")),
            Self::UniformOthers => Ok(()),
            Self::Transpose if !terminals.is_power_of_two() || terminals.ilog2() % 2 == 1 => {
                Err(wrong("a power of 4"))
            }
            Self::Shuffle | Self::BitReversal | Self::BitComplement
                if !terminals.is_power_of_two() || terminals < 2 =>
            {
                Err(wrong("a power of 2"))
            }
            Self::Transpose | Self::Shuffle | Self::BitReversal | Self::BitComplement => Ok(()),
            Self::Tornado | Self::Neighbour if machine.grid().is_none() => {
                Err(OpenLoopError::NoCoordinates { pattern: self.name() })
            }
            Self::Tornado | Self::Neighbour => Ok(()),
            Self::Adversarial { group_size, .. }
            | Self::AdversarialRandom { group_size, .. }
            | Self::GroupTornado { group_size } => {
                let size = u64::from(*group_size);
                if size == 0 || !terminals.is_multiple_of(size) || terminals / size < 2 {
                    return Err(OpenLoopError::Groups { group_size: size, terminals });
                }
                Ok(())
            }
            Self::Hotspot { nodes, share } => {
                if !(0.0..=1.0).contains(share) {
                    return Err(out_of_range(format!("a share of hotspots of {share}"), "0 to 1"));
                }
                if nodes.is_empty() {
                    return Err(out_of_range("no hotspots".to_owned(), "at least one"));
                }
                check_terminals(nodes, machine)
            }
            Self::Listed(nodes) => {
                let found = nodes.len() as u64;
                if found != terminals {
                    return Err(OpenLoopError::Destinations { found, terminals });
                }
                check_terminals(nodes, machine)
            }
        }
    }
}

/// Refuses nodes that are not terminals.
fn check_terminals(nodes: &[NodeId], machine: &Machine) -> Result<(), OpenLoopError> {
    match nodes.iter().find(|&&node| !machine.is_host(node)) {
        None => Ok(()),
        Some(node) => Err(OpenLoopError::NoSuchTerminal {
            found: node.index().into(),
            greatest: machine.numbered_hosts() - 1,
        }),
    }
}
