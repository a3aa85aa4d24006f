//! A limit on the lines of a text that is streamed, so that an endless line cannot fill the memory.

use std::io::{self, Read};

/// Longest line of a file that is read as a stream of rows \[bytes\].
pub const MAX_LINE: u64 = 1 << 20;

/// A reader that fails in a line of more than [`MAX_LINE`] bytes.
#[derive(Debug)]
pub struct LineLimit<R> {
    inner: R,
    length: u64, // of the current line so far
}

impl<R: Read> LineLimit<R> {
    /// Limits the lines that `inner` yields.
    pub fn new(inner: R) -> Self {
        Self { inner, length: 0 }
    }
}

impl<R: Read> Read for LineLimit<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let mut lines = buffer[..count].split(|&byte| byte == b'\n' || byte == b'\r');
        // The first part continues the line before.
        self.length += lines.next().map_or(0, |part| part.len() as u64);
        let mut longest = self.length;
        for line in lines {
            self.length = line.len() as u64;
            longest = longest.max(self.length);
        }
        if longest > MAX_LINE {
            return Err(io::Error::other("it has a line of more than 1 MiB, expected rows"));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_up_to_the_limit() {
        let line = |length: u64| "x".repeat(usize::try_from(length).unwrap());
        let read = |text: String| io::copy(&mut LineLimit::new(text.as_bytes()), &mut io::sink());
        let (most, more) = (line(MAX_LINE), line(MAX_LINE + 1));
        assert_eq!(read(format!("{most}\n{most}\r{most}")).unwrap(), 3 * MAX_LINE + 2);
        assert!(read(more.clone()).is_err());
        assert!(read(format!("a\n{more}\nb")).is_err());
        assert!(read(format!("a\n{more}")).is_err());
    }
}
