//! Permutations: `program.kind = "permutation"`, one stage in which every process sends a message to another
//! (`docs/model.md` section 20). A process that is its own destination sends none.

use cubefold_mapping::ProcessId;
use cubefold_simulator::{StageMessage, StageProgram};
use cubefold_topology::{HostDimension, Machine, Shape};
use rand::{SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha12Rng;

use super::{
    errors::ScenarioError,
    keys::Key,
    message_sizes::ByStage,
    pair_file::{PairFile, WrongPair},
    per_node,
    program::{ProgramKind, Reading},
    stages_file::MAX_PROCESSES,
    value::Value,
};
use crate::{ScenarioProgram, generator_key};

pub(super) static PERMUTATION: ProgramKind = ProgramKind {
    name: "permutation",
    summary: "Every process sends one message and receives one, by a pattern.",
    keys: &[
        Key::ProgramPattern,
        Key::ProgramProcesses,
        Key::ProgramProcessesPerNode,
        Key::ProgramUnits,
        Key::ProgramBytes,
    ],
    read,
};

/// A named pattern of permutations.
struct Pattern {
    name: &'static str,
    destination: Destination,
}

/// The destination of a process under a pattern.
enum Destination {
    /// A function of the label and its number of bits.
    Bits(fn(u64, u32) -> u64),
    /// A function of each coordinate in the shape of the machine and its length.
    Coordinates(fn(u64, u64) -> u64),
    /// A random permutation, drawn by the seed.
    Random,
}

/// The patterns (Dally & Towles 2004, table 3.1).
static PATTERNS: [Pattern; 6] = [
    Pattern { name: "random", destination: Destination::Random },
    Pattern {
        name: "transpose",
        destination: Destination::Bits(|label, bits| rotated(label, bits, bits / 2)),
    },
    Pattern {
        name: "bit-reversal",
        destination: Destination::Bits(|label, bits| label.reverse_bits() >> (u64::BITS - bits)),
    },
    Pattern { name: "shuffle", destination: Destination::Bits(|label, bits| rotated(label, bits, 1)) },
    Pattern { name: "complement", destination: Destination::Bits(|label, bits| !label & ((1 << bits) - 1)) },
    Pattern {
        name: "tornado",
        destination: Destination::Coordinates(|coordinate, length| {
            (coordinate + length.div_ceil(2) - 1) % length
        }),
    },
];

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PATTERNS.iter().map(|pattern| pattern.name)
}

/// Rotates the bits of a label to the left.
fn rotated(label: u64, bits: u32, by: u32) -> u64 {
    (label << by | label >> (bits - by)) & ((1 << bits) - 1)
}

/// Prefix of the path of a permutation file.
const FILE_PREFIX: &str = "file:";

fn read(reading: &mut Reading<'_>) -> Option<ScenarioProgram> {
    let settings = reading.settings;
    let sizes = reading.sizes(ByStage::No);
    let names: Vec<&str> = names().collect();
    let expected = format!("{} or {FILE_PREFIX}PATH", names.join(", "));
    let value = settings.required(Key::ProgramPattern, &expected)?;
    let name = value.text(Key::ProgramPattern.path(), settings.errors())?;
    let per_node = reading.per_node()?;
    let processes = process_count(reading, value, per_node)?;
    let [while_made, kept] = StageProgram::bytes_to_make(processes, 1, processes);
    let destinations = processes.saturating_mul(size_of::<u64>() as u64);
    let memory = [while_made.saturating_add(destinations), kept];
    settings.take(memory, &value.place, &format!("a permutation of {processes} processes"))?;
    let destinations = if let Some(path) = name.strip_prefix(FILE_PREFIX) {
        listed(reading, value, path, processes)?
    } else if let Some(pattern) = PATTERNS.iter().find(|pattern| pattern.name == name) {
        of_pattern(reading, value, pattern, processes)?
    } else {
        return settings.fail(value.unknown_word(Key::ProgramPattern.path(), expected, &names));
    };
    let (sizes, computations) = (sizes?, reading.computations.clone()?);
    let units = sizes.units.uniform().unwrap_or(1);
    let process = |label: u64| u32::try_from(label).ok().map(ProcessId::new);
    let message = |(source, destination): (u64, u64)| {
        Some(StageMessage { stage: 0, source: process(source)?, destination: process(destination)?, units })
    };
    let moved = (0..).zip(destinations).filter(|(source, destination)| source != destination);
    let messages: Vec<StageMessage> = moved.filter_map(message).collect();
    // A permutation is one stage, even if every process keeps its data.
    match StageProgram::with_stages(1, u32::try_from(processes).ok()?, computations, &messages) {
        Ok(program) => {
            let program = ScenarioProgram::new(&PERMUTATION, program);
            let file = Some(name.to_owned());
            let is_on_grid = |machine: &Machine| {
                machine.coordinate_grid().is_some() && machine.shape().node_count() == processes
            };
            let is_ring = name == "tornado" && !reading.machine.machine.as_deref().is_some_and(is_on_grid);
            let ring = format!("tornado goes around a ring of all {processes} processes: they fill no grid");
            let notes = is_ring.then_some(ring).into_iter().collect();
            Some(ScenarioProgram { notes, file, bytes: sizes.bytes, ranks_per_node: per_node, ..program })
        }
        Err(error) => {
            let message = format!("program.pattern {name:?}: {error}");
            settings.fail(ScenarioError::at(&value.place, message, "these messages"))
        }
    }
}

