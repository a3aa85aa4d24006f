//! The search for a general reduction (Tao 1988, definition 3.4.6).

use std::collections::BTreeSet;

use super::factor_search::{evenness, partition};
use super::free_positions::FreePositions;
use super::least::least_feasible;
use super::simple_reduction::ratios;

/// The most partial choices that one search looks at before it gives up.
pub(super) const MAX_STATES: usize = 1 << 17;

/// Multiplicand and multiplier sublists with a reduction factor, as positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GeneralReduction {
    /// The guest dimensions of the multiplicand sublist, then those of the multiplier sublist: `alpha`.
    pub(super) guest_order: Vec<usize>,
    /// The host dimension made of each multiplicand, those with a component of `S` first.
    pub(super) host_order: Vec<usize>,
    /// `S`: for each multiplier the components, as host dimensions.
    pub(super) groups: Vec<Vec<usize>>,
    /// The component at each host dimension, 1 where there is none.
    pub(super) multipliers: Vec<u64>,
    /// Whether every list of `S` is (2) or, of two components or more, starts with an even one.
    pub(super) even_first: bool,
}

/// The outcome of a search.
pub(super) enum Found {
    Reduction(GeneralReduction),
    Nothing,
    GivenUp,
}

/// A general reduction with the least largest component; of those, when `prefer_even`, one of even-first lists
/// (errata C4) if there is any.
///
/// Every host dimension in turn is given a guest length that divides it, equal lengths not told apart; the
/// quotients over 1 must group into the guest lengths that are left over. Partial choices that cannot be
/// continued are remembered by the lengths and quotients that they leave, and after [`MAX_STATES`] of them the
/// search gives up: a reduction with a larger component, or none, is then returned.
pub(super) fn search(guest: &[u64], host: &[u64], prefer_even: bool) -> Found {
    let mut states = 0;
    let mut under = |most, even_first| {
        let mut search =
            Search { guest, host, most, even_first, states, dead: BTreeSet::new(), chosen: vec![] };
        let found = search.continues(&mut guest.to_vec(), &mut vec![]);
        states = search.states;
        found.map(|groups| search.reduction(groups))
    };
    let Some(found) = least_feasible(ratios(guest, host), |most| under(most, false)) else {
        return if states < MAX_STATES { Found::Nothing } else { Found::GivenUp };
    };
    let least = found.multipliers.iter().copied().max().unwrap_or(1);
    let even = if prefer_even { under(least, true) } else { None };
    Found::Reduction(even.unwrap_or(found))
}

struct Search<'a> {
    guest: &'a [u64],
    host: &'a [u64],
    most: u64, // the largest component allowed
    even_first: bool,
    states: usize, // partial choices seen so far, by this search and those before
    dead: BTreeSet<(Vec<u64>, Vec<u64>)>, // guest lengths left and quotients, both sorted
    chosen: Vec<u64>, // the multiplicand of each host dimension so far
}

/// The lengths of the multiplier sublist with the positions of the groups among the quotients over 1.
type Groups = (Vec<u64>, Vec<Vec<usize>>);

impl Search<'_> {
    /// Gives every host dimension from the next one on a multiplicand.
    fn continues(&mut self, left: &mut Vec<u64>, quotients: &mut Vec<u64>) -> Option<Groups> {
        let Some(&whole) = self.host.get(self.chosen.len()) else {
            return self.groups(left, quotients);
        };
        let key = sorted(left, quotients);
        if self.states >= MAX_STATES || self.dead.contains(&key) {
            return None;
        }
        self.states += 1;
        let mut tried = vec![];
        for at in 0..left.len() {
            let length = left[at];
            if tried.contains(&length) || !whole.is_multiple_of(length) || whole / length > self.most {
                continue;
            }
            tried.push(length);
            left.remove(at);
            self.chosen.push(length);
            quotients.push(whole / length);
            if let Some(found) = self.continues(left, quotients) {
                return Some(found);
            }
            quotients.pop();
            self.chosen.pop();
            left.insert(at, length);
        }
        self.dead.insert(key);
        None
    }

    /// Groups the quotients over 1 into the multipliers: more than there are multipliers, so that some dimension
    /// is really expanded (errata C1).
    fn groups(&self, multipliers: &[u64], quotients: &[u64]) -> Option<Groups> {
        let components = over_one(quotients);
        if components.len() <= multipliers.len() {
            return None;
        }
        let accepts = |_, list: &[u64]| !self.even_first || evenness::can_be_first(list);
        let groups = partition(multipliers, &components, &accepts)?;
        Some((multipliers.to_vec(), groups))
    }

    /// The finished choice as positions.
    fn reduction(&self, (multipliers, groups): Groups) -> GeneralReduction {
        let quotients: Vec<u64> =
            self.host.iter().zip(&self.chosen).map(|(whole, part)| whole / part).collect();
        let expanded: Vec<usize> = (0..self.host.len()).filter(|&at| quotients[at] > 1).collect();
        let on_host = |group: Vec<usize>| group.into_iter().map(|at| expanded[at]).collect();
        let mut groups: Vec<Vec<usize>> = groups.into_iter().map(on_host).collect();
        if self.even_first {
            for group in &mut groups {
                evenness::put_first(group, &quotients);
            }
        }
        let plain = (0..self.host.len()).filter(|&at| quotients[at] == 1);
        let host_order: Vec<usize> = groups.iter().flatten().copied().chain(plain).collect();
        let wanted = host_order.iter().map(|&at| self.chosen[at]).chain(multipliers);
        GeneralReduction {
            guest_order: positions(self.guest, wanted),
            host_order,
            groups,
            multipliers: quotients,
            even_first: self.even_first,
        }
    }
}

/// What is left to choose from, whatever the order.
fn sorted(left: &[u64], quotients: &[u64]) -> (Vec<u64>, Vec<u64>) {
    let (mut left, mut quotients) = (left.to_vec(), over_one(quotients));
    left.sort_unstable();
    quotients.sort_unstable();
    (left, quotients)
}

fn over_one(quotients: &[u64]) -> Vec<u64> {
    quotients.iter().copied().filter(|&quotient| quotient > 1).collect()
}

/// The position of each wanted length, equal ones in order.
fn positions(lengths: &[u64], wanted: impl Iterator<Item = u64>) -> Vec<usize> {
    let mut free = FreePositions::new(lengths.len());
    wanted.filter_map(|length| free.take(|at| lengths[at] == length)).collect()
}
