//! A claim as `cubefold verify` writes it.

use serde::Serialize;

use crate::{CheckedClaim, Quantity};

/// One claim of a paper with what was measured (`docs/verify.md`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimRecord {
    /// Where it stands, such as "Tao 4.5.4".
    pub source: &'static str,
    /// What it says, in plain words.
    pub claim: &'static str,
    /// In how many cases it was tried.
    pub cases: u64,
    /// The value promised in the worst case.
    pub promised: Option<Quantity>,
    /// The value measured in the worst case.
    pub worst: Option<Quantity>,
    /// `holds`, `bounded`, `fails-as-printed` or `fails`.
    pub verdict: &'static str,
    /// The erratum that tells of a printed statement that fails.
    pub erratum: Option<&'static str>,
}

impl ClaimRecord {
    /// The record of a claim that was tried.
    #[must_use]
    pub fn new(claim: &CheckedClaim) -> Self {
        Self {
            source: claim.source,
            claim: claim.claim,
            cases: claim.cases,
            promised: claim.promised,
            worst: claim.worst,
            verdict: claim.verdict.name(),
            erratum: claim.erratum,
        }
    }
}
