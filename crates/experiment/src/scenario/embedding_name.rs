//! What a scenario calls an embedding.

use std::fmt;

use cubefold_mapping::EmbeddingKind;

/// An embedding as a scenario asks for it; displays as the name written there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbeddingName {
    /// A rule: `xor`.
    Kind(EmbeddingKind),
    /// A placement file: `file:PATH`, relative to the scenario.
    File(String),
}

impl EmbeddingName {
    /// What stands before a path.
    pub(super) const FILE_PREFIX: &'static str = "file:";

    /// The one with this name; none when it is neither a known name nor `file:` and a path.
    pub(super) fn with_name(name: &str) -> Option<Self> {
        if let Some(path) = name.strip_prefix(Self::FILE_PREFIX) {
            return (!path.is_empty()).then(|| Self::File(path.to_owned()));
        }
        EmbeddingKind::ALL.into_iter().find(|kind| kind.name() == name).map(Self::Kind)
    }
}

impl fmt::Display for EmbeddingName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(kind) => kind.fmt(formatter),
            Self::File(path) => write!(formatter, "{}{path}", Self::FILE_PREFIX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_display_as_they_are_written() {
        for name in ["standard", "xor", "byweight", "gray", "optimal", "file:a/b.csv"] {
            assert_eq!(EmbeddingName::with_name(name).unwrap().to_string(), name);
        }
        assert_eq!(EmbeddingName::with_name("file:"), None);
        assert_eq!(EmbeddingName::with_name("xors"), None);
    }
}
