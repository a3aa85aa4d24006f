//! The positions of the links of one direction, at which messages enter, and the nodes at which they
//! leave.
//!
//! The links of a dimension whose near ends are in a slab have positions line by line, in whichever
//! direction they are crossed: those of a line follow each other in the order of their near ends.
//!
//! ```text
//! nodes        0 ── 1 ── 2 ── 3 ── (0)       a ring of 4
//! positions      0    1    2    3
//! ```

use cubefold_topology::{Direction, Divisor, Machine, NodeId, Sign, narrow};

use crate::slab::Slab;

/// One direction of a slab of a grid, with the order of nodes along its dimension in the machine and in the slab.
#[derive(Debug)]
pub(super) struct DirectionIndex {
    sign: Sign,
    block: Divisor, // the number of positions of a block
    stride: Divisor,
    length: Divisor,
    step: u64,        // the stride again
    last: u64,        // the greatest coordinate of the machine
    segment: Divisor, // the coordinates of the slab
    width: Divisor,   // the lines side by side in the slab, at most the stride
    first: [u64; 3], // of the slab's first node: that of the coordinates above, its own, and that of those below
}

/// The place at which a message enters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// The number of the block in its dimension.
    pub(super) block: usize,
    /// The position of the first link.
    pub(super) position: u32,
    /// The number of links until its leg ends, it leaves the slab, or positions jump.
    pub(super) links: u32,
}

impl DirectionIndex {
    /// The positions of `direction` in a slab whose blocks have `size` positions each.
    pub(super) fn new(machine: &Machine, slab: &Slab, direction: Direction, size: u64) -> Self {
        let length = machine.axes()[direction.dimension.index()].length();
        let step = machine.shape().stride(direction.dimension);
        let segment = slab.coordinates(machine, direction.dimension);
        let mut index = Self {
            sign: direction.sign,
            block: Divisor::new(size),
            stride: Divisor::new(step),
            length: Divisor::new(length),
            step,
            last: length - 1,
            segment: Divisor::new(segment.end - segment.start),
            width: Divisor::new(step.min(slab.node_count())),
            first: [0; 3],
        };
        index.first = index.divide(slab.first_node());
        index
    }

    /// The entry of a leg of `hops` links from `node`, whose first link is in the slab.
    #[inline]
    pub(super) fn enter(&self, node: u32, hops: u32) -> Entry {
        let [above, coordinate, below] = self.divide(node.into());
        let [first_above, first_coordinate, first_below] = self.first;
        let near = match self.sign {
            Sign::Positive => coordinate,
            Sign::Negative => coordinate.checked_sub(1).unwrap_or(self.last),
        };
        let from_first = near - first_coordinate;
        let (segment, width) = (self.segment.get(), self.width.get());
        let number = (above - first_above) * width + (below - first_below); // of the line
        let position = number * segment + from_first;
        let until_end = match self.sign {
            Sign::Positive => segment - from_first,
            Sign::Negative => from_first + 1,
        };
        let block = self.block.divide(position).0;
        Entry {
            block: usize::try_from(block).unwrap_or(usize::MAX),
            position: narrow(position),
            links: narrow(until_end.min(hops.into())),
        }
    }

    /// The node to which the link at `position` leads.
    #[inline]
    pub(super) fn leave(&self, position: u32) -> NodeId {
        let (number, from_first) = self.segment.divide(position.into());
        let (above, below) = self.width.divide(number);
        let [first_above, first_coordinate, first_below] = self.first;
        let near = first_coordinate + from_first;
        let end = match self.sign {
            Sign::Negative => near,
            Sign::Positive if near == self.last => 0,
            Sign::Positive => near + 1,
        };
        let node = ((above + first_above) * (self.last + 1) + end) * self.step + below + first_below;
        NodeId::new(narrow(node))
    }

