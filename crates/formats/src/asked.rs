//! The value of the kind that a key asks for in a file, or a single error that says what to do.

use std::sync::Arc;

use crate::{
    format::{Complaint, Format, Reader, Reading, Recognised, Recogniser},
    read::keys_of,
    value::{Content, Kind},
};

/// The answer to a key that asks a file for a kind of value.
#[derive(Debug)]
pub enum Asked {
    /// A value of the kind, or one that contains it.
    Value(&'static Format, Arc<Reading>),
    /// A file of another kind, of an unsupported format, or of an ambiguous one.
    Misfit(Misfit),
    /// A file in a format of the kind, with errors.
    Wrong(&'static Format, Vec<Complaint>),
    /// A file that looks like no format.
    Unknown,
}

/// The error of a file that a key cannot take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The kind that was found and the one that was expected, to follow the words "the file is".
    pub message: String,
    /// The key that takes the file, or the command that converts it.
    pub help: String,
    /// Whether nothing else looks like the file.
    pub is_sure: bool,
}

/// Asks the contents of the file at `path` for a kind.
#[must_use]
pub fn ask(path: &str, bytes: &[u8], kind: Kind) -> Asked {
    ask_in(path, &mut Recogniser::new(bytes), kind)
}

/// Asks the file at `path` for a kind.
#[must_use]
pub fn ask_in(path: &str, file: &mut Recogniser<'_>, kind: Kind) -> Asked {
    let any = match file.recognise(None) {
        Recognised::Read(format, reading, _) if reading.content.has(kind) => {
            return Asked::Value(format, reading);
        }
        Recognised::Unknown | Recognised::Unreadable(_) => return Asked::Unknown,
        other => other,
    };
    match file.recognise(Some(kind)) {
        Recognised::Read(format, reading, _) if reading.content.has(kind) => Asked::Value(format, reading),
        Recognised::Ambiguous(all) => {
            let names: Vec<&str> = all.iter().map(|one| one.name).collect();
            let help = format!("add form = \"{}\" or another of them", names[0]);
            Asked::Misfit(Misfit { message: names.join(" or "), help, is_sure: true })
        }
        Recognised::Wrong(format, complaints) => match any {
            Recognised::Read(other, reading, _) => other_kind(file, other, Some(&reading.content), kind),
            _ => Asked::Wrong(format, complaints),
        },
        _ => match any {
            Recognised::NotRead(format) => not_read(format, path).map_or(Asked::Unknown, Asked::Misfit),
            Recognised::Read(format, reading, _) => other_kind(file, format, Some(&reading.content), kind),
            Recognised::Wrong(format, _) => other_kind(file, format, None, kind),
            Recognised::Ambiguous(all) => {
                all.first().map_or(Asked::Unknown, |first| other_kind(file, first, None, kind))
            }
            Recognised::Unknown | Recognised::Unreadable(_) => Asked::Unknown,
        },
    }
}

/// The error for an unsupported format, with a remedy; `None` for a supported one.
#[must_use]
pub fn not_read(format: &Format, path: &str) -> Option<Misfit> {
    let Reader::Unread { reason, .. } = format.reader else { return None };
    let message = format!("one of {}, which cubefold does not read", format.tool);
    let help = match format.conversion(path) {
        Some(command) => format!("{command}\n{reason}"),
        None => reason.to_owned(),
    };
    Some(Misfit { message, help, is_sure: true })
}

fn other_kind(file: &Recogniser<'_>, format: &Format, content: Option<&Content>, expected: Kind) -> Asked {
    let found = content.map_or(format.holds[0], Content::kind);
    let unit = match content {
        Some(Content::Matrix(matrix)) => format!(" of {}", matrix.unit),
        _ => String::new(),
    };
    let message = format!("{}{unit} ({}), expected {}", found.noun(), format.name, expected.noun());
    let is_sure = file.is_sure(format);
    Asked::Misfit(Misfit { message, help: format!("it is read by {}", keys_of(format)), is_sure })
}
