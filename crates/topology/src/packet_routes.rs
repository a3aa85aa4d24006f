//! Routes of packets over routers, from a table (`docs/model.md` section 30.2).
//!
//! A table says for every router and destination where a packet goes next ([`RouteLines::Hop`]), or for every two ends all
//! routers on the way ([`RouteLines::Path`]), and in which class of virtual channels. [`PacketRoutes::new`] reads a table
//! for a machine and checks it: every packet reaches its destination, and no packets wait for one another in a cycle.

mod checks;
mod reading;
mod writing;

use std::ops::Range;

use crate::{Machine, NodeId};

pub use self::writing::{minimal_routes, valiant_routes};

/// A table of routes that was checked against a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PacketRoutes {
    classes: u32, // that share the channels, in 1 ..= 64
    lines: RouteLines,
    longest: u64, // a bound on the links of a route
}

/// The lines of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RouteLines {
    /// Next routers.
    Hop(HopLines),
    /// All routers of a route.
    Path(PathLines),
}

/// The next router of a packet, and the class in which it goes there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NextHop {
    /// The router.
    pub node: NodeId,
    /// The class of channels, below the number of classes of the table.
    pub class: u32,
}

/// The class in which a packet came to a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClassIn {
    /// From its terminal.
    Terminal,
    /// From another router in this class.
    Class(u32),
}

/// Lines of next routers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HopLines {
    escape: Vec<u32>,                  // classes, ascending
    keys: Vec<(HopKey, Range<usize>)>, // ascending
    hops: Vec<NextHop>,
}

/// The left side of a line of next routers, in the order in which lines are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct HopKey {
    router: u32,
    class: Option<ClassIn>, // `None` for any class
    to: u32,
}

/// Lines of whole routes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathLines {
    pairs: Vec<([u32; 2], Range<usize>)>, // ascending; the alternatives of each
    paths: Vec<RoutePath>,
    hops: Vec<NextHop>,
}

/// One of several routes between the same ends.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RoutePath {
    weight: u64, // in 1 .. 2^32
    hops: Range<usize>,
}

/// The reason for which a table is refused. Routers and terminals are named by the numbers of their nodes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PacketRoutesError {
    /// A line that cannot be read.
    #[error("line {line}: {found}, expected {expected}")]
    Line {
        /// Its number, from 1 on.
        line: usize,
        /// The text found.
        found: String,
        /// The form expected.
        expected: String,
    },
    /// A number of no router.
    #[error("line {line}: router {router}, expected {expected}")]
    NoSuchRouter {
        /// The line.
        line: usize,
        /// The number found.
        router: u32,
        /// The numbers of routers and, of destinations, terminals.
        expected: String,
    },
    /// A link that the machine does not have.
    #[error("line {line}: link {from}>{to}, which the machine does not have")]
    NoSuchLink {
        /// The line.
        line: usize,
        /// The router where it would begin.
        from: u32,
        /// The router where it would end.
        to: u32,
    },
    /// A packet without a next hop.
    #[error("no route at {} to {to}", at_class(*router, *class))]
    NoRoute {
        /// The router where it is.
        router: u32,
        /// The class in which it came there.
        class: ClassIn,
        /// Its terminal.
        to: u32,
    },
    /// A candidate outside the escape classes after one inside.
    #[error("line {line}: leaves escape at {router} to {to}")]
    LeavesEscape {
        /// The line.
        line: usize,
        /// The router.
        router: u32,
        /// The terminal of the packet.
        to: u32,
    },
    /// Candidates without one in an escape class.
    #[error("line {line}: no escape at {router} to {to}")]
    NoEscape {
        /// The line.
        line: usize,
        /// The router.
        router: u32,
        /// The terminal of the packet.
        to: u32,
    },
    /// Candidates that may lead a packet in a cycle.
    #[error("endless to {to}")]
    Endless {
        /// The terminal of the packet.
        to: u32,
    },
    /// Two terminals that no line joins.
    #[error("no route {from} to {to}")]
    NoPath {
        /// The terminal of the source.
        from: u32,
        /// The terminal of the destination.
        to: u32,
    },
    /// A route that does not end at the router of its destination.
    #[error("line {line}: ends at {router} not at {to}")]
    EndsElsewhere {
        /// The line.
        line: usize,
        /// The router where it ends.
        router: u32,
        /// The terminal of the packet.
        to: u32,
    },
    /// A route of the machine that passes a terminal, which is no router.
    #[error("the route from {from} to {to} passes terminal {terminal}, expected routers only")]
    PassesTerminal {
        /// The terminal.
        terminal: u32,
        /// The router where the route begins.
        from: u32,
        /// The router where it ends.
        to: u32,
    },
    /// A table that is too long to be written.
    #[error("a table of {lines} lines, expected at most {}", writing::MAX_LINES)]
    TooLong {
        /// Its lines.
        lines: u64,
    },
    /// A table of more classes than routers have channels.
    #[error(
        "routes of {classes} links, each in a class of its own, expected at most {}",
        PacketRoutes::MAX_CLASSES
    )]
    TooManyClasses {
        /// The links of the longest route.
        classes: u32,
    },
    /// Channels whose packets may wait for one another: a deadlock (Dally & Seitz 1987).
    #[error("cycle {}: its packets may wait for one another for ever", named_channels(channels))]
    Cycle {
        /// The channels, each as its routers and its class, beginning with the smallest.
        channels: Vec<[u32; 3]>,
    },
}

fn at_class(router: u32, class: ClassIn) -> String {
    match class {
        ClassIn::Terminal => router.to_string(),
        ClassIn::Class(class) => format!("{router}/{class}"),
    }
}