/// The number of processes: as given, or else by the number per host that named embeddings use.
fn process_count(reading: &mut Reading<'_>, pattern: &Value, per_node: u64) -> Option<u64> {
    let settings = reading.settings;
    let size = reading.machine.size.as_ref()?;
    let processes = match settings.get(Key::ProgramProcesses) {
        Some(_) => settings.natural(Key::ProgramProcesses)?,
        None => reading.machine.host_count()?.saturating_mul(per_node),
    };
    if processes <= MAX_PROCESSES {
        return Some(processes);
    }
    let message = format!("a permutation of {processes} processes, expected at most {MAX_PROCESSES} (2^20)");
    let error = ScenarioError::at(&pattern.place, message, "too many");
    settings.fail(error.because(Some(&size.place), on_each_node(per_node)))
}

/// Formats a number of processes per node: `one process a node`.
fn on_each_node(per_node: u64) -> String {
    if per_node == 1 { "one process a node".to_owned() } else { format!("{per_node} processes a node") }
}

/// The destination of every process under a named pattern.
fn of_pattern(
    reading: &mut Reading<'_>,
    value: &Value,
    pattern: &Pattern,
    processes: u64,
) -> Option<Vec<u64>> {
    match &pattern.destination {
        Destination::Bits(of_label) => {
            let bits = label_bits(reading, value, pattern.name, processes)?;
            Some((0..processes).map(|label| of_label(label, bits)).collect())
        }
        Destination::Coordinates(of_coordinate) => {
            let machine = reading.machine.machine.as_ref()?;
            let shape = if machine.shape().node_count() == processes {
                machine.shape().clone()
            } else {
                Shape::new(&[processes]).ok()?
            };
            let moved = |label: u64| {
                let along = |(&length, dimension): (&u64, HostDimension)| {
                    let stride = shape.stride(dimension);
                    of_coordinate(label / stride % length, length) * stride
                };
                shape.lengths().iter().zip(shape.dimensions()).map(along).sum()
            };
            Some((0..processes).map(moved).collect())
        }
        Destination::Random => {
            let key = generator_key(
                reading.settings.seed()?,
                &format!("random permutation; {processes} processes"),
            );
            let mut destinations: Vec<u64> = (0..processes).collect();
            destinations.shuffle(&mut ChaCha12Rng::from_seed(key));
            Some(destinations)
        }
    }
}

/// The number of bits of a label, if the pattern uses them.
fn label_bits(reading: &mut Reading<'_>, value: &Value, name: &str, processes: u64) -> Option<u32> {
    let bits = processes.trailing_zeros();
    if processes.is_power_of_two() && (name != "transpose" || bits.is_multiple_of(2)) {
        return Some(bits);
    }
    let kind = if name == "transpose" { "a power of four" } else { "a power of two" };
    let message = format!("pattern {name} of {processes} processes, expected {kind}");
    let error = ScenarioError::at(&value.place, message, "needs the bits of labels");
    let size = reading.machine.size.as_ref()?;
    let processes = reading.settings.place(Key::ProgramProcesses);
    let on_each = on_each_node(per_node::count(&reading.settings.silent())?);
    let error = error.because(Some(&size.place), on_each).because(processes, "the processes");
    reading.settings.fail(error)
}

/// The destinations in a file with the columns source and destination; omitted processes send nothing.
fn listed(reading: &mut Reading<'_>, value: &Value, name: &str, processes: u64) -> Option<Vec<u64>> {
    let file = PairFile { what: "permutation", name, header: "source,destination" };
    let destinations = file.rows(reading.settings).and_then(|rows| destinations(&rows, processes));
    reading.settings.errors().value_of(destinations.map_err(|wrong| file.error(value, wrong)))
}

/// The destination of every process; a process that no row names as a source is its own destination.
fn destinations(rows: &[(usize, [i64; 2])], processes: u64) -> Result<Vec<u64>, WrongPair> {
    let mut destinations: Vec<u64> = (0..processes).collect();
    let (mut sends, mut receives) = (vec![false; destinations.len()], vec![false; destinations.len()]);
    for &(line, pair) in rows {
        let wrong = |reason: String| Err((Some(line), reason));
        let [source, destination] = pair.map(|process| usize::try_from(process).unwrap_or(usize::MAX));
        let (Some(source_sends), Some(destination_receives)) =
            (sends.get_mut(source), receives.get_mut(destination))
        else {
            return wrong(format!("expected processes from 0 to {}", processes - 1));
        };
        if *source_sends || *destination_receives {
            return wrong("a second message from or to one process, expected one".to_owned());
        }
        (*source_sends, *destination_receives) = (true, true);
        destinations[source] = destination as u64;
    }
    Ok(destinations)
}
