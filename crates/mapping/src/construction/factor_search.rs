//! The search for factors: lengths grouped so that the products of the groups are given.

use std::collections::BTreeSet;

use super::free_positions::FreePositions;

/// Groups all of `parts` so that the product of group `i` is `wholes[i]` and every group is accepted; each
/// group lists positions in `parts`, ascending. None when there is no such grouping.
///
/// `accepts` is told a whole and the lengths of its group. Of several groupings the first one is found in
/// which earlier wholes have as many as possible of the lengths that appear first; equal lengths are taken in
/// order, so the outcome is always the same.
///
/// # Complexity
///
/// A grouping of the first wholes leaves a sublist of `parts`, equal lengths not told apart, from which it can
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
    let mut search = Search { wholes, values: &values, accepts, dead: BTreeSet::new(), groups: vec![] };
    search.continues(&left).then(|| search.positions(parts))
}

/// How many of each distinct length.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Sublist {
    counts: Vec<usize>,
}

struct Search<'a> {
    wholes: &'a [u64],
    values: &'a [u64], // the distinct lengths, in order of appearance
    accepts: &'a dyn Fn(u64, &[u64]) -> bool,
    dead: BTreeSet<Sublist>, // what is left over cannot be grouped; the wholes left follow from its product
    groups: Vec<Sublist>,    // of the first wholes
}

impl Search<'_> {
    /// Whether the wholes that have no group yet can be made of what is left; if so, their groups are there.
    fn continues(&mut self, left: &Sublist) -> bool {
        let Some(&whole) = self.wholes.get(self.groups.len()) else {
            return left.counts.iter().all(|&count| count == 0);
        };
        if self.dead.contains(left) {
            return false;
        }
        let mut found = vec![];
        let mut chosen = Sublist { counts: vec![0; self.values.len()] };
        self.collect_groups(left, 0, whole, &mut chosen, &mut found);
        for group in found {
            if !(self.accepts)(whole, &self.lengths(&group)) {
                continue;
            }
            let counts = left.counts.iter().zip(&group.counts).map(|(all, own)| all - own).collect();
            self.groups.push(group);
            if self.continues(&Sublist { counts }) {
                return true;
            }
            self.groups.pop();
        }
        self.dead.insert(left.clone());
        false
    }

    /// All sublists of what is left whose product is `rest`, from distinct length number `from` on, with many of
    /// the earlier lengths first.
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

    fn lengths(&self, group: &Sublist) -> Vec<u64> {
        let repeated = self.values.iter().zip(&group.counts);
        repeated.flat_map(|(&value, &count)| std::iter::repeat_n(value, count)).collect()
    }

    /// The groups as positions.
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

/// The even-first condition of theorem 3.4.1 (c), with errata C4.
pub(super) mod evenness {
    /// Whether a list is (2) or can be put in an order of two lengths or more, the first even.
    pub(in super::super) fn can_be_first(list: &[u64]) -> bool {
        list == [2] || (list.len() > 1 && list.iter().any(|length| length.is_multiple_of(2)))
    }

    /// Moves the first position of an even length before the others.
    pub(in super::super) fn put_first(group: &mut [usize], lengths: &[u64]) {
        if let Some(even) = group.iter().position(|&at| lengths[at].is_multiple_of(2)) {
            group[..=even].rotate_right(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first grouping found by trying every owner for every part.
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
}
