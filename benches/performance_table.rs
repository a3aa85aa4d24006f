//! Prints the table of performance with this machine's figures, as Markdown:
//! `cargo bench -p cubefold --bench performance_table -- [--long] [--row NAME] [--write PAGE]`.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up is to stop")]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a table is printed, and which row is measured"
)]

#[allow(dead_code, reason = "throughput is for the benchmarks of criterion")]
mod performance;

use std::path::{Path, PathBuf};

use clap::Parser;
use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};

use performance::{Quantity, ROWS, Report, Row, Run, baseline, cells, load, machine, write_between_comments};

/// Prints the table of performance with this machine's figures.
#[derive(Debug, Parser)]
struct Arguments {
    /// Also measure the rows that take long or much memory
    #[arg(long)]
    long: bool,

    /// Measure the rows whose names contain this, long or not
    #[arg(long, value_name = "NAME")]
    row: Option<String>,

    /// Also write the table into this page of the repository, between the comments that say so
    #[arg(long, value_name = "PAGE")]
    write: Option<PathBuf>,

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
    let before = load();
    let table = table(&arguments);
    let load = format!("Load of the machine before and at the end: {before:.1} and {:.1}.", load());
    let text = format!("{table}\n\n{} {load}\n{}", machine(), baseline());
    println!("{text}");
    if let Some(page) = &arguments.write {
        // Benchmarks are run in the folder of their crate.
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        write_between_comments(&repository.join(page), &text);
    }
}

fn table(arguments: &Arguments) -> Table {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header(["what", "engine", "least", "goal", "measured", "cpu s", "wall s", "verdict"]);
    for column in table.column_iter_mut().skip(2).take(5) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for row in ROWS.iter().filter(|row| is_chosen(row, arguments)) {
        eprintln!("{}", row.name);
        table.add_row(cells(row, &reports(row)));
    }
    table
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
