//! Errors in a text, with their positions.

use std::ops::Range;

/// Largest number of errors that are reported for one file.
pub(crate) const MAX_REPORTED: usize = 20;

/// One error in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    /// Bytes of the text that are wrong.
    pub(crate) span: Range<usize>,
    /// A message: found and expected.
    pub(crate) message: String,
}

/// Errors of one text: the first ones, and the number of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Diagnostics {
    kept: Vec<Diagnostic>, // at most MAX_REPORTED
    count: u64,            // at least as many as are kept
}

impl Diagnostics {
    /// Adds an error; errors after the first [`MAX_REPORTED`] are only counted.
    pub(crate) fn add(&mut self, span: Range<usize>, message: impl FnOnce() -> String) {
        self.count += 1;
        if self.kept.len() < MAX_REPORTED {
            self.kept.push(Diagnostic { span, message: message() });
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The errors that were kept; empty only if the text is correct.
    pub(crate) fn kept(&self) -> &[Diagnostic] {
        &self.kept
    }

    /// Number of errors that were counted but not kept.
    pub(crate) fn left_out(&self) -> u64 {
        self.count - self.kept.len() as u64
    }
}
