//! What the papers claim, and what was found of it.

use std::fmt;

use super::trial::Quantity;

/// A statement of a paper that can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Claim {
    /// Where it stands.
    pub(super) source: &'static str,
    /// What it says, in plain words.
    pub(super) text: &'static str,
    /// The erratum that calls the printed statement false; it is measured beside the reading that holds.
    pub(super) erratum: Option<&'static str>,
}

impl Claim {
    /// A statement that holds as it is read here.
    pub(super) const fn new(source: &'static str, text: &'static str) -> Self {
        Self { source, text, erratum: None }
    }

    /// A printed statement that fails.
    pub(super) const fn misprinted(source: &'static str, text: &'static str, erratum: &'static str) -> Self {
        Self { source, text, erratum: Some(erratum) }
    }
}

/// What measuring a claim came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// In every case.
    Holds,
    /// It states a value, which is measured to be an upper bound only (part B of `docs/errata.md`).
    Bounded,
    /// The printed statement fails, and the reading of the erratum holds in every case.
    FailsAsPrinted,
    /// It fails in some case, or an erratum does, or there was no case.
    Fails,
}

impl Verdict {
    /// The word for it in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Bounded => "bounded",
            Self::FailsAsPrinted => "fails-as-printed",
            Self::Fails => "fails",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A claim with what was found of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedClaim {
    /// The part of the work that it belongs to, such as "Tao 1988, 4.5: data routing".
    pub part: &'static str,
    /// Where it stands, such as "Tao 4.5.4".
    pub source: &'static str,
    /// What it says, in plain words.
    pub claim: &'static str,
    /// In how many cases it was tried, those of an erratum's reading included.
    pub cases: u64,
    /// The value promised in the worst case; of an erratum, the printed one. None without a case.
    pub promised: Option<Quantity>,
    /// The value measured in the worst case. None without a case.
    pub worst: Option<Quantity>,
    /// What it came to.
    pub verdict: Verdict,
    /// The erratum that tells of a printed statement that fails.
    pub erratum: Option<&'static str>,
    /// Why the verdict is [`Verdict::Fails`]: the first case that contradicts it.
    pub failure: Option<String>,
}
