//! Figures of now against figures that were saved.

use std::fmt;

use super::{Figures, SavedRow};

/// The least part of the saved ratio by which a row must differ, however quiet the machine.
const MIN_CHANGE: f64 = 0.05;

/// What a row came to, beside what was saved.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedRow {
    /// What is measured.
    pub row: String,
    /// What was measured now; none when the program has no such row.
    pub now: Option<Figures>,
    /// What was saved; none when there was no such row.
    pub saved: Option<SavedRow>,
    /// What follows.
    pub verdict: Verdict,
}

/// What a comparison says of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The ratio is as it was, or differs by no more than the noise.
    Same,
    /// The ratio is greater by more than is allowed.
    Slower,
    /// The ratio is smaller by more than is allowed.
    Faster,
    /// There are no saved figures of it.
    New,
    /// There are saved figures of it only.
    Missing,
}

impl Verdict {
    /// The word for it in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::New => "new",
            Self::Missing => "missing",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Compares row by row: those of now in their order, then the missing ones in theirs.
///
/// A row is slower when its ratio exceeds the saved one by more than is allowed: the noise of both together, and at
/// least 5 %, as parts of the saved ratio. It is faster when the saved ratio exceeds its own by as much.
#[must_use]
pub fn compare(now: &[Figures], saved: &[SavedRow]) -> Vec<ComparedRow> {
    let with_saved = |figures: &Figures| {
        let saved = saved.iter().find(|saved| saved.row == figures.row);
        let verdict = saved.map_or(Verdict::New, |saved| verdict(figures, saved));
        ComparedRow { row: figures.row.clone(), now: Some(figures.clone()), saved: saved.cloned(), verdict }
    };
    let missing = saved.iter().filter(|saved| now.iter().all(|figures| figures.row != saved.row));
    let alone = |saved: &SavedRow| ComparedRow {
        row: saved.row.clone(),
        now: None,
        saved: Some(saved.clone()),
        verdict: Verdict::Missing,
    };
    now.iter().map(with_saved).chain(missing.map(alone)).collect()
}

fn verdict(now: &Figures, saved: &SavedRow) -> Verdict {
    let allowed = 1.0 + allowed_change(now, saved);
    if now.ratio > saved.ratio_to_baseline * allowed {
        Verdict::Slower
    } else if saved.ratio_to_baseline > now.ratio * allowed {
        Verdict::Faster
    } else {
        Verdict::Same
    }
}

/// The part by which the ratios may differ.
fn allowed_change(now: &Figures, saved: &SavedRow) -> f64 {
    (now.noise + saved.noise_percent / 100.0).max(MIN_CHANGE)
}

impl ComparedRow {
    /// By which part of the saved ratio the ratio is greater; negative when it is smaller. None unless the row is
    /// on both sides.
    #[must_use]
    pub fn change(&self) -> Option<f64> {
        let (now, saved) = self.now.as_ref().zip(self.saved.as_ref())?;
        Some(now.ratio / saved.ratio_to_baseline - 1.0)
    }

    /// By which part the ratios may differ. None unless the row is on both sides.
    #[must_use]
    pub fn allowed(&self) -> Option<f64> {
        self.now.as_ref().zip(self.saved.as_ref()).map(|(now, saved)| allowed_change(now, saved))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn now(row: &str, ratio: f64, noise: f64) -> Figures {
        let time = Duration::from_millis(7);
        Figures { row: row.to_owned(), cpu: time, wall: time, ratio, noise }
    }

    fn saved(row: &str, ratio: f64, noise_percent: f64) -> SavedRow {
        SavedRow { row: row.to_owned(), ratio_to_baseline: ratio, noise_percent }
    }

    /// The verdict on one row, by ratios and noises in percent.
    fn verdict_on((ratio, noise): (f64, f64), (saved_ratio, saved_noise): (f64, f64)) -> Verdict {
        let rows = compare(&[now("a", ratio, noise / 100.0)], &[saved("a", saved_ratio, saved_noise)]);
        assert_eq!(rows.len(), 1);
        rows[0].verdict
    }

    #[test]
    fn a_row_is_slower_when_it_exceeds_the_saved_ratio_by_more_than_both_noises() {
        assert_eq!(verdict_on((11.2, 4.0), (10.0, 7.0)), Verdict::Slower);
        assert_eq!(verdict_on((11.0, 4.0), (10.0, 7.0)), Verdict::Same);
        assert_eq!(verdict_on((11.2, 4.0), (10.0, 9.0)), Verdict::Same);
        assert_eq!(verdict_on((11.2, 6.0), (10.0, 7.0)), Verdict::Same);
    }

    #[test]
    fn less_than_five_percent_is_never_slower() {
        assert_eq!(verdict_on((10.4, 0.0), (10.0, 0.0)), Verdict::Same);
        assert_eq!(verdict_on((10.6, 0.0), (10.0, 0.0)), Verdict::Slower);
    }

    #[test]
    fn faster_is_slower_with_the_sides_exchanged() {
        assert_eq!(verdict_on((10.0, 4.0), (11.2, 7.0)), Verdict::Faster);
        assert_eq!(verdict_on((10.0, 4.0), (11.0, 7.0)), Verdict::Same);
    }

    #[test]
    fn rows_of_one_side_only_are_new_or_missing_and_have_no_change() {
        let rows =
            compare(&[now("b", 1.0, 0.0), now("a", 2.0, 0.0)], &[saved("c", 1.0, 0.0), saved("a", 1.0, 0.0)]);
        let told: Vec<_> = rows.iter().map(|row| (row.row.as_str(), row.verdict)).collect();
        assert_eq!(told, [("b", Verdict::New), ("a", Verdict::Slower), ("c", Verdict::Missing)]);
        assert_eq!(rows.iter().map(ComparedRow::change).collect::<Vec<_>>(), [None, Some(1.0), None]);
        assert_eq!(rows.iter().map(ComparedRow::allowed).collect::<Vec<_>>(), [None, Some(0.05), None]);
    }
}
