//! One Chakra execution trace: the operations of a rank, as in the file.
//!
//! Attributes are found by name and may have any integer type, since `PyTorch` converters and ASTRA-sim tools write
//! different types. Operations other than messages, collectives and computations take no time.

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
};

use cubefold_collectives::Operation;
use cubefold_formats::{
    format::FileText,
    input::{
        chakra_schema::{AttributeProto, GlobalMetadata, Node, NodeType, Value},
        input_file,
        text::shortened,
    },
    read::chakra::nodes_of_json,
};
use cubefold_topology::narrow;
use flate2::bufread::MultiGzDecoder;
use prost::Message;

use super::process_groups::{Definition, definitions};
use crate::{budget::Budget, placement_file::Failure};

/// Memory per operation, without its name and dependencies \[bytes\].
const BYTES_A_NODE: u64 = 192;
/// Memory per byte of a message while it is decoded \[bytes\]: an empty attribute takes two bytes in the file, and
/// lists double when they grow.
const BYTES_A_BYTE: u64 = size_of::<AttributeProto>() as u64;
/// Memory per byte of a JSON document while it is read \[bytes\].
const BYTES_OF_JSON: u64 = 16;
/// The name of the METADATA nodes that list process groups.
const GROUPS_NODE: &str = "## process_group:init ##";
/// The first bytes of a gzipped file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The operations of a rank.
#[derive(Debug, Default)]
pub(super) struct RankTrace {
    /// In the order of the file.
    pub(super) nodes: Vec<TraceNode>,
    /// The groups that its METADATA nodes define.
    pub(super) groups: Vec<Definition>,
    /// Data and control dependencies on operations that the trace does not have.
    pub(super) dropped: [Dropped; 2],
    /// Computations without a duration.
    pub(super) without_duration: u64,
}

/// Dependencies on operations that a trace does not have.
#[derive(Debug, Default)]
pub(super) struct Dropped {
    pub(super) count: u64,
    /// For the first one, the identifiers of the operation and of the missing one.
    pub(super) first: Option<(u64, u64)>,
}

/// An operation of a trace.
#[derive(Debug)]
pub(super) struct TraceNode {
    pub(super) id: u64,
    pub(super) name: Box<str>,
    /// The places of the operations whose data it needs.
    pub(super) data: Box<[u32]>,
    /// The places of the operations that it follows.
    pub(super) control: Box<[u32]>,
    pub(super) work: Work,
    /// The recorded time of its message or its share of a collective \[ns\]; 0 if unknown.
    pub(super) measured: u64,
    /// The device stream that it runs in.
    pub(super) stream: Option<i128>,
    /// Whether it runs on a processor of the host.
    pub(super) is_cpu: bool,
}

/// The work of an operation of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Work {
    /// Nothing that takes time.
    Nothing,
    /// A computation \[ns\].
    Compute(u64),
    /// One end of a message.
    Message(TraceMessage),
    /// Its share of a collective.
    Collective {
        operation: Operation,
        /// The rank's contribution.
        bytes: u64,
        group: Box<str>,
        /// The dimensions of the machine that it goes along (`involved_dim`); all of them by default.
        dimensions: Option<Box<[bool]>>,
    },
}

/// One end of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TraceMessage {
    pub(super) is_send: bool,
    pub(super) peer: u32,
    pub(super) tag: i128,
    /// The size, if the trace has it.
    pub(super) bytes: Option<u64>,
}

impl TraceNode {
    /// Its identifier and its name, for messages.
    pub(super) fn described(&self) -> String {
        format!("node {} \"{}\"", self.id, shortened(&self.name))
    }
}

/// Reads the trace of a rank.
///
/// # Errors
///
/// If it cannot be read, is truncated, is not a Chakra trace, or an operation lacks an attribute that it needs.
pub(super) fn read_trace(path: &Path, rank: u32, budget: &Budget) -> Result<RankTrace, Failure> {
    // A gzipped file is decompressed.
    let may_be_trace = |kind: &str| ["Chakra", "gzip"].iter().any(|name| kind.contains(name));
    read_messages(path, rank, budget).map_err(|failure| {
        if input_file::foreign_kind(path).is_some_and(may_be_trace) {
            failure
        } else {
            failure.or_other_format(path, "a Chakra execution trace", &["chakra", "chakra-json"])
        }
    })
}

