//! Two-dimensional meshes of the same size in one another: squares and rectangles, and the
//! example of the meshes (2, 9) and (3, 6).
//!
//! CS838 1999, embeddings of cube meshes into rectangular meshes, and the reverse.

use cubefold_topology::{Machine, NodeId, narrow};

use super::{
    construction::{ClassicConstruction, Plan},
    cube_in_rectangle::CubeAndRectangle,
    error::ClassicError,
    machines::{guest_edges, is_mesh, is_open, mesh, nodes},
    rectangle_in_cube::Folding,
    routed_embedding::RoutedEmbedding,
};
use crate::ProcessId;

/// A square and a rectangle of the same size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SquareAndRectangle {
    side: u64,
    length: u64, // of the rectangle, more than `side`
    width: u64,  // of the rectangle, less than `side`, at least 2
}

impl SquareAndRectangle {
    /// The pair with a rectangle of these lengths, the longer first; `None` if it has no square, or
    /// is one.
    fn of_rectangle(lengths: [u64; 2]) -> Option<Self> {
        let [length, width] = lengths;
        let nodes = length.checked_mul(width).filter(|&nodes| nodes <= u32::MAX.into())?;
        let side = nodes.isqrt();
        (side * side == nodes && length > width && width >= 2).then_some(Self { side, length, width })
    }

    fn checked(lengths: [u64; 2]) -> Result<Self, ClassicError> {
        Self::of_rectangle(lengths).ok_or_else(|| ClassicError::Pair {
            found: format!("a rectangle of lengths {} and {}", lengths[0], lengths[1]),
            expected: "a longer one first and a square of as many nodes",
        })
    }

    fn square(self) -> Result<Machine, ClassicError> {
        mesh(&[self.side; 2])
    }

    fn rectangle(self) -> Result<Machine, ClassicError> {
        mesh(&[self.length, self.width])
    }

    /// The same pair among those of any number of dimensions.
    fn as_cube(self) -> CubeAndRectangle {
        let rectangle = vec![self.length, self.width];
        CubeAndRectangle { side: self.side, rectangle, host_dimensions: 2 }
    }
}

pub(super) static SQUARE_IN_RECTANGLE: ClassicConstruction = ClassicConstruction {
    name: "square-in-rectangle",
    summary: "a mesh w x w on a mesh y x z, y > z, with w w = y z",
    promised_dilation: "ceil(y / w)",
    source: "embeddings of cube meshes into rectangular meshes",
    plan: |pair| {
        let lengths: [u64; 2] = pair.host.shape().lengths().try_into().ok()?;
        let meshes = SquareAndRectangle::of_rectangle(lengths)?;
        let fits = is_open(pair.host) && is_mesh(pair.guest, &[meshes.side; 2]);
        fits.then(|| {
            let snake = meshes.as_cube();
            Ok(Plan::exact(snake.dilation(), snake.places()))
        })
    },
};

/// The square mesh `(w, w)` in the rectangular mesh `(z_1, z_2)` of the same size, `z_1 > z_2`:
/// dilation `ceil(z_1 / w)`, load at most 2, link congestion at most `2 (1 + ceil(z_1 / w))` (CS838
/// 1999, embeddings of cube meshes into rectangular meshes; errata N6).
///
/// Each column of the square snakes through `ceil(z_1 / w)` columns of the rectangle. Excess past
/// the last column is mirrored back.
///
/// # Errors
///
/// When the rectangle has no square of the same size, or its shorter length is first.
pub fn square_in_rectangle(rectangle: [u64; 2]) -> Result<RoutedEmbedding, ClassicError> {
    let pair = SquareAndRectangle::checked(rectangle)?;
    let edges = guest_edges(&pair.square()?);
    Ok(RoutedEmbedding::along_routes_of_the_host(pair.rectangle()?, pair.as_cube().places(), edges)?)
}

pub(super) static RECTANGLE_IN_SQUARE: ClassicConstruction = ClassicConstruction {
    name: "rectangle-in-square",
    summary: "a mesh y x z, y > z, on a mesh w x w with w w = y z",
    promised_dilation: "1",
    source: "embeddings of rectangular meshes into cube meshes",
    plan: |pair| {
        let lengths: [u64; 2] = pair.guest.shape().lengths().try_into().ok()?;
        let meshes = SquareAndRectangle::of_rectangle(lengths)?;
        let fits = is_open(pair.guest) && is_mesh(pair.host, &[meshes.side; 2]);
        fits.then(|| Ok(Plan::exact(1, paper_places(meshes))))
    },
};

