//! The `[program]` table: the kind, the stages and the cycles of a computation.

use cubefold_mapping::{CubeDimension, GraphGuest, Guest, Hypercube};
use cubefold_simulator::{
    CubeProgram, Cycles, DivideAndConquer, NeighbourProgram, Pattern, ShuffleExchangeProgram,
    ShuffleExchangeProgramError,
};
use cubefold_topology::{Machine, MachineKind, Wrap};

use super::{
    errors::{ScenarioError, alternatives, help},
    guest,
    keys::Key,
    library::Library,
    machine::MachineSection,
    settings::Settings,
    source_file::Place,
    value::{Content, Value},
};
use crate::{
    generator_key::generator_key,
    guest_program::{GuestProgram, NeighbourCommunication},
};

/// What kind of program it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Cube,
    Neighbours,
    DivideAndConquer,
    Normal,
}

/// Reads the program. `machine` says how many dimensions it has when it is not written; `seed` is what its
/// random sets are drawn from.
pub(super) fn read(
    settings: &Settings<'_>,
    machine: &MachineSection,
    seed: Option<u64>,
    library: &mut Library,
    errors: &mut Vec<ScenarioError>,
) -> Option<GuestProgram> {
    let kind = match settings.get(Key::ProgramKind) {
        Some(value) => {
            let names = [
                ("cc-cube", Kind::Cube),
                ("neighbour-exchange", Kind::Neighbours),
                ("divide-and-conquer", Kind::DivideAndConquer),
                ("normal", Kind::Normal),
            ];
            value.choice(Key::ProgramKind.path(), &names, errors)
        }
        None => Some(Kind::Cube),
    };
    let compute = match settings.get(Key::ProgramComputeCycles) {
        Some(value) => value.natural(Key::ProgramComputeCycles.path(), 0..=u64::MAX, errors),
        None => Some(0),
    };
    match kind? {
        Kind::Cube => {
            tell_foreign(settings, "cc-cube", &NEIGHBOUR_KEYS, errors);
            let cube = cube(settings, machine, errors);
            let stages = read_stages(settings, cube, machine, errors);
            CubeProgram::new(cube?, stages?, Cycles::new(compute?)).ok().map(GuestProgram::Cube)
        }
        Kind::Neighbours => {
            tell_foreign(settings, "neighbour-exchange", &CUBE_KEYS, errors);
            let guest = guest::read(settings, seed, library, errors);
            let communication = communication(settings, guest.as_ref().map(|(guest, _)| guest), errors);
            let ((guest, _), communication) = (guest?, communication?);
            check_sets(settings, &guest, communication, errors)?;
            neighbours(guest, communication, Cycles::new(compute?), seed?)
        }
        Kind::DivideAndConquer => {
            let foreign: Vec<Key> = NEIGHBOUR_KEYS.into_iter().chain([Key::ProgramStages]).collect();
            tell_foreign(settings, "divide-and-conquer", &foreign, errors);
            let cube = cube(settings, machine, errors)?;
            Some(GuestProgram::DivideAndConquer(DivideAndConquer::new(cube, Cycles::new(compute?))))
        }
        Kind::Normal => {
            tell_foreign(settings, "normal", &NEIGHBOUR_KEYS, errors);
            read_normal(settings, machine, Cycles::new(compute?), errors)
        }
    }
}

const CUBE_KEYS: [Key; 2] = [Key::ProgramDimensions, Key::ProgramStages];
const NEIGHBOUR_KEYS: [Key; 3] = [Key::ProgramGuest, Key::ProgramCommunication, Key::ProgramSets];

/// Tells keys that another kind of program has.
fn tell_foreign(settings: &Settings<'_>, kind: &str, keys: &[Key], errors: &mut Vec<ScenarioError>) {
    let (kind, kind_place) = (format!("{kind} program"), settings.place(Key::ProgramKind));
    for (key, place) in keys.iter().filter_map(|&key| Some((key, settings.place(key)?))) {
        errors.push(ScenarioError::foreign_key(key.path(), place, &kind, kind_place));
    }
}

