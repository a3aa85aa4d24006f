//! Meshes to try.

use crate::{GreenbergMethod, MeshSides, ReflectionMethod};

/// All sides `W <= L` up to `most`.
pub(super) fn all_sides(most: u64) -> Vec<MeshSides> {
    let columns = |rows| (rows..=most).map(move |columns| MeshSides::new(rows, columns).unwrap());
    (1..=most).flat_map(columns).collect()
}

/// Those of them that the reflection method is for.
pub(super) fn reflected(most: u64) -> Vec<ReflectionMethod> {
    let sides = all_sides(most).into_iter().filter(|sides| sides.method() == GreenbergMethod::Reflection);
    sides.map(|sides| ReflectionMethod::new(sides).unwrap()).collect()
}
