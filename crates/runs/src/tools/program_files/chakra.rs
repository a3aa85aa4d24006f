//! Chakra execution traces (Sridharan et al. 2023; schema `et_def.proto` of MLCommons): a file
//! `program.RANK.et` per rank, with length-prefixed messages: a `GlobalMetadata` and then the nodes.
//!
//! Known readers need this: `is_cpu_op` is present, or nodes are skipped, and true only for computations that the host
//! has a processor for; `comm_size` is an `int64`; requirements name a node by its id, and ids are per rank.

use std::collections::BTreeMap;

use cubefold_mapping::ProcessId;
use cubefold_scenario::Run;
use cubefold_simulator::{EAGER_ALL, Operation, OperationKind, Requirement, TaskSchedule};
use prost::Message;
use schema::{AttributeProto, GlobalMetadata, Node, NodeType, Value};

use super::{Amounts, FormatDescriptor, ProgramFileError, ProgramFiles, ProgramOptions, label, schedule_of};

pub(super) use cubefold_formats::input::chakra_schema as schema;

pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "chakra",
    summary: "Chakra execution traces, a file of protobuf messages for each rank, for ASTRA-sim",
    is_folder: true,
    extension: None,
    write,
};

const VERSION: &str = "0.0.4"; // of the schema
/// The processor whose computations are marked as those of the host.
const HOST: u16 = 1;

fn write(run: &Run, _: ProgramOptions) -> Result<ProgramFiles, ProgramFileError> {
    let schedule = schedule_of(run, FORMAT.name)?;
    let (amounts, requirements) = (Amounts::new(run), schedule.requirements());
    let mut numbers: Vec<u64> = vec![0; requirements.len()]; // number within its rank
    let mut texts: Vec<(u64, Vec<u8>)> = ProcessId::first(schedule.process_count().into())
        .map(|_| (0, GlobalMetadata { version: VERSION.to_owned() }.encode_length_delimited_to_vec()))
        .collect();
    // An operation may require a later one of the file.
    for (number, operation) in schedule.operations().iter().enumerate() {
        let count = &mut texts[operation.process.label() as usize].0;
        numbers[number] = *count;
        *count += 1;
    }
    for (number, operation) in schedule.operations().iter().enumerate() {
        let required = |wanted: Requirement| {
            let matching = requirements[number].iter().filter(move |(_, kind)| *kind == wanted);
            matching.map(|(before, _)| numbers[*before as usize]).collect::<Vec<u64>>()
        };
        let node = Node {
            id: numbers[number],
            name: label(usize::try_from(numbers[number]).unwrap_or(usize::MAX)),
            data_deps: required(Requirement::Over),
            ctrl_deps: required(Requirement::Begun),
            ..node(operation, &amounts)?
        };
        texts[operation.process.label() as usize].1.extend(node.encode_length_delimited_to_vec());
    }
    let files = texts.into_iter().enumerate().map(|(rank, (_, text))| (format!("program.{rank}.et"), text));
    let mut notes: Vec<String> = vec![];
    if schedule
        .operations()
        .iter()
        .any(|operation| operation.kind == OperationKind::Calc && operation.amount > 0)
    {
        notes.push(match run.scale {
            Some(_) => note_on_durations(&amounts, schedule.operations()),
            None => "a cycle counts as a nanosecond, a unit as a byte".to_owned(),
        });
    }
    if requirements.iter().flatten().any(|(_, kind)| *kind == Requirement::Begun) {
        notes.push("a requirement on the begin of an operation waits for its end".to_owned());
    }
    let shares = |operation: &Operation| operation.kind == OperationKind::Calc && operation.processor > HOST;
    if schedule.operations().iter().any(shares) {
        notes.push(
            "a trace knows two processors of a process: computations of the others are those of the first, and take turns"
                .to_owned(),
        );
    }
    notes.extend(note_on_eager(run, &schedule));
    notes.extend(note_on_order(&schedule, &numbers));
    Ok(ProgramFiles { files: files.collect(), notes })
}

/// Notes for readers, if messages of the run wait for their receives, that traces are read with eager messages.
fn note_on_eager(run: &Run, schedule: &TaskSchedule) -> Option<String> {
    let has_messages = schedule.operations().iter().any(|operation| operation.kind == OperationKind::Send);
    let eager = run.communication.eager();
    (has_messages && eager != EAGER_ALL).then(|| {
        format!(
            "a scenario that reads the traces takes eager messages unless it says otherwise, other than this run: give \
             execution.eager_units = {eager} for the same cycles"
        )
    })
}

