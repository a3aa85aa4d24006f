//! The pages of `cubefold run` and `cubefold compare`: a section per scenario, a row per run.

use cubefold_formats::input::engineering_seconds;
use cubefold_records::{RunCaption, RunRecord, ScenarioCaption, settings};
use cubefold_runs::{AlgorithmComparison, Reference};

use super::{
    Page,
    algorithm_tables::{add_fastest, best_order},
    open_loop_notes::{limits, load_columns, saturates_last, saturation_sentences},
    result_notes::{
        bound_notes, bound_sentences, construction_notes, coordination_note, legend, met_bound, surprises,
    },
    results_page::{
        Column, RunRow, add_bounds, add_tables, bar_column, makespan_columns, step_columns, time_columns,
    },
    step_tables::{StepsShown, add_steps},
    trace_tables::add_trace_communication,
};
use crate::{
    arguments::SharedOptions,
    grouping::{by_reference, by_scenario},
};

/// The page of `run`.
pub(crate) fn run_table(
    scenarios: &[ScenarioCaption],
    records: &[RunRecord],
    steps: StepsShown,
    shared: &SharedOptions,
) -> Page {
    let mut page = Page::new(shared.color.of_results(shared.output.as_deref()));
    for (scenario, records) in by_scenario(scenarios, records) {
        page.heading(&scenario.name);
        page.settings(settings(&records.iter()));
        add_tables(&mut page, &scenario.runs, records, run_columns);
        add_bounds(&mut page, &scenario.runs, records);
        add_steps(&mut page, &scenario.runs, records, steps);
        add_trace_communication(&mut page, &scenario.runs, records);
        page.notes(bound_sentences(&scenario.runs, records));
        page.notes(limits(&scenario.runs, records));
        page.notes(saturation_sentences(&scenario.runs, records));
        if !shared.quiet {
            page.notes(construction_notes(&scenario.runs));
            page.notes(notes(&scenario.runs, records));
        }
    }
    page
}

