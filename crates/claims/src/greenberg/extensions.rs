//! 6.2 and 6.3: sides that wrap, axes in pairs, polymorphic arrays.

use cubefold_mapping::{
    GreenbergMethod, GreenbergPlacement, GreenbergStage, MeshSides, Placement, gray_code_word,
};
use cubefold_topology::{Machine, MachineKind, Wrap};

use super::super::{
    Case, Scope,
    claim::Claim,
    findings::Findings,
    pairs::{Words, machine, mesh},
    routed::dilation,
    trial::Trial,
};
use super::{Mesh, by_rows, reflected, slots};

const COLUMNS: Claim = Claim::new(
    "Greenberg 1987, 6.2",
    "dilation by reflection of a mesh whose columns, the shorter side, wrap: at most 5",
);
const PAIRS_DILATION: Claim = Claim::new(
    "Greenberg 1987, 6.2",
    "dilation of a mesh of three or four dimensions, its axes in pairs: at most 5",
);
const PAIRS_SAVED: Claim = Claim::new(
    "Greenberg 1987, 6.2",
    "dimensions saved by pairs, against the Gray code: as many as pairs reflect",
);
const PAIRS_MOST: Claim =
    Claim::new("Greenberg 1987, 6.2", "dimensions saved by pairs in d dimensions: up to d/2");
const ARRAYS: Claim = Claim::new(
    "Greenberg 1987, 6.3",
    "dimensions that the Gray code needs more than reflection for the 5 x 11 and the 21 x 47 array: 1",
);
const ARRAYS_DILATION: Claim = Claim::new(
    "Greenberg 1987, 6.3",
    "dilation of the 5 x 11 and the 21 x 47 array in the smaller cube: at most 5",
);
pub(super) const ROWS_PRINTED: Claim = Claim::misprinted(
    "Greenberg 1987, 6.2",
    "links between the rows of slots in which the ends of a row lie, whatever the columns' code: at most 5; columns alone wrap",
    "G18",
);

/// In the order of the report.
pub(super) const CLAIMS: [Claim; 6] =
    [COLUMNS, PAIRS_DILATION, PAIRS_SAVED, PAIRS_MOST, ARRAYS, ARRAYS_DILATION];

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let mut cases = by_rows(&reflected(scope), check_columns);
    for lengths in boxes(scope) {
        cases.push(Box::new(move |findings| check_pairs(&lengths, findings)));
    }
    for lengths in [[5, 11], [21, 47]] {
        cases.push(Box::new(move |findings| check_array(&lengths, findings)));
    }
    cases.push(Box::new(check_rows));
    cases
}

/// The cube that a guest needs.
fn cube_for(guest: &Machine) -> Machine {
    machine(MachineKind::Hypercube, &vec![2; GreenbergPlacement::cube_dimensions(guest) as usize])
}

fn place(claim: Claim, guest: &Machine, findings: &mut Findings) -> Option<GreenbergPlacement> {
    let placed = GreenbergPlacement::new(guest, &cube_for(guest));
    placed.map_err(|error| findings.fail(claim, &Words(guest), &error)).ok()
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
        findings.add(COLUMNS, Trial::at_most(5, links), &Mesh(sides));
        findings.add_reading(ROWS_PRINTED, Trial::at_most(5, links), &Mesh(sides));
    }
}

/// Shapes of three and four dimensions.
fn boxes(scope: Scope) -> Vec<Vec<u64>> {
    let (most, processes) = match scope {
        Scope::Quick => (6, 500),
        Scope::Full => (11, 4000),
    };
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
    let saved = u64::from(gray - GreenbergPlacement::cube_dimensions(&guest));
    let parts = placement.parts().iter();
    let pairs = parts.filter(|part| part.embedding().method() == GreenbergMethod::Reflection).count() as u64;
    let case = Words(&guest);
    findings.add(PAIRS_DILATION, Trial::at_most(5, measured(&guest, &placement)), &case);
    findings.add(PAIRS_SAVED, Trial::equal(pairs, saved), &case);
    findings.add(PAIRS_MOST, Trial::at_most(lengths.len() as u64 / 2, saved), &case);
}

fn check_array(lengths: &[u64; 2], findings: &mut Findings) {
    let guest = mesh(lengths);
    let Some(placement) = place(ARRAYS, &guest, findings) else { return };
    let gray: u32 = lengths.iter().map(|length| length.next_power_of_two().trailing_zeros()).sum();
    let more = u64::from(gray - GreenbergPlacement::cube_dimensions(&guest));
    findings.add(ARRAYS, Trial::equal(1, more), &Words(&guest));
    findings.add(ARRAYS_DILATION, Trial::at_most(5, measured(&guest, &placement)), &Words(&guest));
}

/// The last block of a mesh is reflected over all dimensions that the blocks before were: the rows of its slots alone are
/// that far from those of the first block.
fn check_rows(findings: &mut Findings) {
    let Ok(sides) = MeshSides::new(65, 107) else { return };
    let Some((_, table)) = slots(ROWS_PRINTED, sides, GreenbergStage::Swap, findings) else { return };
    let apart = |row| {
        let [first, last] =
            [0, sides.columns() - 1].map(|column| gray_code_word(table.slot(row, column).row));
        u64::from((first ^ last).count_ones())
    };
    let most = (0..sides.rows()).map(apart).max().unwrap_or(0);
    findings.add(ROWS_PRINTED, Trial::at_most(5, most), &Mesh(sides));
}
