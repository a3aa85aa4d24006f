//! The checks of a table of routes, in the order of section 30.2.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    ClassIn, HopLines, NextHop, PacketRoutesError, PathLines, RouteLines, has_switches, is_router,
    is_terminal, terminals,
};
use crate::{Machine, NodeId};

/// A channel: the routers at its ends, and its class.
type ClassChannel = [u32; 3];

/// The channels that packets request while they hold a channel.
type Dependencies = BTreeMap<ClassChannel, BTreeSet<ClassChannel>>;

/// Checks lines, given their numbers in the file, for a machine; returns a bound on the links of a route.
pub(super) fn check(
    lines: &RouteLines,
    numbers: &[usize],
    classes: u32,
    machine: &Machine,
) -> Result<u64, PacketRoutesError> {
    let (dependencies, longest) = match lines {
        RouteLines::Hop(lines) => {
            check_links(lines, numbers, machine)?;
            Hops { lines, numbers, machine, dependencies: Dependencies::new(), longest: 0 }.check()?
        }
        RouteLines::Path(lines) => check_paths(lines, numbers, machine)?,
    };
    debug_assert!(dependencies.keys().all(|channel| channel[2] < classes));
    match cycle(&dependencies) {
        Some(channels) => Err(PacketRoutesError::Cycle { channels }),
        None => Ok(longest),
    }
}

/// Reports routers and links that do not exist, line by line.
fn check_links(lines: &HopLines, numbers: &[usize], machine: &Machine) -> Result<(), PacketRoutesError> {
    for ((key, hops), &line) in lines.keys.iter().zip(numbers) {
        let router = check_router(key.router, line, machine)?;
        check_end(key.to, line, machine)?;
        for hop in &lines.hops[hops.clone()] {
            check_link(router, hop.node, line, machine)?;
        }
    }
    Ok(())
}

fn check_router(router: u32, line: usize, machine: &Machine) -> Result<NodeId, PacketRoutesError> {
    let node = NodeId::new(router);
    if is_router(machine, node) {
        return Ok(node);
    }
    let first = if has_switches(machine) { machine.numbered_hosts() } else { 0 };
    let expected = format!("one of {first} to {}", machine.node_count().saturating_sub(1));
    Err(PacketRoutesError::NoSuchRouter { line, router, expected })
}

/// Reports a number of neither a router nor a terminal.
fn check_end(node: u32, line: usize, machine: &Machine) -> Result<(), PacketRoutesError> {
    if is_terminal(machine, NodeId::new(node)) {
        Ok(())
    } else {
        check_router(node, line, machine).map(|_| ())
    }
}

fn check_link(from: NodeId, to: NodeId, line: usize, machine: &Machine) -> Result<(), PacketRoutesError> {
    let has_link = is_router(machine, to) && machine.neighbours(from).any(|next| next == to);
    let [from, to] = [from, to].map(NodeId::index);
    if has_link { Ok(()) } else { Err(PacketRoutesError::NoSuchLink { line, from, to }) }
}

/// The check of lines of next routers.
struct Hops<'a> {
    lines: &'a HopLines,
    numbers: &'a [usize], // of the lines in the file
    machine: &'a Machine,
    dependencies: Dependencies,
    longest: u64,
}

/// The router where a packet is, and the class in which it came.
type State = (NodeId, ClassIn);

impl<'a> Hops<'a> {
    fn check(mut self) -> Result<(Dependencies, u64), PacketRoutesError> {
        let terminals = terminals(self.machine);
        let sources: BTreeSet<NodeId> = terminals.iter().map(|terminal| terminal[1]).collect();
        let named: BTreeSet<u32> = self.lines.keys.iter().map(|key| key.0.to).collect();
        let mut examined = BTreeSet::new(); // routers whose terminals have no lines of their own
        for to in terminals {
            let is_own = to[0] != to[1] && named.contains(&to[0].index());
            if is_own || examined.insert(to[1]) {
                self.check_destination(to, &sources)?;
            }
        }
        Ok((self.dependencies, self.longest))
    }

