//! Meshes squeezed into meshes of fewer rows and no more nodes than necessary.
//!
//! CS838 1999, embeddings among 2D rectangular meshes; `docs/model.md` section 28.6. The notes state the lemma without
//! a method; here it is a search.

use std::collections::BTreeSet;

use cubefold_topology::NodeId;

use super::{
    construction::{ClassicConstruction, Plan},
    error::ClassicError,
    machines::{guest_edges, is_open, mesh},
    routed_embedding::RoutedEmbedding,
};

/// The most times that the search fills a row.
const MAX_STEPS: u64 = 1 << 19;

/// The most nodes of the host.
const MAX_NODES: u64 = 1 << 16;

pub(super) static SQUEEZE: ClassicConstruction = ClassicConstruction {
    name: "squeeze",
    summary: "a mesh a x b on a mesh a' x b', or b x a on b' x a', a' < a <= 3 a', a' (b' - 1) < a b <= a' b'",
    promised_dilation: "at most 2, or 3 for a > 2 a'",
    source: "embeddings among 2D rectangular meshes",
    plan: |pair| {
        let guest: [u64; 2] = pair.guest.shape().lengths().try_into().ok()?;
        let host: [u64; 2] = pair.host.shape().lengths().try_into().ok()?;
        let squeezed =
            Squeezed::of_meshes(guest, host).filter(|_| is_open(pair.guest) && is_open(pair.host))?;
        Some(squeezed.places().map(|nodes| Plan::at_most(squeezed.dilation().into(), nodes)))
    },
};

/// The mesh `(a, b)` in the mesh `(a', b')`, `a' < a <= 3 a'`, `b'` the least with `a' b' >= a b`: load 1, dilation at
/// most 2, or 3 if `a > 2 a'` (CS838 1999, embeddings among 2D rectangular meshes).
///
/// It is placed column by column. The nodes of a column go down the rows, `floor(a / a')` or one more to a row, into
/// the next free places of the row in any order; a search with backtracking tries those first by which the rows
/// are filled most evenly.
///
/// # Errors
///
/// When the lengths are others, or the search ends without an embedding.
pub fn squeeze(guest: [u64; 2], rows: u64) -> Result<RoutedEmbedding, ClassicError> {
    let columns = guest[0].saturating_mul(guest[1]).div_ceil(rows.max(1));
    let squeezed = Squeezed::new(guest, [rows, columns]).ok_or_else(|| ClassicError::Pair {
        found: format!("a mesh of lengths {} and {} in {rows} rows", guest[0], guest[1]),
        expected: "fewer rows, at least a third, and at most 2^16 nodes",
    })?;
    let edges = guest_edges(&mesh(&guest)?);
    let host = mesh(&[rows, columns])?;
    Ok(RoutedEmbedding::along_routes_of_the_host(host, squeezed.places()?, edges)?)
}

/// A guest and a host of fewer rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Squeezed {
    height: u32,      // a
    width: u32,       // b
    rows: u32,        // a'
    columns: u32,     // b'
    rows_first: bool, // whether rows are along the first dimension of both meshes, else along the second
}

impl Squeezed {
    /// The squeezing of either dimension.
    fn of_meshes(guest: [u64; 2], host: [u64; 2]) -> Option<Self> {
        let turned = |[one, other]: [u64; 2]| [other, one];
        let second = || Some(Self { rows_first: false, ..Self::new(turned(guest), turned(host))? });
        Self::new(guest, host).or_else(second)
    }

    fn new([height, width]: [u64; 2], [rows, columns]: [u64; 2]) -> Option<Self> {
        let fits = rows < height
            && height <= rows.checked_mul(3)?
            && columns == height.checked_mul(width)?.div_ceil(rows)
            && rows.checked_mul(columns)? <= MAX_NODES;
        let small = |length: u64| u32::try_from(length).ok();
        fits.then_some(Self {
            height: small(height)?,
            width: small(width)?,
            rows: small(rows)?,
            columns: small(columns)?,
            rows_first: true,
        })
    }

