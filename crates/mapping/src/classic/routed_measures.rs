//! What an embedding with routes costs.

use cubefold_topology::NodeId;

use super::routed_embedding::RoutedEmbedding;

/// The measures of an embedding (CS838 1999, "Basic definitions and notions"; `docs/model.md` section 7), over its own
/// routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoutedMeasures {
    /// The number of vertices of the guest.
    pub vertices: u64,
    /// The number of nodes of the host. Over the vertices it is the expansion.
    pub host_nodes: u64,
    /// The most vertices on one node.
    pub load: u64,
    /// The fewest, 0 when a node is empty.
    pub least_load: u64,
    /// The longest path \[links\]; 0 without edges.
    pub dilation: u64,
    /// The number of edges on paths of more than one link.
    pub dilated_edges: u64,
    /// The most paths over one link, in either direction. A path that uses a link twice counts twice.
    pub link_congestion: u64,
    /// The most paths over one link in one direction, from the first end of their edge to the second.
    pub channel_congestion: u64,
}

impl RoutedMeasures {
    pub(super) fn of(embedding: &RoutedEmbedding) -> Self {
        let loads = node_loads(embedding);
        let host_nodes = embedding.host().node_count();
        let lengths = || embedding.paths().map(|(_, path)| path.len() as u64 - 1);
        Self {
            vertices: embedding.nodes().len() as u64,
            host_nodes,
            load: loads.iter().map(|&(_, load)| load).max().unwrap_or(0),
            least_load: loads
                .iter()
                .map(|&(_, load)| load)
                .min()
                .filter(|_| loads.len() as u64 == host_nodes)
                .unwrap_or(0),
            dilation: lengths().max().unwrap_or(0),
            dilated_edges: lengths().filter(|&length| length > 1).count() as u64,
            link_congestion: most_alike(embedding, |near, far| (near.min(far), near.max(far))),
            channel_congestion: most_alike(embedding, |near, far| (near, far)),
        }
    }
}

impl RoutedEmbedding {
    /// The number of nodes of the host that have this many vertices.
    #[must_use]
    pub fn nodes_with_load(&self, load: u64) -> u64 {
        let loads = node_loads(self);
        match load {
            0 => self.host().node_count() - loads.len() as u64,
            _ => loads.iter().filter(|&&(_, own)| own == load).count() as u64,
        }
    }
}

/// The nodes that have vertices, and how many.
fn node_loads(embedding: &RoutedEmbedding) -> Vec<(NodeId, u64)> {
    let mut nodes = embedding.nodes().to_vec();
    nodes.sort_unstable();
    let alike = nodes.chunk_by(|one, other| one == other);
    alike.map(|group| (group[0], group.len() as u64)).collect()
}

/// The most steps of paths that are alike.
fn most_alike<K: Ord>(embedding: &RoutedEmbedding, key: impl Fn(NodeId, NodeId) -> K) -> u64 {
    let steps = embedding.paths().flat_map(|(_, path)| path.windows(2));
    let mut keys: Vec<K> = steps.map(|pair| key(pair[0], pair[1])).collect();
    keys.sort_unstable();
    keys.chunk_by(|one, other| one == other).map(|group| group.len() as u64).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProcessId;
    use cubefold_topology::{Machine, MachineKind};

    #[test]
    fn a_star_on_a_line_is_measured_by_hand() {
        // Vertex 0 in the middle of the line of five; 1 and 2 left of it, 3 and 4 both right beside it.
        let line = Machine::new(MachineKind::Line, &[5]).unwrap();
        let nodes = [2, 0, 1, 3, 3].map(NodeId::new).to_vec();
        let edges = [(1, 0), (0, 2), (0, 3), (4, 0)].map(|(a, b)| (ProcessId::new(a), ProcessId::new(b)));
        let star = RoutedEmbedding::along_routes_of_the_host(line, nodes, edges).unwrap();
        let expected = RoutedMeasures {
            vertices: 5,
            host_nodes: 5,
            load: 2,
            least_load: 0,
            dilation: 2,
            dilated_edges: 1,
            link_congestion: 2, // between 1 and 2, and between 2 and 3
            channel_congestion: 1,
        };
        assert_eq!(star.measures(), expected);
        assert_eq!([0, 1, 2, 3].map(|load| star.nodes_with_load(load)), [1, 3, 1, 0]);
    }
}
