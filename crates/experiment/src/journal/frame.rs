//! Lines of a journal that tell whether they are whole: a length, a checksum, and what is said.
//!
//! ```text
//! 0000001f 9a3c5e1f00b1d2e4 {"run":3,"record":{..}}
//! length   checksum         so many bytes, and a line feed
//! ```

use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// The bytes before what is said: two numbers in hexadecimal with a space behind each.
pub(super) const PREFIX: usize = 8 + 1 + 16 + 1;

/// What stands where a frame is expected.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// A frame that is as it was written.
    Whole(Vec<u8>),
    /// The end, where a frame would begin.
    End,
    /// What was never completed, or is no longer as it was written.
    Torn,
}

/// The bytes of a frame that says `payload`.
pub(super) fn frame(payload: &[u8]) -> io::Result<Vec<u8>> {
    let too_long = |_| io::Error::new(io::ErrorKind::FileTooLarge, "a record of over 4 GiB");
    let length = u32::try_from(payload.len()).map_err(too_long)?;
    let mut bytes = format!("{length:08x} {:016x} ", checksum(payload)).into_bytes();
    bytes.extend_from_slice(payload);
    bytes.push(b'\n');
    Ok(bytes)
}

/// Reads what stands where a frame is expected.
pub(super) fn read_frame(reader: &mut impl Read) -> io::Result<Frame> {
    let mut prefix = vec![];
    reader.by_ref().take(PREFIX as u64).read_to_end(&mut prefix)?;
    if prefix.is_empty() {
        return Ok(Frame::End);
    }
    let Some((length, expected)) = numbers(&prefix) else { return Ok(Frame::Torn) };
    // It grows with what is there: a length that lies costs no memory.
    let mut payload = vec![];
    reader.by_ref().take(u64::from(length) + 1).read_to_end(&mut payload)?;
    let whole = payload.len() == length as usize + 1 && payload.pop() == Some(b'\n');
    Ok(if whole && checksum(&payload) == expected { Frame::Whole(payload) } else { Frame::Torn })
}

/// The length and the checksum that a prefix tells; only in the form in which they are written.
fn numbers(prefix: &[u8]) -> Option<(u32, u64)> {
    let text = std::str::from_utf8(prefix).ok()?;
    let (length, rest) = text.split_once(' ')?;
    let numbers =
        (u32::from_str_radix(length, 16).ok()?, u64::from_str_radix(rest.strip_suffix(' ')?, 16).ok()?);
    (format!("{:08x} {:016x} ", numbers.0, numbers.1) == text).then_some(numbers)
}

/// The first 64 bits of the SHA-256 of the length and the bytes.
fn checksum(payload: &[u8]) -> u64 {
    let mut hash = Sha256::new();
    hash.update((payload.len() as u64).to_le_bytes());
    hash.update(payload);
    hash.finalize().iter().take(8).fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Frame {
        read_frame(&mut &*bytes).unwrap()
    }

    #[test]
    fn frames_are_read_as_they_were_written() {
        for payload in [&b""[..], b"{}", b"with\nlines\n", &[0, 255]] {
            let bytes = frame(payload).unwrap();
            assert_eq!(read(&bytes), Frame::Whole(payload.to_vec()));
            let both = [bytes.as_slice(), b"rest"].concat();
            assert_eq!(read(&both), Frame::Whole(payload.to_vec()));
        }
        assert_eq!(read(b""), Frame::End);
    }

    #[test]
    fn a_frame_with_any_byte_missing_or_other_is_torn() {
        let bytes = frame(b"{\"run\":3}").unwrap();
        for cut in 1..bytes.len() {
            assert_eq!(read(&bytes[..cut]), Frame::Torn, "cut at {cut}");
        }
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[place] ^= 1 << bit;
                assert_eq!(read(&changed), Frame::Torn, "bit {bit} of byte {place}");
            }
        }
    }
}
