//! Caterpillars as spanning trees of hypercubes.

use std::{cmp::Reverse, collections::BTreeSet};

use cubefold_topology::{Machine, NodeId};

use super::{
    construction::{ClassicConstruction, Plan},
    error::ClassicError,
    machines::{cube_dimensions, exponent, has_links_of_a_tree, hypercube, in_label_order, nodes},
    routed_embedding::RoutedEmbedding,
};
use crate::ProcessId;

/// The number of places that the search tries before it gives up.
const MAX_STEPS: u64 = 10_000_000;

/// A one-legged caterpillar: a path, the spine, with at most one leg at each of its vertices.
///
/// Vertices `0..spine` are the spine from end to end; the legs follow, in the order of their
/// vertices of the spine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caterpillar {
    spine: u32,     // at least 1
    legs: Vec<u32>, // the vertices of the spine that have one, ascending
}

impl Caterpillar {
    /// The caterpillar with a spine of `spine` vertices and legs at the given ones.
    ///
    /// # Errors
    ///
    /// When the spine has no vertex, a leg is at no vertex of it, or two are at one.
    pub fn new(spine: u32, legs: &[u32]) -> Result<Self, ClassicError> {
        let mut sorted = legs.to_vec();
        sorted.sort_unstable();
        let is_leg_shared = sorted.windows(2).any(|pair| pair[0] == pair[1]);
        if spine == 0 || is_leg_shared || sorted.last().is_some_and(|&last| last >= spine) {
            let found = format!("a spine of {spine} with legs at {legs:?}");
            return Err(ClassicError::Pair { found, expected: "legs at different vertices of the spine" });
        }
        Ok(Self { spine, legs: sorted })
    }

    /// The network as a caterpillar, with the label of every vertex; `None` if it is not a tree,
    /// or not a caterpillar.
    pub(super) fn of_network(network: &Machine) -> Option<(Self, Vec<ProcessId>)> {
        if !has_links_of_a_tree(network) {
            return None;
        }
        let spine = spine(network)?;
        let on_spine: BTreeSet<NodeId> = spine.iter().copied().collect();
        let mut legs = vec![];
        for (position, &node) in (0..).zip(&spine) {
            let beside = network.neighbours(node).filter(|beside| !on_spine.contains(beside));
            legs.extend(beside.map(|leg| (position, leg)));
        }
        let labels = spine.iter().copied().chain(legs.iter().map(|&(_, leg)| leg));
        let labels: Vec<ProcessId> = labels.map(|node| ProcessId::new(node.index())).collect();
        let positions: Vec<u32> = legs.into_iter().map(|(position, _)| position).collect();
        let caterpillar = Self::new(u32::try_from(spine.len()).ok()?, &positions).ok()?;
        (labels.len() as u64 == network.node_count()).then_some((caterpillar, labels))
    }

    /// The number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> u32 {
        self.spine + u32::try_from(self.legs.len()).unwrap_or(u32::MAX)
    }

    /// Whether the vertices at even and at odd distance from one end of the spine are equally many.
    #[must_use]
    pub fn is_balanced(&self) -> bool {
        let odd_on_spine = self.spine / 2;
        let odd_legs = self.legs.iter().filter(|leg| leg.is_multiple_of(2)).count();
        2 * (odd_on_spine as usize + odd_legs) == self.vertex_count() as usize
    }

    fn edges(&self) -> impl Iterator<Item = (ProcessId, ProcessId)> {
        let spine = (1..self.spine).map(|vertex| (vertex - 1, vertex));
        let legs = self.legs.iter().copied().zip(self.spine..);
        spine.chain(legs).map(|(one, other)| (ProcessId::new(one), ProcessId::new(other)))
    }

    /// The vertices in the order of the spine, each leg after its vertex; with each the vertex that
    /// it hangs from.
    fn head_to_tail(&self) -> Vec<(u32, Option<u32>)> {
        let leg =
            |vertex: u32| Some(self.spine + u32::try_from(self.legs.binary_search(&vertex).ok()?).ok()?);
        (0..self.spine)
            .flat_map(|vertex| {
                let leg = leg(vertex).map(|leg| (leg, Some(vertex)));
                [Some((vertex, vertex.checked_sub(1))), leg].into_iter().flatten()
            })
            .collect()
    }
}

