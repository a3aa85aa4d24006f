//! Mixed-radix numbers: the bijection `u` and its inverse.

pub(crate) use cubefold_topology::narrow;

use super::length::Length;

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
