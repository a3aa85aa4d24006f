//! Lower bounds on the time of a collective on one placement (`docs/model.md` section 16,
//! "Bounds").
//!
//! No run is below the *bandwidth* bound, the time of links to carry the data, nor below the *latency*
//! bound, the time of data to go the largest distance. The *steps* bound holds for algorithms that
//! receive, or send, as many messages at a time as this one.

mod carriers;

use cubefold_topology::{Axis, Channel, Digit, HostDimension, LinkMode, LinkTime, Machine, NodeId, narrow};

use self::carriers::Carriers;
use crate::{Operation, group_algorithm::GroupAlgorithm, schedule::End};

/// The longest ring of which every arc is a cut; of longer ones only the arcs of half the length are.
const MAX_LENGTH_OF_ALL_CUTS: u32 = 1024;

/// The times of the links of a machine; those of a machine whose links differ, by class, are its own.
#[derive(Debug, Clone, Copy)]
pub struct LinkCosts {
    /// The link mode. Single-direction has the bounds of full-duplex.
    pub link_mode: LinkMode,
    /// `u`: the time for which a unit occupies a link \[cycles\].
    pub hop_cycles: u64,
    /// `l`: the time on the wire and in the router \[cycles\].
    pub latency_cycles: u64,
}

/// The part of the machine that sets the bandwidth bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BandwidthSource {
    /// The units that must enter, or leave, this node.
    Node(NodeId),
    /// The arrivals at all used nodes (Patarasuk & Yuan 2009).
    Arrivals,
    /// The units that cross the two ends of `length` coordinates of a dimension from `first` on; in a mesh
    /// the upper end only.
    Cut {
        /// The dimension.
        dimension: HostDimension,
        /// The first coordinate.
        first: u32,
        /// The number of coordinates.
        length: u32,
    },
    /// The sum of size times distance over all channels.
    Distances,
}

/// The bounds that hold for every algorithm of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CollectiveBoundSource {
    /// The bandwidth bound.
    Bandwidth,
    /// The latency bound.
    Latency,
}

impl CollectiveBoundSource {
    /// Returns the name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bandwidth => "bandwidth",
            Self::Latency => "latency",
        }
    }
}

/// The lower bounds of a collective on a placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CollectiveBounds {
    /// The bandwidth bound \[cycles\].
    pub bandwidth_cycles: u64,
    /// The source of the bandwidth bound; none if nothing must cross a link.
    pub bandwidth_source: Option<BandwidthSource>,
    /// The latency bound \[cycles\].
    pub latency_cycles: u64,
    /// The largest distance that data must go \[links\].
    pub distance: u64,
    /// The bound of algorithms of this kind from the cost of starting steps \[cycles\].
    pub steps_cycles: u64,
}

impl CollectiveBounds {
    /// Returns the bound that holds for every algorithm: the larger of bandwidth and latency \[cycles\].
    #[must_use]
    pub fn lower_bound_cycles(&self) -> u64 {
        self.bandwidth_cycles.max(self.latency_cycles)
    }

    /// Returns the larger of the bounds, bandwidth if both are equal; none if both are 0.
    #[must_use]
    pub fn lower_bound_source(&self) -> Option<CollectiveBoundSource> {
        match (self.bandwidth_cycles, self.latency_cycles) {
            (0, 0) => None,
            (bandwidth, latency) if bandwidth >= latency => Some(CollectiveBoundSource::Bandwidth),
            _ => Some(CollectiveBoundSource::Latency),
        }
    }

    /// Returns the bounds of a run in which every rank also computes for `cycles` before or after.
    #[must_use]
    pub(crate) fn after(self, cycles: u64) -> Self {
        Self {
            bandwidth_cycles: self.bandwidth_cycles.saturating_add(cycles),
            latency_cycles: self.latency_cycles.saturating_add(cycles),
            steps_cycles: self.steps_cycles.saturating_add(cycles),
            ..self
        }
    }

    /// Returns the larger of each of the bounds.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        let key = |own: &Self| (own.bandwidth_cycles, own.bandwidth_source.is_some());
        let bandwidth = if key(&other) > key(&self) { other } else { self };
        Self {
            bandwidth_cycles: bandwidth.bandwidth_cycles,
            bandwidth_source: bandwidth.bandwidth_source,
            latency_cycles: self.latency_cycles.max(other.latency_cycles),
            distance: self.distance.max(other.distance),
            steps_cycles: self.steps_cycles.max(other.steps_cycles),
        }
    }
}

