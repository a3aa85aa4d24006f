//! Link congestion and node load, guest edge by guest edge.
//!
//! On a grid a route is at most one run of links in each dimension, so that the congestion of all links of a dimension
//! comes from difference arrays: 1 where a run begins, -1 where it ends, then prefix sums along the lines. The node load
//! needs no pass of its own: a route uses two links of each node that it passes and one link of each of its ends, so that
//! a node's links carry twice its load plus the edges that end there. An edge within a node uses no link and touches the
//! node once.

use cubefold_topology::{
    Axis, Digit, Extent, Grid, IndexDigit, Machine, Network, NetworkRoutes, NodeId, RouteChoice, TieRule,
};
use rayon::prelude::*;

use super::{
    counter::{Counter, extremes},
    edge_blocks::{EdgeBlocks, differing_bits},
    measures::{Congestion, Extremes},
};
use crate::{GatheredImages, Guest, ProcessId};

/// The greatest number of arrays of counters that are filled at the same time, then added up.
pub(super) const MAX_ARRAYS: usize = 4;

/// Congestion of the edges on a grid; `one_to_one` if no two processes share a node.
pub(super) fn on_grid<G: Guest, C: Counter>(
    blocks: &EdgeBlocks<'_, G>,
    grid: &Grid,
    one_to_one: bool,
    tie: TieRule,
) -> Congestion {
    let nodes = usize::try_from(grid.node_count()).unwrap_or(usize::MAX);
    let mut arrays = Arrays::<C>::new(nodes, blocks.count());
    let mut traffic = vec![C::default(); nodes]; // the congestion of the node's links, summed
    let mut link_congestion = Extremes::NONE;
    for axis in grid.axes() {
        let links = arrays.count(blocks, &|counts, runs, low, high| {
            count_runs(axis, tie, counts, runs, low, high);
        });
        link_congestion = link_congestion.and(add_up(axis, links, &mut traffic));
    }
    let mut counts = arrays.arrays.swap_remove(0);
    drop(arrays);
    let load = load(blocks, one_to_one, &mut counts);
    let (node_load, node_congestion) = node_counts(blocks, one_to_one, counts, traffic);
    Congestion { node_load, link_congestion, node_congestion, load }
}

/// Arrays of a counter for every node, each filled by one thread.
struct Arrays<C> {
    arrays: Vec<Vec<C>>,
}

impl<C: Counter> Arrays<C> {
    fn new(nodes: usize, blocks: usize) -> Self {
        let arrays = rayon::current_num_threads().min(MAX_ARRAYS).min(blocks);
        Self { arrays: vec![vec![C::default(); nodes]; arrays.max(1)] }
    }

    /// The counters after `count` was called for the images of all edges. Sums do not depend on the division of the
    /// counting among threads.
    fn count<G: Guest>(
        &mut self,
        blocks: &EdgeBlocks<'_, G>,
        count: &(impl Fn(&mut [C], &mut Runs, &[NodeId], &[NodeId]) + Sync),
    ) -> &mut [C] {
        let (parts, all) = (self.arrays.len(), blocks.count());
        self.arrays.par_iter_mut().enumerate().for_each(|(part, counts)| {
            counts.fill(C::default());
            let (mut gathered, mut runs) = (GatheredImages::default(), Runs::default());
            for block in all * part / parts..all * (part + 1) / parts {
                blocks.visit(block, &mut gathered, &mut |_, low, high| count(counts, &mut runs, low, high));
            }
        });
        let Some((sums, others)) = self.arrays.split_first_mut() else { return &mut [] };
        for other in others {
            sums.par_chunks_mut(1 << 13).zip(other.par_chunks(1 << 13)).for_each(|(sums, other)| {
                sums.iter_mut().zip(other).for_each(|(sum, other)| *sum = sum.plus(*other));
            });
        }
        sums
    }
}

/// Writes the differences that the routes of some edges make along one dimension.
fn count_runs<C: Counter>(
    axis: &Axis,
    tie: TieRule,
    counts: &mut [C],
    runs: &mut Runs,
    low: &[NodeId],
    high: &[NodeId],
) {
    if !axis.digit().is_among(differing_bits(low, high)) {
        return;
    }
    write_runs(axis, low, high, tie, runs);
    for (&first, &end) in runs.first.iter().zip(&runs.end) {
        let [first, end] = [first as usize, end as usize];
        counts[first] = counts[first].plus(C::from(1));
        counts[end] = counts[end].minus(C::from(1));
    }
    if runs.any_wraps {
        for (&origin, &wraps) in runs.origin.iter().zip(&runs.wraps) {
            counts[origin as usize] = counts[origin as usize].plus(C::of(wraps.into()));
        }
    }
}

