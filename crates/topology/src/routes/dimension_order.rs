//! Dimension order on a grid some of whose links are down (`docs/model.md` section 22.5).

use std::sync::Arc;

use crate::{Direction, Displacement, HostDimension, Machine, NodeId, Sign, TieRule};

/// The dimension-order routes of a grid that cross no failed link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DimensionOrder {
    grid: Arc<Machine>,
    tie: TieRule,
    /// By dimension, the links that are down, ascending: the node at coordinate 0 of their line, and the coordinate of
    /// their near end.
    down: Vec<Vec<(u32, u64)>>,
}

impl DimensionOrder {
    /// The routes of a grid over the links for which `is_up` holds; `tie` decides ties.
    pub(crate) fn new(grid: &Arc<Machine>, tie: TieRule, is_up: impl Fn(NodeId, NodeId) -> bool) -> Self {
        let mut down = vec![vec![]; grid.axes().len()];
        for near in grid.nodes() {
            for (dimension, down) in HostDimension::first(down.len()).zip(&mut down) {
                let far = grid.neighbour(near, Direction { dimension, sign: Sign::Positive });
                if far.is_some_and(|far| !is_up(near, far)) {
                    down.push(Self::place(grid, dimension, near));
                }
            }
        }
        for links in &mut down {
            links.sort_unstable();
        }
        Self { grid: Arc::clone(grid), tie, down }
    }

    pub(crate) fn with_tie(self: &Arc<Self>, tie: TieRule) -> Arc<Self> {
        Arc::new(Self { tie, ..Self::clone(self) })
    }

    pub(crate) fn tie(&self) -> TieRule {
        self.tie
    }

    /// The lengths of the lines of all links that are down, one after another.
    pub(crate) fn lines_down(&self) -> Vec<u64> {
        let lengths = self.down.iter().zip(self.grid.axes());
        lengths.flat_map(|(down, axis)| std::iter::repeat_n(axis.length(), down.len())).collect()
    }

    /// The line of a node along a dimension, and its coordinate there.
    fn place(grid: &Machine, dimension: HostDimension, node: NodeId) -> (u32, u64) {
        let axis = &grid.axes()[dimension.index()];
        let coordinate = u64::from(axis.coordinate(node));
        let first = u64::from(node.index()) - coordinate * grid.shape().stride(dimension);
        (crate::narrow(first), coordinate)
    }

    /// The distance of two nodes between which the route is up \[links\]; `None` if a link of it is down.
    pub(crate) fn distance(&self, from: NodeId, to: NodeId) -> Option<u64> {
        let (mut at, mut links) = (from, 0);
        while let Some(leg) = self.grid.next_leg(at, to, self.tie) {
            let Direction { dimension, sign } = leg.direction;
            if self.crosses_down(dimension, sign, at, leg.hops) {
                return None;
            }
            at = self.grid.axes()[dimension.index()].after(at, Displacement { sign, hops: leg.hops });
            links += leg.hops;
        }
        Some(links)
    }

    /// The node after `at` on the route from `from` to `to`; `None` if a link of it is down.
    pub(crate) fn next_node(&self, [from, at, to]: [NodeId; 3]) -> Option<NodeId> {
        self.distance(from, to)?;
        self.grid.neighbour(at, self.grid.next_leg(at, to, self.tie)?.direction)
    }

    /// Whether any of `hops` links from a node in a direction is down.
    fn crosses_down(&self, dimension: HostDimension, sign: Sign, at: NodeId, hops: u64) -> bool {
        let down = &self.down[dimension.index()];
        let length = self.grid.axes()[dimension.index()].length();
        let (line, coordinate) = Self::place(&self.grid, dimension, at);
        // The near ends of the links that are crossed, around the ring from `first` on.
        let first = match sign {
            Sign::Positive => coordinate,
            Sign::Negative => (coordinate + length - hops) % length,
        };
        let any = |from: u64, end: u64| {
            let place = down.partition_point(|&link| link < (line, from));
            down.get(place).is_some_and(|&link| link < (line, end))
        };
        any(first, (first + hops).min(length)) || first + hops > length && any(0, first + hops - length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MachineKind, Wrap};

    #[test]
    fn routes_are_up_when_each_of_their_links_is() {
        let shapes: [&[u64]; 4] = [&[7], &[2, 5], &[4, 3, 2], &[6, 2]];
        for (number, lengths) in (0..).zip(shapes) {
            for wrap in [Wrap::Around, Wrap::Open] {
                let wraps = vec![wrap; lengths.len()];
                let grid = Arc::new(Machine::with_wraps(MachineKind::Mesh, lengths, &wraps).unwrap());
                let is_up = |one: NodeId, other: NodeId| {
                    let [low, high] = [one.min(other), one.max(other)].map(NodeId::index);
                    (7 * low + 3 * high + number) % 5 != 0
                };
                for tie in TieRule::ALL {
                    let order = DimensionOrder::new(&grid, tie, is_up);
                    for (from, to) in grid.nodes().flat_map(|from| grid.nodes().map(move |to| (from, to))) {
                        let mut channels = grid.route(from, to, tie).map(|channel| {
                            (channel.node, grid.neighbour(channel.node, channel.direction).unwrap())
                        });
                        let expected =
                            channels.all(|(one, other)| is_up(one, other)).then(|| grid.distance(from, to));
                        assert_eq!(order.distance(from, to), expected, "{lengths:?} {tie:?} {from} {to}");
                    }
                }
            }
        }
    }
}
