//! The destination of results: standard output, or a file that appears whole or not at all.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, BufWriter, IsTerminal, Write},
    path::{Path, PathBuf},
};

use cubefold_formats::input::printable;
use cubefold_runs::journal::sync_folder;
use cubefold_scenario::Scenario;
use tempfile::{NamedTempFile, TempPath};
use terminal_size::{Height, Width, terminal_size_of};
use textwrap::{Options, WordSeparator, WordSplitter, fill};

use crate::{arguments::SharedOptions, failure::Failure, interruption};

/// The width of tables without a terminal \[columns of text\].
const COLUMNS: usize = 80;
/// The least width of tables \[columns of text\]; a narrower terminal breaks words.
const MIN_COLUMNS: usize = 20;

/// A destination, opened before anything runs so that a wrong path costs no work.
#[derive(Debug)]
pub(crate) struct Output {
    destination: Destination,
    path: Option<PathBuf>, // as requested; `None` for standard output
}

#[derive(Debug)]
enum Destination {
    Standard(BufWriter<Pipe>),
    /// A destination other than a regular file, such as a device, written to directly.
    Device(BufWriter<File>),
    /// A file next to the requested one, which replaces it on completion.
    File {
        temporary: BufWriter<NamedTempFile>,
        path: PathBuf,
    },
    /// A complete file next to the requested one.
    Complete {
        temporary: TempPath,
        path: PathBuf,
    },
}

/// The treatment of an existing file at the destination of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    Refuse,
    Replace,
}

impl Existing {
    /// Refuses a nonempty existing file, unless it may be replaced.
    pub(crate) fn refuse(self, path: &Path) -> Result<(), Failure> {
        let has_content =
            || fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0);
        if self == Self::Replace || !has_content() {
            return Ok(());
        }
        Err(Failure::usage(
            format!("cannot write {}: the file exists already", path.display()),
            "overwrite it with --force, or name another file",
        ))
    }
}

impl Output {
    /// Opens the destination that the command line names. It must not be one of the scenarios' files, and must hold no
    /// results yet unless they may be replaced.
    pub(crate) fn open(shared: &SharedOptions, scenarios: &[Scenario]) -> Result<Self, Failure> {
        Self::open_path(shared.output(), shared.existing(), scenarios)
    }

