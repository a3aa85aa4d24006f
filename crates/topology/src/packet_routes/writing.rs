//! Tables of routes that are written out: all shortest ones, and those by way of every router.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use super::{PacketRoutes, PacketRoutesError, is_router, terminals};
use crate::{Machine, NodeId, TieRule, narrow};

/// The distances between routers with terminals and all others.
struct RouterDistances<'machine> {
    machine: &'machine Machine,
    ends: Vec<NodeId>,                      // routers with terminals, ascending
    to: BTreeMap<NodeId, Vec<Option<u32>>>, // by router with terminals: of every node [links]
}

impl<'machine> RouterDistances<'machine> {
    fn new(machine: &'machine Machine) -> Self {
        let ends = routers_with_terminals(machine);
        let before = routers_before(machine);
        let nodes = usize::try_from(machine.node_count()).unwrap_or(usize::MAX);
        let to = ends.iter().map(|&end| (end, distances_to(&before, nodes, end))).collect();
        Self { machine, ends, to }
    }

    fn distance(&self, at: NodeId, to: NodeId) -> Option<u32> {
        self.to.get(&to)?[at.index() as usize]
    }

    /// The largest distance between routers with terminals \[links\].
    fn longest(&self) -> u32 {
        let all = self.ends.iter().flat_map(|&to| self.ends.iter().map(move |&from| (from, to)));
        all.filter_map(|(from, to)| self.distance(from, to)).max().unwrap_or(0)
    }

    /// The neighbours of a router that are nearer to another, ascending.
    fn nearer(&self, at: NodeId, to: NodeId) -> Vec<NodeId> {
        let Some(distance) = self.distance(at, to) else { return vec![] };
        let is_nearer = |next: &NodeId| {
            is_router(self.machine, *next)
                && self.distance(*next, to).is_some_and(|links| links + 1 == distance)
        };
        let mut found: Vec<NodeId> = self.machine.neighbours(at).filter(is_nearer).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The routers with terminals, ascending.
fn routers_with_terminals(machine: &Machine) -> Vec<NodeId> {
    let ends: BTreeSet<NodeId> = terminals(machine).into_iter().map(|terminal| terminal[1]).collect();
    ends.into_iter().collect()
}

/// The routers before each, over channels that may lead in one direction only.
fn routers_before(machine: &Machine) -> BTreeMap<NodeId, Vec<NodeId>> {
    let mut before: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for node in machine.nodes().filter(|&node| is_router(machine, node)) {
        for next in machine.neighbours(node).filter(|&next| is_router(machine, next)) {
            before.entry(next).or_default().push(node);
        }
    }
    before
}

/// The distance of each of `nodes` nodes to a router over routers \[links\], given the routers before each.
fn distances_to(before: &BTreeMap<NodeId, Vec<NodeId>>, nodes: usize, to: NodeId) -> Vec<Option<u32>> {
    let mut distances = vec![None; nodes];
    distances[to.index() as usize] = Some(0);
    let (mut level, mut links) = (vec![to], 0);
    while !level.is_empty() {
        links += 1;
        let mut next_level = vec![];
        for node in level.iter().flat_map(|node| before.get(node).into_iter().flatten()) {
            let distance = &mut distances[node.index() as usize];
            if distance.is_none() {
                *distance = Some(links);
                next_level.push(*node);
            }
        }
        level = next_level;
    }
    distances
}

/// The most lines of a table that is written.
pub(super) const MAX_LINES: u64 = 1 << 24;

/// The classes of a table whose longest route has `links` links.
fn classes(links: u32) -> Result<u32, PacketRoutesError> {
    let classes = links.max(1);
    if classes > PacketRoutes::MAX_CLASSES {
        Err(PacketRoutesError::TooManyClasses { classes })
    } else {
        Ok(classes)
    }
}

fn check_length(lines: u64) -> Result<(), PacketRoutesError> {
    if lines > MAX_LINES { Err(PacketRoutesError::TooLong { lines }) } else { Ok(()) }
}

/// The table of all shortest routes of a machine, in the class of the links passed (`docs/model.md` section 30.2).
///
/// # Errors
///
/// When a route has more links than routers have channels, or the table would be too long.
pub fn minimal_routes(machine: &Machine) -> Result<String, PacketRoutesError> {
    let routers = RouterDistances::new(machine);
    check_length((routers.ends.len() as u64).saturating_mul(routers.ends.len() as u64))?;
    let mut text = format!("routes hop {}\n", classes(routers.longest())?);
    for &to in &routers.ends {
        let starts = routers.ends.iter().filter(|&&from| from != to);
        let mut left: BTreeSet<(u32, NodeId)> = starts.map(|&from| (0, from)).collect(); // links passed, router
        while let Some((passed, at)) = left.pop_first() {
            let came = if passed == 0 { "i".to_owned() } else { (passed - 1).to_string() };
            let _ = write!(text, "{at}/{came} {to} :");
            for next in routers.nearer(at, to) {
                let _ = write!(text, " {next}/{passed}");
                if next != to {
                    left.insert((passed + 1, next));
                }
            }
            text.push('\n');
        }
    }
    Ok(text)
}

/// The table of routes by way of every router with terminals, to it and from it on the routes of the machine, which `tie`
/// decides where both ways around a ring are equally long, in the class of the links passed (`docs/model.md`
/// section 30.2).
///
/// # Errors
///
/// As [`minimal_routes`], and when a route passes a terminal.
pub fn valiant_routes(machine: &Machine, tie: TieRule) -> Result<String, PacketRoutesError> {
    let ends = routers_with_terminals(machine);
    let count = ends.len() as u64;
    check_length(count.saturating_mul(count).saturating_mul(count.saturating_sub(1)))?;
    let pairs = ends.iter().flat_map(|&from| ends.iter().map(move |&to| [from, to]));
    let routes: BTreeMap<[NodeId; 2], Vec<NodeId>> =
        pairs.map(|pair| Ok((pair, route(machine, pair, tie)?))).collect::<Result<_, _>>()?;
    let longest = routes.values().map(Vec::len).max().unwrap_or(0);
    let mut text = format!("routes path {}\n", classes(2 * narrow(longest as u64))?);
    for &[from, to] in routes.keys().filter(|[from, to]| from != to) {
        for &middle in &ends {
            let _ = write!(text, "{from} {to} :");
            let legs = [[from, middle], [middle, to]];
            for (class, next) in legs.iter().filter_map(|leg| routes.get(leg)).flatten().enumerate() {
                let _ = write!(text, " {next}/{class}");
            }
            text.push('\n');
        }
    }
    Ok(text)
}

/// The routers after the first on the route of the machine from one to another.
fn route(machine: &Machine, [from, to]: [NodeId; 2], tie: TieRule) -> Result<Vec<NodeId>, PacketRoutesError> {
    let channels = machine.route(from, to, tie);
    let routers: Vec<NodeId> =
        channels.filter_map(|channel| machine.neighbour(channel.node, channel.direction)).collect();
    match routers.iter().find(|node| !is_router(machine, **node)) {
        Some(terminal) => Err(PacketRoutesError::PassesTerminal {
            terminal: terminal.index(),
            from: from.index(),
            to: to.index(),
        }),
        None => Ok(routers),
    }
}
