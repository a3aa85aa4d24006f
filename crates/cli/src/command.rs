//! The commands.

mod calibrate;
mod cite;
mod compare;
mod draw;
mod execution;
mod explain;
mod export;
mod inspect;
mod man;
mod measure;
mod new;
mod place;
mod report;
mod routes;
mod row_files;
mod run;
mod schema;
mod search;
mod tables;
mod verify;

use std::{num::NonZeroUsize, path::Path};

use cubefold_runs::Resources;

use crate::{
    ExitCode,
    arguments::{Arguments, Command, SharedOptions},
    failure::Failure,
    output::Existing,
    ranks,
};

pub(crate) use row_files::{kept_records, leave};

pub(crate) fn execute(arguments: Arguments) -> Result<ExitCode, Failure> {
    let shared = &arguments.shared;
    match arguments.command {
        Command::Run(options) => run::run(&options, shared),
        Command::Compare(options) => compare::compare(&options, shared),
        Command::Merge(options) => run::merge(&options, shared),
        Command::Cite(options) => cite::cite(&options, shared),
        Command::Measure(options) => measure::measure(&options, shared),
        Command::Search(options) => search::search(&options, shared),
        Command::Place(options) => place::place(&options, shared),
        Command::Draw(options) => draw::draw(&options, shared),
        Command::Report(options) => report::report(&options, shared),
        Command::Tables(options) => tables::tables(&options, shared),
        Command::Routes(options) => routes::routes(&options, shared),
        Command::Check(options) => measure::check(&options, shared),
        Command::Inspect(options) => return inspect::inspect(&options, shared),
        Command::Explain(options) => explain::explain(&options, shared),
        Command::Calibrate(options) => calibrate::calibrate(&options, shared),
        Command::Export(options) => export::export(&options, shared),
        Command::New(options) => new::new(&options, shared),
        Command::Schema(options) => schema::schema(&options, shared),
        Command::Completions(options) => man::completions(&options, shared),
        Command::Man(options) => man::man(&options, shared),
        Command::Verify(options) => return verify::verify(&options, shared),
    }?;
    Ok(ExitCode::Done)
}

impl SharedOptions {
    pub(crate) fn output(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// The treatment of existing results.
    pub(crate) fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Refuse }
    }

    pub(crate) fn resources(&self) -> Resources {
        let threads = self.threads.and_then(|threads| NonZeroUsize::new(threads.into()));
        Resources::new(threads, self.memory_limit.map(|limit| limit.0))
    }

    /// The resources of `cubefold run`, which divides large runs among MPI ranks if there are several.
    pub(crate) fn run_resources(&self) -> Resources {
        ranks::resources(self.resources(), self.memory_limit.is_some())
    }
}
