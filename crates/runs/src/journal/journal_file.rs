//! Journals in files: their creation, locks and renaming, and the reasons why one cannot be used.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

use super::{Change, Journal, Shard, SweepPlan};

/// A journal that cannot be created or continued. It is left unchanged.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// It already exists.
    #[error("it holds the finished runs of a sweep that was not completed")]
    Found,
    /// Another process is writing it.
    #[error("another process is writing it")]
    Locked,
    /// It is not a journal.
    #[error("it is not a journal")]
    Foreign,
    /// It has another version of the form.
    #[error("it is a journal of form {found}, expected form {expected}")]
    Form {
        /// The version of its form.
        found: String,
        /// The version that this program reads.
        expected: u32,
    },
    /// It was written by another version of the program.
    #[error("it was written by {}", programs(found, own))]
    Version {
        /// The program that wrote it.
        found: String,
        /// This program.
        own: String,
    },
    /// It belongs to another part of the sweep.
    #[error("it is for {found}, expected {asked}")]
    OtherShard {
        /// Its part.
        found: Shard,
        /// The requested part.
        asked: Shard,
    },
    /// It belongs to another sweep.
    #[error("the sweep has changed: {0}")]
    Changed(Change),
    /// It belongs to other searches.
    #[error("the searches have changed")]
    OtherSearches,
    /// Its beginning is damaged.
    #[error("its beginning is damaged")]
    Damaged,
    /// It cannot be read or written.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// Names both programs, even if their versions are equal.
fn programs(found: &str, this: &str) -> String {
    if found == this {
        format!("another build of cubefold {this}, whose engines differ")
    } else {
        format!("cubefold {found}, and this is cubefold {this}")
    }
}

impl From<serde_json::Error> for JournalError {
    fn from(error: serde_json::Error) -> Self {
        Self::System(error.into())
    }
}

/// The policy for an existing journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Continue it, unless another process is writing it.
    Resume,
    /// Continue it as soon as no other process is writing it.
    ResumeWhenFree,
    /// Refuse it.
    Refuse,
}

/// A journal in a file that is locked against other processes.
#[derive(Debug)]
pub struct JournalFile {
    journal: Journal<File>,
    path: PathBuf,
}

impl JournalFile {
    /// Creates a journal or continues an existing one. With [`Found::ResumeWhenFree`] it blocks until no
    /// other process is writing it, and calls `before_waiting` if it has to wait.
    ///
    /// # Errors
    ///
    /// If one exists and `found` refuses it, another process is writing it, or as for [`Journal::resume`].
    pub fn open(
        path: &Path,
        plan: &SweepPlan<'_>,
        shard: Shard,
        found: Found,
        before_waiting: impl FnOnce(),
    ) -> Result<Self, JournalError> {
        let file = open_locked(path, found, before_waiting)?;
        let journal = if file.metadata()?.len() == 0 {
            Journal::begin(file, plan, shard).inspect_err(|_| {
                // If the disk is full before the first run, nothing is left to continue.
                let _ = fs::remove_file(path);
            })?
        } else {
            Journal::resume(file, plan, shard)?
        };
        Ok(Self { journal, path: path.to_owned() })
    }

    /// The journal.
    #[must_use]
    pub fn journal(&self) -> &Journal<File> {
        &self.journal
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the file after its results were written elsewhere. It may already be missing, if this process waited
    /// while another one completed the sweep and removed it.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn remove(self) -> io::Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Renames the file to `part`. That may exist already, if this process waited while another one completed the
    /// part and renamed it.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn rename(self, part: &Path) -> io::Result<()> {
        self.journal.sync()?;
        match fs::rename(&self.path, part) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && part.exists() => {}
            renamed => renamed?,
        }
        sync_folder(part);
        Ok(())
    }
}

/// Waits until the names in the folder of a file are on disk, so that a renamed file survives a power
/// failure. Systems that cannot sync a folder are left to their own guarantees.
pub fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Creates a file that is locked against other processes until it is closed, or opens an existing one unless
/// `found` refuses it.
pub(super) fn open_locked(
    path: &Path,
    found: Found,
    before_waiting: impl FnOnce(),
) -> Result<File, JournalError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    let file = match options.clone().create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match found {
            Found::Refuse => {
                // One that is being written is not left over from an earlier process.
                lock(&options.open(path)?, found, before_waiting)?;
                return Err(JournalError::Found);
            }
            Found::Resume | Found::ResumeWhenFree => options.open(path)?,
        },
        created => created?,
    };
    lock(&file, found, before_waiting)?;
    // Another process may have found it, locked it first and filled it.
    if found == Found::Refuse && file.metadata()?.len() > 0 {
        return Err(JournalError::Found);
    }
    Ok(file)
}

/// Locks the file against other processes until it is closed.
fn lock(file: &File, found: Found, before_waiting: impl FnOnce()) -> Result<(), JournalError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) if found == Found::ResumeWhenFree => {
            before_waiting();
            Ok(file.lock()?)
        }
        Err(TryLockError::WouldBlock) => Err(JournalError::Locked),
        // Some network file systems have no locks: there, users must not start two processes.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}
