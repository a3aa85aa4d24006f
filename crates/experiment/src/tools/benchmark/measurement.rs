//! The measurement: rounds over all rows with the baseline in between, and the figures of repeated
//! measurements.

use std::{io, time::Duration};

use cubefold_simulator::{Engine, SimulationError};

use super::{Baseline, Benchmark, Elapsed, Size, Stopwatch, row::Prepared};
use crate::{
    records::BenchRecord,
    runs::{Progress, RunError},
    scenario::ScenarioErrors,
};

/// The samples measured so far.
#[derive(Debug)]
pub struct Measurement<'benchmark> {
    rows: Vec<MeasuredRow<'benchmark>>,
    baseline: Baseline,
    size: Size,
}

#[derive(Debug)]
struct MeasuredRow<'benchmark> {
    row: &'benchmark Prepared,
    times: u32, // at least 1: executions of its work per repetition
    samples: Vec<Sample>,
}

impl Size {
    /// The number of rounds.
    fn rounds(self) -> usize {
        match self {
            Self::Quick => 2,
            Self::Full => 7,
        }
    }

    /// Number of baseline runs per repetition.
    fn baseline_runs(self) -> u32 {
        match self {
            Self::Quick => 1,
            Self::Full => 4,
        }
    }

    /// Least time of one repetition: shorter work is repeated.
    fn least_time(self) -> Duration {
        match self {
            Self::Quick => Duration::from_millis(1),
            Self::Full => Duration::from_millis(100),
        }
    }
}

impl Benchmark {
    /// The final count of [`Progress`] in [`Self::measure`].
    #[must_use]
    pub fn total(&self) -> u64 {
        (self.rows.len() * (1 + self.size.rounds())) as u64
    }

    /// Measures every row, on the threads of the current pool.
    ///
    /// # Errors
    ///
    /// If a row fails or has a wrong result, or the system does not give the time.
    pub fn measure(&self, progress: &Progress) -> Result<Measurement<'_>, BenchmarkError> {
        let least = self.size.least_time();
        let prepare = |row| {
            progress.add(1);
            Ok(MeasuredRow { row, times: times(row, least)?, samples: vec![] })
        };
        let rows = self.rows.iter().map(prepare).collect::<Result<_, BenchmarkError>>()?;
        let mut measurement = Measurement { rows, baseline: Baseline::new(), size: self.size };
        measurement.again(|_| true, progress)?;
        Ok(measurement)
    }
}

impl Measurement<'_> {
    /// The final count of [`Progress`] in [`Self::again`].
    #[must_use]
    pub fn total(&self, rows: usize) -> u64 {
        (rows * self.size.rounds()) as u64
    }

    /// Measures the rows whose names are `chosen` again, as often as before. The repetitions of a row are
    /// spread over the whole time, so that a disturbance of some seconds affects only some of them.
    ///
    /// # Errors
    ///
    /// As for [`Benchmark::measure`].
    pub fn again(
        &mut self,
        chosen: impl Fn(&str) -> bool,
        progress: &Progress,
    ) -> Result<(), BenchmarkError> {
        for _ in 0..self.size.rounds() {
            for row in self.rows.iter_mut().filter(|row| chosen(row.row.name())) {
                row.samples.push(row.sample(&mut self.baseline, self.size.baseline_runs())?);
                progress.add(1);
            }
        }
        Ok(())
    }

    /// The figures of each row.
    #[must_use]
    pub fn figures(&self) -> Vec<Figures> {
        let figures = |row: &MeasuredRow<'_>| Figures::new(row.row.name(), &row.samples);
        self.rows.iter().map(figures).collect()
    }
}

