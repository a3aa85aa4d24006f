//! A cursor over the bytes of a line of a GOAL file, and the errors in it.

use std::ops::Range;

/// By byte, whether it is a letter, a digit or an underscore: one lookup instead of four comparisons.
const IS_OF_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
};

#[derive(Debug)]
pub(super) struct LineError {
    pub(super) span: Range<usize>, // bytes of the line
    pub(super) message: String,
    pub(super) line: Option<(usize, Vec<u8>)>, // number and bytes of an earlier line, if the error is there
}

impl LineError {
    pub(super) fn new(span: Range<usize>, message: String) -> Self {
        Self { span, message, line: None }
    }
}

/// A line and a position in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) line: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r') = self.line.get(self.at) {
            self.at += 1;
        }
    }

    /// Skips blanks and returns the next byte.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.line.get(self.at).copied()
    }

    /// Skips blanks and reads a word of letters, digits and underscores, possibly empty.
    #[inline]
    pub(super) fn word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let start = self.at;
        while self.line.get(self.at).is_some_and(|&byte| IS_OF_WORD[usize::from(byte)]) {
            self.at += 1;
        }
        &self.line[start..self.at]
    }

    /// Skips blanks and reads an integer of at most `greatest`.
    #[inline]
    pub(super) fn number(&mut self, name: &str, greatest: u64) -> Result<u64, LineError> {
        self.skip_blanks();
        let start = self.at;
        let mut number = 0_u64;
        let mut has_overflowed = false;
        while let Some(digit) =
            self.line.get(self.at).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10)
        {
            let next = number.checked_mul(10).and_then(|tenfold| tenfold.checked_add(digit.into()));
            has_overflowed |= next.is_none();
            number = next.unwrap_or(number);
            self.at += 1;
        }
        if self.at == start || has_overflowed || number > greatest {
            self.at = start;
            return Err(self.unexpected(&format!("{name} from 0 to {greatest}")));
        }
        Ok(number)
    }

    /// The error that the next word is not the expected one.
    #[cold]
    pub(super) fn unexpected(&mut self, expected: &str) -> LineError {
        self.skip_blanks();
        let start = self.at;
        let end = self.line[start..].iter().position(|byte| b" \t\r{}:".contains(byte));
        let end = end.map_or(self.line.len(), |end| start + end.max(1)).min(self.line.len());
        let found = String::from_utf8_lossy(&self.line[start..end]);
        let found = match found.trim() {
            "" => "the end of the line".to_owned(),
            text => cubefold_formats::input::text::described(text),
        };
        LineError::new(start..end.max(start), format!("{found}, expected {expected}"))
    }
}
