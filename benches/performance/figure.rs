//! The figure of a row, and what is said of it.

use cubefold::simulator::Engine;

use super::{Quantity, Report, Row};

/// A row of the table, cell by cell.
pub(crate) fn cells(row: &Row, reports: &[Report]) -> Vec<String> {
    let unit = row.quantity.unit();
    let named = |figure: f64| format!("{} {unit}", digits(figure));
    let engine = row.engine_that_runs().map_or("", Engine::name);
    let start = [row.name.to_owned(), engine.to_owned(), named(row.least), named(row.goal)];
    let refused = reports.iter().find_map(|report| match report {
        Report::Refused(reason) => Some(reason.clone()),
        Report::Measured(_) => None,
    });
    let end = match (refused, figure(row, reports), reports.first()) {
        (None, Some(figure), Some(Report::Measured(one))) => [
            named(figure),
            digits(one.cpu_seconds),
            digits(one.wall_seconds),
            verdict(row, figure).to_owned(),
        ],
        (refused, ..) => {
            let reason = refused.unwrap_or_else(|| "not told by this system".to_owned());
            [String::new(), String::new(), String::new(), reason]
        }
    };
    start.into_iter().chain(end).collect()
}

/// The figure, of reports on one thread, two threads and so on; none where the system does not tell it.
#[expect(clippy::cast_precision_loss, reason = "a figure is shown with three digits")]
fn figure(row: &Row, reports: &[Report]) -> Option<f64> {
    let Report::Measured(one) = reports.first()? else { return None };
    Some(match row.quantity {
        Quantity::MillionHopsASecond => one.operations as f64 / one.cpu_seconds / 1e6,
        Quantity::Seconds => one.cpu_seconds,
        Quantity::Milliseconds => one.cpu_seconds * 1e3,
        Quantity::Nanoseconds => one.cpu_seconds * 1e9 / one.operations as f64,
        Quantity::BytesANode => one.bytes_at_most?.checked_sub(one.bytes_before?)? as f64 / one.nodes as f64,
        Quantity::Gigabytes => one.bytes_at_most? as f64 / 1e9,
        Quantity::Speedup => {
            let Report::Measured(two) = reports.get(1)? else { return None };
            one.wall_seconds / two.wall_seconds
        }
    })
}

fn verdict(row: &Row, figure: f64) -> &'static str {
    if row.quantity.meets(figure, row.goal) {
        "goal"
    } else if row.quantity.meets(figure, row.least) {
        "least"
    } else {
        "below least"
    }
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
