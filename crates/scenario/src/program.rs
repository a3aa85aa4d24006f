//! The `[program]` table: the kinds of programs, and the reading of those on a hypercube.
//!
//! A kind of program is one entry of [`PROGRAM_KINDS`]: its name, its keys, and the function that reads it.
//! The words of `program.kind`, the errors about keys of other kinds and the documentation follow from it.

use cubefold_formats::input::text::with_article;
use cubefold_mapping::{CubeDimension, Hypercube, LinkSequence};
use cubefold_simulator::{
    Computations, CubeProgram, Cycles, DivideAndConquer, LevelNetwork, LevelProgram, ShuffleExchangeProgram,
    ShuffleExchangeProgramError, TreeDivideAndConquer,
};
use cubefold_topology::MachineKind;

use super::{
    chakra_file::{CHAKRA, TRACE},
    collective,
    errors::{Errors, ScenarioError, alternatives, help},
    exchange,
    goal_file::GOAL,
    job,
    keys::Key,
    library::Library,
    machine::MachineSection,
    message_sizes::{self, ByStage, Sizes},
    neighbour_exchange,
    open_loop::OPEN_LOOP,
    per_node,
    permutation::PERMUTATION,
    random_access::RANDOM_ACCESS,
    settings::Settings,
    source_file::Place,
    stages_file::STAGES,
    traffic::TRAFFIC,
    value::{Content, Value},
};
use crate::ScenarioProgram;

pub(super) use super::neighbour_exchange::COMMUNICATIONS;

/// A kind of program in scenarios.
#[derive(Debug)]
pub struct ProgramKind {
    /// Its name in files.
    pub name: &'static str,
    /// A description in one sentence.
    pub summary: &'static str,
    /// Keys of `[program]` that it takes, besides those that all kinds take.
    pub(super) keys: &'static [Key],
    /// Reads a program of this kind.
    pub(super) read: fn(&mut Reading<'_>) -> Option<ScenarioProgram>,
}

/// All kinds of programs, in the order in which messages list them.
pub(super) static PROGRAM_KINDS: &[&ProgramKind] = &[
    &CC_CUBE,
    &neighbour_exchange::NEIGHBOUR_EXCHANGE,
    &DIVIDE_AND_CONQUER,
    &NORMAL,
    &STAGES,
    &TRAFFIC,
    &GOAL,
    &CHAKRA,
    &TRACE,
    &PERMUTATION,
    &RANDOM_ACCESS,
    &OPEN_LOOP,
    &collective::ALL_REDUCE,
    &collective::REDUCE_SCATTER,
    &collective::ALL_GATHER,
    &collective::BROADCAST,
    &collective::REDUCE,
    &collective::GATHER,
    &collective::SCATTER,
    &collective::ALL_TO_ALL,
    &collective::BARRIER,
    &collective::SEQUENCE,
    &job::JOB,
];

static CC_CUBE: ProgramKind = ProgramKind {
    name: "cc-cube",
    summary: "In each stage every process of a d-cube computes, then exchanges with its neighbour in one dimension.",
    keys: &[
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
    ],
    read: read_cc_cube,
};

static DIVIDE_AND_CONQUER: ProgramKind = ProgramKind {
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

static NORMAL: ProgramKind = ProgramKind {
    name: "normal",
    summary: "A cc-cube program whose consecutive stages use consecutive dimensions.",
    keys: &[
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
    ],
    read: read_normal,
};

/// Lists the kinds of programs.
#[must_use]
pub fn program_kinds() -> &'static [&'static ProgramKind] {
    PROGRAM_KINDS
}

/// The inputs for reading a program.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub(super) settings: &'a Settings<'a>,
    /// The machine, which gives the default number of dimensions.
    pub(super) machine: &'a MachineSection,
    pub(super) library: &'a mut Library,
    /// Computation times of processes.
    pub(super) computations: Option<Computations>,
}

impl Reading<'_> {
    /// `T_a`, if all computations take equally long.
    pub(super) fn compute(&self) -> Option<Cycles> {
        match self.computations.as_ref()? {
            Computations::Same(cycles) => Some(*cycles),
            Computations::ByStage(_) | Computations::ByProcess(_) => None,
        }
    }

    /// Number of processes per node.
    pub(super) fn per_node(&mut self) -> Option<u64> {
        per_node::count(self.settings)
    }

    /// Reads the sizes of messages, with a list by stage if `by_stage` allows it.
    pub(super) fn sizes(&mut self, by_stage: ByStage) -> Option<Sizes> {
        message_sizes::read(self.settings, self.machine.timing.scale(), by_stage)
    }
}

