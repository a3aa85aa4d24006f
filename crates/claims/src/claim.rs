//! A claim of a paper, the promised and the measured value in one case, and its verdict.

use std::{cmp::Ordering, fmt};

use cubefold_derive::Words;
use cubefold_formats::input::exact_mean::exact_mean;
use cubefold_records::{ClaimRecord, Figure};
use cubefold_topology::greatest_common_divisor;

/// A statement of a paper that can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Claim {
    /// Its place in the paper.
    pub(super) source: &'static str,
    /// The statement in plain words.
    pub(super) text: &'static str,
    /// The erratum that calls the printed statement false; it is measured together with the reading that
    /// holds.
    pub(super) erratum: Option<&'static str>,
}

impl Claim {
    /// A statement that holds in the reading used here.
    pub(super) const fn new(source: &'static str, text: &'static str) -> Self {
        Self { source, text, erratum: None }
    }

    /// A printed statement that fails.
    pub(super) const fn misprinted(source: &'static str, text: &'static str, erratum: &'static str) -> Self {
        Self { source, text, erratum: Some(erratum) }
    }
}

/// Names claims under the places of their papers, and lists them in this order.
///
/// A claim with an erratum is a printed statement that fails.
macro_rules! claims {
    ($(#[$list_doc:meta])* $list_visibility:vis $list:ident: $($source:literal: $(
        $(#[$doc:meta])* $visibility:vis $name:ident $((erratum $erratum:literal))? = $text:literal;
    )+)+) => {
        $($(
            $(#[$doc])*
            $visibility const $name: $crate::claim::Claim = $crate::claim::Claim {
                source: $source,
                text: $text,
                erratum: $crate::claim::claims!(@erratum $($erratum)?),
            };
        )+)+
        $(#[$list_doc])*
        $list_visibility const $list: &[$crate::claim::Claim] = &[$($($name),+),+];
    };
    (@erratum) => { None };
    (@erratum $erratum:literal) => { Some($erratum) };
}
pub(super) use claims;

/// The outcome of measuring a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words)]
pub enum Verdict {
    /// In every case.
    Holds,
    /// It states a value, which is measured to be an upper bound only (part B of `docs/errata.md`).
    Bounded,
    /// The printed statement fails, and the reading of the erratum holds in every case.
    FailsAsPrinted,
    /// It fails in some case, or an erratum does, or there was no case.
    Fails,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A claim with its findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedClaim {
    /// The part of the work that it belongs to, such as "Tao 1988, 4.5: data routing".
    pub part: &'static str,
    /// Its place in the paper, such as "Tao 4.5.4".
    pub source: &'static str,
    /// The statement in plain words.
    pub claim: &'static str,
    /// The number of cases, including the cases of an erratum's reading.
    pub cases: u64,
    /// The value promised in the worst case; of an erratum, the printed one. None without a case.
    pub promised: Option<Quantity>,
    /// The value measured in the worst case. None without a case.
    pub worst: Option<Quantity>,
    /// The outcome.
    pub verdict: Verdict,
    /// The erratum of a printed statement that fails.
    pub erratum: Option<&'static str>,
    /// Why the verdict is [`Verdict::Fails`]: the first case that contradicts it.
    pub failure: Option<String>,
}

impl CheckedClaim {
    /// The record of the claim.
    #[must_use]
    pub fn record(&self) -> ClaimRecord {
        ClaimRecord {
            source: self.source,
            claim: self.claim,
            cases: self.cases,
            promised: self.promised.map(Into::into),
            worst: self.worst.map(Into::into),
            verdict: self.verdict.name(),
            erratum: self.erratum,
        }
    }
}

/// An exact value, whole or a fraction, not negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity {
    numerator: u64,
    denominator: u64, // at least 1
}

impl Quantity {
    /// A fraction; a denominator of 0 counts as 1.
    pub(super) fn fraction(numerator: u64, denominator: u64) -> Self {
        let denominator = denominator.max(1);
        let common = greatest_common_divisor(numerator, denominator);
        Self { numerator: numerator / common, denominator: denominator / common }
    }

    /// The quantity over a divisor of at least 1.
    pub(super) fn over(self, divisor: u64) -> Self {
        Self::fraction(self.numerator, self.denominator * divisor)
    }

    /// The nearest floating-point number.
    pub(super) fn value(self) -> f64 {
        exact_mean(self.numerator.into(), self.denominator.into()).unwrap_or(f64::NAN)
    }
}

impl From<u64> for Quantity {
    fn from(whole: u64) -> Self {
        Self { numerator: whole, denominator: 1 }
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        product(self.numerator, other.denominator).cmp(&product(other.numerator, self.denominator))
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => self.numerator.fmt(formatter),
            _ => write!(formatter, "{:.3}", self.value()),
        }
    }
}

impl From<Quantity> for Figure {
    fn from(quantity: Quantity) -> Self {
        match quantity.denominator {
            1 => Self::Whole(quantity.numerator),
            _ => Self::Fraction(quantity.value()),
        }
    }
}

/// The relation between the promise and the measured value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// Equality.
    Equal,
    /// A bound from above, as stated.
    AtMost,
    /// A bound from below, as stated.
    AtLeast,
    /// Stated as a value, but only a bound from above according to the errata.
    Stated,
    /// The measured value differs by this error, rounded \[tenths of a percent of the promise\].
    Off(i64),
}

/// The promised and the measured value of one case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Trial {
    pub(super) promised: Quantity,
    pub(super) measured: Quantity,
    relation: Relation,
}

