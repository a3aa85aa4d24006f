//! Square meshes and rectangular ones of the same size, in one another.

use cubefold_topology::{Machine, NodeId};

use super::{
    construction::{ClassicConstruction, Plan},
    error::ClassicError,
    machines::{guest_edges, is_mesh, is_open, mesh, nodes},
    routed_embedding::RoutedEmbedding,
};

/// A square and a rectangle of as many nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SquareAndRectangle {
    side: u32,
    length: u32, // of the rectangle, more than `side`
    width: u32,  // of the rectangle, less than `side`, at least 2
}

impl SquareAndRectangle {
    /// The pair with a rectangle of these lengths, the longer first; none when it has no square, or is one.
    pub(super) fn of_rectangle(lengths: [u64; 2]) -> Option<Self> {
        let [length, width] = lengths.map(|length| u32::try_from(length).ok());
        let (length, width) = (length?, width?);
        let nodes = length.checked_mul(width)?;
        let side = nodes.isqrt();
        (side * side == nodes && length > width && width >= 2).then_some(Self { side, length, width })
    }

    fn checked(lengths: [u64; 2]) -> Result<Self, ClassicError> {
        Self::of_rectangle(lengths).ok_or_else(|| ClassicError::Pair {
            found: format!("a rectangle of lengths {} and {}", lengths[0], lengths[1]),
            expected: "a longer one first and a square of as many nodes",
        })
    }

    /// `ceil(z_1 / w)`: columns of the rectangle for one of the square.
    pub(super) fn columns(self) -> u32 {
        self.length.div_ceil(self.side)
    }

    fn square(self) -> Result<Machine, ClassicError> {
        mesh(&[self.side.into(); 2])
    }

    fn rectangle(self) -> Result<Machine, ClassicError> {
        mesh(&[self.length.into(), self.width.into()])
    }
}

/// A square mesh that snakes, column by column, through a rectangular one.
pub(super) static SQUARE_IN_RECTANGLE: ClassicConstruction = ClassicConstruction {
    name: "square-in-rectangle",
    summary: "a mesh w x w on a mesh y x z, y > z, with w w = y z",
    promised_dilation: "ceil(y / w)",
    source: "embeddings of cube meshes into rectangular meshes",
    plan: |pair| {
        let lengths: [u64; 2] = pair.host.shape().lengths().try_into().ok()?;
        let meshes = SquareAndRectangle::of_rectangle(lengths)?;
        let fits = is_open(pair.host) && is_mesh(pair.guest, &[meshes.side.into(); 2]);
        fits.then(|| Ok(Plan::exact(meshes.columns().into(), snaking_places(meshes))))
    },
};

/// The square mesh `(w, w)` in the rectangular mesh `(z_1, z_2)` of as many nodes, `z_1 > z_2`: dilation
/// `ceil(z_1 / w)`, load at most 2, link congestion at most `2 (1 + ceil(z_1 / w))` (CS838 1999, embeddings of cube
/// meshes into rectangular meshes; errata N6).
///
/// Each column of the square snakes through `ceil(z_1 / w)` columns of the rectangle. What goes past the last column
/// is mirrored back.
///
/// # Errors
///
/// When the rectangle has no square of the same size, or the shorter length first.
pub fn square_in_rectangle(rectangle: [u64; 2]) -> Result<RoutedEmbedding, ClassicError> {
    let pair = SquareAndRectangle::checked(rectangle)?;
    let edges = guest_edges(&pair.square()?);
    Ok(RoutedEmbedding::along_routes_of_the_host(pair.rectangle()?, snaking_places(pair), edges)?)
}