/// Reads the program. `machine` gives the default number of dimensions.
pub(super) fn read(
    settings: &Settings<'_>,
    machine: &MachineSection,
    library: &mut Library,
) -> Option<ScenarioProgram> {
    let kind = kind(settings);
    let scale = machine.timing.scale();
    let by_stage = match kind {
        Some(kind) if ![STAGES.name, CC_CUBE.name].contains(&kind.name) => ByStage::No,
        _ => ByStage::Yes(None),
    };
    let computations = message_sizes::read_computations(settings, scale, by_stage);
    let kind = kind?;
    report_foreign(settings, kind);
    let program = (kind.read)(&mut Reading { settings, machine, library, computations })?;
    let program = per_node::with_block(settings, program)?;
    Some(per_node::with_note(program, machine.machine.as_deref()))
}

/// The kind of the program; with steps it is a sequence, whose default operation is the given kind.
fn kind(settings: &Settings<'_>) -> Option<&'static ProgramKind> {
    let Some(steps) = settings.get(Key::ProgramSteps) else {
        return settings.one_of(Key::ProgramKind, PROGRAM_KINDS, |kind| kind.name);
    };
    let algorithm = settings.get(Key::ProgramAlgorithm);
    let is_job = settings.get(Key::ProgramIterations).is_some() || job::is_job(steps, algorithm);
    let of_steps: &ProgramKind = if is_job { &job::JOB } else { &collective::SEQUENCE };
    if settings.get(Key::ProgramKind).is_none() {
        return Some(of_steps);
    }
    let kind = settings.one_of(Key::ProgramKind, PROGRAM_KINDS, |kind| kind.name)?;
    let is_sequence = collective::is_operation(kind) || kind.name == collective::SEQUENCE.name;
    Some(if is_sequence { of_steps } else { kind })
}

/// Reports keys that belong only to other kinds of programs.
fn report_foreign(settings: &Settings<'_>, kind: &ProgramKind) {
    let name = format_args!("{} program", kind.name);
    settings.report_foreign(Key::ProgramKind, name, |key| key.is_foreign_to(kind));
}

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
            let keys = [Key::ProgramComputeCycles, Key::ProgramCompute];
            let value = keys.iter().find_map(|&key| {
                let value = reading.settings.get(key)?;
                value.list_length().map(|_| (key, value))
            });
            let (key, value) = value?;
            let expected = match stages? {
                1 => "1 entry, one for each stage".to_owned(),
                stages => format!("{stages} entries, one for each stage"),
            };
            let error = value.unexpected(key.path(), expected);
            reading.settings.report(error.because(reading.settings.place(Key::ProgramStages), "the stages"));
            None
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
        settings.report(error.with_help("give program.dimensions instead for a d-cube"));
        return None;
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
        settings.report(error);
        return None;
    }
    Hypercube::new(u64::from(processes.trailing_zeros())).ok()
}

/// Reads a normal program: its data move between the nodes of shuffle-exchange and de Bruijn networks, cube-connected
/// cycles and butterflies; on all other machines its processes stay.
#[expect(clippy::too_many_lines, reason = "one step a key")]
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
        settings.report(wrong_dimensions(settings, machine, cube, expected));
        return None;
    }
    if shuffles.is_some() && per_node > 1 {
        settings.report(moving_data_in_groups(settings, per_node)?);
        return None;
    }
    if let Some(network) = levels {
        return match LevelProgram::new(network, cube, stages, compute) {
            Ok(program) => {
                let (exchange_cube, exchanges) = (Some(program.cube()), Some(program.dimensions().to_vec()));
                let program = ScenarioProgram::new(&NORMAL, program.with_sizes(sizes.units));
                Some(ScenarioProgram { exchange_cube, exchanges, bytes: sizes.bytes, ..program })
            }
            Err(error) => {
                settings.report(not_normal(settings, &error));
                None
            }
        };
    }
    match ShuffleExchangeProgram::new(cube, stages.clone(), compute) {
        Ok(program) if shuffles.is_some() => {
            let (exchange_cube, exchanges) = (Some(program.cube()), Some(program.dimensions().to_vec()));
            let program = ScenarioProgram::new(&NORMAL, program.with_sizes(sizes.units));
            Some(ScenarioProgram { exchange_cube, exchanges, bytes: sizes.bytes, ..program })
        }
        Err(
            error @ (ShuffleExchangeProgramError::NotNormal { .. } | ShuffleExchangeProgramError::NoStages),
        ) => {
            settings.report(not_normal(settings, &error));
            None
        }
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

/// Names of the orders of stages.
const ORDERS: [&str; 3] = ["ascend", "descend", "bitonic"];

/// The place of the number of dimensions, or of the value that it derives from.
fn cube_place<'a>(settings: &'a Settings<'_>, machine: &'a MachineSection) -> Option<&'a Place> {
    settings.place(Key::ProgramDimensions).or(machine.size.as_ref().map(|size| &size.place))
}

