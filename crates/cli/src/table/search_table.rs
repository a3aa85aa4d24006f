//! The page of `cubefold search`: the current value of each combination, the value found, and its distance from the
//! bound.

use cubefold_formats::input::engineering_seconds;
use cubefold_records::{Definition, Row, SearchRecord};

use super::{Page, TextTable};

/// The columns; times are added to the values if a cycle has a length.
const COLUMNS: [&str; 10] = [
    "reference",
    "reference_value",
    "named",
    "named_value",
    "found_value",
    "gain_percent",
    "gain_over_reference_percent",
    "bound_value",
    "gap_percent",
    "proved",
];

/// A row for each combination, under the name of its setting; a node had at most `most` ranks.
pub(crate) fn search_table(names: &[String], records: &[SearchRecord], most: usize) -> Page {
    let mut page = Page::default();
    let with_names = records.len() > 1;
    let row = |(name, record): (&String, &SearchRecord)| -> Vec<String> {
        let row = Row::new(record);
        let cells = COLUMNS.map(|column| match column {
            "gain_percent" => record.gain_percent.map_or_else(String::new, |gain| format!("{gain:.1}")),
            "gain_over_reference_percent" => {
                record.gain_over_reference_percent.map_or_else(String::new, |gain| format!("{gain:.1}"))
            }
            "gap_percent" => record.gap_percent.map_or_else(String::new, |gap| format!("{gap:.1}")),
            _ => row.cell(column).shown().unwrap_or_default(),
        });
        with_names.then(|| name.clone()).into_iter().chain(cells).collect()
    };
    let titles = COLUMNS.map(|name| Definition::title_of(name).to_owned());
    page.table(TextTable {
        header: with_names.then(|| "combination".to_owned()).into_iter().chain(titles).collect(),
        rows: names.iter().zip(records).map(row).collect(),
        words: if with_names { 2 } else { 1 },
        ..TextTable::default()
    });
    let mut notes = notes(records);
    if most > 1 {
        notes
            .push(format!("At most {most} ranks on a node, as in the fullest of the scenario's embeddings."));
    }
    page.notes(notes);
    page
}

fn notes(records: &[SearchRecord]) -> Vec<String> {
    let Some(first) = records.first() else { return vec![] };
    let what = match first.objective {
        "makespan" => "makespan [cycles]",
        "predicted" => "predicted makespan [cycles]",
        "load" => "largest load of a channel [cycles]",
        "hop-units" => "sum of units times links",
        _ => "largest distance of a message [links]",
    };
    let source = first.bound_source;
    let bound = if records.iter().all(|record| record.bound_value == 0) {
        "No bound above 0 is known.".to_owned()
    } else {
        format!("gap: above the bound, a value that no placement is below ({source}).")
    };
    let mut notes = vec![format!("Values: {what}. gain: below the best placement that has a name. {bound}")];
    if let [only] = records
        && let (Some(reference), Some(found)) = (only.reference_seconds, only.found_seconds)
    {
        notes.push(format!(
            "{}: {}; found: {}.",
            only.reference,
            engineering_seconds(reference),
            engineering_seconds(found)
        ));
    }
    notes
}
