//! The one-to-one functions of the dissertation, from coordinates to coordinates, and their
//! composition.

use std::fmt;

use cubefold_topology::{MAX_DIMENSIONS, narrow};

use super::elimination::Elimination;
use super::factor::{Factor, FreePositions};
use super::radix::{self, CoordinateBuffer};
use super::sequence::{Sequence, fold, unfold};

/// One function of a composition: a bijection of coordinates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bijection {
    Permutation(Permutation),
    Fold(Fold),
    Expansion(Expansion),
    SimpleReduction(SimpleReduction),
    Supernodes(Supernodes),
    Elimination(Elimination),
}

impl Bijection {
    pub(super) fn write_image(&self, from: &CoordinateBuffer, image: &mut CoordinateBuffer) {
        match self {
            Self::Permutation(function) => function.write_image(from, image),
            Self::Fold(function) => function.write_image(from, image),
            Self::Expansion(function) => function.write_image(from, image),
            Self::SimpleReduction(function) => function.write_image(from, image),
            Self::Supernodes(function) => function.write_image(from, image),
            Self::Elimination(function) => function.write_image(from, image),
        }
    }

    /// Writes the coordinates whose image this is.
    pub(super) fn write_origin(&self, image: &CoordinateBuffer, origin: &mut CoordinateBuffer) {
        match self {
            Self::Permutation(function) => function.write_origin(image, origin),
            Self::Fold(function) => function.write_origin(image, origin),
            Self::Expansion(function) => function.write_origin(image, origin),
            Self::SimpleReduction(function) => function.write_origin(image, origin),
            Self::Supernodes(function) => function.write_origin(image, origin),
            Self::Elimination(function) => function.write_origin(image, origin),
        }
    }
}

/// A composition of bijections; its inverse is composed of theirs (Tao 1988, 4.3.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Composition {
    functions: Vec<Bijection>, // the first applied first
}

impl Composition {
    /// The composition of some functions, the first applied first, without identical permutations.
    pub(super) fn new(mut functions: Vec<Bijection>) -> Self {
        functions
            .retain(|function| !matches!(function, Bijection::Permutation(order) if order.is_identity()));
        Self { functions }
    }

    pub(super) fn image(&self, coordinates: CoordinateBuffer) -> CoordinateBuffer {
        let (mut here, mut next) = (coordinates, coordinates);
        for function in &self.functions {
            function.write_image(&here, &mut next);
            std::mem::swap(&mut here, &mut next);
        }
        here
    }

    /// The image under the first function alone.
    pub(super) fn first_stage(&self, coordinates: CoordinateBuffer) -> CoordinateBuffer {
        let mut image = coordinates;
        if let Some(function) = self.functions.first() {
            function.write_image(&coordinates, &mut image);
        }
        image
    }

    pub(super) fn origin(&self, image: CoordinateBuffer) -> CoordinateBuffer {
        let (mut here, mut next) = (image, image);
        for function in self.functions.iter().rev() {
            function.write_origin(&here, &mut next);
            std::mem::swap(&mut here, &mut next);
        }
        here
    }
}

/// A permutation `pi` of dimensions: `pi((i_1, .., i_k)) = (i_pi(1), .., i_pi(k))` (Tao 1988, 3.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Permutation {
    order: Vec<usize>, // every number in 0..k once: entry j is pi(j+1) - 1
}

impl Permutation {
    /// The permutation that takes its entry `j` from position `order[j]`, counted from 0.
    pub(super) fn new(order: Vec<usize>) -> Self {
        debug_assert!((0..order.len()).all(|position| order.contains(&position)));
        Self { order }
    }

    /// The permutation that rearranges one list of lengths to another, equal lengths in order; `None` if
    /// the lists differ by more than order.
    pub(super) fn between(from: &[u64], to: &[u64]) -> Option<Self> {
        let mut free = FreePositions::new(from.len());
        let order: Option<Vec<usize>> = to.iter().map(|&length| free.take(|at| from[at] == length)).collect();
        (from.len() == to.len()).then_some(order?).map(Self::new)
    }

    pub(super) fn is_identity(&self) -> bool {
        self.order.iter().enumerate().all(|(position, &from)| position == from)
    }

    /// `pi(1), .., pi(k)`, counted from 1 as in the dissertation.
    pub(super) fn numbers(&self) -> Vec<usize> {
        self.order.iter().map(|position| position + 1).collect()
    }

    /// Writes `pi(list)`.
    pub(super) fn write_image(&self, list: &[u32], image: &mut [u32]) {
        for (&from, slot) in self.order.iter().zip(image) {
            *slot = list[from];
        }
    }