    fn dilation(self) -> u32 {
        if self.height > 2 * self.rows { 3 } else { 2 }
    }

    fn places(self) -> Result<Vec<NodeId>, ClassicError> {
        let mut search = Search::new(self);
        if !search.run() {
            return Err(ClassicError::NotFound {
                guest: format!("the mesh ({}, {})", self.height, self.width),
                host: format!("the mesh ({}, {})", self.rows, self.columns),
                steps: search.steps,
            });
        }
        let Self { height, width, rows, columns, rows_first } = self;
        // Vertex by vertex of the guest, whose first dimension varies fastest.
        let node = |vertex: u32| {
            let searched = if rows_first { vertex } else { vertex / width + height * (vertex % width) };
            let (row, column) = search.placed[searched as usize];
            NodeId::new(if rows_first { row + rows * column } else { column + columns * row })
        };
        Ok((0..height * width).map(node).collect())
    }
}

/// Row and column in the host.
type Place = (u32, u32);

/// The places of the last column of the guest, and the fill of each row, both from the emptiest row on: nothing else
/// decides whether the rest can be placed.
type State = (usize, Vec<Place>, Vec<u32>);

/// A search for places, row after row of the host and column after column of the guest.
struct Search {
    of: Squeezed,
    fills: Vec<u32>,    // the taken places of each row, the first ones
    placed: Vec<Place>, // by vertex, column after column of the guest
    dead: BTreeSet<State>,
    steps: u64,
}

/// The nodes of a column that go to one row, and the remaining ways to place them.
struct RowChoice {
    row: usize,
    extra: u32,            // the rows from this one on that get one more node than the others
    placed: usize,         // the vertices that are placed before it
    fill: u32,             // of the row before it
    ways: Vec<Vec<Place>>, // to be tried in turn
    next: usize,           // of the ways
    state: Option<State>,  // before the column, of its first row
}

impl Search {
    fn new(of: Squeezed) -> Self {
        Self { of, fills: vec![0; of.rows as usize], placed: vec![], dead: BTreeSet::new(), steps: 0 }
    }