/// Adds the differences of one dimension up along its lines, so that the link of near end `n` has its congestion
/// at index `n`, and adds it to the traffic of both its ends; returns the extremes over the links.
fn add_up<C: Counter>(axis: &Axis, links: &mut [C], traffic: &mut [C]) -> Extremes {
    let [length, stride] =
        [axis.length(), axis.digit().stride()].map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    let blocks_of_lines = links.par_chunks_mut(length * stride).zip(traffic.par_chunks_mut(length * stride));
    blocks_of_lines
        .map(|(links, traffic)| add_up_lines(axis.extent(), stride, links, traffic))
        .reduce(|| Extremes::NONE, Extremes::and)
}

/// Adds the load of the lines between neighbouring nodes in the lower dimensions.
fn add_up_lines<C: Counter>(extent: Extent, stride: usize, links: &mut [C], traffic: &mut [C]) -> Extremes {
    let last = links.len() - stride;
    for at in stride..links.len() {
        links[at] = links[at].plus(links[at - stride]);
    }
    for at in stride..links.len() {
        traffic[at] = traffic[at].plus(links[at]).plus(links[at - stride]);
    }
    // A line's last node has no link there, so 0, unless it is the wraparound link.
    for at in 0..stride {
        traffic[at] = traffic[at].plus(links[at]).plus(links[last + at]);
    }
    extremes(if extent.is_ring() { links } else { &links[..last] })
}

/// The extremes of the node load and of the node congestion, from the traffic on the links of each node.
fn node_counts<G: Guest, C: Counter>(
    blocks: &EdgeBlocks<'_, G>,
    one_to_one: bool,
    mut touching: Vec<C>, // a counter for every node, of any initial value
    mut traffic: Vec<C>,
) -> (Extremes, Extremes) {
    touching.fill(C::default());
    for (process, node) in ProcessId::first(blocks.guest.process_count()).zip(blocks.images) {
        let touching = &mut touching[node.index() as usize];
        *touching = touching.plus(C::of(blocks.guest.degree(process)));
    }
    // Less the ends on the node, the traffic is twice its load.
    for (traffic, &touching) in traffic.iter_mut().zip(&touching) {
        *traffic = traffic.minus(touching);
    }
    if !one_to_one {
        visit_edges_within(blocks, |node| {
            // One edge of the node, where each of its ends was counted; neither is on a link.
            touching[node] = touching[node].minus(C::from(1));
            traffic[node] = traffic[node].plus(C::from(2));
        });
    }
    for (load, touching) in traffic.iter_mut().zip(&mut touching) {
        *load = *load >> 1;
        *touching = touching.plus(*load);
    }
    (extremes(&traffic), extremes(&touching))
}

/// Calls `visit` with the node of every edge both of whose ends are on it.
fn visit_edges_within<G: Guest>(blocks: &EdgeBlocks<'_, G>, mut visit: impl FnMut(usize)) {
    let mut gathered = GatheredImages::default();
    for block in 0..blocks.count() {
        blocks.visit(block, &mut gathered, &mut |_, low, high| {
            let within = low.iter().zip(high).filter(|(low, high)| low == high);
            within.for_each(|(node, _)| visit(node.index() as usize));
        });
    }
}

fn load<G: Guest, C: Counter>(blocks: &EdgeBlocks<'_, G>, one_to_one: bool, counts: &mut [C]) -> Extremes {
    let (processes, nodes) = (blocks.images.len() as u64, blocks.machine.node_count());
    if one_to_one {
        return Extremes { min: u64::from(processes == nodes), max: 1, sum: processes, count: nodes };
    }
    counts.fill(C::default());
    for node in blocks.images {
        let count = &mut counts[node.index() as usize];
        *count = count.plus(C::from(1));
    }
    extremes(counts)
}

/// The runs of links of some routes along one dimension, each on its own line.
#[derive(Debug, Default)]
struct Runs {
    /// The node at which each begins, `+` leading along it.
    first: Vec<u32>,
    /// The node at which it ends: the first where the route uses no link of the dimension.
    end: Vec<u32>,
    /// The node at coordinate 0 of its line.
    origin: Vec<u32>,
    /// Whether it uses the wraparound link: 1 or 0.
    wraps: Vec<u32>,
    /// Whether any does.
    any_wraps: bool,
}

