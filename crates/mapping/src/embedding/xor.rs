//! The xor embedding of one field (González & Valero 1993, section 3).

/// Position of field value `value` of `bits` bits, and field value at that position: the map is its own
/// inverse.
///
/// Bit `bits - 2` is replaced by the exclusive or of the two highest bits, which swaps the third and the
/// fourth quarter of the ring, so that dimension `bits - 1` spans a quarter instead of half:
///
/// ```text
/// ring of 8    position  0 1 2 3 4 5 6 7
///              value     0 1 2 3 6 7 4 5
/// ```
///
/// A field of one bit is left as it is.
pub(super) fn exchange(value: u32, bits: u32) -> u32 {
    if bits < 2 { value } else { value ^ ((value >> (bits - 1)) << (bits - 2)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_of_eight_is_the_row_of_figure_6() {
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|value| exchange(value, 3)), [0, 1, 2, 3, 6, 7, 4, 5]);
        assert_eq!([0, 1].map(|value| exchange(value, 1)), [0, 1]);
    }

    #[test]
    fn the_exchange_undoes_itself_on_every_field_of_up_to_twelve_bits() {
        for bits in 1..=12 {
            assert!((0..1 << bits).all(|value| exchange(exchange(value, bits), bits) == value));
        }
        assert_eq!(exchange(u32::MAX, 32), u32::MAX ^ (1 << 30));
    }
}
