//! Neighbour-exchange programs: the guest, and the communication with its neighbours.
//!
//! A guest is a table: `{ kind = "torus", shape = [4, 6] }`, `{ kind = "binary-tree", levels = 5 }`,
//! `{ kind = "random-tree", vertices = 100 }`, `{ kind = "caterpillar", legs = [0, 1, 1, 0] }`.

mod stencil;

use cubefold_formats::input::text::with_article;
use cubefold_mapping::{GraphGuest, Guest};
use cubefold_simulator::{Cycles, NeighbourProgram, Pattern, Reach, RootedTree};
use cubefold_topology::{MAX_DIMENSIONS, Machine, MachineError, MachineKind, Network, Wrap};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use super::{
    budget::BYTES_A_MESSAGE,
    described_graph::{DescribedGraph, is_described},
    errors::{Errors, ScenarioError, alternatives},
    exchange,
    keys::{Key, is_foreign_to_machine},
    library::Library,
    message_sizes::{ByStage, Sizes},
    network::{self, NetworkKeys, ReadNetwork},
    program::{ProgramKind, Reading},
    settings::Settings,
    value::{Content, Size, Table, Value, read_each, read_wraps, written_lengths},
};
use crate::{ScenarioProgram, generator_key, scenario_program::NeighbourCommunication};

pub(super) const COMMUNICATIONS: [&str; 6] =
    ["shift", "permutation", "scatter", "stencil", "to-children", "to-parents"];

pub(super) static NEIGHBOUR_EXCHANGE: ProgramKind = ProgramKind {
    name: "neighbour-exchange",
    summary: "The processes are the nodes of a torus, a mesh or a network, and send to their neighbours.",
    keys: &[
        Key::ProgramGuest,
        Key::ProgramCommunication,
        Key::ProgramSets,
        Key::ProgramNeighbours,
        Key::ProgramCells,
        Key::ProgramWidth,
        Key::ProgramCellBytes,
        Key::ProgramUnits,
        Key::ProgramBytes,
        Key::ProgramProcessesPerNode,
        Key::ProgramComputeNoise,
    ],
    read,
};

fn read(reading: &mut Reading<'_>) -> Option<ScenarioProgram> {
    let per_node = reading.per_node();
    let guest = read_guest(reading.settings, reading.library);
    let program = on_guest(reading, guest.map(|(guest, _)| guest))?;
    let program = exchange::with_noise(reading, program)?;
    Some(ScenarioProgram { ranks_per_node: per_node?, ..program })
}

/// Reads the program on a guest; without one, only errors that apply to every guest are reported.
pub(super) fn on_guest(reading: &mut Reading<'_>, guest: Option<GraphGuest>) -> Option<ScenarioProgram> {
    let communication = communication(reading.settings, guest.as_ref());
    if let Some(communication) = communication {
        stencil::report_foreign(reading, communication);
    }
    if let Some(NeighbourCommunication::Stencil(reach)) = communication {
        return stencil::read(reading, guest?, reach);
    }
    let sizes = reading.sizes(ByStage::No);
    let (guest, communication) = (guest?, communication?);
    check_sets(reading.settings, &guest, communication)?;
    neighbours(guest, communication, reading.compute()?, sizes?, reading.settings)
}

/// Reads the communication of the processes of `guest`: by default along each dimension in turn; in a
/// network, which has no dimensions, with all neighbours at once.
fn communication(settings: &Settings<'_>, guest: Option<&GraphGuest>) -> Option<NeighbourCommunication> {
    let network = guest.map(GraphGuest::shape).filter(|shape| shape.graph().is_some());
    let sets = settings.natural(Key::ProgramSets);
    let permutation = sets
        .and_then(|sets| usize::try_from(sets).ok())
        .map_or(NeighbourCommunication::Shift, |sets| NeighbourCommunication::Permutation { sets });
    let Some(value) = settings.get(Key::ProgramCommunication) else {
        let default =
            if network.is_some() { NeighbourCommunication::Scatter } else { NeighbourCommunication::Shift };
        return sets.map(|_| default);
    };
    let reach = settings.one_of(Key::ProgramNeighbours, &Reach::ALL, Reach::name);
    let stencil = NeighbourCommunication::Stencil(reach.unwrap_or_default());
    let choices = [
        NeighbourCommunication::Shift,
        permutation,
        NeighbourCommunication::Scatter,
        stencil,
        NeighbourCommunication::ToChildren,
        NeighbourCommunication::ToParents,
    ];
    let names: Vec<_> = COMMUNICATIONS.into_iter().zip(choices).collect();
    let name = Key::ProgramCommunication.path();
    let communication = value.choice(name, &names, settings.errors());
    if let (Some(communication), Some(guest)) = (communication, guest)
        && let Some(error) = misfit(settings, value, guest, communication)
    {
        return settings.fail(error);
    }
    sets.and(reach).and(communication)
}

