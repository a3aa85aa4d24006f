//! Distances in a cluster, computed on a reduced one.
//!
//! No shortest route leads through a node or a group of nodes on a leaf that has neither of its ends, because the same steps
//! inside the node of an end would be shorter. So two groups of two nodes, with all spines, stand for any number.

use std::sync::{Arc, OnceLock};

use super::{Cluster, Position};
use crate::{
    Network, NetworkError, NodeId, RouteChoice,
    routes::{Distances, LinkWeight, Onward, Row, ToDestination},
};

/// The distances of a cluster, looked up in a small one.
#[derive(Debug)]
pub(super) struct ClusterDistances {
    cluster: Cluster,
    vertices: Box<[StandIns]>,
    network: Network,           // of the small cluster
    rows: Box<[OnceLock<Row>]>, // by destination in the small cluster
}

/// The stand-ins in the small cluster for a vertex of the cluster: as seen from its own node and group, the first ones,
/// from another node of its group, and from another group.
#[derive(Debug)]
struct StandIns {
    node: Option<u32>,
    group: Option<u32>,
    near: u32,
    beside: u32,
    far: u32,
}

impl StandIns {
    fn new(cluster: &Cluster, small: &Cluster, vertex: u64) -> Self {
        let number = |wide: u64| u32::try_from(wide).unwrap_or(u32::MAX);
        let position = cluster.position(vertex);
        let (node, group) = match position {
            Position::InNode { node, .. } => (Some(node), Some(cluster.group(node))),
            Position::Leaf { group, .. } => (None, Some(group)),
            Position::Spine(_) => (None, None),
        };
        let at = |node, group| {
            number(small.vertex(match position {
                Position::InNode { sort, place, .. } => Position::InNode { node, sort, place },
                Position::Leaf { rail, .. } => Position::Leaf { group, rail },
                Position::Spine(spine) => Position::Spine(spine),
            }))
        };
        let [node, group] = [node, group].map(|place| place.map(number));
        Self { node, group, near: at(0, 0), beside: at(1, 0), far: at(2, 1) }
    }
}

impl ClusterDistances {
    /// The distances over routes with the least sum of weights, by part; without weights, with the fewest links.
    pub(super) fn new(cluster: Cluster, weights: &[LinkWeight]) -> Result<Self, NetworkError> {
        let small = cluster.small();
        let network = small.searched_network()?;
        let network = network.with_classes(|one, other| small.part(one, other) as u16).with_weights(weights);
        let rows = (0..network.node_count()).map(|_| OnceLock::new()).collect();
        let vertices =
            (0..cluster.vertex_count()).map(|vertex| StandIns::new(&cluster, &small, vertex)).collect();
        Ok(Self { cluster, vertices, network, rows })
    }

    /// The stand-ins of two vertices in the small cluster.
    #[inline]
    fn stand_ins(&self, at: u32, to: u32) -> [u32; 2] {
        let (start, end) = (&self.vertices[at as usize], &self.vertices[to as usize]);
        let differ = |one, other| matches!((one, other), (Some(one), Some(other)) if one != other);
        let start = if differ(start.group, end.group) {
            start.far
        } else if differ(start.node, end.node) {
            start.beside
        } else {
            start.near
        };
        [start, end.near]
    }

    /// The stand-in of `at` in the small cluster, and the row of the stand-in of `to`.
    #[inline]
    fn look_up(&self, at: u32, to: u32) -> (u32, &Row) {
        let [at, to] = self.stand_ins(at, to);
        (at, self.row(to))
    }

    /// The row of a destination in the small cluster.
    fn row(&self, to: u32) -> &Row {
        let choice = RouteChoice::Spread(0);
        self.rows[to as usize].get_or_init(|| Row::new(&self.network, choice, NodeId::new(to)))
    }
}

impl Distances for ClusterDistances {
    fn distance(&self, at: u32, to: u32) -> u32 {
        let (at, row) = self.look_up(at, to);
        row.distance(at).unwrap_or(Network::UNREACHED)
    }

    /// From a spine over the leaves of the destination's group: a spine may have a thousand other links.
    fn onward(&self, at: u32, to: u32) -> Option<Onward> {
        let [_, _, leaves, spines, _] = self.cluster.firsts().map(|first| u32::try_from(first).ok());
        let (leaves, spines) = (leaves?, spines?);
        let group = self.vertices[to as usize].group.filter(|_| at >= spines)?;
        let groups = usize::try_from(self.cluster.groups()).ok()?;
        Some((leaves + group..spines).step_by(groups))
    }

    fn route_count(&self, at: u32, to: u32) -> Option<u64> {
        if !self.cluster.has_even_uplinks() {
            return None;
        }
        let (at, row) = self.look_up(at, to);
        row.route_count(at)
    }

    fn with_weights(&self, weights: &[LinkWeight]) -> Option<Arc<dyn Distances>> {
        let distances = Self::new(self.cluster.clone(), weights).ok()?;
        Some(Arc::new(distances))
    }

    fn continues(&self, at: u32, next: u32, to: u32, weight: LinkWeight) -> bool {
        let ([at, to], [next, _]) = (self.stand_ins(at, to), self.stand_ins(next, to));
        self.row(to).continues(at, next, weight)
    }
}
