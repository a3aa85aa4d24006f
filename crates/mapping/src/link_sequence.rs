//! Link sequences of Jacobi methods on hypercubes (`docs/model.md` section 29.2).
//!
//! One-sided Jacobi methods let every pair of column blocks meet once in a sweep. On a d-cube that takes one
//! Hamiltonian path `D_e` of the e-cube for each `e`, as a list of dimensions. The sequences here differ in how
//! evenly neighbouring windows use the dimensions, which decides the gain of a pipelined exchange.
//!
//! `br` is from Gao & Thomas 1988; `permuted-br`, `degree-4` and `minimum-alpha` are from Royo, González & Valero-García
//! 1998.

use std::fmt;

use cubefold_derive::Words;

/// A rule for the Hamiltonian path `D_e` of every e-cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words)]
pub enum LinkSequence {
    /// Block recursive: `D_e = D_(e-1), e-1, D_(e-1)`.
    Br,
    /// As `br`, with the dimensions of every second half permuted.
    PermutedBr,
    /// Nearly all windows of four links have four dimensions.
    #[word("degree-4")]
    Degree4,
    /// The most frequent dimension is as rare as possible; up to 5 dimensions.
    MinimumAlpha,
}

/// The greatest cube with a sequence of minimum alpha.
const MAX_MINIMUM_ALPHA: u8 = 5;

/// The sequences of minimum alpha, `D_1` first.
const MINIMUM_ALPHA: [&str; MAX_MINIMUM_ALPHA as usize] =
    ["0", "010", "0102101", "010203212303121", "0102010301021412321230323414323"];

/// A sequence that is not defined for a cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{sequence} of {dimensions} dimensions, expected 1 to {greatest}")]
pub struct LinkSequenceError {
    /// The sequence.
    pub sequence: LinkSequence,
    /// The number of dimensions found.
    pub dimensions: u8,
    /// The greatest number of dimensions.
    pub greatest: u8,
}

impl LinkSequence {
    /// The greatest number of dimensions: sequences have `2^e - 1` links.
    #[must_use]
    pub fn most_dimensions(self) -> u8 {
        match self {
            Self::MinimumAlpha => MAX_MINIMUM_ALPHA,
            Self::Br | Self::PermutedBr | Self::Degree4 => 24,
        }
    }

    /// The sequence `D_e`: `2^e - 1` dimensions below `e`, along which a walk visits every node of the e-cube once.
    ///
    /// # Errors
    ///
    /// When `e` is 0 or above [`most_dimensions`](Self::most_dimensions).
    ///
    /// ```
    /// use cubefold_mapping::LinkSequence;
    ///
    /// assert_eq!(LinkSequence::Br.path(3), Ok(vec![0, 1, 0, 2, 0, 1, 0]));
    /// ```
    pub fn path(self, dimensions: u8) -> Result<Vec<u8>, LinkSequenceError> {
        let greatest = self.most_dimensions();
        if !(1..=greatest).contains(&dimensions) {
            return Err(LinkSequenceError { sequence: self, dimensions, greatest });
        }
        Ok(match self {
            Self::Br => recursive(vec![0], 1..dimensions),
            Self::PermutedBr => permuted(dimensions),
            Self::Degree4 if dimensions < 4 => recursive(vec![0], 1..dimensions),
            Self::Degree4 => {
                let half = recursive(vec![0, 1, 2, 3, 0, 1, 2], 4..dimensions);
                [&half[..], &[1], &half].concat()
            }
            Self::MinimumAlpha => {
                MINIMUM_ALPHA[usize::from(dimensions) - 1].bytes().map(|digit| digit - b'0').collect()
            }
        })
    }

    /// The sweep of a d-cube: for `e = d .. 1` the path `D_e` and link `e - 1`, at last link `d - 1`;
    /// `2^(d+1) - 1` dimensions.
    ///
    /// # Errors
    ///
    /// As for [`path`](Self::path).
    pub fn sweep(self, dimensions: u8) -> Result<Vec<u8>, LinkSequenceError> {
        let mut links = self.path(dimensions)?;
        links.push(dimensions - 1);
        for smaller in (1..dimensions).rev() {
            links.extend(self.path(smaller)?);
            links.push(smaller - 1);
        }
        links.push(dimensions - 1);
        Ok(links)
    }
}

impl fmt::Display for LinkSequence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// `E_j = E_(j-1), j, E_(j-1)` for each `j` in order, from the first sequence on.
fn recursive(first: Vec<u8>, links: std::ops::Range<u8>) -> Vec<u8> {
    links.fold(first, |half, link| [&half[..], &[link], &half].concat())
}

/// `H(e, 0)` of section 29.2: the second half of level `k` has its lowest `floor((e-1) / 2^k)` dimensions reversed.
fn permuted(dimensions: u8) -> Vec<u8> {
    let reversed_links = |level: u8| (dimensions - 1).checked_shr(level.into()).unwrap_or(0);
    (1..dimensions).fold(vec![0], |half, link| {
        let reversed = reversed_links(dimensions - 1 - link);
        let permute = |&entry: &u8| if entry < reversed { reversed - 1 - entry } else { entry };
        let second: Vec<u8> = half.iter().map(permute).collect();
        [&half[..], &[link], &second].concat()
    })
}

