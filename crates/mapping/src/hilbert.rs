//! The order of a Hilbert curve: nodes that follow one another are near each other.
//!
//! Skilling 2004, "Programming the Hilbert curve", `AxestoTranspose`. The shortest side is `X[0]`, sides of one length come in the order of
//! their dimensions, and all coordinates have as many bits as the longest side needs (`docs/model.md` section 22).

use cubefold_topology::{HostDimension, Machine, NodeId, Shape, narrow};

/// Orders nodes of a machine along a Hilbert curve through its coordinates; without coordinates by their numbers.
#[must_use]
pub fn hilbert_order(machine: &Machine, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut ordered = nodes.to_vec();
    let Some(grid) = machine.coordinate_grid() else {
        ordered.sort_unstable();
        return ordered;
    };
    let curve = Curve::new(grid.shape());
    ordered.sort_by_cached_key(|&node| {
        let coordinates = curve.axes.iter().map(|&axis| curve.shape.coordinate(node, axis)).collect();
        curve_digits(coordinates, curve.bits)
    });
    ordered
}

/// The most dimensions of a machine whose nodes are found along the curve: a step looks at a cube of 2 in each.
const MAX_WALKED: usize = 8;

/// The first `count` hosts of a machine along that curve, or all if there are fewer. Up to 8 dimensions, time and memory
/// grow with `count`, whatever the size of the machine.
#[must_use]
pub fn first_in_hilbert_order(machine: &Machine, count: usize) -> Vec<NodeId> {
    let Some(grid) = machine.coordinate_grid() else { return machine.hosts().take(count).collect() };
    if grid.shape().lengths().len() > MAX_WALKED {
        let hosts: Vec<NodeId> = machine.hosts().collect();
        let mut ordered = hilbert_order(machine, &hosts);
        ordered.truncate(count);
        return ordered;
    }
    let mut found =
        Vec::with_capacity(count.min(usize::try_from(machine.host_count()).unwrap_or(usize::MAX)));
    Curve::new(grid.shape()).walk(&mut vec![], &mut |node| {
        if found.len() < count && machine.is_host(node) {
            found.push(node);
        }
        found.len() < count
    });
    found
}

/// The curve through the smallest cube of powers of two that holds a shape.
struct Curve<'shape> {
    shape: &'shape Shape,
    axes: Vec<HostDimension>, // the shortest first
    bits: u32,                // of a coordinate
}

impl<'shape> Curve<'shape> {
    fn new(shape: &'shape Shape) -> Self {
        let mut axes: Vec<HostDimension> = shape.dimensions().collect();
        axes.sort_by_key(|&axis| shape.length(axis)); // stable
        let longest = shape.lengths().iter().copied().max().unwrap_or(1);
        Self { shape, axes, bits: u64::BITS - (longest - 1).leading_zeros() }
    }

    /// Visits the nodes of the cube whose places begin with these digits, in their order, until `visit` returns `false`;
    /// returns whether it never did.
    ///
    /// Cubes outside the shape are skipped: their lowest corner is outside.
    fn walk(&self, digits: &mut Vec<u32>, visit: &mut impl FnMut(NodeId) -> bool) -> bool {
        let depth = narrow(digits.len() as u64);
        let mut corner = curve_point(digits, self.axes.len(), self.bits);
        let below = 1_u64 << (self.bits - depth);
        corner.iter_mut().for_each(|coordinate| *coordinate -= narrow(u64::from(*coordinate) % below));
        let lengths = self.axes.iter().map(|&axis| self.shape.length(axis));
        if corner.iter().zip(lengths).any(|(&coordinate, length)| u64::from(coordinate) >= length) {
            return true;
        }
        if depth == self.bits {
            let strides = self.axes.iter().map(|&axis| self.shape.stride(axis));
            let node: u64 =
                corner.iter().zip(strides).map(|(&coordinate, stride)| u64::from(coordinate) * stride).sum();
            return visit(NodeId::new(narrow(node)));
        }
        for digit in 0..1 << self.axes.len() {
            digits.push(digit);
            let goes_on = self.walk(digits, visit);
            digits.pop();
            if !goes_on {
                return false;
            }
        }
        true
    }
}

