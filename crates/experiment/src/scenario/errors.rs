//! Errors in scenario files and in the files that they name.
//!
//! [`ScenarioError`] is one error at its place, [`ScenarioErrors`] all of one command. [`Findings`] gathers those of the
//! combinations of a sweep and reports each once. Suggestions for misspelt names are at the end.

use std::{
    collections::BTreeMap,
    fmt::{self, Display},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    error_report::{ErrorReport, ReportMark},
    source_file::{Place, SourceFile},
    sweep::Assignment,
};
use crate::input::{
    diagnostic::{Diagnostic, Diagnostics, MAX_REPORTED},
    text::{printable, with_article},
};

/// One thing that is wrong with a scenario, and where it is written.
///
/// It displays as `file:line:column: message`, or `file: message` where there is no text to point at.
/// [`report`](Self::report) gives it with the text, the marks in it and a help.
#[derive(Debug, Clone)]
pub struct ScenarioError {
    path: PathBuf,
    message: String,
    marks: Vec<Mark>, // the first is what is wrong, the others took part in it
    help: Option<String>,
    standing: Standing,
    matter: Option<&'static str>, // its identity at its place, instead of the message
    left_out: u32,                // how many errors of its file that come after it were left out
    alike: u16,                   // how many that differ from it in numbers and names alone were left out
}

/// Whether an error may be no more than the shadow of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It stands by itself.
    Own,
    /// A value was not read because of it: a misspelt name, a file that is not there.
    HidesValues,
    /// A value is missing, perhaps only because another error hides it.
    MissingValue,
}

/// The identity of an error: two errors with the same one are the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ErrorIdentity {
    path: PathBuf,
    place: Option<(usize, usize)>, // lines before the text that is kept, byte in that text
    message: String,
}

/// A marked text and what is said about it.
#[derive(Debug, Clone)]
struct Mark {
    place: Place,
    label: String,
}

impl ScenarioError {
    /// What is wrong at a place; `label` is said right there.
    pub(super) fn at(place: &Place, message: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            path: place.source().path().to_owned(),
            message: message.into(),
            marks: vec![Mark { place: place.clone(), label: label.into() }],
            help: None,
            standing: Standing::Own,
            matter: None,
            left_out: 0,
            alike: 0,
        }
    }

    /// A key of a table, named by its path, that what is of this kind does not have; `kind_place` is where the kind is
    /// written, if it is.
    pub(super) fn foreign_key(path: &str, place: &Place, kind: &str, kind_place: Option<&Place>) -> Self {
        let table = path.rsplit_once('.').map_or(path, |(table, _)| table);
        let kind = with_article(kind);
        Self::at(place, format!("{path} with {kind}, which has none"), "not of this kind")
            .because(kind_place, kind)
            .with_help(format!("remove it, or change {table}.kind"))
    }

    /// What is wrong with a file as a whole.
    pub(super) fn of_file(path: &Path, message: impl Into<String>) -> Self {
        let (path, message) = (path.to_owned(), message.into());
        let standing = Standing::Own;
        Self { path, message, marks: vec![], help: None, standing, matter: None, left_out: 0, alike: 0 }
    }

    /// Adds how to mend it, unless that is empty; a second help becomes a line after the first.
    pub(super) fn with_help(mut self, help: impl AsRef<str>) -> Self {
        let help = help.as_ref();
        match &mut self.help {
            _ if help.is_empty() => {}
            Some(text) => {
                text.push('\n');
                text.push_str(help);
            }
            none => *none = Some(help.to_owned()),
        }
        self
    }

    /// Adds a place without which this would be no error, unless it is marked already.
    pub(super) fn because(mut self, place: Option<&Place>, label: impl Into<String>) -> Self {
        let place = place.filter(|place| self.marks.iter().all(|mark| !mark.place.is(place)));
        if let Some(place) = place {
            self.marks.push(Mark { place: place.clone(), label: label.into() });
        }
        self
    }

    /// Says that values went unread, or that one is missing.
    pub(super) fn standing(mut self, standing: Standing) -> Self {
        self.standing = standing;
        self
    }

    /// Says that errors in the same matter at one place are the same, though their messages may differ.
    pub(super) fn one_a_place(mut self, matter: &'static str) -> Self {
        self.matter = Some(matter);
        self
    }

    /// Leaves out the missing values that another of the errors may hide.
    pub(super) fn without_shadows(errors: &mut Vec<Self>) {
        if errors.iter().any(|error| error.standing == Standing::HidesValues) {
            errors.retain(|error| error.standing != Standing::MissingValue);
        }
    }

    /// Puts the first mark that `preferred` accepts in front, when it does not accept the one there.
    pub(super) fn led_by(mut self, preferred: impl Fn(&Place) -> bool) -> Self {
        match self.marks.iter().position(|mark| preferred(&mark.place)) {
            Some(index) if index > 0 => {
                self.marks.swap(0, index);
                self.marks[0].place.source().path().clone_into(&mut self.path);
            }
            _ => {}
        }
        self
    }

    /// What is wrong, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// How to mend it, where that can be said.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The file in which it is wrong.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Line and column of the marked text, both counted from 1; none where no text is marked.
    #[must_use]
    pub fn position(&self) -> Option<(usize, usize)> {
        self.marks.first().map(|mark| mark.place.position())
    }

    /// The marked text; none where no text is marked.
    #[must_use]
    pub fn marked(&self) -> Option<&str> {
        self.marks.first().map(|mark| mark.place.text())
    }

    /// The identity; in the order of files, places and messages.
    pub(super) fn identity(&self) -> ErrorIdentity {
        let place =
            self.marks.first().map(|mark| (mark.place.source().lines_before(), mark.place.span().start));
        ErrorIdentity {
            path: self.path.clone(),
            place,
            message: self.matter.map_or_else(|| self.message.clone(), str::to_owned),
        }
    }

    /// How many further errors of the same file are left out after it, and for it.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        u64::from(self.left_out) + u64::from(self.alike)
    }

    /// The message without numbers and names in quotes: errors that share it differ in nothing else.
    fn form(&self) -> String {
        let outside_quotes = self.message.split('"').step_by(2);
        outside_quotes.flat_map(str::chars).filter(|letter| !letter.is_ascii_digit()).collect()
    }

    /// What a terminal shows of it.
    #[must_use]
    pub fn report(&self) -> ErrorReport {
        let is_near = |mark: &&Mark| mark.place.source().path() == self.path;
        let far = self.marks.iter().filter(|mark| !is_near(mark));
        let far = far.map(|mark| format!("{}: {}", mark.place, mark.label));
        let alike = (self.alike > 0).then(|| format!("and {} more like this one", self.alike));
        let more = (self.left_out > 0).then(|| format!("and {} more errors in this file", self.left_out));
        let more = alike.into_iter().chain(more);
        let help = self.help.iter().flat_map(|help| help.split('\n')).map(str::to_owned);
        let near = self.marks.iter().filter(is_near);
        let marks: Vec<ReportMark<'_>> =
            near.map(|mark| ReportMark { place: &mark.place, label: &mark.label }).collect();
        ErrorReport::new(&self.to_string(), help.chain(far).chain(more), &marks)
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display().to_string();
        let (path, message) = (printable(&path), printable(&self.message));
        match self.position() {
            Some((line, column)) => write!(formatter, "{path}:{line}:{column}: {message}"),
            None => write!(formatter, "{path}: {message}"),
        }
    }
}

