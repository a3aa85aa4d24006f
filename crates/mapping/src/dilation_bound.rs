//! Lower bounds of dilation over all placements of a grid on a grid (`docs/model.md` section 29.5).
//!
//! Every placement with one process per node has at least this dilation. The bound is the largest of eight arguments
//! about distances, balls, cycles and the numbering of nodes; none of them examines a placement.

use std::fmt;

use cubefold_derive::Words;
use cubefold_topology::{Extent, Machine, Shape};

use crate::coordinate_sums::{MAX_SUM, SumCounts, mesh_bandwidth};

/// A lower bound on the dilation of every placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DilationBound {
    /// The dilation \[links\], at least 1.
    pub links: u64,
    /// The argument.
    pub source: DilationBoundSource,
}

/// The argument for a bound of dilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words)]
pub enum DilationBoundSource {
    /// The guest has an edge.
    Edge,
    /// Images of two processes are within dilation times diameter of the guest.
    Diameter,
    /// A ball of the guest is mapped into a ball of the host.
    Balls,
    /// Every edge is a pair of nodes within the dilation.
    Pairs,
    /// A guest that is not bipartite has no placement of dilation 1 on a bipartite host.
    Parity,
    /// A ring without one of its nodes has no cycle.
    Cycle,
    /// The axes of a mesh have dimensions of their own in a hypercube (Greenberg 1987, theorem 1).
    Greenberg,
    /// Numbered along a line, some edge spans many places (Harper 1966).
    Line,
}

impl fmt::Display for DilationBoundSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl DilationBound {
    /// The largest bound, the first in the order of [`DilationBoundSource`] among equal ones; `None` unless guest and host
    /// are grids and the host has at least as many nodes.
    ///
    /// Balls, pairs and some numberings are skipped for grids with sides of over 2^24 in all.
    #[must_use]
    pub fn new(guest: &Machine, host: &Machine) -> Option<Self> {
        let pair = Pair::new(guest, host)?;
        let argument = |source| match source {
            DilationBoundSource::Edge => Some(1),
            DilationBoundSource::Diameter => pair.diameter(),
            DilationBoundSource::Balls => pair.balls(),
            DilationBoundSource::Pairs => pair.pairs(),
            DilationBoundSource::Parity => pair.parity(),
            DilationBoundSource::Cycle => pair.cycle(),
            DilationBoundSource::Greenberg => pair.greenberg(),
            DilationBoundSource::Line => pair.line(),
        };
        let bounds = DilationBoundSource::ALL
            .into_iter()
            .filter_map(|source| Some(Self { links: argument(source)?, source }));
        // The last of equal ones is taken, so they go backwards.
        bounds.rev().max_by_key(|bound| bound.links)
    }
}

/// A guest and a host with at least as many nodes.
struct Pair<'a> {
    guest: Side<'a>,
    host: Side<'a>,
}

/// A grid with its balls.
struct Side<'a> {
    machine: &'a Machine,
    shape: &'a Shape,
    extents: Vec<Extent>,
    /// The number of nodes within each radius of a central node: the largest balls of each radius. Empty for
    /// grids that are too large.
    largest_balls: Vec<u64>,
    /// The same about a corner: the smallest balls of each radius.
    smallest_balls: Vec<u64>,
}

impl<'a> Side<'a> {
    fn new(machine: &'a Machine) -> Option<Self> {
        let grid = machine.grid()?;
        let extents: Vec<Extent> = grid.extents().collect();
        let is_small = extents.iter().map(|extent| extent.length()).sum::<u64>() <= MAX_SUM;
        let balls = |arms: fn(Extent) -> [(u64, u64); 2]| {
            let counts =
                extents.iter().fold(SumCounts::origin(), |counts, &extent| counts.times(&arms(extent)));
            counts.cumulative()
        };
        let (largest_balls, smallest_balls) =
            if is_small { (balls(arms_of_centre), balls(arms_of_end)) } else { (vec![], vec![]) };
        Some(Self { machine, shape: grid.shape(), extents, largest_balls, smallest_balls })
    }

    fn node_count(&self) -> u64 {
        self.shape.node_count()
    }

    fn diameter(&self) -> u64 {
        self.extents.iter().map(|extent| extent.diameter()).sum()
    }

    fn edge_count(&self) -> u64 {
        self.extents.iter().map(|extent| self.node_count() / extent.length() * extent.links()).sum()
    }

    fn is_bipartite(&self) -> bool {
        self.extents.iter().all(|extent| !extent.is_ring() || extent.length().is_multiple_of(2))
    }

    fn is_cube(&self) -> bool {
        self.extents.iter().all(|extent| extent.length() == 2)
    }

