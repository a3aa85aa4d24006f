//! Errors in a text, with their positions, and the list of processes that a file leaves out.

use std::ops::Range;

use cubefold_mapping::ProcessId;

/// Largest number of errors that are reported for one file.
pub const MAX_REPORTED: usize = 20;
/// Largest number of ranges of missing processes that are listed.
const MAX_GAPS: usize = 5;

/// One error in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The wrong bytes of the text.
    pub span: Range<usize>,
    /// The message: found and expected.
    pub message: String,
}

/// Errors of one text: the first ones, and the number of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    kept: Vec<Diagnostic>, // at most MAX_REPORTED
    count: u64,            // at least the length of `kept`
}

impl Diagnostics {
    /// Adds an error; errors after the first [`MAX_REPORTED`] are only counted.
    pub fn add(&mut self, span: Range<usize>, message: impl FnOnce() -> String) {
        self.count += 1;
        if self.kept.len() < MAX_REPORTED {
            self.kept.push(Diagnostic { span, message: message() });
        }
    }

    /// Sorts the kept errors by their position in the text.
    pub fn sort(&mut self) {
        self.kept.sort_by_key(|one| one.span.start);
    }

    /// The same errors in another text, at the places there.
    #[must_use]
    pub(crate) fn moved(mut self, place: impl Fn(Range<usize>) -> Range<usize>) -> Self {
        for error in &mut self.kept {
            error.span = place(error.span.clone());
        }
        self
    }

    /// Whether there are no errors.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The kept errors; empty only if the text is correct.
    #[must_use]
    pub fn kept(&self) -> &[Diagnostic] {
        &self.kept
    }

    /// Number of errors that were counted but not kept.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.count - self.kept.len() as u64
    }
}

#[cfg(test)]
impl Diagnostics {
    /// The kept errors as `byte..byte: message`.
    pub(crate) fn written(&self) -> Vec<String> {
        self.kept.iter().map(|one| format!("{:?}: {}", one.span, one.message)).collect()
    }
}

/// Lists the first `count` processes that are not in `known`, which ascends: `1, 4 to 6 and 20 more`.
pub fn missing_processes(known: impl Iterator<Item = ProcessId>, count: u64) -> String {
    let (mut texts, mut unnamed, mut next) = (vec![], 0, 0);
    for process in known.map(|process| u64::from(process.label())).chain([count]) {
        if process > next {
            let last = process - 1;
            if texts.len() < MAX_GAPS {
                texts.push(if last == next { next.to_string() } else { format!("{next} to {last}") });
            } else {
                unnamed += process - next;
            }
        }
        next = process + 1;
    }
    let more = if unnamed > 0 { format!(" and {unnamed} more") } else { String::new() };
    format!("{}{more}", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_named_and_from_the_sixth_on_counted() {
        let missing =
            |known: &[u32], count| missing_processes(known.iter().copied().map(ProcessId::new), count);
        assert_eq!(missing(&[0, 2, 3, 7], 8), "1, 4 to 6");
        assert_eq!(missing(&[], 4), "0 to 3");
        assert_eq!(missing(&[1, 3, 5, 7, 9], 14), "0, 2, 4, 6, 8 and 4 more");
    }
}