    /// Places all vertices; false if there is no way, or none is found in [`MAX_STEPS`].
    fn run(&mut self) -> bool {
        let extra = self.of.height % self.of.rows;
        let mut choices = vec![self.choice(0, extra, Some(self.state()))];
        while let Some(choice) = choices.last_mut() {
            let (row, fill) = (choice.row, choice.fill);
            self.placed.truncate(choice.placed);
            self.fills[row] = fill;
            let Some(way) = choice.ways.get(choice.next) else {
                self.dead.extend(choice.state.take());
                choices.pop();
                continue;
            };
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return false;
            }
            choice.next += 1;
            let count = u32::try_from(way.len()).unwrap_or(u32::MAX);
            let left = choice.extra - (count - self.of.height / self.of.rows);
            self.placed.extend_from_slice(way);
            self.fills[row] += count;
            if row + 1 < self.fills.len() {
                choices.push(self.choice(row + 1, left, None));
            } else if self.is_even() {
                if self.placed.len() == (self.of.height * self.of.width) as usize {
                    return true;
                }
                let state = self.state();
                if !self.dead.contains(&state) {
                    choices.push(self.choice(0, extra, Some(state)));
                }
            }
        }
        false
    }

    fn state(&self) -> State {
        let least = self.fills.iter().copied().min().unwrap_or(0);
        let last = self.placed.len().saturating_sub(self.of.height as usize);
        // Places of the last column are at most `height` to the left of the end of the emptiest row.
        let from_least = |&(row, column): &Place| (row, column + self.of.height - least);
        let places = self.placed[last..].iter().map(from_least).collect();
        (self.placed.len(), places, self.fills.iter().map(|fill| fill - least).collect())
    }

    /// The ways to place nodes of the column in a row: first the numbers that keep the rows even, then one more or fewer.
    fn choice(&self, row: usize, extra: u32, state: Option<State>) -> RowChoice {
        let rows_after = self.of.rows - 1 - u32::try_from(row).unwrap_or(u32::MAX);
        let emptier = self.fills[row + 1..].iter().filter(|&&fill| fill < self.fills[row]).count();
        let counts = if emptier < extra as usize { [1, 0] } else { [0, 1] };
        let mut ways = vec![];
        for more in counts {
            let count = self.of.height / self.of.rows + more;
            let fits = more <= extra && extra - more <= rows_after;
            if fits && self.fills[row] + count <= self.of.columns {
                self.add_ways(row, count, &mut vec![], &mut ways);
            }
        }
        RowChoice { row, extra, placed: self.placed.len(), fill: self.fills[row], ways, next: 0, state }
    }

    /// Adds the orders of `count` nodes, at most 3, in the next places of a row.
    fn add_ways(&self, row: usize, count: u32, begun: &mut Vec<Place>, ways: &mut Vec<Vec<Place>>) {
        if begun.len() == count as usize {
            ways.push(begun.clone());
            return;
        }
        for column in self.fills[row]..self.fills[row] + count {
            let place = (u32::try_from(row).unwrap_or(u32::MAX), column);
            if !begun.contains(&place) && self.is_near(place, begun) {
                begun.push(place);
                self.add_ways(row, count, begun, ways);
                begun.pop();
            }
        }
    }

    /// Whether the rows differ by at most two places.
    fn is_even(&self) -> bool {
        let (least, most) = (self.fills.iter().min(), self.fills.iter().max());
        least.zip(most).is_some_and(|(least, most)| most - least <= 2)
    }

    /// Whether a place for the next vertex, after those placed and begun, is near its earlier neighbours.
    fn is_near(&self, (row, column): Place, begun: &[Place]) -> bool {
        let (vertex, height) = (self.placed.len() + begun.len(), self.of.height as usize);
        let above = vertex.checked_sub(1).filter(|_| !vertex.is_multiple_of(height));
        let neighbours = [above, vertex.checked_sub(height)];
        neighbours.into_iter().flatten().all(|neighbour| {
            let placed = self.placed.get(neighbour).or_else(|| begun.get(neighbour - self.placed.len()));
            placed.is_some_and(|&(other_row, other_column)| {
                row.abs_diff(other_row) + column.abs_diff(other_column) <= self.of.dilation()
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Squeezes each mesh of `heights` by `widths` nodes into every possible number of rows from 2 on; returns the
    /// number of runs.
    fn squeeze_all(heights: std::ops::RangeInclusive<u64>, widths: &[u64]) -> u64 {
        let mut runs = 0;
        for height in heights {
            for (rows, &width) in (height.div_ceil(3).max(2)..height)
                .flat_map(|rows| widths.iter().map(move |width| (rows, width)))
            {
                let measures = squeeze([height, width], rows).unwrap().measures();
                let most = if height > 2 * rows { 3 } else { 2 };
                assert_eq!(measures.load, 1);
                assert!(measures.dilation <= most, "({height}, {width}) in {rows} rows: {measures:?}");
                assert!(measures.host_nodes < measures.vertices + rows);
                runs += 1;
            }
        }
        runs
    }

    #[test]
    fn meshes_are_squeezed_into_fewer_rows() {
        assert!(squeeze_all(3..=8, &[2, 3, 5, 8, 12, 30]) > 100);
    }

    #[test]
    #[ignore = "takes some seconds"]
    fn meshes_of_up_to_eleven_rows_are_squeezed_into_any_fewer_rows() {
        let widths: Vec<u64> = (2..=24).collect();
        assert!(squeeze_all(3..=11, &widths) > 439);
    }

    #[test]
    fn other_meshes_are_refused() {
        for (guest, rows) in [([4, 6], 4), ([7, 6], 2), ([4, 6], 0), ([1 << 12, 1 << 12], 1 << 11)] {
            let error = squeeze(guest, rows).unwrap_err().to_string();
            assert!(
                error.ends_with("expected fewer rows, at least a third, and at most 2^16 nodes"),
                "{error}"
            );
        }
    }
}
