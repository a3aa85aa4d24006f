//! Files of other tools, read for keys that require a kind of value: the value, or one error with the way out.

use std::{path::Path, sync::Arc};

use cubefold_formats::{
    asked::{Asked, Misfit, ask, ask_in, not_read},
    benchmark::{Measurement, MeasurementOptions},
    format::{Complaint, Format, Reading, Recogniser},
    input::{diagnostic::MAX_REPORTED, input_file},
    read::keys_of,
    value::{Content, Kind},
};

use super::{
    errors::{ScenarioError, and_more, errors_at},
    source_file::{Place, SourceFile},
};

/// A format, and the value that was read in it.
pub(super) type Found = (&'static Format, Arc<Reading>);

/// Reads a text as a kind of value; `None` if no format matches it.
///
/// # Errors
///
/// One error if the file is of another kind or unsupported; otherwise all errors of its format.
pub(super) fn asked(
    path: &Path,
    source: &Arc<SourceFile>,
    kind: Kind,
) -> Result<Option<Found>, Vec<ScenarioError>> {
    asked_in(path, source, &mut Recogniser::new(source.text().as_bytes()), kind)
}

/// As [`asked`], of the recognised text of the source.
pub(super) fn asked_in(
    path: &Path,
    source: &Arc<SourceFile>,
    file: &mut Recogniser<'_>,
    kind: Kind,
) -> Result<Option<Found>, Vec<ScenarioError>> {
    match ask_in(&path.display().to_string(), file, kind) {
        Asked::Value(format, reading) => Ok(Some((format, reading))),
        Asked::Misfit(misfit) => Err(vec![error_of(path, &misfit)]),
        Asked::Wrong(_, complaints) => Err(at_lines(path, source, &complaints)),
        Asked::Unknown => Ok(None),
    }
}

/// The error of a file of another kind than requested, or of an unsupported one; `None` for others.
pub(super) fn misfit(path: &Path, kind: Kind) -> Option<ScenarioError> {
    match ask(&path.display().to_string(), &read_again(path)?, kind) {
        Asked::Misfit(misfit) => Some(error_of(path, &misfit)),
        Asked::Value(..) | Asked::Wrong(..) | Asked::Unknown => None,
    }
}

/// The error of a text that is surely of a format that is neither `accepted` by name nor holds hosts or ranks;
/// `None` for others.
pub(super) fn other_format(
    path: &Path,
    text: &str,
    expected: &str,
    accepted: &[&str],
) -> Option<ScenarioError> {
    let file = Recogniser::new(text.as_bytes());
    let formats = file.likely(None);
    let format = formats.first().filter(|format| file.is_sure(format))?;
    let is_accepted = accepted.contains(&format.name)
        || format.holds.iter().any(|kind| matches!(kind, Kind::Ranks | Kind::Hosts));
    if is_accepted {
        return None;
    }
    if let Some(misfit) = not_read(format, &path.display().to_string()) {
        return Some(error_of(path, &misfit));
    }
    let found = format.holds[0];
    let message = format!("the file is {} ({}), expected {expected}", found.noun(), format.name);
    Some(ScenarioError::of_file(path, message).with_help(format!("it is read by {}", keys_of(format))))
}

/// As [`other_format`], for a file that can be read again.
pub(super) fn other_format_of(path: &Path, expected: &str, accepted: &[&str]) -> Option<ScenarioError> {
    other_format(path, &String::from_utf8_lossy(&read_again(path)?), expected, accepted)
}

/// Larger files are not read again for an error \[bytes\].
const MOST: u64 = 16 << 20;

/// The contents of a file that was read before; `None` if it cannot be read again.
fn read_again(path: &Path) -> Option<Vec<u8>> {
    let is_gone = path == Path::new(input_file::STANDARD_INPUT) || input_file::is_opened_already(path);
    if is_gone { None } else { input_file::read(path, MOST).ok() }
}

/// The error of a file that a key cannot take.
pub(super) fn error_of(path: &Path, misfit: &Misfit) -> ScenarioError {
    ScenarioError::of_file(path, format!("the file is {}", misfit.message)).with_help(&misfit.help)
}

/// Errors at their lines.
pub(super) fn at_lines(
    path: &Path,
    source: &Arc<SourceFile>,
    complaints: &[Complaint],
) -> Vec<ScenarioError> {
    let text = source.text();
    let error = |complaint: &Complaint| {
        let line = complaint.line.checked_sub(1).and_then(|place| text.lines().nth(place));
        match line {
            Some(line) => {
                let start = line.as_ptr().addr() - text.as_ptr().addr();
                let place = Place::new(source, start..start + line.len());
                ScenarioError::at(&place, &complaint.message, "here")
            }
            None => ScenarioError::of_file(path, &complaint.message),
        }
    };
    let left_out = complaints.len().saturating_sub(MAX_REPORTED) as u64;
    and_more(complaints.iter().take(MAX_REPORTED).map(error).collect(), left_out)
}

/// Whether [`Measurement::parse`] reads a format itself.
fn is_known(format: &Format) -> bool {
    ["osu", "intel-mpi-benchmarks", "nccl-tests"].contains(&format.name)
}

/// Reads the output of a benchmark in a file called `name`.
///
/// # Errors
///
/// If the file cannot be read, or is not output of one known benchmark: every error.
pub fn measured(
    path: &Path,
    name: &str,
    options: MeasurementOptions,
) -> Result<Measurement, Vec<ScenarioError>> {
    let source = SourceFile::read(path)
        .map_err(|error| vec![ScenarioError::of_file(path, format!("measurements {error}"))])?;
    let text = source.text();
    // The reader of known formats has exact places, and the options of the command.
    let parse =
        || Measurement::parse(name, text, options).map_err(|diagnostics| errors_at(&source, &diagnostics));
    let mut file = Recogniser::new(text.as_bytes());
    if let [format] = file.likely(None)[..]
        && is_known(format)
        && file.is_sure(format)
    {
        return parse();
    }
    match ask_in(&path.display().to_string(), &mut file, Kind::Benchmark) {
        Asked::Value(format, reading) if !is_known(format) => {
            if let Content::Benchmark(rows) = &reading.content {
                return Measurement::of_rows(name, format.tool, rows, options)
                    .map_err(|message| vec![ScenarioError::of_file(path, message)]);
            }
        }
        Asked::Wrong(format, complaints) if !is_known(format) => {
            return Err(at_lines(path, &source, &complaints));
        }
        Asked::Misfit(misfit) if !Measurement::has_table(text) => {
            return Err(vec![error_of(path, &misfit)]);
        }
        _ => {}
    }
    parse()
}
