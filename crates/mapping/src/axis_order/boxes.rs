//! Boxes for the axes of a guest: all ways to divide the axes of a machine among them.

use cubefold_topology::Shape;

use super::{Factor, permutations};

/// The most axes of a guest whose boxes are listed.
const MAX_AXES: usize = 4;
const MAX_NODES: u64 = 1 << 20;
/// The most parts of axes that are examined: most divisions of large hypercubes are dead ends.
const MAX_LOOKS: u32 = 1 << 16;

/// The part of each axis of the machine that is taken.
pub(super) struct Taken<'a> {
    host: &'a Shape,
    lengths: Vec<u64>,
}

impl<'a> Taken<'a> {
    pub(super) fn nothing_of(host: &'a Shape) -> Self {
        Self { host, lengths: vec![1; host.dimension_count()] }
    }

    /// The remaining length of an axis.
    fn left(&self, host: usize) -> u64 {
        self.host.lengths()[host] / self.lengths[host]
    }

    /// Takes the next part of an axis, of `length` nodes; `None` if there is no such axis, its rest is not a multiple of
    /// `length`, or `length` is less than 2.
    pub(super) fn take(&mut self, host: usize, length: u64) -> Option<Factor> {
        if length < 2 || host >= self.lengths.len() || !self.left(host).is_multiple_of(length) {
            return None;
        }
        let stride = self.lengths[host];
        self.lengths[host] *= length;
        Some(Factor { host, length, stride })
    }

    /// Gives back the part of an axis that was taken last.
    fn give_back(&mut self, factor: Factor) {
        self.lengths[factor.host] = factor.stride;
    }
}

/// The factors of every axis of the guest, in some order of the axes.
type Division = Vec<(usize, Vec<Factor>)>;

/// Divisions of the axes of a machine with as many nodes as the guest has, the axes of the guest in every order; each set of
/// boxes once, at most `most`.
pub(super) fn divisions(guest: &Shape, host: &Shape, most: usize) -> Vec<Division> {
    if guest.dimension_count() > MAX_AXES || host.node_count() > MAX_NODES {
        return vec![];
    }
    let mut search = Search {
        taken: Taken::nothing_of(host),
        division: vec![],
        looks: 0,
        most,
        known: vec![],
        found: vec![],
    };
    for order in permutations(guest.dimension_count()) {
        let axes: Vec<(usize, u64)> = order.iter().map(|&axis| (axis, guest.lengths()[axis])).collect();
        search.divide(&axes);
    }
    search.found
}

struct Search<'a> {
    taken: Taken<'a>,
    division: Division, // of the axes so far
    looks: u32,
    most: usize,
    known: Vec<Division>, // the divisions found, by axis of the guest
    found: Vec<Division>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.found.len() >= self.most || self.looks >= MAX_LOOKS
    }

    /// Gives boxes to these axes, with their lengths.
    fn divide(&mut self, axes: &[(usize, u64)]) {
        let Some((&(axis, length), others)) = axes.split_first() else {
            let mut by_axis = self.division.clone();
            by_axis.sort_unstable();
            if !self.known.contains(&by_axis) {
                self.known.push(by_axis);
                self.found.push(self.division.clone());
            }
            return;
        };
        self.division.push((axis, vec![]));
        self.fill_box(length, 0, others);
        self.division.pop();
    }

    /// Takes `length` nodes for the last axis of the division from the axes of the machine from `host` on, then divides
    /// the rest among the others.
    fn fill_box(&mut self, length: u64, host: usize, others: &[(usize, u64)]) {
        self.looks += 1;
        if self.is_over() {
            return;
        }
        if length == 1 {
            return self.divide(others);
        }
        let hosts = host..self.taken.lengths.len();
        let left: u64 = hosts.clone().map(|host| self.taken.left(host)).product();
        if !left.is_multiple_of(length) {
            return;
        }
        for host in hosts {
            let whole = self.taken.left(host).min(length);
            for part in (2..=whole).filter(|&part| length.is_multiple_of(part)) {
                if let Some(factor) = self.taken.take(host, part) {
                    self.push(factor);
                    self.fill_box(length / part, host + 1, others);
                    self.pop(factor);
                }
            }
        }
    }

    fn push(&mut self, factor: Factor) {
        if let Some((_, factors)) = self.division.last_mut() {
            factors.push(factor);
        }
    }

    fn pop(&mut self, factor: Factor) {
        if let Some((_, factors)) = self.division.last_mut() {
            factors.pop();
        }
        self.taken.give_back(factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(guest: &[u64], host: &[u64], most: usize) -> usize {
        divisions(&Shape::new(guest).unwrap(), &Shape::new(host).unwrap(), most).len()
    }

    #[test]
    fn every_set_of_boxes_is_found_once() {
        // The first axis takes 8, 4, 2 or 1 by 1, 2, 4 or 8; where both axes share a dimension, either is inside.
        assert_eq!(count(&[8, 16], &[8, 16], 100), 7);
        assert_eq!(count(&[4, 4], &[4, 4], 100), 4);
        assert_eq!(count(&[16], &[4, 4], 100), 1);
        assert_eq!(count(&[6, 4], &[8, 3], 100), 2);
        assert_eq!(count(&[5, 4], &[2, 10], 100), 2);
        assert_eq!(count(&[8, 16], &[8, 16], 3), 3);
    }

    #[test]
    fn hopeless_divisions_are_given_up() {
        assert!(count(&[16; 4], &[2; 16], 192) <= 192);
        assert_eq!(count(&[2; 5], &[32], 192), 0, "too many axes");
        assert_eq!(count(&[65536], &[2; 16], 192), 1);
    }
}
