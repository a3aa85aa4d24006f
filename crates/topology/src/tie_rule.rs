//! Which way a message goes when both ways round are equally long.

use std::fmt;

/// What decides between two equally long ways round a wrapping dimension (`docs/model.md` section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TieRule {
    /// The way that does not use the wraparound link. Default; it is how González et al. 1995 get null
    /// load at nodes `0` and `2^d - 1`.
    #[default]
    Direct,
    /// Always `+`.
    Positive,
    /// Always `-`.
    Negative,
}

impl TieRule {
    /// Every rule, the default first.
    pub const ALL: [Self; 3] = [Self::Direct, Self::Positive, Self::Negative];

    /// The word for it in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Positive => "positive",
            Self::Negative => "negative",
        }
    }
}

impl fmt::Display for TieRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
