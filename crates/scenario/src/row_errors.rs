//! Errors in the rows of a file, found in any order and reported by lines.
//!
//! Rows are not kept: the text of reported rows is read again. Only a few errors are kept.

use std::path::Path;

use cubefold_formats::input::diagnostic::MAX_REPORTED;

use super::{
    errors::{ScenarioError, and_more},
    placement_file::RowTexts,
};

/// The first errors of a file by line, and the number of all errors.
#[derive(Debug, Clone, Default)]
pub(super) struct RowErrors {
    kept: Vec<RowError>, // fewer than 2 MAX_REPORTED, those before `ordered` in order
    ordered: usize,      // 0, or MAX_REPORTED once that many were found: later rows are only counted
    count: u64,          // all errors
}

/// One error.
#[derive(Debug, Clone)]
struct RowError {
    start: u64,           // first byte of the row, or of the line ends before it
    field: Option<usize>, // `None` for the whole row
    message: String,
    is_about_count: bool, // whether it is about the number of processes
}

impl RowErrors {
    /// Adds an error in a field of the row that starts at `start`, or in the whole row.
    pub(super) fn add(&mut self, start: u64, field: Option<usize>, message: impl FnOnce() -> String) {
        self.add_error((start, field), false, message);
    }

    /// Adds a field that is out of range for the number of processes.
    pub(super) fn add_about_count(&mut self, start: u64, field: usize, message: impl FnOnce() -> String) {
        self.add_error((start, Some(field)), true, message);
    }

    fn add_error(
        &mut self,
        place: (u64, Option<usize>),
        is_about_count: bool,
        message: impl FnOnce() -> String,
    ) {
        self.count += 1;
        if self.kept[..self.ordered].last().is_some_and(|last| last.place() <= place) {
            return;
        }
        let (start, field) = place;
        self.kept.push(RowError { start, field, message: message(), is_about_count });
        if self.kept.len() == 2 * MAX_REPORTED {
            self.keep_first();
            self.ordered = MAX_REPORTED;
        }
    }

    /// Keeps the first errors, in order.
    fn keep_first(&mut self) {
        self.kept.sort_by_key(RowError::place);
        self.kept.truncate(MAX_REPORTED);
    }

    /// The errors at their places in the file, the last with the number of omitted ones. `help` is added to
    /// the last error about the number of processes.
    pub(super) fn into_errors(mut self, path: &Path, help: &str) -> Vec<ScenarioError> {
        self.keep_first();
        let left_out = self.count - self.kept.len() as u64;
        let (texts, last) = (RowTexts::new(path), self.kept.iter().rposition(|error| error.is_about_count));
        let error = |(place, error): (usize, &RowError)| {
            let at = texts.wrong(error.start, error.field, &error.message);
            if Some(place) == last { at.with_help(help) } else { at }
        };
        and_more(self.kept.iter().enumerate().map(error).collect(), left_out)
    }
}

impl RowError {
    /// Errors of whole rows come before those of their fields.
    fn place(&self) -> (u64, Option<usize>) {
        (self.start, self.field)
    }
}

#[cfg(test)]
mod tests {
    use miette::Diagnostic;

    use super::*;

    #[test]
    fn the_first_errors_are_those_of_the_first_lines_whatever_order_they_are_found_in() {
        let mut errors = RowErrors::default();
        // The even lines from the first to the last, then the odd ones from the last to the first.
        let lines = (0..100).filter(|line| line % 2 == 0).chain((0..100).rev().filter(|line| line % 2 == 1));
        for line in lines {
            errors.add(line, None, || line.to_string());
        }
        let errors = errors.into_errors(Path::new("gone.csv"), "");
        let messages: Vec<&str> = errors.iter().map(ScenarioError::message).collect();
        let expected: Vec<String> = (0..MAX_REPORTED).map(|line| line.to_string()).collect();
        assert_eq!(messages, expected);
        assert_eq!(errors.last().unwrap().left_out(), 80);
    }

    #[test]
    fn the_help_stands_with_the_last_error_about_the_number_of_processes() {
        let mut errors = RowErrors::default();
        errors.add_about_count(7, 1, || "second".to_owned());
        errors.add(9, None, || "third".to_owned());
        errors.add_about_count(3, 1, || "first".to_owned());
        let errors = errors.into_errors(Path::new("gone.csv"), "give fewer");
        let reported: Vec<(&str, Option<String>)> = errors
            .iter()
            .map(|error| (error.message(), error.report().help().map(|help| help.to_string())))
            .collect();
        assert_eq!(reported, [("first", None), ("second", Some("give fewer".to_owned())), ("third", None)]);
    }
}
