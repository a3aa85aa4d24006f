//! The measuring: rounds over all rows, the baseline in between.

use std::time::Duration;

use super::{
    Baseline, Benchmark, BenchmarkError, Elapsed, Figures, Size, Stopwatch, figures::Sample,
    prepared::Prepared,
};
use crate::Progress;

/// What has been measured so far.
#[derive(Debug)]
pub struct Measurement<'benchmark> {
    rows: Vec<MeasuredRow<'benchmark>>,
    baseline: Baseline,
    size: Size,
}

#[derive(Debug)]
struct MeasuredRow<'benchmark> {
    row: &'benchmark Prepared,
    times: u32, // at least 1: how often its work is done in one repetition
    samples: Vec<Sample>,
}

impl Size {
    /// How many rounds there are.
    fn rounds(self) -> usize {
        match self {
            Self::Quick => 2,
            Self::Full => 7,
        }
    }

    /// How often the baseline runs in one repetition.
    fn baseline_runs(self) -> u32 {
        match self {
            Self::Quick => 1,
            Self::Full => 4,
        }
    }

    /// What one repetition takes at least: work that is over sooner is done several times.
    fn least_time(self) -> Duration {
        match self {
            Self::Quick => Duration::from_millis(1),
            Self::Full => Duration::from_millis(100),
        }
    }
}

impl Benchmark {
    /// How far [`Progress`] comes in [`Self::measure`].
    #[must_use]
    pub fn total(&self) -> u64 {
        (self.rows.len() * (1 + self.size.rounds())) as u64
    }

    /// Measures every row, on the threads of the pool that it is called in.
    ///
    /// # Errors
    ///
    /// When a row fails or comes to what is wrong, or the system does not tell the time.
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
    /// How far [`Progress`] comes in [`Self::again`] with so many rows.
    #[must_use]
    pub fn total(&self, rows: usize) -> u64 {
        (rows * self.size.rounds()) as u64
    }

    /// Measures as often as before the rows whose names are `chosen`. The repetitions of a row are spread over the
    /// whole time, so that a disturbance of some seconds does not meet all of them.
    ///
    /// # Errors
    ///
    /// As [`Benchmark::measure`].
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

    /// What it came to, row by row.
    #[must_use]
    pub fn figures(&self) -> Vec<Figures> {
        let figures = |row: &MeasuredRow<'_>| Figures::new(row.row.name(), &row.samples);
        self.rows.iter().map(figures).collect()
    }
}

/// How often a row's work is to be done so that it takes `least`.
fn times(row: &Prepared, least: Duration) -> Result<u32, BenchmarkError> {
    let mut times = 1;
    loop {
        let taken = elapsed(|| repeat(row, times))?.cpu;
        // A tenth of it is enough to reckon from.
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
    /// One repetition, the baseline before the row.
    fn sample(&self, baseline: &mut Baseline, runs: u32) -> Result<Sample, BenchmarkError> {
        baseline.run(); // brings its memory back near the processor, from where the row has driven it
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