fn run_columns(rows: &[RunRow<'_>]) -> Vec<Column> {
    let mut columns = load_columns(rows);
    columns.extend(makespan_columns(rows));
    columns.push(Column::new("goodput_bytes_per_second", rows));
    columns.push(Column::new("bus_bandwidth_bytes_per_second", rows));
    columns.push(Column::new("worst_case_bound", rows));
    columns.extend(time_columns(rows));
    columns.push(Column::new("longest_queue", rows));
    columns.extend(step_columns(rows));
    columns.push(bar_column(rows));
    columns
}

fn notes(runs: &[RunCaption], records: &[RunRecord]) -> Vec<String> {
    let mut notes = surprises(runs, records);
    if records.iter().any(|record| record.goodput_bytes_per_second.is_some()) {
        notes.push("Goodput is the vector of a rank divided by the time.".to_owned());
    }
    notes.extend(bound_notes(records));
    notes.extend(coordination_note(records));
    notes.extend(legend(runs, records));
    notes
}

/// The longest name of a reference in a header.
const MAX_HEADER_LENGTH: usize = 8;

/// The page of `compare`: rows with ratios, sentences on them, and the fastest algorithms if several are compared.
pub(crate) fn compare_table(
    scenarios: &[ScenarioCaption],
    references: &[Reference],
    records: &[RunRecord],
    algorithms: &[Vec<AlgorithmComparison>],
    steps: StepsShown,
    shared: &SharedOptions,
) -> Page {
    let mut page = Page::new(shared.color.of_results(shared.output.as_deref()));
    let with_references = by_scenario(scenarios, records).zip(references).zip(algorithms);
    for (((scenario, records), reference), comparisons) in with_references {
        page.heading(&scenario.name);
        page.settings(settings(&records.iter()));
        add_tables(&mut page, &scenario.runs, records, |rows| compare_columns(reference.name(), rows));
        add_steps(&mut page, &scenario.runs, records, steps);
        add_trace_communication(&mut page, &scenario.runs, records);
        page.notes(sentences(reference, &scenario.runs, records));
        page.notes(best_order(&scenario.runs, records).into_iter().collect());
        page.notes(limits(&scenario.runs, records));
        page.notes(saturation_sentences(&scenario.runs, records));
        page.notes(saturates_last(&scenario.runs, records));
        add_fastest(&mut page, comparisons);
        if !shared.quiet {
            page.notes(construction_notes(&scenario.runs));
            let mut notes = surprises(&scenario.runs, records);
            notes.extend(coordination_note(records));
            notes.extend(legend(&scenario.runs, records));
            page.notes(notes);
        }
    }
    page
}

fn compare_columns(reference: &str, rows: &[RunRow<'_>]) -> Vec<Column> {
    let name = if reference.chars().count() > MAX_HEADER_LENGTH { "reference" } else { reference };
    let [makespan, marks, seconds] = makespan_columns(rows);
    let mut columns = load_columns(rows);
    let ratio = Column::titled(&format!("vs {name}"), "ratio_to_reference", rows);
    columns.extend([makespan, marks, seconds, ratio]);
    columns.push(Column::new("bus_bandwidth_bytes_per_second", rows));
    columns.extend(time_columns(rows));
    columns.extend(step_columns(rows));
    columns.push(bar_column(rows));
    columns
}

/// Sentences on each embedding or algorithm: its ratio to the reference, and whether it meets the bound.
fn sentences(reference: &Reference, runs: &[RunCaption], records: &[RunRecord]) -> Vec<String> {
    let groups = by_reference(reference, runs, records).into_iter();
    groups.filter_map(|(name, records)| sentence(name, reference.name(), &records)).collect()
}

fn sentence(name: &str, reference: &str, records: &[&RunRecord]) -> Option<String> {
    let ratios: Vec<f64> = records.iter().filter_map(|record| record.ratio_to_reference).collect();
    let (least, greatest) =
        (ratios.iter().copied().reduce(f64::min)?, ratios.iter().copied().reduce(f64::max)?);
    let bound = met_bound(records);
    if name == reference {
        return bound.map(|bound| format!("{name}: {bound}."));
    }
    let against = match records.len() {
        1 => format!("{}{}", in_words(least, reference), difference(records[0], least)),
        several => format!("{} over {several} combinations", range_in_words(least, greatest, reference)),
    };
    Some(match bound {
        Some(bound) => format!("{name}: {against}; {bound}."),
        None => format!("{name}: {against}."),
    })
}

/// The difference from the reference in seconds, if the machine has seconds and the times differ: `, 5.00 us less`.
fn difference(record: &RunRecord, ratio: f64) -> String {
    let Some(seconds) = record.makespan_seconds else { return String::new() };
    // Runs of 0 cycles do not determine the time of the reference.
    if ratio <= 0.0 {
        return String::new();
    }
    let difference = seconds - seconds / ratio;
    let word = if difference < 0.0 { "less" } else { "more" };
    if difference.abs() < f64::EPSILON {
        String::new()
    } else {
        format!(", {} {word}", engineering_seconds(difference.abs()))
    }
}

/// A ratio of makespans in words.
fn in_words(ratio: f64, reference: &str) -> String {
    // Ratios are of whole cycles: equal makespans have the ratio 1 exactly.
    if ratio <= 0.0 {
        format!("takes no time, unlike {reference}")
    } else if ratio < 1.0 {
        format!("{:.2}x faster than {reference}", 1.0 / ratio)
    } else if ratio > 1.0 {
        format!("takes {ratio:.2}x as long as {reference}")
    } else {
        format!("equal to {reference}")
    }
}

/// A range of ratios in words.
fn range_in_words(least: f64, greatest: f64, reference: &str) -> String {
    let rounded = |ratio: f64| format!("{ratio:.2}x");
    let (slowest, fastest) = (rounded(1.0 / greatest), rounded(1.0 / least));
    if in_words(least, reference) == in_words(greatest, reference) {
        in_words(least, reference)
    } else if least <= 0.0 {
        format!("between no time and {} of {reference}'s", rounded(greatest))
    } else if greatest < 1.0 {
        format!("{slowest} to {fastest} faster than {reference}")
    } else if greatest <= 1.0 {
        format!("between equal to {reference} and {fastest} faster")
    } else if least > 1.0 {
        format!("takes {} to {} as long as {reference}", rounded(least), rounded(greatest))
    } else if least >= 1.0 {
        format!("between equal to {reference} and {} as long", rounded(greatest))
    } else {
        format!("from {fastest} faster than {reference} to {} as long", rounded(greatest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_read_as_sentences() {
        assert_eq!(in_words(0.8, "standard"), "1.25x faster than standard");
        assert_eq!(in_words(0.0, "standard"), "takes no time, unlike standard");
        assert_eq!(in_words(1.2, "standard"), "takes 1.20x as long as standard");
        assert_eq!(in_words(1.0, "standard"), "equal to standard");
    }

    #[test]
    fn ranges_of_ratios_say_which_side_they_are_on() {
        let range = |least, greatest| range_in_words(least, greatest, "xor");
        assert_eq!(range(0.5, 0.5), "2.00x faster than xor");
        assert_eq!(range(0.5, 0.8), "1.25x to 2.00x faster than xor");
        assert_eq!(range(0.5, 1.0), "between equal to xor and 2.00x faster");
        assert_eq!(range(1.0, 1.5), "between equal to xor and 1.50x as long");
        assert_eq!(range(1.25, 1.5), "takes 1.25x to 1.50x as long as xor");
        assert_eq!(range(0.8, 1.5), "from 1.25x faster than xor to 1.50x as long");
    }
}
