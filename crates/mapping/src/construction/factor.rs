//! Expansion factors and reduction factors: lists of lists of lengths.

use std::ops::Range;

use super::length::Length;
use super::radix_base::RadixBase;

/// A list of lists `V = (V_1, .., V_k)` (Tao 1988, definitions 3.4.1 and 3.4.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Factor {
    lists: Vec<(Range<usize>, RadixBase)>, // each with the range of its components among all
    components: Vec<Length>,               // all components, the first list's first; each at least 2
}

impl Factor {
    /// The factor of these lists, none of them empty.
    pub(super) fn new(lists: &[Vec<u64>]) -> Self {
        let with_ranges = lists.iter().scan(0, |end, list| {
            let start = *end;
            *end += list.len();
            Some((start..*end, RadixBase::new(list)))
        });
        Self { lists: with_ranges.collect(), components: Length::all(&lists.concat()) }
    }

    /// The factor whose lists are the lengths at these positions.
    pub(super) fn of_groups(groups: &[Vec<usize>], lengths: &[u64]) -> Self {
        let list = |group: &Vec<usize>| group.iter().map(|&at| lengths[at]).collect();
        Self::new(&groups.iter().map(list).collect::<Vec<_>>())
    }

    /// `count` times a list of `times` times `component`.
    pub(super) fn uniform(count: usize, times: usize, component: u64) -> Self {
        Self::new(&vec![vec![component; times]; count])
    }

    /// All components in order: the concatenation of the lists.
    pub(super) fn components(&self) -> &[Length] {
        &self.components
    }

    /// All components as plain numbers.
    pub(super) fn lengths(&self) -> Vec<u64> {
        self.components.iter().map(|length| length.get()).collect()
    }

    /// The lists, each with the range of its components among all.
    pub(super) fn lists(&self) -> &[(Range<usize>, RadixBase)] {
        &self.lists
    }
}

impl std::fmt::Display for Factor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lists: Vec<Vec<u64>> = self.lists.iter().map(|(_, list)| list.plain()).collect();
        write!(formatter, "{lists:?}")
    }
}
