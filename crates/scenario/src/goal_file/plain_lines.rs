//! Lines of GOAL files in the form that tools write, read eight bytes at a time.
//!
//! ```text
//! l1: calc 100 cpu 0
//! l2: send 16b to 1 tag 7
//! l3: recv 16b from 2 tag 7
//! l2 requires l1
//! ```
//!
//! Lines are plain if labels are a letter and a number, blanks are as above, and nothing is wrong. All other
//! lines are left to [`GoalReader`](super::goal_lines::GoalReader), which reads plain lines with the same
//! result, byte by byte.

use cubefold_mapping::ProcessId;
use cubefold_simulator::{
    MAX_OPERATIONS, MAX_PROCESSOR, MAX_REQUIREMENTS, Operation, OperationKind, Requirement,
    TaskScheduleBuilder,
};

use super::labels::{CountedLabel, Labels};

/// A rank whose operations are being read, and the destinations of its operations.
#[derive(Debug)]
pub(super) struct PlainLines<'a> {
    pub(super) rank: ProcessId,
    pub(super) ranks: u32,
    pub(super) labels: &'a mut Labels,
    pub(super) builder: &'a mut TaskScheduleBuilder,
}

/// Number of bytes and lines that have been read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LinesRead {
    pub(super) bytes: usize,
    pub(super) lines: usize,
}

/// Up to eight bytes of text as one number.
#[derive(Debug, Clone, Copy)]
struct Text {
    bits: u64,
    mask: u64, // of the bytes of the text
    length: usize,
}

const CALC: Text = Text::new(b": calc ");
const SEND: Text = Text::new(b": send ");
const RECEIVE: Text = Text::new(b": recv ");
const TO: Text = Text::new(b"b to ");
const FROM: Text = Text::new(b"b from ");
const TAG: Text = Text::new(b" tag ");
const PROCESSOR: Text = Text::new(b" cpu ");
const INTERFACE: Text = Text::new(b" nic ");
const REQUIRES: [Text; 2] = [Text::new(b" require"), Text::new(b"s ")];
const REQUIRES_BEGUN: [Text; 2] = [Text::new(b" irequir"), Text::new(b"es ")];

/// The number of digits examined at once.
const DIGITS: usize = 8;
/// Largest number of digits of a number that is read here.
const MAX_DIGITS: usize = 18;
/// A word with 1 in every byte.
const BYTES: u64 = 0x0101_0101_0101_0101;

impl Text {
    const fn new(text: &[u8]) -> Self {
        let (mut bits, mut mask, mut place) = (0, 0, 0);
        while place < text.len() {
            bits |= (text[place] as u64) << (8 * place);
            mask |= 0xff << (8 * place);
            place += 1;
        }
        Self { bits, mask, length: text.len() }
    }

    #[inline]
    fn is_prefix_of(self, word: u64) -> bool {
        word & self.mask == self.bits
    }
}

/// A position in bytes.
#[derive(Debug, Clone, Copy)]
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    /// The next eight bytes, the first of them lowest.
    #[inline]
    fn word(&self) -> Option<u64> {
        self.bytes.get(self.at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
    }

    #[inline]
    fn take(&mut self, text: Text) -> Option<()> {
        text.is_prefix_of(self.word()?).then(|| self.at += text.length)
    }

    #[inline]
    fn number(&mut self) -> Option<u64> {
        let (number, count) = digits(self.word()?);
        match count {
            0 => None,
            DIGITS => self.long_number(),
            _ => {
                self.at += count;
                Some(number)
            }
        }
    }

    fn long_number(&mut self) -> Option<u64> {
        let rest = self.bytes.get(self.at..)?;
        let count = rest.iter().take(MAX_DIGITS + 1).take_while(|byte| byte.is_ascii_digit()).count();
        if count > MAX_DIGITS {
            return None;
        }
        self.at += count;
        Some(rest[..count].iter().fold(0, |number, byte| 10 * number + u64::from(byte - b'0')))
    }

    /// Reads a letter and a number without leading zeros.
    #[inline]
    fn label(&mut self) -> Option<CountedLabel> {
        let letter = *self.bytes.get(self.at)?;
        self.at += 1;
        let word = self.word()?;
        let (number, count) = digits(word);
        let is_shortest = count == 1 || word & 0xff != u64::from(b'0');
        if count == 0 || count == DIGITS || !is_shortest {
            return None;
        }
        self.at += count;
        CountedLabel::new(letter, usize::try_from(number).ok()?)
    }

    #[inline]
    fn end_of_line(&mut self) -> Option<()> {
        let mut rest = self.bytes.get(self.at..)?.iter();
        let mut byte = *rest.next()?;
        if byte == b'\r' {
            self.at += 1;
            byte = *rest.next()?;
        }
        self.at += 1;
        (byte == b'\n').then_some(())
    }
}

/// The value of the digits at the start of a word, and their number.
#[inline]
fn digits(word: u64) -> (u64, usize) {
    const EVEN_BYTES: u64 = 0x00ff_00ff_00ff_00ff;
    const EVEN_PAIRS: u64 = 0x0000_ffff_0000_ffff;
    // Digits become 0 to 9; other bytes are above 9 and have their highest bit set, or get it by adding 118.
    let values = word ^ (BYTES * u64::from(b'0'));
    let others = (values.wrapping_add(BYTES * 118) | values) & (BYTES << 7);
    let count = others.trailing_zeros() as usize / 8;
    if count == 0 {
        return (0, 0);
    }
    // Leading zeros make eight digits. Neighbours are combined into numbers of two, four, and eight digits.
    let values = values << (64 - 8 * count);
    let twos = values.wrapping_mul(10).wrapping_add(values >> 8) & EVEN_BYTES;
    let fours = twos.wrapping_mul(100).wrapping_add(twos >> 16) & EVEN_PAIRS;
    let eight = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & u64::from(u32::MAX);
    (eight, count)
}

