//! Complete binary trees on square meshes, no channel used twice.

use std::collections::{BTreeSet, VecDeque};

use cubefold_topology::{MachineKind, NodeId};

use super::{
    construction::{ClassicConstruction, Plan},
    error::{ClassicError, in_range},
    machines::{mesh, network_dimensions, nodes, square_order},
    routed_embedding::RoutedEmbedding,
    trees_in_cubes::{heap_edges, joined},
};
use crate::ProcessId;

/// The greatest `m` for which the patterns reach dilation `2^m + 2m`.
pub(super) const MAX_ORDER: u32 = 7;

/// A complete binary tree on a square mesh.
pub(super) static TREE_ON_MESH: ClassicConstruction = ClassicConstruction {
    name: "tree-on-mesh",
    summary: "a binary tree of 2 m levels on a mesh 2^m x 2^m, m at most 7",
    promised_dilation: "at most 2^m + 2 m",
    source: "simulation of parallel binary divide and conquer on 2D meshes",
    plan: |pair| {
        let depth = network_dimensions(pair.guest, MachineKind::BinaryTree)?;
        let order = square_order(pair.host).filter(|&order| order <= MAX_ORDER && depth == 2 * order)?;
        let links = (1 << order) + 2 * u64::from(order);
        Some(places(order).map(|places| Plan::at_most(links, places)))
    },
};

/// The complete binary tree of depth `2m` on the mesh `(2^m, 2^m)`: one leaf and, but for one node,
/// one inner vertex on every node; no channel is used by two edges, directed from parent to child;
/// dilation at most `2^m + 2m` (CS838 1999, simulation of parallel binary divide and conquer on 2D
/// meshes).
///
/// The figure of the notes is lost; the patterns are our own. Each quarter of the mesh is a mesh of
/// the order below, turned so that three of the four nodes without an inner vertex meet in the
/// middle. These get the root and its children; the edges to the roots of the quarters take
/// shortest paths over channels that are free.
///
/// # Errors
///
/// When `order`, `m`, is not 1 to 7: beyond, shortest free paths become too long.
pub fn tree_on_mesh(order: u32) -> Result<RoutedEmbedding, ClassicError> {
    in_range("order", order, 1..=MAX_ORDER)?;
    let Pattern { side, vertices, paths, .. } = pattern(order)?;
    let index = |&(x, y): &Place| NodeId::new(x + side * y);
    let places = vertices.iter().map(index).collect();
    let path = |_: ProcessId, child: ProcessId| paths[child.label() as usize].iter().map(index).collect();
    Ok(RoutedEmbedding::new(mesh(&[side.into(); 2])?, places, heap_edges(2 * order), path)?)
}

/// Where the vertices are, in heap order.
pub(super) fn places(order: u32) -> Result<Vec<NodeId>, ClassicError> {
    let Pattern { side, vertices, .. } = pattern(order)?;
    Ok(nodes(vertices.into_iter().map(|(x, y)| x + side * y)))
}

/// Coordinates in the mesh.
type Place = (u32, u32);

/// A tree on a square mesh, in heap order.
#[derive(Debug, Clone)]
struct Pattern {
    side: u32,
    vertices: Vec<Place>,
    paths: Vec<Vec<Place>>, // from the parent of each vertex to it; none to the root
    free: Place,            // the node without an inner vertex
}

/// The position of a quarter, `side` nodes long, in the next larger mesh.
type Turn = fn(u32, Place) -> Place;

/// The quarters: lower left, lower right, upper left, upper right. The free nodes of all but the
/// first meet in the middle.
const QUARTERS: [Turn; 4] = [
    |_, place| place,
    |side, (x, y)| (x + side, side - 1 - y),
    |side, (x, y)| (side - 1 - x, y + side),
    |side, (x, y)| (y + side, x + side),
];

fn pattern(order: u32) -> Result<Pattern, ClassicError> {
    // A tree of one vertex on one node: the leaf.
    let mut pattern = Pattern { side: 1, vertices: vec![(0, 0)], paths: vec![vec![]], free: (0, 0) };
    for next in 1..=order {
        pattern = next_order(&pattern).ok_or_else(|| ClassicError::NotFound {
            guest: format!("the tree of depth {}", 2 * next),
            host: format!("the square mesh of side {}", 1 << next),
            steps: 1 << (2 * next),
        })?;
    }
    Ok(pattern)
}