fn read_messages(path: &Path, rank: u32, budget: &Budget) -> Result<RankTrace, Failure> {
    let unreadable = |error: std::io::Error| Failure::Unreadable(format!("{}: {error}", path.display()));
    let file = input_file::open(path).map_err(|error| unreadable(error.into()))?;
    let mut file = BufReader::new(file);
    let is_gzipped = file.fill_buf().map_err(unreadable)?.starts_with(&GZIP);
    let input: Box<dyn BufRead> =
        if is_gzipped { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(file) };
    let mut messages = Messages { input, path, number: 0, budget };
    let mut trace = Trace { path, rank, read: RankTrace::default(), dependencies: vec![] };
    if messages.is_json() {
        for node in messages.of_json()? {
            trace.add(node, budget)?;
        }
        return trace.finish();
    }
    let mut buffer = vec![];
    if !messages.next(&mut buffer)? {
        return Err(Failure::of_file(path, "an empty file, expected a Chakra execution trace"));
    }
    GlobalMetadata::decode(&buffer[..]).map_err(|error| messages.undecodable(&error))?;
    while messages.next(&mut buffer)? {
        let node = Node::decode(&buffer[..]).map_err(|error| messages.undecodable(&error))?;
        trace.add(node, budget)?;
    }
    trace.finish()
}

/// The messages of a file, in order.
struct Messages<'a> {
    input: Box<dyn BufRead>,
    path: &'a Path,
    number: u64, // of the next message
    budget: &'a Budget,
}

impl Messages<'_> {
    /// Whether the file is JSON: `{` alone may also be the length 123 of a message.
    fn is_json(&mut self) -> bool {
        self.input.fill_buf().is_ok_and(|head| {
            let head = head.trim_ascii_start();
            head.strip_prefix(b"{").is_some_and(|rest| matches!(rest.trim_ascii_start(), [b'"' | b'}', ..]))
        })
    }

    /// Reads the nodes of a JSON file.
    fn of_json(&mut self) -> Result<Vec<Node>, Failure> {
        let mut bytes = vec![];
        let most = input_file::MAX_BYTES;
        (&mut self.input).take(most).read_to_end(&mut bytes).map_err(|error| self.broken(&error))?;
        let taken = self.budget.take_for_a_while(BYTES_OF_JSON * bytes.len() as u64, 0);
        taken.map_err(|over| over.of_file(self.path, "its trace:"))?;
        nodes_of_json(&FileText::new(&bytes))
            .map_err(|complaints| Failure::complaints(self.path, &complaints))
    }

    /// Reads the next message; returns whether there is one.
    fn next(&mut self, buffer: &mut Vec<u8>) -> Result<bool, Failure> {
        buffer.clear();
        let Some(length) = self.length()? else { return Ok(false) };
        self.budget
            .take_for_a_while(length.saturating_mul(1 + BYTES_A_BYTE), 0)
            .map_err(|over| over.of_file(self.path, "one of its messages:"))?;
        let read = (&mut self.input).take(length).read_to_end(buffer);
        read.map_err(|error| self.broken(&error))?;
        let found = buffer.len() as u64;
        if found < length {
            let message = match self.number {
                0 => "the file does not begin like a Chakra execution trace".to_owned(),
                number => {
                    format!(
                        "the file is cut off: message {number} has {length} bytes, of which {found} are there"
                    )
                }
            };
            return Err(Failure::of_file(self.path, message));
        }
        self.number += 1;
        Ok(true)
    }

    /// Reads the length of the next message; `None` at the end of the file.
    fn length(&mut self) -> Result<Option<u64>, Failure> {
        let (mut length, mut shift) = (0_u64, 0);
        loop {
            let mut byte = [0];
            if self.input.read(&mut byte).map_err(|error| self.broken(&error))? == 0 {
                if shift == 0 {
                    return Ok(None);
                }
                let message = format!("the file is cut off in the length of message {}", self.number);
                return Err(Failure::of_file(self.path, message));
            }
            length |= u64::from(byte[0] & 0x7f) << shift;
            if byte[0] & 0x80 == 0 {
                return Ok(Some(length));
            }
            shift += 7;
            if shift > 56 {
                let message = format!("message {} has no length, expected a Chakra trace", self.number);
                return Err(Failure::of_file(self.path, message));
            }
        }
    }

    /// The error for a file that cannot be read further.
    fn broken(&self, error: &std::io::Error) -> Failure {
        let at = self.number;
        match error.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                Failure::of_file(self.path, format!("the gzipped file is cut off in message {at}"))
            }
            _ => Failure::Unreadable(format!("{}: in message {at}: {error}", self.path.display())),
        }
    }

    fn undecodable(&self, error: &prost::DecodeError) -> Failure {
        let at = self.number - 1;
        let message = format!("message {at} is none of a Chakra execution trace: {error}");
        Failure::of_file(self.path, message)
    }
}

/// A trace while it is read.
struct Trace<'a> {
    path: &'a Path,
    rank: u32,
    read: RankTrace,                  // without dependencies
    dependencies: Vec<[Vec<u64>; 2]>, // data and control, the identifiers by operation
}