    /// The least span of the numberings of the nodes: every numbering has an edge that spans at least this many places.
    fn least_span(&self) -> Option<u64> {
        let formula = match self.extents[..] {
            [ring] if ring.is_ring() => Some(2),
            [one, other] if one.is_ring() && other.is_ring() => {
                let (one, other) = (one.length(), other.length());
                Some(2 * one.min(other) - u64::from(one == other))
            }
            _ => mesh_bandwidth(self.shape),
        };
        formula.max(self.least_span_by_sets())
    }

    /// The largest, over `m`, of the least number of neighbours of `m` nodes (Harper 1966); `None` for over 16 nodes.
    fn least_span_by_sets(&self) -> Option<u64> {
        let count = u32::try_from(self.node_count()).ok().filter(|&count| count <= 16)?;
        let around =
            |node| self.machine.neighbours(node).fold(0, |set, neighbour| set | 1 << neighbour.index());
        let neighbours: Vec<u32> = self.machine.nodes().map(around).collect();
        let mut least = vec![u32::MAX; count as usize + 1];
        for set in 1_u32..1 << count {
            let members = (0..count).filter(|node| set >> node & 1 == 1);
            let outside = members.fold(0, |outside, node| outside | neighbours[node as usize]) & !set;
            let size = set.count_ones() as usize;
            least[size] = least[size].min(outside.count_ones());
        }
        least[1..].iter().max().map(|&span| span.into())
    }
}

/// The distances to the two sides of a coordinate in the middle, which has the largest balls.
fn arms_of_centre(extent: Extent) -> [(u64, u64); 2] {
    let shorter = (extent.length() - 1) / 2;
    [(0, shorter), (1, extent.length() - 1 - shorter)]
}

/// The distances to the two sides of coordinate 0, which on a line has the smallest balls.
fn arms_of_end(extent: Extent) -> [(u64, u64); 2] {
    if extent.is_ring() { arms_of_centre(extent) } else { [(0, extent.length() - 1), (1, 0)] }
}

/// The number of nodes within a radius, from the numbers for each radius up to the largest.
fn within(balls: &[u64], radius: u64) -> u64 {
    let last = balls.len() - 1;
    balls[usize::try_from(radius).map_or(last, |radius| radius.min(last))]
}

/// The least number from 1 on that is enough, given that all larger ones then are.
fn least(is_enough: impl Fn(u64) -> bool) -> u64 {
    let mut above = 1;
    while !is_enough(above) {
        above *= 2;
    }
    let mut below = above / 2;
    while above - below > 1 {
        let middle = below.midpoint(above);
        if is_enough(middle) { above = middle } else { below = middle }
    }
    above
}

impl<'a> Pair<'a> {
    fn new(guest: &'a Machine, host: &'a Machine) -> Option<Self> {
        let pair = Self { guest: Side::new(guest)?, host: Side::new(host)? };
        (pair.guest.node_count() <= pair.host.node_count()).then_some(pair)
    }

    fn fills_the_host(&self) -> bool {
        self.guest.node_count() == self.host.node_count()
    }

    fn has_balls(&self) -> bool {
        !self.guest.largest_balls.is_empty() && !self.host.largest_balls.is_empty()
    }

    /// Two nodes of a filled host are its diameter apart; otherwise all images are in one ball about any of them.
    fn diameter(&self) -> Option<u64> {
        let radius = if self.fills_the_host() {
            self.host.diameter()
        } else {
            let count = self.guest.node_count();
            self.has_balls().then(|| least(|radius| within(&self.host.largest_balls, radius) >= count))?
        };
        Some(radius.div_ceil(self.guest.diameter()))
    }

    /// Balls of radius `r` go into balls of radius `k r`, and in a filled host a ball about every node is covered.
    /// The largest ball stands for "some node", the smallest for "every node".
    fn balls(&self) -> Option<u64> {
        if !self.has_balls() {
            return None;
        }
        let (guest, host) = (&self.guest, &self.host);
        let fit = |guest: &[u64], host: &[u64], links: u64| {
            (0..).zip(guest).all(|(radius, &inside)| inside <= within(host, links * radius))
        };
        let is_enough = |links| {
            fit(&guest.largest_balls, &host.largest_balls, links)
                && (!self.fills_the_host() || fit(&guest.smallest_balls, &host.smallest_balls, links))
        };
        Some(least(is_enough))
    }

    /// The host needs as many pairs of nodes within the dilation as the guest has edges.
    fn pairs(&self) -> Option<u64> {
        const MOST_RADIUS: usize = 1 << 12;
        let edges = u128::from(self.guest.edge_count());
        let diameter = usize::try_from(self.host.diameter()).unwrap_or(usize::MAX);
        let mut radius = 64.min(diameter);
        loop {
            let pairs = self.host.pairs_at(radius);
            let mut sum = 0;
            for (links, count) in (1..).zip(&pairs[1..]) {
                sum += count;
                if sum >= edges {
                    return Some(links);
                }
            }
            if radius == diameter || radius >= MOST_RADIUS {
                return None;
            }
            radius = (4 * radius).min(diameter);
        }
    }

