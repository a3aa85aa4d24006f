//! Placements by a named embedding: formulas, no tables.

use cubefold_topology::{Extent, HostDimension, Machine, NodeId};

use crate::{CubeDimension, EmbeddingKind, Guest, Hypercube, ProcessId};

/// A d-cube placed by a product embedding on a machine of exactly `2^d` nodes: a bijection.
///
/// Coordinate `j` of length `2^(d_j)` is a function of bits `K_j .. K_j + d_j - 1` of the label, its
/// field (`docs/model.md` section 3). As a node's index is made of its coordinates in the same way as the
/// label of its fields, a process and its node are each computed from the other in O(c), or O(d) for
/// `byweight`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductPlacement {
    kind: EmbeddingKind,
    machine: Machine, // every length a power of two, their product 2^d
    cube: Hypercube,
    fields: Vec<Field>, // one for each coordinate of the machine
}

/// The bits of the label that decide one coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Field {
    shift: u32, // K_j; K_j + d_j is at most 32
    mask: u32,  // 2^(d_j) - 1
    extent: Extent,
}

/// Why a named embedding does not fit a machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProductPlacementError {
    /// A length is no power of two.
    #[error(
        "length of dimension {dimension} is {length}, expected a power of two: {kind} places a d-cube field by field"
    )]
    NotAPowerOfTwo {
        /// The embedding asked for.
        kind: EmbeddingKind,
        /// The dimension of the machine.
        dimension: HostDimension,
        /// Its length.
        length: u64,
    },
    /// The machine has more or fewer nodes than there are processes.
    #[error(
        "{nodes} nodes for {processes} processes, expected as many nodes as processes: {kind} fills the machine"
    )]
    NodeCount {
        /// The embedding asked for.
        kind: EmbeddingKind,
        /// The number of nodes.
        nodes: u64,
        /// The number of processes.
        processes: u64,
    },
}

impl ProductPlacement {
    /// Places `cube` on `machine`.
    ///
    /// # Errors
    ///
    /// When a length is no power of two, or the machine has not as many nodes as the cube has processes.
    pub fn new(
        kind: EmbeddingKind,
        cube: Hypercube,
        machine: &Machine,
    ) -> Result<Self, ProductPlacementError> {
        for dimension in machine.shape().dimensions() {
            let length = machine.shape().length(dimension);
            if !length.is_power_of_two() {
                return Err(ProductPlacementError::NotAPowerOfTwo { kind, dimension, length });
            }
        }
        let (nodes, processes) = (machine.node_count(), cube.process_count());
        if nodes != processes {
            return Err(ProductPlacementError::NodeCount { kind, nodes, processes });
        }
        let fields = machine.extents().iter().scan(0, |shift, &extent| {
            let bits = extent.length().trailing_zeros();
            #[expect(clippy::cast_possible_truncation, reason = "a length is at most 2^32")]
            let field = Field { shift: *shift, mask: (extent.length() - 1) as u32, extent };
            *shift += bits;
            Some(field)
        });
        let fields = fields.collect();
        Ok(Self { kind, machine: machine.clone(), cube, fields })
    }

    /// The embedding that it follows.
    #[must_use]
    pub fn kind(&self) -> EmbeddingKind {
        self.kind
    }

    /// The machine.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The guest.
    #[must_use]
    pub fn cube(&self) -> Hypercube {
        self.cube
    }

    /// The node of a process.
    #[must_use]
    pub fn node(&self, process: ProcessId) -> NodeId {
        NodeId::new(self.map_fields(process.label(), EmbeddingKind::position))
    }

    /// The process on a node.
    #[must_use]
    pub fn process(&self, node: NodeId) -> ProcessId {
        ProcessId::new(self.map_fields(node.index(), EmbeddingKind::value))
    }

