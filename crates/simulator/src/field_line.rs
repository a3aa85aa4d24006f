//! The fields of a product placement, each with the line of nodes that its values are placed on.

use cubefold_mapping::{CubeDimension, Guest, ProcessId, ProductPlacement};
use cubefold_topology::Extent;

/// One field of the labels with one of the lines of its coordinate: all lines of a coordinate are equal, and
/// messages along a dimension of the field stay on them.
#[derive(Debug)]
pub(crate) struct FieldLine {
    line: ProductPlacement,
    pub(crate) extent: Extent,   // the coordinate that the field decides
    first: usize,                // the field's lowest dimension
    positions: Option<Vec<u32>>, // by value, where they are few enough to be stored
}

impl FieldLine {
    /// On longer lines positions are computed each time, to avoid memory for every node of a machine of
    /// one dimension.
    const MAX_STORED: u32 = 1 << 24;

    /// The fields of `placement`, the lowest dimensions first.
    pub(crate) fn all(placement: &ProductPlacement) -> Vec<Self> {
        let mut first = 0;
        let field = |(line, extent): (ProductPlacement, Extent)| {
            let unstored = Self { line, extent, first, positions: None };
            first += Guest::dimension_count(&unstored.line.cube());
            let kept = u32::try_from(extent.length()).ok().filter(|&length| length <= Self::MAX_STORED);
            let positions = kept.map(|length| (0..length).map(|value| unstored.position(value)).collect());
            Self { positions, ..unstored }
        };
        placement.lines().into_iter().zip(placement.machine().extents()).map(field).collect()
    }

    /// The bit of the field's values that is `dimension`; `None` if that is in another field.
    pub(crate) fn bit(&self, dimension: CubeDimension) -> Option<u32> {
        let bit = dimension.index().checked_sub(self.first)?;
        (bit < Guest::dimension_count(&self.line.cube())).then(|| 1 << bit)
    }

    /// The pairs of values that differ in `bit` alone, the one without it first.
    pub(crate) fn pairs(&self, bit: u32) -> impl Iterator<Item = Pair> {
        // The values without the bit, in order: the lower bits stay, the higher ones move up by one.
        let half = u32::try_from(self.extent.length() / 2).unwrap_or(u32::MAX);
        (0..half).map(move |rank| {
            let below = rank & (bit - 1);
            let low = ((rank ^ below) << 1) | below;
            Pair { low, positions: [self.position(low), self.position(low | bit)] }
        })
    }

    /// The coordinate of a value.
    pub(crate) fn position(&self, value: u32) -> u32 {
        match &self.positions {
            Some(positions) => positions[value as usize],
            None => self.line.node(ProcessId::new(value)).index(),
        }
    }
}

/// Two values of a field that are neighbours in the cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) low: u32,            // the lower value
    pub(crate) positions: [u32; 2], // the coordinates of the lower and of the higher one
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_mapping::{EmbeddingKind, Hypercube};
    use cubefold_topology::{Machine, MachineKind};

    #[test]
    fn fields_hold_every_dimension_once_and_pair_neighbours() {
        let cube = Hypercube::new(6).unwrap();
        let machine = Machine::new(MachineKind::Torus, &[8, 2, 4]).unwrap();
        let placement = ProductPlacement::new(EmbeddingKind::Byweight, cube, &machine).unwrap();
        let fields = FieldLine::all(&placement);
        let bits = |dimension| fields.iter().map(|field| field.bit(dimension)).collect::<Vec<_>>();
        let expected = [[Some(1), None, None], [Some(2), None, None], [Some(4), None, None]];
        let found: Vec<_> = cube.dimensions().map(bits).collect();
        assert_eq!(found[..3], expected);
        assert_eq!(found[3..], [[None, Some(1), None], [None, None, Some(1)], [None, None, Some(2)]]);
        let lows: Vec<u32> = fields[0].pairs(2).map(|pair| pair.low).collect();
        assert_eq!(lows, [0, 1, 4, 5]);
    }

    #[test]
    fn positions_are_the_coordinates_of_the_placement_kept_or_not() {
        let cube = Hypercube::new(7).unwrap();
        let machine = Machine::new(MachineKind::Torus, &[8, 16]).unwrap();
        for kind in EmbeddingKind::ALL {
            let placement = ProductPlacement::new(kind, cube, &machine).unwrap();
            for mut field in FieldLine::all(&placement) {
                let dimension = machine.shape().dimensions().nth(usize::from(field.first > 0)).unwrap();
                for value in 0..u32::try_from(field.extent.length()).unwrap() {
                    let node = placement.node(ProcessId::new(value << field.first));
                    let coordinate = machine.shape().coordinate(node, dimension);
                    assert_eq!(field.position(value), coordinate);
                    let kept = field.positions.take();
                    assert_eq!(field.position(value), coordinate);
                    field.positions = kept;
                }
            }
        }
    }
}
