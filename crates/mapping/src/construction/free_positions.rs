//! Positions of a list, each given out once.

/// Which positions of a list are still to be had: equal lengths are told apart by taking the first that is free.
#[derive(Debug)]
pub(super) struct FreePositions {
    taken: Vec<bool>,
}

impl FreePositions {
    /// All positions of a list of `count`.
    pub(super) fn new(count: usize) -> Self {
        Self { taken: vec![false; count] }
    }

    /// Takes the first free position that fits, if any does.
    pub(super) fn take(&mut self, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let found = (0..self.taken.len()).find(|&at| !self.taken[at] && fits(at))?;
        self.taken[found] = true;
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_taken_once_the_first_first() {
        let lengths = [4, 2, 4, 4];
        let mut free = FreePositions::new(lengths.len());
        let taken: Vec<_> = [4, 2, 4, 2, 4, 4].map(|length| free.take(|at| lengths[at] == length)).to_vec();
        assert_eq!(taken, [Some(0), Some(1), Some(2), None, Some(3), None]);
    }
}
