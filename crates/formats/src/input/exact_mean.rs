//! Means of integers, rounded once.

use cubefold_topology::greatest_common_divisor;

/// `sum / count`, rounded once to the nearest floating-point number; `None` for a count of 0.
///
/// Dividing two converted integers would round up to three times.
#[must_use]
pub fn exact_mean(sum: u128, count: u128) -> Option<f64> {
    if count == 0 {
        return None;
    }
    let (whole, rest) = (sum / count, sum % count);
    // Adds one bit of the fraction at a time, until the quotient has more bits than a float keeps. The remainder
    // then only affects the rounding of the last bit.
    let (mut quotient, mut rest, mut shift) = (whole, rest, 0_i32);
    while quotient < 1 << 60 && rest != 0 && shift < 1100 {
        // The remainder is below the count, so doubling it overflows only for counts from 2^127 on.
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

/// The mean of several `sum / count`, rounded once if the common denominator fits 128 bits; `None` if there
/// are none, or for a count of 0.
#[must_use]
pub fn mean_of_means(parts: &[(u64, u64)]) -> Option<f64> {
    let whole = parts.iter().try_fold((0_u128, 1_u128), |fraction, &part| added(fraction, part));
    if let Some((sum, count)) = whole {
        return exact_mean(sum, count.checked_mul(parts.len() as u128)?);
    }
    let means: Option<Vec<f64>> =
        parts.iter().map(|&(sum, count)| exact_mean(sum.into(), count.into())).collect();
    let means = means?;
    #[expect(clippy::cast_precision_loss, reason = "at most 32 parts")]
    let mean = means.iter().sum::<f64>() / means.len() as f64;
    Some(mean)
}

/// The sum of two fractions over their least common denominator; `None` if it is 0 or exceeds 128 bits.
fn added((sum, count): (u128, u128), (other, others): (u64, u64)) -> Option<(u128, u128)> {
    let (other, others) = (u128::from(other), u128::from(others));
    let common = count.checked_mul(others)?.checked_div(greatest_common_divisor(count, others))?;
    let left = sum.checked_mul(common / count)?;
    let right = other.checked_mul(common.checked_div(others)?)?;
    Some((left.checked_add(right)?, common))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_of_different_counts_weigh_the_same() {
        // (1/2 + 2/3) / 2 = 7/12, not 3/5.
        assert_eq!(mean_of_means(&[(1, 2), (2, 3)]), Some(7.0 / 12.0));
        assert_eq!(mean_of_means(&[(6, 3), (6, 3)]), Some(2.0));
        assert_eq!(mean_of_means(&[]), None);
        assert_eq!(mean_of_means(&[(1, 0)]), None);
        let large = [(u64::MAX, u64::MAX - 58), (u64::MAX, u64::MAX - 82), (u64::MAX, u64::MAX - 188)];
        assert!((mean_of_means(&large).unwrap() - 1.0).abs() < 1e-12);
    }

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
        // (2^54 + 1) / 2 = 2^53 + 0.5 lies halfway between 2^53 and 2^53 + 1, and a float can hold only 2^53
        // and 2^53 + 2: the even neighbour is 2^53. Rounding the sum first gives the same; adding 1/4 does
        // not.
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
