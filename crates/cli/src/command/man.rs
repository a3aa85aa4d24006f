//! `cubefold man` and `cubefold completions`: texts generated from the command line, for the manual and for shells.

use std::{
    io::{self, Write},
    path::Path,
};

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use roff::{Roff, roman};

use crate::{
    arguments::{Arguments, CompletionsOptions, ManOptions, SharedOptions, built},
    failure::Failure,
    format::check_extension,
    output::{Existing, Output},
};

/// The program and version in the footer of the pages.
const SOURCE: &str = concat!("cubefold ", env!("CARGO_PKG_VERSION"));

pub(super) fn man(options: &ManOptions, shared: &SharedOptions) -> Result<(), Failure> {
    // The pages repeat the help, so the command `help` needs none.
    let program = built(Arguments::command().disable_help_subcommand(true));
    if let Some(folder) = &options.folder {
        return write_all(&program, folder, shared.existing());
    }
    let asked = match &options.command {
        None => &program,
        Some(name) => program.find_subcommand(name).ok_or_else(|| unknown(name, &program))?,
    };
    check_extension(shared.output(), &["1"])?;
    let output = Output::open(shared, &[])?;
    output.write(|output| write_page(output, asked))
}

fn unknown(name: &str, program: &Command) -> Failure {
    let known: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
    Failure::usage(format!("no command is called {name:?}"), format!("expected one of {}", known.join(", ")))
}

/// Writes every page into the folder, under the name by which `man` finds it. If one of them cannot be written, none
/// is.
fn write_all(program: &Command, folder: &Path, existing: Existing) -> Result<(), Failure> {
    let commands = || std::iter::once(program).chain(program.get_subcommands());
    let open = |command: &Command| {
        let path = folder.join(Man::new(command.clone()).get_filename());
        Output::open_path(Some(&path), existing, &[])
    };
    let outputs = commands().map(open).collect::<Result<Vec<_>, Failure>>()?;
    for (command, output) in commands().zip(outputs) {
        output.write(|output| write_page(output, command))?;
    }
    Ok(())
}

fn write_page(output: &mut impl Write, command: &Command) -> io::Result<()> {
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let page = Man::new(command.clone()).manual("cubefold").source(SOURCE);
    page.render_title(output)?;
    page.render_name_section(output)?;
    page.render_synopsis_section(output)?;
    page.render_description_section(output)?;
    page.render_options_section(output)?;
    if command.has_subcommands() {
        page.render_subcommands_section(output)?;
    }
    write_sections(output, &after)
}

/// The end of the help, block by block: a title and unfilled lines.
fn write_sections(output: &mut impl Write, text: &str) -> io::Result<()> {
    for block in text.split("\n\n") {
        let Some((title, lines)) = block.split_once('\n') else { continue };
        let mut section = Roff::new();
        section.control("SH", [title.trim_end_matches(':').to_uppercase().as_str()]);
        section.control("nf", []);
        for line in lines.lines() {
            section.text([roman(line.trim_start())]);
        }
        section.control("fi", []);
        section.to_writer(output)?;
    }
    Ok(())
}

pub(super) fn completions(options: &CompletionsOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let output = Output::open(shared, &[])?;
    // The generator panics on write errors, which cannot occur in memory.
    let mut script = vec![];
    clap_complete::generate(options.shell, &mut Arguments::command(), "cubefold", &mut script);
    output.write(|output| output.write_all(&script))
}
