//! The media of one direction: where a message enters, and where it comes out.

use cubefold_topology::{Direction, Machine, Sign};

use super::word::{Layout, Word};

/// One direction of a machine.
///
/// The link with near end `p` in the direction's dimension is at position `p`, whichever way it is
/// crossed: those of a line that a message crosses are a stride apart, but across the wraparound link.
///
/// ```text
/// nodes        0 ── 1 ── 2 ── 3 ── (0)       a ring of 4
/// positions      0    1    2    3
/// ```
#[derive(Debug)]
pub(super) struct Track<W> {
    sign: Sign,
    line: Line,
    /// Added to a position it gives the place of the medium.
    pub(super) base: usize,
    /// What a hop adds to a word.
    pub(super) step: W,
}

/// How nodes follow each other along the dimension.
#[derive(Debug, Clone, Copy)]
struct Line {
    stride: u32,
    last: u32, // the greatest coordinate
    kind: LineKind,
}

#[derive(Debug, Clone, Copy)]
enum LineKind {
    /// No wraparound link.
    Open,
    /// A ring of a power of two with a power of two before it: its coordinate is in the bits of the mask
    /// after a shift.
    Bits { shift: u32 },
    /// Any other ring; its length is below 2^32, which is a power of two.
    Ring { length: u32 },
}

impl<W: Word> Track<W> {
    /// The track of `direction`, whose medium at position 0 is at `base`.
    pub(super) fn new(machine: &Machine, direction: Direction, base: usize, layout: Layout) -> Self {
        let stride = machine.shape().stride(direction.dimension).cast_signed();
        let step = match direction.sign {
            Sign::Positive => stride,
            Sign::Negative => -stride,
        };
        let line = Line::new(machine, direction);
        Self { sign: direction.sign, line, base, step: layout.step(step) }
    }

    /// The position of the first link of a leg of `hops` from `node`, and over how many links the leg goes
    /// before it ends or positions jump.
    pub(super) fn enter(&self, node: u32, hops: u32) -> (u32, u32) {
        let Line { stride, last, .. } = self.line;
        match (self.sign, self.line.coordinate(node)) {
            (Sign::Positive, None) => (node, hops),
            (Sign::Negative, None) => (node - stride, hops),
            (Sign::Positive, Some(coordinate)) => (node, hops.min((last - coordinate).saturating_add(1))),
            (Sign::Negative, Some(0)) => (node + last * stride, hops),
            (Sign::Negative, Some(coordinate)) => (node - stride, hops.min(coordinate)),
        }
    }

    /// The node to which the link at `position` leads.
    pub(super) fn leave(&self, position: u32) -> u32 {
        let Line { stride, last, .. } = self.line;
        match (self.sign, self.line.coordinate(position)) {
            (Sign::Negative, _) => position,
            (Sign::Positive, Some(coordinate)) if coordinate == last => position - last * stride,
            (Sign::Positive, _) => position + stride,
        }
    }
}

impl Line {
    fn new(machine: &Machine, direction: Direction) -> Self {
        let extent = machine.extent(direction.dimension);
        let (length, stride) = (extent.length(), machine.shape().stride(direction.dimension));
        let word = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        let kind = match () {
            () if !extent.is_ring() => LineKind::Open,
            () if length.is_power_of_two() && stride.is_power_of_two() => {
                LineKind::Bits { shift: stride.trailing_zeros() }
            }
            () => LineKind::Ring { length: word(length) },
        };
        Self { stride: word(stride), last: word(length - 1), kind }
    }

    /// The coordinate of a node in a ring.
    fn coordinate(self, node: u32) -> Option<u32> {
        match self.kind {
            LineKind::Open => None,
            LineKind::Bits { shift } => Some(node >> shift & self.last),
            LineKind::Ring { length } => Some(node / self.stride % length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{MachineKind, NodeId, Wrap};

    /// Goes `hops` links on a track, stretch by stretch, and returns the nodes passed.
    fn nodes(track: &Track<u64>, layout: Layout, from: u32, mut hops: u32) -> Vec<u32> {
        let (mut at, mut passed) = (from, vec![]);
        while hops > 0 {
            let (position, links) = track.enter(at, hops);
            let mut word: u64 = layout.word(links, 0, position);
            for _ in 0..links {
                at = track.leave(layout.position(word));
                passed.push(at);
                word = word.plus(track.step);
            }
            hops -= links;
        }
        passed
    }

    #[test]
    fn tracks_lead_where_the_topology_does() {
        let shapes: [&[u64]; 6] = [&[2], &[8], &[7, 4], &[4, 8, 2], &[3, 2, 5], &[4, 3, 8]];
        for (lengths, wrap) in shapes.iter().flat_map(|shape| [(shape, Wrap::Around), (shape, Wrap::Open)]) {
            let machine =
                Machine::with_wraps(MachineKind::Mesh, lengths, &vec![wrap; lengths.len()]).unwrap();
            let layout = Layout::new(machine.node_count(), 1, 7);
            for direction in Direction::all(lengths.len()) {
                let track = Track::new(&machine, direction, 0, layout);
                for node in machine.nodes() {
                    let next = |node: &NodeId| machine.neighbour(*node, direction);
                    // A leg is at most as long as the way to the farthest node.
                    let longest = usize::try_from(machine.extent(direction.dimension).diameter()).unwrap();
                    let walk: Vec<u32> =
                        std::iter::successors(next(&node), next).take(longest).map(NodeId::index).collect();
                    let hops = u32::try_from(walk.len()).unwrap();
                    assert_eq!(nodes(&track, layout, node.index(), hops), walk);
                }
            }
        }
    }

    #[test]
    fn the_ends_of_the_largest_ring_are_neighbours() {
        let machine = Machine::new(MachineKind::Ring, &[1 << 32]).unwrap();
        let layout = Layout::new(1 << 32, 1, 1 << 31);
        let [positive, negative]: [Track<u128>; 2] =
            [0, 1].map(|at| Track::new(&machine, Direction::all(1).nth(at).unwrap(), 0, layout));
        assert_eq!((positive.enter(u32::MAX, 7), positive.leave(u32::MAX)), ((u32::MAX, 1), 0));
        assert_eq!((negative.enter(0, 7), negative.leave(u32::MAX)), ((u32::MAX, 7), u32::MAX));
        assert_eq!(negative.enter(3, 7), (2, 3));
    }
}
