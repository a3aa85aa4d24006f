//! Orders of the bits of labels: on cubes these have nearly all of what a search can gain.

use cubefold_simulator::SimulationError;
use cubefold_topology::NodeId;

use crate::{
    arrangement::Arrangement,
    judge::{Cost, Energy, Judge},
    problem::Problem,
};

/// Improves a placement of 2^k processes by orders of the bits of their labels, at most at this cost: of all
/// exchanges of two bits the best, until none is better.
///
/// # Errors
///
/// When a run does not come to its end.
pub(crate) fn improve(
    problem: &Problem<'_>,
    judge: &mut Judge<'_>,
    nodes: &[NodeId],
    cost: Cost,
) -> Result<Option<(Energy, Vec<NodeId>)>, SimulationError> {
    if !nodes.len().is_power_of_two() || nodes.len() < 4 {
        return Ok(None);
    }
    let bits = nodes.len().ilog2();
    let end = judge.spent().plus(cost);
    let (mut best, mut nodes) = (None::<Energy>, nodes.to_vec());
    loop {
        let mut better = None;
        for high in 1..bits {
            for low in 0..high {
                if judge.spent().has_reached(end) {
                    return Ok(best.map(|best| (best, nodes)));
                }
                let exchanged = with_bits_exchanged(&nodes, low, high);
                let Some(arrangement) = Arrangement::new(&exchanged, problem.sites, problem.per_site) else {
                    continue;
                };
                judge.arrange(arrangement);
                let most = best.map(|best| best.value);
                if let Some(energy) = judge.energy(most)?
                    && best.is_none_or(|best| energy < best)
                {
                    (best, better) = (Some(energy), Some(exchanged));
                }
            }
        }
        match better {
            Some(exchanged) => nodes = exchanged,
            None => return Ok(best.map(|best| (best, nodes))),
        }
    }
}

/// The placement in which a process is where the one was whose label has two bits exchanged.
fn with_bits_exchanged(nodes: &[NodeId], low: u32, high: u32) -> Vec<NodeId> {
    let exchange = |label: usize| {
        let differ = (label >> low ^ label >> high) & 1;
        label ^ (differ << low | differ << high)
    };
    (0..nodes.len()).map(|label| nodes[exchange(label)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_bits_exchange_their_values() {
        let nodes: Vec<NodeId> = (0..8).map(NodeId::new).collect();
        let exchanged: Vec<u32> = with_bits_exchanged(&nodes, 0, 2).into_iter().map(NodeId::index).collect();
        assert_eq!(exchanged, [0, 4, 2, 6, 1, 5, 3, 7]);
    }
}
