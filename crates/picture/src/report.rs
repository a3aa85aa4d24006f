//! One self-contained page that shows a scenario's runs: tables, pictures and definitions.

mod animated;
mod column;
mod contest;
mod figures;
mod runs_table;
mod single_runs;

use cubefold_formats::input::engineering_seconds;
use cubefold_records::{Definition, RunCaption, grouped, settings, size_in_words};
use cubefold_runs::{AlgorithmComparison, Competitor, FastestAtSize};
use cubefold_scenario::Scenario;
use maud::{DOCTYPE, Markup, PreEscaped, html};

pub use self::{animated::animated_in_report, column::ReportedRun};
use self::{
    animated::animated_runs,
    column::{Column, columns},
    contest::{in_words, sentences},
    figures::{Figure, Part, figures},
    runs_table::runs_table,
};
use crate::{
    animation::{self, AnimatedRun},
    error::PictureError,
    page::{printable_lines, security_policy},
};

const STYLE: &str = include_str!("report/style.css");
const SCRIPT: &str = include_str!("report/script.js");

/// The most runs that one page shows.
pub const MAX_RUNS: usize = 500;

/// The most of the scenario's text that the page shows \[bytes\].
const MAX_TEXT_BYTES: usize = 100_000;

/// The page of a scenario and its runs; `animated` are the runs of [`animated_in_report`], executed with their
/// transmissions, or none.
///
/// The page fetches no font, picture or script. Pictures that would make it too large are left out, with the command that
/// draws them.
///
/// # Errors
///
/// When there are more than [`MAX_RUNS`] runs, or the plotting library refuses.
pub fn report(
    scenario: &Scenario,
    runs: &[ReportedRun<'_>],
    animated: &[AnimatedRun<'_>],
) -> Result<String, PictureError> {
    if runs.len() > MAX_RUNS {
        return Err(PictureError::TooManyRuns { found: runs.len(), most: MAX_RUNS });
    }
    let columns = columns(runs);
    let animation = animated_runs(scenario, runs, animated)?;
    let figures = figures(scenario, runs, animation.as_ref().map_or(0, |animation| animation.0.len()))?;
    let parts = Parts {
        columns: &columns,
        terms: &single_runs::terms(runs),
        figures: &figures,
        animation: animation.as_ref(),
        is_moving: !animated.is_empty(),
    };
    Ok(printable_lines(&page(scenario, runs, &parts).into_string()))
}

/// The parts of the page that show the runs.
struct Parts<'page> {
    columns: &'page [Column],
    /// The definitions that headers of the tables of single runs link to.
    terms: &'page [&'static Definition],
    figures: &'page [Figure],
    animation: Option<&'page Markup>,
    /// Whether the animation needs its script.
    is_moving: bool,
}

fn page(scenario: &Scenario, runs: &[ReportedRun<'_>], parts: &Parts<'_>) -> Markup {
    let Parts { columns, terms, figures, animation, is_moving } = *parts;
    // The block keeps the names of the two scripts apart.
    let moving = format!("\"use strict\";{{{}}}", animation::SCRIPT);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(security_policy(&[SCRIPT, &moving]));
                title { (scenario.name) " · cubefold" }
                style { (PreEscaped(STYLE)) @if animation.is_some() { (PreEscaped(animation::STYLE)) } }
            }
            body {
                a.skip href="#runs" { "Skip to the results" }
                header {
                    h1 { (scenario.name) }
                    (introduction(runs))
                }
                main {
                    (runs_table(runs, columns))
                    (fastest_algorithms(runs))
                    (single_runs::tables(runs, terms))
                    @for figure in figures { (shown(figure)) }
                    @if let Some(animation) = animation { (animation) }
                    (definitions(columns, terms))
                    (source(&scenario.text))
                }
                footer {
                    p { "cubefold " (env!("CARGO_PKG_VERSION")) ", seed " (runs.first().map_or(0, |run| run.run.seed))
                        ". Times without a unit are in cycles; the same scenario and seed give the same page." }
                }
                div #tip role="tooltip" hidden {}
                div #said .unseen aria-live="polite" {}
                script { (PreEscaped(SCRIPT)) }
                @if is_moving { script { (PreEscaped(&moving)) } }
            }
        }
    }
}

/// The text of the scenario, as far as the page shows it.
fn source(text: &str) -> Markup {
    let shown = beginning(text);
    html! {
        section #scenario {
            h2 { "The scenario" }
            button type="button" #copy { "Copy" }
            " " span #copied role="status" {}
            @if shown.len() < text.len() {
                p.left-out {
                    "The first " (shown.len()) " of " (text.len()) " bytes of the file; the rest is left out."
                }
            }
            pre tabindex="0" { code #scenario-text { (shown) } }
        }
    }
}