    /// The placement of one field on one line of the machine: what this one is the product of, first
    /// coordinate first.
    #[must_use]
    #[expect(
        clippy::missing_panics_doc,
        clippy::expect_used,
        reason = "lengths are 2^1 to 2^32, so fields fit"
    )]
    pub fn lines(&self) -> Vec<Self> {
        let line = |dimension| {
            let machine = self.machine.line(dimension);
            let cube = Hypercube::new(u64::from(machine.node_count().trailing_zeros()));
            Self::new(self.kind, cube.expect("1 to 32 bits"), &machine).expect("2^d nodes")
        };
        self.machine.shape().dimensions().map(line).collect()
    }

    /// The field that a dimension of the cube belongs to, counted from 0 as the coordinates are, and the bit
    /// of the field's value that it is.
    ///
    /// # Panics
    ///
    /// When the cube has no such dimension.
    #[must_use]
    #[expect(clippy::expect_used, reason = "documented under Panics")]
    pub fn field_of(&self, dimension: CubeDimension) -> (usize, u32) {
        let number = u32::from(dimension.number());
        let last = self.fields.iter().rposition(|field| field.shift <= number);
        let field = last.filter(|_| number < u32::from(self.cube.dimension_count()));
        let field = field.expect("a dimension of the cube");
        (field, 1 << (number - self.fields[field].shift))
    }

    /// The value of every field of a process's label, first coordinate first.
    pub fn field_values(&self, process: ProcessId) -> impl Iterator<Item = u32> {
        self.fields.iter().map(move |field| process.label() >> field.shift & field.mask)
    }

    fn map_fields(&self, word: u32, map: impl Fn(EmbeddingKind, Extent, u32) -> u32) -> u32 {
        self.fields.iter().fold(0, |image, field| {
            let part = word >> field.shift & field.mask;
            image | map(self.kind, field.extent, part) << field.shift
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{MachineKind, Wrap};

    #[test]
    fn every_embedding_is_a_bijection_with_its_inverse_on_every_machine_up_to_2_to_the_10() {
        for lengths in shapes_of_powers_of_two(10) {
            for kind in EmbeddingKind::ALL {
                let wraps: Vec<_> =
                    (0..lengths.len()).map(|j| if j % 2 == 0 { Wrap::Around } else { Wrap::Open }).collect();
                let machine = Machine::with_wraps(MachineKind::Torus, &lengths, &wraps).unwrap();
                check_bijection(kind, &machine);
            }
        }
    }

    fn check_bijection(kind: EmbeddingKind, machine: &Machine) {
        let cube = Hypercube::new(u64::from(machine.node_count().trailing_zeros())).unwrap();
        let placement = ProductPlacement::new(kind, cube, machine).unwrap();
        let mut seen = vec![false; usize::try_from(machine.node_count()).unwrap()];
        for process in ProcessId::first(cube.process_count()) {
            let node = placement.node(process);
            assert!(!std::mem::replace(&mut seen[node.index() as usize], true));
            assert_eq!(placement.process(node), process);
        }
    }

    /// All lists of powers of two from 2 on with a product of at most `2^most`.
    fn shapes_of_powers_of_two(most: u32) -> Vec<Vec<u64>> {
        let mut shapes = vec![];
        for bits in 1..=most {
            shapes.push(vec![1 << bits]);
            for mut longer in shapes_of_powers_of_two(most - bits) {
                longer.push(1 << bits);
                shapes.push(longer);
            }
        }
        shapes
    }

    #[test]
    fn machines_that_do_not_fit_are_refused() {
        let cube = Hypercube::new(3).unwrap();
        let message = |lengths: &[u64]| {
            let machine = Machine::new(MachineKind::Mesh, lengths).unwrap();
            ProductPlacement::new(EmbeddingKind::Xor, cube, &machine).unwrap_err().to_string()
        };
        assert!(message(&[2, 6]).starts_with("length of dimension 2 is 6, expected a power of two"));
        assert!(message(&[4, 4]).starts_with("16 nodes for 8 processes"));
    }
}
