//! Embeddings with the routes of their edges, and their costs.

use cubefold_topology::{Machine, NodeId, TieRule};

use crate::ProcessId;

/// An embedding of a guest graph in a host: a node for every vertex, and a path of the host for
/// every edge of the guest (CS838 1999, "Basic definitions and notions").
///
/// It exists only if every path leads over links of the host from the image of one end of its edge
/// to that of the other: the constructor checks that for any paths. A path may be longer
/// than the distance.
///
/// ```
/// use cubefold_mapping::{ProcessId, RoutedEmbedding};
/// use cubefold_topology::{Machine, MachineKind, NodeId};
///
/// // A triangle on a line of three nodes: the third edge goes over the node in the middle.
/// let line = Machine::new(MachineKind::Line, &[3])?;
/// let nodes = [0, 1, 2].map(NodeId::new).to_vec();
/// let edges = [(0, 1), (1, 2), (0, 2)].map(|(one, other)| (ProcessId::new(one), ProcessId::new(other)));
/// let triangle = RoutedEmbedding::along_routes_of_the_host(line, nodes, edges)?;
/// let measures = triangle.measures();
/// assert_eq!((measures.dilation, measures.link_congestion), (2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoutedEmbedding {
    host: Machine,
    nodes: Vec<NodeId>, // of each vertex, at least one
    edges: Vec<(ProcessId, ProcessId)>,
    ends: Vec<usize>,        // where the path of each edge ends in `path_nodes`
    path_nodes: Vec<NodeId>, // of all paths, one after another, both ends of each included
}

/// Nodes and paths that make no embedding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RoutedEmbeddingError {
    /// There is no vertex.
    #[error("an embedding without vertices, expected at least one")]
    NoVertices,
    /// A vertex is on a node that the host does not have.
    #[error("vertex {vertex} on node {node}, expected a node in 0 to {greatest}")]
    NoSuchNode {
        /// The vertex.
        vertex: ProcessId,
        /// The node found.
        node: NodeId,
        /// The greatest node of the host.
        greatest: u64,
    },
    /// An edge has an end that is not a vertex.
    #[error("an edge of vertex {vertex}, expected vertices below {vertices}")]
    NoSuchVertex {
        /// The end found.
        vertex: ProcessId,
        /// The number of vertices.
        vertices: usize,
    },
    /// A path does not lead from the image of one end to that of the other.
    #[error("the path of edge {from} to {to} does not lead from the node of {from} to the node of {to}")]
    OtherEnds {
        /// One end of the edge.
        from: ProcessId,
        /// The other.
        to: ProcessId,
    },
    /// A path goes from one node to another that is not its neighbour.
    #[error("the path of edge {from} to {to} goes from node {near} to node {far}, expected a neighbour")]
    NoLink {
        /// One end of the edge.
        from: ProcessId,
        /// The other.
        to: ProcessId,
        /// The node.
        near: NodeId,
        /// The one that it goes to.
        far: NodeId,
    },
}

impl RoutedEmbedding {
    /// The embedding with vertex `v` on `nodes[v]`, and the edges on the paths that `path` gives:
    /// the nodes from that of the first end to that of the second, both included.
    ///
    /// # Errors
    ///
    /// When there is no vertex, a node, vertex or link does not exist, or a path has other ends.
    pub fn new(
        host: Machine,
        nodes: Vec<NodeId>,
        edges: impl IntoIterator<Item = (ProcessId, ProcessId)>,
        mut path: impl FnMut(ProcessId, ProcessId) -> Vec<NodeId>,
    ) -> Result<Self, RoutedEmbeddingError> {
        check_nodes(&host, &nodes)?;
        let mut embedding = Self { host, nodes, edges: vec![], ends: vec![], path_nodes: vec![] };
        for (from, to) in edges {
            for vertex in [from, to] {
                if vertex.label() as usize >= embedding.nodes.len() {
                    let vertices = embedding.nodes.len();
                    return Err(RoutedEmbeddingError::NoSuchVertex { vertex, vertices });
                }
            }
            let path = path(from, to);
            embedding.check_path(from, to, &path)?;
            embedding.edges.push((from, to));
            embedding.path_nodes.extend(path);
            embedding.ends.push(embedding.path_nodes.len());
        }
        Ok(embedding)
    }

    /// The embedding with vertex `v` on `nodes[v]`, and the edges on the routes that messages take
    /// on the host (`docs/model.md` section 4), ties by the direct direction.
    ///
    /// # Errors
    ///
    /// As [`RoutedEmbedding::new`].
    pub fn along_routes_of_the_host(
        host: Machine,
        nodes: Vec<NodeId>,
        edges: impl IntoIterator<Item = (ProcessId, ProcessId)>,
    ) -> Result<Self, RoutedEmbeddingError> {
        let (routes, places) = (host.clone(), nodes.clone());
        check_nodes(&host, &nodes)?;
        let node = move |vertex: ProcessId| places.get(vertex.label() as usize).copied();
        Self::new(host, nodes, edges, move |from, to| match (node(from), node(to)) {
            (Some(from), Some(to)) => route(&routes, from, to),
            _ => vec![],
        })
    }

    /// The host.
    #[must_use]
    pub fn host(&self) -> &Machine {
        &self.host
    }

