//! The tables of single runs of a page: the steps of jobs, and the communication of traces.

use cubefold_records::{Definition, RunRecord, SingleRunColumn, SingleRunTable, counted};
use maud::{Markup, html};

use super::column::ReportedRun;

/// The definitions that headers of these tables link to.
pub(super) fn terms(runs: &[ReportedRun<'_>]) -> Vec<&'static Definition> {
    let first =
        |table: fn(&RunRecord) -> Option<SingleRunTable>| runs.iter().find_map(|run| table(&run.record));
    let tables =
        [first(RunRecord::step_table), first(RunRecord::pipeline_table), first(RunRecord::trace_table)];
    let columns = tables.into_iter().flatten().flat_map(|table| table.columns);
    let mut terms: Vec<&'static Definition> =
        columns.filter_map(|column| Definition::find(column.definition)).collect();
    terms.dedup();
    terms
}

/// The tables of the first jobs, and of the first runs of traces.
pub(super) fn tables(runs: &[ReportedRun<'_>], terms: &[&Definition]) -> Markup {
    html! { (steps(runs, terms)) (traces(runs, terms)) }
}

/// The steps of the first runs that are jobs, if there are any, each with its exposed communication.
fn steps(runs: &[ReportedRun<'_>], terms: &[&Definition]) -> Markup {
    let jobs: Vec<&ReportedRun<'_>> = runs.iter().filter(|run| run.record.steps.is_some()).collect();
    html! {
        @if !jobs.is_empty() {
            section #steps {
                h2 { "Steps" }
                p {
                    "The earliest begin and the latest finish of each step over the ranks that take part, in cycles, the \
                     exposed cycles of such a rank, and the computation steps that run beside a step of messages."
                }
                @for run in jobs.iter().take(SingleRunTable::MAX_RUNS) {
                    @if let Some(table) = run.record.pipeline_table() {
                        (one(&table, "pipelines", terms, (jobs.len() > 1).then_some(&run.name)))
                    }
                    @if let Some(table) = run.record.step_table() {
                        (one(&table, "steps", terms, (jobs.len() > 1).then_some(&run.name)))
                        @if table.left_out > 0 {
                            p.left-out { (counted(table.left_out, "further row")) " are in JSON only: cubefold run --format json." }
                        }
                    }
                    @if run.record.steps.is_some() {
                        @if let Some(sentence) = run.record.exposed_in_words() { p { (sentence) } }
                        @if let Some(sentence) = run.record.time.and_then(|time| time.in_words()) { p { (sentence) } }
                    }
                }
                (other_runs(jobs.len()))
            }
        }
    }
}

/// The communication of the first runs of traces with measured times, if there are any.
fn traces(runs: &[ReportedRun<'_>], terms: &[&Definition]) -> Markup {
    let traced: Vec<&ReportedRun<'_>> =
        runs.iter().filter(|run| run.record.trace_communication.is_some()).collect();
    html! {
        @if !traced.is_empty() {
            section #traces {
                h2 { "Communication of the traces" }
                p { (SingleRunTable::TRACES_IN_WORDS) }
                @for run in traced.iter().take(SingleRunTable::MAX_RUNS) {
                    @if let Some(table) = run.record.trace_table() {
                        (one(&table, "communication", terms, (traced.len() > 1).then_some(&run.name)))
                    }
                }
                (other_runs(traced.len()))
            }
        }
    }
}

/// The class of the cells of a column with words.
fn words(column: &SingleRunColumn) -> Option<&'static str> {
    column.has_words.then_some("words")
}

/// A sentence on the runs without a table.
fn other_runs(all: usize) -> Markup {
    html! {
        @if all > SingleRunTable::MAX_RUNS {
            p.left-out {
                "These are the first " (SingleRunTable::MAX_RUNS) " of " (all) " runs; all are in JSON: cubefold run --format json."
            }
        }
    }
}

/// The table of a run, with its name if there are several.
fn one(table: &SingleRunTable, what: &str, terms: &[&Definition], run: Option<&String>) -> Markup {
    let label = run.map_or_else(|| format!("Table of {what}"), |run| format!("Table of {what}, {run}"));
    let definition = |column: &SingleRunColumn| terms.iter().find(|term| term.name == column.definition);
    html! {
        @if let Some(run) = run { p.caption { (run) } }
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table {
                thead { tr {
                    @for column in &table.columns {
                        th scope="col" class=[words(column)] {
                            (column.title)
                            @if let Some(term) = definition(column) {
                                " " a href={ "#term-" (term.name) } aria-label={ "what " (column.title) " means" } { "?" }
                            }
                        }
                    }
                } }
                tbody {
                    @for cells in &table.rows {
                        tr {
                            @for (place, (cell, column)) in cells.iter().zip(&table.columns).enumerate() {
                                @if place == 0 { th scope="row" { (cell) } }
                                @else { td class=[words(column)] { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
