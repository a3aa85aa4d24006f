//! Recognises binary files by their first bytes, so that a single error names one given in the wrong place. The open
//! set of formats covers texts only.

/// The UTF-8 byte order mark, which some editors write before a text.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// First bytes of binary files, with the names of their formats.
static BINARY: [(&[u8], &str); 11] = [
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
    (b"\x93NUMPY", "an array of NumPy (.npy)"),
    (b"PAR1", "a Parquet file"),
    (b"\x1f\x8b", "compressed by gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd"),
    (b"\xfd7zXZ", "compressed by xz"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x7fELF", "a program"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"%PDF", "a PDF document"),
];

/// The name of a binary file: `a Parquet file`; `None` if it is unknown.
#[must_use]
pub fn foreign_bytes(bytes: &[u8]) -> Option<&'static str> {
    let known = BINARY.iter().find(|(first, _)| bytes.starts_with(first)).map(|&(_, name)| name);
    known.or_else(|| is_chakra(bytes).then_some("a Chakra execution trace"))
}

/// Whether a file starts like a Chakra execution trace: the length of a message whose only field is a version.
fn is_chakra(bytes: &[u8]) -> bool {
    let &[whole, 0x0a, length, ref rest @ ..] = bytes else { return false };
    let version = rest.get(..usize::from(length));
    let is_version = |version: &[u8]| {
        !version.is_empty() && version.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
    };
    whole.checked_sub(length) == Some(2) && version.is_some_and(is_version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_kinds_are_named() {
        let chakra = b"\x07\x0a\x050.0.4\x20\x08\x01\x12\x02l1";
        assert_eq!(foreign_bytes(chakra), Some("a Chakra execution trace"));
        assert_eq!(foreign_bytes(b"PAR1.."), Some("a Parquet file"));
        assert_eq!(foreign_bytes(b"\xffnothing"), None);
    }
}
