//! How much processor time every row of the table of performance takes, by name, its answer checked.
//!
//! `cargo bench -p cubefold --bench engines -- NAME` measures those whose name contains NAME. The rows that take long
//! are only in the table, which `performance_table` prints.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up is to stop")]

#[allow(dead_code, unused_imports, reason = "the memory and the figures to be met are for the table")]
mod performance;

use std::{hint::black_box, time::Duration};

use criterion::{
    Criterion, Throughput, criterion_group, criterion_main,
    measurement::{Measurement, ValueFormatter, WallTime},
};
use cubefold::experiment::tools::benchmark::Stopwatch;

use performance::{ROWS, Run, Work};

/// Processor time of the process: what else the machine does is not in it.
struct ProcessorTime;

impl Measurement for ProcessorTime {
    type Intermediate = Stopwatch;
    type Value = Duration;

    fn start(&self) -> Stopwatch {
        Stopwatch::start().expect("a clock")
    }

    fn end(&self, stopwatch: Stopwatch) -> Duration {
        stopwatch.elapsed().expect("a clock").cpu
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        WallTime.to_f64(value)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

/// Measures how long every row takes that does not take long; throughput is in messages, guest edges or addresses.
fn rows(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("performance");
    group.sample_size(10);
    for row in ROWS.iter().filter(|row| row.run == Run::Always) {
        let work = Work::new(*row);
        let mut checked = None;
        group.throughput(Throughput::Elements(work.elements()));
        group.bench_function(row.name, |bencher| {
            // Once, and only for rows that are asked for.
            checked.get_or_insert_with(|| work.check(work.round()));
            bencher.iter(|| black_box(work.round()));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(ProcessorTime);
    targets = rows
}
criterion_main!(benches);
