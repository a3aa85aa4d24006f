//! What is wrong with a text, and where.

use std::ops::Range;

/// The most errors that are reported of one file.
pub(crate) const MAX_REPORTED: usize = 20;

/// One thing that is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    /// The bytes that are wrong.
    pub(crate) span: Range<usize>,
    /// Found and expected.
    pub(crate) message: String,
}

/// What is wrong with one text: the first diagnostics, and the number of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Diagnostics {
    kept: Vec<Diagnostic>, // at most MAX_REPORTED
    count: u64,            // at least as many as are kept
}

impl Diagnostics {
    /// Counts one, and keeps it if there are not too many.
    pub(crate) fn add(&mut self, span: Range<usize>, message: impl FnOnce() -> String) {
        self.count += 1;
        if self.kept.len() < MAX_REPORTED {
            self.kept.push(Diagnostic { span, message: message() });
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The diagnostics that were kept, at least one of a text that is wrong.
    pub(crate) fn kept(&self) -> &[Diagnostic] {
        &self.kept
    }

    /// How many there are beyond those that were kept.
    pub(crate) fn left_out(&self) -> u64 {
        self.count - self.kept.len() as u64
    }
}
