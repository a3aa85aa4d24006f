//! A claim of a paper as `cubefold verify` writes it, and its columns.

use serde::Serialize;

use super::column::{Cell, Column, Record, Row};
use crate::records::definition::{Definition, Kind};

/// One claim of a paper with its measurement (`docs/verify.md`).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClaimRecord {
    /// Its place in the paper, such as "Tao 4.5.4".
    pub source: &'static str,
    /// The claim in plain words.
    pub claim: &'static str,
    /// Number of cases in which it was tested.
    pub cases: u64,
    /// The value promised in the worst case.
    pub promised: Option<Figure>,
    /// The value measured in the worst case.
    pub worst: Option<Figure>,
    /// `holds`, `bounded`, `fails-as-printed` or `fails`.
    pub verdict: &'static str,
    /// The erratum, if the printed statement fails.
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

/// Columns of a claim.
pub(crate) static CLAIM: &[Column<ClaimRecord>] = &[
    Column {
        definition: Definition {
            name: "source",
            title: "source",
            kind: Kind::Text,
            text: "The place of the claim: Tao 4.5.4 is theorem 4.5.4 of Tao 1988, or its section.",
            source: "docs/verify.md",
            ..Definition::BLANK
        },
        value: |claim| claim.source.into(),
    },
    Column {
        definition: Definition {
            name: "claim",
            title: "claim",
            kind: Kind::Text,
            text: "The claim of the paper, in plain words.",
            source: "docs/verify.md",
            ..Definition::BLANK
        },
        value: |claim| claim.claim.into(),
    },
    Column {
        definition: Definition {
            name: "cases",
            title: "cases",
            kind: Kind::Natural,
            unit: "cases",
            text: "The number of cases in which the claim was tried.",
            source: "docs/verify.md",
            ..Definition::BLANK
        },
        value: |claim| claim.cases.into(),
    },
    Column {
        definition: Definition {
            name: "promised",
            title: "promised",
            kind: Kind::Decimal,
            text: "The value that the claim promises in the worst case: the one in which the \
                  measured value is largest in proportion, or the promise is broken.",
            source: "docs/verify.md",
            ..Definition::BLANK
        },
        value: |claim| claim.promised.map(Figure::cell).into(),
    },
    Column {
        definition: Definition {
            name: "worst",
            title: "worst",
            kind: Kind::Decimal,
            text: "The value measured in the worst case.",
            source: "docs/verify.md",
            ..Definition::BLANK
        },
        value: |claim| claim.worst.map(Figure::cell).into(),
    },
    Column {
        definition: Definition {
            name: "verdict",
            title: "verdict",
            kind: Kind::Text,
            text: "The claim holds, is bounded (an upper bound that is not always reached), \
                  fails-as-printed (see its erratum) or fails.",
            source: "docs/verify.md",
            ..Definition::BLANK
        },
        value: |claim| claim.verdict.into(),
    },
    Column {
        definition: Definition {
            name: "erratum",
            title: "erratum",
            kind: Kind::Text,
            text: "The entry of the errata on a claim that fails as printed.",
            source: "docs/errata.md",
            ..Definition::BLANK
        },
        value: |claim| claim.erratum.into(),
    },
];
