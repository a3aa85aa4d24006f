//! Where results go: standard output, or a file that appears whole or not at all.

use std::{
    fs::Permissions,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::failure::Failure;

/// A destination, opened before anything runs so that a wrong path costs no work.
#[derive(Debug)]
pub(crate) enum Output {
    /// Standard output.
    Standard(BufWriter<io::Stdout>),
    /// A file beside the one asked for, which takes its place when it is complete.
    File {
        /// What is written to.
        temporary: BufWriter<NamedTempFile>,
        /// What it becomes.
        path: PathBuf,
    },
}

impl Output {
    /// Opens the destination; none and `-` are standard output.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Self::Standard(BufWriter::new(io::stdout())));
        };
        let cannot = |error: io::Error| {
            let message = format!("cannot write {}: {error}", path.display());
            Failure::usage(message, "name a file in a folder that exists and can be written to")
        };
        if path.is_dir() {
            return Err(cannot(io::ErrorKind::IsADirectory.into()));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".cubefold-").suffix(".partial");
        let temporary = with_usual_permissions(&mut builder).tempfile_in(folder).map_err(cannot)?;
        Ok(Self::File { temporary: BufWriter::new(temporary), path: path.to_owned() })
    }

    /// Completes what was written.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Standard(mut writer) => settle(writer.flush(), None),
            Self::File { temporary, path } => {
                let complete = || -> io::Result<()> {
                    let file = temporary.into_inner().map_err(io::IntoInnerError::into_error)?;
                    file.as_file().sync_all()?;
                    file.persist(&path).map_err(|error| error.error)?;
                    Ok(())
                };
                settle(complete(), Some(&path))
            }
        }
    }

    /// Writes and completes.
    pub(crate) fn write(mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) -> Result<(), Failure> {
        self.add(write)?;
        self.finish()
    }

    /// Writes a part.
    pub(crate) fn add(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) -> Result<(), Failure> {
        let written = write(self);
        let path = match self {
            Self::Standard(_) => None,
            Self::File { path, .. } => Some(path.as_path()),
        };
        settle(written, path)
    }
}

/// A closed pipe is the reader's decision, not an error.
fn settle(written: io::Result<()>, path: Option<&Path>) -> Result<(), Failure> {
    match written {
        Err(error) if path.is_none() && error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| Failure::output(path, error)),
    }
}

#[cfg(unix)]
fn with_usual_permissions<'a, 'b>(
    builder: &'a mut tempfile::Builder<'b, 'b>,
) -> &'a mut tempfile::Builder<'b, 'b> {
    use std::os::unix::fs::PermissionsExt;
    // A temporary file is for its owner only; results get what any new file gets.
    builder.permissions(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn with_usual_permissions<'a, 'b>(
    builder: &'a mut tempfile::Builder<'b, 'b>,
) -> &'a mut tempfile::Builder<'b, 'b> {
    builder
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(writer) => writer.write(bytes),
            Self::File { temporary, .. } => temporary.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(writer) => writer.flush(),
            Self::File { temporary, .. } => temporary.flush(),
        }
    }
}
