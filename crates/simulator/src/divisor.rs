//! Division by lengths, most of which are powers of two.

/// A number that millions of others are divided by: without division where it is a power of two.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Divisor {
    /// Two to this power.
    Power(u32),
    /// Any other.
    Number(u64),
}

impl Divisor {
    /// A divisor, at least 1.
    pub(crate) fn new(number: u64) -> Self {
        if number.is_power_of_two() { Self::Power(number.trailing_zeros()) } else { Self::Number(number) }
    }

    /// The quotient and the remainder.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(crate) fn divide(self, dividend: u64) -> (u64, u64) {
        match self {
            Self::Power(power) => (dividend >> power, dividend & !(u64::MAX << power)),
            Self::Number(number) => (dividend / number, dividend % number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_divide_like_all_numbers() {
        for number in (1..40).chain([1 << 31, (1 << 32) - 1, 1 << 32]) {
            for dividend in (0..200).chain([u64::from(u32::MAX), 1 << 32, u64::MAX]) {
                assert_eq!(Divisor::new(number).divide(dividend), (dividend / number, dividend % number));
            }
        }
    }
}
