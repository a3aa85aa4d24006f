//! Reads whole files up to a size limit: regular files, standard input, and the pipe that a shell opens for a
//! command. Devices and other pipes, which might never end, are refused. A byte order mark is not part of a text.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

use super::foreign::{BYTE_ORDER_MARK, foreign_bytes};

/// Size limit of a file that is held in memory, such as a scenario \[bytes\].
pub const MAX_BYTES: u64 = 256 << 20;

/// The name of standard input in place of a file.
pub const STANDARD_INPUT: &str = "-";

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The operating system denies access.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is not a file.
    #[error("is {0}, expected a file")]
    NoFile(&'static str),
    /// It exceeds the size limit.
    #[error("has more than {} MiB, the most that is read", .0 >> 20)]
    TooLong(u64),
}

impl From<InputError> for io::Error {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Io(error) => error,
            error => Self::other(format!("it {error}")),
        }
    }
}

/// Reads a file, or standard input, of at most `most` bytes, without a byte order mark.
///
/// # Errors
///
/// If it is not a file, is too long, or the system refuses it.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, InputError> {
    if path == Path::new(STANDARD_INPUT) {
        return read_to(io::stdin().lock(), most);
    }
    let file = open(path)?;
    if file.metadata()?.len() > most.saturating_add(BYTE_ORDER_MARK.len() as u64) {
        return Err(InputError::TooLong(most));
    }
    read_to(file, most)
}

/// Opens a file, unless it is a device or a named pipe.
///
/// # Errors
///
/// If it is not a file, or the system refuses it.
pub fn open(path: &Path) -> Result<File, InputError> {
    if !is_opened_already(path) {
        let kind = kind(&fs::metadata(path)?);
        kind.map_or(Ok(()), |kind| Err(InputError::NoFile(kind)))?;
    }
    Ok(File::open(path)?)
}

/// Opens a text like [`open`], after its byte order mark if it has one.
///
/// # Errors
///
/// As [`open`].
pub fn open_text(path: &Path) -> Result<impl Read, InputError> {
    let mut file = open(path)?;
    let mut first = vec![];
    (&mut file).take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut first)?;
    if first == BYTE_ORDER_MARK {
        first.clear();
    }
    Ok(io::Cursor::new(first).chain(file))
}

/// The name of a file that starts like a binary one: `a Parquet file`; `None` if it does not, or cannot be
/// read again.
#[must_use]
pub fn foreign_kind(path: &Path) -> Option<&'static str> {
    const HEAD: u64 = 256;
    foreign_bytes(&head(path, HEAD)?)
}

/// Whether a file begins with these bytes; not if it cannot be read again.
#[must_use]
pub fn begins_with(path: &Path, bytes: &[u8]) -> bool {
    head(path, bytes.len() as u64).is_some_and(|head| head == bytes)
}

/// The first bytes of a file that can be read again.
fn head(path: &Path, length: u64) -> Option<Vec<u8>> {
    if path == Path::new(STANDARD_INPUT) || is_opened_already(path) {
        return None;
    }
    let mut head = vec![];
    open_text(path).ok()?.take(length).read_to_end(&mut head).ok()?;
    Some(head)
}

fn read_to(reader: impl Read, most: u64) -> Result<Vec<u8>, InputError> {
    let mut bytes = vec![];
    reader.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(InputError::TooLong(most));
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(bytes)
}

/// Whether a path refers to a file descriptor of this process, as a shell's `<(command)` does.
#[must_use]
pub fn is_opened_already(path: &Path) -> bool {
    ["/dev/fd", "/proc/self/fd", "/dev/stdin"].iter().any(|opened| path.starts_with(opened))
}

/// Names a kind of file that is refused here; `None` for regular files, and for folders, which the system refuses.
#[cfg(unix)]
fn kind(metadata: &fs::Metadata) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    [
        (kind.is_fifo(), "a named pipe"),
        (kind.is_char_device(), "a device"),
        (kind.is_block_device(), "a device"),
        (kind.is_socket(), "a socket"),
    ]
    .into_iter()
    .find_map(|(applies, name)| applies.then_some(name))
}

#[cfg(not(unix))]
fn kind(_: &fs::Metadata) -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_to_a_bound() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("f");
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read(&path, 4).unwrap_err().to_string(), "has more than 0 MiB, the most that is read");
        // A sparse file takes no memory beyond the limit.
        std::fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(matches!(read(&path, 1000), Err(InputError::TooLong(1000))));
    }

    #[test]
    fn byte_order_marks_are_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("f");
        for (written, expected) in
            [(&b"\xef\xbb\xbfab"[..], &b"ab"[..]), (b"\xef\xbb", b"\xef\xbb"), (b"", b"")]
        {
            std::fs::write(&path, written).unwrap();
            assert_eq!(read(&path, 9).unwrap(), expected);
            let mut text = vec![];
            open_text(&path).unwrap().read_to_end(&mut text).unwrap();
            assert_eq!(text, expected);
        }
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_named_and_not_read() {
        let error = read(Path::new("/dev/zero"), 1000).unwrap_err().to_string();
        assert_eq!(error, "is a device, expected a file");
    }
}
