//! Expansion factors and reduction factors: lists of lists of lengths, and the search for them.
//!
//! Every search is deterministic: it has the same outcome on every run, equal lengths taken in order.

use std::collections::BTreeSet;
use std::ops::Range;

use cubefold_topology::Length;

use super::radix::RadixBase;

/// A list of lists `V = (V_1, .., V_k)` (Tao 1988, definitions 3.4.1 and 3.4.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Factor {
    pub(super) lists: Vec<(Range<usize>, RadixBase)>, // each with the range of its components among all
    pub(super) components: Vec<Length>,               // of all lists, the first list's first; each at least 2
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

    pub(super) fn lengths(&self) -> Vec<u64> {
        self.components.iter().map(|length| length.get()).collect()
    }
}

impl std::fmt::Display for Factor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lists: Vec<Vec<u64>> = self.lists.iter().map(|(_, list)| list.plain()).collect();
        write!(formatter, "{lists:?}")
    }
}

/// Groups all of `parts` so that the product of group `i` is `wholes[i]` and every group is accepted; each
/// group lists positions in `parts`, ascending. `None` if there is no such grouping.
///
/// `accepts` is called with a whole and the lengths of its group. Of several groupings the result is the first,
/// in which earlier wholes take as many of the first lengths as possible.
///
/// # Complexity
///
/// A grouping of the first wholes leaves a sublist of `parts`, equal lengths not distinguished, from which it can
/// be continued or not; sublists that cannot are remembered. A list of lengths with a product of at most 2^32
/// has at most 5760 different sublists (of `2^4 3^2 4^2 5 6 .. 11`), so at most that many are tried, each with
/// at most that many first groups.
pub(super) fn partition(
    wholes: &[u64],
    parts: &[u64],
    accepts: &dyn Fn(u64, &[u64]) -> bool,
) -> Option<Vec<Vec<usize>>> {
    let mut values = vec![];
    for part in parts {
        if !values.contains(part) {
            values.push(*part);
        }
    }
    let count = |value: &u64| parts.iter().filter(|part| *part == value).count();
    let left = Sublist { counts: values.iter().map(count).collect() };
    let mut search =
        FactorSearch { wholes, values: &values, accepts, exhausted: BTreeSet::new(), groups: vec![] };
    search.complete(&left).then(|| search.positions(parts))
}

/// The number of each distinct length.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Sublist {
    counts: Vec<usize>,
}

/// A search for a grouping, whole by whole.
struct FactorSearch<'a> {
    wholes: &'a [u64],
    values: &'a [u64], // the distinct lengths, in order of appearance
    accepts: &'a dyn Fn(u64, &[u64]) -> bool,
    exhausted: BTreeSet<Sublist>, // remainders that cannot be grouped; the product determines the wholes left
    groups: Vec<Sublist>,         // of the first wholes
}

impl FactorSearch<'_> {
    /// Appends groups for the wholes that have none yet, using up the remaining lengths; returns whether there are any.
    fn complete(&mut self, left: &Sublist) -> bool {
        let Some(&whole) = self.wholes.get(self.groups.len()) else {
            return left.counts.iter().all(|&count| count == 0);
        };
        if self.exhausted.contains(left) {
            return false;
        }
        let mut found = vec![];
        let mut chosen = Sublist { counts: vec![0; self.values.len()] };
        self.collect_groups(left, 0, whole, &mut chosen, &mut found);
        for group in found {
            if !(self.accepts)(whole, &self.lengths(&group)) {
                continue;
            }
            let counts = left.counts.iter().zip(&group.counts).map(|(all, taken)| all - taken).collect();
            self.groups.push(group);
            if self.complete(&Sublist { counts }) {
                return true;
            }
            self.groups.pop();
        }
        self.exhausted.insert(left.clone());
        false
    }

    /// All sublists of the remainder whose product is `rest`, from distinct length number `from` on, those with many
    /// earlier lengths first.
    fn collect_groups(
        &self,
        left: &Sublist,
        from: usize,
        rest: u64,
        chosen: &mut Sublist,
        found: &mut Vec<Sublist>,
    ) {
        if rest == 1 {
            found.push(chosen.clone());
            return;
        }
        let Some(&value) = self.values.get(from) else { return };
        let fits = |count: &u32| value.checked_pow(*count).is_some_and(|power| rest.is_multiple_of(power));
        let most =
            (0..=32).take_while(fits).last().unwrap_or(0).min(u32::try_from(left.counts[from]).unwrap_or(32));
        for count in (0..=most).rev() {
            chosen.counts[from] = count as usize;
            self.collect_groups(left, from + 1, rest / value.pow(count), chosen, found);
        }
        chosen.counts[from] = 0;
    }

    /// The lengths of a sublist, in order of appearance.
    fn lengths(&self, group: &Sublist) -> Vec<u64> {
        let repeated = self.values.iter().zip(&group.counts);
        repeated.flat_map(|(&value, &count)| std::iter::repeat_n(value, count)).collect()
    }

    fn positions(&self, parts: &[u64]) -> Vec<Vec<usize>> {
        let mut free = FreePositions::new(parts.len());
        let take = |group: &Sublist| {
            let lengths = self.lengths(group).into_iter();
            let mut positions: Vec<usize> =
                lengths.filter_map(|length| free.take(|at| parts[at] == length)).collect();
            positions.sort_unstable();
            positions
        };
        self.groups.iter().map(take).collect()
    }
}

