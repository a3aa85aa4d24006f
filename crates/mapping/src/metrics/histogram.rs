//! How often each distance occurs.

use std::collections::BTreeMap;

/// Distances below this are counted in an array.
const MAX_BINS: u64 = 1 << 16;

/// Counts that take turns: edges that come one after another often have one distance, and a counter can only be
/// counted up again when it has been written.
const TURNS: usize = 4;

/// A count for every distance.
#[derive(Debug)]
pub(super) struct Histogram {
    bins: Vec<[u64; TURNS]>,    // of the distances from 0 on
    beyond: BTreeMap<u64, u64>, // of those that have no bin
}

impl Histogram {
    /// Of no distances yet, none of which is over `greatest`.
    pub(super) fn new(greatest: u64) -> Self {
        let bins = usize::try_from((greatest + 1).min(MAX_BINS)).unwrap_or(usize::MAX);
        Self { bins: vec![[0; TURNS]; bins], beyond: BTreeMap::new() }
    }

    /// Counts these distances.
    pub(super) fn add(&mut self, distances: &[u32]) {
        let (rounds, rest) = distances.as_chunks::<TURNS>();
        for round in rounds {
            for (turn, &distance) in round.iter().enumerate() {
                self.count(distance, turn, 1);
            }
        }
        for &distance in rest {
            self.count(distance, 0, 1);
        }
    }

    /// Counts `edges` times the same distance.
    pub(super) fn add_equal(&mut self, distance: u32, edges: u64) {
        self.count(distance, 0, edges);
    }

    fn count(&mut self, distance: u32, turn: usize, edges: u64) {
        match self.bins.get_mut(distance as usize) {
            Some(bin) => bin[turn] = bin[turn].wrapping_add(edges), // under 2^37 edges in all
            None => *self.beyond.entry(distance.into()).or_default() += edges,
        }
    }

    /// Of the distances that either has counted.
    pub(super) fn and(mut self, other: Self) -> Self {
        for (own, other) in self.bins.iter_mut().flatten().zip(other.bins.iter().flatten()) {
            *own += other;
        }
        for (distance, edges) in other.beyond {
            *self.beyond.entry(distance).or_default() += edges;
        }
        self
    }

    /// The number of edges of each distance that occurs.
    pub(super) fn counts(self) -> BTreeMap<u64, u64> {
        let edges = self.bins.iter().map(|bin| bin.iter().sum());
        let near = (0..).zip(edges).filter(|&(_, edges)| edges > 0);
        near.chain(self.beyond).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted_wherever_they_are_kept() {
        for greatest in [7, u64::from(u32::MAX)] {
            let mut one = Histogram::new(greatest);
            one.add(&[3, 3, 3, 0, 7, 3]);
            one.add_equal(7, 10);
            let mut other = Histogram::new(greatest);
            other.add(&[5]);
            let mut expected = BTreeMap::from([(0, 1), (3, 4), (5, 1), (7, 11)]);
            if greatest > 7 {
                other.add(&[65_535, 65_536, u32::MAX]);
                one.add_equal(u32::MAX, 4);
                expected.extend([(65_535, 1), (65_536, 1), (u32::MAX.into(), 5)]);
            }
            assert_eq!(one.and(other).counts(), expected);
        }
    }
}
