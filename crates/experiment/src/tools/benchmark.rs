//! The regression benchmark of `cubefold bench`: a fixed set of scenarios, measured so that two versions of
//! the program can be compared.
//!
//! Each row measures one part of the program, and its result is checked each time: a fast wrong answer is an
//! error. Figures are processor time, and its ratio to that of a fixed [`Baseline`] that is measured in
//! alternation with the rows; `docs/performance.md` says why. No simulation result depends on these clocks.

mod baseline;
mod comparison;
mod measurement;
mod row;

pub use baseline::{Baseline, Elapsed, Stopwatch};
pub use comparison::{ComparedRow, SavedRow, SavedSet, SavedSetError, Verdict, compare};
pub use measurement::{BenchmarkError, Figures, Measurement};
pub use row::Size;

use crate::{
    runs::{KeepRecords, Resources, RunError, check_runs},
    scenario::{Run, ScenarioErrors},
};
use row::{Prepared, Row};

/// All rows, ready to be measured.
#[derive(Debug)]
pub struct Benchmark {
    rows: Vec<Prepared>,
    size: Size,
}

impl Benchmark {
    /// Reads the built-in scenarios.
    ///
    /// # Errors
    ///
    /// If one of them is invalid: a defect of the program.
    pub fn new(size: Size) -> Result<Self, ScenarioErrors> {
        let rows = Row::ALL.iter().map(|row| Prepared::new(*row, size)).collect::<Result<_, _>>()?;
        Ok(Self { rows, size })
    }

    /// Keeps the rows whose names contain `only`.
    pub fn keep_only(&mut self, only: &str) {
        self.rows.retain(|row| row.name().contains(only));
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Checks that every row fits in memory.
    ///
    /// # Errors
    ///
    /// The first run that is refused.
    pub fn check(&self, resources: Resources) -> Result<(), RunError> {
        let runs: Vec<&Run> = self.rows.iter().flat_map(Prepared::runs).collect();
        check_runs(&runs, resources, KeepRecords::No).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_name_of_its_own() {
        for size in [Size::Quick, Size::Full] {
            let mut names: Vec<String> =
                Benchmark::new(size).unwrap().rows.iter().map(|row| row.name().to_owned()).collect();
            names.sort();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        }
    }

    #[test]
    fn every_row_comes_to_what_it_must_in_both_sizes() {
        let rows = [Size::Quick, Size::Full].into_iter().flat_map(|size| Benchmark::new(size).unwrap().rows);
        let wrong: Vec<String> =
            rows.filter_map(|row| row.work().err()).map(|error| error.to_string()).collect();
        assert_eq!(wrong, [] as [&str; 0]);
    }

    #[test]
    fn rows_on_belts_come_to_what_they_come_to_hop_by_hop() {
        let rows = [Size::Quick, Size::Full].into_iter().flat_map(|size| Benchmark::new(size).unwrap().rows);
        // The larger ones are only feasible on belts.
        let belts: Vec<Prepared> =
            rows.filter(|row| row.name().starts_with("belt/") && row.nodes() <= 1 << 16).collect();
        assert_eq!(belts.len(), 6 + 2);
        for row in belts {
            row.hop_by_hop().work().unwrap();
        }
    }
}
