//! 6.1: how many paths of mesh edges a link of the cube carries.

use cubefold_mapping::{GreenbergEmbedding, MeshSides};

use super::super::{Case, Scope, claim::Claim, findings::Findings, trial::Trial};
use super::{Mesh, by_rows, reflected};

const LOAD_FACTOR: Claim = Claim::new(
    "Greenberg 1987, 6.1",
    "load factor by reflection, row paths over the highest dimension first: at most 8",
);
const COLUMN_EDGES: Claim = Claim::misprinted(
    "Greenberg 1987, 6.1",
    "paths over a link between two rows, before percolation: at most 2; the load factor stays at most 8",
    "G16",
);
const ROW_EDGES: Claim = Claim::misprinted(
    "Greenberg 1987, 6.1",
    "paths over a link along a row, before percolation, in whatever order: at most 4; over the highest dimension first",
    "G17",
);

/// What holds.
pub(super) const CLAIMS: [Claim; 1] = [LOAD_FACTOR];
/// What fails as it is printed.
pub(super) const PRINTED: [Claim; 2] = [COLUMN_EDGES, ROW_EDGES];

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    by_rows(&reflected(scope), check)
}

fn check(sides: MeshSides, findings: &mut Findings) {
    let case = Mesh(sides);
    let embedding = match GreenbergEmbedding::new([sides.rows().into(), sides.columns().into()]) {
        Ok(embedding) => embedding,
        Err(error) => return findings.fail(LOAD_FACTOR, &case, &error),
    };
    let load_factor = u64::from(embedding.load_factor());
    findings.add(LOAD_FACTOR, Trial::at_most(8, load_factor), &case);
    findings.add_reading(COLUMN_EDGES, Trial::at_most(8, load_factor), &case);
    // Where nodes percolate, the paths hold more than those of the two statements.
    if embedding.numbers().is_none_or(|numbers| numbers.doubled_slots > 0) {
        return;
    }
    let highest_first = Uses::count(&embedding, |from, to| embedding.path(from, to));
    let lowest_first = Uses::count(&embedding, |from, to| lowest_first(&embedding, from, to));
    findings.add(COLUMN_EDGES, Trial::at_most(2, highest_first.between_rows), &case);
    findings.add(ROW_EDGES, Trial::at_most(4, lowest_first.along_rows), &case);
    findings.add_reading(ROW_EDGES, Trial::at_most(4, highest_first.along_rows), &case);
}

/// The path to the right row, then over the columns' dimensions the other way round: the cube has their highest lowest.
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

/// Every edge, from a node to its right or lower neighbour; the row comes first, as `W <= L`.
fn edges(sides: MeshSides) -> impl Iterator<Item = ([u32; 2], [u32; 2])> {
    let (rows, columns) = (sides.rows(), sides.columns());
    let below =
        (1..rows).flat_map(move |row| (0..columns).map(move |column| ([row - 1, column], [row, column])));
    let right =
        (0..rows).flat_map(move |row| (1..columns).map(move |column| ([row, column - 1], [row, column])));
    below.chain(right)
}
