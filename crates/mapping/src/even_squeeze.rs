//! Meshes squeezed evenly into fewer rows, and with them every mesh in its smallest hypercube (`docs/model.md`
//! section 29.7).
//!
//! Every column of the guest fills the rows of the host from the top down, one node more in some rows than in others.
//! The phase of a column says in which; phases are chosen so that the rows stay evenly filled. Dilation 2 is measured,
//! not proved, for at most three rows of the guest on two of the host. Chan 1991 proves dilation 2
//! for meshes in their smallest hypercubes; the construction here is another.

use cubefold_topology::{Machine, NodeId, greatest_common_divisor, narrow};

use crate::{
    EmbeddingRefusal, Placement, PlacementTable, PlacementTask, SeededEmbedding, classic::cube_dimensions,
    gray_code_word, greenberg::bits_of, implications,
};

/// The greatest number of nodes of a guest.
const MAX_NODES: u64 = 1 << 22;

/// The embedding `even-squeeze`.
pub const EVEN_SQUEEZE: SeededEmbedding = SeededEmbedding {
    name: "even-squeeze",
    summary: "a mesh in a mesh of fewer rows, every column evenly over the rows",
    source: "docs/model.md, section 29.7",
    takes: "a mesh a x b, and a mesh of r < a rows of at least ceil(ab/r) nodes, or both turned",
    place: place_squeezed,
};

/// The embedding `chan`.
pub const CHAN: SeededEmbedding = SeededEmbedding {
    name: "chan",
    summary: "a mesh of two dimensions in its smallest hypercube, dilation at most 2",
    source: "after Chan 1991; docs/model.md, section 29.7",
    takes: "a mesh of two dimensions, and a hypercube with as many nodes",
    place: place_in_cube,
};

/// The order of two nodes of a column that share a row, or of all nodes of a column in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqueezeMethod {
    /// Rows have at most two nodes of a column, in the order that keeps every edge at most 2 long.
    Balanced,
    /// Even rows have a column's nodes from left to right, odd rows from right to left.
    Snake,
}

/// A mesh `a x b` on `r < a` rows of `ceil(ab/r)` slots, one node per slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqueezedMesh {
    height: usize, // a
    width: usize,  // b
    rows: usize,   // r
    method: SqueezeMethod,
    phases: Vec<usize>,  // by column, each below r / gcd(a mod r, r)
    slots: Vec<u32>,     // by column, then row of the guest: the slot in its row
    host_rows: Vec<u32>, // the same: the row
}

impl SqueezedMesh {
    /// Squeezes the mesh of `height` times `width` nodes into `rows` rows.
    ///
    /// # Errors
    ///
    /// When there are not fewer rows, over 2^22 nodes, or no order of nodes keeps edges at most 2 long; no such mesh is
    /// known.
    pub fn new(height: u64, width: u64, rows: u64) -> Result<Self, EmbeddingRefusal> {
        let refusal = |message| EmbeddingRefusal::new(message, "it takes a mesh of fewer rows");
        let nodes = height.saturating_mul(width);
        if rows == 0 || rows >= height || width == 0 || nodes > MAX_NODES {
            let message = format!(
                "a mesh of {height} x {width} in {rows} rows, expected 1 to {} rows and at most 2^22 nodes",
                height.saturating_sub(1)
            );
            return Err(refusal(message));
        }
        let small = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let (height, width, rows) = (small(height), small(width), small(rows));
        let method = if 2 * (height - rows) <= rows { SqueezeMethod::Balanced } else { SqueezeMethod::Snake };
        let count = height * width;
        let mut squeeze = Self {
            height,
            width,
            rows,
            method,
            phases: Vec::with_capacity(width),
            slots: Vec::with_capacity(count),
            host_rows: Vec::with_capacity(count),
        };
        squeeze.fill();
        match method {
            SqueezeMethod::Snake => {}
            SqueezeMethod::Balanced if squeeze.keep_edges_short() => {}
            SqueezeMethod::Balanced => {
                return Err(refusal(format!("no order of {height} x {width} in {rows} rows has dilation 2")));
            }
        }
        Ok(squeeze)
    }