/// The notes on unsent, rounded or assumed parts of programs, each sentence once.
fn notes<'a>(runs: &'a [ReportedRun<'_>]) -> Vec<&'a str> {
    let mut notes: Vec<&str> = vec![];
    for note in runs.iter().flat_map(|run| &run.record.notes) {
        if !notes.contains(&note.as_str()) {
            notes.push(note);
        }
    }
    notes
}

/// The beginning of a text that the page shows: whole lines, unless the first is longer.
fn beginning(text: &str) -> &str {
    if text.len() <= MAX_TEXT_BYTES {
        return text;
    }
    let end = text.floor_char_boundary(MAX_TEXT_BYTES);
    let lines = text[..end].rfind('\n').map_or(end, |newline| newline + 1);
    &text[..lines]
}

/// The common settings of all runs, and the best of them.
fn introduction(runs: &[ReportedRun<'_>]) -> Markup {
    html! {
        dl.settings {
            @for (name, value) in settings(&runs.iter().map(|run| &run.record)) {
                div { dt { (name) } dd { (value) } }
            }
        }
        @for sentence in sentences(runs) { p.best { (sentence) } }
        @for note in notes(runs) { p { (note) } }
    }
}

/// The fastest algorithm of a collective at each size, for each setting in which several are compared.
fn fastest_algorithms(runs: &[ReportedRun<'_>]) -> Markup {
    let captions: Vec<RunCaption> = runs.iter().map(|run| RunCaption::new(run.run)).collect();
    let records = runs.iter().map(|run| &run.record);
    let comparisons = AlgorithmComparison::all(&Competitor::all(captions.iter().zip(records)), None);
    html! {
        @if !comparisons.is_empty() {
            section #algorithms {
                h2 { "The fastest algorithm" }
                p { "At each size of the vector; the speed-up is over the reference, the first algorithm of the scenario." }
                @for comparison in &comparisons { (fastest_of_setting(comparison)) }
            }
        }
    }
}

fn fastest_of_setting(comparison: &AlgorithmComparison) -> Markup {
    let setting: Vec<String> =
        comparison.setting.iter().map(|(path, value)| format!("{path} = {value}")).collect();
    let reference = &comparison.reference;
    let caption = if setting.is_empty() { "All runs".to_owned() } else { setting.join(", ") };
    let time = |size: &FastestAtSize| match size.makespan_seconds {
        Some(seconds) => engineering_seconds(seconds),
        None => size.makespan_cycles.to_string(),
    };
    html! {
        p.caption { (caption) }
        div.scroll tabindex="0" role="region" aria-label="Table of the fastest algorithms" {
            table {
                thead { tr {
                    @for title in ["vector", "fastest", "makespan"] { th scope="col" { (title) } }
                    th scope="col" { "speed-up over " (reference) }
                    th scope="col" { "second" }
                } }
                tbody {
                    @for size in &comparison.sizes {
                        tr {
                            th scope="row" { (size_in_words(size.vector_units, size.vector_bytes)) }
                            td { (size.fastest) }
                            td { (time(size)) }
                            td { @if let Some(ratio) = size.speed_up { (format!("{ratio:.2}")) } }
                            td { @if let Some((name, ratio)) = &size.second { (name) " " (format!("({ratio:.2} times as long)")) } }
                        }
                    }
                }
            }
        }
        @for change in &comparison.changes {
            p {
                "Between " (size_in_words(change.last_units, change.last_bytes)) " and "
                (size_in_words(change.first_units, change.first_bytes)) " the fastest changes from "
                (change.before) " to " (change.after) "."
            }
        }
    }
}

fn shown(figure: &Figure) -> Markup {
    let is_one = figure.parts.len() == 1;
    html! {
        section {
            h2 { (figure.title) }
            p { (figure.explanation) }
            @for part in &figure.parts {
                @if let Ok(picture) = &part.picture {
                    @let drawn = html! { figure tabindex="0" aria-label=(part.name) { (PreEscaped(picture.svg())) } };
                    @if is_one { (drawn) } @else {
                        details open[part.open] { summary { (part.name) } (drawn) }
                    }
                }
            }
            @for sentence in left_out(&figure.parts) { p.left-out { (sentence) } }
        }
    }
}

/// The most pictures whose names a sentence lists.
const MAX_NAMED: usize = 3;

/// A sentence for each reason to leave out pictures.
fn left_out(parts: &[Part]) -> Vec<String> {
    let refused = parts.iter().filter_map(|part| Some((part.picture.as_ref().err()?, part.name.as_str())));
    let sentence = |(reason, names): (&String, Vec<&str>)| match names.len() {
        _ if parts.len() == 1 => format!("Left out: {reason}"),
        few if few <= MAX_NAMED => format!("Left out, {}: {reason}", in_words(&names)),
        many if many == parts.len() => format!("Left out, all {many}: {reason}"),
        many => format!("Left out, {many} of {}: {reason}", parts.len()),
    };
    grouped(refused).into_iter().map(sentence).collect()
}

/// The definition of every column, and of other terms of the page.
fn definitions(columns: &[Column], terms: &[&'static Definition]) -> Markup {
    let of_columns =
        columns.iter().filter_map(|column| Some((column.name, column.title, column.definition?)));
    let of_terms = terms.iter().map(|term| (term.name, term.title, *term));
    html! {
        section #definitions {
            h2 { "What the columns mean" }
            dl {
                @for (name, title, definition) in of_columns.chain(of_terms) {
                    dt #{ "term-" (name) } tabindex="-1" { (title) " " code { (definition.name) } }
                    dd { (meaning(definition)) }
                }
            }
        }
    }
}

fn meaning(definition: &Definition) -> Markup {
    html! {
        (definition.text)
        @if !definition.unit.is_empty() { " In " (definition.unit) "." }
        @if !definition.formula.is_empty() { br; code { (definition.formula) } }
        br; small { "Source: " (definition.source) }
        " " a href="#runs" { "back to the table" }
    }
}

#[cfg(test)]
mod tests;