/// Reads the stages; the number of dimensions derives from `cube_place`. Without a cube, only errors that
/// apply to every cube are reported.
pub(super) fn read_stages(
    settings: &Settings<'_>,
    cube: Option<Hypercube>,
    cube_place: Option<&Place>,
) -> Option<Vec<CubeDimension>> {
    let Some(value) = settings.get(Key::ProgramStages) else {
        return cube.map(CubeProgram::ascend);
    };
    match &value.content {
        Content::Text(name) => order(value, name, cube, settings.errors()),
        Content::List(_) => dimensions(value, cube, cube_place, settings.errors()),
        _ => {
            settings.report(value.unexpected(Key::ProgramStages.path(), expected()));
            None
        }
    }
}

fn expected() -> String {
    format!("a list of dimensions, or {}", alternatives(&words()))
}

/// The names of orders and of link sequences.
pub(crate) fn words() -> Vec<&'static str> {
    ORDERS.into_iter().chain(LinkSequence::ALL.map(LinkSequence::name)).collect()
}

fn order(value: &Value, name: &str, cube: Option<Hypercube>, errors: &Errors) -> Option<Vec<CubeDimension>> {
    match name {
        "ascend" => cube.map(CubeProgram::ascend),
        "descend" => cube.map(CubeProgram::descend),
        "bitonic" => cube.map(CubeProgram::bitonic),
        _ => link_sequence(value, name, cube, errors),
    }
}

/// The stages of a link sequence of Jacobi methods: `br` of all dimensions, `br:3` of the first three, `br:sweep`.
fn link_sequence(
    value: &Value,
    name: &str,
    cube: Option<Hypercube>,
    errors: &Errors,
) -> Option<Vec<CubeDimension>> {
    let (first, part) = name.split_once(':').map_or((name, None), |(first, part)| (first, Some(part)));
    let sequence = LinkSequence::ALL.into_iter().find(|sequence| sequence.name() == first);
    let dimensions = cube.map_or(1, Hypercube::dimension_count);
    let part_dimensions = part.filter(|&part| part != "sweep").map(str::parse::<u8>);
    let (Some(sequence), None | Some(Ok(_))) = (sequence, &part_dimensions) else {
        let error = value.unexpected(Key::ProgramStages.path(), expected());
        errors.report(error.with_help(help(first, &words())));
        return None;
    };
    let cube = cube?;
    let of_part = part_dimensions.and_then(Result::ok);
    if let Some(part) = of_part.filter(|&part| part > dimensions) {
        let expected = format!("at most the {dimensions} dimensions of the cube");
        errors.report(
            value
                .unexpected(Key::ProgramStages.path(), expected)
                .with_help(format!("{sequence}:{part} uses {part} dimensions")),
        );
        return None;
    }
    let links = if part == Some("sweep") {
        sequence.sweep(dimensions)
    } else {
        sequence.path(of_part.unwrap_or(dimensions))
    };
    match links {
        Ok(links) => links.into_iter().map(|link| cube.dimension(link.into()).ok()).collect(),
        Err(error) => {
            errors.report(ScenarioError::at(&value.place, error.to_string(), "not defined"));
            None
        }
    }
}

fn dimensions(
    value: &Value,
    cube: Option<Hypercube>,
    cube_place: Option<&Place>,
    errors: &Errors,
) -> Option<Vec<CubeDimension>> {
    let values = value.list(Key::ProgramStages.path(), "dimensions", errors)?;
    let before = errors.len();
    let stages = values
        .iter()
        .enumerate()
        .filter_map(|(stage, entry)| {
            let Content::Integer(Some(number)) = entry.content else {
                errors.report(entry.unexpected(format_args!("dimension of stage {stage}"), "an integer"));
                return None;
            };
            let cube = cube?;
            let dimension = cube.dimension(number).ok();
            if dimension.is_none() {
                errors.report(out_of_range(entry, stage, cube, cube_place));
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