    /// The part of a node's index above this dimension, the node's coordinate in it, and the part below.
    #[inline]
    fn divide(&self, node: u64) -> [u64; 3] {
        let (quotient, below) = self.stride.divide(node);
        let (above, coordinate) = self.length.divide(quotient);
        [above, coordinate, below]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{Channel, MachineKind, NodeId, Wrap};

    /// Crosses `hops` links in a direction, stretch by stretch, and returns the nodes passed.
    fn nodes(direction: &DirectionIndex, from: u32, mut hops: u32) -> Vec<u32> {
        let (mut at, mut passed) = (from, vec![]);
        while hops > 0 {
            let Entry { position, links, block } = direction.enter(at, hops);
            for link in 0..links {
                let position = match direction.sign {
                    Sign::Positive => position + link,
                    Sign::Negative => position - link,
                };
                let same = usize::try_from(direction.block.divide(position.into()).0).unwrap();
                assert_eq!(block, same, "a line is in one block");
                at = direction.leave(position).index();
                passed.push(at);
            }
            hops -= links;
        }
        passed
    }

    #[test]
    fn positions_lead_where_the_topology_does() {
        let shapes: [&[u64]; 6] = [&[2], &[8], &[7, 4], &[4, 8, 2], &[3, 2, 5], &[4, 3, 8]];
        for (lengths, wrap) in shapes.iter().flat_map(|shape| [(shape, Wrap::Around), (shape, Wrap::Open)]) {
            let machine =
                Machine::with_wraps(MachineKind::Mesh, lengths, &vec![wrap; lengths.len()]).unwrap();
            for direction in Direction::all(lengths.len()) {
                let extent = machine.axes()[direction.dimension.index()].extent();
                let whole = Slab::whole(&machine);
                let index = DirectionIndex::new(&machine, &whole, direction, 2 * extent.length());
                for node in machine.nodes() {
                    let next = |node: &NodeId| machine.neighbour(*node, direction);
                    // A leg is at most as long as the diameter.
                    let longest = usize::try_from(extent.diameter()).unwrap();
                    let walk: Vec<u32> =
                        std::iter::successors(next(&node), next).take(longest).map(NodeId::index).collect();
                    let hops = u32::try_from(walk.len()).unwrap();
                    assert_eq!(nodes(&index, node.index(), hops), walk);
                }
            }
        }
    }

    #[test]
    fn positions_of_the_links_of_a_line_follow_each_other() {
        let machine = Machine::new(MachineKind::Torus, &[4, 3, 5]).unwrap();
        for direction in Direction::all(3) {
            let index = DirectionIndex::new(&machine, &Slab::whole(&machine), direction, 1 << 32);
            let mut positions: Vec<_> =
                machine.nodes().map(|node| index.enter(node.index(), 1).position).collect();
            for node in machine.nodes() {
                let next = machine.neighbour(node, direction).unwrap();
                let length = u32::try_from(machine.axes()[direction.dimension.index()].length()).unwrap();
                let [here, there] = [node, next].map(|node| positions[node.index() as usize]);
                let step = if direction.sign == Sign::Positive { 1 } else { length - 1 };
                assert_eq!((here / length, (here + step) % length), (there / length, there % length));
            }
            positions.sort_unstable();
            assert!(positions.into_iter().eq(0..60));
        }
    }

    #[test]
    fn the_ends_of_the_largest_ring_are_neighbours() {
        let machine = Machine::new(MachineKind::Ring, &[1 << 32]).unwrap();
        let whole = Slab::whole(&machine);
        let [positive, negative] = [0, 1]
            .map(|at| DirectionIndex::new(&machine, &whole, Direction::all(1).nth(at).unwrap(), 1 << 32));
        let entry = |position, links| Entry { block: 0, position, links };
        assert_eq!(
            (positive.enter(u32::MAX, 7), positive.leave(u32::MAX)),
            (entry(u32::MAX, 1), NodeId::new(0))
        );
        let last = NodeId::new(u32::MAX);
        assert_eq!((negative.enter(0, 7), negative.leave(u32::MAX)), (entry(u32::MAX, 7), last));
        assert_eq!(negative.enter(3, 7), entry(2, 3));
    }

    #[test]
    fn the_links_of_a_slab_have_its_positions_and_lead_out_of_it_at_its_ends() {
        let machine = Machine::new(MachineKind::Torus, &[3, 4, 5]).unwrap();
        // Layers of the third dimension, parts of one layer, and lines of one row.
        for nodes in [0..24, 36..60, 24..30, 39..45, 51..54, 0..60] {
            let slab = Slab::new(nodes.clone());
            for direction in Direction::all(3) {
                let index = DirectionIndex::new(&machine, &slab, direction, 1 << 32);
                let near_end = |node| machine.link(Channel { node, direction }).near;
                let mut positions = vec![];
                for node in machine.nodes() {
                    let near = near_end(node);
                    if !nodes.contains(&near.index().into()) {
                        continue;
                    }
                    let Entry { position, links, .. } = index.enter(node.index(), 2);
                    let next = machine.neighbour(node, direction).unwrap();
                    assert_eq!(index.leave(position), next);
                    if links == 2 {
                        assert!(nodes.contains(&near_end(next).index().into()));
                        assert_eq!(index.enter(next.index(), 1).position.abs_diff(position), 1);
                    }
                    positions.push(position);
                }
                positions.sort_unstable();
                assert!(positions.into_iter().map(u64::from).eq(0..nodes.end - nodes.start));
            }
        }
    }
}