/// The multiplicity of the most frequent dimension in each window of up to `width` stages of a pipeline,
/// the windows of prologue and epilogue included (section 29.1): `stages + width - 1` numbers.
///
/// # Panics
///
/// When a dimension is 32 or above.
pub fn window_alphas(stages: &[u8], width: usize) -> impl Iterator<Item = u32> {
    let mut counts = [0_u32; 32];
    (0..stages.len() + width.max(1) - 1).map(move |step| {
        if let Some(&entering) = stages.get(step) {
            counts[usize::from(entering)] += 1;
        }
        if let Some(&leaving) = step.checked_sub(width.max(1)).and_then(|before| stages.get(before)) {
            counts[usize::from(leaving)] -= 1;
        }
        counts.iter().copied().max().unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn every_path_visits_every_node_once() {
        for sequence in LinkSequence::ALL {
            for dimensions in 1..=sequence.most_dimensions().min(14) {
                let path = sequence.path(dimensions).unwrap();
                let mut nodes: Vec<u32> = path
                    .iter()
                    .scan(0_u32, |node, &link| {
                        *node ^= 1 << link;
                        Some(*node)
                    })
                    .collect();
                nodes.push(0);
                nodes.sort_unstable();
                assert!(nodes.into_iter().eq(0..1 << dimensions), "{sequence} of {dimensions}");
            }
        }
    }

    #[test]
    fn the_most_frequent_dimensions_are_those_of_the_literature() {
        let alpha = |sequence: LinkSequence, dimensions| {
            let path = sequence.path(dimensions).unwrap();
            window_alphas(&path, path.len()).max().unwrap()
        };
        let permuted = [5, 8, 14, 24, 44, 68, 132, 232, 456, 776, 1544];
        for (dimensions, expected) in (4..).zip(permuted) {
            assert_eq!(alpha(LinkSequence::PermutedBr, dimensions), expected);
            assert_eq!(alpha(LinkSequence::Br, dimensions), 1 << (dimensions - 1));
            assert_eq!(alpha(LinkSequence::Degree4, dimensions), (1 << (dimensions - 2)) + 1);
        }
        for dimensions in 1..=MAX_MINIMUM_ALPHA {
            let least = ((1_u32 << dimensions) - 1).div_ceil(dimensions.into());
            assert_eq!(alpha(LinkSequence::MinimumAlpha, dimensions), least);
        }
    }

    #[test]
    fn all_but_four_windows_of_four_of_degree_4_have_four_dimensions() {
        for dimensions in 4..=12 {
            let path = LinkSequence::Degree4.path(dimensions).unwrap();
            let is_even = |window: &&[u8]| window.iter().collect::<BTreeSet<_>>().len() == 4;
            assert_eq!(path.windows(4).filter(|window| !is_even(window)).count(), 4);
        }
    }

    /// Along a path every node exchanges its second block; along a division the lower half keeps the first blocks
    /// and the upper half the second ones.
    #[test]
    fn every_pair_of_blocks_meets_once_in_a_sweep() {
        for sequence in LinkSequence::ALL {
            for dimensions in 1..=sequence.most_dimensions().min(6) {
                let mut blocks: Vec<[u32; 2]> =
                    (0..1 << dimensions).map(|node| [2 * node, 2 * node + 1]).collect();
                let mut meetings = BTreeMap::<[u32; 2], u32>::new();
                let mut meet = |blocks: &[[u32; 2]]| {
                    for &[one, other] in blocks {
                        *meetings.entry([one.min(other), one.max(other)]).or_default() += 1;
                    }
                };
                for part in (1..=dimensions).rev() {
                    meet(&blocks);
                    for &link in &sequence.path(part).unwrap() {
                        let before = blocks.clone();
                        for (node, pair) in blocks.iter_mut().enumerate() {
                            pair[1] = before[node ^ (1 << link)][1];
                        }
                        meet(&blocks);
                    }
                    let before = blocks.clone();
                    let bit = 1_usize << (part - 1);
                    for (node, pair) in blocks.iter_mut().enumerate() {
                        let partner = before[node ^ bit];
                        *pair = if node & bit == 0 { [pair[0], partner[0]] } else { [partner[1], pair[1]] };
                    }
                }
                meet(&blocks);
                let count = 1 << (dimensions + 1);
                assert_eq!(meetings.len(), count * (count - 1) / 2, "{sequence} of {dimensions}");
                assert!(meetings.values().all(|&times| times == 1), "{sequence} of {dimensions}");
                assert_eq!(sequence.sweep(dimensions).unwrap().len(), count - 1);
            }
        }
    }

    #[test]
    fn cubes_without_a_sequence_are_refused() {
        assert_eq!(
            LinkSequence::MinimumAlpha.path(6).unwrap_err().to_string(),
            "minimum-alpha of 6 dimensions, expected 1 to 5"
        );
        assert!(LinkSequence::Br.path(0).is_err());
    }
}
