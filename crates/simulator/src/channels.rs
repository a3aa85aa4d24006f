//! Channels and links as places in arrays, and the node at the end of a channel.

use std::sync::Arc;

use cubefold_topology::{Axis, Direction, Displacement, Leg, Link, Machine, Network, NodeId, Sign, narrow};

use crate::slab::Slab;

/// A message at a node, about to move or moving in one direction.
///
/// Sixteen bytes that hold all that a hop needs: lists of them are read and written in order, and
/// nothing else of the message is accessed until its leg ends or its channel is occupied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Transit {
    pub(crate) message: u32,   // the number of the message
    pub(crate) node: u32,      // the node that it is at, or that is transmitting it
    pub(crate) hops: u32,      // the links left in this leg, at least 1
    pub(crate) direction: u32, // the index of the direction of this leg
}

impl Transit {
    /// A message at `node`, about to move along `leg`.
    pub(crate) fn new(message: u32, node: NodeId, leg: Leg) -> Self {
        Self {
            message,
            node: node.index(),
            hops: narrow(leg.hops), // a leg is shorter than 2^32
            direction: narrow(leg.direction.index() as u64),
        }
    }
}

/// The channels of a machine, or on a grid of a slab of it.
///
/// Channel `(node, direction)` is at `direction * N + node` and the link with near end `node` in
/// dimension `j` at `(j - 1) * N + node`: messages that move in one direction from neighbouring
/// nodes access neighbouring places. In a slab, nodes are counted from its first. In a network the channels of a node are side by side, port by
/// port, and a link is where the channel of its end with the lower index is.
#[derive(Debug, Clone)]
pub(crate) struct Channels {
    nodes: usize,               // of the slab
    first: usize,               // the index of the first of them
    directions: Vec<Direction>, // in ascending order
    steps: Steps,
}

/// The steps of channels from node to node.
#[derive(Debug, Clone)]
enum Steps {
    Grid(Vec<Step>), // by direction
    Network(Arc<Network>),
}

/// The change of a node's index with a step in one direction of a grid.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// Addition within the bits of the mask, which wraps around: lines that end (all bits) and
    /// rings of a power of two whose stride is a power of two.
    Masked { add: u32, mask: u32 },
    /// Any other ring.
    Ring(Axis, Displacement),
}

impl Channels {
    pub(crate) fn new(machine: &Machine) -> Self {
        Self::of_slab(machine, &Slab::whole(machine))
    }

    /// The channels that start, and the links with near ends, at the nodes of a slab.
    pub(crate) fn of_slab(machine: &Machine, slab: &Slab) -> Self {
        let place = |node: u64| usize::try_from(node).unwrap_or(usize::MAX);
        let (nodes, first) = (place(slab.node_count()), place(slab.first_node()));
        let directions: Vec<_> = machine.directions().collect();
        let steps = match machine.graph() {
            Some(network) => Steps::Network(Arc::clone(network)),
            None => Steps::Grid(directions.iter().map(|&direction| Step::new(machine, direction)).collect()),
        };
        Self { nodes, first, directions, steps }
    }

    pub(crate) fn channel_places(&self) -> usize {
        match &self.steps {
            Steps::Grid(_) => self.nodes * self.directions.len(),
            Steps::Network(network) => network.channel_ends().len(),
        }
    }

    pub(crate) fn link_places(&self) -> usize {
        match &self.steps {
            Steps::Grid(_) => self.channel_places() / 2,
            Steps::Network(_) => self.channel_places(),
        }
    }

    /// The number of directions, `2c`.
    pub(crate) fn direction_count(&self) -> usize {
        self.directions.len()
    }

    /// The directions, in ascending order.
    pub(crate) fn directions(&self) -> &[Direction] {
        &self.directions
    }

    pub(crate) fn is_network(&self) -> bool {
        matches!(self.steps, Steps::Network(_))
    }

    /// A message on the channel at a place.
    pub(crate) fn transit_at(&self, channel: usize) -> Transit {
        let (direction, node) = match &self.steps {
            Steps::Grid(_) => (channel / self.nodes, channel % self.nodes + self.first),
            Steps::Network(network) => {
                let firsts = network.first_channels();
                let node = firsts.partition_point(|&first| first as usize <= channel) - 1;
                // Links lead forward to the end with the higher index.
                let is_back = (network.channel_ends()[channel].index() as usize) < node;
                (2 * (channel - firsts[node] as usize) + usize::from(is_back), node)
            }
        };
        Transit { message: 0, node: narrow(node as u64), hops: 1, direction: narrow(direction as u64) }
    }