/// The error for a guest that does not support the communication: a network has no dimensions, and only trees have
/// parents.
fn misfit(
    settings: &Settings<'_>,
    value: &Value,
    guest: &GraphGuest,
    communication: NeighbourCommunication,
) -> Option<ScenarioError> {
    let is_network = guest.shape().graph().is_some();
    let of_network = match RootedTree::new(guest) {
        Some(_) => "scatter, permutation, to-children or to-parents",
        None => "scatter or permutation",
    };
    let (expected, label) = match communication {
        NeighbourCommunication::Shift if is_network => {
            (of_network, "its links have no dimensions to shift along")
        }
        NeighbourCommunication::Stencil(_) if is_network => {
            (of_network, "its links have no dimensions in which coordinates differ")
        }
        NeighbourCommunication::ToChildren | NeighbourCommunication::ToParents
            if RootedTree::new(guest).is_none() =>
        {
            ("a tree", "its processes have no parents")
        }
        NeighbourCommunication::Shift
        | NeighbourCommunication::Stencil(_)
        | NeighbourCommunication::Permutation { .. }
        | NeighbourCommunication::Scatter
        | NeighbourCommunication::ToChildren
        | NeighbourCommunication::ToParents => return None,
    };
    let name = Key::ProgramCommunication.path();
    let kind = with_article(guest.shape().kind().name());
    let message = format!("{name} is {:?} with {kind}, expected {expected}", communication.name());
    let error = ScenarioError::at(&value.place, message, label);
    Some(error.because(settings.place(Key::ProgramGuest), "the guest"))
}

/// Largest number of messages of all permutation sets together: they are drawn before anything runs.
const MAX_DRAWN: u64 = 1 << 28;

fn check_sets(
    settings: &Settings<'_>,
    guest: &GraphGuest,
    communication: NeighbourCommunication,
) -> Option<()> {
    let NeighbourCommunication::Permutation { sets } = communication else { return Some(()) };
    let messages = guest.process_count().saturating_mul(sets as u64);
    let keys = [Key::ProgramSets, Key::ProgramGuest, Key::ProgramCommunication];
    let place = keys.into_iter().find_map(|key| settings.place(key))?;
    if messages <= MAX_DRAWN {
        let bytes = messages.saturating_mul(BYTES_A_MESSAGE);
        return settings.take([bytes; 2], place, "the permutation sets:");
    }
    let message =
        format!("{sets} sets of up to {} messages, expected at most 2^28 in all", guest.process_count());
    let error =
        ScenarioError::at(place, message, "too many").because(settings.place(Key::ProgramGuest), "the guest");
    settings.fail(error.with_help("ask for fewer sets or a smaller guest"))
}

fn neighbours(
    guest: GraphGuest,
    communication: NeighbourCommunication,
    compute: Cycles,
    sizes: Sizes,
    settings: &Settings<'_>,
) -> Option<ScenarioProgram> {
    let pattern = match communication {
        NeighbourCommunication::Shift => Pattern::Shift,
        NeighbourCommunication::Scatter => Pattern::Scatter,
        NeighbourCommunication::Stencil(_) => return None, // read separately
        NeighbourCommunication::ToChildren => Pattern::ToChildren,
        NeighbourCommunication::ToParents => Pattern::ToParents,
        NeighbourCommunication::Permutation { sets } => {
            let task = format!("permutation sets; {}", shape_name(guest.shape()));
            Pattern::Permutation { sets, key: generator_key(settings.seed()?, &task) }
        }
    };
    let program = NeighbourProgram::new(guest, pattern, compute).ok()?.with_sizes(sizes.units);
    let program = ScenarioProgram::new(&NEIGHBOUR_EXCHANGE, program);
    Some(ScenarioProgram { communication: Some(communication), bytes: sizes.bytes, ..program })
}

/// Describes a shape. The text keys random choices and must never change.
fn shape_name(shape: &Machine) -> String {
    if shape.graph().is_some() {
        return format!("{} {}", shape.kind(), written_lengths(shape.shape().lengths()));
    }
    let extents = shape.extents().map(|extent| match extent.wrap() {
        Wrap::Around => format!("{} around", extent.length()),
        Wrap::Open => format!("{} open", extent.length()),
    });
    extents.collect::<Vec<_>>().join(", ")
}

