//! Lower bounds on the time of a collective on one placement (`docs/model.md` section 16,
//! "Bounds", and section 24).
//!
//! No run is below the *bandwidth* bound, the time of the links of a node to carry its data, the *latency*
//! bound, the time of data to cover their distance, nor the *cut* bound, the time of links to carry the data that
//! must cross into or out of a set of nodes. The *steps* bound holds for algorithms that receive, or send, as
//! many messages at a time as this one.

mod latency;
mod required;

use cubefold_derive::Words;
use cubefold_simulator::{Carriers, CutBound, UsableLinks, cut_bound};
use cubefold_topology::{Axis, Channel, Digit, LinkMode, LinkTime, Machine, NodeId, narrow};

use self::required::Required;
use crate::{Collective, Operation, Step, group_algorithm::GroupAlgorithm, schedule::End};

/// The times of the links of a machine. If its links differ by class, the machine has their times.
#[derive(Debug, Clone, Copy)]
pub struct LinkCosts {
    /// The link mode. Single-direction has the bounds of full-duplex.
    pub link_mode: LinkMode,
    /// `u`: the time for which a unit occupies a link \[cycles\].
    pub hop_cycles: u64,
    /// `l`: the time on the wire and in the router \[cycles\].
    pub latency_cycles: u64,
    /// `o`: the time that a message costs at either end \[cycles\].
    pub message_cost: u64,
    /// Whether switches combine data on the way, so that not all of it need arrive at nodes.
    pub switches_reduce: bool,
}

/// The part of the machine that sets the bandwidth bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BandwidthSource {
    /// The units that must enter, or leave, this node.
    Node(NodeId),
    /// The arrivals at all used nodes (Patarasuk & Yuan 2009).
    Arrivals,
    /// The sum of size times distance over all channels.
    Distances,
}

/// The bounds that hold for every algorithm of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words)]
pub enum CollectiveBoundSource {
    /// The bandwidth bound.
    Bandwidth,
    /// The latency bound.
    Latency,
    /// The cut bound.
    Cut,
}

/// The lower bounds of a collective on a placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CollectiveBounds {
    /// The bandwidth bound \[cycles\].
    pub bandwidth_cycles: u64,
    /// The source of the bandwidth bound; `None` if nothing must cross a link.
    pub bandwidth_source: Option<BandwidthSource>,
    /// The latency bound \[cycles\].
    pub latency_cycles: u64,
    /// The largest distance that data must cover \[links\].
    pub distance: u64,
    /// The largest cut bound; `None` if nothing must cross a link.
    pub cut: Option<CutBound>,
    /// The bound of algorithms of this kind from the cost of starting steps \[cycles\].
    pub steps_cycles: u64,
}

impl CollectiveBounds {
    /// Returns the bound that holds for every algorithm: the largest of bandwidth, latency and cut \[cycles\].
    #[must_use]
    pub fn lower_bound_cycles(&self) -> u64 {
        self.bandwidth_cycles.max(self.latency_cycles).max(self.cut_cycles())
    }

    /// Returns the largest cut bound, 0 if there is none \[cycles\].
    #[must_use]
    pub fn cut_cycles(&self) -> u64 {
        self.cut.map_or(0, |cut| cut.cycles)
    }

    /// Returns the largest of the bounds, of equal ones the first of bandwidth, latency and cut; `None` if all are 0.
    #[must_use]
    pub fn lower_bound_source(&self) -> Option<CollectiveBoundSource> {
        match self.lower_bound_cycles() {
            0 => None,
            most if self.bandwidth_cycles == most => Some(CollectiveBoundSource::Bandwidth),
            most if self.latency_cycles == most => Some(CollectiveBoundSource::Latency),
            _ => Some(CollectiveBoundSource::Cut),
        }
    }

    /// Raises the bandwidth bound to this one if that is larger.
    fn offer_bandwidth(&mut self, bound: Option<(u64, BandwidthSource)>) {
        if let Some((cycles, source)) = bound
            && cycles > self.bandwidth_cycles
        {
            (self.bandwidth_cycles, self.bandwidth_source) = (cycles, Some(source));
        }
    }
}

