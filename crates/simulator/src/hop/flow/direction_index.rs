//! The positions of the links of one direction: where a message enters, and the node at which it
//! leaves.
//!
//! The links of a dimension have positions line by line, in whichever direction they are crossed:
//! those of a line follow each other in the order of their near ends.
//!
//! ```text
//! nodes        0 ── 1 ── 2 ── 3 ── (0)       a ring of 4
//! positions      0    1    2    3
//! ```

use cubefold_topology::{Direction, Divisor, Machine, Sign, narrow};

/// One direction of a grid.
#[derive(Debug)]
pub(super) struct DirectionIndex {
    sign: Sign,
    line: Line,
    block: Divisor, // the number of positions of a block
}

/// How nodes follow each other along the dimension.
#[derive(Debug, Clone, Copy)]
struct Line {
    length: Divisor,
    stride: Divisor,
    step: u64, // the stride again
    last: u32, // the greatest coordinate
    is_ring: bool,
}

/// Where a message enters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// The number of the block in its dimension.
    pub(super) block: usize,
    /// The position of the first link.
    pub(super) position: u32,
    /// The number of links until its leg ends or positions jump.
    pub(super) links: u32,
}

impl DirectionIndex {
    /// The positions of `direction`, whose blocks have `size` positions each.
    pub(super) fn new(machine: &Machine, direction: Direction, size: u64) -> Self {
        let line = Line::new(machine, direction);
        Self { sign: direction.sign, line, block: Divisor::new(size) }
    }

    /// The entry of a leg of `hops` links from `node`.
    pub(super) fn enter(&self, node: u32, hops: u32) -> Entry {
        let Line { last, is_ring, .. } = self.line;
        let (first, coordinate) = self.line.place(node);
        let (step, until_jump) = match self.sign {
            Sign::Positive => (coordinate, (last - coordinate).saturating_add(1)),
            Sign::Negative if coordinate == 0 => (last, u32::MAX),
            Sign::Negative => (coordinate - 1, coordinate),
        };
        let position = first + step;
        let block = self.block.divide(position.into()).0;
        Entry {
            block: usize::try_from(block).unwrap_or(usize::MAX),
            position,
            links: if is_ring { hops.min(until_jump) } else { hops },
        }
    }

    /// The node to which the link at `position` leads.
    pub(super) fn leave(&self, position: u32) -> u32 {
        let line = &self.line;
        let (quotient, coordinate) = line.length.divide(position.into());
        let (_, below) = line.stride.divide(quotient);
        let end = match self.sign {
            Sign::Negative => coordinate,
            Sign::Positive if coordinate == u64::from(line.last) => 0,
            Sign::Positive => coordinate + 1,
        };
        let length = u64::from(line.last) + 1;
        narrow(u64::from(position) - coordinate - below * length + end * line.step + below)
    }
}

impl Line {
    fn new(machine: &Machine, direction: Direction) -> Self {
        let extent = machine.axes()[direction.dimension.index()].extent();
        let stride = machine.shape().stride(direction.dimension);
        Self {
            length: Divisor::new(extent.length()),
            stride: Divisor::new(stride),
            step: stride,
            last: narrow(extent.length() - 1),
            is_ring: extent.is_ring(),
        }
    }

    /// The first position of a node's line, and its coordinate on it.
    fn place(self, node: u32) -> (u32, u32) {
        let (quotient, below) = self.stride.divide(node.into());
        let (_, coordinate) = self.length.divide(quotient);
        let first = u64::from(node) - below - coordinate * self.step;
        let length = u64::from(self.last) + 1;
        (narrow(first + below * length), narrow(coordinate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{MachineKind, NodeId, Wrap};

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
                at = direction.leave(position);
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
                let index = DirectionIndex::new(&machine, direction, 2 * extent.length());
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
            let index = DirectionIndex::new(&machine, direction, 1 << 32);
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
        let [positive, negative] =
            [0, 1].map(|at| DirectionIndex::new(&machine, Direction::all(1).nth(at).unwrap(), 1 << 32));
        let entry = |position, links| Entry { block: 0, position, links };
        assert_eq!((positive.enter(u32::MAX, 7), positive.leave(u32::MAX)), (entry(u32::MAX, 1), 0));
        assert_eq!((negative.enter(0, 7), negative.leave(u32::MAX)), (entry(u32::MAX, 7), u32::MAX));
        assert_eq!(negative.enter(3, 7), entry(2, 3));
    }
}