    /// The place of the channel that `transit` needs or occupies.
    #[inline]
    pub(crate) fn channel(&self, transit: &Transit) -> usize {
        match &self.steps {
            Steps::Grid(_) => self.place(transit.direction, transit.node),
            Steps::Network(network) => {
                network.first_channel(transit.node) as usize + transit.direction as usize / 2
            }
        }
    }

    /// The class of the channel that `transit` needs or occupies (`docs/model.md` section 21.5).
    #[inline]
    pub(crate) fn class(&self, transit: &Transit) -> usize {
        match &self.steps {
            Steps::Grid(_) => transit.direction as usize / 2,
            Steps::Network(network) => network.class(self.channel(transit)).into(),
        }
    }

    /// The place of the link of that channel.
    #[inline]
    pub(crate) fn link(&self, transit: &Transit) -> usize {
        if let Steps::Network(network) = &self.steps {
            let channel = self.channel(transit);
            if transit.direction.is_multiple_of(2) || network.is_directed() {
                return channel;
            }
            return network.opposite_channel(NodeId::new(transit.node), transit.direction as usize / 2);
        }
        let positive = transit.direction.is_multiple_of(2);
        let near = if positive { transit.node } else { self.next(transit) };
        self.place(transit.direction / 2, near)
    }

    /// Given a link's place, the place of the queue of the channel that `transit` needs or occupies, among the channels.
    pub(crate) fn queue_of_link(&self, link: usize, transit: &Transit) -> usize {
        match &self.steps {
            Steps::Grid(_) => transit.direction as usize % 2 * self.link_places() + link,
            Steps::Network(_) => self.channel(transit),
        }
    }

    /// The place of a node's entry in lists with one entry per node. A place that exists stays below
    /// the wrap of a 64-bit sum, since memory ends before.
    #[inline]
    fn place(&self, list: u32, node: u32) -> usize {
        (list as usize).wrapping_mul(self.nodes).wrapping_add(node as usize).wrapping_sub(self.first)
    }

    pub(crate) fn class_of_link(&self, link: usize) -> usize {
        match &self.steps {
            Steps::Grid(_) => link / self.nodes,
            // A link is where the channel of one of its ends is.
            Steps::Network(network) => network.class(link).into(),
        }
    }

    pub(crate) fn link_at(&self, link: usize) -> Link {
        if let Steps::Network(network) = &self.steps {
            let firsts = network.first_channels();
            let near = firsts.partition_point(|&first| first as usize <= link) - 1;
            let dimension = self.directions[2 * (link - firsts[near] as usize)].dimension;
            return Link { near: NodeId::new(narrow(near as u64)), dimension };
        }
        let dimension = self.directions[2 * (link / self.nodes)].dimension;
        Link { near: NodeId::new(narrow((link % self.nodes + self.first) as u64)), dimension }
    }

    /// The node that the channel of `transit` leads to.
    #[inline]
    pub(crate) fn next(&self, transit: &Transit) -> u32 {
        match &self.steps {
            Steps::Grid(steps) => steps[transit.direction as usize].after(transit.node),
            Steps::Network(network) => network.channel_ends()[self.channel(transit)].index(),
        }
    }
}

impl Step {
    fn new(machine: &Machine, Direction { dimension, sign }: Direction) -> Self {
        let axis = machine.axes()[dimension.index()];
        let (length, stride) = (axis.length(), machine.shape().stride(dimension));
        let forward = narrow(stride);
        let add = match sign {
            Sign::Positive => forward,
            Sign::Negative => forward.wrapping_neg(),
        };
        if !axis.extent().is_ring() {
            Self::Masked { add, mask: u32::MAX }
        } else if length.is_power_of_two() && stride.is_power_of_two() {
            Self::Masked { add, mask: narrow((length - 1) * stride) }
        } else {
            Self::Ring(axis, Displacement { sign, hops: 1 })
        }
    }

