//! Lines and rings in hypercubes, by the Gray code, and on square meshes, by recursive numberings.
//!
//! CS838 1999, embeddings of paths and cycles, and recursive patterns. Every construction has load
//! 1 and puts a vertex on every node; all but the numbering without turns have dilation 1.

use cubefold_topology::{Machine, MachineKind, NodeId};

use super::{
    construction::{ClassicConstruction, Pair, Plan},
    error::{ClassicError, in_range},
    machines::{
        MAX_DIMENSIONS, cube_dimensions, guest_edges, hypercube, is_line, is_ring, mesh, nodes, square_order,
    },
    routed_embedding::RoutedEmbedding,
};
use crate::gray_code_word;

pub(super) static GRAY_PATH: ClassicConstruction = ClassicConstruction {
    name: "gray-path",
    summary: "a line of 2^n on a hypercube of n dimensions",
    promised_dilation: "1",
    source: "embeddings of paths and cycles",
    plan: |pair| gray_plan(pair, is_line(pair.guest)),
};

/// The line of `2^n` vertices as a Hamiltonian path of the hypercube of `n` dimensions: vertex `b`
/// on node `b xor (b >> 1)`, dilation 1 (CS838 1999, embeddings of paths and cycles).
///
/// # Errors
///
/// When `dimensions` is not 1 to 20.
pub fn gray_path(dimensions: u32) -> Result<RoutedEmbedding, ClassicError> {
    embed_by_gray_code(MachineKind::Line, in_range("dimensions", dimensions, 1..=MAX_DIMENSIONS)?)
}

pub(super) static GRAY_CYCLE: ClassicConstruction = ClassicConstruction {
    name: "gray-cycle",
    summary: "a ring of 2^n on a hypercube of n dimensions, n at least 2",
    promised_dilation: "1",
    source: "embeddings of paths and cycles",
    plan: |pair| gray_plan(pair, is_ring(pair.guest)),
};

/// The ring of `2^n` vertices as a Hamiltonian cycle of the hypercube of `n` dimensions, dilation 1
/// (as above).
///
/// # Errors
///
/// When `dimensions` is not 2 to 20: two nodes have one link, and no cycle.
pub fn gray_cycle(dimensions: u32) -> Result<RoutedEmbedding, ClassicError> {
    embed_by_gray_code(MachineKind::Ring, in_range("dimensions", dimensions, 2..=MAX_DIMENSIONS)?)
}

/// The Gray code, if the guest has the right kind.
fn gray_plan(pair: Pair<'_>, is_kind: bool) -> Option<Result<Plan, ClassicError>> {
    let dimensions = cube_dimensions(pair.host).filter(|_| is_kind && pair.has_same_size())?;
    (dimensions <= MAX_DIMENSIONS).then(|| Ok(Plan::exact(1, gray_places(1 << dimensions))))
}

fn gray_places(vertices: u32) -> Vec<NodeId> {
    nodes((0..vertices).map(gray_code_word))
}

fn embed_by_gray_code(kind: MachineKind, dimensions: u32) -> Result<RoutedEmbedding, ClassicError> {
    let guest = Machine::new(kind, &[1 << dimensions])?;
    let host = hypercube(dimensions)?;
    Ok(RoutedEmbedding::along_routes_of_the_host(host, gray_places(1 << dimensions), guest_edges(&guest))?)
}

const MAX_ORDER: u32 = 10;

pub(super) static RECURSIVE_PATH: ClassicConstruction = ClassicConstruction {
    name: "recursive-path",
    summary: "a line of 4^i on a mesh 2^i x 2^i",
    promised_dilation: "1",
    source: "recursive patterns",
    plan: |pair| numbering_plan(pair, is_line(pair.guest), |_| 1, path_places),
};

/// The line of `4^i` vertices as a Hamiltonian path of the square mesh of side `2^i`, quarter by
/// quarter: dilation 1 (CS838 1999, recursive patterns).
///
/// ```text
///   5  6  9 10      of the four quarters, the first and the last
///   4  7  8 11      are turned so that the ends meet
///   3  2 13 12
///   0  1 14 15
/// ```
///
/// # Errors
///
/// When `order` is not 1 to 10.
pub fn recursive_path(order: u32) -> Result<RoutedEmbedding, ClassicError> {
    embed_numbering(MachineKind::Line, order, path_places)
}

pub(super) static RECURSIVE_CYCLE: ClassicConstruction = ClassicConstruction {
    name: "recursive-cycle",
    summary: "a ring of 4^i on a mesh 2^i x 2^i",
    promised_dilation: "1",
    source: "recursive patterns",
    plan: |pair| numbering_plan(pair, is_ring(pair.guest), |_| 1, cycle_places),
};

/// The ring of `4^i` vertices as a Hamiltonian cycle of the square mesh of side `2^i`, quarter by
/// quarter: dilation 1 (as above).
///
/// # Errors
///
/// When `order` is not 1 to 10.
pub fn recursive_cycle(order: u32) -> Result<RoutedEmbedding, ClassicError> {
    embed_numbering(MachineKind::Ring, order, cycle_places)
}