    /// The order of nodes in a row.
    #[must_use]
    pub fn method(&self) -> SqueezeMethod {
        self.method
    }

    /// The phase of each column.
    #[must_use]
    pub fn phases(&self) -> &[usize] {
        &self.phases
    }

    /// The slots of a row: `ceil(ab/r)`.
    #[must_use]
    pub fn slots_per_row(&self) -> u64 {
        (self.height * self.width).div_ceil(self.rows) as u64
    }

    /// The row and slot of each node, the nodes of a column together.
    pub fn places(&self) -> impl Iterator<Item = (u32, u32)> {
        self.host_rows.iter().copied().zip(self.slots.iter().copied())
    }

    /// Fills column after column, with the phase that keeps the rows evenly filled.
    fn fill(&mut self) {
        let extra = self.height % self.rows;
        let divisor = greatest_common_divisor(extra, self.rows);
        let (step, period) = (extra / divisor, self.rows / divisor); // p and q
        let mut fills = vec![0_usize; self.rows];
        let mut last = 0;
        for column in 0..self.width {
            if column > 0 {
                last = self.next_phase(last, step, period, &fills);
            }
            self.phases.push(last);
            for (row, fill) in fills.iter_mut().enumerate() {
                let count = self.nodes_in_row(row, last, step, period);
                let slots = (*fill..*fill + count).map(|slot| narrow(slot as u64));
                match self.method {
                    SqueezeMethod::Snake if row % 2 == 1 => self.slots.extend(slots.rev()),
                    SqueezeMethod::Snake | SqueezeMethod::Balanced => self.slots.extend(slots),
                }
                self.host_rows.extend(std::iter::repeat_n(narrow(row as u64), count));
                *fill += count;
            }
        }
    }

    /// The nodes of a column of this phase in a row.
    fn nodes_in_row(&self, row: usize, phase: usize, step: usize, period: usize) -> usize {
        self.height / self.rows + ((row + 1) * step + phase) / period - (row * step + phase) / period
    }

    /// The phase nearest to the last one after which the fills of rows differ by at most 1; among equally near ones the one
    /// that follows `step` phases after it most closely.
    fn next_phase(&self, last: usize, step: usize, period: usize, fills: &[usize]) -> usize {
        let keeps_even = |phase: &usize| {
            let after = |(row, fill)| fill + self.nodes_in_row(row, *phase, step, period);
            let after = fills.iter().copied().enumerate().map(after);
            let (least, most) =
                after.fold((usize::MAX, 0), |(least, most), fill| (least.min(fill), most.max(fill)));
            most - least <= 1
        };
        let nearness = |&phase: &usize| (phase.abs_diff(last), (phase + 2 * period - last - step) % period);
        (0..period).filter(keeps_even).min_by_key(nearness).unwrap_or(last)
    }

    /// Exchanges nodes of a column that share a row so that every edge is at most 2 long, in the lexicographically least
    /// way; false if there is none.
    fn keep_edges_short(&mut self) -> bool {
        let (pairs, pair_of) = self.pairs();
        let at = |node: usize, is_exchanged: bool| -> (u32, u32) {
            let other = match pair_of[node] {
                Some(pair) if is_exchanged => 2 * pairs[pair] + 1 - node, // the two are neighbours
                Some(_) | None => node,
            };
            (self.host_rows[node], self.slots[other])
        };
        let is_long =
            |one: (u32, u32), other: (u32, u32)| one.0.abs_diff(other.0) + one.1.abs_diff(other.1) > 2;
        let mut clauses = implications::Clauses::new(pairs.len());
        for (one, other) in self.edges() {
            for (first, second) in [(false, false), (false, true), (true, false), (true, true)] {
                let is_idle = (pair_of[one].is_none() && first) || (pair_of[other].is_none() && second);
                let is_same = pair_of[one].is_some() && pair_of[one] == pair_of[other];
                if !is_idle && !is_same && is_long(at(one, first), at(other, second)) {
                    clauses.forbid(
                        pair_of[one].map(|pair| (pair, first)),
                        pair_of[other].map(|pair| (pair, second)),
                    );
                }
            }
        }
        let Some(exchanged) = clauses.least_solution() else { return false };
        for (&first, _) in pairs.iter().zip(&exchanged).filter(|(_, is_exchanged)| **is_exchanged) {
            self.slots.swap(first, first + 1);
        }
        true
    }

