//! Coordinates and mixed-radix numbers: the arithmetic that all functions share.
//!
//! A node's index has the first coordinate fastest (`docs/model.md` section 1); a radix-`L` number has its first
//! digit weigh most (Tao 1988, definition 3.2.5). Nothing is allocated for a single process.

use cubefold_topology::{Length, MAX_DIMENSIONS, narrow};

/// The coordinates of any node; entries after the last coordinate are meaningless.
pub(super) type CoordinateBuffer = [u32; MAX_DIMENSIONS];

/// The coordinates of the node or process with this index, which is below the product of the lengths.
pub(super) fn coordinates(index: u32, lengths: &[Length]) -> CoordinateBuffer {
    let mut buffer = [0; MAX_DIMENSIONS];
    let mut rest = u64::from(index);
    for (slot, length) in buffer.iter_mut().zip(lengths) {
        let (higher, coordinate) = length.divide(rest);
        *slot = narrow(coordinate);
        rest = higher;
    }
    assert_eq!(rest, 0, "an index below the number of nodes");
    buffer
}

/// The index of the node or process with these coordinates, each below its length.
pub(super) fn index(coordinates: &CoordinateBuffer, lengths: &[Length]) -> u32 {
    let (mut index, mut stride) = (0_u64, 1_u64);
    for (&coordinate, length) in coordinates.iter().zip(lengths) {
        // Neither wraps: strides are at most the number of nodes, 2^32, and the sum stays below it.
        index = index.wrapping_add(u64::from(coordinate).wrapping_mul(stride));
        stride = stride.wrapping_mul(length.get());
    }
    narrow(index)
}

/// The number with these digits: `u_L^-1` of the list.
///
/// Tao 1988, definition 3.2.5: the sum of `x_k w_k`, `w_k` the product of `l_(k+1), .., l_d`; the first
/// digit weighs most. `base` is the list `L` of lengths with a product of at most 2^32; the digits are each
/// below their length.
pub(super) fn value(base: &[Length], digits: &[u32]) -> u32 {
    debug_assert_eq!(base.len(), digits.len());
    let places = base.iter().zip(digits);
    narrow(places.fold(0, |number, (length, &digit)| number * length.get() + u64::from(digit)))
}

/// Writes the digits of `number`, which is below the product of `base`: `u_L` of it.
pub(super) fn write_digits(base: &[Length], number: u32, digits: &mut [u32]) {
    debug_assert_eq!(base.len(), digits.len());
    let mut rest = u64::from(number);
    for (length, slot) in base.iter().zip(digits).rev() {
        let (higher, digit) = length.divide(rest);
        *slot = narrow(digit);
        rest = higher;
    }
}

/// A radix base `L = (l_1, .., l_d)` (Tao 1988, definition 3.2.5), with the constants of the sequences over it.
///
/// The product `n` of its lengths is at most 2^32.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RadixBase {
    pub(super) lengths: Vec<Length>,     // at least one
    pub(super) product: u64,             // n: the number of radix-`L` numbers
    pub(super) circuit: Option<Circuit>, // `None` for one length
}

/// The constants of `h_L` over a base of two lengths or more.
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

    pub(super) fn plain(&self) -> Vec<u64> {
        self.lengths.iter().map(|length| length.get()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_radix_4_2_3_are_those_of_figure_3_9() {
        let base = Length::all(&[4, 2, 3]);
        let mut digits = [0; 3];
        write_digits(&base, 17, &mut digits);
        assert_eq!(digits, [2, 1, 2]);
        for number in 0..24 {
            write_digits(&base, number, &mut digits);
            assert_eq!(value(&base, &digits), number);
        }
    }

    #[test]
    fn one_digit_may_be_as_large_as_32_bits_hold() {
        let base = Length::all(&[1 << 32]);
        let mut digits = [0; 1];
        write_digits(&base, u32::MAX, &mut digits);
        assert_eq!(digits, [u32::MAX]);
        assert_eq!(value(&base, &digits), u32::MAX);
    }
}