pub(super) static Z_ORDER: ClassicConstruction = ClassicConstruction {
    name: "z-order",
    summary: "a line of 4^i on a mesh 2^i x 2^i",
    promised_dilation: "2^i",
    source: "recursive patterns",
    plan: |pair| numbering_plan(pair, is_line(pair.guest), |order| 1 << order, z_places),
};

/// The line of `4^i` vertices on the square mesh of side `2^i`, quarters after one another without
/// turning them (a Peano curve in the notes): dilation `2^i`, between the second quarter and
/// the third (as above).
///
/// The bits of the two coordinates alternate in the number of a vertex.
///
/// # Errors
///
/// When `order` is not 1 to 10.
pub fn z_order(order: u32) -> Result<RoutedEmbedding, ClassicError> {
    embed_numbering(MachineKind::Line, order, z_places)
}

fn embed_numbering(
    kind: MachineKind,
    order: u32,
    places: fn(u32) -> Vec<NodeId>,
) -> Result<RoutedEmbedding, ClassicError> {
    in_range("order", order, 1..=MAX_ORDER)?;
    let guest = Machine::new(kind, &[1 << (2 * order)])?;
    let host = mesh(&[1 << order; 2])?;
    Ok(RoutedEmbedding::along_routes_of_the_host(host, places(order), guest_edges(&guest))?)
}

/// A numbering of a square mesh, if the guest has the right kind.
fn numbering_plan(
    pair: Pair<'_>,
    is_kind: bool,
    dilation: fn(u32) -> u64,
    places: fn(u32) -> Vec<NodeId>,
) -> Option<Result<Plan, ClassicError>> {
    let order = square_order(pair.host).filter(|_| is_kind && pair.has_same_size())?;
    (order <= MAX_ORDER).then(|| Ok(Plan::exact(dilation(order), places(order))))
}

fn path_places(order: u32) -> Vec<NodeId> {
    nodes(path(order).into_iter().map(|(x, y)| x + (y << order)))
}

/// The nodes of the cycle's vertices: two paths up on the left, two down on the right.
fn cycle_places(order: u32) -> Vec<NodeId> {
    let (quarter, side) = (path(order - 1), 1 << (order - 1));
    let turned = |quarter: &[(u32, u32)]| {
        let up = quarter.iter().map(|&(x, y)| (side - 1 - y, x)).collect::<Vec<_>>();
        let down = quarter.iter().map(|&(x, y)| (side + y, side - 1 - x)).collect::<Vec<_>>();
        (up, down)
    };
    let (up, down) = turned(&quarter);
    let raised = |half: &[(u32, u32)]| half.iter().map(|&(x, y)| (x, y + side)).collect::<Vec<_>>();
    let all = [up.clone(), raised(&up), raised(&down), down].concat();
    nodes(all.into_iter().map(|(x, y)| x + (y << order)))
}

/// The nodes of the vertices, numbered without turns.
fn z_places(order: u32) -> Vec<NodeId> {
    let every_other = |bits: u32| (0..order).map(|bit| (bits >> (2 * bit) & 1) << bit).sum::<u32>();
    nodes((0..1 << (2 * order)).map(|vertex| every_other(vertex) + (every_other(vertex >> 1) << order)))
}

/// The path from the first corner to the second, the lower right one.
fn path(order: u32) -> Vec<(u32, u32)> {
    let mut path = vec![(0, 0)];
    for order in 0..order {
        let side = 1 << order;
        let first = path.iter().map(|&(x, y)| (y, x));
        let second = path.iter().map(|&(x, y)| (x, y + side));
        let third = path.iter().map(|&(x, y)| (x + side, y + side));
        let fourth = path.iter().map(|&(x, y)| (2 * side - 1 - y, side - 1 - x));
        path = first.chain(second).chain(third).chain(fourth).collect();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recursive_numberings_go_from_neighbour_to_neighbour() {
        for order in 1..=7 {
            for embedding in [recursive_path(order).unwrap(), recursive_cycle(order).unwrap()] {
                let measures = embedding.measures();
                assert_eq!((measures.load, measures.least_load, measures.dilation), (1, 1, 1));
            }
        }
    }

    #[test]
    fn the_path_is_that_of_the_picture() {
        let corner: Vec<u32> = path_places(2).iter().map(|node| node.index()).collect();
        assert_eq!(corner, [0, 1, 5, 4, 8, 12, 13, 9, 10, 14, 15, 11, 7, 6, 2, 3]);
    }

    #[test]
    fn without_turns_the_longest_step_is_a_side() {
        for order in 1..=7 {
            let measures = z_order(order).unwrap().measures();
            assert_eq!((measures.load, measures.dilation), (1, 1 << order));
        }
    }

    #[test]
    fn orders_out_of_range_are_refused() {
        assert_eq!(z_order(0).unwrap_err().to_string(), "order 0, expected 1 to 10");
        assert_eq!(recursive_cycle(11).unwrap_err().to_string(), "order 11, expected 1 to 10");
    }
}