    /// The first nodes of the pairs of a column that share a row, and the pair of each node.
    fn pairs(&self) -> (Vec<usize>, Vec<Option<usize>>) {
        let (mut pairs, mut pair_of) = (vec![], vec![None; self.slots.len()]);
        for node in 1..self.slots.len() {
            if node % self.height != 0 && self.host_rows[node] == self.host_rows[node - 1] {
                pair_of[node - 1] = Some(pairs.len());
                pair_of[node] = Some(pairs.len());
                pairs.push(node - 1);
            }
        }
        (pairs, pair_of)
    }

    fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        let (height, count) = (self.height, self.slots.len());
        (0..count).flat_map(move |node| {
            let below = (node % height + 1 < height).then_some((node, node + 1));
            let right = (node + height < count).then_some((node, node + height));
            below.into_iter().chain(right)
        })
    }
}

/// The two lengths of a mesh that does not wrap.
fn mesh_sides(machine: &Machine) -> Option<[u64; 2]> {
    let grid = machine.grid()?;
    let is_open = grid.extents().all(|extent| !extent.is_ring());
    grid.shape().lengths().try_into().ok().filter(|_| is_open)
}

fn place_squeezed(task: &PlacementTask<'_>) -> Result<Placement, EmbeddingRefusal> {
    let (Some(guest), Some(host)) = (mesh_sides(task.guest), mesh_sides(task.machine)) else {
        let message = "a guest or a machine that is no mesh of two dimensions";
        return Err(EmbeddingRefusal::new(message, "it takes two meshes of two dimensions"));
    };
    let rows_are_first = host[0] < guest[0];
    let (rows, columns) = if rows_are_first { (0, 1) } else { (1, 0) };
    let squeezed = SqueezedMesh::new(guest[rows], guest[columns], host[rows])?;
    if squeezed.slots_per_row() > host[columns] {
        let message = format!("rows of {} nodes, expected {}", host[columns], squeezed.slots_per_row());
        return Err(EmbeddingRefusal::new(message, "all processes fit into rows of ceil(ab/r) nodes"));
    }
    let node = |(row, slot): (u32, u32)| {
        let (first, second) = if rows_are_first { (row, slot) } else { (slot, row) };
        NodeId::new(first + second * narrow(host[0]))
    };
    table(task.machine, in_guest_order(&squeezed, rows_are_first, node))
}

/// The nodes of processes, which are numbered along the first dimension of the guest.
fn in_guest_order(
    squeezed: &SqueezedMesh,
    rows_are_first: bool,
    node: impl Fn((u32, u32)) -> NodeId,
) -> Vec<NodeId> {
    let by_column: Vec<NodeId> = squeezed.places().map(node).collect();
    if rows_are_first {
        return by_column;
    }
    let (height, width) = (squeezed.height, squeezed.width);
    (0..height * width).map(|process| by_column[process % width * height + process / width]).collect()
}

