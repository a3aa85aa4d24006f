//! Numbers of lattice points by coordinate sum, and the numbering of meshes by it (`docs/model.md` sections 29.5
//! and 29.6).
//!
//! The numbering of a mesh by coordinate sums has the least dilation on a line (Moghadam 1983; Bollobás & Leader 1991).
//! On sides of 2 it is the byweight order of the d-cube (Harper 1966).

use std::cmp::Reverse;

use cubefold_topology::{NodeId, Shape};

/// The greatest sum of the side lengths for which points are counted by their sums.
pub(crate) const MAX_SUM: u64 = 1 << 24;

/// The numbers of points of a box by coordinate sum, for which a side counts `0..length` once or, about a centre,
/// other ranges: a product of sums of intervals.
#[derive(Debug, Clone)]
pub(crate) struct SumCounts(Vec<u64>);

impl SumCounts {
    /// The one point without coordinates.
    pub(crate) fn origin() -> Self {
        Self(vec![1])
    }

    /// Multiplies by one more coordinate, which takes each value of each of these ranges, both ends included; in time
    /// linear in the result for each range.
    pub(crate) fn times(&self, ranges: &[(u64, u64)]) -> Self {
        let greatest = ranges.iter().map(|&(_, last)| last).max().unwrap_or(0);
        let mut product = vec![0_u64; self.0.len() + index(greatest)];
        for &(first, last) in ranges.iter().filter(|(first, last)| first <= last) {
            let mut within = 0_u64; // the counts of the sums that the range reaches
            for (sum, entry) in product.iter_mut().enumerate().skip(index(first)) {
                within += self.0.get(sum - index(first)).copied().unwrap_or(0);
                let left = sum.checked_sub(index(last) + 1).and_then(|before| self.0.get(before));
                within -= left.copied().unwrap_or(0);
                *entry += within;
            }
        }
        Self(product)
    }

    /// The numbers of points with at most each sum.
    pub(crate) fn cumulative(mut self) -> Vec<u64> {
        for sum in 1..self.0.len() {
            self.0[sum] += self.0[sum - 1];
        }
        self.0
    }

    /// The largest sum of `width` consecutive numbers.
    fn largest_window(&self, width: u64) -> u64 {
        let width = index(width).min(self.0.len());
        let mut within: u64 = self.0[..width].iter().sum();
        let mut largest = within;
        for (entering, leaving) in self.0[width..].iter().zip(&self.0) {
            within = within + entering - leaving;
            largest = largest.max(within);
        }
        largest
    }
}

/// An index of a list that fits in memory.
fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The least dilation of a mesh of this shape on a line \[links\]; `None` for sides of over 2^24 in all.
///
/// With sides `k_1 >= k_2 >= ..` it is the sum over `i` of the largest sum of `k_i - 1` consecutive numbers of points of
/// `k_1 x .. x k_(i-1)` by coordinate sum. For cubes: `FitzGerald` 1974; for long sides: Otachi & Suda 2011.
#[must_use]
pub fn mesh_bandwidth(shape: &Shape) -> Option<u64> {
    let mut sides = shape.lengths().to_vec();
    sides.sort_unstable_by_key(|&side| Reverse(side));
    if let [_, shorter] = sides[..] {
        return Some(shorter);
    }
    if sides.len() == 1 {
        return Some(1);
    }
    if sides.iter().sum::<u64>() > MAX_SUM {
        return None;
    }
    let mut counts = SumCounts::origin();
    let mut dilation = 0;
    for side in sides {
        dilation += counts.largest_window(side - 1);
        counts = counts.times(&[(0, side - 1)]);
    }
    Some(dilation)
}