impl Collective {
    /// Returns the lower bounds with rank `r` on node `nodes[r]`.
    ///
    /// # Panics
    ///
    /// If the numbers of nodes and ranks differ, or a node is not in the machine.
    ///
    /// # Complexity
    ///
    /// Time that is linear in the ranks for a collective on all nodes of a grid. Otherwise one distance
    /// for each pair of a rank and a rank whose data must move.
    #[must_use]
    pub fn bounds(&self, machine: &Machine, nodes: &[NodeId], costs: LinkCosts) -> CollectiveBounds {
        assert_eq!(nodes.len() as u64, self.rank_count(), "a node for each rank");
        let mut bounds = CollectiveBounds::default();
        if machine.is_directed() {
            return bounds; // they take links for two channels
        }
        let alike = LinkTime { unit: costs.hop_cycles, latency: costs.latency_cycles };
        let links =
            if costs.switches_reduce { UsableLinks::ALL } else { UsableLinks::on_routes(machine, alike) };
        let required = Required::of(self, nodes);
        for (node, units) in required.by_node(costs.link_mode) {
            let channels = Carriers::of(times_at(machine, costs, links, node).map(|(_, time)| time));
            bounds.offer_bandwidth(
                channels.least_time(units).map(|cycles| (cycles, BandwidthSource::Node(node))),
            );
        }
        let mut computation = 0_u64;
        for step in self.steps() {
            match step {
                Step::Computation(cycles) => computation = computation.saturating_add(*cycles),
                Step::Groups(groups) => {
                    for ranks in groups.ranks_of_groups() {
                        let nodes: Vec<NodeId> = ranks.iter().map(|&rank| nodes[rank as usize]).collect();
                        let placed = PlacedCollective::new(groups.algorithm(), machine, &nodes, costs, links);
                        bounds.add_group(&placed);
                    }
                }
            }
        }
        bounds.steps_cycles = bounds.steps_cycles.saturating_add(computation);
        bounds.latency_cycles = bounds.latency_cycles.saturating_add(computation);
        if self.single().is_none() {
            // The bound of the farthest group holds, too, since a rank also performs all computations.
            let chain = latency::last_of_chain(self, machine, nodes, costs);
            bounds.latency_cycles = chain.unwrap_or(bounds.latency_cycles);
        }
        bounds.cut = cut_bound(machine, costs.link_mode, alike, links, &required.demand());
        bounds
    }
}

impl CollectiveBounds {
    /// Raises the bounds to those of one group with its ranks on these nodes, as if it were alone.
    fn add_group(&mut self, placed: &PlacedCollective<'_>) {
        self.offer_bandwidth(placed.bandwidth_of_all());
        let compute_cycles = placed.collective.specification().compute_cycles;
        let start = u128::from(compute_cycles) + 2 * u128::from(placed.costs.message_cost);
        let latency = placed.least_time().map_or(0, |time| saturate(time + start));
        self.latency_cycles = self.latency_cycles.max(latency);
        self.distance = self.distance.max(placed.distance().unwrap_or(0));
        let steps = saturate(u128::from(placed.least_steps()) * u128::from(compute_cycles));
        self.steps_cycles = self.steps_cycles.max(steps);
    }
}

/// The most pairs of a rank and a link for which bounds look at all pairs of ranks.
const MAX_RANKS_TIMES_LINKS: u64 = 1 << 22;

/// Whether bounds look at all pairs of this number of ranks (`docs/model.md` section 24).
fn looks_at_pairs(machine: &Machine, ranks: u64) -> bool {
    let pairs = match machine.graph() {
        Some(network) if network.has_parallel_links() => {
            network.links().collect::<std::collections::BTreeSet<_>>().len() as u64
        }
        _ => machine.link_count(),
    };
    ranks.saturating_mul(pairs) <= MAX_RANKS_TIMES_LINKS
}

/// Returns the time of a class of links.
fn time_of(machine: &Machine, costs: LinkCosts, class: usize) -> LinkTime {
    let alike = LinkTime { unit: costs.hop_cycles, latency: costs.latency_cycles };
    machine.link_times().map_or(alike, |times| times[class])
}

