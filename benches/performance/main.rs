//! Prints the table of performance with this machine's figures, as Markdown:
//! `cargo bench -p cubefold --bench performance -- [--long] [--row NAME]`.
//!
//! A row counts only if its answer is right and the named engine computed it.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up is to stop")]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the table goes to standard output, the current row to standard error"
)]

mod measured;
mod permutation;
mod row;
mod traffic;
mod work;

use clap::Parser;
use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};

use measured::Report;
use row::Row;

/// Prints the table of performance with this machine's figures.
#[derive(Debug, Parser)]
struct Arguments {
    /// Also measure the rows that take many seconds
    #[arg(long)]
    long: bool,

    /// Measure the rows with this text in their names, long or not
    #[arg(long, value_name = "NAME")]
    row: Option<String>,

    /// Measure the row of this name in this process and print its report
    #[arg(long, value_name = "NAME", hide = true)]
    alone: Option<String>,

    /// Added by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let arguments = Arguments::parse();
    if let Some(name) = &arguments.alone {
        let row = Row::ALL.iter().find(|row| row.name == *name).expect("a row of this name");
        println!("{}", serde_json::to_string(&Report::here(row)).expect("figures and words"));
        return;
    }
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header(["row", "enough", "measured", "cpu s", "wall s", "verdict"]);
    for column in table.column_iter_mut().skip(1).take(4) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for row in Row::ALL.iter().filter(|row| is_chosen(row, &arguments)) {
        eprintln!("{}", row.name);
        table.add_row(cells(row, &Report::in_own_process(row)));
    }
    println!("{table}");
}

fn is_chosen(row: &Row, arguments: &Arguments) -> bool {
    match &arguments.row {
        Some(part) => row.name.contains(part.as_str()),
        None => !row.is_long || arguments.long,
    }
}

/// The cells of a row of the table.
fn cells(row: &Row, report: &Report) -> [String; 6] {
    let named = |figure: f64| format!("{} {}", digits(figure), row.quantity.unit());
    let start = [row.name.to_owned(), named(row.enough)];
    let end = match report {
        Report::Refused(reason) => [String::new(), String::new(), String::new(), reason.clone()],
        Report::Measured(measured) => {
            let times = [measured.cpu_seconds, measured.wall_seconds].map(digits);
            let (figure, verdict) = match measured.figure(row.quantity) {
                Some(figure) if row.quantity.meets(figure, row.enough) => (named(figure), "enough"),
                Some(figure) => (named(figure), "below"),
                None => (String::new(), "not told by this system"),
            };
            let [cpu, wall] = times;
            [figure, cpu, wall, verdict.to_owned()]
        }
    };
    let ([name, enough], [figure, cpu, wall, verdict]) = (start, end);
    [name, enough, figure, cpu, wall, verdict]
}

/// A figure with about three digits.
fn digits(figure: f64) -> String {
    match figure {
        _ if figure >= 100.0 => format!("{figure:.0}"),
        _ if figure >= 1.0 => format!("{figure:.1}"),
        _ if figure >= 0.01 => format!("{figure:.3}"),
        _ => format!("{figure:.6}"),
    }
}
