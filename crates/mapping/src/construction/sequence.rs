//! The sequences of mixed-radix numbers that all constructions are made of (Tao 1988, 3.3).

mod circuit;
mod reflected;
mod two_apart;

pub(super) use two_apart::{fold, unfold};

use super::radix_base::RadixBase;

/// A sequence of all lists in a radix base `L = (l_1, .., l_d)`: a bijection from `0..n`, `n` the product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sequence {
    /// `f_L`: successive elements are neighbours in a mesh (lemma 3.3.2).
    F,
    /// `g_L`: successive elements, the last and the first too, are at most 2 apart in a mesh (lemma 3.3.4).
    G,
    /// `h_L`: successive elements, the last and the first too, are neighbours in a torus (lemma 3.3.8), and
    /// in a mesh when there are two lengths or more and the first is even (lemma 3.3.7).
    H,
}

impl Sequence {
    /// The letter in the dissertation.
    pub(super) fn letter(self) -> char {
        match self {
            Self::F => 'f',
            Self::G => 'g',
            Self::H => 'h',
        }
    }

    /// Writes element number `position` of the sequence over `base`.
    pub(super) fn write_element(self, base: &RadixBase, position: u32, element: &mut [u32]) {
        match self {
            Self::F => reflected::write_element(base.lengths(), u64::from(position), element),
            Self::G => {
                let folded = fold(base.product(), position);
                reflected::write_element(base.lengths(), u64::from(folded), element);
            }
            Self::H => circuit::write_element(base, position, element),
        }
    }

    /// The position of an element: inverse of the above (Tao 1988, 4.3.1).
    pub(super) fn position(self, base: &RadixBase, element: &[u32]) -> u32 {
        match self {
            Self::F => reflected::position(base.lengths(), element),
            Self::G => unfold(base.product(), reflected::position(base.lengths(), element)),
            Self::H => circuit::position(base, element),
        }
    }
}

#[cfg(test)]
mod tests;
