//! Traces of frameworks, runtimes and simulators.

use std::collections::BTreeMap;

use prost::Message;
use serde_json::{Map, Value, json};

use crate::{
    format::{Complaint, FileText, Format, Read, Reading, wrong},
    input::{
        Ratio,
        chakra_schema::{GlobalMetadata, Node, NodeType},
        text::described,
    },
    read::{benchmarks::operation, ranks::MAX_RANKS, reads, xml},
    value::{Content, Kind, Matrix, Trace, TracedOperation},
};

const HOLDS: &[Kind] = &[Kind::Trace];
const MATRIX: &[Kind] = &[Kind::Trace, Kind::Matrix];

fn bytes_of_type(name: &str) -> Option<u64> {
    let name = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
    Some(match name.as_str() {
        "double" | "long" | "int64" | "uint64" | "float64" | "long int" => 8,
        "float" | "int" | "int32" | "uint32" | "float32" => 4,
        "half" | "bfloat16" | "float16" | "short" | "int16" | "c10::half" | "c10::bfloat16" => 2,
        "byte" | "char" | "bool" | "int8" | "uint8" | "signed char" | "unsigned char" => 1,
        _ if name.starts_with("float8") => 1,
        _ => return None,
    })
}

fn traced(
    operations: Vec<TracedOperation>,
    rank: Option<u64>,
    ranks: Option<u64>,
    missing: &[&'static str],
) -> Reading {
    let mut reading = Reading::from(Content::Trace(Trace {
        rank,
        ranks,
        operations: Some(operations),
        ..Trace::default()
    }));
    reading.missing.extend(missing);
    reading
}

pub(super) static KINETO: Format = reads(
    "kineto",
    "PyTorch's profiler (Kineto)",
    HOLDS,
    |file| {
        file.json()
            .is_some_and(|own| own.get("traceEvents").is_some() && own.get("distributedInfo").is_some())
            .into()
    },
    read_kineto,
);

fn read_kineto(file: &FileText<'_>) -> Read {
    let value = file.json().unwrap_or(&Value::Null);
    let none = vec![];
    let events = value["traceEvents"].as_array().unwrap_or(&none);
    let time = |own: &Value, key: &str| own[key].as_f64().filter(|own| own.is_finite());
    let spans = events.iter().filter(|own| own["ph"] == "X");
    let start = spans.clone().filter_map(|own| time(own, "ts")).min_by(f64::total_cmp).unwrap_or(0.0);
    let mut operations = vec![];
    for own in spans.filter(|own| own["cat"] == "kernel") {
        let arguments = &own["args"];
        let Some(name) = arguments["Collective name"].as_str() else { continue };
        let Some(kind) = operation(name) else {
            return wrong(0, format!("collective {}, expected a known one", described(name)));
        };
        let words = arguments["dtype"].as_str().and_then(bytes_of_type);
        let (Some(count), Some(width)) = (arguments["In msg nelems"].as_u64(), words) else {
            return wrong(0, format!("a {kind} without In msg nelems and a known dtype"));
        };
        let begin = (time(own, "ts").unwrap_or(start) - start) * 1e-6;
        let end = begin + time(own, "dur").unwrap_or(0.0) * 1e-6;
        let bytes = count.saturating_mul(width);
        operations.push(TracedOperation {
            operation: kind.to_owned(),
            bytes,
            group: arguments["Group size"].as_u64(),
            span: Some([begin, end]),
        });
    }
    if operations.is_empty() {
        return wrong(0, "no kernel with the name of a collective");
    }
    operations.sort_by(|one, other| {
        let begin = |own: &TracedOperation| own.span.map_or(0.0, |own| own[0]);
        begin(one).total_cmp(&begin(other))
    });
    let info = &value["distributedInfo"];
    Ok(traced(operations, info["rank"].as_u64(), info["world_size"].as_u64(), &["other-ranks"]))
}

pub(super) static FLIGHT_RECORDER: Format = reads(
    "flight-recorder",
    "PyTorch's flight recorder, as JSON",
    HOLDS,
    |file| {
        file.json().is_some_and(|own| own.get("pg_config").is_some() && own.get("entries").is_some()).into()
    },
    read_recorder,
);

fn read_recorder(file: &FileText<'_>) -> Read {
    let value = file.json().unwrap_or(&Value::Null);
    let members = |own: &Value| match &own["ranks"] {
        Value::String(text) => {
            text.split(',').filter(|part| part.bytes().any(|byte| byte.is_ascii_digit())).count() as u64
        }
        Value::Array(list) => list.len() as u64,
        _ => 0,
    };
    let groups: BTreeMap<&str, u64> = value["pg_config"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, own)| (name.as_str(), members(own)))
        .collect();
    let none = vec![];
    let mut operations = vec![];
    for entry in value["entries"].as_array().unwrap_or(&none) {
        let name = entry["profiling_name"].as_str().unwrap_or_default();
        let Some(kind) = operation(name.rsplit(':').next().unwrap_or(name)) else {
            return wrong(0, format!("entry {}, expected a known collective", described(name)));
        };
        let sizes = entry["input_sizes"].as_array().unwrap_or(&none);
        let mut bytes = 0_u64;
        for (place, size) in sizes.iter().enumerate() {
            let types = &entry["input_dtypes"];
            let word = types.as_str().or_else(|| types[place].as_str()).or_else(|| types[0].as_str());
            let Some(width) = word.and_then(bytes_of_type) else {
                return wrong(0, format!("a {kind} without a known type"));
            };
            let count = size.as_array().unwrap_or(&none).iter().map(|own| own.as_u64().unwrap_or(0));
            bytes = bytes.saturating_add(count.fold(width, u64::saturating_mul));
        }
        let group = entry["process_group"][0]
            .as_str()
            .and_then(|own| groups.get(own))
            .copied()
            .filter(|own| *own > 0);
        operations.push(TracedOperation { operation: kind.to_owned(), bytes, group, span: None });
    }
    let ranks = groups.values().max().copied().filter(|own| *own > 0);
    Ok(traced(operations, None, ranks, &["other-ranks", "times"]))
}

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