    /// Visits all states of packets for a terminal, always the smallest next.
    fn check_destination(
        &mut self,
        to: [NodeId; 2],
        sources: &BTreeSet<NodeId>,
    ) -> Result<(), PacketRoutesError> {
        let mut left: BTreeSet<State> = sources
            .iter()
            .filter(|source| **source != to[1])
            .map(|&source| (source, ClassIn::Terminal))
            .collect();
        let mut next_of: BTreeMap<State, &[NextHop]> = BTreeMap::new();
        while let Some(state) = left.pop_first() {
            let candidates = self.candidates(state, to)?;
            for hop in candidates.iter().filter(|hop| hop.node != to[1]) {
                let next = (hop.node, ClassIn::Class(hop.class));
                if !next_of.contains_key(&next) {
                    left.insert(next);
                }
            }
            next_of.insert(state, candidates);
        }
        self.longest = self.longest.max(next_of.len() as u64);
        let has_escape = !self.lines.escape.is_empty();
        if has_escape && has_cycle(&next_of, to[1]) {
            return Err(PacketRoutesError::Endless { to: to[0].index() });
        }
        let counts = |hop: &&NextHop| !has_escape || self.lines.is_escape(hop.class);
        for (&(router, _), candidates) in &next_of {
            for hop in candidates.iter().filter(counts) {
                let channel = [router.index(), hop.node.index(), hop.class];
                let after = next_of.get(&(hop.node, ClassIn::Class(hop.class)));
                for next in after.into_iter().copied().flatten().filter(counts) {
                    let next = [hop.node.index(), next.node.index(), next.class];
                    self.dependencies.entry(channel).or_default().insert(next);
                }
            }
        }
        Ok(())
    }

    fn candidates(
        &self,
        (router, class): State,
        to: [NodeId; 2],
    ) -> Result<&'a [NextHop], PacketRoutesError> {
        let lines = self.lines;
        let [at, end] = [router, to[0]].map(NodeId::index);
        let Some(place) = lines.place(router, class, to) else {
            return Err(PacketRoutesError::NoRoute { router: at, class, to: end });
        };
        let (candidates, line) = (lines.hops_at(place), self.numbers[place]);
        if lines.escape.is_empty() {
            return Ok(candidates);
        }
        let is_inside = |hop: &NextHop| lines.is_escape(hop.class);
        let came_inside = matches!(class, ClassIn::Class(class) if lines.is_escape(class));
        if came_inside && !candidates.iter().all(is_inside) {
            return Err(PacketRoutesError::LeavesEscape { line, router: at, to: end });
        }
        if !candidates.iter().any(is_inside) {
            return Err(PacketRoutesError::NoEscape { line, router: at, to: end });
        }
        Ok(candidates)
    }
}

/// Whether the states of packets for a router form a cycle.
fn has_cycle(next_of: &BTreeMap<State, &[NextHop]>, to: NodeId) -> bool {
    // States without a predecessor are removed until there are none.
    let after = |candidates: &[NextHop]| -> BTreeSet<State> {
        let others = candidates.iter().filter(|hop| hop.node != to);
        others.map(|hop| (hop.node, ClassIn::Class(hop.class))).collect()
    };
    let mut leading: BTreeMap<State, u64> = next_of.keys().map(|&state| (state, 0)).collect();
    for candidates in next_of.values() {
        for state in after(candidates) {
            *leading.entry(state).or_default() += 1;
        }
    }
    let mut left: Vec<State> =
        leading.iter().filter(|(_, count)| **count == 0).map(|(state, _)| *state).collect();
    let mut taken = 0;
    while let Some(state) = left.pop() {
        taken += 1;
        for next in next_of.get(&state).map_or_else(BTreeSet::new, |candidates| after(candidates)) {
            if let Some(count) = leading.get_mut(&next) {
                *count -= 1;
                if *count == 0 {
                    left.push(next);
                }
            }
        }
    }
    taken < next_of.len()
}

