//! Saved figures of an earlier benchmark, and their comparison with new ones.

use std::fmt;

use serde::Deserialize;

use super::{Figures, Size};
use crate::records::{BenchRecord, Document};

/// Saved figures of an earlier benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedSet {
    /// The version of the program that was measured.
    pub cubefold: String,
    /// The measured size: `quick` or `full`.
    pub size: String,
    /// The number of threads.
    pub threads: usize,
    /// The rows that were measured.
    pub rows: Vec<SavedRow>,
}

/// Saved figures of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedRow {
    /// The measured work and its size.
    pub row: String,
    /// Its least processor time over that of the baseline.
    pub ratio_to_baseline: f64,
    /// The excess of the median repetition over the least \[percent\].
    pub noise_percent: f64,
}

/// Figures that cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum SavedSetError {
    /// They are not JSON, or not of this form.
    #[error("{0}")]
    Form(#[from] serde_json::Error),
    /// The document holds something else.
    #[error("a document of the format {found:?}, expected {:?}", Document::BENCH.format)]
    Format {
        /// Its format.
        found: String,
    },
    /// The document has another version.
    #[error("version {found} of the format, expected {}", Document::VERSION)]
    Version {
        /// Its version.
        found: u64,
    },
    /// A figure is out of range.
    #[error("{row}: a ratio of {ratio} and a noise of {noise} %, expected more than 0 and at least 0")]
    Figure {
        /// The row.
        row: String,
        /// Its ratio.
        ratio: f64,
        /// Its noise \[percent\].
        noise: f64,
    },
    /// They were measured at another size.
    #[error("figures of the {found} size, expected {expected} as in this run")]
    Size {
        /// The saved size.
        found: String,
        /// The size of this run.
        expected: &'static str,
    },
    /// They were measured with another number of threads.
    #[error("figures on {found} threads, expected {expected} as in this run")]
    Threads {
        /// The saved number.
        found: usize,
        /// The number of this run.
        expected: usize,
    },
}

/// The members that say how to read the rest.
#[derive(Debug, Deserialize)]
struct Envelope {
    format: String,
    version: u64,
}

/// The part of the document that is read.
#[derive(Debug, Deserialize)]
struct Written {
    cubefold: String,
    size: String,
    threads: usize,
    rows: Vec<WrittenRow>,
}

/// A row of the document; a row that a comparison reported as missing has no figures.
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
    /// If it is not a document of this format and version, or a figure is out of range.
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

    /// Checks that the figures were measured with the settings of this run.
    ///
    /// # Errors
    ///
    /// If the size or the number of threads differs.
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

/// The least change of a row that counts, as a fraction of the saved ratio, however quiet the machine is.
const MIN_CHANGE: f64 = 0.05;

/// The figures of a row beside the saved ones.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedRow {
    /// The measured work.
    pub row: String,
    /// New figures; `None` if the program has no such row.
    pub now: Option<Figures>,
    /// Saved figures; `None` if there was no such row.
    pub saved: Option<SavedRow>,
    /// The conclusion.
    pub verdict: Verdict,
}

/// The conclusion on a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The ratio differs by no more than the noise.
    Same,
    /// The ratio is greater by more than the allowed change.
    Slower,
    /// The ratio is smaller by more than the allowed change.
    Faster,
    /// The row has no saved figures.
    New,
    /// The row has only saved figures.
    Missing,
}

impl Verdict {
    /// Its name in files.
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

/// Compares row by row: new figures in their order, then the missing rows in theirs.
///
/// A row is slower if its ratio exceeds the saved one by more than the allowed change: the sum of both
/// noises, and at least 5 %, as fractions of the saved ratio. It is faster if the saved ratio exceeds its own
/// by more than that.
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

/// The allowed change, as a fraction of the saved ratio.
fn allowed_change(now: &Figures, saved: &SavedRow) -> f64 {
    (now.noise + saved.noise_percent / 100.0).max(MIN_CHANGE)
}

impl ComparedRow {
    /// The record of the row with its comparison.
    #[must_use]
    pub fn record(&self) -> BenchRecord {
        let unmeasured = || BenchRecord { row: self.row.clone(), ..BenchRecord::default() };
        let percent = |part: f64| part * 100.0;
        BenchRecord {
            saved_ratio_to_baseline: self.saved.as_ref().map(|saved| saved.ratio_to_baseline),
            change_percent: self.change().map(percent),
            allowed_percent: self.allowed().map(percent),
            verdict: Some(self.verdict.name()),
            ..self.now.as_ref().map_or_else(unmeasured, Figures::record)
        }
    }

    /// The increase of the ratio as a fraction of the saved one; negative for a decrease. `None` unless both
    /// figures exist.
    #[must_use]
    pub fn change(&self) -> Option<f64> {
        let (now, saved) = self.now.as_ref().zip(self.saved.as_ref())?;
        Some(now.ratio / saved.ratio_to_baseline - 1.0)
    }

    /// The allowed change, as a fraction of the saved ratio. `None` unless both figures exist.
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
