//! The binary-reflected Gray code (CS838 1999).

/// Position of code word `value`: the `p` with `p xor (p >> 1) = value`.
///
/// Neighbouring positions hold words that differ in one bit, so links of the line or ring carry
/// neighbouring processes; the reverse does not hold, and distances vary.
pub(crate) fn position(value: u32) -> u32 {
    // Prefix exclusive or: each bit of p is the exclusive or of all bits of the value from it upwards.
    [1, 2, 4, 8, 16].into_iter().fold(value, |prefix, shift| prefix ^ (prefix >> shift))
}

/// Code word at `position`.
pub(crate) fn value(position: u32) -> u32 {
    position ^ (position >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_bits_are_the_code_as_printed_everywhere() {
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(value), [0, 1, 3, 2, 6, 7, 5, 4]);
    }

    #[test]
    fn position_and_value_are_inverse_and_neighbours_differ_in_one_bit() {
        for at in (0..1 << 12).chain(u32::MAX - 9..u32::MAX) {
            assert_eq!(position(value(at)), at);
            assert_eq!((value(at) ^ value(at + 1)).count_ones(), 1);
        }
    }
}