pub(super) static ASTRA_WORKLOAD: Format = reads(
    "astra-sim-1-workload",
    "ASTRA-sim 1, SimAI: layers of a workload",
    HOLDS,
    |file| {
        let head = file.rows().next().map_or("", |own| own.1).split_whitespace().next().unwrap_or_default();
        (matches!(head, "MICRO" | "DATA" | "MODEL" | "TRANSFORMER" | "DLRM")
            || head.starts_with("HYBRID_")
            || head.starts_with("TRANSFORMER_"))
        .into()
    },
    |file| {
        let rows: Vec<(usize, Vec<&str>)> =
            file.rows().map(|(line, row)| (line, row.split_whitespace().collect())).collect();
        let announced = rows.get(1).and_then(|own| own.1.first()).and_then(|own| own.parse::<usize>().ok());
        let layers = rows.get(2..).unwrap_or_default();
        let Some(expected) = announced else { return wrong(2, "no number of layers") };
        if layers.len() != expected {
            return wrong(2, format!("{} layers, expected {expected}", layers.len()));
        }
        let (mut operations, mut nanoseconds) = (vec![], 0_u64);
        for (line, row) in layers {
            if row.len() < 12 {
                return wrong(*line, format!("{} words of a layer, expected 12", row.len()));
            }
            for first in [2, 5, 8] {
                let (Ok(time), Ok(bytes)) = (row[first].parse::<u64>(), row[first + 2].parse::<u64>()) else {
                    return wrong(
                        *line,
                        format!(
                            "{} {} {}, expected a time, an operation and bytes",
                            row[first],
                            row[first + 1],
                            row[first + 2]
                        ),
                    );
                };
                nanoseconds = nanoseconds.saturating_add(time);
                let name = row[first + 1];
                if name == "NONE" {
                    continue;
                }
                let Some(kind) = operation(name) else {
                    return wrong(
                        *line,
                        format!("operation {}, expected ALLREDUCE and others", described(name)),
                    );
                };
                operations.push(TracedOperation {
                    operation: kind.to_owned(),
                    bytes,
                    ..TracedOperation::default()
                });
            }
        }
        let head = &rows[0].1;
        let ranks = head
            .iter()
            .position(|own| *own == "all_gpus:")
            .and_then(|at| head.get(at + 1))
            .and_then(|own| own.parse().ok());
        let mut counts = Map::new();
        counts.insert("layers".into(), json!(expected));
        #[expect(clippy::cast_precision_loss, reason = "a sum of times, for a person")]
        counts.insert("compute_seconds".into(), json!(nanoseconds as f64 * 1e-9));
        let mut reading = Reading::from(Content::Trace(Trace {
            ranks,
            operations: Some(operations),
            counts,
            ..Trace::default()
        }));
        reading.assumed.push("nanoseconds");
        Ok(reading)
    },
);

