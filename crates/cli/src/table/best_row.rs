//! Which runs are the fastest of their combination.

use cubefold_experiment::export::{RunCaption, RunRecord};

use super::results_page::RunRow;

/// What stands beside the makespan of such a run.
pub(super) const MARK: &str = "*";

/// The mark of each row, or nothing. Rows that differ in nothing but the embedding are a combination; where all
/// of them are equally fast there is nothing to choose, and no mark.
pub(super) fn marks(rows: &[RunRow<'_>]) -> Vec<String> {
    rows.chunk_by(|one, other| one.run.combination == other.run.combination).flat_map(marks_of).collect()
}

fn marks_of(rows: &[RunRow<'_>]) -> Vec<String> {
    let makespans = || rows.iter().map(|row| row.record.makespan_cycles);
    let (least, greatest) = (makespans().min(), makespans().max());
    let is_best = |makespan: u64| least < greatest && Some(makespan) == least;
    makespans().map(|makespan| if is_best(makespan) { MARK.to_owned() } else { String::new() }).collect()
}

/// What the mark means, where there is one.
pub(super) fn legend(runs: &[RunCaption], records: &[RunRecord]) -> Option<String> {
    let rows: Vec<RunRow<'_>> =
        runs.iter().zip(records).map(|(run, record)| RunRow { run, record }).collect();
    let any = marks(&rows).iter().any(|mark| !mark.is_empty());
    let swept = runs.iter().any(|run| !run.combination.is_empty());
    let of = if swept { " of its combination" } else { "" };
    any.then(|| format!("{MARK} the fewest cycles{of}."))
}
