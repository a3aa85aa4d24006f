//! Metrics of any placement, guest edge by guest edge.
//!
//! A route is at most one run of links in each dimension, so that the congestion of all links of a
//! dimension comes from difference arrays: 1 where a run begins, -1 where it ends, then prefix sums along
//! the lines. The node load needs no pass of its own: a route uses two links of each node that it passes
//! and one link of each of its ends, so that a node's links carry twice its load plus the edges that end
//! there. An edge within a node uses no link and touches the node once.

use std::collections::BTreeMap;

use cubefold_topology::{HostDimension, Machine, NodeId, Sign, TieRule};

use crate::{Dilation, DimensionDistances, Extremes, Guest, Placement, PlacementMetrics};

/// Bytes that measuring takes for each node: two counters and the number of processes.
pub(super) const BYTES_A_NODE: u64 = 8 + 8 + 4 + 4 + 4;

/// Metrics of `placement` for `guest`.
pub(super) fn measure<G: Guest>(guest: &G, placement: &Placement, tie: TieRule) -> PlacementMetrics {
    let (distances, dilation) = distances(guest, placement);
    let machine = placement.machine();
    let mut census = Census::new(machine);
    let link_congestion = machine
        .shape()
        .dimensions()
        .map(|dimension| census.add_links_of(dimension, guest, placement, tie))
        .fold(Extremes::NONE, Extremes::and);
    census.add_processes(guest, placement);
    PlacementMetrics {
        distances,
        dilation,
        node_load: Extremes::of(census.node_loads()),
        link_congestion,
        node_congestion: Extremes::of(census.node_congestions()),
        load: Extremes::of(census.load.iter().map(|&load| u64::from(load))),
    }
}

/// A zero for every node.
fn vec_of_nodes<T: Clone + Default>(machine: &Machine) -> Vec<T> {
    vec![T::default(); usize::try_from(machine.node_count()).unwrap_or(usize::MAX)]
}

/// The distances of every guest dimension, and all dilations together.
fn distances<G: Guest>(guest: &G, placement: &Placement) -> (Vec<DimensionDistances>, Dilation) {
    let machine = placement.machine();
    let mut spectrum = BTreeMap::new();
    let of_dimension = |dimension| {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for (low, high) in guest.edges(dimension) {
            *counts.entry(machine.distance(placement.node(low), placement.node(high))).or_default() += 1;
        }
        let over_edges = counts
            .iter()
            .map(|(&distance, &edges)| {
                Extremes { min: distance, max: distance, sum: distance, count: 1 }.repeated(edges)
            })
            .fold(Extremes::NONE, Extremes::and);
        for (distance, edges) in counts {
            *spectrum.entry(distance).or_default() += edges;
        }
        DimensionDistances { over_edges }
    };
    let distances = (0..guest.dimension_count()).map(of_dimension).collect();
    (distances, Dilation { spectrum })
}

/// What is counted at each node.
struct Census {
    link_traffic: Vec<u64>, // the congestion of the node's links, summed
    ends: Vec<u32>,         // the guest edges that lead from the node to others
    within: Vec<u32>,       // the guest edges within the node
    load: Vec<u32>,         // the processes on the node
}

impl Census {
    fn new(machine: &Machine) -> Self {
        Self {
            link_traffic: vec_of_nodes(machine),
            ends: vec_of_nodes(machine),
            within: vec_of_nodes(machine),
            load: vec_of_nodes(machine),
        }
    }

    /// Counts the congestion of the links of one dimension, and what of it each node sees.
    fn add_links_of<G: Guest>(
        &mut self,
        dimension: HostDimension,
        guest: &G,
        placement: &Placement,
        tie: TieRule,
    ) -> Extremes {
        let machine = placement.machine();
        let mut lines = Lines::new(machine, dimension);
        for (low, high) in (0..guest.dimension_count()).flat_map(|own| guest.edges(own)) {
            lines.add_route(placement.node(low), placement.node(high), tie);
        }
        let congestion = lines.congestion();
        let mut extremes = Extremes::NONE;
        for (near, far) in lines.links() {
            let edges = congestion[near];
            extremes = extremes.and(Extremes { min: edges, max: edges, sum: edges, count: 1 });
            self.link_traffic[near] += edges;
            self.link_traffic[far] += edges;
        }
        extremes
    }

    /// Counts processes and ends of guest edges.
    fn add_processes<G: Guest>(&mut self, guest: &G, placement: &Placement) {
        for process in crate::ProcessId::first(guest.process_count()) {
            self.load[placement.node(process).index() as usize] += 1;
        }
        for (low, high) in (0..guest.dimension_count()).flat_map(|own| guest.edges(own)) {
            let (low, high) = (placement.node(low).index() as usize, placement.node(high).index() as usize);
            if low == high {
                self.within[low] += 1;
            } else {
                self.ends[low] += 1;
                self.ends[high] += 1;
            }
        }
    }

    fn node_loads(&self) -> impl Iterator<Item = u64> {
        self.link_traffic.iter().zip(&self.ends).map(|(traffic, &ends)| (traffic - u64::from(ends)) / 2)
    }

    fn node_congestions(&self) -> impl Iterator<Item = u64> {
        let touching =
            self.ends.iter().zip(&self.within).map(|(&ends, &within)| u64::from(ends) + u64::from(within));
        self.node_loads().zip(touching).map(|(load, touching)| load + touching)
    }
}

