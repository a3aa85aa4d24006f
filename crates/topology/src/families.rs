//! Families of networks, each made from a number (CS838 1999): hypercubic ones, those made of shuffles, and trees.
//!
//! Two conventions that the notes leave open are fixed here: the gap between the levels `i` and `i + 1` of a butterfly
//! crosses bit `i`, and so does the cube link at position `i` of a cycle of the cube-connected cycles.

mod bit_runs;
mod butterfly;
mod de_bruijn;
mod shuffle_exchange;
mod symmetric;

use std::ops::RangeInclusive;

use self::{
    butterfly::Butterfly, de_bruijn::DeBruijn, shuffle_exchange::ShuffleExchange, symmetric::Rotation,
};
pub(crate) use self::{
    butterfly::LevelWalk,
    symmetric::{Moves, Symmetric},
};
use crate::{Network, NetworkError, trees::HeapDistances};

/// The lengths by which nodes are numbered, from the dimensions and the number of words of that many bits.
type Lengths = fn(u64, u64) -> Vec<u64>;

/// The links, from the dimensions.
type Links = fn(u32) -> Vec<(u32, u32)>;

/// A kind of network that is made from a number of dimensions; for a tree, of levels of links.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) dimensions: RangeInclusive<u64>, // the greatest have about 2^20 nodes
    lengths: Lengths,
    links: Links,
    with_formula: fn(Network, u32) -> Network, // if it has one
}

impl Family {
    /// The number of nodes; `None` if the dimensions are out of range.
    pub(crate) fn node_count(&self, dimensions: u64) -> Option<u64> {
        let order = u32::try_from(dimensions).ok().filter(|_| self.dimensions.contains(&dimensions))?;
        Some((self.lengths)(dimensions, 1 << order).iter().product())
    }

    /// Returns the lengths by which nodes are numbered, and the network; `None` if the dimensions are out of range.
    pub(crate) fn network(&self, dimensions: u64) -> Option<(Vec<u64>, Result<Network, NetworkError>)> {
        let order = u32::try_from(dimensions).ok().filter(|_| self.dimensions.contains(&dimensions))?;
        let lengths = (self.lengths)(dimensions, 1 << order);
        let nodes = u32::try_from(lengths.iter().product::<u64>()).ok()?;
        let network = Network::from_edges(nodes, &(self.links)(order));
        Some((lengths, network.map(|network| (self.with_formula)(network, order))))
    }

    pub(crate) const CUBE_CONNECTED_CYCLES: Self = Self {
        dimensions: 2..=16,
        lengths: |dimensions, words| vec![dimensions, words],
        links: cube_connected_cycles,
        with_formula: with_rotation,
    };

    pub(crate) const WRAPPED_BUTTERFLY: Self = Self {
        dimensions: 2..=16,
        lengths: |dimensions, words| vec![dimensions, words],
        links: wrapped_butterfly,
        with_formula: with_rotation,
    };

    pub(crate) const BUTTERFLY: Self = Self {
        dimensions: 1..=15,
        lengths: |dimensions, words| vec![dimensions + 1, words],
        links: butterfly,
        with_formula: |network, order| network.with_formula(Butterfly::new(order)),
    };

    pub(crate) const SHUFFLE_EXCHANGE: Self = Self {
        dimensions: 1..=shuffle_exchange::MAX_ORDER as u64,
        lengths: |_, words| vec![words],
        links: shuffle_exchange,
        with_formula: |network, order| network.with_formula(ShuffleExchange { order }),
    };

    pub(crate) const DE_BRUIJN: Self = Self {
        dimensions: 1..=20,
        lengths: |_, words| vec![words],
        links: de_bruijn,
        with_formula: |network, order| network.with_formula(DeBruijn { order }),
    };

    pub(crate) const BINARY_TREE: Self = Self {
        dimensions: 1..=19,
        lengths: |_, words| vec![2 * words - 1],
        links: binary_tree,
        with_formula: |network, _| network.with_formula(HeapDistances::new(2)),
    };

    pub(crate) const MESH_OF_TREES: Self = Self {
        dimensions: 1..=9,
        lengths: |_, words| vec![words * (3 * words - 2)],
        links: mesh_of_trees,
        with_formula: |network, _| network,
    };
}

/// The distances of a network that rotation and exclusive or map to itself.
fn with_rotation(network: Network, order: u32) -> Network {
    let formula = Symmetric::new(Rotation::new(order), &network);
    network.with_formula(formula)
}

/// `(i, x)` at `i + n x`: the cycle of word `x`, and a cube link across bit `i`.
fn cube_connected_cycles(order: u32) -> Vec<(u32, u32)> {
    positions(order, order)
        .flat_map(|(i, x)| {
            let node = |i, x| i + order * x;
            [(node(i, x), node((i + 1) % order, x)), (node(i, x), node(i, x ^ 1 << i))]
        })
        .collect()
}

/// `(i, x)` at `i + n x`: to level `i + 1 mod n`, straight and across bit `i`.
fn wrapped_butterfly(order: u32) -> Vec<(u32, u32)> {
    positions(order, order)
        .flat_map(|(i, x)| {
            let node = |i, x| i + order * x;
            let next = (i + 1) % order;
            [(node(i, x), node(next, x)), (node(i, x), node(next, x ^ 1 << i))]
        })
        .collect()
}

