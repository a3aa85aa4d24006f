//! Placements of a d-cube by a named embedding (`docs/model.md` section 3): each coordinate is a function of one field
//! of a process's label.
//!
//! The embeddings are the entries of [`EMBEDDINGS`]; a [`ProductPlacement`] is one of them on one machine, always a
//! bijection.

mod byweight;
mod embedding;
mod field;

pub use embedding::gray_code_word;
pub(crate) use embedding::gray_position;
pub use embedding::{EMBEDDINGS, EmbeddingDescriptor, EmbeddingKind};

use cubefold_topology::{Grid, HostDimension, Machine, MachineKind, NodeId};
use field::Field;
use rayon::prelude::*;

use crate::{CubeDimension, Guest, Hypercube, ProcessId};

/// A d-cube placed by a product embedding on a machine of exactly `2^d` nodes: a bijection.
///
/// Coordinate `j` of length `2^(d_j)` is a function of bits `K_j .. K_j + d_j - 1` of the label, its
/// field (`docs/model.md` section 3). A node's index is composed of its coordinates as the label is of its
/// fields, so that process and node follow from each other field by field. The coordinates of fields of
/// up to 16 bits are kept in tables, of 128 KiB at most and one for all fields of one extent; no memory grows
/// with the number of processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductPlacement {
    kind: EmbeddingKind,
    machine: Machine, // every length a power of two, their product 2^d
    cube: Hypercube,
    fields: Vec<Field>, // one for each coordinate of the machine
}

/// A machine that a named embedding does not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProductPlacementError {
    /// A network has no fields.
    #[error("a {machine}, expected a grid: {kind} places a d-cube field by field")]
    Network {
        /// The embedding.
        kind: EmbeddingKind,
        /// The machine.
        machine: MachineKind,
    },
    /// A length is not a power of two.
    #[error(
        "length of dimension {dimension} is {length}, expected a power of two: {kind} places a d-cube field by field"
    )]
    NotAPowerOfTwo {
        /// The embedding.
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
        /// The embedding.
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
    /// When a length is not a power of two, or nodes and processes differ in number.
    pub fn new(
        kind: EmbeddingKind,
        cube: Hypercube,
        machine: &Machine,
    ) -> Result<Self, ProductPlacementError> {
        let Some(grid) = machine.grid() else {
            return Err(ProductPlacementError::Network { kind, machine: machine.kind() });
        };
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
        let fields = Field::all(kind, grid.extents());
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
    ///
    /// # Complexity
    ///
    /// O(c) for c coordinates; O(d) by `byweight` where a coordinate is longer than 2^16.
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_mapping::{EmbeddingKind, Hypercube, ProcessId, ProductPlacement};
    /// use cubefold_topology::{Machine, MachineKind};
    ///
    /// let cube = Hypercube::new(3)?;
    /// let ring = Machine::new(MachineKind::Ring, &[8])?;
    /// let xor = ProductPlacement::new(EmbeddingKind::Xor, cube, &ring)?;
    /// // The ring holds 0 1 2 3 6 7 4 5: the neighbour 6 of process 2 is two links from it.
    /// let (two, highest) = (ProcessId::new(2), cube.dimension(2)?);
    /// assert_eq!(xor.node(two).index(), 2);
    /// assert_eq!(xor.node(cube.neighbour(two, highest)).index(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn node(&self, process: ProcessId) -> NodeId {
        NodeId::new(image(&self.fields, process.label()))
    }

    /// The nodes of all processes, in order.
    ///
    /// # Complexity
    ///
    /// O(2^d) in parallel, whatever the number of coordinates, where the first is at most 2^16 long.
    #[must_use]
    pub fn nodes(&self) -> Vec<NodeId> {
        let processes = usize::try_from(self.cube.process_count()).unwrap_or(usize::MAX);
        let low_fields = self.fields.iter().take_while(|field| field.end() <= MAX_PERIOD_BITS).count();
        let (low, high) = self.fields.split_at(low_fields);
        let bits = low.last().map_or(0, Field::end);
        let period: Vec<u32> = (0..1 << bits).map(|label| image(low, label)).collect();
        let run = period.len();
        let mut nodes = vec![NodeId::new(0); processes];
        nodes.par_chunks_mut(run.max(MIN_NODES_PER_TASK).min(processes)).enumerate().for_each(
            |(task, nodes)| {
                let first = task * run.max(MIN_NODES_PER_TASK);
                for (start, nodes) in (first..).step_by(run).zip(nodes.chunks_exact_mut(run)) {
                    #[expect(clippy::cast_possible_truncation, reason = "a label, below 2^32")]
                    let high = image(high, start as u32);
                    for (node, low) in nodes.iter_mut().zip(&period) {
                        *node = NodeId::new(high | low);
                    }
                }
            },
        );
        nodes
    }

    /// The process on a node.
    #[must_use]
    pub fn process(&self, node: NodeId) -> ProcessId {
        ProcessId::new(self.fields.iter().fold(0, |label, field| label | field.origin(node.index())))
    }

    /// The factors of this product: the placement of each field on one line of the machine, first coordinate
    /// first.
    #[must_use]
    #[expect(clippy::missing_panics_doc, clippy::expect_used, reason = "fields have 1 to 32 bits")]
    pub fn lines(&self) -> Vec<Self> {
        let line = |(machine, field): (Machine, &Field)| Self {
            kind: self.kind,
            machine,
            cube: Hypercube::new(field.bits().into()).expect("1 to 32 bits"),
            fields: vec![field.alone()],
        };
        self.machine.grid().into_iter().flat_map(Grid::lines).zip(&self.fields).map(line).collect()
    }

    /// The field of a dimension of the cube, counted from 0 as the coordinates are, and the bit of the field's
    /// value that the dimension flips.
    ///
    /// # Panics
    ///
    /// When the cube has no such dimension.
    #[must_use]
    #[expect(clippy::expect_used, reason = "documented under Panics")]
    pub fn field_of(&self, dimension: CubeDimension) -> (usize, u32) {
        let number = u32::from(dimension.number());
        let last = self.fields.iter().rposition(|field| field.first_bit() <= number);
        let field = last.filter(|_| number < u32::from(self.cube.dimension_count()));
        let field = field.expect("a dimension of the cube");
        (field, 1 << (number - self.fields[field].first_bit()))
    }

    /// The value of every field of a process's label, first coordinate first.
    pub fn field_values(&self, process: ProcessId) -> impl Iterator<Item = u32> {
        self.fields.iter().map(move |field| field.value(process.label()))
    }
}