/// The keys of a guest.
pub(crate) const KEYS: [&str; 11] = [
    "kind",
    "shape",
    "dimensions",
    "arity",
    "levels",
    "vertices",
    "legs",
    "grammar",
    "size",
    "wrap",
    "edges",
];

/// The kinds of guests.
pub(crate) const KINDS: [MachineKind; 19] = [
    MachineKind::Line,
    MachineKind::Ring,
    MachineKind::Mesh,
    MachineKind::Torus,
    MachineKind::Hypercube,
    MachineKind::BinaryTree,
    MachineKind::KAryTree,
    MachineKind::StretchedTree,
    MachineKind::TwoTrees,
    MachineKind::RandomTree,
    MachineKind::Caterpillar,
    MachineKind::MeshOfTrees,
    MachineKind::CubeConnectedCycles,
    MachineKind::WrappedButterfly,
    MachineKind::Butterfly,
    MachineKind::ShuffleExchange,
    MachineKind::DeBruijn,
    MachineKind::Grammar,
    MachineKind::Network,
];

/// Reads the guest, with its lengths.
pub(super) fn read_guest(settings: &Settings<'_>, library: &mut Library) -> Option<(GraphGuest, Size)> {
    let expected = "its shape: { kind = \"torus\", shape = [4, 6] }";
    let value = settings.required(Key::ProgramGuest, expected)?;
    let table = Table::read(value, Key::ProgramGuest.path(), &KEYS, settings.errors())?;
    let kind_value = table.required("kind", &alternatives(&KINDS), settings.errors());
    let kind = kind_value.and_then(|value| {
        value.choice_by_name(&table.name("kind"), &KINDS, |kind| kind.name(), settings.errors())
    });
    if let (Some(kind), Some(kind_value)) = (kind, kind_value) {
        let before = settings.errors().len();
        report_foreign(&table, kind, kind_value, settings.errors());
        if !kind.is_grid() {
            let guest = read_graph(&table, kind, kind_value, settings, library);
            return guest.filter(|_| settings.errors().len() == before);
        }
    }
    let size = size(&table, kind, value, settings.errors());
    let wraps = match table.get("wrap") {
        Some(value) => read_wraps(value, &table.name("wrap"), size.as_ref(), settings.errors()),
        None => kind.zip(size.as_ref()).map(|(kind, size)| vec![kind.wrap(); size.lengths.len()]),
    };
    let (kind, size, wraps) = (kind?, size?, wraps?);
    match Machine::with_wraps(kind, &size.lengths, &wraps) {
        Ok(shape) => Some((GraphGuest::new(shape), size)),
        Err(error) => {
            let message = format!("program.guest: {error}");
            settings.fail(ScenarioError::at(&size.place, message, "this shape"))
        }
    }
}

/// Reports the keys of guests of other kinds.
fn report_foreign(table: &Table<'_>, kind: MachineKind, kind_value: &Value, errors: &Errors) {
    for key in KEYS.into_iter().filter(|key| is_foreign_to_machine(key, kind)) {
        if let Some(value) = table.get(key) {
            let (path, kind_place) = (table.name(key), Some(&kind_value.place));
            errors.report(ScenarioError::foreign_key(&path, &value.place, kind.name(), kind_place));
        }
    }
}

/// Reads a guest that is not a grid.
fn read_graph(
    table: &Table<'_>,
    kind: MachineKind,
    kind_value: &Value,
    settings: &Settings<'_>,
    library: &mut Library,
) -> Option<(GraphGuest, Size)> {
    let beside = |path: &str| settings.beside(path);
    if matches!(kind, MachineKind::RandomTree | MachineKind::Caterpillar) {
        return read_tree(table, kind, kind_value, settings);
    }
    if is_described(kind) {
        let get = |key| table.get(key);
        let graph = DescribedGraph { name: "program.guest", kind: kind_value, get: &get };
        let (machine, size) = graph.read(kind, beside, library, settings.errors())?;
        return Some((GraphGuest::new(machine), size));
    }
    let keys = network_keys(table, kind, kind_value);
    let ReadNetwork { machine, size, .. } = network::read(kind, &keys, beside, library, settings.errors())?;
    Some((GraphGuest::new(Machine::clone(&machine)), size))
}

/// The keys of a guest that is not a grid: levels for a tree, dimensions or a file for others.
fn network_keys<'a>(table: &Table<'a>, kind: MachineKind, kind_value: &'a Value) -> NetworkKeys<'a> {
    let count_key = if kind == MachineKind::BinaryTree { "levels" } else { "dimensions" };
    NetworkKeys {
        name: "program.guest",
        count_key,
        count: table.get(count_key),
        edges: table.get("edges"),
        hosts: None,
        hosts_forward: None,
        uplinks: None,
        link: None,
        lane: None,
        link_speed_unit: None,
        paths: None,
        directed: None,
        kind: kind_value,
    }
}

