//! The chain of a sequential elimination for a pair of shapes (`docs/model.md` section 28.2).
//!
//! Every host dimension gets a guest dimension whose length divides its own, and the others are eliminated, the
//! last first, by vectors of factors. As many nodes as processes leave quotients whose product is that of the
//! eliminated lengths, so that, prime by prime, vectors exist for every choice of dimensions that divide; only
//! vectors with lists for `H'` need a search.

use std::collections::BTreeSet;

use cubefold_topology::greatest_common_divisor;

use super::factor::{divisors, least_feasible, over_one, sorted};
use super::simple_reduction::ratios;

/// The limit of partial choices of one search for lists that start even.
const MAX_STATES: usize = 1 << 17;

/// A chain: the guest dimension of each host dimension, and the spread of the others over them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chain {
    /// The guest dimension `a_j` of each host dimension.
    pub(super) multiplicands: Vec<usize>,
    /// The other guest dimensions, the last first.
    pub(super) eliminated: Vec<usize>,
    /// For each eliminated dimension a factor for every host dimension: `f_k1, .., f_kc`.
    pub(super) vectors: Vec<Vec<u64>>,
}

impl Chain {
    /// The chain with the least `rho = max m_j / l_(a_j)`; among those the one with the first `(a_1, .., a_c)` and
    /// then the first vectors, in lexicographic order. `None` if no separate guest dimensions divide the
    /// host's. Guest and host have equally many nodes.
    pub(super) fn first(guest: &[u64], host: &[u64]) -> Option<Self> {
        let most = least_feasible(ratios(guest, host), |most| {
            Matching { guest, host, most }.completes(&[]).then_some(most)
        })?;
        let matching = Matching { guest, host, most };
        let mut multiplicands = vec![];
        for _ in host {
            let next = (0..guest.len()).find(|&dimension| {
                let longer = [&multiplicands[..], &[dimension]].concat();
                matching.fits(&multiplicands, dimension) && matching.completes(&longer)
            })?;
            multiplicands.push(next);
        }
        let mut left = quotients(guest, host, &multiplicands);
        let eliminated = eliminated(guest, &multiplicands);
        let vectors = eliminated.iter().map(|&dimension| first_vector(guest[dimension], &mut left)).collect();
        Some(Self { multiplicands, eliminated, vectors })
    }

    /// The first chain with `rho` at most `most` whose lists are (2) or, of two components or more, have an even
    /// one (errata C4); `None` if there is none among the first 131072 partial choices.
    pub(super) fn first_even(guest: &[u64], host: &[u64], most: u64) -> Option<Self> {
        let mut search =
            EvenSearch { guest, host, most, states: 0, exhausted: BTreeSet::new(), multiplicands: vec![] };
        search.complete()
    }
}

/// `P_j = m_j / l_(a_j)` for the dimensions chosen so far.
pub(super) fn quotients(guest: &[u64], host: &[u64], multiplicands: &[usize]) -> Vec<u64> {
    host.iter().zip(multiplicands).map(|(whole, &dimension)| whole / guest[dimension]).collect()
}

/// The guest dimensions that are not multiplicands, the last first.
fn eliminated(guest: &[u64], multiplicands: &[usize]) -> Vec<usize> {
    (0..guest.len()).rev().filter(|dimension| !multiplicands.contains(dimension)).collect()
}

/// The first vector with the product `length`, each factor of which divides the rest at its place; takes it
/// from there. A factor is least if the places after it take as much as they can.
fn first_vector(length: u64, left: &mut [u64]) -> Vec<u64> {
    let mut rest = length;
    let mut vector = vec![];
    for place in 0..left.len() {
        let after: u64 = left[place + 1..].iter().product();
        let factor = rest / greatest_common_divisor(rest, after);
        vector.push(factor);
        left[place] /= factor;
        rest /= factor;
    }
    vector
}

/// Assignments of guest dimensions to host dimensions that they divide with quotients up to `most`.
struct Matching<'a> {
    guest: &'a [u64],
    host: &'a [u64],
    most: u64,
}

