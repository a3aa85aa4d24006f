//! Errors in scenario files and in the files that they name.
//!
//! [`ScenarioError`] is one error at its place, [`ScenarioErrors`] all errors of a command. [`Findings`]
//! collects the errors of the combinations of a sweep and reports each once. Suggestions for misspelt names
//! are at the end.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fmt::{self, Display},
    path::{Path, PathBuf},
    sync::Arc,
};

use cubefold_formats::input::{
    diagnostic::{Diagnostic, Diagnostics, MAX_REPORTED},
    input_file::STANDARD_INPUT,
    text::{printable, with_article},
};

use super::{
    error_report::{ErrorReport, ReportMark},
    source_file::{Place, SourceFile},
    sweep::Assignment,
};

/// One error of a scenario, with its place.
///
/// It displays as `file:line:column: message`, or as `file: message` if no text is marked. [`report`](Self::report)
/// adds the text, its marks and the help.
#[derive(Debug, Clone)]
pub struct ScenarioError {
    path: PathBuf,
    message: String,
    marks: Vec<Mark>, // the first is the error, the others are causes
    help: Option<String>,
    standing: Standing,
    matter: Option<&'static str>, // its identity at its place, in place of the message
    left_out: u32,                // number of omitted errors of its file that follow it
    alike: u16,                   // number of omitted errors that differ from it only in numbers and names
}

/// Whether an error may be a consequence of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is independent.
    Own,
    /// It prevents a value from being read: a misspelt name, a missing file.
    HidesValues,
    /// A value is missing, perhaps because another error hides it.
    MissingValue,
}

/// The identity of an error: errors with the same identity are duplicates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ErrorIdentity {
    path: PathBuf,
    place: Option<(usize, usize)>, // lines before the kept text, byte in that text
    message: String,
}

#[derive(Debug, Clone)]
struct Mark {
    place: Place,
    label: String,
}

impl ScenarioError {
    /// An error at a place, with a label for the marked text.
    pub(super) fn at(place: &Place, message: impl Into<String>, label: impl Into<String>) -> Self {
        let marks = vec![Mark { place: place.clone(), label: label.into() }];
        Self::new(place.source().path(), message.into(), marks)
    }

    /// The error for a key, given by its path, that `kind` does not have; `kind_place` is the place of the
    /// kind, if given.
    pub(super) fn foreign_key(path: &str, place: &Place, kind: &str, kind_place: Option<&Place>) -> Self {
        let table = path.rsplit_once('.').map_or(path, |(table, _)| table);
        let kind = with_article(kind);
        Self::at(place, format!("{path} with {kind}, which has none"), "not of this kind")
            .because(kind_place, kind)
            .with_help(format!("remove it, or change {table}.kind"))
    }

    pub(super) fn of_file(path: &Path, message: impl Into<String>) -> Self {
        let is_standard = path == Path::new(STANDARD_INPUT);
        let path = if is_standard { Path::new(SourceFile::STANDARD_INPUT) } else { path };
        Self::new(path, message.into(), vec![])
    }

    fn new(path: &Path, message: String, marks: Vec<Mark>) -> Self {
        let (path, standing) = (path.to_owned(), Standing::Own);
        Self { path, message, marks, help: None, standing, matter: None, left_out: 0, alike: 0 }
    }

    /// Adds a suggestion, unless it is empty; a second one becomes another line.
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

    /// Marks a place that contributes to the error, unless it is marked already.
    pub(super) fn because(mut self, place: Option<&Place>, label: impl Into<String>) -> Self {
        let place = place.filter(|place| self.marks.iter().all(|mark| !mark.place.is(place)));
        if let Some(place) = place {
            self.marks.push(Mark { place: place.clone(), label: label.into() });
        }
        self
    }

    /// Sets whether values went unread, or one is missing.
    pub(super) fn standing(mut self, standing: Standing) -> Self {
        self.standing = standing;
        self
    }

    /// Makes errors about one matter at one place equal, although their messages may differ.
    pub(super) fn one_a_place(mut self, matter: &'static str) -> Self {
        self.matter = Some(matter);
        self
    }