impl GroupAlgorithm {
    /// Returns the lower bounds with rank `r` on node `nodes[r]`.
    ///
    /// # Panics
    ///
    /// When there are not as many nodes as ranks, or a node is none of the machine's.
    ///
    /// # Complexity
    ///
    /// Time that is linear in the ranks for a collective on all nodes of a grid. Else, one distance
    /// for each pair of a rank and a rank with data that goes anywhere.
    pub(crate) fn bounds(&self, machine: &Machine, nodes: &[NodeId], costs: LinkCosts) -> CollectiveBounds {
        assert_eq!(nodes.len(), self.rank_count() as usize, "a node for each rank");
        let placed = PlacedCollective::new(self, machine, nodes, costs);
        let bandwidth = placed.bandwidth();
        let distance = placed.distance();
        let compute_cycles = self.specification().compute_cycles;
        CollectiveBounds {
            bandwidth_cycles: bandwidth.map_or(0, |(cycles, _)| cycles),
            bandwidth_source: bandwidth.map(|(_, source)| source),
            latency_cycles: placed.least_time().map_or(0, |time| saturate(time + u128::from(compute_cycles))),
            distance: distance.unwrap_or(0),
            steps_cycles: saturate(u128::from(placed.least_steps()) * u128::from(compute_cycles)),
        }
    }
}

fn saturate(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// A used node.
#[derive(Debug, Clone, Copy)]
struct UsedNode {
    node: NodeId,
    units: u64, // of the blocks of its ranks
    has_root: bool,
}

/// An algorithm on a machine.
#[derive(Debug)]
struct PlacedCollective<'a> {
    collective: &'a GroupAlgorithm,
    machine: &'a Machine,
    nodes: &'a [NodeId], // by rank
    costs: LinkCosts,
    own_units: Vec<u64>, // of the blocks of each rank
    used: Vec<UsedNode>, // ascending
}

impl<'a> PlacedCollective<'a> {
    fn new(
        collective: &'a GroupAlgorithm,
        machine: &'a Machine,
        nodes: &'a [NodeId],
        costs: LinkCosts,
    ) -> Self {
        let block = |rank: u32| {
            (0..collective.share_count()).map(|share| collective.units_of_rank(share, rank)).sum()
        };
        let own_units: Vec<u64> = (0..narrow(nodes.len() as u64)).map(block).collect();
        let root = collective.specification().root;
        let ranks = (0..).zip(nodes.iter().zip(&own_units));
        let mut ranks: Vec<UsedNode> =
            ranks.map(|(rank, (&node, &units))| UsedNode { node, units, has_root: rank == root }).collect();
        ranks.sort_unstable_by_key(|used| used.node);
        ranks.dedup_by(|next, used| {
            let is_same = next.node == used.node;
            if is_same {
                used.units += next.units;
                used.has_root |= next.has_root;
            }
            is_same
        });
        Self { collective, machine, nodes, costs, own_units, used: ranks }
    }

    fn vector_units(&self) -> u64 {
        self.collective.specification().vector_units
    }

    fn is_half_duplex(&self) -> bool {
        self.costs.link_mode == LinkMode::HalfDuplex
    }

    /// Returns the largest bandwidth bound \[cycles\], if anything must cross a link; the first of equal
    /// ones.
    fn bandwidth(&self) -> Option<(u64, BandwidthSource)> {
        let mut bounds = Vec::new();
        match self.collective.operation() {
            Operation::Barrier => {}
            Operation::AllToAll => {
                bounds.extend(self.machine.grid().into_iter().flat_map(|grid| self.cuts(grid.axes())));
                bounds.extend(self.distance_sum());
            }
            operation => {
                bounds.extend(self.used.iter().filter_map(|used| self.node_bound(used)));
                if operation == Operation::AllReduce {
                    bounds.extend(self.arrivals());
                }
            }
        }
        bounds.into_iter().rev().max_by_key(|&(cycles, _)| cycles)
    }

    /// Returns the time of a class of links.
    fn time_of(&self, class: usize) -> LinkTime {
        let LinkCosts { hop_cycles, latency_cycles, .. } = self.costs;
        let alike = LinkTime { unit: hop_cycles, latency: latency_cycles };
        self.machine.link_times().map_or(alike, |times| times[class])
    }

