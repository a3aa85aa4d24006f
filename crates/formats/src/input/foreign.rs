//! Files of other kinds, by their first bytes: a file that is given in the wrong place is named as what it is,
//! in one error instead of one for every line.

/// The bytes of a mark of byte order in UTF-8, which some editors write before a text.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// First bytes of files that are no text, and the names of the files.
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

/// First words of texts, and the names of the files.
static TEXTS: [(&str, &str); 6] = [
    ("<algo", "an MSCCL algorithm (XML)"),
    ("<?xml", "an XML file"),
    ("<!DOCTYPE", "a web page"),
    ("<html", "a web page"),
    ("<platform", "a SimGrid platform (XML)"),
    ("num_ranks ", "a GOAL schedule"),
];

/// The name of a file that is no text: `a Parquet file`; `None` if it is unknown.
#[must_use]
pub fn foreign_bytes(bytes: &[u8]) -> Option<&'static str> {
    let known = BINARY.iter().find(|(first, _)| bytes.starts_with(first)).map(|&(_, name)| name);
    known.or_else(|| is_chakra(bytes).then_some("a Chakra execution trace"))
}

/// The name of a text of another kind: `an XML file`; `None` if it is unknown. Nothing that is read by lines
/// begins like one of these.
#[must_use]
pub fn foreign_text(text: &str) -> Option<&'static str> {
    let begin = text.trim_start();
    let known = TEXTS.iter().find(|(first, _)| begin.starts_with(first)).map(|&(_, name)| name);
    known.or_else(|| is_json(begin).then_some("a JSON document")).or_else(|| foreign_bytes(text.as_bytes()))
}

/// Whether a text begins like an object of JSON, or a list of them.
fn is_json(text: &str) -> bool {
    let inner = text.strip_prefix('[').map_or(text, str::trim_start);
    inner.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with('"'))
}

/// Whether a file begins like a Chakra execution trace: the length of a message whose only field is a version.
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
        assert_eq!(foreign_text("\n<algo name=\"x\">"), Some("an MSCCL algorithm (XML)"));
        assert_eq!(foreign_text("<?xml version=\"1.0\"?>"), Some("an XML file"));
        assert_eq!(foreign_text("[\n  { \"a\": 1 }]"), Some("a JSON document"));
        for own in
            ["alpha\nbeta\n", "[0, 1]", "[TpuDevice(id=0)]", "rank 0=a slot=0", "\n", "[machine]", "{0}"]
        {
            assert_eq!(foreign_text(own), None, "{own}");
        }
    }
}
