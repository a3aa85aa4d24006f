//! A line of a GOAL file byte by byte, and what is wrong in it.

use std::ops::Range;

/// By byte, whether it is a letter, a digit or an underscore: one look instead of four comparisons.
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

/// What is wrong in a line, and where.
#[derive(Debug)]
pub(super) struct LineError {
    pub(super) span: Range<usize>, // bytes of the line
    pub(super) message: String,
    pub(super) line: Option<(usize, Vec<u8>)>, // number and bytes, where it is an earlier one
}

impl LineError {
    pub(super) fn new(span: Range<usize>, message: String) -> Self {
        Self { span, message, line: None }
    }
}

/// A line and the place in it.
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

    /// The byte after blanks.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.line.get(self.at).copied()
    }

    /// A word of letters, digits and underscores after blanks, which may be empty.
    #[inline]
    pub(super) fn word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let start = self.at;
        while self.line.get(self.at).is_some_and(|&byte| IS_OF_WORD[usize::from(byte)]) {
            self.at += 1;
        }
        &self.line[start..self.at]
    }

    /// An integer after blanks, up to `greatest`.
    #[inline]
    pub(super) fn number(&mut self, name: &str, greatest: u64) -> Result<u64, LineError> {
        self.skip_blanks();
        let start = self.at;
        let mut number = 0_u64;
        let mut has_overflowed = false;
        while let Some(digit) =
            self.line.get(self.at).map(|byte| byte.wrapping_sub(b'0')).filter(|&own| own < 10)
        {
            let next = number.checked_mul(10).and_then(|own| own.checked_add(digit.into()));
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

    /// What stands here is not what was expected.
    #[cold]
    pub(super) fn unexpected(&mut self, expected: &str) -> LineError {
        self.skip_blanks();
        let start = self.at;
        let end = self.line[start..].iter().position(|byte| b" \t\r{}:".contains(byte));
        let end = end.map_or(self.line.len(), |end| start + end.max(1)).min(self.line.len());
        let found = String::from_utf8_lossy(&self.line[start..end]);
        let found = match found.trim() {
            "" => "the end of the line".to_owned(),
            text => crate::input::text::described(text),
        };
        LineError::new(start..end.max(start), format!("{found}, expected {expected}"))
    }
}