/// Whether a list is (2) or can be put in an order of two lengths or more, the first even: the condition of theorem
/// 3.4.1 (c), with errata C4.
pub(super) fn can_be_even_first(list: &[u64]) -> bool {
    list == [2] || (list.len() > 1 && list.iter().any(|length| length.is_multiple_of(2)))
}

/// Moves the first entry of an even length before the others.
pub(super) fn put_even_first<T>(list: &mut [T], length: impl Fn(&T) -> u64) {
    if let Some(even) = list.iter().position(|entry| length(entry).is_multiple_of(2)) {
        list[..=even].rotate_right(1);
    }
}

/// The lengths over 1, in order.
pub(super) fn over_one(lengths: &[u64]) -> impl Iterator<Item = u64> {
    lengths.iter().copied().filter(|&length| length > 1)
}

pub(super) fn sorted(lengths: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut lengths: Vec<u64> = lengths.collect();
    lengths.sort_unstable();
    lengths
}

/// The free positions of a list: among equal lengths, the first free one is taken.
#[derive(Debug)]
pub(super) struct FreePositions {
    taken: Vec<bool>,
}

impl FreePositions {
    /// All positions of a list of `count`.
    pub(super) fn new(count: usize) -> Self {
        Self { taken: vec![false; count] }
    }

    /// Takes the first free position for which `fits` holds; `None` if there is none.
    pub(super) fn take(&mut self, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let found = (0..self.taken.len()).find(|&at| !self.taken[at] && fits(at))?;
        self.taken[found] = true;
        Some(found)
    }
}

/// The divisors of a number of at least 1, in ascending order.
pub(crate) fn divisors(number: u64) -> Vec<u64> {
    let small: Vec<u64> = (1..=number.isqrt()).filter(|divisor| number.is_multiple_of(*divisor)).collect();
    let large = small.iter().rev().map(|divisor| number / divisor).filter(|large| large * large > number);
    small.iter().copied().chain(large).collect()
}

/// The result of `search` under the least of the bounds under which it has one, by bisection.
///
/// `search` must be monotone: it has a result under every bound larger than one under which it has one. It is
/// called about `log2 n` times for `n` bounds.
pub(super) fn least_feasible<T>(mut bounds: Vec<u64>, mut search: impl FnMut(u64) -> Option<T>) -> Option<T> {
    bounds.sort_unstable();
    bounds.dedup();
    let mut best = search(*bounds.last()?)?;
    let (mut low, mut high) = (0, bounds.len() - 1);
    while low < high {
        let middle = low.midpoint(high);
        match search(bounds[middle]) {
            Some(found) => {
                best = found;
                high = middle;
            }
            None => low = middle + 1,
        }
    }
    Some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether there is a grouping, by trying every owner for every part.
    fn exists(wholes: &[u64], parts: &[u64]) -> bool {
        match parts {
            [] => wholes.iter().all(|&whole| whole == 1),
            [part, rest @ ..] => (0..wholes.len()).any(|owner| {
                let mut left = wholes.to_vec();
                left[owner].is_multiple_of(*part) && {
                    left[owner] /= part;
                    exists(&left, rest)
                }
            }),
        }
    }

    #[test]
    fn the_search_finds_a_grouping_whenever_there_is_one() {
        let lengths = [2, 3, 4, 6, 8, 9, 12];
        let mut lists = vec![vec![]];
        for _ in 0..4 {
            let longer: Vec<Vec<u64>> = lists
                .iter()
                .flat_map(|list: &Vec<u64>| lengths.map(|length| [list.as_slice(), &[length]].concat()))
                .collect();
            lists = longer;
            for parts in &lists {
                for wholes in [vec![parts.iter().product()], vec![12, 24], vec![6, 8, 6], vec![72, 4]] {
                    let found = partition(&wholes, parts, &|_, _| true);
                    assert_eq!(found.is_some(), exists(&wholes, parts), "{wholes:?} of {parts:?}");
                    for (whole, group) in wholes.iter().zip(found.iter().flatten()) {
                        assert_eq!(group.iter().map(|&at| parts[at]).product::<u64>(), *whole);
                    }
                }
            }
        }
    }

    #[test]
    fn the_list_with_the_most_sublists_is_searched_to_the_end() {
        let parts = [2, 2, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11];
        let product: u64 = parts.iter().product();
        assert!(product <= 1 << 32);
        let wholes = [7 * 11 * 2, 5 * 9 * 8, product / (7 * 11 * 2 * 5 * 9 * 8)];
        assert!(partition(&wholes, &parts, &|_, _| true).is_some());
        assert_eq!(partition(&wholes, &parts, &|whole, list| whole != wholes[2] || list.len() > 15), None);
    }

    #[test]
    fn every_position_is_taken_once_the_first_first() {
        let lengths = [4, 2, 4, 4];
        let mut free = FreePositions::new(lengths.len());
        let taken: Vec<_> = [4, 2, 4, 2, 4, 4].map(|length| free.take(|at| lengths[at] == length)).to_vec();
        assert_eq!(taken, [Some(0), Some(1), Some(2), None, Some(3), None]);
    }

    #[test]
    fn the_least_bound_that_works_is_found() {
        for least in 0..12 {
            let found = least_feasible(vec![7, 3, 3, 9, 1, 10], |bound| (bound >= least).then_some(bound));
            assert_eq!(found, [1, 3, 7, 9, 10].into_iter().find(|&bound| bound >= least));
        }
    }
}