impl Runs {
    /// Writes the runs of routes, which go up if `is_up` holds for the coordinates of both ends.
    fn write(
        &mut self,
        digit: &impl Digit,
        from: &[NodeId],
        to: &[NodeId],
        is_up: impl Fn(u32, u32) -> bool,
    ) {
        for list in [&mut self.first, &mut self.end, &mut self.origin, &mut self.wraps] {
            list.resize(from.len(), 0);
        }
        let slots = self.first.iter_mut().zip(&mut self.end).zip(&mut self.origin).zip(&mut self.wraps);
        let mut any_wraps = 0;
        for ((((first, end), origin), wraps), (from, to)) in slots.zip(from.iter().zip(to)) {
            let (from, to) = (from.index(), to.index());
            let (a, b) = (digit.position(from), digit.position(to));
            let is_up = is_up(a, b);
            // Going down is going up over the same links from the other end.
            let (low, high) = (if is_up { a } else { b }, if is_up { b } else { a });
            // The sums are indices of nodes: none wraps.
            *origin = digit.line(from, to);
            *first = origin.wrapping_add(digit.offset(low));
            *end = origin.wrapping_add(digit.offset(high));
            *wraps = u32::from(high < low);
            any_wraps |= *wraps;
        }
        self.any_wraps = any_wraps != 0;
    }
}

/// The runs of the routes from the nodes `from` to the nodes `to` along `axis`: on the lines where the lower dimensions
/// agree with `to` already and the higher ones with `from` still.
fn write_runs(axis: &Axis, from: &[NodeId], to: &[NodeId], tie: TieRule, runs: &mut Runs) {
    match axis.digit() {
        IndexDigit::Bits(digit) => write_runs_by(axis, digit, from, to, tie, runs),
        IndexDigit::Radix(digit) => write_runs_by(axis, digit, from, to, tie, runs),
    }
}

fn write_runs_by(
    axis: &Axis,
    digit: &impl Digit,
    from: &[NodeId],
    to: &[NodeId],
    tie: TieRule,
    runs: &mut Runs,
) {
    if !axis.extent().is_ring() {
        return runs.write(digit, from, to, |a, b| a < b);
    }
    // Modulo 2^32, which a ring may have as its length: between coordinates that differ the sums are right.
    #[expect(clippy::cast_possible_truncation, reason = "modulo 2^32")]
    let length = axis.extent().length() as u32;
    let around = |a: u32, b: u32| length.wrapping_sub(a.abs_diff(b));
    // Whether the shorter displacement is up, a tie being broken as `direct` does.
    let is_up = |a: u32, b: u32| (a < b) ^ (around(a, b) < a.abs_diff(b));
    let is_tie = |a: u32, b: u32| around(a, b) == a.abs_diff(b);
    match tie {
        TieRule::Direct => runs.write(digit, from, to, is_up),
        TieRule::Positive => runs.write(digit, from, to, |a, b| is_tie(a, b) || is_up(a, b)),
        TieRule::Negative => runs.write(digit, from, to, |a, b| !is_tie(a, b) && is_up(a, b)),
        TieRule::Alternate => {
            runs.write(digit, from, to, |a, b| if is_tie(a, b) { a.is_multiple_of(2) } else { is_up(a, b) });
        }
    }
}

/// Congestion of the edges of `guest` on a graph, link by link; its processes have these nodes.
pub(super) fn on_graph<G: Guest>(
    guest: &G,
    machine: &Machine,
    network: &Network,
    images: &[NodeId],
) -> Congestion {
    let nodes = usize::try_from(machine.node_count()).unwrap_or(usize::MAX);
    let mut load = vec![0_u64; nodes];
    for node in images {
        load[node.index() as usize] += 1;
    }
    let routes = machine.network_routes().unwrap_or_else(|| NetworkRoutes::new(network, RouteChoice::Lowest));
    // By node, the routes that pass it and all routes; of each link, its routes at its channel from the lower end.
    let (mut passing, mut touching) = (vec![0_u64; nodes], vec![0_u64; nodes]);
    let mut links = vec![0_u64; network.channel_ends().len()];
    let edges = (0..guest.dimension_count()).flat_map(|dimension| guest.edges(dimension));
    let image = |process: ProcessId| images[process.label() as usize];
    for [from, to] in edges.map(|(low, high)| [image(low), image(high)]) {
        touching[to.index() as usize] += 1;
        let mut at = from;
        while let Some(direction) = routes.next(from, at, to) {
            links[network.link_number(at, direction)] += 1;
            let next = network.neighbours(at)[direction.dimension.index()];
            touching[at.index() as usize] += 1;
            passing[at.index() as usize] += u64::from(at != from);
            at = next;
        }
    }
    let is_directed = network.is_directed();
    let of_node = |node: NodeId| {
        let channels =
            network.neighbours(node).iter().zip(&links[network.first_channel(node.index()) as usize..]);
        channels.filter(move |&(&end, _)| end > node || is_directed).map(|(_, &count)| count)
    };
    Congestion {
        node_load: Extremes::of(passing),
        link_congestion: Extremes::of(machine.nodes().flat_map(of_node)),
        node_congestion: Extremes::of(touching),
        load: Extremes::of(machine.hosts().map(|host| load[host.index() as usize])),
    }
}

