//! How many messages come how far.

use std::collections::BTreeMap;

/// For each distance the number of messages, or of processes that receive one, that it belongs to.
///
/// All that a coordinated stage takes its processes' times from: they wait for the stage's steps less the
/// distance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DistanceCounts {
    near: Vec<u64>, // by distance, as far as any was counted; at most NEAR entries
    far: BTreeMap<u64, u64>,
}

impl DistanceCounts {
    /// Distances below this one are counted in an array. Longer ones occur on lines of millions of nodes
    /// only, where an array could be as large as the machine.
    const NEAR: u64 = 1 << 24;

    /// Counts `count` more of `distance`.
    #[inline]
    pub(super) fn add(&mut self, distance: u64, count: u64) {
        match usize::try_from(distance).ok().and_then(|place| self.near.get_mut(place)) {
            Some(entry) => *entry += count,
            None => self.add_farther(distance, count),
        }
    }

    /// Counts a distance for which there is no entry yet.
    #[cold]
    fn add_farther(&mut self, distance: u64, count: u64) {
        match usize::try_from(distance) {
            Ok(place) if distance < Self::NEAR => {
                self.near.resize(place + 1, 0);
                self.near[place] += count;
            }
            _ => *self.far.entry(distance).or_default() += count,
        }
    }

    /// The distances that occur with their counts, the least first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        let near = (0..).zip(self.near.iter().copied()).filter(|&(_, count)| count > 0);
        near.chain(self.far.iter().map(|(&distance, &count)| (distance, count)))
    }

    /// The number of all that were counted.
    pub(super) fn count(&self) -> u64 {
        self.iter().map(|(_, count)| count).sum()
    }

    /// The sum of the distances.
    pub(super) fn sum(&self) -> u64 {
        self.iter().map(|(distance, count)| distance * count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far_distances_are_counted_in_order() {
        let mut counts = DistanceCounts::default();
        let farthest = u64::from(u32::MAX);
        for (distance, count) in [(7, 2), (farthest, 1), (0, 3), (DistanceCounts::NEAR, 4), (7, 1)] {
            counts.add(distance, count);
        }
        let all: Vec<_> = counts.iter().collect();
        assert_eq!(all, [(0, 3), (7, 3), (DistanceCounts::NEAR, 4), (farthest, 1)]);
        assert_eq!(counts.count(), 11);
        assert_eq!(counts.sum(), 21 + 4 * DistanceCounts::NEAR + farthest);
        assert!(counts.near.len() <= 8);
    }
}