impl Trace<'_> {
    /// Adds an operation and its dependencies, within the budget.
    fn add(&mut self, mut node: Node, budget: &Budget) -> Result<(), Failure> {
        let ids = [std::mem::take(&mut node.data_deps), std::mem::take(&mut node.ctrl_deps)];
        let bytes = BYTES_A_NODE + node.name.len() as u64 + 12 * (ids[0].len() + ids[1].len()) as u64;
        budget.take(bytes).map_err(|over| over.of_file(self.path, "its operations:"))?;
        self.dependencies.push(ids);
        if self.read.nodes.len() == u32::MAX as usize {
            return Err(Failure::of_file(self.path, "2^32 operations, expected fewer"));
        }
        let attributes = Attributes { list: &node.attr };
        let failed = |message: String| {
            let shown = format!("node {} \"{}\"", node.id, shortened(&node.name));
            Failure::of_file(self.path, format!("{shown}: {message}"))
        };
        let is_cpu = attributes.integer("is_cpu_op").map_err(failed)?.unwrap_or(0) != 0;
        let stream = attributes.integer("stream").map_err(failed)?;
        let (work, groups) = work(&node, self.rank, is_cpu).map_err(failed)?;
        let is_timed = matches!(work, Work::Compute(_))
            && (node.duration_micros > 0 || attributes.find("duration_nanoseconds").is_some());
        self.read.without_duration += u64::from(matches!(work, Work::Compute(_)) && !is_timed);
        let measured = match work {
            Work::Message(_) | Work::Collective { .. } => duration(&node, &attributes).map_err(failed)?,
            Work::Nothing | Work::Compute(_) => 0,
        };
        self.read.groups.extend(groups);
        let (id, name) = (node.id, node.name.into_boxed_str());
        let (data, control) = (Box::default(), Box::default());
        self.read.nodes.push(TraceNode { id, name, data, control, work, measured, stream, is_cpu });
        Ok(())
    }

    /// Finds the places of dependencies.
    fn finish(self) -> Result<RankTrace, Failure> {
        let Self { path, mut read, dependencies, .. } = self;
        let mut places: Vec<(u64, u32)> =
            read.nodes.iter().enumerate().map(|(place, node)| (node.id, narrow(place as u64))).collect();
        places.sort_unstable();
        if let Some(pair) = places.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let [one, other] = [pair[0], pair[1]].map(|(_, place)| read.nodes[place as usize].described());
            let message = format!(
                "{one} and {other}, {} and {} of the file, counted from 0, have the same id, expected ids that are unique",
                pair[0].1, pair[1].1
            );
            return Err(Failure::of_file(path, message));
        }
        let dropped = &mut read.dropped;
        for (node, ids_by_kind) in read.nodes.iter_mut().zip(&dependencies) {
            let mut find = |kind: usize| {
                let ids = ids_by_kind[kind].iter();
                let found = ids.filter_map(|&id| {
                    let place = places.binary_search_by_key(&id, |&(known, _)| known).ok();
                    if place.is_none() {
                        dropped[kind].count += 1;
                        dropped[kind].first.get_or_insert((node.id, id));
                    }
                    place.map(|place| places[place].1)
                });
                found.collect::<Box<[u32]>>()
            };
            let (data, control) = (find(0), find(1));
            (node.data, node.control) = (data, control);
        }
        Ok(read)
    }
}

/// The attributes of an operation.
struct Attributes<'a> {
    list: &'a [AttributeProto],
}

impl Attributes<'_> {
    fn find(&self, name: &str) -> Option<&Value> {
        self.list.iter().find(|attribute| attribute.name == name)?.value.as_ref()
    }

    /// An integer, if the attribute is present.
    fn integer(&self, name: &str) -> Result<Option<i128>, String> {
        let Some(value) = self.find(name) else { return Ok(None) };
        let expected = || match value {
            Value::Text(text) => {
                format!("attribute {name} is the text {:?}, expected an integer", shortened(text))
            }
            other => format!("attribute {name} is {other:?}, expected an integer"),
        };
        value.integer().map(Some).ok_or_else(expected)
    }

    /// A size or a time, if the attribute is present.
    fn natural(&self, name: &str) -> Result<Option<u64>, String> {
        let Some(number) = self.integer(name)? else { return Ok(None) };
        let expected = || format!("attribute {name} is {number}, expected 0 to 2^63 - 1");
        let found = i64::try_from(number).ok().and_then(|number| u64::try_from(number).ok());
        found.map(Some).ok_or_else(expected)
    }

    /// The number of a rank, if the attribute is present.
    fn rank(&self, name: &str) -> Result<Option<u32>, String> {
        let Some(number) = self.integer(name)? else { return Ok(None) };
        u32::try_from(number).map(Some).map_err(|_| format!("attribute {name} is {number}, expected a rank"))
    }
}

