//! The named embeddings: rules that place a d-cube on a machine, coordinate by coordinate.

mod byweight;
pub(crate) mod gray;
mod xor;

use std::fmt;

use cubefold_topology::Extent;

/// A named product embedding: coordinate `p_j` depends on field `j` of the label only
/// (`docs/model.md` section 3).
///
/// | embedding | source |
/// | --- | --- |
/// | `standard` | Matic 1990; optimal on meshes (Harper 1964) |
/// | `xor` | González & Valero 1993, sections 3 and 4 |
/// | `byweight` | Harper 1966; González & Valero 1993, 2.3 |
/// | `gray` | CS838 1999 |
/// | `optimal` | `xor` where the coordinate wraps, `standard` where it does not |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingKind {
    /// The coordinate is the field's value.
    Standard,
    /// The value with its second highest bit replaced by the exclusive or of the two highest.
    Xor,
    /// The position among all values ordered by number of ones, then by value descending.
    Byweight,
    /// The position in the binary-reflected Gray code.
    Gray,
    /// `Xor` where the coordinate wraps, `Standard` where it does not.
    Optimal,
}

impl EmbeddingKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Standard, Self::Xor, Self::Byweight, Self::Gray, Self::Optimal];

    /// The word for it in every file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Xor => "xor",
            Self::Byweight => "byweight",
            Self::Gray => "gray",
            Self::Optimal => "optimal",
        }
    }

    /// The rule that it comes to in a coordinate of this extent: never [`EmbeddingKind::Optimal`].
    fn on(self, extent: Extent) -> Self {
        match self {
            // At length 2 the two agree, so a declared wrap that adds no link changes nothing.
            Self::Optimal if extent.is_ring() => Self::Xor,
            Self::Optimal => Self::Standard,
            Self::Standard | Self::Xor | Self::Byweight | Self::Gray => self,
        }
    }

    /// The coordinate of field value `value` on an extent of length `2^bits`.
    pub(crate) fn position(self, extent: Extent, value: u32) -> u32 {
        let bits = extent.length().trailing_zeros();
        match self.on(extent) {
            Self::Standard | Self::Optimal => value,
            Self::Xor => xor::exchange(value, bits),
            Self::Byweight => byweight::position(value, bits),
            Self::Gray => gray::position(value),
        }
    }

    /// The field value at coordinate `position` on an extent of length `2^bits`: inverse of the above.
    pub(crate) fn value(self, extent: Extent, position: u32) -> u32 {
        let bits = extent.length().trailing_zeros();
        match self.on(extent) {
            Self::Standard | Self::Optimal => position,
            Self::Xor => xor::exchange(position, bits),
            Self::Byweight => byweight::value(position, bits),
            Self::Gray => gray::value(position),
        }
    }
}

impl fmt::Display for EmbeddingKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