    /// Returns the time of the link of a channel.
    fn time_over(&self, channel: Channel) -> LinkTime {
        let are_alike = self.machine.link_times().is_none();
        self.time_of(if are_alike { 0 } else { self.machine.link_class(channel) })
    }

    /// Returns the times of the channels that begin at a node; under half-duplex of its links.
    fn times_at(&self, node: NodeId) -> impl Iterator<Item = (NodeId, LinkTime)> {
        self.machine.directions().filter_map(move |direction| {
            let other = self.machine.neighbour(node, direction)?;
            Some((other, self.time_over(Channel { node, direction })))
        })
    }

    /// Returns the bound from the units that enter or leave a node.
    fn node_bound(&self, used: &UsedNode) -> Option<(u64, BandwidthSource)> {
        let (all, own) = (u128::from(self.vector_units()), u128::from(used.units));
        let units = match self.collective.operation() {
            _ if self.used.len() == 1 => 0,
            Operation::AllReduce if self.is_half_duplex() => 2 * all,
            Operation::AllReduce | Operation::Broadcast | Operation::Reduce => all,
            Operation::ReduceScatter | Operation::AllGather => all - own,
            Operation::Scatter | Operation::Gather if used.has_root => all - own,
            Operation::Scatter | Operation::Gather => own,
            Operation::AllToAll | Operation::Barrier => 0,
        };
        let channels = Carriers::of(self.times_at(used.node).map(|(_, time)| time));
        Some((channels.least_time(units)?, BandwidthSource::Node(used.node)))
    }

    /// Returns the bound from all arrivals of an all-reduce: `N - 1` of every unit to be combined, `N - 1`
    /// to be known (Patarasuk & Yuan 2009).
    fn arrivals(&self) -> Option<(u64, BandwidthSource)> {
        let is_used = |node: NodeId| self.used.binary_search_by_key(&node, |used| used.node).is_ok();
        let at_used = self.used.iter().flat_map(|used| {
            // A link between two used nodes is counted at the greater one.
            let counts = move |other| !self.is_half_duplex() || other < used.node || !is_used(other);
            self.times_at(used.node).filter(move |&(other, _)| counts(other)).map(|(_, time)| time)
        });
        let units = 2 * u128::from(self.vector_units()) * (self.used.len() as u128 - 1);
        Some((Carriers::of(at_used).least_time(units)?, BandwidthSource::Arrivals))
    }

    /// Returns the bounds from the cuts of every dimension in an all-to-all.
    fn cuts(&self, axes: &[Axis]) -> Vec<(u64, BandwidthSource)> {
        let dimensions = HostDimension::first(axes.len());
        axes.iter().zip(dimensions).flat_map(|(axis, dimension)| self.cuts_of(axis, dimension)).collect()
    }

    fn cuts_of(&self, axis: &Axis, dimension: HostDimension) -> Vec<(u64, BandwidthSource)> {
        let length = narrow(axis.length());
        let (ranks, units) = self.by_coordinate(axis);
        let lines = self.machine.node_count() / axis.length();
        let time = LinkTime { latency: 0, ..self.time_of(dimension.index()) };
        let (first_coordinates, ends) = if axis.extent().is_ring() { (length, 2) } else { (1, 1) };
        let lengths =
            if first_coordinates > MAX_LENGTH_OF_ALL_CUTS { length / 2..length / 2 + 1 } else { 1..length };
        let (all_ranks, all_units) = (ranks.iter().sum::<u128>(), units.iter().sum::<u128>());
        let mut bounds = Vec::new();
        for first in 0..first_coordinates {
            let (mut ranks_inside, mut units_inside) = (0, 0);
            for cut in 1..lengths.end {
                let last = narrow((u64::from(first) + u64::from(cut) - 1) % u64::from(length));
                ranks_inside += ranks[last as usize];
                units_inside += units[last as usize];
                if cut < lengths.start {
                    continue;
                }
                let (out, into) =
                    (ranks_inside * (all_units - units_inside), (all_ranks - ranks_inside) * units_inside);
                let crossing = if self.is_half_duplex() { out + into } else { out.max(into) };
                let source = BandwidthSource::Cut { dimension, first, length: cut };
                let carriers = Carriers::new(vec![(time, ends * lines)]);
                bounds.extend(carriers.least_time(crossing).map(|cycles| (cycles, source)));
            }
        }
        bounds
    }

