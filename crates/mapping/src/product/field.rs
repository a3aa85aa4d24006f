//! Fields: the bits of a label that determine one coordinate.

use std::sync::Arc;

use cubefold_topology::Extent;

use super::{EmbeddingKind, embedding::LineOrder};

/// The limit of bits of a field whose coordinates are kept in a table: 128 KiB.
const MAX_TABLE_BITS: u32 = 16;

/// The bits of the label that determine one coordinate, and their order along it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    shift: u32, // K_j; K_j + d_j is at most 32
    mask: u32,  // 2^(d_j) - 1
    order: LineOrder,
    extent: Extent,
    positions: Option<Arc<[u16]>>, // the coordinate of every value, for fields of up to 16 bits
}

impl Field {
    /// The fields of a machine whose lengths are powers of two, first coordinate first.
    pub(super) fn all(kind: EmbeddingKind, extents: impl Iterator<Item = Extent>) -> Vec<Self> {
        let mut fields: Vec<Self> = vec![];
        for extent in extents {
            let order = kind.order(extent);
            // Fields of one extent have one table.
            let same = fields.iter().find(|field| field.extent == extent);
            let positions = match same {
                Some(field) => field.positions.clone(),
                None => table(order, extent),
            };
            let shift = fields.last().map_or(0, Self::end);
            #[expect(clippy::cast_possible_truncation, reason = "a length is at most 2^32")]
            let mask = (extent.length() - 1) as u32;
            fields.push(Self { shift, mask, order, extent, positions });
        }
        fields
    }

    /// This field as the only field of a label.
    pub(super) fn alone(&self) -> Self {
        Self { shift: 0, ..self.clone() }
    }

    /// Its number `d_j` of bits, 1 to 32.
    pub(super) fn bits(&self) -> u32 {
        self.mask.trailing_ones()
    }

    /// The number of bits up to its end: `K_j + d_j`.
    pub(super) fn end(&self) -> u32 {
        self.shift + self.bits()
    }

    pub(super) fn first_bit(&self) -> u32 {
        self.shift
    }

    #[inline]
    pub(super) fn value(&self, label: u32) -> u32 {
        label >> self.shift & self.mask
    }

    /// Its contribution to the node of the process with this label.
    pub(super) fn image(&self, label: u32) -> u32 {
        let value = self.value(label);
        let position = match &self.positions {
            Some(positions) => u32::from(positions[value as usize]),
            None => self.order.position(value, self.bits()),
        };
        position << self.shift
    }

    /// Its contribution to the label of the process on the node with this index.
    pub(super) fn origin(&self, index: u32) -> u32 {
        let position = index >> self.shift & self.mask;
        self.order.value(position, self.bits()) << self.shift
    }
}

/// The coordinates of all values of a field; none for more than 2^16 values.
fn table(order: LineOrder, extent: Extent) -> Option<Arc<[u16]>> {
    let values = u32::try_from(extent.length()).ok().filter(|&length| length <= 1 << MAX_TABLE_BITS)?;
    let bits = values.trailing_zeros();
    let position = |value| u16::try_from(order.position(value, bits)).ok();
    (0..values).map(position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProcessId;
    use cubefold_topology::{Machine, MachineKind};

    #[test]
    fn tables_hold_what_the_formulas_say_up_to_their_greatest_length() {
        for bits in 1..=MAX_TABLE_BITS {
            for kind in EmbeddingKind::ALL {
                for machine in [MachineKind::Line, MachineKind::Ring] {
                    let machine = Machine::new(machine, &[1 << bits]).unwrap();
                    let field = &Field::all(kind, machine.extents())[0];
                    assert!(field.positions.is_some());
                    for process in ProcessId::first(1 << bits) {
                        let position = kind.order(field.extent).position(process.label(), bits);
                        assert_eq!(field.image(process.label()), position);
                    }
                }
            }
        }
    }

    #[test]
    fn fields_too_long_for_a_table_are_computed_and_equal_ones_share_theirs() {
        for length in [1 << 17, 1 << 32] {
            let ring = Machine::new(MachineKind::Ring, &[length]).unwrap();
            assert!(Field::all(EmbeddingKind::Byweight, ring.extents())[0].positions.is_none());
        }
        let torus = Machine::new(MachineKind::Torus, &[1 << 16, 1 << 16]).unwrap();
        let fields = Field::all(EmbeddingKind::Byweight, torus.extents());
        let [Some(first), Some(second)] = [0, 1].map(|at: usize| fields[at].positions.as_ref()) else {
            panic!("a table for both");
        };
        assert!(Arc::ptr_eq(first, second));
    }
}