/// The most permutation sets that a program may have.
const MAX_SETS: u64 = 1_000_000;

/// How the processes of `guest` communicate: by default along each dimension in turn, in a network, which has none, with
/// all neighbours at once.
fn communication(
    settings: &Settings<'_>,
    guest: Option<&GraphGuest>,
    errors: &mut Vec<ScenarioError>,
) -> Option<NeighbourCommunication> {
    let network = guest.map(GraphGuest::shape).filter(|shape| shape.as_network().is_some());
    let sets = match settings.get(Key::ProgramSets) {
        Some(value) => value.natural(Key::ProgramSets.path(), 1..=MAX_SETS, errors),
        None => Some(50),
    };
    let permutation = sets
        .and_then(|sets| usize::try_from(sets).ok())
        .map_or(NeighbourCommunication::Shift, |sets| NeighbourCommunication::Permutation { sets });
    let Some(value) = settings.get(Key::ProgramCommunication) else {
        let default =
            if network.is_some() { NeighbourCommunication::Scatter } else { NeighbourCommunication::Shift };
        return sets.map(|_| default);
    };
    let names = [
        ("shift", NeighbourCommunication::Shift),
        ("permutation", permutation),
        ("scatter", NeighbourCommunication::Scatter),
    ];
    let name = Key::ProgramCommunication.path();
    let communication = value.choice(name, &names, errors);
    if let (Some(NeighbourCommunication::Shift), Some(shape)) = (communication, network) {
        let message = format!("{name} is \"shift\" with a {}, expected scatter or permutation", shape.kind());
        let error = ScenarioError::at(&value.place, message, "its links lie in no dimensions to shift along");
        errors.push(error.because(settings.place(Key::ProgramGuest), "the guest"));
        return None;
    }
    sets.and(communication)
}

/// The most messages that all permutation sets together may have: they are drawn before anything runs.
const MAX_DRAWN: u64 = 1 << 28;

fn check_sets(
    settings: &Settings<'_>,
    guest: &GraphGuest,
    communication: NeighbourCommunication,
    errors: &mut Vec<ScenarioError>,
) -> Option<()> {
    let NeighbourCommunication::Permutation { sets } = communication else { return Some(()) };
    let messages = guest.process_count().saturating_mul(sets as u64);
    if messages <= MAX_DRAWN {
        return Some(());
    }
    let message =
        format!("{sets} sets of up to {} messages, expected at most 2^28 in all", guest.process_count());
    let place = settings.place(Key::ProgramSets).or(settings.place(Key::ProgramGuest))?;
    let error =
        ScenarioError::at(place, message, "too many").because(settings.place(Key::ProgramGuest), "the guest");
    errors.push(error.with_help("ask for fewer sets or a smaller guest"));
    None
}

fn neighbours(
    guest: GraphGuest,
    communication: NeighbourCommunication,
    compute: Cycles,
    seed: u64,
) -> Option<GuestProgram> {
    let pattern = match communication {
        NeighbourCommunication::Shift => Pattern::Shift,
        NeighbourCommunication::Scatter => Pattern::Scatter,
        NeighbourCommunication::Permutation { sets } => {
            let task = format!("permutation sets; {}", shape_name(guest.shape()));
            Pattern::Permutation { sets, key: generator_key(seed, &task) }
        }
    };
    let program = NeighbourProgram::new(guest, pattern, compute).ok()?;
    Some(GuestProgram::Neighbours { program, communication })
}

/// A shape in words that no change of the code changes: keys of random choices are made of it.
fn shape_name(shape: &Machine) -> String {
    if shape.as_network().is_some() {
        let lengths: Vec<String> = shape.shape().lengths().iter().map(u64::to_string).collect();
        return format!("{} {}", shape.kind(), lengths.join("x"));
    }
    let extents = shape.extents().map(|extent| match extent.wrap() {
        Wrap::Around => format!("{} around", extent.length()),
        Wrap::Open => format!("{} open", extent.length()),
    });
    extents.collect::<Vec<_>>().join(", ")
}

