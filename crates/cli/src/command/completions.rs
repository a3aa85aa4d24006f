//! `cubefold completions`: what a shell needs to complete commands and options.

use std::io::Write;

use clap::CommandFactory;

use crate::{
    arguments::{Arguments, CompletionsOptions, SharedOptions},
    failure::Failure,
    output::Output,
};

pub(super) fn completions(options: &CompletionsOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let output = Output::open(shared.output(), &[])?;
    // The generator panics where it cannot write: it writes to memory, which it always can.
    let mut script = vec![];
    clap_complete::generate(options.shell, &mut Arguments::command(), "cubefold", &mut script);
    output.write(|output| output.write_all(&script))
}
