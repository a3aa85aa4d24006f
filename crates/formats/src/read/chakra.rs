//! Chakra execution traces, as protobuf and as JSON: one node per computation or communication of a rank.

use prost::Message;
use serde_json::{Map, Value as Json, json};

use crate::{
    file_text::is_too_deep,
    format::{Complaint, FileText, Format, Read, Reading, wrong},
    input::chakra_schema::{AttributeProto, BoolList, GlobalMetadata, Node, NodeType, Value},
    read::{json_stream, reads},
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
        let is_node = |node: &Json| node["type"].as_str().is_some_and(|kind| kind.ends_with("_NODE"));
        let outline = file.outline();
        (is_row && outline.is_none_or(is_node)
            || outline.is_some_and(|document| document.get("workload_graph").is_some()))
        .into()
    },
    |file| trace_of_nodes(&nodes_of_json(file)?),
);

pub(super) static CHAKRA: Format = reads(
    "chakra",
    "Chakra execution traces (*.et), a file a rank",
    HOLDS,
    |file| {
        let is_like = first_message(file.bytes)
            .and_then(|(first, _)| GlobalMetadata::decode(first).ok())
            .is_some_and(|metadata| metadata.version.contains('.') && metadata.version.is_ascii());
        is_like.into()
    },
    |file| {
        let mut rest = first_message(file.bytes).map_or(&[][..], |(_, after)| after);
        let mut nodes = vec![];
        while !rest.is_empty() {
            let Some((Ok(node), after)) =
                first_message(rest).map(|(message, after)| (Node::decode(message), after))
            else {
                return wrong(0, format!("node {} is not whole", nodes.len()));
            };
            rest = after;
            nodes.push(node);
        }
        trace_of_nodes(&nodes)
    },
);

/// Splits the first message off a length-delimited sequence; returns it and the rest.
fn first_message(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut rest = bytes;
    let length = prost::decode_length_delimiter(&mut rest).ok()?;
    rest.split_at_checked(length)
}

/// The collective with this number in Chakra's schema.
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

/// Builds the trace of one rank.
fn trace_of_nodes(nodes: &[Node]) -> Read {
    let (mut operations, mut nanoseconds) = (vec![], 0_u64);
    for node in nodes {
        let attribute = |name: &str| {
            let number = node.attr.iter().find(|entry| entry.name == name)?.value.as_ref()?.integer()?;
            u64::try_from(number).ok()
        };
        let operation = match NodeType::try_from(node.kind) {
            Ok(NodeType::Comp) => {
                let of_micros = node.duration_micros.saturating_mul(1000);
                nanoseconds =
                    nanoseconds.saturating_add(attribute("duration_nanoseconds").unwrap_or(of_micros));
                continue;
            }
            Ok(NodeType::CommSend) => "send",
            Ok(NodeType::CommRecv) => "receive",
            Ok(NodeType::CommColl) => match attribute("comm_type").and_then(collective) {
                Some(name) => name,
                None => return wrong(0, format!("node {} has no comm_type from 0 to 9", node.id)),
            },
            _ => continue,
        };
        let bytes = attribute("comm_size").unwrap_or(0);
        operations.push(TracedOperation { operation: operation.to_owned(), bytes, ..Default::default() });
    }
    let mut counts = Map::new();
    #[expect(clippy::cast_precision_loss, reason = "a sum of times, for a person")]
    counts.insert("compute_seconds".into(), json!(nanoseconds as f64 / 1e9));
    counts.insert("nodes".into(), json!(nodes.len()));
    let trace = Trace { operations: Some(operations), counts, ..Trace::default() };
    let mut reading = Reading::from(Content::Trace(trace));
    reading.missing.push("other-ranks");
    Ok(reading)
}

/// The nodes of a JSON file: either one document with a list of nodes, or one object per node.
///
/// # Errors
///
/// If the file is not valid JSON, or has no node.
pub fn nodes_of_json(file: &FileText<'_>) -> Result<Vec<Node>, Vec<Complaint>> {
    let mut nodes = vec![];
    if file.outline().is_some_and(|document| document.get("workload_graph").is_some()) {
        let mut add = |node: Json| {
            nodes.push(node_of_json(&node));
            Ok(())
        };
        let read = json_stream::read(&mut file.text.as_bytes(), "workload_graph", &[], &mut add);
        return read.map(|_| nodes).map_err(|complaint| vec![complaint]);
    }
    if is_too_deep(&file.text) {
        return wrong(0, "lists and objects more than 64 levels deep");
    }
    for object in serde_json::Deserializer::from_str(&file.text).into_iter::<Json>() {
        match object {
            Ok(object) if object.get("type").is_some() => nodes.push(node_of_json(&object)),
            Ok(_) => {} // The first object holds the version.
            Err(error) => return wrong(error.line(), error.to_string()),
        }
    }
    if nodes.is_empty() {
        return wrong(0, "no object has the type of a node of Chakra, such as COMP_NODE");
    }
    Ok(nodes)
}

