//! Where results go: standard output, or a file that appears whole or not at all.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use cubefold_experiment::{Scenario, journal::sync_folder};
use tempfile::NamedTempFile;
use terminal_size::{Width, terminal_size_of};

use crate::{arguments::SharedOptions, failure::Failure, interruption};

/// The width of tables that no terminal shows \[columns of text\].
const COLUMNS: usize = 80;
/// The least width of tables, so that the most important columns are on any terminal \[columns of text\].
const MIN_COLUMNS: usize = 40;

/// A destination, opened before anything runs so that a wrong path costs no work.
#[derive(Debug)]
pub(crate) struct Output {
    destination: Destination,
    path: Option<PathBuf>, // as it was asked for; none for standard output
}

#[derive(Debug)]
enum Destination {
    /// Standard output.
    Standard(BufWriter<Pipe>),
    /// What is no regular file, such as a device: written to directly.
    Device(BufWriter<File>),
    /// A file beside the one asked for, which takes its place when it is complete.
    File { temporary: BufWriter<NamedTempFile>, path: PathBuf },
}

/// What is done with a file that is there already, where results are to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// It is left as it is, and the command is refused.
    Refuse,
    /// The results take its place.
    Replace,
}

impl Existing {
    /// Refuses a file that is there and holds anything, unless it may be replaced.
    pub(crate) fn refuse(self, path: &Path) -> Result<(), Failure> {
        let has_content =
            || fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0);
        if self == Self::Replace || !has_content() {
            return Ok(());
        }
        Err(Failure::usage(
            format!("cannot write {}: the file is there already", path.display()),
            "write over it with --force, or name another file",
        ))
    }
}

impl Output {
    /// Opens the destination that the command line names. It must be none of the files that the scenarios were read
    /// from, and hold no results yet unless they may be replaced.
    pub(crate) fn open(shared: &SharedOptions, scenarios: &[Scenario]) -> Result<Self, Failure> {
        Self::open_path(shared.output(), shared.existing(), scenarios)
    }

    /// Opens a destination; none and `-` are standard output.
    pub(crate) fn open_path(
        path: Option<&Path>,
        existing: Existing,
        scenarios: &[Scenario],
    ) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            let destination = Destination::Standard(BufWriter::new(Pipe { closed: false }));
            return Ok(Self { destination, path: None });
        };
        Self::refuse_inputs(path, scenarios)?;
        existing.refuse(path)?;
        let destination = Destination::open(path).map_err(|error| Failure::unwritable(path, &error))?;
        Ok(Self { destination, path: Some(path.to_owned()) })
    }

    /// Opens a file that only this process writes, under a name of its own until it is complete: what a process
    /// that was killed has left there is written over.
    pub(crate) fn beside(path: &Path) -> Result<Self, Failure> {
        let failed = |error| Failure::output(Some(path), error);
        let place = Destination::beside(path).map_err(failed)?;
        Ok(Self { destination: place, path: Some(path.to_owned()) })
    }

    /// Opens a file that is to be there when the command ends, under the same name each time until it is complete.
    pub(crate) fn open_beside(path: &Path, existing: Existing) -> Result<Self, Failure> {
        existing.refuse(path)?;
        let destination = Destination::beside(path).map_err(|error| Failure::unwritable(path, &error))?;
        Ok(Self { destination, path: Some(path.to_owned()) })
    }

    /// Refuses a path that leads to one of the files that the scenarios were read from.
    pub(crate) fn refuse_inputs(path: &Path, scenarios: &[Scenario]) -> Result<(), Failure> {
        let mut inputs = scenarios.iter().flat_map(|scenario| &scenario.inputs);
        let Some(input) = inputs.find(|input| is_same(input, path)) else { return Ok(()) };
        Err(Failure::usage(
            format!("cannot write {}: the scenarios are read from {}", path.display(), input.display()),
            "name another file for the results",
        ))
    }

    /// The width of tables \[columns of text\]: that of the terminal they are shown on.
    pub(crate) fn columns(&self) -> usize {
        let terminal = match self.destination {
            Destination::Standard(_) => terminal_size_of(io::stdout()),
            Destination::Device(_) | Destination::File { .. } => None,
        };
        terminal.map_or(COLUMNS, |(Width(columns), _)| usize::from(columns).max(MIN_COLUMNS))
    }

    /// Completes what was written.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let finished = match self.destination {
            Destination::Standard(mut writer) => writer.flush(),
            Destination::Device(mut writer) => writer.flush(),
            Destination::File { temporary, path } => complete(temporary, &path),
        };
        finished.map_err(|error| Failure::output(self.path.as_deref(), error))
    }

    /// Writes and completes.
    pub(crate) fn write(mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) -> Result<(), Failure> {
        self.add(write)?;
        self.finish()
    }

    /// Writes a part.
    pub(crate) fn add(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) -> Result<(), Failure> {
        write(self).map_err(|error| Failure::output(self.path.as_deref(), error))
    }
}

