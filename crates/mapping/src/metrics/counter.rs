//! Counters of edges, as narrow as the number of edges permits.

use std::ops::{BitOr, BitXor, Shr};

use super::measures::Extremes;

/// A count of guest edges, modulo a power of two while it is put together from parts that may be negative.
///
/// No count of a guest with under 2^31 edges exceeds 2^32, not even that of the edges' ends: 32 bits suffice.
pub(super) trait Counter:
    Copy
    + Default
    + Ord
    + From<u8>
    + Into<u64>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Shr<u8, Output = Self>
    + Send
    + Sync
{
    #[must_use]
    fn plus(self, other: Self) -> Self;

    #[must_use]
    fn minus(self, other: Self) -> Self;

    /// A count that is known to fit.
    #[must_use]
    fn of(count: u64) -> Self;
}

impl Counter for u32 {
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the count is known to fit")]
    fn of(count: u64) -> Self {
        count as Self
    }
}

impl Counter for u64 {
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    fn of(count: u64) -> Self {
        count
    }
}

/// The number of counts that are reduced together: their sum, of at most 2^36 edges each, cannot overflow.
const COUNTS_A_ROW: usize = 1 << 12;

pub(super) fn extremes<C: Counter>(counts: &[C]) -> Extremes {
    counts.chunks(COUNTS_A_ROW).map(extremes_of_row).fold(Extremes::NONE, Extremes::and)
}

fn extremes_of_row<C: Counter>(row: &[C]) -> Extremes {
    let (first, count) = (row[0], row.len() as u64);
    // Often all are equal, which is faster to find out than their order.
    let differing = row.iter().fold(C::default(), |bits, &value| bits | (value ^ first));
    if differing == C::default() {
        let value = first.into();
        return Extremes { min: value, max: value, sum: value * count, count };
    }
    let (min, max, sum) = row.iter().fold((first, first, 0_u64), |(min, max, sum), &value| {
        (min.min(value), max.max(value), sum.wrapping_add(value.into()))
    });
    Extremes { min: min.into(), max: max.into(), sum, count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_are_those_of_every_value_by_itself() {
        let random = |at: u32| at.wrapping_mul(2_654_435_761) >> (at % 20);
        for length in [0, 1, 2, 4096, 4097, 10_000] {
            for of_equal in [1, 5000] {
                let counts: Vec<u32> = (0..length).map(|at| random(at / of_equal)).collect();
                let wide: Vec<u64> = counts.iter().copied().map(u64::from).collect();
                let expected = Extremes::of(wide.iter().copied());
                assert_eq!((extremes(&counts), extremes(&wide)), (expected, expected));
            }
        }
    }
}
