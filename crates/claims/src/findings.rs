//! The cases that measure claims, and the combined findings of all cases.

use std::{collections::BTreeMap, fmt};

use crate::claim::{CheckedClaim, Claim, Trial, Verdict};

/// The extent of a verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// A run of seconds.
    Quick,
    /// A run of minutes.
    Full,
}

impl Scope {
    /// The first extent in a quick verification, the second in a full one.
    pub(super) fn quick_or_full<T>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

/// A case of some claims: measures, and adds what it finds.
pub(super) type Case = Box<dyn Fn(&mut Findings) + Send + Sync>;

/// A case for each item.
pub(super) fn for_each<T: Clone + Send + Sync + 'static>(
    items: impl IntoIterator<Item = T>,
    check: impl Fn(T, &mut Findings) + Clone + Send + Sync + 'static,
) -> Vec<Case> {
    let case = |item: T| -> Case {
        let check = check.clone();
        Box::new(move |findings| check(item.clone(), findings))
    };
    items.into_iter().map(case).collect()
}

/// The trials of all claims so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    by_claim: BTreeMap<Claim, Found>,
}

/// The trials of one claim.
#[derive(Debug, Default)]
struct Found {
    stated: Tally,
    reading: Tally, // of the erratum
}

/// A summary of some trials.
#[derive(Debug, Default)]
struct Tally {
    cases: u64,
    worst: Option<Trial>,
    is_only_a_bound: bool,  // in some case
    broken: Option<String>, // the first case in which the promise is broken
}

impl Findings {
    /// Adds a trial of a claim; if that is misprinted, of the printed statement.
    pub(super) fn add(&mut self, claim: Claim, trial: Trial, case: &dyn fmt::Display) {
        self.by_claim.entry(claim).or_default().stated.add(trial, case);
    }

    /// Adds a trial of the reading of a misprinted claim that holds.
    pub(super) fn add_reading(&mut self, claim: Claim, trial: Trial, case: &dyn fmt::Display) {
        self.by_claim.entry(claim).or_default().reading.add(trial, case);
    }

    /// The value of a result; without one, adds a case in which nothing could be measured.
    pub(super) fn or_fail<T>(
        &mut self,
        claim: Claim,
        case: &dyn fmt::Display,
        result: Result<T, impl fmt::Display>,
    ) -> Option<T> {
        result.map_err(|error| self.fail(claim, case, &error)).ok()
    }

    /// Adds a trial of a claim, or the reason why nothing could be measured.
    pub(super) fn try_add(
        &mut self,
        claim: Claim,
        trial: Result<Trial, impl fmt::Display>,
        case: &dyn fmt::Display,
    ) {
        if let Some(trial) = self.or_fail(claim, case, trial) {
            self.add(claim, trial, case);
        }
    }

    /// Adds a case in which nothing could be measured, for a reason.
    pub(super) fn fail(&mut self, claim: Claim, case: &dyn fmt::Display, reason: &dyn fmt::Display) {
        let found = self.by_claim.entry(claim).or_default();
        let tally = if claim.erratum.is_some() { &mut found.reading } else { &mut found.stated };
        tally.cases += 1;
        tally.broken.get_or_insert_with(|| format!("{case}: {reason}"));
    }

    /// Adds the findings of later cases.
    pub(super) fn append(&mut self, later: Self) {
        for (claim, found) in later.by_claim {
            let known = self.by_claim.entry(claim).or_default();
            known.stated.append(found.stated);
            known.reading.append(found.reading);
        }
    }

    /// The outcome of a claim.
    pub(super) fn checked(&self, part: &'static str, claim: Claim) -> CheckedClaim {
        let nothing = Found::default();
        let found = self.by_claim.get(&claim).unwrap_or(&nothing);
        let verdict = found.verdict(claim);
        CheckedClaim {
            part,
            source: claim.source,
            claim: claim.text,
            cases: found.stated.cases + found.reading.cases,
            promised: found.stated.worst.map(|trial| trial.promised),
            worst: found.stated.worst.map(|trial| trial.measured),
            verdict,
            erratum: claim.erratum,
            failure: (verdict == Verdict::Fails).then(|| found.failure(claim)),
        }
    }
}