/// The regular file, there or to be made, that a path leads to; none for standard output, and for what is
/// there and is no regular file.
pub(crate) fn regular_file(path: Option<&Path>) -> Option<PathBuf> {
    let path = followed(path.filter(|path| *path != Path::new("-"))?);
    fs::metadata(&path).map_or(true, |metadata| metadata.is_file()).then_some(path)
}

/// Where a path leads: a symbolic link is followed, also to a file that is not there yet. What it leads to is replaced, not
/// the link.
fn followed(path: &Path) -> PathBuf {
    const MAX_LINKS: usize = 40;
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// The longest name that a file may have on usual systems \[bytes\].
const MAX_NAME: usize = 255;

/// Refuses a file whose name leaves no room for `more` bytes, which the names of files beside it have.
pub(crate) fn refuse_long_name(path: &Path, more: usize) -> Result<(), Failure> {
    let length = path.file_name().map_or(0, |name| name.as_encoded_bytes().len());
    let most = MAX_NAME.saturating_sub(more);
    if length <= most {
        return Ok(());
    }
    Err(Failure::usage(
        format!("cannot write a file whose name has {length} bytes, expected at most {most}"),
        "choose a shorter name: files beside it have longer ones while it is written",
    ))
}

/// Whether two paths lead to one file that exists.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        // A file that is not there yet is known by its folder.
        path.canonicalize().ok().or_else(|| {
            let path = followed(path);
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
            Some(folder.join(path.file_name()?))
        })
    };
    place(one).is_some_and(|one| Some(one) == place(other))
}

impl Destination {
    fn open(path: &Path) -> io::Result<Self> {
        let path = followed(path);
        let existing = fs::metadata(&path).ok();
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            return Ok(Self::Device(BufWriter::new(OpenOptions::new().write(true).open(&path)?)));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".cubefold-").suffix(".partial");
        Self::temporary(&mut builder, path)
    }

    /// A file with a fixed name beside `path`, that takes its place.
    fn beside(path: &Path) -> io::Result<Self> {
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".writing");
        match fs::remove_file(path.with_file_name(&name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        Self::temporary(tempfile::Builder::new().prefix(&name).rand_bytes(0), path.to_owned())
    }

    fn temporary(builder: &mut tempfile::Builder<'_, '_>, path: PathBuf) -> io::Result<Self> {
        let existing = fs::metadata(&path).ok();
        let permissions = existing.map_or_else(usual_permissions, |metadata| Some(metadata.permissions()));
        if let Some(permissions) = permissions {
            builder.permissions(permissions);
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let temporary = builder.tempfile_in(folder)?;
        interruption::add_temporary(temporary.path());
        let temporary = BufWriter::new(temporary);
        Ok(Self::File { temporary, path })
    }
}

/// Puts a complete file in its place.
fn complete(temporary: BufWriter<NamedTempFile>, path: &Path) -> io::Result<()> {
    let file = temporary.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    let before = file.path().to_owned();
    file.persist(path).map_err(|error| error.error)?;
    interruption::remove_temporary(&before);
    sync_folder(path);
    Ok(())
}

/// What any new file gets: a temporary file would be for its owner only.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have no such permissions")]
fn usual_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn usual_permissions() -> Option<Permissions> {
    None
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.destination {
            Destination::Standard(writer) => writer.write(bytes),
            Destination::Device(writer) => writer.write(bytes),
            Destination::File { temporary, .. } => temporary.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.destination {
            Destination::Standard(writer) => writer.flush(),
            Destination::Device(writer) => writer.flush(),
            Destination::File { temporary, .. } => temporary.flush(),
        }
    }
}

/// Standard output. When its reader has closed it the rest is dropped: that is the reader's decision, not
/// an error.
#[derive(Debug)]
struct Pipe {
    closed: bool,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        match io::stdout().write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(bytes.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match io::stdout().flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed,
        }
    }
}
