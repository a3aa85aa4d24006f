//! Parts of a sweep that run on different machines.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// One part of a divided sweep: together the parts have every run once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    part: u32, // in 1..=of
    of: u32,   // at least 1
}

/// A text that names no part of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// It is not two numbers.
    #[error("expected two numbers, such as 2/8 for the second of eight parts")]
    Form,
    /// There is no such part.
    #[error("part {part} of {of}, expected a part from 1 to the number of parts")]
    Range {
        /// The requested part.
        part: u32,
        /// The number of parts.
        of: u32,
    },
}

impl Shard {
    /// The `part`-th of `of` parts, counted from 1.
    ///
    /// # Errors
    ///
    /// If `part` is 0 or above `of`.
    pub fn new(part: u32, of: u32) -> Result<Self, ShardError> {
        if (1..=of).contains(&part) { Ok(Self { part, of }) } else { Err(ShardError::Range { part, of }) }
    }

    /// The whole sweep.
    pub const WHOLE: Self = Self { part: 1, of: 1 };

    /// Whether it has the run at this index of the sweep.
    ///
    /// Each group of `of` consecutive runs is distributed one to each part, and the next group begins with
    /// the next part: with a fixed order, a part could get all runs of one embedding.
    #[must_use]
    pub fn has(self, run: usize) -> bool {
        let (part, of) = (self.part as usize - 1, self.of as usize);
        (run % of + run / of % of) % of == part
    }

    /// Whether its journal describes the run at this index: the part's own runs, and the first of the sweep, which tells
    /// parts of different sweeps apart.
    #[must_use]
    pub fn describes(self, run: usize) -> bool {
        run == 0 || self.has(run)
    }

    /// The parts of the sweep that are missing from the given ones; empty if these divide it differently.
    pub(super) fn others_than(self, given: &[Self]) -> Vec<Self> {
        let alike = given.iter().all(|shard| shard.of == self.of);
        let parts = (1..=self.of).map(|part| Self { part, ..self });
        parts.filter(|shard| alike && !given.contains(shard)).collect()
    }

    /// Lists its runs among `count` runs, in order.
    pub fn runs(self, count: usize) -> impl Iterator<Item = usize> {
        (0..count).filter(move |&run| self.has(run))
    }

    /// Suffix of the names of its files.
    #[must_use]
    pub fn suffix(self) -> String {
        format!("part-{}-of-{}", self.part, self.of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::WHOLE {
            return formatter.write_str("the whole sweep");
        }
        write!(formatter, "part {} of {}", self.part, self.of)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let number = |text: &str| text.parse().map_err(|_| ShardError::Form);
        let (part, of) = text.split_once('/').ok_or(ShardError::Form)?;
        Self::new(number(part)?, number(of)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_in_one_part_and_parts_differ_by_one_run_at_most() {
        for of in 1..12 {
            for count in 0..60 {
                let sizes = (1..=of).map(|part| Shard::new(part, of).unwrap().runs(count).count());
                let sizes: Vec<usize> = sizes.collect();
                assert_eq!(sizes.iter().sum::<usize>(), count, "{count} runs in {of} parts");
                let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
                assert!(most - least <= 1, "{count} runs in {of} parts: {sizes:?}");
                for run in 0..count {
                    let owners = (1..=of).filter(|&part| Shard::new(part, of).unwrap().has(run)).count();
                    assert_eq!(owners, 1, "run {run} of {count} in {of} parts");
                }
            }
        }
    }

    #[test]
    fn a_part_gets_runs_of_every_embedding() {
        let of_three: Vec<usize> = Shard::new(2, 3).unwrap().runs(9).collect();
        assert_eq!(of_three, [1, 3, 8]);
        assert_eq!(of_three.iter().map(|run| run % 3).collect::<Vec<_>>(), [1, 0, 2]);
    }

    #[test]
    fn parts_are_read_as_k_of_n() {
        assert_eq!("2/8".parse(), Shard::new(2, 8));
        assert_eq!("1/1".parse(), Ok(Shard::WHOLE));
        assert_eq!("9/8".parse::<Shard>(), Err(ShardError::Range { part: 9, of: 8 }));
        assert_eq!("0/8".parse::<Shard>(), Err(ShardError::Range { part: 0, of: 8 }));
        for text in ["", "3", "a/b", "1/", "-1/2", "1/2/3"] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError::Form), "{text}");
        }
    }
}