/// `(i, x)` at `i + (n + 1) x`, `i` in `0..=n`: to level `i + 1`, straight and across bit `i`.
fn butterfly(order: u32) -> Vec<(u32, u32)> {
    positions(order, order)
        .flat_map(|(i, x)| {
            let node = |i, x| i + (order + 1) * x;
            [(node(i, x), node(i + 1, x)), (node(i, x), node(i + 1, x ^ 1 << i))]
        })
        .collect()
}

/// A word to the one rotated left, and to the one with the other last bit.
fn shuffle_exchange(order: u32) -> Vec<(u32, u32)> {
    let greatest = (1 << order) - 1;
    let rotated = |word: u32| (word << 1 | word >> (order - 1)) & greatest;
    (0..=greatest).flat_map(|word| [(word, rotated(word)), (word, word ^ 1)]).collect()
}

/// A word to both that it becomes when its bits move left by one.
fn de_bruijn(order: u32) -> Vec<(u32, u32)> {
    let greatest = (1 << order) - 1;
    let moved = |word: u32, bit| (word << 1 | bit) & greatest;
    (0..=greatest).flat_map(|word| [(word, moved(word, 0)), (word, moved(word, 1))]).collect()
}

/// The root 0, and below a vertex `v` the vertices `2v + 1` and `2v + 2`.
fn binary_tree(levels: u32) -> Vec<(u32, u32)> {
    (1..(2 << levels) - 1).map(|vertex| ((vertex - 1) / 2, vertex)).collect()
}

/// Leaf `(r, c)` at `c + 2^n r`; then the inner vertices of the trees over the rows, tree by tree, each as in
/// [`binary_tree`]; then those over the columns.
fn mesh_of_trees(order: u32) -> Vec<(u32, u32)> {
    let (side, inner) = (1 << order, (1 << order) - 1);
    let leaf = |row, column| column + side * row;
    let vertex = |base: u32, tree: u32, at: u32, leaf_at: &dyn Fn(u32) -> u32| {
        if at < inner { base + inner * tree + at } else { leaf_at(at - inner) }
    };
    let tree = |base, tree, leaf_at: &dyn Fn(u32) -> u32| -> Vec<(u32, u32)> {
        let place = |at| vertex(base, tree, at, leaf_at);
        binary_tree(order).into_iter().map(|(above, below)| (place(above), place(below))).collect()
    };
    let rows = (0..side).flat_map(|row| tree(side * side, row, &|column| leaf(row, column)));
    let columns = (0..side).flat_map(|column| tree(side * (side + inner), column, &|row| leaf(row, column)));
    rows.chain(columns).collect()
}

/// The levels or positions `0..levels`, for every word of `order` bits.
fn positions(levels: u32, order: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..1 << order).flat_map(move |word| (0..levels).map(move |level| (level, word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(family: &Family, dimensions: u64) -> Network {
        family.network(dimensions).unwrap().1.unwrap()
    }

    /// Nodes, links, greatest degree and diameter.
    fn figures(family: &Family, dimensions: u64) -> (u64, u64, usize, u32) {
        let network = network(family, dimensions);
        let nodes = (0..u32::try_from(network.node_count()).unwrap()).map(crate::NodeId::new);
        let distances = nodes.flat_map(|node| network.distances_to(node)).map(Option::unwrap);
        (network.node_count(), network.link_count(), network.max_degree(), distances.max().unwrap())
    }

    #[test]
    fn families_have_the_sizes_and_diameters_of_the_literature() {
        // Cube-connected cycles have the diameter 2n + floor(n/2) - 2 for n > 3, and 6 for n = 3.
        assert_eq!(figures(&Family::CUBE_CONNECTED_CYCLES, 3), (24, 36, 3, 6));
        assert_eq!(figures(&Family::CUBE_CONNECTED_CYCLES, 5), (160, 240, 3, 10));
        assert_eq!(figures(&Family::WRAPPED_BUTTERFLY, 4), (64, 128, 4, 6)); // floor(3n/2)
        assert_eq!(figures(&Family::BUTTERFLY, 4), (80, 128, 4, 8)); // 2n
        assert_eq!(figures(&Family::SHUFFLE_EXCHANGE, 4), (16, 21, 3, 7)); // 2n - 1
        // 2^(n+1) words, less 2 loops and the one link counted twice.
        assert_eq!(figures(&Family::DE_BRUIJN, 4), (16, 29, 4, 4)); // n
        assert_eq!(figures(&Family::BINARY_TREE, 3), (15, 14, 3, 6));
        assert_eq!(figures(&Family::MESH_OF_TREES, 2), (40, 48, 3, 8)); // 4 n
        assert_eq!(figures(&Family::MESH_OF_TREES, 1).0, 8);
    }

    #[test]
    fn a_mesh_of_trees_is_trees_over_rows_and_columns() {
        let network = network(&Family::MESH_OF_TREES, 1);
        let links: Vec<_> = network.links().map(|(one, other)| (one.index(), other.index())).collect();
        // Leaves 0..4 in two rows, row roots 4 and 5, column roots 6 and 7.
        assert_eq!(links, [(0, 4), (0, 6), (1, 4), (1, 7), (2, 5), (2, 6), (3, 5), (3, 7)]);
    }

    #[test]
    fn orders_out_of_range_are_none() {
        assert!(Family::CUBE_CONNECTED_CYCLES.network(1).is_none());
        assert!(Family::DE_BRUIJN.network(21).is_none());
        assert_eq!(network(&Family::DE_BRUIJN, 1).link_count(), 1);
        assert_eq!(network(&Family::WRAPPED_BUTTERFLY, 2).link_count(), 12);
    }
}
