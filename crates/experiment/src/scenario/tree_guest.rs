//! Trees as guests that no number of levels describes: `{ kind = "random-tree", vertices = 100 }` and
//! `{ kind = "caterpillar", legs = [0, 1, 1, 0] }`.

use cubefold_mapping::GraphGuest;
use cubefold_topology::{Machine, MachineError, MachineKind, Network};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use super::{
    scenario_error::ScenarioError,
    size::Size,
    table::Table,
    value::{Content, Value},
};
use crate::generator_key::generator_key;

/// The most vertices of a tree.
const MAX_VERTICES: u64 = 1 << 20;

/// Reads the tree, `kind` being one of these two; `seed` is what a random one grows from.
pub(super) fn read(
    table: &Table<'_>,
    kind: MachineKind,
    place: &Value,
    seed: Option<u64>,
    errors: &mut Vec<ScenarioError>,
) -> Option<(GraphGuest, Size)> {
    let (key, other) =
        if kind == MachineKind::Caterpillar { ("legs", "vertices") } else { ("vertices", "legs") };
    let foreign = ["shape", "dimensions", "levels", "wrap", "edges", other];
    let before = errors.len();
    for (key, value) in foreign.into_iter().filter_map(|key| Some((key, table.get(key)?))) {
        let (path, kind_place) = (table.name(key), Some(&place.place));
        errors.push(ScenarioError::foreign_key(&path, &value.place, kind.name(), kind_place));
    }
    let Some(value) = table.get(key) else {
        let message = format!("{} is missing, expected {}", table.name(key), expected(kind));
        errors.push(ScenarioError::at(&place.place, message, format!("needs {key}")));
        return None;
    };
    let links = match kind {
        MachineKind::Caterpillar => caterpillar(value, &table.name(key), errors),
        _ => value
            .natural(table.name(key), 2..=MAX_VERTICES, errors)
            .and_then(|count| u32::try_from(count).ok())
            .and_then(|count| Some(random_tree(count, seed?))),
    }?;
    match tree(kind, &links) {
        Ok(machine) if errors.len() == before => {
            let size = Size::of_machine(&machine, &value.place);
            Some((GraphGuest::new(machine), size))
        }
        Ok(_) => None,
        Err(error) => {
            errors.push(ScenarioError::at(&value.place, error.to_string(), "this tree"));
            None
        }
    }
}

fn expected(kind: MachineKind) -> &'static str {
    match kind {
        MachineKind::Caterpillar => "for every vertex of the spine 1 if it has a leg, else 0: [0, 1, 1, 0]",
        _ => "how many there are",
    }
}

fn tree(kind: MachineKind, links: &[(u32, u32)]) -> Result<Machine, MachineError> {
    let vertices = links.iter().map(|&(_, below)| below).max().map_or(1, |greatest| greatest + 1);
    Machine::network(kind, Network::from_edges(vertices, links)?)
}

/// Grows a binary tree: every vertex comes to one of the places that are free below those that are there, each as
/// likely as the others.
fn random_tree(count: u32, seed: u64) -> Vec<(u32, u32)> {
    let mut generator =
        ChaCha12Rng::from_seed(generator_key(seed, &format!("random tree; {count} vertices")));
    let mut free = vec![0, 0]; // a vertex for each child that it may still get
    let mut links = vec![];
    for vertex in 1..count {
        let parent = free.swap_remove(generator.random_range(0..free.len()));
        links.push((parent, vertex));
        free.extend([vertex, vertex]);
    }
    links
}

/// The links of a spine, and those to its legs, which come after it.
fn caterpillar(value: &Value, name: &str, errors: &mut Vec<ScenarioError>) -> Option<Vec<(u32, u32)>> {
    let entries = value.list(name, "0 and 1, one for each vertex of the spine", errors)?;
    let before = errors.len();
    let spine = u32::try_from(entries.len()).ok()?;
    let mut links: Vec<(u32, u32)> = (1..spine).map(|vertex| (vertex - 1, vertex)).collect();
    let mut leg = spine;
    for (vertex, entry) in (0..).zip(entries) {
        match entry.content {
            Content::Integer(Some(0)) => {}
            Content::Integer(Some(1)) => {
                links.push((vertex, leg));
                leg += 1;
            }
            _ => errors.push(entry.unexpected(format!("entry of {name}"), "0 or 1")),
        }
    }
    (errors.len() == before).then_some(links)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_trees_are_binary_and_the_same_for_the_same_seed() {
        let links = random_tree(500, 3);
        let below = |vertex: u32| links.iter().filter(|(parent, _)| *parent == vertex).count();
        assert!((0..500).all(|vertex| below(vertex) <= 2));
        assert!(links.iter().zip(1..).all(|((parent, vertex), number)| parent < vertex && *vertex == number));
        assert_eq!(links, random_tree(500, 3));
        assert_ne!(links, random_tree(500, 4));
    }
}
