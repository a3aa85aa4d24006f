//! Partitions: boxes of nodes in which a program runs.

use crate::{Coordinates, CoordinatesError, HostDimension, Machine, MachineError, NodeId, Wrap};

/// A box of nodes of a machine, given by its base and its lengths (Tao 1988, 4.3.2; `docs/model.md`
/// section 1).
///
/// A program inside has a machine of its own: routes stay inside, and a dimension wraps exactly when the
/// box has the machine's whole length there and the machine wraps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    whole: Machine,
    base: Coordinates, // of the node of the box with the least coordinates
    inside: Machine,   // base plus lengths stay within the whole's
}

/// A box that is not a partition of a machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PartitionError {
    /// The base is not a node of the machine.
    #[error("base of the partition: {0}")]
    Base(CoordinatesError),
    /// There are more or fewer lengths than dimensions.
    #[error("{found} lengths of the partition, expected {expected}, one for each dimension of the machine")]
    Arity {
        /// The number found.
        found: usize,
        /// The number of dimensions.
        expected: usize,
    },
    /// The box reaches beyond the machine.
    #[error(
        "the partition takes coordinates {base} to {last} of dimension {dimension}, expected at most {greatest}"
    )]
    Outside {
        /// The dimension.
        dimension: HostDimension,
        /// The base's coordinate there.
        base: u64,
        /// The last coordinate of the box there.
        last: u64,
        /// The greatest coordinate of the machine there.
        greatest: u64,
    },
    /// The lengths make no machine.
    #[error("partition: {0}")]
    Lengths(MachineError),
}

impl Partition {
    /// Returns the box of `machine` from `base` on with these lengths.
    ///
    /// # Errors
    ///
    /// When the base is not a node of the machine, there are more or fewer lengths than dimensions, a length
    /// is under 2, or the box reaches beyond the machine: boxes do not wrap around.
    pub fn new(machine: &Machine, base: &[u64], lengths: &[u64]) -> Result<Self, PartitionError> {
        let base = Coordinates::new(machine.shape(), base).map_err(PartitionError::Base)?;
        let expected = machine.shape().dimension_count();
        if lengths.len() != expected {
            return Err(PartitionError::Arity { found: lengths.len(), expected });
        }
        for (dimension, &length) in machine.shape().dimensions().zip(lengths) {
            let (first, whole) = (u64::from(base.along(dimension)), machine.shape().length(dimension));
            if length >= 2 && first.saturating_add(length) > whole {
                let last = first.saturating_add(length) - 1;
                return Err(PartitionError::Outside { dimension, base: first, last, greatest: whole - 1 });
            }
        }
        let wraps: Vec<Wrap> = machine
            .extents()
            .zip(lengths)
            .map(|(extent, &length)| if length == extent.length() { extent.wrap() } else { Wrap::Open })
            .collect();
        let inside = Machine::with_wraps(machine.kind(), lengths, &wraps).map_err(PartitionError::Lengths)?;
        let inside = match machine.link_times() {
            Some(times) => inside.with_link_times(times),
            None => inside,
        };
        Ok(Self { whole: machine.clone(), base, inside })
    }

    /// The machine that the box is part of.
    #[must_use]
    pub fn whole(&self) -> &Machine {
        &self.whole
    }

    /// The box as a machine of its own.
    #[must_use]
    pub fn inside(&self) -> &Machine {
        &self.inside
    }

    /// The coordinates, on the whole machine, of the box's first node.
    #[must_use]
    pub fn base(&self) -> Coordinates {
        self.base
    }

    /// The coordinates on the whole machine of a node of the inside.
    #[must_use]
    pub fn address(&self, node: NodeId) -> Coordinates {
        let inner = self.inside.shape().coordinates(node);
        let along = |dimension| self.base.along(dimension) + inner.along(dimension);
        Coordinates::from_fn(self.whole.shape().dimension_count(), along)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Extent, MachineKind};

    #[test]
    fn a_dimension_wraps_only_where_the_box_has_all_of_it() {
        let torus = Machine::new(MachineKind::Torus, &[8, 4]).unwrap();
        let part = Partition::new(&torus, &[2, 0], &[4, 4]).unwrap();
        let wraps: Vec<_> = part.inside().extents().map(Extent::wrap).collect();
        assert_eq!(wraps, [Wrap::Open, Wrap::Around]);
    }

    #[test]
    fn addresses_are_the_nodes_of_the_box_in_order() {
        let mesh = Machine::new(MachineKind::Mesh, &[5, 4, 3]).unwrap();
        let part = Partition::new(&mesh, &[1, 2, 0], &[3, 2, 2]).unwrap();
        let in_box = |address: &Coordinates| {
            let [first, second, third] = [0, 1, 2].map(|at: usize| address.as_slice()[at]);
            (1..4).contains(&first) && (2..4).contains(&second) && third < 2
        };
        let whole = mesh.nodes().map(|node| mesh.shape().coordinates(node));
        let addresses: Vec<_> = part.inside().nodes().map(|node| part.address(node)).collect();
        assert_eq!(addresses, whole.filter(in_box).collect::<Vec<_>>());
        assert_eq!(addresses.len(), 12);
    }

    #[test]
    fn boxes_that_are_no_partitions_are_refused() {
        let mesh = Machine::new(MachineKind::Mesh, &[5, 4]).unwrap();
        let message =
            |base: &[u64], lengths: &[u64]| Partition::new(&mesh, base, lengths).unwrap_err().to_string();
        assert_eq!(
            message(&[3, 0], &[3, 2]),
            "the partition takes coordinates 3 to 5 of dimension 1, expected at most 4"
        );
        assert_eq!(
            message(&[5, 0], &[2, 2]),
            "base of the partition: coordinate 5 in dimension 1, expected 0 to 4"
        );
        assert!(message(&[0, 0], &[2]).starts_with("1 lengths of the partition, expected 2"));
        assert_eq!(message(&[0, 0], &[2, 1]), "partition: length of dimension 2 is 1, expected at least 2");
        assert!(message(&[0, 0], &[2, u64::MAX]).starts_with("the partition takes coordinates 0 to"));
    }
}
