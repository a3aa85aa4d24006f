//! What a scenario calls an embedding.

use std::fmt;

use cubefold_mapping::{ClassicConstruction, ConstructionKind, EmbeddingKind};

use super::launcher_file::LauncherEntry;

/// An embedding as a scenario asks for it; displays as the name written there, or by which results call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbeddingName {
    /// A rule: `xor`.
    Kind(EmbeddingKind),
    /// A placement file: `file:PATH`, relative to the scenario.
    File(String),
    /// A launcher's file, by a table; displays as `FORMAT:PATH`, without hosts and slots.
    Launcher(LauncherEntry),
    /// A construction of Tao 1988: `tao` picks one, `tao:NAME` asks for it.
    Tao(Option<ConstructionKind>),
    /// A construction of CS838 1999: `cs838` takes the first that is for the pair, `cs838:NAME` asks for one.
    Classic(Option<&'static ClassicConstruction>),
    /// `greenberg`: a mesh in its smallest hypercube (Greenberg 1987).
    Greenberg,
}

impl EmbeddingName {
    /// What stands before a path.
    const FILE_PREFIX: &'static str = "file:";
    /// The construction that the theorems pick.
    const TAO: &'static str = "tao";
    /// What stands before the name of a construction.
    const TAO_PREFIX: &'static str = "tao:";
    /// The first construction of the notes that is for the pair.
    const COURSE: &'static str = "cs838";
    /// What stands before the name of a construction of the notes.
    const COURSE_PREFIX: &'static str = "cs838:";
    /// A mesh in a hypercube.
    const GREENBERG: &'static str = "greenberg";

    /// The one with this name; none when it is neither a known name nor `file:` and a path.
    pub(super) fn with_name(name: &str) -> Option<Self> {
        if let Some(path) = name.strip_prefix(Self::FILE_PREFIX) {
            return (!path.is_empty()).then(|| Self::File(path.to_owned()));
        }
        if let Some(name) = name.strip_prefix(Self::TAO_PREFIX) {
            let kind = ConstructionKind::ALL.into_iter().find(|kind| kind.name() == name);
            return kind.map(|kind| Self::Tao(Some(kind)));
        }
        if name == Self::TAO {
            return Some(Self::Tao(None));
        }
        if let Some(name) = name.strip_prefix(Self::COURSE_PREFIX) {
            return ClassicConstruction::with_name(name).map(|own| Self::Classic(Some(own)));
        }
        if name == Self::COURSE {
            return Some(Self::Classic(None));
        }
        if name == Self::GREENBERG {
            return Some(Self::Greenberg);
        }
        EmbeddingKind::ALL.into_iter().find(|kind| kind.name() == name).map(Self::Kind)
    }

    /// Every name that needs no path.
    pub(super) fn known() -> Vec<String> {
        let kinds = EmbeddingKind::ALL.into_iter().map(Self::Kind);
        let constructions = ConstructionKind::ALL.into_iter().map(|kind| Self::Tao(Some(kind)));
        let of_the_notes = ClassicConstruction::ALL.iter().map(|own| Self::Classic(Some(own)));
        let tao = [Self::Tao(None)].into_iter().chain(constructions);
        let classic = [Self::Classic(None)].into_iter().chain(of_the_notes);
        kinds.chain(tao).chain([Self::Greenberg]).chain(classic).map(|name| name.to_string()).collect()
    }
}

impl fmt::Display for EmbeddingName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(kind) => kind.fmt(formatter),
            Self::File(path) => write!(formatter, "{}{path}", Self::FILE_PREFIX),
            Self::Launcher(entry) => write!(formatter, "{}:{}", entry.format, entry.file),
            Self::Tao(None) => formatter.write_str(Self::TAO),
            Self::Tao(Some(kind)) => write!(formatter, "{}{kind}", Self::TAO_PREFIX),
            Self::Classic(None) => formatter.write_str(Self::COURSE),
            Self::Classic(Some(kind)) => write!(formatter, "{}{kind}", Self::COURSE_PREFIX),
            Self::Greenberg => formatter.write_str(Self::GREENBERG),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_display_as_they_are_written() {
        for name in [
            "standard",
            "xor",
            "byweight",
            "gray",
            "optimal",
            "file:a/b.csv",
            "tao",
            "tao:simple-reduction",
            "cs838",
            "cs838:snake",
            "greenberg",
        ] {
            assert_eq!(EmbeddingName::with_name(name).unwrap().to_string(), name);
        }
        assert_eq!(EmbeddingName::with_name("file:"), None);
        assert_eq!(EmbeddingName::with_name("xors"), None);
        assert_eq!(EmbeddingName::with_name("cs838:"), None);
    }
}