impl Found {
    fn verdict(&self, claim: Claim) -> Verdict {
        match claim.erratum {
            None if !self.stated.holds() => Verdict::Fails,
            None if self.stated.is_only_a_bound => Verdict::Bounded,
            None => Verdict::Holds,
            Some(_) if self.stated.broken.is_some() && self.reading.holds() => Verdict::FailsAsPrinted,
            Some(_) => Verdict::Fails,
        }
    }

    fn failure(&self, claim: Claim) -> String {
        let tally = if claim.erratum.is_some() { &self.reading } else { &self.stated };
        match &tally.broken {
            Some(broken) => broken.clone(),
            None if tally.cases == 0 => "no case was tried".to_owned(),
            None => "the printed statement was not measured to fail".to_owned(),
        }
    }
}

impl Tally {
    fn holds(&self) -> bool {
        self.cases > 0 && self.broken.is_none()
    }

    fn add(&mut self, trial: Trial, case: &dyn fmt::Display) {
        self.cases += 1;
        self.is_only_a_bound |= trial.is_only_a_bound();
        if !trial.is_kept() {
            let (promised, measured) = (trial.promised, trial.measured);
            self.broken.get_or_insert_with(|| format!("{case}: {promised} promised, {measured} measured"));
        }
        self.keep_worse(trial);
    }

    fn append(&mut self, later: Self) {
        self.cases += later.cases;
        self.is_only_a_bound |= later.is_only_a_bound;
        if self.broken.is_none() {
            self.broken = later.broken;
        }
        if let Some(trial) = later.worst {
            self.keep_worse(trial);
        }
    }

    fn keep_worse(&mut self, trial: Trial) {
        if self.worst.is_none_or(|worst| trial.is_worse_than(&worst)) {
            self.worst = Some(trial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Claim = Claim::new("a", "b");
    const MISPRINTED: Claim = Claim::misprinted("a", "c", "A0");

    fn verdict(claim: Claim, stated: &[Trial], reading: &[Trial]) -> Verdict {
        let mut findings = Findings::default();
        for &trial in stated {
            findings.add(claim, trial, &"case");
        }
        for &trial in reading {
            findings.add_reading(claim, trial, &"case");
        }
        findings.checked("part", claim).verdict
    }

    #[test]
    fn a_claim_holds_is_only_a_bound_or_fails() {
        assert_eq!(verdict(PLAIN, &[Trial::equal(2, 2)], &[]), Verdict::Holds);
        assert_eq!(verdict(PLAIN, &[Trial::stated(4, 4), Trial::stated(4, 2)], &[]), Verdict::Bounded);
        assert_eq!(verdict(PLAIN, &[Trial::stated(4, 2), Trial::equal(4, 2)], &[]), Verdict::Fails);
        assert_eq!(verdict(PLAIN, &[], &[]), Verdict::Fails);
    }

    #[test]
    fn a_misprint_must_be_measured_to_fail_and_its_reading_to_hold() {
        let (kept, broken) = (Trial::at_most(2, 2), Trial::at_most(2, 3));
        assert_eq!(verdict(MISPRINTED, &[kept, broken], &[kept]), Verdict::FailsAsPrinted);
        assert_eq!(verdict(MISPRINTED, &[kept], &[kept]), Verdict::Fails);
        assert_eq!(verdict(MISPRINTED, &[broken], &[kept, broken]), Verdict::Fails);
        assert_eq!(verdict(MISPRINTED, &[broken], &[]), Verdict::Fails);
    }

    #[test]
    fn findings_appended_in_any_grouping_come_to_the_same() {
        let trials = [Trial::at_most(3, 1), Trial::at_most(4, 4), Trial::at_most(2, 2), Trial::at_most(4, 3)];
        let of = |trials: &[Trial]| {
            let mut findings = Findings::default();
            for &trial in trials {
                findings.add(PLAIN, trial, &"case");
            }
            findings
        };
        let mut halves = of(&trials[..2]);
        halves.append(of(&trials[2..]));
        assert_eq!(halves.checked("part", PLAIN), of(&trials).checked("part", PLAIN));
        assert_eq!(halves.checked("part", PLAIN).worst, Some(4.into()));
    }
}
