//! Figures that an earlier benchmark saved.

use serde::Deserialize;

use super::Size;
use crate::export::Document;

/// What an earlier benchmark saved.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedSet {
    /// The version of the program that was measured.
    pub cubefold: String,
    /// How much was measured: `quick` or `full`.
    pub size: String,
    /// On how many threads.
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
    /// How far a usual repetition lay above the least \[percent\].
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A document with these parts.
    fn document(format: &str, version: u32, rows: &str) -> String {
        format!(
            r#"{{ "format": "{format}", "version": {version}, "cubefold": "0.0.9", "size": "full", "threads": 1,
                "baseline_cpu_milliseconds": 30.5, "rows": [{rows}] }}"#
        )
    }

    fn told(text: &str) -> String {
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
            told(&document("cubefold-results", 1, "")),
            "a document of the format \"cubefold-results\", expected \"cubefold-bench\""
        );
        assert_eq!(told(&document("cubefold-bench", 2, "")), "version 2 of the format, expected 1");
        assert!(told("[1, 2]").starts_with("invalid"));
        assert!(told(r#"{ "format": "cubefold-bench", "version": 1 }"#).starts_with("missing field"));
        for (ratio, noise) in [("0", "1"), ("-2", "1"), ("1", "-1"), ("1e999", "1")] {
            let row = format!(r#"{{ "row": "a", "ratio_to_baseline": {ratio}, "noise_percent": {noise} }}"#);
            assert!(SavedSet::read(&document("cubefold-bench", 1, &row)).is_err(), "{row}");
        }
    }

    #[test]
    fn figures_of_another_size_or_number_of_threads_are_refused() {
        let set = SavedSet::read(&document("cubefold-bench", 1, "")).unwrap();
        assert!(set.check(Size::Full, 1).is_ok());
        let told = |size, threads| set.check(size, threads).unwrap_err().to_string();
        assert_eq!(told(Size::Quick, 1), "figures of the full size, expected quick as in this run");
        assert_eq!(told(Size::Full, 2), "figures on 1 threads, expected 2 as in this run");
    }
}