/// A note for readers if their keys of queues (`docs/model.md` section 23.4), the place of a send in the file of its rank,
/// order messages of different ranks otherwise than the run does.
fn note_on_order(schedule: &TaskSchedule, numbers: &[u64]) -> Option<String> {
    let sends = schedule.operations().iter().zip(numbers);
    let mut keys: Vec<((u32, u32), u64)> = sends
        .filter(|(operation, _)| operation.kind == OperationKind::Send)
        .map(|(operation, number)| ((operation.tag, operation.process.label()), *number))
        .collect();
    keys.sort_unstable();
    let place_first = |&((_, rank), number): &((u32, u32), u64)| (number, rank);
    (!keys.is_sorted_by_key(place_first)).then(|| {
        "of messages that join a queue in one cycle, readers take the one first whose send stands first in the file of its \
         rank, not that of the first stage or tag: cycles may differ where channels are shared"
            .to_owned()
    })
}

/// A duration in whole microseconds, rounded up.
fn microseconds(nanoseconds: u64) -> u64 {
    nanoseconds.div_ceil(1000)
}

/// Says by how much whole microseconds are off: in the worst computation, and in all of the rank that loses most.
fn note_on_durations(amounts: &Amounts<'_>, operations: &[Operation]) -> String {
    let mut by_rank: BTreeMap<u32, [u64; 2]> = BTreeMap::new();
    let mut worst = (0.0, 0, 0);
    for operation in
        operations.iter().filter(|operation| operation.kind == OperationKind::Calc && operation.amount > 0)
    {
        let exact = amounts.nanoseconds(operation.amount).0;
        let written = microseconds(exact).saturating_mul(1000);
        let sums = by_rank.entry(operation.process.label()).or_default();
        sums[0] = sums[0].saturating_add(exact);
        sums[1] = sums[1].saturating_add(written);
        let error = percent_above(exact, written);
        if error > worst.0 {
            worst = (error, exact, written);
        }
    }
    let of_rank = by_rank.values().max_by_key(|sums| sums[1].saturating_sub(sums[0]));
    let [exact, written] = of_rank.copied().unwrap_or_default();
    if worst.0 == 0.0 {
        return "durations are whole microseconds, and exact".to_owned();
    }
    format!(
        "durations are whole microseconds, rounded up: {} ns become {} ns, {:.1} % more; in all {} ns of a rank become {} ns, \
         {:.1} % more. Readers of the attribute duration_nanoseconds have exact ones; else give times of whole microseconds",
        worst.1,
        worst.2,
        worst.0,
        exact,
        written,
        percent_above(exact, written)
    )
}

/// By how many percent a number is above another.
#[expect(clippy::cast_precision_loss, reason = "a message shows a digit after the point")]
fn percent_above(exact: u64, written: u64) -> f64 {
    if exact == 0 { 0.0 } else { 100.0 * (written as f64 / exact as f64 - 1.0) }
}

/// The node of an operation, without its id and requirements.
fn node(operation: &Operation, amounts: &Amounts<'_>) -> Result<Node, ProgramFileError> {
    let attribute = |name: &str, value| AttributeProto { name: name.to_owned(), value: Some(value) };
    let is_of_host = operation.kind == OperationKind::Calc && operation.processor == HOST;
    let mut attr = vec![attribute("is_cpu_op", Value::Bool(is_of_host))];
    let too_large = |what: String| ProgramFileError::NotSaid {
        format: FORMAT.name,
        what,
        expected: "tags below 2^31 and sizes below 2^63",
    };
    let (source, destination, kind) = match operation.kind {
        OperationKind::Calc => {
            let nanoseconds = amounts.nanoseconds(operation.amount).0;
            let count = i64::try_from(nanoseconds).unwrap_or(i64::MAX);
            attr.push(attribute("num_ops", Value::Int64(count)));
            attr.push(attribute("tensor_size", Value::Uint64(0)));
            attr.push(attribute("duration_nanoseconds", Value::Int64(count)));
            let duration_micros = microseconds(nanoseconds);
            return Ok(Node { kind: NodeType::Comp.into(), duration_micros, attr, ..Node::default() });
        }
        OperationKind::Send => (operation.process, operation.peer, NodeType::CommSend),
        OperationKind::Receive => (operation.peer, operation.process, NodeType::CommRecv),
    };
    let tag = i32::try_from(operation.tag).map_err(|_| too_large(format!("tag {}", operation.tag)))?;
    let bytes = amounts.bytes(operation.amount);
    let size = i64::try_from(bytes).map_err(|_| too_large(format!("{bytes} bytes")))?;
    // Ranks are below 2^20.
    let rank = |process: ProcessId| Value::Int32(i32::try_from(process.label()).unwrap_or(i32::MAX));
    attr.push(attribute("comm_src", rank(source)));
    attr.push(attribute("comm_dst", rank(destination)));
    attr.push(attribute("comm_tag", Value::Int32(tag)));
    attr.push(attribute("comm_size", Value::Int64(size)));
    Ok(Node { kind: kind.into(), attr, ..Node::default() })
}
