//! The cut bound of one placement: the model's section 24, with every set as the list of its nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::{grid::Grid, speeds::Speed};

/// What must cross between the nodes of a machine.
#[derive(Clone, Debug)]
pub struct CutProblem {
    /// The links: two nodes, and `u` and `l`; parallel ones one by one.
    pub links: Vec<(u64, u64, Speed)>,
    /// Whether both directions of a link share it.
    pub is_half_duplex: bool,
    /// The messages: source node, destination node, units.
    pub messages: Vec<(u64, u64, u64)>,
}

/// The set of every node.
pub fn single_nodes(count: u64) -> Vec<BTreeSet<u64>> {
    (0..count).map(|node| [node].into()).collect()
}

/// The sets of every interval of coordinates of every dimension, cyclic where it wraps, by dimension, first coordinate
/// and length, with the dimension (from 1), the first and the last coordinate.
pub fn intervals(grid: &Grid) -> Vec<([u64; 3], BTreeSet<u64>)> {
    let mut sets = vec![];
    let nodes = grid.number_of_nodes();
    for (dimension, (&length, &wraps)) in grid.lengths.iter().zip(&grid.wraps).enumerate() {
        for first in 0..length {
            for count in 1..length {
                if !wraps && first + count > length {
                    continue;
                }
                let lies_in =
                    |node: &u64| (grid.coordinates(*node)[dimension] + length - first) % length < count;
                let last = (first + count - 1) % length;
                sets.push(([dimension as u64 + 1, first, last], (0..nodes).filter(lies_in).collect()));
            }
        }
    }
    sets
}

/// Hosts with the switches below which, that is nearest to which, there are no others.
pub fn with_what_is_below(problem: &CutProblem, hosts: &BTreeSet<u64>, host_count: u64) -> BTreeSet<u64> {
    let mut neighbours: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for &(one, other, _) in &problem.links {
        neighbours.entry(one).or_default().push(other);
        neighbours.entry(other).or_default().push(one);
    }
    let nearest_hosts = |switch: u64| -> BTreeSet<u64> {
        let (mut seen, mut at): (BTreeSet<u64>, BTreeSet<u64>) = ([switch].into(), [switch].into());
        loop {
            at = at
                .iter()
                .flat_map(|node| &neighbours[node])
                .copied()
                .filter(|node| !seen.contains(node))
                .collect();
            let found: BTreeSet<u64> = at.iter().copied().filter(|&node| node < host_count).collect();
            if !found.is_empty() || at.is_empty() {
                return found;
            }
            seen.extend(&at);
        }
    };
    let switches = neighbours.keys().copied().filter(|&node| node >= host_count);
    let below = switches.filter(|&switch| nearest_hosts(switch).is_subset(hosts));
    hosts.iter().copied().chain(below).collect()
}

/// The least time after which the channels across the border of a set can have carried what must cross it, 0 if nothing
/// must (section 24).
pub fn cut(problem: &CutProblem, set: &BTreeSet<u64>) -> u64 {
    let (mut into, mut out) = (0, 0);
    for &(source, destination, units) in &problem.messages {
        match (set.contains(&source), set.contains(&destination)) {
            (false, true) => into += units,
            (true, false) => out += units,
            _ => {}
        }
    }
    let units = if problem.is_half_duplex { into + out } else { into.max(out) };
    let across: Vec<Speed> = problem
        .links
        .iter()
        .filter(|(one, other, _)| set.contains(one) != set.contains(other))
        .map(|&(_, _, speed)| speed)
        .collect();
    let carried = |time: u64| -> u64 { across.iter().map(|&(u, l)| time.saturating_sub(l) / u).sum() };
    (0..).find(|&time| carried(time) >= units).expect("links across the border")
}

/// The largest, over nodes, of the computations of its processes divided by its processors, rounded up.
pub fn computations(nodes: &[u64], computations: &[Vec<u64>], processors: u64) -> u64 {
    let mut sums: BTreeMap<u64, u64> = BTreeMap::new();
    for stage in computations {
        for (node, cycles) in nodes.iter().zip(stage) {
            *sums.entry(*node).or_default() += cycles;
        }
    }
    sums.into_values().map(|sum| sum.div_ceil(processors)).max().unwrap_or(0)
}
