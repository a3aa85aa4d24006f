//! The machine that figures are of: what it is, what else it does, and what the baseline takes on it.

use std::{hint::black_box, thread::available_parallelism};

use cubefold::experiment::tools::benchmark::{Baseline, Stopwatch};
use sysinfo::{CpuRefreshKind, System};

/// A sentence about the processors and how busy they are.
pub(crate) fn machine() -> String {
    let mut system = System::new().expect("what the system tells");
    system.refresh_cpu_list(CpuRefreshKind::nothing());
    let processor = system.cpus().first().map_or("unknown", |cpu| cpu.brand()).to_owned();
    let threads = available_parallelism().map_or(1, usize::from);
    format!("Measured on {threads} hardware threads of a processor that calls itself {processor}.")
}

/// How many threads ran or wanted to in the last minute on average; 0 where the system does not tell it.
pub(crate) fn load() -> f64 {
    System::load_average().map_or(0.0, |load| load.one)
}

/// A sentence about work that figures of other machines can be set in relation to.
#[expect(clippy::cast_precision_loss, reason = "a figure is shown with three digits")]
pub(crate) fn baseline() -> String {
    let mut baseline = Baseline::new();
    let (bytes, steps) = (baseline.streamed_bytes() as f64, baseline.stirred_steps() as f64);
    let run = least_seconds(&mut baseline, |baseline| {
        baseline.run();
        0
    });
    let streamed = bytes / least_seconds(&mut baseline, |baseline| baseline.stream()) / 1e9;
    let stirred = steps / least_seconds(&mut baseline, Baseline::stir) / 1e6;
    let run = run * 1e3;
    format!("Baseline: {run:.2} ms; streams {streamed:.1} GB/s, stirs {stirred:.0} million cells/s.")
}

/// The least processor time of some rounds [s].
fn least_seconds(baseline: &mut Baseline, work: impl Fn(&mut Baseline) -> u64) -> f64 {
    let mut round = || {
        let stopwatch = Stopwatch::start().expect("a clock");
        black_box(work(baseline));
        stopwatch.elapsed().expect("a clock").cpu.as_secs_f64()
    };
    (0..50).map(|_| round()).fold(f64::INFINITY, f64::min)
}
