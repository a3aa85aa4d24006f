//! Permutations of dimensions, which go before and after the functions.

use super::free_positions::FreePositions;

/// A permutation `pi` of dimensions: `pi((i_1, .., i_k)) = (i_pi(1), .., i_pi(k))` (Tao 1988, 3.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Permutation {
    order: Vec<usize>, // every number in 0..k once: entry j is pi(j+1) - 1
}

impl Permutation {
    /// The permutation that takes its entry `j` from position `order[j]`, counted from 0.
    pub(super) fn new(order: Vec<usize>) -> Self {
        debug_assert!((0..order.len()).all(|position| order.contains(&position)));
        Self { order }
    }

    /// The permutation that rearranges one list of lengths to another, equal lengths in order; none when
    /// the lists differ by more than order.
    pub(super) fn between(from: &[u64], to: &[u64]) -> Option<Self> {
        let mut free = FreePositions::new(from.len());
        let order: Option<Vec<usize>> = to.iter().map(|&length| free.take(|at| from[at] == length)).collect();
        (from.len() == to.len()).then_some(order?).map(Self::new)
    }

    /// Whether it leaves every list as it is.
    pub(super) fn is_identity(&self) -> bool {
        self.order.iter().enumerate().all(|(position, &from)| position == from)
    }

    /// `pi(1), .., pi(k)`, counted from 1 as in the dissertation.
    pub(super) fn numbers(&self) -> Vec<usize> {
        self.order.iter().map(|position| position + 1).collect()
    }

    /// Writes `pi(list)`.
    pub(super) fn write_image(&self, list: &[u32], image: &mut [u32]) {
        for (&from, slot) in self.order.iter().zip(image) {
            *slot = list[from];
        }
    }

    /// Writes the list whose image this is.
    pub(super) fn write_origin(&self, image: &[u32], list: &mut [u32]) {
        for (&from, &value) in self.order.iter().zip(image) {
            list[from] = value;
        }
    }
}

/// The permutation between two lists that are known to differ by their order only.
#[expect(clippy::expect_used, reason = "a factor found by search has the components that were searched")]
pub(super) fn rearrangement(from: &[u64], to: &[u64]) -> Permutation {
    Permutation::between(from, to).expect("the same lengths in another order")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lengths_keep_their_order() {
        let between = |from: &[u64], to: &[u64]| Permutation::between(from, to).map(|found| found.numbers());
        assert_eq!(between(&[2, 3, 6, 2], &[6, 3, 2, 2]), Some(vec![3, 2, 1, 4]));
        assert_eq!(between(&[2, 3], &[3, 3]), None);
        assert_eq!(between(&[2, 3], &[3]), None);
    }
}