fn place_in_cube(task: &PlacementTask<'_>) -> Result<Placement, EmbeddingRefusal> {
    let Some(sides) = mesh_sides(task.guest) else {
        let message = "a guest that is no mesh of two dimensions";
        return Err(EmbeddingRefusal::new(message, "it takes a mesh of two lengths that does not wrap"));
    };
    let dimensions = cube_dimensions(task.machine)
        .ok_or_else(|| EmbeddingRefusal::new("a machine that is no hypercube", "it takes a hypercube"))?;
    let needed = bits_of(sides[0].saturating_mul(sides[1]));
    if dimensions < needed {
        let message = format!("a hypercube of {dimensions} dimensions, expected at least {needed}");
        return Err(EmbeddingRefusal::new(message, "a mesh needs as many nodes as it has"));
    }
    table(task.machine, mesh_in_cube(sides)?)
}

/// The nodes of a mesh in its smallest hypercube, dilation 1 by the Gray code where it fits, else 2.
///
/// # Errors
///
/// As for [`SqueezedMesh::new`].
pub fn mesh_in_cube(sides: [u64; 2]) -> Result<Vec<NodeId>, EmbeddingRefusal> {
    let [first, second] = sides;
    if bits_of(first.saturating_mul(second)) == bits_of(first) + bits_of(second) {
        let word = |row: u64, column: u64| {
            gray_code_word(narrow(row)) | gray_code_word(narrow(column)) << bits_of(first)
        };
        let rows = move |column| (0..first).map(move |row| NodeId::new(word(row, column)));
        return Ok((0..second).flat_map(rows).collect());
    }
    // The excess of a side over the greatest power of two in it, as a share of that power.
    let power = |side: u64| 1_u64 << (bits_of(side + 1) - 1);
    let excess = |side: u64, other: u64| u128::from(side - power(side)) * u128::from(power(other));
    let rows_are_first = excess(first, second) <= excess(second, first);
    let (height, width) = if rows_are_first { (first, second) } else { (second, first) };
    let squeezed = SqueezedMesh::new(height, width, power(height))?;
    let row_bits = bits_of(power(height));
    let node = |(row, slot): (u32, u32)| NodeId::new(gray_code_word(row) | gray_code_word(slot) << row_bits);
    Ok(in_guest_order(&squeezed, rows_are_first, node))
}

