//! What repeated measurements of a row come to.

use std::time::Duration;

use super::stopwatch::Elapsed;

/// What was measured of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// What was measured, and its size.
    pub row: String,
    /// The least processor time.
    pub cpu: Duration,
    /// The least time on the wall.
    pub wall: Duration,
    /// The least processor time over that of the baseline beside it; positive.
    pub ratio: f64,
    /// How far the middle repetition lies above the least, as a part of the least: that of the row and that of the
    /// baseline together. Not negative.
    pub noise: f64,
}

/// A repetition: the row and the baseline beside it, each done once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) row: Elapsed,
    pub(super) baseline: Elapsed,
}

impl Figures {
    /// Of some repetitions.
    pub(super) fn new(row: &str, samples: &[Sample]) -> Self {
        let sorted = |of: fn(&Sample) -> Duration| {
            let mut times: Vec<Duration> = samples.iter().map(of).collect();
            times.sort_unstable();
            times
        };
        let (cpu, baseline) = (sorted(|sample| sample.row.cpu), sorted(|sample| sample.baseline.cpu));
        let wall = sorted(|sample| sample.row.wall);
        Self {
            row: row.to_owned(),
            cpu: least(&cpu),
            wall: least(&wall),
            ratio: least(&cpu).as_secs_f64() / least(&baseline).as_secs_f64(),
            noise: spread(&cpu) + spread(&baseline),
        }
    }
}

fn least(sorted: &[Duration]) -> Duration {
    // A clock that does not move must not make a ratio infinite.
    sorted.first().copied().unwrap_or_default().max(Duration::from_nanos(1))
}

/// How far the middle one lies above the least, as a part of the least.
fn spread(sorted: &[Duration]) -> f64 {
    let middle = sorted.get(sorted.len() / 2).copied().unwrap_or_default().max(least(sorted));
    middle.as_secs_f64() / least(sorted).as_secs_f64() - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(cpu: u64, wall: u64, baseline: u64) -> Sample {
        let elapsed =
            |cpu, wall| Elapsed { cpu: Duration::from_millis(cpu), wall: Duration::from_millis(wall) };
        Sample { row: elapsed(cpu, wall), baseline: elapsed(baseline, 999) }
    }

    #[test]
    fn figures_are_the_least_of_each_and_noise_is_that_of_both() {
        let samples = [sample(120, 130, 50), sample(110, 400, 40), sample(100, 150, 80)];
        let figures = Figures::new("a", &samples);
        assert_eq!((figures.cpu, figures.wall), (Duration::from_millis(100), Duration::from_millis(130)));
        assert!((figures.ratio - 100.0 / 40.0).abs() < 1e-12, "{}", figures.ratio);
        assert!((figures.noise - (0.1 + 0.25)).abs() < 1e-12, "{}", figures.noise);
    }

    #[test]
    fn a_clock_that_stands_still_gives_a_positive_ratio_and_no_noise() {
        let figures = Figures::new("a", &[sample(0, 0, 0)]);
        assert!(figures.ratio > 0.0 && figures.ratio.is_finite());
        assert!(figures.noise.abs() < 1e-12);
    }
}
