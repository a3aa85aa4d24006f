//! A row of the benchmark as `cubefold bench` writes it.

use std::time::Duration;

use serde::Serialize;

use crate::benchmark::{ComparedRow, Figures};

/// The figures of a row (`docs/performance.md`), and what they are compared with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BenchRecord {
    /// What was measured, and its size.
    pub row: String,
    /// The least processor time; none of a row that is missing.
    pub cpu_milliseconds: Option<f64>,
    /// The least time on the wall.
    pub wall_milliseconds: Option<f64>,
    /// The least processor time over that of the baseline.
    pub ratio_to_baseline: Option<f64>,
    /// How far a usual repetition lies above the least.
    pub noise_percent: Option<f64>,
    /// The saved ratio; none of a new row, or without a comparison.
    pub saved_ratio_to_baseline: Option<f64>,
    /// By how much the ratio is greater than the saved one.
    pub change_percent: Option<f64>,
    /// By how much they may differ.
    pub allowed_percent: Option<f64>,
    /// `same`, `slower`, `faster`, `new` or `missing`; none without a comparison.
    pub verdict: Option<&'static str>,
}

impl BenchRecord {
    /// The record of a row that is compared with nothing.
    #[must_use]
    pub fn new(figures: &Figures) -> Self {
        Self {
            cpu_milliseconds: Some(milliseconds(figures.cpu)),
            wall_milliseconds: Some(milliseconds(figures.wall)),
            ratio_to_baseline: Some(figures.ratio),
            noise_percent: Some(percent(figures.noise)),
            ..Self::unmeasured(figures.row.clone())
        }
    }

    /// The record of a row with its comparison.
    #[must_use]
    pub fn compared(row: &ComparedRow) -> Self {
        let measured = row.now.as_ref().map_or_else(|| Self::unmeasured(row.row.clone()), Self::new);
        Self {
            saved_ratio_to_baseline: row.saved.as_ref().map(|saved| saved.ratio_to_baseline),
            change_percent: row.change().map(percent),
            allowed_percent: row.allowed().map(percent),
            verdict: Some(row.verdict.name()),
            ..measured
        }
    }

    fn unmeasured(row: String) -> Self {
        Self {
            row,
            cpu_milliseconds: None,
            wall_milliseconds: None,
            ratio_to_baseline: None,
            noise_percent: None,
            saved_ratio_to_baseline: None,
            change_percent: None,
            allowed_percent: None,
            verdict: None,
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn percent(part: f64) -> f64 {
    part * 100.0
}