/// Returns the nodes that channels from a node over these links lead to, and the times of their links.
fn times_at(
    machine: &Machine,
    costs: LinkCosts,
    links: UsableLinks<'_>,
    node: NodeId,
) -> impl Iterator<Item = (NodeId, LinkTime)> {
    let are_alike = machine.link_times().is_none();
    machine.directions().filter_map(move |direction| {
        let other = machine.neighbour(node, direction).filter(|&other| links.contains(node, other))?;
        let class = if are_alike { 0 } else { machine.link_class(Channel { node, direction }) };
        Some((other, time_of(machine, costs, class)))
    })
}
fn saturate(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// An algorithm on a machine.
#[derive(Debug)]
struct PlacedCollective<'a> {
    collective: &'a GroupAlgorithm,
    machine: &'a Machine,
    nodes: &'a [NodeId], // by rank
    costs: LinkCosts,
    links: UsableLinks<'a>,
    own_units: Vec<u64>, // of the blocks of each rank
    used: Vec<NodeId>,   // ascending
}

impl<'a> PlacedCollective<'a> {
    fn new(
        collective: &'a GroupAlgorithm,
        machine: &'a Machine,
        nodes: &'a [NodeId],
        costs: LinkCosts,
        links: UsableLinks<'a>,
    ) -> Self {
        let ranks = 0..narrow(nodes.len() as u64);
        let own_units: Vec<u64> = ranks.map(|rank| collective.units_of_rank(rank)).collect();
        let mut used = nodes.to_vec();
        used.sort_unstable();
        used.dedup();
        Self { collective, machine, nodes, costs, links, own_units, used }
    }

    fn vector_units(&self) -> u64 {
        self.collective.specification().vector_units
    }

    fn is_half_duplex(&self) -> bool {
        self.costs.link_mode == LinkMode::HalfDuplex
    }

    /// Returns the bandwidth bound of all nodes together \[cycles\], if the operation has one.
    fn bandwidth_of_all(&self) -> Option<(u64, BandwidthSource)> {
        match self.collective.operation() {
            Operation::AllToAll => self.distance_sum(),
            Operation::AllReduce if self.costs.switches_reduce => None,
            Operation::AllReduce => self.arrivals(),
            _ => None,
        }
    }

    fn time_of(&self, class: usize) -> LinkTime {
        time_of(self.machine, self.costs, class)
    }

    /// Returns the bound from all arrivals of an all-reduce: `N - 1` of every unit to be combined, `N - 1`
    /// to be known (Patarasuk & Yuan 2009).
    fn arrivals(&self) -> Option<(u64, BandwidthSource)> {
        let is_used = |node: NodeId| self.used.binary_search(&node).is_ok();
        let at_used = self.used.iter().flat_map(|&used| {
            // A link between two used nodes is counted at the greater one.
            let counts = move |other| !self.is_half_duplex() || other < used || !is_used(other);
            let times = times_at(self.machine, self.costs, self.links, used);
            times.filter(move |&(other, _)| counts(other)).map(|(_, time)| time)
        });
        let units = 2 * u128::from(self.vector_units()) * (self.used.len() as u128 - 1);
        Some((Carriers::of(at_used).least_time(units)?, BandwidthSource::Arrivals))
    }

    /// Returns, by coordinate along an axis, the number of ranks, and the units of their blocks.
    fn by_coordinate(&self, axis: &Axis) -> (Vec<u128>, Vec<u128>) {
        let length = narrow(axis.length()) as usize;
        let (mut ranks, mut units) = (vec![0; length], vec![0; length]);
        for (node, &own_units) in self.nodes.iter().zip(&self.own_units) {
            let at = axis.digit().position(node.index()) as usize;
            ranks[at] += 1;
            units[at] += u128::from(own_units);
        }
        (ranks, units)
    }

    /// Returns the bound from size times distance of all messages of an all-to-all over all channels.
    fn distance_sum(&self) -> Option<(u64, BandwidthSource)> {
        let sum = match self.machine.graph() {
            None => self.machine.axes().iter().map(|axis| self.distance_sum_along(axis)).sum(),
            Some(_) if !self.looks_at_pairs() => return None,
            Some(network) => {
                let to_node = |(&to, &own_units): (&NodeId, &u64)| {
                    let distances = network.fewest_links_to(to);
                    let links = self.nodes.iter().filter_map(|from| distances[from.index() as usize]);
                    links.map(u128::from).sum::<u128>() * u128::from(own_units)
                };
                self.nodes.iter().zip(&self.own_units).map(to_node).sum()
            }
        };
        let carriers = self.all_channels();
        Some((carriers.least_time(sum)?, BandwidthSource::Distances))
    }