pub(super) static CATERPILLAR: ClassicConstruction = ClassicConstruction {
    name: "caterpillar",
    summary: "a balanced one-legged caterpillar of 2^n on a hypercube of n dimensions",
    promised_dilation: "1",
    source: "embeddings of trees",
    plan: |pair| {
        let (caterpillar, labels) = Caterpillar::of_network(pair.guest)?;
        let fits = exponent(pair.guest.node_count()) == cube_dimensions(pair.host);
        let places = (fits && caterpillar.is_balanced()).then(|| caterpillar_places(&caterpillar))?;
        Some(places.map(|places| Plan::exact(1, in_label_order(&labels, &places))))
    },
};

/// A balanced one-legged caterpillar of `2^n` vertices as a spanning tree of the hypercube of `n`
/// dimensions: load 1, dilation 1 (CS838 1999, embeddings of trees).
///
/// Found by search.
///
/// # Errors
///
/// When it is not balanced, its number of vertices is not a power of two, or the search takes too long, which
/// does not happen up to 16 vertices.
pub fn caterpillar_in_cube(caterpillar: &Caterpillar) -> Result<RoutedEmbedding, ClassicError> {
    let places = caterpillar_places(caterpillar)?;
    let host = hypercube(caterpillar.vertex_count().ilog2())?;
    Ok(RoutedEmbedding::along_routes_of_the_host(host, places, caterpillar.edges())?)
}

pub(super) fn caterpillar_places(caterpillar: &Caterpillar) -> Result<Vec<NodeId>, ClassicError> {
    let vertices = caterpillar.vertex_count();
    if !vertices.is_power_of_two() || vertices < 2 || !caterpillar.is_balanced() {
        let found = format!("a spine of {} with legs at {:?}", caterpillar.spine, caterpillar.legs);
        return Err(ClassicError::Pair { found, expected: "a balanced caterpillar of 2^n vertices" });
    }
    let dimensions = vertices.ilog2();
    let mut search = Search {
        order: caterpillar.head_to_tail(),
        dimensions,
        places: vec![0; vertices as usize],
        taken: vec![false; vertices as usize],
        steps: 0,
    };
    if search.place(0, 0) {
        return Ok(nodes(search.places));
    }
    Err(ClassicError::NotFound {
        guest: format!("a caterpillar of {vertices} vertices"),
        host: format!("the hypercube of {dimensions} dimensions"),
        steps: MAX_STEPS,
    })
}

/// Vertices placed one after another, each beside the one that it hangs from.
struct Search {
    order: Vec<(u32, Option<u32>)>,
    dimensions: u32,
    places: Vec<u32>, // by vertex
    taken: Vec<bool>, // by node
    steps: u64,
}

impl Search {
    /// Whether the vertices from place `at` of the order on can be placed, if those before them use the
    /// first `used` dimensions. All unused dimensions are alike: only the first of them is tried.
    fn place(&mut self, at: usize, used: u32) -> bool {
        let Some(&(vertex, beside)) = self.order.get(at) else { return true };
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return false;
        }
        let Some(beside) = beside else { return self.put(at, vertex, 0, used) };
        let beside = self.places[beside as usize];
        let mut choices: Vec<u32> = (0..self.dimensions.min(used + 1)).collect();
        // Nodes with few free neighbours first: they are the hardest to place later.
        choices.sort_by_key(|&dimension| self.free_beside(beside ^ 1 << dimension));
        choices.into_iter().any(|dimension| {
            let node = beside ^ 1 << dimension;
            !self.taken[node as usize] && self.put(at, vertex, node, used.max(dimension + 1))
        })
    }

    fn put(&mut self, at: usize, vertex: u32, node: u32, used: u32) -> bool {
        self.taken[node as usize] = true;
        self.places[vertex as usize] = node;
        let found = self.place(at + 1, used);
        self.taken[node as usize] = found;
        found
    }

    fn free_beside(&self, node: u32) -> usize {
        let beside = (0..self.dimensions).map(|dimension| node ^ 1 << dimension);
        beside.filter(|&node| !self.taken[node as usize]).count()
    }
}