impl Matching<'_> {
    /// Whether a guest dimension can be the next after those chosen.
    fn fits(&self, chosen: &[usize], dimension: usize) -> bool {
        !chosen.contains(&dimension) && self.divides(chosen.len(), dimension)
    }

    fn divides(&self, host: usize, dimension: usize) -> bool {
        let (whole, part) = (self.host[host], self.guest[dimension]);
        whole.is_multiple_of(part) && whole / part <= self.most
    }

    /// Whether the host dimensions after those chosen have guest dimensions, by augmenting paths.
    fn completes(&self, chosen: &[usize]) -> bool {
        let mut owners = vec![None; self.guest.len()];
        (chosen.len()..self.host.len()).all(|host| {
            let mut seen = vec![false; self.guest.len()];
            for &dimension in chosen {
                seen[dimension] = true;
            }
            self.augment(host, &mut owners, &mut seen)
        })
    }

    fn augment(&self, host: usize, owners: &mut [Option<usize>], seen: &mut [bool]) -> bool {
        for dimension in 0..self.guest.len() {
            if seen[dimension] || !self.divides(host, dimension) {
                continue;
            }
            seen[dimension] = true;
            let is_free = match owners[dimension] {
                None => true,
                Some(owner) => self.augment(owner, owners, seen),
            };
            if is_free {
                owners[dimension] = Some(host);
                return true;
            }
        }
        false
    }
}

/// A search for a chain with lists for `H'`, host dimension by host dimension.
struct EvenSearch<'a> {
    guest: &'a [u64],
    host: &'a [u64],
    most: u64,
    states: usize,
    exhausted: BTreeSet<(Vec<u64>, Vec<u64>)>, // lengths left and quotients over 1, both sorted
    multiplicands: Vec<usize>,
}

impl EvenSearch<'_> {
    fn complete(&mut self) -> Option<Chain> {
        let eliminated = eliminated(self.guest, &self.multiplicands);
        let quotients = quotients(self.guest, self.host, &self.multiplicands);
        let key =
            (sorted(eliminated.iter().map(|&dimension| self.guest[dimension])), sorted(over_one(&quotients)));
        if self.states >= MAX_STATES || self.exhausted.contains(&key) {
            return None;
        }
        self.states += 1;
        let found = if self.multiplicands.len() == self.host.len() {
            self.spread(eliminated, quotients)
        } else {
            self.extend(&eliminated)
        };
        if found.is_none() {
            self.exhausted.insert(key);
        }
        found
    }

    /// Chooses the guest dimension of the next host dimension; of equal lengths the first.
    fn extend(&mut self, left: &[usize]) -> Option<Chain> {
        let matching = Matching { guest: self.guest, host: self.host, most: self.most };
        let mut tried = vec![];
        for &dimension in left.iter().rev() {
            let length = self.guest[dimension];
            if tried.contains(&length) || !matching.divides(self.multiplicands.len(), dimension) {
                continue;
            }
            tried.push(length);
            self.multiplicands.push(dimension);
            let found = self.complete();
            self.multiplicands.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Vectors for all eliminated dimensions, none of which is odd.
    fn spread(&mut self, eliminated: Vec<usize>, left: Vec<u64>) -> Option<Chain> {
        let lengths: Vec<u64> = eliminated.iter().map(|&dimension| self.guest[dimension]).collect();
        if !lengths.iter().all(|length| length.is_multiple_of(2)) {
            return None;
        }
        let mut spread = EvenSpread {
            lengths: &lengths,
            left,
            states: &mut self.states,
            exhausted: BTreeSet::new(),
            vectors: vec![vec![]],
        };
        spread.complete(lengths[0]).then(|| {
            let vectors = std::mem::take(&mut spread.vectors);
            Chain { multiplicands: self.multiplicands.clone(), eliminated, vectors }
        })
    }
}

/// A search for vectors, factor by factor: even lengths over 2 in two places at least.
struct EvenSpread<'a> {
    lengths: &'a [u64], // at least one
    left: Vec<u64>,     // the quotients without the factors so far
    states: &'a mut usize,
    exhausted: BTreeSet<(usize, Vec<u64>)>, // vectors made and their remaining quotients, sorted
    vectors: Vec<Vec<u64>>,                 // the last one in the making
}

