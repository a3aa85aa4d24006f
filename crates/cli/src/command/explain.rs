//! `cubefold explain`: what a column or term means, one definition or all of them.

use std::io::{self, Write};

use cubefold_experiment::{
    Definition, DefinitionGroup,
    export::{Document, write_document},
};

use crate::{
    arguments::{ExplainOptions, SharedOptions},
    failure::Failure,
    format::{ExplainFormat, OutputFormat},
    output::Output,
    table::{Page, TextTable},
};

pub(super) fn explain(options: &ExplainOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ExplainFormat::decide(options.format, shared.output())?;
    let term = options.term.join(" ");
    let asked = if term.is_empty() { None } else { Some(find(&term)?) };
    let output = Output::open(shared, &[])?;
    let (page, definitions) = match asked {
        Some(definition) => (definition_page(definition, format), vec![definition]),
        None => (glossary_page(&DefinitionGroup::all(), format), Definition::all().collect()),
    };
    output.write(|output| write(output, format, &page, &definitions))
}

fn find(term: &str) -> Result<&'static Definition, Failure> {
    Definition::find(term).ok_or_else(|| {
        let nearest = Definition::nearest(term);
        let help = if nearest.is_empty() {
            "cubefold explain without a term lists all that are known".to_owned()
        } else {
            format!("did you mean {}?", nearest.join(", or "))
        };
        Failure::usage(format!("no definition of {term:?}"), help)
    })
}

fn write(
    output: &mut impl Write,
    format: ExplainFormat,
    page: &Page,
    definitions: &[&Definition],
) -> io::Result<()> {
    match format {
        ExplainFormat::Text => output.write_all(page.text().as_bytes()),
        ExplainFormat::Markdown => output.write_all(page.markdown().as_bytes()),
        ExplainFormat::Json => write_document(output, Document::DEFINITIONS, &[], definitions.iter().map(Ok)),
    }
}

/// How wide the meanings in the list of all terms are.
const MEANING_COLUMNS: usize = 54;
/// What stands where a meaning goes on.
const GOES_ON: &str = " ..";

/// One definition in full.
fn definition_page(definition: &Definition, format: ExplainFormat) -> Page {
    let mut page = Page::default();
    match format {
        ExplainFormat::Markdown => page.notes(vec![entry(definition)]),
        ExplainFormat::Text | ExplainFormat::Json => {
            page.heading(definition.title);
            page.settings(particulars(definition));
            page.notes(vec![definition.text.to_owned()]);
        }
    }
    page
}

/// All definitions: a line each for people, in full for a page in Markdown.
fn glossary_page(groups: &[DefinitionGroup], format: ExplainFormat) -> Page {
    let mut page = Page::default();
    for group in groups {
        page.caption(group.title);
        match format {
            ExplainFormat::Markdown => page.notes(group.definitions.iter().map(|own| entry(own)).collect()),
            ExplainFormat::Text | ExplainFormat::Json => page.table(summary(&group.definitions)),
        }
    }
    if format == ExplainFormat::Text {
        page.notes(vec!["cubefold explain TERM prints a definition in full.".to_owned()]);
    }
    page
}

/// What there is to know of a definition beside its text.
fn particulars(definition: &Definition) -> Vec<(&'static str, String)> {
    let others: Vec<&str> = definition.names().filter(|name| *name != definition.title).collect();
    [
        ("names", others.join(", ")),
        ("unit", definition.unit.to_owned()),
        ("formula", definition.formula.to_owned()),
        ("source", definition.source.to_owned()),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .collect()
}

fn summary(definitions: &[&Definition]) -> TextTable {
    let row = |definition: &&Definition| vec![definition.title.to_owned(), beginning(definition.text)];
    TextTable {
        header: ["term", "meaning"].map(str::to_owned).to_vec(),
        rows: definitions.iter().map(row).collect(),
        words: 2,
        gives_way: &[],
    }
}

/// As much of a text as fits in a line.
fn beginning(text: &str) -> String {
    let room = MEANING_COLUMNS - GOES_ON.len();
    match textwrap::wrap(text, room).as_slice() {
        [] => String::new(),
        [only] => only.to_string(),
        [first, ..] => format!("{first}{GOES_ON}"),
    }
}

/// A definition as an entry of a list in Markdown.
fn entry(definition: &Definition) -> String {
    let names: Vec<String> =
        definition.names().filter(|name| *name != definition.title).map(|name| format!("`{name}`")).collect();
    let unit = Some(definition.unit).filter(|unit| !unit.is_empty()).map(|unit| format!("\\[{unit}\\]"));
    let head: Vec<String> = std::iter::once(format!("**{}**", definition.title))
        .chain(Some(format!("({})", names.join(", "))).filter(|_| !names.is_empty()))
        .chain(unit)
        .collect();
    let formula = match definition.formula {
        "" => String::new(),
        formula => format!(" Formula: `{formula}`."),
    };
    format!("{}: {}{formula} Source: {}.", head.join(" "), definition.text, definition.source)
}