    /// The node one step from `node`. Indices wrap modulo 2^32 on purpose: the sum of an index and
    /// a negative step, and the masked bits of a ring, are right modulo 2^32, and every node is
    /// below it.
    #[inline]
    fn after(&self, node: u32) -> u32 {
        match self {
            Self::Masked { add, mask } => (node & !mask) | (node.wrapping_add(*add) & mask),
            Self::Ring(axis, step) => around(*axis, *step, node),
        }
    }
}

/// The node one step from `node` around a ring.
#[inline(never)] // so that the other steps are compiled into their callers
fn around(axis: Axis, step: Displacement, node: u32) -> u32 {
    axis.after(NodeId::new(node), step).index()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{Channel, MachineKind, Wrap};

    #[test]
    fn steps_equal_the_neighbours_of_the_topology() {
        let shapes: [&[u64]; 5] = [&[2], &[8], &[7, 4], &[4, 8, 2], &[3, 2, 5]];
        for (lengths, wrap) in shapes.iter().flat_map(|shape| [(shape, Wrap::Around), (shape, Wrap::Open)]) {
            let machine =
                Machine::with_wraps(MachineKind::Mesh, lengths, &vec![wrap; lengths.len()]).unwrap();
            let channels = Channels::new(&machine);
            for node in machine.nodes() {
                for direction in Direction::all(lengths.len()) {
                    check_step(&machine, &channels, node, direction);
                }
            }
        }
    }

    fn check_step(machine: &Machine, channels: &Channels, node: NodeId, direction: Direction) {
        let transit = Transit::new(0, node, Leg { direction, hops: 1 });
        let Some(neighbour) = machine.neighbour(node, direction) else { return };
        assert_eq!(channels.next(&transit), neighbour.index());
        let link = channels.link(&transit);
        assert_eq!(channels.link_at(link), machine.link(Channel { node, direction }));
    }

    #[test]
    fn the_channels_and_links_of_a_slab_have_places_of_their_own() {
        let machine = Machine::new(MachineKind::Torus, &[4, 3, 5]).unwrap();
        let slab = Slab::new(12..36);
        let channels = Channels::of_slab(&machine, &slab);
        let (mut begun, mut near, mut queues) = (vec![], vec![], vec![]);
        for node in machine.nodes() {
            for direction in machine.directions() {
                let transit = Transit::new(0, node, Leg { direction, hops: 1 });
                if slab.nodes().contains(&node.index().into()) {
                    begun.push(channels.channel(&transit));
                    assert_eq!(channels.transit_at(channels.channel(&transit)), transit);
                }
                let link = machine.link(Channel { node, direction });
                if slab.nodes().contains(&link.near.index().into()) {
                    let place = channels.link(&transit);
                    assert_eq!(channels.link_at(place), link);
                    near.push(place);
                    queues.push(channels.queue_of_link(place, &transit));
                }
            }
        }
        near.sort_unstable();
        near.dedup();
        for (mut places, count) in [(begun, 24 * 6), (near, 24 * 3), (queues, 24 * 6)] {
            places.sort_unstable();
            assert!(places.into_iter().eq(0..count));
        }
    }

    #[test]
    fn steps_and_links_of_networks_equal_those_of_the_topology() {
        let torus = Machine::new(MachineKind::Torus, &[4, 3]).unwrap();
        let machines = [
            Machine::of_dimensions(MachineKind::DeBruijn, 4).unwrap(),
            torus.with_failures(&[], &[NodeId::new(5)]).unwrap(),
        ];
        for machine in machines {
            let channels = Channels::new(&machine);
            let mut places: Vec<usize> = vec![];
            for node in machine.nodes() {
                for direction in machine.directions() {
                    if machine.neighbour(node, direction).is_some() {
                        check_step(&machine, &channels, node, direction);
                        let transit = Transit::new(0, node, Leg { direction, hops: 1 });
                        let place = channels.channel(&transit);
                        assert_eq!(channels.transit_at(place), transit);
                        places.push(place);
                    }
                }
            }
            assert!(places.into_iter().eq(0..channels.channel_places()));
        }
    }

    #[test]
    fn the_ends_of_the_largest_machines_wrap_in_32_bits() {
        let ring = Channels::new(&Machine::new(MachineKind::Ring, &[1 << 32]).unwrap());
        let at = |node, direction| Transit { message: 0, node, hops: 1, direction };
        assert_eq!(ring.next(&at(u32::MAX, 0)), 0);
        assert_eq!(ring.next(&at(0, 1)), u32::MAX);
    }
}