/// The work of an operation, and the groups that it defines.
fn work(node: &Node, rank: u32, is_cpu: bool) -> Result<(Work, Vec<Definition>), String> {
    let attributes = Attributes { list: &node.attr };
    let work = match NodeType::try_from(node.kind) {
        Ok(NodeType::Metadata) if node.name == GROUPS_NODE => {
            let values = node.inputs.as_ref().map_or("", |inputs| &inputs.values);
            return Ok((Work::Nothing, definitions(values)?));
        }
        Ok(NodeType::Metadata | NodeType::MemLoad | NodeType::MemStore) => Work::Nothing,
        Ok(NodeType::Comp) => Work::Compute(duration(node, &attributes)?),
        Ok(NodeType::CommColl) if is_cpu || attributes.find("comm_type").is_none() => {
            Work::Compute(duration(node, &attributes)?)
        }
        Ok(NodeType::CommColl) => collective(&attributes)?,
        Ok(NodeType::CommSend) => Work::Message(message(&attributes, rank, true)?),
        Ok(NodeType::CommRecv) => Work::Message(message(&attributes, rank, false)?),
        Ok(NodeType::Invalid) | Err(_) => {
            return Err(format!("type {}, expected 1 to 7: METADATA to COMM_COLL", node.kind));
        }
    };
    Ok((work, vec![]))
}

/// The time of an operation \[ns\]; 0 if there is none.
fn duration(node: &Node, attributes: &Attributes<'_>) -> Result<u64, String> {
    if let Some(nanoseconds) = attributes.natural("duration_nanoseconds")? {
        return Ok(nanoseconds);
    }
    let nanoseconds =
        node.duration_micros.checked_mul(1000).filter(|nanoseconds| i64::try_from(*nanoseconds).is_ok());
    nanoseconds
        .ok_or_else(|| format!("{} microseconds, expected below 2^63 nanoseconds", node.duration_micros))
}

/// The operations of `comm_type`, by number.
const OPERATIONS: [Operation; 10] = [
    Operation::AllReduce,
    Operation::Reduce,
    Operation::AllGather,
    Operation::Gather,
    Operation::Scatter,
    Operation::Broadcast,
    Operation::AllToAll,
    Operation::ReduceScatter,
    Operation::ReduceScatter, // REDUCE_SCATTER_BLOCK
    Operation::Barrier,
];

fn collective(attributes: &Attributes<'_>) -> Result<Work, String> {
    let number = attributes.integer("comm_type")?.unwrap_or(-1);
    let operation = usize::try_from(number).ok().and_then(|number| OPERATIONS.get(number).copied());
    let operation = operation.ok_or_else(|| format!("attribute comm_type is {number}, expected 0 to 9"))?;
    let bytes = match attributes.natural("comm_size")? {
        Some(bytes) => bytes,
        None if operation == Operation::Barrier => 0,
        None => return Err(format!("{} without the attribute comm_size", operation.name())),
    };
    let group = match (attributes.find("pg_name"), attributes.find("comm_group")) {
        (Some(Value::Text(name)), _) | (None, Some(Value::Text(name))) => name.clone(),
        (Some(other), _) | (None, Some(other)) => {
            other.integer().map(|number| number.to_string()).unwrap_or_default()
        }
        (None, None) => String::new(),
    };
    let dimensions = match attributes.find("involved_dim") {
        Some(Value::Bools(list)) => Some(list.values.clone().into_boxed_slice()),
        Some(_) => return Err("attribute involved_dim is no list of truth values".to_owned()),
        None => None,
    };
    Ok(Work::Collective { operation, bytes, group: group.into_boxed_str(), dimensions })
}

fn message(attributes: &Attributes<'_>, rank: u32, is_send: bool) -> Result<TraceMessage, String> {
    let (this, other) = if is_send { ("comm_src", "comm_dst") } else { ("comm_dst", "comm_src") };
    if let Some(found) = attributes.rank(this)?.filter(|found| *found != rank) {
        return Err(format!("attribute {this} is {found}, expected {rank}: the rank of the trace"));
    }
    let peer = attributes.rank(other)?.ok_or_else(|| format!("a message without the attribute {other}"))?;
    let tag = attributes.integer("comm_tag")?.unwrap_or(0);
    let bytes = attributes.natural("comm_size")?;
    if is_send && bytes.is_none() {
        return Err("a message without the attribute comm_size".to_owned());
    }
    Ok(TraceMessage { is_send, peer, tag, bytes })
}