    /// Opens the destination that the command line names, which must not be one of the files that were read.
    pub(crate) fn open_apart_from<'a>(
        shared: &SharedOptions,
        inputs: impl IntoIterator<Item = &'a PathBuf>,
    ) -> Result<Self, Failure> {
        Self::open_any(shared.output(), shared.existing(), inputs)
    }

    /// Opens a destination; `None` and `-` are standard output.
    pub(crate) fn open_path(
        path: Option<&Path>,
        existing: Existing,
        scenarios: &[Scenario],
    ) -> Result<Self, Failure> {
        Self::open_any(path, existing, scenarios.iter().flat_map(|scenario| &scenario.inputs))
    }

    fn open_any<'a>(
        path: Option<&Path>,
        existing: Existing,
        inputs: impl IntoIterator<Item = &'a PathBuf>,
    ) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            let destination = Destination::Standard(BufWriter::new(Pipe { closed: false }));
            return Ok(Self { destination, path: None });
        };
        Self::refuse_inputs(path, inputs)?;
        existing.refuse(path)?;
        let destination = Destination::open(path).map_err(|error| Failure::unwritable(path, &error))?;
        Ok(Self { destination, path: Some(path.to_owned()) })
    }

    /// Opens a file that only this process writes, under a fixed temporary name until it is complete. Remains of a killed
    /// process are overwritten.
    pub(crate) fn beside(path: &Path) -> Result<Self, Failure> {
        let failed = |error| Failure::output(Some(path), error);
        let place = Destination::beside(path).map_err(failed)?;
        Ok(Self { destination: place, path: Some(path.to_owned()) })
    }

    /// Opens a file that exists when the command ends, under a fixed temporary name until it is complete.
    pub(crate) fn open_beside(path: &Path, existing: Existing) -> Result<Self, Failure> {
        existing.refuse(path)?;
        let destination = Destination::beside(path).map_err(|error| Failure::unwritable(path, &error))?;
        Ok(Self { destination, path: Some(path.to_owned()) })
    }

    /// Refuses a path to one of the files of the scenarios.
    pub(crate) fn refuse_inputs<'a>(
        path: &Path,
        inputs: impl IntoIterator<Item = &'a PathBuf>,
    ) -> Result<(), Failure> {
        refuse_as_output(inputs, Some(path), "scenarios", "results")
    }

    /// The width of tables \[columns of text\], from the terminal if there is one.
    pub(crate) fn columns(&self) -> usize {
        self.terminal_columns().unwrap_or(COLUMNS)
    }

    /// The width of the terminal at the destination \[columns of text\]; `None` if it is not a terminal.
    pub(crate) fn terminal_columns(&self) -> Option<usize> {
        let terminal = match &self.destination {
            Destination::Standard(_) => terminal_size_of(io::stdout()),
            Destination::Device(writer) => size_of_device(writer.get_ref()),
            Destination::File { .. } | Destination::Complete { .. } => None,
        };
        terminal.map(|(Width(columns), _)| usize::from(columns).max(MIN_COLUMNS))
    }

    /// Writes everything so far to disk, and releases the memory and the open file of a complete output, which then only
    /// needs to be finished.
    pub(crate) fn reserve(self) -> Result<Self, Failure> {
        let Self { destination, path } = self;
        let reserved = match destination {
            Destination::File { temporary, path } => {
                closed(temporary).map(|temporary| Destination::Complete { temporary, path })
            }
            other => Ok(other),
        };
        let destination = reserved.map_err(|error| Failure::output(path.as_deref(), error))?;
        Ok(Self { destination, path })
    }

    pub(crate) fn finish(self) -> Result<(), Failure> {
        let finished = match self.destination {
            Destination::Standard(mut writer) => writer.flush(),
            Destination::Device(mut writer) => writer.flush(),
            Destination::File { temporary, path } => {
                closed(temporary).and_then(|temporary| put_in_place(temporary, &path))
            }
            Destination::Complete { temporary, path } => put_in_place(temporary, &path),
        };
        finished.map_err(|error| Failure::output(self.path.as_deref(), error))
    }

    /// Writes and completes.
    pub(crate) fn write(mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) -> Result<(), Failure> {
        self.add(write)?;
        self.finish()
    }

    pub(crate) fn add(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) -> Result<(), Failure> {
        write(self).map_err(|error| Failure::output(self.path.as_deref(), error))
    }
}

/// Refuses to write into a file from which `read`, such as hosts, are read; `written` is what is written.
pub(crate) fn refuse_as_output(
    inputs: impl IntoIterator<Item = impl AsRef<Path>>,
    output: Option<&Path>,
    read: &str,
    written: &str,
) -> Result<(), Failure> {
    let Some(output) = output else { return Ok(()) };
    let Some(input) = inputs.into_iter().find(|input| is_same(input.as_ref(), output)) else { return Ok(()) };
    let (output, input) = (output.display(), input.as_ref().display());
    Err(Failure::usage(
        format!("cannot write {output}: the {read} are read from {input}"),
        format!("name another file for the {written}"),
    ))
}

/// The first of some inputs that the output would overwrite.
pub(crate) fn overwritten<P: AsRef<Path>>(
    inputs: impl IntoIterator<Item = P>,
    output: Option<&Path>,
) -> Option<P> {
    let output = output?;
    inputs.into_iter().find(|input| is_same(input.as_ref(), output))
}

/// A path as messages show it.
pub(crate) fn printable_path(path: &Path) -> String {
    printable(&path.display().to_string()).into_owned()
}

/// The regular file that a path leads to, whether it exists or not; `None` for standard output and for anything else
/// that exists.
pub(crate) fn regular_file(path: Option<&Path>) -> Option<PathBuf> {
    let path = followed(path.filter(|path| *path != Path::new("-"))?);
    fs::metadata(&path).map_or(true, |metadata| metadata.is_file()).then_some(path)
}

/// Writes a message to standard error, in lines as wide as its terminal. A closed standard error is no failure, since
/// the exit code, or a file, says the same.
pub(crate) fn say(text: &str) {
    let text = columns_of_messages().map_or_else(|| text.to_owned(), |columns| filled(text, columns));
    let _ = writeln!(io::stderr(), "{text}");
}

/// Whether terminals of this environment obey escape sequences: `TERM` names one, and not `dumb`.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "the terminal's affair, not a result")]
pub(crate) fn obeys_escapes() -> bool {
    std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb")
}

/// Whether terminals obey escape sequences.
#[cfg(not(unix))]
pub(crate) fn obeys_escapes() -> bool {
    true
}

