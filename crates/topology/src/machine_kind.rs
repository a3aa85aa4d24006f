//! The names under which machines are asked for.

use std::fmt;

use crate::Wrap;

/// A family of machines (`docs/model.md` section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MachineKind {
    /// The mesh of one dimension.
    Line,
    /// The torus of one dimension.
    Ring,
    /// No dimension wraps, unless it is said to.
    Mesh,
    /// Every dimension wraps, unless it is said not to.
    Torus,
    /// All lengths are 2.
    Hypercube,
}

impl MachineKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Line, Self::Ring, Self::Mesh, Self::Torus, Self::Hypercube];

    /// The word for it in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Ring => "ring",
            Self::Mesh => "mesh",
            Self::Torus => "torus",
            Self::Hypercube => "hypercube",
        }
    }

    /// How its dimensions wrap unless it is said otherwise.
    #[must_use]
    pub fn wrap(self) -> Wrap {
        match self {
            Self::Ring | Self::Torus => Wrap::Around,
            Self::Line | Self::Mesh | Self::Hypercube => Wrap::Open,
        }
    }
}

impl fmt::Display for MachineKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
