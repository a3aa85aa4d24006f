//! Maps of whole placements: linear maps of the bits of labels, which are orders of bits, and sums of them as in Gray codes
//! and xor embeddings; on cubes these give nearly all that a search can gain. Also reflections and exchanges of the
//! dimensions of a grid, after which messages take other routes.

use cubefold_simulator::SimulationError;
use cubefold_topology::{Axis, NodeId, narrow};

use crate::{
    arrangement::Arrangement,
    judge::{Cost, Energy, Judge},
    problem::Problem,
};

/// A change of the bits of a label; every invertible linear map is a sequence of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BitChange {
    /// Two bits exchange their values.
    Exchange(u32, u32),
    /// The first bit is added to the second, modulo 2.
    Add(u32, u32),
}

impl BitChange {
    /// Every change of labels of `bits` bits.
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

    /// Returns the placement that puts each process where the process with its changed label was.
    fn placed(self, nodes: &[NodeId]) -> Vec<NodeId> {
        (0..nodes.len()).map(|label| nodes[self.apply(label)]).collect()
    }
}

/// A change of the coordinates of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GridChange {
    /// A dimension is reflected.
    Reflect(usize),
    /// Two dimensions of equal length exchange their coordinates.
    Exchange(usize, usize),
}

impl GridChange {
    /// Every change of a grid.
    fn all(axes: &[Axis]) -> impl Iterator<Item = Self> {
        let pairs = (1..axes.len()).flat_map(|high| (0..high).map(move |low| (low, high)));
        let alike = pairs.filter(|&(low, high)| axes[low].length() == axes[high].length());
        let exchanges = alike.map(|(low, high)| Self::Exchange(low, high));
        (0..axes.len()).map(Self::Reflect).chain(exchanges)
    }

    fn apply(self, axes: &[Axis], node: NodeId) -> NodeId {
        let coordinate = |axis: usize| u64::from(axes[axis].coordinate(node));
        let index = u64::from(node.index());
        let with = |index: u64, axis: usize, to: u64| {
            let stride = axes[axis].digit().stride();
            index + to * stride - coordinate(axis) * stride
        };
        let changed = match self {
            Self::Reflect(axis) => with(index, axis, axes[axis].length() - 1 - coordinate(axis)),
            Self::Exchange(low, high) => with(with(index, low, coordinate(high)), high, coordinate(low)),
        };
        NodeId::new(narrow(changed))
    }
}

/// A change of a placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    OfLabels(BitChange),
    OfNodes(GridChange),
}

impl Change {
    /// Every change for `processes` processes on a grid with these axes.
    fn all(processes: usize, axes: &[Axis]) -> impl Iterator<Item = Self> {
        let bits = if processes.is_power_of_two() { processes.ilog2() } else { 0 };
        let of_labels = BitChange::all(bits).map(Self::OfLabels);
        of_labels.chain(GridChange::all(axes).map(Self::OfNodes))
    }

    fn placed(self, nodes: &[NodeId], axes: &[Axis]) -> Vec<NodeId> {
        match self {
            Self::OfLabels(change) => change.placed(nodes),
            Self::OfNodes(change) => nodes.iter().map(|&node| change.apply(axes, node)).collect(),
        }
    }
}

/// Improves a placement of this energy within this cost: by changes of the bits of labels, if there are 2^k
/// processes, and of the coordinates of nodes, if the machine is a grid. Makes the best change until no change helps;
/// `None` if none did.
///
/// # Errors
///
/// When a run does not end.
pub(crate) fn improve(
    problem: &Problem<'_>,
    judge: &mut Judge<'_>,
    (mut best, nodes): (Energy, &[NodeId]),
    cost: Cost,
) -> Result<Option<(Energy, Vec<NodeId>)>, SimulationError> {
    let end = judge.spent().plus(cost);
    let axes = problem.machine.coordinate_grid().map_or(&[][..], |grid| grid.axes());
    let mut improved: Option<Vec<NodeId>> = None;
    loop {
        let mut better = None;
        for change in Change::all(nodes.len(), axes) {
            if judge.spent().has_reached(end) {
                return Ok(better.or(improved).map(|nodes| (best, nodes)));
            }
            let changed = change.placed(improved.as_deref().unwrap_or(nodes), axes);
            // Some nodes of the grid may not be sites.
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
    use cubefold_topology::{Machine, MachineKind};

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
    fn dimensions_are_reflected_and_exchanged() {
        let machine = Machine::new(MachineKind::Torus, &[3, 2, 3]).unwrap();
        let axes = machine.axes();
        let changes: Vec<GridChange> = GridChange::all(axes).collect();
        assert_eq!(changes[3..], [GridChange::Exchange(0, 2)], "of one length");
        // Node 13 is (1, 0, 2).
        let node = NodeId::new(13);
        assert_eq!(GridChange::Reflect(1).apply(axes, node), NodeId::new(16));
        assert_eq!(GridChange::Reflect(2).apply(axes, node), NodeId::new(1));
        assert_eq!(GridChange::Exchange(0, 2).apply(axes, node), NodeId::new(8));
    }

    #[test]
    fn every_change_is_a_permutation() {
        let cube = Machine::new(MachineKind::Hypercube, &[2, 2, 2]).unwrap();
        assert_eq!(Change::all(8, cube.axes()).count(), 9 + 6);
        assert_eq!(Change::all(7, cube.axes()).count(), 6);
        for change in Change::all(8, cube.axes()) {
            let nodes: Vec<NodeId> = (0..8).map(NodeId::new).collect();
            let mut changed = change.placed(&nodes, cube.axes());
            changed.sort_unstable();
            assert_eq!(changed, nodes);
        }
    }
}