impl PlainLines<'_> {
    /// Reads plain lines up to the first other or incomplete line.
    pub(super) fn read(&mut self, bytes: &[u8]) -> LinesRead {
        let mut read = LinesRead::default();
        let mut cursor = Cursor { bytes, at: 0 };
        while self.read_line(&mut cursor).is_some() {
            read.bytes = cursor.at;
            read.lines += 1;
        }
        read
    }

    /// Reads a line; returns `None` without effect if it is not plain.
    #[inline]
    fn read_line(&mut self, cursor: &mut Cursor<'_>) -> Option<()> {
        while let Some(b' ' | b'\t') = cursor.bytes.get(cursor.at) {
            cursor.at += 1;
        }
        let label = cursor.label()?;
        let word = cursor.word()?;
        if REQUIRES[0].is_prefix_of(word) {
            cursor.at += REQUIRES[0].length;
            cursor.take(REQUIRES[1])?;
            self.require(label, Requirement::Over, cursor)
        } else if SEND.is_prefix_of(word) {
            cursor.at += SEND.length;
            self.add_message(label, OperationKind::Send, TO, cursor)
        } else if RECEIVE.is_prefix_of(word) {
            cursor.at += RECEIVE.length;
            self.add_message(label, OperationKind::Receive, FROM, cursor)
        } else if CALC.is_prefix_of(word) {
            cursor.at += CALC.length;
            let amount = cursor.number()?;
            let operation = self.operation(OperationKind::Calc, amount, self.rank);
            self.add(label, operation, cursor)
        } else if REQUIRES_BEGUN[0].is_prefix_of(word) {
            cursor.at += REQUIRES_BEGUN[0].length;
            cursor.take(REQUIRES_BEGUN[1])?;
            self.require(label, Requirement::Begun, cursor)
        } else {
            None
        }
    }

    #[inline]
    fn require(
        &mut self,
        label: CountedLabel,
        requirement: Requirement,
        cursor: &mut Cursor<'_>,
    ) -> Option<()> {
        let required = cursor.label()?;
        cursor.end_of_line()?;
        let (operation, required) = (self.labels.get_counted(label)?, self.labels.get_counted(required)?);
        if self.builder.requirement_count() == MAX_REQUIREMENTS {
            return None;
        }
        self.builder.require(operation, required, requirement);
        Some(())
    }

    #[inline]
    fn operation(&self, kind: OperationKind, amount: u64, peer: ProcessId) -> Operation {
        Operation { amount, process: self.rank, peer, tag: 0, processor: 0, kind, is_awaited: true }
    }

    #[inline]
    fn add_message(
        &mut self,
        label: CountedLabel,
        kind: OperationKind,
        before_peer: Text,
        cursor: &mut Cursor<'_>,
    ) -> Option<()> {
        let amount = cursor.number()?;
        cursor.take(before_peer)?;
        let peer = u32::try_from(cursor.number()?).ok().filter(|&peer| peer < self.ranks)?;
        let operation = self.operation(kind, amount, ProcessId::new(peer));
        self.add(label, operation, cursor)
    }

    /// Reads the options of an operation and adds it.
    #[inline]
    fn add(&mut self, label: CountedLabel, mut operation: Operation, cursor: &mut Cursor<'_>) -> Option<()> {
        while cursor.bytes.get(cursor.at) == Some(&b' ') {
            let word = cursor.word()?;
            let is_message = operation.kind != OperationKind::Calc;
            if TAG.is_prefix_of(word) && is_message {
                cursor.at += TAG.length;
                operation.tag = u32::try_from(cursor.number()?).ok()?;
            } else if PROCESSOR.is_prefix_of(word) {
                cursor.at += PROCESSOR.length;
                let processor = u16::try_from(cursor.number()?).ok();
                operation.processor = processor.filter(|&processor| processor <= MAX_PROCESSOR)?;
            } else {
                cursor.take(INTERFACE)?;
                cursor.number()?;
            }
        }
        cursor.end_of_line()?;
        let number = self.builder.len();
        if number == MAX_OPERATIONS || !self.labels.insert_counted(label, u32::try_from(number).ok()?) {
            return None;
        }
        self.builder.add(operation);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_the_text() {
        for length in 0..=8_usize {
            for (number, next) in
                [(0_u64, b' '), (7, b'\n'), (12_345_678, b'/'), (99_999_999, b':'), (90_817_263, 0xff)]
            {
                let text = format!("{number:08}");
                let digits_of = &text.as_bytes()[8 - length..];
                let mut bytes = [next; 8];
                bytes[..length].copy_from_slice(digits_of);
                let expected = text[8 - length..].parse().unwrap_or(0);
                assert_eq!(digits(u64::from_le_bytes(bytes)), (expected, length), "{text}");
            }
        }
        // Any byte may follow the digits.
        for byte in (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit()) {
            assert_eq!(digits(u64::from_le_bytes([b'4', b'2', byte, b'7', 0xff, byte, b'0', b'9'])), (42, 2));
            assert_eq!(digits(u64::from_le_bytes([byte, b'2', b'3', b'7', 0xff, byte, b'0', b'9'])).1, 0);
        }
    }
}
