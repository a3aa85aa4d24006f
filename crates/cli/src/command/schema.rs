//! `cubefold schema`: JSON Schemas of the program's input and output.

use std::io::Write;

use cubefold_records::results_schema;
use cubefold_scenario::scenario_schema;

use crate::{
    arguments::{SchemaOptions, SchemaSubject, SharedOptions},
    failure::Failure,
    format::check_extension,
    output::Output,
};

pub(super) fn schema(options: &SchemaOptions, shared: &SharedOptions) -> Result<(), Failure> {
    check_extension(shared.output(), &["json"])?;
    let schema = match options.of {
        SchemaSubject::Scenario => scenario_schema(),
        SchemaSubject::Results => results_schema(),
    };
    Output::open(shared, &[])?.write(|output| writeln!(output, "{schema:#}"))
}