/// The first point on the curve whose place begins with these digits, as [`curve_digits`] has them: Skilling's
/// `TransposetoAxes`.
fn curve_point(digits: &[u32], dimensions: usize, bits: u32) -> Vec<u32> {
    let bit_of = |digit: u32, axis: usize| digit >> (dimensions - 1 - axis) & 1;
    let coordinate = |axis: usize| {
        let written = digits.iter().fold(0, |sum, &digit| sum << 1 | bit_of(digit, axis));
        written.checked_shl(bits - narrow(digits.len() as u64)).unwrap_or(0)
    };
    let mut x: Vec<u32> = (0..dimensions).map(coordinate).collect();
    let last = x.last().map_or(0, |coordinate| coordinate >> 1);
    for i in (1..dimensions).rev() {
        x[i] ^= x[i - 1];
    }
    if let Some(first) = x.first_mut() {
        *first ^= last;
    }
    for bit in 1..bits {
        let (q, below) = (1 << bit, (1 << bit) - 1);
        for i in (0..dimensions).rev() {
            if x[i] & q != 0 {
                x[0] ^= below;
            } else {
                let exchanged = (x[0] ^ x[i]) & below;
                x[0] ^= exchanged;
                x[i] ^= exchanged;
            }
        }
    }
    x
}

/// The place on the curve of a point whose coordinates have `bits` bits: one digit per bit, from the highest, with
/// a bit from every coordinate, the first one's highest.
fn curve_digits(mut x: Vec<u32>, bits: u32) -> Vec<u32> {
    let highest = bits.saturating_sub(1);
    for bit in (1..=highest).rev() {
        let (q, below) = (1 << bit, (1 << bit) - 1);
        for i in 0..x.len() {
            if x[i] & q != 0 {
                x[0] ^= below;
            } else {
                let exchanged = (x[0] ^ x[i]) & below;
                x[0] ^= exchanged;
                x[i] ^= exchanged;
            }
        }
    }
    for i in 1..x.len() {
        x[i] ^= x[i - 1];
    }
    let last = x.last().copied().unwrap_or(0);
    let flips =
        (1..=highest).filter(|bit| last >> bit & 1 == 1).fold(0, |flips, bit| flips ^ ((1 << bit) - 1));
    let digit =
        |bit: u32| x.iter().fold(0, |digit, coordinate| digit << 1 | ((coordinate ^ flips) >> bit & 1));
    (0..bits).rev().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::MachineKind;

    #[test]
    fn the_first_nodes_are_found_without_the_others() {
        let shapes: [&[u64]; 9] =
            [&[8, 8], &[5], &[2], &[3, 7], &[13, 2, 5], &[4, 4, 4], &[2; 8], &[2; 9], &[17, 3]];
        for lengths in shapes {
            let mesh = Machine::new(MachineKind::Mesh, lengths).unwrap();
            let hosts: Vec<NodeId> = mesh.hosts().collect();
            let order = hilbert_order(&mesh, &hosts);
            for count in [0, 1, 2, 3, 10, order.len(), order.len() + 1] {
                let expected = &order[..count.min(order.len())];
                assert_eq!(first_in_hilbert_order(&mesh, count), expected, "{lengths:?}");
            }
        }
        let torus = Machine::new(MachineKind::Torus, &[65536, 65536]).unwrap();
        let first = first_in_hilbert_order(&torus, 4);
        assert_eq!(first.len(), 4);
        assert!(first.windows(2).all(|pair| torus.distance(pair[0], pair[1]) == 1));
        let strip = Machine::new(MachineKind::Mesh, &[2, 1 << 30]).unwrap();
        assert_eq!(first_in_hilbert_order(&strip, 1 << 12).len(), 1 << 12);
        let failed = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
        let failed = failed.with_failures(&[], &[NodeId::new(0), NodeId::new(5)]).unwrap();
        let hosts: Vec<NodeId> = failed.hosts().collect();
        assert_eq!(first_in_hilbert_order(&failed, 9), hilbert_order(&failed, &hosts)[..9]);
    }

    #[test]
    fn steps_through_cubes_of_powers_of_two_have_one_link() {
        let shapes: [&[u64]; 4] = [&[8, 8], &[16, 16], &[4, 4, 4], &[2, 2, 2, 2]];
        for lengths in shapes {
            let mesh = Machine::new(MachineKind::Mesh, lengths).unwrap();
            let nodes: Vec<NodeId> = mesh.nodes().collect();
            let order = hilbert_order(&mesh, &nodes);
            assert!(order.windows(2).all(|pair| mesh.distance(pair[0], pair[1]) == 1), "{lengths:?}");
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, nodes);
        }
    }
}
