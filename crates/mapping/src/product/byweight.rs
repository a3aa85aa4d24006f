//! The byweight embedding of one field (Harper 1966; González & Valero 1993, section 2.3 and figure 3a).
//!
//! The papers define it for a line and extend it to meshes of two dimensions; here every coordinate has the order of
//! the line (a choice, `docs/model.md` section 3).
//!
//! Values are ordered by number of ones ascending, ties by value descending:
//!
//! ```text
//! line of 8    position  0 1 2 3 4 5 6 7
//!              value     0 4 2 1 6 5 3 7
//! ```
//!
//! Both directions are ranked in the combinatorial number system, without a table of the order: with the
//! ones of a value at bits `b_1 < b_2 < .. < b_w`, `sum_i binomial(b_i, i)` values of the same weight are smaller.

/// The greatest number of bits of a field.
const MAX_BITS: usize = 32;

/// `BINOMIAL[n][k]`, 0 for `k > n`.
const BINOMIAL: [[u64; MAX_BITS + 1]; MAX_BITS + 1] = binomials();

const fn binomials() -> [[u64; MAX_BITS + 1]; MAX_BITS + 1] {
    let mut table = [[0; MAX_BITS + 1]; MAX_BITS + 1];
    let mut n = 0;
    while n <= MAX_BITS {
        table[n][0] = 1;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
}

/// Position of field value `value`, below `2^bits`, in the order by weight; in O(bits).
pub(super) fn position(value: u32, bits: u32) -> u32 {
    let row = &BINOMIAL[bits as usize];
    let weight = value.count_ones() as usize;
    let up_to_this_weight: u64 = row[..=weight].iter().sum();
    let (mut smaller, mut ones, mut rest) = (0, 0, value);
    while rest != 0 {
        ones += 1;
        smaller += BINOMIAL[rest.trailing_zeros() as usize][ones];
        rest &= rest - 1;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a position is below 2^bits")]
    {
        (up_to_this_weight - 1 - smaller) as u32
    }
}

/// Field value at `position`, below `2^bits`, of the order by weight; in O(bits).
pub(super) fn value(position: u32, bits: u32) -> u32 {
    let row = &BINOMIAL[bits as usize];
    let (mut weight, mut up_to_this_weight) = (0, row[0]);
    while up_to_this_weight <= u64::from(position) {
        weight += 1;
        up_to_this_weight += row[weight];
    }
    let mut smaller = up_to_this_weight - 1 - u64::from(position);
    let (mut value, mut bit) = (0, bits as usize);
    for ones in (1..=weight).rev() {
        // The highest bit whose smaller values do not exceed the remaining count.
        bit -= 1;
        while BINOMIAL[bit][ones] > smaller {
            bit -= 1;
        }
        smaller -= BINOMIAL[bit][ones];
        value |= 1 << bit;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order written out: by number of ones, then descending.
    fn order(bits: u32) -> Vec<u32> {
        let mut values: Vec<u32> = (0..1 << bits).collect();
        values.sort_by_key(|&value| (value.count_ones(), std::cmp::Reverse(value)));
        values
    }

    #[test]
    fn three_bits_are_figure_3a() {
        assert_eq!(order(3), [0, 4, 2, 1, 6, 5, 3, 7]);
    }

    #[test]
    fn ranking_equals_sorting_on_every_field_of_up_to_fourteen_bits() {
        for bits in 1..=14 {
            for (at, ordered) in (0_u32..).zip(order(bits)) {
                assert_eq!(position(ordered, bits), at);
                assert_eq!(value(at, bits), ordered);
            }
        }
    }

    #[test]
    fn fields_of_thirty_two_bits_are_ranked_without_overflow() {
        assert_eq!(position(u32::MAX, 32), u32::MAX);
        assert_eq!(position(1 << 31, 32), 1);
        for at in [0, 1, 32, 33, 0x1234_5678, u32::MAX - 1, u32::MAX] {
            assert_eq!(position(value(at, 32), 32), at);
        }
    }
}
