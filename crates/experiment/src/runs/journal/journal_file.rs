//! Journals in files: begun, found, locked, put in the place of a part; and why one cannot be used.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

use super::{Change, Journal, Shard, SweepPlan};

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
    #[error("it was written by {}", programs(found, own))]
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

/// Both programs, also where they have one version.
fn programs(found: &str, own: &str) -> String {
    if found == own {
        format!("another build of cubefold {own}, whose engines differ")
    } else {
        format!("cubefold {found}, and this is cubefold {own}")
    }
}

impl From<serde_json::Error> for JournalError {
    fn from(error: serde_json::Error) -> Self {
        Self::System(error.into())
    }
}

/// What is to be done with a journal that is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// It is continued, unless another process writes it.
    Resume,
    /// It is continued as soon as no other process writes it.
    ResumeWhenFree,
    /// It is refused.
    Refuse,
}

/// A journal in a file that no other process writes meanwhile.
#[derive(Debug)]
pub struct JournalFile {
    journal: Journal<File>,
    path: PathBuf,
}

impl JournalFile {
    /// Begins a journal, or continues the one that is there. With [`Found::ResumeWhenFree`] it blocks until
    /// no other process writes it, and calls `before_waiting` if that is not so at once.
    ///
    /// # Errors
    ///
    /// When there is one and `found` refuses it, when another process writes it, or as [`Journal::resume`].
    pub fn open(
        path: &Path,
        plan: &SweepPlan<'_>,
        shard: Shard,
        found: Found,
        before_waiting: impl FnOnce(),
    ) -> Result<Self, JournalError> {
        let created = OpenOptions::new().read(true).write(true).create_new(true).open(path);
        let file = match created {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return resume(path, plan, shard, found, before_waiting);
            }
            created => created?,
        };
        lock(&file, found, before_waiting)?;
        // Another process may have found it, locked it first and filled it.
        let journal = if file.metadata()?.len() == 0 {
            Journal::begin(file, plan, shard).inspect_err(|_| {
                // A disk that is full before the first run leaves nothing that could be continued.
                let _ = fs::remove_file(path);
            })?
        } else if found == Found::Refuse {
            return Err(JournalError::Found);
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

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it: its results are somewhere else. It may be gone already: a process that waited while another
    /// completed the sweep finds what that one has removed.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn remove(self) -> io::Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Puts it in the place of the part that it holds. It may be there already: a process that waited while
    /// another completed the part holds what that one has renamed.
    ///
    /// # Errors
    ///
    /// When the system refuses.
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

/// Waits until the names in the folder of a file are on the disk: a file that was renamed is found again after a power
/// failure. Systems that cannot do this for a folder keep names in their own way.
pub fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

fn resume(
    path: &Path,
    plan: &SweepPlan<'_>,
    shard: Shard,
    found: Found,
    before_waiting: impl FnOnce(),
) -> Result<JournalFile, JournalError> {
    if found == Found::Refuse {
        return Err(JournalError::Found);
    }
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    lock(&file, found, before_waiting)?;
    let journal = Journal::resume(file, plan, shard)?;
    Ok(JournalFile { journal, path: path.to_owned() })
}

/// Keeps other processes from writing it, until it is closed.
fn lock(file: &File, found: Found, before_waiting: impl FnOnce()) -> Result<(), JournalError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) if found == Found::ResumeWhenFree => {
            before_waiting();
            Ok(file.lock()?)
        }
        Err(TryLockError::WouldBlock) => Err(JournalError::Locked),
        // Some network file systems have no locks: there it is up to whoever starts two processes.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}