    /// The nodes, by vertex.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The edges of the guest with their paths: all nodes from that of the first end to that of the
    /// second.
    pub fn paths(&self) -> impl Iterator<Item = ((ProcessId, ProcessId), &[NodeId])> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends);
        self.edges.iter().copied().zip(ranges.map(|(start, &end)| &self.path_nodes[start..end]))
    }

    /// Its load, dilation and congestion.
    #[must_use]
    pub fn measures(&self) -> RoutedMeasures {
        RoutedMeasures::of(self)
    }

    fn check_path(
        &self,
        from: ProcessId,
        to: ProcessId,
        path: &[NodeId],
    ) -> Result<(), RoutedEmbeddingError> {
        let node = |vertex: ProcessId| Some(&self.nodes[vertex.label() as usize]);
        if path.first() != node(from) || path.last() != node(to) {
            return Err(RoutedEmbeddingError::OtherEnds { from, to });
        }
        for pair in path.windows(2) {
            if !self.host.neighbours(pair[0]).any(|beside| beside == pair[1]) {
                return Err(RoutedEmbeddingError::NoLink { from, to, near: pair[0], far: pair[1] });
            }
        }
        Ok(())
    }
}

fn check_nodes(host: &Machine, nodes: &[NodeId]) -> Result<(), RoutedEmbeddingError> {
    let count = host.node_count();
    if nodes.is_empty() {
        return Err(RoutedEmbeddingError::NoVertices);
    }
    for (vertex, &node) in ProcessId::first(nodes.len() as u64).zip(nodes) {
        if u64::from(node.index()) >= count {
            return Err(RoutedEmbeddingError::NoSuchNode { vertex, node, greatest: count - 1 });
        }
    }
    Ok(())
}

/// The nodes of the host's own route, both ends included.
pub(super) fn route(host: &Machine, from: NodeId, to: NodeId) -> Vec<NodeId> {
    let channels = host.route(from, to, TieRule::Direct);
    channels.map(|channel| channel.node).chain([to]).collect()
}

/// The measures of an embedding (CS838 1999, "Basic definitions and notions"; `docs/model.md`
/// section 7), over its own routes.
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
    /// The most paths over one link, in either direction. A path that uses a link twice counts
    /// twice.
    pub link_congestion: u64,
    /// The most paths over one link in one direction, from the first end of their edge to the
    /// second.
    pub channel_congestion: u64,
}

impl RoutedMeasures {
    fn of(embedding: &RoutedEmbedding) -> Self {
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
            _ => loads.iter().filter(|&&(_, node_load)| node_load == load).count() as u64,
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

/// The most steps of paths with equal keys.
fn most_alike<K: Ord>(embedding: &RoutedEmbedding, key: impl Fn(NodeId, NodeId) -> K) -> u64 {
    let steps = embedding.paths().flat_map(|(_, path)| path.windows(2));
    let mut keys: Vec<K> = steps.map(|pair| key(pair[0], pair[1])).collect();
    keys.sort_unstable();
    keys.chunk_by(|one, other| one == other).map(|group| group.len() as u64).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use cubefold_topology::MachineKind;

    use super::*;

    /// One edge on the line of four nodes, its ends on these two.
    fn on_a_line(nodes: [u32; 2], path: &[u32]) -> Result<RoutedEmbedding, RoutedEmbeddingError> {
        let line = Machine::new(MachineKind::Line, &[4]).unwrap();
        let edge = (ProcessId::new(0), ProcessId::new(1));
        let path: Vec<NodeId> = path.iter().copied().map(NodeId::new).collect();
        RoutedEmbedding::new(line, nodes.map(NodeId::new).into(), [edge], |_, _| path.clone())
    }

    #[test]
    fn a_path_may_be_longer_than_the_distance_but_goes_over_links_from_end_to_end() {
        let error = |nodes, path| on_a_line(nodes, path).unwrap_err().to_string();
        assert_eq!(on_a_line([0, 1], &[0, 1, 2, 1]).unwrap().measures().dilation, 3);
        assert_eq!(
            error([0, 2], &[0, 2]),
            "the path of edge 0 to 1 goes from node 0 to node 2, expected a neighbour"
        );
        let other_ends = "the path of edge 0 to 1 does not lead from the node of 0 to the node of 1";
        assert_eq!(error([0, 2], &[0, 1]), other_ends);
        assert_eq!(error([0, 2], &[]), other_ends);
        assert_eq!(error([0, 4], &[0]), "vertex 1 on node 4, expected a node in 0 to 3");
    }

    #[test]
    fn edges_have_vertices_for_ends() {
        let line = Machine::new(MachineKind::Line, &[4]).unwrap();
        let edge = (ProcessId::new(0), ProcessId::new(1));
        let nodes = vec![NodeId::new(0)];
        let error =
            RoutedEmbedding::along_routes_of_the_host(line.clone(), nodes, [edge]).unwrap_err().to_string();
        assert_eq!(error, "an edge of vertex 1, expected vertices below 1");
        let none = RoutedEmbedding::along_routes_of_the_host(line, vec![], []).unwrap_err();
        assert_eq!(none.to_string(), "an embedding without vertices, expected at least one");
    }

    #[test]
    fn a_star_on_a_line_is_measured_by_hand() {
        // Vertex 0 in the middle of the line of five; 1 and 2 left of it, 3 and 4 both right beside
        // it.
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
