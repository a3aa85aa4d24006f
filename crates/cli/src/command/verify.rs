//! `cubefold verify`: the claims of the papers, each measured.

use cubefold_claims::{CheckedClaim, Scope, Verdict, Verification};
use cubefold_records::{ClaimRecord, Document};
use cubefold_runs::Progress;

use super::execution;
use crate::{
    ExitCode,
    arguments::{SharedOptions, VerifyOptions},
    failure::Failure,
    format::{OutputFormat, ResultFormat, write_records},
    output::{Output, say},
    progress_bar::{Work, watch},
    table::{Detail, Page, verify_table},
};

pub(super) fn verify(options: &VerifyOptions, shared: &SharedOptions) -> Result<ExitCode, Failure> {
    let format = ResultFormat::decide(options.format, shared.output())?;
    options.tables.check::<ClaimRecord>(format, &[])?;
    let output = Output::open(shared, &[])?;
    let scope = if options.quick { Scope::Quick } else { Scope::Full };
    let verification = Verification::new(scope, options.only.as_deref().unwrap_or_default());
    if verification.is_empty() {
        let only = options.only.as_deref().unwrap_or_default();
        if let Some(reason) = Verification::unmeasured(only) {
            say(&format!("note: {reason}; docs/errata.md and docs/verify.md say more"));
            let none = std::iter::empty::<std::io::Result<ClaimRecord>>;
            write_records(output, (format, &options.tables), Document::VERIFY, &[], none, || {
                Ok(Page::default())
            })?;
            return Ok(ExitCode::Done);
        }
        return Err(Failure::usage(
            format!(
                "no claim has {only:?} in its section, source or words, and no erratum or theorem that number"
            ),
            "cubefold verify --format csv lists the claims",
        ));
    }
    let (pool, progress) = (execution::pool(shared.resources().threads)?, Progress::default());
    let run = || pool.install(|| verification.run(&progress));
    let claims = watch(shared, Work::of(verification.total(), "cases"), &progress, run);
    let written: Vec<ClaimRecord> = claims.iter().map(CheckedClaim::record).collect();
    let detail = if options.only.is_some() { Detail::EveryClaim } else { Detail::Exceptions };
    let page = || Ok(verify_table(&claims, format, detail));
    write_records(output, (format, &options.tables), Document::VERIFY, &[], || written.iter().map(Ok), page)?;
    Ok(report(&claims))
}

/// Reports the failed claims, each with its first failed case.
fn report(claims: &[CheckedClaim]) -> ExitCode {
    let failing = claims.iter().filter(|claim| claim.verdict == Verdict::Fails);
    let mut code = ExitCode::Done;
    for CheckedClaim { source, claim, failure, .. } in failing {
        let failure = failure.as_deref().unwrap_or_default();
        say(&format!("error: {source} fails ({claim}): {failure}"));
        code = ExitCode::ClaimFails;
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn claim(verdict: Verdict) -> CheckedClaim {
        CheckedClaim {
            part: "part",
            source: "source",
            claim: "claim",
            cases: 1,
            promised: None,
            worst: None,
            verdict,
            erratum: None,
            failure: None,
        }
    }

    const GOOD: [CheckedClaim; 3] =
        [claim(Verdict::Holds), claim(Verdict::Bounded), claim(Verdict::FailsAsPrinted)];

    #[test]
    fn a_claim_that_fails_is_the_exit_code_3_wherever_it_stands() {
        for place in 0..=GOOD.len() {
            let mut claims = GOOD.to_vec();
            claims.insert(place, claim(Verdict::Fails));
            assert_eq!((report(&claims), report(&claims).number()), (ExitCode::ClaimFails, 3));
        }
    }

    #[test]
    fn every_other_verdict_is_done() {
        assert_eq!(report(&GOOD), ExitCode::Done);
        assert_eq!(report(&[]).number(), 0);
    }
}