/// The contribution of some fields to the node of the process with this label.
fn image(fields: &[Field], label: u32) -> u32 {
    fields.iter().fold(0, |index, field| index | field.image(label))
}

/// The limit of bits of the low fields whose images are repeated: 2^16 images stay in cache.
const MAX_PERIOD_BITS: u32 = 16;

/// The least number of nodes of a task: enough to outweigh its distribution to a thread.
const MIN_NODES_PER_TASK: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{shapes, wrapping_bits};

    #[test]
    fn every_embedding_is_a_bijection_with_its_inverse_on_every_machine_up_to_2_to_the_10() {
        for lengths in (1..=10).flat_map(|bits| shapes(1 << bits)) {
            for kind in EmbeddingKind::ALL {
                // Every other dimension wraps.
                check_bijection(kind, &wrapping_bits(&lengths, 0x5555_5555));
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

    #[test]
    fn listed_nodes_are_those_found_one_by_one_however_long_the_fields() {
        let shapes: [&[u64]; 7] =
            [&[2], &[4, 2, 8], &[1 << 17], &[1 << 18, 2], &[2, 1 << 17], &[1 << 9, 1 << 9], &[8, 1 << 15]];
        for (lengths, kind) in
            shapes.into_iter().flat_map(|lengths| EmbeddingKind::ALL.map(|kind| (lengths, kind)))
        {
            let machine = Machine::new(MachineKind::Torus, lengths).unwrap();
            let cube = Hypercube::new(u64::from(machine.node_count().trailing_zeros())).unwrap();
            let placement = ProductPlacement::new(kind, cube, &machine).unwrap();
            let one_by_one = ProcessId::first(cube.process_count()).map(|process| placement.node(process));
            assert!(one_by_one.eq(placement.nodes()));
        }
    }

    #[test]
    fn neighbours_are_found_on_the_largest_machines() {
        let shapes: [&[u64]; 3] = [&[1 << 32], &[1 << 16, 1 << 16], &[2; 32]];
        for (lengths, kind) in
            shapes.into_iter().flat_map(|lengths| EmbeddingKind::ALL.map(|kind| (lengths, kind)))
        {
            let machine = Machine::new(MachineKind::Torus, lengths).unwrap();
            let cube = Hypercube::new(32).unwrap();
            let placement = ProductPlacement::new(kind, cube, &machine).unwrap();
            for process in [0, 1, 0x8000_0000, 0x1234_5678, u32::MAX].map(ProcessId::new) {
                for neighbour in cube.dimensions().map(|dimension| cube.neighbour(process, dimension)) {
                    assert_eq!(placement.process(placement.node(neighbour)), neighbour);
                }
            }
        }
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