impl Trial {
    /// The measured value should equal the promised one.
    pub(super) fn equal(promised: impl Into<Quantity>, measured: impl Into<Quantity>) -> Self {
        Self { promised: promised.into(), measured: measured.into(), relation: Relation::Equal }
    }

    /// No more than promised.
    pub(super) fn at_most(promised: impl Into<Quantity>, measured: impl Into<Quantity>) -> Self {
        Self { promised: promised.into(), measured: measured.into(), relation: Relation::AtMost }
    }

    /// No less than promised.
    pub(super) fn at_least(promised: impl Into<Quantity>, measured: impl Into<Quantity>) -> Self {
        Self { promised: promised.into(), measured: measured.into(), relation: Relation::AtLeast }
    }

    /// No more than promised, although the paper states it as the value itself.
    pub(super) fn stated(promised: impl Into<Quantity>, measured: impl Into<Quantity>) -> Self {
        Self { promised: promised.into(), measured: measured.into(), relation: Relation::Stated }
    }

    /// A simulated value that differs from the published one by `error` tenths of a percent, rounded.
    pub(super) fn off(published: impl Into<Quantity>, simulated: impl Into<Quantity>, error: i64) -> Self {
        Self { promised: published.into(), measured: simulated.into(), relation: Relation::Off(error) }
    }

    /// Whether the promise is kept.
    pub(super) fn is_kept(&self) -> bool {
        match self.relation {
            Relation::Equal => self.measured == self.promised,
            Relation::AtMost | Relation::Stated => self.measured <= self.promised,
            Relation::AtLeast => self.measured >= self.promised,
            Relation::Off(error) => self.error() == error,
        }
    }

    /// The difference of the measured from the promised value, rounded \[tenths of a percent of the promise\].
    fn error(&self) -> i64 {
        let [promised, measured] = [self.promised, self.measured];
        let scaled =
            |one: Quantity, other: Quantity| i128::from(one.numerator) * i128::from(other.denominator);
        let (whole, found) = (scaled(promised, measured).max(1), scaled(measured, promised));
        let (twice, halves) = (2 * 1000 * (found - whole), 2 * whole);
        i64::try_from((twice + whole).div_euclid(halves)).unwrap_or(i64::MAX)
    }

    /// Whether a stated value is only a bound.
    pub(super) fn is_only_a_bound(&self) -> bool {
        self.relation == Relation::Stated && self.measured < self.promised
    }

    /// Whether it is stronger evidence against the claim than another: broken before kept, then by the
    /// ratio of the two values, then the larger promise.
    pub(super) fn is_worse_than(&self, other: &Self) -> bool {
        let weight = |trial: &Self| (!trial.is_kept(), trial.excess(), trial.promised);
        weight(self) > weight(other)
    }

    /// Measured over promised, or the inverse for a bound from below, in millionths.
    fn excess(&self) -> u128 {
        let (over, under) = match self.relation {
            Relation::AtLeast => (self.promised, self.measured),
            Relation::Equal | Relation::AtMost | Relation::Stated | Relation::Off(_) => {
                (self.measured, self.promised)
            }
        };
        let numerator = u128::from(over.numerator) * u128::from(under.denominator);
        let denominator = u128::from(under.numerator) * u128::from(over.denominator);
        match (numerator, denominator) {
            (0, 0) => 1_000_000,
            (_, 0) => u128::MAX,
            _ => numerator.saturating_mul(1_000_000) / denominator,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_promise_is_worse_than_a_kept_one_and_a_closer_call_than_a_wide_one() {
        let order = [
            Trial::equal(4, 3),
            Trial::at_most(4, 4),
            Trial::at_most(2, 2),
            Trial::at_most(0, 0),
            Trial::stated(8, 4),
        ];
        for pair in order.windows(2) {
            assert!(pair[0].is_worse_than(&pair[1]) && !pair[1].is_worse_than(&pair[0]), "{pair:?}");
        }
        assert!(Trial::at_least(3, 2).is_worse_than(&Trial::at_least(3, 3)));
        assert!(Trial::equal(0, 1).is_worse_than(&Trial::equal(0, 0)));
    }

    #[test]
    fn an_error_is_rounded_to_a_tenth_of_a_percent() {
        let error = |published: u64, simulated: u64| Trial::off(published, simulated, 0).error();
        assert_eq!([error(1000, 1000), error(1000, 1004), error(1000, 996)], [0, 4, -4]);
        assert_eq!([error(10_000, 10_004), error(10_000, 10_006), error(10_000, 9994)], [0, 1, -1]);
        assert!(Trial::off(1000, 999, -1).is_kept() && !Trial::off(1000, 999, 1).is_kept());
    }

    #[test]
    fn only_what_is_stated_as_a_value_can_be_only_a_bound() {
        assert!(Trial::stated(4, 2).is_only_a_bound());
        assert!(!Trial::stated(4, 4).is_only_a_bound());
        assert!(!Trial::at_most(4, 2).is_only_a_bound());
        assert!(!Trial::stated(4, 5).is_kept());
    }

    #[test]
    fn fractions_are_exact() {
        assert_eq!(Quantity::fraction(6, 4), Quantity::fraction(3, 2));
        assert_eq!(Quantity::fraction(6, 3), Quantity::from(2));
        assert_eq!(Quantity::fraction(47, 6).to_string(), "7.833");
        assert!(Quantity::fraction(1, 3) < Quantity::fraction(34, 100));
    }
}
