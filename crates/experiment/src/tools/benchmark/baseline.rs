//! Processor time and wall time, and the fixed work to which every figure is related.

use std::{
    hint::black_box,
    io,
    ops::Div,
    time::{Duration, Instant},
};

use cpu_time::ProcessTime;

/// Measures the time of some work.
///
/// Processor time covers all threads of this process, but neither other processes nor waiting. Wall time is
/// kept beside it.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    processor: ProcessTime,
    wall: Instant,
}

/// The time of some work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed {
    /// Processor time of all threads of the process.
    pub cpu: Duration,
    /// Wall time.
    pub wall: Duration,
}

impl Stopwatch {
    /// Starts a measurement.
    ///
    /// # Errors
    ///
    /// If the system does not give the processor time.
    #[expect(clippy::disallowed_methods, reason = "the clock is what is measured; no result depends on it")]
    pub fn start() -> io::Result<Self> {
        Ok(Self { wall: Instant::now(), processor: ProcessTime::try_now()? })
    }

    /// Returns the time since the start.
    ///
    /// # Errors
    ///
    /// If the system does not give the processor time.
    pub fn elapsed(&self) -> io::Result<Elapsed> {
        Ok(Elapsed { cpu: self.processor.try_elapsed()?, wall: self.wall.elapsed() })
    }
}

impl Div<u32> for Elapsed {
    type Output = Self;

    fn div(self, times: u32) -> Self {
        Self { cpu: self.cpu / times, wall: self.wall / times }
    }
}

/// Number of words that are streamed: 16 MiB, more than a core's cache holds.
const WORDS: u64 = 1 << 21;
/// Number of cells that are stirred: 512 KiB, the state of a medium-sized machine.
const CELLS: u64 = 1 << 16;
/// Number of passes over the words per run.
const PASSES: u32 = 24;
/// Steps of the stirring per run.
const STEPS: u32 = 1 << 20;
/// The result of a run of both.
const CHECK: u64 = 52_776_533_474_561;

/// Work that no change of this program makes faster or slower: reading memory in order, and changing cells at
/// random places depending on their contents, as event queues do. Each takes about half of the time.
///
/// Other load or heat slows the baseline like the rows, so that the ratio says more than a time. Chains of
/// dependent reads are left out: on a shared machine they took up to ten times as long, while the engines
/// took 1.2 times as long.
#[derive(Debug, Clone)]
pub struct Baseline {
    words: Vec<u64>,
    cells: Vec<u64>,
}

impl Baseline {
    /// Fills its memory.
    #[must_use]
    pub fn new() -> Self {
        Self { words: (0..WORDS).collect(), cells: (0..CELLS).map(|_| 0).collect() }
    }

    /// Bytes that one [`Self::stream`] reads.
    #[must_use]
    pub fn streamed_bytes(&self) -> u64 {
        WORDS * 8
    }

    /// Steps of one [`Self::stir`].
    #[must_use]
    pub fn stirred_steps(&self) -> u64 {
        u64::from(STEPS)
    }

    /// Reads all words in order and returns their sum.
    #[must_use]
    pub fn stream(&self) -> u64 {
        black_box(&self.words).iter().fold(0, |sum, &word| sum.wrapping_add(word))
    }

    /// Changes cells at places given by a shift-register generator (Marsaglia 2003), depending on their
    /// contents; returns the number of cells that were increased. All cells are 0 before.
    pub fn stir(&mut self) -> u64 {
        self.cells.fill(0);
        let (mut state, mut increased) = (black_box(88_172_645_463_325_252_u64), 0);
        for _ in 0..STEPS {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let (one, other) = (cell(state), cell(state >> 32));
            if self.cells[one] < self.cells[other] {
                self.cells[one] = self.cells[one].wrapping_mul(5).wrapping_add(state);
                increased += 1;
            } else {
                self.cells.swap(one, other);
                self.cells[other] ^= state;
            }
        }
        increased
    }

    /// Streams and stirs once.
    ///
    /// # Panics
    ///
    /// If the result is wrong: the processor or the memory is faulty.
    pub fn run(&mut self) {
        let streamed = (0..PASSES).fold(0_u64, |sum, _| sum.wrapping_add(self.stream()));
        let check = streamed.wrapping_add(self.stir());
        assert_eq!(check, CHECK, "the work that figures are set in relation to");
    }
}

/// Index of the cell that a word selects.
fn cell(word: u64) -> usize {
    // It is below the number of cells, so it always fits.
    usize::try_from(word % CELLS).unwrap_or(0)
}

impl Default for Baseline {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_comes_to_what_it_must_each_time() {
        let mut baseline = Baseline::new();
        assert_eq!(baseline.stream(), WORDS * (WORDS - 1) / 2);
        assert_eq!(baseline.stir(), baseline.stir());
        baseline.run();
    }

    #[test]
    fn stirring_takes_both_branches() {
        let increased = Baseline::new().stir();
        assert!((u64::from(STEPS) / 4..u64::from(STEPS) / 4 * 3).contains(&increased), "{increased}");
    }
}