/// Where the vertices of the square are in the rectangle.
pub(super) fn snaking_places(pair: SquareAndRectangle) -> Vec<NodeId> {
    let SquareAndRectangle { side, length, width } = pair;
    nodes((0..side * side).map(|vertex| {
        let (column, position) = (vertex % side, vertex / side);
        let (turn, forth) = (position / width, position % width);
        let row = if turn.is_multiple_of(2) { forth } else { width - 1 - forth };
        let straight = column * pair.columns() + turn;
        let column = if straight < length { straight } else { 2 * length - 1 - straight };
        column + length * row
    }))
}

/// A rectangular mesh folded into a square one like paper.
pub(super) static RECTANGLE_IN_SQUARE: ClassicConstruction = ClassicConstruction {
    name: "rectangle-in-square",
    summary: "a mesh y x z, y > z, on a mesh w x w with w w = y z",
    promised_dilation: "1",
    source: "embeddings of rectangular meshes into cube meshes",
    plan: |pair| {
        let lengths: [u64; 2] = pair.guest.shape().lengths().try_into().ok()?;
        let meshes = SquareAndRectangle::of_rectangle(lengths)?;
        let fits = is_open(pair.guest) && is_mesh(pair.host, &[meshes.side.into(); 2]);
        fits.then(|| Ok(Plan::exact(1, paper_places(meshes))))
    },
};

/// The rectangular mesh `(z_1, z_2)`, `z_1 > z_2`, in the square mesh `(w, w)` of as many nodes: dilation 1, load and
/// link congestion 2 (CS838 1999, embeddings of rectangular meshes into cube meshes).
///
/// The rectangle is folded like a strip of paper. It runs to and fro through the square, one run above the other; to
/// turn, it is folded twice at 45 degrees:
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
/// Under a fold some nodes have two vertices, and as many beside it none. What is left over because no whole number of
/// runs fits is folded straight back over the two free ends.
///
/// # Errors
///
/// When the rectangle has no square of the same size, or the shorter length first.
pub fn rectangle_in_square(rectangle: [u64; 2]) -> Result<RoutedEmbedding, ClassicError> {
    let pair = SquareAndRectangle::checked(rectangle)?;
    let edges = guest_edges(&pair.rectangle()?);
    Ok(RoutedEmbedding::along_routes_of_the_host(pair.square()?, paper_places(pair), edges)?)
}

/// Where the vertices of the rectangle are in the square.
pub(super) fn paper_places(pair: SquareAndRectangle) -> Vec<NodeId> {
    let SquareAndRectangle { side, length, .. } = pair;
    let places = (0..side * side).map(|vertex| {
        let (along, across) = (vertex % length, vertex / length);
        let (x, y) = folded(pair, ends_folded_back(pair, along), across);
        x + side * y
    });
    nodes(places)
}

/// The place along the runs after what is left over has been folded back, half of it over each end.
fn ends_folded_back(pair: SquareAndRectangle, along: u32) -> u32 {
    let in_runs = pair.side / pair.width * pair.side;
    let before = (pair.length - in_runs) / 2;
    match along.checked_sub(before) {
        None => before - 1 - along,
        Some(within) if within < in_runs => within,
        Some(beyond) => 2 * in_runs - 1 - beyond,
    }
}

/// The coordinates in the square of a place of the strip: `along` the runs, `across` them.
///
/// In each run the strip is seen as if it came from the left. It begins to turn upwards where `along - across` passes
/// `side - width`, by a reflection that exchanges the two, and turns back where their sum passes `side - 1 + width`,
/// which is the next run, mirrored.
fn folded(pair: SquareAndRectangle, mut along: u32, mut across: u32) -> (u32, u32) {
    let SquareAndRectangle { side, width, .. } = pair;
    let (runs, turn) = (side / width, side - width);
    let mut run = 0;
    while run + 1 < runs && along > across + turn {
        let (x, y) = (across + turn, along - turn);
        if x + y < side + width {
            (along, across) = (x, y);
            break;
        }
        (along, across) = (along - side, width - 1 - across);
        run += 1;
    }
    let x = if run.is_multiple_of(2) { along } else { side - 1 - along };
    (x, run * width + across)
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
}
