//! The figures of a row, measured in a process of its own so that its memory is its own.

use std::{
    fs,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use cpu_time::ProcessTime;
use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};
use sysinfo::System;

use super::{
    row::{Quantity, Row},
    work::Work,
};

/// Rounds are repeated until they have taken this long after the first one, which may fill caches ..
const ENOUGH: Duration = Duration::from_secs(2);
/// .. and at least this often, if that does not take too long.
const MIN_ROUNDS: usize = 3;
/// No further round begins after this time.
const LONG: Duration = Duration::from_secs(20);

/// The result of measuring a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Report {
    /// Figures.
    Measured(Measured),
    /// No figures, and the reason.
    Refused(String),
}

/// The figures of one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// The least processor time \[s\].
    pub(crate) cpu_seconds: f64,
    /// The least elapsed time \[s\].
    pub(crate) wall_seconds: f64,
    steps: u64,
    nodes: u64,
    /// Memory of the process before the first round and its peak \[bytes\]; `None` where the system does not tell it.
    bytes: Option<(u64, u64)>,
}

impl Report {
    /// Measures in this process, on one thread.
    pub(crate) fn here(row: &Row) -> Self {
        let work = Work::new(*row);
        let mut system = System::new().expect("the memory of the machine");
        system.refresh_memory();
        let (needed, free) = (work.bytes(), system.available_memory());
        if needed > free {
            return Self::Refused(format!("needs about {} MiB, {} are free", needed >> 20, free >> 20));
        }
        let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        Self::Measured(pool.install(|| measure(&work, row.quantity)))
    }

    /// Measures in a process of its own.
    pub(crate) fn in_own_process(row: &Row) -> Self {
        let program = std::env::current_exe().expect("the path of this program");
        let output = Command::new(program)
            .args(["--alone", row.name])
            .stderr(Stdio::inherit())
            .output()
            .expect("this program, started once more");
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| Self::Refused(format!("broke off: {}", output.status)))
    }
}

impl Measured {
    /// The figure in this unit; `None` where the system does not tell it.
    #[expect(clippy::cast_precision_loss, reason = "a figure is shown with three digits")]
    pub(crate) fn figure(&self, quantity: Quantity) -> Option<f64> {
        Some(match quantity {
            Quantity::MillionHopsPerSecond | Quantity::MillionNodeCyclesPerSecond => {
                self.steps as f64 / self.cpu_seconds / 1e6
            }
            Quantity::PlacementsPerSecond => self.steps as f64 / self.cpu_seconds,
            Quantity::Seconds => self.cpu_seconds,
            Quantity::BytesPerNode => {
                let (before, peak) = self.bytes?;
                peak.checked_sub(before)? as f64 / self.nodes as f64
            }
        })
    }
}

fn measure(work: &Work, quantity: Quantity) -> Measured {
    let before = memory("VmRSS:");
    let (mut rounds, mut taken, mut enough): (Vec<Elapsed>, _, _) = (vec![], Duration::ZERO, None);
    let steps = loop {
        let (done, elapsed) = timed(|| work.round());
        taken += elapsed.cpu;
        rounds.push(elapsed);
        let enough = *enough.get_or_insert(taken + ENOUGH);
        let is_enough = rounds.len() >= MIN_ROUNDS && taken >= enough;
        // Memory needs one round.
        if quantity == Quantity::BytesPerNode || is_enough || taken >= LONG {
            break done.steps;
        }
    };
    let least = |of: fn(&Elapsed) -> f64| rounds.iter().map(of).fold(f64::INFINITY, f64::min);
    Measured {
        cpu_seconds: least(|round| round.cpu.as_secs_f64()),
        wall_seconds: least(|round| round.wall.as_secs_f64()),
        steps,
        nodes: work.nodes(),
        bytes: before.zip(memory("VmHWM:")),
    }
}

/// The time of some work.
#[derive(Debug, Clone, Copy)]
struct Elapsed {
    cpu: Duration, // of all threads of the process
    wall: Duration,
}

#[expect(clippy::disallowed_methods, reason = "the clock is what is measured; no result depends on it")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, Elapsed) {
    let (wall, processor) = (Instant::now(), ProcessTime::now());
    let done = work();
    let elapsed = Elapsed { cpu: processor.elapsed(), wall: wall.elapsed() };
    (done, elapsed)
}

/// A memory figure of this process \[bytes\], which only Linux tells.
fn memory(key: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}
