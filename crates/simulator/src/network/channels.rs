//! Channels and links as places in arrays, and the step along a channel.

use cubefold_topology::{Channel, Direction, Leg, Link, Machine, NodeId, Sign};

use super::Transit;

/// The channels of a machine.
///
/// Channel `(node, direction)` is at `direction * N + node` and the link with near end `node` in
/// dimension `j` at `(j - 1) * N + node`: messages that move the same way from neighbouring nodes touch
/// neighbouring places.
#[derive(Debug, Clone)]
pub(crate) struct Channels {
    nodes: usize,
    directions: Vec<Direction>, // in ascending order
    steps: Vec<Step>,           // one for each direction of a grid
    network: Option<Machine>,   // what is no grid knows its links itself
}

/// How a node's index changes with a step in one direction.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// Add within the bits of the mask, which wraps round: lines that end (all bits) and rings of a
    /// power of two with a power of two before them.
    Masked { add: u32, mask: u32 },
    /// Any other ring: `by` is 1 forward, and one less than the length back.
    Divided { by: u64, stride: u64, length: u64 },
}

impl Channels {
    pub(crate) fn new(machine: &Machine) -> Self {
        let nodes = usize::try_from(machine.node_count()).unwrap_or(usize::MAX);
        let directions: Vec<_> = machine.directions().collect();
        if machine.graph().is_some() {
            return Self { nodes, directions, steps: vec![], network: Some(machine.clone()) };
        }
        let steps = directions.iter().map(|&direction| Step::new(machine, direction)).collect();
        Self { nodes, directions, steps, network: None }
    }

    /// The number of channels' places.
    pub(crate) fn channel_places(&self) -> usize {
        self.nodes * self.directions.len()
    }

    /// The number of links' places.
    pub(crate) fn link_places(&self) -> usize {
        self.channel_places() / 2
    }

    /// The number of directions, `2c`.
    pub(crate) fn direction_count(&self) -> usize {
        self.directions.len()
    }

    /// The place of the channel that `transit` needs or is on.
    #[inline]
    pub(crate) fn channel(&self, transit: &Transit) -> usize {
        transit.direction as usize * self.nodes + transit.node as usize
    }

    /// The place of the link of that channel.
    #[inline]
    pub(crate) fn link(&self, transit: &Transit) -> usize {
        if let Some(machine) = &self.network {
            let direction = self.directions[transit.direction as usize];
            let link = machine.link(Channel { node: NodeId::new(transit.node), direction });
            return link.dimension.index() * self.nodes + link.near.index() as usize;
        }
        let positive = transit.direction.is_multiple_of(2);
        let near = if positive { transit.node } else { self.next(transit) };
        transit.direction as usize / 2 * self.nodes + near as usize
    }

    /// The direction of the channel at a place.
    pub(crate) fn direction_of_channel(&self, channel: usize) -> usize {
        channel / self.nodes
    }

    /// The link at a place.
    pub(crate) fn link_at(&self, link: usize) -> Link {
        let dimension = self.directions[2 * (link / self.nodes)].dimension;
        Link { near: NodeId::new(low_word(link % self.nodes)), dimension }
    }

    /// The node that the channel of `transit` leads to.
    #[inline]
    pub(crate) fn next(&self, transit: &Transit) -> u32 {
        if let Some(machine) = &self.network {
            let direction = self.directions[transit.direction as usize];
            return machine
                .neighbour(NodeId::new(transit.node), direction)
                .map_or(transit.node, NodeId::index);
        }
        self.steps[transit.direction as usize].after(transit.node)
    }

    /// `message` at `node`, about to move along `leg`.
    pub(crate) fn transit(message: u32, node: NodeId, leg: Leg) -> Transit {
        Transit {
            message,
            node: node.index(),
            hops: u32::try_from(leg.hops).unwrap_or(u32::MAX), // a leg is shorter than 2^32
            direction: low_word(leg.direction.index()),
        }
    }
}

impl Step {
    fn new(machine: &Machine, direction: Direction) -> Self {
        let extent = machine.axes()[direction.dimension.index()].extent();
        let (length, stride) = (extent.length(), machine.shape().stride(direction.dimension));
        let word = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        let forward = word(stride);
        let add = match direction.sign {
            Sign::Positive => forward,
            Sign::Negative => forward.wrapping_neg(),
        };
        if !extent.is_ring() {
            return Self::Masked { add, mask: u32::MAX };
        }
        if length.is_power_of_two() && stride.is_power_of_two() {
            return Self::Masked { add, mask: word((length - 1) * stride) };
        }
        let by = match direction.sign {
            Sign::Positive => 1,
            Sign::Negative => length - 1,
        };
        Self::Divided { by, stride, length }
    }

    /// The node one step from `node`. Indices wrap modulo 2^32 on purpose: the sum of an index and a
    /// negative step, and the masked bits of a ring, are right modulo 2^32, and every node is below it.
    #[inline]
    fn after(self, node: u32) -> u32 {
        match self {
            Self::Masked { add, mask } => (node & !mask) | (node.wrapping_add(add) & mask),
            Self::Divided { by, stride, length } => {
                let node = u64::from(node);
                let coordinate = node / stride % length;
                let reached = (coordinate + by) % length;
                u32::try_from(node - coordinate * stride + reached * stride).unwrap_or(u32::MAX)
            }
        }
    }
}

/// An index known to be below 2^32, such as that of a node or a direction.
fn low_word(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
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
        let transit = Channels::transit(0, node, Leg { direction, hops: 1 });
        let Some(neighbour) = machine.neighbour(node, direction) else { return };
        assert_eq!(channels.next(&transit), neighbour.index());
        let link = channels.link(&transit);
        assert_eq!(channels.link_at(link), machine.link(Channel { node, direction }));
    }

    #[test]
    fn the_ends_of_the_largest_machines_wrap_in_32_bits() {
        let ring = Channels::new(&Machine::new(MachineKind::Ring, &[1 << 32]).unwrap());
        let at = |node, direction| Transit { message: 0, node, hops: 1, direction };
        assert_eq!(ring.next(&at(u32::MAX, 0)), 0);
        assert_eq!(ring.next(&at(0, 1)), u32::MAX);
    }
}