pub(super) static MSCCL: Format = reads(
    "msccl-xml",
    "MSCCL (msccl-tools)",
    HOLDS,
    |file| xml::begins_with(&file.text, "algo").into(),
    |file| {
        let document = xml::parse(&file.text)?;
        let Some(algorithm) = document.children.first() else { return wrong(0, "no <algo>") };
        let number = |own: &xml::Element, name: &str| own.get(name).and_then(|own| own.parse::<u64>().ok());
        let (Some(ranks), Some(chunks)) = (number(algorithm, "ngpus"), number(algorithm, "nchunksperloop"))
        else {
            return wrong(1, "no ngpus and nchunksperloop");
        };
        let steps = algorithm.all("step");
        let mut sent = 0;
        for step in &steps {
            let kind = step.get("type").unwrap_or_default();
            match kind {
                "s" | "rcs" | "rrs" | "rrcs" => sent += number(step, "cnt").unwrap_or(0),
                "r" | "rrc" | "re" | "cpy" | "nop" => {}
                other => {
                    return wrong(
                        step.line,
                        format!(
                            "step of type {}, expected s, r, rcs, rrc, rrs, rrcs, re, cpy or nop",
                            described(other)
                        ),
                    );
                }
            }
        }
        let name = algorithm.get("coll").and_then(operation);
        let algorithm =
            json!({"operation": name, "chunks": chunks, "steps": steps.len(), "chunks_sent": sent});
        let mut counts = Map::new();
        counts.insert("steps".into(), json!(steps.len()));
        let mut reading = Reading::from(Content::Trace(Trace {
            ranks: Some(ranks),
            algorithm: Some(algorithm),
            counts,
            ..Trace::default()
        }));
        reading.missing.push("size");
        Ok(reading)
    },
);

pub(super) static PARAVER: Format = reads(
    "paraver",
    "Extrae, Paraver (*.prv)",
    MATRIX,
    |file| file.text.starts_with("#Paraver (").into(),
    read_paraver,
);

fn read_paraver(file: &FileText<'_>) -> Read {
    let header = file.lines().next().map_or("", |own| own.1);
    let after = header.split_once("):").map_or("", |own| own.1);
    let mut parts = after.split(':');
    let span = parts.next().unwrap_or_default();
    let (digits, scale) = span.strip_suffix("_ns").map_or((span, 1e-6), |own| (own, 1e-9));
    let Ok(time) = digits.parse::<f64>() else { return wrong(1, "no length of the trace") };
    // `..:nodes(cpus):applications:tasks(..)`.
    let tasks = parts.nth(2).and_then(|own| own.split('(').next()).and_then(|own| own.parse::<usize>().ok());
    let Some(tasks) = tasks.filter(|own| (1..=1 << 20).contains(own)) else {
        return wrong(1, "no number of tasks");
    };
    let mut matrix = Matrix { unit: "bytes", size: tasks, ..Matrix::default() };
    let mut messages = 0_u64;
    for (line, text) in file.lines().filter(|own| own.1.starts_with("3:")) {
        let fields: Option<Vec<u64>> = text.trim().split(':').map(|own| own.parse().ok()).collect();
        let Some(fields) = fields.filter(|own| own.len() == 15) else {
            return wrong(line, "a message without 15 numbers");
        };
        let task = |at: usize| {
            usize::try_from(fields[at]).ok().and_then(|own| own.checked_sub(1)).filter(|own| *own < tasks)
        };
        let (Some(from), Some(to)) = (task(3), task(9)) else {
            return wrong(
                line,
                format!("a message between tasks {} and {}, expected 1 to {tasks}", fields[3], fields[9]),
            );
        };
        matrix.add(from, to, Ratio::from(fields[13]), Some(1));
        messages += 1;
    }
    let mut counts = Map::new();
    counts.insert("messages".into(), json!(messages));
    counts.insert("seconds".into(), json!(time * scale));
    let ranks = Some(tasks as u64);
    let mut reading =
        Reading::from(Content::Trace(Trace { ranks, matrix: Some(matrix), counts, ..Trace::default() }));
    if file.lines().any(|own| own.1.starts_with("2:")) {
        reading.missing.push("collectives");
    }
    Ok(reading)
}

