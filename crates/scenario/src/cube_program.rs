//! Programs on a hypercube: `cc-cube`, `divide-and-conquer`, which also runs on a tree, and `normal`.

use cubefold_formats::input::text::with_article;
use cubefold_mapping::Hypercube;
use cubefold_simulator::{
    Computations, CubeProgram, Cycles, DivideAndConquer, LevelNetwork, LevelProgram, ShuffleExchangeProgram,
    ShuffleExchangeProgramError, TreeDivideAndConquer,
};
use cubefold_topology::MachineKind;

use super::{
    ScenarioProgram,
    cube_stages::{cube_place, read_stages},
    errors::ScenarioError,
    exchange,
    keys::Key,
    machine::MachineSection,
    message_sizes::{self, ByStage},
    neighbour_exchange, per_node,
    program::{ProgramKind, Reading},
    settings::Settings,
};

/// The keys of programs with an exchange in each stage.
const KEYS_OF_STAGES: [Key; 10] = [
    Key::ProgramDimensions,
    Key::ProgramStages,
    Key::ProgramUnits,
    Key::ProgramBytes,
    Key::ProgramProcessesPerNode,
    Key::ProgramPipelining,
    Key::ProgramPorts,
    Key::ProgramStartup,
    Key::ProgramStartupCycles,
    Key::ProgramComputeNoise,
];

pub(super) static CC_CUBE: ProgramKind = ProgramKind {
    name: "cc-cube",
    summary: "In each stage every process of a d-cube computes, then exchanges with its neighbour in one dimension.",
    keys: &KEYS_OF_STAGES,
    read: read_cc_cube,
};

pub(super) static DIVIDE_AND_CONQUER: ProgramKind = ProgramKind {
    name: "divide-and-conquer",
    summary: "The processes of a d-cube, or of a tree, divide a task step by step, solve the parts and combine them.",
    keys: &[
        Key::ProgramDimensions,
        Key::ProgramUnits,
        Key::ProgramBytes,
        Key::ProgramHalving,
        Key::ProgramGuest,
        Key::ProgramProcessesPerNode,
    ],
    read: read_divide_and_conquer,
};

pub(super) static NORMAL: ProgramKind = ProgramKind {
    name: "normal",
    summary: "A cc-cube program whose consecutive stages use consecutive dimensions.",
    keys: &KEYS_OF_STAGES,
    read: read_normal,
};

fn read_cc_cube(reading: &mut Reading<'_>) -> Option<ScenarioProgram> {
    let (settings, machine) = (reading.settings, reading.machine);
    let cube = cube(settings, machine);
    let stages = read_stages(settings, cube, cube_place(settings, machine));
    let stage_count = stages.as_ref().map(Vec::len);
    let sizes = reading.sizes(ByStage::Yes(stage_count));
    let computations = computations_by_stage(reading, stage_count);
    let (stages, computations, sizes) = (stages?, computations?, sizes?);
    let longest = computations.iter().max().copied().unwrap_or_default();
    let program = CubeProgram::new(cube?, stages, longest).ok()?;
    let program = exchange::program(reading, &CC_CUBE, &program, &sizes, &computations)?;
    Some(ScenarioProgram { ranks_per_node: reading.per_node()?, ..program })
}

/// The computation of every stage, or one for all stages.
fn computations_by_stage(reading: &mut Reading<'_>, stages: Option<usize>) -> Option<Vec<Cycles>> {
    match reading.computations.clone()? {
        Computations::Same(cycles) => Some(vec![cycles]),
        Computations::ByStage(times) if times.len() == stages? => Some(times),
        Computations::ByStage(_) => {
            let listed = |key: Key| {
                let value = reading.settings.get(key)?;
                value.list_length().map(|_| (key, value))
            };
            let (key, value) =
                [Key::ProgramComputeCycles, Key::ProgramCompute].into_iter().find_map(listed)?;
            let error = value.unexpected(key.path(), message_sizes::one_for_each_stage(stages?));
            reading.settings.fail(error.because(reading.settings.place(Key::ProgramStages), "the stages"))
        }
        Computations::ByProcess(_) => None,
    }
}