    /// At dilation 1 odd rings become odd closed walks. The colours of bipartite grids differ by at most one node, so
    /// that they never exclude dilation 1.
    fn parity(&self) -> Option<u64> {
        (self.host.is_bipartite() && !self.guest.is_bipartite()).then_some(2)
    }

    fn cycle(&self) -> Option<u64> {
        let is_ring = matches!(self.host.extents[..], [extent] if extent.is_ring());
        let has_cycle = self.guest.edge_count() >= self.guest.node_count();
        (is_ring && !self.fills_the_host() && has_cycle).then_some(2)
    }

    fn greenberg(&self) -> Option<u64> {
        let bits = |extent: &Extent| usize::try_from(u64::BITS - (extent.length() - 1).leading_zeros());
        let needed: usize = self.guest.extents.iter().flat_map(bits).sum();
        (self.host.is_cube() && self.host.extents.len() < needed).then_some(2)
    }

    /// Numbers the host along its narrowest dimension: nodes within `k` links differ by at most `k` times the links
    /// that cross a cut there.
    fn line(&self) -> Option<u64> {
        let host = &self.host;
        let cut =
            |extent: &Extent| host.node_count() / extent.length() * if extent.is_ring() { 2 } else { 1 };
        let narrowest = host.extents.iter().map(cut).min()?;
        Some(self.guest.least_span()?.div_ceil(narrowest))
    }
}

impl Side<'_> {
    /// The numbers of pairs of nodes at each distance up to `radius`, from 0 on.
    fn pairs_at(&self, radius: usize) -> Vec<u128> {
        let mut ordered = vec![0_u128; radius + 1];
        ordered[0] = 1;
        for extent in &self.extents {
            let reach = radius.min(usize::try_from(extent.diameter()).unwrap_or(usize::MAX));
            let along: Vec<u128> = (0..=reach as u64).map(|links| ordered_pairs(*extent, links)).collect();
            let mut product = vec![0; radius + 1];
            for (before, &count) in ordered.iter().enumerate().filter(|&(_, &count)| count > 0) {
                for (entry, pairs) in product[before..].iter_mut().zip(&along) {
                    *entry += count * pairs;
                }
            }
            ordered = product;
        }
        ordered.iter_mut().skip(1).for_each(|count| *count /= 2);
        ordered
    }
}

