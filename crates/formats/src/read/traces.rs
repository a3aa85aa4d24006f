//! Traces of collectives: `PyTorch`, ASTRA-sim 1, MSCCL.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value, json};

use crate::{
    format::{Complaint, FileText, Format, Read, Reading, wrong},
    input::text::described,
    read::{benchmarks::operation, json_stream, reads, xml},
    value::{Content, Kind, Trace, TracedOperation},
};

pub(super) const HOLDS: &[Kind] = &[Kind::Trace];

pub(super) fn bytes_of_type(name: &str) -> Option<u64> {
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

pub(super) fn traced(
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

pub(super) static FLIGHT_RECORDER: Format = reads(
    "flight-recorder",
    "PyTorch's flight recorder, as JSON",
    HOLDS,
    |file| {
        let has = |key: &str| file.outline().is_some_and(|document| document.get(key).is_some());
        (has("pg_config") && has("entries")).into()
    },
    read_recorder,
);

fn read_recorder(file: &FileText<'_>) -> Read {
    let mut entries: Vec<(TracedOperation, String)> = vec![];
    let mut add = |entry: Value| {
        entries.push(recorded_operation(&entry).map_err(|message| Complaint { line: 0, message })?);
        Ok(())
    };
    let kept = json_stream::read(&mut file.text.as_bytes(), "entries", &["pg_config"], &mut add);
    let kept = kept.map_err(|complaint| vec![complaint])?;
    let groups: BTreeMap<&str, Arc<[u64]>> = kept
        .get("pg_config")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(name, group)| Some((name.as_str(), members(&group["ranks"])?)))
        .collect();
    let size = |members: &Arc<[u64]>| members.len() as u64;
    let ranks = groups.values().map(size).max();
    let operations = entries.into_iter().map(|(operation, name)| {
        let members = groups.get(name.as_str()).cloned();
        TracedOperation { group: members.as_ref().map(size), members, ..operation }
    });
    Ok(traced(operations.collect(), None, ranks, &["other-ranks", "times"]))
}

/// The ranks of a group, ascending: a list, or a list as text; `None` if it has none, or leaves some out (`..`).
pub(super) fn members(ranks: &Value) -> Option<Arc<[u64]>> {
    let mut members: Vec<u64> = match ranks {
        Value::String(text) => {
            let words = text.trim_matches(['[', ']', ' ']).split(',').map(str::trim);
            words.filter(|word| !word.is_empty()).map(|word| word.parse().ok()).collect::<Option<_>>()?
        }
        Value::Array(list) => list.iter().map(Value::as_u64).collect::<Option<_>>()?,
        _ => return None,
    };
    members.sort_unstable();
    members.dedup();
    (!members.is_empty()).then(|| members.into())
}

/// An operation, and the name of its group.
fn recorded_operation(entry: &Value) -> Result<(TracedOperation, String), String> {
    let name = entry["profiling_name"].as_str().unwrap_or_default();
    let kind = operation(name.rsplit(':').next().unwrap_or(name))
        .ok_or_else(|| format!("entry {}, expected a known collective", described(name)))?;
    let none = vec![];
    let mut bytes = 0_u64;
    for (place, size) in entry["input_sizes"].as_array().unwrap_or(&none).iter().enumerate() {
        let types = &entry["input_dtypes"];
        let word = types.as_str().or_else(|| types[place].as_str()).or_else(|| types[0].as_str());
        let width = word.and_then(bytes_of_type).ok_or_else(|| format!("a {kind} without a known type"))?;
        let count = size.as_array().unwrap_or(&none).iter().map(|length| length.as_u64().unwrap_or(0));
        bytes = bytes.saturating_add(count.fold(width, u64::saturating_mul));
    }
    let group = entry["process_group"][0].as_str().unwrap_or_default().to_owned();
    Ok((TracedOperation { operation: kind.to_owned(), bytes, ..TracedOperation::default() }, group))
}

pub(super) static ASTRA_WORKLOAD: Format = reads(
    "astra-sim-1-workload",
    "ASTRA-sim 1, SimAI: layers of a workload",
    HOLDS,
    |file| {
        let head =
            file.rows().next().map_or("", |(_, row)| row).split_whitespace().next().unwrap_or_default();
        (matches!(head, "MICRO" | "DATA" | "MODEL" | "TRANSFORMER" | "DLRM")
            || head.starts_with("HYBRID_")
            || head.starts_with("TRANSFORMER_"))
        .into()
    },
    |file| {
        let rows: Vec<(usize, Vec<&str>)> =
            file.rows().map(|(line, row)| (line, row.split_whitespace().collect())).collect();
        let announced =
            rows.get(1).and_then(|(_, row)| row.first()).and_then(|word| word.parse::<usize>().ok());
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
            .position(|word| *word == "all_gpus:")
            .and_then(|at| head.get(at + 1))
            .and_then(|word| word.parse().ok());
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
        let number = |element: &xml::Element<'_>, name: &str| {
            element.get(name).and_then(|value| value.parse::<u64>().ok())
        };
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
        let mut reading = Reading::from(Content::Trace(Trace {
            ranks: Some(ranks),
            algorithm: Some(algorithm),
            counts: Map::from_iter([("steps".to_owned(), json!(steps.len()))]),
            ..Trace::default()
        }));
        reading.missing.push("size");
        Ok(reading)
    },
);
