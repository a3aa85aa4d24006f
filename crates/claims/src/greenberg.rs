//! Greenberg 1987: meshes in their smallest hypercubes, sections 4 to 6.1 on every mesh of a range.
//!
//! Cube nodes are compared by their labels: the number of links between two is the number of differing
//! bits.

mod extensions;
mod lemmas;
mod meshes;
mod named_constructions;

use cubefold_mapping::{
    GreenbergEmbedding, GreenbergMethod, GreenbergStage, IntermediateMesh, MeshSides, ReflectionMethod, Slot,
    SlotTable, gray_code_word,
};

use self::meshes::{MeshLabel, by_rows, doubled_columns, meshes, reflected, slots};
use crate::{
    claim::{Claim, Trial, claims},
    findings::{Case, Findings, Scope},
};

/// In the order of the report.
pub(super) fn claims() -> Vec<Claim> {
    [
        &[lemmas::LEMMA_1][..],
        extensions::UNIT_DILATION_CLAIMS,
        lemmas::OTHERS,
        MESH_CLAIMS,
        extensions::CLAIMS,
        named_constructions::CLAIMS,
    ]
    .concat()
}

/// Printed statements that fail.
pub(super) fn misprinted_claims() -> Vec<Claim> {
    [lemmas::PRINTED, MESH_PRINTED, &[extensions::ROWS_PRINTED]].concat()
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let mut cases = lemmas::cases(scope);
    cases.extend(extensions::unit_dilation_cases());
    cases.extend(mesh_cases(scope));
    cases.extend(load_factor_cases(scope));
    cases.extend(extensions::cases(scope));
    cases.extend(named_constructions::cases(scope));
    cases.extend(lemmas::misprint_cases(scope));
    cases
}

claims! {
    /// In the order of the report.
    MESH_CLAIMS:

    "Greenberg 1987, lemma 6":
        LEMMA_6 = "difference in doublets of two rows one reflection apart, before every block: at most 1";

    "Greenberg 1987, corollary 2":
        COROLLARY_2 = "links between neighbours within a column by reflection: at most 3";

    "Greenberg 1987, corollary 3":
        COROLLARY_3 = "links between neighbours within a row by reflection: at most 3";

    "Greenberg 1987, lemma 7":
        LEMMA_7_COLUMNS = "columns from the first with two nodes in a slot to the last: at most log W1 - 1";
        LEMMA_7_DOUBLETS = "difference in doublets of any two rows, before every block: at most log W1";

    "Greenberg 1987, theorem 2":
        THEOREM_2 = "dilation by reflection before percolation: 3";

    "Greenberg 1987, theorem 3":
        THEOREM_3_DILATION = "dilation by reflection with percolation: at most 5";
        THEOREM_3_SHARED = "nodes with more than one process, Gray code included";
        THEOREM_3_CUBE = "dimensions of the cube beyond those of the smallest with room, Gray code included";

    "Greenberg 1987, 6.1":
        LOAD_FACTOR = "load factor by reflection, row paths over the highest dimension first: at most 8";
}

claims! {
    /// In the order of the report.
    MESH_PRINTED:

    "Greenberg 1987, corollary 2":
        COROLLARY_2_PRINTED (erratum "G14") =
            "links along a row between neighbours within a column: less than 2; they are at most 2";

    "Greenberg 1987, 6.1":
        COLUMN_EDGES (erratum "G16") =
            "paths over a link between two rows, before percolation: at most 2; the load factor stays at most 8";
        ROW_EDGES (erratum "G17") =
            "paths over a link along a row, before percolation, in whatever order: at most 4; over the highest dimension first";
}

fn mesh_cases(scope: Scope) -> Vec<Case> {
    let mut cases = by_rows(&reflected(scope), check_reflection);
    cases.extend(by_rows(&meshes(scope), check_embedding));
    cases
}

fn check_reflection(sides: MeshSides, findings: &mut Findings) {
    check_doublets(sides, findings);
    let Some((method, table)) = slots(THEOREM_2, sides, GreenbergStage::Swap, findings) else { return };
    let (mesh, case) = (method.intermediate(), MeshLabel(sides));
    let (columns, rows) = (within_columns(mesh, &table), within_rows(mesh, &table));
    findings.add(COROLLARY_2, Trial::at_most(3, columns.links), &case);
    findings.add(COROLLARY_2_PRINTED, Trial::at_most(1, columns.along_row), &case);
    findings.add_reading(COROLLARY_2_PRINTED, Trial::at_most(2, columns.along_row), &case);
    findings.add(COROLLARY_3, Trial::at_most(3, rows.links), &case);
    findings.add(THEOREM_2, Trial::equal(3, columns.links.max(rows.links)), &case);
    let allowed = u64::from(mesh.row_bits().saturating_sub(1));
    findings.add(
        LEMMA_7_COLUMNS,
        Trial::at_most(allowed, doubled_columns(mesh, table.iter().map(|(_, _, slot)| slot))),
        &case,
    );
}

