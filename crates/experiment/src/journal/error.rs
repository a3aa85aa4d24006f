//! Why a journal cannot be used.

use std::io;

use super::{Change, Shard};

/// Why a journal cannot be begun or continued. Nothing is changed in it then.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// There is one already.
    #[error("it holds the finished runs of a sweep that was not completed")]
    Found,
    /// Another process writes it.
    #[error("another process is writing it")]
    Locked,
    /// It is no journal.
    #[error("it is no journal")]
    Foreign,
    /// Its form is of another version.
    #[error("it is a journal of form {found}, expected form {expected}")]
    Form {
        /// The version of its form.
        found: String,
        /// The version that this program reads.
        expected: u32,
    },
    /// It is of another version of the program.
    #[error("it was written by cubefold {found}, and this is cubefold {own}")]
    Version {
        /// The program that wrote it.
        found: String,
        /// This program.
        own: String,
    },
    /// It is of another part of the sweep.
    #[error("it is for {found}, and {asked} is asked for")]
    OtherShard {
        /// The part that it is for.
        found: Shard,
        /// The part that is asked for.
        asked: Shard,
    },
    /// It is of another sweep.
    #[error("the sweep has changed: {0}")]
    Changed(Change),
    /// What it begins with is not as it was written.
    #[error("its beginning is damaged")]
    Damaged,
    /// It cannot be read or written.
    #[error(transparent)]
    System(#[from] io::Error),
}

impl From<serde_json::Error> for JournalError {
    fn from(error: serde_json::Error) -> Self {
        Self::System(error.into())
    }
}