fn table(machine: &Machine, nodes: Vec<NodeId>) -> Result<Placement, EmbeddingRefusal> {
    let table = PlacementTable::new(machine, nodes);
    table.map(Placement::Table).map_err(|error| EmbeddingRefusal::new(error.to_string(), ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::cases_of_cubes;
    use serde_json::Value;

    fn sides(case: &Value) -> [u64; 2] {
        serde_json::from_value(case["input"]["shape"].clone()).unwrap()
    }

    /// The largest and the total distance of guest edges, by the distance of two places.
    fn distances<T: Copy>(sides: [u64; 2], places: &[T], distance: impl Fn(T, T) -> u32) -> (u64, u64) {
        let height = usize::try_from(sides[0]).unwrap();
        let lengths = (0..places.len()).flat_map(|node| {
            let below = (node % height + 1 < height).then_some(node + 1);
            let right = (node + height < places.len()).then_some(node + height);
            below.into_iter().chain(right).map(move |other| (node, other))
        });
        lengths
            .map(|(one, other)| u64::from(distance(places[one], places[other])))
            .fold((0, 0), |(most, sum), length| (most.max(length), sum + length))
    }

    fn in_mesh(one: (u32, u32), other: (u32, u32)) -> u32 {
        one.0.abs_diff(other.0) + one.1.abs_diff(other.1)
    }

    fn in_cube(one: NodeId, other: NodeId) -> u32 {
        (one.index() ^ other.index()).count_ones()
    }

    #[test]
    fn squeezed_meshes_are_those_of_the_independent_program() {
        for case in cases_of_cubes("squeeze") {
            let ([height, width], expected) = (sides(&case), &case["expect"]);
            let squeezed = SqueezedMesh::new(height, width, case["input"]["rows"].as_u64().unwrap()).unwrap();
            let places: Vec<(u32, u32)> = squeezed.places().collect();
            let method = match squeezed.method() {
                SqueezeMethod::Balanced => "balanced",
                SqueezeMethod::Snake => "snake",
            };
            assert_eq!(method, expected["method"], "{case}");
            assert_eq!(serde_json::json!(squeezed.phases()), expected["phases"], "{case}");
            assert_eq!(serde_json::json!(places), expected["places"], "{case}");
            assert_eq!(squeezed.slots_per_row(), expected["slots"], "{case}");
            assert_eq!(distances([height, width], &places, in_mesh).0, expected["dilation"], "{case}");
        }
    }

    #[test]
    fn meshes_in_cubes_are_those_of_the_independent_program() {
        for case in cases_of_cubes("chan") {
            let (sides, expected) = (sides(&case), &case["expect"]);
            let nodes = mesh_in_cube(sides).unwrap();
            let numbers: Vec<u32> = nodes.iter().map(|node| node.index()).collect();
            if !expected["nodes"].is_null() {
                assert_eq!(serde_json::json!(numbers), expected["nodes"], "{case}");
            }
            let (dilation, total) = distances(sides, &nodes, in_cube);
            assert_eq!(
                (dilation, total),
                (expected["dilation"].as_u64().unwrap(), expected["total"].as_u64().unwrap())
            );
        }
    }

    #[test]
    fn every_mesh_is_in_its_smallest_cube_with_dilation_at_most_two() {
        let mut larger = 0;
        for first in 2..=32_u64 {
            for second in 2..=32 {
                let mut nodes = mesh_in_cube([first, second]).unwrap();
                let (dilation, _) = distances([first, second], &nodes, in_cube);
                assert!((1..=2).contains(&dilation), "{first} x {second}");
                larger += u32::from(dilation == 2);
                nodes.sort_unstable();
                nodes.dedup();
                assert_eq!(nodes.len() as u64, first * second);
                let limit = 1_u64 << bits_of(first * second);
                assert!(nodes.iter().all(|node| u64::from(node.index()) < limit));
            }
        }
        assert!(larger > 200);
    }

    #[test]
    #[ignore = "all 4096 shapes to 64 x 64"]
    fn of_all_meshes_to_64_x_64_1201_have_dilation_two() {
        let all = (1..=64_u64).flat_map(|first| (1..=64).map(move |second| [first, second]));
        let long = all.filter(|&sides| distances(sides, &mesh_in_cube(sides).unwrap(), in_cube).0 == 2);
        assert_eq!(long.count(), 1201);
    }

    /// Checks the dilations of all meshes of up to `most` rows and these widths, of both methods.
    fn check_squeezes(most: u64, widths: &[u64]) {
        for height in 2..=most {
            for rows in 1..height {
                for &width in widths {
                    let squeezed = SqueezedMesh::new(height, width, rows).unwrap();
                    let places: Vec<(u32, u32)> = squeezed.places().collect();
                    let (dilation, _) = distances([height, width], &places, in_mesh);
                    let most = match squeezed.method() {
                        SqueezeMethod::Balanced => 2,
                        SqueezeMethod::Snake if height % rows == 0 => height / rows,
                        SqueezeMethod::Snake => height.div_ceil(rows) + 1,
                    };
                    assert!(dilation <= most, "{height} x {width} in {rows}: {dilation}");
                    let slots = squeezed.slots_per_row();
                    assert!(
                        places.iter().all(|&(row, slot)| u64::from(row) < rows && u64::from(slot) < slots)
                    );
                }
            }
        }
    }

    #[test]
    fn balanced_meshes_have_dilation_two_and_snakes_at_most_one_more_than_the_ratio() {
        check_squeezes(20, &[1, 2, 7, 24]);
    }

    #[test]
    #[ignore = "all meshes of up to 44 rows and 64 columns"]
    fn all_squeezed_meshes_to_44_x_64_keep_their_dilation() {
        check_squeezes(44, &(1..=64).collect::<Vec<_>>());
    }
}