/// The rectangular mesh `(z_1, z_2)`, `z_1 > z_2`, in the square mesh `(w, w)` of the same size:
/// dilation 1, load and link congestion 2 (CS838 1999, embeddings of rectangular meshes into cube
/// meshes).
///
/// The rectangle is folded like a strip of paper. It runs to and fro through the square, one run
/// above the other; to turn, it is folded twice at 45 degrees:
///
/// ```text
///   . . . . . \          the second fold: the strip turns back, above where it came from
///   - - - - - -+ |
///            \ | |
///            / | |       the first fold: the strip turns upwards
///   - - - - -+ |
///   . . . . /
/// ```
///
/// Under a fold some nodes have two vertices, and as many beside it have none. If no whole number of runs fits,
/// the remainder is folded straight back over the two free ends.
///
/// # Errors
///
/// When the rectangle has no square of the same size, or its shorter length is first.
pub fn rectangle_in_square(rectangle: [u64; 2]) -> Result<RoutedEmbedding, ClassicError> {
    let pair = SquareAndRectangle::checked(rectangle)?;
    let edges = guest_edges(&pair.rectangle()?);
    Ok(RoutedEmbedding::along_routes_of_the_host(pair.square()?, paper_places(pair), edges)?)
}

fn paper_places(pair: SquareAndRectangle) -> Vec<NodeId> {
    let SquareAndRectangle { side, length, width } = pair;
    let folding = Folding { long: 0, short: 1, length, width };
    nodes((0..side * side).map(|vertex| {
        let (x, y) = folding.place(side, vertex % length, vertex / length);
        narrow(x + side * y)
    }))
}

/// The direction of an embedding: which of the two meshes is the guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExampleMeshes {
    /// The mesh (2, 9) in the mesh (3, 6), as the notes draw it.
    TwoByNineInThreeBySix,
    /// The mesh (3, 6) in the mesh (2, 9), as their lemma has it.
    ThreeBySixInTwoByNine,
}

impl ExampleMeshes {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::TwoByNineInThreeBySix, Self::ThreeBySixInTwoByNine];

    /// The lengths of the guest.
    #[must_use]
    pub fn guest_lengths(self) -> [u64; 2] {
        match self {
            Self::TwoByNineInThreeBySix => [2, 9],
            Self::ThreeBySixInTwoByNine => [3, 6],
        }
    }

    /// The lengths of the host.
    #[must_use]
    pub fn host_lengths(self) -> [u64; 2] {
        match self {
            Self::TwoByNineInThreeBySix => [3, 6],
            Self::ThreeBySixInTwoByNine => [2, 9],
        }
    }

    /// The most edges over a link with the chosen routes.
    #[must_use]
    pub fn link_congestion(self) -> u64 {
        match self {
            Self::TwoByNineInThreeBySix => 2,
            Self::ThreeBySixInTwoByNine => 3,
        }
    }

    /// The nodes of the vertices, found by search; the first coordinate varies fastest in both
    /// meshes.
    fn node_indices(self) -> [u32; 18] {
        match self {
            Self::TwoByNineInThreeBySix => [0, 2, 1, 5, 3, 4, 6, 8, 7, 11, 9, 10, 12, 14, 15, 17, 13, 16],
            Self::ThreeBySixInTwoByNine => [0, 1, 2, 3, 5, 4, 7, 6, 8, 9, 10, 11, 13, 12, 15, 14, 16, 17],
        }
    }
}

pub(super) static EXAMPLE_MESHES: ClassicConstruction = ClassicConstruction {
    name: "example-meshes",
    summary: "a mesh 2 x 9 on a mesh 3 x 6, or the other way round",
    promised_dilation: "2",
    source: "embeddings among 2D rectangular meshes",
    plan: |pair| Some(Ok(Plan::exact(2, nodes(example_of(pair.guest, pair.host)?.node_indices())))),
};

pub(super) fn example_of(guest: &Machine, host: &Machine) -> Option<ExampleMeshes> {
    let fits = |example: &ExampleMeshes| {
        is_mesh(guest, &example.guest_lengths()) && is_mesh(host, &example.host_lengths())
    };
    ExampleMeshes::BOTH.into_iter().find(fits)
}

