//! The fastest algorithm of a collective at each size, and the best order of axes, below the tables of `compare`.

use cubefold_formats::input::engineering_seconds;
use cubefold_records::{RunCaption, RunRecord, size_in_words};
use cubefold_runs::{AlgorithmComparison, FastestAtSize, FastestChange};

use super::{Page, TextTable};
use crate::grouping::shown;

/// Adds the fastest at each size, and sentences on the crossovers, for each comparison.
pub(super) fn add_fastest(page: &mut Page, comparisons: &[AlgorithmComparison]) {
    for comparison in comparisons {
        let setting: Vec<String> = comparison
            .setting
            .iter()
            .map(|(path, value)| format!("{path} = {}", shown(path, value)))
            .collect();
        let of = if setting.is_empty() { String::new() } else { format!(", {}", setting.join(", ")) };
        page.table(TextTable { caption: Some(format!("fastest algorithm{of}")), ..table(comparison) });
        page.notes(sentences(comparison));
    }
}

fn table(comparison: &AlgorithmComparison) -> TextTable {
    let has_seconds = comparison.sizes.iter().any(|size| size.makespan_seconds.is_some());
    let mut header = vec!["vector".to_owned(), "fastest".to_owned(), "makespan".to_owned()];
    header.extend(has_seconds.then(|| "seconds".to_owned()));
    header.extend([format!("x {}", comparison.reference), "second".to_owned(), "behind by".to_owned()]);
    let row = |size: &FastestAtSize| {
        let mut row = vec![
            size_in_words(size.vector_units, size.vector_bytes),
            size.fastest.clone(),
            size.makespan_cycles.to_string(),
        ];
        row.extend(has_seconds.then(|| size.makespan_seconds.map(engineering_seconds).unwrap_or_default()));
        let (second, behind) = size.second.clone().unzip();
        row.extend([
            size.speed_up.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
            second.unwrap_or_default(),
            behind.map(|ratio| format!("{:.1} %", 100.0 * (ratio - 1.0))).unwrap_or_default(),
        ]);
        row
    };
    TextTable {
        rows: comparison.sizes.iter().map(row).collect(),
        header,
        words: 2,
        gives_way: &["seconds", "behind by", "second"],
        ..TextTable::default()
    }
}

/// The sentences on the sizes at which the fastest algorithm changes, or that it does not, and on ties.
fn sentences(comparison: &AlgorithmComparison) -> Vec<String> {
    let sizes = &comparison.sizes[..];
    let mut sentences = match (&comparison.changes[..], sizes) {
        ([], [only]) => match as_fast(only) {
            Some(second) => return vec![format!("{} and {second} are equally fast.", only.fastest)],
            None => vec![format!("{} is the fastest.", only.fastest)],
        },
        ([], [first, ..]) => vec![format!("{} is the fastest at every size.", first.fastest)],
        (changes, _) => changes.iter().map(change).collect(),
    };
    let ties = sizes.iter().filter(|size| as_fast(size).is_some()).count();
    sentences
        .extend((ties > 0).then(|| format!("The second is as fast at {ties} of {} sizes.", sizes.len())));
    sentences
}

/// The second algorithm, if it is as fast as the fastest.
fn as_fast(size: &FastestAtSize) -> Option<&str> {
    size.second.as_ref().filter(|(_, ratio)| *ratio <= 1.0).map(|(second, _)| second.as_str())
}

fn change(change: &FastestChange) -> String {
    let FastestChange { before, after, .. } = change;
    let last = size_in_words(change.last_units, change.last_bytes);
    if change.is_to_the_unit() {
        let units = change.first_units;
        let first = match change.first_bytes {
            Some(_) => format!("{units} units ({})", size_in_words(units, change.first_bytes)),
            None => format!("{units} units"),
        };
        return format!("A change at {first}: {after} is the fastest there, {before} just below.");
    }
    let first = size_in_words(change.first_units, change.first_bytes);
    format!(
        "Between {last} and {first} the fastest changes from {before} to {after}; --bisect finds the size."
    )
}

