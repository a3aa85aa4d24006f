//! Polymorphic arrays (Greenberg 1987, 6.3, after Fiat & Shamir 1984; `docs/model.md` section 28.5).
//!
//! The sides of the torus are a Fibonacci and a Lucas number of one index, which is not a multiple of 3: for a multiple
//! both are even, and half of the nodes would be out of reach.

use cubefold_topology::{Machine, MachineKind};

use super::{GreenbergError, slot_table::bits_of};

/// A torus of `F_n x L_n` nodes, on which every array folds evenly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PolymorphicArray {
    fibonacci: u32, // F_n
    lucas: u32,     // L_n
}

impl PolymorphicArray {
    /// The array of a machine, or the one whose smallest hypercube it is.
    pub(super) fn of(machine: &Machine) -> Result<Self, GreenbergError> {
        let extents: Vec<_> = machine.extents().collect();
        if extents.iter().all(|extent| extent.length() == 2) {
            let is_its_cube = |array: &Self| 1 << bits_of(array.node_count()) == machine.node_count();
            return Self::all().find(is_its_cube).ok_or(GreenbergError::NotPolymorphic);
        }
        if let [first, second] = extents[..] {
            let sides = (first.length(), second.length());
            let is_torus = first.is_ring() && second.is_ring();
            if is_torus && let Some(array) = Self::all().find(|array| array.sides() == sides) {
                return Ok(array);
            }
        }
        Err(GreenbergError::NotPolymorphic)
    }

    /// All arrays of at most 2^32 nodes, from 3 x 7 on.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let pairs = std::iter::successors(Some(((3_u64, 7_u64), (5, 11))), |&(current, next)| {
            Some((next, (current.0 + next.0, current.1 + next.1)))
        });
        let fitting =
            pairs.map(|(current, _)| current).take_while(|(fibonacci, lucas)| fibonacci * lucas <= 1 << 32);
        // F_n and L_n are even where 3 divides n.
        fitting.filter(|(fibonacci, _)| !fibonacci.is_multiple_of(2)).map(|(fibonacci, lucas)| Self {
            fibonacci: cubefold_topology::narrow(fibonacci),
            lucas: cubefold_topology::narrow(lucas),
        })
    }

    /// The array as a machine; no error occurs, since all its sides are valid lengths of toruses.
    pub(super) fn torus(self) -> Result<Machine, GreenbergError> {
        let (first, second) = self.sides();
        Machine::new(MachineKind::Torus, &[first, second]).map_err(|_| GreenbergError::NotPolymorphic)
    }

    fn node_count(self) -> u64 {
        let (first, second) = self.sides();
        first * second
    }

    fn sides(self) -> (u64, u64) {
        (self.fibonacci.into(), self.lucas.into())
    }

    /// The node of element `(i, j)`: `((i + j) mod F_n, (i - j) mod L_n)`, the first coordinate fastest.
    pub(super) fn node(self, [row, column]: [u32; 2]) -> u32 {
        let along = |side: u32, [row, column]: [u32; 2]| (row % side + column % side) % side;
        let first = along(self.fibonacci, [row, column]);
        let second = along(self.lucas, [row, self.lucas - column % self.lucas]);
        first + self.fibonacci * second
    }
}

impl std::fmt::Display for PolymorphicArray {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "((i + j) mod {}, (i - j) mod {})", self.fibonacci, self.lucas)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_fibonacci_and_lucas_numbers_whose_index_is_no_multiple_of_3() {
        let first: Vec<(u64, u64)> = PolymorphicArray::all().map(PolymorphicArray::sides).take(6).collect();
        assert_eq!(first, [(3, 7), (5, 11), (13, 29), (21, 47), (55, 123), (89, 199)]);
    }
}
