//! What rounds of a row take, measured in a process of its own.

use std::{
    fs,
    process::{Command, Stdio},
};

use cubefold::experiment::tools::benchmark::{Elapsed, Stopwatch};
use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};
use sysinfo::System;

use super::{Row, Work};

/// A round is repeated until so many seconds of processor time have gone by since the first, which may make what the others
/// find made, ..
const ENOUGH_SECONDS: f64 = 2.0;
/// .. but so often at least, if that does not take too long.
const MIN_ROUNDS: usize = 3;
/// What takes too long for another round [s].
const LONG_SECONDS: f64 = 20.0;

/// What came of measuring a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Report {
    /// Figures.
    Measured(Measured),
    /// None, and why.
    Refused(String),
}

/// What one round of a row takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// The least processor time [s].
    pub(crate) cpu_seconds: f64,
    /// The least time on the wall [s].
    pub(crate) wall_seconds: f64,
    /// Links crossed, edges measured or addresses found.
    pub(crate) operations: u64,
    /// The nodes of the machine.
    pub(crate) nodes: u64,
    /// Memory of the process before the first round [bytes], where the system tells it.
    pub(crate) bytes_before: Option<u64>,
    /// Memory of the process at its greatest [bytes], where the system tells it.
    pub(crate) bytes_at_most: Option<u64>,
}

impl Report {
    /// Measures in this process, on so many threads.
    pub(crate) fn here(row: &Row, threads: usize) -> Self {
        let work = Work::new(*row);
        let mut system = System::new().expect("the memory of the machine");
        system.refresh_memory();
        let (needed, free) = (work.bytes(), system.available_memory());
        if needed > free {
            return Self::Refused(format!("needs about {} MiB, {} are free", needed >> 20, free >> 20));
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        Self::Measured(pool.install(|| measure(&work)))
    }

    /// Measures in a process of its own: its memory is that of this row only.
    pub(crate) fn in_own_process(row: &Row, threads: usize) -> Self {
        let program = std::env::current_exe().expect("the path of this program");
        let mut command = Command::new(program);
        command.args(["--alone", row.name, "--threads", &threads.to_string()]).stderr(Stdio::inherit());
        let output = command.output().expect("this program, started once more");
        match serde_json::from_slice(&output.stdout) {
            Ok(report) => report,
            Err(_) => Self::Refused(format!("broke off: {}", output.status)),
        }
    }
}

fn measure(work: &Work) -> Measured {
    let bytes_before = memory("VmRSS:");
    let (mut rounds, mut seconds, mut first_seconds): (Vec<Elapsed>, _, _) = (vec![], 0.0, None);
    let operations = loop {
        let stopwatch = Stopwatch::start().expect("a clock");
        let done = work.round();
        let elapsed = stopwatch.elapsed().expect("a clock");
        work.check(done);
        seconds += elapsed.cpu.as_secs_f64();
        rounds.push(elapsed);
        let often = rounds.len() >= MIN_ROUNDS;
        let enough = seconds - *first_seconds.get_or_insert(seconds) >= ENOUGH_SECONDS;
        if work.is_memory() || (often && enough) || seconds >= LONG_SECONDS {
            break done.operations;
        }
    };
    let least = |of: fn(&Elapsed) -> f64| rounds.iter().map(of).fold(f64::INFINITY, f64::min);
    Measured {
        cpu_seconds: least(|round| round.cpu.as_secs_f64()),
        wall_seconds: least(|round| round.wall.as_secs_f64()),
        operations,
        nodes: work.nodes(),
        bytes_before,
        bytes_at_most: memory("VmHWM:"),
    }
}

/// A figure of memory that Linux keeps of this process [bytes]; none on other systems.
fn memory(key: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}