    pub(super) fn write_origin(&self, image: &[u32], list: &mut [u32]) {
        for (&from, &value) in self.order.iter().zip(image) {
            list[from] = value;
        }
    }
}

impl fmt::Display for Permutation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.numbers())
    }
}

/// The permutation between two lists that are known to differ only in order.
#[expect(clippy::expect_used, reason = "a factor found by search has the components that were searched")]
pub(super) fn rearrangement(from: &[u64], to: &[u64]) -> Permutation {
    Permutation::between(from, to).expect("the same lengths in another order")
}

/// `T_L`: every coordinate folded by `t_(l_i)` (Tao 1988, definition 3.4.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fold {
    pub(super) lengths: Vec<Option<u64>>, // of each coordinate; `None` if it stays
}

impl Fold {
    /// Folds every coordinate.
    pub(super) fn new(lengths: &[u64]) -> Self {
        Self { lengths: lengths.iter().copied().map(Some).collect() }
    }

    /// The coordinate at `position` folded.
    pub(super) fn at(&self, position: usize, coordinate: u32) -> u32 {
        match self.lengths[position] {
            Some(length) => fold(length, coordinate),
            None => coordinate,
        }
    }

    /// The coordinate at `position` unfolded.
    pub(super) fn undone_at(&self, position: usize, coordinate: u32) -> u32 {
        match self.lengths[position] {
            Some(length) => unfold(length, coordinate),
            None => coordinate,
        }
    }

    pub(super) fn write_image(&self, from: &CoordinateBuffer, image: &mut CoordinateBuffer) {
        for position in 0..self.lengths.len() {
            image[position] = self.at(position, from[position]);
        }
    }

    pub(super) fn write_origin(&self, image: &CoordinateBuffer, origin: &mut CoordinateBuffer) {
        for position in 0..self.lengths.len() {
            origin[position] = self.undone_at(position, image[position]);
        }
    }
}

/// `F_V`, `G_V` or `H_V`: coordinate `i` becomes the list that stands at its position in the sequence over `V_i`
/// (Tao 1988, definition 3.4.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expansion {
    sequence: Sequence,
    factor: Factor,
}

impl Expansion {
    pub(super) fn new(sequence: Sequence, factor: Factor) -> Self {
        Self { sequence, factor }
    }

    pub(super) fn write_image(&self, from: &[u32], image: &mut [u32]) {
        for ((range, list), &coordinate) in self.factor.lists.iter().zip(from) {
            self.sequence.write_element(list, coordinate, &mut image[range.clone()]);
        }
    }

    pub(super) fn write_origin(&self, image: &[u32], origin: &mut [u32]) {
        for ((range, list), slot) in self.factor.lists.iter().zip(origin) {
            *slot = self.sequence.position(list, &image[range.clone()]);
        }
    }
}

/// `U_V`: every host coordinate is the number whose digits, to the lengths of `V_i`, are guest coordinates
/// (Tao 1988, definition 3.4.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SimpleReduction {
    factor: Factor,
}

impl SimpleReduction {
    pub(super) fn new(factor: Factor) -> Self {
        Self { factor }
    }

    pub(super) fn write_image(&self, from: &CoordinateBuffer, image: &mut CoordinateBuffer) {
        for ((range, list), slot) in self.factor.lists.iter().zip(image) {
            *slot = radix::value(&list.lengths, &from[range.clone()]);
        }
    }

    pub(super) fn write_origin(&self, image: &CoordinateBuffer, origin: &mut CoordinateBuffer) {
        for ((range, list), &coordinate) in self.factor.lists.iter().zip(image) {
            radix::write_digits(&list.lengths, coordinate, &mut origin[range.clone()]);
        }
    }
}

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

    pub(super) fn write_image(&self, from: &CoordinateBuffer, image: &mut CoordinateBuffer) {
        self.offset.write_image(&from[self.grid..], image);
        let multipliers = &self.offset.factor.components;
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
    pub(super) fn write_origin(&self, image: &CoordinateBuffer, origin: &mut CoordinateBuffer) {
        let multipliers = &self.offset.factor.components;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lengths_keep_their_order() {
        let between = |from: &[u64], to: &[u64]| Permutation::between(from, to).map(|found| found.numbers());
        assert_eq!(between(&[2, 3, 6, 2], &[6, 3, 2, 2]), Some(vec![3, 2, 1, 4]));
        assert_eq!(between(&[2, 3], &[3, 3]), None);
        assert_eq!(between(&[2, 3], &[3]), None);
    }
}