    /// Removes missing values that another of the errors may hide.
    pub(super) fn without_shadows(errors: &mut Vec<Self>) {
        if errors.iter().any(|error| error.standing == Standing::HidesValues) {
            errors.retain(|error| error.standing != Standing::MissingValue);
        }
    }

    /// Moves the first mark that `preferred` accepts to the front, unless the front one is accepted.
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

    /// The message, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// A suggestion, if there is one.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The file with the error.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Line and column of the marked text, both counted from 1; `None` if no text is marked.
    #[must_use]
    pub fn position(&self) -> Option<(usize, usize)> {
        self.marks.first().map(|mark| mark.place.position())
    }

    /// The marked text; `None` if no text is marked.
    #[must_use]
    pub fn marked(&self) -> Option<&str> {
        self.marks.first().map(|mark| mark.place.text())
    }

    /// Its identity, which is ordered by file, place and message.
    pub(super) fn identity(&self) -> ErrorIdentity {
        let place =
            self.marks.first().map(|mark| (mark.place.source().lines_before(), mark.place.span().start));
        ErrorIdentity {
            path: self.path.clone(),
            place,
            message: self.matter.map_or_else(|| self.message.clone(), str::to_owned),
        }
    }

    /// Number of further errors of the same file that are omitted after it.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        u64::from(self.left_out) + u64::from(self.alike)
    }

    /// The message without numbers and quoted names; similar errors are grouped by it.
    fn form(&self) -> String {
        let outside_quotes = self.message.split('"').step_by(2);
        outside_quotes.flat_map(str::chars).filter(|letter| !letter.is_ascii_digit()).collect()
    }

    /// The text that a terminal shows.
    #[must_use]
    pub fn report(&self) -> ErrorReport {
        // Keys that are set on the command line have texts of their own, all with one path.
        let first = self.marks.first().map(|mark| mark.place.source().text());
        let is_near = |mark: &&Mark| {
            let source = mark.place.source();
            source.path() == self.path && Some(source.text()) == first
        };
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

/// All errors in the scenarios of one command, at least one.
///
/// Ordered by scenario file, and by place inside each file.
#[derive(Debug, Clone)]
pub struct ScenarioErrors(Vec<ScenarioError>);

impl ScenarioErrors {
    /// Removes repetitions, which occur if two scenarios share a file.
    #[must_use]
    pub fn new(mut errors: Vec<ScenarioError>) -> Self {
        let mut seen = BTreeSet::new();
        errors.retain(|error| seen.insert(error.identity()));
        Self(errors)
    }

    /// Number of all errors, including omitted ones.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.iter().map(|error| 1 + error.left_out()).sum()
    }

    /// Lists the errors.
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
    /// Writes one line per error.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(formatter, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioErrors {}

/// The errors for the diagnostics of a file, the last with the number of omitted ones.
pub(super) fn errors_at(source: &Arc<SourceFile>, diagnostics: &Diagnostics) -> Vec<ScenarioError> {
    let error = |diagnostic: &Diagnostic| {
        ScenarioError::at(&Place::new(source, diagnostic.span.clone()), &diagnostic.message, "here")
    };
    and_more(diagnostics.kept().iter().map(error).collect(), diagnostics.left_out())
}

/// The errors of a file, the last with the number of omitted ones.
pub(super) fn and_more(mut errors: Vec<ScenarioError>, left_out: u64) -> Vec<ScenarioError> {
    if let Some(last) = errors.last_mut() {
        let left_out = u32::try_from(left_out).unwrap_or(u32::MAX);
        last.left_out = last.left_out.saturating_add(left_out);
    }
    errors
}

/// The first errors of a scenario and the files that it names, the last with the number of omitted ones; of
/// similar errors only the first three.
pub(super) fn first_errors(errors: Vec<ScenarioError>) -> Vec<ScenarioError> {
    let mut errors = first_alike(errors);
    let left_out = errors.len().saturating_sub(MAX_REPORTED);
    let hidden: u64 = errors.drain(errors.len() - left_out..).map(|error| 1 + error.left_out()).sum();
    and_more(errors, hidden)
}

/// Largest number of errors of a file that differ only in numbers and names.
const MAX_ALIKE: usize = 3;

/// Keeps the first of similar errors, the last of them with the number of omitted ones.
fn first_alike(errors: Vec<ScenarioError>) -> Vec<ScenarioError> {
    let mut kept: Vec<ScenarioError> = vec![];
    let mut forms: BTreeMap<(PathBuf, String), Vec<usize>> = BTreeMap::new(); // indices into `kept`
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

/// The errors found while something is read, in the order in which they are found.
#[derive(Debug, Default)]
pub(super) struct Errors(RefCell<Vec<ScenarioError>>);

impl Errors {
    pub(super) fn report(&self, error: ScenarioError) {
        self.0.borrow_mut().push(error);
    }

    /// Adds an error and returns `None`, for a value that cannot be read.
    pub(super) fn fail<T>(&self, error: ScenarioError) -> Option<T> {
        self.report(error);
        None
    }

    /// The value, or `None` after its error is added.
    pub(super) fn value_of<T>(&self, read: Result<T, ScenarioError>) -> Option<T> {
        read.map_err(|error| self.report(error)).ok()
    }

    /// Adds errors, some of which may be found while others are added.
    pub(super) fn report_all(&self, errors: impl IntoIterator<Item = ScenarioError>) {
        errors.into_iter().for_each(|error| self.report(error));
    }

    pub(super) fn len(&self) -> usize {
        self.0.borrow().len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn take(&self) -> Vec<ScenarioError> {
        self.0.take()
    }
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
    /// Starts with the errors that do not depend on the combination.
    pub(super) fn new(path: &Path, combination_count: u128, of_file: Vec<ScenarioError>) -> Self {
        Self { path: path.to_owned(), combination_count, of_file, of_combinations: BTreeMap::new() }
    }

    /// Whether there are no errors so far.
    pub(super) fn is_empty(&self) -> bool {
        self.of_file.is_empty() && self.of_combinations.is_empty()
    }

    /// Number of different errors.
    pub(super) fn count(&self) -> usize {
        self.of_file.len() + self.of_combinations.len()
    }

    /// Adds an error that does not depend on the combination.
    pub(super) fn add_of_file(&mut self, error: ScenarioError) {
        self.of_file.push(error);
    }

    /// Adds the errors of a combination, marking the swept value that causes each, if there is one.
    pub(super) fn add(&mut self, combination: &[&Assignment], errors: Vec<ScenarioError>) {
        let is_swept =
            |place: &_| combination.iter().any(|assignment| assignment.value.place.contains(place));
        let mut found = BTreeSet::new();
        for error in errors {
            let error = error.led_by(is_swept);
            let identity = error.identity();
            if !found.insert(identity.clone()) {
                continue;
            }
            let finding = self.of_combinations.entry(identity).or_insert_with(|| {
                let values = combination.iter().map(|assignment| &assignment.written);
                let pairs: Vec<String> = values.map(|(path, value)| format!("{path} = {value}")).collect();
                Finding { error, first: pairs.join(", "), count: 0 }
            });
            finding.count += 1;
        }
    }

    /// Returns the errors in the order of their places, those of the scenario file before those of other
    /// files.
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
    /// The error, with its combinations unless it occurs in all.
    fn into_error(self, total: u128) -> ScenarioError {
        if self.count == total {
            return self.error;
        }
        let first = if self.count == 1 { "" } else { "the first with " };
        self.error.with_help(format!("in {} of {total} combinations: {first}{}", self.count, self.first))
    }
}

/// Largest number of letters in which a misspelt name may differ.
const MAX_CHANGES: usize = 3;

/// Longer names are not compared: every known name is much shorter.
const MAX_COMPARED_LENGTH: usize = 64;

/// The known name most similar to `found`; `None` if none is similar.
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

/// The suggestion for an unknown name, to accompany a message that lists the known ones; empty if none is
/// similar.
pub(super) fn help(found: &str, known: &[&str]) -> String {
    nearest(found, known).map_or_else(String::new, |name| format!("did you mean \"{name}\"?"))
}

/// Joins names with "or": `a`, `a or b`, `a, b or c`.
pub(super) fn alternatives<T: Display>(names: &[T]) -> String {
    joined(names, "or")
}

/// Joins names with "and": `a`, `a and b`, `a, b and c`.
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
