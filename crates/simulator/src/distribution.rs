//! How values of many processes and stages are spread.

use hdrhistogram::Histogram;

/// Values of single (process, stage) pairs: exact maximum, sum and count; percentiles to three significant
/// digits, by an HDR histogram.
#[derive(Debug, Clone)]
pub struct Distribution {
    others: Histogram<u64>, // of the values that are not 0
    zeros: u64,
    sum: u128,
    max: u64,
}

impl Distribution {
    const SIGNIFICANT_DIGITS: u8 = 3;

    /// Of no values.
    #[must_use]
    #[expect(clippy::missing_panics_doc, clippy::expect_used, reason = "0 to 5 digits are accepted")]
    pub fn new() -> Self {
        let others = Histogram::new(Self::SIGNIFICANT_DIGITS).expect("a number of digits that is accepted");
        Self { others, zeros: 0, sum: 0, max: 0 }
    }

    /// Adds a value.
    pub fn record(&mut self, value: u64) {
        self.record_many(value, 1);
    }

    /// Adds a value `count` times.
    pub fn record_many(&mut self, value: u64, count: u64) {
        // Most values of most runs are 0: they need no bucket.
        if value == 0 {
            self.zeros += count;
        } else if count > 0 {
            // The histogram grows with its values; it could refuse one only where `usize` is 16 bits.
            if self.others.record_n(value, count).is_err() {
                self.others.saturating_record_n(value, count);
            }
            self.sum += u128::from(value) * u128::from(count);
            self.max = self.max.max(value);
        }
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.zeros + self.others.len()
    }

    /// The sum of the values.
    #[must_use]
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The greatest value, exactly; 0 of no values.
    #[must_use]
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The value that at least this fraction of the values does not exceed, to three significant digits
    /// and never over the maximum; 0 of no values.
    #[must_use]
    pub fn percentile(&self, percent: Percent) -> u64 {
        let mut all = self.others.clone();
        all.saturating_record_n(0, self.zeros);
        all.value_at_quantile(percent.fraction()).min(self.max)
    }
}

impl Default for Distribution {
    fn default() -> Self {
        Self::new()
    }
}

/// The percentiles that results hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Percent {
    /// The median.
    Fifty,
    /// Exceeded by one value in ten.
    Ninety,
    /// Exceeded by one value in a hundred.
    NinetyNine,
}

impl Percent {
    fn fraction(self) -> f64 {
        match self {
            Self::Fifty => 0.5,
            Self::Ninety => 0.9,
            Self::NinetyNine => 0.99,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_count_and_no_percentile_exceeds_the_maximum() {
        let mut distribution = Distribution::new();
        for value in [0, 0, 0, 0, 0, 0, 0, 0, 7, 100_003] {
            distribution.record(value);
        }
        let percentile = |percent| distribution.percentile(percent);
        assert_eq!((distribution.count(), distribution.sum(), distribution.max()), (10, 100_010, 100_003));
        assert_eq!(percentile(Percent::Fifty), 0);
        assert_eq!(percentile(Percent::Ninety), 7);
        assert_eq!(percentile(Percent::NinetyNine), 100_003);
    }

    #[test]
    fn nothing_and_the_largest_values_are_no_trouble() {
        assert_eq!(Distribution::new().percentile(Percent::Fifty), 0);
        let mut largest = Distribution::new();
        largest.record(u64::MAX);
        assert_eq!(largest.max(), u64::MAX);
        assert!(largest.percentile(Percent::Ninety) > u64::MAX / 1000 * 999);
    }
}