/// The number of ordered pairs of coordinates at a distance of at most the diameter.
fn ordered_pairs(extent: Extent, links: u64) -> u128 {
    let length = extent.length();
    let pairs = match links {
        0 => length,
        _ if extent.is_ring() && 2 * links == length => length,
        _ if extent.is_ring() => 2 * length,
        _ => 2 * (length - links),
    };
    pairs.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{cases_of_cubes, wrapping};
    use cubefold_topology::{MachineKind, NodeId};
    use serde_json::Value;

    fn of_case(value: &Value) -> Machine {
        let lengths: Vec<u64> = serde_json::from_value(value["shape"].clone()).unwrap();
        let wraps: Vec<bool> = serde_json::from_value(value["wrap"].clone()).unwrap();
        wrapping(&lengths, &wraps)
    }

    #[test]
    fn bounds_are_those_of_the_independent_program() {
        let mut count = 0;
        for case in cases_of_cubes("dilation-bound") {
            let (guest, host) = (of_case(&case["input"]["guest"]), of_case(&case["input"]["machine"]));
            let bound = DilationBound::new(&guest, &host).unwrap();
            let expected = &case["expect"];
            assert_eq!(
                (bound.links, bound.source.name().into()),
                (expected["bound"].as_u64().unwrap(), expected["source"].clone()),
                "{case}"
            );
            let pair = Pair::new(&guest, &host).unwrap();
            let each: [(&str, Option<u64>); 8] = [
                ("edge", Some(1)),
                ("diameter", pair.diameter()),
                ("balls", pair.balls()),
                ("pairs", pair.pairs()),
                ("parity", pair.parity().or(Some(1))),
                ("cycle", pair.cycle().or(Some(1))),
                ("greenberg", host_is_cube(&pair).then(|| pair.greenberg().unwrap_or(1))),
                ("line", pair.line()),
            ];
            for (name, links) in each {
                assert_eq!(links, expected["each"][name].as_u64(), "{name} of {case}");
            }
            if let Some(least) = expected["least"].as_u64() {
                assert_eq!(least_dilation(&guest, &host), least, "{case}");
            }
            count += 1;
        }
        assert!(count > 10);
    }

    fn host_is_cube(pair: &Pair<'_>) -> bool {
        pair.host.is_cube() && pair.host.extents.len() > 1
    }

    /// The grids of this many nodes, the sides ascending; a wrapping side of 2 counts as open.
    fn grids(nodes: u64) -> Vec<Machine> {
        let factorings = |nodes: u64| -> Vec<Vec<u64>> {
            let mut found = vec![vec![nodes]];
            let is_side = |one: &u64| nodes.is_multiple_of(*one) && one * one <= nodes;
            found.extend((2..nodes).filter(is_side).map(|one| vec![one, nodes / one]));
            found.extend((nodes == 8).then(|| vec![2, 2, 2]));
            found.extend((nodes == 12).then(|| vec![2, 2, 3]));
            found
        };
        let wraps = |lengths: Vec<u64>| {
            (0..1_u32 << lengths.len()).filter_map(move |set| {
                let wraps: Vec<bool> = (0..lengths.len()).map(|axis| set >> axis & 1 == 1).collect();
                let is_new = lengths.iter().zip(&wraps).all(|(&length, &wraps)| length > 2 || !wraps);
                is_new.then(|| wrapping(&lengths, &wraps))
            })
        };
        factorings(nodes).into_iter().flat_map(wraps).collect()
    }

    /// Whether processes from the next one on can be placed with at most this dilation.
    fn is_possible(guest: &Machine, host: &Machine, links: u64, nodes: &mut Vec<NodeId>) -> bool {
        if nodes.len() as u64 == guest.node_count() {
            return true;
        }
        let next = NodeId::new(u32::try_from(nodes.len()).unwrap());
        let placed: Vec<NodeId> = guest
            .neighbours(next)
            .filter_map(|neighbour| nodes.get(neighbour.index() as usize).copied())
            .collect();
        host.nodes().any(|node| {
            if nodes.contains(&node) || placed.iter().any(|&neighbour| host.distance(neighbour, node) > links)
            {
                return false;
            }
            nodes.push(node);
            let found = is_possible(guest, host, links, nodes);
            nodes.pop();
            found
        })
    }

    /// The least dilation of all placements.
    fn least_dilation(guest: &Machine, host: &Machine) -> u64 {
        (1..=host.node_count()).find(|&links| is_possible(guest, host, links, &mut vec![])).unwrap()
    }

    /// The pairs of guest and host with these numbers of nodes, and the number of bounds that equal the least dilation.
    fn pairs_that_reach_their_bounds(sizes: impl Iterator<Item = (u64, u64)>) -> (u32, u32) {
        let (mut pairs, mut reached) = (0, 0);
        for (guests, hosts) in sizes {
            for guest in grids(guests) {
                for host in grids(hosts) {
                    let bound = DilationBound::new(&guest, &host).unwrap().links;
                    let least = least_dilation(&guest, &host);
                    assert!(bound <= least, "{guests} on {hosts}: {bound} above {least}");
                    pairs += 1;
                    reached += u32::from(bound == least);
                }
            }
        }
        (pairs, reached)
    }

    #[test]
    fn no_placement_of_a_small_grid_is_below_its_bound_and_most_reach_it() {
        let sizes = [(4, 4), (4, 5), (5, 6), (6, 6), (6, 7), (7, 7), (6, 8), (8, 8)];
        let (pairs, reached) = pairs_that_reach_their_bounds(sizes.into_iter());
        assert!(20 * reached >= 19 * pairs, "{reached} of {pairs}");
    }

    #[test]
    #[ignore = "all placements of grids of up to 12 nodes"]
    fn no_placement_of_a_grid_of_up_to_twelve_nodes_is_below_its_bound() {
        let up_to_ten = (4..=10).flat_map(|guests| (guests..=10).map(move |hosts| (guests, hosts)));
        let (pairs, reached) = pairs_that_reach_their_bounds(up_to_ten);
        assert!(pairs >= 280 && 10 * reached >= 9 * pairs, "{reached} of {pairs}");
        let up_to_twelve = (7..=12).flat_map(|guests| (guests..=12).map(move |hosts| (guests, hosts)));
        let (pairs, reached) = pairs_that_reach_their_bounds(up_to_twelve);
        assert!(pairs >= 468 && 10 * reached >= 9 * pairs, "{reached} of {pairs}");
    }

    #[test]
    fn the_largest_grids_have_bounds() {
        let torus = wrapping(&[1 << 16, 1 << 16], &[true, true]);
        let cube = Machine::new(MachineKind::Hypercube, &[2; 32]).unwrap();
        assert!(DilationBound::new(&cube, &torus).unwrap().links > 1000);
        let line = wrapping(&[1 << 32], &[false]);
        assert_eq!(DilationBound::new(&line, &line).unwrap().source, DilationBoundSource::Edge);
    }
}
