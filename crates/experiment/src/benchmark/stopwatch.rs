//! Processor time and wall time.

use std::{
    io,
    ops::Div,
    time::{Duration, Instant},
};

use cpu_time::ProcessTime;

/// Measures how long something takes.
///
/// Processor time is that of the whole process, of all its threads together: what else the machine does, and
/// waiting, are not in it. Wall time is kept beside it.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    processor: ProcessTime,
    wall: Instant,
}

/// How long something took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed {
    /// Processor time of all threads of the process together.
    pub cpu: Duration,
    /// Time on the wall.
    pub wall: Duration,
}

impl Stopwatch {
    /// Starts.
    ///
    /// # Errors
    ///
    /// When the system does not tell the processor time.
    #[expect(clippy::disallowed_methods, reason = "the clock is what is measured; no result depends on it")]
    pub fn start() -> io::Result<Self> {
        Ok(Self { wall: Instant::now(), processor: ProcessTime::try_now()? })
    }

    /// The time since the start.
    ///
    /// # Errors
    ///
    /// When the system does not tell the processor time.
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
