//! Sections 4 and 5 on every mesh of a range.

use cubefold_mapping::{
    GreenbergEmbedding, GreenbergMethod, GreenbergStage, IntermediateMesh, MeshSides, ReflectionMethod, Slot,
    SlotTable, gray_code_word,
};

use super::super::{Case, Scope, claim::Claim, findings::Findings, trial::Trial};
use super::{Mesh, by_rows, meshes, reflected, slots};

const LEMMA_6: Claim = Claim::new(
    "Greenberg 1987, lemma 6",
    "difference in doublets of two rows one reflection apart, before every block: at most 1",
);
const COROLLARY_2: Claim = Claim::new(
    "Greenberg 1987, corollary 2",
    "links between neighbours within a column by reflection: at most 3",
);
pub(super) const COROLLARY_2_PRINTED: Claim = Claim::misprinted(
    "Greenberg 1987, corollary 2",
    "links along a row between neighbours within a column: less than 2; they are at most 2",
    "G14",
);
const COROLLARY_3: Claim = Claim::new(
    "Greenberg 1987, corollary 3",
    "links between neighbours within a row by reflection: at most 3",
);
const LEMMA_7_COLUMNS: Claim = Claim::new(
    "Greenberg 1987, lemma 7",
    "columns from the first with two nodes in a slot to the last: at most log W1 - 1",
);
const LEMMA_7_DOUBLETS: Claim = Claim::new(
    "Greenberg 1987, lemma 7",
    "difference in doublets of any two rows, before every block: at most log W1",
);
const THEOREM_2: Claim =
    Claim::new("Greenberg 1987, theorem 2", "dilation by reflection before percolation: 3");
const THEOREM_3_DILATION: Claim =
    Claim::new("Greenberg 1987, theorem 3", "dilation by reflection with percolation: at most 5");
const THEOREM_3_SHARED: Claim =
    Claim::new("Greenberg 1987, theorem 3", "nodes with more than one process, Gray code included");
const THEOREM_3_CUBE: Claim = Claim::new(
    "Greenberg 1987, theorem 3",
    "dimensions of the cube beyond those of the smallest with room, Gray code included",
);

/// In the order of the report.
pub(super) const CLAIMS: [Claim; 9] = [
    LEMMA_6,
    COROLLARY_2,
    COROLLARY_3,
    LEMMA_7_COLUMNS,
    LEMMA_7_DOUBLETS,
    THEOREM_2,
    THEOREM_3_DILATION,
    THEOREM_3_SHARED,
    THEOREM_3_CUBE,
];

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let mut cases = by_rows(&reflected(scope), check_reflection);
    cases.extend(by_rows(&meshes(scope), check_embedding));
    cases
}

fn check_reflection(sides: MeshSides, findings: &mut Findings) {
    check_doublets(sides, findings);
    let Some((method, table)) = slots(THEOREM_2, sides, GreenbergStage::Swap, findings) else { return };
    let (mesh, case) = (method.intermediate(), Mesh(sides));
    let (columns, rows) = (within_columns(mesh, &table), within_rows(mesh, &table));
    findings.add(COROLLARY_2, Trial::at_most(3, columns.links), &case);
    findings.add(COROLLARY_2_PRINTED, Trial::at_most(1, columns.along_row), &case);
    findings.add_reading(COROLLARY_2_PRINTED, Trial::at_most(2, columns.along_row), &case);
    findings.add(COROLLARY_3, Trial::at_most(3, rows.links), &case);
    findings.add(THEOREM_2, Trial::equal(3, columns.links.max(rows.links)), &case);
    let allowed = u64::from(mesh.row_bits().saturating_sub(1));
    findings.add(LEMMA_7_COLUMNS, Trial::at_most(allowed, doubled_columns(mesh, &table)), &case);
}

/// How many columns there are from the first with two nodes in a slot on.
pub(super) fn doubled_columns(mesh: IntermediateMesh, table: &SlotTable) -> u64 {
    let mut taken = vec![false; mesh.slot_count() as usize];
    let mut first = mesh.columns();
    for (_, _, slot) in table.iter() {
        if std::mem::replace(&mut taken[mesh.cube_node(slot) as usize], true) {
            first = first.min(slot.column);
        }
    }
    u64::from(mesh.columns() - first)
}