#[cfg(test)]
mod tests {
    use super::super::grids;
    use super::*;
    use crate::{Dilation, GraphGuest, Placement, PlacementTable};
    use cubefold_topology::{HostDimension, MachineKind, Sign};

    #[test]
    fn runs_of_all_pairs_are_the_legs_of_their_routes() {
        for machine in grids::all() {
            let (from, to) = grids::pairs(&machine);
            let mut runs = Runs::default();
            for (axis, dimension) in machine.axes().iter().zip(machine.shape().dimensions()) {
                for tie in TieRule::ALL {
                    write_runs(axis, &from, &to, tie, &mut runs);
                    for at in 0..from.len() {
                        check_run(&machine, dimension, tie, (from[at], to[at]), &runs, at);
                    }
                }
            }
        }
    }

    #[test]
    fn channels_of_directed_networks_count_whatever_their_ends() {
        let ring = Network::from_channels(3, &[(0, 1), (1, 2), (2, 0)]).unwrap();
        let machine = Machine::network(MachineKind::Network, ring).unwrap();
        let tree = Network::from_edges(3, &[(0, 1), (0, 2)]).unwrap();
        let tree = GraphGuest::new(Machine::network(MachineKind::Network, tree).unwrap());
        let images = [2, 0, 1].map(NodeId::new);
        let congestion = on_graph(&tree, &machine, machine.graph().unwrap(), &images);
        // From 2 to 0, and by way of 0 to 1.
        assert_eq!((congestion.link_congestion.max, congestion.link_congestion.sum), (2, 3));
    }

    fn check_run(
        machine: &Machine,
        dimension: HostDimension,
        tie: TieRule,
        (from, to): (NodeId, NodeId),
        runs: &Runs,
        at: usize,
    ) {
        let mut corrected = from;
        for lower in machine.shape().dimensions().take_while(|&lower| lower < dimension) {
            while let Some(leg) = machine.grid().unwrap().leg_along(lower, corrected, to, tie) {
                corrected = machine.neighbour(corrected, leg.direction).unwrap();
            }
        }
        let leg = machine.grid().unwrap().leg_along(dimension, corrected, to, tie);
        let mut end = corrected;
        for _ in 0..leg.map_or(0, |leg| leg.hops) {
            end = machine.neighbour(end, leg.unwrap().direction).unwrap();
        }
        let is_up = leg.is_none_or(|leg| leg.direction.sign == Sign::Positive);
        let (first, last) = if is_up { (corrected, end) } else { (end, corrected) };
        assert_eq!((runs.first[at], runs.end[at]), (first.index(), last.index()));
        assert_eq!(runs.wraps[at] == 1, last < first);
        let coordinate = u64::from(machine.shape().coordinate(first, dimension));
        let origin = u64::from(first.index()) - coordinate * machine.shape().stride(dimension);
        assert_eq!(u64::from(runs.origin[at]), origin);
    }

    #[test]
    fn a_line_and_a_tree_measure_the_same_as_networks_and_as_grids() {
        // Routes on a line are unique, so that tables and dimension order agree.
        let line = Machine::new(MachineKind::Line, &[9]).unwrap();
        let guest = GraphGuest::new(Machine::new(MachineKind::Torus, &[3, 3]).unwrap());
        for nodes in [[0, 1, 2, 3, 4, 5, 6, 7, 8], [4, 2, 7, 7, 0, 8, 1, 1, 3]] {
            let nodes: Vec<_> = nodes.map(NodeId::new).into();
            let listed = line.clone().as_network(RouteChoice::Lowest).unwrap();
            let [grid, network] = [line.clone(), listed].map(|machine| {
                let placement = Placement::Table(PlacementTable::new(&machine, nodes.clone()).unwrap());
                let congestion = Congestion::by_edge(&guest, &placement, TieRule::Direct);
                (congestion, Dilation::by_edge(&guest, &placement))
            });
            assert_eq!(grid, network);
        }
    }
}
