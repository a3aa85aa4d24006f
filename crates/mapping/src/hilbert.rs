//! The order of a Hilbert curve: nodes that follow one another are near each other.
//!
//! Skilling 2004, "Programming the Hilbert curve", `AxestoTranspose`. The shortest side is `X[0]`, sides of one length come in the order of
//! their dimensions, and all coordinates have as many bits as the longest side needs (`docs/model.md` section 22).

use cubefold_topology::{HostDimension, Machine, NodeId};

/// Orders nodes of a machine along a Hilbert curve through its coordinates; without coordinates by their numbers.
#[must_use]
pub fn hilbert_order(machine: &Machine, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut ordered = nodes.to_vec();
    let Some(grid) = machine.coordinate_grid() else {
        ordered.sort_unstable();
        return ordered;
    };
    let shape = grid.shape();
    let mut axes: Vec<HostDimension> = shape.dimensions().collect();
    axes.sort_by_key(|&axis| shape.length(axis)); // stable
    let longest = shape.lengths().iter().copied().max().unwrap_or(1);
    let bits = u64::BITS - (longest - 1).leading_zeros();
    ordered.sort_by_cached_key(|&node| {
        let coordinates = axes.iter().map(|&axis| shape.coordinate(node, axis)).collect();
        curve_digits(coordinates, bits)
    });
    ordered
}

/// The place on the curve of a point whose coordinates have `bits` bits: for each of them from the highest a digit with
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
    let digit = |bit: u32| x.iter().fold(0, |digit, own| digit << 1 | ((own ^ flips) >> bit & 1));
    (0..bits).rev().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::MachineKind;

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
