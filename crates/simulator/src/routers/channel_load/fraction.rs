//! Exact fractions of 128 bits.

use std::{cmp::Ordering, fmt};

/// A fraction that is not negative.
///
/// Sums and products are `None` if a numerator or denominator exceeds 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fraction {
    numerator: u128,
    denominator: u128, // at least 1
}

impl Fraction {
    /// 0.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// A fraction, not reduced; `None` with a denominator of 0.
    #[must_use]
    pub fn new(numerator: u128, denominator: u128) -> Option<Self> {
        (denominator > 0).then_some(Self { numerator, denominator })
    }

    /// The numerator.
    #[must_use]
    pub fn numerator(self) -> u128 {
        self.numerator
    }

    /// The denominator, at least 1.
    #[must_use]
    pub fn denominator(self) -> u128 {
        self.denominator
    }

    /// The same in lowest terms.
    #[must_use]
    pub fn reduced(self) -> Self {
        let divisor = greatest_common_divisor(self.numerator, self.denominator);
        Self { numerator: self.numerator / divisor, denominator: self.denominator / divisor }
    }

    /// The sum; equal denominators are kept.
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        if self.denominator == other.denominator {
            return Some(Self { numerator: self.numerator.checked_add(other.numerator)?, ..self });
        }
        let divisor = greatest_common_divisor(self.denominator, other.denominator);
        let [one, two] = [other.denominator / divisor, self.denominator / divisor];
        let sum = self.numerator.checked_mul(one)?.checked_add(other.numerator.checked_mul(two)?)?;
        let denominator = self.denominator.checked_mul(one)?;
        Some(Self { numerator: sum, denominator }.reduced())
    }

    /// The product, in lowest terms.
    pub(super) fn times(self, other: Self) -> Option<Self> {
        let one = Self { numerator: self.numerator, denominator: other.denominator }.reduced();
        let two = Self { numerator: other.numerator, denominator: self.denominator }.reduced();
        Some(Self {
            numerator: one.numerator.checked_mul(two.numerator)?,
            denominator: one.denominator.checked_mul(two.denominator)?,
        })
    }

    /// The quotient by a number that is not 0, in lowest terms; itself by 1.
    pub(super) fn over(self, divisor: u128) -> Option<Self> {
        if divisor == 1 { Some(self) } else { self.times(Self::new(1, divisor)?) }
    }
}

impl Ord for Fraction {
    /// Compares exactly, by whole parts and then by the inverses of the remainders.
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut one, mut two) = (*self, *other);
        loop {
            let whole = [one, two].map(|fraction| fraction.numerator / fraction.denominator);
            let left = [one, two].map(|fraction| fraction.numerator % fraction.denominator);
            match (whole[0].cmp(&whole[1]), left) {
                (Ordering::Equal, [0, 0]) => return Ordering::Equal,
                (Ordering::Equal, [0, _]) => return Ordering::Less,
                (Ordering::Equal, [_, 0]) => return Ordering::Greater,
                (Ordering::Equal, [of_one, of_two]) => {
                    // The greater rest has the smaller inverse.
                    let inverses = [(two.denominator, of_two), (one.denominator, of_one)];
                    [one, two] = inverses.map(|(numerator, denominator)| Self { numerator, denominator });
                }
                (order, _) => return order,
            }
        }
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Fraction {
    /// Writes `numerator/denominator`, not reduced.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.numerator, self.denominator)
    }
}

pub(super) fn greatest_common_divisor(one: u128, other: u128) -> u128 {
    let (mut greater, mut less) = (one, other);
    while less > 0 {
        (greater, less) = match (u64::try_from(greater), u64::try_from(less)) {
            // Division of 64 bits is much faster.
            (Ok(greater), Ok(divisor)) => (less, u128::from(greater % divisor)),
            _ => (less, greater % less),
        };
    }
    greater.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(numerator: u128, denominator: u128) -> Fraction {
        Fraction::new(numerator, denominator).unwrap()
    }

    #[test]
    fn fractions_are_added_multiplied_and_compared_exactly() {
        assert_eq!(fraction(1, 6).plus(fraction(1, 10)).unwrap(), fraction(4, 15));
        assert_eq!(fraction(1, 8).plus(fraction(3, 8)).unwrap().reduced(), fraction(1, 2));
        assert_eq!(fraction(4, 9).times(fraction(3, 8)).unwrap(), fraction(1, 6));
        assert_eq!(fraction(3, 4).over(6).unwrap().to_string(), "1/8");
        let large = u128::MAX;
        assert!(fraction(large, large - 1) < fraction(large - 1, large - 2));
        assert!(fraction(2, 3) > fraction(3, 5) && fraction(7, 1) > fraction(13, 2));
        assert_eq!(fraction(2, 4).cmp(&fraction(3, 6)), Ordering::Equal);
        assert_eq!(fraction(large, 1).plus(fraction(1, 2)), None);
        assert_eq!(fraction(1, large).over(2), None);
        assert_eq!(Fraction::new(1, 0), None);
    }
}
