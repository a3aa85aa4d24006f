//! Chakra's execution traces, as messages and as JSON: a node for each computation and communication of a rank.

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
        let is_node = |own: &Json| own["type"].as_str().is_some_and(|own| own.ends_with("_NODE"));
        let outline = file.outline();
        (is_row && outline.is_none_or(is_node)
            || outline.is_some_and(|own| own.get("workload_graph").is_some()))
        .into()
    },
    |file| of_nodes(&nodes_of_json(file)?),
);

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
        let mut nodes = vec![];
        while !rest.is_empty() {
            let Some((Ok(node), after)) = first_message(rest).map(|own| (Node::decode(own.0), own.1)) else {
                return wrong(0, format!("node {} is not whole", nodes.len()));
            };
            rest = after;
            nodes.push(node);
        }
        of_nodes(&nodes)
    },
);

/// The first message of a sequence with lengths, and what follows it.
fn first_message(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut rest = bytes;
    let length = prost::decode_length_delimiter(&mut rest).ok()?;
    rest.split_at_checked(length)
}

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

/// The trace of a rank.
fn of_nodes(nodes: &[Node]) -> Read {
    let (mut operations, mut nanoseconds) = (vec![], 0_u64);
    for node in nodes {
        let attribute = |name: &str| {
            let own = node.attr.iter().find(|own| own.name == name)?.value.as_ref()?.integer()?;
            u64::try_from(own).ok()
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
    counts.insert("compute_seconds".into(), json!(nanoseconds as f64 / 1e9));
    counts.insert("nodes".into(), json!(nodes.len()));
    let trace = Trace { operations: Some(operations), counts, ..Trace::default() };
    let mut reading = Reading::from(Content::Trace(trace));
    reading.missing.push("other-ranks");
    Ok(reading)
}

/// The nodes of a file of JSON: a document with a list of them, or an object for each.
///
/// # Errors
///
/// If the file is no JSON.
pub fn nodes_of_json(file: &FileText<'_>) -> Result<Vec<Node>, Vec<Complaint>> {
    let mut nodes = vec![];
    if file.outline().is_some_and(|own| own.get("workload_graph").is_some()) {
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
            Ok(_) => {} // The first has the version.
            Err(error) => return wrong(error.line(), error.to_string()),
        }
    }
    Ok(nodes)
}

/// A number that may be written as a word.
fn integer(own: &Json) -> Option<u64> {
    own.as_u64().or_else(|| own.as_str()?.parse().ok())
}

/// A node as `chakra_jsonizer` writes it, or as ASTRA-sim's readers of JSON take it: attributes are then keys of its own.
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
        _ => node["NodeType"].as_u64().and_then(|own| i32::try_from(own).ok()).unwrap_or(0),
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
    let is_attribute = |own: &(&String, &Json)| own.0.starts_with("comm_") || own.0 == "is_cpu_op";
    attr.extend(node.as_object().into_iter().flatten().filter(is_attribute).filter_map(of_key));
    let time = get(["durationMicros", "duration_micros", "runtime"]);
    let duration = time.and_then(integer);
    if let (None, Some(micros)) = (duration, time.and_then(Json::as_f64).filter(|own| *own > 0.0)) {
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
            .map(|own| crate::input::chakra_schema::Inputs { values: own.to_owned() }),
        attr,
    }
}

/// `{"name": "comm_size", "uint64Val": "4096"}`.
fn attribute_of_json(own: &Json) -> Option<AttributeProto> {
    let name = own["name"].as_str()?.to_owned();
    let value = own.as_object()?.iter().find(|own| own.0 != "name").and_then(|own| value_of_json(own.1));
    Some(AttributeProto { name, value })
}

fn value_of_json(own: &Json) -> Option<Value> {
    match own {
        Json::Bool(own) => Some(Value::Bool(*own)),
        Json::Number(own) => own.as_u64().map(Value::Uint64).or_else(|| own.as_i64().map(Value::Int64)),
        Json::String(own) => Some(own.parse().map_or_else(|_| Value::Text(own.clone()), Value::Int64)),
        Json::Array(list) => {
            let values: Option<Vec<bool>> = list.iter().map(Json::as_bool).collect();
            Some(Value::Bools(BoolList { values: values? }))
        }
        Json::Object(_) => value_of_json(own.get("values")?),
        Json::Null => None,
    }
}