/// Checks the routes of all pairs of terminals.
fn check_paths(
    lines: &PathLines,
    numbers: &[usize],
    machine: &Machine,
) -> Result<(Dependencies, u64), PacketRoutesError> {
    for ([from, to], paths) in &lines.pairs {
        check_end(*from, numbers[paths.start], machine)?;
        check_end(*to, numbers[paths.start], machine)?;
    }
    let terminals = terminals(machine);
    let (mut dependencies, mut longest) = (Dependencies::new(), 0);
    let mut examined = BTreeSet::new(); // first alternatives, with the router at their end
    for from in &terminals {
        for to in terminals.iter().filter(|to| to[1] != from[1]) {
            let Some(paths) = lines.alternatives(*from, *to) else {
                let [from, to] = [from[0], to[0]].map(NodeId::index);
                return Err(PacketRoutesError::NoPath { from, to });
            };
            if !examined.insert((paths.start, from[1], to[1])) {
                continue;
            }
            for path in paths {
                let hops = lines.hops(path);
                check_path(hops, from[1], *to, numbers[path], machine)?;
                longest = longest.max(hops.len() as u64);
                add_dependencies(hops, from[1], &mut dependencies);
            }
        }
    }
    Ok((dependencies, longest))
}

/// Reports a link of a route that does not exist, and a route that ends elsewhere.
fn check_path(
    hops: &[NextHop],
    from: NodeId,
    to: [NodeId; 2],
    line: usize,
    machine: &Machine,
) -> Result<(), PacketRoutesError> {
    let mut at = from;
    for hop in hops {
        check_link(at, hop.node, line, machine)?;
        at = hop.node;
    }
    if at == to[1] {
        return Ok(());
    }
    Err(PacketRoutesError::EndsElsewhere { line, router: at.index(), to: to[0].index() })
}

fn add_dependencies(hops: &[NextHop], from: NodeId, dependencies: &mut Dependencies) {
    let mut at = from;
    let channels: Vec<ClassChannel> = hops
        .iter()
        .map(|hop| {
            let channel = [at.index(), hop.node.index(), hop.class];
            at = hop.node;
            channel
        })
        .collect();
    for two in channels.windows(2) {
        dependencies.entry(two[0]).or_default().insert(two[1]);
    }
}

/// A cycle of channels whose packets each request the next, found depth first, the smallest first; `None` without one.
fn cycle(dependencies: &Dependencies) -> Option<Vec<ClassChannel>> {
    let none = BTreeSet::new();
    let after = |channel: &ClassChannel| dependencies.get(channel).unwrap_or(&none).iter();
    let mut finished = BTreeSet::new();
    for start in dependencies.keys() {
        if finished.contains(start) {
            continue;
        }
        let mut path = vec![(*start, after(start))];
        let mut on_path = BTreeSet::from([*start]);
        while let Some((channel, successors)) = path.last_mut() {
            let Some(next) = successors.next() else {
                on_path.remove(channel);
                finished.insert(*channel);
                path.pop();
                continue;
            };
            if on_path.contains(next) {
                let found =
                    path.iter().map(|(channel, _)| *channel).skip_while(|channel| channel != next).collect();
                return Some(from_smallest(found));
            }
            if !finished.contains(next) {
                on_path.insert(*next);
                path.push((*next, after(next)));
            }
        }
    }
    None
}

/// The same cycle, starting with its smallest channel.
fn from_smallest(mut cycle: Vec<ClassChannel>) -> Vec<ClassChannel> {
    let smallest = (0..cycle.len()).min_by_key(|&place| cycle[place]).unwrap_or(0);
    cycle.rotate_left(smallest);
    cycle
}
