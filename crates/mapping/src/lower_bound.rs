//! Lower bounds on the distances of a d-cube placed on a machine.

use std::fmt;

use cubefold_derive::Words;
use cubefold_topology::{Extent, Machine};

/// The least sum of mean distances that any one-to-one placement of `2^d` processes on `2^d` nodes has.
///
/// `docs/model.md` section 5 derives from it the lower bound `d T_a + T_c B` on the makespan of a
/// compute-and-communicate program that uses every dimension once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeastDistances {
    /// `B`: the least total dilation over `2^(d-1)`, summed over the coordinates \[links\].
    pub sum: u64,
    /// The reason why it holds.
    pub source: BoundSource,
}

/// A reason why a bound holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words)]
pub enum BoundSource {
    /// Proved: Harper 1964 (lines), Bezrukov et al. 1998 (meshes), Guu 1997, Liu & Tang 2023 (rings).
    Theorem,
    /// In a preprint: Tang, arXiv 2302.13237 (products of rings and lines).
    Preprint,
}

impl fmt::Display for BoundSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The least distances on `machine`; `None` for a network, and if a length is not a power of two, for which no bound
/// is stated.
///
/// `docs/model.md` section 5: `B_j = 3 * 2^(d_j - 2) - 1` for a wrapping coordinate with `d_j >= 2`, and
/// `2^(d_j) - 1` for the others.
#[must_use]
pub fn least_distances(machine: &Machine) -> Option<LeastDistances> {
    let extents: Vec<Extent> = machine.grid()?.extents().collect();
    if !extents.iter().all(|extent| extent.length().is_power_of_two()) {
        return None;
    }
    Some(LeastDistances { sum: extents.iter().copied().map(least_in).sum(), source: source(&extents) })
}

fn least_in(extent: Extent) -> u64 {
    let length = extent.length();
    if extent.is_ring() { 3 * (length / 4) - 1 } else { length - 1 }
}

fn source(extents: &[Extent]) -> BoundSource {
    let no_ring = extents.iter().all(|extent| !extent.is_ring());
    let one_ring = extents.len() == 1;
    // Every distance is then 1 in the best placement, the gray one: B = d.
    let hypercube =
        extents.iter().all(|extent| extent.length() == 2 || (extent.is_ring() && extent.length() == 4));
    if no_ring || one_ring || hypercube { BoundSource::Theorem } else { BoundSource::Preprint }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{MachineKind, Wrap};

    fn least(kind: MachineKind, lengths: &[u64]) -> (u64, BoundSource) {
        let bound = least_distances(&Machine::new(kind, lengths).unwrap()).unwrap();
        (bound.sum, bound.source)
    }

    #[test]
    fn lines_rings_meshes_and_hypercubes_are_theorems() {
        assert_eq!(least(MachineKind::Line, &[8]), (7, BoundSource::Theorem));
        assert_eq!(least(MachineKind::Ring, &[64]), (47, BoundSource::Theorem));
        assert_eq!(least(MachineKind::Mesh, &[8, 4]), (10, BoundSource::Theorem));
        assert_eq!(least(MachineKind::Hypercube, &[2, 2, 2]), (3, BoundSource::Theorem));
        assert_eq!(least(MachineKind::Torus, &[4, 2, 4]), (5, BoundSource::Theorem));
        assert_eq!(least(MachineKind::Ring, &[2]), (1, BoundSource::Theorem));
    }

    #[test]
    fn products_with_longer_rings_rest_on_a_preprint() {
        assert_eq!(least(MachineKind::Torus, &[8, 8]), (10, BoundSource::Preprint));
        assert_eq!(least(MachineKind::Torus, &[128, 32]), (118, BoundSource::Preprint));
        let cylinder = Machine::with_wraps(MachineKind::Mesh, &[16, 8], &[Wrap::Around, Wrap::Open]).unwrap();
        assert_eq!(least_distances(&cylinder).unwrap().sum, 18);
        let (four, open) = (&[4, 4], &[Wrap::Around, Wrap::Open]);
        let mixed = Machine::with_wraps(MachineKind::Mesh, four, open).unwrap();
        assert_eq!(least_distances(&mixed).unwrap().source, BoundSource::Preprint);
    }

    #[test]
    fn other_lengths_have_no_bound() {
        assert_eq!(least_distances(&Machine::new(MachineKind::Ring, &[6]).unwrap()), None);
    }
}
