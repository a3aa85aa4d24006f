//! Greenberg 1987: meshes in their smallest hypercubes.
//!
//! Cube nodes are compared by their labels: how many links lie between two is how many bits differ.

mod extensions;
mod lemmas;
mod load_factor;
mod meshes;
mod misprints;
mod unit_dilation;

use std::fmt;

use cubefold_mapping::{GreenbergMethod, GreenbergStage, MeshSides, ReflectionMethod, SlotTable};

use super::{Case, Scope, claim::Claim, findings::Findings};

/// In the order of the report.
pub(super) fn claims() -> Vec<Claim> {
    [
        &[lemmas::LEMMA_1][..],
        &unit_dilation::CLAIMS,
        &lemmas::OTHERS,
        &meshes::CLAIMS,
        &load_factor::CLAIMS,
        &extensions::CLAIMS,
    ]
    .concat()
}

/// Printed statements that fail.
pub(super) fn misprinted_claims() -> Vec<Claim> {
    [
        &[misprints::FOOTNOTE, misprints::STEP_2, misprints::STEP_3, misprints::STEP_4][..],
        &[lemmas::LEMMA_5_PRINTED, meshes::COROLLARY_2_PRINTED],
        &load_factor::PRINTED,
        &[extensions::ROWS_PRINTED],
    ]
    .concat()
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let mut cases = lemmas::cases(scope);
    cases.extend(unit_dilation::cases());
    cases.extend(meshes::cases(scope));
    cases.extend(load_factor::cases(scope));
    cases.extend(extensions::cases(scope));
    cases.extend(misprints::cases(scope));
    cases
}

/// A mesh in words: `5 x 11`.
struct Mesh(MeshSides);

impl fmt::Display for Mesh {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} x {}", self.0.rows(), self.0.columns())
    }
}

/// The greatest side of the meshes that are all tried.
fn most_side(scope: Scope) -> u64 {
    match scope {
        Scope::Quick => 20,
        Scope::Full => 64,
    }
}

/// Meshes that percolate beyond those sides.
const PERCOLATING: [[u64; 2]; 4] = [[11, 93], [23, 89], [39, 105], [45, 45]];

/// Every mesh `W <= L` with sides up to the scope's, and the percolating ones.
fn meshes(scope: Scope) -> Vec<MeshSides> {
    let most = most_side(scope);
    let all = (1..=most).flat_map(|rows| (rows..=most).map(move |columns| [rows, columns]));
    let beyond = PERCOLATING.into_iter().filter(|&[_, columns]| columns > most);
    all.chain(beyond).filter_map(|[rows, columns]| MeshSides::new(rows, columns).ok()).collect()
}

/// Those of them that are not for the Gray code.
fn reflected(scope: Scope) -> Vec<MeshSides> {
    meshes(scope).into_iter().filter(|sides| sides.method() == GreenbergMethod::Reflection).collect()
}

/// A case for the meshes with as many rows each: one mesh alone is too little for a thread.
fn by_rows(
    meshes: &[MeshSides],
    check: impl Fn(MeshSides, &mut Findings) + Send + Sync + Copy + 'static,
) -> Vec<Case> {
    let of = |own: &[MeshSides]| -> Case {
        let own = own.to_vec();
        Box::new(move |findings: &mut Findings| own.iter().for_each(|&sides| check(sides, findings)))
    };
    meshes.chunk_by(|one, other| one.rows() == other.rows()).map(of).collect()
}

/// The slots of a mesh by reflection after a stage; the claim fails when they cannot be made.
fn slots(
    claim: Claim,
    sides: MeshSides,
    stage: GreenbergStage,
    findings: &mut Findings,
) -> Option<(ReflectionMethod, SlotTable)> {
    let found = ReflectionMethod::new(sides).and_then(|method| Ok((method, method.slots(stage)?)));
    found.map_err(|error| findings.fail(claim, &Mesh(sides), &error)).ok()
}
