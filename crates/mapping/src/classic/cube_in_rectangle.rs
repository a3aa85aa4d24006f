//! Meshes of equal sides in rectangular meshes of as many nodes, in any number of dimensions.
//!
//! CS838 1999, embeddings of cube meshes into rectangular meshes; `docs/model.md` section 28.6.

use cubefold_topology::{Machine, NodeId};

use super::{
    construction::{ClassicConstruction, Plan},
    error::ClassicError,
    machines::{guest_edges, is_mesh, is_open, mesh, nodes},
    routed_embedding::RoutedEmbedding,
};

pub(super) static CUBE_IN_RECTANGLE: ClassicConstruction = ClassicConstruction {
    name: "cube-in-rectangle",
    summary: "a mesh w x .. x w of n dimensions on a mesh of at most n of as many nodes, y its longest side",
    promised_dilation: "ceil(y / w)",
    source: "embeddings of cube meshes into rectangular meshes",
    plan: |pair| {
        let dimensions = pair.guest.shape().dimension_count();
        let meshes = CubeAndRectangle::new(dimensions, pair.host.shape().lengths())?;
        let fits = is_open(pair.host) && is_mesh(pair.guest, &meshes.cube_lengths());
        fits.then(|| Ok(Plan::exact(meshes.dilation(), meshes.places())))
    },
};

/// The mesh `w^n` in a mesh of at most `n` dimensions and `w^n` nodes, whose longest side is `z_1 > w`: dilation
/// `ceil(z_1 / w)` (CS838 1999, embeddings of cube meshes into rectangular meshes, and the corollary on meshes of
/// fewer dimensions).
///
/// The load is at most [`CubeAndRectangle::load`]. Layer `i` of the first dimension has a slab of the longest side, `h`
/// thick. The others go by recursion into a mesh without the shortest side, whose first side snakes through slab and
/// shortest side. Excess over the longest side is mirrored. In two dimensions every column snakes through columns of
/// the rectangle.
///
/// # Errors
///
/// When there are under two dimensions, or `w` is not a whole number or is the longest side.
pub fn cube_in_rectangle(dimensions: usize, rectangle: &[u64]) -> Result<RoutedEmbedding, ClassicError> {
    let meshes = CubeAndRectangle::new(dimensions, rectangle).ok_or_else(|| ClassicError::Pair {
        found: format!("a mesh of lengths {rectangle:?} for {dimensions} dimensions"),
        expected: "two or more dimensions, at most as many lengths, and a mesh of equal sides of as many nodes",
    })?;
    let edges = guest_edges(&meshes.cube()?);
    Ok(RoutedEmbedding::along_routes_of_the_host(mesh(rectangle)?, meshes.places(), edges)?)
}

/// A mesh of equal sides and a rectangular one of as many nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CubeAndRectangle {
    pub(super) side: u64,           // w, at least 2
    pub(super) rectangle: Vec<u64>, // as many as the cube has dimensions: those beyond the host's are 1
    pub(super) host_dimensions: usize,
}

impl CubeAndRectangle {
    /// Returns the pair of `rectangle` and a cube of `dimensions` dimensions, at least 2; `None` if there is no such
    /// cube, or it is the rectangle.
    #[must_use]
    pub fn new(dimensions: usize, rectangle: &[u64]) -> Option<Self> {
        let host_dimensions = rectangle.len();
        if dimensions < 2 || host_dimensions > dimensions {
            return None;
        }
        let power = |side: u64| side.checked_pow(u32::try_from(dimensions).ok()?);
        let node_count = rectangle.iter().try_fold(1_u64, |product, &length| product.checked_mul(length))?;
        let longest = *rectangle.iter().max()?;
        let side = (2..longest).find(|&side| power(side).is_none_or(|nodes| nodes >= node_count))?;
        if power(side) != Some(node_count) || u32::try_from(node_count).is_err() {
            return None;
        }
        let mut rectangle = rectangle.to_vec();
        rectangle.resize(dimensions, 1);
        Some(Self { side, rectangle, host_dimensions })
    }

    fn cube_lengths(&self) -> Vec<u64> {
        vec![self.side; self.rectangle.len()]
    }

    fn cube(&self) -> Result<Machine, ClassicError> {
        mesh(&self.cube_lengths())
    }

    /// `ceil(z_1 / w)`.
    pub(super) fn dilation(&self) -> u64 {
        self.rectangle.iter().max().map_or(0, |longest| longest.div_ceil(self.side))
    }

    /// The load that is promised: 2 if `w` divides the longest side at every level of the recursion, else `2^(n-1)`.
    #[must_use]
    pub fn load(&self) -> u64 {
        let mut sides = self.rectangle.clone();
        loop {
            sides.sort_unstable_by(|one, other| other.cmp(one));
            if !sides[0].is_multiple_of(self.side) {
                return 1 << (self.rectangle.len() - 1);
            }
            if sides.len() == 2 {
                return 2;
            }
            let shortest = sides.pop().unwrap_or(1);
            sides[0] = sides[0] / self.side * shortest;
        }
    }