impl std::error::Error for ScenarioError {}

/// Everything that is wrong with the scenarios of one command, at least one error.
///
/// In the order of the scenario files, and by place inside each file.
#[derive(Debug, Clone)]
pub struct ScenarioErrors(Vec<ScenarioError>);

impl ScenarioErrors {
    /// `errors` without repetitions, which two scenarios that share a file give.
    pub(super) fn new(mut errors: Vec<ScenarioError>) -> Self {
        let mut seen = std::collections::BTreeSet::new();
        errors.retain(|error| seen.insert(error.identity()));
        Self(errors)
    }

    /// The number of all errors, also of those that are left out.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.iter().map(|error| 1 + error.left_out()).sum()
    }

    /// The errors.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &ScenarioError> {
        self.0.iter()
    }
}

impl IntoIterator for ScenarioErrors {
    type Item = ScenarioError;
    type IntoIter = std::vec::IntoIter<ScenarioError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for ScenarioErrors {
    /// One line an error.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(formatter, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioErrors {}

/// The diagnostics about a file at their places, the last with the number of those left out.
pub(super) fn errors_at(source: &Arc<SourceFile>, diagnostics: &Diagnostics) -> Vec<ScenarioError> {
    let error = |diagnostic: &Diagnostic| {
        ScenarioError::at(&Place::new(source, diagnostic.span.clone()), &diagnostic.message, "here")
    };
    and_more(diagnostics.kept().iter().map(error).collect(), diagnostics.left_out())
}

/// The errors of a file, the last with the number of those left out.
pub(super) fn and_more(mut errors: Vec<ScenarioError>, left_out: u64) -> Vec<ScenarioError> {
    if let Some(last) = errors.last_mut() {
        let left_out = u32::try_from(left_out).unwrap_or(u32::MAX);
        last.left_out = last.left_out.saturating_add(left_out);
    }
    errors
}

/// The first errors of a scenario and the files that it names, the last with the number of those left out; of those
/// that are alike the first three.
pub(super) fn first_errors(errors: Vec<ScenarioError>) -> Vec<ScenarioError> {
    let mut errors = first_alike(errors);
    let left_out = errors.len().saturating_sub(MAX_REPORTED);
    let hidden: u64 = errors.drain(errors.len() - left_out..).map(|error| 1 + error.left_out()).sum();
    and_more(errors, hidden)
}

/// The most errors of a file that differ in numbers and names alone.
const MAX_ALIKE: usize = 3;

/// Of errors that are alike the first, the last of them with the number of those left out.
fn first_alike(errors: Vec<ScenarioError>) -> Vec<ScenarioError> {
    let mut kept: Vec<ScenarioError> = vec![];
    let mut forms: BTreeMap<(PathBuf, String), Vec<usize>> = BTreeMap::new(); // places in `kept`
    for error in errors {
        let places = forms.entry((error.path.clone(), error.form())).or_default();
        if let [.., last] = places[..]
            && places.len() == MAX_ALIKE
        {
            let hidden = u16::try_from(error.left_out()).unwrap_or(u16::MAX).saturating_add(1);
            kept[last].alike = kept[last].alike.saturating_add(hidden);
        } else {
            places.push(kept.len());
            kept.push(error);
        }
    }
    kept
}

/// Errors of the file itself and of the combinations of its sweep.
#[derive(Debug)]
pub(super) struct Findings {
    path: PathBuf,
    combination_count: u128,
    of_file: Vec<ScenarioError>,
    of_combinations: BTreeMap<ErrorIdentity, Finding>,
}

/// An error of one or more combinations.
#[derive(Debug)]
struct Finding {
    error: ScenarioError,
    first: String, // the first combination that has it, for the help
    count: u128,
}

impl Findings {
    /// With what is wrong whatever the combination.
    pub(super) fn new(path: &Path, combination_count: u128, of_file: Vec<ScenarioError>) -> Self {
        Self { path: path.to_owned(), combination_count, of_file, of_combinations: BTreeMap::new() }
    }

    /// Whether nothing is wrong so far.
    pub(super) fn is_empty(&self) -> bool {
        self.of_file.is_empty() && self.of_combinations.is_empty()
    }

    /// The number of different errors.
    pub(super) fn count(&self) -> usize {
        self.of_file.len() + self.of_combinations.len()
    }

    /// Adds what is wrong whatever the combination.
    pub(super) fn add_of_file(&mut self, error: ScenarioError) {
        self.of_file.push(error);
    }

    /// Adds what is wrong in a combination, at the value of the sweep that makes it wrong if there is one.
    pub(super) fn add(&mut self, combination: &[&Assignment], errors: Vec<ScenarioError>) {
        let is_swept =
            |place: &_| combination.iter().any(|assignment| assignment.value.place.contains(place));
        for error in errors {
            let error = error.led_by(is_swept);
            let finding = self.of_combinations.entry(error.identity()).or_insert_with(|| {
                let values = combination.iter().map(|assignment| assignment.written());
                let pairs: Vec<String> = values.map(|(path, value)| format!("{path} = {value}")).collect();
                Finding { error, first: pairs.join(", "), count: 0 }
            });
            finding.count += 1;
        }
    }

    /// The errors in the order of their places, those in the scenario file before those in others.
    pub(super) fn into_result(self) -> Result<(), Vec<ScenarioError>> {
        let total = self.combination_count;
        let of_combinations = self.of_combinations.into_values().map(|finding| finding.into_error(total));
        let mut errors = self.of_file;
        errors.extend(of_combinations);
        ScenarioError::without_shadows(&mut errors);
        errors.sort_by_cached_key(|error| (error.path() != self.path, error.identity()));
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl Finding {
    /// The error, with the combinations that have it when those are not all.
    fn into_error(self, total: u128) -> ScenarioError {
        if self.count == total {
            return self.error;
        }
        let first = if self.count == 1 { "" } else { "the first with " };
        self.error.with_help(format!("in {} of {total} combinations: {first}{}", self.count, self.first))
    }
}

/// The most letters that a name may differ in and still be taken for misspelt.
const MAX_CHANGES: usize = 3;

/// No known name is nearly as long: what is longer is not compared.
const MAX_COMPARED_LENGTH: usize = 64;

/// The known name that `found` is most likely meant to be; none when it is like no known one.
pub(super) fn nearest<'a>(found: &str, known: &[&'a str]) -> Option<&'a str> {
    if found.len() > MAX_COMPARED_LENGTH {
        return None;
    }
    let found = found.to_lowercase();
    known
        .iter()
        .map(|&name| (strsim::damerau_levenshtein(&found, name), name))
        .filter(|&(changes, name)| changes <= MAX_CHANGES && 2 * changes <= name.len())
        .min_by_key(|&(changes, _)| changes)
        .map(|(_, name)| name)
}

/// What to do about an unknown name, beside a message that says the known ones: the nearest of them; nothing where none is
/// near.
pub(super) fn help(found: &str, known: &[&str]) -> String {
    nearest(found, known).map_or_else(String::new, |name| format!("did you mean \"{name}\"?"))
}

/// `a`, `a or b`, `a, b or c`.
pub(super) fn alternatives<T: Display>(names: &[T]) -> String {
    joined(names, "or")
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn all_of<T: Display>(names: &[T]) -> String {
    joined(names, "and")
}

fn joined<T: Display>(names: &[T], word: &str) -> String {
    let texts: Vec<String> = names.iter().map(T::to_string).collect();
    match texts.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests;