/// Number of executions of a row's work that take at least `least`.
fn times(row: &Prepared, least: Duration) -> Result<u32, BenchmarkError> {
    let mut times = 1;
    loop {
        let taken = elapsed(|| repeat(row, times))?.cpu;
        // A tenth of it is enough for an estimate.
        if taken * 10 >= least {
            let each = taken / times;
            return Ok(u32::try_from(least.as_nanos().div_ceil(each.as_nanos().max(1)))
                .unwrap_or(u32::MAX)
                .max(1));
        }
        times = times.saturating_mul(10);
    }
}

impl MeasuredRow<'_> {
    /// Measures one repetition, the baseline before the row.
    fn sample(&self, baseline: &mut Baseline, runs: u32) -> Result<Sample, BenchmarkError> {
        baseline.run(); // brings its memory back into the caches after the row
        let beside = elapsed(|| {
            (0..runs).for_each(|_| baseline.run());
            Ok(())
        })?;
        let row = elapsed(|| repeat(self.row, self.times))?;
        Ok(Sample { row: row / self.times, baseline: beside / runs })
    }
}

fn repeat(row: &Prepared, times: u32) -> Result<(), BenchmarkError> {
    (0..times).try_for_each(|_| row.work())
}

fn elapsed(work: impl FnOnce() -> Result<(), BenchmarkError>) -> Result<Elapsed, BenchmarkError> {
    let stopwatch = Stopwatch::start()?;
    work()?;
    Ok(stopwatch.elapsed()?)
}

/// The figures of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// The measured work and its size.
    pub row: String,
    /// The least processor time.
    pub cpu: Duration,
    /// The least wall time.
    pub wall: Duration,
    /// The least processor time over that of the adjacent baseline; positive.
    pub ratio: f64,
    /// The excess of the median repetition over the least, as a fraction of the least: the sum of the row's
    /// and the baseline's. Not negative.
    pub noise: f64,
}

/// One repetition: times of the row and of the baseline beside it, per execution.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) row: Elapsed,
    pub(super) baseline: Elapsed,
}

impl Figures {
    /// The record of a row without a comparison.
    #[must_use]
    pub fn record(&self) -> BenchRecord {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        BenchRecord {
            row: self.row.clone(),
            cpu_milliseconds: Some(milliseconds(self.cpu)),
            wall_milliseconds: Some(milliseconds(self.wall)),
            ratio_to_baseline: Some(self.ratio),
            noise_percent: Some(self.noise * 100.0),
            ..BenchRecord::default()
        }
    }

    /// The figures of some repetitions.
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
    // A clock that does not advance must not make a ratio infinite.
    sorted.first().copied().unwrap_or_default().max(Duration::from_nanos(1))
}

/// The excess of the median over the least, as a fraction of the least.
fn spread(sorted: &[Duration]) -> f64 {
    let middle = sorted.get(sorted.len() / 2).copied().unwrap_or_default().max(least(sorted));
    middle.as_secs_f64() / least(sorted).as_secs_f64() - 1.0
}

/// A benchmark that failed. None of these errors is the user's fault.
#[derive(Debug, thiserror::Error)]
pub enum BenchmarkError {
    /// A row has a wrong result: a defect of the program.
    #[error("{row} gives {found}, expected {expected}")]
    Answer {
        /// The row.
        row: String,
        /// Its result.
        found: u64,
        /// The correct result.
        expected: u64,
    },
    /// A row ran on another engine than its name says: a defect of the program.
    #[error("{row} is computed by the {found} engine, expected {expected}")]
    Engine {
        /// The row.
        row: String,
        /// The engine that ran.
        found: Engine,
        /// The engine of its name.
        expected: Engine,
    },
    /// A simulation was refused or failed.
    #[error("{row}: {error}")]
    Simulation {
        /// The row.
        row: String,
        /// The error.
        error: SimulationError,
    },
    /// A run of a sweep failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A built-in scenario is invalid.
    #[error(transparent)]
    Scenario(#[from] ScenarioErrors),
    /// The system does not give the time, or results could not be written.
    #[error(transparent)]
    System(#[from] io::Error),
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