/// One of the meshes (2, 9) and (3, 6) in the other: load 1, dilation 2 (CS838 1999, embeddings
/// among 2D rectangular meshes).
///
/// Each edge that turns a corner takes one of the two paths, so that link congestion is 2 from (2,
/// 9) into (3, 6) and 3 the other way round, where no routes of two links have less; the notes
/// print 3 for the first (errata N7).
///
/// # Errors
///
/// None for these meshes.
pub fn example_meshes(example: ExampleMeshes) -> Result<RoutedEmbedding, ClassicError> {
    let (guest, host) = (mesh(&example.guest_lengths())?, mesh(&example.host_lengths())?);
    let places = nodes(example.node_indices());
    let edges = guest_edges(&guest);
    let node = |vertex: ProcessId| places[vertex.label() as usize];
    let ends: Vec<_> = edges.iter().map(|&(from, to)| (node(from), node(to))).collect();
    let mut chosen = vec![];
    if !choose_paths(&host, &ends, example.link_congestion(), &mut chosen) {
        return Err(ClassicError::NotFound {
            guest: format!("the mesh {:?}", example.guest_lengths()),
            host: format!("the mesh {:?}", example.host_lengths()),
            steps: 1 << edges.len(),
        });
    }
    let mut paths = chosen.into_iter();
    Ok(RoutedEmbedding::new(host, places.clone(), edges, |_, _| paths.next().unwrap_or_default())?)
}

/// Chooses a path of at most two links for each pair of nodes by exhaustive search, so that no link has
/// more than `most`.
fn choose_paths(host: &Machine, ends: &[(NodeId, NodeId)], most: u64, chosen: &mut Vec<Vec<NodeId>>) -> bool {
    let Some(&(from, to)) = ends.get(chosen.len()) else { return true };
    short_paths(host, from, to).into_iter().any(|path| {
        chosen.push(path);
        let found = fits(chosen, most) && choose_paths(host, ends, most, chosen);
        if !found {
            chosen.pop();
        }
        found
    })
}

/// The paths between two nodes over at most two links; between neighbours only the link.
fn short_paths(host: &Machine, from: NodeId, to: NodeId) -> Vec<Vec<NodeId>> {
    if host.neighbours(from).any(|beside| beside == to) {
        return vec![vec![from, to]];
    }
    let corners = host.neighbours(from).filter(|&corner| host.neighbours(corner).any(|beside| beside == to));
    corners.map(|corner| vec![from, corner, to]).collect()
}

/// Whether the links of the path chosen last are in at most `most` paths.
fn fits(chosen: &[Vec<NodeId>], most: u64) -> bool {
    let links = |path: &[NodeId]| {
        path.windows(2).map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1]))).collect::<Vec<_>>()
    };
    let last = chosen.last().map(|path| links(path)).unwrap_or_default();
    let all: Vec<_> = chosen.iter().flat_map(|path| links(path)).collect();
    last.iter().all(|link| all.iter().filter(|one| *one == link).count() as u64 <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All rectangles with a square of this side.
    fn rectangles(side: u64) -> impl Iterator<Item = [u64; 2]> {
        let widths = (2..side).filter(move |width| (side * side).is_multiple_of(*width));
        widths.map(move |width| [side * side / width, width])
    }

    #[test]
    fn squares_snake_through_rectangles() {
        for side in 3..=24_u64 {
            for lengths in rectangles(side) {
                let measures = square_in_rectangle(lengths).unwrap().measures();
                let columns = lengths[0].div_ceil(side);
                assert_eq!(measures.dilation, columns, "{lengths:?}");
                assert!(measures.load <= 2 && measures.link_congestion <= 2 * (1 + columns), "{lengths:?}");
                if lengths[0].is_multiple_of(side) {
                    assert_eq!((measures.load, measures.link_congestion), (1, 1 + columns), "{lengths:?}");
                }
            }
        }
    }

    #[test]
    fn rectangles_are_folded_into_squares_like_paper() {
        for side in 3..=24 {
            for lengths in rectangles(side) {
                let measures = rectangle_in_square(lengths).unwrap().measures();
                assert_eq!((measures.load, measures.dilation), (2, 1), "{lengths:?}");
                assert_eq!(measures.link_congestion, 2, "{lengths:?}");
            }
        }
    }

    #[test]
    fn rectangles_without_a_square_are_refused() {
        for lengths in [[4, 8], [8, 4], [4, 4], [16, 1]] {
            let error = rectangle_in_square(lengths).unwrap_err().to_string();
            let [longer, shorter] = lengths;
            let expected = "a longer one first and a square of as many nodes";
            assert_eq!(error, format!("a rectangle of lengths {longer} and {shorter}, expected {expected}"));
        }
    }

    #[test]
    fn both_have_dilation_2_and_no_more_congestion_than_said() {
        for example in ExampleMeshes::BOTH {
            let measures = example_meshes(example).unwrap().measures();
            assert_eq!((measures.load, measures.least_load, measures.dilation), (1, 1, 2), "{example:?}");
            assert_eq!(measures.link_congestion, example.link_congestion(), "{example:?}");
        }
    }
}
