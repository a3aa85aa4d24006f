//! The `[program]` table: the kind, the guest, the stages and the cycles of a computation.

use cubefold_mapping::{GraphGuest, Guest, Hypercube};
use cubefold_simulator::{CubeProgram, Cycles, DivideAndConquer, NeighbourProgram, Pattern};
use cubefold_topology::{Machine, Wrap};

use super::{
    guest_section, library::Library, machine_section::MachineSection, normal_program,
    scenario_error::ScenarioError, setting::Setting, settings::Settings, stage_list,
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
    let kind = match settings.get(Setting::ProgramKind) {
        Some(value) => {
            let names = [
                ("cc-cube", Kind::Cube),
                ("neighbour-exchange", Kind::Neighbours),
                ("divide-and-conquer", Kind::DivideAndConquer),
                ("normal", Kind::Normal),
            ];
            value.choice(Setting::ProgramKind.path(), &names, errors)
        }
        None => Some(Kind::Cube),
    };
    let compute = match settings.get(Setting::ProgramComputeCycles) {
        Some(value) => value.natural(Setting::ProgramComputeCycles.path(), 0..=u64::MAX, errors),
        None => Some(0),
    };
    match kind? {
        Kind::Cube => {
            tell_foreign(settings, "cc-cube", &NEIGHBOUR_KEYS, errors);
            let cube = cube(settings, machine, errors);
            let stages = stage_list::read(settings, cube, machine, errors);
            CubeProgram::new(cube?, stages?, Cycles::new(compute?)).ok().map(GuestProgram::Cube)
        }
        Kind::Neighbours => {
            tell_foreign(settings, "neighbour-exchange", &CUBE_KEYS, errors);
            let guest = guest_section::read(settings, seed, library, errors);
            let communication = communication(settings, guest.as_ref().map(|(guest, _)| guest), errors);
            let ((guest, _), communication) = (guest?, communication?);
            check_sets(settings, &guest, communication, errors)?;
            neighbours(guest, communication, Cycles::new(compute?), seed?)
        }
        Kind::DivideAndConquer => {
            let foreign: Vec<Setting> = NEIGHBOUR_KEYS.into_iter().chain([Setting::ProgramStages]).collect();
            tell_foreign(settings, "divide-and-conquer", &foreign, errors);
            let cube = cube(settings, machine, errors)?;
            Some(GuestProgram::DivideAndConquer(DivideAndConquer::new(cube, Cycles::new(compute?))))
        }
        Kind::Normal => {
            tell_foreign(settings, "normal", &NEIGHBOUR_KEYS, errors);
            normal_program::read(settings, machine, Cycles::new(compute?), errors)
        }
    }
}

const CUBE_KEYS: [Setting; 2] = [Setting::ProgramDimensions, Setting::ProgramStages];
const NEIGHBOUR_KEYS: [Setting; 3] =
    [Setting::ProgramGuest, Setting::ProgramCommunication, Setting::ProgramSets];

/// Tells keys that another kind of program has.
fn tell_foreign(settings: &Settings<'_>, kind: &str, keys: &[Setting], errors: &mut Vec<ScenarioError>) {
    let (kind, kind_place) = (format!("{kind} program"), settings.place(Setting::ProgramKind));
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
    let network = guest.map(GraphGuest::shape).filter(|shape| shape.graph().is_some());
    let sets = match settings.get(Setting::ProgramSets) {
        Some(value) => value.natural(Setting::ProgramSets.path(), 1..=MAX_SETS, errors),
        None => Some(50),
    };
    let permutation = sets
        .and_then(|sets| usize::try_from(sets).ok())
        .map_or(NeighbourCommunication::Shift, |sets| NeighbourCommunication::Permutation { sets });
    let Some(value) = settings.get(Setting::ProgramCommunication) else {
        let default =
            if network.is_some() { NeighbourCommunication::Scatter } else { NeighbourCommunication::Shift };
        return sets.map(|_| default);
    };
    let names = [
        ("shift", NeighbourCommunication::Shift),
        ("permutation", permutation),
        ("scatter", NeighbourCommunication::Scatter),
    ];
    let name = Setting::ProgramCommunication.path();
    let communication = value.choice(name, &names, errors);
    if let (Some(NeighbourCommunication::Shift), Some(shape)) = (communication, network) {
        let message = format!("{name} is \"shift\" with a {}, expected scatter or permutation", shape.kind());
        let error = ScenarioError::at(&value.place, message, "its links lie in no dimensions to shift along");
        errors.push(error.because(settings.place(Setting::ProgramGuest), "the guest"));
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
    let place = settings.place(Setting::ProgramSets).or(settings.place(Setting::ProgramGuest))?;
    let error = ScenarioError::at(place, message, "too many")
        .because(settings.place(Setting::ProgramGuest), "the guest");
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
    if shape.graph().is_some() {
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
    if let Some(value) = settings.get(Setting::ProgramDimensions) {
        let dimensions = value.natural(Setting::ProgramDimensions.path(), 1..=32, errors)?;
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
