//! A claim as `cubefold verify` writes it.

use cubefold_experiment::export::ClaimRecord;

use crate::CheckedClaim;

impl CheckedClaim {
    /// The record of the claim.
    #[must_use]
    pub fn record(&self) -> ClaimRecord {
        ClaimRecord {
            source: self.source,
            claim: self.claim,
            cases: self.cases,
            promised: self.promised.map(Into::into),
            worst: self.worst.map(Into::into),
            verdict: self.verdict.name(),
            erratum: self.erratum,
        }
    }
}