fn named_channels(channels: &[[u32; 3]]) -> String {
    let named: Vec<String> =
        channels.iter().map(|[from, to, class]| format!("{from}>{to}/{class}")).collect();
    named.join(" ")
}

impl PacketRoutes {
    /// The most classes of a table: as many as a router can have channels.
    pub const MAX_CLASSES: u32 = 64;

    /// Reads a table of routes for a machine.
    ///
    /// # Errors
    ///
    /// When a line cannot be read, a router or link does not exist, a packet would not reach its destination, or packets
    /// could wait for one another in a cycle.
    pub fn new(text: &str, machine: &Machine) -> Result<Self, PacketRoutesError> {
        let (classes, lines, numbers) = reading::read(text)?;
        let longest = checks::check(&lines, &numbers, classes, machine)?;
        Ok(Self { classes, lines, longest })
    }

    /// The classes that share the channels, at least 1.
    #[must_use]
    pub fn classes(&self) -> u32 {
        self.classes
    }

    /// The lines.
    #[must_use]
    pub fn lines(&self) -> &RouteLines {
        &self.lines
    }

    /// A bound on the links between routers of a route.
    #[must_use]
    pub fn longest(&self) -> u64 {
        self.longest
    }

    /// Whether some of its classes are escape classes, for packets that cannot proceed otherwise.
    #[must_use]
    pub fn has_escape(&self) -> bool {
        matches!(&self.lines, RouteLines::Hop(lines) if !lines.escape.is_empty())
    }
}

impl HopLines {
    /// Whether a class is an escape class, for packets that cannot proceed otherwise.
    #[must_use]
    pub fn is_escape(&self, class: u32) -> bool {
        self.escape.binary_search(&class).is_ok()
    }

    /// The candidates of a packet that came to a router in a class, for a terminal on another router; `None` without a
    /// line. A line with a class takes precedence over one without, then one of the terminal over one of its router.
    #[must_use]
    pub fn candidates(&self, router: NodeId, class: ClassIn, to: [NodeId; 2]) -> Option<&[NextHop]> {
        self.place(router, class, to).map(|place| self.hops_at(place))
    }

    /// The place of the line of a packet among the keys.
    fn place(&self, router: NodeId, class: ClassIn, to: [NodeId; 2]) -> Option<usize> {
        [Some(class), None].into_iter().find_map(|class| {
            to.into_iter().find_map(|to| {
                let key = HopKey { router: router.index(), class, to: to.index() };
                self.keys.binary_search_by_key(&key, |(known, _)| *known).ok()
            })
        })
    }

    fn hops_at(&self, place: usize) -> &[NextHop] {
        &self.hops[self.keys[place].1.clone()]
    }
}

impl PathLines {
    /// The number of the route that a draw chooses, from a terminal and its router to a terminal and its router; `None`
    /// without a line. A line of terminals takes precedence over one of routers, first at the source.
    #[must_use]
    pub fn choose(&self, from: [NodeId; 2], to: [NodeId; 2], draw: u64) -> Option<usize> {
        let alternatives = self.alternatives(from, to)?;
        let sum: u64 = self.paths[alternatives.clone()].iter().map(|path| path.weight).sum();
        let mut left = draw % sum.max(1);
        alternatives.into_iter().find(|&path| {
            let is_reached = left < self.paths[path].weight;
            left = left.saturating_sub(self.paths[path].weight);
            is_reached
        })
    }

    /// The routers of a route after that of its source.
    ///
    /// # Panics
    ///
    /// When there is no such route.
    #[must_use]
    pub fn hops(&self, path: usize) -> &[NextHop] {
        &self.hops[self.paths[path].hops.clone()]
    }

    /// The numbers and weights of the routes between two ends, in the order of the file; `None` without a line.
    #[must_use]
    pub fn weighted(&self, from: [NodeId; 2], to: [NodeId; 2]) -> Option<Vec<(usize, u64)>> {
        Some(self.alternatives(from, to)?.map(|path| (path, self.paths[path].weight)).collect())
    }

    fn alternatives(&self, from: [NodeId; 2], to: [NodeId; 2]) -> Option<Range<usize>> {
        let place = from.into_iter().find_map(|from| {
            to.into_iter().find_map(|to| {
                let ends = [from, to].map(NodeId::index);
                self.pairs.binary_search_by_key(&ends, |(pair, _)| *pair).ok()
            })
        })?;
        Some(self.pairs[place].1.clone())
    }
}

/// The routers of a machine: its switches if it has any, otherwise all nodes.
fn is_router(machine: &Machine, node: NodeId) -> bool {
    u64::from(node.index()) < machine.node_count() && !(has_switches(machine) && is_terminal(machine, node))
}

fn is_terminal(machine: &Machine, node: NodeId) -> bool {
    u64::from(node.index()) < machine.numbered_hosts()
}

fn has_switches(machine: &Machine) -> bool {
    machine.numbered_hosts() < machine.node_count()
}

/// The router of a terminal; `None` for a host without a link.
fn router_of(machine: &Machine, terminal: NodeId) -> Option<NodeId> {
    if has_switches(machine) { machine.neighbours(terminal).next() } else { Some(terminal) }
}

/// The terminals of a machine with their routers, ascending.
fn terminals(machine: &Machine) -> Vec<[NodeId; 2]> {
    machine.hosts().filter_map(|terminal| Some([terminal, router_of(machine, terminal)?])).collect()
}

#[cfg(test)]
mod tests;
