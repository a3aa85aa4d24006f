//! What journals are kept in.

use std::{
    fs::File,
    io::{self, Cursor, Read, Seek, Write},
};

/// Bytes that can be read, written and cut off: a file, or memory.
pub trait Storage: Read + Write + Seek {
    /// Keeps the first `length` bytes only.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl Storage for File {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

impl Storage for tempfile::SpooledTempFile {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

impl Storage for Cursor<Vec<u8>> {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.get_mut().truncate(usize::try_from(length).unwrap_or(usize::MAX));
        Ok(())
    }
}
