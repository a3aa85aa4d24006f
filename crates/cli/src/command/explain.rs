//! `cubefold explain`: what a column or term means.

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
    table::{Page, definition_page, glossary_page},
};

pub(super) fn explain(options: &ExplainOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ExplainFormat::decide(options.format, shared.output())?;
    let term = options.term.join(" ");
    let asked = if term.is_empty() { None } else { Some(find(&term)?) };
    let output = Output::open(shared.output(), &[])?;
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