pub(super) fn cube(
    settings: &Settings<'_>,
    section: &MachineSection,
    errors: &mut Vec<ScenarioError>,
) -> Option<Hypercube> {
    if let Some(value) = settings.get(Key::ProgramDimensions) {
        let dimensions = value.natural(Key::ProgramDimensions.path(), 1..=32, errors)?;
        return Hypercube::new(dimensions).ok();
    }
    let (machine, size) = (section.machine.as_ref()?, section.size.as_ref()?);
    let nodes = machine.node_count();
    if !nodes.is_power_of_two() {
        let message = format!(
            "shape {} has {nodes} nodes, expected a power of two: program.dimensions is its logarithm unless given",
            size.written()
        );
        let error = ScenarioError::at(&size.place, message, format!("{nodes} nodes"))
            .with_help("change the shape, or give program.dimensions and a placement file");
        errors.push(error);
        return None;
    }
    Hypercube::new(u64::from(nodes.trailing_zeros())).ok()
}

/// Reads a normal program: on a shuffle-exchange or de Bruijn network its data wander, on every other machine its
/// processes stay.
pub(super) fn read_normal(
    settings: &Settings<'_>,
    machine: &MachineSection,
    compute: Cycles,
    errors: &mut Vec<ScenarioError>,
) -> Option<GuestProgram> {
    let shuffles = shuffled_dimensions(machine);
    let cube = match (shuffles, settings.get(Key::ProgramDimensions)) {
        (Some(count), None) => Hypercube::new(count).ok(),
        _ => cube(settings, machine, errors),
    };
    let stages = read_stages(settings, cube, machine, errors);
    let (cube, stages) = (cube?, stages?);
    if let Some(expected) = shuffles.filter(|&count| count != u64::from(cube.dimension_count())) {
        errors.push(wrong_dimensions(settings, machine, cube, expected));
        return None;
    }
    match ShuffleExchangeProgram::new(cube, stages.clone(), compute) {
        Ok(program) if shuffles.is_some() => Some(GuestProgram::ShuffleExchange(program)),
        Err(
            error @ (ShuffleExchangeProgramError::NotNormal { .. } | ShuffleExchangeProgramError::NoStages),
        ) => {
            errors.push(not_normal(settings, &error));
            None
        }
        // What is too large for a shuffle-exchange network needs none here.
        Ok(_) | Err(ShuffleExchangeProgramError::TooManyDimensions { .. }) => staying(cube, stages, compute),
    }
}

fn staying(cube: Hypercube, stages: Vec<CubeDimension>, compute: Cycles) -> Option<GuestProgram> {
    CubeProgram::new(cube, stages, compute).ok().map(GuestProgram::Normal)
}

/// The dimensions of the hypercube whose normal programs the machine runs by shuffling: as many as a shuffle-exchange
/// network has, one more than a de Bruijn network, each node of which holds two words.
fn shuffled_dimensions(section: &MachineSection) -> Option<u64> {
    let machine = section.machine.as_ref()?;
    let own = machine.network_dimensions()?;
    match machine.kind() {
        MachineKind::ShuffleExchange => Some(own),
        MachineKind::DeBruijn => Some(own + 1),
        _ => None,
    }
}

fn wrong_dimensions(
    settings: &Settings<'_>,
    section: &MachineSection,
    cube: Hypercube,
    expected: u64,
) -> ScenarioError {
    let found = cube.dimension_count();
    let kind = section.machine.as_ref().map_or("", |machine| machine.kind().name());
    let message =
        format!("program.dimensions is {found}, expected {expected} for a normal program on this {kind}");
    let size = section.size.as_ref().map(|size| &size.place);
    let place = settings.place(Key::ProgramDimensions).or(size).or(settings.place(Key::MachineKind));
    match place {
        Some(place) => ScenarioError::at(place, message, format!("expected {expected}"))
            .because(size, "the machine")
            .with_help("leave it out: it follows from the machine"),
        None => settings.missing(Key::ProgramDimensions, &expected.to_string()),
    }
}

