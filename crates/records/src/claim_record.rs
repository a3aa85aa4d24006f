//! A claim of a paper as `cubefold verify` writes it, and its columns.

use cubefold_derive::Columns;
use serde::Serialize;

use super::column::{Cell, Record, Row};

/// One claim of a paper with its measurement (`docs/verify.md`).
#[derive(Debug, Clone, PartialEq, Serialize, Columns)]
#[columns(CLAIM, source = "docs/verify.md")]
pub struct ClaimRecord {
    /// The place of the claim: Tao 4.5.4 is theorem 4.5.4 of Tao 1988, or its section.
    #[column("source")]
    pub source: &'static str,
    /// The claim of the paper, in plain words.
    #[column("claim")]
    pub claim: &'static str,
    /// The number of cases in which the claim was tried.
    #[column("cases", unit = "cases")]
    pub cases: u64,
    /// The value that the claim promises in the worst case: the one in which the measured value is largest in
    /// proportion, or the promise is broken.
    #[column("promised", kind = Decimal, value = |claim| claim.promised.map(Figure::cell).into())]
    pub promised: Option<Figure>,
    /// The value measured in the worst case.
    #[column("worst", kind = Decimal, value = |claim| claim.worst.map(Figure::cell).into())]
    pub worst: Option<Figure>,
    /// The claim holds, is bounded (an upper bound that is not always reached), fails-as-printed (see its erratum)
    /// or fails.
    #[column("verdict")]
    pub verdict: &'static str,
    /// The entry of the errata on a claim that fails as printed.
    #[column("erratum", source = "docs/errata.md")]
    pub erratum: Option<&'static str>,
}

/// A value of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Figure {
    /// A whole number.
    Whole(u64),
    /// The floating-point number nearest to a fraction.
    Fraction(f64),
}

impl Figure {
    fn cell(self) -> Cell<'static> {
        match self {
            Self::Whole(number) => number.into(),
            Self::Fraction(number) => number.into(),
        }
    }
}

impl Record for ClaimRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(CLAIM, record);
    }
}