/// Reads the lengths: a shape, or for a hypercube a number of dimensions.
fn size(table: &Table<'_>, kind: Option<MachineKind>, guest: &Value, errors: &Errors) -> Option<Size> {
    match (table.get("shape"), table.get("dimensions")) {
        (Some(_), Some(value)) => {
            let message = "both shape and dimensions in program.guest, expected one of them";
            errors.fail(ScenarioError::at(&value.place, message, "with a shape beside it"))
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
            errors.fail(error.with_help("give the length of each dimension: shape = [4, 6]"))
        }
        // Whether a guest of an unknown kind has lengths is unknown, too.
        (None, None) if kind.is_none() => None,
        (None, None) => {
            let message = "program.guest has no lengths, expected shape = [4, 6] or the like";
            errors.fail(ScenarioError::at(&guest.place, message, "no shape"))
        }
    }
}

/// Largest number of vertices of a tree.
const MAX_VERTICES: u64 = 1 << 20;

/// Reads a random tree, which the seed determines, or a caterpillar.
fn read_tree(
    table: &Table<'_>,
    kind: MachineKind,
    place: &Value,
    settings: &Settings<'_>,
) -> Option<(GraphGuest, Size)> {
    let (key, expected) = match kind {
        MachineKind::Caterpillar => {
            ("legs", "for every vertex of the spine 1 if it has a leg, else 0: [0, 1, 1, 0]")
        }
        _ => ("vertices", "the number of vertices"),
    };
    let Some(value) = table.get(key) else {
        let message = format!("{} is missing, expected {expected}", table.name(key));
        return settings.fail(ScenarioError::at(&place.place, message, format!("needs {key}")));
    };
    let vertices = match &value.content {
        Content::List(entries) => 2 * entries.len() as u64,
        Content::Integer(Some(count)) => (*count).min(MAX_VERTICES),
        _ => 0,
    };
    settings.errors().value_of(settings.budget().take_network(vertices, vertices, &value.place))?;
    let links = match kind {
        MachineKind::Caterpillar => caterpillar(value, &table.name(key), settings.errors()),
        _ => value
            .natural(table.name(key), 2..=MAX_VERTICES, settings.errors())
            .and_then(|count| u32::try_from(count).ok())
            .and_then(|count| Some(random_tree(count, settings.seed()?))),
    }?;
    match tree(kind, &links) {
        Ok(machine) => {
            let size = Size::of_machine(&machine, &value.place);
            Some((GraphGuest::new(machine), size))
        }
        Err(error) => settings.fail(ScenarioError::at(&value.place, error.to_string(), "this tree")),
    }
}

fn tree(kind: MachineKind, links: &[(u32, u32)]) -> Result<Machine, MachineError> {
    let vertices = links.iter().map(|&(_, below)| below).max().map_or(1, |greatest| greatest + 1);
    Machine::network(kind, Network::from_edges(vertices, links)?)
}

/// Grows a binary tree: every vertex takes one of the free child places, each with equal probability.
fn random_tree(count: u32, seed: u64) -> Vec<(u32, u32)> {
    let mut generator =
        ChaCha12Rng::from_seed(generator_key(seed, &format!("random tree; {count} vertices")));
    let mut free = vec![0, 0]; // each vertex once per child that it may still get
    let mut links = vec![];
    for vertex in 1..count {
        let parent = free.swap_remove(generator.random_range(0..free.len()));
        links.push((parent, vertex));
        free.extend([vertex, vertex]);
    }
    links
}

/// The links of a spine and its legs; legs are numbered after the spine.
fn caterpillar(value: &Value, name: &str, errors: &Errors) -> Option<Vec<(u32, u32)>> {
    let entries = value.list(name, "0 and 1, one for each vertex of the spine", errors)?;
    let have_legs = read_each(entries, |entry| match entry.content {
        Content::Integer(Some(count @ (0 | 1))) => Some(count == 1),
        _ => errors.fail(entry.unexpected(format!("entry of {name}"), "0 or 1")),
    })?;
    let spine = u32::try_from(entries.len()).ok()?;
    let with_legs = (0..).zip(have_legs).filter(|(_, has_leg)| *has_leg).map(|(vertex, _)| vertex);
    Some((1..spine).map(|vertex| (vertex - 1, vertex)).chain(with_legs.zip(spine..)).collect())
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
