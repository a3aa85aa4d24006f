//! How much memory runs need, found out before they start.

use cubefold_mapping::PlacementMetrics;
use cubefold_simulator::StageRecord;

use crate::{runner::execution, scenario::Run};

/// Whether the records of all processes and stages are kept for rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepRecords {
    /// They are.
    Yes,
    /// They are not.
    No,
}

/// More memory than there is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("run {run} of {scenario:?} with {embedding} needs about {needed}, expected at most {limit}")]
pub struct MemoryError {
    /// The scenario's name.
    pub scenario: String,
    /// The place of the run in the results, counted from 0.
    pub run: usize,
    /// Its embedding.
    pub embedding: String,
    /// What it needs.
    pub needed: Bytes,
    /// What there is.
    pub limit: Bytes,
}

/// A number of bytes, displayed in units of 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl std::fmt::Display for Bytes {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
        let unit = (0..UNITS.len()).rev().find(|&unit| self.0 >> (10 * unit) > 0).unwrap_or(0);
        let tenths = (u128::from(self.0) * 10) >> (10 * unit);
        match unit {
            0 => write!(formatter, "{} bytes", self.0),
            unit => write!(formatter, "{}.{} {}", tenths / 10, tenths % 10, UNITS[unit]),
        }
    }
}

/// Bytes to run, roughly: the engine and the metrics are not at work at the same time.
#[must_use]
pub(crate) fn bytes_to_run(run: &Run, keep: KeepRecords) -> u64 {
    let records = match keep {
        KeepRecords::Yes => run.program.pair_count().saturating_mul(size_of::<StageRecord>() as u64),
        KeepRecords::No => 0,
    };
    run.program
        .bytes_to_simulate(&run.placement, run.communication, &execution(run))
        .max(PlacementMetrics::bytes_to_measure(&run.placement))
        .saturating_add(records)
}

/// How many of the runs, whose needs are given, may be at work at once so that any of them fit `limit`
/// together, at most `threads`; an error names the first that does not fit alone.
///
/// # Errors
///
/// The place and need of the first run that needs more than the limit.
pub(crate) fn runs_at_once(needs: &[u64], threads: usize, limit: u64) -> Result<usize, (usize, u64)> {
    if let Some(run) = needs.iter().position(|&need| need > limit) {
        return Err((run, needs[run]));
    }
    let mut largest = needs.to_vec();
    largest.sort_unstable_by(|a, b| b.cmp(a));
    let fitting = largest.iter().scan(0_u64, |sum, &need| {
        *sum = sum.saturating_add(need);
        Some(*sum)
    });
    Ok(fitting.take(threads).take_while(|&sum| sum <= limit).count().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_runs_go_at_once_as_any_choice_of_them_fits() {
        assert_eq!(runs_at_once(&[10, 50, 30], 4, 100), Ok(3));
        assert_eq!(runs_at_once(&[10, 50, 30], 2, 100), Ok(2));
        assert_eq!(runs_at_once(&[60, 50, 30], 4, 100), Ok(1));
        assert_eq!(runs_at_once(&[60, 150, 30], 4, 100), Err((1, 150)));
    }

    #[test]
    fn bytes_read_as_people_say_them() {
        let texts = [0, 1023, 1536, 5 << 30].map(|bytes| Bytes(bytes).to_string());
        assert_eq!(texts, ["0 bytes", "1023 bytes", "1.5 KiB", "5.0 GiB"]);
    }
}