impl EvenSpread<'_> {
    /// Adds the open factors; `rest` is the product of the open factors of the last vector.
    fn complete(&mut self, rest: u64) -> bool {
        let made = self.vectors.len() - 1;
        let place = self.vectors[made].len();
        if place == self.left.len() {
            return rest == 1 && self.is_even_first(made) && self.next(made + 1);
        }
        if *self.states >= MAX_STATES {
            return false;
        }
        *self.states += 1;
        let after: u64 = self.left[place + 1..].iter().product();
        for factor in divisors(greatest_common_divisor(rest, self.left[place])) {
            if !after.is_multiple_of(rest / factor) {
                continue;
            }
            self.vectors[made].push(factor);
            self.left[place] /= factor;
            if self.complete(rest / factor) {
                return true;
            }
            self.left[place] *= factor;
            self.vectors[made].pop();
        }
        false
    }

    fn is_even_first(&self, vector: usize) -> bool {
        self.lengths[vector] == 2 || self.vectors[vector].iter().filter(|&&factor| factor > 1).count() > 1
    }

    /// Starts the vector after the first `made` ones.
    fn next(&mut self, made: usize) -> bool {
        let Some(&length) = self.lengths.get(made) else { return true };
        let key = (made, sorted(over_one(&self.left)));
        if self.exhausted.contains(&key) {
            return false;
        }
        self.vectors.push(vec![]);
        let found = self.complete(length);
        if !found {
            self.vectors.pop();
            self.exhausted.insert(key);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::factor::can_be_even_first;
    use super::*;
    use crate::test_support::shapes;

    /// All chains of a pair by exhaustive search, as in `docs/model.md`: in the order of multiplicands, then of vectors.
    fn all_chains(guest: &[u64], host: &[u64]) -> Vec<Chain> {
        let mut assignments: Vec<Vec<usize>> = vec![vec![]];
        for &whole in host {
            let longer = |assignment: &Vec<usize>| {
                let open = (0..guest.len())
                    .filter(|at| !assignment.contains(at) && whole.is_multiple_of(guest[*at]));
                open.map(|at| [&assignment[..], &[at]].concat()).collect::<Vec<_>>()
            };
            assignments = assignments.iter().flat_map(longer).collect();
        }
        let with_vectors = |multiplicands: Vec<usize>| {
            let eliminated = eliminated(guest, &multiplicands);
            let mut all: Vec<Vec<Vec<u64>>> = vec![vec![]];
            for &dimension in &eliminated {
                let vectors = vectors(guest[dimension], host.len());
                let longer = |chosen: &Vec<Vec<u64>>| {
                    vectors
                        .iter()
                        .map(|vector| [&chosen[..], std::slice::from_ref(vector)].concat())
                        .collect::<Vec<_>>()
                };
                all = all.iter().flat_map(longer).collect();
            }
            let wanted = quotients(guest, host, &multiplicands);
            let reaches = |chosen: &Vec<Vec<u64>>| {
                (0..host.len()).all(|j| chosen.iter().map(|vector| vector[j]).product::<u64>() == wanted[j])
            };
            all.retain(reaches);
            all.into_iter()
                .map(|vectors| Chain {
                    multiplicands: multiplicands.clone(),
                    eliminated: eliminated.clone(),
                    vectors,
                })
                .collect::<Vec<_>>()
        };
        assignments.into_iter().flat_map(with_vectors).collect()
    }

    /// All vectors with a product, in lexicographic order.
    fn vectors(product: u64, places: usize) -> Vec<Vec<u64>> {
        if places == 0 {
            return if product == 1 { vec![vec![]] } else { vec![] };
        }
        let first = (1..=product).filter(|first| product.is_multiple_of(*first));
        first
            .flat_map(|first| {
                vectors(product / first, places - 1)
                    .into_iter()
                    .map(move |rest| [&[first], &rest[..]].concat())
            })
            .collect()
    }

    fn is_even(chain: &Chain) -> bool {
        chain.vectors.iter().all(|vector| can_be_even_first(&over_one(vector).collect::<Vec<_>>()))
    }

    fn most(chain: &Chain, guest: &[u64], host: &[u64]) -> u64 {
        quotients(guest, host, &chain.multiplicands).into_iter().max().unwrap()
    }

    #[test]
    fn the_first_chain_is_the_first_of_all_by_trial_on_every_pair_up_to_96_nodes() {
        let (mut chains, mut even) = (0, 0);
        for size in 4..=96 {
            let shapes = shapes(size);
            for guest in &shapes {
                for host in shapes.iter().filter(|host| host.len() < guest.len() && guest.len() < 6) {
                    let all = all_chains(guest, host);
                    let least = all.iter().map(|chain| most(chain, guest, host)).min();
                    let of = |wanted: fn(&Chain) -> bool| {
                        let found =
                            all.iter().find(|one| wanted(one) && Some(most(one, guest, host)) == least);
                        found.cloned()
                    };
                    let first = Chain::first(guest, host);
                    assert_eq!(first, of(|_| true), "{guest:?} on {host:?}");
                    let found = least.and_then(|least| Chain::first_even(guest, host, least));
                    assert_eq!(found, of(is_even), "{guest:?} on {host:?}");
                    chains += usize::from(first.is_some());
                    even += usize::from(found.is_some());
                }
            }
        }
        assert!(chains > 5000 && even > 500, "{chains} chains, {even} of them even");
    }
}
