//! The footnote and the steps of 4.2 as they are printed.

use cubefold_mapping::{
    GreenbergMethod, GreenbergStage, IntermediateMesh, MeshSides, ReflectionMethod, Slot, SlotTable,
    flexed_dimension, gray_code_word,
};

use super::super::{Case, Scope, claim::Claim, findings::Findings, trial::Trial};
use super::{Mesh, meshes::doubled_columns, most_side, slots};

pub(super) const FOOTNOTE: Claim = Claim::misprinted(
    "Greenberg 1987, footnote 1",
    "meshes W <= L for which WL > under(W) over(L) does not tell whether the Gray code is minimal, both strict; over is not",
    "G4",
);
pub(super) const STEP_2: Claim = Claim::misprinted(
    "Greenberg 1987, 4.2, step 2",
    "dilation before percolation with block c across G~(c-1) only: 3; across G~(1) to G~(c-1) it is",
    "G7",
);
pub(super) const STEP_3: Claim = Claim::misprinted(
    "Greenberg 1987, 4.2, step 3",
    "slots with two nodes after packing, both nodes of a doublet at c + DB: none; side by side, none",
    "G8",
);
pub(super) const STEP_4: Claim = Claim::misprinted(
    "Greenberg 1987, 4.2, step 4",
    "columns from the first with two nodes to the last, by the formula c1 - over(L): log W1 - 1; reflected they are",
    "G9",
);

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let most = most_side(scope);
    let mut cases: Vec<Case> = vec![Box::new(move |findings| check_footnote(most, findings))];
    for (rows, columns) in [(3, 5), (5, 11), (13, 19), (45, 45)] {
        cases.push(Box::new(move |findings| {
            if let Ok(sides) = MeshSides::new(rows, columns) {
                check_steps(sides, findings);
            }
        }));
    }
    cases
}

fn check_footnote(most: u64, findings: &mut Findings) {
    let (mut printed, mut read) = (0, 0);
    for rows in 2..=most {
        for columns in rows..=most {
            let Ok(sides) = MeshSides::new(rows, columns) else { continue };
            let is_minimal = sides.method() == GreenbergMethod::Gray;
            let under = rows.next_power_of_two() / 2;
            let over = columns.next_power_of_two();
            let strictly_over = (columns + 1).next_power_of_two();
            printed += u64::from((rows * columns > under * strictly_over) != is_minimal);
            read += u64::from((rows * columns > under * over) != is_minimal);
        }
    }
    let case = format!("sides 2 to {most}");
    findings.add(FOOTNOTE, Trial::equal(0, printed), &case);
    findings.add_reading(FOOTNOTE, Trial::equal(0, read), &case);
}

fn check_steps(sides: MeshSides, findings: &mut Findings) {
    let Some((method, read)) = slots(STEP_2, sides, GreenbergStage::Swap, findings) else { return };
    let Some((_, packed)) = slots(STEP_3, sides, GreenbergStage::Pack, findings) else { return };
    let (mesh, case) = (method.intermediate(), Mesh(sides));
    findings.add(STEP_2, Trial::at_most(3, across_one_only(method, &packed)), &case);
    findings.add_reading(STEP_2, Trial::at_most(3, longest(&read.spectrum(mesh))), &case);
    findings.add(STEP_3, Trial::equal(0, shared(in_one_place(method, &packed))), &case);
    findings.add_reading(STEP_3, Trial::equal(0, shared(packed.iter().map(|(_, _, slot)| slot))), &case);
    let allowed = u64::from(mesh.row_bits().saturating_sub(1));
    findings.add(STEP_4, Trial::at_most(allowed, doubled_by_formula(mesh, &packed)), &case);
    findings.add_reading(STEP_4, Trial::at_most(allowed, doubled_columns(mesh, &read)), &case);
}

/// The last index with a count.
fn longest(spectrum: &[u64]) -> u64 {
    spectrum.len().saturating_sub(1) as u64
}

/// Step 2 as printed: the most links between neighbours within a row, of the best that steps 3 to 5 could do. Already the
/// rows of the slots may be two dimensions apart, and the columns of singlets are given.
fn across_one_only(method: ReflectionMethod, packed: &SlotTable) -> u64 {
    let (mesh, sides) = (method.intermediate(), packed.sides());
    let mut doublets = vec![0_u32; mesh.rows() as usize]; // by code word
    let mut most = 0;
    let mut before: Vec<(u32, u32)> = vec![]; // code words of the singlets of the block before
    for column in 0..sides.columns() {
        let crossed = if column == 0 { 0 } else { 1 << flexed_dimension(column, mesh.row_bits()) };
        let word = |row: u32| gray_code_word(row) ^ crossed;
        let place = |row: u32| (word(row), gray_code_word(column + doublets[word(row) as usize]));
        let own: Vec<(u32, u32)> = (0..method.singlet_rows()).map(place).collect();
        for (one, other) in own.iter().zip(&before) {
            most = most.max((one.0 ^ other.0).count_ones() + (one.1 ^ other.1).count_ones());
        }
        before = own;
        for row in method.singlet_rows()..mesh.rows() {
            doublets[word(row) as usize] += 1;
        }
    }
    most.into()
}

/// Step 3 as printed: the second node of a doublet where the first is.
fn in_one_place(method: ReflectionMethod, packed: &SlotTable) -> impl Iterator<Item = Slot> {
    packed.iter().map(move |(row, _, slot)| {
        let is_second = row.checked_sub(method.singlet_rows()).is_some_and(|below| below % 2 == 1);
        Slot { row: slot.row, column: slot.column - u32::from(is_second) }
    })
}

/// How many slots have two nodes or more.
fn shared(slots: impl Iterator<Item = Slot>) -> u64 {
    let mut slots: Vec<Slot> = slots.collect();
    slots.sort_unstable();
    slots.chunk_by(|one, other| one == other).filter(|own| own.len() > 1).count() as u64
}

/// Step 4 as printed: how many columns there are from the first with two nodes in a slot on.
fn doubled_by_formula(mesh: IntermediateMesh, packed: &SlotTable) -> u64 {
    let mut taken = vec![false; mesh.slot_count() as usize];
    let mut first = mesh.columns();
    for (_, _, slot) in packed.iter() {
        let slot = Slot { row: slot.row, column: slot.column % mesh.columns() };
        if std::mem::replace(&mut taken[mesh.cube_node(slot) as usize], true) {
            first = first.min(slot.column);
        }
    }
    u64::from(mesh.columns() - first)
}
