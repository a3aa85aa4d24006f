//! Prints the table of performance with this machine's figures, as Markdown:
//! `cargo bench -p cubefold --bench performance_table -- [--long] [--row NAME]`.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up is to stop")]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a table is printed, and which row is measured"
)]

#[allow(dead_code, reason = "throughput is for the benchmarks of criterion")]
mod performance;

use clap::Parser;
use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};
use cubefold::experiment::benchmark::{Baseline, Stopwatch};

use performance::{Quantity, ROWS, Report, Row, Run, cells};

/// Prints the table of performance with this machine's figures.
#[derive(Debug, Parser)]
struct Arguments {
    /// Also measure the rows that take long or much memory
    #[arg(long)]
    long: bool,

    /// Measure the rows whose names contain this, long or not
    #[arg(long, value_name = "NAME")]
    row: Option<String>,

    /// Measure the row of this name in this process, as the table does in one for each row
    #[arg(long, value_name = "NAME", hide = true)]
    alone: Option<String>,

    /// On how many threads
    #[arg(long, default_value_t = 1, hide = true)]
    threads: usize,

    /// What `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let arguments = Arguments::parse();
    if let Some(name) = &arguments.alone {
        let row = ROWS.iter().find(|row| row.name == *name).expect("a row of this name");
        let report = Report::here(row, arguments.threads);
        println!("{}", serde_json::to_string(&report).expect("figures and words"));
        return;
    }
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header(["what", "engine", "least", "goal", "measured", "cpu s", "wall s", "verdict"]);
    for column in table.column_iter_mut().skip(2).take(5) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for row in ROWS.iter().filter(|row| is_chosen(row, &arguments)) {
        eprintln!("{}", row.name);
        table.add_row(cells(row, &reports(row)));
    }
    println!("{table}\n\n{}", baseline());
}

fn is_chosen(row: &Row, arguments: &Arguments) -> bool {
    match &arguments.row {
        Some(part) => row.name.contains(part.as_str()),
        None => row.run == Run::Always || arguments.long,
    }
}

/// On one thread, and on two where that is the question.
fn reports(row: &Row) -> Vec<Report> {
    let threads = if row.quantity == Quantity::Speedup { 1..=2 } else { 1..=1 };
    threads.map(|threads| Report::in_own_process(row, threads)).collect()
}

/// What the work takes that figures of other machines can be set in relation to.
#[expect(clippy::cast_precision_loss, reason = "a figure is shown with three digits")]
fn baseline() -> String {
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
        std::hint::black_box(work(baseline));
        stopwatch.elapsed().expect("a clock").cpu.as_secs_f64()
    };
    (0..50).map(|_| round()).fold(f64::INFINITY, f64::min)
}
