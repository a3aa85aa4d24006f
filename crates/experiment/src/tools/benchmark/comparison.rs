//! Figures that an earlier benchmark saved, and those of now against them.

use std::fmt;

use serde::Deserialize;

use super::{Figures, Size};
use crate::records::Document;

/// What an earlier benchmark saved.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedSet {
    /// The version of the program that was measured.
    pub cubefold: String,
    /// The amount that was measured: `quick` or `full`.
    pub size: String,
    /// The number of threads.
    pub threads: usize,
    /// The rows that were measured.
    pub rows: Vec<SavedRow>,
}

/// The saved figures of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedRow {
    /// What was measured, and its size.
    pub row: String,
    /// Its least processor time over that of the baseline.
    pub ratio_to_baseline: f64,
    /// The excess of a usual repetition over the least \[percent\].
    pub noise_percent: f64,
}

/// Why figures cannot be compared with.
#[derive(Debug, thiserror::Error)]
pub enum SavedSetError {
    /// They are no JSON, or not of this form.
    #[error("{0}")]
    Form(#[from] serde_json::Error),
    /// It is a document of something else.
    #[error("a document of the format {found:?}, expected {:?}", Document::BENCH.format)]
    Format {
        /// Its format.
        found: String,
    },
    /// It is a document of another version.
    #[error("version {found} of the format, expected {}", Document::VERSION)]
    Version {
        /// Its version.
        found: u64,
    },
    /// A figure is none.
    #[error("{row}: a ratio of {ratio} and a noise of {noise} %, expected more than 0 and at least 0")]
    Figure {
        /// The row.
        row: String,
        /// Its ratio.
        ratio: f64,
        /// Its noise \[percent\].
        noise: f64,
    },
    /// They are of another size.
    #[error("figures of the {found} size, expected {expected} as in this run")]
    Size {
        /// Theirs.
        found: String,
        /// That of the run.
        expected: &'static str,
    },
    /// They are of another number of threads.
    #[error("figures on {found} threads, expected {expected} as in this run")]
    Threads {
        /// Theirs.
        found: usize,
        /// That of the run.
        expected: usize,
    },
}

/// What says how the rest is to be read.
#[derive(Debug, Deserialize)]
struct Envelope {
    format: String,
    version: u64,
}

/// The part of the document that is needed.
#[derive(Debug, Deserialize)]
struct Written {
    cubefold: String,
    size: String,
    threads: usize,
    rows: Vec<WrittenRow>,
}

/// A row of the document; one that a comparison missed has no figures.
#[derive(Debug, Deserialize)]
struct WrittenRow {
    row: String,
    ratio_to_baseline: Option<f64>,
    noise_percent: Option<f64>,
}

impl SavedSet {
    /// Reads a document.
    ///
    /// # Errors
    ///
    /// When it is none, of another format or version, or a figure is none.
    pub fn read(text: &str) -> Result<Self, SavedSetError> {
        let Envelope { format, version } = serde_json::from_str(text)?;
        if format != Document::BENCH.format {
            return Err(SavedSetError::Format { found: format });
        }
        if version != u64::from(Document::VERSION) {
            return Err(SavedSetError::Version { found: version });
        }
        let Written { cubefold, size, threads, rows } = serde_json::from_str(text)?;
        let rows = rows.into_iter().filter_map(WrittenRow::saved).collect::<Result<_, _>>()?;
        Ok(Self { cubefold, size, threads, rows })
    }

    /// Checks that the figures were measured as those of a run are.
    ///
    /// # Errors
    ///
    /// When the size or the number of threads is another.
    pub fn check(&self, size: Size, threads: usize) -> Result<(), SavedSetError> {
        if self.size != size.name() {
            return Err(SavedSetError::Size { found: self.size.clone(), expected: size.name() });
        }
        if self.threads != threads {
            return Err(SavedSetError::Threads { found: self.threads, expected: threads });
        }
        Ok(())
    }
}

impl WrittenRow {
    fn saved(self) -> Option<Result<SavedRow, SavedSetError>> {
        let (row, ratio, noise) = (self.row, self.ratio_to_baseline?, self.noise_percent?);
        let sound = ratio > 0.0 && ratio.is_finite() && noise >= 0.0 && noise.is_finite();
        Some(if sound {
            Ok(SavedRow { row, ratio_to_baseline: ratio, noise_percent: noise })
        } else {
            Err(SavedSetError::Figure { row, ratio, noise })
        })
    }
}

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

    /// A document with these parts.
    fn document(format: &str, version: u32, rows: &str) -> String {
        format!(
            r#"{{ "format": "{format}", "version": {version}, "cubefold": "0.0.9", "size": "full", "threads": 1,
                "baseline_cpu_milliseconds": 30.5, "rows": [{rows}] }}"#
        )
    }

    fn reported(text: &str) -> String {
        SavedSet::read(text).unwrap_err().to_string()
    }

    #[test]
    fn rows_are_read_with_what_is_needed_of_them_and_missing_ones_left_out() {
        let rows = r#"{ "row": "a", "cpu_milliseconds": 1.5, "ratio_to_baseline": 0.25, "noise_percent": 3 },
            { "row": "b", "ratio_to_baseline": null, "noise_percent": null, "verdict": "missing" }"#;
        let set = SavedSet::read(&document("cubefold-bench", 1, rows)).unwrap();
        let row = SavedRow { row: "a".to_owned(), ratio_to_baseline: 0.25, noise_percent: 3.0 };
        assert_eq!((set.rows.as_slice(), set.cubefold.as_str()), (&[row][..], "0.0.9"));
    }

    #[test]
    fn other_documents_versions_and_figures_are_refused() {
        assert_eq!(
            reported(&document("cubefold-results", 1, "")),
            "a document of the format \"cubefold-results\", expected \"cubefold-bench\""
        );
        assert_eq!(reported(&document("cubefold-bench", 2, "")), "version 2 of the format, expected 1");
        assert!(reported("[1, 2]").starts_with("invalid"));
        assert!(reported(r#"{ "format": "cubefold-bench", "version": 1 }"#).starts_with("missing field"));
        for (ratio, noise) in [("0", "1"), ("-2", "1"), ("1", "-1"), ("1e999", "1")] {
            let row = format!(r#"{{ "row": "a", "ratio_to_baseline": {ratio}, "noise_percent": {noise} }}"#);
            assert!(SavedSet::read(&document("cubefold-bench", 1, &row)).is_err(), "{row}");
        }
    }

    #[test]
    fn figures_of_another_size_or_number_of_threads_are_refused() {
        let set = SavedSet::read(&document("cubefold-bench", 1, "")).unwrap();
        assert!(set.check(Size::Full, 1).is_ok());
        let reported = |size, threads| set.check(size, threads).unwrap_err().to_string();
        assert_eq!(reported(Size::Quick, 1), "figures of the full size, expected quick as in this run");
        assert_eq!(reported(Size::Full, 2), "figures on 1 threads, expected 2 as in this run");
    }

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
        let reported: Vec<_> = rows.iter().map(|row| (row.row.as_str(), row.verdict)).collect();
        assert_eq!(reported, [("b", Verdict::New), ("a", Verdict::Slower), ("c", Verdict::Missing)]);
        assert_eq!(rows.iter().map(ComparedRow::change).collect::<Vec<_>>(), [None, Some(1.0), None]);
        assert_eq!(rows.iter().map(ComparedRow::allowed).collect::<Vec<_>>(), [None, Some(0.05), None]);
    }
}
