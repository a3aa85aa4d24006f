//! Rectangular meshes folded into meshes of equal sides, in any number of dimensions.
//!
//! CS838 1999, embeddings of rectangular meshes into cube meshes; `docs/model.md` section 28.6. The notes' induction
//! needs a whole `r^(1/(n-1))`; foldings of two sides at a time take its place.

use cubefold_topology::NodeId;

use super::{
    construction::{ClassicConstruction, Plan},
    error::ClassicError,
    machines::{guest_edges, is_mesh, is_open, mesh, nodes},
    routed_embedding::RoutedEmbedding,
};

pub(super) static RECTANGLE_IN_CUBE: ClassicConstruction = ClassicConstruction {
    name: "rectangle-in-cube",
    summary: "a mesh of n sides on a mesh w x .. x w of n dimensions, if foldings of two sides to w and another lead there",
    promised_dilation: "1",
    source: "embeddings of rectangular meshes into cube meshes",
    plan: |pair| {
        let lengths = pair.guest.shape().lengths();
        let foldings = Foldings::new(lengths)?;
        let fits = is_open(pair.guest) && is_mesh(pair.host, &vec![foldings.side; lengths.len()]);
        fits.then(|| Ok(Plan::exact(1, foldings.places())))
    },
};

/// The mesh of these sides in the mesh `w^n` of as many dimensions and nodes: dilation 1, and the load of
/// [`Foldings::load`] (CS838 1999, embeddings of rectangular meshes into cube meshes).
///
/// # Errors
///
/// When there is no such mesh, the rectangle is that mesh, or no foldings lead to it.
pub fn rectangle_in_cube(rectangle: &[u64]) -> Result<RoutedEmbedding, ClassicError> {
    let foldings = Foldings::new(rectangle).ok_or_else(|| ClassicError::Pair {
        found: format!("a mesh of lengths {rectangle:?}"),
        expected: "one that foldings make a mesh of equal sides",
    })?;
    let host = mesh(&vec![foldings.side; rectangle.len()])?;
    let edges = guest_edges(&mesh(rectangle)?);
    Ok(RoutedEmbedding::along_routes_of_the_host(host, foldings.places(), edges)?)
}

/// The strip of a long side and a short one folded into a rectangle of side `w` and another side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folding {
    /// The dimension of the long side, counted from 0; it becomes `w`.
    pub long: usize,
    /// The dimension of the short side.
    pub short: usize,
    /// The length of the long side before.
    pub length: u64,
    /// The length of the short side before.
    pub width: u64,
}

impl Folding {
    /// The length of the short side after folding.
    fn folded_width(self, side: u64) -> u64 {
        self.length * self.width / side
    }

    /// The runs to and fro, `K`.
    fn runs(self, side: u64) -> u64 {
        self.folded_width(side) / self.width
    }

    /// The place in the rectangle of a place of the strip, `along` it and `across` it.
    ///
    /// In each run the strip is seen as if it came from the left. It turns where `along - across` passes
    /// `side - width`, by a reflection that exchanges the two, and turns back where their sum passes
    /// `side - 1 + width`, which is the next run, mirrored. The remainder is folded back over both ends.
    pub(super) fn place(self, side: u64, along: u64, across: u64) -> (u64, u64) {
        let (runs, width) = (self.runs(side), self.width);
        let in_runs = runs * side;
        let before = (self.length - in_runs) / 2;
        let mut along = match along.checked_sub(before) {
            None => before - 1 - along,
            Some(within) if within < in_runs => within,
            Some(beyond) => 2 * in_runs - 1 - beyond,
        };
        let (mut across, mut run, turn) = (across, 0, side - width);
        while run + 1 < runs && along > across + turn {
            let (x, y) = (across + turn, along - turn);
            if x + y < side + width {
                (along, across) = (x, y);
                break;
            }
            (along, across) = (along - side, width - 1 - across);
            run += 1;
        }
        let x = if run % 2 == 0 { along } else { side - 1 - along };
        (x, run * width + across)
    }
}

/// The foldings that make a rectangle a mesh of equal sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foldings {
    rectangle: Vec<u64>,
    side: u64, // w, at least 2
    steps: Vec<Folding>,
}

impl Foldings {
    /// The foldings of a rectangle: each of a side over `w`, the longest first, and one below, the shortest first, with
    /// backtracking. `None` if there is no mesh of equal sides with as many nodes, the rectangle is that mesh, or no
    /// foldings lead to it.
    #[must_use]
    pub fn new(rectangle: &[u64]) -> Option<Self> {
        let dimensions = u32::try_from(rectangle.len()).ok()?;
        let count = rectangle.iter().try_fold(1_u64, |product, &length| product.checked_mul(length))?;
        u32::try_from(count).ok()?;
        let longest = *rectangle.iter().max()?;
        let is_too_small = |side: u64| side.checked_pow(dimensions).is_some_and(|nodes| nodes < count);
        let side = (2..longest).find(|&side| !is_too_small(side))?;
        if side.checked_pow(dimensions) != Some(count) {
            return None;
        }
        let mut steps = vec![];
        found(&mut rectangle.to_vec(), side, &mut steps).then(|| Self {
            rectangle: rectangle.to_vec(),
            side,
            steps,
        })
    }

