//! Chakra's execution traces: a node for each computation and communication of a rank.

use prost::Message;
use serde_json::{Map, Value, json};

use crate::{
    format::{Complaint, FileText, Format, Read, Reading, wrong},
    input::chakra_schema::{GlobalMetadata, Node, NodeType},
    read::reads,
    value::{Content, Kind, Trace, TracedOperation},
};

const HOLDS: &[Kind] = &[Kind::Trace];

pub(super) static CHAKRA_JSON: Format = reads(
    "chakra-json",
    "Chakra, as JSON (chakra_jsonizer)",
    HOLDS,
    |file| {
        let is_row = file.text.trim_start().starts_with('{')
            && file.text.contains("_NODE\"")
            && file.text.contains("\"type\"");
        let is_node = |own: &Value| own["type"].as_str().is_some_and(|own| own.ends_with("_NODE"));
        (is_row && file.json().is_none_or(is_node)
            || file.json().is_some_and(|own| own.get("workload_graph").is_some()))
        .into()
    },
    read_chakra,
);

/// The collective with a number of Chakra's schema.
fn collective(number: u64) -> Option<&'static str> {
    let names = [
        "all-reduce",
        "reduce",
        "all-gather",
        "gather",
        "scatter",
        "broadcast",
        "all-to-all",
        "reduce-scatter",
        "reduce-scatter",
        "barrier",
    ];
    names.get(usize::try_from(number).ok()?).copied()
}

/// The nodes of a file of JSON: one document, or an object for each node.
fn chakra_nodes(file: &FileText<'_>) -> Result<Vec<Value>, Vec<Complaint>> {
    match file.json() {
        Some(own) if own.get("workload_graph").is_some() => {
            Ok(own["workload_graph"].as_array().cloned().unwrap_or_default())
        }
        _ => {
            let read: Result<Vec<Value>, _> =
                serde_json::Deserializer::from_str(&file.text).into_iter().collect();
            match read {
                Ok(own) => Ok(own.into_iter().filter(|own| own.get("type").is_some()).collect()),
                Err(error) => wrong(error.line(), error.to_string()),
            }
        }
    }
}

/// A number that may be written as a word.
fn integer(own: &Value) -> Option<u64> {
    own.as_u64().or_else(|| own.as_str()?.parse().ok())
}

/// A number of a node of JSON: a key of its own, or an attribute of any type.
fn attribute(node: &Value, name: &str) -> Option<u64> {
    if let Some(own) = node.get(name) {
        return integer(own);
    }
    let own = node["attr"].as_array()?.iter().find(|own| own["name"] == name)?;
    own.as_object()?.iter().find(|own| own.0 != "name").and_then(|own| integer(own.1))
}

fn read_chakra(file: &FileText<'_>) -> Read {
    let nodes = chakra_nodes(file)?;
    let (mut operations, mut micros) = (vec![], 0.0);
    for node in &nodes {
        let kind = match node["type"].as_str().unwrap_or_default() {
            "COMP_NODE" => 4,
            "COMM_SEND_NODE" => 5,
            "COMM_RECV_NODE" => 6,
            "COMM_COLL_NODE" => 7,
            _ => node["NodeType"].as_u64().unwrap_or(0),
        };
        let name = match kind {
            4 => {
                let time = node.get("runtime").or(node.get("durationMicros"));
                micros +=
                    time.and_then(|own| own.as_f64().or_else(|| own.as_str()?.parse().ok())).unwrap_or(0.0);
                continue;
            }
            5 => "send",
            6 => "receive",
            7 => {
                let Some(own) = attribute(node, "comm_type").and_then(collective) else {
                    let id = node.get("Id").or(node.get("id")).unwrap_or(&Value::Null);
                    return wrong(0, format!("node {id} has no comm_type from 0 to 9"));
                };
                own
            }
            _ => continue,
        };
        let bytes = attribute(node, "comm_size").unwrap_or(0);
        operations.push(TracedOperation { operation: name.to_owned(), bytes, ..Default::default() });
    }
    let mut counts = Map::new();
    counts.insert("compute_seconds".into(), json!(micros * 1e-6));
    counts.insert("nodes".into(), json!(nodes.len()));
    let mut reading =
        Reading::from(Content::Trace(Trace { operations: Some(operations), counts, ..Trace::default() }));
    reading.missing.push("other-ranks");
    Ok(reading)
}

pub(super) static CHAKRA: Format = reads(
    "chakra",
    "Chakra execution traces (*.et), a file a rank",
    HOLDS,
    |file| {
        let is_like = first_message(file.bytes)
            .and_then(|(first, _)| GlobalMetadata::decode(first).ok())
            .is_some_and(|own| own.version.contains('.') && own.version.is_ascii());
        is_like.into()
    },
    |file| {
        let mut rest = first_message(file.bytes).map_or(&[][..], |own| own.1);
        let (mut operations, mut micros, mut nodes) = (vec![], 0_u64, 0_u64);
        while !rest.is_empty() {
            let Some((Ok(node), after)) = first_message(rest).map(|own| (Node::decode(own.0), own.1)) else {
                return wrong(0, format!("node {nodes} is not whole"));
            };
            rest = after;
            nodes += 1;
            let attribute = |name: &str| {
                let own = node.attr.iter().find(|own| own.name == name)?.value.as_ref()?.integer()?;
                u64::try_from(own).ok()
            };
            let operation = match NodeType::try_from(node.kind) {
                Ok(NodeType::Comp) => {
                    micros = micros.saturating_add(node.duration_micros);
                    continue;
                }
                Ok(NodeType::CommSend) => "send",
                Ok(NodeType::CommRecv) => "receive",
                Ok(NodeType::CommColl) => match collective(attribute("comm_type").unwrap_or(0)) {
                    Some(own) => own,
                    None => return wrong(0, format!("node {} has no comm_type from 0 to 9", node.id)),
                },
                _ => continue,
            };
            let bytes = attribute("comm_size").unwrap_or(0);
            operations.push(TracedOperation { operation: operation.to_owned(), bytes, ..Default::default() });
        }
        let mut counts = Map::new();
        #[expect(clippy::cast_precision_loss, reason = "a sum of times, for a person")]
        counts.insert("compute_seconds".into(), json!(micros as f64 * 1e-6));
        counts.insert("nodes".into(), json!(nodes));
        let trace = Trace { operations: Some(operations), counts, ..Trace::default() };
        let mut reading = Reading::from(Content::Trace(trace));
        reading.missing.push("other-ranks");
        Ok(reading)
    },
);

/// The first message of a sequence with lengths, and what follows it.
fn first_message(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut rest = bytes;
    let length = prost::decode_length_delimiter(&mut rest).ok()?;
    rest.split_at_checked(length)
}