/// The links of one dimension: the link of near end `n` at index `n`, as differences along its line until
/// [`Lines::congestion`] adds them up.
struct Lines<'machine> {
    machine: &'machine Machine,
    dimension: HostDimension,
    length: usize,
    stride: usize,
    differences: Vec<u64>, // modulo 2^64: the sums are counts, whatever the order of their parts
}

impl<'machine> Lines<'machine> {
    fn new(machine: &'machine Machine, dimension: HostDimension) -> Self {
        let size = |value| usize::try_from(value).unwrap_or(usize::MAX);
        Self {
            machine,
            dimension,
            length: size(machine.shape().length(dimension)),
            stride: size(machine.shape().stride(dimension)),
            differences: vec_of_nodes(machine),
        }
    }

    /// Adds what the route from `from` to `to` uses of this dimension: the run of links on the line where
    /// the lower dimensions agree with `to` already and the higher ones with `from` still.
    fn add_route(&mut self, from: NodeId, to: NodeId, tie: TieRule) {
        let Some(leg) = self.machine.leg_along(self.dimension, from, to, tie) else {
            return;
        };
        let (from, to) = (from.index() as usize, to.index() as usize);
        let (start, block) = (from / self.stride % self.length, self.stride * self.length);
        let line = from / block * block + to % self.stride;
        let hops = usize::try_from(leg.hops).unwrap_or(usize::MAX);
        let first = match leg.direction.sign {
            Sign::Positive => start,
            // Going down over `hops` links is going up over the same ones from the other end.
            Sign::Negative => to / self.stride % self.length,
        };
        self.add_run(line, first, hops);
    }

    fn add_run(&mut self, line: usize, first: usize, hops: usize) {
        let end = first + hops;
        self.change(line, first, 1);
        if end < self.length {
            self.change(line, end, u64::MAX); // -1
        } else if end > self.length {
            self.change(line, 0, 1);
            self.change(line, end - self.length, u64::MAX);
        }
    }

    fn change(&mut self, line: usize, position: usize, by: u64) {
        let difference = &mut self.differences[line + position * self.stride];
        *difference = difference.wrapping_add(by);
    }

    /// Adds the differences up along every line.
    fn congestion(&mut self) -> Vec<u64> {
        let mut sums = std::mem::take(&mut self.differences);
        for block in sums.chunks_exact_mut(self.stride * self.length) {
            for at in self.stride..block.len() {
                block[at] = block[at].wrapping_add(block[at - self.stride]);
            }
        }
        sums
    }

    /// The two ends of every link, as node indices.
    fn links(&self) -> impl Iterator<Item = (usize, usize)> {
        let (length, stride, block) = (self.length, self.stride, self.stride * self.length);
        let ring = self.machine.extent(self.dimension).is_ring();
        let nodes = usize::try_from(self.machine.node_count()).unwrap_or(usize::MAX);
        (0..nodes).filter_map(move |near| {
            let position = near / stride % length;
            if position + 1 < length {
                Some((near, near + stride))
            } else {
                ring.then_some((near, near + stride - block))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EmbeddingKind, Hypercube, PlacementTable};
    use cubefold_topology::MachineKind;

    fn standard(kind: MachineKind, lengths: &[u64]) -> PlacementMetrics {
        let machine = Machine::new(kind, lengths).unwrap();
        let cube = Hypercube::new(u64::from(machine.node_count().trailing_zeros())).unwrap();
        let placement = Placement::embed(EmbeddingKind::Standard, cube, &machine).unwrap();
        measure(&cube, &placement, TieRule::Direct)
    }

    #[test]
    fn a_square_on_a_line_of_four_by_hand() {
        // Edges 0-1 and 2-3 over one link, 0-2 and 1-3 over two: links carry 2, 2, 2.
        // Node 1 is passed by 0-2, node 2 by 1-3; each node has two edges of its own.
        let metrics = standard(MachineKind::Line, &[4]);
        assert_eq!(metrics.dilation.spectrum, BTreeMap::from([(1, 2), (2, 2)]));
        assert_eq!(metrics.link_congestion, Extremes { min: 2, max: 2, sum: 6, count: 3 });
        assert_eq!(metrics.node_load, Extremes { min: 0, max: 1, sum: 2, count: 4 });
        assert_eq!(metrics.node_congestion, Extremes { min: 2, max: 3, sum: 10, count: 4 });
        assert!(metrics.constant_distances());
    }

    #[test]
    fn empty_nodes_and_odd_lengths_count() {
        // Processes 0 and 1 at both ends of a ring of five, next to each other round the back.
        let ring = Machine::new(MachineKind::Ring, &[5]).unwrap();
        let nodes = vec![NodeId::new(4), NodeId::new(0)];
        let placement = Placement::Table(PlacementTable::new(&ring, nodes).unwrap());
        let metrics = measure(&Hypercube::new(1).unwrap(), &placement, TieRule::Direct);
        assert_eq!(metrics.dilation.total(), 1);
        assert_eq!(metrics.link_congestion, Extremes { min: 0, max: 1, sum: 1, count: 5 });
        assert_eq!(metrics.load, Extremes { min: 0, max: 1, sum: 2, count: 5 });
    }
}