/// The most links between neighbours, in total and along a row of the intermediate mesh.
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
    findings.add(LEMMA_6, Trial::at_most(1, beside), &MeshLabel(sides));
    findings.add(LEMMA_7_DOUBLETS, Trial::at_most(u64::from(bits), any), &MeshLabel(sides));
}

/// The code words of the rows in which a column has its doublets.
fn doublet_words(method: ReflectionMethod, table: &SlotTable, column: u32) -> impl Iterator<Item = u32> {
    let firsts = (method.singlet_rows()..table.sides().rows()).step_by(2);
    firsts.map(move |row| gray_code_word(table.slot(row, column).row))
}

fn check_embedding(sides: MeshSides, findings: &mut Findings) {
    let case = MeshLabel(sides);
    let embedding = GreenbergEmbedding::new([sides.rows().into(), sides.columns().into()]);
    let Some(embedding) = findings.or_fail(THEOREM_3_SHARED, &case, embedding) else { return };
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

fn load_factor_cases(scope: Scope) -> Vec<Case> {
    by_rows(&reflected(scope), check_load_factor)
}

fn check_load_factor(sides: MeshSides, findings: &mut Findings) {
    let case = MeshLabel(sides);
    let embedding = GreenbergEmbedding::new([sides.rows().into(), sides.columns().into()]);
    let Some(embedding) = findings.or_fail(LOAD_FACTOR, &case, embedding) else { return };
    let load_factor = u64::from(embedding.load_factor());
    findings.add(LOAD_FACTOR, Trial::at_most(8, load_factor), &case);
    findings.add_reading(COLUMN_EDGES, Trial::at_most(8, load_factor), &case);
    // If nodes percolate, there are more paths than in the two statements.
    if embedding.numbers().is_none_or(|numbers| numbers.doubled_slots > 0) {
        return;
    }
    let highest_first = Uses::count(&embedding, |from, to| embedding.path(from, to));
    let lowest_first = Uses::count(&embedding, |from, to| lowest_first(&embedding, from, to));
    findings.add(COLUMN_EDGES, Trial::at_most(2, highest_first.between_rows), &case);
    findings.add(ROW_EDGES, Trial::at_most(4, lowest_first.along_rows), &case);
    findings.add_reading(ROW_EDGES, Trial::at_most(4, highest_first.along_rows), &case);
}

/// The path to the right row, then over the columns' dimensions in reverse order, since the highest of them is the
/// cube's lowest.
fn lowest_first(embedding: &GreenbergEmbedding, from: [u32; 2], to: [u32; 2]) -> Vec<u32> {
    let row_bits = embedding.intermediate().row_bits();
    let (mut node, end) = (embedding.node(from), embedding.node(to));
    let mut path = vec![node];
    let rows = 0..row_bits;
    for dimension in rows.chain((row_bits..embedding.cube_dimensions()).rev()) {
        if (node ^ end) >> dimension & 1 == 1 {
            node ^= 1 << dimension;
            path.push(node);
        }
    }
    path
}

/// The most paths over a link.
struct Uses {
    between_rows: u64,
    along_rows: u64,
}

impl Uses {
    fn count(embedding: &GreenbergEmbedding, path: impl Fn([u32; 2], [u32; 2]) -> Vec<u32>) -> Self {
        let dimensions = embedding.cube_dimensions();
        let mut uses = vec![0_u64; (dimensions << dimensions) as usize];
        for (from, to) in edges(embedding.sides()) {
            for link in path(from, to).windows(2) {
                let dimension = (link[0] ^ link[1]).trailing_zeros();
                uses[((dimension << dimensions) | (link[0] & link[1])) as usize] += 1;
            }
        }
        let (between, along) = uses.split_at((embedding.intermediate().row_bits() << dimensions) as usize);
        let most = |uses: &[u64]| uses.iter().copied().max().unwrap_or(0);
        Self { between_rows: most(between), along_rows: most(along) }
    }
}

/// Every edge, from a node to its right or lower neighbour; the row is first, as `W <= L`.
fn edges(sides: MeshSides) -> impl Iterator<Item = ([u32; 2], [u32; 2])> {
    let (rows, columns) = (sides.rows(), sides.columns());
    let below =
        (1..rows).flat_map(move |row| (0..columns).map(move |column| ([row - 1, column], [row, column])));
    let right =
        (0..rows).flat_map(move |row| (1..columns).map(move |column| ([row, column - 1], [row, column])));
    below.chain(right)
}