    /// Returns, by coordinate along an axis, the number of ranks, and the units of their blocks.
    fn by_coordinate(&self, axis: &Axis) -> (Vec<u128>, Vec<u128>) {
        let length = narrow(axis.length()) as usize;
        let (mut ranks, mut units) = (vec![0; length], vec![0; length]);
        for (node, &own) in self.nodes.iter().zip(&self.own_units) {
            let at = axis.digit().position(node.index()) as usize;
            ranks[at] += 1;
            units[at] += u128::from(own);
        }
        (ranks, units)
    }

    /// Returns the bound from size times distance of all messages of an all-to-all over all channels.
    fn distance_sum(&self) -> Option<(u64, BandwidthSource)> {
        let sum = match self.machine.graph() {
            None => self.machine.axes().iter().map(|axis| self.distance_sum_along(axis)).sum(),
            Some(network) => {
                let to_node = |(&to, &own): (&NodeId, &u64)| {
                    let distances = network.fewest_links_to(to);
                    let links = self.nodes.iter().filter_map(|from| distances[from.index() as usize]);
                    links.map(u128::from).sum::<u128>() * u128::from(own)
                };
                self.nodes.iter().zip(&self.own_units).map(to_node).sum()
            }
        };
        let carriers = self.all_channels();
        Some((carriers.least_time(sum)?, BandwidthSource::Distances))
    }

    /// Returns all channels of the machine, under half-duplex its links, without their latencies.
    fn all_channels(&self) -> Carriers {
        let directions = if self.is_half_duplex() { 1 } else { 2 };
        let links: Vec<(usize, u64)> = match (self.machine.link_times(), self.machine.graph()) {
            (None, _) => vec![(0, self.machine.link_count())],
            (Some(_), None) => {
                let lines = |axis: &Axis| self.machine.node_count() / axis.length();
                let axes = self.machine.axes().iter();
                axes.map(|axis| lines(axis) * axis.extent().links()).enumerate().collect()
            }
            (Some(times), Some(network)) => {
                let mut counts = vec![0; times.len()];
                for (one, other) in network.links() {
                    counts[usize::from(network.class_between(one, other))] += 1;
                }
                counts.into_iter().enumerate().collect()
            }
        };
        let carriers = links
            .into_iter()
            .map(|(class, count)| (LinkTime { latency: 0, ..self.time_of(class) }, directions * count));
        Carriers::new(carriers.collect())
    }

    fn distance_sum_along(&self, axis: &Axis) -> u128 {
        let (ranks, units) = self.by_coordinate(axis);
        let (from, to) = ((0..).zip(&ranks), (0..).zip(&units));
        from.filter(|&(_, &count)| count > 0)
            .map(|(a, &count)| {
                let to = to.clone();
                to.map(|(b, &units)| count * units * u128::from(axis.extent().distance(a, b))).sum::<u128>()
            })
            .sum()
    }

    /// Returns the largest distance that data must go \[links\]; none if no data must go from one rank
    /// to another.
    fn distance(&self) -> Option<u64> {
        self.farthest(&Self::greatest_distance, &Self::greatest_distance_to)
    }

    /// Returns the least time in which a unit goes as far as data must \[cycles\]: the least sum of `l + u` over any
    /// path, since ranks may relay; none if no data must go from one rank to another.
    fn least_time(&self) -> Option<u128> {
        if self.machine.link_times().is_none() {
            return Some(u128::from(self.distance()?) * u128::from(self.time_of(0).first_unit()));
        }
        let among = |own: &Self, ends: &[NodeId]| {
            ends.iter().filter_map(|&end| own.greatest_sum_to(end, own.nodes)).max()
        };
        self.farthest(&among, &Self::greatest_sum_to).map(u128::from)
    }

