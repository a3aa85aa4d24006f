//! The JSON Schema of results, derived from the definitions of their columns.

use cubefold_scenario::{DIALECT, list_of, object};
use serde_json::{Map, Value, json};

use crate::{
    Document, MessageRecord, PlacementEntry, ProcessRecord, Record, RowOfRun, RunRecord, TransmissionRecord,
    definition::{Definition, Kind},
};

/// The schema of results: the documents of `run`, `compare` and `measure`, a line of their JSON Lines, and a
/// row of processes or of transmissions.
#[must_use]
pub fn results_schema() -> Value {
    let (run, placement) = (run_schema(), placement_schema());
    let forms = [
        ("results", with_provenance(document(Document::RESULTS, &run))),
        ("placements", document(Document::PLACEMENTS, &placement)),
        ("run-line", line(run)),
        ("placement-line", line(placement)),
        ("process-line", line(row_schema::<ProcessRecord<'_>>())),
        ("message-line", line(row_schema::<MessageRecord>())),
        ("transmission-line", line(row_schema::<TransmissionRecord>())),
    ];
    let any: Vec<Value> =
        forms.iter().map(|(name, _)| json!({ "$ref": format!("#/$defs/{name}") })).collect();
    let forms: Map<String, Value> = forms.into_iter().map(|(name, form)| (name.to_owned(), form)).collect();
    json!({ "$schema": DIALECT, "title": "cubefold results", "anyOf": any, "$defs": forms })
}

/// The schema of a document with its envelope.
fn document(document: Document, record: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "format": { "const": document.format },
            "version": { "const": Document::VERSION },
            "cubefold": { "type": "string", "description": "The version of the program." },
            document.records: list_of(record),
        },
        "required": ["format", "version", "cubefold", document.records],
    })
}

/// The schema of a document that also says its origin.
fn with_provenance(mut document: Value) -> Value {
    let text = || json!({ "type": "string" });
    let file = json!({
        "type": "object",
        "properties": { "key": text(), "path": text(), "sha256": { "type": ["string", "null"] } },
        "required": ["key", "path", "sha256"],
        "additionalProperties": false,
    });
    let members = json!({
        "program": text(),
        "version": text(),
        "commit": { "type": ["string", "null"], "description": "The commit that the program was built from." },
        "dirty": { "type": ["boolean", "null"], "description": "Whether its sources differed from the commit." },
        "model": { "type": "integer", "description": "The number of the model." },
        "command": text(),
        "digest": { "type": "string", "description": "SHA-256 of everything that decides the numbers." },
        "files": list_of(&file),
    });
    let members = members.as_object().cloned().unwrap_or_default();
    let required: Vec<&String> = members.keys().collect();
    let mut provenance = object(&members);
    provenance["required"] = json!(required);
    document["properties"]["provenance"] = provenance;
    document
}

/// The schema of a record on a line, with its version.
fn line(mut record: Value) -> Value {
    record["properties"]["version"] = json!({ "const": Document::VERSION });
    record["required"] = json!(["version", "run", "scenario"]);
    record
}

fn run_schema() -> Value {
    let mut run = record(RunRecord::members());
    run["properties"]["stages"] = list_of(&stage());
    run["properties"]["steps"] = list_of(&step_of_job());
    let open_loop = &mut run["properties"]["open_loop"];
    for (member, schema) in open_loop_members() {
        open_loop["properties"][&member] = schema;
    }
    for list in ["saturation_runs", "trace_communication", "pipelines"] {
        run["properties"][list] = list_of(&json!({ "type": "object" }));
    }
    run
}

/// The members of `open_loop` without columns.
fn open_loop_members() -> Map<String, Value> {
    let batch = ["made", "consumed", "backlog", "packets", "received", "latency_sum"];
    let batch =
        object(&batch.iter().map(|name| ((*name).to_owned(), json!({ "type": "integer" }))).collect());
    let seeds = list_of(&json!({ "type": "object" }));
    [("batches".to_owned(), list_of(&batch)), ("seeds".to_owned(), seeds)].into_iter().collect()
}

