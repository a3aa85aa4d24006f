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
/// the order below, turned by a symmetry of the square. Three of the four nodes without an inner
/// vertex get the root and its children; the edges to the roots of the quarters take shortest paths
/// over channels that are free. Up to order 4 the symmetries were found by search.
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

/// The nodes of the vertices, in heap order.
pub(super) fn places(order: u32) -> Result<Vec<NodeId>, ClassicError> {
    let Pattern { side, vertices, .. } = pattern(order)?;
    Ok(nodes(vertices.into_iter().map(|(x, y)| x + side * y)))
}

type Place = (u32, u32);

/// A tree on a square mesh, in heap order.
#[derive(Debug, Clone)]
struct Pattern {
    side: u32,
    vertices: Vec<Place>,
    paths: Vec<Vec<Place>>, // to each vertex from its parent; empty to the root
    free: Place,            // the node without an inner vertex
}

/// One of the eight symmetries of a square: 1 mirrors the first coordinate, 2 the second, 4 then exchanges them.
type Symmetry = u32;

/// How four copies of a pattern make the next one. Quarters are lower left, lower right, upper left, upper right.
#[derive(Debug, Clone, Copy)]
struct Joining {
    symmetries: [Symmetry; 4], // of the quarters
    /// The quarters whose free nodes stay free, and get the left child of the root, the right child, and the root.
    roles: [usize; 4],
    /// The quarters below the left child and the right child.
    children: [usize; 4],
    /// The order in which paths are chosen: 0 and 1 to the children of the root, 2 + `q` to the root of quarter `q`.
    /// `None` for the shortest first.
    order: Option<[usize; 6]>,
}

/// For the orders 1 to 4, found by search: paths of at most 1, 2, 3 and 8 links. The longest way from the root to a
/// leaf has 2, 6, 12 and 25.
const SHORT_PATHS: [Joining; 4] = [
    joining([3, 1, 6, 5], [1, 3, 0, 2], [3, 2, 1, 0], [0, 5, 3, 4, 2, 1]),
    joining([7, 3, 2, 5], [0, 2, 1, 3], [2, 3, 0, 1], [0, 2, 4, 3, 1, 5]),
    joining([6, 5, 4, 4], [2, 3, 0, 1], [2, 3, 1, 0], [1, 2, 3, 5, 0, 4]),
    joining([5, 7, 3, 5], [3, 1, 0, 2], [3, 1, 2, 0], [2, 1, 4, 5, 0, 3]),
];

/// A joining that a search found, with its symmetries, the roles and children of the quarters, and the order of paths.
const fn joining(
    symmetries: [Symmetry; 4],
    roles: [usize; 4],
    children: [usize; 4],
    order: [usize; 6],
) -> Joining {
    Joining { symmetries, roles, children, order: Some(order) }
}

/// For any order, if all lower ones are joined in the same way: the free nodes of all but the first quarter meet in the
/// middle.
const ANY_ORDER: Joining =
    Joining { symmetries: [0, 2, 1, 4], roles: [0, 1, 2, 3], children: [1, 3, 0, 2], order: None };

/// A place of a pattern, `side` nodes long, in a quarter of the next larger mesh.
fn in_quarter(symmetry: Symmetry, quarter: usize, side: u32, (x, y): Place) -> Place {
    let x = if symmetry & 1 == 0 { x } else { side - 1 - x };
    let y = if symmetry & 2 == 0 { y } else { side - 1 - y };
    let (x, y) = if symmetry & 4 == 0 { (x, y) } else { (y, x) };
    (if quarter & 1 == 0 { x } else { x + side }, if quarter & 2 == 0 { y } else { y + side })
}

fn pattern(order: u32) -> Result<Pattern, ClassicError> {
    // A tree of one vertex on one node: the leaf.
    let mut pattern = Pattern { side: 1, vertices: vec![(0, 0)], paths: vec![vec![]], free: (0, 0) };
    let short = SHORT_PATHS.get(..order as usize);
    for next in 0..order {
        let joining = short.map_or(ANY_ORDER, |joinings| joinings[next as usize]);
        pattern = next_order(&pattern, joining).ok_or_else(|| ClassicError::NotFound {
            guest: format!("the tree of depth {}", 2 * (next + 1)),
            host: format!("the square mesh of side {}", 2 << next),
            steps: 4 << (2 * next),
        })?;
    }
    Ok(pattern)
}

/// The pattern of the next order, of four copies of this one.
fn next_order(pattern: &Pattern, joining: Joining) -> Option<Pattern> {
    let mut quarters = [0, 1, 2, 3].map(|quarter| turned(pattern, joining.symmetries[quarter], quarter));
    let [free, first, second, root] = joining.roles.map(|quarter| quarters[quarter].free);
    let mut channels = Channels::of(2 * pattern.side, &quarters);
    let [one, two, three, four] = joining.children;
    let parent = |quarter: usize| if quarter == one || quarter == two { first } else { second };
    let mut requests: Vec<(usize, Place, Place)> = vec![(0, root, first), (1, root, second)];
    requests.extend((0..4).map(|quarter| (2 + quarter, parent(quarter), quarters[quarter].vertices[0])));
    match joining.order {
        Some(order) => requests = order.into_iter().map(|which| requests[which]).collect(),
        // Routing the near ones first leaves the others more choice.
        None => requests.sort_by_key(|&(_, from, to)| from.0.abs_diff(to.0) + from.1.abs_diff(to.1)),
    }
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
    let vertices = joined(root, &under(first, one, two), &under(second, three, four));
    let paths = joined(vec![], &paths_under(&paths[0], one, two), &paths_under(&paths[1], three, four));
    Some(Pattern { side: 2 * pattern.side, vertices, paths, free })
}

fn turned(pattern: &Pattern, symmetry: Symmetry, quarter: usize) -> Pattern {
    let turn = |&place: &Place| in_quarter(symmetry, quarter, pattern.side, place);
    let all = |places: &[Place]| places.iter().map(turn).collect::<Vec<_>>();
    Pattern {
        side: pattern.side,
        vertices: all(&pattern.vertices),
        paths: pattern.paths.iter().map(|path| all(path)).collect(),
        free: turn(&pattern.free),
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

    /// A shortest path over free channels, which it takes; `None` if there is none.
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
    fn paths_are_short_and_so_is_the_longest_way_from_the_root_to_a_leaf() {
        let longest = |order| tree_on_mesh(order).unwrap().measures().dilation;
        assert_eq!([1, 2, 3, 4, 5].map(longest), [1, 2, 3, 8, 25]);
        let way = |order| {
            let embedding = tree_on_mesh(order).unwrap();
            let mut depths = vec![0; embedding.nodes().len()];
            for ((parent, child), path) in embedding.paths() {
                depths[child.label() as usize] = depths[parent.label() as usize] + path.len() - 1;
            }
            depths.into_iter().max().unwrap()
        };
        assert_eq!([1, 2, 3].map(way), [2, 6, 12]);
    }

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
