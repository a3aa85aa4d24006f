//! `cubefold merge`: the parts of a sweep, put together.

use cubefold_experiment::{
    export::Document,
    journal::{MergeError, MergedJournals},
};

use crate::{
    arguments::{MergeOptions, SharedOptions},
    failure::Failure,
    format::{OutputFormat, ResultFormat, write_records},
    output::{Output, is_same},
    table::run_table,
};

pub(super) fn merge(options: &MergeOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ResultFormat::decide(options.format, shared.output())?;
    if let Some(part) =
        options.parts.iter().find(|part| shared.output().is_some_and(|path| is_same(part, path)))
    {
        let message = format!("cannot write {}: it is one of the parts", part.display());
        return Err(Failure::usage(message, "name another file for the results"));
    }
    let merged = MergedJournals::open(&options.parts).map_err(|error| refused(&error))?;
    let output = Output::open(shared.output(), &[])?;
    let page =
        || Ok(run_table(&merged.scenarios(), &merged.records().collect::<Result<Vec<_>, _>>()?, shared));
    write_records(output, format, Document::RESULTS, &[], || merged.records(), page)
}

/// Parts that do not fit, with what to do.
fn refused(error: &MergeError) -> Failure {
    let help = match error {
        MergeError::Part { .. } => "give parts as cubefold run --shard writes them with this version",
        MergeError::OtherSweep { .. } => "give the parts of one sweep",
        MergeError::Overlap { .. } => "give every part once",
        MergeError::Incomplete { .. } => "complete the part with run --shard and --resume",
        MergeError::Gap { .. } => "give all parts",
    };
    Failure::usage(format!("cannot merge: {error}"), help)
}