fn placement_schema() -> Value {
    let mut entry = record(PlacementEntry::members());
    // Members without columns are added here.
    entry["properties"]["placement"]["properties"]["distances"] = list_of(&json!({ "type": "object" }));
    entry
}

/// The schema of a row of a run, whose columns and members have the same names.
fn row_schema<R: Record>() -> Value {
    let columns = RowOfRun::<R>::columns();
    object(&columns.into_iter().map(|column| (column.name.to_owned(), column_schema(column))).collect())
}

/// The schema of a record of a machine, a program and more.
fn record(members: Vec<&'static Definition>) -> Value {
    let mut record = object(&Map::new());
    for member in members {
        insert(&mut record, member);
    }
    // Members without columns, or whose columns hold only a number, are added here.
    record["properties"]["program"]["properties"]["steps"] = list_of(&json!({ "type": "object" }));
    record["properties"]["notes"] = list_of(&json!({ "type": "string" }));
    // A word, or a number of links.
    record["properties"]["execution"]["properties"]["phases"]["type"] = json!(["string", "integer", "null"]);
    let machine = &mut record["properties"]["machine"]["properties"];
    // The classes of links if these differ, with the link mode beside them.
    let class =
        json!({ "class": { "type": "string" }, "u": { "type": "integer" }, "l": { "type": "integer" } });
    let classes = list_of(&json!({ "type": "object", "properties": class, "additionalProperties": false }));
    machine["link_mode"] = json!({ "type": "string" });
    machine["links"] = json!({ "anyOf": [machine["links"], classes] });
    machine["uplinks"] = list_of(&json!({ "type": "integer" }));
    machine["uplinks_assumed"] = json!({ "type": "boolean" });
    machine["directed"] = json!({ "type": "boolean" });
    machine["twist"] = list_of(&list_of(&json!({ "type": "integer" })));
    for failed in ["failed_links", "failed_nodes"] {
        machine[failed]["type"] = "array".into();
    }
    record
}

/// The members of a run, or of one of these, that are objects.
const OBJECTS: [&str; 23] = [
    "machine",
    "machine_partition",
    "machine_router",
    "program",
    "program_compute_noise",
    "program_guest",
    "execution",
    "totals",
    "waiting",
    "blocked",
    "packet_latency",
    "network_latency",
    "open_loop",
    "placement",
    "placement_dilation",
    "placement_node_load",
    "placement_link_congestion",
    "placement_node_congestion",
    "placement_link_units",
    "placement_load",
    "placement_bounds",
    "placement_construction",
    "placement_construction_promised_steps",
];

/// Inserts a definition at its place: `placement_load_max` is `max` of `load` of `placement`.
fn insert(run: &mut Value, definition: &Definition) {
    let (mut place, mut start) = (run, 0); // the object, and the offset of its members' names
    let name = definition.name;
    let ends = name.match_indices('_').map(|(end, _)| end);
    for end in ends.filter(|&end| OBJECTS.contains(&&name[..end])) {
        let member = &mut place["properties"][&name[start..end]];
        if member.is_null() {
            *member = object(&Map::new());
        }
        (place, start) = (member, end + 1);
    }
    let member = &mut place["properties"][&name[start..]];
    if member.is_null() {
        *member = column_schema(definition);
    }
}

fn column_schema(definition: &Definition) -> Value {
    let mut schema = match definition.kind {
        Kind::Text => json!({ "type": ["string", "null"] }),
        Kind::Truth => json!({ "type": ["boolean", "null"] }),
        Kind::Natural | Kind::Sum => json!({ "type": ["integer", "null"] }),
        Kind::Decimal => json!({ "type": ["number", "null"] }),
        Kind::Shape => json!({ "type": ["array", "null"], "items": { "type": "integer" } }),
        Kind::List => json!({ "type": ["array", "null"] }),
        Kind::Term => json!({}),
    };
    if !definition.text.is_empty() {
        schema["description"] = definition.text.into();
    }
    if !definition.unit.is_empty() {
        schema["description"] =
            format!("[{}] {}", definition.unit, schema["description"].as_str().unwrap_or_default()).into();
    }
    schema
}

