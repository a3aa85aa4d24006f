//! `cubefold inspect`: the kinds and contents of files of other tools, and the lines of a scenario that use them.

use std::io::{self, Write};

use cubefold_formats::{
    format::with_name,
    inspection::{Inspection, ListedFormat, Understood, formats, write_formats},
};
use serde::Serialize;

use crate::{
    ExitCode,
    arguments::{InspectFormat, InspectOptions, SharedOptions},
    failure::Failure,
    output::Output,
};

/// The answer as JSON.
#[derive(Serialize)]
struct Answer<'a> {
    schema: u32,
    files: &'a [Inspection],
}

/// The set of formats as JSON.
#[derive(Serialize)]
struct Formats {
    schema: u32,
    formats: Vec<ListedFormat>,
}

pub(super) fn inspect(options: &InspectOptions, shared: &SharedOptions) -> Result<ExitCode, Failure> {
    let named = options.named.as_deref().map(|name| {
        with_name(name).ok_or_else(|| {
            Failure::usage(format!("unknown format {name:?}"), "cubefold inspect --list has the names")
        })
    });
    let named = named.transpose()?;
    let output = Output::open(shared, &[])?;
    if options.list {
        output.write(|output| match options.format {
            InspectFormat::Json => write_json(output, &Formats { schema: 1, formats: formats() }),
            InspectFormat::Text => write_formats(output),
        })?;
        return Ok(ExitCode::Done);
    }
    let files: Vec<Inspection> = options.files.iter().map(|path| Inspection::of(path, named)).collect();
    output.write(|output| match options.format {
        InspectFormat::Json => write_json(output, &Answer { schema: 1, files: &files }),
        InspectFormat::Text => files.iter().try_for_each(|file| file.write(output)),
    })?;
    Ok(match files.iter().map(Inspection::understood).min() {
        Some(Understood::Nothing) => ExitCode::InputRefused,
        Some(Understood::Recognised) => ExitCode::FileNotRead,
        Some(Understood::Read) | None => ExitCode::Done,
    })
}

fn write_json(output: &mut dyn Write, document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *output, document)?;
    writeln!(output)
}