pub(super) static SIMGRID_TI: Format = reads(
    "simgrid-ti",
    "SimGrid, time-independent traces",
    MATRIX,
    |file| {
        let mut words = file.rows().next().map_or("", |own| own.1).split_whitespace();
        (words.next().is_some_and(|own| own.parse::<u64>().is_ok()) && words.next() == Some("init")).into()
    },
    |file| {
        let mut matrix = Matrix { unit: "bytes", ..Matrix::default() };
        let (mut count, mut flops, mut is_old) = (0_u64, 0.0, false);
        let mut writers = std::collections::BTreeSet::new();
        for (line, text) in file.rows() {
            let words: Vec<&str> = text.split_whitespace().collect();
            let rank = |word: Option<&&str>| {
                word.and_then(|own| own.parse::<usize>().ok()).filter(|own| (*own as u64) < MAX_RANKS)
            };
            let (Some(own), Some(&action)) = (rank(words.first()), words.get(1)) else {
                return wrong(line, "no rank and action");
            };
            writers.insert(own);
            matrix.size = matrix.size.max(own + 1);
            count += 1;
            match action.to_ascii_lowercase().as_str() {
                "init" => is_old = words.len() > 2,
                "compute" => flops += words.get(2).and_then(|own| own.parse::<f64>().ok()).unwrap_or(0.0),
                "send" | "isend" => {
                    let Some(peer) = rank(words.get(2)) else {
                        return wrong(line, "a send without its destination");
                    };
                    // With a tag before the size if there are four arguments, as newer versions write.
                    let size = words.get(4).or(words.get(3)).and_then(|own| own.parse::<u64>().ok());
                    let width = match words.get(5).copied() {
                        None if is_old => 8,
                        None | Some("2" | "6") => 1,
                        Some("0") => 8,
                        Some("1" | "5") => 4,
                        Some("3") => 2,
                        Some("4") => 8,
                        Some(other) => {
                            return wrong(line, format!("type {}, expected 0 to 6", described(other)));
                        }
                    };
                    let Some(bytes) = size.and_then(|own| own.checked_mul(width)) else {
                        return wrong(line, "a send without its size");
                    };
                    matrix.add(own, peer, Ratio::from(bytes), Some(1));
                }
                "recv" | "irecv" => {
                    if let Some(peer) = rank(words.get(2)) {
                        matrix.size = matrix.size.max(peer + 1);
                    }
                }
                _ => {}
            }
        }
        let is_part = writers.len() < matrix.size || writers.len() == 1;
        let mut counts = Map::new();
        counts.insert("operations".into(), json!(count));
        counts.insert("flops".into(), json!(flops));
        let ranks = Some(matrix.size as u64);
        let mut reading =
            Reading::from(Content::Trace(Trace { ranks, matrix: Some(matrix), counts, ..Trace::default() }));
        if is_part {
            reading.missing.push("rows");
        }
        if flops > 0.0 {
            reading.missing.push("speed");
        }
        Ok(reading)
    },
);

pub(super) static GOAL: Format = reads(
    "goal",
    "GOAL of LogGOPSim, and cubefold export",
    MATRIX,
    |file| {
        let rows = file.rows().map(|own| own.1.trim());
        rows.filter(|own| !own.starts_with("//")).take(1).any(|own| own.starts_with("num_ranks")).into()
    },
    |file| {
        let mut matrix = Matrix { unit: "bytes", ..Matrix::default() };
        let (mut rank, mut count) = (0, 0_u64);
        for (line, text) in file.rows() {
            let text = text.split("//").next().unwrap_or_default();
            let words: Vec<&str> = text.split_whitespace().collect();
            let number = |at: usize| words.get(at).and_then(|own| own.parse::<usize>().ok());
            let below = |own: &usize| (*own as u64) < MAX_RANKS;
            match words[..] {
                ["num_ranks", ..] => match number(1).filter(below) {
                    Some(ranks) => matrix.size = ranks,
                    None => return wrong(line, "num_ranks without a number below 2^20"),
                },
                ["rank", ..] => match number(1).filter(|own| *own < matrix.size) {
                    Some(own) => rank = own,
                    None => return wrong(line, format!("no rank below {}", matrix.size)),
                },
                _ => {
                    let at = usize::from(words.first().is_some_and(|own| own.ends_with(':')));
                    count += u64::from(matches!(words.get(at), Some(&("send" | "recv" | "calc"))));
                    if words.get(at) != Some(&"send") {
                        continue;
                    }
                    let bytes = words.get(at + 1).and_then(|own| own.strip_suffix('b')?.parse::<u64>().ok());
                    let (Some(bytes), Some(peer)) = (bytes, number(at + 3).filter(|own| *own < matrix.size))
                    else {
                        return wrong(line, format!("{}, expected send Nb to RANK", described(text.trim())));
                    };
                    matrix.add(rank, peer, Ratio::from(bytes), Some(1));
                }
            }
        }
        let mut counts = Map::new();
        counts.insert("operations".into(), json!(count));
        let ranks = Some(matrix.size as u64);
        Ok(Content::Trace(Trace { ranks, matrix: Some(matrix), counts, ..Trace::default() }).into())
    },
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