    /// Returns the greatest least sum of `l + u` from nodes to one; none if there are no nodes.
    fn greatest_sum_to(&self, end: NodeId, from: &[NodeId]) -> Option<u64> {
        let times = self.machine.link_times()?;
        match self.machine.graph() {
            None => {
                // Every path crosses at least as many links of each dimension.
                let along = |node| {
                    move |(axis, time): (&Axis, &LinkTime)| {
                        axis.distance(node, end).saturating_mul(time.first_unit())
                    }
                };
                let axes = || self.machine.axes().iter().zip(times);
                from.iter().map(|&node| axes().map(along(node)).fold(0, u64::saturating_add)).max()
            }
            Some(network) => {
                let sums = network.least_sums_to(end, times);
                from.iter().filter_map(|node| sums[node.index() as usize]).max()
            }
        }
    }

    /// Returns how far data must go, given the greatest distance between any rank and one of some nodes, and that from
    /// some nodes to one; none if no data must go from one rank to another.
    fn farthest(
        &self,
        among: &dyn Fn(&Self, &[NodeId]) -> Option<u64>,
        to: &dyn Fn(&Self, NodeId, &[NodeId]) -> Option<u64>,
    ) -> Option<u64> {
        let root_rank = self.collective.specification().root;
        let root = || self.nodes[root_rank as usize];
        let with_blocks = |is_end: fn(u32, u32) -> bool| -> Vec<NodeId> {
            let ranks = (0..).zip(self.nodes.iter().zip(&self.own_units));
            let ends = ranks.filter(|&(rank, (_, &units))| units > 0 && is_end(rank, root_rank));
            ends.map(|(_, (&node, _))| node).collect()
        };
        let is_empty = self.vector_units() == 0;
        match self.collective.operation() {
            Operation::Barrier => among(self, self.nodes),
            _ if is_empty => None,
            Operation::AllReduce => among(self, self.nodes),
            Operation::ReduceScatter | Operation::AllGather | Operation::AllToAll => {
                among(self, &with_blocks(|_, _| true))
            }
            Operation::Broadcast | Operation::Reduce => to(self, root(), self.nodes),
            Operation::Scatter | Operation::Gather => {
                let others = with_blocks(|rank, root| rank != root);
                to(self, root(), &others)
            }
        }
    }

    /// Returns the greatest distance between any rank and one of these nodes.
    fn greatest_distance(&self, ends: &[NodeId]) -> Option<u64> {
        let covers_grid =
            self.machine.grid().is_some() && self.used.len() as u64 == self.machine.node_count();
        if covers_grid {
            let farthest = |&end: &NodeId| -> u64 {
                self.machine.axes().iter().map(|axis| eccentricity(axis, end)).sum()
            };
            return ends.iter().map(farthest).max();
        }
        ends.iter().filter_map(|&end| self.greatest_distance_to(end, self.nodes)).max()
    }

    /// Returns the greatest distance of nodes to one; none if there are no nodes.
    fn greatest_distance_to(&self, end: NodeId, from: &[NodeId]) -> Option<u64> {
        match self.machine.graph() {
            None => from.iter().map(|&node| self.machine.distance(node, end)).max(),
            Some(network) => {
                let distances = network.fewest_links_to(end);
                from.iter().filter_map(|node| distances[node.index() as usize]).map(u64::from).max()
            }
        }
    }

    /// Returns `ceil(log_(p+1) P)`: the fewest steps after which a result can depend on `P` processes,
    /// with `p` messages at a time.
    fn least_steps(&self) -> u32 {
        let operation = self.collective.operation();
        let messages = match operation {
            Operation::Broadcast | Operation::Scatter => self.collective.max_between_ranks(End::Source),
            _ => self.collective.max_between_ranks(End::Destination),
        } as u64;
        let processes = match operation {
            Operation::AllGather | Operation::Gather | Operation::Scatter => {
                self.own_units.iter().filter(|&&units| units > 0).count() as u64
            }
            Operation::Barrier => self.nodes.len() as u64,
            _ if self.vector_units() == 0 => 0,
            _ => self.nodes.len() as u64,
        };
        let (mut steps, mut reached) = (0, 1);
        while reached < processes {
            reached *= messages + 1;
            steps += 1;
        }
        steps
    }
}

/// Returns the greatest distance along an axis from a node to any other.
fn eccentricity(axis: &Axis, node: NodeId) -> u64 {
    if axis.extent().is_ring() {
        return axis.length() / 2;
    }
    let position = u64::from(axis.digit().position(node.index()));
    position.max(axis.length() - 1 - position)
}

#[cfg(test)]
mod tests;
