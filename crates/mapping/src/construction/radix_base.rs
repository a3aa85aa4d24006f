//! Radix bases: lists of lengths with what the sequences over them need at hand.

use super::length::Length;

/// A radix base `L = (l_1, .., l_d)` (Tao 1988, definition 3.2.5): lengths with a product `n` of at most 2^32.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RadixBase {
    lengths: Vec<Length>, // at least one
    product: u64,         // n
    circuit: Option<Circuit>,
}

/// What `h_L` needs of a base of two lengths or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Circuit {
    pub(super) rows: u64,             // l_1
    pub(super) columns: u64,          // l_2
    pub(super) other_columns: Length, // l_2 - 1
    pub(super) lap: Length,           // l_1 l_2 - 1
    pub(super) tour: u64,             // m (l_1 l_2 - 1), m the product of l_3, .., l_d
}

impl RadixBase {
    pub(super) fn new(lengths: &[u64]) -> Self {
        let product = lengths.iter().product();
        let circuit = match *lengths {
            [rows, columns, ..] => {
                let lap = rows * columns - 1;
                let tour = product / (rows * columns) * lap;
                let (other_columns, lap) = (Length::new(columns - 1), Length::new(lap));
                Some(Circuit { rows, columns, other_columns, lap, tour })
            }
            _ => None,
        };
        Self { lengths: Length::all(lengths), product, circuit }
    }

    /// The lengths.
    pub(super) fn lengths(&self) -> &[Length] {
        &self.lengths
    }

    /// The product of the lengths: how many radix-`L` numbers there are.
    pub(super) fn product(&self) -> u64 {
        self.product
    }

    /// What `h_L` needs; none for one length.
    pub(super) fn circuit(&self) -> Option<&Circuit> {
        self.circuit.as_ref()
    }

    /// The lengths as plain numbers.
    pub(super) fn plain(&self) -> Vec<u64> {
        self.lengths.iter().map(|length| length.get()).collect()
    }
}
