//! Linear maps of the bits of labels: orders of bits, and sums of them as in Gray codes and xor embeddings. On cubes these
//! have nearly all of what a search can gain.

use cubefold_simulator::SimulationError;
use cubefold_topology::NodeId;

use crate::{
    arrangement::Arrangement,
    judge::{Cost, Energy, Judge},
    problem::Problem,
};

/// A change of the bits of a label; any invertible linear map is some of these, one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BitChange {
    /// Two bits exchange their values.
    Exchange(u32, u32),
    /// The first bit is added to the second, modulo 2.
    Add(u32, u32),
}

impl BitChange {
    /// Every change of so many bits.
    fn all(bits: u32) -> impl Iterator<Item = Self> {
        let pairs = (1..bits).flat_map(|high| (0..high).map(move |low| (low, high)));
        pairs.flat_map(|(low, high)| [Self::Exchange(low, high), Self::Add(low, high), Self::Add(high, low)])
    }

    fn apply(self, label: usize) -> usize {
        match self {
            Self::Exchange(low, high) => {
                let differ = (label >> low ^ label >> high) & 1;
                label ^ (differ << low | differ << high)
            }
            Self::Add(from, to) => label ^ (label >> from & 1) << to,
        }
    }

    /// The placement in which a process is where the one was whose label it has after the change.
    fn placed(self, nodes: &[NodeId]) -> Vec<NodeId> {
        (0..nodes.len()).map(|label| nodes[self.apply(label)]).collect()
    }
}

/// Improves a placement of 2^k processes, which has this energy, by changes of the bits of their labels, at most at this
/// cost: of all changes the best, until none is better. `None` if none was.
///
/// # Errors
///
/// When a run does not come to its end.
pub(crate) fn improve(
    problem: &Problem<'_>,
    judge: &mut Judge<'_>,
    (mut best, nodes): (Energy, &[NodeId]),
    cost: Cost,
) -> Result<Option<(Energy, Vec<NodeId>)>, SimulationError> {
    if !nodes.len().is_power_of_two() || nodes.len() < 4 {
        return Ok(None);
    }
    let end = judge.spent().plus(cost);
    let mut improved: Option<Vec<NodeId>> = None;
    loop {
        let mut better = None;
        for change in BitChange::all(nodes.len().ilog2()) {
            if judge.spent().has_reached(end) {
                return Ok(better.or(improved).map(|nodes| (best, nodes)));
            }
            let changed = change.placed(improved.as_deref().unwrap_or(nodes));
            let Some(arrangement) = Arrangement::new(&changed, problem.sites, problem.per_site) else {
                continue;
            };
            judge.arrange(arrangement);
            if let Some(energy) = judge.energy(Some(best.value))?
                && energy < best
            {
                (best, better) = (energy, Some(changed));
            }
        }
        if better.is_none() {
            return Ok(improved.map(|nodes| (best, nodes)));
        }
        improved = better;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(changes: &[BitChange]) -> Vec<u32> {
        let mut nodes: Vec<NodeId> = (0..8).map(NodeId::new).collect();
        changes.iter().for_each(|change| nodes = change.placed(&nodes));
        nodes.into_iter().map(NodeId::index).collect()
    }

    #[test]
    fn two_bits_exchange_their_values() {
        assert_eq!(placed(&[BitChange::Exchange(0, 2)]), [0, 4, 2, 6, 1, 5, 3, 7]);
    }

    #[test]
    fn sums_of_bits_are_a_gray_code() {
        // g = n xor n / 2.
        assert_eq!(placed(&[BitChange::Add(2, 1), BitChange::Add(1, 0)]), [0, 1, 3, 2, 6, 7, 5, 4]);
        assert_eq!(placed(&[BitChange::Add(1, 0), BitChange::Add(2, 1)]), [0, 1, 3, 2, 7, 6, 4, 5]);
    }

    #[test]
    fn every_change_is_a_permutation() {
        assert_eq!(BitChange::all(3).count(), 9);
        for change in BitChange::all(3) {
            let mut nodes = placed(&[change]);
            nodes.sort_unstable();
            assert_eq!(nodes, (0..8).collect::<Vec<_>>());
        }
    }
}
