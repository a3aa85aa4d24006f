//! Files with a header and two integers in every row: `source,destination` and `process,index`.

use cubefold_formats::input::input_file;

use super::{errors::ScenarioError, settings::Settings, value::Value};

/// A file that a value names.
pub(super) struct PairFile<'name> {
    /// The word for its contents in errors.
    pub(super) what: &'static str,
    /// Its path, relative to the scenario.
    pub(super) name: &'name str,
    /// Its first line.
    pub(super) header: &'static str,
}

/// The number of the wrong line, from 1 (`None` for the whole file), and the reason.
pub(super) type WrongPair = (Option<usize>, String);

impl PairFile<'_> {
    /// The rows, with the numbers of their lines.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or a line is invalid.
    pub(super) fn rows(&self, settings: &Settings<'_>) -> Result<Vec<(usize, [i64; 2])>, WrongPair> {
        let unread = |reason: String| (None, reason);
        let bytes = input_file::read(&settings.beside(self.name), input_file::MAX_BYTES)
            .map_err(|error| unread(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| unread("not UTF-8 text".to_owned()))?;
        let mut lines = (1..).zip(text.lines());
        if lines.next().is_some_and(|(_, header)| header.trim() != self.header) {
            return Err((Some(1), format!("wrong header, expected \"{}\"", self.header)));
        }
        let row = |(number, line): (usize, &str)| {
            let fields: Option<Vec<i64>> = line.split(',').map(|field| field.trim().parse().ok()).collect();
            let pair = fields.and_then(|fields| <[i64; 2]>::try_from(fields).ok());
            let expected = || format!("expected {}, two integers", self.header);
            Ok((number, pair.ok_or_else(|| (Some(number), expected()))?))
        };
        lines.map(row).collect()
    }

    /// The error at the value that names the file.
    pub(super) fn error(&self, value: &Value, (line, reason): WrongPair) -> ScenarioError {
        let line = line.map_or_else(String::new, |line| format!(", line {line}"));
        let message = format!("{} {:?}{line}: {reason}", self.what, self.name);
        let error = ScenarioError::at(&value.place, message, "this file");
        error.with_help("paths are relative to the scenario file")
    }
}
