//! Theorem 1 and corollary 1, the cube needed for dilation 1, by search; and the extensions of section 6.

use cubefold_mapping::{
    GreenbergConstruction, GreenbergMethod, GreenbergPlacement, GreenbergStage, MeshSides, Placement,
    gray_code_word,
};
use cubefold_topology::{Coordinates, Machine, MachineKind, NodeId, Wrap};

use super::meshes::{MeshLabel, by_rows, reflected, slots};
use crate::{
    cases::{MachineLabel, dilation, hypercube, mesh},
    claim::{Claim, Quantity, Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    /// In the order of the report.
    pub(super) UNIT_DILATION_CLAIMS:

    "Greenberg 1987, theorem 1":
        THEOREM_1 =
            "least dimensions of a cube in which a mesh lies with dilation 1, by search: the sum of the log over(l_i)";

    "Greenberg 1987, corollary 1":
        COROLLARY_1 =
            "smallest hypercubes that fit into the one that d sides of 2^k + 1, k >= d, need at dilation 1: 2^(d-1)";
}

/// Meshes that would fit a smaller cube by their size.
const MESHES: [&[u64]; 13] = [
    &[3, 5],
    &[3, 9],
    &[3, 10],
    &[5, 5],
    &[5, 6],
    &[5, 9],
    &[6, 9],
    &[6, 10],
    &[7, 9],
    &[9, 9],
    &[3, 3, 3],
    &[3, 3, 5],
    &[3, 4, 5],
];

pub(super) fn unit_dilation_cases() -> Vec<Case> {
    let mut cases = for_each(MESHES, check_least);
    cases.extend(for_each(2..=4, check_expansion));
    cases
}

/// `log over(length)`.
fn bits(length: u64) -> u64 {
    length.next_power_of_two().trailing_zeros().into()
}

fn check_least(lengths: &[u64], findings: &mut Findings) {
    let guest = mesh(lengths);
    let needed: u64 = lengths.iter().map(|&length| bits(length)).sum();
    let smaller = Search::finds(&guest, needed - 1);
    let measured = if smaller { needed - 1 } else { needed };
    findings.add(THEOREM_1, Trial::equal(needed, measured), &MachineLabel(&guest));
    // The Gray code along every side attains it, since sides are placed independently, like lines.
    let longest = lengths.iter().map(|&length| gray_line(length, findings)).max().unwrap_or(0);
    findings.add(THEOREM_1, Trial::equal(1, longest), &MachineLabel(&guest));
}

/// The dilation of a line on the cube that it needs.
fn gray_line(length: u64, findings: &mut Findings) -> u64 {
    let line = mesh(&[length]);
    place(THEOREM_1, &line, findings).map_or(0, |placement| measured(&line, &placement))
}

fn check_expansion(sides: u32, findings: &mut Findings) {
    for power in sides..=6 {
        let lengths = vec![(1_u64 << power) + 1; sides as usize];
        let needed: u64 = lengths.iter().map(|&length| bits(length)).sum();
        let smallest = bits(lengths.iter().product());
        let measured = Quantity::fraction(1 << needed, 1 << smallest);
        findings.add(COROLLARY_1, Trial::equal(1 << (sides - 1), measured), &MachineLabel(&mesh(&lengths)));
    }
}

/// A search for a placement of unit dilation on a cube. Processes are placed in the order of their
/// labels, each beside all of its placed neighbours; all dimensions of the cube that are not
/// crossed yet are equivalent.
struct Search {
    before: Vec<Vec<usize>>, // the neighbours of each process with smaller labels
    dimensions: u64,
    nodes: Vec<u32>, // of the processes placed so far
    taken: Vec<bool>,
}

impl Search {
    fn finds(guest: &Machine, dimensions: u64) -> bool {
        let before = guest.nodes().map(|node| before(guest, node)).collect();
        let mut search = Self { before, dimensions, nodes: vec![], taken: vec![false; 1 << dimensions] };
        search.place(0, 0)
    }

    /// Places a process, after the first `crossed` dimensions have been crossed.
    fn place(&mut self, node: u32, crossed: u64) -> bool {
        self.taken[node as usize] = true;
        self.nodes.push(node);
        let found = self.nodes.len() == self.before.len() || self.place_next(crossed);
        self.nodes.pop();
        self.taken[node as usize] = false;
        found
    }

    fn place_next(&mut self, crossed: u64) -> bool {
        let beside: Vec<u32> =
            self.before[self.nodes.len()].iter().map(|&process| self.nodes[process]).collect();
        let Some((&first, others)) = beside.split_first() else { return false };
        (0..self.dimensions.min(crossed + 1)).any(|dimension| {
            let node = first ^ (1 << dimension);
            let fits =
                !self.taken[node as usize] && others.iter().all(|other| (node ^ other).is_power_of_two());
            fits && self.place(node, crossed.max(dimension + 1))
        })
    }
}

fn before(guest: &Machine, node: NodeId) -> Vec<usize> {
    let shape = guest.shape();
    let index = node.index() as usize;
    let coordinates: Coordinates = shape.coordinates(node);
    let dimensions = shape.dimensions().filter(|&dimension| coordinates.along(dimension) > 0);
    #[expect(clippy::cast_possible_truncation, reason = "a stride of a mesh of a hundred nodes")]
    dimensions.map(|dimension| index - shape.stride(dimension) as usize).collect()
}

pub(super) const ROWS_PRINTED: Claim = Claim::misprinted(
    "Greenberg 1987, 6.2",
    "links between the rows of slots in which the ends of a row lie, whatever the columns' code: at most 5; columns alone wrap",
    "G18",
);

claims! {
    /// In the order of the report.
    pub(super) CLAIMS:

    "Greenberg 1987, 6.2":
        COLUMNS = "dilation by reflection of a mesh whose columns, the shorter side, wrap: at most 5";
        PAIRS_DILATION = "dilation of a mesh of three or four dimensions, its axes in pairs: at most 5";
        PAIRS_SAVED = "dimensions saved by pairs, against the Gray code: as many as pairs reflect";
        PAIRS_MOST = "dimensions saved by pairs in d dimensions: up to d/2";

    "Greenberg 1987, 6.3":
        ARRAYS =
            "dimensions that the Gray code needs more than reflection for the 5 x 11 and the 21 x 47 array: 1";
        ARRAYS_DILATION = "dilation of the 5 x 11 and the 21 x 47 array in the smaller cube: at most 5";
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let mut cases = by_rows(&reflected(scope), check_columns);
    cases.extend(for_each(boxes(scope), |lengths, findings| check_pairs(&lengths, findings)));
    cases.extend(for_each([[5, 11], [21, 47]], check_array));
    cases.push(Box::new(check_rows));
    cases
}

/// The placement of a guest in the cube that it needs.
fn place(claim: Claim, guest: &Machine, findings: &mut Findings) -> Option<GreenbergPlacement> {
    let cube = hypercube(GreenbergPlacement::cube_dimensions(guest));
    findings.or_fail(claim, &MachineLabel(guest), GreenbergPlacement::new(guest, &cube))
}

fn measured(guest: &Machine, placement: &GreenbergPlacement) -> u64 {
    dilation(guest, &Placement::Greenberg(Box::new(placement.clone())))
}

fn check_columns(sides: MeshSides, findings: &mut Findings) {
    let lengths = [sides.rows().into(), sides.columns().into()];
    let Ok(guest) = Machine::with_wraps(MachineKind::Mesh, &lengths, &[Wrap::Around, Wrap::Open]) else {
        return;
    };
    if let Some(placement) = place(COLUMNS, &guest, findings) {
        let links = measured(&guest, &placement);
        findings.add(COLUMNS, Trial::at_most(5, links), &MeshLabel(sides));
        findings.add_reading(ROWS_PRINTED, Trial::at_most(5, links), &MeshLabel(sides));
    }
}

/// Shapes of three and four dimensions.
fn boxes(scope: Scope) -> Vec<Vec<u64>> {
    let (most, processes) = scope.quick_or_full((6, 500), (11, 4000));
    let mut all: Vec<Vec<u64>> = vec![vec![]];
    let mut boxes = vec![];
    for dimensions in 1..=4 {
        let longer = |shape: &Vec<u64>| {
            let least = shape.last().copied().unwrap_or(2);
            let with = |length| [&shape[..], &[length]].concat();
            (least..=most).map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
        if dimensions >= 3 {
            boxes.extend(all.iter().filter(|shape| shape.iter().product::<u64>() <= processes).cloned());
        }
    }
    boxes
}

fn check_pairs(lengths: &[u64], findings: &mut Findings) {
    let guest = mesh(lengths);
    let Some(placement) = place(PAIRS_DILATION, &guest, findings) else { return };
    let gray: u32 = lengths.iter().map(|length| length.next_power_of_two().trailing_zeros()).sum();
    if placement.construction() == GreenbergConstruction::Tiles {
        return;
    }
    let saved = u64::from(gray - GreenbergPlacement::cube_dimensions(&guest));
    let parts = placement.parts().iter();
    let pairs = parts.filter(|part| part.embedding().method() == GreenbergMethod::Reflection).count() as u64;
    let case = MachineLabel(&guest);
    findings.add(PAIRS_DILATION, Trial::at_most(5, measured(&guest, &placement)), &case);
    findings.add(PAIRS_SAVED, Trial::equal(pairs, saved), &case);
    findings.add(PAIRS_MOST, Trial::at_most(lengths.len() as u64 / 2, saved), &case);
}

fn check_array(lengths: [u64; 2], findings: &mut Findings) {
    let guest = mesh(&lengths);
    let Some(placement) = place(ARRAYS, &guest, findings) else { return };
    let gray: u32 = lengths.iter().map(|length| length.next_power_of_two().trailing_zeros()).sum();
    let more = u64::from(gray - GreenbergPlacement::cube_dimensions(&guest));
    findings.add(ARRAYS, Trial::equal(1, more), &MachineLabel(&guest));
    findings.add(ARRAYS_DILATION, Trial::at_most(5, measured(&guest, &placement)), &MachineLabel(&guest));
}

/// The last block of a mesh is reflected over all dimensions of the earlier blocks, so the rows
/// of its slots alone are that far from those of the first block.
fn check_rows(findings: &mut Findings) {
    let Ok(sides) = MeshSides::new(65, 107) else { return };
    let Some((_, table)) = slots(ROWS_PRINTED, sides, GreenbergStage::Swap, findings) else { return };
    let apart = |row| {
        let [first, last] =
            [0, sides.columns() - 1].map(|column| gray_code_word(table.slot(row, column).row));
        u64::from((first ^ last).count_ones())
    };
    let most = (0..sides.rows()).map(apart).max().unwrap_or(0);
    findings.add(ROWS_PRINTED, Trial::at_most(5, most), &MeshLabel(sides));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placement_of_unit_dilation_is_found_where_there_is_one() {
        assert!(Search::finds(&mesh(&[3, 5]), 5));
        assert!(Search::finds(&mesh(&[4, 4]), 4));
        assert!(!Search::finds(&mesh(&[3, 3]), 3));
    }
}