fn read_divide_and_conquer(reading: &mut Reading<'_>) -> Option<ScenarioProgram> {
    if reading.settings.get(Key::ProgramGuest).is_some() {
        return read_divide_and_conquer_on_a_tree(reading);
    }
    let cube = cube(reading.settings, reading.machine);
    let sizes = reading.sizes(ByStage::No);
    let halving = message_sizes::read_halving(reading.settings);
    let (cube, sizes) = (cube?, sizes?);
    let program = DivideAndConquer::new(cube, reading.compute()?);
    let program = match sizes.units.uniform().filter(|_| halving == Some(true)) {
        Some(units) => program.with_halves(units).ok()?,
        None => program.with_sizes(sizes.units),
    };
    halving?;
    let program = ScenarioProgram::new(&DIVIDE_AND_CONQUER, program);
    let ranks_per_node = reading.per_node()?;
    Some(ScenarioProgram { exchange_cube: Some(cube), bytes: sizes.bytes, ranks_per_node, ..program })
}

/// Divide and conquer whose processes are the vertices of a binary tree.
fn read_divide_and_conquer_on_a_tree(reading: &mut Reading<'_>) -> Option<ScenarioProgram> {
    let settings = reading.settings;
    let sizes = reading.sizes(ByStage::No);
    let before = settings.errors().len();
    for key in [Key::ProgramDimensions, Key::ProgramHalving] {
        if let Some(value) = settings.get(key) {
            let message = format!("{} with program.guest, expected one of them", key.path());
            let error = ScenarioError::at(&value.place, message, "of a d-cube");
            settings.report(error.because(settings.place(Key::ProgramGuest), "the guest"));
        }
    }
    let (guest, _) = neighbour_exchange::read_guest(settings, reading.library)?;
    let (shape, compute) = (guest.shape(), reading.compute()?);
    let levels = shape.network_dimensions().filter(|_| shape.kind() == MachineKind::BinaryTree);
    let found = shape.kind().name();
    let program = match levels.and_then(|levels| u32::try_from(levels).ok()) {
        Some(levels) => TreeDivideAndConquer::new(levels, compute).ok(),
        None => TreeDivideAndConquer::on_tree(guest, compute),
    };
    let Some(program) = program else {
        let message = format!("divide and conquer on {}, expected a tree", with_article(found));
        let error = ScenarioError::at(settings.place(Key::ProgramGuest)?, message, "not a tree");
        return settings.fail(error.with_help("give program.dimensions instead for a d-cube"));
    };
    let sizes = sizes?;
    let program = ScenarioProgram::new(&DIVIDE_AND_CONQUER, program.with_sizes(sizes.units));
    let ranks_per_node = reading.per_node()?;
    (settings.errors().len() == before).then_some(ScenarioProgram {
        bytes: sizes.bytes,
        ranks_per_node,
        ..program
    })
}

fn cube(settings: &Settings<'_>, section: &MachineSection) -> Option<Hypercube> {
    if settings.get(Key::ProgramDimensions).is_some() {
        return Hypercube::new(settings.natural(Key::ProgramDimensions)?).ok();
    }
    let (machine, size) = (section.machine.as_ref()?, section.size.as_ref()?);
    let nodes =
        section.allocation.as_ref().map_or_else(|| machine.numbered_hosts(), |allocation| allocation.count());
    let (nodes, per_node) = (nodes, per_node::count(&settings.silent()).unwrap_or(1));
    let processes = nodes.saturating_mul(per_node);
    if !processes.is_power_of_two() {
        let each = if per_node == 1 { String::new() } else { format!(" with {per_node} processes each") };
        let message = format!(
            "shape {} has {nodes} nodes{each}, expected a power of two: program.dimensions is its logarithm unless given",
            size.written()
        );
        let error = ScenarioError::at(&size.place, message, format!("{nodes} nodes"))
            .with_help("change the shape, or give program.dimensions and a placement file");
        return settings.fail(error);
    }
    Hypercube::new(u64::from(processes.trailing_zeros())).ok()
}

