//! `cubefold explain`: the definition of a column or term, or all definitions.

use std::io::{self, Write};

use cubefold_records::{Definition, DefinitionGroup, Document, Topic, write_document};

use serde::Serialize;

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
    let found = if term.is_empty() { None } else { Some(Found::of(&term)?) };
    let output = Output::open(shared, &[])?;
    let (page, definitions) = match &found {
        Some(found) => (found.page(format), found.entries()),
        None => (glossary_page(&DefinitionGroup::all(), format), Definition::all().map(Entry::of).collect()),
    };
    output.write(|output| write(output, format, &page, &definitions))
}

/// A meaning of a term.
#[derive(Debug)]
struct Found {
    definition: Option<&'static Definition>,
    topics: Vec<Topic>,
}

impl Found {
    fn of(term: &str) -> Result<Self, Failure> {
        let (definition, topics) = (Definition::find(term), Topic::find(term));
        if definition.is_some() || !topics.is_empty() {
            return Ok(Self { definition, topics });
        }
        let nearest = Definition::nearest(term);
        let help = if nearest.is_empty() {
            "cubefold explain without a term lists all that are known".to_owned()
        } else {
            format!("did you mean {}?", nearest.join(", or "))
        };
        Err(Failure::usage(format!("no definition of {term:?}"), help))
    }

    /// All meanings of the term, for a document.
    fn entries(&self) -> Vec<Entry<'_>> {
        let topics = self.topics.iter().map(Entry::of_topic);
        self.definition.into_iter().map(Entry::of).chain(topics).collect()
    }

    /// All meanings of the term.
    fn page(&self, format: ExplainFormat) -> Page {
        let mut page = Page::default();
        match format {
            ExplainFormat::Markdown => page.notes(self.definition.into_iter().map(entry).collect()),
            ExplainFormat::Text | ExplainFormat::Json => {
                if let Some(definition) = self.definition {
                    add_entry(&mut page, definition.title, particulars(definition), definition.text);
                }
            }
        }
        for topic in &self.topics {
            add_entry(&mut page, &topic.title, topic.particulars.clone(), &topic.text);
        }
        page
    }
}

/// A definition in a document.
#[derive(Debug, Serialize)]
struct Entry<'term> {
    name: &'term str,
    title: &'term str,
    aliases: Vec<&'term str>,
    unit: &'term str,
    text: &'term str,
    formula: &'term str,
    source: &'term str,
}

impl<'term> Entry<'term> {
    fn of(definition: &'static Definition) -> Self {
        let Definition { name, title, aliases, unit, text, formula, source, .. } = *definition;
        Self { name, title, aliases: aliases.to_vec(), unit, text, formula, source }
    }

    fn of_topic(topic: &'term Topic) -> Self {
        let mut names = topic.names.iter().map(String::as_str);
        let source = topic.particulars.iter().find(|(name, _)| *name == "source");
        Self {
            name: names.next().unwrap_or_default(),
            title: &topic.title,
            aliases: names.collect(),
            unit: "",
            text: &topic.text,
            formula: "",
            source: source.map_or("", |(_, source)| source),
        }
    }
}

fn add_entry(page: &mut Page, title: &str, particulars: Vec<(&'static str, String)>, text: &str) {
    page.heading(title);
    page.settings(particulars);
    page.notes(vec![text.to_owned()]);
}

fn write(
    output: &mut Output,
    format: ExplainFormat,
    page: &Page,
    definitions: &[Entry<'_>],
) -> io::Result<()> {
    match format {
        ExplainFormat::Text => {
            let columns = output.columns();
            output.write_all(page.text(columns).as_bytes())
        }
        ExplainFormat::Markdown => output.write_all(page.markdown().as_bytes()),
        ExplainFormat::Json => write_document(output, Document::DEFINITIONS, &[], definitions.iter().map(Ok)),
    }
}

/// The width of the meanings in the list of all terms.
const MEANING_COLUMNS: usize = 54;
/// The mark of a shortened meaning.
const GOES_ON: &str = " ..";

/// All definitions: a line each in tables, in full in Markdown.
fn glossary_page(groups: &[DefinitionGroup], format: ExplainFormat) -> Page {
    let mut page = Page::default();
    match format {
        ExplainFormat::Markdown => {
            for group in groups {
                page.caption(group.title);
                page.notes(group.definitions.iter().map(|definition| entry(definition)).collect());
            }
        }
        ExplainFormat::Text | ExplainFormat::Json => {
            page.tables(&groups.iter().map(summary).chain([topics()]).collect::<Vec<_>>());
            page.notes(vec!["cubefold explain TERM prints a definition in full.".to_owned()]);
        }
    }
    page
}

/// The properties of a definition apart from its text.
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

fn summary(group: &DefinitionGroup) -> TextTable {
    let row = |definition: &&Definition| [definition.title.to_owned(), beginning(definition.text)];
    table_of_terms(group.title, group.definitions.iter().map(row))
}

/// The names that a scenario file can use, with shortened texts.
fn topics() -> TextTable {
    let caption = "Scenarios: embeddings, machines, programs, algorithms, keys, words and marks";
    let topics = Topic::all().into_iter();
    table_of_terms(caption, topics.map(|topic| [topic.names[0].clone(), beginning(&topic.text)]))
}

/// A table of terms, each with the beginning of its meaning.
fn table_of_terms(caption: &str, rows: impl Iterator<Item = [String; 2]>) -> TextTable {
    TextTable {
        caption: Some(caption.to_owned()),
        header: ["term", "meaning"].map(str::to_owned).to_vec(),
        rows: rows.map(|row| row.to_vec()).collect(),
        words: 2,
        ..TextTable::default()
    }
}

/// A text shortened to one line.
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