/// The pattern of the next order, of four turned copies of this one.
fn next_order(pattern: &Pattern) -> Option<Pattern> {
    let mut quarters = QUARTERS.map(|turn| turned(pattern, turn));
    let [free, first, second, root] = [0, 1, 2, 3].map(|quarter| quarters[quarter].free);
    let mut channels = Channels::of(2 * pattern.side, &quarters);
    // The root's children, then the roots of the quarters, the near ones first: they leave the
    // others more choice.
    let mut requests: Vec<(usize, Place, Place)> = vec![(0, root, first), (1, root, second)];
    let parents = [second, first, second, first];
    requests.extend((0..4).map(|quarter| (2 + quarter, parents[quarter], quarters[quarter].vertices[0])));
    requests.sort_by_key(|&(_, from, to)| from.0.abs_diff(to.0) + from.1.abs_diff(to.1));
    let mut paths = vec![vec![]; 6];
    for (which, from, to) in requests {
        paths[which] = channels.take_shortest(from, to)?;
    }
    for quarter in (0..4).rev() {
        quarters[quarter].paths[0] = paths.pop()?;
    }
    let under = |top: Place, left: usize, right: usize| {
        joined(top, &quarters[left].vertices, &quarters[right].vertices)
    };
    let paths_under = |top: &[Place], left: usize, right: usize| {
        joined(top.to_vec(), &quarters[left].paths, &quarters[right].paths)
    };
    let vertices = joined(root, &under(first, 1, 3), &under(second, 0, 2));
    let paths = joined(vec![], &paths_under(&paths[0], 1, 3), &paths_under(&paths[1], 0, 2));
    Some(Pattern { side: 2 * pattern.side, vertices, paths, free })
}

fn turned(pattern: &Pattern, turn: Turn) -> Pattern {
    let all = |places: &[Place]| places.iter().map(|&place| turn(pattern.side, place)).collect::<Vec<_>>();
    Pattern {
        side: pattern.side,
        vertices: all(&pattern.vertices),
        paths: pattern.paths.iter().map(|path| all(path)).collect(),
        free: turn(pattern.side, pattern.free),
    }
}

/// The channels of a square mesh that are taken.
struct Channels {
    side: u32,
    taken: BTreeSet<(Place, Place)>,
}

impl Channels {
    fn of(side: u32, quarters: &[Pattern; 4]) -> Self {
        let paths = quarters.iter().flat_map(|quarter| &quarter.paths);
        let taken = paths.flat_map(|path| path.windows(2).map(|pair| (pair[0], pair[1]))).collect();
        Self { side, taken }
    }

    /// A shortest path over free channels, which it takes; none when there is none.
    fn take_shortest(&mut self, from: Place, to: Place) -> Option<Vec<Place>> {
        let index = |(x, y): Place| (x + self.side * y) as usize;
        let mut before: Vec<Option<Place>> = vec![None; (self.side * self.side) as usize];
        before[index(from)] = Some(from);
        let mut waiting = VecDeque::from([from]);
        while before[index(to)].is_none() {
            let at = waiting.pop_front()?;
            for next in self.beside(at) {
                if before[index(next)].is_none() && !self.taken.contains(&(at, next)) {
                    before[index(next)] = Some(at);
                    waiting.push_back(next);
                }
            }
        }
        let mut path = vec![to];
        let mut at = to;
        while at != from {
            at = before[index(at)]?;
            path.push(at);
        }
        path.reverse();
        self.taken.extend(path.windows(2).map(|pair| (pair[0], pair[1])));
        Some(path)
    }

    /// The neighbours of a node: right, up, left, down.
    fn beside(&self, (x, y): Place) -> impl Iterator<Item = Place> {
        let (left, down) = (x.checked_sub(1), y.checked_sub(1));
        let inside = |at: u32| (at < self.side).then_some(at);
        let all = [
            inside(x + 1).map(|x| (x, y)),
            inside(y + 1).map(|y| (x, y)),
            left.map(|x| (x, y)),
            down.map(|y| (x, y)),
        ];
        all.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_channel_is_used_once_and_every_node_has_a_leaf_and_an_inner_vertex() {
        for order in 1..=MAX_ORDER {
            let embedding = tree_on_mesh(order).unwrap();
            let measures = embedding.measures();
            assert_eq!((measures.load, measures.least_load, measures.channel_congestion), (2, 1, 1));
            assert!(measures.dilation <= (1 << order) + 2 * u64::from(order), "{order}: {measures:?}");
            let inner = embedding.nodes().len() / 2;
            for (of_kind, count) in [(0..inner, inner), (inner..2 * inner + 1, inner + 1)] {
                let mut places = embedding.nodes()[of_kind].to_vec();
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len(), count, "order {order}");
            }
        }
    }
}
