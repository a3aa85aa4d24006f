//! The functions of general reduction: a grid of supernodes, each with a smaller embedding inside.

use cubefold_topology::MAX_DIMENSIONS;

use super::expansion::Expansion;
use super::factor::Factor;
use super::mixed_radix::narrow;
use super::room::Room;
use super::same_shape::Fold;
use super::sequence::Sequence;

/// `F'_S`, `H'_S`, `G'_S`, and with folding `H''_S`, `G''_S` (Tao 1988, definition 3.4.7).
///
/// With `s_1, .., s_b` the components of `S`, the first `c` coordinates are those of a supernode and become
/// multiples of `s_k`, folded or not; the others are embedded inside, as offsets below `s_k`:
///
/// ```text
/// (s_1 i_1, .., s_b i_b) + E_S(i_(c+1), .., i_d), i_(b+1), .., i_c
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Supernodes {
    grid: usize,        // the number c of coordinates of a supernode
    offset: Expansion,  // E_S, from the coordinates after those
    fold: Option<Fold>, // of the first c coordinates
}

impl Supernodes {
    pub(super) fn new(grid: usize, sequence: Sequence, factor: Factor, fold: Option<Fold>) -> Self {
        Self { grid, offset: Expansion::new(sequence, factor), fold }
    }

    pub(super) fn write_image(&self, from: &Room, image: &mut Room) {
        self.offset.write_image(&from[self.grid..], image);
        let multipliers = self.offset.factor().components();
        for position in 0..self.grid {
            let base = match &self.fold {
                Some(fold) => fold.at(position, from[position]),
                None => from[position],
            };
            image[position] = match multipliers.get(position) {
                Some(multiplier) => narrow(u64::from(base) * multiplier.get() + u64::from(image[position])),
                None => base,
            };
        }
    }

    /// The inverse, all of the first `c` coordinates unfolded and the offset's own inverse applied to the
    /// remainders (errata A5).
    pub(super) fn write_origin(&self, image: &Room, origin: &mut Room) {
        let multipliers = self.offset.factor().components();
        let mut offsets = [0; MAX_DIMENSIONS];
        for position in 0..self.grid {
            let here = image[position];
            let base = match multipliers.get(position) {
                Some(multiplier) => {
                    let (base, offset) = multiplier.divide(u64::from(here));
                    offsets[position] = narrow(offset);
                    narrow(base)
                }
                None => here,
            };
            origin[position] = match &self.fold {
                Some(fold) => fold.undone_at(position, base),
                None => base,
            };
        }
        self.offset.write_origin(&offsets, &mut origin[self.grid..]);
    }
}