/// The longest path of a tree, from the end with the lower label: the farthest node from any node
/// is one end, the farthest from that the other.
fn spine(tree: &Machine) -> Option<Vec<NodeId>> {
    let network = tree.graph()?;
    let farthest = |from: NodeId| {
        let distances = network.distances_to(from);
        (0..).map(NodeId::new).zip(distances).max_by_key(|&(node, distance)| (distance, Reverse(node)))
    };
    let (one, _) = farthest(NodeId::new(0))?;
    let (other, _) = farthest(one)?;
    let (start, end) = (one.min(other), one.max(other));
    let distances = network.distances_to(end);
    let distance = |node: NodeId| distances[node.index() as usize];
    let mut path = vec![start];
    while let Some(&at) = path.last().filter(|&&at| at != end) {
        let nearer = distance(at)?.checked_sub(1);
        path.push(network.neighbours(at).iter().copied().find(|&next| distance(next) == nearer)?);
    }
    Some(path)
}

/// All balanced one-legged caterpillars with `vertices` vertices and no leg at an end of the spine.
///
/// # Complexity
///
/// O(2^vertices), all together.
pub fn balanced_caterpillars(vertices: u32) -> impl Iterator<Item = Caterpillar> {
    let least_spine = (vertices / 2 + 1).max(2);
    (least_spine..=vertices).flat_map(move |spine| {
        let inner = spine - 2;
        let choices = (0..1_u64 << inner).filter(move |choice| choice.count_ones() == vertices - spine);
        choices.filter_map(move |choice| {
            let legs = (1..=inner).filter(|&vertex| choice >> (vertex - 1) & 1 == 1).collect();
            Some(Caterpillar { spine, legs }).filter(Caterpillar::is_balanced)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_balanced_caterpillars_of_up_to_16_vertices_span_their_cube() {
        for vertices in [4, 8, 16] {
            let mut count = 0;
            for caterpillar in balanced_caterpillars(vertices) {
                let measures = caterpillar_in_cube(&caterpillar).unwrap().measures();
                let found = (measures.load, measures.least_load, measures.dilation);
                assert_eq!(found, (1, 1, 1), "{caterpillar:?}");
                count += 1;
            }
            assert!(count > 0, "{vertices}");
        }
    }

    #[test]
    fn caterpillars_of_32_vertices_span_their_cube() {
        let combs: [(u32, Vec<u32>); 4] = [
            (18, (1..15).collect()),
            (32, vec![]),
            (24, vec![1, 2, 3, 4, 5, 6, 7, 8]),
            (24, vec![1, 4, 7, 10, 13, 16, 19, 22]),
        ];
        for (spine, legs) in combs {
            let caterpillar = Caterpillar::new(spine, &legs).unwrap();
            assert!(caterpillar.is_balanced(), "{caterpillar:?}");
            let measures = caterpillar_in_cube(&caterpillar).unwrap().measures();
            assert_eq!((measures.load, measures.least_load, measures.dilation), (1, 1, 1));
        }
    }

    #[test]
    fn others_are_refused() {
        let message = |spine, legs: &[u32]| {
            let caterpillar = Caterpillar::new(spine, legs);
            caterpillar.and_then(|caterpillar| caterpillar_in_cube(&caterpillar)).unwrap_err().to_string()
        };
        let unbalanced = "a spine of 3 with legs at [1], expected a balanced caterpillar of 2^n vertices";
        assert_eq!(message(3, &[1]), unbalanced);
        let shared = "a spine of 3 with legs at [1, 1], expected legs at different vertices of the spine";
        assert_eq!(message(3, &[1, 1]), shared);
    }
}
