//! The guest of a neighbour-exchange program: `{ kind = "torus", shape = [4, 6] }`, `{ kind = "binary-tree", levels = 5 }`.

use cubefold_mapping::GraphGuest;
use cubefold_topology::{MAX_DIMENSIONS, Machine, MachineKind, Wrap};

use super::{
    known_names::alternatives,
    library::Library,
    network_section::{self, NetworkKeys},
    scenario_error::ScenarioError,
    setting::Setting,
    settings::Settings,
    size::{Size, read_wraps},
    table::Table,
    tree_guest,
    value::Value,
};

const KEYS: [&str; 8] = ["kind", "shape", "dimensions", "levels", "vertices", "legs", "wrap", "edges"];

/// The kinds of guests.
const KINDS: [MachineKind; 15] = [
    MachineKind::Line,
    MachineKind::Ring,
    MachineKind::Mesh,
    MachineKind::Torus,
    MachineKind::Hypercube,
    MachineKind::BinaryTree,
    MachineKind::RandomTree,
    MachineKind::Caterpillar,
    MachineKind::MeshOfTrees,
    MachineKind::CubeConnectedCycles,
    MachineKind::WrappedButterfly,
    MachineKind::Butterfly,
    MachineKind::ShuffleExchange,
    MachineKind::DeBruijn,
    MachineKind::Network,
];

/// Reads the guest, with its lengths.
pub(super) fn read(
    settings: &Settings<'_>,
    seed: Option<u64>,
    library: &mut Library,
    errors: &mut Vec<ScenarioError>,
) -> Option<(GraphGuest, Size)> {
    let Some(value) = settings.get(Setting::ProgramGuest) else {
        let expected = "its shape: { kind = \"torus\", shape = [4, 6] }";
        errors.push(settings.missing(Setting::ProgramGuest, expected));
        return None;
    };
    let table = Table::read(value, Setting::ProgramGuest.path(), &KEYS, errors)?;
    let kind = table.required("kind", &alternatives(&KINDS), errors);
    let kind_value = kind;
    let kind = kind.and_then(|value| {
        let names = KINDS.map(|kind| (kind.name(), kind));
        value.choice(&table.name("kind"), &names, errors)
    });
    if let (Some(kind), Some(kind_value)) = (kind.filter(|kind| !kind.is_grid()), kind_value) {
        if matches!(kind, MachineKind::RandomTree | MachineKind::Caterpillar) {
            return tree_guest::read(&table, kind, kind_value, seed, errors);
        }
        let keys = network_keys(&table, kind, kind_value);
        let beside = |path: &str| settings.beside(path);
        let (machine, size) = network_section::read(kind, &keys, beside, library, errors)?;
        return Some((GraphGuest::new(Machine::clone(&machine)), size));
    }
    for key in ["levels", "vertices", "legs", "edges"] {
        if let (Some(kind), Some(value)) = (kind, table.get(key)) {
            let kind_place = kind_value.map(|value| &value.place);
            errors.push(ScenarioError::foreign_key(&table.name(key), &value.place, kind.name(), kind_place));
        }
    }
    let size = size(&table, kind, value, errors);
    let wraps = match table.get("wrap") {
        Some(value) => read_wraps(value, &table.name("wrap"), size.as_ref(), errors),
        None => kind.zip(size.as_ref()).map(|(kind, size)| vec![kind.wrap(); size.lengths.len()]),
    };
    let (kind, size, wraps) = (kind?, size?, wraps?);
    shape(kind, &size, &wraps, errors).map(|shape| (GraphGuest::new(shape), size))
}

/// What describes a guest that is no grid: a tree by its levels, others by dimensions or a file.
fn network_keys<'a>(table: &Table<'a>, kind: MachineKind, kind_value: &'a Value) -> NetworkKeys<'a> {
    let (count_key, other) =
        if kind == MachineKind::BinaryTree { ("levels", "dimensions") } else { ("dimensions", "levels") };
    let foreign = ["shape", "wrap", "vertices", "legs", other]
        .into_iter()
        .filter_map(|key| Some((key, table.get(key)?)));
    NetworkKeys {
        name: "program.guest",
        count_key,
        count: table.get(count_key),
        edges: table.get("edges"),
        foreign: foreign.collect(),
        kind: kind_value,
    }
}

/// The lengths: a shape, or for a hypercube a number of dimensions.
fn size(
    table: &Table<'_>,
    kind: Option<MachineKind>,
    guest: &Value,
    errors: &mut Vec<ScenarioError>,
) -> Option<Size> {
    match (table.get("shape"), table.get("dimensions")) {
        (Some(_), Some(value)) => {
            let message = "both shape and dimensions in program.guest, expected one of them";
            errors.push(ScenarioError::at(&value.place, message, "with a shape beside it"));
            None
        }
        (Some(value), None) => Size::read(value, &table.name("shape"), errors),
        (None, Some(value)) if kind.is_none_or(|kind| kind == MachineKind::Hypercube) => {
            let most = MAX_DIMENSIONS as u64;
            let dimensions = value.natural(table.name("dimensions"), 1..=most, errors)?;
            Some(Size::of_cube(dimensions, &value.place))
        }
        (None, Some(value)) => {
            let message = "program.guest.dimensions without a hypercube, expected program.guest.shape";
            let error =
                ScenarioError::at(&value.place, message, "only a hypercube has it instead of a shape");
            errors.push(error.with_help("give the length of each dimension: shape = [4, 6]"));
            None
        }
        (None, None) => {
            let message = "program.guest has no lengths, expected shape = [4, 6] or the like";
            errors.push(ScenarioError::at(&guest.place, message, "no shape"));
            None
        }
    }
}

fn shape(kind: MachineKind, size: &Size, wraps: &[Wrap], errors: &mut Vec<ScenarioError>) -> Option<Machine> {
    match Machine::with_wraps(kind, &size.lengths, wraps) {
        Ok(shape) => Some(shape),
        Err(error) => {
            errors.push(ScenarioError::at(&size.place, format!("program.guest: {error}"), "this shape"));
            None
        }
    }
}