/// The width of the terminal at standard error, if there is one \[columns of text\].
pub(crate) fn columns_of_messages() -> Option<usize> {
    terminal_size_of(io::stderr()).map(|(Width(columns), _)| usize::from(columns).max(MIN_COLUMNS))
}

/// The lines of a text wrapped at a width; words stay whole, since they may be paths to copy.
pub(crate) fn filled(text: &str, columns: usize) -> String {
    let line = |line: &str| {
        let indent = " ".repeat(line.len() - line.trim_start_matches(' ').len() + 2);
        let options = Options::new(columns).subsequent_indent(&indent).break_words(false);
        let options = options.word_separator(WordSeparator::AsciiSpace);
        fill(line, options.word_splitter(WordSplitter::NoHyphenation))
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Whether the output goes to a terminal, possibly by its path; `None` and `-` are standard output.
pub(crate) fn is_terminal(path: Option<&Path>) -> bool {
    match path.filter(|path| *path != Path::new("-")) {
        None => io::stdout().is_terminal(),
        // Only devices are opened: a pipe would wait for its reader.
        Some(path) if is_character_device(path) => {
            OpenOptions::new().write(true).open(path).is_ok_and(|device| device.is_terminal())
        }
        Some(_) => false,
    }
}

#[cfg(unix)]
fn is_character_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_char_device())
}

#[cfg(not(unix))]
fn is_character_device(_: &Path) -> bool {
    false
}

#[cfg(unix)]
fn size_of_device(device: &File) -> Option<(Width, Height)> {
    terminal_size_of(device)
}

#[cfg(not(unix))]
fn size_of_device(_: &File) -> Option<(Width, Height)> {
    None
}

/// The system's part of an error that also names a temporary file; `None` for other errors.
pub(crate) fn of_system(error: &io::Error) -> Option<io::Error> {
    // `tempfile` hides the error of the system, except for its text.
    let said = error.get_ref()?.to_string();
    let (said, _) = said.split_once(" at path \"")?;
    Some(io::Error::new(error.kind(), said))
}

/// The target of a path, after following symbolic links, even to a file that does not exist yet. The target is replaced,
/// not the link.
pub(crate) fn followed(path: &Path) -> PathBuf {
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

/// The longest file name on usual systems \[bytes\].
const MAX_NAME: usize = 255;

/// Refuses a file whose name is too long for the `more` bytes that the names of temporary files add.
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
        // A file that does not exist yet is identified by its folder.
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

    /// A file with a fixed name next to `path`, which it replaces.
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

/// Writes a file to disk and closes it.
fn closed(temporary: BufWriter<NamedTempFile>) -> io::Result<TempPath> {
    let file = temporary.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    Ok(file.into_temp_path())
}

/// Puts a complete file in its place.
fn put_in_place(temporary: TempPath, path: &Path) -> io::Result<()> {
    let before = temporary.to_path_buf();
    temporary.persist(path).map_err(|error| error.error)?;
    interruption::remove_temporary(&before);
    sync_folder(path);
    Ok(())
}

/// The permissions of any new file: a temporary file would be for its owner only.
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
            Destination::Complete { .. } => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.destination {
            Destination::Standard(writer) => writer.flush(),
            Destination::Device(writer) => writer.flush(),
            Destination::File { temporary, .. } => temporary.flush(),
            Destination::Complete { .. } => Ok(()),
        }
    }
}

/// The error for a standard output that was closed before the program began.
pub(crate) fn closed_output() -> io::Error {
    io::Error::other("it is closed")
}

/// Standard output. If its reader has closed it, the rest is dropped without an error.
#[derive(Debug)]
struct Pipe {
    closed: bool,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        if cubefold_standard_output::was_closed() {
            return Err(closed_output());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_go_on_in_lines_below_and_paths_stay_whole() {
        let text = "error: cannot write a/very-long/path: it is there\n  help: name another file";
        let lines =
            "error: cannot\n  write\n  a/very-long/path:\n  it is there\n  help: name\n    another file";
        assert_eq!(filled(text, 16), lines);
    }

    #[test]
    fn errors_of_temporary_files_do_not_name_them() {
        let error = tempfile::Builder::new().tempfile_in("/missing").unwrap_err();
        assert!(error.to_string().contains("/missing/"), "{error}");
        assert_eq!(of_system(&error).unwrap().to_string(), "No such file or directory (os error 2)");
        assert!(of_system(&io::Error::other("another")).is_none());
    }
}