/// The schema of a step of a job in a run; its terms have the names of its members.
fn step_of_job() -> Value {
    let members = [
        ("iteration", json!({ "type": "integer" })),
        ("name", json!({ "type": "string" })),
        ("kind", json!({ "type": "string" })),
        ("pipeline", json!({ "type": "string" })),
        ("ranks", json!({ "type": "integer" })),
        ("begin_cycles", json!({ "type": "integer" })),
        ("finish_cycles", json!({ "type": "integer" })),
        ("begin_seconds", json!({ "type": "number" })),
        ("finish_seconds", json!({ "type": "number" })),
        ("share", json!({ "type": "number", "minimum": 0, "maximum": 1 })),
        ("exposed_cycles", json!({ "type": "integer" })),
        ("hidden_cycles", json!({ "type": "integer" })),
        ("hidden_share", json!({ "type": "number", "minimum": 0, "maximum": 1 })),
        ("behind", list_of(&json!({ "type": "string" }))),
    ];
    let described = members.map(|(member, mut schema)| {
        if let Some(term) = Definition::find(&format!("steps_{member}")) {
            schema["description"] = term.text.into();
        }
        (member.to_owned(), schema)
    });
    let mut step = object(&described.into_iter().collect());
    step["required"] = json!(["iteration", "name", "kind", "begin_cycles", "finish_cycles"]);
    step
}

/// The schema of a stage of a run.
fn stage() -> Value {
    let count = || json!({ "type": ["integer", "null"] });
    let distance = json!({
        "type": "object", "additionalProperties": false,
        "properties": { "min": count(), "max": count(), "mean": { "type": ["number", "null"] } }
    });
    let members = [
        "stage",
        "dimension",
        "step",
        "waiting_cycles",
        "transfer_cycles",
        "blocked_cycles",
        "routing_steps",
        "conflicts",
    ];
    let mut members: Map<String, Value> =
        members.into_iter().map(|member| (member.to_owned(), count())).collect();
    members.insert("distance".to_owned(), distance);
    members.insert("dimensions".to_owned(), list_of(&json!({ "type": "integer" })));
    object(&members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_members_of_the_objects_that_they_name() {
        let schema = results_schema();
        let run = &schema["$defs"]["results"]["properties"]["runs"]["items"]["properties"];
        assert_eq!(run["makespan_cycles"]["type"], json!(["integer", "null"]));
        let dilation = &run["placement"]["properties"]["dilation"]["properties"];
        assert_eq!(dilation["max"]["type"], json!(["integer", "null"]));
        assert_eq!(run["waiting"]["properties"]["p99"]["type"], json!(["integer", "null"]));
        assert!(run["machine"]["properties"]["partition"]["properties"]["base"].is_object());
        assert!(run["program"]["properties"]["compute_noise"]["properties"]["one_in"].is_object());
        assert!(run["channel"].is_null(), "a term is no member");
        let step = &run["steps"]["items"]["properties"];
        assert_eq!(step["behind"]["items"]["type"], "string");
        assert!(step["hidden_cycles"]["description"].as_str().unwrap().contains("computation step"));
        let process = &schema["$defs"]["process-line"]["properties"];
        assert_eq!(process["waiting_cycles"]["type"], json!(["integer", "null"]));
        assert_eq!(process["version"]["const"], json!(1));
        let placement = &schema["$defs"]["placement-line"]["properties"];
        assert!(placement["placement"].is_object() && placement["makespan_cycles"].is_null());
        let bounds = &placement["placement"]["properties"]["bounds"]["properties"];
        assert_eq!(bounds["congestion"]["type"], json!(["integer", "null"]));
        let construction = &placement["placement"]["properties"]["construction"]["properties"];
        assert!(construction["promised_steps"]["properties"]["full_duplex"].is_object());
    }
}
