//! The product embeddings of section 3 of `docs/model.md`.

use super::super::grid::Grid;

/// A product embedding.
#[derive(Clone, Copy)]
pub enum Embedding {
    /// `standard`
    Standard,
    /// `xor`
    Xor,
    /// `byweight`
    ByWeight,
    /// `gray`
    Gray,
    /// `optimal`
    Optimal,
}

impl Embedding {
    /// The coordinate of a field of so many bits with this value.
    fn coordinate(self, value: u64, bits: u32, wraps: bool) -> u64 {
        match self {
            Self::Standard => value,
            Self::Xor if bits == 1 => value,
            Self::Xor => value ^ (((value >> (bits - 1)) & 1) << (bits - 2)),
            Self::ByWeight => {
                let precedes = |other: &u64| {
                    let (ones, others_ones) = (value.count_ones(), other.count_ones());
                    others_ones < ones || (others_ones == ones && *other > value)
                };
                (0..1 << bits).filter(precedes).map(|_| 1).sum()
            }
            Self::Gray => {
                let encodes = |position: &u64| position ^ (position >> 1) == value;
                (0..1 << bits).find(encodes).unwrap()
            }
            Self::Optimal if wraps => Self::Xor.coordinate(value, bits, wraps),
            Self::Optimal => Self::Standard.coordinate(value, bits, wraps),
        }
    }

    /// The node of every process of the cube with as many processes as the machine has nodes.
    pub fn nodes(self, grid: &Grid) -> Vec<u64> {
        (0..grid.number_of_nodes()).map(|process| self.node(grid, process)).collect()
    }

    /// The node of a process, field by field.
    fn node(self, grid: &Grid, process: u64) -> u64 {
        let mut rest = process;
        let mut coordinates = Vec::new();
        for (length, wraps) in grid.lengths.iter().zip(&grid.wraps) {
            coordinates.push(self.coordinate(rest % length, length.ilog2(), *wraps));
            rest /= length;
        }
        grid.index(&coordinates)
    }
}