    /// Returns all channels of the machine, under half-duplex its links.
    fn all_channels(&self) -> Carriers {
        let directions = if self.is_half_duplex() { 1 } else { 2 };
        let links: Vec<(usize, u64)> = match (self.machine.link_times(), self.machine.graph()) {
            (None, Some(network)) if !self.links.is_all() => {
                let usable = network.links().filter(|&(one, other)| self.links.contains(one, other));
                vec![(0, usable.count() as u64)]
            }
            (None, _) => vec![(0, self.machine.link_count())],
            (Some(_), None) => {
                let lines = |axis: &Axis| self.machine.node_count() / axis.length();
                let axes = self.machine.axes().iter();
                axes.map(|axis| lines(axis) * axis.extent().links()).enumerate().collect()
            }
            (Some(times), Some(network)) => {
                let mut counts = vec![0; times.len()];
                for (one, other) in network.links().filter(|&(one, other)| self.links.contains(one, other)) {
                    counts[usize::from(network.class_between(one, other))] += 1;
                }
                counts.into_iter().enumerate().collect()
            }
        };
        let carriers = links.into_iter().map(|(class, count)| (self.time_of(class), directions * count));
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

    /// Returns the largest distance that data must cover \[links\]; `None` if no data must go from one rank
    /// to another.
    fn distance(&self) -> Option<u64> {
        self.farthest(&Self::greatest_distance, &Self::greatest_distance_to)
    }

    /// Returns the least time in which a unit covers the distance of the data \[cycles\]: the least sum of `l + u` over
    /// any path, since ranks may relay; `None` if no data must go from one rank to another.
    fn least_time(&self) -> Option<u128> {
        if self.machine.link_times().is_none() {
            return Some(u128::from(self.distance()?) * u128::from(self.time_of(0).first_unit()));
        }
        let among = |algorithm: &Self, ends: &[NodeId]| {
            algorithm.greatest_from(ends, &|end, from| algorithm.greatest_sum_to(end, from))
        };
        self.farthest(&among, &Self::greatest_sum_to).map(u128::from)
    }

    /// Returns the greatest least sum of `l + u` from nodes to one; `None` if there are no nodes.
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

    /// Returns the distance that data must cover, given the greatest distance between any rank and one of some nodes,
    /// and the greatest from some nodes to one; `None` if no data must go from one rank to another.
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

    /// Whether all pairs of ranks are looked at (`docs/model.md` section 24).
    fn looks_at_pairs(&self) -> bool {
        looks_at_pairs(self.machine, self.nodes.len() as u64)
    }

    /// Returns the greatest distance, in a given measure, between any rank and one of these nodes; on large machines the
    /// length of two sweeps: from rank 0 to the farthest of these nodes, and from there.
    fn greatest_from(
        &self,
        ends: &[NodeId],
        greatest_to: &dyn Fn(NodeId, &[NodeId]) -> Option<u64>,
    ) -> Option<u64> {
        if self.looks_at_pairs() {
            return ends.iter().filter_map(|&end| greatest_to(end, self.nodes)).max();
        }
        let first = *self.nodes.first()?;
        let far = if self.machine.graph().is_some() {
            // One search gives all distances.
            self.farthest_of(first, ends)?
        } else {
            let distance = |end: &NodeId| greatest_to(*end, &[first]);
            let most = ends.iter().filter_map(distance).max()?;
            *ends.iter().find(|end| distance(end) == Some(most))?
        };
        greatest_to(far, self.nodes)
    }

    /// Returns the first of some nodes that are farthest from one, by one search of a graph.
    fn farthest_of(&self, first: NodeId, ends: &[NodeId]) -> Option<NodeId> {
        let network = self.machine.graph()?;
        let distances: Vec<Option<u64>> = match self.machine.link_times() {
            Some(times) => network.least_sums_to(first, times),
            None => {
                network.fewest_links_to(first).into_iter().map(|distance| distance.map(u64::from)).collect()
            }
        };
        let distance = |end: &NodeId| distances[end.index() as usize];
        let most = ends.iter().filter_map(distance).max()?;
        ends.iter().copied().find(|end| distance(end) == Some(most))
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
        self.greatest_from(ends, &|end, from| self.greatest_distance_to(end, from))
    }

    /// Returns the greatest distance of nodes to one; `None` if there are no nodes.
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