/// An integer, possibly written as a string.
fn integer(value: &Json) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

/// Converts a node as `chakra_jsonizer` writes it or as ASTRA-sim reads it, with attributes as its keys.
fn node_of_json(node: &Json) -> Node {
    let get = |names: [&str; 3]| names.into_iter().find_map(|name| node.get(name));
    let kind = match node["type"].as_str().unwrap_or_default() {
        "METADATA_NODE" => 1,
        "MEM_LOAD_NODE" => 2,
        "MEM_STORE_NODE" => 3,
        "COMP_NODE" => 4,
        "COMM_SEND_NODE" => 5,
        "COMM_RECV_NODE" => 6,
        "COMM_COLL_NODE" => 7,
        _ => node["NodeType"].as_u64().and_then(|number| i32::try_from(number).ok()).unwrap_or(0),
    };
    let dependencies = |names: [&str; 3]| {
        let list = get(names).and_then(Json::as_array);
        list.into_iter().flatten().filter_map(integer).collect()
    };
    let mut attr: Vec<AttributeProto> =
        node["attr"].as_array().into_iter().flatten().filter_map(attribute_of_json).collect();
    let of_key = |(name, value): (&String, &Json)| {
        Some(AttributeProto { name: name.clone(), value: Some(value_of_json(value)?) })
    };
    let is_attribute = |(name, _): &(&String, &Json)| name.starts_with("comm_") || *name == "is_cpu_op";
    attr.extend(node.as_object().into_iter().flatten().filter(is_attribute).filter_map(of_key));
    let time = get(["durationMicros", "duration_micros", "runtime"]);
    let duration = time.and_then(integer);
    if let (None, Some(micros)) = (duration, time.and_then(Json::as_f64).filter(|micros| *micros > 0.0)) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a time, cut off at 2^64 ns"
        )]
        let value = Some(Value::Uint64((micros * 1e3).round() as u64));
        attr.push(AttributeProto { name: "duration_nanoseconds".to_owned(), value });
    }
    Node {
        id: get(["id", "Id", "id"]).and_then(integer).unwrap_or(0),
        name: get(["name", "Name", "name"]).and_then(Json::as_str).unwrap_or_default().to_owned(),
        kind,
        ctrl_deps: dependencies(["ctrlDeps", "ctrl_deps", "ctrlDeps"]),
        data_deps: dependencies(["dataDeps", "data_deps", "dataDeps"]),
        duration_micros: duration.unwrap_or(0),
        inputs: node["inputs"]["values"]
            .as_str()
            .map(|values| crate::input::chakra_schema::Inputs { values: values.to_owned() }),
        attr,
    }
}

/// Converts an attribute such as `{"name": "comm_size", "uint64Val": "4096"}`.
fn attribute_of_json(attribute: &Json) -> Option<AttributeProto> {
    let name = attribute["name"].as_str()?.to_owned();
    let value = attribute
        .as_object()?
        .iter()
        .find(|(key, _)| *key != "name")
        .and_then(|(_, value)| value_of_json(value));
    Some(AttributeProto { name, value })
}

fn value_of_json(value: &Json) -> Option<Value> {
    match value {
        Json::Bool(is_true) => Some(Value::Bool(*is_true)),
        Json::Number(number) => {
            number.as_u64().map(Value::Uint64).or_else(|| number.as_i64().map(Value::Int64))
        }
        Json::String(text) => Some(text.parse().map_or_else(|_| Value::Text(text.clone()), Value::Int64)),
        Json::Array(list) => {
            let values: Option<Vec<bool>> = list.iter().map(Json::as_bool).collect();
            Some(Value::Bools(BoolList { values: values? }))
        }
        Json::Object(_) => value_of_json(value.get("values")?),
        Json::Null => None,
    }
}