/// The nodes of a mesh by coordinate sum; among equal sums the one with the greater coordinate along the shortest side
/// first, among equal sides along the higher dimension.
#[must_use]
pub fn coordinate_sum_order(shape: &Shape) -> Vec<NodeId> {
    let mut dimensions: Vec<_> = shape.dimensions().collect();
    dimensions.sort_unstable_by_key(|&dimension| (shape.length(dimension), Reverse(dimension)));
    let key = |node: &NodeId| {
        let coordinates: Vec<u32> =
            dimensions.iter().map(|&dimension| shape.coordinate(*node, dimension)).collect();
        (coordinates.iter().map(|&coordinate| u64::from(coordinate)).sum::<u64>(), Reverse(coordinates))
    };
    let last = u32::try_from(shape.node_count() - 1).unwrap_or(u32::MAX);
    let mut nodes: Vec<NodeId> = (0..=last).map(NodeId::new).collect();
    nodes.sort_by_cached_key(key);
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(dimensions: usize, longest: u64) -> Vec<Vec<u64>> {
        (0..dimensions).fold(vec![vec![]], |shapes, _| {
            let longer = |shape: Vec<u64>| {
                (2..=longest).map(move |side| shape.iter().copied().chain([side]).collect::<Vec<u64>>())
            };
            shapes.into_iter().flat_map(longer).collect()
        })
    }

    fn measured(shape: &Shape) -> u64 {
        let mut places = vec![0_u64; usize::try_from(shape.node_count()).unwrap()];
        for (place, node) in (0..).zip(coordinate_sum_order(shape)) {
            places[node.index() as usize] = place;
        }
        let edges = (0..places.len()).flat_map(|node| {
            let next = move |dimension| {
                let id = NodeId::new(u32::try_from(node).unwrap());
                let is_last = u64::from(shape.coordinate(id, dimension)) + 1 == shape.length(dimension);
                (!is_last).then(|| node + usize::try_from(shape.stride(dimension)).unwrap())
            };
            shape.dimensions().filter_map(move |dimension| Some((node, next(dimension)?)))
        });
        edges.map(|(one, other)| places[one].abs_diff(places[other])).max().unwrap()
    }

    #[test]
    fn the_formula_is_the_measured_dilation_of_all_small_meshes() {
        for (dimensions, longest) in [(1, 9), (2, 8), (3, 6), (4, 4), (5, 3)] {
            for lengths in shapes(dimensions, longest) {
                let shape = Shape::new(&lengths).unwrap();
                assert_eq!(mesh_bandwidth(&shape), Some(measured(&shape)), "{lengths:?}");
            }
        }
    }

    /// The largest `phi(m)`: the fewest outside neighbours of any set of `m` vertices, by trying all sets.
    fn largest_profile(shape: &Shape) -> u32 {
        let count = usize::try_from(shape.node_count()).unwrap();
        let mut beside = vec![0_u32; count];
        for node in 0..count {
            let id = NodeId::new(u32::try_from(node).unwrap());
            for dimension in shape.dimensions() {
                if u64::from(shape.coordinate(id, dimension)) + 1 < shape.length(dimension) {
                    let next = node + usize::try_from(shape.stride(dimension)).unwrap();
                    beside[node] |= 1 << next;
                    beside[next] |= 1 << node;
                }
            }
        }
        // The neighbours of a set are those of its lower and its upper part.
        let split = count.min(14);
        let of_part = |first: usize, bits: usize| -> Vec<u32> {
            let mut all = vec![0_u32; 1 << bits];
            for set in 1..all.len() {
                let lowest = set.trailing_zeros() as usize;
                all[set] = all[set & (set - 1)] | beside[first + lowest];
            }
            all
        };
        let (low, high) = (of_part(0, split), of_part(split, count - split));
        let mut fewest = vec![u32::MAX; count + 1];
        for set in 0..1_usize << count {
            let neighbours = low[set & ((1 << split) - 1)] | high[set >> split];
            let outside = (neighbours & !u32::try_from(set).unwrap()).count_ones();
            let least = &mut fewest[set.count_ones() as usize];
            *least = outside.min(*least);
        }
        fewest.into_iter().max().unwrap()
    }

    #[test]
    fn no_numbering_of_a_small_mesh_is_better_by_all_sets() {
        for lengths in [vec![2, 3], vec![3, 3], vec![4, 3], vec![2, 2, 2], vec![2, 2, 3], vec![2, 2, 2, 2]] {
            let shape = Shape::new(&lengths).unwrap();
            assert_eq!(mesh_bandwidth(&shape), Some(largest_profile(&shape).into()), "{lengths:?}");
        }
    }

    #[test]
    #[ignore = "all sets of vertices of 30 meshes"]
    fn no_numbering_of_thirty_meshes_is_better_by_all_sets() {
        let descends = |lengths: &Vec<u64>| lengths.is_sorted_by(|one, next| one >= next);
        let all =
            [(2, 12), (3, 5), (4, 3)].into_iter().flat_map(|(dimensions, most)| shapes(dimensions, most));
        let small = all.filter(|lengths| descends(lengths) && lengths.iter().product::<u64>() <= 24);
        let meshes: Vec<Vec<u64>> = small.chain([vec![3, 3, 3], vec![5, 5]]).collect();
        assert!(meshes.len() >= 30, "{}", meshes.len());
        for lengths in meshes {
            let shape = Shape::new(&lengths).unwrap();
            assert_eq!(mesh_bandwidth(&shape), Some(largest_profile(&shape).into()), "{lengths:?}");
        }
    }

    #[test]
    fn cubes_and_long_meshes_have_the_dilation_of_the_literature() {
        let of = |lengths: &[u64]| mesh_bandwidth(&Shape::new(lengths).unwrap()).unwrap();
        for side in 2..12 {
            assert_eq!(of(&[side; 3]), (3 * side * side + 2 * side) / 4);
            assert_eq!(of(&[3 * side, side, side + 1]), side * (side + 1));
        }
        assert_eq!(of(&[5, 4, 3]), 12);
        assert_eq!(of(&[1 << 31, 2]), 2);
        assert_eq!(of(&[2; 20]), (0..20).map(central_binomial).sum::<u64>());
    }

    fn central_binomial(of: u64) -> u64 {
        (0..of / 2).fold(1, |product, step| product * (of - step) / (step + 1))
    }
}