    /// The nodes of the rectangle, by vertex.
    pub(super) fn places(&self) -> Vec<NodeId> {
        let vertices = self.rectangle.iter().product::<u64>();
        let node = |vertex: u64| {
            let mut rest = vertex;
            let coordinates: Vec<u64> = self
                .rectangle
                .iter()
                .map(|_| {
                    let coordinate = rest % self.side;
                    rest /= self.side;
                    coordinate
                })
                .collect();
            let place = place(self.side, &self.rectangle, &coordinates);
            let lengths = self.rectangle.iter().zip(&place).take(self.host_dimensions).rev();
            lengths.fold(0, |index, (length, coordinate)| index * length + coordinate)
        };
        nodes((0..vertices).filter_map(|vertex| u32::try_from(node(vertex)).ok()))
    }
}

/// The coordinates in the rectangle of a place of the cube of this side; there are as many lengths as coordinates, at
/// least 2, and at least as many nodes as in the cube.
fn place(side: u64, rectangle: &[u64], cube: &[u64]) -> Vec<u64> {
    let mut order: Vec<usize> = (0..rectangle.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(rectangle[at]));
    let sorted: Vec<u64> = order.iter().map(|&at| rectangle[at]).collect();
    let (longest, shortest) = (sorted[0], sorted[sorted.len() - 1]);
    let (layer, thickness, along, between) = if sorted.len() == 2 {
        (cube[0], side.div_ceil(shortest), cube[1], vec![])
    } else {
        let thickness = longest.div_ceil(side);
        let others = [&[thickness * shortest], &sorted[1..sorted.len() - 1]].concat();
        let mut inner = place(side, &others, &cube[1..]);
        let along = inner.remove(0);
        (cube[0], thickness, along, inner)
    };
    // The snake through the slab: to and fro along the shortest side.
    let (row, forth) = (along / shortest, along % shortest);
    let across = if row.is_multiple_of(2) { forth } else { shortest - 1 - forth };
    let found = [&[mirrored(layer * thickness + row, longest)], &between[..], &[across]].concat();
    let mut coordinates = vec![0; rectangle.len()];
    for (&at, coordinate) in order.iter().zip(found) {
        coordinates[at] = coordinate;
    }
    coordinates
}

/// A position on a line of this length, with the excess mirrored back.
fn mirrored(position: u64, length: u64) -> u64 {
    let within = position % (2 * length);
    within.min(2 * length - 1 - within)
}

/// All rectangles of at most `dimensions` dimensions with as many nodes as the cube, the longest side first; not the
/// cube itself.
#[cfg(test)]
pub(super) fn rectangles_of(side: u64, dimensions: usize) -> Vec<Vec<u64>> {
    fn factors(nodes: u64, most: u64, left: usize) -> Vec<Vec<u64>> {
        if nodes == 1 {
            return vec![vec![]];
        }
        let lengths = (2..=most.min(nodes)).filter(|&length| left > 0 && nodes.is_multiple_of(length));
        lengths
            .flat_map(|length| {
                let rest = factors(nodes / length, length, left - 1);
                rest.into_iter().map(move |rest| [&[length], &rest[..]].concat())
            })
            .collect()
    }
    let nodes = side.pow(u32::try_from(dimensions).unwrap());
    factors(nodes, nodes, dimensions).into_iter().filter(|lengths| lengths[0] != side).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_lie_in_rectangles_with_the_dilation_of_the_slabs() {
        for (dimensions, most) in [(2, 10), (3, 6), (4, 3), (5, 2)] {
            for lengths in (2..=most).flat_map(|side| rectangles_of(side, dimensions)) {
                let pair = CubeAndRectangle::new(dimensions, &lengths).unwrap();
                let measures = cube_in_rectangle(dimensions, &lengths).unwrap().measures();
                assert_eq!(measures.dilation, pair.dilation(), "{lengths:?}");
                assert!(measures.load <= pair.load(), "{lengths:?}: {measures:?}");
            }
        }
    }

    #[test]
    fn the_order_of_the_sides_changes_nothing() {
        let sorted = cube_in_rectangle(3, &[12, 9, 2]).unwrap().measures();
        for lengths in [[9, 12, 2], [2, 9, 12], [12, 2, 9]] {
            assert_eq!(cube_in_rectangle(3, &lengths).unwrap().measures(), sorted);
        }
    }

    #[test]
    fn rectangles_without_a_cube_are_refused() {
        for (dimensions, lengths) in [(3, vec![4, 4, 4]), (3, vec![8, 4]), (1, vec![8]), (2, vec![8, 4, 2])] {
            let error = cube_in_rectangle(dimensions, &lengths).unwrap_err().to_string();
            assert!(error.starts_with(&format!("a mesh of lengths {lengths:?} for {dimensions} dimensions")));
        }
    }
}
