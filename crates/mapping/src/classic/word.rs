//! Binary words: the addresses of hypercubes and of the networks made of them.

/// The word of `length` bits, rotated left by one: the shuffle.
pub(super) fn rotated_left(word: u32, length: u32) -> u32 {
    debug_assert!(length > 0 && length < 32, "a word of 1 to 31 bits");
    (word << 1 | word >> (length - 1)) & ((1 << length) - 1)
}

/// The word of `length` bits, rotated right by one.
pub(super) fn rotated_right(word: u32, length: u32) -> u32 {
    debug_assert!(length > 0 && length < 32, "a word of 1 to 31 bits");
    word >> 1 | (word & 1) << (length - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_bit_becomes_the_lowest_and_back() {
        assert_eq!(rotated_left(0b101, 3), 0b011);
        assert_eq!(rotated_left(0b1, 1), 0b1);
        assert_eq!(rotated_right(0b011, 3), 0b101);
    }
}