    /// The foldings, in order.
    #[must_use]
    pub fn steps(&self) -> &[Folding] {
        &self.steps
    }

    /// The promised load: 2 for each folding with `w >= 2 b` or in one run, where `b` is the short side; `None`
    /// if there is another folding.
    #[must_use]
    pub fn load(&self) -> Option<u64> {
        let doubles = |folding: &Folding| self.side >= 2 * folding.width || folding.runs(self.side) == 1;
        self.steps.iter().all(doubles).then(|| 1 << self.steps.len())
    }

    fn places(&self) -> Vec<NodeId> {
        let node = |vertex: u64| {
            let mut rest = vertex;
            let mut place: Vec<u64> = vec![];
            for length in &self.rectangle {
                place.push(rest % length);
                rest /= length;
            }
            for step in &self.steps {
                (place[step.long], place[step.short]) =
                    step.place(self.side, place[step.long], place[step.short]);
            }
            place.iter().rev().fold(0, |index, coordinate| index * self.side + coordinate)
        };
        let vertices: u64 = self.rectangle.iter().product();
        nodes((0..vertices).filter_map(|vertex| u32::try_from(node(vertex)).ok()))
    }
}

/// Whether foldings make all lengths `side`; `steps` are then extended by these.
fn found(lengths: &mut [u64], side: u64, steps: &mut Vec<Folding>) -> bool {
    if lengths.iter().all(|&length| length == side) {
        return true;
    }
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(lengths[at]));
    let longer: Vec<usize> = order.iter().copied().filter(|&at| lengths[at] > side).collect();
    let shorter: Vec<usize> = order.into_iter().rev().filter(|&at| lengths[at] < side).collect();
    for &long in &longer {
        for &short in &shorter {
            let (length, width) = (lengths[long], lengths[short]);
            if !(length * width).is_multiple_of(side) {
                continue;
            }
            let step = Folding { long, short, length, width };
            (lengths[long], lengths[short]) = (side, step.folded_width(side));
            steps.push(step);
            if found(lengths, side, steps) {
                return true;
            }
            steps.pop();
            (lengths[long], lengths[short]) = (length, width);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic::{cube_in_rectangle::rectangles_of, machines::nodes};

    #[test]
    fn rectangles_are_folded_without_dilation_and_with_the_load_of_their_foldings() {
        let mut folded = 0;
        for (dimensions, most) in [(2, 12), (3, 8), (4, 4), (5, 2)] {
            let all = (2..=most).flat_map(|side| rectangles_of(side, dimensions));
            for lengths in all.filter(|lengths| lengths.len() == dimensions) {
                let Some(foldings) = Foldings::new(&lengths) else { continue };
                let measures = rectangle_in_cube(&lengths).unwrap().measures();
                assert_eq!(measures.dilation, 1, "{lengths:?}");
                assert!(
                    foldings.load().is_none_or(|load| measures.load <= load),
                    "{lengths:?}: {measures:?}"
                );
                folded += 1;
            }
        }
        assert!(folded > 30, "{folded}");
    }

    #[test]
    fn of_two_dimensions_it_is_the_folding_of_a_strip_into_a_square() {
        for lengths in [[9, 4], [16, 4], [18, 2], [25, 4], [12, 3]] {
            let strip = crate::classic::rectangle_in_square(lengths).unwrap();
            assert_eq!(rectangle_in_cube(&lengths).unwrap().nodes(), strip.nodes(), "{lengths:?}");
        }
    }

    /// As a program that folds strips only has placed them.
    #[test]
    fn a_strip_turns_at_both_ends_of_its_runs() {
        let three_runs = [
            0, 1, 2, 3, 4, 10, 16, 22, 21, 20, 19, 18, 24, 25, 26, 27, 28, 29, //
            6, 7, 8, 9, 10, 11, 17, 16, 15, 14, 13, 19, 25, 31, 32, 33, 34, 35,
        ];
        let both_ends = [
            0, 0, 1, 2, 3, 4, 5, 5, 4, 6, 6, 7, 8, 9, 10, 11, 11, 10, //
            12, 12, 13, 14, 15, 16, 17, 17, 16, 18, 18, 19, 20, 21, 22, 23, 23, 22,
        ];
        for (lengths, expected) in [([18, 2], three_runs), ([9, 4], both_ends)] {
            assert_eq!(rectangle_in_cube(&lengths).unwrap().nodes(), nodes(expected), "{lengths:?}");
        }
    }

    #[test]
    fn rectangles_that_no_foldings_make_a_cube_are_refused() {
        for lengths in [vec![4, 4], vec![8, 4], vec![9, 9, 9]] {
            let message = rectangle_in_cube(&lengths).unwrap_err().to_string();
            assert!(message.starts_with(&format!("a mesh of lengths {lengths:?}, expected")), "{message}");
        }
    }
}