/// The most links between some neighbours, in all and along a row of the intermediate mesh.
#[derive(Default)]
struct Farthest {
    links: u64,
    along_row: u64,
}

impl Farthest {
    fn and(self, mesh: IntermediateMesh, one: Slot, other: Slot) -> Self {
        let along_row = gray_code_word(one.column) ^ gray_code_word(other.column);
        Self {
            links: self.links.max(mesh.distance(one, other).into()),
            along_row: self.along_row.max(along_row.count_ones().into()),
        }
    }
}

fn within_columns(mesh: IntermediateMesh, table: &SlotTable) -> Farthest {
    let lower = table.iter().filter(|&(row, _, _)| row > 0);
    let pairs = lower.map(|(row, column, slot)| (slot, table.slot(row - 1, column)));
    pairs.fold(Farthest::default(), |farthest, (one, other)| farthest.and(mesh, one, other))
}

fn within_rows(mesh: IntermediateMesh, table: &SlotTable) -> Farthest {
    let right = table.iter().filter(|&(_, column, _)| column > 0);
    let pairs = right.map(|(row, column, slot)| (slot, table.slot(row, column - 1)));
    pairs.fold(Farthest::default(), |farthest, (one, other)| farthest.and(mesh, one, other))
}

/// `DB` before every block, and after the last.
fn check_doublets(sides: MeshSides, findings: &mut Findings) {
    let Some((method, table)) = slots(LEMMA_6, sides, GreenbergStage::Reflect, findings) else { return };
    let bits = method.intermediate().row_bits();
    let mut doublets = vec![0_u64; 1 << bits]; // by code word
    let (mut beside, mut any) = (0, 0);
    for column in 0..sides.columns() {
        for word in doublet_words(method, &table, column) {
            doublets[word as usize] += 1;
        }
        let (least, most) = (doublets.iter().min(), doublets.iter().max());
        any = any.max(most.unwrap_or(&0) - least.unwrap_or(&0));
        for (word, &count) in doublets.iter().enumerate() {
            let differences = (0..bits).map(|bit| count.abs_diff(doublets[word ^ (1 << bit)]));
            beside = beside.max(differences.max().unwrap_or(0));
        }
    }
    findings.add(LEMMA_6, Trial::at_most(1, beside), &Mesh(sides));
    findings.add(LEMMA_7_DOUBLETS, Trial::at_most(u64::from(bits), any), &Mesh(sides));
}

/// The code words of the rows in which a column has its doublets.
fn doublet_words(method: ReflectionMethod, table: &SlotTable, column: u32) -> impl Iterator<Item = u32> {
    let firsts = (method.singlet_rows()..table.sides().rows()).step_by(2);
    firsts.map(move |row| gray_code_word(table.slot(row, column).row))
}

fn check_embedding(sides: MeshSides, findings: &mut Findings) {
    let case = Mesh(sides);
    let embedding = match GreenbergEmbedding::new([sides.rows().into(), sides.columns().into()]) {
        Ok(embedding) => embedding,
        Err(error) => return findings.fail(THEOREM_3_SHARED, &case, &error),
    };
    let (mesh, table) = (embedding.intermediate(), embedding.table());
    let mut nodes: Vec<u32> = table.iter().map(|(_, _, slot)| mesh.cube_node(slot)).collect();
    nodes.sort_unstable();
    let shared = nodes.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
    findings.add(THEOREM_3_SHARED, Trial::equal(0, shared), &case);
    let smallest = sides.process_count().next_power_of_two();
    let beyond = nodes.last().map_or(0, |&last| u64::from(last >= smallest))
        + u64::from(mesh.slot_count() / smallest)
        - 1;
    findings.add(THEOREM_3_CUBE, Trial::equal(0, beyond), &case);
    if embedding.method() == GreenbergMethod::Reflection {
        let links = within_columns(mesh, table).links.max(within_rows(mesh, table).links);
        findings.add(THEOREM_3_DILATION, Trial::at_most(5, links), &case);
    }
}
