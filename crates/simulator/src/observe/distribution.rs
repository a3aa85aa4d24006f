//! The distribution of values over processes and stages.

use hdrhistogram::Histogram;

/// Values of single (process, stage) pairs: exact maximum, sum and count; percentiles to three significant
/// digits, from an HDR histogram.
#[derive(Debug, Clone)]
pub struct Distribution {
    small: Vec<u64>, // number of values 0, 1, ..: most are small and need no search for a bucket
    large: Histogram<u64>, // of the other values
    large_sum: u128,
    large_max: u64,
}

impl Distribution {
    const SIGNIFICANT_DIGITS: u8 = 3;
    /// Below this the histogram also distinguishes every value.
    const SMALL: usize = 512;

    /// An empty distribution.
    #[must_use]
    #[expect(clippy::missing_panics_doc, clippy::expect_used, reason = "0 to 5 digits are accepted")]
    pub fn new() -> Self {
        let large = Histogram::new(Self::SIGNIFICANT_DIGITS).expect("a number of digits that is accepted");
        Self { small: vec![0; Self::SMALL], large, large_sum: 0, large_max: 0 }
    }

    /// Adds a value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.record_many(value, 1);
    }

    /// Adds `count` equal values.
    #[inline]
    pub fn record_many(&mut self, value: u64, count: u64) {
        match usize::try_from(value).ok().and_then(|place| self.small.get_mut(place)) {
            Some(entry) => *entry += count,
            None => self.record_large(value, count),
        }
    }

    #[cold]
    fn record_large(&mut self, value: u64, count: u64) {
        if count == 0 {
            return;
        }
        self.add_to_histogram(value, count);
        self.large_sum += u128::from(value) * u128::from(count);
        self.large_max = self.large_max.max(value);
    }

    fn add_to_histogram(&mut self, value: u64, count: u64) {
        // The histogram grows with its values; it could refuse one only if `usize` had 16 bits.
        if self.large.record_n(value, count).is_err() {
            self.large.saturating_record_n(value, count);
        }
    }

    /// Adds all values of another distribution.
    pub fn add(&mut self, other: &Self) {
        for (total, count) in self.small.iter_mut().zip(&other.small) {
            *total += count;
        }
        for bucket in other.large.iter_recorded() {
            self.add_to_histogram(bucket.value_iterated_to(), bucket.count_at_value());
        }
        self.large_sum += other.large_sum;
        self.large_max = self.large_max.max(other.large_max);
    }

    /// Appends the values as words, which [`Distribution::read`] reads back.
    pub(crate) fn write(&self, words: &mut Vec<u64>) {
        let small = (0_u64..).zip(self.small.iter().copied()).filter(|&(_, count)| count > 0);
        let large = self.large.iter_recorded();
        let large = large.map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value()));
        let counts: Vec<_> = small.chain(large).collect();
        words.push(counts.len() as u64);
        words.extend(counts.into_iter().flat_map(|(value, count)| [value, count]));
        words.push(self.large_max);
        write_sum(self.large_sum, words);
    }

    /// Reads the words that [`Distribution::write`] wrote; `None` for other words.
    pub(crate) fn read(words: &mut impl Iterator<Item = u64>) -> Option<Self> {
        let mut all = Self::new();
        for _ in 0..words.next()? {
            all.record_many(words.next()?, words.next()?);
        }
        // Words hold only the buckets of large values.
        (all.large_max, all.large_sum) = (words.next()?, read_sum(words)?);
        Some(all)
    }

    /// Lists the values that occur, in ascending order, with their counts. Large values that agree in three
    /// significant digits are counted as the greatest of them.
    pub fn counts(&self) -> impl Iterator<Item = (u64, u64)> {
        let small =
            (0_u64..).zip(&self.small).filter(|&(_, &count)| count > 0).map(|(value, &count)| (value, count));
        let large = self.large.iter_recorded();
        small.chain(
            large.map(|bucket| (bucket.value_iterated_to().min(self.large_max), bucket.count_at_value())),
        )
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.small.iter().sum::<u64>() + self.large.len()
    }

    /// The sum of the values.
    #[must_use]
    pub fn sum(&self) -> u128 {
        let small = (0_u64..).zip(&self.small);
        self.large_sum + small.map(|(value, &count)| u128::from(value) * u128::from(count)).sum::<u128>()
    }

    /// The exact maximum; 0 without values.
    #[must_use]
    pub fn max(&self) -> u64 {
        let small = (0_u64..).zip(&self.small).filter(|&(_, &count)| count > 0).last();
        self.large_max.max(small.map_or(0, |(value, _)| value))
    }

    /// The value that at least this fraction of the values does not exceed, to three significant digits and
    /// at most the maximum; 0 without values.
    #[must_use]
    pub fn percentile(&self, percent: Percent) -> u64 {
        let mut all = self.large.clone();
        for (value, &count) in (0_u64..).zip(&self.small) {
            all.saturating_record_n(value, count);
        }
        all.value_at_quantile(percent.fraction()).min(self.max())
    }
}

/// Appends a sum as two words.
pub(super) fn write_sum(sum: u128, words: &mut Vec<u64>) {
    #[expect(clippy::cast_possible_truncation, reason = "half of the sum each")]
    words.extend([sum as u64, (sum >> 64) as u64]);
}

pub(super) fn read_sum(words: &mut impl Iterator<Item = u64>) -> Option<u128> {
    let low = words.next()?;
    Some(u128::from(words.next()?) << 64 | u128::from(low))
}

impl Default for Distribution {
    fn default() -> Self {
        Self::new()
    }
}

/// The percentiles in results.
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
        assert_eq!(distribution.counts().collect::<Vec<_>>(), [(0, 8), (7, 1), (100_003, 1)]);
        assert_eq!(percentile(Percent::Fifty), 0);
        assert_eq!(percentile(Percent::Ninety), 7);
        assert_eq!(percentile(Percent::NinetyNine), 100_003);
    }

    #[test]
    fn many_at_once_and_distributions_together_are_as_one_by_one() {
        let mut one_by_one = Distribution::new();
        let (mut many, mut others) = (Distribution::new(), Distribution::new());
        for value in [0, 1, 511, 512, 513, 70_000, 1 << 40] {
            let count = value % 7 + 1;
            (0..count).for_each(|_| one_by_one.record(value));
            if value % 2 == 0 { many.record_many(value, count) } else { others.record_many(value, count) }
        }
        many.add(&others);
        let read = |distribution: &Distribution| {
            let percentiles = [Percent::Fifty, Percent::Ninety, Percent::NinetyNine]
                .map(|percent| distribution.percentile(percent));
            (distribution.count(), distribution.sum(), distribution.max(), percentiles)
        };
        assert_eq!(read(&many), read(&one_by_one));
    }

    #[test]
    fn small_values_are_told_apart_as_the_histogram_would() {
        let histogram = Distribution::new().large;
        assert!((0..Distribution::SMALL as u64).all(|value| histogram.equivalent_range(value) == 1));
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