fn not_normal(settings: &Settings<'_>, error: &ShuffleExchangeProgramError) -> ScenarioError {
    let place = settings.place(Key::ProgramStages).or(settings.place(Key::ProgramKind));
    let message = format!("the program is not normal: {error}");
    let error = match place {
        Some(place) => ScenarioError::at(place, message, "these stages"),
        None => settings.missing(Key::ProgramStages, "consecutive dimensions"),
    };
    error
        .because(settings.place(Key::ProgramKind), "asks for consecutive dimensions")
        .with_help("\"ascend\" and \"descend\" are normal; kind = \"cc-cube\" takes any stages")
}

/// The names of orders.
const ORDERS: [&str; 3] = ["ascend", "descend", "bitonic"];

/// Reads the stages. Without a cube only what is wrong in any cube is told.
pub(super) fn read_stages(
    settings: &Settings<'_>,
    cube: Option<Hypercube>,
    machine: &MachineSection,
    errors: &mut Vec<ScenarioError>,
) -> Option<Vec<CubeDimension>> {
    let Some(value) = settings.get(Key::ProgramStages) else {
        return cube.map(CubeProgram::ascend);
    };
    match &value.content {
        Content::Text(name) => order(value, name, cube, errors),
        Content::List(_) => {
            let shape = machine.size.as_ref().map(|size| &size.place);
            let cube_place = settings.place(Key::ProgramDimensions).or(shape);
            dimensions(value, cube, cube_place, errors)
        }
        _ => {
            errors.push(value.unexpected(Key::ProgramStages.path(), expected()));
            None
        }
    }
}

fn expected() -> String {
    format!("a list of dimensions, or {}", alternatives(&ORDERS))
}

fn order(
    value: &Value,
    name: &str,
    cube: Option<Hypercube>,
    errors: &mut Vec<ScenarioError>,
) -> Option<Vec<CubeDimension>> {
    match name {
        "ascend" => cube.map(CubeProgram::ascend),
        "descend" => cube.map(CubeProgram::descend),
        "bitonic" => cube.map(CubeProgram::bitonic),
        _ => {
            let error = value.unexpected(Key::ProgramStages.path(), expected());
            errors.push(error.with_help(help(name, &ORDERS)));
            None
        }
    }
}

fn dimensions(
    value: &Value,
    cube: Option<Hypercube>,
    cube_place: Option<&Place>,
    errors: &mut Vec<ScenarioError>,
) -> Option<Vec<CubeDimension>> {
    let values = value.list(Key::ProgramStages.path(), "dimensions", errors)?;
    let before = errors.len();
    let stages = values
        .iter()
        .enumerate()
        .filter_map(|(stage, entry)| {
            let Content::Integer(Some(number)) = entry.content else {
                errors.push(entry.unexpected(format_args!("dimension of stage {stage}"), "an integer"));
                return None;
            };
            let cube = cube?;
            let dimension = cube.dimension(number).ok();
            if dimension.is_none() {
                errors.push(out_of_range(entry, stage, cube, cube_place));
            }
            dimension
        })
        .collect();
    (cube.is_some() && errors.len() == before).then_some(stages)
}

fn out_of_range(entry: &Value, stage: usize, cube: Hypercube, cube_place: Option<&Place>) -> ScenarioError {
    let count = cube.dimension_count();
    let expected = format!("expected 0 to {}", count - 1);
    let message = format!("stage {stage} uses dimension {}, {expected}", entry.place.text());
    ScenarioError::at(&entry.place, message, expected)
        .because(cube_place, format!("a cube of {count} dimensions"))
}