/// A sentence on the best of several orders of axes: the fastest in the most combinations, on ties the first.
pub(super) fn best_order(runs: &[RunCaption], records: &[RunRecord]) -> Option<String> {
    let rows: Vec<(&RunCaption, &RunRecord)> = runs.iter().zip(records).collect();
    let is_order = |record: &RunRecord| record.embedding.starts_with("axes:");
    let mut wins: Vec<(&str, usize)> = vec![];
    let (mut combinations, mut greatest) = (0, 1.0_f64);
    for group in rows.chunk_by(|one, next| one.0.combination == next.0.combination) {
        let orders: Vec<&RunRecord> =
            group.iter().map(|(_, record)| *record).filter(|record| is_order(record)).collect();
        let (Some(best), Some(worst)) = (
            orders.iter().min_by_key(|record| record.makespan_cycles),
            orders.iter().max_by_key(|record| record.makespan_cycles),
        ) else {
            continue;
        };
        if orders.len() < 2 {
            continue;
        }
        combinations += 1;
        let both = worst.makespan_cycles.zip(best.makespan_cycles);
        let ratio = both.and_then(|(worst, best)| {
            cubefold_formats::input::exact_mean::exact_mean(worst.into(), best.into())
        });
        greatest = ratio.map_or(greatest, |ratio| greatest.max(ratio));
        for record in orders.iter().filter(|record| record.makespan_cycles == best.makespan_cycles) {
            match wins.iter_mut().find(|(name, _)| *name == record.embedding) {
                Some((_, count)) => *count += 1,
                None => wins.push((&record.embedding, 1)),
            }
        }
    }
    let most = wins.iter().map(|(_, count)| *count).max()?;
    let (name, count) = wins.iter().find(|(_, count)| *count == most)?;
    let of =
        if combinations == 1 { String::new() } else { format!(" in {count} of {combinations} combinations") };
    Some(format!(
        "Best order of axes{of}: {name} ({}); the worst takes up to {greatest:.2} times as long.",
        in_words(name)
    ))
}

/// The explanation of an order's name.
fn in_words(name: &str) -> String {
    let name = name.trim_start_matches("axes:");
    let (order, is_folded) = match name.strip_suffix("/folded") {
        Some(order) => (order, true),
        None => (name, false),
    };
    let pair = |text: &str| match text.split_once('=') {
        Some((axis, hosts)) => format!("{axis} along {}", hosts.replace('x', " and ")),
        None => text.to_owned(),
    };
    let words: Vec<String> = order.split('/').map(pair).collect();
    format!("logical dimension {}{}", words.join(", "), if is_folded { ", folded" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(last_units: u64, first_units: u64, bytes: Option<u64>) -> FastestChange {
        FastestChange {
            before: "swing".to_owned(),
            after: "ring".to_owned(),
            last_units,
            first_units,
            last_bytes: bytes.map(|bytes| bytes * last_units),
            first_bytes: bytes.map(|bytes| bytes * first_units),
        }
    }

    #[test]
    fn changes_read_as_sentences() {
        assert_eq!(
            change(&found(16, 64, Some(1024))),
            "Between 16 KiB and 64 KiB the fastest changes from swing to ring; --bisect finds the size."
        );
        assert_eq!(
            change(&found(31, 32, Some(1024))),
            "A change at 32 units (32 KiB): ring is the fastest there, swing just below."
        );
        assert_eq!(
            change(&found(31, 32, None)),
            "A change at 32 units: ring is the fastest there, swing just below."
        );
    }

    #[test]
    fn ties_read_as_ties() {
        let size = |ratio: f64| FastestAtSize {
            vector_units: 1,
            vector_bytes: None,
            fastest: "swing".to_owned(),
            makespan_cycles: 8,
            makespan_seconds: None,
            speed_up: None,
            second: Some(("ring".to_owned(), ratio)),
        };
        let of = |sizes: Vec<FastestAtSize>| {
            let (setting, reference) = (std::collections::BTreeMap::new(), "ring".to_owned());
            sentences(&AlgorithmComparison { setting, reference, sizes, changes: vec![] })
        };
        assert_eq!(of(vec![size(1.0)]), ["swing and ring are equally fast."]);
        assert_eq!(of(vec![size(1.5)]), ["swing is the fastest."]);
        let some = ["swing is the fastest at every size.", "The second is as fast at 1 of 2 sizes."];
        assert_eq!(of(vec![size(1.0), size(1.5)]), some);
    }

    #[test]
    fn orders_of_axes_read_as_sentences() {
        assert_eq!(in_words("axes:0=3/1=1x2/folded"), "logical dimension 0 along 3, 1 along 1 and 2, folded");
    }
}
