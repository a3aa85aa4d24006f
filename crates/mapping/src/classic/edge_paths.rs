//! The paths of the edges of a placement by a construction of the notes: `psi` of CS838 1999.
//!
//! A construction whose edges take paths of their own is in [`OWN_PATHS`]; the edges of all others take the routes of
//! the host, ties going the direct way, from the end with the lower label.

use cubefold_topology::{Machine, MachineKind, NodeId};

use super::{
    construction::ClassicConstruction,
    error::ClassicError,
    hypercubic_networks::{BUTTERFLY_IN_CYCLES, FOLDED_LEVELS, butterfly_in_cycles, folded_levels},
    machines::{guest_edges, network_dimensions, square_order},
    mesh_of_trees::{MESH_OF_TREES, mesh_of_trees},
    rectangles::{EXAMPLE_MESHES, example_meshes, example_of},
    routed_embedding::RoutedEmbedding,
    shuffle_networks::{SHUFFLE_THEN_EXCHANGE, shuffle_then_exchange},
    tour_cycle::{TOUR_CYCLE, tour_cycle},
    tree_on_mesh::{TREE_ON_MESH, tree_on_mesh},
    trees_in_cubes::{DOUBLE_ROOTED_TREE, tree_in_cube},
};
use crate::ProcessId;

/// Makes the paths of a guest on a host; `None` if the construction does not take their kinds.
type MakePaths = fn(&Machine, &Machine) -> Option<Result<RoutedEmbedding, ClassicError>>;

static OWN_PATHS: [(&ClassicConstruction, MakePaths); 8] = [
    (&DOUBLE_ROOTED_TREE, |guest, _| Some(tree_in_cube(network_dimensions(guest, MachineKind::BinaryTree)?))),
    (&TREE_ON_MESH, |_, host| Some(tree_on_mesh(square_order(host)?))),
    (&MESH_OF_TREES, |guest, _| Some(mesh_of_trees(network_dimensions(guest, MachineKind::MeshOfTrees)?))),
    (&EXAMPLE_MESHES, |guest, host| Some(example_meshes(example_of(guest, host)?))),
    (&BUTTERFLY_IN_CYCLES, |guest, _| {
        Some(butterfly_in_cycles(network_dimensions(guest, MachineKind::WrappedButterfly)?))
    }),
    (&FOLDED_LEVELS, |guest, _| {
        Some(folded_levels(network_dimensions(guest, MachineKind::WrappedButterfly)?))
    }),
    (&SHUFFLE_THEN_EXCHANGE, |guest, _| {
        Some(shuffle_then_exchange(network_dimensions(guest, MachineKind::DeBruijn)?))
    }),
    (&TOUR_CYCLE, |_, host| Some(tour_cycle(host))),
];

/// A path for every edge of a guest, by its two ends.
///
/// ```
/// use cubefold_mapping::{ClassicPlacement, ProcessId, classic::FlipBit};
/// use cubefold_topology::{Machine, MachineKind, NodeId};
///
/// // The tree of 3 levels in the 4-cube: the edge from the root to its right child goes by the removed second root.
/// let tree = Machine::of_dimensions(MachineKind::BinaryTree, 3)?;
/// let cube = Machine::new(MachineKind::Hypercube, &[2; 4])?;
/// let placement = ClassicPlacement::choose(&tree, &cube, &|_| FlipBit::LeftStays)?;
/// let paths = placement.paths()?;
/// let [root, child] = [0, 2].map(ProcessId::new);
/// let way: Vec<NodeId> = paths.path(root, child).unwrap().collect();
/// assert_eq!(way.len(), 3);
/// // Backwards from the child.
/// let back: Vec<NodeId> = paths.path(child, root).unwrap().collect();
/// assert!(back.iter().eq(way.iter().rev()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgePaths {
    edges: Vec<(ProcessId, ProcessId)>, // the lower label first, ascending
    firsts: Vec<usize>,                 // by edge, its first node; one more for the end of the last
    nodes: Vec<NodeId>,                 // of all paths, from the lower label
    is_own: bool,
}

impl EdgePaths {
    /// The paths that a construction gives to the edges of a guest on these nodes of a host.
    pub(super) fn new(
        construction: &ClassicConstruction,
        guest: &Machine,
        host: &Machine,
        nodes: &[NodeId],
    ) -> Result<Self, ClassicError> {
        let own_paths = OWN_PATHS.iter().find(|(named, _)| *named == construction);
        if let Some(embedding) = own_paths.and_then(|(_, paths)| paths(guest, host)) {
            Ok(Self::of(&embedding?, true))
        } else {
            let edges = guest_edges(guest);
            let embedding = RoutedEmbedding::along_routes_of_the_host(host.clone(), nodes.to_vec(), edges)?;
            Ok(Self::of(&embedding, false))
        }
    }

    /// The paths of an embedding: the construction's own, or routes of the host.
    fn of(embedding: &RoutedEmbedding, is_own: bool) -> Self {
        let mut paths: Vec<((ProcessId, ProcessId), Vec<NodeId>)> = embedding
            .paths()
            .map(|((from, to), path)| {
                let mut path = path.to_vec();
                if from > to {
                    path.reverse();
                }
                ((from.min(to), from.max(to)), path)
            })
            .collect();
        paths.sort_unstable_by_key(|&(edge, _)| edge);
        let mut edge_paths = Self { edges: vec![], firsts: vec![0], nodes: vec![], is_own };
        for (edge, path) in paths {
            edge_paths.edges.push(edge);
            edge_paths.nodes.extend(path);
            edge_paths.firsts.push(edge_paths.nodes.len());
        }
        edge_paths
    }

    /// Whether they are the construction's own: otherwise they are routes of the host.
    #[must_use]
    pub fn are_own(&self) -> bool {
        self.is_own
    }

    /// The nodes from that of a process to that of a neighbour, both included; backwards from the higher label.
    /// `None` between processes that are not neighbours.
    #[must_use]
    pub fn path(&self, from: ProcessId, to: ProcessId) -> Option<impl Iterator<Item = NodeId> + use<'_>> {
        let edge = self.edges.binary_search(&(from.min(to), from.max(to))).ok()?;
        let path = self.at(edge);
        let (forward, back) = if from < to { (path, [].as_slice()) } else { ([].as_slice(), path) };
        Some(forward.iter().chain(back.iter().rev()).copied())
    }

    /// All paths, from the lower labels.
    pub fn all(&self) -> impl Iterator<Item = &[NodeId]> {
        (0..self.edges.len()).map(|edge| self.at(edge))
    }

    /// The length of the longest path \[links\]; 0 without edges.
    #[must_use]
    pub fn longest(&self) -> u64 {
        self.all().map(|path| path.len() as u64 - 1).max().unwrap_or(0)
    }

    fn at(&self, edge: usize) -> &[NodeId] {
        &self.nodes[self.firsts[edge]..self.firsts[edge + 1]]
    }
}
