//! The meshes that are measured, and their slots by reflection.

use std::fmt;

use cubefold_mapping::{
    GreenbergMethod, GreenbergStage, IntermediateMesh, MeshSides, ReflectionMethod, Slot, SlotTable,
};

use crate::{
    claim::Claim,
    findings::{Case, Findings, Scope},
};

/// A mesh in words: `5 x 11`.
pub(super) struct MeshLabel(pub(super) MeshSides);

impl fmt::Display for MeshLabel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} x {}", self.0.rows(), self.0.columns())
    }
}

/// The greatest side of the meshes that are measured without exception.
pub(super) fn most_side(scope: Scope) -> u64 {
    scope.quick_or_full(20, 64)
}

/// Percolating meshes with longer sides.
const PERCOLATING: [[u64; 2]; 4] = [[11, 93], [23, 89], [39, 105], [45, 45]];

/// Every mesh `W <= L` with sides up to the scope's, and the percolating ones.
pub(super) fn meshes(scope: Scope) -> Vec<MeshSides> {
    let most = most_side(scope);
    let all = (1..=most).flat_map(|rows| (rows..=most).map(move |columns| [rows, columns]));
    let beyond = PERCOLATING.into_iter().filter(|&[_, columns]| columns > most);
    all.chain(beyond).filter_map(|[rows, columns]| MeshSides::new(rows, columns).ok()).collect()
}

/// The meshes that the Gray code does not fit.
pub(super) fn reflected(scope: Scope) -> Vec<MeshSides> {
    meshes(scope).into_iter().filter(|sides| sides.method() == GreenbergMethod::Reflection).collect()
}

/// A case for all meshes with equally many rows, since one mesh is too little work for a thread.
pub(super) fn by_rows(
    meshes: &[MeshSides],
    check: impl Fn(MeshSides, &mut Findings) + Send + Sync + Copy + 'static,
) -> Vec<Case> {
    let of = |group: &[MeshSides]| -> Case {
        let group = group.to_vec();
        Box::new(move |findings: &mut Findings| group.iter().for_each(|&sides| check(sides, findings)))
    };
    meshes.chunk_by(|one, other| one.rows() == other.rows()).map(of).collect()
}

/// The slots of a mesh by reflection after a stage; the claim fails when they cannot be made.
pub(super) fn slots(
    claim: Claim,
    sides: MeshSides,
    stage: GreenbergStage,
    findings: &mut Findings,
) -> Option<(ReflectionMethod, SlotTable)> {
    let found = ReflectionMethod::new(sides).and_then(|method| Ok((method, method.slots(stage)?)));
    findings.or_fail(claim, &MeshLabel(sides), found)
}

/// The number of columns from the first one with two nodes in a slot.
pub(super) fn doubled_columns(mesh: IntermediateMesh, slots: impl Iterator<Item = Slot>) -> u64 {
    let mut taken = vec![false; mesh.slot_count() as usize];
    let mut first = mesh.columns();
    for slot in slots {
        if std::mem::replace(&mut taken[mesh.cube_node(slot) as usize], true) {
            first = first.min(slot.column);
        }
    }
    u64::from(mesh.columns() - first)
}
