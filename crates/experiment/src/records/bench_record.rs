//! A row of the benchmark as `cubefold bench` writes it, and its columns.

use serde::Serialize;

use super::column::{Column, Record, Row};
use crate::records::definition::{Definition, Kind};

/// The figures of a row (`docs/performance.md`), and their comparison.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct BenchRecord {
    /// The measured work and its size.
    pub row: String,
    /// The least processor time; `None` if the row is missing.
    pub cpu_milliseconds: Option<f64>,
    /// The least wall time.
    pub wall_milliseconds: Option<f64>,
    /// The ratio of the least processor time to that of the baseline.
    pub ratio_to_baseline: Option<f64>,
    /// The excess of the median repetition over the least.
    pub noise_percent: Option<f64>,
    /// The saved ratio; `None` for a new row or without a comparison.
    pub saved_ratio_to_baseline: Option<f64>,
    /// The increase of the ratio over the saved one.
    pub change_percent: Option<f64>,
    /// The allowed difference.
    pub allowed_percent: Option<f64>,
    /// `same`, `slower`, `faster`, `new` or `missing`; `None` without a comparison.
    pub verdict: Option<&'static str>,
}

impl Record for BenchRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(BENCH, record);
    }
}

/// Columns of a benchmark row.
pub(crate) static BENCH: &[Column<BenchRecord>] = &[
    Column {
        definition: Definition {
            name: "row",
            title: "row",
            kind: Kind::Text,
            text: "The measured work, with the size of the machine or the number of runs.",
            source: "docs/performance.md",
            ..Definition::BLANK
        },
        value: |own| (&own.row).into(),
    },
    Column {
        definition: Definition {
            name: "cpu_milliseconds",
            title: "cpu ms",
            kind: Kind::Decimal,
            unit: "milliseconds",
            text: "The least processor time of the row's work, over all repetitions.",
            source: "docs/performance.md",
            ..Definition::BLANK
        },
        value: |own| own.cpu_milliseconds.into(),
    },
    Column {
        definition: Definition {
            name: "wall_milliseconds",
            title: "wall ms",
            kind: Kind::Decimal,
            unit: "milliseconds",
            text: "The least wall time, over all repetitions.",
            source: "docs/performance.md",
            ..Definition::BLANK
        },
        value: |own| own.wall_milliseconds.into(),
    },
    Column {
        definition: Definition {
            name: "ratio_to_baseline",
            title: "ratio",
            kind: Kind::Decimal,
            unit: "ratio",
            text: "The least processor time of the row over that of a fixed loop that is measured \
                  in turn with it, so that machines can be compared.",
            formula: "cpu / cpu of the baseline",
            source: "docs/performance.md",
            ..Definition::BLANK
        },
        value: |own| own.ratio_to_baseline.into(),
    },
    Column {
        definition: Definition {
            name: "noise_percent",
            title: "noise %",
            aliases: &["noise"],
            kind: Kind::Decimal,
            unit: "per cent",
            text: "The excess of the median repetition over the least one, of the row and of the \
                   baseline together.",
            source: "docs/performance.md",
            ..Definition::BLANK
        },
        value: |own| own.noise_percent.into(),
    },
    Column {
        definition: Definition {
            name: "saved_ratio_to_baseline",
            title: "saved",
            kind: Kind::Decimal,
            unit: "ratio",
            text: "The ratio of the saved figures.",
            source: "docs/performance.md",
            ..Definition::BLANK
        },
        value: |own| own.saved_ratio_to_baseline.into(),
    },
    Column {
        definition: Definition {
            name: "change_percent",
            title: "change %",
            aliases: &["change"],
            kind: Kind::Decimal,
            unit: "per cent",
            text: "The increase of the ratio over the saved one.",
            formula: "100 * (ratio / saved - 1)",
            source: "docs/performance.md",
        },
        value: |own| own.change_percent.into(),
    },
    Column {
        definition: Definition {
            name: "allowed_percent",
            title: "allowed %",
            aliases: &["allowed"],
            kind: Kind::Decimal,
            unit: "per cent",
            text: "The largest increase of the ratio over the saved one before the row counts as \
                   slower: the noise of both, and at least 5.",
            formula: "max(5, noise now + noise saved)",
            source: "docs/performance.md",
        },
        value: |own| own.allowed_percent.into(),
    },
    Column {
        definition: Definition { name: "verdict", kind: Kind::Text, ..Definition::BLANK },
        value: |own| own.verdict.into(),
    },
];
