//! Means of integers, rounded once.

/// `sum / count`, rounded to the nearest floating-point number only once; none for a count of 0.
///
/// Dividing two converted integers would round up to three times.
#[must_use]
pub fn exact_mean(sum: u128, count: u128) -> Option<f64> {
    if count == 0 {
        return None;
    }
    let (whole, rest) = (sum / count, sum % count);
    // Bits of the fraction, until the quotient has more than a float keeps; what is left then only says
    // whether the last bit stands for a little more than itself.
    let (mut quotient, mut rest, mut shift) = (whole, rest, 0_i32);
    while quotient < 1 << 60 && rest != 0 && shift < 1100 {
        // The rest is below the count, so that twice the rest overflows only for counts from 2^127 on.
        let doubled = rest.checked_mul(2)?;
        quotient = quotient << 1 | u128::from(doubled >= count);
        rest = if doubled >= count { doubled - count } else { doubled };
        shift += 1;
    }
    let sticky = quotient | u128::from(rest != 0);
    #[expect(clippy::cast_precision_loss, reason = "the one rounding")]
    let rounded = sticky as f64;
    Some(rounded * 2_f64.powi(-shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_means_are_those_of_division() {
        for count in 1..60_u32 {
            for sum in 0..200_u32 {
                let expected = f64::from(sum) / f64::from(count);
                assert_eq!(exact_mean(sum.into(), count.into()), Some(expected), "{sum} / {count}");
            }
        }
        assert_eq!(exact_mean(7, 0), None);
    }

    #[test]
    fn large_sums_are_rounded_once() {
        // (2^54 + 1) / 2 = 2^53 + 0.5 lies halfway between 2^53 and 2^53 + 1, which only the latter's
        // neighbours can hold: the even one is 2^53. Rounding the sum first gives the same; adding 1/4 not.
        let half = (1_u128 << 54) + 1;
        assert_eq!(exact_mean(half, 2), Some(9_007_199_254_740_992.0));
        // (2^56 + 6) / 4 = 2^54 + 1.5: between 2^54 and 2^54 + 4 the nearest is 2^54.
        assert_eq!(exact_mean((1 << 56) + 6, 4), Some(18_014_398_509_481_984.0));
        // Just over a half must go up, however small the excess.
        let over = ((1_u128 << 53) + 1) * 2 * 1_000_003 / 2 + 1;
        assert_eq!(exact_mean(over, 1_000_003), Some(9_007_199_254_740_994.0));
        assert_eq!(exact_mean(u128::from(u64::MAX) * 3, 3), Some(18_446_744_073_709_551_616.0));
    }
}