/// Reads a normal program: its data move between the nodes of shuffle-exchange and de Bruijn networks, cube-connected
/// cycles and butterflies; on all other machines its processes stay.
fn read_normal(reading: &mut Reading<'_>) -> Option<ScenarioProgram> {
    let (settings, machine, sizes) = (reading.settings, reading.machine, reading.sizes(ByStage::No));
    let (compute, per_node) = (reading.compute(), reading.per_node()?);
    let levels = machine.machine.as_ref().and_then(|machine| LevelNetwork::of_kind(machine.kind()));
    let shuffles = moving_data_dimensions(machine);
    let cube = match (shuffles, settings.get(Key::ProgramDimensions)) {
        (Some(count), None) => Hypercube::new(count).ok(),
        _ => cube(settings, machine),
    };
    let stages = read_stages(settings, cube, cube_place(settings, machine));
    let (cube, stages, compute, sizes) = (cube?, stages?, compute?, sizes?);
    if shuffles.is_some() {
        exchange::report_wandering(reading)?;
    }
    if let Some(expected) = shuffles.filter(|&count| count != u64::from(cube.dimension_count())) {
        return settings.fail(wrong_dimensions(settings, machine, cube, expected)?);
    }
    if shuffles.is_some() && per_node > 1 {
        return settings.fail(moving_data_in_groups(settings, per_node)?);
    }
    let (exchange_cube, exchanges, bytes) = (Some(cube), Some(stages.clone()), sizes.bytes);
    let moving = |program| ScenarioProgram { exchange_cube, exchanges, bytes, ..program };
    if let Some(network) = levels {
        return match LevelProgram::new(network, cube, stages, compute) {
            Ok(program) => Some(moving(ScenarioProgram::new(&NORMAL, program.with_sizes(sizes.units)))),
            Err(error) => settings.fail(not_normal(settings, &error)?),
        };
    }
    match ShuffleExchangeProgram::new(cube, stages.clone(), compute) {
        Ok(program) if shuffles.is_some() => {
            Some(moving(ScenarioProgram::new(&NORMAL, program.with_sizes(sizes.units))))
        }
        Err(
            error @ (ShuffleExchangeProgramError::NotNormal { .. } | ShuffleExchangeProgramError::NoStages),
        ) => settings.fail(not_normal(settings, &error)?),
        // No shuffle-exchange network is needed here, so the cube may be too large for one.
        Ok(_) | Err(ShuffleExchangeProgramError::TooManyDimensions { .. }) => {
            let program = CubeProgram::new(cube, stages, compute).ok()?;
            let program = exchange::program(reading, &NORMAL, &program, &sizes, &[compute])?;
            Some(ScenarioProgram { ranks_per_node: per_node, ..program })
        }
    }
}

/// Dimensions of the hypercube whose normal programs the machine runs by moving data: as many as a shuffle-exchange
/// network, cube-connected cycles or a butterfly has, and one more than a de Bruijn network has, whose nodes hold two
/// words each.
fn moving_data_dimensions(section: &MachineSection) -> Option<u64> {
    let machine = section.machine.as_ref()?;
    let dimensions = machine.network_dimensions()?;
    match machine.kind() {
        MachineKind::ShuffleExchange
        | MachineKind::CubeConnectedCycles
        | MachineKind::WrappedButterfly
        | MachineKind::Butterfly => Some(dimensions),
        MachineKind::DeBruijn => Some(dimensions + 1),
        _ => None,
    }
}

/// The error for a program whose data move over a network, if several of its processes are to share a node.
fn moving_data_in_groups(settings: &Settings<'_>, per_node: u64) -> Option<ScenarioError> {
    let place = settings.place(Key::ProgramProcessesPerNode)?;
    let message = format!(
        "program.processes_per_node is {per_node}, expected 1 if the data of a normal program move over a network"
    );
    let error = ScenarioError::at(place, message, "expected 1");
    Some(error.because(settings.place(Key::MachineKind), "the network"))
}

fn wrong_dimensions(
    settings: &Settings<'_>,
    section: &MachineSection,
    cube: Hypercube,
    expected: u64,
) -> Option<ScenarioError> {
    let found = cube.dimension_count();
    let (kind, size) = (section.machine.as_ref()?.kind(), &section.size.as_ref()?.place);
    let message =
        format!("program.dimensions is {found}, expected {expected} for a normal program on this {kind}");
    let place = settings.place(Key::ProgramDimensions).unwrap_or(size);
    let error = ScenarioError::at(place, message, format!("expected {expected}"));
    Some(error.because(Some(size), "the machine").with_help("leave it out: it follows from the machine"))
}

fn not_normal(settings: &Settings<'_>, error: &ShuffleExchangeProgramError) -> Option<ScenarioError> {
    let kind = settings.place(Key::ProgramKind)?;
    let place = settings.place(Key::ProgramStages).unwrap_or(kind);
    let error = ScenarioError::at(place, format!("the program is not normal: {error}"), "these stages")
        .because(Some(kind), "asks for consecutive dimensions")
        .with_help("\"ascend\" and \"descend\" are normal; kind = \"cc-cube\" takes any stages");
    Some(error)
}
