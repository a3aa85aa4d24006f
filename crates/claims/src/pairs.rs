//! Guests and hosts to try.

use std::fmt;

use cubefold_mapping::Construction;
use cubefold_topology::{Extent, Machine, MachineKind, Shape};

/// All lists of lengths of at least 2 with this product, in every order.
pub(super) fn shapes(product: u64) -> Vec<Vec<u64>> {
    let mut all = vec![];
    for first in (2..=product).filter(|&first| product.is_multiple_of(first)) {
        if first == product {
            all.push(vec![first]);
        }
        for mut longer in shapes(product / first) {
            longer.insert(0, first);
            all.push(longer);
        }
    }
    all
}

/// The machine of a kind, which has these lengths.
#[expect(clippy::expect_used, reason = "the lengths here are at least 2 and their product is small")]
pub(super) fn machine(kind: MachineKind, lengths: &[u64]) -> Machine {
    Machine::new(kind, lengths).expect("a machine")
}

pub(super) fn mesh(lengths: &[u64]) -> Machine {
    machine(MachineKind::Mesh, lengths)
}

pub(super) fn torus(lengths: &[u64]) -> Machine {
    machine(MachineKind::Torus, lengths)
}

/// The mesh and the torus of a shape; the hypercube alone, which is both.
pub(super) fn machines(lengths: &[u64]) -> Vec<Machine> {
    if lengths.iter().all(|&length| length == 2) {
        return vec![machine(MachineKind::Hypercube, lengths)];
    }
    vec![mesh(lengths), torus(lengths)]
}

/// All meshes and toruses of a size.
pub(super) fn machines_of(size: u64) -> Vec<Machine> {
    shapes(size).iter().flat_map(|shape| machines(shape)).collect()
}

/// All square shapes `(l, d)` and `(m, c)` of one size up to `most` with `d` and `c` different.
pub(super) fn square_pairs(most: u64) -> Vec<(Vec<u64>, Vec<u64>)> {
    let roots = |size: u64| {
        let of = move |dimensions: u32| {
            let side = (2..=size).take_while(|side| side.checked_pow(dimensions).is_some_and(|n| n <= size));
            let side = side.last().filter(|side| side.pow(dimensions) == size)?;
            Some(vec![side; dimensions as usize])
        };
        (1..=size.ilog2()).filter_map(of).collect::<Vec<_>>()
    };
    let mut pairs = vec![];
    for size in 2..=most {
        let shapes = roots(size);
        for guest in &shapes {
            let others = shapes.iter().filter(|host| host.len() != guest.len());
            pairs.extend(others.map(|host| (guest.clone(), host.clone())));
        }
    }
    pairs
}

/// Whether a machine counts as a torus where it is the guest: a hypercube does not (errata C5).
pub(super) fn is_torus_guest(machine: &Machine) -> bool {
    machine.extents().any(Extent::is_ring)
}

/// Whether a machine counts as a torus where it is the host: a hypercube does (errata C5).
pub(super) fn is_torus_host(machine: &Machine) -> bool {
    machine.extents().all(|extent| extent.is_ring() || extent.length() == 2)
}

/// The side of a square machine.
pub(super) fn side(machine: &Machine) -> Option<u64> {
    let lengths = machine.shape().lengths();
    lengths.iter().all(|&length| length == lengths[0]).then_some(lengths[0])
}

/// A machine in words: `torus (4, 6)`.
pub(super) struct Words<'machine>(pub(super) &'machine Machine);

impl fmt::Display for Words<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.0.kind(), lengths(self.0.shape()))
    }
}

fn lengths(shape: &Shape) -> String {
    let lengths: Vec<String> = shape.lengths().iter().map(u64::to_string).collect();
    format!("({})", lengths.join(", "))
}

/// A construction in words: `pi o H_V, torus (4, 6) on mesh (2, 2, 2, 3)`.
pub(super) struct Case<'construction>(pub(super) &'construction Construction);

impl fmt::Display for Case<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (guest, host) = (Words(self.0.guest()), Words(self.0.host()));
        write!(formatter, "{}, {guest} on {host}", self.0.formula())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn square_pairs_are_of_one_size() {
        let pairs = square_pairs(64);
        assert!(pairs.contains(&(vec![8; 2], vec![4; 3])) && pairs.contains(&(vec![2; 6], vec![64])));
        assert!(pairs.iter().all(|(a, b)| a.iter().product::<u64>() == b.iter().product::<u64>()));
    }
}
